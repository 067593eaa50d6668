// Random scalar functions, for regions; and choices that several groups make.
//
// Threading: pure.

#ifndef TESTS_DIFFERENTIAL_GENERATE_REGION_H_
#define TESTS_DIFFERENTIAL_GENERATE_REGION_H_

#include "tests/differential/generate.h"

// A scalar of `dtype` computed from the scalars `from`, where operations are appended.
// Every operation in it is rounded once at most, so that a fixed order of its calls gives
// one result.
mlir_value_t *generate_scalar(generate_t *g, int count, mlir_value_t *const *from,
                              tensor_dtype_t dtype, int depth);

// A whole region of scalars, which returns one of each type of `results`.
void generate_function(generate_t *g, mlir_op_t *op, int region, int argument_count,
                       const tensor_shape_t *arguments, int result_count,
                       const tensor_shape_t *results);

// A private function of the module: between start and end operations are appended to it.
typedef struct generate_function_t {
  mlir_op_t *op;
  mlir_block_t *outer;
} generate_function_t;

generate_function_t generate_function_start(generate_t *g, int argument_count,
                                            const tensor_shape_t *arguments);
// Gives its name.
const char *generate_function_end(generate_t *g, const generate_function_t *function,
                                  int count, mlir_value_t *const *results);

// stablehlo.custom_call @target; a '@' that the target begins with is left out.
mlir_op_t *generate_custom_call(generate_t *g, const char *target, int operand_count,
                                mlir_value_t *const *operands, int result_count,
                                const tensor_shape_t *results);
// called_computations = [@function]
void generate_called(generate_t *g, mlir_op_t *op, const char *function);

// The name of an operation of two operands of `dtype` that any order of any number of
// calls gives one result with, if float data is GENERATE_UNITS for sums and
// GENERATE_ONES for products: add, multiply, maximum, minimum, and, or, xor.
// `out_data` is what the elements must be.
const char *generate_reduction(generate_t *g, tensor_dtype_t dtype,
                               generate_data_t *out_data);

// A type that a reduction of elements of that type may be written in: often another one.
tensor_dtype_t generate_promoted(generate_t *g, tensor_dtype_t dtype);

// The scalar that leaves the other operand of such an operation as it is.
mlir_value_t *generate_identity(generate_t *g, tensor_dtype_t dtype, const char *name);

// What an operation of two operands is fed with, and how well its result is known then.
typedef struct generate_binary_t {
  tensor_dtype_t dtype;
  generate_data_t data;
  bool is_fresh;  // Takes data of its own only.
  generate_exactness_t exactness;
  double ulps;
} generate_binary_t;

// By its name without dialect: "add". Draws the element type.
generate_binary_t generate_choose_binary(generate_t *g, const char *word);

// Fresh keys for an order: of NaNs only those of each type whose place in a total order
// is known, or none; complex numbers are finite.
mlir_value_t *generate_keys(generate_t *g, const tensor_shape_t *shape, bool may_be_nan);

// `count` of [0, bound) in ascending order.
void generate_subset(generate_t *g, int bound, int count, int64_t *out_chosen);
void generate_shuffle(generate_t *g, int count, int64_t *values);

#endif  // TESTS_DIFFERENTIAL_GENERATE_REGION_H_
