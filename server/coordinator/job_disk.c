// Two lists under one mutex: what is to be done, and what has been.

#include "server/coordinator/job_disk.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"

typedef struct work_list_t {
  disk_work_t *first, **last;
} work_list_t;

struct job_disk_t {
  rpc_loop_t *loop;
  pthread_t thread;
  pthread_mutex_t mutex;  // For what follows.
  pthread_cond_t wake, idle;
  work_list_t waiting, ended;
  bool is_running, is_ending, is_posted;
  bool is_destroyed;  // The loop's own: gone but for a delivery that is still posted.
};

static void clear(work_list_t *list) {
  list->first = NULL;
  list->last = &list->first;
}

static void append(work_list_t *list, disk_work_t *work) {
  work->next = NULL;
  *list->last = work;
  list->last = &work->next;
}

static disk_work_t *take_ended(job_disk_t *disk) {
  pthread_mutex_lock(&disk->mutex);
  disk_work_t *first = disk->ended.first;
  clear(&disk->ended);
  disk->is_posted = false;
  pthread_mutex_unlock(&disk->mutex);
  return first;
}

static void report(disk_work_t *work) {
  while (work != NULL) {
    disk_work_t *next = work->next;
    work->done(work);
    work = next;
  }
}

static void release(job_disk_t *disk) {
  pthread_cond_destroy(&disk->wake);
  pthread_cond_destroy(&disk->idle);
  pthread_mutex_destroy(&disk->mutex);
  free(disk);
}

static void deliver(void *context) {
  job_disk_t *disk = context;
  if (disk->is_destroyed) {
    release(disk);
    return;
  }
  report(take_ended(disk));
}

static void *work(void *context) {
  job_disk_t *disk = context;
  pthread_mutex_lock(&disk->mutex);
  for (;;) {
    while (disk->waiting.first == NULL && !disk->is_ending) {
      pthread_cond_wait(&disk->wake, &disk->mutex);
    }
    disk_work_t *next = disk->waiting.first;
    if (next == NULL) {
      break;
    }
    disk->waiting.first = next->next;
    if (next->next == NULL) {
      clear(&disk->waiting);
    }
    disk->is_running = true;
    pthread_mutex_unlock(&disk->mutex);
    next->run(next);
    pthread_mutex_lock(&disk->mutex);
    disk->is_running = false;
    append(&disk->ended, next);
    if (!disk->is_posted) {
      disk->is_posted = true;
      rpc_loop_post(disk->loop, deliver, disk);
    }
    pthread_cond_broadcast(&disk->idle);
  }
  pthread_mutex_unlock(&disk->mutex);
  return NULL;
}

pod_status_t job_disk_create(rpc_loop_t *loop, job_disk_t **out_disk) {
  job_disk_t *disk = pod_alloc(sizeof(*disk));
  disk->loop = loop;
  clear(&disk->waiting);
  clear(&disk->ended);
  POD_CHECK(pthread_mutex_init(&disk->mutex, NULL) == 0);
  POD_CHECK(pthread_cond_init(&disk->wake, NULL) == 0);
  POD_CHECK(pthread_cond_init(&disk->idle, NULL) == 0);
  const int error = pthread_create(&disk->thread, NULL, work, disk);
  if (error != 0) {
    release(disk);
    return pod_error(POD_RESOURCE_EXHAUSTED, "no thread for the jobs' disk: %s",
                     strerror(error));
  }
  *out_disk = disk;
  return NULL;
}

void job_disk_do(job_disk_t *disk, disk_work_t *work) {
  pthread_mutex_lock(&disk->mutex);
  append(&disk->waiting, work);
  pthread_cond_signal(&disk->wake);
  pthread_mutex_unlock(&disk->mutex);
}

// What `done` asks for is done too.
static bool drain(job_disk_t *disk) {
  pthread_mutex_lock(&disk->mutex);
  while (disk->waiting.first != NULL || disk->is_running) {
    pthread_cond_wait(&disk->idle, &disk->mutex);
  }
  disk_work_t *ended = disk->ended.first;
  clear(&disk->ended);
  pthread_mutex_unlock(&disk->mutex);
  report(ended);
  return ended != NULL;
}

void job_disk_destroy(job_disk_t *disk) {
  if (disk == NULL) {
    return;
  }
  while (drain(disk)) {
  }
  pthread_mutex_lock(&disk->mutex);
  disk->is_ending = true;
  pthread_cond_signal(&disk->wake);
  const bool is_posted = disk->is_posted;
  pthread_mutex_unlock(&disk->mutex);
  pthread_join(disk->thread, NULL);
  disk->is_destroyed = true;
  if (!is_posted) {
    release(disk);
  }
}
