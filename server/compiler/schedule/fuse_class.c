// What kind of member of a cluster an operation can be: its row of the table of
// operations says so, here it meets shapes and attributes.

#include "common/tensor/tiles.h"
#include "server/compiler/placement/placement.h"
#include "server/compiler/schedule/fuse.h"

bool fuse_is_elementwise(const mlir_op_t *op) {
  return chip_op_has(op->kind, CHIP_TRAIT_ELEMENTWISE);
}

bool fuse_is_transcendental(const mlir_op_t *op) {
  return chip_op_has(op->kind, CHIP_TRAIT_TRANSCENDENTAL);
}

int64_t fuse_elements(const mlir_value_t *value) {
  return tensor_shape_elements(&value->type->shape);
}

int64_t fuse_bytes(const mlir_value_t *value) {
  return tensor_tiled_bytes(&value->type->shape);
}

const mlir_value_t *fuse_source(const mlir_value_t *value) {
  while (value->op != NULL && (value->op->kind == CHIP_OP_RESHAPE ||
                               value->op->kind == CHIP_OP_OPTIMIZATION_BARRIER)) {
    value = value->op->operands[value->index];
  }
  return value;
}

bool fuse_is_generated(const mlir_value_t *value) {
  value = fuse_source(value);
  const mlir_op_t *op = value->op;
  if (op == NULL) {
    return false;
  }
  if (op->kind == CHIP_OP_BROADCAST_IN_DIM) {
    return fuse_elements(op->operands[0]) <= 1;
  }
  if (op->kind == CHIP_OP_CONSTANT) {
    const mlir_attr_t *data = mlir_op_attr(op, "value");
    return fuse_elements(value) <= 1 || (data != NULL && data->is_splat);
  }
  return op->kind == CHIP_OP_IOTA;
}

// The scalar core computes counters, indexes and conditions beside the vector core.
static bool is_scalar_work(const mlir_op_t *op) {
  for (int i = 0; i < op->result_count; i++) {
    const tensor_shape_t *shape = &op->results[i].type->shape;
    if (tensor_shape_elements(shape) != 1 || tensor_dtype_is_float(shape->dtype)) {
      return false;
    }
  }
  if (fuse_is_elementwise(op) || op->kind == CHIP_OP_BROADCAST_IN_DIM) {
    return true;
  }
  return (op->kind == CHIP_OP_SLICE || op->kind == CHIP_OP_DYNAMIC_SLICE) &&
         fuse_elements(op->operands[0]) <= (int64_t)TENSOR_LANES * TENSOR_SUBLANES;
}

// The two last dimensions are those of the tiles; the others may change places freely.
static bool keeps_tiles(const mlir_op_t *op) {
  const mlir_attr_t *attr = mlir_op_attr(op, "permutation");
  const int rank = op->results[0].type->shape.rank;
  if (attr == NULL || attr->integers == NULL || attr->count != rank) {
    return false;
  }
  for (int d = rank > 2 ? rank - 2 : 0; d < rank; d++) {
    if (attr->integers[d] != d) {
      return false;
    }
  }
  return true;
}

// The words of the column `fuse`.
typedef enum fuse_word_t {
  AS_free = 0,
  AS_alone,
  AS_view,
  AS_loop,
  AS_transpose,
  AS_bitcast,
  AS_update,
  AS_reduce,
  AS_product,
  AS_control,
  AS_collective,
  AS_transfer,
} fuse_word_t;

static const fuse_word_t words[CHIP_OP_COUNT] = {
#define OPERATION(id, name, syntax, types, traits, shape, factors, attrs, kernel, fuse, \
                  cost, float_ops, whole_ops)                                           \
  [CHIP_OP_##id] = AS_##fuse,
#include "server/program/operations.def"
#undef OPERATION
};

fuse_class_t fuse_class(const mlir_op_t *op) {
  if (placement_is_transfer(op)) {
    return FUSE_TRANSFER;
  }
  if (placement_is_allocation(op)) {
    return FUSE_FREE;
  }
  switch (op->kind < CHIP_OP_COUNT ? words[op->kind] : AS_free) {
    case AS_free:
      return FUSE_FREE;
    case AS_alone:
      return op->result_count == 0 ? FUSE_FREE : FUSE_ALONE;
    case AS_view:
      return FUSE_VIEW;
    case AS_loop:
      return is_scalar_work(op) ? FUSE_FREE : FUSE_LOOP;
    case AS_transpose:
      return keeps_tiles(op) ? FUSE_LOOP : FUSE_RELAYOUT;
    case AS_bitcast:
      return fuse_elements(op->operands[0]) == fuse_elements(&op->results[0])
                 ? FUSE_LOOP
                 : FUSE_ALONE;
    case AS_update:
      return FUSE_UPDATE;
    case AS_reduce:
      return FUSE_REDUCE;
    case AS_product:
      return FUSE_PRODUCT;
    case AS_control:
      return FUSE_CONTROL;
    case AS_collective:
      return FUSE_COLLECTIVE;
    case AS_transfer:
      return FUSE_TRANSFER;
  }
  return FUSE_ALONE;
}
