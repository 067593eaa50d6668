// What the files move*.c share. Private to them.

#ifndef SERVER_COMPILER_PARTITION_MOVE_PARTS_H_
#define SERVER_COMPILER_PARTITION_MOVE_PARTS_H_

#include "server/compiler/partition/halo.h"
#include "server/compiler/partition/partitioner.h"
#include "server/program/window.h"

// The dimension of a tensor that has the factor, alone; -1: none.
int move_dim_of(const factor_tensor_t *tensor, int factor);

// Of a reduce_window or select_and_scatter.
chip_window_t move_window_of(partitioner_t *partitioner, const mlir_op_t *op);

// --- move_scan.c: cumulative sums ---

// Whether `op` combines, for every element of dimension `dim`, all up to it, or all from
// it on.
bool move_is_scan(partitioner_t *partitioner, const mlir_op_t *op, int dim);

// Makes `local` the scan of a shard,
void move_scan_localize(partitioner_t *partitioner, int dim, mlir_op_t *local);

// and of what it gives the chip's part of the whole one.
mlir_value_t *move_scan_finish(partitioner_t *partitioner, const mlir_op_t *op,
                               const mlir_op_t *local, mlir_value_t *scanned, int dim,
                               const axes_t *axes);

// --- move_scatter.c ---

// What operand `index` of a select_and_scatter has exchanged along dimension `dim`: fills
// step, start and length. False: it cannot work so.
bool move_scatter_want(partitioner_t *partitioner, const mlir_op_t *op, int index,
                       int dim, halo_t *halo);

// Tells `local`, whose operands are fetched, where the whole array begins and ends, when
// windows see its padding. `halos` by dimension of the operand; shards 0 for none.
void move_scatter_bounds(partitioner_t *partitioner, const mlir_op_t *op,
                         const halo_t *halos, mlir_op_t *local);

// --- move_twice.c: of the shards first, then of what came out of all ---

bool move_is_twice(const mlir_op_t *op);
bool move_twice_allows(const mlir_op_t *op, const factors_t *factors, int factor,
                       const axes_t *axes);
partition_cost_t move_twice_cost(partitioner_t *partitioner, const mlir_op_t *op,
                                 const factors_t *factors, const axes_t *axes);
void move_twice_write(partitioner_t *partitioner, const mlir_op_t *op,
                      const choice_t *choice, mlir_op_t *local,
                      mlir_value_t **out_results);

// --- move_index.c: what picks and updates elements by an index ---

bool move_index_allows(const mlir_op_t *op, const factors_t *factors, int factor);

// Returns the result, summands where elements are picked.
mlir_value_t *move_index_write(partitioner_t *partitioner, const mlir_op_t *op,
                               const choice_t *choice, mlir_op_t *local);

#endif  // SERVER_COMPILER_PARTITION_MOVE_PARTS_H_
