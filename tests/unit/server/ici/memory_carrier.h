// The twin of nng's streams for tests: pipes within the process, without sockets or
// files. Who dials an address reaches who listens at it, whatever the address looks like.
// One thread calls everybody back, in an order that depends on nothing else.

#ifndef TESTS_UNIT_SERVER_ICI_MEMORY_CARRIER_H_
#define TESTS_UNIT_SERVER_ICI_MEMORY_CARRIER_H_

#include "server/ici/pipe.h"

// Between start and stop; all doors and pipes are destroyed before stop.
extern const ici_carrier_t memory_carrier;

void memory_carrier_start(void);
void memory_carrier_stop(void);

#endif  // TESTS_UNIT_SERVER_ICI_MEMORY_CARRIER_H_
