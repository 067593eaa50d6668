// Values of the padded program, in the sizes and with the masks that their uses want.
// Private to pad*.c.
//
// Dimensions are bits of a mask, TENSOR_RANK_MAX of them at most.

#ifndef SERVER_COMPILER_PARTITION_PAD_VALUE_H_
#define SERVER_COMPILER_PARTITION_PAD_VALUE_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/list.h"
#include "common/mlir/ir.h"
#include "common/tensor/sharding.h"
#include "server/compiler/partition/factors.h"

// What the padding is set to where it would be seen.
typedef struct pad_fill_t {
  mlir_value_t *scalar;       // Or NULL:
  unsigned char element[16];  // this one.
} pad_fill_t;

// The same elements in other sizes, or with other padding.
typedef struct pad_version_t {
  mlir_value_t *value;
  uint32_t filled;  // Dimensions whose padding is `fill`; 0: it is in other sizes.
  pad_fill_t fill;
  struct pad_version_t *next;
} pad_version_t;

// What is known of a value, by its id.
typedef struct pad_note_t {
  const sharding_t *sharding;   // NULL: none.
  const factors_t *factors;     // Of an operation with a rule of its own; or NULL.
  const tensor_shape_t *shape;  // Without padding; NULL: there is none.
  uint32_t zero;                // Dimensions whose padding is zeros.
  const struct roll_t *roll;    // Of what joins two slices so; or NULL.
  bool is_rolled;               // A slice that only rolls use.
  pad_version_t *versions;
} pad_note_t;

typedef struct padder_t {
  mlir_module_t *module;
  pod_arena_t *arena;          // For the time of the pass, and what it says of values.
  POD_LIST(pad_note_t) notes;  // By value id.
  mlir_op_t *before;           // When set: what is inserted goes before it, in order.
} padder_t;

// Grows with the module. Valid until the next value is made.
pad_note_t *pad_note(padder_t *padder, const mlir_value_t *value);

// Without padding.
const tensor_shape_t *pad_shape_of(padder_t *padder, const mlir_value_t *value);

static inline bool pad_is_tensor(const mlir_value_t *value) {
  return value->type->kind == MLIR_TYPE_TENSOR;
}

// Gives the operands of an operation the types they have without padding, for what reads
// the operation as it was; returns those to give back.
const mlir_type_t **pad_hide(padder_t *padder, mlir_op_t *op);
void pad_show(mlir_op_t *op, const mlir_type_t **types);

// The axes that shard a dimension make so many pieces.
int64_t pad_pieces(padder_t *padder, const mlir_value_t *value, int dim);

// The least multiple of `step` that is no less than `size`.
static inline int64_t pad_up(int64_t size, int64_t step) {
  return (size + step - 1) / step * step;
}

// Gives a value the sizes `dims` from now on. What of its axes does not divide them goes.
void pad_resize(padder_t *padder, mlir_value_t *value, const int64_t *dims);

// The value with the sizes `dims`, none less than its own without padding. Made once,
// where the value is made.
mlir_value_t *pad_get(padder_t *padder, mlir_value_t *value, const int64_t *dims);

// Without padding.
mlir_value_t *pad_get_own(padder_t *padder, mlir_value_t *value);

// What pad_get gave for a value of the shape `own` without padding, with the padding of
// the dimensions `dims` set to `fill`.
mlir_value_t *pad_filled(padder_t *padder, mlir_value_t *value, const tensor_shape_t *own,
                         uint32_t dims, const pad_fill_t *fill);

// --- Operations ---

// An operation with one result, not yet in a block, in the place of `like`.
mlir_op_t *pad_make(padder_t *padder, const mlir_op_t *like, const char *name,
                    int operand_count, mlir_value_t *const *operands,
                    const tensor_shape_t *result);

void pad_set_i64s(padder_t *padder, mlir_op_t *op, const char *name, int count,
                  const int64_t *values);

// A constant of one element everywhere, put as pad_insert_behind puts it.
mlir_value_t *pad_constant(padder_t *padder, const mlir_value_t *behind,
                           const tensor_shape_t *shape, const void *element);

// Whether an element lies within `size` along a dimension, in the sizes of `of`.
mlir_value_t *pad_within(padder_t *padder, const mlir_value_t *behind,
                         const tensor_shape_t *of, int dim, int64_t size,
                         const sharding_t *sharding);

// Puts it behind what makes `value`, or where padder->before says; returns its result,
// which has this sharding as far as that divides it.
mlir_value_t *pad_insert_behind(padder_t *padder, const mlir_value_t *value,
                                mlir_op_t *op, const sharding_t *sharding);

#endif  // SERVER_COMPILER_PARTITION_PAD_VALUE_H_
