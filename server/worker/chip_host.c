// The queue of executions is a list whose first `ahead` ones the compute threads have, of
// which they run the first.
//
// An execution that takes less than handing it over and back, which wakes two threads, is
// run on the loop thread when the compute thread has nothing to do (`is_brief`).

#include "server/worker/chip_host.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/id_map.h"
#include "common/base/memory.h"
#include "common/tensor/tiles.h"
#include "server/worker/chip_host_private.h"

enum {
  AHEAD_MAX = 16,  // Given to the compute thread at a time.
  // On the loop thread: the longest execution, and all of them in a row.
  BRIEF_NS_MAX = 20000,
  BRIEF_ROW_NS_MAX = 50000,
};

static void start_next(chip_host_t *host);

pod_status_t chip_host_create(rpc_loop_t *loop, const chip_host_options_t *options,
                              chip_host_t **out_host) {
  chip_host_t *host = pod_alloc(sizeof(*host));
  host->loop = loop;
  host->options = *options;
  pod_status_t status = compute_create(loop, "compute", &host->compute);
  if (status == NULL) {
    status = compute_create(loop, "loader", &host->loader);
  }
  if (status != NULL) {
    compute_destroy(host->compute);
    free(host);
    return status;
  }
  host->hbm = hbm_create(options->executor.chip, options->hbm_bytes);
  host->executor = executor_create(&options->executor);
  host->programs = pod_map_create();
  host->queue_end = &host->queue;
  *out_host = host;
  return NULL;
}

hbm_t *chip_host_hbm(chip_host_t *host) {
  return host->hbm;
}

int32_t chip_host_program_count(const chip_host_t *host) {
  return (int32_t)pod_map_count(host->programs);
}

bool chip_host_is_idle(const chip_host_t *host) {
  return host->queue == NULL && host->paused == NULL && host->loading == NULL;
}

void chip_host_on_idle(chip_host_t *host, rpc_fn_t idle, void *context) {
  host->idle = idle;
  host->idle_context = context;
}

static void destroy(void *context) {
  chip_host_t *host = context;
  for (size_t i = 0; i < POD_COUNT_OF(host->patience); i++) {
    patience_destroy(host->patience[i]);
  }
  compute_destroy(host->compute);
  compute_destroy(host->loader);
  executor_destroy(host->executor);
  pod_map_destroy(host->programs);
  hbm_destroy(host->hbm);
  pod_status_free(host->stop_reason);
  const rpc_fn_t gone = host->gone;
  void *gone_context = host->gone_context;
  free(host);
  gone(gone_context);
}

void chip_host_check_idle(chip_host_t *host) {
  if (!chip_host_is_idle(host)) {
    return;
  }
  if (host->stop_reason != NULL) {
    if (host->unloading_count == 0) {
      host->unloading_count = -1;  // Once.
      rpc_loop_post(host->loop, destroy, host);
    }
  } else if (host->idle != NULL) {
    host->idle(host->idle_context);
  }
}

pod_status_t chip_host_check_running(const chip_host_t *host) {
  return host->stop_reason == NULL ? NULL : pod_status_copy(host->stop_reason);
}

// --- Executions ---

static void free_execution(chip_host_execution_t *execution) {
  if (execution->program != NULL) {
    const chip_program_t *program = executable_program(execution->program->executable);
    for (int32_t i = 0; i < program->argument_count; i++) {
      hbm_array_release(execution->arguments[i]);
    }
    for (int32_t i = 0; i < program->result_count; i++) {
      hbm_array_release(execution->results[i]);
    }
    chip_host_release_program(execution->program);
  }
  free(execution->arguments);
  free(execution->results);
  free(execution->argument_data);
  free(execution->result_data);
  free(execution->result_ids);
  free(execution->is_kept);
  free(execution->is_made);
  free(execution->argument_ids);
  pod_list_deinit(&execution->freed_after);
  chip_profile_deinit(&execution->profile);
  host_exchange_deinit(&execution->exchange);
  pod_status_free(execution->status);
  free(execution);
}

// The links need to hear of the end of every execution.
static void tell_end(const chip_host_t *host, uint64_t execution) {
  const collective_runner_t *runner = &host->options.executor.runner;
  if (runner->end != NULL) {
    runner->end(runner->context, execution);
  }
}

// What other chips say of an execution counts once the links have heard of it.
static void tell_begin(const chip_host_t *host, uint64_t execution) {
  const collective_runner_t *runner = &host->options.executor.runner;
  if (runner->begin != NULL) {
    runner->begin(runner->context, execution);
  }
}

// Takes it out of the queue, tells who waits, frees it.
static void end_execution(chip_host_execution_t *execution, pod_status_t status) {
  chip_host_t *host = execution->host;
  chip_host_execution_t *previous = chip_host_take_out(execution);
  host->queue_length--;
  // One that is stopped before its turn: those before it may need what is to be freed.
  chip_host_pass_on_freed(execution, previous);
  host->passed_count -= execution->was_paused;
  tell_end(host, execution->id);
  if (execution->done != NULL) {
    execution->done(status == NULL ? &execution->profile : NULL, status,
                    execution->context);
  } else {
    pod_status_free(status);
  }
  free_execution(execution);
}

// What was to be made before by one that failed cannot be used.
static pod_status_t check_made(const chip_host_execution_t *execution) {
  const chip_program_t *program = executable_program(execution->program->executable);
  for (int32_t i = 0; i < program->argument_count; i++) {
    if (execution->arguments[i]->is_bad) {
      return pod_error(POD_NOT_FOUND,
                       "argument %d of %s: array %" PRIu64
                       " was not made, as the execution that should have failed",
                       i, program->name, execution->arguments[i]->id);
    }
  }
  return NULL;
}

static void run_execution(compute_job_t *job) {
  chip_host_execution_t *execution = (chip_host_execution_t *)job;
  const chip_program_t *program = executable_program(execution->program->executable);
  bool has_begun = false;
  const executor_run_t run = {
      .place = job->thread,
      .execution = execution->id,
      .arguments = execution->argument_data,
      .results = execution->result_data,
      .control = &execution->control,
      .host = {.transfer = execution->has_host ? host_exchange_transfer : NULL,
               .context = &execution->exchange},
      .has_begun = &has_begun};
  execution->status = check_made(execution);
  if (execution->status == NULL) {
    do {
      execution->status =
          executor_run(execution->program->executable, &run, &execution->profile);
    } while (chip_host_finds_room(execution, has_begun));
  }
  const bool is_bad = execution->status != NULL || chip_host_is_stopped(execution);
  for (int32_t i = 0; i < program->result_count && is_bad; i++) {
    execution->results[i]->is_bad = true;
  }
  if (job->thread > 0) {  // Rarely used.
    (void)executor_clear_place(execution->host->executor, job->thread);
  }
}

static pod_status_t publish_results(const chip_host_execution_t *execution) {
  const chip_program_t *program = executable_program(execution->program->executable);
  for (int32_t i = 0; i < program->result_count; i++) {
    const pod_status_t status = hbm_array_publish(execution->results[i]);
    if (status != NULL) {
      while (i-- > 0) {
        hbm_array_forget(execution->host->hbm, execution->results[i]->id);
      }
      return status;
    }
  }
  return NULL;
}

// It has run. Ends it.
static void conclude(chip_host_execution_t *execution) {
  chip_host_t *host = execution->host;
  if (execution->status == NULL) {
    execution->program->run_ns = execution->profile.host_ns;
  }
  hbm_release(host->hbm, execution->temp_bytes);
  hbm_host_release(host->hbm, execution->host_temp_bytes);
  host->held_temp_bytes -= execution->temp_bytes;
  host->ahead -= execution->is_ahead ? 1 : 0;
  pod_status_t status = execution->status;
  execution->status = NULL;
  if (status != NULL && host->stop_reason != NULL) {
    pod_status_free(status);
    status = pod_status_copy(host->stop_reason);
  }
  const chip_program_t *program = executable_program(execution->program->executable);
  bool is_bad = chip_host_is_stopped(execution);
  for (int32_t i = 0; i < program->result_count; i++) {
    is_bad |= execution->results[i]->is_bad;
  }
  if (status == NULL && is_bad) {
    status = pod_error(POD_CANCELLED, "the execution was cancelled");
  }
  if (status == NULL) {
    status = publish_results(execution);
  }
  end_execution(execution, status);
}

static void done_execution(compute_job_t *job) {
  chip_host_execution_t *execution = (chip_host_execution_t *)job;
  chip_host_t *host = execution->host;
  patience_t *patience = host->patience[job->thread];
  patience_end(patience);
  conclude(execution);
  if (patience != NULL) {
    chip_host_watch_stopped(host);
  }
  start_next(host);
  chip_host_check_idle(host);
}

// Temporaries and results together, so that the message has the whole need.
static pod_status_t check_room(const chip_host_execution_t *execution) {
  hbm_t *hbm = execution->host->hbm;
  const executable_t *executable = execution->program->executable;
  const chip_program_t *program = executable_program(executable);
  int64_t size_bytes = chip_program_hbm_temp_bytes(program);
  for (int32_t i = 0; i < program->result_count; i++) {
    const int64_t result =
        execution->is_made[i] && !program->results[i].is_host
            ? tensor_tiled_bytes(executable_result_shape(executable, i))
            : 0;
    if (__builtin_add_overflow(size_bytes, result, &size_bytes)) {
      size_bytes = INT64_MAX;
      break;
    }
  }
  POD_TRY(hbm_reserve(hbm, size_bytes, execution->program->execution_text));
  hbm_release(hbm, size_bytes);
  return NULL;
}

// A donated argument gives its memory to its result, unless it is kept or somebody else
// still reads it: the executor copies then.
static void choose_memory(chip_host_execution_t *execution) {
  const chip_program_t *program = executable_program(execution->program->executable);
  for (int32_t i = 0; i < program->result_count; i++) {
    execution->is_made[i] = true;
  }
  for (int32_t i = 0; i < program->alias_count; i++) {
    const chip_alias_t *alias = &program->aliases[i];
    execution->is_made[alias->result] =
        execution->is_kept[i] ||
        !hbm_array_is_sole(execution->arguments[alias->argument]);
  }
}

// What is to be consumed is in the table: one that an execution before this has yet to
// make gives its memory when that has ended.
static pod_status_t check_consumed(const chip_host_execution_t *execution) {
  const chip_program_t *program = executable_program(execution->program->executable);
  for (int32_t i = 0; i < program->alias_count; i++) {
    const hbm_array_t *argument = execution->arguments[program->aliases[i].argument];
    hbm_array_t *there;
    POD_TRY(pod_status_context(hbm_array_find(execution->host->hbm, argument->id, &there),
                               "argument %d of %s", (int)program->aliases[i].argument,
                               program->name));
  }
  return NULL;
}

// Cannot fail: from here on the donated arguments are gone.
static void consume_arguments(chip_host_execution_t *execution) {
  chip_host_t *host = execution->host;
  const executable_t *executable = execution->program->executable;
  const chip_program_t *program = executable_program(executable);
  bool is_any = false;
  for (int32_t i = 0; i < program->alias_count; i++) {
    const chip_alias_t *alias = &program->aliases[i];
    hbm_array_t *argument = execution->arguments[alias->argument];
    if (!execution->is_made[alias->result]) {
      execution->results[alias->result] = hbm_array_hand_over(
          argument, execution->result_ids[alias->result], execution->session,
          executable_result_shape(executable, alias->result));
      execution->result_data[alias->result] = execution->results[alias->result]->data;
    }
    if (!execution->is_kept[i]) {
      hbm_array_donate(host->hbm, argument->id, program->name);
      is_any = true;
    }
  }
  if (is_any && execution->consumed != NULL && execution->done != NULL) {
    execution->consumed(execution->context);
  }
}

static pod_status_t shape_error(const chip_host_execution_t *execution, int32_t index,
                                const hbm_array_t *array) {
  const executable_t *executable = execution->program->executable;
  pod_text_t text = {0};
  pod_text_printf(&text, "argument %d of %s must be ", index,
                  executable_program(executable)->name);
  tensor_shape_print(&text, executable_argument_shape(executable, index));
  pod_text_printf(&text, " on each chip, array %" PRIu64 " is ", array->id);
  tensor_shape_print(&text, &array->shape);
  const pod_status_t status =
      pod_error_text(__FILE__, __LINE__, POD_INVALID_ARGUMENT, text.bytes);
  pod_text_deinit(&text);
  return status;
}

// One that an execution is to make which the compute thread has; NULL when there is none.
static hbm_array_t *find_ahead(const chip_host_t *host, uint64_t id) {
  const chip_host_execution_t *at = host->queue;
  for (int32_t i = 0; i < host->ahead; i++, at = at->next) {
    const chip_program_t *program = executable_program(at->program->executable);
    for (int32_t r = 0; r < program->result_count; r++) {
      if (at->result_ids[r] == id) {
        return at->results[r];
      }
    }
  }
  return NULL;
}

static pod_status_t find_argument(chip_host_execution_t *execution, int32_t index) {
  const executable_t *executable = execution->program->executable;
  const uint64_t id = execution->argument_ids[index];
  hbm_array_t *array = find_ahead(execution->host, id);
  if (array == NULL) {
    POD_TRY(pod_status_context(hbm_array_find(execution->host->hbm, id, &array),
                               "argument %d of %s", index,
                               executable_program(executable)->name));
  }
  if (!tensor_shape_equal(&array->shape, executable_argument_shape(executable, index))) {
    return shape_error(execution, index, array);
  }
  hbm_array_retain(array);
  execution->arguments[index] = array;
  execution->argument_data[index] = array->data;
  return NULL;
}

// `is_last`: what is not there now will not come.
static pod_status_t find_arguments(chip_host_execution_t *execution, bool is_last) {
  const chip_program_t *program = executable_program(execution->program->executable);
  for (int32_t i = 0; i < program->argument_count; i++) {
    if (execution->arguments[i] != NULL) {
      continue;
    }
    const pod_status_t status = find_argument(execution, i);
    if (pod_status_code(status) == POD_NOT_FOUND && !is_last) {
      pod_status_free(status);
    } else if (status != NULL) {
      return status;
    }
  }
  return NULL;
}

// Reserves what the execution needs beside its arguments.
static pod_status_t prepare(chip_host_execution_t *execution) {
  chip_host_t *host = execution->host;
  const executable_t *executable = execution->program->executable;
  const chip_program_t *program = executable_program(executable);
  POD_TRY(find_arguments(execution, true));
  POD_TRY(check_consumed(execution));
  choose_memory(execution);
  POD_TRY(check_room(execution));
  const int64_t temp_bytes = chip_program_hbm_temp_bytes(program);
  POD_TRY(hbm_reserve(host->hbm, temp_bytes, program->name));
  execution->temp_bytes = temp_bytes;
  execution->host_temp_bytes = program->host_temp_bytes;
  hbm_host_reserve(host->hbm, program->host_temp_bytes);
  for (int32_t i = 0; i < program->result_count; i++) {
    if (execution->is_made[i]) {
      const bool is_host = program->results[i].is_host;
      POD_TRY((is_host ? hbm_array_create_on_host : hbm_array_create)(
          host->hbm, execution->result_ids[i], execution->session,
          executable_result_shape(executable, i), &execution->results[i]));
      execution->result_data[i] = execution->results[i]->data;
    }
  }
  consume_arguments(execution);
  chip_profile_init(&execution->profile, program, host->options.executor.chip);
  execution->profile.hbm_peak_bytes = hbm_used_bytes(host->hbm) - host->held_temp_bytes;
  return NULL;
}

// Nothing in it waits, how long it takes depends on shapes alone, and it took no time the
// last time. The first run, which makes what the next ones find, is never brief.
static bool is_brief(const chip_host_execution_t *execution) {
  const loaded_t *program = execution->program;
  return compute_is_idle(execution->host->compute) && program->run_ns <= BRIEF_NS_MAX &&
         executable_is_straight_line(program->executable);
}

// `row_ns`: what those before it in this row have taken on the loop thread.
static void start(chip_host_execution_t *execution, int64_t *row_ns) {
  chip_host_t *host = execution->host;
  execution->is_running = execution->is_ahead = true;
  host->ahead++;
  host->held_temp_bytes += execution->temp_bytes;
  execution->job = (compute_job_t){
      .run = run_execution, .done = done_execution, .parked = chip_host_parked};
  if (*row_ns < BRIEF_ROW_NS_MAX && is_brief(execution)) {
    run_execution(&execution->job);
    *row_ns += execution->profile.host_ns;
    conclude(execution);
  } else {
    compute_post(host->compute, &execution->job);
  }
}

// What `prepare` has done before it failed.
static void unprepare(chip_host_execution_t *execution) {
  const chip_program_t *program = executable_program(execution->program->executable);
  hbm_release(execution->host->hbm, execution->temp_bytes);
  hbm_host_release(execution->host->hbm, execution->host_temp_bytes);
  execution->temp_bytes = execution->host_temp_bytes = 0;
  for (int32_t i = 0; i < program->result_count; i++) {
    hbm_array_release(execution->results[i]);
    execution->results[i] = NULL;
  }
}

// One that was paused.
static void start_again(chip_host_execution_t *execution) {
  chip_host_t *host = execution->host;
  execution->is_ahead = true;
  host->ahead++;
  if (execution->is_withdrawn) {
    execution->is_withdrawn = false;
    compute_post(host->compute, &execution->job);
  } else if (!chip_host_is_stopped(execution)) {  // Else it was released, and ends.
    execution->is_parked = false;
    compute_resume(host->compute, &execution->job);
  }
}

// It has no room, and nothing runs: those that are paused have it, or it cannot be. Takes
// `status`. True: it waits for them.
static bool lack_room(chip_host_execution_t *execution, pod_status_t status) {
  if (pod_status_code(status) != POD_RESOURCE_EXHAUSTED ||
      execution->lacks_room == NULL || !chip_host_others_hold(execution)) {
    end_execution(execution, status);
    return false;
  }
  pod_status_free(status);
  chip_host_tell_lack(execution);
  return true;
}

// One that has no room while others run waits for their end.
static void start_next(chip_host_t *host) {
  chip_host_execution_t *execution = host->queue;
  for (int32_t i = 0; i < host->ahead; i++) {
    execution = execution->next;
  }
  int64_t row_ns = 0;
  while (execution != NULL && host->ahead < AHEAD_MAX) {
    chip_host_execution_t *next = execution->next;
    if (execution->is_running) {
      start_again(execution);
      execution = next;
      continue;
    }
    const pod_status_t status = prepare(execution);
    if (status == NULL) {
      start(execution, &row_ns);
    } else {
      unprepare(execution);
      if (host->ahead > 0) {
        pod_status_free(status);
        return;
      }
      if (lack_room(execution, status)) {
        return;
      }
    }
    execution = next;
  }
}

// Prepared, and will not begin.
static void abandon(chip_host_execution_t *execution) {
  const chip_program_t *program = executable_program(execution->program->executable);
  for (int32_t i = 0; i < program->result_count; i++) {
    execution->results[i]->is_bad = true;
  }
  conclude(execution);
}

static void sweep_list(chip_host_t *host, chip_host_execution_t *execution) {
  while (execution != NULL) {
    chip_host_execution_t *next = execution->next;
    if (execution->is_running) {
      if (execution->is_withdrawn && chip_host_is_stopped(execution)) {
        abandon(execution);
      }
    } else if (host->stop_reason != NULL) {
      end_execution(execution, pod_status_copy(host->stop_reason));
    } else if (chip_host_is_stopped(execution)) {
      end_execution(execution, pod_error(POD_CANCELLED, "session %" PRIu64 " was closed",
                                         execution->session));
    }
    execution = next;
  }
}

// Ends what waits and is not to run any more, then goes on.
static void sweep(void *context) {
  chip_host_t *host = context;
  host->is_sweep_posted = false;
  sweep_list(host, host->queue);
  sweep_list(host, host->paused);
  start_next(host);
  chip_host_check_idle(host);
}

void chip_host_look_again(chip_host_t *host) {
  if (!host->is_sweep_posted) {
    host->is_sweep_posted = true;
    rpc_loop_post(host->loop, sweep, host);
  }
}

static pod_status_t check_execute(const chip_host_t *host,
                                  const chip_host_execute_t *request,
                                  loaded_t **out_program) {
  POD_TRY(chip_host_check_running(host));
  loaded_t *loaded = pod_id_map_get(host->programs, request->program);
  if (loaded == NULL) {
    return pod_error(POD_NOT_FOUND, "program %" PRIu64 " is not on chip %d",
                     request->program, host->options.executor.chip);
  }
  const chip_program_t *program = executable_program(loaded->executable);
  if (request->argument_count != (size_t)program->argument_count ||
      request->result_count != (size_t)program->result_count) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "%s takes %d arrays and makes %d, not %zu and %zu", program->name,
                     program->argument_count, program->result_count,
                     request->argument_count, request->result_count);
  }
  if (host->queue_length >= CHIP_HOST_QUEUE_MAX) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "chip %d has %d executions waiting already",
                     host->options.executor.chip, host->queue_length);
  }
  *out_program = loaded;
  return NULL;
}

static pod_status_t keep_arguments(chip_host_execution_t *execution,
                                   const chip_host_execute_t *request) {
  const chip_program_t *program = executable_program(execution->program->executable);
  execution->is_made = pod_alloc((size_t)program->result_count * sizeof(bool));
  execution->is_kept = pod_alloc((size_t)program->alias_count * sizeof(bool));
  bool *is_kept = pod_alloc((size_t)program->argument_count * sizeof(bool));
  pod_status_t status = NULL;
  for (size_t i = 0; i < request->kept_count && status == NULL; i++) {
    const int32_t argument = request->kept[i];
    if (argument < 0 || argument >= program->argument_count) {
      status =
          pod_error(POD_INVALID_ARGUMENT, "argument %d of %s is to be kept, which has %d",
                    argument, program->name, program->argument_count);
    } else {
      is_kept[argument] = true;
    }
  }
  for (int32_t i = 0; i < program->alias_count; i++) {
    execution->is_kept[i] = is_kept[program->aliases[i].argument];
  }
  free(is_kept);
  return status;
}

static pod_status_t make_execution(chip_host_t *host, const chip_host_execute_t *request,
                                   chip_host_execution_t **out_execution) {
  loaded_t *program = NULL;
  POD_TRY(check_execute(host, request, &program));
  chip_host_execution_t *execution = pod_alloc(sizeof(*execution));
  *execution = (chip_host_execution_t){.host = host,
                                       .id = request->execution,
                                       .session = request->session,
                                       .program = program};
  execution->control.pause = chip_host_yield;
  program->count++;
  host_exchange_init(&execution->exchange, host->loop, NULL, NULL, &execution->control);
  execution->arguments = pod_alloc(request->argument_count * sizeof(void *));
  execution->argument_data = pod_alloc(request->argument_count * sizeof(void *));
  execution->results = pod_alloc(request->result_count * sizeof(void *));
  execution->result_data = pod_alloc(request->result_count * sizeof(void *));
  execution->result_ids = pod_alloc(request->result_count * sizeof(uint64_t));
  if (request->result_count > 0) {
    memcpy(execution->result_ids, request->results,
           request->result_count * sizeof(uint64_t));
  }
  execution->argument_ids = pod_alloc(request->argument_count * sizeof(uint64_t));
  if (request->argument_count > 0) {
    memcpy(execution->argument_ids, request->arguments,
           request->argument_count * sizeof(uint64_t));
  }
  pod_status_t status = find_arguments(execution, host->queue == NULL);
  if (status == NULL) {
    status = keep_arguments(execution, request);
  }
  if (status != NULL) {
    free_execution(execution);
    return status;
  }
  *out_execution = execution;
  return NULL;
}

static bool is_among(const chip_host_execution_t *at, uint64_t id) {
  while (at != NULL && at->id != id) {
    at = at->next;
  }
  return at != NULL;
}

pod_status_t chip_host_execute(chip_host_t *host, const chip_host_execute_t *request,
                               chip_host_executed_fn_t done, void *context,
                               chip_host_execution_t **out_execution) {
  if (is_among(host->queue, request->execution) ||
      is_among(host->paused, request->execution)) {
    return pod_error(POD_ALREADY_EXISTS, "execution %" PRIu64 " is under way",
                     request->execution);
  }
  chip_host_execution_t *execution;
  const pod_status_t status = make_execution(host, request, &execution);
  if (status != NULL) {
    tell_end(host, request->execution);
    return status;
  }
  tell_begin(host, request->execution);
  execution->done = done;
  execution->consumed = request->consumed;
  execution->paused = request->paused;
  execution->lacks_room = request->lacks_room;
  execution->context = context;
  execution->has_host = request->ask != NULL;
  execution->exchange.ask = request->ask;
  execution->exchange.context = context;
  execution->number = ++host->execution_count;
  chip_host_append(execution);
  host->queue_length++;
  chip_host_look_again(host);
  *out_execution = execution;
  return NULL;
}

// Wakes its compute thread if it waits for peers, for its host, or for its turn.
static void interrupt(chip_host_execution_t *execution, pod_status_t reason) {
  const collective_runner_t *runner = &execution->host->options.executor.runner;
  if (execution->is_running && runner->abort != NULL) {
    runner->abort(runner->context, execution->id, reason);
  } else {
    pod_status_free(reason);
  }
  atomic_store(&execution->control.wish, KERNEL_STOP);
  host_exchange_wake(&execution->exchange);
  if (execution->is_running && !execution->is_withdrawn) {
    compute_release(execution->host->compute, &execution->job);
    compute_nudge(execution->host->compute, &execution->job);
    chip_host_watch(execution);
  }
}

static void interrupt_session(chip_host_execution_t *at, uint64_t session) {
  for (; at != NULL; at = at->next) {
    if (at->session == session) {
      interrupt(at, pod_error(POD_CANCELLED, "session %" PRIu64 " was closed", session));
    }
  }
}

void chip_host_execution_answer(chip_host_execution_t *execution, const void *data,
                                size_t size_bytes, pod_status_t status) {
  host_exchange_answer(&execution->exchange, data, size_bytes, status);
}

void chip_host_execution_cancel(chip_host_execution_t *execution) {
  execution->done = NULL;
  execution->exchange.ask = NULL;
  interrupt(execution, pod_error(POD_CANCELLED, "the execution was cancelled"));
  if (!execution->is_running || execution->is_withdrawn) {
    chip_host_look_again(execution->host);
  }
}

void chip_host_close_session(chip_host_t *host, uint64_t session) {
  interrupt_session(host->queue, session);
  interrupt_session(host->paused, session);
  for (loaded_t *program = host->loading; program != NULL;
       program = program->next_loading) {
    program->session_closed |= program->session == session;
  }
  hbm_session_forget(host->hbm, session);
  size_t position = 0;
  const char *key;
  void *value;
  while (pod_map_next(host->programs, &position, &key, &value)) {
    loaded_t *program = value;
    if (program->session == session) {
      chip_host_unload(host, program->id);
    }
  }
  chip_host_look_again(host);
}

static void interrupt_all(chip_host_execution_t *at, pod_status_t reason) {
  for (; at != NULL; at = at->next) {
    interrupt(at, pod_status_copy(reason));
  }
}

void chip_host_stop(chip_host_t *host, pod_status_t reason, rpc_fn_t gone,
                    void *context) {
  POD_CHECK(host->stop_reason == NULL && reason != NULL);
  host->stop_reason = reason;
  host->gone = gone;
  host->gone_context = context;
  interrupt_all(host->queue, reason);
  interrupt_all(host->paused, reason);
  size_t position = 0;
  const char *key;
  void *program;
  while (pod_map_next(host->programs, &position, &key, &program)) {
    chip_host_unload(host, ((loaded_t *)program)->id);
  }
  chip_host_look_again(host);
}
