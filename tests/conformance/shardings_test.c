// Any sharding of a program gives its values: modules run whole on one chip and with
// random shardings of operands, results and values between on 2x2 and 2x4 chips in this
// process, and every element is compared.
//
// usage: shardings_test [--seeds FIRST-LAST] [--uneven] [--print] FILE|FOLDER… |
// --stablehlo
//
// What @main gets from @inputs, as in StableHLO's exported test modules, becomes its
// arguments, cut into shards as the caller of a sharded program does. --stablehlo:
// the folder that PODIUM_STABLEHLO_TESTDATA names; without it the test says that it did
// not run. --uneven: axes that do not divide their dimensions, too.
//
// Elements are compared to the bit (any NaN is as good as another); only where the module
// sums or multiplies floats the order may make a difference, within some units of the
// last place of the largest element.

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/check.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/mlir/printer.h"
#include "common/mlir/replacements.h"
#include "common/mlir/walk.h"
#include "server/compiler/dialect/syntax.h"
#include "tests/conformance/same_values.h"
#include "tests/differential/device.h"
#include "tests/differential/mesh.h"
#include "tests/differential/reference_scalar.h"
#include "tests/file.h"

enum {
  PATH_BYTES = 4096,
  SKIPPED = 77,      // ctest's SKIP_RETURN_CODE.
  VALUES_MAX = 64,   // Operands and results of a module.
  UNITS = 16,        // Of the last place of the largest element.
  DEVICE_COUNTS = 2  // 2x2 and 2x4 chips.
};

typedef struct tester_t {
  uint64_t first_seed, last_seed;
  bool may_be_uneven, prints;
  device_t *one;
  mesh_device_t *meshes[DEVICE_COUNTS];
  int modules, cases, failures, skipped;
} tester_t;

static const int32_t chip_counts[DEVICE_COUNTS] = {MESH_CHIPS, MESH_CHIPS_MORE};

// A module that ran whole.
typedef struct whole_t {
  const char *path, *text;
  int64_t length;
  pod_arena_t *arena;
  int input_count, result_count;
  reference_value_t inputs[VALUES_MAX], results[VALUES_MAX];
} whole_t;

// --- What the modules are made into ---

static mlir_op_t *main_of(const mlir_module_t *module) {
  return mlir_module_find_symbol(module, "main");
}

// The call of @inputs in @main; NULL when there is none.
static mlir_op_t *find_inputs(const mlir_module_t *module) {
  for (mlir_op_t *op = mlir_op_block(main_of(module), 0)->first; op != NULL;
       op = op->next) {
    const mlir_attr_t *callee = mlir_op_attr(op, "callee");
    if (callee != NULL && strcmp(callee->text, "inputs") == 0) {
      return op;
    }
  }
  return NULL;
}

// Gives @main the type that its arguments and what it returns have.
static void update_signature(mlir_module_t *module) {
  mlir_op_t *function = main_of(module);
  const mlir_block_t *block = mlir_op_block(function, 0);
  const mlir_type_t *inputs[VALUES_MAX], *results[2 * VALUES_MAX];
  for (int i = 0; i < block->argument_count; i++) {
    inputs[i] = block->arguments[i]->type;
  }
  for (int i = 0; i < block->last->operand_count; i++) {
    results[i] = block->last->operands[i]->type;
  }
  mlir_op_set_attr(
      module, function, "function_type",
      mlir_attr_type(module, mlir_type_function(module, block->argument_count, inputs,
                                                block->last->operand_count, results)));
  mlir_op_remove_attr(function, "arg_attrs");
  mlir_op_remove_attr(function, "res_attrs");
}

// @main returns its inputs, too.
static void return_inputs(mlir_module_t *module) {
  const mlir_op_t *inputs = find_inputs(module);
  mlir_block_t *block = mlir_op_block(main_of(module), 0);
  mlir_op_t *last = block->last;
  mlir_value_t *returned[2 * VALUES_MAX];
  const int result_count = last->operand_count;
  const int input_count = inputs != NULL ? inputs->result_count : 0;
  for (int i = 0; i < result_count; i++) {
    returned[i] = last->operands[i];
  }
  for (int i = 0; i < input_count; i++) {
    returned[result_count + i] = &inputs->results[i];
  }
  mlir_op_t *with = mlir_op_create(module, last->name, result_count + input_count,
                                   returned, 0, NULL, 0);
  mlir_op_unlink(last);
  mlir_block_append(block, with);
  update_signature(module);
}

static bool is_check(const mlir_op_t *op) {
  const mlir_attr_t *target = mlir_op_attr(op, "call_target_name");
  return target != NULL && strncmp(target->text, "check.", 6) == 0;
}

// @main takes its inputs as arguments, and leaves the checking to us.
static void take_inputs(mlir_module_t *module) {
  mlir_op_t *inputs = find_inputs(module), *next;
  if (inputs == NULL) {
    update_signature(module);
    return;
  }
  mlir_block_t *block = mlir_op_block(main_of(module), 0);
  mlir_replacements_t replacements = {0};
  for (int i = 0; i < inputs->result_count; i++) {
    mlir_replacements_put(
        &replacements, &inputs->results[i],
        mlir_block_add_argument(module, block, inputs->results[i].type));
  }
  mlir_op_unlink(inputs);
  for (mlir_op_t *op = block->first; op != NULL; op = next) {
    next = op->next;
    mlir_replacements_apply(&replacements, op);
    if (is_check(op)) {
      mlir_op_unlink(op);
    }
  }
  mlir_replacements_deinit(&replacements);
  update_signature(module);
}

static bool is_of_numbers(const mlir_module_t *module) {
  const mlir_block_t *block = mlir_op_block(main_of(module), 0);
  const mlir_op_t *inputs = find_inputs(module);
  bool is_good = block->argument_count == 0 && block->last->operand_count <= VALUES_MAX;
  for (int i = 0; i < block->last->operand_count && is_good; i++) {
    is_good = block->last->operands[i]->type->kind == MLIR_TYPE_TENSOR;
  }
  for (int i = 0; inputs != NULL && i < inputs->result_count && is_good; i++) {
    is_good = inputs->results[i].type->kind == MLIR_TYPE_TENSOR && i < VALUES_MAX;
  }
  return is_good;
}

// Whether it says itself what each of several chips does.
static bool is_for_several(const mlir_module_t *module) {
  static const char *const names[] = {"replica_groups", "source_target_pairs", "sdy.mesh",
                                      "stablehlo.partition_id", "stablehlo.replica_id"};
  for (size_t i = 0; i < POD_COUNT_OF(names); i++) {
    if (mlir_may_have(module, names[i])) {
      return true;
    }
  }
  return false;
}

// --- Comparing ---

// Whether it sums or multiplies floats, so that the order of its operands counts.
static bool has_sums(const mlir_module_t *module) {
  static const char *const names[] = {
      "stablehlo.reduce",      "stablehlo.reduce_window", "stablehlo.scatter",
      "stablehlo.dot_general", "stablehlo.convolution",   "stablehlo.select_and_scatter",
      "stablehlo.dot"};
  for (const mlir_op_t *op = mlir_walk_first(module->op); op != NULL;
       op = mlir_walk_next(module->op, op)) {
    for (size_t i = 0; i < POD_COUNT_OF(names); i++) {
      if (strcmp(op->name, names[i]) != 0) {
        continue;
      }
      const mlir_op_t *body = op->region_count > 0 ? mlir_op_block(op, 0)->first : NULL;
      if (body == NULL || strcmp(body->name, "stablehlo.add") == 0 ||
          strcmp(body->name, "stablehlo.multiply") == 0) {
        return true;
      }
    }
  }
  return false;
}

// --- Running ---

static void print_text(pod_text_t *text, const mlir_module_t *module) {
  mlir_print(text, module, &(mlir_print_options_t){.lookup = compiler_syntax_lookup});
}

static void report(tester_t *tester, const whole_t *whole, uint64_t seed,
                   int32_t chip_count, const pod_text_t *text, const char *message) {
  tester->failures++;
  fprintf(stderr, "%s: seed %llu, %d chips: %s\n", whole->path, (unsigned long long)seed,
          (int)chip_count, message);
  if (tester->prints) {
    fprintf(stderr, "%s\n", text->bytes);
  }
}

static mlir_module_t *parse(const whole_t *whole, pod_status_t *status) {
  mlir_module_t *module = NULL;
  *status = compiler_parse(whole->path, whole->text, whole->length, &module);
  return module;
}

static void try_sharding(tester_t *tester, const whole_t *whole, uint64_t seed,
                         int which) {
  pod_status_t status;
  mlir_module_t *module = parse(whole, &status);
  POD_CHECK(status == NULL);
  take_inputs(module);
  mlir_op_remove_attr(module->op, "mhlo.num_partitions");
  const mesh_shard_options_t options = {.chip_count = chip_counts[which],
                                        .has_parts = seed % 2 == 0,
                                        .may_be_uneven = tester->may_be_uneven,
                                        .is_manual = seed % 3 == 0};
  mesh_shard(module, &options, seed);
  pod_text_t text = {0};
  print_text(&text, module);
  pod_arena_t *arena = pod_arena_create();
  reference_value_t found[VALUES_MAX];
  memcpy(found, whole->results, sizeof(found));
  status = mesh_device_run(tester->meshes[which], text.bytes, (int64_t)text.length, arena,
                           whole->input_count, whole->inputs, whole->result_count, found);
  const bool may_round = has_sums(module);
  tester->cases++;
  if (status != NULL) {
    report(tester, whole, seed, chip_counts[which], &text, pod_status_message(status));
  }
  for (int i = 0; i < whole->result_count && status == NULL; i++) {
    const int64_t at = same_values(&whole->results[i], &found[i], may_round ? UNITS : 0);
    if (at >= 0) {
      const reference_scalar_t x = reference_load(&whole->results[i], at),
                               y = reference_load(&found[i], at);
      char message[128];
      snprintf(message, sizeof(message), "result %d, element %lld: %.17g, not %.17g", i,
               (long long)at, y.real, x.real);
      report(tester, whole, seed, chip_counts[which], &text, message);
      break;
    }
  }
  pod_status_free(status);
  pod_arena_destroy(arena);
  pod_text_deinit(&text);
  mlir_module_destroy(module);
}

// Fills inputs and results.
static pod_status_t run_whole(tester_t *tester, mlir_module_t *module, whole_t *whole) {
  const mlir_op_t *inputs = find_inputs(module);
  whole->result_count = mlir_op_block(main_of(module), 0)->last->operand_count;
  whole->input_count = inputs != NULL ? inputs->result_count : 0;
  return_inputs(module);
  const mlir_op_t *last = mlir_op_block(main_of(module), 0)->last;
  reference_value_t all[2 * VALUES_MAX] = {0};
  for (int i = 0; i < last->operand_count; i++) {
    all[i].shape = last->operands[i]->type->shape;
  }
  pod_text_t text = {0};
  print_text(&text, module);
  pod_status_t status = device_run(tester->one, text.bytes, (int64_t)text.length,
                                   whole->arena, 0, NULL, last->operand_count, all);
  pod_text_deinit(&text);
  memcpy(whole->results, all, sizeof(all[0]) * (size_t)whole->result_count);
  memcpy(whole->inputs, all + whole->result_count,
         sizeof(all[0]) * (size_t)whole->input_count);
  return status;
}

// Of a module that is for one chip, and whose checks hold there.
static void try_module(tester_t *tester, const char *path, const char *text,
                       int64_t length) {
  whole_t whole = {
      .path = path, .text = text, .length = length, .arena = pod_arena_create()};
  pod_status_t status;
  mlir_module_t *module = parse(&whole, &status);
  const bool is_fit = module != NULL && main_of(module) != NULL &&
                      !is_for_several(module) && is_of_numbers(module);
  if (is_fit) {
    status = run_whole(tester, module, &whole);
  }
  if (status != NULL || !is_fit) {
    tester->skipped++;
  } else {
    tester->modules++;
    for (uint64_t seed = tester->first_seed; seed <= tester->last_seed; seed++) {
      for (int which = 0; which < DEVICE_COUNTS; which++) {
        try_sharding(tester, &whole, seed, which);
      }
    }
  }
  if (status != NULL && tester->prints) {
    fprintf(stderr, "%s: whole: %s\n", path, pod_status_message(status));
  }
  pod_status_free(status);
  mlir_module_destroy(module);
  pod_arena_destroy(whole.arena);
}

// A file may hold several modules, as `podium check` has them.
static void try_file(tester_t *tester, const char *path) {
  char *text = read_text(path);
  for (char *at = text; at != NULL;) {
    char *end = strstr(at, "// -----");
    const size_t length = end != NULL ? (size_t)(end - at) : strlen(at);
    try_module(tester, path, at, (int64_t)length);
    at = end != NULL ? end + strlen("// -----") : NULL;
  }
  free(text);
}

static int is_module(const struct dirent *entry) {
  const size_t length = strlen(entry->d_name);
  return length > 5 && strcmp(entry->d_name + length - 5, ".mlir") == 0;
}

static void try_path(tester_t *tester, const char *path) {
  struct stat what;
  if (stat(path, &what) != 0 || !S_ISDIR(what.st_mode)) {
    try_file(tester, path);
    return;
  }
  struct dirent **entries = NULL;
  const int count = scandir(path, &entries, is_module, alphasort);
  for (int i = 0; i < count; i++) {
    char file[PATH_BYTES];
    snprintf(file, sizeof(file), "%s/%s", path, entries[i]->d_name);
    try_file(tester, file);
    free(entries[i]);
  }
  free(entries);
}

// Cases in which no chip sends anything would prove nothing.
static int finish(tester_t *tester) {
  int64_t sent_bytes = 0;
  for (int i = 0; i < DEVICE_COUNTS; i++) {
    sent_bytes += mesh_device_bytes_sent(tester->meshes[i]);
    mesh_device_destroy(tester->meshes[i]);
  }
  device_destroy(tester->one);
  printf(
      "%d modules, %d cases, %d failures, %lld bytes between chips; %d modules left "
      "out, which do not run on one chip\n",
      tester->modules, tester->cases, tester->failures, (long long)sent_bytes,
      tester->skipped);
  return tester->failures > 0 || sent_bytes == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

// Reads an option; false when it is none.
static bool set_option(tester_t *tester, const char *name, const char *value) {
  char *end;
  if (strcmp(name, "--uneven") == 0) {
    tester->may_be_uneven = true;
  } else if (strcmp(name, "--print") == 0) {
    tester->prints = true;
  } else if (strcmp(name, "--seeds") == 0 && value != NULL) {
    tester->first_seed = strtoull(value, &end, 10);
    tester->last_seed = *end == '-' ? strtoull(end + 1, NULL, 10) : tester->first_seed;
  } else {
    return false;
  }
  return true;
}

int main(int argc, char **argv) {
  pod_log_init("shardings", POD_LOG_ERROR);
  tester_t tester = {.first_seed = 1, .last_seed = 1};
  tester.one = device_create();
  for (int i = 0; i < DEVICE_COUNTS; i++) {
    tester.meshes[i] = mesh_device_create(chip_counts[i]);
  }
  for (int i = 1; i < argc; i++) {
    if (set_option(&tester, argv[i], argv[i + 1])) {
      i += strcmp(argv[i], "--seeds") == 0 ? 1 : 0;
    } else if (strcmp(argv[i], "--stablehlo") == 0) {
      const char *folder = getenv("PODIUM_STABLEHLO_TESTDATA");
      if (folder == NULL || *folder == '\0') {
        puts("skipped: PODIUM_STABLEHLO_TESTDATA does not name a folder of modules");
        finish(&tester);
        return SKIPPED;
      }
      try_path(&tester, folder);
    } else {
      try_path(&tester, argv[i]);
    }
  }
  return finish(&tester);
}
