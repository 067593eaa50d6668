// Reductions, products, and the normalisations that are made of them.

#include <math.h>
#include <string.h>

#include "common/base/check.h"
#include "tests/differential/reference_scalar.h"

static bool contains(const int64_t *values, int64_t count, int64_t value) {
  for (int64_t i = 0; i < count; i++) {
    if (values[i] == value) {
      return true;
    }
  }
  return false;
}

// --- reduce ---

enum { INPUTS_MAX = 8 };

// One element as the body wants it: in the body's type.
static reference_value_t scalar_for(reference_t *machine, const mlir_block_t *body,
                                    int argument, const reference_value_t *from,
                                    int64_t at) {
  const tensor_shape_t *shape = &body->arguments[argument]->type->shape;
  reference_value_t scalar = reference_make(machine->arena, shape);
  if (shape->dtype == from->shape.dtype) {
    reference_copy(&scalar, 0, from, at);
  } else {
    reference_store(&scalar, 0,
                    reference_convert(reference_load(from, at), shape->dtype));
  }
  return scalar;
}

// From the first element to the last, beginning with the initial values.
static void reference_reduce(reference_t *machine, const mlir_op_t *op) {
  const int inputs = op->operand_count / 2;
  const mlir_block_t *body = mlir_op_block(op, 0);
  int64_t count;
  const int64_t *dims = reference_list(machine, op, "dimensions", &count);
  POD_CHECK(inputs <= INPUTS_MAX);
  reference_value_t *results[INPUTS_MAX];
  for (int k = 0; k < inputs; k++) {
    results[k] = reference_result(machine, op, k);
    for (int64_t i = 0; i < results[k]->count; i++) {
      const reference_value_t init =
          scalar_for(machine, body, k, reference_operand(machine, op, inputs + k), 0);
      reference_copy(results[k], i, &init, 0);
    }
  }
  const reference_value_t *first = reference_operand(machine, op, 0);
  for (int64_t i = 0; i < first->count; i++) {
    int64_t index[TENSOR_RANK_MAX], kept[TENSOR_RANK_MAX];
    reference_unravel(&first->shape, i, index);
    int rank = 0;
    for (int d = 0; d < first->shape.rank; d++) {
      if (!contains(dims, count, d)) {
        kept[rank++] = index[d];
      }
    }
    const int64_t at = reference_ravel(&results[0]->shape, kept);
    reference_value_t arguments[2 * INPUTS_MAX], combined[INPUTS_MAX];
    for (int k = 0; k < inputs; k++) {
      arguments[k] = scalar_for(machine, body, k, results[k], at);
      arguments[inputs + k] =
          scalar_for(machine, body, inputs + k, reference_operand(machine, op, k), i);
    }
    reference_block(machine, body, arguments, combined);
    for (int k = 0; k < inputs; k++) {
      reference_copy(results[k], at, &combined[k], 0);
    }
  }
}

// --- Products ---

typedef struct product_t {
  int batch_count, contracting_count;
  int64_t lhs_batch[TENSOR_RANK_MAX], rhs_batch[TENSOR_RANK_MAX];
  int64_t lhs_contracting[TENSOR_RANK_MAX], rhs_contracting[TENSOR_RANK_MAX];
} product_t;

// Sums of floats are kept wide and rounded once.
typedef struct sum_t {
  uint64_t integer;
  double real, imaginary;
  bool is_true;
} sum_t;

static void add_product(sum_t *sum, tensor_dtype_t dtype, reference_scalar_t a,
                        reference_scalar_t b) {
  if (dtype == TENSOR_PRED) {
    sum->is_true |= a.integer != 0 && b.integer != 0;
  } else if (tensor_dtype_is_integer(dtype)) {
    sum->integer += (uint64_t)a.integer * (uint64_t)b.integer;
  } else {
    sum->real += a.real * b.real - a.imaginary * b.imaginary;
    sum->imaginary += a.real * b.imaginary + a.imaginary * b.real;
  }
}

static reference_scalar_t rounded(const sum_t *sum, tensor_dtype_t dtype) {
  if (dtype == TENSOR_PRED) {
    return reference_of_integer(dtype, sum->is_true);
  }
  return tensor_dtype_is_integer(dtype)
             ? reference_of_integer(dtype, (int64_t)sum->integer)
         : tensor_dtype_is_complex(dtype)
             ? reference_of_complex(dtype, sum->real, sum->imaginary)
             : reference_of_real(dtype, sum->real);
}

// The element types of the operands are those of the result: wider where it is preferred.
static reference_scalar_t factor(const reference_value_t *value, const int64_t *index,
                                 tensor_dtype_t dtype) {
  const reference_scalar_t x =
      reference_load(value, reference_ravel(&value->shape, index));
  const bool becomes_integer =
      tensor_dtype_is_integer(dtype) && !tensor_dtype_is_integer(x.dtype);
  return becomes_integer || dtype == TENSOR_PRED ? reference_convert(x, dtype) : x;
}

// The dimensions of one side that stand in the result, from index[at] on.
static int place_free(const reference_value_t *side, const int64_t *batch,
                      const int64_t *contracting, const product_t *product,
                      const int64_t *index, int at, int64_t *out_place) {
  for (int d = 0; d < side->shape.rank; d++) {
    if (!contains(batch, product->batch_count, d) &&
        !contains(contracting, product->contracting_count, d)) {
      out_place[d] = index[at++];
    }
  }
  return at;
}

static void multiply_all(reference_t *machine, const mlir_op_t *op,
                         const product_t *product) {
  const reference_value_t *lhs = reference_operand(machine, op, 0);
  const reference_value_t *rhs = reference_operand(machine, op, 1);
  reference_value_t *result = reference_result(machine, op, 0);
  const tensor_dtype_t dtype = result->shape.dtype;
  tensor_shape_t inner = {.dtype = dtype, .rank = product->contracting_count};
  for (int d = 0; d < inner.rank; d++) {
    inner.dims[d] = lhs->shape.dims[product->lhs_contracting[d]];
  }
  for (int64_t i = 0; i < result->count; i++) {
    int64_t index[TENSOR_RANK_MAX], left[TENSOR_RANK_MAX], right[TENSOR_RANK_MAX];
    reference_unravel(&result->shape, i, index);
    int at = 0;
    for (; at < product->batch_count; at++) {
      left[product->lhs_batch[at]] = right[product->rhs_batch[at]] = index[at];
    }
    at = place_free(lhs, product->lhs_batch, product->lhs_contracting, product, index, at,
                    left);
    place_free(rhs, product->rhs_batch, product->rhs_contracting, product, index, at,
               right);
    sum_t sum = {0};
    for (int64_t j = 0; j < tensor_shape_elements(&inner); j++) {
      int64_t place[TENSOR_RANK_MAX];
      reference_unravel(&inner, j, place);
      for (int d = 0; d < inner.rank; d++) {
        left[product->lhs_contracting[d]] = right[product->rhs_contracting[d]] = place[d];
      }
      add_product(&sum, dtype, factor(lhs, left, dtype), factor(rhs, right, dtype));
    }
    reference_store(result, i, rounded(&sum, dtype));
  }
}

static void reference_dot_general(reference_t *machine, const mlir_op_t *op) {
  static const char *const name = "dot_dimension_numbers";
  product_t product = {0};
  product.batch_count =
      reference_field(op, name, "lhs_batching_dimensions", product.lhs_batch);
  reference_field(op, name, "rhs_batching_dimensions", product.rhs_batch);
  product.contracting_count =
      reference_field(op, name, "lhs_contracting_dimensions", product.lhs_contracting);
  reference_field(op, name, "rhs_contracting_dimensions", product.rhs_contracting);
  product.batch_count = product.batch_count < 0 ? 0 : product.batch_count;
  product.contracting_count =
      product.contracting_count < 0 ? 0 : product.contracting_count;
  multiply_all(machine, op, &product);
}

// The last dimension of the left by the first of the right.
static void reference_dot(reference_t *machine, const mlir_op_t *op) {
  product_t product = {.contracting_count = 1};
  product.lhs_contracting[0] = reference_operand(machine, op, 0)->shape.rank - 1;
  multiply_all(machine, op, &product);
}

// --- Normalisation: every step in the element type ---

typedef struct norm_t {
  reference_t *machine;
  const reference_value_t *operand;
  int64_t feature_index;
  reference_scalar_t epsilon, count;
} norm_t;

static norm_t norm_of(reference_t *machine, const mlir_op_t *op) {
  norm_t norm = {.machine = machine, .operand = reference_operand(machine, op, 0)};
  norm.feature_index = reference_integer(op, "feature_index", 0);
  const tensor_dtype_t dtype = norm.operand->shape.dtype;
  double count = 1;
  for (int d = 0; d < norm.operand->shape.rank; d++) {
    count *= d == norm.feature_index ? 1.0 : (double)norm.operand->shape.dims[d];
  }
  norm.epsilon = reference_of_real(dtype, mlir_op_attr(op, "epsilon")->real);
  norm.count = reference_of_real(dtype, count);
  return norm;
}

static int64_t feature_of(const norm_t *norm, int64_t i) {
  int64_t index[TENSOR_RANK_MAX];
  reference_unravel(&norm->operand->shape, i, index);
  return index[norm->feature_index];
}

static reference_value_t combine(const norm_t *norm, const char *op,
                                 const reference_value_t *a, const reference_value_t *b) {
  reference_value_t result = reference_make(norm->machine->arena, &a->shape);
  for (int64_t i = 0; i < result.count; i++) {
    reference_store(&result, i,
                    reference_binary(op, reference_load(a, i), reference_load(b, i)));
  }
  return result;
}

// A feature's value at every element.
static reference_value_t spread(const norm_t *norm, const reference_value_t *feature) {
  reference_value_t result = reference_make(norm->machine->arena, &norm->operand->shape);
  for (int64_t i = 0; i < result.count; i++) {
    reference_copy(&result, i, feature, feature_of(norm, i));
  }
  return result;
}

static reference_value_t sum_of(const norm_t *norm, const reference_value_t *value) {
  const int64_t features = norm->operand->shape.dims[norm->feature_index];
  const tensor_shape_t shape =
      tensor_shape_make(norm->operand->shape.dtype, 1, &features);
  reference_value_t result = reference_make(norm->machine->arena, &shape);
  for (int64_t i = 0; i < value->count; i++) {
    const int64_t at = feature_of(norm, i);
    reference_store(
        &result, at,
        reference_binary("add", reference_load(&result, at), reference_load(value, i)));
  }
  return result;
}

static reference_value_t with_scalar(const norm_t *norm, const char *op,
                                     const reference_value_t *value,
                                     reference_scalar_t scalar) {
  reference_value_t result = reference_make(norm->machine->arena, &value->shape);
  for (int64_t i = 0; i < result.count; i++) {
    reference_store(&result, i, reference_binary(op, reference_load(value, i), scalar));
  }
  return result;
}

static reference_value_t mean_of(const norm_t *norm, const reference_value_t *value) {
  const reference_value_t sum = sum_of(norm, value);
  return with_scalar(norm, "divide", &sum, norm->count);
}

// sqrt(variance + epsilon), at every element.
static reference_value_t deviation_of(const norm_t *norm,
                                      const reference_value_t *variance) {
  const reference_value_t wide = spread(norm, variance);
  reference_value_t result = with_scalar(norm, "add", &wide, norm->epsilon);
  for (int64_t i = 0; i < result.count; i++) {
    reference_store(&result, i, reference_unary("sqrt", reference_load(&result, i)));
  }
  return result;
}

static void normalize(const norm_t *norm, const mlir_op_t *op,
                      const reference_value_t *mean, const reference_value_t *variance) {
  reference_t *machine = norm->machine;
  const reference_value_t wide_mean = spread(norm, mean);
  const reference_value_t scale = spread(norm, reference_operand(machine, op, 1));
  const reference_value_t offset = spread(norm, reference_operand(machine, op, 2));
  const reference_value_t centered = combine(norm, "subtract", norm->operand, &wide_mean);
  const reference_value_t deviation = deviation_of(norm, variance);
  const reference_value_t ratio = combine(norm, "divide", &centered, &deviation);
  const reference_value_t scaled = combine(norm, "multiply", &scale, &ratio);
  machine->values[op->results[0].id] = combine(norm, "add", &scaled, &offset);
}

static void reference_norm_inference(reference_t *machine, const mlir_op_t *op) {
  const norm_t norm = norm_of(machine, op);
  normalize(&norm, op, reference_operand(machine, op, 3),
            reference_operand(machine, op, 4));
}

static void reference_norm_training(reference_t *machine, const mlir_op_t *op) {
  const norm_t norm = norm_of(machine, op);
  const reference_value_t mean = mean_of(&norm, norm.operand);
  const reference_value_t wide_mean = spread(&norm, &mean);
  const reference_value_t centered = combine(&norm, "subtract", norm.operand, &wide_mean);
  const reference_value_t squares = combine(&norm, "multiply", &centered, &centered);
  const reference_value_t variance = mean_of(&norm, &squares);
  normalize(&norm, op, &mean, &variance);
  machine->values[op->results[1].id] = mean;
  machine->values[op->results[2].id] = variance;
}

static void reference_norm_grad(reference_t *machine, const mlir_op_t *op) {
  const norm_t norm = norm_of(machine, op);
  const reference_value_t *grad = reference_operand(machine, op, 4);
  const reference_value_t scale = spread(&norm, reference_operand(machine, op, 1));
  const reference_value_t mean = spread(&norm, reference_operand(machine, op, 2));
  const reference_value_t *variance = reference_operand(machine, op, 3);
  const reference_value_t wide_variance = spread(&norm, variance);
  const reference_value_t centered = combine(&norm, "subtract", norm.operand, &mean);
  const reference_value_t deviation = deviation_of(&norm, variance);
  const reference_value_t ratio = combine(&norm, "divide", &centered, &deviation);
  const reference_value_t i1 = with_scalar(&norm, "multiply", grad, norm.count);
  const reference_value_t grad_sum = sum_of(&norm, grad);
  const reference_value_t i2 = spread(&norm, &grad_sum);
  const reference_value_t grad_centered = combine(&norm, "multiply", grad, &centered);
  const reference_value_t centered_sum = sum_of(&norm, &grad_centered);
  const reference_value_t i3 = spread(&norm, &centered_sum);
  const reference_value_t i4 = combine(&norm, "multiply", &i3, &centered);
  const reference_value_t raised =
      with_scalar(&norm, "add", &wide_variance, norm.epsilon);
  const reference_value_t i5 = combine(&norm, "divide", &i4, &raised);
  const reference_value_t difference = combine(&norm, "subtract", &i1, &i2);
  const reference_value_t i6 = combine(&norm, "subtract", &difference, &i5);
  const reference_value_t by_deviation = combine(&norm, "divide", &scale, &deviation);
  const reference_value_t by_count =
      with_scalar(&norm, "divide", &by_deviation, norm.count);
  const reference_value_t grad_ratio = combine(&norm, "multiply", grad, &ratio);
  machine->values[op->results[0].id] = combine(&norm, "multiply", &by_count, &i6);
  machine->values[op->results[1].id] = sum_of(&norm, &grad_ratio);
  machine->values[op->results[2].id] = grad_sum;
}

const reference_row_t reference_contraction_rows[] = {
    {"stablehlo.batch_norm_grad", reference_norm_grad},
    {"stablehlo.batch_norm_inference", reference_norm_inference},
    {"stablehlo.batch_norm_training", reference_norm_training},
    {"stablehlo.dot", reference_dot},
    {"stablehlo.dot_general", reference_dot_general},
    {"stablehlo.reduce", reference_reduce},
    {NULL, NULL},
};
