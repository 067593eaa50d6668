// What a chip has sent over its links, as its heartbeats say: totals that outlive its
// workers, and a rate.
//
// Threading: pure. Determinism: given the same calls, the same figures.
// Errors: none; what a worker cannot have sent (less than before) counts as nothing.

#ifndef SERVER_COORDINATOR_CORE_TRAFFIC_H_
#define SERVER_COORDINATOR_CORE_TRAFFIC_H_

#include <stddef.h>
#include <stdint.h>

#include "server/chip/torus.h"

// Zeroed: nothing was sent.
typedef struct traffic_t {
  int64_t sent_bytes[TORUS_LINKS];  // By all workers of the place, ever.
  int64_t said_bytes[TORUS_LINKS];  // By the present one, in its last heartbeat.
  double bytes_per_s[TORUS_LINKS];  // Between its last two.
  int64_t heard_ns;                 // When; 0: it has said nothing yet.
} traffic_t;

// Another worker has the place: it begins to count anew.
void traffic_begin(traffic_t *traffic);

// Of a heartbeat: what it has sent since it began, by direction; those beyond `count` and
// beyond the torus's count as nothing.
void traffic_heard(traffic_t *traffic, int64_t now_ns, size_t count,
                   const int64_t *said_bytes);

// 0 when the last heartbeat is older than `fresh_ns`.
double traffic_rate(const traffic_t *traffic, torus_direction_t direction, int64_t now_ns,
                    int64_t fresh_ns);

#endif  // SERVER_COORDINATOR_CORE_TRAFFIC_H_
