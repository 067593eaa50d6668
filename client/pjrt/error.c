// PJRT_Error: a status.

#include <string.h>

#include "client/pjrt/plugin.h"

struct PJRT_Error;

static pod_status_t status_of(const PJRT_Error *error) {
  return (pod_status_t)(uintptr_t)error;
}

PJRT_Error *pjrt_error(pod_status_t status) {
  return (PJRT_Error *)status;
}

PJRT_Error *pjrt_error_of(podium_status_t *status) {
  return pjrt_error(pjrt_status(status));
}

PJRT_Error *pjrt_unimplemented(const char *function) {
  return pjrt_error(pod_error(POD_UNIMPLEMENTED, "Podium's plugin has no %s", function));
}

void error_destroy(PJRT_Error_Destroy_Args *args) {
  pod_status_free(status_of(args->error));
}

void error_message(PJRT_Error_Message_Args *args) {
  args->message = podium_status_message((const podium_status_t *)status_of(args->error));
  args->message_size = strlen(args->message);
}

PJRT_Error *error_get_code(PJRT_Error_GetCode_Args *args) {
  args->code = (PJRT_Error_Code)podium_status_code(
      (const podium_status_t *)status_of(args->error));
  return NULL;
}
