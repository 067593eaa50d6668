// Operations that index, order and slide over arrays.
#include <inttypes.h>
#include <string.h>

#include "server/compiler/dialect/attributes.h"
#include "server/compiler/verify/shape.h"

// A status without a place becomes a diagnostic at the operation. Takes it.
static pod_status_t placed(mlir_module_t *module, const mlir_op_t *op,
                           pod_status_t status) {
  if (status == NULL) {
    return NULL;
  }
  const pod_status_t diagnostic = SHAPE_ERROR("%s", pod_status_message(status));
  pod_status_free(status);
  return diagnostic;
}

// Operands [first, first + count) have the sizes of operand `first`.
static pod_status_t same_sizes(mlir_module_t *module, const mlir_op_t *op, int first,
                               int count) {
  for (int i = first + 1; i < first + count; i++) {
    if (!tensor_shape_same_dims(shape_operand(op, i), shape_operand(op, first))) {
      return SHAPE_ERROR("operand %d is %s, operand %d %s; they must have one size", i,
                         shape_text(module, shape_operand(op, i)), first,
                         shape_text(module, shape_operand(op, first)));
    }
  }
  return NULL;
}

// A region over scalars: argument i is of the element type of operand i / repeats. It
// returns a scalar, tensor<i1> when it is a test.
static pod_status_t scalar_region(mlir_module_t *module, const mlir_op_t *op, int index,
                                  const char *what, int count, int repeats,
                                  bool is_test) {
  POD_TRY(shape_region(module, op, index, what, count * repeats, 1));
  const mlir_block_t *block = mlir_op_block(op, index);
  for (int i = 0; i < count * repeats; i++) {
    const tensor_shape_t scalar =
        tensor_shape_make(shape_operand(op, i / repeats)->dtype, 0, NULL);
    const mlir_type_t *type = block->arguments[i]->type;
    if (type->kind != MLIR_TYPE_TENSOR || !tensor_shape_equal(&type->shape, &scalar)) {
      return SHAPE_ERROR("argument %d of its %s must be %s", i, what,
                         shape_text(module, &scalar));
    }
  }
  const mlir_type_t *returned = block->last->operands[0]->type;
  if (returned->kind != MLIR_TYPE_TENSOR || returned->shape.rank != 0 ||
      (is_test && returned->shape.dtype != TENSOR_PRED)) {
    return mlir_op_error(module, is_test ? block->last : op, POD_INVALID_ARGUMENT,
                         "its %s must return %s", what,
                         is_test ? "tensor<i1>" : "a scalar");
  }
  return NULL;
}

// A reducer over the first `count` operands' element types.
static pod_status_t reducer(mlir_module_t *module, const mlir_op_t *op, int count) {
  tensor_dtype_t *dtypes = pod_arena_array(module->arena, (size_t)count, sizeof(*dtypes));
  for (int i = 0; i < count; i++) {
    dtypes[i] = shape_operand(op, i)->dtype;
  }
  return shape_reducer(module, op, count, dtypes);
}

// --- Indexing ---

pod_status_t shape_gather(mlir_module_t *module, const mlir_op_t *op,
                          const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 2, 1, 0));
  POD_TRY(shape_flag(module, op, "indices_are_sorted"));
  chip_indexing_t indexing;
  POD_TRY(stablehlo_indexing(module, op, &indexing));
  int64_t count;
  const int64_t *sizes;
  POD_TRY(shape_i64s(module, op, "slice_sizes", SHAPE_ANY, &count, &sizes));
  const chip_dims_t slice_sizes = {.count = (int32_t)count, .values = sizes};
  tensor_shape_t result;
  POD_TRY(placed(module, op,
                 chip_gather_shape(&indexing, shape_operand(op, 0), shape_operand(op, 1),
                                   &slice_sizes, &result)));
  out_types[0] = mlir_type_tensor(module, &result);
  return NULL;
}

// The gather that it becomes is checked like any other.
pod_status_t shape_dynamic_gather(mlir_module_t *module, const mlir_op_t *op,
                                  const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 3, 1, 0));
  POD_TRY(shape_flag(module, op, "indices_are_sorted"));
  const tensor_shape_t *sizes = shape_operand(op, 2);
  if (sizes->rank != 1 || !tensor_dtype_is_integer(sizes->dtype)) {
    return SHAPE_ERROR("the slice sizes are %s; they must be a list of integers",
                       shape_text(module, sizes));
  }
  out_types[0] = op->results[0].type;
  return NULL;
}

pod_status_t shape_scatter(mlir_module_t *module, const mlir_op_t *op,
                           const mlir_type_t **out_types) {
  const int count = op->operand_count / 2;
  if (op->operand_count < 3 || op->operand_count % 2 == 0) {  // (C5)
    return SHAPE_ERROR(
        "has %d operands; it takes as many inputs as updates, and the indices between "
        "them",
        op->operand_count);
  }
  POD_TRY(shape_arity(module, op, SHAPE_ANY, count, 1));
  POD_TRY(shape_flag(module, op, "indices_are_sorted"));
  POD_TRY(shape_flag(module, op, "unique_indices"));
  chip_indexing_t indexing;
  POD_TRY(stablehlo_indexing(module, op, &indexing));
  POD_TRY(same_sizes(module, op, 0, count));          // (C1)
  POD_TRY(same_sizes(module, op, count + 1, count));  // (C3)
  for (int i = 0; i < count; i++) {
    POD_TRY(placed(
        module, op,
        chip_scatter_check(&indexing, shape_operand(op, i), shape_operand(op, count),
                           shape_operand(op, count + 1 + i))));
    out_types[i] = op->operands[i]->type;
  }
  return reducer(module, op, count);
}

// --- Order ---

pod_status_t shape_sort(mlir_module_t *module, const mlir_op_t *op,
                        const mlir_type_t **out_types) {
  const int count = op->operand_count;
  POD_TRY(shape_arity(module, op, SHAPE_ANY, count, 1));
  if (count == 0) {  // (C1)
    return SHAPE_ERROR("has no inputs");
  }
  POD_TRY(same_sizes(module, op, 0, count));  // (C3)
  const int rank = shape_operand(op, 0)->rank;
  int64_t dimension;
  if (mlir_op_attr(op, "dimension") != NULL) {
    POD_TRY(shape_i64(module, op, "dimension", -rank, rank == 0 ? 1 : rank,
                      &dimension));  // (C4)
  }
  POD_TRY(shape_flag(module, op, "is_stable"));
  POD_TRY(scalar_region(module, op, 0, "comparator", count, 2, true));
  for (int i = 0; i < count; i++) {
    out_types[i] = op->operands[i]->type;
  }
  return NULL;
}

pod_status_t shape_top_k(mlir_module_t *module, const mlir_op_t *op,
                         const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 1, 2, 0));
  tensor_shape_t shape = *shape_operand(op, 0);
  if (shape.rank < 1) {
    return SHAPE_ERROR("takes an array, not a scalar");
  }
  if (tensor_dtype_is_complex(shape.dtype)) {
    return SHAPE_ERROR("takes numbers that are in order, not %s",
                       shape_text(module, &shape));
  }
  POD_TRY(shape_flag(module, op, "is_stable"));
  int64_t k;
  POD_TRY(shape_i64(module, op, "k", 0, shape.dims[shape.rank - 1] + 1, &k));
  shape.dims[shape.rank - 1] = k;
  out_types[0] = mlir_type_tensor(module, &shape);
  shape.dtype = TENSOR_S32;
  out_types[1] = mlir_type_tensor(module, &shape);
  return NULL;
}

pod_status_t shape_map(mlir_module_t *module, const mlir_op_t *op,
                       const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, SHAPE_ANY, 1, 1));
  if (op->operand_count == 0) {
    return SHAPE_ERROR("has no operands");
  }
  POD_TRY(same_sizes(module, op, 0, op->operand_count));  // (C1)
  tensor_shape_t result = *shape_operand(op, 0);
  const int64_t *dimensions;
  POD_TRY(shape_i64s(module, op, "dimensions", result.rank, NULL, &dimensions));
  for (int d = 0; d < result.rank; d++) {
    if (dimensions[d] != d) {  // (C3)
      return SHAPE_ERROR("'dimensions' must name all dimensions in order");
    }
  }
  POD_TRY(scalar_region(module, op, 0, "computation", op->operand_count, 1, false));
  result.dtype = mlir_op_block(op, 0)->last->operands[0]->type->shape.dtype;
  out_types[0] = mlir_type_tensor(module, &result);
  return NULL;
}

// --- Windows ---

static pod_status_t places(mlir_module_t *module, const mlir_op_t *op,
                           const chip_window_t *window, const tensor_shape_t *over,
                           tensor_shape_t *out_places) {
  *out_places = *over;
  for (int d = 0; d < over->rank; d++) {
    POD_TRY(placed(module, op,
                   chip_window_places(window, d, over->dims[d], &out_places->dims[d])));
  }
  return NULL;
}

pod_status_t shape_reduce_window(mlir_module_t *module, const mlir_op_t *op,
                                 const mlir_type_t **out_types) {
  const int count = op->operand_count / 2;
  if (count == 0 || op->operand_count % 2 != 0) {  // (C1)
    return SHAPE_ERROR("has %d operands; it takes as many initial values as inputs",
                       op->operand_count);
  }
  POD_TRY(shape_arity(module, op, SHAPE_ANY, count, 1));
  POD_TRY(same_sizes(module, op, 0, count));  // (C2)
  const int64_t *sizes;
  POD_TRY(shape_i64s(module, op, "window_dimensions", shape_operand(op, 0)->rank, NULL,
                     &sizes));  // (C4)
  chip_window_t window;
  POD_TRY(stablehlo_window(module, op, shape_operand(op, 0)->rank, &window));
  for (int i = 0; i < count; i++) {
    const tensor_shape_t *init = shape_operand(op, count + i);
    if (init->rank != 0 || init->dtype != shape_operand(op, i)->dtype) {
      return SHAPE_ERROR("initial value %d is %s; it must be tensor<%s>", i,
                         shape_text(module, init),
                         tensor_dtype_mlir_name(shape_operand(op, i)->dtype));
    }
    tensor_shape_t result;
    POD_TRY(places(module, op, &window, shape_operand(op, i), &result));
    out_types[i] = mlir_type_tensor(module, &result);
  }
  return reducer(module, op, count);
}

// Where the whole array begins and ends in every dimension of what a chip has of it, as
// the partitioner writes it.
static pod_status_t check_bounds(mlir_module_t *module, const mlir_op_t *op) {
  const int rank = op->operand_count > 0 ? shape_operand(op, 0)->rank : 0;
  POD_TRY(shape_arity(module, op, op->operand_count > 3 ? 3 + 2 * rank : 3, 1, 2));
  for (int i = 3; i < op->operand_count; i++) {
    if (shape_operand(op, i)->rank != 0 || shape_operand(op, i)->dtype != TENSOR_S32) {
      return SHAPE_ERROR("its bounds must be of tensor<i32>");
    }
  }
  return NULL;
}

pod_status_t shape_select_and_scatter(mlir_module_t *module, const mlir_op_t *op,
                                      const mlir_type_t **out_types) {
  POD_TRY(check_bounds(module, op));
  const tensor_shape_t *operand = shape_operand(op, 0), *source = shape_operand(op, 1),
                       *init = shape_operand(op, 2);
  const int64_t *sizes;
  POD_TRY(shape_i64s(module, op, "window_dimensions", operand->rank, NULL,
                     &sizes));  // (C4)
  chip_window_t window;
  POD_TRY(stablehlo_window(module, op, operand->rank, &window));
  tensor_shape_t expected;
  POD_TRY(places(module, op, &window, operand, &expected));
  if (!tensor_shape_equal(source, &expected)) {  // (C1), (C2)
    return SHAPE_ERROR("the source is %s; the window has %s places",
                       shape_text(module, source), shape_text(module, &expected));
  }
  if (init->rank != 0 || init->dtype != operand->dtype) {  // (C3)
    return SHAPE_ERROR("the initial value is %s; it must be tensor<%s>",
                       shape_text(module, init), tensor_dtype_mlir_name(operand->dtype));
  }
  const char *const names[] = {"selection", "scatter"};
  for (int r = 0; r < 2; r++) {
    POD_TRY(shape_region(module, op, r, names[r], 2, 1));
    const mlir_block_t *block = mlir_op_block(op, r);
    const tensor_shape_t scalar = tensor_shape_make(operand->dtype, 0, NULL);
    const tensor_shape_t flag = tensor_shape_make(TENSOR_PRED, 0, NULL);
    const bool fits = tensor_shape_equal(&block->arguments[0]->type->shape, &scalar) &&
                      tensor_shape_equal(&block->arguments[1]->type->shape, &scalar) &&
                      tensor_shape_equal(&block->last->operands[0]->type->shape,
                                         r == 0 ? &flag : &scalar);
    if (!fits) {  // (C9), (C10)
      return SHAPE_ERROR("its %s must take two %s and return %s", names[r],
                         shape_text(module, &scalar),
                         shape_text(module, r == 0 ? &flag : &scalar));
    }
  }
  out_types[0] = op->operands[0]->type;
  return NULL;
}

// float, complex, unsigned, signed: what a convolution adds up in stays of its kind.
static bool same_kind(tensor_dtype_t a, tensor_dtype_t b) {
  return tensor_dtype_is_float(a) == tensor_dtype_is_float(b) &&
         tensor_dtype_is_complex(a) == tensor_dtype_is_complex(b) &&
         tensor_dtype_is_signed(a) == tensor_dtype_is_signed(b);
}

// The convolution that it becomes is checked like any other.
pod_status_t shape_dynamic_conv(mlir_module_t *module, const mlir_op_t *op,
                                const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 3, 1, 0));
  const tensor_shape_t *padding = shape_operand(op, 2);
  const int spatial = shape_operand(op, 1)->rank - 2;
  if (spatial < 0) {  // (C1)
    return SHAPE_ERROR("its kernel has rank %d; it needs at least 2", spatial + 2);
  }
  if (padding->rank != 2 || padding->dims[0] != spatial || padding->dims[1] != 2 ||
      !tensor_dtype_is_integer(padding->dtype)) {  // (C4)
    return SHAPE_ERROR("the padding is %s; it must be %dx2 integers",
                       shape_text(module, padding), spatial);
  }
  out_types[0] = op->results[0].type;
  return NULL;
}

pod_status_t shape_convolution(mlir_module_t *module, const mlir_op_t *op,
                               const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 2, 1, 0));
  const tensor_shape_t *lhs = shape_operand(op, 0), *rhs = shape_operand(op, 1);
  const tensor_dtype_t dtype = shape_declared(op, 0)->dtype;
  int64_t precision[2];
  POD_TRY(shape_precision(module, op, precision));                  // (C24)
  if (lhs->dtype != rhs->dtype || !same_kind(lhs->dtype, dtype)) {  // (C27)
    return SHAPE_ERROR(
        "the operands are of %s and %s, result 0 is of %s; operands must be of one type "
        "and the result of their kind",
        tensor_dtype_mlir_name(lhs->dtype), tensor_dtype_mlir_name(rhs->dtype),
        tensor_dtype_mlir_name(dtype));
  }
  chip_convolution_t convolution;
  POD_TRY(stablehlo_convolution(module, op, rhs, &convolution));
  tensor_shape_t result;
  POD_TRY(placed(module, op, chip_convolution_shape(&convolution, lhs, rhs, &result)));
  result.dtype = dtype;
  out_types[0] = mlir_type_tensor(module, &result);
  return NULL;
}
