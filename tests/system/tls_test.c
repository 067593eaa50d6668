// A pod whose daemons, links and clients speak TLS with certificates of `podium
// certificates`, in a network namespace of its own: at an address that is not of
// loopback, so that nothing goes by a unix socket.
//
// Skipped where namespaces may not be made.

#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/clock.h"
#include "common/certificates/certificate.h"
#include "tests/system/cli.h"
#include "tests/system/pod.h"

#define HOST "10.77.0.1"
#define PROGRAM PROGRAMS_FOLDER "/all_gather.2x2.small.mlir"

enum { HOUR_S = 3600, FILE_BYTES_MAX = 1 << 16, LOG_WAIT_MS = 30000 };

// --- Files ---

// "FOLDER/NAME", in one of sixteen places that are used in turn.
static const char *file(const char *folder, const char *name) {
  static char paths[16][CLI_PATH_SIZE];
  static int turn;
  char *path = paths[turn++ % 16];
  snprintf(path, CLI_PATH_SIZE, "%s/%s/%s", cli_folder(), folder, name);
  return path;
}

static void make_files(const char *folder) {
  char path[CLI_PATH_SIZE];
  cli_check_run(ARGS("certificates", cli_in_folder(folder, path), "--host", HOST), 0,
                NULL);
}

static char *read_file(const char *path) {
  FILE *stream = fopen(path, "r");
  assert_non_null(stream);
  char *text = calloc(1, FILE_BYTES_MAX);
  assert_true(fread(text, 1, FILE_BYTES_MAX - 1, stream) > 0);
  fclose(stream);
  return text;
}

static void write_file(const char *path, const char *text) {
  FILE *stream = fopen(path, "w");
  assert_non_null(stream);
  fputs(text, stream);
  assert_int_equal(fclose(stream), 0);
}

// A client's certificate of the pod's authority that was good until a minute ago.
static void make_expired(const char *folder) {
  certificate_t authority = {read_file(file(folder, "ca.crt")),
                             read_file(file(folder, "ca.key"))};
  certificate_t expired = {0};
  const certificate_request_t request = {.name = "expired",
                                         .role = "run",
                                         .begins_s = time(NULL) - HOUR_S,
                                         .ends_s = time(NULL) - 60};
  assert_null(certificate_issue(&request, &authority, &expired));
  write_file(file(folder, "expired.crt"), expired.certificate_pem);
  write_file(file(folder, "expired.key"), expired.key_pem);
  certificate_deinit(&authority);
  certificate_deinit(&expired);
}

// --- Pods ---

static bool has_network;

static system_pod_t *start_pod(const char *folder, int workers) {
  return system_pod_start(&(system_pod_options_t){
      .listen = HOST ":0",
      .workers = workers,
      .coordinator_args = {"--tls-certificate", file(folder, "coordinator.crt"),
                           "--tls-key", file(folder, "coordinator.key"), "--tls-ca",
                           file(folder, "ca.crt"), "--tokens-file",
                           file(folder, "tokens"), NULL},
      .worker_args = {"--tls-certificate", file(folder, "worker.crt"), "--tls-key",
                      file(folder, "worker.key"), "--tls-ca", file(folder, "ca.crt"),
                      NULL}});
}

static void wait_for_log(const system_pod_t *pod, int process, const char *text) {
  const int64_t end_ns = pod_clock_now_ns() + (int64_t)LOG_WAIT_MS * 1000000;
  for (bool found = false; !found;) {
    char *log = system_pod_log(pod, process);
    found = strstr(log, text) != NULL;
    free(log);
    if (!found && pod_clock_now_ns() > end_ns) {
      system_pod_fail(pod, text);
    }
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  }
}

static void expect(const system_pod_t *pod, const char *ca, const char *certificate,
                   const char *key, int exit_status, const char *words) {
  const char *const arguments[] = {"run",
                                   PROGRAM,
                                   "--pod",
                                   system_pod_address(pod),
                                   "--tls-ca",
                                   ca,
                                   certificate != NULL ? "--tls-certificate" : NULL,
                                   certificate,
                                   "--tls-key",
                                   key,
                                   NULL};
  cli_check_run(arguments, exit_status, ARGS(words));
}

// --- Tests ---

static void test_the_command_makes_files_once_and_adds_to_them(void **state) {
  (void)state;
  char path[CLI_PATH_SIZE];
  cli_in_folder("made", path);
  cli_check_run(ARGS("certificates", path, "--days", "2", "--json"), 0,
                ARGS("\"files\"", "made/ca.crt", "made/pod.secret"));
  cli_check_run(ARGS("certificates", path), 3, ARGS("ALREADY_EXISTS", "say --force"));
  cli_check_run(ARGS("certificates", path, "--add", "alice", "--role", "run"), 0,
                ARGS("made/alice.crt", "made/alice.key"));
  cli_check_run(ARGS("certificates", path, "--force"), 0, ARGS("made/ca.key"));
  cli_check_run(ARGS("certificates"), 2, ARGS("DIR is missing"));
  cli_check_run(ARGS("certificates", path, "--add", "bob"), 2,
                ARGS("--add and --role are given together"));
  cli_check_run(ARGS("certificates", path, "--days", "0"), 2, ARGS("--days needs"));
  cli_check_run(ARGS("certificates", path, "--force", "--host", "tpu:80"), 3,
                ARGS("'tpu:80' is no host name and no IP address"));
}

static void test_a_pod_of_tls_runs_programs_for_who_may(void **state) {
  (void)state;
  if (!has_network) {
    skip();
  }
  make_files("keys");
  make_expired("keys");
  make_files("others");
  system_pod_t *pod = start_pod("keys", 0);
  const char *ca = file("keys", "ca.crt");
  expect(pod, ca, file("keys", "run.crt"), file("keys", "run.key"), 0, "result0");
  expect(pod, ca, file("keys", "read.crt"), file("keys", "read.key"), 3,
         "PERMISSION_DENIED");
  expect(pod, ca, NULL, NULL, 3, "UNAUTHENTICATED");
  expect(pod, ca, file("keys", "expired.crt"), file("keys", "expired.key"), 3,
         "it does not accept our certificate: it has expired");
  expect(pod, ca, file("others", "run.crt"), file("others", "run.key"), 3,
         "it does not accept our certificate: no authority that it knows has signed it");
  expect(pod, file("others", "ca.crt"), NULL, NULL, 3, "who is no authority of ");
  expect(pod, ca, file("keys", "run.crt"), file("keys", "read.key"), 3,
         "read.key does not belong to the certificate ");
  cli_check_run(ARGS("run", PROGRAM, "--pod", system_pod_address(pod)), 3,
                ARGS("it speaks TLS, and we were given no CA (--tls-ca)"));
  system_pod_stop(pod);
}

static void test_the_environment_says_it_to_all_commands(void **state) {
  (void)state;
  if (!has_network) {
    skip();
  }
  system_pod_t *pod = start_pod("keys", 0);
  setenv("PODIUM_POD", system_pod_address(pod), 1);
  setenv("PODIUM_TLS_CA", file("keys", "ca.crt"), 1);
  setenv("PODIUM_TLS_CERTIFICATE", file("keys", "administer.crt"), 1);
  setenv("PODIUM_TLS_KEY", file("keys", "administer.key"), 1);
  cli_check_run(ARGS("run", PROGRAM), 0, ARGS("result0"));
  cli_check_run(ARGS("status"), 0, ARGS("ready"));
  unsetenv("PODIUM_TLS_CERTIFICATE");
  cli_check_run(ARGS("status"), 3,
                ARGS("a certificate and its key are given together; one is missing"));
  unsetenv("PODIUM_TLS_CA");
  cli_check_run(ARGS("status"), 3, ARGS("no authority to believe the coordinator by"));
  unsetenv("PODIUM_TLS_KEY");
  unsetenv("PODIUM_POD");
  system_pod_stop(pod);
}

static void test_a_worker_of_another_authority_does_not_come_in(void **state) {
  (void)state;
  if (!has_network) {
    skip();
  }
  system_pod_t *pod = start_pod("keys", -1);
  const int stranger = system_pod_add_worker(
      pod, ARGS("--tls-certificate", file("others", "worker.crt"), "--tls-key",
                file("others", "worker.key"), "--tls-ca", file("keys", "ca.crt")));
  wait_for_log(pod, stranger, "it does not accept our certificate");
  const int doubting = system_pod_add_worker(
      pod, ARGS("--tls-ca", file("others", "ca.crt"), "--tls-certificate",
                file("others", "worker.crt"), "--tls-key", file("others", "worker.key")));
  wait_for_log(pod, doubting, "who is no authority of ");
  char *log = system_pod_log(pod, -1);
  assert_null(strstr(log, "has joined"));
  free(log);
  system_pod_stop(pod);
}

// A worker's key opens no pod in the coordinator's name.
static void test_a_daemon_with_a_workers_certificate_is_no_coordinator(void **state) {
  (void)state;
  if (!has_network) {
    skip();
  }
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){
      .listen = HOST ":0",
      .topology = "1x1",
      .workers = -1,
      .coordinator_args = {"--tls-certificate", file("keys", "worker.crt"), "--tls-key",
                           file("keys", "worker.key"), "--tls-ca", file("keys", "ca.crt"),
                           NULL},
      .worker_args = {"--tls-certificate", file("keys", "worker.crt"), "--tls-key",
                      file("keys", "worker.key"), "--tls-ca", file("keys", "ca.crt"),
                      NULL}});
  const int worker = system_pod_add_worker(pod, NULL);
  wait_for_log(pod, worker,
               "its certificate is for the role worker, not for coordinator");
  expect(pod, file("keys", "ca.crt"), file("keys", "run.crt"), file("keys", "run.key"), 3,
         "its certificate is for the role worker, not for coordinator");
  system_pod_stop(pod);
}

static void expect_of_token(const system_pod_t *pod, const char *ca,
                            const char *token_file, int exit_status, const char *words) {
  cli_check_run(ARGS("run", PROGRAM, "--pod", system_pod_address(pod), "--tls-ca", ca,
                     "--token-file", token_file),
                exit_status, ARGS(words));
}

static void hang_up(const system_pod_t *pod, const char *logged) {
  assert_int_equal(kill(system_pod_coordinator(pod), SIGHUP), 0);
  wait_for_log(pod, -1, logged);
}

// The pod keeps its workers, and what it computes; only who comes anew meets what the
// files say now.
static void test_a_hangup_reads_the_files_again(void **state) {
  (void)state;
  if (!has_network) {
    skip();
  }
  make_files("changing");
  write_file(file("changing", "first"), "first-0123456789abcdef");
  write_file(file("changing", "second"), "second-0123456789abcdef");
  assert_int_equal(chmod(file("changing", "first"), 0600), 0);
  assert_int_equal(chmod(file("changing", "second"), 0600), 0);
  write_file(file("changing", "tokens"), "run first first-0123456789abcdef\n");
  system_pod_t *pod = start_pod("changing", 0);
  expect_of_token(pod, file("changing", "ca.crt"), file("changing", "first"), 0,
                  "result0");
  write_file(file("changing", "tokens"), "run second second-0123456789abcdef\n");
  hang_up(pod, "--tokens-file: read again");
  expect_of_token(pod, file("changing", "ca.crt"), file("changing", "first"), 3,
                  "not one that this server knows");
  expect_of_token(pod, file("changing", "ca.crt"), file("changing", "second"), 0,
                  "result0");
  char *old = read_file(file("keys", "run.crt"));
  write_file(file("changing", "coordinator.crt"), old);
  free(old);
  hang_up(pod, "TLS: kept as before");
  expect_of_token(pod, file("changing", "ca.crt"), file("changing", "second"), 0,
                  "result0");
  // Another authority, for everybody; what is connected stays.
  old = read_file(file("changing", "ca.crt"));
  write_file(file("changing", "old.crt"), old);
  free(old);
  char path[CLI_PATH_SIZE];
  cli_check_run(
      ARGS("certificates", cli_in_folder("changing", path), "--host", HOST, "--force"), 0,
      NULL);
  write_file(file("changing", "tokens"), "run third first-0123456789abcdef\n");
  hang_up(pod, "I TLS: read again");
  expect_of_token(pod, file("changing", "old.crt"), file("changing", "first"), 3,
                  "who is no authority of");
  expect(pod, file("changing", "ca.crt"), file("changing", "run.crt"),
         file("changing", "run.key"), 0, "result0");
  system_pod_stop(pod);
}

static void test_daemons_end_with_what_is_wrong_with_their_files(void **state) {
  (void)state;
  if (!has_network) {
    skip();
  }
  const char *const arguments[][4] = {
      {"--tls-certificate", file("keys", "worker.crt"), NULL},
      {"--tls-client-ca", file("keys", "ca.crt"), NULL},
  };
  const char *const words[] = {"--tls-certificate and --tls-key are given together",
                               "--tls-client-ca needs --tls-certificate"};
  for (size_t i = 0; i < 2; i++) {
    char *output;
    assert_int_not_equal(system_run("podium-coordinator", arguments[i], &output), 0);
    assert_non_null(strstr(output, words[i]));
    free(output);
  }
  char *output;
  assert_int_equal(
      system_run("podium-coordinator", ARGS("--tls-ca", "/nowhere/ca.crt"), &output), 1);
  assert_non_null(strstr(output, "/nowhere/ca.crt: No such file"));
  free(output);
}

static int start_network(void **state) {
  has_network = unshare(CLONE_NEWNET) == 0 &&
                system("ip link set lo up && ip address add " HOST "/32 dev lo") == 0;
  if (!has_network) {
    print_message("skipped: no network namespaces here\n");
  }
  return cli_make_folder(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_command_makes_files_once_and_adds_to_them),
      cmocka_unit_test(test_a_pod_of_tls_runs_programs_for_who_may),
      cmocka_unit_test(test_the_environment_says_it_to_all_commands),
      cmocka_unit_test(test_a_worker_of_another_authority_does_not_come_in),
      cmocka_unit_test(test_a_daemon_with_a_workers_certificate_is_no_coordinator),
      cmocka_unit_test(test_a_hangup_reads_the_files_again),
      cmocka_unit_test(test_daemons_end_with_what_is_wrong_with_their_files),
  };
  return cmocka_run_group_tests(tests, start_network, cli_remove_folder);
}
