// What is known of the process at the other end of a connection: an rpc_peer_t in a
// block, shared by the connection and its calls.
//
// Threading: the loop's.
// Ownership: the block is returned owned (rpc_block_release).

#ifndef COMMON_RPC_PEER_H_
#define COMMON_RPC_PEER_H_

#include "common/rpc/block.h"
#include "common/rpc/rpc.h"

// As the kernel tells it of the connected socket `fd`.
rpc_block_t *rpc_peer_of_socket(rpc_pool_t *pool, int fd);

// The same on an encrypted connection. `name` and `role` are the certificate's, or NULL;
// copied.
rpc_block_t *rpc_peer_with_certificate(rpc_pool_t *pool, const rpc_block_t *peer,
                                       const char *name, const char *role);

#endif  // COMMON_RPC_PEER_H_
