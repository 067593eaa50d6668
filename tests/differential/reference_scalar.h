// One element, and its arithmetic. See reference.h.

#ifndef TESTS_DIFFERENTIAL_REFERENCE_SCALAR_H_
#define TESTS_DIFFERENTIAL_REFERENCE_SCALAR_H_

#include "tests/differential/reference.h"

typedef struct reference_scalar_t {
  tensor_dtype_t dtype;
  int64_t integer;         // Integers and pred; a u64 keeps its bits. Bits of a NaN.
  double real, imaginary;  // Floats and complex numbers.
} reference_scalar_t;

reference_scalar_t reference_load(const reference_value_t *value, int64_t at);
// Wraps and rounds to the array's type, which must be the scalar's.
void reference_store(reference_value_t *value, int64_t at, reference_scalar_t scalar);

// To nearest even into a float type, with its overflow (infinity, NaN or largest).
double reference_round(tensor_dtype_t dtype, double value);
// The low bits of the type, extended as the type is.
int64_t reference_wrap(tensor_dtype_t dtype, int64_t value);

reference_scalar_t reference_of_integer(tensor_dtype_t dtype, int64_t value);
reference_scalar_t reference_of_real(tensor_dtype_t dtype, double value);
reference_scalar_t reference_of_complex(tensor_dtype_t dtype, double real,
                                        double imaginary);

// As stablehlo.convert does.
reference_scalar_t reference_convert(reference_scalar_t scalar, tensor_dtype_t dtype);

// By the operation's name without dialect: "add", "maximum", "and" …
reference_scalar_t reference_binary(const char *op, reference_scalar_t a,
                                    reference_scalar_t b);
reference_scalar_t reference_unary(const char *op, reference_scalar_t a);
// `direction` is "EQ" …, `type` "FLOAT", "TOTALORDER" …
bool reference_compare(const char *direction, const char *type, reference_scalar_t a,
                       reference_scalar_t b);

tensor_dtype_t reference_part_of(tensor_dtype_t dtype);  // c64: f32; others as they are.

// A float's place in the order of all of its type; -0 and 0 are both 0.
int64_t reference_ordinal(tensor_dtype_t dtype, const void *element);

#endif  // TESTS_DIFFERENTIAL_REFERENCE_SCALAR_H_
