// What of the pod an executable needs: the chips that run it, and the chips and links
// that its messages pass through. What else is missing does not hold it up.
//
// Routes are those of the workers: dimension order (chip/torus.h). Any member of a group
// may send to any other, as the algorithm of a collective is the worker's to choose.
//
// Threading: pure. Ownership: a footprint is a list by chip, the caller's to free().

#ifndef SERVER_COORDINATOR_CORE_FOOTPRINT_H_
#define SERVER_COORDINATOR_CORE_FOOTPRINT_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"
#include "server/chip/torus.h"
#include "server/coordinator/core/places.h"
#include "server/program/program.h"

// Of a chip: bit d is set when messages leave it in direction d, and these.
enum {
  FOOTPRINT_RUNS = 1 << TORUS_LINKS,
  FOOTPRINT_PASSES = 1 << (TORUS_LINKS + 1),  // Messages come through it.
};

// Owned, by chip of the torus; NULL: the whole pod, of a program that runs on all chips
// or has too many pairs of chips to look at them all.
uint16_t *footprint_of(const chip_program_t *program, const torus_t *torus);

// `footprint` NULL: the whole pod.
bool footprint_has(const uint16_t *footprint, int32_t chip);

// UNAVAILABLE names what is not there yet, and the program that needs it.
POD_MUST_USE pod_status_t footprint_check(const uint16_t *footprint,
                                          const places_t *places, const char *program);

#endif  // SERVER_COORDINATOR_CORE_FOOTPRINT_H_
