// A work queue with a turn that is handed on: a mutex, a condition variable for each
// thread, and results posted to the event loop. A job that goes on after a pause stands
// in the queue like any other; whoever comes upon it there hands its thread the turn.

#include "server/worker/compute.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/check.h"
#include "common/base/memory.h"

typedef struct compute_thread_t {
  compute_t *compute;
  int index;
  pthread_t thread;
  pthread_cond_t wake;
  bool is_idle, has_job;
} compute_thread_t;

struct compute_t {
  rpc_loop_t *loop;
  const char *name;
  int32_t open_count;  // Jobs posted and not done. Loop thread.
  int thread_count;    // Likewise.
  compute_thread_t threads[COMPUTE_THREADS_MAX];
  pthread_mutex_t mutex;  // Guards what follows, and what each thread has.
  compute_job_t *first, **last;
  bool has_turn;  // Somebody.
  int parked_count;
  bool stopping;
};

static void report_done(void *context) {
  compute_job_t *job = context;
  job->compute->open_count--;
  job->done(job);
}

static void report_parked(void *context) {
  compute_job_t *job = context;
  job->parked(job);
}

// --- With the mutex ---

static void append(compute_t *compute, compute_job_t *job) {
  job->next = NULL;
  *compute->last = job;
  compute->last = &job->next;
}

static bool take_out(compute_t *compute, const compute_job_t *job) {
  compute_job_t **at = &compute->first;
  while (*at != NULL && *at != job) {
    at = &(*at)->next;
  }
  if (*at == NULL) {
    return false;
  }
  *at = job->next;
  if (*at == NULL) {
    compute->last = at;
  }
  return true;
}

// The lowest one: its memory is the warmest.
static void call_idle(compute_t *compute) {
  for (int i = 0; i < COMPUTE_THREADS_MAX; i++) {
    if (compute->threads[i].is_idle) {
      pthread_cond_signal(&compute->threads[i].wake);
      return;
    }
  }
}

static void let_go_on(compute_t *compute, compute_job_t *job) {
  job->may_go = true;
  pthread_cond_signal(&compute->threads[job->begun_on].wake);
}

// Takes the turn, and the job that it is for; NULL when none will come.
static compute_job_t *wait_for_job(compute_thread_t *thread) {
  compute_t *compute = thread->compute;
  for (;;) {
    thread->is_idle = true;
    while (compute->has_turn || (compute->first == NULL && !compute->stopping)) {
      if (compute->stopping && compute->first == NULL) {
        break;
      }
      pthread_cond_wait(&thread->wake, &compute->mutex);
    }
    thread->is_idle = false;
    compute_job_t *job = compute->first;
    if (job == NULL) {
      return NULL;
    }
    (void)take_out(compute, job);
    compute->has_turn = true;
    if (!job->is_parked) {
      return job;
    }
    let_go_on(compute, job);
  }
}

// --- The threads ---

static void *compute_main(void *context) {
  compute_thread_t *thread = context;
  compute_t *compute = thread->compute;
  pthread_mutex_lock(&compute->mutex);
  for (compute_job_t *job; (job = wait_for_job(thread)) != NULL;) {
    job->thread = job->begun_on = thread->index;
    thread->has_job = true;
    pthread_mutex_unlock(&compute->mutex);
    job->run(job);
    const bool had_turn = !job->is_loose;  // The job may be gone once that is told.
    rpc_loop_post(compute->loop, report_done, job);
    pthread_mutex_lock(&compute->mutex);
    thread->has_job = false;
    if (had_turn) {
      compute->has_turn = false;
    }
  }
  call_idle(compute);  // The next one ends, too.
  pthread_mutex_unlock(&compute->mutex);
  return NULL;
}

void compute_yield(compute_job_t *job) {
  compute_t *compute = job->compute;
  pthread_mutex_lock(&compute->mutex);
  job->is_parked = true;
  job->may_go = false;
  compute->parked_count++;
  compute->has_turn = false;
  if (compute->first != NULL) {
    call_idle(compute);
  }
  // With the mutex: nobody can have resumed it yet.
  rpc_loop_post(compute->loop, report_parked, job);
  while (!job->may_go) {
    pthread_cond_wait(&compute->threads[job->begun_on].wake, &compute->mutex);
  }
  job->is_parked = false;
  compute->parked_count--;
  pthread_mutex_unlock(&compute->mutex);
}

void compute_stand(compute_job_t *job, bool (*is_called)(const compute_job_t *job)) {
  compute_t *compute = job->compute;
  pthread_mutex_lock(&compute->mutex);
  while (!is_called(job)) {
    pthread_cond_wait(&compute->threads[job->begun_on].wake, &compute->mutex);
  }
  pthread_mutex_unlock(&compute->mutex);
}

void compute_nudge(compute_t *compute, compute_job_t *job) {
  pthread_mutex_lock(&compute->mutex);
  if (job->begun_on != COMPUTE_NO_THREAD) {
    pthread_cond_signal(&compute->threads[job->begun_on].wake);
  }
  pthread_mutex_unlock(&compute->mutex);
}

bool compute_is_free(compute_t *compute, int thread) {
  pthread_mutex_lock(&compute->mutex);
  const bool is_free = !compute->threads[thread].has_job;
  pthread_mutex_unlock(&compute->mutex);
  return is_free;
}

bool compute_has_parked(compute_t *compute) {
  pthread_mutex_lock(&compute->mutex);
  const bool has_any = compute->parked_count > 0;
  pthread_mutex_unlock(&compute->mutex);
  return has_any;
}

static pod_status_t start_thread(compute_t *compute) {
  compute_thread_t *thread = &compute->threads[compute->thread_count];
  thread->compute = compute;
  thread->index = compute->thread_count;
  POD_CHECK(pthread_cond_init(&thread->wake, NULL) == 0);
  const int error = pthread_create(&thread->thread, NULL, compute_main, thread);
  if (error != 0) {
    pthread_cond_destroy(&thread->wake);
    return pod_error(POD_INTERNAL, "cannot start the thread \"%s\": %s", compute->name,
                     strerror(error));
  }
  (void)pthread_setname_np(thread->thread, compute->name);
  compute->thread_count++;
  return NULL;
}

pod_status_t compute_make_threads(compute_t *compute, int count) {
  if (count > COMPUTE_THREADS_MAX) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "%d executions of a chip are under way",
                     count - 1);
  }
  while (compute->thread_count < count) {
    POD_TRY(start_thread(compute));
  }
  return NULL;
}

// --- The loop thread ---

pod_status_t compute_create(rpc_loop_t *loop, const char *name, compute_t **out_compute) {
  compute_t *compute = pod_alloc(sizeof(*compute));
  compute->loop = loop;
  compute->name = name;
  compute->last = &compute->first;
  POD_CHECK(pthread_mutex_init(&compute->mutex, NULL) == 0);
  const pod_status_t status = start_thread(compute);
  if (status != NULL) {
    pthread_mutex_destroy(&compute->mutex);
    free(compute);
    return status;
  }
  *out_compute = compute;
  return NULL;
}

void compute_post(compute_t *compute, compute_job_t *job) {
  job->compute = compute;
  job->begun_on = COMPUTE_NO_THREAD;
  job->is_parked = job->may_go = job->is_loose = false;
  compute->open_count++;
  pthread_mutex_lock(&compute->mutex);
  append(compute, job);
  if (!compute->has_turn) {
    call_idle(compute);
  }
  pthread_mutex_unlock(&compute->mutex);
}

bool compute_withdraw(compute_t *compute, compute_job_t *job) {
  pthread_mutex_lock(&compute->mutex);
  const bool is_out = take_out(compute, job);
  const bool is_parked = job->is_parked;
  pthread_mutex_unlock(&compute->mutex);
  compute->open_count -= is_out && !is_parked ? 1 : 0;
  return is_out;
}

void compute_resume(compute_t *compute, compute_job_t *job) {
  pthread_mutex_lock(&compute->mutex);
  POD_CHECK(job->is_parked);
  append(compute, job);
  if (!compute->has_turn) {
    call_idle(compute);
  }
  pthread_mutex_unlock(&compute->mutex);
}

void compute_release(compute_t *compute, compute_job_t *job) {
  pthread_mutex_lock(&compute->mutex);
  if (job->is_parked && !job->may_go) {
    (void)take_out(compute, job);
    job->is_loose = true;
    let_go_on(compute, job);
  }
  pthread_mutex_unlock(&compute->mutex);
}

int compute_thread_of(compute_t *compute, const compute_job_t *job) {
  pthread_mutex_lock(&compute->mutex);
  const int thread = job->begun_on;
  pthread_mutex_unlock(&compute->mutex);
  return thread;
}

bool compute_is_idle(const compute_t *compute) {
  return compute->open_count == 0;
}

int64_t compute_cpu_ns(const compute_t *compute, int thread) {
  clockid_t clock;
  struct timespec time;
  if (pthread_getcpuclockid(compute->threads[thread].thread, &clock) != 0 ||
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
  call_idle(compute);
  pthread_mutex_unlock(&compute->mutex);
  for (int i = 0; i < compute->thread_count; i++) {
    pthread_join(compute->threads[i].thread, NULL);
    pthread_cond_destroy(&compute->threads[i].wake);
  }
  pthread_mutex_destroy(&compute->mutex);
  free(compute);
}
