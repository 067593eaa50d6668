// What the store promises to a coordinator that has no bad luck, and to one with a folder
// that others have touched.

#include "server/jobs/job_store.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/server/jobs/world.h"

static void assert_code(pod_status_t status, pod_code_t code, const char *words) {
  if (pod_status_code(status) != code ||
      strstr(pod_status_message(status), words) == NULL) {
    print_error("%s: %s\n", pod_code_name(pod_status_code(status)),
                pod_status_message(status));
  }
  assert_int_equal(pod_status_code(status), code);
  assert_non_null(strstr(pod_status_message(status), words));
  pod_status_free(status);
}

static char *printed(job_store_t *store, uint64_t id) {
  job_t *job;
  world_must(job_store_get(store, id, &job));
  char *text = world_print(job);
  world_check_blobs(store, job);
  job_destroy(job);
  return text;
}

static job_state_t state_of(job_store_t *store, uint64_t id) {
  job_t *job;
  world_must(job_store_get(store, id, &job));
  const job_state_t state = job->state;
  job_destroy(job);
  return state;
}

static void path_in(char out[2 * WORLD_PATH_MAX], const char *path, const char *name) {
  (void)snprintf(out, 2 * WORLD_PATH_MAX, "%s/%s", path, name);
}

static void test_a_job_is_found_as_it_was_submitted_after_opening_anew(void **state) {
  (void)state;
  char path[WORLD_PATH_MAX];
  world_path(path);
  job_store_t *store = world_open(path);
  job_t *job;
  world_must(world_job(store, 5, 3, "alice", "key", &job));
  bool was_there;
  world_must(job_store_submit(store, job, &was_there));
  assert_int_equal(job->id, 1);
  assert_false(was_there);
  char *before = world_print(job);
  job_store_close(store);
  store = world_open(path);
  char *after = printed(store, 1);
  assert_string_equal(before, after);
  assert_int_equal(job_store_recovery(store)->swept_count, 0);
  free(before);
  free(after);
  job_destroy(job);
  job_store_close(store);
  world_remove(path);
}

static void test_a_running_job_is_queued_again_and_its_attempt_counted(void **state) {
  (void)state;
  char path[WORLD_PATH_MAX];
  world_path(path);
  job_store_t *store = world_open(path);
  uint64_t id;
  world_must(world_submit(store, 1, "", &id));
  world_must(job_store_start(store, id, "", 5));
  job_store_close(store);
  store = world_open(path);
  assert_int_equal(job_store_recovery(store)->requeued_count, 1);
  job_t *job;
  world_must(job_store_get(store, id, &job));
  assert_int_equal(job->state, JOB_QUEUED);
  assert_int_equal(job->attempts, 1);
  job_destroy(job);
  world_must(job_store_start(store, id, "", 6));
  world_must(world_finish(store, id, 9));
  job_store_close(store);
  store = world_open(path);
  world_must(job_store_get(store, id, &job));
  assert_int_equal(job->state, JOB_SUCCEEDED);
  assert_int_equal(job->attempts, 2);
  assert_int_equal(job->result_count, 2);
  world_check_blobs(store, job);
  job_destroy(job);
  job_store_close(store);
  world_remove(path);
}

static void test_slices_and_failures_of_a_job_outlive_the_store(void **state) {
  (void)state;
  char path[WORLD_PATH_MAX];
  world_path(path);
  job_store_t *store = world_open(path);
  uint64_t id;
  world_must(world_submit(store, 1, "", &id));
  world_must(job_store_start(store, id, "a 1x1", 5));
  world_must(job_store_requeue(store, id, "its chip was lost", true));
  world_must(job_store_start(store, id, "a 2x1", 6));
  world_must(job_store_requeue(store, id, "the coordinator went down", false));
  world_must(job_store_start(store, id, "a 2x2", 7));
  world_must(world_finish(store, id, 9));
  job_store_close(store);
  store = world_open(path);
  job_t *job;
  world_must(job_store_get(store, id, &job));
  assert_string_equal(job->given, "a 2x2");
  assert_int_equal(job->failures, 1);
  assert_int_equal(job->interruptions, 0);
  assert_int_equal(job->attempts, 3);
  job_destroy(job);
  job_store_close(store);
  world_remove(path);
}

// It may be what they die of.
static void test_a_job_that_outlives_too_many_coordinators_is_given_up(void **state) {
  (void)state;
  char path[WORLD_PATH_MAX];
  world_path(path);
  job_store_t *store = world_open(path);
  uint64_t id, other;
  world_must(world_submit(store, 1, "", &id));
  world_must(world_submit(store, 2, "", &other));
  job_t *job;
  world_must(job_store_get(store, id, &job));
  const int most = JOB_INTERRUPTIONS_MAX + job->retries;
  job_destroy(job);
  for (int i = 0; i < most; i++) {
    world_must(job_store_start(store, id, "", 1));
    job_store_close(store);
    store = world_open(path);
    assert_int_equal(state_of(store, id), JOB_QUEUED);
    assert_int_equal(job_store_recovery(store)->requeued_count, 1);
  }
  // Going down in order does not count.
  world_must(job_store_start(store, id, "", 1));
  world_must(job_store_requeue(store, id, "the coordinator went down", false));
  world_must(job_store_start(store, id, "", 1));
  job_store_close(store);
  store = world_open(path);
  assert_int_equal(job_store_recovery(store)->requeued_count, 0);
  world_must(job_store_get(store, id, &job));
  assert_int_equal(job->state, JOB_FAILED);
  assert_int_equal(job->code, POD_ABORTED);
  assert_int_equal(job->interruptions, most + 1);
  assert_non_null(strstr(job->message, "of its attempts"));
  assert_true(job->ended_us > 0);
  job_destroy(job);
  assert_int_equal(state_of(store, other), JOB_QUEUED);
  assert_int_equal(job_store_usage(store).unfinished_count, 1);
  job_store_close(store);
  store = world_open(path);  // And it stays so.
  assert_int_equal(state_of(store, id), JOB_FAILED);
  job_store_close(store);
  world_remove(path);
}

static void test_the_same_submission_is_one_job(void **state) {
  (void)state;
  char path[WORLD_PATH_MAX];
  world_path(path);
  job_store_t *store = world_open(path);
  uint64_t first, again, other;
  world_must(world_submit(store, 1, "key", &first));
  world_must(world_submit(store, 1, "key", &again));
  world_must(world_submit(store, 1, "", &other));
  assert_int_equal(first, again);
  assert_int_not_equal(first, other);
  job_t *job;
  world_must(world_job(store, 1, 1, "bob", "key", &job));
  bool was_there;
  world_must(job_store_submit(store, job, &was_there));
  assert_false(was_there);  // Bob's key is not Alice's.
  job_destroy(job);
  world_must(job_store_find(store, "alice", "key", &again));
  assert_int_equal(first, again);
  assert_code(job_store_find(store, "alice", "", &again), POD_NOT_FOUND, "");
  assert_int_equal(job_store_usage(store).job_count, 3);
  job_store_close(store);
  world_remove(path);
}

static void test_ids_are_never_given_twice(void **state) {
  (void)state;
  char path[WORLD_PATH_MAX];
  world_path(path);
  job_store_t *store = world_open(path);
  uint64_t id;
  world_must(world_submit(store, 1, "", &id));
  world_must(job_store_cancel(store, id, "no", 1));
  world_must(job_store_remove(store, id));
  job_store_close(store);
  store = world_open(path);
  world_must(world_submit(store, 1, "", &id));
  assert_int_equal(id, 2);
  job_store_close(store);
  world_remove(path);
}

static void test_moves_that_a_state_does_not_have_are_refused(void **state) {
  (void)state;
  char path[WORLD_PATH_MAX];
  world_path(path);
  job_store_t *store = world_open(path);
  uint64_t id;
  world_must(world_submit(store, 1, "", &id));
  assert_code(job_store_remove(store, id), POD_FAILED_PRECONDITION, "is queued");
  assert_code(job_store_requeue(store, id, "", false), POD_FAILED_PRECONDITION,
              "is queued");
  assert_code(world_finish(store, id, 1), POD_FAILED_PRECONDITION, "is queued");
  world_must(job_store_start(store, id, "", 1));
  assert_code(job_store_start(store, id, "", 1), POD_FAILED_PRECONDITION, "is running");
  world_must(job_store_requeue(store, id, "its chip was lost", false));
  world_must(job_store_start(store, id, "", 1));
  world_must(world_finish(store, id, 1));
  assert_code(job_store_cancel(store, id, "", 1), POD_FAILED_PRECONDITION, "succeeded");
  assert_code(job_store_start(store, 99, "", 1), POD_NOT_FOUND, "no job 99");
  job_store_close(store);
  world_remove(path);
}

static void test_blobs_go_with_the_last_job_that_names_them(void **state) {
  (void)state;
  char path[WORLD_PATH_MAX];
  world_path(path);
  job_store_t *store = world_open(path);
  uint64_t one, two;
  world_must(world_submit(store, 1, "", &one));
  const int first = world_count(path, "blobs");
  world_must(world_submit(store, 1, "", &two));
  assert_int_equal(world_count(path, "blobs"), first);
  world_must(job_store_cancel(store, one, "", 1));
  world_must(job_store_remove(store, one));
  assert_int_equal(world_count(path, "blobs"), first);
  char *text = printed(store, two);
  free(text);
  world_must(job_store_cancel(store, two, "", 1));
  world_must(job_store_remove(store, two));
  assert_int_equal(world_count(path, "blobs"), 0);
  assert_int_equal(job_store_usage(store).blob_bytes, 0);
  job_store_close(store);
  world_remove(path);
}

static void test_what_is_not_submitted_leaves_nothing(void **state) {
  (void)state;
  char path[WORLD_PATH_MAX];
  world_path(path);
  job_store_t *store = world_open(path);
  job_blob_t blob;
  world_must(world_blob(store, 1, 1000, &blob));
  job_store_blob_release(store, &blob);
  job_blob_writer_t *writer;
  world_must(job_store_blob_create(store, &writer));
  world_must(job_store_blob_append(store, writer, "abc", 3));
  job_store_blob_abandon(store, writer);
  assert_int_equal(world_count(path, "blobs"), 0);
  assert_int_equal(world_count(path, "partial"), 0);
  world_must(world_blob(store, 1, 1000, &blob));  // And is not there at the next start.
  job_store_close(store);
  store = world_open(path);
  assert_int_equal(world_count(path, "blobs"), 0);
  assert_int_equal(job_store_recovery(store)->swept_bytes, 1000);
  job_store_close(store);
  world_remove(path);
}

// As the runner does it: a process of its own, which does not hold the store.
static void test_blobs_of_another_process_are_results(void **state) {
  (void)state;
  char path[WORLD_PATH_MAX];
  world_path(path);
  job_store_t *store = world_open(path);
  uint64_t id;
  world_must(world_submit(store, 1, "", &id));
  world_must(job_store_start(store, id, "", 1));
  job_blobs_t *blobs;
  world_must(job_blobs_open(path, &blobs));
  job_blob_writer_t *writer;
  world_must(job_blob_create(blobs, &writer));
  world_must(job_blob_append(writer, "1234", 4));
  job_array_t result = {.name = "r", .dtype = "f32"};
  world_must(job_blob_commit(writer, &result.data));
  job_blobs_close(blobs);
  world_must(job_store_collect(store, 1000, NULL, NULL));  // It is young, and stays.
  const job_end_t end = {
      .state = JOB_SUCCEEDED, .result_count = 1, .results = &result, .ended_us = 1};
  world_must(job_store_finish(store, id, &end));
  char *bytes;
  world_must(job_blob_read(job_store_blobs(store), &result.data, 4, &bytes));
  assert_string_equal(bytes, "1234");
  free(bytes);
  world_must(job_store_remove(store, id));
  assert_int_equal(world_count(path, "blobs"), 0);
  job_store_close(store);
  world_remove(path);
}

static void test_a_result_that_is_not_there_is_no_result(void **state) {
  (void)state;
  char path[WORLD_PATH_MAX];
  world_path(path);
  job_store_t *store = world_open(path);
  uint64_t id;
  world_must(world_submit(store, 1, "", &id));
  world_must(job_store_start(store, id, "", 1));
  job_array_t result = {
      .name = "r", .dtype = "f32", .data = {.digest = {1, 2}, .size_bytes = 4}};
  const job_end_t end = {.state = JOB_SUCCEEDED, .result_count = 1, .results = &result};
  assert_code(job_store_finish(store, id, &end), POD_DATA_LOSS, "missing");
  assert_int_equal(state_of(store, id), JOB_RUNNING);
  job_store_close(store);
  world_remove(path);
}

static void test_quotas_refuse_in_words(void **state) {
  (void)state;
  char path[WORLD_PATH_MAX];
  world_path(path);
  job_store_t *store;
  const job_store_limits_t limits = {
      .bytes_max = 100000, .principal_bytes_max = 5000, .principal_jobs_max = 2};
  world_must(job_store_open(path, &limits, &store));
  uint64_t id, more;
  world_must(world_submit(store, 1, "", &id));
  world_must(world_submit(store, 2, "", &more));
  const int blobs = world_count(path, "blobs");
  assert_code(world_submit(store, 3, "", &more), POD_RESOURCE_EXHAUSTED,
              "2 jobs of alice wait or run, of at most 2");
  assert_int_equal(world_count(path, "blobs"), blobs);
  world_must(job_store_cancel(store, id, "", 1));
  world_must(world_submit(store, 3, "", &more));
  assert_code(job_store_may_submit(store, "alice", 1), POD_RESOURCE_EXHAUSTED, "wait");
  assert_code(job_store_may_submit(store, "bob", 5001), POD_RESOURCE_EXHAUSTED,
              "bob has 0 bytes of jobs and would have 5001 more, of at most 5000");
  world_must(job_store_may_submit(store, "bob", 5000));
  job_blob_t blob;
  assert_code(world_blob(store, 1, 200000, &blob), POD_RESOURCE_EXHAUSTED, path);
  assert_int_equal(world_count(path, "partial"), 0);
  job_store_close(store);
  const job_store_limits_t no_room = {.free_bytes_min = INT64_MAX / 2};
  world_must(job_store_open(path, &no_room, &store));
  assert_code(world_submit(store, 8, "", &more), POD_RESOURCE_EXHAUSTED, "must remain");
  world_must(job_store_start(store, 2, "", 1));  // What is there goes on.
  job_store_close(store);
  world_remove(path);
}

static void note_removed(void *user, uint64_t id) {
  *(uint64_t *)user += id;
}

static void test_ended_jobs_are_collected_after_their_time(void **state) {
  (void)state;
  char path[WORLD_PATH_MAX];
  world_path(path);
  job_store_t *store;
  world_must(job_store_open(path, &(job_store_limits_t){.keep_s = 10}, &store));
  uint64_t id, sum = 0;
  for (int i = 0; i < 3; i++) {
    world_must(world_submit(store, (uint64_t)i, "", &id));
  }
  world_must(job_store_cancel(store, 1, "", 1000000));
  world_must(job_store_cancel(store, 2, "", 5000000));
  world_must(job_store_collect(store, 12000000, note_removed, &sum));
  assert_int_equal(sum, 1);
  world_must(job_store_collect(store, 900000000, note_removed, &sum));
  assert_int_equal(sum, 3);
  assert_int_equal(job_store_usage(store).job_count, 1);
  char *text = printed(store, 3);
  free(text);
  job_store_close(store);
  world_remove(path);
}

static void test_two_coordinators_cannot_have_one_folder(void **state) {
  (void)state;
  char path[WORLD_PATH_MAX];
  world_path(path);
  job_store_t *store = world_open(path), *other;
  char words[64];
  (void)snprintf(words, sizeof(words), "another coordinator (process %ld) has the jobs",
                 (long)getpid());
  assert_code(job_store_open(path, &(job_store_limits_t){.keep_s = 0}, &other),
              POD_FAILED_PRECONDITION, words);
  const pid_t child = fork();
  if (child == 0) {
    const pod_status_t status =
        job_store_open(path, &(job_store_limits_t){.keep_s = 0}, &other);
    _exit(pod_status_code(status) == POD_FAILED_PRECONDITION ? 0 : 1);
  }
  int result;
  assert_int_equal(waitpid(child, &result, 0), child);
  assert_int_equal(result, 0);
  job_store_close(store);
  job_store_close(world_open(path));
  world_remove(path);
}

static void test_folders_and_links_of_others_are_refused(void **state) {
  (void)state;
  char path[WORLD_PATH_MAX], inside[2 * WORLD_PATH_MAX];
  world_path(path);
  job_store_t *store = world_open(path);
  uint64_t id;
  world_must(world_submit(store, 1, "", &id));
  job_t *job;
  world_must(job_store_get(store, id, &job));
  struct stat info;
  assert_int_equal(stat(path, &info), 0);
  assert_int_equal(info.st_mode & 0777, 0700);
  path_in(inside, path, "jobs.1.sqlite");
  assert_int_equal(stat(inside, &info), 0);
  assert_int_equal(info.st_mode & 0777, 0600);
  char name[2 * JOB_DIGEST_BYTES + 1], blob[3 * WORLD_PATH_MAX];
  job_blob_name(&job->module, name);
  path_in(inside, path, "blobs");
  (void)snprintf(blob, sizeof(blob), "%s/%s", inside, name);
  assert_int_equal(unlink(blob), 0);
  assert_int_equal(symlink("/etc/passwd", blob), 0);
  int fd;
  assert_code(job_store_open_blob(store, &job->module, &fd), POD_DATA_LOSS, "link");
  job_destroy(job);
  job_store_close(store);
  assert_int_equal(chmod(path, 0755), 0);
  assert_code(job_store_open(path, &(job_store_limits_t){.keep_s = 0}, &store),
              POD_FAILED_PRECONDITION, "nobody else may enter");
  assert_int_equal(chmod(path, 0700), 0);
  path_in(inside, path, "jobs.1.sqlite");
  char moved[2 * WORLD_PATH_MAX];
  path_in(moved, path, "moved");
  assert_int_equal(rename(inside, moved), 0);
  assert_int_equal(symlink("moved", inside), 0);
  assert_code(job_store_open(path, &(job_store_limits_t){.keep_s = 0}, &store),
              POD_FAILED_PRECONDITION, "");
  world_remove(path);
}

static void test_what_is_beyond_the_bounds_is_refused(void **state) {
  (void)state;
  char path[WORLD_PATH_MAX];
  world_path(path);
  job_store_t *store = world_open(path);
  job_t *job;
  bool was_there;
  world_must(world_job(store, 1, 1, "alice", "", &job));
  job->inputs[0].dims[0] = -1;
  assert_code(job_store_submit(store, job, &was_there), POD_INVALID_ARGUMENT, "input 0");
  job->inputs[0].dims[0] = 1;
  job->retries = 101;
  assert_code(job_store_submit(store, job, &was_there), POD_INVALID_ARGUMENT, "retries");
  job->retries = 0;
  free(job->name);
  job->name = calloc(1, 5001);
  memset(job->name, 'x', 5000);
  assert_code(job_store_submit(store, job, &was_there), POD_INVALID_ARGUMENT, "5000");
  assert_int_equal(world_count(path, "blobs"), 0);  // It was refused, with its blobs.
  job_destroy(job);
  job_store_close(store);
  world_remove(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_job_is_found_as_it_was_submitted_after_opening_anew),
      cmocka_unit_test(test_a_running_job_is_queued_again_and_its_attempt_counted),
      cmocka_unit_test(test_slices_and_failures_of_a_job_outlive_the_store),
      cmocka_unit_test(test_a_job_that_outlives_too_many_coordinators_is_given_up),
      cmocka_unit_test(test_the_same_submission_is_one_job),
      cmocka_unit_test(test_ids_are_never_given_twice),
      cmocka_unit_test(test_moves_that_a_state_does_not_have_are_refused),
      cmocka_unit_test(test_blobs_go_with_the_last_job_that_names_them),
      cmocka_unit_test(test_what_is_not_submitted_leaves_nothing),
      cmocka_unit_test(test_blobs_of_another_process_are_results),
      cmocka_unit_test(test_a_result_that_is_not_there_is_no_result),
      cmocka_unit_test(test_quotas_refuse_in_words),
      cmocka_unit_test(test_ended_jobs_are_collected_after_their_time),
      cmocka_unit_test(test_two_coordinators_cannot_have_one_folder),
      cmocka_unit_test(test_folders_and_links_of_others_are_refused),
      cmocka_unit_test(test_what_is_beyond_the_bounds_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
