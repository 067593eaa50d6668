// Elements of arrays for people: the first ones as text, and two arrays compared.
//
// Threading: pure.

#ifndef CLIENT_CLI_ELEMENTS_H_
#define CLIENT_CLI_ELEMENTS_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/text.h"
#include "common/tensor/array.h"

// "1, 2.5, 3+4i": at most `most` of them, then ", …". Nothing for an array without
// elements.
void cli_elements_print(pod_text_t *text, const tensor_array_t *array, int64_t most);

// Elements that are NaN in one part at least, and of the others those that are infinite.
typedef struct cli_odd_t {
  int64_t nan, infinite;
} cli_odd_t;

// Cost: one pass over what can be NaN or infinite, none over other dtypes.
cli_odd_t cli_elements_count_odd(const tensor_array_t *array);

// How a result differs from what was expected. Both parts of a complex number count as
// elements of their own, except in `worst`.
typedef struct cli_difference_t {
  double largest;     // |result - expected|; infinite where only one of them is, or where
                      // they are infinite with unlike signs.
  double scale;       // The largest finite |expected|.
  int64_t worst;      // The element of `largest`, or the first of a NaN on one side.
  int64_t nan_alike;  // NaN at the same place: that is no difference.
  int64_t nan_result;    // NaN in the result only, or
  int64_t nan_expected;  // in what was expected only: no tolerance lets them pass.
} cli_difference_t;

// Cost: one pass. The shapes must be equal.
cli_difference_t cli_elements_compare(const tensor_array_t *result,
                                      const tensor_array_t *expected);

// The largest difference relative to the largest expected value, or as it is where that
// is 0.
double cli_difference_error(const cli_difference_t *difference);

// Within `tolerance` everywhere, and NaN only where NaN was expected.
bool cli_difference_passes(const cli_difference_t *difference, double tolerance);

// "[1, 3]" of an element's number in row-major order.
void cli_element_print_index(pod_text_t *text, const tensor_shape_t *shape,
                             int64_t element);

#endif  // CLIENT_CLI_ELEMENTS_H_
