#include <stdlib.h>

#include "server/chip/program.h"
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_programs_never_overwrite_what_is_needed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
