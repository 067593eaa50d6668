// How a coordinator and a worker that attaches prove to each other that they know the
// pod's secret: each over the nonces of both, the worker over its address and its token
// for calls too, so that none of these can be another's.
//
// Threading: any.

#ifndef COMMON_ACCESS_ATTACH_H_
#define COMMON_ACCESS_ATTACH_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/access/secret.h"

// What both have said. Borrowed for the call.
typedef struct access_attach_t {
  access_part_t worker_nonce, coordinator_nonce;
  access_part_t address, call_token;  // Of the worker's proof.
} access_attach_t;

void access_prove_coordinator(const access_secret_t *secret, const access_attach_t *said,
                              uint8_t out[ACCESS_PROOF_BYTES]);
bool access_is_coordinator(const access_secret_t *secret, const access_attach_t *said,
                           access_part_t proof);

void access_prove_worker(const access_secret_t *secret, const access_attach_t *said,
                         uint8_t out[ACCESS_PROOF_BYTES]);
bool access_is_worker(const access_secret_t *secret, const access_attach_t *said,
                      access_part_t proof);

#endif  // COMMON_ACCESS_ATTACH_H_
