// The daemon: a chip's gRPC service, its membership in a pod, its links, put together.
//
//              ┌───────────── stream lost, everything freed ─────────────┐
//              ▼                                                         │
//   JOINING ──Assignment──► HOSTING ──stream lost──► RESETTING ──────────┤
//      │                       │                                         │
//      └──refused──► ended(1)  └──SIGTERM, Drain──► DRAINING ──► STOPPING ──► ended(0)
//
// Threading: the loop thread; kernels run on the chip's compute thread, links on their
// own.

#ifndef SERVER_WORKER_WORKER_H_
#define SERVER_WORKER_WORKER_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/access/secret.h"
#include "common/base/status.h"
#include "common/rpc/credentials.h"
#include "common/rpc/loop.h"
#include "server/ici/ici.h"

typedef struct worker_t worker_t;

enum {
  WORKER_DRAIN_MS = 6000,
  WORKER_STUCK_STATUS =
      3,  // Of a process whose chip does not let go of what it computes.
};

// Strings are borrowed for the life of the worker.
typedef struct worker_options_t {
  const char *coordinator;  // "10.0.0.1:7070"
  // NULL: a free port of the interface that leads to the coordinator; 127.0.0.1 when that
  // is on this machine.
  const char *listen;
  // How others reach `listen`; NULL: as it was bound, or, where that is all interfaces,
  // by the one that leads to the coordinator.
  const char *advertise;
  // Listen for links on tcp://HOST too; NULL: where `listen` does, unless only this
  // machine reaches that; then on ipc:// alone. All interfaces: the one that leads there.
  const char *ici_host;
  bool has_coords;  // Ask for this place.
  int32_t coords[TORUS_PLACE_NUMBERS];
  // Of the podium-host that runs it, unless a place is asked for. 0 chips: none does.
  int32_t host_chips;
  int32_t host_rank, host_index;  // -1: as the coordinator chooses.
  int64_t hbm_bytes;              // 0: what the coordinator says.
  // The pod's secret, which is proven to the coordinator, and by it; copied. NULL: none.
  const access_secret_t *secret;
  // Listen where others come in the clear, and believe any coordinator, if there is no
  // secret.
  bool is_insecure;
  const char *version;
  // For TLS on its port, and with the coordinator; borrowed for the life of the worker.
  // NULL: plain.
  const rpc_credentials_t *port_credentials, *coordinator_credentials;
  const ici_tls_files_t *link_files;  // For TLS on links between hosts; likewise.
} worker_options_t;

// `status` says why it ended, NULL for an orderly end; takes it.
typedef void (*worker_ended_fn_t)(pod_status_t status, void *context);

// Waits until the coordinator's name is known, where the worker's own address follows
// from it; makes nothing outside of the process yet. `ended` is called once, from the
// loop, unless the worker is destroyed before.
POD_MUST_USE pod_status_t worker_create(rpc_loop_t *loop, const worker_options_t *options,
                                        worker_ended_fn_t ended, void *context,
                                        worker_t **out_worker);

// Listens, and begins to join. What it makes is taken away by worker_destroy, so that the
// caller should have its signal handlers by now. Once; on an error destroy the worker.
POD_MUST_USE pod_status_t worker_start(worker_t *worker);

// After `ended`, or before the loop has run. Accepts NULL.
void worker_destroy(worker_t *worker);

// It obeys its coordinator only, who shows the token that it was given; health is open,
// and processes of its own user may ask for its status. Before a token has been given,
// they may call everything.
//
// Where the gRPC service listens: "127.0.0.1:4711". Borrowed.
const char *worker_address(const worker_t *worker);

// What is proven and shown from now on, when files have changed: the secret in place of
// the one that it has (NULL: stays), and what the links' files say now. INVALID_ARGUMENT,
// and the links go on with what they had.
POD_MUST_USE pod_status_t worker_renew(worker_t *worker, const access_secret_t *secret);

// Finishes what runs, for at most WORKER_DRAIN_MS, leaves the pod, ends. Idempotent.
void worker_drain(worker_t *worker);

#endif  // SERVER_WORKER_WORKER_H_
