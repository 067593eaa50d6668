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
  pthread_t thread;
  pthread_mutex_t mutex;  // For what follows.
  pthread_cond_t wake;
  queue_job_t *first, **last;  // Waiting.
  int count;
  queue_job_t *ended, **ended_last;  // Have run; `done` is owed.
  bool is_posted;                    // deliver() is on its way.
  bool is_running;
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

static void *queue_thread(void *context) {
  job_queue_t *queue = context;
  pthread_mutex_lock(&queue->mutex);
  for (;;) {
    while (queue->first == NULL && !queue->is_ending) {
      pthread_cond_wait(&queue->wake, &queue->mutex);
    }
    if (queue->is_ending) {
      break;
    }
    queue_job_t *job = queue->first;
    queue->first = job->next;
    if (queue->first == NULL) {
      queue->last = &queue->first;
    }
    queue->count--;
    queue->is_running = true;
    pthread_mutex_unlock(&queue->mutex);
    job->run(job);
    pthread_mutex_lock(&queue->mutex);
    queue->is_running = false;
    job->next = NULL;
    *queue->ended_last = job;
    queue->ended_last = &job->next;
    if (!queue->is_posted) {
      queue->is_posted = true;
      rpc_loop_post(queue->loop, deliver, queue);
    }
  }
  pthread_mutex_unlock(&queue->mutex);
  return NULL;
}

pod_status_t job_queue_create(rpc_loop_t *loop, const char *what,
                              job_queue_t **out_queue) {
  job_queue_t *queue = pod_alloc(sizeof(*queue));
  queue->loop = loop;
  queue->what = what;
  queue->last = &queue->first;
  queue->ended_last = &queue->ended;
  pthread_mutex_init(&queue->mutex, NULL);
  pthread_cond_init(&queue->wake, NULL);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  const int error = pthread_create(&queue->thread, &attributes, queue_thread, queue);
  pthread_attr_destroy(&attributes);
  if (error != 0) {
    release(queue);
    return pod_error(POD_RESOURCE_EXHAUSTED, "cannot start the thread of %s: %s", what,
                     strerror(error));
  }
  *out_queue = queue;
  return NULL;
}

void job_queue_destroy(job_queue_t *queue) {
  if (queue == NULL) {
    return;
  }
  pthread_mutex_lock(&queue->mutex);
  queue->is_ending = true;
  pthread_cond_signal(&queue->wake);
  pthread_mutex_unlock(&queue->mutex);
  pthread_join(queue->thread, NULL);
  const bool is_posted = queue->is_posted;
  report(take_ended(queue));
  report(queue->first);
  queue->is_destroyed = true;
  if (!is_posted) {
    release(queue);
  }
}

pod_status_t job_queue_add(job_queue_t *queue, queue_job_t *job) {
  pthread_mutex_lock(&queue->mutex);
  const bool is_full = queue->count >= JOB_QUEUE_MAX;
  if (!is_full) {
    job->next = NULL;
    job->queue = queue;
    *queue->last = job;
    queue->last = &job->next;
    queue->count++;
    pthread_cond_signal(&queue->wake);
  }
  pthread_mutex_unlock(&queue->mutex);
  return is_full
             ? pod_error(POD_RESOURCE_EXHAUSTED, "%d %s wait already: try again later",
                         JOB_QUEUE_MAX, queue->what)
             : NULL;
}

bool job_queue_is_running(job_queue_t *queue) {
  pthread_mutex_lock(&queue->mutex);
  const bool is_running = queue->is_running;
  pthread_mutex_unlock(&queue->mutex);
  return is_running;
}

bool job_queue_remove(job_queue_t *queue, queue_job_t *job) {
  bool is_removed = false;
  pthread_mutex_lock(&queue->mutex);
  for (queue_job_t **at = &queue->first; *at != NULL; at = &(*at)->next) {
    if (*at == job) {
      *at = job->next;
      if (*at == NULL) {
        queue->last = at;
      }
      queue->count--;
      is_removed = true;
      break;
    }
  }
  pthread_mutex_unlock(&queue->mutex);
  return is_removed;
}
