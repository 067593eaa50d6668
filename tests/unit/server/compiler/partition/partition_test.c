// What compiler_partition promises beside the program itself; the programs are compared
// in tests/golden/partition and run in tests/sim.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/mlir/parser.h"
#include "common/mlir/printer.h"
#include "server/compiler/dialect/syntax.h"
#include "server/compiler/partition/partition.h"
#include "server/compiler/verify/verify.h"

static const char *const matmul =
    "module @jit_f {\n"
    "sdy.mesh @mesh = <[\"x\"=2, \"y\"=2], device_ids=[2, 0, 3, 1]>\n"
    "func.func public @main(%a: tensor<8x16xf32> "
    "{sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {\"y\"}]>}, %b: tensor<16x4xf32>) -> "
    "(tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\", \"y\"}, {}]>}) {\n"
    "%0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
    "(tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>\n"
    "return %0 : tensor<8x4xf32>\n}\n}\n";

static mlir_module_t *parse(const char *text) {
  mlir_module_t *module = NULL;
  pod_status_t status = compiler_parse("test.mlir", text, (int64_t)strlen(text), &module);
  status = status == NULL ? compiler_verify(module) : status;
  if (status != NULL) {
    fail_msg("%s", pod_status_message(status));
  }
  return module;
}

static char *print(const mlir_module_t *module) {
  pod_text_t text = {0};
  const mlir_print_options_t options = {.lookup = compiler_syntax_lookup};
  mlir_print(&text, module, &options);
  return pod_text_take(&text);
}

static void test_arguments_and_results_say_how_they_lie(void **state) {
  (void)state;
  mlir_module_t *module = parse(matmul);
  compiler_partitioned_t partitioned;
  assert_null(compiler_partition(module, 4, &partitioned));
  assert_int_equal(partitioned.argument_count, 2);
  assert_int_equal(partitioned.result_count, 1);
  assert_int_equal(partitioned.mesh->device_ids[0], 2);
  assert_int_equal(partitioned.argument_shapes[0].dims[1], 16);
  assert_int_equal(partitioned.result_shapes[0].dims[0], 8);
  pod_text_t text = {0};
  sharding_print(&text, partitioned.argument_shardings[1]);
  assert_string_equal(text.bytes, "<@mesh, [{\"y\"}, {}]>");
  tensor_shape_t local;
  sharding_local_shape(partitioned.result_shardings[0], &partitioned.result_shapes[0],
                       &local);
  const mlir_op_t *main = mlir_module_find_symbol(partitioned.module, "main");
  assert_true(tensor_shape_equal(&mlir_op_block(main, 0)->last->operands[0]->type->shape,
                                 &local));
  pod_text_deinit(&text);
  mlir_module_destroy(partitioned.module);
  mlir_module_destroy(module);
}

static void test_the_source_stays_as_it_is_and_can_be_partitioned_again(void **state) {
  (void)state;
  mlir_module_t *module = parse(matmul);
  char *before = print(module);
  char *texts[2];
  for (int i = 0; i < 2; i++) {
    compiler_partitioned_t partitioned;
    assert_null(compiler_partition(module, 4, &partitioned));
    texts[i] = print(partitioned.module);
    mlir_module_destroy(partitioned.module);
  }
  char *after = print(module);
  assert_string_equal(before, after);
  assert_string_equal(texts[0], texts[1]);
  free(before);
  free(after);
  free(texts[0]);
  free(texts[1]);
  mlir_module_destroy(module);
}

static void test_the_partitioned_text_is_a_program_again(void **state) {
  (void)state;
  mlir_module_t *module = parse(matmul);
  compiler_partitioned_t partitioned;
  assert_null(compiler_partition(module, 4, &partitioned));
  char *text = print(partitioned.module);
  mlir_module_t *again = parse(text);
  char *printed = print(again);
  assert_string_equal(printed, text);
  free(text);
  free(printed);
  mlir_module_destroy(again);
  mlir_module_destroy(partitioned.module);
  mlir_module_destroy(module);
}

static void test_a_module_without_main_is_refused(void **state) {
  (void)state;
  mlir_module_t *module = parse("module { }");
  compiler_partitioned_t partitioned;
  const pod_status_t status = compiler_partition(module, 4, &partitioned);
  assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
  pod_status_free(status);
  mlir_module_destroy(module);
}

// A program of thousands of operations on a mesh of thousands of devices.
static void test_large_programs_and_meshes_take_linear_time(void **state) {
  (void)state;
  pod_text_t text = {0};
  pod_text_add(&text,
               "sdy.mesh @mesh = <[\"x\"=64, \"y\"=64]>\n"
               "func.func @main(%v: tensor<128x128xf32> "
               "{sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {\"y\"}]>}) -> "
               "tensor<128x128xf32> {\n");
  char last[16] = "v";
  for (int i = 0; i < 20000; i++) {
    pod_text_printf(&text, "%%%d = stablehlo.add %%%s, %%%s : tensor<128x128xf32>\n", i,
                    last, last);
    snprintf(last, sizeof(last), "%d", i);
  }
  pod_text_printf(&text, "return %%%s : tensor<128x128xf32> }\n", last);
  mlir_module_t *module = parse(text.bytes);
  compiler_partitioned_t partitioned;
  assert_null(compiler_partition(module, 4096, &partitioned));
  assert_int_equal(partitioned.argument_shardings[0]->dims[0].axes.count, 1);
  mlir_module_destroy(partitioned.module);
  mlir_module_destroy(module);
  pod_text_deinit(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_arguments_and_results_say_how_they_lie),
      cmocka_unit_test(test_the_source_stays_as_it_is_and_can_be_partitioned_again),
      cmocka_unit_test(test_the_partitioned_text_is_a_program_again),
      cmocka_unit_test(test_a_module_without_main_is_refused),
      cmocka_unit_test(test_large_programs_and_meshes_take_linear_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
