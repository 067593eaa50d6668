// Addresses as people write them, and the sockets behind them.
//
//   "127.0.0.1:4711"   "localhost:0"   "[::1]:4711"   "unix:/run/podium.sock"
//
// Threading: any; rpc_address_resolve blocks for a name that is neither a number nor
// "localhost".
// Ownership: texts are returned owned (free()), file descriptors too (close()).
// Errors: INVALID_ARGUMENT for what is no address, UNAVAILABLE for what the system
// refuses.

#ifndef COMMON_RPC_ADDRESS_H_
#define COMMON_RPC_ADDRESS_H_

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "common/base/status.h"

typedef struct rpc_address_t {
  struct sockaddr_storage socket;
  socklen_t size_bytes;
} rpc_address_t;

// The parts of "HOST:PORT" or "[IPv6]:PORT".
typedef struct rpc_host_port_t {
  char host[256];
  char port[6];
} rpc_host_port_t;

POD_MUST_USE pod_status_t rpc_address_split(const char *text, rpc_host_port_t *out_parts);

// True, and the address, for "unix:", numbers and "localhost": what needs no name
// service. False leaves it to getaddrinfo with the parts; errors are for what is no
// address.
POD_MUST_USE pod_status_t rpc_address_parse(const char *text, bool *out_is_numeric,
                                            rpc_address_t *out_address,
                                            rpc_host_port_t *out_parts);

// Asks the name service where needed; the first answer counts.
POD_MUST_USE pod_status_t rpc_address_resolve(const char *text,
                                              rpc_address_t *out_address);

// Returns owned.
char *rpc_address_format(const rpc_address_t *address);

// Bound and listening, non-blocking. Clears away the file of a unix socket that nobody
// listens on any more.
POD_MUST_USE pod_status_t rpc_address_listen(const rpc_address_t *address, int *out_fd);

// Non-blocking: connected, or on its way (then it becomes writable).
POD_MUST_USE pod_status_t rpc_address_connect(const rpc_address_t *address, int *out_fd);

// The unix socket by which a server at this address is reached on its own host, with half
// the work: one in the abstract namespace, which belongs to the network namespace as the
// address does and goes with the process. False when the address is no loopback address;
// one that means all addresses is taken for the loopback's.
bool rpc_address_shortcut(const rpc_address_t *address, rpc_address_t *out_shortcut);

// Whether the process at the other end of a unix socket is of our user. Anybody may take
// the name of a shortcut, and only our own user is believed to be who we look for.
bool rpc_address_is_own_user(int fd);

// What both ends set on a connected socket.
void rpc_address_tune(int fd);

#endif  // COMMON_RPC_ADDRESS_H_
