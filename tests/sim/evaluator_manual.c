// Shards of arrays, and manual computations: what is cut among devices on the way in and
// put together, and compared, on the way out.

#include <math.h>
#include <string.h>

#include "server/compiler/dialect/attributes.h"
#include "tests/sim/evaluator_parts.h"

// --- Shards ---

// The place in the whole array of element `i` of a device's shard; -1: it is padding.
static int64_t place_in_whole(const evaluated_t *shards, const tensor_shape_t *global,
                              const int64_t *start, int64_t i) {
  int64_t index[TENSOR_RANK_MAX];
  unravel(&shards->shape, i, index);
  for (int d = 0; d < global->rank; d++) {
    index[d] += start[d];
    if (index[d] >= global->dims[d]) {
      return -1;
    }
  }
  return ravel(global, index);
}

evaluated_t evaluated_shard(pod_arena_t *arena, const evaluated_t *whole,
                            const sharding_t *sharding) {
  tensor_shape_t local;
  sharding_local_shape(sharding, &whole->shape, &local);
  const int64_t devices = sharding->mesh->device_count;
  evaluated_t shards = evaluated_make(arena, &local, devices);
  for (int64_t device = 0; device < devices; device++) {
    int64_t start[TENSOR_RANK_MAX];
    sharding_shard_start(sharding, &whole->shape, device, start);
    for (int64_t i = 0; i < shards.elements; i++) {
      const int64_t place = place_in_whole(&shards, &whole->shape, start, i);
      // Padding that is seen somewhere shows up in the results.
      of_device(&shards, device)[i] = place < 0 ? NAN : whole->data[place];
    }
  }
  return shards;
}

bool evaluated_unshard(pod_arena_t *arena, const evaluated_t *shards,
                       const tensor_shape_t *global, const sharding_t *sharding,
                       evaluated_t *out_whole) {
  const int64_t devices = sharding->mesh->device_count;
  evaluated_t whole = evaluated_make(arena, global, 1);
  for (int64_t i = 0; i < whole.elements; i++) {
    whole.data[i] = NAN;
  }
  for (int64_t device = 0; device < devices; device++) {
    int64_t start[TENSOR_RANK_MAX];
    sharding_shard_start(sharding, global, device, start);
    for (int64_t i = 0; i < shards->elements; i++) {
      const int64_t place = place_in_whole(shards, global, start, i);
      if (place < 0) {
        continue;
      }
      double *to = &whole.data[place];
      const double value = of_device(shards, device)[i];
      if (!isnan(*to) && !isnan(value) && *to != value) {
        return false;
      }
      *to = isnan(value) ? *to : value;
    }
  }
  *out_whole = whole;
  return true;
}

// --- Manual computations ---

// Of a list of shardings, the one of value `index` with the manual axes alone, which
// `is_manual` gets.
static const sharding_t *manual_part(machine_t *machine, const mlir_op_t *op,
                                     const char *name, int index, bool *is_manual) {
  compiler_meshes_t *meshes;
  int64_t count;
  sharding_t **list;
  POD_CHECK(compiler_meshes_collect(machine->module, machine->arena, &meshes) == NULL);
  POD_CHECK(compiler_parse_shardings(machine->module, mlir_op_attr(op, name), meshes,
                                     machine->arena, &count, &list) == NULL);
  int axis_count;
  int *axes;
  sharding_t *sharding = list[index];
  POD_CHECK(compiler_parse_manual_axes(machine->module, mlir_op_attr(op, "manual_axes"),
                                       sharding->mesh, machine->arena, &axis_count,
                                       &axes) == NULL);
  memset(is_manual, 0, SHARDING_AXES_MAX * sizeof(is_manual[0]));
  for (int j = 0; j < axis_count; j++) {
    is_manual[axes[j]] = true;
  }
  for (int d = 0; d < sharding->rank; d++) {
    axis_list_t *of_dim = &sharding->dims[d].axes;
    int kept = 0;
    for (int i = 0; i < of_dim->count; i++) {
      if (is_manual[of_dim->refs[i].axis]) {
        of_dim->refs[kept++] = of_dim->refs[i];
      }
    }
    of_dim->count = kept;
  }
  return sharding;
}

// Whether two devices differ along manual axes only: they are parts of the same array of
// the program around, which one device runs, or, when it is manual itself, every device.
static bool are_together(const machine_t *around, const mesh_t *mesh,
                         const bool *is_manual, int64_t a, int64_t b) {
  int64_t of_a[SHARDING_AXES_MAX], of_b[SHARDING_AXES_MAX];
  mesh_coordinates(mesh, a, of_a);
  mesh_coordinates(mesh, b, of_b);
  bool together = true;
  for (int i = 0; i < mesh->axis_count && around->devices > 1; i++) {
    together = together && (is_manual[i] || of_a[i] == of_b[i]);
  }
  return together;
}

static void cut_manual(machine_t *machine, const mlir_op_t *op, int i) {
  bool is_manual[SHARDING_AXES_MAX];
  const sharding_t *sharding = manual_part(machine, op, "in_shardings", i, is_manual);
  const evaluated_t *whole = operand(machine, op, i);
  evaluated_t *parts = value_of(machine, mlir_op_block(op, 0)->arguments[i]);
  if (machine->devices == 1) {
    *parts = evaluated_shard(machine->arena, whole, sharding);
    return;
  }
  POD_CHECK(machine->devices == sharding->mesh->device_count);
  tensor_shape_t local;
  sharding_local_shape(sharding, &whole->shape, &local);
  *parts = evaluated_make(machine->arena, &local, machine->devices);
  for (int64_t device = 0; device < machine->devices; device++) {
    const evaluated_t one = {whole->shape, whole->elements, of_device(whole, device)};
    const evaluated_t cut = evaluated_shard(machine->arena, &one, sharding);
    memcpy(of_device(parts, device), of_device(&cut, device),
           (size_t)parts->elements * sizeof(parts->data[0]));
  }
}

static void join_manual(machine_t *machine, const mlir_op_t *op, int i) {
  bool is_manual[SHARDING_AXES_MAX];
  const sharding_t *sharding = manual_part(machine, op, "out_shardings", i, is_manual);
  const int64_t device_count = sharding->mesh->device_count;
  const evaluated_t *parts = value_of(machine, mlir_op_block(op, 0)->last->operands[i]);
  evaluated_t *wholes = make_result(machine, op, i);
  evaluated_t together = evaluated_make(machine->arena, &parts->shape, device_count);
  for (int64_t target = 0; target < machine->devices; target++) {
    for (int64_t device = 0; device < device_count; device++) {
      const bool is_part =
          are_together(machine, sharding->mesh, is_manual, target, device);
      for (int64_t j = 0; j < parts->elements; j++) {
        of_device(&together, device)[j] = is_part ? of_device(parts, device)[j] : NAN;
      }
    }
    evaluated_t whole;
    POD_CHECK(
        evaluated_unshard(machine->arena, &together, &wholes->shape, sharding, &whole));
    memcpy(of_device(wholes, target), whole.data,
           (size_t)whole.elements * sizeof(whole.data[0]));
  }
}

void evaluator_run_manual(machine_t *machine, const mlir_op_t *op) {
  bool is_manual[SHARDING_AXES_MAX];
  machine_t inside = *machine;
  inside.devices =
      manual_part(machine, op, op->operand_count > 0 ? "in_shardings" : "out_shardings",
                  0, is_manual)
          ->mesh->device_count;
  for (int i = 0; i < op->operand_count; i++) {
    cut_manual(machine, op, i);
  }
  evaluator_run_block(&inside, mlir_op_block(op, 0));
  for (int i = 0; i < op->result_count; i++) {
    join_manual(machine, op, i);
  }
}
