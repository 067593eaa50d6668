// Custom calls that JAX emits on CPU and TPU and that mean what other operations do.

#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/mlir/diagnostic.h"
#include "common/mlir/walk.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/kinds.h"
#include "server/compiler/dialect/memory_kind.h"
#include "server/compiler/dialect/rule.h"
#include "server/compiler/legalize/expander.h"
#include "server/compiler/legalize/refine_assertion.h"
#include "server/program/operations.h"

static const char *target_of(const mlir_op_t *op) {
  const mlir_attr_t *target = mlir_op_attr(op, "call_target_name");
  return mlir_attr_is(target, MLIR_ATTR_STRING) ? target->text : "";
}

static pod_status_t bad_call(expander_t *expander, const char *what) {
  return mlir_op_error(expander->module, expander->op, POD_INVALID_ARGUMENT,
                       "target @%s %s", target_of(expander->op), what);
}

// --- Values that stay as they are ---

// In which order a value lies in memory is no matter of its elements.
static pod_status_t keep_operands(expander_t *expander, mlir_value_t **out_results) {
  const mlir_op_t *op = expander->op;
  for (int i = 0; i < op->result_count; i++) {
    if (i >= op->operand_count ||
        !mlir_type_equal(op->operands[i]->type, op->results[i].type)) {
      return bad_call(expander, "gives other types than it takes");
    }
    out_results[i] = op->operands[i];
  }
  return NULL;
}

// --- Memories ---

// Parts of a device's memory that XLA lets be named; which part it is, is the compiler's
// choice here.
#define DEVICE_PARTS "pinned_device, device_sram and vmem"

static bool is_device_part(const char *kind) {
  return strcmp(kind, "pinned_device") == 0 || strcmp(kind, "device_sram") == 0 ||
         strcmp(kind, "vmem") == 0;
}

static pod_status_t move(expander_t *expander, const char *name,
                         mlir_value_t **out_results) {
  const mlir_op_t *op = expander->op;
  POD_TRY(keep_operands(expander, out_results));
  for (int i = 0; i < op->result_count; i++) {
    out_results[i] =
        expand_emit_unary(expander, name, op->operands[i], op->results[i].type);
  }
  return NULL;
}

static pod_status_t move_to_host(expander_t *expander, mlir_value_t **out_results) {
  return move(expander, "podium.to_host", out_results);
}

static pod_status_t move_to_device(expander_t *expander, mlir_value_t **out_results) {
  return move(expander, "podium.to_device", out_results);
}

// As JAX writes device_put to another memory.
static pod_status_t place(expander_t *expander, mlir_value_t **out_results) {
  const mlir_op_t *op = expander->op;
  const mlir_attr_t *attrs = mlir_op_attr(op, "mhlo.frontend_attributes");
  const mlir_attr_t *kind = mlir_attr_is(attrs, MLIR_ATTR_DICTIONARY)
                                ? mlir_attr_get(attrs, "_xla_buffer_placement")
                                : NULL;
  if (!mlir_attr_is(kind, MLIR_ATTR_STRING)) {
    return bad_call(expander, "has no string _xla_buffer_placement");
  }
  if (compiler_is_host_kind(kind->text)) {
    return move_to_host(expander, out_results);
  }
  if (compiler_is_memory_kind(kind->text)) {
    return move_to_device(expander, out_results);
  }
  if (is_device_part(kind->text)) {
    return keep_operands(expander, out_results);
  }
  return mlir_op_error(expander->module, op, POD_INVALID_ARGUMENT,
                       "target @%s has _xla_buffer_placement '%s', which is no memory: "
                       "there are " COMPILER_MEMORY_KINDS
                       ", and of the device's " DEVICE_PARTS,
                       target_of(op), kind->text);
}

static pod_status_t zeros(expander_t *expander, mlir_value_t **out_results) {
  for (int i = 0; i < expander->op->result_count; i++) {
    out_results[i] = expand_emit_splat(expander, expander->op->results[i].type, 0);
  }
  return NULL;
}

// The sharding of the operand is told to who compiles, with what the call is configured
// with (server/compiler/compiler.h).
static pod_status_t inspect_sharding(expander_t *expander, mlir_value_t **out_results) {
  const mlir_op_t *op = expander->op;
  POD_TRY(keep_operands(expander, out_results));
  const mlir_attr_t *tag = mlir_op_attr(op, "backend_config");
  if (op->operand_count == 1 && mlir_attr_is(tag, MLIR_ATTR_STRING)) {
    expand_set_attr(
        expander, expand_emit(expander, "podium.inspect_sharding", 1, op->operands, NULL),
        "tag", tag);
  }
  return NULL;
}

// --- Checks ---

// stablehlo.custom_call @check.expect_eq is how exported modules write check.expect_eq.
static pod_status_t check(expander_t *expander, mlir_value_t **out_results) {
  (void)out_results;
  const mlir_op_t *op = expander->op;
  expand_emit(expander, target_of(op), op->operand_count, op->operands, NULL);
  return NULL;
}

// What a program with symbolic sizes demands of them.
static pod_status_t drop(expander_t *expander, mlir_value_t **out_results) {
  (void)out_results;
  return expander->op->result_count == 0 ? NULL : bad_call(expander, "gives no results");
}

// What computes the operands stays: whoever wrote the call looks for it in the program.
static pod_status_t sink(expander_t *expander, mlir_value_t **out_results) {
  POD_TRY(drop(expander, out_results));
  const mlir_op_t *op = expander->op;
  expand_emit(expander, "podium.dce_sink", op->operand_count, op->operands, NULL);
  return NULL;
}

static pod_status_t assert_shape(expander_t *expander, mlir_value_t **out_results) {
  POD_TRY(drop(expander, out_results));
  mlir_value_t *what = expander->op->operand_count > 0 ? expander->op->operands[0] : NULL;
  const tensor_shape_t flag = tensor_shape_make(TENSOR_PRED, 0, NULL);
  if (what == NULL || !tensor_shape_equal(&what->type->shape, &flag)) {
    return bad_call(expander, "takes tensor<i1>");
  }
  bool holds;
  POD_TRY(assertion_check(expander->module, expander->op, &holds));
  if (holds) {
    return NULL;
  }
  mlir_value_t *operands[] = {what, expand_emit_splat(expander, what->type, 1)};
  expand_emit(expander, "check.expect_eq", 2, operands, NULL);
  return NULL;
}

// --- Operations under another name ---

static const struct {
  const char *target, *name;
} renamed[] = {
    {"mhlo.acos", "chlo.acos"},       {"mhlo.acosh", "chlo.acosh"},
    {"mhlo.asin", "chlo.asin"},       {"mhlo.asinh", "chlo.asinh"},
    {"mhlo.atan", "chlo.atan"},       {"mhlo.atanh", "chlo.atanh"},
    {"mhlo.cosh", "chlo.cosh"},       {"mhlo.erf", "chlo.erf"},
    {"mhlo.erf_inv", "chlo.erf_inv"}, {"mhlo.sinh", "chlo.sinh"},
    {"mhlo.tan", "stablehlo.tan"},
};

static pod_status_t rename_call(expander_t *expander, mlir_value_t **out_results) {
  const mlir_op_t *op = expander->op;
  for (size_t i = 0; i < POD_COUNT_OF(renamed); i++) {
    if (strcmp(target_of(op), renamed[i].target) == 0 && op->operand_count == 1 &&
        op->result_count == 1) {
      out_results[0] = expand_emit_unary(expander, renamed[i].name, op->operands[0],
                                         op->results[0].type);
      return NULL;
    }
  }
  return bad_call(expander, "takes and gives one value");
}

// --- The largest ---

static void emit_top_k_of(expander_t *expander, mlir_value_t *from,
                          mlir_value_t **out_results) {
  mlir_module_t *module = expander->module;
  const mlir_op_t *op = expander->op;
  const tensor_shape_t *values = &op->results[0].type->shape;
  const mlir_type_t *types[] = {op->results[0].type, op->results[1].type};
  mlir_op_t *top =
      mlir_op_create(module, mlir_intern(module, "chlo.top_k"), 1, &from, 2, types, 0);
  top->position = op->position;
  top->location = op->location;
  expand_set_attr(expander, top, "k",
                  mlir_attr_integer(module, values->dims[values->rank - 1], TENSOR_S64));
  mlir_block_insert_before(expander->op, top);
  out_results[0] = &top->results[0];
  out_results[1] = &top->results[1];
}

static pod_status_t check_top_k(expander_t *expander) {
  const mlir_op_t *op = expander->op;
  if (op->operand_count < 1 || op->result_count != 2 ||
      op->results[0].type->shape.rank < 1) {
    return bad_call(expander, "takes an array and gives values and indices");
  }
  return NULL;
}

static pod_status_t emit_top_k(expander_t *expander, mlir_value_t **out_results) {
  POD_TRY(check_top_k(expander));
  emit_top_k_of(expander, expander->op->operands[0], out_results);
  return NULL;
}

// What turns the order of top_k round, floats by their total order.
static mlir_value_t *reversed(expander_t *expander, mlir_value_t *value) {
  const bool is_float = tensor_dtype_is_float(value->type->shape.dtype);
  return expand_emit_unary(expander, is_float ? "stablehlo.negate" : "stablehlo.not",
                           value, value->type);
}

static pod_status_t top_k(expander_t *expander, mlir_value_t **out_results) {
  const mlir_attr_t *attrs = mlir_op_attr(expander->op, "mhlo.attributes");
  const mlir_attr_t *largest =
      mlir_attr_is(attrs, MLIR_ATTR_DICTIONARY) ? mlir_attr_get(attrs, "largest") : NULL;
  if (!mlir_attr_is(largest, MLIR_ATTR_BOOL) || largest->integer != 0) {
    return emit_top_k(expander, out_results);
  }
  POD_TRY(check_top_k(expander));
  mlir_value_t *from = reversed(expander, expander->op->operands[0]);
  emit_top_k_of(expander, from, out_results);
  out_results[0] = reversed(expander, out_results[0]);
  return NULL;
}

// The function that a call names, as a region of `op`, which ends with stablehlo.return.
static pod_status_t take_function(expander_t *expander, mlir_op_t *op, int arguments) {
  mlir_module_t *module = expander->module;
  const mlir_attr_t *called = mlir_op_attr(expander->op, "called_computations");
  const mlir_op_t *function =
      mlir_attr_is(called, MLIR_ATTR_ARRAY) && called->count == 1 &&
              mlir_attr_is(called->elements[0], MLIR_ATTR_SYMBOL)
          ? mlir_module_find_symbol(module, called->elements[0]->text)
          : NULL;
  const mlir_block_t *body =
      function != NULL && function->region_count == 1 ? mlir_op_block(function, 0) : NULL;
  if (body == NULL || body->last == NULL || body->next != NULL ||
      body->argument_count != arguments) {
    return bad_call(expander, "needs 'called_computations', a function of its elements");
  }
  mlir_value_t **values =
      pod_arena_array(module->arena, module->value_count, sizeof(values[0]));
  mlir_op_t *copy = mlir_op_clone(module, function, values);
  mlir_walk_move_region(&copy->regions[0], &op->regions[0]);
  mlir_op_t *end = mlir_op_block(op, 0)->last;
  mlir_op_t *fresh = mlir_op_create(module, mlir_intern(module, "stablehlo.return"),
                                    end->operand_count, end->operands, 0, NULL, 0);
  fresh->position = end->position;
  fresh->location = end->location;
  mlir_block_insert_before(end, fresh);
  mlir_op_unlink(end);
  return NULL;
}

static int64_t config_i64(const mlir_op_t *op, const char *name, int64_t otherwise) {
  const mlir_attr_t *config = mlir_op_attr(op, "mhlo.backend_config");
  if (!mlir_attr_is(config, MLIR_ATTR_DICTIONARY)) {
    config = mlir_op_attr(op, "backend_config");
  }
  const mlir_attr_t *value =
      mlir_attr_is(config, MLIR_ATTR_DICTIONARY) ? mlir_attr_get(config, name) : NULL;
  return mlir_attr_is(value, MLIR_ATTR_INTEGER) ? value->integer : otherwise;
}

// Exact where an approximation would do: sorts values and indices by the function that
// the call names, and takes as many as it gives.
static pod_status_t approximate_top_k(expander_t *expander, mlir_value_t **out_results) {
  mlir_module_t *module = expander->module;
  const mlir_op_t *op = expander->op;
  const int count = op->result_count;
  if (count < 1 || op->operand_count < count) {
    return bad_call(expander, "takes as many arrays as it gives");
  }
  const tensor_shape_t *from = &op->operands[0]->type->shape;
  const tensor_shape_t *to = &op->results[0].type->shape;
  const int64_t dim = config_i64(op, "reduction_dim", -1);
  if (from->rank != to->rank || dim < 0 || dim >= from->rank ||
      to->dims[dim] > from->dims[dim]) {
    return bad_call(expander, "needs 'reduction_dim', and gives no more than it takes");
  }
  const mlir_type_t **types =
      pod_arena_array(module->arena, (size_t)count, sizeof(types[0]));
  int64_t starts[TENSOR_RANK_MAX] = {0}, strides[TENSOR_RANK_MAX];
  for (int d = 0; d < from->rank; d++) {
    strides[d] = 1;
  }
  for (int i = 0; i < count; i++) {
    types[i] = op->operands[i]->type;
  }
  mlir_op_t *sort = mlir_op_create(module, mlir_intern(module, "stablehlo.sort"), count,
                                   op->operands, count, types, 1);
  sort->position = op->position;
  sort->location = op->location;
  expand_set_attr(expander, sort, "dimension",
                  mlir_attr_integer(module, dim, TENSOR_S64));
  expand_set_attr(expander, sort, "is_stable", mlir_attr_bool(module, true));
  POD_TRY(take_function(expander, sort, 2 * count));
  mlir_block_insert_before(expander->op, sort);
  for (int i = 0; i < count; i++) {
    mlir_value_t *sorted = &sort->results[i];
    mlir_op_t *slice =
        expand_emit(expander, "stablehlo.slice", 1, &sorted, op->results[i].type);
    expand_set_attr(expander, slice, "start_indices",
                    mlir_attr_i64_array(module, to->rank, starts));
    expand_set_attr(expander, slice, "limit_indices",
                    mlir_attr_i64_array(module, to->rank, to->dims));
    expand_set_attr(expander, slice, "strides",
                    mlir_attr_i64_array(module, to->rank, strides));
    out_results[i] = &slice->results[0];
  }
  return NULL;
}

// --- Operations whose attributes are operands ---

static pod_status_t dynamic_random_bits(expander_t *expander,
                                        mlir_value_t **out_results) {
  mlir_module_t *module = expander->module;
  const mlir_op_t *op = expander->op;
  if (op->operand_count < 1 || op->result_count != 2) {
    return bad_call(expander, "takes a state and a shape and gives a state and bits");
  }
  const mlir_type_t *types[] = {op->results[0].type, op->results[1].type};
  mlir_op_t *bits =
      mlir_op_create(module, mlir_intern(module, "stablehlo.rng_bit_generator"), 1,
                     op->operands, 2, types, 0);
  bits->position = op->position;
  bits->location = op->location;
  const mlir_attr_t *algorithm = mlir_op_attr(op, "rng_algorithm");
  expand_set_attr(expander, bits, "rng_algorithm",
                  algorithm != NULL
                      ? algorithm
                      : stablehlo_make_enum(module, bits, "rng_algorithm", "DEFAULT"));
  mlir_block_insert_before(expander->op, bits);
  out_results[0] = &bits->results[0];
  out_results[1] = &bits->results[1];
  return NULL;
}

// Inputs, initial values, and five lists: sizes, strides, base and window dilations,
// padding.
static pod_status_t dynamic_reduce_window(expander_t *expander,
                                          mlir_value_t **out_results) {
  static const char *const names[] = {"window_dimensions", "window_strides",
                                      "base_dilations", "window_dilations"};
  mlir_module_t *module = expander->module;
  const mlir_op_t *op = expander->op;
  const int count = op->result_count;
  if (count < 1 || op->operand_count < 2 * count + 5) {
    return bad_call(expander, "takes inputs, initial values and five lists");
  }
  const int64_t rank = op->operands[0]->type->shape.rank;
  const mlir_type_t **types =
      pod_arena_array(module->arena, (size_t)count, sizeof(types[0]));
  for (int i = 0; i < count; i++) {
    types[i] = op->results[i].type;
  }
  mlir_op_t *window =
      mlir_op_create(module, mlir_intern(module, "stablehlo.reduce_window"), 2 * count,
                     op->operands, count, types, 1);
  window->position = op->position;
  window->location = op->location;
  const int64_t *values;
  for (int i = 0; i < 4; i++) {
    POD_TRY(expand_constant_operand(expander, 2 * count + i, rank, &values));
    expand_set_attr(expander, window, names[i],
                    mlir_attr_i64_array(module, rank, values));
  }
  POD_TRY(expand_constant_operand(expander, 2 * count + 4, 2 * rank, &values));
  const tensor_shape_t shape =
      tensor_shape_make(TENSOR_S64, 2, (const int64_t[]){rank, 2});
  expand_set_attr(expander, window, "padding",
                  mlir_attr_dense(module, &shape, values, false));
  POD_TRY(take_function(expander, window, 2 * count));
  mlir_block_insert_before(expander->op, window);
  for (int i = 0; i < count; i++) {
    out_results[i] = &window->results[i];
  }
  return NULL;
}

// --- Kernels of the user's ---

// The number behind "name = " or "name = [", or `otherwise`.
static int64_t number_behind(const char *text, const char *name, int64_t otherwise) {
  const char *at = strstr(text, name);
  at = at == NULL ? NULL : at + strlen(name) + strspn(at + strlen(name), " =[");
  char *end;
  const long long number = at == NULL ? 0 : strtoll(at, &end, 10);
  return at == NULL || end == at ? otherwise : number;
}

// Which result takes the memory of which operand, as pairs; what does not fit is left
// out, because that two share their memory is no more than a wish.
static const mlir_attr_t *aliases_of(expander_t *expander) {
  const mlir_op_t *call = expander->op;
  const mlir_attr_t *list = mlir_op_attr(call, "output_operand_aliases");
  if (!mlir_attr_is(list, MLIR_ATTR_ARRAY) || list->count == 0) {
    return NULL;
  }
  int64_t *pairs =
      pod_arena_array(expander->module->arena, 2 * (size_t)list->count, sizeof(*pairs));
  int64_t count = 0;
  for (int64_t i = 0; i < list->count; i++) {
    const mlir_attr_t *alias = list->elements[i];
    if (!mlir_attr_is(alias, MLIR_ATTR_DIALECT) || alias->body == NULL) {
      continue;
    }
    const int64_t operand = number_behind(alias->body, "operand_index", -1);
    const int64_t result = number_behind(alias->body, "output_tuple_indices", 0);
    if (operand >= 0 && operand < call->operand_count && result >= 0 &&
        result < call->result_count) {
      pairs[count++] = operand;
      pairs[count++] = result;
    }
  }
  return mlir_attr_i64_array(expander->module, count, pairs);
}

// Timed, not computed: what there is to know of it stays with it
// (server/compiler/pallas).
static pod_status_t kernel(expander_t *expander, mlir_value_t **out_results) {
  static const char *const kept[] = {"backend_config", "kernel_name", COMPILER_RULE_ATTR,
                                     "sdy.sharding"};
  mlir_module_t *module = expander->module;
  const mlir_op_t *call = expander->op;
  const mlir_type_t **types =
      pod_arena_array(module->arena, (size_t)call->result_count, sizeof(*types));
  for (int i = 0; i < call->result_count; i++) {
    types[i] = call->results[i].type;
  }
  mlir_op_t *op =
      mlir_op_create(module, mlir_intern(module, "podium.kernel"), call->operand_count,
                     call->operands, call->result_count, types, 0);
  op->position = call->position;
  op->location = call->location;
  for (size_t i = 0; i < POD_COUNT_OF(kept); i++) {
    const mlir_attr_t *attr = mlir_op_attr(call, kept[i]);
    if (attr != NULL) {
      expand_set_attr(expander, op, kept[i], attr);
    }
  }
  const mlir_attr_t *aliases = aliases_of(expander);
  if (aliases != NULL) {
    expand_set_attr(expander, op, "aliases", aliases);
  }
  mlir_block_insert_before(expander->op, op);
  for (int i = 0; i < call->result_count; i++) {
    out_results[i] = &op->results[i];
  }
  return NULL;
}

// A call that nothing here can compute, of which the user says how it can be cut: timed
// by its name and arrays alone.
static pod_status_t ruled_call(expander_t *expander, mlir_value_t **out_results) {
  POD_TRY(kernel(expander, out_results));
  mlir_op_t *op = expander->op->previous;
  mlir_op_remove_attr(op, "backend_config");
  expand_set_attr(expander, op, "call_target_name",
                  mlir_op_attr(expander->op, "call_target_name"));
  return NULL;
}

// --- The table ---

static const struct {
  const char *target;
  expand_fn_t expand;
} targets[] = {
    {"AllocateBuffer", zeros},  // Of any values.
    {"ApproxTopK", approximate_top_k},
    {"Eigh", expand_eigh},
    {"InspectSharding", inspect_sharding},
    {"LayoutConstraint", keep_operands},
    {"LuDecomposition", expand_decomposition},
    {"MoveToDevice", move_to_device},
    {"MoveToHost", move_to_host},
    {"PartialReduce", approximate_top_k},
    {"ProductOfElementaryHouseholderReflectors", expand_decomposition},
    {"Qr", expand_decomposition},
    {"annotate_device_placement", place},
    {"dce_sink", sink},
    {"mhlo.topk", top_k},
    {"ragged_all_to_all", expand_ragged_all_to_all},
    {"shape_assertion", assert_shape},
    {"stablehlo.dynamic_approx_top_k", approximate_top_k},
    {"stablehlo.dynamic_reduce_window", dynamic_reduce_window},
    {"stablehlo.dynamic_rng_bit_generator", dynamic_random_bits},
    {"stablehlo.dynamic_top_k", emit_top_k},
    {"tpu_custom_call", kernel},
};

const char *expand_custom_target(int index) {
  const int count = (int)POD_COUNT_OF(targets), more = (int)POD_COUNT_OF(renamed);
  return index < count          ? targets[index].target
         : index < count + more ? renamed[index - count].target
                                : NULL;
}

static bool is_static(const mlir_op_t *op) {
  for (int i = 0; i < op->operand_count + op->result_count; i++) {
    const mlir_type_t *type = i < op->operand_count
                                  ? op->operands[i]->type
                                  : op->results[i - op->operand_count].type;
    if (type->kind != MLIR_TYPE_TENSOR || !tensor_shape_is_static(&type->shape)) {
      return false;
    }
  }
  return true;
}

bool expand_keeps_operands(const mlir_op_t *op) {
  if (op->kind != KIND_CUSTOM_CALL || op->operand_count < 1) {
    return false;
  }
  for (size_t i = 0; i < POD_COUNT_OF(targets); i++) {
    if (strcmp(target_of(op), targets[i].target) == 0) {
      const expand_fn_t expand = targets[i].expand;
      return expand == keep_operands || expand == place || expand == move_to_host ||
             expand == move_to_device;
    }
  }
  return false;
}

expand_fn_t expand_find_custom(const mlir_op_t *op) {
  const char *target = target_of(op);
  if (!is_static(op)) {
    return NULL;
  }
  if (strncmp(target, "check.", strlen("check.")) == 0 &&
      chip_op_find(target) != CHIP_OP_INVALID) {
    return op->result_count == 0 ? check : NULL;
  }
  for (size_t i = 0; i < POD_COUNT_OF(targets); i++) {
    if (strcmp(target, targets[i].target) == 0) {
      return targets[i].expand;
    }
  }
  for (size_t i = 0; i < POD_COUNT_OF(renamed); i++) {
    if (strcmp(target, renamed[i].target) == 0) {
      return rename_call;
    }
  }
  // Another platform's own are better said to be that.
  const bool is_ruled = mlir_op_attr(op, COMPILER_RULE_ATTR) != NULL &&
                        strncmp(target, "lapack_", strlen("lapack_")) != 0;
  return is_ruled ? ruled_call : expand_find_lapack(op, target);
}
