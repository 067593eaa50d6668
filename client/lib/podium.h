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
// A thread of the library's own does the input and output. Functions block their caller
// until the coordinator has answered or the deadline has passed, but for those whose name
// ends with _async, which only queue the call, podium_execution_cancel, and the _free
// functions; these do not wait.
// Forks: a session is its process'. In a forked one, functions that can fail do so with
// FAILED_PRECONDITION, and those that free give back client memory at most.
// Order: the calls of a session that do not wait take effect in the order in which they
// were made, so that what one makes can be used by the next at once: arrays may be used,
// fetched and freed before they are there. A call that uses what failed fails with the
// same error.
// Ownership: sessions, executables, arrays, executions, profiles and statuses are the
// caller's and end with their _free or podium_close; each of these accepts NULL. Free
// what was made with a session before the session, or leave it: the handle's client
// memory is then freed by podium_close. What getters return is borrowed. On the pod
// everything belongs to the session and is freed when it ends, also when the process
// dies.
// Errors: functions that can fail return NULL for success or a status with a canonical
// gRPC code and a message that says what is wrong, where, and what to do. Outputs are
// written on success only.
// Host memory: arrays of 256 KiB and more go to chips of this host and user by shared
// memory (podium_put, podium_put_async and the fetches), all others by the connection to
// the coordinator. PODIUM_SHARED_MEMORY=0 in the environment keeps a session that is
// opened from sharing. Buffers are used only until the call has ended, either way; those
// that are fetched into may be put on huge pages.
// Tracing: what TRACEPARENT in the environment holds when a session is opened goes with
// its calls (W3C's trace context), and comes back in profiles and in the coordinator's
// log. Units: bytes, milliseconds for deadlines (0: none), picoseconds of predicted
// device time, nanoseconds of measured host time.

#ifndef PODIUM_H_
#define PODIUM_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PODIUM_API __attribute__((visibility("default")))

// The version of this header; podium_version tells that of the library. Within a major
// version structs of options only grow at their ends, and functions stay.
#define PODIUM_VERSION_MAJOR 0
#define PODIUM_VERSION_MINOR 1
#define PODIUM_VERSION_PATCH 0

// Structs of options begin with their size as the caller was compiled, so that a library
// that knows more fields takes those for 0. 0: all that the library knows, for callers
// that are compiled together with it. PODIUM_OPTIONS_INIT begins the initializer of any
// of them: podium_execute_options_t options =
// PODIUM_OPTIONS_INIT(podium_execute_options_t);
#define PODIUM_OPTIONS_INIT(type) \
  { sizeof(type) }

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

// Writes "bf16[8,2048]" to `text`, cut to `size` bytes with the NUL; "?" for a rank that
// is none.
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
  size_t struct_size;       // See PODIUM_OPTIONS_INIT.
  int64_t timeout_ms;       // To connect; 0: 10 s.
  const char *client_name;  // For the coordinator's log; NULL: "libpodium".
  bool do_not_wait;         // Do not wait, within the timeout, until every chip is there.
  // Told, on the library's thread, when an execution of the session waits for some time,
  // and what for: "behind 2 executions, the first of "train""; "" when it waits no more.
  // NULL: nobody is. May not call the library.
  void (*on_waiting)(void *context, const char *for_what);
  void *on_waiting_context;
  // One session of several that run programs together, as the processes of a program on
  // several hosts do (jax.distributed): number `process` of `process_count`, in the group
  // of this name, which is the same for all of them and nobody else's. Each owns a share
  // of the pod's chips (podium_device_t.process_index); it puts arrays on its own, and
  // fetches from there. A program on chips of several processes is compiled and executed
  // by each of them, in the same order, with `arguments_by_chip` for its own chips; its
  // results are arrays with the parts on these. When a process goes, what needs its chips
  // fails with UNAVAILABLE; when processes execute different programs, with
  // FAILED_PRECONDITION, which says who executed what. NULL: no group.
  const char *group;
  int process, process_count;
  // A file with the bearer token that is shown to the coordinator; NULL: what
  // PODIUM_TOKEN_FILE names, else PODIUM_TOKEN, else, of a coordinator of this user on
  // this host, its own. A coordinator that knows the caller otherwise needs none.
  const char *token_file;
  // Only to look at the pod, for which the role `read` is enough: no session is opened,
  // podium_pod is all that can be called, and anything else is NOT_FOUND. The pod is not
  // waited for.
  bool only_looks;
  // Files in PEM. With `tls_ca` the coordinator is called by TLS and believed when this
  // authority has signed its certificate for the host of the address (and, where that
  // tells a role as those of `podium certificates` do, for a coordinator); NULL: what
  // PODIUM_TLS_CA names, and else without TLS. A certificate of one's own and its key are
  // shown to a coordinator that asks; NULL: PODIUM_TLS_CERTIFICATE, PODIUM_TLS_KEY.
  const char *tls_ca, *tls_certificate, *tls_key;
  // With retries the session outlives the loss of a worker or of the coordinator: what
  // fails by it (UNAVAILABLE) is asked for again, each call at most so often, when the
  // pod is there again; `on_waiting` is told what is waited for. Handles stay what they
  // are. Where the session is gone it is opened anew, programs are compiled again, and
  // arrays are put again from a copy (`keep_bytes`, podium_layout_t.keep) or computed
  // again by the executions that they come of: the same values, since programs are pure.
  // What cannot be made again is DATA_LOSS when it is used, with the reason. Not run
  // again are executions with callbacks (on_host_send); profiles of former executions are
  // NOT_FOUND. 0: nothing of this, and nothing is kept. INVALID_ARGUMENT in a group.
  int retries;
  int64_t retry_ms;    // How long the pod may be away, besides a call's own deadline;
                       // 0: 5 minutes.
  int64_t keep_bytes;  // Of copies in this process; 0: PODIUM_KEEP_BYTES, -1: none.
  int remake_depth;    // How many executions, one from another, an array may come of and
                       // still be computed again; 0: 256. An array of more is one that
                       // was lost; fetch such arrays from time to time.
} podium_connect_options_t;

#define PODIUM_KEEP_BYTES (INT64_C(1) << 30)

// `address` is "HOST:PORT". `options` may be NULL. UNAVAILABLE names the address that did
// not answer. UNAUTHENTICATED or PERMISSION_DENIED when the coordinator does not know the
// caller, or not as one who may run programs; FAILED_PRECONDITION for a token in a file
// that others can read, or that would go to another host without encryption.
PODIUM_API podium_status_t *podium_connect(const char *address,
                                           const podium_connect_options_t *options,
                                           podium_session_t **out_session);

// Ends the session: everything of it on the pod is freed. No other thread may be in a
// call of it. In a callback of the session's it returns at once, and the session ends
// when the callback has returned.
PODIUM_API void podium_close(podium_session_t *session);

typedef struct podium_device_t {
  int id;
  const char *name;  // "TpuDevice(id=0, process_index=0, coords=(0,0,0), core_on_chip=0)"
  const char *state;  // "missing", "joining", "ready", "lost", "draining"
  const char *address;
  int coords[3];  // In its slice.
  int slice_index, core_on_chip;
  int64_t pid;
  int64_t hbm_used_bytes;
  int links_up, links;
  const char *reason;   // While it is not ready: why its last worker was lost, or "".
  int process_index;    // Of the session's group, the process that owns it; else 0.
  const char *running;  // The client whose execution the chip has: "podium run"; or "".
} podium_device_t;

// What a pod does, and has done since its coordinator started.
typedef struct podium_load_t {
  int64_t executions_waiting, executions_running;
  int64_t executions_ended, executions_failed;  // Well; failed or stopped.
  int64_t compiles_ended;
  int64_t put_bytes, fetched_bytes;  // Of whole arrays.
} podium_load_t;

typedef struct podium_pod_t {
  const char *id, *chip_kind, *topology, *version;
  const char *device_kind;  // As JAX names the kind: "TPU v5 lite".
  bool ready;
  int64_t hbm_bytes;  // Of one chip.
  int session_count;
  int device_count;
  int slice_count;  // Tori of `topology` that the data-centre network joins.
  const podium_device_t *devices;
  podium_load_t load;
  // Where a browser sees the pod, "http://127.0.0.1:4712/?code=…": with a code of the
  // caller's token, if it has one and others would not see it on its way (TLS, or this
  // machine), by which one browser within ten minutes has the caller's rights there. "":
  // nowhere.
  const char *page;
} podium_pod_t;

// Asks for the pod's present state.
PODIUM_API podium_status_t *podium_pod(podium_session_t *session, int64_t timeout_ms,
                                       podium_pod_t **out_pod);
PODIUM_API void podium_pod_free(podium_pod_t *pod);

// Chips for a program that is smaller than the pod, chosen as a job's are: a box without
// chips of jobs, missing ones and links that are down, and if there is one without chips
// on which something runs. For podium_compile_options_t.device_order; nothing is kept
// free, as sessions share chips by turns.
typedef struct podium_slice_t {
  int chip_count;
  const int64_t *chips;  // In the order in which they stand for a program's devices.
  int origin[3];         // Coordinates of the first.
  const char *size;      // As it lies: "4x2" of a "2x4" that was turned.
  bool is_shared;        // Others execute on chips of it.
} podium_slice_t;

// `size`: "2x2", "2x2x4". With `of_empty_pod` as if all of the pod were there and free,
// for what is only compiled and simulated. INVALID_ARGUMENT for what is no box of the
// pod; RESOURCE_EXHAUSTED when jobs have too many of its chips, UNAVAILABLE when too many
// are missing.
PODIUM_API podium_status_t *podium_find_slice(podium_session_t *session, const char *size,
                                              bool of_empty_pod, int64_t timeout_ms,
                                              podium_slice_t **out_slice);
PODIUM_API void podium_slice_free(podium_slice_t *slice);

// --- Programs ---

// What will be passed for an argument whose type the module leaves open
// (tensor<?x8xf32>).
typedef struct podium_argument_type_t {
  // Its name ("x" of %x) or number, "0"; NULL: its place in the list.
  const char *argument;
  podium_shape_t shape;  // Global. PODIUM_DTYPE_INVALID: the module's dtype.
  // Of a scalar integer that sizes follow from, as of JAX's dimension arguments: the
  // program is compiled for this value, and executions with another one fail.
  bool has_value;
  int64_t value;
  // Only some sizes are given: the module's own stand for dimensions of the shape that
  // are -1 or behind its last; or those of a type before this one in the list that is for
  // the same argument.
  bool partial;
} podium_argument_type_t;

// How an argument or a result of a program shall lie, whatever the module says.
typedef struct podium_given_sharding_t {
  // As the module or JAX names it ("x", "params['w']"), as podium does ("arg0",
  // "result0"), or its number.
  const char *name;
  const char *spec;  // A PartitionSpec: "P('x', None)", "P(('x', 'y'))", "P()".
} podium_given_sharding_t;

typedef struct podium_compile_options_t {
  size_t struct_size;  // See PODIUM_OPTIONS_INIT.
  int64_t timeout_ms;
  bool only;  // Do not load the program on the chips; it cannot be executed.
  // With `only` (INVALID_ARGUMENT without): for a pod of this kind and topology, "v5p",
  // "16x16x16"; NULL: the pod's.
  const char *chip_kind, *topology;
  // How collectives run: "ring", or "all_reduce=ring,all_gather=line", of auto, ring,
  // line, tree, direct and torus; NULL: the cheapest.
  const char *algorithms;
  // For modules with symbolic shapes (jax.export): the program is compiled for these.
  // INVALID_ARGUMENT at the argument that a type does not fit.
  int argument_type_count;
  const podium_argument_type_t *argument_types;
  // The chips that run the program, by its device: distinct ones of the pod in any order,
  // as many as the program has devices. {3} runs a program of one device on chip 3,
  // {0, 1, 3, 2} makes a ring of 2x2. Values stay the same. A program that says nothing
  // of devices runs on all that are listed. NULL: it is for all chips, as they are
  // numbered. INVALID_ARGUMENT for another number, a chip twice or one that the pod has
  // not.
  int device_order_count;
  const int64_t *device_order;
  // Shardings in place of the module's: axes with their sizes, "x=2,y=4" (NULL: the
  // module's mesh; one of the module over axes of the same names gets these sizes), and
  // how arguments and results lie on it. What gives way is in the program's notes.
  // INVALID_ARGUMENT names the argument, its shape and the axis.
  const char *mesh;
  int in_sharding_count, out_sharding_count;
  const podium_given_sharding_t *in_shardings, *out_shardings;
  // What else to tell: the program as this pass of the compiler leaves it ("propagate";
  // INVALID_ARGUMENT lists the names), or NULL; and how its values lie.
  const char *after;
  bool wants_values;
  // Which collectives give way to others with the same values: "off", or
  // "combine=off,scatter=on", of auto, on and off; NULL: those of which the clock says
  // that it saves time.
  const char *collectives;
  // With `only`: a program that does not fit the HBM is not refused; what it would need
  // is in its hbm_peak_bytes.
  bool ignore_hbm;
  // With `only`: a first look, for many candidates. What only the clock of the pod knows
  // is not asked of it: estimated_ps is what there is to compare.
  bool estimate;
  // How shardings spread: "shardy" is exactly as Shardy's pipeline does it; NULL: as the
  // module's `podium.propagation` says, or this compiler's own way. INVALID_ARGUMENT
  // lists the words.
  const char *propagation;
  // Arguments that give their memory to results of their shape and are gone after an
  // execution, as jax.jit's donate_argnums says it, beside those that the module donates:
  // names or numbers, "cache,3", or "all"; NULL: none.
  const char *donate;
  // The same of values within the program, whose name is their podium_value_t.number: a
  // constraint behind the operation that makes it, or what a constraint says instead;
  // P(?, ?) leaves it to propagation.
  int inner_sharding_count;
  const podium_given_sharding_t *inner_shardings;
} podium_compile_options_t;

// `text` is a StableHLO module as jax.jit(f).lower(...).as_text() prints it, or the bytes
// of a portable artifact, or of what jax.export.export(f)(...).serialize() writes: it is
// told by what it holds. `file_name` stands for it in diagnostics. INVALID_ARGUMENT and
// UNIMPLEMENTED have file:line:column and the source line; RESOURCE_EXHAUSTED the bytes
// needed and there.
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
  podium_shape_t local_shape;  // What each chip holds, padding at its end included.
  // "[{x}, {y}]": for each dimension its axes; behind it ", unreduced={z}" when the array
  // is the sum, over these axes, of what the chips hold; "max{z}", "min{z}": the largest
  // or smallest of each element.
  const char *sharding;
  const struct podium_tiling *tiling;  // For podium_signature_part.
  // Of a result: the memory that the module wants it in, "pinned_host"; "": the chip's,
  // where an execution leaves it in any case.
  const char *memory_kind;
} podium_signature_t;

// Which part of the array the program's device `device` (0 … its devices - 1; the place
// in device_order when there is one) holds: for each dimension the number of the part, so
// that its first element is part * local size. Any thread; no errors.
PODIUM_API void podium_signature_part(const podium_signature_t *signature, int64_t device,
                                      int64_t out_part[PODIUM_RANK_MAX]);

// Which of the summands of its part the device holds; each part is the sum of
// *out_count (1: nothing is unreduced). Any thread; no errors.
PODIUM_API int64_t podium_signature_summand(const podium_signature_t *signature,
                                            int64_t device, int64_t *out_count);

typedef struct podium_collective_t {
  const char *op;                  // "all_reduce"
  const char *name;                // Of the instruction.
  const char *source;              // "train.py:12:7" or "".
  const char *axes;                // "y", or "" when its groups follow no axes.
  podium_shape_t operand, result;  // Local.
  int64_t group_count, group_size;
  int64_t ici_bytes;  // Sent by each chip,
  int64_t dcn_bytes;  // and besides to other slices.
  // Of one run: on the link that carries most, forwarded ones too, and how long it takes
  // when nothing else is on the links.
  int64_t link_bytes, alone_ps;
  bool in_loop;       // Once per iteration of a while.
  bool inserted;      // By the partitioner; false: the program had it.
  bool asynchronous;  // Overlaps with what follows.
  // Why the partitioner put it in, in a sentence for people; "" when it did not say.
  const char *because;
  const char *mesh;  // Whose axes, "mesh_0", where the program has several; else "".
} podium_collective_t;

typedef struct podium_instruction_t {
  // "dot_general.3", "dot_general", "bf16[4,8192]", "train.py:12:7" or "".
  const char *name, *op, *shape, *source;
  bool is_collective;
} podium_instruction_t;

// A donated argument (JAX's donate_argnums) and the result that takes its memory: an
// execution consumes the argument.
typedef struct podium_alias_t {
  int argument, result;
} podium_alias_t;

// A temporary, by the instruction that wrote it last; its name is "" when that is not
// known.
typedef struct podium_peak_t {
  podium_instruction_t writer;
  int64_t size_bytes;
} podium_peak_t;

// A value of the program as the module has it, and how it lies after propagation.
typedef struct podium_value_t {
  const char *name;    // "x" of %x; "" when the module has none.
  const char *op;      // That makes it: "dot_general"; "argument", "result" of @main.
  const char *source;  // "train.py:12:7" or "".
  podium_shape_t shape, local_shape;
  const char *spec;  // P("x", None)
  int64_t number;    // For inner_shardings; 0: none can be given.
} podium_value_t;

typedef struct podium_program_info_t {
  const char *name;
  int argument_count, result_count, collective_count, instruction_count;
  const podium_signature_t *arguments, *results;
  const podium_collective_t *collectives;
  const podium_instruction_t *instructions;  // Indexed as in profiles.
  const char *partitioned_text;              // The SPMD program as StableHLO, with names.
  // Per chip.
  int64_t hbm_peak_bytes, argument_bytes, result_bytes, constant_bytes, temp_bytes;
  int64_t hbm_bytes;  // What a chip has.
  // Of a step, as the scheduler counts: collectives take as long as by themselves, and a
  // loop whose turns are not known has 8. podium_simulate knows better.
  int64_t estimated_ps;
  bool cached;       // It had been compiled before, by anyone.
  int device_count;  // Of the program's mesh.
  // That run it and hold its arguments and results: device_count, by position of its
  // mesh.
  const int64_t *chips;
  int alias_count, note_count;
  const podium_alias_t *aliases;  // By argument.
  int64_t alias_bytes;            // Of result_bytes, what lies in donated arguments.
  // Likewise in the host's memory (pinned_host), which the others do not count.
  int64_t host_argument_bytes, host_result_bytes, host_alias_bytes, host_temp_bytes;
  const char *const *notes;  // For people: donations that could not be used, and why.
  // Positions of the mesh whose chips are the session's own: all of them but in a group.
  int own_count;
  const int *own;
  // Values whose shardings the module asks for (jax.debug.inspect_array_sharding), in its
  // order; each is named as its call is configured, in hexadecimal.
  int inspection_count;
  const podium_signature_t *inspections;
  // Of the chip's temporaries, the largest that are alive when most bytes are, largest
  // first; peak_bytes is of all of them. `at` is the instruction that runs then.
  int peak_count;
  const podium_peak_t *peaks;
  int64_t peak_bytes;
  podium_instruction_t peak_at;  // Its name is NULL when there are no temporaries.
  // What podium_compile_options_t asks for: "" and none without.
  const char *after_text;
  // Arguments, what operations make, in the order of the program, results.
  int value_count;
  const podium_value_t *values;
} podium_program_info_t;

// Borrowed from the executable.
PODIUM_API const podium_program_info_t *podium_executable_info(
    const podium_executable_t *executable);

// --- Arrays ---

// What a session with retries keeps of an array that is put, to put it again.
typedef enum podium_keep_t {
  PODIUM_KEEP_COPY = 0,  // Its bytes, while podium_connect_options_t.keep_bytes allows.
  PODIUM_KEEP_NOTHING = 1,
  // The caller promises that `data` stays as it is until podium_close, or that `read` can
  // be called until then; called with a `buffer` of NULL and a `size` of 0 it begins
  // anew, and returns 0, or -1 when it cannot.
  PODIUM_KEEP_SOURCE = 2,
} podium_keep_t;

// Where an array goes: an argument of an executable (its shape and sharding), or a shape
// with a sharding of its own.
typedef struct podium_layout_t {
  size_t struct_size;                     // See PODIUM_OPTIONS_INIT.
  const podium_executable_t *executable;  // NULL: by shape and sharding.
  int argument;
  podium_shape_t shape;               // Global.
  const podium_sharding_t *sharding;  // NULL: replicated.
  // By shape and sharding: the chips that hold it, distinct ones of the pod, in the order
  // of the sharding's mesh positions (its mesh has as many devices, and device_ids NULL);
  // without a sharding the whole array is on each of them. {3}: an array of one chip.
  // 0, NULL: the mesh's devices; replicated: all chips.
  int chip_count;
  const int64_t *chips;
  podium_keep_t keep;
  bool is_host;  // By shape and sharding: in the memory of the chips' hosts, not in HBM.
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

// Told once, on the library's thread, when a call that did not wait has ended; owns
// `status` (NULL: well). May start further asynchronous calls; may not block. Not told
// when the function that should have queued the call returned an error. podium_close
// tells all that is left, with CANCELLED.
typedef void (*podium_done_fn_t)(void *context, podium_status_t *status);

// As podium_put, without waiting. *out_array can be used by later calls of the session at
// once; when the put fails, what uses it fails with its error. `data` must stay until
// `done`, which may be NULL.
PODIUM_API podium_status_t *podium_put_async(podium_session_t *session,
                                             const podium_layout_t *layout,
                                             const void *data, size_t size,
                                             int64_t timeout_ms, podium_done_fn_t done,
                                             void *context, podium_array_t **out_array);

// Global.
PODIUM_API const podium_shape_t *podium_array_shape(const podium_array_t *array);

// What each chip holds.
PODIUM_API const podium_shape_t *podium_array_local_shape(const podium_array_t *array);

// Brings the global array back; `size` must be podium_shape_bytes of its shape.
PODIUM_API podium_status_t *podium_fetch(podium_array_t *array, void *data, size_t size,
                                         int64_t timeout_ms);

// Without waiting: the bytes that `chip` holds (its part, dense row-major, of the local
// shape) or, with chip -1, the global array. `size` must be what the shape needs; `data`
// must stay until `done`.
PODIUM_API podium_status_t *podium_fetch_async(podium_array_t *array, int64_t chip,
                                               void *data, size_t size,
                                               int64_t timeout_ms, podium_done_fn_t done,
                                               void *context);

// Frees the array on the chips and the handle. Calls that use it and have not ended go
// on: the array goes after them.
PODIUM_API void podium_array_free(podium_array_t *array);

// --- Execution ---

typedef struct podium_execute_options_t {
  size_t struct_size;  // See PODIUM_OPTIONS_INIT.
  int64_t timeout_ms;
  bool profile;  // Keep every event measured on the hosts, not only totals.
  // `arguments` has argument_count * own_count entries, [argument][i]: what the chip
  // chips[own[i]] of the program takes is the part that this array has on that chip.
  // Local shapes must be the program's; global ones are not compared.
  bool arguments_by_chip;
  // Arguments, by number, that are not consumed although the program donates them.
  int kept_count;
  const int *kept;
  // What the program passes to its host and takes from it (stablehlo.send and recv with
  // is_host_transfer, by which JAX's callbacks come): the whole array on channel
  // `channel` of the program's chips[device], as the array's bytes lie. Called on a
  // thread of the library's own, which they may block, one at a time and in order for
  // each device; an error (taken by the library) fails the execution. NULL: a program
  // that needs them fails with FAILED_PRECONDITION.
  podium_status_t *(*on_host_send)(void *context, int device, int64_t channel,
                                   const void *data, size_t size);
  podium_status_t *(*on_host_receive)(void *context, int device, int64_t channel,
                                      void *buffer, size_t size);
  // None of them runs or will run any more: after the execution has ended, which does not
  // wait for one that is still running. May be NULL. Not called when the call itself
  // fails.
  void (*on_host_release)(void *context);
  void *host_context;
} podium_execute_options_t;

// Runs the program on its chips; the others may be missing. `arguments` has
// argument_count arrays; `results` room for result_count. The arguments stay on the
// chips. `out_execution` may be NULL. When a worker is lost: UNAVAILABLE with its chip
// and address.
PODIUM_API podium_status_t *podium_execute(podium_executable_t *executable,
                                           int argument_count,
                                           podium_array_t *const *arguments,
                                           const podium_execute_options_t *options,
                                           podium_array_t **results,
                                           podium_execution_t **out_execution);

// As podium_execute, without waiting: the results can be used, fetched and freed at once,
// and have their error when the execution fails. `done` and `out_execution` may be NULL.
// The chips run executions in order; several are on their way to them at a time.
PODIUM_API podium_status_t *podium_execute_async(
    podium_executable_t *executable, int argument_count, podium_array_t *const *arguments,
    const podium_execute_options_t *options, podium_array_t **results,
    podium_done_fn_t done, void *context, podium_execution_t **out_execution);

// Stops it, wherever it is: `done` is told CANCELLED. Nothing happens when it has ended.
PODIUM_API void podium_execution_cancel(podium_execution_t *execution);

// The handle; the execution goes on.
PODIUM_API void podium_execution_free(podium_execution_t *execution);

// Measured, the slowest chip's; 0 before it has ended.
PODIUM_API int64_t podium_execution_host_ns(const podium_execution_t *execution);

// --- Profiles ---
//
// What the chips would have done, told by the clock of a simulated pod: of an execution
// (podium_profile, with the times measured on the hosts beside it), or of a program that
// nobody has run (podium_simulate; no worker is needed). Both give the same.
//
// The core of a chip is given tasks: an instruction, a fusion of several, the start and
// the end of a collective that overlaps with others. Chips that cannot be told apart are
// a class, and have one list.

typedef enum podium_bound_t {
  PODIUM_BOUND_NONE = 0,
  PODIUM_BOUND_MXU = 1,
  PODIUM_BOUND_VPU = 2,
  PODIUM_BOUND_HBM = 3,
  PODIUM_BOUND_ICI = 4,
  PODIUM_BOUND_FIXED = 5,
} podium_bound_t;

// "MXU". A literal.
PODIUM_API const char *podium_bound_name(podium_bound_t bound);

typedef enum podium_task_kind_t {
  PODIUM_TASK_COMPUTE = 0,
  PODIUM_TASK_COLLECTIVE = 1,        // The core waits for it.
  PODIUM_TASK_COLLECTIVE_START = 2,  // What is up to its `partner` may overlap.
  PODIUM_TASK_COLLECTIVE_DONE = 3,
  PODIUM_TASK_PREFETCH_START = 4,  // From HBM to VMEM.
  PODIUM_TASK_PREFETCH_DONE = 5,
  PODIUM_TASK_WHILE = 6,
  PODIUM_TASK_BRANCH = 7,
  PODIUM_TASK_TRANSFER_START = 8,  // Between HBM and the host's memory.
  PODIUM_TASK_TRANSFER_DONE = 9,
} podium_task_kind_t;

// What a predicted time rests on.
typedef enum podium_backing_t {
  PODIUM_BACKING_NONE = 0,       // It takes no time.
  PODIUM_BACKING_MEASURED = 1,   // Published measurements of the kind of chip.
  PODIUM_BACKING_RELATIVES = 2,  // Of other kinds.
  PODIUM_BACKING_GUESS = 3,
} podium_backing_t;

typedef struct podium_task_t {
  const char *name;   // "fusion.3"
  const char *op;     // Of its root instruction: "dot_general".
  const char *shape;  // Of the root's first result: "bf16[4,8192]"
  const char *source;
  podium_task_kind_t kind;
  int partner;  // START <-> DONE; -1: none.
  int member_count;
  const int *members;  // Instructions.
  // Of one run.
  int64_t mxu_flop;       // 2·m·n·k of products, also of those computed again: HFU's.
  int64_t mxu_busy_flop;  // With padding and passes.
  int64_t vpu_op, hbm_read_bytes, hbm_written_bytes, vmem_bytes;
  int64_t duration_ps;  // On a chip that is not slowed, without waiting.
  podium_bound_t bound;
  int64_t hbm_live_bytes;  // In use on the chip while it runs.
  // Of mxu_flop, what was computed before (rematerialised), which MFU leaves out; -1: the
  // module does not name its operations, so that nobody knows.
  int64_t recomputed_flop;
  // How far the duration may be off, from the least to the most.
  int64_t low_ps, high_ps;
  podium_backing_t backing;
} podium_task_t;

// Sums of a task over an execution.
typedef struct podium_task_total_t {
  int task;
  podium_bound_t bound;  // What it took its time for.
  int64_t run_count;
  int64_t start_ps;     // Of the first run.
  int64_t duration_ps;  // On the core.
  int64_t waiting_ps;   // Of it, for links or DMA.
  int64_t flight_ps;    // From the start to the arrival of the last byte.
  int64_t ici_bytes;    // Sent by the chip.
} podium_task_total_t;

typedef struct podium_task_event_t {
  int task;
  int64_t start_ps, duration_ps, flight_ps;
} podium_task_event_t;

// What carries messages of a chip: the links over ICI, to the other core of the chip (on
// the die), and its host's interface to the data-centre network between slices, which the
// lowest chip of a host has for all of them.
enum {
  PODIUM_LINK_DIE = 6,  // Below: +x, -x, +y, -y, +z, -z.
  PODIUM_LINK_DCN_OUT = 7,
  PODIUM_LINK_DCN_IN = 8,
  PODIUM_LINK_COUNT = 9,
};

// From chip to chip; perhaps over several links, of which this is the first.
typedef struct podium_message_t {
  int task, from, to, direction;
  int64_t start_ps, duration_ps, size_bytes;
} podium_message_t;

// A link that leaves the chip.
typedef struct podium_link_t {
  int64_t bytes;  // Forwarded ones too.
  int64_t busy_ps, messages;
} podium_link_t;

typedef struct podium_chip_class_t {
  int representative, chip_count;
  int64_t end_ps;
  int64_t compute_ps, waiting_ps, overlapped_ps;
  int64_t mxu_ps, vpu_ps, hbm_ps, dma_ps, ici_ps;  // Each engine busy.
  podium_link_t links[PODIUM_LINK_COUNT];
  int total_count, event_count, message_count;
  const podium_task_total_t *totals;  // Of the tasks that ran.
  const podium_task_event_t *events;  // In order of start.
  const podium_message_t *messages;   // Likewise: the representative's.
  int64_t events_dropped, messages_dropped;
} podium_chip_class_t;

typedef struct podium_host_total_t {
  int instruction;  // Index into podium_program_info_t.instructions.
  int64_t run_count, host_ns;
} podium_host_total_t;

typedef struct podium_host_event_t {
  int instruction;
  int64_t start_ns, host_ns;
} podium_host_event_t;

// Measured on a worker's host.
typedef struct podium_host_profile_t {
  int chip;
  int64_t host_ns, hbm_peak_bytes, events_dropped;
  int total_count, event_count;
  const podium_host_total_t *totals;
  const podium_host_event_t *events;
} podium_host_profile_t;

typedef struct podium_profile_t {
  const char *program, *chip_kind, *topology_name;
  const char *device_kind;  // As JAX names the kind: "TPU v5 lite".
  int topology[3];          // Of a slice.
  bool wraps[3];
  int slice_count, core_count;        // Devices of a chip.
  int64_t step_ps;                    // The latest end of a chip.
  int64_t hbm_peak_bytes, hbm_bytes;  // Per chip: what the program needs, what there is.
  double bf16_flop_per_s, vpu_op_per_s, hbm_bytes_per_s;  // Nominal.
  double ici_bytes_per_s;                                 // Per link and direction.
  double dcn_bytes_per_s;  // Per chip and direction, between slices.
  int64_t steps_simulated;
  int chip_count, class_count, task_count, host_count;
  const int *class_of_chip;
  const podium_task_t *tasks;
  const podium_chip_class_t *classes;
  const podium_host_profile_t *hosts;  // None of a simulation.
  const char *traceparent;  // W3C's, that the caller of the execution showed; "": none.
  // What a call that waits for its result costs on the caller's host, predicted; never in
  // step_ps.
  int64_t dispatch_ps;
  // How far step_ps may be off, from the least to the most, and what that follows from:
  // "MXU 72 %: 2 measurements of v5e, +-5 %; ICI 20 %: …".
  int64_t low_ps, high_ps;
  const char *rests_on;
} podium_profile_t;

// `factor` times as long for everything on the chip's core.
typedef struct podium_slow_chip_t {
  int chip;
  double factor;
} podium_slow_chip_t;

// The link between two neighbours, both ways, has `factor` of its rate.
typedef struct podium_slow_link_t {
  int from[3], to[3];  // Coordinates in their slice.
  double factor;
  int slice_index;
} podium_slow_link_t;

// How often a loop turns whose condition depends on values that are not known.
typedef struct podium_turns_t {
  const char *instruction;  // "while.3"; NULL: every such loop.
  int64_t turns;
} podium_turns_t;

typedef struct podium_profile_options_t {
  size_t struct_size;  // See PODIUM_OPTIONS_INIT.
  int64_t timeout_ms;
  // Of each class; 0: only totals. Fewer when there are many classes.
  int64_t events_max;
  int slow_chip_count, slow_link_count, turns_count;
  const podium_slow_chip_t *slow_chips;
  const podium_slow_link_t *slow_links;
  const podium_turns_t *turns;  // podium_simulate.
  bool ignores_symmetry;        // Every chip by itself: slower, and the same.
} podium_profile_options_t;

// Of one of the session's last four executions; NOT_FOUND for an older one. `options` may
// be NULL.
PODIUM_API podium_status_t *podium_profile(podium_execution_t *execution,
                                           const podium_profile_options_t *options,
                                           podium_profile_t **out_profile);

// Without running it; also for executables that were compiled `only`.
// FAILED_PRECONDITION names a loop whose turns are not known.
PODIUM_API podium_status_t *podium_simulate(podium_executable_t *executable,
                                            const podium_profile_options_t *options,
                                            podium_profile_t **out_profile);
PODIUM_API void podium_profile_free(podium_profile_t *profile);

// "0.1.0". A literal.
PODIUM_API const char *podium_version(void);

#ifdef __cplusplus
}
#endif

#endif  // PODIUM_H_
