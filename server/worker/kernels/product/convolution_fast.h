// Convolutions that oneDNN computes, whatever their dimension numbers are: a StableHLO
// convolution is a convolution, or the gradient of one by its input (where the left
// operand is dilated) or by its kernel (where the window is the larger array).
//
// Threading: the chip's compute thread.

#ifndef SERVER_WORKER_KERNELS_PRODUCT_CONVOLUTION_FAST_H_
#define SERVER_WORKER_KERNELS_PRODUCT_CONVOLUTION_FAST_H_

#include "server/program/window.h"
#include "server/worker/kernels/kernel.h"

typedef struct convolution_fast_t convolution_fast_t;

// Returns owned; *out_fast is NULL when oneDNN has nothing for it. Sizes are not 0.
POD_MUST_USE pod_status_t convolution_fast_create(const kernel_args_t *args,
                                                  const chip_convolution_t *convolution,
                                                  convolution_fast_t **out_fast);

// Accepts NULL.
void convolution_fast_destroy(convolution_fast_t *fast);

// Operands and result as at creation.
POD_MUST_USE pod_status_t convolution_fast_run(const convolution_fast_t *fast,
                                               const void *lhs, const void *rhs,
                                               void *result);

#endif  // SERVER_WORKER_KERNELS_PRODUCT_CONVOLUTION_FAST_H_
