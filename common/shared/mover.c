// The thread steps every connection that has something to do, a chunk at a time, and
// sleeps in poll when none has; it looks at the sockets after every few chunks. Before it
// sleeps it looks around for some microseconds: waking up takes longer than a chunk.

#include "common/shared/mover.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/shared/mover_private.h"

enum {
  NS_PER_MS = 1000000,
  GREET_MS = 10000,
  STALL_MS = 60000,
  IDLE_MS = 30000,
  TICK_MS = 1000,  // How often deadlines are looked at.
  LOOK_AROUND_NS = 50000,
  CHUNKS_BETWEEN_LOOKS = 16,
};

// --- Transfers ---

void shared_job_free(shared_job_t *job) {
  free(job->path);
  free(job);
}

static void take_out(shared_job_t *job) {
  job->previous->next = job->next;
  job->next->previous = job->previous;
}

void shared_job_end(shared_job_t *job, pod_status_t status) {
  take_out(job);
  if (job->is_cancelled) {
    pod_status_free(status);
  } else {
    job->transfer.done(job->transfer.context, status);
  }
  shared_job_free(job);
}

static void wake(const shared_mover_t *mover) {
  const uint64_t one = 1;
  (void)!write(mover->wake, &one, sizeof(one));  // Full: it is awake.
}

static uint64_t add(shared_mover_t *mover, const char *path,
                    const shared_transfer_t *transfer) {
  shared_job_t *job = pod_alloc(sizeof(*job));
  job->transfer = *transfer;
  job->path = path == NULL ? NULL : pod_strdup(path);
  pthread_mutex_lock(&mover->mutex);
  const uint64_t number = job->number = ++mover->last_number;
  job->next = &mover->jobs;
  job->previous = mover->jobs.previous;
  job->previous->next = job->next->previous = job;
  pthread_mutex_unlock(&mover->mutex);
  wake(mover);
  return number;
}

uint64_t shared_mover_expect(shared_mover_t *mover, const shared_transfer_t *transfer) {
  POD_CHECK(transfer->size_bytes > 0);
  return add(mover, NULL, transfer);
}

uint64_t shared_mover_start(shared_mover_t *mover, const char *path,
                            const shared_transfer_t *transfer) {
  return add(mover, path, transfer);
}

bool shared_mover_cancel(shared_mover_t *mover, uint64_t transfer) {
  pthread_mutex_lock(&mover->mutex);
  shared_job_t *job = mover->jobs.next;
  while (job != &mover->jobs && job->number != transfer) {
    job = job->next;
  }
  const bool is_found = job != &mover->jobs && !job->is_cancelled;
  if (is_found && job->connection == NULL) {
    take_out(job);
    shared_job_free(job);
  } else if (is_found) {
    job->is_cancelled = true;
    wake(mover);
    while (mover->copying == job) {
      pthread_cond_wait(&mover->copied, &mover->mutex);
    }
  }
  pthread_mutex_unlock(&mover->mutex);
  return is_found;
}

// --- The thread ---

static bool step_all(shared_mover_t *mover) {
  bool has_moved = false;
  for (shared_connection_t *at = mover->connections.next; at != &mover->connections;
       at = at->next) {
    has_moved |= shared_connection_step(mover, at);
  }
  return has_moved;
}

static bool is_busy(const shared_mover_t *mover) {
  for (const shared_connection_t *at = mover->connections.next; at != &mover->connections;
       at = at->next) {
    if (at->state == SHARED_BUSY) {
      return true;
    }
  }
  return false;
}

static void tell_sleep(shared_mover_t *mover, bool sleeps) {
  for (shared_connection_t *at = mover->connections.next; at != &mover->connections;
       at = at->next) {
    if (at->state == SHARED_BUSY) {
      shared_ring_sleep(&at->ring, sleeps);
    }
  }
}

// Waits for the sockets, at most `timeout_ms`, and reads what has come.
static void look(shared_mover_t *mover, int timeout_ms) {
  struct pollfd files[SHARED_CONNECTIONS_MAX + 2] = {
      {.fd = mover->wake, .events = POLLIN}, {.fd = mover->listener, .events = POLLIN}};
  nfds_t count = 2;
  for (const shared_connection_t *at = mover->connections.next; at != &mover->connections;
       at = at->next) {
    files[count++] = (struct pollfd){.fd = at->socket, .events = POLLIN};
  }
  pthread_mutex_unlock(&mover->mutex);
  (void)poll(files, count, timeout_ms);
  uint64_t wakes;
  (void)!read(mover->wake, &wakes, sizeof(wakes));
  pthread_mutex_lock(&mover->mutex);
  count = 2;
  for (shared_connection_t *at = mover->connections.next; at != &mover->connections;
       at = at->next) {
    if (files[count++].revents != 0) {
      shared_connection_read(mover, at);
    }
  }
  if ((files[1].revents & POLLIN) != 0) {
    shared_connections_accept(mover);
  }
}

static void check_time(shared_mover_t *mover) {
  const int64_t now_ns = pod_clock_now_ns();
  for (shared_connection_t *at = mover->connections.next; at != &mover->connections;
       at = at->next) {
    shared_connection_check_time(mover, at, now_ns);
  }
}

// The other process may be waiting for this very processor.
static void let_others_run(shared_mover_t *mover) {
  pthread_mutex_unlock(&mover->mutex);
  (void)sched_yield();
  pthread_mutex_lock(&mover->mutex);
}

// Steps until nothing has moved for some time, or for so many rounds. Whether anything
// has moved: what has ended makes room for what waits.
static bool step_for_a_while(shared_mover_t *mover) {
  int64_t idle_since_ns = 0;
  int rounds = 0;
  while (rounds < CHUNKS_BETWEEN_LOOKS) {
    if (step_all(mover)) {
      rounds++;
      idle_since_ns = 0;
      continue;
    }
    const int64_t now_ns = pod_clock_now_ns();
    idle_since_ns = idle_since_ns == 0 ? now_ns : idle_since_ns;
    if (!is_busy(mover) || now_ns - idle_since_ns > LOOK_AROUND_NS) {
      break;
    }
    let_others_run(mover);
  }
  return rounds > 0;
}

static void *run(void *context) {
  shared_mover_t *mover = context;
  pthread_mutex_lock(&mover->mutex);
  while (!mover->is_ending) {
    shared_connections_begin(mover);
    bool has_moved = step_for_a_while(mover);
    if (!has_moved) {
      tell_sleep(mover, true);
      has_moved = step_all(mover);  // What came before we said so.
    }
    shared_connections_sweep(mover, false);
    look(mover, has_moved ? 0 : TICK_MS);
    tell_sleep(mover, false);
    check_time(mover);
    shared_connections_sweep(mover, false);
  }
  shared_connections_sweep(mover, true);
  pthread_mutex_unlock(&mover->mutex);
  return NULL;
}

// --- The whole ---

static void set_options(shared_mover_t *mover, const shared_mover_options_t *options) {
  if (options != NULL) {
    mover->options = *options;
  }
  shared_mover_options_t *set = &mover->options;
  set->greet_ms = set->greet_ms > 0 ? set->greet_ms : GREET_MS;
  set->stall_ms = set->stall_ms > 0 ? set->stall_ms : STALL_MS;
  set->idle_ms = set->idle_ms > 0 ? set->idle_ms : IDLE_MS;
  if (set->listen != NULL) {
    set->listen = mover->listen_path = pod_strdup(set->listen);
  }
}

static void free_mover(shared_mover_t *mover) {
  while (mover->jobs.next != &mover->jobs) {
    shared_job_t *job = mover->jobs.next;
    take_out(job);
    shared_job_free(job);
  }
  if (mover->listener >= 0) {
    (void)close(mover->listener);
    (void)unlink(mover->listen_path);
  }
  if (mover->wake >= 0) {
    (void)close(mover->wake);
  }
  pthread_cond_destroy(&mover->copied);
  pthread_mutex_destroy(&mover->mutex);
  free(mover->listen_path);
  free(mover);
}

// The process' signals are not for this thread.
static pod_status_t start_thread(shared_mover_t *mover) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int error = pthread_create(&mover->thread, NULL, run, mover);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return error == 0 ? NULL
                    : pod_error(POD_UNAVAILABLE, "no thread to move bytes by: %s",
                                strerror(error));
}

pod_status_t shared_mover_create(const shared_mover_options_t *options,
                                 shared_mover_t **out_mover) {
  shared_mover_t *mover = pod_alloc(sizeof(*mover));
  set_options(mover, options);
  pthread_mutex_init(&mover->mutex, NULL);
  pthread_cond_init(&mover->copied, NULL);
  mover->jobs.next = mover->jobs.previous = &mover->jobs;
  mover->connections.next = mover->connections.previous = &mover->connections;
  mover->listener = -1;
  mover->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  pod_status_t status =
      mover->wake < 0 ? pod_error(POD_UNAVAILABLE, "no eventfd to be woken by") : NULL;
  if (status == NULL && mover->listen_path != NULL) {
    status = shared_socket_listen(mover->listen_path, &mover->listener);
  }
  if (status == NULL) {
    status = start_thread(mover);
  }
  if (status != NULL) {
    free_mover(mover);
    return status;
  }
  *out_mover = mover;
  return NULL;
}

void shared_mover_destroy(shared_mover_t *mover) {
  if (mover == NULL) {
    return;
  }
  pthread_mutex_lock(&mover->mutex);
  mover->is_ending = true;
  for (shared_job_t *job = mover->jobs.next; job != &mover->jobs; job = job->next) {
    job->is_cancelled = true;
  }
  pthread_mutex_unlock(&mover->mutex);
  wake(mover);
  pthread_join(mover->thread, NULL);
  free_mover(mover);
}
