#include "common/mlir/ir.h"

#include "common/mlir/name_cache.h"

#include "tests/unit/common/mlir/text.h"

static void test_names_are_interned(void **state) {
  (void)state;
  mlir_module_t *module = mlir_module_create("x");
  assert_ptr_equal(mlir_intern(module, "a.b"), mlir_intern_n(module, "a.bc", 3));
  mlir_module_destroy(module);
}

static void test_a_name_that_changes_in_its_place_is_another_name(void **state) {
  (void)state;
  mlir_module_t *module = mlir_module_create("x");
  char name[] = "a.b";
  const char *before = mlir_intern(module, name);
  name[2] = 'c';
  const char *after = mlir_intern(module, name);
  assert_string_equal(before, "a.b");
  assert_string_equal(after, "a.c");
  assert_ptr_equal(after, mlir_intern(module, "a.c"));
  mlir_module_destroy(module);
}

static void test_a_module_knows_which_names_it_may_have(void **state) {
  (void)state;
  mlir_module_t *module =
      parse_with(NULL, "\"t.a\"() {x.y = {k = 1}} : () -> () \"t.b\"() ({}) : () -> ()");
  static const char *const there[] = {"t.a", "t.b", "x.y", "k", "builtin.module"};
  for (size_t i = 0; i < sizeof(there) / sizeof(there[0]); i++) {
    assert_true(mlir_may_have(module, there[i]));
  }
  assert_false(mlir_may_have(module, "t.c"));
  assert_false(mlir_may_have_tokens(module));
  mlir_type_simple(module, MLIR_TYPE_INDEX);
  assert_false(mlir_may_have_tokens(module));
  mlir_module_destroy(module);
  module = parse_with(NULL, "%0 = \"t.a\"() : () -> !stablehlo.token");
  assert_true(mlir_may_have_tokens(module));
  mlir_module_t *copy = mlir_module_create("x");
  mlir_value_t **values = calloc(module->value_count + 1, sizeof(mlir_value_t *));
  mlir_op_clone(copy, find_op(module, "t.a"), values);
  assert_true(mlir_may_have_tokens(copy));
  free(values);
  mlir_module_destroy(copy);
  mlir_module_destroy(module);
}

static intptr_t length_of(const char *name) {
  return (intptr_t)strlen(name);
}

static void test_a_name_cache_knows_or_asks_again(void **state) {
  (void)state;
  mlir_module_t *module = mlir_module_create("x");
  mlir_name_cache_t cache = {0};
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < 1000; i++) {  // More than there are slots.
      char name[8];
      snprintf(name, sizeof(name), "n%d", i);
      const char *interned = mlir_intern(module, name);
      assert_int_equal(mlir_name_cache_get(&cache, interned, length_of), strlen(name));
      assert_int_equal(*mlir_name_cache_find(&cache, interned), strlen(name));
    }
  }
  assert_null(mlir_name_cache_find(&cache, "none"));
  mlir_module_destroy(module);
}

static void test_operations_are_linked_and_unlinked(void **state) {
  (void)state;
  mlir_module_t *module = mlir_module_create("x");
  mlir_block_t *block = mlir_op_block(module->op, 0);
  mlir_op_t *ops[3];
  for (int i = 0; i < 3; i++) {
    ops[i] = mlir_op_create(module, "t.o", 0, NULL, 0, NULL, 0);
  }
  mlir_block_append(block, ops[0]);
  mlir_block_append(block, ops[2]);
  mlir_block_insert_before(ops[2], ops[1]);
  assert_ptr_equal(block->first, ops[0]);
  assert_ptr_equal(ops[0]->next, ops[1]);
  assert_ptr_equal(ops[2]->previous, ops[1]);
  mlir_op_unlink(ops[0]);
  mlir_op_unlink(ops[2]);
  assert_ptr_equal(block->first, ops[1]);
  assert_ptr_equal(block->last, ops[1]);
  mlir_block_insert_before(ops[1], ops[2]);
  assert_ptr_equal(block->first, ops[2]);
  mlir_module_destroy(module);
}

static void test_attributes_are_set_replaced_and_removed(void **state) {
  (void)state;
  mlir_module_t *module = mlir_module_create("x");
  mlir_op_t *op = mlir_op_create(module, "t.o", 0, NULL, 0, NULL, 0);
  for (int i = 0; i < 20; i++) {
    char name[8];
    snprintf(name, sizeof(name), "a%d", i);
    mlir_op_set_attr(module, op, name, mlir_attr_integer(module, i, TENSOR_S64));
  }
  mlir_op_set_attr(module, op, "a3", mlir_attr_bool(module, true));
  mlir_op_remove_attr(op, "a4");
  mlir_op_remove_attr(op, "none");
  assert_int_equal(op->attr_count, 19);
  assert_int_equal(mlir_op_attr(op, "a3")->kind, MLIR_ATTR_BOOL);
  assert_null(mlir_op_attr(op, "a4"));
  assert_int_equal(mlir_op_attr(op, "a19")->integer, 19);
  mlir_module_destroy(module);
}

static void test_index_lists_are_read_in_every_form(void **state) {
  (void)state;
  mlir_module_t *module = parse_with(
      NULL,
      "\"t.o\"() {a = array<i64: 1, 2>, b = dense<[1, 2]> : tensor<2xi64>,\n"
      "  c = dense<3> : tensor<2xi32>, d = [4, 5 : i32], e = array<i1: true, false>,\n"
      "  f = [\"x\"], g = array<f32: 1.0>, h = dense<1.0> : tensor<1xf32>,\n"
      "  i = dense<0> : tensor<1099511627776xi64>} : () -> ()");
  const mlir_op_t *op = find_op(module, "t.o");
  static const char *const good[] = {"a", "b", "c", "d", "e"};
  static const int64_t expected[][2] = {{1, 2}, {1, 2}, {3, 3}, {4, 5}, {1, 0}};
  for (int i = 0; i < 5; i++) {
    int64_t count;
    const int64_t *values;
    assert_true(mlir_attr_as_i64s(module, mlir_op_attr(op, good[i]), &count, &values));
    assert_int_equal(count, 2);
    assert_int_equal(values[0], expected[i][0]);
    assert_int_equal(values[1], expected[i][1]);
  }
  static const char *const bad[] = {"f", "g", "h", "i", "absent"};
  for (int i = 0; i < 5; i++) {
    int64_t count;
    const int64_t *values;
    assert_false(mlir_attr_as_i64s(module, mlir_op_attr(op, bad[i]), &count, &values));
  }
  mlir_module_destroy(module);
}

static void test_equal_attributes_are_equal_in_any_order_and_spelling(void **state) {
  (void)state;
  mlir_module_t *module = parse_with(
      NULL,
      "\"t.o\"() {a = {x = 1, y = 2.0}, b = {y = 2.0, x = 1}, c = {x = 1, z = 2.0},\n"
      "  d = dense<[1, 1]> : tensor<2xi8>, e = dense<1> : tensor<2xi8>,\n"
      "  f = #d<e<1>>, g = #d.e<1>, h = dense<1> : tensor<2xi16>,\n"
      "  i = #d.e<x = [1,2], \"a b\">, j = #d.e< x=[1, 2],\n \"a b\" >, k = #d.e<x = [1, "
      "2], "
      "\"ab\">,\n  l = #d.e<x y>, m = #d.e<xy>} : () -> ()");
  const mlir_op_t *op = find_op(module, "t.o");
  assert_true(mlir_attr_equal(mlir_op_attr(op, "a"), mlir_op_attr(op, "b")));
  assert_false(mlir_attr_equal(mlir_op_attr(op, "a"), mlir_op_attr(op, "c")));
  assert_true(mlir_attr_equal(mlir_op_attr(op, "d"), mlir_op_attr(op, "e")));
  assert_true(mlir_attr_equal(mlir_op_attr(op, "f"), mlir_op_attr(op, "g")));
  assert_false(mlir_attr_equal(mlir_op_attr(op, "e"), mlir_op_attr(op, "h")));
  assert_true(mlir_attr_equal(mlir_op_attr(op, "i"), mlir_op_attr(op, "j")));
  assert_false(mlir_attr_equal(mlir_op_attr(op, "i"), mlir_op_attr(op, "k")));
  assert_false(mlir_attr_equal(mlir_op_attr(op, "l"), mlir_op_attr(op, "m")));
  assert_false(mlir_attr_equal(mlir_op_attr(op, "a"), NULL));
  mlir_module_destroy(module);
}

static const char *const nested_text =
    "func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {\n"
    "  %0:2 = \"t.o\"(%a, %a) <{v = dense<[1.0, 2.0]> : tensor<2xf32>, s = [@x, "
    "#d.e<f>]}> ({\n"
    "  ^bb0(%b: tensor<f32>):\n"
    "    %1 = \"t.p\"(%b, %a) : (tensor<f32>, tensor<2xf32>) -> tuple<i1>\n"
    "  }) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, i1) loc(\"n\"(\"f\":1:2))\n"
    "  return %0#0 : tensor<2xf32>\n"
    "}\n";

static void test_a_clone_outlives_the_module_it_came_from(void **state) {
  (void)state;
  mlir_module_t *from = parse_with(NULL, nested_text);
  mlir_module_t *expected = parse_with(NULL, nested_text);
  mlir_module_t *to = mlir_module_create("to");
  mlir_value_t **values =
      pod_arena_array(from->arena, from->value_count, sizeof(*values));
  mlir_op_t *copy = mlir_op_clone(to, mlir_module_find_symbol(from, "f"), values);
  mlir_block_append(mlir_op_block(to->op, 0), copy);
  mlir_module_destroy(from);
  expect_same(expected, to);
  expect_round_trip(NULL, to);
  assert_string_equal(mlir_op_source(to, find_op(to, "t.o")), "f:1:2");
  assert_int_equal(find_op(to, "t.o")->position, 0);
  mlir_module_destroy(expected);
  mlir_module_destroy(to);
}

static void test_a_clone_in_another_module_leaves_behind_what_was_decoded(void **state) {
  (void)state;
  mlir_module_t *from = parse_with(NULL, "\"t.o\"() {a = #d.e<f>} : () -> ()");
  mlir_module_t *to = mlir_module_create("to");
  const mlir_op_t *op = find_op(from, "t.o");
  const mlir_attr_t *attr = mlir_op_attr(op, "a");
  const int64_t value = 42;
  mlir_attr_set_decoded(to, attr, &value, sizeof(value));
  assert_null(attr->decoded);
  mlir_attr_set_decoded(from, attr, &value, sizeof(value));
  assert_int_equal(*(const int64_t *)attr->decoded, value);
  const mlir_attr_t *copy = mlir_op_attr(mlir_op_clone(to, op, NULL), "a");
  assert_null(copy->decoded);
  mlir_attr_set_decoded(to, copy, &value, sizeof(value));
  mlir_module_destroy(from);
  assert_int_equal(*(const int64_t *)copy->decoded, value);
  mlir_module_destroy(to);
}

static void test_an_attribute_is_known_by_the_key_it_was_remembered_by(void **state) {
  (void)state;
  mlir_module_t *module = mlir_module_create("known");
  const int64_t key[] = {'d', 1}, other[] = {'d', 2};
  assert_null(mlir_attr_known(module, key, sizeof(key)));
  const mlir_attr_t *attr = mlir_attr_dialect(module, "d.e", "f");
  mlir_attr_remember(module, key, sizeof(key), attr);
  assert_ptr_equal(mlir_attr_known(module, key, sizeof(key)), attr);
  assert_null(mlir_attr_known(module, key, sizeof(key[0])));
  assert_null(mlir_attr_known(module, other, sizeof(other)));
  mlir_module_destroy(module);
}

static void test_a_module_beside_another_shares_what_operations_are_made_of(
    void **state) {
  (void)state;
  mlir_module_t *from =
      parse_with(NULL, "\"t.o\"() {a = \"shared\"} : () -> tensor<2xi8>");
  const mlir_op_t *op = find_op(from, "t.o");
  mlir_module_t *beside = mlir_module_create_beside(from);
  assert_int_equal(beside->value_count, 0);
  assert_null(mlir_op_block(beside->op, 0)->first);
  mlir_value_t *values[1] = {NULL};
  mlir_op_t *copy = mlir_op_clone(beside, op, values);
  mlir_block_append(mlir_op_block(beside->op, 0), copy);
  assert_ptr_equal(mlir_op_attr(copy, "a"), mlir_op_attr(op, "a"));
  assert_ptr_equal(copy->results[0].type, op->results[0].type);
  assert_ptr_equal(values[0], &copy->results[0]);
  assert_int_equal(copy->position, op->position);
  assert_ptr_equal(mlir_type_tensor(beside, &copy->results[0].type->shape),
                   copy->results[0].type);
  mlir_module_destroy(beside);
  assert_string_equal(mlir_op_attr(op, "a")->text, "shared");
  assert_ptr_equal(mlir_type_tensor(from, &op->results[0].type->shape),
                   op->results[0].type);
  mlir_module_destroy(from);
}

static void test_a_clone_takes_its_operands_from_the_map(void **state) {
  (void)state;
  mlir_module_t *module = parse_with(NULL, nested_text);
  const mlir_op_t *op = find_op(module, "t.o");
  mlir_block_t *block = op->block;
  mlir_value_t *other = mlir_block_add_argument(module, block, op->operands[0]->type);
  mlir_value_t **values =
      pod_arena_array(module->arena, module->value_count, sizeof(*values));
  values[block->arguments[0]->id] = other;
  mlir_op_t *copy = mlir_op_clone(module, op, values);
  assert_ptr_equal(copy->operands[0], other);
  assert_ptr_equal(mlir_op_block(copy, 0)->first->operands[1], other);
  assert_ptr_equal(mlir_op_block(copy, 0)->first->operands[0],
                   mlir_op_block(copy, 0)->arguments[0]);
  assert_ptr_equal(values[op->results[1].id], &copy->results[1]);
  assert_ptr_equal(op->operands[0], block->arguments[0]);
  mlir_module_destroy(module);
}

static void test_a_symbol_is_found_after_it_was_renamed_or_removed(void **state) {
  (void)state;
  mlir_module_t *module =
      parse_with(NULL, "func.func @f() {\n  return\n}\nfunc.func @g() {\n  return\n}\n");
  mlir_op_t *f = mlir_module_find_symbol(module, "f");
  assert_non_null(f);
  mlir_op_set_attr(module, f, "sym_name", mlir_attr_string(module, "h"));
  assert_null(mlir_module_find_symbol(module, "f"));
  assert_ptr_equal(mlir_module_find_symbol(module, "h"), f);
  mlir_op_unlink(f);
  assert_null(mlir_module_find_symbol(module, "h"));
  assert_non_null(mlir_module_find_symbol(module, "g"));
  mlir_module_destroy(module);
}

static void test_value_and_operation_ids_are_dense(void **state) {
  (void)state;
  mlir_module_t *module = parse_with(NULL, nested_text);
  assert_int_equal(module->value_count, 5);
  assert_in_range(find_op(module, "t.p")->id, 0, module->op_count - 1);
  mlir_module_destroy(module);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names_are_interned),
      cmocka_unit_test(test_a_name_that_changes_in_its_place_is_another_name),
      cmocka_unit_test(test_a_module_knows_which_names_it_may_have),
      cmocka_unit_test(test_a_name_cache_knows_or_asks_again),
      cmocka_unit_test(test_operations_are_linked_and_unlinked),
      cmocka_unit_test(test_attributes_are_set_replaced_and_removed),
      cmocka_unit_test(test_index_lists_are_read_in_every_form),
      cmocka_unit_test(test_equal_attributes_are_equal_in_any_order_and_spelling),
      cmocka_unit_test(test_a_clone_outlives_the_module_it_came_from),
      cmocka_unit_test(test_a_clone_in_another_module_leaves_behind_what_was_decoded),
      cmocka_unit_test(test_an_attribute_is_known_by_the_key_it_was_remembered_by),
      cmocka_unit_test(test_a_module_beside_another_shares_what_operations_are_made_of),
      cmocka_unit_test(test_a_clone_takes_its_operands_from_the_map),
      cmocka_unit_test(test_a_symbol_is_found_after_it_was_renamed_or_removed),
      cmocka_unit_test(test_value_and_operation_ids_are_dense),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
