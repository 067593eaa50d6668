// Programs of a chip come and go on a thread of their own. They are counted references,
// so that one that is unloaded lives until its executions end.

#include <inttypes.h>
#include <stdlib.h>

#include "common/base/id_map.h"
#include "common/base/memory.h"
#include "common/base/text.h"
#include "server/wire/program.h"
#include "server/worker/chip_host_private.h"

static void run_unload(compute_job_t *job) {
  executor_unload(((loaded_t *)job)->executable);
}

static void done_unload(compute_job_t *job) {
  loaded_t *program = (loaded_t *)job;
  chip_host_t *host = program->host;
  hbm_release(host->hbm, program->constant_bytes);
  free(program->execution_text);
  free(program);
  host->unloading_count--;
  chip_host_check_idle(host);
}

void chip_host_release_program(loaded_t *program) {
  if (program == NULL || --program->count > 0) {
    return;
  }
  program->host->unloading_count++;
  program->job = (compute_job_t){.run = run_unload, .done = done_unload};
  compute_post(program->host->loader, &program->job);
}

static void run_load(compute_job_t *job) {
  loaded_t *program = (loaded_t *)job;
  chip_program_t *unpacked;
  program->status = wire_program_unpack(program->bytes, program->size_bytes, &unpacked);
  free(program->bytes);
  program->bytes = NULL;
  if (program->status == NULL) {
    program->status =
        executor_load(program->host->executor, unpacked, &program->executable);
  }
}

static void forget_loading(loaded_t *program) {
  loaded_t **link = &program->host->loading;
  while (*link != program) {
    link = &(*link)->next_loading;
  }
  *link = program->next_loading;
  program->host->loading_count--;
}

static char *execution_text(const chip_program_t *program) {
  pod_text_t text = {0};
  pod_text_printf(&text, "an execution of %s (temporaries and results)", program->name);
  return pod_text_take(&text);
}

// The place of the constants, when the program has come so far.
static pod_status_t admit(loaded_t *program) {
  chip_host_t *host = program->host;
  POD_TRY(chip_host_check_running(host));
  if (program->session_closed) {
    return pod_error(POD_CANCELLED, "session %" PRIu64 " was closed", program->session);
  }
  if (pod_id_map_get(host->programs, program->id) != NULL) {
    return pod_error(POD_ALREADY_EXISTS, "program %" PRIu64 " is loaded already",
                     program->id);
  }
  pod_text_t what = {0};
  pod_text_printf(&what, "the constants of program %s",
                  executable_program(program->executable)->name);
  const int64_t size_bytes = executable_constant_bytes(program->executable);
  const pod_status_t status = hbm_reserve(host->hbm, size_bytes, what.bytes);
  pod_text_deinit(&what);
  if (status == NULL) {
    program->constant_bytes = size_bytes;
    program->execution_text = execution_text(executable_program(program->executable));
  }
  return status;
}

static void done_load(compute_job_t *job) {
  loaded_t *program = (loaded_t *)job;
  chip_host_t *host = program->host;
  const chip_host_done_fn_t done = program->done;
  void *context = program->context;
  pod_status_t status = program->status;
  forget_loading(program);
  if (status == NULL) {
    status = admit(program);
  }
  if (status == NULL) {
    pod_id_map_put(host->programs, program->id, program);
  } else if (program->executable != NULL) {
    chip_host_release_program(program);
  } else {
    free(program);
  }
  done(status, context);
  chip_host_check_idle(host);
}

// What is refused at once is reported by the loop too.
typedef struct refusal_t {
  chip_host_done_fn_t done;
  void *context;
  pod_status_t status;
} refusal_t;

static void report_refusal(void *context) {
  refusal_t *refusal = context;
  refusal->done(refusal->status, refusal->context);
  free(refusal);
}

static pod_status_t check_load(const chip_host_t *host, uint64_t id) {
  POD_TRY(chip_host_check_running(host));
  if (host->loading_count >= CHIP_HOST_LOADS_MAX) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "chip %d loads %d programs already",
                     host->options.executor.chip, host->loading_count);
  }
  if (pod_id_map_get(host->programs, id) != NULL) {
    return pod_error(POD_ALREADY_EXISTS, "program %" PRIu64 " is loaded already", id);
  }
  return NULL;
}

void chip_host_load(chip_host_t *host, uint64_t session, uint64_t program, uint8_t *bytes,
                    size_t size_bytes, chip_host_done_fn_t done, void *context) {
  const pod_status_t status = check_load(host, program);
  if (status != NULL) {
    refusal_t *refusal = pod_alloc(sizeof(*refusal));
    *refusal = (refusal_t){done, context, status};
    free(bytes);
    rpc_loop_post(host->loop, report_refusal, refusal);
    return;
  }
  loaded_t *loaded = pod_alloc(sizeof(*loaded));
  *loaded = (loaded_t){.job = {.run = run_load, .done = done_load},
                       .host = host,
                       .id = program,
                       .session = session,
                       .count = 1,
                       .run_ns = INT64_MAX,
                       .bytes = bytes,
                       .size_bytes = size_bytes,
                       .done = done,
                       .context = context,
                       .next_loading = host->loading};
  host->loading = loaded;
  host->loading_count++;
  compute_post(host->loader, &loaded->job);
}

void chip_host_unload(chip_host_t *host, uint64_t program) {
  chip_host_release_program(pod_id_map_remove(host->programs, program));
}
