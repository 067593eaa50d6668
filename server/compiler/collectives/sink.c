// A sum over chips is linear: what is added up afterwards can be added up before.
//
//   add(all_reduce(a), all_reduce(b))          all_reduce(add(a, b))
//   loop: s = add(s, all_reduce(a))            loop: p = add(p, a); s + all_reduce(p)
//   loop: s[i] = all_reduce(a); add(s, t)      loop: p[i] = a; add(all_reduce(p), t)
//
// The first is XLA's AllReduceReassociate, the second its WhileLoopAllReduceCodeMotion:
// gradients that are accumulated over microbatches are reduced once. The third makes
// either of these possible where a loop over layers stacks their gradients, as a
// pipeline's stage does for every microbatch. reduce_scatter likewise. Linear operations
// in between are done before (chain.h). Only the order of additions changes, which
// partition allows sums over chips.

#include <stdio.h>
#include <stdlib.h>

#include "common/base/memory.h"
#include "common/mlir/walk.h"
#include "server/compiler/collectives/chain.h"
#include "server/compiler/dialect/constant.h"
#include "server/compiler/dialect/counter.h"
#include "server/program/operations.h"

enum { ROUNDS_MAX = 8, UNIFORM_DEPTH_MAX = 16 };

typedef struct sinker_t {
  rewrite_t *rewrite;
  chip_op_t kind;  // Of collectives.
  rewrite_uses_t uses;
  mlir_replacements_t replacements;
  POD_LIST(const mlir_op_t *) sunk;  // Collectives that are behind their loops now.
  bool only_sunk;                    // Of a sum of two, one has to be such a one.
  int added, carried;
} sinker_t;

static bool find_chain(const sinker_t *sinker, const mlir_value_t *value,
                       const mlir_block_t *block, chain_t *chain) {
  return chain_find(sinker->rewrite, &sinker->uses, sinker->kind, value, block, chain);
}

static mlir_value_t *add_before(sinker_t *sinker, mlir_op_t *where, mlir_value_t *a,
                                mlir_value_t *b) {
  mlir_value_t *operands[] = {a, b};
  return rewrite_emit(sinker->rewrite, where, chip_op_name(CHIP_OP_ADD), 2, operands,
                      rewrite_shape(a), NULL);
}

// --- Sums of two ---

static bool is_sunk(const sinker_t *sinker, const mlir_op_t *op) {
  bool is_any = !sinker->only_sunk;
  for (int32_t i = 0; i < sinker->sunk.count; i++) {
    is_any = is_any || sinker->sunk.items[i] == op;
  }
  return is_any;
}

// The additions behind this one, of nothing but their sum and another summand.
static int count_adds_behind(const sinker_t *sinker, const mlir_op_t *add) {
  int count = 0;
  while (rewrite_is_read_once(&sinker->uses, &add->results[0])) {
    const mlir_op_t *reader = sinker->uses.readers[add->results[0].id];
    if (reader->kind != CHIP_OP_ADD || reader->block != add->block) {
      break;
    }
    add = reader;
    count++;
  }
  return count;
}

// Whether no more is reduced behind than before, where parts have been put among zeros,
// when all the additions that follow are treated likewise.
static bool is_worth_it(const sinker_t *sinker, const mlir_op_t *add, const chain_t *a,
                        const chain_t *b) {
  const double first = (double)chain_elements(a), other = (double)chain_elements(b);
  const double least = first < other ? first : other;
  return (double)chain_elements_behind(a) <=
         first + other + least * count_adds_behind(sinker, add);
}

static bool sink_add(sinker_t *sinker, mlir_op_t *add) {
  chain_t a, b;
  if (!find_chain(sinker, add->operands[0], add->block, &a) ||
      !find_chain(sinker, add->operands[1], add->block, &b) || !chain_are_alike(&a, &b) ||
      !is_worth_it(sinker, add, &a, &b) ||
      (!is_sunk(sinker, a.collective) && !is_sunk(sinker, b.collective))) {
    return false;
  }
  rewrite_t *rewrite = sinker->rewrite;
  rewrite_touch(rewrite, a.collective);
  rewrite_touch(rewrite, b.collective);
  mlir_value_t *sum =
      add_before(sinker, add, chain_do(rewrite, &a, add), chain_do(rewrite, &b, add));
  mlir_value_t *made = chain_reduce(rewrite, &a, sum, add->results[0].type,
                                    "of a sum in place of two", add);
  rewrite_uses_move(&sinker->uses, &add->results[0], made);
  mlir_replacements_put(&sinker->replacements, &add->results[0], made);
  mlir_op_unlink(add);
  if (sinker->only_sunk) {
    *pod_list_add(&sinker->sunk) = made->op;
  }
  sinker->added++;
  return true;
}

static bool sink_adds(sinker_t *sinker) {
  bool is_any = false;
  mlir_op_t *next;
  for (mlir_op_t *op = mlir_walk_first(sinker->rewrite->main); op != NULL; op = next) {
    next = mlir_walk_next(sinker->rewrite->main, op);
    mlir_replacements_apply(&sinker->replacements, op);
    if (op->kind == CHIP_OP_ADD && op->operands[0] != op->operands[1]) {
      is_any = sink_add(sinker, op) || is_any;
    }
  }
  return is_any;
}

// --- What loops carry ---

// The operation of the body that makes of a carried value the next one; NULL: it is read
// otherwise, too.
static mlir_op_t *next_of(const sinker_t *sinker, const mlir_op_t *loop, int index,
                          int kind) {
  const mlir_block_t *cond = mlir_op_block(loop, 0), *body = mlir_op_block(loop, 1);
  const mlir_value_t *next = body->last->operands[index];
  mlir_op_t *op = next->op;
  return op != NULL && op->kind == kind && op->block == body &&
                 rewrite_is_read_once(&sinker->uses, next) &&
                 rewrite_is_read_once(&sinker->uses, body->arguments[index]) &&
                 sinker->uses.counts[cond->arguments[index]->id] == 0
             ? op
             : NULL;
}

// What is added to the carried value in every turn; false: it is no such sum.
static bool find_carried(const sinker_t *sinker, const mlir_op_t *loop, int index,
                         chain_t *out_chain) {
  const mlir_block_t *body = mlir_op_block(loop, 1);
  const mlir_op_t *add = next_of(sinker, loop, index, CHIP_OP_ADD);
  for (int i = 0; i < 2 && add != NULL; i++) {
    if (add->operands[i] == body->arguments[index]) {
      return find_chain(sinker, add->operands[1 - i], body, out_chain);
    }
  }
  return false;
}

static const uint8_t zero[16] = {0};

// A loop that carries one value more, which is zero before it and has the shape of
// `part`, what a turn makes of a sum's summands, or that of `whole`.
static mlir_op_t *carry(sinker_t *sinker, mlir_op_t *loop, const tensor_shape_t *shape) {
  mlir_value_t *start = rewrite_constant(sinker->rewrite, loop, shape, zero);
  return rewrite_extend_loop(sinker->rewrite, loop, 1, &start, &sinker->replacements);
}

// The old value is carried unchanged, the new one is `next`, and behind the loop its sum
// stands for the old result.
static mlir_value_t *finish(sinker_t *sinker, mlir_op_t *made, int index,
                            const chain_t *chain, mlir_value_t *next) {
  mlir_block_t *body = mlir_op_block(made, 1);
  const int last = made->operand_count - 1;
  body->last->operands[last] = next;
  body->last->operands[index] = body->arguments[index];
  mlir_value_t *sum = chain_reduce(
      sinker->rewrite, chain, &made->results[last], made->results[index].type,
      "once behind the loop in place of once a turn", made->next);
  *pod_list_add(&sinker->sunk) = sum->op;
  sinker->carried++;
  return sum;
}

static void sink_carried(sinker_t *sinker, mlir_op_t *loop, int index,
                         const chain_t *chain) {
  rewrite_touch(sinker->rewrite, chain->collective);
  mlir_op_t *add = mlir_op_block(loop, 1)->last->operands[index]->op;
  mlir_value_t *part = chain_do(sinker->rewrite, chain, add);
  mlir_value_t *before = loop->operands[index];
  mlir_op_t *made = carry(sinker, loop, rewrite_shape(part));
  mlir_value_t *carried = mlir_op_block(made, 1)->arguments[made->operand_count - 1];
  mlir_op_t *where = made->next;
  mlir_value_t *sum =
      finish(sinker, made, index, chain, add_before(sinker, add, carried, part));
  mlir_replacements_put(
      &sinker->replacements, &made->results[index],
      compiler_is_zero(before) ? sum : add_before(sinker, where, before, sum));
}

// --- What loops put into stacks ---

// The same on every chip: of constants, and of what `loop` counts.
static bool is_uniform(const mlir_value_t *value, const mlir_op_t *loop, int counter,
                       int depth) {
  const mlir_op_t *op = value->op;
  if (op == NULL) {
    return value == mlir_op_block(loop, 1)->arguments[counter];
  }
  const bool is_plain =
      op->kind == CHIP_OP_CONSTANT || op->kind == CHIP_OP_RESHAPE ||
      (chip_op_has(op->kind, CHIP_TRAIT_ELEMENTWISE) && op->region_count == 0);
  bool is = is_plain && depth < UNIFORM_DEPTH_MAX;
  for (int i = 0; i < op->operand_count && is; i++) {
    is = is_uniform(op->operands[i], loop, counter, depth + 1);
  }
  return is;
}

// Whether the value, or what linear operations make of it, is added to something: what is
// only read behind the loop is reduced turn by turn as well as at once.
static bool is_added(const sinker_t *sinker, const mlir_value_t *value,
                     const mlir_block_t *block) {
  for (int i = 0; i < CHAIN_MAX && rewrite_is_read_once(&sinker->uses, value); i++) {
    const mlir_op_t *reader = sinker->uses.readers[value->id];
    if (reader->block != block || reader->kind == CHIP_OP_ADD) {
      return reader->block == block;
    }
    if (!chain_may_pass(reader)) {
      return false;
    }
    value = &reader->results[0];
  }
  return false;
}

// What is put at a place of the carried value in every turn, all of which it fills.
static bool find_stacked(const sinker_t *sinker, const mlir_op_t *loop, int index,
                         chain_t *chain) {
  const mlir_block_t *body = mlir_op_block(loop, 1);
  const mlir_op_t *put = next_of(sinker, loop, index, CHIP_OP_DYNAMIC_UPDATE_SLICE);
  compiler_counter_t counter;
  if (put == NULL || put->operands[0] != body->arguments[index] ||
      !compiler_is_zero(loop->operands[index]) || !compiler_counter(loop, &counter) ||
      !is_added(sinker, &loop->results[index], loop->block) ||
      !find_chain(sinker, put->operands[1], body, chain)) {
    return false;
  }
  const tensor_shape_t *stack = rewrite_shape(put->operands[0]);
  const tensor_shape_t *part = rewrite_shape(put->operands[1]);
  bool is = (double)tensor_shape_elements(part) * (double)counter.turn_count >=
            (double)tensor_shape_elements(stack);
  is = is &&
       (chain->parts == 1 || part->dims[chain->dims[0]] == stack->dims[chain->dims[0]]);
  for (int i = 2; i < put->operand_count && is; i++) {
    is = is_uniform(put->operands[i], loop, counter.index, 0);
  }
  return is;
}

static void sink_stacked(sinker_t *sinker, mlir_op_t *loop, int index,
                         const chain_t *chain) {
  rewrite_touch(sinker->rewrite, chain->collective);
  mlir_op_t *put = mlir_op_block(loop, 1)->last->operands[index]->op;
  mlir_value_t *part = chain_do(sinker->rewrite, chain, put);
  tensor_shape_t shape = *rewrite_shape(put->operands[0]);
  if (chain->parts > 1) {
    shape.dims[chain->dims[0]] *= chain->parts;
  }
  mlir_op_t *made = carry(sinker, loop, &shape);
  mlir_value_t *operands[TENSOR_RANK_MAX + 2] = {
      mlir_op_block(made, 1)->arguments[made->operand_count - 1], part};
  for (int i = 2; i < put->operand_count; i++) {
    operands[i] = put->operands[i];
  }
  mlir_value_t *next = rewrite_emit(sinker->rewrite, put, put->name, put->operand_count,
                                    operands, &shape, NULL);
  mlir_replacements_put(&sinker->replacements, &made->results[index],
                        finish(sinker, made, index, chain, next));
}

// --- Rounds ---

static bool sink_loops(sinker_t *sinker) {
  for (mlir_op_t *op = mlir_walk_first(sinker->rewrite->main); op != NULL;
       op = mlir_walk_next(sinker->rewrite->main, op)) {
    for (int i = 0; op->kind == CHIP_OP_WHILE && i < op->operand_count; i++) {
      chain_t chain;
      if (find_carried(sinker, op, i, &chain)) {
        sink_carried(sinker, op, i, &chain);
        return true;
      }
      if (find_stacked(sinker, op, i, &chain)) {
        sink_stacked(sinker, op, i, &chain);
        return true;
      }
    }
  }
  return false;
}

// Uses change with each rewrite.
static bool run_round(sinker_t *sinker, bool (*sink)(sinker_t *)) {
  rewrite_uses_init(&sinker->uses, sinker->rewrite);
  const bool is_any = sink(sinker);
  rewrite_replace(sinker->rewrite, &sinker->replacements);
  rewrite_uses_deinit(&sinker->uses);
  return is_any;
}

enum { CARRIED_MAX = 512 };

// The collectives of a site; false: it is none.
static bool begin(sinker_t *sinker, rewrite_t *rewrite, int site) {
  static const chip_op_t kinds[] = {CHIP_OP_ALL_REDUCE, CHIP_OP_REDUCE_SCATTER};
  *sinker = (sinker_t){.rewrite = rewrite, .kind = kinds[site > 0]};
  return site < 2;
}

static rewrite_outcome_t end(sinker_t *sinker, int count, const char *what) {
  mlir_replacements_deinit(&sinker->replacements);
  pod_list_deinit(&sinker->sunk);
  if (count == 0) {
    return REWRITE_NOTHING;
  }
  char text[128];
  snprintf(text, sizeof(text), "%d %s %s", count, chip_op_short_name(sinker->kind), what);
  sinker->rewrite->summary = pod_arena_strdup(sinker->rewrite->module->arena, text);
  return REWRITE_DONE;
}

rewrite_outcome_t rewrite_sums(rewrite_t *rewrite, int site) {
  sinker_t sinker;
  if (!begin(&sinker, rewrite, site)) {
    return REWRITE_NO_SITE;
  }
  for (int i = 0; i < ROUNDS_MAX && run_round(&sinker, sink_adds); i++) {
  }
  return end(&sinker, sinker.added, "are of a sum, in place of two each");
}

// A sum of two that are behind their loops now is one more that a loop around it may
// carry.
rewrite_outcome_t rewrite_sink(rewrite_t *rewrite, int site) {
  sinker_t sinker;
  if (!begin(&sinker, rewrite, site)) {
    return REWRITE_NO_SITE;
  }
  sinker.only_sunk = true;
  bool is_any = true;
  for (int i = 0; i < ROUNDS_MAX && is_any; i++) {
    is_any = false;
    while (sinker.carried < CARRIED_MAX && run_round(&sinker, sink_loops)) {
      is_any = true;
    }
    is_any = (is_any || i == 0) && sinker.carried > 0 && run_round(&sinker, sink_adds);
  }
  return end(&sinker, sinker.carried, "run once behind their loop");
}
