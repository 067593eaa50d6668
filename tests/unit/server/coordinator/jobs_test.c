// podium.v1.Jobs over real sockets, with runners that do what the test says.

#include "server/coordinator/jobs.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/memory.h"
#include "proto/podium/v1/jobs.pb-c.h"
#include "server/coordinator/coordinator_private.h"
#include "server/coordinator/job_process.h"
#include "server/jobs/blobs.h"
#include "server/jobs/orders.h"
#include "tests/unit/server/coordinator/world.h"

enum { RUNNERS_MAX = 16 };

// --- Runners ---

struct job_attempt_t {
  rpc_loop_t *loop;
  job_attempt_events_t events;
  char *orders;
  bool is_killed, has_ended;
  pod_status_t how;
};

static struct {
  int count;
  job_attempt_t *attempts[RUNNERS_MAX];
  bool ignores_kill;
} runners;

static void deliver_end(void *context) {
  job_attempt_t *attempt = context;
  attempt->events.on_end(attempt->events.context, attempt->how);
}

static void end_attempt(job_attempt_t *attempt, pod_status_t how) {
  assert_false(attempt->has_ended);
  attempt->has_ended = true;
  attempt->how = how;
  rpc_loop_post(attempt->loop, deliver_end, attempt);
}

static job_attempt_t *start(rpc_loop_t *loop, const char *orders, const char *log_path,
                            const job_attempt_events_t *events) {
  job_attempt_t *attempt = pod_alloc(sizeof(*attempt));
  *attempt =
      (job_attempt_t){.loop = loop, .events = *events, .orders = pod_strdup(orders)};
  FILE *log = fopen(log_path, "a");
  assert_non_null(log);
  fprintf(log, "attempt\n");
  fclose(log);
  assert_true(runners.count < RUNNERS_MAX);
  runners.attempts[runners.count++] = attempt;
  return attempt;
}

static void kill_attempt(job_attempt_t *attempt) {
  attempt->is_killed = true;
  if (!attempt->has_ended && !runners.ignores_kill) {
    end_attempt(attempt, pod_error(POD_UNAVAILABLE, "killed"));
  }
}

static void abandon(job_attempt_t *attempt) {
  attempt->is_killed = attempt->has_ended = true;
}

static const coordinator_runner_t fake_runner = {
    .start = start, .kill = kill_attempt, .abandon = abandon};

static void say(job_attempt_t *attempt, const char *line) {
  char *copy = pod_strdup(line);
  attempt->events.on_line(attempt->events.context, copy);
  free(copy);
}

typedef struct runners_wanted_t {
  int count;
} runners_wanted_t;

static bool has_runners(void *context) {
  return runners.count >= ((const runners_wanted_t *)context)->count;
}

static job_attempt_t *wait_runner(world_t *world, int number) {
  runners_wanted_t wanted = {number};
  client_run(world->loop, has_runners, &wanted);
  return runners.attempts[number - 1];
}

// --- The world ---

static char folder[64];

static int remove_entry(const char *path, const struct stat *info, int kind,
                        struct FTW *at) {
  (void)info;
  (void)kind;
  (void)at;
  return remove(path);
}

static void start_world(world_t *world, const coordinator_jobs_options_t *options) {
  static coordinator_jobs_options_t jobs;
  jobs = options == NULL ? (coordinator_jobs_options_t){0} : *options;
  jobs.folder = folder;
  jobs.runner = &fake_runner;
  world_keep_jobs(&jobs);
  world_start_ready(world, 60000);
  world_keep_jobs(NULL);
}

static void make_folder(void) {
  snprintf(folder, sizeof(folder), "/tmp/jobs_test_XXXXXX");
  assert_non_null(mkdtemp(folder));
  runners.count = 0;
  runners.ignores_kill = false;
}

static void forget_runners(void) {
  for (int i = 0; i < runners.count; i++) {
    free(runners.attempts[i]->orders);
    free(runners.attempts[i]);
  }
  runners.count = 0;
}

static void stop_world(world_t *world) {
  world_stop(world);
  forget_runners();
}

static void remove_folder(void) {
  nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

// --- Calls ---

typedef struct wish_t {
  const char *text;
  size_t data_bytes;  // Of the input's ARRAY_BYTES; 0: all.
  int retries;
  uint64_t after;
  const char *submission, *slice, *mesh;
  int64_t order[4];  // Not all 0.
} wish_t;

static client_call_t *start_submit(world_t *world, const wish_t *wish) {
  Podium__V1__JobHeader header = PODIUM__V1__JOB_HEADER__INIT;
  Podium__V1__JobArray input = PODIUM__V1__JOB_ARRAY__INIT, *inputs[] = {&input};
  Podium__V1__Shape shape = PODIUM__V1__SHAPE__INIT;
  int64_t dims[] = {ROWS, 4};
  shape.dtype = PODIUM__V1__DTYPE__DTYPE_F32;
  shape.n_dims = 2;
  shape.dims = dims;
  input.name = "arg0";
  input.shape = &shape;
  header.file_name = "f.mlir";
  header.module_bytes = (int64_t)strlen(wish->text);
  header.n_inputs = 1;
  header.inputs = inputs;
  header.retries = wish->retries;
  header.submission = wish->submission == NULL ? "" : (char *)(uintptr_t)wish->submission;
  header.slice = wish->slice == NULL ? "" : (char *)(uintptr_t)wish->slice;
  header.mesh = wish->mesh == NULL ? "" : (char *)(uintptr_t)wish->mesh;
  header.n_device_order = wish->order[0] + wish->order[1] > 0 ? 4 : 0;
  header.device_order = (int64_t *)(uintptr_t)wish->order;
  uint64_t after[] = {wish->after};
  header.n_after = wish->after != 0;
  header.after = after;
  Podium__V1__SubmitJobRequest message = PODIUM__V1__SUBMIT_JOB_REQUEST__INIT;
  message.header = &header;
  client_call_t *call = client_start(world->client, "/podium.v1.Jobs/SubmitJob",
                                     &podium__v1__submit_job_response__descriptor,
                                     &message.base, CLIENT_WAIT_MS);
  message.header = NULL;
  message.data.data = (uint8_t *)(uintptr_t)wish->text;
  message.data.len = strlen(wish->text);
  rpc_call_send(call->rpc, &message.base);
  uint8_t data[ARRAY_BYTES];
  world_fill(data, sizeof(data));
  message.data.data = data;
  message.data.len = wish->data_bytes > 0 ? wish->data_bytes : sizeof(data);
  rpc_call_send(call->rpc, &message.base);
  return call;
}

static uint64_t submit(world_t *world, const wish_t *wish) {
  client_call_t *call = start_submit(world, wish);
  rpc_call_half_close(call->rpc);
  assert_null(client_wait(call));
  const uint64_t id = ((Podium__V1__SubmitJobResponse *)call->messages[0])->id;
  client_free(call);
  return id;
}

static void expect_submit(world_t *world, const wish_t *wish, pod_code_t code,
                          const char *part) {
  client_call_t *call = start_submit(world, wish);
  rpc_call_half_close(call->rpc);
  assert_refused(pod_status_copy(client_wait(call)), code, part);
  client_free(call);
}

static Podium__V1__Job *get(world_t *world, uint64_t id) {
  Podium__V1__GetJobRequest request = PODIUM__V1__GET_JOB_REQUEST__INIT;
  request.id = id;
  Podium__V1__Job *job = NULL;
  assert_null(client_unary(world->client, "/podium.v1.Jobs/GetJob", &request.base,
                           &podium__v1__job__descriptor, CLIENT_WAIT_MS, &job));
  return job;
}

// Waits for its end by a watch.
static Podium__V1__Job *wait_end(world_t *world, uint64_t id) {
  Podium__V1__WatchJobsRequest request = PODIUM__V1__WATCH_JOBS_REQUEST__INIT;
  request.n_ids = 1;
  request.ids = &id;
  client_call_t *call =
      client_start(world->client, "/podium.v1.Jobs/WatchJobs",
                   &podium__v1__job__descriptor, &request.base, CLIENT_WAIT_MS);
  rpc_call_half_close(call->rpc);
  assert_null(client_wait(call));
  client_free(call);
  return get(world, id);
}

static void expect_end(world_t *world, uint64_t id, Podium__V1__JobState state,
                       pod_code_t code, const char *part) {
  Podium__V1__Job *job = wait_end(world, id);
  assert_int_equal(job->state, state);
  assert_int_equal(job->code, code);
  assert_non_null(strstr(job->message, part));
  podium__v1__job__free_unpacked(job, NULL);
}

// As the runner does it.
static void tell_result(job_attempt_t *attempt, const void *data, size_t size_bytes) {
  job_blobs_t *blobs;
  job_blob_writer_t *writer;
  job_told_t told = {
      .word = JOB_WORD_RESULT,
      .array = {
          .name = "r", .dtype = "f32", .rank = 1, .dims = {(int64_t)size_bytes / 4}}};
  assert_null(job_blobs_open(folder, &blobs));
  assert_null(job_blob_create(blobs, &writer));
  assert_null(job_blob_append(writer, data, size_bytes));
  assert_null(job_blob_commit(writer, &told.array.data));
  job_blobs_close(blobs);
  pod_text_t line = {0};
  job_told_print(&told, &line);
  line.bytes[line.length - 1] = '\0';
  say(attempt, line.bytes);
  pod_text_deinit(&line);
}

static client_call_t *fetch(world_t *world, uint64_t id) {
  Podium__V1__FetchResultRequest request = PODIUM__V1__FETCH_RESULT_REQUEST__INIT;
  request.id = id;
  client_call_t *call = client_start(world->client, "/podium.v1.Jobs/FetchResult",
                                     &podium__v1__fetch_result_response__descriptor,
                                     &request.base, CLIENT_WAIT_MS);
  rpc_call_half_close(call->rpc);
  return call;
}

// --- Tests ---

static void test_a_result_is_served_whole_and_spoilt_bytes_are_not(void **state) {
  (void)state;
  world_t world;
  make_folder();
  start_world(&world, NULL);
  const uint64_t id = submit(&world, &(wish_t){.text = "module"});
  job_attempt_t *attempt = wait_runner(&world, 1);
  assert_non_null(strstr(attempt->orders, "\nchip 0\nrun\n"));
  enum { RESULT_BYTES = 3 << 20 };
  uint8_t *data = pod_alloc(RESULT_BYTES);
  world_fill(data, RESULT_BYTES);
  tell_result(attempt, data, RESULT_BYTES);
  say(attempt, "done");
  end_attempt(attempt, NULL);
  expect_end(&world, id, PODIUM__V1__JOB_STATE__JOB_STATE_SUCCEEDED, POD_OK, "");
  client_call_t *call = fetch(&world, id);
  assert_null(client_wait(call));
  size_t at = 0;
  for (int i = 0; i < call->message_count; i++) {
    const Podium__V1__FetchResultResponse *piece = (void *)call->messages[i];
    assert_memory_equal(piece->data.data, data + at, piece->data.len);
    at += piece->data.len;
  }
  assert_int_equal(at, RESULT_BYTES);
  client_free(call);
  char command[256];
  snprintf(command, sizeof(command),
           "f=$(find %s/blobs -size +2M) && chmod u+w $f && printf x | dd of=$f bs=1 "
           "seek=99 conv=notrunc status=none",
           folder);
  assert_int_equal(system(command), 0);
  call = fetch(&world, id);
  assert_refused(pod_status_copy(client_wait(call)), POD_DATA_LOSS, "damaged");
  client_free(call);
  free(data);
  stop_world(&world);
  remove_folder();
}

static void test_nonsense_of_a_runner_is_not_believed(void **state) {
  (void)state;
  world_t world;
  make_folder();
  start_world(&world, NULL);
  const uint64_t silent = submit(&world, &(wish_t){.text = "module"});
  say(wait_runner(&world, 1), "what is this");
  end_attempt(runners.attempts[0], NULL);
  expect_end(&world, silent, PODIUM__V1__JOB_STATE__JOB_STATE_FAILED, POD_INTERNAL,
             "without a word");
  const uint64_t liar = submit(&world, &(wish_t){.text = "module"});
  say(wait_runner(&world, 2),
      "result r f32 "
      "1234567812345678123456781234567812345678123456781234567812345678 4 1 1");
  say(runners.attempts[1], "done");
  end_attempt(runners.attempts[1], NULL);
  Podium__V1__Job *job = wait_end(&world, liar);
  assert_int_equal(job->state, PODIUM__V1__JOB_STATE__JOB_STATE_FAILED);
  podium__v1__job__free_unpacked(job, NULL);
  stop_world(&world);
  remove_folder();
}

static void test_only_what_the_pod_failed_runs_again(void **state) {
  (void)state;
  world_t world;
  make_folder();
  start_world(&world, NULL);
  const uint64_t id = submit(&world, &(wish_t){.text = "module", .retries = 1});
  for (int attempt = 1; attempt <= 2; attempt++) {
    say(wait_runner(&world, attempt), "failed 14 chip%203%20is%20gone");
    end_attempt(runners.attempts[attempt - 1], NULL);
  }
  expect_end(&world, id, PODIUM__V1__JOB_STATE__JOB_STATE_FAILED, POD_UNAVAILABLE,
             "chip 3 is gone");
  const uint64_t wrong = submit(&world, &(wish_t){.text = "module", .retries = 9});
  say(wait_runner(&world, 3), "failed 3 no");
  end_attempt(runners.attempts[2], NULL);
  expect_end(&world, wrong, PODIUM__V1__JOB_STATE__JOB_STATE_FAILED, POD_INVALID_ARGUMENT,
             "no");
  assert_int_equal(runners.count, 3);
  stop_world(&world);
  remove_folder();
}

// Four chips, five jobs: the fifth starts when the cancelled one's runner is gone.
static void test_chips_are_free_when_the_runner_is_gone(void **state) {
  (void)state;
  world_t world;
  make_folder();
  start_world(&world, NULL);
  uint64_t ids[5];
  for (int i = 0; i < 5; i++) {
    ids[i] = submit(&world, &(wish_t){.text = "module"});
  }
  wait_runner(&world, 4);
  runners.ignores_kill = true;
  Podium__V1__CancelJobRequest request = PODIUM__V1__CANCEL_JOB_REQUEST__INIT;
  request.id = ids[1];
  client_call_t *call =
      client_start(world.client, "/podium.v1.Jobs/CancelJob",
                   &podium__v1__job__descriptor, &request.base, CLIENT_WAIT_MS);
  rpc_call_half_close(call->rpc);
  Podium__V1__Job *job = get(&world, ids[4]);  // Behind the cancel.
  assert_int_equal(job->state, PODIUM__V1__JOB_STATE__JOB_STATE_QUEUED);
  assert_string_equal(job->waits_for, "for a free chip");
  podium__v1__job__free_unpacked(job, NULL);
  assert_int_equal(runners.count, 4);
  assert_false(call->is_over);
  assert_true(runners.attempts[1]->is_killed);
  end_attempt(runners.attempts[1], pod_error(POD_UNAVAILABLE, "killed"));
  assert_null(client_wait(call));
  assert_int_equal(((Podium__V1__Job *)call->messages[0])->state,
                   PODIUM__V1__JOB_STATE__JOB_STATE_CANCELLED);
  client_free(call);
  wait_runner(&world, 5);
  stop_world(&world);
  remove_folder();
}

static void expect_waits_for(world_t *world, uint64_t id, const char *for_what) {
  Podium__V1__Job *job = get(world, id);
  assert_int_equal(job->state, PODIUM__V1__JOB_STATE__JOB_STATE_QUEUED);
  assert_memory_equal(job->waits_for, for_what, strlen(for_what));
  podium__v1__job__free_unpacked(job, NULL);
}

static bool link_is_down(void *context) {
  const places_t *places = registry_places(((world_t *)context)->coordinator->registry);
  return !places_link_is_up(places, 1, 2);
}

// One that needs the link of chips 1 and 3 does not start while that is down; what needs
// it not does. So it is after a pod's start, and after a worker's return.
static void test_a_job_waits_for_the_links_of_its_slice(void **state) {
  (void)state;
  world_t world;
  make_folder();
  start_world(&world, NULL);
  world_wait_ready(&world, true);
  fake_worker_report_link(world.workers[3], 3, 1, false);
  client_run(world.loop, link_is_down, &world);
  const uint64_t id = submit(&world, &(wish_t){.text = "module", .slice = "2x2"});
  expect_waits_for(&world, id,
                   "for a free slice of 2x2, which the pod does not have while links "
                   "are down");
  // Once it is clear that the link does not just come up.
  submit(&world, &(wish_t){.text = "module", .slice = "2x1"});
  assert_non_null(strstr(wait_runner(&world, 1)->orders, "\nchip 0\nchip 1\nrun\n"));
  say(runners.attempts[0], "done");
  end_attempt(runners.attempts[0], NULL);
  expect_waits_for(&world, id,
                   "for a free slice of 2x2, which the pod does not have while links "
                   "are down");
  assert_int_equal(runners.count, 1);
  fake_worker_report_links(world.workers[3]);
  wait_runner(&world, 2);
  stop_world(&world);
  remove_folder();
}

static void wait_queued(world_t *world, uint64_t id, const char *for_what) {
  for (;;) {
    Podium__V1__Job *job = get(world, id);
    const bool is_it = job->state == PODIUM__V1__JOB_STATE__JOB_STATE_QUEUED;
    if (is_it) {
      assert_non_null(strstr(job->waits_for, for_what));
    }
    podium__v1__job__free_unpacked(job, NULL);
    if (is_it) {
      return;
    }
  }
}

// The links went down after its start: it waits a while and runs again, though it may not
// be tried again when the pod has failed it.
static void test_what_the_pod_was_not_ready_for_does_not_count(void **state) {
  (void)state;
  world_t world;
  make_folder();
  start_world(&world, NULL);
  const uint64_t id = submit(&world, &(wish_t){.text = "module", .slice = "2x2"});
  for (int attempt = 1; attempt <= 2; attempt++) {
    wait_runner(&world, attempt);
    jobs_note_refusal(world.coordinator->jobs, id);
    say(runners.attempts[attempt - 1], "failed 14 the%20pod%20is%20not%20ready");
    end_attempt(runners.attempts[attempt - 1], NULL);
    wait_queued(&world, id, "was refused: the pod is not ready");
  }
  say(wait_runner(&world, 3), "failed 14 chip%203%20is%20gone");
  end_attempt(runners.attempts[2], NULL);
  expect_end(&world, id, PODIUM__V1__JOB_STATE__JOB_STATE_FAILED, POD_UNAVAILABLE,
             "chip 3 is gone");
  stop_world(&world);
  remove_folder();
}

// The token of its attempt's orders.
static char *token_of(const job_attempt_t *attempt) {
  const char *at = strstr(attempt->orders, "\ntoken ");
  assert_non_null(at);
  at += strlen("\ntoken ");
  return strndup(at, strcspn(at, "\n"));
}

static void test_a_runners_execution_that_is_refused_is_noted(void **state) {
  (void)state;
  world_t world;
  make_folder();
  start_world(&world, NULL);
  const uint64_t id = submit(&world, &(wish_t){.text = "module", .slice = "2x2"});
  char *token = token_of(wait_runner(&world, 1));
  client_t *own = world.client;
  world.client =
      client_create_with_token(world.loop, coordinator_address(world.coordinator), token);
  client_open(world.client, false);
  const uint64_t executable = world_compile(&world, "f");
  const uint64_t array = world_put(&world, executable);
  uint64_t result;
  fake_worker_report_link(world.workers[3], 3, 1, false);
  client_run(world.loop, link_is_down, &world);
  assert_refused(client_execute(world.client, executable, array, &result),
                 POD_UNAVAILABLE, "is not ready");
  client_destroy(world.client);
  world.client = own;
  say(runners.attempts[0], "failed 14 the%20pod%20is%20not%20ready");
  end_attempt(runners.attempts[0], NULL);
  wait_queued(&world, id, "");
  free(token);
  stop_world(&world);
  remove_folder();
}

static void test_what_is_too_much_is_refused_before_it_comes(void **state) {
  (void)state;
  world_t world;
  make_folder();
  start_world(&world, &(coordinator_jobs_options_t){.bytes_max = 64});
  expect_submit(&world, &(wish_t){.text = "module"}, POD_RESOURCE_EXHAUSTED, "");
  stop_world(&world);
  remove_folder();
  make_folder();
  start_world(&world, &(coordinator_jobs_options_t){.client_jobs_max = 1});
  submit(&world, &(wish_t){.text = "module"});
  expect_submit(&world, &(wish_t){.text = "module"}, POD_RESOURCE_EXHAUSTED, "");
  stop_world(&world);
  remove_folder();
}

static void test_what_is_refused_leaves_nothing_behind(void **state) {
  (void)state;
  world_t world;
  make_folder();
  start_world(&world, NULL);
  expect_submit(&world, &(wish_t){.text = "module", .order = {0, 1, 1, 2}},
                POD_INVALID_ARGUMENT, "--device-order: place 1 stands in it twice");
  expect_submit(&world, &(wish_t){.text = "module", .order = {0, 1, 4, 2}},
                POD_INVALID_ARGUMENT, "--device-order: place 4");
  expect_submit(&world, &(wish_t){.text = "bad module"}, POD_INVALID_ARGUMENT, "");
  expect_submit(&world, &(wish_t){.text = "module", .data_bytes = 5},
                POD_INVALID_ARGUMENT, "the bytes end within input 0");
  client_call_t *call = start_submit(&world, &(wish_t){.text = "module"});
  rpc_call_cancel(call->rpc);
  assert_int_equal(pod_status_code(client_wait(call)), POD_CANCELLED);
  client_free(call);
  assert_int_equal(submit(&world, &(wish_t){.text = "module"}), 1);
  char command[256];
  // The one that was accepted has a module and an input.
  snprintf(command, sizeof(command),
           "[ $(find %s/partial -type f | wc -l) = 0 ] && [ $(find %s/blobs -type f | wc "
           "-l) = 2 ]",
           folder, folder);
  assert_int_equal(system(command), 0);
  stop_world(&world);
  remove_folder();
}

static void test_a_submission_that_comes_twice_is_one_job(void **state) {
  (void)state;
  world_t world;
  make_folder();
  start_world(&world, NULL);
  const wish_t wish = {.text = "module", .submission = "key"};
  client_call_t *both[] = {start_submit(&world, &wish), start_submit(&world, &wish)};
  rpc_call_half_close(both[0]->rpc);
  rpc_call_half_close(both[1]->rpc);
  for (int i = 0; i < 2; i++) {
    assert_null(client_wait(both[i]));
    assert_int_equal(((Podium__V1__SubmitJobResponse *)both[i]->messages[0])->id, 1);
    client_free(both[i]);
  }
  assert_int_equal(submit(&world, &wish), 1);
  stop_world(&world);
  remove_folder();
}

static void note_drained(void *context) {
  *(bool *)context = true;
}

static bool is_set(void *context) {
  return *(bool *)context;
}

static void test_the_books_are_the_same_in_the_next_coordinator(void **state) {
  (void)state;
  world_t world;
  make_folder();
  start_world(&world, NULL);
  const uint64_t first = submit(&world, &(wish_t){.text = "module"});
  const uint64_t second = submit(&world, &(wish_t){.text = "module", .after = first});
  wait_runner(&world, 1);
  bool is_drained = false;
  coordinator_drain(world.coordinator, 5000, note_drained, &is_drained);
  client_run(world.loop, is_set, &is_drained);
  assert_true(runners.attempts[0]->is_killed);
  stop_world(&world);
  start_world(&world, NULL);
  job_attempt_t *attempt = wait_runner(&world, 1);
  assert_non_null(strstr(attempt->orders, "job 1 2 0\n"));
  say(attempt, "failed 3 no");
  end_attempt(attempt, NULL);
  expect_end(&world, second, PODIUM__V1__JOB_STATE__JOB_STATE_FAILED,
             POD_FAILED_PRECONDITION, "job 1, which it comes after, has failed");
  stop_world(&world);
  remove_folder();
}

typedef Podium__V1__FindSliceResponse found_t;

static pod_status_t find_slice(world_t *world, const char *size, bool of_empty_pod,
                               found_t **out_found) {
  Podium__V1__FindSliceRequest request = PODIUM__V1__FIND_SLICE_REQUEST__INIT;
  request.size = (char *)(uintptr_t)size;
  request.of_empty_pod = of_empty_pod;
  return client_unary(world->client, "/podium.v1.Podium/FindSlice", &request.base,
                      &podium__v1__find_slice_response__descriptor, CLIENT_WAIT_MS,
                      out_found);
}

static void test_a_slice_is_found_beside_jobs_and_lost_chips(void **state) {
  (void)state;
  world_t world;
  make_folder();
  start_world(&world, NULL);
  found_t *found;
  assert_null(find_slice(&world, "2x2", false, &found));
  assert_int_equal(found->n_chips, 4);
  podium__v1__find_slice_response__free_unpacked(found, NULL);
  (void)submit(&world, &(wish_t){.text = "module", .slice = "2x1"});  // Chips 0 and 1.
  wait_runner(&world, 1);
  assert_null(find_slice(&world, "2x1", false, &found));
  assert_string_equal(found->size, "2x1");
  assert_int_equal(found->chips[0], 2);
  assert_int_equal(found->chips[1], 3);
  assert_false(found->shared);
  podium__v1__find_slice_response__free_unpacked(found, NULL);
  assert_refused(find_slice(&world, "2x2", false, &found), POD_RESOURCE_EXHAUSTED,
                 "jobs have");
  assert_refused(find_slice(&world, "", false, &found), POD_INVALID_ARGUMENT, "2x2");
  assert_refused(find_slice(&world, "3x1", false, &found), POD_INVALID_ARGUMENT,
                 "no box");
  world_kill_worker(&world, 3);
  world_wait_ready(&world, false);
  assert_null(find_slice(&world, "1x1", false, &found));
  assert_int_equal(found->chips[0], 2);
  podium__v1__find_slice_response__free_unpacked(found, NULL);
  assert_refused(find_slice(&world, "2x2", false, &found), POD_UNAVAILABLE, "missing");
  assert_null(find_slice(&world, "2x2", true, &found));
  assert_int_equal(found->n_chips, 4);
  podium__v1__find_slice_response__free_unpacked(found, NULL);
  stop_world(&world);
  remove_folder();
}

static void restart_world(world_t *world) {
  bool is_drained = false;
  coordinator_drain(world->coordinator, 5000, note_drained, &is_drained);
  client_run(world->loop, is_set, &is_drained);
  stop_world(world);
  start_world(world, NULL);
}

static void expect_compiling(const job_attempt_t *attempt) {
  assert_non_null(strstr(attempt->orders, "\noptions mesh%207:x=2,y=2%0a\n"));
  assert_non_null(strstr(attempt->orders, "\nchip 3\nchip 0\nchip 1\nchip 2\nrun\n"));
}

// Two attempts fail for want of chips, one under each coordinator; one was all it may.
// All are compiled alike.
static void test_retries_are_counted_across_coordinators(void **state) {
  (void)state;
  world_t world;
  make_folder();
  start_world(&world, NULL);
  const wish_t wish = {
      .text = "module", .retries = 1, .mesh = "x=2,y=2", .order = {3, 0, 1, 2}};
  const uint64_t id = submit(&world, &wish);
  expect_compiling(wait_runner(&world, 1));
  say(runners.attempts[0], "failed 14 chip%203%20is%20gone");
  end_attempt(runners.attempts[0], NULL);
  expect_compiling(wait_runner(&world, 2));
  restart_world(&world);
  expect_compiling(wait_runner(&world, 1));
  say(runners.attempts[0], "failed 14 chip%202%20is%20gone");
  end_attempt(runners.attempts[0], NULL);
  expect_end(&world, id, PODIUM__V1__JOB_STATE__JOB_STATE_FAILED, POD_UNAVAILABLE,
             "chip 2 is gone");
  assert_int_equal(runners.count, 1);
  stop_world(&world);
  remove_folder();
}

static void expect_slice(world_t *world, uint64_t id, const char *size, size_t chips,
                         int32_t first_chip) {
  Podium__V1__Job *job = get(world, id);
  assert_string_equal(job->given_slice, size);
  assert_int_equal(job->n_chips, chips);
  assert_int_equal(job->n_origin, *size == '\0' ? 0 : 3);
  if (chips > 0) {
    assert_int_equal(job->chips[0], first_chip);
  }
  podium__v1__job__free_unpacked(job, NULL);
}

static void test_the_slice_of_a_job_is_told_by_the_next_coordinator_too(void **state) {
  (void)state;
  world_t world;
  make_folder();
  start_world(&world, NULL);
  const uint64_t one = submit(&world, &(wish_t){.text = "module", .slice = "1x1"});
  wait_runner(&world, 1);
  const uint64_t two = submit(&world, &(wish_t){.text = "module", .slice = "1x2"});
  const uint64_t never = submit(&world, &(wish_t){.text = "module", .after = two});
  wait_runner(&world, 2);
  expect_slice(&world, one, "1x1", 1, 0);
  Podium__V1__Job *job = get(&world, two);
  const int32_t chip = job->chips[0];
  podium__v1__job__free_unpacked(job, NULL);
  for (int i = 0; i < 2; i++) {
    say(runners.attempts[i], "failed 3 no");
    end_attempt(runners.attempts[i], NULL);
  }
  expect_end(&world, never, PODIUM__V1__JOB_STATE__JOB_STATE_FAILED,
             POD_FAILED_PRECONDITION, "has failed");
  for (int life = 0; life < 2; life++) {
    expect_slice(&world, one, "1x1", 1, 0);
    expect_slice(&world, two, "1x2", 2, chip);
    expect_slice(&world, never, "", 0, 0);
    restart_world(&world);
  }
  stop_world(&world);
  remove_folder();
}

// Ten thousand changes of a job, and a watcher that has not been told for a while: what
// it gets is the last, and the log follows.
static void test_a_log_is_followed_to_its_end(void **state) {
  (void)state;
  world_t world;
  make_folder();
  start_world(&world, NULL);
  const uint64_t id = submit(&world, &(wish_t){.text = "module"});
  job_attempt_t *attempt = wait_runner(&world, 1);
  for (int i = 0; i < 10000; i++) {
    say(attempt, "progress on%20and%20on");
  }
  Podium__V1__ReadJobLogRequest request = PODIUM__V1__READ_JOB_LOG_REQUEST__INIT;
  request.id = id;
  request.follow = true;
  client_call_t *call =
      client_start(world.client, "/podium.v1.Jobs/ReadJobLog",
                   &podium__v1__job_log__descriptor, &request.base, CLIENT_WAIT_MS);
  rpc_call_half_close(call->rpc);
  client_wait_messages(call, 1);
  assert_false(call->is_over);
  char path[128];
  snprintf(path, sizeof(path), "%s/logs/1.1.log", folder);
  FILE *log = fopen(path, "a");
  fprintf(log, "more\n");
  fclose(log);
  client_wait_messages(call, 2);
  say(attempt, "done");
  end_attempt(attempt, NULL);
  assert_null(client_wait(call));
  const Podium__V1__JobLog *last = (void *)call->messages[1];
  assert_memory_equal(last->data.data, "more\n", 5);
  client_free(call);
  stop_world(&world);
  remove_folder();
}

static void test_without_a_folder_there_are_no_jobs(void **state) {
  (void)state;
  world_t world;
  world_start_ready(&world, 60000);
  expect_submit(&world, &(wish_t){.text = "module"}, POD_FAILED_PRECONDITION,
                "--jobs FOLDER");
  world_stop(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_result_is_served_whole_and_spoilt_bytes_are_not),
      cmocka_unit_test(test_nonsense_of_a_runner_is_not_believed),
      cmocka_unit_test(test_only_what_the_pod_failed_runs_again),
      cmocka_unit_test(test_chips_are_free_when_the_runner_is_gone),
      cmocka_unit_test(test_a_job_waits_for_the_links_of_its_slice),
      cmocka_unit_test(test_what_the_pod_was_not_ready_for_does_not_count),
      cmocka_unit_test(test_a_runners_execution_that_is_refused_is_noted),
      cmocka_unit_test(test_what_is_too_much_is_refused_before_it_comes),
      cmocka_unit_test(test_what_is_refused_leaves_nothing_behind),
      cmocka_unit_test(test_a_submission_that_comes_twice_is_one_job),
      cmocka_unit_test(test_the_books_are_the_same_in_the_next_coordinator),
      cmocka_unit_test(test_a_slice_is_found_beside_jobs_and_lost_chips),
      cmocka_unit_test(test_retries_are_counted_across_coordinators),
      cmocka_unit_test(test_the_slice_of_a_job_is_told_by_the_next_coordinator_too),
      cmocka_unit_test(test_a_log_is_followed_to_its_end),
      cmocka_unit_test(test_without_a_folder_there_are_no_jobs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
