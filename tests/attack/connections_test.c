// More connections than a coordinator has places, most of which say nothing: the pod
// keeps its workers, whoever uses it goes on, and new clients get in.

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "bystander.h"
#include "common/base/clock.h"
#include "rpc_peers.h"
#include "tests/system/client.h"

enum { ATTACKERS = 1200, SESSIONS = 20, NS_PER_MS = 1000000, HEADERS = 1 };

// For machines that do other things too.
static const double bound_ms = 3000;

// A third is silent, a third has greeted, a third never ends its headers.
static void open_and_wait(attacker_t *attacker) {
  if (attacker->fd % 3 == 0) {
    return;
  }
  pod_text_add_bytes(&attacker->out, PEER_PREFACE PEER_SETTINGS,
                     sizeof(PEER_PREFACE PEER_SETTINGS) - 1);
  if (attacker->fd % 3 == 1) {
    peer_add_frame(&attacker->out, HEADERS, 0, 1, "\203\206", 2);
  }
}

static const attack_t crowd = {"a crowd", ATTACKERS, 0, false, open_and_wait, NULL};

typedef struct running_t {
  in_port_t port;
  atomic_bool stop;
  attack_result_t result;
} running_t;

static void *run_attack(void *context) {
  running_t *running = context;
  running->result = attack_run(&crowd, running->port, &running->stop);
  return NULL;
}

// How long the slowest of some new clients takes to get in.
static double connect_some(const system_pod_t *pod) {
  double most_ms = 0;
  for (int i = 0; i < SESSIONS; i++) {
    const int64_t start_ns = pod_clock_now_ns();
    podium_session_t *session = connect_to(pod);
    const double ms = (double)(pod_clock_now_ns() - start_ns) / NS_PER_MS;
    most_ms = ms > most_ms ? ms : most_ms;
    podium_close(session);
  }
  return most_ms;
}

static void test_a_crowd_of_connections_locks_nobody_out(void **state) {
  (void)state;
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){.topology = "2x1"});
  bystander_t *bystander = bystander_start(pod);
  running_t running = {
      .port = (in_port_t)strtoul(strrchr(system_pod_address(pod), ':') + 1, NULL, 10)};
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, run_attack, &running), 0);
  const int rounds = bystander_rounds(bystander);
  double most_ms = 0;
  // The crowd has come, and has been turned out for others at least once.
  while (bystander_rounds(bystander) < rounds + 30) {
    const double ms = connect_some(pod);
    most_ms = ms > most_ms ? ms : most_ms;
  }
  atomic_store(&running.stop, true);
  pthread_join(thread, NULL);
  printf("new sessions during %llu connections: at most %.1f ms\n",
         (unsigned long long)running.result.connections, most_ms);
  assert_true(running.result.connections > ATTACKERS);
  assert_true(most_ms < bound_ms);
  bystander_stop(bystander, "a crowd of connections", bound_ms);
  char *log = system_pod_log(pod, -1);
  assert_null(strstr(log, " W lost "));
  free(log);
  podium_session_t *session = connect_to(pod);
  podium_pod_t *info = NULL;
  must(podium_pod(session, SYSTEM_WAIT_MS, &info));
  assert_true(info->ready);
  podium_pod_free(info);
  podium_close(session);
  system_pod_stop(pod);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_crowd_of_connections_locks_nobody_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
