// Matrix products of bf16 and bytes by the tile registers of the CPU (AMX), which pack
// both operands on the way: a large matrix crosses memory once, in whatever layout it
// lies. oneDNN, which packs before it multiplies, needs it twice.
//
// Sums of bf16 are kept in f32 (denormals count as zero, as with oneDNN) and rounded
// once; those of bytes are exact modulo 2^32.
//
// Determinism: the order of a sum depends on sizes only.
// Threading: any thread; starts none.

#ifndef SERVER_WORKER_KERNELS_PRODUCT_DOT_TILES_H_
#define SERVER_WORKER_KERNELS_PRODUCT_DOT_TILES_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/tensor/dtype.h"

// c = a b. Strides of row and column in elements, one of them 1 for a and for b; c is
// dense and row-major. Sizes are at least 1.
typedef struct tiles_matmul_t {
  tensor_dtype_t a_dtype, b_dtype, c_dtype;
  int64_t m, k, n;
  int64_t a_strides[2], b_strides[2];
} tiles_matmul_t;

// Whether this CPU and its kernel have it: bf16 to bf16 or f32, s8 and u8 to s32.
bool tiles_have_types(tensor_dtype_t a, tensor_dtype_t b, tensor_dtype_t c);

// RESOURCE_EXHAUSTED (scratch).
POD_MUST_USE pod_status_t tiles_matmul_run(const tiles_matmul_t *matmul, const void *a,
                                           const void *b, void *c);

#endif  // SERVER_WORKER_KERNELS_PRODUCT_DOT_TILES_H_
