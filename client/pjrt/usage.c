// What the executables of a process did, for `podium exec`, which names a file in
// PODIUM_REPORT: a line each, fields separated by tabs:
//   name, calls, predicted picoseconds of one, of these waiting, collectives in it, peak
//   bytes of HBM, products' FLOP of one, their rate in FLOP/s at the chip's peak
// Times are -1 when the pod cannot tell them any more.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/pjrt/plugin.h"

static podium_profile_t *profile_of(PJRT_Executable *executable) {
  podium_profile_t *profile = NULL;
  podium_status_t *status = podium_profile(executable->last->execution, NULL, &profile);
  if (status != NULL) {
    podium_status_free(status);
    status = podium_simulate(executable->program, NULL, &profile);
  }
  podium_status_free(status);
  return status == NULL ? profile : NULL;
}

static void write_line(FILE *file, PJRT_Executable *executable) {
  const podium_program_info_t *info = executable->info;
  podium_profile_t *profile = profile_of(executable);
  int64_t waiting_ps = -1;
  double flop = 0;
  if (profile != NULL) {
    const podium_chip_class_t *chip = &profile->classes[profile->class_of_chip[0]];
    waiting_ps = chip->waiting_ps;
    for (int i = 0; i < chip->total_count; i++) {
      flop += (double)chip->totals[i].run_count *
              (double)profile->tasks[chip->totals[i].task].mxu_flop;
    }
  }
  fprintf(file, "%s\t%lld\t%lld\t%lld\t%d\t%lld\t%.0f\t%.0f\n", info->name,
          (long long)atomic_load(&executable->call_count),
          profile == NULL ? -1LL : (long long)profile->step_ps, (long long)waiting_ps,
          info->collective_count, (long long)info->hbm_peak_bytes, flop,
          profile == NULL ? 0 : profile->bf16_flop_per_s);
  podium_profile_free(profile);
}

void pjrt_usage_tell(PJRT_Executable *executable) {
  const char *path = getenv("PODIUM_REPORT");
  if (path == NULL || *path == '\0' || atomic_load(&executable->call_count) == 0) {
    return;
  }
  FILE *file = fopen(path, "ae");
  if (file != NULL) {
    write_line(file, executable);
    fclose(file);
  }
  atomic_store(&executable->call_count, 0);
}

// --- Those that are alive when the process ends ---

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static PJRT_Executable *alive;  // Guarded by `mutex`.

void pjrt_usage_add(PJRT_Executable *executable) {
  pthread_mutex_lock(&mutex);
  executable->next = alive;
  executable->link = &alive;
  if (alive != NULL) {
    alive->link = &executable->next;
  }
  alive = executable;
  pthread_mutex_unlock(&mutex);
}

void pjrt_usage_remove(PJRT_Executable *executable) {
  pthread_mutex_lock(&mutex);
  *executable->link = executable->next;
  if (executable->next != NULL) {
    executable->next->link = executable->link;
  }
  pthread_mutex_unlock(&mutex);
  pjrt_usage_tell(executable);
}

__attribute__((destructor)) static void tell_all(void) {
  pthread_mutex_lock(&mutex);
  for (PJRT_Executable *at = alive; at != NULL; at = at->next) {
    pjrt_usage_tell(at);
  }
  pthread_mutex_unlock(&mutex);
}
