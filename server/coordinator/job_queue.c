// A list under a mutex and a condition variable; jobs that have ended come back to the
// loop by a post.

#include "server/coordinator/job_queue.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"

// The compiler recurses with the nesting of the module, within bounds of its own.
enum { STACK_BYTES = 64 << 20 };

struct job_queue_t {
  rpc_loop_t *loop;
  const char *what;
  int32_t thread_count;   // Set before any begins.
  int32_t started_count;  // The loop's own.
  pthread_t threads[JOB_QUEUE_THREADS_MAX];
  pthread_mutex_t mutex;  // For what follows.
  pthread_cond_t wake;
  queue_job_t *first, **last;  // Waiting.
  int count;
  queue_job_t *ended, **ended_last;  // Have run; `done` is owed.
  bool is_posted;                    // deliver() is on its way.
  int32_t running_count;
  const void *running[JOB_QUEUE_THREADS_MAX];  // Owners of those that run.
  bool is_ending;
  // The loop's own: the queue is gone but for a delivery that is still posted.
  bool is_destroyed;
};

// Takes the jobs that have ended, in order.
static queue_job_t *take_ended(job_queue_t *queue) {
  pthread_mutex_lock(&queue->mutex);
  queue_job_t *ended = queue->ended;
  queue->ended = NULL;
  queue->ended_last = &queue->ended;
  queue->is_posted = false;
  pthread_mutex_unlock(&queue->mutex);
  return ended;
}

static void report(queue_job_t *job) {
  while (job != NULL) {
    queue_job_t *next = job->next;
    job->done(job);
    job = next;
  }
}

static void release(job_queue_t *queue) {
  pthread_cond_destroy(&queue->wake);
  pthread_mutex_destroy(&queue->mutex);
  free(queue);
}

static void deliver(void *context) {
  job_queue_t *queue = context;
  if (queue->is_destroyed) {
    release(queue);
    return;
  }
  report(take_ended(queue));
}

// --- Under the mutex ---

static int32_t running_of(const job_queue_t *queue, const void *owner) {
  int32_t count = 0;
  for (int32_t i = 0; i < queue->running_count && owner != NULL; i++) {
    count += queue->running[i] == owner;
  }
  return count;
}

static int32_t waiting_of(const job_queue_t *queue, const void *owner) {
  int32_t count = 0;
  for (const queue_job_t *job = queue->first; job != NULL; job = job->next) {
    count += job->owner == owner;
  }
  return count;
}

// The link to the job that is next; NULL: none may run now.
static queue_job_t **find_next(job_queue_t *queue) {
  const int32_t most = queue->thread_count > 1 ? queue->thread_count - 1 : 1;
  queue_job_t **best = NULL;
  int32_t fewest = most;
  for (queue_job_t **at = &queue->first; *at != NULL; at = &(*at)->next) {
    const int32_t running = running_of(queue, (*at)->owner);
    if (running < fewest) {
      best = at;
      fewest = running;
    }
  }
  return best;
}

static void unlink_job(job_queue_t *queue, queue_job_t **at) {
  *at = (*at)->next;
  if (*at == NULL) {
    queue->last = at;
  }
  queue->count--;
}

static void end_job(job_queue_t *queue, queue_job_t *job) {
  int32_t at = 0;
  while (queue->running[at] != job->owner) {
    at++;
  }
  queue->running[at] = queue->running[--queue->running_count];
  job->next = NULL;
  *queue->ended_last = job;
  queue->ended_last = &job->next;
  if (!queue->is_posted) {
    queue->is_posted = true;
    rpc_loop_post(queue->loop, deliver, queue);
  }
  pthread_cond_broadcast(&queue->wake);  // Its owner may have another now.
}

// --- The threads ---

static void *queue_thread(void *context) {
  job_queue_t *queue = context;
  pthread_mutex_lock(&queue->mutex);
  while (!queue->is_ending) {
    queue_job_t **at = find_next(queue);
    if (at == NULL) {
      pthread_cond_wait(&queue->wake, &queue->mutex);
      continue;
    }
    queue_job_t *job = *at;
    unlink_job(queue, at);
    queue->running[queue->running_count++] = job->owner;
    pthread_mutex_unlock(&queue->mutex);
    job->run(job);
    pthread_mutex_lock(&queue->mutex);
    end_job(queue, job);
  }
  pthread_mutex_unlock(&queue->mutex);
  return NULL;
}

static void join_threads(job_queue_t *queue) {
  pthread_mutex_lock(&queue->mutex);
  queue->is_ending = true;
  pthread_cond_broadcast(&queue->wake);
  pthread_mutex_unlock(&queue->mutex);
  for (int32_t i = 0; i < queue->started_count; i++) {
    pthread_join(queue->threads[i], NULL);
  }
}

static int start_threads(job_queue_t *queue) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  int error = 0;
  for (int32_t i = 0; i < queue->thread_count && error == 0; i++) {
    error = pthread_create(&queue->threads[i], &attributes, queue_thread, queue);
    queue->started_count += error == 0;
  }
  pthread_attr_destroy(&attributes);
  return error;
}

pod_status_t job_queue_create(rpc_loop_t *loop, const char *what, int32_t thread_count,
                              job_queue_t **out_queue) {
  POD_CHECK(thread_count >= 1 && thread_count <= JOB_QUEUE_THREADS_MAX);
  job_queue_t *queue = pod_alloc(sizeof(*queue));
  queue->loop = loop;
  queue->what = what;
  queue->last = &queue->first;
  queue->ended_last = &queue->ended;
  pthread_mutex_init(&queue->mutex, NULL);
  pthread_cond_init(&queue->wake, NULL);
  queue->thread_count = thread_count;
  const int error = start_threads(queue);
  if (error != 0) {
    join_threads(queue);
    release(queue);
    return pod_error(POD_RESOURCE_EXHAUSTED, "cannot start a thread of %s: %s", what,
                     strerror(error));
  }
  *out_queue = queue;
  return NULL;
}

void job_queue_destroy(job_queue_t *queue) {
  if (queue == NULL) {
    return;
  }
  join_threads(queue);
  const bool is_posted = queue->is_posted;
  report(take_ended(queue));
  report(queue->first);
  queue->is_destroyed = true;
  if (!is_posted) {
    release(queue);
  }
}

static pod_status_t check_room(const job_queue_t *queue, const queue_job_t *job) {
  if (queue->count >= JOB_QUEUE_MAX) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "%d %s wait already: try again later",
                     JOB_QUEUE_MAX, queue->what);
  }
  if (job->owner != NULL && waiting_of(queue, job->owner) >= JOB_QUEUE_MAX / 2) {
    return pod_error(POD_RESOURCE_EXHAUSTED,
                     "%d %s of this session wait already: try again later",
                     JOB_QUEUE_MAX / 2, queue->what);
  }
  return NULL;
}

pod_status_t job_queue_add(job_queue_t *queue, queue_job_t *job) {
  pthread_mutex_lock(&queue->mutex);
  const pod_status_t status = check_room(queue, job);
  if (status == NULL) {
    job->next = NULL;
    job->queue = queue;
    *queue->last = job;
    queue->last = &job->next;
    queue->count++;
    pthread_cond_signal(&queue->wake);
  }
  pthread_mutex_unlock(&queue->mutex);
  return status;
}

bool job_queue_is_running(job_queue_t *queue) {
  pthread_mutex_lock(&queue->mutex);
  const bool is_running = queue->running_count > 0;
  pthread_mutex_unlock(&queue->mutex);
  return is_running;
}

int32_t job_queue_waiting(job_queue_t *queue) {
  pthread_mutex_lock(&queue->mutex);
  const int32_t count = queue->count;
  pthread_mutex_unlock(&queue->mutex);
  return count;
}

bool job_queue_remove(job_queue_t *queue, queue_job_t *job) {
  bool is_removed = false;
  pthread_mutex_lock(&queue->mutex);
  for (queue_job_t **at = &queue->first; *at != NULL; at = &(*at)->next) {
    if (*at == job) {
      unlink_job(queue, at);
      is_removed = true;
      break;
    }
  }
  pthread_mutex_unlock(&queue->mutex);
  return is_removed;
}
