#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "client/cli/cli.h"
#include "common/base/check.h"

static void test_a_module_that_names_no_chips_is_for_one(void **state) {
  (void)state;
  assert_int_equal(cli_chips_for(""), 1);
  assert_int_equal(cli_chips_for("func.func @main() { return }"), 1);
}

static void test_partitions_and_replicas_multiply(void **state) {
  (void)state;
  assert_int_equal(cli_chips_for("module attributes {mhlo.num_partitions = 4 : i32} {}"),
                   4);
  assert_int_equal(cli_chips_for("module attributes {mhlo.num_partitions = 4 : i32, "
                                 "mhlo.num_replicas = 2 : i32} {}"),
                   8);
}

static void test_a_mesh_that_is_used_says_how_many_chips(void **state) {
  (void)state;
  static const char use[] = "%0 = sdy.reshard %a <@mesh, [{\"x\"}]> : tensor<8xf32>\n";
  static const struct {
    const char *mesh;
    int64_t chips;
  } cases[] = {
      {"sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>", 8},
      {"sdy.mesh @one = <[]>\nsdy.mesh @mesh = <[\"x\"=2]>", 2},
      {"sdy.mesh @mesh = <[\"x\"=2, \"y\"=3], device_ids=[5, 4, 3, 2, 1, 0]>", 6},
      {"\"sdy.mesh\"() <{mesh = #sdy.mesh<[\"a\"=16]>, sym_name = \"mesh\"}> : () -> ()",
       16},
      {"module attributes {mhlo.num_partitions = 1 : i32} {\n"
       "sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>",
       4},
      {"sdy.mesh @mesh_of_all = <[\"x\"=8]>\nsdy.mesh @mesh = <[\"x\"=2]>", 2},
  };
  for (size_t i = 0; i < POD_COUNT_OF(cases); i++) {
    char text[512];
    (void)snprintf(text, sizeof(text), "%s\n%s", cases[i].mesh, use);
    assert_int_equal(cli_chips_for(text), cases[i].chips);
    assert_int_equal(cli_chips_for(cases[i].mesh), 1);
  }
}

static void test_a_mesh_that_a_sharding_writes_out_counts(void **state) {
  (void)state;
  assert_int_equal(
      cli_chips_for("%0 = sdy.reshard %a <mesh<[\"x\"=4]>, [{\"x\"}]> : tensor<8xf32>"),
      4);
}

static void test_a_grid_of_programs_is_counted_by_its_cells(void **state) {
  (void)state;
  assert_int_equal(cli_chips_for("\"interpreter.run_parallel\"(%a, %b) {programs = "
                                 "[[@p0, @p1], [@p0, @p1], [@p0, @p1]]}"),
                   6);
}

static void test_numbers_that_make_no_sense_are_left_to_the_pod(void **state) {
  (void)state;
  assert_int_equal(cli_chips_for("mhlo.num_partitions = -7"), 1);
  assert_int_equal(cli_chips_for("mhlo.num_partitions = 99999999999999999999"), 1);
  assert_int_equal(cli_chips_for("sdy.mesh @mesh = <[\"x\"=0, \"y\"=2]> @mesh"), 2);
  assert_int_equal(cli_chips_for("sdy.mesh @mesh = <[\"x\"=4096, \"y\"=4096]> @mesh"),
                   4096);
  assert_int_equal(cli_chips_for("sdy.mesh @mesh = <[\"x"), 1);
  assert_int_equal(cli_chips_for("sdy.mesh @mesh = <[\"x\"="), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_module_that_names_no_chips_is_for_one),
      cmocka_unit_test(test_partitions_and_replicas_multiply),
      cmocka_unit_test(test_a_mesh_that_is_used_says_how_many_chips),
      cmocka_unit_test(test_a_mesh_that_a_sharding_writes_out_counts),
      cmocka_unit_test(test_a_grid_of_programs_is_counted_by_its_cells),
      cmocka_unit_test(test_numbers_that_make_no_sense_are_left_to_the_pod),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
