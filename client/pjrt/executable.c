// Compiled programs, and what JAX asks of one.
//
// What is serialised is what the program was made from (the module and the options), so
// that it can be loaded on any pod and by any version; the coordinator's cache of
// compiled programs makes the second compile short.

#include <stdlib.h>
#include <string.h>

#include "client/pjrt/plugin.h"
#include "common/base/memory.h"
#include "common/base/text.h"
#include "common/digest/digest.h"

static void *copy_bytes(const void *bytes, size_t size) {
  char *copy = pod_alloc(size + 1);
  memcpy(copy, bytes, size);
  return copy;
}

// --- Making one ---

static void describe_results(PJRT_Executable *executable) {
  const podium_program_info_t *info = executable->info;
  const size_t count = (size_t)info->result_count;
  size_t dim_count = 0;
  for (size_t i = 0; i < count; i++) {
    dim_count += (size_t)info->results[i].local_shape.rank;
  }
  executable->result_layouts =
      pod_alloc((count + 1) * sizeof(PJRT_Layouts_MemoryLayout *));
  executable->result_types = pod_alloc((count + 1) * sizeof(PJRT_Buffer_Type));
  executable->result_ranks = pod_alloc((count + 1) * sizeof(size_t));
  executable->result_dims = pod_alloc((dim_count + 1) * sizeof(int64_t));
  executable->result_kinds = pod_alloc((count + 1) * sizeof(pjrt_memory_kind_t));
  executable->result_memory_kinds = pod_alloc((count + 1) * sizeof(char *));
  executable->result_memory_kind_sizes = pod_alloc((count + 1) * sizeof(size_t));
  int64_t *dims = executable->result_dims;
  for (size_t i = 0; i < count; i++) {
    const podium_shape_t *shape = &info->results[i].local_shape;
    executable->result_types[i] = pjrt_buffer_type_of(shape->dtype);
    executable->result_ranks[i] = (size_t)shape->rank;
    executable->result_kinds[i] = pjrt_memory_kind_of(info->results[i].memory_kind);
    executable->result_memory_kinds[i] =
        pjrt_memory_kind_name(executable->result_kinds[i]);
    executable->result_memory_kind_sizes[i] = strlen(executable->result_memory_kinds[i]);
    for (int dim = 0; dim < shape->rank; dim++) {
      *dims++ = shape->dims[dim];
    }
  }
}

static void add_text(digest_t *digest, const char *text) {
  digest_add(digest, text == NULL ? "" : text, text == NULL ? 1 : strlen(text) + 1);
}

// The same module for the same devices of the same pod, by the same choices, some of
// which come from the environment.
static void take_fingerprint(PJRT_Executable *executable) {
  digest_t *digest = digest_create();
  uint8_t bytes[DIGEST_BYTES];
  digest_add(digest, executable->module, executable->module_size);
  digest_add(digest, executable->option_bytes, executable->option_size);
  add_text(digest, executable->options.algorithms);
  add_text(digest, executable->options.collectives);
  add_text(digest, executable->options.propagation);
  digest_finish(digest, bytes);
  digest_destroy(digest);
  pod_text_t text = {0};
  digest_print(&text, bytes);
  executable->fingerprint = pod_text_take(&text);
}

static PJRT_Executable *make(const compile_options_t *options,
                             podium_executable_t *program) {
  PJRT_Executable *executable = pod_alloc(sizeof(*executable));
  atomic_init(&executable->use_count, 1);
  executable->options = *options;
  executable->program = program;
  executable->info = podium_executable_info(program);
  pthread_mutex_init(&executable->mutex, NULL);
  pjrt_usage_add(executable);
  return executable;
}

PJRT_Executable *pjrt_executable_retain(PJRT_Executable *executable) {
  atomic_fetch_add(&executable->use_count, 1);
  return executable;
}

void pjrt_executable_release(PJRT_Executable *executable) {
  if (executable == NULL || atomic_fetch_sub(&executable->use_count, 1) > 1) {
    return;
  }
  pjrt_usage_remove(executable);
  pjrt_execution_release(executable->last);
  podium_executable_free(executable->program);
  pjrt_client_release(executable->client);
  pjrt_topology_release(executable->topology);
  compile_options_deinit(&executable->options);
  free(executable->module);
  free(executable->option_bytes);
  free(executable->optimized);
  free(executable->result_types);
  free(executable->result_dims);
  free(executable->result_ranks);
  free(executable->result_kinds);
  free(executable->result_memory_kinds);
  free(executable->result_memory_kind_sizes);
  free(executable->result_layouts);
  free(executable->fingerprint);
  free(executable->costs);
  pthread_mutex_destroy(&executable->mutex);
  free(executable);
}

static pod_status_t compile(podium_session_t *session,
                            const podium_compile_options_t *base, const char *module,
                            size_t module_size, const char *option_bytes,
                            size_t option_size, PJRT_Executable **out_executable) {
  compile_options_t options;
  POD_TRY(compile_options_parse(option_bytes, option_size, &options));
  podium_compile_options_t all = *base;
  all.device_order = options.devices;
  all.device_order_count = options.devices == NULL ? 0 : options.device_count;
  all.algorithms = options.algorithms;
  all.collectives = options.collectives;
  all.propagation = options.propagation;
  podium_executable_t *program;
  const pod_status_t status =
      pjrt_status(podium_compile(session, "<jax>", module, module_size, &all, &program));
  if (status != NULL) {
    compile_options_deinit(&options);
    return status;
  }
  PJRT_Executable *executable = make(&options, program);
  executable->module = copy_bytes(module, module_size);
  executable->module_size = module_size;
  executable->option_bytes = copy_bytes(option_bytes, option_size);
  executable->option_size = option_size;
  executable->optimized = pjrt_optimized_program(executable->info, &options);
  describe_results(executable);
  take_fingerprint(executable);
  *out_executable = executable;
  return NULL;
}

static pod_status_t check_program(const PJRT_Program *program) {
  static const char mlir[] = "mlir";
  if (program->format_size != strlen(mlir) ||
      memcmp(program->format, mlir, program->format_size) != 0) {
    return pod_error(POD_UNIMPLEMENTED, "programs of format '%.*s': only 'mlir'",
                     (int)program->format_size, program->format);
  }
  return NULL;
}

static int find_place(const podium_program_info_t *info, int device) {
  int place = 0;
  while (place < info->device_count - 1 && info->chips[place] != device) {
    place++;
  }
  return place;
}

// The devices of this process that run it, and their places.
static void list_devices(PJRT_LoadedExecutable *loaded) {
  const PJRT_Executable *executable = loaded->executable;
  const podium_program_info_t *info = executable->info;
  const int64_t *order = executable->options.devices;
  const size_t count = (size_t)executable->options.device_count;
  loaded->devices = pod_alloc(count * sizeof(PJRT_Device *));
  loaded->places = pod_alloc(count * sizeof(*loaded->places));
  loaded->own_places = pod_alloc(count * sizeof(*loaded->own_places));
  for (size_t i = 0; i < count; i++) {
    PJRT_Device *device = loaded->client->pointers[order == NULL ? (int64_t)i : order[i]];
    if (device->own_index < 0) {
      continue;
    }
    const int at = loaded->device_count++;
    const int place = find_place(info, device->description->id);
    int own = 0;
    while (own < info->own_count - 1 && info->own[own] != place) {
      own++;
    }
    loaded->devices[at] = device;
    loaded->places[at] = place;
    loaded->own_places[at] = own;
  }
}

static pod_status_t load(PJRT_Client *client, const char *module, size_t module_size,
                         const char *options, size_t option_size,
                         PJRT_LoadedExecutable **out_loaded) {
  PJRT_Executable *executable;
  const podium_compile_options_t none = {0};
  POD_TRY(compile(client->session, &none, module, module_size, options, option_size,
                  &executable));
  executable->client = pjrt_client_retain(client);
  PJRT_LoadedExecutable *loaded = pod_alloc(sizeof(*loaded));
  loaded->client = pjrt_client_retain(client);
  loaded->executable = executable;
  list_devices(loaded);
  *out_loaded = loaded;
  return NULL;
}

static void destroy_loaded(PJRT_LoadedExecutable *loaded) {
  PJRT_Client *client = loaded->client;
  pjrt_executable_release(loaded->executable);
  free(loaded->devices);
  free(loaded->places);
  free(loaded->own_places);
  free(loaded);
  pjrt_client_release(client);
}

PJRT_Error *client_compile(PJRT_Client_Compile_Args *args) {
  PJRT_TRY(check_program(args->program));
  PJRT_LoadedExecutable *loaded;
  PJRT_TRY(load(args->client, args->program->code, args->program->code_size,
                args->compile_options, args->compile_options_size, &loaded));
  const pod_status_t status = pjrt_inspections_tell(loaded->executable);
  if (status != NULL) {
    destroy_loaded(loaded);
    return pjrt_error(status);
  }
  args->executable = loaded;
  return NULL;
}

// For a topology; it can be looked at, serialised and simulated, not run.
PJRT_Error *compile_ahead(PJRT_Compile_Args *args) {
  PJRT_TRY(check_program(args->program));
  const PJRT_TopologyDescription *topology = args->topology;
  podium_session_t *session =
      args->client != NULL ? args->client->session : topology->session;
  if (session == NULL) {
    return pjrt_error(pod_error(POD_INVALID_ARGUMENT,
                                "the topology is a client's: compile with the client"));
  }
  const podium_compile_options_t only = {
      .only = true, .chip_kind = topology->chip_kind, .topology = topology->name};
  PJRT_Executable *executable;
  PJRT_TRY(compile(session, &only, args->program->code, args->program->code_size,
                   args->compile_options, args->compile_options_size, &executable));
  if (args->client != NULL) {
    executable->client = pjrt_client_retain(args->client);
  } else {
    executable->topology = pjrt_topology_retain(topology);
  }
  const pod_status_t status = pjrt_inspections_tell(executable);
  if (status != NULL) {
    pjrt_executable_release(executable);
    return pjrt_error(status);
  }
  args->executable = executable;
  return NULL;
}

// --- What is loaded ---

PJRT_Error *loaded_executable_destroy(PJRT_LoadedExecutable_Destroy_Args *args) {
  if (args->executable != NULL) {
    destroy_loaded(args->executable);
  }
  return NULL;
}

PJRT_Error *loaded_executable_get(PJRT_LoadedExecutable_GetExecutable_Args *args) {
  args->executable = args->loaded_executable->executable;
  (void)pjrt_executable_retain(args->executable);
  return NULL;
}

PJRT_Error *loaded_executable_devices(
    PJRT_LoadedExecutable_AddressableDevices_Args *args) {
  args->addressable_devices = args->executable->devices;
  args->num_addressable_devices = (size_t)args->executable->device_count;
  return NULL;
}

PJRT_Error *loaded_executable_delete(PJRT_LoadedExecutable_Delete_Args *args) {
  atomic_store(&args->executable->is_deleted, true);
  return NULL;
}

PJRT_Error *loaded_executable_is_deleted(PJRT_LoadedExecutable_IsDeleted_Args *args) {
  args->is_deleted = atomic_load(&args->executable->is_deleted);
  return NULL;
}

PJRT_Error *loaded_executable_fingerprint(PJRT_LoadedExecutable_Fingerprint_Args *args) {
  args->executable_fingerprint = args->executable->executable->fingerprint;
  args->executable_fingerprint_size = strlen(args->executable_fingerprint);
  return NULL;
}

struct PJRT_DeviceAssignmentSerialized {
  char *bytes;
};

static void delete_assignment(PJRT_DeviceAssignmentSerialized *assignment) {
  free(assignment->bytes);
  free(assignment);
}

PJRT_Error *loaded_executable_device_assignment(
    PJRT_LoadedExecutable_GetDeviceAssignment_Args *args) {
  PJRT_DeviceAssignmentSerialized *assignment = pod_alloc(sizeof(*assignment));
  assignment->bytes = compile_options_assignment(&args->executable->executable->options,
                                                 &args->serialized_bytes_size);
  args->serialized_bytes = assignment->bytes;
  args->serialized_device_assignment = assignment;
  args->serialized_device_assignment_deleter = delete_assignment;
  return NULL;
}

// --- What it answers ---

PJRT_Error *executable_destroy(PJRT_Executable_Destroy_Args *args) {
  pjrt_executable_release(args->executable);
  return NULL;
}

PJRT_Error *executable_name(PJRT_Executable_Name_Args *args) {
  args->executable_name = args->executable->info->name;
  args->executable_name_size = strlen(args->executable_name);
  return NULL;
}

PJRT_Error *executable_num_replicas(PJRT_Executable_NumReplicas_Args *args) {
  args->num_replicas = (size_t)args->executable->options.replica_count;
  return NULL;
}

PJRT_Error *executable_num_partitions(PJRT_Executable_NumPartitions_Args *args) {
  args->num_partitions = (size_t)args->executable->options.partition_count;
  return NULL;
}

PJRT_Error *executable_num_outputs(PJRT_Executable_NumOutputs_Args *args) {
  args->num_outputs = (size_t)args->executable->info->result_count;
  return NULL;
}

PJRT_Error *executable_code_size(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args *args) {
  args->size_in_bytes = 0;
  return NULL;
}

PJRT_Error *executable_fingerprint(PJRT_Executable_Fingerprint_Args *args) {
  args->executable_fingerprint = args->executable->fingerprint;
  args->executable_fingerprint_size = strlen(args->executable_fingerprint);
  return NULL;
}

PJRT_Error *executable_memory_stats(PJRT_Executable_GetCompiledMemoryStats_Args *args) {
  const podium_program_info_t *info = args->executable->info;
  args->generated_code_size_in_bytes = info->constant_bytes;
  args->argument_size_in_bytes = info->argument_bytes;
  args->output_size_in_bytes = info->result_bytes;
  args->alias_size_in_bytes = info->alias_bytes;
  args->temp_size_in_bytes = info->temp_bytes;
  args->host_generated_code_size_in_bytes = 0;
  args->host_argument_size_in_bytes = info->host_argument_bytes;
  args->host_output_size_in_bytes = info->host_result_bytes;
  args->host_alias_size_in_bytes = info->host_alias_bytes;
  args->host_temp_size_in_bytes = info->host_temp_bytes;
  if (PJRT_HAS(args, peak_memory_in_bytes)) {
    args->peak_memory_in_bytes = info->hbm_peak_bytes;
  }
  if (PJRT_HAS(args, total_size_in_bytes)) {
    args->total_size_in_bytes = info->hbm_peak_bytes;
  }
  return NULL;
}

PJRT_Error *executable_output_types(PJRT_Executable_OutputElementTypes_Args *args) {
  args->output_types = args->executable->result_types;
  args->num_output_types = (size_t)args->executable->info->result_count;
  return NULL;
}

PJRT_Error *executable_output_dimensions(PJRT_Executable_OutputDimensions_Args *args) {
  args->num_outputs = (size_t)args->executable->info->result_count;
  args->dims = args->executable->result_dims;
  args->dim_sizes = args->executable->result_ranks;
  return NULL;
}

PJRT_Error *executable_output_memory_kinds(PJRT_Executable_OutputMemoryKinds_Args *args) {
  args->num_outputs = (size_t)args->executable->info->result_count;
  args->memory_kinds = args->executable->result_memory_kinds;
  args->memory_kind_sizes = args->executable->result_memory_kind_sizes;
  return NULL;
}

PJRT_Error *executable_optimized_program(PJRT_Executable_OptimizedProgram_Args *args) {
  static const char mlir[] = "mlir";
  PJRT_Program *program = args->program;
  const char *text = args->executable->optimized;
  program->format = mlir;
  program->format_size = strlen(mlir);
  if (program->code == NULL) {
    program->code_size = strlen(text);
    return NULL;
  }
  if (program->code_size < strlen(text)) {
    return pjrt_error(pod_error(POD_INVALID_ARGUMENT,
                                "the program has %zu bytes, there is room for %zu",
                                strlen(text), program->code_size));
  }
  memcpy(program->code, text, strlen(text));
  return NULL;
}

// --- Serialised ---
//
// "podium executable 1\n", the sizes of the module and of the options, each as 8 bytes
// little-endian, then both.

static const char magic[] = "podium executable 1\n";

struct PJRT_SerializedExecutable {
  char *bytes;
};

static void delete_serialized(PJRT_SerializedExecutable *serialized) {
  free(serialized->bytes);
  free(serialized);
}

static void write_size(char *at, uint64_t size) {
  for (int i = 0; i < 8; i++) {
    at[i] = (char)(size >> (8 * i));
  }
}

static uint64_t read_size(const char *at) {
  uint64_t size = 0;
  for (int i = 0; i < 8; i++) {
    size |= (uint64_t)(uint8_t)at[i] << (8 * i);
  }
  return size;
}

enum { HEADER_BYTES = sizeof(magic) - 1 + 16 };

PJRT_Error *executable_serialize(PJRT_Executable_Serialize_Args *args) {
  const PJRT_Executable *executable = args->executable;
  const size_t size = HEADER_BYTES + executable->module_size + executable->option_size;
  PJRT_SerializedExecutable *serialized = pod_alloc(sizeof(*serialized));
  char *bytes = serialized->bytes = pod_alloc(size);
  memcpy(bytes, magic, sizeof(magic) - 1);
  write_size(bytes + sizeof(magic) - 1, executable->module_size);
  write_size(bytes + sizeof(magic) + 7, executable->option_size);
  memcpy(bytes + HEADER_BYTES, executable->module, executable->module_size);
  memcpy(bytes + HEADER_BYTES + executable->module_size, executable->option_bytes,
         executable->option_size);
  args->serialized_bytes = bytes;
  args->serialized_bytes_size = size;
  args->serialized_executable = serialized;
  args->serialized_executable_deleter = delete_serialized;
  return NULL;
}

PJRT_Error *executable_deserialize_and_load(
    PJRT_Executable_DeserializeAndLoad_Args *args) {
  const char *bytes = args->serialized_executable;
  const size_t size = args->serialized_executable_size;
  const bool is_ours =
      size >= HEADER_BYTES && memcmp(bytes, magic, sizeof(magic) - 1) == 0;
  const uint64_t module_size = is_ours ? read_size(bytes + sizeof(magic) - 1) : 0;
  const uint64_t option_size = is_ours ? read_size(bytes + sizeof(magic) + 7) : 0;
  if (!is_ours || module_size > size - HEADER_BYTES ||
      option_size != size - HEADER_BYTES - module_size) {
    return pjrt_error(pod_error(POD_INVALID_ARGUMENT,
                                "%zu bytes that are no executable of Podium", size));
  }
  const char *options = bytes + HEADER_BYTES + module_size;
  size_t options_size = option_size;
  if (PJRT_HAS(args, overridden_serialized_compile_options_size) &&
      args->overridden_serialized_compile_options != NULL) {
    options = args->overridden_serialized_compile_options;
    options_size = args->overridden_serialized_compile_options_size;
  }
  return pjrt_error(load(args->client, bytes + HEADER_BYTES, module_size, options,
                         options_size, &args->loaded_executable));
}

struct PJRT_SerializedCompileOptions {
  char *bytes;
};

static void delete_options(PJRT_SerializedCompileOptions *options) {
  free(options->bytes);
  free(options);
}

PJRT_Error *executable_compile_options(PJRT_Executable_GetCompileOptions_Args *args) {
  PJRT_SerializedCompileOptions *options = pod_alloc(sizeof(*options));
  options->bytes =
      copy_bytes(args->executable->option_bytes, args->executable->option_size);
  args->serialized_bytes = options->bytes;
  args->serialized_bytes_size = args->executable->option_size;
  args->serialized_compile_options = options;
  args->serialized_compile_options_deleter = delete_options;
  return NULL;
}
