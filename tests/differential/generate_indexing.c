// Gather, scatter, sort, top_k and map.

#include <math.h>
#include <string.h>

#include "common/base/check.h"
#include "tests/differential/generate_region.h"
#include "tests/differential/reference_scalar.h"

// --- Gather and scatter: how indexes, windows and the array belong together ---

typedef struct dims_t {
  int count;
  int64_t dims[TENSOR_RANK_MAX];
} dims_t;

typedef struct layout_t {
  dims_t window;            // The array's dimensions that the window has.
  dims_t dropped;           // Collapsed or inserted ones.
  dims_t batching;          // Those that go with dimensions of the indexes …
  dims_t indices_batching;  // … which are these.
  dims_t map;               // What each number of an index vector is for.
  int64_t sizes[TENSOR_RANK_MAX];
  int64_t vector_dim;
  tensor_shape_t indices;
  dims_t offset;          // Where the window's dimensions stand in the result.
  tensor_shape_t result;  // Of a gather; the updates of a scatter.
} layout_t;

static void push(dims_t *dims, int64_t value) {
  dims->dims[dims->count++] = value;
}

static void choose_roles(generate_t *g, const tensor_shape_t *shape, layout_t *layout) {
  dims_t mappable = {0};
  for (int d = 0; d < shape->rank; d++) {
    const int64_t size = shape->dims[d];
    const int kind = generate_below(g, 10);
    if (kind < 2 && layout->batching.count < 2) {
      push(&layout->batching, d);
      layout->sizes[d] = size < 1 ? size : 1;
      continue;
    }
    push(&mappable, d);
    if (kind < 5 && size > 0) {
      push(&layout->dropped, d);
      layout->sizes[d] = 1;
    } else {
      push(&layout->window, d);
      layout->sizes[d] = generate_chance(g, 30)
                             ? size
                             : (int64_t)pod_random_below(&g->random, (uint64_t)size + 1);
    }
  }
  layout->map.count = generate_below(g, mappable.count + 1);
  generate_shuffle(g, mappable.count, mappable.dims);
  memcpy(layout->map.dims, mappable.dims, sizeof(mappable.dims));
}

// The indexes' dimensions: those that batch, some more, and that of the vector.
static void choose_indices(generate_t *g, const tensor_shape_t *shape, layout_t *layout) {
  dims_t sizes = {0};
  int64_t order[TENSOR_RANK_MAX];
  for (int i = 0; i < layout->batching.count; i++) {
    push(&sizes, shape->dims[layout->batching.dims[i]]);
  }
  for (int more = generate_below(g, 3); more > 0; more--) {
    push(&sizes, generate_chance(g, 4) ? 0 : generate_between(g, 1, 5));
  }
  for (int i = 0; i < sizes.count; i++) {
    order[i] = i;
  }
  generate_shuffle(g, sizes.count, order);  // order[place] = which.
  const bool is_implicit = layout->map.count == 1 && generate_chance(g, 40);
  layout->vector_dim = is_implicit ? sizes.count : generate_below(g, sizes.count + 1);
  dims_t dims = {0};
  for (int place = 0; place <= sizes.count; place++) {
    if (!is_implicit && place == layout->vector_dim) {
      push(&dims, layout->map.count);
    }
    if (place < sizes.count) {
      push(&dims, sizes.dims[order[place]]);
    }
  }
  for (int i = 0; i < layout->batching.count; i++) {
    for (int place = 0; place < sizes.count; place++) {
      if (order[place] == i) {
        push(&layout->indices_batching,
             place + (!is_implicit && place >= layout->vector_dim ? 1 : 0));
      }
    }
  }
  layout->indices =
      tensor_shape_make(generate_dtype(g, GENERATE_INTEGER), dims.count, dims.dims);
}

static void choose_result(generate_t *g, const tensor_shape_t *shape, layout_t *layout) {
  dims_t batch = {0};
  for (int d = 0; d < layout->indices.rank; d++) {
    if (d != layout->vector_dim) {
      push(&batch, layout->indices.dims[d]);
    }
  }
  const int rank = batch.count + layout->window.count;
  layout->offset.count = layout->window.count;
  generate_subset(g, rank, layout->window.count, layout->offset.dims);
  int64_t dims[TENSOR_RANK_MAX];
  int window = 0, other = 0;
  for (int d = 0; d < rank; d++) {
    const bool is_window =
        window < layout->offset.count && layout->offset.dims[window] == d;
    dims[d] =
        is_window ? layout->sizes[layout->window.dims[window++]] : batch.dims[other++];
  }
  layout->result = tensor_shape_make(shape->dtype, rank, dims);
}

static layout_t choose_layout(generate_t *g, const tensor_shape_t *shape) {
  layout_t layout = {0};
  choose_roles(g, shape, &layout);
  choose_indices(g, shape, &layout);
  choose_result(g, shape, &layout);
  return layout;
}

static const char *list_text(generate_t *g, dims_t dims) {
  pod_text_t text = {0};
  pod_text_add(&text, "[");
  for (int i = 0; i < dims.count; i++) {
    pod_text_printf(&text, "%s%lld", i > 0 ? ", " : "", (long long)dims.dims[i]);
  }
  pod_text_add(&text, "]");
  const char *copy = pod_arena_strdup(g->arena, text.bytes);
  pod_text_deinit(&text);
  return copy;
}

// Near the array, so that some lie within, or any numbers.
static mlir_value_t *generate_indices(generate_t *g, const layout_t *layout) {
  return generate_operand(g, &layout->indices, GENERATE_BITS,
                          generate_chance(g, 60) ? GENERATE_FINITE : GENERATE_SPECIALS);
}

static void generate_gather(generate_t *g, const char *name) {
  const bool is_dynamic = strcmp(name, "stablehlo.dynamic_gather") == 0;
  mlir_value_t *operands[3];
  operands[0] = generate_any(g, GENERATE_ANY, 0, GENERATE_CLOSE, GENERATE_SPECIALS);
  const tensor_shape_t shape = *generate_shape_of(operands[0]);
  const layout_t layout = choose_layout(g, &shape);
  operands[1] = generate_indices(g, &layout);
  if (is_dynamic) {
    operands[2] = generate_constant_integers(
        g, generate_chance(g, 50) ? TENSOR_S64 : TENSOR_S32, shape.rank, layout.sizes);
  }
  mlir_op_t *op =
      generate_op(g, name, is_dynamic ? 3 : 2, operands, 1, &layout.result, 0);
  generate_body(g, op, "dimension_numbers", "gather",
                "offset_dims = %s, collapsed_slice_dims = %s, operand_batching_dims = "
                "%s, start_indices_batching_dims = %s, start_index_map = %s, "
                "index_vector_dim = %lld",
                list_text(g, layout.offset), list_text(g, layout.dropped),
                list_text(g, layout.batching), list_text(g, layout.indices_batching),
                list_text(g, layout.map), (long long)layout.vector_dim);
  if (!is_dynamic) {
    generate_list(g, op, "slice_sizes", shape.rank, layout.sizes);
  }
  if (generate_chance(g, 50)) {
    generate_flag(g, op, "indices_are_sorted", false);
  }
  generate_keep_as(g, op, 0, operands[0]);
}

// Elements that an order of the updates would change are computed by plain reductions of
// data that no order changes; or by any function of integers, update by update.
static void generate_scatter(generate_t *g, const char *name) {
  tensor_shape_t shape = generate_shape(g, TENSOR_S32, 0);
  layout_t layout = choose_layout(g, &shape);
  const bool is_plain = generate_chance(g, 60);
  const int count = is_plain ? 1 : generate_between(g, 1, 3);
  mlir_value_t *operands[7];
  tensor_shape_t results[3], scalars[6];
  const char *combine = NULL;
  for (int i = 0; i < count; i++) {
    generate_data_t data = GENERATE_SPECIALS;
    shape.dtype =
        generate_dtype(g, is_plain ? GENERATE_ANY : GENERATE_INTEGER | GENERATE_PRED);
    combine = is_plain ? generate_reduction(g, shape.dtype, &data) : NULL;
    layout.result.dtype = shape.dtype;
    results[i] = shape;
    results[i].dtype = is_plain ? generate_promoted(g, shape.dtype) : shape.dtype;
    scalars[i] = scalars[count + i] = generate_scalar_shape(results[i].dtype);
    operands[i] = generate_operand(g, &shape, GENERATE_EXACT, data);
    operands[count + 1 + i] = generate_operand(g, &layout.result, GENERATE_EXACT, data);
  }
  operands[count] = generate_indices(g, &layout);
  mlir_op_t *op = generate_op(g, name, 2 * count + 1, operands, count, results, 1);
  generate_body(g, op, "scatter_dimension_numbers", "scatter",
                "update_window_dims = %s, inserted_window_dims = %s, "
                "input_batching_dims = %s, scatter_indices_batching_dims = %s, "
                "scatter_dims_to_operand_dims = %s, index_vector_dim = %lld",
                list_text(g, layout.offset), list_text(g, layout.dropped),
                list_text(g, layout.batching), list_text(g, layout.indices_batching),
                list_text(g, layout.map), (long long)layout.vector_dim);
  if (is_plain) {
    generate_reducer(g, op, 0, results[0].dtype, combine);
  } else {
    generate_function(g, op, 0, 2 * count, scalars, count, scalars);
  }
  for (int i = 0; i < count; i++) {
    generate_keep(g, op, i, GENERATE_EXACT, 0);
  }
}

// --- Sort ---

// None of the narrow types, which differ in whether their NaNs have a sign.
mlir_value_t *generate_keys(generate_t *g, const tensor_shape_t *shape, bool may_be_nan) {
  reference_value_t keys = reference_make(g->arena, shape);
  const bool is_complex = tensor_dtype_is_complex(shape->dtype);
  generate_fill(g, shape->dtype,
                generate_chance(g, 35) ? GENERATE_UNITS
                : is_complex           ? GENERATE_FINITE
                                       : GENERATE_SPECIALS,
                keys.count, keys.data);
  for (int64_t i = 0; i < keys.count && tensor_dtype_is_float(shape->dtype); i++) {
    const reference_scalar_t key = reference_load(&keys, i);
    if (isnan(key.real)) {
      const bool has_sign = may_be_nan && generate_class(shape->dtype) == GENERATE_FLOATS;
      reference_store(&keys, i,
                      reference_of_real(shape->dtype, has_sign ? (double)NAN : 1.0));
    }
  }
  return generate_given(g, shape, keys.data);
}

// Whether element `key` of the first stands before that of the second; of complex numbers
// their real parts count.
// `type` says how floats are compared.
static mlir_value_t *generate_before(generate_t *g, int key, const char *direction,
                                     const char *type) {
  mlir_value_t *sides[] = {g->block->arguments[2 * key],
                           g->block->arguments[2 * key + 1]};
  const tensor_shape_t flag = generate_scalar_shape(TENSOR_PRED);
  const tensor_dtype_t dtype = reference_part_of(generate_shape_of(sides[0])->dtype);
  const tensor_shape_t part = generate_scalar_shape(dtype);
  for (int i = 0; i < 2 && tensor_dtype_is_complex(generate_shape_of(sides[i])->dtype);
       i++) {
    sides[i] = &generate_op(g, "stablehlo.real", 1, &sides[i], 1, &part, 0)->results[0];
  }
  mlir_op_t *op = generate_op(g, "stablehlo.compare", 2, sides, 1, &flag, 0);
  generate_enum(g, op, "comparison_direction", "comparison_direction", direction);
  if (tensor_dtype_is_float(dtype)) {
    generate_enum(g, op, "compare_type", "comparison_type", type);
  }
  return &op->results[0];
}

// By one key or by two, one after the other.
static void generate_comparator(generate_t *g, mlir_op_t *op, int count,
                                const tensor_shape_t *scalars, const char *type) {
  static const char *const directions[] = {"LT", "GT"};
  mlir_block_t *outer = generate_region(g, op, 0, 2 * count, scalars);
  const int first = generate_below(g, count), second = generate_below(g, count);
  mlir_value_t *result = generate_before(g, first, generate_word(g, 2, directions), type);
  if (first != second && generate_chance(g, 60)) {
    const tensor_shape_t flag = generate_scalar_shape(TENSOR_PRED);
    mlir_value_t *both[] = {
        generate_before(g, first, "EQ", type),
        generate_before(g, second, generate_word(g, 2, directions), type)};
    mlir_value_t *either[] = {
        result, &generate_op(g, "stablehlo.and", 2, both, 1, &flag, 0)->results[0]};
    result = &generate_op(g, "stablehlo.or", 2, either, 1, &flag, 0)->results[0];
  }
  generate_return(g, 1, &result);
  generate_region_end(g, outer);
}

static void generate_sort(generate_t *g, const char *name) {
  const int count = generate_between(g, 1, 3);
  tensor_shape_t shape = generate_shape(g, TENSOR_S32, 1);
  if (generate_chance(g, 30)) {  // Longer, of which there are too few.
    const int64_t dims[] = {generate_between(g, 1, 300)};
    shape = tensor_shape_make(TENSOR_S32, 1, dims);
  }
  // By plain comparison zeros of both signs are equal, and NaN has no place.
  const bool is_total = generate_chance(g, 60);
  mlir_value_t *operands[3];
  tensor_shape_t results[3], scalars[6];
  for (int i = 0; i < count; i++) {
    shape.dtype = generate_dtype(g, GENERATE_ANY);
    operands[i] = generate_keys(g, &shape, is_total);
    results[i] = shape;
    scalars[2 * i] = scalars[2 * i + 1] = generate_scalar_shape(shape.dtype);
  }
  mlir_op_t *op = generate_op(g, name, count, operands, count, results, 1);
  const int dimension = generate_below(g, shape.rank);
  generate_integer(g, op, "dimension",
                   generate_chance(g, 30) ? dimension - shape.rank : dimension);
  // What is equal by a total order of all there is, is the same.
  const bool is_stable =
      count > 1 || tensor_dtype_is_complex(results[0].dtype) || generate_chance(g, 50);
  generate_flag(g, op, "is_stable", is_stable);
  generate_comparator(g, op, count, scalars, is_total ? "TOTALORDER" : "FLOAT");
  for (int i = 0; i < count; i++) {
    generate_keep(g, op, i, GENERATE_BITS, 0);
  }
}

static void generate_top_k(generate_t *g, const char *name) {
  tensor_shape_t shape = generate_shape(g, generate_dtype(g, GENERATE_REAL), 1);
  mlir_value_t *x = generate_keys(g, &shape, true);
  int64_t *last = &shape.dims[shape.rank - 1];
  *last = (int64_t)pod_random_below(&g->random, (uint64_t)*last + 1);
  tensor_shape_t results[] = {shape, shape};
  results[1].dtype = TENSOR_S32;
  mlir_op_t *op = generate_op(g, name, 1, &x, 2, results, 0);
  generate_integer(g, op, "k", *last);
  generate_keep(g, op, 0, GENERATE_BITS, 0);
  generate_keep(g, op, 1, GENERATE_BITS, 0);
}

// --- Map ---

static void generate_map(generate_t *g, const char *name) {
  tensor_shape_t shape = generate_shape(g, TENSOR_S32, 0);
  const int count = generate_between(g, 1, 3);
  mlir_value_t *operands[3];
  tensor_shape_t scalars[3];
  for (int i = 0; i < count; i++) {
    shape.dtype = generate_dtype(g, GENERATE_ANY);
    operands[i] = generate_operand(g, &shape, GENERATE_EXACT, GENERATE_SPECIALS);
    scalars[i] = generate_scalar_shape(shape.dtype);
  }
  shape.dtype = generate_chance(g, 50) ? scalars[generate_below(g, count)].dtype
                                       : generate_dtype(g, GENERATE_ANY);
  mlir_op_t *op = generate_op(g, name, count, operands, 1, &shape, 1);
  int64_t dims[TENSOR_RANK_MAX];
  for (int d = 0; d < shape.rank; d++) {
    dims[d] = d;
  }
  generate_list(g, op, "dimensions", shape.rank, dims);
  const tensor_shape_t result = generate_scalar_shape(shape.dtype);
  generate_function(g, op, 0, count, scalars, 1, &result);
  generate_keep(g, op, 0, GENERATE_EXACT, 0);
}

const generate_row_t generate_indexing_rows[] = {
    {"stablehlo.gather", generate_gather},
    {"stablehlo.dynamic_gather", generate_gather},
    {"stablehlo.scatter", generate_scatter},
    {"stablehlo.sort", generate_sort},
    {"chlo.top_k", generate_top_k},
    {"stablehlo.map", generate_map},
    {NULL, NULL},
};
