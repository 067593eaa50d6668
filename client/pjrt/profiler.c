// The extension by which jax.profiler gets the timeline of the chips: a recording that is
// started and stopped with JAX's own, and is an XSpace at the end, whose planes JAX puts
// beside those of its host.

#include "client/pjrt/profiler_api.h"

#include <stdlib.h>
#include <string.h>

#include "client/pjrt/recording.h"
#include "common/base/memory.h"
#include "proto/xplane/profile_options.pb-c.h"

// The plane that JAX's session merges into that of its host.
#define HOST_PLANE "/host:TPU-runtime"

struct PLUGIN_Profiler {
  bool wants_devices;
  recording_t *recording;  // NULL: not started.
  uint8_t *bytes;          // NULL: not collected.
  size_t size;
};

// As a PJRT_Error: a status.
static pod_status_t status_of(const PLUGIN_Profiler_Error *error) {
  return (pod_status_t)(uintptr_t)error;
}

static PLUGIN_Profiler_Error *wrong_order(const char *message) {
  return (PLUGIN_Profiler_Error *)pod_error(POD_FAILED_PRECONDITION, "%s", message);
}

static void error_destroy_(PLUGIN_Profiler_Error_Destroy_Args *args) {
  pod_status_free(status_of(args->error));
}

static void error_message_(PLUGIN_Profiler_Error_Message_Args *args) {
  args->message = podium_status_message((const podium_status_t *)status_of(args->error));
  args->message_size = strlen(args->message);
}

static PLUGIN_Profiler_Error *error_get_code_(PLUGIN_Profiler_Error_GetCode_Args *args) {
  args->code = (int)pod_status_code(status_of(args->error));
  return NULL;
}

// --- Its life ---

// device_tracer_level 0: the caller wants the host alone.
static bool wants_devices(const char *bytes, size_t size) {
  if (bytes == NULL || size == 0) {
    return true;
  }
  Tensorflow__ProfileOptions *options =
      tensorflow__profile_options__unpack(NULL, size, (const uint8_t *)bytes);
  const bool wants =
      options == NULL || options->version == 0 || options->device_tracer_level > 0;
  if (options != NULL) {
    tensorflow__profile_options__free_unpacked(options, NULL);
  }
  return wants;
}

static PLUGIN_Profiler_Error *create(PLUGIN_Profiler_Create_Args *args) {
  PLUGIN_Profiler *profiler = pod_alloc(sizeof(*profiler));
  profiler->wants_devices = wants_devices(args->options, args->options_size);
  args->profiler = profiler;
  return NULL;
}

static PLUGIN_Profiler_Error *destroy(PLUGIN_Profiler_Destroy_Args *args) {
  if (args->profiler != NULL) {
    recording_destroy(args->profiler->recording);
    free(args->profiler->bytes);
    free(args->profiler);
  }
  return NULL;
}

static PLUGIN_Profiler_Error *start(PLUGIN_Profiler_Start_Args *args) {
  PLUGIN_Profiler *profiler = args->profiler;
  if (profiler->recording != NULL) {
    return wrong_order("the profiler has been started before");
  }
  if (profiler->wants_devices) {
    profiler->recording = recording_start(XPLANE_STEPS_LINKED);
  }
  return NULL;
}

static PLUGIN_Profiler_Error *stop(PLUGIN_Profiler_Stop_Args *args) {
  if (args->profiler->recording != NULL) {
    recording_stop(args->profiler->recording);
  }
  return NULL;
}

// By the contract the first call, without a buffer, is told the size, and a second one
// has a buffer of that size; jaxlib makes the first call alone and reads the bytes where
// it is told that they are, which are the profiler's.
static PLUGIN_Profiler_Error *collect_data(PLUGIN_Profiler_CollectData_Args *args) {
  PLUGIN_Profiler *profiler = args->profiler;
  if (profiler->bytes == NULL && profiler->recording != NULL) {
    profiler->bytes =
        recording_pack(profiler->recording, NULL, HOST_PLANE, &profiler->size);
  }
  if (args->buffer == NULL) {
    args->buffer = profiler->bytes;
  } else if (profiler->bytes != NULL && args->buffer != profiler->bytes) {
    memcpy(args->buffer, profiler->bytes, profiler->size);
  }
  args->buffer_size_in_bytes = profiler->size;
  return NULL;
}

static PLUGIN_Profiler_Api profiler_api = {
    .struct_size = sizeof(PLUGIN_Profiler_Api),
    .error_destroy = error_destroy_,
    .error_message = error_message_,
    .error_get_code = error_get_code_,
    .create = create,
    .destroy = destroy,
    .start = start,
    .stop = stop,
    .collect_data = collect_data,
};

PJRT_Profiler_Extension pjrt_profiler_extension = {
    .base = {.struct_size = sizeof(PJRT_Profiler_Extension),
             .type = PJRT_Extension_Type_Profiler},
    .profiler_api = &profiler_api,
    .traceme_context_id = -1,
};
