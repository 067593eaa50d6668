// One call, which answers with the handles of the results.

#include <stdlib.h>
#include <string.h>

#include "client/lib/executable.h"
#include "common/base/memory.h"

struct podium_execution {
  lib_handle_t handle;  // First.
  int64_t host_ns;
};

typedef struct execute_t {
  size_t result_count;
  uint64_t *results;
  uint64_t execution;
  int64_t host_ns;
  bool is_short;  // The coordinator named another number of results.
} execute_t;

static void convert_response(const void *response, void *context) {
  const Podium__V1__ExecuteResponse *message = response;
  execute_t *execute = context;
  execute->is_short = message->n_results != execute->result_count;
  for (size_t i = 0; i < message->n_results && !execute->is_short; i++) {
    execute->results[i] = message->results[i];
  }
  execute->execution = message->execution;
  execute->host_ns = message->host_ns;
}

static void free_execution(lib_handle_t *handle) {
  free(handle);
}

static pod_status_t check_arguments(const podium_executable_t *executable,
                                    int argument_count, podium_array_t *const *arguments,
                                    podium_array_t **results) {
  const podium_program_info_t *info = &executable->info;
  if (argument_count != info->argument_count) {
    return pod_error(POD_INVALID_ARGUMENT, "'%s' takes %d arguments, %d were given",
                     info->name, info->argument_count, argument_count);
  }
  POD_TRY(lib_check_list("arguments", argument_count, arguments));
  POD_TRY(lib_check_list("results", info->result_count, results));
  for (int i = 0; i < argument_count; i++) {
    if (arguments[i] == NULL) {
      return pod_error(POD_INVALID_ARGUMENT, "argument %d of '%s' is NULL", i,
                       info->name);
    }
    if (arguments[i]->handle.session != executable->handle.session) {
      return pod_error(POD_INVALID_ARGUMENT,
                       "argument %d of '%s' belongs to another session", i, info->name);
    }
  }
  return NULL;
}

static pod_status_t run(podium_executable_t *executable, const uint64_t *arguments,
                        const podium_execute_options_t *options, execute_t *execute) {
  podium_session_t *session = executable->handle.session;
  Podium__V1__ExecuteRequest request = PODIUM__V1__EXECUTE_REQUEST__INIT;
  request.session = session->id;
  request.executable = executable->handle.id;
  request.n_arguments = (size_t)executable->info.argument_count;
  request.arguments = (uint64_t *)(uintptr_t)arguments;
  request.profile = options != NULL && options->profile;
  POD_TRY(lib_unary(session, "/podium.v1.Podium/Execute", &request.base,
                    &podium__v1__execute_response__descriptor,
                    options == NULL ? 0 : options->timeout_ms, convert_response,
                    execute));
  if (execute->is_short) {
    return pod_error(POD_INTERNAL,
                     "the coordinator did not return the %zu results of '%s'",
                     execute->result_count, executable->info.name);
  }
  return NULL;
}

podium_status_t *podium_execute(podium_executable_t *executable, int argument_count,
                                podium_array_t *const *arguments,
                                const podium_execute_options_t *options,
                                podium_array_t **results,
                                podium_execution_t **out_execution) {
  LIB_REQUIRE(executable);
  const podium_program_info_t *info = &executable->info;
  podium_session_t *session = executable->handle.session;
  pod_status_t status = check_arguments(executable, argument_count, arguments, results);
  if (status != NULL) {
    return lib_status(status);
  }
  uint64_t *ids = pod_alloc((size_t)(argument_count + info->result_count) * sizeof(*ids));
  for (int i = 0; i < argument_count; i++) {
    ids[i] = arguments[i]->handle.id;
  }
  execute_t execute = {.result_count = (size_t)info->result_count,
                       .results = ids + argument_count};
  status = run(executable, ids, options, &execute);
  if (status == NULL) {
    for (int i = 0; i < info->result_count; i++) {
      results[i] = lib_array_create(session, execute.results[i], &info->results[i].shape);
    }
    if (out_execution != NULL) {
      podium_execution_t *execution = pod_alloc(sizeof(*execution));
      execution->host_ns = execute.host_ns;
      lib_handle_add(session, &execution->handle, execute.execution, free_execution);
      *out_execution = execution;
    }
  }
  free(ids);
  return lib_status(status);
}

void podium_execution_free(podium_execution_t *execution) {
  if (execution != NULL) {
    lib_handle_remove(&execution->handle);
    free_execution(&execution->handle);
  }
}

int64_t podium_execution_host_ns(const podium_execution_t *execution) {
  return execution == NULL ? 0 : execution->host_ns;
}
