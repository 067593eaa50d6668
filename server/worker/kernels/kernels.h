// What the files of this folder share.

#ifndef SERVER_WORKER_KERNELS_KERNELS_H_
#define SERVER_WORKER_KERNELS_KERNELS_H_

#include "server/worker/kernels/kernel.h"
#include "server/worker/kernels/loops/loops.h"

// The column `kernel` of the table of operations: kernel_binary and so on. Rows that the
// executor runs have kernel_executor, which does not exist as a function.
#define OPERATION(id, name, syntax, types, traits, shape, factors, attrs, kernel, fuse, \
                  cost, float_ops, whole_ops)                                           \
  pod_status_t kernel_##kernel(const kernel_args_t *args);
#include "server/program/operations.def"
#undef OPERATION

// UNIMPLEMENTED, naming instruction, operation and element type.
pod_status_t kernel_unsupported(const kernel_args_t *args, tensor_dtype_t dtype);

// The loop of an elementwise operation for an element type, or NULL; and the loop run on
// elements as they are stored.
kernel_binary_fn_t kernel_binary_of(chip_op_t op, tensor_dtype_t dtype);
void kernel_binary_elements(kernel_binary_fn_t loop, tensor_dtype_t dtype, const void *a,
                            const void *b, void *out, size_t count);

// The loop on bf16 or f16 as it is stored that computes what `loop` does in f32, rounded;
// NULL when there is none, and for other types.
kernel_binary_fn_t kernel_stored_loop(kernel_binary_fn_t loop, tensor_dtype_t dtype);

#endif  // SERVER_WORKER_KERNELS_KERNELS_H_
