// What an end of TLS has to show and whom it believes: OpenSSL's SSL_CTX, made of files
// in PEM. TLS 1.3, or 1.2 with the ciphers that HTTP/2 allows (RFC 9113, 9.2.2).
//
// Threading: created and destroyed by one thread; servers and channels of any threads may
// use the same.
// Ownership: returned owned; outlives the servers and channels that use it.
// Errors: INVALID_ARGUMENT, with the file's name, for what cannot be read or is not what
// it should be: no PEM, a key that does not match its certificate or has a password.

#ifndef COMMON_RPC_CREDENTIALS_H_
#define COMMON_RPC_CREDENTIALS_H_

#include "common/base/status.h"

typedef struct rpc_credentials_t rpc_credentials_t;

// `certificate_file` may hold intermediate certificates behind the server's own. With
// `client_ca_file` clients are asked for a certificate: one that these authorities have
// not signed ends the connection, a client without any is a peer without a
// certificate_name, whom the authorizer (rpc.h) may refuse. NULL: clients are not asked.
POD_MUST_USE pod_status_t rpc_credentials_for_server(const char *certificate_file,
                                                     const char *key_file,
                                                     const char *client_ca_file,
                                                     rpc_credentials_t **out_credentials);

// The same for a web server (http.h), which speaks HTTP/1.1.
POD_MUST_USE pod_status_t rpc_credentials_for_pages(const char *certificate_file,
                                                    const char *key_file,
                                                    const char *client_ca_file,
                                                    rpc_credentials_t **out_credentials);

// Servers are believed that `ca_file` has signed for the host that is connected to.
// `certificate_file` and `key_file` are shown to servers that ask; NULL, both: none.
POD_MUST_USE pod_status_t rpc_credentials_for_client(const char *ca_file,
                                                     const char *certificate_file,
                                                     const char *key_file,
                                                     rpc_credentials_t **out_credentials);

// A client's: a server whose certificate tells a role (the URI podium:ROLE) must have
// this one, so that one daemon of a pod cannot be taken for another. `role` is borrowed
// for the life of the credentials.
void rpc_credentials_expect_role(rpc_credentials_t *credentials, const char *role);

// Reads the files again: handshakes from now on show the new certificate, and believe the
// new authorities; what is connected stays. After an error all is as it was. Any thread,
// beside those that use them.
POD_MUST_USE pod_status_t rpc_credentials_renew(rpc_credentials_t *credentials);

// Accepts NULL.
void rpc_credentials_destroy(rpc_credentials_t *credentials);

#endif  // COMMON_RPC_CREDENTIALS_H_
