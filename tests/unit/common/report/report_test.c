#include "common/report/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/memory.h"
#include "common/report/thin.h"

static char *json_of(const report_input_t *input) {
  pod_text_t json = {0};
  report_write_json(input, &json);
  return pod_text_take(&json);
}

// A product, and an all_reduce of it in two halves beside another product, on two chips.
static const report_task_t small_tasks[] = {
    {.name = "dot_general.0",
     .op = "dot_general",
     .shape = "bf16[4,4]",
     .source = "a.py:1:2",
     .bound = "MXU",
     .kind = REPORT_COMPUTE,
     .partner = -1,
     .flop = 128,
     .hbm_bytes = 96,
     .runs = 1,
     .duration_ps = 100},
    {.name = "all_reduce_start.0",
     .op = "all_reduce",
     .bound = "fixed",
     .kind = REPORT_START,
     .partner = 3,
     .runs = 1,
     .start_ps = 100,
     .duration_ps = 10,
     .flight_ps = 60,
     .ici_bytes = 32},
    {.name = "dot_general.1",
     .op = "dot_general",
     .bound = "HBM",
     .kind = REPORT_COMPUTE,
     .partner = -1,
     .runs = 1,
     .start_ps = 110,
     .duration_ps = 40},
    {.name = "all_reduce_done.0",
     .op = "all_reduce",
     .bound = "ICI",
     .kind = REPORT_DONE,
     .partner = 1,
     .runs = 1,
     .start_ps = 150,
     .duration_ps = 12,
     .waiting_ps = 10},
};

static const report_event_t small_events[] = {
    {0, 0, 100, 0}, {1, 100, 10, 60}, {2, 110, 40, 0}, {3, 150, 12, 0}};

static void test_a_small_program_is_written_as_the_format_says(void **state) {
  (void)state;
  const report_message_t messages[] = {
      {.direction = 0, .start_ps = 0, .duration_ps = 81}};
  const report_point_t hbm[] = {{0, 1000}, {100, 1500}, {162, 1500}};
  const report_class_t one = {.representative = 0,
                              .chip_count = 2,
                              .end_ps = 162,
                              .compute_ps = 152,
                              .waiting_ps = 10,
                              .overlapped_ps = 50,
                              .links = {{32, 81, 1}},
                              .event_count = 4,
                              .events = small_events,
                              .message_count = 1,
                              .messages = messages,
                              .hbm_count = 3,
                              .hbm = hbm};
  const int class_of_chip[] = {0, 0};
  const report_wait_t waits[] = {{"MXU", 100}, {"ICI", 10}};
  const report_times_t times = {.step_ps = 162,
                                .low_ps = 150,
                                .high_ps = 180,
                                .rests_on = "MXU 90 %: a guess",
                                .chips_running = 2,
                                .hfu = 0.5,
                                .mfu = 0.25,
                                .dispatch_ps = 105,
                                .flop_per_chip = 128,
                                .hbm_traffic_bytes_per_chip = 96,
                                .wait_count = 2,
                                .waits = waits,
                                .task_count = 4,
                                .tasks = small_tasks,
                                .class_count = 1,
                                .classes = &one,
                                .chip_count = 2,
                                .class_of_chip = class_of_chip};
  const report_axis_t axis = {"x", 1, 2};
  const report_array_t array = {.name = "arg0",
                                .dtype = "bf16",
                                .sharding = "[{x}, {}]",
                                .rank = 2,
                                .dims = {8, 4},
                                .local_dims = {4, 4},
                                .bytes = 64,
                                .local_bytes = 32,
                                .spec = {{1, &axis}},
                                .alias = -1};
  const report_collective_t collective = {.name = "all_reduce.0",
                                          .op = "all_reduce",
                                          .axes = "x",
                                          .operand = "bf16[4,4]",
                                          .result = "bf16[4,4]",
                                          .why = "Asked for.",
                                          .because = "x is cut along y",
                                          .group_count = 1,
                                          .group_size = 2,
                                          .ici_bytes = 32,
                                          .link_bytes = 16,
                                          .alone_ps = 55,
                                          .asynchronous = true,
                                          .task = 1,
                                          .run_count = 1,
                                          .total_ps = 60,
                                          .exposed_ps = 10,
                                          .behind = "dot"};
  const report_array_t values[] = {{.name = "0",
                                    .op = "dot_general",
                                    .source = "f.py:1:2",
                                    .dtype = "bf16",
                                    .sharding = "P(\"x\")",
                                    .rank = 1,
                                    .dims = {8},
                                    .local_dims = {4},
                                    .spec = {{1, &axis}},
                                    .alias = -1},
                                   {.name = "1",
                                    .op = "add",
                                    .sharding = "P(\"w\")",
                                    .has_no_spec = true,
                                    .alias = -1}};
  const report_buffer_t buffers[] = {{.kind = "argument", .name = "arg0", .bytes = 32},
                                     {.kind = "temporary", .name = "dot", .bytes = 500}};
  const report_pod_t pod = {.chip_kind = "v5e",
                            .device_kind = "TPU v5 lite",
                            .topology_name = "2x1",
                            .topology = {2, 1, 1},
                            .chip_count = 2,
                            .bf16_flop_per_s = 197e12,
                            .vpu_op_per_s = 1e12,
                            .hbm_bytes_per_s = 819e9,
                            .ici_bytes_per_s = 45e9};
  const report_input_t input = {.version = "0.1.0",
                                .made_by = "simulate",
                                .program = "f",
                                .file = "f.mlir",
                                .device_count = 2,
                                .mesh_axis_count = 1,
                                .mesh = &axis,
                                .array_count = 1,
                                .arrays = &array,
                                .value_count = 2,
                                .values = values,
                                .collective_count = 1,
                                .collectives = &collective,
                                .pod = &pod,
                                .memory = {.hbm_bytes = 2000,
                                           .hbm_peak_bytes = 1500,
                                           .argument_bytes = 32,
                                           .peak_at = "dot",
                                           .buffer_count = 2,
                                           .buffers = buffers},
                                .times = &times,
                                .traceparent = "00-ab-cd-01"};
  char *json = json_of(&input);
  if (getenv("PODIUM_WRITE_GOLDEN") != NULL) {  // Then look at what has changed.
    FILE *written = fopen(REPORT_GOLDEN, "w");
    assert_non_null(written);
    fprintf(written, "%s\n", json);
    fclose(written);
  }
  pod_text_t expected = {0};
  FILE *file = fopen(REPORT_GOLDEN, "r");
  assert_non_null(file);
  assert_int_equal(pod_text_add_to_end(&expected, fileno(file), 1 << 20), 0);
  fclose(file);
  expected.bytes[strcspn(expected.bytes, "\n")] = '\0';
  assert_string_equal(json, expected.bytes);
  pod_text_deinit(&expected);
  free(json);
}

static void test_without_times_it_says_why(void **state) {
  (void)state;
  char *json = json_of(&(report_input_t){.no_times = "while.3 turns as values say"});
  assert_non_null(strstr(json, "\"no_times\":\"while.3 turns as values say\""));
  assert_null(strstr(json, "\"times\":"));
  free(json);
}

// --- Large programs ---

enum { MANY = 1000000, CHIPS = 4096 };

typedef struct large_t {
  report_task_t *tasks;
  report_event_t *events;
  report_class_t *classes;
  int *class_of_chip;
  report_times_t times;
} large_t;

// Of a million tasks every thousandth is long.
static void make_large(large_t *large, int class_count) {
  large->tasks = pod_alloc(MANY * sizeof(*large->tasks));
  large->events = pod_alloc(MANY * sizeof(*large->events));
  large->classes = pod_alloc((size_t)class_count * sizeof(*large->classes));
  large->class_of_chip = pod_alloc(CHIPS * sizeof(int));
  int64_t now_ps = 0;
  for (int i = 0; i < MANY; i++) {
    const int64_t duration_ps = i % 1000 == 0 ? 5000000 : 1000 + i % 7;
    large->tasks[i] =
        (report_task_t){.name = "multiply_add_fusion.123456",
                        .op = "dot_general",
                        .shape = "bf16[1024,1024]",
                        .source = "a/long/path/to/a/program/train.py:1234:56",
                        .bound = i % 3 == 0 ? "VPU" : "HBM",
                        .partner = -1,
                        .runs = 1,
                        .duration_ps = duration_ps};
    large->events[i] = (report_event_t){i, now_ps, duration_ps, 0};
    now_ps += duration_ps;
  }
  for (int i = 0; i < class_count; i++) {
    large->classes[i] =
        (report_class_t){.representative = i,
                         .chip_count = CHIPS / class_count,
                         .end_ps = now_ps,
                         .event_count = MANY / class_count,  // As pods keep.
                         .events = large->events};
  }
  for (int i = 0; i < CHIPS; i++) {
    large->class_of_chip[i] = i % class_count;
  }
  large->times = (report_times_t){.step_ps = now_ps,
                                  .task_count = MANY,
                                  .tasks = large->tasks,
                                  .class_count = class_count,
                                  .classes = large->classes,
                                  .chip_count = CHIPS,
                                  .class_of_chip = large->class_of_chip};
}

static void free_large(large_t *large) {
  free(large->tasks);
  free(large->events);
  free(large->classes);
  free(large->class_of_chip);
}

static void test_a_million_events_of_thousands_of_chips_are_a_few_megabytes(
    void **state) {
  (void)state;
  large_t large;
  make_large(&large, 30);
  const report_pod_t pod = {.topology = {64, 64, 1}, .chip_count = CHIPS};
  char *json = json_of(&(report_input_t){.pod = &pod, .times = &large.times});
  assert_in_range(strlen(json), 100000, 8 << 20);
  assert_non_null(strstr(json, "Of 1000000 tasks, the 16384 that take longest"));
  assert_non_null(strstr(json, "Of 30 classes of chips, 24 have a timeline"));
  assert_non_null(strstr(json, "are put together with their neighbours"));
  free(json);
  free_large(&large);
}

static void test_every_chip_by_itself_is_a_few_megabytes_too(void **state) {
  (void)state;
  large_t large;
  make_large(&large, CHIPS);
  char *json = json_of(&(report_input_t){.times = &large.times});
  assert_in_range(strlen(json), 100000, 12 << 20);
  free(json);
  free_large(&large);
}

static void test_putting_together_loses_no_time_and_no_task(void **state) {
  (void)state;
  large_t large;
  make_large(&large, 1);
  int64_t count;
  report_piece_t *pieces =
      report_thin_events(&large.times, &large.classes[0], 4000, &count);
  assert_in_range(count, 1000, 8000);
  int64_t tasks = 0, busy_ps = 0, last_ps = 0;
  int long_ones = 0;
  for (int64_t i = 0; i < count; i++) {
    tasks += pieces[i].count;
    busy_ps += pieces[i].count == 1 ? pieces[i].duration_ps : pieces[i].busy_ps;
    long_ones += pieces[i].count == 1 && pieces[i].duration_ps == 5000000;
    assert_true(pieces[i].start_ps >= last_ps);
    last_ps = pieces[i].start_ps;
  }
  assert_int_equal(tasks, MANY);
  assert_int_equal(busy_ps, large.times.step_ps);
  assert_int_equal(long_ones, MANY / 1000);
  free(pieces);
  free_large(&large);
}

// Flights are as long as each other: those that are kept are of the whole step.
static void test_what_is_left_of_many_flights_is_spread_over_the_step(void **state) {
  (void)state;
  large_t large;
  make_large(&large, 1);
  for (int i = 0; i < MANY; i++) {
    large.tasks[i].kind = REPORT_COLLECTIVE;
    large.events[i].duration_ps = 10;
    large.events[i].task = i % 4;
  }
  char *json = json_of(&(report_input_t){.times = &large.times});
  const char *flights = strstr(json, "\"flights\":[[");
  assert_non_null(flights);
  const char *end = strstr(flights, "]],");
  const char *last = end;
  while (*last != '[') {
    last--;
  }
  assert_true((double)atoll(last + 1) > 0.95 * (double)large.times.step_ps);
  free(json);
  free_large(&large);
}

static void test_few_events_stay_as_they_are(void **state) {
  (void)state;
  const report_times_t times = {.step_ps = 162, .task_count = 4, .tasks = small_tasks};
  const report_class_t one = {.event_count = 4, .events = small_events};
  int64_t count;
  report_piece_t *pieces = report_thin_events(&times, &one, 1000, &count);
  assert_int_equal(count, 4);
  for (int i = 0; i < 4; i++) {
    assert_int_equal(pieces[i].task, small_events[i].task);
    assert_int_equal(pieces[i].count, 1);
  }
  free(pieces);
}

static void test_thinned_points_keep_the_peak_and_the_end(void **state) {
  (void)state;
  report_point_t points[1000];
  for (int i = 0; i < 1000; i++) {
    points[i] = (report_point_t){i, i == 777 ? 99 : i % 5};
  }
  int count;
  report_point_t *few = report_thin_points(1000, points, 50, &count);
  assert_in_range(count, 20, 50);
  int64_t most = 0;
  for (int i = 0; i < count; i++) {
    most = few[i].bytes > most ? few[i].bytes : most;
  }
  assert_int_equal(most, 99);
  assert_int_equal(few[count - 1].at_ps, 999);
  free(few);
  few = report_thin_points(0, points, 50, &count);
  assert_int_equal(count, 0);
  free(few);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_small_program_is_written_as_the_format_says),
      cmocka_unit_test(test_without_times_it_says_why),
      cmocka_unit_test(test_a_million_events_of_thousands_of_chips_are_a_few_megabytes),
      cmocka_unit_test(test_every_chip_by_itself_is_a_few_megabytes_too),
      cmocka_unit_test(test_putting_together_loses_no_time_and_no_task),
      cmocka_unit_test(test_what_is_left_of_many_flights_is_spread_over_the_step),
      cmocka_unit_test(test_few_events_stay_as_they_are),
      cmocka_unit_test(test_thinned_points_keep_the_peak_and_the_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
