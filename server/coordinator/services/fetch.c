// FetchArray: the streams of an array's shards are put together to the stream of the
// global array, in row-major order, while they come.
//
// When the client asks for it and can, it takes the shards from the chips by itself
// (sharing.h); what is left here is to hear how that ends.
//
// Each shard comes from one chip that still has it. Memory: one message of each shard
// (COORDINATOR_STAGING_BYTES over all, and what HTTP/2 lets be under way) and one message
// for the client; a client that does not read holds the workers, and of his other fetches
// few are on their way meanwhile.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/arena.h"
#include "common/base/check.h"
#include "common/base/memory.h"
#include "common/tensor/slicer.h"
#include "proto/podium/v1/podium.pb-c.h"
#include "proto/podium/v1/worker.pb-c.h"
#include "server/coordinator/chip_call.h"
#include "server/coordinator/coordinator_private.h"
#include "server/coordinator/core/fanout.h"
#include "server/coordinator/services/request.h"
#include "server/coordinator/services/sharing.h"
#include "server/wire/types.h"

enum {
  CHUNK_BYTES = 1 << 20,      // To the client, when it does not say.
  CHUNK_BYTES_MIN = 4 << 10,  // What it may say is brought into these bounds.
  CHUNK_BYTES_MAX = 2 << 20,
  FETCHES_MAX = 4,             // Of a session, on their way from the chips at a time,
  FREE_BYTES_MAX = 256 << 10,  // but for those that are so small.
};

typedef enum fetch_state_t {
  FETCH_NEW = 0,
  FETCH_WAITING,  // For an array that is not there yet.
  FETCH_QUEUED,   // Others of its session are running.
  FETCH_RUNNING,  // The chips send their shards.
  FETCH_OVER,
} fetch_state_t;

static const pod_state_t states[] = {
    [FETCH_NEW] = {"new", POD_TO(FETCH_WAITING) | POD_TO(FETCH_QUEUED) |
                              POD_TO(FETCH_RUNNING) | POD_TO(FETCH_OVER)},
    [FETCH_WAITING] = {"waiting",
                       POD_TO(FETCH_QUEUED) | POD_TO(FETCH_RUNNING) | POD_TO(FETCH_OVER)},
    [FETCH_QUEUED] = {"queued", POD_TO(FETCH_RUNNING) | POD_TO(FETCH_OVER)},
    [FETCH_RUNNING] = {"running", POD_TO(FETCH_OVER)},
    [FETCH_OVER] = {"over", 0},
};

typedef struct fetch_shard_t {
  chip_call_t call;  // First, so that the call finds its shard.
  uint8_t *data;     // The message that is being used up.
  size_t capacity, size_bytes, at;
  int64_t received_bytes;
  int64_t skipped_bytes;  // That are to come again, from another chip.
  int32_t lost_count;     // Chips that were lost while they sent it.
} fetch_shard_t;

struct fetch_t {
  request_t request;     // First, so that the operation finds it.
  fetch_t *next_queued;  // While QUEUED.
  bool is_streaming;     // It counts as its session's.
  store_waiter_t waits;  // For the array.
  store_array_t *array;  // In use.
  bool by_chip;          // Only what `chip` has.
  int32_t chip;
  array_layout_t *layout;  // Of what is sent: the array's, or one chip's part alone.
  tensor_slicer_t *slicer;
  int32_t shard_count;
  fetch_shard_t *shards;
  fanout_t fanout;
  uint8_t *chunk;
  size_t chunk_bytes, chunk_filled;
  int64_t size_bytes;
  // Assembled, in the chunk or gone out, with the padding of the shards, which stays
  // here.
  int64_t walk_bytes, walked_bytes;
  bool wants_sharing;
  sharing_t *sharing;  // NULL: the bytes go through here.
};

// Nothing happens when it is not in it.
static void leave_queue(fetch_t *fetch) {
  fetch_t **at = &fetch->request.coordinator->queued_fetches;
  while (*at != NULL && *at != fetch) {
    at = &(*at)->next_queued;
  }
  if (*at != NULL) {
    *at = fetch->next_queued;
  }
}

static void run_queued(coordinator_t *coordinator, const store_session_t *session);

// Takes `status`; NULL for OK.
static void end_fetch(fetch_t *fetch, pod_status_t status) {
  leave_queue(fetch);
  request_move(&fetch->request, FETCH_OVER);
  fetch->request.moved_bytes = fetch->size_bytes;
  request_fail(&fetch->request, status);
  for (int32_t shard = 0; fetch->shards != NULL && shard < fetch->shard_count; shard++) {
    free(fetch->shards[shard].data);
  }
  free(fetch->shards);
  free(fetch->chunk);
  tensor_slicer_destroy(fetch->slicer);
  sharing_destroy(fetch->sharing);
  fanout_deinit(&fetch->fanout);
  store_array_leave(&fetch->waits);
  array_layout_release(fetch->layout);
  if (fetch->array != NULL) {
    fetch->array->reader_count--;
    store_array_unuse(fetch->array);
    executions_look_again(fetch->request.coordinator);
  }
  if (fetch->is_streaming) {
    store_session_t *session = fetch->request.operation.session;
    session->fetch_count--;
    run_queued(fetch->request.coordinator, session);
  }
  request_end(&fetch->request);
}

static void cancel_calls(fetch_t *fetch) {
  for (int32_t shard = 0; shard < fetch->shard_count; shard++) {
    chip_call_cancel(&fetch->shards[shard].call);
  }
}

static void stop_fetch(fetch_t *fetch, fanout_rank_t rank, pod_status_t status) {
  if (request_is_over(&fetch->request)) {
    pod_status_free(status);
  } else if (request_is(&fetch->request, FETCH_NEW) ||
             request_is(&fetch->request, FETCH_WAITING) ||
             request_is(&fetch->request, FETCH_QUEUED)) {
    end_fetch(fetch, status);
  } else if (fanout_stop(&fetch->fanout, rank, status)) {
    cancel_calls(fetch);
  } else if (fanout_is_over(&fetch->fanout)) {
    end_fetch(fetch, fanout_take(&fetch->fanout));
  }
}

// --- Assembling ---

static void send_chunk(fetch_t *fetch) {
  Podium__V1__FetchArrayResponse message = PODIUM__V1__FETCH_ARRAY_RESPONSE__INIT;
  message.data.data = fetch->chunk;
  message.data.len = fetch->chunk_filled;
  rpc_call_send(fetch->request.client, &message.base);
  fetch->chunk_filled = 0;
}

// Until a shard has to come, the client has to read, or all is out.
static void assemble(fetch_t *fetch) {
  while (fetch->walked_bytes < fetch->walk_bytes &&
         rpc_call_is_writable(fetch->request.client)) {
    const tensor_run_t run =
        tensor_slicer_run_at(fetch->slicer, fetch->walked_bytes,
                             (int64_t)(fetch->chunk_bytes - fetch->chunk_filled));
    fetch_shard_t *shard = &fetch->shards[run.shard];
    const size_t there = shard->size_bytes - shard->at;
    if (there == 0) {
      return;
    }
    const size_t step = (size_t)run.size_bytes < there ? (size_t)run.size_bytes : there;
    if (!run.is_padding) {
      memcpy(fetch->chunk + fetch->chunk_filled, shard->data + shard->at, step);
      fetch->chunk_filled += step;
    }
    shard->at += step;
    fetch->walked_bytes += (int64_t)step;
    if (shard->at == shard->size_bytes && shard->call.rpc != NULL) {
      rpc_call_resume(shard->call.rpc);
    }
    const bool is_last = fetch->walked_bytes == fetch->walk_bytes;
    if (fetch->chunk_filled == fetch->chunk_bytes ||
        (is_last && fetch->chunk_filled > 0)) {
      send_chunk(fetch);
    }
  }
}

// All chips have ended; all may be out, or the client may still have to read.
static void end_if_done(fetch_t *fetch) {
  if (!fanout_is_over(&fetch->fanout)) {
    return;
  }
  const pod_status_t cause = fanout_take(&fetch->fanout);
  if (cause != NULL || fetch->walked_bytes == fetch->walk_bytes) {
    end_fetch(fetch, cause);
  }
}

static pod_status_t shard_error(const fetch_t *fetch, const fetch_shard_t *shard,
                                const char *what) {
  return pod_error(POD_DATA_LOSS,
                   "chip %" PRId32 " sent %" PRId64
                   " bytes of its shard of array %" PRIu64 ", %s %" PRId64,
                   shard->call.chip, shard->received_bytes, fetch->array->id, what,
                   tensor_slicer_shard_bytes(fetch->slicer));
}

static void on_shard_message(chip_call_t *call, const void *response) {
  fetch_shard_t *shard = (fetch_shard_t *)call;
  fetch_t *fetch = call->owner;
  const Podium__V1__FetchShardResponse *message = response;
  const size_t skipped = (int64_t)message->data.len < shard->skipped_bytes
                             ? message->data.len
                             : (size_t)shard->skipped_bytes;
  const uint8_t *data = message->data.data + skipped;
  const size_t size_bytes = message->data.len - skipped;
  shard->skipped_bytes -= (int64_t)skipped;
  if (fetch->fanout.is_stopping || size_bytes == 0 || fetch->sharing != NULL) {
    return;
  }
  shard->received_bytes += (int64_t)size_bytes;
  if (shard->received_bytes > tensor_slicer_shard_bytes(fetch->slicer)) {
    stop_fetch(fetch, FANOUT_WORK, shard_error(fetch, shard, "more than its"));
    return;
  }
  POD_CHECK(shard->at == shard->size_bytes);
  if (size_bytes > shard->capacity) {
    free(shard->data);
    shard->data = malloc(size_bytes);
    shard->capacity = shard->data == NULL ? 0 : size_bytes;
  }
  if (shard->data == NULL) {
    stop_fetch(fetch, FANOUT_WORK,
               pod_error(POD_RESOURCE_EXHAUSTED, "no memory for a message of %zu bytes",
                         size_bytes));
    return;
  }
  memcpy(shard->data, data, size_bytes);
  shard->size_bytes = size_bytes;
  shard->at = 0;
  rpc_call_pause(call->rpc);
  assemble(fetch);
}

static bool take_from_other(fetch_t *fetch, fetch_shard_t *shard);

static void on_shard_end(chip_call_t *call, pod_status_t status, bool is_lost) {
  fetch_shard_t *shard = (fetch_shard_t *)call;
  fetch_t *fetch = call->owner;
  if (status == NULL && fetch->sharing == NULL &&
      shard->received_bytes < tensor_slicer_shard_bytes(fetch->slicer)) {
    status = shard_error(fetch, shard, "fewer than its");
  }
  if (is_lost && take_from_other(fetch, shard)) {
    pod_status_free(status);
    return;
  }
  if (fanout_ended(&fetch->fanout, status, is_lost)) {
    cancel_calls(fetch);
  }
  end_if_done(fetch);
}

// --- Request ---

// A chip that still has the shard, other than `lost` (-1: any), or -1.
static int32_t choose_chip(const fetch_t *fetch, int64_t shard, int32_t lost) {
  const store_array_t *array = fetch->array;
  if (fetch->by_chip) {
    const int32_t part = array_layout_find(array->layout, fetch->chip);
    const bool is_lost = array->lost_chips != NULL && array->lost_chips[part];
    return !is_lost && store_owns_chip(array->session, fetch->chip) ? fetch->chip : -1;
  }
  for (int32_t i = 0; i < array->layout->chip_count; i++) {
    const int32_t chip = array->layout->chips[i];
    if (tensor_slicer_shard_of_device(fetch->slicer, chip) == shard && chip != lost &&
        store_owns_chip(array->session, chip) &&
        (array->lost_chips == NULL || !array->lost_chips[i])) {
      return chip;
    }
  }
  return -1;
}

static pod_status_t choose_chunk(const Podium__V1__FetchArrayRequest *request,
                                 size_t *out_bytes) {
  if (request->chunk_bytes < 0) {
    return pod_error(POD_INVALID_ARGUMENT, "chunks of %" PRId64 " bytes",
                     request->chunk_bytes);
  }
  int64_t bytes = request->chunk_bytes == 0 ? CHUNK_BYTES : request->chunk_bytes;
  bytes = bytes < CHUNK_BYTES_MIN ? CHUNK_BYTES_MIN : bytes;
  *out_bytes = (size_t)(bytes > CHUNK_BYTES_MAX ? CHUNK_BYTES_MAX : bytes);
  return NULL;
}

static void send_header(fetch_t *fetch) {
  pod_arena_t *arena = pod_arena_create();
  Podium__V1__FetchArrayResponse message = PODIUM__V1__FETCH_ARRAY_RESPONSE__INIT;
  message.shape = wire_shape_pack(arena, &fetch->layout->shape);
  if (!fetch->by_chip) {
    message.sharding = wire_sharding_pack(arena, fetch->layout->sharding, true);
  }
  if (fetch->wants_sharing) {
    message.sharing = sharing_pack(arena, fetch->sharing);
  }
  rpc_call_send(fetch->request.client, &message.base);
  pod_arena_destroy(arena);
}

static void start_call(fetch_t *fetch, int32_t index, int32_t chip) {
  static const chip_call_events_t events = {.on_message = on_shard_message,
                                            .on_end = on_shard_end};
  chip_call_t *call = &fetch->shards[index].call;
  size_t piece = COORDINATOR_STAGING_BYTES / (size_t)fetch->shard_count;
  piece = piece > CHUNK_BYTES ? CHUNK_BYTES : piece;
  Podium__V1__FetchShardRequest request = PODIUM__V1__FETCH_SHARD_REQUEST__INIT;
  request.array = fetch->array->id;
  request.chunk_bytes =
      (int64_t)(piece < COORDINATOR_PIECE_BYTES_MIN ? COORDINATOR_PIECE_BYTES_MIN
                                                    : piece);
  request.token = sharing_token(fetch->sharing, index);
  chip_call_start(call, fetch->request.coordinator->registry, chip,
                  "/podium.v1.Worker/FetchShard",
                  &podium__v1__fetch_shard_response__descriptor, &events, fetch);
  chip_call_send(call, &request.base);
  chip_call_half_close(call);
}

static void start_calls(fetch_t *fetch) {
  fanout_begin(&fetch->fanout, fetch->shard_count);
  request_move(&fetch->request, FETCH_RUNNING);
  for (int32_t shard = 0; shard < fetch->shard_count; shard++) {
    start_call(fetch, shard, choose_chip(fetch, shard, -1));
  }
}

// The chip was lost; another one that has the same sends it from the start, and what has
// come is left out. False when there is none, or the bytes do not come here: the client
// asks again then.
static bool take_from_other(fetch_t *fetch, fetch_shard_t *shard) {
  const int32_t index = (int32_t)(shard - fetch->shards);
  const int32_t chip = choose_chip(fetch, index, shard->call.chip);
  if (fetch->fanout.is_stopping || fetch->sharing != NULL || fetch->by_chip || chip < 0 ||
      ++shard->lost_count >= fetch->layout->chip_count) {
    return false;
  }
  shard->skipped_bytes = shard->received_bytes;
  start_call(fetch, index, chip);
  if (shard->at < shard->size_bytes && shard->call.rpc != NULL) {
    rpc_call_pause(shard->call.rpc);  // assemble() resumes it.
  }
  return true;
}

static pod_status_t choose_layout(fetch_t *fetch) {
  array_layout_t *layout = fetch->array->layout;
  if (!fetch->by_chip) {
    fetch->layout = array_layout_retain(layout);
    return NULL;
  }
  if (array_layout_find(layout, fetch->chip) < 0) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "array %" PRIu64 " has no part on chip %" PRId32, fetch->array->id,
                     fetch->chip);
  }
  const int64_t chip = fetch->chip;
  return array_layout_create_replicated(&layout->local, 1, &chip, &fetch->layout);
}

// Nothing is to be sent by us then.
static void share(fetch_t *fetch) {
  int32_t *chips = pod_alloc((size_t)fetch->shard_count * sizeof(*chips));
  for (int32_t shard = 0; shard < fetch->shard_count; shard++) {
    chips[shard] = choose_chip(fetch, shard, -1);
  }
  fetch->sharing = sharing_create(fetch->request.coordinator->registry,
                                  fetch->request.operation.session->host, fetch->layout,
                                  fetch->shard_count, chips);
  if (fetch->sharing != NULL) {
    fetch->walked_bytes = fetch->walk_bytes;
  }
  free(chips);
}

// Chips of the session's have all of it.
static pod_status_t check_there(const fetch_t *fetch) {
  for (int32_t shard = 0; shard < fetch->shard_count; shard++) {
    if (choose_chip(fetch, shard, -1) < 0) {
      POD_TRY(store_check_whole(fetch->array));
      return pod_error(
          POD_INVALID_ARGUMENT,
          "array %" PRIu64
          " has parts on chips of other processes, which they fetch: by chip "
          "each process has its own",
          fetch->array->id);
    }
  }
  return NULL;
}

// --- One after the other ---
//
// A client that does not read leaves with us, of each of its fetches, what the chips have
// sent: so a session has few of them on their way at a time.

// What waits of it when the client does not read.
static int64_t held_bytes(const fetch_t *fetch) {
  const int64_t most =
      COORDINATOR_STAGING_BYTES + (int64_t)fetch->shard_count * RPC_WINDOW_BYTES;
  return (int64_t)fetch->chunk_bytes +
         (fetch->size_bytes < most ? fetch->size_bytes : most);
}

static bool must_queue(const fetch_t *fetch) {
  return fetch->sharing == NULL && fetch->size_bytes > FREE_BYTES_MAX &&
         fetch->request.operation.session->fetch_count >= FETCHES_MAX;
}

// Behind those that came before.
static void queue_up(fetch_t *fetch) {
  request_move(&fetch->request, FETCH_QUEUED);
  fetch_t **at = &fetch->request.coordinator->queued_fetches;
  while (*at != NULL) {
    at = &(*at)->next_queued;
  }
  *at = fetch;
}

// All of it can come.
static pod_status_t run_fetch(fetch_t *fetch) {
  if ((int64_t)fetch->chunk_bytes > fetch->size_bytes) {
    fetch->chunk_bytes = (size_t)fetch->size_bytes;
  }
  if (fetch->sharing == NULL) {
    POD_TRY(request_take_memory(&fetch->request, held_bytes(fetch)));
    fetch->is_streaming = fetch->size_bytes > FREE_BYTES_MAX;
    fetch->request.operation.session->fetch_count += fetch->is_streaming;
  }
  fetch->chunk = pod_alloc(fetch->chunk_bytes);
  send_header(fetch);
  start_calls(fetch);
  return NULL;
}

static fetch_t *find_queued(const coordinator_t *coordinator,
                            const store_session_t *session) {
  fetch_t *fetch = coordinator->queued_fetches;
  while (fetch != NULL && fetch->request.operation.session != session) {
    fetch = fetch->next_queued;
  }
  return fetch;
}

// One of the session's has ended.
static void run_queued(coordinator_t *coordinator, const store_session_t *session) {
  fetch_t *fetch;
  while (!session->is_closing && !coordinator->is_destroyed &&
         (fetch = find_queued(coordinator, session)) != NULL && !must_queue(fetch)) {
    pod_status_t status = check_there(fetch);
    if (status == NULL) {
      leave_queue(fetch);
      status = run_fetch(fetch);
    }
    if (status != NULL) {
      end_fetch(fetch, status);
    }
  }
}

// The array is there, or has failed.
static pod_status_t begin_fetch(fetch_t *fetch) {
  if (fetch->array->state == STORE_ARRAY_FAILED) {
    return store_check_whole(fetch->array);
  }
  POD_TRY(choose_layout(fetch));
  const array_layout_t *layout = fetch->layout;
  POD_TRY(tensor_slicer_create(layout->sharding, &layout->shape, &fetch->slicer));
  fetch->shard_count = (int32_t)tensor_slicer_shard_count(fetch->slicer);
  POD_TRY(check_there(fetch));
  fetch->size_bytes = tensor_shape_bytes(&layout->shape);
  fetch->walk_bytes = tensor_slicer_walk_bytes(fetch->slicer);
  fetch->shards = pod_alloc((size_t)fetch->shard_count * sizeof(*fetch->shards));
  if (fetch->wants_sharing) {
    share(fetch);
  }
  if (must_queue(fetch)) {
    queue_up(fetch);
    return NULL;
  }
  return run_fetch(fetch);
}

static void array_is_known(store_waiter_t *waiter) {
  fetch_t *fetch = (fetch_t *)(void *)((char *)waiter - offsetof(fetch_t, waits));
  const pod_status_t status = begin_fetch(fetch);
  if (status != NULL) {
    end_fetch(fetch, status);
  }
}

static pod_status_t start_fetch(fetch_t *fetch,
                                const Podium__V1__FetchArrayRequest *request) {
  POD_TRY(request_begin(&fetch->request, request->session));
  POD_TRY(choose_chunk(request, &fetch->chunk_bytes));
  POD_TRY(
      store_find_array(fetch->request.operation.session, request->array, &fetch->array));
  store_array_use(fetch->array);
  fetch->array->reader_count++;
  fetch->wants_sharing = request->share;
  fetch->by_chip = request->by_chip;
  fetch->chip = request->chip;
  if (fetch->array->state == STORE_ARRAY_PENDING) {
    request_move(&fetch->request, FETCH_WAITING);
    store_array_await(fetch->array, &fetch->waits, array_is_known);
    return NULL;
  }
  return begin_fetch(fetch);
}

// --- The client's call ---

static void on_request(request_t *request, const void *message) {
  fetch_t *fetch = (fetch_t *)request;
  const Podium__V1__FetchArrayRequest *header = message;
  if (request_hold(request, header->session, header->after, header)) {
    return;
  }
  const pod_status_t status = start_fetch(fetch, header);
  if (status != NULL) {
    end_fetch(fetch, status);
  }
}

static void on_writable(request_t *request) {
  fetch_t *fetch = (fetch_t *)request;
  if (request_is(request, FETCH_RUNNING) && !fetch->fanout.is_stopping) {
    assemble(fetch);
    end_if_done(fetch);
  }
}

static void stop(request_t *request, pod_status_t status) {
  stop_fetch((fetch_t *)request, FANOUT_CALLER, status);
}

static const request_kind_t kind = {.name = "FetchArray",
                                    .operation = OPERATION_FETCH,
                                    .size_bytes = sizeof(fetch_t),
                                    .states = states,
                                    .state_count = POD_COUNT_OF(states),
                                    .on_message = on_request,
                                    .on_writable = on_writable,
                                    .stop = stop};

static pod_status_t start(rpc_call_t *client, void *service, void **out_context) {
  return request_start(&kind, client, service, out_context);
}

rpc_method_t fetch_method(void) {
  rpc_method_t method = request_method_of_one(
      "/podium.v1.Podium/FetchArray", &podium__v1__fetch_array_request__descriptor,
      &podium__v1__fetch_array_response__descriptor, start);
  method.message_bytes_max = REQUEST_SMALL_BYTES_MAX;
  return method;
}
