#include "server/compiler/gspmd.h"

#include <stdlib.h>

#include "server/compiler/gspmd_string.h"
#include "server/compiler/passes.h"
#include "tests/unit/server/compiler/text.h"

// "2,1 | 4 | manual 8": sizes and preceding sizes of the digits of each dimension.
static char *digits_of(const char *string) {
  gspmd_sharding_t sharding;
  assert_ok(gspmd_parse(string, &sharding));
  pod_text_t text = {0};
  pod_text_add(&text, sharding.is_manual ? "all manual" : "");
  for (int d = 0; d < sharding.rank; d++) {
    pod_text_add(&text, "[");
    for (int i = 0; i < sharding.dims[d].count; i++) {
      pod_text_printf(&text, "(%d)%d", (int)sharding.dims[d].digits[i].pre,
                      (int)sharding.dims[d].digits[i].size);
    }
    pod_text_add(&text, "]");
  }
  for (int i = 0; i < sharding.manual.count; i++) {
    pod_text_printf(&text, " manual (%d)%d", (int)sharding.manual.digits[i].pre,
                    (int)sharding.manual.digits[i].size);
  }
  pod_text_add(&text, "");
  return pod_text_take(&text);
}

static void test_a_string_gives_every_dimension_digits_of_the_device_number(
    void **state) {
  (void)state;
  static const char *const rows[][2] = {
      {"{replicated}", ""},
      {"{maximal device=3}", ""},
      {"{manual}", "all manual"},
      {"{devices=[4]<=[4]}", "[(1)4]"},
      {"{devices=[2,1,2]<=[4] last_tile_dim_replicate}", "[(1)2][]"},
      {"{devices=[2,2]<=[2,2]T(1,0)}", "[(2)2][(1)2]"},
      {"{devices=[8,1]<=[2,4]T(1,0)}", "[(2)4(1)2][]"},
      {"{devices=[2,4]<=[4,2]T(1,0)}", "[(4)2][(1)4]"},
      {"{devices=[2,2,2]<=[8] last_tile_dims={manual}}", "[(1)2][(2)2] manual (4)2"},
      {"{devices=[1,2,4]<=[8] last_tile_dims={manual, replicated}}", "[] manual (1)2"},
      {"{devices=[2,2]0,1,2,3}", "[(1)2][(2)2]"},
      {"{devices=[2,2]0,2,1,3}", "[(2)2][(1)2]"},
      {"{devices=[2,1,3]0,1,2,3,4,5 last_tile_dim_replicate}", "[(1)2][]"},
      {"{devices=[1,1]0}", "[][]"},
  };
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    char *digits = digits_of(rows[i][0]);
    assert_string_equal(digits, rows[i][1]);
    free(digits);
  }
}

static void test_a_string_that_is_none_is_refused_with_its_character(void **state) {
  (void)state;
  static const char *const wrong[] = {
      "",
      "{",
      "{replicated",
      "{replicated} ",
      "{devices=[]<=[1]}",
      "{devices=[2,0]<=[2]}",
      "{devices=[2,2]<=[2]}",
      "{devices=[2,2]<=[2,2]T(1,1)}",
      "{devices=[2,2]<=[2,2]T(0)}",
      "{devices=[2,2]<=[2,2]T(2,0)}",
      "{devices=[2,2]0,1,2}",
      "{devices=[65536,65536,65536,65536]<=[1]}",
      "{devices=[99999999999999999999]<=[2]}",
      "{devices=[2]<=[2] last_tile_dims={manual, manual}}",
      "{devices=[2]<=[2] last_tile_dims={odd}}",
      "{devices=[2]<=[2] metadata}",
      "\b\x03\x1a\x01",
  };
  gspmd_sharding_t sharding;
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
    assert_error(gspmd_parse(wrong[i], &sharding), POD_INVALID_ARGUMENT, "at character");
  }
  assert_error(gspmd_parse("{devices=[4]0,1,3,2}", &sharding), POD_UNIMPLEMENTED,
               "not in the order of a mesh");
  assert_error(gspmd_parse("{devices=[4]0,0,0,0}", &sharding), POD_INVALID_ARGUMENT,
               "names device 0 twice");
  assert_error(gspmd_parse("{devices=[2,3]<=[3,2]}", &sharding), POD_UNIMPLEMENTED,
               "no whole number");
}

#define SHARDED(string) " {mhlo.sharding = \"" string "\"}"
#define MAIN(arguments, body) \
  "func.func @main(" arguments ") -> tensor<8x4xf32> {\n" body "}\n"

static void check_error(const char *source, pod_code_t code, const char *message) {
  mlir_module_t *module = parse_text(source);
  assert_error(gspmd_expand(module), code, message);
  mlir_module_destroy(module);
}

static void test_what_no_manual_computation_stands_for_is_an_error_at_its_place(
    void **state) {
  (void)state;
  check_error(MAIN("%a: tensor<8x4xf32>" SHARDED("{devices=[2]<=[2]}"),
                   "  return %a : tensor<8x4xf32>\n"),
              POD_INVALID_ARGUMENT,
              "test.mlir:1:1: 'func.func': its sharding has 1 dimensions, what it is "
              "for has 2");
  check_error(MAIN("%a: tensor<8x4xf32>",
                   "  %0 = stablehlo.custom_call @Sharding(%a)" SHARDED(
                       "{oops}") " : (tensor<8x4xf32>) -> tensor<8x4xf32>\n"
                                 "  return %0 : tensor<8x4xf32>\n"),
              POD_INVALID_ARGUMENT, "test.mlir:2:8: 'stablehlo.custom_call': sharding");
  check_error(
      MAIN("%a: tensor<8x4xf32>" SHARDED("{devices=[2,1]<=[2]}"),
           "  %0 = stablehlo.custom_call @SPMDFullToShardShape(%a)" SHARDED(
               "{manual}") " : (tensor<8x4xf32>) -> tensor<4x4xf32>\n"
                           "  %1 = stablehlo.concatenate %0, %0, dim = 0 : "
                           "(tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>\n"
                           "  return %1 : tensor<8x4xf32>\n"),
      POD_UNIMPLEMENTED,
      "test.mlir:3:8: 'stablehlo.concatenate': takes a shard "
      "(SPMDFullToShardShape) outside");
  check_error(MAIN("%a: tensor<8x4xf32>" SHARDED(
                       "{devices=[2,1]<=[2]}") ", "
                                               "%b: tensor<8x4xf32>" SHARDED(
                                                   "{devices=[4,1]<=[4]}"),
                   "  return %a : tensor<8x4xf32>\n"),
              POD_INVALID_ARGUMENT, "over 4 devices, the module's others are over 2");
  check_error(MAIN("%a: tensor<8x4xf32>" SHARDED(
                       "{devices=[2,3]<=[6]}") ", "
                                               "%b: tensor<8x4xf32>" SHARDED(
                                                   "{devices=[3,2]<=[6]}"),
                   "  return %a : tensor<8x4xf32>\n"),
              POD_UNIMPLEMENTED, "are not over one mesh");
}

static void test_on_one_device_shards_are_whole_arrays(void **state) {
  (void)state;
  mlir_module_t *module = parse_text(
      MAIN("%a: tensor<8x4xf32>" SHARDED("{replicated}"),
           "  %0 = stablehlo.custom_call @Sharding(%a)" SHARDED(
               "{devices=[1,1]<=[1]}") " : (tensor<8x4xf32>) -> tensor<8x4xf32>\n"
           "  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0)" SHARDED(
               "{manual}") " : (tensor<8x4xf32>) -> tensor<8x4xf32>\n"
           "  %2 = call @body(%1) : (tensor<8x4xf32>) -> tensor<8x4xf32>\n"
           "  %3 = stablehlo.custom_call @Sharding(%2)" SHARDED(
               "{manual}") " : (tensor<8x4xf32>) -> tensor<8x4xf32>\n"
           "  %4 = stablehlo.custom_call @SPMDShardToFullShape(%3)" SHARDED(
               "{replicated}") " : (tensor<8x4xf32>) -> tensor<8x4xf32>\n"
           "  return %4 : tensor<8x4xf32>\n")
      "func.func private @body(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {\n"
      "  %0 = stablehlo.negate %x : tensor<8x4xf32>\n"
      "  return %0 : tensor<8x4xf32>\n}\n");
  assert_ok(compiler_expand(module));
  assert_ok(compiler_verify(module));
  char *text = print_text(module);
  assert_null(strstr(text, "sdy."));
  assert_null(strstr(text, "custom_call"));
  free(text);
  mlir_module_destroy(module);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_string_gives_every_dimension_digits_of_the_device_number),
      cmocka_unit_test(test_a_string_that_is_none_is_refused_with_its_character),
      cmocka_unit_test(
          test_what_no_manual_computation_stands_for_is_an_error_at_its_place),
      cmocka_unit_test(test_on_one_device_shards_are_whole_arrays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
