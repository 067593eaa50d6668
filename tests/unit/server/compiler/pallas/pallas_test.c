// Pallas kernels that JAX has exported (tests/kernels): what they are found to take, and
// that nothing that is done to their modules does any harm.

#include "server/compiler/pallas/pallas.h"

#include <stdio.h>
#include <stdlib.h>

#include "server/compiler/compiler.h"
#include "server/compiler/pallas/config.h"
#include "tests/unit/server/compiler/text.h"

static pod_status_t compile_text(const char *text, const char *kind, const char *topology,
                                 compiler_result_t **out_result) {
  compiler_options_t options = {.file_name = "test.mlir", .spec = chip_spec_find(kind)};
  const chip_spec_t *spec;
  assert_ok(torus_parse(topology, options.spec, &options.torus, &spec));
  return compiler_compile(text, (int64_t)strlen(text), &options, out_result);
}

static char *kernel_text(const char *name) {
  char path[512];
  snprintf(path, sizeof(path), "%s/%s.mlir", POD_KERNELS, name);
  return read_text(path);
}

static pod_status_t try_kernel(const char *name, const char *kind, const char *topology,
                               compiler_result_t **out_result) {
  char *text = kernel_text(name);
  const pod_status_t status = compile_text(text, kind, topology, out_result);
  free(text);
  return status;
}

static compiler_result_t *compile_kernel(const char *name, const char *kind,
                                         const char *topology) {
  compiler_result_t *result = NULL;
  const pod_status_t status = try_kernel(name, kind, topology, &result);
  if (status != NULL) {
    fail_msg("%s: %s", name, pod_status_message(status));
  }
  return result;
}

// The work of the program's kernels, one after the other.
static int kernels_of(const compiler_result_t *result, int most, chip_work_t *works) {
  int count = 0;
  for (int32_t i = 0; i < result->program->task_count; i++) {
    const chip_task_t *task = &result->program->tasks[i];
    if (task->member_count == 1 &&
        result->program->instructions[task->instruction].op == CHIP_OP_KERNEL) {
      assert_true(count < most);
      works[count++] = task->work;
    }
  }
  return count;
}

static chip_work_t work_on(const char *name, const char *kind) {
  compiler_result_t *result = compile_kernel(name, kind, "1x1");
  chip_work_t work = {0};
  assert_int_equal(kernels_of(result, 1, &work), 1);
  compiler_result_destroy(result);
  return work;
}

static chip_work_t work_of(const char *name) {
  return work_on(name, "v5e");
}

static void expect_refused(const char *name, const char *kind, const char *topology,
                           pod_code_t code, const char *what) {
  compiler_result_t *result = NULL;
  const pod_status_t status = try_kernel(name, kind, topology, &result);
  assert_non_null(status);
  if (strstr(pod_status_message(status), what) == NULL) {
    fail_msg("%s: %s", name, pod_status_message(status));
  }
  assert_int_equal(pod_status_code(status), code);
  assert_non_null(strstr(pod_status_message(status), "kernels.py:"));
  pod_status_free(status);
}

// --- What kernels take ---

// 64³ steps; each needs another block of both operands, and every 64th stores one.
static void test_a_product_moves_its_blocks_at_every_step(void **state) {
  (void)state;
  const chip_work_t work = work_of("product_8192_128");
  const int64_t block = 128 * 128 * 2, steps = 64 * 64 * 64;
  assert_int_equal(work.grid_steps, steps);
  assert_int_equal(work.mxu_flop, 2LL * 8192 * 8192 * 8192);
  assert_int_equal(work.mxu_busy_flop, work.mxu_flop);
  assert_int_equal(work.hbm_read_bytes, 2 * steps * block);
  assert_int_equal(work.hbm_written_bytes, 64 * 64 * block);
  // Zeros and sums of f32, and the conversion of what leaves.
  assert_int_equal(work.vpu_op, (steps + 64 * 64) * 128 * 128);
}

// The times are those of JAX's matmul.ipynb on v5e, less what a call costs its host.
static void test_published_products_are_met(void **state) {
  (void)state;
  static const struct {
    const char *name;
    double measured_us, percent;
  } rows[] = {{"product_8192_128", 91835.8 - 105, 2},
              {"product_4096_128", 11771.5 - 105, 2},
              {"product_8192_512", 6099.4 - 105, 2},
              {"product_4096_512", 889.1 - 105, 6}};
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    const chip_work_t work = work_of(rows[i].name);
    const double us =
        (double)chip_work_cost(chip_spec_find("v5e"), &work).duration_ps * 1e-6;
    const double error = (us / rows[i].measured_us - 1) * 100;
    if (error > rows[i].percent || error < -rows[i].percent) {
      fail_msg("%s: %.1f us for %.1f, %.1f %%", rows[i].name, us, rows[i].measured_us,
               error);
    }
  }
}

static double us_of(const char *name, const char *kind) {
  const chip_work_t work = work_on(name, kind);
  return (double)chip_work_cost(chip_spec_find(kind), &work).duration_ps * 1e-6;
}

// Scores, their maximum and the values wait for one another: with one block of 128 a step
// each costs what a step does. The times are those of jax-ml/jax, issue 24633, on v5e;
// the head's size follows from the FLOP that it counts.
static void test_attention_in_small_blocks_waits_for_each_of_its_stages(void **state) {
  (void)state;
  const double short_us = us_of("flash_512_128", "v5e");
  const double long_us = us_of("flash_4096_128", "v5e");
  assert_true(short_us > 2360 * 0.95 && short_us < 2360 * 1.05);
  assert_true(long_us > 144970 * 0.95 && long_us < 144970 * 1.05);
  // In blocks of 512, sixteen of them a stage, the stages hide: little is left.
  const chip_work_t large = work_of("flash_4096_512");
  const int64_t steps_ps = large.grid_steps * chip_spec_find("v5e")->grid_step_ps;
  assert_true(us_of("flash_4096_512", "v5e") * 10 < long_us);
  assert_int_equal(large.grid_steps, 128 * 8 * 8);
  assert_true(large.grid_ps > steps_ps + steps_ps / 8);
}

// Of 4 x 4 blocks of 512 causal attention needs 10, and loads none of the others.
static void test_causal_attention_leaves_out_what_its_mask_does(void **state) {
  (void)state;
  const chip_work_t full = work_of("flash_full"), causal = work_of("flash_causal"),
                    splash = work_of("splash_causal");
  assert_int_equal(full.grid_steps, 8 * 4 * 4);
  assert_int_equal(causal.grid_steps, full.grid_steps);
  assert_int_equal(full.mxu_flop, 4LL * 8 * 2048 * 2048 * 128);
  assert_int_equal(causal.mxu_flop, full.mxu_flop / 16 * 10);
  assert_int_equal(splash.mxu_flop, causal.mxu_flop);
  assert_true(causal.grid_ps < full.grid_ps * 9 / 10);
  assert_true(causal.hbm_read_bytes < full.hbm_read_bytes);
}

// 4 on the diagonal and 3 beside it.
static void test_the_mask_of_splash_attention_is_read_from_its_constants(void **state) {
  (void)state;
  const chip_work_t local = work_of("splash_local"), causal = work_of("splash_causal");
  assert_int_equal(local.mxu_flop, causal.mxu_flop / 10 * 7);
  assert_true(local.grid_ps < causal.grid_ps);
}

static void test_gradients_have_their_kernels(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int64_t
        product_count[3];  // Of 512x512x128, a block that is needed: forward, dkv, dq.
    int64_t batch;
  } rows[] = {{"flash_causal_grad", {2, 4, 3}, 1}, {"splash_causal_grad", {2, 4, 3}, 2}};
  for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
    compiler_result_t *result = compile_kernel(rows[r].name, "v5e", "1x1");
    chip_work_t works[3];
    assert_int_equal(kernels_of(result, 3, works), 3);
    for (int i = 0; i < 3; i++) {
      assert_int_equal(works[i].mxu_flop, rows[r].product_count[i] * rows[r].batch * 8 *
                                              10 * 2 * 512 * 512 * 128);
    }
    compiler_result_destroy(result);
  }
}

// A grid of as many steps as the FLOP of the estimate take: the tiles of lhs.
static void test_a_grid_that_values_decide_has_the_estimated_flop(void **state) {
  (void)state;
  const chip_work_t work = work_of("megablox");
  assert_int_equal(work.mxu_flop, 2LL * 4096 * 2048 * 4096);
  assert_int_equal(work.grid_steps, (4096 / 512) * (4096 / 1024) * (2048 / 1024));
  compiler_result_t *result = compile_kernel("megablox_grad", "v5e", "1x1");
  chip_work_t works[3];
  assert_int_equal(kernels_of(result, 3, works), 2);
  compiler_result_destroy(result);
}

// 67 MB of keys and values.
static void test_a_paged_cache_is_read_once(void **state) {
  (void)state;
  const chip_work_t work = work_of("paged");
  const int64_t cache = 2LL * 8 * 1024 * 16 * 128 * 2;
  assert_true(work.hbm_read_bytes >= cache / 2);
  assert_true(work.hbm_read_bytes <= cache + cache / 8);
}

static void test_a_kernel_in_a_loop_is_one_task_of_its_body(void **state) {
  (void)state;
  const chip_work_t work = work_of("product_in_scan");
  assert_int_equal(work.grid_steps, 8);
  assert_int_equal(work.mxu_flop, 2LL * 512 * 512 * 512);
}

static void test_a_kernel_in_a_manual_computation_is_local(void **state) {
  (void)state;
  compiler_result_t *result = compile_kernel("sharded_product", "v5e", "2x2");
  chip_work_t work;
  assert_int_equal(kernels_of(result, 1, &work), 1);
  assert_int_equal(work.mxu_flop, 2LL * 512 * 512 * 512);
  assert_int_equal(result->collective_count, 0);
  compiler_result_destroy(result);
}

// Without a dimension that is parallel one core of two has to do it all.
static void test_a_megacore_shares_parallel_dimensions_only(void **state) {
  (void)state;
  const chip_work_t shared = work_on("product_4096_512", "v5p"),
                    alone = work_on("product_sequential", "v5p");
  assert_int_equal(shared.grid_steps, alone.grid_steps);
  assert_true(alone.grid_ps > shared.grid_ps * 19 / 10);
  assert_true(alone.grid_ps < shared.grid_ps * 21 / 10);
  const chip_work_t one = work_of("product_4096_512"),
                    same = work_of("product_sequential");
  assert_int_equal(one.grid_ps, same.grid_ps);  // v5e has one core.
}

// The product by 2 becomes the result without another buffer.
static void test_a_result_takes_its_operands_memory(void **state) {
  (void)state;
  compiler_result_t *result = compile_kernel("in_place", "v5e", "1x1");
  assert_int_equal(result->program->temp_bytes, 0);
  const chip_instruction_t *kernel =
      &result->program->instructions[chip_program_first_kernel(result->program)];
  assert_int_equal(kernel->operands[0], kernel->results[0]);
  compiler_result_destroy(result);
}

static void test_the_same_program_takes_the_same(void **state) {
  (void)state;
  const chip_work_t a = work_of("paged"), b = work_of("paged");
  assert_memory_equal(&a, &b, sizeof(a));
}

// --- What is refused ---

static void test_blocks_that_do_not_fit_vmem_are_an_error_as_of_mosaic(void **state) {
  (void)state;
  // Two of 8 MiB and of 4, results of 4 twice, and 8 of sums in f32.
  expect_refused("product_too_large", "v5e", "1x1", POD_RESOURCE_EXHAUSTED,
                 "scoped allocation with size 40.00M and limit 16.00M exceeded scoped "
                 "vmem limit by 24.00M");
  compiler_result_destroy(compile_kernel("product_with_limit", "v5e", "1x1"));
  expect_refused("product_with_limit", "v2c", "1x1", POD_RESOURCE_EXHAUSTED, "limit");
}

static void test_kernels_that_send_to_other_chips_need_an_estimate(void **state) {
  (void)state;
  expect_refused("remote", "v5e", "2x2", POD_UNIMPLEMENTED, "cost_estimate");
  compiler_result_t *result = compile_kernel("remote_with_estimate", "v5e", "2x2");
  chip_work_t work;
  assert_int_equal(kernels_of(result, 1, &work), 1);
  const double least_ps = (1 << 19) / chip_spec_find("v5e")->ici_bytes_per_s * 1e12;
  assert_true((double)work.grid_ps >= least_ps - 1);
  compiler_result_destroy(result);
}

static bool has_note(const compiler_result_t *result, const char *what) {
  for (int32_t i = 0; i < result->note_count; i++) {
    if (strstr(result->notes[i], what) != NULL) {
      return true;
    }
  }
  return false;
}

static void test_a_time_that_rests_on_less_than_the_kernel_is_noted(void **state) {
  (void)state;
  compiler_result_t *result = compile_kernel("remote_with_estimate", "v5e", "2x2");
  assert_true(has_note(result, "rests on its cost_estimate, as it sends to other chips"));
  compiler_result_destroy(result);
  result = compile_kernel("paged", "v5e", "1x1");
  assert_true(has_note(result, "rests on a guess of the turns of a loop"));
  compiler_result_destroy(result);
  result = compile_kernel("flash_causal", "v5e", "1x1");
  assert_false(has_note(result, "rests on"));
  compiler_result_destroy(result);
}

// A kernel that has no estimate with one of zeros.
static pod_status_t try_with_zeros(const char *name, const char *topology,
                                   compiler_result_t **out_result) {
  static const char config[] = "custom_call_config\\22: {";
  char *text = kernel_text(name);
  const char *place = strstr(text, config);
  assert_non_null(place);
  pod_text_t changed = {0};
  pod_text_add_bytes(&changed, text, (size_t)(place - text));
  pod_text_printf(&changed,
                  "%s\\22cost_estimate\\22: {\\22flops\\22: 0, "
                  "\\22bytes_accessed\\22: 0}, %s",
                  config, place + strlen(config));
  free(text);
  const pod_status_t status = compile_text(changed.bytes, "v5e", topology, out_result);
  pod_text_deinit(&changed);
  return status;
}

static void test_an_estimate_of_zeros_is_none(void **state) {
  (void)state;
  compiler_result_t *result = NULL;
  const pod_status_t status = try_with_zeros("remote", "2x2", &result);
  assert_int_equal(pod_status_code(status), POD_UNIMPLEMENTED);
  assert_non_null(strstr(pod_status_message(status), "say what it costs"));
  pod_status_free(status);
  assert_ok(try_with_zeros("paged", "1x1", &result));
  chip_work_t work;
  assert_int_equal(kernels_of(result, 1, &work), 1);
  const chip_work_t without = work_of("paged");
  assert_memory_equal(&work, &without, sizeof(work));
  assert_true(has_note(result, "rests on a guess of the turns of a loop"));
  compiler_result_destroy(result);
}

static void test_a_program_with_a_kernel_does_not_run(void **state) {
  (void)state;
  compiler_result_t *result = compile_kernel("flash_causal", "v5e", "1x1");
  const int32_t kernel = chip_program_first_kernel(result->program);
  assert_true(kernel >= 0);
  const pod_status_t status = chip_kernel_refusal(&result->program->instructions[kernel]);
  assert_int_equal(pod_status_code(status), POD_UNIMPLEMENTED);
  assert_non_null(strstr(pod_status_message(status), "interpret=True"));
  assert_non_null(strstr(pod_status_message(status), ".py:"));
  pod_status_free(status);
  compiler_result_destroy(result);
}

static void test_a_call_that_says_how_it_is_cut_is_timed_by_its_arrays(void **state) {
  (void)state;
  const char *text =
      "sdy.mesh @mesh = <[\"x\"=4]>\n"
      "func.func @main(%a: tensor<4096x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, "
      "[{\"x\"}, {}]>}) -> tensor<4096x1024xf32> {\n"
      "  %0 = stablehlo.custom_call @mine(%a) {backend_config = \"?\", "
      "sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4096, j=1024}, "
      "custom>} : (tensor<4096x1024xf32>) -> tensor<4096x1024xf32>\n"
      "  return %0 : tensor<4096x1024xf32>\n}\n";
  compiler_result_t *result = NULL;
  assert_ok(compile_text(text, "v5e", "2x2", &result));
  chip_work_t work;
  assert_int_equal(kernels_of(result, 1, &work), 1);
  assert_int_equal(work.hbm_read_bytes, 4 << 20);
  assert_int_equal(work.hbm_written_bytes, 4 << 20);
  assert_int_equal(result->collective_count, 0);
  assert_true(has_note(result, "custom call 'mine' of test.mlir:3"));
  assert_true(has_note(result, "rests on the bytes of its arrays alone"));
  compiler_result_destroy(result);
}

static void test_a_kernel_that_its_rule_cuts_does_its_part(void **state) {
  (void)state;
  char *whole = kernel_text("product_4096_512");
  const char *call = strstr(whole, "{backend_config"), *main = strstr(whole, "func.func");
  const char *rows = strstr(main, " loc(\"x\")");
  assert_true(main < rows && rows < call);
  pod_text_t text = {0};
  pod_text_add_bytes(&text, whole, (size_t)(main - whole));
  pod_text_add(&text, "sdy.mesh @mesh = <[\"x\"=4]>\n");
  pod_text_add_bytes(&text, main, (size_t)(rows - main));
  pod_text_add(&text, " {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}");
  pod_text_add_bytes(&text, rows, (size_t)(call - rows));
  pod_text_add(&text,
               "{sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) "
               "{i=4096, j=4096, k=4096} need_replication={k}, custom>, ");
  pod_text_add(&text, call + 1);
  free(whole);
  compiler_result_t *result = NULL;
  assert_ok(compile_text(text.bytes, "v5e", "2x2", &result));
  pod_text_deinit(&text);
  chip_work_t part;
  assert_int_equal(kernels_of(result, 1, &part), 1);
  const chip_work_t all = work_on("product_4096_512", "v5e");
  assert_int_equal(4 * part.mxu_flop, all.mxu_flop);
  assert_int_equal(4 * part.grid_steps, all.grid_steps);
  assert_true(has_note(result, "each of 4 chips does its part"));
  compiler_result_destroy(result);
}

// --- Hostile configurations ---

static void expect_bad_config(const char *config, const char *what) {
  char text[2048];
  snprintf(
      text, sizeof(text),
      "func.func @main(%%a: tensor<8x128xf32>) -> tensor<8x128xf32> {\n"
      "  %%0 = stablehlo.custom_call @tpu_custom_call(%%a) {backend_config = \"%s\"} "
      ": (tensor<8x128xf32>) -> tensor<8x128xf32>\n"
      "  return %%0 : tensor<8x128xf32>\n}\n",
      config);
  compiler_result_t *result = NULL;
  const pod_status_t status = compile_text(text, "v5e", "1x1", &result);
  if (status == NULL) {
    compiler_result_destroy(result);
    fail_msg("%s is accepted", config);
  }
  if (strstr(pod_status_message(status), what) == NULL ||
      strstr(pod_status_message(status), "test.mlir:2:") == NULL) {
    fail_msg("%s: %s", config, pod_status_message(status));
  }
  pod_status_free(status);
}

static void test_configurations_that_are_none_are_refused_at_their_place(void **state) {
  (void)state;
  expect_bad_config("", "ends too early");
  expect_bad_config("{", "lacks a string");
  expect_bad_config("{\\22a\\22", "lacks a ':'");
  expect_bad_config("{\\22a\\22: 1e999999}", "has no body");
  expect_bad_config("{\\22a\\22: 1} 2", "goes on behind its end");
  expect_bad_config("{\\22a", "ends within a string");
  expect_bad_config("{\\22a\\\\22", "ends within a string");
  expect_bad_config("nonsense", "has no value");
  expect_bad_config("{\\22custom_call_config\\22: {\\22body\\22: \\22TUzv\\22}}",
                    "kernel's module");
  expect_bad_config("{\\22custom_call_config\\22: {\\22body\\22: \\22TUz\\22}}",
                    "base64");
  expect_bad_config("{\\22custom_call_config\\22: {\\22body\\22: \\22T=zv\\22}}",
                    "base64");
  expect_bad_config("{\\22custom_call_config\\22: {\\22body\\22: \\22\\22}}",
                    "kernel's module");
  expect_bad_config("{\\22custom_call_config\\22: {\\22has_communication\\22: true}}",
                    "cost_estimate");
  expect_bad_config("{\\22device_type\\22: \\22DEVICE_TYPE_SPARSECORE\\22}",
                    "SparseCore");
  expect_bad_config(
      "{\\22custom_call_config\\22: {\\22cost_estimate\\22: "
      "{\\22flops\\22: -5}}}",
      "custom_call_config.cost_estimate.flops of the kernel's "
      "configuration must be 0 or more, got -5");
  expect_bad_config("{\\22scoped_memory_configs\\22: [{\\22size\\22: -1}]}",
                    "scoped_memory_configs[].size of the kernel's configuration must be "
                    "0 or more, got -1");
  char deep[512] = "";
  memset(deep, '[', 200);
  expect_bad_config(deep, "nests too deep");
}

static void test_base64_is_read_to_the_byte(void **state) {
  (void)state;
  static const struct {
    const char *text, *bytes;
  } rows[] = {
      {"", ""}, {"Zg==", "f"}, {"Zm8=", "fo"}, {"Zm9v", "foo"}, {"Zm9vYmE=", "fooba"}};
  pod_arena_t *arena = pod_arena_create();
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    const uint8_t *bytes;
    int64_t count;
    assert_true(kernel_base64_decode(arena, rows[i].text, (int64_t)strlen(rows[i].text),
                                     &bytes, &count));
    assert_int_equal(count, strlen(rows[i].bytes));
    assert_memory_equal(bytes, rows[i].bytes, (size_t)count);
  }
  static const char *const bad[] = {"Zg=", "Z===", "====", "Zm9\n", "Zm=v"};
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    const uint8_t *bytes;
    int64_t count;
    assert_false(
        kernel_base64_decode(arena, bad[i], (int64_t)strlen(bad[i]), &bytes, &count));
  }
  pod_arena_destroy(arena);
}

// Every so many places of a kernel's module changed to another digit: a result or an
// error, and the error has a place.
static void test_a_changed_module_is_timed_or_refused(void **state) {
  (void)state;
  static const char *const names[] = {"product_in_scan", "splash_causal", "in_place"};
  for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
    char *text = kernel_text(names[n]);
    char *body = strstr(text, "body\\22: \\22");
    assert_non_null(body);
    body += strlen("body\\22: \\22");
    const size_t length = strcspn(body, "\\");
    for (size_t at = 0; at < length; at += 7) {
      const char kept = body[at];
      body[at] = kept == 'A' ? '/' : 'A';
      compiler_result_t *result = NULL;
      const pod_status_t status = compile_text(text, "v5e", "1x1", &result);
      assert_true((status == NULL) == (result != NULL));
      pod_status_free(status);
      compiler_result_destroy(result);
      body[at] = kept;
    }
    free(text);
  }
}

static void test_a_truncated_module_is_refused(void **state) {
  (void)state;
  char *text = kernel_text("in_place");
  char *body = strstr(text, "body\\22: \\22");
  assert_non_null(body);
  body += strlen("body\\22: \\22");
  const size_t length = strcspn(body, "\\");
  for (size_t cut = 4; cut < length; cut += 4 * 13) {
    const size_t rest = strlen(body + cut);
    char *shorter = malloc((size_t)(body - text) + length - cut + rest + 1);
    assert_non_null(shorter);
    const size_t before = (size_t)(body - text) + length - cut;
    memcpy(shorter, text, before);
    memcpy(shorter + before, body + length, strlen(body + length) + 1);
    compiler_result_t *result = NULL;
    const pod_status_t status = compile_text(shorter, "v5e", "1x1", &result);
    free(shorter);
    assert_non_null(status);
    pod_status_free(status);
  }
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_product_moves_its_blocks_at_every_step),
      cmocka_unit_test(test_published_products_are_met),
      cmocka_unit_test(test_attention_in_small_blocks_waits_for_each_of_its_stages),
      cmocka_unit_test(test_causal_attention_leaves_out_what_its_mask_does),
      cmocka_unit_test(test_the_mask_of_splash_attention_is_read_from_its_constants),
      cmocka_unit_test(test_gradients_have_their_kernels),
      cmocka_unit_test(test_a_grid_that_values_decide_has_the_estimated_flop),
      cmocka_unit_test(test_a_paged_cache_is_read_once),
      cmocka_unit_test(test_a_kernel_in_a_loop_is_one_task_of_its_body),
      cmocka_unit_test(test_a_kernel_in_a_manual_computation_is_local),
      cmocka_unit_test(test_a_megacore_shares_parallel_dimensions_only),
      cmocka_unit_test(test_a_result_takes_its_operands_memory),
      cmocka_unit_test(test_the_same_program_takes_the_same),
      cmocka_unit_test(test_blocks_that_do_not_fit_vmem_are_an_error_as_of_mosaic),
      cmocka_unit_test(test_kernels_that_send_to_other_chips_need_an_estimate),
      cmocka_unit_test(test_a_time_that_rests_on_less_than_the_kernel_is_noted),
      cmocka_unit_test(test_an_estimate_of_zeros_is_none),
      cmocka_unit_test(test_a_program_with_a_kernel_does_not_run),
      cmocka_unit_test(test_a_call_that_says_how_it_is_cut_is_timed_by_its_arrays),
      cmocka_unit_test(test_a_kernel_that_its_rule_cuts_does_its_part),
      cmocka_unit_test(test_configurations_that_are_none_are_refused_at_their_place),
      cmocka_unit_test(test_base64_is_read_to_the_byte),
      cmocka_unit_test(test_a_changed_module_is_timed_or_refused),
      cmocka_unit_test(test_a_truncated_module_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
