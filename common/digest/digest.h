// SHA-256 (FIPS 180-4), by which texts are known without being sent or compared: two
// texts of one digest are taken for the same. And what a secret is proven with: its HMAC
// (RFC 2104), a comparison that tells nothing by its time, and numbers that nobody
// guesses.
//
// Cost: linear in the bytes, 0.5 to 2 GB/s.
// Threading: a digest is used by one thread at a time; digest_of by any.
// Ownership: digest_create returns owned (digest_destroy); bytes are borrowed for the
// call.
// Errors: none; what the library cannot do (no memory, no SHA-256 in it) stops the
// process. digest_random has none either: a kernel without numbers stops the process.

#ifndef COMMON_DIGEST_DIGEST_H_
#define COMMON_DIGEST_DIGEST_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/text.h"

enum { DIGEST_BYTES = 32 };

typedef struct digest_t digest_t;

// Of no bytes yet.
digest_t *digest_create(void);

// Accepts NULL.
void digest_destroy(digest_t *digest);

// `data` may be NULL when size_bytes is 0.
void digest_add(digest_t *digest, const void *data, size_t size_bytes);

// Of all that was added. Once, the last call before digest_destroy.
void digest_finish(digest_t *digest, uint8_t out[DIGEST_BYTES]);

// Of these bytes.
void digest_of(const void *data, size_t size_bytes, uint8_t out[DIGEST_BYTES]);

// HMAC-SHA256 of the data under the key. Either may be empty.
void digest_hmac_sha256(const void *key, size_t key_bytes, const void *data,
                        size_t size_bytes, uint8_t out[DIGEST_BYTES]);

// Whether the bytes are equal; takes as long whether they are or not.
bool digest_equal(const void *a, const void *b, size_t size_bytes);

// Bytes from the kernel (getrandom).
void digest_random(void *out, size_t size_bytes);

// 64 hexadecimal digits.
void digest_print(pod_text_t *text, const uint8_t digest[DIGEST_BYTES]);

#endif  // COMMON_DIGEST_DIGEST_H_
