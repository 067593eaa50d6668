// First the clients work while faults happen; then everything is mended, and the pod must
// do all that it should within a bound; then it is told to end, and nothing may be left.

#include "tests/simulation/run.h"

#include "server/worker/host_memory.h"
#include "tests/simulation/client.h"
#include "tests/simulation/files.h"
#include "tests/simulation/pod.h"
#include "tests/simulation/runners.h"

enum {
  LOOK_MS = 500,
  AGAIN_MS = 20,
  AMID_MS_MAX = 300,
  WORK_S_MAX = 600,
  CHECK_S_MAX = 300,
  END_S_MAX = 60,
};

typedef struct fault_t {
  const plan_item_t *item;
} fault_t;

static bool is_over;  // The time of faults.
static int64_t disk_pause_ns;

// --- Faults ---

static process_t *process_of(int daemon) {
  if (daemon >= PLAN_TARGET_CLIENT) {
    return clients_process(daemon - PLAN_TARGET_CLIENT);
  }
  return daemon < 0 ? NULL : pod_process(daemon);
}

static void let_continue(void *context) {
  process_t *process = process_at((int)(intptr_t)context);
  if (process != NULL && process->is_stopped && !process->is_killed) {
    machine_trace("%s goes on", process->name);
    process_continue(process);
  }
}

static void stop(const plan_item_t *item) {
  process_t *process = process_of(item->target);
  if (process != NULL && !process->is_stopped) {
    machine_trace("%s is stopped", process->name);
    process_stop(process);
    (void)machine_at(machine_now_ns() + item->wait_ns, let_continue,
                     (void *)(intptr_t)process->index);
  }
}

static void heal(void *context) {
  const intptr_t both = (intptr_t)context;
  const process_t *a = process_at((int)(both & 0xffff));
  const process_t *b = process_at((int)(both >> 16));
  if (a != NULL && b != NULL) {
    machine_trace("%s and %s reach each other again", a->name, b->name);
    net_heal(a, b);
  }
}

static void part(const plan_item_t *item) {
  const process_t *a = process_of(item->target);
  const process_t *b = process_of(item->other);
  if (a != NULL && b != NULL) {
    machine_trace("%s and %s do not reach each other", a->name, b->name);
    net_part(a, b);
    (void)machine_at(machine_now_ns() + item->wait_ns, heal,
                     (void *)(intptr_t)(a->index | b->index << 16));
  }
}

static void kill_at_disk(process_t *process) {
  if (is_over) {
    return;
  }
  if (process == pod_process(0)) {
    pod_kill(0, disk_pause_ns);
  } else {
    runners_kill(process);
  }
}

static void kill_coordinator(void *context) {
  const plan_item_t *item = context;
  if (!is_over) {
    pod_kill(0, item->wait_ns);
  }
}

static void strike(void *context) {
  const plan_item_t *item = context;
  if (is_over) {
    return;
  }
  switch (item->kind) {
    case PLAN_CUT:
    case PLAN_SILENCE:
      (void)net_cut_one(process_of(item->target), item->kind == PLAN_SILENCE);
      break;
    case PLAN_PART:
      part(item);
      break;
    case PLAN_STOP:
      stop(item);
      break;
    case PLAN_KILL:
      pod_kill(item->target, item->wait_ns);
      break;
    case PLAN_TERMINATE:
      pod_terminate(item->target, item->wait_ns);
      break;
    case PLAN_KILL_JOB:
      if (!runners_kill_one()) {
        (void)machine_at(machine_now_ns() + AGAIN_MS * MS, strike, context);
      }
      break;
    case PLAN_KILL_AMID:
      if (runners_count(NULL) == 0) {
        (void)machine_at(machine_now_ns() + AGAIN_MS * MS, strike, context);
      } else {
        (void)machine_at(machine_now_ns() + machine_between(0, AMID_MS_MAX) * MS,
                         kill_coordinator, context);
      }
      break;
    case PLAN_KILL_DISK:
      disk_pause_ns = item->wait_ns;
      files_await(item->count, kill_at_disk);
      break;
    default:
      clients_kill(item->target);
      break;
  }
}

static void mend(void *context) {
  (void)context;
  machine_trace("from here on nothing disturbs the pod");
  is_over = true;
  net_heal_all();
  for (int i = 0; i < pod_daemon_count(); i++) {
    process_t *process = pod_process(i);
    if (process != NULL && process->is_stopped) {
      process_continue(process);
    }
  }
}

// --- The run ---

// False: it has failed.
static bool run_until(bool (*is_done)(void), int64_t seconds, const char *what) {
  const int64_t until_ns = machine_now_ns() + seconds * SECOND;
  while (machine_failure() == NULL && !is_done()) {
    if (machine_now_ns() > until_ns) {
      machine_fail("%s within %lld s", what, (long long)seconds);
    }
    (void)machine_run(machine_now_ns() + LOOK_MS * MS);
    clients_check_bounds();
  }
  return machine_failure() == NULL;
}

static bool carry_out(const plan_t *plan) {
  const int64_t start_ns = machine_now_ns();
  is_over = false;
  pod_start(plan->x, plan->y, plan->is_spread, plan->hbm_bytes, plan->has_jobs);
  clients_start(plan);
  for (int i = 0; i < plan->item_count; i++) {
    const plan_item_t *item = &plan->items[i];
    if (plan_is_fault(item) && !item->is_left_out) {
      (void)machine_at(start_ns + item->at_ns, strike, (void *)(uintptr_t)item);
    }
  }
  (void)machine_at(start_ns + plan->faults_end_ns, mend, NULL);
  if (!run_until(clients_are_done, WORK_S_MAX, "the clients have not ended")) {
    return false;
  }
  if (!is_over) {
    (void)machine_run(start_ns + plan->faults_end_ns + MS);
  }
  clients_start_checker();
  if (!run_until(clients_are_done, CHECK_S_MAX, "the checker has not ended")) {
    return false;
  }
  pod_shut_down();
  return run_until(pod_has_ended, END_S_MAX, "the daemons have not ended");
}

void run_plan(const plan_t *plan, run_result_t *out_result) {
  machine_reset(plan->seed);
  runners_reset();
  net_reset(&plan->net);
  machine_set_pauses(plan->interrupted_once_in, plan->pause_ns_max);
  files_set_delay(plan->disk_ns_max);
  // Blocks that a worker of the run before has kept would be seen in this one.
  host_memory_trim();
  host_memory_trim();
  const int64_t start_ns = machine_now_ns();
  (void)carry_out(plan);
  *out_result = (run_result_t){.failure = machine_failure(),
                               .hash = machine_hash(),
                               .slices = machine_slices(),
                               .seconds = (double)(machine_now_ns() - start_ns) / 1e9};
}
