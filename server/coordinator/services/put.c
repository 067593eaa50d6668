// PutArray: the client's stream of a global array is cut into the streams of its shards
// while it comes.
//
//   RECEIVING ──half-close──> STORING ──every chip has its shard──> OVER
//       └──────error, client gone, session over──> STOPPING ──^
//
// PutArrayShared: the client may bring the bytes to the chips itself (sharing.h). The
// workers are not called before it has said whether it does.
//
// Memory: a piece per shard (COORDINATOR_STAGING_BYTES over all), the send queues of the
// calls to the workers (RPC_SEND_QUEUE_BYTES each), and what is left of one message when
// a worker is slow; the client is then held until the worker reads again.

#include "server/coordinator/services/put.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/arena.h"
#include "common/base/check.h"
#include "common/base/memory.h"
#include "common/base/text.h"
#include "common/tensor/slicer.h"
#include "proto/podium/v1/podium.pb-c.h"
#include "proto/podium/v1/worker.pb-c.h"
#include "server/coordinator/chip_call.h"
#include "server/coordinator/coordinator_private.h"
#include "server/coordinator/core/fanout.h"
#include "server/coordinator/services/request.h"
#include "server/coordinator/services/sharing.h"
#include "server/wire/types.h"

typedef enum put_state_t {
  PUT_RECEIVING = 0,
  PUT_STORING,
  PUT_STOPPING,
  PUT_OVER,
} put_state_t;

static const pod_state_t states[] = {
    [PUT_RECEIVING] = {"receiving",
                       POD_TO(PUT_STORING) | POD_TO(PUT_STOPPING) | POD_TO(PUT_OVER)},
    [PUT_STORING] = {"storing", POD_TO(PUT_STOPPING) | POD_TO(PUT_OVER)},
    [PUT_STOPPING] = {"stopping", POD_TO(PUT_STOPPING) | POD_TO(PUT_OVER)},
    [PUT_OVER] = {"over", 0},
};

// A distinct piece of the array, and the chips that hold it.
typedef struct put_shard_t {
  uint8_t *staging;
  size_t staged_bytes;
  int32_t first_holder, holder_count;  // A range of put_t.holders.
} put_shard_t;

typedef struct put_t {
  request_t request;  // First, so that the operation finds it.
  bool has_header;
  bool may_be_shared;  // The method is PutArrayShared.
  bool is_shared;      // The bytes do not come here.
  sharing_t *sharing;  // That the client has been offered, or NULL.
  uint64_t array;
  store_array_t *pending;  // The array while it is being put; NULL before.
  bool is_named;           // The client has chosen its id.
  array_layout_t *layout;
  tensor_slicer_t *slicer;
  int64_t size_bytes, received_bytes;
  int64_t walked_bytes;  // Sliced, with the padding of the shards.
  size_t piece_bytes;
  int32_t shard_count;
  put_shard_t *shards;
  int32_t *holders;    // Indexes of the layout's chips, ordered by shard.
  chip_call_t *calls;  // By index of the layout's chips.
  fanout_t fanout;
  bool is_blocked;  // A worker's queue is full.
  bool is_closing;  // The client has sent all; padding is still to go.
  uint8_t *rest;    // Of a message that was not sliced to its end, owned.
  size_t rest_bytes, rest_at;
} put_t;

static void free_buffers(put_t *put) {
  for (int32_t shard = 0; put->shards != NULL && shard < put->shard_count; shard++) {
    free(put->shards[shard].staging);
  }
  free(put->shards);
  free(put->holders);
  free(put->rest);
  put->shards = NULL;
  put->holders = NULL;
  put->rest = NULL;
  tensor_slicer_destroy(put->slicer);
  put->slicer = NULL;
}

// One that nobody knows of but this call goes; one that others name stays for them to
// hear why. Takes `status`.
static void fail_array(put_t *put, pod_status_t status) {
  put->pending->is_declared = put->calls == NULL;
  if (!put->is_named) {
    store_array_drop(put->pending);
  }
  store_array_fail(put->pending, status);
}

// The calls to the workers have ended, or were never made. Takes `status`.
static void end_put(put_t *put, pod_status_t status) {
  request_move(&put->request, PUT_OVER);
  if (status == NULL) {
    store_array_ready(put->pending);
    put->request.moved_bytes = put->size_bytes;
    Podium__V1__PutArrayResponse response = PODIUM__V1__PUT_ARRAY_RESPONSE__INIT;
    response.array = put->array;
    request_reply(&put->request, &response.base);
  } else {
    if (put->pending != NULL) {
      fail_array(put, pod_status_copy(status));
    }
    request_fail(&put->request, status);
  }
  free_buffers(put);
  free(put->calls);
  array_layout_release(put->layout);
  fanout_deinit(&put->fanout);
  sharing_destroy(put->sharing);
  request_end(&put->request);
}

static void cancel_calls(put_t *put) {
  for (int32_t i = 0; i < put->layout->chip_count; i++) {
    chip_call_cancel(&put->calls[i]);
  }
}

// Ends it now or when the workers' calls have ended. Takes `status`.
static void stop_put(put_t *put, fanout_rank_t rank, pod_status_t status) {
  if (request_is_over(&put->request)) {
    pod_status_free(status);
    return;
  }
  if (put->calls == NULL) {
    end_put(put, status);
    return;
  }
  request_move(&put->request, PUT_STOPPING);
  if (fanout_stop(&put->fanout, rank, status)) {
    cancel_calls(put);
  }
}

// --- Slicing ---

static bool is_blocked(const put_t *put) {
  for (int32_t i = 0; i < put->layout->chip_count; i++) {
    if (!chip_call_is_writable(&put->calls[i])) {
      return true;
    }
  }
  return false;
}

static void send_to_shard(put_t *put, const put_shard_t *shard, const uint8_t *data,
                          size_t size_bytes) {
  Podium__V1__PutShardRequest message = PODIUM__V1__PUT_SHARD_REQUEST__INIT;
  message.data.data = (uint8_t *)(uintptr_t)data;
  message.data.len = size_bytes;
  for (int32_t i = 0; i < shard->holder_count; i++) {
    chip_call_t *call = &put->calls[put->holders[shard->first_holder + i]];
    chip_call_send(call, &message.base);
    put->is_blocked |= !chip_call_is_writable(call);
  }
}

static void flush_shard(put_t *put, put_shard_t *shard) {
  if (shard->staged_bytes > 0) {
    send_to_shard(put, shard, shard->staging, shard->staged_bytes);
    shard->staged_bytes = 0;
  }
}

// Adds to the shard's piece what is in `data` (NULL: zeros), as far as there is room.
static size_t stage(put_t *put, put_shard_t *shard, const uint8_t *data,
                    size_t size_bytes) {
  const size_t room = put->piece_bytes - shard->staged_bytes;
  const size_t step = size_bytes < room ? size_bytes : room;
  if (shard->staging == NULL) {
    shard->staging = pod_alloc(put->piece_bytes);
  }
  if (data == NULL) {
    memset(shard->staging + shard->staged_bytes, 0, step);
  } else {
    memcpy(shard->staging + shard->staged_bytes, data, step);
  }
  shard->staged_bytes += step;
  if (shard->staged_bytes == put->piece_bytes) {
    flush_shard(put, shard);
  }
  return step;
}

static bool is_sliced(const put_t *put) {
  return put->walked_bytes == tensor_slicer_walk_bytes(put->slicer);
}

// Slices until the end of the data, and of the padding behind it, or until a worker's
// queue is full; returns how much of the data.
static size_t slice(put_t *put, const uint8_t *data, size_t size_bytes) {
  size_t at = 0;
  while (!is_sliced(put) && !put->is_blocked) {
    const tensor_run_t run =
        tensor_slicer_run_at(put->slicer, put->walked_bytes, INT64_MAX);
    put_shard_t *shard = &put->shards[run.shard];
    const size_t left = size_bytes - at;
    size_t step = (size_t)run.size_bytes;
    if (run.is_padding) {
      step = stage(put, shard, NULL, step);
    } else if (left == 0) {
      break;
    } else {
      step = step < left ? step : left;
      if (shard->staged_bytes == 0 && step >= put->piece_bytes) {
        step = put->piece_bytes;
        send_to_shard(put, shard, data + at, step);
      } else {
        step = stage(put, shard, data + at, step);
      }
      at += step;
    }
    put->walked_bytes += (int64_t)step;
  }
  return at;
}

// Keeps what could not be sliced, and holds the client.
static pod_status_t keep_rest(put_t *put, const uint8_t *data, size_t size_bytes) {
  put->rest = malloc(size_bytes);
  if (put->rest == NULL) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "no memory for a message of %zu bytes",
                     size_bytes);
  }
  memcpy(put->rest, data, size_bytes);
  put->rest_bytes = size_bytes;
  put->rest_at = 0;
  return NULL;
}

static void store(put_t *put);

static void on_writable(chip_call_t *call) {
  put_t *put = call->owner;
  if (!request_is(&put->request, PUT_RECEIVING) || !put->is_blocked || is_blocked(put)) {
    return;
  }
  put->is_blocked = false;
  if (put->rest != NULL) {
    put->rest_at += slice(put, put->rest + put->rest_at, put->rest_bytes - put->rest_at);
    if (put->rest_at < put->rest_bytes) {
      return;
    }
    free(put->rest);
    put->rest = NULL;
  }
  (void)slice(put, NULL, 0);
  if (put->is_closing && is_sliced(put)) {
    store(put);
  } else if (!put->is_blocked && put->request.client != NULL) {
    rpc_call_resume(put->request.client);
  }
}

static void on_end(chip_call_t *call, pod_status_t status, bool is_lost) {
  put_t *put = call->owner;
  if (fanout_ended(&put->fanout, status, is_lost)) {
    request_move(&put->request, PUT_STOPPING);
    cancel_calls(put);
  }
  if (!fanout_is_over(&put->fanout)) {
    return;
  }
  pod_status_t cause = fanout_take(&put->fanout);
  if (cause == NULL && !put->is_shared && request_is(&put->request, PUT_RECEIVING)) {
    cause = pod_error(POD_INTERNAL, "the workers ended the put before its last byte");
  }
  for (int32_t i = 0; cause == NULL && i < put->layout->chip_count; i++) {
    cause = chip_call_check_alive(&put->calls[i]);
  }
  end_put(put, cause);
}

// --- Header ---

static pod_status_t layout_of_argument(const store_session_t *session,
                                       const Podium__V1__PutArrayRequest *message,
                                       array_layout_t **out_layout) {
  store_executable_t *executable;
  POD_TRY(store_find_executable(session, message->executable, &executable));
  POD_TRY(store_check_loadable(executable));
  if (message->argument < 0 || message->argument >= executable->argument_count) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "%s has %" PRId32 " arguments, there is no argument %" PRId32,
                     executable->name, executable->argument_count, message->argument);
  }
  array_layout_t *layout = executable->arguments[message->argument];
  tensor_shape_t shape = layout->shape;
  if (message->shape != NULL) {
    POD_TRY(wire_shape_unpack(message->shape, &shape));
  }
  if (!tensor_shape_equal(&shape, &layout->shape)) {
    pod_text_t text = {0};
    tensor_shape_print(&text, &layout->shape);
    pod_text_add(&text, ", the array is ");
    tensor_shape_print(&text, &shape);
    const pod_status_t status = pod_error(
        POD_INVALID_ARGUMENT, "argument %" PRId32 " (%s) of %s is %s", message->argument,
        executable->argument_names[message->argument], executable->name, text.bytes);
    pod_text_deinit(&text);
    return status;
  }
  *out_layout = array_layout_retain(layout);
  return NULL;
}

static pod_status_t check_chips(size_t count, const int64_t *chips, int32_t chip_count) {
  for (size_t i = 0; i < count; i++) {
    if (chips[i] < 0 || chips[i] >= chip_count) {
      return pod_error(POD_INVALID_ARGUMENT,
                       "the array is to be on chip %" PRId64
                       ", the pod has the chips 0 to %" PRId32,
                       chips[i], chip_count - 1);
    }
    for (size_t j = 0; j < i; j++) {
      if (chips[j] == chips[i]) {
        return pod_error(POD_INVALID_ARGUMENT,
                         "the array is to be on chip %" PRId64
                         " twice: name each chip once",
                         chips[i]);
      }
    }
  }
  return NULL;
}

static pod_status_t layout_on(const Podium__V1__PutArrayRequest *message,
                              const tensor_shape_t *shape, const sharding_t *sharding,
                              int32_t chip_count, array_layout_t **out_layout) {
  if (message->n_chips == 0) {
    POD_TRY(pod_status_context(mesh_check_ids(sharding->mesh, chip_count),
                               "the pod has %" PRId32 " chips", chip_count));
    return array_layout_create(shape, sharding, out_layout);
  }
  if (sharding->mesh->device_ids != NULL) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "the array's chips are given twice, as device ids of its sharding's "
                     "mesh and by themselves: give one of the two");
  }
  return array_layout_create_on(shape, sharding, (int32_t)message->n_chips,
                                message->chips, out_layout);
}

static pod_status_t layout_of_sharding(const coordinator_t *coordinator,
                                       const Podium__V1__PutArrayRequest *message,
                                       array_layout_t **out_layout) {
  const int32_t chip_count = registry_places(coordinator->registry)->count;
  tensor_shape_t shape;
  POD_TRY(wire_shape_unpack(message->shape, &shape));
  if (message->n_chips > (size_t)chip_count) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "the array is to be on %zu chips, the pod has %" PRId32,
                     message->n_chips, chip_count);
  }
  POD_TRY(check_chips(message->n_chips, message->chips, chip_count));
  if (message->sharding == NULL) {
    const bool is_on_some = message->n_chips > 0;
    return array_layout_create_replicated(
        &shape, is_on_some ? (int32_t)message->n_chips : chip_count,
        is_on_some ? message->chips : NULL, out_layout);
  }
  pod_arena_t *arena = pod_arena_create();
  const sharding_t *sharding;
  pod_status_t status =
      wire_sharding_unpack(message->sharding, arena, NULL, &shape, &sharding);
  if (status == NULL && sharding->mesh->device_count > chip_count) {
    status = pod_error(POD_FAILED_PRECONDITION,
                       "the sharding's mesh has %" PRId64 " devices, the pod has %" PRId32
                       " chips",
                       sharding->mesh->device_count, chip_count);
  }
  if (status == NULL) {
    status = layout_on(message, &shape, sharding, chip_count, out_layout);
  }
  pod_arena_destroy(arena);
  return status;
}

// Shards, and for each the chips that hold it, in order.
static void plan_shards(put_t *put) {
  const array_layout_t *layout = put->layout;
  put->shard_count = (int32_t)tensor_slicer_shard_count(put->slicer);
  put->shards = pod_alloc((size_t)put->shard_count * sizeof(*put->shards));
  put->holders = pod_alloc((size_t)layout->chip_count * sizeof(*put->holders));
  for (int32_t i = 0; i < layout->chip_count; i++) {
    put->shards[tensor_slicer_shard_of_device(put->slicer, layout->chips[i])]
        .holder_count++;
  }
  int32_t at = 0;
  for (int32_t shard = 0; shard < put->shard_count; shard++) {
    put->shards[shard].first_holder = at;
    at += put->shards[shard].holder_count;
    put->shards[shard].holder_count = 0;
  }
  for (int32_t i = 0; i < layout->chip_count; i++) {
    put_shard_t *shard =
        &put->shards[tensor_slicer_shard_of_device(put->slicer, layout->chips[i])];
    put->holders[shard->first_holder + shard->holder_count++] = i;
  }
  size_t piece = COORDINATOR_STAGING_BYTES / (size_t)put->shard_count;
  piece = piece > COORDINATOR_PIECE_BYTES ? COORDINATOR_PIECE_BYTES : piece;
  piece = piece < COORDINATOR_PIECE_BYTES_MIN ? COORDINATOR_PIECE_BYTES_MIN : piece;
  const size_t whole = (size_t)tensor_shape_bytes(&layout->local);
  put->piece_bytes = whole > 0 && piece > whole ? whole : piece;
}

static void start_calls(put_t *put) {
  static const chip_call_events_t events = {.on_writable = on_writable, .on_end = on_end};
  const array_layout_t *layout = put->layout;
  pod_arena_t *arena = pod_arena_create();
  Podium__V1__PutShardRequest message = PODIUM__V1__PUT_SHARD_REQUEST__INIT;
  message.session = put->request.operation.session->id;
  message.array = put->array;
  message.shape = wire_shape_pack(arena, &layout->local);
  message.is_host = layout->is_host;
  put->calls = pod_alloc((size_t)layout->chip_count * sizeof(*put->calls));
  fanout_begin(&put->fanout, layout->chip_count);
  for (int32_t i = 0; i < layout->chip_count; i++) {
    chip_call_start(&put->calls[i], put->request.coordinator->registry, layout->chips[i],
                    "/podium.v1.Worker/PutShard",
                    &podium__v1__put_shard_response__descriptor, &events, put);
    message.token = sharing_token(put->is_shared ? put->sharing : NULL, i);
    chip_call_send(&put->calls[i], &message.base);
  }
  pod_arena_destroy(arena);
}

static pod_status_t find_layout(const coordinator_t *coordinator,
                                const store_session_t *session,
                                const Podium__V1__PutArrayRequest *message,
                                array_layout_t **out_layout) {
  if (message->executable == 0) {
    POD_TRY(layout_of_sharding(coordinator, message, out_layout));
    (*out_layout)->is_host = message->is_host;
    return NULL;
  }
  if (message->n_chips > 0) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "an argument of an executable lies on the executable's chips: name "
                     "no chips, or no executable");
  }
  return layout_of_argument(session, message, out_layout);
}

// In a group of sessions each puts on its own chips.
static pod_status_t check_owner(const store_session_t *session,
                                const array_layout_t *layout) {
  for (int32_t i = 0; i < layout->chip_count; i++) {
    if (!store_owns_chip(session, layout->chips[i])) {
      return pod_error(POD_INVALID_ARGUMENT,
                       "the array is to be on chip %" PRId32 ", which is process %" PRId32
                       "'s: each process puts the parts on its own chips",
                       layout->chips[i], gang_owner(session->group, layout->chips[i]));
    }
  }
  return NULL;
}

static pod_status_t read_layout(const coordinator_t *coordinator,
                                const store_session_t *session,
                                const Podium__V1__PutArrayRequest *message,
                                array_layout_t **out_layout) {
  POD_TRY(find_layout(coordinator, session, message, out_layout));
  const pod_status_t status = check_owner(session, *out_layout);
  if (status != NULL) {
    array_layout_release(*out_layout);
  }
  return status;
}

// The array becomes this put's.
static void adopt(put_t *put, store_array_t *array) {
  array->is_declared = false;
  put->array = array->id;
  put->pending = array;
  put->layout = array_layout_retain(array->layout);
}

// One that was declared, or else a new one.
static pod_status_t take_array(put_t *put, const Podium__V1__PutArrayRequest *message) {
  store_session_t *session = put->request.operation.session;
  put->is_named = message->array != 0;
  store_array_t *array = store_declared_array(session, message->array);
  if (array == NULL) {
    POD_TRY(store_check_room(session, 1));
    uint64_t id = message->array;
    if (put->is_named) {
      POD_TRY(store_check_declared(session, id));
      POD_TRY(store_check_new_id(session, id));
    } else {
      id = store_new_id(put->request.coordinator->store);
    }
    array_layout_t *layout = NULL;
    POD_TRY(read_layout(put->request.coordinator, session, message, &layout));
    const pod_status_t status = store_check_hbm(session, layout);
    array = status == NULL ? store_add_pending(session, id, layout) : NULL;
    array_layout_release(layout);
    POD_TRY(status);
  }
  adopt(put, array);
  return NULL;
}

static void offer_sharing(put_t *put) {
  const array_layout_t *layout = put->layout;
  put->sharing = sharing_create(put->request.coordinator->registry,
                                put->request.operation.session->host, layout,
                                layout->chip_count, layout->chips);
  pod_arena_t *arena = pod_arena_create();
  Podium__V1__PutArrayResponse message = PODIUM__V1__PUT_ARRAY_RESPONSE__INIT;
  message.sharing = sharing_pack(arena, put->sharing);
  rpc_call_send(put->request.client, &message.base);
  pod_arena_destroy(arena);
}

static pod_status_t read_header(put_t *put, const Podium__V1__PutArrayRequest *message) {
  put->has_header = true;
  POD_TRY(request_begin(&put->request, message->session));
  POD_TRY(take_array(put, message));
  POD_TRY(tensor_slicer_create(put->layout->sharding, &put->layout->shape, &put->slicer));
  put->size_bytes = tensor_shape_bytes(&put->layout->shape);
  POD_TRY(request_take_memory(&put->request, put->size_bytes < COORDINATOR_STAGING_BYTES
                                                 ? put->size_bytes
                                                 : COORDINATOR_STAGING_BYTES));
  plan_shards(put);
  if (put->may_be_shared) {
    offer_sharing(put);
  } else {
    start_calls(put);
  }
  return NULL;
}

// --- By Dispatch ---

static pod_status_t declare(const coordinator_t *coordinator, store_session_t *session,
                            const Podium__V1__PutArrayRequest *message) {
  array_layout_t *layout = NULL;
  POD_TRY(read_layout(coordinator, session, message, &layout));
  const pod_status_t status = store_check_hbm(session, layout);
  if (status == NULL) {
    store_add_pending(session, message->array, layout)->is_declared = true;
  }
  array_layout_release(layout);
  return status;
}

void put_declare(const coordinator_t *coordinator, store_session_t *session,
                 const Podium__V1__PutArrayRequest *message) {
  pod_status_t status = store_check_room(session, 1);
  if (status == NULL) {
    status = store_check_new_id(session, message->array);
  }
  if (status != NULL) {
    pod_status_free(status);  // The put itself is told.
    return;
  }
  status = declare(coordinator, session, message);
  if (status != NULL) {
    store_add_failed(session, message->array, status);
  }
}

// --- The client's call ---

static pod_status_t size_error(const put_t *put, const char *at_least) {
  pod_text_t text = {0};
  tensor_shape_print(&text, &put->layout->shape);
  const pod_status_t status =
      pod_error(POD_INVALID_ARGUMENT, "%s has %" PRId64 " bytes, %s%" PRId64 " were sent",
                text.bytes, put->size_bytes, at_least, put->received_bytes);
  pod_text_deinit(&text);
  return status;
}

static pod_status_t read_data(put_t *put, const ProtobufCBinaryData *data) {
  if (data->len == 0) {
    return NULL;
  }
  if (put->calls == NULL || put->is_shared) {
    return pod_error(POD_INVALID_ARGUMENT, "data that are to go by shared memory");
  }
  put->received_bytes += (int64_t)data->len;
  if (put->received_bytes > put->size_bytes) {
    return size_error(put, "at least ");
  }
  const size_t sliced = slice(put, data->data, data->len);
  if (!put->is_blocked) {
    return NULL;
  }
  rpc_call_pause(put->request.client);
  return sliced == data->len ? NULL
                             : keep_rest(put, data->data + sliced, data->len - sliced);
}

// The message behind the header of one that may be shared.
static pod_status_t choose_way(put_t *put, const Podium__V1__PutArrayRequest *message) {
  if (message->shared && put->sharing == NULL) {
    return pod_error(POD_FAILED_PRECONDITION,
                     "the array is to go by shared memory, which was not offered");
  }
  put->is_shared = message->shared;
  start_calls(put);
  return NULL;
}

static void on_piece(request_t *request, const void *data) {
  put_t *put = (put_t *)request;
  const Podium__V1__PutArrayRequest *message = data;
  if (!put->has_header &&
      request_hold(request, message->session, message->after, message)) {
    return;
  }
  pod_status_t status = NULL;
  if (!put->has_header) {
    status = read_header(put, message);
  } else if (put->calls == NULL) {
    status = choose_way(put, message);
  }
  if (status == NULL) {
    status = read_data(put, &message->data);
  }
  if (status != NULL) {
    stop_put(put, FANOUT_CALLER, status);
  }
}

// All bytes are with the workers' calls.
static void store(put_t *put) {
  for (int32_t shard = 0; !put->is_shared && shard < put->shard_count; shard++) {
    flush_shard(put, &put->shards[shard]);
  }
  request_move(&put->request, PUT_STORING);
  for (int32_t i = 0; i < put->layout->chip_count; i++) {
    chip_call_half_close(&put->calls[i]);
  }
  free_buffers(put);
}

static void on_half_close(request_t *request) {
  put_t *put = (put_t *)request;
  if (!put->has_header) {
    stop_put(put, FANOUT_CALLER,
             pod_error(POD_INVALID_ARGUMENT, "PutArray without a header"));
    return;
  }
  if (put->calls == NULL && put->size_bytes == 0) {
    start_calls(put);
  }
  if (put->calls == NULL || (!put->is_shared && put->received_bytes != put->size_bytes)) {
    stop_put(put, FANOUT_CALLER, size_error(put, ""));
    return;
  }
  put->is_closing = true;
  if (put->is_shared || is_sliced(put)) {
    store(put);
  }
}

static void stop(request_t *request, pod_status_t status) {
  stop_put((put_t *)request, FANOUT_CALLER, status);
}

static void may_be_shared(request_t *request) {
  ((put_t *)request)->may_be_shared = true;
}

static const request_kind_t kind = {.name = "PutArray",
                                    .operation = OPERATION_PUT,
                                    .size_bytes = sizeof(put_t),
                                    .states = states,
                                    .state_count = POD_COUNT_OF(states),
                                    .on_message = on_piece,
                                    .on_half_close = on_half_close,
                                    .stop = stop};

static const request_kind_t shared_kind = {.name = "PutArrayShared",
                                           .operation = OPERATION_PUT,
                                           .size_bytes = sizeof(put_t),
                                           .states = states,
                                           .state_count = POD_COUNT_OF(states),
                                           .on_start = may_be_shared,
                                           .on_message = on_piece,
                                           .on_half_close = on_half_close,
                                           .stop = stop};

static pod_status_t start(rpc_call_t *client, void *service, void **out_context) {
  return request_start(&kind, client, service, out_context);
}

static pod_status_t start_shared(rpc_call_t *client, void *service, void **out_context) {
  return request_start(&shared_kind, client, service, out_context);
}

rpc_method_t put_method(void) {
  return request_method("/podium.v1.Podium/PutArray",
                        &podium__v1__put_array_request__descriptor,
                        &podium__v1__put_array_response__descriptor, start);
}

rpc_method_t put_shared_method(void) {
  return request_method("/podium.v1.Podium/PutArrayShared",
                        &podium__v1__put_array_request__descriptor,
                        &podium__v1__put_array_response__descriptor, start_shared);
}
