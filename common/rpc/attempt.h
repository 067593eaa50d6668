// One attempt to reach an address: name service, then TCP or a unix socket, every address
// of the name in turn.
//
// Threading: the loop's.
// Ownership: an attempt frees itself after its callback, or after rpc_attempt_cancel.

#ifndef COMMON_RPC_ATTEMPT_H_
#define COMMON_RPC_ATTEMPT_H_

#include "common/base/status.h"
#include "common/rpc/loop.h"

typedef struct rpc_attempt_t rpc_attempt_t;

// The callee takes `fd` (-1 on error) and `status`.
typedef void (*rpc_attempt_fn_t)(int fd, pod_status_t status, void *context);

// `address` is copied and must be well-formed. Fails with UNAVAILABLE after `timeout_ms`.
rpc_attempt_t *rpc_attempt_start(rpc_loop_t *loop, const char *address,
                                 uint64_t timeout_ms, rpc_attempt_fn_t done,
                                 void *context);

// Accepts NULL. `done` does not run.
void rpc_attempt_cancel(rpc_attempt_t *attempt);

#endif  // COMMON_RPC_ATTEMPT_H_
