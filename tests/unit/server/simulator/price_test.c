// What the compiler takes a collective for (server/simulator/price.h) against the clock
// of the pod: every collective by every algorithm on every kind of group.

#include "server/simulator/price.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/check.h"
#include "tests/unit/server/simulator/world.h"

typedef struct scene_t {
  const char *name;
  torus_t torus;
  int32_t size, stride;  // Of the groups.
} scene_t;

static const scene_t scenes[] = {
    {"ring of 8", {.size = {8, 1, 1}, .wraps = {1, 0, 0}}, 8, 1},
    {"line of 4", {.size = {4, 1, 1}, .wraps = {0}}, 4, 1},
    {"line of 3", {.size = {3, 1, 1}, .wraps = {0}}, 3, 1},
    {"line of 8", {.size = {8, 1, 1}, .wraps = {0}}, 8, 1},
    {"pair", {.size = {2, 1, 1}, .wraps = {0}}, 2, 1},
    {"2x2", {.size = {2, 2, 1}, .wraps = {0}}, 4, 1},
    {"4x2", {.size = {4, 2, 1}, .wraps = {0}}, 8, 1},
    {"4x4 mesh", {.size = {4, 4, 1}, .wraps = {0}}, 16, 1},
    {"4x4 torus", {.size = {4, 4, 1}, .wraps = {1, 1, 0}}, 16, 1},
    {"3x3 mesh", {.size = {3, 3, 1}, .wraps = {0}}, 9, 1},
    {"4x8 torus", {.size = {4, 8, 1}, .wraps = {1, 1, 0}}, 32, 1},
    {"2x2x2", {.size = {2, 2, 2}, .wraps = {0}}, 8, 1},
    {"4x4x4 torus", {.size = {4, 4, 4}, .wraps = {1, 1, 1}}, 64, 1},
    {"rows of a 4x4 mesh", {.size = {4, 4, 1}, .wraps = {0}}, 4, 1},
    {"columns of a 4x4 torus", {.size = {4, 4, 1}, .wraps = {1, 1, 0}}, 4, 4},
    {"halves of rows", {.size = {8, 2, 1}, .wraps = {1, 0, 0}}, 4, 1},
    {"every other of a line", {.size = {8, 1, 1}, .wraps = {0}}, 4, 2},
    {"every other of a ring", {.size = {8, 1, 1}, .wraps = {1, 0, 0}}, 4, 2},
    {"planes of a cube", {.size = {4, 4, 4}, .wraps = {1, 1, 1}}, 16, 1},
};

// On several tori.
static const scene_t wide_scenes[] = {
    {"two slices", {.size = {4, 2, 1}, .slice_count = 2}, 16, 1},
    {"three slices", {.size = {2, 2, 1}, .slice_count = 3}, 12, 1},
    {"four slices", {.size = {4, 4, 1}, .slice_count = 4}, 64, 1},
    {"each of two slices", {.size = {4, 2, 1}, .slice_count = 2}, 8, 1},
    {"the same places", {.size = {4, 2, 1}, .slice_count = 4}, 4, 8},
    {"rows of two slices", {.size = {4, 2, 1}, .slice_count = 2}, 4, 4},
    {"cores of a 2x2", {.size = {2, 2, 1}, .core_count = 2}, 8, 1},
    {"one core each of a 4x2", {.size = {4, 2, 1}, .core_count = 2}, 8, 2},
    {"pairs of cores", {.size = {4, 1, 1}, .core_count = 2}, 2, 1},
};

static const chip_op_t ops[] = {CHIP_OP_ALL_REDUCE, CHIP_OP_ALL_GATHER,
                                CHIP_OP_REDUCE_SCATTER, CHIP_OP_ALL_TO_ALL};

static int32_t add_collective(world_t *world, const scene_t *scene, chip_op_t op,
                              collective_algorithm_t algorithm, int64_t elements) {
  const int64_t out = op == CHIP_OP_ALL_GATHER       ? elements * scene->size
                      : op == CHIP_OP_REDUCE_SCATTER ? elements / scene->size
                                                     : elements;
  const int32_t operand =
      program_temp(world->builder, shape_of(TENSOR_F32, 1, (int)elements));
  const int32_t result = program_temp(world->builder, shape_of(TENSOR_F32, 1, (int)out));
  const int32_t instruction =
      program_op(world->builder, op, operand, CHIP_NONE, result, CHIP_NONE);
  int64_t groups[64];
  world_groups(world, scene->size, scene->stride, groups);
  program_attr_list(world->builder, CHIP_ATTR_REPLICA_GROUPS, world->chips, groups);
  program_attr(world->builder, CHIP_ATTR_GROUP_SIZE, scene->size);
  if (op == CHIP_OP_ALL_REDUCE || op == CHIP_OP_REDUCE_SCATTER) {
    program_attr(world->builder, CHIP_ATTR_REDUCER, CHIP_REDUCER_ADD);
  }
  if (op == CHIP_OP_ALL_GATHER || op == CHIP_OP_REDUCE_SCATTER) {
    program_attr(world->builder, CHIP_ATTR_DIMENSION, 0);
  }
  if (op == CHIP_OP_ALL_TO_ALL) {
    program_attr(world->builder, CHIP_ATTR_SPLIT_DIMENSION, 0);
    program_attr(world->builder, CHIP_ATTR_CONCAT_DIMENSION, 0);
    program_attr(world->builder, CHIP_ATTR_SPLIT_COUNT, scene->size);
  }
  program_attr(world->builder, CHIP_ATTR_COLLECTIVE_ALGORITHM, algorithm);
  return instruction;
}

// A program of one collective.
static chip_program_t *program_of(const scene_t *scene, chip_op_t op,
                                  collective_algorithm_t algorithm, int64_t elements) {
  world_t world;
  world_begin(&world, torus_chip_count(&scene->torus));
  program_computation(world.builder, "main", CHIP_NONE, CHIP_NONE);
  const int32_t instruction = add_collective(&world, scene, op, algorithm, elements);
  world_task(&world, 0, CHIP_TASK_COLLECTIVE, instruction, (chip_work_t){0});
  return world_end(&world);
}

// Of the first instruction. False when the algorithm does not do it.
static bool find_price(const chip_spec_t *spec, const torus_t *torus,
                       const chip_program_t *program, simulator_price_t *out_price) {
  simulator_prices_t *prices = simulator_prices_create(
      spec, torus, &(mesh_t){.device_count = torus_chip_count(torus)});
  const pod_status_t status = simulator_prices_find(
      prices, program, &program->instructions[0], COLLECTIVE_AUTO, out_price);
  simulator_prices_destroy(prices);
  if (status != NULL) {
    assert_int_equal(pod_status_code(status), POD_UNIMPLEMENTED);
  }
  const bool is_found = status == NULL;
  pod_status_free(status);
  return is_found;
}

static void assert_clock_agrees(const torus_t *torus, const chip_program_t *program,
                                simulator_price_t price, int64_t chips) {
  const simulator_options_t options = world_options(torus);
  simulator_result_t *result = world_run(program, &options);
  int64_t sent = 0;
  for (int32_t i = 0; i < torus_chip_count(torus); i++) {
    sent += world_chip(result, i)->totals[0].ici_bytes;
  }
  assert_int_equal(price.duration_ps, result->step_ps - WORLD_OVERHEAD_PS);
  assert_int_equal(price.sent_bytes, (sent + chips - 1) / chips);
  simulator_result_destroy(result);
}

static void test_a_price_is_what_the_clock_of_the_whole_pod_says(void **state) {
  (void)state;
  int priced = 0;
  for (size_t s = 0; s < POD_COUNT_OF(scenes); s++) {
    for (size_t o = 0; o < POD_COUNT_OF(ops); o++) {
      for (int a = 0; a < COLLECTIVE_ALGORITHM_COUNT; a++) {
        for (int64_t elements = 64 * 9; elements < 1 << 24; elements *= 256) {
          chip_program_t *program =
              program_of(&scenes[s], ops[o], (collective_algorithm_t)a, elements);
          simulator_price_t price = {0};
          if (find_price(&world_spec, &scenes[s].torus, program, &price)) {
            assert_clock_agrees(&scenes[s].torus, program, price,
                                torus_chip_count(&scenes[s].torus));
            priced++;
          }
          chip_program_destroy(program);
        }
      }
    }
  }
  assert_true(priced > 700);
}

// Bytes take half as long as over one link, because a ring has two ways round.
static void test_a_price_over_slices_or_cores_is_the_clocks_too(void **state) {
  (void)state;
  for (size_t s = 0; s < POD_COUNT_OF(wide_scenes); s++) {
    for (size_t o = 0; o < POD_COUNT_OF(ops); o++) {
      for (int64_t elements = 64 * 9; elements < 1 << 24; elements *= 256) {
        chip_program_t *program =
            program_of(&wide_scenes[s], ops[o], COLLECTIVE_AUTO, elements);
        simulator_price_t price = {0};
        assert_true(find_price(&world_spec, &wide_scenes[s].torus, program, &price));
        assert_clock_agrees(&wide_scenes[s].torus, program, price,
                            torus_chip_count(&wide_scenes[s].torus));
        chip_program_destroy(program);
      }
    }
  }
}

static void test_a_ring_has_two_links_and_a_line_one(void **state) {
  (void)state;
  const int64_t share = 1 << 20;
  const scene_t ring = {"ring", {.size = {8, 1, 1}, .wraps = {1, 0, 0}}, 8, 1};
  const scene_t line = {"line", {.size = {8, 1, 1}, .wraps = {0}}, 8, 1};
  simulator_price_t price = {0};
  chip_program_t *program =
      program_of(&ring, CHIP_OP_ALL_GATHER, COLLECTIVE_AUTO, share / 4);
  assert_true(find_price(&world_spec, &ring.torus, program, &price));
  assert_int_equal(price.duration_ps, WORLD_STARTUP_PS + 7 * (share / 2 + WORLD_HOP_PS));
  assert_int_equal(price.sent_bytes, 7 * share);
  assert_true(find_price(&world_spec, &line.torus, program, &price));
  // A chunk is just longer than a hop: six are forwarded in pieces.
  assert_int_equal(price.duration_ps,
                   WORLD_STARTUP_PS + 6 * 2 * WORLD_HOP_PS + share + WORLD_HOP_PS);
  assert_int_equal(price.sent_bytes, 7 * share);
  chip_program_destroy(program);
}

static void test_permutes_share_the_links_on_which_they_meet(void **state) {
  (void)state;
  const torus_t line = {.size = {4, 1, 1}, .wraps = {0}};
  world_t world;
  world_begin(&world, 4);
  program_computation(world.builder, "main", CHIP_NONE, CHIP_NONE);
  const int32_t permute = world_permute(&world, 1000000, 0, 2, 1, 3, 2, 0, -1);
  world_task(&world, 0, CHIP_TASK_COLLECTIVE, permute, (chip_work_t){0});
  chip_program_t *program = world_end(&world);
  simulator_price_t price = {0};
  assert_true(find_price(&world_spec, &line, program, &price));
  assert_int_equal(price.duration_ps,
                   WORLD_STARTUP_PS + 2 * (int64_t)4000000 + 2 * WORLD_HOP_PS);
  assert_int_equal(price.sent_bytes, 4000000);
  assert_clock_agrees(&line, program, price, 3);
  chip_program_destroy(program);
}

static void test_operands_of_one_collective_go_side_by_side(void **state) {
  (void)state;
  const scene_t ring = {"ring", {.size = {4, 1, 1}, .wraps = {1, 0, 0}}, 4, 1};
  chip_program_t *program =
      program_of(&ring, CHIP_OP_ALL_REDUCE, COLLECTIVE_RING, 1 << 18);
  chip_instruction_t both = program->instructions[0];
  both.operand_count = both.result_count = 2;
  both.operands = (int32_t[]){both.operands[0], both.operands[0]};
  both.results = (int32_t[]){both.results[0], both.results[0]};
  simulator_prices_t *prices =
      simulator_prices_create(&world_spec, &ring.torus, &(mesh_t){.device_count = 4});
  simulator_price_t one = {0}, two = {0};
  assert_null(simulator_prices_find(prices, program, &program->instructions[0],
                                    COLLECTIVE_AUTO, &one));
  assert_null(simulator_prices_find(prices, program, &both, COLLECTIVE_AUTO, &two));
  const int64_t fixed_ps = WORLD_STARTUP_PS + 6 * WORLD_HOP_PS;
  assert_int_equal(two.duration_ps - fixed_ps, 2 * (one.duration_ps - fixed_ps));
  assert_int_equal(two.sent_bytes, 2 * one.sent_bytes);
  simulator_prices_destroy(prices);
  chip_program_destroy(program);
}

// What is remembered is told apart by all that the clock looks at.
static void test_prices_are_remembered_by_operation_size_groups_and_algorithm(
    void **state) {
  (void)state;
  const torus_t torus = {.size = {4, 4, 1}, .wraps = {0}};
  const scene_t rows = {"rows", torus, 4, 1}, columns = {"columns", torus, 4, 4},
                all = {"all", torus, 16, 1};
  const struct {
    const scene_t *scene;
    chip_op_t op;
    collective_algorithm_t algorithm;
    int64_t elements;
  } asked[] = {{&rows, CHIP_OP_ALL_REDUCE, COLLECTIVE_AUTO, 1 << 16},
               {&rows, CHIP_OP_ALL_REDUCE, COLLECTIVE_DIRECT, 1 << 16},
               {&rows, CHIP_OP_ALL_REDUCE, COLLECTIVE_AUTO, 1 << 17},
               {&rows, CHIP_OP_ALL_GATHER, COLLECTIVE_AUTO, 1 << 16},
               {&columns, CHIP_OP_ALL_REDUCE, COLLECTIVE_AUTO, 1 << 16},
               {&all, CHIP_OP_ALL_REDUCE, COLLECTIVE_AUTO, 1 << 16}};
  simulator_prices_t *prices =
      simulator_prices_create(&world_spec, &torus, &(mesh_t){.device_count = 16});
  for (int round = 0; round < 2; round++) {
    for (size_t i = 0; i < POD_COUNT_OF(asked); i++) {
      chip_program_t *program =
          program_of(asked[i].scene, asked[i].op, asked[i].algorithm, asked[i].elements);
      simulator_price_t fresh = {0}, known = {0};
      assert_true(find_price(&world_spec, &torus, program, &fresh));
      assert_null(simulator_prices_find(prices, program, &program->instructions[0],
                                        COLLECTIVE_AUTO, &known));
      assert_int_equal(known.duration_ps, fresh.duration_ps);
      assert_int_equal(known.sent_bytes, fresh.sent_bytes);
      chip_program_destroy(program);
    }
  }
  simulator_prices_destroy(prices);
}

// One collective of an instruction with other groups.
static chip_program_t *program_over(int32_t chips, int32_t size, const int64_t *groups,
                                    collective_algorithm_t algorithm) {
  world_t world;
  world_begin(&world, chips);
  program_computation(world.builder, "main", CHIP_NONE, CHIP_NONE);
  const int32_t operand = program_temp(world.builder, shape_of(TENSOR_F32, 1, 1 << 16));
  const int32_t result = program_temp(world.builder, shape_of(TENSOR_F32, 1, 1 << 16));
  const int32_t instruction = program_op(world.builder, CHIP_OP_ALL_REDUCE, operand,
                                         CHIP_NONE, result, CHIP_NONE);
  program_attr_list(world.builder, CHIP_ATTR_REPLICA_GROUPS, chips, groups);
  program_attr(world.builder, CHIP_ATTR_GROUP_SIZE, size);
  program_attr(world.builder, CHIP_ATTR_REDUCER, CHIP_REDUCER_ADD);
  program_attr(world.builder, CHIP_ATTR_COLLECTIVE_ALGORITHM, algorithm);
  world_task(&world, 0, CHIP_TASK_COLLECTIVE, instruction, (chip_work_t){0});
  return world_end(&world);
}

// The first group is a row both times; the others are rows, or scattered over the rest.
static void test_groups_behind_the_first_count_too(void **state) {
  (void)state;
  const torus_t torus = {.size = {4, 4, 1}, .wraps = {0}};
  const int64_t rows[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const int64_t scattered[] = {0, 1, 2, 3, 4, 13, 10, 7, 8, 15, 6, 5, 12, 11, 14, 9};
  simulator_prices_t *prices =
      simulator_prices_create(&world_spec, &torus, &(mesh_t){.device_count = 16});
  int64_t durations[2];
  for (int i = 0; i < 2; i++) {
    chip_program_t *program =
        program_over(16, 4, i == 0 ? rows : scattered, COLLECTIVE_AUTO);
    simulator_price_t price = {0};
    assert_null(simulator_prices_find(prices, program, &program->instructions[0],
                                      COLLECTIVE_AUTO, &price));
    assert_clock_agrees(&torus, program, price, 16);
    durations[i] = price.duration_ps;
    chip_program_destroy(program);
  }
  assert_true(durations[1] > durations[0]);
  simulator_prices_destroy(prices);
}

// Of five chips on a ring of six the first and the last are two hops apart, round the
// side where the sixth is.
static void test_a_block_whose_routes_lead_round_the_torus_is_run_on_all_of_it(
    void **state) {
  (void)state;
  const torus_t ring = {.size = {6, 1, 1}, .wraps = {1, 0, 0}};
  const int64_t five[] = {0, 1, 2, 3, 4};
  simulator_prices_t *prices =
      simulator_prices_create(&world_spec, &ring, &(mesh_t){.device_count = 5});
  chip_program_t *program = program_over(5, 5, five, COLLECTIVE_DIRECT);
  simulator_price_t price = {0};
  assert_null(simulator_prices_find(prices, program, &program->instructions[0],
                                    COLLECTIVE_AUTO, &price));
  const simulator_options_t options = world_options(&ring);
  simulator_result_t *result = world_run(program, &options);
  assert_int_equal(price.duration_ps, result->step_ps - WORLD_OVERHEAD_PS);
  simulator_result_destroy(result);
  chip_program_destroy(program);
  simulator_prices_destroy(prices);
}

static void test_an_algorithm_that_does_not_fit_is_refused_in_the_planners_words(
    void **state) {
  (void)state;
  const scene_t line = {"line", {.size = {3, 1, 1}, .wraps = {0}}, 3, 1};
  chip_program_t *program = program_of(&line, CHIP_OP_ALL_GATHER, COLLECTIVE_AUTO, 1024);
  simulator_prices_t *prices =
      simulator_prices_create(&world_spec, &line.torus, &(mesh_t){.device_count = 3});
  simulator_price_t price = {0};
  const pod_status_t status = simulator_prices_find(
      prices, program, &program->instructions[0], COLLECTIVE_TREE, &price);
  assert_int_equal(pod_status_code(status), POD_UNIMPLEMENTED);
  assert_ptr_equal(strstr(pod_status_message(status), "the tree algorithm of "),
                   pod_status_message(status));
  pod_status_free(status);
  simulator_prices_destroy(prices);
  chip_program_destroy(program);
}

// Chips of the pod that the program does not run on stand by.
static void test_a_program_may_run_on_some_of_the_chips(void **state) {
  (void)state;
  const torus_t torus = {.size = {8, 1, 1}, .wraps = {0}};
  const scene_t half = {"half", {.size = {4, 1, 1}, .wraps = {0}}, 4, 1};
  chip_program_t *program =
      program_of(&half, CHIP_OP_ALL_REDUCE, COLLECTIVE_AUTO, 1 << 16);
  simulator_prices_t *prices =
      simulator_prices_create(&world_spec, &torus, &(mesh_t){.device_count = 4});
  simulator_price_t alone = {0}, within = {0};
  assert_true(find_price(&world_spec, &half.torus, program, &alone));
  assert_null(simulator_prices_find(prices, program, &program->instructions[0],
                                    COLLECTIVE_AUTO, &within));
  assert_int_equal(within.duration_ps, alone.duration_ps);
  simulator_prices_destroy(prices);
  chip_program_destroy(program);
}

static int64_t clock_by(const chip_spec_t *spec, const scene_t *scene, chip_op_t op,
                        collective_algorithm_t algorithm, int64_t elements) {
  chip_program_t *program = program_of(scene, op, algorithm, elements);
  simulator_price_t price = {.duration_ps = INT64_MAX};
  (void)find_price(spec, &scene->torus, program, &price);
  chip_program_destroy(program);
  return price.duration_ps;
}

// The planner chooses by an estimate of one chip's steps. Where not all chips are alike
// that is no more than an estimate: the choice may cost up to an eighth more than the
// best.
static void check_choice(const chip_spec_t *spec, const scene_t *scene, chip_op_t op,
                         int64_t elements, double most) {
  int64_t best_ps = INT64_MAX;
  const char *best = "";
  for (int a = 0; a < COLLECTIVE_ALGORITHM_COUNT; a++) {
    const collective_algorithm_t algorithm = (collective_algorithm_t)a;
    const int64_t ps = algorithm == COLLECTIVE_AUTO
                           ? INT64_MAX
                           : clock_by(spec, scene, op, algorithm, elements);
    best = ps < best_ps ? collective_algorithm_name(algorithm) : best;
    best_ps = ps < best_ps ? ps : best_ps;
  }
  const int64_t ps = clock_by(spec, scene, op, COLLECTIVE_AUTO, elements);
  if ((double)ps > most * (double)best_ps) {
    fail_msg("%s, %s, %s of %lld elements: AUTO takes %lld ps, %s %lld ps", spec->name,
             scene->name, chip_op_name(op), (long long)elements, (long long)ps, best,
             (long long)best_ps);
  }
}

static void test_auto_is_at_most_an_eighth_from_the_cheapest_by_the_clock(void **state) {
  (void)state;
  const char *kinds[] = {"v4", "v5e", "v7x"};
  for (size_t k = 0; k < POD_COUNT_OF(kinds); k++) {
    for (size_t s = 0; s < POD_COUNT_OF(scenes); s++) {
      for (size_t o = 0; o < POD_COUNT_OF(ops); o++) {
        for (int64_t elements = 64 * 9; elements < 1 << 22; elements *= 16) {
          check_choice(chip_spec_find(kinds[k]), &scenes[s], ops[o], elements, 1.125);
        }
      }
    }
  }
}

static void test_auto_is_close_to_the_cheapest_over_slices_and_cores(void **state) {
  (void)state;
  for (size_t s = 0; s < POD_COUNT_OF(wide_scenes); s++) {
    const chip_spec_t *spec =
        chip_spec_find(wide_scenes[s].torus.core_count == 2 ? "v7x-cores" : "v5e");
    for (size_t o = 0; o < POD_COUNT_OF(ops); o++) {
      for (int64_t elements = 64 * 9; elements < 1 << 22; elements *= 16) {
        // A level waits for the one before it where a ring would go on.
        check_choice(spec, &wide_scenes[s], ops[o], elements, 1.25);
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_price_is_what_the_clock_of_the_whole_pod_says),
      cmocka_unit_test(test_a_price_over_slices_or_cores_is_the_clocks_too),
      cmocka_unit_test(test_auto_is_close_to_the_cheapest_over_slices_and_cores),
      cmocka_unit_test(test_a_ring_has_two_links_and_a_line_one),
      cmocka_unit_test(test_permutes_share_the_links_on_which_they_meet),
      cmocka_unit_test(test_operands_of_one_collective_go_side_by_side),
      cmocka_unit_test(test_prices_are_remembered_by_operation_size_groups_and_algorithm),
      cmocka_unit_test(test_groups_behind_the_first_count_too),
      cmocka_unit_test(
          test_a_block_whose_routes_lead_round_the_torus_is_run_on_all_of_it),
      cmocka_unit_test(
          test_an_algorithm_that_does_not_fit_is_refused_in_the_planners_words),
      cmocka_unit_test(test_a_program_may_run_on_some_of_the_chips),
      cmocka_unit_test(test_auto_is_at_most_an_eighth_from_the_cheapest_by_the_clock),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
