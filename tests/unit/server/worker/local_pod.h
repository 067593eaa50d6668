// A pod in one process: an executor and a thread per chip, and mailboxes instead of
// links.
//
// The mailboxes buffer without bound; what is tested with them is the executor, not the
// links. A run that gets stuck fails after LOCAL_POD_WAIT_S.

#ifndef TESTS_UNIT_SERVER_WORKER_LOCAL_POD_H_
#define TESTS_UNIT_SERVER_WORKER_LOCAL_POD_H_

#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "common/base/memory.h"
#include "server/chip/spec.h"
#include "server/worker/executor.h"
#include "server/worker/kernels/combine.h"
#include "tests/unit/server/programs.h"

enum { LOCAL_POD_CHIPS_MAX = 16, LOCAL_POD_WAIT_S = 30 };

typedef struct local_message_t {
  struct local_message_t *next;
  uint64_t execution;
  uint32_t sequence;
  int32_t lane, tag, source;
  int64_t offset, size_bytes;
  uint8_t payload[];
} local_message_t;

typedef struct local_pod_t local_pod_t;

typedef struct local_chip_t {
  local_pod_t *pod;
  int32_t chip;
  executor_t *executor;
  executable_t *executable;
  local_message_t *inbox;
  // Of a run.
  executor_run_t run;
  chip_profile_t profile;
  pod_status_t status;
} local_chip_t;

struct local_pod_t {
  int32_t chip_count;
  pthread_mutex_t mutex;  // Guards the inboxes and abort_reason.
  pthread_cond_t wake;
  pod_status_t abort_reason;
  local_chip_t chips[LOCAL_POD_CHIPS_MAX];
};

static inline void local_post(local_pod_t *pod, int32_t to, local_message_t *message) {
  pthread_mutex_lock(&pod->mutex);
  local_message_t **end = &pod->chips[to].inbox;
  while (*end != NULL) {
    end = &(*end)->next;
  }
  *end = message;
  pthread_cond_broadcast(&pod->wake);
  pthread_mutex_unlock(&pod->mutex);
}

static inline bool local_send(local_chip_t *chip, const ici_collective_t *collective,
                              collective_executor_t *executor, int32_t lane) {
  const collective_step_t *step = collective_executor_step(executor, lane);
  const uint8_t *bytes;
  int64_t size_bytes;
  if (step == NULL ||
      (size_bytes = collective_executor_unsent(executor, lane, &bytes)) == 0) {
    return false;
  }
  local_message_t *message = malloc(sizeof(*message) + (size_t)size_bytes);
  *message = (local_message_t){.execution = collective->execution,
                               .sequence = collective->sequence,
                               .lane = lane,
                               .tag = step->tag,
                               .source = chip->chip,
                               .offset = executor->lanes[lane].sent_bytes,
                               .size_bytes = size_bytes};
  memcpy(message->payload, bytes, (size_t)size_bytes);
  local_post(chip->pod, step->send_to, message);
  collective_executor_sent(executor, lane, size_bytes);
  return true;
}

// Takes in what can be. With the mutex held.
static inline bool local_receive(local_chip_t *chip, const ici_collective_t *collective,
                                 collective_executor_t *executor) {
  bool has_moved = false;
  for (local_message_t **link = &chip->inbox; *link != NULL;) {
    local_message_t *message = *link;
    if (message->execution == collective->execution &&
        message->sequence == collective->sequence) {
      const collective_arrival_t arrival = collective_executor_receive(
          executor, message->lane, message->tag, message->source, message->offset,
          message->payload, message->size_bytes);
      POD_CHECK(arrival != COLLECTIVE_ARRIVAL_WRONG);
      if (arrival == COLLECTIVE_ARRIVAL_TAKEN) {
        *link = message->next;
        free(message);
        has_moved = true;
        continue;
      }
    }
    link = &message->next;
  }
  return has_moved;
}

// collective_runner_t.run
static inline pod_status_t local_run_collective(void *context,
                                                const ici_collective_t *collective) {
  local_chip_t *chip = context;
  local_pod_t *pod = chip->pod;
  collective_executor_t executor;
  POD_TRY(collective_executor_init(&executor, collective->schedule, &collective->buffers,
                                   kernel_combine_arrays, (collective_call_t){0}));
  struct timespec deadline;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += LOCAL_POD_WAIT_S;
  pod_status_t status = NULL;
  while (status == NULL && !collective_executor_is_done(&executor)) {
    bool has_moved = false;
    for (int32_t lane = 0; lane < collective->schedule->lane_count; lane++) {
      has_moved |= local_send(chip, collective, &executor, lane);
    }
    pthread_mutex_lock(&pod->mutex);
    has_moved |= local_receive(chip, collective, &executor);
    if (pod->abort_reason != NULL) {
      status = pod_status_copy(pod->abort_reason);
    } else if (!has_moved &&
               pthread_cond_timedwait(&pod->wake, &pod->mutex, &deadline) != 0) {
      status = pod_error(POD_DEADLINE_EXCEEDED, "chip %d is stuck", chip->chip);
    }
    pthread_mutex_unlock(&pod->mutex);
  }
  collective_executor_deinit(&executor);
  return status;
}

static inline void local_abort(void *context, uint64_t execution, pod_status_t status) {
  (void)execution;
  local_pod_t *pod = ((local_chip_t *)context)->pod;
  pthread_mutex_lock(&pod->mutex);
  pod_status_free(pod->abort_reason);
  pod->abort_reason = status;
  pthread_cond_broadcast(&pod->wake);
  pthread_mutex_unlock(&pod->mutex);
}

static inline void local_end(void *context, uint64_t execution) {
  (void)context;
  (void)execution;
}

static inline local_pod_t *local_pod_create(const char *topology) {
  local_pod_t *pod = pod_alloc(sizeof(*pod));
  pthread_mutex_init(&pod->mutex, NULL);
  pthread_cond_init(&pod->wake, NULL);
  const chip_spec_t *spec = chip_spec_find("v5e");
  torus_t torus;
  POD_CHECK(torus_parse(topology, spec, &torus, NULL) == NULL);
  pod->chip_count = torus_chip_count(&torus);
  for (int32_t i = 0; i < pod->chip_count; i++) {
    local_chip_t *chip = &pod->chips[i];
    chip->pod = pod;
    chip->chip = i;
    chip->executor =
        executor_create(&(executor_options_t){.spec = spec,
                                              .torus = torus,
                                              .chip = i,
                                              .runner = {.run = local_run_collective,
                                                         .abort = local_abort,
                                                         .end = local_end,
                                                         .context = chip}});
  }
  return pod;
}

static inline void local_pod_destroy(local_pod_t *pod) {
  for (int32_t i = 0; i < pod->chip_count; i++) {
    executor_unload(pod->chips[i].executable);
    executor_destroy(pod->chips[i].executor);
    for (local_message_t *message = pod->chips[i].inbox; message != NULL;) {
      local_message_t *next = message->next;
      free(message);
      message = next;
    }
  }
  pod_status_free(pod->abort_reason);
  pthread_cond_destroy(&pod->wake);
  pthread_mutex_destroy(&pod->mutex);
  free(pod);
}

// Loads what `make` makes on every chip, in the place of what was there.
static inline pod_status_t local_pod_load(local_pod_t *pod,
                                          chip_program_t *(*make)(void)) {
  for (int32_t i = 0; i < pod->chip_count; i++) {
    executor_unload(pod->chips[i].executable);
    pod->chips[i].executable = NULL;
    POD_TRY(executor_load(pod->chips[i].executor, make(), &pod->chips[i].executable));
  }
  return NULL;
}

static inline void *local_chip_main(void *context) {
  local_chip_t *chip = context;
  chip->status = executor_run(chip->executable, &chip->run, &chip->profile);
  return NULL;
}

// Runs it on all chips at once. `arguments` and `results` are arrays of a pointer per
// chip for one argument and one result of the program at most. The profiles stay in the
// chips until local_pod_forget; the first error is returned.
static inline pod_status_t local_pod_run(local_pod_t *pod, uint64_t execution,
                                         const void *const *arguments, void **results,
                                         kernel_control_t *control) {
  pthread_t threads[LOCAL_POD_CHIPS_MAX];
  for (int32_t i = 0; i < pod->chip_count; i++) {
    local_chip_t *chip = &pod->chips[i];
    chip->run = (executor_run_t){.execution = execution,
                                 .arguments = &arguments[i],
                                 .results = &results[i],
                                 .control = control};
    chip_profile_init(&chip->profile, executable_program(chip->executable), i);
    POD_CHECK(pthread_create(&threads[i], NULL, local_chip_main, chip) == 0);
  }
  pod_status_t first = NULL;
  for (int32_t i = 0; i < pod->chip_count; i++) {
    pthread_join(threads[i], NULL);
    if (first == NULL) {
      first = pod->chips[i].status;
    } else {
      pod_status_free(pod->chips[i].status);
    }
  }
  return first;
}

static inline void local_pod_forget(local_pod_t *pod) {
  for (int32_t i = 0; i < pod->chip_count; i++) {
    chip_profile_deinit(&pod->chips[i].profile);
  }
}

#endif  // TESTS_UNIT_SERVER_WORKER_LOCAL_POD_H_
