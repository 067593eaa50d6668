// Slices: boxes of the torus, parts of a pod that programs for fewer chips run on.
//
// A slice's chips are counted x first from its origin, as the pod's are; where an axis
// wraps, a slice may lie over its end. Messages go by the pod's own routes
// (torus_next_hop): they stay within a slice whose sides torus_slice_is_closed says are
// short enough or span their axis, and only a side that spans a wrapping axis is a ring.
//
// Threading: pure.

#ifndef SERVER_CHIP_SLICE_H_
#define SERVER_CHIP_SLICE_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/text.h"
#include "server/chip/torus.h"

typedef struct torus_slice_t {
  int32_t origin[TORUS_DIMENSIONS], size[TORUS_DIMENSIONS];
  int32_t slice;             // Of the pod's: the box lies in one of them.
  int32_t core, core_count;  // At each place, from the first on; a count of 0 is 1.
} torus_slice_t;

// Devices: places times cores.
int32_t torus_slice_count(const torus_slice_t *slice);

// Its chips, in the order in which they stand for the devices of a program.
void torus_slice_chips(const torus_t *torus, const torus_slice_t *slice, int64_t *out);

// Whether messages between chips of a slice of this size pass no other chip.
bool torus_slice_is_closed(const torus_t *torus, const int32_t size[TORUS_DIMENSIONS]);

// The lower the better for programs: the hops across the box, then its surface; boxes
// that are not closed come behind all others.
int64_t torus_slice_rank(const torus_t *torus, const int32_t size[TORUS_DIMENSIONS]);

// The best size for so many chips that the torus has room for; false when no box has that
// many.
bool torus_slice_best(const torus_t *torus, int32_t count,
                      int32_t out_size[TORUS_DIMENSIONS]);

// "2x2"; a third side of 1 is left out.
void torus_slice_print_size(pod_text_t *text, const int32_t size[TORUS_DIMENSIONS]);

// "2", "2x2", "2x2x1": sides from 1. False for what is no size.
bool torus_slice_parse_size(const char *text, int32_t out_size[TORUS_DIMENSIONS]);

#endif  // SERVER_CHIP_SLICE_H_
