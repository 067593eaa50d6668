// Who attaches: what a worker says before it is one of the pod's.
//
//   Register ──known, no nonce──────────────────────────────> admitted
//      └──nonce──> Challenge ──> Proof ──known or it holds──────^
//                                   └──else──> refused
//
// Threading: the loop thread.

#ifndef SERVER_COORDINATOR_ATTACH_PROOF_H_
#define SERVER_COORDINATOR_ATTACH_PROOF_H_

#include <stdbool.h>

#include "common/access/access.h"
#include "common/access/secret.h"
#include "common/base/status.h"
#include "common/rpc/rpc.h"
#include "proto/podium/v1/worker.pb-c.h"

typedef struct attach_proof_t {
  bool is_known;  // By the kernel or a certificate, or it has proved the secret.
  // Between Challenge and Proof: what it has said; owned. Else NULL.
  Podium__V1__Register *claim;
  uint8_t nonce[ACCESS_NONCE_BYTES];
  bool has_call_token;
  uint8_t call_token[ACCESS_SECRET_BYTES];  // What we call it with.
  bool has_former_token;
  uint8_t former_token[ACCESS_SECRET_BYTES];  // Of its membership before.
} attach_proof_t;

// Zeroed before.
void attach_proof_init(attach_proof_t *proof, const access_t *access,
                       const rpc_call_t *call);

// A message of one that has not been admitted; may answer it with a Challenge. `secret`:
// the pod's; NULL: it has none. *out_claim: what it is to be admitted with, borrowed from
// `message` or until attach_proof_forget_claim(); NULL: more is to come. UNAUTHENTICATED,
// INVALID_ARGUMENT.
POD_MUST_USE pod_status_t attach_proof_hear(attach_proof_t *proof, rpc_call_t *call,
                                            const access_secret_t *secret,
                                            const Podium__V1__WorkerMessage *message,
                                            const Podium__V1__Register **out_claim);

// Whether it has shown the token that the other one has given us.
bool attach_proof_knows_token_of(const attach_proof_t *proof, const attach_proof_t *old);

// Frees what was said; the tokens stay.
void attach_proof_forget_claim(attach_proof_t *proof);

#endif  // SERVER_COORDINATOR_ATTACH_PROOF_H_
