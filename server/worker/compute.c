// A work queue of one consumer: a mutex, a condition variable, and results posted to the
// event loop.

#include "server/worker/compute.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/check.h"
#include "common/base/memory.h"

struct compute_t {
  rpc_loop_t *loop;
  int32_t open_count;  // Jobs posted and not done. Loop thread.
  pthread_t thread;
  pthread_mutex_t mutex;  // Guards what follows.
  pthread_cond_t wake;
  compute_job_t *first, **last;
  bool stopping;
};

static void report_done(void *context) {
  compute_job_t *job = context;
  job->compute->open_count--;
  job->done(job);
}

// NULL when there is none and none will come.
static compute_job_t *wait_for_job(compute_t *compute) {
  pthread_mutex_lock(&compute->mutex);
  while (compute->first == NULL && !compute->stopping) {
    pthread_cond_wait(&compute->wake, &compute->mutex);
  }
  compute_job_t *job = compute->first;
  if (job != NULL) {
    compute->first = job->next;
    if (compute->first == NULL) {
      compute->last = &compute->first;
    }
  }
  pthread_mutex_unlock(&compute->mutex);
  return job;
}

static void *compute_main(void *context) {
  compute_t *compute = context;
  for (compute_job_t *job; (job = wait_for_job(compute)) != NULL;) {
    job->run(job);
    rpc_loop_post(compute->loop, report_done, job);
  }
  return NULL;
}

pod_status_t compute_create(rpc_loop_t *loop, const char *name, compute_t **out_compute) {
  compute_t *compute = pod_alloc(sizeof(*compute));
  compute->loop = loop;
  compute->last = &compute->first;
  POD_CHECK(pthread_mutex_init(&compute->mutex, NULL) == 0);
  POD_CHECK(pthread_cond_init(&compute->wake, NULL) == 0);
  const int error = pthread_create(&compute->thread, NULL, compute_main, compute);
  if (error != 0) {
    pthread_cond_destroy(&compute->wake);
    pthread_mutex_destroy(&compute->mutex);
    free(compute);
    return pod_error(POD_INTERNAL, "cannot start the thread \"%s\": %s", name,
                     strerror(error));
  }
  (void)pthread_setname_np(compute->thread, name);
  *out_compute = compute;
  return NULL;
}

void compute_post(compute_t *compute, compute_job_t *job) {
  job->next = NULL;
  job->compute = compute;
  compute->open_count++;
  pthread_mutex_lock(&compute->mutex);
  *compute->last = job;
  compute->last = &job->next;
  pthread_cond_signal(&compute->wake);
  pthread_mutex_unlock(&compute->mutex);
}

bool compute_is_idle(const compute_t *compute) {
  return compute->open_count == 0;
}

int64_t compute_cpu_ns(const compute_t *compute) {
  clockid_t clock;
  struct timespec time;
  if (pthread_getcpuclockid(compute->thread, &clock) != 0 ||
      clock_gettime(clock, &time) != 0) {
    return 0;
  }
  return (int64_t)time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

void compute_destroy(compute_t *compute) {
  if (compute == NULL) {
    return;
  }
  pthread_mutex_lock(&compute->mutex);
  compute->stopping = true;
  pthread_cond_signal(&compute->wake);
  pthread_mutex_unlock(&compute->mutex);
  pthread_join(compute->thread, NULL);
  pthread_cond_destroy(&compute->wake);
  pthread_mutex_destroy(&compute->mutex);
  free(compute);
}
