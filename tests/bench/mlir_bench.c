// How fast MLIR is read, as text and as bytecode, and printed: constants in bytes of
// text, operations by number. Each case is run several times; the median is reported.
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
#include "tests/bytecode_writer.h"
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

// The same program as a portable artifact.
static uint64_t vhlo_attr(bytecode_writer_t *writer, int count, const uint64_t *numbers) {
  return bytecode_entry(writer, false, BYTECODE_VHLO, count, numbers);
}

// dense<…> of 64-bit integers.
static uint64_t vhlo_dims(bytecode_writer_t *writer, int64_t count, const int64_t *dims,
                          uint64_t type) {
  const uint64_t attr = (uint64_t)writer->attr_count++;
  const size_t start = writer->attrs.length;
  bytecode_varint(&writer->attrs, 15);
  bytecode_varint(&writer->attrs, type);
  bytecode_varint(&writer->attrs, (uint64_t)count * sizeof(*dims));
  pod_text_add_bytes(&writer->attrs, dims, (size_t)count * sizeof(*dims));
  bytecode_varint(&writer->attr_offsets, BYTECODE_VHLO);
  bytecode_varint(&writer->attr_offsets, 1);
  bytecode_varint(&writer->attr_offsets, (writer->attrs.length - start) << 1 | 1);
  return attr;
}

static uint64_t vhlo_tensor(bytecode_writer_t *writer, uint64_t rows, uint64_t columns,
                            uint64_t element) {
  return bytecode_entry(writer, true, BYTECODE_VHLO,
                        BYTECODE_NUMBERS(20, 2, 2 * rows, 2 * columns, element));
}

static uint64_t vhlo_list(bytecode_writer_t *writer, uint64_t size, uint64_t element) {
  return bytecode_entry(writer, true, BYTECODE_VHLO,
                        BYTECODE_NUMBERS(20, 1, 2 * size, element));
}

static void measure_bytecode(void) {
  static const int64_t zero_one[] = {0, 1};
  bytecode_writer_t writer = {0};
  bytecode_writer_t *const w = &writer;
  const uint64_t module = bytecode_name(w, BYTECODE_BUILTIN, "module");
  const uint64_t func = bytecode_name(w, BYTECODE_FUNC, "func");
  const uint64_t ret = bytecode_name(w, BYTECODE_VHLO, "return_v1");
  const uint64_t abs = bytecode_name(w, BYTECODE_VHLO, "abs_v1");
  const uint64_t dot = bytecode_name(w, BYTECODE_VHLO, "dot_general_v2");
  const uint64_t add = bytecode_name(w, BYTECODE_VHLO, "add_v1");
  const uint64_t broadcast = bytecode_name(w, BYTECODE_VHLO, "broadcast_in_dim_v1");
  const uint64_t tanh = bytecode_name(w, BYTECODE_VHLO, "tanh_v2");
  const uint64_t bf16 = bytecode_entry(w, true, BYTECODE_VHLO, BYTECODE_NUMBERS(2));
  const uint64_t i64 = bytecode_entry(w, true, BYTECODE_VHLO, BYTECODE_NUMBERS(14));
  const uint64_t none_type = bytecode_entry(w, true, BYTECODE_VHLO, BYTECODE_NUMBERS(33));
  const uint64_t x = vhlo_tensor(w, 8, 2048, bf16), y = vhlo_tensor(w, 2048, 2048, bf16);
  const uint64_t of[] = {vhlo_list(w, 0, i64), vhlo_list(w, 1, i64),
                         vhlo_list(w, 2, i64)};
  const uint64_t signature =
      bytecode_entry(w, true, BYTECODE_VHLO, BYTECODE_NUMBERS(8, 2, x, y, 1, x));
  const uint64_t location =
      bytecode_entry(w, false, BYTECODE_BUILTIN, BYTECODE_NUMBERS(15));
  const uint64_t name = vhlo_attr(w, BYTECODE_NUMBERS(14, bytecode_string(w, "main")));
  const uint64_t type = vhlo_attr(w, BYTECODE_NUMBERS(17, signature));
  const uint64_t none = vhlo_attr(w, BYTECODE_NUMBERS(17, none_type));
  const uint64_t high = vhlo_attr(w, BYTECODE_NUMBERS(11, 0));
  const uint64_t precision = vhlo_attr(w, BYTECODE_NUMBERS(1, 2, high, high));
  const uint64_t mode = vhlo_attr(w, BYTECODE_NUMBERS(19, 0));
  const uint64_t exact = vhlo_attr(w, BYTECODE_NUMBERS(20, 0, 0, 0, mode));
  const uint64_t empty = vhlo_dims(w, 0, NULL, of[0]);
  const uint64_t first = vhlo_dims(w, 1, zero_one, of[1]);
  const uint64_t second = vhlo_dims(w, 1, zero_one + 1, of[1]);
  const uint64_t both = vhlo_dims(w, 2, zero_one, of[2]);
  const uint64_t of_func =
      bytecode_properties(w, BYTECODE_NUMBERS(0, type, 0, 0, name, 0));
  const uint64_t of_dot =
      bytecode_properties(w, BYTECODE_NUMBERS(none, none, empty, none, second, none, none,
                                              precision, empty, none, first, none));
  const uint64_t of_broadcast = bytecode_properties(w, BYTECODE_NUMBERS(both));
  const uint64_t of_tanh = bytecode_properties(w, BYTECODE_NUMBERS(exact));
  bytecode_op(w, abs, location, -1, (int64_t)x, BYTECODE_NUMBERS(0));
  uint64_t last = 2;  // Behind the arguments.
  for (int i = 0; i < OPERATIONS; i += 4, last += 4) {
    const int64_t result = (int64_t)x;
    bytecode_op(w, dot, location, (int64_t)of_dot, result, BYTECODE_NUMBERS(last, 1));
    bytecode_op(w, add, location, -1, result, BYTECODE_NUMBERS(last + 1, last));
    bytecode_op(w, broadcast, location, (int64_t)of_broadcast, result,
                BYTECODE_NUMBERS(last + 2));
    bytecode_op(w, tanh, location, (int64_t)of_tanh, result, BYTECODE_NUMBERS(last + 3));
  }
  bytecode_op(w, ret, location, -1, -1, BYTECODE_NUMBERS(last));
  pod_text_t function = {0}, text = {0};
  const uint64_t arguments[] = {x, y};
  bytecode_function(w, &function, func, location, of_func, 2, arguments);
  bytecode_finish(w, module, location, &function, &text);
  measure("operations, as bytecode", text.bytes, (int64_t)text.length);
  pod_text_deinit(&function);
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
  measure_bytecode();
  for (int i = 1; i < argc; i++) {
    measure_file(argv[i]);
  }
  return 0;
}
