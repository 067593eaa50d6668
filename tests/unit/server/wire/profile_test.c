#include "server/wire/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/server/programs.h"

static chip_program_t *make_program(void) {
  program_builder_t *b = program_begin("profiled", 1, 0);
  const int32_t x = program_argument(b, shape_of(TENSOR_F32, 1, 4), ".");
  const int32_t y = program_result(b, shape_of(TENSOR_F32, 1, 4), ".");
  program_computation(b, "main", x, CHIP_NONE, y, CHIP_NONE);
  program_op(b, CHIP_OP_TANH, x, CHIP_NONE, y, CHIP_NONE);
  program_op(b, CHIP_OP_ADD, x, y, CHIP_NONE, y, CHIP_NONE);
  return program_end(b);
}

static chip_profile_t make_profile(const chip_program_t *program) {
  chip_profile_t profile;
  chip_profile_init(&profile, program, 3);
  const chip_cost_t cost = {.mxu_flop = 1,
                            .vpu_op = 2,
                            .hbm_bytes = 3,
                            .ici_bytes = 4,
                            .duration_ps = 50,
                            .bound = CHIP_BOUND_HBM};
  for (int32_t run = 0; run < 3; run++) {
    const chip_event_t event = {.instruction = 1,
                                .start_ps = 100 * run,
                                .duration_ps = 50,
                                .host_start_ns = 7 * run,
                                .host_ns = 5};
    chip_profile_add(&profile, &event, &cost);
  }
  profile.end_ps = 250;
  profile.host_ns = 99;
  profile.hbm_peak_bytes = 4096;
  profile.events_dropped = 2;
  profile.links[2] = (chip_link_total_t){1024, 4};
  return profile;
}

static void test_a_profile_comes_back_as_it_was(void **state) {
  (void)state;
  chip_program_t *program = make_program();
  chip_profile_t profile = make_profile(program);
  pod_arena_t *arena = pod_arena_create();
  const Podium__V1__ChipProfile *message = wire_profile_pack(arena, &profile, true);
  assert_int_equal(message->n_totals, 1);  // The other instruction did not run.
  chip_profile_t copy;
  assert_null(wire_profile_unpack(message, program, &copy));
  assert_int_equal(copy.chip, 3);
  assert_int_equal(copy.end_ps, 250);
  assert_int_equal(copy.host_ns, 99);
  assert_int_equal(copy.hbm_peak_bytes, 4096);
  assert_int_equal(copy.events_dropped, 2);
  assert_memory_equal(copy.totals, profile.totals, 2 * sizeof(*copy.totals));
  assert_int_equal(copy.event_count, 3);
  for (int i = 0; i < 3; i++) {  // Field by field: there is padding between them.
    const chip_event_t *event = &copy.events[i];
    assert_int_equal(event->instruction, profile.events[i].instruction);
    assert_int_equal(event->start_ps, profile.events[i].start_ps);
    assert_int_equal(event->duration_ps, profile.events[i].duration_ps);
    assert_int_equal(event->host_start_ns, profile.events[i].host_start_ns);
    assert_int_equal(event->host_ns, profile.events[i].host_ns);
  }
  assert_memory_equal(copy.links, profile.links, sizeof(copy.links));
  chip_profile_deinit(&copy);
  pod_arena_destroy(arena);
  chip_profile_deinit(&profile);
  chip_program_destroy(program);
}

static void test_events_stay_at_home_when_nobody_asked(void **state) {
  (void)state;
  chip_program_t *program = make_program();
  chip_profile_t profile = make_profile(program);
  pod_arena_t *arena = pod_arena_create();
  const Podium__V1__ChipProfile *message = wire_profile_pack(arena, &profile, false);
  assert_int_equal(message->n_events, 0);
  assert_int_equal(message->totals[0]->run_count, 3);
  pod_arena_destroy(arena);
  chip_profile_deinit(&profile);
  chip_program_destroy(program);
}

static void test_a_profile_of_another_program_is_refused(void **state) {
  (void)state;
  chip_program_t *program = make_program();
  chip_profile_t profile = make_profile(program);
  pod_arena_t *arena = pod_arena_create();
  Podium__V1__ChipProfile *message = wire_profile_pack(arena, &profile, true);
  chip_profile_t copy;
  message->events[1]->index = 2;
  pod_status_t status = wire_profile_unpack(message, program, &copy);
  assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
  assert_string_equal(pod_status_message(status),
                      "a profile names instruction 2 of a program that has 2");
  pod_status_free(status);
  message->events[1]->index = 1;
  message->links[0]->direction = TORUS_DIRECTIONS;
  status = wire_profile_unpack(message, program, &copy);
  assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
  pod_status_free(status);
  pod_arena_destroy(arena);
  chip_profile_deinit(&profile);
  chip_program_destroy(program);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_profile_comes_back_as_it_was),
      cmocka_unit_test(test_events_stay_at_home_when_nobody_asked),
      cmocka_unit_test(test_a_profile_of_another_program_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
