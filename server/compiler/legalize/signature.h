// What @main takes and gives, where a module leaves it open: which function is meant,
// and of which types its arguments are (jax.export's tensor<?x8xf32>), which only the
// caller knows.
//
// Threading: pure.

#ifndef SERVER_COMPILER_LEGALIZE_SIGNATURE_H_
#define SERVER_COMPILER_LEGALIZE_SIGNATURE_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/mlir/ir.h"
#include "common/tensor/shape.h"

// What is passed for an argument of @main, whose own type may leave sizes open
// (tensor<?x8xf32>).
typedef struct compiler_argument_type_t {
  const char *argument;  // Its name or number; "": its place in the list.
  tensor_shape_t shape;  // Its dtype may be TENSOR_INVALID: the module's.
  // Of a scalar integer that sizes follow from (jax.global_constant). The program checks
  // that it is passed.
  bool has_value;
  int64_t value;
  // The module's own sizes stand for those that are -1 or behind the last of the shape,
  // or those of a type before it that is for the same argument.
  bool is_partial;
} compiler_argument_type_t;

// A module needs no @main when it has one function, or one that is not private: that
// becomes it. Returns @main with its body, or NULL when there is none.
mlir_op_t *signature_main(mlir_module_t *module);

// Whether @main has as few arguments and results as can be passed (CHIP_INTERFACES_MAX):
// said before anything is made of them. INVALID_ARGUMENT.
POD_MUST_USE pod_status_t signature_check_counts(mlir_module_t *module);

// Arguments of @main get the types that the caller gives; operations keep theirs, which
// refine_shapes works out. Where a value is known, that stands for the argument, and a
// check that the argument is equal to it. Tokens count as arguments (tokens.h).
// INVALID_ARGUMENT at an argument whose rank, dtype or static sizes a type does not have,
// that has two, or that cannot have the value; and for a type of an argument that @main
// does not have.
POD_MUST_USE pod_status_t signature_set_arguments(mlir_module_t *module, int64_t count,
                                                  const compiler_argument_type_t *types);

// UNIMPLEMENTED at an argument of @main some size of which is not known.
POD_MUST_USE pod_status_t signature_check_arguments(mlir_module_t *module,
                                                    const mlir_op_t *main);

// Whether @main takes the values of symbolic sizes (jax.global_constant).
bool signature_has_dimensions(const mlir_op_t *main);

// @main's function_type becomes what its body takes and returns.
void signature_update(mlir_module_t *module, mlir_op_t *main);

#endif  // SERVER_COMPILER_LEGALIZE_SIGNATURE_H_
