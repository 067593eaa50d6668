#include "server/ici/transport.h"

#include <nng/nng.h>
#include <nng/protocol/pair0/pair.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base/clock.h"
#include "common/base/memory.h"

enum { NS_PER_MS = 1000000 };

// Who looks last frees it.
typedef struct trial_t {
  pthread_mutex_t lock;
  pthread_cond_t ended;
  bool has_ended, is_left;
} trial_t;

static void free_trial(trial_t *trial) {
  pthread_cond_destroy(&trial->ended);
  pthread_mutex_destroy(&trial->lock);
  free(trial);
}

// Sockets that cannot be made say nothing of connections that cannot end.
static void connect_and_close(void) {
  static atomic_uint next;
  char url[64];
  snprintf(url, sizeof(url), "inproc://podium-trial-%u", atomic_fetch_add(&next, 1));
  nng_socket listener, dialer;
  if (nng_pair0_open(&listener) != 0) {
    return;
  }
  if (nng_pair0_open(&dialer) == 0) {
    if (nng_listen(listener, url, NULL, 0) == 0) {
      (void)nng_dial(dialer, url, NULL, 0);
    }
    nng_close(dialer);
  }
  nng_close(listener);
}

static void *run_trial(void *context) {
  trial_t *trial = context;
  connect_and_close();
  pthread_mutex_lock(&trial->lock);
  trial->has_ended = true;
  const bool is_left = trial->is_left;
  pthread_cond_signal(&trial->ended);
  pthread_mutex_unlock(&trial->lock);
  if (is_left) {
    free_trial(trial);
  }
  return NULL;
}

static bool wait_ended(trial_t *trial, int timeout_ms) {
  const int64_t until_ns = pod_clock_now_ns() + (int64_t)timeout_ms * NS_PER_MS;
  pthread_mutex_lock(&trial->lock);
  while (!trial->has_ended && pod_clock_now_ns() < until_ns) {
    pod_clock_cond_wait(&trial->ended, &trial->lock, until_ns);
  }
  const bool has_ended = trial->has_ended;
  trial->is_left = !has_ended;
  pthread_mutex_unlock(&trial->lock);
  return has_ended;
}

bool ici_transport_works(int timeout_ms) {
  trial_t *trial = pod_alloc(sizeof(*trial));
  pthread_mutex_init(&trial->lock, NULL);
  pod_clock_cond_init(&trial->ended);
  pthread_t thread;
  if (pthread_create(&thread, NULL, run_trial, trial) != 0) {
    free_trial(trial);
    return true;  // Nothing is known.
  }
  pthread_detach(thread);
  const bool works = wait_ended(trial, timeout_ms);
  if (works) {
    free_trial(trial);
  }
  return works;
}
