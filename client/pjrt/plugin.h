// What the parts of the plugin share: the objects behind PJRT's opaque pointers.
//
// A client is a session with a pod; a buffer is the part of a libpodium array that one
// chip holds; an executable is a program that the coordinator has compiled. JAX reaches
// nothing but what this folder answers, and the plugin reaches the pod through libpodium
// alone.
//
// Threading: PJRT may call from any thread at any time. What never changes after its
// creation needs no lock; the rest says what guards it. Ownership: an object that PJRT
// handed out is its caller's until the _Destroy of its kind; what it needs of others it
// counts.

#ifndef CLIENT_PJRT_PLUGIN_H_
#define CLIENT_PJRT_PLUGIN_H_

#include <pthread.h>
#include <stdatomic.h>

#include "client/lib/podium.h"
#include "client/pjrt/pjrt_api.h"
#include "common/base/status.h"

// --- Errors (error.c) ---

// Takes `status`; NULL for NULL.
PJRT_Error *pjrt_error(pod_status_t status);
PJRT_Error *pjrt_error_of(podium_status_t *status);
// Of what this plugin does not do.
PJRT_Error *pjrt_unimplemented(const char *function);

// Whether the caller of `args` knows the field.
#define PJRT_HAS(args, field) \
  ((args)->struct_size >=     \
   (size_t)((const char *)(&(args)->field + 1) - (const char *)(args)))

// Returns from a PJRT function when `expression` fails.
#define PJRT_TRY(expression)                        \
  do {                                              \
    const pod_status_t pjrt_status_ = (expression); \
    if (pjrt_status_ != NULL) {                     \
      return pjrt_error(pjrt_status_);              \
    }                                               \
  } while (0)

static inline pod_status_t pjrt_status(podium_status_t *status) {
  return (pod_status_t)status;
}

// --- Futures (event.c) ---
//
// Something that ends once, well or not. Counted; a PJRT_Event is a handle of one.

typedef struct future_t future_t;

// Returns one reference, which future_set releases, and adds one for the caller.
future_t *future_create(void);
future_t *future_retain(future_t *future);
void future_release(future_t *future);  // Accepts NULL.

// Ends it, once; takes `status`. Callbacks run on this thread.
void future_set(future_t *future, pod_status_t status);

bool future_is_done(future_t *future);

// Whether this thread is in a callback of a future: it must not wait for another one.
bool future_is_calling_back(void);

// Blocks until it has ended, or for so long; whether it has.
bool future_wait_for(future_t *future, int64_t timeout_ms);

// Blocks until it has ended; an owned copy of its status.
pod_status_t future_wait(future_t *future);

// Somebody waits for it from now on. How long somebody has, when it has ended.
void future_ask(future_t *future);
int64_t future_waited_ns(future_t *future);

// `callback` is told an owned copy of the status: now, when it has ended, else by
// future_set.
typedef void (*future_fn_t)(void *context, pod_status_t status);
void future_then(future_t *future, future_fn_t callback, void *context);

// A handle for PJRT.
PJRT_Event *pjrt_event(future_t *future);
// Of what has ended; takes `status`.
PJRT_Event *pjrt_event_done(pod_status_t status);

// --- Topologies and devices (topology.c, device.c) ---

enum { PJRT_MEMORY_KINDS = 3, PJRT_DEVICE_ATTRIBUTES = 4 };

// Of a device, in this order; the first is the default.
typedef enum pjrt_memory_kind_t {
  PJRT_MEMORY_DEVICE,
  PJRT_MEMORY_PINNED_HOST,
  PJRT_MEMORY_UNPINNED_HOST,
} pjrt_memory_kind_t;

const char *pjrt_memory_kind_name(pjrt_memory_kind_t kind);
// DEVICE for a name that is no host memory's.
pjrt_memory_kind_t pjrt_memory_kind_of(const char *name);

struct PJRT_DeviceDescription {
  int id, process_index;
  int64_t coords[3];
  const PJRT_TopologyDescription *topology;
  char *debug_string, *string;
  PJRT_NamedValue attributes[PJRT_DEVICE_ATTRIBUTES];
};

// A pod's shape: chips of one kind in a torus. Immutable. Counted.
struct PJRT_TopologyDescription {
  atomic_int use_count;
  char *chip_kind;    // "v5e"
  char *device_kind;  // "TPU v5 lite"
  char *name;         // "4x2", "2*4x2"
  int64_t hbm_bytes;  // Of a chip.
  int device_count, slice_count;
  PJRT_NamedValue attributes[1];
  podium_session_t *session;  // Of one without a client: with its compiler; else NULL.
  PJRT_DeviceDescription *descriptions;
  PJRT_DeviceDescription **pointers;
};

PJRT_TopologyDescription *pjrt_topology_create(const podium_pod_t *pod);
PJRT_TopologyDescription *pjrt_topology_retain(const PJRT_TopologyDescription *topology);
void pjrt_topology_release(PJRT_TopologyDescription *topology);

struct PJRT_Memory {
  int id;
  pjrt_memory_kind_t kind;
  PJRT_Device *device;
  char *debug_string;
};

struct PJRT_Device {
  PJRT_Client *client;
  PJRT_DeviceDescription *description;
  int own_index;  // Among its client's own devices; -1: another process's.
  PJRT_Memory memories[PJRT_MEMORY_KINDS];
  PJRT_Memory *memory_pointers[PJRT_MEMORY_KINDS];
  // Bytes of buffers that this client made and has not freed, and the most there were.
  atomic_llong bytes_in_use, peak_bytes_in_use, allocation_count;
};

// --- Clients (client.c) ---

struct PJRT_Client {
  atomic_int use_count;  // Of the caller, of buffers and of executables.
  podium_session_t *session;
  PJRT_TopologyDescription *topology;
  int process_index;
  int device_count;
  PJRT_Device *devices;
  PJRT_Device **pointers;
  // Those of this process: all of them but among several processes.
  int own_count;
  PJRT_Device **own;
  int memory_count;  // Of these.
  PJRT_Memory **memories;
};

// What JAX knows the devices by: "tpu", so that it lowers as for TPUs, or what
// PODIUM_PLATFORM says.
const char *pjrt_platform_name(void);
const char *pjrt_platform_version(void);

// A session, and what the pod is; the caller's both.
POD_MUST_USE pod_status_t pjrt_open(const char *address,
                                    const podium_connect_options_t *options,
                                    podium_session_t **out_session,
                                    podium_pod_t **out_pod);

PJRT_Client *pjrt_client_retain(PJRT_Client *client);
void pjrt_client_release(PJRT_Client *client);

// --- Several processes (processes.c) ---

// Which of the processes of jax.distributed this is, and where they meet.
typedef struct processes_t {
  int index, count;  // Of one process: 0, 1; the rest is NULL.
  char *address;     // Of the pod.
  char *group;       // Of their sessions.
} processes_t;

// Process 0 chooses the pod and the group, the others are told by the caller's key-value
// store. `find_address` is process 0's way to a pod.
typedef pod_status_t (*pjrt_find_address_fn_t)(const PJRT_Client_Create_Args *args,
                                               char **out_address);
POD_MUST_USE pod_status_t pjrt_processes_meet(const PJRT_Client_Create_Args *args,
                                              pjrt_find_address_fn_t find_address,
                                              processes_t *out_processes);
void pjrt_processes_deinit(processes_t *processes);

// --- Pods of the plugin's own (local_pod.c) ---

// The address of a pod of `chip_kind` and `topology` on this machine (NULL: v5e, 2x2)
// that ends with this process; without workers, one that only compiles. Owned.
POD_MUST_USE pod_status_t pjrt_local_pod_start(const char *chip_kind,
                                               const char *topology, bool has_workers,
                                               char **out_address);

// The address of the local pod of that name (`podium up --name`). Owned.
POD_MUST_USE pod_status_t pjrt_local_pod_find(const char *name, char **out_address);

// --- Element types (element_type.c) ---

podium_dtype_t pjrt_dtype_of(PJRT_Buffer_Type type);
PJRT_Buffer_Type pjrt_buffer_type_of(podium_dtype_t dtype);

// --- Buffers (buffer.c) ---

// A libpodium array whose parts are several buffers; freed with the last. Counted.
typedef struct pjrt_array_t {
  atomic_int use_count;
  podium_array_t *array;
} pjrt_array_t;

pjrt_array_t *pjrt_array_create(podium_array_t *array);

struct PJRT_Buffer {
  PJRT_Client *client;
  PJRT_Memory *memory;
  podium_shape_t shape;
  int64_t size_bytes;
  int64_t minor_to_major[PODIUM_RANK_MAX];
  future_t *ready;
  pthread_mutex_t mutex;
  // Guarded by `mutex`. The array, in which this is the part of the memory's device; NULL
  // when deleted.
  pjrt_array_t *array;
  const char *deleted_by;  // NULL: nobody.
};

// Takes `array` and `ready`; `shape` is local.
PJRT_Buffer *pjrt_buffer_create(PJRT_Memory *memory, const podium_shape_t *shape,
                                pjrt_array_t *array, future_t *ready);

// What the chip or its host holds, counted. INVALID_ARGUMENT when the buffer has been
// deleted.
POD_MUST_USE pod_status_t pjrt_buffer_use(PJRT_Buffer *buffer, pjrt_array_t **out_array);
void pjrt_array_release(pjrt_array_t *array);

// Frees what it holds. `by`, a literal, says why in later errors.
void pjrt_buffer_delete(PJRT_Buffer *buffer, const char *by);

// --- Compile options (compile_options.c) ---

typedef struct compile_options_t {
  int64_t replica_count, partition_count;
  int64_t *devices;  // By partition within replica.
  int device_count;
  // Of podium_compile_options_t, owned; NULL: not chosen.
  char *algorithms, *collectives, *propagation;
} compile_options_t;

// Of a serialized xla.CompileOptionsProto. Options of XLA, which change nothing, are
// named in a warning on standard error. Podium's are podium_algorithm, podium_collectives
// and podium_propagation; those that are not there are taken from the environment's
// PODIUM_ALGORITHM, PODIUM_COLLECTIVES and PODIUM_PROPAGATION.
POD_MUST_USE pod_status_t compile_options_parse(const char *bytes, size_t size,
                                                compile_options_t *out_options);
void compile_options_deinit(compile_options_t *options);

// The devices as a serialized xla.DeviceAssignmentProto. Owned.
char *compile_options_assignment(const compile_options_t *options, size_t *out_size);

// --- Executions (execute.c) ---

// One that has been dispatched. Counted.
typedef struct pjrt_execution_t {
  atomic_int use_count;
  podium_execution_t *execution;
  future_t *done;
} pjrt_execution_t;

pjrt_execution_t *pjrt_execution_retain(pjrt_execution_t *execution);
void pjrt_execution_release(pjrt_execution_t *execution);  // Accepts NULL.

// --- Callbacks of programs (host_callbacks.c) ---

typedef struct host_callbacks_t host_callbacks_t;

// NULL when there are none; else *out_released is one reference to what ends when no
// callback runs any more.
host_callbacks_t *host_callbacks_create(const PJRT_ExecuteOptions *options,
                                        const PJRT_LoadedExecutable *loaded,
                                        future_t **out_released);

// Gives them to an execution, which frees them unless the call fails.
void host_callbacks_use(host_callbacks_t *callbacks, podium_execute_options_t *options);

// The call has failed. Accepts NULL.
void host_callbacks_drop(host_callbacks_t *callbacks);

// --- Executables (executable.c, optimized_program.c) ---

typedef struct usage_wait_t usage_wait_t;

// Counted: JAX keeps an executable longer than what is loaded of it.
struct PJRT_Executable {
  atomic_int use_count;
  // Who keeps the session of the program open: one of the two.
  PJRT_Client *client;
  PJRT_TopologyDescription *topology;
  podium_executable_t *program;
  atomic_llong call_count;
  pjrt_execution_t *last;         // Guarded by `mutex`; NULL: none.
  PJRT_Executable *next, **link;  // usage.c's, as the next one.
  usage_wait_t *host_wait;
  const podium_program_info_t *info;  // The program's.
  compile_options_t options;
  // What it was made from; serialization is to say that again.
  char *module, *option_bytes;
  size_t module_size, option_size;
  char *fingerprint;
  char *optimized;  // The partitioned module, as PJRT callers read it.
  PJRT_Buffer_Type *result_types;
  int64_t *result_dims;
  size_t *result_ranks;
  pjrt_memory_kind_t *result_kinds;
  const char **result_memory_kinds;  // Their names.
  size_t *result_memory_kind_sizes;
  PJRT_Layouts_MemoryLayout **result_layouts;
  pthread_mutex_t mutex;
  PJRT_NamedValue *costs;  // Guarded by `mutex`; NULL until somebody asks.
};

// Appends what the executable did to the file that PODIUM_REPORT names, once.
void pjrt_usage_tell(PJRT_Executable *executable);
// Those that were added are told of when they are removed, or when the process ends.
void pjrt_usage_add(PJRT_Executable *executable);
void pjrt_usage_remove(PJRT_Executable *executable);
// Counts for how long the host waits for an execution, which `done` follows.
void pjrt_usage_follow(PJRT_Executable *executable, future_t *done);

struct PJRT_LoadedExecutable {
  PJRT_Client *client;
  PJRT_Executable *executable;
  PJRT_Device **devices;  // This process's, in the caller's order.
  // Where each of them is among the program's chips, which follow its mesh: a mesh may
  // have the devices in another order. And where among those of them that are this
  // process's.
  int *places, *own_places;
  int device_count;
  atomic_bool is_deleted;
};

PJRT_Executable *pjrt_executable_retain(PJRT_Executable *executable);
void pjrt_executable_release(PJRT_Executable *executable);

// Calls the functions that wait for the shardings of values of the program, which has
// been compiled by this process; their error.
POD_MUST_USE pod_status_t pjrt_inspections_tell(const PJRT_Executable *executable);

// The partitioned program with its shardings as `mhlo` attributes, which XLA's importer
// reads. Owned.
char *pjrt_optimized_program(const podium_program_info_t *info,
                             const compile_options_t *options);

#define IMPLEMENTED(NAME, FUNCTION) NAME FUNCTION;
#define UNIMPLEMENTED(NAME)
#include "client/pjrt/functions.def"
#undef IMPLEMENTED
#undef UNIMPLEMENTED

extern PJRT_Layouts_Extension pjrt_layouts_extension;
extern PJRT_MemoryDescriptions_Extension pjrt_memory_descriptions_extension;

#endif  // CLIENT_PJRT_PLUGIN_H_
