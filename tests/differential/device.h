// What is tested: a module's text through the whole compiler, and its program on one
// chip, or on the four of a mesh (mesh.h), in this process.
//
// Threading: one thread. Errors: those of the compiler and the executor.

#ifndef TESTS_DIFFERENTIAL_DEVICE_H_
#define TESTS_DIFFERENTIAL_DEVICE_H_

#include "common/base/status.h"
#include "common/mlir/ir.h"
#include "tests/differential/reference.h"

typedef struct device_t device_t;

// Returns owned.
device_t *device_create(void);       // One chip.
device_t *device_create_mesh(void);  // Four.
void device_destroy(device_t *device);

bool device_is_alone(const device_t *device);  // One chip.

// Over the links of a mesh, so far.
int64_t device_bytes_sent(const device_t *device);

// On a mesh: gives @main shardings that follow from the seed, unless it has some.
void device_prepare(const device_t *device, mlir_module_t *module, uint64_t seed);

// Compiles and runs @main. `out_results` are in the arena, of the shapes given.
POD_MUST_USE pod_status_t device_run(device_t *device, const char *text, int64_t length,
                                     pod_arena_t *arena, int argument_count,
                                     const reference_value_t *arguments, int result_count,
                                     reference_value_t *results);

#endif  // TESTS_DIFFERENTIAL_DEVICE_H_
