// A decoder of 8 billion parameters that adds a token to its cache, which is donated: it
// reads its weights and its cache once, and writes what is new. What the modules are:
// decode/generate.py.

#include <stdio.h>
#include <stdlib.h>

#include "server/compiler/compiler.h"
#include "server/simulator/simulator.h"
#include "tests/unit/server/compiler/text.h"

enum { OFF_PERCENT = 15 };

static compiler_options_t options_of(const char *kind) {
  compiler_options_t options = {.file_name = "decode", .spec = chip_spec_find(kind)};
  const chip_spec_t *spec;
  assert_ok(torus_parse("1x1", options.spec, &options.torus, &spec));
  return options;
}

static compiler_result_t *compile(const char *name, const compiler_options_t *options) {
  char path[512];
  snprintf(path, sizeof(path), "%s/%s.mlir", POD_DECODE, name);
  char *text = read_text(path);
  compiler_result_t *result = NULL;
  assert_ok(compiler_compile(text, (int64_t)strlen(text), options, &result));
  free(text);
  return result;
}

static int64_t step_ps(const compiler_result_t *compiled,
                       const compiler_options_t *options) {
  pod_arena_t *arena = pod_arena_create();
  const chip_trace_t *const *traces;
  assert_ok(simulator_trace(compiled->program, 1, NULL, 0, arena, &traces));
  const simulator_options_t simulation = {
      .spec = options->spec, .torus = &options->torus, .traces = traces};
  simulator_result_t *result;
  assert_ok(simulator_run(compiled->program, &simulation, &result));
  const int64_t step = result->step_ps;
  simulator_result_destroy(result);
  pod_arena_destroy(arena);
  return step;
}

// All arguments are read once: weights and caches.
static void check_step(const char *name) {
  const compiler_options_t options = options_of("v5e");
  compiler_result_t *compiled = compile(name, &options);
  const chip_memory_t *memory = &compiled->program->memory;
  const double bound_ps =
      (double)memory->argument_bytes / options.spec->hbm_bytes_per_s * 1e12;
  const int64_t predicted_ps = step_ps(compiled, &options);
  print_message("%s: %.1f us, bound %.1f us\n", name, (double)predicted_ps / 1e6,
                bound_ps / 1e6);
  assert_true((double)predicted_ps >= bound_ps);
  assert_true((double)predicted_ps <= bound_ps * (100 + OFF_PERCENT) / 100);
  compiler_result_destroy(compiled);
}

static void test_a_donated_cache_is_read_once(void **state) {
  (void)state;
  check_step("layer");
}

static void test_so_are_those_of_a_tuple_of_layers(void **state) {
  (void)state;
  check_step("layers");
}

static void test_so_is_one_that_a_scan_carries(void **state) {
  (void)state;
  check_step("scanned");
}

// Arguments, of which the caches are results too, and next to nothing else.
static void test_a_donated_cache_counts_once(void **state) {
  (void)state;
  static const char *const names[] = {"layer", "layers", "scanned"};
  const compiler_options_t options = options_of("v5e");
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    compiler_result_t *compiled = compile(names[i], &options);
    const chip_memory_t *memory = &compiled->program->memory;
    assert_true(memory->alias_bytes >= (int64_t)512 << 20);
    assert_true(memory->output_bytes - memory->alias_bytes < 1 << 20);
    assert_true(chip_program_hbm_bytes(compiled->program) <
                memory->argument_bytes + (64 << 20));
    compiler_result_destroy(compiled);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_donated_cache_is_read_once),
      cmocka_unit_test(test_so_are_those_of_a_tuple_of_layers),
      cmocka_unit_test(test_so_is_one_that_a_scan_carries),
      cmocka_unit_test(test_a_donated_cache_counts_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
