// The workers of the pod, as the coordinator is wired to them: podium.v1.Registry, whose
// Attach call is a worker's membership, and a channel to each worker's own service.
//
// A worker is lost when its Attach call ends, its channel breaks, or nothing was heard of
// it for timeout_ms. A silence of the coordinator's own (a suspended process) counts
// against nobody.
//
// Threading: the loop thread.
// Ownership: the registry owns attachments and channels.
// Callbacks: on_lost and on_change may start and cancel calls; they must not destroy the
// registry. The calls of a lost worker end a moment later.

#ifndef SERVER_COORDINATOR_REGISTRY_H_
#define SERVER_COORDINATOR_REGISTRY_H_

#include <stdint.h>

#include "common/access/access.h"
#include "common/access/secret.h"
#include "common/base/status.h"
#include "common/rpc/loop.h"
#include "common/rpc/rpc.h"
#include "server/chip/spec.h"
#include "server/chip/torus.h"
#include "server/coordinator/chip_tell.h"
#include "server/coordinator/core/places.h"
#include "server/coordinator/later.h"

typedef struct registry_t registry_t;

typedef struct registry_options_t {
  rpc_loop_t *loop;
  later_t *later;  // Borrowed; it must be run once more after the registry's server went.
  const chip_spec_t *spec;
  torus_t torus;
  const char *pod_id;  // Copied.
  int64_t hbm_bytes;   // 0: the kind's.
  int64_t heartbeat_ms, timeout_ms;
  const rpc_credentials_t *credentials;  // For TLS with workers; borrowed. NULL: plain.
  const access_t *access;                // Which workers are known; borrowed.
  const access_secret_t *secret;  // What the others prove; copied. NULL: there is none.
  // A worker is gone; `reason` says which, where, and why. Borrowed for the call.
  void (*on_lost)(void *context, int32_t chip, const char *reason);
  // A worker has got this place.
  void (*on_joined)(void *context, int32_t chip);
  // The link of `chip` to this neighbour was up at both ends and is not any more, or is
  // again, while both have workers.
  void (*on_link)(void *context, int32_t chip, int32_t neighbour, bool is_up);
  // The state of a place has changed.
  void (*on_change)(void *context);
  void *context;
} registry_options_t;

registry_t *registry_create(const registry_options_t *options);

// In place of the one that it has, for who attaches from now on.
void registry_set_secret(registry_t *registry, const access_secret_t *secret);

// Workers that were given a place, that left one or were lost, that were refused; since
// the registry was created.
typedef struct registry_counts_t {
  uint64_t joins, losses, refusals;
} registry_counts_t;

registry_counts_t registry_counts(const registry_t *registry);

// Its Attach calls have ended: the server is destroyed before. Accepts NULL.
void registry_destroy(registry_t *registry);

// "podium.v1.Registry", with the registry as the service. A static table.
const rpc_method_t *registry_methods(void);

const places_t *registry_places(const registry_t *registry);

later_t *registry_later(const registry_t *registry);

// NULL while nobody has the place.
rpc_channel_t *registry_channel(const registry_t *registry, int32_t chip);

// What its worker still has to be told.
chip_tells_t *registry_tells(const registry_t *registry, int32_t chip);

// Lets the workers go that have half-closed their Attach call; to be called when nothing
// runs.
void registry_release_draining(registry_t *registry);

// Ends every Attach call with UNAVAILABLE, and refuses new ones.
void registry_close(registry_t *registry);

#endif  // SERVER_COORDINATOR_REGISTRY_H_
