// Where executions lie on the host's time axis, as the packed XSpace has them.

#include "client/pjrt/timeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/check.h"
#include "proto/xplane/xplane.pb-c.h"

enum { CHIPS = 2, STEP_PS = 5000000, BEGIN_NS = 1000 };

typedef Tensorflow__Profiler__XSpace message_t;
typedef Tensorflow__Profiler__XPlane xplane_t;
typedef Tensorflow__Profiler__XLine xline_t;

// A program of one product, on chips that are alike.
typedef struct world_t {
  podium_task_t task;
  podium_task_total_t total;
  podium_task_event_t event;
  podium_chip_class_t class;
  int class_of_chip[CHIPS];
  podium_profile_t profile;
  podium_program_info_t info;
  int devices[CHIPS];
  timeline_program_t program;
} world_t;

static void make_world(world_t *world, int64_t step_ps) {
  memset(world, 0, sizeof(*world));
  world->task = (podium_task_t){.name = "dot_general.0",
                                .op = "dot_general",
                                .shape = "f32[4,4]",
                                .source = "",
                                .partner = -1,
                                .mxu_flop = 128,
                                .hbm_read_bytes = 64};
  world->total = (podium_task_total_t){.run_count = 1, .duration_ps = step_ps};
  world->event = (podium_task_event_t){.duration_ps = step_ps};
  world->class = (podium_chip_class_t){.chip_count = CHIPS,
                                       .end_ps = step_ps,
                                       .total_count = 1,
                                       .event_count = 1,
                                       .totals = &world->total,
                                       .events = &world->event};
  world->profile = (podium_profile_t){.program = "jit_f",
                                      .device_kind = "TPU v5 lite",
                                      .step_ps = step_ps,
                                      .hbm_bytes = 1 << 20,
                                      .bf16_flop_per_s = 1e12,
                                      .hbm_bytes_per_s = 1e9,
                                      .chip_count = CHIPS,
                                      .class_count = 1,
                                      .task_count = 1,
                                      .class_of_chip = world->class_of_chip,
                                      .tasks = &world->task,
                                      .classes = &world->class};
  world->devices[1] = 1;
  world->program = (timeline_program_t){.name = "jit_f",
                                        .temp_bytes = 100,
                                        .device_count = CHIPS,
                                        .devices = world->devices};
}

// Adds the program to a space; an execution of it at a time.
static timeline_execution_t run_at(const world_t *world, int64_t at_ns, int64_t link) {
  return (timeline_execution_t){.program = &world->program,
                                .profile = &world->profile,
                                .at_ns = at_ns,
                                .link = link};
}

static message_t *lay_out(const timeline_t *timeline, world_t *worlds, int count) {
  xplane_space_t *space = xplane_create(timeline->begin_ns, 1000, timeline->steps);
  for (int i = 0; i < count; i++) {
    worlds[i].program.number =
        xplane_add_program(space, &worlds[i].info, &worlds[i].profile);
  }
  timeline_lay_out(timeline, space);
  size_t size;
  uint8_t *bytes = xplane_pack(space, "host", "/host:CPU", &size);
  message_t *message = tensorflow__profiler__xspace__unpack(NULL, size, bytes);
  free(bytes);
  xplane_destroy(space);
  assert_non_null(message);
  return message;
}

static const xline_t *line_of(const message_t *message, const char *plane,
                              const char *line) {
  for (size_t i = 0; i < message->n_planes; i++) {
    const xplane_t *at = message->planes[i];
    for (size_t j = 0; strcmp(at->name, plane) == 0 && j < at->n_lines; j++) {
      if (strcmp(at->lines[j]->name, line) == 0) {
        return at->lines[j];
      }
    }
  }
  fail_msg("no line %s of %s", line, plane);
  return NULL;
}

static int64_t stat_of(const message_t *message,
                       const Tensorflow__Profiler__XEvent *event, const char *name) {
  const xplane_t *plane = message->planes[0];
  for (size_t i = 0; i < event->n_stats; i++) {
    for (size_t j = 0; j < plane->n_stat_metadata; j++) {
      if (plane->stat_metadata[j]->key == event->stats[i]->metadata_id &&
          strcmp(plane->stat_metadata[j]->value->name, name) == 0) {
        return event->stats[i]->int64_value;
      }
    }
  }
  return -1;
}

static void test_an_execution_starts_behind_its_dispatch_and_the_one_before(
    void **state) {
  (void)state;
  world_t world;
  make_world(&world, STEP_PS);
  const timeline_execution_t executions[] = {run_at(&world, BEGIN_NS + 1000, 7),
                                             run_at(&world, BEGIN_NS + 2000, 8),
                                             run_at(&world, BEGIN_NS + 90000, 9)};
  const timeline_t timeline = {.begin_ns = BEGIN_NS,
                               .steps = XPLANE_STEPS_LINKED,
                               .execution_count = 3,
                               .executions = executions};
  message_t *message = lay_out(&timeline, &world, 1);
  for (int chip = 0; chip < CHIPS; chip++) {
    const xline_t *line =
        line_of(message, chip == 0 ? "/device:TPU:0" : "/device:TPU:1", "XLA Modules");
    assert_int_equal(line->timestamp_ns, BEGIN_NS);
    assert_int_equal(line->n_events, 3);
    assert_int_equal(line->events[0]->offset_ps, 1000000);
    // It was dispatched at 2 us, when the chips had the first one until 6 us.
    assert_true(line->events[1]->offset_ps > 6000000);
    assert_true(line->events[1]->offset_ps < 6000000 + STEP_PS);
    assert_int_equal(line->events[2]->offset_ps, 90000000);
  }
  // What waited for the host is no time of the chip's.
  const xline_t *steps = line_of(message, "/device:TPU:0", "Steps");
  assert_int_equal(stat_of(message, steps->events[2], "device_offset_ps"), 2 * STEP_PS);
  assert_int_equal(stat_of(message, steps->events[2], "device_duration_ps"), STEP_PS);
  assert_int_equal(stat_of(message, steps->events[2], "group_id"), -1);
  tensorflow__profiler__xspace__free_unpacked(message, NULL);
}

static void test_numbered_steps_are_those_of_the_dearest_program(void **state) {
  (void)state;
  world_t worlds[2];
  make_world(&worlds[0], 10);
  make_world(&worlds[1], STEP_PS);
  const timeline_execution_t executions[] = {
      run_at(&worlds[0], BEGIN_NS, -1), run_at(&worlds[1], BEGIN_NS, -1),
      run_at(&worlds[0], BEGIN_NS, -1), run_at(&worlds[1], BEGIN_NS, -1)};
  const timeline_t timeline = {.begin_ns = BEGIN_NS,
                               .steps = XPLANE_STEPS_NUMBERED,
                               .execution_count = 4,
                               .executions = executions};
  message_t *message = lay_out(&timeline, worlds, 2);
  const xline_t *steps = line_of(message, "/device:TPU:1", "Steps");
  assert_int_equal(steps->n_events, 2);
  assert_int_equal(stat_of(message, steps->events[0], "group_id"), 0);
  assert_int_equal(stat_of(message, steps->events[1], "group_id"), 1);
  assert_int_equal(line_of(message, "/device:TPU:1", "XLA Modules")->n_events, 4);
  tensorflow__profiler__xspace__free_unpacked(message, NULL);
}

static void test_memory_counts_buffers_and_what_a_program_needs_while_it_runs(
    void **state) {
  (void)state;
  world_t world;
  make_world(&world, STEP_PS);
  const timeline_execution_t executions[] = {run_at(&world, BEGIN_NS + 10, -1)};
  const timeline_change_t changes[] = {
      {.at_ns = BEGIN_NS, .size_bytes = 40, .in_use_bytes = 1040, .hbm_bytes = 1 << 20},
      {.at_ns = BEGIN_NS + 6000, .size_bytes = -40, .in_use_bytes = 1000}};
  const timeline_t timeline = {.begin_ns = BEGIN_NS,
                               .execution_count = 1,
                               .executions = executions,
                               .change_count = 2,
                               .changes = changes};
  message_t *message = lay_out(&timeline, &world, 1);
  const xline_t *line = line_of(message, "/host:CPU", "HBM of /device:TPU:0");
  static const int64_t allocated[] = {1040, 1040, 1040, 1000};
  static const int64_t reserved[] = {0, 100, 0, 0};
  assert_int_equal(line->n_events, 4);
  for (int i = 0; i < 4; i++) {
    assert_int_equal(stat_of(message, line->events[i], "bytes_allocated"), allocated[i]);
    assert_int_equal(stat_of(message, line->events[i], "bytes_reserved"), reserved[i]);
  }
  assert_int_equal(stat_of(message, line->events[3], "peak_bytes_in_use"), 1140);
  tensorflow__profiler__xspace__free_unpacked(message, NULL);
}

static void test_what_is_too_much_is_left_out_and_counted(void **state) {
  (void)state;
  world_t world;
  make_world(&world, STEP_PS);
  xplane_space_t *space = xplane_create(0, 3, XPLANE_STEPS_NUMBERED);
  const int64_t number = xplane_add_program(space, &world.info, &world.profile);
  xplane_add_execution(
      space, &(xplane_execution_t){
                 .program = number, .profile = &world.profile, .link = XPLANE_NO_LINK});
  assert_true(xplane_dropped(space) > 0);
  size_t size;
  free(xplane_pack(space, NULL, "/host:CPU", &size));
  assert_true(size > 0);
  xplane_destroy(space);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_an_execution_starts_behind_its_dispatch_and_the_one_before),
      cmocka_unit_test(test_numbered_steps_are_those_of_the_dearest_program),
      cmocka_unit_test(test_memory_counts_buffers_and_what_a_program_needs_while_it_runs),
      cmocka_unit_test(test_what_is_too_much_is_left_out_and_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
