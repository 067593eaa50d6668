// Tokens and their file; who a caller is found to be, and what he may do.

#include "common/access/access.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define READER "reader-0123456789abcdef"
#define RUNNER "runner-0123456789abcdef"
#define OWN "own-0123456789abcdef-own"

static const char file_text[] =
    "# who may do what\n"
    "\n"
    "read  dashboard " READER
    "\n"
    "run\tci " RUNNER "\r\n";

static access_t *filled(void) {
  access_t *access = access_create();
  assert_null(access_parse_tokens(access, "tokens", file_text, strlen(file_text)));
  assert_null(access_add_own_token(access, OWN));
  return access;
}

static void expect_error(pod_status_t status, pod_code_t code, const char *words) {
  assert_non_null(status);
  if (pod_status_code(status) != code ||
      strstr(pod_status_message(status), words) == NULL) {
    fail_msg("%s: %s", pod_code_name(pod_status_code(status)),
             pod_status_message(status));
  }
  pod_status_free(status);
}

static access_caller_t with(const char *authorization) {
  return (access_caller_t){.authorization = authorization,
                           .authorization_bytes = strlen(authorization)};
}

static access_identity_t identify(const access_t *access, access_caller_t caller) {
  access_identity_t identity;
  assert_null(access_identify(access, &caller, &identity));
  return identity;
}

static void test_a_token_gives_its_role_and_those_below(void **state) {
  (void)state;
  access_t *access = filled();
  const access_identity_t reader = identify(access, with("Bearer " READER));
  assert_string_equal(reader.name, "token dashboard");
  assert_true(access_allows(&reader, ACCESS_OPEN));
  assert_true(access_allows(&reader, ACCESS_READ));
  assert_false(access_allows(&reader, ACCESS_RUN));
  assert_false(access_allows(&reader, ACCESS_WORKER));
  expect_error(access_require(&reader, ACCESS_RUN, "/podium.v1.Podium/Compile"),
               POD_PERMISSION_DENIED,
               "/podium.v1.Podium/Compile needs the role run; token dashboard has read");
  const access_identity_t runner = identify(access, with("bearer " RUNNER));
  assert_true(access_allows(&runner, ACCESS_READ));
  assert_true(access_allows(&runner, ACCESS_RUN));
  assert_false(access_allows(&runner, ACCESS_ADMINISTER));
  access_destroy(access);
}

static void test_who_shows_nothing_or_a_wrong_token_is_nobody(void **state) {
  (void)state;
  access_t *access = filled();
  access_identity_t identity;
  const access_caller_t bare = {0};
  expect_error(access_identify(access, &bare, &identity), POD_UNAUTHENTICATED,
               "does not know who calls");
  static const char *const wrong[] = {("Bearer " READER "x"), "Bearer reader", "Bearer ",
                                      ("Basic " READER), READER};
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
    const access_caller_t caller = with(wrong[i]);
    const pod_status_t status = access_identify(access, &caller, &identity);
    assert_null(strstr(pod_status_message(status), "0123456789"));
    expect_error(status, POD_UNAUTHENTICATED, "");
  }
  access_destroy(access);
}

static void test_our_own_user_has_every_role_by_socket_and_by_token(void **state) {
  (void)state;
  access_t *access = filled();
  const access_identity_t by_socket =
      identify(access, (access_caller_t){.is_own_user = true});
  const access_identity_t by_token = identify(access, with("Bearer " OWN));
  assert_true(access_allows(&by_socket, ACCESS_ADMINISTER));
  assert_true(access_allows(&by_socket, ACCESS_WORKER));
  assert_true(access_allows(&by_token, ACCESS_ADMINISTER));
  assert_string_equal(by_socket.name, by_token.name);
  access_destroy(access);
}

static void test_a_known_token_narrows_and_an_unknown_one_does_not(void **state) {
  (void)state;
  access_t *access = filled();
  access_caller_t caller = with("Bearer " READER);
  caller.is_own_user = true;
  const access_identity_t narrowed = identify(access, caller);
  assert_false(access_allows(&narrowed, ACCESS_RUN));
  caller = with("Bearer of-another-pod-0123456789");
  caller.is_own_user = true;
  const access_identity_t own = identify(access, caller);
  assert_true(access_allows(&own, ACCESS_ADMINISTER));
  access_destroy(access);
}

static void test_a_certificate_gives_the_role_it_names(void **state) {
  (void)state;
  access_t *access = filled();
  access_identity_t identity = identify(
      access,
      (access_caller_t){.certificate_name = "worker-3", .certificate_role = "worker"});
  assert_true(access_allows(&identity, ACCESS_WORKER));
  assert_false(access_allows(&identity, ACCESS_READ));
  assert_string_equal(identity.name, "certificate worker-3");
  static const char *const none[] = {"open", "", "root", NULL};
  for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
    const access_caller_t caller = {.certificate_name = "x", .certificate_role = none[i]};
    expect_error(access_identify(access, &caller, &identity), POD_UNAUTHENTICATED, "");
  }
  access_destroy(access);
}

static void test_an_open_server_takes_anybody_unless_it_has_tokens(void **state) {
  (void)state;
  access_t *access = access_create();
  assert_null(access_add_own_token(access, OWN));
  access_open(access, false);
  const access_identity_t client = identify(access, (access_caller_t){0});
  assert_false(access_allows(&client, ACCESS_WORKER));
  access_open(access, true);
  const access_identity_t anybody = identify(access, (access_caller_t){0});
  assert_true(access_allows(&anybody, ACCESS_ADMINISTER));
  assert_true(access_allows(&anybody, ACCESS_WORKER));
  assert_null(access_add_token(access, ACCESS_RUN, "ci", RUNNER));
  // Then only workers are taken as they come.
  const access_identity_t worker = identify(access, (access_caller_t){0});
  assert_true(access_allows(&worker, ACCESS_WORKER));
  expect_error(access_require(&worker, ACCESS_READ, "it"), POD_UNAUTHENTICATED,
               "does not know who calls");
  access_open(access, false);
  access_identity_t identity;
  const access_caller_t bare = {0};
  expect_error(access_identify(access, &bare, &identity), POD_UNAUTHENTICATED, "");
  access_destroy(access);
}

static void test_a_bad_line_is_named_and_no_token_is_printed(void **state) {
  (void)state;
  static const struct {
    const char *text, *words;
  } cases[] = {
      {"read a " READER "\nrun b\n", "tokens:2: a line is ROLE NAME TOKEN"},
      {"read a " READER " more\n", "tokens:1: a line is ROLE NAME TOKEN"},
      {"\n\nwrite a " READER "\n", "tokens:3: the first word must be"},
      {"worker a " READER "\n", "tokens:1: the first word must be"},
      {"read a short\n", "has 5 characters"},
      {"read a " READER "\nrun b " READER "\n", "tokens:2: a and b have the same token"},
      {"read a " READER "\nrun a " RUNNER "\n", "two tokens of the name a"},
      {"read a/b " READER "\n", "a name has"},
      {"read a token-of-\xc3\xa4\xc3\xb6\xc3\xbc-letters\n", "printable ASCII"},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    access_t *access = access_create();
    const pod_status_t status =
        access_parse_tokens(access, "tokens", cases[i].text, strlen(cases[i].text));
    assert_null(strstr(pod_status_message(status), "0123456789"));
    expect_error(status, POD_INVALID_ARGUMENT, cases[i].words);
    access_destroy(access);
  }
  access_t *access = access_create();
  expect_error(access_parse_tokens(access, "tokens", "a\0b", 3), POD_INVALID_ARGUMENT,
               "no text");
  access_destroy(access);
}

static void test_a_file_that_others_may_read_is_refused(void **state) {
  (void)state;
  char path[] = "/tmp/podium-access-XXXXXX";
  const int file = mkstemp(path);
  assert_true(file >= 0);
  assert_int_equal(write(file, file_text, strlen(file_text)), strlen(file_text));
  static const struct {
    mode_t mode;
    bool is_good;
  } cases[] = {{0600, true},  {0400, true},  {0640, true},
               {0644, false}, {0660, false}, {0602, false}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    assert_int_equal(fchmod(file, cases[i].mode), 0);
    access_t *access = access_create();
    const pod_status_t status = access_load_tokens(access, path);
    if (cases[i].is_good) {
      assert_null(status);
    } else {
      expect_error(status, POD_FAILED_PRECONDITION, "chmod 600");
    }
    access_destroy(access);
  }
  close(file);
  unlink(path);
  access_t *access = access_create();
  expect_error(access_load_tokens(access, path), POD_NOT_FOUND, path);
  expect_error(access_load_tokens(access, "/tmp"), POD_INVALID_ARGUMENT, "no file");
  access_destroy(access);
}

// --- Read again ---

static void write_tokens(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(chmod(path, 0600), 0);
}

static void assert_unknown(const access_t *access, const char *authorization) {
  access_identity_t identity;
  const access_caller_t caller = with(authorization);
  expect_error(access_identify(access, &caller, &identity), POD_UNAUTHENTICATED,
               "not one that this server knows");
}

static void test_a_token_that_was_removed_is_unknown_from_then_on(void **state) {
  (void)state;
  char path[] = "/tmp/podium-tokens-XXXXXX";
  close(mkstemp(path));
  access_t *access = filled();
  write_tokens(path, "run ci " RUNNER "\nadminister new another-0123456789abcdef\n");
  assert_null(access_reload_tokens(access, path));
  assert_int_equal(access_token_count(access), 2);
  assert_unknown(access, "Bearer " READER);
  assert_string_equal(identify(access, with("Bearer " RUNNER)).name, "token ci");
  const access_identity_t added =
      identify(access, with("Bearer another-0123456789abcdef"));
  assert_true(access_allows(&added, ACCESS_ADMINISTER));
  assert_non_null(strstr(identify(access, with("Bearer " OWN)).name, "own user"));
  // What is no file of tokens changes nothing.
  write_tokens(path, "run ci " RUNNER "\nrun half");
  expect_error(access_reload_tokens(access, path), POD_INVALID_ARGUMENT, ":2:");
  unlink(path);
  expect_error(access_reload_tokens(access, path), POD_NOT_FOUND, path);
  assert_int_equal(access_token_count(access), 2);
  assert_string_equal(identify(access, with("Bearer " RUNNER)).name, "token ci");
  access_destroy(access);
}

// An empty file of tokens is one in which everybody has been removed, or half of one.
static void test_a_server_does_not_open_when_its_tokens_are_gone(void **state) {
  (void)state;
  char path[] = "/tmp/podium-tokens-XXXXXX";
  close(mkstemp(path));
  access_t *access = filled();
  access_open(access, false);
  write_tokens(path, "");
  for (int i = 0; i < 2; i++) {
    assert_null(access_reload_tokens(access, path));
    access_identity_t identity;
    const access_caller_t bare = {0};
    expect_error(access_identify(access, &bare, &identity), POD_UNAUTHENTICATED, "");
    assert_unknown(access, "Bearer " READER);
  }
  unlink(path);
  access_destroy(access);
}

// Somebody works for him while he is not there: as he, but never as who administers.
static void test_a_token_that_is_lent_is_its_lender_until_it_is_taken_back(void **state) {
  (void)state;
  static const char lent[] = "fedcba9876543210fedcba9876543210";
  access_t *access = filled();
  access_lend(access, "token anna", lent, 7);
  const char shown[] = "Bearer fedcba9876543210fedcba9876543210";
  const access_caller_t caller = {.is_own_user = true,
                                  .authorization = shown,
                                  .authorization_bytes = sizeof(shown) - 1};
  access_identity_t identity;
  assert_null(access_identify(access, &caller, &identity));
  assert_string_equal(identity.name, "token anna");
  assert_int_equal(identity.errand, 7);
  assert_true(access_allows(&identity, ACCESS_RUN));
  assert_false(access_allows(&identity, ACCESS_ADMINISTER));
  assert_false(access_allows(&identity, ACCESS_WORKER));
  access_end_loan(access, lent);
  access_end_loan(access, lent);
  assert_null(access_identify(access, &caller, &identity));
  assert_string_not_equal(identity.name, "token anna");
  assert_unknown(access, shown);
  access_destroy(access);
}

static void test_a_token_that_is_lent_stays_so_when_tokens_are_read_again(void **state) {
  (void)state;
  char path[] = "/tmp/podium_tokens_XXXXXX";
  close(mkstemp(path));
  access_t *access = filled();
  access_lend(access, "token anna", "fedcba9876543210fedcba9876543210", 7);
  write_tokens(path, "");
  assert_null(access_reload_tokens(access, path));
  const char shown[] = "Bearer fedcba9876543210fedcba9876543210";
  const access_caller_t caller = {.authorization = shown,
                                  .authorization_bytes = sizeof(shown) - 1};
  access_identity_t identity;
  assert_null(access_identify(access, &caller, &identity));
  assert_string_equal(identity.name, "token anna");
  unlink(path);
  access_destroy(access);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_token_gives_its_role_and_those_below),
      cmocka_unit_test(test_who_shows_nothing_or_a_wrong_token_is_nobody),
      cmocka_unit_test(test_our_own_user_has_every_role_by_socket_and_by_token),
      cmocka_unit_test(test_a_known_token_narrows_and_an_unknown_one_does_not),
      cmocka_unit_test(test_a_certificate_gives_the_role_it_names),
      cmocka_unit_test(test_an_open_server_takes_anybody_unless_it_has_tokens),
      cmocka_unit_test(test_a_bad_line_is_named_and_no_token_is_printed),
      cmocka_unit_test(test_a_file_that_others_may_read_is_refused),
      cmocka_unit_test(test_a_token_that_was_removed_is_unknown_from_then_on),
      cmocka_unit_test(test_a_server_does_not_open_when_its_tokens_are_gone),
      cmocka_unit_test(test_a_token_that_is_lent_is_its_lender_until_it_is_taken_back),
      cmocka_unit_test(test_a_token_that_is_lent_stays_so_when_tokens_are_read_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
