// What JAX says of a compilation, as xla.CompileOptionsProto: how many devices, which,
// and the compiler's options.

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "client/pjrt/plugin.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "proto/xla/compile_options.pb-c.h"

typedef Xla__CompileOptionsProto message_t;
typedef Xla__ExecutableBuildOptionsProto build_t;
typedef Xla__EnvOptionOverride override_t;
typedef Xla__OptionOverrideProto value_t;
typedef Xla__DeviceAssignmentProto assignment_t;
typedef Xla__DeviceAssignmentProto__ComputationDevice computation_t;

// --- compiler_options={"podium_…": …} ---

typedef struct own_option_t {
  const char *key, *variable;
  size_t offset;  // In compile_options_t.
} own_option_t;

static const own_option_t own_options[] = {
    {"podium_algorithm", "PODIUM_ALGORITHM", offsetof(compile_options_t, algorithms)},
    {"podium_collectives", "PODIUM_COLLECTIVES",
     offsetof(compile_options_t, collectives)},
    {"podium_propagation", "PODIUM_PROPAGATION",
     offsetof(compile_options_t, propagation)},
};
enum { OWN_OPTION_COUNT = sizeof(own_options) / sizeof(own_options[0]) };

static char **own_field(compile_options_t *options, const own_option_t *own) {
  return (char **)((char *)options + own->offset);
}

static const own_option_t *find_own(const char *key) {
  for (int i = 0; i < OWN_OPTION_COUNT; i++) {
    if (strcmp(own_options[i].key, key) == 0) {
      return &own_options[i];
    }
  }
  return NULL;
}

static pod_status_t take_own(const own_option_t *own, const value_t *value,
                             compile_options_t *options) {
  if (value == NULL ||
      value->value_case != XLA__OPTION_OVERRIDE_PROTO__VALUE_STRING_FIELD) {
    return pod_error(POD_INVALID_ARGUMENT, "the compile option '%s' takes a string",
                     own->key);
  }
  char **field = own_field(options, own);
  free(*field);
  *field = pod_strdup(value->string_field);
  return NULL;
}

// What the call does not choose, the environment may.
static void take_environment(compile_options_t *options) {
  for (int i = 0; i < OWN_OPTION_COUNT; i++) {
    char **field = own_field(options, &own_options[i]);
    const char *value = getenv(own_options[i].variable);
    if (*field == NULL && value != NULL && *value != '\0') {
      *field = pod_strdup(value);
    }
  }
}

// --- compiler_options={"xla_…": …} ---
//
// They steer passes of XLA's and libtpu's, which are not here: nothing changes. What can
// be no option of theirs, by its name or, where it is one of those that people set, by
// its value, is refused as they refuse it, so that a slip is seen here and not on the
// TPU.

static bool starts_with(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_one_of(const char *key, const char *const *names) {
  while (*names != NULL && strcmp(*names, key) != 0) {
    names++;
  }
  return *names != NULL;
}

// The fields of xla.CompileOptionsProto that options may name, and the flags.
static bool may_be_option(const char *key) {
  static const char *const fields[] = {"exec_time_optimization_effort",
                                       "memory_fitting_effort", "optimization_level",
                                       "memory_fitting_level", NULL};
  return starts_with(key, "xla_") || starts_with(key, "megascale_") ||
         is_one_of(key, fields);
}

static bool takes_bool(const char *key) {
  static const char *const names[] = {"xla_embed_ir_in_executable",
                                      "xla_disable_all_hlo_passes",
                                      "xla_dump_hlo_as_dot",
                                      "xla_dump_hlo_as_html",
                                      "xla_dump_hlo_as_proto",
                                      "xla_dump_hlo_as_text",
                                      "xla_dump_hlo_snapshots",
                                      "xla_dump_include_timestamp",
                                      "xla_hlo_profile",
                                      "xla_tpu_enable_async_collective_fusion",
                                      "xla_tpu_enable_latency_hiding_scheduler",
                                      "xla_tpu_overlap_compute_collective_tc",
                                      NULL};
  return is_one_of(key, names);
}

static pod_status_t check_override(const override_t *option) {
  if (!may_be_option(option->key)) {
    return pod_error(
        POD_INVALID_ARGUMENT,
        "No such compile option: '%s'; those of XLA begin with xla_, those of "
        "Podium are podium_algorithm, podium_collectives and "
        "podium_propagation",
        option->key);
  }
  const value_t *value = option->value;
  if (value != NULL &&
      value->value_case == XLA__OPTION_OVERRIDE_PROTO__VALUE_STRING_FIELD &&
      takes_bool(option->key) && strcmp(value->string_field, "True") != 0 &&
      strcmp(value->string_field, "False") != 0) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "the compile option '%s': '%s' is not a valid bool value.",
                     option->key, value->string_field);
  }
  return NULL;
}

static pod_status_t read_overrides(const message_t *message, compile_options_t *options) {
  for (size_t i = 0; i < message->n_env_option_overrides; i++) {
    const override_t *option = message->env_option_overrides[i];
    const own_option_t *own = find_own(option->key);
    if (own != NULL) {
      POD_TRY(take_own(own, option->value, options));
      continue;
    }
    POD_TRY(check_override(option));
    pod_log(POD_LOG_WARNING,
            "the compiler option '%s' is XLA's, and changes nothing here", option->key);
  }
  take_environment(options);
  return NULL;
}

// --- Devices ---

static pod_status_t read_devices(const assignment_t *assignment,
                                 compile_options_t *options) {
  const size_t replicas = (size_t)options->replica_count;
  const size_t partitions = (size_t)options->partition_count;
  bool fits = assignment->n_computation_devices == partitions;
  for (size_t p = 0; p < partitions && fits; p++) {
    fits = assignment->computation_devices[p]->n_replica_device_ids == replicas;
  }
  if (!fits) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "the device assignment is not one of %zu replicas of %zu partitions",
                     replicas, partitions);
  }
  options->devices = pod_alloc((size_t)options->device_count * sizeof(*options->devices));
  for (size_t r = 0; r < replicas; r++) {
    for (size_t p = 0; p < partitions; p++) {
      options->devices[r * partitions + p] =
          assignment->computation_devices[p]->replica_device_ids[r];
    }
  }
  return NULL;
}

static pod_status_t read_build(const build_t *build, compile_options_t *options) {
  enum { DEVICES_MAX = 1 << 20 };
  options->replica_count = build->num_replicas < 1 ? 1 : build->num_replicas;
  options->partition_count = build->num_partitions < 1 ? 1 : build->num_partitions;
  if (options->replica_count > DEVICES_MAX ||
      options->partition_count > DEVICES_MAX / options->replica_count) {
    return pod_error(POD_INVALID_ARGUMENT, "%lld replicas of %lld partitions",
                     (long long)options->replica_count,
                     (long long)options->partition_count);
  }
  options->device_count = (int)(options->replica_count * options->partition_count);
  if (build->device_assignment != NULL) {
    return read_devices(build->device_assignment, options);
  }
  if (build->device_ordinal > 0 && options->device_count == 1) {
    options->devices = pod_alloc(sizeof(*options->devices));
    options->devices[0] = build->device_ordinal;
  }
  return NULL;
}

// Without an assignment a program is for the first devices, not, as libpodium has it, for
// all of the pod.
static void set_default_devices(compile_options_t *options) {
  if (options->devices == NULL) {
    options->devices =
        pod_alloc((size_t)options->device_count * sizeof(*options->devices));
    for (int i = 0; i < options->device_count; i++) {
      options->devices[i] = i;
    }
  }
}

pod_status_t compile_options_parse(const char *bytes, size_t size,
                                   compile_options_t *out_options) {
  *out_options =
      (compile_options_t){.replica_count = 1, .partition_count = 1, .device_count = 1};
  message_t *message =
      xla__compile_options_proto__unpack(NULL, size, (const uint8_t *)bytes);
  if (message == NULL) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "the compile options (%zu bytes) are no xla.CompileOptionsProto",
                     size);
  }
  pod_status_t status = read_overrides(message, out_options);
  if (status == NULL && message->executable_build_options != NULL) {
    status = read_build(message->executable_build_options, out_options);
  }
  xla__compile_options_proto__free_unpacked(message, NULL);
  if (status != NULL) {
    compile_options_deinit(out_options);
    return status;
  }
  set_default_devices(out_options);
  return NULL;
}

char *compile_options_assignment(const compile_options_t *options, size_t *out_size) {
  const size_t replicas = (size_t)options->replica_count;
  const size_t partitions = (size_t)options->partition_count;
  assignment_t message = XLA__DEVICE_ASSIGNMENT_PROTO__INIT;
  computation_t *computations = pod_alloc(partitions * sizeof(*computations));
  computation_t **pointers = pod_alloc(partitions * sizeof(*pointers));
  int64_t *ids = pod_alloc(partitions * replicas * sizeof(*ids));
  for (size_t p = 0; p < partitions; p++) {
    xla__device_assignment_proto__computation_device__init(&computations[p]);
    computations[p].n_replica_device_ids = replicas;
    computations[p].replica_device_ids = &ids[p * replicas];
    pointers[p] = &computations[p];
    for (size_t r = 0; r < replicas; r++) {
      const size_t at = r * partitions + p;
      ids[p * replicas + r] =
          options->devices == NULL ? (int64_t)at : options->devices[at];
    }
  }
  message.replica_count = (int32_t)replicas;
  message.computation_count = (int32_t)partitions;
  message.n_computation_devices = partitions;
  message.computation_devices = pointers;
  *out_size = xla__device_assignment_proto__get_packed_size(&message);
  char *bytes = pod_alloc(*out_size + 1);
  xla__device_assignment_proto__pack(&message, (uint8_t *)bytes);
  free(ids);
  free(pointers);
  free(computations);
  return bytes;
}

void compile_options_deinit(compile_options_t *options) {
  free(options->devices);
  options->devices = NULL;
  for (int i = 0; i < OWN_OPTION_COUNT; i++) {
    char **field = own_field(options, &own_options[i]);
    free(*field);
    *field = NULL;
  }
}
