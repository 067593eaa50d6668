// A slot is a server and whoever has it now. The thread of a compile talks to its server
// by itself; others only kill it, under the mutex, by a descriptor of the process: when
// the spawner has gone, its number may soon be another's.

#include "server/coordinator/compiling/pool.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/available_memory.h"
#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/base/text.h"
#include "server/coordinator/compiling/message.h"
#include "server/coordinator/compiling/server.h"
#include "server/coordinator/compiling/spawner.h"

enum {
  ROOM_CHECKED_BYTES = 16 << 20,  // Of an answer, from where on there may be no room.
  UNPACKED_FACTOR = 4,
  TRIES_MAX = 3,  // Of a compile whose server was taken away.
};

// Between two starts of a spawner; one that has lived for so long was well.
static const int64_t pause_min_ns = INT64_C(50) * 1000 * 1000;
static const int64_t pause_max_ns = (int64_t)10 * 1000 * 1000 * 1000;
static const int64_t well_ns = (int64_t)60 * 1000 * 1000 * 1000;

typedef struct slot_t {
  const void *owner;  // NULL: it is free.
  bool is_stopped;    // Its compile is not wanted any more.
  pid_t pid;          // 0: it has no server.
  int process;        // A descriptor of the server; -1: the kernel gives none.
  int fd;             // Of whoever has the slot.
} slot_t;

struct compile_pool_t {
  compile_pool_options_t options;
  pthread_mutex_t spawner_mutex;  // For questions to the spawner, and:
  spawner_t spawner;
  int64_t spawner_since_ns, spawner_not_before_ns, spawner_pause_ns;
  pthread_mutex_t mutex;  // For the slots, but `fd`.
  pthread_cond_t is_free;
  slot_t slots[COMPILE_POOL_SLOTS_MAX];
};

int64_t compile_pool_memory_bytes(int64_t host_bytes, int32_t slot_count) {
  const int64_t least_bytes = (int64_t)512 << 20;
  const int64_t share_bytes = host_bytes / 2 / slot_count;
  return share_bytes > least_bytes ? share_bytes : least_bytes;
}

// --- Beginning and end ---

pod_status_t compile_pool_create(const compile_pool_options_t *options,
                                 compile_pool_t **out_pool) {
  POD_CHECK(options->slot_count >= 1 && options->slot_count <= COMPILE_POOL_SLOTS_MAX);
  spawner_t spawner;
  POD_TRY(spawner_start(options, &spawner));
  compile_pool_t *pool = pod_alloc(sizeof(*pool));
  pool->options = *options;
  pool->spawner = spawner;
  pool->spawner_since_ns = pod_clock_now_ns();
  pthread_mutex_init(&pool->spawner_mutex, NULL);
  pthread_mutex_init(&pool->mutex, NULL);
  pthread_cond_init(&pool->is_free, NULL);
  *out_pool = pool;
  return NULL;
}

// With the mutex.
static void kill_locked(const slot_t *slot) {
  if (slot->pid != 0 && slot->process >= 0) {
    pidfd_send_signal(slot->process, SIGKILL, NULL, 0);
  }
}

// Its server is ending, or is made to. Returns false when nothing is known of its end.
static bool end_server(compile_pool_t *pool, slot_t *slot, spawner_end_t *out_end) {
  close(slot->fd);
  pthread_mutex_lock(&pool->mutex);
  const pid_t pid = slot->pid;
  const int process = slot->process;
  slot->pid = 0;
  pthread_mutex_unlock(&pool->mutex);
  pthread_mutex_lock(&pool->spawner_mutex);
  const pod_status_t status = spawner_reap(&pool->spawner, pid, out_end);
  pthread_mutex_unlock(&pool->spawner_mutex);
  if (process >= 0) {
    close(process);
  }
  const bool is_known = status == NULL;
  pod_status_free(status);
  return is_known;
}

void compile_pool_destroy(compile_pool_t *pool) {
  if (pool == NULL) {
    return;
  }
  for (int32_t i = 0; i < pool->options.slot_count; i++) {
    slot_t *slot = &pool->slots[i];
    POD_CHECK(slot->owner == NULL);
    if (slot->pid != 0) {
      spawner_end_t end;
      kill_locked(slot);
      end_server(pool, slot, &end);
    }
  }
  spawner_stop(&pool->spawner, NULL);
  pthread_cond_destroy(&pool->is_free);
  pthread_mutex_destroy(&pool->mutex);
  pthread_mutex_destroy(&pool->spawner_mutex);
  free(pool);
}

// --- Slots ---

static slot_t *free_slot(compile_pool_t *pool) {
  slot_t *cold = NULL;
  for (int32_t i = 0; i < pool->options.slot_count; i++) {
    slot_t *slot = &pool->slots[i];
    if (slot->owner == NULL && slot->pid != 0) {
      return slot;  // A warm one.
    }
    cold = slot->owner == NULL && cold == NULL ? slot : cold;
  }
  return cold;
}

// Who is not wanted from now on is found by compile_pool_stop, who was not before is seen
// here.
static slot_t *take_slot(compile_pool_t *pool, const void *owner,
                         const atomic_bool *is_unwanted) {
  pthread_mutex_lock(&pool->mutex);
  slot_t *slot = free_slot(pool);
  while (slot == NULL) {
    pthread_cond_wait(&pool->is_free, &pool->mutex);
    slot = free_slot(pool);
  }
  slot->owner = owner;
  slot->is_stopped = is_unwanted != NULL && atomic_load(is_unwanted);
  pthread_mutex_unlock(&pool->mutex);
  return slot;
}

static void give_slot(compile_pool_t *pool, slot_t *slot) {
  pthread_mutex_lock(&pool->mutex);
  slot->owner = NULL;
  pthread_cond_signal(&pool->is_free);
  pthread_mutex_unlock(&pool->mutex);
}

static bool is_stopped(compile_pool_t *pool, const slot_t *slot) {
  pthread_mutex_lock(&pool->mutex);
  const bool stopped = slot->is_stopped;
  pthread_mutex_unlock(&pool->mutex);
  return stopped;
}

// With the spawner's mutex, when it has gone.
static pod_status_t revive_spawner(compile_pool_t *pool) {
  const int64_t now_ns = pod_clock_now_ns();
  if (now_ns < pool->spawner_not_before_ns) {
    return pod_error(POD_UNAVAILABLE,
                     "the process that starts compiles has ended again and again, and is "
                     "started anew in %" PRId64 " ms: try again then",
                     (pool->spawner_not_before_ns - now_ns) / 1000000 + 1);
  }
  const bool was_well = now_ns - pool->spawner_since_ns >= well_ns;
  const int64_t doubled_ns = 2 * pool->spawner_pause_ns;
  pool->spawner_pause_ns = was_well || doubled_ns == 0 ? pause_min_ns
                           : doubled_ns < pause_max_ns ? doubled_ns
                                                       : pause_max_ns;
  pool->spawner_not_before_ns = now_ns + pool->spawner_pause_ns;
  pool->spawner_since_ns = now_ns;
  const bool had_any = pool->spawner.pid > 0;
  int wait_status = 0;
  spawner_stop(&pool->spawner, &wait_status);
  const pod_status_t status = spawner_start_again(&pool->options, &pool->spawner);
  pod_log(POD_LOG_WARNING, "the process that starts compiles %s%s: %s",
          had_any ? "has ended" : "is missing",
          had_any && WIFSIGNALED(wait_status) ? " by a signal" : "",
          status == NULL ? "another one does it now" : pod_status_message(status));
  return status;
}

// With the spawner's mutex.
static pod_status_t spawn(compile_pool_t *pool, pid_t *out_pid, int *out_fd) {
  pod_status_t status = spawner_spawn(&pool->spawner, out_pid, out_fd);
  if (pod_status_code(status) != POD_UNAVAILABLE) {
    return status;
  }
  pod_status_free(status);
  POD_TRY(revive_spawner(pool));
  return spawner_spawn(&pool->spawner, out_pid, out_fd);
}

static pod_status_t start_server(compile_pool_t *pool, slot_t *slot) {
  pid_t pid;
  int process = -1;
  pthread_mutex_lock(&pool->spawner_mutex);
  const pod_status_t status = spawn(pool, &pid, &slot->fd);
  if (status == NULL) {
    process = pidfd_open(pid, 0);
  }
  pthread_mutex_unlock(&pool->spawner_mutex);
  if (status == NULL) {
    pthread_mutex_lock(&pool->mutex);
    slot->pid = pid;
    slot->process = process;
    pthread_mutex_unlock(&pool->mutex);
  }
  return status;
}

static void kill_server(compile_pool_t *pool, slot_t *slot) {
  pthread_mutex_lock(&pool->mutex);
  kill_locked(slot);
  pthread_mutex_unlock(&pool->mutex);
}

void compile_pool_stop(compile_pool_t *pool, const void *owner) {
  pthread_mutex_lock(&pool->mutex);
  for (int32_t i = 0; i < pool->options.slot_count; i++) {
    slot_t *slot = &pool->slots[i];
    if (slot->owner != NULL && (owner == NULL || slot->owner == owner)) {
      slot->is_stopped = true;
      kill_locked(slot);
    }
  }
  pthread_mutex_unlock(&pool->mutex);
}

// --- A compile ---

static pod_status_t memory_error(const compile_pool_t *pool, const char *file_name) {
  pod_text_t limit = {0};
  pod_text_add_size(&limit, (unsigned long long)pool->options.memory_bytes);
  const pod_status_t status = pod_error(
      POD_RESOURCE_EXHAUSTED,
      "compiling %s takes more than the %s of memory that a compile may have: make the "
      "module smaller (constants as arguments, loops that are not unrolled), or start "
      "the "
      "coordinator with a larger --compile-memory-bytes",
      file_name, limit.bytes);
  pod_text_deinit(&limit);
  return status;
}

static pod_status_t unwanted_error(const char *file_name) {
  return pod_error(POD_CANCELLED, "nobody waits for the compile of %s", file_name);
}

// What its end says of the module that it was compiling.
static pod_status_t end_error(const compile_pool_t *pool, const char *file_name,
                              const spawner_end_t *end) {
  const int status = end->wait_status;
  if (WIFEXITED(status) && WEXITSTATUS(status) == COMPILE_EXIT_OUT_OF_MEMORY) {
    return memory_error(pool, file_name);
  }
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
    return pod_error(POD_RESOURCE_EXHAUSTED,
                     "compiling %s was ended by the system when it had %" PRId64
                     " MiB, most likely because the host was out of memory: make the "
                     "module smaller, or give the host more memory",
                     file_name, end->peak_bytes >> 20);
  }
  if (WIFSIGNALED(status)) {
    return pod_error(POD_INTERNAL,
                     "the compiler broke down over %s (%s): a defect of Podium, please "
                     "report it with the module; what others compile goes on",
                     file_name, strsignal(WTERMSIG(status)));
  }
  return pod_error(POD_INTERNAL,
                   "the compile process of %s ended with status %d and no answer",
                   file_name, WEXITSTATUS(status));
}

// The slot's server has gone or is to go. Takes `status`, which is what the socket said.
// *out_was_killed: by neither us nor the module, or with the spawner.
static pod_status_t judge_end(compile_pool_t *pool, slot_t *slot, const char *file_name,
                              pod_status_t status, bool *out_was_killed,
                              bool *out_is_orphan) {
  const bool is_late = pod_status_code(status) == POD_DEADLINE_EXCEEDED;
  const bool has_gone = pod_status_code(status) == POD_UNAVAILABLE;
  if (!has_gone) {
    kill_server(pool, slot);
  }
  spawner_end_t end;
  const bool is_known = end_server(pool, slot, &end);
  *out_was_killed = has_gone && (!is_known || (WIFSIGNALED(end.wait_status) &&
                                               WTERMSIG(end.wait_status) == SIGKILL));
  *out_is_orphan = has_gone && !is_known;
  if (is_stopped(pool, slot)) {
    pod_status_free(status);
    return unwanted_error(file_name);
  }
  if (is_late) {
    pod_status_free(status);
    return pod_error(POD_RESOURCE_EXHAUSTED,
                     "compiling %s takes longer than the %" PRId64
                     " s that a compile may take: make the module smaller, or start the "
                     "coordinator with a larger --compile-seconds",
                     file_name, pool->options.seconds);
  }
  if (has_gone && is_known) {
    pod_status_free(status);
    status = end_error(pool, file_name, &end);
    pod_log(POD_LOG_WARNING, "a compile process of %" PRId64 " MiB has ended: %s",
            end.peak_bytes >> 20, pod_status_message(status));
  }
  return status;
}

// The slot has a server then. *out_is_warm: it may have gone in the meantime.
static pod_status_t send_job(compile_pool_t *pool, slot_t *slot, int64_t deadline_ms,
                             const compile_frame_t *job, bool *out_is_warm) {
  *out_is_warm = slot->pid != 0;
  if (!*out_is_warm) {
    POD_TRY(start_server(pool, slot));
  }
  return compile_frame_send(slot->fd, deadline_ms, job);
}

// By the slot's server. A warm one that has gone, or was killed, may have gone before it
// had the job: a new one is asked, once. So is one for a server that has gone with the
// spawner, whatever it did.
static pod_status_t exchange(compile_pool_t *pool, slot_t *slot, const char *file_name,
                             const compile_frame_t *job, compile_frame_t *answer) {
  const int64_t deadline_ms = pool->options.seconds == 0
                                  ? COMPILE_NO_DEADLINE
                                  : compile_now_ms() + 1000 * pool->options.seconds;
  for (int tries = 1;; tries++) {
    bool is_warm;
    pod_status_t status = send_job(pool, slot, deadline_ms, job, &is_warm);
    if (slot->pid == 0) {
      return status;
    }
    const bool is_sent = status == NULL;
    if (status == NULL && !is_stopped(pool, slot)) {
      status = compile_frame_receive(slot->fd, deadline_ms, answer);
    }
    if (status == NULL && !is_stopped(pool, slot)) {
      return NULL;
    }
    if (status == NULL) {
      status = pod_error(POD_CANCELLED, "it was stopped");
    }
    compile_frame_deinit(answer);
    bool was_killed, is_orphan;
    status = judge_end(pool, slot, file_name, status, &was_killed, &is_orphan);
    const bool is_again = is_orphan || (is_warm && (!is_sent || was_killed));
    if (!is_again || tries == TRIES_MAX || is_stopped(pool, slot)) {
      return status;
    }
    pod_status_free(status);
  }
}

// What the answer is unpacked to is some times as much as its bytes, and the
// coordinator's to keep.
static pod_status_t check_room(const char *file_name, const compile_frame_t *answer) {
  const size_t size_bytes = answer->head_bytes + answer->body_bytes;
  if (size_bytes < ROOM_CHECKED_BYTES) {
    return NULL;
  }
  pod_available_memory_t host;
  pod_available_memory_read("", &host);
  if (host.left_bytes / UNPACKED_FACTOR >= (int64_t)size_bytes) {
    return NULL;
  }
  return pod_error(POD_RESOURCE_EXHAUSTED,
                   "the program of %s takes %zu MiB packed and some %d times as much "
                   "unpacked; the coordinator's host has %" PRId64
                   " MiB left: free executables, or make the module smaller",
                   file_name, size_bytes >> 20, UNPACKED_FACTOR, host.left_bytes >> 20);
}

static pod_status_t compile_in(compile_pool_t *pool, slot_t *slot, const char *text,
                               int64_t length, const compiler_options_t *options,
                               compile_outcome_t *out_outcome) {
  compile_frame_t job = {.body = (uint8_t *)(uintptr_t)text,
                         .body_bytes = (size_t)length};
  job.head = compile_job_pack(options, &job.head_bytes);
  compile_frame_t answer = {0};
  pod_status_t status = exchange(pool, slot, options->file_name, &job, &answer);
  free(job.head);
  if (status != NULL) {
    return status;
  }
  if (answer.is_last) {
    spawner_end_t end;
    end_server(pool, slot, &end);
  }
  status = check_room(options->file_name, &answer);
  if (status == NULL) {
    status = compile_answer_unpack(&answer, &out_outcome->result);
  }
  if (status == NULL) {
    out_outcome->packed = answer.body;
    out_outcome->packed_bytes = answer.body_bytes;
    answer.body = NULL;
  }
  compile_frame_deinit(&answer);
  return status;
}

pod_status_t compile_pool_compile(compile_pool_t *pool, const void *owner,
                                  const atomic_bool *is_unwanted, const char *text,
                                  int64_t length, const compiler_options_t *options,
                                  compile_outcome_t *out_outcome) {
  slot_t *slot = take_slot(pool, owner, is_unwanted);
  const pod_status_t status =
      is_stopped(pool, slot) ? unwanted_error(options->file_name)
                             : compile_in(pool, slot, text, length, options, out_outcome);
  give_slot(pool, slot);
  return status;
}
