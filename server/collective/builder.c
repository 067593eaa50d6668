// A schedule being written, lane by lane and step by step, and how elements are split
// into parts: evenly, on cache lines when parts are long. Invariant: a lane's steps are
// one run of the list, and it waits for lower lanes only, so that a schedule has no
// circle.

#include <stdlib.h>

#include "common/base/check.h"
#include "server/collective/plan.h"

enum {
  LINE_BYTES = 64,
  // A chunk shorter than this is not worth a lane of its own; it is also what fits a
  // core's second-level cache a few times.
  SEGMENT_BYTES = 128 * 1024,
  SEGMENTS_MAX = 16,
  // Parts this long begin on cache lines.
  ALIGNED_PART_BYTES = 4096,
};

int32_t collective_add_lane(collective_builder_t *builder, int32_t after_a,
                            int32_t after_b) {
  POD_CHECK(builder->lane_count < COLLECTIVE_LANES_MAX);
  builder->lanes[builder->lane_count] = (collective_lane_t){
      .first_step = builder->steps.count, .after = {after_a, after_b}};
  return builder->lane_count++;
}

static void add_step(collective_builder_t *builder, const collective_step_t *step) {
  *pod_list_add(&builder->steps) = *step;
  builder->lanes[builder->lane_count - 1].step_count++;
}

int32_t collective_join(collective_builder_t *builder, int32_t first, int32_t count) {
  int32_t joined = first;
  for (int32_t i = 1; i < count; i++) {
    joined = collective_add_lane(builder, joined, first + i);
  }
  return joined;
}

void collective_add_transfer(collective_builder_t *builder,
                             const collective_transfer_t *transfer) {
  collective_step_t step = {.kind = COLLECTIVE_TRANSFER,
                            .tag = transfer->tag,
                            .send_to = COLLECTIVE_NONE,
                            .receive_from = COLLECTIVE_NONE};
  if (transfer->send_to != COLLECTIVE_NONE && transfer->source.size_bytes > 0) {
    step.send_to = transfer->send_to;
    step.source_buffer = (uint8_t)transfer->source.buffer;
    step.source_offset = transfer->source.offset;
    step.source_bytes = transfer->source.size_bytes;
  }
  if (transfer->receive_from != COLLECTIVE_NONE && transfer->target.size_bytes > 0) {
    step.receive_from = transfer->receive_from;
    step.target_buffer = (uint8_t)transfer->target.buffer;
    step.target_offset = transfer->target.offset;
    step.target_bytes = transfer->target.size_bytes;
    if (transfer->with != NULL) {
      step.reduces = true;
      step.with_buffer = (uint8_t)transfer->with->buffer;
      step.with_offset = transfer->with->offset;
    }
  }
  if (step.send_to != COLLECTIVE_NONE || step.receive_from != COLLECTIVE_NONE) {
    add_step(builder, &step);
  }
}

static collective_step_t local(collective_step_kind_t kind, collective_region_t target,
                               collective_region_t source) {
  return (collective_step_t){.kind = (uint8_t)kind,
                             .send_to = COLLECTIVE_NONE,
                             .receive_from = COLLECTIVE_NONE,
                             .source_buffer = (uint8_t)source.buffer,
                             .source_offset = source.offset,
                             .source_bytes = source.size_bytes,
                             .target_buffer = (uint8_t)target.buffer,
                             .target_offset = target.offset,
                             .target_bytes = target.size_bytes};
}

void collective_add_copy(collective_builder_t *builder, collective_region_t target,
                         collective_region_t source) {
  const collective_step_t step = local(COLLECTIVE_COPY, target, source);
  if (target.size_bytes > 0) {
    add_step(builder, &step);
  }
}

void collective_add_reduce(collective_builder_t *builder, collective_region_t target,
                           collective_region_t source, collective_region_t with) {
  collective_step_t step = local(COLLECTIVE_REDUCE, target, source);
  step.with_buffer = (uint8_t)with.buffer;
  step.with_offset = with.offset;
  if (target.size_bytes > 0) {
    add_step(builder, &step);
  }
}

void collective_add_zero(collective_builder_t *builder, collective_region_t target) {
  const collective_step_t step =
      local(COLLECTIVE_ZERO, target, (collective_region_t){.size_bytes = 0});
  if (target.size_bytes > 0) {
    add_step(builder, &step);
  }
}

void collective_add_reorder(collective_builder_t *builder, collective_region_t target,
                            collective_region_t source,
                            const collective_reorder_t *reorder) {
  if (target.size_bytes == 0) {
    return;
  }
  collective_step_t step = local(COLLECTIVE_REORDER, target, source);
  step.with_offset = builder->reorders.count;
  *pod_list_add(&builder->reorders) = *reorder;
  add_step(builder, &step);
}

int64_t collective_add_scratch(collective_builder_t *builder, int64_t size_bytes) {
  const int64_t offset = builder->scratch_bytes;
  builder->scratch_bytes += (size_bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
  return offset;
}

collective_cut_t collective_cut(const collective_plan_t *plan, int64_t elements,
                                int64_t parts) {
  const bool is_long = elements / parts >= ALIGNED_PART_BYTES / plan->element_bytes;
  const int64_t unit = is_long ? LINE_BYTES / plan->element_bytes : 1;
  const int64_t units = (elements + unit - 1) / unit;
  return (collective_cut_t){
      .elements = elements, .unit = unit, .whole = units / parts, .rest = units % parts};
}

collective_part_t collective_cut_at(const collective_cut_t *cut, int64_t index) {
  const int64_t rest = cut->rest;
  const int64_t first = cut->whole * index + (index < rest ? index : rest);
  const int64_t next = first + cut->whole + (index < rest ? 1 : 0);
  const int64_t start =
      first * cut->unit < cut->elements ? first * cut->unit : cut->elements;
  const int64_t end = next * cut->unit < cut->elements ? next * cut->unit : cut->elements;
  return (collective_part_t){.start = start, .count = end - start};
}

collective_part_t collective_split(const collective_plan_t *plan, int64_t elements,
                                   int64_t parts, int64_t index) {
  const collective_cut_t cut = collective_cut(plan, elements, parts);
  return collective_cut_at(&cut, index);
}

collective_region_t collective_region(const collective_plan_t *plan,
                                      collective_buffer_t buffer, int64_t start,
                                      int64_t count) {
  return (collective_region_t){.buffer = buffer,
                               .offset = start * plan->element_bytes,
                               .size_bytes = count * plan->element_bytes};
}

int32_t collective_segments(const collective_plan_t *plan, int64_t elements,
                            int64_t chunks) {
  if (!plan->cuts) {
    return 1;
  }
  const int64_t segments = elements * plan->element_bytes / chunks / SEGMENT_BYTES;
  return (int32_t)(segments < 1 ? 1
                                : (segments > SEGMENTS_MAX ? SEGMENTS_MAX : segments));
}

int32_t collective_chip_at(const collective_plan_t *plan, int64_t position) {
  const int64_t size = plan->group->size;
  const int64_t at = ((position % size) + size) % size;
  return (int32_t)plan->group->chips[plan->group->order.order[at]];
}
