// Totals by instruction, and a list of single events as long as there is room.

#include "server/program/profile.h"

#include "common/base/memory.h"

#include <stdlib.h>

enum { EVENTS_FIRST = 256 };

void chip_profile_init(chip_profile_t *profile, const chip_program_t *program,
                       int32_t chip) {
  *profile = (chip_profile_t){.chip = chip, .total_count = program->instruction_count};
  profile->totals =
      pod_alloc((size_t)program->instruction_count * sizeof(*profile->totals));
  chip_trace_init(&profile->trace, program);
}

void chip_profile_deinit(chip_profile_t *profile) {
  free(profile->totals);
  free(profile->events);
  chip_trace_deinit(&profile->trace);
  *profile = (chip_profile_t){0};
}

// Events grow by doubling, so that a short program does not pay for a long one's room.
static void keep_event(chip_profile_t *profile, const chip_event_t *event) {
  const int32_t count = profile->event_count;
  if (count == CHIP_EVENTS_MAX) {
    profile->events_dropped++;
    return;
  }
  const bool is_full =
      count == 0 || (count >= EVENTS_FIRST && (count & (count - 1)) == 0);
  if (is_full) {
    const size_t capacity = count == 0 ? EVENTS_FIRST : 2 * (size_t)count;
    profile->events = pod_grow(profile->events, capacity, sizeof(*profile->events));
  }
  profile->events[profile->event_count++] = *event;
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
