// The keeper of a node: one thread that asks for pipes, destroys them and watches their
// time. Nobody else does, so that nothing that waits for a carrier is waited for.

#include "common/base/clock.h"
#include "common/base/log.h"
#include "server/ici/node.h"

enum {
  // Before dialling again: the other side has something to close first, too.
  DIAL_PAUSE_MIN_MS = 5,
  DIAL_PAUSE_MAX_MS = 160,
  LOOK_MS = 1000,  // Between two looks when nobody calls.
};

static int64_t doubled(int64_t value, int times, int64_t limit) {
  for (; times > 0 && value < limit; times--) {
    value *= 2;
  }
  return value < limit ? value : limit;
}

void ici_keeper_call(ici_node_t *node) {
  pthread_mutex_lock(&node->lock);
  node->keeper_called = true;
  pthread_cond_signal(&node->keeper_wanted);
  pthread_mutex_unlock(&node->lock);
}

static void reopen(ici_link_t *link) {
  const pod_status_t status = ici_link_open(link);
  if (status == NULL) {
    return;
  }
  pod_log(POD_LOG_WARNING, "ici: %s; trying again", pod_status_message(status));
  pod_status_free(status);
  pthread_mutex_lock(&link->lock);
  link->until_ns = pod_clock_now_ns() + ICI_RETRY_MS * ICI_NS_PER_MS;
  pthread_mutex_unlock(&link->lock);
}

static void close_over(ici_link_t *link) {
  ici_link_close(link);
  pthread_mutex_lock(&link->lock);
  const int64_t pause_ms =
      link->listens ? 0 : doubled(DIAL_PAUSE_MIN_MS, link->failures, DIAL_PAUSE_MAX_MS);
  link->failures++;
  link->until_ns = pod_clock_now_ns() + pause_ms * ICI_NS_PER_MS;
  pthread_mutex_unlock(&link->lock);
}

// Does what is due for a link. Returns when to look again.
static int64_t tend(ici_link_t *link) {
  const int64_t gate_due_ns = ici_gate_tend(link);
  for (;;) {
    pthread_mutex_lock(&link->lock);
    const ici_phase_t phase = link->phase;
    const bool goes = atomic_load(&link->node->goes);
    const bool opens = phase == ICI_PHASE_CLOSED && !goes &&
                       (link->listens || link->dial_url[0] != '\0');
    // It was just asked for when the node was told to go.
    link->until_ns = phase == ICI_PHASE_WAITING && goes ? 0 : link->until_ns;
    const int64_t until_ns = link->until_ns;
    pthread_mutex_unlock(&link->lock);
    if (phase == ICI_PHASE_CLOSED && !opens) {
      return gate_due_ns;
    }
    if (phase == ICI_PHASE_OVER) {
      close_over(link);
    } else if (pod_clock_now_ns() < until_ns) {
      return until_ns < gate_due_ns ? until_ns : gate_due_ns;
    } else if (opens) {
      reopen(link);
    } else {
      ici_session_timeout(link);
    }
  }
}

static bool is_closed(ici_link_t *link) {
  pthread_mutex_lock(&link->lock);
  const bool is = link->phase == ICI_PHASE_CLOSED;
  pthread_mutex_unlock(&link->lock);
  return is && ici_gate_is_empty(link);
}

static void sleep_until(ici_node_t *node, int64_t due_ns) {
  pthread_mutex_lock(&node->lock);
  while (!node->keeper_called && pod_clock_now_ns() < due_ns) {
    pod_clock_cond_wait(&node->keeper_wanted, &node->lock, due_ns);
  }
  node->keeper_called = false;
  pthread_mutex_unlock(&node->lock);
}

void *ici_keeper_run(void *context) {
  ici_node_t *node = context;
  for (;;) {
    const bool goes = atomic_load(&node->goes);
    int64_t due_ns = pod_clock_now_ns() + LOOK_MS * ICI_NS_PER_MS;
    bool are_closed = true;
    for (int d = 0; d < TORUS_LINKS; d++) {
      ici_link_t *link = &node->links[d];
      if (link->peer >= 0) {
        const int64_t link_due_ns = tend(link);
        due_ns = link_due_ns < due_ns ? link_due_ns : due_ns;
        are_closed &= is_closed(link);
      }
    }
    if (goes && are_closed) {
      for (int d = 0; d < TORUS_LINKS; d++) {
        ici_link_shut(&node->links[d]);
      }
      return NULL;
    }
    sleep_until(node, due_ns);
  }
}
