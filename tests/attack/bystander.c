// See bystander.h.

#include "tests/attack/bystander.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "common/base/clock.h"
#include "common/base/text.h"
#include "tests/system/client.h"

enum { ROUNDS_MAX = 100000, PAUSE_NS = 5000000, TIMEOUT_MS = 60000, ELEMENTS = 8 };

struct bystander_t {
  podium_session_t *session;
  pthread_t thread;
  atomic_bool is_ending;
  atomic_int rounds;
  double took_ms[ROUNDS_MAX];
};

// Of `seed`, and right.
static void compile_and_run(bystander_t *bystander, int seed) {
  pod_text_t text = {0};
  pod_text_printf(&text,
                  "func.func public @main(%%x: tensor<8xf32>) -> tensor<8xf32> {\n"
                  "  %%c = stablehlo.constant dense<%d.0> : tensor<8xf32>\n"
                  "  %%y = stablehlo.add %%x, %%c : tensor<8xf32>\n"
                  "  return %%y : tensor<8xf32>\n}\n",
                  seed);
  podium_executable_t *executable = NULL;
  must(podium_compile(bystander->session, "small.mlir", text.bytes, text.length,
                      &(podium_compile_options_t){.timeout_ms = TIMEOUT_MS},
                      &executable));
  const float data[ELEMENTS] = {1, 2, 3, 4, 5, 6, 7, 8};
  float back[ELEMENTS];
  podium_array_t *argument = NULL, *result = NULL;
  must(podium_put(bystander->session, &(podium_layout_t){.executable = executable}, data,
                  sizeof(data), TIMEOUT_MS, &argument));
  must(podium_execute(executable, 1, &argument,
                      &(podium_execute_options_t){.timeout_ms = TIMEOUT_MS}, &result,
                      NULL));
  must(podium_fetch(result, back, sizeof(back), TIMEOUT_MS));
  for (int i = 0; i < ELEMENTS; i++) {
    assert_true(back[i] == data[i] + (float)seed);
  }
  podium_array_free(result);
  podium_array_free(argument);
  podium_executable_free(executable);
  pod_text_deinit(&text);
}

static void *use_the_pod(void *context) {
  bystander_t *bystander = context;
  for (int round = 0; round < ROUNDS_MAX && !bystander->is_ending; round++) {
    const int64_t start_ns = pod_clock_now_ns();
    compile_and_run(bystander, round);
    bystander->took_ms[round] = (double)(pod_clock_now_ns() - start_ns) / 1e6;
    bystander->rounds = round + 1;
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
  }
  return NULL;
}

bystander_t *bystander_start(const system_pod_t *pod) {
  bystander_t *bystander = calloc(1, sizeof(*bystander));
  assert_non_null(bystander);
  bystander->session = connect_to(pod);
  assert_int_equal(pthread_create(&bystander->thread, NULL, use_the_pod, bystander), 0);
  while (bystander_rounds(bystander) == 0) {
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
  }
  return bystander;
}

int bystander_rounds(bystander_t *bystander) {
  return bystander->rounds;
}

static int compare(const void *a, const void *b) {
  const double difference = *(const double *)a - *(const double *)b;
  return (difference > 0) - (difference < 0);
}

double bystander_stop(bystander_t *bystander, const char *what, double bound_ms) {
  bystander->is_ending = true;
  assert_int_equal(pthread_join(bystander->thread, NULL), 0);
  const int rounds = bystander->rounds;
  qsort(bystander->took_ms, (size_t)rounds, sizeof(double), compare);
  const double p99_ms = bystander->took_ms[rounds * 99 / 100];
  const double longest_ms = bystander->took_ms[rounds - 1];
  printf("others, %s: %d rounds, p50 %.1f ms, p99 %.1f ms, longest %.1f ms\n", what,
         rounds, bystander->took_ms[rounds / 2], p99_ms, longest_ms);
  podium_close(bystander->session);
  free(bystander);
  assert_true(p99_ms <= bound_ms);
  return longest_ms;
}
