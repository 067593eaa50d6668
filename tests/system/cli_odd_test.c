// What nobody types on purpose: files that are none, numbers that are none, places where
// nothing can be written, and the same thing twice at once.

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/system/cli.h"

enum { PATH_SIZE = CLI_PATH_SIZE };

#define MATMUL PROGRAMS_FOLDER "/square_matmul.2x2.small.mlir"

static void test_files_that_hold_no_module_are_named_before_a_pod_starts(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"/dev/null", "/dev/null holds no module: it is empty"},
      {"$dir/blank.mlir", "holds no module: it is all white space and comments"},
      {"$dir/nul.mlir", "is no text: byte 1 is NUL"},
      {"$dir", "Is a directory"},
      {"$dir/no/such", "No such file"},
      {"/dev/zero", "larger than 256 MiB"},
  };
  char path[PATH_SIZE];
  cli_write_file("blank.mlir", " \n// nothing\n", path);
  cli_check_shell("printf 'a\\0b' > $dir/nul.mlir", 0, NULL);
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    char line[512];
    snprintf(line, sizeof(line),
             "$podium run %s >$dir/log 2>&1; status=$?; cat $dir/log; grep -q 'pod of' "
             "$dir/log && exit 9; exit $status",
             cases[i][0]);
    cli_check_shell(line, 3, ARGS(cases[i][1]));
    snprintf(line, sizeof(line), "$podium check %s", cases[i][0]);
    cli_check_shell(line, 1, ARGS("FAIL", cases[i][1]));
  }
  cli_check_shell("$podium run - </dev/null", 3, ARGS("- holds no module: it is empty"));
}

static void test_numbers_that_are_none_are_refused(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"--timeout", "inf"},    {"--timeout", "nan"},
      {"--timeout", "1e30"},   {"--timeout", ""},
      {"--timeout", "-1"},     {"--repeat", "4294967297"},
      {"--repeat", ""},        {"--repeat", "1x"},
      {"--repeat", "0"},       {"--tolerance", ""},
      {"--tolerance", "nan"},  {"--tolerance", "-1"},
      {"--constant", "n=1e3"}, {"--constant", "n=9999999999999999999"},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    cli_check_run(ARGS("run", MATMUL, cases[i][0], cases[i][1]), 2,
                  ARGS(cases[i][0], "takes"));
  }
}

static void test_names_that_are_too_long_are_errors(void **state) {
  (void)state;
  char name[5001];
  memset(name, 'x', sizeof(name) - 1);
  name[sizeof(name) - 1] = '\0';
  char binding[sizeof(name) + 2];
  snprintf(binding, sizeof(binding), "0=%s", name);
  cli_check_run(ARGS("run", name), 3, ARGS("File name too long"));
  cli_check_run(ARGS("run", MATMUL, "-i", binding), 3, ARGS("File name too long"));
  cli_check_run(ARGS("run", MATMUL, "-o", binding), 3, ARGS("File name too long"));
  cli_check_run(ARGS("run", MATMUL, "--chip", name), 3, ARGS("there is no chip"));
  cli_check_run(ARGS("run", MATMUL, "--topology", name), 3, ARGS("is no topology"));
  cli_check_run(ARGS("run", MATMUL, "--pod", name), 3, ARGS("is no name of a pod"));
  cli_check_run(ARGS("up", "--name", name), 3, ARGS("is no name of a pod"));
  cli_check_run(ARGS(name), 2, ARGS("no command"));
}

static void test_a_run_needs_neither_home_nor_environment(void **state) {
  (void)state;
  cli_check_shell("env -i $podium run " MATMUL, 0, ARGS("result0"));
  cli_check_shell("env -u HOME -u XDG_RUNTIME_DIR $podium run " MATMUL, 0,
                  ARGS("result0"));
}

static void test_places_where_nothing_can_be_made_are_named(void **state) {
  (void)state;
  char path[PATH_SIZE];
  cli_write_file("file", "", path);
  cli_check_shell("TMPDIR=$dir/file $podium run " MATMUL, 3,
                  ARGS("no temporary folder can be made in", "/file: Not a directory"));
  cli_check_shell("XDG_RUNTIME_DIR=$dir/file $podium up", 3,
                  ARGS("XDG_RUNTIME_DIR names another place"));
  cli_check_shell(
      "mkdir -p $dir/open/podium && chmod 777 $dir/open/podium && "
      "XDG_RUNTIME_DIR=$dir/open $podium up",
      3, ARGS("must be a folder of yours in which nobody else may write"));
  cli_check_shell("XDG_RUNTIME_DIR=$dir/open $podium status", 3,
                  ARGS("must be a folder of yours"));
}

static void test_a_program_that_stands_alone_says_what_it_misses(void **state) {
  (void)state;
  cli_check_shell(
      "mkdir $dir/alone && cp $podium $dir/alone && $dir/alone/podium run " MATMUL, 3,
      ARGS("/alone/podium-coordinator: No such file or directory"));
  cli_check_shell("$dir/alone/podium chips", 3, ARGS("podium-coordinator"));
  cli_check_shell(
      "cd $dir/alone && printf '#!/bin/sh\nkill -9 $$\n' > podium-coordinator && chmod "
      "+x "
      "podium-coordinator && ./podium run " MATMUL,
      3, ARGS("UNAVAILABLE: a daemon of the pod was killed by signal 9 (Killed)"));
  cli_check_shell(
      "cd $dir/alone && printf '#!/bin/sh\necho podium-coordinator: ABORTED: out of luck "
      ">&2; exit 1\n' > podium-coordinator && ./podium run " MATMUL,
      3, ARGS("podium: ABORTED: out of luck\n"));
}

// Sixty-four workers do not join within a millisecond.
static void test_a_deadline_counts_while_the_pod_comes_up(void **state) {
  (void)state;
  cli_check_run(ARGS("run", MATMUL, "-t", "8x8", "--timeout", "0.001"), 3,
                ARGS("DEADLINE_EXCEEDED: the pod is not ready in time"));
}

// One becomes the pod, the others are told, and none is left without a name.
static void test_of_several_pods_of_one_name_at_once_one_comes_up(void **state) {
  (void)state;
  cli_check_shell(
      "for i in 1 2 3 4; do $podium up -n one -t 1x1 >$dir/up.$i 2>&1 & done; wait; "
      "cat $dir/up.*; grep -c ready $dir/up.* | grep -c ':1$' > $dir/count; "
      "test $(cat $dir/count) = 1",
      0, ARGS("ALREADY_EXISTS", "ready after"));
  cli_check_shell("$podium ls && $podium down one && ls -A $dir/podium", 0,
                  ARGS("one  ", "ready"));
  cli_check_shell(
      "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n' | grep \"^$dir.*/address$\"",
      1, NULL);
}

static void test_the_chip_of_a_pod_may_be_named_by_its_topology(void **state) {
  (void)state;
  cli_check_run(ARGS("up", "--topology", "v4-8", "--name", "four"), 0,
                ARGS("pod 'four': 2x2 v4 ready"));
  cli_check_run(ARGS("down", "four"), 0, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_files_that_hold_no_module_are_named_before_a_pod_starts),
      cmocka_unit_test(test_numbers_that_are_none_are_refused),
      cmocka_unit_test(test_names_that_are_too_long_are_errors),
      cmocka_unit_test(test_a_run_needs_neither_home_nor_environment),
      cmocka_unit_test(test_places_where_nothing_can_be_made_are_named),
      cmocka_unit_test(test_a_program_that_stands_alone_says_what_it_misses),
      cmocka_unit_test(test_a_deadline_counts_while_the_pod_comes_up),
      cmocka_unit_test(test_of_several_pods_of_one_name_at_once_one_comes_up),
      cmocka_unit_test(test_the_chip_of_a_pod_may_be_named_by_its_topology),
  };
  return cmocka_run_group_tests(tests, cli_make_folder, cli_remove_folder);
}
