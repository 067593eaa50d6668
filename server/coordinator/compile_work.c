// Works are a list of what is queued or compiling; who waits is a list in each. The
// outcome is told to all in one go, from a copy of the list, because who is told may
// make others leave.

#include "server/coordinator/compile_work.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#include "common/base/arena.h"
#include "common/base/check.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "server/coordinator/core/footprint.h"
#include "server/wire/program.h"

struct compile_work_t {
  queue_job_t job;
  coordinator_t *coordinator;
  compile_work_t *next;  // Of coordinator->works.
  compile_waiter_t *waiters, **last_waiter;
  pod_arena_t *arena;  // The key's.
  compile_key_t key;
  char *text;
  bool is_loadable;
  atomic_bool is_stopped;  // It made way: nothing comes of it.
  // Written on the compile thread.
  pod_status_t status;
  compiler_result_t *result;
  uint8_t *packed;
  size_t packed_bytes;
  uint16_t *footprint;
};

static compile_work_t *work_of(queue_job_t *job) {
  return (compile_work_t *)(void *)((char *)job - offsetof(compile_work_t, job));
}

// --- Beginning and end ---

static compile_work_t *create_work(coordinator_t *coordinator, const compile_key_t *key,
                                   bool is_loadable) {
  compile_work_t *work = pod_alloc(sizeof(*work));
  work->coordinator = coordinator;
  work->last_waiter = &work->waiters;
  work->arena = pod_arena_create();
  work->key = compile_key_copy(work->arena, key);
  work->is_loadable = is_loadable;
  return work;
}

static void unlink_work(compile_work_t *work) {
  compile_work_t **at = &work->coordinator->works;
  while (*at != NULL && *at != work) {
    at = &(*at)->next;
  }
  if (*at == work) {
    *at = work->next;
  }
}

static void destroy_work(compile_work_t *work) {
  POD_CHECK(work->waiters == NULL);
  unlink_work(work);
  if (work->text != NULL) {
    work->coordinator->compile_text_bytes -= work->key.text_bytes;
  }
  if (work->result != NULL) {
    work->coordinator->options.compiler.destroy(work->result);
  }
  free(work->text);
  pod_arena_destroy(work->arena);
  free(work->packed);
  free(work->footprint);
  pod_status_free(work->status);
  free(work);
}

// --- On the compile thread ---

// The devices of the mesh are chips.
static pod_status_t check_mesh(const chip_program_t *program, const torus_t *torus) {
  const int32_t chip_count = torus_chip_count(torus);
  if (program->mesh->device_count > chip_count) {
    return pod_error(POD_FAILED_PRECONDITION,
                     "the program's mesh has %" PRId64 " devices, the pod has %" PRId32
                     " chips",
                     program->mesh->device_count, chip_count);
  }
  return mesh_check_ids(program->mesh, chip_count);
}

// Packed too, when it shall be loaded.
static pod_status_t compile(compile_work_t *work, const compiler_options_t *options) {
  const coordinator_options_t *own = &work->coordinator->options;
  if (own->compile_pool == NULL) {
    POD_TRY(
        own->compiler.compile(work->text, work->key.text_bytes, options, &work->result));
    return work->is_loadable ? wire_program_pack(work->result->program, &work->packed,
                                                 &work->packed_bytes)
                             : NULL;
  }
  compile_outcome_t outcome;
  POD_TRY(compile_pool_compile(own->compile_pool, work, &work->is_stopped, work->text,
                               work->key.text_bytes, options, &outcome));
  work->result = outcome.result;
  if (work->is_loadable) {
    work->packed = outcome.packed;
    work->packed_bytes = outcome.packed_bytes;
  } else {
    free(outcome.packed);
  }
  return NULL;
}

// Of a chip, when the pod's chips have other HBM than their kind; else 0.
static int64_t own_hbm_bytes(const compile_work_t *work) {
  const coordinator_options_t *options = &work->coordinator->options;
  return work->key.spec == options->spec ? options->hbm_bytes : 0;
}

static void run_work(queue_job_t *job) {
  compile_work_t *work = work_of(job);
  const compile_key_t *key = &work->key;
  const compiler_options_t options = {.file_name = key->file_name,
                                      .spec = key->spec,
                                      .hbm_bytes = own_hbm_bytes(work),
                                      .algorithms = key->algorithms,
                                      .collectives = key->collectives,
                                      .argument_type_count = key->argument_type_count,
                                      .argument_types = key->argument_types,
                                      .device_order_count = key->device_order_count,
                                      .device_order = key->device_order,
                                      .given = key->given,
                                      .propagation = key->propagation,
                                      .after = key->after,
                                      .wants_values = key->wants_values,
                                      .ignores_hbm = key->ignores_hbm,
                                      .estimates_only = key->estimates_only,
                                      .torus = key->torus};
  pod_log(POD_LOG_INFO, "compiling %s of %" PRId64 " bytes", key->file_name,
          key->text_bytes);
  work->status = compile(work, &options);
  if (work->status == NULL) {
    work->status = check_mesh(work->result->program, &key->torus);
  }
  if (work->status == NULL && work->is_loadable) {
    work->footprint = footprint_of(work->result->program, &key->torus);
  }
}

// --- Compiled ---

// It goes to the cache. Returns a use of what was compiled.
static compiled_t *keep_result(compile_work_t *work) {
  coordinator_t *coordinator = work->coordinator;
  const coordinator_options_t *options = &coordinator->options;
  const chip_spec_t *spec = work->key.spec;
  const int64_t hbm_bytes = own_hbm_bytes(work);
  const int64_t compiled_bytes =
      (int64_t)(pod_arena_used_bytes(work->result->program->arena) + work->packed_bytes);
  compiled_t *compiled = compiled_create(&(compiled_t){
      .result = work->result,
      .destroy = options->compiler.destroy,
      .spec = spec,
      .torus = work->key.torus,
      .hbm_bytes = hbm_bytes > 0 ? hbm_bytes : chip_spec_hbm_usable_bytes(spec),
      .packed = work->packed,
      .packed_bytes = work->packed_bytes,
      .size_bytes = compiled_bytes,
      .footprint = work->footprint});
  work->result = NULL;
  work->packed = NULL;
  work->footprint = NULL;
  compile_cache_put(coordinator->compile_cache, &work->key, compiled, compiled_bytes);
  return compiled;
}

// What a waiter does when it is told may make others leave.
static compile_waiter_t *take_waiter(compile_work_t *work) {
  compile_waiter_t *waiter = work->waiters;
  if (waiter != NULL) {
    work->waiters = waiter->next;
    if (work->waiters == NULL) {
      work->last_waiter = &work->waiters;
    }
    waiter->next = NULL;
    waiter->work = NULL;
  }
  return waiter;
}

static void finish_work(queue_job_t *job) {
  compile_work_t *work = work_of(job);
  unlink_work(work);  // Who comes now finds it in the cache, or begins anew.
  if (work->coordinator->is_destroyed) {
    pod_status_free(work->status);
    work->status = pod_error(POD_CANCELLED, "the coordinator is going down");
  }
  compiled_t *compiled = work->status == NULL ? keep_result(work) : NULL;
  for (compile_waiter_t *waiter = take_waiter(work); waiter != NULL;
       waiter = take_waiter(work)) {
    waiter->done(waiter, work->status == NULL ? NULL : pod_status_copy(work->status),
                 compiled);
  }
  compiled_unuse(compiled);
  destroy_work(work);
}

// --- Waiting ---

static compile_work_t *find_work(const coordinator_t *coordinator,
                                 const compile_key_t *key, bool is_loadable) {
  for (compile_work_t *work = coordinator->works; work != NULL; work = work->next) {
    if ((work->is_loadable || !is_loadable) && !atomic_load(&work->is_stopped) &&
        compile_key_equal(&work->key, key)) {
      return work;
    }
  }
  return NULL;
}

static void add_waiter(compile_work_t *work, compile_waiter_t *waiter) {
  waiter->work = work;
  waiter->next = NULL;
  *work->last_waiter = waiter;
  work->last_waiter = &waiter->next;
}

bool compile_work_join(coordinator_t *coordinator, const compile_key_t *key,
                       bool is_loadable, compile_waiter_t *waiter) {
  compile_work_t *work = find_work(coordinator, key, is_loadable);
  if (work != NULL) {
    add_waiter(work, waiter);
  }
  return work != NULL;
}

// What compiles for nobody makes way when others wait for a process: who gave up and
// comes again has it compiled again.
static void make_way(coordinator_t *coordinator) {
  compile_pool_t *pool = coordinator->options.compile_pool;
  if (pool == NULL || job_queue_waiting(coordinator->compiles) == 0) {
    return;
  }
  for (compile_work_t *work = coordinator->works; work != NULL; work = work->next) {
    if (work->waiters == NULL) {
      atomic_store(&work->is_stopped, true);
      compile_pool_stop(pool, work);
    }
  }
}

pod_status_t compile_work_start(coordinator_t *coordinator, const compile_key_t *key,
                                char *text, bool is_loadable, const void *owner,
                                compile_waiter_t *waiter) {
  compile_work_t *work = create_work(coordinator, key, is_loadable);
  work->job.owner = owner;
  work->job.run = run_work;
  work->job.done = finish_work;
  work->text = text;
  const pod_status_t status = job_queue_add(coordinator->compiles, &work->job);
  if (status != NULL) {
    work->text = NULL;  // Stays the caller's.
    destroy_work(work);
    return status;
  }
  work->next = coordinator->works;
  coordinator->works = work;
  add_waiter(work, waiter);
  make_way(coordinator);
  return NULL;
}

void compile_work_leave(compile_waiter_t *waiter) {
  compile_work_t *work = waiter->work;
  POD_CHECK(work != NULL);
  compile_waiter_t **at = &work->waiters;
  while (*at != waiter) {
    at = &(*at)->next;
  }
  *at = waiter->next;
  if (*at == NULL) {
    work->last_waiter = at;
  }
  waiter->work = NULL;
  waiter->next = NULL;
  if (work->waiters == NULL &&
      job_queue_remove(work->coordinator->compiles, &work->job)) {
    destroy_work(work);
    return;
  }
  make_way(work->coordinator);
}
