// Shardings seen through a sharding rule: per tensor and factor, the axes that shard it.
// A dimension of several factors gives its axes to them major to minor, splitting an axis
// where a factor ends inside of it.
//
//   reshape (ij)->(i,j), i=2 j=4, operand [{"x"}] on x=4    i: {"x":(1)2}  j: {"x":(2)2}
//
// Threading: pure. Ownership: projection_deinit frees what projection_start took.

#ifndef SERVER_COMPILER_PARTITION_PROJECTION_H_
#define SERVER_COMPILER_PARTITION_PROJECTION_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/tensor/sharding.h"
#include "server/compiler/partition/axes.h"
#include "server/compiler/partition/factors.h"

typedef struct projection_cell_t {
  bool is_present;     // The tensor has the factor.
  bool is_open;        // It may be sharded further.
  bool is_minor_most;  // The last of its dimension.
  bool is_alone;       // In its dimension.
  bool may_be_uneven;  // It may have axes that do not divide it,
  bool may_be_part;    // or a part of an axis that does.
  int64_t size;  // What the axes must divide: the factor, or the dimension it has alone.
  axes_t axes;
  // What follows in the dimension although the factor is not full, because the sizes do
  // not fit; the factors behind it are then empty.
  axes_t overflow;
} projection_cell_t;

typedef struct projection_t {
  int tensor_count, factor_count;
  projection_cell_t *cells;  // [tensor][factor]
  size_t capacity;
} projection_t;

// Makes room and empties all cells. `projection` is zeroed before its first use; the
// memory is used again by the next start.
void projection_start(projection_t *projection, int tensor_count, int factor_count);

void projection_deinit(projection_t *projection);

static inline projection_cell_t *projection_cell(const projection_t *projection,
                                                 int tensor, int factor) {
  return &projection
              ->cells[(size_t)tensor * (size_t)projection->factor_count + (size_t)factor];
}

// Fills the cells of a tensor.
void projection_set(projection_t *projection, int tensor, const factors_t *factors,
                    const factor_tensor_t *mapping, const tensor_shape_t *shape,
                    const sharding_t *sharding);

// The axes of dimension `dim` that the cells say. They end behind the first factor that
// is not full: to go on would need a strided layout, which no list of axes describes.
axes_t projection_dim(const projection_t *projection, int tensor,
                      const factors_t *factors, const factor_tensor_t *mapping, int dim);

#endif  // SERVER_COMPILER_PARTITION_PROJECTION_H_
