// How the dialects of a program stand in MLIR bytecode: stablehlo, chlo, sdy, and vhlo,
// of which portable artifacts and what jax.export writes consist.
//
// Threading: pure; the tables are constant.

#ifndef SERVER_COMPILER_DIALECT_BYTECODE_H_
#define SERVER_COMPILER_DIALECT_BYTECODE_H_

#include "common/mlir/bytecode.h"

// For mlir_read_bytecode.
extern const mlir_bytecode_dialects_t compiler_bytecode_dialects;

#endif  // SERVER_COMPILER_DIALECT_BYTECODE_H_
