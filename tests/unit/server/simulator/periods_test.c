// Turns of loops that are passed over against running all of them: the same to the
// picosecond.

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "server/simulator/simulator.h"
#include "tests/unit/server/simulator/random_world.h"

enum { SEED_COUNT = 600, BRANCHES = 2 };

typedef struct loops_t {
  chip_program_t *program;
  int32_t outer, inner, branch;  // Instructions.
} loops_t;

static int32_t add_while(world_t *world, int32_t state, int32_t condition, int32_t body) {
  const int32_t loop =
      program_op(world->builder, CHIP_OP_WHILE, CHIP_NONE, state, CHIP_NONE);
  program_call(world->builder, condition);
  program_call(world->builder, body);
  return loop;
}

static int32_t add_condition(world_t *world, dice_t *dice, const char *name,
                             int32_t state) {
  const int32_t condition =
      program_computation(world->builder, name, state, CHIP_NONE, state, CHIP_NONE);
  add_compute(world, dice, condition, world_any(world));
  return condition;
}

// main: tasks, then a loop of tasks, an inner loop, a branch, a prefetch; then tasks.
static loops_t make_loops(const torus_t *torus, dice_t *dice) {
  world_t world;
  world_begin(&world, torus_chip_count(torus));
  const int32_t state = program_temp(world.builder, shape_of(TENSOR_PRED, 0));
  const int32_t index = program_temp(world.builder, shape_of(TENSOR_S32, 0));
  loops_t loops;
  int32_t branches[BRANCHES];
  for (int i = 0; i < BRANCHES; i++) {
    branches[i] = program_computation(world.builder, "branch", CHIP_NONE, CHIP_NONE);
    add_compute(&world, dice, branches[i], world_any(&world));
  }
  const int32_t inner_condition = add_condition(&world, dice, "inner_condition", state);
  const int32_t inner_body = program_computation(world.builder, "inner_body", state,
                                                 CHIP_NONE, state, CHIP_NONE);
  const int32_t in_inner = world_any(&world);
  if (roll(dice, 2) == 0) {
    world_task(&world, inner_body, CHIP_TASK_COLLECTIVE,
               add_collective(&world, torus, dice), (chip_work_t){0});
  }
  add_compute(&world, dice, inner_body, in_inner);
  const int32_t condition = add_condition(&world, dice, "condition", state);
  const int32_t body =
      program_computation(world.builder, "body", state, CHIP_NONE, state, CHIP_NONE);
  const int32_t in_body = world_any(&world);
  add_tasks(&world, torus, dice, body);
  loops.inner = add_while(&world, state, inner_condition, inner_body);
  world_task(&world, body, CHIP_TASK_WHILE, loops.inner, (chip_work_t){0});
  add_prefetch(&world, dice, body, in_body);
  add_transfer(&world, dice, body, in_body);
  loops.branch = program_op(world.builder, CHIP_OP_CASE, index, CHIP_NONE, CHIP_NONE);
  program_call(world.builder, branches[0]);
  program_call(world.builder, branches[1]);
  world_task(&world, body, CHIP_TASK_BRANCH, loops.branch, (chip_work_t){0});
  const int32_t entry = program_computation(world.builder, "main", CHIP_NONE, CHIP_NONE);
  const int32_t in_entry = world_any(&world);
  const int32_t over = world_task(&world, entry, CHIP_TASK_COLLECTIVE_START,
                                  add_collective(&world, torus, dice), (chip_work_t){0});
  add_compute(&world, dice, entry, in_entry);
  loops.outer = add_while(&world, state, condition, body);
  world_task(&world, entry, CHIP_TASK_WHILE, loops.outer, (chip_work_t){0});
  end_open(&world, entry, CHIP_TASK_COLLECTIVE_DONE, over);
  add_tasks(&world, torus, dice, entry);
  loops.program = world_end(&world);
  return loops;
}

// What comes again after 1, 2 or 3 turns, or never.
static void add_values(chip_trace_t *trace, dice_t *dice, int32_t instruction,
                       int32_t count, int32_t most) {
  int32_t values[3];
  for (int i = 0; i < 3; i++) {
    values[i] = roll(dice, most);
  }
  const int32_t period = roll(dice, 4);
  for (int32_t i = 0; i < count; i++) {
    const int64_t value = period == 0 ? roll(dice, most) : values[i % period];
    assert_true(chip_trace_add(trace, instruction, value));
  }
}

static void make_trace(const loops_t *loops, dice_t *dice, int32_t turns,
                       chip_trace_t *out_trace) {
  chip_trace_init(out_trace, loops->program);
  assert_true(chip_trace_add(out_trace, loops->outer, turns));
  add_values(out_trace, dice, loops->inner, turns, 6);
  add_values(out_trace, dice, loops->branch, turns, BRANCHES);
}

static void assert_same_logs(const simulator_chip_t *x, const simulator_chip_t *y) {
  assert_int_equal(x->event_count, y->event_count);
  assert_int_equal(x->message_count, y->message_count);
  assert_int_equal(x->events_dropped, y->events_dropped);
  assert_int_equal(x->messages_dropped, y->messages_dropped);
  for (int64_t i = 0; i < x->event_count; i++) {
    assert_int_equal(x->events[i].task, y->events[i].task);
    assert_int_equal(x->events[i].start_ps, y->events[i].start_ps);
    assert_int_equal(x->events[i].duration_ps, y->events[i].duration_ps);
    assert_int_equal(x->events[i].flight_ps, y->events[i].flight_ps);
  }
  for (int64_t i = 0; i < x->message_count; i++) {
    assert_int_equal(x->messages[i].task, y->messages[i].task);
    assert_int_equal(x->messages[i].from, y->messages[i].from);
    assert_int_equal(x->messages[i].to, y->messages[i].to);
    assert_int_equal(x->messages[i].channel, y->messages[i].channel);
    assert_int_equal(x->messages[i].start_ps, y->messages[i].start_ps);
    assert_int_equal(x->messages[i].duration_ps, y->messages[i].duration_ps);
    assert_int_equal(x->messages[i].size_bytes, y->messages[i].size_bytes);
  }
}

static void assert_same_class(const chip_program_t *program, const simulator_chip_t *x,
                              const simulator_chip_t *y) {
  assert_int_equal(x->end_ps, y->end_ps);
  assert_int_equal(x->compute_ps, y->compute_ps);
  assert_int_equal(x->waiting_ps, y->waiting_ps);
  assert_int_equal(x->overlapped_ps, y->overlapped_ps);
  assert_int_equal(x->mxu_ps, y->mxu_ps);
  assert_int_equal(x->vpu_ps, y->vpu_ps);
  assert_int_equal(x->hbm_ps, y->hbm_ps);
  assert_int_equal(x->dma_ps, y->dma_ps);
  assert_int_equal(x->ici_ps, y->ici_ps);
  assert_memory_equal(x->totals, y->totals,
                      (size_t)program->task_count * sizeof(*x->totals));
  assert_memory_equal(x->links, y->links, sizeof(x->links));
  assert_same_logs(x, y);
}

// Returns the steps that were saved.
static int64_t compare_both(const chip_program_t *program, simulator_options_t options) {
  simulator_result_t *fast = world_run(program, &options);
  options.runs_every_turn = true;
  simulator_result_t *slow = world_run(program, &options);
  assert_int_equal(fast->class_count, slow->class_count);
  assert_int_equal(fast->step_ps, slow->step_ps);
  for (int32_t i = 0; i < fast->class_count; i++) {
    assert_same_class(program, &fast->classes[i], &slow->classes[i]);
  }
  const int64_t saved = slow->steps_simulated - fast->steps_simulated;
  simulator_result_destroy(fast);
  simulator_result_destroy(slow);
  return saved;
}

static void test_turns_that_repeat_take_what_running_them_takes(void **state) {
  (void)state;
  const torus_t tori[] = {
      {.size = {4, 1, 1}, .wraps = {true, false, false}},
      {.size = {4, 4, 1}, .wraps = {true, true, false}},
      {.size = {2, 2, 1}, .wraps = {false, false, false}},
      {.size = {3, 2, 1}, .wraps = {false, false, false}},
      {.size = {4, 2, 2}, .wraps = {true, false, false}},
      {.size = {1, 1, 1}, .wraps = {false, false, false}},
  };
  int32_t saved_count = 0;
  for (uint64_t seed = 0; seed < SEED_COUNT; seed++) {
    dice_t dice = {.state = seed};
    const torus_t *torus = &tori[roll(&dice, POD_COUNT_OF(tori))];
    const int32_t chips = torus_chip_count(torus);
    const loops_t loops = make_loops(torus, &dice);
    chip_trace_t trace;
    make_trace(&loops, &dice, roll(&dice, 60), &trace);
    const chip_trace_t *traces[64];
    for (int32_t i = 0; i < chips; i++) {
      traces[i] = &trace;
    }
    simulator_options_t options = world_options(torus);
    options.spec = seed % 2 == 0 ? &world_spec : world_narrow_spec();
    options.traces = traces;
    const simulator_slow_chip_t chip = {roll(&dice, chips), 1.0 + 0.1 * roll(&dice, 9)};
    const simulator_slow_link_t link = {roll(&dice, chips), 0,
                                        0.3 + 0.1 * roll(&dice, 9)};
    options.slow_chips = &chip;
    options.slow_links = &link;
    options.uses_events_only = roll(&dice, 3) == 0;
    static const int64_t rooms[] = {1 << 16, 0, 7, 100, 333};
    options.events_max = rooms[roll(&dice, POD_COUNT_OF(rooms))];
    saved_count += compare_both(loops.program, options) > 0;
    options.slow_chip_count = 1;
    saved_count += compare_both(loops.program, options) > 0;
    options.slow_link_count = torus_neighbour(torus, link.chip, 0) >= 0 ? 1 : 0;
    saved_count += compare_both(loops.program, options) > 0;
    chip_trace_deinit(&trace);
    chip_program_destroy(loops.program);
  }
  // Otherwise nothing has been tested.
  assert_true(saved_count > SEED_COUNT);
}

// A program of one loop.
typedef struct lone_loop_t {
  world_t world;
  dice_t dice;
  int32_t flag, condition, body;
} lone_loop_t;

static void begin_lone_loop(lone_loop_t *loop, int32_t chips) {
  world_begin(&loop->world, chips);
  loop->flag = program_temp(loop->world.builder, shape_of(TENSOR_PRED, 0));
  loop->dice = (dice_t){.state = 1};
  loop->condition = add_condition(&loop->world, &loop->dice, "condition", loop->flag);
  loop->body = program_computation(loop->world.builder, "body", loop->flag, CHIP_NONE,
                                   loop->flag, CHIP_NONE);
}

static chip_program_t *end_lone_loop(lone_loop_t *loop, int32_t entry,
                                     int32_t *out_loop) {
  *out_loop = add_while(&loop->world, loop->flag, loop->condition, loop->body);
  world_task(&loop->world, entry, CHIP_TASK_WHILE, *out_loop, (chip_work_t){0});
  return world_end(&loop->world);
}

// A loop of so many turns that running them all would take hours.
static void test_a_long_loop_takes_no_longer_than_a_short_one(void **state) {
  (void)state;
  const torus_t torus = {.size = {4, 4, 1}, .wraps = {true, true, false}};
  const int64_t turns[] = {1000, 1000000000};
  int64_t steps[POD_COUNT_OF(turns)], ends_ps[POD_COUNT_OF(turns)];
  for (size_t i = 0; i < POD_COUNT_OF(turns); i++) {
    lone_loop_t lone;
    begin_lone_loop(&lone, 16);
    world_t *world = &lone.world;
    const int32_t start =
        world_task(world, lone.body, CHIP_TASK_COLLECTIVE_START,
                   world_all_reduce(world, 4096, 4, 1), (chip_work_t){0});
    add_compute(world, &lone.dice, lone.body, world_any(world));
    end_open(world, lone.body, CHIP_TASK_COLLECTIVE_DONE, start);
    const int32_t entry =
        program_computation(world->builder, "main", CHIP_NONE, CHIP_NONE);
    int32_t loop;
    chip_program_t *program = end_lone_loop(&lone, entry, &loop);
    chip_trace_t trace;
    chip_trace_init(&trace, program);
    assert_true(chip_trace_add(&trace, loop, turns[i]));
    const chip_trace_t *traces[16];
    for (int chip = 0; chip < 16; chip++) {
      traces[chip] = &trace;
    }
    simulator_options_t options = world_options(&torus);
    options.traces = traces;
    options.events_max = 10;
    simulator_result_t *result = world_run(program, &options);
    assert_int_equal(result->classes[0].totals[0].run_count, turns[i] + 1);
    steps[i] = result->steps_simulated;
    ends_ps[i] = result->step_ps;
    simulator_result_destroy(result);
    chip_trace_deinit(&trace);
    chip_program_destroy(program);
  }
  assert_int_equal(steps[0], steps[1]);
  // Every turn takes the same, as does what is around them.
  const int64_t turn_ps = (ends_ps[1] - ends_ps[0]) / (turns[1] - turns[0]);
  assert_int_equal(ends_ps[1] - ends_ps[0], turn_ps * (turns[1] - turns[0]));
  assert_true(turn_ps > WORLD_BEGIN_PS);
}

// Turns that begin alike go on as their branches say. What comes again every six turns is
// passed over when it has come once, not only behind the eighth turn.
static void test_a_period_of_some_turns_is_found_when_it_has_been_once(void **state) {
  (void)state;
  enum { PERIOD = 6, TURNS = 100 * PERIOD, ENOUGH = 2 * PERIOD + 2 };
  static const int32_t inner[PERIOD] = {3, 0, 2, 2, 5, 1};
  const torus_t torus = {.size = {1, 1, 1}};
  dice_t dice = {.state = 3};
  const loops_t loops = make_loops(&torus, &dice);
  chip_trace_t trace;
  chip_trace_init(&trace, loops.program);
  assert_true(chip_trace_add(&trace, loops.outer, TURNS));
  for (int32_t i = 0; i < TURNS; i++) {
    assert_true(chip_trace_add(&trace, loops.inner, inner[i % PERIOD]));
    assert_true(chip_trace_add(&trace, loops.branch, i % PERIOD == 4));
  }
  const chip_trace_t *traces[] = {&trace};
  simulator_options_t options = world_options(&torus);
  options.traces = traces;
  options.events_max = 1 << 16;
  simulator_result_t *fast = world_run(loops.program, &options);
  const int64_t saved = compare_both(loops.program, options);
  const int64_t all = saved + fast->steps_simulated;
  assert_true(fast->steps_simulated * TURNS < all * ENOUGH);
  simulator_result_destroy(fast);
  chip_trace_deinit(&trace);
  chip_program_destroy(loops.program);
}

// A loop over one body on a closed ring of 8 chips, the last of which is slower than the
// others, behind what takes it far longer than them.
static chip_program_t *make_late_loop(int32_t *out_loop) {
  lone_loop_t lone;
  begin_lone_loop(&lone, 8);
  world_t *world = &lone.world;
  const int32_t start = world_task(world, lone.body, CHIP_TASK_COLLECTIVE_START,
                                   world_all_reduce(world, 4096, 8, 1), (chip_work_t){0});
  world_compute(world, lone.body, world_any(world), 1000 * US, 0);
  end_open(world, lone.body, CHIP_TASK_COLLECTIVE_DONE, start);
  world_task(world, lone.body, CHIP_TASK_COLLECTIVE, world_all_reduce(world, 4096, 8, 1),
             (chip_work_t){0});
  const int32_t entry = program_computation(world->builder, "main", CHIP_NONE, CHIP_NONE);
  world_compute(world, entry, world_any(world), 300 * US, 0);
  return end_lone_loop(&lone, entry, out_loop);
}

static int64_t steps_of_late_loop(int64_t turns, double slowdown) {
  const torus_t torus = {.size = {8, 1, 1}, .wraps = {true, false, false}};
  int32_t loop;
  chip_program_t *program = make_late_loop(&loop);
  chip_trace_t trace;
  chip_trace_init(&trace, program);
  assert_true(chip_trace_add(&trace, loop, turns));
  const chip_trace_t *traces[8];
  for (int chip = 0; chip < 8; chip++) {
    traces[chip] = &trace;
  }
  const simulator_slow_chip_t chip = {7, slowdown};
  simulator_options_t options = world_options(&torus);
  options.traces = traces;
  options.slow_chips = &chip;
  options.slow_chip_count = 1;
  options.events_max = 0;
  simulator_result_t *result = world_run(program, &options);
  const int64_t steps = result->steps_simulated;
  assert_true(result->rounds_simulated > 0);
  simulator_result_destroy(result);
  chip_trace_deinit(&trace);
  chip_program_destroy(program);
  return steps;
}

// By rounds two turns that end alike are enough to know all others, the last one too.
// When the core computed in a turn that is over, while its collectives were under way, is
// nobody's business any more: the first turn takes another way than the second to the
// same end.
static void test_all_turns_behind_two_that_end_alike_are_passed_over(void **state) {
  (void)state;
  assert_int_equal(steps_of_late_loop(1000, 2), steps_of_late_loop(2, 2));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_turns_that_repeat_take_what_running_them_takes),
      cmocka_unit_test(test_a_long_loop_takes_no_longer_than_a_short_one),
      cmocka_unit_test(test_a_period_of_some_turns_is_found_when_it_has_been_once),
      cmocka_unit_test(test_all_turns_behind_two_that_end_alike_are_passed_over),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
