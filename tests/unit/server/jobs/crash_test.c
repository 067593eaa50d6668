// A process goes through a script on a disk that fails it at each of its steps in turn,
// and says what it was told; then the store is opened and compared with that.

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/check.h"
#include "common/digest/digest.h"
#include "tests/unit/server/jobs/disk.h"
#include "tests/unit/server/jobs/world.h"

typedef enum act_t {
  OPEN,
  CLOSE,
  SUBMIT,
  START,
  FINISH,
  REQUEUE,
  CANCEL,
  REMOVE,
  COLLECT,
} act_t;

typedef struct line_t {
  act_t act;
  int job;  // Of the script, from 0.
} line_t;

static const line_t script[] = {
    {OPEN, 0},   {SUBMIT, 0}, {SUBMIT, 1},  {START, 0},  {SUBMIT, 2},  {FINISH, 0},
    {CANCEL, 1}, {START, 2},  {REQUEUE, 2}, {SUBMIT, 3}, {START, 3},   {CLOSE, 0},
    {OPEN, 0},   {REMOVE, 1}, {START, 2},   {SUBMIT, 4}, {COLLECT, 0}, {FINISH, 2},
    {REMOVE, 0}, {SUBMIT, 5}, {START, 5},   {FINISH, 5}, {COLLECT, 0}, {CLOSE, 0},
};

enum { LINES = sizeof(script) / sizeof(script[0]), JOBS = 6, STEPS_MAX = 5000 };

// Where a job is, as far as the process was told.
typedef enum place_t { NOWHERE, WAITS, RUNS, SUCCEEDED, CANCELLED, GONE } place_t;

typedef struct told_t {
  place_t places[JOBS];
  uint64_t ids[JOBS];
  int began, ended;  // Lines; what began and did not end may have happened or not.
  int steps;
  char last[32];
  pod_code_t failed_code;  // The last of those that failed.
  int failures;
  int failed;  // The first line that failed, from 1: after a restart it may have
               // happened.
} told_t;

static place_t after(act_t act) {
  return act == SUBMIT || act == REQUEUE ? WAITS
         : act == START                  ? RUNS
         : act == FINISH                 ? SUCCEEDED
         : act == CANCEL                 ? CANCELLED
                                         : GONE;
}

static bool is_of_a_job(act_t act) {
  return act != OPEN && act != CLOSE && act != COLLECT;
}

// Every second one has a key.
static void key_of(int job, char out[32]) {
  out[0] = '\0';
  if (job % 2 == 0) {
    (void)snprintf(out, 32, "key-%d", job);
  }
}

static pod_status_t act(job_store_t **store, const char *path, const line_t *line,
                        uint64_t *ids) {
  const uint64_t seed = (uint64_t)line->job + 1;
  char key[32] = "";
  switch (line->act) {
    case OPEN:
      return job_store_open(path, &(job_store_limits_t){.keep_s = 0}, store);
    case CLOSE:
      job_store_close(*store);
      *store = NULL;
      return NULL;
    case SUBMIT:
      key_of(line->job, key);
      return world_submit(*store, seed, key, &ids[line->job]);
    case START:
      return job_store_start(*store, ids[line->job], "", 1);
    case FINISH:
      return world_finish(*store, ids[line->job], seed);
    case REQUEUE:
      return job_store_requeue(*store, ids[line->job], "again", false);
    case CANCEL:
      return job_store_cancel(*store, ids[line->job], "no", 5);
    case REMOVE:
      return job_store_remove(*store, ids[line->job]);
    default:
      return job_store_collect(*store, 1000000, NULL, NULL);
  }
}

// In shared memory, so that it outlives the process: no message is lost with it.
static told_t *told;

// Goes through the script; what fails is taken as not done.
static void go_through(const char *path) {
  job_store_t *store = NULL;
  for (int i = 0; i < LINES; i++) {
    const line_t *line = &script[i];
    if (line->act != OPEN && store == NULL) {
      continue;  // It could not be opened.
    }
    told->began = i + 1;
    const pod_status_t status = act(&store, path, line, told->ids);
    if (status == NULL && is_of_a_job(line->act)) {
      told->places[line->job] = after(line->act);
    }
    if (status != NULL) {
      told->failures++;
      told->failed = told->failed == 0 ? i + 1 : told->failed;
      told->failed_code = pod_status_code(status);
    }
    told->ended = i + 1;
    pod_status_free(status);
    told->steps = disk_steps();
    (void)snprintf(told->last, sizeof(told->last), "%s", disk_last());
  }
  job_store_close(store);
}

typedef struct place_of_test_t {
  char path[WORLD_PATH_MAX], grave[WORLD_PATH_MAX];
} place_of_test_t;

static place_of_test_t make_place(void) {
  place_of_test_t place;
  world_path(place.path);
  world_path(place.grave);
  return place;
}

static void remove_place(const place_of_test_t *place) {
  world_remove(place->path);
  world_remove(place->grave);
}

// False when the script ended before step `step` came.
static bool run_child(const place_of_test_t *place, disk_luck_t luck, int step,
                      uint64_t seed) {
  world_remove(place->path);
  world_remove(place->grave);
  memset(told, 0, sizeof(*told));
  assert_int_equal(mkdir(place->grave, 0700), 0);
  const pid_t child = fork();
  if (child == 0) {
    disk_arm(place->path, place->grave, luck, step, seed);
    go_through(place->path);
    _exit(0);
  }
  int result;
  assert_int_equal(waitpid(child, &result, 0), child);
  const bool was_killed = WIFSIGNALED(result) && WTERMSIG(result) == SIGKILL;
  if (!was_killed && result != 0) {
    print_error("step %d: the process ended with %x\n", step, result);
  }
  assert_true(was_killed || result == 0);
  return was_killed;
}

// --- What must be ---

typedef struct found_t {
  int count;
  job_t *jobs[JOBS + 2];
} found_t;

static void add_found(void *user, job_t *job) {
  found_t *found = user;
  POD_CHECK(found->count < JOBS + 2);
  found->jobs[found->count++] = job;
}

// The script's job, by its module.
static const job_t *find_job(const found_t *found, int of) {
  const uint64_t seed = (uint64_t)of + 1;
  char module[200];
  uint8_t digest[DIGEST_BYTES];
  world_bytes(seed, 100 + seed % 50, module);
  digest_of(module, 100 + seed % 50, digest);
  const job_t *job = NULL;
  for (int i = 0; i < found->count; i++) {
    if (memcmp(found->jobs[i]->module.digest, digest, sizeof(digest)) == 0) {
      assert_null(job);  // Once.
      job = found->jobs[i];
    }
  }
  return job;
}

static place_t place_of(const job_t *job) {
  return job == NULL                   ? GONE
         : job->state == JOB_QUEUED    ? WAITS
         : job->state == JOB_SUCCEEDED ? SUCCEEDED
         : job->state == JOB_CANCELLED ? CANCELLED
                                       : NOWHERE;
}

static void check_content(job_store_t *store, const job_t *job, int of) {
  const uint64_t seed = (uint64_t)of + 1;
  assert_int_equal(job->input_count, 1 + seed % 2);
  assert_int_equal(job->result_count, job->state == JOB_SUCCEEDED ? 2 : 0);
  assert_string_equal(job->principal, "alice");
  world_check_blobs(store, job);
}

// Whether the line, from 1, 0 for none, would have put the job there.
static bool leads_to(int line, int job, place_t place) {
  const line_t *at = line == 0 ? &(line_t){OPEN, 0} : &script[line - 1];
  const place_t next = after(at->act) == RUNS ? WAITS : after(at->act);
  return is_of_a_job(at->act) && at->job == job && place == next;
}

static int under_way(void) {
  return told->began > told->ended ? told->began : 0;
}

// Where the process was told that it is, or where what it was not told of puts it.
static bool may_be(int job, place_t place) {
  const place_t is = told->places[job] == RUNS ? WAITS : told->places[job];
  return place == (is == NOWHERE ? GONE : is) || leads_to(under_way(), job, place) ||
         leads_to(told->failed, job, place);
}

static void check_jobs(job_store_t *store, const char *what, int step) {
  found_t found = {.count = 0};
  world_must(job_store_each(store, add_found, &found));
  int known = 0;
  for (int i = 0; i < JOBS; i++) {
    const job_t *job = find_job(&found, i);
    if (!may_be(i, place_of(job))) {
      print_error("%s, step %d (%s): job %d is at %d, told %d, lines %d/%d\n", what, step,
                  told->last, i, place_of(job), told->places[i], told->began,
                  told->ended);
    }
    assert_true(may_be(i, place_of(job)));
    if (job != NULL) {
      known++;
      assert_true(told->places[i] == NOWHERE || job->id == told->ids[i]);
      check_content(store, job, i);
    }
  }
  assert_int_equal(known, found.count);
  for (int i = 0; i < found.count; i++) {
    job_destroy(found.jobs[i]);
  }
}

// What is in the folder is what the jobs name, and the store is of use.
static void check_use(const place_of_test_t *place, job_store_t *store) {
  assert_int_equal(world_count(place->path, "partial"), 0);
  assert_int_equal(world_count(place->path, "blobs"), job_store_usage(store).blob_count);
  assert_string_equal(job_store_recovery(store)->damage, "");
  assert_int_equal(job_store_recovery(store)->damaged_count, 0);
  uint64_t id;
  for (int i = 0; i < JOBS; i += 2) {
    // Who was not told asks again, and gets the job that there is.
    const bool was_told = told->places[i] != NOWHERE;
    char key[32];
    key_of(i, key);
    if (told->places[i] != GONE && !leads_to(under_way(), i, GONE) &&
        !leads_to(told->failed, i, GONE)) {
      world_must(world_submit(store, (uint64_t)i + 1, key, &id));
      assert_true(!was_told || id == told->ids[i]);
    }
  }
  uint64_t fresh;
  world_must(world_submit(store, 100, "", &fresh));
  for (int i = 0; i < JOBS; i++) {
    assert_true(fresh > told->ids[i]);
  }
  world_must(job_store_start(store, fresh, "", 1));
  world_must(world_finish(store, fresh, 100));
}

static void check_store(const place_of_test_t *place, const char *what, int step) {
  job_store_t *store;
  const pod_status_t status =
      job_store_open(place->path, &(job_store_limits_t){.keep_s = 0}, &store);
  if (status != NULL) {
    print_error("%s, step %d (%s): %s\n", what, step, told->last,
                pod_status_message(status));
  }
  world_must(status);
  check_jobs(store, what, step);
  check_use(place, store);
  job_store_close(store);
}

// Opens the store in a process that is killed as it recovers.
static void crash_again(const place_of_test_t *place, disk_luck_t luck, int step) {
  world_remove(place->grave);
  assert_int_equal(mkdir(place->grave, 0700), 0);
  const pid_t child = fork();
  if (child == 0) {
    disk_arm(place->path, place->grave, luck, step, (uint64_t)step);
    job_store_close(world_open(place->path));
    _exit(0);
  }
  int result;
  assert_int_equal(waitpid(child, &result, 0), child);
  assert_true(result == 0 || WTERMSIG(result) == SIGKILL);
}

static void stop_at_each_step(disk_luck_t luck, const char *what, int seeds) {
  const place_of_test_t place = make_place();
  int step = 1;
  for (bool was_killed = true; was_killed; step++) {
    assert_true(step < STEPS_MAX);
    for (int seed = 0; seed < seeds && was_killed; seed++) {
      was_killed = run_child(&place, luck, step, (uint64_t)seed);
      crash_again(&place, luck, 1 + (step * 7 + seed) % 23);
      check_store(&place, what, step);
    }
  }
  print_message("%s: %d steps, %d times each\n", what, step - 1, seeds);
  assert_true(step > 200);  // The shim is in the way of what the store does.
  remove_place(&place);
}

static void test_a_kill_at_any_step_loses_nothing_that_was_accepted(void **state) {
  (void)state;
  stop_at_each_step(DISK_KILL, "killed", 1);
}

static void test_a_kill_in_the_middle_of_a_write_loses_nothing(void **state) {
  (void)state;
  stop_at_each_step(DISK_TORN, "torn", 1);
}

static void test_a_power_cut_at_any_step_loses_nothing(void **state) {
  (void)state;
  stop_at_each_step(DISK_POWER, "power cut", 2);
}

// --- A disk that refuses ---

// The same in the process that met the failure, once the disk has room again.
static void fail_at_each_step(disk_luck_t luck, const char *what, bool is_code(int)) {
  const place_of_test_t place = make_place();
  int step = 1;
  for (bool has_failed = true; has_failed; step++) {
    assert_true(step < STEPS_MAX);
    (void)run_child(&place, luck, step, 1);
    has_failed = told->steps >= step || told->ended < LINES;
    if (told->failures > 0 && !is_code((int)told->failed_code)) {
      print_error("%s, step %d: code %s\n", what, step, pod_code_name(told->failed_code));
    }
    assert_true(told->failures == 0 || is_code((int)told->failed_code));
    check_store(&place, what, step);
  }
  print_message("%s: %d steps\n", what, step - 1);
  assert_true(step > 200);
  remove_place(&place);
}

// Later lines fail because of the first: FAILED_PRECONDITION, NOT_FOUND.
static bool is_full(int code) {
  return code == POD_RESOURCE_EXHAUSTED || code == POD_FAILED_PRECONDITION ||
         code == POD_NOT_FOUND;
}

static bool is_broken(int code) {
  return is_full(code) || code == POD_UNAVAILABLE;
}

static void test_a_full_disk_refuses_and_harms_nothing(void **state) {
  (void)state;
  fail_at_each_step(DISK_FULL, "full", is_full);
}

static void test_an_error_of_the_disk_harms_nothing(void **state) {
  (void)state;
  fail_at_each_step(DISK_ERROR, "EIO", is_broken);
}

// New jobs are refused with folder and bytes; those that are there start and end, by the
// room of the reserve; and when there is room again all is as before.
static void full_child(const place_of_test_t *place) {
  job_store_t *store = world_open(place->path);
  uint64_t one, two, id;
  world_must(world_submit(store, 1, "", &one));
  world_must(world_submit(store, 2, "", &two));
  disk_arm(place->path, place->grave, DISK_FULL, 1, 1);
  // What was opened before is not known to the shim: a store that is opened on it is.
  job_store_close(store);
  store = world_open(place->path);
  const pod_status_t status = world_submit(store, 3, "", &id);
  POD_CHECK(pod_status_code(status) == POD_RESOURCE_EXHAUSTED);
  POD_CHECK(strstr(pod_status_message(status), place->path) != NULL);
  POD_CHECK(strstr(pod_status_message(status), "bytes") != NULL);
  pod_status_free(status);
  world_must(job_store_start(store, one, "", 1));
  world_must(job_store_requeue(store, one, "its chip was lost", false));
  world_must(job_store_cancel(store, two, "", 1));
  disk_mend();
  world_must(world_submit(store, 3, "", &id));
  world_must(job_store_start(store, one, "", 1));
  world_must(world_finish(store, one, 1));
  job_store_close(store);
}

static void test_on_a_full_disk_what_was_accepted_goes_on(void **state) {
  (void)state;
  const place_of_test_t place = make_place();
  assert_int_equal(mkdir(place.grave, 0700), 0);
  const pid_t child = fork();
  if (child == 0) {
    full_child(&place);
    _exit(0);
  }
  int result;
  assert_int_equal(waitpid(child, &result, 0), child);
  assert_int_equal(result, 0);
  remove_place(&place);
}

// With a pattern: the tests that match it.
int main(int argc, char **argv) {
  told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
              0);
  if (told == MAP_FAILED) {
    return 1;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_kill_at_any_step_loses_nothing_that_was_accepted),
      cmocka_unit_test(test_a_kill_in_the_middle_of_a_write_loses_nothing),
      cmocka_unit_test(test_a_power_cut_at_any_step_loses_nothing),
      cmocka_unit_test(test_a_full_disk_refuses_and_harms_nothing),
      cmocka_unit_test(test_an_error_of_the_disk_harms_nothing),
      cmocka_unit_test(test_on_a_full_disk_what_was_accepted_goes_on),
  };
  if (argc > 1) {
    cmocka_set_test_filter(argv[1]);
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
