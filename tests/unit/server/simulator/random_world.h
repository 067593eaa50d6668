// Programs of tasks drawn from a seed: collectives that wait, some that fly over
// computing and over each other, prefetches.

#ifndef TESTS_UNIT_SERVER_SIMULATOR_RANDOM_WORLD_H_
#define TESTS_UNIT_SERVER_SIMULATOR_RANDOM_WORLD_H_

#include "tests/unit/server/simulator/world.h"

enum { US = 1000000, OPS_MAX = 8 };

typedef struct dice_t {
  uint64_t state;
} dice_t;

static inline int32_t roll(dice_t *dice, int32_t sides) {
  dice->state =
      dice->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (int32_t)((dice->state >> 33) % (uint64_t)sides);
}

// Every chip to the one a displacement away, where that is inside.
static inline int32_t add_shift(world_t *world, const torus_t *torus, dice_t *dice,
                                int32_t elements) {
  const tensor_shape_t shape = shape_of(TENSOR_F32, 1, elements);
  const int32_t in = program_temp(world->builder, shape);
  const int32_t out = program_temp(world->builder, shape);
  const int32_t by[] = {roll(dice, torus->size[0]), roll(dice, torus->size[1]),
                        roll(dice, torus->size[2])};
  const int32_t slices = torus_slice_total(torus), cores = torus_core_total(torus);
  const int32_t by_slices = slices > 1 ? roll(dice, slices) : 0;
  const int32_t by_cores = cores > 1 ? roll(dice, cores) : 0;
  int64_t *pairs = calloc((size_t)world->chips * 2, sizeof(*pairs));
  int32_t count = 0;
  for (int32_t chip = 0; chip < world->chips; chip++) {
    torus_coords_t coords = torus_coords(torus, chip);
    for (int d = 0; d < TORUS_DIMENSIONS; d++) {
      coords.at[d] += by[d];
      coords.at[d] %= torus->wraps[d] ? torus->size[d] : INT32_MAX;
    }
    coords.slice = (coords.slice + by_slices) % slices;
    coords.core = (coords.core + by_cores) % cores;
    if (torus_contains(torus, coords)) {
      pairs[count++] = chip;
      pairs[count++] = torus_chip_at(torus, coords);
    }
  }
  const int32_t instruction = program_op(world->builder, CHIP_OP_COLLECTIVE_PERMUTE, in,
                                         CHIP_NONE, out, CHIP_NONE);
  program_attr_list(world->builder, CHIP_ATTR_SOURCE_TARGET_PAIRS, count, pairs);
  free(pairs);
  return instruction;
}

static inline int32_t add_all_to_all(world_t *world, int32_t elements, int32_t size,
                                     int32_t stride) {
  const tensor_shape_t shape = shape_of(TENSOR_F32, 1, elements * size);
  const int32_t in = program_temp(world->builder, shape);
  const int32_t out = program_temp(world->builder, shape);
  const int32_t instruction =
      program_op(world->builder, CHIP_OP_ALL_TO_ALL, in, CHIP_NONE, out, CHIP_NONE);
  int64_t *groups = calloc((size_t)world->chips, sizeof(*groups));
  world_groups(world, size, stride, groups);
  program_attr_list(world->builder, CHIP_ATTR_REPLICA_GROUPS, world->chips, groups);
  program_attr(world->builder, CHIP_ATTR_GROUP_SIZE, size);
  program_attr(world->builder, CHIP_ATTR_SPLIT_DIMENSION, 0);
  program_attr(world->builder, CHIP_ATTR_CONCAT_DIMENSION, 0);
  program_attr(world->builder, CHIP_ATTR_SPLIT_COUNT, size);
  free(groups);
  return instruction;
}

static inline int32_t add_collective(world_t *world, const torus_t *torus, dice_t *dice) {
  const int32_t slices = torus_slice_total(torus), cores = torus_core_total(torus);
  const int32_t sizes[] = {torus->size[0], torus->size[1], torus->size[2], slices, cores};
  const int32_t strides[] = {cores, cores * torus->size[0],
                             cores * torus->size[0] * torus->size[1],
                             torus_slice_chip_count(torus), 1};
  const int32_t axis = roll(dice, slices > 1 || cores > 1 ? 5 : TORUS_DIMENSIONS);
  const int32_t elements = 8 << roll(dice, 15);
  switch (roll(dice, 4)) {
    case 0:
      return add_shift(world, torus, dice, elements);
    case 1:
      return add_all_to_all(world, elements, sizes[axis], strides[axis]);
    case 2:
      return world_all_reduce(world, elements * 16, world->chips, 1);
    default:
      return world_all_reduce(world, elements * 16 + roll(dice, 8) / 7, sizes[axis],
                              strides[axis]);
  }
}

static inline void add_compute(world_t *world, dice_t *dice, int32_t computation,
                               int32_t any) {
  const int32_t us = 1 + roll(dice, 40);
  world_compute(world, computation, any, us * (int64_t)US, roll(dice, us) * (int64_t)US);
}

// Ends what is open with tasks of kind `done`.
static inline void end_open(world_t *world, int32_t computation, chip_task_kind_t done,
                            int32_t start) {
  world_pair(world, start,
             world_task(world, computation, done, world->tasks[start].instruction,
                        (chip_work_t){.hbm_read_bytes = 3 * (int64_t)WORLD_HBM * US}));
}

// Up to OPS_MAX collectives and what is computed beside them.
static inline void add_tasks(world_t *world, const torus_t *torus, dice_t *dice,
                             int32_t computation) {
  const int32_t any = world_any(world);
  const int32_t count = 1 + roll(dice, OPS_MAX);
  int32_t open[OPS_MAX];
  int32_t open_count = 0;
  for (int32_t i = 0; i < count; i++) {
    const int32_t collective = add_collective(world, torus, dice);
    const chip_work_t bytes = {.hbm_read_bytes = 3 * (int64_t)WORLD_HBM * US};
    if (roll(dice, 2) == 0) {
      world_task(world, computation, CHIP_TASK_COLLECTIVE, collective, bytes);
    } else {
      open[open_count++] =
          world_task(world, computation, CHIP_TASK_COLLECTIVE_START, collective, bytes);
    }
    add_compute(world, dice, computation, any);
    if (open_count > 0 && roll(dice, 3) == 0) {
      end_open(world, computation, CHIP_TASK_COLLECTIVE_DONE, open[--open_count]);
    }
  }
  while (open_count > 0) {
    end_open(world, computation, CHIP_TASK_COLLECTIVE_DONE, open[--open_count]);
  }
}

// A prefetch with something to compute meanwhile.
static inline void add_prefetch(world_t *world, dice_t *dice, int32_t computation,
                                int32_t any) {
  const int32_t start = world_task(
      world, computation, CHIP_TASK_PREFETCH_START, any,
      (chip_work_t){.hbm_read_bytes = (1 + roll(dice, 60)) * (int64_t)WORLD_HBM * US});
  add_compute(world, dice, computation, any);
  end_open(world, computation, CHIP_TASK_PREFETCH_DONE, start);
}

// A transfer with the host, either way.
static inline void add_transfer(world_t *world, dice_t *dice, int32_t computation,
                                int32_t any) {
  const bool is_to_host = roll(dice, 2) == 0;
  const int32_t start =
      world_task(world, computation, CHIP_TASK_TRANSFER_START, any,
                 (chip_work_t){.host_bytes = (1 + roll(dice, 60)) * INT64_C(20000),
                               .hbm_read_bytes = is_to_host,
                               .hbm_written_bytes = !is_to_host});
  add_compute(world, dice, computation, any);
  end_open(world, computation, CHIP_TASK_TRANSFER_DONE, start);
}

#endif  // TESTS_UNIT_SERVER_SIMULATOR_RANDOM_WORLD_H_
