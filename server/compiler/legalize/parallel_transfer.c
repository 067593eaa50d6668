// What leaves and enters the programs of a grid: infeed, outfeed, and what one cell sends
// and another receives.
//
// Cells that run different programs, or exchange values, are put one after the other into
// @main: from each program the operations up to the next one that receives, for the chips
// that run it; then, once what it receives has been sent, a collective_permute, which all
// chips take part in; and so on, until all programs are at their ends.

#include <inttypes.h>
#include <string.h>

#include "common/base/check.h"
#include "common/mlir/diagnostic.h"
#include "common/mlir/replacements.h"
#include "common/mlir/walk.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/kinds.h"
#include "server/compiler/legalize/grid.h"

// --- Feeds ---

// The function of the queue gives what the infeed does.
static pod_status_t call_queue(grid_t *grid, mlir_op_t *op, const mlir_attr_t *queue,
                               int64_t index, mlir_replacements_t *replacements) {
  if (!mlir_attr_is(queue, MLIR_ATTR_ARRAY) || index >= queue->count ||
      !mlir_attr_is(queue->elements[index], MLIR_ATTR_SYMBOL)) {
    return mlir_op_error(grid->module, op, POD_INVALID_ARGUMENT,
                         "is number %" PRId64
                         " to take from the infeed of "
                         "interpreter.run_parallel, which has less",
                         index + 1);
  }
  const mlir_type_t **types = pod_arena_array(
      grid->module->arena, (size_t)op->result_count + 1, sizeof(types[0]));
  for (int i = 0; i < op->result_count; i++) {
    types[i] = op->results[i].type;
  }
  mlir_op_t *call = grid_make(grid, op, "func.call", 0, NULL, op->result_count, types, 0);
  mlir_op_set_attr(grid->module, call, mlir_intern(grid->module, "callee"),
                   queue->elements[index]);
  mlir_block_insert_before(op, call);
  for (int i = 0; i < op->result_count; i++) {
    mlir_replacements_put(replacements, &op->results[i], &call->results[i]);
  }
  mlir_op_unlink(op);
  return NULL;
}

static pod_status_t rewrite_feed(grid_t *grid, mlir_op_t *op, mlir_op_t *function,
                                 int64_t *inout_taken,
                                 mlir_replacements_t *replacements) {
  if (op->kind == KIND_OUTFEED) {
    mlir_op_unlink(op);
    return NULL;
  }
  if (op->kind != KIND_INFEED) {
    return NULL;
  }
  if (grid->cell_count != 1 || walk_parent(op) != function) {
    return mlir_op_error(grid->module, op, POD_UNIMPLEMENTED,
                         "an infeed needs a program of a single cell, and to stand "
                         "outside of its loops and branches: give the program what it "
                         "reads as arguments");
  }
  return call_queue(grid, op, mlir_op_attr(grid->run, "infeed"), (*inout_taken)++,
                    replacements);
}

pod_status_t grid_rewrite_feeds(grid_t *grid) {
  mlir_replacements_t replacements = {0};
  pod_status_t status = NULL;
  for (int64_t p = 0; p < grid->program_count && status == NULL; p++) {
    mlir_op_t *function = grid->programs[p].function, *next;
    int64_t taken = 0;
    for (mlir_op_t *op = mlir_walk_first(function); op != NULL && status == NULL;
         op = next) {
      next = mlir_walk_next(function, op);
      mlir_replacements_apply(&replacements, op);
      status = rewrite_feed(grid, op, function, &taken, &replacements);
    }
  }
  mlir_replacements_deinit(&replacements);
  return status;
}

// --- Programs that are put into @main ---

// How far a program has got.
typedef struct machine_t {
  int64_t number;
  mlir_op_t *next;
  mlir_value_t *is_here;  // Whether a chip runs it; NULL when all do.
} machine_t;

// What has been sent and not been received: a list, in its order.
typedef struct parcel_t {
  int64_t channel;
  int64_t program;
  mlir_op_t *send;
  mlir_value_t **values;
  struct parcel_t *next;
} parcel_t;

typedef struct merger_t {
  grid_t *grid;
  machine_t *machines;
  mlir_value_t **values;  // By id of a program's value: what stands for it in @main.
  int32_t *last_use;  // By id: the place of the last operation of a body that reads it.
  int32_t *places;    // By op's id, of the operations of bodies.
  parcel_t *parcels;
} merger_t;

static pod_status_t channel_of(grid_t *grid, const mlir_op_t *op, int64_t *out) {
  int64_t type;
  return stablehlo_channel_handle(grid->module, mlir_op_attr(op, "channel_handle"), out,
                                  &type);
}

bool grid_has_transfers(const grid_t *grid) {
  for (int64_t p = 0; p < grid->program_count; p++) {
    const mlir_op_t *function = grid->programs[p].function;
    for (const mlir_op_t *op = mlir_op_block(function, 0)->first; op != NULL;
         op = op->next) {
      if (op->kind == KIND_SEND || op->kind == KIND_RECV) {
        return true;
      }
    }
  }
  return false;
}

static void number_uses(merger_t *merger, mlir_op_t *function) {
  int32_t place = 0;
  for (mlir_op_t *op = mlir_op_block(function, 0)->first; op != NULL; op = op->next) {
    merger->places[op->id] = ++place;
    const mlir_op_t *inner = op;
    do {
      for (int i = 0; i < inner->operand_count; i++) {
        merger->last_use[inner->operands[i]->id] = place;
      }
      inner = inner == op ? mlir_walk_first(op) : mlir_walk_next(op, inner);
    } while (inner != NULL);
  }
}

// Whether the chip runs the program: looked up in a table.
static mlir_value_t *put_is_here(grid_t *grid, int64_t program) {
  mlir_module_t *module = grid->module;
  const int64_t one = 1;
  uint8_t *table =
      pod_arena_array(module->arena, (size_t)grid->cell_count, sizeof(*table));
  for (int64_t k = 0; k < grid->cell_count; k++) {
    table[k] = grid->cells[k].program == program;
  }
  const tensor_shape_t shape = tensor_shape_make(TENSOR_PRED, 1, &grid->cell_count);
  const tensor_shape_t piece = tensor_shape_make(TENSOR_PRED, 1, &one);
  mlir_value_t *constant = grid_put(grid, grid->run, "stablehlo.constant", 0, NULL,
                                    mlir_type_tensor(module, &shape));
  mlir_op_set_attr(module, constant->op, mlir_intern(module, "value"),
                   mlir_attr_dense(module, &shape, table, false));
  mlir_value_t *operands[] = {constant,
                              grid_put(grid, grid->run, "stablehlo.partition_id", 0, NULL,
                                       grid_scalar(grid, TENSOR_U32))};
  mlir_value_t *slice = grid_put(grid, grid->run, "stablehlo.dynamic_slice", 2, operands,
                                 mlir_type_tensor(module, &piece));
  mlir_op_set_attr(module, slice->op, mlir_intern(module, "slice_sizes"),
                   mlir_attr_i64_array(module, 1, &one));
  return grid_put(grid, grid->run, "stablehlo.reshape", 1, &slice,
                  grid_scalar(grid, TENSOR_PRED));
}

static pod_status_t start_machine(merger_t *merger, int64_t number, mlir_value_t *chip) {
  grid_t *grid = merger->grid;
  machine_t *machine = &merger->machines[number];
  const mlir_block_t *body = mlir_op_block(grid->programs[number].function, 0);
  *machine = (machine_t){.number = number, .next = body->first};
  if (grid->program_count > 1) {
    machine->is_here = put_is_here(grid, number);
  }
  number_uses(merger, grid->programs[number].function);
  mlir_value_t *const *operands;
  POD_TRY(grid_own_operands(grid, number, chip, &operands));
  for (int i = 0; i < body->argument_count; i++) {
    merger->values[body->arguments[i]->id] = operands[i];
  }
  return NULL;
}

// --- Between two transfers ---

// Chips that run other programs would not take part.
static pod_status_t refuse_collectives(grid_t *grid, const mlir_op_t *root) {
  const mlir_op_t *op = root;
  do {
    if (mlir_op_attr(op, "replica_groups") != NULL || op->kind == KIND_CALL ||
        op->kind == CHIP_OP_COLLECTIVE_PERMUTE) {
      return mlir_op_error(grid->module, op, POD_UNIMPLEMENTED,
                           "in a grid of different programs only stablehlo.send and recv "
                           "can be between cells, and programs cannot call functions");
    }
    op = op == root ? mlir_walk_first(root) : mlir_walk_next(root, op);
  } while (op != NULL);
  return NULL;
}

// A copy of [first, stop) at the end of `block`, or before interpreter.run_parallel when
// it is NULL.
static void copy_ops(merger_t *merger, const mlir_op_t *first, const mlir_op_t *stop,
                     mlir_block_t *block) {
  grid_t *grid = merger->grid;
  for (const mlir_op_t *op = first; op != stop; op = op->next) {
    mlir_op_t *copy = mlir_op_clone(grid->module, op, merger->values);
    if (block == NULL) {
      mlir_block_insert_before(grid->run, copy);
    } else {
      mlir_block_append(block, copy);
    }
  }
}

// The operations [first, stop) of a program, on the chips that run it; others have zeros
// for what is read later.
static pod_status_t put_segment(merger_t *merger, machine_t *machine,
                                const mlir_op_t *first, const mlir_op_t *stop) {
  grid_t *grid = merger->grid;
  if (machine->is_here == NULL || first == stop) {
    copy_ops(merger, first, stop, NULL);
    return NULL;
  }
  int count = 0;
  for (const mlir_op_t *op = first; op != stop; op = op->next) {
    POD_TRY(refuse_collectives(grid, op));
    count += op->result_count;
  }
  pod_arena_t *arena = grid->module->arena;
  const mlir_value_t **kept = pod_arena_array(arena, (size_t)count + 1, sizeof(kept[0]));
  const mlir_type_t **types = pod_arena_array(arena, (size_t)count + 1, sizeof(types[0]));
  mlir_value_t **values = pod_arena_array(arena, (size_t)count + 1, sizeof(values[0]));
  count = 0;
  for (const mlir_op_t *op = first; op != stop; op = op->next) {
    for (int i = 0; i < op->result_count; i++) {
      if (merger->last_use[op->results[i].id] >= merger->places[stop->id]) {
        types[count] = op->results[i].type;
        kept[count++] = &op->results[i];
      }
    }
  }
  mlir_op_t *branch =
      grid_make(grid, first, "stablehlo.if", 1, &machine->is_here, count, types, 2);
  mlir_block_t *then = mlir_block_create(grid->module, &branch->regions[0]);
  copy_ops(merger, first, stop, then);
  for (int i = 0; i < count; i++) {
    values[i] = merger->values[kept[i]->id];
  }
  grid_end_block(grid, first, then, count, values);
  mlir_block_t *otherwise = mlir_block_create(grid->module, &branch->regions[1]);
  for (int i = 0; i < count; i++) {
    POD_TRY(grid_append_zeros(grid, first, otherwise, types[i], &values[i]));
  }
  grid_end_block(grid, first, otherwise, count, values);
  mlir_block_insert_before(grid->run, branch);
  for (int i = 0; i < count; i++) {
    merger->values[kept[i]->id] = &branch->results[i];
  }
  return NULL;
}

// --- Transfers ---

static pod_status_t put_parcel(merger_t *merger, const machine_t *machine,
                               mlir_op_t *op) {
  pod_arena_t *arena = merger->grid->module->arena;
  parcel_t *parcel = pod_arena_alloc(arena, sizeof(*parcel));
  *parcel = (parcel_t){.program = machine->number, .send = op};
  POD_TRY(channel_of(merger->grid, op, &parcel->channel));
  parcel->values =
      pod_arena_array(arena, (size_t)op->operand_count + 1, sizeof(mlir_value_t *));
  for (int i = 0; i < op->operand_count; i++) {
    parcel->values[i] = merger->values[op->operands[i]->id];
  }
  parcel_t **last = &merger->parcels;
  while (*last != NULL) {
    last = &(*last)->next;
  }
  *last = parcel;
  return NULL;
}

// From which chips to which.
static pod_status_t pairs_of(grid_t *grid, const parcel_t *parcel, const mlir_op_t *recv,
                             int64_t receiver, const mlir_attr_t **out_pairs) {
  *out_pairs = mlir_op_attr(recv, "source_target_pairs");
  if (*out_pairs == NULL) {
    *out_pairs = mlir_op_attr(parcel->send, "source_target_pairs");
  }
  if (*out_pairs != NULL) {
    return NULL;
  }
  const grid_program_t *from = &grid->programs[parcel->program];
  const grid_program_t *to = &grid->programs[receiver];
  if (from->cell_count != 1 || to->cell_count != 1) {
    return mlir_op_error(grid->module, recv, POD_UNIMPLEMENTED,
                         "several cells send or receive on the channel: say which to "
                         "which with 'source_target_pairs'");
  }
  const int64_t pair[] = {from->first_cell, to->first_cell};
  const tensor_shape_t shape = tensor_shape_make(TENSOR_S64, 2, (const int64_t[]){1, 2});
  *out_pairs = mlir_attr_dense(grid->module, &shape, pair, false);
  return NULL;
}

// False in *out_done when nothing has been sent yet.
static pod_status_t take_parcel(merger_t *merger, machine_t *machine, mlir_op_t *op,
                                bool *out_done) {
  grid_t *grid = merger->grid;
  int64_t channel;
  POD_TRY(channel_of(grid, op, &channel));
  parcel_t **at = &merger->parcels;
  while (*at != NULL && (*at)->channel != channel) {
    at = &(*at)->next;
  }
  const parcel_t *parcel = *at;
  *out_done = parcel != NULL;
  if (parcel == NULL) {
    return NULL;
  }
  *at = parcel->next;
  bool fits = op->result_count == parcel->send->operand_count;
  for (int i = 0; i < op->result_count && fits; i++) {
    fits = mlir_type_equal(op->results[i].type, parcel->values[i]->type);
  }
  if (!fits) {
    return mlir_op_error(
        grid->module, op, POD_INVALID_ARGUMENT,
        "receives values of other types than channel %" PRId64 " is sent", channel);
  }
  const mlir_attr_t *pairs;
  POD_TRY(pairs_of(grid, parcel, op, machine->number, &pairs));
  for (int i = 0; i < op->result_count; i++) {
    mlir_value_t *value = parcel->values[i];
    mlir_value_t *received =
        grid_put(grid, grid->run, "stablehlo.collective_permute", 1, &value, value->type);
    mlir_op_set_attr(grid->module, received->op,
                     mlir_intern(grid->module, "source_target_pairs"), pairs);
    merger->values[op->results[i].id] = received;
  }
  return NULL;
}

// Goes on until the end, or to what nobody has sent yet.
static pod_status_t run_machine(merger_t *merger, machine_t *machine,
                                bool *inout_progress) {
  while (machine->next != NULL && machine->next->next != NULL) {
    mlir_op_t *stop = machine->next;
    while (stop->next != NULL && stop->kind != KIND_SEND && stop->kind != KIND_RECV) {
      stop = stop->next;
    }
    POD_TRY(put_segment(merger, machine, machine->next, stop));
    *inout_progress |= machine->next != stop;
    machine->next = stop;
    if (stop->next == NULL) {
      return NULL;  // The return.
    }
    bool done = true;
    POD_TRY(stop->kind == KIND_SEND ? put_parcel(merger, machine, stop)
                                    : take_parcel(merger, machine, stop, &done));
    if (!done) {
      return NULL;
    }
    *inout_progress = true;
    machine->next = stop->next;
  }
  return NULL;
}

static pod_status_t run_all(merger_t *merger) {
  grid_t *grid = merger->grid;
  for (bool progress = true; progress;) {
    progress = false;
    for (int64_t p = 0; p < grid->program_count; p++) {
      POD_TRY(run_machine(merger, &merger->machines[p], &progress));
    }
  }
  for (int64_t p = 0; p < grid->program_count; p++) {
    const mlir_op_t *op = merger->machines[p].next;
    if (op->next != NULL) {
      return mlir_op_error(grid->module, op, POD_INVALID_ARGUMENT,
                           "receives on a channel on which nothing is sent");
    }
  }
  return NULL;
}

pod_status_t grid_merge_programs(grid_t *grid, mlir_value_t *chip,
                                 mlir_value_t *const **out_results) {
  mlir_module_t *module = grid->module;
  const size_t count = (size_t)grid->program_count, values = module->value_count;
  merger_t merger = {
      .grid = grid,
      .machines = pod_arena_array(module->arena, count, sizeof(machine_t)),
      .values = pod_arena_array(module->arena, values, sizeof(mlir_value_t *)),
      .last_use = pod_arena_array(module->arena, values, sizeof(int32_t)),
      .places = pod_arena_array(module->arena, module->op_count, sizeof(int32_t))};
  for (int64_t p = 0; p < grid->program_count; p++) {
    POD_TRY(start_machine(&merger, p, chip));
  }
  POD_TRY(run_all(&merger));
  for (int64_t p = 0; p < grid->program_count; p++) {
    const mlir_op_t *end = merger.machines[p].next;
    mlir_value_t **results =
        pod_arena_array(module->arena, (size_t)end->operand_count + 1, sizeof(*results));
    for (int i = 0; i < end->operand_count; i++) {
      results[i] = merger.values[end->operands[i]->id];
    }
    out_results[p] = results;
    mlir_op_unlink(grid->programs[p].function);
  }
  return NULL;
}
