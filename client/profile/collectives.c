// From the program's collectives to the tasks that carry them out.

#include "client/profile/collectives.h"

#include <stdlib.h>
#include <string.h>

#include "client/profile/sums.h"

// Of the class that ends last.
typedef struct run_tasks_t {
  const podium_task_total_t **totals;  // By task; NULL: it did not run.
  const int *task_of;                  // By instruction; -1: none that flies.
} run_tasks_t;

static bool flies(const podium_task_t *task) {
  return task->kind == PODIUM_TASK_COLLECTIVE ||
         task->kind == PODIUM_TASK_COLLECTIVE_START;
}

static run_tasks_t find_tasks(pod_arena_t *arena, const podium_program_info_t *info,
                              const podium_profile_t *profile) {
  run_tasks_t tasks = {0};
  const podium_chip_class_t *slowest = profile_sums_of(profile).slowest;
  tasks.totals =
      pod_arena_array(arena, (size_t)profile->task_count + 1, sizeof(tasks.totals[0]));
  for (int i = 0; i < slowest->total_count; i++) {
    const podium_task_total_t *total = &slowest->totals[i];
    tasks.totals[total->task] = total;
  }
  int *task_of =
      pod_arena_array(arena, (size_t)info->instruction_count + 1, sizeof(task_of[0]));
  for (int i = 0; i < info->instruction_count; i++) {
    task_of[i] = -1;
  }
  for (int t = 0; t < profile->task_count; t++) {
    const podium_task_t *task = &profile->tasks[t];
    for (int m = 0; flies(task) && m < task->member_count; m++) {
      if (task->members[m] >= 0 && task->members[m] < info->instruction_count) {
        task_of[task->members[m]] = t;
      }
    }
  }
  tasks.task_of = task_of;
  return tasks;
}

// What the core did between `start` and `done`, for as long as it did.
static void find_behind(const podium_profile_t *profile, const run_tasks_t *tasks,
                        int start, int done, profile_collective_t *row) {
  int64_t longest_ps = 0;
  int count = 0;
  for (int t = start + 1; t < done; t++) {
    const podium_task_total_t *total = tasks->totals[t];
    const podium_task_t *task = &profile->tasks[t];
    if (total == NULL || flies(task) || total->duration_ps <= total->waiting_ps) {
      continue;
    }
    count++;
    const int64_t worked_ps = total->duration_ps - total->waiting_ps;
    if (worked_ps > longest_ps) {
      longest_ps = worked_ps;
      row->behind = task;
    }
  }
  row->behind_more = count > 0 ? count - 1 : 0;
}

static profile_collective_t times_of(const podium_profile_t *profile,
                                     const run_tasks_t *tasks, int task) {
  profile_collective_t row = {.task = task};
  const podium_task_total_t *total = tasks->totals[task];
  if (total == NULL) {
    return row;
  }
  const int done = profile->tasks[task].partner;
  const bool is_apart = profile->tasks[task].kind == PODIUM_TASK_COLLECTIVE_START &&
                        done >= 0 && done < profile->task_count;
  row.run_count = total->run_count;
  row.flight_ps = total->flight_ps;
  row.exposed_ps = total->waiting_ps;
  if (is_apart && tasks->totals[done] != NULL) {
    row.exposed_ps += tasks->totals[done]->waiting_ps;
  }
  if (!is_apart || row.exposed_ps > row.flight_ps) {
    row.exposed_ps = row.flight_ps;
  }
  if (row.exposed_ps < row.flight_ps) {
    find_behind(profile, tasks, task, done, &row);
  }
  return row;
}

typedef struct named_t {
  const char *name;
  int index;
} named_t;

static int by_name(const void *left, const void *right) {
  return strcmp(((const named_t *)left)->name, ((const named_t *)right)->name);
}

profile_collective_t *profile_collectives_of(pod_arena_t *arena,
                                             const podium_program_info_t *info,
                                             const podium_profile_t *profile) {
  profile_collective_t *rows =
      pod_arena_array(arena, (size_t)info->collective_count + 1, sizeof(*rows));
  for (int i = 0; i < info->collective_count; i++) {
    rows[i].task = -1;
  }
  if (profile == NULL || profile->class_count == 0) {
    return rows;
  }
  const run_tasks_t tasks = find_tasks(arena, info, profile);
  const size_t count = (size_t)info->instruction_count;
  named_t *names = pod_arena_array(arena, count + 1, sizeof(*names));
  for (int i = 0; i < info->instruction_count; i++) {
    names[i] = (named_t){info->instructions[i].name, i};
  }
  qsort(names, count, sizeof(*names), by_name);
  for (int i = 0; i < info->collective_count; i++) {
    const named_t wanted = {info->collectives[i].name, 0};
    const named_t *found = bsearch(&wanted, names, count, sizeof(*names), by_name);
    if (found != NULL && tasks.task_of[found->index] >= 0) {
      rows[i] = times_of(profile, &tasks, tasks.task_of[found->index]);
    }
  }
  return rows;
}

const char *profile_behind_text(pod_arena_t *arena, const podium_program_info_t *info,
                                const podium_task_t *behind, int behind_more) {
  if (behind == NULL) {
    return NULL;
  }
  const char *title = profile_task_title(arena, info, behind);
  return behind_more == 0 ? title
                          : pod_arena_printf(arena, "%s and %d more", title, behind_more);
}
