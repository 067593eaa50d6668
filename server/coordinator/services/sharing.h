// Which transfers go by shared memory, and what both sides are told of them: the client
// where to go with which token, each worker the token that will be shown.
//
// A transfer is shared when all chips concerned are on the client's host, as that tells
// itself (common/shared/host_identity.h). Who lies about his host is given a path that he
// cannot open.
//
// Threading: the loop thread.

#ifndef SERVER_COORDINATOR_SERVICES_SHARING_H_
#define SERVER_COORDINATOR_SERVICES_SHARING_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "proto/podium/v1/podium.pb-c.h"
#include "server/coordinator/core/array_layout.h"
#include "server/coordinator/core/store.h"
#include "server/coordinator/registry.h"

typedef struct sharing_t sharing_t;

// Whether the host has any of the pod's chips; "": none.
bool sharing_is_possible(const registry_t *registry, const char *host);

// For the parts of `layout` that these chips of it hold. Returns owned; NULL: the bytes
// have to go another way. `layout` is borrowed as long as the sharing lives.
sharing_t *sharing_create(const registry_t *registry, const char *host,
                          const array_layout_t *layout, int32_t count,
                          const int32_t *chips);

// Accepts NULL.
void sharing_destroy(sharing_t *sharing);

// For the client; NULL: without parts.
Podium__V1__Sharing *sharing_pack(pod_arena_t *arena, const sharing_t *sharing);

// For the worker of the chip at `index` of those that were named; NULL: empty. Borrowed.
ProtobufCBinaryData sharing_token(const sharing_t *sharing, int32_t index);

#endif  // SERVER_COORDINATOR_SERVICES_SHARING_H_
