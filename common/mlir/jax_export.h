// The module inside what jax.export.export(f)(…).serialize() writes: a flatbuffer with
// the calling convention, and the program as MLIR bytecode
// (jax/_src/export/serialization.fbs of https://github.com/jax-ml/jax). Its vjp, and the
// vjp of that, may be inside too, each with a module of its own.
//
// All offsets of the file are checked against its bounds.
// Threading: pure.
// Errors: INVALID_ARGUMENT; NOT_FOUND when there is no vjp of that order.

#ifndef COMMON_MLIR_JAX_EXPORT_H_
#define COMMON_MLIR_JAX_EXPORT_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"

// Whether it is a flatbuffer of that kind, by the bytecode that it holds: it has no
// magic.
bool mlir_is_jax_export(const void *bytes, int64_t length);

// The bytecode of the function, or of its vjp of an order of 1 and more. Borrowed from
// `bytes`.
POD_MUST_USE pod_status_t mlir_jax_export_module(const char *file_name, const void *bytes,
                                                 int64_t length, int vjp_order,
                                                 const void **out_bytes,
                                                 int64_t *out_length);

#endif  // COMMON_MLIR_JAX_EXPORT_H_
