// Run-length lists: equal turns in a row are one entry.

#include "server/program/trace.h"

#include <stdlib.h>

#include "common/base/memory.h"

void chip_trace_init(chip_trace_t *trace, const chip_program_t *program) {
  *trace = (chip_trace_t){
      .instruction_count = program->instruction_count,
      .lists = pod_alloc((size_t)program->instruction_count * sizeof(*trace->lists)),
  };
}

void chip_trace_deinit(chip_trace_t *trace) {
  for (int32_t i = 0; i < trace->instruction_count; i++) {
    pod_list_deinit(&trace->lists[i]);
  }
  free(trace->lists);
  *trace = (chip_trace_t){0};
}

bool chip_trace_add(chip_trace_t *trace, int32_t instruction, int64_t value) {
  chip_trace_list_t *list = &trace->lists[instruction];
  if (list->count > 0 && list->items[list->count - 1].value == value &&
      list->items[list->count - 1].repeat < INT64_MAX) {
    list->items[list->count - 1].repeat++;
    return true;
  }
  if (trace->run_count == CHIP_TRACE_RUNS_MAX) {
    return false;
  }
  *pod_list_add(list) = (chip_trace_run_t){.value = value, .repeat = 1};
  trace->run_count++;
  return true;
}

bool chip_trace_equal(const chip_trace_t *a, const chip_trace_t *b) {
  if (a->instruction_count != b->instruction_count || a->run_count != b->run_count) {
    return false;
  }
  for (int32_t i = 0; i < a->instruction_count; i++) {
    const chip_trace_list_t *x = &a->lists[i];
    const chip_trace_list_t *y = &b->lists[i];
    if (x->count != y->count) {
      return false;
    }
    for (int32_t run = 0; run < x->count; run++) {
      if (x->items[run].value != y->items[run].value ||
          x->items[run].repeat != y->items[run].repeat) {
        return false;
      }
    }
  }
  return true;
}

bool chip_trace_next(const chip_trace_list_t *list, chip_trace_cursor_t *cursor,
                     int64_t *out_value) {
  while (cursor->run < list->count && cursor->used >= list->items[cursor->run].repeat) {
    cursor->run++;
    cursor->used = 0;
  }
  if (cursor->run >= list->count) {
    return false;
  }
  cursor->used++;
  *out_value = list->items[cursor->run].value;
  return true;
}
