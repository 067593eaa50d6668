#include "server/compiler/dialect/alike.h"

#include "server/program/operations.h"
#include "tests/unit/server/compiler/text.h"

static mlir_module_t *module;

static mlir_op_t *make(const mlir_type_t *type, mlir_value_t *operand,
                       const mlir_attr_t *attr) {
  mlir_op_t *op = mlir_op_create(module, "stablehlo.negate", 1, &operand, 1, &type, 0);
  op->kind = CHIP_OP_NEGATE;
  if (attr != NULL) {
    mlir_op_set_attr(module, op, "a", attr);
  }
  return op;
}

static bool are_alike(const mlir_op_t *a, const mlir_op_t *b) {
  pod_map_t *map = pod_map_create();
  alike_t key;
  alike_init(&key, a);
  alike_put(map, &key, module);
  alike_init(&key, b);
  const bool are = alike_get(map, &key) == module;
  pod_map_destroy(map);
  return are;
}

static void test_operations_are_alike_by_row_types_and_attributes(void **state) {
  (void)state;
  module = mlir_module_create("x");
  const tensor_shape_t shape = tensor_shape_make(TENSOR_F32, 1, (const int64_t[]){8});
  const tensor_shape_t scalar = tensor_shape_make(TENSOR_F32, 0, NULL);
  const mlir_type_t *type = mlir_type_tensor(module, &shape),
                    *other = mlir_type_tensor(module, &scalar);
  mlir_block_t *block = mlir_op_block(module->op, 0);
  mlir_value_t *x = mlir_block_add_argument(module, block, type),
               *y = mlir_block_add_argument(module, block, type),
               *z = mlir_block_add_argument(module, block, other);
  const mlir_attr_t *one = mlir_attr_bool(module, true);
  mlir_op_t *op = make(type, x, NULL), *exp = make(type, x, NULL);
  exp->kind = CHIP_OP_EXPONENTIAL;
  assert_true(are_alike(op, make(type, y, NULL)));
  assert_false(are_alike(op, make(type, z, NULL)));
  assert_false(are_alike(op, make(other, x, NULL)));
  assert_false(are_alike(op, make(type, x, one)));
  assert_true(are_alike(make(type, y, one), make(type, x, one)));
  assert_false(are_alike(op, exp));
  mlir_module_destroy(module);
}

static void test_what_has_regions_or_too_much_has_no_key(void **state) {
  (void)state;
  module = mlir_module_create("x");
  alike_t key;
  alike_init(&key, module->op);
  assert_int_equal(key.count, 0);
  pod_map_t *map = pod_map_create();
  alike_put(map, &key, module);
  assert_null(alike_get(map, &key));
  assert_int_equal(pod_map_count(map), 0);
  alike_init(&key, mlir_op_create(module, "t.o", 0, NULL, 0, NULL, 0));
  for (int i = 0; i < ALIKE_NUMBERS_MAX + 1; i++) {
    alike_add(&key, i);
  }
  assert_int_equal(key.count, 0);
  alike_add(&key, 1);
  assert_int_equal(key.count, 0);
  pod_map_destroy(map);
  mlir_module_destroy(module);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_operations_are_alike_by_row_types_and_attributes),
      cmocka_unit_test(test_what_has_regions_or_too_much_has_no_key),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
