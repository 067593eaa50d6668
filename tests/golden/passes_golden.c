// Text in, text out. A case is a file:
//
//   // passes: inline simplify       what to run, in order, on the parsed module
//   module { … }
//   // -----
//   module { … }                      what must come out, to the letter
//
// Passes: expand and verify come first by themselves; verify again, inline, simplify;
// partition=N for N devices; place; lower, which prints the program instead of the module
// (without a partition before it, for one device); tasks=v5e:2x2 fuses, schedules and
// lowers for a pod of those chips and prints the tasks behind the module; collectives=
// v5e:2x2:combine=on rewrites the collectives of the partitioned module for that pod. An
// error of a pass is printed in the place of the module.
//
// usage: golden.passes FILE.mlir…       With POD_UPDATE_GOLDEN set, writes what comes out
//                                       into the files.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/mlir/parser.h"
#include "common/mlir/printer.h"
#include "server/compiler/collectives/collectives.h"
#include "server/compiler/dialect/syntax.h"
#include "server/compiler/legalize/legalize.h"
#include "server/compiler/lower/lower.h"
#include "server/compiler/partition/partition.h"
#include "server/compiler/pipeline.h"
#include "server/compiler/placement/placement.h"
#include "server/compiler/simplify/simplify.h"
#include "server/compiler/verify/verify.h"
#include "tests/file.h"

static const char marker[] = "// -----\n";

typedef struct run_t {
  mlir_module_t *module;
  mlir_module_t *source;  // Of a partitioned module.
  compiler_partitioned_t partitioned;
  chip_program_t *program;
  bool prints_tasks;
} run_t;

static pod_status_t partition(run_t *run, int64_t devices) {
  run->source = run->module;
  POD_TRY(compiler_partition(run->source, devices, &run->partitioned));
  run->module = run->partitioned.module;
  return NULL;
}

// All from the partitioned module to the tasks.
static pod_status_t run_tasks(run_t *run, const char *kind, const char *topology) {
  compiler_options_t options = {.file_name = "", .spec = chip_spec_find(kind)};
  const chip_spec_t *spec;
  POD_TRY(torus_parse(topology, options.spec, &options.torus, &spec));
  if (run->partitioned.module == NULL) {
    POD_TRY(partition(run, torus_chip_count(&options.torus)));
  }
  pipeline_t pipeline = {.options = &options, .partitioned = run->partitioned};
  const pod_status_t status = pipeline_run_back_end(&pipeline);
  run->program = pipeline.program;
  run->prints_tasks = true;
  pipeline.partitioned.module = NULL;
  pipeline.program = NULL;
  pipeline_deinit(&pipeline);
  return status;
}

// "v5e:2x2:combine=on"; the choices may be left out.
static pod_status_t run_collectives(run_t *run, const char *text) {
  char *copy = pod_strdup(text), *rest;
  const char *kind = strtok_r(copy, ":", &rest), *topology = strtok_r(NULL, ":", &rest);
  const chip_spec_t *spec = chip_spec_find(kind == NULL ? "" : kind);
  torus_t torus;
  const algorithms_t algorithms = {0};
  collectives_choices_t choices;
  pod_status_t status = spec == NULL || topology == NULL
                            ? pod_error(POD_INVALID_ARGUMENT, "%s names no chips", text)
                            : torus_parse(topology, spec, &torus, &spec);
  if (status == NULL) {
    status = collectives_parse(strtok_r(NULL, ":", &rest), &choices);
  }
  if (status == NULL && run->partitioned.module == NULL) {
    status = partition(run, torus_chip_count(&torus));
  }
  if (status == NULL) {
    const clusters_clock_t clock = {
        .spec = spec,
        .torus = &torus,
        .algorithms = &algorithms,
        .prices = simulator_prices_create(spec, &torus, run->partitioned.mesh)};
    status = compiler_rewrite_collectives(&run->partitioned, &clock, &choices);
    run->module = run->partitioned.module;
    simulator_prices_destroy(clock.prices);
  }
  free(copy);
  return status;
}

static pod_status_t run_pass(run_t *run, const char *name) {
  if (strcmp(name, "verify") == 0) {
    return compiler_verify(run->module);
  }
  if (strcmp(name, "inline") == 0) {
    return compiler_inline(run->module);
  }
  if (strcmp(name, "simplify") == 0) {
    return compiler_simplify(run->module);
  }
  if (strcmp(name, "place") == 0) {
    return compiler_place(run->module);
  }
  if (strncmp(name, "partition=", 10) == 0) {
    return partition(run, strtoll(name + 10, NULL, 10));
  }
  if (strcmp(name, "lower") == 0) {
    if (run->partitioned.module == NULL) {
      POD_TRY(partition(run, 1));
    }
    POD_TRY(compiler_lower(&run->partitioned, &run->program));
    return chip_program_check(run->program);
  }
  if (strncmp(name, "collectives=", 12) == 0) {
    return run_collectives(run, name + 12);
  }
  if (strncmp(name, "tasks=", 6) == 0) {
    char kind[8] = "";
    const size_t length = strcspn(name + 6, ":");
    memcpy(kind, name + 6, length < sizeof(kind) ? length : 0);
    return run_tasks(run, kind, name + 6 + length + 1);
  }
  return pod_error(POD_INVALID_ARGUMENT, "no pass is called %s", name);
}

static pod_status_t run_passes(run_t *run, const char *path, const char *text,
                               size_t length) {
  static const char prefix[] = "// passes: ";
  const char *slash = strrchr(path, '/');
  POD_TRY(compiler_parse(slash == NULL ? path : slash + 1, text, (int64_t)length,
                         &run->module));
  if (strncmp(text, prefix, strlen(prefix)) != 0) {
    return pod_error(POD_INVALID_ARGUMENT, "the first line is no '%s…'", prefix);
  }
  const size_t line = strcspn(text, "\n");
  char *names = pod_strdup(text + strlen(prefix));
  names[line - strlen(prefix)] = '\0';
  pod_status_t status = compiler_expand(run->module);
  if (status == NULL) {
    status = compiler_verify(run->module);
  }
  char *rest;
  for (char *name = strtok_r(names, " ", &rest); name != NULL && status == NULL;
       name = strtok_r(NULL, " ", &rest)) {
    status = run_pass(run, name);
  }
  free(names);
  return status;
}

static char *output_of(const char *path, const char *text, size_t length) {
  run_t run = {0};
  pod_text_t output = {0};
  const pod_status_t status = run_passes(&run, path, text, length);
  const mlir_print_options_t options = {.lookup = compiler_syntax_lookup};
  if (status != NULL) {
    pod_text_printf(&output, "%s: %s\n", pod_code_name(pod_status_code(status)),
                    pod_status_message(status));
  } else if (run.prints_tasks) {
    mlir_print(&output, run.module, &options);
    chip_program_print_tasks(&output, run.program);
  } else if (run.program != NULL) {
    chip_program_print(&output, run.program);
  } else {
    mlir_print(&output, run.module, &options);
  }
  pod_status_free(status);
  chip_program_destroy(run.program);
  mlir_module_destroy(run.module);
  if (run.source != run.module) {
    mlir_module_destroy(run.source);  // Outlives what was made beside it.
  }
  return pod_text_take(&output);
}

static int update(const char *path, const char *text, size_t length, const char *output) {
  FILE *file = fopen(path, "wb");
  if (file == NULL) {
    return 2;
  }
  fprintf(file, "%.*s%s%s", (int)length, text, marker, output);
  return fclose(file) == 0 ? 0 : 2;
}

static int check(const char *path) {
  char *text = read_text(path);
  const char *end = strstr(text, marker);
  const size_t length = end == NULL ? strlen(text) : (size_t)(end - text);
  char *output = output_of(path, text, length);
  int result = 0;
  if (getenv("POD_UPDATE_GOLDEN") != NULL) {
    result = update(path, text, length, output);
  } else if (end == NULL || strcmp(end + strlen(marker), output) != 0) {
    fprintf(stderr, "%s: expected\n%s\ngot\n%s", path,
            end == NULL ? "nothing" : end + strlen(marker), output);
    result = 1;
  }
  free(text);
  free(output);
  return result;
}

int main(int argc, char **argv) {
  int result = 0;
  for (int i = 1; i < argc; i++) {
    const int one = check(argv[i]);
    result = one > result ? one : result;
  }
  return result;
}
