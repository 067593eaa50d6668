// The kernel of each row of the table of operations.

#include "server/worker/kernels/kernels.h"

// The rows of the executor have no kernel.
#define kernel_executor NULL

kernel_fn_t kernel_find(chip_op_t op) {
  static const kernel_fn_t kernels[CHIP_OP_COUNT] = {
#define OPERATION(id, name, syntax, types, traits, shape, factors, attrs, kernel, fuse, \
                  cost, float_ops, whole_ops)                                           \
  [CHIP_OP_##id] = kernel_##kernel,
#include "server/program/operations.def"
#undef OPERATION
  };
  return (unsigned)op < CHIP_OP_COUNT ? kernels[op] : NULL;
}
