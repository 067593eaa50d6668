// The partitioned program computes what the program says: random modules with random
// shardings, run whole on one device and partitioned on all, with the collectives done
// directly.
//
// PODIUM_SEED=n tries one program and prints its modules, PODIUM_MODEL=n one model;
// PODIUM_ROUNDS=n tries more of both, from PODIUM_FIRST on.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/random.h"
#include "common/mlir/printer.h"
#include "server/compiler/collectives/collectives.h"
#include "server/compiler/dialect/syntax.h"
#include "server/compiler/legalize/legalize.h"
#include "server/compiler/partition/partition.h"
#include "server/compiler/partition/propagate_options.h"
#include "server/compiler/pipeline.h"
#include "server/compiler/simplify/simplify.h"
#include "server/compiler/verify/verify.h"
#include "tests/file.h"
#include "tests/sim/evaluator.h"
#include "tests/sim/generator.h"
#include "tests/sim/models.h"
#include "tests/unit/server/compiler/sound_tasks.h"

enum { ROUNDS = 1000, MODELS = 200 };

static void print_module(const char *title, const mlir_module_t *module) {
  pod_text_t text = {0};
  const mlir_print_options_t options = {.lookup = compiler_syntax_lookup};
  mlir_print(&text, module, &options);
  fprintf(stderr, "--- %s\n%s\n", title, text.bytes);
  pod_text_deinit(&text);
}

static bool succeeded(uint64_t seed, const char *what, pod_status_t status) {
  if (status == NULL) {
    return true;
  }
  fprintf(stderr, "seed %llu: %s: %s\n", (unsigned long long)seed, what,
          pod_status_message(status));
  pod_status_free(status);
  return false;
}

static evaluated_t random_array(pod_arena_t *arena, pod_random_t *random,
                                const tensor_shape_t *shape) {
  evaluated_t array = evaluated_make(arena, shape, 1);
  for (int64_t i = 0; i < array.elements; i++) {
    array.data[i] = (double)pod_random_below(random, 7) - 3;
  }
  return array;
}

static bool compare(uint64_t seed, const char *what,
                    const compiler_partitioned_t *partitioned, mlir_module_t *module,
                    int64_t device_count) {
  pod_arena_t *arena = pod_arena_create();
  pod_random_t random = {.state = seed};
  const size_t argument_count = (size_t)partitioned->argument_count;
  const size_t result_count = (size_t)partitioned->result_count;
  evaluated_t *whole = pod_arena_array(arena, argument_count, sizeof(whole[0]));
  evaluated_t *shards = pod_arena_array(arena, argument_count, sizeof(shards[0]));
  evaluated_t *expected = pod_arena_array(arena, result_count, sizeof(expected[0]));
  evaluated_t *found = pod_arena_array(arena, result_count, sizeof(found[0]));
  for (size_t i = 0; i < argument_count; i++) {
    whole[i] = random_array(arena, &random, &partitioned->argument_shapes[i]);
    shards[i] = evaluated_shard(arena, &whole[i], partitioned->argument_shardings[i]);
  }
  evaluate_main(module, 1, arena, whole, expected);
  evaluate_main(partitioned->module, device_count, arena, shards, found);
  bool same = true;
  for (size_t i = 0; i < result_count && same; i++) {
    evaluated_t assembled;
    same = evaluated_unshard(arena, &found[i], &expected[i].shape,
                             partitioned->result_shardings[i], &assembled);
    for (int64_t j = 0; j < expected[i].elements && same; j++) {
      same = assembled.data[j] == expected[i].data[j];
    }
    if (!same) {
      fprintf(stderr, "seed %llu: %s: result %zu differs\n", (unsigned long long)seed,
              what, i);
    }
  }
  pod_arena_destroy(arena);
  return same;
}

static char *printed(const mlir_module_t *module) {
  pod_text_t text = {0};
  const mlir_print_options_t options = {.lookup = compiler_syntax_lookup};
  mlir_print(&text, module, &options);
  return pod_text_take(&text);
}

// The order in which collectives overlap computes the same, and can be taken back.
static bool try_schedule(uint64_t seed, const compiler_partitioned_t *partitioned,
                         mlir_module_t *module, int64_t device_count, bool prints) {
  clusters_t *clusters = NULL;
  const torus_t torus = {.size = {(int32_t)device_count, 1, 1}};
  const algorithms_t algorithms = {0};
  const clusters_clock_t clock = {.spec = chip_spec_find("v5e"),
                                  .torus = &torus,
                                  .algorithms = &algorithms,
                                  .prices = simulator_prices_create(
                                      chip_spec_find("v5e"), &torus, partitioned->mesh)};
  if (!succeeded(seed, "fuse", clusters_create(partitioned, &clock, &clusters))) {
    simulator_prices_destroy(clock.prices);
    return false;
  }
  char *before = printed(partitioned->module);
  clusters_schedule(clusters, CLUSTERS_SHARES);
  if (prints) {
    print_module("scheduled", partitioned->module);
  }
  bool good = compare(seed, "scheduled", partitioned, module, device_count);
  clusters_unschedule(clusters);
  char *after = printed(partitioned->module);
  if (strcmp(before, after) != 0) {
    fprintf(stderr, "seed %llu: the order was not taken back\n",
            (unsigned long long)seed);
    good = false;
  }
  free(before);
  free(after);
  clusters_destroy(clusters);
  simulator_prices_destroy(clock.prices);
  return good;
}

// All the way to the tasks, which hold together.
static bool try_tasks(uint64_t seed, const compiler_partitioned_t *partitioned,
                      int64_t device_count) {
  const compiler_options_t options = {.file_name = "random.mlir",
                                      .spec = chip_spec_find("v4"),
                                      .torus = {.size = {(int32_t)device_count, 1, 1}}};
  pipeline_t pipeline = {.options = &options, .partitioned = *partitioned};
  const bool good = succeeded(seed, "tasks", pipeline_run_back_end(&pipeline));
  if (good) {
    check_tasks(pipeline.program);
  }
  pipeline.partitioned.module = NULL;
  pipeline_deinit(&pipeline);
  return good;
}

// Other collectives in the place of those that the partitioner put in compute the same:
// every rewrite, wherever it can be, or only where it saves time.
static bool try_rewrites(uint64_t seed, mlir_module_t *module, int64_t device_count,
                         const char *text, bool prints) {
  compiler_partitioned_t partitioned = {0};
  collectives_choices_t choices;
  bool good = succeeded(seed, "choices", collectives_parse(text, &choices)) &&
              succeeded(seed, "partition",
                        compiler_partition(module, device_count, &partitioned)) &&
              succeeded(seed, "simplify", compiler_simplify(partitioned.module));
  const torus_t torus = {.size = {(int32_t)device_count, 1, 1}};
  const algorithms_t algorithms = {0};
  const chip_spec_t *spec = chip_spec_find("v5p");
  const clusters_clock_t clock = {
      .spec = spec,
      .torus = &torus,
      .algorithms = &algorithms,
      .prices = simulator_prices_create(spec, &torus, partitioned.mesh)};
  good = good && succeeded(seed, "rewrite",
                           compiler_rewrite_collectives(&partitioned, &clock, &choices));
  if (partitioned.module != NULL && prints) {
    print_module(text, partitioned.module);
  }
  good = good && succeeded(seed, text, compiler_verify(partitioned.module)) &&
         compare(seed, text, &partitioned, module, device_count);
  good = good && try_tasks(seed, &partitioned, device_count);
  simulator_prices_destroy(clock.prices);
  mlir_module_destroy(partitioned.module);
  return good;
}

// Every fourth as Shardy propagates, unless that gives arguments or results axes that do
// not divide them.
static pod_status_t partition_seed(uint64_t seed, mlir_module_t *module,
                                   int64_t device_count, compiler_partitioned_t *out) {
  if (seed % 4 != 0) {
    return compiler_partition(module, device_count, out);
  }
  mlir_op_set_attr(module, module->op, PROPAGATION_ATTR,
                   mlir_attr_string(module, "shardy"));
  const pod_status_t status = compiler_partition(module, device_count, out);
  if (pod_status_code(status) != POD_UNIMPLEMENTED) {
    return status;
  }
  pod_status_free(status);
  mlir_op_remove_attr(module->op, PROPAGATION_ATTR);
  return compiler_partition(module, device_count, out);
}

// Takes the module.
static bool try_module(uint64_t seed, mlir_module_t *module, int64_t device_count,
                       bool prints) {
  if (prints) {
    print_module("the program", module);
  }
  bool good = succeeded(seed, "verify", compiler_verify(module));
  compiler_partitioned_t partitioned = {0};
  good = good && succeeded(seed, "partition",
                           partition_seed(seed, module, device_count, &partitioned));
  if (partitioned.module != NULL && prints) {
    print_module("partitioned", partitioned.module);
  }
  good =
      good && succeeded(seed, "verify partitioned", compiler_verify(partitioned.module));
  good = good && compare(seed, "partitioned", &partitioned, module, device_count);
  good = good && succeeded(seed, "simplify", compiler_simplify(partitioned.module));
  good = good && compare(seed, "simplified", &partitioned, module, device_count);
  good = good && try_schedule(seed, &partitioned, module, device_count, prints);
  good = good && try_tasks(seed, &partitioned, device_count);
  mlir_module_destroy(partitioned.module);
  good = good && try_rewrites(seed, module, device_count, "on", prints);
  good = good && try_rewrites(seed, module, device_count, "auto", prints);
  mlir_module_destroy(module);
  return good;
}

static bool try_program(uint64_t seed, bool prints) {
  int64_t device_count;
  mlir_module_t *module = generate_module(seed, 3 + (int)(seed % 20), &device_count);
  return try_module(seed, module, device_count, prints);
}

static bool try_model(uint64_t seed, bool prints) {
  int64_t device_count;
  mlir_module_t *module = NULL;
  char *text = model_text(seed, &device_count);
  const bool good =
      succeeded(seed, "parse",
                compiler_parse("model.mlir", text, (int64_t)strlen(text), &module)) &&
      succeeded(seed, "expand", compiler_expand(module));
  if (!good) {
    fprintf(stderr, "%s\n", text);
    mlir_module_destroy(module);
  }
  free(text);
  return good && try_module(seed, module, device_count, prints);
}

// The seeds that the environment asks for: one, or from the first on so many.
static void try_all(const char *variable, bool (*try_one)(uint64_t seed, bool prints),
                    uint64_t count) {
  const char *seed = getenv(variable), *rounds = getenv("PODIUM_ROUNDS");
  const char *first = getenv("PODIUM_FIRST");
  if (getenv("PODIUM_SEED") != NULL || getenv("PODIUM_MODEL") != NULL) {
    assert_true(seed == NULL || try_one(strtoull(seed, NULL, 10), true));
    return;
  }
  const uint64_t from = first != NULL ? strtoull(first, NULL, 10) : 1;
  count = rounds != NULL ? strtoull(rounds, NULL, 10) : count;
  int failures = 0;
  for (uint64_t i = from; i < from + count; i++) {
    failures += try_one(i, false) ? 0 : 1;
  }
  assert_int_equal(failures, 0);
}

static void test_partitioned_programs_compute_the_same(void **state) {
  (void)state;
  try_all("PODIUM_SEED", try_program, ROUNDS);
}

static void test_partitioned_models_compute_the_same(void **state) {
  (void)state;
  try_all("PODIUM_MODEL", try_model, MODELS);
}

// Loops that a random program seldom has.
static void test_rewritten_modules_compute_the_same(void **state) {
  (void)state;
  static const char *const names[] = {"accumulate", "layers", "two_sums",
                                      "added_sums", "rings",  "rings_of_two",
                                      "stacks"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    char path[512];
    snprintf(path, sizeof(path), "%s/%s.mlir", POD_COLLECTIVES, names[i]);
    char *text = read_text(path);
    mlir_module_t *module = NULL;
    assert_true(succeeded(i, names[i],
                          compiler_parse(path, text, (int64_t)strlen(text), &module)));
    assert_true(succeeded(i, names[i], compiler_expand(module)));
    assert_true(succeeded(i, names[i], compiler_verify(module)));
    assert_true(try_rewrites(i, module, 4, "off", false));
    assert_true(try_rewrites(i, module, 4, "on", getenv("PODIUM_SEED") != NULL));
    mlir_module_destroy(module);
    free(text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_partitioned_programs_compute_the_same),
      cmocka_unit_test(test_partitioned_models_compute_the_same),
      cmocka_unit_test(test_rewritten_modules_compute_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
