// The rules of operations that index, order and slide over arrays: what an index or a
// window touches has to be whole, the other dimensions pass through.

#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/reducer.h"
#include "server/compiler/partition/factors.h"
#include "server/compiler/partition/factors_builder.h"
#include "server/compiler/partition/move.h"

// One factor for a dimension of several tensors. Dimensions without elements stay empty.
static int pass(pod_arena_t *arena, factors_t *factors, int64_t size) {
  return size > 0 ? factors_add(arena, factors, size, FACTOR_PASS) : -1;
}

static int batch_factor(pod_arena_t *arena, factors_t *factors, int64_t size,
                        factor_kind_t kind) {
  return size > 0 ? factors_add(arena, factors, size, kind) : -1;
}

static void put(pod_arena_t *arena, factor_tensor_t *tensor, int dim, int factor) {
  if (factor >= 0) {
    factors_append(arena, tensor, dim, factor);
  }
}

static bool has(const chip_dims_t *dims, int64_t dim) {
  return chip_dims_have(dims, dim);
}

// Gather and scatter. `windowed` are the result, or the updates; `arrays` operands and
// results that have the array's dimensions, `indices` the operand with the indices.
typedef struct indexed_t {
  const tensor_shape_t *array, *indices, *windowed;
  int array_count, windowed_count;
  factor_tensor_t **arrays, **windows;
  factor_tensor_t *index_tensor;
  bool is_scatter;
  // What dimensions of the indices are: PASS in a gather; in a scatter that adds, whose
  // parts are those of a sum, REDUCTION; else REPLICATE.
  factor_kind_t batch;
} indexed_t;

static void add_windows(pod_arena_t *arena, factors_t *factors,
                        const chip_indexing_t *indexing, const indexed_t *indexed) {
  int window = 0;
  for (int d = 0; d < indexed->array->rank; d++) {
    if (has(&indexing->dropped, d) || has(&indexing->array_batching, d)) {
      continue;
    }
    const int at = (int)indexing->window.values[window++];
    // A window as large as the array may still be placed elsewhere: a gather moves it
    // back to where it fits, a scatter leaves out what lies outside.
    if (indexed->windowed->dims[at] != indexed->array->dims[d] ||
        (indexed->is_scatter && has(&indexing->index_map, d))) {
      continue;
    }
    const int factor = pass(arena, factors, indexed->array->dims[d]);
    for (int i = 0; i < indexed->array_count; i++) {
      put(arena, indexed->arrays[i], d, factor);
    }
    for (int i = 0; i < indexed->windowed_count; i++) {
      put(arena, indexed->windows[i], at, factor);
    }
  }
}

// Dimensions of which an index says one element: a gather picks it, a scatter changes it.
static void add_indexed(pod_arena_t *arena, factors_t *factors,
                        const chip_indexing_t *indexing, const indexed_t *indexed) {
  for (int32_t c = 0; c < indexing->index_map.count; c++) {
    const int d = (int)indexing->index_map.values[c];
    if (!has(&indexing->dropped, d) || indexed->array->dims[d] <= 1) {
      continue;
    }
    const int factor =
        factors_add(arena, factors, indexed->array->dims[d],
                    indexed->is_scatter ? FACTOR_PERMUTATION : FACTOR_PICKED);
    for (int i = 0; i < indexed->array_count; i++) {
      put(arena, indexed->arrays[i], d, factor);
    }
  }
}

static void add_batch(pod_arena_t *arena, factors_t *factors,
                      const chip_indexing_t *indexing, const indexed_t *indexed) {
  int at = 0;
  for (int d = 0; d < indexed->indices->rank; d++) {
    if (d == indexing->index_vector_dim) {
      continue;
    }
    while (has(&indexing->window, at)) {
      at++;
    }
    int array_dim = -1;
    for (int32_t i = 0; i < indexing->indices_batching.count; i++) {
      if (indexing->indices_batching.values[i] == d) {
        array_dim = (int)indexing->array_batching.values[i];
      }
    }
    if (indexed->batch != FACTOR_REPLICATE || array_dim >= 0) {
      const int factor = batch_factor(arena, factors, indexed->indices->dims[d],
                                      array_dim >= 0 ? FACTOR_PASS : indexed->batch);
      put(arena, indexed->index_tensor, d, factor);
      for (int i = 0; i < indexed->windowed_count; i++) {
        put(arena, indexed->windows[i], at, factor);
      }
      for (int i = 0; array_dim >= 0 && i < indexed->array_count; i++) {
        put(arena, indexed->arrays[i], array_dim, factor);
      }
    }
    at++;
  }
}

pod_status_t factors_gather(mlir_module_t *module, const mlir_op_t *op,
                            pod_arena_t *arena, factors_t **out) {
  chip_indexing_t indexing;
  POD_TRY(stablehlo_indexing(module, op, &indexing));
  factors_t *factors = factors_begin(arena, op);
  factor_tensor_t *array = &factors->operands[0], *window = &factors->results[0];
  const indexed_t indexed = {.array = factors_shape(op->operands[0]),
                             .indices = factors_shape(op->operands[1]),
                             .windowed = factors_shape(&op->results[0]),
                             .array_count = 1,
                             .windowed_count = 1,
                             .arrays = &array,
                             .windows = &window,
                             .index_tensor = &factors->operands[1],
                             .batch = FACTOR_PASS};
  add_windows(arena, factors, &indexing, &indexed);
  add_batch(arena, factors, &indexing, &indexed);
  add_indexed(arena, factors, &indexing, &indexed);
  *out = factors;
  return NULL;
}

pod_status_t factors_scatter(mlir_module_t *module, const mlir_op_t *op,
                             pod_arena_t *arena, factors_t **out) {
  chip_indexing_t indexing;
  POD_TRY(stablehlo_indexing(module, op, &indexing));
  factors_t *factors = factors_begin(arena, op);
  const int count = op->result_count;
  const size_t places = (size_t)count;
  bool adds = true;
  for (int i = 0; i < count; i++) {
    adds = adds && compiler_result_reducer(op, i) == CHIP_REDUCER_ADD;
  }
  factor_tensor_t **arrays = pod_arena_array(arena, 2 * places, sizeof(arrays[0]));
  factor_tensor_t **windows = pod_arena_array(arena, places, sizeof(windows[0]));
  for (int i = 0; i < count; i++) {
    arrays[i] = &factors->operands[i];
    arrays[count + i] = &factors->results[i];
    windows[i] = &factors->operands[count + 1 + i];
  }
  const indexed_t indexed = {.array = factors_shape(op->operands[0]),
                             .indices = factors_shape(op->operands[count]),
                             .windowed = factors_shape(op->operands[count + 1]),
                             .array_count = 2 * count,
                             .windowed_count = count,
                             .arrays = arrays,
                             .windows = windows,
                             .index_tensor = &factors->operands[count],
                             .is_scatter = true,
                             .batch = adds ? FACTOR_REDUCTION : FACTOR_REPLICATE};
  add_windows(arena, factors, &indexing, &indexed);
  add_batch(arena, factors, &indexing, &indexed);
  add_indexed(arena, factors, &indexing, &indexed);
  *out = factors;
  return NULL;
}

// All operands and results of the same rank; dimensions in `whole` (bits) do not pass.
static factors_t *pass_all_but(const mlir_op_t *op, pod_arena_t *arena, uint32_t whole) {
  factors_t *factors = factors_begin(arena, op);
  const tensor_shape_t *shape = factors_shape(op->operands[0]);
  for (int d = 0; d < shape->rank; d++) {
    if ((whole >> d & 1u) != 0) {
      continue;
    }
    const int factor = pass(arena, factors, shape->dims[d]);
    for (int i = 0; i < op->operand_count; i++) {
      if (factors->operands[i].rank == shape->rank) {
        put(arena, &factors->operands[i], d, factor);
      }
    }
    for (int i = 0; i < op->result_count; i++) {
      put(arena, &factors->results[i], d, factor);
    }
  }
  return factors;
}

pod_status_t factors_sort(mlir_module_t *module, const mlir_op_t *op, pod_arena_t *arena,
                          factors_t **out) {
  (void)module;
  const int rank = factors_shape(op->operands[0])->rank;
  const mlir_attr_t *attr = mlir_op_attr(op, "dimension");
  int64_t dimension = mlir_attr_is(attr, MLIR_ATTR_INTEGER) ? attr->integer : -1;
  dimension += dimension < 0 ? rank : 0;
  factors_t *factors = pass_all_but(op, arena, dimension < 0 ? 0 : 1u << dimension);
  *out = factors;
  const int64_t kept = dimension < 0 ? 0 : move_sorted_few(op);
  if (kept == 0) {
    return NULL;
  }
  // Of the first few each chip finds its own.
  const int factor =
      factors_add(arena, factors, factors_shape(op->operands[0])->dims[dimension],
                  FACTOR_PERMUTATION);
  factors->factors[factor].kept = kept;
  for (int i = 0; i < op->operand_count; i++) {
    put(arena, &factors->operands[i], (int)dimension, factor);
  }
  return NULL;
}

pod_status_t factors_top_k(mlir_module_t *module, const mlir_op_t *op, pod_arena_t *arena,
                           factors_t **out) {
  (void)module;
  const tensor_shape_t *shape = factors_shape(op->operands[0]);
  const int last = shape->rank - 1;
  factors_t *factors = pass_all_but(op, arena, 1u << last);
  if (shape->dims[last] > 0) {
    put(arena, &factors->operands[0], last,
        factors_add(arena, factors, shape->dims[last], FACTOR_PERMUTATION));
  }
  *out = factors;
  return NULL;
}

pod_status_t factors_map(mlir_module_t *module, const mlir_op_t *op, pod_arena_t *arena,
                         factors_t **out) {
  (void)module;
  *out = pass_all_but(op, arena, 0);
  return NULL;
}

// Dimensions that the window does more to than look at every element alone.
static uint32_t windowed_dims(const chip_window_t *window) {
  uint32_t dims = 0;
  for (int d = 0; d < window->rank; d++) {
    const bool is_trivial = window->sizes[d] == 1 && window->strides[d] == 1 &&
                            window->base_dilations[d] == 1 && window->low[d] == 0 &&
                            window->high[d] == 0;
    dims |= is_trivial ? 0 : 1u << d;
  }
  return dims;
}

// The other dimensions of a window: shards of the array become shards of what there are
// windows of. What a select_and_scatter scatters comes as the windows do.
static pod_status_t factors_windows(mlir_module_t *module, const mlir_op_t *op,
                                    pod_arena_t *arena, factors_t **out) {
  chip_window_t window;
  const tensor_shape_t *array = factors_shape(op->operands[0]);
  const tensor_shape_t *result = factors_shape(&op->results[0]);
  POD_TRY(stablehlo_window(module, op, array->rank, &window));
  const uint32_t windowed = windowed_dims(&window);
  factors_t *factors = pass_all_but(op, arena, windowed);
  for (int d = 0; d < array->rank; d++) {
    if ((windowed >> d & 1u) == 0 || array->dims[d] == 0 || result->dims[d] == 0) {
      continue;
    }
    const int64_t size =
        array->dims[d] > result->dims[d] ? array->dims[d] : result->dims[d];
    const int factor = factors_add(arena, factors, size, FACTOR_PERMUTATION);
    for (int i = 0; i < op->operand_count; i++) {
      if (factors->operands[i].rank == array->rank) {
        put(arena, &factors->operands[i], d, factor);
      }
    }
    for (int i = 0; i < op->result_count; i++) {
      put(arena, &factors->results[i], d, factor);
    }
  }
  *out = factors;
  return NULL;
}

pod_status_t factors_reduce_window(mlir_module_t *module, const mlir_op_t *op,
                                   pod_arena_t *arena, factors_t **out) {
  return factors_windows(module, op, arena, out);
}

pod_status_t factors_select_and_scatter(mlir_module_t *module, const mlir_op_t *op,
                                        pod_arena_t *arena, factors_t **out) {
  return factors_windows(module, op, arena, out);
}

// Groups first, which batches (or input features) and output features have in common;
// then what is left of them; input features are summed. A spatial dimension goes to
// windows, or, where the kernel is larger than the places it has, to the kernel: the
// gradient of a kernel is a sum over such.
typedef struct convolved_t {
  pod_arena_t *arena;
  factors_t *factors;
  const tensor_shape_t *input, *kernel, *output;
} convolved_t;

static int convolved_factor(const convolved_t *convolved, int64_t size,
                            factor_kind_t kind) {
  return size > 1 ? factors_add(convolved->arena, convolved->factors, size, kind) : -1;
}

// Dimensions of input, kernel and output that have the factor; -1: none.
static void put_convolved(const convolved_t *convolved, int64_t input, int64_t kernel,
                          int64_t output, int factor) {
  if (input >= 0) {
    put(convolved->arena, &convolved->factors->operands[0], (int)input, factor);
  }
  if (kernel >= 0) {
    put(convolved->arena, &convolved->factors->operands[1], (int)kernel, factor);
  }
  if (output >= 0) {
    put(convolved->arena, &convolved->factors->results[0], (int)output, factor);
  }
}

static void add_groups(const convolved_t *convolved,
                       const chip_convolution_t *convolution) {
  const int64_t batch_groups = convolution->batch_group_count;
  const int64_t groups = convolution->feature_group_count;
  const int64_t *in = convolution->input, *window = convolution->kernel;
  const int64_t *out = convolution->output;
  put_convolved(convolved, in[0], window[1], out[1],
                convolved_factor(convolved, batch_groups, FACTOR_PASS));
  put_convolved(convolved, in[1], window[1], out[1],
                convolved_factor(convolved, groups, FACTOR_PASS));
  put_convolved(
      convolved, in[0], -1, out[0],
      convolved_factor(convolved, convolved->output->dims[out[0]], FACTOR_PASS));
  put_convolved(
      convolved, -1, window[1], out[1],
      convolved_factor(convolved,
                       convolved->kernel->dims[window[1]] / (batch_groups * groups),
                       FACTOR_PASS));
  put_convolved(
      convolved, in[1], window[0], -1,
      convolved_factor(convolved, convolved->kernel->dims[window[0]], FACTOR_REDUCTION));
}

static void add_spatial(const convolved_t *convolved,
                        const chip_convolution_t *convolution) {
  for (int d = 0; d < convolution->window.rank; d++) {
    const int64_t in = convolution->input[2 + d], out = convolution->output[2 + d];
    const int64_t size = convolved->input->dims[in];
    const int64_t places = convolved->output->dims[out];
    if (size <= 1 || places <= 1) {
      continue;
    }
    const bool passes =
        convolution->window.sizes[d] == 1 && convolution->window.strides[d] == 1 &&
        convolution->window.base_dilations[d] == 1 && convolution->window.low[d] == 0 &&
        convolution->window.high[d] == 0;
    put_convolved(convolved, in, -1, out,
                  convolved_factor(convolved, size > places ? size : places,
                                   passes ? FACTOR_PASS : FACTOR_PERMUTATION));
  }
}

pod_status_t factors_convolution(mlir_module_t *module, const mlir_op_t *op,
                                 pod_arena_t *arena, factors_t **out) {
  chip_convolution_t convolution;
  const tensor_shape_t *kernel = factors_shape(op->operands[1]);
  POD_TRY(stablehlo_convolution(module, op, kernel, &convolution));
  const convolved_t convolved = {.arena = arena,
                                 .factors = factors_begin(arena, op),
                                 .input = factors_shape(op->operands[0]),
                                 .kernel = kernel,
                                 .output = factors_shape(&op->results[0])};
  *out = convolved.factors;
  // Of empty arrays the sizes do not tell how many groups a shard has.
  if (tensor_shape_elements(convolved.input) == 0 || tensor_shape_elements(kernel) == 0 ||
      tensor_shape_elements(convolved.output) == 0) {
    return NULL;
  }
  add_groups(&convolved, &convolution);
  add_spatial(&convolved, &convolution);
  return NULL;
}

// --- Linear algebra and transforms: each matrix by itself ---

// All but the last `count` dimensions.
static uint32_t last_dims(const mlir_op_t *op, int64_t count) {
  const int rank = factors_shape(op->operands[0])->rank;
  uint32_t dims = 0;
  for (int d = rank - 1; d >= 0 && d >= rank - count; d--) {
    dims |= 1u << d;
  }
  return dims;
}

pod_status_t factors_fft(mlir_module_t *module, const mlir_op_t *op, pod_arena_t *arena,
                         factors_t **out) {
  int64_t count;
  const int64_t *lengths;
  if (!mlir_attr_as_i64s(module, mlir_op_attr(op, "fft_length"), &count, &lengths)) {
    count = factors_shape(op->operands[0])->rank;
  }
  *out = pass_all_but(op, arena, last_dims(op, count));
  return NULL;
}

pod_status_t factors_cholesky(mlir_module_t *module, const mlir_op_t *op,
                              pod_arena_t *arena, factors_t **out) {
  (void)module;
  *out = pass_all_but(op, arena, last_dims(op, 2));
  return NULL;
}

// Batches: the leading dimensions of matrices, and of the vectors that come with them.
pod_status_t factors_decomposition(mlir_module_t *module, const mlir_op_t *op,
                                   pod_arena_t *arena, factors_t **out) {
  (void)module;
  factors_t *factors = factors_begin(arena, op);
  const tensor_shape_t *matrix = factors_shape(op->operands[0]);
  for (int d = 0; d < matrix->rank - 2; d++) {
    const int factor = pass(arena, factors, matrix->dims[d]);
    for (int i = 0; i < op->operand_count; i++) {
      put(arena, &factors->operands[i], d, factor);
    }
    for (int i = 0; i < op->result_count; i++) {
      put(arena, &factors->results[i], d, factor);
    }
  }
  *out = factors;
  return NULL;
}

// Batches, and the right-hand sides: columns of b, or rows where it stands left of a.
pod_status_t factors_triangular_solve(mlir_module_t *module, const mlir_op_t *op,
                                      pod_arena_t *arena, factors_t **out) {
  (void)module;
  factors_t *factors = pass_all_but(op, arena, last_dims(op, 2));
  const tensor_shape_t *b = factors_shape(op->operands[1]);
  const mlir_attr_t *left = mlir_op_attr(op, "left_side");
  const bool is_left = mlir_attr_is(left, MLIR_ATTR_BOOL) && left->integer != 0;
  const int sides = is_left ? b->rank - 1 : b->rank - 2;
  const int factor = pass(arena, factors, b->dims[sides]);
  put(arena, &factors->operands[1], sides, factor);
  put(arena, &factors->results[0], sides, factor);
  *out = factors;
  return NULL;
}

// A last dimension that comes or goes takes no part.
pod_status_t factors_bitcast_convert(mlir_module_t *module, const mlir_op_t *op,
                                     pod_arena_t *arena, factors_t **out) {
  (void)module;
  factors_t *factors = factors_begin(arena, op);
  const tensor_shape_t *from = factors_shape(op->operands[0]);
  const tensor_shape_t *to = factors_shape(&op->results[0]);
  for (int d = 0; d < from->rank && d < to->rank; d++) {
    const int factor = pass(arena, factors, from->dims[d]);
    put(arena, &factors->operands[0], d, factor);
    put(arena, &factors->results[0], d, factor);
  }
  *out = factors;
  return NULL;
}
