// What podium-host tells of its daemons at /metrics (README.md lists the series).
// Threading: the loop thread.

#ifndef SERVER_HOST_METRICS_H_
#define SERVER_HOST_METRICS_H_

#include <stdint.h>

#include "common/base/status.h"
#include "common/rpc/loop.h"
#include "server/host/supervisor.h"

typedef struct host_metrics_t host_metrics_t;

// Serves them at `address`, for this machine only unless `is_insecure`. The supervisor,
// with `count` daemons called `name` ("worker", "coordinator"), is borrowed for its life.
// Returns owned.
POD_MUST_USE pod_status_t host_metrics_create(rpc_loop_t *loop, const char *address,
                                              bool is_insecure,
                                              const supervisor_t *supervisor,
                                              int32_t count, const char *name,
                                              host_metrics_t **out_metrics);

// Accepts NULL.
void host_metrics_destroy(host_metrics_t *metrics);

// Borrowed.
const char *host_metrics_address(const host_metrics_t *metrics);

#endif  // SERVER_HOST_METRICS_H_
