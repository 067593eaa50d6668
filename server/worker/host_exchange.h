// A running program asks its host: the compute thread waits here for what the loop thread
// is told.
//
// Threading: transfer on the compute thread, all else on the loop thread.
// Ownership: embedded in an execution, which lives until the compute thread has let go.

#ifndef SERVER_WORKER_HOST_EXCHANGE_H_
#define SERVER_WORKER_HOST_EXCHANGE_H_

#include <pthread.h>
#include <stdatomic.h>

#include "common/rpc/loop.h"
#include "server/worker/executor.h"

// Of an array that goes at a time: a message with it is below 4 MiB.
enum { HOST_EXCHANGE_PIECE_BYTES = 2 << 20 };

// Bytes offset … offset + size_bytes - 1 of the transfer's array are wanted or given.
typedef struct host_piece_t {
  const executor_transfer_t *transfer;
  int64_t offset, size_bytes;
} host_piece_t;

// On the loop thread; borrowed for the call.
typedef void (*host_ask_fn_t)(const host_piece_t *piece, void *context);

typedef struct host_exchange_t {
  rpc_loop_t *loop;
  host_ask_fn_t ask;  // NULL: nobody to ask any more.
  void *context;
  kernel_control_t *control;
  pthread_mutex_t mutex;
  pthread_cond_t wake;
  // Guarded by `mutex`.
  bool is_asking;
  host_piece_t piece;
  pod_status_t status;  // The answer.
} host_exchange_t;

void host_exchange_init(host_exchange_t *exchange, rpc_loop_t *loop, host_ask_fn_t ask,
                        void *context, kernel_control_t *control);
void host_exchange_deinit(host_exchange_t *exchange);

// executor_host_t's; `context` is the exchange. Ends with CANCELLED, or pauses, soon
// after the control's wish has been set and host_exchange_wake called.
pod_status_t host_exchange_transfer(void *context, const executor_transfer_t *transfer);

// To the piece that was asked for last; ignored when there is none. Takes `status`;
// `data` are the bytes of a receive.
void host_exchange_answer(host_exchange_t *exchange, const void *data, size_t size_bytes,
                          pod_status_t status);

void host_exchange_wake(host_exchange_t *exchange);

#endif  // SERVER_WORKER_HOST_EXCHANGE_H_
