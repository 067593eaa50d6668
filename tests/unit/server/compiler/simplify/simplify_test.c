#include <stdlib.h>

#include "common/mlir/walk.h"
#include "server/compiler/simplify/simplify.h"
#include "server/compiler/verify/verify.h"
#include "tests/unit/server/compiler/generator.h"
#include "tests/unit/server/compiler/replay.h"
#include "tests/unit/server/compiler/text.h"

static int count_ops(const mlir_module_t *module) {
  int count = 0;
  for (const mlir_op_t *op = mlir_walk_first(module->op); op != NULL;
       op = mlir_walk_next(module->op, op)) {
    count++;
  }
  return count;
}

static void check_random(uint64_t seed) {
  mlir_module_t *module = generate_open_module(seed, 20 + (int)(seed % 200));
  assert_ok(compiler_verify(module));
  uint64_t *before = replay_module(module);
  const int ops_before = count_ops(module);
  assert_ok(compiler_simplify(module));
  assert_ok(compiler_verify(module));
  uint64_t *after = replay_module(module);
  const mlir_op_t *main = mlir_module_find_symbol(module, "main");
  for (int i = 0; i < mlir_op_block(main, 0)->last->operand_count; i++) {
    if (before[i] != after[i]) {
      fail_msg("seed %llu: result %d differs", (unsigned long long)seed, i);
    }
  }
  assert_true(count_ops(module) <= ops_before);
  char *once = print_text(module);
  assert_ok(compiler_simplify(module));
  char *twice = print_text(module);
  assert_string_equal(once, twice);
  free(once);
  free(twice);
  free(before);
  free(after);
  mlir_module_destroy(module);
}

static void test_random_modules_compute_the_same_and_come_to_rest(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 200; seed++) {
    check_random(seed);
  }
}

static void test_a_loop_that_nothing_needs_goes(void **state) {
  (void)state;
  mlir_module_t *module = parse_text(
      "func.func @main(%a: tensor<f32>, %p: tensor<i1>) -> tensor<f32> {\n"
      "  %0 = stablehlo.while(%x = %a) : tensor<f32> cond {\n"
      "    stablehlo.return %p : tensor<i1>\n  } do {\n"
      "    %1 = stablehlo.tanh %x : tensor<f32>\n"
      "    stablehlo.return %1 : tensor<f32>\n  }\n"
      "  return %a : tensor<f32>\n}\n");
  assert_ok(compiler_verify(module));
  assert_ok(compiler_simplify(module));
  assert_int_equal(count_ops(module), 2);  // The function and its return.
  mlir_module_destroy(module);
}

static void test_a_module_without_main_is_refused(void **state) {
  (void)state;
  mlir_module_t *module = parse_text("func.func @other() {\n  return\n}\n");
  assert_error(compiler_simplify(module), POD_INVALID_ARGUMENT, "no function @main");
  mlir_module_destroy(module);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_modules_compute_the_same_and_come_to_rest),
      cmocka_unit_test(test_a_loop_that_nothing_needs_goes),
      cmocka_unit_test(test_a_module_without_main_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
