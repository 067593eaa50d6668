#include "server/chip/operations.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void test_every_operation_is_found_by_its_name(void **state) {
  (void)state;
  for (unsigned op = CHIP_OP_INVALID + 1; op < CHIP_OP_COUNT; op++) {
    assert_int_equal(chip_op_find(chip_op_name((chip_op_t)op)), op);
  }
}

static void test_an_unknown_name_is_invalid(void **state) {
  (void)state;
  assert_int_equal(chip_op_find("stablehlo.ad"), CHIP_OP_INVALID);
  assert_int_equal(chip_op_find(""), CHIP_OP_INVALID);
  assert_int_equal(chip_op_find("invalid"), CHIP_OP_INVALID);
}

static void test_short_names_lack_the_dialect(void **state) {
  (void)state;
  assert_string_equal(chip_op_short_name(CHIP_OP_ALL_REDUCE), "all_reduce");
  assert_string_equal(chip_op_short_name(CHIP_OP_COPY), "copy");
  assert_string_equal(chip_op_short_name((chip_op_t)100000), "invalid");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_operation_is_found_by_its_name),
      cmocka_unit_test(test_an_unknown_name_is_invalid),
      cmocka_unit_test(test_short_names_lack_the_dialect),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
