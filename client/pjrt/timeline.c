// Executions are laid out first, in the order in which they were dispatched; then what
// they and the buffers take of the HBM is gone through in order of time.

#include "client/pjrt/timeline.h"

#include <stdlib.h>

#include "client/profile/sums.h"
#include "common/base/list.h"
#include "common/base/memory.h"

// Between executions of a chip: XProf counts what begins where a step ends to that step.
#define GAP_PS INT64_C(1000)

typedef struct chip_t {
  int number;
  bool has_change;
  int64_t free_ps;  // When it is done with what it was given.
  int64_t busy_ps;
  int64_t in_use_bytes, reserved_bytes, peak_bytes;
} chip_t;

// Something that happens to a chip's memory: a program comes or goes (`program`), or a
// buffer (`change`).
typedef struct moment_t {
  int chip;
  int64_t at_ps, order;
  int64_t size_bytes, step, hbm_bytes;
  const timeline_program_t *program;
  const timeline_change_t *change;
} moment_t;

typedef struct layout_t {
  const timeline_t *timeline;
  xplane_space_t *space;
  POD_LIST(chip_t) chips;
  POD_LIST(moment_t) moments;
} layout_t;

static chip_t *chip_of(layout_t *layout, int number) {
  for (int32_t i = 0; i < layout->chips.count; i++) {
    if (layout->chips.items[i].number == number) {
      return &layout->chips.items[i];
    }
  }
  chip_t *chip = pod_list_add(&layout->chips);
  *chip = (chip_t){.number = number};
  return chip;
}

static int64_t ps_of(const layout_t *layout, int64_t at_ns) {
  const int64_t ns = at_ns - layout->timeline->begin_ns;
  return ns < 0 ? 0 : ns * 1000;
}

static int64_t end_on(const podium_profile_t *profile, int chip) {
  return profile->classes[profile->class_of_chip[chip]].end_ps;
}

// --- Steps ---

static int64_t time_of(const timeline_t *timeline, const timeline_program_t *program) {
  int64_t sum_ps = 0;
  for (int i = 0; i < timeline->execution_count; i++) {
    if (timeline->executions[i].program == program) {
      sum_ps += timeline->executions[i].profile->step_ps;
    }
  }
  return sum_ps;
}

// NULL: nothing ran.
static const timeline_program_t *program_of_steps(const timeline_t *timeline) {
  const timeline_program_t *dearest = NULL;
  int64_t most_ps = -1;
  POD_LIST(const timeline_program_t *) seen = {0};
  for (int i = 0; i < timeline->execution_count; i++) {
    const timeline_program_t *program = timeline->executions[i].program;
    int32_t at = 0;
    while (at < seen.count && seen.items[at] != program) {
      at++;
    }
    if (at < seen.count) {
      continue;
    }
    *pod_list_add(&seen) = program;
    const int64_t sum_ps = time_of(timeline, program);
    if (sum_ps > most_ps) {
      most_ps = sum_ps;
      dearest = program;
    }
  }
  pod_list_deinit(&seen);
  return dearest;
}

static int most_devices(const timeline_t *timeline) {
  int most = 0;
  for (int i = 0; i < timeline->execution_count; i++) {
    const int count = timeline->executions[i].program->device_count;
    most = count > most ? count : most;
  }
  return most;
}

// --- Executions ---

static int64_t start_of(layout_t *layout, const timeline_execution_t *execution) {
  int64_t start_ps = ps_of(layout, execution->at_ns);
  for (int i = 0; i < execution->program->device_count; i++) {
    const int64_t free_ps = chip_of(layout, execution->program->devices[i])->free_ps;
    start_ps = free_ps > start_ps ? free_ps : start_ps;
  }
  return start_ps;
}

static void add_temporaries(layout_t *layout, const timeline_execution_t *execution,
                            int chip, int64_t at_ps, int64_t step, int sign) {
  const timeline_program_t *program = execution->program;
  if (program->temp_bytes > 0) {
    *pod_list_add(&layout->moments) = (moment_t){
        .chip = chip,
        .at_ps = at_ps,
        .order = layout->moments.count,
        .size_bytes = sign * program->temp_bytes,
        .step = step,
        .hbm_bytes = execution->profile->hbm_bytes,
        .program = program,
    };
  }
}

static void lay_execution(layout_t *layout, const timeline_execution_t *execution,
                          int64_t run, int64_t step) {
  const timeline_program_t *program = execution->program;
  const int64_t start_ps = start_of(layout, execution);
  for (int i = 0; i < program->device_count; i++) {
    const int chip = program->devices[i];
    const int64_t end_ps = start_ps + end_on(execution->profile, chip);
    xplane_add_execution(
        layout->space, &(xplane_execution_t){.program = program->number,
                                             .profile = execution->profile,
                                             .chip = chip,
                                             .start_ps = start_ps,
                                             .step = step,
                                             .run = run,
                                             .link = execution->link,
                                             .busy_ps = chip_of(layout, chip)->busy_ps});
    chip_of(layout, chip)->free_ps = end_ps + GAP_PS;
    chip_of(layout, chip)->busy_ps += end_ps - start_ps;
    add_temporaries(layout, execution, chip, start_ps, step, 1);
    add_temporaries(layout, execution, chip, end_ps, step, -1);
  }
}

static void lay_executions(layout_t *layout) {
  const timeline_t *timeline = layout->timeline;
  const timeline_program_t *stepping = program_of_steps(timeline);
  const int devices = most_devices(timeline);
  int64_t step = 0;
  for (int i = 0; i < timeline->execution_count; i++) {
    const timeline_execution_t *execution = &timeline->executions[i];
    const bool is_step = timeline->steps == XPLANE_STEPS_LINKED
                             ? execution->program->device_count == devices
                             : execution->program == stepping;
    lay_execution(layout, execution, 1 + i, is_step ? step++ : XPLANE_NO_STEP);
  }
}

// Shares of what the chips could have done while they ran something.
static void tell_utilization(layout_t *layout) {
  const timeline_t *timeline = layout->timeline;
  double flop = 0, flop_most = 0, bytes = 0, bytes_most = 0;
  for (int i = 0; i < timeline->execution_count; i++) {
    const podium_profile_t *profile = timeline->executions[i].profile;
    const profile_sums_t sums = profile_sums_of(profile);
    const double seconds =
        (double)profile->step_ps * 1e-12 * profile_chips_running(profile);
    flop += sums.flop;
    flop_most += seconds * profile->bf16_flop_per_s;
    bytes += sums.hbm_bytes;
    bytes_most += seconds * profile->hbm_bytes_per_s;
  }
  xplane_set_utilization(layout->space, 100 * profile_share(flop, flop_most),
                         100 * profile_share(bytes, bytes_most));
}

// --- Memory ---

static void add_changes(layout_t *layout) {
  const timeline_t *timeline = layout->timeline;
  for (int i = 0; i < timeline->change_count; i++) {
    const timeline_change_t *change = &timeline->changes[i];
    chip_t *chip = chip_of(layout, change->chip);
    if (!chip->has_change) {
      chip->has_change = true;
      chip->in_use_bytes = change->in_use_bytes - change->size_bytes;
    }
    *pod_list_add(&layout->moments) = (moment_t){
        .chip = change->chip,
        .at_ps = ps_of(layout, change->at_ns),
        .order = layout->moments.count,
        .size_bytes = change->size_bytes,
        .step = XPLANE_NO_STEP,
        .hbm_bytes = change->hbm_bytes,
        .change = change,
    };
  }
}

static int by_time(const void *left, const void *right) {
  const moment_t *a = left, *b = right;
  if (a->at_ps != b->at_ps) {
    return a->at_ps < b->at_ps ? -1 : 1;
  }
  return (a->order > b->order) - (a->order < b->order);
}

static void tell(layout_t *layout, const moment_t *moment) {
  chip_t *chip = chip_of(layout, moment->chip);
  const timeline_change_t *change = moment->change;
  if (change != NULL) {
    chip->in_use_bytes = change->in_use_bytes;
  } else {
    chip->reserved_bytes += moment->size_bytes;
  }
  const int64_t all_bytes = chip->in_use_bytes + chip->reserved_bytes;
  chip->peak_bytes = all_bytes > chip->peak_bytes ? all_bytes : chip->peak_bytes;
  xplane_add_memory(
      layout->space,
      &(xplane_memory_t){
          .chip = moment->chip,
          .at_ps = moment->at_ps,
          .size_bytes = moment->size_bytes,
          .address = change == NULL ? (uint64_t)moment->program->number : change->address,
          .name = change == NULL ? moment->program->name : "array",
          .kind = change == NULL ? "temporaries" : "buffer",
          .shape = change == NULL ? "" : change->shape,
          .allocated_bytes = chip->in_use_bytes,
          .reserved_bytes = chip->reserved_bytes,
          .peak_bytes = chip->peak_bytes,
          .hbm_bytes = moment->hbm_bytes,
          .step = moment->step,
      });
}

void timeline_lay_out(const timeline_t *timeline, xplane_space_t *space) {
  layout_t layout = {.timeline = timeline, .space = space};
  lay_executions(&layout);
  tell_utilization(&layout);
  add_changes(&layout);
  if (layout.moments.count > 0) {
    qsort(layout.moments.items, (size_t)layout.moments.count, sizeof(moment_t), by_time);
  }
  for (int32_t i = 0; i < layout.moments.count; i++) {
    tell(&layout, &layout.moments.items[i]);
  }
  pod_list_deinit(&layout.chips);
  pod_list_deinit(&layout.moments);
}
