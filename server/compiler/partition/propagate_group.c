// Sharding groups (sdy.sharding_group; of GSPMD, shard_as): their values get one
// sharding, which is to say one slot. Values in two groups make one group of both, as in
// Shardy's sharding_group_import; union-find over slots keeps the first of a set for all.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/mlir/diagnostic.h"
#include "common/mlir/walk.h"
#include "server/compiler/dialect/kinds.h"
#include "server/compiler/partition/propagate_graph.h"

pod_status_t graph_add_member(graph_t *graph, const mlir_op_t *op, int slot) {
  const mlir_attr_t *id = mlir_op_attr(op, "group_id");
  if (!mlir_attr_is(id, MLIR_ATTR_INTEGER)) {
    return mlir_op_error(graph->module, op, POD_INVALID_ARGUMENT,
                         "lacks the attribute 'group_id', an integer");
  }
  *pod_list_add(&graph->members) = (member_t){op, id->integer, slot};
  return NULL;
}

// --- Constraints ---

// Nothing but what every value starts with.
static bool is_unsaid(const sharding_t *sharding) {
  bool unsaid = true;
  for (int d = 0; d < sharding->rank; d++) {
    unsaid = unsaid && sharding->dims[d].is_open && sharding->dims[d].axes.count == 0;
  }
  return unsaid;
}

static bool is_closed(const sharding_t *sharding) {
  bool closed = true;
  for (int d = 0; d < sharding->rank; d++) {
    closed = closed && !sharding->dims[d].is_open;
  }
  return closed;
}

static bool is_contested(const graph_t *graph, const wish_t *wish) {
  for (int i = 0; i < graph->wishes.count; i++) {
    const wish_t *other = &graph->wishes.items[i];
    if (other->slot == wish->slot &&
        (!is_closed(other->sharding) ||
         !sharding_equivalent(other->sharding, wish->sharding))) {
      return true;
    }
  }
  return false;
}

void graph_apply_wishes(graph_t *graph) {
  for (int i = 0; i < graph->wishes.count; i++) {
    const wish_t *wish = &graph->wishes.items[i];
    slot_t *slot = &graph->slots.items[wish->slot];
    if (slot->linked == SLOT_NONE && !slot->is_carried && is_unsaid(slot->sharding) &&
        is_closed(wish->sharding) && !is_contested(graph, wish)) {
      slot->sharding = wish->sharding;
    }
  }
}

// --- Groups ---

static int find_root(int *parents, int slot) {
  while (parents[slot] != slot) {
    parents[slot] = parents[parents[slot]];
    slot = parents[slot];
  }
  return slot;
}

static bool same_replicated(const sharding_t *a, const sharding_t *b) {
  const axes_t of_a = axes_from_list(&a->replicated);
  const axes_t of_b = axes_from_list(&b->replicated);
  return axes_equal(&of_a, &of_b);
}

// Whether slot `kept` can stand for `other` too: it is not to lose a sharding of the
// user's nor what the edge of a manual computation demands.
static bool can_stand_for(const graph_t *graph, int kept, int other) {
  const slot_t *a = &graph->slots.items[kept], *b = &graph->slots.items[other];
  return b->linked == SLOT_NONE && is_unsaid(b->sharding) &&
         (a->linked != SLOT_NONE || same_replicated(a->sharding, b->sharding));
}

static void unite(const graph_t *graph, int *parents, int a, int b) {
  a = find_root(parents, a);
  b = find_root(parents, b);
  if (a == b) {
    return;
  }
  if (can_stand_for(graph, a, b)) {
    parents[b] = a;
  } else if (can_stand_for(graph, b, a)) {
    parents[a] = b;
  } else if (sharding_equivalent(graph->slots.items[a].sharding,
                                 graph->slots.items[b].sharding) &&
             graph->slots.items[b].linked == SLOT_NONE) {
    parents[b] = a;
  }
}

static int compare_members(const void *a, const void *b) {
  const member_t *first = a, *second = b;
  if (first->group != second->group) {
    return first->group < second->group ? -1 : 1;
  }
  return first->slot < second->slot ? -1 : first->slot > second->slot;
}

static const mlir_op_t *manual_around(const mlir_op_t *op) {
  const mlir_op_t *parent = walk_parent(op);
  while (parent != NULL && parent->kind != KIND_SDY_MANUAL_COMPUTATION) {
    parent = walk_parent(parent);
  }
  return parent;
}

static pod_status_t check_alike(const graph_t *graph, const member_t *first,
                                const member_t *member) {
  const tensor_shape_t *a = graph->slots.items[first->slot].shape;
  const tensor_shape_t *b = graph->slots.items[member->slot].shape;
  bool same = a->rank == b->rank;
  for (int d = 0; same && d < a->rank; d++) {
    same = a->dims[d] == b->dims[d];
  }
  if (!same) {
    return mlir_op_error(graph->module, member->op, POD_INVALID_ARGUMENT,
                         "another value of group %" PRId64 " has other dimensions",
                         member->group);
  }
  if (manual_around(first->op) != manual_around(member->op)) {
    return mlir_op_error(graph->module, member->op, POD_INVALID_ARGUMENT,
                         "another value of group %" PRId64
                         " is on the other side of a manual computation",
                         member->group);
  }
  return NULL;
}

static pod_status_t unite_members(graph_t *graph, int *parents) {
  qsort(graph->members.items, (size_t)graph->members.count,
        sizeof(graph->members.items[0]), compare_members);
  const member_t *first = NULL;
  for (int i = 0; i < graph->members.count; i++) {
    const member_t *member = &graph->members.items[i];
    if (first == NULL || first->group != member->group) {
      first = member;
      continue;
    }
    POD_TRY(check_alike(graph, first, member));
    unite(graph, parents, first->slot, member->slot);
  }
  return NULL;
}

static void rename_slots(int *parents, int count, int *slots) {
  for (int i = 0; i < count; i++) {
    slots[i] = slots[i] == SLOT_NONE ? SLOT_NONE : find_root(parents, slots[i]);
  }
}

pod_status_t graph_join_groups(graph_t *graph) {
  if (graph->members.count == 0) {
    return NULL;
  }
  const mlir_block_t *block = propagate_main_block(graph->module);
  int *parents =
      pod_arena_array(graph->arena, (size_t)graph->slots.count, sizeof(parents[0]));
  for (int i = 0; i < graph->slots.count; i++) {
    parents[i] = i;
  }
  POD_TRY(unite_members(graph, parents));
  for (int i = 0; i < graph->nodes.count; i++) {
    rename_slots(parents, graph->nodes.items[i].tensor_count,
                 graph->nodes.items[i].slots);
  }
  rename_slots(parents, (int)graph->module->value_count, graph->value_slots);
  rename_slots(parents, block->argument_count, graph->argument_slots);
  rename_slots(parents, block->last->operand_count, graph->result_slots);
  return NULL;
}
