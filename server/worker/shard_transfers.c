// A transfer ends on the mover's thread; the news goes to the loop by a post. One that is
// cancelled in between is freed by its news.

#include "server/worker/shard_transfers.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/base/text.h"
#include "common/shared/mover.h"
#include "common/shared/prefault.h"

struct shard_transfers_t {
  rpc_loop_t *loop;
  shared_mover_t *mover;
  char *path;
};

struct shard_transfer_t {
  shard_transfers_t *transfers;
  uint64_t number;
  uint8_t *data;
  shared_prefault_t *prefault;  // Of the array, when it is filled.
  bool sends;
  bool is_cancelled;
  pod_status_t status;  // The outcome, on its way to the loop.
  shard_transfer_done_fn_t done;
  void *context;
};

pod_status_t shard_transfers_create(rpc_loop_t *loop, const char *folder,
                                    shard_transfers_t **out_transfers) {
  pod_text_t path = {0};
  pod_text_printf(&path, "%s/transfer", folder);
  shared_mover_t *mover;
  const pod_status_t status =
      shared_mover_create(&(shared_mover_options_t){.listen = path.bytes}, &mover);
  if (status != NULL) {
    pod_text_deinit(&path);
    return status;
  }
  shard_transfers_t *transfers = pod_alloc(sizeof(*transfers));
  *transfers =
      (shard_transfers_t){.loop = loop, .mover = mover, .path = pod_text_take(&path)};
  *out_transfers = transfers;
  return NULL;
}

void shard_transfers_destroy(shard_transfers_t *transfers) {
  if (transfers != NULL) {
    shared_mover_destroy(transfers->mover);
    free(transfers->path);
    free(transfers);
  }
}

const char *shard_transfers_path(const shard_transfers_t *transfers) {
  return transfers->path;
}

static void copy(void *context, int64_t offset, void *chunk, size_t bytes) {
  const shard_transfer_t *transfer = context;
  uint8_t *place = transfer->data + offset;
  memcpy(transfer->sends ? chunk : place, transfer->sends ? place : chunk, bytes);
}

static void report(void *context) {
  shard_transfer_t *transfer = context;
  shared_prefault_end(transfer->prefault);
  if (transfer->is_cancelled) {
    pod_status_free(transfer->status);
  } else {
    transfer->done(transfer->status, transfer->context);
  }
  free(transfer);
}

static void on_moved(void *context, pod_status_t status) {
  shard_transfer_t *transfer = context;
  transfer->status = status;
  rpc_loop_post(transfer->transfers->loop, report, transfer);
}

pod_status_t shard_transfer_begin(shard_transfers_t *transfers, const uint8_t *token,
                                  size_t token_bytes, hbm_array_t *array, bool sends,
                                  shard_transfer_done_fn_t done, void *context,
                                  shard_transfer_t **out_transfer) {
  if (transfers == NULL) {
    return pod_error(POD_FAILED_PRECONDITION, "this worker shares no memory");
  }
  const int64_t size_bytes = tensor_shape_bytes(&array->shape);
  if (token_bytes != SHARED_TOKEN_BYTES || size_bytes == 0) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "a token of %zu bytes for %lld bytes: one of %d is for 1 and more",
                     token_bytes, (long long)size_bytes, SHARED_TOKEN_BYTES);
  }
  shard_transfer_t *transfer = pod_alloc(sizeof(*transfer));
  *transfer = (shard_transfer_t){
      .transfers = transfers,
      .data = array->data,
      .prefault = sends ? NULL : shared_prefault_begin(array->data, size_bytes),
      .sends = sends,
      .done = done,
      .context = context};
  shared_transfer_t expected = {.sends = sends,
                                .size_bytes = size_bytes,
                                .copy = copy,
                                .done = on_moved,
                                .context = transfer};
  memcpy(expected.token, token, token_bytes);
  // `transfer` may be reported at any moment, but by this thread.
  transfer->number = shared_mover_expect(transfers->mover, &expected);
  *out_transfer = transfer;
  return NULL;
}

void shard_transfer_cancel(shard_transfer_t *transfer) {
  if (transfer == NULL) {
    return;
  }
  shared_prefault_end(transfer->prefault);
  transfer->prefault = NULL;
  if (shared_mover_cancel(transfer->transfers->mover, transfer->number)) {
    free(transfer);
  } else {
    transfer->is_cancelled = true;
  }
}
