// SHA-256 and HMAC by OpenSSL's libcrypto, which takes the CPU's instructions where there
// are any.

#include "common/digest/digest.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdlib.h>
#include <sys/random.h>

#include "common/base/check.h"
#include "common/base/memory.h"

struct digest_t {
  EVP_MD_CTX *state;
};

digest_t *digest_create(void) {
  digest_t *digest = pod_alloc(sizeof(*digest));
  digest->state = EVP_MD_CTX_new();
  POD_CHECK(digest->state != NULL);
  POD_CHECK(EVP_DigestInit_ex(digest->state, EVP_sha256(), NULL) == 1);
  return digest;
}

void digest_destroy(digest_t *digest) {
  if (digest != NULL) {
    EVP_MD_CTX_free(digest->state);
    free(digest);
  }
}

void digest_add(digest_t *digest, const void *data, size_t size_bytes) {
  POD_CHECK(EVP_DigestUpdate(digest->state, data, size_bytes) == 1);
}

void digest_finish(digest_t *digest, uint8_t out[DIGEST_BYTES]) {
  unsigned int size_bytes = 0;
  POD_CHECK(EVP_DigestFinal_ex(digest->state, out, &size_bytes) == 1);
  POD_CHECK(size_bytes == DIGEST_BYTES);
}

void digest_of(const void *data, size_t size_bytes, uint8_t out[DIGEST_BYTES]) {
  digest_t *digest = digest_create();
  digest_add(digest, data, size_bytes);
  digest_finish(digest, out);
  digest_destroy(digest);
}

void digest_hmac_sha256(const void *key, size_t key_bytes, const void *data,
                        size_t size_bytes, uint8_t out[DIGEST_BYTES]) {
  unsigned int out_bytes = 0;
  POD_CHECK(HMAC(EVP_sha256(), key_bytes == 0 ? "" : key, (int)key_bytes, data,
                 size_bytes, out, &out_bytes) != NULL);
  POD_CHECK(out_bytes == DIGEST_BYTES);
}

bool digest_equal(const void *a, const void *b, size_t size_bytes) {
  return CRYPTO_memcmp(a, b, size_bytes) == 0;
}

void digest_random(void *out, size_t size_bytes) {
  for (size_t done = 0; done < size_bytes;) {
    const ssize_t got = getrandom((uint8_t *)out + done, size_bytes - done, 0);
    POD_CHECK(got > 0 || errno == EINTR);
    done += got > 0 ? (size_t)got : 0;
  }
}

void digest_print(pod_text_t *text, const uint8_t digest[DIGEST_BYTES]) {
  for (int i = 0; i < DIGEST_BYTES; i++) {
    pod_text_printf(text, "%02x", digest[i]);
  }
}
