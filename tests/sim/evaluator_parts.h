// What the files of the evaluator share. Private to them.

#ifndef TESTS_SIM_EVALUATOR_PARTS_H_
#define TESTS_SIM_EVALUATOR_PARTS_H_

#include "common/base/check.h"
#include "tests/sim/evaluator.h"

typedef struct machine_t {
  mlir_module_t *module;
  pod_arena_t *arena;
  int64_t devices;
  evaluated_t *values;  // By value id.
} machine_t;

void evaluator_run_block(machine_t *machine, const mlir_block_t *block);

// evaluator_manual.c: the body runs on every device of the mesh, on the parts that the
// manual axes cut.
void evaluator_run_manual(machine_t *machine, const mlir_op_t *op);

// evaluator_layers.c.
void evaluator_run_gather(machine_t *machine, const mlir_op_t *op);
void evaluator_run_scatter(machine_t *machine, const mlir_op_t *op);
void evaluator_run_convolution(machine_t *machine, const mlir_op_t *op);

static inline evaluated_t *value_of(machine_t *machine, const mlir_value_t *value) {
  return &machine->values[value->id];
}

static inline const evaluated_t *operand(machine_t *machine, const mlir_op_t *op,
                                         int index) {
  const evaluated_t *array = value_of(machine, op->operands[index]);
  POD_CHECK(array->data != NULL);
  return array;
}

static inline evaluated_t *make_result(machine_t *machine, const mlir_op_t *op,
                                       int index) {
  evaluated_t *array = value_of(machine, &op->results[index]);
  *array =
      evaluated_make(machine->arena, &op->results[index].type->shape, machine->devices);
  return array;
}

static inline double *of_device(const evaluated_t *array, int64_t device) {
  return array->data + device * array->elements;
}

static inline void unravel(const tensor_shape_t *shape, int64_t flat, int64_t *index) {
  for (int d = shape->rank - 1; d >= 0; d--) {
    index[d] = flat % shape->dims[d];
    flat /= shape->dims[d];
  }
}

static inline int64_t ravel(const tensor_shape_t *shape, const int64_t *index) {
  int64_t flat = 0;
  for (int d = 0; d < shape->rank; d++) {
    POD_CHECK(index[d] >= 0 && index[d] < shape->dims[d]);
    flat = flat * shape->dims[d] + index[d];
  }
  return flat;
}

#endif  // TESTS_SIM_EVALUATOR_PARTS_H_
