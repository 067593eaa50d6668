// The file of a local server's token: who makes it, who finds it, whom it is believed of.

#include "common/access/local_token.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/access/file.h"
#include "common/access/place.h"

#define ADDRESS "127.0.0.1:47113"
#define TOKEN "0123456789abcdef0123456789abcdef"

static char runtime[] = "/tmp/podium-runtime-XXXXXX";
static char folder[64], path[96];

static int set_up(void **state) {
  (void)state;
  if (mkdtemp(runtime) == NULL) {
    return -1;
  }
  snprintf(folder, sizeof(folder), "%s/podium", runtime);
  snprintf(path, sizeof(path), "%s/token-47113", folder);
  unsetenv("PODIUM_TOKEN");
  unsetenv("PODIUM_TOKEN_FILE");
  return setenv("XDG_RUNTIME_DIR", runtime, 1);
}

static int tear_down(void **state) {
  (void)state;
  rmdir(folder);
  return rmdir(runtime);
}

static void write_token(void) {
  char *written;
  assert_null(access_write_local_token(ADDRESS, TOKEN, &written));
  assert_string_equal(written, path);
  free(written);
}

static void expect_found(const char *address, const char *expected) {
  char *token = access_find_local_token(address);
  if (expected == NULL) {
    assert_null(token);
  } else {
    assert_non_null(token);
    assert_string_equal(token, expected);
  }
  access_forget(token);
}

static void test_the_file_is_ours_alone_and_found_by_the_port(void **state) {
  (void)state;
  write_token();
  struct stat info;
  assert_int_equal(lstat(path, &info), 0);
  assert_int_equal(info.st_mode & 07777, 0600);
  assert_int_equal(lstat(folder, &info), 0);
  assert_int_equal(info.st_mode & 07777, 0700);
  expect_found(ADDRESS, TOKEN);
  expect_found("localhost:47113", TOKEN);
  // There may be another user's server, who is not to see it.
  expect_found("[::1]:47113", NULL);
  expect_found("127.0.0.2:47113", NULL);
  expect_found("127.0.0.1:47114", NULL);
  expect_found("10.0.0.1:47113", NULL);
  expect_found("unix:/tmp/47113", NULL);
  write_token();  // What a killed server has left is no hindrance.
  unlink(path);
  expect_found(ADDRESS, NULL);
}

static void test_each_address_has_a_file_of_its_own(void **state) {
  (void)state;
  static const char *const cases[][3] = {
      {"0.0.0.0:47113", "token-47113", "127.0.0.1:47113"},
      {"[::]:47113", "token-[::1]-47113", "[::1]:47113"},
      {"[::1]:47113", "token-[::1]-47113", "[::1]:47113"},
      {"127.0.0.2:47113", "token-127.0.0.2-47113", "127.0.0.2:47113"}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    char *written;
    assert_null(access_write_local_token(cases[i][0], TOKEN, &written));
    assert_string_equal(strrchr(written, '/') + 1, cases[i][1]);
    expect_found(cases[i][2], TOKEN);
    unlink(written);
    free(written);
  }
}

static void test_a_file_or_folder_that_others_may_enter_is_not_believed(void **state) {
  (void)state;
  write_token();
  assert_int_equal(chmod(path, 0644), 0);
  expect_found(ADDRESS, NULL);
  assert_int_equal(chmod(path, 0600), 0);
  assert_int_equal(chmod(folder, 0755), 0);
  expect_found(ADDRESS, NULL);
  assert_int_equal(chmod(folder, 0700), 0);
  expect_found(ADDRESS, TOKEN);
  char other[128];
  snprintf(other, sizeof(other), "%s/other", folder);
  assert_int_equal(rename(path, other), 0);
  assert_int_equal(symlink(other, path), 0);
  expect_found(ADDRESS, NULL);
  write_token();  // Takes the place of the link, and writes nothing through it.
  expect_found(ADDRESS, TOKEN);
  unlink(path);
  unlink(other);
}

static void expect_client_token(const char *file, const char *expected) {
  char *token;
  assert_null(access_client_token(ADDRESS, file, false, &token));
  assert_non_null(token);
  assert_string_equal(token, expected);
  access_forget(token);
}

static void test_a_client_takes_what_it_is_given_before_what_it_finds(void **state) {
  (void)state;
  write_token();
  expect_client_token(NULL, TOKEN);
  setenv("PODIUM_TOKEN", "of-the-environment", 1);
  expect_client_token(NULL, "of-the-environment");
  char given[] = "/tmp/podium-token-XXXXXX";
  const int file = mkstemp(given);
  assert_true(write(file, "of-the-file\n", 12) == 12);
  close(file);
  setenv("PODIUM_TOKEN_FILE", given, 1);
  expect_client_token(NULL, "of-the-file");
  setenv("PODIUM_TOKEN_FILE", "/nowhere", 1);
  expect_client_token(given, "of-the-file");
  char *token;
  const pod_status_t status = access_client_token(ADDRESS, NULL, false, &token);
  assert_int_equal(pod_status_code(status), POD_NOT_FOUND);
  pod_status_free(status);
  unsetenv("PODIUM_TOKEN_FILE");
  unsetenv("PODIUM_TOKEN");
  unlink(given);
  unlink(path);
}

static void test_no_token_goes_to_another_host_in_the_clear(void **state) {
  (void)state;
  setenv("PODIUM_TOKEN", "of-the-environment", 1);
  char *token;
  const pod_status_t status = access_client_token("10.0.0.1:7", NULL, false, &token);
  assert_int_equal(pod_status_code(status), POD_FAILED_PRECONDITION);
  assert_null(strstr(pod_status_message(status), "of-the-environment"));
  pod_status_free(status);
  assert_null(access_client_token("10.0.0.1:7", NULL, true, &token));
  assert_string_equal(token, "of-the-environment");
  access_forget(token);
  unsetenv("PODIUM_TOKEN");
  assert_null(access_client_token("10.0.0.1:7", NULL, false, &token));
  assert_null(token);
}

static void test_addresses_of_this_machine_are_told_from_others(void **state) {
  (void)state;
  static const char *const local[] = {"127.0.0.1:0", "127.1.2.3:7", "[::1]:7",
                                      "localhost:7", "unix:/run/x", "127.0.0.1"};
  static const char *const others[] = {"0.0.0.0:7",   "[::]:7",     "10.0.0.1:7",
                                       ":7",          "host:7",     "127.evil.org:7",
                                       "[fd00::1]:7", "128.0.0.1:7"};
  for (size_t i = 0; i < sizeof(local) / sizeof(local[0]); i++) {
    assert_true(access_is_local(local[i]));
    assert_null(access_check_listen("it", local[i], false, false));
  }
  for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
    assert_false(access_is_local(others[i]));
    const pod_status_t status = access_check_listen("it", others[i], false, false);
    assert_int_equal(pod_status_code(status), POD_FAILED_PRECONDITION);
    assert_non_null(strstr(pod_status_message(status), "--insecure"));
    pod_status_free(status);
    assert_null(access_check_listen("it", others[i], true, false));
    assert_null(access_check_listen("it", others[i], false, true));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_file_is_ours_alone_and_found_by_the_port),
      cmocka_unit_test(test_each_address_has_a_file_of_its_own),
      cmocka_unit_test(test_a_file_or_folder_that_others_may_enter_is_not_believed),
      cmocka_unit_test(test_a_client_takes_what_it_is_given_before_what_it_finds),
      cmocka_unit_test(test_no_token_goes_to_another_host_in_the_clear),
      cmocka_unit_test(test_addresses_of_this_machine_are_told_from_others),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
