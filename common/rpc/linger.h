// The last moments of a socket we have said goodbye on. Closing it while bytes of the
// peer are unread would make the kernel answer with a reset, and the reset would destroy
// what we sent last: the status of a call, or the GOAWAY that says what the peer did
// wrong. So the writing side is shut first, and what still comes is read and dropped
// until the peer closes, or for RPC_LINGER_MS.
//
// Threading: the loop's.
// Ownership: a lingering socket belongs to the loop.

#ifndef COMMON_RPC_LINGER_H_
#define COMMON_RPC_LINGER_H_

#include "common/rpc/loop.h"

enum {
  RPC_LINGER_MS = 1000,
  RPC_LINGERING_MAX = 128,  // At once; who connects and is turned out must cost no more.
};

// Takes `fd`, which nothing polls any more. Closes it at once when many linger already.
void rpc_linger_start(rpc_loop_t *loop, int fd);

// Closes them all; for rpc_loop_destroy.
void rpc_linger_end_all(rpc_loop_t *loop);

#endif  // COMMON_RPC_LINGER_H_
