// Arrays' handles, and fetch, which writes what comes to where it belongs. It does not
// wait; the function that does is the same with a wait behind.

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "client/lib/retry.h"
#include "client/lib/sharing.h"
#include "common/base/memory.h"

static void free_array(lib_handle_t *handle) {
  lib_origin_release(((podium_array_t *)handle)->origin);
  free(handle);
}

podium_array_t *lib_array_create(podium_session_t *session, uint64_t id,
                                 const podium_shape_t *shape,
                                 const podium_shape_t *local_shape) {
  podium_array_t *array = pod_alloc(sizeof(*array));
  array->shape = *shape;
  array->local_shape = *local_shape;
  atomic_init(&array->count, 1);
  atomic_init(&array->handle.id, id);
  if (session->retry != NULL) {
    array->origin = lib_origin_create(session, shape);
  }
  lib_handle_add(session, &array->handle, free_array);
  return array;
}

const podium_shape_t *podium_array_shape(const podium_array_t *array) {
  return array == NULL ? NULL : &array->shape;
}

const podium_shape_t *podium_array_local_shape(const podium_array_t *array) {
  return array == NULL ? NULL : &array->local_shape;
}

// In its place among the calls that use it. What comes of it may keep its origin.
static void start_free(void *context) {
  podium_array_t *array = context;
  lib_origin_t *origin = array->origin;
  origin->is_held = false;
  if (lib_retry_is_steady(origin->session)) {
    lib_free_now(origin->session, origin->id, 0);
    origin->id = 0;
  }
  free_array(&array->handle);
}

static void release_array(podium_array_t *array) {
  if (atomic_fetch_sub(&array->count, 1) > 1) {
    return;
  }
  podium_session_t *session = array->handle.session;
  if (array->origin != NULL && !lib_is_forked(session)) {
    lib_dispatch_run(session, 0, start_free, array);
  } else {
    lib_free_remote(session, array->handle.id, 0);
    free_array(&array->handle);
  }
}

void podium_array_free(podium_array_t *array) {
  if (array != NULL) {
    lib_handle_remove(&array->handle);
    release_array(array);
  }
}

pod_status_t lib_check_turn(const podium_session_t *session, int64_t deadline_ns,
                            const char *what) {
  if (session->dispatch_end != NULL) {
    return pod_status_copy(session->dispatch_end);
  }
  if (lib_is_lost(session)) {
    return pod_error(POD_UNAVAILABLE, "the session with %s was lost", session->address);
  }
  return lib_left_ms(deadline_ns) < 0
             ? pod_error(POD_DEADLINE_EXCEEDED,
                         "the deadline passed before it was the turn of the %s", what)
             : NULL;
}

// --- Fetch ---

typedef struct fetch_t {
  lib_turn_t turn;  // First, so that the turn finds its fetch.
  lib_op_t op;
  podium_session_t *session;
  podium_array_t *array;  // Counted.
  uint64_t id;            // Of the array, as the pod calls it.
  uint64_t after;
  int64_t chip;  // -1: the global array.
  uint8_t *data;
  size_t size, received;
  bool overflowed;
  rpc_call_t *call;        // NULL once it has ended.
  bool has_failed_shared;  // It is asked for again, without.
  bool has_lost_chip;      // Likewise: another one may have the same.
  lib_sharing_t *sharing;  // NULL: the bytes come by the call.
  bool is_moved;           // All of them have come, by shared memory.
  pod_status_t broken;     // Why they have not.
  rpc_timer_t *grace;      // Then: until the call is cancelled.
  int64_t deadline_ns;
  podium_done_fn_t done;
  void *context;
} fetch_t;

static void stop_sharing(fetch_t *fetch) {
  lib_sharing_destroy(fetch->sharing);
  rpc_timer_destroy(fetch->grace);
  pod_status_free(fetch->broken);
  fetch->sharing = NULL;
  fetch->grace = NULL;
  fetch->broken = NULL;
}

// Takes `status`.
static void finish_fetch(fetch_t *fetch, pod_status_t status) {
  lib_op_over(&fetch->op);
  release_array(fetch->array);
  if (fetch->done != NULL) {
    fetch->done(fetch->context, lib_status(status));
  } else {
    pod_status_free(status);
  }
  free(fetch);
}

static fetch_t *fetch_of(lib_op_t *op) {
  return (fetch_t *)(void *)((char *)op - offsetof(fetch_t, op));
}

static void end_unasked_fetch(lib_op_t *op, pod_status_t status) {
  finish_fetch(fetch_of(op), status);
}

// Takes `status`. It has had its turn.
static void end_fetch(fetch_t *fetch, pod_status_t status) {
  podium_session_t *session = fetch->session;
  status = lib_call_status(session, status);
  stop_sharing(fetch);
  if (status == NULL || !lib_op_fails(&fetch->op, status)) {
    finish_fetch(fetch, status);
  }
  lib_turn_end(&session->fetches);
}

static void cancel_broken_fetch(void *context) {
  rpc_call_cancel(((fetch_t *)context)->call);
}

// Takes `status`. The call may say better why; or else it is ended.
static void break_fetch(fetch_t *fetch, pod_status_t status, uint64_t grace_ms) {
  fetch->broken = status;
  fetch->grace = rpc_timer_create(fetch->session->loop, cancel_broken_fetch, fetch);
  rpc_timer_start(fetch->grace, grace_ms, 0);
}

static void on_fetch_moved(void *context, pod_status_t status) {
  fetch_t *fetch = context;
  fetch->is_moved = status == NULL;
  if (fetch->call == NULL) {
    end_fetch(fetch, status);
  } else if (status != NULL) {
    break_fetch(fetch, status, LIB_SHARING_GRACE_MS);
  }
}

static void on_fetch_reached(void *context, pod_status_t status) {
  fetch_t *fetch = context;
  if (status == NULL) {
    lib_sharing_start(fetch->sharing, on_fetch_moved, fetch);
  } else {
    fetch->has_failed_shared = true;
    break_fetch(fetch, status, 0);
  }
}

static void on_fetch_offer(fetch_t *fetch, const Podium__V1__Sharing *offer) {
  const podium_shape_t *shape =
      fetch->chip < 0 ? &fetch->array->shape : &fetch->array->local_shape;
  const pod_status_t status = lib_sharing_create(fetch->session, offer, shape,
                                                 fetch->data, false, &fetch->sharing);
  if (status != NULL) {
    fetch->has_failed_shared = true;
    break_fetch(fetch, status, 0);
  } else if (fetch->sharing != NULL &&
             lib_sharing_connect(fetch->sharing, on_fetch_reached, fetch)) {
    lib_sharing_start(fetch->sharing, on_fetch_moved, fetch);
  }
}

static void on_fetch_data(rpc_call_t *call, const void *response, void *context) {
  fetch_t *fetch = context;
  const Podium__V1__FetchArrayResponse *message = response;
  if (message->sharing != NULL && fetch->sharing == NULL && fetch->broken == NULL) {
    on_fetch_offer(fetch, message->sharing);
  }
  if (message->data.len > fetch->size - fetch->received) {
    fetch->overflowed = true;
    rpc_call_cancel(call);
    return;
  }
  if (message->data.len > 0) {
    memcpy(fetch->data + fetch->received, message->data.data, message->data.len);
    fetch->received += message->data.len;
  }
}

static void send_fetch(lib_turn_t *turn);

static void on_fetch_end(rpc_call_t *call, pod_status_t status, void *context) {
  (void)call;
  fetch_t *fetch = context;
  fetch->call = NULL;
  if (fetch->has_failed_shared && pod_status_code(status) == POD_CANCELLED &&
      !atomic_load(&fetch->session->is_closing)) {
    pod_status_free(status);
    lib_sharing_give_up(fetch->session, pod_status_copy(fetch->broken));
    stop_sharing(fetch);
    send_fetch(&fetch->turn);
    return;
  }
  if (fetch->sharing != NULL && pod_status_code(status) == POD_UNAVAILABLE &&
      !atomic_load(&fetch->session->is_closing)) {
    pod_status_free(status);
    fetch->has_lost_chip = true;
    stop_sharing(fetch);
    send_fetch(&fetch->turn);
    return;
  }
  const bool is_moving = fetch->sharing != NULL && status == NULL && !fetch->is_moved;
  if (fetch->broken != NULL && (is_moving || pod_status_code(status) == POD_CANCELLED)) {
    pod_status_free(status);
    status = fetch->broken;
    fetch->broken = NULL;
  } else if (is_moving) {
    return;  // What is in the rings is still to be taken.
  }
  if (fetch->sharing == NULL &&
      (fetch->overflowed || (status == NULL && fetch->received != fetch->size))) {
    pod_status_free(status);
    status = pod_error(POD_DATA_LOSS, "the array has %zu bytes, the coordinator sent %s",
                       fetch->size, fetch->overflowed ? "more" : "fewer");
  }
  end_fetch(fetch, status);
}

static void send_fetch(lib_turn_t *turn) {
  fetch_t *fetch = (fetch_t *)turn;
  podium_session_t *session = fetch->session;
  const pod_status_t status = lib_check_turn(session, fetch->deadline_ns, "fetch");
  if (status != NULL) {
    end_fetch(fetch, status);
    return;
  }
  const rpc_call_events_t events = {.on_message = on_fetch_data, .on_end = on_fetch_end};
  fetch->call = rpc_call_start(
      session->channel, "/podium.v1.Podium/FetchArray",
      &podium__v1__fetch_array_response__descriptor, &events, fetch,
      &(rpc_call_options_t){.timeout_ms = lib_left_ms(fetch->deadline_ns)});
  Podium__V1__FetchArrayRequest request = PODIUM__V1__FETCH_ARRAY_REQUEST__INIT;
  request.session = session->id;
  request.array = fetch->id;
  request.by_chip = fetch->chip >= 0;
  request.chip = fetch->chip >= 0 ? (int32_t)fetch->chip : 0;
  request.after = fetch->after;
  request.share =
      !fetch->has_lost_chip && lib_sharing_is_wanted(session, (int64_t)fetch->size);
  rpc_call_send(fetch->call, &request.base);
  rpc_call_half_close(fetch->call);
}

// From its beginning, also when a part of it has come before.
static void ask_fetch(lib_op_t *op) {
  fetch_t *fetch = fetch_of(op);
  const lib_origin_t *origin = fetch->array->origin;
  const pod_status_t wrong = origin == NULL ? NULL : lib_origin_check(origin);
  if (wrong != NULL) {
    finish_fetch(fetch, wrong);
    return;
  }
  fetch->id = origin == NULL ? fetch->array->handle.id : origin->id;
  fetch->after = fetch->session->dispatched;
  fetch->received = 0;
  fetch->overflowed = fetch->is_moved = false;
  fetch->has_failed_shared = fetch->has_lost_chip = false;
  lib_turn_begin(&fetch->session->fetches, &fetch->turn, send_fetch);
}

static void start_fetch(void *context) {
  fetch_t *fetch = context;
  lib_op_start(&fetch->op);
}

podium_status_t *podium_fetch_async(podium_array_t *array, int64_t chip, void *data,
                                    size_t size, int64_t timeout_ms,
                                    podium_done_fn_t done, void *context) {
  LIB_REQUIRE(array);
  if (size > 0) {
    LIB_REQUIRE(data);
  }
  if (chip < -1 || chip > INT32_MAX) {
    return lib_status(pod_error(POD_INVALID_ARGUMENT, "chip %lld", (long long)chip));
  }
  const podium_shape_t *shape = chip < 0 ? &array->shape : &array->local_shape;
  const int64_t needed = podium_shape_bytes(shape);
  if ((uint64_t)needed != size) {
    char text[256];
    podium_shape_print(shape, text, sizeof(text));
    return lib_status(pod_error(POD_INVALID_ARGUMENT,
                                "%s has %lld bytes, the buffer has %zu", text,
                                (long long)needed, size));
  }
  podium_session_t *session = array->handle.session;
  const pod_status_t status = lib_check_open(session);
  if (status != NULL) {
    return lib_status(status);
  }
  atomic_fetch_add(&array->count, 1);
  fetch_t *fetch = pod_alloc(sizeof(*fetch));
  *fetch = (fetch_t){.op = {.session = session,
                            .deadline_ns = lib_deadline_in(timeout_ms),
                            .origin = array->origin,
                            .send = ask_fetch,
                            .end = end_unasked_fetch},
                     .session = session,
                     .array = array,
                     .chip = chip,
                     .data = data,
                     .size = size,
                     .deadline_ns = lib_deadline_in(timeout_ms),
                     .done = done,
                     .context = context};
  rpc_loop_post(session->loop, start_fetch, fetch);
  return NULL;
}

podium_status_t *podium_fetch(podium_array_t *array, void *data, size_t size,
                              int64_t timeout_ms) {
  LIB_REQUIRE(array);
  lib_wait_t wait;
  lib_wait_begin(&wait, array->handle.session);
  podium_status_t *wrong =
      podium_fetch_async(array, -1, data, size, timeout_ms, lib_wait_done, &wait);
  if (wrong != NULL) {
    lib_wait_done(&wait, wrong);
  }
  return lib_status(lib_wait_end(&wait));
}
