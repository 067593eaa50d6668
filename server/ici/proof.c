// The text under the MAC: fields of fixed length one behind the other, little-endian,
// after a label that no other use of the secret has.

#include "server/ici/proof.h"

#include <string.h>

#include "common/base/check.h"
#include "common/digest/digest.h"
#include "server/ici/frame.h"

static const char label[] = "podium ici link proof";

enum {
  TEXT_BYTES =
      (int)sizeof(label) + ICI_POD_NAME_MAX + 1 + 3 + 3 * 4 + 2 * 8 + 2 * ICI_NONCE_BYTES,
};
_Static_assert((int)ICI_PROOF_BYTES == (int)DIGEST_BYTES, "the MAC is a whole digest");

static uint8_t *put(uint8_t *at, uint64_t value, int size_bytes) {
  for (int i = 0; i < size_bytes; i++) {
    *at++ = (uint8_t)(value >> (8 * i));
  }
  return at;
}

static uint8_t *put_bytes(uint8_t *at, const void *bytes, size_t size_bytes) {
  memcpy(at, bytes, size_bytes);
  return at + size_bytes;
}

void ici_proof_make(const uint8_t secret[ICI_SECRET_BYTES], const ici_proof_t *proof,
                    uint8_t out_mac[ICI_PROOF_BYTES]) {
  uint8_t text[TEXT_BYTES];
  char pod[ICI_POD_NAME_MAX + 1] = {0};
  memcpy(pod, proof->pod, strnlen(proof->pod, ICI_POD_NAME_MAX));
  uint8_t *at = put_bytes(text, label, sizeof(label));
  at = put_bytes(at, pod, sizeof(pod));
  at = put(at, ICI_VERSION, 1);
  at = put(at, proof->is_dialer ? 1 : 2, 1);
  at = put(at, proof->transport, 1);
  at = put(at, (uint32_t)proof->from, 4);
  at = put(at, (uint32_t)proof->to, 4);
  at = put(at, (uint32_t)proof->direction, 4);
  at = put(at, proof->epoch, 8);
  at = put(at, proof->peer_epoch, 8);
  at = put_bytes(at, proof->dialer_nonce, ICI_NONCE_BYTES);
  at = put_bytes(at, proof->listener_nonce, ICI_NONCE_BYTES);
  POD_CHECK(at == text + sizeof(text));
  digest_hmac_sha256(secret, ICI_SECRET_BYTES, text, sizeof(text), out_mac);
}

bool ici_proof_holds(const uint8_t secret[ICI_SECRET_BYTES], const ici_proof_t *proof,
                     const uint8_t mac[ICI_PROOF_BYTES]) {
  uint8_t expected[ICI_PROOF_BYTES];
  ici_proof_make(secret, proof, expected);
  return digest_equal(expected, mac, sizeof(expected));
}
