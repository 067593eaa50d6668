#include "common/base/state_machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/check.h"

enum { DOOR_OPEN = 0, DOOR_SHUT, DOOR_GONE };

static const pod_state_t states[] = {
    [DOOR_OPEN] = {"open", POD_TO(DOOR_SHUT)},
    [DOOR_SHUT] = {"shut", POD_TO(DOOR_OPEN) | POD_TO(DOOR_GONE)},
    [DOOR_GONE] = {"gone", 0},
};

static void make_door(pod_state_machine_t *door) {
  pod_state_machine_init(door, "door", 7, states, POD_COUNT_OF(states), DOOR_SHUT);
}

static void test_moves_of_the_table_are_made(void **state) {
  (void)state;
  pod_state_machine_t door;
  make_door(&door);
  assert_string_equal(pod_state_name(&door), "shut");
  pod_state_machine_move(&door, DOOR_OPEN);
  assert_int_equal(pod_state_of(&door), DOOR_OPEN);
  assert_false(pod_state_machine_may_move(&door, DOOR_GONE));
  assert_true(pod_state_machine_may_move(&door, DOOR_SHUT));
  pod_state_machine_move(&door, DOOR_SHUT);
  pod_state_machine_move(&door, DOOR_GONE);
  assert_string_equal(pod_state_name(&door), "gone");
}

// In a child, whose last words are read.
static void test_another_move_stops_the_process_and_says_which(void **state) {
  (void)state;
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    pod_state_machine_t door;
    make_door(&door);
    pod_state_machine_move(&door, DOOR_OPEN);
    dup2(ends[1], STDERR_FILENO);
    pod_state_machine_move(&door, DOOR_GONE);
    _exit(0);
  }
  close(ends[1]);
  char text[256] = {0};
  size_t length = 0;
  for (ssize_t more;
       length < sizeof(text) - 1 &&
       (more = read(ends[0], text + length, sizeof(text) - 1 - length)) > 0;) {
    length += (size_t)more;
  }
  close(ends[0]);
  int outcome;
  assert_int_equal(waitpid(child, &outcome, 0), child);
  assert_true(WIFSIGNALED(outcome));
  assert_non_null(strstr(text, "door 7: no move from open to gone"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_moves_of_the_table_are_made),
      cmocka_unit_test(test_another_move_stops_the_process_and_says_which),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
