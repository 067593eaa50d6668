// What Prometheus reads.

#include "common/metrics/metrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void check_text(metrics_t *metrics, const char *expected) {
  pod_text_t text = {0};
  metrics_write(metrics, &text);
  assert_string_equal(text.bytes, expected);
  pod_text_deinit(&text);
}

static void test_series_of_a_family_stand_together(void **state) {
  (void)state;
  metrics_t *metrics = metrics_create();
  metric_t *ok = metrics_counter(metrics, "podium_ends_total", "Ends.",
                                 METRIC_LABELS("kind", "put", "code", "OK"));
  metric_t *sessions = metrics_gauge(metrics, "podium_sessions", "Sessions.", NULL);
  metric_t *lost = metrics_counter(metrics, "podium_ends_total", "Ends.",
                                   METRIC_LABELS("kind", "put", "code", "DATA_LOSS"));
  metric_add(ok, 1);
  metric_add(ok, 2);
  metric_add(lost, 0.25);
  metric_set(sessions, -7);
  check_text(metrics,
             "# HELP podium_ends_total Ends.\n"
             "# TYPE podium_ends_total counter\n"
             "podium_ends_total{kind=\"put\",code=\"OK\"} 3\n"
             "podium_ends_total{kind=\"put\",code=\"DATA_LOSS\"} 0.25\n"
             "# HELP podium_sessions Sessions.\n"
             "# TYPE podium_sessions gauge\n"
             "podium_sessions -7\n");
  metrics_destroy(metrics);
}

static void test_buckets_are_cumulative_and_end_with_infinity(void **state) {
  (void)state;
  static const double bounds[] = {0.5, 1};
  metrics_t *metrics = metrics_create();
  metric_histogram_t *plain =
      metrics_histogram(metrics, "a_seconds", "A.", NULL, bounds, 2);
  metric_observe(plain, 0.5);  // A bound belongs to its bucket.
  metric_observe(plain, 0.75);
  metric_observe(plain, 8);
  metric_histogram_t *labelled =
      metrics_histogram(metrics, "b_seconds", "B.", METRIC_LABELS("x", "y"), bounds, 1);
  metric_observe(labelled, 0);
  check_text(metrics,
             "# HELP a_seconds A.\n"
             "# TYPE a_seconds histogram\n"
             "a_seconds_bucket{le=\"0.5\"} 1\n"
             "a_seconds_bucket{le=\"1\"} 2\n"
             "a_seconds_bucket{le=\"+Inf\"} 3\n"
             "a_seconds_sum 9.25\n"
             "a_seconds_count 3\n"
             "# HELP b_seconds B.\n"
             "# TYPE b_seconds histogram\n"
             "b_seconds_bucket{x=\"y\",le=\"0.5\"} 1\n"
             "b_seconds_bucket{x=\"y\",le=\"+Inf\"} 1\n"
             "b_seconds_sum{x=\"y\"} 0\n"
             "b_seconds_count{x=\"y\"} 1\n");
  metrics_destroy(metrics);
}

static void test_labels_and_helps_are_escaped(void **state) {
  (void)state;
  metrics_t *metrics = metrics_create();
  metrics_gauge(metrics, "g", "a \"b\"\\\nc", METRIC_LABELS("l", "a \"b\"\\\nc"));
  check_text(metrics,
             "# HELP g a \"b\"\\\\\\nc\n"
             "# TYPE g gauge\n"
             "g{l=\"a \\\"b\\\"\\\\\\nc\"} 0\n");
  metrics_destroy(metrics);
}

static void set_to_five(void *context) {
  metric_set(context, 5);
}

static void test_collectors_run_before_each_writing(void **state) {
  (void)state;
  metrics_t *metrics = metrics_create();
  metric_t *gauge = metrics_gauge(metrics, "g", "G.", NULL);
  metrics_on_write(metrics, set_to_five, gauge);
  check_text(metrics, "# HELP g G.\n# TYPE g gauge\ng 5\n");
  metrics_destroy(metrics);
}

static void test_a_process_has_the_figures_of_prometheus_own_clients(void **state) {
  (void)state;
  static const char *const wanted[] = {
      "\npodium_build_info{daemon=\"test\",version=\"1.2\"} 1\n",
      "\nprocess_start_time_seconds 1",
      "\nprocess_resident_memory_bytes ",
      "\nprocess_open_fds ",
      "\nprocess_cpu_seconds_total ",
      "\nprocess_max_fds ",
      "\npodium_host_memory_available_bytes "};
  metrics_t *metrics = metrics_create();
  metrics_add_process(metrics, "test", "1.2");
  pod_text_t text = {0};
  metrics_write(metrics, &text);
  for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
    assert_non_null(strstr(text.bytes, wanted[i]));
  }
  assert_null(strstr(text.bytes, "process_resident_memory_bytes 0\n"));
  assert_null(strstr(text.bytes, "process_open_fds 0\n"));
  pod_text_deinit(&text);
  metrics_destroy(metrics);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_series_of_a_family_stand_together),
      cmocka_unit_test(test_buckets_are_cumulative_and_end_with_infinity),
      cmocka_unit_test(test_labels_and_helps_are_escaped),
      cmocka_unit_test(test_collectors_run_before_each_writing),
      cmocka_unit_test(test_a_process_has_the_figures_of_prometheus_own_clients),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
