// Families in the order of their coming, each with its series in theirs: the text is the
// same from one reading to the next but for the numbers.

#include "common/metrics/metrics.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/list.h"
#include "common/base/map.h"
#include "common/base/memory.h"

typedef enum metric_type_t {
  METRIC_COUNTER = 0,
  METRIC_GAUGE,
  METRIC_HISTOGRAM,
} metric_type_t;

typedef struct series_t {
  char *labels;  // "" or "a=\"b\",c=\"d\"".
  union {
    metric_t metric;
    metric_histogram_t histogram;
  } as;
} series_t;

typedef struct family_t {
  const char *name, *help;
  metric_type_t type;
  POD_LIST(series_t *) series;
} family_t;

typedef struct collector_t {
  void (*collect)(void *context);
  void *context;
} collector_t;

struct metrics_t {
  pod_map_t *families;  // By name.
  POD_LIST(collector_t) collectors;
  POD_LIST(void *) owned;
};

const double metric_bounds_seconds[] = {
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
    0.25,   0.5,     1,      2.5,   5,      10,    30,   60,    300,  1000};
const size_t metric_bounds_seconds_count = POD_COUNT_OF(metric_bounds_seconds);

const double metric_bounds_bytes[] = {
    1024.0,     16384.0,     262144.0,     1048576.0,    4194304.0,     16777216.0,
    67108864.0, 268435456.0, 1073741824.0, 4294967296.0, 17179869184.0, 68719476736.0,
};
const size_t metric_bounds_bytes_count = POD_COUNT_OF(metric_bounds_bytes);

metrics_t *metrics_create(void) {
  metrics_t *metrics = pod_alloc(sizeof(*metrics));
  metrics->families = pod_map_create();
  return metrics;
}

void metrics_destroy(metrics_t *metrics) {
  if (metrics == NULL) {
    return;
  }
  size_t position = 0;
  const char *name;
  void *value;
  while (pod_map_next(metrics->families, &position, &name, &value)) {
    family_t *family = value;
    for (int32_t i = 0; i < family->series.count; i++) {
      free(family->series.items[i]->labels);
      free(family->series.items[i]);
    }
    pod_list_deinit(&family->series);
    free(family);
  }
  pod_map_destroy(metrics->families);
  pod_list_deinit(&metrics->collectors);
  for (int32_t i = 0; i < metrics->owned.count; i++) {
    free(metrics->owned.items[i]);
  }
  pod_list_deinit(&metrics->owned);
  free(metrics);
}

// Backslash and newline, and in the values of labels the quote.
static void add_escaped(pod_text_t *text, const char *value, bool is_label) {
  for (; *value != '\0'; value++) {
    if (*value == '\n') {
      pod_text_add(text, "\\n");
    } else {
      if (*value == '\\' || (is_label && *value == '"')) {
        pod_text_add(text, "\\");
      }
      pod_text_add_bytes(text, value, 1);
    }
  }
}

static char *format_labels(const char *const *labels) {
  pod_text_t text = {0};
  for (; labels != NULL && labels[0] != NULL; labels += 2) {
    pod_text_printf(&text, "%s%s=\"", text.length > 0 ? "," : "", labels[0]);
    add_escaped(&text, labels[1], true);
    pod_text_add(&text, "\"");
  }
  return pod_text_take(&text);
}

static series_t *add_series(metrics_t *metrics, metric_type_t type, const char *name,
                            const char *help, const char *const *labels) {
  family_t *family = pod_map_get(metrics->families, name);
  if (family == NULL) {
    family = pod_alloc(sizeof(*family));
    *family = (family_t){.name = name, .help = help, .type = type};
    pod_map_put(metrics->families, name, family);
  }
  POD_CHECK(family->type == type && strcmp(family->help, help) == 0);
  series_t *series = pod_alloc(sizeof(*series));
  series->labels = format_labels(labels);
  *pod_list_add(&family->series) = series;
  return series;
}

metric_t *metrics_counter(metrics_t *metrics, const char *name, const char *help,
                          const char *const *labels) {
  return &add_series(metrics, METRIC_COUNTER, name, help, labels)->as.metric;
}

metric_t *metrics_gauge(metrics_t *metrics, const char *name, const char *help,
                        const char *const *labels) {
  return &add_series(metrics, METRIC_GAUGE, name, help, labels)->as.metric;
}

metric_histogram_t *metrics_histogram(metrics_t *metrics, const char *name,
                                      const char *help, const char *const *labels,
                                      const double *bounds, size_t bound_count) {
  POD_CHECK(bound_count <= METRICS_BUCKETS_MAX);
  metric_histogram_t *histogram =
      &add_series(metrics, METRIC_HISTOGRAM, name, help, labels)->as.histogram;
  histogram->bounds = bounds;
  histogram->bound_count = bound_count;
  return histogram;
}

void metrics_on_write(metrics_t *metrics, void (*collect)(void *context), void *context) {
  *pod_list_add(&metrics->collectors) = (collector_t){collect, context};
}

void *metrics_own(metrics_t *metrics, size_t size_bytes) {
  void *memory = pod_alloc(size_bytes);
  *pod_list_add(&metrics->owned) = memory;
  return memory;
}

void metric_observe(metric_histogram_t *histogram, double value) {
  size_t bucket = 0;
  while (bucket < histogram->bound_count && value > histogram->bounds[bucket]) {
    bucket++;
  }
  histogram->counts[bucket]++;
  histogram->sum += value;
}

// --- Writing ---

static void add_number(pod_text_t *text, double value) {
  static const double whole_max = 9007199254740992.0;  // 2^53.
  if (isnan(value)) {
    pod_text_add(text, "NaN");
  } else if (isinf(value)) {
    pod_text_add(text, value > 0 ? "+Inf" : "-Inf");
  } else if (value == floor(value) && fabs(value) <= whole_max) {
    pod_text_add_int(text, (int64_t)value);
  } else {
    pod_text_printf(text, "%.15g", value);
  }
}

static void write_sample(pod_text_t *text, const char *name, const char *suffix,
                         const char *labels, double value) {
  pod_text_add(text, name);
  pod_text_add(text, suffix);
  if (labels[0] != '\0') {
    pod_text_add(text, "{");
    pod_text_add(text, labels);
    pod_text_add(text, "}");
  }
  pod_text_add(text, " ");
  add_number(text, value);
  pod_text_add(text, "\n");
}

static void write_bucket(pod_text_t *text, const char *name, const char *labels,
                         double bound, double count) {
  pod_text_printf(text, "%s_bucket{%s%sle=\"", name, labels,
                  labels[0] == '\0' ? "" : ",");
  add_number(text, bound);
  pod_text_add(text, "\"} ");
  add_number(text, count);
  pod_text_add(text, "\n");
}

static void write_histogram(pod_text_t *text, const char *name, const series_t *series) {
  const metric_histogram_t *histogram = &series->as.histogram;
  double count = 0;
  for (size_t i = 0; i <= histogram->bound_count; i++) {
    count += (double)histogram->counts[i];
    const double bound = i < histogram->bound_count ? histogram->bounds[i] : INFINITY;
    write_bucket(text, name, series->labels, bound, count);
  }
  write_sample(text, name, "_sum", series->labels, histogram->sum);
  write_sample(text, name, "_count", series->labels, count);
}

static void write_family(pod_text_t *text, const family_t *family) {
  static const char *const types[] = {"counter", "gauge", "histogram"};
  pod_text_printf(text, "# HELP %s ", family->name);
  add_escaped(text, family->help, false);
  pod_text_printf(text, "\n# TYPE %s %s\n", family->name, types[family->type]);
  for (int32_t i = 0; i < family->series.count; i++) {
    const series_t *series = family->series.items[i];
    if (family->type == METRIC_HISTOGRAM) {
      write_histogram(text, family->name, series);
    } else {
      write_sample(text, family->name, "", series->labels, series->as.metric.value);
    }
  }
}

void metrics_write(metrics_t *metrics, pod_text_t *text) {
  for (int32_t i = 0; i < metrics->collectors.count; i++) {
    metrics->collectors.items[i].collect(metrics->collectors.items[i].context);
  }
  size_t position = 0;
  const char *name;
  void *family;
  while (pod_map_next(metrics->families, &position, &name, &family)) {
    write_family(text, family);
  }
}
