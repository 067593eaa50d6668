// Operations that move elements along a dimension, or say by an index which of them they
// mean, where the dimension is padded: the operation that does the same to the padded
// array. Private to pad*.c.
//
//   slice, concatenate   a pad with edges that may be negative, of every operand
//   a slice of few       a dynamic_slice, which every chip reads from what it has
//   pad, windows         the padding set to what is beyond the end, the edge moved
//   cumulative sums      a window as large as the padded dimension
//   reverse              of the array shifted to the padded end
//   indices              held back from the padding

#ifndef SERVER_COMPILER_PARTITION_PAD_MOVE_H_
#define SERVER_COMPILER_PARTITION_PAD_MOVE_H_

#include <stdbool.h>
#include <stdint.h>

#include "server/compiler/partition/factors.h"
#include "server/compiler/partition/pad_value.h"

// An operation at hand. `factors` is that of its sizes without padding.
typedef struct pad_move_t {
  padder_t *padder;
  mlir_op_t *op;
  const factors_t *factors;
  // By factor: into how many pieces every tensor that moves along it is cut, each of a
  // size of its own. 0: none.
  int64_t *pieces;
  bool *is_picked;  // By factor: only the operand of a slice is, of which few are taken.
  const tensor_shape_t *owns;  // Of the operands, without padding.
  tensor_shape_t own;          // Of result 0.
} pad_move_t;

// Whether a factor that moves has the same size wherever it stands, so that its padding
// is that of one that passes.
bool pad_move_is_common(const padder_t *padder, const mlir_op_t *op,
                        const factors_t *factors, int factor);

// Whether what an operation that has no padding itself takes of sharded arrays is less
// than a gather would bring: a slice of few elements, and what is joined to a large
// array.
bool pad_move_is_of_use(const mlir_op_t *op, const sharding_t *const *operands,
                        const sharding_t *result);

// Fills move->pieces. The operands are as they were made.
void pad_move_choose(pad_move_t *move);

// The size of dimension `dim` of a tensor that moves along a factor.
int64_t pad_move_size(const pad_move_t *move, const mlir_value_t *value, int dim,
                      int64_t own, int factor);

// Makes the operation what it is on padded operands. These and the results have their
// sizes. It may become an operation of another kind.
pod_status_t pad_move_write(pad_move_t *move);

// --- Rolls ---

// A roll (roll.h) of a value with padding. True: `op`, which joined two slices, is
// written, or is one of these slices, of which nothing is left.
bool pad_move_roll(padder_t *padder, mlir_op_t *op);

// Notes rolls and their slices, before anything has padding.
void pad_move_find_rolls(padder_t *padder, const mlir_op_t *main);

#endif  // SERVER_COMPILER_PARTITION_PAD_MOVE_H_
