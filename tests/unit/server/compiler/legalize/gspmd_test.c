#include "server/compiler/legalize/gspmd.h"

#include <stdlib.h>
#include <string.h>

#include "server/compiler/legalize/gspmd_string.h"
#include "server/compiler/legalize/legalize.h"
#include "server/compiler/verify/verify.h"
#include "tests/unit/server/compiler/text.h"

// "2,1 | 4 | manual 8": sizes and preceding sizes of the digits of each dimension.
static char *digits_of(const char *bytes, int64_t length) {
  gspmd_sharding_t sharding;
  assert_ok(gspmd_read(bytes, length, &sharding));
  pod_text_t text = {0};
  pod_text_add(&text, sharding.is_manual ? "all manual" : "");
  pod_text_add(&text, sharding.is_unknown ? "unknown" : "");
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
  if (sharding.is_grouped) {
    pod_text_printf(&text, " group %d", (int)sharding.group_id);
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
      {"{devices=[2,2]<=[4] last_tile_dims={unreduced}}", "[(1)2]"},
      {"{unknown}", "unknown"},
      {"{unknown shard_as 7}", "unknown group 7"},
      {"{unknown shard_like 7}", "unknown"},
      {"{devices=[4]<=[4] shard_as 0}", "[(1)4] group 0"},
      {"{replicated metadata={op_name=\"f}{\\\"\" source_line=1}}", ""},
      {"{devices=[2]<=[2] metadata={{op_name=\"a\"}, {op_name=\"b\"}}}", "[(1)2]"},
  };
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    char *digits = digits_of(rows[i][0], (int64_t)strlen(rows[i][0]));
    assert_string_equal(digits, rows[i][1]);
    free(digits);
  }
}

// The bytes are those that JAX's OpSharding.SerializeToString gives.
static void test_the_bytes_of_an_op_sharding_are_read_like_its_string(void **state) {
  (void)state;
  static const struct {
    const char *bytes;
    int64_t length;
    const char *digits;
  } rows[] = {
      {"", 0, ""},
      {"\x08\x03\x1a\x03\x02\x01\x02\x42\x01\x04\x4a\x02\x02\x02\x52\x02\x01\x00", 18,
       "[(2)2][] manual (1)2"},
      {"\x08\x03\x1a\x02\x02\x02\x22\x04\x00\x02\x01\x03\x30\x01", 14, "[(2)2]"},
      {"\x08\x03\x18\x02\x20\x00\x20\x01", 8, "[(1)2]"},  // Not packed.
      {"\x08\x04", 2, "all manual"},
      {"\x08\x05\x58\x01\x60\x07", 6, "unknown group 7"},
      {"\x08\x05\x58\x01\x60\x07\x68\x01", 8, "unknown"},
      {"\x08\x01\x1a\x01\x01\x22\x01\x03", 8, ""},
  };
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    char *digits = digits_of(rows[i].bytes, rows[i].length);
    assert_string_equal(digits, rows[i].digits);
    free(digits);
  }
  assert_true(gspmd_is_tuple("\x08\x02\x2a\x02\x08\x04", 6));
  assert_true(gspmd_is_tuple("{{manual}, {manual}}", 20));
  assert_false(gspmd_is_tuple("\x08\x04", 2));
  assert_false(gspmd_is_tuple("", 0));
}

static void test_bytes_that_are_no_op_sharding_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *bytes;
    int64_t length;
  } rows[] = {{"\x08", 1},
              {"\x08\x63", 2},
              {"\x08\x03\x1a\x05\x02", 5},
              {"\x08\x03\x1a\x02\x80\x80", 6},
              {"\x08\x03\x42\x01\x03", 5},
              {"\x0d\x00\x00\x00\x00", 5},
              {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 11}};
  gspmd_sharding_t sharding;
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    assert_error(gspmd_read(rows[i].bytes, rows[i].length, &sharding),
                 POD_INVALID_ARGUMENT, "serialized OpSharding");
  }
  // Tiles that do not fit are found by the parser of strings.
  assert_error(gspmd_read("\x08\x03\x1a\x01\x02", 5, &sharding), POD_INVALID_ARGUMENT,
               "at character");
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
      "{unknown metadata={a=\"}}",
      "{unknown shard_as}",
      "{replicated shard_as 1 metadata={}",
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
      "test.mlir:4:3: 'func.return': takes a shard that no SPMDShardToFullShape of this "
      "block makes whole");
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
      cmocka_unit_test(test_the_bytes_of_an_op_sharding_are_read_like_its_string),
      cmocka_unit_test(test_bytes_that_are_no_op_sharding_are_refused),
      cmocka_unit_test(test_a_string_that_is_none_is_refused_with_its_character),
      cmocka_unit_test(
          test_what_no_manual_computation_stands_for_is_an_error_at_its_place),
      cmocka_unit_test(test_on_one_device_shards_are_whole_arrays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
