// PartitionSpecs as a compiler prints them, P("x", None, ("y", "z:(1)2")), as the axes
// that a report draws.
//
// Threading: pure. Ownership: what is made lies in the arena.

#ifndef CLIENT_PROFILE_SPEC_H_
#define CLIENT_PROFILE_SPEC_H_

#include <stdbool.h>

#include "common/base/arena.h"
#include "common/report/report.h"

// The axes of each dimension, and those over which the array is unreduced, on the mesh
// given with its strides. False, and nothing is written, for a text that is none of
// `rank` dimensions, or names what is no axis of the mesh.
bool profile_spec_read(pod_arena_t *arena, const char *text, const report_axes_t *mesh,
                       int rank, report_axes_t out_spec[REPORT_RANK_MAX],
                       report_axes_t *out_unreduced);

#endif  // CLIENT_PROFILE_SPEC_H_
