// Cleans up after the partitioner. Every rewrite gives the same bits: nothing is
// reassociated, and no floating-point arithmetic is done here.
//
// A round is one walk forward (identities, constants, common subexpressions, values that
// a loop carries unchanged, loops that turn once) and one sweep of what is dead. Rounds
// repeat while loops lose carried values, because that uncovers others in the loops
// around them.

#include "server/compiler/simplify/simplify.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/mlir/diagnostic.h"
#include "common/mlir/walk.h"
#include "server/compiler/dialect/kinds.h"
#include "server/program/operations.h"

// A loop nest deeper than this keeps what only more rounds would find.
enum { ROUNDS_MAX = 8 };

typedef struct simplifier_t {
  mlir_module_t *module;
  mlir_replacements_t replacements;
  simplify_seen_t *seen;
  bool has_shrunk_loops;
} simplifier_t;

// A value that the body returns as it came is the initial value, in the loop and after:
// the loop need not carry it. Returns the loop that stands now.
static mlir_op_t *forward_unchanged(simplifier_t *simplifier, mlir_op_t *op) {
  const mlir_block_t *cond = mlir_op_block(op, 0), *body = mlir_op_block(op, 1);
  bool *keep = pod_alloc((size_t)op->operand_count * sizeof(*keep));
  bool keeps_all = true;
  for (int i = 0; i < op->operand_count; i++) {
    keep[i] = body->last->operands[i] != body->arguments[i];
    if (!keep[i]) {
      keeps_all = false;
      mlir_replacements_put(&simplifier->replacements, cond->arguments[i],
                            op->operands[i]);
      mlir_replacements_put(&simplifier->replacements, body->arguments[i],
                            op->operands[i]);
      mlir_replacements_put(&simplifier->replacements, &op->results[i], op->operands[i]);
    }
  }
  if (!keeps_all) {
    simplifier->has_shrunk_loops = true;
    op = simplify_shrink_loop(simplifier->module, op, keep, &simplifier->replacements);
  }
  free(keep);
  return op;
}

static mlir_op_t *make_constant(simplifier_t *simplifier, const mlir_op_t *op,
                                const mlir_attr_t *value) {
  mlir_op_t *constant = mlir_op_create(simplifier->module, "stablehlo.constant", 0, NULL,
                                       1, &op->results[0].type, 0);
  constant->position = op->position;
  constant->location = op->location;
  mlir_op_set_attr(simplifier->module, constant, "value", value);
  return constant;
}

// Returns where the walk goes on.
static mlir_op_t *visit(simplifier_t *simplifier, const mlir_op_t *function,
                        mlir_op_t *op) {
  mlir_replacements_apply(&simplifier->replacements, op);
  if (op->kind == CHIP_OP_WHILE) {
    mlir_op_t *unrolled = simplify_unroll_once(op, &simplifier->replacements);
    if (unrolled != NULL) {
      simplifier->has_shrunk_loops = true;
      return unrolled;
    }
    return mlir_walk_next(function, forward_unchanged(simplifier, op));
  }
  mlir_op_t *next = mlir_walk_next(function, op);
  if (op->result_count == 0 || !compiler_is_row(op->kind) ||
      op->kind == CHIP_OP_OPTIMIZATION_BARRIER) {
    return next;
  }
  mlir_value_t *same =
      op->result_count == 1 ? simplify_identity(simplifier->module, op) : NULL;
  if (same != NULL) {
    next = mlir_walk_skip(function, op);
    mlir_replacements_put(&simplifier->replacements, &op->results[0], same);
    mlir_op_unlink(op);
    return next;
  }
  const mlir_attr_t *value =
      op->result_count == 1 ? simplify_fold(simplifier->module, op) : NULL;
  if (value != NULL) {
    mlir_op_t *constant = make_constant(simplifier, op, value);
    mlir_block_insert_before(op, constant);
    next = mlir_walk_skip(function, op);
    mlir_replacements_put(&simplifier->replacements, &op->results[0],
                          &constant->results[0]);
    mlir_op_unlink(op);
    op = constant;
  }
  mlir_op_t *earlier = simplify_seen_find(simplifier->seen, op);
  if (earlier != NULL) {
    next = op->region_count > 0 ? mlir_walk_skip(function, op) : next;
    for (int i = 0; i < op->result_count; i++) {
      mlir_replacements_put(&simplifier->replacements, &op->results[i],
                            &earlier->results[i]);
    }
    mlir_op_unlink(op);
  }
  return next;
}

// What is behind a barrier is not merged with what is before it: so jax.checkpoint has
// things computed again. Once that has held, it has done what it is for.
static void remove_barriers(simplifier_t *simplifier, mlir_op_t *main) {
  bool is_any = false;
  mlir_op_t *next;
  for (mlir_op_t *op = mlir_walk_first(main); op != NULL; op = next) {
    next = mlir_walk_next(main, op);
    mlir_replacements_apply(&simplifier->replacements, op);
    if (op->kind == CHIP_OP_OPTIMIZATION_BARRIER) {
      for (int i = 0; i < op->result_count; i++) {
        mlir_replacements_put(&simplifier->replacements, &op->results[i],
                              op->operands[i]);
      }
      mlir_op_unlink(op);
      is_any = true;
    }
  }
  if (is_any) {
    (void)simplify_dead(simplifier->module, main, &simplifier->replacements);
  }
}

pod_status_t compiler_simplify(mlir_module_t *module) {
  mlir_op_t *main = mlir_module_find_symbol(module, "main");
  if (main == NULL || main->region_count != 1) {
    return mlir_error_at(module, 0, POD_INVALID_ARGUMENT,
                         "the module has no function @main");
  }
  simplifier_t simplifier = {.module = module};
  for (int round = 0; round < ROUNDS_MAX; round++) {
    simplifier.has_shrunk_loops = false;
    simplifier.seen = simplify_seen_create();
    for (mlir_op_t *op = mlir_walk_first(main); op != NULL;) {
      op = visit(&simplifier, main, op);
    }
    simplify_seen_destroy(simplifier.seen);
    const bool has_shrunk_dead = simplify_dead(module, main, &simplifier.replacements);
    if (!simplifier.has_shrunk_loops && !has_shrunk_dead) {
      break;
    }
  }
  remove_barriers(&simplifier, main);
  mlir_replacements_deinit(&simplifier.replacements);
  return NULL;
}
