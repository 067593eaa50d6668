// One piece of one array is under way at a time: the compute thread posts it to the loop
// and waits for its answer, so that nothing queues up however slow the host is.
//
// Invariant: the post runs before the execution can be freed, because its end comes from
// the compute thread by a later post.

#include "server/worker/host_exchange.h"

#include <string.h>

#include "server/worker/kernels/stop.h"

void host_exchange_init(host_exchange_t *exchange, rpc_loop_t *loop, host_ask_fn_t ask,
                        void *context, kernel_control_t *control) {
  *exchange =
      (host_exchange_t){.loop = loop, .ask = ask, .context = context, .control = control};
  pthread_mutex_init(&exchange->mutex, NULL);
  pthread_cond_init(&exchange->wake, NULL);
}

void host_exchange_deinit(host_exchange_t *exchange) {
  pod_status_free(exchange->status);
  pthread_cond_destroy(&exchange->wake);
  pthread_mutex_destroy(&exchange->mutex);
}

static bool is_stopped(const host_exchange_t *exchange) {
  return atomic_load(&exchange->control->wish) == KERNEL_STOP;
}

static void ask(void *context) {
  host_exchange_t *exchange = context;
  pthread_mutex_lock(&exchange->mutex);
  const bool is_asking = exchange->is_asking;
  const host_piece_t piece = exchange->piece;
  pthread_mutex_unlock(&exchange->mutex);
  // A compute thread that is asking leaves `transfer` alone until it is cancelled; then
  // `ask` has gone, on this thread.
  if (is_asking && exchange->ask != NULL && !is_stopped(exchange)) {
    exchange->ask(&piece, exchange->context);
  }
}

static pod_status_t exchange_piece(host_exchange_t *exchange, const host_piece_t *piece) {
  pthread_mutex_lock(&exchange->mutex);
  exchange->is_asking = true;
  exchange->piece = *piece;
  rpc_loop_post(exchange->loop, ask, exchange);
  while (exchange->is_asking && !is_stopped(exchange)) {
    if (kernel_is_called(exchange->control)) {
      // Others have the chip; the answer may come meanwhile.
      pthread_mutex_unlock(&exchange->mutex);
      (void)kernel_obey(exchange->control);
      pthread_mutex_lock(&exchange->mutex);
    } else {
      pthread_cond_wait(&exchange->wake, &exchange->mutex);
    }
  }
  pod_status_t status = exchange->status;
  exchange->status = NULL;
  if (exchange->is_asking) {
    exchange->is_asking = false;
    pod_status_free(status);
    status = pod_error(POD_CANCELLED, "the execution was cancelled");
  }
  pthread_mutex_unlock(&exchange->mutex);
  return status;
}

pod_status_t host_exchange_transfer(void *context, const executor_transfer_t *transfer) {
  int64_t offset = 0;
  do {
    const int64_t left = transfer->size_bytes - offset;
    const host_piece_t piece = {.transfer = transfer,
                                .offset = offset,
                                .size_bytes = left < HOST_EXCHANGE_PIECE_BYTES
                                                  ? left
                                                  : HOST_EXCHANGE_PIECE_BYTES};
    POD_TRY(exchange_piece(context, &piece));
    offset += piece.size_bytes;
  } while (offset < transfer->size_bytes);
  return NULL;
}

void host_exchange_answer(host_exchange_t *exchange, const void *data, size_t size_bytes,
                          pod_status_t status) {
  pthread_mutex_lock(&exchange->mutex);
  if (!exchange->is_asking) {
    pthread_mutex_unlock(&exchange->mutex);
    pod_status_free(status);
    return;
  }
  const host_piece_t *piece = &exchange->piece;
  const bool is_receive = piece->transfer->is_receive;
  const size_t wanted = is_receive ? (size_t)piece->size_bytes : 0;
  if (status == NULL && size_bytes != wanted) {
    status = pod_error(POD_INVALID_ARGUMENT,
                       "the host has answered channel %lld with %zu bytes instead of %zu",
                       (long long)piece->transfer->channel, size_bytes, wanted);
  } else if (status == NULL && wanted > 0) {
    memcpy(piece->transfer->data + piece->offset, data, wanted);
  }
  exchange->status = status;
  exchange->is_asking = false;
  pthread_cond_signal(&exchange->wake);
  pthread_mutex_unlock(&exchange->mutex);
}

void host_exchange_wake(host_exchange_t *exchange) {
  pthread_mutex_lock(&exchange->mutex);
  pthread_cond_signal(&exchange->wake);
  pthread_mutex_unlock(&exchange->mutex);
}
