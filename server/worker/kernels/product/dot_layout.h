// The operands of a dot_general seen as batches of matrices.
//
// Threading: pure.

#ifndef SERVER_WORKER_KERNELS_PRODUCT_DOT_LAYOUT_H_
#define SERVER_WORKER_KERNELS_PRODUCT_DOT_LAYOUT_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/tensor/shape.h"
#include "server/program/program.h"
#include "server/worker/kernels/move.h"

// An operand as [outer batch, inner batch, rows, columns]; strides in elements. When its
// dimensions do not join to these four, or neither rows nor columns are contiguous, it
// has to be copied, which makes it dense: row by row, or column by column where the
// operand's elements follow one another so.
typedef struct dot_matrix_t {
  tensor_dtype_t dtype;
  int64_t batches[2], rows, columns;
  int64_t batch_strides[2], row_stride, column_stride;  // Of the operand as it lies.
  bool needs_copy, copies_by_column;
  kernel_move_t by_row, by_column;
} dot_matrix_t;

// result[b] = lhs[b] rhs[b]: lhs is [batches, m, k], rhs [batches, k, n], the result
// dense. A matrix by a vector is the vector by the transposed matrix: then lhs is the
// second operand.
typedef struct dot_layout_t {
  dot_matrix_t lhs, rhs;
  int64_t batches[2], m, k, n;
  bool is_swapped;
} dot_layout_t;

// The instruction has passed chip_program_check. Contracted dimensions are taken in the
// order that needs the fewest copies. Batches are two wherever that saves a copy, else
// the outer one is 1.
dot_layout_t dot_layout_make(const chip_instruction_t *instruction,
                             const tensor_shape_t *lhs, const tensor_shape_t *rhs);

// Has it copied unless it is, or will be, dense and row-major.
void dot_matrix_require_row_major(dot_matrix_t *matrix);

// The matrix as it lies after its copy, if it needs one.
dot_matrix_t dot_matrix_as_used(const dot_matrix_t *matrix);

// Whether the matrices of the inner batch do not interleave: each ends before the next
// begins.
bool dot_matrix_is_batch_outermost(const dot_matrix_t *matrix);

#endif  // SERVER_WORKER_KERNELS_PRODUCT_DOT_LAYOUT_H_
