// The twin of nng's streams for tests: pipes within the process, without sockets or
// files. Who dials an address reaches who listens at it, whatever the address looks like.
// One thread calls everybody back, in an order that depends on nothing else.

#ifndef TESTS_UNIT_SERVER_ICI_MEMORY_CARRIER_H_
#define TESTS_UNIT_SERVER_ICI_MEMORY_CARRIER_H_

#include <stdbool.h>
#include <stdint.h>

#include "server/ici/pipe.h"

// Between start and stop; all doors and pipes are destroyed before stop.
extern const ici_carrier_t memory_carrier;

// What pipes made from now on look like: with which process at the other end (0: the
// kernel does not say), as if they went between hosts. At first 0 and false.
void memory_carrier_pretend(int32_t process, bool is_tcp);

void memory_carrier_start(void);
void memory_carrier_stop(void);

#endif  // TESTS_UNIT_SERVER_ICI_MEMORY_CARRIER_H_
