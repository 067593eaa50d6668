#include "server/compiler/dialect/attributes.h"

#include "server/compiler/dialect/kinds.h"
#include "server/compiler/dialect/syntax.h"
#include "tests/unit/common/mlir/text.h"

// What the last read_attr made; the module owns all of it.
static mlir_module_t *module;
static compiler_meshes_t *meshes;
static const mlir_attr_t *attr;

static const char *const two_meshes =
    "sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>\n"
    "sdy.mesh @reordered = <[\"a\"=2, \"b\"=2], device_ids=[0, 2, 1, 3]>\n";

// Reads an attribute in a module with the meshes.
static void read_attr(const char *value) {
  pod_text_t text = {0};
  mlir_module_destroy(module);
  pod_text_printf(&text, "%s\"t.o\"() {a = %s} : () -> ()\n", two_meshes, value);
  module = parse_with(compiler_syntax_lookup, text.bytes);
  compiler_set_kinds(module);
  pod_text_deinit(&text);
  expect_ok(compiler_meshes_collect(module, module->arena, &meshes));
  attr = mlir_op_attr(find_op(module, "t.o"), "a");
}

static int forget_module(void **state) {
  (void)state;
  mlir_module_destroy(module);
  module = NULL;
  return 0;
}

static void expect_failure(pod_status_t status, pod_code_t code, const char *part) {
  assert_non_null(status);
  if (pod_status_code(status) != code ||
      strstr(pod_status_message(status), part) == NULL) {
    fprintf(stderr, "expected: %s\ngot: %s\n", part, pod_status_message(status));
    fail();
  }
  pod_status_free(status);
}

static sharding_t *sharding_of(const char *value) {
  sharding_t *sharding = NULL;
  read_attr(value);
  expect_ok(compiler_parse_sharding(module, attr, meshes, module->arena, &sharding));
  return sharding;
}

static void test_meshes_are_found_by_name(void **state) {
  (void)state;
  read_attr("unit");
  assert_int_equal(compiler_meshes_count(meshes), 2);
  const mesh_t *mesh = compiler_meshes_find(meshes, "mesh");
  assert_ptr_equal(mesh, compiler_meshes_at(meshes, 0));
  assert_int_equal(mesh->axis_count, 2);
  assert_int_equal(mesh->device_count, 8);
  assert_string_equal(mesh->axes[1].name, "y");
  assert_null(mesh->device_ids);
  const mesh_t *reordered = compiler_meshes_find(meshes, "reordered");
  assert_int_equal(reordered->device_ids[1], 2);
  assert_null(compiler_meshes_find(meshes, "none"));
  assert_null(compiler_meshes_find(NULL, "mesh"));
  const mlir_attr_t *made = compiler_make_mesh(module, reordered);
  assert_string_equal(made->body, "[\"a\"=2, \"b\"=2], device_ids=[0, 2, 1, 3]");
}

static void test_a_mesh_must_make_sense(void **state) {
  (void)state;
  static const struct {
    const char *text;
    pod_code_t code;
    const char *part;
  } cases[] = {
      {"#sdy.mesh<[\"x\"=0]>", POD_INVALID_ARGUMENT, "x"},
      {"#sdy.mesh<[\"x\"=2, \"x\"=2]>", POD_INVALID_ARGUMENT, "x"},
      {"#sdy.mesh<[\"x\"=2], device_ids=[0, 0]>", POD_INVALID_ARGUMENT, ""},
      {"#sdy.mesh<[\"x\"=2], device_ids=[0]>", POD_INVALID_ARGUMENT,
       "1 device ids for a mesh of 2 devices"},
      {"#sdy.mesh<[\"x\"=9223372036854775807, \"y\"=9223372036854775807]>",
       POD_INVALID_ARGUMENT, ""},
      {"#sdy.mesh<[\"x\"=9223372036854775807], device_ids=[0]>", POD_INVALID_ARGUMENT,
       ""},
      {"#sdy.mesh<[], device_ids=[-3]>", POD_INVALID_ARGUMENT, ""},
      {"#sdy.mesh<[\"x\"=2] oops>", POD_INVALID_ARGUMENT, "expected the end"},
      {"#sdy.mesh<[x=2]>", POD_INVALID_ARGUMENT, "expected a string"},
      {"#sdy.other<[]>", POD_INVALID_ARGUMENT, "expected a 'mesh' attribute"},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    const mesh_t *mesh = NULL;
    read_attr(cases[i].text);
    expect_failure(compiler_parse_mesh(module, attr, "m", module->arena, &mesh),
                   cases[i].code, cases[i].part);
    assert_null(mesh);
  }
  mlir_module_destroy(module);
  module = parse_with(compiler_syntax_lookup,
                      "sdy.mesh @m = <[\"x\"=2]>\nsdy.mesh @m = <[\"x\"=2]>\n");
  compiler_set_kinds(module);
  expect_failure(compiler_meshes_collect(module, module->arena, &meshes),
                 POD_INVALID_ARGUMENT, "two meshes have the name @m");
}

static void test_a_sharding_lists_axes_per_dimension(void **state) {
  (void)state;
  const sharding_t *sharding =
      sharding_of("#sdy.sharding<@mesh, [{\"y\":(1)2, \"x\"}, {?}, {\"y\":(2)2, ?}p3]>");
  assert_int_equal(sharding->rank, 3);
  assert_int_equal(sharding->dims[0].axes.count, 2);
  assert_int_equal(sharding->dims[0].axes.refs[0].axis, 1);
  assert_int_equal(sharding->dims[0].axes.refs[0].pre_size, 1);
  assert_int_equal(sharding->dims[0].axes.refs[0].size, 2);
  assert_int_equal(sharding->dims[0].axes.refs[1].size, 2);
  assert_false(sharding->dims[0].is_open);
  assert_true(sharding->dims[1].is_open);
  assert_int_equal(sharding->dims[1].axes.count, 0);
  assert_true(sharding->dims[2].is_open);
  assert_int_equal(sharding->dims[2].priority, 3);
  sharding =
      sharding_of("#sdy.sharding<@mesh, [], replicated={\"x\"}, unreduced={\"y\"}>");
  assert_int_equal(sharding->rank, 0);
  assert_int_equal(sharding->replicated.count, 1);
  assert_int_equal(sharding->unreduced.refs[0].axis, 1);
  assert_int_equal(sharding->reduction, SHARDING_SUM);
  assert_int_equal(
      sharding_of("#sdy.sharding<@mesh, [{}], unreduced=max{\"x\"}>")->reduction,
      SHARDING_MAX);
  assert_int_equal(
      sharding_of("#sdy.sharding<@mesh, [{}], unreduced=min{\"x\"}>")->reduction,
      SHARDING_MIN);
}

static void test_a_sharding_may_bring_its_own_mesh(void **state) {
  (void)state;
  const sharding_t *sharding =
      sharding_of("#sdy.sharding<mesh<[\"a\"=2], device_ids=[1, 0]>, [{\"a\"}]>");
  assert_int_equal(sharding->mesh->device_count, 2);
  const mlir_attr_t *made = compiler_make_sharding(module, sharding);
  assert_string_equal(made->body, "mesh<[\"a\"=2], device_ids=[1, 0]>, [{\"a\"}]");
}

static void test_shardings_are_made_as_they_are_read(void **state) {
  (void)state;
  static const char *const bodies[] = {
      "@mesh, [{\"x\"}, {?}]",
      "@mesh, [{\"y\":(2)2, ?}p1, {}], replicated={\"x\"}",
      "@reordered, [], unreduced={\"a\", \"b\"}",
  };
  for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
    pod_text_t text = {0};
    pod_text_printf(&text, "#sdy.sharding<%s>", bodies[i]);
    const sharding_t *sharding = sharding_of(text.bytes);
    assert_string_equal(compiler_make_sharding(module, sharding)->body, bodies[i]);
    const sharding_t *twice[] = {sharding, sharding};
    const mlir_attr_t *list = compiler_make_shardings(module, 2, twice);
    int64_t count;
    sharding_t **again;
    expect_ok(
        compiler_parse_shardings(module, list, meshes, module->arena, &count, &again));
    assert_int_equal(count, 2);
    assert_true(sharding_equivalent(again[1], sharding));
    pod_text_deinit(&text);
  }
}

static void test_shardings_per_value_come_in_a_list(void **state) {
  (void)state;
  int64_t count;
  sharding_t **shardings;
  read_attr(
      "#sdy.sharding_per_value<[<@mesh, [{\"x\"}]>, #sdy.sharding<@mesh, [{}, {}]>]>");
  expect_ok(
      compiler_parse_shardings(module, attr, meshes, module->arena, &count, &shardings));
  assert_int_equal(count, 2);
  assert_int_equal(shardings[1]->rank, 2);
  sharding_t *one;
  expect_failure(compiler_parse_sharding(module, attr, meshes, module->arena, &one),
                 POD_INVALID_ARGUMENT, "2 shardings where one is expected");
  assert_int_equal(sharding_of("#sdy.sharding_per_value<[<@mesh, [{\"x\"}]>]>")->rank, 1);
}

static void test_a_sharding_that_is_wrong_gets_a_caret(void **state) {
  (void)state;
  static const struct {
    const char *text;
    pod_code_t code;
    const char *part;
  } cases[] = {
      {"#sdy.sharding<@none, []>", POD_INVALID_ARGUMENT,
       "test.mlir:3:28: the module has no mesh @none"},
      {"#sdy.sharding<@mesh, [{\"z\"}]>", POD_INVALID_ARGUMENT,
       "test.mlir:3:37: mesh @mesh has no axis \"z\"; it has \"x\", \"y\""},
      {"#sdy.sharding<@mesh, [{\"x\"}, {\"x\"}]>", POD_INVALID_ARGUMENT,
       "test.mlir:3:44: axis \"x\" is used twice"},
      {"#sdy.sharding<@mesh, [{\"x\"}], replicated={\"x\"}>", POD_INVALID_ARGUMENT,
       "axis \"x\" is used twice"},
      {"#sdy.sharding<@mesh, [{\"y\":(1)2, \"y\":(1)4}]>", POD_INVALID_ARGUMENT,
       "axis \"y\" is used twice"},
      {"#sdy.sharding<@mesh, [{\"y\":(2)4}]>", POD_INVALID_ARGUMENT,
       "(2)4 is no part of axis \"y\" of size 4"},
      {"#sdy.sharding<@mesh, [{\"y\":(0)2}]>", POD_INVALID_ARGUMENT, "no part of axis"},
      {"#sdy.sharding<@mesh, [{\"y\":(4294967296)4294967296}]>", POD_INVALID_ARGUMENT,
       "no part of axis"},
      {"#sdy.sharding<@mesh, [{\"x\"}q]>", POD_INVALID_ARGUMENT, "expected a priority"},
      {"#sdy.sharding<@mesh, [{\"x\" \"y\"}]>", POD_INVALID_ARGUMENT, "expected ','"},
      {"#sdy.sharding<@mesh, [{?, \"y\"}]>", POD_INVALID_ARGUMENT, "expected '}'"},
      {"#sdy.sharding<@mesh, [{}], other={\"x\"}>", POD_INVALID_ARGUMENT,
       "expected replicated={…} or unreduced={…}"},
      {"#sdy.sharding<@mesh>", POD_INVALID_ARGUMENT, "expected ','"},
      {"#sdy.sharding<@mesh, [{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}]>",
       POD_INVALID_ARGUMENT, "more than 16 dimensions"},
      {"\"replicated\"", POD_INVALID_ARGUMENT, "expected a 'sharding' attribute"},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    sharding_t *sharding;
    read_attr(cases[i].text);
    expect_failure(
        compiler_parse_sharding(module, attr, meshes, module->arena, &sharding),
        cases[i].code, cases[i].part);
  }
  sharding_t *sharding;
  expect_failure(compiler_parse_sharding(module, NULL, meshes, module->arena, &sharding),
                 POD_INVALID_ARGUMENT, "a 'sharding' attribute is missing");
}

static void test_manual_axes_are_axes_of_the_mesh(void **state) {
  (void)state;
  int count;
  int *axes;
  read_attr("#sdy<manual_axes{\"y\", \"x\"}>");
  const mesh_t *mesh = compiler_meshes_find(meshes, "mesh");
  expect_ok(compiler_parse_manual_axes(module, attr, mesh, module->arena, &count, &axes));
  assert_int_equal(count, 2);
  assert_int_equal(axes[0], 1);
  read_attr("#sdy<manual_axes{\"q\"}>");
  mesh = compiler_meshes_find(meshes, "mesh");
  expect_failure(
      compiler_parse_manual_axes(module, attr, mesh, module->arena, &count, &axes),
      POD_INVALID_ARGUMENT, "has no axis \"q\"");
}

// What the text said stays with the attribute; the meshes are asked every time.
static void forget_text(void) {
  ((mlir_attr_t *)(uintptr_t)attr)->body = "not read again";
}

static void test_shardings_are_read_from_text_once(void **state) {
  (void)state;
  const sharding_t *first = sharding_of("#sdy.sharding<@mesh, [{\"x\", ?}p1, {\"y\"}]>");
  forget_text();
  sharding_t *again;
  expect_ok(compiler_parse_sharding(module, attr, meshes, module->arena, &again));
  assert_ptr_not_equal(again, first);
  assert_true(again->dims[0].is_open);
  assert_int_equal(again->dims[0].priority, 1);
  assert_true(sharding_equivalent(again, first));
  expect_failure(compiler_parse_sharding(module, attr, NULL, module->arena, &again),
                 POD_INVALID_ARGUMENT, "the module has no mesh @mesh");
  read_attr("#sdy<manual_axes{\"y\"}>");
  const mesh_t *mesh = compiler_meshes_find(meshes, "mesh");
  for (int i = 0; i < 2; i++) {
    int count;
    int *axes;
    expect_ok(
        compiler_parse_manual_axes(module, attr, mesh, module->arena, &count, &axes));
    assert_int_equal(count, 1);
    forget_text();
  }
  read_attr(
      "#stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name "
      "= \"y\">]>");
  for (int i = 0; i < 2; i++) {
    compiler_groups_t groups;
    expect_ok(
        compiler_parse_replica_groups(module, attr, meshes, module->arena, &groups));
    assert_int_equal(groups.group_size, 4);
    forget_text();
  }
}

static void expect_groups(const char *value, int64_t group_count, int64_t group_size,
                          const int64_t *ids) {
  compiler_groups_t groups;
  read_attr(value);
  expect_ok(compiler_parse_replica_groups(module, attr, meshes, module->arena, &groups));
  assert_int_equal(groups.group_count, group_count);
  assert_int_equal(groups.group_size, group_size);
  for (int64_t i = 0; i < group_count * group_size; i++) {
    assert_int_equal(groups.ids[i], ids[i]);
  }
}

static void test_replica_groups_come_in_two_forms(void **state) {
  (void)state;
  static const int64_t by_x[] = {0, 4, 1, 5, 2, 6, 3, 7};
  expect_groups("dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>", 4, 2, by_x);
  expect_groups(
      "#stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name "
      "= "
      "\"x\">]>",
      4, 2, by_x);
  static const int64_t part_of_y[] = {0, 2, 1, 3, 4, 6, 5, 7};
  expect_groups(
      "#stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name "
      "= "
      "\"y\", sub_axis_info = (1)2>]>",
      4, 2, part_of_y);
  static const int64_t reordered[] = {0, 1, 2, 3};
  expect_groups(
      "#stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = "
      "[#stablehlo.mesh_axis<name = \"a\", size = 2>, #stablehlo.mesh_axis<name = \"b\", "
      "size "
      "= 2>], device_ids = dense<[0, 2, 1, 3]> : tensor<4xi64>>, axes = "
      "[#stablehlo.axis_ref<name = \"a\">]>",
      2, 2, reordered);
  // As MLIR's printer shortens it, and JAX with it.
  expect_groups(
      "#stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = \"a\", "
      "size = 2>, <name = \"b\", size = 2>], device_ids=dense<[0, 2, 1, 3]> : "
      "tensor<4xi64>>, axes = [#stablehlo.axis_ref<name = \"a\">]>",
      2, 2, reordered);
  expect_groups("dense<> : tensor<0x0xi64>", 0, 0, NULL);
  expect_groups("dense<0> : tensor<1x1xi64>", 1, 1, (const int64_t[]){0});
  const mlir_attr_t *made = compiler_make_replica_groups(module, 4, 2, by_x);
  assert_int_equal(made->type->shape.dims[0], 4);
}

static void test_replica_groups_that_are_wrong_are_errors(void **state) {
  (void)state;
  static const struct {
    const char *text;
    pod_code_t code;
    const char *part;
  } cases[] = {
      {"dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>", POD_UNIMPLEMENTED,
       "different sizes"},
      {"dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>", POD_INVALID_ARGUMENT,
       "device 1 is in the groups twice"},
      {"dense<[[0, -2]]> : tensor<1x2xi64>", POD_INVALID_ARGUMENT,
       "'replica_groups' names -2"},
      {"dense<[[0, 65536]]> : tensor<1x2xi64>", POD_INVALID_ARGUMENT,
       "'replica_groups' names 65536"},
      {"dense<[[0, 65535], [65535, 1]]> : tensor<2x2xi64>", POD_INVALID_ARGUMENT,
       "device 65535 is in the groups twice"},
      {"dense<0> : tensor<1048576x1048576xi64>", POD_INVALID_ARGUMENT, "at most 65536"},
      {"dense<[0, 1]> : tensor<2xi64>", POD_INVALID_ARGUMENT, "expected replica groups"},
      {"#stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = "
       "[#stablehlo.axis_ref<name = "
       "\"q\">]>",
       POD_INVALID_ARGUMENT, "has no axis \"q\""},
      {"#stablehlo.replica_group_mesh_axes<mesh = @none, axes = []>",
       POD_INVALID_ARGUMENT, "no mesh @none"},
      {"[0, 1]", POD_INVALID_ARGUMENT, "expected a 'replica_group_mesh_axes' attribute"},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    compiler_groups_t groups;
    read_attr(cases[i].text);
    expect_failure(
        compiler_parse_replica_groups(module, attr, meshes, module->arena, &groups),
        cases[i].code, cases[i].part);
  }
}

static void test_dimension_numbers_are_read(void **state) {
  (void)state;
  stablehlo_dot_t dot;
  read_attr(
      "#stablehlo.dot<rhs_contracting_dimensions = [1], lhs_contracting_dimensions = "
      "[2], lhs_batching_dimensions = [0], rhs_batching_dimensions = [0]>");
  expect_ok(stablehlo_dot_dimensions(module, attr, &dot));
  assert_int_equal(dot.lhs_contracting.values[0], 2);
  assert_int_equal(dot.rhs_batching.count, 1);
  // What is known of one attribute serves for another of the same text, whoever asks.
  stablehlo_dot_t again;
  expect_ok(stablehlo_dot_dimensions(module, attr, &again));
  assert_int_equal(again.lhs_contracting.values[0], 2);
  const mlir_attr_t *made = stablehlo_make_dot(module, &dot);
  assert_ptr_equal(made, stablehlo_make_dot(module, &again));
  dot.rhs_contracting.count = 0;
  assert_false(mlir_attr_equal(made, stablehlo_make_dot(module, &dot)));
  int64_t many[64] = {0};
  dot.rhs_contracting = (stablehlo_dims_t){64, many};
  assert_false(mlir_attr_equal(made, stablehlo_make_dot(module, &dot)));
  stablehlo_gather_t gather;
  read_attr(
      "#stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], "
      "start_index_map = [0], index_vector_dim = 1>");
  expect_ok(stablehlo_gather_dimensions(module, attr, &gather));
  assert_int_equal(gather.offset.count, 2);
  assert_int_equal(gather.index_vector_dim, 1);
  stablehlo_scatter_t scatter;
  read_attr(
      "#stablehlo.scatter<update_window_dims = [0], "
      "scatter_dims_to_operand_dims = [1], index_vector_dim = 2>");
  expect_ok(stablehlo_scatter_dimensions(module, attr, &scatter));
  assert_int_equal(scatter.scatter_to_operand.values[0], 1);
  stablehlo_conv_t conv;
  read_attr("#stablehlo.conv<[b, 1, 0, f]x[0, 1, i, o]->[b, f, 0, 1]>");
  expect_ok(stablehlo_conv_dimensions(module, attr, &conv));
  assert_int_equal(conv.input_feature, 3);
  assert_int_equal(conv.input_spatial.values[0], 2);
  assert_int_equal(conv.kernel_output_feature, 3);
  assert_int_equal(conv.output_spatial.values[1], 3);
}

static void test_dimension_numbers_that_are_wrong_are_errors(void **state) {
  (void)state;
  stablehlo_dot_t dot;
  read_attr("#stablehlo.dot<lhs = [1]>");
  expect_failure(stablehlo_dot_dimensions(module, attr, &dot), POD_INVALID_ARGUMENT,
                 "unknown field 'lhs'");
  read_attr(
      "#stablehlo.dot<lhs_batching_dimensions = [1], "
      "lhs_batching_dimensions = [1]>");
  expect_failure(stablehlo_dot_dimensions(module, attr, &dot), POD_INVALID_ARGUMENT,
                 "stands here twice");
  expect_failure(stablehlo_dot_dimensions(module, NULL, &dot), POD_INVALID_ARGUMENT,
                 "a 'dot' attribute is missing");
  static const char *const convolutions[] = {
      "#stablehlo.conv<[b, 0, 0, f]x[0, 1, i, o]->[b, f, 0, 1]>",
      "#stablehlo.conv<[b, 0, 2, f]x[0, 1, i, o]->[b, f, 0, 1]>",
      "#stablehlo.conv<[b, 0, f, b]x[0, 1, i, o]->[b, f, 0, 1]>",
      "#stablehlo.conv<[0, 1]x[0, 1, i, o]->[b, f, 0, 1]>",
      "#stablehlo.conv<[b, f, 99]x[0, i, o]->[b, f, 0]>",
  };
  for (size_t i = 0; i < sizeof(convolutions) / sizeof(convolutions[0]); i++) {
    read_attr(convolutions[i]);
    stablehlo_conv_t conv;
    const pod_status_t status = stablehlo_conv_dimensions(module, attr, &conv);
    assert_non_null(status);
    pod_status_free(status);
  }
}

static void test_an_attribute_is_decoded_once(void **state) {
  (void)state;
  stablehlo_dot_t first, again;
  read_attr(
      "#stablehlo.dot<lhs_contracting_dimensions = [1], "
      "rhs_contracting_dimensions = [0]>");
  assert_null(attr->decoded);
  expect_ok(stablehlo_dot_dimensions(module, attr, &first));
  assert_non_null(attr->decoded);
  expect_ok(stablehlo_dot_dimensions(module, attr, &again));
  assert_memory_equal(&again, &first, sizeof(first));
  // What is made needs no reading at all, and is the same for the same dimensions.
  const mlir_attr_t *made = stablehlo_make_dot(module, &first);
  assert_non_null(made->decoded);
  assert_true(mlir_attr_equal(made, attr));
  assert_ptr_equal(stablehlo_make_dot(module, &first), made);
  expect_ok(stablehlo_dot_dimensions(module, made, &again));
  assert_int_equal(again.lhs_contracting.values[0], 1);
  assert_int_equal(again.rhs_contracting.values[0], 0);
}

static void test_what_another_module_decodes_does_not_stay(void **state) {
  (void)state;
  stablehlo_dot_t dot;
  read_attr(
      "#stablehlo.dot<lhs_contracting_dimensions = [1], "
      "rhs_contracting_dimensions = [0]>");
  mlir_module_t *other = mlir_module_create("other");
  expect_ok(stablehlo_dot_dimensions(other, attr, &dot));
  mlir_module_destroy(other);
  assert_null(attr->decoded);
  expect_ok(stablehlo_dot_dimensions(module, attr, &dot));
  assert_int_equal(dot.lhs_contracting.values[0], 1);
}

static void test_small_attributes_have_defaults(void **state) {
  (void)state;
  int64_t precision[2];
  expect_ok(stablehlo_precision(module, NULL, precision));
  assert_int_equal(precision[0], 0);
  read_attr("[#stablehlo<precision HIGH>, #stablehlo<precision HIGHEST>]");
  expect_ok(stablehlo_precision(module, attr, precision));
  assert_int_equal(precision[0], 1);
  assert_int_equal(precision[1], 2);
  read_attr("[#stablehlo<precision LOW>]");
  expect_failure(stablehlo_precision(module, attr, precision), POD_INVALID_ARGUMENT,
                 "expected a precision");
  int64_t handle, type;
  expect_ok(stablehlo_channel_handle(module, NULL, &handle, &type));
  assert_int_equal(handle, 0);
  read_attr("#stablehlo.channel_handle<handle = 3, type = 1>");
  expect_ok(stablehlo_channel_handle(module, attr, &handle, &type));
  assert_int_equal(handle, 3);
  int64_t pairs;
  const int64_t *ids;
  read_attr("dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>");
  expect_ok(stablehlo_source_target_pairs(module, attr, &pairs, &ids));
  assert_int_equal(pairs, 2);
  assert_int_equal(ids[2], 1);
  read_attr("dense<[0, 1]> : tensor<2xi64>");
  expect_failure(stablehlo_source_target_pairs(module, attr, &pairs, &ids),
                 POD_INVALID_ARGUMENT, "expected pairs of source and target");
}

static void test_enumerators_are_checked_against_their_words(void **state) {
  (void)state;
  mlir_module_destroy(module);
  module = parse_with(NULL,
                      "\"stablehlo.compare\"() {comparison_direction = "
                      "#stablehlo<comparison_direction GT>,\n"
                      "  compare_type = #stablehlo<comparison_type ODD>} : () -> ()");
  const mlir_op_t *op = find_op(module, "stablehlo.compare");
  int value;
  expect_ok(stablehlo_comparison_direction(module, op, &value));
  assert_int_equal(value, 3);
  expect_failure(
      stablehlo_comparison_type(module, op, &value), POD_INVALID_ARGUMENT,
      "test.mlir:2:18: 'stablehlo.compare': 'compare_type' must be one of NOTYPE, "
      "FLOAT, TOTALORDER, SIGNED, UNSIGNED");
  assert_string_equal(stablehlo_make_enum(module, op, "precision", "HIGH")->text,
                      "stablehlo.precision");
}

static void test_a_dot_algorithm_is_read(void **state) {
  (void)state;
  stablehlo_dot_algorithm_t algorithm;
  read_attr(
      "#stablehlo.dot_algorithm<lhs_precision_type = bf16, rhs_precision_type = "
      "bf16, "
      "accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, "
      "num_primitive_operations = 3, allow_imprecise_accumulation = false>");
  expect_ok(stablehlo_dot_algorithm(module, attr, &algorithm));
  assert_int_equal(algorithm.lhs_precision->shape.dtype, TENSOR_BF16);
  assert_int_equal(algorithm.num_primitive_operations, 3);
  assert_false(algorithm.allow_imprecise_accumulation);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_meshes_are_found_by_name),
      cmocka_unit_test(test_a_mesh_must_make_sense),
      cmocka_unit_test(test_a_sharding_lists_axes_per_dimension),
      cmocka_unit_test(test_a_sharding_may_bring_its_own_mesh),
      cmocka_unit_test(test_shardings_are_made_as_they_are_read),
      cmocka_unit_test(test_shardings_per_value_come_in_a_list),
      cmocka_unit_test(test_a_sharding_that_is_wrong_gets_a_caret),
      cmocka_unit_test(test_manual_axes_are_axes_of_the_mesh),
      cmocka_unit_test(test_shardings_are_read_from_text_once),
      cmocka_unit_test(test_replica_groups_come_in_two_forms),
      cmocka_unit_test(test_replica_groups_that_are_wrong_are_errors),
      cmocka_unit_test(test_dimension_numbers_are_read),
      cmocka_unit_test(test_dimension_numbers_that_are_wrong_are_errors),
      cmocka_unit_test(test_an_attribute_is_decoded_once),
      cmocka_unit_test(test_what_another_module_decodes_does_not_stay),
      cmocka_unit_test(test_small_attributes_have_defaults),
      cmocka_unit_test(test_enumerators_are_checked_against_their_words),
      cmocka_unit_test(test_a_dot_algorithm_is_read),
  };
  return cmocka_run_group_tests(tests, NULL, forget_module);
}
