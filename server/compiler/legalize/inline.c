// Calls give way to the bodies they call.
//
// The walk goes over @main once. Where it meets a call it puts a copy of the callee's
// body there, calls in it included, and goes on with the first operation of the copy: so
// every operation of the result is copied once, however deep the calls nest. Uses come
// after what they use, so that one table of replacements, applied to each operation as
// the walk reaches it, does for all results of calls.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/list.h"
#include "common/base/memory.h"
#include "common/mlir/diagnostic.h"
#include "common/mlir/replacements.h"
#include "common/mlir/walk.h"
#include "server/compiler/dialect/kinds.h"
#include "server/compiler/dialect/recomputed.h"
#include "server/compiler/legalize/legalize.h"
#include "server/program/operations.h"
#include "server/program/program.h"

typedef struct inliner_t {
  mlir_module_t *module;
  mlir_op_t *main;
  mlir_value_t **copies;  // By id of a value that the source had: its last copy.
  mlir_replacements_t replacements;  // What stands for the results of calls.
} inliner_t;

// The function that `op` calls: func.call, and stablehlo.composite, whose meaning is its
// decomposition. NULL when it is no call.
static const mlir_attr_t *callee_of(const mlir_op_t *op) {
  const mlir_attr_t *attr = NULL;
  if (op->kind == KIND_CALL) {
    attr = mlir_op_attr(op, "callee");
  } else if (op->kind == KIND_COMPOSITE) {
    attr = mlir_op_attr(op, "decomposition");
  }
  return mlir_attr_is(attr, MLIR_ATTR_SYMBOL) ? attr : NULL;
}

// --- The calls have no cycle, and do not come to too much ---

enum { UNSEEN = 0, ON_PATH, DONE };

// What the search knows of a function, by its op's id.
typedef struct seen_t {
  unsigned char state;
  int32_t op_count;  // When DONE: of its body with all calls inlined, at most TOO_MANY.
} seen_t;

enum { TOO_MANY = CHIP_INSTRUCTIONS_MAX + 1 };

// A function on the path of calls, and how far its body has been searched.
typedef struct frame_t {
  mlir_op_t *function, *next;
  int32_t op_count;  // So far.
} frame_t;

static void add_ops(frame_t *frame, int32_t count) {
  frame->op_count =
      count < TOO_MANY - frame->op_count ? frame->op_count + count : TOO_MANY;
}

static pod_status_t find_callee(mlir_module_t *module, const mlir_op_t *op,
                                const mlir_attr_t *callee, mlir_op_t **out_function) {
  mlir_op_t *function = mlir_module_find_symbol(module, callee->text);
  POD_CHECK(function != NULL);  // The verifier has looked at the signature too.
  if (mlir_op_block(function, 0) == NULL) {
    return mlir_op_error(module, op, POD_INVALID_ARGUMENT, "calls @%s, which has no body",
                         callee->text);
  }
  *out_function = function;
  return NULL;
}

// Moves the search on to the next call of the topmost frame; NULL in *out_callee at the
// end of its body.
static pod_status_t next_callee(mlir_module_t *module, frame_t *frame, const seen_t *seen,
                                mlir_op_t **out_callee) {
  *out_callee = NULL;
  while (frame->next != NULL && *out_callee == NULL) {
    const mlir_op_t *op = frame->next;
    frame->next = mlir_walk_next(frame->function, op);
    const mlir_attr_t *callee = callee_of(op);
    if (callee == NULL) {
      add_ops(frame, 1);
      continue;
    }
    mlir_op_t *function = NULL;
    POD_TRY(find_callee(module, op, callee, &function));
    if (seen[function->id].state == ON_PATH) {
      return mlir_op_error(module, op, POD_INVALID_ARGUMENT,
                           "calls @%s, which is what calls it: recursion is not possible",
                           callee->text);
    }
    if (seen[function->id].state == UNSEEN) {
      *out_callee = function;
    } else {
      add_ops(frame, seen[function->id].op_count);
    }
  }
  return NULL;
}

// Depth first, on a stack of our own: chains of calls may be long.
static pod_status_t check_calls(mlir_module_t *module, mlir_op_t *main) {
  seen_t *seen = pod_alloc(module->op_count * sizeof(*seen));
  POD_LIST(frame_t) path = {0};
  *pod_list_add(&path) = (frame_t){main, mlir_walk_first(main), 0};
  seen[main->id].state = ON_PATH;
  pod_status_t status = NULL;
  while (path.count > 0) {
    mlir_op_t *callee;
    status = next_callee(module, pod_list_last(&path), seen, &callee);
    if (status != NULL) {
      break;
    }
    if (callee == NULL) {
      const frame_t done = path.items[--path.count];
      seen[done.function->id] = (seen_t){DONE, done.op_count};
      if (path.count > 0) {
        add_ops(pod_list_last(&path), done.op_count);
      }
      continue;
    }
    seen[callee->id].state = ON_PATH;
    *pod_list_add(&path) = (frame_t){callee, mlir_walk_first(callee), 0};
  }
  if (status == NULL && seen[main->id].op_count == TOO_MANY) {
    status = mlir_op_error(module, main, POD_RESOURCE_EXHAUSTED,
                           "has more than %d operations once calls are inlined",
                           (int)CHIP_INSTRUCTIONS_MAX);
  }
  pod_list_deinit(&path);
  free(seen);
  return status;
}

// --- One call ---

// A sharding that the callee's signature gives to an argument or a result goes on as a
// constraint.
static mlir_value_t *constrain(inliner_t *inliner, mlir_op_t *where, mlir_value_t *value,
                               const mlir_attr_t *attrs, int index) {
  if (!mlir_attr_is(attrs, MLIR_ATTR_ARRAY) || index >= attrs->count ||
      !mlir_attr_is(attrs->elements[index], MLIR_ATTR_DICTIONARY)) {
    return value;
  }
  const mlir_attr_t *sharding = mlir_attr_get(attrs->elements[index], "sdy.sharding");
  if (sharding == NULL) {
    return value;
  }
  mlir_op_t *op = mlir_op_create(inliner->module, "sdy.sharding_constraint", 1, &value, 1,
                                 &value->type, 0);
  op->position = where->position;
  op->location = where->location;
  mlir_op_set_attr(inliner->module, op, "sharding", sharding);
  mlir_block_insert_before(where, op);
  return &op->results[0];
}

static pod_status_t check_depth(inliner_t *inliner, const mlir_op_t *call) {
  int depth = 0;
  for (const mlir_op_t *op = walk_parent(call); op != NULL; op = walk_parent(op)) {
    depth++;
  }
  if (depth > CHIP_CALL_DEPTH_MAX) {
    return mlir_op_error(inliner->module, call, POD_RESOURCE_EXHAUSTED,
                         "regions nest deeper than %d once calls are inlined",
                         (int)CHIP_CALL_DEPTH_MAX);
  }
  return NULL;
}

// JAX leaves the lines out of functions that it lowers once for several callers: what has
// none is where the call is.
static void place_at_call(inliner_t *inliner, const mlir_attr_t *file, mlir_op_t *op) {
  for (mlir_op_t *at = op; at != NULL;
       at = at == op ? mlir_walk_first(op) : mlir_walk_next(op, at)) {
    if (mlir_location_file(at->location) != NULL) {
      continue;
    }
    if (at->location == NULL) {
      at->location = file;
      continue;
    }
    mlir_attr_t *site = pod_arena_alloc(inliner->module->arena, sizeof(*site));
    *site = *file;
    site->location_kind = MLIR_LOCATION_CALLSITE;
    site->text = NULL;
    site->integer = site->length = 0;
    site->location_child = at->location;
    site->location_caller = file;
    at->location = site;
  }
}

// Puts the body before `call` and takes `call` out. What follows in the walk is the first
// operation of the body.
static pod_status_t inline_call(inliner_t *inliner, mlir_op_t *call,
                                const mlir_op_t *function) {
  const mlir_block_t *body = mlir_op_block(function, 0);
  POD_TRY(check_depth(inliner, call));
  const mlir_attr_t *argument_attrs = mlir_op_attr(function, "arg_attrs"),
                    *result_attrs = mlir_op_attr(function, "res_attrs");
  for (int i = 0; i < body->argument_count; i++) {
    inliner->copies[body->arguments[i]->id] =
        constrain(inliner, call, call->operands[i], argument_attrs, i);
  }
  // Functions are shared with what computed it before.
  const bool is_recomputed = compiler_recomputed(call) == RECOMPUTED_YES;
  const mlir_attr_t *file = mlir_location_file(call->location);
  for (const mlir_op_t *op = body->first; op != body->last; op = op->next) {
    mlir_op_t *copy = mlir_op_clone(inliner->module, op, inliner->copies);
    if (file != NULL) {
      place_at_call(inliner, file, copy);
    }
    if (is_recomputed) {
      compiler_mark_recomputed(inliner->module, copy);
    }
    mlir_block_insert_before(call, copy);
  }
  for (int i = 0; i < call->result_count; i++) {
    mlir_value_t *value = inliner->copies[body->last->operands[i]->id];
    mlir_replacements_put(&inliner->replacements, &call->results[i],
                          constrain(inliner, call, value, result_attrs, i));
  }
  return NULL;
}

// sdy.named_computation groups operations for people and their tools; they move out of
// it.
static void dissolve(inliner_t *inliner, mlir_op_t *op) {
  mlir_block_t *body = mlir_op_block(op, 0);
  for (int i = 0; i < body->argument_count; i++) {
    mlir_replacements_put(&inliner->replacements, body->arguments[i], op->operands[i]);
  }
  while (body->first != body->last) {
    mlir_op_t *inner = body->first;
    mlir_op_unlink(inner);
    mlir_block_insert_before(op, inner);
  }
  for (int i = 0; i < op->result_count; i++) {
    mlir_replacements_put(&inliner->replacements, &op->results[i],
                          body->last->operands[i]);
  }
}

static bool is_named_computation(const mlir_op_t *op) {
  if (op->kind != KIND_SDY_NAMED_COMPUTATION || op->region_count != 1) {
    return false;
  }
  const mlir_block_t *body = mlir_op_block(op, 0);
  return body != NULL && body->last != NULL &&
         body->argument_count == op->operand_count &&
         body->last->operand_count == op->result_count;
}

// Takes `op` out and returns where the walk goes on: at what has been put before it.
static mlir_op_t *step_into(const mlir_op_t *main, mlir_op_t *op,
                            mlir_op_t *before_inlining, mlir_block_t *block) {
  mlir_op_t *first = before_inlining != NULL ? before_inlining->next : block->first;
  mlir_op_t *next = first != op ? first : mlir_walk_skip(main, op);
  mlir_op_unlink(op);
  return next;
}

static pod_status_t inline_main(inliner_t *inliner) {
  mlir_op_t *op = mlir_walk_first(inliner->main);
  while (op != NULL) {
    mlir_replacements_apply(&inliner->replacements, op);
    const mlir_attr_t *callee = callee_of(op);
    mlir_op_t *previous = op->previous;
    if (callee != NULL) {
      mlir_op_t *function = NULL;
      POD_TRY(find_callee(inliner->module, op, callee, &function));
      POD_TRY(inline_call(inliner, op, function));
      op = step_into(inliner->main, op, previous, op->block);
    } else if (is_named_computation(op)) {
      dissolve(inliner, op);
      op = step_into(inliner->main, op, previous, op->block);
    } else {
      op = mlir_walk_next(inliner->main, op);
    }
  }
  return NULL;
}

static void remove_other_functions(mlir_module_t *module, const mlir_op_t *main) {
  mlir_op_t *next;
  for (mlir_op_t *op = mlir_op_block(module->op, 0)->first; op != NULL; op = next) {
    next = op->next;
    if (op != main && op->kind == KIND_FUNC) {
      mlir_op_unlink(op);
    }
  }
}

pod_status_t compiler_inline(mlir_module_t *module) {
  mlir_op_t *main = mlir_module_find_symbol(module, "main");
  if (main == NULL || main->kind != KIND_FUNC || main->region_count != 1 ||
      mlir_op_block(main, 0) == NULL) {
    return mlir_error_at(module, 0, POD_INVALID_ARGUMENT,
                         "the module has no function @main with a body");
  }
  POD_TRY(check_calls(module, main));
  inliner_t inliner = {.module = module, .main = main};
  inliner.copies = pod_alloc(module->value_count * sizeof(*inliner.copies));
  const pod_status_t status = inline_main(&inliner);
  free(inliner.copies);
  mlir_replacements_deinit(&inliner.replacements);
  if (status == NULL) {
    remove_other_functions(module, main);
  }
  return status;
}
