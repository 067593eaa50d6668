// What kernel.c, which reads a module, and follow.c, which runs it, share.

#ifndef SERVER_COMPILER_PALLAS_KERNEL_PRIVATE_H_
#define SERVER_COMPILER_PALLAS_KERNEL_PRIVATE_H_

#include "server/compiler/pallas/kernel.h"

// An operand or result of the call as the body sees it.
typedef struct kernel_window_t {
  kernel_space_t space;
  int64_t bytes;                  // Of the block, in its tiles.
  const code_block_t *transform;  // NULL: it does not move.
  int buffers;
} kernel_window_t;

struct kernel_t {
  mlir_module_t *module;
  const code_block_t *body;
  int dim_count;
  int64_t dims[KERNEL_DIMS_MAX];  // -1: an operand of the call says it.
  int dynamic_count;              // Of these: the first operands of the call.
  bool has_parallel_dimension;
  int prefetch_count;
  int window_count;
  kernel_window_t *windows;
  int64_t scratch_bytes;
  int64_t node_count;  // That a step runs, loops not counted.
};

#endif  // SERVER_COMPILER_PALLAS_KERNEL_PRIVATE_H_
