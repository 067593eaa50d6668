// A block of host memory that only grows, for temporaries and scratch. The contents do
// not survive growing.

#ifndef SERVER_WORKER_EXECUTOR_BLOCK_H_
#define SERVER_WORKER_EXECUTOR_BLOCK_H_

#include <stdint.h>

#include "common/base/status.h"

// Zero it to start.
typedef struct executor_block_t {
  void *memory;
  int64_t size_bytes;
} executor_block_t;

POD_MUST_USE pod_status_t executor_block_grow(executor_block_t *block,
                                              int64_t size_bytes);

void executor_block_free(executor_block_t *block);

#endif  // SERVER_WORKER_EXECUTOR_BLOCK_H_
