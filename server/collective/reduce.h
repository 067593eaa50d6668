// target = a op b, element by element, for every reducer and element type.
//
// Arithmetic: bf16, f16 and smaller floats are widened, combined and rounded once (to
// nearest even). Maximum and minimum propagate NaN and order -0 below +0; complex numbers
// are ordered by their real parts, then by their imaginary parts. pred: add and
// maximum are or, multiply and minimum are and. Integers wrap. op(a, b) and op(b, a) are
// the same bits (unless both are NaN).
// Threading: pure.

#ifndef SERVER_COLLECTIVE_REDUCE_H_
#define SERVER_COLLECTIVE_REDUCE_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/tensor/dtype.h"
#include "server/chip/program.h"

// Not, for instance, the xor of floats.
bool collective_reduce_supports(chip_reducer_t reducer, tensor_dtype_t dtype);

// `count` elements, aligned as the element type wants it (complex: as its parts).
// `target` may be `a` or `b`; otherwise no overlap.
void collective_reduce(chip_reducer_t reducer, tensor_dtype_t dtype, void *target,
                       const void *a, const void *b, int64_t count);

#endif  // SERVER_COLLECTIVE_REDUCE_H_
