// Standard streams that are full, closed or gone: lost output is an error of every
// command.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/system/cli.h"

#define MATMUL PROGRAMS_FOLDER "/square_matmul.2x2.small.mlir"

static const char *const commands[] = {
    "--help",
    "--version",
    "run --help",
    "run " MATMUL,
    "simulate " MATMUL,
    "compile " MATMUL,
    "compile --text " MATMUL,
    "check -t 2x2 " MATMUL,
};

enum { COMMAND_COUNT = sizeof(commands) / sizeof(commands[0]) };

static void test_output_to_a_full_disk_is_an_error_of_every_command(void **state) {
  (void)state;
  for (int i = 0; i < COMMAND_COUNT; i++) {
    char line[1024];
    snprintf(line, sizeof(line), "$podium %s >/dev/full", commands[i]);
    cli_check_shell(
        line, 3, ARGS("podium: cannot write standard output: No space left on device"));
  }
}

static void test_output_to_a_closed_stream_is_an_error_of_every_command(void **state) {
  (void)state;
  for (int i = 0; i < COMMAND_COUNT; i++) {
    char line[1024];
    snprintf(line, sizeof(line), "$podium %s >&-", commands[i]);
    cli_check_shell(line, 3, ARGS("podium: cannot write standard output"));
  }
}

// 141 is what a shell makes of SIGPIPE.
static void test_a_reader_that_has_gone_ends_the_command_without_a_word(void **state) {
  (void)state;
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(dup2(ends[1], 9), 9);  // A shell knows numbers up to 9.
  close(ends[0]);
  close(ends[1]);
  cli_check_shell(
      "$podium compile " MATMUL
      " >&9 2>$dir/errors; status=$?; cat $dir/errors; test -s $dir/errors && "
      "exit 9; exit $status",
      141, NULL);
  close(9);
}

static void test_a_closed_input_is_told_and_takes_no_number_of_a_socket(void **state) {
  (void)state;
  cli_check_shell("$podium compile - <&-", 3, ARGS("podium: ", "-: "));
  cli_check_shell("$podium run " MATMUL " <&-", 0, ARGS("result0"));
  cli_check_shell("$podium run " MATMUL " 2>&-", 0, ARGS("result0"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_output_to_a_full_disk_is_an_error_of_every_command),
      cmocka_unit_test(test_output_to_a_closed_stream_is_an_error_of_every_command),
      cmocka_unit_test(test_a_reader_that_has_gone_ends_the_command_without_a_word),
      cmocka_unit_test(test_a_closed_input_is_told_and_takes_no_number_of_a_socket),
  };
  return cmocka_run_group_tests(tests, cli_make_folder, cli_remove_folder);
}
