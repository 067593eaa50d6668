// What JAX says of a compilation, as xla.CompileOptionsProto: how many devices, and
// which.

#include <stdlib.h>
#include <string.h>

#include "client/pjrt/plugin.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "proto/xla/compile_options.pb-c.h"

typedef Xla__CompileOptionsProto message_t;
typedef Xla__ExecutableBuildOptionsProto build_t;
typedef Xla__DeviceAssignmentProto assignment_t;
typedef Xla__DeviceAssignmentProto__ComputationDevice computation_t;

// compiler_options={"xla_…": …}: they steer XLA's passes, which are not here.
static void warn_of_overrides(const message_t *message) {
  for (size_t i = 0; i < message->n_env_option_overrides; i++) {
    pod_log(POD_LOG_WARNING,
            "the compiler option '%s' is XLA's, and changes nothing here",
            message->env_option_overrides[i]->key);
  }
}

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
  warn_of_overrides(message);
  pod_status_t status = NULL;
  if (message->executable_build_options != NULL) {
    status = read_build(message->executable_build_options, out_options);
  }
  xla__compile_options_proto__free_unpacked(message, NULL);
  return status;
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
}
