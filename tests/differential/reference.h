// A slow, obviously right interpreter of StableHLO, written from the specification, for
// differential tests. Shares nothing with the kernels and the lowering: arrays are walked
// index by index, every element goes through a reference_scalar_t.
//
// An operation is a row: a name and a function that reads the operands' values and makes
// the results'. Rows stand in the tables of the groups (reference_elementwise.c …), the
// groups in the list at the top of reference.c. To add operations: a file with a table
// that ends in a row without name, and its line in that list.
//
//   static void reference_negate(reference_t *machine, const mlir_op_t *op) {
//     const reference_value_t *x = reference_operand(machine, op, 0);
//     reference_value_t *result = reference_result(machine, op, 0);
//     for (int64_t i = 0; i < result->count; i++) {
//       reference_store(result, i, …reference_load(x, i)…);
//     }
//   }
//
// Numbers: integers are computed wide and wrapped to the type; floats in double (long
// double where an f64 needs it) and rounded once to the type.
//
// Ownership: everything lives in the arena given. Threading: pure.
// Errors: what it does not know, and what the specification forbids, stops the process.

#ifndef TESTS_DIFFERENTIAL_REFERENCE_H_
#define TESTS_DIFFERENTIAL_REFERENCE_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/mlir/ir.h"

// An array, or a tuple of such.
typedef struct reference_value_t {
  tensor_shape_t shape;
  int64_t count;  // Of elements.
  char *data;     // Host representation (dtype.h), row-major. NULL for a tuple.
  int part_count;
  struct reference_value_t *parts;  // Of a tuple.
} reference_value_t;

typedef struct reference_t {
  mlir_module_t *module;
  pod_arena_t *arena;
  reference_value_t *values;  // By value id; the newest where an operation runs again.
} reference_t;

typedef void (*reference_fn_t)(reference_t *machine, const mlir_op_t *op);

typedef struct reference_row_t {
  const char *name;  // "stablehlo.add", or "@target" of custom calls; NULL ends a table.
  reference_fn_t run;
} reference_row_t;

// Whether there is a row for it.
bool reference_knows(const char *name);

// Runs @main of a module that is well typed. `arguments` and `out_results` have as many
// entries as @main. `out_machine` (may be NULL) gets the values of all its operations.
void reference_run(mlir_module_t *module, pod_arena_t *arena,
                   const reference_value_t *arguments, reference_value_t *out_results,
                   reference_t *out_machine);

// --- For the rows ---

// An array of zeros; `data` may be filled by the caller.
reference_value_t reference_make(pod_arena_t *arena, const tensor_shape_t *shape);

const reference_value_t *reference_operand(reference_t *machine, const mlir_op_t *op,
                                           int index);
// Makes room for a result by its declared type.
reference_value_t *reference_result(reference_t *machine, const mlir_op_t *op, int index);

// Runs an operation as one of another name.
void reference_run_as(reference_t *machine, const mlir_op_t *op, const char *name);

// A value in another element type, as stablehlo.convert has it.
reference_value_t reference_promote(pod_arena_t *arena, const reference_value_t *value,
                                    tensor_dtype_t dtype);

// Runs a region's block. `arguments` has as many entries as the block, of its types or of
// narrower ones that reductions promote; `out_results` gets
// what the block's terminator returns. Values defined outside may be read inside.
void reference_block(reference_t *machine, const mlir_block_t *block,
                     const reference_value_t *arguments, reference_value_t *out_results);

// The body of a function of the module.
const mlir_block_t *reference_function(reference_t *machine, const char *name);

// Indexes, row-major.
void reference_unravel(const tensor_shape_t *shape, int64_t flat, int64_t *out_index);
int64_t reference_ravel(const tensor_shape_t *shape, const int64_t *index);
// Whether every index is within the shape.
bool reference_is_inside(const tensor_shape_t *shape, const int64_t *index);

// Copies an element with its bits. Both arrays have one type.
void reference_copy(reference_value_t *to, int64_t at, const reference_value_t *from,
                    int64_t from_at);

// The integers of an operand: index arrays, shapes, scalars.
int64_t reference_index(const reference_value_t *value, int64_t at);

// --- Attributes ---

// A list of integers (array<i64: …> or dense<…>), in the arena; NULL when absent.
const int64_t *reference_list(reference_t *machine, const mlir_op_t *op, const char *name,
                              int64_t *out_count);
// An integer or a flag.
int64_t reference_integer(const mlir_op_t *op, const char *name, int64_t otherwise);
// The word of an enumeration, #stablehlo<fft_type RFFT>: "RFFT"; `otherwise` when absent.
const char *reference_word(reference_t *machine, const mlir_op_t *op, const char *name,
                           const char *otherwise);
// `field = [0, 1]` or `field = 3` of an attribute like #stablehlo.dot<…>; -1 when absent.
// Writes at most TENSOR_RANK_MAX values, returns how many.
int reference_field(const mlir_op_t *op, const char *name, const char *field,
                    int64_t *out_values);

#endif  // TESTS_DIFFERENTIAL_REFERENCE_H_
