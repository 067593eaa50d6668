// TLS 1.3 for links between hosts, by OpenSSL: one's own certificate, and the authorities
// that must have signed the other's, at both ends.
//
// Which of the authorities' children is at the other end is not looked at: that it is the
// neighbour is proven by the secret of the links (proof.h). Certificates say what they
// are good for (extended key usage, and a role where there is one, podium:worker), which
// is looked at: who has a client's cannot listen, who has a user's cannot come at all.
//
// Private to server/ici; what becomes of the bytes is in seal.h.
//
// Threading: any, but for create and destroy.
// Ownership: returned owned; outlives the doors that use it. What pipes have of it lives
//            with them.

#ifndef SERVER_ICI_TLS_H_
#define SERVER_ICI_TLS_H_

#include <openssl/ssl.h>
#include <stdbool.h>

#include "common/base/status.h"
#include "server/ici/ici.h"

typedef struct ici_tls_t ici_tls_t;

// INVALID_ARGUMENT names the file that cannot be read or used.
POD_MUST_USE pod_status_t ici_tls_create(const ici_tls_files_t *files,
                                         ici_tls_t **out_tls);

// Accepts NULL.
void ici_tls_destroy(ici_tls_t *tls);

// Reads the files again: what comes from now on is shown the new certificate, and
// believed by the new authorities; what is connected stays. After an error all is as it
// was.
POD_MUST_USE pod_status_t ici_tls_renew(ici_tls_t *tls);

// One end of a connection, without its bytes; NULL when memory runs out.
SSL *ici_tls_open(ici_tls_t *tls, bool is_server);

#endif  // SERVER_ICI_TLS_H_
