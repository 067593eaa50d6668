// `podium run` and `podium up` that are stopped by a signal, at several moments: nothing
// is left behind, and what the daemons say when they cannot start is what the user reads.

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/clock.h"
#include "tests/file.h"
#include "tests/system/cli.h"

enum {
  PATH_SIZE = CLI_PATH_SIZE,
  WAIT_MS = 60000,
  ORPHAN_MS = 2000,
  UP_INTERRUPTIONS = 8
};

#define MATMUL PROGRAMS_FOLDER "/square_matmul.2x2.small.mlir"

static void pause_briefly(void) {
  nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
}

static int count_entries(const char *path) {
  DIR *listing = opendir(path);
  assert_non_null(listing);
  int count = 0;
  while (readdir(listing) != NULL) {
    count++;
  }
  closedir(listing);
  return count - 2;  // "." and ".."
}

static bool is_there(const char *pattern) {
  glob_t found;
  const bool is_found = glob(pattern, 0, NULL, &found) == 0;
  globfree(&found);
  return is_found;
}

static bool has_said(const char *path, const char *words) {
  pod_text_t text = {0};
  const bool is_said = read_file(path, &text) && strstr(text.bytes, words) != NULL;
  pod_text_deinit(&text);
  return is_said;
}

static pid_t start(const char *const *argv, const char *log) {
  const pid_t pid = fork();
  if (pid == 0) {
    const int output = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    prctl(PR_SET_PDEATHSIG, SIGTERM);  // A test that fails leaves it behind.
    // A test runner may have been told to ignore them.
    signal(SIGINT, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    execv(argv[0], (char *const *)(uintptr_t)argv);
    _exit(127);
  }
  return pid;
}

static int reap(pid_t pid) {
  const int64_t deadline = pod_clock_now_ns() + (int64_t)WAIT_MS * 1000000;
  int status;
  while (waitpid(pid, &status, WNOHANG) == 0) {
    assert_true(pod_clock_now_ns() < deadline);
    pause_briefly();
  }
  return status;
}

// What a run shows of itself: its folder, its last worker, its pod.
typedef struct moment_t {
  const char *pattern;  // A file below TMPDIR, or
  const char *words;    // what it has printed.
} moment_t;

static void wait_for(const moment_t *moment, const char *log) {
  char path[2 * PATH_SIZE];
  const int64_t deadline = pod_clock_now_ns() + (int64_t)WAIT_MS * 1000000;
  for (;;) {
    snprintf(path, sizeof(path), "%s/work/%s", cli_folder(),
             moment->pattern == NULL ? "" : moment->pattern);
    if (moment->pattern != NULL ? is_there(path) : has_said(log, moment->words)) {
      return;
    }
    assert_true(pod_clock_now_ns() < deadline);
    pause_briefly();
  }
}

// Children of a process that has ended become this test's (PR_SET_CHILD_SUBREAPER). Those
// of a coordinator that was killed are killed by the kernel, a moment later.
static void assert_no_process_is_left(void) {
  const int64_t deadline = pod_clock_now_ns() + (int64_t)ORPHAN_MS * 1000000;
  pid_t left;
  while ((left = waitpid(-1, NULL, WNOHANG)) >= 0) {
    if (left == 0 && pod_clock_now_ns() > deadline) {
      fail_msg("a process is left");
    }
    if (left == 0) {
      pause_briefly();
    }
  }
  assert_int_equal(errno, ECHILD);
}

static void interrupt(const char *const *argv, const moment_t *moment, int number) {
  char work[PATH_SIZE], log[PATH_SIZE];
  cli_in_folder("work", work);
  const pid_t pid = start(argv, cli_in_folder("log", log));
  wait_for(moment, log);
  assert_int_equal(kill(pid, number), 0);
  const int status = reap(pid);
  assert_true(WIFSIGNALED(status));
  assert_int_equal(WTERMSIG(status), number);
  assert_no_process_is_left();
  if (count_entries(work) != 0) {
    char command[2 * PATH_SIZE];
    snprintf(command, sizeof(command), "find %s", work);
    assert_int_equal(system(command), 0);
    fail_msg("something is left in %s after signal %d", work, number);
  }
  assert_false(has_said(log, "podium: "));  // No error beside the interrupt.
}

static void test_a_run_that_is_stopped_by_a_signal_leaves_nothing(void **state) {
  (void)state;
  const char *const argv[] = {getenv("podium"), "run",      MATMUL,
                              "--repeat",       "10000000", NULL};
  static const moment_t moments[] = {{.pattern = "podium-run-*"},
                                     {.pattern = "podium-run-*/address"},
                                     {.pattern = "podium-run-*/worker-3.log"},
                                     {.words = "pod of 4"}};
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
  for (size_t m = 0; m < sizeof(moments) / sizeof(moments[0]); m++) {
    for (size_t s = 0; s < sizeof(signals) / sizeof(signals[0]); s++) {
      interrupt(argv, &moments[m], signals[s]);
    }
  }
}

// 16 million windows of 16 million elements, which no worker ends before its client.
static void test_a_run_within_a_long_instruction_ends_with_the_signal(void **state) {
  (void)state;
  enum { PROMPT_MS = 4000 };  // Daemons that only drain are waited for longer.
  char program[PATH_SIZE];
  cli_check_shell(
      "cat > $dir/long.mlir <<'END'\n"
      "func.func @main() -> tensor<4000x4000xf32> {\n"
      "  %0 = stablehlo.iota dim = 0 : tensor<4000x4000xf32>\n"
      "  %1 = stablehlo.constant dense<0.0> : tensor<f32>\n"
      "  %2 = \"stablehlo.reduce_window\"(%0, %1) ({\n"
      "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
      "    %3 = stablehlo.add %a, %b : tensor<f32>\n"
      "    stablehlo.return %3 : tensor<f32>\n"
      "  }) {window_dimensions = array<i64: 4000, 4000>,\n"
      "      padding = dense<[[2000, 1999], [2000, 1999]]> : tensor<2x2xi64>}\n"
      "    : (tensor<4000x4000xf32>, tensor<f32>) -> tensor<4000x4000xf32>\n"
      "  return %2 : tensor<4000x4000xf32>\n}\nEND\n",
      0, NULL);
  const char *const argv[] = {getenv("podium"), "run",
                              cli_in_folder("long.mlir", program), NULL};
  char work[PATH_SIZE], log[PATH_SIZE];
  cli_in_folder("work", work);
  const pid_t pid = start(argv, cli_in_folder("log", log));
  wait_for(&(moment_t){.words = "pod of 1"}, log);
  nanosleep(&(struct timespec){.tv_nsec = 500000000}, NULL);  // It computes by then.
  const int64_t start_ns = pod_clock_now_ns();
  assert_int_equal(kill(pid, SIGINT), 0);
  const int status = reap(pid);
  assert_true(WIFSIGNALED(status));
  assert_in_range((pod_clock_now_ns() - start_ns) / 1000000, 0, PROMPT_MS);
  assert_no_process_is_left();
  assert_int_equal(count_entries(work), 0);
}

static void test_a_pod_that_was_not_up_yet_ends_with_its_command(void **state) {
  (void)state;
  // Workers are met at every moment of coming up.
  for (int i = 0; i < UP_INTERRUPTIONS; i++) {
    const char *const argv[] = {getenv("podium"), "up", "--topology", "4x4", NULL};
    interrupt(argv, &(moment_t){.pattern = "../podium/pod-local/worker-1.log"}, SIGINT);
    cli_check_shell("test -z \"$(ls -A $dir/podium)\" || { ls -A $dir/podium; false; }",
                    0, NULL);
  }
}

// The file would take the place of the old one only at its end, which does not come.
static void test_a_result_that_is_being_written_is_not_left_half(void **state) {
  (void)state;
  char fifo[PATH_SIZE], option[2 * PATH_SIZE];
  snprintf(option, sizeof(option), "0=%s", cli_in_folder("fifo", fifo));
  cli_check_shell("mkfifo $dir/fifo", 0, NULL);
  const char *const argv[] = {getenv("podium"), "run", MATMUL, "-o", option, NULL};
  interrupt(argv, &(moment_t){.words = "result0 = "}, SIGINT);  // Nobody reads the FIFO.
}

// As where the first process of a container never asks for what was left to it.
static void test_daemons_that_nobody_waits_for_have_ended_all_the_same(void **state) {
  (void)state;
  cli_check_run(ARGS("up", "--topology", "2x1"), 0, ARGS("ready"));
  cli_check_run(ARGS("down"), 0, NULL);
  cli_check_run(ARGS("up", "--topology", "2x1"), 0, ARGS("ready"));
  // The first process is the coordinator.
  cli_check_shell(
      "kill $(sed -n 's/.*\"pid\"[^0-9]*\\([0-9]*\\).*/\\1/p' "
      "$dir/podium/pod-local/pod.json "
      "| head -1); until $podium ls | grep -q gone; do :; done; $podium up -t 2x1",
      0, ARGS("ready"));
  cli_check_run(ARGS("down"), 0, NULL);
  while (waitpid(-1, NULL, 0) > 0) {
  }
}

static void test_a_signal_that_was_ignored_stays_ignored(void **state) {
  (void)state;
  cli_check_shell("trap '' HUP; $podium run " MATMUL
                  " -q --repeat 300 & run=$!; "
                  "kill -HUP $run; wait $run",
                  0, NULL);
}

static void test_sockets_and_folders_are_made_below_tmpdir(void **state) {
  (void)state;
  char work[PATH_SIZE], log[PATH_SIZE];
  cli_in_folder("work", work);
  const char *const argv[] = {getenv("podium"), "run",      MATMUL,
                              "--repeat",       "10000000", NULL};
  const pid_t pid = start(argv, cli_in_folder("log", log));
  wait_for(&(moment_t){.pattern = "podium-run-*/podium/worker-*"}, log);
  kill(pid, SIGTERM);
  reap(pid);
  assert_int_equal(count_entries(work), 0);
  cli_check_shell("TMPDIR=/no/such $podium run " MATMUL, 3,
                  ARGS("no temporary folder can be made in /no/such"));
}

static void test_the_reason_of_a_daemon_that_cannot_start_is_the_error(void **state) {
  (void)state;
  cli_check_run(ARGS("run", MATMUL, "--chip", "v9"), 3,
                ARGS("podium: INVALID_ARGUMENT: there is no chip \"v9\"; there are v2"));
  cli_check_run(ARGS("up", "--topology", "bogus"), 3,
                ARGS("podium: INVALID_ARGUMENT: 'bogus' is no topology"));
  cli_check_run(ARGS("run", MATMUL, "--topology", "64x64x16"), 3,
                ARGS("podium: INVALID_ARGUMENT: "));
}

static int make_folders(void **state) {
  char work[PATH_SIZE];
  return cli_make_folder(state) != 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0 ||
         setenv("TMPDIR", cli_in_folder("work", work), 1) != 0 ||
         system("mkdir $dir/work") != 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_run_that_is_stopped_by_a_signal_leaves_nothing),
      cmocka_unit_test(test_a_run_within_a_long_instruction_ends_with_the_signal),
      cmocka_unit_test(test_a_pod_that_was_not_up_yet_ends_with_its_command),
      cmocka_unit_test(test_a_result_that_is_being_written_is_not_left_half),
      cmocka_unit_test(test_daemons_that_nobody_waits_for_have_ended_all_the_same),
      cmocka_unit_test(test_a_signal_that_was_ignored_stays_ignored),
      cmocka_unit_test(test_sockets_and_folders_are_made_below_tmpdir),
      cmocka_unit_test(test_the_reason_of_a_daemon_that_cannot_start_is_the_error),
  };
  return cmocka_run_group_tests(tests, make_folders, cli_remove_folder);
}
