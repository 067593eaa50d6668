// How fast modules are compiled, pass by pass: the CPU time of each in milliseconds, and
// the operations per second of all. Each case is run several times; the medians are
// reported.
//
// usage: compile_bench [TOPOLOGY FILE.mlir …]   (instead of the built-in cases)

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/check.h"
#include "common/base/text.h"
#include "server/compiler/pipeline.h"
#include "tests/file.h"

enum { RUNS = 3, PASSES_MAX = 32, OPERATIONS = 100000, FUNCTION_OPERATIONS = 6 };

#define TYPE "tensor<64x64xf32>"

static const char *topology = "1x1";

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
  for (int run = 0; run < RUNS; run++) {
    operations = compile(name, text, length, run, times);
  }
  int count;
  const pipeline_pass_t *passes = pipeline_passes(&count);
  const double all_ms = median_ms(times[count]);
  printf("%s: %u operations, %.1f MB, %.0f ms, %.0f operations/s\n", name, operations,
         (double)length / 1e6, all_ms, operations / all_ms * 1e3);
  for (int i = 0; i < count; i++) {
    printf("  %-12s %8.1f ms\n", passes[i].name, median_ms(times[i]));
  }
}

// Four operations, from `from` and %arg1 to %`first` + 3.
static void add_step(pod_text_t *text, const char *from, int first) {
  pod_text_printf(text,
                  "  %%%d = stablehlo.add %s, %%arg1 : " TYPE
                  "\n"
                  "  %%%d = stablehlo.tanh %%%d : " TYPE
                  "\n"
                  "  %%%d = stablehlo.dot_general %%%d, %%arg1, contracting_dims = [1] x "
                  "[0] : (" TYPE ", " TYPE ") -> " TYPE
                  "\n"
                  "  %%%d = stablehlo.multiply %%%d, %%%d : " TYPE "\n",
                  first, from, first + 1, first, first + 2, first + 1, first + 3,
                  first + 2, first);
}

#define SIGNATURE "(%%arg0: " TYPE ", %%arg1: " TYPE ") -> " TYPE " {\n"

static void measure_line(void) {
  pod_text_t text = {0};
  pod_text_printf(&text, "func.func public @main" SIGNATURE);
  char from[16] = "%arg0";
  for (int i = 0; i < OPERATIONS; i += 4) {
    add_step(&text, from, i);
    snprintf(from, sizeof(from), "%%%d", i + 3);
  }
  pod_text_printf(&text, "  return %s : " TYPE "\n}\n", from);
  measure("one function", text.bytes, (int64_t)text.length);
  pod_text_deinit(&text);
}

static void measure_functions(void) {
  pod_text_t text = {0};
  const int count = OPERATIONS / FUNCTION_OPERATIONS;
  for (int i = 0; i < count; i++) {
    pod_text_printf(&text, "func.func private @f%d" SIGNATURE, i);
    add_step(&text, "%arg0", 0);
    pod_text_printf(&text, "  return %%3 : " TYPE "\n}\n");
  }
  pod_text_printf(&text, "func.func public @main" SIGNATURE);
  char from[16] = "%arg0";
  for (int i = 0; i < count; i++) {
    pod_text_printf(
        &text, "  %%%d = func.call @f%d(%s, %%arg1) : (" TYPE ", " TYPE ") -> " TYPE "\n",
        i, i, from);
    snprintf(from, sizeof(from), "%%%d", i);
  }
  pod_text_printf(&text, "  return %s : " TYPE "\n}\n", from);
  measure("many functions", text.bytes, (int64_t)text.length);
  pod_text_deinit(&text);
}

static void measure_file(const char *path) {
  pod_text_t text = {0};
  POD_CHECK(read_file(path, &text));
  measure(path, text.bytes, (int64_t)text.length);
  pod_text_deinit(&text);
}

int main(int argc, char **argv) {
  if (argc == 1) {
    measure_line();
    measure_functions();
  }
  for (int i = 2; i < argc; i++) {
    topology = argv[1];
    measure_file(argv[i]);
  }
  return 0;
}
