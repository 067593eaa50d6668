#include <stdlib.h>

#include "common/base/random.h"
#include "server/compiler/lower/lower.h"
#include "server/compiler/partition/partition.h"
#include "server/compiler/simplify/simplify.h"
#include "server/compiler/verify/verify.h"
#include "server/program/program.h"
#include "tests/unit/server/compiler/generator.h"
#include "tests/unit/server/compiler/replay.h"
#include "tests/unit/server/compiler/text.h"

// About `percent` of the arguments, each half of the time for a certain result.
static void donate(mlir_module_t *module, uint64_t seed, uint64_t percent) {
  mlir_op_t *main = mlir_module_find_symbol(module, "main");
  const mlir_block_t *block = mlir_op_block(main, 0);
  const int results = block->last->operand_count;
  bool *is_taken = calloc((size_t)results + 1, sizeof(bool));
  const mlir_attr_t **attrs =
      pod_arena_array(module->arena, (size_t)block->argument_count, sizeof(attrs[0]));
  pod_random_t random = {seed};
  for (int i = 0; i < block->argument_count; i++) {
    mlir_named_attr_t mark = {mlir_intern(module, "jax.buffer_donor"),
                              mlir_attr_bool(module, true)};
    const bool is_donated = pod_random_below(&random, 100) < percent;
    const int result =
        results == 0 ? 0 : (int)pod_random_below(&random, (uint64_t)results);
    if (results > 0 && !is_taken[result] && pod_random_below(&random, 2) == 0) {
      is_taken[result] |= is_donated;
      mark = (mlir_named_attr_t){mlir_intern(module, "tf.aliasing_output"),
                                 mlir_attr_integer(module, result, TENSOR_S32)};
    }
    attrs[i] = mlir_attr_dictionary(module, is_donated, &mark);
  }
  mlir_op_set_attr(module, main, mlir_intern(module, "arg_attrs"),
                   mlir_attr_array(module, block->argument_count, attrs));
  free(is_taken);
}

enum { SCALAR_BYTES_MAX = 16 };

// What is listed is all that is alive at the peak, or the largest of it, and was written.
static void check_peak(const chip_program_t *program) {
  int64_t most = 0, listed = 0;
  for (int32_t i = 0; i < program->instruction_count; i++) {
    const int64_t live = program->instructions[i].temp_live_bytes;
    most = live > most ? live : most;
  }
  if (most == 0) {
    assert_int_equal(program->peak_count, 0);
    return;
  }
  assert_int_equal(program->instructions[program->peak_instruction].temp_live_bytes,
                   most);
  for (int32_t i = 0; i < program->peak_count; i++) {
    const chip_peak_t *peak = &program->peaks[i];
    assert_true(i == 0 || peak->size_bytes <= program->peaks[i - 1].size_bytes);
    // Nobody writes what a region of scalars is given.
    assert_true(peak->instruction >= CHIP_NONE &&
                peak->instruction < program->instruction_count);
    assert_true(peak->instruction != CHIP_NONE || peak->size_bytes <= SCALAR_BYTES_MAX);
    listed += peak->size_bytes;
  }
  assert_true(program->peak_count == CHIP_PEAK_MAX ? listed <= most : listed == most);
}

static int32_t check_random(uint64_t seed, int op_count, bool simplifies,
                            uint64_t donated_percent) {
  mlir_module_t *module = generate_module(seed, op_count);
  donate(module, seed, donated_percent);
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
  check_peak(program);
  const int32_t alias_count = program->alias_count;
  chip_program_destroy(program);
  mlir_module_destroy(module);
  return alias_count;
}

static void test_random_programs_never_overwrite_what_is_needed(void **state) {
  (void)state;
  const char *const runs = getenv("POD_LOWER_SEEDS");
  const uint64_t seeds = runs == NULL ? 150 : strtoull(runs, NULL, 10);
  for (uint64_t seed = 1; seed <= seeds; seed++) {
    print_message("%s", seed % 100 == 0 ? "." : "");
    (void)check_random(seed, 10 + (int)(seed % 300), false, 0);
    (void)check_random(seed, 10 + (int)(seed % 300), true, 0);
  }
}

static void test_random_donations_never_overwrite_what_is_needed(void **state) {
  (void)state;
  const char *const runs = getenv("POD_LOWER_SEEDS");
  const uint64_t seeds = runs == NULL ? 300 : strtoull(runs, NULL, 10);
  int32_t alias_count = 0;
  for (uint64_t seed = 1; seed <= seeds; seed++) {
    print_message("%s", seed % 100 == 0 ? "." : "");
    alias_count +=
        check_random(seed, 3 + (int)(seed % 100), seed % 2 == 0, 25 + seed % 4 * 25);
  }
  assert_true(alias_count > (int32_t)seeds / 2);
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
      cmocka_unit_test(test_random_donations_never_overwrite_what_is_needed),
      cmocka_unit_test(test_an_instruction_knows_the_temporaries_that_live_with_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
