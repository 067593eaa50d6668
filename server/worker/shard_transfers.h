// Shards that clients of this host bring and take by shared memory (common/shared), each
// under a token that the coordinator has given to both.
//
// Threading: the loop thread. The bytes are copied on a thread of its own, so that
// neither the loop nor the computing waits.
// Ownership: a transfer is the caller's who began it until `done` or the cancel; the
// array must stay retained as long. Errors: see common/shared/mover.h.

#ifndef SERVER_WORKER_SHARD_TRANSFERS_H_
#define SERVER_WORKER_SHARD_TRANSFERS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/rpc/loop.h"
#include "server/worker/hbm.h"

typedef struct shard_transfers_t shard_transfers_t;
typedef struct shard_transfer_t shard_transfer_t;

// Listens in `folder`, which must be this process' own. Returns owned. UNAVAILABLE when
// memory cannot be shared here.
POD_MUST_USE pod_status_t shard_transfers_create(rpc_loop_t *loop, const char *folder,
                                                 shard_transfers_t **out_transfers);

// All transfers have ended or been cancelled. Accepts NULL.
void shard_transfers_destroy(shard_transfers_t *transfers);

// Where clients come. Borrowed.
const char *shard_transfers_path(const shard_transfers_t *transfers);

// Takes `status`.
typedef void (*shard_transfer_done_fn_t)(pod_status_t status, void *context);

// Waits for who has the token to bring the array's bytes, or to take them (`sends`).
// INVALID_ARGUMENT for a token that is none or an array without bytes;
// FAILED_PRECONDITION when `transfers` is NULL.
POD_MUST_USE pod_status_t shard_transfer_begin(shard_transfers_t *transfers,
                                               const uint8_t *token, size_t token_bytes,
                                               hbm_array_t *array, bool sends,
                                               shard_transfer_done_fn_t done,
                                               void *context,
                                               shard_transfer_t **out_transfer);

// `done` does not come any more, and the array's bytes are left alone. Accepts NULL.
void shard_transfer_cancel(shard_transfer_t *transfer);

#endif  // SERVER_WORKER_SHARD_TRANSFERS_H_
