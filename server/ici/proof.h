// How the two ends of a link prove to each other that they know the secret of the links
// of this pod's run, before anything else is believed or answered:
//
//     who dials                             who listens
//       KNOCK (a nonce)      ───────────>   tells nothing
//                            <───────────   CHALLENGE (a nonce)
//       PROOF (epoch, MAC)   ───────────>   looks first, hangs up when it is wrong
//                            <───────────   PROOF (epoch, MAC)
//
// The MAC is HMAC-SHA256 under the secret over all that the two must agree about: who of
// them proves (so that nothing can be reflected), both nonces (so that nothing can be
// played again), the pod, both chips, the direction, the epochs, and what carries the
// link. It does not keep a man in the middle of a plain tcp connection from passing on
// what both say: that is what TLS is for.
//
// Threading: pure.

#ifndef SERVER_ICI_PROOF_H_
#define SERVER_ICI_PROOF_H_

#include <stdbool.h>
#include <stdint.h>

#include "server/ici/ici.h"

enum { ICI_NONCE_BYTES = 32, ICI_PROOF_BYTES = 32 };

// What carries the link, as either end sees it.
typedef enum ici_transport_t {
  ICI_TRANSPORT_LOCAL = 1,  // ipc, or memory.
  ICI_TRANSPORT_TCP = 2,
  ICI_TRANSPORT_TLS = 3,
} ici_transport_t;

typedef struct ici_proof_t {
  const char *pod;
  bool is_dialer;               // Who proves.
  int32_t from, to;             // The chips of who proves and of who looks.
  torus_direction_t direction;  // Seen from who proves.
  ici_transport_t transport;
  uint64_t epoch;       // Of who proves.
  uint64_t peer_epoch;  // Of who looks; 0 in the dialer's, who has not heard it.
  uint8_t dialer_nonce[ICI_NONCE_BYTES], listener_nonce[ICI_NONCE_BYTES];
} ici_proof_t;

void ici_proof_make(const uint8_t secret[ICI_SECRET_BYTES], const ici_proof_t *proof,
                    uint8_t out_mac[ICI_PROOF_BYTES]);

// In constant time.
bool ici_proof_holds(const uint8_t secret[ICI_SECRET_BYTES], const ici_proof_t *proof,
                     const uint8_t mac[ICI_PROOF_BYTES]);

#endif  // SERVER_ICI_PROOF_H_
