// podium.v1.Worker: what the coordinator asks of a chip, over gRPC.
//
//   call            holds                          ends when
//   LoadProgram     the bytes so far               the compute thread has made it ready
//   PutShard        an array nobody sees yet       all bytes are there
//   FetchShard      a counted array                all bytes are sent, as fast as they go
//   Execute         a place in the queue           the chip is done; cancelled with the
//   call the others      nothing                        at once
//
// Errors: what the peer sends is measured first: more bytes than the shape has are
// INVALID_ARGUMENT, fewer DATA_LOSS, none at all INVALID_ARGUMENT. Without a chip
// everything is UNAVAILABLE.
// Threading: the loop thread.

#ifndef SERVER_WORKER_SERVICE_H_
#define SERVER_WORKER_SERVICE_H_

#include "common/base/status.h"
#include "common/rpc/rpc.h"
#include "server/ici/ici.h"
#include "server/worker/chip_host.h"
#include "server/worker/shard_transfers.h"

#define SERVICE_NAME "podium.v1.Worker"

typedef struct service_t service_t;

// What the service stands in front of. Borrowed until the next service_set_chip.
typedef struct service_chip_t {
  chip_host_t *host;
  ici_node_t *node;  // NULL: no links to report.
  const chip_spec_t *spec;
  torus_t torus;
  int32_t chip;
  int32_t process;  // The index of its host in the pod.
} service_chip_t;

// Returns owned.
service_t *service_create(void);

// By which shards go to and from clients of this host; NULL, as it begins: by none.
// Borrowed until the service is destroyed.
void service_set_transfers(service_t *service, shard_transfers_t *transfers);

// The server that it was added to is gone. Accepts NULL.
void service_destroy(service_t *service);

// For rpc_server_add_service, with the service_t as its service.
const rpc_method_t *service_methods(void);

// NULL: there is none (any more). Calls that hold something of the old chip are ended
// with a copy of `reason`, which it takes; executions and loads end with their host.
void service_set_chip(service_t *service, const service_chip_t *chip,
                      pod_status_t reason);

#endif  // SERVER_WORKER_SERVICE_H_
