// Schedules for people.

#include <inttypes.h>

#include "server/collective/schedule.h"

static void print_step(pod_text_t *text, const collective_step_t *step) {
  static const char *const kinds[] = {"transfer", "copy", "reduce", "zero", "reorder"};
  static const char *const buffers[] = {"input", "output", "scratch"};
  pod_text_printf(text, "  %s", kinds[step->kind]);
  if (step->kind == COLLECTIVE_TRANSFER) {
    pod_text_printf(text, " tag %d", step->tag);
  }
  if (step->send_to != COLLECTIVE_NONE) {
    pod_text_printf(text, ", send %" PRId64 " bytes of %s+%" PRId64 " to %d",
                    step->source_bytes, buffers[step->source_buffer], step->source_offset,
                    step->send_to);
  }
  if (step->receive_from != COLLECTIVE_NONE) {
    pod_text_printf(text, ", receive %" PRId64 " bytes from %d to %s+%" PRId64,
                    step->target_bytes, step->receive_from, buffers[step->target_buffer],
                    step->target_offset);
  }
  if (step->kind != COLLECTIVE_TRANSFER) {
    pod_text_printf(text, " %" PRId64 " bytes %s+%" PRId64 " from %s+%" PRId64,
                    step->target_bytes, buffers[step->target_buffer], step->target_offset,
                    buffers[step->source_buffer], step->source_offset);
  }
  if (step->reduces || step->kind == COLLECTIVE_REDUCE) {
    pod_text_printf(text, " with %s+%" PRId64, buffers[step->with_buffer],
                    step->with_offset);
  }
  pod_text_add(text, "\n");
}

void collective_schedule_print(pod_text_t *text, const collective_schedule_t *schedule) {
  pod_text_printf(
      text, "%s: input %" PRId64 ", output %" PRId64 ", scratch %" PRId64 " bytes\n",
      collective_algorithm_name(schedule->algorithm), schedule->input_bytes,
      schedule->output_bytes, schedule->scratch_bytes);
  for (int32_t i = 0; i < schedule->lane_count; i++) {
    const collective_lane_t *lane = &schedule->lanes[i];
    pod_text_printf(text, " lane %d", i);
    for (int a = 0; a < COLLECTIVE_AFTER_MAX; a++) {
      if (lane->after[a] != COLLECTIVE_NONE) {
        pod_text_printf(text, " after %d", lane->after[a]);
      }
    }
    pod_text_add(text, "\n");
    for (int32_t s = 0; s < lane->step_count; s++) {
      print_step(text, &schedule->steps[lane->first_step + s]);
    }
  }
}
