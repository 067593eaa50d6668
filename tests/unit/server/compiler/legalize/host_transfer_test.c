#include "server/compiler/legalize/host_transfer.h"

#include "common/mlir/walk.h"
#include "server/compiler/legalize/legalize.h"
#include "server/compiler/verify/verify.h"
#include "tests/unit/server/compiler/text.h"

#define SEND                                                                        \
  "\"stablehlo.send\"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle " \
  "= 5, type = 2>, is_host_transfer = true}> "

static mlir_module_t *expand(const char *text) {
  mlir_module_t *module = parse_text(text);
  assert_ok(compiler_expand(module));
  assert_ok(compiler_verify(module));
  return module;
}

static const mlir_op_t *find(const mlir_module_t *module, const char *name) {
  for (mlir_op_t *op = mlir_walk_first(module->op); op != NULL;
       op = mlir_walk_next(module->op, op)) {
    if (strcmp(op->name, name) == 0) {
      return op;
    }
  }
  return NULL;
}

static void test_a_recv_depends_on_the_send_before_it(void **state) {
  (void)state;
  mlir_module_t *module = expand(
      "func.func @main(%a: tensor<4xf32>) -> tensor<2xi32> {\n"
      "  %t = stablehlo.create_token : !stablehlo.token\n"
      "  %s = " SEND
      ": (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token\n"
      "  %r:2 = \"stablehlo.recv\"(%s) <{channel_handle = "
      "#stablehlo.channel_handle<handle = 6, type = 3>, is_host_transfer = true}> : "
      "(!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)\n"
      "  return %r#0 : tensor<2xi32>\n}\n");
  const mlir_op_t *send = find(module, "podium.host_send");
  const mlir_op_t *recv = find(module, "podium.host_recv");
  assert_non_null(send);
  assert_non_null(recv);
  assert_ptr_equal(recv->operands[0], &send->results[0]);
  assert_int_equal(mlir_op_attr(send, "channel")->integer, 5);
  assert_int_equal(mlir_op_attr(recv, "channel")->integer, 6);
  assert_int_equal(mlir_op_attr(send, "each_device")->integer, 0);
  mlir_module_destroy(module);
}

static void test_tokens_of_main_are_arrays_without_elements(void **state) {
  (void)state;
  mlir_module_t *module = expand(
      "func.func @main(%t: !stablehlo.token, %a: tensor<4xf32>) -> !stablehlo.token {\n"
      "  %s = " SEND
      ": (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token\n"
      "  return %s : !stablehlo.token\n}\n");
  const mlir_type_t *type =
      mlir_op_attr(find(module, "func.func"), "function_type")->type;
  assert_int_equal(type->inputs[0]->shape.rank, 1);
  assert_int_equal(type->inputs[0]->shape.dims[0], 0);
  assert_int_equal(type->results[0]->shape.rank, 1);
  assert_int_equal(type->results[0]->shape.dims[0], 0);
  mlir_module_destroy(module);
}

static void test_where_the_sharding_is_manual_each_device_does_it(void **state) {
  (void)state;
  mlir_module_t *module = expand(
      "sdy.mesh @empty_mesh = <[]>\n"
      "func.func @main(%a: tensor<4xf32>) {\n"
      "  %t = stablehlo.create_token : !stablehlo.token\n"
      "  %s = " SEND
      "{sdy.sharding = #sdy.sharding_per_value<[<@empty_mesh, []>]>} : (tensor<4xf32>, "
      "!stablehlo.token) -> !stablehlo.token\n"
      "  return\n}\n");
  assert_int_equal(mlir_op_attr(find(module, "podium.host_send"), "each_device")->integer,
                   1);
  mlir_module_destroy(module);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_recv_depends_on_the_send_before_it),
      cmocka_unit_test(test_tokens_of_main_are_arrays_without_elements),
      cmocka_unit_test(test_where_the_sharding_is_manual_each_device_does_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
