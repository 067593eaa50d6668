// A folder that something has spoilt: bits turned, files cut off. What is there is right
// or told to be damaged, and what was not hit remains.

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/random.h"
#include "tests/unit/server/jobs/world.h"

enum { JOBS = 40, ROUNDS = 150 };

static char *printed[JOBS + 1];

// Half of them have ended.
static void fill(job_store_t *store) {
  for (uint64_t i = 1; i <= JOBS; i++) {
    uint64_t id;
    world_must(world_submit(store, i, "", &id));
    assert_int_equal(id, i);
    if (i % 2 == 0) {
      world_must(job_store_start(store, id, "", 1));
      world_must(world_finish(store, id, i));
    }
    job_t *job;
    world_must(job_store_get(store, id, &job));
    free(printed[i]);
    printed[i] = world_print(job);
    job_destroy(job);
  }
}

static void spoil(const char *file, pod_random_t *random, int round) {
  struct stat info;
  assert_int_equal(stat(file, &info), 0);
  const off_t at = (off_t)pod_random_below(random, (uint64_t)info.st_size);
  if (round % 10 == 9) {
    assert_int_equal(truncate(file, at), 0);
    return;
  }
  const int fd = open(file, O_RDWR);
  char bytes[4096] = {0};
  if (round % 10 == 8) {  // A page of zeros.
    assert_int_equal(pwrite(fd, bytes, 4096, at / 4096 * 4096), 4096);
  } else {
    assert_int_equal(pread(fd, bytes, 1, at), 1);
    bytes[0] = (char)(bytes[0] ^ 1 << pod_random_below(random, 8));
    assert_int_equal(pwrite(fd, bytes, 1, at), 1);
  }
  (void)close(fd);
}

typedef struct seen_t {
  bool may_be_older;  // The end of the log is lost: an even job may not have ended yet.
  int same, damaged, older;
} seen_t;

static void look_at(void *user, job_t *job) {
  seen_t *seen = user;
  const bool is_damaged =
      job->state == JOB_FAILED && job->code == POD_DATA_LOSS && *job->message != '\0';
  if (seen->may_be_older && job->state == JOB_QUEUED && job->id % 2 == 0) {
    seen->older++;
    job_destroy(job);
    return;
  }
  if (!is_damaged) {
    assert_in_range(job->id, 1, JOBS);
    char *text = world_print(job);
    assert_string_equal(text, printed[job->id]);  // No wrong word, ever.
    free(text);
  }
  seen->same += !is_damaged;
  seen->damaged += is_damaged;
  job_destroy(job);
}

// How many of the jobs are as they were; -1 when the store is refused, in words.
static int open_spoilt(const char *path, bool may_lose_the_last) {
  job_store_t *store;
  const pod_status_t status =
      job_store_open(path, &(job_store_limits_t){.keep_s = 0}, &store);
  if (status != NULL) {
    const pod_code_t code = pod_status_code(status);
    assert_true(code == POD_DATA_LOSS || code == POD_FAILED_PRECONDITION);
    assert_non_null(strstr(pod_status_message(status), path));
    pod_status_free(status);
    return -1;
  }
  seen_t seen = {.may_be_older = may_lose_the_last};
  world_must(job_store_each(store, look_at, &seen));
  if (!may_lose_the_last && seen.same + seen.damaged < JOBS) {
    assert_string_not_equal(job_store_recovery(store)->damage, "");
  }
  assert_true(seen.damaged == 0 || job_store_recovery(store)->damaged_count > 0);
  uint64_t id;
  world_must(world_submit(store, 1, "", &id));  // It is of use, and ids are new.
  assert_true(id > (uint64_t)(seen.same + seen.damaged + seen.older));
  job_store_close(store);
  job_store_close(world_open(path));  // What was mended is whole.
  return seen.same;
}

// All of it is in the database after an orderly end, and would be read from the log.
static void empty_log(const char *path) {
  char file[2 * WORLD_PATH_MAX];
  (void)snprintf(file, sizeof(file), "%s/jobs.1.sqlite-wal", path);
  assert_int_equal(truncate(file, 0), 0);
}

static void spoil_often(const char *file, bool is_open, int least_percent) {
  char path[WORLD_PATH_MAX], copy[WORLD_PATH_MAX], at[2 * WORLD_PATH_MAX];
  world_path(path);
  world_path(copy);
  job_store_t *store = world_open(path);
  fill(store);
  if (!is_open) {
    job_store_close(store);
    empty_log(path);
  }
  int refused = 0, same = 0;
  for (int round = 0; round < ROUNDS; round++) {
    pod_random_t random = {(uint64_t)round + 1};
    world_copy(path, copy);
    (void)snprintf(at, sizeof(at), "%s/%s", copy, file);
    spoil(at, &random, round);
    const int left = open_spoilt(copy, is_open);
    refused += left < 0;
    same += left < 0 ? 0 : left;
  }
  const int percent = 100 * same / (ROUNDS * JOBS);
  print_message("%s spoilt %d times: %d%% of the jobs as they were, refused %d times\n",
                file, ROUNDS, percent, refused);
  assert_true(percent >= least_percent);
  if (is_open) {
    job_store_close(store);
  }
  world_remove(path);
  world_remove(copy);
}

static void test_a_damaged_database_costs_what_was_hit(void **state) {
  (void)state;
  spoil_often("jobs.1.sqlite", false, 75);
}

// The log's end is what a power cut may take; the rest must be right.
static void test_a_damaged_log_tells_nothing_wrong(void **state) {
  (void)state;
  spoil_often("jobs.1.sqlite-wal", true, 25);
}

static void test_a_damaged_blob_is_told(void **state) {
  (void)state;
  char path[WORLD_PATH_MAX], file[3 * WORLD_PATH_MAX];
  world_path(path);
  job_store_t *store = world_open(path);
  job_blob_t blob;
  world_must(world_blob(store, 1, 5000, &blob));
  char name[2 * JOB_DIGEST_BYTES + 1];
  job_blob_name(&blob, name);
  (void)snprintf(file, sizeof(file), "%s/blobs/%s", path, name);
  pod_random_t random = {1};
  for (int round = 0; round < 10; round++) {
    if (round == 8) {
      continue;  // Beyond its end.
    }
    int fd = -1;
    spoil(file, &random, round);
    const pod_status_t status = job_store_open_blob(store, &blob, &fd);
    assert_int_equal(pod_status_code(status), POD_DATA_LOSS);
    assert_non_null(strstr(pod_status_message(status), name));
    pod_status_free(status);
    world_must(world_blob(store, 1, 5000, &blob));  // The same bytes again mend it.
    world_must(job_store_open_blob(store, &blob, &fd));
    (void)close(fd);
  }
  job_store_close(store);
  world_remove(path);
}

static void test_a_database_that_is_gone_is_not_taken_for_a_new_one(void **state) {
  (void)state;
  char path[WORLD_PATH_MAX], file[2 * WORLD_PATH_MAX];
  world_path(path);
  job_store_t *store = world_open(path);
  fill(store);
  job_store_close(store);
  const int blobs = world_count(path, "blobs");
  (void)snprintf(file, sizeof(file), "%s/jobs.1.sqlite", path);
  assert_int_equal(unlink(file), 0);
  pod_status_t status = job_store_open(path, &(job_store_limits_t){.keep_s = 0}, &store);
  assert_int_equal(pod_status_code(status), POD_DATA_LOSS);
  assert_non_null(strstr(pod_status_message(status), "put it back"));
  pod_status_free(status);
  assert_int_equal(world_count(path, "blobs"), blobs);
  world_remove(path);
}

static void test_a_store_of_another_version_is_left_alone(void **state) {
  (void)state;
  char path[WORLD_PATH_MAX], file[2 * WORLD_PATH_MAX];
  world_path(path);
  job_store_close(world_open(path));
  empty_log(path);
  (void)snprintf(file, sizeof(file), "%s/jobs.1.sqlite", path);
  const int fd = open(file, O_RDWR);
  assert_int_equal(pwrite(fd, "\0\0\0\4", 4, 60), 4);  // user_version
  (void)close(fd);
  job_store_t *store;
  pod_status_t status = job_store_open(path, &(job_store_limits_t){.keep_s = 0}, &store);
  assert_int_equal(pod_status_code(status), POD_FAILED_PRECONDITION);
  assert_non_null(strstr(pod_status_message(status), "has version 4"));
  pod_status_free(status);
  world_remove(path);
}

// --- Random operations beside a model ---

enum { MODEL_JOBS = 400 };

typedef struct model_t {
  job_state_t states[MODEL_JOBS];
  int attempts[MODEL_JOBS];
  bool is_gone[MODEL_JOBS];
  uint64_t count;  // Ids 1 to count were given.
} model_t;

static void check_model(job_store_t *store, const model_t *model) {
  int64_t there = 0;
  for (uint64_t id = 1; id <= model->count; id++) {
    job_t *job = NULL;
    const pod_status_t status = job_store_get(store, id, &job);
    assert_int_equal(status != NULL, model->is_gone[id]);
    pod_status_free(status);
    if (job != NULL) {
      assert_int_equal(job->state, model->states[id]);
      assert_int_equal(job->attempts, model->attempts[id]);
      world_check_blobs(store, job);
      there++;
    }
    job_destroy(job);
  }
  assert_int_equal(job_store_usage(store).job_count, there);
}

// Whether the store says the same as the model about the move; the model follows.
static void move(job_store_t *store, model_t *model, uint64_t id, uint64_t what) {
  job_state_t *state = &model->states[id];
  const bool is_there = !model->is_gone[id];
  bool is_right = is_there;
  pod_status_t status;
  job_state_t next = *state;
  switch (what) {
    case 0:
      status = job_store_start(store, id, "", 1);
      is_right = is_right && *state == JOB_QUEUED;
      next = JOB_RUNNING;
      break;
    case 1:
      status = world_finish(store, id, id % 20);
      is_right = is_right && *state == JOB_RUNNING;
      next = JOB_SUCCEEDED;
      break;
    case 2:
      status = job_store_requeue(store, id, "again", false);
      is_right = is_right && *state == JOB_RUNNING;
      next = JOB_QUEUED;
      break;
    case 3:
      status = job_store_cancel(store, id, "", 1);
      is_right = is_right && !job_state_is_end(*state);
      next = JOB_CANCELLED;
      break;
    default:
      status = job_store_remove(store, id);
      is_right = is_right && job_state_is_end(*state);
      model->is_gone[id] = model->is_gone[id] || is_right;
      break;
  }
  assert_int_equal(status == NULL, is_right);
  pod_status_free(status);
  model->attempts[id] += is_right && what == 0;
  *state = is_right ? next : *state;
}

static job_store_t *open_again(job_store_t *store, const char *path, model_t *model) {
  job_store_close(store);
  for (uint64_t id = 1; id <= model->count; id++) {
    model->states[id] = model->states[id] == JOB_RUNNING ? JOB_QUEUED : model->states[id];
  }
  store = world_open(path);
  check_model(store, model);
  assert_int_equal(world_count(path, "blobs"), job_store_usage(store).blob_count);
  return store;
}

static void test_random_operations_agree_with_a_model(void **state) {
  (void)state;
  char path[WORLD_PATH_MAX];
  world_path(path);
  job_store_t *store = world_open(path);
  model_t model = {.count = 0};
  pod_random_t random = {20261123};
  for (int i = 0; i < 4000; i++) {
    const uint64_t what = pod_random_below(&random, 100);
    if (what == 0) {
      store = open_again(store, path, &model);
    } else if (what == 1) {
      world_must(job_store_collect(store, 1, NULL, NULL));
    } else if (what < 20 && model.count + 1 < MODEL_JOBS) {
      uint64_t id;
      world_must(world_submit(store, pod_random_below(&random, 30), "", &id));
      assert_int_equal(id, ++model.count);
    } else if (model.count > 0) {
      move(store, &model, 1 + pod_random_below(&random, model.count), what % 5);
    }
  }
  store = open_again(store, path, &model);
  job_store_close(store);
  world_remove(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_damaged_database_costs_what_was_hit),
      cmocka_unit_test(test_a_damaged_log_tells_nothing_wrong),
      cmocka_unit_test(test_a_damaged_blob_is_told),
      cmocka_unit_test(test_a_database_that_is_gone_is_not_taken_for_a_new_one),
      cmocka_unit_test(test_a_store_of_another_version_is_left_alone),
      cmocka_unit_test(test_random_operations_agree_with_a_model),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  for (int i = 0; i <= JOBS; i++) {
    free(printed[i]);
  }
  return failed;
}
