// Golden tests of partitioning: StableHLO in, the program of one chip out.
//
//   golden.partition FILE.mlir…            compares with FILE.out
//   golden.partition --update FILE.mlir…   writes FILE.out
//   golden.partition --print FILE.mlir…    shows what would be written
//   golden.partition --shardings=[WORDS] FILE.mlir…
//       shows the shardings of arguments, results and values, by line and name, after
//       propagation as WORDS say (propagate.h)
//
// A first line `// devices: n` gives the number of devices; 4 without it. With `,
// reasons` behind it what comes out are the reasons of the collectives instead of the
// program. An error is what comes out of a module that has one.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"
#include "common/mlir/diagnostic.h"
#include "common/mlir/parser.h"
#include "common/mlir/printer.h"
#include "common/mlir/walk.h"
#include "server/compiler/dialect/syntax.h"
#include "server/compiler/legalize/legalize.h"
#include "server/compiler/partition/manual_mesh.h"
#include "server/compiler/partition/partition.h"
#include "server/compiler/partition/propagate.h"
#include "server/compiler/simplify/simplify.h"
#include "server/compiler/verify/verify.h"
#include "tests/file.h"

static bool write_file(const char *path, const pod_text_t *text) {
  FILE *file = fopen(path, "wb");
  if (file == NULL) {
    return false;
  }
  const bool whole = fwrite(text->bytes, 1, text->length, file) == text->length;
  return fclose(file) == 0 && whole;
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

static void print_interface(pod_text_t *out, const char *what, int count,
                            const sharding_t *const *shardings) {
  for (int i = 0; i < count; i++) {
    pod_text_printf(out, "// %s %d: ", what, i);
    sharding_print(out, shardings[i]);
    pod_text_add(out, "\n");
  }
}

static long devices_of(const pod_text_t *in) {
  long devices = 4;
  return sscanf(in->bytes, "// devices: %ld", &devices) == 1 ? devices : 4;
}

static pod_status_t prepare(const char *path, const pod_text_t *in,
                            mlir_module_t **module) {
  POD_TRY(compiler_parse(base_name(path), in->bytes, (int64_t)in->length, module));
  POD_TRY(compiler_expand(*module));
  POD_TRY(compiler_verify(*module));
  POD_TRY(compiler_inline(*module));
  return manual_mesh_apply(*module);
}

static pod_status_t partition_text(const char *path, const pod_text_t *in,
                                   mlir_module_t **module,
                                   compiler_partitioned_t *partitioned) {
  POD_TRY(prepare(path, in, module));
  POD_TRY(compiler_partition(*module, devices_of(in), partitioned));
  POD_TRY(compiler_simplify(partitioned->module));
  return compiler_verify(partitioned->module);
}

static void print_reasons(pod_text_t *out, const compiler_partitioned_t *partitioned) {
  for (int i = 0; i < partitioned->reason_count; i++) {
    pod_text_printf(out, "channel %lld: %s\n",
                    (long long)partitioned->first_channel + 1 + i,
                    partitioned->reasons[i]);
  }
}

static void produce(const char *path, const pod_text_t *in, pod_text_t *out) {
  mlir_module_t *module = NULL;
  compiler_partitioned_t partitioned = {0};
  const pod_status_t status = partition_text(path, in, &module, &partitioned);
  if (status != NULL) {
    pod_text_printf(out, "%s: %s\n", pod_code_name(pod_status_code(status)),
                    pod_status_message(status));
    pod_status_free(status);
  } else if (strncmp(in->bytes + strcspn(in->bytes, ",\n"), ", reasons\n", 10) == 0) {
    print_reasons(out, &partitioned);
  } else {
    print_interface(out, "argument", partitioned.argument_count,
                    partitioned.argument_shardings);
    print_interface(out, "result", partitioned.result_count,
                    partitioned.result_shardings);
    const mlir_print_options_t options = {.lookup = compiler_syntax_lookup};
    mlir_print(out, partitioned.module, &options);
  }
  mlir_module_destroy(partitioned.module);
  mlir_module_destroy(module);
}

// --- Shardings ---

static void print_value(pod_text_t *out, const mlir_module_t *module,
                        const propagation_t *propagation, const mlir_op_t *op, int i) {
  const mlir_value_t *value = &op->results[i];
  const sharding_t *sharding = propagation->values[value->id];
  if (sharding == NULL || value->name == NULL) {
    return;
  }
  int line, column;
  mlir_line_and_column(module, op->position, &line, &column);
  pod_text_printf(out, "// value %d %%%s#%d: ", line, value->name, i);
  sharding_print(out, sharding);
  pod_text_add(out, "\n");
}

static pod_status_t propagate_text(const char *path, const pod_text_t *in,
                                   const char *words, mlir_module_t **module,
                                   pod_text_t *out) {
  POD_TRY(prepare(path, in, module));
  shardings_t shardings;
  mlir_op_set_attr(*module, (*module)->op, PROPAGATION_ATTR,
                   mlir_attr_string(*module, words));
  POD_TRY(shardings_open(*module, (*module)->arena, devices_of(in), &shardings));
  propagation_t propagation;
  POD_TRY(propagate_shardings(&shardings, &propagation));
  const mlir_block_t *block = propagate_main_block(*module);
  print_interface(out, "argument", block->argument_count, propagation.arguments);
  print_interface(out, "result", block->last->operand_count, propagation.results);
  const mlir_op_t *main = mlir_module_find_symbol(*module, "main");
  for (const mlir_op_t *op = mlir_walk_first(main); op != NULL;
       op = mlir_walk_next(main, op)) {
    for (int i = 0; i < op->result_count; i++) {
      print_value(out, *module, &propagation, op, i);
    }
  }
  return NULL;
}

static bool show_shardings(const char *path, const char *words) {
  pod_text_t in = {0}, out = {0};
  mlir_module_t *module = NULL;
  const bool good = read_file(path, &in);
  const pod_status_t status =
      good ? propagate_text(path, &in, words, &module, &out) : NULL;
  if (status != NULL) {
    printf("%s: %s\n", pod_code_name(pod_status_code(status)),
           pod_status_message(status));
    pod_status_free(status);
  } else if (good) {
    printf("%s", out.bytes == NULL ? "" : out.bytes);
  }
  mlir_module_destroy(module);
  pod_text_deinit(&in);
  pod_text_deinit(&out);
  return good;
}

static bool check(const char *path, const char *mode) {
  pod_text_t in = {0}, out = {0}, golden = {0}, golden_path = {0};
  bool good = false;
  if (!read_file(path, &in)) {
    fprintf(stderr, "%s: cannot be read\n", path);
    goto cleanup;
  }
  produce(path, &in, &out);
  const size_t stem = strlen(path) - (strstr(path, ".mlir") != NULL ? 5 : 0);
  pod_text_printf(&golden_path, "%.*s.out", (int)stem, path);
  if (strcmp(mode, "--print") == 0) {
    printf("%s", out.bytes);
    good = true;
  } else if (strcmp(mode, "--update") == 0) {
    good = write_file(golden_path.bytes, &out);
  } else if (!read_file(golden_path.bytes, &golden)) {
    fprintf(stderr, "%s: cannot be read\n", golden_path.bytes);
  } else {
    good = strcmp(golden.bytes, out.bytes) == 0;
    if (!good) {
      fprintf(stderr, "%s: expected\n%s\nfound\n%s\n", path, golden.bytes, out.bytes);
    }
  }
cleanup:
  pod_text_deinit(&in);
  pod_text_deinit(&out);
  pod_text_deinit(&golden);
  pod_text_deinit(&golden_path);
  return good;
}

int main(int argc, char **argv) {
  const char *mode = argc > 1 && strncmp(argv[1], "--", 2) == 0 ? argv[1] : "";
  int failures = 0;
  for (int i = mode[0] == '\0' ? 1 : 2; i < argc; i++) {
    static const char shardings[] = "--shardings=";
    const bool shows = strncmp(mode, shardings, strlen(shardings)) == 0;
    failures +=
        (shows ? show_shardings(argv[i], mode + strlen(shardings)) : check(argv[i], mode))
            ? 0
            : 1;
  }
  return failures == 0 ? 0 : 1;
}
