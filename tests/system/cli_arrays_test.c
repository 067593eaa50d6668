// Inputs, results and expectations of `podium run`: what is refused, and when; what is
// printed of them; and where they are written.

#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/tensor/array.h"
#include "tests/system/cli.h"

enum { PATH_SIZE = CLI_PATH_SIZE };

#define MATMUL PROGRAMS_FOLDER "/square_matmul.2x2.small.mlir"

// y = x + x, of four f32.
#define DOUBLE                                              \
  "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n" \
  "  %0 = stablehlo.add %x, %x : tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n"

static void write_floats(const char *name, const float values[4],
                         char option[2 * PATH_SIZE]) {
  char path[PATH_SIZE];
  const tensor_shape_t shape = tensor_shape_make(TENSOR_F32, 1, (int64_t[]){4});
  tensor_array_t array;
  assert_null(tensor_array_init(&array, &shape));
  memcpy(array.data, values, 4 * sizeof(float));
  assert_null(tensor_npy_write(cli_in_folder(name, path), &array));
  tensor_array_deinit(&array);
  snprintf(option, 2 * PATH_SIZE, "0=%s", path);
}

static void test_results_go_to_npy_files_and_come_back_as_inputs_and_expectations(
    void **state) {
  (void)state;
  char x[PATH_SIZE], y[PATH_SIZE], option[2][2 * PATH_SIZE];
  const tensor_shape_t shape = tensor_shape_make(TENSOR_BF16, 2, (int64_t[]){8, 64});
  tensor_array_t array;
  assert_null(tensor_array_init(&array, &shape));
  assert_null(tensor_fill("random:5", &array));
  assert_null(tensor_npy_write(cli_in_folder("x.npy", x), &array));
  tensor_array_deinit(&array);
  snprintf(option[0], sizeof(option[0]), "0=%s", x);
  snprintf(option[1], sizeof(option[1]), "0=%s", cli_in_folder("y.npy", y));
  cli_check_run(ARGS("run", MATMUL, "-i", option[0], "-o", option[1]), 0, NULL);
  cli_check_run(
      ARGS("run", MATMUL, "-i", "0=random:5", "--expect", option[1], "--tolerance", "0"),
      0, ARGS("ok"));
  cli_check_run(ARGS("run", MATMUL, "-i", "0=random:6", "--expect", option[1]), 1,
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
    assert_null(tensor_npy_write(cli_in_folder("wrong.npy", path), &array));
    tensor_array_deinit(&array);
    snprintf(option, sizeof(option), "0=%s", path);
    cli_check_run(ARGS("run", MATMUL, "-i", option), 3,
                  ARGS("INVALID_ARGUMENT", path, "bf16[8,64]",
                       i == 1 ? "--cast converts it" : "expected was"));
  }
  cli_check_run(ARGS("run", MATMUL, "-i", "0=/nowhere.npy"), 3, ARGS("/nowhere.npy"));
  cli_check_run(ARGS("run", MATMUL, "-i", "nosuch=ones"), 3,
                ARGS("no argument 'nosuch'", "arg0"));
}

static void test_a_nan_in_the_result_or_in_the_file_is_wrong_unless_both_have_it(
    void **state) {
  (void)state;
  char path[PATH_SIZE], in[2][2 * PATH_SIZE], out[2][2 * PATH_SIZE];
  cli_write_file("double.mlir", DOUBLE, path);
  write_floats("plain.npy", (float[]){1, 2, 3, 4}, in[0]);
  write_floats("nan.npy", (float[]){1, NAN, 3, 4}, in[1]);
  write_floats("plain2.npy", (float[]){2, 4, 6, 8}, out[0]);
  write_floats("nan2.npy", (float[]){2, NAN, 6, 8}, out[1]);
  cli_check_run(ARGS("run", path, "-i", in[1], "--expect", out[0], "--tolerance", "9"), 1,
                ARGS("NaN in the result only 1: WRONG", "first at element [1]"));
  cli_check_run(ARGS("run", path, "-i", in[0], "--expect", out[1], "--tolerance", "9"), 1,
                ARGS("NaN in the file only 1: WRONG", "first at element [1]"));
  cli_check_run(ARGS("run", path, "-i", in[1], "--expect", out[1], "--tolerance", "0"), 0,
                ARGS("over 4 elements, NaN in both 1: ok"));
}

static void test_every_result_is_compared_and_written_before_a_wrong_one_is_told(
    void **state) {
  (void)state;
  char path[PATH_SIZE], other[PATH_SIZE], output[2 * PATH_SIZE], in[2 * PATH_SIZE],
      wrong[2 * PATH_SIZE];
  cli_write_file(
      "two.mlir",
      "func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {\n"
      "  return %x, %x : tensor<4xf32>, tensor<4xf32>\n}\n",
      path);
  write_floats("x.npy", (float[]){1, 2, 3, 4}, in);
  write_floats("wrong.npy", (float[]){9, 9, 9, 9}, wrong);
  snprintf(output, sizeof(output), "1=%s", cli_in_folder("second.npy", other));
  cli_check_run(ARGS("run", path, "-i", in, "--expect", wrong, "-o", output), 1,
                ARGS("check result0", "WRONG", "result1 = f32[4] 1, 2, 3, 4"));
  assert_int_equal(access(other, R_OK), 0);
}

static void test_a_complex_result_is_printed_with_both_parts(void **state) {
  (void)state;
  char path[PATH_SIZE];
  cli_write_file("complex.mlir",
                 "func.func @main(%x: tensor<2xf32>) -> tensor<2xcomplex<f32>> {\n"
                 "  %0 = stablehlo.negate %x : tensor<2xf32>\n"
                 "  %1 = stablehlo.complex %x, %0 : tensor<2xcomplex<f32>>\n"
                 "  return %1 : tensor<2xcomplex<f32>>\n}\n",
                 path);
  cli_check_run(ARGS("run", path, "-i", "0=const:1.5"), 0,
                ARGS("result0 = c64[2] 1.5-1.5i, 1.5-1.5i"));
}

static void test_an_input_that_is_given_twice_is_told_as_that(void **state) {
  (void)state;
  cli_check_run(ARGS("run", MATMUL, "-i", "0=ones", "-i", "0=zeros"), 2,
                ARGS("--input is given twice for '0': 'ones' and 'zeros'"));
  cli_check_run(ARGS("run", MATMUL, "-i", "0=ones", "-i", "arg0=zeros"), 3,
                ARGS("--input is given twice for argument arg0: as '0' and as 'arg0'"));
}

// A pod that was started says so: "pod of 4 …".
static void test_files_that_cannot_be_read_or_written_are_told_before_a_pod_starts(
    void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"-i 0=/no/such.npy", "--input 0: cannot open /no/such.npy"},
      {"--expect 0=/no/such.npy", "--expect 0: cannot open /no/such.npy"},
      {"--expect 0=$dir", "is not a regular file"},
      {"-i 0=$dir/empty", "is no .npy file"},
      {"-o 0=/no/such/folder.npy", "--output 0: cannot write /no/such/folder.npy"},
      {"-o 0=$dir", "Is a directory"},
      {"-o 0=$dir/y.npy -o result0=$dir/y.npy", "--output: two results go to"},
      {"--profile /no/such/trace.json", "--profile: cannot write /no/such/trace.json"},
      {"--xplane /dev/null/x", "--xplane: cannot write /dev/null/x: Not a directory"},
  };
  char path[PATH_SIZE];
  cli_write_file("empty", "", path);
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    char line[1024];
    snprintf(line, sizeof(line),
             "$podium run " MATMUL
             " %s >$dir/log 2>&1; status=$?; cat $dir/log; grep -q 'pod of' $dir/log && "
             "exit 9; exit $status",
             cases[i][0]);
    cli_check_shell(line, 3, ARGS(cases[i][1]));
  }
}

// Without the names of results, which the last step would print.
static void test_names_and_shapes_that_do_not_fit_are_told_before_anything_is_executed(
    void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"-o 5=$dir/y.npy", "the program has no result '5', only: result0"},
      {"--expect y=$dir/four.npy", "the program has no result 'y', only: result0"},
      {"--expect 0=$dir/four.npy", "expected result result0"},
      {"-i 0=random:x", "the seed is a whole number"},
      {"-i 1=const:x", "that is no number"},
  };
  char option[2 * PATH_SIZE];
  write_floats("four.npy", (float[]){1, 2, 3, 4}, option);
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    char line[1024];
    snprintf(
        line, sizeof(line),
        "$podium run " MATMUL
        " %s >$dir/log 2>&1; status=$?; cat $dir/log; grep -q '^program' $dir/log && "
        "exit 9; exit $status",
        cases[i][0]);
    cli_check_shell(line, 3, ARGS(cases[i][1]));
  }
}

static void test_output_goes_through_links_fifos_and_devices(void **state) {
  (void)state;
  char path[PATH_SIZE];
  cli_write_file("double.mlir", DOUBLE, path);
  // By way of links, so that a mistake costs a link and not the machine's devices.
  cli_check_shell(
      "ln -s /dev/null $dir/null && $podium run -q $dir/double.mlir -o 0=$dir/null && "
      "test -L $dir/null && test -c $dir/null",
      0, NULL);
  cli_check_shell(
      "cd $dir && mkdir real && ln -s real/y.npy link && "
      "$podium run -q double.mlir -o 0=link && test -L link && test -s real/y.npy && "
      "$podium run -q double.mlir -o 0=link && test -L link && ls -A real",
      0, ARGS("y.npy\n"));
  cli_check_shell(
      "cd $dir && mkfifo fifo && { cat fifo > copy & } && "
      "$podium run -q double.mlir -o 0=fifo && wait && test -p fifo && "
      "$podium run -q double.mlir -o 0=y.npy && cmp copy y.npy",
      0, NULL);
  cli_check_shell(
      "cd $dir && $podium run -q double.mlir -o 0=/dev/stdout > out && cmp out y.npy", 0,
      NULL);
  cli_check_shell(
      "ln -s /dev/full $dir/full && $podium run -q $dir/double.mlir -o 0=$dir/full", 3,
      ARGS("/full: No space left on device"));
  cli_check_shell("$podium simulate -q $dir/double.mlir --profile $dir/full", 3,
                  ARGS("/full: No space left on device"));
}

static void test_options_that_contradict_each_other_are_refused(void **state) {
  (void)state;
  cli_check_run(ARGS("run", MATMUL, "--time-only", "-o", "0=y.npy"), 2,
                ARGS("--time-only computes no values"));
  cli_check_run(ARGS("run", MATMUL, "--time-only", "--expect", "0=y.npy"), 2,
                ARGS("--time-only computes no values"));
  cli_check_run(ARGS("run", MATMUL, "--time-only", "--repeat", "3"), 2,
                ARGS("--time-only executes nothing"));
  cli_check_run(ARGS("run", MATMUL, "--pod", "local", "--chip", "v4"), 2,
                ARGS("leave out --chip and --topology", "podium simulate --pod local"));
  cli_check_run(ARGS("check", MATMUL, "--pod", "local", "--topology", "2x2"), 2,
                ARGS("leave out --chip and --topology"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(
          test_results_go_to_npy_files_and_come_back_as_inputs_and_expectations),
      cmocka_unit_test(test_an_input_of_the_wrong_shape_or_dtype_is_refused_with_both),
      cmocka_unit_test(
          test_a_nan_in_the_result_or_in_the_file_is_wrong_unless_both_have_it),
      cmocka_unit_test(
          test_every_result_is_compared_and_written_before_a_wrong_one_is_told),
      cmocka_unit_test(test_a_complex_result_is_printed_with_both_parts),
      cmocka_unit_test(test_an_input_that_is_given_twice_is_told_as_that),
      cmocka_unit_test(
          test_files_that_cannot_be_read_or_written_are_told_before_a_pod_starts),
      cmocka_unit_test(
          test_names_and_shapes_that_do_not_fit_are_told_before_anything_is_executed),
      cmocka_unit_test(test_output_goes_through_links_fifos_and_devices),
      cmocka_unit_test(test_options_that_contradict_each_other_are_refused),
  };
  return cmocka_run_group_tests(tests, cli_make_folder, cli_remove_folder);
}
