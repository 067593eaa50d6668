// Gather, scatter, sort, top_k and map.

#include <string.h>

#include "common/base/check.h"
#include "tests/differential/reference_scalar.h"

// --- Gather and scatter ---

typedef struct dims_t {
  int count;
  int64_t dims[TENSOR_RANK_MAX];
} dims_t;

// The dimension numbers, by their names in the specification of gather.
typedef struct numbers_t {
  dims_t offset_dims, collapsed_slice_dims, operand_batching_dims;
  dims_t start_indices_batching_dims, start_index_map;
  int64_t index_vector_dim;
} numbers_t;

static dims_t field_of(const mlir_op_t *op, const char *name, const char *field) {
  dims_t dims = {0};
  const int count = reference_field(op, name, field, dims.dims);
  dims.count = count < 0 ? 0 : count;
  return dims;
}

static int place_of(const dims_t *dims, int64_t dim) {
  for (int i = 0; i < dims->count; i++) {
    if (dims->dims[i] == dim) {
      return i;
    }
  }
  return -1;
}

// Reads number `i` of the index vector that belongs to a batch index.
static int64_t start_at(const reference_value_t *indices, const numbers_t *numbers,
                        const int64_t *batch_index, int i) {
  int64_t index[TENSOR_RANK_MAX];
  int from = 0;
  for (int d = 0; d < indices->shape.rank; d++) {
    index[d] = d == numbers->index_vector_dim ? i : batch_index[from++];
  }
  return reference_index(indices, reference_ravel(&indices->shape, index));
}

// Where in the array the element `at` of the result (or of the updates) lies. `sizes`:
// those of the slice, to clamp to; NULL does not.
static void array_index(const tensor_shape_t *array, const reference_value_t *indices,
                        const numbers_t *numbers, const int64_t *sizes,
                        const tensor_shape_t *result, const int64_t *at,
                        int64_t *out_index) {
  int64_t batch_index[TENSOR_RANK_MAX], offset_index[TENSOR_RANK_MAX];
  int batch_count = 0, offset_count = 0;
  for (int d = 0; d < result->rank; d++) {
    if (place_of(&numbers->offset_dims, d) >= 0) {
      offset_index[offset_count++] = at[d];
    } else {
      batch_index[batch_count++] = at[d];
    }
  }
  offset_count = 0;
  for (int d = 0; d < array->rank; d++) {
    const int start = place_of(&numbers->start_index_map, d);
    const int batching = place_of(&numbers->operand_batching_dims, d);
    out_index[d] = 0;
    if (start >= 0) {
      int64_t value = start_at(indices, numbers, batch_index, start);
      if (sizes != NULL) {
        const int64_t last = array->dims[d] - sizes[d];
        value = value > last ? last : value;
        value = value < 0 ? 0 : value;
      }
      out_index[d] = value;
    }
    if (batching >= 0) {
      const int64_t d_start = numbers->start_indices_batching_dims.dims[batching];
      out_index[d] = batch_index[d_start - (d_start < numbers->index_vector_dim ? 0 : 1)];
    } else if (place_of(&numbers->collapsed_slice_dims, d) < 0) {
      const int64_t offset = offset_index[offset_count++];
      out_index[d] =
          out_index[d] > INT64_MAX - offset ? INT64_MAX : out_index[d] + offset;
    }
  }
}

static void reference_gather(reference_t *machine, const mlir_op_t *op) {
  const reference_value_t *operand = reference_operand(machine, op, 0);
  reference_value_t *result = reference_result(machine, op, 0);
  static const char attr[] = "dimension_numbers";
  numbers_t numbers = {
      .offset_dims = field_of(op, attr, "offset_dims"),
      .collapsed_slice_dims = field_of(op, attr, "collapsed_slice_dims"),
      .operand_batching_dims = field_of(op, attr, "operand_batching_dims"),
      .start_indices_batching_dims = field_of(op, attr, "start_indices_batching_dims"),
      .start_index_map = field_of(op, attr, "start_index_map"),
  };
  reference_field(op, attr, "index_vector_dim", &numbers.index_vector_dim);
  const int64_t *given = reference_list(machine, op, "slice_sizes", NULL);
  int64_t sizes[TENSOR_RANK_MAX];
  for (int d = 0; d < operand->shape.rank; d++) {  // Of dynamic_gather an operand.
    sizes[d] =
        given != NULL ? given[d] : reference_index(reference_operand(machine, op, 2), d);
  }
  for (int64_t i = 0; i < result->count; i++) {
    int64_t at[TENSOR_RANK_MAX], index[TENSOR_RANK_MAX];
    reference_unravel(&result->shape, i, at);
    array_index(&operand->shape, reference_operand(machine, op, 1), &numbers, sizes,
                &result->shape, at, index);
    reference_copy(result, i, operand, reference_ravel(&operand->shape, index));
  }
}

static reference_value_t scalar_at(reference_t *machine, const reference_value_t *from,
                                   int64_t at) {
  const tensor_shape_t shape = tensor_shape_make(from->shape.dtype, 0, NULL);
  reference_value_t scalar = reference_make(machine->arena, &shape);
  reference_copy(&scalar, 0, from, at);
  return scalar;
}

// One update after the other. The specification leaves their order open; as XLA has it,
// windows go one by one, in the order of their indexes. Element `i` in that order.
static void update_index(const tensor_shape_t *shape, const numbers_t *numbers, int64_t i,
                         int64_t *out_at) {
  for (int pass = 0; pass < 2; pass++) {
    for (int d = shape->rank - 1; d >= 0; d--) {
      const bool is_window = place_of(&numbers->offset_dims, d) >= 0;
      if (is_window == (pass == 0)) {
        out_at[d] = i % shape->dims[d];
        i /= shape->dims[d];
      }
    }
  }
}

static void reference_scatter(reference_t *machine, const mlir_op_t *op) {
  static const char attr[] = "scatter_dimension_numbers";
  numbers_t numbers = {
      .offset_dims = field_of(op, attr, "update_window_dims"),
      .collapsed_slice_dims = field_of(op, attr, "inserted_window_dims"),
      .operand_batching_dims = field_of(op, attr, "input_batching_dims"),
      .start_indices_batching_dims = field_of(op, attr, "scatter_indices_batching_dims"),
      .start_index_map = field_of(op, attr, "scatter_dims_to_operand_dims"),
  };
  reference_field(op, attr, "index_vector_dim", &numbers.index_vector_dim);
  const int count = op->operand_count / 2;
  for (int n = 0; n < count; n++) {
    reference_value_t *result = reference_result(machine, op, n);
    const reference_value_t input = reference_promote(
        machine->arena, reference_operand(machine, op, n), result->shape.dtype);
    for (int64_t i = 0; i < result->count; i++) {
      reference_copy(result, i, &input, i);
    }
  }
  const tensor_shape_t array = op->results[0].type->shape;
  const reference_value_t *first = reference_operand(machine, op, count + 1);
  for (int64_t i = 0; i < first->count; i++) {
    int64_t at[TENSOR_RANK_MAX], index[TENSOR_RANK_MAX];
    update_index(&first->shape, &numbers, i, at);
    array_index(&array, reference_operand(machine, op, count), &numbers, NULL,
                &first->shape, at, index);
    if (!reference_is_inside(&array, index)) {
      continue;
    }
    const int64_t flat = reference_ravel(&array, index);
    reference_value_t arguments[64], values[32];
    POD_CHECK(count <= 32);
    for (int n = 0; n < count; n++) {
      arguments[n] = scalar_at(machine, &machine->values[op->results[n].id], flat);
      arguments[count + n] =
          scalar_at(machine, reference_operand(machine, op, count + 1 + n),
                    reference_ravel(&first->shape, at));
    }
    reference_block(machine, mlir_op_block(op, 0), arguments, values);
    for (int n = 0; n < count; n++) {
      reference_copy(&machine->values[op->results[n].id], flat, &values[n], 0);
    }
  }
}

// --- Sort ---

// What is sorted: the first operands, by a function of two elements of each.
typedef struct sort_t {
  reference_t *machine;
  const mlir_op_t *op;
  int count;
  int64_t dimension;
  const mlir_block_t *comparator;
} sort_t;

static bool is_before(const sort_t *sort, int64_t a, int64_t b) {
  reference_value_t arguments[64], result;
  POD_CHECK(sort->count <= 32);
  for (int n = 0; n < sort->count; n++) {
    const reference_value_t *operand = reference_operand(sort->machine, sort->op, n);
    arguments[2 * n] = scalar_at(sort->machine, operand, a);
    arguments[2 * n + 1] = scalar_at(sort->machine, operand, b);
  }
  reference_block(sort->machine, sort->comparator, arguments, &result);
  return result.data[0] != 0;
}

// Puts the flat indexes of a line in order: each goes before those that it precedes.
static void sort_line(const sort_t *sort, int64_t count, int64_t *line) {
  for (int64_t i = 1; i < count; i++) {
    const int64_t one = line[i];
    int64_t low = 0, high = i;  // Behind the last that it does not precede.
    while (low < high) {
      const int64_t middle = (low + high) / 2;
      if (is_before(sort, one, line[middle])) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    memmove(line + low + 1, line + low, (size_t)(i - low) * sizeof(line[0]));
    line[low] = one;
  }
}

// The results get the first of every line, as many as they have room for.
static void sort_all(const sort_t *sort) {
  reference_t *machine = sort->machine;
  const mlir_op_t *op = sort->op;
  for (int n = 0; n < sort->count; n++) {
    reference_result(machine, op, n);
  }
  const reference_value_t *first = reference_operand(machine, op, 0);
  const tensor_shape_t *shape = &first->shape, *to = &op->results[0].type->shape;
  const int64_t size = shape->dims[sort->dimension];
  int64_t *line = pod_arena_array(machine->arena, (size_t)size + 1, sizeof(line[0]));
  for (int64_t i = 0; i < first->count; i++) {
    int64_t index[TENSOR_RANK_MAX];
    reference_unravel(shape, i, index);
    if (index[sort->dimension] != 0) {
      continue;
    }
    for (int64_t j = 0; j < size; j++) {
      index[sort->dimension] = j;
      line[j] = reference_ravel(shape, index);
    }
    sort_line(sort, size, line);
    for (int64_t j = 0; j < to->dims[sort->dimension]; j++) {
      index[sort->dimension] = j;
      for (int n = 0; n < sort->count; n++) {
        reference_copy(&machine->values[op->results[n].id], reference_ravel(to, index),
                       reference_operand(machine, op, n), line[j]);
      }
    }
  }
}

static void reference_sort(reference_t *machine, const mlir_op_t *op) {
  const int rank = op->results[0].type->shape.rank;
  const int64_t dimension = reference_integer(op, "dimension", -1);
  sort_all(&(sort_t){.machine = machine,
                     .op = op,
                     .count = op->operand_count,
                     .dimension = dimension + (dimension < 0 ? rank : 0),
                     .comparator = mlir_op_block(op, 0)});
}

// Custom calls: the first elements by a function of the module.
static void reference_sorted_part(reference_t *machine, const mlir_op_t *op) {
  const mlir_attr_t *config = mlir_op_attr(op, "mhlo.backend_config");
  const char *name = mlir_op_attr(op, "called_computations")->elements[0]->text;
  sort_all(&(sort_t){.machine = machine,
                     .op = op,
                     .count = op->result_count,
                     .dimension = mlir_attr_get(config, "reduction_dim")->integer,
                     .comparator = reference_function(machine, name)});
}

// The largest come first, and of equal ones those that stood first. How many says the
// result: custom calls say it in ways of their own.
static void reference_top_k(reference_t *machine, const mlir_op_t *op) {
  const reference_value_t *x = reference_operand(machine, op, 0);
  reference_value_t *values = reference_result(machine, op, 0);
  reference_value_t *places = reference_result(machine, op, 1);
  const int64_t size = x->shape.dims[x->shape.rank - 1];
  const int64_t k = values->shape.dims[x->shape.rank - 1];
  for (int64_t row = 0; k > 0 && row < values->count / k; row++) {
    for (int64_t i = 0; i < size; i++) {
      const reference_scalar_t own = reference_load(x, row * size + i);
      int64_t rank = 0;
      for (int64_t j = 0; j < size; j++) {
        const reference_scalar_t other = reference_load(x, row * size + j);
        rank += reference_compare("GT", "TOTALORDER", other, own) ||
                        (j < i && reference_compare("EQ", "TOTALORDER", other, own))
                    ? 1
                    : 0;
      }
      if (rank < k) {
        reference_copy(values, row * k + rank, x, row * size + i);
        reference_store(places, row * k + rank, reference_of_integer(TENSOR_S32, i));
      }
    }
  }
}

static void reference_map(reference_t *machine, const mlir_op_t *op) {
  reference_value_t *result = reference_result(machine, op, 0);
  for (int64_t i = 0; i < result->count; i++) {
    reference_value_t arguments[32], value;
    POD_CHECK(op->operand_count <= 32);
    for (int n = 0; n < op->operand_count; n++) {
      arguments[n] = scalar_at(machine, reference_operand(machine, op, n), i);
    }
    reference_block(machine, mlir_op_block(op, 0), arguments, &value);
    reference_copy(result, i, &value, 0);
  }
}

const reference_row_t reference_indexing_rows[] = {
    {"stablehlo.gather", reference_gather},
    {"stablehlo.dynamic_gather", reference_gather},
    {"stablehlo.scatter", reference_scatter},
    {"stablehlo.sort", reference_sort},
    {"chlo.top_k", reference_top_k},
    {"stablehlo.map", reference_map},
    {"@ApproxTopK", reference_sorted_part},
    {"@PartialReduce", reference_sorted_part},
    {"@mhlo.topk", reference_top_k},
    {"@stablehlo.dynamic_approx_top_k", reference_sorted_part},
    {"@stablehlo.dynamic_top_k", reference_top_k},
    {NULL, NULL},
};
