// A pod of a few chips within this process: programs are compiled with shardings
// for it, and run by as many executors that exchange what they must over real links.
//
// Threading: one thread calls; a thread per chip runs. Errors: those of the compiler and
// of the executors.

#ifndef TESTS_DIFFERENTIAL_MESH_H_
#define TESTS_DIFFERENTIAL_MESH_H_

#include "common/base/status.h"
#include "tests/differential/generate.h"
#include "tests/differential/reference.h"

typedef struct mesh_device_t mesh_device_t;

enum { MESH_CHIPS = 4, MESH_CHIPS_MORE = 8 };

// 2x2, 2x3, 2x4 or 3x4 chips, their links up. Returns owned.
mesh_device_t *mesh_device_create(int32_t chip_count);
// Accepts NULL.
void mesh_device_destroy(mesh_device_t *device);

// Payload that the chips have sent over their links so far.
int64_t mesh_device_bytes_sent(const mesh_device_t *device);

typedef struct mesh_shard_options_t {
  int32_t chip_count;  // MESH_CHIPS or MESH_CHIPS_MORE.
  bool has_parts;      // Parts of axes, and axes in any order, too.
  bool may_be_uneven;  // Axes that do not divide their dimensions, too.
  bool is_manual;      // Manual computations behind some values.
} mesh_shard_options_t;

// Declares a mesh of the device's chips in the module, in one of several shapes and
// orders, and gives arguments and results of @main and a few operations of all functions
// random shardings over it. Does nothing when there is a mesh already.
void mesh_shard(mlir_module_t *module, const mesh_shard_options_t *options,
                uint64_t seed);

// Compiles @main, gives every chip its shards, runs, and puts the results together, which
// are of the shapes given and in the arena. DATA_LOSS: chips that should hold the same
// shard do not.
POD_MUST_USE pod_status_t mesh_device_run(mesh_device_t *device, const char *text,
                                          int64_t length, pod_arena_t *arena,
                                          int argument_count,
                                          const reference_value_t *arguments,
                                          int result_count, reference_value_t *results);

#endif  // TESTS_DIFFERENTIAL_MESH_H_
