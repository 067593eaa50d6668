// Linear operations work on the summands of an unreduced value as they would on the
// value: what they make are the summands of their result. Nothing is reduced for them
// where the result shall be unreduced too. So do those that move elements on the parts of
// a maximum or minimum, and those that take the larger or smaller of several.
//
// An operation learns what its result shall be from the constraint behind it, since the
// program gives shardings to the results of constraints and of @main; the carried value
// of a loop is what the body returns. Both only say where values are made, never what
// they are: whoever wants a value otherwise gets a reshard.

#include "common/mlir/walk.h"
#include "server/compiler/dialect/kinds.h"
#include "server/compiler/dialect/reducer.h"
#include "server/compiler/partition/partitioner.h"

// --- What shall be unreduced ---

static bool may_be_unreduced(const sharding_t *sharding, const axes_t *axes) {
  bool may = sharding != NULL && sharding->unreduced.count == 0;
  for (int d = 0; may && d < sharding->rank; d++) {
    const axes_t used = axes_from_list(&sharding->dims[d].axes);
    may = !axes_overlap(&used, axes);
  }
  return may;
}

static axes_t unreduced_of(const sharding_t *sharding) {
  static const axes_t none = {0};
  return sharding == NULL ? none : axes_from_list(&sharding->unreduced);
}

static void want_sum(const shardings_t *shardings, propagation_t *propagation,
                     const mlir_value_t *value, const sharding_t *sums) {
  const axes_t unreduced = unreduced_of(sums);
  const sharding_t *now = propagation->values[value->id];
  if (now == NULL && value->type->kind == MLIR_TYPE_TENSOR &&
      value->type->shape.rank == 0) {
    now = sharding_replicated(shardings->arena, shardings->mesh, 0, false);
  }
  if (unreduced.count > 0 && may_be_unreduced(now, &unreduced)) {
    sharding_t *wanted = sharding_copy(shardings->arena, now);
    wanted->unreduced = axes_to_list(shardings->arena, &unreduced);
    wanted->reduction = sums->reduction;
    propagation->values[value->id] = wanted;
  }
}

// Of operations with a rule the layout of a result is a wish, of all others it is given.
static bool takes_wishes(const mlir_value_t *value) {
  return value->op != NULL && compiler_factors_rule(value->op->kind) != NULL &&
         !propagate_is_remade(value);
}

static void want_carried_sums(const shardings_t *shardings, propagation_t *propagation,
                              const mlir_op_t *op) {
  const mlir_op_t *end = mlir_op_block(op, 1)->last;
  for (int i = 0; i < op->result_count; i++) {
    want_sum(shardings, propagation, &op->results[i],
             propagation->values[end->operands[i]->id]);
    const sharding_t *carried = propagation->values[op->results[i].id];
    for (int r = 0; r < op->region_count; r++) {
      propagation->values[mlir_op_block(op, r)->arguments[i]->id] = carried;
    }
  }
}

void sums_propagate(const shardings_t *shardings, const mlir_op_t *main,
                    propagation_t *propagation) {
  for (const mlir_op_t *op = mlir_walk_first(main); op != NULL;
       op = mlir_walk_next(main, op)) {
    if ((op->kind == KIND_SDY_SHARDING_CONSTRAINT || op->kind == KIND_SDY_RESHARD) &&
        takes_wishes(op->operands[0])) {
      want_sum(shardings, propagation, op->operands[0],
               propagation->values[op->results[0].id]);
    } else if (op->kind == CHIP_OP_WHILE) {
      want_carried_sums(shardings, propagation, op);
    }
  }
  const mlir_op_t *end = mlir_op_block(main, 0)->last;
  for (int i = 0; i < end->operand_count; i++) {
    if (takes_wishes(end->operands[i])) {
      want_sum(shardings, propagation, end->operands[i], propagation->results[i]);
    }
  }
}

// --- What carries summands ---

// In which operands an operation is linear, as bits: in all of them together (a sum of
// them, or their elements moved), or, `is_product`, in each with the others whole.
typedef struct linearity_t {
  uint32_t operands;
  bool is_product;
} linearity_t;

static bool is_float(const mlir_value_t *value) {
  const tensor_dtype_t dtype = value_shape(value)->dtype;
  return tensor_dtype_is_float(dtype) || tensor_dtype_is_complex(dtype);
}

static bool converts_linearly(const mlir_op_t *op) {
  return is_float(op->operands[0]) && is_float(&op->results[0]) &&
         tensor_dtype_is_complex(value_shape(op->operands[0])->dtype) ==
             tensor_dtype_is_complex(value_shape(&op->results[0])->dtype);
}

static linearity_t linearity_in_sums(const mlir_op_t *op) {
  static const linearity_t none = {0};
  switch (op->kind) {
    case CHIP_OP_ADD:
    case CHIP_OP_SUBTRACT:
    case CHIP_OP_NEGATE:
    case CHIP_OP_CONCATENATE:
    case CHIP_OP_RESHAPE:
    case CHIP_OP_TRANSPOSE:
    case CHIP_OP_SLICE:
    case CHIP_OP_REVERSE:
    case CHIP_OP_PAD:
    case CHIP_OP_BROADCAST_IN_DIM:
    case CHIP_OP_REAL:
    case CHIP_OP_IMAG:
      return (linearity_t){.operands = ~0u};
    case CHIP_OP_REDUCE:
      return op->result_count == 1 && compiler_reducer(op) == CHIP_REDUCER_ADD
                 ? (linearity_t){.operands = ~0u}
                 : none;
    case CHIP_OP_SCATTER:  // In the array and the updates.
      return op->result_count == 1 && compiler_reducer(op) == CHIP_REDUCER_ADD
                 ? (linearity_t){.operands = 5}
                 : none;
    case CHIP_OP_CONVERT:
      return converts_linearly(op) ? (linearity_t){.operands = 1} : none;
    case CHIP_OP_DYNAMIC_SLICE:
    case CHIP_OP_GATHER:
      return (linearity_t){.operands = 1};
    case CHIP_OP_DIVIDE:
      return is_float(op->operands[0]) ? (linearity_t){.operands = 1} : none;
    case CHIP_OP_DYNAMIC_UPDATE_SLICE:
      return (linearity_t){.operands = 3};
    case CHIP_OP_SELECT:
      return (linearity_t){.operands = 6};
    case CHIP_OP_MULTIPLY:
    case CHIP_OP_DOT_GENERAL:
      return (linearity_t){.operands = 3, .is_product = true};
    default:
      return none;
  }
}

// The same of parts of which the largest or smallest counts.
static linearity_t linearity_in_extremes(const mlir_op_t *op, chip_reducer_t reducer) {
  static const linearity_t none = {0}, all = {.operands = ~0u};
  switch (op->kind) {
    case CHIP_OP_CONCATENATE:
    case CHIP_OP_RESHAPE:
    case CHIP_OP_TRANSPOSE:
    case CHIP_OP_SLICE:
    case CHIP_OP_REVERSE:
    case CHIP_OP_PAD:
    case CHIP_OP_BROADCAST_IN_DIM:
      return all;
    case CHIP_OP_DYNAMIC_SLICE:
    case CHIP_OP_GATHER:
      return (linearity_t){.operands = 1};
    case CHIP_OP_DYNAMIC_UPDATE_SLICE:
      return (linearity_t){.operands = 3};
    case CHIP_OP_SELECT:
      return (linearity_t){.operands = 6};
    case CHIP_OP_REDUCE:
      return op->result_count == 1 && compiler_reducer(op) == reducer ? all : none;
    default:
      return op->kind == (int)chip_reducer_op(reducer) ? all : none;
  }
}

static bool is_linear_in(const linearity_t *linearity, int operand) {
  return linearity->operands == ~0u ||
         (operand < 32 && (linearity->operands >> operand & 1u) != 0);
}

// The part of `wanted` over which summands of the value are there.
static axes_t summands_of(const partitioner_t *partitioner, const mlir_value_t *value,
                          const axes_t *wanted, chip_reducer_t reducer) {
  axes_t found = {0};
  const version_t *version =
      propagate_is_remade(value) ? NULL : partitioner->states[value->id].versions;
  for (; version != NULL && found.count == 0; version = version->next) {
    if (version->layout->reducer == reducer) {
      const axes_t others = axes_without(&version->layout->unreduced, wanted);
      found = axes_without(&version->layout->unreduced, &others);
    }
  }
  return found;
}

axes_t sums_carried(const partitioner_t *partitioner, const mlir_op_t *op,
                    const axes_t *used, chip_reducer_t only, bool *out_operands) {
  const chip_reducer_t reducer =
      op->result_count == 1 ? partitioner->targets[0]->reducer : CHIP_REDUCER_NONE;
  const linearity_t linearity = reducer == CHIP_REDUCER_ADD ? linearity_in_sums(op)
                                : reducer == CHIP_REDUCER_NONE
                                    ? (linearity_t){0}
                                    : linearity_in_extremes(op, reducer);
  axes_t carried = {0};
  for (int i = 0; i < op->operand_count; i++) {
    out_operands[i] = false;
  }
  if (linearity.operands == 0 || (only != CHIP_REDUCER_NONE && only != reducer)) {
    return carried;
  }
  const axes_t wanted = axes_without(&partitioner->targets[0]->unreduced, used);
  for (int i = 0; i < op->operand_count && wanted.count > 0; i++) {
    if (!is_linear_in(&linearity, i) || (linearity.is_product && carried.count > 0)) {
      continue;
    }
    const axes_t found = summands_of(partitioner, op->operands[i], &wanted, reducer);
    const axes_t more = axes_without(&found, &carried);
    axes_append_all(&carried, &more);
    out_operands[i] = !linearity.is_product || found.count > 0;
  }
  return carried;
}
