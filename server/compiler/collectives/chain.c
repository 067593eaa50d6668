// What is done to a sum over chips is done to its summands. A reduce_scatter's summands
// are larger along the dimension that it cuts, which is followed through the chain.

#include "server/compiler/collectives/chain.h"

#include "server/compiler/collectives/places.h"
#include "server/compiler/dialect/constant.h"
#include "server/compiler/dialect/reducer.h"

static bool is_exact(const mlir_op_t *convert) {
  const tensor_dtype_t from = rewrite_shape(convert->operands[0])->dtype;
  return rewrite_shape(&convert->results[0])->dtype == TENSOR_F32 &&
         (from == TENSOR_BF16 || from == TENSOR_F16);
}

// Zeros, as JAX writes them, too.
static bool is_zero(const mlir_value_t *value) {
  return compiler_is_zero(value) ||
         (value->op != NULL && value->op->kind == CHIP_OP_BROADCAST_IN_DIM &&
          compiler_is_zero(value->op->operands[0]));
}

bool chain_may_pass(const mlir_op_t *op) {
  switch (op->kind) {
    case CHIP_OP_RESHAPE:
    case CHIP_OP_TRANSPOSE:
      return true;
    case CHIP_OP_CONVERT:
      return is_exact(op);
    case CHIP_OP_BROADCAST_IN_DIM:
      return tensor_shape_elements(rewrite_shape(op->operands[0])) ==
             tensor_shape_elements(rewrite_shape(&op->results[0]));
    case CHIP_OP_DYNAMIC_UPDATE_SLICE:
      return is_zero(op->operands[0]);
    case CHIP_OP_REDUCE:
      return op->operand_count == 2 && compiler_reducer(op) == CHIP_REDUCER_ADD &&
             compiler_is_zero(op->operands[1]);
    default:
      return false;
  }
}

// --- The dimension that a reduce_scatter cuts ---

static int64_t elements_before(const tensor_shape_t *shape, int dim) {
  int64_t count = 1;
  for (int d = 0; d < dim; d++) {
    count *= shape->dims[d];
  }
  return count;
}

// The dimension of the same size with as many elements before it.
static int behind_reshape(const mlir_op_t *op, int dim) {
  const tensor_shape_t *from = rewrite_shape(op->operands[0]);
  const tensor_shape_t *to = rewrite_shape(&op->results[0]);
  for (int d = 0; d < to->rank; d++) {
    if (to->dims[d] == from->dims[dim] &&
        elements_before(to, d) == elements_before(from, dim)) {
      return d;
    }
  }
  return -1;
}

static int behind_reduce(int dim, int64_t count, const int64_t *dims) {
  int before = 0;
  for (int64_t i = 0; i < count; i++) {
    if (dims[i] == dim) {
      return -1;
    }
    before += dims[i] < dim;
  }
  return dim - before;
}

// Where dimension `dim` of the operand is in the result; -1: nowhere.
static int dim_behind(const rewrite_t *rewrite, const mlir_op_t *op, int dim) {
  const bool moves = op->kind == CHIP_OP_TRANSPOSE;
  const char *name = moves                        ? "permutation"
                     : op->kind == CHIP_OP_REDUCE ? "dimensions"
                                                  : "broadcast_dimensions";
  int64_t count;
  const int64_t *dims;
  if (op->kind == CHIP_OP_CONVERT) {
    return dim;
  }
  if (op->kind == CHIP_OP_DYNAMIC_UPDATE_SLICE) {
    return rewrite_shape(op->operands[1])->dims[dim] ==
                   rewrite_shape(&op->results[0])->dims[dim]
               ? dim
               : -1;
  }
  if (op->kind == CHIP_OP_RESHAPE) {
    return behind_reshape(op, dim);
  }
  if (!mlir_attr_as_i64s(rewrite->module, mlir_op_attr(op, name), &count, &dims)) {
    return -1;
  }
  if (op->kind == CHIP_OP_REDUCE) {
    return behind_reduce(dim, count, dims);
  }
  for (int64_t i = 0; moves && i < count; i++) {
    if (dims[i] == dim) {
      return (int)i;
    }
  }
  return !moves && dim < count ? (int)dims[dim] : -1;
}

static bool follow_dim(const rewrite_t *rewrite, chain_t *chain) {
  const mlir_op_t *op = chain->collective;
  chain->parts = 1;
  if (op->kind != CHIP_OP_REDUCE_SCATTER) {
    return true;
  }
  int dim = (int)mlir_op_attr(op, "scatter_dimension")->integer;
  const int64_t part = rewrite_shape(&op->results[0])->dims[dim];
  chain->parts = part == 0 ? 1 : rewrite_shape(op->operands[0])->dims[dim] / part;
  chain->dims[chain->count] = dim;
  for (int i = chain->count - 1; i >= 0 && dim >= 0; i--) {
    dim = dim_behind(rewrite, chain->ops[i], dim);
    chain->dims[i] = dim;
  }
  return dim >= 0 && part > 0;
}

// --- Chains ---

// What is linear in: the elements that are put among zeros.
static int passed_operand(const mlir_op_t *op) {
  return op->kind == CHIP_OP_DYNAMIC_UPDATE_SLICE ? 1 : 0;
}

// All chips that add up have to put their summands at the same place.
static bool are_places_alike(const rewrite_t *rewrite, const chain_t *chain) {
  bool alike = true;
  for (int c = 0; c < chain->count; c++) {
    const mlir_op_t *op = chain->ops[c];
    for (int i = 2; op->kind == CHIP_OP_DYNAMIC_UPDATE_SLICE && i < op->operand_count;
         i++) {
      alike = alike && places_are_alike(rewrite, chain->collective, op->operands[i]);
    }
  }
  return alike;
}

bool chain_find(const rewrite_t *rewrite, const rewrite_uses_t *uses, chip_op_t kind,
                const mlir_value_t *value, const mlir_block_t *block, chain_t *chain) {
  *chain = (chain_t){0};
  while (value->op != NULL && value->op->block == block &&
         rewrite_is_read_once(uses, value)) {
    mlir_op_t *op = value->op;
    if (op->kind == (int)kind) {
      chain->collective = op;
      return op->operand_count == 1 && compiler_reducer(op) == CHIP_REDUCER_ADD &&
             follow_dim(rewrite, chain) && are_places_alike(rewrite, chain);
    }
    if (chain->count == CHAIN_MAX || !chain_may_pass(op)) {
      return false;
    }
    chain->ops[chain->count++] = op;
    value = op->operands[passed_operand(op)];
  }
  return false;
}

int64_t chain_elements(const chain_t *chain) {
  return tensor_shape_elements(rewrite_shape(chain->collective->operands[0]));
}

int64_t chain_elements_behind(const chain_t *chain) {
  const mlir_op_t *last = chain->count == 0 ? chain->collective : chain->ops[0];
  return chain->parts * tensor_shape_elements(rewrite_shape(&last->results[0]));
}

bool chain_are_alike(const chain_t *a, const chain_t *b) {
  return a->collective != b->collective && a->dims[0] == b->dims[0] &&
         rewrite_are_alike(a->collective, b->collective, true);
}

// One operation of the chain, of the summands.
static mlir_value_t *do_one(rewrite_t *rewrite, const chain_t *chain, int i,
                            mlir_value_t *value, mlir_op_t *where) {
  const mlir_op_t *op = chain->ops[i];
  tensor_shape_t shape = *rewrite_shape(&op->results[0]);
  if (chain->parts > 1) {
    shape.dims[chain->dims[i]] *= chain->parts;
  }
  const mlir_type_t *type = mlir_type_tensor(rewrite->module, &shape);
  static const uint8_t zero[16] = {0};
  mlir_value_t **operands = pod_arena_copy(rewrite->module->arena, op->operands,
                                           (size_t)op->operand_count * sizeof(value));
  operands[passed_operand(op)] = value;
  if (op->kind == CHIP_OP_DYNAMIC_UPDATE_SLICE && chain->parts > 1) {
    operands[0] = rewrite_constant(rewrite, where, &shape, zero);
  }
  mlir_op_t *made = mlir_op_create(rewrite->module, op->name, op->operand_count, operands,
                                   1, &type, op->region_count);
  made->position = op->position;
  made->location = op->location;
  for (int a = 0; a < op->attr_count; a++) {
    mlir_op_add_attr(rewrite->module, made, op->attrs[a].name, op->attrs[a].value);
  }
  if (op->region_count == 1) {
    compiler_build_reducer(rewrite->module, made, compiler_reducer(op), shape.dtype);
  }
  mlir_block_insert_before(where, made);
  return &made->results[0];
}

mlir_value_t *chain_do(rewrite_t *rewrite, const chain_t *chain, mlir_op_t *where) {
  mlir_value_t *value = chain->collective->operands[0];
  for (int i = chain->count - 1; i >= 0; i--) {
    value = do_one(rewrite, chain, i, value, where);
  }
  return value;
}

mlir_value_t *chain_reduce(rewrite_t *rewrite, const chain_t *chain, mlir_value_t *value,
                           const mlir_type_t *type, const char *why, mlir_op_t *where) {
  mlir_op_t *made = rewrite_collective(rewrite, chain->collective, 1, &value, 1, &type);
  if (made->kind == CHIP_OP_REDUCE_SCATTER) {
    mlir_op_set_attr(rewrite->module, made,
                     mlir_intern(rewrite->module, "scatter_dimension"),
                     mlir_attr_integer(rewrite->module, chain->dims[0], TENSOR_S64));
  }
  mlir_block_insert_before(where, made);
  rewrite_explain(rewrite, made, why, chain->collective);
  return &made->results[0];
}
