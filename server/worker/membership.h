// A worker's side of podium.v1.Registry: joins a pod, stays in it, leaves it.
//
//   DETACHED ──attach──► WAITING ──► ATTACHING ──Assignment──► MEMBER ──leave──► LEAVING
//      ▲                    (pause)      │                        │                 │
//      └─────────────────────────────────┴── stream ends ─────────┴─────────────────┘
//
// Nothing is done for a coordinator that has not shown who it is: `on_end` then comes
// with UNAUTHENTICATED.
//
// Attaching waits for a coordinator that is not there yet, as long as it takes. After a
// stream has ended the next attempt comes after a pause that doubles, up to a bound,
// until a membership has lasted: a coordinator that gives a place and takes it back at
// once is not pressed.
//
// Threading: the loop thread. Events come from the loop, never inside a function of this
// module.

#ifndef SERVER_WORKER_MEMBERSHIP_H_
#define SERVER_WORKER_MEMBERSHIP_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/access/secret.h"
#include "common/base/status.h"
#include "common/rpc/rpc.h"
#include "proto/podium/v1/worker.pb-c.h"
#include "server/ici/ici.h"

typedef struct membership_t membership_t;

enum {
  MEMBERSHIP_PAUSE_MS_MIN = 100,
  MEMBERSHIP_PAUSE_MS_MAX = 5000,
  MEMBERSHIP_LASTED_MS = 5000,  // The pauses begin anew behind one that lasted so long.
};

typedef struct membership_events_t {
  // Borrowed messages.
  void (*on_assignment)(const Podium__V1__Assignment *assignment, void *context);
  void (*on_connect_link)(const Podium__V1__ConnectLink *connect, void *context);
  void (*on_drain)(void *context);
  // The membership is over, or did not come to be: `was_member` says which. Takes
  // `status`; NULL when the coordinator ended it in peace. membership_attach may follow.
  void (*on_end)(pod_status_t status, bool was_member, void *context);
  // What a heartbeat reports.
  int64_t (*hbm_used_bytes)(void *context);
  void (*link_sent_bytes)(int64_t out_bytes[TORUS_LINKS], void *context);
  // The coordinator is believed, and has got the call token.
  void (*on_token_given)(void *context);
} membership_events_t;

typedef struct membership_options_t {
  const char *coordinator;                   // Address; borrowed for the call.
  const Podium__V1__Register *registration;  // Borrowed for the life of the membership.
  // What is proven to the coordinator, and what it has to prove unless it is of our own
  // user on this host, or TLS knows it; copied. NULL: there is none.
  const access_secret_t *secret;
  bool is_insecure;  // Any coordinator is believed, if there is no secret.
  // What the coordinator is given once it is believed, to show in its calls; copied.
  uint8_t call_token[ACCESS_SECRET_BYTES];
  membership_events_t events;
  void *context;
  const rpc_credentials_t *credentials;  // For TLS; borrowed likewise. NULL: plain.
} membership_options_t;

POD_MUST_USE pod_status_t membership_create(rpc_loop_t *loop,
                                            const membership_options_t *options,
                                            membership_t **out_membership);

// In place of the one that it has: what is proven from the next attempt on.
void membership_set_secret(membership_t *membership, const access_secret_t *secret);

// Accepts NULL. on_end does not come any more.
void membership_destroy(membership_t *membership);

// A new call token, for the memberships that follow: who has the old one is not obeyed
// any more. Only while DETACHED.
void membership_renew_call_token(membership_t *membership,
                                 const uint8_t token[ACCESS_SECRET_BYTES]);

// Starts to join; only while DETACHED.
void membership_attach(membership_t *membership);

// Tells the coordinator where this chip's links listen. Only as a MEMBER, as the next.
void membership_send_listening(membership_t *membership, const ici_node_t *node);

void membership_send_link(membership_t *membership, const ici_link_event_t *event);

// Asks to leave: no new work will come; on_end follows when the coordinator has let go.
// False when there is nothing to leave.
bool membership_leave(membership_t *membership);

#endif  // SERVER_WORKER_MEMBERSHIP_H_
