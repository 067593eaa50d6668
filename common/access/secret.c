// Secrets in files, proofs.

#include "common/access/secret.h"

#include <stdlib.h>
#include <string.h>

#include "common/access/file.h"
#include "common/base/text.h"
#include "common/digest/digest.h"

_Static_assert((int)ACCESS_PROOF_BYTES == (int)DIGEST_BYTES, "a proof is a digest");

static int value_of(char digit) {
  static const char digits[] = "0123456789abcdef";
  const char *at = digit == '\0' ? NULL : strchr(digits, digit | 0x20);
  return at == NULL ? -1 : (int)(at - digits);
}

static bool parse_hex(const char *text, access_secret_t *out) {
  if (strlen(text) != 2 * sizeof(out->bytes)) {
    return false;
  }
  for (size_t i = 0; i < sizeof(out->bytes); i++) {
    const int high = value_of(text[2 * i]), low = value_of(text[2 * i + 1]);
    if (high < 0 || low < 0) {
      return false;
    }
    out->bytes[i] = (uint8_t)(16 * high + low);
  }
  return true;
}

pod_status_t access_read_secret(const char *path, access_secret_t *out) {
  char *line;
  POD_TRY(access_read_line(path, &line));
  access_secret_t secret = {{0}};
  const bool is_secret = parse_hex(line, &secret);
  access_forget(line);
  if (!is_secret) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "%s holds no secret, which is a line of %d hexadecimal digits: "
                     "`(umask 077; openssl rand -hex %d >%s)` makes one",
                     path, 2 * ACCESS_SECRET_BYTES, ACCESS_SECRET_BYTES, path);
  }
  *out = secret;
  return NULL;
}

static void add_part(pod_text_t *text, const void *data, size_t size_bytes) {
  const uint64_t size = size_bytes;
  uint8_t length[sizeof(size)];
  for (size_t i = 0; i < sizeof(length); i++) {
    length[i] = (uint8_t)(size >> 8 * i);
  }
  pod_text_add_bytes(text, length, sizeof(length));
  if (size_bytes > 0) {
    pod_text_add_bytes(text, data, size_bytes);
  }
}

void access_prove(const access_secret_t *secret, const char *label, size_t part_count,
                  const access_part_t *parts, uint8_t out[ACCESS_PROOF_BYTES]) {
  pod_text_t text = {0};
  add_part(&text, label, strlen(label));
  for (size_t i = 0; i < part_count; i++) {
    add_part(&text, parts[i].data, parts[i].size_bytes);
  }
  digest_hmac_sha256(secret->bytes, sizeof(secret->bytes), text.bytes, text.length, out);
  explicit_bzero(text.bytes, text.length);
  pod_text_deinit(&text);
}

bool access_is_proof(const access_secret_t *secret, const char *label, size_t part_count,
                     const access_part_t *parts, const void *proof, size_t proof_bytes) {
  uint8_t expected[ACCESS_PROOF_BYTES];
  access_prove(secret, label, part_count, parts, expected);
  return proof_bytes == sizeof(expected) &&
         digest_equal(proof, expected, sizeof(expected));
}

void access_print_hex(const uint8_t bytes[ACCESS_SECRET_BYTES],
                      char out[ACCESS_TOKEN_TEXT_BYTES]) {
  static const char digits[] = "0123456789abcdef";
  for (size_t i = 0; i < ACCESS_SECRET_BYTES; i++) {
    out[2 * i] = digits[bytes[i] >> 4];
    out[2 * i + 1] = digits[bytes[i] & 15];
  }
  out[ACCESS_TOKEN_TEXT_BYTES - 1] = '\0';
}
