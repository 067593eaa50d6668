// What a training loop asks of donation, against real daemons: a state of 60 % of the HBM
// is updated by one execution after another, and is there once.

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/system/client.h"

enum { TIMEOUT_MS = 60000, ROWS = 1200, COLUMNS = 1024, COUNT = ROWS * COLUMNS };

// A chip has 8 MiB here, the state 4.7 MiB.
#define HBM_BYTES "8388608"

// state + state, on one chip; `mark` is an attribute of the state.
static char *update_text(const char *mark) {
  char *text = malloc(1024);
  snprintf(text, 1024,
           "module @update {\n"
           "  func.func public @main(%%state: tensor<1200x1024xf32> %s) -> "
           "tensor<1200x1024xf32> {\n"
           "    %%0 = stablehlo.add %%state, %%state : tensor<1200x1024xf32>\n"
           "    return %%0 : tensor<1200x1024xf32>\n  }\n}\n",
           mark);
  return text;
}

typedef struct world_t {
  system_pod_t *pod;
  podium_session_t *session;
  podium_executable_t *executable;
  float *values;
} world_t;

static podium_status_t *compile(world_t *world, const char *mark) {
  char *text = update_text(mark);
  podium_status_t *status = podium_compile(world->session, "update.mlir", text,
                                           strlen(text), NULL, &world->executable);
  free(text);
  return status;
}

static world_t world_open(void) {
  const system_pod_options_t options = {.topology = "1x1",
                                        .coordinator_args = {"--hbm-bytes=" HBM_BYTES}};
  world_t world = {.pod = system_pod_start(&options),
                   .values = malloc(COUNT * sizeof(float))};
  const podium_connect_options_t connect = {.timeout_ms = TIMEOUT_MS};
  must(podium_connect(system_pod_address(world.pod), &connect, &world.session));
  for (int i = 0; i < COUNT; i++) {
    world.values[i] = (float)i;
  }
  return world;
}

static void world_close(world_t *world) {
  podium_close(world->session);
  system_pod_stop(world->pod);
  free(world->values);
}

static podium_array_t *put_state(world_t *world) {
  const podium_layout_t layout = {.executable = world->executable};
  podium_array_t *state = NULL;
  must(podium_put(world->session, &layout, world->values, COUNT * sizeof(float),
                  TIMEOUT_MS, &state));
  return state;
}

static void expect_state(world_t *world, podium_array_t *state, int steps) {
  memset(world->values, 0, COUNT * sizeof(float));
  must(podium_fetch(state, world->values, COUNT * sizeof(float), TIMEOUT_MS));
  for (int i = 0; i < COUNT; i++) {
    assert_true(world->values[i] == (float)i * (float)(1 << steps));
  }
}

static void test_a_state_of_most_of_the_hbm_is_updated_in_a_loop(void **state) {
  (void)state;
  world_t world = world_open();
  must(compile(&world, "{tf.aliasing_output = 0 : i32}"));
  const podium_program_info_t *info = podium_executable_info(world.executable);
  assert_int_equal(info->alias_count, 1);
  assert_int_equal(info->alias_bytes, COUNT * sizeof(float));
  assert_int_equal(info->hbm_peak_bytes, COUNT * sizeof(float));
  podium_array_t *held = put_state(&world);
  enum { STEPS = 20 };
  for (int step = 0; step < STEPS; step++) {
    podium_array_t *next = NULL;
    must(podium_execute(world.executable, 1, &held, NULL, &next, NULL));
    if (step == 0) {
      expect_error(podium_fetch(held, world.values, COUNT * sizeof(float), TIMEOUT_MS),
                   PODIUM_FAILED_PRECONDITION,
                   "was donated to an execution of 'update': Array has been deleted");
      podium_array_t *none = NULL;
      expect_error(podium_execute(world.executable, 1, &held, NULL, &none, NULL),
                   PODIUM_FAILED_PRECONDITION, "was donated");
    }
    podium_array_free(held);
    held = next;
  }
  expect_state(&world, held, STEPS);
  // Kept it would be there twice: nothing starts, and nothing is lost.
  const int kept[] = {0};
  const podium_execute_options_t options = {.kept_count = 1, .kept = kept};
  podium_array_t *none = NULL;
  expect_error(podium_execute(world.executable, 1, &held, &options, &none, NULL),
               PODIUM_RESOURCE_EXHAUSTED, "of which");
  expect_state(&world, held, STEPS);
  world_close(&world);
}

static void test_without_donation_the_state_does_not_fit(void **state) {
  (void)state;
  world_t world = world_open();
  expect_error(compile(&world, ""), PODIUM_RESOURCE_EXHAUSTED,
               "donating arguments (donate_argnums) whose results are of the same type");
  world_close(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_state_of_most_of_the_hbm_is_updated_in_a_loop),
      cmocka_unit_test(test_without_donation_the_state_does_not_fit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
