// cost_analysis(): what the simulated pod says of the program, under XLA's names.

#include <stdlib.h>
#include <string.h>

#include "client/pjrt/plugin.h"
#include "client/profile/sums.h"
#include "common/base/memory.h"

enum { COSTS = 3 };

static PJRT_NamedValue number(const char *name, double value) {
  return (PJRT_NamedValue){.struct_size = sizeof(PJRT_NamedValue),
                           .name = name,
                           .name_size = strlen(name),
                           .type = PJRT_NamedValue_kFloat,
                           .float_value = (float)value,
                           .value_size = 1};
}

// Of one chip, as XLA counts: of that which ends last.
static void sum(const podium_profile_t *profile, PJRT_NamedValue costs[COSTS]) {
  const podium_chip_class_t *chip = profile_sums_of(profile).slowest;
  double flop = 0;
  double bytes = 0;
  for (int i = 0; i < chip->total_count; i++) {
    const podium_task_t *task = &profile->tasks[chip->totals[i].task];
    const double runs = (double)chip->totals[i].run_count;
    flop += runs * (double)(task->mxu_flop + task->vpu_op);
    bytes += runs * (double)(task->hbm_read_bytes + task->hbm_written_bytes);
  }
  costs[0] = number("flops", flop);
  costs[1] = number("bytes accessed", bytes);
  costs[2] = number("optimal_seconds", (double)profile->step_ps * 1e-12);
}

PJRT_Error *executable_cost_analysis(PJRT_Executable_GetCostAnalysis_Args *args) {
  PJRT_Executable *executable = args->executable;
  pthread_mutex_lock(&executable->mutex);
  pod_status_t status = NULL;
  if (executable->costs == NULL) {
    podium_profile_t *profile;
    status = pjrt_status(podium_simulate(executable->program, NULL, &profile));
    if (status == NULL) {
      executable->costs = pod_alloc(COSTS * sizeof(*executable->costs));
      sum(profile, executable->costs);
      podium_profile_free(profile);
    }
  }
  args->properties = executable->costs;
  args->num_properties = COSTS;
  pthread_mutex_unlock(&executable->mutex);
  return pjrt_error(status);
}
