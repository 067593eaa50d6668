#include "server/wire/simulation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/wire/profile.h"
#include "tests/unit/server/programs.h"

enum { EVENTS = WIRE_PIECE_ENTRIES + 100, TASKS = 3 };

static const chip_task_t tasks[TASKS] = {
    {.kind = CHIP_TASK_COMPUTE,
     .instruction = 0,
     .partner = CHIP_NONE,
     .first_member = 0,
     .member_count = 2,
     .name = "fusion.0",
     .work = {.mxu_flop = 7, .vpu_op = 8, .hbm_read_bytes = 9}},
    {.kind = CHIP_TASK_COLLECTIVE_START, .instruction = 1, .partner = 2, .name = "start"},
    {.kind = CHIP_TASK_COLLECTIVE_DONE, .instruction = 1, .partner = 1, .name = "done"},
};

static chip_program_t *make_program(void) {
  static const int32_t members[] = {0, 1};
  program_builder_t *b = program_begin("simulated", 1, 0);
  const int32_t x = program_argument(b, shape_of(TENSOR_F32, 1, 4), ".");
  const int32_t y = program_result(b, shape_of(TENSOR_F32, 1, 4), ".");
  program_computation(b, "main", x, CHIP_NONE, y, CHIP_NONE);
  program_op(b, CHIP_OP_TANH, x, CHIP_NONE, y, CHIP_NONE);
  program_op(b, CHIP_OP_ADD, x, y, CHIP_NONE, y, CHIP_NONE);
  chip_program_t *program = program_end(b);
  program->tasks = tasks;
  program->task_count = TASKS;
  program->task_members = members;
  program->task_member_count = 2;
  return program;
}

// What has come, all parts together.
typedef struct seen_t {
  int parts, headers;
  size_t tasks, totals, events, messages, links;
  int64_t last_event_start_ps;
  Podium__V1__Bound bounds[TASKS];
} seen_t;

static void on_part(void *context, const Podium__V1__ProfilePart *part) {
  seen_t *seen = context;
  assert_true(podium__v1__profile_part__get_packed_size(part) < 4 << 20);
  seen->parts++;
  if (part->header != NULL) {
    seen->headers++;
    assert_int_equal(seen->parts, 1);
    assert_string_equal(part->header->program, "simulated");
    assert_string_equal(part->header->topology_name, "2x2");
    assert_int_equal(part->header->n_class_of_chip, 4);
    assert_int_equal(part->header->class_of_chip[3], 0);
    assert_int_equal(part->header->step_ps, 1000);
  }
  for (size_t i = 0; i < part->n_tasks; i++) {
    assert_int_equal(part->tasks[i]->index, seen->tasks++);
  }
  if (part->n_tasks > 0) {
    assert_string_equal(part->tasks[0]->name, "fusion.0");
    assert_string_equal(part->tasks[0]->op, "tanh");
    assert_int_equal(part->tasks[0]->n_members, 2);
    assert_int_equal(part->tasks[0]->mxu_flop, 7);
    assert_int_equal(part->tasks[0]->bound, PODIUM__V1__BOUND__BOUND_VPU);
    assert_int_equal(part->tasks[1]->partner, 2);
  }
  const Podium__V1__ChipClass *class = part->chip_class;
  if (class == NULL) {
    return;
  }
  seen->totals += class->n_totals;
  for (size_t i = 0; i < class->n_totals; i++) {
    seen->bounds[class->totals[i]->task] = class->totals[i]->bound;
  }
  for (size_t i = 0; i < class->n_events; i++) {
    assert_true(class->events[i]->start_ps >= seen->last_event_start_ps);
    seen->last_event_start_ps = class->events[i]->start_ps;
  }
  seen->events += class->n_events;
  seen->messages += class->n_messages;
  seen->links += class->n_links;
}

static void test_a_result_goes_out_in_order_and_in_parts_below_4_mib(void **state) {
  (void)state;
  chip_program_t *program = make_program();
  const chip_spec_t *spec = chip_spec_find("v5e");
  torus_t torus;
  assert_null(torus_parse("2x2", spec, &torus, NULL));
  simulator_event_t *events = calloc(EVENTS, sizeof(*events));
  for (int i = 0; i < EVENTS; i++) {
    events[i].start_ps = i;
  }
  simulator_message_t message = {.task = 1, .to = 1, .size_bytes = 64};
  simulator_total_t totals[TASKS] = {
      {.run_count = 1, .duration_ps = 100},
      {0},
      {.run_count = 1, .duration_ps = 100, .waiting_ps = 90},
  };
  simulator_chip_t chip = {.chip_count = 4,
                           .end_ps = 1000,
                           .totals = totals,
                           .event_count = EVENTS,
                           .events = events,
                           .message_count = 1,
                           .messages = &message};
  chip.links[2] = (simulator_link_t){.bytes = 64, .busy_ps = 3, .messages = 1};
  const chip_cost_t costs[TASKS] = {{.duration_ps = 100, .bound = CHIP_BOUND_VPU}};
  const int32_t class_of_chip[4] = {0};
  const simulator_result_t result = {.chip_count = 4,
                                     .class_count = 1,
                                     .class_of_chip = class_of_chip,
                                     .classes = &chip,
                                     .costs = costs,
                                     .step_ps = 1000};
  const wire_simulation_t simulation = {
      .program = program, .spec = spec, .torus = &torus, .result = &result};
  seen_t seen = {0};
  wire_simulation_pack(&simulation, on_part, &seen);
  assert_int_equal(seen.headers, 1);
  assert_int_equal(seen.tasks, TASKS);
  assert_int_equal(seen.totals, 2);  // The other task did not run.
  assert_int_equal(seen.events, EVENTS);
  assert_int_equal(seen.messages, 1);
  assert_int_equal(seen.links, 1);
  assert_int_equal(seen.bounds[0], PODIUM__V1__BOUND__BOUND_VPU);
  assert_int_equal(seen.bounds[2], PODIUM__V1__BOUND__BOUND_ICI);  // It waited.
  free(events);
  chip_program_destroy(program);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_result_goes_out_in_order_and_in_parts_below_4_mib),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
