// What arrays come of; see retry.h.

#include <stdlib.h>
#include <string.h>

#include "client/lib/retry.h"
#include "common/base/memory.h"

// --- Origins ---

lib_origin_t *lib_origin_create(podium_session_t *session, const podium_shape_t *shape) {
  lib_origin_t *origin = pod_alloc(sizeof(*origin));
  origin->session = session;
  origin->shape = *shape;
  origin->is_held = true;
  atomic_init(&origin->count, 1);
  pthread_mutex_lock(&session->mutex);
  origin->next = session->origins;
  if (origin->next != NULL) {
    origin->next->previous = origin;
  }
  session->origins = origin;
  pthread_mutex_unlock(&session->mutex);
  return origin;
}

void lib_origin_retain(lib_origin_t *origin) {
  atomic_fetch_add(&origin->count, 1);
}

static void unlink_origin(lib_origin_t *origin) {
  podium_session_t *session = origin->session;
  pthread_mutex_lock(&session->mutex);
  if (origin->previous != NULL) {
    origin->previous->next = origin->next;
  } else {
    session->origins = origin->next;
  }
  if (origin->next != NULL) {
    origin->next->previous = origin->previous;
  }
  pthread_mutex_unlock(&session->mutex);
}

static void destroy_source(podium_session_t *session, lib_source_t *source) {
  if (source == NULL) {
    return;
  }
  if (source->copy != NULL) {
    lib_retry_give_room(session, source->size_bytes);
    free(source->copy);
  }
  lib_executable_release(source->executable);
  pod_arena_destroy(source->arena);
  free(source);
}

// As deep as LIB_RETRY_DEPTH_MAX or what the user has said, through the runs' arguments.
void lib_origin_release(lib_origin_t *origin) {
  if (origin == NULL || atomic_fetch_sub(&origin->count, 1) > 1) {
    return;
  }
  unlink_origin(origin);
  if (origin->run != NULL) {
    origin->run->results[origin->result] = NULL;
    lib_run_release(origin->run);
  }
  destroy_source(origin->session, origin->source);
  pod_status_free(origin->error);
  free(origin);
}

void lib_origin_set_source(lib_origin_t *origin, lib_source_t *source) {
  origin->source = source;
}

void lib_origin_set_run(lib_origin_t *origin, lib_run_t *run, int result) {
  origin->result = result;
  origin->run = run;
  run->results[result] = origin;
  atomic_fetch_add(&run->count, 1);
}

static bool is_whole(const lib_source_t *source) {
  return source->data != NULL || source->read != NULL ||
         (source->why_not == NULL && source->copied_bytes == source->size_bytes);
}

bool lib_origin_can_be_made(const lib_origin_t *origin) {
  if (origin->source != NULL) {
    return is_whole(origin->source);
  }
  return origin->run != NULL && !origin->run->serves_host;
}

void lib_origin_fail(lib_origin_t *origin, pod_status_t status) {
  if (origin->error != NULL) {
    pod_status_free(status);
  } else {
    origin->error = status;
  }
}

pod_status_t lib_origin_check(const lib_origin_t *origin) {
  if (origin->error != NULL) {
    return pod_status_copy(origin->error);
  }
  if (origin->id == 0) {
    char shape[256];
    podium_shape_print(&origin->shape, shape, sizeof(shape));
    return pod_error(POD_FAILED_PRECONDITION, "the array, %s, is gone: it was %s", shape,
                     origin->is_consumed ? "donated to an execution" : "freed");
  }
  return NULL;
}

// --- Runs ---

lib_run_t *lib_run_create(podium_executable_t *executable, size_t argument_count,
                          const podium_execute_options_t *options) {
  lib_run_t *run = pod_alloc(sizeof(*run));
  const size_t result_count = (size_t)executable->info.result_count;
  atomic_init(&run->count, 1);
  atomic_fetch_add(&executable->count, 1);
  run->executable = executable;
  run->argument_count = argument_count;
  run->arguments = pod_alloc(argument_count * sizeof(lib_origin_t *));
  run->results = pod_alloc(result_count * sizeof(lib_origin_t *));
  run->kept_count = (size_t)options->kept_count;
  run->kept = pod_alloc(run->kept_count * sizeof(*run->kept));
  for (size_t i = 0; i < run->kept_count; i++) {
    run->kept[i] = options->kept[i];
  }
  run->by_chip = options->arguments_by_chip;
  run->profile = options->profile;
  run->serves_host = options->on_host_send != NULL || options->on_host_receive != NULL;
  return run;
}

void lib_run_release(lib_run_t *run) {
  if (run == NULL || atomic_fetch_sub(&run->count, 1) > 1) {
    return;
  }
  for (size_t i = 0; i < run->argument_count; i++) {
    lib_origin_release(run->arguments[i]);
  }
  lib_executable_release(run->executable);
  free(run->arguments);
  free(run->results);
  free(run->kept);
  free(run);
}

static bool is_kept(const lib_run_t *run, int argument) {
  for (size_t i = 0; i < run->kept_count; i++) {
    if (run->kept[i] == argument) {
      return true;
    }
  }
  return false;
}

// Donated arguments are no longer there.
static void consume(lib_run_t *run) {
  const podium_program_info_t *info = &run->executable->info;
  const size_t per_argument =
      info->argument_count == 0 ? 0 : run->argument_count / (size_t)info->argument_count;
  for (int i = 0; i < info->alias_count; i++) {
    const int argument = info->aliases[i].argument;
    for (size_t k = 0; !is_kept(run, argument) && k < per_argument; k++) {
      lib_origin_t *origin = run->arguments[(size_t)argument * per_argument + k];
      origin->is_consumed = true;
      origin->id = 0;
    }
  }
}

static int depth_of(const lib_run_t *run) {
  int depth = 0;
  for (size_t i = 0; i < run->argument_count; i++) {
    depth = run->arguments[i]->depth > depth ? run->arguments[i]->depth : depth;
  }
  return depth + 1;
}

// A chain that has become too long ends here: what comes of the array may still be made
// again from it, as long as the array itself is there.
static void cut(lib_origin_t *origin) {
  if (origin->depth > lib_retry_depth_max(origin->session)) {
    lib_run_t *run = origin->run;
    origin->run = NULL;
    origin->depth = 0;
    run->results[origin->result] = NULL;
    lib_run_release(run);
  }
}

void lib_run_ended(lib_run_t *run) {
  atomic_fetch_add(&run->count, 1);  // Its results may be all that holds it.
  consume(run);
  const int depth = depth_of(run);
  for (int i = 0; i < run->executable->info.result_count; i++) {
    lib_origin_t *result = run->results[i];
    if (result != NULL) {
      result->is_made = true;
      result->depth = depth;
      cut(result);
    }
  }
  lib_run_release(run);
}

void lib_run_failed(lib_run_t *run, pod_status_t status) {
  for (int i = 0; i < run->executable->info.result_count; i++) {
    if (run->results[i] != NULL) {
      lib_origin_fail(run->results[i], pod_status_copy(status));
    }
  }
}
