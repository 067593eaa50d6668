// Random modules on one chip and on a slow reference: see README.md.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "common/base/log.h"
#include "tests/differential/coverage.h"
#include "tests/differential/differential.h"

enum {
  ROUNDS = 1000,
  OPS_MAX = 24,
  FINDINGS_MAX = 20,
  COVERAGE_MODULES = 400,
  COVERAGE_OPS = 8,
};

static const char *setting(const char *name, const char *otherwise) {
  const char *value = getenv(name);
  return value != NULL ? value : otherwise;
}

static void print_case(const char *title, device_t *device,
                       const generate_case_t *generated) {
  pod_text_t text = {0};
  differential_check(device, generated, &text);
  differential_print(generated, &text);
  fprintf(stderr, "--- %s\n%s\n", title, text.bytes);
  pod_text_deinit(&text);
}

static bool try_seed(device_t *device, uint64_t seed, const char *only, bool prints) {
  generate_case_t *generated =
      generate_case(seed, 1 + (int)(seed % OPS_MAX), only, device_is_alone(device));
  pod_text_t report = {0};
  const bool is_good = differential_check(device, generated, &report);
  if (prints) {
    print_case("the whole module", device, generated);
  }
  if (!is_good) {
    fprintf(stderr, "seed %llu: %s", (unsigned long long)seed, report.bytes);
    generate_case_t *smaller = differential_reduce(device, generated);
    print_case(smaller != NULL ? "reduced" : "as a whole only", device,
               smaller != NULL ? smaller : generated);
    generate_case_destroy(smaller);
  }
  pod_text_deinit(&report);
  generate_case_destroy(generated);
  return is_good;
}

// PODIUM_SEED: the first seed (1). PODIUM_ROUNDS: how many seeds. PODIUM_SECONDS: go on
// until these are over. PODIUM_OP: modules of this operation only. PODIUM_PRINT: print
// the modules.
static void try_seeds(device_t *device) {
  const char *only = getenv("PODIUM_OP");
  if (only != NULL && !generate_has_row(only)) {
    fail_msg("there is no row for PODIUM_OP=%s", only);
  }
  const bool prints = getenv("PODIUM_PRINT") != NULL;
  const uint64_t first = strtoull(setting("PODIUM_SEED", "1"), NULL, 10);
  const long seconds = strtol(setting("PODIUM_SECONDS", "0"), NULL, 10);
  const long rounds = strtol(
      setting("PODIUM_ROUNDS", getenv("PODIUM_SEED") != NULL ? "1" : "0"), NULL, 10);
  const uint64_t count = (uint64_t)(rounds > 0 ? rounds : ROUNDS);
  const time_t start = time(NULL);
  int findings = 0;
  uint64_t tried = 0;
  for (; (seconds > 0 ? time(NULL) - start < seconds : tried < count) &&
         findings < FINDINGS_MAX;
       tried++) {
    findings += try_seed(device, first + tried, only, prints) ? 0 : 1;
  }
  const int64_t sent_bytes = device_bytes_sent(device);
  assert_true(sent_bytes > 0 || device_is_alone(device) || findings > 0);
  device_destroy(device);
  if (seconds > 0) {
    fprintf(stderr, "seeds %llu to %llu: %d findings, %lld bytes between chips\n",
            (unsigned long long)first, (unsigned long long)(first + tried - 1), findings,
            (long long)sent_bytes);
  }
  assert_int_equal(findings, 0);
}

static void test_the_chip_computes_what_the_reference_computes(void **state) {
  (void)state;
  try_seeds(device_create());
}

// PODIUM_MESH: only this; 0: only the other.
static void test_a_mesh_computes_what_the_reference_computes(void **state) {
  (void)state;
  try_seeds(device_create_mesh());
}

// Every operation of the generator has a row in the reference.
static void test_the_reference_knows_what_is_generated(void **state) {
  (void)state;
  for (int i = 0; i < generate_row_count(); i++) {
    if (!reference_knows(generate_row(i)->name)) {
      fail_msg("the reference has no row for %s", generate_row(i)->name);
    }
  }
}

static bool is_covered(const coverage_t *coverage) {
  pod_text_t report = {0};
  coverage_report(coverage, &report);
  const bool is_empty = report.length == 0;
  pod_text_deinit(&report);
  return is_empty;
}

// Modules of every row hold every operation there is, with every element type that the
// specification admits, but for the exceptions of coverage.c.
static void test_every_operation_is_generated_with_every_type(void **state) {
  (void)state;
  static coverage_t coverage;
  coverage_init(&coverage);
  pod_text_t report = {0};
  for (uint64_t seed = 1; seed <= COVERAGE_MODULES && !is_covered(&coverage); seed++) {
    for (int i = 0; i < generate_row_count(); i++) {
      generate_case_t *generated =
          generate_case(seed, COVERAGE_OPS, generate_row(i)->name, true);
      coverage_add(&coverage, generated->module, &report);
      generate_case_destroy(generated);
    }
  }
  coverage_report(&coverage, &report);
  if (report.length > 0) {
    fprintf(stderr, "%s", report.bytes);
  }
  assert_int_equal(report.length, 0);
  pod_text_deinit(&report);
}

// A program's random numbers are the same whenever it runs, on however many chips.
static void test_random_numbers_are_the_programs_own(void **state) {
  (void)state;
  static const char text[] =
      "func.func @main() -> (tensor<4x6xf32>, tensor<8xi32>) {\n"
      "  %a = stablehlo.constant dense<0.0> : tensor<f32>\n"
      "  %b = stablehlo.constant dense<1.0> : tensor<f32>\n"
      "  %s = stablehlo.constant dense<[4, 6]> : tensor<2xi64>\n"
      "  %0 = stablehlo.rng %a, %b, %s, distribution = NORMAL : (tensor<f32>, "
      "tensor<f32>, tensor<2xi64>) -> tensor<4x6xf32>\n"
      "  %c = stablehlo.constant dense<-5> : tensor<i32>\n"
      "  %d = stablehlo.constant dense<100> : tensor<i32>\n"
      "  %t = stablehlo.constant dense<8> : tensor<1xi64>\n"
      "  %1 = stablehlo.rng %c, %d, %t, distribution = UNIFORM : (tensor<i32>, "
      "tensor<i32>, tensor<1xi64>) -> tensor<8xi32>\n"
      "  return %0, %1 : tensor<4x6xf32>, tensor<8xi32>\n"
      "}\n";
  const int64_t dims[] = {4, 6}, size = 8;
  pod_arena_t *arena = pod_arena_create();
  device_t *devices[] = {device_create(), device_create(), device_create_mesh()};
  reference_value_t results[3][2];
  for (int i = 0; i < 3; i++) {
    results[i][0].shape = tensor_shape_make(TENSOR_F32, 2, dims);
    results[i][1].shape = tensor_shape_make(TENSOR_S32, 1, &size);
    assert_null(device_run(devices[i], text, (int64_t)strlen(text), arena, 0, NULL, 2,
                           results[i]));
    device_destroy(devices[i]);
    for (int j = 0; j < 2; j++) {
      assert_memory_equal(results[i][j].data, results[0][j].data,
                          (size_t)tensor_shape_bytes(&results[0][j].shape));
    }
  }
  pod_arena_destroy(arena);
}

int main(void) {
  pod_log_init("differential", POD_LOG_ERROR);
  const char *mesh = getenv("PODIUM_MESH");
  if (mesh != NULL) {
    cmocka_set_test_filter(strcmp(mesh, "0") == 0
                               ? "test_the_chip_computes_what_the_reference_computes"
                               : "test_a_mesh_computes_what_the_reference_computes");
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_reference_knows_what_is_generated),
      cmocka_unit_test(test_every_operation_is_generated_with_every_type),
      cmocka_unit_test(test_random_numbers_are_the_programs_own),
      cmocka_unit_test(test_the_chip_computes_what_the_reference_computes),
      cmocka_unit_test(test_a_mesh_computes_what_the_reference_computes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
