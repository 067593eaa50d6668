// Classes of chips against every chip by itself: the same to the picosecond.

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "server/simulator/simulator.h"
#include "tests/unit/server/simulator/random_world.h"

enum { SEED_COUNT = 60 };

static chip_program_t *make_program(const torus_t *torus, dice_t *dice) {
  world_t world;
  world_begin(&world, torus_chip_count(torus));
  program_computation(world.builder, "main", CHIP_NONE, CHIP_NONE);
  add_tasks(&world, torus, dice, 0);
  return world_end(&world);
}

static void assert_same_sums(const chip_program_t *program, const simulator_chip_t *x,
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
}

static void assert_same_chip(const chip_program_t *program, const simulator_chip_t *x,
                             const simulator_chip_t *y) {
  assert_same_sums(program, x, y);
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
    assert_int_equal(x->messages[i].channel, y->messages[i].channel);
    assert_int_equal(x->messages[i].task, y->messages[i].task);
    if (x->representative == chip) {
      assert_int_equal(x->messages[i].from, y->messages[i].from);
      assert_int_equal(x->messages[i].to, y->messages[i].to);
    }
    assert_true(torus_distance(torus, y->messages[i].from, y->messages[i].to) > 0);
  }
}

// Messages that nobody keeps take a shorter way.
static void compare_without_events(const chip_program_t *program,
                                   simulator_options_t options) {
  options.events_max = 0;
  simulator_result_t *fast = world_run(program, &options);
  options.ignores_symmetry = true;
  simulator_result_t *each = world_run(program, &options);
  options.uses_events_only = true;
  simulator_result_t *slow = world_run(program, &options);
  for (int32_t chip = 0; chip < torus_chip_count(options.torus); chip++) {
    assert_same_sums(program, world_chip(fast, chip), world_chip(slow, chip));
    assert_same_sums(program, world_chip(each, chip), world_chip(slow, chip));
  }
  simulator_result_destroy(fast);
  simulator_result_destroy(each);
  simulator_result_destroy(slow);
}

// Returns the classes that were found.
static int32_t compare_both(const chip_program_t *program, simulator_options_t options) {
  compare_without_events(program, options);
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
      {.size = {8, 1, 1}, .wraps = {true, false, false}},
      {.size = {4, 4, 1}, .wraps = {true, true, false}},
      {.size = {6, 6, 1}, .wraps = {true, true, false}},
      {.size = {4, 4, 4}, .wraps = {true, true, true}},
      {.size = {16, 1, 1}, .wraps = {true, false, false}},
      {.size = {8, 4, 1}, .wraps = {true, true, false}},
      {.size = {2, 2, 1}, .wraps = {false, false, false}},
      {.size = {3, 2, 1}, .wraps = {false, false, false}},
      {.size = {8, 3, 1}, .wraps = {true, false, false}},
      {.size = {4, 4, 2}, .wraps = {true, true, true}},
      {.size = {3, 3, 3}, .wraps = {true, true, true}},
      {.size = {5, 1, 1}, .wraps = {false, false, false}},
  };
  int32_t chips_in_all = 0;
  int32_t classes_in_all = 0;
  for (uint64_t seed = 0; seed < SEED_COUNT; seed++) {
    dice_t dice = {.state = seed};
    const torus_t *torus = &tori[roll(&dice, POD_COUNT_OF(tori))];
    const int32_t chips = torus_chip_count(torus);
    chip_program_t *program = make_program(torus, &dice);
    simulator_options_t options = world_options(torus);
    options.spec = seed % 2 == 0 ? &world_spec : world_narrow_spec();
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

// Chips that share a host's interface, or the links of a chip, are never one class.
static void test_classes_of_several_slices_and_cores_do_what_their_chips_do(
    void **state) {
  (void)state;
  const torus_t tori[] = {
      {.size = {4, 2, 1}, .slice_count = 2},
      {.size = {4, 4, 1}, .wraps = {true, true, false}, .slice_count = 3},
      {.size = {2, 2, 2}, .slice_count = 4},
      {.size = {6, 2, 1}, .wraps = {true, false, false}, .slice_count = 2},
      {.size = {2, 2, 1}, .core_count = 2},
      {.size = {4, 4, 1}, .wraps = {true, true, false}, .core_count = 2},
      {.size = {2, 2, 1}, .slice_count = 3, .core_count = 2},
      {.size = {1, 1, 1}, .slice_count = 5},
  };
  static const int32_t hosts[][TORUS_DIMENSIONS] = {{1, 1, 1}, {2, 2, 1}, {4, 2, 1}};
  int32_t chips_in_all = 0;
  int32_t classes_in_all = 0;
  for (uint64_t seed = 0; seed < SEED_COUNT; seed++) {
    dice_t dice = {.state = seed};
    const torus_t *torus = &tori[roll(&dice, POD_COUNT_OF(tori))];
    chip_program_t *program = make_program(torus, &dice);
    chip_spec_t spec = world_spec;
    memcpy(spec.chips_per_host, hosts[roll(&dice, 3)], sizeof(spec.chips_per_host));
    simulator_options_t options = world_options(torus);
    options.spec = &spec;
    classes_in_all += compare_both(program, options);
    chips_in_all += torus_chip_count(torus);
    const simulator_slow_chip_t chip = {roll(&dice, torus_chip_count(torus)), 1.3};
    options.slow_chips = &chip;
    options.slow_chip_count = 1;
    compare_both(program, options);
    chip_program_destroy(program);
  }
  assert_true(classes_in_all < chips_in_all);
}

static void test_the_same_run_has_the_same_result(void **state) {
  (void)state;
  const torus_t torus = {.size = {4, 4, 1}, .wraps = {true, true, false}};
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
      cmocka_unit_test(test_classes_of_several_slices_and_cores_do_what_their_chips_do),
      cmocka_unit_test(test_the_same_run_has_the_same_result),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
