// The grid of programs that interpreter.run_parallel runs, for the files of parallel.h.
// Private to them.

#ifndef SERVER_COMPILER_LEGALIZE_GRID_H_
#define SERVER_COMPILER_LEGALIZE_GRID_H_

#include "common/base/status.h"
#include "common/mlir/ir.h"

enum { GRID_CELLS_MAX = 4096 };

// A function that cells run. Cells that run the same one share it.
typedef struct grid_program_t {
  mlir_op_t *function;
  int argument_count, result_count;
  int64_t cell_count, first_cell;
} grid_program_t;

typedef struct grid_cell_t {
  int64_t program;                  // Its number.
  int operand_start, result_start;  // Of interpreter.run_parallel.
} grid_cell_t;

typedef struct grid_t {
  mlir_module_t *module;
  mlir_op_t *run;  // interpreter.run_parallel
  int64_t replicas, partitions, cell_count, program_count;
  grid_cell_t *cells;
  grid_program_t *programs;
} grid_t;

// --- Making operations (parallel.c) ---

mlir_op_t *grid_make(grid_t *grid, const mlir_op_t *place, const char *name,
                     int operand_count, mlir_value_t *const *operands, int result_count,
                     const mlir_type_t *const *types, int region_count);
const mlir_type_t *grid_scalar(grid_t *grid, tensor_dtype_t dtype);
// An operation of one result before `where`.
mlir_value_t *grid_put(grid_t *grid, mlir_op_t *where, const char *name,
                       int operand_count, mlir_value_t *const *operands,
                       const mlir_type_t *type);
mlir_value_t *grid_put_constant(grid_t *grid, mlir_op_t *where, tensor_dtype_t dtype,
                                int64_t value);
void grid_end_block(grid_t *grid, const mlir_op_t *place, mlir_block_t *block, int count,
                    mlir_value_t *const *values);
// Zeros of `type` at the end of a block.
POD_MUST_USE pod_status_t grid_append_zeros(grid_t *grid, const mlir_op_t *place,
                                            mlir_block_t *block, const mlir_type_t *type,
                                            mlir_value_t **out_value);

// Before interpreter.run_parallel: each chip's own operands for a program; zeros on chips
// that run another one.
POD_MUST_USE pod_status_t grid_own_operands(grid_t *grid, int64_t program,
                                            mlir_value_t *chip,
                                            mlir_value_t *const **out_operands);

// --- The programs ---

// parallel_ids.c: in every function but @main, replica_id, partition_id, and the groups
// and pairs of collectives and transfers become numbers of chips.
POD_MUST_USE pod_status_t grid_rewrite_ids(grid_t *grid, const mlir_op_t *main);

// parallel_transfer.c: infeeds of the program of a single cell call the functions of the
// queue, outfeeds go.
POD_MUST_USE pod_status_t grid_rewrite_feeds(grid_t *grid);

// Cells run different programs, or exchange what they send and receive.
bool grid_has_transfers(const grid_t *grid);

// Puts the operations of all programs before interpreter.run_parallel, each for the chips
// whose cells run it, with collective_permutes for what one sends and another receives.
// By program: its results.
POD_MUST_USE pod_status_t grid_merge_programs(grid_t *grid, mlir_value_t *chip,
                                              mlir_value_t *const **out_results);

#endif  // SERVER_COMPILER_LEGALIZE_GRID_H_
