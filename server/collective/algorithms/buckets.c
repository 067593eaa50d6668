// all_to_all by buckets that are handed on from neighbour to neighbour, axis after axis.
//
// Along an axis a chip has a chunk for every other chip on it. Those for chips ahead go
// to the neighbour ahead as one message, the nearest first; the neighbour keeps the first
// chunk, which is its own, and hands on the rest. Round a ring a chunk goes the shorter
// way, and the one for the chip opposite goes half this way, half that way. No link
// carries more than the blocks that must cross it, and one message at a time.
//
// In a box every axis has its turn: what is for (x, y, z) goes to x along the first axis,
// from there to y, from there to z: the dimension-order route. As in torus.c the data is
// split, and each part begins with another axis.
//
//   layout of the pieces before phase j: [source j-1] … [source 1] [target j] … [target
//   k] a chunk of phase j:                  the same without [target j] after it: [source
//   j] and the chunk

#include <string.h>

#include "server/collective/plan.h"

enum { MESSAGE_BYTES_MIN = 512 };

typedef struct exchange_t {
  const collective_plan_t *plan;
  const collective_box_t *box;
  const collective_axis_t *axes[TORUS_DIMENSIONS];  // In the order of this part.
  int32_t at[TORUS_DIMENSIONS];
  int32_t position;         // In the box.
  collective_part_t piece;  // Of every block.
  int64_t arrived;  // Where the last phase left everything, in elements of SCRATCH.
  int32_t after[COLLECTIVE_AFTER_MAX];
} exchange_t;

// A phase in one direction. Chunks ahead are counted from 1, the nearest.
typedef struct direction_t {
  const exchange_t *exchange;
  const collective_axis_t *axis;
  int32_t at;  // Own index on the axis.
  bool is_backward;
  bool closes;
  int32_t whole_count;  // Chunks that go this way entirely.
  int32_t behind;       // Line: chips behind this one.
  int64_t chunk_elements;
  int64_t half_elements;           // Of the chunk for the chip opposite, packed; or 0.
  int64_t half_start, half_count;  // The same, of each piece.
  int64_t base;                    // What this chip sends, in SCRATCH.
  int64_t slots[2];                // What it hands on.
} direction_t;

static int64_t add_room(const exchange_t *exchange, int64_t elements) {
  const int64_t size = exchange->plan->element_bytes;
  return collective_add_scratch(exchange->plan->builder, elements * size) / size;
}

static collective_region_t scratch(const exchange_t *exchange, int64_t start,
                                   int64_t count) {
  return collective_region(exchange->plan, COLLECTIVE_SCRATCH, start, count);
}

static int32_t chip_on_axis(const exchange_t *exchange, const collective_axis_t *axis,
                            int32_t at, int32_t index) {
  const int32_t position = exchange->position + (index - at) * axis->stride;
  const int32_t *members = exchange->box->members;
  return (int32_t)
      exchange->plan->group->chips[members == NULL ? position : members[position]];
}

static int32_t index_at(const direction_t *direction, int32_t ahead) {
  const int32_t size = direction->axis->size;
  return (direction->at + (direction->is_backward ? size - ahead : ahead) + size) % size;
}

static direction_t direction_of(const exchange_t *exchange, int32_t level,
                                bool is_backward) {
  const collective_axis_t *axis = exchange->axes[level];
  const int32_t size = axis->size;
  const int32_t at = exchange->at[level];
  const int64_t pieces = exchange->plan->group->size / size;
  direction_t direction = {.exchange = exchange,
                           .axis = axis,
                           .at = at,
                           .is_backward = is_backward,
                           .closes = axis->kind == COLLECTIVE_AXIS_RING,
                           .behind = is_backward ? size - 1 - at : at,
                           .chunk_elements = pieces * exchange->piece.count};
  direction.whole_count = direction.closes ? (size - 1) / 2 : size - 1 - direction.behind;
  if (direction.closes && size % 2 == 0) {
    const int64_t first = (exchange->piece.count + 1) / 2;
    direction.half_start = is_backward ? first : 0;
    direction.half_count = is_backward ? exchange->piece.count - first : first;
    direction.half_elements = pieces * direction.half_count;
  }
  return direction;
}

// How the pieces for the chip at an index of the axis lie before the phase.
static collective_reorder_t source_of(const exchange_t *exchange, int32_t level) {
  const collective_plan_t *plan = exchange->plan;
  const int64_t size = plan->element_bytes;
  collective_reorder_t reorder = {.count = {1, 1, 1},
                                  .turn = exchange->axes[level]->size,
                                  .piece_bytes = exchange->piece.count * size};
  if (level == 0) {
    reorder.members = exchange->box->members;
    reorder.block_bytes = plan->block_elements * size;
    reorder.piece_offset = exchange->piece.start * size;
    for (int32_t i = 0; i < exchange->box->axis_count; i++) {
      reorder.count[i] = exchange->axes[i]->size;
      reorder.stride[i] = exchange->axes[i]->stride;
    }
    return reorder;
  }
  int32_t within = 1;
  for (int32_t i = level + 1; i < exchange->box->axis_count; i++) {
    within *= exchange->axes[i]->size;
  }
  const int32_t own = exchange->axes[level]->size;
  reorder.block_bytes = reorder.piece_bytes;
  reorder.stride[0] = within;
  reorder.count[1] = plan->group->size / own / within;
  reorder.stride[1] = own * within;
  reorder.count[2] = within;
  reorder.stride[2] = 1;
  return reorder;
}

// Packs `count` chunks from the index `first` on.
static void pack(const exchange_t *exchange, int32_t level, collective_reorder_t reorder,
                 int32_t first, int32_t count, bool is_descending, int64_t target) {
  const collective_plan_t *plan = exchange->plan;
  const int64_t bytes = reorder.piece_bytes * count * reorder.count[1] * reorder.count[2];
  reorder.count[0] = count;
  reorder.first = first;
  reorder.is_descending = is_descending;
  collective_region_t source = {.buffer = COLLECTIVE_INPUT, .size_bytes = bytes};
  if (level > 0) {
    source = scratch(exchange, exchange->arrived, 0);
    source.size_bytes = bytes;
  }
  collective_add_reorder(plan->builder,
                         scratch(exchange, target, bytes / plan->element_bytes), source,
                         &reorder);
}

static void pack_direction(direction_t *direction, int32_t level) {
  const exchange_t *exchange = direction->exchange;
  const int64_t size = exchange->plan->element_bytes;
  const int64_t whole = direction->whole_count * direction->chunk_elements;
  direction->base = add_room(exchange, whole + direction->half_elements);
  collective_reorder_t reorder = source_of(exchange, level);
  pack(exchange, level, reorder, index_at(direction, 1), direction->whole_count,
       direction->is_backward, direction->base);
  if (direction->half_elements > 0) {
    reorder.piece_offset += direction->half_start * size;
    reorder.piece_bytes = direction->half_count * size;
    pack(exchange, level, reorder, index_at(direction, direction->whole_count + 1), 1,
         false, direction->base + whole);
  }
}

// The chunk at the head of what came in with message `s` is this chip's.
static void keep_first(const direction_t *direction, int32_t s, int64_t slot,
                       int64_t arrivals) {
  const exchange_t *exchange = direction->exchange;
  const int64_t size = exchange->plan->element_bytes;
  const bool is_half = direction->closes && s > direction->whole_count;
  const int32_t size_on_axis = direction->axis->size;
  const int32_t source = index_at(direction, size_on_axis - s);
  const int64_t count = is_half ? direction->half_elements : direction->chunk_elements;
  collective_reorder_t reorder = {.count = {1, 1, 1}, .piece_bytes = count * size};
  if (is_half) {
    reorder.count[2] = exchange->plan->group->size / size_on_axis;
    reorder.stride[2] = 1;
    reorder.block_bytes = exchange->piece.count * size;
    reorder.piece_offset = direction->half_start * size;
    reorder.piece_bytes = direction->half_count * size;
    reorder.unpacks = true;
  }
  collective_add_reorder(
      exchange->plan->builder,
      scratch(exchange, arrivals + source * direction->chunk_elements, count),
      scratch(exchange, slot, count), &reorder);
}

// Elements of message `s`, as sent. On a line it is always what is left for those ahead.
static int64_t message_elements(const direction_t *direction, int32_t s) {
  if (!direction->closes) {
    return direction->whole_count * direction->chunk_elements;
  }
  const int32_t whole = direction->whole_count - s + 1;
  return (whole > 0 ? whole * direction->chunk_elements : 0) + direction->half_elements;
}

static void direction_lane(direction_t *direction, int64_t arrivals) {
  const exchange_t *exchange = direction->exchange;
  const bool closes = direction->closes;
  const int32_t rounds =
      closes ? direction->whole_count + (direction->axis->size % 2 == 0 ? 1 : 0)
             : direction->behind + 1;
  const bool has_next = closes || direction->whole_count > 0;
  const int64_t room = closes
                           ? message_elements(direction, 1)
                           : message_elements(direction, 1) + direction->chunk_elements;
  for (int i = 0; i < 2 && (closes || direction->behind > i); i++) {
    direction->slots[i] = add_room(exchange, room);
  }
  for (int32_t s = 1; s <= rounds; s++) {
    const int64_t sent = message_elements(direction, s);
    const bool receives = closes || s <= direction->behind;
    const int64_t received = closes ? sent : sent + direction->chunk_elements;
    const int64_t handed_on = direction->slots[s % 2] + direction->chunk_elements;
    collective_transfer_t step = {
        .tag = s - 1,
        .send_to = COLLECTIVE_NONE,
        .receive_from = COLLECTIVE_NONE,
        .source = scratch(exchange, s == 1 ? direction->base : handed_on, sent),
        .target = scratch(exchange, direction->slots[(s - 1) % 2], received)};
    if (has_next) {
      step.send_to =
          chip_on_axis(exchange, direction->axis, direction->at, index_at(direction, 1));
    }
    if (receives) {
      step.receive_from = chip_on_axis(exchange, direction->axis, direction->at,
                                       index_at(direction, direction->axis->size - 1));
    }
    collective_add_transfer(exchange->plan->builder, &step);
    if (receives) {
      keep_first(direction, s, direction->slots[(s - 1) % 2], arrivals);
    }
  }
}

static int32_t open_lane(const exchange_t *exchange) {
  return collective_add_lane(exchange->plan->builder, exchange->after[0],
                             exchange->after[1]);
}

static void run_phase(exchange_t *exchange, int32_t level) {
  const int64_t elements = exchange->plan->group->size * exchange->piece.count;
  direction_t directions[2] = {direction_of(exchange, level, false),
                               direction_of(exchange, level, true)};
  const int64_t arrivals = add_room(exchange, elements);
  const int32_t packing = open_lane(exchange);
  pack_direction(&directions[0], level);
  pack_direction(&directions[1], level);
  pack(exchange, level, source_of(exchange, level), exchange->at[level], 1, false,
       arrivals + exchange->at[level] * directions[0].chunk_elements);
  exchange->after[0] = packing;
  exchange->after[1] = COLLECTIVE_NONE;
  int32_t lanes[2];
  for (int i = 0; i < 2; i++) {
    lanes[i] = open_lane(exchange);
    direction_lane(&directions[i], arrivals);
  }
  memcpy(exchange->after, lanes, sizeof(lanes));
  exchange->arrived = arrivals;
}

// [source k] … [source 1] to the blocks of OUTPUT.
static void unpack_all(const exchange_t *exchange) {
  const collective_plan_t *plan = exchange->plan;
  const int32_t axes = exchange->box->axis_count;
  collective_reorder_t reorder = {
      .count = {1, 1, 1},
      .members = exchange->box->members,
      .block_bytes = plan->block_elements * plan->element_bytes,
      .piece_offset = exchange->piece.start * plan->element_bytes,
      .piece_bytes = exchange->piece.count * plan->element_bytes,
      .unpacks = true};
  for (int32_t i = 0; i < axes; i++) {
    reorder.count[i] = exchange->axes[axes - 1 - i]->size;
    reorder.stride[i] = exchange->axes[axes - 1 - i]->stride;
  }
  const collective_region_t packed =
      scratch(exchange, exchange->arrived, plan->group->size * exchange->piece.count);
  const collective_region_t blocks = {.buffer = COLLECTIVE_OUTPUT,
                                      .size_bytes = packed.size_bytes};
  open_lane(exchange);
  collective_add_reorder(plan->builder, blocks, packed, &reorder);
}

static void add_part(const collective_plan_t *plan, const collective_box_t *box,
                     int32_t position, int32_t first, collective_part_t piece) {
  exchange_t exchange = {.plan = plan,
                         .box = box,
                         .position = position,
                         .piece = piece,
                         .after = {COLLECTIVE_NONE, COLLECTIVE_NONE}};
  if (piece.count == 0) {
    return;
  }
  for (int32_t i = 0; i < box->axis_count; i++) {
    exchange.axes[i] = &box->axes[(first + i) % box->axis_count];
    exchange.at[i] = position / exchange.axes[i]->stride % exchange.axes[i]->size;
  }
  for (int32_t level = 0; level < box->axis_count; level++) {
    run_phase(&exchange, level);
  }
  unpack_all(&exchange);
}

// All axes with the same share are busy all the time; with unequal ones the longest is.
static bool is_even(const collective_box_t *box) {
  bool even = true;
  for (int32_t i = 0; i < box->axis_count; i++) {
    even = even && box->axes[i].hops == 1 && box->axes[i].size == box->axes[0].size &&
           box->axes[i].kind == box->axes[0].kind;
  }
  return even;
}

void collective_plan_buckets(const collective_plan_t *plan, const collective_box_t *box,
                             int32_t position) {
  const int64_t total = plan->block_elements * plan->element_bytes * plan->group->size;
  int32_t longest = 1;
  for (int32_t i = 0; i < box->axis_count; i++) {
    longest = box->axes[i].size > longest ? box->axes[i].size : longest;
  }
  const bool splits = total / longest / MESSAGE_BYTES_MIN >= box->axis_count;
  const int32_t parts = splits ? box->axis_count : 1;
  for (int32_t i = 0; i < parts; i++) {
    add_part(plan, box, position, i,
             collective_split(plan, plan->block_elements, parts, i));
  }
  const bool even = parts == box->axis_count && is_even(box);
  plan->builder->claims = (collective_claims_t){
      .optimal_bytes = even,
      .exclusive_links =
          even && (parts == 1 || box->axes[0].kind != COLLECTIVE_AXIS_LINE)};
}
