// What the files of the generator share. Private to them.

#ifndef TESTS_SIM_GENERATOR_PARTS_H_
#define TESTS_SIM_GENERATOR_PARTS_H_

#include "common/base/random.h"
#include "tests/sim/generator.h"

enum {
  VALUES_MAX = 256,
  ELEMENTS_MAX = 256,
  RANK_MAX = 4,
  DEPTH_MAX = 2,  // Of loops and branches.
};

typedef struct generator_t {
  pod_random_t random;
  mlir_module_t *module;
  mlir_block_t *block;
  const mesh_t *mesh;
  int value_count;  // Those in scope.
  mlir_value_t *values[VALUES_MAX];
  int depth;
  int group_count;                    // Of sharding groups.
  bool is_uneven;                     // Axes need not divide what they shard.
  bool is_manual[SHARDING_AXES_MAX];  // The axes that are manual where we are.
} generator_t;

int generator_below(generator_t *generator, int bound);  // In [0, bound).
bool generator_chance(generator_t *generator, int percent);

// An operation of one result, in no block yet; the other puts it where operations go.
mlir_op_t *generator_make(generator_t *generator, const char *name, int operand_count,
                          mlir_value_t *const *operands, const tensor_shape_t *result,
                          int regions);
mlir_value_t *generator_append(generator_t *generator, mlir_op_t *op);
// Puts a value into the scope.
void generator_keep(generator_t *generator, mlir_value_t *value);
void generator_set_integer(generator_t *generator, mlir_op_t *op, const char *name,
                           int64_t value);

// Of small numbers.
mlir_value_t *generator_constant(generator_t *generator, const tensor_shape_t *shape,
                                 bool is_splat);
mlir_value_t *generator_scalar_constant(generator_t *generator, tensor_dtype_t dtype,
                                        int64_t value);
mlir_value_t *generator_binary(generator_t *generator, const char *name, mlir_value_t *a,
                               mlir_value_t *b);
// Keeps numbers small.
mlir_value_t *generator_wrap(generator_t *generator, mlir_value_t *value);

// Of what is in scope: any, of rank 1 or more, of a shape (made if there is none).
mlir_value_t *generator_pick(generator_t *generator);
mlir_value_t *generator_pick_ranked(generator_t *generator);
mlir_value_t *generator_pick_like(generator_t *generator, const tensor_shape_t *shape);

// Operations of any kind.
void generator_append_ops(generator_t *generator, int op_count);

// generator_regions.c.
mlir_value_t *generator_while(generator_t *generator);
mlir_value_t *generator_if(generator_t *generator);
// generator_manual.c. In a manual computation, another one or a collective.
mlir_value_t *generator_manual(generator_t *generator);

static inline const tensor_shape_t *shape_of(const mlir_value_t *value) {
  return &value->type->shape;
}

#endif  // TESTS_SIM_GENERATOR_PARTS_H_
