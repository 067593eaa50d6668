// Totals by instruction, and a list of single events as long as there is room.

#include "server/program/profile.h"

#include "common/base/memory.h"

#include <stdlib.h>

void chip_profile_init(chip_profile_t *profile, const chip_program_t *program,
                       int32_t chip) {
  *profile = (chip_profile_t){.chip = chip, .total_count = program->instruction_count};
  profile->totals =
      pod_alloc((size_t)program->instruction_count * sizeof(*profile->totals));
  chip_trace_init(&profile->trace, program);
}

void chip_profile_deinit(chip_profile_t *profile) {
  free(profile->totals);
  pod_list_deinit(&profile->events);
  chip_trace_deinit(&profile->trace);
  *profile = (chip_profile_t){0};
}

static void keep_event(chip_profile_t *profile, const chip_event_t *event) {
  if (profile->events.count == CHIP_EVENTS_MAX) {
    profile->events_dropped++;
    return;
  }
  *pod_list_add(&profile->events) = *event;
}

void chip_profile_add(chip_profile_t *profile, const chip_event_t *event) {
  chip_total_t *total = &profile->totals[event->instruction];
  total->run_count++;
  total->host_ns += event->host_ns;
  keep_event(profile, event);
}

void chip_profile_trace(chip_profile_t *profile, int32_t instruction, int64_t value) {
  if (!profile->is_trace_cut) {
    profile->is_trace_cut = !chip_trace_add(&profile->trace, instruction, value);
  }
}
