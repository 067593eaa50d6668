#include "server/compiler/parallel.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/check.h"
#include "common/mlir/diagnostic.h"
#include "server/compiler/attributes.h"
#include "server/compiler/processes.h"
#include "server/compiler/replacements.h"
#include "server/compiler/walk.h"

enum { CELLS_MAX = 4096 };

typedef struct grid_t {
  mlir_module_t *module;
  mlir_op_t *run;      // interpreter.run_parallel
  mlir_op_t *program;  // The function that all cells run.
  int64_t replicas, partitions;
  int argument_count, result_count;  // Of the program.
} grid_t;

// --- Making operations ---

static mlir_op_t *make(grid_t *grid, const mlir_op_t *place, const char *name,
                       int operand_count, mlir_value_t *const *operands, int result_count,
                       const mlir_type_t *const *types, int region_count) {
  mlir_op_t *op =
      mlir_op_create(grid->module, mlir_intern(grid->module, name), operand_count,
                     operands, result_count, types, region_count);
  op->position = place->position;
  op->location = place->location;
  return op;
}

static const mlir_type_t *scalar_type(grid_t *grid, tensor_dtype_t dtype) {
  const tensor_shape_t scalar = tensor_shape_make(dtype, 0, NULL);
  return mlir_type_tensor(grid->module, &scalar);
}

// An operation of one result before `where`.
static mlir_value_t *put(grid_t *grid, mlir_op_t *where, const char *name,
                         int operand_count, mlir_value_t *const *operands,
                         const mlir_type_t *type) {
  mlir_op_t *op = make(grid, where, name, operand_count, operands, 1, &type, 0);
  mlir_block_insert_before(where, op);
  return &op->results[0];
}

static mlir_value_t *put_constant(grid_t *grid, mlir_op_t *where, tensor_dtype_t dtype,
                                  int64_t value) {
  const mlir_type_t *type = scalar_type(grid, dtype);
  unsigned char element[16] = {0};
  tensor_element_from_int64(dtype, value, element);
  mlir_value_t *constant = put(grid, where, "stablehlo.constant", 0, NULL, type);
  mlir_op_set_attr(grid->module, constant->op, mlir_intern(grid->module, "value"),
                   mlir_attr_dense(grid->module, &type->shape, element, true));
  return constant;
}

// The chip's number as an i32.
static mlir_value_t *put_chip(grid_t *grid, mlir_op_t *where) {
  mlir_value_t *id =
      put(grid, where, "stablehlo.partition_id", 0, NULL, scalar_type(grid, TENSOR_U32));
  return put(grid, where, "stablehlo.convert", 1, &id, scalar_type(grid, TENSOR_S32));
}

static void end_block(grid_t *grid, const mlir_op_t *place, mlir_block_t *block,
                      int count, mlir_value_t *const *values) {
  mlir_block_append(block,
                    make(grid, place, "stablehlo.return", count, values, 0, NULL, 0));
}

// --- The grid ---

static pod_status_t not_supported(const grid_t *grid, const char *what) {
  return mlir_op_error(grid->module, grid->run, POD_UNIMPLEMENTED, "%s", what);
}

// programs = [[@f, @f], [@f, @f]]: rows are replicas.
static pod_status_t read_grid(grid_t *grid) {
  const mlir_attr_t *rows = mlir_op_attr(grid->run, "programs");
  const char *name = NULL;
  if (!mlir_attr_is(rows, MLIR_ATTR_ARRAY) || rows->count == 0) {
    return mlir_op_error(grid->module, grid->run, POD_INVALID_ARGUMENT,
                         "needs 'programs', rows of functions");
  }
  grid->replicas = rows->count;
  for (int64_t r = 0; r < rows->count; r++) {
    const mlir_attr_t *row = rows->elements[r];
    if (!mlir_attr_is(row, MLIR_ATTR_ARRAY) || row->count == 0 ||
        row->count != rows->elements[0]->count) {
      return mlir_op_error(grid->module, grid->run, POD_INVALID_ARGUMENT,
                           "'programs' must be rows of one length");
    }
    grid->partitions = row->count;
    for (int64_t p = 0; p < row->count; p++) {
      if (!mlir_attr_is(row->elements[p], MLIR_ATTR_SYMBOL)) {
        return mlir_op_error(grid->module, grid->run, POD_INVALID_ARGUMENT,
                             "'programs' must name functions");
      }
      if (name != NULL && strcmp(name, row->elements[p]->text) != 0) {
        return not_supported(grid, "cells that run different programs are not supported");
      }
      name = row->elements[p]->text;
    }
  }
  grid->program = mlir_module_find_symbol(grid->module, name);
  if (grid->program == NULL || grid->program->region_count != 1 ||
      mlir_op_block(grid->program, 0) == NULL ||
      mlir_op_block(grid->program, 0)->last == NULL) {
    return mlir_op_error(grid->module, grid->run, POD_INVALID_ARGUMENT,
                         "there is no function @%s", name);
  }
  return NULL;
}

static pod_status_t check_counts(grid_t *grid) {
  const mlir_block_t *body = mlir_op_block(grid->program, 0);
  const int64_t cells = grid->replicas * grid->partitions;
  if (cells > CELLS_MAX) {
    return not_supported(grid, "more than 4096 cells are not supported");
  }
  grid->argument_count = body->argument_count;
  grid->result_count = body->last->operand_count;
  if (grid->run->operand_count != cells * grid->argument_count ||
      grid->run->result_count != cells * grid->result_count) {
    return mlir_op_error(grid->module, grid->run, POD_INVALID_ARGUMENT,
                         "has %d operands and %d results for %" PRId64
                         " cells of %d and %d each",
                         grid->run->operand_count, grid->run->result_count, cells,
                         grid->argument_count, grid->result_count);
  }
  if (mlir_op_attr(grid->run, "infeed") != NULL) {
    return not_supported(grid, "infeed is not supported");
  }
  for (int i = 0; i < grid->run->operand_count; i++) {
    const mlir_type_t *type = grid->run->operands[i]->type;
    if (!mlir_type_equal(type, body->arguments[i % grid->argument_count]->type)) {
      return mlir_op_error(grid->module, grid->run, POD_INVALID_ARGUMENT,
                           "operand %d is not of the type that the program takes", i);
    }
  }
  for (int i = 0; i < grid->run->result_count; i++) {
    if (grid->run->results[i].type->kind != MLIR_TYPE_TENSOR) {
      return not_supported(grid, "only tensors can be results of a cell");
    }
  }
  return NULL;
}

// --- @main ---

// Each chip's own operands.
static mlir_value_t *const *own_operands(grid_t *grid, mlir_value_t *chip) {
  const int64_t cells = grid->replicas * grid->partitions;
  const int count = grid->argument_count;
  mlir_op_t *run = grid->run;
  if (cells == 1 || count == 0) {
    return run->operands;
  }
  const mlir_type_t **types =
      pod_arena_array(grid->module->arena, (size_t)count, sizeof(types[0]));
  mlir_value_t **own =
      pod_arena_array(grid->module->arena, (size_t)count, sizeof(own[0]));
  for (int i = 0; i < count; i++) {
    types[i] = run->operands[i]->type;
  }
  mlir_op_t *choice =
      make(grid, run, "stablehlo.case", 1, &chip, count, types, (int)cells);
  for (int64_t k = 0; k < cells; k++) {
    mlir_block_t *block = mlir_block_create(grid->module, &choice->regions[k]);
    end_block(grid, run, block, count, run->operands + k * count);
  }
  mlir_block_insert_before(run, choice);
  for (int i = 0; i < count; i++) {
    own[i] = &choice->results[i];
  }
  return own;
}

// `check` happens on chip number `cell` only.
static void check_on(grid_t *grid, mlir_op_t *check, int64_t cell, mlir_value_t *chip) {
  mlir_value_t *operands[] = {chip, put_constant(grid, check, TENSOR_S32, cell)};
  mlir_value_t *is_there =
      put(grid, check, "stablehlo.compare", 2, operands, scalar_type(grid, TENSOR_PRED));
  mlir_op_set_attr(
      grid->module, is_there->op, mlir_intern(grid->module, "comparison_direction"),
      stablehlo_make_enum(grid->module, is_there->op, "comparison_direction", "EQ"));
  mlir_op_t *branch = make(grid, check, "stablehlo.if", 1, &is_there, 0, NULL, 2);
  mlir_block_insert_before(check, branch);
  mlir_op_unlink(check);
  mlir_block_t *then = mlir_block_create(grid->module, &branch->regions[0]);
  mlir_block_append(then, check);
  end_block(grid, branch, then, 0, NULL);
  end_block(grid, branch, mlir_block_create(grid->module, &branch->regions[1]), 0, NULL);
}

static bool is_check(const mlir_op_t *op) {
  const mlir_attr_t *target = mlir_op_attr(op, "call_target_name");
  const char *name = strcmp(op->name, "stablehlo.custom_call") == 0 &&
                             mlir_attr_is(target, MLIR_ATTR_STRING)
                         ? target->text
                         : op->name;
  return strncmp(name, "check.", strlen("check.")) == 0;
}

// Checks look at the results of one cell; nothing else may.
static pod_status_t place_checks(grid_t *grid, mlir_op_t *call, mlir_value_t *chip) {
  mlir_op_t *next;
  for (mlir_op_t *op = grid->run->next; op != NULL; op = next) {
    next = op->next;
    int64_t cell = -1;
    for (int i = 0; i < op->operand_count; i++) {
      mlir_value_t *value = op->operands[i];
      if (value->op != grid->run) {
        continue;
      }
      const int64_t of = value->index / (uint32_t)grid->result_count;
      const bool is_returned = strcmp(op->name, "func.return") == 0;
      if (!is_returned && (!is_check(op) || (cell >= 0 && cell != of))) {
        return mlir_op_error(grid->module, op, POD_UNIMPLEMENTED,
                             "results of interpreter.run_parallel can only be returned, "
                             "or checked, those of one cell at a time");
      }
      cell = is_returned ? cell : of;
      op->operands[i] = &call->results[value->index % (uint32_t)grid->result_count];
    }
    if (cell >= 0) {
      check_on(grid, op, cell, chip);
    }
  }
  return NULL;
}

static pod_status_t rewrite_main(grid_t *grid) {
  mlir_op_t *run = grid->run;
  mlir_value_t *chip = put_chip(grid, run);
  const mlir_block_t *body = mlir_op_block(grid->program, 0);
  const mlir_type_t **types =
      pod_arena_array(grid->module->arena, (size_t)grid->result_count, sizeof(types[0]));
  for (int i = 0; i < grid->result_count; i++) {
    types[i] = body->last->operands[i]->type;
  }
  mlir_op_t *call = make(grid, run, "func.call", grid->argument_count,
                         own_operands(grid, chip), grid->result_count, types, 0);
  const mlir_attr_t *name = mlir_op_attr(grid->program, "sym_name");
  mlir_op_set_attr(grid->module, call, mlir_intern(grid->module, "callee"),
                   mlir_attr_symbol(grid->module, name->text));
  mlir_block_insert_before(run, call);
  POD_TRY(place_checks(grid, call, chip));
  mlir_op_unlink(run);
  return NULL;
}

// --- The program: replicas and partitions become chips ---

static void rewrite_id(grid_t *grid, mlir_op_t *op, replacements_t *replacements) {
  const bool is_replica = strcmp(op->name, "stablehlo.replica_id") == 0;
  mlir_value_t *operands[] = {
      put(grid, op, "stablehlo.partition_id", 0, NULL, scalar_type(grid, TENSOR_U32)),
      put_constant(grid, op, TENSOR_U32, grid->partitions)};
  mlir_value_t *id =
      put(grid, op, is_replica ? "stablehlo.divide" : "stablehlo.remainder", 2, operands,
          scalar_type(grid, TENSOR_U32));
  replacements_put(replacements, &op->results[0], id);
  mlir_op_unlink(op);
}

typedef enum grouping_t {
  CROSS_REPLICA,
  CROSS_PARTITION,
  CROSS_REPLICA_AND_PARTITION,
  FLATTENED,
} grouping_t;

// How a collective counts, by the specification's "Grouping" of each.
static pod_status_t grouping_of(grid_t *grid, const mlir_op_t *op, grouping_t *out) {
  int64_t handle, type;
  POD_TRY(stablehlo_channel_handle(grid->module, mlir_op_attr(op, "channel_handle"),
                                   &handle, &type));
  const bool knows_partitions = strcmp(op->name, "stablehlo.all_gather") == 0 ||
                                strcmp(op->name, "stablehlo.all_reduce") == 0 ||
                                strcmp(op->name, "stablehlo.collective_reduce") == 0 ||
                                strcmp(op->name, "stablehlo.reduce_scatter") == 0;
  const mlir_attr_t *global = mlir_op_attr(op, "use_global_device_ids");
  const bool is_global =
      global != NULL && (global->kind == MLIR_ATTR_UNIT || global->integer != 0);
  *out = handle <= 0         ? CROSS_REPLICA
         : !knows_partitions ? CROSS_PARTITION
         : is_global         ? FLATTENED
                             : CROSS_REPLICA_AND_PARTITION;
  return NULL;
}

static processes_t processes_in(const grid_t *grid) {
  return (processes_t){.replicas = grid->replicas, .partitions = grid->partitions};
}

static int64_t chip_of(const grid_t *grid, int64_t replica, int64_t partition) {
  return replica * grid->partitions + partition;
}

// No groups: one of everybody.
static void fill_groups(const grid_t *grid, grouping_t grouping,
                        compiler_groups_t *groups) {
  if (groups->group_count > 0 && groups->group_size > 0) {
    return;
  }
  const int64_t size = grouping == FLATTENED         ? grid->replicas * grid->partitions
                       : grouping == CROSS_PARTITION ? grid->partitions
                                                     : grid->replicas;
  int64_t *ids = pod_arena_array(grid->module->arena, (size_t)size, sizeof(*ids));
  for (int64_t i = 0; i < size; i++) {
    ids[i] = i;
  }
  *groups = (compiler_groups_t){.group_count = 1, .group_size = size, .ids = ids};
}

static bool has_negative(int64_t count, const int64_t *ids) {
  for (int64_t i = 0; i < count; i++) {
    if (ids[i] < 0) {
      return true;
    }
  }
  return false;
}

static pod_status_t rewrite_groups(grid_t *grid, mlir_op_t *op, grouping_t grouping) {
  compiler_groups_t from;
  const mlir_attr_t *attr = mlir_op_attr(op, "replica_groups");
  int64_t total;
  const bool is_ragged =
      mlir_attr_is(attr, MLIR_ATTR_DENSE) && attr->type->shape.rank == 2 &&
      mlir_attr_as_i64s(grid->module, attr, &total, &from.ids) &&
      has_negative(total, from.ids) && grouping != CROSS_REPLICA_AND_PARTITION;
  if (is_ragged) {  // The pass `expand` takes them from here.
    from = (compiler_groups_t){.group_count = attr->type->shape.dims[0],
                               .group_size = attr->type->shape.dims[1],
                               .ids = from.ids};
  } else {
    POD_TRY(compiler_parse_replica_groups(grid->module, attr, NULL, grid->module->arena,
                                          &from));
  }
  POD_TRY(processes_check_groups(grid->module, op, processes_in(grid), &from));
  fill_groups(grid, grouping, &from);
  // In the order of the specification: `others` groups for every one, or all in one.
  const int64_t others = grouping == CROSS_REPLICA     ? grid->partitions
                         : grouping == CROSS_PARTITION ? grid->replicas
                                                       : 1;
  const int64_t inner = grouping == CROSS_REPLICA_AND_PARTITION ? grid->partitions : 1;
  const int64_t size = from.group_size * inner;
  const int64_t count = from.group_count * others;
  if (from.group_count * from.group_size > CELLS_MAX) {
    return not_supported(grid, "groups of more than 4096 ids are not supported");
  }
  int64_t *ids =
      pod_arena_array(grid->module->arena, (size_t)(count * size), sizeof(*ids));
  int64_t *next = ids;
  for (int64_t g = 0; g < from.group_count; g++) {
    for (int64_t other = 0; other < others; other++) {
      for (int64_t p = 0; p < inner; p++) {
        for (int64_t i = 0; i < from.group_size; i++) {
          const int64_t id = from.ids[g * from.group_size + i];
          *next++ = id < 0 || grouping == FLATTENED ? id
                    : grouping == CROSS_PARTITION   ? chip_of(grid, other, id)
                                                    : chip_of(grid, id, other + p);
        }
      }
    }
  }
  mlir_op_set_attr(grid->module, op, mlir_intern(grid->module, "replica_groups"),
                   compiler_make_replica_groups(grid->module, count, size, ids));
  return NULL;
}

static pod_status_t rewrite_pairs(grid_t *grid, mlir_op_t *op, grouping_t grouping) {
  int64_t count;
  const int64_t *from;
  POD_TRY(stablehlo_source_target_pairs(
      grid->module, mlir_op_attr(op, "source_target_pairs"), &count, &from));
  POD_TRY(processes_check_pairs(grid->module, op, processes_in(grid), count, from));
  const int64_t others = grouping == CROSS_REPLICA ? grid->partitions : grid->replicas;
  if (count > CELLS_MAX) {
    return not_supported(grid, "more than 4096 pairs are not supported");
  }
  const int64_t shape_dims[] = {count * others, 2};
  const tensor_shape_t shape = tensor_shape_make(TENSOR_S64, 2, shape_dims);
  int64_t *pairs = pod_arena_array(grid->module->arena, (size_t)(2 * count * others) + 1,
                                   sizeof(*pairs));
  for (int64_t other = 0; other < others; other++) {
    for (int64_t i = 0; i < 2 * count; i++) {
      pairs[2 * count * other + i] = grouping == CROSS_REPLICA
                                         ? chip_of(grid, from[i], other)
                                         : chip_of(grid, other, from[i]);
    }
  }
  mlir_op_set_attr(grid->module, op, mlir_intern(grid->module, "source_target_pairs"),
                   mlir_attr_dense(grid->module, &shape, pairs, false));
  return NULL;
}

static pod_status_t rewrite_op(grid_t *grid, mlir_op_t *op,
                               replacements_t *replacements) {
  if (strcmp(op->name, "stablehlo.replica_id") == 0 ||
      strcmp(op->name, "stablehlo.partition_id") == 0) {
    rewrite_id(grid, op, replacements);
    return NULL;
  }
  grouping_t grouping;
  if (mlir_op_attr(op, "replica_groups") != NULL) {
    POD_TRY(grouping_of(grid, op, &grouping));
    return rewrite_groups(grid, op, grouping);
  }
  if (mlir_op_attr(op, "source_target_pairs") != NULL &&
      strcmp(op->name, "stablehlo.collective_permute") == 0) {
    POD_TRY(grouping_of(grid, op, &grouping));
    return rewrite_pairs(grid, op, grouping);
  }
  return NULL;
}

// Every function but @main is run by cells.
static pod_status_t rewrite_programs(grid_t *grid, const mlir_op_t *main) {
  replacements_t replacements = {0};
  pod_status_t status = NULL;
  for (mlir_op_t *function = mlir_op_block(grid->module->op, 0)->first;
       function != NULL && status == NULL; function = function->next) {
    if (function == main) {
      continue;
    }
    mlir_op_t *next;
    for (mlir_op_t *op = walk_first(function); op != NULL && status == NULL; op = next) {
      replacements_apply(&replacements, op);
      next = walk_next(function, op);
      status = rewrite_op(grid, op, &replacements);
    }
  }
  replacements_deinit(&replacements);
  return status;
}

pod_status_t parallel_expand(mlir_module_t *module) {
  mlir_op_t *main = mlir_module_find_symbol(module, "main");
  grid_t grid = {.module = module};
  const mlir_block_t *body =
      main != NULL && main->region_count == 1 ? mlir_op_block(main, 0) : NULL;
  for (mlir_op_t *op = body == NULL ? NULL : body->first; op != NULL; op = op->next) {
    if (strcmp(op->name, "interpreter.run_parallel") != 0) {
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
  POD_TRY(rewrite_programs(&grid, main));
  mlir_op_remove_attr(module->op, "mhlo.num_replicas");  // Chips are counted from here.
  mlir_op_remove_attr(module->op, "mhlo.num_partitions");
  return rewrite_main(&grid);
}
