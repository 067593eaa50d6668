// One walk over the function. Control flow is made explicit by moves in the sense of SSA
// destruction (Sreedhar et al., 1999): wherever values may have to change places there
// is a copy, and coalesce.c takes away those that are not needed. Live ranges are
// intervals of half times; what is read inside of a loop and made outside lives until
// the loop's end.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "common/mlir/diagnostic.h"
#include "server/compiler/dialect/kinds.h"
#include "server/compiler/dialect/reducer.h"
#include "server/compiler/lower/lower.h"
#include "server/compiler/lower/moves.h"
#include "server/compiler/lower/vars.h"

static pod_status_t lower_block(lower_t *lower, const mlir_block_t *block);

// --- Loops ---
//
// The variables of carried value i all lie in the same buffer:
//
//   start[i]   what it is before the loop, copied there
//   state[i]   what condition and body see
//   next[i]    what the body makes of it, copied there; absent when the body returns
//              state[i] as it is
//   result i   what is left after the loop

typedef struct loop_t {
  const mlir_op_t *op;
  int32_t count;
  int32_t *start;
  lower_moves_t moves;  // state[i] and next[i].
} loop_t;

static void start_loop(lower_t *lower, loop_t *loop) {
  for (int32_t i = 0; i < loop->count; i++) {
    const int32_t source = lower_var_of(lower, loop->op->operands[i]);
    loop->start[i] = lower_add_like(lower, source);
    lower_add_move(lower, CHIP_OP_COPY, loop->op, loop->start[i], source,
                   LOWER_WISH_START);
  }
  for (int32_t i = 0; i < loop->count; i++) {
    lower_live_until(lower, loop->start[i], 2 * lower->time);
  }
}

static void end_body(lower_t *lower, loop_t *loop) {
  const mlir_op_t *end = mlir_op_block(loop->op, 1)->last;
  lower_moves_t *moves = &loop->moves;
  for (int32_t i = 0; i < loop->count; i++) {
    const int32_t source = lower_var_of(lower, end->operands[i]);
    moves->source[i] = source == moves->state[i] ? CHIP_NONE : source;
  }
  for (int32_t i = 0; i < loop->count; i++) {
    // The states stand in a row.
    lower_moves_note_read(moves, i, moves->source[i] - moves->state[0]);
  }
  lower_moves_add(lower, moves);
}

// Parameters first, then results.
static void set_signature(lower_t *lower, int32_t computation, int32_t parameter_count,
                          const int32_t *parameters, int32_t result_count) {
  lower_computation_t *it = &lower->computations.items[computation];
  it->refs = lower->refs.count;
  it->parameter_count = parameter_count;
  it->result_count = result_count;
  for (int32_t i = 0; i < parameter_count; i++) {
    lower_add_ref(lower, parameters[i]);
  }
}

static pod_status_t lower_cond(lower_t *lower, const loop_t *loop, int32_t computation) {
  const mlir_block_t *cond = mlir_op_block(loop->op, 0);
  lower->computation = computation;
  POD_TRY(lower_block(lower, cond));
  const int32_t flag = lower_var_of(lower, cond->last->operands[0]);
  lower_read_var(lower, flag, false);
  for (int32_t i = 0; i < loop->count; i++) {  // The loop may end here, with this state.
    lower_live_until(lower, loop->moves.state[i], 2 * lower->time + 1);
  }
  lower->time++;
  set_signature(lower, computation, loop->count, loop->moves.state, 1);
  lower_add_ref(lower, flag);
  return NULL;
}

static pod_status_t lower_body(lower_t *lower, loop_t *loop, int32_t computation) {
  lower->computation = computation;
  POD_TRY(lower_block(lower, mlir_op_block(loop->op, 1)));
  end_body(lower, loop);
  set_signature(lower, computation, loop->count, loop->moves.state, loop->count);
  for (int32_t i = 0; i < loop->count; i++) {
    const int32_t last =
        loop->moves.next[i] == CHIP_NONE ? loop->moves.state[i] : loop->moves.next[i];
    lower_live_until(lower, last, 2 * lower->time);
    lower_add_ref(lower, last);
  }
  return NULL;
}

static void end_loop(lower_t *lower, const loop_t *loop, int32_t cond, int32_t body) {
  const int32_t first_result = lower->vars.count;
  for (int32_t i = 0; i < loop->count; i++) {
    const int32_t state = loop->moves.state[i];
    lower->vars.items[loop->start[i]].twin = state;
    if (loop->moves.next[i] != CHIP_NONE) {
      lower->vars.items[loop->moves.next[i]].twin = state;
    }
    const int32_t result = lower_add_result(lower, &loop->op->results[i]);
    lower->vars.items[result].twin = state;
  }
  lower_node_t *node = lower_add_node(lower, CHIP_OP_WHILE, loop->op);
  node->result_count = loop->count;
  node->call_count = 2;
  for (int32_t i = 0; i < loop->count; i++) {
    lower_add_ref(lower, first_result + i);
  }
  lower_add_ref(lower, cond);
  lower_add_ref(lower, body);
  lower->time++;
}

static pod_status_t lower_while(lower_t *lower, const mlir_op_t *op) {
  const int32_t count = op->operand_count;
  loop_t loop = {
      .op = op,
      .count = count,
      .start = pod_arena_array(lower->module->arena, (size_t)count, sizeof(int32_t)),
      .moves = lower_moves_make(lower, op, LOWER_WISH_STATE, count)};
  start_loop(lower, &loop);
  const int32_t outer = lower->computation;
  lower_enter_scope(lower);
  for (int32_t i = 0; i < loop.count; i++) {
    loop.moves.state[i] = lower_add_like(lower, loop.start[i]);
    lower->var_of[mlir_op_block(op, 0)->arguments[i]->id] = loop.moves.state[i];
    lower->var_of[mlir_op_block(op, 1)->arguments[i]->id] = loop.moves.state[i];
  }
  lower->time++;
  const int32_t cond = lower_add_computation(lower, "cond"),
                body = lower_add_computation(lower, "body");
  POD_TRY(lower_cond(lower, &loop, cond));
  POD_TRY(lower_body(lower, &loop, body));
  lower_leave_scope(lower);
  lower->computation = outer;
  end_loop(lower, &loop, cond, body);
  return NULL;
}

// --- Branches ---

static pod_status_t lower_branch(lower_t *lower, const mlir_op_t *op, int index,
                                 int32_t first_result, int32_t computation) {
  const mlir_block_t *block = mlir_op_block(op, index);
  lower->computation = computation;
  POD_TRY(lower_block(lower, block));
  const int32_t first = lower->vars.count;
  for (int32_t i = 0; i < op->result_count; i++) {
    const int32_t result = lower_add_like(lower, first_result + i);
    lower->vars.items[result].twin = first_result + i;
  }
  for (int32_t i = 0; i < op->result_count; i++) {
    lower_add_move(lower, CHIP_OP_COPY, op, first + i,
                   lower_var_of(lower, block->last->operands[i]), LOWER_WISH_STATE);
  }
  for (int32_t i = 0; i < op->result_count; i++) {
    lower_live_until(lower, first + i, 2 * lower->time);
  }
  lower->time++;
  set_signature(lower, computation, 0, NULL, op->result_count);
  for (int32_t i = 0; i < op->result_count; i++) {
    lower_add_ref(lower, first + i);
  }
  return NULL;
}

static pod_status_t lower_branches(lower_t *lower, const mlir_op_t *op) {
  const int32_t selector = lower_var_of(lower, op->operands[0]);
  lower_read_var(lower, selector, false);
  const int32_t first_result = lower->vars.count;
  for (int32_t i = 0; i < op->result_count; i++) {
    lower_add_result(lower, &op->results[i]);
  }
  lower->time++;
  const int32_t outer = lower->computation, first_call = lower->computations.count;
  for (int i = 0; i < op->region_count; i++) {
    lower_add_computation(lower, "branch");
  }
  for (int i = 0; i < op->region_count; i++) {
    POD_TRY(lower_branch(lower, op, i, first_result, first_call + i));
  }
  lower->computation = outer;
  for (int32_t i = 0; i < op->result_count; i++) {
    lower->vars.items[first_result + i].born = 2 * lower->time + 1;
    lower_live_until(lower, first_result + i, 2 * lower->time + 1);
  }
  lower_node_t *node = lower_add_node(lower, (chip_op_t)op->kind, op);
  node->operand_count = 1;
  node->result_count = op->result_count;
  node->call_count = op->region_count;
  lower_add_ref(lower, selector);
  for (int32_t i = 0; i < op->result_count; i++) {
    lower_add_ref(lower, first_result + i);
  }
  for (int i = 0; i < op->region_count; i++) {
    lower_add_ref(lower, first_call + i);
  }
  lower->time++;
  return NULL;
}

// --- Regions over elements ---

// The region runs over and over while the operands are read and the results written.
static pod_status_t lower_region(lower_t *lower, const mlir_op_t *op, int index,
                                 int32_t *out_computation) {
  const mlir_block_t *block = mlir_op_block(op, index);
  const int32_t outer = lower->computation;
  lower_enter_scope(lower);
  const int32_t first = lower->vars.count;
  for (int i = 0; i < block->argument_count; i++) {
    lower->var_of[block->arguments[i]->id] =
        lower_add_var(lower, &block->arguments[i]->type->shape);
  }
  lower->time++;
  const int32_t computation = lower_add_computation(lower, "region");
  lower->computation = computation;
  POD_TRY(lower_block(lower, block));
  const int32_t until = 2 * lower->time + 1;
  int32_t *parameters = pod_arena_array(
      lower->module->arena, (size_t)block->argument_count, sizeof(*parameters));
  for (int i = 0; i < block->argument_count; i++) {
    parameters[i] = first + i;
    lower_live_until(lower, first + i, until);
  }
  set_signature(lower, computation, block->argument_count, parameters,
                block->last->operand_count);
  for (int i = 0; i < block->last->operand_count; i++) {
    const int32_t result = lower_var_of(lower, block->last->operands[i]);
    lower_read_var(lower, result, false);
    lower_add_ref(lower, result);
  }
  lower_leave_scope(lower);
  lower->computation = outer;
  *out_computation = computation;
  return NULL;
}

// --- Everything else ---

// The result that may take the memory of operand `index`; CHIP_NONE for others.
static int in_place_of(lower_t *lower, const mlir_op_t *op, int index) {
  int64_t count;
  const int64_t *pairs;
  if (op->kind == CHIP_OP_KERNEL &&
      mlir_attr_as_i64s(lower->module, mlir_op_attr(op, "aliases"), &count, &pairs)) {
    for (int64_t i = 0; i + 1 < count; i += 2) {
      if (pairs[i] == index && pairs[i + 1] >= 0 && pairs[i + 1] < op->result_count) {
        return (int)pairs[i + 1];
      }
    }
  }
  return op->result_count == 1 && lower_works_in_place((chip_op_t)op->kind, index)
             ? 0
             : CHIP_NONE;
}

// How many regions over elements `op` has that become computations: none when its only
// one is a known reducer.
static int own_region_count(const lower_t *lower, const mlir_op_t *op) {
  if (lower->kernels != NULL) {
    return 0;  // Its elements are in registers.
  }
  return compiler_reducer(op) == CHIP_REDUCER_NONE || op->kind == CHIP_OP_SORT ||
                 op->kind == CHIP_OP_MAP
             ? op->region_count
             : 0;
}

enum { REGIONS_MAX = 2 };  // What a shape rule lets pass.

// The regions run while the results are written: what they make and what they read from
// outside lives as long.
static void keep_regions(lower_t *lower, int32_t first_var, int32_t end_var,
                         int32_t first_scope) {
  const int32_t until = 2 * lower->time + 1;
  for (int32_t var = first_var; var < end_var; var++) {
    lower_live_until(lower, var, until);
  }
  for (int32_t scope = first_scope; scope < lower->scopes.count; scope++) {
    for (int32_t i = lower->scopes.items[scope].captured_first; i != CHIP_NONE;
         i = lower->captures.items[i].next) {
      lower_live_until(lower, lower->captures.items[i].var, until);
    }
  }
}

static bool may_be_in_place(lower_t *lower, const mlir_op_t *op) {
  for (int i = 0; i < op->operand_count; i++) {
    if (in_place_of(lower, op, i) != CHIP_NONE) {
      return true;
    }
  }
  return false;
}

// Returns the first.
static int32_t add_own_results(lower_t *lower, const mlir_op_t *op) {
  const int32_t first = lower->vars.count;
  for (int i = 0; i < op->result_count; i++) {
    lower_add_result(lower, &op->results[i]);
  }
  return first;
}

static pod_status_t lower_plain(lower_t *lower, const mlir_op_t *op) {
  const chip_op_t kind = (chip_op_t)op->kind;
  const int region_count = own_region_count(lower, op);
  const bool is_in_place = may_be_in_place(lower, op);
  int32_t first_result = is_in_place ? CHIP_NONE : add_own_results(lower, op);
  const int32_t first_var = lower->vars.count, first_scope = lower->scopes.count;
  int32_t regions[REGIONS_MAX];
  for (int i = 0; i < region_count && i < REGIONS_MAX; i++) {
    POD_TRY(lower_region(lower, op, i, &regions[i]));
  }
  if (is_in_place) {  // What the results take the place of is read after the regions.
    first_result = add_own_results(lower, op);
    keep_regions(lower, first_var, first_result, first_scope);
  }
  for (int i = 0; i < op->operand_count; i++) {
    const int32_t operand = lower_var_of(lower, op->operands[i]);
    const int at = in_place_of(lower, op, i);
    const bool in_place =
        at != CHIP_NONE && lower->vars.items[operand].size_bytes ==
                               lower->vars.items[first_result + at].size_bytes;
    lower_read_var(lower, operand, in_place);
    if (in_place) {
      const bool updates = chip_op_has((int)kind, CHIP_TRAIT_UPDATES);
      lower_add_wish(lower, updates ? LOWER_WISH_UPDATE : LOWER_WISH_IN_PLACE,
                     first_result + at, operand);
    }
  }
  lower_node_t *node = lower_add_node(lower, kind, op);
  node->operand_count = op->operand_count;
  node->result_count = op->result_count;
  node->call_count = region_count;
  for (int i = 0; i < op->operand_count; i++) {
    lower_add_ref(lower, lower_var_of(lower, op->operands[i]));
  }
  for (int i = 0; i < op->result_count; i++) {
    lower_live_until(lower, first_result + i, 2 * lower->time + 1);
    lower_add_ref(lower, first_result + i);
  }
  for (int i = 0; i < region_count; i++) {
    lower_add_ref(lower, regions[i]);
  }
  lower->time++;
  return NULL;
}

// One over several arrays moves them side by side.
static pod_status_t lower_collective(lower_t *lower, const mlir_op_t *op) {
  int32_t region = CHIP_NONE;
  if (own_region_count(lower, op) > 0) {
    POD_TRY(lower_region(lower, op, 0, &region));
  }
  const int32_t first_result = lower->vars.count;
  for (int i = 0; i < op->result_count; i++) {
    (void)lower_add_result(lower, &op->results[i]);
  }
  for (int i = 0; i < op->operand_count; i++) {
    lower_read_var(lower, lower_var_of(lower, op->operands[i]), false);
    lower_live_until(lower, first_result + i, 2 * lower->time + 1);
  }
  lower_node_t *node = lower_add_node(lower, (chip_op_t)op->kind, op);
  node->operand_count = node->result_count = op->operand_count;
  node->call_count = region != CHIP_NONE;
  for (int i = 0; i < op->operand_count; i++) {
    lower_add_ref(lower, lower_var_of(lower, op->operands[i]));
  }
  for (int i = 0; i < op->result_count; i++) {
    lower_add_ref(lower, first_result + i);
  }
  if (region != CHIP_NONE) {
    lower_add_ref(lower, region);
  }
  lower->time++;
  return NULL;
}

// All operands are read while the results are written.
static void lower_kernel(lower_t *lower, const lower_kernel_t *kernel) {
  const int32_t first_result = lower->vars.count;
  for (int32_t i = 0; i < kernel->result_count; i++) {
    const int32_t result = lower_add_result(lower, kernel->results[i]);
    if (kernel->is_in_vmem[i]) {
      lower->vars.items[result].size_bytes = 0;
    }
  }
  for (int32_t i = 0; i < kernel->operand_count; i++) {
    const lower_operand_t *it = &kernel->operands[i];
    const int32_t operand = lower_var_of(lower, it->value);
    lower_read_var(lower, operand, it->result != CHIP_NONE);
    if (it->result != CHIP_NONE) {
      lower_add_wish(lower, it->is_update ? LOWER_WISH_UPDATE : LOWER_WISH_IN_PLACE,
                     first_result + it->result, operand);
    }
  }
  lower_node_t *node = lower_add_node(lower, (chip_op_t)kernel->root->kind, kernel->root);
  node->operand_count = kernel->operand_count;
  node->result_count = kernel->result_count;
  for (int32_t i = 0; i < kernel->operand_count; i++) {
    lower_add_ref(lower, lower_var_of(lower, kernel->operands[i].value));
  }
  for (int32_t i = 0; i < kernel->result_count; i++) {
    lower_live_until(lower, first_result + i, 2 * lower->time + 1);
    lower_add_ref(lower, first_result + i);
  }
  lower->time++;
}

// Whether `op` has been seen to with a kernel.
static bool lower_kernel_of(lower_t *lower, const mlir_op_t *op) {
  const lower_kernels_t *kernels = lower->kernels;
  if (kernels == NULL || op->id >= kernels->op_count ||
      kernels->kernel_of[op->id] == CHIP_NONE) {
    return false;
  }
  if (kernels->kernel_of[op->id] != LOWER_INSIDE) {
    lower_kernel(lower, &kernels->kernels[kernels->kernel_of[op->id]]);
  }
  return true;
}

static pod_status_t lower_op(lower_t *lower, const mlir_op_t *op) {
  if (!compiler_is_row(op->kind)) {
    return mlir_op_error(lower->module, op, POD_UNIMPLEMENTED,
                         "cannot run on a chip: it should have gone before");
  }
  if (lower_kernel_of(lower, op)) {
    return NULL;
  }
  switch (op->kind) {
    case CHIP_OP_CONSTANT:
      lower->var_of[op->results[0].id] = lower_constant_var(lower, op);
      return NULL;
    case CHIP_OP_RESHAPE: {
      const int32_t source = lower_var_of(lower, op->operands[0]);
      if (lower->kernels != NULL) {
        lower->var_of[op->results[0].id] = source;
        return NULL;
      }
      lower_add_move(lower, CHIP_OP_RESHAPE, op, lower_add_result(lower, &op->results[0]),
                     source, LOWER_WISH_VIEW);
      return NULL;
    }
    case CHIP_OP_OPTIMIZATION_BARRIER:
      for (int i = 0; i < op->result_count; i++) {
        lower->var_of[op->results[i].id] = lower_var_of(lower, op->operands[i]);
      }
      return NULL;
    case CHIP_OP_WHILE:
      return lower_while(lower, op);
    case CHIP_OP_IF:
    case CHIP_OP_CASE:
      return lower_branches(lower, op);
    default:
      return chip_op_has(op->kind, CHIP_TRAIT_COLLECTIVE) ? lower_collective(lower, op)
                                                          : lower_plain(lower, op);
  }
}

// Regions in regions that chip_program_check lets pass, with some room.
enum { REGION_DEPTH_MAX = CHIP_CALL_DEPTH_MAX - 8 };

static pod_status_t check_bounds(const lower_t *lower, const mlir_op_t *op) {
  if (lower->computations.count > CHIP_COMPUTATIONS_MAX ||
      lower->nodes.count > CHIP_INSTRUCTIONS_MAX) {
    return mlir_op_error(lower->module, op, POD_RESOURCE_EXHAUSTED,
                         "the program has more than %d instructions or %d regions",
                         (int)CHIP_INSTRUCTIONS_MAX, (int)CHIP_COMPUTATIONS_MAX);
  }
  if (lower->depth > REGION_DEPTH_MAX) {
    return mlir_op_error(lower->module, op, POD_RESOURCE_EXHAUSTED,
                         "its region nests deeper than %d", (int)REGION_DEPTH_MAX);
  }
  return NULL;
}

// All but the return at its end. What is left half done by an error is thrown away.
static pod_status_t lower_block(lower_t *lower, const mlir_block_t *block) {
  lower->depth++;
  for (const mlir_op_t *op = block->first; op != block->last; op = op->next) {
    POD_TRY(check_bounds(lower, op));
    POD_TRY(lower_op(lower, op));
  }
  lower->depth--;
  return NULL;
}

// --- The whole ---

// A donated argument lies where its result lies, and lives only as long as it is read.
static const int32_t *add_arguments(lower_t *lower, const mlir_block_t *block) {
  int32_t *arguments = pod_arena_array(lower->module->arena,
                                       (size_t)block->argument_count, sizeof(*arguments));
  for (int i = 0; i < block->argument_count; i++) {
    arguments[i] = lower_add_var(lower, &block->arguments[i]->type->shape);
    const int32_t result = lower->donation.result_of[i];
    const bool is_donated = result != CHIP_NONE;
    lower_var_t *var = &lower->vars.items[arguments[i]];
    var->born = 0;
    var->is_host = lower_is_host(lower, block->arguments[i]);
    var->dies = is_donated ? 0 : LOWER_FOREVER;
    var->home = is_donated ? CHIP_BUFFER_RESULT : CHIP_BUFFER_ARGUMENT;
    var->home_index = is_donated ? result : i;
    lower->var_of[block->arguments[i]->id] = arguments[i];
  }
  return arguments;
}

static void set_result(lower_t *lower, int32_t var, int32_t index) {
  lower->vars.items[var].home = CHIP_BUFFER_RESULT;
  lower->vars.items[var].home_index = index;
  lower->vars.items[var].dies = LOWER_FOREVER;
}

// Results of their own memory first: they may read what the others write over.
static const int32_t *add_results(lower_t *lower, const mlir_op_t *end,
                                  const int32_t *arguments, int32_t argument_count) {
  const donation_t *donation = &lower->donation;
  lower_moves_t moves =
      lower_moves_make(lower, end, LOWER_WISH_RESULT, end->operand_count);
  int32_t *results =
      pod_arena_array(lower->module->arena, (size_t)end->operand_count, sizeof(*results));
  for (int32_t i = 0; i < end->operand_count; i++) {
    const int32_t source = lower_var_of(lower, end->operands[i]);
    const int32_t argument = donation->argument_of[i];
    moves.source[i] = argument == CHIP_NONE ? CHIP_NONE : source;
    moves.state[i] = argument == CHIP_NONE ? CHIP_NONE : arguments[argument];
    if (argument == CHIP_NONE) {
      results[i] = lower_add_like(lower, source);
      lower_add_move(lower, CHIP_OP_COPY, end, results[i], source, LOWER_WISH_RESULT);
      set_result(lower, results[i], i);
    }
  }
  for (int32_t i = 0; i < end->operand_count; i++) {
    // The arguments are the first variables.
    const int32_t source = moves.source[i];
    lower_moves_note_read(&moves, i,
                          source != CHIP_NONE && source < argument_count
                              ? donation->result_of[source]
                              : CHIP_NONE);
  }
  lower_moves_add(lower, &moves);
  for (int32_t i = 0; i < end->operand_count; i++) {
    if (moves.next[i] != CHIP_NONE) {
      results[i] = moves.next[i];
      set_result(lower, results[i], i);
      lower_add_wish(lower, LOWER_WISH_DONATION, results[i], moves.state[i]);
    }
  }
  return results;
}

pod_status_t lower_linearize(lower_t *lower) {
  const mlir_block_t *block = mlir_op_block(lower->main, 0);
  const mlir_op_t *end = block->last;
  lower->scope = CHIP_NONE;
  lower->computation = lower_add_computation(lower, "main");
  const int32_t *arguments = add_arguments(lower, block);
  lower->time++;
  POD_TRY(lower_block(lower, block));
  const int32_t *results = add_results(lower, end, arguments, block->argument_count);
  set_signature(lower, 0, block->argument_count, arguments, end->operand_count);
  for (int i = 0; i < end->operand_count; i++) {
    lower_add_ref(lower, results[i]);
  }
  return NULL;
}
