// Certificates for tests: an authority in a folder of its own that signs what is asked
// for.

#ifndef TESTS_UNIT_COMMON_RPC_AUTHORITY_H_
#define TESTS_UNIT_COMMON_RPC_AUTHORITY_H_

#include "common/certificates/certificate.h"
#include "common/rpc/credentials.h"

typedef struct authority_t {
  char folder[64];
  char file[128];  // ca.crt in it.
  certificate_t certificate;
} authority_t;

void authority_start(authority_t *authority, const char *name);

void authority_stop(authority_t *authority);

// Files NAME.crt and NAME.key. `role` and `host` may be NULL. Valid from now + `begins_s`
// to now + `ends_s`. `chain` (NULL: none) is written behind the certificate.
void authority_sign_for(const authority_t *authority, const char *name, const char *role,
                        const char *host, int64_t begins_s, int64_t ends_s,
                        const certificate_t *chain);

// The same for an hour.
void authority_sign(const authority_t *authority, const char *name, const char *role,
                    const char *host);

// "FOLDER/NAMESUFFIX", in one of eight places that are used in turn.
const char *authority_path(const authority_t *authority, const char *name,
                           const char *suffix);

// With the certificate `name`; `clients` NULL: clients are not asked for theirs.
rpc_credentials_t *authority_server(const authority_t *authority, const char *name,
                                    const authority_t *clients);

// Believes `authority`, and shows the certificate `name` of `own`; NULL: none.
rpc_credentials_t *authority_client(const authority_t *authority, const authority_t *own,
                                    const char *name);

void authority_write(const char *path, const char *text, const char *more);

#endif  // TESTS_UNIT_COMMON_RPC_AUTHORITY_H_
