#include "server/compiler/partition/device_order.h"
#include "server/compiler/verify/verify.h"
#include "tests/unit/server/compiler/text.h"

// A shift along the mesh, a gather over all of it, and the device's own number.
static const char text[] =
    "module @m attributes {mhlo.num_partitions = 4 : i32} {\n"
    "  sdy.mesh @mesh = <[\"i\"=4]>\n"
    "  func.func public @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, "
    "[{\"i\"}]>}) -> tensor<8xf32> {\n"
    "    %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{\"i\"}]>] "
    "out_shardings=[<@mesh, [{}]>] manual_axes={\"i\"} (%a: tensor<2xf32>) {\n"
    "      %1 = \"stablehlo.collective_permute\"(%a) <{source_target_pairs = dense<[[0, "
    "1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<2xf32>) -> "
    "tensor<2xf32>\n"
    "      %2 = stablehlo.partition_id : tensor<ui32>\n"
    "      %3 = stablehlo.convert %2 : (tensor<ui32>) -> tensor<f32>\n"
    "      %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> "
    "tensor<2xf32>\n"
    "      %5 = stablehlo.add %1, %4 : tensor<2xf32>\n"
    "      %6 = \"stablehlo.all_gather\"(%5) <{all_gather_dim = 0 : i64, replica_groups "
    "= "
    "dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> : (tensor<2xf32>) -> tensor<8xf32>\n"
    "      sdy.return %6 : tensor<8xf32>\n"
    "    } : (tensor<8xf32>) -> tensor<8xf32>\n"
    "    return %0 : tensor<8xf32>\n  }\n}\n";

static compiler_partitioned_t partition(mlir_module_t *module) {
  assert_ok(compiler_verify(module));
  compiler_partitioned_t partitioned = {0};
  assert_ok(compiler_partition(module, 4, &partitioned));
  return partitioned;
}

static void expect_refused(int64_t count, const int64_t *order, const char *why) {
  mlir_module_t *module = parse_text(text);
  int64_t devices;
  const pod_status_t status =
      partition_check_device_order(module, 8, count, order, &devices);
  assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
  assert_non_null(strstr(pod_status_message(status), why));
  pod_status_free(status);
  mlir_module_destroy(module);
}

static void test_mesh_groups_pairs_and_ids_follow_the_order(void **state) {
  (void)state;
  mlir_module_t *module = parse_text(text);
  compiler_partitioned_t partitioned = partition(module);
  static const int64_t order[] = {0, 1, 3, 2};
  assert_ok(partition_set_device_order(&partitioned, 4, order));
  for (int i = 0; i < 4; i++) {
    assert_int_equal(partitioned.mesh->device_ids[i], order[i]);
  }
  assert_ok(compiler_verify(partitioned.module));
  char *printed = print_text(partitioned.module);
  assert_non_null(strstr(printed, "[[0, 1], [1, 3], [3, 2], [2, 0]]"));
  assert_non_null(strstr(printed, "[[0, 1, 3, 2]]"));
  assert_non_null(strstr(printed, "dense<[0, 1, 3, 2]> : tensor<4xui32>"));
  assert_non_null(strstr(printed, "stablehlo.dynamic_slice"));
  assert_null(strstr(printed, "sdy.mesh"));
  free(printed);
  mlir_module_destroy(partitioned.module);
  mlir_module_destroy(module);
}

static void test_devices_may_be_any_chips(void **state) {
  (void)state;
  mlir_module_t *module = parse_text(text);
  static const int64_t order[] = {6, 1, 7, 2};
  int64_t devices;
  assert_ok(partition_check_device_order(module, 8, 4, order, &devices));
  assert_int_equal(devices, 4);
  assert_ok(partition_check_device_order(module, 8, 0, NULL, &devices));
  assert_int_equal(devices, 8);
  compiler_partitioned_t partitioned = partition(module);
  assert_ok(partition_set_device_order(&partitioned, 4, order));
  for (int i = 0; i < 4; i++) {
    assert_int_equal(mesh_device(partitioned.mesh, i), order[i]);
  }
  assert_ok(compiler_verify(partitioned.module));
  char *printed = print_text(partitioned.module);
  assert_non_null(strstr(printed, "[[6, 1], [1, 7], [7, 2], [2, 6]]"));
  assert_non_null(strstr(printed, "[[6, 1, 7, 2]]"));
  // By chip; those that do not run the program never look.
  assert_non_null(strstr(printed, "dense<[0, 1, 3, 0, 0, 0, 0, 2]> : tensor<8xui32>"));
  free(printed);
  mlir_module_destroy(partitioned.module);
  mlir_module_destroy(module);
}

static void test_a_program_says_for_how_many_devices_it_is(void **state) {
  (void)state;
  static const struct {
    const char *attributes;
    int64_t count;
    bool is_for;
  } cases[] = {
      {"", 1, true},
      {"", 3, true},
      {"mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32", 1, true},
      {"mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32", 2, false},
      {"mhlo.num_partitions = 2 : i32", 2, true},
      {"mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 2 : i32", 4, true},
      {"mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 2 : i32", 2, false},
  };
  static const int64_t order[] = {6, 1, 7, 2};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    char source[512];
    snprintf(source, sizeof(source),
             "module @m attributes {%s} {\n  func.func public @main(%%x: tensor<f32>) -> "
             "tensor<f32> {\n    return %%x : tensor<f32>\n  }\n}\n",
             cases[i].attributes);
    mlir_module_t *module = parse_text(source);
    assert_ok(compiler_verify(module));
    int64_t devices;
    const pod_status_t status =
        partition_check_device_order(module, 8, cases[i].count, order, &devices);
    assert_int_equal(status == NULL, cases[i].is_for);
    if (!cases[i].is_for) {
      assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
      assert_non_null(
          strstr(pod_status_message(status), "name one chip for each device"));
    }
    pod_status_free(status);
    mlir_module_destroy(module);
  }
}

static void test_without_an_order_nothing_changes(void **state) {
  (void)state;
  mlir_module_t *module = parse_text(text);
  compiler_partitioned_t partitioned = partition(module);
  char *before = print_text(partitioned.module);
  assert_ok(partition_set_device_order(&partitioned, 0, NULL));
  char *after = print_text(partitioned.module);
  assert_string_equal(after, before);
  free(before);
  free(after);
  mlir_module_destroy(partitioned.module);
  mlir_module_destroy(module);
}

static void test_what_is_no_order_of_the_devices_is_refused(void **state) {
  (void)state;
  expect_refused(
      3, (int64_t[]){0, 1, 2},
      "has 3 chips, the program's mesh @mesh has 4 devices: name one chip for");
  expect_refused(5, (int64_t[]){0, 1, 2, 3, 4}, "has 5 chips, the program's mesh @mesh");
  expect_refused(4, (int64_t[]){0, 1, 1, 2}, "names chip 1 twice");
  expect_refused(4, (int64_t[]){0, 1, 2, 8},
                 "names chip 8, the pod has the chips 0 to 7");
  expect_refused(4, (int64_t[]){0, -1, 2, 3}, "names chip -1, the pod has");
  expect_refused(4, (int64_t[]){0, INT64_MAX, 2, INT64_MIN}, "the pod has the chips 0");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mesh_groups_pairs_and_ids_follow_the_order),
      cmocka_unit_test(test_devices_may_be_any_chips),
      cmocka_unit_test(test_a_program_says_for_how_many_devices_it_is),
      cmocka_unit_test(test_without_an_order_nothing_changes),
      cmocka_unit_test(test_what_is_no_order_of_the_devices_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
