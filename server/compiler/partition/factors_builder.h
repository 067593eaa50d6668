// How factors*.c make rules, and attributes are read. Private to the folder.

#ifndef SERVER_COMPILER_PARTITION_FACTORS_BUILDER_H_
#define SERVER_COMPILER_PARTITION_FACTORS_BUILDER_H_

#include "server/compiler/partition/factors.h"

// A rule with the tensors of `op` and no factors: every dimension is empty.
factors_t *factors_begin(pod_arena_t *arena, const mlir_op_t *op);

// Returns the index of the new factor. Factors of size 0 cannot be split, so that a
// dimension without elements is to stay empty.
int factors_add(pod_arena_t *arena, factors_t *factors, int64_t size, factor_kind_t kind);

// Puts `factor` behind the others of a dimension.
void factors_append(pod_arena_t *arena, factor_tensor_t *tensor, int dim, int factor);

// The shape of an operand or result.
static inline const tensor_shape_t *factors_shape(const mlir_value_t *value) {
  return &value->type->shape;
}

// The values of a list attribute, at most `count_max` of them; zeros when it is absent.
void factors_attr(const mlir_op_t *op, const char *name, int count_max, int64_t *out);

// Whether `dim` is in an attribute that lists dimensions.
bool factors_attr_has(const mlir_op_t *op, const char *name, int64_t dim);

#endif  // SERVER_COMPILER_PARTITION_FACTORS_BUILDER_H_
