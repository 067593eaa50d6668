// Put streams pieces as the connection takes them; fetch writes what comes to where it
// belongs. Neither waits; the functions that do are theirs with a wait behind.
//
// A put is two things: the array is declared on the session's Dispatch, so that the calls
// that follow can name it, and filled by a call of its own, a bounded number at a time.

#include <stdlib.h>
#include <string.h>

#include "client/lib/executable.h"
#include "client/lib/sharing.h"
#include "common/base/clock.h"
#include "common/base/memory.h"

enum { NS_PER_MS = 1000000 };

static void free_array(lib_handle_t *handle) {
  free(handle);
}

podium_array_t *lib_array_create(podium_session_t *session, uint64_t id,
                                 const podium_shape_t *shape,
                                 const podium_shape_t *local_shape) {
  podium_array_t *array = pod_alloc(sizeof(*array));
  array->shape = *shape;
  array->local_shape = *local_shape;
  atomic_init(&array->count, 1);
  lib_handle_add(session, &array->handle, id, free_array);
  return array;
}

const podium_shape_t *podium_array_shape(const podium_array_t *array) {
  return array == NULL ? NULL : &array->shape;
}

const podium_shape_t *podium_array_local_shape(const podium_array_t *array) {
  return array == NULL ? NULL : &array->local_shape;
}

static void release_array(podium_array_t *array) {
  if (atomic_fetch_sub(&array->count, 1) == 1) {
    lib_free_remote(array->handle.session, array->handle.id, 0);
    free_array(&array->handle);
  }
}

void podium_array_free(podium_array_t *array) {
  if (array != NULL) {
    lib_handle_remove(&array->handle);
    release_array(array);
  }
}

// --- Deadlines over the time in which a transfer waits for its turn ---

static int64_t deadline_in(int64_t timeout_ms) {
  return timeout_ms <= 0 || timeout_ms > INT64_MAX / NS_PER_MS / 2
             ? INT64_MAX
             : pod_clock_now_ns() + timeout_ms * NS_PER_MS;
}

// 0: none; -1: it has passed.
static int64_t left_ms(int64_t deadline_ns) {
  if (deadline_ns == INT64_MAX) {
    return 0;
  }
  const int64_t left_ns = deadline_ns - pod_clock_now_ns();
  return left_ns <= 0 ? -1 : (left_ns - 1) / NS_PER_MS + 1;
}

static pod_status_t check_turn(const podium_session_t *session, int64_t deadline_ns,
                               const char *what) {
  if (session->dispatch_end != NULL) {
    return pod_status_copy(session->dispatch_end);
  }
  return left_ms(deadline_ns) < 0
             ? pod_error(POD_DEADLINE_EXCEEDED,
                         "the deadline passed before it was the turn of the %s", what)
             : NULL;
}

// --- Put ---

typedef struct put_t {
  lib_turn_t turn;  // First, so that the turn finds its put.
  podium_session_t *session;
  pod_arena_t *arena;  // Owns the header's parts.
  Podium__V1__PutArrayRequest header;
  const uint8_t *data;    // What is sent, or NULL,
  podium_read_fn_t read;  // where it comes from, and
  void *read_context;
  uint8_t *chunk;  // room for it.
  int64_t deadline_ns;
  int64_t size_bytes, sent_bytes;
  bool gave_up;
  podium_shape_t shape;
  rpc_call_t *call;
  bool streams;            // The bytes go by the call.
  lib_sharing_t *sharing;  // Else: they go by shared memory, if they do.
  pod_status_t broken;     // Why that failed.
  rpc_timer_t *grace;      // Then: until the call is cancelled.
  uint64_t array;          // As the coordinator calls it, at the end.
  podium_done_fn_t done;
  void *context;
} put_t;

static void free_put(put_t *put) {
  lib_sharing_destroy(put->sharing);
  rpc_timer_destroy(put->grace);
  pod_status_free(put->broken);
  pod_arena_destroy(put->arena);
  free(put->chunk);
  free(put);
}

static void dispatch_array(podium_session_t *session, put_t *put) {
  Podium__V1__DispatchRequest message = PODIUM__V1__DISPATCH_REQUEST__INIT;
  message.what_case = PODIUM__V1__DISPATCH_REQUEST__WHAT_DECLARE;
  message.declare = &put->header;
  lib_dispatch(session, &message);
  put->header.after = session->dispatched;
}

// The coordinator may never have heard of the call that was to fill the array.
static void dispatch_abandon(podium_session_t *session, uint64_t array) {
  Podium__V1__DispatchRequest message = PODIUM__V1__DISPATCH_REQUEST__INIT;
  message.what_case = PODIUM__V1__DISPATCH_REQUEST__WHAT_ABANDON;
  message.abandon = array;
  lib_dispatch(session, &message);
}

// Takes `status`.
static void end_put(put_t *put, pod_status_t status) {
  podium_session_t *session = put->session;
  if (status != NULL) {
    dispatch_abandon(session, put->header.array);
  }
  const podium_done_fn_t done = put->done;
  void *context = put->context;
  free_put(put);
  if (done != NULL) {
    done(context, lib_status(status));
  } else {
    pod_status_free(status);
  }
  lib_turn_end(&session->puts);
}

// The next bytes, at most a chunk; NULL when the source gives up.
static const uint8_t *next_bytes(put_t *put, size_t wanted, size_t *out_bytes) {
  if (put->data != NULL) {
    *out_bytes = wanted;
    return put->data + put->sent_bytes;
  }
  const int64_t got = put->read(put->read_context, put->chunk, wanted);
  *out_bytes = (size_t)got;
  return got <= 0 || got > (int64_t)wanted ? NULL : put->chunk;
}

static void send_chunks(rpc_call_t *call, void *context) {
  put_t *put = context;
  while (put->streams && !put->gave_up && put->sent_bytes < put->size_bytes &&
         rpc_call_is_writable(call)) {
    const int64_t left = put->size_bytes - put->sent_bytes;
    size_t bytes = left < LIB_CHUNK_BYTES ? (size_t)left : LIB_CHUNK_BYTES;
    const uint8_t *data = next_bytes(put, bytes, &bytes);
    if (data == NULL) {
      put->gave_up = true;
      rpc_call_cancel(call);
      return;
    }
    Podium__V1__PutArrayRequest piece = PODIUM__V1__PUT_ARRAY_REQUEST__INIT;
    piece.data.data = (uint8_t *)(uintptr_t)data;
    piece.data.len = bytes;
    rpc_call_send(call, &piece.base);
    put->sent_bytes += (int64_t)bytes;
    if (put->sent_bytes == put->size_bytes) {
      rpc_call_half_close(call);
    }
  }
}

static void stream_put(put_t *put) {
  put->streams = true;
  if (put->size_bytes == 0) {
    rpc_call_half_close(put->call);
  }
  send_chunks(put->call, put);
}

static void cancel_broken_put(void *context) {
  rpc_call_cancel(((put_t *)context)->call);
}

// The worker finds that out too, and the call ends with what the coordinator makes of it;
// or else it is ended.
static void on_put_moved(void *context, pod_status_t status) {
  put_t *put = context;
  if (status != NULL) {
    put->broken = status;
    put->grace = rpc_timer_create(put->session->loop, cancel_broken_put, put);
    rpc_timer_start(put->grace, LIB_SHARING_GRACE_MS, 0);
  }
}

static void share_put(put_t *put) {
  Podium__V1__PutArrayRequest message = PODIUM__V1__PUT_ARRAY_REQUEST__INIT;
  message.shared = true;
  rpc_call_send(put->call, &message.base);
  rpc_call_half_close(put->call);
  lib_sharing_start(put->sharing, on_put_moved, put);
}

static void on_put_reached(void *context, pod_status_t status) {
  put_t *put = context;
  if (status == NULL) {
    share_put(put);
    return;
  }
  lib_sharing_give_up(put->session, status);
  lib_sharing_destroy(put->sharing);
  put->sharing = NULL;
  stream_put(put);
}

// What the coordinator offers for it.
static void on_put_offer(put_t *put, const Podium__V1__Sharing *offer) {
  const pod_status_t status =
      lib_sharing_create(put->session, offer, &put->shape, (void *)(uintptr_t)put->data,
                         true, &put->sharing);
  if (status != NULL) {
    lib_sharing_give_up(put->session, status);
  }
  if (put->sharing == NULL) {
    stream_put(put);
  } else if (lib_sharing_connect(put->sharing, on_put_reached, put)) {
    share_put(put);
  }
}

static void on_put_response(rpc_call_t *call, const void *response, void *context) {
  (void)call;
  put_t *put = context;
  const Podium__V1__PutArrayResponse *message = response;
  if (message->sharing != NULL && !put->streams && put->sharing == NULL) {
    on_put_offer(put, message->sharing);
  }
  put->array = message->array;
}

static void on_put_end(rpc_call_t *call, pod_status_t status, void *context) {
  (void)call;
  put_t *put = context;
  if (put->broken != NULL && pod_status_code(status) == POD_CANCELLED) {
    pod_status_free(status);
    status = put->broken;
    put->broken = NULL;
  } else if (put->gave_up) {
    pod_status_free(status);
    status = pod_error(POD_CANCELLED,
                       "the source of the array gave up after %lld of %lld bytes",
                       (long long)put->sent_bytes, (long long)put->size_bytes);
  } else if (status == NULL && put->array != put->header.array) {
    status = pod_error(POD_INTERNAL, "the coordinator ended PutArray without the array");
  }
  end_put(put, status);
}

static void send_put(lib_turn_t *turn) {
  put_t *put = (put_t *)turn;
  const pod_status_t status = check_turn(put->session, put->deadline_ns, "put");
  if (status != NULL) {
    end_put(put, status);
    return;
  }
  const rpc_call_events_t events = {
      .on_message = on_put_response, .on_writable = send_chunks, .on_end = on_put_end};
  const bool asks =
      put->data != NULL && lib_sharing_is_wanted(put->session, put->size_bytes);
  put->call = rpc_call_start(
      put->session->channel,
      asks ? "/podium.v1.Podium/PutArrayShared" : "/podium.v1.Podium/PutArray",
      &podium__v1__put_array_response__descriptor, &events, put,
      &(rpc_call_options_t){.timeout_ms = left_ms(put->deadline_ns)});
  rpc_call_send(put->call, &put->header.base);
  if (!asks) {
    stream_put(put);
  }
}

static void start_put(void *context) {
  put_t *put = context;
  dispatch_array(put->session, put);
  lib_turn_begin(&put->session->puts, &put->turn, send_put);
}

// What the array is and where it goes: fills the header; its parts are in the arena.
static pod_status_t describe(put_t *put, const podium_layout_t *layout,
                             podium_shape_t *out_shape, podium_shape_t *out_local) {
  Podium__V1__PutArrayRequest *header = &put->header;
  *out_shape = layout->shape;
  if (layout->executable != NULL) {
    const podium_program_info_t *info = &layout->executable->info;
    if (layout->executable->handle.session != put->session) {
      return pod_error(POD_INVALID_ARGUMENT, "'%s' belongs to another session",
                       info->name);
    }
    if (layout->argument < 0 || layout->argument >= info->argument_count) {
      return pod_error(POD_INVALID_ARGUMENT, "argument %d of '%s', which has %d",
                       layout->argument, info->name, info->argument_count);
    }
    *out_shape = info->arguments[layout->argument].shape;
    *out_local = info->arguments[layout->argument].local_shape;
    header->executable = layout->executable->handle.id;
    header->argument = layout->argument;
  }
  put->size_bytes = podium_shape_bytes(out_shape);
  if (put->size_bytes < 0) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "the layout's shape is none: rank %d, dtype %d", out_shape->rank,
                     (int)out_shape->dtype);
  }
  put->shape = *out_shape;
  podium_shape_t *shape = pod_arena_copy(put->arena, out_shape, sizeof(*out_shape));
  header->shape = pod_arena_alloc(put->arena, sizeof(*header->shape));
  lib_shape_message(shape, header->shape);
  POD_TRY(lib_check_list("chips of the layout", layout->chip_count, layout->chips));
  header->n_chips = (size_t)layout->chip_count;
  header->chips =
      pod_arena_copy(put->arena, layout->chips, header->n_chips * sizeof(*layout->chips));
  if (layout->executable == NULL) {
    if (layout->sharding != NULL) {
      POD_TRY(
          lib_sharding_message(put->arena, shape, layout->sharding, &header->sharding));
    }
    *out_local = lib_local_shape(shape, layout->sharding);
  }
  return NULL;
}

static pod_status_t check_size(const podium_shape_t *shape, int64_t needed, size_t size) {
  if ((uint64_t)needed == size) {
    return NULL;
  }
  char text[256];
  podium_shape_print(shape, text, sizeof(text));
  return pod_error(POD_INVALID_ARGUMENT, "%s has %lld bytes, %zu were given", text,
                   (long long)needed, size);
}

// Fills `put`, which has the session and the source, and queues it; it is then gone.
// `size` is what the source has; -1: whatever is needed.
static pod_status_t queue_put(const put_t *wanted, const podium_layout_t *layout,
                              int64_t size, int64_t timeout_ms,
                              podium_array_t **out_array) {
  podium_session_t *session = wanted->session;
  put_t *put = pod_alloc(sizeof(*put));
  *put = *wanted;
  put->arena = pod_arena_create();
  put->header = (Podium__V1__PutArrayRequest)PODIUM__V1__PUT_ARRAY_REQUEST__INIT;
  put->header.session = session->id;
  put->deadline_ns = deadline_in(timeout_ms);
  podium_shape_t shape, local_shape;
  pod_status_t status = describe(put, layout, &shape, &local_shape);
  if (status == NULL && size >= 0) {
    status = check_size(&shape, put->size_bytes, (size_t)size);
  }
  if (status == NULL) {
    status = lib_new_id(session, &put->header.array);
  }
  if (status != NULL) {
    free_put(put);
    return status;
  }
  if (put->read != NULL) {
    put->chunk = pod_alloc(LIB_CHUNK_BYTES);
  }
  *out_array = lib_array_create(session, put->header.array, &shape, &local_shape);
  rpc_loop_post(session->loop, start_put, put);
  return NULL;
}

// The same, and waits for its end.
static podium_status_t *run_put(put_t *wanted, const podium_layout_t *layout,
                                int64_t size, int64_t timeout_ms,
                                podium_array_t **out_array) {
  lib_wait_t wait;
  podium_array_t *array;
  wanted->done = lib_wait_done;
  wanted->context = &wait;
  lib_wait_begin(&wait, wanted->session);
  const pod_status_t wrong = queue_put(wanted, layout, size, timeout_ms, &array);
  if (wrong != NULL) {
    lib_wait_finish(&wait, wrong);
    return lib_status(lib_wait_end(&wait));
  }
  const pod_status_t status = lib_wait_end(&wait);
  if (status != NULL) {
    podium_array_free(array);
    return lib_status(status);
  }
  *out_array = array;
  return NULL;
}

podium_status_t *podium_put_stream(podium_session_t *session,
                                   const podium_layout_t *layout, podium_read_fn_t read,
                                   void *context, int64_t timeout_ms,
                                   podium_array_t **out_array) {
  LIB_REQUIRE(session);
  LIB_REQUIRE(layout);
  LIB_REQUIRE(read);
  LIB_REQUIRE(out_array);
  put_t put = {.session = session, .read = read, .read_context = context};
  return run_put(&put, LIB_OPTIONS(podium_layout_t, layout), -1, timeout_ms, out_array);
}

podium_status_t *podium_put(podium_session_t *session, const podium_layout_t *layout,
                            const void *data, size_t size, int64_t timeout_ms,
                            podium_array_t **out_array) {
  LIB_REQUIRE(session);
  LIB_REQUIRE(layout);
  LIB_REQUIRE(out_array);
  if (size > 0) {
    LIB_REQUIRE(data);
  }
  put_t put = {.session = session, .data = data};
  return run_put(&put, LIB_OPTIONS(podium_layout_t, layout), (int64_t)size, timeout_ms,
                 out_array);
}

podium_status_t *podium_put_async(podium_session_t *session,
                                  const podium_layout_t *layout, const void *data,
                                  size_t size, int64_t timeout_ms, podium_done_fn_t done,
                                  void *context, podium_array_t **out_array) {
  LIB_REQUIRE(session);
  LIB_REQUIRE(layout);
  LIB_REQUIRE(out_array);
  if (size > 0) {
    LIB_REQUIRE(data);
  }
  const put_t put = {.session = session, .data = data, .done = done, .context = context};
  return lib_status(queue_put(&put, LIB_OPTIONS(podium_layout_t, layout), (int64_t)size,
                              timeout_ms, out_array));
}

// --- Fetch ---

typedef struct fetch_t {
  lib_turn_t turn;  // First, so that the turn finds its fetch.
  podium_session_t *session;
  podium_array_t *array;  // Counted.
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
static void end_fetch(fetch_t *fetch, pod_status_t status) {
  stop_sharing(fetch);
  podium_session_t *session = fetch->session;
  release_array(fetch->array);
  if (fetch->done != NULL) {
    fetch->done(fetch->context, lib_status(status));
  } else {
    pod_status_free(status);
  }
  free(fetch);
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
  const pod_status_t status = check_turn(session, fetch->deadline_ns, "fetch");
  if (status != NULL) {
    end_fetch(fetch, status);
    return;
  }
  const rpc_call_events_t events = {.on_message = on_fetch_data, .on_end = on_fetch_end};
  fetch->call =
      rpc_call_start(session->channel, "/podium.v1.Podium/FetchArray",
                     &podium__v1__fetch_array_response__descriptor, &events, fetch,
                     &(rpc_call_options_t){.timeout_ms = left_ms(fetch->deadline_ns)});
  Podium__V1__FetchArrayRequest request = PODIUM__V1__FETCH_ARRAY_REQUEST__INIT;
  request.session = session->id;
  request.array = fetch->array->handle.id;
  request.by_chip = fetch->chip >= 0;
  request.chip = fetch->chip >= 0 ? (int32_t)fetch->chip : 0;
  request.after = fetch->after;
  request.share =
      !fetch->has_lost_chip && lib_sharing_is_wanted(session, (int64_t)fetch->size);
  rpc_call_send(fetch->call, &request.base);
  rpc_call_half_close(fetch->call);
}

static void start_fetch(void *context) {
  fetch_t *fetch = context;
  fetch->after = fetch->session->dispatched;
  lib_turn_begin(&fetch->session->fetches, &fetch->turn, send_fetch);
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
  *fetch = (fetch_t){.session = session,
                     .array = array,
                     .chip = chip,
                     .data = data,
                     .size = size,
                     .deadline_ns = deadline_in(timeout_ms),
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
