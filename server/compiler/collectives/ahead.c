// Software pipelining (Lam, 1988) of a loop's collectives, as XLA's collective pipeliner:
// what a turn gathers and needs nothing of the turn but its number, such as a layer's
// weights out of the stack of all, is gathered in the turn before, behind its products.
// So is what a turn fetches of a stack in the host's memory: a layer's activations or
// optimizer state.
//
//   for i: g = gather(w[i]); x = f(x, g)
//   g = gather(w[0]); for i: h = gather(w[i + 1]); x = f(x, g); g = h
//
// The last turn gathers once more: dynamic_slice takes the last part again, and nobody
// reads it. What needs not even the number is done once before the loop.

#include <stdio.h>
#include <stdlib.h>

#include "common/base/memory.h"
#include "common/mlir/walk.h"
#include "server/compiler/collectives/rewrite.h"
#include "server/compiler/dialect/counter.h"
#include "server/compiler/placement/placement.h"
#include "server/program/operations.h"

enum { AHEAD_MAX = 64 };

// Each by itself: one may save time where both do not fit.
typedef enum ahead_kind_t {
  AHEAD_TRANSFERS = 0,  // From the host's memory.
  AHEAD_COLLECTIVES,
  AHEAD_KINDS,
} ahead_kind_t;

typedef struct ahead_t {
  rewrite_t *rewrite;
  ahead_kind_t kind;
  mlir_op_t *loop;
  mlir_block_t *body;
  compiler_counter_t counter;
  bool *is_known;   // By op id: of the body, and needs only the turn's number.
  bool *feeds;      // By op id: a known one of the kind needs it.
  bool *is_needed;  // By op id: for those that go ahead.
  uint32_t op_count;
  POD_LIST(mlir_op_t *) chosen;  // That go ahead.
} ahead_t;

// Does not fail and is quickly done, whatever the number.
static bool may_be_done_ahead(const mlir_op_t *op) {
  switch (op->kind) {
    case CHIP_OP_ALL_GATHER:
    case CHIP_OP_ALL_TO_ALL:
    case CHIP_OP_COLLECTIVE_PERMUTE:
    case CHIP_OP_CONSTANT:
    case CHIP_OP_PARTITION_ID:
    case CHIP_OP_RESHAPE:
    case CHIP_OP_TRANSPOSE:
    case CHIP_OP_SLICE:
    case CHIP_OP_DYNAMIC_SLICE:
    case CHIP_OP_BROADCAST_IN_DIM:
    case CHIP_OP_TO_DEVICE:
      return true;
    case CHIP_OP_DIVIDE:
    case CHIP_OP_REMAINDER:
      return false;
    default:
      return op->region_count == 0 && op->result_count == 1 &&
             chip_op_has(op->kind, CHIP_TRAIT_ELEMENTWISE) &&
             !chip_op_has(op->kind, CHIP_TRAIT_TRANSCENDENTAL | CHIP_TRAIT_CHECKS);
  }
}

static bool is_known_value(const ahead_t *ahead, const mlir_value_t *value) {
  if (value->op != NULL && value->op->block == ahead->body) {
    return ahead->is_known[value->op->id];
  }
  return value->block != ahead->body ||
         value == ahead->body->arguments[ahead->counter.index];
}

static void find_known(ahead_t *ahead) {
  for (const mlir_op_t *op = ahead->body->first; op != ahead->body->last; op = op->next) {
    bool is_known = may_be_done_ahead(op);
    for (int i = 0; i < op->operand_count; i++) {
      is_known = is_known && is_known_value(ahead, op->operands[i]);
    }
    ahead->is_known[op->id] = is_known;
  }
}

// Operations that use values come later, so going backwards meets them first.
static void mark_operands(const ahead_t *ahead, const mlir_op_t *op, bool *marks) {
  for (int i = 0; i < op->operand_count; i++) {
    const mlir_op_t *from = op->operands[i]->op;
    if (from != NULL && from->block == ahead->body) {
      marks[from->id] = true;
    }
  }
}

static bool is_read_in_turn(const ahead_t *ahead, const mlir_op_t *op) {
  const mlir_op_t *end = ahead->body->last;
  for (const mlir_op_t *at = op->next; at != end; at = at->next) {
    for (int i = 0; i < at->operand_count; i++) {
      if (at->operands[i]->op == op) {
        return true;
      }
    }
    for (const mlir_op_t *in = mlir_walk_first(at); in != NULL;
         in = mlir_walk_next(at, in)) {
      for (int i = 0; i < in->operand_count; i++) {
        if (in->operands[i]->op == op) {
          return true;
        }
      }
    }
  }
  return false;
}

static bool is_of_kind(const ahead_t *ahead, const mlir_op_t *op) {
  return ahead->kind == AHEAD_COLLECTIVES
             ? chip_op_has(op->kind, CHIP_TRAIT_COLLECTIVE)
             : placement_is_transfer(op) && !placement_is_to_host(op);
}

static void choose(ahead_t *ahead) {
  for (mlir_op_t *op = ahead->body->last->previous; op != NULL; op = op->previous) {
    if (!ahead->is_known[op->id]) {
      continue;
    }
    const bool is_one = is_of_kind(ahead, op);
    if (is_one || ahead->feeds[op->id]) {
      mark_operands(ahead, op, ahead->feeds);
    }
    if (is_one && !ahead->feeds[op->id] && ahead->chosen.count < AHEAD_MAX &&
        is_read_in_turn(ahead, op)) {
      *pod_list_add(&ahead->chosen) = op;
      ahead->is_needed[op->id] = true;
    }
    if (ahead->is_needed[op->id]) {
      mark_operands(ahead, op, ahead->is_needed);
    }
  }
}

// What those that go ahead need, and they, once more before `where`, of turn `number`.
static void clone_before(ahead_t *ahead, mlir_op_t *where, mlir_value_t *number,
                         mlir_value_t **value_map) {
  mlir_module_t *module = ahead->rewrite->module;
  value_map[ahead->body->arguments[ahead->counter.index]->id] = number;
  mlir_op_t *end = ahead->body->last;
  POD_LIST(const mlir_op_t *) ops = {0};
  for (const mlir_op_t *op = ahead->body->first; op != end; op = op->next) {
    if (op->id < ahead->op_count && ahead->is_needed[op->id]) {
      *pod_list_add(&ops) = op;
    }
  }
  for (int32_t i = 0; i < ops.count; i++) {
    mlir_op_t *copy = mlir_op_clone(module, ops.items[i], value_map);
    mlir_block_insert_before(where, copy);
    if (chip_op_has(copy->kind, CHIP_TRAIT_COLLECTIVE)) {
      rewrite_explain(ahead->rewrite, copy,
                      where->block == ahead->body ? "for the next turn of the loop"
                                                  : "for the first turn of the loop",
                      ops.items[i]);
    }
  }
  pod_list_deinit(&ops);
}

static mlir_value_t **map_of(const ahead_t *ahead) {
  // Rooms for what is made, too.
  return pod_alloc((size_t)ahead->rewrite->module->value_count * sizeof(mlir_value_t *));
}

static void collect(const ahead_t *ahead, mlir_value_t *const *value_map,
                    mlir_value_t **out) {
  int at = 0;
  for (int32_t i = 0; i < ahead->chosen.count; i++) {
    const mlir_op_t *op = ahead->chosen.items[i];
    for (int r = 0; r < op->result_count; r++) {
      out[at++] = value_map[op->results[r].id];
    }
  }
}

static void go_ahead(ahead_t *ahead) {
  rewrite_t *rewrite = ahead->rewrite;
  int count = 0;
  for (int32_t i = 0; i < ahead->chosen.count; i++) {
    rewrite_touch(rewrite, ahead->chosen.items[i]);
    count += ahead->chosen.items[i]->result_count;
  }
  mlir_value_t **values = pod_alloc((size_t)count * sizeof(*values));
  mlir_value_t **first_map = map_of(ahead), **next_map = map_of(ahead);
  clone_before(ahead, ahead->loop, ahead->loop->operands[ahead->counter.index],
               first_map);
  collect(ahead, first_map, values);
  mlir_replacements_t replacements = {0};
  const int before = ahead->loop->operand_count;
  mlir_op_t *made =
      rewrite_extend_loop(rewrite, ahead->loop, count, values, &replacements);
  mlir_value_t *number = ahead->body->arguments[ahead->counter.index];
  mlir_op_t *top = ahead->body->first;
  const tensor_shape_t *shape = rewrite_shape(number);
  const int64_t one = 1;  // Little-endian: of every integer type.
  mlir_value_t *sum[] = {number, rewrite_constant(rewrite, top, shape, &one)};
  mlir_value_t *next =
      rewrite_emit(rewrite, top, chip_op_name(CHIP_OP_ADD), 2, sum, shape, NULL);
  clone_before(ahead, top, next, next_map);
  collect(ahead, next_map, values);
  for (int i = 0; i < count; i++) {
    ahead->body->last->operands[before + i] = values[i];
  }
  int at = before;
  for (int32_t i = 0; i < ahead->chosen.count; i++) {
    mlir_op_t *op = ahead->chosen.items[i];
    for (int r = 0; r < op->result_count; r++) {
      mlir_replacements_put(&replacements, &op->results[r], ahead->body->arguments[at++]);
    }
  }
  rewrite_replace(rewrite, &replacements);
  mlir_replacements_deinit(&replacements);
  char text[128];
  snprintf(text, sizeof(text),
           ahead->kind == AHEAD_COLLECTIVES
               ? "%d collectives of a loop of %lld turns are done a turn ahead"
               : "%d of what a loop of %lld turns fetches from the host's memory comes a "
                 "turn ahead",
           ahead->chosen.count, (long long)ahead->counter.turn_count);
  rewrite->summary = pod_arena_strdup(rewrite->module->arena, text);
  (void)made;
  free((void *)values);
  free((void *)first_map);
  free((void *)next_map);
}

// Whether the loop has such ones; if it is the one that is wanted, they go ahead.
static bool try_loop(rewrite_t *rewrite, mlir_op_t *loop, ahead_kind_t kind,
                     bool is_wanted) {
  ahead_t ahead = {.rewrite = rewrite, .kind = kind, .loop = loop};
  if (!compiler_counter(loop, &ahead.counter) || ahead.counter.turn_count < 2) {
    return false;
  }
  ahead.body = mlir_op_block(loop, 1);
  ahead.op_count = rewrite->module->op_count;
  ahead.is_known = pod_alloc(ahead.op_count);
  ahead.feeds = pod_alloc(ahead.op_count);
  ahead.is_needed = pod_alloc(ahead.op_count);
  find_known(&ahead);
  choose(&ahead);
  const bool is_any = ahead.chosen.count > 0;
  if (is_any && is_wanted) {
    go_ahead(&ahead);
  }
  free(ahead.is_known);
  free(ahead.feeds);
  free(ahead.is_needed);
  pod_list_deinit(&ahead.chosen);
  return is_any;
}

rewrite_outcome_t rewrite_ahead(rewrite_t *rewrite, int site) {
  for (mlir_op_t *op = mlir_walk_first(rewrite->main); op != NULL;
       op = mlir_walk_next(rewrite->main, op)) {
    for (int kind = 0; kind < AHEAD_KINDS && op->kind == CHIP_OP_WHILE; kind++) {
      if (try_loop(rewrite, op, (ahead_kind_t)kind, site == 0) && site-- == 0) {
        return REWRITE_DONE;
      }
    }
  }
  return REWRITE_NO_SITE;
}
