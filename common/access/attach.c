// The labels tell the two proofs apart: neither side can send back what it was sent.

#include "common/access/attach.h"

enum { COORDINATOR_PARTS = 2, WORKER_PARTS = 4 };

static const char coordinator_label[] = "podium coordinator";
static const char worker_label[] = "podium worker";

void access_prove_coordinator(const access_secret_t *secret, const access_attach_t *said,
                              uint8_t out[ACCESS_PROOF_BYTES]) {
  const access_part_t parts[COORDINATOR_PARTS] = {said->worker_nonce,
                                                  said->coordinator_nonce};
  access_prove(secret, coordinator_label, COORDINATOR_PARTS, parts, out);
}

bool access_is_coordinator(const access_secret_t *secret, const access_attach_t *said,
                           access_part_t proof) {
  const access_part_t parts[COORDINATOR_PARTS] = {said->worker_nonce,
                                                  said->coordinator_nonce};
  return access_is_proof(secret, coordinator_label, COORDINATOR_PARTS, parts, proof.data,
                         proof.size_bytes);
}

void access_prove_worker(const access_secret_t *secret, const access_attach_t *said,
                         uint8_t out[ACCESS_PROOF_BYTES]) {
  const access_part_t parts[WORKER_PARTS] = {said->worker_nonce, said->coordinator_nonce,
                                             said->address, said->call_token};
  access_prove(secret, worker_label, WORKER_PARTS, parts, out);
}

bool access_is_worker(const access_secret_t *secret, const access_attach_t *said,
                      access_part_t proof) {
  const access_part_t parts[WORKER_PARTS] = {said->worker_nonce, said->coordinator_nonce,
                                             said->address, said->call_token};
  return access_is_proof(secret, worker_label, WORKER_PARTS, parts, proof.data,
                         proof.size_bytes);
}
