// What a collective asks of a chip's HBM. Messages are read there and written there by
// the DMA engines of the links; a chip's core adds what comes in.
//
// Passes: what is sent is read. What comes in is written; when it is reduced it is then
//         read again, with what it is added to, and the sum is written: the buffers are
//         larger than VMEM. A local copy reads and writes, a reduction reads twice, zeros
//         are written, reorders go with strided descriptors.
// Shared: by clock and estimate. Threading: pure.

#ifndef SERVER_COLLECTIVE_TRAFFIC_H_
#define SERVER_COLLECTIVE_TRAFFIC_H_

#include "server/collective/schedule.h"

// Bytes that a step moves to and from HBM.
int64_t collective_step_hbm_bytes(const collective_step_t *step);

// How many messages a chip sends at a time at most, to neighbours in different
// directions: the lanes that may run together, and the peers that they have; at least 1.
int32_t collective_breadth(const collective_schedule_t *schedule);

#endif  // SERVER_COLLECTIVE_TRAFFIC_H_
