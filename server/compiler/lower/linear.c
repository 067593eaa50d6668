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

// --- The lists ---

static int64_t size_of(const lower_t *lower, const tensor_shape_t *shape) {
  if (lower->kernels == NULL) {
    return tensor_shape_bytes(shape);
  }
  return tensor_shape_elements(shape) == 1 ? 0 : lower->kernels->bytes_of(shape);
}

static int32_t add_var(lower_t *lower, const tensor_shape_t *shape) {
  const int32_t var = lower->vars.count;
  *pod_list_add(&lower->vars) = (lower_var_t){.shape = shape,
                                              .size_bytes = size_of(lower, shape),
                                              .born = 2 * lower->time + 1,
                                              .dies = 2 * lower->time + 1,
                                              .content = var,
                                              .scope = lower->scope,
                                              .captured_by = CHIP_NONE,
                                              .twin = var,
                                              .home = CHIP_BUFFER_TEMP};
  return var;
}

static int32_t add_like(lower_t *lower, int32_t var) {
  const int32_t like = add_var(lower, lower->vars.items[var].shape);
  lower->vars.items[like].is_host = lower->vars.items[var].is_host;
  return like;
}

static void add_ref(lower_t *lower, int32_t ref) {
  *pod_list_add(&lower->refs) = ref;
}

static lower_node_t *add_node(lower_t *lower, chip_op_t op, const mlir_op_t *source) {
  lower_node_t *node = pod_list_add(&lower->nodes);
  *node = (lower_node_t){.op = op,
                         .source = source,
                         .computation = lower->computation,
                         .time = lower->time,
                         .refs = lower->refs.count};
  return node;
}

static void add_wish(lower_t *lower, lower_wish_kind_t kind, int32_t a, int32_t b) {
  *pod_list_add(&lower->wishes) = (lower_wish_t){kind, a, b};
}

static int32_t add_computation(lower_t *lower, const char *name) {
  const int32_t computation = lower->computations.count;
  *pod_list_add(&lower->computations) = (lower_computation_t){
      .name = computation == 0
                  ? name
                  : pod_arena_printf(lower->module->arena, "%s.%d", name, computation)};
  return computation;
}

// --- Lives ---

static void live_until(lower_t *lower, int32_t var, int32_t half_time) {
  if (lower->vars.items[var].dies < half_time) {
    lower->vars.items[var].dies = half_time;
  }
}

static void add_capture(lower_t *lower, int32_t scope, int32_t var) {
  const int32_t capture = lower->captures.count;
  *pod_list_add(&lower->captures) =
      (lower_capture_t){var, lower->scopes.items[scope].captured_first};
  lower->scopes.items[scope].captured_first = capture;
}

// A reading at the present time. Every scope between here and where the variable was made
// captures it.
static void read_var(lower_t *lower, int32_t var, bool in_place) {
  live_until(lower, var, 2 * lower->time + (in_place ? 0 : 1));
  if (lower->vars.items[var].dies == LOWER_FOREVER ||
      lower->vars.items[var].scope == lower->scope ||
      lower->vars.items[var].captured_by == lower->scope) {
    return;
  }
  lower->vars.items[var].captured_by = lower->scope;
  int32_t scope = lower->scope;
  for (; scope != lower->vars.items[var].scope && scope != CHIP_NONE;
       scope = lower->scopes.items[scope].parent) {
    add_capture(lower, scope, var);
  }
}

static int32_t enter_scope(lower_t *lower) {
  const int32_t scope = lower->scopes.count;
  *pod_list_add(&lower->scopes) = (lower_scope_t){lower->scope, CHIP_NONE};
  lower->scope = scope;
  return lower->scope;
}

// What the scope has read from outside lives up to the present time.
static void leave_scope(lower_t *lower) {
  const lower_scope_t scope = lower->scopes.items[lower->scope];
  for (int32_t i = scope.captured_first; i != CHIP_NONE;
       i = lower->captures.items[i].next) {
    live_until(lower, lower->captures.items[i].var, 2 * lower->time);
  }
  lower->scope = scope.parent;
}

// --- Values ---

// The constant of that content; equal ones are one.
static int32_t constant_var(lower_t *lower, const mlir_op_t *op) {
  const mlir_attr_t *value = mlir_op_attr(op, "value");
  const tensor_shape_t *shape = &op->results[0].type->shape;
  pod_text_t key = {0};
  pod_text_printf(&key, "%d ", value->is_splat);
  tensor_shape_print(&key, shape);
  pod_text_add_bytes(&key, value->data, (size_t)value->length);
  void *known = pod_map_get_n(lower->constant_indexes, key.bytes, key.length);
  if (known != NULL) {
    pod_text_deinit(&key);
    return (int32_t)(intptr_t)known - 1;
  }
  const int32_t constant = lower->constants.count;
  *pod_list_add(&lower->constants) = (lower_constant_t){value, shape};
  const int32_t var = add_var(lower, shape);
  lower->vars.items[var].born = 0;
  lower->vars.items[var].dies = LOWER_FOREVER;
  lower->vars.items[var].scope = CHIP_NONE;
  lower->vars.items[var].home = CHIP_BUFFER_CONSTANT;
  lower->vars.items[var].home_index = constant;
  pod_map_put_n(lower->constant_indexes, key.bytes, key.length,
                (void *)(intptr_t)(var + 1));
  pod_text_deinit(&key);
  return var;
}

static int32_t var_of(const lower_t *lower, const mlir_value_t *value) {
  const int32_t var = lower->var_of[value->id];
  POD_CHECK(var != CHIP_NONE);
  return var;
}

static bool is_host(const lower_t *lower, const mlir_value_t *value) {
  return lower->is_host != NULL && lower->is_host[value->id];
}

static int32_t add_result(lower_t *lower, const mlir_value_t *value) {
  const int32_t var = add_var(lower, &value->type->shape);
  lower->vars.items[var].is_host = is_host(lower, value);
  lower->var_of[value->id] = var;
  return var;
}

// --- Moves ---

// target = source, at a time of its own.
static void add_move(lower_t *lower, chip_op_t op, const mlir_op_t *source_op,
                     int32_t target, int32_t source, lower_wish_kind_t wish) {
  lower_node_t *node = add_node(lower, op, source_op);
  node->is_move = true;
  node->operand_count = node->result_count = 1;
  add_ref(lower, source);
  add_ref(lower, target);
  read_var(lower, source, true);
  lower->vars.items[target].born = 2 * lower->time + 1;
  live_until(lower, target, 2 * lower->time + 1);
  lower->vars.items[target].content = lower->vars.items[source].content;
  add_wish(lower, wish, target, source);
  lower->time++;
}

static pod_status_t lower_block(lower_t *lower, const mlir_block_t *block);

// --- Copies that happen as if at once ---
//
// At the end of a loop's body, and at the end of the program for results that lie in
// donated arguments: copy i writes where state[i] lies, and others may read that.

typedef struct moves_t {
  const mlir_op_t *op;
  lower_wish_kind_t wish;
  int32_t count;
  int32_t *state;    // What lies where copy i writes.
  int32_t *source;   // What copy i reads; CHIP_NONE: there is nothing to copy.
  int32_t *reads;    // The other k whose state copy i reads, or CHIP_NONE.
  int32_t *readers;  // How many of the copies to come read state[i].
  int32_t *next;     // What copy i has written; CHIP_NONE before.
} moves_t;

static moves_t make_moves(lower_t *lower, const mlir_op_t *op, lower_wish_kind_t wish,
                          int32_t count) {
  const size_t size = (size_t)count;
  int32_t *lists = pod_arena_array(lower->module->arena, 5 * size, sizeof(*lists));
  moves_t moves = {.op = op,
                   .wish = wish,
                   .count = count,
                   .state = lists,
                   .source = lists + size,
                   .reads = lists + 2 * size,
                   .readers = lists + 3 * size,
                   .next = lists + 4 * size};
  for (int32_t i = 0; i < count; i++) {
    moves.reads[i] = moves.next[i] = CHIP_NONE;
  }
  return moves;
}

// Copy i reads state[k], which copy k writes over; k may be none of them, or i.
static void note_read(moves_t *moves, int32_t i, int32_t k) {
  if (moves->source[i] != CHIP_NONE && k >= 0 && k < moves->count && k != i &&
      moves->source[k] != CHIP_NONE) {
    moves->reads[i] = k;
    moves->readers[k]++;
  }
}

// Writes next[i]. What reads state[i] has gone before.
static void copy_next(lower_t *lower, moves_t *moves, int32_t i) {
  moves->next[i] = add_like(lower, moves->source[i]);
  add_move(lower, CHIP_OP_COPY, moves->op, moves->next[i], moves->source[i], moves->wish);
}

// The copy that reads state[at], where every copy left reads another's target: they form
// circles.
static int32_t reader_in_circle(const moves_t *moves, int32_t at) {
  int32_t i = at;
  while (moves->reads[i] != at) {
    i = moves->reads[i];
  }
  return i;
}

// One that reads another's target goes before it, and of those that read one another in a
// circle one reads from aside.
static void order_moves(lower_t *lower, moves_t *moves, int32_t *ready) {
  int32_t ready_count = 0, left = 0;
  for (int32_t i = 0; i < moves->count; i++) {
    left += moves->source[i] != CHIP_NONE;
    if (moves->source[i] != CHIP_NONE && moves->readers[i] == 0) {
      ready[ready_count++] = i;
    }
  }
  for (int32_t circle = 0; left > 0; left--) {
    if (ready_count == 0) {
      while (moves->source[circle] == CHIP_NONE || moves->next[circle] != CHIP_NONE) {
        circle++;
      }
      const int32_t aside = add_like(lower, moves->state[circle]);
      add_move(lower, CHIP_OP_COPY, moves->op, aside, moves->state[circle],
               LOWER_WISH_VIEW);
      const int32_t reader = reader_in_circle(moves, circle);
      moves->source[reader] = aside;
      moves->reads[reader] = CHIP_NONE;
      ready[ready_count++] = circle;
    }
    const int32_t i = ready[--ready_count];
    copy_next(lower, moves, i);
    const int32_t read = moves->reads[i];
    if (read != CHIP_NONE && --moves->readers[read] == 0) {
      ready[ready_count++] = read;
    }
  }
}

static void add_moves(lower_t *lower, moves_t *moves) {
  int32_t *ready = pod_alloc((size_t)moves->count * sizeof(*ready));
  order_moves(lower, moves, ready);
  free(ready);
}

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
  moves_t moves;  // state[i] and next[i].
} loop_t;

static void start_loop(lower_t *lower, loop_t *loop) {
  for (int32_t i = 0; i < loop->count; i++) {
    const int32_t source = var_of(lower, loop->op->operands[i]);
    loop->start[i] = add_like(lower, source);
    add_move(lower, CHIP_OP_COPY, loop->op, loop->start[i], source, LOWER_WISH_START);
  }
  for (int32_t i = 0; i < loop->count; i++) {
    live_until(lower, loop->start[i], 2 * lower->time);
  }
}

static void end_body(lower_t *lower, loop_t *loop) {
  const mlir_op_t *end = mlir_op_block(loop->op, 1)->last;
  moves_t *moves = &loop->moves;
  for (int32_t i = 0; i < loop->count; i++) {
    const int32_t source = var_of(lower, end->operands[i]);
    moves->source[i] = source == moves->state[i] ? CHIP_NONE : source;
  }
  for (int32_t i = 0; i < loop->count; i++) {
    // The states stand in a row.
    note_read(moves, i, moves->source[i] - moves->state[0]);
  }
  add_moves(lower, moves);
}

// Parameters first, then results.
static void set_signature(lower_t *lower, int32_t computation, int32_t parameter_count,
                          const int32_t *parameters, int32_t result_count) {
  lower_computation_t *it = &lower->computations.items[computation];
  it->refs = lower->refs.count;
  it->parameter_count = parameter_count;
  it->result_count = result_count;
  for (int32_t i = 0; i < parameter_count; i++) {
    add_ref(lower, parameters[i]);
  }
}

static pod_status_t lower_cond(lower_t *lower, const loop_t *loop, int32_t computation) {
  const mlir_block_t *cond = mlir_op_block(loop->op, 0);
  lower->computation = computation;
  POD_TRY(lower_block(lower, cond));
  const int32_t flag = var_of(lower, cond->last->operands[0]);
  read_var(lower, flag, false);
  for (int32_t i = 0; i < loop->count; i++) {  // The loop may end here, with this state.
    live_until(lower, loop->moves.state[i], 2 * lower->time + 1);
  }
  lower->time++;
  set_signature(lower, computation, loop->count, loop->moves.state, 1);
  add_ref(lower, flag);
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
    live_until(lower, last, 2 * lower->time);
    add_ref(lower, last);
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
    const int32_t result = add_result(lower, &loop->op->results[i]);
    lower->vars.items[result].twin = state;
  }
  lower_node_t *node = add_node(lower, CHIP_OP_WHILE, loop->op);
  node->result_count = loop->count;
  node->call_count = 2;
  for (int32_t i = 0; i < loop->count; i++) {
    add_ref(lower, first_result + i);
  }
  add_ref(lower, cond);
  add_ref(lower, body);
  lower->time++;
}

static pod_status_t lower_while(lower_t *lower, const mlir_op_t *op) {
  const int32_t count = op->operand_count;
  loop_t loop = {
      .op = op,
      .count = count,
      .start = pod_arena_array(lower->module->arena, (size_t)count, sizeof(int32_t)),
      .moves = make_moves(lower, op, LOWER_WISH_STATE, count)};
  start_loop(lower, &loop);
  const int32_t outer = lower->computation;
  enter_scope(lower);
  for (int32_t i = 0; i < loop.count; i++) {
    loop.moves.state[i] = add_like(lower, loop.start[i]);
    lower->var_of[mlir_op_block(op, 0)->arguments[i]->id] = loop.moves.state[i];
    lower->var_of[mlir_op_block(op, 1)->arguments[i]->id] = loop.moves.state[i];
  }
  lower->time++;
  const int32_t cond = add_computation(lower, "cond"),
                body = add_computation(lower, "body");
  POD_TRY(lower_cond(lower, &loop, cond));
  POD_TRY(lower_body(lower, &loop, body));
  leave_scope(lower);
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
    const int32_t result = add_like(lower, first_result + i);
    lower->vars.items[result].twin = first_result + i;
  }
  for (int32_t i = 0; i < op->result_count; i++) {
    add_move(lower, CHIP_OP_COPY, op, first + i, var_of(lower, block->last->operands[i]),
             LOWER_WISH_STATE);
  }
  for (int32_t i = 0; i < op->result_count; i++) {
    live_until(lower, first + i, 2 * lower->time);
  }
  lower->time++;
  set_signature(lower, computation, 0, NULL, op->result_count);
  for (int32_t i = 0; i < op->result_count; i++) {
    add_ref(lower, first + i);
  }
  return NULL;
}

static pod_status_t lower_branches(lower_t *lower, const mlir_op_t *op) {
  const int32_t selector = var_of(lower, op->operands[0]);
  read_var(lower, selector, false);
  const int32_t first_result = lower->vars.count;
  for (int32_t i = 0; i < op->result_count; i++) {
    add_result(lower, &op->results[i]);
  }
  lower->time++;
  const int32_t outer = lower->computation, first_call = lower->computations.count;
  for (int i = 0; i < op->region_count; i++) {
    add_computation(lower, "branch");
  }
  for (int i = 0; i < op->region_count; i++) {
    POD_TRY(lower_branch(lower, op, i, first_result, first_call + i));
  }
  lower->computation = outer;
  for (int32_t i = 0; i < op->result_count; i++) {
    lower->vars.items[first_result + i].born = 2 * lower->time + 1;
    live_until(lower, first_result + i, 2 * lower->time + 1);
  }
  lower_node_t *node = add_node(lower, (chip_op_t)op->kind, op);
  node->operand_count = 1;
  node->result_count = op->result_count;
  node->call_count = op->region_count;
  add_ref(lower, selector);
  for (int32_t i = 0; i < op->result_count; i++) {
    add_ref(lower, first_result + i);
  }
  for (int i = 0; i < op->region_count; i++) {
    add_ref(lower, first_call + i);
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
  enter_scope(lower);
  const int32_t first = lower->vars.count;
  for (int i = 0; i < block->argument_count; i++) {
    lower->var_of[block->arguments[i]->id] =
        add_var(lower, &block->arguments[i]->type->shape);
  }
  lower->time++;
  const int32_t computation = add_computation(lower, "region");
  lower->computation = computation;
  POD_TRY(lower_block(lower, block));
  const int32_t until = 2 * lower->time + 1;
  int32_t *parameters = pod_arena_array(
      lower->module->arena, (size_t)block->argument_count, sizeof(*parameters));
  for (int i = 0; i < block->argument_count; i++) {
    parameters[i] = first + i;
    live_until(lower, first + i, until);
  }
  set_signature(lower, computation, block->argument_count, parameters,
                block->last->operand_count);
  for (int i = 0; i < block->last->operand_count; i++) {
    const int32_t result = var_of(lower, block->last->operands[i]);
    read_var(lower, result, false);
    add_ref(lower, result);
  }
  leave_scope(lower);
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

static pod_status_t lower_plain(lower_t *lower, const mlir_op_t *op) {
  const chip_op_t kind = (chip_op_t)op->kind;
  const int32_t first_result = lower->vars.count;
  for (int i = 0; i < op->result_count; i++) {
    add_result(lower, &op->results[i]);
  }
  const int region_count = own_region_count(lower, op);
  int32_t regions[REGIONS_MAX];
  for (int i = 0; i < region_count && i < REGIONS_MAX; i++) {
    POD_TRY(lower_region(lower, op, i, &regions[i]));
  }
  for (int i = 0; i < op->operand_count; i++) {
    const int32_t operand = var_of(lower, op->operands[i]);
    const int at = in_place_of(lower, op, i);
    const bool in_place =
        at != CHIP_NONE && lower->vars.items[operand].size_bytes ==
                               lower->vars.items[first_result + at].size_bytes;
    read_var(lower, operand, in_place);
    if (in_place) {
      const bool updates = chip_op_has((int)kind, CHIP_TRAIT_UPDATES);
      add_wish(lower, updates ? LOWER_WISH_UPDATE : LOWER_WISH_IN_PLACE,
               first_result + at, operand);
    }
  }
  lower_node_t *node = add_node(lower, kind, op);
  node->operand_count = op->operand_count;
  node->result_count = op->result_count;
  node->call_count = region_count;
  for (int i = 0; i < op->operand_count; i++) {
    add_ref(lower, var_of(lower, op->operands[i]));
  }
  for (int i = 0; i < op->result_count; i++) {
    live_until(lower, first_result + i, 2 * lower->time + 1);
    add_ref(lower, first_result + i);
  }
  for (int i = 0; i < region_count; i++) {
    add_ref(lower, regions[i]);
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
    (void)add_result(lower, &op->results[i]);
  }
  for (int i = 0; i < op->operand_count; i++) {
    read_var(lower, var_of(lower, op->operands[i]), false);
    live_until(lower, first_result + i, 2 * lower->time + 1);
  }
  lower_node_t *node = add_node(lower, (chip_op_t)op->kind, op);
  node->operand_count = node->result_count = op->operand_count;
  node->call_count = region != CHIP_NONE;
  for (int i = 0; i < op->operand_count; i++) {
    add_ref(lower, var_of(lower, op->operands[i]));
  }
  for (int i = 0; i < op->result_count; i++) {
    add_ref(lower, first_result + i);
  }
  if (region != CHIP_NONE) {
    add_ref(lower, region);
  }
  lower->time++;
  return NULL;
}

// All operands are read while the results are written.
static void lower_kernel(lower_t *lower, const lower_kernel_t *kernel) {
  const int32_t first_result = lower->vars.count;
  for (int32_t i = 0; i < kernel->result_count; i++) {
    const int32_t result = add_result(lower, kernel->results[i]);
    if (kernel->is_in_vmem[i]) {
      lower->vars.items[result].size_bytes = 0;
    }
  }
  for (int32_t i = 0; i < kernel->operand_count; i++) {
    const lower_operand_t *it = &kernel->operands[i];
    const int32_t operand = var_of(lower, it->value);
    read_var(lower, operand, it->result != CHIP_NONE);
    if (it->result != CHIP_NONE) {
      add_wish(lower, it->is_update ? LOWER_WISH_UPDATE : LOWER_WISH_IN_PLACE,
               first_result + it->result, operand);
    }
  }
  lower_node_t *node = add_node(lower, (chip_op_t)kernel->root->kind, kernel->root);
  node->operand_count = kernel->operand_count;
  node->result_count = kernel->result_count;
  for (int32_t i = 0; i < kernel->operand_count; i++) {
    add_ref(lower, var_of(lower, kernel->operands[i].value));
  }
  for (int32_t i = 0; i < kernel->result_count; i++) {
    live_until(lower, first_result + i, 2 * lower->time + 1);
    add_ref(lower, first_result + i);
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
      lower->var_of[op->results[0].id] = constant_var(lower, op);
      return NULL;
    case CHIP_OP_RESHAPE: {
      const int32_t source = var_of(lower, op->operands[0]);
      if (lower->kernels != NULL) {
        lower->var_of[op->results[0].id] = source;
        return NULL;
      }
      add_move(lower, CHIP_OP_RESHAPE, op, add_result(lower, &op->results[0]), source,
               LOWER_WISH_VIEW);
      return NULL;
    }
    case CHIP_OP_OPTIMIZATION_BARRIER:
      for (int i = 0; i < op->result_count; i++) {
        lower->var_of[op->results[i].id] = var_of(lower, op->operands[i]);
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
    arguments[i] = add_var(lower, &block->arguments[i]->type->shape);
    const int32_t result = lower->donation.result_of[i];
    const bool is_donated = result != CHIP_NONE;
    lower_var_t *var = &lower->vars.items[arguments[i]];
    var->born = 0;
    var->is_host = is_host(lower, block->arguments[i]);
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
  moves_t moves = make_moves(lower, end, LOWER_WISH_RESULT, end->operand_count);
  int32_t *results =
      pod_arena_array(lower->module->arena, (size_t)end->operand_count, sizeof(*results));
  for (int32_t i = 0; i < end->operand_count; i++) {
    const int32_t source = var_of(lower, end->operands[i]);
    const int32_t argument = donation->argument_of[i];
    moves.source[i] = argument == CHIP_NONE ? CHIP_NONE : source;
    moves.state[i] = argument == CHIP_NONE ? CHIP_NONE : arguments[argument];
    if (argument == CHIP_NONE) {
      results[i] = add_like(lower, source);
      add_move(lower, CHIP_OP_COPY, end, results[i], source, LOWER_WISH_RESULT);
      set_result(lower, results[i], i);
    }
  }
  for (int32_t i = 0; i < end->operand_count; i++) {
    // The arguments are the first variables.
    const int32_t source = moves.source[i];
    note_read(&moves, i,
              source != CHIP_NONE && source < argument_count ? donation->result_of[source]
                                                             : CHIP_NONE);
  }
  add_moves(lower, &moves);
  for (int32_t i = 0; i < end->operand_count; i++) {
    if (moves.next[i] != CHIP_NONE) {
      results[i] = moves.next[i];
      set_result(lower, results[i], i);
      add_wish(lower, LOWER_WISH_DONATION, results[i], moves.state[i]);
    }
  }
  return results;
}

pod_status_t lower_linearize(lower_t *lower) {
  const mlir_block_t *block = mlir_op_block(lower->main, 0);
  const mlir_op_t *end = block->last;
  lower->scope = CHIP_NONE;
  lower->computation = add_computation(lower, "main");
  const int32_t *arguments = add_arguments(lower, block);
  lower->time++;
  POD_TRY(lower_block(lower, block));
  const int32_t *results = add_results(lower, end, arguments, block->argument_count);
  set_signature(lower, 0, block->argument_count, arguments, end->operand_count);
  for (int i = 0; i < end->operand_count; i++) {
    add_ref(lower, results[i]);
  }
  return NULL;
}
