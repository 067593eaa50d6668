// The scripts, run by this machine's own sh.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/launch/remote.h"
#include "client/launch/script.h"

enum { TIMEOUT_MS = 60000 };

static char folder[] = "/tmp/podium-script-test-XXXXXX";

static char *run_in(char *shell, const char *script) {
  char *argv[] = {shell, "-s", NULL};
  launch_children_t children = {0};
  launch_call_t call = {.argv = argv,
                        .input = script,
                        .input_length = strlen(script),
                        .timeout_ms = TIMEOUT_MS};
  launch_calls_run(&call, 1, &children, NULL, NULL);
  assert_false(call.is_late);
  pod_text_add(&call.output, "");
  pod_text_deinit(&call.errors);
  return pod_text_take(&call.output);
}

static char *run(pod_text_t *script) {
  char *said = run_in("sh", script->bytes);
  pod_text_deinit(script);
  return said;
}

static char *path_of(const char *name) {
  pod_text_t path = {0};
  pod_text_printf(&path, "%s/%s", folder, name);
  return pod_text_take(&path);
}

static void write_program(const char *name, const char *text) {
  char *path = path_of(name);
  FILE *file = fopen(path, "we");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(chmod(path, 0700), 0);
  free(path);
}

// A podium-host that has a child, and a child's child that does not hear SIGTERM.
static void write_podium_host(void) {
  write_program("podium-host",
                "#!/bin/sh\n"
                "[ \"$1\" != --version ] || { echo podium-host 1.2.3; exit; }\n"
                "echo \"$1\" >\"$2/said\"\n"
                "sleep 1000 &\n"
                "echo $! >\"$2/child\"\n"
                "echo 10.0.0.1:99 >\"$2/address\"\n"
                "trap 'kill $!; exit 0' TERM\n"
                "wait\n");
}

static bool start_in(const char *there, const char *text, char **out_said) {
  char *program = path_of("podium-host");
  const char *const arguments[] = {"it's $HOME `id` \"x\"\\", there, NULL};
  const launch_file_t file = {.name = "pod.secret", .text = text};
  const launch_start_t start = {.folder = there,
                                .program = program,
                                .arguments = arguments,
                                .file_count = 1,
                                .files = &file,
                                .serves = true};
  pod_text_t script = {0};
  assert_null(launch_script_start(&script, &start));
  *out_said = run(&script);
  free(program);
  char *refusal = launch_refusal(*out_said);
  const bool is_started = refusal == NULL;
  free(refusal);
  return is_started;
}

static char *read_text(const char *there, const char *name) {
  pod_text_t path = {0}, text = {0};
  pod_text_printf(&path, "%s/%s", there, name);
  FILE *file = fopen(path.bytes, "re");
  assert_non_null(file);
  assert_int_equal(pod_text_add_to_end(&text, fileno(file), 10000), 0);
  assert_int_equal(fclose(file), 0);
  pod_text_deinit(&path);
  return pod_text_take(&text);
}

// Or waits, ended, for a parent that does not ask.
static bool has_ended(pid_t pid) {
  char path[64], line[512] = "";
  (void)snprintf(path, sizeof(path), "/proc/%d/stat", pid);
  FILE *file = fopen(path, "re");
  if (file != NULL) {
    (void)!fgets(line, sizeof(line), file);
    (void)fclose(file);
  }
  const char *rest = strrchr(line, ')');
  return rest == NULL || rest[2] == 'Z';
}

static void test_a_word_is_one_word_for_the_shell(void **state) {
  (void)state;
  pod_text_t script = {0};
  pod_text_add(&script, "printf '%s' ");
  launch_quote(&script, "it's \"$HOME\" `id`\n\\ *");
  pod_text_add(&script, "\n");
  char *said = run(&script);
  assert_string_equal(said, "it's \"$HOME\" `id`\n\\ *");
  free(said);
}

static void test_the_program_is_looked_for_where_it_may_be(void **state) {
  (void)state;
  write_podium_host();
  pod_text_t script = {0};
  launch_script_probe(&script, NULL, folder);
  char *said = run(&script);
  char *version = launch_said(said, "version"), *base = launch_said(said, "base");
  assert_string_equal(version, "podium-host 1.2.3");
  assert_int_equal(strncmp(base, "/tmp/podium-", 12), 0);
  free(said);
  free(version);
  free(base);
  launch_script_probe(&script, "/nowhere", folder);
  said = run(&script);
  char *refusal = launch_refusal(said);
  assert_string_equal(refusal, "there is no podium-host in /nowhere");
  free(refusal);
  free(said);
  write_program("podium-host", "#!/bin/sh\necho no libuv >&2\nexit 1\n");
  launch_script_probe(&script, folder, "");
  said = run(&script);
  refusal = launch_refusal(said);
  assert_non_null(strstr(refusal, "does not run there: no libuv"));
  free(refusal);
  free(said);
}

static void test_what_is_started_gets_its_words_and_files_and_is_ended(void **state) {
  (void)state;
  write_podium_host();
  char *there = path_of("a pod"), *said;
  assert_true(start_in(there, "secret $HOME 'x'\n", &said));
  char *address = launch_said(said, "address");
  assert_string_equal(address, "10.0.0.1:99");
  free(address);
  free(said);
  char *words = read_text(there, "said"), *secret = read_text(there, "pod.secret");
  assert_string_equal(words, "it's $HOME `id` \"x\"\\\n");
  assert_string_equal(secret, "secret $HOME 'x'\n");
  free(words);
  free(secret);
  char *child = read_text(there, "child");
  const pid_t pid = (pid_t)strtol(child, NULL, 10);
  free(child);
  struct stat info;
  pod_text_t path = {0};
  pod_text_printf(&path, "%s/pod.secret", there);
  assert_int_equal(stat(path.bytes, &info), 0);
  assert_int_equal(info.st_mode & 0777, 0600);
  pod_text_deinit(&path);
  assert_false(start_in(there, "again\n", &said));  // The folder is another's.
  free(said);
  pod_text_t script = {0};
  launch_script_ask(&script, there);
  said = run(&script);
  char *now = launch_said(said, "state");
  assert_string_equal(now, "runs");
  free(now);
  free(said);
  launch_script_stop(&script, there);
  said = run(&script);
  char *stopped = launch_said(said, "stopped");
  assert_string_equal(stopped, "1");
  free(stopped);
  free(said);
  assert_int_equal(stat(there, &info), -1);
  assert_true(has_ended(pid));
  launch_script_stop(&script, there);
  said = run(&script);
  stopped = launch_said(said, "stopped");
  assert_string_equal(stopped, "0");
  free(stopped);
  free(said);
  free(there);
}

static void test_children_of_one_that_was_killed_are_ended_by_a_pattern(void **state) {
  (void)state;
  write_podium_host();
  char *there = path_of("host-x-1"), *said;
  assert_true(start_in(there, "secret\n", &said));
  free(said);
  char *pid = read_text(there, "pid"), *child = read_text(there, "child");
  const pid_t child_pid = (pid_t)strtol(child, NULL, 10);
  assert_int_equal(kill((pid_t)strtol(pid, NULL, 10), SIGKILL), 0);
  assert_false(has_ended(child_pid));
  pod_text_t script = {0};
  char *pattern = path_of("host-x-*");
  launch_script_stop(&script, pattern);
  said = run(&script);
  char *stopped = launch_said(said, "stopped");
  assert_string_equal(stopped, "1");
  assert_true(has_ended(child_pid));
  free(stopped);
  free(said);
  free(pattern);
  free(pid);
  free(child);
  free(there);
}

// A killed `podium up` may have a script on its way that comes behind the one that ends.
static void test_what_was_ended_before_it_began_does_not_begin(void **state) {
  (void)state;
  write_podium_host();
  char *there = path_of("host-late-1"), *said;
  pod_text_t script = {0};
  launch_script_stop(&script, there);
  free(run(&script));
  assert_false(start_in(there, "secret\n", &said));
  assert_non_null(strstr(said, "ended before it began"));
  free(said);
  struct stat info;
  assert_int_equal(stat(there, &info), -1);
  free(there);
}

static void test_a_process_that_has_only_the_number_is_left_alone(void **state) {
  (void)state;
  char *there = path_of("other");
  assert_int_equal(mkdir(there, 0700), 0);
  pod_text_t path = {0};
  pod_text_printf(&path, "%s/pid", there);
  FILE *file = fopen(path.bytes, "we");
  assert_non_null(file);
  assert_true(fprintf(file, "%d 1\n", getpid()) > 0);
  assert_int_equal(fclose(file), 0);
  pod_text_deinit(&path);
  pod_text_t script = {0};
  launch_script_stop(&script, there);
  free(run(&script));  // Or this test would have ended.
  struct stat info;
  assert_int_equal(stat(there, &info), -1);
  free(there);
}

static void test_half_a_script_does_nothing(void **state) {
  (void)state;
  write_podium_host();
  char *program = path_of("podium-host"), *there = path_of("half");
  const char *const arguments[] = {"x", there, NULL};
  const launch_file_t file = {.name = "f", .text = "text\n"};
  const launch_start_t start = {.folder = there,
                                .program = program,
                                .arguments = arguments,
                                .file_count = 1,
                                .files = &file};
  pod_text_t script = {0};
  assert_null(launch_script_start(&script, &start));
  const size_t whole = script.length;
  for (size_t cut = 1; cut < 200; cut += 7) {
    script.bytes[whole - cut - strlen("main\n")] = '\0';
    free(run_in("sh", script.bytes));
    struct stat info;
    assert_int_equal(stat(there, &info), -1);
  }
  pod_text_deinit(&script);
  free(there);
  free(program);
}

static void test_a_file_that_ends_the_script_is_refused(void **state) {
  (void)state;
  const char *const arguments[] = {NULL};
  const launch_file_t file = {.name = "chip", .text = "a\nPODIUM_END_OF_FILE\nreboot\n"};
  const launch_start_t start = {.folder = "/x",
                                .program = "x",
                                .arguments = arguments,
                                .file_count = 1,
                                .files = &file};
  pod_text_t script = {0};
  const pod_status_t status = launch_script_start(&script, &start);
  assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
  pod_status_free(status);
  pod_text_deinit(&script);
}

static int make_folder(void **state) {
  (void)state;
  return mkdtemp(folder) == NULL ? -1 : 0;
}

static int remove_folder(void **state) {
  (void)state;
  pod_text_t command = {0};
  pod_text_printf(&command, "rm -rf %s\n", folder);
  free(run(&command));
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_word_is_one_word_for_the_shell),
      cmocka_unit_test(test_the_program_is_looked_for_where_it_may_be),
      cmocka_unit_test(test_what_is_started_gets_its_words_and_files_and_is_ended),
      cmocka_unit_test(test_children_of_one_that_was_killed_are_ended_by_a_pattern),
      cmocka_unit_test(test_what_was_ended_before_it_began_does_not_begin),
      cmocka_unit_test(test_a_process_that_has_only_the_number_is_left_alone),
      cmocka_unit_test(test_half_a_script_does_nothing),
      cmocka_unit_test(test_a_file_that_ends_the_script_is_refused),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
