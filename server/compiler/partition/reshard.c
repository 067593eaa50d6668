// The cheapest of a few plans (cost.h): cut what is gained, all_to_all what moves
// to another dimension, permute what changes places, gather what goes; reductions first,
// scattered where a dimension wants the axis.

#include "server/compiler/partition/reshard.h"

#include <string.h>

#include "common/base/check.h"
#include "common/base/number.h"
#include "server/compiler/dialect/reducer.h"
#include "server/compiler/partition/reshard_search.h"

// A plan while it is made: where the value has got to.
typedef struct planner_t {
  layouts_t *layouts;
  const tensor_shape_t *shape;
  const layout_t *to;
  int rank;
  axes_t dims[TENSOR_RANK_MAX];
  axes_t unreduced;
  chip_reducer_t reducer;  // Of these.
  axes_t kept;             // Of these, what the target has unreduced as well.
  reshard_plan_t *plan;
} planner_t;

// --- State ---

static double local_bytes(const planner_t *planner) {
  double bytes = (double)tensor_dtype_bytes(planner->shape->dtype);
  for (int d = 0; d < planner->rank; d++) {
    bytes *= (double)planner->shape->dims[d] / (double)axes_size(&planner->dims[d]);
  }
  return bytes;
}

// What each chip receives in a step over groups of `n`, from the local bytes before it.
static double step_bytes(reshard_kind_t kind, double bytes, double n) {
  switch (kind) {
    case RESHARD_SLICE:
    case RESHARD_PLACE:
    case RESHARD_KEEP_FIRST:
      return 0;
    case RESHARD_ALL_REDUCE:
      return 2 * bytes * (n - 1) / n;
    case RESHARD_REDUCE_SCATTER:
    case RESHARD_ALL_TO_ALL:
      return bytes * (n - 1) / n;
    case RESHARD_PERMUTE:
      return bytes;
    case RESHARD_ALL_GATHER:
      return bytes * (n - 1);
  }
  return 0;
}

static reshard_step_t *add_step(planner_t *planner, reshard_kind_t kind, int dim,
                                const axes_t *axes) {
  reshard_plan_t *plan = planner->plan;
  POD_CHECK(plan->count < RESHARD_STEPS_MAX);
  const double bytes = step_bytes(kind, local_bytes(planner), (double)axes_size(axes));
  plan->cost.bytes += bytes;
  plan->cost.start_bytes += reshard_is_local(kind) ? 0 : planner->layouts->start_bytes;
  if (kind == RESHARD_ALL_REDUCE || kind == RESHARD_REDUCE_SCATTER) {
    plan->reduced_bytes += bytes;
  }
  reshard_step_t *step = &plan->steps[plan->count++];
  *step = (reshard_step_t){.kind = kind, .dim = dim, .to_dim = dim, .axes = *axes};
  return step;
}

static void finish_step(planner_t *planner, reshard_step_t *step) {
  step->after = layouts_get(planner->layouts, planner->rank, planner->dims,
                            &planner->unreduced, planner->reducer);
}

static bool is_used(const planner_t *planner, const axes_t *axes) {
  for (int d = 0; d < planner->rank; d++) {
    if (axes_overlap(&planner->dims[d], axes)) {
      return true;
    }
  }
  return axes_overlap(&planner->unreduced, axes);
}

// The axes that a dimension still has to gain, when what it has is right so far.
static bool wanted_axes(const planner_t *planner, int dim, axes_t *out) {
  if (!axes_is_prefix(&planner->dims[dim], &planner->to->dims[dim])) {
    return false;
  }
  *out = axes_behind(&planner->to->dims[dim], &planner->dims[dim]);
  return out->count > 0;
}

// The axes that a dimension has and has to lose, the last ones.
static axes_t surplus_axes(const planner_t *planner, int dim) {
  const axes_t common = axes_common_prefix(&planner->dims[dim], &planner->to->dims[dim]);
  return axes_behind(&planner->dims[dim], &common);
}

static void drop_last(axes_t *axes, const axes_t *last) {
  axes_t front, rest;
  POD_CHECK(axes_take(axes, axes_size(axes) / axes_size(last), &front, &rest));
  *axes = front;
}

// --- Steps ---

static axes_t only(axis_ref_t ref) {
  axes_t axes = {.count = 1};
  axes.refs[0] = ref;
  return axes;
}

// Cuts every dimension as far as free axes allow. Slices of one dimension in a row are
// one step.
static bool try_slice(planner_t *planner) {
  bool any = false;
  for (int d = 0; d < planner->rank; d++) {
    axes_t wanted, gained = {0};
    if (!wanted_axes(planner, d, &wanted)) {
      continue;
    }
    for (int i = 0; i < wanted.count; i++) {
      const axes_t ref = only(wanted.refs[i]);
      if (is_used(planner, &ref)) {
        break;
      }
      axes_append(&gained, wanted.refs[i]);
    }
    if (gained.count > 0) {
      reshard_step_t *step = add_step(planner, RESHARD_SLICE, d, &gained);
      axes_append_all(&planner->dims[d], &gained);
      finish_step(planner, step);
      any = true;
    }
  }
  return any;
}

static bool try_reduce_scatter(planner_t *planner) {
  for (int d = 0; d < planner->rank; d++) {
    axes_t wanted, gained = {0};
    if (!wanted_axes(planner, d, &wanted)) {
      continue;
    }
    for (int i = 0; i < wanted.count; i++) {
      bool is_pending = false;
      for (int j = 0; j < planner->unreduced.count; j++) {
        is_pending =
            is_pending || axis_ref_within(wanted.refs[i], planner->unreduced.refs[j]);
      }
      if (!is_pending) {
        break;
      }
      axes_append(&gained, wanted.refs[i]);
    }
    if (gained.count > 0) {
      reshard_step_t *step = add_step(planner, RESHARD_REDUCE_SCATTER, d, &gained);
      axes_append_all(&planner->dims[d], &gained);
      planner->unreduced = axes_without(&planner->unreduced, &gained);
      finish_step(planner, step);
      return true;
    }
  }
  return false;
}

// Slices first, they make what is reduced smaller; then scatters; what is left is
// reduced to all. What the target has unreduced too stays.
static void reduce(planner_t *planner) {
  axes_t pending = axes_without(&planner->unreduced, &planner->kept);
  while (pending.count > 0) {
    if (!try_slice(planner) && !try_reduce_scatter(planner)) {
      reshard_step_t *step = add_step(planner, RESHARD_ALL_REDUCE, 0, &pending);
      planner->unreduced = planner->kept;
      finish_step(planner, step);
    }
    pending = axes_without(&planner->unreduced, &planner->kept);
  }
}

// A whole value becomes a sum: its own value and zeros; or what all have is a maximum.
static void keep_first(planner_t *planner) {
  const axes_t gained = axes_without(&planner->to->unreduced, &planner->unreduced);
  if (gained.count > 0) {
    reshard_step_t *step = add_step(planner, RESHARD_KEEP_FIRST, 0, &gained);
    planner->reducer = planner->to->reducer;
    axes_append_all(&planner->unreduced, &gained);
    finish_step(planner, step);
  }
}

// The longest end of `surplus` that is the beginning of `wanted`.
static bool find_moved(const axes_t *surplus, const axes_t *wanted, axes_t *out) {
  for (int i = 0; i < surplus->count; i++) {
    axes_t last = {0};
    for (int j = i; j < surplus->count; j++) {
      axes_append(&last, surplus->refs[j]);
    }
    if (axes_is_prefix(&last, wanted)) {
      *out = last;
      return true;
    }
  }
  return false;
}

static bool try_all_to_all(planner_t *planner) {
  for (int from = 0; from < planner->rank; from++) {
    const axes_t surplus = surplus_axes(planner, from);
    for (int to = 0; to < planner->rank && surplus.count > 0; to++) {
      axes_t wanted, moved;
      if (to == from || !wanted_axes(planner, to, &wanted) ||
          !find_moved(&surplus, &wanted, &moved)) {
        continue;
      }
      reshard_step_t *step = add_step(planner, RESHARD_ALL_TO_ALL, from, &moved);
      step->to_dim = to;
      drop_last(&planner->dims[from], &moved);
      axes_append_all(&planner->dims[to], &moved);
      finish_step(planner, step);
      return true;
    }
  }
  return false;
}

// The last of `axes` that are within `set`.
static axes_t last_within(const axes_t *axes, const axes_t *set) {
  int first = axes->count;
  for (; first > 0; first--) {
    const axes_t ref = only(axes->refs[first - 1]);
    if (axes_without(&ref, set).count > 0) {
      break;
    }
  }
  axes_t last = {0};
  for (int i = first; i < axes->count; i++) {
    axes_append(&last, axes->refs[i]);
  }
  return last;
}

// What would be gathered, and be made a sum again, is one already among zeros.
static bool try_place(planner_t *planner) {
  unsigned char element[16];
  if (planner->to->unreduced.count == 0 ||
      !compiler_reducer_identity(planner->to->reducer, planner->shape->dtype, element)) {
    return false;
  }
  for (int d = 0; d < planner->rank; d++) {
    const axes_t surplus = surplus_axes(planner, d);
    const axes_t summed = last_within(&surplus, &planner->to->unreduced);
    if (summed.count > 0) {
      reshard_step_t *step = add_step(planner, RESHARD_PLACE, d, &summed);
      drop_last(&planner->dims[d], &summed);
      planner->reducer = planner->to->reducer;
      axes_append_all(&planner->unreduced, &summed);
      finish_step(planner, step);
      return true;
    }
  }
  return false;
}

static bool try_all_gather(planner_t *planner) {
  for (int d = 0; d < planner->rank; d++) {
    const axes_t surplus = surplus_axes(planner, d);
    if (surplus.count > 0) {
      reshard_step_t *step = add_step(planner, RESHARD_ALL_GATHER, d, &surplus);
      drop_last(&planner->dims[d], &surplus);
      finish_step(planner, step);
      return true;
    }
  }
  return false;
}

static void permute(planner_t *planner, const axes_t *dims) {
  const axes_t none = {0};
  reshard_step_t *step = add_step(planner, RESHARD_PERMUTE, 0, &none);
  for (int d = 0; d < planner->rank; d++) {
    planner->dims[d] = dims[d];
  }
  finish_step(planner, step);
}

static void run(planner_t *planner) {
  reduce(planner);
  while (try_slice(planner) || try_all_to_all(planner) || try_place(planner) ||
         try_all_gather(planner)) {
  }
  keep_first(planner);
}

// --- Permutations ---

static bool is_arrived(const planner_t *planner) {
  for (int d = 0; d < planner->rank; d++) {
    if (!axes_equal(&planner->dims[d], &planner->to->dims[d])) {
      return false;
    }
  }
  return true;
}

// The largest beginning of `axes` whose size divides `size`; its last axis may be cut.
static axes_t beginning_within(const axes_t *axes, int64_t size) {
  axes_t beginning = {0};
  for (int i = 0; i < axes->count; i++) {
    axis_ref_t ref = axes->refs[i];
    ref.size = pod_greatest_common_divisor(size, ref.size);
    if (ref.size > 1) {
      axes_append(&beginning, ref);
      size /= ref.size;
    }
    if (ref.size != axes->refs[i].size) {
      break;
    }
  }
  return beginning;
}

// A layout of the same local shape in which the dimensions begin as the target's do, and
// end with axes left over. False when the axes left over do not fill them.
static bool nearest_permutation(const planner_t *planner, axes_t *dims) {
  axes_t pool = {0}, placed = {0};
  for (int d = 0; d < planner->rank; d++) {
    axes_append_all(&pool, &planner->dims[d]);
    dims[d] = beginning_within(&planner->to->dims[d], axes_size(&planner->dims[d]));
    axes_append_all(&placed, &dims[d]);
  }
  pool = axes_without(&pool, &placed);
  bool changed = false;
  for (int d = 0; d < planner->rank; d++) {
    const int64_t missing = axes_size(&planner->dims[d]) / axes_size(&dims[d]);
    // What the dimension itself had comes before what others had.
    const axes_t own = axes_without(&planner->dims[d], &placed);
    axes_t front, rest;
    if (axes_take(&own, missing, &front, &rest) && !axes_overlap(&front, &placed)) {
      pool = axes_without(&pool, &front);
    } else if (axes_take(&pool, missing, &front, &rest)) {
      pool = rest;
    } else {
      return false;
    }
    axes_append_all(&dims[d], &front);
    axes_append_all(&placed, &front);
    changed = changed || !axes_equal(&dims[d], &planner->dims[d]);
  }
  return changed;
}

// --- The plan ---

static planner_t start(layouts_t *layouts, const tensor_shape_t *shape,
                       const layout_t *from, const layout_t *to, reshard_plan_t *plan) {
  planner_t planner = {.layouts = layouts, .shape = shape, .to = to, .plan = plan};
  planner.rank = from->rank;
  planner.unreduced = from->unreduced;
  planner.reducer = from->reducer;
  if (from->reducer == to->reducer) {
    const axes_t reduced = axes_without(&from->unreduced, &to->unreduced);
    planner.kept = axes_without(&from->unreduced, &reduced);
  }
  for (int d = 0; d < from->rank; d++) {
    planner.dims[d] = from->dims[d];
  }
  plan->count = 0;
  plan->cost = (partition_cost_t){0};
  plan->reduced_bytes = 0;
  return planner;
}

size_t reshard_plan_size_bytes(const reshard_plan_t *plan) {
  return offsetof(reshard_plan_t, steps) + (size_t)plan->count * sizeof(plan->steps[0]);
}

// Whether a plan is of the fewest bytes that there can be: only slices and reductions, or
// one collective and nothing else.
static bool is_direct(const reshard_plan_t *plan) {
  int moves = 0;
  for (int i = 0; i < plan->count; i++) {
    const reshard_kind_t kind = plan->steps[i].kind;
    if (kind == RESHARD_PLACE || kind == RESHARD_KEEP_FIRST) {
      return true;  // What becomes a sum has ways of its own.
    }
    moves += kind == RESHARD_ALL_GATHER || kind == RESHARD_ALL_TO_ALL ||
             kind == RESHARD_PERMUTE;
  }
  return moves == 0 || plan->count == 1;
}

static void follow(planner_t *planner, const reshard_way_t *way) {
  for (int i = 0; i < way->count; i++) {
    const reshard_move_t *move = &way->moves[i];
    if (move->kind == RESHARD_PERMUTE) {
      permute(planner, way->permuted);
      continue;
    }
    reshard_step_t *step = add_step(planner, move->kind, move->dim, &move->axes);
    step->to_dim = move->to_dim;
    if (move->kind == RESHARD_SLICE) {
      axes_append_all(&planner->dims[move->dim], &move->axes);
    } else {
      drop_last(&planner->dims[move->dim], &move->axes);
    }
    if (move->kind == RESHARD_ALL_TO_ALL) {
      axes_append_all(&planner->dims[move->to_dim], &move->axes);
    }
    finish_step(planner, step);
  }
}

// Takes a way that is cheaper, where a search finds one.
static void improve(layouts_t *layouts, const tensor_shape_t *shape, const layout_t *from,
                    const layout_t *to, reshard_plan_t *plan) {
  reshard_plan_t other;
  planner_t planner = start(layouts, shape, from, to, &other);
  reduce(&planner);
  reshard_way_t way;
  if (!reshard_search(shape, planner.dims, to->dims, &planner.unreduced,
                      layouts->start_bytes,
                      plan->cost.bytes + plan->cost.start_bytes - other.cost.bytes -
                          other.cost.start_bytes,
                      &way)) {
    return;
  }
  follow(&planner, &way);
  if (is_arrived(&planner) && partition_cost_compare(&other.cost, &plan->cost) < 0) {
    memcpy(plan, &other, reshard_plan_size_bytes(&other));
  }
}

// By the rules.
static void plan_by_rules(layouts_t *layouts, const tensor_shape_t *shape,
                          const layout_t *from, const layout_t *to,
                          reshard_plan_t *out_plan) {
  planner_t planner = start(layouts, shape, from, to, out_plan);
  if (from == to) {
    return;
  }
  run(&planner);
  POD_CHECK(is_arrived(&planner));
  bool gathers = false;
  for (int i = 0; i < out_plan->count; i++) {
    gathers = gathers || out_plan->steps[i].kind == RESHARD_ALL_GATHER;
  }
  if (!gathers) {
    return;
  }
  // A gather may be more than it takes: see whether a permutation spares it.
  reshard_plan_t other;
  planner_t again = start(layouts, shape, from, to, &other);
  reduce(&again);
  (void)try_slice(&again);
  axes_t dims[TENSOR_RANK_MAX];
  if (!nearest_permutation(&again, dims)) {
    return;
  }
  permute(&again, dims);
  run(&again);
  POD_CHECK(is_arrived(&again));
  const int difference = partition_cost_compare(&other.cost, &out_plan->cost);
  if (difference < 0 || (difference == 0 && other.count < out_plan->count)) {
    memcpy(out_plan, &other, reshard_plan_size_bytes(&other));
  }
}

void reshard_plan(layouts_t *layouts, const tensor_shape_t *shape, const layout_t *from,
                  const layout_t *to, reshard_plan_t *out_plan) {
  POD_CHECK(from->rank == to->rank);
  plan_by_rules(layouts, shape, from, to, out_plan);
  if (!is_direct(out_plan)) {
    improve(layouts, shape, from, to, out_plan);
  }
}
