// What rewrites of collectives save by the clock of the pod, and who decides.

#include "server/compiler/collectives/collectives.h"

#include <stdio.h>
#include <stdlib.h>

#include "server/compiler/compiler.h"
#include "server/simulator/simulator.h"
#include "tests/unit/server/compiler/text.h"

static compiler_result_t *compile_text(const char *name, const char *text,
                                       const char *topology, const char *collectives) {
  compiler_options_t options = {
      .file_name = name, .spec = chip_spec_find("v5p"), .collectives = collectives};
  const chip_spec_t *spec;
  assert_ok(torus_parse(topology, options.spec, &options.torus, &spec));
  compiler_result_t *result = NULL;
  assert_ok(compiler_compile(text, (int64_t)strlen(text), &options, &result));
  return result;
}

static compiler_result_t *compile(const char *name, const char *topology,
                                  const char *collectives) {
  char path[512];
  snprintf(path, sizeof(path), "%s/%s.mlir", POD_COLLECTIVES, name);
  char *text = read_text(path);
  compiler_result_t *result = compile_text(name, text, topology, collectives);
  free(text);
  return result;
}

static int64_t step_ps(const compiler_result_t *result, const char *topology) {
  const chip_spec_t *spec = chip_spec_find("v5p");
  torus_t torus;
  assert_ok(torus_parse(topology, spec, &torus, NULL));
  pod_arena_t *arena = pod_arena_create();
  simulator_options_t options = {.spec = spec, .torus = &torus};
  assert_ok(simulator_trace(result->program, torus_chip_count(&torus), NULL, 0, arena,
                            &options.traces));
  simulator_result_t *simulated = NULL;
  assert_ok(simulator_run(result->program, &options, &simulated));
  const int64_t ps = simulated->step_ps;
  simulator_result_destroy(simulated);
  pod_arena_destroy(arena);
  return ps;
}

static int count_of(const compiler_result_t *result, chip_op_t op) {
  int count = 0;
  for (int32_t i = 0; i < result->collective_count; i++) {
    count += result->collectives[i].op == op;
  }
  return count;
}

// By the clock of the pod `choice` takes at most `percent` of the time without any.
static void check_saves(const char *name, const char *topology, const char *choice,
                        int percent) {
  compiler_result_t *without = compile(name, topology, "off");
  compiler_result_t *with = compile(name, topology, choice);
  const int64_t before_ps = step_ps(without, topology),
                after_ps = step_ps(with, topology);
  print_message("%s %s: %.3f us, %.3f us without\n", name, choice, (double)after_ps / 1e6,
                (double)before_ps / 1e6);
  assert_true(after_ps * 100 <= before_ps * percent);
  assert_true(with->note_count > without->note_count);
  compiler_result_destroy(with);
  compiler_result_destroy(without);
}

static void test_two_small_sums_are_one_and_take_less_time(void **state) {
  (void)state;
  check_saves("two_sums", "4x1x1", "", 80);
  compiler_result_t *result = compile("two_sums", "4x1x1", NULL);
  assert_int_equal(count_of(result, CHIP_OP_ALL_REDUCE), 1);
  assert_non_null(
      strstr(result->collectives[0].because, "with 1 more in one; combine: "));
  assert_string_equal(result->program->name, "sums");
  assert_non_null(strstr(result->notes[0], "2 collectives become 1 of up to 30720 KiB"));
  compiler_result_destroy(result);
}

static void test_the_user_has_the_last_word(void **state) {
  (void)state;
  static const struct {
    const char *choice;
    int sums;
  } cases[] = {{"off", 2}, {"combine=off", 2}, {"on", 1}, {"off,combine=on", 1}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    compiler_result_t *result = compile("two_sums", "4x1x1", cases[i].choice);
    assert_int_equal(count_of(result, CHIP_OP_ALL_REDUCE), cases[i].sums);
    compiler_result_destroy(result);
  }
}

static void test_a_choice_that_is_none_is_refused_with_those_that_are(void **state) {
  (void)state;
  collectives_choices_t choices;
  assert_error(collectives_parse("combine=perhaps", &choices), POD_INVALID_ARGUMENT,
               "'perhaps' is no choice");
  assert_error(collectives_parse("fuse=on", &choices), POD_INVALID_ARGUMENT,
               "'fuse' is no rewrite of collectives: write usual, auto, on or off");
  assert_ok(collectives_parse("", &choices));
  assert_int_equal(choices.of[COLLECTIVES_COMBINE], COLLECTIVES_USUAL);
}

// Sums that wait for each other, one by one or through another's group, stay apart.
static void test_sums_that_need_each_other_stay_apart(void **state) {
  (void)state;
  compiler_result_t *result = compile("crossed_sums", "2x2x1", "on");
  assert_int_equal(count_of(result, CHIP_OP_ALL_REDUCE), 3);
  compiler_result_destroy(result);
}

// Gradients of eight microbatches are reduced once.
static void test_what_a_loop_adds_up_is_reduced_behind_it(void **state) {
  (void)state;
  check_saves("accumulate_large", "4x1x1", "", 30);
  compiler_result_t *result = compile("accumulate_large", "4x1x1", "");
  assert_int_equal(result->collective_count, 1);
  assert_false(result->collectives[0].in_loop);
  assert_non_null(strstr(result->collectives[0].because, "once behind the loop"));
  compiler_result_destroy(result);
}

// Stacks that scans of layers make for every microbatch: a loop around one scan, and
// another scan behind it. Nine sums and six scattered ones are one of each.
static void test_what_loops_stack_and_add_up_is_reduced_behind_them(void **state) {
  (void)state;
  check_saves("stacks", "4x1x1", "", 50);
  compiler_result_t *result = compile("stacks", "4x1x1", NULL);
  assert_int_equal(result->collective_count, 2);
  assert_int_equal(count_of(result, CHIP_OP_ALL_REDUCE), 1);
  assert_int_equal(count_of(result, CHIP_OP_REDUCE_SCATTER), 1);
  for (int32_t i = 0; i < result->collective_count; i++) {
    assert_false(result->collectives[i].in_loop);
  }
  compiler_result_destroy(result);
}

// The gather of the next layer's weights runs behind this layer's product.
static void test_a_scan_of_layers_gathers_a_turn_ahead(void **state) {
  (void)state;
  check_saves("layers_large", "4x1x1", "", 90);
  compiler_result_t *result = compile("layers_large", "4x1x1", "");
  assert_int_equal(count_of(result, CHIP_OP_ALL_GATHER), 2);
  for (int32_t i = 0; i < result->collective_count; i++) {
    assert_true(result->collectives[i].is_async == result->collectives[i].in_loop);
  }
  compiler_result_destroy(result);
}

// On one chip without any collective: the transfer and the products take about as long.
static void test_what_a_scan_fetches_from_the_host_comes_a_turn_ahead(void **state) {
  (void)state;
  check_saves("fetched", "1x1x1", "", 65);
  compiler_result_t *off = compile("fetched", "1x1x1", "pipeline=off");
  assert_int_equal(off->note_count, 0);
  compiler_result_destroy(off);
}

static void test_a_product_and_its_collective_become_a_ring(void **state) {
  (void)state;
  check_saves("rings_large", "4x1x1", "auto", 100);
  check_saves("ring_scattered", "4x1x1", "matmul=auto", 75);
  compiler_result_t *result = compile("ring_scattered", "4x1x1", "matmul=auto");
  assert_int_equal(count_of(result, CHIP_OP_REDUCE_SCATTER), 0);
  assert_int_equal(count_of(result, CHIP_OP_COLLECTIVE_PERMUTE), 6);
  compiler_result_destroy(result);
}

// Where there is nothing to win the program stays as it is, and says why.
static void test_what_would_take_longer_is_left_alone(void **state) {
  (void)state;
  compiler_result_t *off = compile("layers", "4x1x1", "off");
  compiler_result_t *usual = compile("layers", "4x1x1", "");
  assert_true(step_ps(usual, "4x1x1") <= step_ps(off, "4x1x1"));
  compiler_result_destroy(off);
  compiler_result_destroy(usual);
}

// Two products whose sums could be one, behind a chain of so many operations.
static char *two_sums_behind(int count) {
  pod_text_t text = {0};
  pod_text_add(
      &text,
      "sdy.mesh @mesh = <[\"x\"=4]>\n"
      "func.func @main(%a: tensor<64x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, "
      "{\"x\"}]>}, %b: tensor<256x64xf32> {sdy.sharding = #sdy.sharding<@mesh, "
      "[{\"x\"}, {}]>}) -> (tensor<64x64xf32>, tensor<64x64xf32>) {\n"
      "  %v0 = stablehlo.tanh %b : tensor<256x64xf32>\n");
  for (int i = 1; i < count; i++) {
    pod_text_printf(&text,
                    "  %%v%d = stablehlo.multiply %%v%d, %%b : tensor<256x64xf32>\n", i,
                    i - 1);
  }
  for (int i = 0; i < 2; i++) {
    pod_text_printf(&text,
                    "  %%p%d = stablehlo.dot_general %%a, %%v%d, contracting_dims = [1] "
                    "x [0] : (tensor<64x256xf32>, tensor<256x64xf32>) -> "
                    "tensor<64x64xf32>\n",
                    i, i * (count - 1));
  }
  pod_text_add(&text, "  return %p0, %p1 : tensor<64x64xf32>, tensor<64x64xf32>\n}\n");
  return text.bytes;
}

static const char *untried_note(const compiler_result_t *result) {
  for (int32_t i = 0; i < result->note_count; i++) {
    if (strstr(result->notes[i], "not tried everywhere") != NULL) {
      return result->notes[i];
    }
  }
  return NULL;
}

static void test_what_a_program_is_too_large_to_be_tried_for_is_told(void **state) {
  (void)state;
  char *large = two_sums_behind(30000), *small = two_sums_behind(300);
  compiler_result_t *result = compile_text("large", large, "4x1x1", "");
  assert_int_equal(count_of(result, CHIP_OP_ALL_REDUCE), 2);
  assert_non_null(untried_note(result));
  assert_non_null(strstr(untried_note(result), "collectives: combine not tried"));
  compiler_result_destroy(result);
  // What the user asks for is done all the same.
  result = compile_text("large", large, "4x1x1", "combine=on");
  assert_int_equal(count_of(result, CHIP_OP_ALL_REDUCE), 1);
  assert_null(untried_note(result));
  compiler_result_destroy(result);
  result = compile_text("small", small, "4x1x1", "");
  assert_null(untried_note(result));
  compiler_result_destroy(result);
  free(large);
  free(small);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_two_small_sums_are_one_and_take_less_time),
      cmocka_unit_test(test_the_user_has_the_last_word),
      cmocka_unit_test(test_a_choice_that_is_none_is_refused_with_those_that_are),
      cmocka_unit_test(test_sums_that_need_each_other_stay_apart),
      cmocka_unit_test(test_what_a_loop_adds_up_is_reduced_behind_it),
      cmocka_unit_test(test_what_loops_stack_and_add_up_is_reduced_behind_them),
      cmocka_unit_test(test_a_scan_of_layers_gathers_a_turn_ahead),
      cmocka_unit_test(test_what_a_scan_fetches_from_the_host_comes_a_turn_ahead),
      cmocka_unit_test(test_a_product_and_its_collective_become_a_ring),
      cmocka_unit_test(test_what_would_take_longer_is_left_alone),
      cmocka_unit_test(test_what_a_program_is_too_large_to_be_tried_for_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
