// The queue of executions is a list whose first `ahead` ones the compute thread has, of
// which it runs the first.
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
#include "server/worker/chip_host_private.h"

enum {
  AHEAD_MAX = 16,  // Given to the compute thread at a time.
  // On the loop thread: the longest execution, and all of them in a row.
  BRIEF_NS_MAX = 20000,
  BRIEF_ROW_NS_MAX = 50000,
};

static void start_next(chip_host_t *host);

static void on_stuck(void *context) {
  const chip_host_t *host = context;
  if (host->options.stuck != NULL) {
    host->options.stuck(executable_program(host->queue->program->executable)->name,
                        host->options.stuck_context);
  }
}

// Of what the compute thread was given, the first is what it does.
static void watch_first(chip_host_t *host) {
  const chip_host_execution_t *first = host->queue;
  if (first != NULL && first->is_running && atomic_load(&first->cancelled)) {
    patience_start(host->patience);
  }
}

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
  host->patience = patience_create(loop, host->compute, on_stuck, host);
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
  return host->queue == NULL && host->loading == NULL;
}

void chip_host_on_idle(chip_host_t *host, rpc_fn_t idle, void *context) {
  host->idle = idle;
  host->idle_context = context;
}

static void destroy(void *context) {
  chip_host_t *host = context;
  patience_destroy(host->patience);
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

static void free_later(chip_host_t *host, chip_host_execution_t *execution,
                       const uint64_t *ids, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    if (execution == NULL) {
      hbm_array_forget(host->hbm, ids[i]);
    } else {
      *pod_list_add(&execution->freed_after) = ids[i];
    }
  }
}

void chip_host_free_arrays(chip_host_t *host, const uint64_t *ids, size_t count) {
  chip_host_execution_t *last = host->queue;
  while (last != NULL && last->next != NULL) {
    last = last->next;
  }
  free_later(host, last, ids, (int32_t)count);
}

// Takes it out of the queue, tells who waits, frees it.
static void end_execution(chip_host_execution_t *execution, pod_status_t status) {
  chip_host_t *host = execution->host;
  chip_host_execution_t **link = &host->queue;
  chip_host_execution_t *previous = NULL;
  while (*link != execution) {
    previous = *link;
    link = &(*link)->next;
  }
  *link = execution->next;
  if (host->queue_end == &execution->next) {
    host->queue_end = link;
  }
  host->queue_length--;
  // One that is stopped before its turn: those before it may need what is to be freed.
  free_later(host, previous, execution->freed_after.items, execution->freed_after.count);
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
  const executor_run_t run = {
      .execution = execution->id,
      .arguments = execution->argument_data,
      .results = execution->result_data,
      .cancelled = &execution->cancelled,
      .host = {.transfer = execution->has_host ? host_exchange_transfer : NULL,
               .context = &execution->exchange}};
  execution->status = check_made(execution);
  if (execution->status == NULL) {
    execution->status =
        executor_run(execution->program->executable, &run, &execution->profile);
  }
  const bool is_bad = execution->status != NULL || atomic_load(&execution->cancelled);
  for (int32_t i = 0; i < program->result_count && is_bad; i++) {
    execution->results[i]->is_bad = true;
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
  host->ahead_temp_bytes -= execution->temp_bytes;
  host->ahead--;
  pod_status_t status = execution->status;
  execution->status = NULL;
  if (status != NULL && host->stop_reason != NULL) {
    pod_status_free(status);
    status = pod_status_copy(host->stop_reason);
  }
  const chip_program_t *program = executable_program(execution->program->executable);
  bool is_bad = atomic_load(&execution->cancelled);
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
  patience_end(host->patience);
  conclude(execution);
  watch_first(host);
  start_next(host);
  chip_host_check_idle(host);
}

// Temporaries and results together, so that the message has the whole need.
static pod_status_t check_room(const chip_host_execution_t *execution) {
  hbm_t *hbm = execution->host->hbm;
  const executable_t *executable = execution->program->executable;
  const chip_program_t *program = executable_program(executable);
  int64_t size_bytes = program->temp_bytes;
  for (int32_t i = 0; i < program->result_count; i++) {
    const int64_t result = execution->is_made[i]
                               ? hbm_shape_bytes(executable_result_shape(executable, i))
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
  POD_TRY(hbm_reserve(host->hbm, program->temp_bytes, program->name));
  execution->temp_bytes = program->temp_bytes;
  for (int32_t i = 0; i < program->result_count; i++) {
    if (execution->is_made[i]) {
      POD_TRY(hbm_array_create(host->hbm, execution->result_ids[i], execution->session,
                               executable_result_shape(executable, i),
                               &execution->results[i]));
      execution->result_data[i] = execution->results[i]->data;
    }
  }
  consume_arguments(execution);
  chip_profile_init(&execution->profile, program, host->options.executor.chip);
  execution->profile.hbm_peak_bytes = hbm_used_bytes(host->hbm) - host->ahead_temp_bytes;
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
  execution->is_running = true;
  host->ahead++;
  host->ahead_temp_bytes += execution->temp_bytes;
  execution->job = (compute_job_t){.run = run_execution, .done = done_execution};
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
  execution->temp_bytes = 0;
  for (int32_t i = 0; i < program->result_count; i++) {
    hbm_array_release(execution->results[i]);
    execution->results[i] = NULL;
  }
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
    const pod_status_t status = prepare(execution);
    if (status == NULL) {
      start(execution, &row_ns);
    } else {
      unprepare(execution);
      if (host->ahead > 0) {
        pod_status_free(status);
        return;
      }
      end_execution(execution, status);
    }
    execution = next;
  }
}

// Ends what waits in the queue and is not to run any more, then goes on.
static void sweep(void *context) {
  chip_host_t *host = context;
  host->is_sweep_posted = false;
  chip_host_execution_t *execution = host->queue;
  while (execution != NULL) {
    chip_host_execution_t *next = execution->next;
    if (!execution->is_running) {
      if (host->stop_reason != NULL) {
        end_execution(execution, pod_status_copy(host->stop_reason));
      } else if (atomic_load(&execution->cancelled)) {
        end_execution(execution,
                      pod_error(POD_CANCELLED, "session %" PRIu64 " was closed",
                                execution->session));
      }
    }
    execution = next;
  }
  start_next(host);
  chip_host_check_idle(host);
}

static void post_sweep(chip_host_t *host) {
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
  program->count++;
  host_exchange_init(&execution->exchange, host->loop, NULL, NULL, &execution->cancelled);
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

pod_status_t chip_host_execute(chip_host_t *host, const chip_host_execute_t *request,
                               chip_host_executed_fn_t done, void *context,
                               chip_host_execution_t **out_execution) {
  for (const chip_host_execution_t *other = host->queue; other != NULL;
       other = other->next) {
    if (other->id == request->execution) {
      return pod_error(POD_ALREADY_EXISTS, "execution %" PRIu64 " is under way",
                       request->execution);
    }
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
  execution->context = context;
  execution->has_host = request->ask != NULL;
  execution->exchange.ask = request->ask;
  execution->exchange.context = context;
  *host->queue_end = execution;
  host->queue_end = &execution->next;
  host->queue_length++;
  post_sweep(host);
  *out_execution = execution;
  return NULL;
}

// Wakes the compute thread if it waits for peers in this execution.
static void interrupt(chip_host_execution_t *execution, pod_status_t reason) {
  const collective_runner_t *runner = &execution->host->options.executor.runner;
  atomic_store(&execution->cancelled, true);
  host_exchange_wake(&execution->exchange);
  watch_first(execution->host);
  if (execution->is_running && runner->abort != NULL) {
    runner->abort(runner->context, execution->id, reason);
  } else {
    pod_status_free(reason);
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
  if (!execution->is_running) {
    post_sweep(execution->host);
  }
}

void chip_host_close_session(chip_host_t *host, uint64_t session) {
  for (chip_host_execution_t *execution = host->queue; execution != NULL;
       execution = execution->next) {
    if (execution->session == session) {
      interrupt(execution,
                pod_error(POD_CANCELLED, "session %" PRIu64 " was closed", session));
    }
  }
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
  post_sweep(host);
}

void chip_host_stop(chip_host_t *host, pod_status_t reason, rpc_fn_t gone,
                    void *context) {
  POD_CHECK(host->stop_reason == NULL && reason != NULL);
  host->stop_reason = reason;
  host->gone = gone;
  host->gone_context = context;
  for (chip_host_execution_t *execution = host->queue; execution != NULL;
       execution = execution->next) {
    interrupt(execution, pod_status_copy(reason));
  }
  size_t position = 0;
  const char *key;
  void *program;
  while (pod_map_next(host->programs, &position, &key, &program)) {
    chip_host_unload(host, ((loaded_t *)program)->id);
  }
  post_sweep(host);
}
