// Whether a program's results are what they should be.

#ifndef TESTS_CONFORMANCE_SAME_VALUES_H_
#define TESTS_CONFORMANCE_SAME_VALUES_H_

#include "tests/differential/reference.h"

// The first element that differs; -1: none does. Any NaN is as good as another. Floats
// may be `units` units of the last place of the largest element apart; 0: only equal
// ones, with the sign of zeros, will do.
int64_t same_values(const reference_value_t *expected, const reference_value_t *found,
                    double units);

#endif  // TESTS_CONFORMANCE_SAME_VALUES_H_
