// The daemon's runner: each function is the one of ici.h that its contract names, with
// the node for a context.

#include "server/worker/collective_runner.h"

static pod_status_t run(void *context, const ici_collective_t *collective) {
  return ici_collective_run(context, collective);
}

static void begin_execution(void *context, uint64_t execution) {
  ici_node_begin(context, execution);
}

static void abort_execution(void *context, uint64_t execution, pod_status_t status) {
  ici_node_abort(context, execution, status);
}

static void wake(void *context) {
  ici_node_wake(context);
}

static void end_execution(void *context, uint64_t execution) {
  ici_node_end(context, execution);
}

collective_runner_t collective_runner_of_node(ici_node_t *node) {
  return (collective_runner_t){.run = run,
                               .begin = begin_execution,
                               .abort = abort_execution,
                               .wake = wake,
                               .end = end_execution,
                               .context = node};
}
