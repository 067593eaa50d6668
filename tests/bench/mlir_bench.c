// How fast MLIR text is parsed and printed: constants in bytes of text, operations by
// number. Each case is run several times; the median is reported.
//
// usage: mlir_bench [FILE.mlir …]   (files are timed too)

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/base/random.h"
#include "common/mlir/parser.h"
#include "common/mlir/printer.h"
#include "server/compiler/dialect/syntax.h"
#include "tests/file.h"

enum { RUNS = 7, ELEMENTS = 1000000, OPERATIONS = 200000 };

static int compare_times(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static double median_seconds(int64_t *times) {
  qsort(times, RUNS, sizeof(*times), compare_times);
  return (double)times[RUNS / 2] / 1e9;
}

static mlir_module_t *parse(const char *name, const char *text, int64_t length) {
  mlir_module_t *module = NULL;
  const pod_status_t status = compiler_parse(name, text, length, &module);
  if (status != NULL) {
    fprintf(stderr, "%s\n", pod_status_message(status));
    exit(1);
  }
  return module;
}

static void measure(const char *name, const char *text, int64_t length) {
  int64_t parse_ns[RUNS], print_ns[RUNS];
  uint32_t operations = 0;
  int64_t printed = 0;
  for (int i = 0; i < RUNS; i++) {
    const int64_t start = pod_clock_now_ns();
    mlir_module_t *module = parse(name, text, length);
    const int64_t parsed = pod_clock_now_ns();
    pod_text_t out = {0};
    mlir_print(&out, module, &(mlir_print_options_t){.lookup = compiler_syntax_lookup});
    print_ns[i] = pod_clock_now_ns() - parsed;
    parse_ns[i] = parsed - start;
    operations = module->op_count;
    printed = (int64_t)out.length;
    pod_text_deinit(&out);
    mlir_module_destroy(module);
  }
  const double parse_s = median_seconds(parse_ns), print_s = median_seconds(print_ns);
  printf("%-28s %8.1f MB  parse %7.1f MB/s %9.0f ops/s   print %7.1f MB/s %9.0f ops/s\n",
         name, (double)length / 1e6, (double)length / 1e6 / parse_s, operations / parse_s,
         (double)printed / 1e6 / print_s, operations / print_s);
}

static void measure_constants(const char *name, const char *format, double scale,
                              const char *type) {
  pod_random_t random = {1};
  pod_text_t text = {0};
  pod_text_add(&text, "func.func @main() {\n  %c = stablehlo.constant dense<[");
  for (int i = 0; i < ELEMENTS; i++) {
    pod_text_add(&text, i > 0 ? ", " : "");
    pod_text_printf(&text, format, (pod_random_uniform(&random) - 0.5) * scale);
  }
  pod_text_printf(&text, "]> : tensor<%dx%s>\n  return\n}\n", ELEMENTS, type);
  measure(name, text.bytes, (int64_t)text.length);
  pod_text_deinit(&text);
}

static void measure_hex(void) {
  pod_text_t text = {0};
  pod_text_add(&text, "func.func @main() {\n  %c = stablehlo.constant dense<\"0x");
  for (int i = 0; i < 4 * ELEMENTS; i++) {
    pod_text_printf(&text, "%02X", i & 0xff);
  }
  pod_text_printf(&text, "\"> : tensor<%dxi32>\n  return\n}\n", ELEMENTS);
  measure("hex string", text.bytes, (int64_t)text.length);
  pod_text_deinit(&text);
}

// A long chain as a transformer's layers give it.
static void measure_operations(void) {
  pod_text_t text = {0};
  pod_text_add(
      &text,
      "func.func @main(%arg0: tensor<8x2048xbf16>, %arg1: tensor<2048x2048xbf16>) "
      "-> tensor<8x2048xbf16> {\n  %0 = stablehlo.abs %arg0 : "
      "tensor<8x2048xbf16>\n");
  for (int i = 0; i < OPERATIONS; i += 4) {
    pod_text_printf(
        &text,
        "  %%%d = stablehlo.dot_general %%%d, %%arg1, contracting_dims = [1] x [0], "
        "precision = [DEFAULT, DEFAULT] : (tensor<8x2048xbf16>, tensor<2048x2048xbf16>) "
        "-> "
        "tensor<8x2048xbf16>\n"
        "  %%%d = stablehlo.add %%%d, %%%d : tensor<8x2048xbf16>\n"
        "  %%%d = stablehlo.broadcast_in_dim %%%d, dims = [0, 1] : (tensor<8x2048xbf16>) "
        "-> "
        "tensor<8x2048xbf16>\n"
        "  %%%d = stablehlo.tanh %%%d : tensor<8x2048xbf16>\n",
        i + 1, i, i + 2, i + 1, i, i + 3, i + 2, i + 4, i + 3);
  }
  pod_text_printf(&text, "  return %%%d : tensor<8x2048xbf16>\n}\n", OPERATIONS);
  measure("operations", text.bytes, (int64_t)text.length);
  pod_text_deinit(&text);
}

static void measure_file(const char *path) {
  pod_text_t text = {0};
  POD_CHECK(read_file(path, &text));
  measure(path, text.bytes, (int64_t)text.length);
  pod_text_deinit(&text);
}

int main(int argc, char **argv) {
  measure_constants("f32, as JAX prints", "%.6e", 10, "f32");
  measure_constants("f32, nine digits", "%.8e", 10, "f32");
  measure_constants("f64, seventeen digits", "%.16e", 10, "f64");
  measure_constants("i32", "%.0f", 2e6, "i32");
  measure_hex();
  measure_operations();
  for (int i = 1; i < argc; i++) {
    measure_file(argv[i]);
  }
  return 0;
}
