// The command line as a user meets it: what it prints, and how it exits.

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/tensor/array.h"
#include "tests/system/cli.h"

enum { PATH_SIZE = CLI_PATH_SIZE };

#define MATMUL PROGRAMS_FOLDER "/square_matmul.2x2.small.mlir"

static void test_help_of_every_command_exits_with_0_and_shows_an_example(void **state) {
  (void)state;
  cli_check_run(ARGS("--help"), 0,
                ARGS("run", "compile", "check", "up", "down", "status", "devices"));
  cli_check_run(ARGS("run", "--help"), 0,
                ARGS("--input", "--output", "--profile", "--pod", "Examples:"));
  cli_check_run(
      ARGS("simulate", "--help"), 0,
      ARGS("--slow", "--slow-link", "slice=N", "--turns", "--xplane", "Examples:"));
  cli_check_run(ARGS("compile", "--help"), 0, ARGS("PROGRAM", "Example:"));
  cli_check_run(ARGS("check", "--help"), 0, ARGS("FILE", "--pod", "Example:"));
  cli_check_run(ARGS("up", "--help"), 0, ARGS("--topology", "Example:"));
  cli_check_run(ARGS("down", "--help"), 0, ARGS("NAME"));
  cli_check_run(ARGS("status", "--help"), 0, ARGS("POD"));
  cli_check_run(ARGS("devices", "--help"), 0, ARGS("POD"));
}

static void test_a_wrong_command_line_exits_with_2(void **state) {
  (void)state;
  cli_check_run(ARGS("fly"), 2, ARGS("no command 'fly'"));
  cli_check_run(ARGS("run"), 2, ARGS("a PROGRAM is needed"));
  cli_check_run(ARGS("run", "a.mlir", "b.mlir"), 2, ARGS("one program at a time"));
  cli_check_run(ARGS("run", MATMUL, "--input", "arg0"), 2, ARGS("NAME=VALUE"));
  cli_check_run(ARGS("run", MATMUL, "--repeat", "0"), 2, ARGS("--repeat"));
  cli_check_run(ARGS("simulate", MATMUL, "--slow", "3"), 2, ARGS("chip=ID:FACTOR"));
  cli_check_run(ARGS("simulate", MATMUL, "--slow-link", "(0,0)-(1,0)"), 2,
                ARGS("--slow-link takes"));
  cli_check_run(ARGS("simulate", MATMUL, "--slow-link", "slice=1(0,0)-(1,0):2"), 2,
                ARGS("--slow-link takes [slice=N:]"));
  cli_check_run(ARGS("simulate", MATMUL, "--turns", "while.3=many"), 2,
                ARGS("--turns takes"));
}

static void test_a_run_starts_a_pod_and_shows_results_collectives_and_profile(
    void **state) {
  (void)state;
  cli_check_run(ARGS("run", MATMUL), 0,
                ARGS("jit_matmul_square", "bf16[8,32]", "all_reduce", "over Y (2)",
                     "HBM per chip", "predicted device time", "HFU", "busiest"));
}

static void test_the_algorithm_of_collectives_can_be_chosen(void **state) {
  (void)state;
  const char *const program = PROGRAMS_FOLDER "/psum.2x4.small.mlir";
  cli_check_run(ARGS("run", program, "--algorithm", "all_reduce=ring"), 0,
                ARGS("result0 = f32[16,8] 0.966176, 1.4482", "busiest"));
  cli_check_run(ARGS("run", program, "--algorithm", "direct"), 0,
                ARGS("result0 = f32[16,8] 0.966176, 1.4482", "busiest"));
  cli_check_run(ARGS("simulate", program, "--algorithm", "fastest"), 3,
                ARGS("'fastest' is no algorithm", "ring line tree direct torus levels"));
  cli_check_run(ARGS("simulate", program, "--algorithm", "psum=ring"), 3,
                ARGS("'psum' is no collective", "all_reduce"));
  cli_check_run(ARGS("simulate", PROGRAMS_FOLDER "/all_to_all.2x4.small.mlir",
                     "--algorithm", "tree"),
                3, ARGS("UNIMPLEMENTED", "all_to_all", "no tree algorithm"));
}

static void test_a_topology_may_have_several_slices(void **state) {
  (void)state;
  const char *const program = PROGRAMS_FOLDER "/psum.2x4.small.mlir";
  cli_check_run(ARGS("simulate", program, "--topology", "4*2x1"), 0,
                ARGS("on 8 v5e chips, 4*2x1", "of slice 0", "to other slices", "DCN out",
                     "DCN in"));
  cli_check_run(ARGS("run", program, "--topology", "4*2x1"), 0,
                ARGS("result0 = f32[16,8] 0.966176, 1.4482", "DCN out"));
  cli_check_run(ARGS("run", program, "--chip", "v7x-cores", "--topology", "2x2"), 0,
                ARGS("result0 = f32[16,8] 0.966176, 1.4482", "die"));
  cli_check_run(ARGS("simulate", program, "--topology", "two*2x2"), 3,
                ARGS("lacks a number of slices before the '*'"));
}

static void test_compile_prints_what_one_chip_runs(void **state) {
  (void)state;
  cli_check_run(ARGS("compile", PROGRAMS_FOLDER "/square_matmul.2x2.mlir"), 0,
                ARGS("stablehlo.dot_general", "tensor<4x1024xbf16>",
                     "stablehlo.all_reduce", "all_reduce", "over Y (2)"));
}

static void test_a_malformed_module_is_shown_with_line_column_and_caret(void **state) {
  (void)state;
  char path[PATH_SIZE], place[PATH_SIZE + 16];
  cli_write_file("bad.mlir",
                 "module @m {\n"
                 "  func.func public @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {\n"
                 "    %0 = stablehlo.add %arg0, %arg7 : tensor<4xf32>\n"
                 "    return %0 : tensor<4xf32>\n  }\n}\n",
                 path);
  snprintf(place, sizeof(place), "%s:3:", path);
  cli_check_run(ARGS("run", path), 3, ARGS("INVALID_ARGUMENT", place, "arg7", "^"));
  cli_write_file("cut.mlir", "module @m {\n  func.func public @main(", path);
  snprintf(place, sizeof(place), "%s:2:", path);
  cli_check_run(ARGS("run", path), 3, ARGS("INVALID_ARGUMENT", place));
  cli_check_run(ARGS("run", "/nowhere.mlir"), 3, ARGS("/nowhere.mlir"));
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
    cli_write_file("axes.mlir", text, path);
    snprintf(place, sizeof(place), "%s:3:", path);
    cli_check_run(ARGS("compile", path), 3, ARGS("INVALID_ARGUMENT", place, words[i]));
  }
}

static void test_a_chip_of_ones_own_is_read_from_a_file(void **state) {
  (void)state;
  char path[PATH_SIZE];
  cli_write_file("fat.chip", "base = v5e\nname = v5e-fat\nhbm_bytes = 24 GiB\n", path);
  cli_check_run(ARGS("run", MATMUL, "--chip", path, "--topology", "v5litepod-4"), 0,
                ARGS("pod of 4 v5e-fat chips", "of 23.8 GiB"));
  cli_write_file("broken.chip", "base = v5e\nhbm_byte = 24 GiB\n", path);
  cli_check_run(ARGS("run", MATMUL, "--chip", path), 3,
                ARGS("broken.chip:2: hbm_byte: is no key; there are base, name"));
  cli_check_run(ARGS("run", MATMUL, "--chip", "v5"), 3,
                ARGS("there is no chip \"v5\"; there are v2 v3 v4 v5e"));
  cli_check_run(ARGS("run", MATMUL, "--chip", "v4", "--topology", "4x4x8_twisted"), 3,
                ARGS("twisted torus"));
}

static void test_the_kinds_of_chip_are_listed_with_figures_and_sources(void **state) {
  (void)state;
  cli_check_run(ARGS("chips"), 0, ARGS("v5p", "95.0 GiB", "197 TFLOP/s", "TPU v6 lite"));
  cli_check_run(ARGS("chips", "v5e"), 0,
                ARGS("hbm_bytes_per_s", "819 GB/s", "from: jax/_src/tpu_info.py"));
  cli_check_run(ARGS("chips", "v9"), 3, ARGS("there is no chip \"v9\"; there are v2 v3"));
}

static void test_a_mesh_that_does_not_match_the_pod_is_refused_with_both(void **state) {
  (void)state;
  cli_check_run(ARGS("run", MATMUL, "--topology", "2x1"), 3,
                ARGS("FAILED_PRECONDITION", "4", "2"));
}

static void test_a_program_that_does_not_fit_is_refused_with_the_bytes(void **state) {
  (void)state;
  char path[PATH_SIZE];
  cli_write_file("large.mlir",
                 "module @m {\n"
                 "  func.func public @main(%arg0: tensor<131072x131072xf32>) -> "
                 "tensor<131072x131072xf32> {\n"
                 "    %0 = stablehlo.add %arg0, %arg0 : tensor<131072x131072xf32>\n"
                 "    return %0 : tensor<131072x131072xf32>\n  }\n}\n",
                 path);
  cli_check_run(ARGS("compile", path, "--topology", "1x1"), 3,
                ARGS("RESOURCE_EXHAUSTED", "128.0 GiB", "HBM"));
}

static void test_the_trace_is_json_that_names_every_chip(void **state) {
  (void)state;
  char predicted[PATH_SIZE], path[PATH_SIZE];
  cli_check_run(ARGS("run", MATMUL, "--profile", cli_in_folder("trace.json", predicted),
                     "--host-profile", cli_in_folder("host.json", path)),
                0, NULL);
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
  cli_check_run(ARGS("status"), 3, ARGS("no local pod 'local' is up"));
  cli_check_run(ARGS("up", "--topology", "2x2"), 0, ARGS("127.0.0.1:", "ready"));
  cli_check_run(ARGS("up"), 3, ARGS("ALREADY_EXISTS", "podium down"));
  cli_check_run(ARGS("status"), 0, ARGS("2x2 v5e, ready", "(1,1,0)"));
  cli_check_run(ARGS("devices"), 0,
                ARGS("TpuDevice(id=0, process_index=0, coords=(0,0,0), core_on_chip=0)",
                     "TpuDevice(id=3, process_index=0, coords=(1,1,0), core_on_chip=0)"));
  cli_check_run(ARGS("run", MATMUL, "--pod", "local"), 0, ARGS("all_reduce"));
  cli_check_run(ARGS("run", MATMUL, "--pod", "local", "-q"), 0, NULL);
  cli_check_run(ARGS("down"), 0, NULL);
  cli_check_run(ARGS("down"), 3, ARGS("no local pod"));
  cli_check_run(ARGS("up", "--name", "../x"), 3, ARGS("'../x' is no name of a pod"));
  cli_check_run(ARGS("down", "../x"), 3, ARGS("'../x' is no name of a pod"));
}

static void test_a_pod_that_does_not_answer_is_named(void **state) {
  (void)state;
  cli_check_run(ARGS("run", MATMUL, "--pod", "127.0.0.1:1", "--timeout", "5"), 3,
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
  cli_write_file("add_float32_2.mlir", CHECKED("expect_eq", "4.0"), path[0]);
  cli_write_file("add_float32_3.mlir",
                 CHECKED("expect_close", "4.000001") "// -----\n" CHECKED(
                     "expect_almost_eq", "4.01"),
                 path[1]);
  cli_write_file(
      "sum_float32_2.mlir",
      "func.func @main() {\n  stablehlo.custom_call @nobody() : () -> ()\n  return\n}\n",
      path[2]);
  cli_check_run(ARGS("check", path[0]), 0, ARGS("PASS", "add_float32_2.mlir", "all"));
  cli_check_run(ARGS("check", path[0], path[1], path[2]), 1,
                ARGS("FAIL", "add_float32_3.mlir", "element [1] is 4 instead of 4.01",
                     "add_float32_3.mlir:13:3", "1 of 2 elements differ", "UNIMPLEMENTED",
                     "sum_float32_2.mlir:2:",
                     "add                                           1      2      0  *"));
  cli_check_run(ARGS("check", "-q", path[0], "/no/such/file.mlir"), 1,
                ARGS("FAIL", "/no/such/file.mlir"));
}

static void test_check_gives_a_module_the_arguments_that_it_takes(void **state) {
  (void)state;
  char path[PATH_SIZE];
  cli_write_file(
      "sum_int32_2.mlir",
      "func.func @main(%a: tensor<2xi32>, %b: tensor<2xi32>) -> tensor<2xi32> {\n"
      "  %0 = stablehlo.add %a, %b : tensor<2xi32>\n"
      "  check.expect_eq_const %0, dense<[4, 5]> : tensor<2xi32>\n"
      "  return %0 : tensor<2xi32>\n}\n",
      path);
  const char *right = "[dense<1> : tensor<2xi32>, dense<[3, 4]> : tensor<2xi32>]";
  cli_check_run(ARGS("check"), 2, ARGS("a FILE is needed"));
  cli_check_run(ARGS("check", path, "--args", right), 0, ARGS("PASS"));
  cli_check_run(ARGS("check", path, "--args", "[dense<1> : tensor<2xi32>]"), 1,
                ARGS("FAIL", "@main takes 2 arguments, --args has 1"));
  cli_check_run(ARGS("check", path, "--args",
                     "[dense<1> : tensor<2xi32>, dense<3.0> : tensor<2xf32>]"),
                1, ARGS("FAIL", "value 1 of --args is not of the type that @main takes"));
  cli_check_run(ARGS("check", path, "--args", "[4.0 : f32]"), 2,
                ARGS("value 0 is not dense<…> : tensor<…>"));
  cli_check_run(ARGS("check", PROGRAMS_FOLDER "/psum.2x2.small.mlir", "-t", "2x2"), 0,
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
  assert_null(tensor_npy_write(cli_in_folder("six.npy", path), &array));
  tensor_array_deinit(&array);
  snprintf(option, sizeof(option), "arg0=%s", path);
  cli_check_run(ARGS("run", OPEN, "-i", option, "-i", "1=ones"), 0,
                ARGS("f32[6,8]", "result0 = f32[6,4] 14, 14"));
  cli_check_run(ARGS("run", OPEN, "--shape", "0=4x8", "-i", "0=ones", "-i", "1=ones"), 0,
                ARGS("result0 = f32[4,4] 12, 12"));
  cli_check_run(ARGS("simulate", OPEN, "--shape", "arg0=128x8"), 0,
                ARGS("f32[128,4]", "predicted device time"));
  cli_check_run(ARGS("compile", OPEN, "--shape", "0=16x8"), 0, ARGS("tensor<8x8xf32>"));
  cli_check_run(ARGS("check", OPEN, "--args",
                     "[dense<1.0> : tensor<2x8xf32>, dense<2.0> : tensor<8x4xf32>]"),
                0, ARGS("PASS"));
}

static void test_sizes_that_follow_from_an_argument_s_value_are_known_by_constant(
    void **state) {
  (void)state;
  char path[PATH_SIZE];
  cli_write_file("rows_int32.mlir",
                 "func.func @main(%n: tensor<i32> {jax.global_constant = \"n\"}, %x: "
                 "tensor<f32>) -> tensor<?xf32> {\n"
                 "  %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>\n"
                 "  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [] : "
                 "(tensor<f32>, tensor<1xi32>) -> tensor<?xf32>\n"
                 "  return %0 : tensor<?xf32>\n}\n",
                 path);
  cli_check_run(ARGS("run", path, "--constant", "n=3", "-i", "x=const:7"), 0,
                ARGS("result0 = f32[3] 7, 7, 7\n"));
  cli_check_run(ARGS("check", path, "--constant", "0=2"), 0, ARGS("PASS"));
  cli_check_run(ARGS("run", path, "--constant", "n=3", "-i", "n=const:4"), 1,
                ARGS("rows_int32.mlir:1:17", "4", "3"));
  cli_check_run(ARGS("simulate", path, "--constant", "n"), 2,
                ARGS("--constant takes NAME=VALUE"));
  cli_check_run(ARGS("simulate", path, "--constant", "x=1"), 3,
                ARGS("argument 1 is tensor<f32>, which cannot be 1"));
}

static void test_sizes_that_a_program_cannot_take_are_refused(void **state) {
  (void)state;
  cli_check_run(ARGS("simulate", OPEN), 3,
                ARGS(OPEN ":6:26: argument 0 is tensor<?x8xf32>", "--shape 0=SIZES"));
  cli_check_run(
      ARGS("simulate", OPEN, "--shape", "0=4x9"), 3,
      ARGS(OPEN ":6:26: argument 0 is tensor<?x8xf32>; 4x9 was given; dimension 1 "
                "must be 8"));
  cli_check_run(ARGS("simulate", OPEN, "--shape", "0=7x8"), 3,
                ARGS("@shape_assertion does not hold: Input shapes do not match",
                     "Division had remainder 1 when computing the value of 'b' from 7."));
  cli_check_run(ARGS("simulate", OPEN, "--shape", "x=4x8"), 3, ARGS("no argument 'x'"));
  cli_check_run(ARGS("simulate", OPEN, "--shape", "0"), 2,
                ARGS("--shape takes NAME=SIZES"));
  cli_check_run(ARGS("simulate", OPEN, "--shape", "0=4y8"), 2, ARGS("--shape takes"));
  cli_check_run(ARGS("simulate", OPEN, "--shape", "0=4x8", "--shape", "0=2x8"), 2,
                ARGS("two --shape or --constant of one argument"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_help_of_every_command_exits_with_0_and_shows_an_example),
      cmocka_unit_test(test_a_wrong_command_line_exits_with_2),
      cmocka_unit_test(test_a_run_starts_a_pod_and_shows_results_collectives_and_profile),
      cmocka_unit_test(test_the_algorithm_of_collectives_can_be_chosen),
      cmocka_unit_test(test_a_topology_may_have_several_slices),
      cmocka_unit_test(test_compile_prints_what_one_chip_runs),
      cmocka_unit_test(test_a_malformed_module_is_shown_with_line_column_and_caret),
      cmocka_unit_test(test_a_sharding_over_an_unknown_axis_or_one_axis_twice_is_refused),
      cmocka_unit_test(test_a_chip_of_ones_own_is_read_from_a_file),
      cmocka_unit_test(test_the_kinds_of_chip_are_listed_with_figures_and_sources),
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
  return cmocka_run_group_tests(tests, cli_make_folder, cli_remove_folder);
}
