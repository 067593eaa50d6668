// The hand-over of the watch. It is a lock with a note for the one who comes too late, as
// the "missed" bit of Linux's NAPI is; the sleeps are those of an event count. Every pair
// of "write, fence, read" here is one line of the table in watch.h.

#include "server/ici/watch.h"

#include "common/base/check.h"

enum {
  NS_PER_MS = 1000000,
  // How often who leaves looks before it lets the pump go on: somebody may send for ever.
  LAST_LOOKS_MAX = 16,
};

static void fence(void) {
  atomic_thread_fence(memory_order_seq_cst);
}

static int64_t shorter(int64_t a, int64_t b) {
  return a < b ? a : b;
}

void ici_watch_init(ici_watch_t *watch, ici_bell_t *bell) {
  *watch = (ici_watch_t){.bell = bell,
                         .nap_ns = (int64_t)ICI_NAP_MS * NS_PER_MS,
                         .pump_nap_ns = (int64_t)ICI_PUMP_NAP_MS * NS_PER_MS};
  POD_CHECK(pthread_mutex_init(&watch->held, NULL) == 0);
  atomic_store(&bell->state, ICI_BELL_IDLE);
}

void ici_watch_deinit(ici_watch_t *watch) {
  if (watch->bell != NULL) {
    pthread_mutex_destroy(&watch->held);
    watch->bell = NULL;
  }
}

void ici_watch_enter(ici_watch_t *watch) {
  atomic_store(&watch->run_wants, true);
  pthread_mutex_lock(&watch->held);
  atomic_store(&watch->run_wants, false);
  atomic_store(&watch->bell->state, ICI_BELL_POLLING);
}

void ici_watch_sleep(ici_watch_t *watch, ici_look_fn_t look, void *context,
                     int64_t timeout_ns) {
  ici_bell_t *bell = watch->bell;
  const uint32_t seen = atomic_load(&bell->run_word);
  atomic_store(&bell->state, ICI_BELL_ASLEEP);
  fence();
  if (!look(context)) {
    ici_bell_sleep(&bell->run_word, seen,
                   shorter(timeout_ns, atomic_load(&watch->nap_ns)));
  }
  atomic_store(&bell->state, ICI_BELL_POLLING);
}

void ici_watch_leave(ici_watch_t *watch, ici_look_fn_t look, void *context) {
  atomic_store(&watch->bell->state, ICI_BELL_IDLE);
  atomic_store(&watch->pump_missed, false);  // What it was called for is looked at now.
  fence();
  int looks = 0;
  while (looks < LAST_LOOKS_MAX && look(context)) {
    looks++;
  }
  pthread_mutex_unlock(&watch->held);
  fence();
  if (atomic_exchange(&watch->pump_missed, false) || looks == LAST_LOOKS_MAX) {
    ici_bell_call_pump(watch->bell);
  }
}

// False: the run has it, and calls the pump when it leaves.
static bool take(ici_watch_t *watch) {
  if (pthread_mutex_trylock(&watch->held) == 0) {
    return true;
  }
  atomic_store(&watch->pump_missed, true);
  fence();
  return pthread_mutex_trylock(&watch->held) == 0;
}

bool ici_watch_pump(ici_watch_t *watch, ici_look_fn_t look, void *context) {
  const uint32_t seen = atomic_load(&watch->bell->pump_word);
  if (take(watch)) {
    while (!atomic_load(&watch->run_wants) && !atomic_load(&watch->ends) &&
           look(context)) {
    }
    pthread_mutex_unlock(&watch->held);
  }
  if (atomic_load(&watch->ends)) {
    return false;
  }
  ici_bell_sleep(&watch->bell->pump_word, seen, atomic_load(&watch->pump_nap_ns));
  return true;
}

void ici_watch_end(ici_watch_t *watch) {
  atomic_store(&watch->ends, true);
  ici_bell_alarm(watch->bell);
}
