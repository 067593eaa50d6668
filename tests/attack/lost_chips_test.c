// What is on several chips is there as long as one of them is.

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/system/client.h"

enum { TIMEOUT_MS = 60000, COUNT = 1 << 20, CHIPS = 4 };

// Its argument is on all four chips.
static const char everywhere_text[] =
    "module @everywhere attributes {mhlo.num_partitions = 4 : i32} {\n"
    "  sdy.mesh @mesh = <[\"x\"=4]>\n"
    "  func.func public @main(%arg0: tensor<1048576xf32> {sdy.sharding = "
    "#sdy.sharding<@mesh, [{}]>}) -> (tensor<1048576xf32> {sdy.sharding = "
    "#sdy.sharding<@mesh, [{}]>}) {\n"
    "    %0 = stablehlo.add %arg0, %arg0 : tensor<1048576xf32>\n"
    "    return %0 : tensor<1048576xf32>\n  }\n}\n";

static void fetch_and_compare(podium_array_t *array, const float *values,
                              float *fetched) {
  must(podium_fetch(array, fetched, COUNT * sizeof(*fetched), TIMEOUT_MS));
  assert_memory_equal(fetched, values, COUNT * sizeof(*fetched));
}

// Workers stand still one after the other, each while the array is fetched from it: that
// it is lost is known only when nothing has been heard of it for long enough.
static void lose_one_by_one(const char *shared_memory) {
  setenv("PODIUM_SHARED_MEMORY", shared_memory, 1);
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){
      .topology = "2x2",
      .coordinator_args = {"--timeout-ms", "1500", "--heartbeat-ms", "200"}});
  podium_session_t *session = connect_to(pod);
  podium_executable_t *executable = NULL;
  must(
      podium_compile(session, "everywhere.mlir", everywhere_text, strlen(everywhere_text),
                     &(podium_compile_options_t){.timeout_ms = TIMEOUT_MS}, &executable));
  float *values = malloc(COUNT * sizeof(*values));
  float *fetched = malloc(COUNT * sizeof(*fetched));
  for (int i = 0; i < COUNT; i++) {
    values[i] = (float)(i % 1000);
  }
  podium_array_t *array = NULL;
  must(podium_put(session, &(podium_layout_t){.executable = executable}, values,
                  COUNT * sizeof(*values), TIMEOUT_MS, &array));
  for (int lost = 0; lost < CHIPS - 1; lost++) {
    system_pod_signal_worker(pod, lost, SIGSTOP);
    fetch_and_compare(array, values, fetched);
    system_pod_signal_worker(pod, lost, SIGKILL);
    fetch_and_compare(array, values, fetched);
  }
  free(values);
  free(fetched);
  podium_close(session);
  system_pod_stop(pod);
  unsetenv("PODIUM_SHARED_MEMORY");
}

static void test_a_replicated_array_is_there_until_its_last_chip_is_lost(void **state) {
  (void)state;
  lose_one_by_one("0");
}

static void test_the_same_when_it_goes_by_shared_memory(void **state) {
  (void)state;
  lose_one_by_one("1");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_replicated_array_is_there_until_its_last_chip_is_lost),
      cmocka_unit_test(test_the_same_when_it_goes_by_shared_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
