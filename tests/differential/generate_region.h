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

// The name of an operation of two operands of `dtype` that any order of any number of
// calls gives one result with, if float data is GENERATE_UNITS for sums and
// GENERATE_ONES for products: add, multiply, maximum, minimum, and, or, xor.
// `out_data` is what the elements must be.
const char *generate_reduction(generate_t *g, tensor_dtype_t dtype,
                               generate_data_t *out_data);

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

// `count` of [0, bound) in ascending order.
void generate_subset(generate_t *g, int bound, int count, int64_t *out_chosen);
void generate_shuffle(generate_t *g, int count, int64_t *values);

#endif  // TESTS_DIFFERENTIAL_GENERATE_REGION_H_
