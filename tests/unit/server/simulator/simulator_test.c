// The clock of a pod, against times reckoned by hand.

#include "server/simulator/simulator.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "server/collective/schedule.h"
#include "tests/unit/server/simulator/world.h"

enum { US = 1000000 };

static void begin_main(world_t *world, int32_t chips) {
  world_begin(world, chips);
  program_computation(world->builder, "main", CHIP_NONE, CHIP_NONE);
}

static simulator_result_t *run_alone(world_t *world, const torus_t *torus) {
  chip_program_t *program = world_end(world);
  const simulator_options_t options = world_options(torus);
  simulator_result_t *result = world_run(program, &options);
  chip_program_destroy(program);
  return result;
}

static void test_tasks_follow_each_other(void **state) {
  (void)state;
  world_t world;
  begin_main(&world, 1);
  const int32_t any = world_any(&world);
  world_compute(&world, 0, any, 5 * US, US);
  world_compute(&world, 0, any, 7 * US, 2 * US);
  const torus_t torus = world_torus(1, 1, 1, false);
  simulator_result_t *result = run_alone(&world, &torus);
  assert_int_equal(result->step_ps, 12 * US);
  assert_int_equal(result->classes[0].compute_ps, 12 * US);
  assert_int_equal(result->classes[0].hbm_ps, 3 * US);
  assert_int_equal(result->classes[0].mxu_ps, 11 * US);
  assert_int_equal(result->classes[0].event_count, 2);
  assert_int_equal(result->classes[0].events[1].start_ps, 5 * US);
  assert_int_equal(result->classes[0].events[1].duration_ps, 7 * US);
  simulator_result_destroy(result);
}

static void test_collectives_that_differ_in_their_algorithm_only_are_not_one(
    void **state) {
  (void)state;
  const collective_algorithm_t algorithms[] = {COLLECTIVE_RING, COLLECTIVE_DIRECT};
  const torus_t torus = world_torus(8, 1, 1, true);
  int64_t alone_ps = 0;
  for (int i = 0; i < 3; i++) {  // One, the other, both.
    world_t world;
    begin_main(&world, 8);
    for (int a = 0; a < 2; a++) {
      if (i == a || i == 2) {
        const int32_t instruction = world_all_reduce(&world, 1 << 20, 8, 1);
        program_attr(world.builder, CHIP_ATTR_COLLECTIVE_ALGORITHM, algorithms[a]);
        world_task(&world, 0, CHIP_TASK_COLLECTIVE, instruction, (chip_work_t){0});
      }
    }
    simulator_result_t *result = run_alone(&world, &torus);
    if (i == 2) {
      assert_int_equal(result->step_ps, alone_ps);
    }
    alone_ps += result->step_ps;
    simulator_result_destroy(result);
  }
}

static void test_a_message_takes_its_bytes_and_its_hops(void **state) {
  (void)state;
  world_t world;
  begin_main(&world, 4);
  const int32_t permute = world_permute(&world, 1000000, 0, 3, -1);
  world_task(&world, 0, CHIP_TASK_COLLECTIVE, permute, (chip_work_t){0});
  const torus_t torus = world_torus(4, 1, 1, false);
  simulator_result_t *result = run_alone(&world, &torus);
  // 4 MB at a byte per ps; the source is done when its last byte has left.
  assert_int_equal(world_chip(result, 3)->end_ps, WORLD_BEGIN_PS + 4 * US + 3 * US);
  assert_int_equal(world_chip(result, 0)->end_ps, WORLD_BEGIN_PS + 4 * US);
  assert_int_equal(world_chip(result, 0)->waiting_ps, WORLD_STARTUP_PS + 4 * US);
  assert_int_equal(world_chip(result, 0)->totals[0].ici_bytes, 4000000);
  for (int32_t chip = 0; chip < 3; chip++) {
    const simulator_chip_t *on_the_way = world_chip(result, chip);
    assert_int_equal(on_the_way->links[0].bytes, 4000000);
    assert_int_equal(on_the_way->links[0].busy_ps, 4 * US);
    assert_int_equal(on_the_way->ici_ps, 4 * US);
    assert_int_equal(on_the_way->message_count, 1);
    assert_int_equal(on_the_way->messages[0].from, 0);
    assert_int_equal(on_the_way->messages[0].to, 3);
    assert_int_equal(on_the_way->messages[0].start_ps, WORLD_BEGIN_PS);
    assert_int_equal(on_the_way->messages[0].duration_ps, 4 * US);
  }
  assert_int_equal(world_chip(result, 3)->message_count, 0);
  simulator_result_destroy(result);
}

static void test_messages_that_meet_on_a_link_share_it(void **state) {
  (void)state;
  world_t world;
  begin_main(&world, 4);
  // 0 -> 2 and 1 -> 3 share the link from 1 to 2; 2 -> 0 goes the other way alone.
  const int32_t permute = world_permute(&world, 1000000, 0, 2, 1, 3, 2, 0, -1);
  world_task(&world, 0, CHIP_TASK_COLLECTIVE, permute, (chip_work_t){0});
  const torus_t torus = world_torus(4, 1, 1, false);
  simulator_result_t *result = run_alone(&world, &torus);
  assert_int_equal(world_chip(result, 3)->end_ps, WORLD_BEGIN_PS + 8 * US + 2 * US);
  assert_int_equal(world_chip(result, 0)->end_ps, WORLD_BEGIN_PS + 8 * US);
  assert_int_equal(world_chip(result, 1)->links[0].bytes, 8000000);
  assert_int_equal(world_chip(result, 1)->links[0].busy_ps, 8 * US);
  assert_int_equal(world_chip(result, 1)->links[1].busy_ps, 4 * US);
  simulator_result_destroy(result);
}

static void test_a_share_grows_when_another_message_is_through(void **state) {
  (void)state;
  world_t world;
  begin_main(&world, 3);
  const int32_t first = world_permute(&world, 1000000, 0, 2, -1);
  const int32_t second = world_permute(&world, 500000, 1, 2, -1);
  const int32_t a =
      world_task(&world, 0, CHIP_TASK_COLLECTIVE_START, first, (chip_work_t){0});
  const int32_t b =
      world_task(&world, 0, CHIP_TASK_COLLECTIVE_START, second, (chip_work_t){0});
  world_pair(&world, a,
             world_task(&world, 0, CHIP_TASK_COLLECTIVE_DONE, first, (chip_work_t){0}));
  world_pair(&world, b,
             world_task(&world, 0, CHIP_TASK_COLLECTIVE_DONE, second, (chip_work_t){0}));
  const torus_t torus = world_torus(3, 1, 1, false);
  simulator_result_t *result = run_alone(&world, &torus);
  // 4 MB from 3.5 us on; 2 MB from 4 us on, over the link from 1 to 2 together: 0.5 us
  // alone, then both at half rate until the second is through after 4 us at 8 us; by then
  // the first has 1.5 MB left.
  const int64_t start_ps = WORLD_OVERHEAD_PS + WORLD_STARTUP_PS;
  const simulator_chip_t *relay = world_chip(result, 1);
  assert_int_equal(relay->message_count, 2);
  assert_int_equal(relay->messages[0].start_ps, start_ps);
  assert_int_equal(relay->messages[0].duration_ps, 6 * US);
  assert_int_equal(relay->messages[1].start_ps, start_ps + WORLD_OVERHEAD_PS);
  assert_int_equal(relay->messages[1].duration_ps, 4 * US);
  assert_int_equal(relay->links[0].busy_ps, 6 * US);
  simulator_result_destroy(result);
}

// Both directions of a ring over a 2x2, the chips in the given order: how long the first
// message takes and what the links between 0 and 1 carry.
static void run_two_ways(const int32_t order[4], int64_t *out_duration_ps,
                         int64_t *out_link_bytes) {
  world_t world;
  begin_main(&world, 4);
  int32_t starts[2];
  for (int way = 0; way < 2; way++) {
    const int step = way == 0 ? 1 : 3;
    const int32_t permute = world_permute(
        &world, 1000000, order[0], order[step % 4], order[1], order[(1 + step) % 4],
        order[2], order[(2 + step) % 4], order[3], order[(3 + step) % 4], -1);
    starts[way] =
        world_task(&world, 0, CHIP_TASK_COLLECTIVE_START, permute, (chip_work_t){0});
  }
  for (int way = 0; way < 2; way++) {
    world_pair(&world, starts[way],
               world_task(&world, 0, CHIP_TASK_COLLECTIVE_DONE,
                          world.tasks[starts[way]].instruction, (chip_work_t){0}));
  }
  const torus_t torus = world_torus(2, 2, 1, false);
  simulator_result_t *result = run_alone(&world, &torus);
  const simulator_chip_t *chip = world_chip(result, 0);
  *out_duration_ps = chip->links[0].busy_ps;
  *out_link_bytes = chip->links[0].bytes;
  simulator_result_destroy(result);
}

static void test_the_order_of_a_mesh_decides_which_messages_meet(void **state) {
  (void)state;
  int64_t busy_ps;
  int64_t bytes;
  // 1 -> 2 and 3 -> 0 go over corners and meet those that go straight.
  run_two_ways((const int32_t[]){0, 1, 2, 3}, &busy_ps, &bytes);
  assert_int_equal(bytes, 8000000);
  assert_int_equal(busy_ps, 8 * US);
  run_two_ways((const int32_t[]){0, 1, 3, 2}, &busy_ps, &bytes);
  assert_int_equal(bytes, 4000000);
  assert_int_equal(busy_ps, 4 * US);
}

// What the planner lets a chip send, over the first link of each message.
static int64_t planned_bytes(const chip_program_t *program, const torus_t *torus,
                             int32_t chip, torus_direction_t direction) {
  pod_arena_t *arena = pod_arena_create();
  collective_request_t request;
  collective_schedule_t schedule;
  collective_request_of(program, &program->instructions[0], 0, &request);
  request.spec = &world_spec;
  assert_null(collective_plan(&request, torus, chip, arena, &schedule));
  int64_t bytes = 0;
  for (int32_t i = 0; i < schedule.step_count; i++) {
    const collective_step_t *step = &schedule.steps[i];
    const bool sends = step->kind == COLLECTIVE_TRANSFER && step->send_to >= 0;
    bytes += sends && torus_next_hop(torus, chip, step->send_to) == direction
                 ? step->source_bytes
                 : 0;
  }
  pod_arena_destroy(arena);
  return bytes;
}

static void test_links_carry_what_the_schedules_say(void **state) {
  (void)state;
  const torus_t tori[] = {{.size = {8, 1, 1}, .wraps = {true, false, false}},
                          {.size = {4, 4, 1}, .wraps = {true, true, false}},
                          {.size = {4, 2, 1}, .wraps = {false, false, false}},
                          {.size = {4, 4, 4}, .wraps = {true, true, true}}};
  for (size_t i = 0; i < POD_COUNT_OF(tori); i++) {
    const int32_t chips = torus_chip_count(&tori[i]);
    world_t world;
    begin_main(&world, chips);
    const int32_t reduce = world_all_reduce(&world, 3 << 18, chips, 1);
    world_task(&world, 0, CHIP_TASK_COLLECTIVE, reduce, (chip_work_t){0});
    chip_program_t *program = world_end(&world);
    const simulator_options_t options = world_options(&tori[i]);
    simulator_result_t *result = world_run(program, &options);
    for (int32_t chip = 0; chip < chips; chip++) {
      int64_t sent_bytes = 0;
      for (int d = 0; d < TORUS_DIRECTIONS; d++) {
        const int64_t bytes = planned_bytes(program, &tori[i], chip, d);
        assert_int_equal(world_chip(result, chip)->links[d].bytes, bytes);
        sent_bytes += bytes;
      }
      assert_int_equal(world_chip(result, chip)->totals[0].ici_bytes, sent_bytes);
    }
    simulator_result_destroy(result);
    chip_program_destroy(program);
  }
}

static void test_chips_that_wait_for_ever_are_named(void **state) {
  (void)state;
  world_t world;
  world_begin(&world, 2);
  const int32_t index = program_temp(world.builder, shape_of(TENSOR_S32, 0));
  const int32_t talks = program_computation(world.builder, "talks", CHIP_NONE, CHIP_NONE);
  const int32_t permute = world_permute(&world, 100, 0, 1, 1, 0, -1);
  const int32_t silent =
      program_computation(world.builder, "silent", CHIP_NONE, CHIP_NONE);
  const int32_t entry = program_computation(world.builder, "main", CHIP_NONE, CHIP_NONE);
  const int32_t branch =
      program_op(world.builder, CHIP_OP_CASE, index, CHIP_NONE, CHIP_NONE);
  program_call(world.builder, talks);
  program_call(world.builder, silent);
  world_task(&world, talks, CHIP_TASK_COLLECTIVE, permute, (chip_work_t){0});
  world_task(&world, entry, CHIP_TASK_BRANCH, branch, (chip_work_t){0});
  chip_program_t *program = world_end(&world);
  chip_trace_t traces[2];
  for (int chip = 0; chip < 2; chip++) {
    chip_trace_init(&traces[chip], program);
    assert_true(chip_trace_add(&traces[chip], branch, chip));
  }
  const torus_t torus = world_torus(2, 1, 1, false);
  simulator_options_t options = world_options(&torus);
  options.traces = (const chip_trace_t *const[]){&traces[0], &traces[1]};
  simulator_result_t *result = NULL;
  const pod_status_t status = simulator_run(program, &options, &result);
  assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
  assert_non_null(strstr(pod_status_message(status), "chip 0 waits"));
  pod_status_free(status);
  chip_trace_deinit(&traces[0]);
  chip_trace_deinit(&traces[1]);
  chip_program_destroy(program);
}

static void test_compute_hides_what_is_in_flight(void **state) {
  (void)state;
  for (int64_t compute_us = 2; compute_us <= 20; compute_us += 9) {
    world_t world;
    begin_main(&world, 2);
    const int32_t permute = world_permute(&world, 1000000, 0, 1, 1, 0, -1);
    const int32_t any = world_any(&world);
    const int32_t start =
        world_task(&world, 0, CHIP_TASK_COLLECTIVE_START, permute, (chip_work_t){0});
    world_compute(&world, 0, any, compute_us * US, 0);
    world_pair(
        &world, start,
        world_task(&world, 0, CHIP_TASK_COLLECTIVE_DONE, permute, (chip_work_t){0}));
    const torus_t torus = world_torus(2, 1, 1, false);
    simulator_result_t *result = run_alone(&world, &torus);
    const int64_t arrival_ps =
        WORLD_OVERHEAD_PS + WORLD_STARTUP_PS + 4 * US + WORLD_HOP_PS;
    const int64_t ready_ps = WORLD_OVERHEAD_PS + compute_us * US;
    const int64_t waits_ps = arrival_ps > ready_ps ? arrival_ps - ready_ps : 0;
    const simulator_chip_t *chip = world_chip(result, 0);
    assert_int_equal(chip->end_ps, ready_ps + waits_ps + WORLD_OVERHEAD_PS);
    assert_int_equal(chip->waiting_ps, waits_ps);
    assert_int_equal(chip->compute_ps + chip->waiting_ps, chip->end_ps);
    assert_int_equal(chip->totals[0].flight_ps, arrival_ps);
    assert_int_equal(chip->totals[2].waiting_ps, waits_ps);
    assert_int_equal(chip->overlapped_ps, arrival_ps - waits_ps);
    simulator_result_destroy(result);
  }
}

static void test_a_straggler_makes_the_others_wait(void **state) {
  (void)state;
  world_t world;
  begin_main(&world, 2);
  const int32_t permute = world_permute(&world, 1000000, 0, 1, 1, 0, -1);
  const int32_t any = world_any(&world);
  world_compute(&world, 0, any, 10 * US, 0);
  world_task(&world, 0, CHIP_TASK_COLLECTIVE, permute, (chip_work_t){0});
  chip_program_t *program = world_end(&world);
  const torus_t torus = world_torus(2, 1, 1, false);
  simulator_options_t options = world_options(&torus);
  options.slow_chip_count = 1;
  options.slow_chips = &(simulator_slow_chip_t){.chip = 0, .factor = 1.5};
  simulator_result_t *result = world_run(program, &options);
  const int64_t begin_ps = 15 * US + 3 * WORLD_OVERHEAD_PS / 2 + WORLD_STARTUP_PS;
  const int64_t end_ps = begin_ps + 4 * US + WORLD_HOP_PS;
  assert_int_equal(world_chip(result, 0)->end_ps, end_ps);
  assert_int_equal(world_chip(result, 1)->end_ps, end_ps);
  assert_int_equal(world_chip(result, 1)->waiting_ps,
                   end_ps - 10 * US - WORLD_OVERHEAD_PS);
  simulator_result_destroy(result);
  // A late receiver holds the message back: there is no memory to write it to.
  options.slow_chips = &(simulator_slow_chip_t){.chip = 1, .factor = 1.5};
  result = world_run(program, &options);
  assert_int_equal(world_chip(result, 0)->end_ps, end_ps);
  assert_int_equal(world_chip(result, 1)->end_ps, end_ps);
  simulator_result_destroy(result);
  chip_program_destroy(program);
}

static void test_a_slow_link_is_slow_in_both_directions(void **state) {
  (void)state;
  world_t world;
  begin_main(&world, 3);
  const int32_t permute = world_permute(&world, 1000000, 0, 1, 1, 2, 2, 0, -1);
  world_task(&world, 0, CHIP_TASK_COLLECTIVE, permute, (chip_work_t){0});
  chip_program_t *program = world_end(&world);
  const torus_t torus = world_torus(3, 1, 1, false);
  simulator_options_t options = world_options(&torus);
  options.slow_link_count = 1;
  options.slow_links = &(simulator_slow_link_t){.chip = 2, .direction = 1, .factor = 0.5};
  simulator_result_t *result = world_run(program, &options);
  assert_int_equal(world_chip(result, 1)->end_ps, WORLD_BEGIN_PS + 8 * US);
  // 2 -> 0 passes the slow link and then a fast one: the narrowest counts.
  assert_int_equal(world_chip(result, 0)->end_ps, WORLD_BEGIN_PS + 8 * US + 2 * US);
  assert_int_equal(world_chip(result, 1)->links[1].busy_ps, 8 * US);
  simulator_result_destroy(result);
  chip_program_destroy(program);
}

static void test_a_ring_takes_what_the_formula_says(void **state) {
  (void)state;
  for (int32_t n = 4; n <= 16; n *= 2) {
    world_t world;
    begin_main(&world, n);
    const int32_t elements = n * 2 * 65536;
    const int32_t reduce = world_all_reduce(&world, elements, n, 1);
    program_attr(world.builder, CHIP_ATTR_COLLECTIVE_ALGORITHM, COLLECTIVE_RING);
    world_task(&world, 0, CHIP_TASK_COLLECTIVE, reduce, (chip_work_t){0});
    const torus_t torus = world_torus(n, 1, 1, true);
    simulator_result_t *result = run_alone(&world, &torus);
    // Both directions carry half: 2 (n - 1) rounds of a chunk of 4 · elements / 2n bytes.
    const int64_t round_ps = (int64_t)elements * 4 / (2 * n) + WORLD_HOP_PS;
    assert_int_equal(result->step_ps, WORLD_BEGIN_PS + 2 * (n - 1) * round_ps);
    assert_int_equal(result->class_count, 1);
    assert_int_equal(result->classes[0].chip_count, n);
    const int64_t link_bytes = 2 * (int64_t)(n - 1) * elements * 4 / (2 * n);
    assert_int_equal(result->classes[0].links[0].bytes, link_bytes);
    assert_int_equal(result->classes[0].links[1].bytes, link_bytes);
    assert_int_equal(result->classes[0].links[2].bytes, 0);
    simulator_result_destroy(result);
  }
}

static void test_dma_gets_the_hbm_that_the_core_leaves(void **state) {
  (void)state;
  world_t world;
  begin_main(&world, 1);
  const int32_t any = world_any(&world);
  const chip_work_t bytes = {.hbm_read_bytes = 6 * (int64_t)WORLD_HBM * US};
  const int32_t start = world_task(&world, 0, CHIP_TASK_PREFETCH_START, any, bytes);
  world_compute(&world, 0, any, 8 * US, 6 * US);
  world_compute(&world, 0, any, 4 * US, 2 * US);
  const int32_t done = world_task(&world, 0, CHIP_TASK_PREFETCH_DONE, any, bytes);
  world_pair(&world, start, done);
  const torus_t torus = world_torus(1, 1, 1, false);
  simulator_result_t *result = run_alone(&world, &torus);
  // 2 us of HBM from the first task, 2 from the second, 2 left to wait for.
  assert_int_equal(result->step_ps, 14 * US);
  assert_int_equal(result->classes[0].waiting_ps, 2 * US);
  assert_int_equal(result->classes[0].dma_ps, 14 * US);
  assert_int_equal(result->classes[0].totals[0].flight_ps, 14 * US);
  assert_int_equal(result->classes[0].totals[3].waiting_ps, 2 * US);
  simulator_result_destroy(result);
}

// Beside a permute of 4 MB, which is read and written on HBM of ten links: a fifth of it
// for 4 us. Returns how long the task takes.
static int64_t beside_a_permute(int64_t duration_ps, int64_t hbm_ps) {
  world_t world;
  begin_main(&world, 2);
  const int32_t permute = world_permute(&world, 1000000, 0, 1, 1, 0, -1);
  const int32_t start =
      world_task(&world, 0, CHIP_TASK_COLLECTIVE_START, permute, (chip_work_t){0});
  const chip_work_t work = {.mxu_flop = duration_ps - WORLD_OVERHEAD_PS,
                            .mxu_busy_flop = duration_ps - WORLD_OVERHEAD_PS,
                            .hbm_read_bytes = 10 * hbm_ps};
  const int32_t task = world_task(&world, 0, CHIP_TASK_COMPUTE, world_any(&world), work);
  const int32_t done =
      world_task(&world, 0, CHIP_TASK_COLLECTIVE_DONE, permute, (chip_work_t){0});
  world_pair(&world, start, done);
  chip_program_t *program = world_end(&world);
  const torus_t torus = world_torus(2, 1, 1, false);
  simulator_options_t options = world_options(&torus);
  options.spec = world_narrow_spec();
  simulator_result_t *result = world_run(program, &options);
  const int64_t taken_ps = result->classes[0].totals[task].duration_ps;
  assert_int_equal(result->classes[0].compute_ps + result->classes[0].waiting_ps,
                   result->classes[0].end_ps);
  simulator_result_destroy(result);
  chip_program_destroy(program);
  return taken_ps;
}

static void test_a_collective_takes_its_share_of_hbm(void **state) {
  (void)state;
  // What needs HBM all the time gives up a fifth of 4 us.
  const int64_t bound_ps = beside_a_permute(10 * US, 10 * US);
  assert_in_range(bound_ps, 10 * US + 4 * US / 5 - 10, 10 * US + 4 * US / 5 + 10);
  // What leaves enough of it does not notice.
  assert_int_equal(beside_a_permute(10 * US, 9 * US), 10 * US);
  // What is over before the first byte leaves does not either.
  assert_int_equal(beside_a_permute(3 * US, 5 * US / 2), 3 * US);
}

static void test_a_prefetch_in_time_costs_nothing(void **state) {
  (void)state;
  world_t world;
  begin_main(&world, 1);
  const int32_t any = world_any(&world);
  const chip_work_t bytes = {.hbm_read_bytes = 2 * (int64_t)WORLD_HBM * US};
  const int32_t start = world_task(&world, 0, CHIP_TASK_PREFETCH_START, any, bytes);
  world_compute(&world, 0, any, 8 * US, 4 * US);
  const int32_t done = world_task(&world, 0, CHIP_TASK_PREFETCH_DONE, any, bytes);
  world_pair(&world, start, done);
  const torus_t torus = world_torus(1, 1, 1, false);
  simulator_result_t *result = run_alone(&world, &torus);
  assert_int_equal(result->step_ps, 8 * US);
  assert_int_equal(result->classes[0].totals[0].flight_ps, 4 * US);
  simulator_result_destroy(result);
}

// Two to the host, one behind the other, and one from it meanwhile.
static void test_transfers_have_a_queue_for_each_direction(void **state) {
  (void)state;
  world_t world;
  begin_main(&world, 1);
  const torus_t torus = world_torus(1, 1, 1, false);
  const int32_t any = world_any(&world);
  const int64_t rate = (int64_t)world_spec.pcie_bytes_per_s;
  const int64_t latency_ps = world_spec.pcie_latency_ps, ms = 1000 * US;
  const chip_work_t out = {.host_bytes = rate / 1000, .hbm_read_bytes = 1},
                    in = {.host_bytes = rate / 1000, .hbm_written_bytes = 1};
  const int32_t a = world_task(&world, 0, CHIP_TASK_TRANSFER_START, any, out);
  const int32_t b = world_task(&world, 0, CHIP_TASK_TRANSFER_START, any, out);
  const int32_t c = world_task(&world, 0, CHIP_TASK_TRANSFER_START, any, in);
  world_compute(&world, 0, any, ms / 4, 0);
  world_pair(&world, c, world_task(&world, 0, CHIP_TASK_TRANSFER_DONE, any, in));
  world_compute(&world, 0, any, ms / 4, 0);
  world_pair(&world, a, world_task(&world, 0, CHIP_TASK_TRANSFER_DONE, any, out));
  world_pair(&world, b, world_task(&world, 0, CHIP_TASK_TRANSFER_DONE, any, out));
  simulator_result_t *result = run_alone(&world, &torus);
  const simulator_total_t *totals = result->classes[0].totals;
  assert_int_equal(result->step_ps, 2 * ms + latency_ps);
  assert_int_equal(totals[0].flight_ps, ms + latency_ps);
  assert_int_equal(totals[1].flight_ps, 2 * ms + latency_ps);
  assert_int_equal(totals[2].flight_ps, ms + latency_ps);
  assert_int_equal(totals[4].waiting_ps, ms - ms / 4 + latency_ps);
  assert_int_equal(totals[6].waiting_ps, 0);  // It came while the core computed.
  assert_int_equal(result->classes[0].waiting_ps,
                   2 * ms + latency_ps - result->classes[0].compute_ps);
  simulator_result_destroy(result);
}

static void test_loops_and_branches_follow_the_trace(void **state) {
  (void)state;
  world_t world;
  world_begin(&world, 1);
  const tensor_shape_t scalar = shape_of(TENSOR_PRED, 0);
  const int32_t state_buffer = program_temp(world.builder, scalar);
  const int32_t index = program_temp(world.builder, shape_of(TENSOR_S32, 0));
  const int32_t condition = program_computation(world.builder, "condition", state_buffer,
                                                CHIP_NONE, state_buffer, CHIP_NONE);
  const int32_t in_condition = world_any(&world);
  const int32_t body = program_computation(world.builder, "body", state_buffer, CHIP_NONE,
                                           state_buffer, CHIP_NONE);
  const int32_t in_body = world_any(&world);
  const int32_t cheap = program_computation(world.builder, "cheap", CHIP_NONE, CHIP_NONE);
  const int32_t in_cheap = world_any(&world);
  const int32_t dear = program_computation(world.builder, "dear", CHIP_NONE, CHIP_NONE);
  const int32_t in_dear = world_any(&world);
  const int32_t entry = program_computation(world.builder, "main", CHIP_NONE, CHIP_NONE);
  const int32_t loop =
      program_op(world.builder, CHIP_OP_WHILE, CHIP_NONE, state_buffer, CHIP_NONE);
  program_call(world.builder, condition);
  program_call(world.builder, body);
  const int32_t branch =
      program_op(world.builder, CHIP_OP_CASE, index, CHIP_NONE, CHIP_NONE);
  program_call(world.builder, cheap);
  program_call(world.builder, dear);
  world_compute(&world, condition, in_condition, US, 0);
  world_compute(&world, body, in_body, 10 * US, 0);
  world_compute(&world, cheap, in_cheap, 2 * US, 0);
  world_compute(&world, dear, in_dear, 100 * US, 0);
  world_task(&world, entry, CHIP_TASK_WHILE, loop, (chip_work_t){0});
  world_task(&world, entry, CHIP_TASK_BRANCH, branch, (chip_work_t){0});
  chip_program_t *program = world_end(&world);
  chip_trace_t trace;
  chip_trace_init(&trace, program);
  assert_true(chip_trace_add(&trace, loop, 3));
  const chip_trace_t *traces[] = {&trace};
  const torus_t torus = world_torus(1, 1, 1, false);
  simulator_options_t options = world_options(&torus);
  options.traces = traces;
  simulator_result_t *result = NULL;
  const pod_status_t status = simulator_run(program, &options, &result);
  assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
  pod_status_free(status);
  assert_true(chip_trace_add(&trace, branch, 1));
  result = world_run(program, &options);
  assert_int_equal(result->step_ps, (4 * 1 + 3 * 10 + 100) * (int64_t)US);
  const simulator_total_t *totals = result->classes[0].totals;
  assert_int_equal(totals[0].run_count, 4);
  assert_int_equal(totals[1].run_count, 3);
  assert_int_equal(totals[2].run_count, 0);
  assert_int_equal(totals[3].run_count, 1);
  assert_int_equal(totals[4].run_count, 1);
  assert_int_equal(totals[4].duration_ps, 34 * US);
  assert_int_equal(totals[5].duration_ps, 100 * US);
  simulator_result_destroy(result);
  // The launch comes once, the turn of the loop as often as its body; kernels bring
  // their own.
  chip_spec_t spec = world_spec;
  spec.launch_ps = 1000 * US;
  spec.loop_turn_ps = 10000 * (int64_t)US;
  options.spec = &spec;
  result = world_run(program, &options);
  assert_int_equal(result->step_ps, (34 + 100 + 1000 + 3 * 10000) * (int64_t)US);
  assert_int_equal(result->classes[0].compute_ps, result->step_ps);
  assert_int_equal(result->classes[0].totals[4].duration_ps,
                   (34 + 3 * 10000) * (int64_t)US);
  simulator_result_destroy(result);
  chip_trace_deinit(&trace);
  chip_program_destroy(program);
}

static void test_a_run_that_is_cancelled_ends(void **state) {
  (void)state;
  world_t world;
  world_begin(&world, 2);
  const int32_t entry = program_computation(world.builder, "main", CHIP_NONE, CHIP_NONE);
  const int32_t permute = world_permute(&world, 100, 0, 1, 1, 0, -1);
  const int32_t any = world_any(&world);
  world_task(&world, entry, CHIP_TASK_COLLECTIVE, permute, (chip_work_t){0});
  world_compute(&world, entry, any, US, 0);
  chip_program_t *program = world_end(&world);
  const torus_t torus = world_torus(2, 1, 1, false);
  simulator_options_t options = world_options(&torus);
  atomic_bool is_cancelled = false;
  options.is_cancelled = &is_cancelled;
  simulator_result_destroy(world_run(program, &options));
  atomic_store(&is_cancelled, true);
  simulator_result_t *result = NULL;
  const pod_status_t status = simulator_run(program, &options, &result);
  assert_int_equal(pod_status_code(status), POD_CANCELLED);
  assert_null(result);
  pod_status_free(status);
  chip_program_destroy(program);
}

static void test_what_takes_for_ever_is_an_error(void **state) {
  (void)state;
  world_t world;
  begin_main(&world, 1);
  const int32_t any = world_any(&world);
  world_compute(&world, 0, any, US, 0);
  world_compute(&world, 0, any, INT64_MAX, 0);
  chip_program_t *program = world_end(&world);
  const torus_t torus = world_torus(1, 1, 1, false);
  const simulator_options_t options = world_options(&torus);
  simulator_result_t *result = NULL;
  const pod_status_t status = simulator_run(program, &options, &result);
  assert_int_equal(pod_status_code(status), POD_OUT_OF_RANGE);
  pod_status_free(status);
  chip_program_destroy(program);
}

static void test_slowdowns_outside_their_ranges_are_refused(void **state) {
  (void)state;
  world_t world;
  begin_main(&world, 2);
  world_compute(&world, 0, world_any(&world), US, 0);
  chip_program_t *program = world_end(&world);
  const torus_t torus = world_torus(2, 1, 1, false);
  const simulator_slow_chip_t chips[] = {{0, 0}, {0, 65}, {2, 1}, {-1, 1}};
  const simulator_slow_link_t links[] = {{0, 0, 0}, {0, 1, 0.5}, {0, 2, 0.5}, {5, 0, 1}};
  for (int i = 0; i < 4; i++) {
    simulator_options_t options = world_options(&torus);
    simulator_result_t *result = NULL;
    options.slow_chip_count = 1;
    options.slow_chips = &chips[i];
    pod_status_t status = simulator_run(program, &options, &result);
    assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
    pod_status_free(status);
    options.slow_chip_count = 0;
    options.slow_link_count = 1;
    options.slow_links = &links[i];
    status = simulator_run(program, &options, &result);
    assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
    pod_status_free(status);
  }
  chip_program_destroy(program);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tasks_follow_each_other),
      cmocka_unit_test(test_collectives_that_differ_in_their_algorithm_only_are_not_one),
      cmocka_unit_test(test_a_message_takes_its_bytes_and_its_hops),
      cmocka_unit_test(test_messages_that_meet_on_a_link_share_it),
      cmocka_unit_test(test_a_share_grows_when_another_message_is_through),
      cmocka_unit_test(test_the_order_of_a_mesh_decides_which_messages_meet),
      cmocka_unit_test(test_links_carry_what_the_schedules_say),
      cmocka_unit_test(test_chips_that_wait_for_ever_are_named),
      cmocka_unit_test(test_compute_hides_what_is_in_flight),
      cmocka_unit_test(test_a_straggler_makes_the_others_wait),
      cmocka_unit_test(test_a_slow_link_is_slow_in_both_directions),
      cmocka_unit_test(test_a_ring_takes_what_the_formula_says),
      cmocka_unit_test(test_dma_gets_the_hbm_that_the_core_leaves),
      cmocka_unit_test(test_a_collective_takes_its_share_of_hbm),
      cmocka_unit_test(test_a_prefetch_in_time_costs_nothing),
      cmocka_unit_test(test_transfers_have_a_queue_for_each_direction),
      cmocka_unit_test(test_loops_and_branches_follow_the_trace),
      cmocka_unit_test(test_a_run_that_is_cancelled_ends),
      cmocka_unit_test(test_what_takes_for_ever_is_an_error),
      cmocka_unit_test(test_slowdowns_outside_their_ranges_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
