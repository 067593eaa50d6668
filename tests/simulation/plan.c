// Every kind of fault is in some seeds and not in others ("swarm testing": Groce et al.,
// ISSTA 2012): what always happens together hides what only happens alone.

#include "tests/simulation/plan.h"

#include <stdio.h>
#include <string.h>

#include "common/base/random.h"
#include "tests/simulation/pod.h"
#include "tests/simulation/programs.h"

enum {
  FAULTS_MAX = 16,
  WORK_MAX = 10,  // Of a client.
  JOBS_ONCE_IN = 3,
  JOB_FAULTS_MAX = 8,
  JOB_FAULTS_S_MAX = 5,
};

static const char *const names[PLAN_KIND_COUNT] = {
    "execute", "chain",    "cancel",    "deadline", "put",   "storm",      "large",
    "times",   "group",    "submit",    "resubmit", "await", "cancel-job", "reconnect",
    "pause",   "cut",      "silence",   "part",     "stop",  "kill",       "terminate",
    "vanish",  "kill-job", "kill-disk", "kill-amid"};

const char *plan_kind_name(plan_kind_t kind) {
  return names[kind];
}

bool plan_is_fault(const plan_item_t *item) {
  return item->kind >= PLAN_CUT;
}

bool plan_has_silence(const plan_t *plan) {
  for (int i = 0; i < plan->item_count; i++) {
    const plan_kind_t kind = plan->items[i].kind;
    if (!plan->items[i].is_left_out &&
        (kind == PLAN_SILENCE || kind == PLAN_PART || kind == PLAN_STOP)) {
      return true;
    }
  }
  return false;
}

static int64_t between(pod_random_t *random, int64_t least, int64_t most) {
  return least + (int64_t)pod_random_below(random, (uint64_t)(most - least) + 1);
}

// As many small ones as large ones.
static int64_t log_between(pod_random_t *random, int64_t least, int64_t most) {
  int64_t limit = least;
  while (limit < most && pod_random_below(random, 4) != 0) {
    limit *= 2;
  }
  return between(random, least, limit < most ? limit : most);
}

static plan_item_t *add(plan_t *plan, plan_kind_t kind) {
  plan_item_t *item = &plan->items[plan->item_count++];
  *item = (plan_item_t){.kind = kind, .target = -1};
  return item;
}

static void add_work(plan_t *plan, pod_random_t *random, int client, bool is_grouped) {
  static const plan_kind_t kinds[] = {
      PLAN_EXECUTE,  PLAN_EXECUTE, PLAN_EXECUTE,   PLAN_CHAIN, PLAN_CHAIN, PLAN_CANCEL,
      PLAN_DEADLINE, PLAN_PUT,     PLAN_RECONNECT, PLAN_STORM, PLAN_STORM, PLAN_LARGE,
      PLAN_TIMES,    PLAN_PAUSE,   PLAN_GROUP,     PLAN_GROUP};
  const int64_t count = between(random, 1, WORK_MAX);
  for (int64_t i = 0; i < count; i++) {
    plan_item_t *item =
        add(plan, kinds[pod_random_below(random, sizeof(kinds) / sizeof(kinds[0]))]);
    if (is_grouped && pod_random_below(random, 4) != 0) {
      item->kind = PLAN_GROUP;
    }
    item->client = client;
    item->program = (int)pod_random_below(random, PROGRAM_COUNT);
    item->count = (int)between(random, 2, 6);
    item->wait_ns = log_between(random, MS / 4, 3 * SECOND);
  }
}

static void add_fault(plan_t *plan, pod_random_t *random, plan_kind_t kind) {
  plan_item_t *item = add(plan, kind);
  const int daemons = 1 + plan->x * plan->y;
  item->at_ns = between(random, 0, plan->faults_end_ns);
  item->wait_ns = log_between(random, 20 * MS, 8 * SECOND);
  item->target = (int)pod_random_below(random, (uint64_t)daemons);
  item->other = (int)pod_random_below(random, (uint64_t)daemons);
  if (kind == PLAN_VANISH) {
    item->target = (int)pod_random_below(random, (uint64_t)plan->client_count);
  } else if (kind == PLAN_CUT || kind == PLAN_SILENCE) {
    item->target = (int)pod_random_below(random, (uint64_t)(2 * daemons));
    item->target = item->target < daemons ? item->target : -1;
    if (pod_random_below(random, 3) == 0) {
      item->target = PLAN_TARGET_CLIENT +
                     (int)pod_random_below(random, (uint64_t)plan->client_count);
    }
  } else if (kind == PLAN_PART && item->other == item->target) {
    item->other = (item->target + 1) % daemons;
  }
}

// Half of the runs have nothing that nobody is told of, so that no call may be late.
static bool is_in(uint64_t swarm, plan_kind_t kind) {
  const bool is_silent = kind == PLAN_SILENCE || kind == PLAN_PART || kind == PLAN_STOP;
  return (swarm >> kind & 1) != 0 && (!is_silent || (swarm >> 63) != 0);
}

static void add_faults(plan_t *plan, pod_random_t *random) {
  static const plan_kind_t kinds[] = {
      PLAN_CUT,  PLAN_CUT,  PLAN_CUT,       PLAN_SILENCE, PLAN_PART,  PLAN_STOP,
      PLAN_KILL, PLAN_KILL, PLAN_TERMINATE, PLAN_VANISH,  PLAN_VANISH};
  const uint64_t swarm = pod_random_next(random);
  const int64_t count =
      pod_random_below(random, 8) == 0 ? 0 : between(random, 1, FAULTS_MAX);
  for (int64_t i = 0; i < count; i++) {
    const plan_kind_t kind =
        kinds[pod_random_below(random, sizeof(kinds) / sizeof(kinds[0]))];
    if (is_in(swarm, kind)) {
      add_fault(plan, random, kind);
    }
  }
}

// Much of the clients' work becomes jobs.
static void add_jobs(plan_t *plan, pod_random_t *random) {
  static const plan_kind_t kinds[] = {PLAN_SUBMIT,    PLAN_SUBMIT, PLAN_SUBMIT,
                                      PLAN_RESUBMIT,  PLAN_AWAIT,  PLAN_AWAIT,
                                      PLAN_CANCEL_JOB};
  plan->has_jobs = true;
  for (int i = 0; i < plan->item_count; i++) {
    plan_item_t *item = &plan->items[i];
    if (!plan_is_fault(item) && item->kind != PLAN_GROUP &&
        pod_random_below(random, 3) != 0) {
      item->kind = kinds[pod_random_below(random, sizeof(kinds) / sizeof(kinds[0]))];
    }
  }
  static const plan_kind_t faults[] = {PLAN_KILL_JOB, PLAN_KILL_DISK, PLAN_KILL_AMID,
                                       PLAN_KILL};
  plan->faults_end_ns = between(random, SECOND, JOB_FAULTS_S_MAX * SECOND);
  plan->disk_ns_max =
      pod_random_below(random, 2) == 0 ? 0 : log_between(random, MS / 10, 20 * MS);
  const uint64_t swarm = pod_random_next(random);
  const int64_t count = between(random, 0, JOB_FAULTS_MAX);
  for (int64_t i = 0; i < count; i++) {
    const plan_kind_t kind =
        faults[pod_random_below(random, sizeof(faults) / sizeof(faults[0]))];
    if ((swarm >> kind & 1) != 0) {
      add_fault(plan, random, kind);
      plan->items[plan->item_count - 1].target = 0;
      plan->items[plan->item_count - 1].wait_ns = log_between(random, 20 * MS, SECOND);
      plan->items[plan->item_count - 1].count = (int)log_between(random, 1, 100);
    }
  }
}

void plan_make(uint64_t seed, plan_t *out_plan) {
  static const int shapes[][2] = {{2, 1}, {1, 2}, {2, 2}, {2, 2}};
  // Mixed: from a seed's multiple of SplitMix64's own step on, its numbers would be those
  // of the seed before, one later.
  pod_random_t mixed = {seed};
  pod_random_t random = {pod_random_next(&mixed)};
  plan_t *plan = out_plan;
  memset(plan, 0, sizeof(*plan));
  plan->seed = seed;
  const uint64_t shape = pod_random_below(&random, sizeof(shapes) / sizeof(shapes[0]));
  plan->x = shapes[shape][0];
  plan->y = shapes[shape][1];
  plan->is_spread = pod_random_below(&random, 2) == 0;
  plan->hbm_bytes =
      pod_random_below(&random, 4) == 0 ? between(&random, 20 << 10, 160 << 10) : 0;
  plan->client_count = (int)between(&random, 1, PLAN_CLIENTS_MAX);
  plan->faults_end_ns = log_between(&random, SECOND / 2, 3 * SECOND);
  // What needs two interruptions close to each other, and what needs a long time without.
  static const uint64_t interruptions[] = {8, 32, 128};
  plan->interrupted_once_in = interruptions[pod_random_below(
      &random, sizeof(interruptions) / sizeof(interruptions[0]))];
  plan->pause_ns_max =
      pod_random_below(&random, 2) == 0 ? 0 : log_between(&random, MS / 10, 20 * MS);
  plan->net.delay_ns_min = between(&random, 5000, 50000);
  plan->net.delay_ns_max = plan->net.delay_ns_min + log_between(&random, 10000, 5 * MS);
  plan->net.spike_once_in = pod_random_below(&random, 2) == 0 ? 0 : 200;
  plan->net.spike_ns_max = log_between(&random, MS, 500 * MS);
  plan->net.bytes_per_us = between(&random, 1, 4000);
  plan->net.buffer_bytes = log_between(&random, 4096, 1 << 20);
  const bool are_grouped = pod_random_below(&random, 5) == 0;
  for (int client = 0; client < plan->client_count; client++) {
    add_work(plan, &random, client, are_grouped && client < 2);
  }
  add_faults(plan, &random);
  if (pod_random_below(&random, JOBS_ONCE_IN) == 0) {
    add_jobs(plan, &random);
  }
}

void plan_print(const plan_t *plan) {
  fprintf(stderr, "seed %llu: %d x %d chips, %d clients%s, faults for %.3f s\n",
          (unsigned long long)plan->seed, plan->x, plan->y, plan->client_count,
          plan->has_jobs ? ", jobs" : "", (double)plan->faults_end_ns / 1e9);
  for (int i = 0; i < plan->item_count; i++) {
    const plan_item_t *item = &plan->items[i];
    if (item->is_left_out) {
      continue;
    }
    if (plan_is_fault(item)) {
      fprintf(stderr, "  %3d  %8.3f s  %-10s %d %d for %.3f s\n", i,
              (double)item->at_ns / 1e9, names[item->kind], item->target, item->other,
              (double)item->wait_ns / 1e9);
    } else {
      fprintf(stderr, "  %3d  client %d    %-10s %s, %d of them, %.3f s\n", i,
              item->client, names[item->kind], programs[item->program].name, item->count,
              (double)item->wait_ns / 1e9);
    }
  }
}
