#include "server/compiler/pipeline.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base/check.h"
#include "server/collective/schedule.h"
#include "server/compiler/report.h"
#include "tests/unit/server/compiler/replay.h"
#include "tests/unit/server/compiler/sound_tasks.h"
#include "tests/unit/server/compiler/text.h"

static compiler_options_t options_for(const char *topology) {
  compiler_options_t options = {.file_name = "test.mlir", .spec = chip_spec_find("v5e")};
  const chip_spec_t *spec;
  assert_ok(torus_parse(topology, options.spec, &options.torus, &spec));
  return options;
}

static compiler_result_t *compile_text(const char *text, const char *topology) {
  const compiler_options_t options = options_for(topology);
  compiler_result_t *result = NULL;
  assert_ok(compiler_compile(text, (int64_t)strlen(text), &options, &result));
  return result;
}

static compiler_result_t *compile_program(const char *name, const char *topology) {
  char path[512];
  snprintf(path, sizeof(path), "%s/%s", POD_PROGRAMS, name);
  char *text = read_text(path);
  compiler_result_t *result = compile_text(text, topology);
  free(text);
  return result;
}

static void check_refused(const char *text, const char *topology, pod_code_t code,
                          const char *part) {
  const compiler_options_t options = options_for(topology);
  compiler_result_t *result = NULL;
  assert_error(compiler_compile(text, (int64_t)strlen(text), &options, &result), code,
               part);
  assert_null(result);
}

// --- Whole programs ---

static void check_program(const char *name) {
  const char *topology = strstr(name, ".2x4.") != NULL ? "2x4" : "2x2";
  const compiler_options_t options = options_for(topology);
  char path[512];
  snprintf(path, sizeof(path), "%s/%s", POD_PROGRAMS, name);
  char *text = read_text(path);
  pipeline_t pipeline = {
      .text = text, .length = (int64_t)strlen(text), .options = &options};
  const pod_status_t status = pipeline_run(&pipeline);
  if (status != NULL) {
    fail_msg("%s: %s", name, pod_status_message(status));
  }
  print_message("%s\n", name);
  replay_compare(pipeline.partitioned.module, pipeline.program);
  check_tasks(pipeline.program);
  pipeline_deinit(&pipeline);
  free(text);
}

static void test_the_programs_of_the_field_compile_and_replay(void **state) {
  (void)state;
  DIR *folder = opendir(POD_PROGRAMS);
  assert_non_null(folder);
  int count = 0;
  for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    const char *dot = strrchr(entry->d_name, '.');
    if (dot != NULL && strcmp(dot, ".mlir") == 0 &&
        strstr(entry->d_name, ".small.") != NULL) {
      check_program(entry->d_name);
      count++;
    }
  }
  closedir(folder);
  assert_true(count >= 20);
}

static void test_a_contraction_over_a_sharded_axis_ends_in_an_all_reduce(void **state) {
  (void)state;
  compiler_result_t *result = compile_program("square_matmul.2x2.mlir", "2x2");
  assert_int_equal(result->collective_count, 1);
  const compiler_collective_t *it = &result->collectives[0];
  assert_int_equal(it->op, CHIP_OP_ALL_REDUCE);
  assert_string_equal(it->name, "all_reduce.0");
  assert_string_equal(it->axes, "Y");
  assert_int_equal(it->group_count, 2);
  assert_int_equal(it->group_size, 2);
  assert_int_equal(it->ici_bytes, 4 * 8192 * 2);
  assert_true(it->inserted);
  assert_false(it->in_loop);
  const int64_t local[] = {4, 8192};
  const tensor_shape_t expected = tensor_shape_make(TENSOR_BF16, 2, local);
  assert_true(tensor_shape_equal(&it->operand, &expected));
  const chip_program_t *program = result->program;
  assert_int_equal(program->instruction_count, 3);  // multiply, dot_general, all_reduce
  assert_int_equal(program->argument_bytes, 2 * (4 * 1024 + 1024 * 8192));
  assert_int_equal(program->result_bytes, 2 * 4 * 8192);
  // The product lies between the kernels; what was multiplied before it never does.
  assert_int_equal(program->memory.temp_bytes, 2 * 4 * 8192);
  assert_int_equal(
      result->hbm_peak_bytes,
      program->argument_bytes + program->result_bytes + program->memory.temp_bytes);
  assert_non_null(strstr(result->partitioned_text,
                         "(tensor<4x1024xbf16>, tensor<1024x8192xbf16>) -> "
                         "tensor<4x8192xbf16>"));
  compiler_result_destroy(result);
}

// The state counts once, and what cannot be used is told.
static void test_what_is_donated_counts_once(void **state) {
  (void)state;
  static const char text[] =
      "func.func public @main(%x: tensor<8x8xf32> {tf.aliasing_output = 0 : i32}, "
      "%y: tensor<2xf32> {jax.buffer_donor = true}) -> tensor<8x8xf32> {\n"
      "  %0 = stablehlo.tanh %x : tensor<8x8xf32>\n"
      "  return %0 : tensor<8x8xf32>\n}\n";
  const compiler_options_t options = options_for("1x1");
  compiler_result_t *result;
  assert_ok(compiler_compile(text, (int64_t)strlen(text), &options, &result));
  const chip_program_t *program = result->program;
  assert_int_equal(program->alias_bytes, 8 * 8 * 4);
  assert_int_equal(program->temp_bytes, 0);
  enum { TILE = 8 * 128 * 4, VECTOR = 128 * 4 };
  assert_int_equal(program->memory.alias_bytes, TILE);
  assert_int_equal(result->hbm_peak_bytes, TILE + VECTOR);
  assert_int_equal(result->note_count, 1);
  assert_string_equal(result->notes[0],
                      "the donation of argument 1 (y) is not used: no result is left "
                      "that has the bytes of its part on a chip, f32[2]");
  compiler_result_destroy(result);
}

// %old is read when the loop has written over %cache.
static void test_a_slice_of_what_a_loop_writes_over_keeps_nothing_aside(void **state) {
  (void)state;
  enum { CACHE = 1024 * 4096 * 4, ROWS = 8 * 4096 * 4 };
  compiler_result_t *result = compile_text(
      "func.func @main(%cache: tensor<1024x4096xf32> {tf.aliasing_output = 0 : i32}, "
      "%x: tensor<8x4096xf32>) -> (tensor<1024x4096xf32>, tensor<8x4096xf32>) {\n"
      "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
      "  %eight = stablehlo.constant dense<8> : tensor<i32>\n"
      "  %old = stablehlo.slice %cache [16:24, 0:4096] : (tensor<1024x4096xf32>) -> "
      "tensor<8x4096xf32>\n"
      "  %0:2 = stablehlo.while(%a = %cache, %i = %zero) : tensor<1024x4096xf32>, "
      "tensor<i32>\n"
      "  cond {\n"
      "    %1 = stablehlo.compare LT, %i, %eight : (tensor<i32>, tensor<i32>) -> "
      "tensor<i1>\n"
      "    stablehlo.return %1 : tensor<i1>\n"
      "  } do {\n"
      "    %1 = stablehlo.dynamic_update_slice %a, %x, %i, %zero : "
      "(tensor<1024x4096xf32>, tensor<8x4096xf32>, tensor<i32>, tensor<i32>) -> "
      "tensor<1024x4096xf32>\n"
      "    %2 = stablehlo.add %i, %eight : tensor<i32>\n"
      "    stablehlo.return %1, %2 : tensor<1024x4096xf32>, tensor<i32>\n"
      "  }\n"
      "  %new = stablehlo.slice %0#0 [16:24, 0:4096] : (tensor<1024x4096xf32>) -> "
      "tensor<8x4096xf32>\n"
      "  %change = stablehlo.subtract %new, %old : tensor<8x4096xf32>\n"
      "  return %0#0, %change : tensor<1024x4096xf32>, tensor<8x4096xf32>\n}\n",
      "1x1");
  assert_true(result->hbm_peak_bytes >= CACHE + 2 * ROWS);
  assert_true(result->hbm_peak_bytes <= CACHE + 3 * ROWS);
  compiler_result_destroy(result);
}

static void test_marks_that_make_no_sense_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *second;
    const char *says;
  } cases[] = {
      {"1 : i32",
       ":1:114: tf.aliasing_output of argument 1 must be the number of one of "
       "the 1 results, got 1 : i32"},
      {"\"no\"", "one of the 1 results, got \"no\""},
      {"0 : i32", "arguments 0 and 1 both have tf.aliasing_output = 0"},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    char text[512];
    snprintf(text, sizeof(text),
             "func.func public @main(%%x: tensor<8xf32> {tf.aliasing_output = 0 : i32}, "
             "%%y: tensor<8xf32> {tf.aliasing_output = %s}) -> tensor<8xf32> {\n"
             "  %%0 = stablehlo.add %%x, %%y : tensor<8xf32>\n"
             "  return %%0 : tensor<8xf32>\n}\n",
             cases[i].second);
    const compiler_options_t options = options_for("1x1");
    compiler_result_t *result = NULL;
    const pod_status_t status =
        compiler_compile(text, (int64_t)strlen(text), &options, &result);
    assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
    assert_non_null(strstr(pod_status_message(status), cases[i].says));
    pod_status_free(status);
  }
}

// What the scheduler takes a collective for is what the clock says of it.
static void test_the_scheduler_asks_the_clock_for_the_algorithm_that_will_run(
    void **state) {
  (void)state;
  char *text = read_text(POD_PROGRAMS "/square_matmul.2x2.mlir");
  int64_t durations[2];
  for (int i = 0; i < 2; i++) {
    compiler_options_t options = options_for("2x2");
    options.algorithms = i == 0 ? "ring" : "direct";
    pipeline_t pipeline = {
        .text = text, .length = (int64_t)strlen(text), .options = &options};
    assert_ok(pipeline_run(&pipeline));
    const clusters_t *clusters = pipeline.clusters;
    const chip_program_t *program = pipeline.program;
    const cluster_t *last = &clusters->clusters[clusters->cluster_count - 1];
    const chip_instruction_t *instruction =
        &program->instructions[program->instruction_count - 1];
    assert_int_equal(last->kind, CHIP_TASK_COLLECTIVE);
    assert_int_equal(instruction->op, CHIP_OP_ALL_REDUCE);
    simulator_price_t price = {0};
    assert_ok(simulator_prices_find(pipeline.prices, program, instruction,
                                    COLLECTIVE_AUTO, &price));
    durations[i] = last->duration_ps;
    assert_int_equal(durations[i], price.duration_ps + options.spec->kernel_ps);
    pipeline_deinit(&pipeline);
  }
  assert_int_not_equal(durations[0], durations[1]);
  free(text);
}

static void test_a_chosen_algorithm_is_that_of_every_collective_it_names(void **state) {
  (void)state;
  char *text = read_text(POD_PROGRAMS "/square_matmul.2x2.mlir");
  compiler_options_t options = options_for("2x2");
  options.algorithms = "all_gather=tree,all_reduce=direct";
  compiler_result_t *result = NULL;
  assert_ok(compiler_compile(text, (int64_t)strlen(text), &options, &result));
  const chip_program_t *program = result->program;
  for (int32_t i = 0; i < program->instruction_count; i++) {
    const chip_instruction_t *instruction = &program->instructions[i];
    assert_int_equal(
        chip_instruction_attr_one(instruction, CHIP_ATTR_COLLECTIVE_ALGORITHM, 0),
        instruction->op == CHIP_OP_ALL_REDUCE ? COLLECTIVE_DIRECT : COLLECTIVE_AUTO);
  }
  compiler_result_destroy(result);
  free(text);
}

static void test_what_the_user_wrote_in_a_loop_is_reported_as_such(void **state) {
  (void)state;
  compiler_result_t *result = compile_program("collective_matmul.2x4.mlir", "2x4");
  assert_int_equal(result->collective_count, 1);
  const compiler_collective_t *it = &result->collectives[0];
  assert_int_equal(it->op, CHIP_OP_COLLECTIVE_PERMUTE);
  assert_string_equal(it->axes, "Y");
  assert_int_equal(it->group_size, 4);
  assert_true(it->in_loop);
  assert_true(it->is_async);
  assert_false(it->inserted);
  compiler_result_destroy(result);
}

static void test_compiling_twice_gives_the_same_program(void **state) {
  (void)state;
  pod_text_t listings[2] = {{0}, {0}};
  for (int i = 0; i < 2; i++) {
    compiler_result_t *result = compile_program("moe_all_to_all.2x4.small.mlir", "2x4");
    chip_program_print(&listings[i], result->program);
    pod_text_add(&listings[i], result->partitioned_text);
    compiler_result_destroy(result);
  }
  assert_string_equal(listings[0].bytes, listings[1].bytes);
  pod_text_deinit(&listings[0]);
  pod_text_deinit(&listings[1]);
}

static void test_names_come_from_the_program(void **state) {
  (void)state;
  compiler_result_t *result = compile_text(
      "module @jit_f {\n"
      "  func.func @main(%In: tensor<8xf32>, %1: tensor<8xf32>) -> tensor<8xf32> {\n"
      "    %2 = stablehlo.add %In, %1 : tensor<8xf32> loc(\"train.py\":12:7)\n"
      "    return %2 : tensor<8xf32>\n  }\n}\n",
      "2x2");
  const chip_program_t *program = result->program;
  assert_string_equal(program->name, "jit_f");
  assert_string_equal(program->arguments[0].name, "In");
  assert_string_equal(program->arguments[1].name, "arg1");
  assert_string_equal(program->results[0].name, "result0");
  assert_string_equal(program->instructions[0].name, "add.0");
  assert_string_equal(program->instructions[0].source, "train.py:12:7");
  assert_int_equal(program->mesh->device_count, 4);  // Unsharded: replicated on all.
  compiler_result_destroy(result);
}

static void test_results_are_named_by_their_keys(void **state) {
  (void)state;
  compiler_result_t *result = compile_text(
      "func.func @main(%a: tensor<8xf32>) -> (tensor<8xf32> {jax.result_info = "
      "\"result['loss']\"}, tensor<8xf32> {jax.result_info = \"result[1]\"}, "
      "tensor<8xf32> "
      "{jax.result_info = \"['loss']\"}, tensor<8xf32>) {\n"
      "  return %a, %a, %a, %a : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, "
      "tensor<8xf32>\n}\n",
      "2x2");
  static const char *const names[] = {"loss", "result1", "loss_", "result3"};
  for (int i = 0; i < 4; i++) {
    assert_string_equal(result->program->results[i].name, names[i]);
  }
  compiler_result_destroy(result);
}

// --- What is refused ---

static void test_what_the_memory_of_the_host_does_not_hold_is_refused(void **state) {
  (void)state;
  static const char text[] =
      "func.func @main(%a: tensor<65536x131072xf32> {mhlo.memory_kind = "
      "\"pinned_host\"}) -> (tensor<65536x131072xf32> {mhlo.memory_kind = "
      "\"pinned_host\"}) {\n"
      "  return %a : tensor<65536x131072xf32>\n}\n";
  check_refused(
      text, "2x2", POD_RESOURCE_EXHAUSTED,
      "needs 64.0 GiB of host memory (pinned_host) per chip (32.0 GiB of "
      "arguments, 32.0 GiB of results, 0 B of temporaries); a v5e has 48.0 GiB");
}

static void test_a_program_that_does_not_fit_the_chip_is_refused_with_numbers(
    void **state) {
  (void)state;
  static const char text[] =
      "func.func @main(%a: tensor<65536x65536xf32>) -> tensor<65536x65536xf32> {\n"
      "  %0 = stablehlo.tanh %a : tensor<65536x65536xf32>\n"
      "  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<65536x65536xf32>) -> "
      "tensor<65536x65536xf32>\n"
      "  return %1 : tensor<65536x65536xf32>\n}\n";
  check_refused(text, "2x2", POD_RESOURCE_EXHAUSTED,
                "needs 48.0 GiB of HBM per chip (16.0 GiB of arguments, 16.0 GiB of "
                "results, 0 B of constants, 16.0 GiB of temporaries); a v5e has 15.8 GiB "
                "beside 256.0 MiB that are reserved");
}

// Of the pod's chips, which may have other HBM than their kind.
static void test_a_program_is_made_to_fit_the_hbm_that_the_chip_has(void **state) {
  (void)state;
  static const char text[] =
      "func.func @main(%a: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {\n"
      "  %h = stablehlo.transpose %a, dims = [1, 0] : (tensor<1024x1024xf32>) -> "
      "tensor<1024x1024xf32>\n"
      "  %1 = stablehlo.dot_general %a, %h, contracting_dims = [1] x [0] : "
      "(tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>\n"
      "  return %1 : tensor<1024x1024xf32>\n}\n";
  compiler_options_t options = options_for("1x1");
  compiler_result_t *result = NULL;
  options.hbm_bytes = 8 << 20;
  assert_ok(compiler_compile(text, (int64_t)strlen(text), &options, &result));
  assert_true(result->hbm_peak_bytes <= options.hbm_bytes);
  compiler_result_destroy(result);
  options.hbm_bytes--;
  assert_error(compiler_compile(text, (int64_t)strlen(text), &options, &result),
               POD_RESOURCE_EXHAUSTED, "needs 8.0 MiB of HBM per chip");
}

static void test_a_mesh_that_is_too_large_for_the_pod_is_refused_naming_both(
    void **state) {
  (void)state;
  static const char text[] =
      "module {\n  sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>\n"
      "  func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, "
      "[{\"x\"}]>}) -> tensor<8xf32> {\n"
      "    return %a : tensor<8xf32>\n  }\n}\n";
  check_refused(text, "2x2", POD_FAILED_PRECONDITION, "8");
  check_refused(text, "2x2", POD_FAILED_PRECONDITION, "4");
}

static void check_chips(const char *text, const char *topology, int64_t declared,
                        int64_t count, const int64_t *chips) {
  compiler_result_t *result = compile_text(text, topology);
  assert_int_equal(result->declared_device_count, declared);
  const mesh_t *mesh = result->program->mesh;
  assert_int_equal(mesh->device_count, count);
  for (int64_t p = 0; p < count; p++) {
    assert_int_equal(mesh_device(mesh, p), chips[p]);
  }
  compiler_result_destroy(result);
}

// jax.jit says num_partitions = 1 of what has no mesh, which runs on whatever there is.
static void test_a_smaller_mesh_runs_on_the_first_slice_of_the_pod(void **state) {
  (void)state;
  static const char of_four[] =
      "module {\n  sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\n"
      "  func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, "
      "[{\"x\"}]>}) -> tensor<8xf32> {\n"
      "    return %a : tensor<8xf32>\n  }\n}\n";
  check_chips(of_four, "2x2", 4, 4, (int64_t[]){0, 1, 2, 3});
  check_chips(of_four, "4x2", 4, 4, (int64_t[]){0, 1, 4, 5});
  check_chips(of_four, "16x16", 4, 4, (int64_t[]){0, 1, 16, 17});
  static const char of_five[] =
      "module {\n  sdy.mesh @mesh = <[\"x\"=5]>\n"
      "  func.func @main(%a: tensor<10xf32> {sdy.sharding = #sdy.sharding<@mesh, "
      "[{\"x\"}]>}) -> tensor<10xf32> {\n"
      "    return %a : tensor<10xf32>\n  }\n}\n";
  check_chips(of_five, "4x2", 5, 5, (int64_t[]){0, 1, 2, 3, 4});
  static const char of_any[] =
      "module attributes {mhlo.num_partitions = 1 : i32} {\n"
      "  func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {\n"
      "    return %a : tensor<8xf32>\n  }\n}\n";
  check_chips(of_any, "2x2", 0, 4, (int64_t[]){0, 1, 2, 3});
}

static void test_types_beyond_all_memory_are_an_error(void **state) {
  (void)state;
  check_refused(
      "func.func @main() -> tensor<1099511627776x1024xf32> {\n"
      "  %0 = stablehlo.constant dense<1.0> : tensor<1099511627776x1024xf32>\n"
      "  %1 = stablehlo.constant dense<2.0> : tensor<1099511627776x1024xf32>\n"
      "  %2 = stablehlo.add %0, %1 : tensor<1099511627776x1024xf32>\n"
      "  return %2 : tensor<1099511627776x1024xf32>\n}\n",
      "2x2", POD_RESOURCE_EXHAUSTED, "a v5e has 15.8 GiB");
}

static void test_diagnostics_point_into_the_source(void **state) {
  (void)state;
  check_refused(
      "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n"
      "  %0 = stablehlo.reshape %a : (tensor<2xf32>) -> tensor<3xf32>\n"
      "  return %a : tensor<2xf32>\n}\n",
      "2x2", POD_INVALID_ARGUMENT,
      "test.mlir:2:8: 'stablehlo.reshape': tensor<2xf32> has 2 elements, "
      "tensor<3xf32> has 3\n");
  check_refused("func.func @main(", "2x2", POD_INVALID_ARGUMENT, "test.mlir:1:");
  check_refused("", "2x2", POD_INVALID_ARGUMENT, "@main");
}

static void test_groups_that_miss_a_device_are_refused(void **state) {
  (void)state;
  check_refused(
      "func.func @main(%a: tensor<2xf32>) -> tensor<4xf32> {\n"
      "  %0 = \"stablehlo.all_gather\"(%a) <{all_gather_dim = 0 : i64, channel_handle = "
      "#stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> "
      ": "
      "tensor<1x2xi64>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32>\n"
      "  return %0 : tensor<4xf32>\n}\n",
      "2x2", POD_INVALID_ARGUMENT, "device");
}

// --- The report ---

static void test_one_group_of_all_has_the_pods_size(void **state) {
  (void)state;
  static const char *const texts[] = {
      "func.func @main(%a: tensor<4x2xf32>) -> tensor<4x2xf32> {\n"
      "  %0 = \"stablehlo.all_gather\"(%a) <{all_gather_dim = 1 : i64, replica_groups = "
      "dense<> : tensor<0x0xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>\n"
      "  return %0 : tensor<4x2xf32>\n"
      "}\n",
      "func.func @main(%a: tensor<4x2xf32>) -> tensor<4x2xf32> {\n"
      "  %0 = \"stablehlo.all_to_all\"(%a) <{split_dimension = 0 : i64, "
      "concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = "
      "dense<> : tensor<0x0xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>\n"
      "  return %0 : tensor<4x2xf32>\n"
      "}\n"};
  for (size_t i = 0; i < POD_COUNT_OF(texts); i++) {
    check_refused(texts[i], "2x2", POD_INVALID_ARGUMENT,
                  "test.mlir:2:8: 'stablehlo.all_");
    check_refused(texts[i], "2x2", POD_INVALID_ARGUMENT, "all 4 devices are one group");
  }
  compiler_result_destroy(compile_text(texts[0], "1x1"));
  compiler_result_destroy(compile_text(texts[1], "2x1"));
}

static const mesh_t *make_mesh(pod_arena_t *arena, const int64_t *device_ids) {
  const mesh_axis_t axes[] = {{"x", 2}, {"y", 4}};
  const mesh_t *mesh;
  assert_ok(mesh_make(arena, "mesh", 2, axes, device_ids, &mesh));
  return mesh;
}

static void test_groups_are_named_by_the_axes_they_run_along(void **state) {
  (void)state;
  pod_arena_t *arena = pod_arena_create();
  const mesh_t *mesh = make_mesh(arena, NULL);
  const int64_t all[] = {0, 1, 2, 3, 4, 5, 6, 7};
  const int64_t along_x[] = {0, 4, 1, 5, 2, 6, 3, 7};
  const int64_t inner_half_of_y[] = {0, 1, 2, 3, 4, 5, 6, 7};
  const int64_t outer_half_of_y[] = {0, 2, 1, 3, 4, 6, 5, 7};
  const int64_t crosswise[] = {0, 5, 1, 4, 2, 7, 3, 6};
  assert_string_equal(report_axes(arena, mesh, 8, all), "x,y");
  assert_string_equal(report_axes(arena, mesh, 4, all), "y");
  assert_string_equal(report_axes(arena, mesh, 1, all), "");
  assert_string_equal(report_axes(arena, mesh, 2, along_x), "x");
  assert_string_equal(report_axes(arena, mesh, 2, inner_half_of_y), "y:(2)2");
  assert_string_equal(report_axes(arena, mesh, 2, outer_half_of_y), "y:(1)2");
  assert_string_equal(report_axes(arena, mesh, 2, crosswise), "");
  const int64_t ring[] = {0, 1, 3, 2, 4, 5, 7, 6};
  const mesh_t *reordered = make_mesh(arena, ring);
  const int64_t inner_of_ring[] = {0, 1, 3, 2, 4, 5, 7, 6};
  assert_string_equal(report_axes(arena, reordered, 2, inner_of_ring), "y:(2)2");
  pod_arena_destroy(arena);
}

static void test_destroying_nothing_is_nothing(void **state) {
  (void)state;
  compiler_result_destroy(NULL);
}

// --- Near the limit ---

// Weights are gathered beside products; a state of 9.5 GiB a chip is updated. %s: what
// its argument says.
#define NEAR_THE_LIMIT(mark)                                                             \
  "module @m attributes {mhlo.num_partitions = 4 : i32} {\n"                             \
  "sdy.mesh @mesh = <[\"x\"=4]>\n"                                                       \
  "func.func public @main(%a: tensor<4096x4096xbf16> {sdy.sharding = "                   \
  "#sdy.sharding<@mesh, [{\"x\"}, {}]>}, %w: tensor<4096x4096xbf16> {sdy.sharding = "    \
  "#sdy.sharding<@mesh, [{\"x\"}, {}]>}, %v: tensor<4096x4096xbf16> {sdy.sharding = "    \
  "#sdy.sharding<@mesh, [{\"x\"}, {}]>}, %s: tensor<4x40000x64000xf32> {sdy.sharding = " \
  "#sdy.sharding<@mesh, [{\"x\"}, {}, {}]>" mark                                         \
  "}) -> (tensor<4096x4096xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}, " \
  "tensor<4x40000x64000xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}, "        \
  "{}]>}) {\n"                                                                           \
  "%0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : "                   \
  "(tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>\n"         \
  "%1 = stablehlo.dot_general %0, %v, contracting_dims = [1] x [0] : "                   \
  "(tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>\n"         \
  "%2 = stablehlo.negate %s : tensor<4x40000x64000xf32>\n"                               \
  "return %1, %2 : tensor<4096x4096xbf16>, tensor<4x40000x64000xf32>\n}\n}\n"

static void test_donation_keeps_what_overlaps_near_the_limit(void **state) {
  (void)state;
  compiler_result_t *result =
      compile_text(NEAR_THE_LIMIT(", tf.aliasing_output = 1 : i32"), "2x2");
  int32_t starts = 0;
  for (int32_t i = 0; i < result->program->task_count; i++) {
    starts += result->program->tasks[i].kind == CHIP_TASK_COLLECTIVE_START;
  }
  assert_true(starts > 0);
  assert_true(result->hbm_peak_bytes > (int64_t)9 << 30 &&
              result->hbm_peak_bytes < (int64_t)10 << 30);
  compiler_result_destroy(result);
  check_refused(NEAR_THE_LIMIT(""), "2x2", POD_RESOURCE_EXHAUSTED, "donate_argnums");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_donation_keeps_what_overlaps_near_the_limit),
      cmocka_unit_test(test_the_programs_of_the_field_compile_and_replay),
      cmocka_unit_test(test_a_contraction_over_a_sharded_axis_ends_in_an_all_reduce),
      cmocka_unit_test(test_what_is_donated_counts_once),
      cmocka_unit_test(test_a_slice_of_what_a_loop_writes_over_keeps_nothing_aside),
      cmocka_unit_test(test_marks_that_make_no_sense_are_refused),
      cmocka_unit_test(test_the_scheduler_asks_the_clock_for_the_algorithm_that_will_run),
      cmocka_unit_test(test_a_chosen_algorithm_is_that_of_every_collective_it_names),
      cmocka_unit_test(test_what_the_user_wrote_in_a_loop_is_reported_as_such),
      cmocka_unit_test(test_compiling_twice_gives_the_same_program),
      cmocka_unit_test(test_names_come_from_the_program),
      cmocka_unit_test(test_results_are_named_by_their_keys),
      cmocka_unit_test(test_what_the_memory_of_the_host_does_not_hold_is_refused),
      cmocka_unit_test(test_a_program_that_does_not_fit_the_chip_is_refused_with_numbers),
      cmocka_unit_test(test_a_program_is_made_to_fit_the_hbm_that_the_chip_has),
      cmocka_unit_test(test_a_mesh_that_is_too_large_for_the_pod_is_refused_naming_both),
      cmocka_unit_test(test_a_smaller_mesh_runs_on_the_first_slice_of_the_pod),
      cmocka_unit_test(test_types_beyond_all_memory_are_an_error),
      cmocka_unit_test(test_diagnostics_point_into_the_source),
      cmocka_unit_test(test_one_group_of_all_has_the_pods_size),
      cmocka_unit_test(test_groups_that_miss_a_device_are_refused),
      cmocka_unit_test(test_groups_are_named_by_the_axes_they_run_along),
      cmocka_unit_test(test_destroying_nothing_is_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
