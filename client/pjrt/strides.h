// Byte strides: how a caller's bytes lie, against dense row-major ones.
//
// Threading: pure.

#ifndef CLIENT_PJRT_STRIDES_H_
#define CLIENT_PJRT_STRIDES_H_

#include <stdbool.h>
#include <stdint.h>

#include "client/lib/podium.h"
#include "client/pjrt/pjrt_api.h"
#include "common/base/status.h"

// Whether `strides` (bytes, one per dimension) are those of dense row-major bytes; those
// of dimensions of size 1 do not matter, nor any of an empty array.
bool strides_are_dense(const podium_shape_t *shape, const int64_t *strides);

// Copies from `source`, which lies by `strides` (also negative or 0), to dense `target`.
void strides_pack(const podium_shape_t *shape, const int64_t *strides, const void *source,
                  void *target);

// The other way round.
void strides_unpack(const podium_shape_t *shape, const int64_t *strides,
                    const void *source, void *target);

// Of a layout without tiles; UNIMPLEMENTED for one with.
POD_MUST_USE pod_status_t strides_of_layout(const podium_shape_t *shape,
                                            const PJRT_Buffer_MemoryLayout *layout,
                                            int64_t *out_strides);

#endif  // CLIENT_PJRT_STRIDES_H_
