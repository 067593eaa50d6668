// Programs of tasks for tests of the clock, and a chip whose figures are easy to reckon
// with: 1 byte per picosecond on a link (1e12 B/s), 1 us per hop, 1 FLOP per picosecond.

#ifndef TESTS_UNIT_SERVER_SIMULATOR_WORLD_H_
#define TESTS_UNIT_SERVER_SIMULATOR_WORLD_H_

#include "server/simulator/simulator.h"
#include "tests/unit/server/programs.h"

enum {
  WORLD_HOP_PS = 1000000,
  WORLD_STARTUP_PS = 3000000,
  WORLD_DCN_PS = 20000000,
  WORLD_OVERHEAD_PS = 500000,
  WORLD_HBM = 100,  // Bytes per picosecond: a hundred links.
  // Until the first byte of a collective leaves.
  WORLD_BEGIN_PS = WORLD_OVERHEAD_PS + WORLD_STARTUP_PS,
};

static const chip_spec_t world_spec = {
    .name = "test",
    .accelerator = "test",
    .cores_per_chip = 1,
    .torus_dimensions = 3,
    .wraparound = 1,
    .chips_per_host = {1, 1, 1},
    .largest_slice = {64, 64, 64},
    .pcie_bytes_per_s = 1e12,
    .pcie_latency_ps = WORLD_HOP_PS,
    .hbm_bytes = (int64_t)1 << 40,
    .vmem_bytes = 1 << 24,
    .hbm_bytes_per_s = 1e12 * WORLD_HBM,
    .hbm_fraction = 1,
    .bf16_flop_per_s = 1e12,
    .mxu_fraction = 1,
    .mxu_size = 128,
    .vpu_op_per_s = 1e12,
    .ici_bytes_per_s = 1e12,
    .ici_hop_ps = WORLD_HOP_PS,
    .dcn_bytes_per_s = 0.125e12,
    .dcn_latency_ps = WORLD_DCN_PS,
    .collective_startup_ps = WORLD_STARTUP_PS,
    .kernel_ps = WORLD_OVERHEAD_PS,
    .async_start_ps = WORLD_OVERHEAD_PS,
    .async_done_ps = WORLD_OVERHEAD_PS,
};

enum { WORLD_TASKS_MAX = 256 };

// The tasks are added to computations in any order; world_end puts them in the program.
typedef struct world_t {
  program_builder_t *builder;
  int32_t chips;
  chip_task_t tasks[WORLD_TASKS_MAX];
  int32_t computation_of[WORLD_TASKS_MAX];
  int32_t count;
} world_t;

static inline void world_begin(world_t *world, int32_t chips) {
  *world = (world_t){.builder = program_begin("world", chips, 0), .chips = chips};
}

// Returns the task's number: what `partner` means until world_end.
static inline int32_t world_task(world_t *world, int32_t computation,
                                 chip_task_kind_t kind, int32_t instruction,
                                 chip_work_t work) {
  POD_CHECK(world->count < WORLD_TASKS_MAX);
  world->tasks[world->count] = (chip_task_t){
      .kind = kind,
      .instruction = instruction,
      .partner = CHIP_NONE,
      .name = pod_arena_printf(world->builder->arena, "task.%d", world->count),
      .work = work};
  world->computation_of[world->count] = computation;
  return world->count++;
}

// A task that takes `duration_ps`, `hbm_ps` of which it uses HBM.
static inline int32_t world_compute(world_t *world, int32_t computation,
                                    int32_t instruction, int64_t duration_ps,
                                    int64_t hbm_ps) {
  const chip_work_t work = {.mxu_flop = duration_ps - WORLD_OVERHEAD_PS,
                            .mxu_busy_flop = duration_ps - WORLD_OVERHEAD_PS,
                            .hbm_read_bytes = WORLD_HBM * hbm_ps};
  return world_task(world, computation, CHIP_TASK_COMPUTE, instruction, work);
}

static inline void world_pair(world_t *world, int32_t start, int32_t done) {
  world->tasks[start].partner = done;
  world->tasks[done].partner = start;
}

// An instruction that permutes f32[elements]; pairs of chips end with -1.
static inline int32_t world_permute(world_t *world, int elements, ...) {
  const tensor_shape_t shape = shape_of(TENSOR_F32, 1, elements);
  const int32_t in = program_temp(world->builder, shape);
  const int32_t out = program_temp(world->builder, shape);
  const int32_t instruction = program_op(world->builder, CHIP_OP_COLLECTIVE_PERMUTE, in,
                                         CHIP_NONE, out, CHIP_NONE);
  int64_t pairs[2 * WORLD_TASKS_MAX];
  int32_t count = 0;
  va_list args;
  va_start(args, elements);
  for (int id; (id = va_arg(args, int)) >= 0;) {
    pairs[count++] = id;
  }
  va_end(args);
  program_attr_list(world->builder, CHIP_ATTR_SOURCE_TARGET_PAIRS, count, pairs);
  return instruction;
}

// Groups of `size` chips that are `stride` apart.
static inline void world_groups(const world_t *world, int32_t size, int32_t stride,
                                int64_t *out_groups) {
  for (int32_t block = 0; block < world->chips; block += size * stride) {
    for (int32_t first = 0; first < stride; first++) {
      for (int32_t i = 0; i < size; i++) {
        *out_groups++ = block + first + i * stride;
      }
    }
  }
}

// all_reduce of f32[elements] over groups of `size`, whose chips are `stride` apart.
static inline int32_t world_all_reduce(world_t *world, int elements, int32_t size,
                                       int32_t stride) {
  const tensor_shape_t shape = shape_of(TENSOR_F32, 1, elements);
  const int32_t in = program_temp(world->builder, shape);
  const int32_t out = program_temp(world->builder, shape);
  const int32_t instruction =
      program_op(world->builder, CHIP_OP_ALL_REDUCE, in, CHIP_NONE, out, CHIP_NONE);
  int64_t *groups = calloc((size_t)world->chips, sizeof(*groups));
  world_groups(world, size, stride, groups);
  program_attr_list(world->builder, CHIP_ATTR_REPLICA_GROUPS, world->chips, groups);
  program_attr(world->builder, CHIP_ATTR_GROUP_SIZE, size);
  program_attr(world->builder, CHIP_ATTR_REDUCER, CHIP_REDUCER_ADD);
  free(groups);
  return instruction;
}

// An instruction that tasks can name when it does not matter which.
static inline int32_t world_any(world_t *world) {
  const int32_t buffer = program_temp(world->builder, shape_of(TENSOR_F32, 1, 8));
  const int32_t result = program_temp(world->builder, shape_of(TENSOR_F32, 1, 8));
  return program_op(world->builder, CHIP_OP_NEGATE, buffer, CHIP_NONE, result, CHIP_NONE);
}

static inline chip_program_t *world_end(world_t *world) {
  chip_program_t *program = program_end(world->builder);
  chip_task_t *tasks = pod_arena_array(program->arena, WORLD_TASKS_MAX, sizeof(*tasks));
  int32_t moved[WORLD_TASKS_MAX];
  chip_computation_t *computations = (chip_computation_t *)program->computations;
  for (int32_t c = 0; c < program->computation_count; c++) {
    computations[c].first_task = program->task_count;
    for (int32_t i = 0; i < world->count; i++) {
      if (world->computation_of[i] == c) {
        moved[i] = program->task_count;
        tasks[program->task_count++] = world->tasks[i];
        computations[c].task_count++;
      }
    }
  }
  for (int32_t i = 0; i < program->task_count; i++) {
    tasks[i].partner = tasks[i].partner < 0 ? CHIP_NONE : moved[tasks[i].partner];
  }
  program->tasks = tasks;
  return program;
}

static inline torus_t world_torus(int32_t x, int32_t y, int32_t z, bool wraps) {
  return (torus_t){.size = {x, y, z}, .wraps = {wraps, wraps, wraps}};
}

// HBM is only ten times as fast as a link, so that collectives slow the core down.
static inline const chip_spec_t *world_narrow_spec(void) {
  static chip_spec_t narrow;
  narrow = world_spec;
  narrow.hbm_bytes_per_s = 1e13;
  return &narrow;
}

static inline simulator_options_t world_options(const torus_t *torus) {
  return (simulator_options_t){
      .spec = &world_spec, .torus = torus, .events_max = 1 << 16};
}

static inline simulator_result_t *world_run(const chip_program_t *program,
                                            const simulator_options_t *options) {
  simulator_result_t *result = NULL;
  const pod_status_t status = simulator_run(program, options, &result);
  if (status != NULL) {
    fprintf(stderr, "simulator_run: %s\n", pod_status_message(status));
    abort();
  }
  return result;
}

static inline const simulator_chip_t *world_chip(const simulator_result_t *result,
                                                 int32_t chip) {
  return &result->classes[result->class_of_chip[chip]];
}

#endif  // TESTS_UNIT_SERVER_SIMULATOR_WORLD_H_
