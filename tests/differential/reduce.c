// Makes a finding small.

#include <string.h>

#include "common/base/check.h"
#include "server/compiler/dialect/kinds.h"
#include "tests/differential/differential.h"

typedef struct reducer_t {
  const generate_case_t *whole;
  pod_arena_t *arena;
  reference_t machine;  // The values of all operations of @main.
  int op_count;
  mlir_op_t **ops;  // Of @main, without its return.
  bool *is_cut;     // Its results become arguments.
  bool *is_needed;
} reducer_t;

static int place_of(const reducer_t *reducer, const mlir_op_t *op) {
  for (int i = 0; i < reducer->op_count; i++) {
    if (reducer->ops[i] == op) {
      return i;
    }
  }
  return -1;
}

static const mlir_block_t *main_of(const generate_case_t *generated) {
  return mlir_op_block(mlir_module_find_symbol(generated->module, "main"), 0);
}

// The values from outside that an operation and its regions read.
static void for_each_operand(const mlir_op_t *op, void (*visit)(void *, mlir_value_t *),
                             void *context) {
  for (int i = 0; i < op->operand_count; i++) {
    visit(context, op->operands[i]);
  }
  for (int i = 0; i < op->region_count; i++) {
    for (const mlir_block_t *block = op->regions[i].first; block != NULL;
         block = block->next) {
      for (const mlir_op_t *inner = block->first; inner != NULL; inner = inner->next) {
        for_each_operand(inner, visit, context);
      }
    }
  }
}

static void mark(void *context, mlir_value_t *value) {
  reducer_t *reducer = context;
  const int at = value->op != NULL ? place_of(reducer, value->op) : -1;
  if (at >= 0 && !reducer->is_needed[at]) {
    reducer->is_needed[at] = true;
    if (!reducer->is_cut[at]) {
      for_each_operand(reducer->ops[at], mark, reducer);
    }
  }
}

typedef struct builder_t {
  const reducer_t *reducer;
  generate_case_t *out;
  mlir_block_t *block;
  mlir_value_t **map;  // By the id of the old value.
} builder_t;

// An argument in the place of what comes from outside or was cut.
static void provide(void *context, mlir_value_t *value) {
  builder_t *builder = context;
  const reducer_t *reducer = builder->reducer;
  const int at = value->op != NULL ? place_of(reducer, value->op) : -1;
  const bool is_outside =
      value->block == main_of(reducer->whole) || (at >= 0 && reducer->is_cut[at]);
  if (!is_outside || builder->map[value->id] != NULL) {
    return;
  }
  generate_case_t *out = builder->out;
  builder->map[value->id] = mlir_block_add_argument(
      out->module, builder->block, mlir_type_tensor(out->module, &value->type->shape));
  const reference_value_t *held = &reducer->machine.values[value->id];
  reference_value_t *argument = &out->arguments[out->argument_count++];
  *argument = *held;
  argument->data =
      pod_arena_copy(out->arena, held->data, (size_t)tensor_shape_bytes(&held->shape));
}

static generate_case_t *empty_case(const generate_case_t *whole) {
  pod_arena_t *arena = pod_arena_create();
  generate_case_t *out = pod_arena_alloc(arena, sizeof(*out));
  out->arena = arena;
  out->module = mlir_module_create("random.mlir");
  compiler_set_kinds(out->module);
  out->arguments =
      pod_arena_array(arena, whole->module->value_count, sizeof(out->arguments[0]));
  return out;
}

// Or a token, or a future.
static bool has_tuple(const mlir_op_t *op) {
  for (int i = 0; i < op->operand_count; i++) {
    if (op->operands[i]->type->kind != MLIR_TYPE_TENSOR) {
      return true;
    }
  }
  for (int i = 0; i < op->result_count; i++) {
    if (op->results[i].type->kind != MLIR_TYPE_TENSOR) {
      return true;
    }
  }
  return false;
}

// The case that computes the results of operation `target` that are known.
static generate_case_t *build(reducer_t *reducer, int target) {
  const generate_case_t *whole = reducer->whole;
  memset(reducer->is_needed, 0, (size_t)reducer->op_count * sizeof(bool));
  mark(reducer, &reducer->ops[target]->results[0]);
  generate_case_t *out = empty_case(whole);
  builder_t builder = {.reducer = reducer, .out = out};
  builder.map =
      pod_arena_array(out->arena, whole->module->value_count, sizeof(builder.map[0]));
  const mlir_block_t *top = mlir_op_block(whole->module->op, 0);
  mlir_block_t *new_top = mlir_op_block(out->module->op, 0);
  for (const mlir_op_t *op = top->first; op != NULL; op = op->next) {
    if (op != mlir_module_find_symbol(whole->module, "main")) {
      mlir_block_append(new_top, mlir_op_clone(out->module, op, builder.map));
    }
  }
  mlir_op_t *function = mlir_op_create(out->module, "func.func", 0, NULL, 0, NULL, 1);
  mlir_block_append(new_top, function);
  builder.block = mlir_block_create(out->module, &function->regions[0]);
  for (int i = 0; i <= target; i++) {
    if (reducer->is_needed[i] && !reducer->is_cut[i]) {
      for_each_operand(reducer->ops[i], provide, &builder);
      mlir_block_append(builder.block,
                        mlir_op_clone(out->module, reducer->ops[i], builder.map));
    }
  }
  mlir_value_t *results[GENERATE_RESULTS_MAX];
  for (int i = 0; i < whole->value_count; i++) {
    const generate_value_t known = whole->values[i];
    if (known.value->op == reducer->ops[target] &&
        known.value->type->kind == MLIR_TYPE_TENSOR) {
      results[out->result_count] = builder.map[known.value->id];
      out->results[out->result_count] = known;
      out->results[out->result_count].value = results[out->result_count];
      out->result_count++;
    }
  }
  generate_finish(out->module, builder.block, out->result_count, results);
  return out;
}

static generate_case_t *build_if_bad(device_t *device, reducer_t *reducer, int target) {
  generate_case_t *built = build(reducer, target);
  pod_text_t report = {0};
  const bool is_good =
      built->result_count == 0 || differential_check(device, built, &report);
  pod_text_deinit(&report);
  if (is_good) {
    generate_case_destroy(built);
    return NULL;
  }
  return built;
}

// One operation alone: what it reads is argument, or constant as it was.
static generate_case_t *one_by_one(device_t *device, reducer_t *reducer) {
  generate_case_t *found = NULL;
  for (int i = 0; i < reducer->op_count && found == NULL; i++) {
    for (int j = 0; j < reducer->op_count; j++) {
      reducer->is_cut[j] = j != i &&
                           strcmp(reducer->ops[j]->name, "stablehlo.constant") &&
                           !has_tuple(reducer->ops[j]);
    }
    if (!has_tuple(reducer->ops[i])) {
      found = build_if_bad(device, reducer, i);
    }
  }
  return found;
}

// The first that differs with all that it needs; then as much is cut as can be.
static generate_case_t *together(device_t *device, reducer_t *reducer) {
  memset(reducer->is_cut, 0, (size_t)reducer->op_count * sizeof(bool));
  generate_case_t *found = NULL;
  int target = 0;
  for (; target < reducer->op_count && found == NULL; target++) {
    found = build_if_bad(device, reducer, target);
  }
  for (int i = 0; found != NULL && i < target - 1; i++) {
    reducer->is_cut[i] = !has_tuple(reducer->ops[i]);
    generate_case_t *smaller = build_if_bad(device, reducer, target - 1);
    reducer->is_cut[i] = smaller != NULL;
    if (smaller != NULL) {
      generate_case_destroy(found);
      found = smaller;
    }
  }
  return found;
}

generate_case_t *differential_reduce(device_t *device, const generate_case_t *generated) {
  reducer_t reducer = {.whole = generated, .arena = pod_arena_create()};
  reference_value_t results[GENERATE_RESULTS_MAX];
  reference_run(generated->module, reducer.arena, generated->arguments, results,
                &reducer.machine);
  const mlir_block_t *block = main_of(generated);
  for (mlir_op_t *op = block->first; op->next != NULL; op = op->next) {
    reducer.op_count++;
  }
  const size_t count = (size_t)reducer.op_count;
  reducer.ops = pod_arena_array(reducer.arena, count, sizeof(mlir_op_t *));
  reducer.is_cut = pod_arena_array(reducer.arena, count, sizeof(bool));
  reducer.is_needed = pod_arena_array(reducer.arena, count, sizeof(bool));
  int at = 0;
  for (mlir_op_t *op = block->first; op->next != NULL; op = op->next) {
    reducer.ops[at++] = op;
  }
  generate_case_t *found = one_by_one(device, &reducer);
  if (found == NULL) {
    found = together(device, &reducer);
  }
  pod_arena_destroy(reducer.arena);
  return found;
}
