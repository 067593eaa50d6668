// Programs started from a process with threads.

#include "common/base/child.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/text.h"

static pod_status_t run(const char *script, int output, const int *files, size_t count,
                        int *out_result) {
  const char *const arguments[] = {"sh", "-c", script, NULL};
  pid_t pid;
  POD_TRY(pod_child_start(&(pod_child_t){.path = "/bin/sh",
                                         .arguments = arguments,
                                         .input = -1,
                                         .output = output,
                                         .files = files,
                                         .file_count = count},
                          &pid));
  assert_int_equal(waitpid(pid, out_result, 0), pid);
  return NULL;
}

// What it writes.
static void assert_says(const char *script, const int *files, size_t count,
                        const char *expected) {
  int ends[2], result;
  pod_text_t text = {0};
  assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
  assert_null(run(script, ends[1], files, count, &result));
  close(ends[1]);
  assert_int_equal(result, 0);
  assert_int_equal(pod_text_add_to_end(&text, ends[0], 4096), 0);
  close(ends[0]);
  assert_string_equal(text.bytes, expected);
  pod_text_deinit(&text);
}

static int file_with(const char *word) {
  char path[] = "/tmp/podium-child-XXXXXX";
  const int file = mkstemp(path);
  assert_true(file >= 0);
  unlink(path);
  assert_int_equal(write(file, word, strlen(word)), strlen(word));
  assert_int_equal(lseek(file, 0, SEEK_SET), 0);
  return file;
}

static void test_it_has_the_descriptors_that_it_is_given_in_their_order(void **state) {
  (void)state;
  int files[2] = {file_with("one "), file_with("two\n")};
  assert_says("cat <&3; cat <&4", files, 2, "one two\n");
  // Where they stand in one another's places.
  assert_int_equal(dup2(files[0], 14), 14);
  assert_int_equal(dup2(files[1], 3 + 1), 4);
  assert_int_equal(dup2(14, 3), 3);
  const int crossed[2] = {4, 3};
  assert_int_equal(lseek(3, 0, SEEK_SET), 0);
  assert_int_equal(lseek(4, 0, SEEK_SET), 0);
  assert_says("cat <&3; cat <&4", crossed, 2, "two\none ");
  close(14);
  close(3);
  close(4);
}

// A descriptor that nobody has marked is not inherited either.
static void test_it_has_no_others(void **state) {
  (void)state;
  const int kept = dup2(STDERR_FILENO, 60);
  assert_int_equal(kept, 60);
  assert_says("ls /proc/$$/fd; true", NULL, 0, "0\n1\n2\n");
  close(kept);
}

static void test_our_signals_are_not_its(void **state) {
  (void)state;
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  sigprocmask(SIG_BLOCK, &blocked, NULL);
  signal(SIGTERM, SIG_IGN);
  int result;
  assert_null(run("kill -TERM $$; sleep 60", -1, NULL, 0, &result));
  assert_true(WIFSIGNALED(result) && WTERMSIG(result) == SIGTERM);
  assert_null(run("kill -USR1 $$; sleep 60", -1, NULL, 0, &result));
  assert_true(WIFSIGNALED(result) && WTERMSIG(result) == SIGUSR1);
  signal(SIGTERM, SIG_DFL);
  sigprocmask(SIG_UNBLOCK, &blocked, NULL);
}

static void test_a_program_that_is_none_is_an_error(void **state) {
  (void)state;
  const char *const arguments[] = {"none", NULL};
  pid_t pid;
  const pod_status_t status = pod_child_start(
      &(pod_child_t){
          .path = "/nowhere/none", .arguments = arguments, .input = -1, .output = -1},
      &pid);
  assert_int_equal(pod_status_code(status), POD_UNAVAILABLE);
  assert_non_null(strstr(pod_status_message(status), "/nowhere/none"));
  pod_status_free(status);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_it_has_the_descriptors_that_it_is_given_in_their_order),
      cmocka_unit_test(test_it_has_no_others),
      cmocka_unit_test(test_our_signals_are_not_its),
      cmocka_unit_test(test_a_program_that_is_none_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
