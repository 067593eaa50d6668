// A sum over chips is linear: what is added up afterwards can be added up before.
//
//   add(all_reduce(a), all_reduce(b))          all_reduce(add(a, b))
//   loop: s = add(s, all_reduce(a))            loop: p = add(p, a); s + all_reduce(p)
//
// The first is XLA's AllReduceReassociate, the second its WhileLoopAllReduceCodeMotion:
// gradients that are accumulated over microbatches are reduced once. reduce_scatter
// likewise. Reshapes, transposes and exact conversions in between are done before. Only
// the order of additions changes, which partition allows sums over chips.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/mlir/walk.h"
#include "server/compiler/collectives/rewrite.h"
#include "server/compiler/dialect/reducer.h"
#include "server/program/operations.h"

enum { CHAIN_MAX = 8, ROUNDS_MAX = 8 };

typedef struct sinker_t {
  rewrite_t *rewrite;
  chip_op_t kind;  // Of collectives.
  rewrite_uses_t uses;
  mlir_replacements_t replacements;
  int added, carried;
} sinker_t;

// A collective and what is done to its result before it is added: the last first.
typedef struct chain_t {
  mlir_op_t *collective;
  int count;
  mlir_op_t *ops[CHAIN_MAX];
} chain_t;

static bool is_read_once(const sinker_t *sinker, const mlir_value_t *value) {
  return value->id < sinker->uses.value_count && sinker->uses.counts[value->id] == 1;
}

static bool is_exact(const mlir_op_t *convert) {
  const tensor_dtype_t from = rewrite_shape(convert->operands[0])->dtype;
  return rewrite_shape(&convert->results[0])->dtype == TENSOR_F32 &&
         (from == TENSOR_BF16 || from == TENSOR_F16);
}

static bool is_passed(const sinker_t *sinker, const mlir_op_t *op) {
  return sinker->kind == CHIP_OP_ALL_REDUCE &&
         (op->kind == CHIP_OP_RESHAPE || op->kind == CHIP_OP_TRANSPOSE ||
          (op->kind == CHIP_OP_CONVERT && is_exact(op)));
}

static bool find_chain(const sinker_t *sinker, const mlir_value_t *value,
                       const mlir_block_t *block, chain_t *chain) {
  *chain = (chain_t){0};
  while (value->op != NULL && value->op->block == block && is_read_once(sinker, value)) {
    mlir_op_t *op = value->op;
    if (op->kind == (int)sinker->kind) {
      chain->collective = op;
      return op->operand_count == 1 && compiler_reducer(op) == CHIP_REDUCER_ADD;
    }
    if (!is_passed(sinker, op) || chain->count == CHAIN_MAX) {
      return false;
    }
    chain->ops[chain->count++] = op;
    value = op->operands[0];
  }
  return false;
}

// What the collective takes, with all of the chain done to it, before `where`.
static mlir_value_t *do_chain(sinker_t *sinker, const chain_t *chain, mlir_op_t *where) {
  mlir_value_t *value = chain->collective->operands[0];
  for (int i = chain->count - 1; i >= 0; i--) {
    const mlir_op_t *op = chain->ops[i];
    mlir_op_t *made;
    value = rewrite_emit(sinker->rewrite, where, op->name, 1, &value,
                         rewrite_shape(&op->results[0]), &made);
    for (int a = 0; a < op->attr_count; a++) {
      mlir_op_add_attr(sinker->rewrite->module, made, op->attrs[a].name,
                       op->attrs[a].value);
    }
  }
  return value;
}

static mlir_value_t *add_before(sinker_t *sinker, mlir_op_t *where, mlir_value_t *a,
                                mlir_value_t *b) {
  mlir_value_t *operands[] = {a, b};
  return rewrite_emit(sinker->rewrite, where, chip_op_name(CHIP_OP_ADD), 2, operands,
                      rewrite_shape(a), NULL);
}

static mlir_op_t *reduce_before(sinker_t *sinker, mlir_op_t *where, const mlir_op_t *like,
                                mlir_value_t *value, const mlir_type_t *type,
                                const char *why) {
  mlir_op_t *made = rewrite_collective(sinker->rewrite, like, 1, &value, 1, &type);
  mlir_block_insert_before(where, made);
  rewrite_explain(sinker->rewrite, made, why, like);
  return made;
}

// --- Sums of two ---

static bool sink_add(sinker_t *sinker, mlir_op_t *add) {
  chain_t a, b;
  if (!find_chain(sinker, add->operands[0], add->block, &a) ||
      !find_chain(sinker, add->operands[1], add->block, &b) ||
      !rewrite_are_alike(a.collective, b.collective, false) ||
      a.collective == b.collective) {
    return false;
  }
  rewrite_touch(sinker->rewrite, a.collective);
  rewrite_touch(sinker->rewrite, b.collective);
  mlir_value_t *sum =
      add_before(sinker, add, do_chain(sinker, &a, add), do_chain(sinker, &b, add));
  mlir_op_t *made = reduce_before(sinker, add, a.collective, sum, add->results[0].type,
                                  "of a sum in place of two");
  mlir_replacements_put(&sinker->replacements, &add->results[0], &made->results[0]);
  mlir_op_unlink(add);
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

// --- Sums that loops carry ---

// What is added to the carried value in every turn; false: it is no such sum.
static bool find_carried(const sinker_t *sinker, const mlir_op_t *loop, int index,
                         chain_t *out_chain) {
  const mlir_block_t *cond = mlir_op_block(loop, 0), *body = mlir_op_block(loop, 1);
  const mlir_value_t *next = body->last->operands[index];
  const mlir_value_t *argument = body->arguments[index];
  const mlir_op_t *add = next->op;
  if (add == NULL || add->kind != CHIP_OP_ADD || add->block != body ||
      !is_read_once(sinker, next) || !is_read_once(sinker, argument) ||
      sinker->uses.counts[cond->arguments[index]->id] != 0) {
    return false;
  }
  for (int i = 0; i < 2; i++) {
    if (add->operands[i] == argument) {
      return find_chain(sinker, add->operands[1 - i], body, out_chain);
    }
  }
  return false;
}

static const uint8_t zero[16] = {0};

static bool is_zero(const mlir_value_t *value) {
  const mlir_op_t *op = value->op;
  if (op != NULL && op->kind == CHIP_OP_BROADCAST_IN_DIM) {
    op = op->operands[0]->op;
  }
  const mlir_attr_t *attr =
      op != NULL && op->kind == CHIP_OP_CONSTANT ? mlir_op_attr(op, "value") : NULL;
  return mlir_attr_is(attr, MLIR_ATTR_DENSE) && attr->is_splat &&
         (size_t)attr->length <= sizeof(zero) &&
         memcmp(attr->data, zero, (size_t)attr->length) == 0;
}

static void sink_carried(sinker_t *sinker, mlir_op_t *loop, int index,
                         const chain_t *chain) {
  rewrite_t *rewrite = sinker->rewrite;
  rewrite_touch(rewrite, chain->collective);
  mlir_block_t *body = mlir_op_block(loop, 1);
  mlir_op_t *add = body->last->operands[index]->op;
  mlir_value_t *part = do_chain(sinker, chain, add);
  mlir_value_t *start = rewrite_constant(rewrite, loop, rewrite_shape(part), zero);
  mlir_value_t *before = loop->operands[index];
  const mlir_value_t *old = &loop->results[index];
  mlir_op_t *made = rewrite_extend_loop(rewrite, loop, 1, &start, &sinker->replacements);
  body = mlir_op_block(made, 1);
  const int last = made->operand_count - 1;
  body->last->operands[last] = add_before(sinker, add, body->arguments[last], part);
  body->last->operands[index] = body->arguments[index];
  mlir_op_t *where = made->next;
  mlir_op_t *reduced =
      reduce_before(sinker, where, chain->collective, &made->results[last], old->type,
                    "once behind the loop in place of once a turn");
  mlir_value_t *sum = &reduced->results[0];
  mlir_replacements_put(&sinker->replacements, &made->results[index],
                        is_zero(before) ? sum : add_before(sinker, where, before, sum));
  sinker->carried++;
}

static bool sink_loops(sinker_t *sinker) {
  for (mlir_op_t *op = mlir_walk_first(sinker->rewrite->main); op != NULL;
       op = mlir_walk_next(sinker->rewrite->main, op)) {
    for (int i = 0; op->kind == CHIP_OP_WHILE && i < op->operand_count; i++) {
      chain_t chain;
      if (find_carried(sinker, op, i, &chain)) {
        sink_carried(sinker, op, i, &chain);
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

enum { CARRIED_MAX = 128 };

// The collectives of a site; false: it is none.
static bool begin(sinker_t *sinker, rewrite_t *rewrite, int site) {
  static const chip_op_t kinds[] = {CHIP_OP_ALL_REDUCE, CHIP_OP_REDUCE_SCATTER};
  *sinker = (sinker_t){.rewrite = rewrite, .kind = kinds[site > 0]};
  return site < 2;
}

static rewrite_outcome_t end(sinker_t *sinker, int count, const char *what) {
  mlir_replacements_deinit(&sinker->replacements);
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

rewrite_outcome_t rewrite_sink(rewrite_t *rewrite, int site) {
  sinker_t sinker;
  if (!begin(&sinker, rewrite, site)) {
    return REWRITE_NO_SITE;
  }
  for (int i = 0; i < CARRIED_MAX && run_round(&sinker, sink_loops); i++) {
  }
  return end(&sinker, sinker.carried, "run once behind their loop");
}
