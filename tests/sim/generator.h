// Random well-typed StableHLO modules with random shardings, for differential tests.
//
// Values stay small integers, whatever their type, so that results compare exactly.
//
// Determinism: a seed and a size give the same module on every machine.

#ifndef TESTS_SIM_GENERATOR_H_
#define TESTS_SIM_GENERATOR_H_

#include <stdint.h>

#include "common/mlir/ir.h"
#include "common/tensor/sharding.h"

// About `op_count` operations in @main. The module has a mesh of 2 to 8 devices; its
// arguments, results and some values between have shardings on it. Returns owned.
mlir_module_t *generate_module(uint64_t seed, int op_count, int64_t *out_device_count);

#endif  // TESTS_SIM_GENERATOR_H_
