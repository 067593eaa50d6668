// Put streams pieces as the connection takes them; fetch writes what comes to where it
// belongs. The caller's thread waits, the session's thread moves.

#include <stdlib.h>
#include <string.h>

#include "client/lib/executable.h"
#include "common/base/memory.h"

static void free_array(lib_handle_t *handle) {
  free(handle);
}

podium_array_t *lib_array_create(podium_session_t *session, uint64_t id,
                                 const podium_shape_t *shape) {
  podium_array_t *array = pod_alloc(sizeof(*array));
  array->shape = *shape;
  lib_handle_add(session, &array->handle, id, free_array);
  return array;
}

const podium_shape_t *podium_array_shape(const podium_array_t *array) {
  return array == NULL ? NULL : &array->shape;
}

void podium_array_free(podium_array_t *array) {
  if (array != NULL) {
    lib_handle_remove(&array->handle);
    lib_free_remote(array->handle.session, array->handle.id, 0);
    free_array(&array->handle);
  }
}

// --- Put ---

typedef struct put_t {
  lib_wait_t wait;
  podium_session_t *session;
  Podium__V1__PutArrayRequest header;
  podium_read_fn_t read;
  void *context;
  int64_t timeout_ms;
  uint8_t *chunk;  // For `read`.
  int64_t size_bytes, sent_bytes;
  bool gave_up;
  uint64_t array;
} put_t;

static void send_chunks(rpc_call_t *call, void *context) {
  put_t *put = context;
  while (!put->gave_up && put->sent_bytes < put->size_bytes &&
         rpc_call_is_writable(call)) {
    const int64_t left = put->size_bytes - put->sent_bytes;
    const size_t wanted = left < LIB_CHUNK_BYTES ? (size_t)left : LIB_CHUNK_BYTES;
    const int64_t got = put->read(put->context, put->chunk, wanted);
    if (got <= 0 || got > (int64_t)wanted) {
      put->gave_up = true;
      rpc_call_cancel(call);
      return;
    }
    Podium__V1__PutArrayRequest request = PODIUM__V1__PUT_ARRAY_REQUEST__INIT;
    request.data.data = put->chunk;
    request.data.len = (size_t)got;
    rpc_call_send(call, &request.base);
    put->sent_bytes += got;
    if (put->sent_bytes == put->size_bytes) {
      rpc_call_half_close(call);
    }
  }
}

static void on_put_response(rpc_call_t *call, const void *response, void *context) {
  (void)call;
  ((put_t *)context)->array = ((const Podium__V1__PutArrayResponse *)response)->array;
}

static void on_put_end(rpc_call_t *call, pod_status_t status, void *context) {
  (void)call;
  put_t *put = context;
  if (put->gave_up) {
    pod_status_free(status);
    status = pod_error(POD_CANCELLED,
                       "the source of the array gave up after %lld of %lld bytes",
                       (long long)put->sent_bytes, (long long)put->size_bytes);
  } else if (status == NULL && put->array == 0) {
    status = pod_error(POD_INTERNAL, "the coordinator ended PutArray without an array");
  }
  lib_wait_finish(&put->wait, status);
}

static void start_put(void *context) {
  put_t *put = context;
  const rpc_call_events_t events = {
      .on_message = on_put_response, .on_writable = send_chunks, .on_end = on_put_end};
  rpc_call_t *call =
      rpc_call_start(put->session->channel, "/podium.v1.Podium/PutArray",
                     &podium__v1__put_array_response__descriptor, &events, put,
                     &(rpc_call_options_t){.timeout_ms = put->timeout_ms});
  rpc_call_send(call, &put->header.base);
  if (put->size_bytes == 0) {
    rpc_call_half_close(call);
  }
  send_chunks(call, put);
}

// What the array is and where it goes: fills the header; its parts are in `arena`.
static pod_status_t describe(podium_session_t *session, const podium_layout_t *layout,
                             pod_arena_t *arena, podium_shape_t *out_shape,
                             Podium__V1__PutArrayRequest *header) {
  *out_shape = layout->shape;
  if (layout->executable != NULL) {
    const podium_program_info_t *info = &layout->executable->info;
    if (layout->executable->handle.session != session) {
      return pod_error(POD_INVALID_ARGUMENT, "'%s' belongs to another session",
                       info->name);
    }
    if (layout->argument < 0 || layout->argument >= info->argument_count) {
      return pod_error(POD_INVALID_ARGUMENT, "argument %d of '%s', which has %d",
                       layout->argument, info->name, info->argument_count);
    }
    *out_shape = info->arguments[layout->argument].shape;
    header->executable = layout->executable->handle.id;
    header->argument = layout->argument;
  }
  if (podium_shape_bytes(out_shape) < 0) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "the layout's shape is none: rank %d, dtype %d", out_shape->rank,
                     (int)out_shape->dtype);
  }
  header->session = session->id;
  header->shape = pod_arena_alloc(arena, sizeof(*header->shape));
  lib_shape_message(out_shape, header->shape);
  if (layout->chip_count < 0 || (layout->chip_count > 0 && layout->chips == NULL)) {
    return pod_error(POD_INVALID_ARGUMENT, "the layout has %d chips and no list of them",
                     layout->chip_count);
  }
  header->n_chips = (size_t)layout->chip_count;
  header->chips = (int64_t *)(uintptr_t)layout->chips;
  if (layout->executable == NULL && layout->sharding != NULL) {
    POD_TRY(lib_sharding_message(arena, out_shape, layout->sharding, &header->sharding));
  }
  return NULL;
}

static pod_status_t put_stream(podium_session_t *session, const podium_layout_t *layout,
                               podium_read_fn_t read, void *context, int64_t timeout_ms,
                               podium_array_t **out_array) {
  pod_arena_t *arena = pod_arena_create();
  put_t put = {.session = session,
               .header = PODIUM__V1__PUT_ARRAY_REQUEST__INIT,
               .read = read,
               .context = context,
               .timeout_ms = timeout_ms};
  podium_shape_t shape;
  pod_status_t status = describe(session, layout, arena, &shape, &put.header);
  if (status == NULL) {
    put.size_bytes = podium_shape_bytes(&shape);
    put.chunk = pod_alloc(LIB_CHUNK_BYTES);
    status = lib_wait_run(session, &put.wait, start_put, &put);
    free(put.chunk);
  }
  pod_arena_destroy(arena);
  POD_TRY(status);
  *out_array = lib_array_create(session, put.array, &shape);
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
  return lib_status(put_stream(session, layout, read, context, timeout_ms, out_array));
}

typedef struct memory_t {
  const char *next;
} memory_t;

static int64_t read_memory(void *context, void *buffer, size_t size) {
  memory_t *memory = context;
  memcpy(buffer, memory->next, size);
  memory->next += size;
  return (int64_t)size;
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
  const podium_shape_t *shape = &layout->shape;
  const podium_executable_t *executable = layout->executable;
  if (executable != NULL && layout->argument >= 0 &&
      layout->argument < executable->info.argument_count) {
    shape = &executable->info.arguments[layout->argument].shape;
  }
  const int64_t needed = podium_shape_bytes(shape);
  if (needed >= 0 && (uint64_t)needed != size) {
    char text[256];
    podium_shape_print(shape, text, sizeof(text));
    return lib_status(pod_error(POD_INVALID_ARGUMENT, "%s has %lld bytes, %zu were given",
                                text, (long long)needed, size));
  }
  memory_t memory = {.next = data};
  return lib_status(
      put_stream(session, layout, read_memory, &memory, timeout_ms, out_array));
}

// --- Fetch ---

typedef struct fetch_t {
  lib_wait_t wait;
  podium_array_t *array;
  uint8_t *data;
  size_t size, received;
  bool overflowed;
  int64_t timeout_ms;
} fetch_t;

static void on_fetch_data(rpc_call_t *call, const void *response, void *context) {
  fetch_t *fetch = context;
  const Podium__V1__FetchArrayResponse *message = response;
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

static void on_fetch_end(rpc_call_t *call, pod_status_t status, void *context) {
  (void)call;
  fetch_t *fetch = context;
  if (fetch->overflowed || (status == NULL && fetch->received != fetch->size)) {
    pod_status_free(status);
    status = pod_error(POD_DATA_LOSS, "the array has %zu bytes, the coordinator sent %s",
                       fetch->size, fetch->overflowed ? "more" : "fewer");
  }
  lib_wait_finish(&fetch->wait, status);
}

static void start_fetch(void *context) {
  fetch_t *fetch = context;
  const rpc_call_events_t events = {.on_message = on_fetch_data, .on_end = on_fetch_end};
  podium_session_t *session = fetch->array->handle.session;
  rpc_call_t *call =
      rpc_call_start(session->channel, "/podium.v1.Podium/FetchArray",
                     &podium__v1__fetch_array_response__descriptor, &events, fetch,
                     &(rpc_call_options_t){.timeout_ms = fetch->timeout_ms});
  Podium__V1__FetchArrayRequest request = PODIUM__V1__FETCH_ARRAY_REQUEST__INIT;
  request.session = session->id;
  request.array = fetch->array->handle.id;
  rpc_call_send(call, &request.base);
  rpc_call_half_close(call);
}

podium_status_t *podium_fetch(podium_array_t *array, void *data, size_t size,
                              int64_t timeout_ms) {
  LIB_REQUIRE(array);
  if (size > 0) {
    LIB_REQUIRE(data);
  }
  const int64_t needed = podium_shape_bytes(&array->shape);
  if ((uint64_t)needed != size) {
    char text[256];
    podium_shape_print(&array->shape, text, sizeof(text));
    return lib_status(pod_error(POD_INVALID_ARGUMENT,
                                "%s has %lld bytes, the buffer has %zu", text,
                                (long long)needed, size));
  }
  fetch_t fetch = {.array = array, .data = data, .size = size, .timeout_ms = timeout_ms};
  return lib_status(
      lib_wait_run(array->handle.session, &fetch.wait, start_fetch, &fetch));
}
