// One step: along the factors of one operation, from the tensors that are sharded to
// those that are not yet.

#include "common/base/check.h"
#include "common/base/number.h"
#include "server/compiler/partition/propagate_graph.h"

// Conservatively nothing spreads where elements move or arrays are joined.
static bool is_blocked(const propagation_options_t *options, const node_t *node,
                       int factor) {
  const factor_t *it = &node->factors->factors[factor];
  return it->is_blocked || (options->is_conservative &&
                            (it->kind == FACTOR_PERMUTATION ||
                             (it->kind == FACTOR_REPLICATE && node->joins_operands)));
}

// Shardy's schedule of operation priorities; a level allows what those before it do.
static direction_t step_direction(const propagation_options_t *options,
                                  const node_t *node, int factor, int level) {
  if (node->kind == NODE_BARRIER) {
    return node->allowed;
  }
  if (is_blocked(options, node, factor)) {
    return DIRECTION_NONE;
  }
  int direction = DIRECTION_NONE;
  const bool shared_allowed = level >= 1;
  if (!node->has_shared_operand || shared_allowed) {
    if (node->kind == NODE_PASS_THROUGH) {
      direction |= DIRECTION_BOTH;
    } else if (node->kind == NODE_FORWARD) {
      direction |= DIRECTION_FORWARD;
    }
  }
  const bool passes = node->factors->factors[factor].kind == FACTOR_PASS;
  if (level >= 3 || (level >= 2 && passes)) {
    direction |= node->kind == NODE_BROADCAST ? DIRECTION_BACKWARD : DIRECTION_BOTH;
  }
  return level >= 4 ? DIRECTION_BOTH : (direction_t)direction;
}

unsigned graph_gains(const propagation_options_t *options, const node_t *node) {
  unsigned gains = 1;
  for (int level = 1; level < GRAPH_LEVELS; level++) {
    for (int f = 0; f < node->factors->factor_count; f++) {
      if (step_direction(options, node, f, level) !=
          step_direction(options, node, f, level - 1)) {
        gains |= 1u << level;
      }
    }
  }
  return gains;
}

static const propagation_options_t *options_of(const graph_t *graph) {
  return &graph->shardings->propagation;
}

// Adds to `common`, the axes on which the tensors so far agree, those of one more. When
// they conflict `common` keeps the part that both have and can no longer grow.
static void merge_axes(axes_t *common, const axes_t *more, bool *can_grow) {
  if (more->count == 0 || axes_equal(common, more)) {
    return;
  }
  const axes_t shared = axes_common_prefix(common, more);
  if (axes_equal(&shared, common)) {
    if (*can_grow) {
      axes_set(common, more);
    }
  } else if (!axes_equal(&shared, more)) {
    axes_set(common, &shared);
    *can_grow = false;
  }
}

// The axes to propagate along a factor, conflicts with other factors aside: the longest
// that the tensors agree on. Only the side that the direction starts from adds axes.
static void compatible_axes(const projection_t *projection, const node_t *node,
                            int factor, direction_t direction, axes_t *out) {
  out->count = 0;
  if (direction == DIRECTION_NONE) {
    return;
  }
  const int tensor_count = projection->tensor_count;
  const int operand_count = node->factors->operand_count;
  const int first = direction == DIRECTION_BACKWARD ? operand_count : 0;
  bool can_grow = true;
  for (int i = 0; i < tensor_count; i++) {
    const int tensor = (first + i) % tensor_count;
    const int first_side =
        direction == DIRECTION_BACKWARD ? tensor_count - operand_count : operand_count;
    if (i == first_side && direction != DIRECTION_BOTH) {
      can_grow = false;
    }
    const projection_cell_t *cell = projection_cell(projection, tensor, factor);
    if (cell->is_present) {
      merge_axes(out, &cell->axes, &can_grow);
    }
  }
}

static bool is_part(axis_ref_t ref, const mesh_t *mesh) {
  return ref.size != mesh->axes[ref.axis].size;
}

// The major part of an axis that a factor of which `done` pieces are cut can take. One
// that has others behind it may take a part and leave the rest to them; the last one
// takes an axis whole or not at all. 1: nothing of it.
static int64_t fitting_size(const propagation_options_t *options,
                            const projection_cell_t *cell, int64_t done, int64_t size) {
  if (!cell->is_open || cell->overflow.count > 0) {
    return 1;
  }
  if ((options->is_exact && cell->is_minor_most) || cell->may_be_uneven) {
    return size;
  }
  if (cell->size % done != 0) {
    return 1;
  }
  if (options->is_exact) {
    return pod_greatest_common_divisor(cell->size / done, size);
  }
  while (size > 1 && (cell->size / done) % size != 0) {
    int64_t divisor = 2;
    while (size % divisor != 0) {
      divisor++;
    }
    size = cell->is_minor_most && !cell->may_be_part ? 1 : size / divisor;
  }
  return size;
}

// Cuts `axes` to what `cell`, of a tensor with `sharding`, can take.
static void fit_within_factor(const propagation_options_t *options, axes_t *axes,
                              const projection_cell_t *cell, const sharding_t *sharding) {
  axes_t taken = axes_from_list(&sharding->replicated);
  const axes_t unreduced = axes_from_list(&sharding->unreduced);
  axes_append_all(&taken, &unreduced);
  axes_t kept;
  kept.count = 0;
  int64_t done = 1;
  for (int i = 0; i < axes->count; i++) {
    axis_ref_t ref = axes->refs[i];
    if (!axis_ref_without_overlap(ref, &taken, &ref)) {
      break;
    }
    bool present = false;
    for (int j = 0; j < cell->axes.count; j++) {
      present = present || axis_ref_within(ref, cell->axes.refs[j]);
    }
    if (!present) {
      const int64_t fitting = fitting_size(options, cell, done, ref.size);
      const axis_ref_t *last =
          cell->axes.count > 0 ? &cell->axes.refs[cell->axes.count - 1] : NULL;
      if (fitting > 1) {
        ref.size = fitting;
      } else if (last != NULL && axis_ref_is_prefix(*last, ref)) {
        ref = *last;
      } else {
        break;
      }
    }
    if (options->is_conservative && is_part(ref, sharding->mesh)) {
      break;
    }
    axes_append(&kept, ref);
    done *= ref.size;
    if (!axis_ref_equal(ref, axes->refs[i])) {
      break;
    }
  }
  axes_set(axes, &kept);
}

// Cuts `axes` where they meet axes that other factors of the tensor have.
static void fit_across_factors(axes_t *axes, const projection_t *projection, int tensor,
                               int factor) {
  axes_t kept;
  kept.count = 0;
  for (int i = 0; i < axes->count; i++) {
    axis_ref_t ref = axes->refs[i];
    for (int f = 0; f < projection->factor_count; f++) {
      const projection_cell_t *other = projection_cell(projection, tensor, f);
      if (f != factor && other->is_present &&
          (!axis_ref_without_overlap(ref, &other->axes, &ref) ||
           !axis_ref_without_overlap(ref, &other->overflow, &ref))) {
        axes_set(axes, &kept);
        return;
      }
    }
    axes_append(&kept, ref);
    if (!axis_ref_equal(ref, axes->refs[i])) {
      break;
    }
  }
  axes_set(axes, &kept);
}

static bool ranks_before(const factor_rank_t *a, const factor_rank_t *b) {
  if (a->source_elements != b->source_elements) {
    return a->source_elements > b->source_elements;
  }
  if (a->shards != b->shards) {
    return a->shards > b->shards;
  }
  return a->source != b->source ? a->source < b->source : a->factor < b->factor;
}

static factor_rank_t factor_rank(const projection_t *projection, const node_t *node,
                                 int factor, const axes_t *axes) {
  factor_rank_t rank = {.source_elements = -1, .source = -1, .factor = factor};
  rank.shards = node->is_elementwise ? axes_size(axes) : 0;
  for (int tensor = 0; axes->count > 0 && tensor < projection->tensor_count; tensor++) {
    const projection_cell_t *cell = projection_cell(projection, tensor, factor);
    if (!cell->is_present || !axes_is_prefix(axes, &cell->axes)) {
      continue;
    }
    double elements = 1;
    for (int f = 0; f < projection->factor_count; f++) {
      if (projection_cell(projection, tensor, f)->is_present) {
        elements *= (double)node->factors->factors[f].size;
      }
    }
    if (elements > rank.source_elements) {
      rank.source_elements = elements;
      rank.source = tensor;
    }
  }
  return rank;
}

// The axes of every factor with any, best first. Returns their number.
static int plan_factors(graph_t *graph, const node_t *node, int level) {
  factor_rank_t *ranks = graph->ranks;
  axes_t *axes = graph->axes;
  int count = 0;
  for (int f = 0; f < node->factors->factor_count; f++) {
    const direction_t direction = step_direction(options_of(graph), node, f, level);
    compatible_axes(&graph->projection, node, f, direction, &axes[f]);
    if (axes[f].count == 0) {
      continue;
    }
    const factor_rank_t rank = factor_rank(&graph->projection, node, f, &axes[f]);
    int at = count++;
    while (at > 0 && ranks_before(&rank, &ranks[at - 1])) {
      ranks[at] = ranks[at - 1];
      at--;
    }
    ranks[at] = rank;
  }
  return count;
}

// Where elements move, the dimension may be another: one that has not much less, and
// enough for every shard.
static bool is_about(int64_t size, int64_t other, int64_t shards) {
  return size == other || (size / 2 >= shards && size >= other / 2);
}

// Axes that do not divide a dimension spread from where the user has put them to what has
// the same dimension, alone.
static bool is_uneven(const projection_t *projection, const node_t *node, int tensor,
                      int factor, const axes_t *wanted) {
  const projection_cell_t *cell = projection_cell(projection, tensor, factor);
  const factor_kind_t kind = node->factors->factors[factor].kind;
  if (!cell->is_alone || cell->size == 1 || kind == FACTOR_REPLICATE) {
    return false;
  }
  for (int t = 0; t < projection->tensor_count; t++) {
    const projection_cell_t *other = projection_cell(projection, t, factor);
    if (other->is_present && other->is_alone && axes_is_prefix(wanted, &other->axes) &&
        (kind == FACTOR_PERMUTATION ? is_about(cell->size, other->size, axes_size(wanted))
                                    : other->size == cell->size) &&
        other->size % axes_size(&other->axes) != 0) {
      return true;
    }
  }
  return false;
}

// Gives a tensor the axes of one factor. An operand of an elementwise operation is not
// sharded beyond what the result is: its shards would only be gathered again.
static bool expand_cell(const graph_t *graph, const node_t *node, int tensor, int factor,
                        const axes_t *wanted) {
  const projection_t *projection = &graph->projection;
  projection_cell_t *cell = projection_cell(projection, tensor, factor);
  // What is wanted is only cut in what follows.
  if (!cell->is_present || !axes_is_strict_prefix(&cell->axes, wanted)) {
    return false;
  }
  axes_t axes;
  axes_set(&axes, wanted);
  // Arguments and results have no padding that nobody asked for.
  const bool uneven = is_uneven(projection, node, tensor, factor, wanted);
  const bool is_surface = graph->slots.items[node->slots[tensor]].is_surface;
  cell->may_be_uneven = uneven && !is_surface;
  cell->may_be_part = uneven && is_surface && tensor >= node->factors->operand_count;
  fit_within_factor(options_of(graph), &axes, cell,
                    graph->slots.items[node->slots[tensor]].sharding);
  if (!axes_is_strict_prefix(&cell->axes, &axes)) {
    return false;
  }
  fit_across_factors(&axes, projection, tensor, factor);
  if (node->is_elementwise && tensor < node->factors->operand_count) {
    for (int r = node->factors->operand_count; r < projection->tensor_count; r++) {
      const projection_cell_t *result = projection_cell(projection, r, factor);
      if (result->is_present && axes_is_strict_prefix(&result->axes, &axes)) {
        axes_set(&axes, &result->axes);
      }
    }
  }
  if (!axes_is_strict_prefix(&cell->axes, &axes)) {
    return false;
  }
  axes_set(&cell->axes, &axes);
  return true;
}

static bool is_free(const sharding_t *sharding, int dim, const axes_t *axes) {
  for (int d = 0; d < sharding->rank; d++) {
    const axes_t others = axes_from_list(&sharding->dims[d].axes);
    if (d != dim && axes_overlap(&others, axes)) {
      return false;
    }
  }
  return true;
}

// Writes a tensor's cells back to its slot. The slot may have changed since the cells
// were filled, when it is two operands of the same operation.
static void update_slot(graph_t *graph, const node_t *node, int tensor) {
  const factors_t *factors = node->factors;
  const factor_tensor_t *mapping =
      tensor < factors->operand_count
          ? &factors->operands[tensor]
          : &factors->results[tensor - factors->operand_count];
  const slot_t *slot = &graph->slots.items[node->slots[tensor]];
  sharding_t *updated = NULL;
  for (int d = 0; d < mapping->rank; d++) {
    const axes_t axes = projection_dim(&graph->projection, tensor, factors, mapping, d);
    const axes_t before = axes_from_list(&slot->sharding->dims[d].axes);
    // A factor of the middle may have grown while the one before it is not full: what the
    // dimension can say of that may be less than what it says now.
    const factor_list_t *list = &mapping->dims[d];
    const bool may_pad =
        list->count == 1 &&
        projection_cell(&graph->projection, tensor, list->factors[0])->may_be_uneven;
    if (!axes_is_strict_prefix(&before, &axes) ||
        (!options_of(graph)->is_exact && !may_pad &&
         slot->shape->dims[d] % axes_size(&axes) != 0) ||
        !is_free(updated == NULL ? slot->sharding : updated, d, &axes)) {
      continue;
    }
    if (updated == NULL) {
      updated = sharding_copy(graph->arena, slot->sharding);
    }
    updated->dims[d].axes = axes_to_list(graph->arena, &axes);
  }
  if (updated != NULL) {
    graph_set(graph, node->slots[tensor], updated);
  }
}

static bool same_list(const axis_list_t *a, const axis_list_t *b) {
  bool same = a->count == b->count;
  for (int i = 0; i < a->count && same; i++) {
    same = axis_ref_equal(a->refs[i], b->refs[i]);
  }
  return same;
}

// Whether the tensors of a node that maps dimension to dimension lie alike already, so
// that there is nothing to propagate; for any other node, whether none is sharded.
static bool is_settled(const graph_t *graph, const node_t *node) {
  static const axis_list_t none = {0};
  const sharding_t *first = NULL;
  for (int i = 0; i < node->tensor_count; i++) {
    if (node->slots[i] == SLOT_NONE) {
      continue;
    }
    const sharding_t *sharding = graph->slots.items[node->slots[i]].sharding;
    for (int d = 0; d < sharding->rank; d++) {
      const axis_list_t *like =
          node->is_identity && first != NULL ? &first->dims[d].axes : &none;
      if (first == NULL && node->is_identity) {
        continue;
      }
      if (!same_list(&sharding->dims[d].axes, like)) {
        return false;
      }
    }
    first = first == NULL ? sharding : first;
  }
  return true;
}

static void project(graph_t *graph, const node_t *node) {
  const factors_t *factors = node->factors;
  const int tensor_count = factors->operand_count + factors->result_count;
  projection_start(&graph->projection, tensor_count, factors->factor_count);
  for (int i = 0; i < tensor_count; i++) {
    if (node->slots[i] != SLOT_NONE) {
      const slot_t *slot = &graph->slots.items[node->slots[i]];
      projection_set(&graph->projection, i, factors,
                     i < factors->operand_count
                         ? &factors->operands[i]
                         : &factors->results[i - factors->operand_count],
                     slot->shape, slot->sharding);
    }
  }
}

// --- Basic ---

// The axes of a factor that every tensor of the operation can take.
static void common_axes(graph_t *graph, const node_t *node, int factor, int level,
                        axes_t *axes) {
  const projection_t *projection = &graph->projection;
  const propagation_options_t *options = options_of(graph);
  compatible_axes(projection, node, factor, step_direction(options, node, factor, level),
                  axes);
  for (int tensor = 0; tensor < projection->tensor_count && axes->count > 0; tensor++) {
    if (node->slots[tensor] == SLOT_NONE) {
      continue;
    }
    fit_across_factors(axes, projection, tensor, factor);
    const projection_cell_t *cell = projection_cell(projection, tensor, factor);
    if (cell->is_present) {
      fit_within_factor(options, axes, cell,
                        graph->slots.items[node->slots[tensor]].sharding);
    }
  }
}

// Factor by factor, what all tensors can have.
static void step_basic(graph_t *graph, const node_t *node, int level) {
  const projection_t *projection = &graph->projection;
  for (int f = 0; f < node->factors->factor_count; f++) {
    axes_t *axes = &graph->axes[f];
    common_axes(graph, node, f, level, axes);
    for (int tensor = 0; tensor < projection->tensor_count; tensor++) {
      projection_cell_t *cell = projection_cell(projection, tensor, f);
      if (cell->is_present && axes_is_strict_prefix(&cell->axes, axes)) {
        axes_set(&cell->axes, axes);
      }
    }
  }
  for (int tensor = 0; tensor < projection->tensor_count; tensor++) {
    if (node->slots[tensor] != SLOT_NONE) {
      update_slot(graph, node, tensor);
    }
  }
}

// --- All ---

void graph_step(graph_t *graph, node_t *node, int level) {
  node->is_dirty = false;
  if (is_settled(graph, node)) {
    return;
  }
  project(graph, node);
  if (options_of(graph)->is_basic) {
    step_basic(graph, node, level);
    return;
  }
  const int tensor_count = graph->projection.tensor_count;
  const int count = plan_factors(graph, node, level);
  // Results first: what operands may get depends on them.
  for (int i = 0; i < tensor_count; i++) {
    const int tensor = (node->factors->operand_count + i) % tensor_count;
    if (node->slots[tensor] == SLOT_NONE) {
      continue;
    }
    bool updated = false;
    for (int r = 0; r < count; r++) {
      const int factor = graph->ranks[r].factor;
      updated |= expand_cell(graph, node, tensor, factor, &graph->axes[factor]);
    }
    if (updated) {
      update_slot(graph, node, tensor);
    }
  }
}
