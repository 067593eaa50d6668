// libpodium: run sharded StableHLO programs on a pod of simulated TPU chips.
//
//   podium_session_t *session = NULL;
//   podium_status_t *status = podium_connect("127.0.0.1:7400", NULL, &session);
//   ...
//   podium_compile(session, "mm.mlir", text, length, NULL, &executable);
//   const podium_layout_t layout = {.executable = executable, .argument = 0};
//   podium_put(session, &layout, data, size, 0, &a);
//   ...
//   podium_execute(executable, 2, arguments, NULL, results, NULL);
//   podium_fetch(results[0], buffer, size, 0);
//
// Threading: a session and what was made with it may be used by several threads at once.
// Every function blocks its caller until the coordinator has answered or the deadline has
// passed; a thread of the library's own does the input and output.
// Ownership: sessions, executables, arrays, executions, profiles and statuses are the
// caller's and end with their _free or podium_close; each of these accepts NULL. Free
// what was made with a session before the session, or leave it: the handle's client
// memory is then freed by podium_close. What getters return is borrowed. On the pod
// everything belongs to the session and is freed when it ends, also when the process
// dies.
// Errors: functions that can fail return NULL for success or a status with a canonical
// gRPC code and a message that says what is wrong, where, and what to do. Outputs are
// written on success only.
// Units: bytes, milliseconds for deadlines (0: none), picoseconds of predicted device
// time, nanoseconds of measured host time.

#ifndef PODIUM_H_
#define PODIUM_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PODIUM_API __attribute__((visibility("default")))

// --- Errors ---

typedef struct podium_status podium_status_t;

// The canonical gRPC codes.
typedef enum podium_code_t {
  PODIUM_OK = 0,
  PODIUM_CANCELLED = 1,
  PODIUM_UNKNOWN = 2,
  PODIUM_INVALID_ARGUMENT = 3,
  PODIUM_DEADLINE_EXCEEDED = 4,
  PODIUM_NOT_FOUND = 5,
  PODIUM_ALREADY_EXISTS = 6,
  PODIUM_PERMISSION_DENIED = 7,
  // Does not fit the chips' HBM: the message has the numbers.
  PODIUM_RESOURCE_EXHAUSTED = 8,
  PODIUM_FAILED_PRECONDITION = 9,
  PODIUM_ABORTED = 10,
  PODIUM_OUT_OF_RANGE = 11,
  PODIUM_UNIMPLEMENTED = 12,
  PODIUM_INTERNAL = 13,
  PODIUM_UNAVAILABLE = 14,  // A host is away: the message names it. Retry.
  PODIUM_DATA_LOSS = 15,
  PODIUM_UNAUTHENTICATED = 16,
} podium_code_t;

// PODIUM_OK for NULL.
PODIUM_API podium_code_t podium_status_code(const podium_status_t *status);

// "RESOURCE_EXHAUSTED". A literal.
PODIUM_API const char *podium_code_name(podium_code_t code);

// Borrowed until the status is freed. "ok" for NULL.
PODIUM_API const char *podium_status_message(const podium_status_t *status);

PODIUM_API void podium_status_free(podium_status_t *status);

// --- Types ---

// StableHLO's element types. Dense little-endian; pred is a byte; what is below 8 bits
// takes a byte.
typedef enum podium_dtype_t {
  PODIUM_DTYPE_INVALID = 0,
  PODIUM_PRED = 1,
  PODIUM_S2 = 2,
  PODIUM_S4 = 3,
  PODIUM_S8 = 4,
  PODIUM_S16 = 5,
  PODIUM_S32 = 6,
  PODIUM_S64 = 7,
  PODIUM_U2 = 8,
  PODIUM_U4 = 9,
  PODIUM_U8 = 10,
  PODIUM_U16 = 11,
  PODIUM_U32 = 12,
  PODIUM_U64 = 13,
  PODIUM_F4E2M1FN = 14,
  PODIUM_F6E2M3FN = 15,
  PODIUM_F6E3M2FN = 16,
  PODIUM_F8E3M4 = 17,
  PODIUM_F8E4M3 = 18,
  PODIUM_F8E4M3FN = 19,
  PODIUM_F8E4M3FNUZ = 20,
  PODIUM_F8E4M3B11FNUZ = 21,
  PODIUM_F8E5M2 = 22,
  PODIUM_F8E5M2FNUZ = 23,
  PODIUM_F8E8M0FNU = 24,
  PODIUM_BF16 = 25,
  PODIUM_F16 = 26,
  PODIUM_F32 = 27,
  PODIUM_F64 = 28,
  PODIUM_C64 = 29,
  PODIUM_C128 = 30,
} podium_dtype_t;

enum { PODIUM_RANK_MAX = 16 };

typedef struct podium_shape_t {
  podium_dtype_t dtype;
  int rank;
  int64_t dims[PODIUM_RANK_MAX];
} podium_shape_t;

// Bytes of an array of this shape; -1 when a size is negative or the product overflows.
PODIUM_API int64_t podium_shape_bytes(const podium_shape_t *shape);

// Writes "bf16[8,2048]" to `text`, cut to `size` bytes with the NUL.
PODIUM_API void podium_shape_print(const podium_shape_t *shape, char *text, size_t size);

typedef struct podium_mesh_axis_t {
  const char *name;
  int64_t size;
} podium_mesh_axis_t;

// A jax.sharding.Mesh with a PartitionSpec.
typedef struct podium_sharding_t {
  int axis_count;
  const podium_mesh_axis_t *axes;
  const int64_t *device_ids;  // The device at each mesh position; NULL: 0, 1, 2, …
  // For each dimension of the array the names of its axes, major to minor, separated by
  // commas; NULL or "" for a dimension that is not divided.
  int rank;
  const char *const *spec;
} podium_sharding_t;

// --- Sessions ---

typedef struct podium_session podium_session_t;
typedef struct podium_executable podium_executable_t;
typedef struct podium_array podium_array_t;
typedef struct podium_execution podium_execution_t;

typedef struct podium_connect_options_t {
  int64_t timeout_ms;       // To connect; 0: 10 s.
  const char *client_name;  // For the coordinator's log; NULL: "libpodium".
  bool do_not_wait;         // Do not wait, within the timeout, until every chip is there.
} podium_connect_options_t;

// `address` is "HOST:PORT". `options` may be NULL. UNAVAILABLE names the address that did
// not answer.
PODIUM_API podium_status_t *podium_connect(const char *address,
                                           const podium_connect_options_t *options,
                                           podium_session_t **out_session);

// Ends the session: everything of it on the pod is freed. No other thread may be in a
// call of it.
PODIUM_API void podium_close(podium_session_t *session);

typedef struct podium_device_t {
  int id;
  const char *name;  // "TpuDevice(id=0, process_index=0, coords=(0,0,0), core_on_chip=0)"
  const char *state;  // "missing", "joining", "ready", "lost", "draining"
  const char *address;
  int coords[3];
  int64_t pid;
  int64_t hbm_used_bytes;
  int links_up, links;
} podium_device_t;

typedef struct podium_pod_t {
  const char *id, *chip_kind, *topology, *version;
  bool ready;
  int64_t hbm_bytes;  // Of one chip.
  int session_count;
  int device_count;
  const podium_device_t *devices;
} podium_pod_t;

// Asks for the pod's present state.
PODIUM_API podium_status_t *podium_pod(podium_session_t *session, int64_t timeout_ms,
                                       podium_pod_t **out_pod);
PODIUM_API void podium_pod_free(podium_pod_t *pod);

// --- Programs ---

typedef struct podium_compile_options_t {
  int64_t timeout_ms;
  bool only;  // Do not load the program on the chips; it cannot be executed.
} podium_compile_options_t;

// `text` is a StableHLO module as jax.jit(f).lower(...).as_text() prints it; `file_name`
// stands for it in diagnostics. INVALID_ARGUMENT and UNIMPLEMENTED have file:line:column
// and the source line; RESOURCE_EXHAUSTED the bytes needed and there.
PODIUM_API podium_status_t *podium_compile(podium_session_t *session,
                                           const char *file_name, const char *text,
                                           size_t length,
                                           const podium_compile_options_t *options,
                                           podium_executable_t **out_executable);
PODIUM_API void podium_executable_free(podium_executable_t *executable);

// An argument or a result.
typedef struct podium_signature_t {
  const char *name;
  podium_shape_t shape;        // Global.
  podium_shape_t local_shape;  // What each chip holds.
  const char *sharding;        // "[{x}, {y}]": for each dimension its axes.
} podium_signature_t;

typedef struct podium_collective_t {
  const char *op;                  // "all_reduce"
  const char *name;                // Of the instruction.
  const char *source;              // "train.py:12:7" or "".
  const char *axes;                // "y", or "" when its groups follow no axes.
  podium_shape_t operand, result;  // Local.
  int64_t group_count, group_size;
  int64_t ici_bytes;    // Sent by each chip.
  int64_t duration_ps;  // Predicted.
  bool in_loop;         // Once per iteration of a while.
  bool inserted;        // By the partitioner; false: the program had it.
  bool asynchronous;    // Overlaps with what follows.
} podium_collective_t;

typedef struct podium_instruction_t {
  // "dot_general.3", "dot_general", "bf16[4,8192]", "train.py:12:7" or "".
  const char *name, *op, *shape, *source;
  bool is_collective;
} podium_instruction_t;

typedef struct podium_program_info_t {
  const char *name;
  int argument_count, result_count, collective_count, instruction_count;
  const podium_signature_t *arguments, *results;
  const podium_collective_t *collectives;
  const podium_instruction_t *instructions;  // Indexed as in profiles.
  const char *partitioned_text;              // The SPMD program as StableHLO.
  // Per chip.
  int64_t hbm_peak_bytes, argument_bytes, result_bytes, constant_bytes, temp_bytes;
  int64_t hbm_bytes;  // What a chip has.
} podium_program_info_t;

// Borrowed from the executable.
PODIUM_API const podium_program_info_t *podium_executable_info(
    const podium_executable_t *executable);

// --- Arrays ---

// Where an array goes: an argument of an executable (its shape and sharding), or a shape
// with a sharding of its own.
typedef struct podium_layout_t {
  const podium_executable_t *executable;  // NULL: by shape and sharding.
  int argument;
  podium_shape_t shape;               // Global.
  const podium_sharding_t *sharding;  // NULL: replicated.
} podium_layout_t;

// Gives the next bytes of an array: writes up to `size` bytes (never 0) to `buffer`,
// returns how many, or -1 to give up (the put then fails with CANCELLED). Called on the
// library's thread.
typedef int64_t (*podium_read_fn_t)(void *context, void *buffer, size_t size);

// Sends a global array, dense row-major; each chip gets its shard. `data` is borrowed
// until the return; `size` must be what the shape needs.
PODIUM_API podium_status_t *podium_put(podium_session_t *session,
                                       const podium_layout_t *layout, const void *data,
                                       size_t size, int64_t timeout_ms,
                                       podium_array_t **out_array);

// The same from a function, in chunks of at most 1 MiB: never the whole array is in
// memory.
PODIUM_API podium_status_t *podium_put_stream(podium_session_t *session,
                                              const podium_layout_t *layout,
                                              podium_read_fn_t read, void *context,
                                              int64_t timeout_ms,
                                              podium_array_t **out_array);

PODIUM_API const podium_shape_t *podium_array_shape(const podium_array_t *array);

// Brings the global array back; `size` must be podium_shape_bytes of its shape.
PODIUM_API podium_status_t *podium_fetch(podium_array_t *array, void *data, size_t size,
                                         int64_t timeout_ms);

// Frees the array on the chips and the handle.
PODIUM_API void podium_array_free(podium_array_t *array);

// --- Execution ---

typedef struct podium_execute_options_t {
  int64_t timeout_ms;
  bool profile;  // Keep every single event, not only totals.
} podium_execute_options_t;

// Runs the program on all its chips. `arguments` has argument_count arrays; `results`
// room for result_count. The arguments stay on the chips. `out_execution` may be NULL.
// When a worker is lost: UNAVAILABLE with its chip and address.
PODIUM_API podium_status_t *podium_execute(podium_executable_t *executable,
                                           int argument_count,
                                           podium_array_t *const *arguments,
                                           const podium_execute_options_t *options,
                                           podium_array_t **results,
                                           podium_execution_t **out_execution);
PODIUM_API void podium_execution_free(podium_execution_t *execution);

PODIUM_API int64_t
podium_execution_device_ps(const podium_execution_t *execution);  // Predicted.
PODIUM_API int64_t
podium_execution_host_ns(const podium_execution_t *execution);  // Measured.

typedef enum podium_bound_t {
  PODIUM_BOUND_NONE = 0,
  PODIUM_BOUND_MXU = 1,
  PODIUM_BOUND_VPU = 2,
  PODIUM_BOUND_HBM = 3,
  PODIUM_BOUND_ICI = 4,
  PODIUM_BOUND_FIXED = 5,
} podium_bound_t;

PODIUM_API const char *podium_bound_name(podium_bound_t bound);

typedef struct podium_instruction_total_t {
  int instruction;  // Index into podium_program_info_t.instructions.
  int64_t run_count;
  int64_t duration_ps, host_ns;
  int64_t mxu_flop, vpu_op, hbm_bytes, ici_bytes;
  podium_bound_t bound;
} podium_instruction_total_t;

typedef struct podium_event_t {
  int instruction;
  int64_t start_ps, duration_ps;
  int64_t host_start_ns, host_ns;
} podium_event_t;

typedef struct podium_link_total_t {
  int direction;  // 0 … 5: +x, -x, +y, -y, +z, -z.
  int64_t bytes_sent, frames_sent;
} podium_link_total_t;

typedef struct podium_chip_profile_t {
  int chip;
  int64_t end_ps, host_ns, hbm_peak_bytes, events_dropped;
  int total_count, event_count, link_count;
  const podium_instruction_total_t *totals;
  const podium_event_t *events;
  const podium_link_total_t *links;
} podium_chip_profile_t;

typedef struct podium_profile_t {
  int chip_count;
  const podium_chip_profile_t *chips;
} podium_profile_t;

// Of one of the session's last four executions; NOT_FOUND for an older one.
PODIUM_API podium_status_t *podium_profile(podium_execution_t *execution,
                                           int64_t timeout_ms,
                                           podium_profile_t **out_profile);
PODIUM_API void podium_profile_free(podium_profile_t *profile);

// "0.1.0". A literal.
PODIUM_API const char *podium_version(void);

#ifdef __cplusplus
}
#endif

#endif  // PODIUM_H_
