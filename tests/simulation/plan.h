// What will be tried in a run, drawn from its seed beforehand, so that parts of it can be
// left out when a failure is to be made smaller.

#ifndef TESTS_SIMULATION_PLAN_H_
#define TESTS_SIMULATION_PLAN_H_

#include <stdbool.h>
#include <stdint.h>

#include "tests/simulation/net.h"

enum {
  PLAN_ITEMS_MAX = 128,
  PLAN_CLIENTS_MAX = 3,
  PLAN_TARGET_CLIENT = 100,  // Of a connection: the client of that number behind it.
};

typedef enum plan_kind_t {
  // What a client does, in the order of the plan.
  PLAN_EXECUTE = 0,  // Puts, executes, fetches, compares.
  PLAN_CHAIN,       // Several executions that do not wait, each of the last one's result.
  PLAN_CANCEL,      // Cancels an execution after `wait_ns`.
  PLAN_DEADLINE,    // Gives it `wait_ns`.
  PLAN_PUT,         // Puts an array and frees it.
  PLAN_STORM,       // `count` of all that at a time, without waiting.
  PLAN_LARGE,       // Puts and fetches an array of many messages.
  PLAN_TIMES,       // Asks what a program would take.
  PLAN_GROUP,       // Clients 0 and 1 run a program together.
  PLAN_SUBMIT,      // Hands over `count` jobs.
  PLAN_RESUBMIT,    // One of those before, by its key.
  PLAN_AWAIT,       // Waits for one for `wait_ns`, and for its result.
  PLAN_CANCEL_JOB,  // One of those before.
  PLAN_RECONNECT,
  PLAN_PAUSE,
  // What happens, at `at_ns` after the beginning.
  PLAN_CUT,        // A connection; of `target` if that is not -1.
  PLAN_SILENCE,    // Likewise, and nobody is told.
  PLAN_PART,       // `target` and `other` for `wait_ns`.
  PLAN_STOP,       // SIGSTOP of `target` for `wait_ns`.
  PLAN_KILL,       // Anew after `wait_ns`.
  PLAN_TERMINATE,  // Likewise.
  PLAN_VANISH,     // Client `target` is killed.
  PLAN_KILL_JOB,   // A runner, as soon as there is one.
  PLAN_KILL_DISK,  // Who comes to the disk as the `count`th.
  PLAN_KILL_AMID,  // The coordinator, once a runner runs, and then soon.
  PLAN_KIND_COUNT,
} plan_kind_t;

typedef struct plan_item_t {
  plan_kind_t kind;
  bool is_left_out;
  int client;          // Of what clients do.
  int target, other;   // Daemons, as pod.h numbers them; or a client.
  int program, count;  // Of programs.h; how many.
  int64_t at_ns, wait_ns;
} plan_item_t;

typedef struct plan_t {
  uint64_t seed;
  int x, y;           // Of the pod.
  bool is_spread;     // Every process on a host of its own, links by tcp.
  int64_t hbm_bytes;  // Of a chip, so few that not everything fits; 0: enough.
  int client_count;
  bool has_jobs;
  int64_t disk_ns_max;  // What its calls take.
  int64_t faults_end_ns;
  uint64_t interrupted_once_in;  // Of threads, where they take locks.
  int64_t pause_ns_max;
  net_options_t net;
  int item_count;
  plan_item_t items[PLAN_ITEMS_MAX];
} plan_t;

void plan_make(uint64_t seed, plan_t *out_plan);
bool plan_is_fault(const plan_item_t *item);

// Whether it has faults that nobody is told of, so that calls may wait for a while: a
// silent connection is known by the keepalive that is not answered.
bool plan_has_silence(const plan_t *plan);
const char *plan_kind_name(plan_kind_t kind);
void plan_print(const plan_t *plan);

#endif  // TESTS_SIMULATION_PLAN_H_
