// A dot_general as a batched matrix product: its dimensions sorted into batch, m, n and
// k, and joined where strides let them.

#include "server/worker/kernels/product/dot_layout.h"

#include <string.h>

// Some dimensions of an operand, in the order in which they are joined.
typedef struct group_t {
  int count;
  int dims[TENSOR_RANK_MAX];
} group_t;

static group_t group_of_attr(const chip_instruction_t *instruction, chip_attr_key_t key) {
  int32_t count = 0;
  const int64_t *dims = chip_instruction_attr(instruction, key, &count);
  group_t group = {.count = count};
  for (int32_t i = 0; i < count; i++) {
    group.dims[i] = (int)dims[i];
  }
  return group;
}

static bool contains(const group_t *group, int dim) {
  for (int i = 0; i < group->count; i++) {
    if (group->dims[i] == dim) {
      return true;
    }
  }
  return false;
}

static group_t group_of_others(int rank, const group_t *a, const group_t *b) {
  group_t group = {0};
  for (int i = 0; i < rank; i++) {
    if (!contains(a, i) && !contains(b, i)) {
      group.dims[group.count++] = i;
    }
  }
  return group;
}

// One dimension of `size` and `stride` for all of the group; false when their strides do
// not continue one another.
static bool join(const group_t *group, const tensor_shape_t *shape, int64_t *out_size,
                 int64_t *out_stride) {
  int64_t strides[TENSOR_RANK_MAX];
  tensor_shape_strides(shape, strides);
  int64_t size = 1, stride = 1;
  bool is_joined = true;
  for (int i = group->count - 1; i >= 0; i--) {
    const int64_t dim = shape->dims[group->dims[i]];
    const int64_t dim_stride = strides[group->dims[i]];
    if (dim != 1 && size != 1 && dim_stride != stride * size) {
      is_joined = false;
    }
    if (dim != 1 && size == 1) {
      stride = dim_stride;
    }
    size *= dim;
  }
  *out_size = size;
  *out_stride = stride;
  return is_joined;
}

static void add_to_move(kernel_move_t *move, const group_t *group,
                        const tensor_shape_t *shape) {
  int64_t strides[TENSOR_RANK_MAX];
  tensor_shape_strides(shape, strides);
  for (int i = 0; i < group->count; i++) {
    move->sizes[move->rank] = shape->dims[group->dims[i]];
    move->in_strides[move->rank++] = strides[group->dims[i]];
  }
}

// Copies the operand to a dense array of these dimensions.
static kernel_move_t move_to(const tensor_shape_t *shape, const group_t *first,
                             const group_t *second, const group_t *third) {
  kernel_move_t move = {.element_bytes = tensor_dtype_bytes(shape->dtype)};
  add_to_move(&move, first, shape);
  add_to_move(&move, second, shape);
  add_to_move(&move, third, shape);
  int64_t stride = 1;
  for (int i = move.rank - 1; i >= 0; i--) {
    move.out_strides[i] = stride;
    stride *= move.sizes[i];
  }
  return move;
}

static bool has_innermost(const group_t *group, const tensor_shape_t *shape) {
  int innermost = shape->rank - 1;
  while (innermost > 0 && shape->dims[innermost] == 1) {
    innermost--;
  }
  return contains(group, innermost);
}

// A single row or column has any stride that suits.
static void settle_strides(dot_matrix_t *matrix) {
  if (matrix->columns == 1) {
    matrix->column_stride = 1;
  }
  if (matrix->rows == 1) {
    matrix->row_stride = matrix->column_stride == 1 ? matrix->columns : 1;
  }
  if (matrix->columns == 1 && matrix->row_stride == 1) {
    matrix->column_stride = matrix->rows;
  }
}

// Without its batches.
static dot_matrix_t make_matrix(const tensor_shape_t *shape, const group_t *batch,
                                const group_t *rows, const group_t *columns) {
  dot_matrix_t matrix = {
      .dtype = shape->dtype,
      .copies_by_column = has_innermost(rows, shape),
      .by_row = move_to(shape, batch, rows, columns),
      .by_column = move_to(shape, batch, columns, rows),
  };
  const bool joins_rows = join(rows, shape, &matrix.rows, &matrix.row_stride);
  const bool joins_columns = join(columns, shape, &matrix.columns, &matrix.column_stride);
  settle_strides(&matrix);
  matrix.needs_copy = !joins_rows || !joins_columns ||
                      (matrix.row_stride != 1 && matrix.column_stride != 1);
  return matrix;
}

static void transpose(dot_matrix_t *matrix) {
  const dot_matrix_t old = *matrix;
  matrix->rows = old.columns;
  matrix->columns = old.rows;
  matrix->row_stride = old.column_stride;
  matrix->column_stride = old.row_stride;
  matrix->by_row = old.by_column;
  matrix->by_column = old.by_row;
  matrix->copies_by_column = !old.copies_by_column;
  settle_strides(matrix);
}

// ----- batches -----

// Batch dimensions of both operands, neighbours joined where both have them so.
typedef struct batches_t {
  int count;
  int64_t sizes[TENSOR_RANK_MAX], lhs[TENSOR_RANK_MAX], rhs[TENSOR_RANK_MAX];
} batches_t;

static batches_t join_batches(const dot_layout_t *layout, const tensor_shape_t *lhs,
                              const group_t *lhs_dims, const tensor_shape_t *rhs,
                              const group_t *rhs_dims) {
  int64_t lhs_strides[TENSOR_RANK_MAX], rhs_strides[TENSOR_RANK_MAX];
  tensor_shape_strides(lhs, lhs_strides);
  tensor_shape_strides(rhs, rhs_strides);
  batches_t all = {0};
  for (int i = 0; i < lhs_dims->count; i++) {
    const int64_t size = lhs->dims[lhs_dims->dims[i]];
    const int64_t a = lhs_strides[lhs_dims->dims[i]];
    const int64_t b = rhs_strides[rhs_dims->dims[i]];
    const int last = all.count - 1;
    if (size == 1) {
      continue;
    }
    const bool continues = last >= 0 &&
                           (layout->lhs.needs_copy || all.lhs[last] == a * size) &&
                           (layout->rhs.needs_copy || all.rhs[last] == b * size);
    const int at = continues ? last : all.count++;
    all.sizes[at] = continues ? all.sizes[at] * size : size;
    all.lhs[at] = a;
    all.rhs[at] = b;
  }
  return all;
}

static bool joins(const group_t *group, const tensor_shape_t *shape) {
  int64_t size, stride;
  return join(group, shape, &size, &stride);
}

// More than two batches that cannot be joined: what is in the way is copied.
static void set_batches(dot_layout_t *layout, const tensor_shape_t *lhs,
                        const group_t *lhs_dims, const tensor_shape_t *rhs,
                        const group_t *rhs_dims) {
  batches_t all = join_batches(layout, lhs, lhs_dims, rhs, rhs_dims);
  if (all.count > 2) {
    layout->lhs.needs_copy |= !joins(lhs_dims, lhs);
    layout->rhs.needs_copy |= !joins(rhs_dims, rhs);
    all = join_batches(layout, lhs, lhs_dims, rhs, rhs_dims);
  }
  for (int i = 0; i < 2; i++) {
    const int from = all.count - 2 + i;
    layout->batches[i] = from < 0 ? 1 : all.sizes[from];
    layout->lhs.batch_strides[i] = from < 0 ? 0 : all.lhs[from];
    layout->rhs.batch_strides[i] = from < 0 ? 0 : all.rhs[from];
    layout->lhs.batches[i] = layout->rhs.batches[i] = layout->batches[i];
  }
}

// Both lists in the order of the first.
static void sort_by(group_t *first, group_t *second) {
  for (int i = 1; i < first->count; i++) {
    for (int j = i; j > 0 && first->dims[j] < first->dims[j - 1]; j--) {
      const int a = first->dims[j], b = second->dims[j];
      first->dims[j] = first->dims[j - 1];
      second->dims[j] = second->dims[j - 1];
      first->dims[j - 1] = a;
      second->dims[j - 1] = b;
    }
  }
}

static int64_t copied_elements(const dot_matrix_t *matrix) {
  return matrix->needs_copy
             ? matrix->batches[0] * matrix->batches[1] * matrix->rows * matrix->columns
             : 0;
}

static void swap_operands(dot_layout_t *layout) {
  const dot_matrix_t lhs = layout->lhs;
  layout->lhs = layout->rhs;
  layout->rhs = lhs;
  transpose(&layout->lhs);
  transpose(&layout->rhs);
  layout->n = layout->m;
  layout->m = 1;
  layout->is_swapped = true;
}

dot_layout_t dot_layout_make(const chip_instruction_t *instruction,
                             const tensor_shape_t *lhs, const tensor_shape_t *rhs) {
  const group_t lhs_batch = group_of_attr(instruction, CHIP_ATTR_LHS_BATCHING_DIMENSIONS);
  const group_t rhs_batch = group_of_attr(instruction, CHIP_ATTR_RHS_BATCHING_DIMENSIONS);
  group_t lhs_k = group_of_attr(instruction, CHIP_ATTR_LHS_CONTRACTING_DIMENSIONS);
  group_t rhs_k = group_of_attr(instruction, CHIP_ATTR_RHS_CONTRACTING_DIMENSIONS);
  const group_t lhs_rows = group_of_others(lhs->rank, &lhs_batch, &lhs_k);
  const group_t rhs_columns = group_of_others(rhs->rank, &rhs_batch, &rhs_k);
  dot_layout_t best = {0};
  for (int order = 0; order < 2; order++) {
    if (order == 0) {
      sort_by(&lhs_k, &rhs_k);
    } else {
      sort_by(&rhs_k, &lhs_k);
    }
    dot_layout_t layout = {
        .lhs = make_matrix(lhs, &lhs_batch, &lhs_rows, &lhs_k),
        .rhs = make_matrix(rhs, &rhs_batch, &rhs_k, &rhs_columns),
    };
    set_batches(&layout, lhs, &lhs_batch, rhs, &rhs_batch);
    layout.m = layout.lhs.rows;
    layout.k = layout.lhs.columns;
    layout.n = layout.rhs.columns;
    if (order == 0 || copied_elements(&layout.lhs) + copied_elements(&layout.rhs) <
                          copied_elements(&best.lhs) + copied_elements(&best.rhs)) {
      best = layout;
    }
  }
  if (best.n == 1 && best.m > 1) {
    swap_operands(&best);
  }
  return best;
}

void dot_matrix_require_row_major(dot_matrix_t *matrix) {
  const bool is_row_major = (matrix->columns == 1 || matrix->column_stride == 1) &&
                            (matrix->rows == 1 || matrix->row_stride == matrix->columns);
  matrix->needs_copy |= !is_row_major;
  matrix->copies_by_column = false;
}

dot_matrix_t dot_matrix_as_used(const dot_matrix_t *matrix) {
  dot_matrix_t used = *matrix;
  if (used.needs_copy) {
    used.batch_strides[1] = used.rows * used.columns;
    used.batch_strides[0] = used.batches[1] * used.batch_strides[1];
    used.row_stride = used.copies_by_column ? 1 : used.columns;
    used.column_stride = used.copies_by_column ? used.rows : 1;
    used.needs_copy = false;
  }
  return used;
}

bool dot_matrix_is_batch_outermost(const dot_matrix_t *matrix) {
  return matrix->batches[1] == 1 ||
         matrix->batch_strides[1] == matrix->rows * matrix->columns;
}
