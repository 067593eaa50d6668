// Which shards an operation works on.
//
// The tensors of an operation propose: every factor may be sharded as one of the operands
// or results has it, or not at all. Of the assignments that fit together the one is taken
// that moves the fewest bytes to bring the operands there and the results to where they
// shall be; of equal ones the one with the most shards, which divides the work further.
//
// Contractions have two rules of their own, because bytes are not all:
//   - An axis that all operands of a factor share stays, where nothing else wants it or
//     the result shall have it there. It divides the arithmetic too.
//   - An axis that only some of the operands of a contracted factor have is gathered,
//     unless to reduce the partial results over it moves less than half of the bytes:
//     sums of partial results are rounded more often than one whole sum.
// A scatter that adds has neither: bytes decide whether updates are gathered or sums
// reduced. So A[I,Jx] B[J,K] gathers A, A[I,Jx] B[Jx,K] multiplies what is there and
// reduces, and A[Ix,J] B[J,Kx] gathers B for C[Ix,K].

#include <string.h>

#include "common/base/check.h"
#include "common/base/number.h"
#include "server/compiler/partition/move.h"
#include "server/compiler/partition/partitioner.h"

enum {
  ASSIGNMENTS_MAX = 1 << 10,  // Beyond, factors are chosen one after the other.
};

typedef struct chooser_t {
  partitioner_t *partitioner;
  const mlir_op_t *op;
  const factors_t *factors;
  const layout_t *const *targets;
  const chip_reducer_t *reducers;  // By result.
  candidates_t *candidates;        // By factor.
  int *picked;                     // By factor: index of the candidate.
  axes_t *axes;                    // By factor: the axes of the picked ones.
} chooser_t;

typedef struct score_t {
  bool is_valid;
  bool is_cut;  // An operand is cut to reduce over axes that it does not have.
  partition_cost_t cost;
  double shards;
  int moves;  // Operands and results that do not lie as they shall.
  int moved;  // Factors that have axes of what must be whole: only where it saves bytes.
} score_t;

// --- Candidates ---

static void propose(candidates_t *candidates, const axes_t *axes) {
  for (int i = 0; i < candidates->count; i++) {
    if (axes_equal(&candidates->axes[i], axes)) {
      return;
    }
  }
  if (candidates->count < CANDIDATES_MAX) {
    axes_set(&candidates->axes[candidates->count++], axes);
  }
}

static const factor_tensor_t *mapping_of(const factors_t *factors, int tensor) {
  return tensor < factors->operand_count
             ? &factors->operands[tensor]
             : &factors->results[tensor - factors->operand_count];
}

static const tensor_shape_t *shape_of(const chooser_t *chooser, int tensor) {
  const int operand_count = chooser->factors->operand_count;
  return value_shape(tensor < operand_count
                         ? chooser->op->operands[tensor]
                         : &chooser->op->results[tensor - operand_count]);
}

// Whether the axes divide the factor wherever it stands.
static bool divides(const chooser_t *chooser, int factor, const axes_t *axes) {
  const factors_t *factors = chooser->factors;
  const int64_t shards = axes_size(axes);
  for (int t = 0; t < factors->operand_count + factors->result_count; t++) {
    const factor_tensor_t *mapping = mapping_of(factors, t);
    for (int d = 0; d < mapping->rank; d++) {
      for (int i = 0; i < mapping->dims[d].count; i++) {
        const int64_t size = mapping->dims[d].count == 1 ? shape_of(chooser, t)->dims[d]
                                                         : factors->factors[factor].size;
        if (mapping->dims[d].factors[i] == factor && size % shards != 0) {
          return false;
        }
      }
    }
  }
  return true;
}

// Whether the operation works on shards of a factor as they are.
static bool may_be_sharded(const chooser_t *chooser, int factor) {
  const factor_kind_t kind = chooser->factors->factors[factor].kind;
  return kind == FACTOR_PASS ||
         (kind == FACTOR_REDUCTION && chooser->reducers[0] != CHIP_REDUCER_NONE);
}

// Or with what it gets from other chips.
static bool may_have(const chooser_t *chooser, int factor, const axes_t *axes) {
  if (!divides(chooser, factor, axes)) {
    return false;
  }
  return may_be_sharded(chooser, factor) ||
         (factor_moves(chooser->factors, factor) &&
          (chooser->factors->factors[factor].kind != FACTOR_PICKED ||
           chooser->reducers[0] != CHIP_REDUCER_NONE) &&
          move_allows(chooser->partitioner, chooser->op, chooser->factors, factor, axes));
}

static void project_layout(const chooser_t *chooser, int tensor, const layout_t *layout) {
  partitioner_t *partitioner = chooser->partitioner;
  sharding_t sharding = {.mesh = partitioner->mesh, .rank = layout->rank};
  dim_sharding_t dims[TENSOR_RANK_MAX];
  memset(dims, 0, sizeof(dims));
  for (int d = 0; d < layout->rank; d++) {
    dims[d].axes.count = layout->dims[d].count;
    dims[d].axes.refs = (axis_ref_t *)layout->dims[d].refs;
  }
  sharding.dims = dims;
  projection_set(&partitioner->projection, tensor, chooser->factors,
                 mapping_of(chooser->factors, tensor), shape_of(chooser, tensor),
                 &sharding);
}

static void propose_all(const chooser_t *chooser, int tensor) {
  for (int f = 0; f < chooser->factors->factor_count; f++) {
    const projection_cell_t *cell =
        projection_cell(&chooser->partitioner->projection, tensor, f);
    if (cell->is_present && cell->axes.count > 0 && may_have(chooser, f, &cell->axes)) {
      propose(&chooser->candidates[f], &cell->axes);
    }
  }
}

// Takes from `rest` the axes that a factor of `size` has room for, parts of axes too:
// whatever its size has in common with theirs.
static axes_t take_common(axes_t *rest, int64_t size) {
  axes_t taken = {0}, left = {0};
  for (int i = 0; i < rest->count; i++) {
    const axis_ref_t ref = rest->refs[i];
    const int64_t common = pod_greatest_common_divisor(ref.size, size);
    if (common > 1) {
      axes_append(&taken, (axis_ref_t){ref.axis, ref.pre_size, common});
      size /= common;
    }
    if (common < ref.size) {
      axes_append(&left,
                  (axis_ref_t){ref.axis, ref.pre_size * common, ref.size / common});
    }
  }
  *rest = left;
  return taken;
}

// Where a dimension's axes do not fall on its factors as they stand, their parts may in
// another order: {"x", "y"} of 6 and 8 over (4, 12) as {"x":(1)2, "y":(1)2} and
// {"x":(2)3, "y":(2)4}.
static void propose_aligned(const chooser_t *chooser, int tensor,
                            const layout_t *layout) {
  const factor_tensor_t *mapping = mapping_of(chooser->factors, tensor);
  for (int d = 0; d < mapping->rank; d++) {
    bool overflows = false;
    for (int i = 0; i < mapping->dims[d].count; i++) {
      overflows = overflows || projection_cell(&chooser->partitioner->projection, tensor,
                                               mapping->dims[d].factors[i])
                                       ->overflow.count > 0;
    }
    axes_t rest = layout->dims[d];
    for (int i = 0; overflows && mapping->dims[d].count > 1 && i < mapping->dims[d].count;
         i++) {
      const int factor = mapping->dims[d].factors[i];
      const axes_t axes = take_common(&rest, chooser->factors->factors[factor].size);
      if (axes.count > 0 && may_have(chooser, factor, &axes)) {
        propose(&chooser->candidates[factor], &axes);
      }
    }
  }
}

static void reset_cells(const chooser_t *chooser, int tensor) {
  for (int f = 0; f < chooser->factors->factor_count; f++) {
    *projection_cell(&chooser->partitioner->projection, tensor, f) =
        (projection_cell_t){.size = 1};
  }
}

static const version_t *versions_of(const chooser_t *chooser, int operand) {
  const mlir_value_t *value = chooser->op->operands[operand];
  return propagate_is_remade(value) || chooser->factors->operands[operand].rank == 0
             ? NULL
             : chooser->partitioner->states[value->id].versions;
}

// The first layout of every operand, and what the results shall have, as cells.
static void project_all(const chooser_t *chooser) {
  const factors_t *factors = chooser->factors;
  projection_start(&chooser->partitioner->projection,
                   factors->operand_count + factors->result_count, factors->factor_count);
  for (int i = 0; i < factors->operand_count; i++) {
    const version_t *first = versions_of(chooser, i);
    if (first != NULL) {
      project_layout(chooser, i, first->layout);
    }
  }
  for (int i = 0; i < factors->result_count; i++) {
    if (factors->results[i].rank > 0) {
      project_layout(chooser, factors->operand_count + i, chooser->targets[i]);
    }
  }
}

static int64_t assignment_count(const chooser_t *chooser) {
  int64_t count = 1;
  for (int f = 0; f < chooser->factors->factor_count && count <= ASSIGNMENTS_MAX; f++) {
    count *= chooser->candidates[f].count;
  }
  return count;
}

// A candidate that no tensor has itself: only while all assignments can be tried.
static void propose_more(const chooser_t *chooser, int factor, const axes_t *axes) {
  candidates_t *candidates = &chooser->candidates[factor];
  const int before = candidates->count;
  if (!may_have(chooser, factor, axes)) {
    return;
  }
  propose(candidates, axes);
  if (assignment_count(chooser) > ASSIGNMENTS_MAX) {
    candidates->count = before;
  }
}

// The beginning of `axes` that overlaps none of `others`.
static axes_t axes_not_in(const axes_t *axes, const axes_t *others) {
  axes_t left = {0};
  for (int i = 0; i < axes->count; i++) {
    axis_ref_t ref = {0};
    if (!axis_ref_without_overlap(axes->refs[i], others, &ref)) {
      break;
    }
    axes_append(&left, ref);
    if (!axis_ref_equal(ref, axes->refs[i])) {
      break;
    }
  }
  return left;
}

// What the other factors leave of what factor `f` may have.
static void propose_rest_of(const chooser_t *chooser, int f, axes_t axes) {
  for (int g = 0; g < chooser->factors->factor_count; g++) {
    const int other_count = g == f ? 0 : chooser->candidates[g].count;
    for (int d = 1; d < other_count; d++) {
      const axes_t *other = &chooser->candidates[g].axes[d];
      const axes_t left = axes_not_in(&axes, other);
      if (left.count > 0 && axes_overlap(&axes, other)) {
        propose_more(chooser, f, &left);
      }
    }
  }
}

// Where two factors want parts of the same axes, each may also have what the other
// leaves.
static void propose_trimmed(const chooser_t *chooser) {
  for (int f = 0; f < chooser->factors->factor_count; f++) {
    const candidates_t *candidates = &chooser->candidates[f];
    const int count = candidates->count;
    for (int c = 1; c < count; c++) {
      propose_rest_of(chooser, f, candidates->axes[c]);
    }
  }
}

// The axes that a tensor has where it must be whole.
static axes_t axes_where_whole(const chooser_t *chooser, int tensor) {
  const int operand_count = chooser->factors->operand_count;
  const version_t *version = tensor < operand_count ? versions_of(chooser, tensor) : NULL;
  const layout_t *layout = version != NULL ? version->layout
                           : tensor >= operand_count
                               ? chooser->targets[tensor - operand_count]
                               : NULL;
  axes_t all = {0}, kept = {0};
  for (int d = 0; layout != NULL && d < layout->rank; d++) {
    axes_append_all(&all, &layout->dims[d]);
  }
  for (int f = 0; f < chooser->factors->factor_count && all.count > 0; f++) {
    const projection_cell_t *cell =
        projection_cell(&chooser->partitioner->projection, tensor, f);
    if (cell->is_present && may_be_sharded(chooser, f)) {
      axes_append_all(&kept, &cell->axes);
    }
  }
  return axes_without(&all, &kept);
}

// Where one tensor wants a part of the axes that another wants, in another order, the
// rest may stand behind that part: an operand lies {"y"}, the result shall lie {"x",
// "y"}, and the operation divides its work by {"y", "x"}.
static void propose_joined(const chooser_t *chooser) {
  for (int f = 0; f < chooser->factors->factor_count; f++) {
    const int count = chooser->candidates[f].count;
    for (int c = 1; c < count; c++) {
      for (int d = 1; d < count; d++) {
        axes_t joined = chooser->candidates[f].axes[c];
        const axes_t rest = axes_without(&chooser->candidates[f].axes[d], &joined);
        if (rest.count == 0 || rest.count == chooser->candidates[f].axes[d].count ||
            joined.count + rest.count > AXES_MAX) {
          continue;
        }
        axes_append_all(&joined, &rest);
        propose_more(chooser, f, &joined);
      }
    }
  }
}

// What operands have of these axes where it can stay: they would be moved for nothing.
static axes_t wanted_by_operands(const chooser_t *chooser, const axes_t *axes) {
  axes_t wanted = {0};
  for (int i = 0; i < chooser->factors->operand_count; i++) {
    for (int f = 0; f < chooser->factors->factor_count; f++) {
      const projection_cell_t *cell =
          projection_cell(&chooser->partitioner->projection, i, f);
      if (cell->is_present && may_be_sharded(chooser, f) &&
          axes_overlap(&cell->axes, axes) && !axes_overlap(&cell->axes, &wanted)) {
        axes_append_all(&wanted, &cell->axes);
      }
    }
  }
  return wanted;
}

// Some of the axes behind what a factor may have so far.
static void propose_behind(const chooser_t *chooser, int f, int count,
                           const axes_t *moved) {
  for (int c = 0; c < count; c++) {
    axes_t axes = chooser->candidates[f].axes[c];
    if (axes_overlap(&axes, moved) || axes.count + moved->count > AXES_MAX) {
      continue;
    }
    axes_append_all(&axes, moved);
    axes = axes_dividing(&axes, chooser->factors->factors[f].size);
    if (axes.count > 0) {
      propose_more(chooser, f, &axes);
    }
  }
}

// What cannot stay where it is may go to other dimensions, by an all_to_all there and one
// back, rather than be gathered: a sort along a sharded dimension of many rows. All of it
// to one dimension, or a part, so that another has the rest.
static void propose_moved(const chooser_t *chooser, int tensor) {
  const axes_t whole = axes_where_whole(chooser, tensor);
  const axes_t wanted = wanted_by_operands(chooser, &whole);
  const axes_t moved = axes_without(&whole, &wanted);
  for (int length = moved.count; length > 0; length--) {
    for (int first = 0; first + length <= moved.count; first++) {
      axes_t part = {.count = length};
      memcpy(part.refs, &moved.refs[first], (size_t)length * sizeof(part.refs[0]));
      for (int f = 0; f < chooser->factors->factor_count; f++) {
        const projection_cell_t *cell =
            projection_cell(&chooser->partitioner->projection, tensor, f);
        if (cell->is_present && may_be_sharded(chooser, f)) {
          const candidates_t *candidates = &chooser->candidates[f];
          propose_behind(chooser, f, candidates->moved, &part);
        }
      }
    }
  }
}

// What propagation has for a result that goes elsewhere.
static void propose_propagated(const chooser_t *chooser, int result) {
  const layout_t *layout =
      partition_value_layout(chooser->partitioner, &chooser->op->results[result]);
  const int tensor = chooser->factors->operand_count + result;
  if (layout->rank > 0 && layout != chooser->targets[result]) {
    reset_cells(chooser, tensor);
    project_layout(chooser, tensor, layout);
    propose_all(chooser, tensor);
    reset_cells(chooser, tensor);
    project_layout(chooser, tensor, chooser->targets[result]);
  }
}

// What every tensor proposes, operands in all layouts they have.
static void gather_candidates(const chooser_t *chooser) {
  const factors_t *factors = chooser->factors;
  for (int f = 0; f < factors->factor_count; f++) {
    chooser->candidates[f].count = 1;
    chooser->candidates[f].axes[0].count = 0;
  }
  for (int i = 0; i < factors->operand_count; i++) {
    const version_t *first = versions_of(chooser, i);
    for (const version_t *version = first == NULL ? NULL : first->next; version != NULL;
         version = version->next) {
      reset_cells(chooser, i);
      project_layout(chooser, i, version->layout);
      propose_all(chooser, i);
    }
    if (first != NULL && first->next != NULL) {
      reset_cells(chooser, i);
      project_layout(chooser, i, first->layout);
    }
    propose_all(chooser, i);
    if (first != NULL) {
      propose_aligned(chooser, i, first->layout);
    }
  }
  for (int i = 0; i < factors->result_count; i++) {
    propose_propagated(chooser, i);
    propose_all(chooser, factors->operand_count + i);
    propose_aligned(chooser, factors->operand_count + i, chooser->targets[i]);
  }
  propose_trimmed(chooser);
  propose_joined(chooser);
  for (int f = 0; f < factors->factor_count; f++) {
    chooser->candidates[f].moved = chooser->candidates[f].count;
  }
  for (int t = 0; t < factors->operand_count + factors->result_count; t++) {
    propose_moved(chooser, t);
  }
}

// --- Assignments ---

const layout_t *partition_choice_layout(partitioner_t *partitioner,
                                        const factor_tensor_t *mapping,
                                        const axes_t *axes, const axes_t *unreduced,
                                        chip_reducer_t reducer) {
  axes_t dims[TENSOR_RANK_MAX];
  for (int d = 0; d < mapping->rank; d++) {
    dims[d].count = 0;
    for (int i = 0; i < mapping->dims[d].count; i++) {
      axes_append_all(&dims[d], &axes[mapping->dims[d].factors[i]]);
    }
  }
  return layouts_get(&partitioner->layouts, mapping->rank, dims, unreduced, reducer);
}

axes_t partition_choice_unreduced(const factors_t *factors, const axes_t *axes) {
  axes_t unreduced;
  unreduced.count = 0;
  for (int f = 0; f < factors->factor_count; f++) {
    if (factors->factors[f].kind == FACTOR_REDUCTION ||
        factors->factors[f].kind == FACTOR_PICKED) {
      axes_append_all(&unreduced, &axes[f]);
    }
  }
  return unreduced;
}

// No axis twice, and no factor sharded behind one that is not full.
static bool is_valid(const chooser_t *chooser) {
  const factors_t *factors = chooser->factors;
  axes_t used;
  used.count = 0;
  for (int f = 0; f < factors->factor_count; f++) {
    if (axes_overlap(&used, &chooser->axes[f])) {
      return false;
    }
    axes_append_all(&used, &chooser->axes[f]);
  }
  for (int t = 0; t < factors->operand_count + factors->result_count; t++) {
    const factor_tensor_t *mapping = mapping_of(factors, t);
    for (int d = 0; d < mapping->rank; d++) {
      for (int i = 1; i < mapping->dims[d].count; i++) {
        const int before = mapping->dims[d].factors[i - 1];
        if (chooser->axes[mapping->dims[d].factors[i]].count > 0 &&
            axes_size(&chooser->axes[before]) != factors->factors[before].size) {
          return false;
        }
      }
    }
  }
  return true;
}

// Whether some operand of a contracted factor would have to be cut to its axes.
static bool cuts_operand(const chooser_t *chooser) {
  const factors_t *factors = chooser->factors;
  for (int f = 0; f < factors->factor_count; f++) {
    if (factors->factors[f].kind != FACTOR_REDUCTION || chooser->axes[f].count == 0) {
      continue;
    }
    for (int i = 0; i < factors->operand_count; i++) {
      const projection_cell_t *cell =
          projection_cell(&chooser->partitioner->projection, i, f);
      if (cell->is_present && !axes_is_prefix(&chooser->axes[f], &cell->axes)) {
        return true;
      }
    }
  }
  return false;
}

static score_t score(const chooser_t *chooser) {
  partitioner_t *partitioner = chooser->partitioner;
  const factors_t *factors = chooser->factors;
  score_t score = {.is_valid = is_valid(chooser), .shards = 1};
  if (!score.is_valid) {
    return score;
  }
  for (int i = 0; i < factors->operand_count; i++) {
    if (!value_is_tensor(chooser->op->operands[i])) {
      continue;
    }
    const layout_t *layout = partition_choice_layout(
        partitioner, &factors->operands[i], chooser->axes, NULL, CHIP_REDUCER_NONE);
    const partition_cost_t cost =
        partition_value_cost(partitioner, chooser->op->operands[i], layout);
    partition_cost_add(&score.cost, &cost, 1);
    score.moves += cost.bytes > 0 ? 1 : 0;
  }
  const axes_t unreduced = partition_choice_unreduced(factors, chooser->axes);
  double reduced = 0;
  for (int i = 0; i < factors->result_count; i++) {
    const layout_t *layout =
        partition_choice_layout(partitioner, &factors->results[i], chooser->axes,
                                &unreduced, chooser->reducers[i]);
    const reshard_plan_t *plan = partition_value_plan(
        partitioner, value_shape(&chooser->op->results[i]), layout, chooser->targets[i]);
    partition_cost_add(&score.cost, &plan->cost, 1);
    reduced += plan->reduced_bytes;
    score.moves += layout != chooser->targets[i] ? 1 : 0;
  }
  const partition_cost_t moved =
      move_cost(partitioner, chooser->op, factors, chooser->axes);
  partition_cost_add(&score.cost, &moved, 1);
  score.is_cut = cuts_operand(chooser);
  if (score.is_cut) {
    score.cost.bytes += reduced;
  }
  for (int f = 0; f < factors->factor_count; f++) {
    score.shards *= (double)axes_size(&chooser->axes[f]);
    score.moved += chooser->picked[f] >= chooser->candidates[f].moved ? 1 : 0;
  }
  return score;
}

static bool is_better(const score_t *a, const score_t *b) {
  if (a->is_valid != b->is_valid || !a->is_valid) {
    return a->is_valid;
  }
  const int difference = partition_cost_compare(&a->cost, &b->cost);
  if (difference != 0) {
    return difference < 0;
  }
  if (a->is_cut != b->is_cut) {
    return b->is_cut;
  }
  if (a->moved != b->moved) {
    return a->moved < b->moved;
  }
  return a->shards != b->shards ? a->shards > b->shards : a->moves < b->moves;
}

static void pick(chooser_t *chooser, int factor, int candidate) {
  chooser->picked[factor] = candidate;
  axes_set(&chooser->axes[factor], &chooser->candidates[factor].axes[candidate]);
}

// --- Choosing ---

// Contracted factors and those beside them keep what all their operands share, when
// nothing else wants these axes, and the results agree or want none there: what another
// operand has of a contraction may be far more than to move this one.
static void keep_shared(chooser_t *chooser) {
  const factors_t *factors = chooser->factors;
  for (int f = 0; f < factors->factor_count; f++) {
    const axes_t *shared = NULL;
    bool keeps = may_be_sharded(chooser, f);
    for (int i = 0; i < factors->operand_count && keeps; i++) {
      const projection_cell_t *cell =
          projection_cell(&chooser->partitioner->projection, i, f);
      if (cell->is_present) {
        keeps = cell->axes.count > 0 && cell->overflow.count == 0 &&
                (shared == NULL || axes_equal(shared, &cell->axes)) &&
                divides(chooser, f, &cell->axes);
        shared = &cell->axes;
      }
    }
    keeps = keeps && shared != NULL;
    for (int r = 0; r < factors->result_count && keeps; r++) {
      const projection_cell_t *cell = projection_cell(&chooser->partitioner->projection,
                                                      factors->operand_count + r, f);
      keeps =
          !cell->is_present || cell->axes.count == 0 || axes_equal(&cell->axes, shared);
    }
    const int tensors = factors->factors[f].kind == FACTOR_REDUCTION
                            ? factors->operand_count
                            : chooser->partitioner->projection.tensor_count;
    for (int i = 0; i < tensors && keeps; i++) {
      for (int g = 0; g < factors->factor_count && keeps; g++) {
        const projection_cell_t *other =
            projection_cell(&chooser->partitioner->projection, i, g);
        keeps = g == f || !axes_overlap(&other->axes, shared);
      }
    }
    if (keeps) {
      chooser->candidates[f].count = 1;
      axes_set(&chooser->candidates[f].axes[0], shared);
    }
  }
}

static bool has_reduction(const factors_t *factors) {
  for (int f = 0; f < factors->factor_count; f++) {
    if (factors->factors[f].kind == FACTOR_REDUCTION) {
      return true;
    }
  }
  return false;
}

static void choose_among_all(chooser_t *chooser, int64_t count) {
  const int factor_count = chooser->factors->factor_count;
  score_t best = {0};
  int64_t best_index = 0;
  for (int64_t index = 0; index <= count; index++) {
    // One more round sets the best.
    int64_t rest = index == count ? best_index : index;
    for (int f = 0; f < factor_count; f++) {
      pick(chooser, f, (int)(rest % chooser->candidates[f].count));
      rest /= chooser->candidates[f].count;
    }
    if (index < count) {
      const score_t now = score(chooser);
      if (is_better(&now, &best)) {
        best = now;
        best_index = index;
      }
    }
  }
}

// From nothing sharded, improves one factor at a time until none improves.
static void choose_one_by_one(chooser_t *chooser) {
  const int factor_count = chooser->factors->factor_count;
  for (int f = 0; f < factor_count; f++) {
    pick(chooser, f, 0);
  }
  score_t best = score(chooser);
  bool improved = true;
  for (int round = 0; improved && round < factor_count; round++) {
    improved = false;
    for (int f = 0; f < factor_count; f++) {
      int best_candidate = chooser->picked[f];
      for (int c = 0; c < chooser->candidates[f].count; c++) {
        pick(chooser, f, c);
        const score_t now = score(chooser);
        if (is_better(&now, &best)) {
          best = now;
          best_candidate = c;
          improved = true;
        }
      }
      pick(chooser, f, best_candidate);
    }
  }
}

// Takes what all tensors have, when they lie alike.
static bool choose_agreed(const chooser_t *chooser) {
  const factors_t *factors = chooser->factors;
  const projection_t *projection = &chooser->partitioner->projection;
  for (int t = 0; t < projection->tensor_count; t++) {
    if (axes_where_whole(chooser, t).count > 0) {
      return false;
    }
  }
  for (int f = 0; f < factors->factor_count; f++) {
    const axes_t *agreed = NULL;
    for (int t = 0; t < projection->tensor_count; t++) {
      const projection_cell_t *cell = projection_cell(projection, t, f);
      if (!cell->is_present) {
        continue;
      }
      if (cell->overflow.count > 0 ||
          (agreed != NULL && !axes_equal(agreed, &cell->axes))) {
        return false;
      }
      agreed = &cell->axes;
    }
    chooser->axes[f].count = 0;
    if (agreed != NULL && agreed->count > 0) {
      if (!may_be_sharded(chooser, f) || !divides(chooser, f, agreed)) {
        return false;
      }
      axes_set(&chooser->axes[f], agreed);
    }
  }
  return is_valid(chooser);
}

void partition_choose_axes(partitioner_t *partitioner, const mlir_op_t *op,
                           const factors_t *factors, const layout_t *const *targets,
                           axes_t *out_axes) {
  chooser_t chooser = {.partitioner = partitioner,
                       .op = op,
                       .factors = factors,
                       .reducers = partitioner->reducers,
                       .targets = targets,
                       .axes = out_axes};
  // What is scattered may be far less than what it is scattered to.
  const bool only_bytes = op->kind == CHIP_OP_SCATTER && has_reduction(factors);
  project_all(&chooser);
  if (!only_bytes && choose_agreed(&chooser)) {
    return;
  }
  chooser.candidates = partitioner->candidates;
  chooser.picked = partitioner->picked;
  gather_candidates(&chooser);
  if (has_reduction(factors) && !only_bytes) {
    keep_shared(&chooser);
  }
  const int64_t assignments = assignment_count(&chooser);
  if (assignments <= ASSIGNMENTS_MAX) {
    choose_among_all(&chooser, assignments);
  } else {
    choose_one_by_one(&chooser);
  }
}
