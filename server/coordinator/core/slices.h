// Where on the torus a job goes: disjoint boxes (chip/slice.h) for jobs that run at once,
// each in one slice of the pod.
//
// Of the boxes that are free the best is taken: of a given size, turned any way round but
// as it was asked for if that is free; else of the sizes that have so many chips the one
// with the lowest torus_slice_rank. Of several places the one that touches most of what
// is taken or the pod's edge, so that what stays free hangs together (the heuristic of
// Zhu, "Efficient processor allocation strategies for mesh-connected parallel computers",
// 1992: boundary search); of those the one with the lowest origin.
//
// Cost: sizes × chips × the chips of a box; some 10 ms for a box of 64 in a pod of 1,024.
// Threading: pure.

#ifndef SERVER_COORDINATOR_CORE_SLICES_H_
#define SERVER_COORDINATOR_CORE_SLICES_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"
#include "server/chip/slice.h"

// What of the pod cannot be used now. Borrowed for the call.
typedef struct slices_missing_t {
  const bool *chips;      // By chip; NULL: none is missing.
  const uint16_t *links;  // By chip: bit d, the link in direction d is down, at both of
                          // its ends. NULL: none is.
} slices_missing_t;

typedef struct slice_wish_t {
  int32_t count;                   // Devices; of `size` when there is one.
  int32_t size[TORUS_DIMENSIONS];  // All 0: any box.
  int32_t core_count;              // Of each chip; 0 and 1: any one.
} slice_wish_t;

// Of "2x2", or of "" and a number of devices. Where the cores of a chip are devices a job
// has all of its chips' cores, or one core alone. INVALID_ARGUMENT for what is no size or
// what this torus can never give, and why.
POD_MUST_USE pod_status_t slices_wish(const torus_t *torus, const char *size,
                                      int32_t count, slice_wish_t *out_wish);

// The best box that has no chip of `is_taken` (by chip), and that misses (NULL: nothing)
// neither chips nor links that messages between its chips take. False when there is none.
bool slices_find(const torus_t *torus, const bool *is_taken,
                 const slices_missing_t *missing, const slice_wish_t *wish,
                 torus_slice_t *out_slice);

// The box that is nearest to being free: one that misses nothing, with the fewest chips
// of `is_taken`. What a job that waits for room keeps free. False when what is missing
// leaves no box.
bool slices_reserve(const torus_t *torus, const bool *is_taken,
                    const slices_missing_t *missing, const slice_wish_t *wish,
                    torus_slice_t *out_slice);

// Writes `value` for each chip of the slice.
void slices_mark(const torus_t *torus, const torus_slice_t *slice, bool value,
                 bool *is_taken);

#endif  // SERVER_COORDINATOR_CORE_SLICES_H_
