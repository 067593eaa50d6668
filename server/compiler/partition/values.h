// How the values of a program lie, as propagation finds it: for people.
//
// Threading: pure. Ownership: in the arena given. Cost: a propagation.

#ifndef SERVER_COMPILER_PARTITION_VALUES_H_
#define SERVER_COMPILER_PARTITION_VALUES_H_

#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/status.h"
#include "common/base/text.h"
#include "common/mlir/ir.h"
#include "common/tensor/sharding.h"

typedef struct compiler_value_t {
  const char *name;    // "x" of %x; "" when the module has none.
  const char *op;      // That makes it: "dot_general"; "argument", "result" of @main.
  const char *source;  // "train.py:12:7" or "".
  tensor_shape_t shape, local_shape;
  const char *spec;  // P("x", None)
  int64_t number;    // By which a sharding may be given (given.h); 0: none.
} compiler_value_t;

// `module` is as compiler_partition takes it, and stays what it is. The arguments of
// @main, what its operations make, in the order of the program and in regions of loops,
// branches and manual computations too, and its results. What every use makes anew, as
// constants, has no sharding and is left out.
POD_MUST_USE pod_status_t partition_list_values(mlir_module_t *module,
                                                int64_t device_count, pod_arena_t *arena,
                                                int32_t *out_count,
                                                const compiler_value_t **out_values);

// The module with these shardings as Shardy's attributes, as text.
POD_MUST_USE pod_status_t partition_print_propagated(mlir_module_t *module,
                                                     int64_t device_count,
                                                     pod_text_t *text);

// As JAX writes a PartitionSpec: P("x", None), P(("x", "y")); parts of axes as "x:(1)2".
void partition_print_spec(pod_text_t *text, const sharding_t *sharding);

#endif  // SERVER_COMPILER_PARTITION_VALUES_H_
