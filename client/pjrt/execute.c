// Execution: returns at once; results are buffers whose futures end with the execution.

#include <stdlib.h>

#include "client/pjrt/plugin.h"
#include "client/pjrt/recording.h"
#include "common/base/memory.h"

// One execution, until it is dispatched.
typedef struct call_t {
  const PJRT_LoadedExecutable_Execute_Args *args;
  PJRT_LoadedExecutable *loaded;
  const podium_program_info_t *info;
  size_t device_count, argument_count;
  // [argument][own place of the device]; counted until the call has been made.
  pjrt_array_t **used;
  podium_array_t **arguments;
  podium_array_t **results;
  int *kept;
  int kept_count;
} call_t;

static pod_status_t check(const call_t *call) {
  const PJRT_LoadedExecutable_Execute_Args *args = call->args;
  if (atomic_load(&call->loaded->is_deleted)) {
    return pod_error(POD_INVALID_ARGUMENT, "the executable '%s' has been deleted",
                     call->info->name);
  }
  if (args->num_devices != (size_t)call->loaded->device_count) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "'%s' runs on %d devices, arguments are for %zu", call->info->name,
                     call->loaded->device_count, args->num_devices);
  }
  if (args->num_args != (size_t)call->info->argument_count) {
    return pod_error(POD_INVALID_ARGUMENT, "'%s' takes %d arguments, %zu were given",
                     call->info->name, call->info->argument_count, args->num_args);
  }
  if (PJRT_HAS(args, execute_device) && args->execute_device != NULL &&
      (call->loaded->device_count != 1 ||
       args->execute_device != call->loaded->devices[0])) {
    return pod_error(POD_UNIMPLEMENTED,
                     "'%s' was compiled for other devices than the one it shall run on",
                     call->info->name);
  }
  return NULL;
}

static pod_status_t use_arguments(call_t *call) {
  for (size_t a = 0; a < call->argument_count; a++) {
    for (size_t d = 0; d < call->device_count; d++) {
      PJRT_Buffer *buffer = call->args->argument_lists[d][a];
      const size_t at = a * call->device_count + (size_t)call->loaded->own_places[d];
      if (buffer->memory->device != call->loaded->devices[d]) {
        return pod_error(
            POD_INVALID_ARGUMENT, "argument %zu of '%s' is on %s, it is wanted on %s", a,
            call->info->name, buffer->memory->device->description->debug_string,
            call->loaded->devices[d]->description->debug_string);
      }
      POD_TRY(pjrt_buffer_use(buffer, &call->used[at]));
      call->arguments[at] = call->used[at]->array;
    }
  }
  return NULL;
}

static void make_results(const call_t *call, future_t *done) {
  for (int r = 0; r < call->info->result_count; r++) {
    pjrt_array_t *array = pjrt_array_create(call->results[r]);
    atomic_store(&array->use_count, (int)call->device_count);
    for (size_t d = 0; d < call->device_count; d++) {
      const pjrt_memory_kind_t kind = call->loaded->executable->result_kinds[r];
      PJRT_Memory *memory = call->loaded->devices[d]->memory_pointers[kind];
      const podium_shape_t *shape = &call->info->results[r].local_shape;
      call->args->output_lists[d][r] =
          pjrt_buffer_create(memory, shape, array, future_retain(done));
    }
  }
}

// What the program donates and the caller does not keep is gone with the call.
static void consume_arguments(const call_t *call) {
  bool *is_kept = pod_alloc(call->argument_count * sizeof(*is_kept));
  for (int i = 0; i < call->kept_count; i++) {
    if (call->kept[i] >= 0 && (size_t)call->kept[i] < call->argument_count) {
      is_kept[call->kept[i]] = true;
    }
  }
  for (int i = 0; i < call->info->alias_count; i++) {
    const int argument = call->info->aliases[i].argument;
    for (size_t d = 0; d < call->device_count && !is_kept[argument]; d++) {
      pjrt_buffer_delete(call->args->argument_lists[d][argument],
                         "donated to an execution");
    }
  }
  free(is_kept);
}

static void on_executed(void *context, podium_status_t *status) {
  future_set(context, pjrt_status(status));
}

pjrt_execution_t *pjrt_execution_retain(pjrt_execution_t *execution) {
  atomic_fetch_add(&execution->use_count, 1);
  return execution;
}

void pjrt_execution_release(pjrt_execution_t *execution) {
  if (execution != NULL && atomic_fetch_sub(&execution->use_count, 1) == 1) {
    podium_execution_free(execution->execution);
    future_release(execution->done);
    free(execution);
  }
}

// For the profile of the last one, and for those who record. Takes `handle`.
static void keep_last(const PJRT_LoadedExecutable *loaded, podium_execution_t *handle,
                      future_t *done, const PJRT_Extension_Base *extension) {
  PJRT_Executable *executable = loaded->executable;
  pjrt_execution_t *execution = pod_alloc(sizeof(*execution));
  atomic_init(&execution->use_count, 1);
  execution->execution = handle;
  execution->done = future_retain(done);
  recording_add_execution(loaded, execution, extension);
  pthread_mutex_lock(&executable->mutex);
  pjrt_execution_t *before = executable->last;
  executable->last = execution;
  pthread_mutex_unlock(&executable->mutex);
  pjrt_execution_release(before);
  atomic_fetch_add(&executable->call_count, 1);
}

// How the execution ended, told when its callbacks are not needed any more either: their
// owner frees them then.
typedef struct complete_t {
  future_t *released, *both;
  pod_status_t status;
} complete_t;

static void on_released(void *context, pod_status_t status) {
  complete_t *complete = context;
  pod_status_free(status);
  future_set(complete->both, complete->status);
  free(complete);
}

static void on_done(void *context, pod_status_t status) {
  complete_t *complete = context;
  future_t *released = complete->released;
  complete->status = status;
  future_then(released, on_released, complete);
  future_release(released);
}

static PJRT_Event *complete_event(future_t *done, future_t *released) {
  if (released == NULL) {
    return pjrt_event(done);
  }
  complete_t *complete = pod_alloc(sizeof(*complete));
  *complete = (complete_t){.released = future_retain(released), .both = future_create()};
  PJRT_Event *event = pjrt_event(complete->both);
  future_release(complete->both);
  future_then(done, on_done, complete);
  return event;
}

static pod_status_t dispatch(call_t *call) {
  POD_TRY(check(call));
  if (call->device_count == 0) {
    return NULL;  // It is other processes' alone.
  }
  POD_TRY(use_arguments(call));
  future_t *done = future_create();
  future_t *released = NULL;
  host_callbacks_t *callbacks =
      host_callbacks_create(call->args->options, call->loaded, &released);
  podium_execute_options_t options = {
      .arguments_by_chip = true, .kept_count = call->kept_count, .kept = call->kept};
  host_callbacks_use(callbacks, &options);
  podium_execution_t *execution;
  podium_status_t *status = podium_execute_async(
      call->loaded->executable->program, (int)call->argument_count, call->arguments,
      &options, call->results, on_executed, done, &execution);
  if (status != NULL) {
    host_callbacks_drop(callbacks);
    future_release(released);
    future_set(done, NULL);
    future_release(done);
    return pjrt_status(status);
  }
  keep_last(call->loaded, execution, done, call->args->extension_start);
  pjrt_usage_follow(call->loaded->executable, done);
  // What is donated goes first, so that its bytes are not counted beside those of the
  // results that take its place.
  consume_arguments(call);
  make_results(call, done);
  if (call->args->device_complete_events != NULL) {
    for (size_t d = 0; d < call->device_count; d++) {
      call->args->device_complete_events[d] = complete_event(done, released);
    }
  }
  future_release(released);
  future_release(done);
  return NULL;
}

static void take_kept(call_t *call) {
  const PJRT_ExecuteOptions *options = call->args->options;
  const size_t count = options == NULL ? 0 : options->num_non_donatable_input_indices;
  call->kept = pod_alloc((count + 1) * sizeof(*call->kept));
  for (size_t i = 0; i < count; i++) {
    call->kept[call->kept_count++] = (int)options->non_donatable_input_indices[i];
  }
}

PJRT_Error *loaded_executable_execute(PJRT_LoadedExecutable_Execute_Args *args) {
  call_t call = {.args = args,
                 .loaded = args->executable,
                 .info = args->executable->executable->info,
                 .device_count = args->num_devices,
                 .argument_count = args->num_args};
  const size_t count = call.argument_count * call.device_count + 1;
  call.used = pod_alloc(count * sizeof(pjrt_array_t *));
  call.arguments = pod_alloc(count * sizeof(podium_array_t *));
  call.results =
      pod_alloc(((size_t)call.info->result_count + 1) * sizeof(podium_array_t *));
  take_kept(&call);
  const pod_status_t status = dispatch(&call);
  for (size_t i = 0; i < count; i++) {
    pjrt_array_release(call.used[i]);
  }
  free(call.used);
  free(call.arguments);
  free(call.results);
  free(call.kept);
  return pjrt_error(status);
}
