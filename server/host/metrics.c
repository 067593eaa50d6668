// The supervisor's books and the daemons' /proc, read when somebody asks.

#include "server/host/metrics.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/access/place.h"
#include "common/base/memory.h"
#include "common/metrics/metrics.h"
#include "common/rpc/http.h"

typedef struct daemon_metrics_t {
  metric_t *is_up, *has_given_up, *starts, *resident;
} daemon_metrics_t;

struct host_metrics_t {
  const supervisor_t *supervisor;
  int32_t count;
  metrics_t *metrics;
  daemon_metrics_t *daemons;
  rpc_http_t *web;
  char *address;
};

static void add_daemon(host_metrics_t *metrics, int32_t index, const char *name) {
  char label[64];
  snprintf(label, sizeof(label), "%s-%" PRId32, name, index);
  daemon_metrics_t *daemon = &metrics->daemons[index];
  daemon->is_up = metrics_gauge(metrics->metrics, "podium_host_daemon_up",
                                "1 while the daemon runs.", METRIC_LABELS("of", label));
  daemon->has_given_up = metrics_gauge(metrics->metrics, "podium_host_daemon_given_up",
                                       "1 when the daemon is not started again.",
                                       METRIC_LABELS("of", label));
  daemon->starts = metrics_counter(metrics->metrics, "podium_host_daemon_starts_total",
                                   "Starts of the daemon, the first included.",
                                   METRIC_LABELS("of", label));
  daemon->resident =
      metrics_gauge(metrics->metrics, "podium_host_daemon_resident_memory_bytes",
                    "Memory of the daemon that is in RAM.", METRIC_LABELS("of", label));
}

static double resident_bytes(pid_t pid) {
  char path[64];
  unsigned long long pages = 0;
  snprintf(path, sizeof(path), "/proc/%d/statm", (int)pid);
  FILE *file = pid == 0 ? NULL : fopen(path, "re");
  if (file == NULL) {
    return 0;
  }
  char line[256], *end = NULL;
  if (fgets(line, sizeof(line), file) != NULL) {
    (void)strtoull(line, &end, 10);
    pages = strtoull(end, NULL, 10);
  }
  fclose(file);
  return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static void collect(void *context) {
  const host_metrics_t *metrics = context;
  for (int32_t i = 0; i < metrics->count; i++) {
    const daemon_metrics_t *daemon = &metrics->daemons[i];
    const pid_t pid = supervisor_pid(metrics->supervisor, i);
    metric_set(daemon->is_up, pid != 0);
    metric_set(daemon->has_given_up, supervisor_has_given_up(metrics->supervisor, i));
    metric_set(daemon->starts, supervisor_starts(metrics->supervisor, i));
    metric_set(daemon->resident, resident_bytes(pid));
  }
}

static void serve_text(rpc_http_exchange_t *exchange, const http_request_t *request,
                       void *context) {
  (void)request;
  pod_text_t body = {0};
  metrics_write(((host_metrics_t *)context)->metrics, &body);
  rpc_http_answer(exchange, &(http_answer_t){.content_type = METRICS_CONTENT_TYPE,
                                             .body = body.bytes,
                                             .body_bytes = body.length});
  pod_text_deinit(&body);
}

pod_status_t host_metrics_create(rpc_loop_t *loop, const char *address, bool is_insecure,
                                 const supervisor_t *supervisor, int32_t count,
                                 const char *name, host_metrics_t **out_metrics) {
  static const rpc_http_route_t routes[] = {{HTTP_GET, "/metrics", serve_text}, {0}};
  POD_TRY(access_check_metrics(address, is_insecure));
  host_metrics_t *metrics = pod_alloc(sizeof(*metrics));
  metrics->supervisor = supervisor;
  metrics->count = count;
  metrics->metrics = metrics_create();
  metrics->daemons = pod_alloc((size_t)count * sizeof(*metrics->daemons));
  for (int32_t i = 0; i < count; i++) {
    add_daemon(metrics, i, name);
  }
  metrics_add_process(metrics->metrics, "host", POD_VERSION);
  metrics_on_write(metrics->metrics, collect, metrics);
  const pod_status_t status = pod_status_context(
      rpc_http_listen(
          loop,
          &(rpc_http_options_t){.address = address, .routes = routes, .context = metrics},
          &metrics->web, &metrics->address),
      "--metrics-listen");
  if (status != NULL) {
    host_metrics_destroy(metrics);
    return status;
  }
  *out_metrics = metrics;
  return NULL;
}

void host_metrics_destroy(host_metrics_t *metrics) {
  if (metrics == NULL) {
    return;
  }
  rpc_http_destroy(metrics->web);
  metrics_destroy(metrics->metrics);
  free(metrics->daemons);
  free(metrics->address);
  free(metrics);
}

const char *host_metrics_address(const host_metrics_t *metrics) {
  return metrics->address;
}
