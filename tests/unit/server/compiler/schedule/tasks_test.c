// What tasks a program becomes: kinds, names, and work counted by hand.

#include "server/compiler/schedule/tasks.h"

#include <stdio.h>

#include "server/compiler/compiler.h"
#include "tests/unit/server/compiler/sound_tasks.h"
#include "tests/unit/server/compiler/text.h"

static compiler_result_t *compile_for(const char *text, const char *kind,
                                      const char *topology) {
  // What overlaps with what is asked of collectives as they are written.
  compiler_options_t options = {
      .file_name = "test.mlir", .spec = chip_spec_find(kind), .collectives = "off"};
  const chip_spec_t *spec;
  assert_ok(torus_parse(topology, options.spec, &options.torus, &spec));
  compiler_result_t *result = NULL;
  assert_ok(compiler_compile(text, (int64_t)strlen(text), &options, &result));
  return result;
}

// The tasks of a computation as "compute multiply.0; …", to compare at a glance.
static const char *listing(const chip_program_t *program, int32_t computation) {
  static char text[4096];
  text[0] = '\0';
  const chip_computation_t *it = &program->computations[computation];
  for (int32_t i = 0; i < it->task_count; i++) {
    const chip_task_t *task = &program->tasks[it->first_task + i];
    const size_t used = strlen(text);
    snprintf(text + used, sizeof(text) - used, "%s%s", used == 0 ? "" : "; ", task->name);
  }
  return text;
}

static const chip_task_t *task_named(const chip_program_t *program, const char *name) {
  for (int32_t i = 0; i < program->task_count; i++) {
    if (strcmp(program->tasks[i].name, name) == 0) {
      return &program->tasks[i];
    }
  }
  fail_msg("no task is called %s", name);
  return NULL;
}

static void test_a_lone_product_is_one_task_with_its_work(void **state) {
  (void)state;
  compiler_result_t *result = compile_for(
      "func.func @main(%a: tensor<8192x8192xbf16>, %b: tensor<8192x1024xbf16>) -> "
      "tensor<8192x1024xbf16> {\n"
      "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
      "(tensor<8192x8192xbf16>, tensor<8192x1024xbf16>) -> tensor<8192x1024xbf16>\n"
      "  return %0 : tensor<8192x1024xbf16>\n}\n",
      "v5e", "1x1");
  const chip_program_t *program = result->program;
  assert_string_equal(listing(program, 0), "dot_general.0");
  const chip_task_t *task = &program->tasks[0];
  assert_int_equal(task->kind, CHIP_TASK_COMPUTE);
  assert_int_equal(task->partner, CHIP_NONE);
  assert_int_equal(task->member_count, 1);
  assert_int_equal(task->work.mxu_flop, 2LL * 8192 * 8192 * 1024);
  assert_int_equal(task->work.mxu_busy_flop, 2LL * 8192 * 8192 * 1024);
  assert_int_equal(task->work.hbm_read_bytes, 2LL * 8192 * (8192 + 1024));
  assert_int_equal(task->work.hbm_written_bytes, 2LL * 8192 * 1024);
  compiler_result_destroy(result);
}

static void test_a_sine_reads_and_writes_its_array_once(void **state) {
  (void)state;
  compiler_result_t *result = compile_for(
      "func.func @main(%a: tensor<8192x8192xf32>) -> tensor<8192x8192xf32> {\n"
      "  %0 = stablehlo.sine %a : tensor<8192x8192xf32>\n"
      "  return %0 : tensor<8192x8192xf32>\n}\n",
      "v5e", "1x1");
  const chip_program_t *program = result->program;
  assert_string_equal(listing(program, 0), "sine.0");
  assert_int_equal(program->tasks[0].work.hbm_read_bytes, 256LL << 20);
  assert_int_equal(program->tasks[0].work.hbm_written_bytes, 256LL << 20);
  assert_int_equal(program->tasks[0].work.mxu_flop, 0);
  compiler_result_destroy(result);
}

static void test_a_loop_is_a_task_and_its_counter_is_none(void **state) {
  (void)state;
  compiler_result_t *result = compile_for(
      "func.func @main(%a: tensor<128x128xf32>) -> tensor<128x128xf32> {\n"
      "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
      "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
      "  %ten = stablehlo.constant dense<10> : tensor<i32>\n"
      "  %0:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<128x128xf32>\n"
      "  cond {\n"
      "    %c = stablehlo.compare LT, %i, %ten : (tensor<i32>, tensor<i32>) -> "
      "tensor<i1>\n"
      "    stablehlo.return %c : tensor<i1>\n"
      "  } do {\n"
      "    %n = stablehlo.add %i, %one : tensor<i32>\n"
      "    %y = stablehlo.tanh %x : tensor<128x128xf32>\n"
      "    stablehlo.return %n, %y : tensor<i32>, tensor<128x128xf32>\n"
      "  }\n"
      "  return %0#1 : tensor<128x128xf32>\n}\n",
      "v5e", "1x1");
  const chip_program_t *program = result->program;
  const chip_task_t *loop =
      &program->tasks[program->computations[program->entry].first_task +
                      program->computations[program->entry].task_count - 1];
  assert_int_equal(loop->kind, CHIP_TASK_WHILE);
  const int32_t *calls = program->instructions[loop->instruction].calls;
  assert_int_equal(program->computations[calls[0]].task_count, 0);
  assert_string_equal(listing(program, calls[1]), "tanh.0");
  compiler_result_destroy(result);
}

static void test_what_a_loop_carries_stays_in_vmem_when_it_fits(void **state) {
  (void)state;
  static const int rows[] = {8192, 65536};  // 32 MiB fit, 256 MiB do not.
  for (int i = 0; i < 2; i++) {
    char text[1024];
    snprintf(text, sizeof(text),
             "func.func @main(%%a: tensor<%dx1024xf32>, %%n: tensor<i32>) -> "
             "tensor<%dx1024xf32> {\n"
             "  %%zero = stablehlo.constant dense<0> : tensor<i32>\n"
             "  %%one = stablehlo.constant dense<1> : tensor<i32>\n"
             "  %%0:2 = stablehlo.while(%%i = %%zero, %%x = %%a) : tensor<i32>, "
             "tensor<%dx1024xf32>\n"
             "  cond {\n"
             "    %%c = stablehlo.compare LT, %%i, %%n : (tensor<i32>, tensor<i32>) -> "
             "tensor<i1>\n"
             "    stablehlo.return %%c : tensor<i1>\n"
             "  } do {\n"
             "    %%k = stablehlo.add %%i, %%one : tensor<i32>\n"
             "    %%y = stablehlo.tanh %%x : tensor<%dx1024xf32>\n"
             "    stablehlo.return %%k, %%y : tensor<i32>, tensor<%dx1024xf32>\n"
             "  }\n"
             "  return %%0#1 : tensor<%dx1024xf32>\n}\n",
             rows[i], rows[i], rows[i], rows[i], rows[i], rows[i]);
    compiler_result_t *result = compile_for(text, "v5e", "1x1");
    const chip_work_t work = task_named(result->program, "tanh.0")->work;
    const int64_t bytes = 4LL * 1024 * rows[i];
    assert_int_equal(work.hbm_read_bytes, i == 0 ? 0 : bytes);
    assert_int_equal(work.hbm_written_bytes, i == 0 ? 0 : bytes);
    assert_int_equal(work.vmem_bytes, i == 0 ? 2 * bytes : 0);
    compiler_result_destroy(result);
  }
}

// Two states of 48 MiB and 112 MiB of VMEM: x becomes tanh x, z becomes tanh z, and a sum
// of products reads x before it is made anew, or beside the new one after.
static compiler_result_t *compile_states(bool is_read_after) {
  static const char new_x[] = "    %y = stablehlo.tanh %x : tensor<12288x1024xf32>\n";
  static const char product[] =
      "    %p = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0] : "
      "(tensor<12288x1024xf32>, tensor<12288x1024xf32>) -> tensor<1024x1024xf32>\n";
  static const char of_both[] =
      "    %p = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : "
      "(tensor<12288x1024xf32>, tensor<12288x1024xf32>) -> tensor<1024x1024xf32>\n";
  char text[2048];
  snprintf(text, sizeof(text),
           "func.func @main(%%a: tensor<12288x1024xf32>, %%b: tensor<12288x1024xf32>, "
           "%%s: tensor<1024x1024xf32>, %%n: tensor<i32>) -> (tensor<12288x1024xf32>, "
           "tensor<12288x1024xf32>, tensor<1024x1024xf32>) {\n"
           "  %%zero = stablehlo.constant dense<0> : tensor<i32>\n"
           "  %%one = stablehlo.constant dense<1> : tensor<i32>\n"
           "  %%0:4 = stablehlo.while(%%i = %%zero, %%x = %%a, %%z = %%b, %%t = %%s) : "
           "tensor<i32>, tensor<12288x1024xf32>, tensor<12288x1024xf32>, "
           "tensor<1024x1024xf32>\n"
           "  cond {\n"
           "    %%c = stablehlo.compare LT, %%i, %%n : (tensor<i32>, tensor<i32>) -> "
           "tensor<i1>\n"
           "    stablehlo.return %%c : tensor<i1>\n"
           "  } do {\n"
           "    %%k = stablehlo.add %%i, %%one : tensor<i32>\n"
           "%s%s"
           "    %%w = stablehlo.tanh %%z : tensor<12288x1024xf32>\n"
           "    stablehlo.return %%k, %%y, %%w, %%p : tensor<i32>, "
           "tensor<12288x1024xf32>, tensor<12288x1024xf32>, tensor<1024x1024xf32>\n"
           "  }\n"
           "  return %%0#1, %%0#2, %%0#3 : tensor<12288x1024xf32>, "
           "tensor<12288x1024xf32>, tensor<1024x1024xf32>\n}\n",
           is_read_after ? new_x : product, is_read_after ? of_both : new_x);
  return compile_for(text, "v5e", "1x1");
}

static void test_a_state_that_is_not_made_in_place_takes_its_room_twice(void **state) {
  (void)state;
  for (int is_read_after = 0; is_read_after < 2; is_read_after++) {
    compiler_result_t *result = compile_states(is_read_after == 1);
    const chip_work_t of_x = task_named(result->program, "tanh.0")->work;
    const chip_work_t of_z = task_named(result->program, "tanh.1")->work;
    const int64_t bytes = 48 << 20;
    assert_int_equal(of_x.vmem_bytes, 2 * bytes);
    assert_int_equal(of_x.hbm_read_bytes + of_x.hbm_written_bytes, 0);
    assert_int_equal(of_z.vmem_bytes, is_read_after ? 0 : 2 * bytes);
    assert_int_equal(of_z.hbm_read_bytes, is_read_after ? bytes : 0);
    assert_int_equal(of_z.hbm_written_bytes, is_read_after ? bytes : 0);
    compiler_result_destroy(result);
  }
}

// A row of 4 KiB for each of eight places of an array of 8 MiB: with eight indices and
// what lay there when it is in place, the rest of the array besides when it is not.
static void test_a_scatter_in_place_writes_its_updates(void **state) {
  (void)state;
  for (int is_donated = 0; is_donated < 2; is_donated++) {
    char text[1024];
    snprintf(text, sizeof(text),
             "func.func @main(%%a: tensor<2048x1024xf32>%s, %%i: tensor<8x1xi32>, "
             "%%u: tensor<8x1024xf32>) -> tensor<2048x1024xf32> {\n"
             "  %%0 = \"stablehlo.scatter\"(%%a, %%i, %%u) <{scatter_dimension_numbers = "
             "#stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], "
             "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({\n"
             "  ^bb0(%%old: tensor<f32>, %%new: tensor<f32>):\n"
             "    stablehlo.return %%new : tensor<f32>\n"
             "  }) : (tensor<2048x1024xf32>, tensor<8x1xi32>, tensor<8x1024xf32>) -> "
             "tensor<2048x1024xf32>\n"
             "  return %%0 : tensor<2048x1024xf32>\n}\n",
             is_donated ? " {tf.aliasing_output = 0 : i32}" : "");
    compiler_result_t *result = compile_for(text, "v5e", "1x1");
    const chip_work_t work = task_named(result->program, "scatter.0")->work;
    const int64_t update = 8 * 4096, rest = is_donated ? 0 : (8 << 20) - update;
    assert_int_equal(work.hbm_written_bytes, update + rest);
    assert_in_range(work.hbm_read_bytes, 2 * update + rest, 2 * update + rest + 4096);
    compiler_result_destroy(result);
  }
}

static void test_a_product_takes_its_activation_along(void **state) {
  (void)state;
  // gelu, of the tanh form: its input is read three times.
  compiler_result_t *result = compile_for(
      "func.func @main(%a: tensor<4096x1024xbf16>, %w: tensor<1024x8192xbf16>) -> "
      "tensor<4096x8192xbf16> {\n"
      "  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : "
      "(tensor<4096x1024xbf16>, tensor<1024x8192xbf16>) -> tensor<4096x8192xbf16>\n"
      "  %c = stablehlo.constant dense<4.467770e-02> : tensor<4096x8192xbf16>\n"
      "  %1 = stablehlo.multiply %0, %0 : tensor<4096x8192xbf16>\n"
      "  %2 = stablehlo.multiply %1, %0 : tensor<4096x8192xbf16>\n"
      "  %3 = stablehlo.multiply %2, %c : tensor<4096x8192xbf16>\n"
      "  %4 = stablehlo.add %0, %3 : tensor<4096x8192xbf16>\n"
      "  %5 = stablehlo.tanh %4 : tensor<4096x8192xbf16>\n"
      "  %6 = stablehlo.multiply %0, %5 : tensor<4096x8192xbf16>\n"
      "  return %6 : tensor<4096x8192xbf16>\n}\n",
      "v5e", "1x1");
  const chip_program_t *program = result->program;
  assert_string_equal(listing(program, 0), "fusion.0");
  const chip_task_t *task = &program->tasks[0];
  assert_int_equal(task->member_count, 7);
  assert_string_equal(program->instructions[task->instruction].name, "multiply.3");
  assert_int_equal(task->work.mxu_flop, 2LL * 4096 * 1024 * 8192);
  assert_int_equal(task->work.hbm_read_bytes, 2LL * 1024 * (4096 + 8192));
  assert_int_equal(task->work.hbm_written_bytes, 2LL * 4096 * 8192);
  assert_true(task->work.vpu_op > 12LL * 4096 * 8192);
  compiler_result_destroy(result);
}

static void test_what_two_kernels_need_is_written_or_computed_twice(void **state) {
  (void)state;
  // The exponential is dear: once, and handed to both. The sum is cheap, and its readers
  // differ in shape.
  compiler_result_t *result = compile_for(
      "func.func @main(%a: tensor<1024x1024xf32>, %b: tensor<512x1024xf32>) -> "
      "(tensor<1024x1024xf32>, tensor<512x1024xf32>) {\n"
      "  %0 = stablehlo.exponential %a : tensor<1024x1024xf32>\n"
      "  %1 = stablehlo.slice %0 [0:512, 0:1024] : (tensor<1024x1024xf32>) -> "
      "tensor<512x1024xf32>\n"
      "  %2 = stablehlo.add %1, %b : tensor<512x1024xf32>\n"
      "  %3 = stablehlo.negate %0 : tensor<1024x1024xf32>\n"
      "  return %3, %2 : tensor<1024x1024xf32>, tensor<512x1024xf32>\n}\n",
      "v5e", "1x1");
  const chip_program_t *program = result->program;
  int64_t exponentials = 0;
  for (int32_t i = 0; i < program->task_count; i++) {
    exponentials += program->tasks[i].work.vpu_op >= 10 * 1024 * 1024;
  }
  assert_int_equal(exponentials, 1);
  compiler_result_destroy(result);
}

// A chain of two kernels on `rows` rows of 8 KiB, the second read by a third.
static compiler_result_t *compile_chain(int rows) {
  char text[1024];
  snprintf(text, sizeof(text),
           "func.func @main(%%a: tensor<%dx2048xf32>) -> tensor<2048x%dxf32> {\n"
           "  %%0 = stablehlo.exponential %%a : tensor<%dx2048xf32>\n"
           "  %%1 = stablehlo.transpose %%0, dims = [1, 0] : (tensor<%dx2048xf32>) -> "
           "tensor<2048x%dxf32>\n"
           "  return %%1 : tensor<2048x%dxf32>\n}\n",
           rows, rows, rows, rows, rows, rows);
  return compile_for(text, "v5e", "1x1");
}

static void test_what_fits_stays_in_vmem_between_two_kernels(void **state) {
  (void)state;
  compiler_result_t *result = compile_chain(8192);  // 64 MiB of 112.
  const chip_task_t *first = task_named(result->program, "exponential.0");
  const chip_task_t *second = task_named(result->program, "transpose.0");
  assert_int_equal(first->work.hbm_read_bytes, 64 << 20);
  assert_int_equal(first->work.hbm_written_bytes, 0);
  assert_int_equal(first->work.vmem_bytes, 64 << 20);
  assert_int_equal(second->work.hbm_read_bytes, 0);
  assert_int_equal(second->work.hbm_written_bytes, 64 << 20);  // The program's result.
  compiler_result_destroy(result);
}

static void test_what_does_not_fit_goes_through_hbm(void **state) {
  (void)state;
  compiler_result_t *result = compile_chain(16384);
  const chip_task_t *first = task_named(result->program, "exponential.0");
  const chip_task_t *second = task_named(result->program, "transpose.0");
  assert_int_equal(first->work.hbm_written_bytes, 128 << 20);
  assert_int_equal(first->work.vmem_bytes, 0);
  assert_int_equal(second->work.hbm_read_bytes, 128 << 20);
  compiler_result_destroy(result);
}

// 128 MiB less the 16 that kernels keep for their blocks.
static void test_what_fits_is_measured_to_the_tile(void **state) {
  (void)state;
  for (int over = 0; over < 2; over++) {
    compiler_result_t *result = compile_chain(14336 + 8 * over);
    const chip_task_t *first = task_named(result->program, "exponential.0");
    const int64_t bytes = (112LL << 20) + (over << 16);
    assert_int_equal(first->work.vmem_bytes, over ? 0 : bytes);
    assert_int_equal(first->work.hbm_written_bytes, over ? bytes : 0);
    compiler_result_destroy(result);
  }
}

static void test_what_a_program_returns_is_written_though_others_read_it(void **state) {
  (void)state;
  compiler_result_t *result = compile_for(
      "func.func @main(%a: tensor<1024x2048xf32>) -> (tensor<2048x1024xf32>, "
      "tensor<1024x2048xf32>) {\n"
      "  %0 = stablehlo.exponential %a : tensor<1024x2048xf32>\n"
      "  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<1024x2048xf32>) -> "
      "tensor<2048x1024xf32>\n"
      "  return %1, %0 : tensor<2048x1024xf32>, tensor<1024x2048xf32>\n}\n",
      "v5e", "1x1");
  int64_t written = 0;
  for (int32_t i = 0; i < result->program->task_count; i++) {
    written += result->program->tasks[i].work.hbm_written_bytes;
  }
  assert_int_equal(written, 16 << 20);
  compiler_result_destroy(result);
}

// 80 MiB that are made before a loop and read after it, beside a state of `rows` rows of
// 4 KiB that the loop keeps.
static compiler_result_t *compile_across_a_loop(int rows) {
  char text[2048];
  snprintf(text, sizeof(text),
           "func.func @main(%%a: tensor<10240x2048xf32>, %%b: tensor<%dx1024xf32>, %%n: "
           "tensor<i32>) -> (tensor<2048x10240xf32>, tensor<%dx1024xf32>) {\n"
           "  %%zero = stablehlo.constant dense<0> : tensor<i32>\n"
           "  %%one = stablehlo.constant dense<1> : tensor<i32>\n"
           "  %%e = stablehlo.exponential %%a : tensor<10240x2048xf32>\n"
           "  %%0:2 = stablehlo.while(%%i = %%zero, %%x = %%b) : tensor<i32>, "
           "tensor<%dx1024xf32>\n"
           "  cond {\n"
           "    %%c = stablehlo.compare LT, %%i, %%n : (tensor<i32>, tensor<i32>) -> "
           "tensor<i1>\n"
           "    stablehlo.return %%c : tensor<i1>\n"
           "  } do {\n"
           "    %%k = stablehlo.add %%i, %%one : tensor<i32>\n"
           "    %%y = stablehlo.tanh %%x : tensor<%dx1024xf32>\n"
           "    stablehlo.return %%k, %%y : tensor<i32>, tensor<%dx1024xf32>\n"
           "  }\n"
           "  %%1 = stablehlo.transpose %%e, dims = [1, 0] : (tensor<10240x2048xf32>) -> "
           "tensor<2048x10240xf32>\n"
           "  return %%1, %%0#1 : tensor<2048x10240xf32>, tensor<%dx1024xf32>\n}\n",
           rows, rows, rows, rows, rows, rows);
  return compile_for(text, "v5e", "1x1");
}

static void test_what_a_loop_keeps_is_taken_from_what_is_around_it(void **state) {
  (void)state;
  for (int is_large = 0; is_large < 2; is_large++) {
    compiler_result_t *result = compile_across_a_loop(is_large ? 12288 : 1024);
    const chip_work_t made = task_named(result->program, "exponential.0")->work;
    const chip_work_t kept = task_named(result->program, "tanh.0")->work;
    assert_int_equal(kept.hbm_read_bytes, 0);
    assert_int_equal(made.hbm_written_bytes, is_large ? 80 << 20 : 0);
    compiler_result_destroy(result);
  }
}

static void test_idle_time_of_hbm_is_given_once(void **state) {
  (void)state;
  // The product leaves HBM idle for some 60 us; an operand of 32 MiB takes 44.
  compiler_result_t *result = compile_for(
      "func.func @main(%a: tensor<2048x2048xbf16>, %b: tensor<2048x2048xbf16>, %c: "
      "tensor<4096x2048xf32>, %d: tensor<2048x4096xf32>) -> (tensor<2048x2048xbf16>, "
      "tensor<4096x2048xf32>, tensor<2048x4096xf32>) {\n"
      "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
      "(tensor<2048x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>\n"
      "  %1 = stablehlo.negate %c : tensor<4096x2048xf32>\n"
      "  %2 = stablehlo.abs %d : tensor<2048x4096xf32>\n"
      "  return %0, %1, %2 : tensor<2048x2048xbf16>, tensor<4096x2048xf32>, "
      "tensor<2048x4096xf32>\n}\n",
      "v5e", "1x1");
  assert_string_equal(
      listing(result->program, 0),
      "prefetch_start.0; dot_general.0; prefetch_done.0; negate.0; abs.0");
  compiler_result_destroy(result);
}

static void test_an_operand_comes_while_a_product_leaves_hbm_idle(void **state) {
  (void)state;
  compiler_result_t *result = compile_for(
      "func.func @main(%a: tensor<4096x4096xbf16>, %b: tensor<4096x4096xbf16>, %c: "
      "tensor<2048x2048xf32>) -> (tensor<4096x4096xbf16>, tensor<2048x2048xf32>) {\n"
      "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
      "(tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>\n"
      "  %1 = stablehlo.negate %c : tensor<2048x2048xf32>\n"
      "  return %0, %1 : tensor<4096x4096xbf16>, tensor<2048x2048xf32>\n}\n",
      "v5e", "1x1");
  const chip_program_t *program = result->program;
  assert_string_equal(listing(program, 0),
                      "prefetch_start.0; dot_general.0; prefetch_done.0; negate.0");
  const chip_task_t *start = &program->tasks[0], *done = &program->tasks[2];
  assert_int_equal(start->kind, CHIP_TASK_PREFETCH_START);
  assert_int_equal(start->partner, 2);
  assert_int_equal(done->partner, 0);
  assert_int_equal(start->work.hbm_read_bytes, 16 << 20);
  assert_string_equal(program->instructions[start->instruction].name, "negate.0");
  assert_int_equal(program->tasks[3].work.hbm_read_bytes, 0);
  assert_int_equal(program->tasks[3].work.vmem_bytes, 16 << 20);
  compiler_result_destroy(result);
}

static void test_collectives_that_overlap_are_pairs_of_tasks(void **state) {
  (void)state;
  compiler_result_t *result = compile_for(
      "module {\n  sdy.mesh @mesh = <[\"x\"=4]>\n"
      "func.func @main(%a: tensor<4096x4096xbf16> {sdy.sharding = #sdy.sharding<@mesh, "
      "[{\"x\"}, {}]>}, %w: tensor<4096x4096xbf16> {sdy.sharding = #sdy.sharding<@mesh, "
      "[{\"x\"}, {}]>}, %v: tensor<4096x4096xbf16> {sdy.sharding = #sdy.sharding<@mesh, "
      "[{\"x\"}, {}]>}) -> (tensor<4096x4096xbf16> {sdy.sharding = #sdy.sharding<@mesh, "
      "[{\"x\"}, {}]>}) {\n"
      "  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : "
      "(tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>\n"
      "  %1 = stablehlo.dot_general %0, %v, contracting_dims = [1] x [0] : "
      "(tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>\n"
      "  return %1 : tensor<4096x4096xbf16>\n}\n}\n",
      "v5e", "2x2");
  const chip_program_t *program = result->program;
  // The products wait for their first tiles only, which is no longer than a DMA takes to
  // begin: nothing is prefetched.
  assert_string_equal(listing(program, 0),
                      "all_gather.0; all_gather_start.1; dot_general.0; "
                      "all_gather_done.1; dot_general.1");
  const chip_task_t *start = &program->tasks[1], *done = &program->tasks[3];
  assert_int_equal(start->kind, CHIP_TASK_COLLECTIVE_START);
  assert_int_equal(done->kind, CHIP_TASK_COLLECTIVE_DONE);
  assert_int_equal(start->partner, 3);
  assert_int_equal(done->partner, 1);
  assert_int_equal(done->instruction, start->instruction);
  assert_int_equal(done->member_count, 0);
  assert_int_equal(result->collective_count, 2);
  assert_false(result->collectives[0].is_async);
  assert_true(result->collectives[1].is_async);
  assert_non_null(strstr(result->partitioned_text, "podium.async_done"));
  compiler_result_destroy(result);
}

#define ROWS "{sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}"

enum { AHEAD = 4 };

// AHEAD products, then one with each of `count` weights of `rows` x `columns`, a quarter
// of which is on every chip.
static compiler_result_t *compile_gathers(int count, int rows, int columns) {
  static char text[8192];
  size_t used = 0;
  used += (size_t)snprintf(text, sizeof(text),
                           "module {\n  sdy.mesh @mesh = <[\"x\"=4]>\nfunc.func "
                           "@main(%%a: tensor<16384x%dxbf16> " ROWS
                           ", %%b: tensor<%dx%dxbf16>",
                           rows, rows, rows);
  for (int i = 0; i < count; i++) {
    used += (size_t)snprintf(text + used, sizeof(text) - used,
                             ", %%w%d: tensor<%dx%dxbf16> " ROWS, i, rows, columns);
  }
  used += (size_t)snprintf(text + used, sizeof(text) - used, ") -> (");
  for (int i = 0; i < count; i++) {
    used +=
        (size_t)snprintf(text + used, sizeof(text) - used,
                         "%stensor<16384x%dxbf16> " ROWS, i == 0 ? "" : ", ", columns);
  }
  used += (size_t)snprintf(text + used, sizeof(text) - used, ") {\n");
  for (int i = 0; i < AHEAD; i++) {
    used += (size_t)snprintf(
        text + used, sizeof(text) - used,
        "  %%p%d = stablehlo.dot_general %%%s%.0d, %%b, contracting_dims = [1] x [0] : "
        "(tensor<16384x%dxbf16>, tensor<%dx%dxbf16>) -> tensor<16384x%dxbf16>\n",
        i + 1, i == 0 ? "a" : "p", i, rows, rows, rows, rows);
  }
  for (int i = 0; i < count; i++) {
    used += (size_t)snprintf(
        text + used, sizeof(text) - used,
        "  %%r%d = stablehlo.dot_general %%p4, %%w%d, contracting_dims = [1] x [0] : "
        "(tensor<16384x%dxbf16>, tensor<%dx%dxbf16>) -> tensor<16384x%dxbf16>\n",
        i, i, rows, rows, columns, columns);
  }
  used += (size_t)snprintf(text + used, sizeof(text) - used, "  return");
  for (int i = 0; i < count; i++) {
    used += (size_t)snprintf(text + used, sizeof(text) - used, "%s %%r%d",
                             i == 0 ? "" : ",", i);
  }
  for (int i = 0; i < count; i++) {
    used += (size_t)snprintf(text + used, sizeof(text) - used, "%stensor<16384x%dxbf16>",
                             i == 0 ? " : " : ", ", columns);
  }
  snprintf(text + used, sizeof(text) - used, "\n}\n}\n");
  return compile_for(text, "v5e", "2x2");
}

// One that moves, one that waits: what is gathered takes memory until it has been read.
static void test_two_collectives_at_most_are_ahead_on_the_same_links(void **state) {
  (void)state;
  compiler_result_t *result = compile_gathers(5, 2048, 2048);
  const chip_program_t *program = result->program;
  int open = 0, most = 0;
  for (int32_t i = 0; i < program->task_count; i++) {
    open += program->tasks[i].kind == CHIP_TASK_COLLECTIVE_START;
    open -= program->tasks[i].kind == CHIP_TASK_COLLECTIVE_DONE;
    most = open > most ? open : most;
  }
  assert_int_equal(result->collective_count, 5);
  assert_int_equal(most, 2);
  compiler_result_destroy(result);
}

// Half of what arguments and results leave of 16 GiB may wait to be read.
static void test_what_would_take_most_of_hbm_is_gathered_when_it_is_needed(void **state) {
  (void)state;
  compiler_result_t *small = compile_gathers(1, 16384, 16384);
  assert_int_equal(small->collective_count, 1);
  assert_true(small->collectives[0].is_async);
  compiler_result_destroy(small);
  compiler_result_t *large = compile_gathers(1, 16384, 278528);  // 8.5 GiB gathered.
  assert_int_equal(large->collective_count, 1);
  assert_false(large->collectives[0].is_async);
  compiler_result_destroy(large);
}

static void test_what_does_not_fit_when_overlapped_keeps_its_order(void **state) {
  (void)state;
  // Three weights of 6 GiB, a quarter of each on every chip: one gathered fits, two not.
  // They are said to be gathered: to move the small operands would take fewer bytes.
  compiler_result_t *result = compile_for(
      "module {\n  sdy.mesh @mesh = <[\"x\"=4]>\n"
      "func.func @main(%a: tensor<512x32768xbf16> {sdy.sharding = #sdy.sharding<@mesh, "
      "[{\"x\"}, {}]>}, %w: tensor<32768x98304xbf16> {sdy.sharding = "
      "#sdy.sharding<@mesh, [{\"x\"}, {}]>}, %v: tensor<98304x32768xbf16> {sdy.sharding "
      "= #sdy.sharding<@mesh, [{\"x\"}, {}]>}, %u: tensor<32768x98304xbf16> "
      "{sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}) -> "
      "(tensor<512x98304xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}) {\n"
      "  %gw = sdy.sharding_constraint %w <@mesh, [{}, {}]> : tensor<32768x98304xbf16>\n"
      "  %0 = stablehlo.dot_general %a, %gw, contracting_dims = [1] x [0] : "
      "(tensor<512x32768xbf16>, tensor<32768x98304xbf16>) -> tensor<512x98304xbf16>\n"
      "  %gv = sdy.sharding_constraint %v <@mesh, [{}, {}]> : tensor<98304x32768xbf16>\n"
      "  %1 = stablehlo.dot_general %0, %gv, contracting_dims = [1] x [0] : "
      "(tensor<512x98304xbf16>, tensor<98304x32768xbf16>) -> tensor<512x32768xbf16>\n"
      "  %gu = sdy.sharding_constraint %u <@mesh, [{}, {}]> : tensor<32768x98304xbf16>\n"
      "  %2 = stablehlo.dot_general %1, %gu, contracting_dims = [1] x [0] : "
      "(tensor<512x32768xbf16>, tensor<32768x98304xbf16>) -> tensor<512x98304xbf16>\n"
      "  return %2 : tensor<512x98304xbf16>\n}\n}\n",
      "v5e", "2x2");
  assert_int_equal(result->collective_count, 3);
  for (int32_t i = 0; i < 3; i++) {
    assert_false(result->collectives[i].is_async);
  }
  assert_null(strstr(result->partitioned_text, "podium.async"));
  check_tasks(result->program);
  compiler_result_destroy(result);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_lone_product_is_one_task_with_its_work),
      cmocka_unit_test(test_a_sine_reads_and_writes_its_array_once),
      cmocka_unit_test(test_a_loop_is_a_task_and_its_counter_is_none),
      cmocka_unit_test(test_what_a_loop_carries_stays_in_vmem_when_it_fits),
      cmocka_unit_test(test_a_state_that_is_not_made_in_place_takes_its_room_twice),
      cmocka_unit_test(test_a_scatter_in_place_writes_its_updates),
      cmocka_unit_test(test_a_product_takes_its_activation_along),
      cmocka_unit_test(test_what_two_kernels_need_is_written_or_computed_twice),
      cmocka_unit_test(test_what_fits_stays_in_vmem_between_two_kernels),
      cmocka_unit_test(test_what_does_not_fit_goes_through_hbm),
      cmocka_unit_test(test_what_fits_is_measured_to_the_tile),
      cmocka_unit_test(test_what_a_program_returns_is_written_though_others_read_it),
      cmocka_unit_test(test_what_a_loop_keeps_is_taken_from_what_is_around_it),
      cmocka_unit_test(test_idle_time_of_hbm_is_given_once),
      cmocka_unit_test(test_an_operand_comes_while_a_product_leaves_hbm_idle),
      cmocka_unit_test(test_collectives_that_overlap_are_pairs_of_tasks),
      cmocka_unit_test(test_two_collectives_at_most_are_ahead_on_the_same_links),
      cmocka_unit_test(test_what_would_take_most_of_hbm_is_gathered_when_it_is_needed),
      cmocka_unit_test(test_what_does_not_fit_when_overlapped_keeps_its_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
