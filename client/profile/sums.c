// Tasks of one name are brought together by sorting, so that a program of a hundred
// thousand tasks is summed as quickly as it is listed.

#include "client/profile/sums.h"

#include <stdlib.h>
#include <string.h>

double profile_share(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

double profile_task_hbm_bytes(const podium_task_t *task) {
  return (double)task->hbm_read_bytes + (double)task->hbm_written_bytes;
}

bool profile_task_is_control(const podium_task_t *task) {
  return task->kind == PODIUM_TASK_WHILE || task->kind == PODIUM_TASK_BRANCH;
}

int profile_chips_running(const podium_profile_t *profile) {
  int count = 0;
  for (int c = 0; c < profile->class_count; c++) {
    count += profile->classes[c].end_ps > 0 ? profile->classes[c].chip_count : 0;
  }
  return count > 0 ? count : profile->chip_count;  // A program that does nothing.
}

// FLOP that the pod could have done during the step.
static double flop_possible(const podium_profile_t *profile) {
  return profile->bf16_flop_per_s * (double)profile->step_ps / 1e12 *
         profile_chips_running(profile);
}

profile_sums_t profile_sums_of(const podium_profile_t *profile) {
  profile_sums_t sums = {.slowest = &profile->classes[0]};
  double again = 0;
  bool is_known = true;
  for (int i = 0; i < profile->class_count; i++) {
    const podium_chip_class_t *class = &profile->classes[i];
    if (class->end_ps > sums.slowest->end_ps) {
      sums.slowest = class;
    }
    for (int t = 0; t < class->total_count; t++) {
      const podium_task_t *task = &profile->tasks[class->totals[t].task];
      const double runs = (double)class->totals[t].run_count * class->chip_count;
      sums.flop += runs * (double)task->mxu_flop;
      again += runs * (double)task->recomputed_flop;
      is_known = is_known && task->recomputed_flop >= 0;
      sums.busy_flop += runs * (double)task->mxu_busy_flop;
      sums.hbm_bytes += runs * profile_task_hbm_bytes(task);
    }
  }
  sums.hfu = profile_share(sums.flop, flop_possible(profile));
  sums.model_flop = is_known && sums.flop > 0 ? sums.flop - again : -1;
  return sums;
}

double profile_mfu(const podium_profile_t *profile, double model_flop) {
  const double flop = model_flop > 0 ? model_flop : profile_sums_of(profile).model_flop;
  return flop < 0 ? -1 : profile_share(flop, flop_possible(profile));
}

// --- What was waited for ---

const char *profile_wait_name(profile_wait_t wait) {
  static const char *const names[PROFILE_WAIT_COUNT] = {"MXU", "VPU",  "HBM",  "ICI",
                                                        "DMA", "PCIe", "fixed"};
  return names[wait];
}

static profile_wait_t wait_of(podium_bound_t bound) {
  switch (bound) {
    case PODIUM_BOUND_MXU:
      return PROFILE_WAIT_MXU;
    case PODIUM_BOUND_VPU:
      return PROFILE_WAIT_VPU;
    case PODIUM_BOUND_HBM:
      return PROFILE_WAIT_HBM;
    case PODIUM_BOUND_ICI:
      return PROFILE_WAIT_ICI;
    case PODIUM_BOUND_NONE:
    case PODIUM_BOUND_FIXED:
      break;
  }
  return PROFILE_WAIT_FIXED;
}

// What a task that waits waits for.
static profile_wait_t awaited_by(podium_task_kind_t kind) {
  switch (kind) {
    case PODIUM_TASK_PREFETCH_START:
    case PODIUM_TASK_PREFETCH_DONE:
      return PROFILE_WAIT_DMA;
    case PODIUM_TASK_TRANSFER_START:
    case PODIUM_TASK_TRANSFER_DONE:
      return PROFILE_WAIT_PCIE;
    default:
      return PROFILE_WAIT_ICI;
  }
}

const char *profile_total_bound(const podium_profile_t *profile,
                                const podium_task_total_t *total) {
  const profile_wait_t wait = awaited_by(profile->tasks[total->task].kind);
  const bool waits = 2 * total->waiting_ps > total->duration_ps;
  return waits && wait != PROFILE_WAIT_ICI ? profile_wait_name(wait)
                                           : podium_bound_name(total->bound);
}

void profile_waits_of(const podium_profile_t *profile, const podium_chip_class_t *class,
                      int64_t out_ps[PROFILE_WAIT_COUNT]) {
  memset(out_ps, 0, PROFILE_WAIT_COUNT * sizeof(*out_ps));
  int64_t left_ps = class->compute_ps + class->waiting_ps;
  for (int i = 0; i < class->total_count; i++) {
    const podium_task_total_t *total = &class->totals[i];
    const podium_task_t *task = &profile->tasks[total->task];
    if (profile_task_is_control(task)) {
      continue;
    }
    out_ps[awaited_by(task->kind)] += total->waiting_ps;
    out_ps[wait_of(total->bound)] += total->duration_ps - total->waiting_ps;
    left_ps -= total->duration_ps;
  }
  // The launch and the turns of loops are nobody's.
  out_ps[PROFILE_WAIT_FIXED] += left_ps > 0 ? left_ps : 0;
}

// --- Names ---

static bool is_product(const char *op) {
  return strcmp(op, "dot_general") == 0 || strcmp(op, "convolution") == 0;
}

const char *profile_task_operation(const podium_program_info_t *info,
                                   const podium_task_t *task) {
  if (task->kind != PODIUM_TASK_COMPUTE || task->mxu_flop == 0) {
    return task->op;
  }
  for (int i = 0; i < task->member_count; i++) {
    const int member = task->members[i];
    const bool is_known = member >= 0 && member < info->instruction_count;
    if (is_known && is_product(info->instructions[member].op)) {
      return info->instructions[member].op;
    }
  }
  return task->op;
}

const char *profile_task_title(pod_arena_t *arena, const podium_program_info_t *info,
                               const podium_task_t *task) {
  const char *op = profile_task_operation(info, task);
  const bool has_op = strncmp(task->name, op, strlen(op)) == 0;
  return has_op ? task->name : pod_arena_printf(arena, "%s %s", task->name, op);
}

const char *profile_source_line(pod_arena_t *arena, const char *source) {
  const char *column = strrchr(source, ':');
  if (column == NULL || column == source) {
    return source;
  }
  const size_t length = (size_t)(column - source);
  const char *line = pod_arena_text(arena, source, length);
  return strchr(line, ':') == NULL ? source : line;
}

// --- By name ---

static int by_name(const void *left, const void *right) {
  return strcmp(((const profile_sum_t *)left)->name,
                ((const profile_sum_t *)right)->name);
}

static int by_duration(const void *left, const void *right) {
  const profile_sum_t *a = left, *b = right;
  if (a->duration_ps != b->duration_ps) {
    return a->duration_ps < b->duration_ps ? 1 : -1;
  }
  return strcmp(a->name, b->name);
}

static profile_sum_t sum_of(pod_arena_t *arena, const podium_program_info_t *info,
                            const podium_task_t *task, const podium_task_total_t *total,
                            profile_sum_key_t key) {
  const double runs = (double)total->run_count;
  return (profile_sum_t){.name = key == PROFILE_BY_OPERATION
                                     ? profile_task_operation(info, task)
                                     : profile_source_line(arena, task->source),
                         .task_count = 1,
                         .run_count = total->run_count,
                         .duration_ps = total->duration_ps,
                         .waiting_ps = total->waiting_ps,
                         .ici_bytes = total->ici_bytes,
                         .flop = runs * (double)task->mxu_flop,
                         .hbm_bytes = runs * profile_task_hbm_bytes(task)};
}

static void add(profile_sum_t *sum, const profile_sum_t *more) {
  sum->task_count += more->task_count;
  sum->run_count += more->run_count;
  sum->duration_ps += more->duration_ps;
  sum->waiting_ps += more->waiting_ps;
  sum->ici_bytes += more->ici_bytes;
  sum->flop += more->flop;
  sum->hbm_bytes += more->hbm_bytes;
}

profile_sum_t *profile_sum_tasks(pod_arena_t *arena, const podium_program_info_t *info,
                                 const podium_profile_t *profile,
                                 const podium_chip_class_t *class, profile_sum_key_t key,
                                 int *out_count) {
  profile_sum_t *sums =
      pod_arena_array(arena, (size_t) class->total_count + 1, sizeof(*sums));
  size_t single = 0;
  for (int i = 0; i < class->total_count; i++) {
    const podium_task_total_t *total = &class->totals[i];
    const podium_task_t *task = &profile->tasks[total->task];
    if (!profile_task_is_control(task) && total->duration_ps > 0) {
      sums[single++] = sum_of(arena, info, task, total, key);
    }
  }
  qsort(sums, single, sizeof(*sums), by_name);
  size_t count = 0;
  for (size_t i = 0; i < single; i++) {
    if (count > 0 && strcmp(sums[count - 1].name, sums[i].name) == 0) {
      add(&sums[count - 1], &sums[i]);
    } else {
      sums[count++] = sums[i];
    }
  }
  qsort(sums, count, sizeof(*sums), by_duration);
  *out_count = (int)count;
  return sums;
}
