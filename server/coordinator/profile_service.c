// GetProfile: what the chips have sent of an execution, passed on as it is.

#include <stdlib.h>

#include "common/base/memory.h"
#include "proto/podium/v1/podium.pb-c.h"
#include "server/coordinator/coordinator_private.h"

typedef struct profile_call_t {
  request_t request;         // First, so that the operation finds it.
  store_profile_t *profile;  // In use while it runs.
  int32_t next_chip;
  bool is_over;
} profile_call_t;

// Takes `status`.
static void end_call(profile_call_t *call, pod_status_t status) {
  call->is_over = true;
  store_profile_unuse(call->profile);
  call->profile = NULL;
  request_fail(&call->request, status);
  request_end(&call->request);
}

static void send_while_writable(profile_call_t *call) {
  while (call->next_chip < call->profile->chip_count) {
    if (!rpc_call_is_writable(call->request.client)) {
      return;
    }
    const store_bytes_t *chip = &call->profile->chips[call->next_chip++];
    if (chip->data != NULL) {
      rpc_call_send_bytes(call->request.client, chip->data, chip->size_bytes);
    }
  }
  end_call(call, NULL);
}

static void stop_operation(store_operation_t *operation) {
  end_call((profile_call_t *)operation,
           request_stop_reason((const request_t *)operation));
}

static pod_status_t find(profile_call_t *call,
                         const Podium__V1__GetProfileRequest *request) {
  POD_TRY(request_begin(&call->request, request->session, stop_operation));
  POD_TRY(store_find_profile(call->request.operation.session, request->execution,
                             &call->profile));
  store_profile_use(call->profile);
  return NULL;
}

static void profile_message(rpc_call_t *client, const void *message, void *context) {
  (void)client;
  profile_call_t *call = context;
  if (call->is_over || call->profile != NULL) {
    return;
  }
  const pod_status_t status = find(call, message);
  if (status != NULL) {
    end_call(call, status);
    return;
  }
  send_while_writable(call);
}

static void profile_half_close(rpc_call_t *client, void *context) {
  (void)client;
  profile_call_t *call = context;
  if (!call->is_over && call->profile == NULL) {
    end_call(call, pod_error(POD_INVALID_ARGUMENT, "GetProfile without a request"));
  }
}

static void profile_writable(rpc_call_t *client, void *context) {
  (void)client;
  profile_call_t *call = context;
  if (call->profile != NULL) {
    send_while_writable(call);
  }
}

static void profile_end(rpc_call_t *client, pod_status_t status, void *context) {
  (void)client;
  profile_call_t *call = context;
  pod_status_free(status);
  call->request.client = NULL;
  if (!call->is_over) {
    end_call(call, NULL);
  }
  free(call);
}

static pod_status_t profile_start(rpc_call_t *client, void *service, void **out_context) {
  profile_call_t *call = pod_alloc(sizeof(*call));
  call->request.coordinator = service;
  call->request.client = client;
  *out_context = call;
  return NULL;
}

rpc_method_t profile_method(void) {
  // The response has no descriptor here: it was serialised when it came.
  return (rpc_method_t){.path = "/podium.v1.Podium/GetProfile",
                        .request = &podium__v1__get_profile_request__descriptor,
                        .events = {.on_message = profile_message,
                                   .on_half_close = profile_half_close,
                                   .on_writable = profile_writable,
                                   .on_end = profile_end},
                        .on_start = profile_start};
}
