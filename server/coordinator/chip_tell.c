// A list of packed requests.

#include "server/coordinator/chip_tell.h"

#include <stdlib.h>

#include "common/base/log.h"
#include "common/base/memory.h"

enum { TELL_TIMEOUT_MS = 30000 };

struct chip_tell_t {
  chip_tells_t *tells;  // NULL: the worker is gone.
  chip_tell_t *previous, *next;
  rpc_call_t *call;  // NULL: it waits.
  const char *path;
  size_t size_bytes;
  uint8_t bytes[];
};

static void take_out(chip_tell_t *tell) {
  if (tell->previous != NULL) {
    tell->previous->next = tell->next;
  } else {
    tell->tells->first = tell->next;
  }
  if (tell->next != NULL) {
    tell->next->previous = tell->previous;
  }
  tell->tells = NULL;
}

static bool is_unanswered(pod_status_t status) {
  const pod_code_t code = pod_status_code(status);
  return code == POD_UNAVAILABLE || code == POD_DEADLINE_EXCEEDED;
}

static void on_end(rpc_call_t *call, pod_status_t status, void *context) {
  (void)call;
  chip_tell_t *tell = context;
  tell->call = NULL;
  if (status != NULL) {
    pod_log(POD_LOG_DEBUG, "a worker did not free something: %s",
            pod_status_message(status));
  }
  if (tell->tells == NULL || !is_unanswered(status)) {
    if (tell->tells != NULL) {
      take_out(tell);
    }
    free(tell);
  }
  pod_status_free(status);
}

static void start(chip_tell_t *tell, rpc_channel_t *channel) {
  static const rpc_call_events_t events = {.on_end = on_end};
  const rpc_call_options_t options = {.timeout_ms = TELL_TIMEOUT_MS,
                                      .wait_for_ready = true};
  tell->call = rpc_call_start(channel, tell->path, NULL, &events, tell, &options);
  rpc_call_send_bytes(tell->call, tell->bytes, tell->size_bytes);
  rpc_call_half_close(tell->call);
}

void chip_tells_add(chip_tells_t *tells, rpc_channel_t *channel, const char *path,
                    const ProtobufCMessage *request) {
  const size_t size_bytes = protobuf_c_message_get_packed_size(request);
  chip_tell_t *tell = pod_alloc(sizeof(*tell) + size_bytes);
  *tell = (chip_tell_t){
      .tells = tells, .next = tells->first, .path = path, .size_bytes = size_bytes};
  (void)protobuf_c_message_pack(request, tell->bytes);
  if (tell->next != NULL) {
    tell->next->previous = tell;
  }
  tells->first = tell;
  start(tell, channel);
}

void chip_tells_again(chip_tells_t *tells, rpc_channel_t *channel) {
  for (chip_tell_t *tell = tells->first; tell != NULL; tell = tell->next) {
    if (tell->call == NULL) {
      start(tell, channel);
    }
  }
}

void chip_tells_forget(chip_tells_t *tells) {
  while (tells->first != NULL) {
    chip_tell_t *tell = tells->first;
    take_out(tell);
    if (tell->call == NULL) {
      free(tell);
    }
  }
}
