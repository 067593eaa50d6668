// Operations without a row that are short for others, or whose meaning is plain once all
// sizes are known. What they stand for is put before them.

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/base/check.h"
#include "common/mlir/diagnostic.h"
#include "common/mlir/replacements.h"
#include "common/mlir/walk.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/kinds.h"
#include "server/compiler/legalize/expander.h"
#include "server/compiler/legalize/gspmd.h"
#include "server/compiler/legalize/host_transfer.h"
#include "server/compiler/legalize/legalize.h"
#include "server/compiler/legalize/parallel.h"
#include "server/compiler/legalize/probes.h"
#include "server/compiler/legalize/refine.h"
#include "server/compiler/legalize/round_trip.h"
#include "server/compiler/legalize/scan.h"
#include "server/compiler/legalize/signature.h"
#include "server/compiler/legalize/tokens.h"
#include "server/compiler/verify/processes.h"
#include "server/compiler/verify/shape.h"
#include "server/compiler/verify/streams.h"
#include "server/compiler/verify/verify.h"

// A new operation of one result before the one that gives way.
mlir_op_t *expand_emit(expander_t *expander, const char *name, int operand_count,
                       mlir_value_t *const *operands, const mlir_type_t *type) {
  mlir_op_t *op = mlir_op_create(expander->module, name, operand_count, operands,
                                 type == NULL ? 0 : 1, &type, 0);
  op->position = expander->op->position;
  op->location = expander->op->location;
  mlir_block_insert_before(expander->op, op);
  return op;
}

mlir_value_t *expand_emit_unary(expander_t *expander, const char *name,
                                mlir_value_t *operand, const mlir_type_t *type) {
  return &expand_emit(expander, name, 1, &operand, type)->results[0];
}

mlir_value_t *expand_emit_binary(expander_t *expander, const char *name, mlir_value_t *a,
                                 mlir_value_t *b) {
  mlir_value_t *operands[] = {a, b};
  return &expand_emit(expander, name, 2, operands, a->type)->results[0];
}

void expand_set_attr(expander_t *expander, mlir_op_t *op, const char *name,
                     const mlir_attr_t *value) {
  mlir_op_set_attr(expander->module, op, mlir_intern(expander->module, name), value);
}

mlir_value_t *expand_emit_broadcast(expander_t *expander, mlir_value_t *operand,
                                    const mlir_type_t *type, int count,
                                    const int64_t *dims) {
  mlir_op_t *op = expand_emit(expander, "stablehlo.broadcast_in_dim", 1, &operand, type);
  expand_set_attr(expander, op, "broadcast_dimensions",
                  mlir_attr_i64_array(expander->module, count, dims));
  return &op->results[0];
}

static const mlir_type_t *with_dtype(expander_t *expander, const mlir_type_t *type,
                                     tensor_dtype_t dtype) {
  tensor_shape_t shape = type->shape;
  shape.dtype = dtype;
  return mlir_type_tensor(expander->module, &shape);
}

// A splat of a float type.
mlir_value_t *expand_emit_splat(expander_t *expander, const mlir_type_t *type,
                                double value) {
  unsigned char element[16] = {0};
  tensor_element_from_double(type->shape.dtype, value, element);
  mlir_op_t *op = expand_emit(expander, "stablehlo.constant", 0, NULL, type);
  expand_set_attr(expander, op, "value",
                  mlir_attr_dense(expander->module, &type->shape, element, true));
  return &op->results[0];
}

// --- Short forms ---

// The same operation under another name.
static pod_status_t rename_to(expander_t *expander, const char *name,
                              mlir_value_t **out_results) {
  mlir_op_t *op = expand_emit(expander, name, expander->op->operand_count,
                              expander->op->operands, expander->op->results[0].type);
  for (int i = 0; i < expander->op->attr_count; i++) {
    mlir_op_add_attr(expander->module, op, expander->op->attrs[i].name,
                     expander->op->attrs[i].value);
  }
  out_results[0] = &op->results[0];
  return NULL;
}

static pod_status_t expand_tan(expander_t *expander, mlir_value_t **out_results) {
  return rename_to(expander, "stablehlo.tan", out_results);
}

static pod_status_t expand_erf(expander_t *expander, mlir_value_t **out_results) {
  return rename_to(expander, "chlo.erf", out_results);
}

static pod_status_t expand_erf_inv(expander_t *expander, mlir_value_t **out_results) {
  return rename_to(expander, "chlo.erf_inv", out_results);
}

static pod_status_t expand_constant(expander_t *expander, mlir_value_t **out_results) {
  return rename_to(expander, "stablehlo.constant", out_results);
}

// A collective of Shardy's moves a value, and is what it takes to lay it out as it says:
// axes that are still to be reduced are part of how a value lies, not of what it is.
pod_status_t expand_reshard(expander_t *expander, mlir_value_t **out_results) {
  const mlir_op_t *op = expander->op;
  const mlir_attr_t *sharding = mlir_op_attr(op, "out_sharding");
  if (sharding == NULL) {
    return mlir_op_error(expander->module, op, POD_INVALID_ARGUMENT,
                         "lacks the attribute 'out_sharding'");
  }
  mlir_op_t *reshard =
      expand_emit(expander, "sdy.reshard", 1, op->operands, op->results[0].type);
  expand_set_attr(expander, reshard, "sharding", sharding);
  out_results[0] = &reshard->results[0];
  return NULL;
}

static pod_status_t expand_flow_edge(expander_t *expander, mlir_value_t **out_results) {
  const mlir_op_t *op = expander->op;
  const mlir_attr_t *sharding = mlir_op_attr(op, "sharding");
  out_results[0] = op->operands[0];
  if (sharding != NULL) {
    mlir_op_t *constraint = expand_emit(expander, "sdy.sharding_constraint", 1,
                                        op->operands, op->results[0].type);
    expand_set_attr(expander, constraint, "sharding", sharding);
    out_results[0] = &constraint->results[0];
  }
  return NULL;
}

static mlir_value_t *emit_compare(expander_t *expander, mlir_value_t *a, mlir_value_t *b,
                                  const char *direction) {
  mlir_value_t *operands[] = {a, b};
  mlir_op_t *compare = expand_emit(expander, "stablehlo.compare", 2, operands,
                                   with_dtype(expander, a->type, TENSOR_PRED));
  expand_set_attr(
      expander, compare, "comparison_direction",
      stablehlo_make_enum(expander->module, compare, "comparison_direction", direction));
  return &compare->results[0];
}

static const mlir_type_t *part_type(expander_t *expander, const mlir_type_t *type) {
  return with_dtype(expander, type,
                    type->shape.dtype == TENSOR_C64 ? TENSOR_F32 : TENSOR_F64);
}

// (x - y)(x + y) + 2xyi, by which nothing overflows that need not: where |x| = |y| the
// real part is 0.
static mlir_value_t *square_complex(expander_t *expander, mlir_value_t *z) {
  const mlir_type_t *part = part_type(expander, z->type);
  const mlir_type_t *flag = with_dtype(expander, z->type, TENSOR_PRED);
  mlir_value_t *x = expand_emit_unary(expander, "stablehlo.real", z, part);
  mlir_value_t *y = expand_emit_unary(expander, "stablehlo.imag", z, part);
  mlir_value_t *product =
      expand_emit_binary(expander, "stablehlo.multiply",
                         expand_emit_binary(expander, "stablehlo.subtract", x, y),
                         expand_emit_binary(expander, "stablehlo.add", x, y));
  mlir_value_t *is_even = expand_emit_binary(
      expander, "stablehlo.and",
      expand_emit_unary(expander, "stablehlo.is_finite", x, flag),
      emit_compare(expander, expand_emit_unary(expander, "stablehlo.abs", x, part),
                   expand_emit_unary(expander, "stablehlo.abs", y, part), "EQ"));
  mlir_value_t *choice[] = {is_even, expand_emit_splat(expander, part, 0), product};
  mlir_value_t *half = expand_emit_binary(expander, "stablehlo.multiply", x, y);
  mlir_value_t *parts[] = {
      &expand_emit(expander, "stablehlo.select", 3, choice, part)->results[0],
      expand_emit_binary(expander, "stablehlo.add", half, half)};
  return &expand_emit(expander, "stablehlo.complex", 2, parts, z->type)->results[0];
}

static pod_status_t expand_square(expander_t *expander, mlir_value_t **out_results) {
  mlir_value_t *x = expander->op->operands[0];
  out_results[0] = tensor_dtype_is_complex(x->type->shape.dtype)
                       ? square_complex(expander, x)
                       : expand_emit_binary(expander, "stablehlo.multiply", x, x);
  return NULL;
}

// real(x) - i imag(x)
static pod_status_t expand_conj(expander_t *expander, mlir_value_t **out_results) {
  mlir_value_t *x = expander->op->operands[0];
  if (!tensor_dtype_is_complex(x->type->shape.dtype)) {
    out_results[0] = x;
    return NULL;
  }
  const mlir_type_t *part = part_type(expander, x->type);
  mlir_value_t *parts[] = {
      expand_emit_unary(expander, "stablehlo.real", x, part),
      expand_emit_unary(expander, "stablehlo.negate",
                        expand_emit_unary(expander, "stablehlo.imag", x, part), part)};
  out_results[0] =
      &expand_emit(expander, "stablehlo.complex", 2, parts, x->type)->results[0];
  return NULL;
}

static bool has_infinity(tensor_dtype_t dtype) {
  unsigned char element[16] = {0};
  tensor_element_from_double(dtype, (double)INFINITY, element);
  return isinf(tensor_element_as_double(dtype, element)) != 0;
}

// |x|, x or -x compared with infinity; without one the constant that stands for it is the
// largest number or NaN.
static pod_status_t expand_is_inf(expander_t *expander, mlir_value_t **out_results) {
  mlir_value_t *x = expander->op->operands[0];
  if (!tensor_dtype_is_float(x->type->shape.dtype)) {
    return mlir_op_error(expander->module, expander->op, POD_INVALID_ARGUMENT,
                         "takes floats");
  }
  if (expander->op->kind == KIND_CHLO_IS_INF) {
    x = expand_emit_unary(expander, "stablehlo.abs", x, x->type);
  } else if (expander->op->kind == KIND_CHLO_IS_NEG_INF) {
    x = expand_emit_unary(expander, "stablehlo.negate", x, x->type);
  }
  const bool can_be = has_infinity(x->type->shape.dtype);
  out_results[0] =
      can_be ? emit_compare(expander, x,
                            expand_emit_splat(expander, x->type, (double)INFINITY), "EQ")
             : expand_emit_splat(expander, expander->op->results[0].type, 0);
  return NULL;
}

// --- Checks ---

// check.expect_eq_const %x, dense<…>
static pod_status_t expand_check_const(expander_t *expander, mlir_value_t **out_results) {
  (void)out_results;
  const mlir_op_t *op = expander->op;
  const mlir_attr_t *value = mlir_op_attr(op, "value");
  if (!mlir_attr_is(value, MLIR_ATTR_DENSE) || op->operand_count != 1) {
    return mlir_op_error(expander->module, op, POD_INVALID_ARGUMENT,
                         "takes a value and dense<…> of its type");
  }
  mlir_op_t *constant = expand_emit(expander, "stablehlo.constant", 0, NULL, value->type);
  expand_set_attr(expander, constant, "value", value);
  mlir_value_t *operands[] = {op->operands[0], &constant->results[0]};
  const char *name =
      mlir_intern_n(expander->module, op->name, strlen(op->name) - strlen("_const"));
  mlir_op_t *check = expand_emit(expander, name, 2, operands, NULL);
  const mlir_attr_t *tolerance = mlir_op_attr(op, "tolerance");
  if (tolerance != NULL) {
    expand_set_attr(expander, check, "tolerance", tolerance);
  }
  return NULL;
}

// --- Older forms ---

// Contracts the last dimension of the left with the first of the right side.
static pod_status_t expand_dot(expander_t *expander, mlir_value_t **out_results) {
  const mlir_op_t *op = expander->op;
  const int rank = op->operands[0]->type->shape.rank;
  mlir_op_t *dot = expand_emit(expander, "stablehlo.dot_general", 2, op->operands,
                               op->results[0].type);
  const int64_t last = rank - 1, first = 0;
  const stablehlo_dot_t dims = {.lhs_contracting = {1, &last},
                                .rhs_contracting = {1, &first}};
  expand_set_attr(expander, dot, "dot_dimension_numbers",
                  stablehlo_make_dot(expander->module, &dims));
  const mlir_attr_t *precision = mlir_op_attr(op, "precision_config");
  if (precision != NULL) {
    expand_set_attr(expander, dot, "precision_config", precision);
  }
  out_results[0] = &dot->results[0];
  return NULL;
}

// New dimensions in front.
static pod_status_t expand_broadcast(expander_t *expander, mlir_value_t **out_results) {
  const tensor_shape_t *from = &expander->op->operands[0]->type->shape;
  const tensor_shape_t *to = &expander->op->results[0].type->shape;
  int64_t dims[TENSOR_RANK_MAX];
  for (int d = 0; d < from->rank; d++) {
    dims[d] = to->rank - from->rank + d;
  }
  out_results[0] = expand_emit_broadcast(expander, expander->op->operands[0],
                                         expander->op->results[0].type, from->rank, dims);
  return NULL;
}

// --- Tuples: only members go on ---

static pod_status_t expand_tuple_element(expander_t *expander,
                                         mlir_value_t **out_results) {
  const mlir_op_t *op = expander->op;
  const mlir_op_t *tuple = op->operands[0]->op;
  const mlir_attr_t *index = mlir_op_attr(op, "index");
  if (tuple == NULL || tuple->kind != KIND_TUPLE) {
    return mlir_op_error(expander->module, op, POD_UNIMPLEMENTED,
                         "takes from a tuple that is no stablehlo.tuple");
  }
  out_results[0] = tuple->operands[index->integer];
  return NULL;
}

// --- The pass ---

enum { ANY = -1 };

// What its operands and results may be; see kinds.def.
typedef enum values_t { VALUES_tensors, VALUES_sized, VALUES_all } values_t;

// A row of kinds.def, by its kind; `is_ours` for those that are not all zero.
typedef struct expansion_t {
  bool is_ours;
  int operand_count, result_count;  // That the operation must have; ANY: `find` looks.
  expand_fn_t expand;
  compiler_shape_fn_t rule;
  values_t values;
} expansion_t;

#define shape_none NULL
static const expansion_t expansions[KIND_COUNT] = {
#define CHECKED(id, name, syntax, rule) \
  [KIND_##id] = {true, ANY, ANY, NULL, shape_##rule, VALUES_all},
#define EXPANDED(id, name, syntax, operands, results, expand, rule, values) \
  [KIND_##id] = {true, operands, results, expand_##expand, shape_##rule, VALUES_##values},
#define BROADCASTING(id, name, syntax, made) \
  [KIND_##id] = {true, ANY, 1, expand_broadcasting, shape_broadcasting, VALUES_sized},
#include "server/compiler/dialect/kinds.def"
};

// NULL when it has no row.
static const expansion_t *find_expansion(const mlir_op_t *op) {
  const expansion_t *expansion = &expansions[op->kind];
  return expansion->is_ours ? expansion : NULL;
}

const char *expand_operation(int index) {
  static const int kinds[] = {
#define CHECKED(id, name, syntax, rule) KIND_##id,
#define EXPANDED(id, name, syntax, operands, results, expand, rule, values) KIND_##id,
#include "server/compiler/dialect/kinds.def"
  };
  return index < (int)POD_COUNT_OF(kinds) ? compiler_kind_name(kinds[index]) : NULL;
}

// What takes values as many as it gives, and perhaps a root behind them.
static bool takes_what_it_gives(const mlir_op_t *op) {
  return op->result_count > 0 &&
         op->operand_count == op->result_count + (shape_has_dynamic_root(op) ? 1 : 0);
}

// A sharding of no dimensions says nothing. JAX gives one to what the reducers of
// collectives return, in manual computations over some of the axes.
static bool constrains_scalar(const mlir_op_t *op) {
  return op->operand_count == 1 && op->result_count == 1 &&
         op->results[0].type->kind == MLIR_TYPE_TENSOR &&
         op->results[0].type->shape.rank == 0 &&
         mlir_type_equal(op->operands[0]->type, op->results[0].type);
}

static pod_status_t expand_to_operand(expander_t *expander, mlir_value_t **out_results) {
  out_results[0] = expander->op->operands[0];
  return NULL;
}

static expand_fn_t find(mlir_module_t *module, const mlir_op_t *op,
                        const expansion_t *expansion) {
  switch (op->kind) {
    case CHIP_OP_ALL_REDUCE: {
      const bool fits = op->region_count == 1 && mlir_op_block(op, 0) != NULL &&
                        op->operand_count == op->result_count;
      return fits && expand_is_ragged(module, op) ? expand_ragged : NULL;
    }
    case KIND_COLLECTIVE_REDUCE:
      return op->region_count == 1 && takes_what_it_gives(op) ? expand_collective_reduce
                                                              : NULL;
    case KIND_COLLECTIVE_BROADCAST:
      return !takes_what_it_gives(op)     ? NULL
             : shape_has_dynamic_root(op) ? expand_broadcast_from_root
                                          : expand_collective_broadcast;
    case KIND_CUSTOM_CALL:
      return expand_find_custom(op);
    case KIND_SDY_RESHARD:
    case KIND_SDY_SHARDING_CONSTRAINT:
      return constrains_scalar(op) ? expand_to_operand : NULL;
    default:
      break;
  }
  const bool fits =
      expansion != NULL &&
      (expansion->operand_count == ANY ||
       op->operand_count == expansion->operand_count) &&
      (expansion->result_count == ANY || op->result_count == expansion->result_count);
  return fits ? expansion->expand : NULL;
}

// What is made of an operation with regions or constants needs sizes that are known.
static bool are_tensors(const mlir_op_t *op, bool needs_sizes) {
  for (int i = 0; i < op->operand_count; i++) {
    const mlir_type_kind_t kind = op->operands[i]->type->kind;
    if (kind != MLIR_TYPE_TENSOR && kind != MLIR_TYPE_TUPLE) {
      return false;
    }
    if (needs_sizes && (kind != MLIR_TYPE_TENSOR ||
                        !tensor_shape_is_static(&op->operands[i]->type->shape))) {
      return false;
    }
  }
  for (int i = 0; i < op->result_count; i++) {
    const mlir_type_kind_t kind = op->results[i].type->kind;
    if (kind != MLIR_TYPE_TENSOR && kind != MLIR_TYPE_TUPLE) {
      return false;
    }
  }
  return true;
}

// Nothing takes from a tuple any more once its members have been taken. What a program
// prints on the way nobody sees.
static bool is_left_over(const mlir_op_t *op) {
  return op->kind == KIND_TUPLE || op->kind == KIND_INTERPRETER_PRINT;
}

static void remove_left_over(mlir_module_t *module) {
  if (!mlir_may_have(module, "stablehlo.tuple") &&
      !mlir_may_have(module, "interpreter.print")) {
    return;
  }
  mlir_op_t *next;
  for (mlir_op_t *op = mlir_walk_first(module->op); op != NULL; op = next) {
    next = mlir_walk_next(module->op, op);
    if (is_left_over(op)) {
      mlir_op_unlink(op);
    }
  }
}

// *inout_next is where the walk goes on: at what has been put before an operation with a
// region, because the region is gone, or has moved there.
// How the user wants the results to lie goes with them where one new operation gives all.
static void keep_sharding(mlir_module_t *module, const mlir_op_t *op,
                          const mlir_op_t *before, mlir_value_t *const *results) {
  const mlir_attr_t *sharding = mlir_op_attr(op, "sdy.sharding");
  mlir_op_t *made = op->previous == before ? NULL : op->previous;
  if (sharding == NULL || made == NULL || made->result_count != op->result_count ||
      mlir_op_attr(made, "sdy.sharding") != NULL) {
    return;
  }
  for (int i = 0; i < op->result_count; i++) {
    if (results[i] != &made->results[i]) {
      return;
    }
  }
  mlir_op_set_attr(module, made, "sdy.sharding", sharding);
}

static pod_status_t expand_one(mlir_module_t *module, mlir_replacements_t *replacements,
                               mlir_op_t *op, mlir_op_t **inout_next) {
  const bool is_scan = op->kind == KIND_CHLO_SCAN;
  const expansion_t *expansion = find_expansion(op);
  if (expansion != NULL && expansion->rule != NULL) {
    POD_TRY(expansion->values == VALUES_all
                ? compiler_check_values(module, op, expansion->rule)
                : compiler_check_types(module, op, expansion->rule));
  }
  const bool needs_sizes = expansion == NULL ? op->kind == CHIP_OP_ALL_REDUCE
                                             : expansion->values == VALUES_sized;
  const expand_fn_t expand =
      are_tensors(op, needs_sizes) ? find(module, op, expansion) : NULL;
  const bool is_asynchronous = streams_is_asynchronous(op);
  if (expand == NULL && !is_scan && !is_asynchronous) {
    return NULL;
  }
  expander_t expander = {.module = module, .op = op};
  const mlir_op_t *before = op->previous;
  const mlir_block_t *block = op->block;
  mlir_value_t **results =
      pod_arena_array(module->arena, (size_t)op->result_count, sizeof(mlir_value_t *));
  if (is_scan) {
    POD_TRY(expand_scan(module, op, replacements, results));
  } else if (is_asynchronous) {
    streams_expand(module, op, replacements, results);
  } else {
    POD_TRY(expand(&expander, results));
  }
  keep_sharding(module, op, before, results);
  for (int i = 0; i < op->result_count; i++) {
    if (results[i]->name == NULL) {
      results[i]->name = op->results[i].name;
    }
    mlir_replacements_put(replacements, &op->results[i], results[i]);
  }
  mlir_op_unlink(op);
  if (op->region_count > 0) {
    *inout_next = before == NULL ? block->first : before->next;
  }
  return NULL;
}

// JAX ends functions that custom calls name with stablehlo.return.
static void mend_return(mlir_module_t *module, const mlir_op_t *call) {
  const mlir_attr_t *called = mlir_op_attr(call, "called_computations");
  for (int64_t i = 0; mlir_attr_is(called, MLIR_ATTR_ARRAY) && i < called->count; i++) {
    mlir_op_t *function = mlir_attr_is(called->elements[i], MLIR_ATTR_SYMBOL)
                              ? mlir_module_find_symbol(module, called->elements[i]->text)
                              : NULL;
    mlir_block_t *body = function != NULL && function->region_count == 1
                             ? mlir_op_block(function, 0)
                             : NULL;
    if (body != NULL && body->last != NULL && body->last->kind == CHIP_OP_RETURN) {
      mlir_op_rename(module, body->last, "func.return");
    }
  }
}

// With sizes that are open JAX adds the shape of the result, which is the operand's or,
// of a shard, follows from its sharding.
static void drop_shape_operand(mlir_op_t *call) {
  static const char *const targets[] = {"Sharding", "SPMDFullToShardShape",
                                        "SPMDShardToFullShape"};
  static const char shardy[] = "xla.sdy.";
  const mlir_attr_t *target = mlir_op_attr(call, "call_target_name");
  if (call->operand_count != 2 || call->result_count != 1 ||
      !mlir_attr_is(target, MLIR_ATTR_STRING) ||
      mlir_op_attr(call, "indices_of_shape_operands") == NULL) {
    return;
  }
  bool is_sharding = strncmp(target->text, shardy, strlen(shardy)) == 0;
  for (size_t i = 0; i < POD_COUNT_OF(targets); i++) {
    is_sharding |= strcmp(target->text, targets[i]) == 0;
  }
  if (is_sharding) {
    call->operand_count = 1;
    mlir_op_remove_attr(call, "indices_of_shape_operands");
  }
}

// Such as !stablehlo.future<…>.
static bool takes_opaque(const mlir_op_t *op) {
  for (int i = 0; i < op->operand_count; i++) {
    if (op->operands[i]->type->kind == MLIR_TYPE_OPAQUE) {
      return true;
    }
  }
  return false;
}

// Rules about what the passes below take away, and what they need mended.
static pod_status_t check_source(mlir_module_t *module) {
  const processes_t there = processes_of(module);
  for (mlir_op_t *op = mlir_walk_first(module->op); op != NULL;
       op = mlir_walk_next(module->op, op)) {
    if (op->kind == KIND_CUSTOM_CALL) {
      mend_return(module, op);
      drop_shape_operand(op);
    }
    if (op->kind == CHIP_OP_DOT_GENERAL || op->kind == CHIP_OP_CONVOLUTION) {
      expand_promote(module, op);  // Before types are made to follow from operands.
    }
    if (processes_has_rule(op)) {
      POD_TRY(processes_check(module, op, &there));
    }
    if (streams_has_rule(op) || takes_opaque(op)) {
      POD_TRY(streams_check(module, op));
    }
  }
  return NULL;
}

// For most operations nothing is to be done.
static bool may_expand(const mlir_op_t *op) {
  return expansions[op->kind].is_ours || op->kind == CHIP_OP_ALL_REDUCE ||
         op->kind == KIND_CHLO_SCAN || op->kind == KIND_SDY_RESHARD ||
         op->kind == KIND_SDY_SHARDING_CONSTRAINT || streams_is_asynchronous(op);
}

pod_status_t compiler_expand(mlir_module_t *module) {
  signature_main(module);
  POD_TRY(check_source(module));
  tokens_of_main(module);
  POD_TRY(host_transfer_expand(module));
  tokens_remove(module);
  POD_TRY(probes_expand(module));
  POD_TRY(round_trip_import(module));
  POD_TRY(gspmd_expand(module));
  POD_TRY(parallel_expand(module));
  POD_TRY(refine_shapes(module));
  mlir_replacements_t replacements = {0};
  pod_status_t status = NULL;
  mlir_op_t *next;
  for (mlir_op_t *op = mlir_walk_first(module->op); op != NULL && status == NULL;
       op = next) {
    mlir_replacements_apply(&replacements, op);
    next = mlir_walk_next(module->op, op);
    if (op->region_count > 0) {
      expand_promote(module, op);
    }
    if (may_expand(op)) {
      status = expand_one(module, &replacements, op, &next);
    }
  }
  mlir_replacements_deinit(&replacements);
  if (status == NULL) {
    remove_left_over(module);
  }
  return status;
}
