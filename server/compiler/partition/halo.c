// Plans of halo exchanges, and the operations that carry them out.

#include "server/compiler/partition/halo.h"

#include <string.h>

#include "common/base/check.h"
#include "common/base/number.h"

// --- Plans ---

static int64_t wanted_start(const halo_t *halo, int64_t shard) {
  return halo->step * shard + halo->start;
}

// Whether the shard wants anything that is there.
static bool wants_any(const halo_t *halo, int64_t shard) {
  const int64_t start = wanted_start(halo, shard);
  return start < halo->limit && start + halo->length > halo->begin;
}

// Whether shard `target` wants anything of what `source` has.
static bool wants_of(const halo_t *halo, int64_t target, int64_t source) {
  const int64_t start = wanted_start(halo, target), held = source * halo->shard_size;
  int64_t from = start > held ? start : held;
  from = from > halo->begin ? from : halo->begin;
  int64_t to = start + halo->length;
  to = to < held + halo->shard_size ? to : held + halo->shard_size;
  to = to < halo->limit ? to : halo->limit;
  return source >= 0 && source < halo->shards && from < to;
}

// The source of every shard's first slot: where what it wants begins, or, for all, as far
// from it as it is from any. The latter is better where shards advance by about their
// size, so that the neighbours' edges are enough.
static void find_firsts(const halo_t *halo, bool is_diagonal, int64_t *firsts) {
  int64_t distance = INT64_MAX;
  for (int64_t i = 0; i < halo->shards; i++) {
    firsts[i] = pod_divide_down(wanted_start(halo, i), halo->shard_size);
    if (wants_any(halo, i) && firsts[i] - i < distance) {
      distance = firsts[i] - i;
    }
  }
  for (int64_t i = 0; i < halo->shards && is_diagonal && distance < INT64_MAX; i++) {
    firsts[i] = i + distance;
  }
}

// How many slots there are, and what is cut of the first and of the last.
static void measure(const halo_t *halo, const int64_t *firsts, halo_plan_t *plan) {
  const int64_t size = halo->shard_size;
  plan->slot_count = 1;
  plan->low = size;
  for (int64_t i = 0; i < halo->shards; i++) {
    const int64_t start = wanted_start(halo, i);
    plan->is_masked =
        plan->is_masked || start < halo->begin || start + halo->length > halo->limit;
    if (!wants_any(halo, i)) {
      continue;
    }
    const int64_t slots = pod_divide_down(start + halo->length - 1, size) - firsts[i] + 1;
    const int64_t low = start - firsts[i] * size;
    plan->slot_count = slots > plan->slot_count
                           ? (int)(slots > HALO_SLOTS_MAX ? HALO_SLOTS_MAX + 1 : slots)
                           : plan->slot_count;
    plan->low = low < plan->low ? low : plan->low;
  }
  const int64_t last = plan->slot_count - 1;
  for (int64_t i = 0; i < halo->shards; i++) {
    const int64_t end = wanted_start(halo, i) + halo->length - (firsts[i] + last) * size;
    if (wants_any(halo, i) && end > plan->high) {
      plan->high = end;
    }
  }
}

static int64_t slot_low(const halo_plan_t *plan, int slot) {
  return slot == 0 ? plan->low : 0;
}

static int64_t slot_high(const halo_t *halo, const halo_plan_t *plan, int slot) {
  return slot == plan->slot_count - 1 ? plan->high : halo->shard_size;
}

// Puts what a shard receives in a slot into the first round in which its source sends to
// nobody else. False when there are too many.
static bool add_pair(pod_arena_t *arena, const halo_t *halo, int slot, int64_t target,
                     int64_t source, halo_plan_t *plan) {
  for (int r = 0; r < plan->round_count; r++) {
    const halo_round_t *round = &plan->rounds[r];
    bool sends = round->slot != slot;
    for (int64_t i = 0; i < halo->shards && !sends; i++) {
      sends = round->sources[i] == source;
    }
    if (!sends) {
      round->sources[target] = source;
      return true;
    }
  }
  if (plan->round_count == HALO_ROUNDS_MAX) {
    return false;
  }
  halo_round_t *round = &plan->rounds[plan->round_count++];
  round->slot = slot;
  round->sources =
      pod_arena_array(arena, (size_t)halo->shards, sizeof(round->sources[0]));
  for (int64_t i = 0; i < halo->shards; i++) {
    round->sources[i] = -1;
  }
  round->sources[target] = source;
  return true;
}

static bool plan_slot(pod_arena_t *arena, const halo_t *halo, const int64_t *firsts,
                      int slot, halo_plan_t *plan) {
  plan->is_local[slot] = true;
  for (int64_t i = 0; i < halo->shards; i++) {
    const int64_t source = firsts[i] + slot;
    plan->is_local[slot] =
        plan->is_local[slot] && (source == i || !wants_of(halo, i, source));
  }
  for (int64_t i = 0; i < halo->shards && !plan->is_local[slot]; i++) {
    const int64_t source = firsts[i] + slot;
    if (wants_of(halo, i, source) && !add_pair(arena, halo, slot, i, source, plan)) {
      return false;
    }
  }
  return true;
}

// Where every source is wanted whole, what is outside is of sources that there are not.
static void find_zeroed(const halo_t *halo, const int64_t *firsts, halo_plan_t *plan) {
  plan->is_zeroed = halo->begin == 0 && halo->limit == halo->shards * halo->shard_size;
  for (int64_t i = 0; i < halo->shards; i++) {
    plan->is_zeroed = plan->is_zeroed && wants_any(halo, i);
    for (int slot = 0; slot < plan->slot_count; slot++) {
      const int64_t source = firsts[i] + slot;
      plan->is_zeroed = plan->is_zeroed &&
                        (!plan->is_local[slot] || (source >= 0 && source < halo->shards));
    }
  }
}

static void count_received(const halo_t *halo, halo_plan_t *plan) {
  for (int64_t i = 0; i < halo->shards; i++) {
    int64_t received = 0;
    for (int r = 0; r < plan->round_count; r++) {
      const halo_round_t *round = &plan->rounds[r];
      if (round->sources[i] >= 0 && round->sources[i] != i) {
        received += slot_high(halo, plan, round->slot) - slot_low(plan, round->slot);
      }
    }
    plan->received = received > plan->received ? received : plan->received;
  }
}

static bool plan_from(pod_arena_t *arena, const halo_t *halo, bool is_diagonal,
                      halo_plan_t *out_plan) {
  memset(out_plan, 0, sizeof(*out_plan));
  int64_t *firsts = pod_arena_array(arena, (size_t)halo->shards, sizeof(firsts[0]));
  out_plan->offsets =
      pod_arena_array(arena, (size_t)halo->shards, sizeof(out_plan->offsets[0]));
  find_firsts(halo, is_diagonal, firsts);
  measure(halo, firsts, out_plan);
  if (out_plan->slot_count > HALO_SLOTS_MAX || out_plan->high == 0) {
    return false;
  }
  for (int slot = 0; slot < out_plan->slot_count; slot++) {
    if (!plan_slot(arena, halo, firsts, slot, out_plan)) {
      return false;
    }
  }
  for (int64_t i = 0; i < halo->shards; i++) {
    out_plan->offsets[i] =
        wants_any(halo, i)
            ? wanted_start(halo, i) - firsts[i] * halo->shard_size - out_plan->low
            : 0;
  }
  find_zeroed(halo, firsts, out_plan);
  count_received(halo, out_plan);
  return true;
}

bool halo_plan(pod_arena_t *arena, const halo_t *halo, halo_plan_t *out_plan) {
  if (halo->length <= 0 || halo->shard_size <= 0 || halo->shards > HALO_SHARDS_MAX) {
    return false;
  }
  const bool is_known = plan_from(arena, halo, false, out_plan);
  halo_plan_t diagonal;
  if (halo->step != halo->shard_size && halo->step > 0 &&
      plan_from(arena, halo, true, &diagonal) &&
      (!is_known || diagonal.received < out_plan->received)) {
    *out_plan = diagonal;
    return true;
  }
  return is_known;
}

// --- Operations ---

// What the shards receive in a slot, of all its rounds.
static mlir_value_t *emit_slot(partitioner_t *partitioner, mlir_value_t *piece,
                               const halo_t *halo, const halo_plan_t *plan, int slot) {
  if (plan->is_local[slot]) {
    return piece;
  }
  mlir_value_t *received = NULL;
  for (int r = 0; r < plan->round_count; r++) {
    const halo_round_t *round = &plan->rounds[r];
    if (round->slot != slot) {
      continue;
    }
    mlir_value_t *now =
        partition_emit_exchange(partitioner, piece, &halo->axes, round->sources);
    if (received == NULL) {
      received = now;
      continue;
    }
    int64_t *takes = pod_arena_array(partitioner->shardings.arena, (size_t)halo->shards,
                                     sizeof(takes[0]));
    for (int64_t i = 0; i < halo->shards; i++) {
      takes[i] = round->sources[i] >= 0 ? 1 : 0;
    }
    mlir_value_t *place = partition_emit_lookup(partitioner, &halo->axes, takes);
    mlir_value_t *is_taken =
        partition_emit_compare(partitioner, place, "NE",
                               partition_emit_splat(partitioner, value_shape(place), 0));
    received = partition_emit_select(partitioner, is_taken, now, received);
  }
  return received;
}

// `value` where the global index along the dimension is in [begin, limit).
static mlir_value_t *emit_mask(partitioner_t *partitioner, mlir_value_t *value,
                               const halo_t *halo, mlir_value_t *outside) {
  const tensor_shape_t *shape = value_shape(value);
  int64_t *starts = pod_arena_array(partitioner->shardings.arena, (size_t)halo->shards,
                                    sizeof(starts[0]));
  bool is_below = false, is_above = false;
  for (int64_t i = 0; i < halo->shards; i++) {
    starts[i] = wanted_start(halo, i);
    is_below = is_below || starts[i] < halo->begin;
    is_above = is_above || starts[i] + halo->length > halo->limit;
  }
  mlir_value_t *index =
      partition_emit_index(partitioner, shape, halo->dim,
                           partition_emit_lookup(partitioner, &halo->axes, starts));
  const tensor_shape_t *indexes = value_shape(index);
  if (shape->rank > 0) {
    outside = partition_emit_broadcast(partitioner, outside, shape);
  }
  if (is_below) {
    mlir_value_t *begin = partition_emit_splat(partitioner, indexes, halo->begin);
    value = partition_emit_select(partitioner,
                                  partition_emit_compare(partitioner, index, "GE", begin),
                                  value, outside);
  }
  if (is_above) {
    mlir_value_t *limit = partition_emit_splat(partitioner, indexes, halo->limit);
    value = partition_emit_select(partitioner,
                                  partition_emit_compare(partitioner, index, "LT", limit),
                                  value, outside);
  }
  return value;
}

// `length` rows from where the shard's begin.
static mlir_value_t *emit_cut(partitioner_t *partitioner, mlir_value_t *slots,
                              const halo_t *halo, const halo_plan_t *plan) {
  bool is_static = true;
  for (int64_t i = 0; i < halo->shards; i++) {
    is_static = is_static && plan->offsets[i] == plan->offsets[0];
  }
  if (is_static) {
    return partition_emit_rows(partitioner, slots, halo->dim, plan->offsets[0],
                               plan->offsets[0] + halo->length);
  }
  return partition_emit_dynamic_rows(
      partitioner, slots, halo->dim,
      partition_emit_lookup(partitioner, &halo->axes, plan->offsets), halo->length);
}

mlir_value_t *halo_fetch(partitioner_t *partitioner, mlir_value_t *local,
                         const halo_t *halo, const halo_plan_t *plan,
                         mlir_value_t *outside) {
  POD_CHECK(value_shape(local)->dims[halo->dim] == halo->shard_size);
  mlir_value_t *slots[HALO_SLOTS_MAX] = {NULL};
  tensor_shape_t shape = *value_shape(local);
  shape.dims[halo->dim] = 0;
  for (int slot = 0; slot < plan->slot_count; slot++) {
    mlir_value_t *piece = partition_emit_rows(
        partitioner, local, halo->dim, slot_low(plan, slot), slot_high(halo, plan, slot));
    slots[slot] = emit_slot(partitioner, piece, halo, plan, slot);
    shape.dims[halo->dim] += value_shape(piece)->dims[halo->dim];
  }
  mlir_value_t *value = slots[0];
  if (plan->slot_count > 1) {
    value = partition_emit_join(partitioner, plan->slot_count, slots, halo->dim, &shape);
  }
  value = emit_cut(partitioner, value, halo, plan);
  return outside != NULL && plan->is_masked ? emit_mask(partitioner, value, halo, outside)
                                            : value;
}
