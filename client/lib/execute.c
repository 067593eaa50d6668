// Executions go out on the session's Dispatch, packed on the caller's thread, with ids
// for the execution and its results that are chosen here: nothing waits for an answer but
// who wants to.

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "client/lib/host.h"
#include "client/lib/retry.h"
#include "common/base/memory.h"

// Counted: by the user's handle, and by the call until it is answered.
struct podium_execution {
  lib_handle_t handle;  // First.
  atomic_int count;
  atomic_int_fast64_t host_ns;
  struct execute_t *call;  // Of a session that retries, until it ends. Loop thread.
};

typedef struct execute_t {
  lib_answer_t answer;  // First, so that the answer finds it.
  // Of a session that retries: the message is made when it goes out.
  lib_op_t op;
  lib_run_t *run;          // Counted; NULL: `message` is it.
  lib_remade_fn_t remade;  // Told the end in place of the operation.
  bool is_cancelled;
  podium_session_t *session;
  podium_execution_t *execution;  // NULL: nobody wants it.
  lib_host_t *host;               // NULL: without callbacks.
  int64_t timeout_ms;
  rpc_timer_t *timer;  // With a timeout.
  podium_done_fn_t done;
  void *context;
  size_t size_bytes;
  uint8_t message[];  // Packed.
} execute_t;

static void release_execution(podium_execution_t *execution) {
  if (execution != NULL && atomic_fetch_sub(&execution->count, 1) == 1) {
    free(execution);
  }
}

static void free_execution(lib_handle_t *handle) {
  release_execution((podium_execution_t *)handle);
}

// --- On the loop ---

// Takes `status`.
static void finish(execute_t *execute, pod_status_t status) {
  if (execute->run != NULL && status == NULL) {
    lib_run_ended(execute->run);
  } else if (execute->run != NULL && execute->remade == NULL) {
    lib_run_failed(execute->run, status);
  }
  lib_op_over(&execute->op);
  lib_run_release(execute->run);
  if (execute->remade != NULL) {
    execute->remade(execute->context, status);
    free(execute);
    return;
  }
  atomic_fetch_sub(&execute->session->execution_count, 1);
  rpc_timer_destroy(execute->timer);
  if (execute->execution != NULL) {
    execute->execution->call = NULL;
  }
  release_execution(execute->execution);
  lib_host_end(execute->host);
  if (execute->done != NULL) {
    execute->done(execute->context, lib_status(status));
  } else {
    pod_status_free(status);
  }
  free(execute);
}

static void on_answer(lib_answer_t *answer, pod_status_t status, int64_t host_ns) {
  execute_t *execute = (execute_t *)answer;
  if (execute->execution != NULL) {
    atomic_store(&execute->execution->host_ns, host_ns);
  }
  if (execute->is_cancelled && pod_status_code(status) == POD_UNAVAILABLE) {
    pod_status_free(status);  // The cancel was lost with the pod; nobody wants it again.
    status = pod_error(POD_CANCELLED, "the execution was cancelled");
  }
  if (status == NULL || !lib_op_fails(&execute->op, status)) {
    finish(execute, status);
  }
}

static void on_ask(lib_answer_t *answer, const Podium__V1__HostTransfer *transfer) {
  const execute_t *execute = (const execute_t *)answer;
  if (execute->host != NULL) {
    lib_host_ask(execute->host, transfer);
  }
}

static void dispatch_cancel(podium_session_t *session, uint64_t execution,
                            int64_t timeout_ms) {
  Podium__V1__CancelExecution cancel = PODIUM__V1__CANCEL_EXECUTION__INIT;
  cancel.execution = execution;
  cancel.timeout_ms = timeout_ms;
  Podium__V1__DispatchRequest message = PODIUM__V1__DISPATCH_REQUEST__INIT;
  message.what_case = PODIUM__V1__DISPATCH_REQUEST__WHAT_CANCEL;
  message.cancel = &cancel;
  lib_dispatch(session, &message);
}

// Nobody waits longer, also for a coordinator that is silent.
static void on_timeout(void *context) {
  execute_t *execute = context;
  if (!execute->op.is_parked) {
    dispatch_cancel(execute->session, execute->answer.id, execute->timeout_ms);
    lib_dispatch_forget(execute->session, &execute->answer);
  }
  finish(execute,
         pod_error(POD_DEADLINE_EXCEEDED, "the execution has not ended within %lld ms",
                   (long long)execute->timeout_ms));
}

static pod_status_t choose_ids(podium_session_t *session, uint64_t *ids, int count) {
  for (int i = 0; i < count; i++) {
    POD_TRY(lib_new_id(session, &ids[i]));
  }
  return NULL;
}

// `ids`: of the execution, its results, then its arguments.
static void pack_run(execute_t *execute, uint64_t *ids, uint8_t **out_message,
                     size_t *out_bytes) {
  const lib_run_t *run = execute->run;
  const size_t result_count = (size_t)run->executable->info.result_count;
  Podium__V1__ExecuteRequest request = PODIUM__V1__EXECUTE_REQUEST__INIT;
  request.executable = run->executable->handle.id;
  request.execution_id = ids[0];
  request.n_result_ids = result_count;
  request.result_ids = ids + 1;
  request.n_arguments = run->argument_count;
  request.arguments = ids + 1 + result_count;
  request.arguments_by_chip = run->by_chip;
  request.profile = run->profile;
  request.serves_host = run->serves_host;
  request.n_kept = run->kept_count;
  request.kept = run->kept;
  Podium__V1__DispatchRequest message = PODIUM__V1__DISPATCH_REQUEST__INIT;
  message.what_case = PODIUM__V1__DISPATCH_REQUEST__WHAT_EXECUTE;
  message.execute = &request;
  *out_bytes = podium__v1__dispatch_request__get_packed_size(&message);
  *out_message = pod_alloc(*out_bytes);
  podium__v1__dispatch_request__pack(&message, *out_message);
}

static pod_status_t find_arguments(const lib_run_t *run, uint64_t *ids) {
  POD_TRY(pod_status_copy(run->executable->module->error));
  for (size_t i = 0; i < run->argument_count; i++) {
    POD_TRY(pod_status_context(lib_origin_check(run->arguments[i]),
                               "argument %zu of '%s'", i, run->executable->info.name));
    ids[i] = run->arguments[i]->id;
  }
  return NULL;
}

// The results that nobody wants are freed when they are there.
static void take_ids(execute_t *execute, const uint64_t *ids) {
  const lib_run_t *run = execute->run;
  execute->answer.id = ids[0];
  if (execute->execution != NULL) {
    atomic_store(&execute->execution->handle.id, ids[0]);
  }
  if (execute->host != NULL) {
    lib_host_begin(execute->host, ids[0]);
  }
  for (int i = 0; i < run->executable->info.result_count; i++) {
    if (run->results[i] != NULL) {
      lib_free_now(execute->session, run->results[i]->id, 0);  // Of a former attempt.
      run->results[i]->id = ids[1 + i];
    }
  }
}

static void free_unwanted(const lib_run_t *run, const uint64_t *ids) {
  for (int i = 0; i < run->executable->info.result_count; i++) {
    if (run->results[i] == NULL) {
      lib_free_now(run->executable->handle.session, ids[1 + i], 0);
    }
  }
}

static void send_run(lib_op_t *op) {
  execute_t *execute = (execute_t *)(void *)((char *)op - offsetof(execute_t, op));
  lib_run_t *run = execute->run;
  const int own = 1 + run->executable->info.result_count;
  uint64_t *ids = pod_alloc(((size_t)own + run->argument_count) * sizeof(*ids));
  pod_status_t status = find_arguments(run, ids + own);
  if (status == NULL) {
    status = choose_ids(execute->session, ids, own);
  }
  if (status != NULL) {
    finish(execute, status);
  } else {
    uint8_t *message;
    size_t size_bytes;
    run->sequence = op->sequence != 0 ? op->sequence : run->sequence;
    take_ids(execute, ids);
    pack_run(execute, ids, &message, &size_bytes);
    atomic_fetch_add(&run->count, 1);  // Its answer may come at once.
    lib_dispatch_execution(execute->session, message, size_bytes, &execute->answer);
    free_unwanted(run, ids);
    lib_run_release(run);
    free(message);
  }
  free(ids);
}

static void end_unasked(lib_op_t *op, pod_status_t status) {
  finish((execute_t *)(void *)((char *)op - offsetof(execute_t, op)), status);
}

void lib_run_again(lib_run_t *run, lib_remade_fn_t done, void *context) {
  execute_t *execute = pod_alloc(sizeof(*execute));
  atomic_fetch_add(&run->count, 1);
  *execute = (execute_t){.answer = {.done = on_answer, .ask = on_ask},
                         .op = {.session = run->executable->handle.session},
                         .run = run,
                         .remade = done,
                         .context = context,
                         .session = run->executable->handle.session};
  send_run(&execute->op);
}

static void start_execute(void *context) {
  execute_t *execute = context;
  if (execute->timeout_ms > 0) {
    execute->timer = rpc_timer_create(execute->session->loop, on_timeout, execute);
    rpc_timer_start(execute->timer, (uint64_t)execute->timeout_ms, 0);
  }
  if (execute->run != NULL) {
    lib_op_start(&execute->op);
  } else {
    lib_dispatch_execution(execute->session, execute->message, execute->size_bytes,
                           &execute->answer);
  }
}

// By the handle, which has the id by which it was last asked for.
static void start_cancel(void *context) {
  podium_execution_t *execution = context;
  podium_session_t *session = execution->handle.session;
  execute_t *execute = execution->call;
  if (execute != NULL) {
    execute->op.is_once = execute->is_cancelled = true;
  }
  if (execute != NULL && execute->op.is_parked) {
    finish(execute, pod_error(POD_CANCELLED, "the execution was cancelled"));
  } else {
    dispatch_cancel(session, execution->handle.id, 0);
  }
  release_execution(execution);
}

// --- Asking ---

static pod_status_t check_arguments(const podium_executable_t *executable,
                                    int argument_count, size_t entry_count,
                                    podium_array_t *const *arguments,
                                    podium_array_t **results) {
  const podium_program_info_t *info = &executable->info;
  if (argument_count != info->argument_count) {
    return pod_error(POD_INVALID_ARGUMENT, "'%s' takes %d arguments, %d were given",
                     info->name, info->argument_count, argument_count);
  }
  POD_TRY(lib_check_list("arguments", argument_count, arguments));
  POD_TRY(lib_check_list("results", info->result_count, results));
  for (size_t i = 0; i < entry_count; i++) {
    const size_t argument = i / (entry_count / (size_t)argument_count);
    if (arguments[i] == NULL) {
      return pod_error(POD_INVALID_ARGUMENT, "argument %zu of '%s' is NULL", argument,
                       info->name);
    }
    if (arguments[i]->handle.session != executable->handle.session) {
      return pod_error(POD_INVALID_ARGUMENT,
                       "argument %zu of '%s' belongs to another session", argument,
                       info->name);
    }
  }
  return NULL;
}

// The request in a message, packed into a new execute_t.
static execute_t *pack(Podium__V1__ExecuteRequest *request) {
  Podium__V1__DispatchRequest message = PODIUM__V1__DISPATCH_REQUEST__INIT;
  message.what_case = PODIUM__V1__DISPATCH_REQUEST__WHAT_EXECUTE;
  message.execute = request;
  const size_t size_bytes = podium__v1__dispatch_request__get_packed_size(&message);
  execute_t *execute = pod_alloc(sizeof(*execute) + size_bytes);
  execute->size_bytes = size_bytes;
  podium__v1__dispatch_request__pack(&message, execute->message);
  return execute;
}

// `ids`: of the execution, its results, then its arguments.
static execute_t *make(const podium_executable_t *executable, uint64_t *ids,
                       size_t entry_count, const podium_execute_options_t *options) {
  const size_t result_count = (size_t)executable->info.result_count;
  Podium__V1__ExecuteRequest request = PODIUM__V1__EXECUTE_REQUEST__INIT;
  request.executable = executable->handle.id;
  request.execution_id = ids[0];
  request.n_result_ids = result_count;
  request.result_ids = ids + 1;
  request.n_arguments = entry_count;
  request.arguments = ids + 1 + result_count;
  request.arguments_by_chip = options->arguments_by_chip;
  request.profile = options->profile;
  request.serves_host = options->on_host_send != NULL || options->on_host_receive != NULL;
  int32_t *kept = pod_alloc((size_t)options->kept_count * sizeof(*kept));
  for (int i = 0; i < options->kept_count; i++) {
    kept[i] = options->kept[i];
  }
  request.n_kept = (size_t)options->kept_count;
  request.kept = kept;
  execute_t *execute = pack(&request);
  free(kept);
  execute->answer = (lib_answer_t){.id = ids[0], .done = on_answer, .ask = on_ask};
  execute->session = executable->handle.session;
  execute->op.session = execute->session;
  execute->host =
      lib_host_create(execute->session, ids[0], executable->info.device_count, options);
  execute->timeout_ms = options->timeout_ms;
  return execute;
}

static podium_execution_t *add_execution(execute_t *execute) {
  podium_execution_t *execution = pod_alloc(sizeof(*execution));
  atomic_init(&execution->count, 2);
  atomic_init(&execution->handle.id, execute->answer.id);
  execution->call = execute->run == NULL ? NULL : execute;
  lib_handle_add(execute->session, &execution->handle, free_execution);
  execute->execution = execution;
  return execution;
}

static pod_status_t queue_message(podium_executable_t *executable, size_t entry_count,
                                  podium_array_t *const *arguments,
                                  const podium_execute_options_t *options,
                                  podium_array_t **results, execute_t **out_execute) {
  podium_session_t *session = executable->handle.session;
  const podium_program_info_t *info = &executable->info;
  const int own = 1 + info->result_count;
  uint64_t *ids = pod_alloc(((size_t)own + entry_count) * sizeof(*ids));
  const pod_status_t status = choose_ids(session, ids, own);
  if (status == NULL) {
    for (size_t i = 0; i < entry_count; i++) {
      ids[(size_t)own + i] = arguments[i]->handle.id;
    }
    *out_execute = make(executable, ids, entry_count, options);
    for (int i = 0; i < info->result_count; i++) {
      results[i] = lib_array_create(session, ids[1 + i], &info->results[i].shape,
                                    &info->results[i].local_shape);
    }
  }
  free(ids);
  return status;
}

// Of a session that retries: without a message yet.
static pod_status_t queue_run(podium_executable_t *executable, size_t entry_count,
                              podium_array_t *const *arguments,
                              const podium_execute_options_t *options,
                              podium_array_t **results, execute_t **out_execute) {
  podium_session_t *session = executable->handle.session;
  const podium_program_info_t *info = &executable->info;
  POD_TRY(lib_check_open(session));
  lib_run_t *run = lib_run_create(executable, entry_count, options);
  for (size_t i = 0; i < entry_count; i++) {
    run->arguments[i] = arguments[i]->origin;
    lib_origin_retain(run->arguments[i]);
  }
  for (int i = 0; i < info->result_count; i++) {
    results[i] = lib_array_create(session, 0, &info->results[i].shape,
                                  &info->results[i].local_shape);
    lib_origin_set_run(results[i]->origin, run, i);
  }
  execute_t *execute = pod_alloc(sizeof(*execute));
  *execute = (execute_t){.answer = {.done = on_answer, .ask = on_ask},
                         .op = {.session = session,
                                .is_once = run->serves_host,
                                .run = run,
                                .send = send_run,
                                .end = end_unasked},
                         .run = run,
                         .session = session,
                         .host = lib_host_create(session, 0, info->device_count, options),
                         .timeout_ms = options->timeout_ms};
  *out_execute = execute;
  return NULL;
}

podium_status_t *podium_execute_async(podium_executable_t *executable, int argument_count,
                                      podium_array_t *const *arguments,
                                      const podium_execute_options_t *given,
                                      podium_array_t **results, podium_done_fn_t done,
                                      void *context, podium_execution_t **out_execution) {
  LIB_REQUIRE(executable);
  const podium_execute_options_t *options = LIB_OPTIONS(podium_execute_options_t, given);
  size_t entry_count = argument_count < 0 ? 0 : (size_t)argument_count;
  if (options->arguments_by_chip) {
    entry_count *= (size_t)executable->info.own_count;
  }
  pod_status_t status =
      check_arguments(executable, argument_count, entry_count, arguments, results);
  if (status == NULL) {
    status = lib_check_list("kept arguments", options->kept_count, options->kept);
  }
  execute_t *execute = NULL;
  if (status == NULL) {
    status =
        executable->module != NULL
            ? queue_run(executable, entry_count, arguments, options, results, &execute)
            : queue_message(executable, entry_count, arguments, options, results,
                            &execute);
  }
  if (status != NULL) {
    return lib_status(status);
  }
  execute->done = done;
  execute->context = context;
  if (out_execution != NULL) {
    *out_execution = add_execution(execute);
  }
  atomic_fetch_add(&execute->session->execution_count, 1);
  lib_dispatch_run(execute->session, 1, start_execute, execute);
  return NULL;
}

podium_status_t *podium_execute(podium_executable_t *executable, int argument_count,
                                podium_array_t *const *arguments,
                                const podium_execute_options_t *options,
                                podium_array_t **results,
                                podium_execution_t **out_execution) {
  LIB_REQUIRE(executable);
  const int result_count = executable->info.result_count;
  podium_array_t **made = pod_alloc((size_t)result_count * sizeof(podium_array_t *));
  podium_execution_t *execution = NULL;
  lib_wait_t wait;
  lib_wait_begin(&wait, executable->handle.session);
  podium_status_t *wrong = podium_execute_async(
      executable, argument_count, arguments, options, results == NULL ? NULL : made,
      lib_wait_done, &wait, out_execution == NULL ? NULL : &execution);
  if (wrong != NULL) {
    lib_wait_done(&wait, wrong);
  }
  const pod_status_t status = lib_wait_end(&wait);
  if (status != NULL) {
    for (int i = 0; i < result_count; i++) {
      podium_array_free(made[i]);
    }
    podium_execution_free(execution);
  } else if (result_count > 0) {
    memcpy(results, made, (size_t)result_count * sizeof(podium_array_t *));
  }
  if (status == NULL && out_execution != NULL) {
    *out_execution = execution;
  }
  free(made);
  return lib_status(status);
}

void podium_execution_cancel(podium_execution_t *execution) {
  if (execution != NULL && !lib_is_forked(execution->handle.session)) {
    atomic_fetch_add(&execution->count, 1);
    rpc_loop_post(execution->handle.session->loop, start_cancel, execution);
  }
}

void podium_execution_free(podium_execution_t *execution) {
  if (execution != NULL) {
    lib_handle_remove(&execution->handle);
    free_execution(&execution->handle);
  }
}

int64_t podium_execution_host_ns(const podium_execution_t *execution) {
  return execution == NULL ? 0 : atomic_load(&execution->host_ns);
}
