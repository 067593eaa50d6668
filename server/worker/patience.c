// A timer that compares the thread's clock with where it stood.

#include "server/worker/patience.h"

#include <stdbool.h>
#include <stdlib.h>

#include "common/base/clock.h"
#include "common/base/memory.h"

enum { LOOK_MS = 250 };

struct patience_t {
  const compute_t *compute;
  int thread;
  rpc_fn_t over;
  void *context;
  rpc_timer_t *timer;
  bool is_waiting;
  int64_t start_cpu_ns;         // When it began to wait.
  int64_t last_cpu_ns, ran_ns;  // When the thread was last seen to have run.
};

static int64_t cpu_of(const patience_t *patience) {
  return compute_cpu_ns(patience->compute, patience->thread);
}

static void look(void *context) {
  patience_t *patience = context;
  const int64_t now_ns = pod_clock_now_ns(), cpu_ns = cpu_of(patience);
  if (cpu_ns != patience->last_cpu_ns) {
    patience->last_cpu_ns = cpu_ns;
    patience->ran_ns = now_ns;
  }
  if (cpu_ns - patience->start_cpu_ns >= PATIENCE_CPU_NS ||
      now_ns - patience->ran_ns >= PATIENCE_ASLEEP_NS) {
    rpc_timer_stop(patience->timer);
    patience->over(patience->context);
  }
}

patience_t *patience_create(rpc_loop_t *loop, const compute_t *compute, int thread,
                            rpc_fn_t over, void *context) {
  patience_t *patience = pod_alloc(sizeof(*patience));
  *patience = (patience_t){
      .compute = compute, .thread = thread, .over = over, .context = context};
  patience->timer = rpc_timer_create(loop, look, patience);
  return patience;
}

void patience_start(patience_t *patience) {
  if (!patience->is_waiting) {
    patience->is_waiting = true;
    patience->ran_ns = pod_clock_now_ns();
    patience->start_cpu_ns = patience->last_cpu_ns = cpu_of(patience);
    rpc_timer_start(patience->timer, LOOK_MS, LOOK_MS);
  }
}

void patience_end(patience_t *patience) {
  if (patience != NULL && patience->is_waiting) {
    patience->is_waiting = false;
    rpc_timer_stop(patience->timer);
  }
}

void patience_destroy(patience_t *patience) {
  if (patience != NULL) {
    rpc_timer_destroy(patience->timer);
    free(patience);
  }
}
