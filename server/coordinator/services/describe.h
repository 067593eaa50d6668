// The coordinator's state as messages. What is returned lives in the arena.
//
// Threading: the loop thread.

#ifndef SERVER_COORDINATOR_SERVICES_DESCRIBE_H_
#define SERVER_COORDINATOR_SERVICES_DESCRIBE_H_

#include "common/base/arena.h"
#include "proto/podium/v1/podium.pb-c.h"
#include "server/compiler/compiler.h"
#include "server/coordinator/coordinator_private.h"

Podium__V1__Pod *describe_pod(pod_arena_t *arena, const coordinator_t *coordinator);

// Borrows from `compiled`. When it would exceed what a client takes as one message, the
// texts that make it large are left out.
Podium__V1__CompileResponse *describe_compile(pod_arena_t *arena, uint64_t executable,
                                              const compiled_t *compiled);

#endif  // SERVER_COORDINATOR_SERVICES_DESCRIBE_H_
