// Stores that an earlier Podium has written.

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "tests/unit/server/jobs/world.h"

static char *printed(job_store_t *store, uint64_t id) {
  job_t *job;
  world_must(job_store_get(store, id, &job));
  char *text = world_print(job);
  world_check_blobs(store, job);
  job_destroy(job);
  return text;
}

// As the version had it: what is not in it was empty in all rows.
static void make_old(const char *path, int version) {
  char file[2 * WORLD_PATH_MAX];
  (void)snprintf(file, sizeof(file), "%s/jobs.1.sqlite", path);
  sqlite3 *handle;
  assert_int_equal(sqlite3_open(file, &handle), SQLITE_OK);
  static const char *const steps[] = {[1] =
                                          "ALTER TABLE jobs DROP COLUMN given;"
                                          "ALTER TABLE jobs DROP COLUMN failures;"
                                          "ALTER TABLE jobs DROP COLUMN interruptions;"
                                          "PRAGMA user_version = 1",
                                      [2] =
                                          "ALTER TABLE jobs DROP COLUMN options;"
                                          "PRAGMA user_version = 2"};
  for (int step = 2; step >= version; step--) {
    assert_int_equal(sqlite3_exec(handle, steps[step], NULL, NULL, NULL), SQLITE_OK);
  }
  assert_int_equal(sqlite3_close(handle), SQLITE_OK);
}

static void fill(const char *path, int version, char *out_texts[2]) {
  job_store_t *store = world_open(path);
  uint64_t queued, ended;
  world_must(world_submit(store, 1, "key", &queued));
  world_must(world_submit(store, 4, "", &ended));
  world_must(job_store_start(store, ended, version == 1 ? "" : "2x2", 1));
  world_must(world_finish(store, ended, 3));
  out_texts[0] = printed(store, queued);
  out_texts[1] = printed(store, ended);
  job_store_close(store);
  make_old(path, version);
}

static void check_taken_over(int version) {
  char path[WORLD_PATH_MAX];
  world_path(path);
  char *texts[2];
  fill(path, version, texts);
  for (int round = 0; round < 2; round++) {  // The second time it is of this version.
    job_store_t *store = world_open(path);
    assert_int_equal(job_store_recovery(store)->damaged_count, 0);
    for (uint64_t id = 1; id <= 2; id++) {
      char *text = printed(store, id);
      assert_string_equal(text, texts[id - 1]);
      free(text);
    }
    job_store_close(store);
  }
  job_store_t *store = world_open(path);
  world_must(job_store_start(store, 1, "1x1", 5));
  world_must(job_store_requeue(store, 1, "lost", true));
  job_store_close(store);
  store = world_open(path);
  job_t *job;
  world_must(job_store_get(store, 1, &job));
  assert_string_equal(job->given, "1x1");
  assert_int_equal(job->failures, 1);
  job_destroy(job);
  uint64_t id;  // And one with options is kept as in a new store.
  world_must(world_submit(store, 2, "", &id));
  char *before = printed(store, id);
  assert_non_null(strstr(before, "in-sharding"));
  job_store_close(store);
  store = world_open(path);
  char *after = printed(store, id);
  assert_string_equal(after, before);
  free(before);
  free(after);
  job_store_close(store);
  world_remove(path);
  free(texts[0]);
  free(texts[1]);
}

// The index by submission is spoilt: the table is taken over by ids.
static void check_salvaged(int version) {
  char path[WORLD_PATH_MAX], file[2 * WORLD_PATH_MAX];
  world_path(path);
  char *texts[2];
  fill(path, version, texts);
  (void)snprintf(file, sizeof(file), "%s/jobs.1.sqlite", path);
  sqlite3 *handle;
  sqlite3_stmt *statement;
  assert_int_equal(sqlite3_open(file, &handle), SQLITE_OK);
  assert_int_equal(
      sqlite3_prepare_v2(
          handle, "SELECT rootpage FROM sqlite_schema WHERE name = 'jobs_by_submission'",
          -1, &statement, NULL),
      SQLITE_OK);
  assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
  const off_t at = (sqlite3_column_int64(statement, 0) - 1) * 4096;
  (void)sqlite3_finalize(statement);
  assert_int_equal(sqlite3_close(handle), SQLITE_OK);
  const int fd = open(file, O_RDWR);
  const char zeros[4096] = {0};
  assert_int_equal(pwrite(fd, zeros, sizeof(zeros), at), sizeof(zeros));
  (void)close(fd);
  job_store_t *store = world_open(path);
  assert_string_not_equal(job_store_recovery(store)->damage, "");
  for (uint64_t id = 1; id <= 2; id++) {
    char *text = printed(store, id);
    assert_string_equal(text, texts[id - 1]);
    free(text);
    free(texts[id - 1]);
  }
  job_store_close(store);
  world_remove(path);
}

static void test_jobs_of_version_1_are_taken_over_as_they_were(void **state) {
  (void)state;
  check_taken_over(1);
}

static void test_jobs_of_version_2_are_taken_over_as_they_were(void **state) {
  (void)state;
  check_taken_over(2);
}

static void test_a_damaged_store_of_version_1_is_taken_over_too(void **state) {
  (void)state;
  check_salvaged(1);
}

static void test_a_damaged_store_of_version_2_is_taken_over_too(void **state) {
  (void)state;
  check_salvaged(2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_jobs_of_version_1_are_taken_over_as_they_were),
      cmocka_unit_test(test_jobs_of_version_2_are_taken_over_as_they_were),
      cmocka_unit_test(test_a_damaged_store_of_version_1_is_taken_over_too),
      cmocka_unit_test(test_a_damaged_store_of_version_2_is_taken_over_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
