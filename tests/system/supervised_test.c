// A pod of `podium up` comes back: what was killed, and its coordinator.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/system/cli.h"

#define SMALL PROGRAMS_FOLDER "/psum.2x2.small.mlir"

// The pid of chip 0, and the wait until another process has its place and all are ready.
#define FIRST "first() { $podium status local | awk '$1 == \"0\" { print $NF }'; }; "
#define WAIT_FOR_ANOTHER                                                  \
  "until $podium status local | grep -q 'v5e, ready' && now=$(first) && " \
  "[ -n \"$now\" ] && [ \"$now\" != \"$old\" ]; do sleep 0.05; done; "

static int stop_pod(void **state) {
  (void)state;
  cli_check_shell("$podium down local; true", 0, NULL);
  return 0;
}

static void test_a_worker_that_is_killed_comes_back(void **state) {
  (void)state;
  cli_check_run(ARGS("up", "--topology", "2x2"), 0, ARGS("ready"));
  cli_check_shell(FIRST "old=$(first); kill -KILL $old; " WAIT_FOR_ANOTHER
                        "$podium run " SMALL " --pod local -q && echo served",
                  0, ARGS("served"));
}

static void test_a_coordinator_that_is_killed_comes_back_at_its_address(void **state) {
  (void)state;
  cli_check_run(ARGS("up", "--topology", "2x2"), 0, ARGS("ready"));
  cli_check_shell(
      "address=$(cat $dir/podium/pod-local/address); "
      "host=$(sed -n 's/.*\"pid\"[^0-9]*\\([0-9]*\\).*/\\1/p' "
      "$dir/podium/pod-local/pod.json | head -1); "
      "kill -KILL $(cat /proc/$host/task/$host/children); "
      "until $podium status $address | grep -q 'v5e, ready'; do sleep 0.05; "
      "done; [ $address = $(cat $dir/podium/pod-local/address) ] && "
      "$podium run " SMALL " --pod local -q && echo served",
      0, ARGS("served"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_a_worker_that_is_killed_comes_back, stop_pod),
      cmocka_unit_test_teardown(
          test_a_coordinator_that_is_killed_comes_back_at_its_address, stop_pod),
  };
  return cmocka_run_group_tests(tests, cli_make_folder, cli_remove_folder);
}
