// Which block of the torus each host has: where the workers that a podium-host runs are
// placed.
//
// A host of N chips has a box of N chips, all hosts alike, cut as torus_cut does: the
// box of the kind's hosts where there are as many chips in it (v5e and v6e 4x2; v2, v3,
// v4 and v5p 2x2x1), 2x2 and 1x1 for the smaller machines of v5e and v6e, else the box
// of N chips with the least surface. Host of rank R has the box number R, x fastest,
// which is JAX's process_index; the chip of index I on its host is number I in it, x
// fastest, as JAX orders local devices.
//
// A rank is given, or learnt: a host has the rank that it had before; else the one whose
// box its worker says it was in; else the first that nobody has had; else the first whose
// host has left.
//
// Part of the state machine of places.h: the same threads and ownership.

#ifndef SERVER_COORDINATOR_CORE_PLACES_HOSTS_H_
#define SERVER_COORDINATOR_CORE_PLACES_HOSTS_H_

#include <stdint.h>

#include "common/base/status.h"
#include "server/coordinator/core/places.h"

// The place of the worker of a host, claim->host_chips > 0. INVALID_ARGUMENT for a number
// of chips, an index or a rank that the torus does not have; FAILED_PRECONDITION when the
// pod's hosts have another number; ALREADY_EXISTS when another host has the rank, or
// another worker the place; RESOURCE_EXHAUSTED when every box, or every place in the
// host's, is taken. The rank is then the host's.
POD_MUST_USE pod_status_t places_host_choose(places_t *places, const place_claim_t *claim,
                                             int32_t *out_chip);

// A worker that has the place which the claim names, or that is of another host which has
// the rank which it names; -1: there is none.
int32_t places_host_rival(const places_t *places, const place_claim_t *claim);

void places_hosts_deinit(places_hosts_t *hosts);

#endif  // SERVER_COORDINATOR_CORE_PLACES_HOSTS_H_
