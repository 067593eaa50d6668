// From @main to slots and nodes.

#include "server/compiler/partition/propagate_graph.h"
#include "server/compiler/dialect/kinds.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "common/mlir/diagnostic.h"
#include "server/compiler/dialect/alike.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/partition/factors.h"
#include "server/compiler/partition/roll.h"
#include "server/compiler/partition/shardings.h"
#include "server/program/operations.h"

static pod_status_t build_block(graph_t *graph, const mlir_block_t *block,
                                const axes_t *manual);

// --- Slots and nodes ---

// What a value starts with: open, and without the axes that are manual where it is.
static const sharding_t *open_sharding(graph_t *graph, int rank, const axes_t *manual) {
  sharding_t *sharding = sharding_replicated(graph->arena, graph->mesh, rank, true);
  sharding->replicated = axes_to_list(graph->arena, manual);
  return sharding;
}

static int add_slot(graph_t *graph, const tensor_shape_t *shape,
                    const sharding_t *sharding) {
  *pod_list_add(&graph->slots) =
      (slot_t){.shape = shape, .sharding = sharding, .linked = SLOT_NONE};
  return graph->slots.count - 1;
}

static bool has_dims(const mlir_value_t *value) {
  return value->type->kind == MLIR_TYPE_TENSOR && value->type->shape.rank > 0;
}

static int add_value(graph_t *graph, const mlir_value_t *value, const axes_t *manual) {
  if (!has_dims(value)) {
    return SLOT_NONE;
  }
  const tensor_shape_t *shape = &value->type->shape;
  const int slot = add_slot(graph, shape, open_sharding(graph, shape->rank, manual));
  graph->value_slots[value->id] = slot;
  return slot;
}

// Whether every use of a value has a sharding of its own.
static bool is_per_use(const graph_t *graph, const mlir_value_t *value) {
  return !graph->shardings->propagation.is_alone && propagate_is_remade(value);
}

// The slot of an operand: the value's, or one of its own for what is made per use.
static int use_slot(graph_t *graph, const mlir_value_t *value, const axes_t *manual) {
  if (!has_dims(value)) {
    return SLOT_NONE;
  }
  if (is_per_use(graph, value)) {
    const tensor_shape_t *shape = &value->type->shape;
    return add_slot(graph, shape, open_sharding(graph, shape->rank, manual));
  }
  return graph->value_slots[value->id];
}

static node_t *add_node(graph_t *graph, const factors_t *factors, int *slots,
                        node_kind_t kind) {
  node_t *node = pod_list_add(&graph->nodes);
  *node = (node_t){.factors = factors,
                   .slots = slots,
                   .tensor_count = factors->operand_count + factors->result_count,
                   .kind = kind,
                   .is_dirty = true};
  return node;
}

static factors_t *identity_factors(pod_arena_t *arena, const tensor_shape_t *shape,
                                   int operand_count) {
  factors_t *factors = pod_arena_alloc(arena, sizeof(*factors));
  int *indexes = pod_arena_array(arena, (size_t)shape->rank, sizeof(indexes[0]));
  factors->factors =
      pod_arena_array(arena, (size_t)shape->rank, sizeof(factors->factors[0]));
  factor_list_t *dims = pod_arena_array(arena, (size_t)shape->rank, sizeof(dims[0]));
  for (int d = 0; d < shape->rank; d++) {
    indexes[d] = d;
    dims[d] =
        (factor_list_t){.count = shape->dims[d] > 0 ? 1 : 0, .factors = &indexes[d]};
    factors->factors[d] = (factor_t){.size = shape->dims[d], .kind = FACTOR_PASS};
  }
  factors->factor_count = shape->rank;
  factors->operand_count = operand_count;
  factors->result_count = 1;
  factors->operands =
      pod_arena_array(arena, (size_t)operand_count + 1, sizeof(factors->operands[0]));
  for (int i = 0; i <= operand_count; i++) {
    factors->operands[i] = (factor_tensor_t){.rank = shape->rank, .dims = dims};
  }
  factors->results = &factors->operands[operand_count];
  return factors;
}

// `count` sources that flow into `target`, all with its shape.
static void add_edge(graph_t *graph, int count, const int *sources, int target) {
  if (target == SLOT_NONE) {
    return;
  }
  int *slots = pod_arena_array(graph->arena, (size_t)count + 1, sizeof(slots[0]));
  memcpy(slots, sources, (size_t)count * sizeof(slots[0]));
  slots[count] = target;
  const factors_t *factors =
      identity_factors(graph->arena, graph->slots.items[target].shape, count);
  add_node(graph, factors, slots, NODE_PASS_THROUGH)->is_identity = true;
}

// A scalar has nothing to propagate, and a slot only when it is a sum of parts.
static void set_scalar(graph_t *graph, const mlir_value_t *value,
                       const sharding_t *sharding, int *slot) {
  if (sharding != NULL && sharding->unreduced.count > 0 &&
      value->type->kind == MLIR_TYPE_TENSOR && value->type->shape.rank == 0) {
    *slot = add_slot(graph, &value->type->shape, sharding);
  }
}

static void set_given(graph_t *graph, int slot, const sharding_t *sharding) {
  graph->slots.items[slot].sharding = sharding;
  for (int d = 0; d < sharding->rank; d++) {
    if (sharding->dims[d].priority > 0) {
      graph->slots.items[slot].given = sharding;
    }
  }
}

// --- Operations ---

// Adds dimensions of one element at most, as indices get one and sums keep theirs. XLA
// has made a reshape of it by the time that shardings spread.
static bool repeats_nothing(const mlir_op_t *op) {
  return tensor_shape_elements(&op->operands[0]->type->shape) ==
         tensor_shape_elements(&op->results[0].type->shape);
}

static node_kind_t kind_of(const graph_t *graph, const mlir_op_t *op) {
  switch (op->kind) {
    case CHIP_OP_RESHAPE:
    case CHIP_OP_TRANSPOSE:
      return NODE_PASS_THROUGH;
    case CHIP_OP_DYNAMIC_SLICE:
    case CHIP_OP_DYNAMIC_UPDATE_SLICE:
      return NODE_FORWARD;
    case CHIP_OP_BROADCAST_IN_DIM:
      return repeats_nothing(op) && !graph->shardings->propagation.is_exact
                 ? NODE_PASS_THROUGH
                 : NODE_BROADCAST;
    default:
      return chip_op_has(op->kind, CHIP_TRAIT_ELEMENTWISE) ? NODE_PASS_THROUGH
                                                           : NODE_OTHER;
  }
}

static bool has_shared_operand(const graph_t *graph, const mlir_op_t *op) {
  for (int i = 0; i < op->operand_count; i++) {
    const mlir_value_t *operand = op->operands[i];
    if (has_dims(operand) && graph->use_counts[operand->id] > 1 &&
        !is_per_use(graph, operand)) {
      return true;
    }
  }
  return false;
}

static pod_status_t find_factors(graph_t *graph, const mlir_op_t *op,
                                 const factors_t **out_factors) {
  alike_t key;
  alike_init(&key, op);
  *out_factors = alike_get(graph->factors, &key);
  if (*out_factors == NULL) {
    factors_t *factors;
    POD_TRY(compiler_factors_rule(op->kind)(graph->module, op, graph->arena, &factors));
    alike_put(graph->factors, &key, factors);
    *out_factors = factors;
  }
  return NULL;
}

static void add_ruled_op(graph_t *graph, const mlir_op_t *op, const axes_t *manual,
                         const factors_t *factors) {
  if (op->result_count > 0) {
    graph->value_factors[op->results[0].id] = factors;
  }
  const int count = op->operand_count + op->result_count;
  int *slots = pod_arena_array(graph->arena, (size_t)count, sizeof(slots[0]));
  for (int i = 0; i < op->operand_count; i++) {
    slots[i] = use_slot(graph, op->operands[i], manual);
  }
  for (int i = 0; i < op->result_count; i++) {
    slots[op->operand_count + i] =
        has_dims(&op->results[i]) ? graph->value_slots[op->results[i].id] : SLOT_NONE;
  }
  node_t *node = add_node(graph, factors, slots, kind_of(graph, op));
  node->is_elementwise = chip_op_has(op->kind, CHIP_TRAIT_ELEMENTWISE);
  node->is_identity = node->is_elementwise;
  node->joins_operands = op->kind == CHIP_OP_CONCATENATE;
  node->has_shared_operand = has_shared_operand(graph, op);
}

static pod_status_t add_constraint(graph_t *graph, const mlir_op_t *op,
                                   const axes_t *manual) {
  if (op->operand_count != 1 || op->result_count != 1) {
    return mlir_op_error(graph->module, op, POD_INVALID_ARGUMENT,
                         "expected one operand and one result");
  }
  if (op->results[0].type->kind != MLIR_TYPE_TENSOR) {
    return NULL;
  }
  const sharding_t *sharding;
  POD_TRY(shardings_read(graph->shardings, mlir_op_attr(op, "sharding"), op,
                         &op->results[0].type->shape, manual, &sharding));
  int *target_slot = &graph->value_slots[op->results[0].id];
  set_scalar(graph, &op->results[0], sharding, target_slot);
  if (!has_dims(&op->results[0])) {
    return NULL;
  }
  const int source = use_slot(graph, op->operands[0], manual);
  const int target = *target_slot;
  set_given(graph, target, sharding);
  if (op->kind == KIND_SDY_SHARDING_CONSTRAINT) {
    *pod_list_add(&graph->wishes) = (wish_t){source, sharding};
  }
  add_edge(graph, 1, &source, target);
  node_t *node = &graph->nodes.items[graph->nodes.count - 1];
  node->is_elementwise = true;
  node->has_shared_operand = has_shared_operand(graph, op);
  return NULL;
}

// What may pass: allowed_direction, a word, or in the generic form its number.
static pod_status_t read_direction(graph_t *graph, const mlir_op_t *op,
                                   direction_t *out) {
  // In the order of Shardy's enumerators.
  static const struct {
    const char *word;
    direction_t direction;
  } directions[] = {{"NONE", DIRECTION_NONE},
                    {"FORWARD", DIRECTION_FORWARD},
                    {"BACKWARD", DIRECTION_BACKWARD},
                    {"BOTH", DIRECTION_BOTH}};
  const mlir_attr_t *attr = mlir_op_attr(op, "allowed_direction");
  const char *word = mlir_attr_is(attr, MLIR_ATTR_STRING)
                         ? attr->text
                         : stablehlo_word(attr, "propagation_direction");
  for (int64_t i = 0; i < (int64_t)POD_COUNT_OF(directions); i++) {
    const bool is_number = mlir_attr_is(attr, MLIR_ATTR_INTEGER) && attr->integer == i;
    if (is_number || (word != NULL && strcmp(word, directions[i].word) == 0)) {
      *out = directions[i].direction;
      return NULL;
    }
  }
  return mlir_op_error(graph->module, op, POD_INVALID_ARGUMENT,
                       "'allowed_direction' must be NONE, FORWARD, BACKWARD or BOTH");
}

static pod_status_t add_propagation_barrier(graph_t *graph, const mlir_op_t *op,
                                            const axes_t *manual) {
  direction_t direction = DIRECTION_NONE;
  if (op->operand_count != 1 || op->result_count != 1 ||
      !mlir_type_equal(op->operands[0]->type, op->results[0].type)) {
    return mlir_op_error(graph->module, op, POD_INVALID_ARGUMENT,
                         "expected one operand and one result of its type");
  }
  POD_TRY(read_direction(graph, op, &direction));
  const int source = use_slot(graph, op->operands[0], manual);
  if (source != SLOT_NONE && direction != DIRECTION_NONE) {
    add_edge(graph, 1, &source, graph->value_slots[op->results[0].id]);
    node_t *node = &graph->nodes.items[graph->nodes.count - 1];
    node->kind = NODE_BARRIER;
    node->allowed = direction;
  }
  return NULL;
}

static pod_status_t add_sharding_group(graph_t *graph, const mlir_op_t *op) {
  if (op->operand_count != 1 || op->result_count != 0) {
    return mlir_op_error(graph->module, op, POD_INVALID_ARGUMENT,
                         "expected one operand and no result");
  }
  const mlir_value_t *value = op->operands[0];
  return !has_dims(value) || is_per_use(graph, value)
             ? NULL
             : graph_add_member(graph, op, graph->value_slots[value->id]);
}

// Operands flow to the results of the same number.
static void add_identities(graph_t *graph, const mlir_op_t *op, const axes_t *manual) {
  for (int i = 0; i < op->result_count && i < op->operand_count; i++) {
    const int source = use_slot(graph, op->operands[i], manual);
    if (source != SLOT_NONE) {
      add_edge(graph, 1, &source, graph->value_slots[op->results[i].id]);
    }
  }
}

static void use_value_slot(graph_t *graph, const mlir_value_t *value, int slot) {
  graph->value_slots[value->id] = slot;
}

// A carried value is one slot inside and behind the loop; it comes from the initial value
// and from what the body returns.
static pod_status_t add_while(graph_t *graph, const mlir_op_t *op, const axes_t *manual) {
  for (int r = 0; r < op->region_count; r++) {
    const mlir_block_t *block = mlir_op_block(op, r);
    for (int i = 0; i < op->result_count; i++) {
      use_value_slot(graph, block->arguments[i], graph->value_slots[op->results[i].id]);
    }
    POD_TRY(build_block(graph, block, manual));
  }
  const mlir_op_t *end = mlir_op_block(op, 1)->last;
  for (int i = 0; i < op->result_count; i++) {
    if (has_dims(&op->results[i])) {
      graph->slots.items[graph->value_slots[op->results[i].id]].is_carried = true;
      const int sources[] = {use_slot(graph, op->operands[i], manual),
                             use_slot(graph, end->operands[i], manual)};
      add_edge(graph, 2, sources, graph->value_slots[op->results[i].id]);
    }
  }
  return NULL;
}

static pod_status_t add_branches(graph_t *graph, const mlir_op_t *op,
                                 const axes_t *manual) {
  for (int r = 0; r < op->region_count; r++) {
    POD_TRY(build_block(graph, mlir_op_block(op, r), manual));
  }
  int *sources =
      pod_arena_array(graph->arena, (size_t)op->region_count, sizeof(sources[0]));
  for (int i = 0; i < op->result_count; i++) {
    if (!has_dims(&op->results[i])) {
      continue;
    }
    graph->slots.items[graph->value_slots[op->results[i].id]].is_carried = true;
    for (int r = 0; r < op->region_count; r++) {
      sources[r] = use_slot(graph, mlir_op_block(op, r)->last->operands[i], manual);
    }
    add_edge(graph, op->region_count, sources, graph->value_slots[op->results[i].id]);
  }
  return NULL;
}

// Links a slot of the global shape to one of the local shape.
static void link_slots(graph_t *graph, int outer, int inner, const axes_t *manual) {
  graph->slots.items[outer].linked = inner;
  graph->slots.items[outer].is_outer = true;
  graph->slots.items[outer].manual = manual;
  graph->slots.items[inner].linked = outer;
  graph->slots.items[inner].manual = manual;
}

static pod_status_t add_manual_input(graph_t *graph, const shardings_manual_t *manual,
                                     const mlir_op_t *op, int i, const axes_t *around) {
  const mlir_value_t *argument = mlir_op_block(op, 0)->arguments[i];
  if (!has_dims(argument)) {
    set_scalar(graph, argument,
               shardings_enter(graph->arena, manual->inputs[i], &manual->axes),
               &graph->value_slots[argument->id]);
    return NULL;
  }
  const tensor_shape_t *shape = &op->operands[i]->type->shape;
  const int outer = add_slot(graph, shape, manual->inputs[i]);
  set_given(graph, outer, manual->inputs[i]);
  const int inner =
      add_slot(graph, &argument->type->shape,
               shardings_enter(graph->arena, manual->inputs[i], &manual->axes));
  link_slots(graph, outer, inner, &manual->axes);
  use_value_slot(graph, argument, inner);
  const int source = use_slot(graph, op->operands[i], around);
  *pod_list_add(&graph->wishes) = (wish_t){source, manual->inputs[i]};
  add_edge(graph, 1, &source, outer);
  return NULL;
}

static void add_manual_output(graph_t *graph, const shardings_manual_t *manual,
                              const mlir_op_t *op, int i, const axes_t *within) {
  const mlir_value_t *returned = mlir_op_block(op, 0)->last->operands[i];
  if (!has_dims(returned)) {
    const mlir_value_t *result = &op->results[i];
    set_scalar(graph, result, manual->outputs[i], &graph->value_slots[result->id]);
    return;
  }
  const int outer = graph->value_slots[op->results[i].id];
  set_given(graph, outer, manual->outputs[i]);
  const int inner =
      add_slot(graph, &returned->type->shape,
               shardings_enter(graph->arena, manual->outputs[i], &manual->axes));
  link_slots(graph, outer, inner, &manual->axes);
  const int source = use_slot(graph, returned, within);
  add_edge(graph, 1, &source, inner);
}

static pod_status_t add_manual(graph_t *graph, const mlir_op_t *op,
                               const axes_t *around) {
  const shardings_manual_t *manual;
  POD_TRY(shardings_read_manual(graph->shardings, op, around, &manual));
  axes_t *within = pod_arena_alloc(graph->arena, sizeof(*within));
  *within = *around;
  axes_append_all(within, &manual->axes);
  for (int i = 0; i < op->operand_count; i++) {
    POD_TRY(add_manual_input(graph, manual, op, i, around));
  }
  POD_TRY(build_block(graph, mlir_op_block(op, 0), within));
  for (int i = 0; i < op->result_count; i++) {
    add_manual_output(graph, manual, op, i, within);
  }
  return NULL;
}

// The shardings that the op's own attribute gives its results.
static pod_status_t read_results(graph_t *graph, const mlir_op_t *op,
                                 const axes_t *manual) {
  for (int i = 0; i < op->result_count; i++) {
    const mlir_value_t *result = &op->results[i];
    if (result->type->kind != MLIR_TYPE_TENSOR || is_per_use(graph, result)) {
      continue;
    }
    const sharding_t *sharding;
    POD_TRY(shardings_read_result(graph->shardings, op, i, manual, &sharding));
    set_scalar(graph, result, sharding, &graph->value_slots[result->id]);
    if (sharding != NULL && has_dims(result)) {
      set_given(graph, graph->value_slots[result->id], sharding);
    }
  }
  return NULL;
}

// A roll lies as what is rolled.
static bool add_roll(graph_t *graph, const mlir_op_t *op, const axes_t *manual) {
  roll_t roll;
  if (!roll_find(op, &roll)) {
    return false;
  }
  const int source = use_slot(graph, roll.value, manual);
  add_edge(graph, 1, &source, graph->value_slots[op->results[0].id]);
  return true;
}

static pod_status_t add_op(graph_t *graph, const mlir_op_t *op, const axes_t *manual) {
  for (int i = 0; i < op->result_count; i++) {
    if (!is_per_use(graph, &op->results[i])) {
      add_value(graph, &op->results[i], manual);
    }
  }
  POD_TRY(read_results(graph, op, manual));
  switch (op->kind) {
    case CHIP_OP_WHILE:
      return add_while(graph, op, manual);
    case CHIP_OP_CASE:
    case CHIP_OP_IF:
      return add_branches(graph, op, manual);
    case CHIP_OP_OPTIMIZATION_BARRIER:
      add_identities(graph, op, manual);
      return NULL;
    default:
      break;
  }
  if (op->kind == KIND_SDY_MANUAL_COMPUTATION) {
    return add_manual(graph, op, manual);
  }
  if (op->kind == KIND_SDY_SHARDING_CONSTRAINT || op->kind == KIND_SDY_RESHARD) {
    return add_constraint(graph, op, manual);
  }
  if (op->kind == KIND_SDY_PROPAGATION_BARRIER) {
    return add_propagation_barrier(graph, op, manual);
  }
  if (op->kind == KIND_SDY_SHARDING_GROUP) {
    return add_sharding_group(graph, op);
  }
  if (add_roll(graph, op, manual)) {
    return NULL;
  }
  const factors_t *factors = graph_collective_factors(graph, op, manual);
  if (compiler_factors_rule(op->kind) != NULL &&
      !(op->result_count == 1 && is_per_use(graph, &op->results[0]))) {
    POD_TRY(find_factors(graph, op, &factors));
  }
  if (factors != NULL) {
    add_ruled_op(graph, op, manual, factors);
  }
  return NULL;
}

static pod_status_t build_block(graph_t *graph, const mlir_block_t *block,
                                const axes_t *manual) {
  for (const mlir_op_t *op = block->first; op != NULL; op = op->next) {
    POD_TRY(add_op(graph, op, manual));
  }
  return NULL;
}

// --- @main ---

static void count_uses(graph_t *graph, const mlir_block_t *block) {
  for (const mlir_op_t *op = block->first; op != NULL; op = op->next) {
    for (int i = 0; i < op->operand_count; i++) {
      graph->use_counts[op->operands[i]->id]++;
    }
    for (int r = 0; r < op->region_count; r++) {
      for (const mlir_block_t *inner = op->regions[r].first; inner != NULL;
           inner = inner->next) {
        count_uses(graph, inner);
      }
    }
  }
}

// The nodes of every slot, and of the slot linked to it.
static void index_nodes(graph_t *graph) {
  const size_t slot_count = (size_t)graph->slots.count;
  graph->slot_starts =
      pod_arena_array(graph->arena, slot_count + 1, sizeof(graph->slot_starts[0]));
  int total = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int n = 0; n < graph->nodes.count; n++) {
      const node_t *node = &graph->nodes.items[n];
      for (int i = 0; i < node->tensor_count; i++) {
        if (node->slots[i] == SLOT_NONE) {
          continue;
        }
        if (pass == 0) {
          graph->slot_starts[node->slots[i]]++;
          total++;
        } else {
          graph->slot_nodes[--graph->slot_starts[node->slots[i]]] = n;
        }
      }
    }
    if (pass == 0) {
      for (size_t i = 1; i <= slot_count; i++) {
        graph->slot_starts[i] += graph->slot_starts[i - 1];
      }
      graph->slot_nodes =
          pod_arena_array(graph->arena, (size_t)total, sizeof(graph->slot_nodes[0]));
    }
  }
}

static void finish_nodes(graph_t *graph) {
  int factor_count = 0;
  for (int n = 0; n < graph->nodes.count; n++) {
    const int count = graph->nodes.items[n].factors->factor_count;
    factor_count = count > factor_count ? count : factor_count;
    graph->nodes.items[n].gains =
        graph_gains(&graph->shardings->propagation, &graph->nodes.items[n]);
  }
  graph->ranks =
      pod_arena_array(graph->arena, (size_t)factor_count, sizeof(graph->ranks[0]));
  graph->axes =
      pod_arena_array(graph->arena, (size_t)factor_count, sizeof(graph->axes[0]));
}

static pod_status_t build_arguments(graph_t *graph, const mlir_op_t *main,
                                    const mlir_block_t *block) {
  static const axes_t none = {0};
  graph->argument_slots = pod_arena_array(graph->arena, (size_t)block->argument_count,
                                          sizeof(graph->argument_slots[0]));
  for (int i = 0; i < block->argument_count; i++) {
    graph->argument_slots[i] = add_value(graph, block->arguments[i], &none);
    const sharding_t *sharding;
    POD_TRY(shardings_read_argument(graph->shardings, main, i, &sharding));
    set_scalar(graph, block->arguments[i], sharding, &graph->argument_slots[i]);
    graph->value_slots[block->arguments[i]->id] = graph->argument_slots[i];
    if (graph->argument_slots[i] != SLOT_NONE) {
      graph->slots.items[graph->argument_slots[i]].is_surface = true;
    }
    if (sharding != NULL && has_dims(block->arguments[i])) {
      set_given(graph, graph->argument_slots[i], sharding);
    }
  }
  return NULL;
}

static pod_status_t build_results(graph_t *graph, const mlir_op_t *main,
                                  const mlir_op_t *end) {
  static const axes_t none = {0};
  graph->result_slots = pod_arena_array(graph->arena, (size_t)end->operand_count,
                                        sizeof(graph->result_slots[0]));
  for (int i = 0; i < end->operand_count; i++) {
    const mlir_value_t *value = end->operands[i];
    graph->result_slots[i] = SLOT_NONE;
    const sharding_t *sharding;
    POD_TRY(shardings_read_function_result(graph->shardings, main, i, &sharding));
    set_scalar(graph, value, sharding, &graph->result_slots[i]);
    if (!has_dims(value)) {
      continue;
    }
    const tensor_shape_t *shape = &value->type->shape;
    const int slot = add_slot(graph, shape, open_sharding(graph, shape->rank, &none));
    graph->result_slots[i] = slot;
    graph->slots.items[slot].is_surface = true;
    if (sharding != NULL) {
      set_given(graph, slot, sharding);
    }
    const int source = use_slot(graph, value, &none);
    add_edge(graph, 1, &source, slot);
    graph->nodes.items[graph->nodes.count - 1].is_result = true;
  }
  return NULL;
}

pod_status_t graph_build(graph_t *graph, const shardings_t *shardings) {
  static const axes_t none = {0};
  mlir_module_t *module = shardings->module;
  pod_arena_t *arena = shardings->arena;
  const mlir_op_t *main = mlir_module_find_symbol(module, "main");
  const mlir_block_t *block = propagate_main_block(module);
  POD_CHECK(block != NULL);
  *graph = (graph_t){
      .module = module, .arena = arena, .mesh = shardings->mesh, .shardings = shardings};
  graph->factors = pod_map_create();
  graph->value_slots =
      pod_arena_array(arena, module->value_count, sizeof(graph->value_slots[0]));
  graph->use_counts =
      pod_arena_array(arena, module->value_count, sizeof(graph->use_counts[0]));
  graph->value_factors =
      pod_arena_array(arena, module->value_count, sizeof(graph->value_factors[0]));
  for (uint32_t i = 0; i < module->value_count; i++) {
    graph->value_slots[i] = SLOT_NONE;
  }
  count_uses(graph, block);
  POD_TRY(build_arguments(graph, main, block));
  POD_TRY(build_block(graph, block, &none));
  POD_TRY(build_results(graph, main, block->last));
  if (shardings->propagation.is_exact && !shardings->propagation.is_alone) {
    graph_apply_wishes(graph);
  }
  POD_TRY(graph_join_groups(graph));
  index_nodes(graph);
  finish_nodes(graph);
  return NULL;
}

void graph_deinit(graph_t *graph) {
  pod_list_deinit(&graph->slots);
  pod_list_deinit(&graph->nodes);
  pod_list_deinit(&graph->members);
  pod_list_deinit(&graph->wishes);
  pod_map_destroy(graph->factors);
  projection_deinit(&graph->projection);
}

static void set_one(graph_t *graph, int slot, const sharding_t *sharding) {
  graph->slots.items[slot].sharding = sharding;
  for (int i = graph->slot_starts[slot]; i < graph->slot_starts[slot + 1]; i++) {
    graph->nodes.items[graph->slot_nodes[i]].is_dirty = true;
  }
}

void graph_set(graph_t *graph, int slot, const sharding_t *sharding) {
  set_one(graph, slot, sharding);
  const slot_t *changed = &graph->slots.items[slot];
  if (changed->linked == SLOT_NONE) {
    return;
  }
  const slot_t *other = &graph->slots.items[changed->linked];
  set_one(graph, changed->linked,
          changed->is_outer ? shardings_enter(graph->arena, sharding, changed->manual)
                            : shardings_leave(graph->arena, sharding, other->sharding,
                                              changed->manual));
}
