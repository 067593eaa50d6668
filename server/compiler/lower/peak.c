// The peak of the temporaries: the first instruction with most bytes alive, what these
// are, and which instruction wrote each.

#include <stdlib.h>

#include "common/base/memory.h"
#include "server/compiler/lower/lower.h"

static int32_t peak_of(const chip_program_t *program) {
  int32_t peak = CHIP_NONE;
  int64_t most = 0;
  for (int32_t i = 0; i < program->instruction_count; i++) {
    if (program->instructions[i].temp_live_bytes > most) {
      most = program->instructions[i].temp_live_bytes;
      peak = i;
    }
  }
  return peak;
}

// By class: the instruction that wrote it last up to `time`, else the first that does
// (what a loop hands on is written at its end).
static int32_t *find_writers(const lower_t *lower, const chip_program_t *program,
                             int32_t time) {
  int32_t *writers = pod_alloc((size_t)lower->vars.count * sizeof(*writers) + 1);
  int32_t *times = pod_alloc((size_t)lower->vars.count * sizeof(*times) + 1);
  for (int32_t i = 0; i < lower->vars.count; i++) {
    writers[i] = CHIP_NONE;
  }
  for (int32_t i = 0; i < program->instruction_count; i++) {
    const lower_node_t *node = &lower->nodes.items[lower->node_of[i]];
    for (int32_t r = 0; r < node->result_count; r++) {
      const int32_t var = lower->refs.items[node->refs + node->operand_count + r];
      const int32_t class = lower->vars.items[var].class;
      const bool is_first = writers[class] == CHIP_NONE;
      const bool is_before = node->time <= time, was_before = times[class] <= time;
      const bool is_better = is_before ? !was_before || node->time > times[class]
                                       : !was_before && node->time < times[class];
      if (is_first || is_better) {
        writers[class] = i;
        times[class] = node->time;
      }
    }
  }
  free(times);
  return writers;
}

static int by_size(const void *left, const void *right) {
  const chip_peak_t *a = left, *b = right;
  const int order = (a->size_bytes < b->size_bytes) - (a->size_bytes > b->size_bytes);
  return order != 0
             ? order
             : (a->instruction > b->instruction) - (a->instruction < b->instruction);
}

void lower_find_peak(const lower_t *lower, chip_program_t *program) {
  program->peak_instruction = peak_of(program);
  if (program->peak_instruction == CHIP_NONE) {
    return;
  }
  const int32_t time = lower->nodes.items[lower->node_of[program->peak_instruction]].time;
  packing_item_t *items = lower_class_items(lower);
  int32_t *writers = find_writers(lower, program, time);
  chip_peak_t *peaks = pod_alloc((size_t)lower->vars.count * sizeof(*peaks) + 1);
  size_t count = 0;
  for (int32_t i = 0; i < lower->vars.count; i++) {
    if (lower->vars.items[i].class == i && items[i].size_bytes > 0 &&
        items[i].first <= time && time <= items[i].last) {
      peaks[count++] = (chip_peak_t){writers[i], items[i].size_bytes};
    }
  }
  qsort(peaks, count, sizeof(*peaks), by_size);
  count = count < CHIP_PEAK_MAX ? count : CHIP_PEAK_MAX;
  program->peak_count = (int32_t)count;
  program->peaks = pod_arena_copy(program->arena, peaks, count * sizeof(*peaks));
  free(peaks);
  free(writers);
  free(items);
}
