// How far predictions may be off: by what bounds a task and the kind of chip, as
// published measurements back it.
//
// Source: spreads.def, which tests/bench/fidelity/spreads.py makes of the calibration
//         rows, and says how. A class one of whose figures is a guess, by its source, is
//         off by twice as much. A chip of the user's own is no kind: as the worst.
// Threading: pure.

#ifndef SERVER_CHIP_SPREAD_H_
#define SERVER_CHIP_SPREAD_H_

#include <stdint.h>

#include "common/base/text.h"
#include "server/chip/cost.h"
#include "server/chip/spec.h"

enum { CHIP_BOUND_COUNT = CHIP_BOUND_FIXED + 1 };

typedef enum chip_backing_t {
  CHIP_BACKING_NONE = 0,       // It takes no time.
  CHIP_BACKING_MEASURED = 1,   // Rows of the kind.
  CHIP_BACKING_RELATIVES = 2,  // Rows of other kinds.
  CHIP_BACKING_GUESS = 3,      // No row, or a figure that is a guess.
} chip_backing_t;

typedef struct chip_spread_t {
  double part;  // Of the time, either way, up to 1.
  chip_backing_t backing;
  int32_t rows;  // Of the kind.
} chip_spread_t;

// From the least to the most, in picoseconds.
typedef struct chip_range_t {
  int64_t low_ps, high_ps;
} chip_range_t;

chip_spread_t chip_spread(const chip_spec_t *spec, chip_bound_t bound);

chip_range_t chip_spread_range(const chip_spec_t *spec, chip_bound_t bound,
                               int64_t duration_ps);

// Of a program that takes times_ps[b] of each bound: errors of one class are alike, those
// of different ones independent.
chip_range_t chip_spread_sum(const chip_spec_t *spec,
                             const int64_t times_ps[CHIP_BOUND_COUNT]);

// In words what the sum rests on: "MXU 72 %: 2 measurements of v5e, +-5 %; ICI 20 %: …".
void chip_spread_print(pod_text_t *text, const chip_spec_t *spec,
                       const int64_t times_ps[CHIP_BOUND_COUNT]);

#endif  // SERVER_CHIP_SPREAD_H_
