// Operations are counted as they end; the rest is in the books and is read when somebody
// asks.

#include "server/coordinator/metrics.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "common/metrics/metrics.h"
#include "server/coordinator/coordinator_private.h"
#include "server/coordinator/jobs.h"

#define NS_PER_S 1e9

typedef struct operation_metrics_t {
  metric_t *started;
  metric_t *ended[POD_CODE_COUNT];
  metric_histogram_t *seconds;
  metric_histogram_t *bytes;  // NULL: none are moved.
} operation_metrics_t;

struct coordinator_metrics_t {
  coordinator_t *coordinator;
  metrics_t *metrics;
  operation_metrics_t operations[OPERATION_COUNT];
  metric_t *waiting, *running, *paused, *sessions, *is_ready;
  metric_t *chips[PLACE_STATE_COUNT];
  metric_t **hbm_used;    // By chip.
  metric_t **link_bytes;  // By chip and direction; NULL where there is no link.
  metric_t *page_readers, *page_seconds;
  metric_t *links, *links_up;
  metric_t *joins, *losses, *refused_workers;
  metric_t *accepted, *refused, *evicted, *open, *auth_failures[2];
  metric_t *calls[POD_CODE_COUNT];
  metric_t *jobs[JOB_STATE_COUNT], *jobs_ended[JOB_STATE_COUNT];
  metric_histogram_t *job_waits, *job_runs;
};

static const char *const operation_names[OPERATION_COUNT] = {
    [OPERATION_EXECUTE] = "execute", [OPERATION_COMPILE] = "compile",
    [OPERATION_PUT] = "put",         [OPERATION_FETCH] = "fetch",
    [OPERATION_PROFILE] = "profile", [OPERATION_SIMULATE] = "simulate"};

static const char *const place_names[PLACE_STATE_COUNT] = {[PLACE_MISSING] = "missing",
                                                           [PLACE_JOINING] = "joining",
                                                           [PLACE_READY] = "ready",
                                                           [PLACE_DRAINING] = "draining",
                                                           [PLACE_LOST] = "lost"};

static void add_operation(coordinator_metrics_t *metrics,
                          coordinator_operation_t operation) {
  operation_metrics_t *series = &metrics->operations[operation];
  const char *name = operation_names[operation];
  series->started =
      metrics_counter(metrics->metrics, "podium_operations_started_total",
                      "What clients have asked for.", METRIC_LABELS("operation", name));
  for (int code = 0; code < POD_CODE_COUNT; code++) {
    series->ended[code] = metrics_counter(
        metrics->metrics, "podium_operations_ended_total",
        "What clients have asked for and has ended, by gRPC's code.",
        METRIC_LABELS("operation", name, "code", pod_code_name((pod_code_t)code)));
  }
  series->seconds = metrics_histogram(
      metrics->metrics, "podium_operation_seconds",
      "From the client's first message to the answer, waiting included.",
      METRIC_LABELS("operation", name), metric_bounds_seconds,
      metric_bounds_seconds_count);
  if (operation == OPERATION_PUT || operation == OPERATION_FETCH) {
    series->bytes = metrics_histogram(
        metrics->metrics, "podium_operation_bytes", "Of arrays that were put or fetched.",
        METRIC_LABELS("operation", name), metric_bounds_bytes, metric_bounds_bytes_count);
  }
}

static void add_links(coordinator_metrics_t *metrics, const places_t *places) {
  static const char *const directions[TORUS_LINKS] = {
      "+x", "-x", "+y", "-y", "+z", "-z", "+slice", "-slice", "+core", "-core"};
  metrics->link_bytes =
      pod_alloc((size_t)places->count * TORUS_LINKS * sizeof(metric_t *));
  for (int32_t i = 0; i < places->count * TORUS_LINKS; i++) {
    const int32_t chip = i / TORUS_LINKS, direction = i % TORUS_LINKS;
    char name[16];
    snprintf(name, sizeof(name), "%" PRId32, chip);
    if (places->at[chip].links[direction].neighbour >= 0) {
      metrics->link_bytes[i] = metrics_counter(
          metrics->metrics, "podium_link_bytes_total",
          "Sent by the chip over its link in that direction, what it "
          "passed on for others included, by its heartbeats.",
          METRIC_LABELS("chip", name, "direction", directions[direction]));
    }
  }
}

static void add_page(coordinator_metrics_t *metrics) {
  metrics->page_readers = metrics_gauge(metrics->metrics, "podium_page_readers",
                                        "Browsers that look at the page.", NULL);
  metrics->page_seconds =
      metrics_gauge(metrics->metrics, "podium_page_look_seconds_max",
                    "The longest that the books were looked at for the page.", NULL);
}

static void add_chips(coordinator_metrics_t *metrics) {
  const coordinator_t *coordinator = metrics->coordinator;
  const places_t *places = registry_places(coordinator->registry);
  for (int state = 0; state < PLACE_STATE_COUNT; state++) {
    metrics->chips[state] =
        metrics_gauge(metrics->metrics, "podium_chips", "Chips of the pod by state.",
                      METRIC_LABELS("state", place_names[state]));
  }
  metrics->is_ready =
      metrics_gauge(metrics->metrics, "podium_pod_ready",
                    "1 when all chips are there and all links are up.", NULL);
  metrics->links = metrics_gauge(metrics->metrics, "podium_links",
                                 "Links of the torus, each between two chips.", NULL);
  metrics->links_up = metrics_gauge(metrics->metrics, "podium_links_up",
                                    "Links that are up at both ends.", NULL);
  metrics->hbm_used = pod_alloc((size_t)places->count * sizeof(metric_t *));
  for (int32_t chip = 0; chip < places->count; chip++) {
    char name[16];
    snprintf(name, sizeof(name), "%" PRId32, chip);
    metrics->hbm_used[chip] = metrics_gauge(
        metrics->metrics, "podium_chip_hbm_used_bytes",
        "HBM in use, by the chip's last heartbeat.", METRIC_LABELS("chip", name));
  }
  add_links(metrics, places);
  const int64_t hbm_bytes = coordinator->options.hbm_bytes > 0
                                ? coordinator->options.hbm_bytes
                                : chip_spec_hbm_usable_bytes(coordinator->options.spec);
  metric_set(metrics_gauge(metrics->metrics, "podium_chip_hbm_bytes",
                           "HBM that each chip has.", NULL),
             (double)hbm_bytes);
  metrics->joins = metrics_counter(metrics->metrics, "podium_worker_joins_total",
                                   "Workers that were given a place.", NULL);
  metrics->losses = metrics_counter(metrics->metrics, "podium_worker_losses_total",
                                    "Workers that left their place or were lost.", NULL);
  metrics->refused_workers =
      metrics_counter(metrics->metrics, "podium_worker_refusals_total",
                      "Workers that were refused a place.", NULL);
}

static void add_clients(coordinator_metrics_t *metrics) {
  metrics->waiting = metrics_gauge(metrics->metrics, "podium_executions_waiting",
                                   "Executions in the queues of their sessions.", NULL);
  metrics->running = metrics_gauge(metrics->metrics, "podium_executions_running",
                                   "Executions that the chips have been given.", NULL);
  metrics->paused = metrics_gauge(metrics->metrics, "podium_executions_paused",
                                  "Of these, paused for others.", NULL);
  metrics->sessions =
      metrics_gauge(metrics->metrics, "podium_sessions", "Sessions that are open.", NULL);
  metrics->open = metrics_gauge(metrics->metrics, "podium_connections",
                                "Connections to the coordinator's port.", NULL);
  metrics->accepted = metrics_counter(
      metrics->metrics, "podium_connections_accepted_total", "Connections let in.", NULL);
  metrics->refused =
      metrics_counter(metrics->metrics, "podium_connections_refused_total",
                      "Connections turned away, because all places were taken.", NULL);
  metrics->evicted = metrics_counter(
      metrics->metrics, "podium_connections_evicted_total",
      "Connections closed because they did nothing and others came.", NULL);
  static const char *const codes[] = {"UNAUTHENTICATED", "PERMISSION_DENIED"};
  for (size_t i = 0; i < POD_COUNT_OF(codes); i++) {
    metrics->auth_failures[i] =
        metrics_counter(metrics->metrics, "podium_authentication_failures_total",
                        "Calls refused for who the caller is, or is not.",
                        METRIC_LABELS("code", codes[i]));
  }
  for (int code = 0; code < POD_CODE_COUNT; code++) {
    metrics->calls[code] =
        metrics_counter(metrics->metrics, "podium_calls_ended_total",
                        "gRPC calls that the coordinator has ended, by code.",
                        METRIC_LABELS("code", pod_code_name((pod_code_t)code)));
  }
}

static void add_jobs(coordinator_metrics_t *metrics) {
  for (int state = 0; state < JOB_STATE_COUNT; state++) {
    const char *name = job_state_name((job_state_t)state);
    metrics->jobs[state] =
        metrics_gauge(metrics->metrics, "podium_jobs", "Jobs that are kept, by state.",
                      METRIC_LABELS("state", name));
    if (job_state_is_end((job_state_t)state)) {
      metrics->jobs_ended[state] = metrics_counter(
          metrics->metrics, "podium_jobs_ended_total",
          "Jobs that have ended, by their last state.", METRIC_LABELS("state", name));
    }
  }
  metrics->job_waits =
      metrics_histogram(metrics->metrics, "podium_job_wait_seconds",
                        "From the submission of a job to the start of an attempt.", NULL,
                        metric_bounds_seconds, metric_bounds_seconds_count);
  metrics->job_runs =
      metrics_histogram(metrics->metrics, "podium_job_run_seconds",
                        "From the start of a job's last attempt to its end.", NULL,
                        metric_bounds_seconds, metric_bounds_seconds_count);
}

// --- From the books ---

static void collect_chips(const coordinator_metrics_t *metrics) {
  const places_t *places = registry_places(metrics->coordinator->registry);
  int32_t states[PLACE_STATE_COUNT] = {0};
  int64_t link_ends = 0, up_ends = 0;
  for (int32_t chip = 0; chip < places->count; chip++) {
    const place_t *place = &places->at[chip];
    int32_t links, up;
    places_count_links(places, chip, &links, &up);
    link_ends += links;
    up_ends += up;
    states[place_state(place)]++;
    metric_set(metrics->hbm_used[chip],
               place_is_taken(place) ? (double)place->hbm_used_bytes : 0);
    for (int d = 0; d < TORUS_LINKS; d++) {
      metric_t *bytes = metrics->link_bytes[chip * TORUS_LINKS + d];
      if (bytes != NULL) {
        metric_set(bytes, (double)place->traffic.sent_bytes[d]);
      }
    }
  }
  for (int state = 0; state < PLACE_STATE_COUNT; state++) {
    metric_set(metrics->chips[state], states[state]);
  }
  metric_set(metrics->links, (double)link_ends / 2);
  metric_set(metrics->links_up, (double)up_ends / 2);
  metric_set(metrics->is_ready, places_are_ready(places));
  const registry_counts_t counts = registry_counts(metrics->coordinator->registry);
  metric_set(metrics->joins, (double)counts.joins);
  metric_set(metrics->losses, (double)counts.losses);
  metric_set(metrics->refused_workers, (double)counts.refusals);
}

static void collect(void *context) {
  const coordinator_metrics_t *metrics = context;
  const coordinator_t *coordinator = metrics->coordinator;
  collect_chips(metrics);
  if (coordinator->page != NULL) {
    const page_figures_t page = page_figures(coordinator->page);
    metric_set(metrics->page_readers, page.readers);
    metric_set(metrics->page_seconds, page.longest_s);
  }
  metric_set(metrics->waiting, (double)executions_count_waiting(coordinator));
  metric_set(metrics->running, coordinator->running_count);
  metric_set(metrics->paused, coordinator->paused_count);
  metric_set(metrics->sessions, store_session_count(coordinator->store));
  int64_t jobs[JOB_STATE_COUNT];
  jobs_count(coordinator->jobs, jobs);
  for (int state = 0; state < JOB_STATE_COUNT; state++) {
    metric_set(metrics->jobs[state], (double)jobs[state]);
  }
  const rpc_server_counts_t counts = rpc_server_counts(coordinator->server);
  metric_set(metrics->open, (double)counts.open);
  metric_set(metrics->accepted, (double)counts.accepted);
  metric_set(metrics->refused, (double)counts.refused);
  metric_set(metrics->evicted, (double)counts.evicted);
  metric_set(metrics->auth_failures[0], (double)counts.unauthorized[POD_UNAUTHENTICATED]);
  metric_set(metrics->auth_failures[1],
             (double)counts.unauthorized[POD_PERMISSION_DENIED]);
  for (int code = 0; code < POD_CODE_COUNT; code++) {
    metric_set(metrics->calls[code], (double)counts.ended[code]);
  }
}

// --- Life ---

coordinator_metrics_t *coordinator_metrics_create(coordinator_t *coordinator) {
  coordinator_metrics_t *metrics = pod_alloc(sizeof(*metrics));
  metrics->coordinator = coordinator;
  metrics->metrics = metrics_create();
  for (int operation = OPERATION_OTHER + 1; operation < OPERATION_COUNT; operation++) {
    add_operation(metrics, (coordinator_operation_t)operation);
  }
  add_clients(metrics);
  add_chips(metrics);
  add_jobs(metrics);
  add_page(metrics);
  metrics_add_process(metrics->metrics, "coordinator", PODIUM_VERSION);
  metrics_on_write(metrics->metrics, collect, metrics);
  return metrics;
}

void coordinator_metrics_destroy(coordinator_metrics_t *metrics) {
  if (metrics == NULL) {
    return;
  }
  metrics_destroy(metrics->metrics);
  free(metrics->hbm_used);
  free(metrics->link_bytes);
  free(metrics);
}

void coordinator_metrics_started(coordinator_metrics_t *metrics,
                                 coordinator_operation_t operation) {
  if (operation != OPERATION_OTHER) {
    metric_add(metrics->operations[operation].started, 1);
  }
}

void coordinator_metrics_job_started(coordinator_metrics_t *metrics, int64_t waited_us) {
  metric_observe(metrics->job_waits, (double)waited_us / 1e6);
}

void coordinator_metrics_job_ended(coordinator_metrics_t *metrics, int state,
                                   int64_t ran_us) {
  metric_add(metrics->jobs_ended[state], 1);
  if (ran_us >= 0) {
    metric_observe(metrics->job_runs, (double)ran_us / 1e6);
  }
}

void coordinator_metrics_ended(coordinator_metrics_t *metrics,
                               coordinator_operation_t operation, pod_code_t code,
                               int64_t took_ns, int64_t size_bytes) {
  if (operation == OPERATION_OTHER) {
    return;
  }
  const operation_metrics_t *series = &metrics->operations[operation];
  const bool is_known = (unsigned)code < (unsigned)POD_CODE_COUNT;
  metric_add(series->ended[is_known ? code : POD_UNKNOWN], 1);
  metric_observe(series->seconds, (double)took_ns / NS_PER_S);
  if (series->bytes != NULL && code == POD_OK) {
    metric_observe(series->bytes, (double)size_bytes);
  }
}

coordinator_ended_t coordinator_metrics_count(const coordinator_metrics_t *metrics,
                                              coordinator_operation_t operation) {
  const operation_metrics_t *series = &metrics->operations[operation];
  coordinator_ended_t count = {.well = (int64_t)series->ended[POD_OK]->value};
  for (int code = POD_OK + 1; code < POD_CODE_COUNT; code++) {
    count.failed += (int64_t)series->ended[code]->value;
  }
  count.bytes = series->bytes == NULL ? 0 : (int64_t)series->bytes->sum;
  return count;
}

void coordinator_metrics_write(coordinator_metrics_t *metrics, pod_text_t *text) {
  metrics_write(metrics->metrics, text);
}
