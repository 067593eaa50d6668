#include <stdlib.h>

#include "server/compiler/lower/lower.h"
#include "server/compiler/partition/partition.h"
#include "server/compiler/simplify/simplify.h"
#include "server/compiler/verify/verify.h"
#include "server/program/program.h"
#include "tests/unit/server/compiler/generator.h"
#include "tests/unit/server/compiler/replay.h"
#include "tests/unit/server/compiler/text.h"

static void check_random(uint64_t seed, int op_count, bool simplifies) {
  mlir_module_t *module = generate_module(seed, op_count);
  assert_ok(compiler_verify(module));
  if (simplifies) {
    assert_ok(compiler_simplify(module));
    assert_ok(compiler_verify(module));
  }
  const compiler_partitioned_t partitioned = replay_unsharded(module);
  chip_program_t *program = NULL;
  assert_ok(compiler_lower(&partitioned, &program));
  assert_ok(chip_program_check(program));
  replay_compare(module, program);
  chip_program_destroy(program);
  mlir_module_destroy(module);
}

static void test_random_programs_never_overwrite_what_is_needed(void **state) {
  (void)state;
  const char *const runs = getenv("POD_LOWER_SEEDS");
  const uint64_t seeds = runs == NULL ? 150 : strtoull(runs, NULL, 10);
  for (uint64_t seed = 1; seed <= seeds; seed++) {
    print_message("%s", seed % 100 == 0 ? "." : "");
    check_random(seed, 10 + (int)(seed % 300), false);
    check_random(seed, 10 + (int)(seed % 300), true);
  }
}

// a, then b of a, then c of b: two of them live at a time. The result has its own place.
static void test_an_instruction_knows_the_temporaries_that_live_with_it(void **state) {
  (void)state;
  mlir_module_t *module = parse_text(
      "func.func public @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {\n"
      "  %a = stablehlo.transpose %x, dims = [1, 0] : (tensor<8x8xf32>) -> "
      "tensor<8x8xf32>\n"
      "  %b = stablehlo.dot_general %a, %x, contracting_dims = [1] x [0] : "
      "(tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>\n"
      "  %c = stablehlo.dot_general %b, %x, contracting_dims = [1] x [0] : "
      "(tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>\n"
      "  %d = stablehlo.dot_general %c, %c, contracting_dims = [1] x [0] : "
      "(tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>\n"
      "  return %d : tensor<8x8xf32>\n}\n");
  assert_ok(compiler_verify(module));
  const compiler_partitioned_t partitioned = replay_unsharded(module);
  chip_program_t *program = NULL;
  assert_ok(compiler_lower(&partitioned, &program));
  enum { ARRAY_BYTES = 8 * 8 * 4 };
  static const int64_t expected[] = {ARRAY_BYTES, 2 * ARRAY_BYTES, 2 * ARRAY_BYTES,
                                     ARRAY_BYTES};
  assert_int_equal(program->instruction_count, 4);
  for (int i = 0; i < 4; i++) {
    assert_int_equal(program->instructions[i].temp_live_bytes, expected[i]);
  }
  assert_int_equal(program->temp_bytes, 2 * ARRAY_BYTES);
  chip_program_destroy(program);
  mlir_module_destroy(module);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_programs_never_overwrite_what_is_needed),
      cmocka_unit_test(test_an_instruction_knows_the_temporaries_that_live_with_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
