// Secrets of random bytes, and proofs of knowing one: HMAC-SHA-256 under the secret, over
// a label, which says who proves what to whom, and what both sides have sent, each with
// its length. A label is used for one purpose, so that a proof for one is none for
// another; nonces are fresh, so that none can be shown twice.
//
// Threading: any.
// Ownership: nothing is kept.
// Errors: of access_read_file, and INVALID_ARGUMENT for what is no secret.

#ifndef COMMON_ACCESS_SECRET_H_
#define COMMON_ACCESS_SECRET_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"

enum {
  ACCESS_SECRET_BYTES = 32,
  ACCESS_NONCE_BYTES = 32,
  ACCESS_PROOF_BYTES = 32,
  ACCESS_TOKEN_TEXT_BYTES = 2 * ACCESS_SECRET_BYTES + 1,  // As hexadecimal digits.
};

typedef struct access_secret_t {
  uint8_t bytes[ACCESS_SECRET_BYTES];
} access_secret_t;

typedef struct access_part_t {
  const void *data;
  size_t size_bytes;
} access_part_t;

// A file of one line of 64 hexadecimal digits, as `openssl rand -hex 32` writes it.
POD_MUST_USE pod_status_t access_read_secret(const char *path, access_secret_t *out);

void access_prove(const access_secret_t *secret, const char *label, size_t part_count,
                  const access_part_t *parts, uint8_t out[ACCESS_PROOF_BYTES]);

// Whether `proof`, of any size, is that.
bool access_is_proof(const access_secret_t *secret, const char *label, size_t part_count,
                     const access_part_t *parts, const void *proof, size_t proof_bytes);

// 64 hexadecimal digits and NUL.
void access_print_hex(const uint8_t bytes[ACCESS_SECRET_BYTES],
                      char out[ACCESS_TOKEN_TEXT_BYTES]);

#endif  // COMMON_ACCESS_SECRET_H_
