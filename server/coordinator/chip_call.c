// Forwards an rpc call's callbacks, and remembers the worker's loss, which may be known
// before the call's own end.

#include "server/coordinator/chip_call.h"

#include <inttypes.h>

#include "common/base/check.h"
#include "common/base/text.h"
#include "server/coordinator/chip_tell.h"

static pod_status_t lost_error(const registry_t *registry, int32_t chip, uint64_t epoch) {
  const places_t *places = registry_places(registry);
  const place_t *place = &places->at[chip];
  if (place->lost_reason != NULL && place->lost_epoch == epoch) {
    return pod_error(POD_UNAVAILABLE, "lost %s", place->lost_reason);
  }
  pod_text_t label = {0};
  places_print_label(&label, places, chip);
  const pod_status_t status = pod_error(
      POD_UNAVAILABLE, "%s %s", label.bytes,
      place_is_taken(place) ? "was lost and has a new worker" : "has no worker");
  pod_text_deinit(&label);
  return status;
}

static bool is_gone(const registry_t *registry, int32_t chip, uint64_t epoch) {
  const place_t *place = &registry_places(registry)->at[chip];
  return place->epoch != epoch || !place_is_taken(place);
}

pod_status_t chip_worker_check(const registry_t *registry, int32_t chip, uint64_t epoch) {
  return is_gone(registry, chip, epoch) ? lost_error(registry, chip, epoch) : NULL;
}

pod_status_t chip_call_check_alive(const chip_call_t *call) {
  return chip_worker_check(call->registry, call->chip, call->epoch);
}

pod_status_t chip_worker_explain(const registry_t *registry, int32_t chip, uint64_t epoch,
                                 pod_status_t status, bool *out_lost) {
  if (is_gone(registry, chip, epoch)) {
    pod_status_free(status);
    *out_lost = true;
    return lost_error(registry, chip, epoch);
  }
  const rpc_channel_t *channel = registry_channel(registry, chip);
  // It is called with the token that it gave: it has started over and has another one.
  const bool has_started_over = pod_status_code(status) == POD_UNAUTHENTICATED;
  if (has_started_over) {
    pod_status_free(status);
    status = pod_error(POD_UNAVAILABLE, "it has started over");
  }
  // Or the connection broke; the registry is about to hear of either.
  *out_lost = has_started_over || (pod_status_code(status) == POD_UNAVAILABLE &&
                                   rpc_channel_state(channel) != RPC_CHANNEL_READY);
  pod_text_t label = {0};
  places_print_label(&label, registry_places(registry), chip);
  const pod_status_t explained = *out_lost
                                     ? pod_status_context(status, "lost %s", label.bytes)
                                     : pod_status_context(status, "%s", label.bytes);
  pod_text_deinit(&label);
  return explained;
}

static void end(chip_call_t *call, pod_status_t status) {
  call->is_open = false;
  call->rpc = NULL;
  bool is_lost = false;
  if (status != NULL && !call->is_cancelled) {
    status =
        chip_worker_explain(call->registry, call->chip, call->epoch, status, &is_lost);
  }
  call->events->on_end(call, status, is_lost);
}

static void on_message(rpc_call_t *rpc, const void *message, void *context) {
  (void)rpc;
  chip_call_t *call = context;
  if (call->events->on_message != NULL && !call->is_cancelled) {
    call->events->on_message(call, message);
  }
}

static void on_writable(rpc_call_t *rpc, void *context) {
  (void)rpc;
  chip_call_t *call = context;
  if (call->events->on_writable != NULL && !call->is_cancelled) {
    call->events->on_writable(call);
  }
}

static void on_end(rpc_call_t *rpc, pod_status_t status, void *context) {
  (void)rpc;
  end(context, status);
}

static void end_stillborn(later_item_t *item) {
  chip_call_t *call = (chip_call_t *)item;
  end(call, call->is_cancelled ? pod_error(POD_CANCELLED, "cancelled")
                               : lost_error(call->registry, call->chip, call->epoch));
}

void chip_call_start(chip_call_t *call, registry_t *registry, int32_t chip,
                     const char *path, const ProtobufCMessageDescriptor *response,
                     const chip_call_events_t *events, void *owner) {
  static const rpc_call_events_t rpc_events = {
      .on_message = on_message, .on_writable = on_writable, .on_end = on_end};
  const place_t *place = &registry_places(registry)->at[chip];
  *call = (chip_call_t){.events = events,
                        .owner = owner,
                        .registry = registry,
                        .chip = chip,
                        .epoch = place->epoch,
                        .is_open = true};
  rpc_channel_t *channel = registry_channel(registry, chip);
  if (channel == NULL) {
    later_post(registry_later(registry), &call->later, end_stillborn);
    return;
  }
  // A worker that has just joined may not be connected yet; if it cannot be, it is lost.
  const rpc_call_options_t options = {.wait_for_ready = true};
  call->rpc = rpc_call_start(channel, path, response, &rpc_events, call, &options);
}

void chip_call_send(chip_call_t *call, const ProtobufCMessage *message) {
  if (call->rpc != NULL && !call->is_cancelled) {
    rpc_call_send(call->rpc, message);
  }
}

void chip_call_half_close(chip_call_t *call) {
  if (call->rpc != NULL && !call->is_cancelled) {
    rpc_call_half_close(call->rpc);
  }
}

bool chip_call_is_writable(const chip_call_t *call) {
  return call->rpc == NULL || call->is_cancelled || rpc_call_is_writable(call->rpc);
}

void chip_call_cancel(chip_call_t *call) {
  if (!call->is_open || call->is_cancelled) {
    return;
  }
  call->is_cancelled = true;
  if (call->rpc != NULL) {
    rpc_call_cancel(call->rpc);
  }
}

void chip_call_tell(registry_t *registry, int32_t chip, const char *path,
                    const ProtobufCMessage *request) {
  rpc_channel_t *channel = registry_channel(registry, chip);
  if (channel != NULL) {
    chip_tells_add(registry_tells(registry, chip), channel, path, request);
  }
}
