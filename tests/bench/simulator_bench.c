// How fast the clock of a pod runs: rings without using symmetry, and transformer steps
// with it. Events are tasks begun and messages sent; seconds are of the processor.

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/check.h"
#include "server/simulator/simulator.h"

enum { TASKS_MAX = 80 * 64, LAYERS = 80, COLLECTIVES_PER_LAYER = 8 };

typedef struct bench_t {
  pod_arena_t *arena;
  torus_t torus;
  chip_program_t program;
  chip_computation_t main;
  chip_task_t *tasks;
  chip_instruction_t *instructions;
  chip_buffer_t *buffers;
} bench_t;

static void bench_begin(bench_t *bench, torus_t torus) {
  *bench = (bench_t){.arena = pod_arena_create(), .torus = torus};
  bench->tasks = pod_arena_array(bench->arena, TASKS_MAX, sizeof(*bench->tasks));
  bench->instructions =
      pod_arena_array(bench->arena, TASKS_MAX, sizeof(*bench->instructions));
  bench->buffers = pod_arena_array(bench->arena, TASKS_MAX, sizeof(*bench->buffers));
}

// The chips in groups of `size`, `stride` apart.
static const int64_t *groups_of(bench_t *bench, int32_t size, int32_t stride) {
  const int32_t chips = torus_chip_count(&bench->torus);
  int64_t *groups = pod_arena_array(bench->arena, (size_t)chips, sizeof(*groups));
  int32_t count = 0;
  for (int32_t block = 0; block < chips; block += size * stride) {
    for (int32_t first = 0; first < stride; first++) {
      for (int32_t i = 0; i < size; i++) {
        groups[count++] = block + first + i * stride;
      }
    }
  }
  return groups;
}

static chip_task_t *add_task(bench_t *bench, chip_task_kind_t kind, int32_t instruction) {
  POD_CHECK(bench->program.task_count < TASKS_MAX);
  chip_task_t *task = &bench->tasks[bench->program.task_count++];
  *task = (chip_task_t){
      .kind = kind, .instruction = instruction, .partner = CHIP_NONE, .name = "task"};
  return task;
}

static int32_t add_instruction(bench_t *bench, chip_op_t op, int64_t elements) {
  bench->buffers[bench->program.buffer_count] = (chip_buffer_t){
      .kind = CHIP_BUFFER_TEMP,
      .shape = tensor_shape_make(TENSOR_BF16, 1, (const int64_t[]){elements})};
  int32_t *operand = pod_arena_alloc(bench->arena, sizeof(*operand));
  *operand = bench->program.buffer_count++;
  bench->instructions[bench->program.instruction_count] =
      (chip_instruction_t){.op = op,
                           .operand_count = 1,
                           .result_count = 1,
                           .operands = operand,
                           .results = operand,
                           .name = chip_op_name(op),
                           .source = "bench"};
  return bench->program.instruction_count++;
}

static int32_t add_collective(bench_t *bench, chip_op_t op, int64_t elements,
                              const int64_t *groups, int32_t size) {
  const int32_t index = add_instruction(bench, op, elements);
  chip_attr_t *attrs = pod_arena_array(bench->arena, 3, sizeof(*attrs));
  int64_t *values = pod_arena_array(bench->arena, 2, sizeof(*values));
  values[0] = size;
  values[1] = CHIP_REDUCER_ADD;
  attrs[0] =
      (chip_attr_t){CHIP_ATTR_REPLICA_GROUPS, torus_chip_count(&bench->torus), groups};
  attrs[1] = (chip_attr_t){CHIP_ATTR_GROUP_SIZE, 1, &values[0]};
  attrs[2] = (chip_attr_t){CHIP_ATTR_REDUCER, 1, &values[1]};
  bench->instructions[index].attrs = attrs;
  bench->instructions[index].attr_count = 3;
  return index;
}

static void add_compute(bench_t *bench, int32_t instruction, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    chip_task_t *task = add_task(bench, CHIP_TASK_COMPUTE, instruction);
    task->work = (chip_work_t){.mxu_flop = (int64_t)(i + 1) * 1000000000,
                               .mxu_busy_flop = (int64_t)(i + 1) * 1000000000,
                               .hbm_read_bytes = 1 << 20};
  }
}

static void bench_end(bench_t *bench, const char *what, const char *kind,
                      bool ignores_symmetry) {
  chip_program_t *program = &bench->program;
  bench->main = (chip_computation_t){.name = "main",
                                     .instruction_count = program->instruction_count,
                                     .task_count = program->task_count};
  program->name = what;
  program->instructions = bench->instructions;
  program->buffers = bench->buffers;
  program->tasks = bench->tasks;
  program->computations = &bench->main;
  program->computation_count = 1;
  const simulator_options_t options = {.spec = chip_spec_find(kind),
                                       .torus = &bench->torus,
                                       .ignores_symmetry = ignores_symmetry,
                                       .events_max = 0};
  simulator_result_t *result = NULL;
  const clock_t start = clock();
  const pod_status_t status = simulator_run(program, &options, &result);
  const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  if (status != NULL) {
    fprintf(stderr, "%s: %s\n", what, pod_status_message(status));
    exit(1);
  }
  printf(
      "%-44s %6d chips %5d classes %10.3f us predicted %8.3f s %10lld events "
      "%7.2f M/s\n",
      what, result->chip_count, result->class_count, (double)result->step_ps * 1e-6,
      seconds, (long long)result->steps_simulated,
      (double)result->steps_simulated / seconds * 1e-6);
  fflush(stdout);
  simulator_result_destroy(result);
  pod_arena_destroy(bench->arena);
}

static void bench_all_reduce(const char *what, torus_t torus, const char *kind,
                             int64_t mib) {
  bench_t bench;
  bench_begin(&bench, torus);
  const int32_t chips = torus_chip_count(&torus);
  add_task(&bench, CHIP_TASK_COLLECTIVE,
           add_collective(&bench, CHIP_OP_ALL_REDUCE, mib << 19,
                          groups_of(&bench, chips, 1), chips));
  bench_end(&bench, what, kind, true);
}

// Weights gathered along x, activations reduced along y (and z), gradients scattered
// along x; half of it hidden behind the products.
static void bench_transformer(const char *what, torus_t torus, const char *kind,
                              bool ignores_symmetry) {
  bench_t bench;
  bench_begin(&bench, torus);
  const int32_t x = torus.size[0];
  const int32_t last = torus.size[2] > 1 ? torus.size[2] : torus.size[1];
  const int32_t last_stride = torus.size[2] > 1 ? x * torus.size[1] : x;
  const int64_t *rows = groups_of(&bench, x, 1);
  const int64_t *columns = groups_of(&bench, torus.size[1], x);
  const int64_t *lasts = groups_of(&bench, last, last_stride);
  static const chip_op_t ops[COLLECTIVES_PER_LAYER] = {
      CHIP_OP_ALL_GATHER,     CHIP_OP_ALL_REDUCE, CHIP_OP_ALL_GATHER, CHIP_OP_ALL_REDUCE,
      CHIP_OP_REDUCE_SCATTER, CHIP_OP_ALL_REDUCE, CHIP_OP_ALL_REDUCE, CHIP_OP_ALL_GATHER};
  for (int32_t layer = 0; layer < LAYERS; layer++) {
    for (int32_t i = 0; i < COLLECTIVES_PER_LAYER; i++) {
      const bool is_reduce = ops[i] == CHIP_OP_ALL_REDUCE;
      const int64_t *groups = !is_reduce ? rows : (i % 4 == 1 ? columns : lasts);
      const int32_t size = !is_reduce ? x : (i % 4 == 1 ? torus.size[1] : last);
      const int32_t collective =
          add_collective(&bench, ops[i], (int64_t)1 << (18 + i % 3), groups, size);
      if (i % 2 == 0) {
        add_task(&bench, CHIP_TASK_COLLECTIVE, collective);
        add_compute(&bench, collective, 5);
        continue;
      }
      const int32_t start = bench.program.task_count;
      add_task(&bench, CHIP_TASK_COLLECTIVE_START, collective);
      add_compute(&bench, collective, 5);
      const int32_t done = bench.program.task_count;
      add_task(&bench, CHIP_TASK_COLLECTIVE_DONE, collective)->partner = start;
      bench.tasks[start].partner = done;
    }
  }
  bench_end(&bench, what, kind, ignores_symmetry);
}

int main(int argc, char **argv) {
  const bool is_long = argc > 1 && strcmp(argv[1], "--long") == 0;
  const torus_t ring = {.size = {1024, 1, 1}, .wraps = {true, false, false}};
  const torus_t square = {.size = {32, 32, 1}, .wraps = {true, true, false}};
  const torus_t cube = {.size = {16, 16, 16}, .wraps = {true, true, true}};
  const torus_t pod = {.size = {16, 16, 1}, .wraps = {true, true, false}};
  bench_all_reduce("ring all_reduce, 64 MiB, no symmetry", ring, "v5e", 64);
  bench_all_reduce("torus all_reduce, 64 MiB, no symmetry", square, "v5e", 64);
  bench_all_reduce("torus all_reduce, 64 MiB, no symmetry", cube, "v4", 64);
  bench_transformer("transformer step, symmetry", pod, "v5e", false);
  bench_transformer("transformer step, no symmetry", pod, "v5e", true);
  bench_transformer("transformer step, symmetry", cube, "v4", false);
  if (is_long) {
    const torus_t long_ring = {.size = {4096, 1, 1}, .wraps = {true, false, false}};
    bench_all_reduce("ring all_reduce, 64 MiB, no symmetry", long_ring, "v5e", 64);
    bench_transformer("transformer step, no symmetry", cube, "v4", true);
  }
  return 0;
}
