// What kind of member of a cluster an operation can be. The rows of the table of
// operations decide; a row that nothing is known of is a task of its own.

#include <pthread.h>
#include <string.h>

#include "server/chip/layout.h"
#include "server/compiler/factors_builder.h"
#include "server/compiler/fuse.h"
#include "server/compiler/table.h"

static const char *const costs[CHIP_OP_COUNT] = {
    [CHIP_OP_INVALID] = "none",
#define OPERATION(id, name, syntax, shape, factors, kernel, cost) [CHIP_OP_##id] = #cost,
#include "server/chip/operations.def"
#undef OPERATION
};

// What is asked of every operation several times, compared once.
static struct { bool is_free, is_transcendental; } rows[CHIP_OP_COUNT];
static pthread_once_t rows_filled = PTHREAD_ONCE_INIT;

static void fill_rows(void) {
  for (int kind = 0; kind < CHIP_OP_COUNT; kind++) {
    rows[kind].is_free = strcmp(costs[kind], "none") == 0;
    rows[kind].is_transcendental = strcmp(costs[kind], "transcendental") == 0;
  }
}

bool fuse_is_elementwise(const mlir_op_t *op) {
  return compiler_factors_rule(op->kind) == factors_elementwise &&
         op->kind != CHIP_OP_COPY;
}

bool fuse_is_transcendental(const mlir_op_t *op) {
  pthread_once(&rows_filled, fill_rows);
  return rows[op->kind].is_transcendental;
}

int64_t fuse_elements(const mlir_value_t *value) {
  return tensor_shape_elements(&value->type->shape);
}

int64_t fuse_bytes(const mlir_value_t *value) {
  return chip_layout_bytes(&value->type->shape);
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
         fuse_elements(op->operands[0]) <= CHIP_LANES * CHIP_SUBLANES;
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

fuse_class_t fuse_class(const mlir_op_t *op) {
  switch (op->kind) {
    case CHIP_OP_RESHAPE:
      return FUSE_VIEW;
    case CHIP_OP_WHILE:
    case CHIP_OP_IF:
    case CHIP_OP_CASE:
      return FUSE_CONTROL;
    case CHIP_OP_DOT_GENERAL:
    case CHIP_OP_CONVOLUTION:
      return FUSE_PRODUCT;
    case CHIP_OP_REDUCE:
      return FUSE_REDUCE;
    case CHIP_OP_TRANSPOSE:
      return keeps_tiles(op) ? FUSE_LOOP : FUSE_RELAYOUT;
    case CHIP_OP_DYNAMIC_UPDATE_SLICE:
      return FUSE_UPDATE;
    case CHIP_OP_BITCAST_CONVERT:
      return fuse_elements(op->operands[0]) == fuse_elements(&op->results[0])
                 ? FUSE_LOOP
                 : FUSE_ALONE;
    case CHIP_OP_IOTA:
    case CHIP_OP_BROADCAST_IN_DIM:
    case CHIP_OP_SLICE:
    case CHIP_OP_DYNAMIC_SLICE:
    case CHIP_OP_CONCATENATE:
    case CHIP_OP_PAD:
    case CHIP_OP_REVERSE:
      return is_scalar_work(op) ? FUSE_FREE : FUSE_LOOP;
    default:
      break;
  }
  if (chip_op_is_collective((chip_op_t)op->kind)) {
    return FUSE_COLLECTIVE;
  }
  pthread_once(&rows_filled, fill_rows);
  if (rows[op->kind].is_free || op->result_count == 0) {
    return FUSE_FREE;
  }
  if (!fuse_is_elementwise(op)) {
    return FUSE_ALONE;
  }
  return is_scalar_work(op) ? FUSE_FREE : FUSE_LOOP;
}
