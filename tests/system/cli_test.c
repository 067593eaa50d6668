// The command line as a user meets it: what it prints, and how it exits.

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/tensor/array.h"
#include "tests/system/pod.h"

enum { PATH_SIZE = 256 };

static char folder[] = "/tmp/podium-cli-XXXXXX";

static const char *in_folder(const char *name, char path[PATH_SIZE]) {
  snprintf(path, PATH_SIZE, "%s/%s", folder, name);
  return path;
}

static const char *write_module(const char *name, const char *text,
                                char path[PATH_SIZE]) {
  FILE *file = fopen(in_folder(name, path), "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
  return path;
}

// Runs `podium ARGS`, checks the exit status and that each of `expected` is printed.
static void check_run(const char *const *args, int exit_status,
                      const char *const *expected) {
  char *output;
  const int status = system_run("podium", args, &output);
  for (int i = 0; expected != NULL && expected[i] != NULL; i++) {
    if (strstr(output, expected[i]) == NULL) {
      fail_msg("'%s' is not in:\n%s", expected[i], output);
    }
  }
  if (status != exit_status) {
    fail_msg("exit status %d, expected %d:\n%s", status, exit_status, output);
  }
  free(output);
}

#define ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})

#define MATMUL PROGRAMS_FOLDER "/square_matmul.2x2.small.mlir"

static void test_help_of_every_command_exits_with_0_and_shows_an_example(void **state) {
  (void)state;
  check_run(ARGS("--help"), 0,
            ARGS("run", "compile", "check", "up", "down", "status", "devices"));
  check_run(ARGS("run", "--help"), 0,
            ARGS("--input", "--output", "--profile", "--pod", "Examples:"));
  check_run(ARGS("simulate", "--help"), 0,
            ARGS("--slow", "--slow-link", "--turns", "--xplane", "Examples:"));
  check_run(ARGS("compile", "--help"), 0, ARGS("PROGRAM", "Example:"));
  check_run(ARGS("check", "--help"), 0, ARGS("FILE", "--pod", "Example:"));
  check_run(ARGS("up", "--help"), 0, ARGS("--topology", "Example:"));
  check_run(ARGS("down", "--help"), 0, ARGS("NAME"));
  check_run(ARGS("status", "--help"), 0, ARGS("POD"));
  check_run(ARGS("devices", "--help"), 0, ARGS("POD"));
}

static void test_a_wrong_command_line_exits_with_2(void **state) {
  (void)state;
  check_run(ARGS("fly"), 2, ARGS("no command 'fly'"));
  check_run(ARGS("run"), 2, ARGS("a PROGRAM is needed"));
  check_run(ARGS("run", "a.mlir", "b.mlir"), 2, ARGS("one program at a time"));
  check_run(ARGS("run", MATMUL, "--input", "arg0"), 2, ARGS("NAME=VALUE"));
  check_run(ARGS("run", MATMUL, "--repeat", "0"), 2, ARGS("--repeat"));
  check_run(ARGS("simulate", MATMUL, "--slow", "3"), 2, ARGS("chip=ID:FACTOR"));
  check_run(ARGS("simulate", MATMUL, "--slow-link", "(0,0)-(1,0)"), 2,
            ARGS("--slow-link takes"));
  check_run(ARGS("simulate", MATMUL, "--turns", "while.3=many"), 2,
            ARGS("--turns takes"));
}

static void test_a_run_starts_a_pod_and_shows_results_collectives_and_profile(
    void **state) {
  (void)state;
  check_run(ARGS("run", MATMUL), 0,
            ARGS("jit_matmul_square", "bf16[8,32]", "all_reduce", "over Y (2)",
                 "HBM per chip", "predicted device time", "MFU", "busiest"));
}

static void test_the_algorithm_of_collectives_can_be_chosen(void **state) {
  (void)state;
  const char *const program = PROGRAMS_FOLDER "/psum.2x4.small.mlir";
  check_run(ARGS("run", program, "--algorithm", "all_reduce=ring"), 0,
            ARGS("result0 = f32[16,8] 0.966176, 1.4482", "busiest"));
  check_run(ARGS("run", program, "--algorithm", "direct"), 0,
            ARGS("result0 = f32[16,8] 0.966176, 1.4482", "busiest"));
  check_run(ARGS("simulate", program, "--algorithm", "fastest"), 1,
            ARGS("'fastest' is no algorithm", "ring line tree direct torus"));
  check_run(ARGS("simulate", program, "--algorithm", "psum=ring"), 1,
            ARGS("'psum' is no collective", "all_reduce"));
  check_run(ARGS("simulate", PROGRAMS_FOLDER "/all_to_all.2x4.small.mlir", "--algorithm",
                 "tree"),
            1, ARGS("UNIMPLEMENTED", "all_to_all", "no tree algorithm"));
}

static void test_compile_prints_what_one_chip_runs(void **state) {
  (void)state;
  check_run(ARGS("compile", PROGRAMS_FOLDER "/square_matmul.2x2.mlir"), 0,
            ARGS("stablehlo.dot_general", "tensor<4x1024xbf16>", "stablehlo.all_reduce",
                 "all_reduce", "over Y (2)"));
}

static void test_results_go_to_npy_files_and_come_back_as_inputs_and_expectations(
    void **state) {
  (void)state;
  char x[PATH_SIZE], y[PATH_SIZE], option[2][2 * PATH_SIZE];
  const tensor_shape_t shape = tensor_shape_make(TENSOR_BF16, 2, (int64_t[]){8, 64});
  tensor_array_t array;
  assert_null(tensor_array_init(&array, &shape));
  assert_null(tensor_fill("random:5", &array));
  assert_null(tensor_npy_write(in_folder("x.npy", x), &array));
  tensor_array_deinit(&array);
  snprintf(option[0], sizeof(option[0]), "0=%s", x);
  snprintf(option[1], sizeof(option[1]), "0=%s", in_folder("y.npy", y));
  check_run(ARGS("run", MATMUL, "-i", option[0], "-o", option[1]), 0, NULL);
  check_run(
      ARGS("run", MATMUL, "-i", "0=random:5", "--expect", option[1], "--tolerance", "0"),
      0, ARGS("ok"));
  check_run(ARGS("run", MATMUL, "-i", "0=random:6", "--expect", option[1]), 1,
            ARGS("WRONG", "differs from what was expected"));
}

static void test_an_input_of_the_wrong_shape_or_dtype_is_refused_with_both(void **state) {
  (void)state;
  char path[PATH_SIZE], option[2 * PATH_SIZE];
  const tensor_shape_t shapes[] = {
      tensor_shape_make(TENSOR_BF16, 2, (int64_t[]){8, 63}),
      tensor_shape_make(TENSOR_F32, 2, (int64_t[]){8, 64}),
  };
  for (int i = 0; i < 2; i++) {
    tensor_array_t array;
    assert_null(tensor_array_init(&array, &shapes[i]));
    assert_null(tensor_fill("ones", &array));
    assert_null(tensor_npy_write(in_folder("wrong.npy", path), &array));
    tensor_array_deinit(&array);
    snprintf(option, sizeof(option), "0=%s", path);
    check_run(ARGS("run", MATMUL, "-i", option), 1,
              ARGS("INVALID_ARGUMENT", path, "bf16[8,64]"));
  }
  check_run(ARGS("run", MATMUL, "-i", "0=/nowhere.npy"), 1, ARGS("/nowhere.npy"));
  check_run(ARGS("run", MATMUL, "-i", "nosuch=ones"), 1,
            ARGS("no argument 'nosuch'", "arg0"));
}

static void test_a_malformed_module_is_shown_with_line_column_and_caret(void **state) {
  (void)state;
  char path[PATH_SIZE], place[PATH_SIZE + 16];
  write_module("bad.mlir",
               "module @m {\n"
               "  func.func public @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {\n"
               "    %0 = stablehlo.add %arg0, %arg7 : tensor<4xf32>\n"
               "    return %0 : tensor<4xf32>\n  }\n}\n",
               path);
  snprintf(place, sizeof(place), "%s:3:", path);
  check_run(ARGS("run", path), 1, ARGS("INVALID_ARGUMENT", place, "arg7", "^"));
  write_module("cut.mlir", "module @m {\n  func.func public @main(", path);
  snprintf(place, sizeof(place), "%s:2:", path);
  check_run(ARGS("run", path), 1, ARGS("INVALID_ARGUMENT", place));
  check_run(ARGS("run", "/nowhere.mlir"), 1, ARGS("/nowhere.mlir"));
}

static void test_a_sharding_over_an_unknown_axis_or_one_axis_twice_is_refused(
    void **state) {
  (void)state;
  static const char *const specs[] = {"[{\"Z\"}, {}]", "[{\"X\"}, {\"X\"}]"};
  static const char *const words[] = {"Z", "X"};
  for (int i = 0; i < 2; i++) {
    char text[1024], path[PATH_SIZE], place[PATH_SIZE + 16];
    snprintf(text, sizeof(text),
             "module @m attributes {mhlo.num_partitions = 4 : i32} {\n"
             "  sdy.mesh @mesh = <[\"X\"=2, \"Y\"=2]>\n"
             "  func.func public @main(%%arg0: tensor<4x4xf32> {sdy.sharding = "
             "#sdy.sharding<@mesh, %s>}) -> tensor<4x4xf32> {\n"
             "    return %%arg0 : tensor<4x4xf32>\n  }\n}\n",
             specs[i]);
    write_module("axes.mlir", text, path);
    snprintf(place, sizeof(place), "%s:3:", path);
    check_run(ARGS("compile", path), 1, ARGS("INVALID_ARGUMENT", place, words[i]));
  }
}

static void test_a_chip_of_ones_own_is_read_from_a_file(void **state) {
  (void)state;
  char path[PATH_SIZE];
  write_module("fat.chip", "base = v5e\nname = v5e-fat\nhbm_bytes = 24 GiB\n", path);
  check_run(ARGS("run", MATMUL, "--chip", path, "--topology", "v5litepod-4"), 0,
            ARGS("pod of 4 v5e-fat chips", "of 24.0 GiB"));
  write_module("broken.chip", "base = v5e\nhbm_byte = 24 GiB\n", path);
  check_run(ARGS("run", MATMUL, "--chip", path), 1,
            ARGS("broken.chip:2: hbm_byte: is no key; there are base, name"));
  check_run(ARGS("run", MATMUL, "--chip", "v5"), 1,
            ARGS("there is no chip \"v5\"; there are v2 v3 v4 v5e"));
  check_run(ARGS("run", MATMUL, "--chip", "v4", "--topology", "4x4x8_twisted"), 1,
            ARGS("twisted torus"));
}

static void test_a_mesh_that_does_not_match_the_pod_is_refused_with_both(void **state) {
  (void)state;
  check_run(ARGS("run", MATMUL, "--topology", "2x1"), 1,
            ARGS("FAILED_PRECONDITION", "4", "2"));
}

static void test_a_program_that_does_not_fit_is_refused_with_the_bytes(void **state) {
  (void)state;
  char path[PATH_SIZE];
  write_module("large.mlir",
               "module @m {\n"
               "  func.func public @main(%arg0: tensor<131072x131072xf32>) -> "
               "tensor<131072x131072xf32> {\n"
               "    %0 = stablehlo.add %arg0, %arg0 : tensor<131072x131072xf32>\n"
               "    return %0 : tensor<131072x131072xf32>\n  }\n}\n",
               path);
  check_run(ARGS("compile", path, "--topology", "1x1"), 1,
            ARGS("RESOURCE_EXHAUSTED", "128.0 GiB", "HBM"));
}

static void test_the_trace_is_json_that_names_every_chip(void **state) {
  (void)state;
  char path[PATH_SIZE];
  check_run(ARGS("run", MATMUL, "--profile", in_folder("trace.json", path)), 0, NULL);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  char *text = calloc(1, 1 << 20);
  assert_in_range(fread(text, 1, (1 << 20) - 1, file), 100, (1 << 20) - 2);
  fclose(file);
  assert_non_null(strstr(text, "\"traceEvents\""));
  assert_non_null(strstr(text, "chip 3: measured on its host"));
  assert_non_null(strstr(text, "dot_general"));
  assert_non_null(strstr(text, "all_reduce"));
  free(text);
}

static void test_a_pod_stays_until_it_is_taken_down(void **state) {
  (void)state;
  check_run(ARGS("status"), 1, ARGS("no local pod 'local' is up"));
  check_run(ARGS("up", "--topology", "2x2"), 0, ARGS("127.0.0.1:", "ready"));
  check_run(ARGS("up"), 1, ARGS("ALREADY_EXISTS", "podium down"));
  check_run(ARGS("status"), 0, ARGS("2x2 v5e, ready", "(1,1,0)"));
  check_run(ARGS("devices"), 0,
            ARGS("TpuDevice(id=0, process_index=0, coords=(0,0,0), core_on_chip=0)",
                 "TpuDevice(id=3, process_index=0, coords=(1,1,0), core_on_chip=0)"));
  check_run(ARGS("run", MATMUL, "--pod", "local"), 0, ARGS("all_reduce"));
  check_run(ARGS("run", MATMUL, "--pod", "local", "-q"), 0, NULL);
  check_run(ARGS("down"), 0, NULL);
  check_run(ARGS("down"), 1, ARGS("no local pod"));
}

static void test_a_pod_that_does_not_answer_is_named(void **state) {
  (void)state;
  check_run(ARGS("run", MATMUL, "--pod", "127.0.0.1:1", "--timeout", "5"), 1,
            ARGS("UNAVAILABLE", "127.0.0.1:1"));
}

#define CHECKED(name, value)                                                   \
  "func.func @main() {\n"                                                      \
  "  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>\n"              \
  "  %b = stablehlo.add %a, %a : tensor<2xf32>\n"                              \
  "  %c = stablehlo.constant dense<[2.0, " value                               \
  "]> : tensor<2xf32>\n"                                                       \
  "  stablehlo.custom_call @check." name                                       \
  "(%b, %c) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()\n" \
  "  return\n"                                                                 \
  "}\n"

static void test_check_says_which_files_pass_and_exits_with_1_if_one_does_not(
    void **state) {
  (void)state;
  char path[3][PATH_SIZE];
  write_module("add_float32_2.mlir", CHECKED("expect_eq", "4.0"), path[0]);
  write_module("add_float32_3.mlir",
               CHECKED("expect_close", "4.000001") "// -----\n" CHECKED(
                   "expect_almost_eq", "4.01"),
               path[1]);
  write_module(
      "sum_float32_2.mlir",
      "func.func @main() {\n  stablehlo.custom_call @nobody() : () -> ()\n  return\n}\n",
      path[2]);
  check_run(ARGS("check", path[0]), 0, ARGS("PASS", "add_float32_2.mlir", "all"));
  check_run(ARGS("check", path[0], path[1], path[2]), 1,
            ARGS("FAIL", "add_float32_3.mlir", "element [1] is 4 instead of 4.01",
                 "add_float32_3.mlir:13:3", "1 of 2 elements differ", "UNIMPLEMENTED",
                 "sum_float32_2.mlir:2:",
                 "add                                           1      2      0  *"));
  check_run(ARGS("check", "-q", path[0], "/no/such/file.mlir"), 1,
            ARGS("FAIL", "/no/such/file.mlir"));
}

static void test_check_gives_a_module_the_arguments_that_it_takes(void **state) {
  (void)state;
  char path[PATH_SIZE];
  write_module(
      "sum_int32_2.mlir",
      "func.func @main(%a: tensor<2xi32>, %b: tensor<2xi32>) -> tensor<2xi32> {\n"
      "  %0 = stablehlo.add %a, %b : tensor<2xi32>\n"
      "  check.expect_eq_const %0, dense<[4, 5]> : tensor<2xi32>\n"
      "  return %0 : tensor<2xi32>\n}\n",
      path);
  const char *right = "[dense<1> : tensor<2xi32>, dense<[3, 4]> : tensor<2xi32>]";
  check_run(ARGS("check"), 2, ARGS("a FILE is needed"));
  check_run(ARGS("check", path, "--args", right), 0, ARGS("PASS"));
  check_run(ARGS("check", path, "--args", "[dense<1> : tensor<2xi32>]"), 1,
            ARGS("FAIL", "@main takes 2 arguments, --args has 1"));
  check_run(ARGS("check", path, "--args",
                 "[dense<1> : tensor<2xi32>, dense<3.0> : tensor<2xf32>]"),
            1, ARGS("FAIL", "value 1 of --args is not of the type that @main takes"));
  check_run(ARGS("check", path, "--args", "[4.0 : f32]"), 2,
            ARGS("value 0 is not dense<…> : tensor<…>"));
  check_run(ARGS("check", PROGRAMS_FOLDER "/psum.2x2.small.mlir", "-t", "2x2"), 0,
            ARGS("PASS"));
}

#define OPEN CONFORMANCE_FOLDER "/open/batch.2x2.mlir"

static void test_sizes_that_a_program_leaves_open_come_from_arguments_or_shape(
    void **state) {
  (void)state;
  char path[PATH_SIZE], option[2 * PATH_SIZE];
  const tensor_shape_t shape = tensor_shape_make(TENSOR_F32, 2, (int64_t[]){6, 8});
  tensor_array_t array;
  assert_null(tensor_array_init(&array, &shape));
  assert_null(tensor_fill("ones", &array));
  assert_null(tensor_npy_write(in_folder("six.npy", path), &array));
  tensor_array_deinit(&array);
  snprintf(option, sizeof(option), "arg0=%s", path);
  check_run(ARGS("run", OPEN, "-i", option, "-i", "1=ones"), 0,
            ARGS("f32[6,8]", "result0 = f32[6,4] 14, 14"));
  check_run(ARGS("run", OPEN, "--shape", "0=4x8", "-i", "0=ones", "-i", "1=ones"), 0,
            ARGS("result0 = f32[4,4] 12, 12"));
  check_run(ARGS("simulate", OPEN, "--shape", "arg0=128x8"), 0,
            ARGS("f32[128,4]", "predicted device time"));
  check_run(ARGS("compile", OPEN, "--shape", "0=16x8"), 0, ARGS("tensor<8x8xf32>"));
  check_run(ARGS("check", OPEN, "--args",
                 "[dense<1.0> : tensor<2x8xf32>, dense<2.0> : tensor<8x4xf32>]"),
            0, ARGS("PASS"));
}

static void test_sizes_that_follow_from_an_argument_s_value_are_known_by_constant(
    void **state) {
  (void)state;
  char path[PATH_SIZE];
  write_module("rows_int32.mlir",
               "func.func @main(%n: tensor<i32> {jax.global_constant = \"n\"}, %x: "
               "tensor<f32>) -> tensor<?xf32> {\n"
               "  %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>\n"
               "  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [] : "
               "(tensor<f32>, tensor<1xi32>) -> tensor<?xf32>\n"
               "  return %0 : tensor<?xf32>\n}\n",
               path);
  check_run(ARGS("run", path, "--constant", "n=3", "-i", "x=const:7"), 0,
            ARGS("result0 = f32[3] 7, 7, 7\n"));
  check_run(ARGS("check", path, "--constant", "0=2"), 0, ARGS("PASS"));
  check_run(ARGS("run", path, "--constant", "n=3", "-i", "n=const:4"), 1,
            ARGS("rows_int32.mlir:1:17", "4", "3"));
  check_run(ARGS("simulate", path, "--constant", "n"), 2,
            ARGS("--constant takes NAME=VALUE"));
  check_run(ARGS("simulate", path, "--constant", "x=1"), 1,
            ARGS("argument 1 is tensor<f32>, which cannot be 1"));
}

static void test_sizes_that_a_program_cannot_take_are_refused(void **state) {
  (void)state;
  check_run(ARGS("simulate", OPEN), 1,
            ARGS(OPEN ":6:26: argument 0 is tensor<?x8xf32>", "--shape 0=SIZES"));
  check_run(ARGS("simulate", OPEN, "--shape", "0=4x9"), 1,
            ARGS(OPEN ":6:26: argument 0 is tensor<?x8xf32>; 4x9 was given; dimension 1 "
                      "must be 8"));
  check_run(ARGS("simulate", OPEN, "--shape", "0=7x8"), 1,
            ARGS("@shape_assertion does not hold: Input shapes do not match",
                 "Division had remainder 1 when computing the value of 'b' from 7."));
  check_run(ARGS("simulate", OPEN, "--shape", "x=4x8"), 1, ARGS("no argument 'x'"));
  check_run(ARGS("simulate", OPEN, "--shape", "0"), 2, ARGS("--shape takes NAME=SIZES"));
  check_run(ARGS("simulate", OPEN, "--shape", "0=4y8"), 2, ARGS("--shape takes"));
  check_run(ARGS("simulate", OPEN, "--shape", "0=4x8", "--shape", "0=2x8"), 2,
            ARGS("two --shape or --constant of one argument"));
}

static int make_folder(void **state) {
  (void)state;
  return mkdtemp(folder) == NULL || setenv("XDG_RUNTIME_DIR", folder, 1) != 0;
}

static int remove_folder(void **state) {
  (void)state;
  char command[PATH_SIZE];
  snprintf(command, sizeof(command), "rm -rf %s", folder);
  return system(command);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_help_of_every_command_exits_with_0_and_shows_an_example),
      cmocka_unit_test(test_a_wrong_command_line_exits_with_2),
      cmocka_unit_test(test_a_run_starts_a_pod_and_shows_results_collectives_and_profile),
      cmocka_unit_test(test_the_algorithm_of_collectives_can_be_chosen),
      cmocka_unit_test(test_compile_prints_what_one_chip_runs),
      cmocka_unit_test(
          test_results_go_to_npy_files_and_come_back_as_inputs_and_expectations),
      cmocka_unit_test(test_an_input_of_the_wrong_shape_or_dtype_is_refused_with_both),
      cmocka_unit_test(test_a_malformed_module_is_shown_with_line_column_and_caret),
      cmocka_unit_test(test_a_sharding_over_an_unknown_axis_or_one_axis_twice_is_refused),
      cmocka_unit_test(test_a_chip_of_ones_own_is_read_from_a_file),
      cmocka_unit_test(test_a_mesh_that_does_not_match_the_pod_is_refused_with_both),
      cmocka_unit_test(test_a_program_that_does_not_fit_is_refused_with_the_bytes),
      cmocka_unit_test(test_check_says_which_files_pass_and_exits_with_1_if_one_does_not),
      cmocka_unit_test(test_check_gives_a_module_the_arguments_that_it_takes),
      cmocka_unit_test(
          test_sizes_that_a_program_leaves_open_come_from_arguments_or_shape),
      cmocka_unit_test(
          test_sizes_that_follow_from_an_argument_s_value_are_known_by_constant),
      cmocka_unit_test(test_sizes_that_a_program_cannot_take_are_refused),
      cmocka_unit_test(test_the_trace_is_json_that_names_every_chip),
      cmocka_unit_test(test_a_pod_stays_until_it_is_taken_down),
      cmocka_unit_test(test_a_pod_that_does_not_answer_is_named),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
