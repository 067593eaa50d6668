// How an executor reaches the other chips: a few functions, so that it knows no socket.
// The daemon puts an ici_node_t behind it, tests what they like.
//
// Threading: `run` on the compute thread, the others on any.

#ifndef SERVER_WORKER_COLLECTIVE_RUNNER_H_
#define SERVER_WORKER_COLLECTIVE_RUNNER_H_

#include "server/ici/ici.h"

typedef struct collective_runner_t {
  // As ici_collective_run.
  pod_status_t (*run)(void *context, const ici_collective_t *collective);
  // As ici_node_begin.
  void (*begin)(void *context, uint64_t execution);
  // As ici_node_abort; takes `status`.
  void (*abort)(void *context, uint64_t execution, pod_status_t status);
  // As ici_node_wake. May be NULL.
  void (*wake)(void *context);
  // As ici_node_end.
  void (*end)(void *context, uint64_t execution);
  void *context;
} collective_runner_t;

// Over the links of `node`, which is borrowed.
collective_runner_t collective_runner_of_node(ici_node_t *node);

#endif  // SERVER_WORKER_COLLECTIVE_RUNNER_H_
