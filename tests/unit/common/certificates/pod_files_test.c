// A pod's files: who may read them, what is not overwritten, and that the pod takes them.

#include "common/certificates/pod_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/access/access.h"
#include "common/access/secret.h"
#include "common/rpc/credentials.h"

enum { DAYS = 30 };

typedef struct folder_t {
  char parent[64];
  char path[80];
} folder_t;

static folder_t make_folder(void) {
  folder_t folder = {.parent = "/tmp/podium-files-XXXXXX"};
  assert_non_null(mkdtemp(folder.parent));
  snprintf(folder.path, sizeof(folder.path), "%s/keys", folder.parent);
  return folder;
}

static void remove_folder(const folder_t *folder) {
  char command[96];
  snprintf(command, sizeof(command), "rm -r '%s'", folder->parent);
  assert_int_equal(system(command), 0);
}

static const char *in(const folder_t *folder, const char *name) {
  static char paths[4][128];
  static int turn;
  char *path = paths[turn++ % 4];
  snprintf(path, sizeof(paths[0]), "%s/%s", folder->path, name);
  return path;
}

static mode_t mode_of(const char *path) {
  struct stat info;
  assert_int_equal(stat(path, &info), 0);
  return info.st_mode & 07777;
}

static char *contents(const char *path) {
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  char *text = calloc(1, 1 << 16);
  assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
  fclose(file);
  return text;
}

static void test_a_pod_takes_all_of_its_files(void **state) {
  (void)state;
  static const char *const hosts[] = {"tpu-1.example", "10.1.2.3"};
  static const char *const names[] = {"coordinator", "worker", "read", "run",
                                      "administer"};
  folder_t folder = make_folder();
  const pod_files_options_t options = {
      .folder = folder.path, .hosts = hosts, .host_count = 2, .days = DAYS};
  pod_text_t paths = {0};
  assert_null(pod_files_write(&options, &paths));
  assert_non_null(strstr(paths.bytes, "keys/ca.crt\n"));
  assert_non_null(strstr(paths.bytes, "keys/tokens\n"));
  for (size_t i = 0; i < 5; i++) {
    char certificate[128], key[128];
    snprintf(certificate, sizeof(certificate), "%s/%s.crt", folder.path, names[i]);
    snprintf(key, sizeof(key), "%s/%s.key", folder.path, names[i]);
    rpc_credentials_t *credentials = NULL;
    assert_null(rpc_credentials_for_client(in(&folder, "ca.crt"), certificate, key,
                                           &credentials));
    rpc_credentials_destroy(credentials);
  }
  access_t *access = access_create();
  access_secret_t secret;
  assert_null(access_load_tokens(access, in(&folder, "tokens")));
  assert_null(access_read_secret(in(&folder, "pod.secret"), &secret));
  access_destroy(access);
  pod_text_deinit(&paths);
  remove_folder(&folder);
}

static void test_secrets_are_for_their_owner_alone(void **state) {
  (void)state;
  static const char *const secrets[] = {"ca.key",  "coordinator.key", "worker.key",
                                        "run.key", "pod.secret",      "tokens"};
  folder_t folder = make_folder();
  const mode_t before = umask(0);
  const pod_files_options_t options = {.folder = folder.path, .days = DAYS};
  assert_null(pod_files_write(&options, NULL));
  umask(before);
  assert_int_equal(mode_of(folder.path), 0700);
  for (size_t i = 0; i < sizeof(secrets) / sizeof(secrets[0]); i++) {
    assert_int_equal(mode_of(in(&folder, secrets[i])), 0600);
  }
  assert_int_equal(mode_of(in(&folder, "ca.crt")), 0644);
  remove_folder(&folder);
}

static void test_keys_are_not_put_where_others_may_write(void **state) {
  (void)state;
  folder_t folder = make_folder();
  const pod_files_options_t options = {.folder = folder.path, .days = DAYS};
  assert_int_equal(mkdir(folder.path, 0700), 0);
  assert_int_equal(chmod(folder.path, 0777), 0);
  pod_status_t status = pod_files_write(&options, NULL);
  assert_int_equal(pod_status_code(status), POD_FAILED_PRECONDITION);
  pod_status_free(status);
  assert_int_not_equal(access(in(&folder, "ca.key"), F_OK), 0);
  assert_int_equal(chmod(folder.path, 0700), 0);
  assert_null(pod_files_write(&options, NULL));
  assert_int_equal(chmod(folder.path, 0777), 0);
  status = pod_files_add(&options, "alice", "run", NULL);
  assert_int_equal(pod_status_code(status), POD_FAILED_PRECONDITION);
  pod_status_free(status);
  remove_folder(&folder);
}

static void test_nothing_is_overwritten_unless_it_is_meant(void **state) {
  (void)state;
  folder_t folder = make_folder();
  pod_files_options_t options = {.folder = folder.path, .days = DAYS};
  assert_null(pod_files_write(&options, NULL));
  char *first = contents(in(&folder, "ca.crt"));
  assert_int_equal(unlink(in(&folder, "coordinator.crt")), 0);
  const pod_status_t status = pod_files_write(&options, NULL);
  assert_int_equal(pod_status_code(status), POD_ALREADY_EXISTS);
  pod_status_free(status);
  assert_int_not_equal(access(in(&folder, "coordinator.crt"), F_OK), 0);
  char *second = contents(in(&folder, "ca.crt"));
  assert_string_equal(first, second);
  options.may_overwrite = true;
  assert_null(pod_files_write(&options, NULL));
  char *third = contents(in(&folder, "ca.crt"));
  assert_string_not_equal(first, third);
  free(first);
  free(second);
  free(third);
  remove_folder(&folder);
}

static void test_one_more_is_signed_by_the_same_authority(void **state) {
  (void)state;
  folder_t folder = make_folder();
  pod_files_options_t options = {.folder = folder.path, .days = DAYS};
  pod_status_t status = pod_files_add(&options, "alice", "run", NULL);
  assert_int_equal(pod_status_code(status), POD_NOT_FOUND);  // No authority yet.
  pod_status_free(status);
  assert_null(pod_files_write(&options, NULL));
  assert_null(pod_files_add(&options, "alice", "run", NULL));
  assert_int_equal(mode_of(in(&folder, "alice.key")), 0600);
  rpc_credentials_t *credentials = NULL;
  assert_null(rpc_credentials_for_client(in(&folder, "ca.crt"), in(&folder, "alice.crt"),
                                         in(&folder, "alice.key"), &credentials));
  rpc_credentials_destroy(credentials);
  status = pod_files_add(&options, "alice", "administer", NULL);
  assert_int_equal(pod_status_code(status), POD_ALREADY_EXISTS);
  pod_status_free(status);
  remove_folder(&folder);
}

static void test_what_is_wrong_is_found_before_anything_is_written(void **state) {
  (void)state;
  static const char *const names[] = {"", "a/b", "../ca", "ca", ".hidden", "a b"};
  static const char *const bad_host[] = {"host:80"};
  folder_t folder = make_folder();
  pod_files_options_t options = {.folder = folder.path, .days = DAYS};
  for (int days = 0; days <= POD_FILES_DAYS_MAX + 1; days += POD_FILES_DAYS_MAX + 1) {
    options.days = days;
    const pod_status_t status = pod_files_write(&options, NULL);
    assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
    pod_status_free(status);
  }
  options = (pod_files_options_t){
      .folder = folder.path, .days = DAYS, .hosts = bad_host, .host_count = 1};
  const pod_status_t status = pod_files_write(&options, NULL);
  assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
  pod_status_free(status);
  assert_int_not_equal(access(folder.path, F_OK), 0);
  options.host_count = 0;
  assert_null(pod_files_write(&options, NULL));
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    const pod_status_t refusal = pod_files_add(&options, names[i], "run", NULL);
    assert_int_equal(pod_status_code(refusal), POD_INVALID_ARGUMENT);
    pod_status_free(refusal);
  }
  const pod_status_t refusal = pod_files_add(&options, "eve", "root", NULL);
  assert_int_equal(pod_status_code(refusal), POD_INVALID_ARGUMENT);
  pod_status_free(refusal);
  remove_folder(&folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_pod_takes_all_of_its_files),
      cmocka_unit_test(test_secrets_are_for_their_owner_alone),
      cmocka_unit_test(test_keys_are_not_put_where_others_may_write),
      cmocka_unit_test(test_nothing_is_overwritten_unless_it_is_meant),
      cmocka_unit_test(test_one_more_is_signed_by_the_same_authority),
      cmocka_unit_test(test_what_is_wrong_is_found_before_anything_is_written),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
