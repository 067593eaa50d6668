// The slice that an attempt at a job was given, as the job's record keeps it: a line for
// people, with the pod that it is a slice of.
//
//   2x2x1 at 0,2,0 core 0 of 1, slice 0 of 4x4
//
// Threading: pure.

#ifndef SERVER_COORDINATOR_CORE_GIVEN_SLICE_H_
#define SERVER_COORDINATOR_CORE_GIVEN_SLICE_H_

#include <stdbool.h>

#include "common/base/text.h"
#include "server/chip/slice.h"

void given_slice_print(pod_text_t *text, const torus_t *torus,
                       const torus_slice_t *slice);

// False for what is none. *out_is_here: it is a slice of this torus; that of another pod
// has a size and a place, but chips of other numbers.
bool given_slice_read(const char *text, const torus_t *torus, torus_slice_t *out_slice,
                      bool *out_is_here);

#endif  // SERVER_COORDINATOR_CORE_GIVEN_SLICE_H_
