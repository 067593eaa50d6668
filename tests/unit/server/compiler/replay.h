// Runs a module and the program lowered from it on symbols instead of numbers, and
// compares what comes out. The program runs over memory in which every write destroys
// what lay there: a buffer that was overwritten while it was still needed, or read before
// it was written, shows as a symbol that is wrong or torn. Loops run a fixed number of
// times; the branch taken follows from the symbol of its index.

#ifndef TESTS_UNIT_SERVER_COMPILER_REPLAY_H_
#define TESTS_UNIT_SERVER_COMPILER_REPLAY_H_

#include "server/compiler/partition/partition.h"
#include "server/program/program.h"

// Fails the test with the name of the instruction, or of the result, that is wrong.
void replay_compare(const mlir_module_t *module, const chip_program_t *program);

// The symbol of every result of @main; returns owned (free()). Two modules that compute
// the same by the same operations have the same symbols.
uint64_t *replay_module(const mlir_module_t *module);

// A one-device partition of @main as it stands: nothing is sharded. Borrows the module.
compiler_partitioned_t replay_unsharded(mlir_module_t *module);

#endif  // TESTS_UNIT_SERVER_COMPILER_REPLAY_H_
