// What a daemon counts of itself, and the text in which Prometheus reads it (exposition
// format, version 0.0.4):
// https://prometheus.io/docs/instrumenting/exposition_formats/
//
// A family is a name with a help text and a type; its series differ by the values of
// their labels. Series are made at the start and kept as pointers; counting touches a
// number or two. What is cheaper looked up than kept (books, /proc) is set by collectors,
// which are called when the text is written.
//
// Names are Prometheus': podium_things_total for counters, base units (seconds, bytes) at
// the end, no unit prefixes.
//
// Cost: an add is one addition; an observation a look at METRICS_BUCKETS_MAX bounds at
// most. Neither allocates.
// Threading: one thread, the loop's.
// Ownership: series belong to the registry and live as long. Names and helps are
// borrowed for its life, labels are copied.
// Errors: none; two types or helps for one name are a bug.

#ifndef COMMON_METRICS_METRICS_H_
#define COMMON_METRICS_METRICS_H_

#include <stddef.h>
#include <stdint.h>

#include "common/base/text.h"

#define METRICS_CONTENT_TYPE "text/plain; version=0.0.4; charset=utf-8"

enum { METRICS_BUCKETS_MAX = 24 };

typedef struct metrics_t metrics_t;

// One series of a counter or a gauge.
typedef struct metric_t {
  double value;
} metric_t;

// One series of a histogram. A bucket counts what is at most its bound and over the one
// before.
typedef struct metric_histogram_t {
  const double *bounds;
  size_t bound_count;
  uint64_t counts[METRICS_BUCKETS_MAX + 1];  // The last: over all bounds.
  double sum;
} metric_histogram_t;

// Pairs of name and value with NULL behind them: METRIC_LABELS("code", "OK").
#define METRIC_LABELS(...) ((const char *const[]){__VA_ARGS__, NULL})

// Returns owned.
metrics_t *metrics_create(void);

// Accepts NULL.
void metrics_destroy(metrics_t *metrics);

// Adds a series; `labels` NULL: the family's only one.
metric_t *metrics_counter(metrics_t *metrics, const char *name, const char *help,
                          const char *const *labels);
metric_t *metrics_gauge(metrics_t *metrics, const char *name, const char *help,
                        const char *const *labels);

// `bounds` rise, and are borrowed for the life of the registry.
metric_histogram_t *metrics_histogram(metrics_t *metrics, const char *name,
                                      const char *help, const char *const *labels,
                                      const double *bounds, size_t bound_count);

// Called before each writing, in the order of their coming.
void metrics_on_write(metrics_t *metrics, void (*collect)(void *context), void *context);

// Zeroed memory that goes with the registry, for what a collector sets.
void *metrics_own(metrics_t *metrics, size_t size_bytes);

void metrics_write(metrics_t *metrics, pod_text_t *text);

static inline void metric_add(metric_t *metric, double by) {
  metric->value += by;
}

static inline void metric_set(metric_t *metric, double value) {
  metric->value = value;
}

void metric_observe(metric_histogram_t *histogram, double value);

// --- Bounds and series that all daemons have ---

// Seconds, from 100 µs to 1000 s; bytes, from 1 KiB to 64 GiB.
extern const double metric_bounds_seconds[];
extern const size_t metric_bounds_seconds_count;
extern const double metric_bounds_bytes[];
extern const size_t metric_bounds_bytes_count;

// The process figures that Prometheus' own clients have (process_resident_memory_bytes,
// process_open_fds, ...), podium_build_info{daemon,version} and the host's memory.
void metrics_add_process(metrics_t *metrics, const char *daemon, const char *version);

#endif  // COMMON_METRICS_METRICS_H_
