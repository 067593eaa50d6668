// How fast modules are compiled, pass by pass: the CPU time of each in milliseconds, the
// operations and bytes per second of all, and the memory at the fullest moment for each
// operation, the module's text not counted. Each case runs several times in a process of
// its own; the medians are reported.
//
// usage: compile_bench [-n OPERATIONS] [CASE …]       (all cases, 100000)
//        compile_bench TOPOLOGY FILE.mlir …

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/check.h"
#include "common/base/text.h"
#include "server/compiler/pipeline.h"
#include "tests/file.h"

enum { RUNS = 3, PASSES_MAX = 32, FUNCTION_OPERATIONS = 6 };

#define TYPE "tensor<64x64xf32>"

static const char *topology = "1x1";
static int operation_count = 100000;

static int compare_times(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

// Of this process: what else runs on the machine does not count.
static int64_t cpu_now_ns(void) {
  struct timespec now;
  POD_CHECK(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) == 0);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// The most memory that this process has had.
static int64_t peak_bytes(void) {
  struct rusage usage;
  POD_CHECK(getrusage(RUSAGE_SELF, &usage) == 0);
  return (int64_t)usage.ru_maxrss * 1024;
}

static double median_ms(const int64_t *times) {
  int64_t sorted[RUNS];
  memcpy(sorted, times, sizeof(sorted));
  qsort(sorted, RUNS, sizeof(*sorted), compare_times);
  return (double)sorted[RUNS / 2] / 1e6;
}

// Returns how many operations the module has.
static uint32_t compile(const char *name, const char *text, int64_t length, int run,
                        int64_t times[PASSES_MAX + 1][RUNS]) {
  compiler_options_t options = {.file_name = name, .spec = chip_spec_find("v5e")};
  POD_CHECK(torus_parse(topology, options.spec, &options.torus, NULL) == NULL);
  pipeline_t pipeline = {.text = text, .length = length, .options = &options};
  int count;
  const pipeline_pass_t *passes = pipeline_passes(&count);
  POD_CHECK(count <= PASSES_MAX);
  const int64_t start = cpu_now_ns();
  uint32_t operations = 0;
  for (int i = 0; i < count; i++) {
    const int64_t before = cpu_now_ns();
    const pod_status_t status = passes[i].run(&pipeline);
    if (status != NULL) {
      fprintf(stderr, "%s: %s\n", passes[i].name, pod_status_message(status));
      exit(1);
    }
    times[i][run] = cpu_now_ns() - before;
    operations = i == 0 ? pipeline.module->op_count : operations;
  }
  times[count][run] = cpu_now_ns() - start;
  pipeline_deinit(&pipeline);
  return operations;
}

static void measure(const char *name, const char *text, int64_t length) {
  static int64_t times[PASSES_MAX + 1][RUNS];
  uint32_t operations = 0;
  const int64_t before_bytes = peak_bytes();
  for (int run = 0; run < RUNS; run++) {
    operations = compile(name, text, length, run, times);
  }
  int count;
  const pipeline_pass_t *passes = pipeline_passes(&count);
  const double all_ms = median_ms(times[count]);
  printf(
      "%s: %u operations, %.1f MB, %.0f ms, %.0f operations/s, %.1f MB/s, %.0f bytes "
      "of memory per operation\n",
      name, operations, (double)length / 1e6, all_ms, operations / all_ms * 1e3,
      (double)length / all_ms / 1e3, (double)(peak_bytes() - before_bytes) / operations);
  for (int i = 0; i < count; i++) {
    printf("  %-12s %8.1f ms\n", passes[i].name, median_ms(times[i]));
  }
}

// Four operations, from `from` and %arg1 to %`first` + 3.
static void add_step(pod_text_t *text, const char *from, int first, bool has_locations) {
  char places[4][64];
  for (int i = 0; i < 4; i++) {
    places[i][0] = '\0';
    if (has_locations) {
      snprintf(places[i], sizeof(places[i]), " loc(#loc%d)", first + i);
    }
  }
  pod_text_printf(text, "  %%%d = stablehlo.add %s, %%arg1 : " TYPE "%s\n", first, from,
                  places[0]);
  pod_text_printf(text, "  %%%d = stablehlo.tanh %%%d : " TYPE "%s\n", first + 1, first,
                  places[1]);
  pod_text_printf(text,
                  "  %%%d = stablehlo.dot_general %%%d, %%arg1, contracting_dims = [1] x "
                  "[0] : (" TYPE ", " TYPE ") -> " TYPE "%s\n",
                  first + 2, first + 1, places[2]);
  pod_text_printf(text, "  %%%d = stablehlo.multiply %%%d, %%%d : " TYPE "%s\n",
                  first + 3, first + 2, first, places[3]);
}

#define SIGNATURE "(%arg0: " TYPE ", %arg1: " TYPE ") -> " TYPE " {\n"
#define FUNCTION_END "  return %%%d : " TYPE "\n}\n"

static void add_line(pod_text_t *text, bool has_locations) {
  char from[16] = "%arg0";
  for (int i = 0; i < operation_count; i += 4) {
    add_step(text, from, i, has_locations);
    snprintf(from, sizeof(from), "%%%d", i + 3);
  }
  pod_text_printf(text, "  return %s : " TYPE "\n}\n", from);
}

static void write_line(pod_text_t *text) {
  pod_text_add(text, "func.func public @main" SIGNATURE);
  add_line(text, false);
}

// As JAX prints it with debug information: a place of its own for every operation.
static void write_locations(pod_text_t *text) {
  pod_text_add(text,
               "#file = loc(\"/home/user/project/model/transformer.py\":12:0)\n"
               "module @jit_step {\nfunc.func public @main" SIGNATURE);
  add_line(text, true);
  pod_text_add(text, "}\n");
  for (int i = 0; i < operation_count; i++) {
    pod_text_printf(
        text,
        "#frame%d = loc(\"/home/user/project/model/layers.py\":%d:%d)\n"
        "#call%d = loc(callsite(#frame%d at #file))\n"
        "#loc%d = loc(\"jit(step)/jit(main)/block_%d/dot_general\"(#call%d))\n",
        i, i % 997, i % 80, i, i, i, i % 32, i);
  }
}

static void write_sharded(pod_text_t *text) {
  topology = "2x2";
  pod_text_add(text,
               "sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\n"
               "func.func public @main(%arg0: " TYPE
               " {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}, %arg1: " TYPE
               " {sdy.sharding = #sdy.sharding<@mesh, [{}, {\"y\"}]>}) -> " TYPE " {\n");
  add_line(text, false);
}

// Nothing waits for anything.
static void write_wide(pod_text_t *text) {
  pod_text_add(text, "func.func public @main" SIGNATURE);
  for (int i = 0; i < operation_count; i++) {
    pod_text_printf(
        text, "  %%%d = stablehlo.add %%arg0, %%arg1 {n = %d : i64} : " TYPE "\n", i, i);
  }
  pod_text_printf(text, FUNCTION_END, operation_count - 1);
}

static void write_functions(pod_text_t *text) {
  const int count = operation_count / FUNCTION_OPERATIONS;
  for (int i = 0; i < count; i++) {
    pod_text_printf(text, "func.func private @f%d", i);
    pod_text_add(text, SIGNATURE);
    add_step(text, "%arg0", 0, false);
    pod_text_printf(text, FUNCTION_END, 3);
  }
  pod_text_add(text, "func.func public @main" SIGNATURE);
  for (int i = 0; i < count; i++) {
    pod_text_printf(text, "  %%%d = func.call @f%d(", i, i);
    pod_text_printf(text, i == 0 ? "%%arg0" : "%%%d", i - 1);
    pod_text_add(text, ", %arg1) : (" TYPE ", " TYPE ") -> " TYPE "\n");
  }
  pod_text_printf(text, FUNCTION_END, count - 1);
}

// Every function calls the one before it twice, up to as many operations as are wanted.
static void write_calls(pod_text_t *text) {
  int depth = 0;
  pod_text_add(text, "func.func private @f0" SIGNATURE);
  add_step(text, "%arg0", 0, false);
  pod_text_printf(text, FUNCTION_END, 3);
  for (int count = 4; 2 * count <= operation_count; count *= 2) {
    depth++;
    pod_text_printf(text, "func.func private @f%d", depth);
    pod_text_add(text, SIGNATURE);
    for (int i = 0; i < 2; i++) {
      pod_text_printf(text,
                      "  %%%d = func.call @f%d(%%arg%d, %%arg1) : (" TYPE ", " TYPE
                      ") -> " TYPE "\n",
                      i, depth - 1, i);
    }
    pod_text_add(text, "  %2 = stablehlo.add %0, %1 : " TYPE "\n");
    pod_text_printf(text, FUNCTION_END, 2);
  }
  pod_text_add(text, "func.func public @main" SIGNATURE);
  pod_text_printf(
      text, "  %%0 = func.call @f%d(%%arg0, %%arg1) : (" TYPE ", " TYPE ") -> " TYPE "\n",
      depth);
  pod_text_printf(text, FUNCTION_END, 0);
}

static void write_loops(pod_text_t *text) {
  pod_text_add(text, "func.func public @main" SIGNATURE
                     "  %c = stablehlo.constant dense<1> : tensor<i32>\n"
                     "  %n = stablehlo.constant dense<9> : tensor<i32>\n");
  char from[16] = "%arg0";
  const int count = operation_count / 8;
  for (int i = 0; i < count; i++) {
    pod_text_printf(
        text,
        "  %%l%d:2 = stablehlo.while(%%i = %%c, %%x = %s) : tensor<i32>, " TYPE
        "\n"
        "    cond {\n"
        "      %%p = stablehlo.compare LT, %%i, %%n : (tensor<i32>, tensor<i32>) -> "
        "tensor<i1>\n"
        "      stablehlo.return %%p : tensor<i1>\n"
        "    } do {\n"
        "      %%j = stablehlo.add %%i, %%c : tensor<i32>\n"
        "      %%y = stablehlo.multiply %%x, %%arg1 : " TYPE
        "\n"
        "      %%z = stablehlo.tanh %%y : " TYPE
        "\n"
        "      stablehlo.return %%j, %%z : tensor<i32>, " TYPE
        "\n"
        "    }\n",
        i, from);
    snprintf(from, sizeof(from), "%%l%d#1", i);
  }
  pod_text_printf(text, "  return %s : " TYPE "\n}\n", from);
}

// Every second operation is a constant of its own.
static void write_constants(pod_text_t *text) {
  pod_text_add(text, "func.func public @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {\n");
  char from[16] = "%arg0";
  for (int i = 0; i < operation_count / 2; i++) {
    pod_text_printf(text,
                    "  %%c%d = stablehlo.constant dense<[%d.5, 2.0, 3.0, 4.0]> : "
                    "tensor<4xf32>\n"
                    "  %%%d = stablehlo.add %s, %%c%d : tensor<4xf32>\n",
                    i, i, i, from, i);
    snprintf(from, sizeof(from), "%%%d", i);
  }
  pod_text_printf(text, "  return %s : tensor<4xf32>\n}\n", from);
}

// A tenth as many arguments and results, each passed through a few operations.
static void write_arguments(pod_text_t *text) {
  const int count = operation_count / 10;
  pod_text_add(text, "func.func public @main(");
  for (int i = 0; i < count; i++) {
    pod_text_printf(text, "%s%%a%d: " TYPE, i > 0 ? ", " : "", i);
  }
  pod_text_add(text, ") -> (");
  for (int i = 0; i < count; i++) {
    pod_text_printf(text, "%s" TYPE, i > 0 ? ", " : "");
  }
  pod_text_add(text, ") {\n");
  for (int i = 0; i < count; i++) {
    pod_text_printf(text, "  %%%d = stablehlo.add %%a%d, %%a%d : " TYPE "\n", i, i,
                    (i + 1) % count);
  }
  pod_text_add(text, "  return ");
  for (int i = 0; i < count; i++) {
    pod_text_printf(text, "%s%%%d", i > 0 ? ", " : "", i);
  }
  pod_text_add(text, " : ");
  for (int i = 0; i < count; i++) {
    pod_text_printf(text, "%s" TYPE, i > 0 ? ", " : "");
  }
  pod_text_add(text, "\n}\n");
}

// 100 MB of weights: as hexadecimal digits, or as a list of numbers.
static void write_weights(pod_text_t *text, bool is_hex) {
  const int count = operation_count * (is_hex ? 125 : 100);
  pod_text_printf(text, "func.func public @main() -> tensor<%dxf32> {\n", count);
  pod_text_add(text, is_hex ? "  %0 = stablehlo.constant dense<\"0x"
                            : "  %0 = stablehlo.constant dense<[");
  for (int i = 0; i < count; i++) {
    pod_text_printf(text, is_hex ? "%08X" : (i == 0 ? "%d.25" : ", %d.25"),
                    is_hex ? 0x3F800000 + i : i % 100000);
  }
  pod_text_printf(text, "%s> : tensor<%dxf32>\n  return %%0 : tensor<%dxf32>\n}\n",
                  is_hex ? "\"" : "]", count, count);
}

static void write_hex(pod_text_t *text) {
  write_weights(text, true);
}

static void write_decimals(pod_text_t *text) {
  write_weights(text, false);
}

static const struct {
  const char *name;
  void (*write)(pod_text_t *text);
} cases[] = {
    {"line", write_line},           {"sharded", write_sharded},
    {"locations", write_locations}, {"wide", write_wide},
    {"functions", write_functions}, {"calls", write_calls},
    {"loops", write_loops},         {"constants", write_constants},
    {"arguments", write_arguments}, {"hex", write_hex},
    {"decimals", write_decimals},
};

static bool is_wanted(const char *name, int count, char **names) {
  bool is = count == 0;
  for (int i = 0; i < count; i++) {
    is = is || strcmp(names[i], name) == 0;
  }
  return is;
}

// In a process of its own: the memory of one case is not the next one's.
static void run_case(size_t index) {
  fflush(stdout);
  const pid_t child = fork();
  POD_CHECK(child >= 0);
  if (child == 0) {
    pod_text_t text = {0};
    cases[index].write(&text);
    measure(cases[index].name, text.bytes, (int64_t)text.length);
    pod_text_deinit(&text);
    exit(0);
  }
  int status;
  POD_CHECK(waitpid(child, &status, 0) == child);
  if (status != 0) {
    exit(1);
  }
}

static void measure_file(const char *path) {
  pod_text_t text = {0};
  POD_CHECK(read_file(path, &text));
  measure(path, text.bytes, (int64_t)text.length);
  pod_text_deinit(&text);
}

int main(int argc, char **argv) {
  int first = 1;
  if (argc > 2 && strcmp(argv[1], "-n") == 0) {
    operation_count = atoi(argv[2]);
    POD_CHECK(operation_count >= 100 && operation_count <= 10000000);
    first = 3;
  }
  if (argc > first + 1 && strchr(argv[argc - 1], '.') != NULL) {
    topology = argv[first];
    for (int i = first + 1; i < argc; i++) {
      measure_file(argv[i]);
    }
    return 0;
  }
  for (size_t i = 0; i < POD_COUNT_OF(cases); i++) {
    if (is_wanted(cases[i].name, argc - first, argv + first)) {
      run_case(i);
    }
  }
  return 0;
}
