// Classes of chips against every chip by itself: the same to the picosecond.

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "server/simulator/simulator.h"
#include "tests/unit/server/simulator/world.h"

enum { US = 1000000, OPS_MAX = 8, SEED_COUNT = 60 };

typedef struct dice_t {
  uint64_t state;
} dice_t;

static int32_t roll(dice_t *dice, int32_t sides) {
  dice->state =
      dice->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (int32_t)((dice->state >> 33) % (uint64_t)sides);
}

// Every chip to the one a displacement away, where that is inside.
static int32_t add_shift(world_t *world, const torus_t *torus, dice_t *dice,
                         int32_t elements) {
  const tensor_shape_t shape = shape_of(TENSOR_F32, 1, elements);
  const int32_t in = program_temp(world->builder, shape);
  const int32_t out = program_temp(world->builder, shape);
  const int32_t by[] = {roll(dice, torus->size[0]), roll(dice, torus->size[1]),
                        roll(dice, torus->size[2])};
  int64_t *pairs = calloc((size_t)world->chips * 2, sizeof(*pairs));
  int32_t count = 0;
  for (int32_t chip = 0; chip < world->chips; chip++) {
    torus_coords_t coords = torus_coords(torus, chip);
    for (int d = 0; d < TORUS_DIMENSIONS; d++) {
      coords.at[d] += by[d];
      coords.at[d] %= torus->wraps[d] ? torus->size[d] : INT32_MAX;
    }
    if (torus_contains(torus, coords)) {
      pairs[count++] = chip;
      pairs[count++] = torus_chip_at(torus, coords);
    }
  }
  const int32_t instruction = program_op(world->builder, CHIP_OP_COLLECTIVE_PERMUTE, in,
                                         CHIP_NONE, out, CHIP_NONE);
  program_attr_list(world->builder, CHIP_ATTR_SOURCE_TARGET_PAIRS, count, pairs);
  free(pairs);
  return instruction;
}

static int32_t add_all_to_all(world_t *world, int32_t elements, int32_t size,
                              int32_t stride) {
  const tensor_shape_t shape = shape_of(TENSOR_F32, 1, elements * size);
  const int32_t in = program_temp(world->builder, shape);
  const int32_t out = program_temp(world->builder, shape);
  const int32_t instruction =
      program_op(world->builder, CHIP_OP_ALL_TO_ALL, in, CHIP_NONE, out, CHIP_NONE);
  int64_t *groups = calloc((size_t)world->chips, sizeof(*groups));
  world_groups(world, size, stride, groups);
  program_attr_list(world->builder, CHIP_ATTR_REPLICA_GROUPS, world->chips, groups);
  program_attr(world->builder, CHIP_ATTR_GROUP_SIZE, size);
  program_attr(world->builder, CHIP_ATTR_SPLIT_DIMENSION, 0);
  program_attr(world->builder, CHIP_ATTR_CONCAT_DIMENSION, 0);
  program_attr(world->builder, CHIP_ATTR_SPLIT_COUNT, size);
  free(groups);
  return instruction;
}

static int32_t add_collective(world_t *world, const torus_t *torus, dice_t *dice) {
  const int32_t axis = roll(dice, TORUS_DIMENSIONS);
  const int32_t strides[] = {1, torus->size[0], torus->size[0] * torus->size[1]};
  const int32_t elements = 8 << roll(dice, 15);
  switch (roll(dice, 4)) {
    case 0:
      return add_shift(world, torus, dice, elements);
    case 1:
      return add_all_to_all(world, elements, torus->size[axis], strides[axis]);
    case 2:
      return world_all_reduce(world, elements * 16, world->chips, 1);
    default:
      return world_all_reduce(world, elements * 16 + roll(dice, 8) / 7, torus->size[axis],
                              strides[axis]);
  }
}

static void add_compute(world_t *world, dice_t *dice, int32_t any) {
  const int32_t us = 1 + roll(dice, 40);
  world_compute(world, 0, any, us * (int64_t)US, roll(dice, us) * (int64_t)US);
}

// Collectives that wait, and some that fly over computing and over each other.
static chip_program_t *make_program(const torus_t *torus, dice_t *dice) {
  world_t world;
  world_begin(&world, torus_chip_count(torus));
  program_computation(world.builder, "main", CHIP_NONE, CHIP_NONE);
  const int32_t any = world_any(&world);
  const int32_t count = 1 + roll(dice, OPS_MAX);
  int32_t open[OPS_MAX];
  int32_t open_count = 0;
  for (int32_t i = 0; i < count; i++) {
    const int32_t collective = add_collective(&world, torus, dice);
    const chip_work_t bytes = {.hbm_read_bytes = 3 * US};
    if (roll(dice, 2) == 0) {
      world_task(&world, 0, CHIP_TASK_COLLECTIVE, collective, bytes);
    } else {
      open[open_count++] =
          world_task(&world, 0, CHIP_TASK_COLLECTIVE_START, collective, bytes);
    }
    add_compute(&world, dice, any);
    if (open_count > 0 && roll(dice, 3) == 0) {
      const int32_t start = open[--open_count];
      world_pair(&world, start,
                 world_task(&world, 0, CHIP_TASK_COLLECTIVE_DONE,
                            world.tasks[start].instruction, bytes));
    }
  }
  while (open_count > 0) {
    const int32_t start = open[--open_count];
    world_pair(&world, start,
               world_task(&world, 0, CHIP_TASK_COLLECTIVE_DONE,
                          world.tasks[start].instruction, (chip_work_t){0}));
  }
  return world_end(&world);
}

static void assert_same_chip(const chip_program_t *program, const simulator_chip_t *x,
                             const simulator_chip_t *y) {
  assert_int_equal(x->end_ps, y->end_ps);
  assert_int_equal(x->compute_ps, y->compute_ps);
  assert_int_equal(x->waiting_ps, y->waiting_ps);
  assert_int_equal(x->overlapped_ps, y->overlapped_ps);
  assert_int_equal(x->ici_ps, y->ici_ps);
  assert_int_equal(x->dma_ps, y->dma_ps);
  assert_int_equal(x->compute_ps + x->waiting_ps, x->end_ps);
  assert_memory_equal(x->totals, y->totals,
                      (size_t)program->task_count * sizeof(*x->totals));
  assert_memory_equal(x->links, y->links, sizeof(x->links));
  assert_int_equal(x->event_count, y->event_count);
  assert_int_equal(x->message_count, y->message_count);
  assert_int_equal(x->events_dropped + x->messages_dropped, 0);
  for (int64_t i = 0; i < x->event_count; i++) {
    assert_int_equal(x->events[i].task, y->events[i].task);
    assert_int_equal(x->events[i].start_ps, y->events[i].start_ps);
    assert_int_equal(x->events[i].duration_ps, y->events[i].duration_ps);
    assert_int_equal(x->events[i].flight_ps, y->events[i].flight_ps);
  }
}

static void assert_same_messages(const torus_t *torus, int32_t chip,
                                 const simulator_chip_t *x, const simulator_chip_t *y) {
  for (int64_t i = 0; i < x->message_count; i++) {
    assert_int_equal(x->messages[i].start_ps, y->messages[i].start_ps);
    assert_int_equal(x->messages[i].duration_ps, y->messages[i].duration_ps);
    assert_int_equal(x->messages[i].size_bytes, y->messages[i].size_bytes);
    assert_int_equal(x->messages[i].direction, y->messages[i].direction);
    assert_int_equal(x->messages[i].task, y->messages[i].task);
    if (x->representative == chip) {
      assert_int_equal(x->messages[i].from, y->messages[i].from);
      assert_int_equal(x->messages[i].to, y->messages[i].to);
    }
    assert_true(torus_distance(torus, y->messages[i].from, y->messages[i].to) > 0);
  }
}

// Returns the classes that were found.
static int32_t compare_both(const chip_program_t *program, simulator_options_t options) {
  simulator_result_t *fast = world_run(program, &options);
  options.ignores_symmetry = true;
  options.uses_events_only = true;
  simulator_result_t *slow = world_run(program, &options);
  const int32_t chips = torus_chip_count(options.torus);
  assert_int_equal(slow->class_count, chips);
  assert_int_equal(fast->step_ps, slow->step_ps);
  int32_t members = 0;
  for (int32_t i = 0; i < fast->class_count; i++) {
    members += fast->classes[i].chip_count;
  }
  assert_int_equal(members, chips);
  for (int32_t chip = 0; chip < chips; chip++) {
    assert_same_chip(program, world_chip(fast, chip), world_chip(slow, chip));
    assert_same_messages(options.torus, chip, world_chip(fast, chip),
                         world_chip(slow, chip));
  }
  const int32_t classes = fast->class_count;
  simulator_result_destroy(fast);
  simulator_result_destroy(slow);
  return classes;
}

static void test_classes_do_what_their_chips_do(void **state) {
  (void)state;
  const torus_t tori[] = {
      {{8, 1, 1}, {true, false, false}},  {{4, 4, 1}, {true, true, false}},
      {{6, 6, 1}, {true, true, false}},   {{4, 4, 4}, {true, true, true}},
      {{16, 1, 1}, {true, false, false}}, {{8, 4, 1}, {true, true, false}},
      {{2, 2, 1}, {false, false, false}}, {{3, 2, 1}, {false, false, false}},
      {{8, 3, 1}, {true, false, false}},  {{4, 4, 2}, {true, true, true}},
      {{3, 3, 3}, {true, true, true}},    {{5, 1, 1}, {false, false, false}},
  };
  int32_t chips_in_all = 0;
  int32_t classes_in_all = 0;
  for (uint64_t seed = 0; seed < SEED_COUNT; seed++) {
    dice_t dice = {.state = seed};
    const torus_t *torus = &tori[roll(&dice, POD_COUNT_OF(tori))];
    const int32_t chips = torus_chip_count(torus);
    chip_program_t *program = make_program(torus, &dice);
    simulator_options_t options = world_options(torus);
    const simulator_slow_chip_t chip = {roll(&dice, chips), 1.0 + 0.1 * roll(&dice, 9)};
    const simulator_slow_link_t link = {roll(&dice, chips), 0,
                                        0.3 + 0.1 * roll(&dice, 9)};
    options.slow_chips = &chip;
    options.slow_links = &link;
    const int32_t classes = compare_both(program, options);
    classes_in_all += classes;
    chips_in_all += chips;
    options.slow_chip_count = 1;
    compare_both(program, options);
    options.slow_link_count = torus_neighbour(torus, link.chip, 0) >= 0 ? 1 : 0;
    compare_both(program, options);
    chip_program_destroy(program);
  }
  // Otherwise nothing has been tested.
  assert_true(classes_in_all < chips_in_all * 2 / 3);
}

static void test_the_same_run_has_the_same_result(void **state) {
  (void)state;
  const torus_t torus = {{4, 4, 1}, {true, true, false}};
  dice_t dice = {.state = 7};
  chip_program_t *program = make_program(&torus, &dice);
  simulator_options_t options = world_options(&torus);
  options.ignores_symmetry = true;
  const simulator_slow_chip_t slow = {3, 1.7};
  options.slow_chips = &slow;
  options.slow_chip_count = 1;
  simulator_result_t *first = world_run(program, &options);
  for (int i = 0; i < 10; i++) {
    simulator_result_t *again = world_run(program, &options);
    assert_int_equal(again->step_ps, first->step_ps);
    assert_int_equal(again->steps_simulated, first->steps_simulated);
    for (int32_t chip = 0; chip < 16; chip++) {
      const simulator_chip_t *x = world_chip(first, chip);
      const simulator_chip_t *y = world_chip(again, chip);
      assert_same_chip(program, x, y);
      assert_same_messages(&torus, chip, x, y);
    }
    simulator_result_destroy(again);
  }
  simulator_result_destroy(first);
  chip_program_destroy(program);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_classes_do_what_their_chips_do),
      cmocka_unit_test(test_the_same_run_has_the_same_result),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
