// What the compiler says of the chip's HBM is so: a recount by brute force on random
// programs, and random programs under HBM that is too small for them, which must be made
// to fit with the same results, or be left as they were.
//
// PODIUM_SEED=n tries one seed; PODIUM_ROUNDS=n tries more seeds.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/random.h"
#include "common/mlir/parser.h"
#include "common/mlir/printer.h"
#include "common/mlir/walk.h"
#include "server/compiler/dialect/kinds.h"
#include "server/compiler/dialect/syntax.h"
#include "server/compiler/schedule/fit.h"
#include "server/compiler/schedule/fuse.h"
#include "server/compiler/schedule/memory.h"
#include "server/compiler/simplify/simplify.h"
#include "server/compiler/verify/verify.h"
#include "tests/sim/evaluator.h"
#include "tests/sim/generator.h"

enum { ROUNDS = 300, OPERATIONS = 60 };

typedef struct case_t {
  uint64_t seed;
  int64_t device_count;
  mlir_module_t *module;
  compiler_partitioned_t partitioned;
  chip_spec_t spec;
  torus_t torus;
  algorithms_t algorithms;
  simulator_prices_t *prices;
  clusters_t *clusters;
} case_t;

static void assert_ok(pod_status_t status) {
  if (status != NULL) {
    fail_msg("%s", pod_status_message(status));
  }
}

static clusters_clock_t clock_of(const case_t *it) {
  return (clusters_clock_t){&it->spec, &it->torus, &it->algorithms, it->prices};
}

static void make_case_of(case_t *it, uint64_t seed, mlir_module_t *module,
                         int64_t device_count) {
  *it = (case_t){.seed = seed,
                 .spec = *chip_spec_find("v5e"),
                 .module = module,
                 .device_count = device_count};
  assert_ok(compiler_verify(it->module));
  assert_ok(compiler_partition(it->module, it->device_count, &it->partitioned));
  assert_ok(compiler_verify(it->partitioned.module));
  assert_ok(compiler_simplify(it->partitioned.module));
  it->torus = (torus_t){.size = {(int32_t)it->device_count, 1, 1}};
  it->prices = simulator_prices_create(&it->spec, &it->torus, it->partitioned.mesh);
  const clusters_clock_t clock = clock_of(it);
  assert_ok(clusters_create(&it->partitioned, &clock, &it->clusters));
  clusters_schedule(it->clusters, CLUSTERS_SHARES);
}

static void make_case(case_t *it, uint64_t seed) {
  int64_t device_count;
  mlir_module_t *module =
      generate_module(seed, 3 + (int)(seed % OPERATIONS), &device_count);
  make_case_of(it, seed, module, device_count);
}

static void end_case(case_t *it) {
  clusters_destroy(it->clusters);
  simulator_prices_destroy(it->prices);
  mlir_module_destroy(it->partitioned.module);
  mlir_module_destroy(it->module);
}

static char *printed(const mlir_module_t *module) {
  pod_text_t text = {0};
  const mlir_print_options_t options = {.lookup = compiler_syntax_lookup};
  mlir_print(&text, module, &options);
  return pod_text_take(&text);
}

// --- The recount ---

// What a kernel, or an operation by itself, reads and makes: the operations that stand
// for it. Only of programs that are one block.
typedef struct recount_t {
  const clusters_t *clusters;
  int32_t *made, *read;  // By value id: the step; -1.
  int32_t step_count;
} recount_t;

static const mlir_value_t *base_of(const clusters_t *clusters,
                                   const mlir_value_t *value) {
  while (value->op != NULL && (value->op->kind == CHIP_OP_OPTIMIZATION_BARRIER ||
                               (value->op->kind == CHIP_OP_RESHAPE &&
                                clusters->cluster_of[value->op->id] == CHIP_NONE))) {
    value = value->op->operands[value->index];
  }
  return value;
}

static void read_by(recount_t *recount, const mlir_op_t *op) {
  for (int i = 0; i < op->operand_count; i++) {
    recount->read[base_of(recount->clusters, op->operands[i])->id] = recount->step_count;
  }
}

static bool is_member(const clusters_t *clusters, const mlir_op_t *op) {
  for (int32_t i = 0; i < clusters->member_count; i++) {
    if (clusters->members[i] == op) {
      return true;
    }
  }
  return false;
}

static bool is_in(const clusters_t *clusters, const cluster_t *cluster,
                  const mlir_op_t *op) {
  for (int32_t m = 0; m < cluster->member_count; m++) {
    if (clusters->members[cluster->first_member + m] == op) {
      return true;
    }
  }
  return false;
}

// What an update is written into was made before, also where a reader would make it for
// itself.
static bool is_kept(const mlir_op_t *op, int index) {
  return (op->kind == CHIP_OP_DYNAMIC_UPDATE_SLICE && index == 0) ||
         !fuse_is_generated(op->operands[index]);
}

// A kernel reads what its members do, but for what it makes itself, and makes what others
// read.
static void run_kernel(recount_t *recount, const cluster_t *cluster) {
  const clusters_t *clusters = recount->clusters;
  for (int32_t m = 0; m < cluster->member_count; m++) {
    const mlir_op_t *op = clusters->members[cluster->first_member + m];
    for (int i = 0; i < op->operand_count; i++) {
      const mlir_value_t *value = op->operands[i];
      if (value->op == NULL || !is_in(clusters, cluster, value->op)) {
        if (is_kept(op, i)) {
          recount->read[base_of(clusters, value)->id] = recount->step_count;
        }
      }
    }
  }
  const mlir_block_t *block = cluster->root->block;
  for (int32_t m = 0; m < cluster->member_count; m++) {
    const mlir_op_t *op = clusters->members[cluster->first_member + m];
    bool leaves = false;
    for (const mlir_op_t *user = block->first; user != NULL; user = user->next) {
      for (int i = 0; i < user->operand_count; i++) {
        leaves = leaves || (user->operands[i]->op == op && !is_member(clusters, user));
        for (int32_t c = 0; c < clusters->cluster_count && !leaves; c++) {
          leaves = user->operands[i]->op == op && &clusters->clusters[c] != cluster &&
                   is_in(clusters, &clusters->clusters[c], user) &&
                   !is_in(clusters, &clusters->clusters[c], op);
        }
      }
    }
    if (leaves) {
      recount->made[op->results[0].id] = recount->step_count;
    }
  }
}

static bool is_one_block(const mlir_op_t *main) {
  for (const mlir_op_t *op = mlir_op_block(main, 0)->first; op != NULL; op = op->next) {
    if (op->region_count > 0 && (op->kind == CHIP_OP_WHILE || op->kind == CHIP_OP_IF ||
                                 op->kind == CHIP_OP_CASE)) {
      return false;
    }
  }
  return true;
}

static void walk(recount_t *recount, const mlir_block_t *block) {
  const clusters_t *clusters = recount->clusters;
  for (const mlir_op_t *op = block->first; op != block->last; op = op->next) {
    const int32_t at =
        op->id < clusters->op_count ? clusters->cluster_of[op->id] : CHIP_NONE;
    const bool is_kernel =
        at != CHIP_NONE && clusters->clusters[at].kind == CHIP_TASK_COMPUTE;
    if (is_kernel && clusters->clusters[at].root == op) {
      run_kernel(recount, &clusters->clusters[at]);
    } else if (!is_kernel && (op->id >= clusters->op_count || !is_member(clusters, op) ||
                              at != CHIP_NONE)) {
      if (op->kind == CHIP_OP_CONSTANT || op->kind == CHIP_OP_RESHAPE) {
        continue;
      }
      read_by(recount, op);
      for (int r = 0; r < op->result_count; r++) {
        recount->made[op->results[r].id] = recount->step_count;
      }
    } else {
      continue;
    }
    recount->step_count++;
  }
}

// The most bytes of values between, each from the step that makes it to the last that
// reads it. What the program returns is no temporary. Nothing lies in place of another:
// the compiler finds at the most that much, and not less than what it is without what
// is made or dies in a step, and without what may lie where a result will be.
static void recount_steps(const case_t *it, int64_t *out_most, int64_t *out_least) {
  const clusters_t *clusters = it->clusters;
  const mlir_op_t *main = mlir_module_find_symbol(it->partitioned.module, "main");
  const mlir_block_t *block = mlir_op_block(main, 0);
  const size_t value_count = it->partitioned.module->value_count;
  recount_t recount = {.clusters = clusters,
                       .made = malloc((value_count + 1) * sizeof(int32_t)),
                       .read = malloc((value_count + 1) * sizeof(int32_t))};
  int64_t *bytes = calloc(value_count + 1, sizeof(*bytes));
  for (size_t i = 0; i < value_count; i++) {
    recount.made[i] = recount.read[i] = -1;
  }
  walk(&recount, block);
  for (const mlir_op_t *op = block->first; op != NULL; op = op->next) {
    for (int r = 0; r < op->result_count; r++) {
      const bool is_scalar = fuse_elements(&op->results[r]) == 1;
      bytes[op->results[r].id] = is_scalar ? 0 : fuse_bytes(&op->results[r]);
    }
  }
  // A result is made in its place, if it is returned once and made by an operation.
  for (int i = 0; i < block->last->operand_count; i++) {
    bytes[base_of(clusters, block->last->operands[i])->id] = 0;
  }
  *out_most = *out_least = 0;
  for (int32_t step = 0; step < recount.step_count; step++) {
    int64_t alive = 0, stays = 0;
    for (size_t v = 0; v < value_count; v++) {
      if (recount.made[v] >= 0 && recount.made[v] <= step &&
          (recount.read[v] >= step || recount.made[v] == step)) {
        alive += bytes[v];
        stays += recount.read[v] > step && recount.made[v] < step ? bytes[v] : 0;
      }
    }
    *out_most = alive > *out_most ? alive : *out_most;
    *out_least = stays > *out_least ? stays : *out_least;
  }
  for (int i = 0; i < block->last->operand_count; i++) {
    *out_least -= fuse_bytes(block->last->operands[i]);
  }
  free(recount.made);
  free(recount.read);
  free(bytes);
}

static int64_t live_at_peak(const memory_t *memory) {
  return memory->peak_time == CHIP_NONE ? 0 : memory->lower.live_bytes[memory->peak_time];
}

// Returned twice, or an argument as it is: a copy is made that the recount has not.
static bool returns_plainly(const case_t *it) {
  const mlir_op_t *main = mlir_module_find_symbol(it->partitioned.module, "main");
  const mlir_op_t *end = mlir_op_block(main, 0)->last;
  for (int i = 0; i < end->operand_count; i++) {
    if (base_of(it->clusters, end->operands[i])->op == NULL) {
      return false;
    }
    for (int k = 0; k < i; k++) {
      if (base_of(it->clusters, end->operands[i]) ==
          base_of(it->clusters, end->operands[k])) {
        return false;
      }
    }
  }
  return true;
}

static uint64_t round_count(void) {
  const char *rounds = getenv("PODIUM_ROUNDS");
  return rounds != NULL ? strtoull(rounds, NULL, 10) : ROUNDS;
}

typedef struct seeds_t {
  uint64_t first, last;
} seeds_t;

static seeds_t seeds_of(uint64_t rounds) {
  const char *one = getenv("PODIUM_SEED");
  const uint64_t seed = one != NULL ? strtoull(one, NULL, 10) : 0;
  return one != NULL ? (seeds_t){seed, seed} : (seeds_t){1, rounds};
}

// Whether it was one to recount.
static bool recount(uint64_t seed) {
  case_t it;
  make_case(&it, seed);
  const mlir_op_t *main = mlir_module_find_symbol(it.partitioned.module, "main");
  memory_t memory;
  assert_ok(memory_count(it.clusters, &memory));
  int32_t count;
  memory_buffer_t *list = memory_list(&memory, &count);
  int64_t listed = 0;
  for (int32_t i = 0; i < count; i++) {
    listed += list[i].kind == CHIP_BUFFER_TEMP ? list[i].size_bytes : 0;
  }
  assert_int_equal(listed, live_at_peak(&memory));
  assert_true(memory.total.temp_bytes >= listed);
  free(list);
  int64_t most = 0, least = 0;
  if (is_one_block(main) && returns_plainly(&it)) {
    recount_steps(&it, &most, &least);
    if (live_at_peak(&memory) > most || live_at_peak(&memory) < least) {
      fprintf(stderr, "%s\n", printed(it.partitioned.module));
      fail_msg("seed %llu: %lld, by brute force %lld to %lld", (unsigned long long)seed,
               (long long)live_at_peak(&memory), (long long)least, (long long)most);
    }
  }
  memory_deinit(&memory);
  end_case(&it);
  return most > 0;
}

static void test_the_live_set_at_the_peak_is_what_brute_force_finds(void **state) {
  (void)state;
  const seeds_t seeds = seeds_of(round_count());
  uint64_t counted = 0;
  for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
    counted += recount(seed);
  }
  assert_true(counted >= (seeds.last - seeds.first) / 20);
}

// An iota that an update is written into stays in HBM until then.
static void test_what_an_update_is_written_into_is_alive(void **state) {
  (void)state;
  assert_true(recount(1134));
}

// --- Small HBM ---

static evaluated_t random_array(pod_arena_t *arena, pod_random_t *random,
                                const tensor_shape_t *shape) {
  evaluated_t array = evaluated_make(arena, shape, 1);
  for (int64_t i = 0; i < array.elements; i++) {
    array.data[i] = (double)pod_random_below(random, 7) - 3;
  }
  return array;
}

static evaluated_t *results_of(const case_t *it, pod_arena_t *arena) {
  const compiler_partitioned_t *partitioned = &it->partitioned;
  pod_random_t random = {.state = it->seed};
  evaluated_t *shards =
      pod_arena_array(arena, (size_t)partitioned->argument_count, sizeof(*shards));
  evaluated_t *found =
      pod_arena_array(arena, (size_t)partitioned->result_count, sizeof(*found));
  for (int32_t i = 0; i < partitioned->argument_count; i++) {
    const evaluated_t whole =
        random_array(arena, &random, &partitioned->argument_shapes[i]);
    shards[i] = evaluated_shard(arena, &whole, partitioned->argument_shardings[i]);
  }
  evaluate_main(partitioned->module, it->device_count, arena, shards, found);
  return found;
}

static void assert_same(const case_t *it, const evaluated_t *a, const evaluated_t *b) {
  for (int32_t i = 0; i < it->partitioned.result_count; i++) {
    assert_int_equal(a[i].elements, b[i].elements);
    assert_memory_equal(a[i].data, b[i].data,
                        (size_t)(a[i].elements * it->device_count) * sizeof(double));
  }
}

typedef struct tally_t {
  int fitted, refused;
} tally_t;

typedef void (*make_t)(case_t *it, uint64_t seed);

// `percent` of the temporaries fit.
static void squeeze(make_t make, uint64_t seed, int64_t percent, tally_t *tally) {
  case_t it;
  make(&it, seed);
  pod_arena_t *arena = pod_arena_create();
  memory_t memory;
  assert_ok(memory_count(it.clusters, &memory));
  const int64_t need = chip_memory_hbm_bytes(&memory.total);
  it.spec.hbm_reserved_bytes = 0;
  it.spec.hbm_bytes =
      need - memory.total.temp_bytes + memory.total.temp_bytes * percent / 100;
  memory_deinit(&memory);
  clusters_unschedule(it.clusters);
  char *before = printed(it.partitioned.module);
  const evaluated_t *expected = results_of(&it, arena);
  clusters_schedule(it.clusters, CLUSTERS_SHARES);
  const clusters_clock_t clock = clock_of(&it);
  const char *note;
  assert_ok(fit_hbm(&it.partitioned, &clock, &it.clusters, &note));
  assert_ok(memory_count(it.clusters, &memory));
  if (note != NULL) {
    assert_true(chip_memory_hbm_bytes(&memory.total) <= it.spec.hbm_bytes);
    tally->fitted += strstr(note, "computed again") != NULL;
  } else if (chip_memory_hbm_bytes(&memory.total) > it.spec.hbm_bytes) {
    char *after = printed(it.partitioned.module);
    if (strcmp(before, after) != 0) {
      fprintf(stderr, "%s\n---\n%s\n", before, after);
      fail_msg("seed %llu: the module was not left as it was", (unsigned long long)seed);
    }
    free(after);
    tally->refused++;
  }
  memory_deinit(&memory);
  assert_same(&it, expected, results_of(&it, arena));
  clusters_unschedule(it.clusters);
  assert_ok(compiler_verify(it.partitioned.module));
  free(before);
  pod_arena_destroy(arena);
  end_case(&it);
}

static tally_t squeeze_all(make_t make, uint64_t rounds) {
  tally_t tally = {0};
  const seeds_t seeds = seeds_of(rounds);
  for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
    for (int64_t percent = 50; percent < 100; percent += 20) {
      squeeze(make, seed, percent, &tally);
    }
  }
  print_message("made to fit by computing again: %d, refused: %d\n", tally.fitted,
                tally.refused);
  return tally;
}

static void test_programs_in_small_hbm_compute_the_same(void **state) {
  (void)state;
  const tally_t tally = squeeze_all(make_case, round_count());
  assert_true(tally.fitted > 0 || getenv("PODIUM_SEED") != NULL);
}

// --- Programs that go forth and back, as training steps ---

// One of the values made so far: the latest more often.
static int some(pod_random_t *random, int count) {
  const uint64_t back =
      pod_random_below(random, pod_random_below(random, 2) == 0 ? 2 : (uint64_t)count);
  return (int)back < count ? count - 1 - (int)back : 0;
}

// A product or an elementwise operation of two values, small again by a remainder.
static void add_step(pod_text_t *text, pod_random_t *random, int to, int left,
                     int right) {
  static const char *const names[] = {"add", "subtract", "multiply", "maximum"};
  if (pod_random_below(random, 2) == 0) {
    pod_text_printf(text,
                    "%%t%d = stablehlo.dot_general %%v%d, %%v%d, contracting_dims = [1] "
                    "x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> "
                    "tensor<16x16xf32>\n",
                    to, left, right);
  } else {
    pod_text_printf(text, "%%t%d = stablehlo.%s %%v%d, %%v%d : tensor<16x16xf32>\n", to,
                    names[pod_random_below(random, 4)], left, right);
  }
  pod_text_printf(
      text, "%%v%d = stablehlo.remainder %%t%d, %%seven : tensor<16x16xf32>\n", to, to);
}

// Every value is read on the way forth, by the product after it and now and then by
// others, and again on the way back, the last one first.
static void make_there_and_back(case_t *it, uint64_t seed) {
  pod_random_t random = {.state = seed};
  const int layers = 3 + (int)(seed % 9);
  pod_text_t text = {0};
  pod_text_add(&text,
               "module { func.func @main(%v0: tensor<16x16xf32>, %v1: "
               "tensor<16x16xf32>) -> tensor<16x16xf32> {\n"
               "%seven = stablehlo.constant dense<7.0> : tensor<16x16xf32>\n");
  int count = 2;
  for (int i = 0; i < layers; i++, count++) {
    add_step(&text, &random, count, count - 1, some(&random, count));
  }
  const int forth = count;
  for (int i = forth - 1; i > 1; i--, count++) {
    add_step(&text, &random, count, count - 1, i);
  }
  pod_text_printf(&text, "return %%v%d : tensor<16x16xf32>\n} }\n", count - 1);
  mlir_module_t *module = NULL;
  assert_ok(mlir_parse_kinds("random", text.bytes, (int64_t)strlen(text.bytes),
                             compiler_syntax_lookup, compiler_kind_find, &module));
  pod_text_deinit(&text);
  make_case_of(it, seed, module, 1);
}

static void test_steps_that_keep_too_much_compute_it_again(void **state) {
  (void)state;
  const tally_t tally = squeeze_all(make_there_and_back, round_count() / 3);
  // One kernel at a time, without those before it, is half of them.
  assert_true(tally.fitted * 100 > (tally.fitted + tally.refused) * 55 ||
              getenv("PODIUM_SEED") != NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_live_set_at_the_peak_is_what_brute_force_finds),
      cmocka_unit_test(test_what_an_update_is_written_into_is_alive),
      cmocka_unit_test(test_programs_in_small_hbm_compute_the_same),
      cmocka_unit_test(test_steps_that_keep_too_much_compute_it_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
