#include "server/wire/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

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

static chip_profile_t make_profile(const chip_program_t *program, int32_t runs) {
  chip_profile_t profile;
  chip_profile_init(&profile, program, 3);
  for (int32_t run = 0; run < runs; run++) {
    chip_profile_add(
        &profile, &(chip_event_t){.instruction = 1, .start_ns = 7 * run, .host_ns = 5});
  }
  profile.host_ns = 99;
  profile.hbm_peak_bytes = 4096;
  return profile;
}

static void test_totals_and_events_of_what_ran_are_packed(void **state) {
  (void)state;
  chip_program_t *program = make_program();
  chip_profile_t profile = make_profile(program, 3);
  pod_arena_t *arena = pod_arena_create();
  size_t count;
  Podium__V1__WorkerExecuteResponse **pieces =
      wire_profile_pack(arena, &profile, true, &count);
  assert_int_equal(count, 2);  // And the trace.
  const Podium__V1__HostProfile *host = pieces[0]->profile;
  assert_int_equal(host->chip, 3);
  assert_int_equal(host->host_ns, 99);
  assert_int_equal(host->hbm_peak_bytes, 4096);
  assert_int_equal(host->n_totals, 1);  // The other instruction did not run.
  assert_int_equal(host->totals[0]->instruction, 1);
  assert_int_equal(host->totals[0]->run_count, 3);
  assert_int_equal(host->totals[0]->host_ns, 15);
  assert_int_equal(host->n_events, 3);
  assert_int_equal(host->events[2]->start_ns, 14);
  pieces = wire_profile_pack(arena, &profile, false, &count);
  assert_int_equal(pieces[0]->profile->n_events, 0);
  assert_int_equal(pieces[0]->profile->totals[0]->run_count, 3);
  pod_arena_destroy(arena);
  chip_profile_deinit(&profile);
  chip_program_destroy(program);
}

static void test_long_lists_come_in_pieces_that_every_peer_takes(void **state) {
  (void)state;
  enum { RUNS = WIRE_PIECE_ENTRIES + 10, TRACED = 2 * WIRE_PIECE_ENTRIES + 7 };
  chip_program_t *program = make_program();
  chip_profile_t profile = make_profile(program, RUNS);
  for (int32_t i = 0; i < TRACED; i++) {
    chip_profile_trace(&profile, i < 5 ? 0 : 1, INT64_MAX - i % 3);
  }
  pod_arena_t *arena = pod_arena_create();
  size_t count;
  Podium__V1__WorkerExecuteResponse **pieces =
      wire_profile_pack(arena, &profile, true, &count);
  chip_trace_t trace;
  chip_trace_init(&trace, program);
  size_t events = 0;
  for (size_t i = 0; i < count; i++) {
    assert_true(podium__v1__worker_execute_response__get_packed_size(pieces[i]) <
                4 << 20);
    events += pieces[i]->profile != NULL ? pieces[i]->profile->n_events : 0;
    if (pieces[i]->trace != NULL) {
      assert_null(wire_trace_add(pieces[i]->trace, program, &trace));
    }
  }
  assert_int_equal(count, 2 + 3);
  assert_int_equal(events, RUNS);
  assert_true(chip_trace_equal(&trace, &profile.trace));
  chip_trace_deinit(&trace);
  pod_arena_destroy(arena);
  chip_profile_deinit(&profile);
  chip_program_destroy(program);
}

static void assert_refused(const Podium__V1__ControlTrace *message,
                           const chip_program_t *program, pod_code_t code,
                           const char *part) {
  chip_trace_t trace;
  chip_trace_init(&trace, program);
  const pod_status_t status = wire_trace_add(message, program, &trace);
  assert_int_equal(pod_status_code(status), code);
  assert_non_null(strstr(pod_status_message(status), part));
  pod_status_free(status);
  chip_trace_deinit(&trace);
}

static void test_a_trace_that_cannot_be_is_refused(void **state) {
  (void)state;
  chip_program_t *program = make_program();
  int64_t values[] = {3}, repeats[] = {1};
  Podium__V1__TraceList list = PODIUM__V1__TRACE_LIST__INIT;
  Podium__V1__TraceList *lists[] = {&list};
  Podium__V1__ControlTrace message = PODIUM__V1__CONTROL_TRACE__INIT;
  message.lists = lists;
  message.n_lists = 1;
  list.values = values;
  list.repeats = repeats;
  list.n_values = list.n_repeats = 1;
  list.instruction = 2;
  assert_refused(&message, program, POD_INVALID_ARGUMENT,
                 "instruction 2 of a program that has 2");
  list.instruction = 1;
  list.n_repeats = 0;
  assert_refused(&message, program, POD_INVALID_ARGUMENT, "1 values and 0 repeats");
  list.n_repeats = 1;
  repeats[0] = 0;
  assert_refused(&message, program, POD_INVALID_ARGUMENT, "0 times");
  repeats[0] = 1;
  values[0] = -1;
  assert_refused(&message, program, POD_INVALID_ARGUMENT, "-1 turns");
  message.is_cut = true;
  assert_refused(&message, program, POD_RESOURCE_EXHAUSTED, "no device time");
  chip_program_destroy(program);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_totals_and_events_of_what_ran_are_packed),
      cmocka_unit_test(test_long_lists_come_in_pieces_that_every_peer_takes),
      cmocka_unit_test(test_a_trace_that_cannot_be_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
