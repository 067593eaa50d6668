// Random well-typed StableHLO modules with data for their arguments, for differential
// tests.
//
// An operation is a row: a function that draws operands of any shapes, types and values
// that it likes, and appends the operation in any legal variant. Rows stand in the
// tables of the groups (generate_elementwise.c …), the groups in the list at the top of
// generate.c. To add operations: a file with a table that ends in a row without name,
// and its line in that list.
//
//   static void generate_sort(generate_t *g, const char *name) {
//     const tensor_shape_t shape = generate_shape(g, generate_dtype(g, GENERATE_REAL),
//     1); mlir_value_t *x = generate_operand(g, &shape, GENERATE_BITS,
//     GENERATE_SPECIALS); mlir_op_t *op = generate_op(g, name, 1, &x, 1, &shape, 1);
//     generate_integer(g, op, "dimension", …);
//     mlir_block_t *outer = generate_region(g, op, 0, 2, element_shapes);
//     …generate_op(g, "stablehlo.compare", …), generate_return(g, 1, &less)…
//     generate_region_end(g, outer);
//     generate_keep(g, op, 0, GENERATE_BITS, 0);
//   }
//
// Exactness: a value is known to the bit, but for the bits of NaN, or within some units
// in the last place. What depends on its operands discontinuously (floor, compare,
// convert, keys of a sort) must be fed with exact ones only; so ask for GENERATE_EXACT
// unless the operation only moves elements, and hand the operand's exactness on then.
//
// Determinism: a seed gives the same module and data on every machine, by one compiler
// (the order in which initializers draw is the compiler's).
// Ownership: a case owns its module and its arena. Threading: pure.

#ifndef TESTS_DIFFERENTIAL_GENERATE_H_
#define TESTS_DIFFERENTIAL_GENERATE_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/random.h"
#include "common/mlir/ir.h"
#include "tests/differential/reference.h"

enum {
  GENERATE_VALUES_MAX = 512,
  GENERATE_RESULTS_MAX = 256,
  GENERATE_ELEMENTS_MAX = 600,  // Of what rows draw; results may be somewhat larger.
  GENERATE_LARGE = 12000,
  GENERATE_RANK_MAX = 5,
};

// How well a value is known; each is more than the one before it.
typedef enum generate_exactness_t {
  GENERATE_NORM = -2,        // Within some units of the largest element's: feeds nothing.
  GENERATE_BESIDE_ONE = -1,  // Within some units of it, or of 1: feeds nothing either.
  GENERATE_CLOSE = 0,        // Within some units in the last place.
  GENERATE_EXACT,            // To the bit, but a NaN is any NaN.
  GENERATE_BITS,             // To the bit. All integers and flags are.
} generate_exactness_t;

// Classes of element types, to be joined by |.
enum {
  GENERATE_PRED = 1,
  GENERATE_SIGNED = 2,
  GENERATE_UNSIGNED = 4,
  GENERATE_TINY = 8,     // f4, f6 and f8.
  GENERATE_FLOATS = 16,  // bf16, f16, f32, f64.
  GENERATE_COMPLEX = 32,
  GENERATE_INTEGER = GENERATE_SIGNED | GENERATE_UNSIGNED,
  GENERATE_FLOAT = GENERATE_TINY | GENERATE_FLOATS,
  GENERATE_REAL = GENERATE_INTEGER | GENERATE_FLOAT,
  GENERATE_NUMBER = GENERATE_REAL | GENERATE_COMPLEX,
  GENERATE_ANY = GENERATE_PRED | GENERATE_NUMBER,
};

// What fresh arrays hold.
typedef enum generate_data_t {
  GENERATE_SPECIALS = 0,  // 0, -0, 1, ends of the range, subnormals, inf, NaN, any bits.
  GENERATE_FINITE,        // Finite numbers of magnitudes up to 8, of both signs.
  GENERATE_POSITIVE,      // The same above 0.
  GENERATE_UNITS,         // -1, 0 and 1: sums of up to 8 are exact in every type.
  GENERATE_ONES,          // -1 and 1: products are exact.
  GENERATE_SUBNORMALS,    // Of up to 8 times the least: sums are exact. GENERATE_FLOATS.
} generate_data_t;

typedef struct generate_value_t {
  mlir_value_t *value;
  generate_exactness_t exactness;
  double ulps;  // Below EXACT: how far off it may be; complex numbers as a whole.
} generate_value_t;

typedef struct generate_t {
  pod_random_t random;
  mlir_module_t *module;
  pod_arena_t *arena;
  bool is_alone;  // For one chip; else dimensions are often multiples of 2 and 4.
  // How many of the fresh arrays are constants, and of the shapes scalars: in some
  // modules all and most, which is where constants fold.
  int constant_percent, scalar_percent;
  mlir_block_t *main, *block;  // @main's; where operations are appended.
  int value_count;             // In scope of @main.
  generate_value_t values[GENERATE_VALUES_MAX];
  int argument_count;
  const void *arguments[GENERATE_VALUES_MAX];  // Their data.
} generate_t;

typedef struct generate_row_t {
  const char *name;  // "stablehlo.add", or "@target" of custom calls; NULL ends a table.
  void (*append)(generate_t *g, const char *name);
} generate_row_t;

// A module and its arguments, and what is known of its results.
typedef struct generate_case_t {
  mlir_module_t *module;
  pod_arena_t *arena;
  int argument_count, result_count;
  reference_value_t *arguments;
  generate_value_t results[GENERATE_RESULTS_MAX];
  int value_count;  // All that was in scope.
  generate_value_t *values;
} generate_case_t;

// About `op_count` operations in @main, of the row `name` alone unless it is NULL. With
// `is_alone` for one chip; what means something else on several is left out otherwise.
generate_case_t *generate_case(uint64_t seed, int op_count, const char *name,
                               bool is_alone);

// Accepts NULL.
void generate_case_destroy(generate_case_t *generated);

// All rows, in one list.
int generate_row_count(void);
const generate_row_t *generate_row(int index);
bool generate_has_row(const char *name);

// Ends @main: `results` are returned. Gives the function its signature.
void generate_finish(mlir_module_t *module, mlir_block_t *block, int count,
                     mlir_value_t *const *results);

// --- For the rows: chance ---

int generate_below(generate_t *g, int bound);            // In [0, bound).
int generate_between(generate_t *g, int low, int high);  // Both included.
bool generate_chance(generate_t *g, int percent);
const char *generate_word(generate_t *g, int count, const char *const *words);

// --- Types ---

// Any element type of the classes.
tensor_dtype_t generate_dtype(generate_t *g, unsigned classes);
unsigned generate_class(tensor_dtype_t dtype);
int64_t generate_dim(generate_t *g);  // 0, 1, 2, primes.
// Of rank `rank_min` … 5, at most GENERATE_ELEMENTS_MAX elements.
tensor_shape_t generate_shape(generate_t *g, tensor_dtype_t dtype, int rank_min);
// Of up to GENERATE_LARGE elements: more than kernels take at once. Of rank 1 to 3.
tensor_shape_t generate_large_shape(generate_t *g, tensor_dtype_t dtype);
// One or the other, for rows whose reference is linear. `rank_min` at most 1.
tensor_shape_t generate_any_size(generate_t *g, tensor_dtype_t dtype, int rank_min);
tensor_shape_t generate_scalar_shape(tensor_dtype_t dtype);
static inline const tensor_shape_t *generate_shape_of(const mlir_value_t *value) {
  return &value->type->shape;
}

// --- Operands ---

// A value of that type, at least as exact: one in scope, or else fresh.
mlir_value_t *generate_operand(generate_t *g, const tensor_shape_t *shape,
                               generate_exactness_t exactness, generate_data_t data);
// A value of any shape of at least that rank, and of a type of the classes.
mlir_value_t *generate_any(generate_t *g, unsigned classes, int rank_min,
                           generate_exactness_t exactness, generate_data_t data);
// A fresh argument of @main, or a constant.
mlir_value_t *generate_fresh(generate_t *g, const tensor_shape_t *shape,
                             generate_data_t data);
// The same with data of the caller's (host representation).
mlir_value_t *generate_given(generate_t *g, const tensor_shape_t *shape,
                             const void *elements);
// A constant where operations are appended.
mlir_value_t *generate_constant(generate_t *g, const tensor_shape_t *shape,
                                const void *elements);
mlir_value_t *generate_constant_integer(generate_t *g, tensor_dtype_t dtype,
                                        int64_t value);
mlir_value_t *generate_constant_integers(generate_t *g, tensor_dtype_t dtype,
                                         int64_t count, const int64_t *values);
void generate_fill(generate_t *g, tensor_dtype_t dtype, generate_data_t data,
                   int64_t count, void *out_elements);
// Appends an operation of the row of that name.
void generate_append(generate_t *g, const char *name);
// What is known of a value that is in scope; EXACT when it is in no list.
generate_value_t generate_known(generate_t *g, const mlir_value_t *value);

// --- Operations ---

// Appended to g->block; results have the given types.
mlir_op_t *generate_op(generate_t *g, const char *name, int operand_count,
                       mlir_value_t *const *operands, int result_count,
                       const tensor_shape_t *results, int region_count);
// Puts a result into the scope. Integers and flags are always BITS.
void generate_keep(generate_t *g, mlir_op_t *op, int result,
                   generate_exactness_t exactness, double ulps);
// The same for an operation that only moves elements of `from`: as exact as that.
void generate_keep_as(generate_t *g, mlir_op_t *op, int result, const mlir_value_t *from);

void generate_integer(generate_t *g, mlir_op_t *op, const char *name, int64_t value);
void generate_flag(generate_t *g, mlir_op_t *op, const char *name, bool value);
void generate_list(generate_t *g, mlir_op_t *op, const char *name, int64_t count,
                   const int64_t *values);
// #stablehlo.name<word>
void generate_enum(generate_t *g, mlir_op_t *op, const char *attr, const char *name,
                   const char *word);
// #stablehlo.name<…>: the body is formatted.
POD_PRINTF(5, 6)
void generate_body(generate_t *g, mlir_op_t *op, const char *attr, const char *name,
                   const char *format, ...);

// Starts a region's block with arguments of these types: what is appended goes there.
// Returns the block before, for generate_region_end. Draw operands inside from
// g->block->arguments and generate_constant* only.
mlir_block_t *generate_region(generate_t *g, mlir_op_t *op, int region,
                              int argument_count, const tensor_shape_t *arguments);
void generate_return(generate_t *g, int count, mlir_value_t *const *values);
void generate_region_end(generate_t *g, mlir_block_t *outer);
// A whole region of one operation of two scalars: "stablehlo.add".
void generate_reducer(generate_t *g, mlir_op_t *op, int region, tensor_dtype_t dtype,
                      const char *name);

#endif  // TESTS_DIFFERENTIAL_GENERATE_H_
