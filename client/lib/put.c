// Put streams pieces as the connection takes them. It does not wait; the functions that
// do are the same with a wait behind.
//
// A put is two things: the array is declared on the session's Dispatch, so that the calls
// that follow can name it, and filled by a call of its own, a bounded number at a time.

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "client/lib/retry.h"
#include "client/lib/sharing.h"
#include "common/base/memory.h"

typedef struct put_t {
  lib_turn_t turn;  // First, so that the turn finds its put.
  lib_op_t op;
  podium_session_t *session;
  // What the array is and where it comes from. Owned, or the origin's.
  lib_source_t *source;
  lib_origin_t *origin;    // Counted; NULL: the session does not retry.
  lib_remade_fn_t remade;  // Told the end in place of the operation.
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

// Of one attempt.
static void reset_put(put_t *put) {
  lib_sharing_destroy(put->sharing);
  rpc_timer_destroy(put->grace);
  pod_status_free(put->broken);
  put->sharing = NULL;
  put->grace = NULL;
  put->broken = NULL;
  put->sent_bytes = 0;
  put->array = 0;
  put->streams = put->gave_up = false;
}

static void free_put(put_t *put) {
  reset_put(put);
  if (put->origin == NULL) {
    pod_arena_destroy(put->source->arena);
    free(put->source);
  }
  lib_origin_release(put->origin);
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
static void finish_put(put_t *put, pod_status_t status) {
  if (put->origin != NULL && status == NULL) {
    put->origin->is_made = true;
  } else if (put->origin != NULL && put->remade == NULL) {
    lib_origin_fail(put->origin, pod_status_copy(status));
  }
  lib_op_over(&put->op);
  const podium_done_fn_t done = put->done;
  const lib_remade_fn_t remade = put->remade;
  void *context = put->context;
  free_put(put);
  if (remade != NULL) {
    remade(context, status);
  } else if (done != NULL) {
    done(context, lib_status(status));
  } else {
    pod_status_free(status);
  }
}

static put_t *put_of(lib_op_t *op) {
  return (put_t *)(void *)((char *)op - offsetof(put_t, op));
}

static void end_unasked_put(lib_op_t *op, pod_status_t status) {
  finish_put(put_of(op), status);
}

// Takes `status`. It has had its turn.
static void end_put(put_t *put, pod_status_t status) {
  podium_session_t *session = put->session;
  status = lib_call_status(session, status);
  if (status != NULL) {
    dispatch_abandon(session, put->header.array);
  }
  if (status == NULL || !lib_op_fails(&put->op, status)) {
    finish_put(put, status);
  } else {
    reset_put(put);
  }
  lib_turn_end(&session->puts);
}

// From what is kept, as far as that goes; what comes anew is kept where there is room.
static const uint8_t *read_more(put_t *put, size_t wanted, size_t *out_bytes) {
  lib_source_t *source = put->source;
  const int64_t kept = source->copied_bytes - put->sent_bytes;
  if (kept > 0) {
    *out_bytes = kept < (int64_t)wanted ? (size_t)kept : wanted;
    return source->copy + put->sent_bytes;
  }
  const int64_t got = put->read(put->read_context, put->chunk, wanted);
  *out_bytes = (size_t)got;
  if (got <= 0 || got > (int64_t)wanted) {
    return NULL;
  }
  if (source->copy != NULL) {
    memcpy(source->copy + source->copied_bytes, put->chunk, (size_t)got);
    source->copied_bytes += got;
  }
  return put->chunk;
}

// The next bytes, at most a chunk; NULL when the source gives up.
static const uint8_t *next_bytes(put_t *put, size_t wanted, size_t *out_bytes) {
  if (put->data != NULL) {
    *out_bytes = wanted;
    return put->data + put->sent_bytes;
  }
  return read_more(put, wanted, out_bytes);
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
  const pod_status_t status = lib_check_turn(put->session, put->deadline_ns, "put");
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
      &(rpc_call_options_t){.timeout_ms = lib_left_ms(put->deadline_ns)});
  rpc_call_send(put->call, &put->header.base);
  if (!asks) {
    stream_put(put);
  }
}

// A source that can be read again is, from its beginning, but for what is kept.
static pod_status_t rewind_source(put_t *put) {
  const lib_source_t *source = put->source;
  if (put->read == NULL || put->op.attempts + (put->remade != NULL) == 0) {
    return NULL;
  }
  if (source->copied_bytes == source->size_bytes ||
      (source->copy != NULL && put->remade == NULL)) {
    return NULL;
  }
  return source->read != NULL && source->read(source->read_context, NULL, 0) == 0
             ? NULL
             : pod_error(POD_UNAVAILABLE,
                         "the pod was lost while the array was put, and its source "
                         "cannot be read again: put it again");
}

static void ask_put(lib_op_t *op) {
  put_t *put = put_of(op);
  podium_session_t *session = put->session;
  put->header.session = session->id;
  if (put->origin != NULL) {
    const podium_executable_t *executable = put->source->executable;
    pod_status_t wrong = rewind_source(put);
    if (wrong == NULL && executable != NULL) {
      wrong = pod_status_copy(executable->module->error);
    }
    if (wrong == NULL) {
      wrong = lib_new_id(session, &put->header.array);
    }
    if (wrong != NULL) {
      finish_put(put, wrong);
      return;
    }
    lib_free_now(session, put->origin->id, 0);  // Of a former attempt.
    put->origin->id = put->header.array;
    put->origin->sequence = op->sequence != 0 ? op->sequence : put->origin->sequence;
    put->header.executable = executable == NULL ? 0 : executable->handle.id;
  }
  dispatch_array(session, put);
  lib_turn_begin(&session->puts, &put->turn, send_put);
}

static void start_put(void *context) {
  put_t *put = context;
  lib_op_start(&put->op);
}

void lib_put_again(lib_origin_t *origin, lib_remade_fn_t done, void *context) {
  const lib_source_t *source = origin->source;
  put_t *put = pod_alloc(sizeof(*put));
  lib_origin_retain(origin);
  *put = (put_t){
      .op = {.session = origin->session},
      .session = origin->session,
      .source = origin->source,
      .origin = origin,
      .remade = done,
      .context = context,
      .header = source->header,
      .data = source->data != NULL || source->read != NULL ? source->data : source->copy,
      .read = source->read,
      .read_context = source->read_context,
      .deadline_ns = INT64_MAX,
      .size_bytes = source->size_bytes,
      .shape = source->shape};
  if (put->read != NULL) {
    put->chunk = pod_alloc(LIB_CHUNK_BYTES);
  }
  ask_put(&put->op);
}

// --- What is put ---

static pod_status_t describe_argument(put_t *put, const podium_layout_t *layout,
                                      podium_shape_t *out_shape,
                                      podium_shape_t *out_local) {
  Podium__V1__PutArrayRequest *header = &put->header;
  const podium_program_info_t *info = &layout->executable->info;
  if (layout->executable->handle.session != put->session) {
    return pod_error(POD_INVALID_ARGUMENT, "'%s' belongs to another session", info->name);
  }
  if (layout->argument < 0 || layout->argument >= info->argument_count) {
    return pod_error(POD_INVALID_ARGUMENT, "argument %d of '%s', which has %d",
                     layout->argument, info->name, info->argument_count);
  }
  *out_shape = info->arguments[layout->argument].shape;
  *out_local = info->arguments[layout->argument].local_shape;
  header->executable = layout->executable->handle.id;
  header->argument = layout->argument;
  return NULL;
}

// What the array is and where it goes: fills the header; its parts are in the arena.
static pod_status_t describe(put_t *put, const podium_layout_t *layout,
                             podium_shape_t *out_shape, podium_shape_t *out_local) {
  Podium__V1__PutArrayRequest *header = &put->header;
  pod_arena_t *arena = put->source->arena;
  *out_shape = layout->shape;
  if (layout->executable != NULL) {
    POD_TRY(describe_argument(put, layout, out_shape, out_local));
  }
  put->size_bytes = podium_shape_bytes(out_shape);
  if (put->size_bytes < 0) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "the layout's shape is none: rank %d, dtype %d", out_shape->rank,
                     (int)out_shape->dtype);
  }
  put->shape = *out_shape;
  podium_shape_t *shape = pod_arena_copy(arena, out_shape, sizeof(*out_shape));
  header->shape = pod_arena_alloc(arena, sizeof(*header->shape));
  lib_shape_message(shape, header->shape);
  POD_TRY(lib_check_list("chips of the layout", layout->chip_count, layout->chips));
  header->is_host = layout->is_host;
  header->n_chips = (size_t)layout->chip_count;
  header->chips =
      pod_arena_copy(arena, layout->chips, header->n_chips * sizeof(*layout->chips));
  if (layout->executable == NULL) {
    if (layout->sharding != NULL) {
      POD_TRY(lib_sharding_message(arena, shape, layout->sharding, &header->sharding));
    }
    *out_local = lib_local_shape(shape, layout->sharding);
  }
  return NULL;
}

// What the array could be put from again: the bytes where they are, or a copy.
static void keep_source(put_t *put, const podium_layout_t *layout) {
  lib_source_t *source = put->source;
  source->header = put->header;
  source->shape = put->shape;
  source->size_bytes = put->size_bytes;
  source->executable = layout->executable == NULL
                           ? NULL
                           : (podium_executable_t *)(uintptr_t)layout->executable;
  if (source->executable != NULL) {
    atomic_fetch_add(&source->executable->count, 1);
  }
  if (layout->keep == PODIUM_KEEP_SOURCE) {
    source->data = put->data;
    source->read = put->read;
    source->read_context = put->read_context;
    return;
  }
  if (layout->keep == PODIUM_KEEP_NOTHING) {
    source->why_not = "it was put with PODIUM_KEEP_NOTHING";
  } else if (!lib_retry_take_room(put->session, put->size_bytes)) {
    source->why_not = "a copy of it was more than what the session may keep";
  } else {
    source->copy = malloc((size_t)put->size_bytes + 1);
    if (source->copy == NULL) {
      lib_retry_give_room(put->session, put->size_bytes);
      source->why_not = "the process had no memory for a copy of it";
    } else if (put->data != NULL) {
      memcpy(source->copy, put->data, (size_t)put->size_bytes);
      source->copied_bytes = put->size_bytes;
    }
  }
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
  put->source = pod_alloc(sizeof(*put->source));
  put->source->arena = pod_arena_create();
  put->header = (Podium__V1__PutArrayRequest)PODIUM__V1__PUT_ARRAY_REQUEST__INIT;
  put->deadline_ns = lib_deadline_in(timeout_ms);
  put->op = (lib_op_t){.session = session,
                       .deadline_ns = put->deadline_ns,
                       .send = ask_put,
                       .end = end_unasked_put};
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
  podium_array_t *array =
      lib_array_create(session, put->header.array, &shape, &local_shape);
  if (array->origin != NULL) {
    keep_source(put, layout);
    put->origin = put->op.origin = array->origin;
    lib_origin_retain(array->origin);
    lib_origin_set_source(array->origin, put->source);
  }
  *out_array = array;
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
