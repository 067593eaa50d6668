#include <stdlib.h>

#include "common/mlir/diagnostic.h"
#include "common/mlir/walk.h"
#include "server/compiler/legalize/legalize.h"
#include "server/compiler/verify/verify.h"
#include "tests/unit/server/compiler/text.h"

// @main calls @f0, which calls @f1 `calls` times over, and so on; the last one negates.
static mlir_module_t *chain(int length, int calls) {
  pod_text_t text = {0};
  pod_text_add(&text,
               "func.func @main(%a: tensor<f32>) -> tensor<f32> {\n"
               "  %0 = call @f0(%a) : (tensor<f32>) -> tensor<f32>\n"
               "  return %0 : tensor<f32>\n}\n");
  for (int i = 0; i < length; i++) {
    pod_text_printf(&text, "func.func private @f%d(%%x0: tensor<f32>) -> tensor<f32> {\n",
                    i);
    const bool is_last = i + 1 == length;
    for (int k = 0; k < calls; k++) {
      if (is_last) {
        pod_text_printf(&text, "  %%x%d = stablehlo.negate %%x%d : tensor<f32>\n", k + 1,
                        k);
      } else {
        pod_text_printf(&text,
                        "  %%x%d = call @f%d(%%x%d) : (tensor<f32>) -> tensor<f32>\n",
                        k + 1, i + 1, k);
      }
    }
    pod_text_printf(&text, "  return %%x%d : tensor<f32>\n}\n", calls);
  }
  mlir_module_t *module = parse_text(text.bytes);
  pod_text_deinit(&text);
  return module;
}

static int count_ops(const mlir_module_t *module) {
  const mlir_op_t *main = mlir_module_find_symbol(module, "main");
  int count = 0;
  for (const mlir_op_t *op = mlir_walk_first(main); op != NULL;
       op = mlir_walk_next(main, op)) {
    count++;
  }
  return count;
}

static void test_a_chain_of_ten_thousand_calls_comes_out_flat(void **state) {
  (void)state;
  mlir_module_t *module = chain(10000, 1);
  assert_ok(compiler_verify(module));
  assert_ok(compiler_inline(module));
  assert_ok(compiler_verify(module));
  assert_int_equal(count_ops(module), 2);  // negate, return
  assert_null(mlir_module_find_symbol(module, "f0"));
  mlir_module_destroy(module);
}

static void test_a_function_called_often_is_copied_as_often(void **state) {
  (void)state;
  mlir_module_t *module = chain(8, 3);
  assert_ok(compiler_verify(module));
  assert_ok(compiler_inline(module));
  assert_ok(compiler_verify(module));
  assert_int_equal(count_ops(module), 6561 + 1);  // 3^8
  mlir_module_destroy(module);
}

static void test_calls_that_double_forty_times_are_refused_before_any_is_copied(
    void **state) {
  (void)state;
  mlir_module_t *module = chain(40, 2);
  assert_ok(compiler_verify(module));
  assert_error(compiler_inline(module), POD_RESOURCE_EXHAUSTED, "more than");
  mlir_module_destroy(module);
}

static void test_loops_that_nest_by_calls_are_bounded(void **state) {
  (void)state;
  pod_text_t text = {0};
  pod_text_add(&text,
               "func.func @main(%a: tensor<f32>, %p: tensor<i1>) -> tensor<f32> {\n"
               "  %0 = call @f0(%a, %p) : (tensor<f32>, tensor<i1>) -> tensor<f32>\n"
               "  return %0 : tensor<f32>\n}\n");
  for (int i = 0; i < 400; i++) {
    pod_text_printf(
        &text,
        "func.func private @f%d(%%a: tensor<f32>, %%p: tensor<i1>) -> tensor<f32> {\n"
        "  %%0 = stablehlo.while(%%x = %%a) : tensor<f32> cond {\n"
        "    stablehlo.return %%p : tensor<i1>\n  } do {\n",
        i);
    if (i + 1 < 400) {
      pod_text_printf(&text,
                      "    %%1 = func.call @f%d(%%x, %%p) : (tensor<f32>, tensor<i1>) -> "
                      "tensor<f32>\n    stablehlo.return %%1 : tensor<f32>\n  }\n",
                      i + 1);
    } else {
      pod_text_add(&text, "    stablehlo.return %x : tensor<f32>\n  }\n");
    }
    pod_text_add(&text, "  return %0 : tensor<f32>\n}\n");
  }
  mlir_module_t *module = parse_text(text.bytes);
  pod_text_deinit(&text);
  assert_ok(compiler_verify(module));
  assert_error(compiler_inline(module), POD_RESOURCE_EXHAUSTED, "nest deeper than");
  mlir_module_destroy(module);
}

static void check_refused(const char *text, const char *part) {
  mlir_module_t *module = parse_text(text);
  pod_status_t status = compiler_verify(module);
  if (status == NULL) {
    status = compiler_inline(module);
  }
  assert_error(status, POD_INVALID_ARGUMENT, part);
  mlir_module_destroy(module);
}

static void test_what_has_no_line_is_where_it_is_called(void **state) {
  (void)state;
  mlir_module_t *module = parse_text(
      "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
      "  %0 = call @g(%a) : (tensor<4xf32>) -> tensor<4xf32> loc(\"g\"(\"m.py\":9:5))\n"
      "  return %0 : tensor<4xf32>\n}\n"
      "func.func private @g(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
      "  %0 = call @f(%a) : (tensor<4xf32>) -> tensor<4xf32> loc(\"inner\")\n"
      "  return %0 : tensor<4xf32>\n}\n"
      "func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
      "  %0 = stablehlo.cosine %a : tensor<4xf32> loc(\"cos\"(\"lib.py\":1:2))\n"
      "  %1 = \"stablehlo.sort\"(%0) <{dimension = 0 : i64}> ({\n"
      "  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
      "    %2 = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1> "
      "loc(unknown)\n"
      "    stablehlo.return %2 : tensor<i1>\n"
      "  }) : (tensor<4xf32>) -> tensor<4xf32> loc(\"sort\")\n"
      "  return %1 : tensor<4xf32>\n}\n");
  assert_ok(compiler_verify(module));
  assert_ok(compiler_inline(module));
  const mlir_op_t *main = mlir_module_find_symbol(module, "main");
  const mlir_op_t *cosine = mlir_walk_first(main), *sort = cosine->next;
  assert_string_equal(mlir_op_source(module, cosine), "lib.py:1:2");
  assert_string_equal(mlir_op_source(module, sort), "m.py:9:5");
  assert_string_equal(mlir_location_name(sort->location)->text, "sort");
  assert_string_equal(mlir_op_source(module, mlir_walk_first(sort)), "m.py:9:5");
  mlir_module_destroy(module);
}

static void test_calls_that_cannot_be_are_refused_where_they_stand(void **state) {
  (void)state;
  check_refused("func.func @other() {\n  return\n}\n", "no function @main");
  check_refused("func.func @main() {\n  call @gone() : () -> ()\n  return\n}\n",
                "test.mlir:2:3: 'func.call': calls @gone, but the module has no such");
  check_refused("func.func @main() {\n  call @main() : () -> ()\n  return\n}\n",
                "calls @main, which is what calls it");
  check_refused(
      "func.func @main() {\n  call @f() : () -> ()\n  return\n}\n"
      "func.func private @f()\n",
      "calls @f, which has no body");
  check_refused(
      "func.func @main(%a: tensor<f32>) {\n  call @f(%a) : (tensor<f32>) -> ()\n"
      "  return\n}\nfunc.func private @f(%a: tensor<i32>) {\n  return\n}\n",
      "operand 0 is tensor<f32>; @f takes tensor<i32>");
  check_refused(
      "func.func @main(%a: tensor<f32>) {\n  call @f(%a) : (tensor<f32>) -> ()\n"
      "  return\n}\nfunc.func private @f() {\n  return\n}\n",
      "has 1 operands and 0 results; @f has 0 and 0");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_chain_of_ten_thousand_calls_comes_out_flat),
      cmocka_unit_test(test_a_function_called_often_is_copied_as_often),
      cmocka_unit_test(
          test_calls_that_double_forty_times_are_refused_before_any_is_copied),
      cmocka_unit_test(test_loops_that_nest_by_calls_are_bounded),
      cmocka_unit_test(test_what_has_no_line_is_where_it_is_called),
      cmocka_unit_test(test_calls_that_cannot_be_are_refused_where_they_stand),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
