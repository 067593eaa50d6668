// The regions that combine two values: of reduce, all_reduce, reduce_scatter.
//
// Threading: pure.

#ifndef SERVER_COMPILER_DIALECT_REDUCER_H_
#define SERVER_COMPILER_DIALECT_REDUCER_H_

#include "common/mlir/ir.h"
#include "server/program/program.h"

// What region 0 of `op` does to its two arguments, in either order; CHIP_REDUCER_NONE
// when it is no single known operation.
chip_reducer_t compiler_reducer(const mlir_op_t *op);

// The same of one of several results that region 0 combines each by itself: result i of
// arguments i and n + i alone. CHIP_REDUCER_NONE when it depends on others.
chip_reducer_t compiler_result_reducer(const mlir_op_t *op, int result);

// The same of a region of an operation that has several: the second of a
// select_and_scatter.
chip_reducer_t compiler_region_reducer(const mlir_op_t *op, int region);

// The element that changes nothing in what `reducer` makes of others. False: the type has
// none.
bool compiler_reducer_identity(chip_reducer_t reducer, tensor_dtype_t dtype,
                               unsigned char *element);

// Fills the empty region 0 of `op` with a block that combines two scalars of `dtype`.
// `reducer` is not NONE.
void compiler_build_reducer(mlir_module_t *module, mlir_op_t *op, chip_reducer_t reducer,
                            tensor_dtype_t dtype);

#endif  // SERVER_COMPILER_DIALECT_REDUCER_H_
