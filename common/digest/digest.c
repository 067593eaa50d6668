// SHA-256 by OpenSSL's EVP, which takes the CPU's instructions where there are any.

#include "common/digest/digest.h"

#include <openssl/evp.h>
#include <stdlib.h>

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

void digest_print(pod_text_t *text, const uint8_t digest[DIGEST_BYTES]) {
  for (int i = 0; i < DIGEST_BYTES; i++) {
    pod_text_printf(text, "%02x", digest[i]);
  }
}
