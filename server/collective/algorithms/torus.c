// Axis after axis through a box (Barnett et al. 1994, "Interprocessor collective
// communication library", the bucket algorithms on meshes): reduce-scatter along the
// first axis, what remains along the second, and so on; all-gather in reverse; all_reduce
// is both.
//
// An algorithm that takes the axes one by one leaves the links of the others idle. So the
// data is split: one part per axis begins with that axis and takes the others in turn,
// and where an axis is a ring, each part is split once more, for the two directions. On a
// torus of k equal rings all 2k links of a chip are busy all the time, each with one
// message.
//
// all_reduce works on OUTPUT, whose chunks of chunks are runs of elements. all_gather and
// reduce_scatter have a block per member; a part takes its piece of each of them, packed
// into SCRATCH in the order of its axes, so that all that goes the same way is one run.

#include "server/collective/algorithm.h"

enum {
  // A message shorter than this does not pay for one more lane.
  MESSAGE_BYTES_MIN = 512,
  LANES_PER_PART_MAX = 6 * TORUS_DIMENSIONS + 1,
};

// What a part does, from the whole down to the own chunk.
typedef struct part_t {
  const collective_plan_t *plan;
  const collective_axis_t *axes[TORUS_DIMENSIONS];  // In the order of this part.
  int32_t at[TORUS_DIMENSIONS];                     // Own index on each.
  int32_t axis_count;
  bool is_backward;         // The way round the rings.
  bool is_packed;           // Chunks are equal runs in SCRATCH, not a split.
  collective_part_t piece;  // Of the whole, or of every member's block.
  collective_part_t levels[TORUS_DIMENSIONS + 1];  // What is left after so many axes.
  collective_buffer_t work;
  int32_t after[COLLECTIVE_AFTER_MAX];  // What the next lane waits for.
  int32_t lane;                         // The open one, or COLLECTIVE_NONE.
  int32_t tag;
} part_t;

// A phase: one axis of a part, its ends as this chip sees them.
typedef struct phase_t {
  part_t *part;
  int64_t size, position;  // In the direction in which the data goes.
  bool is_mirrored;
  int32_t next, previous;  // Chips, or COLLECTIVE_NONE at the ends of a line.
  collective_part_t whole;
  collective_cut_t cut;  // Of `whole` into chunks; of equal runs only cut.whole is set.
} phase_t;

static collective_part_t chunk_of(const part_t *part, collective_part_t whole,
                                  int64_t chunks, int64_t index) {
  if (part->is_packed) {
    const int64_t count = whole.count / chunks;
    return (collective_part_t){.start = whole.start + index * count, .count = count};
  }
  collective_part_t chunk = collective_split(part->plan, whole.count, chunks, index);
  chunk.start += whole.start;
  return chunk;
}

static int32_t chip_on_axis(const part_t *part, int32_t level, int64_t index) {
  const collective_axis_t *axis = part->axes[level];
  return part->plan->chip +
         (axis->coordinates[index] - axis->coordinates[part->at[level]]) *
             axis->chip_stride;
}

static phase_t phase_of(part_t *part, int32_t level, bool is_mirrored) {
  const collective_axis_t *axis = part->axes[level];
  const int64_t size = axis->size;
  const int64_t at = part->at[level];
  const int64_t position = is_mirrored ? size - 1 - at : at;
  const bool closes = axis->kind != COLLECTIVE_AXIS_LINE;
  const int64_t step = is_mirrored ? size - 1 : 1;
  phase_t phase = {.part = part,
                   .size = size,
                   .position = position,
                   .is_mirrored = is_mirrored,
                   .next = COLLECTIVE_NONE,
                   .previous = COLLECTIVE_NONE,
                   .whole = part->levels[level]};
  phase.cut = part->is_packed ? (collective_cut_t){.whole = phase.whole.count / size}
                              : collective_cut(part->plan, phase.whole.count, size);
  if (closes || position < size - 1) {
    phase.next = chip_on_axis(part, level, (at + step) % size);
  }
  if (closes || position > 0) {
    phase.previous = chip_on_axis(part, level, (at + size - step) % size);
  }
  return phase;
}

// Chunk `index` as the phase counts, taken round the ring.
static collective_region_t chunk(const phase_t *phase, collective_buffer_t buffer,
                                 int64_t index) {
  int64_t at = index < 0 ? index + phase->size : index;
  at = at < 0 ? at + phase->size : at;
  at = at >= phase->size ? at - phase->size : at;
  at = phase->is_mirrored ? phase->size - 1 - at : at;
  collective_part_t run;
  if (phase->part->is_packed) {
    run =
        (collective_part_t){phase->whole.start + at * phase->cut.whole, phase->cut.whole};
  } else {
    run = collective_cut_at(&phase->cut, at);
    run.start += phase->whole.start;
  }
  return collective_region(phase->part->plan, buffer, run.start, run.count);
}

static collective_transfer_t transfer(const phase_t *phase, int64_t tag,
                                      collective_region_t source,
                                      collective_region_t target) {
  return (collective_transfer_t){.tag = phase->part->tag + (int32_t)tag,
                                 .send_to = phase->next,
                                 .receive_from = phase->previous,
                                 .source = source,
                                 .target = target};
}

static int32_t open_lane(part_t *part) {
  part->tag = 0;
  return collective_add_lane(part->plan->builder, part->after[0], part->after[1]);
}

static void need_lane(part_t *part) {
  if (part->lane == COLLECTIVE_NONE) {
    part->lane = open_lane(part);
  }
}

// ---- Rings, and pairs, which are rings of two.

// Position p ends with chunk p. The sums are made in `work`, from what `from` has; the
// last of them goes to `last`, if that is given.
static void ring_reduce(part_t *part, int32_t level, collective_buffer_t from,
                        const collective_region_t *last) {
  need_lane(part);
  const phase_t phase = phase_of(part, level, part->is_backward);
  for (int64_t s = 0; s < phase.size - 1; s++) {
    const int64_t outgoing = phase.position - 1 - s;
    const collective_region_t with = chunk(&phase, from, outgoing - 1);
    collective_transfer_t step =
        transfer(&phase, s, chunk(&phase, s == 0 ? from : part->work, outgoing),
                 chunk(&phase, part->work, outgoing - 1));
    if (s == phase.size - 2 && last != NULL) {
      step.target = *last;
    }
    step.with = &with;
    collective_add_transfer(part->plan->builder, &step);
  }
  part->tag += (int32_t)phase.size - 1;
}

static void ring_gather(part_t *part, int32_t level) {
  need_lane(part);
  const phase_t phase = phase_of(part, level, part->is_backward);
  for (int64_t s = 0; s < phase.size - 1; s++) {
    const int64_t outgoing = phase.position - s;
    const collective_transfer_t step =
        transfer(&phase, s, chunk(&phase, part->work, outgoing),
                 chunk(&phase, part->work, outgoing - 1));
    collective_add_transfer(part->plan->builder, &step);
  }
  part->tag += (int32_t)phase.size - 1;
}

// ---- Lines: a lane for each direction, and what follows waits for both (line.c).

static void close_lane(part_t *part) {
  if (part->lane != COLLECTIVE_NONE) {
    part->after[0] = part->lane;
    part->after[1] = COLLECTIVE_NONE;
    part->lane = COLLECTIVE_NONE;
  }
}

// Round t: sends on the sum of chunk p + size - 1 - t, takes in that of the chunk before.
// The own chunk's goes to `arrived`, together with the own share if `adds_own`.
static void line_reduce_lane(part_t *part, int32_t level, bool is_mirrored,
                             collective_buffer_t from, collective_region_t arrived,
                             bool adds_own) {
  const phase_t phase = phase_of(part, level, is_mirrored);
  const int64_t p = phase.position;
  for (int64_t t = p > 0 ? p - 1 : 0; t < phase.size - 1; t++) {
    const int64_t outgoing = p + phase.size - 1 - t;
    const int64_t incoming = outgoing - 1;
    collective_transfer_t step =
        transfer(&phase, t, chunk(&phase, p == 0 ? from : part->work, outgoing),
                 incoming == p ? arrived : chunk(&phase, part->work, incoming));
    const collective_region_t with = chunk(&phase, from, incoming);
    step.with = incoming == p && !adds_own ? NULL : &with;
    step.send_to = outgoing < phase.size ? phase.next : COLLECTIVE_NONE;
    collective_add_transfer(part->plan->builder, &step);
  }
}

static void line_reduce(part_t *part, int32_t level, collective_buffer_t from,
                        const collective_region_t *last) {
  const phase_t phase = phase_of(part, level, false);
  const bool has_left = phase.previous != COLLECTIVE_NONE;
  const bool has_right = phase.next != COLLECTIVE_NONE;
  const collective_region_t own = chunk(&phase, part->work, phase.position);
  const collective_region_t result = last != NULL ? *last : own;
  collective_region_t from_right = result;
  if (has_left && has_right) {
    from_right.buffer = COLLECTIVE_SCRATCH;
    from_right.offset = collective_add_scratch(part->plan->builder, own.size_bytes);
  }
  close_lane(part);
  const int32_t right = open_lane(part);
  line_reduce_lane(part, level, false, from, has_right ? own : result, true);
  const int32_t left = open_lane(part);
  line_reduce_lane(part, level, true, from, from_right, !has_left);
  part->after[0] = right;
  part->after[1] = left;
  need_lane(part);  // On every chip: lanes match by number.
  if (has_left && has_right) {
    collective_add_reduce(part->plan->builder, result, own, from_right);
  }
}

static void line_gather_lane(part_t *part, int32_t level, bool is_mirrored) {
  const phase_t phase = phase_of(part, level, is_mirrored);
  for (int64_t t = 0; t <= phase.position; t++) {
    const int64_t outgoing = phase.position - t;
    collective_transfer_t step = transfer(&phase, t, chunk(&phase, part->work, outgoing),
                                          chunk(&phase, part->work, outgoing - 1));
    step.receive_from = t < phase.position ? phase.previous : COLLECTIVE_NONE;
    collective_add_transfer(part->plan->builder, &step);
  }
}

static void line_gather(part_t *part, int32_t level) {
  close_lane(part);
  const int32_t right = open_lane(part);
  line_gather_lane(part, level, false);
  const int32_t left = open_lane(part);
  line_gather_lane(part, level, true);
  part->after[0] = right;
  part->after[1] = left;
}

// ---- All axes of a part.

static void reduce_part(part_t *part, collective_buffer_t first_from,
                        const collective_region_t *last) {
  for (int32_t level = 0; level < part->axis_count; level++) {
    const collective_buffer_t from = level == 0 ? first_from : part->work;
    const collective_region_t *target = level == part->axis_count - 1 ? last : NULL;
    if (part->axes[level]->kind == COLLECTIVE_AXIS_LINE) {
      line_reduce(part, level, from, target);
    } else {
      ring_reduce(part, level, from, target);
    }
  }
}

static void gather_part(part_t *part) {
  for (int32_t level = part->axis_count - 1; level >= 0; level--) {
    if (part->axes[level]->kind == COLLECTIVE_AXIS_LINE) {
      line_gather(part, level);
    } else {
      ring_gather(part, level);
    }
  }
}

static collective_reorder_t reorder_of(const part_t *part, bool unpacks) {
  const collective_plan_t *plan = part->plan;
  collective_reorder_t reorder = {
      .members = plan->group->box.members,
      .block_bytes = plan->block_elements * plan->element_bytes,
      .piece_offset = part->piece.start * plan->element_bytes,
      .piece_bytes = part->piece.count * plan->element_bytes,
      .unpacks = unpacks};
  for (int32_t i = 0; i < TORUS_DIMENSIONS; i++) {
    reorder.count[i] = i < part->axis_count ? part->axes[i]->size : 1;
    reorder.stride[i] = i < part->axis_count ? part->axes[i]->stride : 0;
  }
  return reorder;
}

static void run_part(part_t *part) {
  const collective_plan_t *plan = part->plan;
  const collective_part_t whole = part->levels[0];
  const collective_part_t own = part->levels[part->axis_count];
  const collective_region_t packed =
      collective_region(plan, part->work, whole.start, whole.count);
  const collective_region_t piece =
      collective_region(plan, COLLECTIVE_OUTPUT, part->piece.start, part->piece.count);
  collective_region_t blocks = {.size_bytes = packed.size_bytes};
  collective_reorder_t reorder;
  switch (plan->request->op) {
    case CHIP_OP_ALL_REDUCE:
      reduce_part(part, COLLECTIVE_INPUT, NULL);
      gather_part(part);
      return;
    case CHIP_OP_REDUCE_SCATTER:
      need_lane(part);
      reorder = reorder_of(part, false);
      blocks.buffer = COLLECTIVE_INPUT;
      collective_add_reorder(plan->builder, packed, blocks, &reorder);
      reduce_part(part, part->work, &piece);
      return;
    default:
      need_lane(part);
      collective_add_copy(plan->builder,
                          collective_region(plan, part->work, own.start, own.count),
                          collective_region(plan, COLLECTIVE_INPUT, part->piece.start,
                                            part->piece.count));
      gather_part(part);
      need_lane(part);
      reorder = reorder_of(part, true);
      blocks.buffer = COLLECTIVE_OUTPUT;
      collective_add_reorder(plan->builder, blocks, packed, &reorder);
  }
}

// Whether all chunks of a level are as long as each other.
static bool is_even(const part_t *part, int32_t level) {
  const int64_t size = part->axes[level]->size;
  const int64_t count = part->levels[level].count;
  const collective_cut_t cut = collective_cut(part->plan, count, size);
  return part->is_packed || cut.whole * cut.unit * size == count;
}

static void find_levels(part_t *part) {
  bool *is_alike = &part->plan->builder->claims.alike_chips;
  for (int32_t level = 0; level < part->axis_count; level++) {
    *is_alike &= part->axes[level]->kind == COLLECTIVE_AXIS_RING && is_even(part, level);
    part->levels[level + 1] =
        chunk_of(part, part->levels[level], part->axes[level]->size, part->at[level]);
  }
}

// The part that begins with axis `first`.
static void add_part(const collective_plan_t *plan, int32_t first, bool is_backward,
                     collective_part_t piece) {
  const collective_box_t *box = &plan->group->box;
  const torus_coords_t coords = torus_coords(plan->torus, plan->chip);
  const bool is_packed = plan->request->op != CHIP_OP_ALL_REDUCE;
  part_t part = {.plan = plan,
                 .axis_count = box->axis_count,
                 .is_backward = is_backward,
                 .is_packed = is_packed,
                 .piece = piece,
                 .work = is_packed ? COLLECTIVE_SCRATCH : COLLECTIVE_OUTPUT,
                 .after = {COLLECTIVE_NONE, COLLECTIVE_NONE},
                 .lane = COLLECTIVE_NONE};
  if (piece.count == 0) {
    return;
  }
  for (int32_t i = 0; i < box->axis_count; i++) {
    part.axes[i] = &box->axes[(first + i) % box->axis_count];
    part.at[i] = part.axes[i]->indices[coords.at[part.axes[i]->dimension]];
  }
  part.levels[0] = piece;
  if (is_packed) {
    const int64_t elements = piece.count * plan->group->size;
    part.levels[0].count = elements;
    part.levels[0].start =
        collective_add_scratch(plan->builder, elements * plan->element_bytes) /
        plan->element_bytes;
  }
  find_levels(&part);
  run_part(&part);
}

// ---- How the data is split.

// The share of the part that begins with an axis, so that all first phases take the same
// time: bytes per link are the share · (n - 1) / n, over both directions of a ring.
static int64_t weight_of(const collective_box_t *box, int32_t axis) {
  int64_t weight = box->axes[axis].kind == COLLECTIVE_AXIS_RING ? 2 : 1;
  weight *= box->axes[axis].size;
  for (int32_t i = 0; i < box->axis_count; i++) {
    weight *= i == axis ? 1 : box->axes[i].size - 1;
  }
  return weight;
}

typedef struct division_t {
  int32_t first_axes;  // How many parts begin with an axis of their own.
  int32_t directions;
  int64_t weights[TORUS_DIMENSIONS + 1];  // Summed up.
} division_t;

static int64_t total_bytes(const collective_plan_t *plan) {
  const int64_t block = plan->block_elements * plan->element_bytes;
  return plan->request->op == CHIP_OP_ALL_REDUCE ? block : block * plan->group->size;
}

static division_t divide(const collective_plan_t *plan) {
  const collective_box_t *box = &plan->group->box;
  int32_t longest = 1;
  division_t division = {.first_axes = box->axis_count, .directions = 1};
  for (int32_t i = 0; i < box->axis_count; i++) {
    longest = box->axes[i].size > longest ? box->axes[i].size : longest;
    if (box->axes[i].kind == COLLECTIVE_AXIS_RING) {
      division.directions = 2;
    }
  }
  const int64_t messages = total_bytes(plan) / longest / MESSAGE_BYTES_MIN;
  if (messages < (int64_t)division.first_axes * division.directions) {
    division.directions = 1;
  }
  if (messages < division.first_axes) {
    division.first_axes = 1;
  }
  for (int32_t i = 0; i < division.first_axes; i++) {
    division.weights[i + 1] = division.weights[i] + weight_of(box, i);
  }
  return division;
}

// `elements` times weight / total, rounded to cache lines where that does not matter.
static int64_t boundary(const collective_plan_t *plan, int64_t elements, int64_t weight,
                        int64_t total) {
  const int64_t unit =
      elements * plan->element_bytes >= 64 * total ? 64 / plan->element_bytes : 1;
  const int64_t units = elements / unit;
  return weight == total
             ? elements
             : (units / total * weight + units % total * weight / total) * unit;
}

static void add_segment(const collective_plan_t *plan, const division_t *division,
                        collective_part_t segment) {
  const int64_t total = division->weights[division->first_axes];
  for (int32_t axis = 0; axis < division->first_axes; axis++) {
    const int64_t start = boundary(plan, segment.count, division->weights[axis], total);
    const int64_t end = boundary(plan, segment.count, division->weights[axis + 1], total);
    for (int32_t d = 0; d < division->directions; d++) {
      collective_part_t piece =
          collective_split(plan, end - start, division->directions, d);
      piece.start += segment.start + start;
      add_part(plan, axis, d == 1, piece);
    }
  }
}

// With equal axes all phases end together, and on rings and pairs a lane has its
// direction of an axis for itself.
static collective_claims_t claims_of(const collective_box_t *box,
                                     const division_t *division, bool is_alike) {
  bool is_even = division->first_axes == box->axis_count;
  bool is_exclusive = true;
  for (int32_t i = 0; i < box->axis_count; i++) {
    const collective_axis_t *axis = &box->axes[i];
    is_even = is_even && axis->size == box->axes[0].size &&
              axis->kind == box->axes[0].kind && axis->hops == 1;
    is_even =
        is_even && (axis->kind != COLLECTIVE_AXIS_RING || division->directions == 2);
    is_exclusive = is_exclusive && axis->kind != COLLECTIVE_AXIS_LINE;
  }
  return (collective_claims_t){.optimal_bytes = is_even,
                               .exclusive_links = is_even && is_exclusive,
                               .alike_chips = is_alike};
}

static pod_status_t plan_torus(const collective_plan_t *plan) {
  const chip_op_t op = plan->request->op;
  const collective_box_t *box = &plan->group->box;
  if (box->axis_count == 0) {
    return pod_error(POD_UNIMPLEMENTED,
                     "%s: a group that is no box of the torus has no "
                     "axes to follow",
                     chip_op_name(op));
  }
  if (op == CHIP_OP_ALL_TO_ALL) {
    const torus_coords_t coords = torus_coords(plan->torus, plan->chip);
    int32_t position = 0;
    for (int32_t i = 0; i < box->axis_count; i++) {
      const collective_axis_t *axis = &box->axes[i];
      position += axis->stride * axis->indices[coords.at[axis->dimension]];
    }
    collective_plan_buckets(plan, box, position);
    return NULL;
  }
  const division_t division = divide(plan);
  const int32_t parts = division.first_axes * division.directions;
  const int64_t chunks =
      parts * (op == CHIP_OP_ALL_REDUCE ? (int64_t)box->axes[0].size : 1);
  int32_t segments = collective_segments(plan, plan->block_elements, chunks);
  const int32_t most = COLLECTIVE_LANES_MAX / (LANES_PER_PART_MAX * parts);
  segments = segments > most ? most : segments;
  plan->builder->claims.alike_chips = true;  // Until a part says otherwise.
  for (int32_t i = 0; i < segments; i++) {
    add_segment(plan, &division,
                collective_split(plan, plan->block_elements, segments, i));
  }
  const bool is_alike = plan->builder->claims.alike_chips;
  plan->builder->claims = claims_of(box, &division, is_alike);
  return NULL;
}

// One axis is left to rings and lines.
static bool is_candidate(const collective_question_t *question) {
  return question->group->box.axis_count > 1;
}

// As along a line, on the axes that are one.
static double stretch(const collective_group_t *group, chip_op_t op) {
  double factor = 1;
  for (int32_t i = 0; i < group->box.axis_count && op == CHIP_OP_ALL_TO_ALL; i++) {
    const collective_axis_t *axis = &group->box.axes[i];
    const double waits = axis->kind == COLLECTIVE_AXIS_LINE ? axis->size / 2.0 : 1;
    factor = waits > factor ? waits : factor;
  }
  return factor;
}

const collective_algorithm_row_t collective_torus_row = {
    .plan = plan_torus,
    .needs_box = true,
    .is_candidate = is_candidate,
    .stretch = stretch,
};
