// X.509 certificates with their keys, as PEM: what a pod needs to have an authority of
// its own. Keys are ECDSA on P-256.
//
// Threading: any.
// Ownership: a certificate_t owns its texts, until certificate_deinit.
// Errors: INVALID_ARGUMENT for a host or name that no certificate can hold, or an issuer
// that is none; INTERNAL when OpenSSL fails.

#ifndef COMMON_CERTIFICATES_CERTIFICATE_H_
#define COMMON_CERTIFICATES_CERTIFICATE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"

enum { CERTIFICATE_NAME_BYTES_MAX = 64 };  // ub-common-name of RFC 5280.

typedef struct certificate_t {
  char *certificate_pem;
  char *key_pem;
} certificate_t;

typedef struct certificate_request_t {
  const char *name;          // Its CN, 1 to CERTIFICATE_NAME_BYTES_MAX bytes.
  const char *role;          // For a URI podium:ROLE; NULL: none.
  const char *const *hosts;  // Names and addresses of which it may be a server.
  size_t host_count;         // 0: it is for clients only.
  bool is_authority;         // May sign others; `role` and `hosts` are not looked at.
  int64_t begins_s, ends_s;  // When it is valid, in seconds since 1970.
} certificate_request_t;

// Signed by `issuer`, which is an authority; NULL: signs itself.
POD_MUST_USE pod_status_t certificate_issue(const certificate_request_t *request,
                                            const certificate_t *issuer,
                                            certificate_t *out_certificate);

// Of a zeroed one too.
void certificate_deinit(certificate_t *certificate);

#endif  // COMMON_CERTIFICATES_CERTIFICATE_H_
