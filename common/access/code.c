#include "common/access/code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  UNTIL_CHARS = 16,
  PROVEN_CHARS = 16 + 32,  // Of what is proven.
  NONCE_BYTES = 16,
  CLOCKS_APART_S = 300,  // Of the host that makes it and the one that checks it.
};

static const char domain[] = "podium page ";

static void print_proof(const char *code, const uint8_t token_digest[DIGEST_BYTES],
                        char out[2 * DIGEST_BYTES + 1]) {
  char data[sizeof(domain) + PROVEN_CHARS];
  memcpy(data, domain, sizeof(domain) - 1);
  memcpy(data + sizeof(domain) - 1, code, PROVEN_CHARS);
  uint8_t proof[DIGEST_BYTES];
  digest_hmac_sha256(token_digest, DIGEST_BYTES, data, sizeof(domain) - 1 + PROVEN_CHARS,
                     proof);
  for (size_t i = 0; i < DIGEST_BYTES; i++) {
    snprintf(out + 2 * i, 3, "%02x", proof[i]);
  }
}

void access_code_make(const char *token, int64_t now_s,
                      char out_code[ACCESS_CODE_BYTES]) {
  uint8_t nonce[NONCE_BYTES], token_digest[DIGEST_BYTES];
  digest_random(nonce, sizeof(nonce));
  digest_of(token, strlen(token), token_digest);
  snprintf(out_code, ACCESS_CODE_BYTES, "%016llx",
           (unsigned long long)(now_s + ACCESS_CODE_SECONDS));
  for (size_t i = 0; i < NONCE_BYTES; i++) {
    snprintf(out_code + UNTIL_CHARS + 2 * i, 3, "%02x", nonce[i]);
  }
  print_proof(out_code, token_digest, out_code + PROVEN_CHARS);
  explicit_bzero(token_digest, sizeof(token_digest));
}

bool access_code_read(const char *code, int64_t now_s, int64_t *out_until_s) {
  if (strlen(code) != ACCESS_CODE_BYTES - 1 ||
      strspn(code, "0123456789abcdef") != ACCESS_CODE_BYTES - 1) {
    return false;
  }
  char text[UNTIL_CHARS + 1] = {0};
  memcpy(text, code, UNTIL_CHARS);
  const unsigned long long until = strtoull(text, NULL, 16);
  if (until <= (unsigned long long)now_s ||
      until > (unsigned long long)now_s + ACCESS_CODE_SECONDS + CLOCKS_APART_S) {
    return false;
  }
  *out_until_s = (int64_t)until;
  return true;
}

bool access_code_is_of(const char *code, const uint8_t token_digest[DIGEST_BYTES]) {
  char proof[2 * DIGEST_BYTES + 1];
  print_proof(code, token_digest, proof);
  return digest_equal(proof, code + PROVEN_CHARS, sizeof(proof) - 1);
}
