// target = a op b, element by element, for every reducer and element type: what the
// executor of collectives (server/ici) is handed to reduce with.
//
// Arithmetic: bf16, f16 and smaller floats are widened, combined and rounded once (to
// nearest even). Maximum and minimum propagate NaN and order -0 below +0; complex numbers
// are ordered by their real parts, then by their imaginary parts. pred: add and
// maximum are or, multiply and minimum are and. Integers wrap. op(a, b) and op(b, a) are
// the same bits (unless both are NaN).
// Threading: pure; any thread. A stop (stop.h) does not cut it short: peers that go on
// are never sent half a sum.

#ifndef SERVER_WORKER_KERNELS_COMBINE_H_
#define SERVER_WORKER_KERNELS_COMBINE_H_

#include <stdint.h>

#include "common/tensor/dtype.h"
#include "server/program/program.h"

// `count` elements, aligned as the element type wants it (complex: as its parts), of a
// reducer that there is for them (chip_reducer_is_for). `target` may be `a` or `b`;
// otherwise no overlap.
void kernel_combine_arrays(chip_reducer_t reducer, tensor_dtype_t dtype, void *target,
                           const void *a, const void *b, int64_t count);

#endif  // SERVER_WORKER_KERNELS_COMBINE_H_
