// Transfers of one execution, in the order in which they come. A device has one piece on
// its way until it is answered, so the queue holds no more than one for each.
//
// Invariant: `session` is used under the mutex and only while the execution has not
// ended, since it may be closed after that with a callback still running.

#include "client/lib/host.h"

#include <stdlib.h>

#include "common/base/memory.h"

enum { PIECE_BYTES_MAX = 4 << 20 };

// A piece that is asked for, then its answer.
typedef struct piece_t {
  struct piece_t *next;
  lib_host_t *host;
  int64_t channel, size_bytes, offset, piece_bytes;
  int device;
  bool is_receive;
  pod_status_t status;  // The answer.
  uint8_t *bytes;       // piece_bytes of them.
} piece_t;

// The array that a device gives or takes.
typedef struct slot_t {
  uint8_t *bytes;
  int64_t size_bytes;
} slot_t;

struct lib_host_t {
  atomic_int use_count;  // Of the execution, of the thread, of answers on their way.
  podium_session_t *session;
  uint64_t execution;
  podium_execute_options_t options;
  int device_count;
  slot_t *slots;  // The thread's.
  pthread_mutex_t mutex;
  pthread_cond_t wake;
  // Guarded by `mutex`.
  bool has_thread, has_ended;
  piece_t *first, **last;
};

lib_host_t *lib_host_create(podium_session_t *session, uint64_t execution,
                            int device_count, const podium_execute_options_t *options) {
  if (options->on_host_send == NULL && options->on_host_receive == NULL) {
    return NULL;
  }
  lib_host_t *host = pod_alloc(sizeof(*host));
  *host = (lib_host_t){.session = session,
                       .execution = execution,
                       .options = *options,
                       .device_count = device_count,
                       .slots = pod_alloc((size_t)device_count * sizeof(slot_t)),
                       .last = &host->first};
  atomic_init(&host->use_count, 1);
  pthread_mutex_init(&host->mutex, NULL);
  pthread_cond_init(&host->wake, NULL);
  return host;
}

void lib_host_begin(lib_host_t *host, uint64_t execution) {
  host->execution = execution;
}

static void free_piece(piece_t *piece) {
  pod_status_free(piece->status);
  free(piece->bytes);
  free(piece);
}

static void release(lib_host_t *host) {
  if (atomic_fetch_sub(&host->use_count, 1) > 1) {
    return;
  }
  while (host->first != NULL) {
    piece_t *piece = host->first;
    host->first = piece->next;
    free_piece(piece);
  }
  for (int i = 0; i < host->device_count; i++) {
    free(host->slots[i].bytes);
  }
  if (host->options.on_host_release != NULL) {
    host->options.on_host_release(host->options.host_context);
  }
  pthread_cond_destroy(&host->wake);
  pthread_mutex_destroy(&host->mutex);
  free(host->slots);
  free(host);
}

// --- Answers, on the loop ---

static void send_answer(void *context) {
  piece_t *piece = context;
  lib_host_t *host = piece->host;
  Podium__V1__HostAnswer answer = PODIUM__V1__HOST_ANSWER__INIT;
  answer.execution = host->execution;
  answer.device = piece->device;
  if (piece->status != NULL) {
    answer.code = (int32_t)pod_status_code(piece->status);
    answer.message = (char *)(uintptr_t)pod_status_message(piece->status);
  } else if (piece->is_receive) {
    answer.data.data = piece->bytes;
    answer.data.len = (size_t)piece->piece_bytes;
  }
  Podium__V1__DispatchRequest message = PODIUM__V1__DISPATCH_REQUEST__INIT;
  message.what_case = PODIUM__V1__DISPATCH_REQUEST__WHAT_HOST_ANSWER;
  message.host_answer = &answer;
  if (!host->has_ended) {  // Set on this thread.
    lib_dispatch(host->session, &message);
  }
  free_piece(piece);
  release(host);
}

static void post_answer(piece_t *piece) {
  lib_host_t *host = piece->host;
  pthread_mutex_lock(&host->mutex);
  const bool is_wanted = !host->has_ended;
  if (is_wanted) {
    atomic_fetch_add(&host->use_count, 1);
    rpc_loop_post(host->session->loop, send_answer, piece);
  }
  pthread_mutex_unlock(&host->mutex);
  if (!is_wanted) {
    free_piece(piece);
  }
}

// --- The thread ---

static pod_status_t call(const lib_host_t *host, const piece_t *piece, slot_t *slot) {
  const podium_execute_options_t *options = &host->options;
  const size_t size = (size_t)slot->size_bytes;
  podium_status_t *status = NULL;
  if (piece->is_receive ? options->on_host_receive == NULL
                        : options->on_host_send == NULL) {
    return pod_error(POD_FAILED_PRECONDITION,
                     "the program %s its host by channel %lld, and there is no callback "
                     "for that",
                     piece->is_receive ? "takes data from" : "gives data to",
                     (long long)piece->channel);
  }
  if (piece->is_receive) {
    status = options->on_host_receive(options->host_context, piece->device,
                                      piece->channel, slot->bytes, size);
  } else {
    status = options->on_host_send(options->host_context, piece->device, piece->channel,
                                   slot->bytes, size);
  }
  return (pod_status_t)status;
}

static pod_status_t serve(const lib_host_t *host, piece_t *piece) {
  slot_t *slot = &host->slots[piece->device];
  if (piece->offset == 0) {
    free(slot->bytes);
    *slot = (slot_t){.bytes = pod_alloc((size_t)piece->size_bytes + 1),
                     .size_bytes = piece->size_bytes};
    if (piece->is_receive) {
      POD_TRY(call(host, piece, slot));
    }
  }
  const size_t size = (size_t)piece->piece_bytes;
  if (piece->size_bytes != slot->size_bytes || piece->offset > slot->size_bytes ||
      piece->piece_bytes > slot->size_bytes - piece->offset) {
    return pod_error(POD_INTERNAL, "a piece that is not of the array on channel %lld",
                     (long long)piece->channel);
  }
  if (piece->is_receive) {
    memcpy(piece->bytes, slot->bytes + piece->offset, size);
    return NULL;
  }
  memcpy(slot->bytes + piece->offset, piece->bytes, size);
  const bool is_last = piece->offset + piece->piece_bytes == slot->size_bytes;
  return is_last ? call(host, piece, slot) : NULL;
}

// NULL: the execution has ended.
static piece_t *next_piece(lib_host_t *host) {
  pthread_mutex_lock(&host->mutex);
  while (host->first == NULL && !host->has_ended) {
    pthread_cond_wait(&host->wake, &host->mutex);
  }
  piece_t *piece = host->has_ended ? NULL : host->first;
  if (piece != NULL) {
    host->first = piece->next;
    host->last = host->first == NULL ? &host->first : host->last;
  }
  pthread_mutex_unlock(&host->mutex);
  return piece;
}

static void *run(void *context) {
  lib_host_t *host = context;
  for (piece_t *piece = next_piece(host); piece != NULL; piece = next_piece(host)) {
    piece->status = serve(host, piece);
    post_answer(piece);
  }
  release(host);
  return NULL;
}

static pod_status_t start_thread(lib_host_t *host) {
  if (host->has_thread) {
    return NULL;
  }
  pthread_t thread;
  atomic_fetch_add(&host->use_count, 1);
  if (pthread_create(&thread, NULL, run, host) != 0) {
    atomic_fetch_sub(&host->use_count, 1);
    return pod_error(POD_RESOURCE_EXHAUSTED, "no thread for the callbacks");
  }
  pthread_detach(thread);
  host->has_thread = true;
  return NULL;
}

// --- Asking ---

static pod_status_t check(const lib_host_t *host,
                          const Podium__V1__HostTransfer *transfer) {
  const bool is_good =
      transfer->device >= 0 && transfer->device < host->device_count &&
      transfer->offset >= 0 && transfer->size_bytes >= 0 && transfer->piece_bytes >= 0 &&
      transfer->piece_bytes <= PIECE_BYTES_MAX &&
      (transfer->is_receive || transfer->data.len == (size_t)transfer->piece_bytes);
  return is_good ? NULL
                 : pod_error(POD_INTERNAL, "a malformed transfer on channel %lld",
                             (long long)transfer->channel);
}

static piece_t *make_piece(lib_host_t *host, const Podium__V1__HostTransfer *transfer) {
  piece_t *piece = pod_alloc(sizeof(*piece));
  *piece = (piece_t){.host = host,
                     .channel = transfer->channel,
                     .size_bytes = transfer->size_bytes,
                     .offset = transfer->offset,
                     .piece_bytes = transfer->piece_bytes,
                     .device = transfer->device,
                     .is_receive = transfer->is_receive};
  piece->status = check(host, transfer);
  if (piece->status == NULL) {
    piece->bytes = pod_alloc((size_t)transfer->piece_bytes + 1);
    if (!transfer->is_receive && transfer->data.len > 0) {
      memcpy(piece->bytes, transfer->data.data, transfer->data.len);
    }
  }
  return piece;
}

void lib_host_ask(lib_host_t *host, const Podium__V1__HostTransfer *transfer) {
  piece_t *piece = make_piece(host, transfer);
  pthread_mutex_lock(&host->mutex);
  if (piece->status == NULL) {
    piece->status = start_thread(host);
  }
  const bool is_good = piece->status == NULL;
  if (is_good) {
    *host->last = piece;
    host->last = &piece->next;
    pthread_cond_signal(&host->wake);
  }
  pthread_mutex_unlock(&host->mutex);
  if (!is_good) {
    post_answer(piece);
  }
}

void lib_host_end(lib_host_t *host) {
  if (host == NULL) {
    return;
  }
  pthread_mutex_lock(&host->mutex);
  host->has_ended = true;
  pthread_cond_signal(&host->wake);
  pthread_mutex_unlock(&host->mutex);
  release(host);
}
