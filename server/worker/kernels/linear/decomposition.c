// The rows podium.qr, householder_product, lu and eigh: batches of matrices, each brought
// to double or complex double by columns, decomposed (blocks.h), and rounded once.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/worker/kernels/kernels.h"
#include "server/worker/kernels/linear/blocks.h"
#include "server/worker/kernels/memory.h"
#include "server/worker/kernels/stop.h"
#include "server/worker/kernels/storage.h"

// What is converted together: as many rows, and columns of them.
enum { ROWS = 16, COLUMNS = 1024, PARTS_MAX = 4 };

// The matrices of operand 0, and memory for one of them and what goes with it.
typedef struct batch_t {
  tensor_dtype_t dtype, wide;
  int64_t rows, columns, count;
  lapack_matrix_t matrix;  // rows x columns.
  char *tile;              // ROWS · COLUMNS elements.
  char *parts[PARTS_MAX];  // What the kernel asked for.
  char *memory;
} batch_t;

static int64_t smaller(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b) {
  return a > b ? a : b;
}

// With room for `extra` more bytes, for each of which a part is made.
static pod_status_t batch_init(const kernel_args_t *args, int part_count,
                               const int64_t *elements, batch_t *batch) {
  const tensor_shape_t *shape = kernel_operand_shape(args, 0);
  const bool is_complex = tensor_dtype_is_complex(shape->dtype);
  *batch = (batch_t){.dtype = shape->dtype,
                     .wide = is_complex ? TENSOR_C128 : TENSOR_F64,
                     .rows = shape->dims[shape->rank - 2],
                     .columns = shape->dims[shape->rank - 1],
                     .count = 1};
  for (int d = 0; d < shape->rank - 2; d++) {
    batch->count *= shape->dims[d];
  }
  const int64_t most = larger(batch->rows, batch->columns);
  if (most > LAPACK_SIZE_MAX) {
    return pod_error(POD_UNIMPLEMENTED,
                     "%s: matrices have at most %d rows and columns, not %lld",
                     args->instruction->name, LAPACK_SIZE_MAX, (long long)most);
  }
  const size_t element = tensor_dtype_bytes(batch->wide);
  int64_t room = batch->rows * batch->columns + ROWS * COLUMNS;
  for (int i = 0; i < part_count; i++) {
    room += elements[i];
  }
  batch->memory = kernel_malloc((size_t)room * element + 1);
  if (batch->memory == NULL) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "%s: no host memory for %lld numbers",
                     args->instruction->name, (long long)room);
  }
  char *next = batch->memory;
  batch->matrix = (lapack_matrix_t){next, batch->rows, batch->columns,
                                    larger(batch->rows, 1), is_complex};
  next += (size_t)(batch->rows * batch->columns) * element;
  batch->tile = next;
  next += (size_t)(ROWS * COLUMNS) * element;
  for (int i = 0; i < part_count; i++) {
    batch->parts[i] = next;
    next += (size_t)elements[i] * element;
  }
  lapack_prepare();
  return NULL;
}

static void batch_deinit(batch_t *batch) {
  kernel_free(batch->memory);
}

// Where the part of `count` elements of matrix `index` begins.
static char *part_at(const void *data, tensor_dtype_t dtype, int64_t index,
                     int64_t count) {
  return (char *)data + (size_t)(index * count) * tensor_dtype_bytes(dtype);
}

// Some elements of the matrix: `count` of each of `rows` rows.
typedef struct tile_t {
  int64_t row, rows, column, count;
} tile_t;

// Rows to columns, in the tile: a column of few rows is in the cache when the next rows
// come. `data` is the matrix as the array has it.
static void read_tile(const batch_t *batch, const lapack_matrix_t *a, const char *data,
                      const tile_t *tile) {
  const size_t element = lapack_element(a);
  for (int64_t r = 0; r < tile->rows; r++) {
    kernel_convert_elements(
        batch->dtype,
        part_at(data, batch->dtype, 1, (tile->row + r) * a->columns + tile->column),
        batch->wide, batch->tile + (size_t)(r * COLUMNS) * element, (size_t)tile->count);
  }
  for (int64_t j = 0; j < tile->count; j++) {
    char *to = lapack_at(a, tile->row, tile->column + j);
    for (int64_t r = 0; r < tile->rows; r++) {
      memcpy(to + (size_t)r * element, batch->tile + (size_t)(r * COLUMNS + j) * element,
             element);
    }
  }
}

static void write_tile(const batch_t *batch, const lapack_matrix_t *a, const char *data,
                       const tile_t *tile) {
  const size_t element = lapack_element(a);
  for (int64_t j = 0; j < tile->count; j++) {
    const char *from = lapack_at(a, tile->row, tile->column + j);
    for (int64_t r = 0; r < tile->rows; r++) {
      memcpy(batch->tile + (size_t)(r * COLUMNS + j) * element,
             from + (size_t)r * element, element);
    }
  }
  for (int64_t r = 0; r < tile->rows; r++) {
    kernel_convert_elements(
        batch->wide, batch->tile + (size_t)(r * COLUMNS) * element, batch->dtype,
        part_at(data, batch->dtype, 1, (tile->row + r) * a->columns + tile->column),
        (size_t)tile->count);
  }
}

// Between matrix `index` of an array and `a`.
static void each_tile(const batch_t *batch, const lapack_matrix_t *a, const void *data,
                      int64_t index,
                      void (*move)(const batch_t *, const lapack_matrix_t *, const char *,
                                   const tile_t *)) {
  const char *matrix = part_at(data, batch->dtype, index, a->rows * a->columns);
  tile_t tile;
  for (tile.row = 0; tile.row < a->rows; tile.row += ROWS) {
    tile.rows = smaller(ROWS, a->rows - tile.row);
    for (tile.column = 0; tile.column < a->columns && !kernel_is_stopped();
         tile.column += COLUMNS) {
      tile.count = smaller(COLUMNS, a->columns - tile.column);
      move(batch, a, matrix, &tile);
    }
  }
}

static void read_matrix(const batch_t *batch, const void *data, int64_t index) {
  each_tile(batch, &batch->matrix, data, index, read_tile);
}

static void write_matrix(const batch_t *batch, const lapack_matrix_t *a, void *data,
                         int64_t index) {
  each_tile(batch, a, data, index, write_tile);
}

// --- QR ---

pod_status_t kernel_qr(const kernel_args_t *args) {
  const tensor_shape_t *taus = kernel_result_shape(args, 1);
  const int64_t size = taus->dims[taus->rank - 1];
  batch_t batch;
  POD_TRY(batch_init(args, 1, &size, &batch));
  pod_status_t status = NULL;
  for (int64_t b = 0; b < batch.count && status == NULL && !kernel_is_stopped(); b++) {
    read_matrix(&batch, args->operands[0], b);
    status = blocks_qr(&batch.matrix, batch.parts[0]);
    write_matrix(&batch, &batch.matrix, args->results[0], b);
    kernel_convert_elements(batch.wide, batch.parts[0], batch.dtype,
                            part_at(args->results[1], batch.dtype, b, size),
                            (size_t)size);
  }
  batch_deinit(&batch);
  return status;
}

static void fill_identity(const lapack_matrix_t *a) {
  for (int64_t j = 0; j < a->columns && !kernel_is_stopped(); j++) {
    memset(lapack_at(a, 0, j), 0, (size_t)a->rows * lapack_element(a));
    *(double *)lapack_at(a, j, j) = 1;
  }
}

// The first columns of H1 H2 … Hk: of no more than rows.
pod_status_t kernel_householder_product(const kernel_args_t *args) {
  const tensor_shape_t *a = kernel_operand_shape(args, 0);
  const tensor_shape_t *taus = kernel_operand_shape(args, 1);
  const int64_t size = taus->dims[taus->rank - 1];
  const int64_t sizes[] = {size, a->dims[a->rank - 2] * a->dims[a->rank - 1]};
  batch_t batch;
  POD_TRY(batch_init(args, 2, sizes, &batch));
  lapack_matrix_t product = batch.matrix;
  product.data = batch.parts[1];
  const lapack_matrix_t reflectors = lapack_part(&batch.matrix, 0, 0, batch.rows, size);
  pod_status_t status = NULL;
  for (int64_t b = 0; b < batch.count && status == NULL && !kernel_is_stopped(); b++) {
    read_matrix(&batch, args->operands[0], b);
    kernel_convert_elements(batch.dtype, part_at(args->operands[1], batch.dtype, b, size),
                            batch.wide, batch.parts[0], (size_t)size);
    fill_identity(&product);
    status = blocks_reflect(&reflectors, batch.parts[0], true, &product);
    write_matrix(&batch, &product, args->results[0], b);
  }
  batch_deinit(&batch);
  return status;
}

// --- LU ---

// Row permutation[i] of the matrix is row i of L U.
static void permute(int64_t rows, int64_t count, const int32_t *pivots,
                    int32_t *permutation) {
  for (int64_t i = 0; i < rows; i++) {
    permutation[i] = (int32_t)i;
  }
  for (int64_t i = 0; i < count; i++) {
    const int32_t other = permutation[pivots[i]];
    permutation[pivots[i]] = permutation[i];
    permutation[i] = other;
  }
}

pod_status_t kernel_lu(const kernel_args_t *args) {
  batch_t batch;
  POD_TRY(batch_init(args, 0, NULL, &batch));
  const int64_t size = smaller(batch.rows, batch.columns);
  for (int64_t b = 0; b < batch.count && !kernel_is_stopped(); b++) {
    int32_t *pivots = (int32_t *)part_at(args->results[1], TENSOR_S32, b, size);
    read_matrix(&batch, args->operands[0], b);
    blocks_lu(&batch.matrix, pivots);
    if (kernel_is_stopped()) {
      break;  // Pivots are not all there.
    }
    write_matrix(&batch, &batch.matrix, args->results[0], b);
    permute(batch.rows, size, pivots,
            (int32_t *)part_at(args->results[2], TENSOR_S32, b, batch.rows));
  }
  batch_deinit(&batch);
  return NULL;
}

// --- Eigenvalues ---

// The lower triangle from the upper one.
static void mirror(const lapack_matrix_t *a) {
  for (int64_t j = 0; j < a->columns && !kernel_is_stopped(); j++) {
    for (int64_t i = j + 1; i < a->rows; i++) {
      double *to = (double *)lapack_at(a, i, j);
      memcpy(to, lapack_at(a, j, i), lapack_element(a));
      if (a->is_complex) {
        to[1] = -to[1];
      }
    }
  }
}

static bool is_zero(const lapack_matrix_t *a, int64_t row, int64_t column) {
  const double *x = (const double *)lapack_at(a, row, column);
  return x[0] == 0 && (!a->is_complex || x[1] == 0);
}

// The first index of a group; on the way the path to it becomes shorter.
static int32_t first_of(int32_t *group, int32_t index) {
  while (group[index] != index) {
    group[index] = group[group[index]];
    index = group[index];
  }
  return index;
}

// group[i] = the first index that index i is coupled with, by elements of the lower
// triangle that are not 0.
static void find_groups(const lapack_matrix_t *a, int32_t *group) {
  const int32_t n = (int32_t)a->rows;
  for (int32_t i = 0; i < n; i++) {
    group[i] = i;
  }
  for (int32_t j = 0; j < n && !kernel_is_stopped(); j++) {
    int32_t first = first_of(group, j);
    for (int32_t i = j + 1; i < n; i++) {
      if (is_zero(a, i, j) || group[i] == first) {
        continue;
      }
      const int32_t other = first_of(group, i);
      group[other > first ? other : first] = other > first ? first : other;
      first = other > first ? first : other;
    }
  }
  for (int32_t i = 0; i < n; i++) {
    group[i] = first_of(group, i);
  }
}

// The eigenvalues of an index's group stay among the indexes of the group, as Jacobi's
// rotations leave them: JAX pads matrices with zeros and takes the values of the rest
// from where the rest was (jax/_src/tpu/linalg/eigh.py, base_case). `small` has room for
// a matrix, `values` for its eigenvalues.
static pod_status_t decompose_group(const lapack_matrix_t *a, const int32_t *group,
                                    int32_t first, const lapack_matrix_t *vectors,
                                    char *small_data, double *values,
                                    double *out_values) {
  const size_t element = lapack_element(a);
  int64_t size = 0;
  for (int64_t i = first; i < a->rows; i++) {
    size += group[i] == first ? 1 : 0;
  }
  const lapack_matrix_t small = {small_data, size, size, size, a->is_complex};
  for (int64_t j = first, to_j = 0; j < a->columns; j++) {
    if (group[j] != first) {
      continue;
    }
    for (int64_t i = j, to_i = to_j; i < a->rows; i++) {
      if (group[i] == first) {
        memcpy(lapack_at(&small, to_i++, to_j), lapack_at(a, i, j), element);
      }
    }
    to_j++;
  }
  POD_TRY(blocks_eigh(&small, values));
  for (int64_t j = first, from_j = 0; j < a->columns; j++) {
    if (group[j] != first) {
      continue;
    }
    out_values[j] = values[from_j];
    for (int64_t i = first, from_i = 0; i < a->rows; i++) {
      if (group[i] == first) {
        memcpy(lapack_at(vectors, i, j), lapack_at(&small, from_i++, from_j), element);
      }
    }
    from_j++;
  }
  return NULL;
}

// Memory for groups: indexes, eigenvalues of one, a matrix of one, all vectors.
typedef struct groups_t {
  int32_t *group;
  double *values;
  char *small;
  lapack_matrix_t vectors;
} groups_t;

static pod_status_t decompose_groups(const lapack_matrix_t *a, const groups_t *groups,
                                     double *out_values) {
  find_groups(a, groups->group);
  for (int64_t j = 0; j < a->columns && !kernel_is_stopped(); j++) {
    memset(lapack_at(&groups->vectors, 0, j), 0, (size_t)a->rows * lapack_element(a));
  }
  for (int32_t i = 0; i < a->rows && !kernel_is_stopped(); i++) {
    if (groups->group[i] == i) {
      POD_TRY(decompose_group(a, groups->group, i, &groups->vectors, groups->small,
                              groups->values, out_values));
    }
  }
  return NULL;
}

pod_status_t kernel_eigh(const kernel_args_t *args) {
  const tensor_shape_t *a = kernel_operand_shape(args, 0);
  const tensor_dtype_t real = kernel_result_shape(args, 1)->dtype;
  const bool is_lower =
      chip_instruction_attr_one(args->instruction, CHIP_ATTR_LOWER, 1) != 0;
  const bool is_sorted =
      chip_instruction_attr_one(args->instruction, CHIP_ATTR_SORTED, 1) != 0;
  const int64_t size = a->dims[a->rank - 1], square = is_sorted ? 0 : size * size;
  const int64_t sizes[PARTS_MAX] = {size, is_sorted ? 0 : 2 * size, square, square};
  batch_t batch;
  POD_TRY(batch_init(args, PARTS_MAX, sizes, &batch));
  lapack_matrix_t vectors = batch.matrix;
  vectors.data = is_sorted ? vectors.data : batch.parts[3];
  double *values = (double *)batch.parts[0];
  const groups_t groups = {.values = (double *)batch.parts[1],
                           .group = (int32_t *)((double *)batch.parts[1] + size),
                           .small = batch.parts[2],
                           .vectors = vectors};
  pod_status_t status = NULL;
  for (int64_t b = 0; b < batch.count && status == NULL && !kernel_is_stopped(); b++) {
    read_matrix(&batch, args->operands[0], b);
    if (!is_lower) {
      mirror(&batch.matrix);
    }
    status = is_sorted ? blocks_eigh(&batch.matrix, values)
                       : decompose_groups(&batch.matrix, &groups, values);
    write_matrix(&batch, &vectors, args->results[0], b);
    kernel_convert_elements(TENSOR_F64, values, real,
                            part_at(args->results[1], real, b, size), (size_t)size);
  }
  batch_deinit(&batch);
  return status;
}
