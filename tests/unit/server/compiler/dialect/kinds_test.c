#include "server/compiler/dialect/kinds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void test_every_kind_is_found_by_its_name(void **state) {
  (void)state;
  for (int kind = CHIP_OP_INVALID + 1; kind < KIND_COUNT; kind++) {
    assert_int_equal(compiler_kind_find(compiler_kind_name(kind)), kind);
  }
}

static void test_kinds_without_a_row_come_behind_the_rows(void **state) {
  (void)state;
  assert_int_equal(compiler_kind_find("stablehlo.add"), CHIP_OP_ADD);
  assert_int_equal(compiler_kind_find("func.func"), KIND_FUNC);
  assert_true(KIND_FUNC >= (int)CHIP_OP_COUNT);
  assert_string_equal(compiler_kind_name(KIND_SDY_MESH), "sdy.mesh");
}

static void test_an_unknown_name_is_no_kind(void **state) {
  (void)state;
  assert_int_equal(compiler_kind_find("sdy.nothing"), CHIP_OP_INVALID);
  assert_int_equal(compiler_kind_find(""), CHIP_OP_INVALID);
  assert_int_equal(compiler_kind_find("invalid"), CHIP_OP_INVALID);
  assert_string_equal(compiler_kind_name(KIND_COUNT), "invalid");
  assert_string_equal(compiler_kind_name(-1), "invalid");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_kind_is_found_by_its_name),
      cmocka_unit_test(test_kinds_without_a_row_come_behind_the_rows),
      cmocka_unit_test(test_an_unknown_name_is_no_kind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
