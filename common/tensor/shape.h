// The type of an array: element type and sizes, row-major and dense.
//
// A value type: copy it freely.
// Threading: pure functions, any thread.

#ifndef COMMON_TENSOR_SHAPE_H_
#define COMMON_TENSOR_SHAPE_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/base/text.h"
#include "common/tensor/dtype.h"

enum { TENSOR_RANK_MAX = 16 };

// A size that is not known statically (`?` in MLIR). Only in types of MLIR; everything
// behind the verifier is static.
#define TENSOR_DYNAMIC INT64_MIN

typedef struct tensor_shape_t {
  tensor_dtype_t dtype;
  int rank;                       // In [0, TENSOR_RANK_MAX].
  int64_t dims[TENSOR_RANK_MAX];  // >= 0, or TENSOR_DYNAMIC. 0 behind `rank`.
} tensor_shape_t;

// `dims` may be NULL when rank is 0.
tensor_shape_t tensor_shape_make(tensor_dtype_t dtype, int rank, const int64_t *dims);

bool tensor_shape_equal(const tensor_shape_t *a, const tensor_shape_t *b);

bool tensor_shape_same_dims(const tensor_shape_t *a, const tensor_shape_t *b);

bool tensor_shape_is_static(const tensor_shape_t *shape);

// Product of the sizes; 1 for rank 0. Only for shapes that passed tensor_shape_check.
int64_t tensor_shape_elements(const tensor_shape_t *shape);

// Host bytes.
int64_t tensor_shape_bytes(const tensor_shape_t *shape);

// INVALID_ARGUMENT when the dtype is invalid, a size is negative or dynamic, or when the
// bytes overflow int64 (sizes of 0 counted as 1, so that no stride overflows either).
POD_MUST_USE pod_status_t tensor_shape_check(const tensor_shape_t *shape);

// Row-major strides in elements: strides[rank - 1] is 1.
void tensor_shape_strides(const tensor_shape_t *shape, int64_t strides[TENSOR_RANK_MAX]);

// "bf16[8,2048]", as HLO prints it.
void tensor_shape_print(pod_text_t *text, const tensor_shape_t *shape);

// "tensor<8x2048xbf16>", as MLIR prints it.
void tensor_shape_print_mlir(pod_text_t *text, const tensor_shape_t *shape);

#endif  // COMMON_TENSOR_SHAPE_H_
