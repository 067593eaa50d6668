// What carries messages, by chip: the links that leave it over ICI, the one on the die to
// the other core of its chip, and the interface of its host to the data-centre network,
// both ways. What several chips share is the lowest one's: ICI links are those of core 0,
// an interface is that of the host's lowest chip.
//
// A message within a slice crosses the die, if its ends are on different cores, and then
// the ICI links of the dimension-order route. One between slices crosses the interfaces
// of two hosts, and nothing else: the network between them has room for all.
//
// Threading: pure.

#ifndef SERVER_SIMULATOR_CHANNELS_H_
#define SERVER_SIMULATOR_CHANNELS_H_

#include <stdbool.h>
#include <stdint.h>

#include "server/chip/spec.h"
#include "server/chip/torus.h"

enum {
  // Below TORUS_DIRECTIONS: an ICI link in that direction.
  SIMULATOR_DIE = 6,
  SIMULATOR_DCN_OUT = 7,
  SIMULATOR_DCN_IN = 8,
  SIMULATOR_CHANNELS = 9,
};

// Where a message is, on its way.
typedef struct simulator_way_t {
  const torus_t *torus;
  const chip_spec_t *spec;
  int32_t from, at, to;
  bool is_out;  // Has left its slice.
} simulator_way_t;

typedef struct simulator_crossing_t {
  int32_t chip;     // Whose channel it is.
  int32_t channel;  // In [0, SIMULATOR_CHANNELS).
} simulator_crossing_t;

simulator_way_t simulator_way(const torus_t *torus, const chip_spec_t *spec, int32_t from,
                              int32_t to);

// The next channel that it crosses; false at the end.
bool simulator_way_next(simulator_way_t *way, simulator_crossing_t *out_crossing);

// From the last byte's leaving to its arrival.
int64_t simulator_latency_ps(const torus_t *torus, const chip_spec_t *spec, int32_t from,
                             int32_t to);

// The rate of a channel of the chip as a multiple of an ICI link's; 0: it has none.
double simulator_channel_factor(const torus_t *torus, const chip_spec_t *spec,
                                int32_t chip, int32_t channel);

// Which of a host's chips it is, counted from its lowest.
int32_t simulator_place_on_host(const torus_t *torus, const chip_spec_t *spec,
                                int32_t chip);

#endif  // SERVER_SIMULATOR_CHANNELS_H_
