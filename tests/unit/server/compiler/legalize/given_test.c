// Shardings from outside, and what of the module gives way to them.

#include "server/compiler/legalize/given.h"

#include "server/compiler/compiler.h"
#include "tests/unit/server/compiler/text.h"

static const char plain[] =
    "module @m {\n"
    "  func.func @main(%x: tensor<8x16xf32> loc(\"batch\"), %w: tensor<16x4xf32>) -> "
    "(tensor<8x4xf32> {jax.result_info = \"result['y']\"}) {\n"
    "    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : "
    "(tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>\n"
    "    return %0 : tensor<8x4xf32>\n"
    "  }\n"
    "}\n";

static const char sharded[] =
    "module @m {\n"
    "  sdy.mesh @own = <[\"x\"=2]>\n"
    "  func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@own, "
    "[{\"x\"}, {}]>}) -> tensor<8x16xf32> {\n"
    "    return %x : tensor<8x16xf32>\n"
    "  }\n"
    "}\n";

static pod_status_t apply(const char *text, const char *mesh, const char *name,
                          const char *spec, bool is_result, char **out_text,
                          given_notes_t *out_notes, mlir_module_t **out_module) {
  mlir_module_t *module = *out_module = parse_text(text);
  const compiler_given_spec_t one = {name, spec};
  const compiler_given_t given = {.mesh = mesh,
                                  .argument_count = name != NULL && !is_result,
                                  .arguments = &one,
                                  .result_count = name != NULL && is_result,
                                  .results = &one};
  POD_TRY(given_apply(module, &given, out_notes));
  *out_text = print_text(module);
  return NULL;
}

static void expect(const char *text, const char *mesh, const char *name, const char *spec,
                   bool is_result, const char *part) {
  char *printed;
  given_notes_t notes;
  mlir_module_t *module;
  assert_ok(apply(text, mesh, name, spec, is_result, &printed, &notes, &module));
  if (strstr(printed, part) == NULL) {
    fail_msg("no %s in\n%s", part, printed);
  }
  free(printed);
  mlir_module_destroy(module);
}

static void expect_error(const char *mesh, const char *name, const char *spec,
                         const char *part) {
  char *printed;
  given_notes_t notes;
  mlir_module_t *module;
  assert_error(apply(plain, mesh, name, spec, false, &printed, &notes, &module),
               POD_INVALID_ARGUMENT, part);
  mlir_module_destroy(module);
}

static void test_an_argument_is_found_by_every_name_it_has(void **state) {
  (void)state;
  static const char *const names[] = {"x", "batch", "arg0", "0"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    expect(plain, "a=2,b=4", names[i], "P('a', None)", false,
           "%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"a\"}, {}]>}");
  }
  static const char *const results[] = {"result['y']", "y", "result0", "0"};
  for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++) {
    expect(plain, "a=2,b=4", results[i], "P('a')", true,
           "sdy.sharding = #sdy.sharding<@mesh, [{\"a\"}, {}]>})");
  }
}

static void test_specs_are_read_as_jax_writes_them(void **state) {
  (void)state;
  static const char *const pairs[][2] = {
      {"P()", "[{}, {}]"},
      {"P('a')", "[{\"a\"}, {}]"},
      {"PartitionSpec(None, 'b')", "[{}, {\"b\"}]"},
      {"P((\"a\", \"b\"), None)", "[{\"a\", \"b\"}, {}]"},
      {" P( ('a',) , ( ) ) ", "[{\"a\"}, {}]"},
      {"P(a, b)", "[{\"a\"}, {\"b\"}]"},
      {"P(P.UNCONSTRAINED, 'a',)", "[{?}, {\"a\"}]"},
  };
  for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
    expect(plain, "a=2,b=4", "x", pairs[i][0], false, pairs[i][1]);
  }
}

static void test_what_is_wrong_is_named_with_the_argument(void **state) {
  (void)state;
  expect_error("a=2", "z", "P('a')", "no argument 'z'");
  expect_error("a=2", "z", "P('a')", "2 (batch, w)");
  expect_error("a=2", "7", "P('a')", "no argument '7'");
  expect_error("a=2", "x", "P('q')",
               "argument x of f32[8,16] cannot lie P('q'): the mesh [a=2] has no axis "
               "\"q\"");
  expect_error("a=2", "x", "P('a', 'a')", "axis \"a\" is used twice");
  expect_error("a=2", "x", "P(None, None, 'a')", "more entries than 2 dimensions");
  static const char *const none[] = {
      "",         "a",       "P",     "P(",           "P('a'",     "P('a') x",
      "P('a',,)", "P(('a')", "P('a)", "P(None None)", "P(Nonesuch"};
  for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
    expect_error("a=2", "x", none[i], "argument x of f32[8,16] cannot lie");
  }
  expect_error(NULL, "x", "P('a')", "has no mesh");
  static const char *const meshes[] = {"a", "a=", "a=0", "a=2,", "=2", "a=2 b=3", "a=2;"};
  for (size_t i = 0; i < sizeof(meshes) / sizeof(meshes[0]); i++) {
    expect_error(meshes[i], "x", "P()", "such as x=2,y=4");
  }
  expect_error("a=2,a=2", "x", "P()", "a");
}

static void test_the_module_gives_way_and_a_note_says_so(void **state) {
  (void)state;
  char *printed;
  given_notes_t notes;
  mlir_module_t *module;
  assert_ok(apply(sharded, NULL, "x", "P(None, 'x')", false, &printed, &notes, &module));
  assert_non_null(strstr(printed, "#sdy.sharding<@own, [{}, {\"x\"}]>"));
  assert_int_equal(notes.count, 1);
  assert_string_equal(notes.texts[0],
                      "argument x lies P(None, 'x'), as is given from outside; the "
                      "module says @own, [{\"x\"}, {}]");
  free(printed);
  mlir_module_destroy(module);
  assert_ok(apply(sharded, "x=8", NULL, NULL, false, &printed, &notes, &module));
  assert_non_null(strstr(printed, "sdy.mesh @own = <[\"x\"=8]>"));
  assert_int_equal(notes.count, 1);
  assert_non_null(strstr(notes.texts[0], "the mesh is [x=8]"));
  free(printed);
  mlir_module_destroy(module);
  // What is the same is no conflict.
  assert_ok(apply(sharded, "x=2", "x", "P('x')", false, &printed, &notes, &module));
  assert_int_equal(notes.count, 0);
  free(printed);
  mlir_module_destroy(module);
}

static void test_a_program_that_says_nothing_is_for_the_mesh(void **state) {
  (void)state;
  compiler_options_t options = {.file_name = "m.mlir",
                                .spec = chip_spec_find("v5e"),
                                .given = {.mesh = "a=2,b=2"},
                                .wants_values = true,
                                .after = "propagate"};
  assert_ok(torus_parse("4x2", options.spec, &options.torus, NULL));
  compiler_result_t *result;
  assert_ok(compiler_compile(plain, sizeof(plain) - 1, &options, &result));
  assert_int_equal(result->program->mesh->device_count, 4);
  compiler_result_destroy(result);
  const compiler_given_spec_t one = {"x", "P('a', 'b')"};
  options.given.argument_count = 1;
  options.given.arguments = &one;
  assert_ok(compiler_compile(plain, sizeof(plain) - 1, &options, &result));
  assert_int_equal(result->program->arguments[0].sharding->dims[1].axes.count, 1);
  assert_int_equal(result->value_count, 4);
  assert_string_equal(result->values[0].name, "batch");
  assert_string_equal(result->values[0].spec, "P(\"a\", \"b\")");
  assert_int_equal(result->values[0].local_shape.dims[1], 8);
  assert_string_equal(result->values[2].op, "dot_general");
  assert_string_equal(result->values[2].spec, "P(\"a\", None)");
  assert_string_equal(result->values[3].name, "result['y']");
  assert_non_null(strstr(result->after_text, "[{\"a\"}, {\"b\"}]"));
  compiler_result_destroy(result);
  options.given.mesh = "a=4,b=4";
  assert_error(compiler_compile(plain, sizeof(plain) - 1, &options, &result),
               POD_FAILED_PRECONDITION,
               "the mesh a=4,b=4 has 16 devices, the pod has 8 chips");
  options.given = (compiler_given_t){.mesh = "a=16"};
  assert_error(compiler_compile(plain, sizeof(plain) - 1, &options, &result),
               POD_FAILED_PRECONDITION, "the pod has 8 chips");
  options.given.mesh = "a=2";
  options.after = "nothing";
  assert_error(compiler_compile(plain, sizeof(plain) - 1, &options, &result),
               POD_INVALID_ARGUMENT, "propagate, partition");
}

static const char donating[] =
    "module @m {\n"
    "  func.func @main(%cache: tensor<8x16xf32> {mhlo.layout_mode = \"default\"}, %row: "
    "tensor<1x16xf32>, %old: tensor<8x16xf32> {tf.aliasing_output = 1 : i32}) -> "
    "(tensor<8x16xf32>, tensor<8x16xf32>) {\n"
    "    return %cache, %old : tensor<8x16xf32>, tensor<8x16xf32>\n"
    "  }\n"
    "}\n";

static char *donated(const char *names) {
  mlir_module_t *module = parse_text(donating);
  const compiler_given_t given = {.donated = names};
  given_notes_t notes;
  assert_ok(given_apply(module, &given, &notes));
  assert_int_equal(notes.count, 0);
  char *printed = print_text(module);
  mlir_module_destroy(module);
  return printed;
}

// What the module says of an argument stays: another attribute, a result of its own.
static void test_arguments_are_donated_from_outside(void **state) {
  (void)state;
  static const char cache[] =
      "%cache: tensor<8x16xf32> {mhlo.layout_mode = \"default\", jax.buffer_donor = "
      "true}";
  static const char row[] = "%row: tensor<1x16xf32> {jax.buffer_donor = true}";
  static const char old[] = "%old: tensor<8x16xf32> {tf.aliasing_output = 1 : i32}";
  static const struct {
    const char *names;
    bool has_cache, has_row;
  } cases[] = {
      {"cache", true, false}, {"0", true, false},           {"arg1", false, true},
      {"row,0", true, true},  {"cache,cache", true, false}, {"all", true, true},
      {"old", false, false},  {"", false, false},           {NULL, false, false}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    char *printed = donated(cases[i].names);
    assert_true((strstr(printed, cache) != NULL) == cases[i].has_cache);
    assert_true((strstr(printed, row) != NULL) == cases[i].has_row);
    assert_non_null(strstr(printed, old));
    free(printed);
  }
}

static void test_what_cannot_be_donated_is_named(void **state) {
  (void)state;
  static const char *const none[] = {"z", "3", "cache,", ",", "cache,,row", "cache row"};
  for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
    mlir_module_t *module = parse_text(donating);
    const compiler_given_t given = {.donated = none[i]};
    given_notes_t notes;
    assert_error(given_apply(module, &given, &notes), POD_INVALID_ARGUMENT,
                 "which is to be donated: the program has 3 (cache, row, old)");
    mlir_module_destroy(module);
  }
}

static const char layered[] =
    "module @m {\n"
    "  sdy.mesh @own = <[\"x\"=2]>\n"
    "  func.func @main(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {\n"
    "    %0 = stablehlo.tanh %x : tensor<8x16xf32>\n"
    "    %1 = sdy.sharding_constraint %0 <@own, [{\"x\"}, {}]> : tensor<8x16xf32>\n"
    "    %2 = sdy.manual_computation(%1) in_shardings=[<@own, [{}, {}]>] "
    "out_shardings=[<@own, [{}, {}]>] manual_axes={\"x\"} (%arg0: tensor<8x16xf32>) {\n"
    "      %3 = stablehlo.tanh %arg0 : tensor<8x16xf32>\n"
    "      sdy.return %3 : tensor<8x16xf32>\n"
    "    } : (tensor<8x16xf32>) -> tensor<8x16xf32>\n"
    "    %4 = stablehlo.add %2, %0 : tensor<8x16xf32>\n"
    "    return %4 : tensor<8x16xf32>\n"
    "  }\n"
    "}\n";

static void expect_within(const char *number, const char *spec, const char *part) {
  mlir_module_t *module = parse_text(layered);
  const compiler_given_spec_t one = {number, spec};
  const compiler_given_t given = {.value_count = 1, .values = &one};
  given_notes_t notes;
  assert_ok(given_apply(module, &given, &notes));
  char *printed = print_text(module);
  if (strstr(printed, part) == NULL) {
    fail_msg("no %s in\n%s", part, printed);
  }
  free(printed);
  mlir_module_destroy(module);
}

static void test_a_value_within_gets_a_constraint_that_all_of_its_users_see(
    void **state) {
  (void)state;
  expect_within("1", "P('x')",
                "    %1 = sdy.sharding_constraint %0 <@own, [{\"x\"}, {}]> : "
                "tensor<8x16xf32>\n"
                "    %2 = sdy.sharding_constraint %1 <@own, [{\"x\"}, {}]>");
  expect_within("1", "P('x')", "stablehlo.add %3, %1 ");
  expect_within("4", "P(None, 'x')",
                "sdy.sharding_constraint %3 <@own, [{}, {\"x\"}]> : tensor<8x16xf32>\n"
                "    return %4 ");
}

static void test_what_a_constraint_says_gives_way(void **state) {
  (void)state;
  expect_within("2", "P(None, 'x')", "%0 <@own, [{}, {\"x\"}]>");
  expect_within("2", "P(?, ?)", "%0 <@own, [{?}, {?}]>");
}

static void test_a_value_that_is_not_there_is_named(void **state) {
  (void)state;
  static const char *const none[] = {"0", "5", "x", "1x", "", "-1"};
  for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
    mlir_module_t *module = parse_text(layered);
    const compiler_given_spec_t one = {none[i], "P()"};
    const compiler_given_t given = {.value_count = 1, .values = &one};
    given_notes_t notes;
    assert_error(given_apply(module, &given, &notes), POD_INVALID_ARGUMENT,
                 "whose sharding is given");
    mlir_module_destroy(module);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_an_argument_is_found_by_every_name_it_has),
      cmocka_unit_test(test_specs_are_read_as_jax_writes_them),
      cmocka_unit_test(test_what_is_wrong_is_named_with_the_argument),
      cmocka_unit_test(test_the_module_gives_way_and_a_note_says_so),
      cmocka_unit_test(test_a_program_that_says_nothing_is_for_the_mesh),
      cmocka_unit_test(test_arguments_are_donated_from_outside),
      cmocka_unit_test(test_what_cannot_be_donated_is_named),
      cmocka_unit_test(test_a_value_within_gets_a_constraint_that_all_of_its_users_see),
      cmocka_unit_test(test_what_a_constraint_says_gives_way),
      cmocka_unit_test(test_a_value_that_is_not_there_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
