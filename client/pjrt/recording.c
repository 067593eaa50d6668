// A recording has a thread, which waits for the executions one after the other and asks
// the pod what they took on the chips.
//
// A program whose control flow follows from the program alone takes the same time every
// time, so that its profile is asked for once, of Simulate, which says so. Of others each
// execution has a profile of its own; the pod keeps those of a session's last few
// executions, and one that comes too late has the program's latest instead, which the
// recording then says.
//
// Invariant: an execution is in the queue (the thread's next ones) or in `executions`
// (which only the thread touches until it has been joined). Executables are held from
// dispatch until their execution is profiled, no longer: what is told of them later is
// copied.

#include "client/pjrt/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "client/pjrt/profiler_api.h"
#include "client/pjrt/timeline.h"
#include "common/base/list.h"
#include "common/base/memory.h"

enum {
  EVENTS_MAX = 1 << 20,          // Of a recording.
  PROFILE_EVENTS_MAX = 1 << 16,  // Of an execution, by class of chips.
  EXECUTIONS_MAX = 1 << 20,
  CHANGES_MAX = 1 << 20,
};

// Executions of one fingerprint.
typedef struct program_t {
  timeline_program_t info;  // First. Its number is 0 before it has a profile.
  char *fingerprint;
  bool depends_on_values;
  podium_profile_t *latest;  // Of `profiles`; NULL: none yet.
  POD_LIST(podium_profile_t *) profiles;
} program_t;

typedef struct queued_t {
  PJRT_Executable *executable;
  pjrt_execution_t *execution;
  int device_count;
  int *devices;
  int64_t at_ns, link;
} queued_t;

struct recording_t {
  recording_t *next;  // Of those that are on.
  int64_t begin_ns;
  xplane_steps_t steps;
  atomic_llong patience_ms;  // For an execution; -1: without end.
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t wake;
  // Guarded by `mutex`.
  bool is_stopped;
  POD_LIST(queued_t) queue;
  int32_t queue_first;
  int64_t queued, left_out;
  POD_LIST(timeline_change_t) changes;
  // The thread's, and the caller's when it has been joined.
  bool is_joined;
  xplane_space_t *space;
  POD_LIST(program_t *) programs;
  POD_LIST(timeline_execution_t) executions;
  int64_t late, failed, unended;
  char *failure;  // Of the first that failed.
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static recording_t *recordings;  // Those that are on. Guarded by `mutex`.
static atomic_int recording_count;

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// --- The thread ---

static program_t *program_of(recording_t *recording, const queued_t *queued) {
  const PJRT_Executable *executable = queued->executable;
  for (int32_t i = 0; i < recording->programs.count; i++) {
    if (strcmp(recording->programs.items[i]->fingerprint, executable->fingerprint) == 0) {
      return recording->programs.items[i];
    }
  }
  const podium_program_info_t *info = executable->info;
  program_t *program = pod_alloc(sizeof(*program));
  program->fingerprint = pod_strdup(executable->fingerprint);
  int *devices = pod_alloc((size_t)queued->device_count * sizeof(*devices));
  memcpy(devices, queued->devices, (size_t)queued->device_count * sizeof(*devices));
  program->info = (timeline_program_t){
      .name = pod_strdup(info->name),
      .temp_bytes = info->hbm_peak_bytes -
                    (info->argument_bytes + info->result_bytes - info->alias_bytes),
      .device_count = queued->device_count,
      .devices = devices};
  *pod_list_add(&recording->programs) = program;
  return program;
}

static void add_profile(recording_t *recording, program_t *program,
                        const PJRT_Executable *executable, podium_profile_t *profile) {
  if (program->info.number == 0) {
    program->info.number =
        xplane_add_program(recording->space, executable->info, profile);
  }
  program->latest = profile;
  *pod_list_add(&program->profiles) = profile;
}

// Takes `status`.
static void fail(recording_t *recording, podium_status_t *status) {
  recording->failed++;
  if (recording->failure == NULL) {
    recording->failure = pod_strdup(podium_status_message(status));
  }
  podium_status_free(status);
}

static void ask_of_program(recording_t *recording, program_t *program,
                           const queued_t *queued) {
  const podium_profile_options_t options = {.events_max = PROFILE_EVENTS_MAX};
  podium_profile_t *profile;
  podium_status_t *status =
      podium_simulate(queued->executable->program, &options, &profile);
  if (status == NULL) {
    add_profile(recording, program, queued->executable, profile);
    return;
  }
  program->depends_on_values = podium_status_code(status) == PODIUM_FAILED_PRECONDITION;
  if (program->depends_on_values) {
    podium_status_free(status);
  } else {
    fail(recording, status);
  }
}

static void ask_of_execution(recording_t *recording, program_t *program,
                             const queued_t *queued) {
  const podium_profile_options_t options = {.events_max = PROFILE_EVENTS_MAX};
  podium_profile_t *profile;
  podium_status_t *status =
      podium_profile(queued->execution->execution, &options, &profile);
  if (status == NULL) {
    add_profile(recording, program, queued->executable, profile);
  } else if (program->latest != NULL && podium_status_code(status) == PODIUM_NOT_FOUND) {
    podium_status_free(status);
    recording->late++;
  } else {
    fail(recording, status);
  }
}

// False: it has failed, which its caller is told, or nobody waits for it any more.
static bool wait_for_end(recording_t *recording, const queued_t *queued) {
  enum { LOOK_MS = 200 };
  future_t *done = queued->execution->done;
  for (int64_t waited_ms = 0; !future_wait_for(done, LOOK_MS); waited_ms += LOOK_MS) {
    const int64_t most_ms = atomic_load(&recording->patience_ms);
    if (most_ms >= 0 && waited_ms >= most_ms) {
      recording->unended++;
      return false;
    }
  }
  const pod_status_t status = future_wait(done);
  pod_status_free(status);
  return status == NULL;
}

static void take_profile(recording_t *recording, const queued_t *queued) {
  if (!wait_for_end(recording, queued)) {
    return;
  }
  program_t *program = program_of(recording, queued);
  if (program->latest == NULL && !program->depends_on_values) {
    ask_of_program(recording, program, queued);
  }
  if (program->depends_on_values) {
    ask_of_execution(recording, program, queued);
  }
  if (program->latest != NULL) {
    *pod_list_add(&recording->executions) =
        (timeline_execution_t){.program = &program->info,
                               .profile = program->latest,
                               .at_ns = queued->at_ns,
                               .link = queued->link};
  }
}

static void release(queued_t *queued) {
  pjrt_execution_release(queued->execution);
  pjrt_executable_release(queued->executable);
  free(queued->devices);
}

static bool take_next(recording_t *recording, queued_t *out_queued) {
  pthread_mutex_lock(&recording->mutex);
  while (recording->queue_first == recording->queue.count && !recording->is_stopped) {
    pthread_cond_wait(&recording->wake, &recording->mutex);
  }
  const bool has_next = recording->queue_first < recording->queue.count;
  if (has_next) {
    *out_queued = recording->queue.items[recording->queue_first++];
    if (recording->queue_first == recording->queue.count) {
      recording->queue_first = 0;
      pod_list_clear(&recording->queue);
    }
  }
  pthread_mutex_unlock(&recording->mutex);
  return has_next;
}

static void *run(void *context) {
  recording_t *recording = context;
  queued_t queued;
  while (take_next(recording, &queued)) {
    take_profile(recording, &queued);
    release(&queued);
  }
  return NULL;
}

// --- What is told ---

static void queue_up(recording_t *recording, const PJRT_LoadedExecutable *loaded,
                     pjrt_execution_t *execution, int64_t at_ns, int64_t link) {
  pthread_mutex_lock(&recording->mutex);
  if (recording->queued == EXECUTIONS_MAX) {
    recording->left_out++;
    pthread_mutex_unlock(&recording->mutex);
    return;
  }
  recording->queued++;
  queued_t *queued = pod_list_add(&recording->queue);
  *queued = (queued_t){.executable = pjrt_executable_retain(loaded->executable),
                       .execution = pjrt_execution_retain(execution),
                       .devices = pod_alloc((size_t)loaded->device_count * sizeof(int)),
                       .at_ns = at_ns,
                       .link = link};
  for (int i = 0; i < loaded->device_count; i++) {
    const PJRT_DeviceDescription *description = loaded->devices[i]->description;
    if (description->process_index == loaded->client->process_index) {
      queued->devices[queued->device_count++] = description->id;
    }
  }
  pthread_cond_signal(&recording->wake);
  pthread_mutex_unlock(&recording->mutex);
}

static int64_t link_of(const PJRT_Extension_Base *extension) {
  while (extension != NULL && extension->type != PJRT_Extension_Type_Profiler) {
    extension = extension->next;
  }
  return extension == NULL
             ? XPLANE_NO_LINK
             : ((const PJRT_Profiler_Extension *)extension)->traceme_context_id;
}

void recording_add_execution(const PJRT_LoadedExecutable *loaded,
                             pjrt_execution_t *execution,
                             const PJRT_Extension_Base *extension) {
  if (atomic_load(&recording_count) == 0) {
    return;
  }
  const int64_t at_ns = now_ns();
  pthread_mutex_lock(&mutex);
  for (recording_t *at = recordings; at != NULL; at = at->next) {
    queue_up(at, loaded, execution, at_ns, link_of(extension));
  }
  pthread_mutex_unlock(&mutex);
}

void recording_add_change(const PJRT_Buffer *buffer, int64_t size_bytes,
                          int64_t in_use_bytes) {
  if (atomic_load(&recording_count) == 0) {
    return;
  }
  timeline_change_t change = {.chip = buffer->memory->device->description->id,
                              .at_ns = now_ns(),
                              .size_bytes = size_bytes,
                              .in_use_bytes = in_use_bytes,
                              .hbm_bytes = buffer->client->topology->hbm_bytes,
                              .address = (uint64_t)(uintptr_t)buffer};
  podium_shape_print(&buffer->shape, change.shape, sizeof(change.shape));
  pthread_mutex_lock(&mutex);
  for (recording_t *at = recordings; at != NULL; at = at->next) {
    pthread_mutex_lock(&at->mutex);
    if (at->changes.count < CHANGES_MAX) {
      *pod_list_add(&at->changes) = change;
    } else {
      at->left_out++;
    }
    pthread_mutex_unlock(&at->mutex);
  }
  pthread_mutex_unlock(&mutex);
}

// --- Beginning and end ---

recording_t *recording_start(xplane_steps_t steps) {
  recording_t *recording = pod_alloc(sizeof(*recording));
  recording->begin_ns = now_ns();
  recording->steps = steps;
  atomic_init(&recording->patience_ms, -1);
  recording->space = xplane_create(recording->begin_ns, EVENTS_MAX, steps);
  pthread_mutex_init(&recording->mutex, NULL);
  pthread_cond_init(&recording->wake, NULL);
  if (pthread_create(&recording->thread, NULL, run, recording) != 0) {
    // It records nothing, and says so.
    recording->is_stopped = recording->is_joined = true;
    recording->failure = pod_strdup("no thread could be started");
    recording->failed = 1;
    return recording;
  }
  pthread_mutex_lock(&mutex);
  recording->next = recordings;
  recordings = recording;
  atomic_fetch_add(&recording_count, 1);
  pthread_mutex_unlock(&mutex);
  return recording;
}

void recording_stop(recording_t *recording) {
  pthread_mutex_lock(&mutex);
  for (recording_t **link = &recordings; *link != NULL; link = &(*link)->next) {
    if (*link == recording) {
      *link = recording->next;
      atomic_fetch_sub(&recording_count, 1);
      break;
    }
  }
  pthread_mutex_unlock(&mutex);
  pthread_mutex_lock(&recording->mutex);
  recording->is_stopped = true;
  pthread_cond_signal(&recording->wake);
  pthread_mutex_unlock(&recording->mutex);
}

void recording_give_up(recording_t *recording, int64_t timeout_ms) {
  recording_stop(recording);
  atomic_store(&recording->patience_ms, timeout_ms);
}

static void join(recording_t *recording) {
  recording_stop(recording);
  if (!recording->is_joined) {
    pthread_join(recording->thread, NULL);
    recording->is_joined = true;
  }
}

// What the profile does not tell, and why.
static void add_warnings(recording_t *recording) {
  char text[512];
  if (recording->failed > 0) {
    snprintf(text, sizeof(text), "Podium could not predict %lld executions: %s",
             (long long)recording->failed, recording->failure);
    xplane_add_warning(recording->space, text);
  }
  if (recording->late > 0) {
    snprintf(text, sizeof(text),
             "%lld executions, whose time depends on values, are shown with the time of "
             "the one before: they ended faster than their profiles were asked for",
             (long long)recording->late);
    xplane_add_warning(recording->space, text);
  }
  if (recording->unended > 0) {
    snprintf(text, sizeof(text), "%lld executions had not ended with the process",
             (long long)recording->unended);
    xplane_add_warning(recording->space, text);
  }
  const int64_t left_out = recording->left_out + xplane_dropped(recording->space);
  if (left_out > 0) {
    snprintf(text, sizeof(text),
             "%lld events were left out: a profile holds %d; trace fewer steps",
             (long long)left_out, EVENTS_MAX);
    xplane_add_warning(recording->space, text);
  }
}

uint8_t *recording_pack(recording_t *recording, const char *host, const char *host_plane,
                        size_t *out_size) {
  join(recording);
  timeline_lay_out(&(timeline_t){.begin_ns = recording->begin_ns,
                                 .steps = recording->steps,
                                 .execution_count = recording->executions.count,
                                 .executions = recording->executions.items,
                                 .change_count = recording->changes.count,
                                 .changes = recording->changes.items},
                   recording->space);
  add_warnings(recording);
  return xplane_pack(recording->space, host, host_plane, out_size);
}

static void destroy_program(program_t *program) {
  for (int32_t i = 0; i < program->profiles.count; i++) {
    podium_profile_free(program->profiles.items[i]);
  }
  pod_list_deinit(&program->profiles);
  free((char *)(uintptr_t)program->info.name);
  free((int *)(uintptr_t)program->info.devices);
  free(program->fingerprint);
  free(program);
}

void recording_destroy(recording_t *recording) {
  if (recording == NULL) {
    return;
  }
  join(recording);
  for (int32_t i = 0; i < recording->programs.count; i++) {
    destroy_program(recording->programs.items[i]);
  }
  pod_list_deinit(&recording->programs);
  pod_list_deinit(&recording->queue);
  pod_list_deinit(&recording->executions);
  pod_list_deinit(&recording->changes);
  xplane_destroy(recording->space);
  pthread_cond_destroy(&recording->wake);
  pthread_mutex_destroy(&recording->mutex);
  free(recording->failure);
  free(recording);
}
