// The way between arrays and the packed blocks of a collective.
//
// An array split into blocks along a dimension is [outer][blocks][inner]; packed it is
// [blocks][outer][inner]. When outer or blocks is 1 both are the same bytes.
//
// Threading: pure.

#ifndef SERVER_WORKER_COLLECTIVE_LAYOUT_H_
#define SERVER_WORKER_COLLECTIVE_LAYOUT_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/tensor/shape.h"
#include "server/program/program.h"

typedef struct collective_layout_t {
  int64_t outer, blocks;
  int64_t inner_bytes;
} collective_layout_t;

// `shape` is the array that holds all blocks; its size along `dimension` is a multiple of
// `blocks`.
collective_layout_t collective_layout_make(const tensor_shape_t *shape, int dimension,
                                           int64_t blocks);

// How operand and result `index` of a collective instruction lie: INPUT is the operand
// packed by *out_input, the result is OUTPUT unpacked by *out_output. Identities where
// there is nothing to do.
void collective_layouts_of(const chip_program_t *program,
                           const chip_instruction_t *instruction, int32_t index,
                           collective_layout_t *out_input,
                           collective_layout_t *out_output);

// Packed and array are the same bytes: use the array itself.
bool collective_layout_is_identity(const collective_layout_t *layout);

int64_t collective_layout_bytes(const collective_layout_t *layout);

// No overlap. They look at what is wished of the thread, as kernels do, and leave early
// (kernels/stop.h).
void collective_pack(const collective_layout_t *layout, const void *array, void *packed);
void collective_unpack(const collective_layout_t *layout, const void *packed,
                       void *array);

#endif  // SERVER_WORKER_COLLECTIVE_LAYOUT_H_
