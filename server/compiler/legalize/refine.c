// Abstract interpretation over integers: constants, sizes of arguments, and what
// arithmetic, concatenate, reshape and slice make of them are known values; types
// written with `?` get the sizes that shape operands have, in one walk in program order
// (as StableHLO's stablehlo-refine-shapes does).

#include "server/compiler/legalize/refine.h"
#include "server/compiler/dialect/kinds.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/check.h"
#include "common/mlir/diagnostic.h"
#include "common/mlir/replacements.h"
#include "common/mlir/walk.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/legalize/expander.h"
#include "server/compiler/legalize/legalize.h"
#include "server/compiler/legalize/refine_assertion.h"
#include "server/compiler/legalize/refine_manual.h"
#include "server/compiler/legalize/signature.h"
#include "server/compiler/verify/shape.h"
#include "server/compiler/verify/verify.h"
#include "server/program/integer.h"

// Longer lists of integers are no sizes.
enum { FOLDED_MAX = 64 };

typedef struct refiner_t {
  mlir_module_t *module;
  bool has_dimensions;  // @main takes the values of symbolic sizes.
  mlir_replacements_t replacements;
} refiner_t;

static bool is_dynamic(const mlir_type_t *type) {
  return type->kind == MLIR_TYPE_TENSOR && !tensor_shape_is_static(&type->shape);
}

static bool has_dynamic_results(const mlir_op_t *op) {
  bool found = false;
  for (int i = 0; i < op->result_count && !found; i++) {
    found = is_dynamic(op->results[i].type);
  }
  return found;
}

// Of its regions' first blocks.
static bool has_dynamic_arguments(const mlir_op_t *op) {
  bool found = false;
  for (int r = 0; r < op->region_count; r++) {
    const mlir_block_t *block = mlir_op_block(op, r);
    for (int i = 0; block != NULL && i < block->argument_count && !found; i++) {
      found = is_dynamic(block->arguments[i]->type);
    }
  }
  return found;
}

static bool is_static(const mlir_type_t *type) {
  return type->kind == MLIR_TYPE_TENSOR && tensor_shape_is_static(&type->shape);
}

static const mlir_type_t *with_dims(refiner_t *refiner, const mlir_type_t *type, int rank,
                                    const int64_t *dims) {
  const tensor_shape_t shape = tensor_shape_make(type->shape.dtype, rank, dims);
  return mlir_type_tensor(refiner->module, &shape);
}

// --- Integers ---

typedef struct folded_t {
  int64_t count;
  int64_t values[FOLDED_MAX];
} folded_t;

// A constant of integers or predicates, as elements; false for others.
static bool constant_of(const mlir_value_t *value, folded_t *out) {
  if (value->op == NULL || value->op->kind != CHIP_OP_CONSTANT ||
      !is_static(value->type) || !chip_is_integral(value->type->shape.dtype)) {
    return false;
  }
  const mlir_attr_t *attr = mlir_op_attr(value->op, "value");
  const tensor_dtype_t dtype = value->type->shape.dtype;
  const int64_t count = tensor_shape_elements(&value->type->shape);
  if (!mlir_attr_is(attr, MLIR_ATTR_DENSE) || count > FOLDED_MAX ||
      attr->type->shape.dtype != dtype) {
    return false;
  }
  out->count = count;
  const size_t size = tensor_dtype_bytes(dtype);
  for (int64_t i = 0; i < count; i++) {
    out->values[i] = tensor_element_as_int64(
        dtype, (const char *)attr->data + (attr->is_splat ? 0 : (size_t)i * size));
  }
  return true;
}

// The elements as `dtype` keeps them.
static void store(tensor_dtype_t dtype, folded_t *folded, void *bytes) {
  const size_t size = tensor_dtype_bytes(dtype);
  for (int64_t i = 0; i < folded->count; i++) {
    const int64_t value =
        dtype == TENSOR_PRED ? folded->values[i] != 0 : folded->values[i];
    tensor_element_from_int64(dtype, value, (char *)bytes + (size_t)i * size);
  }
}

static mlir_op_t *make_constant(refiner_t *refiner, const mlir_op_t *at,
                                const mlir_type_t *type, folded_t *folded) {
  mlir_module_t *module = refiner->module;
  char bytes[FOLDED_MAX * 8] = {0};
  store(type->shape.dtype, folded, bytes);
  mlir_op_t *constant = mlir_op_create(module, mlir_intern(module, "stablehlo.constant"),
                                       0, NULL, 1, &type, 0);
  constant->position = at->position;
  constant->location = at->location;
  mlir_op_set_attr(module, constant, mlir_intern(module, "value"),
                   mlir_attr_dense(module, &type->shape, bytes, false));
  return constant;
}

// A constant takes the place of the operation.
static void replace_by_constant(refiner_t *refiner, mlir_op_t *op,
                                const mlir_type_t *type, folded_t *folded) {
  mlir_op_t *constant = make_constant(refiner, op, type, folded);
  constant->results[0].name = op->results[0].name;
  mlir_block_insert_before(op, constant);
  mlir_replacements_put(&refiner->replacements, &op->results[0], &constant->results[0]);
  mlir_op_unlink(op);
}

static int64_t at(const folded_t *folded, int64_t index) {
  return folded->values[folded->count == 1 ? 0 : index];
}

static bool fold_elements(refiner_t *refiner, const mlir_op_t *op, const folded_t *in,
                          folded_t *out) {
  const tensor_dtype_t dtype = op->operands[0]->type->shape.dtype;
  const int kind = op->kind;
  int direction = 0;
  if (op->kind == CHIP_OP_COMPARE) {
    const pod_status_t status =
        stablehlo_comparison_direction(refiner->module, op, &direction);
    if (status != NULL) {
      pod_status_free(status);
      return false;
    }
  }
  for (int64_t i = 0; i < out->count; i++) {
    const int64_t x = at(&in[0], i), y = at(&in[1], i);
    int64_t *value = &out->values[i];
    if (kind == CHIP_OP_COMPARE && op->operand_count == 2) {
      *value = chip_comparison_holds(direction, chip_integer_order(dtype, x, y));
    } else if (kind == CHIP_OP_SELECT && op->operand_count == 3) {
      *value = x != 0 ? y : at(&in[2], i);
    } else if (kind == CHIP_OP_CONVERT && op->operand_count == 1) {
      *value = x;
    } else if (!(op->operand_count == 1 &&
                 chip_integer_unary((chip_op_t)kind, dtype, x, value)) &&
               !(op->operand_count == 2 &&
                 chip_integer_binary((chip_op_t)kind, dtype, x, y, value))) {
      return false;
    }
  }
  return true;
}

static bool fold_slice(refiner_t *refiner, const mlir_op_t *op, const folded_t *in,
                       folded_t *out) {
  int64_t starts, strides;
  const int64_t *start, *stride;
  if (!mlir_attr_as_i64s(refiner->module, mlir_op_attr(op, "start_indices"), &starts,
                         &start) ||
      !mlir_attr_as_i64s(refiner->module, mlir_op_attr(op, "strides"), &strides,
                         &stride) ||
      starts != 1 || strides != 1) {
    return false;
  }
  for (int64_t i = 0; i < out->count; i++) {
    int64_t from;
    if (__builtin_mul_overflow(i, stride[0], &from) ||
        __builtin_add_overflow(from, start[0], &from) || from < 0 || from >= in->count) {
      return false;
    }
    out->values[i] = in->values[from];
  }
  return true;
}

// Lists of one dimension, one behind the other.
static bool fold_concatenate(const mlir_op_t *op, const folded_t *in, folded_t *out) {
  int64_t done = 0;
  for (int i = 0; i < op->operand_count; i++) {
    for (int64_t k = 0; k < in[i].count && done < out->count; k++) {
      out->values[done++] = in[i].values[k];
    }
  }
  return done == out->count;
}

// Whether the operation has become a constant.
static bool fold(refiner_t *refiner, mlir_op_t *op) {
  enum { OPERANDS_MAX = 16 };
  const mlir_type_t *type = op->result_count == 1 ? op->results[0].type : NULL;
  if (type == NULL || !is_static(type) || type->shape.rank > 1 ||
      !chip_is_integral(type->shape.dtype) || op->operand_count < 1 ||
      op->operand_count > OPERANDS_MAX || op->region_count > 0) {
    return false;
  }
  folded_t in[OPERANDS_MAX], out = {.count = tensor_shape_elements(&type->shape)};
  memset(in, 0, sizeof(in));
  if (out.count > FOLDED_MAX) {
    return false;
  }
  for (int i = 0; i < op->operand_count; i++) {
    if (!constant_of(op->operands[i], &in[i])) {
      return false;
    }
  }
  bool done;
  if (op->kind == CHIP_OP_CONCATENATE) {
    done = fold_concatenate(op, in, &out);
  } else if (op->kind == CHIP_OP_SLICE) {
    done = fold_slice(refiner, op, in, &out);
  } else if (op->kind == CHIP_OP_RESHAPE || op->kind == CHIP_OP_BROADCAST_IN_DIM ||
             op->kind == KIND_DYNAMIC_RESHAPE ||
             op->kind == KIND_DYNAMIC_BROADCAST_IN_DIM) {
    done = in[0].count == out.count || in[0].count == 1;
    for (int64_t i = 0; done && i < out.count; i++) {
      out.values[i] = at(&in[0], i);
    }
  } else {
    bool fits = true;
    for (int i = 0; i < op->operand_count; i++) {
      fits = fits && (in[i].count == out.count || (in[i].count == 1 && i == 0));
    }
    done = fits && fold_elements(refiner, op, in, &out);
  }
  if (done) {
    replace_by_constant(refiner, op, type, &out);
  }
  return done;
}

// --- Shapes ---

static bool dims_from(refiner_t *refiner, const mlir_op_t *op, int operand, int64_t *rank,
                      const int64_t **out_dims) {
  folded_t folded;
  if (operand >= op->operand_count || !constant_of(op->operands[operand], &folded) ||
      folded.count > TENSOR_RANK_MAX) {
    return false;
  }
  for (int64_t d = 0; d < folded.count; d++) {
    if (folded.values[d] < 0) {
      return false;
    }
  }
  *rank = folded.count;
  *out_dims = pod_arena_copy(refiner->module->arena, folded.values,
                             (size_t)(folded.count + 1) * sizeof(folded.values[0]));
  return true;
}

// The operand that holds the shape of result `index`; -1 when none does.
static int shape_operand_of(refiner_t *refiner, const mlir_op_t *op, int index) {
  switch (op->kind) {
    case KIND_DYNAMIC_RESHAPE:
    case KIND_DYNAMIC_BROADCAST_IN_DIM:
      return 1;
    case KIND_DYNAMIC_IOTA:
      return 0;
    case KIND_RNG:
      return 2;
    default:
      break;
  }
  int64_t count;
  const int64_t *operands;
  if (op->kind == KIND_CUSTOM_CALL &&
      mlir_attr_as_i64s(refiner->module, mlir_op_attr(op, "indices_of_shape_operands"),
                        &count, &operands) &&
      index < count && operands[index] >= 0 && operands[index] < op->operand_count) {
    return (int)operands[index];
  }
  return -1;
}

// dynamic_pad and real_dynamic_slice: by three lists behind the other operands.
static bool edge_dims(refiner_t *refiner, const mlir_op_t *op, int64_t *dims) {
  const bool is_pad = op->kind == KIND_DYNAMIC_PAD;
  const tensor_shape_t *from = &op->operands[0]->type->shape;
  folded_t lists[3];
  const int64_t *sizes;
  if (!is_pad && expand_slice_sizes(refiner->module, op, &sizes)) {
    memcpy(dims, sizes, (size_t)from->rank * sizeof(*dims));
    return true;
  }
  for (int i = 0; i < 3; i++) {
    if (!constant_of(op->operands[op->operand_count - 3 + i], &lists[i]) ||
        lists[i].count != from->rank) {
      return false;
    }
  }
  for (int d = 0; d < from->rank; d++) {
    const int64_t a = lists[0].values[d], b = lists[1].values[d], c = lists[2].values[d];
    const int64_t size = from->dims[d];
    int64_t sum;
    if (is_pad) {
      if (c < 0 || __builtin_mul_overflow(size > 0 ? size - 1 : 0, c, &sum) ||
          __builtin_add_overflow(sum, size, &sum) ||
          __builtin_add_overflow(sum, a, &sum) || __builtin_add_overflow(sum, b, &sum)) {
        return false;
      }
    } else {
      if (c < 1 || a < 0 || b < a || b > size) {
        return false;
      }
      sum = (b - a) / c + ((b - a) % c != 0);
    }
    if (sum < 0) {
      return false;
    }
    dims[d] = sum;
  }
  return true;
}

// Sizes that are not known become those of the first operand, or 1: for rules that look
// at declared types only to tell others.
static void guess_types(refiner_t *refiner, mlir_op_t *op) {
  for (int i = 0; i < op->result_count; i++) {
    const mlir_type_t *type = op->results[i].type;
    if (!is_dynamic(type)) {
      continue;
    }
    const mlir_type_t *first = op->operand_count > 0 ? op->operands[0]->type : type;
    int64_t dims[TENSOR_RANK_MAX] = {0};
    for (int d = 0; d < type->shape.rank; d++) {
      const bool fits = is_static(first) && first->shape.rank == type->shape.rank;
      dims[d] = type->shape.dims[d] != TENSOR_DYNAMIC ? type->shape.dims[d]
                : fits                                ? first->shape.dims[d]
                                                      : 1;
    }
    op->results[i].type = with_dims(refiner, type, type->shape.rank, dims);
  }
}

// The dims of chlo.broadcast_*: NumPy's rule.
static bool broadcast_dims(const mlir_op_t *op, int rank, int64_t *dims) {
  for (int d = 0; d < rank; d++) {
    dims[d] = 1;
  }
  for (int i = 0; i < op->operand_count; i++) {
    const tensor_shape_t *shape = &op->operands[i]->type->shape;
    for (int d = 0; d < shape->rank; d++) {
      const int to = rank - shape->rank + d;
      if (to < 0) {
        return false;
      }
      dims[to] = shape->dims[d] != 1 ? shape->dims[d] : dims[to];
    }
  }
  return true;
}

// Dynamic operations of which the static one knows its result's shape.
static pod_status_t refine_by_static(refiner_t *refiner, mlir_op_t *op,
                                     expand_fn_t expand) {
  guess_types(refiner, op);
  expander_t expander = {.module = refiner->module, .op = op};
  mlir_value_t **results = pod_arena_array(
      refiner->module->arena, (size_t)op->result_count, sizeof(mlir_value_t *));
  POD_TRY(expand(&expander, results));
  for (int i = 0; i < op->result_count; i++) {
    if (i == 0) {
      POD_TRY(compiler_set_types(refiner->module, results[0]->op));
    }
    mlir_replacements_put(&refiner->replacements, &op->results[i], results[i]);
  }
  mlir_op_unlink(op);
  return NULL;
}

// Shardy's operations without regions say where a value lies, not what it is.
static bool keeps_shape(const mlir_op_t *op) {
  const bool is_sdy =
      compiler_is_shardy(op->kind) && op->operand_count == 1 && op->region_count == 0;
  return is_sdy || expand_keeps_operands(op);
}

static pod_status_t refine_results(refiner_t *refiner, mlir_op_t *op) {
  int64_t rank, dims[TENSOR_RANK_MAX] = {0};
  const int64_t *from;
  for (int i = 0; i < op->result_count; i++) {
    const int operand = shape_operand_of(refiner, op, i);
    if (operand >= 0 && is_dynamic(op->results[i].type) &&
        dims_from(refiner, op, operand, &rank, &from) &&
        rank == op->results[i].type->shape.rank) {
      op->results[i].type = with_dims(refiner, op->results[i].type, (int)rank, from);
    }
  }
  const mlir_type_t *type = op->results[0].type;
  if (!is_dynamic(type)) {
    return NULL;
  }
  const bool has_edges = (op->kind == KIND_DYNAMIC_PAD && op->operand_count == 5) ||
                         (op->kind == KIND_REAL_DYNAMIC_SLICE && op->operand_count == 4);
  if (has_edges || expand_is_broadcasting(op)) {
    const bool done = has_edges ? type->shape.rank == op->operands[0]->type->shape.rank &&
                                      edge_dims(refiner, op, dims)
                                : broadcast_dims(op, type->shape.rank, dims);
    if (done) {
      op->results[0].type = with_dims(refiner, type, type->shape.rank, dims);
    }
    return NULL;
  }
  if (keeps_shape(op) && op->operands[0]->type->shape.rank == type->shape.rank) {
    guess_types(refiner, op);
    return NULL;
  }
  const expand_fn_t expand =
      op->kind == KIND_DYNAMIC_GATHER && op->operand_count == 3 ? expand_dynamic_gather
      : op->kind == KIND_DYNAMIC_CONV && op->operand_count == 3 ? expand_dynamic_conv
                                                                : NULL;
  if (expand != NULL) {
    return refine_by_static(refiner, op, expand);
  }
  if (compiler_is_row(op->kind)) {
    guess_types(refiner, op);
    return compiler_set_types(refiner->module, op);
  }
  // Element by element, under a short name.
  if (strncmp(op->name, "chlo.", strlen("chlo.")) == 0 && op->result_count == 1 &&
      op->operand_count > 0 && op->operands[0]->type->shape.rank == type->shape.rank) {
    guess_types(refiner, op);
  }
  return NULL;
}

// --- The walk ---

static pod_status_t stays_dynamic(refiner_t *refiner, const mlir_op_t *op, int result) {
  const char *what_to_do = refiner->has_dimensions
                               ? "say the values of the arguments that sizes follow from "
                                 "(--constant NAME=VALUE of podium), or "
                               : "";
  return mlir_op_error(
      refiner->module, op, POD_UNIMPLEMENTED,
      "result %d stays %s, which follows from no constants and known "
      "sizes; only tensors of static sizes are supported: %sexport the "
      "function for concrete sizes",
      result, shape_text(refiner->module, &op->results[result].type->shape), what_to_do);
}

static bool are_operands_static(const mlir_op_t *op) {
  for (int i = 0; i < op->operand_count; i++) {
    if (!is_static(op->operands[i]->type)) {
      return false;
    }
  }
  return true;
}

// What a loop carries has the types of its first values.
static void enter_loop(mlir_op_t *op) {
  for (int i = 0; i < op->operand_count; i++) {
    for (int r = 0; r < op->region_count; r++) {
      mlir_block_t *block = mlir_op_block(op, r);
      if (block != NULL && i < block->argument_count) {
        block->arguments[i]->type = op->operands[i]->type;
      }
    }
    if (i < op->result_count) {
      op->results[i].type = op->operands[i]->type;
    }
  }
}

// The results of a branch are what its regions return.
static void leave_branch(const mlir_op_t *end) {
  mlir_op_t *parent = walk_parent(end);
  if (parent == NULL || (parent->kind != CHIP_OP_IF && parent->kind != CHIP_OP_CASE)) {
    return;
  }
  for (int i = 0; i < end->operand_count && i < parent->result_count; i++) {
    if (is_static(end->operands[i]->type)) {
      parent->results[i].type = end->operands[i]->type;
    }
  }
}

// JAX hands the values of symbolic sizes into manual computations; a scalar is the same
// inside.
static pod_status_t enter_manual(refiner_t *refiner, mlir_op_t *op) {
  mlir_block_t *body = op->region_count == 1 ? mlir_op_block(op, 0) : NULL;
  if (has_dynamic_arguments(op)) {
    POD_TRY(refine_manual_enter(refiner->module, op));
  }
  for (int i = 0; body != NULL && body->first != NULL && i < op->operand_count &&
                  i < body->argument_count;
       i++) {
    const mlir_type_t *type = op->operands[i]->type;
    folded_t value;
    if (constant_of(op->operands[i], &value) && type->shape.rank == 0 &&
        mlir_type_equal(type, body->arguments[i]->type)) {
      mlir_op_t *constant = make_constant(refiner, op, type, &value);
      mlir_block_insert_before(body->first, constant);
      mlir_replacements_put(&refiner->replacements, body->arguments[i],
                            &constant->results[0]);
    }
  }
  return NULL;
}

// The results of a manual computation are the whole of what its body returns.
static pod_status_t leave_manual(refiner_t *refiner, const mlir_op_t *end) {
  mlir_op_t *parent = walk_parent(end);
  if (parent == NULL || parent->kind != KIND_SDY_MANUAL_COMPUTATION ||
      !has_dynamic_results(parent)) {
    return NULL;
  }
  POD_TRY(refine_manual_leave(refiner->module, parent));
  for (int i = 0; i < parent->result_count; i++) {
    if (is_dynamic(parent->results[i].type)) {
      return stays_dynamic(refiner, parent, i);
    }
  }
  return NULL;
}

static pod_status_t refine_op(refiner_t *refiner, mlir_op_t *op) {
  if (op->kind == CHIP_OP_WHILE) {
    enter_loop(op);
    return NULL;
  }
  if (op->kind == KIND_SDY_MANUAL_COMPUTATION) {
    return enter_manual(refiner, op);
  }
  if (op->kind == KIND_SDY_RETURN) {
    return leave_manual(refiner, op);
  }
  if (assertion_is(op)) {
    bool holds;
    POD_TRY(assertion_check(refiner->module, op, &holds));
    if (holds) {
      mlir_op_unlink(op);
    }
    return NULL;
  }
  if (op->kind == CHIP_OP_IF || op->kind == CHIP_OP_CASE) {
    return NULL;  // When their regions are through.
  }
  if (op->kind == CHIP_OP_RETURN) {
    leave_branch(op);
    return NULL;
  }
  const mlir_attr_t *dimension = mlir_op_attr(op, "dimension");
  if (op->kind == KIND_GET_DIMENSION_SIZE && op->operand_count == 1 &&
      op->result_count == 1 && is_static(op->operands[0]->type) &&
      is_static(op->results[0].type) && op->results[0].type->shape.rank == 0 &&
      chip_is_integral(op->results[0].type->shape.dtype) &&
      mlir_attr_is(dimension, MLIR_ATTR_INTEGER) && dimension->integer >= 0 &&
      dimension->integer < op->operands[0]->type->shape.rank) {
    folded_t size = {.count = 1,
                     .values = {op->operands[0]->type->shape.dims[dimension->integer]}};
    replace_by_constant(refiner, op, op->results[0].type, &size);
    return NULL;
  }
  if (has_dynamic_results(op) && are_operands_static(op)) {
    POD_TRY(refine_results(refiner, op));
  }
  if (op->block == NULL) {
    return NULL;  // Another one stands in its place.
  }
  for (int i = 0; i < op->result_count; i++) {
    if (is_dynamic(op->results[i].type)) {
      return stays_dynamic(refiner, op, i);
    }
  }
  fold(refiner, op);
  return NULL;
}

// --- The module ---

static bool has_dynamic(const mlir_module_t *module) {
  bool found = false;
  for (const mlir_op_t *op = mlir_walk_first(module->op); op != NULL && !found;
       op = mlir_walk_next(module->op, op)) {
    found = has_dynamic_results(op) || has_dynamic_arguments(op);
  }
  return found;
}

// The calls fit the functions, so that they can be inlined.
static pod_status_t check_calls(mlir_module_t *module) {
  for (const mlir_op_t *op = mlir_walk_first(module->op); op != NULL;
       op = mlir_walk_next(module->op, op)) {
    const mlir_attr_t *callee = op->kind == KIND_CALL ? mlir_op_attr(op, "callee")
                                : op->kind == KIND_COMPOSITE
                                    ? mlir_op_attr(op, "decomposition")
                                    : NULL;
    const mlir_op_t *function = mlir_attr_is(callee, MLIR_ATTR_SYMBOL)
                                    ? mlir_module_find_symbol(module, callee->text)
                                    : NULL;
    if (mlir_attr_is(callee, MLIR_ATTR_SYMBOL) &&
        (function == NULL || function->kind != KIND_FUNC ||
         function->region_count != 1)) {
      return mlir_op_error(module, op, POD_INVALID_ARGUMENT,
                           "calls @%s, but the module has no such function",
                           callee->text);
    }
    const mlir_block_t *body = function != NULL ? mlir_op_block(function, 0) : NULL;
    if (body != NULL && (body->last == NULL || body->next != NULL ||
                         body->last->kind != KIND_FUNC_RETURN ||
                         body->argument_count != op->operand_count ||
                         body->last->operand_count != op->result_count)) {
      return mlir_op_error(module, op, POD_INVALID_ARGUMENT,
                           "does not fit @%s: it has %d operands and %d results",
                           callee->text, op->operand_count, op->result_count);
    }
  }
  return NULL;
}

// Functions that custom calls name stay.
static void keep_called(mlir_op_t *main, mlir_op_t *const *functions, int count) {
  for (mlir_op_t *op = mlir_walk_first(main); op != NULL; op = mlir_walk_next(main, op)) {
    const mlir_attr_t *called =
        op->kind == KIND_CUSTOM_CALL ? mlir_op_attr(op, "called_computations") : NULL;
    for (int64_t i = 0; mlir_attr_is(called, MLIR_ATTR_ARRAY) && i < called->count; i++) {
      for (int f = 0; f < count; f++) {
        const mlir_attr_t *name = mlir_op_attr(functions[f], "sym_name");
        if (mlir_attr_is(called->elements[i], MLIR_ATTR_SYMBOL) &&
            mlir_attr_is(name, MLIR_ATTR_STRING) && functions[f]->block == NULL &&
            strcmp(name->text, called->elements[i]->text) == 0) {
          mlir_block_insert_before(main, functions[f]);
        }
      }
    }
  }
}

static pod_status_t inline_calls(mlir_module_t *module, mlir_op_t *main) {
  POD_TRY(check_calls(module));
  int count = 0;
  const mlir_block_t *block = mlir_op_block(module->op, 0);
  for (const mlir_op_t *op = block->first; op != NULL; op = op->next) {
    count += op->kind == KIND_FUNC;
  }
  mlir_op_t **functions =
      pod_arena_array(module->arena, (size_t)count + 1, sizeof(functions[0]));
  count = 0;
  for (mlir_op_t *op = block->first; op != NULL; op = op->next) {
    if (op->kind == KIND_FUNC) {
      functions[count++] = op;
    }
  }
  POD_TRY(compiler_inline(module));
  keep_called(main, functions, count);
  return NULL;
}

pod_status_t refine_shapes(mlir_module_t *module) {
  mlir_op_t *main = has_dynamic(module) ? signature_main(module) : NULL;
  if (main == NULL) {
    return NULL;
  }
  POD_TRY(signature_check_arguments(module, main));
  POD_TRY(inline_calls(module, main));
  refiner_t refiner = {.module = module,
                       .has_dimensions = signature_has_dimensions(main)};
  pod_status_t status = NULL;
  mlir_op_t *next;
  for (mlir_op_t *op = mlir_walk_first(main); op != NULL && status == NULL; op = next) {
    mlir_replacements_apply(&refiner.replacements, op);
    next = mlir_walk_next(main, op);
    status = refine_op(&refiner, op);
  }
  mlir_replacements_deinit(&refiner.replacements);
  POD_TRY(status);
  signature_update(module, main);
  return NULL;
}
