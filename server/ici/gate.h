// The gate of a link: connections that have not proven yet that they are the neighbour's
// (proof.h). Private to server/ici; node.h has the order of the locks.
//
// A link that wants a pipe lets several in at once, so that who is silent keeps nobody
// out: the first that proves itself becomes the link's pipe, and the others are hung up
// on. Each has a place, little time, and frames of a few bytes; when the places are
// taken, the oldest goes. A link that has its pipe lets nobody in: they wait in the
// kernel and cost nothing.
//
//                 ┌──── who dials: KNOCK ────┐
//     a pipe ──> KNOCKING ──KNOCK/CHALLENGE──> PROVING ──PROOF──> PROVEN ──all sent──>
//     ADMITTED
//                 │ nonsense, gone, too late    │                   │ │
//                 └─────────────┬───────────────┴───────────────────┘    the link's pipe,
//                 or
//                               v │
//                             OVER <───────────── it has one
//                             ─────────────────────────────┘
//                               │ the keeper destroys the pipe
//                               v
//                             NONE
//
// What is refused is told in the log once a minute.

#ifndef SERVER_ICI_GATE_H_
#define SERVER_ICI_GATE_H_

#include <stdbool.h>
#include <stdint.h>

#include "server/ici/pipe.h"
#include "server/ici/proof.h"

enum {
  ICI_GUESTS_MAX = 32,           // Of a link, at once.
  ICI_GUEST_TIMEOUT_MS = 5000,   // To prove oneself.
  ICI_GUEST_LEAST_MS = 20,       // Nobody is sent away for another before.
  ICI_REFUSALS_TOLD_MS = 60000,  // Between two lines of the log.
};

typedef struct ici_link_t ici_link_t;

typedef enum ici_guest_state_t {
  ICI_GUEST_NONE = 0,  // The place is free.
  ICI_GUEST_KNOCKING,
  ICI_GUEST_PROVING,
  ICI_GUEST_PROVEN,
  ICI_GUEST_ADMITTED,  // On its way to be the link's pipe.
  ICI_GUEST_OVER,
} ici_guest_state_t;

// Under the link's lock.
typedef struct ici_guest_t {
  ici_link_t *link;
  ici_pipe_t *pipe;
  ici_guest_state_t state;
  int64_t since_ns;
  bool is_sending;
  nng_msg *next;   // Waits for what is being sent. Owned.
  uint64_t epoch;  // The other end's, proven.
  uint8_t dialer_nonce[ICI_NONCE_BYTES], listener_nonce[ICI_NONCE_BYTES];
} ici_guest_t;

// With the link's lock: a pipe has come out of a door. Takes it. The keeper is to be
// called.
void ici_gate_enter(ici_link_t *link, ici_pipe_t *pipe);

// With the link's lock: whether one more pipe may be asked for, besides `asked` that are
// asked for already; makes a place where that is possible.
bool ici_gate_has_place(ici_link_t *link, int asked);

// With the link's lock: hangs up on all.
void ici_gate_clear(ici_link_t *link);

// Destroys the pipes of those that are over, and asks the doors for others. Returns when
// to look again. Only by the keeper.
int64_t ici_gate_tend(ici_link_t *link);

// Whether nobody is there.
bool ici_gate_is_empty(ici_link_t *link);

// Hangs up on all and waits until nobody is there. Only by the keeper, with the doors
// closed.
void ici_gate_shut(ici_link_t *link);

#endif  // SERVER_ICI_GATE_H_
