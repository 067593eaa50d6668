// A call to the worker of a chip. What rpc_call_t is, but it knows the worker: errors
// name it, and say whether it was lost.
//
// Callbacks: as with rpc_call_t; on_end comes exactly once for every start, never inside
// it, also when nobody has the place.
// Errors: a call whose worker is gone ends with UNAVAILABLE and the reason of the loss,
// and `is_lost`. Other errors keep their code and get the worker's name before their
// message.
// Threading: the loop thread.
// Ownership: embedded in its owner, which lives until on_end.

#ifndef SERVER_COORDINATOR_CHIP_CALL_H_
#define SERVER_COORDINATOR_CHIP_CALL_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/rpc/rpc.h"
#include "server/coordinator/later.h"
#include "server/coordinator/registry.h"

typedef struct chip_call_t chip_call_t;

typedef struct chip_call_events_t {
  // Borrowed. May be NULL.
  void (*on_message)(chip_call_t *call, const void *message);
  void (*on_writable)(chip_call_t *call);  // May be NULL.
  // Takes `status`. May free or start the call again.
  void (*on_end)(chip_call_t *call, pod_status_t status, bool is_lost);
} chip_call_events_t;

struct chip_call_t {
  later_item_t later;  // First, so that the item finds its call.
  const chip_call_events_t *events;
  void *owner;
  registry_t *registry;
  int32_t chip;
  uint64_t epoch;   // Of the worker that was called.
  rpc_call_t *rpc;  // NULL when there was nobody to call, or after the end.
  bool is_open;     // on_end is owed.
  bool is_cancelled;
};

// `path` of podium.v1.Worker. `events` is borrowed until on_end.
void chip_call_start(chip_call_t *call, registry_t *registry, int32_t chip,
                     const char *path, const ProtobufCMessageDescriptor *response,
                     const chip_call_events_t *events, void *owner);

// Queues a message; nothing happens when there was nobody to call or the call has ended.
void chip_call_send(chip_call_t *call, const ProtobufCMessage *message);
void chip_call_half_close(chip_call_t *call);

// True also when there is nobody to write to.
bool chip_call_is_writable(const chip_call_t *call);

// UNAVAILABLE with the reason when the worker that was called has gone since.
POD_MUST_USE pod_status_t chip_call_check_alive(const chip_call_t *call);

// The same for the worker that had the place in `epoch`.
POD_MUST_USE pod_status_t chip_worker_check(const registry_t *registry, int32_t chip,
                                            uint64_t epoch);

// What to tell of an error that came from it. Takes `status`.
POD_MUST_USE pod_status_t chip_worker_explain(const registry_t *registry, int32_t chip,
                                              uint64_t epoch, pod_status_t status,
                                              bool *out_lost);

// on_end follows with CANCELLED, or with what came before. Idempotent.
void chip_call_cancel(chip_call_t *call);

// A unary call whose answer does not matter, for what is to be freed on a chip: it is
// made until the worker has answered or is lost. A place that nobody has is left out.
void chip_call_tell(registry_t *registry, int32_t chip, const char *path,
                    const ProtobufCMessage *request);

#endif  // SERVER_COORDINATOR_CHIP_CALL_H_
