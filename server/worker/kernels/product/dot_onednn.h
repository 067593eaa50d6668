// Matrix products by oneDNN, which is only known here.
//
// Threading: create and run on the chip's compute thread; oneDNN is kept from starting
// threads of its own there.

#ifndef SERVER_WORKER_KERNELS_PRODUCT_DOT_ONEDNN_H_
#define SERVER_WORKER_KERNELS_PRODUCT_DOT_ONEDNN_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/tensor/dtype.h"

// c = a b, batch by batch. Strides of outer and inner batch, row and column in elements,
// 1 for row or column of a and of b, and for the column of c.
typedef struct onednn_matmul_desc_t {
  tensor_dtype_t a_dtype, b_dtype, c_dtype;
  int64_t batches[2], m, k, n;
  int64_t a_strides[4], b_strides[4], c_strides[4];
  // b is brought to oneDNN's own form in every run, which pays when m is large.
  bool packs_b;
} onednn_matmul_desc_t;

typedef struct onednn_matmul_t onednn_matmul_t;

// So many products of bytes sum to less than 2^24, which f32 holds exactly: where oneDNN
// passes sums through f32, no more of them are summed at a time.
enum { ONEDNN_EXACT_PRODUCTS = 1 << 10 };

// Whether oneDNN computes in these types on this CPU: f32, bf16 to bf16 or f32, s8 and u8
// to s32.
bool onednn_has_types(tensor_dtype_t a, tensor_dtype_t b, tensor_dtype_t c);

// Returns owned; *out_matmul is NULL when oneDNN has only its slow reference for it.
// Compiled code is cached by oneDNN (1,024 primitives, the least recently used goes).
POD_MUST_USE pod_status_t onednn_matmul_create(const onednn_matmul_desc_t *desc,
                                               onednn_matmul_t **out_matmul);

// Whether it is oneDNN's newest code that computes it: for narrow types several times as
// fast as the older, which is all there is for some layouts.
bool onednn_matmul_is_newest(const onednn_matmul_t *matmul);

// Accepts NULL.
void onednn_matmul_destroy(onednn_matmul_t *matmul);

// The same in pieces that take milliseconds, between which it looks at whether to stop;
// false in *out_is_found when oneDNN has no fast code for one of them.
POD_MUST_USE pod_status_t onednn_matmul_run_pieces(const onednn_matmul_desc_t *desc,
                                                   const void *a, const void *b, void *c,
                                                   bool *out_is_found);

// Whether that is needed.
bool onednn_matmul_is_long(const onednn_matmul_desc_t *desc);

POD_MUST_USE pod_status_t onednn_matmul_run(onednn_matmul_t *matmul, const void *a,
                                            const void *b, void *c);

#endif  // SERVER_WORKER_KERNELS_PRODUCT_DOT_ONEDNN_H_
