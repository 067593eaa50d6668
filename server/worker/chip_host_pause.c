// Executions that make way for others, or do not let go; and arrays that are to be freed
// beside them.
//
// Invariant: what is in the list of paused ones is either unprepared, withdrawn from the
// compute threads, parked on one of them, or on its way to being parked. One that is in
// the queue again is the same, until its turn comes (start_next).

#include <stddef.h>

#include "common/base/log.h"
#include "server/worker/chip_host_private.h"
#include "server/worker/kernels/stop.h"

// --- The lists ---

static chip_host_execution_t **link_in(chip_host_execution_t **list,
                                       const chip_host_execution_t *execution,
                                       chip_host_execution_t **out_previous) {
  *out_previous = NULL;
  while (*list != execution) {
    *out_previous = *list;
    list = &(*list)->next;
  }
  return list;
}

chip_host_execution_t *chip_host_take_out(chip_host_execution_t *execution) {
  chip_host_t *host = execution->host;
  chip_host_execution_t *previous;
  if (execution->is_paused) {
    *link_in(&host->paused, execution, &previous) = execution->next;
    return NULL;
  }
  chip_host_execution_t **link = link_in(&host->queue, execution, &previous);
  *link = execution->next;
  if (host->queue_end == &execution->next) {
    host->queue_end = link;
  }
  return previous;
}

void chip_host_append(chip_host_execution_t *execution) {
  chip_host_t *host = execution->host;
  execution->next = NULL;
  *host->queue_end = execution;
  host->queue_end = &execution->next;
}

static void add_paused(chip_host_execution_t *execution) {
  chip_host_execution_t **at = &execution->host->paused;
  while (*at != NULL && (*at)->number < execution->number) {
    at = &(*at)->next;
  }
  execution->next = *at;
  *at = execution;
}

// --- Arrays ---

// Whether it takes or makes the array.
static bool names(const chip_host_execution_t *execution, uint64_t id) {
  const chip_program_t *program = executable_program(execution->program->executable);
  for (int32_t i = 0; i < program->argument_count; i++) {
    if (execution->argument_ids[i] == id) {
      return true;
    }
  }
  for (int32_t i = 0; i < program->result_count; i++) {
    if (execution->result_ids[i] == id) {
      return true;
    }
  }
  return false;
}

static chip_host_execution_t *last_to_name(chip_host_execution_t *at, uint64_t id) {
  chip_host_execution_t *last = NULL;
  for (; at != NULL; at = at->next) {
    last = names(at, id) ? at : last;
  }
  return last;
}

// Of all that are left. As long as none has ever been paused they end as they came, and
// what is to be freed need not be looked for.
static chip_host_execution_t *find_last_to_name(const chip_host_t *host, uint64_t id) {
  chip_host_execution_t *last = NULL;
  if (host->passed_count > 0) {
    last = last_to_name(host->queue, id);
    last = last == NULL ? last_to_name(host->paused, id) : last;
  }
  return last;
}

void chip_host_free_after(chip_host_t *host, chip_host_execution_t *execution,
                          uint64_t id) {
  if (execution == NULL) {
    hbm_array_forget(host->hbm, id);
  } else {
    *pod_list_add(&execution->freed_after) = id;
  }
}

static void free_in_turn(chip_host_t *host, chip_host_execution_t *last, uint64_t id) {
  chip_host_execution_t *named = find_last_to_name(host, id);
  chip_host_free_after(host, named != NULL ? named : last, id);
}

void chip_host_free_arrays(chip_host_t *host, const uint64_t *ids, size_t count) {
  chip_host_execution_t *last = host->queue;
  while (last != NULL && last->next != NULL) {
    last = last->next;
  }
  for (size_t i = 0; i < count; i++) {
    free_in_turn(host, last, ids[i]);
  }
}

void chip_host_pass_on_freed(chip_host_execution_t *execution,
                             chip_host_execution_t *previous) {
  const int32_t count = execution->freed_after.count;
  uint64_t *ids = execution->freed_after.items;
  execution->freed_after.items = NULL;
  execution->freed_after.count = execution->freed_after.capacity = 0;
  for (int32_t i = 0; i < count; i++) {
    free_in_turn(execution->host, previous, ids[i]);
  }
  free(ids);
}

// --- Pausing ---

static chip_host_execution_t *execution_of(kernel_control_t *control) {
  return (chip_host_execution_t *)(void *)((char *)control -
                                           offsetof(chip_host_execution_t, control));
}

void chip_host_yield(kernel_control_t *control) {
  compute_yield(&execution_of(control)->job);
}

// Of a job that stands until something is wished of it.
static bool is_called(const compute_job_t *job) {
  return atomic_load(&((const chip_host_execution_t *)job)->control.wish) != KERNEL_GO_ON;
}

void chip_host_tell_lack(void *context) {
  chip_host_execution_t *execution = context;
  if (!execution->has_told_lack && !execution->is_paused && execution->done != NULL) {
    execution->has_told_lack = true;
    execution->lacks_room(execution->context);
  }
}

// Those of threads that have nothing to do. True: there was something to be had.
static bool clear_other_places(const chip_host_execution_t *execution) {
  chip_host_t *host = execution->host;
  bool is_any = false;
  for (int i = 0; i < COMPUTE_THREADS_MAX; i++) {
    if (i != execution->job.thread && compute_is_free(host->compute, i)) {
      is_any |= executor_clear_place(host->executor, i);
    }
  }
  return is_any;
}

bool chip_host_finds_room(chip_host_execution_t *execution, bool has_begun) {
  chip_host_t *host = execution->host;
  if (has_begun || pod_status_code(execution->status) != POD_RESOURCE_EXHAUSTED ||
      execution->job.compute == NULL) {
    return false;
  }
  if (clear_other_places(execution)) {
    pod_status_free(execution->status);
    return true;
  }
  if (!compute_has_parked(host->compute) || execution->lacks_room == NULL) {
    return false;
  }
  pod_status_free(execution->status);
  rpc_loop_post(host->loop, chip_host_tell_lack, execution);
  compute_stand(&execution->job, is_called);
  execution->status = kernel_obey(&execution->control)
                          ? pod_error(POD_CANCELLED, "the execution was cancelled")
                          : NULL;
  return execution->status == NULL;
}

static bool holds(const chip_host_execution_t *at,
                  const chip_host_execution_t *execution) {
  while (at != NULL && (at == execution || !at->is_running)) {
    at = at->next;
  }
  return at != NULL;
}

bool chip_host_others_hold(const chip_host_execution_t *execution) {
  return holds(execution->host->queue, execution) ||
         holds(execution->host->paused, execution);
}

// Those that have a compute thread and not its turn.
static int count_parked(const chip_host_t *host) {
  int count = 0;
  for (const chip_host_execution_t *at = host->paused; at != NULL; at = at->next) {
    count += at->is_running && !at->is_withdrawn;
  }
  for (const chip_host_execution_t *at = host->queue; at != NULL; at = at->next) {
    count += at->is_running && compute_thread_of(host->compute, &at->job) >= 0;
  }
  return count;
}

// It has begun. When there is no thread for others, it runs on to its end.
static void ask_to_yield(chip_host_execution_t *execution) {
  chip_host_t *host = execution->host;
  const collective_runner_t *runner = &host->options.executor.runner;
  const pod_status_t status = compute_make_threads(host->compute, count_parked(host) + 1);
  if (status != NULL) {
    pod_log(POD_LOG_WARNING, "chip %d cannot pause what it runs: %s",
            host->options.executor.chip, pod_status_message(status));
    pod_status_free(status);
    return;
  }
  atomic_store(&execution->control.wish, KERNEL_PAUSE);
  host_exchange_wake(&execution->exchange);
  compute_nudge(host->compute, &execution->job);
  if (runner->wake != NULL) {
    runner->wake(runner->context);
  }
}

bool chip_host_execution_pause(chip_host_execution_t *execution) {
  chip_host_t *host = execution->host;
  if (execution->is_paused || chip_host_is_stopped(execution)) {
    return execution->is_parked || execution->is_withdrawn || !execution->is_running;
  }
  const bool was_ahead = execution->is_ahead;
  chip_host_execution_t *previous = chip_host_take_out(execution);
  host->passed_count += !execution->was_paused;
  execution->is_paused = execution->was_paused = true;
  execution->is_to_resume = false;
  add_paused(execution);
  chip_host_pass_on_freed(execution, previous);
  if (was_ahead) {
    execution->is_ahead = false;
    host->ahead--;
  }
  chip_host_look_again(host);
  if (!was_ahead) {
    return true;  // It waits, or stands still.
  }
  if (!compute_withdraw(host->compute, &execution->job)) {
    ask_to_yield(execution);
    return false;
  }
  execution->is_parked = compute_thread_of(host->compute, &execution->job) >= 0;
  execution->is_withdrawn = !execution->is_parked;
  return true;
}

void chip_host_execution_resume(chip_host_execution_t *execution) {
  chip_host_t *host = execution->host;
  if (!execution->is_paused || chip_host_is_stopped(execution)) {
    return;
  }
  if (execution->is_running && !execution->is_parked && !execution->is_withdrawn) {
    execution->is_to_resume = true;
    return;
  }
  (void)chip_host_take_out(execution);
  execution->is_paused = execution->is_to_resume = execution->has_told_lack = false;
  atomic_store(&execution->control.wish, KERNEL_GO_ON);
  chip_host_append(execution);
  chip_host_look_again(host);
}

void chip_host_parked(compute_job_t *job) {
  chip_host_execution_t *execution = (chip_host_execution_t *)job;
  execution->is_parked = true;
  if (chip_host_is_stopped(execution)) {
    compute_release(execution->host->compute, job);
    return;
  }
  if (execution->paused != NULL && execution->done != NULL) {
    execution->paused(execution->context);
  }
  if (execution->is_to_resume) {
    chip_host_execution_resume(execution);
  }
}

// --- Those that are stopped ---

static const chip_host_execution_t *find_stopped(const chip_host_execution_t *at) {
  for (; at != NULL; at = at->next) {
    if (at->is_running && !at->is_withdrawn && chip_host_is_stopped(at)) {
      return at;
    }
  }
  return NULL;
}

static void on_stuck(void *context) {
  const chip_host_t *host = context;
  const chip_host_execution_t *stuck = find_stopped(host->queue);
  stuck = stuck == NULL ? find_stopped(host->paused) : stuck;
  if (host->options.stuck != NULL && stuck != NULL) {
    host->options.stuck(executable_program(stuck->program->executable)->name,
                        host->options.stuck_context);
  }
}

void chip_host_watch(const chip_host_execution_t *execution) {
  chip_host_t *host = execution->host;
  const int thread = compute_thread_of(host->compute, &execution->job);
  if (thread == COMPUTE_NO_THREAD) {
    return;
  }
  if (host->patience[thread] == NULL) {
    host->patience[thread] =
        patience_create(host->loop, host->compute, thread, on_stuck, host);
  }
  patience_start(host->patience[thread]);
}

static void watch_all(const chip_host_execution_t *at) {
  while ((at = find_stopped(at)) != NULL) {
    chip_host_watch(at);
    at = at->next;
  }
}

void chip_host_watch_stopped(const chip_host_t *host) {
  watch_all(host->queue);
  watch_all(host->paused);
}
