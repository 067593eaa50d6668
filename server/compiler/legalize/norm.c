// batch_norm_inference, _training and _grad, by the formulas of the StableHLO
// specification, in the element type.

#include <inttypes.h>
#include <string.h>

#include "common/mlir/diagnostic.h"
#include "server/compiler/legalize/expander.h"

typedef struct norm_t {
  expander_t *expander;
  const mlir_type_t *type;     // Of the operand.
  const mlir_type_t *feature;  // Of what there is one of for each feature.
  int64_t feature_index;
  double epsilon, elements_per_feature;
} norm_t;

// The operation has been checked: shape_batch_norm.
static norm_t read_norm(expander_t *expander) {
  const mlir_op_t *op = expander->op;
  const mlir_type_t *type = op->operands[0]->type;
  const tensor_shape_t *shape = &type->shape;
  const int64_t index = mlir_op_attr(op, "feature_index")->integer;
  double count = 1;
  for (int d = 0; d < shape->rank; d++) {
    count *= d == index ? 1.0 : (double)shape->dims[d];
  }
  return (norm_t){.expander = expander,
                  .type = type,
                  .feature = op->operands[1]->type,
                  .feature_index = index,
                  .epsilon = mlir_op_attr(op, "epsilon")->real,
                  .elements_per_feature = count};
}

static mlir_value_t *binary(const norm_t *norm, const char *name, mlir_value_t *a,
                            mlir_value_t *b) {
  return expand_emit_binary(norm->expander, name, a, b);
}

static mlir_value_t *multiply(const norm_t *norm, mlir_value_t *a, mlir_value_t *b) {
  return binary(norm, "stablehlo.multiply", a, b);
}

static mlir_value_t *divide(const norm_t *norm, mlir_value_t *a, mlir_value_t *b) {
  return binary(norm, "stablehlo.divide", a, b);
}

static mlir_value_t *subtract(const norm_t *norm, mlir_value_t *a, mlir_value_t *b) {
  return binary(norm, "stablehlo.subtract", a, b);
}

// A vector of features as large as the operand.
static mlir_value_t *spread(const norm_t *norm, mlir_value_t *feature) {
  return expand_emit_broadcast(norm->expander, feature, norm->type, 1,
                               &norm->feature_index);
}

static mlir_value_t *plus_epsilon(const norm_t *norm, mlir_value_t *variance) {
  return binary(norm, "stablehlo.add", variance,
                expand_emit_splat(norm->expander, norm->type, norm->epsilon));
}

// Over all dimensions but the features'.
static mlir_value_t *sum(const norm_t *norm, mlir_value_t *value) {
  mlir_module_t *module = norm->expander->module;
  const tensor_shape_t shape = tensor_shape_make(norm->type->shape.dtype, 0, NULL);
  const mlir_type_t *scalar = mlir_type_tensor(module, &shape);
  mlir_value_t *operands[] = {value, expand_emit_splat(norm->expander, scalar, 0)};
  int64_t dims[TENSOR_RANK_MAX];
  int count = 0;
  for (int d = 0; d < norm->type->shape.rank; d++) {
    if (d != norm->feature_index) {
      dims[count++] = d;
    }
  }
  mlir_op_t *op = mlir_op_create(module, mlir_intern(module, "stablehlo.reduce"), 2,
                                 operands, 1, &norm->feature, 1);
  op->position = norm->expander->op->position;
  op->location = norm->expander->op->location;
  expand_set_attr(norm->expander, op, "dimensions",
                  mlir_attr_i64_array(module, count, dims));
  mlir_block_t *block = mlir_block_create(module, &op->regions[0]);
  mlir_block_add_argument(module, block, scalar);
  mlir_block_add_argument(module, block, scalar);
  mlir_op_t *add = mlir_op_create(module, mlir_intern(module, "stablehlo.add"), 2,
                                  block->arguments, 1, &scalar, 0);
  mlir_value_t *total = &add->results[0];
  mlir_op_t *end = mlir_op_create(module, mlir_intern(module, "stablehlo.return"), 1,
                                  &total, 0, NULL, 0);
  add->position = end->position = op->position;
  add->location = end->location = op->location;
  mlir_block_append(block, add);
  mlir_block_append(block, end);
  mlir_block_insert_before(norm->expander->op, op);
  return &op->results[0];
}

static mlir_value_t *mean(const norm_t *norm, mlir_value_t *value) {
  return divide(
      norm, sum(norm, value),
      expand_emit_splat(norm->expander, norm->feature, norm->elements_per_feature));
}

// (operand - mean) / sqrt(variance + epsilon) · scale + offset
static mlir_value_t *normalize(const norm_t *norm, mlir_value_t *scale,
                               mlir_value_t *offset, mlir_value_t *mean_value,
                               mlir_value_t *variance) {
  mlir_value_t *centered =
      subtract(norm, norm->expander->op->operands[0], spread(norm, mean_value));
  mlir_value_t *deviation =
      expand_emit_unary(norm->expander, "stablehlo.sqrt",
                        plus_epsilon(norm, spread(norm, variance)), norm->type);
  return binary(norm, "stablehlo.add",
                multiply(norm, spread(norm, scale), divide(norm, centered, deviation)),
                spread(norm, offset));
}

pod_status_t expand_norm_inference(expander_t *expander, mlir_value_t **out_results) {
  const norm_t norm = read_norm(expander);
  mlir_value_t **operands = expander->op->operands;
  out_results[0] = normalize(&norm, operands[1], operands[2], operands[3], operands[4]);
  return NULL;
}

pod_status_t expand_norm_training(expander_t *expander, mlir_value_t **out_results) {
  const norm_t norm = read_norm(expander);
  mlir_value_t **operands = expander->op->operands;
  out_results[1] = mean(&norm, operands[0]);
  mlir_value_t *centered = subtract(&norm, operands[0], spread(&norm, out_results[1]));
  out_results[2] = mean(&norm, multiply(&norm, centered, centered));
  out_results[0] =
      normalize(&norm, operands[1], operands[2], out_results[1], out_results[2]);
  return NULL;
}

pod_status_t expand_norm_grad(expander_t *expander, mlir_value_t **out_results) {
  const norm_t norm = read_norm(expander);
  mlir_value_t **operands = expander->op->operands, *grad = operands[4];
  mlir_value_t *centered = subtract(&norm, operands[0], spread(&norm, operands[2]));
  mlir_value_t *variance = plus_epsilon(&norm, spread(&norm, operands[3]));
  mlir_value_t *deviation =
      expand_emit_unary(expander, "stablehlo.sqrt", variance, norm.type);
  mlir_value_t *count = expand_emit_splat(expander, norm.type, norm.elements_per_feature);
  mlir_value_t *total = sum(&norm, grad);
  mlir_value_t *along = sum(&norm, multiply(&norm, grad, centered));
  mlir_value_t *part =
      divide(&norm, multiply(&norm, spread(&norm, along), centered), variance);
  mlir_value_t *rest = subtract(
      &norm, subtract(&norm, multiply(&norm, grad, count), spread(&norm, total)), part);
  mlir_value_t *factor =
      divide(&norm, divide(&norm, spread(&norm, operands[1]), deviation), count);
  out_results[0] = multiply(&norm, factor, rest);
  out_results[1] = sum(&norm, multiply(&norm, grad, divide(&norm, centered, deviation)));
  out_results[2] = total;
  return NULL;
}
