// Random well-typed modules, made in memory: elementwise operations, reshapes, slices
// and updates, reductions with known and unknown regions, nested loops that permute,
// keep, double and capture values, branches, collectives.

#ifndef TESTS_UNIT_SERVER_COMPILER_GENERATOR_H_
#define TESTS_UNIT_SERVER_COMPILER_GENERATOR_H_

#include "common/mlir/ir.h"

// @main with about `op_count` operations. The same seed gives the same module. Returns
// owned.
mlir_module_t *generate_module(uint64_t seed, int op_count);

// The same without constants outside of reductions, and with collectives over two
// devices: nothing that folds to something else.
mlir_module_t *generate_open_module(uint64_t seed, int op_count);

#endif  // TESTS_UNIT_SERVER_COMPILER_GENERATOR_H_
