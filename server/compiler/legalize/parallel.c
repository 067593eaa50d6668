// Every cell's program is a function; @main becomes one SPMD program in which a chip
// takes its cell's operands by partition_id and, where programs differ, a case over it.

#include "server/compiler/legalize/parallel.h"
#include "server/compiler/dialect/kinds.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/check.h"
#include "common/mlir/diagnostic.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/legalize/grid.h"

// --- Making operations ---

mlir_op_t *grid_make(grid_t *grid, const mlir_op_t *place, const char *name,
                     int operand_count, mlir_value_t *const *operands, int result_count,
                     const mlir_type_t *const *types, int region_count) {
  mlir_op_t *op =
      mlir_op_create(grid->module, mlir_intern(grid->module, name), operand_count,
                     operands, result_count, types, region_count);
  op->position = place->position;
  op->location = place->location;
  return op;
}

const mlir_type_t *grid_scalar(grid_t *grid, tensor_dtype_t dtype) {
  const tensor_shape_t scalar = tensor_shape_make(dtype, 0, NULL);
  return mlir_type_tensor(grid->module, &scalar);
}

mlir_value_t *grid_put(grid_t *grid, mlir_op_t *where, const char *name,
                       int operand_count, mlir_value_t *const *operands,
                       const mlir_type_t *type) {
  mlir_op_t *op = grid_make(grid, where, name, operand_count, operands, 1, &type, 0);
  mlir_block_insert_before(where, op);
  return &op->results[0];
}

mlir_value_t *grid_put_constant(grid_t *grid, mlir_op_t *where, tensor_dtype_t dtype,
                                int64_t value) {
  const mlir_type_t *type = grid_scalar(grid, dtype);
  unsigned char element[16] = {0};
  tensor_element_from_int64(dtype, value, element);
  mlir_value_t *constant = grid_put(grid, where, "stablehlo.constant", 0, NULL, type);
  mlir_op_set_attr(grid->module, constant->op, mlir_intern(grid->module, "value"),
                   mlir_attr_dense(grid->module, &type->shape, element, true));
  return constant;
}

pod_status_t grid_append_zeros(grid_t *grid, const mlir_op_t *place, mlir_block_t *block,
                               const mlir_type_t *type, mlir_value_t **out_value) {
  if (type->kind != MLIR_TYPE_TENSOR || !tensor_shape_is_static(&type->shape)) {
    return mlir_op_error(grid->module, place, POD_UNIMPLEMENTED,
                         "only tensors of static sizes can be in cells that run "
                         "different programs");
  }
  static const unsigned char zero[16] = {0};
  mlir_op_t *op = grid_make(grid, place, "stablehlo.constant", 0, NULL, 1, &type, 0);
  mlir_op_set_attr(grid->module, op, mlir_intern(grid->module, "value"),
                   mlir_attr_dense(grid->module, &type->shape, zero, true));
  mlir_block_append(block, op);
  *out_value = &op->results[0];
  return NULL;
}

// The chip's number as an i32.
static mlir_value_t *put_chip(grid_t *grid, mlir_op_t *where) {
  mlir_value_t *id = grid_put(grid, where, "stablehlo.partition_id", 0, NULL,
                              grid_scalar(grid, TENSOR_U32));
  return grid_put(grid, where, "stablehlo.convert", 1, &id,
                  grid_scalar(grid, TENSOR_S32));
}

void grid_end_block(grid_t *grid, const mlir_op_t *place, mlir_block_t *block, int count,
                    mlir_value_t *const *values) {
  mlir_block_append(
      block, grid_make(grid, place, "stablehlo.return", count, values, 0, NULL, 0));
}

// --- The grid ---

static pod_status_t not_supported(const grid_t *grid, const char *what) {
  return mlir_op_error(grid->module, grid->run, POD_UNIMPLEMENTED, "%s", what);
}

static pod_status_t add_program(grid_t *grid, const char *name, int64_t cell) {
  mlir_op_t *function = mlir_module_find_symbol(grid->module, name);
  const mlir_block_t *body =
      function != NULL && function->region_count == 1 ? mlir_op_block(function, 0) : NULL;
  if (body == NULL || body->last == NULL) {
    return mlir_op_error(grid->module, grid->run, POD_INVALID_ARGUMENT,
                         "there is no function @%s", name);
  }
  int64_t number = 0;
  while (number < grid->program_count && grid->programs[number].function != function) {
    number++;
  }
  if (number == grid->program_count) {
    grid->programs[grid->program_count++] =
        (grid_program_t){.function = function,
                         .argument_count = body->argument_count,
                         .result_count = body->last->operand_count,
                         .first_cell = cell};
  }
  grid->programs[number].cell_count++;
  grid->cells[cell].program = number;
  return NULL;
}

// programs = [[@f, @f], [@f, @f]]: rows are replicas.
static pod_status_t read_grid(grid_t *grid) {
  const mlir_attr_t *rows = mlir_op_attr(grid->run, "programs");
  if (!mlir_attr_is(rows, MLIR_ATTR_ARRAY) || rows->count == 0 ||
      !mlir_attr_is(rows->elements[0], MLIR_ATTR_ARRAY) ||
      rows->elements[0]->count == 0) {
    return mlir_op_error(grid->module, grid->run, POD_INVALID_ARGUMENT,
                         "needs 'programs', rows of functions");
  }
  grid->replicas = rows->count;
  grid->partitions = rows->elements[0]->count;
  if (grid->replicas > GRID_CELLS_MAX || grid->partitions > GRID_CELLS_MAX ||
      grid->replicas * grid->partitions > GRID_CELLS_MAX) {
    return not_supported(grid, "more than 4096 cells are not supported");
  }
  grid->cell_count = grid->replicas * grid->partitions;
  pod_arena_t *arena = grid->module->arena;
  grid->cells = pod_arena_array(arena, (size_t)grid->cell_count, sizeof(grid_cell_t));
  grid->programs =
      pod_arena_array(arena, (size_t)grid->cell_count, sizeof(grid_program_t));
  for (int64_t r = 0; r < rows->count; r++) {
    const mlir_attr_t *row = rows->elements[r];
    if (!mlir_attr_is(row, MLIR_ATTR_ARRAY) || row->count != grid->partitions) {
      return mlir_op_error(grid->module, grid->run, POD_INVALID_ARGUMENT,
                           "'programs' must be rows of one length");
    }
    for (int64_t p = 0; p < row->count; p++) {
      if (!mlir_attr_is(row->elements[p], MLIR_ATTR_SYMBOL)) {
        return mlir_op_error(grid->module, grid->run, POD_INVALID_ARGUMENT,
                             "'programs' must name functions");
      }
      POD_TRY(add_program(grid, row->elements[p]->text, r * grid->partitions + p));
    }
  }
  return NULL;
}

// infeed = [@f, @g]: functions that give what infeeds take.
static pod_status_t check_infeed(const grid_t *grid) {
  const mlir_attr_t *queue = mlir_op_attr(grid->run, "infeed");
  if (queue == NULL) {
    return NULL;
  }
  const int64_t count = mlir_attr_is(queue, MLIR_ATTR_ARRAY) ? queue->count : 0;
  for (int64_t i = 0; i < count; i++) {
    const mlir_attr_t *name = queue->elements[i];
    if (!mlir_attr_is(name, MLIR_ATTR_SYMBOL)) {
      return mlir_op_error(grid->module, grid->run, POD_INVALID_ARGUMENT,
                           "'infeed' must name functions");
    }
    if (mlir_module_find_symbol(grid->module, name->text) == NULL) {
      return mlir_op_error(grid->module, grid->run, POD_INVALID_ARGUMENT,
                           "there is no function @%s", name->text);
    }
  }
  return mlir_attr_is(queue, MLIR_ATTR_ARRAY)
             ? NULL
             : mlir_op_error(grid->module, grid->run, POD_INVALID_ARGUMENT,
                             "'infeed' must name functions");
}

static pod_status_t check_counts(grid_t *grid) {
  POD_TRY(check_infeed(grid));
  const mlir_op_t *run = grid->run;
  int64_t operands = 0, results = 0;
  for (int64_t k = 0; k < grid->cell_count; k++) {
    const grid_program_t *program = &grid->programs[grid->cells[k].program];
    const mlir_block_t *body = mlir_op_block(program->function, 0);
    grid->cells[k].operand_start = (int)operands;
    grid->cells[k].result_start = (int)results;
    operands += program->argument_count;
    results += program->result_count;
    for (int64_t i = operands - program->argument_count;
         i < operands && operands <= run->operand_count; i++) {
      const mlir_value_t *argument = body->arguments[i - grid->cells[k].operand_start];
      if (!mlir_type_equal(run->operands[i]->type, argument->type)) {
        return mlir_op_error(grid->module, run, POD_INVALID_ARGUMENT,
                             "operand %d is not of the type that the program takes",
                             (int)i);
      }
    }
    const mlir_op_t *end = body->last;
    for (int64_t i = results - program->result_count;
         i < results && results <= run->result_count; i++) {
      const mlir_value_t *value = end->operands[i - grid->cells[k].result_start];
      if (!mlir_type_equal(run->results[i].type, value->type)) {
        return mlir_op_error(grid->module, run, POD_INVALID_ARGUMENT,
                             "result %d is not of the type that the program returns",
                             (int)i);
      }
    }
    if (operands > INT32_MAX || results > INT32_MAX) {
      return not_supported(grid, "has too many operands or results");
    }
  }
  if (run->operand_count != operands || run->result_count != results) {
    return mlir_op_error(grid->module, run, POD_INVALID_ARGUMENT,
                         "has %d operands and %d results; the programs of its %" PRId64
                         " cells have %" PRId64 " and %" PRId64,
                         run->operand_count, run->result_count, grid->cell_count,
                         operands, results);
  }
  for (int i = 0; i < run->result_count; i++) {
    if (run->results[i].type->kind != MLIR_TYPE_TENSOR) {
      return not_supported(grid, "only tensors can be results of a cell");
    }
  }
  return NULL;
}

// --- @main ---

pod_status_t grid_own_operands(grid_t *grid, int64_t program, mlir_value_t *chip,
                               mlir_value_t *const **out_operands) {
  const int count = grid->programs[program].argument_count;
  mlir_op_t *run = grid->run;
  if (grid->cell_count == 1 || count == 0) {
    *out_operands = run->operands;
    return NULL;
  }
  pod_arena_t *arena = grid->module->arena;
  const mlir_type_t **types = pod_arena_array(arena, (size_t)count, sizeof(types[0]));
  mlir_value_t **own = pod_arena_array(arena, (size_t)count, sizeof(own[0]));
  const mlir_block_t *body = mlir_op_block(grid->programs[program].function, 0);
  for (int i = 0; i < count; i++) {
    types[i] = body->arguments[i]->type;
  }
  mlir_op_t *choice = grid_make(grid, run, "stablehlo.case", 1, &chip, count, types,
                                (int)grid->cell_count);
  for (int64_t k = 0; k < grid->cell_count; k++) {
    mlir_block_t *block = mlir_block_create(grid->module, &choice->regions[k]);
    const bool is_there = grid->cells[k].program == program;
    for (int i = 0; i < count && !is_there; i++) {
      POD_TRY(grid_append_zeros(grid, run, block, types[i], &own[i]));
    }
    grid_end_block(grid, run, block, count,
                   is_there ? run->operands + grid->cells[k].operand_start : own);
  }
  mlir_block_insert_before(run, choice);
  for (int i = 0; i < count; i++) {
    own[i] = &choice->results[i];
  }
  *out_operands = own;
  return NULL;
}

// `check` happens on chip number `cell` only.
static void check_on(grid_t *grid, mlir_op_t *check, int64_t cell, mlir_value_t *chip) {
  mlir_value_t *operands[] = {chip, grid_put_constant(grid, check, TENSOR_S32, cell)};
  mlir_value_t *is_there = grid_put(grid, check, "stablehlo.compare", 2, operands,
                                    grid_scalar(grid, TENSOR_PRED));
  mlir_op_set_attr(
      grid->module, is_there->op, mlir_intern(grid->module, "comparison_direction"),
      stablehlo_make_enum(grid->module, is_there->op, "comparison_direction", "EQ"));
  mlir_op_t *branch = grid_make(grid, check, "stablehlo.if", 1, &is_there, 0, NULL, 2);
  mlir_block_insert_before(check, branch);
  mlir_op_unlink(check);
  mlir_block_t *then = mlir_block_create(grid->module, &branch->regions[0]);
  mlir_block_append(then, check);
  grid_end_block(grid, branch, then, 0, NULL);
  grid_end_block(grid, branch, mlir_block_create(grid->module, &branch->regions[1]), 0,
                 NULL);
}

static bool is_check(const mlir_op_t *op) {
  const mlir_attr_t *target = mlir_op_attr(op, "call_target_name");
  const char *name =
      op->kind == KIND_CUSTOM_CALL && mlir_attr_is(target, MLIR_ATTR_STRING)
          ? target->text
          : op->name;
  return strncmp(name, "check.", strlen("check.")) == 0;
}

// What chip `cell` has, on every chip.
static mlir_value_t *put_broadcast(grid_t *grid, mlir_op_t *where, int64_t cell,
                                   mlir_value_t *value) {
  if (grid->cell_count == 1) {
    return value;
  }
  int64_t *ids =
      pod_arena_array(grid->module->arena, (size_t)grid->cell_count, sizeof(*ids));
  for (int64_t i = 0; i < grid->cell_count; i++) {
    ids[i] = (cell + i) % grid->cell_count;
  }
  mlir_value_t *everywhere =
      grid_put(grid, where, "stablehlo.collective_broadcast", 1, &value, value->type);
  mlir_op_set_attr(grid->module, everywhere->op,
                   mlir_intern(grid->module, "replica_groups"),
                   compiler_make_replica_groups(grid->module, 1, grid->cell_count, ids));
  return everywhere;
}

static int64_t cell_of_result(const grid_t *grid, uint32_t index) {
  int64_t cell = grid->cell_count - 1;
  while (grid->cells[cell].result_start > (int64_t)index) {
    cell--;
  }
  return cell;
}

// Checks look at the results of one cell; nothing but the end of @main may look at
// others. `results` by program.
static pod_status_t place_checks(grid_t *grid, mlir_value_t *const *const *results,
                                 mlir_value_t *chip) {
  mlir_op_t *next;
  for (mlir_op_t *op = grid->run->next; op != NULL; op = next) {
    next = op->next;
    int64_t cell = -1;
    const bool is_end = op->kind == KIND_FUNC_RETURN;
    for (int i = 0; i < op->operand_count; i++) {
      const mlir_value_t *value = op->operands[i];
      if (value->op != grid->run) {
        continue;
      }
      const int64_t of = cell_of_result(grid, value->index);
      if (!is_end && (!is_check(op) || (cell >= 0 && cell != of))) {
        return mlir_op_error(grid->module, op, POD_UNIMPLEMENTED,
                             "results of interpreter.run_parallel can only be returned, "
                             "or checked, those of one cell at a time");
      }
      cell = is_end ? cell : of;
      mlir_value_t *own = results[grid->cells[of].program]
                                 [(int)value->index - grid->cells[of].result_start];
      op->operands[i] = is_end ? put_broadcast(grid, op, of, own) : own;
    }
    if (cell >= 0) {
      check_on(grid, op, cell, chip);
    }
  }
  return NULL;
}

// All cells run one program.
static pod_status_t call_program(grid_t *grid, mlir_value_t *chip,
                                 mlir_value_t *const **out_results) {
  const grid_program_t *program = &grid->programs[0];
  const mlir_block_t *body = mlir_op_block(program->function, 0);
  pod_arena_t *arena = grid->module->arena;
  const size_t count = (size_t)program->result_count;
  const mlir_type_t **types = pod_arena_array(arena, count, sizeof(types[0]));
  for (size_t i = 0; i < count; i++) {
    types[i] = body->last->operands[i]->type;
  }
  mlir_value_t *const *operands;
  POD_TRY(grid_own_operands(grid, 0, chip, &operands));
  mlir_op_t *call = grid_make(grid, grid->run, "func.call", program->argument_count,
                              operands, program->result_count, types, 0);
  const mlir_attr_t *name = mlir_op_attr(program->function, "sym_name");
  mlir_op_set_attr(grid->module, call, mlir_intern(grid->module, "callee"),
                   mlir_attr_symbol(grid->module, name->text));
  mlir_block_insert_before(grid->run, call);
  mlir_value_t **results = pod_arena_array(arena, count, sizeof(results[0]));
  for (size_t i = 0; i < count; i++) {
    results[i] = &call->results[i];
  }
  out_results[0] = results;
  return NULL;
}

static pod_status_t rewrite_main(grid_t *grid) {
  mlir_value_t *chip = put_chip(grid, grid->run);
  mlir_value_t *const **results = pod_arena_array(
      grid->module->arena, (size_t)grid->program_count, sizeof(results[0]));
  if (grid->program_count > 1 || grid_has_transfers(grid)) {
    POD_TRY(grid_merge_programs(grid, chip, results));
  } else {
    POD_TRY(call_program(grid, chip, results));
  }
  POD_TRY(place_checks(grid, results, chip));
  mlir_op_unlink(grid->run);
  return NULL;
}

pod_status_t parallel_expand(mlir_module_t *module) {
  if (!mlir_may_have(module, "interpreter.run_parallel")) {
    return NULL;
  }
  mlir_op_t *main = mlir_module_find_symbol(module, "main");
  grid_t grid = {.module = module};
  const mlir_block_t *body =
      main != NULL && main->region_count == 1 ? mlir_op_block(main, 0) : NULL;
  for (mlir_op_t *op = body == NULL ? NULL : body->first; op != NULL; op = op->next) {
    if (op->kind != KIND_INTERPRETER_RUN_PARALLEL) {
      continue;
    }
    if (grid.run != NULL) {
      return mlir_op_error(module, op, POD_UNIMPLEMENTED,
                           "a module can run one grid of programs");
    }
    grid.run = op;
  }
  if (grid.run == NULL) {
    return NULL;
  }
  POD_TRY(read_grid(&grid));
  POD_TRY(check_counts(&grid));
  POD_TRY(grid_rewrite_feeds(&grid));
  POD_TRY(grid_rewrite_ids(&grid, main));
  return rewrite_main(&grid);
}
