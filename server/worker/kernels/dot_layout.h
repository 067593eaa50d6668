// The operands of a dot_general seen as batches of matrices.
//
// Threading: pure.

#ifndef SERVER_WORKER_KERNELS_DOT_LAYOUT_H_
#define SERVER_WORKER_KERNELS_DOT_LAYOUT_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/tensor/shape.h"
#include "server/chip/program.h"
#include "server/worker/kernels/move.h"

// An operand as [batch, rows, columns]; strides in elements. When its dimensions do not
// join to these three, or neither rows nor columns are contiguous, it has to be copied by
// `to_dense` first, which makes it dense and row-major.
typedef struct dot_matrix_t {
  tensor_dtype_t dtype;
  int64_t batch, rows, columns;
  int64_t batch_stride, row_stride, column_stride;  // Of the operand as it lies.
  bool needs_copy;
  kernel_move_t to_dense;
} dot_matrix_t;

// result[b] = lhs[b] rhs[b]: lhs is [batch, m, k], rhs [batch, k, n], the result dense.
typedef struct dot_layout_t {
  dot_matrix_t lhs, rhs;
  int64_t batch, m, k, n;
} dot_layout_t;

// The instruction has passed chip_program_check. Contracted dimensions are taken in the
// order that needs the fewest copies.
dot_layout_t dot_layout_make(const chip_instruction_t *instruction,
                             const tensor_shape_t *lhs, const tensor_shape_t *rhs);

// What the matrix looks like after to_dense.
void dot_matrix_set_dense(dot_matrix_t *matrix);

// Whether a matrix of the batch is dense and row-major.
bool dot_matrix_is_row_major(const dot_matrix_t *matrix);

// Whether the matrices of the batch do not interleave: each ends before the next begins.
bool dot_matrix_is_batch_outermost(const dot_matrix_t *matrix);

#endif  // SERVER_WORKER_KERNELS_DOT_LAYOUT_H_
