// What the executables of a process did, for `podium exec`, which names a file in
// PODIUM_REPORT: a line each, fields separated by tabs:
//   name, calls, predicted picoseconds of one, of these waiting, collectives in it, peak
//   bytes of HBM, products' FLOP of one, their rate in FLOP/s at the chip's peak,
//   nanoseconds for which the host waited for results of all calls, picoseconds of one by
//   what the core had them for (profile_wait_t)
// Times are -1 when the pod cannot tell them any more. What is of a chip is of the one
// that ends last.
//
// The host waits for an execution from when somebody asks whether its results are there
// until they are: however many ask for however many of them, it is one wait.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/pjrt/plugin.h"
#include "client/profile/sums.h"
#include "common/base/memory.h"

// Counted: an execution may end behind its executable.
struct usage_wait_t {
  atomic_int use_count;
  atomic_llong ns;
};

// Its time follows from the program, or, when loops turn as values say, is that of the
// last execution. What still runs when the process ends may never do, for want of the
// interpreter that it calls back.
enum { LAST_WAIT_MS = 10000 };

static podium_profile_t *profile_of(PJRT_Executable *executable) {
  podium_profile_t *profile = NULL;
  podium_status_t *status = podium_simulate(executable->program, NULL, &profile);
  if (status != NULL && future_wait_for(executable->last->done, LAST_WAIT_MS)) {
    podium_status_free(status);
    status = podium_profile(executable->last->execution, NULL, &profile);
  }
  podium_status_free(status);
  return status == NULL ? profile : NULL;
}

static double flop_of(const podium_profile_t *profile, const podium_chip_class_t *chip) {
  double flop = 0;
  for (int i = 0; i < chip->total_count; i++) {
    flop += (double)chip->totals[i].run_count *
            (double)profile->tasks[chip->totals[i].task].mxu_flop;
  }
  return flop;
}

static void write_line(FILE *file, PJRT_Executable *executable) {
  const podium_program_info_t *info = executable->info;
  podium_profile_t *profile = profile_of(executable);
  const podium_chip_class_t *chip =
      profile == NULL ? NULL : profile_sums_of(profile).slowest;
  int64_t waits_ps[PROFILE_WAIT_COUNT] = {0};
  if (chip != NULL) {
    profile_waits_of(profile, chip, waits_ps);
  }
  fprintf(file, "%s\t%lld\t%lld\t%lld\t%d\t%lld\t%.0f\t%.0f\t%lld", info->name,
          (long long)atomic_load(&executable->call_count),
          profile == NULL ? -1LL : (long long)profile->step_ps,
          chip == NULL ? -1LL : (long long)chip->waiting_ps, info->collective_count,
          (long long)info->hbm_peak_bytes, chip == NULL ? 0 : flop_of(profile, chip),
          profile == NULL ? 0 : profile->bf16_flop_per_s,
          (long long)atomic_load(&executable->host_wait->ns));
  for (int i = 0; i < PROFILE_WAIT_COUNT; i++) {
    fprintf(file, "\t%lld", (long long)waits_ps[i]);
  }
  fprintf(file, "\n");
  podium_profile_free(profile);
}

static const char *report_path(void) {
  const char *path = getenv("PODIUM_REPORT");
  return path == NULL || *path == '\0' ? NULL : path;
}

// What several processes run together is told by the one that has its first device.
static bool is_told(const PJRT_Executable *executable) {
  const podium_program_info_t *info = executable->info;
  return atomic_load(&executable->call_count) > 0 && info->own_count > 0 &&
         info->own[0] == 0;
}

void pjrt_usage_tell(PJRT_Executable *executable) {
  const char *path = report_path();
  if (path == NULL || !is_told(executable)) {
    return;
  }
  FILE *file = fopen(path, "ae");
  if (file != NULL) {
    write_line(file, executable);
    fclose(file);
  }
  atomic_store(&executable->call_count, 0);
}

// --- What the host waits for ---

static void release_wait(usage_wait_t *wait) {
  if (atomic_fetch_sub(&wait->use_count, 1) == 1) {
    free(wait);
  }
}

typedef struct follower_t {
  usage_wait_t *wait;
  future_t *done;
} follower_t;

static void on_done(void *context, pod_status_t status) {
  follower_t *follower = context;
  pod_status_free(status);
  atomic_fetch_add(&follower->wait->ns, future_waited_ns(follower->done));
  release_wait(follower->wait);
  future_release(follower->done);
  free(follower);
}

void pjrt_usage_follow(PJRT_Executable *executable, future_t *done) {
  if (report_path() == NULL) {
    return;
  }
  follower_t *follower = pod_alloc(sizeof(*follower));
  *follower = (follower_t){.wait = executable->host_wait, .done = future_retain(done)};
  atomic_fetch_add(&follower->wait->use_count, 1);
  future_then(done, on_done, follower);
}

// --- Those that are alive when the process ends ---

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static PJRT_Executable *alive;  // Guarded by `mutex`.

void pjrt_usage_add(PJRT_Executable *executable) {
  executable->host_wait = pod_alloc(sizeof(*executable->host_wait));
  atomic_init(&executable->host_wait->use_count, 1);
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
  release_wait(executable->host_wait);
}

__attribute__((destructor)) static void tell_all(void) {
  pthread_mutex_lock(&mutex);
  for (PJRT_Executable *at = alive; at != NULL; at = at->next) {
    pjrt_usage_tell(at);
  }
  pthread_mutex_unlock(&mutex);
}
