// PJRT's callbacks of send and recv, as those that libpodium knows.
//
// A send gives its whole array as one chunk, which the callback frees. A recv hands out a
// stream, which the callback may fill from any thread and at any time, and which it
// destroys; the execution goes on when all bytes have been added. Who waits for them and
// the stream's owner count it.

#include <stdlib.h>
#include <string.h>

#include "client/pjrt/plugin.h"
#include "common/base/memory.h"

struct host_callbacks_t {
  int device_count;  // Of the program.
  size_t send_count, recv_count;
  PJRT_SendCallbackInfo *sends;  // [device][operation].
  PJRT_RecvCallbackInfo *recvs;
  future_t *released;
};

struct PJRT_CopyToDeviceStream {
  atomic_int use_count;
  pthread_mutex_t mutex;
  pthread_cond_t wake;
  // Guarded by `mutex`.
  uint8_t *bytes;
  size_t total, current;
  bool is_destroyed;
};

// --- Streams ---

static void release_stream(PJRT_CopyToDeviceStream *stream) {
  if (atomic_fetch_sub(&stream->use_count, 1) == 1) {
    pthread_cond_destroy(&stream->wake);
    pthread_mutex_destroy(&stream->mutex);
    free(stream->bytes);
    free(stream);
  }
}

static PJRT_CopyToDeviceStream *make_stream(size_t total) {
  PJRT_CopyToDeviceStream *stream = pod_alloc(sizeof(*stream));
  atomic_init(&stream->use_count, 2);
  pthread_mutex_init(&stream->mutex, NULL);
  pthread_cond_init(&stream->wake, NULL);
  stream->bytes = pod_alloc(total + 1);
  stream->total = total;
  return stream;
}

PJRT_Error *stream_destroy(PJRT_CopyToDeviceStream_Destroy_Args *args) {
  PJRT_CopyToDeviceStream *stream = args->stream;
  if (stream != NULL) {
    pthread_mutex_lock(&stream->mutex);
    stream->is_destroyed = true;
    pthread_cond_signal(&stream->wake);
    pthread_mutex_unlock(&stream->mutex);
    release_stream(stream);
  }
  return NULL;
}

PJRT_Error *stream_add_chunk(PJRT_CopyToDeviceStream_AddChunk_Args *args) {
  PJRT_CopyToDeviceStream *stream = args->stream;
  const PJRT_Chunk *chunk = args->chunk;
  pod_status_t status = NULL;
  pthread_mutex_lock(&stream->mutex);
  if (chunk->size > stream->total - stream->current) {
    status = pod_error(POD_INVALID_ARGUMENT,
                       "a chunk of %zu bytes for a stream that lacks %zu of %zu",
                       chunk->size, stream->total - stream->current, stream->total);
  } else if (chunk->size > 0) {
    memcpy(stream->bytes + stream->current, chunk->data, chunk->size);
    stream->current += chunk->size;
  }
  pthread_cond_signal(&stream->wake);
  pthread_mutex_unlock(&stream->mutex);
  if (chunk->deleter != NULL) {
    chunk->deleter(chunk->data, chunk->deleter_arg);
  }
  args->transfer_complete = pjrt_event_done(status);
  return NULL;
}

PJRT_Error *stream_total_bytes(PJRT_CopyToDeviceStream_TotalBytes_Args *args) {
  args->total_bytes = (int64_t)args->stream->total;
  return NULL;
}

PJRT_Error *stream_granule_size(PJRT_CopyToDeviceStream_GranuleSize_Args *args) {
  args->granule_size_in_bytes = 1;
  return NULL;
}

PJRT_Error *stream_current_bytes(PJRT_CopyToDeviceStream_CurrentBytes_Args *args) {
  pthread_mutex_lock(&args->stream->mutex);
  args->current_bytes = (int64_t)args->stream->current;
  pthread_mutex_unlock(&args->stream->mutex);
  return NULL;
}

// --- Callbacks, on libpodium's thread ---

static PJRT_Error *callback_error(PJRT_Error_Code code, const char *message,
                                  size_t message_size) {
  return pjrt_error(pod_error((pod_code_t)code, "%.*s", (int)message_size, message));
}

static void free_chunk(void *data, void *deleter_arg) {
  (void)deleter_arg;
  free(data);
}

static podium_status_t *missing(const char *what, int device, int64_t channel) {
  return (podium_status_t *)pod_error(POD_FAILED_PRECONDITION,
                                      "no %s callback for channel %lld of device %d",
                                      what, (long long)channel, device);
}

static podium_status_t *on_send(void *context, int device, int64_t channel,
                                const void *data, size_t size) {
  const host_callbacks_t *callbacks = context;
  const PJRT_SendCallbackInfo *sends =
      &callbacks->sends[(size_t)device * callbacks->send_count];
  for (size_t i = 0; i < callbacks->send_count; i++) {
    if (sends[i].channel_id == channel) {
      PJRT_Chunk chunk = {
          .data = pod_alloc(size + 1), .size = size, .deleter = free_chunk};
      memcpy(chunk.data, data, size);
      PJRT_CallbackError error = callback_error;
      return (podium_status_t *)sends[i].send_callback(&chunk, &error, size, true,
                                                       sends[i].user_arg);
    }
  }
  return missing("send", device, channel);
}

static podium_status_t *receive(const PJRT_RecvCallbackInfo *info, void *buffer,
                                size_t size) {
  PJRT_CopyToDeviceStream *stream = make_stream(size);
  info->recv_callback(stream, info->user_arg);
  pthread_mutex_lock(&stream->mutex);
  while (stream->current < size && !stream->is_destroyed) {
    pthread_cond_wait(&stream->wake, &stream->mutex);
  }
  const size_t current = stream->current;
  memcpy(buffer, stream->bytes, current);
  pthread_mutex_unlock(&stream->mutex);
  release_stream(stream);
  return current == size
             ? NULL
             : (podium_status_t *)pod_error(
                   POD_INTERNAL, "a callback gave %zu bytes of %zu on channel %lld",
                   current, size, (long long)info->channel_id);
}

static podium_status_t *on_receive(void *context, int device, int64_t channel,
                                   void *buffer, size_t size) {
  const host_callbacks_t *callbacks = context;
  const PJRT_RecvCallbackInfo *recvs =
      &callbacks->recvs[(size_t)device * callbacks->recv_count];
  for (size_t i = 0; i < callbacks->recv_count; i++) {
    if (recvs[i].channel_id == channel) {
      return receive(&recvs[i], buffer, size);
    }
  }
  return missing("recv", device, channel);
}

static void on_release(void *context) {
  host_callbacks_t *callbacks = context;
  future_set(callbacks->released, NULL);
  free(callbacks->sends);
  free(callbacks->recvs);
  free(callbacks);
}

// --- Options ---

host_callbacks_t *host_callbacks_create(const PJRT_ExecuteOptions *options,
                                        const PJRT_LoadedExecutable *loaded,
                                        future_t **out_released) {
  if (options == NULL || (options->num_send_ops == 0 && options->num_recv_ops == 0)) {
    return NULL;
  }
  host_callbacks_t *callbacks = pod_alloc(sizeof(*callbacks));
  const size_t devices = (size_t)loaded->executable->info->device_count;
  *callbacks = (host_callbacks_t){.device_count = (int)devices,
                                  .send_count = options->num_send_ops,
                                  .recv_count = options->num_recv_ops,
                                  .released = future_create()};
  callbacks->sends =
      pod_alloc(devices * callbacks->send_count * sizeof(*callbacks->sends));
  callbacks->recvs =
      pod_alloc(devices * callbacks->recv_count * sizeof(*callbacks->recvs));
  // The caller has them for its own devices; others do not call here.
  for (int d = 0; d < loaded->device_count; d++) {
    const size_t place = (size_t)loaded->places[d];
    for (size_t i = 0; i < callbacks->send_count; i++) {
      callbacks->sends[place * callbacks->send_count + i] = options->send_callbacks[d][i];
    }
    for (size_t i = 0; i < callbacks->recv_count; i++) {
      callbacks->recvs[place * callbacks->recv_count + i] = options->recv_callbacks[d][i];
    }
  }
  *out_released = callbacks->released;
  return callbacks;
}

void host_callbacks_use(host_callbacks_t *callbacks, podium_execute_options_t *options) {
  if (callbacks != NULL) {
    options->on_host_send = on_send;
    options->on_host_receive = on_receive;
    options->on_host_release = on_release;
    options->host_context = callbacks;
  }
}

void host_callbacks_drop(host_callbacks_t *callbacks) {
  if (callbacks != NULL) {
    on_release(callbacks);
  }
}
