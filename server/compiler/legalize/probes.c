// A probe in a loop is carried out of it: the loop's state gets the iteration's number
// and the value of the iteration asked for.

#include "server/compiler/legalize/probes.h"
#include "server/compiler/dialect/kinds.h"

#include <inttypes.h>
#include <string.h>

#include "common/mlir/diagnostic.h"
#include "common/mlir/replacements.h"
#include "common/mlir/walk.h"
#include "server/compiler/dialect/attributes.h"

enum { LOOPS_MAX = 64 };

// What loops carry for one check: how often the probe has been passed, and what it was
// the time that counts.
enum { PASSED, KEPT, CARRIED };

typedef struct prober_t {
  mlir_module_t *module;
  mlir_op_t *check, *probe;
  mlir_replacements_t replacements;
} prober_t;

static const char *probe_id(const mlir_op_t *op) {
  const mlir_attr_t *id = mlir_op_attr(op, "probe_id");
  return mlir_attr_is(id, MLIR_ATTR_STRING) ? id->text : "";
}

static mlir_op_t *find_probe(const mlir_op_t *function, const char *id) {
  for (mlir_op_t *op = mlir_walk_first(function); op != NULL;
       op = mlir_walk_next(function, op)) {
    if (op->kind == KIND_INTERPRETER_PROBE && strcmp(probe_id(op), id) == 0) {
      return op;
    }
  }
  return NULL;
}

// --- Making operations ---

static mlir_value_t *put(prober_t *prober, mlir_op_t *where, const char *name, int count,
                         mlir_value_t *const *operands, const mlir_type_t *type) {
  mlir_op_t *op = mlir_op_create(prober->module, mlir_intern(prober->module, name), count,
                                 operands, 1, &type, 0);
  op->position = prober->check->position;
  op->location = prober->check->location;
  mlir_block_insert_before(where, op);
  return &op->results[0];
}

static mlir_value_t *put_splat(prober_t *prober, mlir_op_t *where,
                               const mlir_type_t *type, int64_t value) {
  mlir_value_t *constant = put(prober, where, "stablehlo.constant", 0, NULL, type);
  unsigned char element[16] = {0};
  tensor_element_from_int64(type->shape.dtype, value, element);
  mlir_op_set_attr(prober->module, constant->op, mlir_intern(prober->module, "value"),
                   mlir_attr_dense(prober->module, &type->shape, element, true));
  return constant;
}

static mlir_value_t *put_compare(prober_t *prober, mlir_op_t *where, mlir_value_t *a,
                                 mlir_value_t *b, const char *direction) {
  const tensor_shape_t flag = tensor_shape_make(TENSOR_PRED, 0, NULL);
  mlir_value_t *operands[] = {a, b};
  mlir_value_t *compare = put(prober, where, "stablehlo.compare", 2, operands,
                              mlir_type_tensor(prober->module, &flag));
  mlir_op_set_attr(prober->module, compare->op,
                   mlir_intern(prober->module, "comparison_direction"),
                   stablehlo_make_enum(prober->module, compare->op,
                                       "comparison_direction", direction));
  return compare;
}

static void put_check(prober_t *prober, mlir_value_t *a, mlir_value_t *b) {
  mlir_value_t *operands[] = {a, b};
  mlir_op_t *op =
      mlir_op_create(prober->module, mlir_intern(prober->module, "check.expect_eq"), 2,
                     operands, 0, NULL, 0);
  op->position = prober->check->position;
  op->location = prober->check->location;
  mlir_block_insert_before(prober->check, op);
}

// --- Loops ---

// The same operation with more operands.
static void add_operands(prober_t *prober, mlir_op_t *op, mlir_value_t *const *more) {
  mlir_value_t **operands = pod_arena_array(
      prober->module->arena, (size_t)op->operand_count + CARRIED, sizeof(operands[0]));
  for (int i = 0; i < op->operand_count; i++) {
    operands[i] = op->operands[i];
  }
  for (int i = 0; i < CARRIED; i++) {
    operands[op->operand_count + i] = more[i];
  }
  op->operands = operands;
  op->operand_count += CARRIED;
}

// A loop that carries more. inout_carried: from their values before it to those that its
// body starts with; out_results: what they are behind it.
static mlir_op_t *extend_loop(prober_t *prober, mlir_op_t *loop,
                              mlir_value_t **inout_carried, mlir_value_t **out_results) {
  mlir_module_t *module = prober->module;
  const mlir_type_t **types = pod_arena_array(
      module->arena, (size_t)loop->result_count + CARRIED, sizeof(types[0]));
  for (int i = 0; i < loop->result_count; i++) {
    types[i] = loop->results[i].type;
  }
  for (int i = 0; i < CARRIED; i++) {
    types[loop->result_count + i] = inout_carried[i]->type;
  }
  mlir_op_t *fresh =
      mlir_op_create(module, loop->name, loop->operand_count, loop->operands,
                     loop->result_count + CARRIED, types, loop->region_count);
  add_operands(prober, fresh, inout_carried);
  fresh->position = loop->position;
  fresh->location = loop->location;
  for (int i = 0; i < loop->attr_count; i++) {
    mlir_op_add_attr(module, fresh, loop->attrs[i].name, loop->attrs[i].value);
  }
  for (int r = 0; r < loop->region_count; r++) {
    mlir_walk_move_region(&loop->regions[r], &fresh->regions[r]);
    mlir_block_t *block = mlir_op_block(fresh, r);
    for (int i = 0; i < CARRIED; i++) {
      mlir_value_t *argument =
          mlir_block_add_argument(module, block, types[loop->result_count + i]);
      inout_carried[i] = r == 1 ? argument : inout_carried[i];
    }
  }
  for (int i = 0; i < loop->result_count; i++) {
    fresh->results[i].name = loop->results[i].name;
    mlir_replacements_put(&prober->replacements, &loop->results[i], &fresh->results[i]);
  }
  for (int i = 0; i < CARRIED; i++) {
    out_results[i] = &fresh->results[loop->result_count + i];
  }
  mlir_block_insert_before(loop, fresh);
  mlir_op_unlink(loop);
  return fresh;
}

// The loops around the probe, the outermost first.
static pod_status_t find_loops(prober_t *prober, const mlir_op_t *function,
                               mlir_op_t **loops, int *out_count) {
  int count = 0;
  for (mlir_op_t *op = walk_parent(prober->probe); op != function; op = walk_parent(op)) {
    if (op->kind != CHIP_OP_WHILE || op->region_count != 2 ||
        mlir_op_block(op, 0) == NULL || mlir_op_block(op, 1) == NULL ||
        mlir_op_block(op, 1)->last == NULL || op->operand_count != op->result_count ||
        count == LOOPS_MAX) {
      return mlir_op_error(prober->module, prober->probe, POD_UNIMPLEMENTED,
                           "a probe can only stand in functions and in loops");
    }
    loops[count++] = op;
  }
  for (int i = 0; i < count / 2; i++) {
    mlir_op_t *other = loops[i];
    loops[i] = loops[count - 1 - i];
    loops[count - 1 - i] = other;
  }
  *out_count = count;
  return NULL;
}

static void carry(prober_t *prober, int count, mlir_op_t **loops, int64_t iteration,
                  mlir_value_t **out_carried) {
  const tensor_shape_t number = tensor_shape_make(TENSOR_S64, 0, NULL);
  const mlir_type_t *index = mlir_type_tensor(prober->module, &number);
  mlir_value_t *probed = prober->probe->operands[0];
  mlir_value_t *carried[CARRIED] = {
      [PASSED] = put_splat(prober, loops[0], index, 0),
      [KEPT] = put_splat(prober, loops[0], probed->type, 0)};
  mlir_value_t *results[LOOPS_MAX][CARRIED];
  for (int i = 0; i < count; i++) {
    loops[i] = extend_loop(prober, loops[i], carried, results[i]);
  }
  mlir_op_t *probe = prober->probe;
  mlir_value_t *now = put_compare(prober, probe, carried[PASSED],
                                  put_splat(prober, probe, index, iteration), "EQ");
  mlir_value_t *choice[] = {now, probed, carried[KEPT]};
  carried[KEPT] = put(prober, probe, "stablehlo.select", 3, choice, probed->type);
  mlir_value_t *sum[] = {carried[PASSED], put_splat(prober, probe, index, 1)};
  carried[PASSED] = put(prober, probe, "stablehlo.add", 2, sum, index);
  for (int i = count - 1; i >= 0; i--) {
    add_operands(prober, mlir_op_block(loops[i], 1)->last,
                 i == count - 1 ? carried : results[i + 1]);
  }
  memcpy(out_carried, results[0], sizeof(results[0]));
}

// --- Checks ---

// Whether the check comes after `op`, which stands in its block.
static bool comes_after(const mlir_op_t *check, const mlir_op_t *op) {
  while (op != NULL && op != check) {
    op = op->next;
  }
  return op != NULL;
}

static pod_status_t expand_check(prober_t *prober, const mlir_op_t *function) {
  mlir_module_t *module = prober->module;
  mlir_op_t *check = prober->check;
  const mlir_attr_t *iter = mlir_op_attr(check, "iteration");
  const int64_t iteration = mlir_attr_is(iter, MLIR_ATTR_INTEGER) ? iter->integer : 0;
  prober->probe = find_probe(function, probe_id(check));
  if (check->operand_count != 1 || walk_parent(check) != function ||
      prober->probe == NULL || prober->probe->operand_count != 1 ||
      prober->probe->operands[0]->type->kind != MLIR_TYPE_TENSOR ||
      !tensor_shape_is_static(&prober->probe->operands[0]->type->shape) ||
      !mlir_type_equal(check->operands[0]->type, prober->probe->operands[0]->type)) {
    return mlir_op_error(module, check, POD_INVALID_ARGUMENT,
                         "needs an operand of the type of probe \"%s\", which stands in "
                         "the same function",
                         probe_id(check));
  }
  mlir_op_t *loops[LOOPS_MAX];
  int count = 0;
  POD_TRY(find_loops(prober, function, loops, &count));
  if (!comes_after(check, count == 0 ? prober->probe : loops[0])) {
    return mlir_op_error(module, check, POD_INVALID_ARGUMENT,
                         "stands before the probe that it checks");
  }
  if (count == 0) {
    if (iteration != 0) {
      return mlir_op_error(module, check, POD_INVALID_ARGUMENT,
                           "asks for iteration %" PRId64 " of a probe in no loop",
                           iteration);
    }
    put_check(prober, check->operands[0], &prober->probe->results[0]);
    return NULL;
  }
  mlir_value_t *carried[CARRIED];
  carry(prober, count, loops, iteration, carried);
  put_check(prober, check->operands[0], carried[KEPT]);
  mlir_value_t *was_passed =
      put_compare(prober, check, carried[PASSED],
                  put_splat(prober, check, carried[PASSED]->type, iteration), "GT");
  put_check(prober, was_passed, put_splat(prober, check, was_passed->type, 1));
  return NULL;
}

static pod_status_t expand_function(prober_t *prober, const mlir_op_t *function) {
  mlir_op_t *next;
  for (mlir_op_t *op = mlir_walk_first(function); op != NULL; op = next) {
    mlir_replacements_apply(&prober->replacements, op);
    next = mlir_walk_next(function, op);
    if (op->kind == KIND_CHECK_EXPECT_SERIALIZED_EQ) {
      prober->check = op;
      POD_TRY(expand_check(prober, function));
      mlir_op_unlink(op);
    }
  }
  for (mlir_op_t *op = mlir_walk_first(function); op != NULL; op = next) {
    mlir_replacements_apply(&prober->replacements, op);
    next = mlir_walk_next(function, op);
    if (op->kind == KIND_INTERPRETER_PROBE && op->operand_count == 1 &&
        op->result_count == 1) {
      mlir_replacements_put(&prober->replacements, &op->results[0], op->operands[0]);
      mlir_op_unlink(op);
    }
  }
  return NULL;
}

static bool has_probes(const mlir_module_t *module) {
  if (!mlir_may_have(module, "interpreter.probe") &&
      !mlir_may_have(module, "check.expect_serialized_eq")) {
    return false;
  }
  for (mlir_op_t *op = mlir_walk_first(module->op); op != NULL;
       op = mlir_walk_next(module->op, op)) {
    if (op->kind == KIND_INTERPRETER_PROBE ||
        op->kind == KIND_CHECK_EXPECT_SERIALIZED_EQ) {
      return true;
    }
  }
  return false;
}

pod_status_t probes_expand(mlir_module_t *module) {
  if (!has_probes(module)) {
    return NULL;
  }
  prober_t prober = {.module = module};
  pod_status_t status = NULL;
  const mlir_block_t *body = mlir_op_block(module->op, 0);
  for (mlir_op_t *op = body->first; op != NULL && status == NULL; op = op->next) {
    if (op->region_count == 1 && op->kind == KIND_FUNC) {
      status = expand_function(&prober, op);
    }
  }
  mlir_replacements_deinit(&prober.replacements);
  return status;
}
