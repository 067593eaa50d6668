// Sweeps over the graph, to and fro, until nothing changes: shardings only grow, so that
// this ends. The order is Shardy's: the user's priorities outermost, then the kinds of
// operation, level by level.

#include "server/compiler/partition/propagate.h"

#include <string.h>

#include "common/base/check.h"
#include "common/mlir/walk.h"
#include "server/compiler/dialect/kinds.h"
#include "server/compiler/partition/propagate_graph.h"
#include "server/program/operations.h"

mlir_block_t *propagate_main_block(const mlir_module_t *module) {
  const mlir_op_t *main = mlir_module_find_symbol(module, "main");
  return main == NULL || main->region_count != 1 ? NULL : mlir_op_block(main, 0);
}

// A chain of broadcasts longer than this is treated as a value like any other.
enum { REMADE_DEPTH_MAX = 4 };

bool propagate_is_remade(const mlir_value_t *value) {
  for (int depth = 0; depth < REMADE_DEPTH_MAX && value->op != NULL; depth++) {
    switch (value->op->kind) {
      case CHIP_OP_CONSTANT:
      case CHIP_OP_IOTA:
        return true;
      case CHIP_OP_BROADCAST_IN_DIM:
        value = value->op->operands[0];
        break;
      default:
        return false;
    }
  }
  return false;
}

// --- Priorities of the user ---

static axes_t all_axes(const sharding_t *sharding, int priority_above) {
  axes_t axes = axes_from_list(&sharding->replicated);
  for (int d = 0; d < sharding->rank; d++) {
    if (sharding->dims[d].priority > priority_above) {
      const axes_t of_dim = axes_from_list(&sharding->dims[d].axes);
      axes_append_all(&axes, &of_dim);
    }
  }
  return axes;
}

// Dimensions of later priorities are closed and empty until their turn, and nobody else
// may take their axes meanwhile.
static void hold_back(graph_t *graph, int slot) {
  const sharding_t *given = graph->slots.items[slot].given;
  sharding_t *first = sharding_copy(graph->arena, given);
  const axes_t held = all_axes(given, 0);
  first->replicated = axes_to_list(graph->arena, &held);
  for (int d = 0; d < given->rank; d++) {
    if (given->dims[d].priority > 0) {
      first->dims[d] = (dim_sharding_t){0};
    }
  }
  graph_set(graph, slot, first);
}

static void release(graph_t *graph, int slot, int priority) {
  const sharding_t *given = graph->slots.items[slot].given;
  sharding_t *now = sharding_copy(graph->arena, graph->slots.items[slot].sharding);
  const axes_t held = all_axes(given, priority);
  now->replicated = axes_to_list(graph->arena, &held);
  for (int d = 0; d < given->rank; d++) {
    if (given->dims[d].priority == priority) {
      now->dims[d] = given->dims[d];
    }
  }
  graph_set(graph, slot, now);
}

// The smallest priority above `priority`; -1 when there is none.
static int next_priority(const graph_t *graph, int priority) {
  int next = -1;
  for (int i = 0; i < graph->slots.count; i++) {
    const sharding_t *given = graph->slots.items[i].given;
    for (int d = 0; given != NULL && d < given->rank; d++) {
      const int of_dim = given->dims[d].priority;
      if (of_dim > priority && (next < 0 || of_dim < next)) {
        next = of_dim;
      }
    }
  }
  return next;
}

// --- Rounds ---

static bool sweep(graph_t *graph, int level, bool forward) {
  bool any = false;
  for (int i = 0; i < graph->nodes.count; i++) {
    node_t *node = &graph->nodes.items[forward ? i : graph->nodes.count - 1 - i];
    if (node->is_dirty) {
      any = true;
      graph_step(graph, node, level);
    }
  }
  return any;
}

// Sweeps to and fro until nothing changes: shardings only grow, so this ends. A node that
// lets no more through than a level before has nothing new to say.
// Shardy lets what results demand, and what values have for them, through before and
// after everything else.
static void step_results(graph_t *graph, int level) {
  for (int i = 0; graph->shardings->propagation.is_exact && i < graph->nodes.count; i++) {
    if (graph->nodes.items[i].is_result) {
      graph_step(graph, &graph->nodes.items[i], level);
    }
  }
}

static void run_levels(graph_t *graph) {
  const propagation_options_t *options = &graph->shardings->propagation;
  const int first = options->is_aggressive || options->is_basic ? GRAPH_LEVELS - 1 : 0;
  for (int level = first; level < GRAPH_LEVELS; level++) {
    for (int i = 0; level > first && i < graph->nodes.count; i++) {
      node_t *node = &graph->nodes.items[i];
      node->is_dirty = node->is_dirty || (node->gains >> level & 1u) != 0;
    }
    step_results(graph, level);
    while (sweep(graph, level, true) && sweep(graph, level, false)) {
    }
  }
}

static void run_priorities(graph_t *graph) {
  for (int i = 0; i < graph->slots.count; i++) {
    if (graph->slots.items[i].given != NULL) {
      hold_back(graph, i);
    }
  }
  run_levels(graph);
  for (int priority = next_priority(graph, 0); priority > 0;
       priority = next_priority(graph, priority)) {
    for (int i = 0; i < graph->slots.count; i++) {
      if (graph->slots.items[i].given != NULL) {
        release(graph, i, priority);
      }
    }
    run_levels(graph);
  }
}

// --- Results ---

static const sharding_t *slot_sharding(const graph_t *graph, int slot) {
  return slot == SLOT_NONE ? sharding_replicated(graph->arena, graph->mesh, 0, false)
                           : graph->slots.items[slot].sharding;
}

static const sharding_t **slot_shardings(const graph_t *graph, int count,
                                         const int *slots) {
  const sharding_t **shardings =
      pod_arena_array(graph->arena, (size_t)count, sizeof(shardings[0]));
  for (int i = 0; i < count; i++) {
    shardings[i] = slot_sharding(graph, slots[i]);
  }
  return shardings;
}

// --- Programs without shardings ---

static bool is_given_by(const mlir_op_t *function, const char *name) {
  const mlir_attr_t *list = mlir_op_attr(function, name);
  for (int64_t i = 0; mlir_attr_is(list, MLIR_ATTR_ARRAY) && i < list->count; i++) {
    if (mlir_attr_is(list->elements[i], MLIR_ATTR_DICTIONARY) &&
        mlir_attr_get(list->elements[i], "sdy.sharding") != NULL) {
      return true;
    }
  }
  return false;
}

static bool gives_shardings(const mlir_module_t *module, const mlir_op_t *main) {
  if (is_given_by(main, "arg_attrs") || is_given_by(main, "res_attrs")) {
    return true;
  }
  if (!compiler_may_have_shardy(module)) {
    return false;
  }
  for (const mlir_op_t *op = mlir_walk_first(main); op != NULL;
       op = mlir_walk_next(main, op)) {
    if (compiler_is_shardy(op->kind) || mlir_op_attr(op, "sdy.sharding") != NULL) {
      return true;
    }
  }
  return false;
}

static propagation_t leave_whole(const shardings_t *shardings,
                                 const mlir_block_t *block) {
  pod_arena_t *arena = shardings->arena;
  const size_t value_count = shardings->module->value_count;
  const mlir_op_t *end = block->last;
  propagation_t propagation = {.mesh = shardings->mesh, .is_whole = true};
  propagation.values = pod_arena_array(arena, value_count, sizeof(propagation.values[0]));
  propagation.factors =
      pod_arena_array(arena, value_count, sizeof(propagation.factors[0]));
  propagation.arguments = pod_arena_array(arena, (size_t)block->argument_count,
                                          sizeof(propagation.arguments[0]));
  propagation.results =
      pod_arena_array(arena, (size_t)end->operand_count, sizeof(propagation.results[0]));
  for (int i = 0; i < block->argument_count; i++) {
    propagation.arguments[i] = sharding_replicated(
        arena, shardings->mesh, block->arguments[i]->type->shape.rank, false);
  }
  for (int i = 0; i < end->operand_count; i++) {
    propagation.results[i] = sharding_replicated(
        arena, shardings->mesh, end->operands[i]->type->shape.rank, false);
  }
  return propagation;
}

pod_status_t propagate_shardings(const shardings_t *shardings,
                                 propagation_t *out_propagation) {
  mlir_module_t *module = shardings->module;
  pod_arena_t *arena = shardings->arena;
  graph_t graph = {0};
  const mlir_op_t *main = mlir_module_find_symbol(module, "main");
  if (!gives_shardings(module, main)) {
    *out_propagation = leave_whole(shardings, propagate_main_block(module));
    return NULL;
  }
  pod_status_t status = graph_build(&graph, shardings);
  if (status != NULL) {
    goto cleanup;
  }
  run_priorities(&graph);
  const mlir_block_t *block = propagate_main_block(module);
  propagation_t propagation = {.mesh = shardings->mesh, .factors = graph.value_factors};
  propagation.values =
      pod_arena_array(arena, module->value_count, sizeof(propagation.values[0]));
  for (uint32_t i = 0; i < module->value_count; i++) {
    if (graph.value_slots[i] != SLOT_NONE) {
      propagation.values[i] = graph.slots.items[graph.value_slots[i]].sharding;
    }
  }
  propagation.arguments =
      slot_shardings(&graph, block->argument_count, graph.argument_slots);
  propagation.results =
      slot_shardings(&graph, block->last->operand_count, graph.result_slots);
  *out_propagation = propagation;
cleanup:
  graph_deinit(&graph);
  return status;
}
