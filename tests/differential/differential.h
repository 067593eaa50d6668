// A case on the reference and on the device, and what to do when they differ.
//
// Ownership: texts are added to by the caller's pod_text_t. Threading: one thread.

#ifndef TESTS_DIFFERENTIAL_DIFFERENTIAL_H_
#define TESTS_DIFFERENTIAL_DIFFERENTIAL_H_

#include "common/base/text.h"
#include "tests/differential/device.h"
#include "tests/differential/generate.h"

// Whether `found` is `expected` as far as it is known; else the first element that
// differs. Zeros of different signs differ.
bool differential_compare(const reference_value_t *expected,
                          const reference_value_t *found, generate_value_t known,
                          int64_t *out_element);

// Whether both agree. `report` gets what differs, or the error of the device.
bool differential_check(device_t *device, const generate_case_t *generated,
                        pod_text_t *report);

// The smallest part of a case that differs too, with its arguments: operations give way
// to arguments that hold what the reference computed. Returns owned; NULL when the
// operations one by one and together all agree.
generate_case_t *differential_reduce(device_t *device, const generate_case_t *generated);

// The module, and its arguments.
void differential_print(const generate_case_t *generated, pod_text_t *text);

#endif  // TESTS_DIFFERENTIAL_DIFFERENTIAL_H_
