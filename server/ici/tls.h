// TLS for links between hosts, by nng's (mbed TLS): one's own certificate, and the
// authorities that must have signed the other's, at both ends. Private to server/ici.
//
// Which of the authorities' children is at the other end is not looked at: that it is the
// neighbour is proven by the secret of the links (proof.h). Certificates say what they
// are good for (extended key usage), which is looked at: who has a client's cannot
// listen.
//
// Threading: created and destroyed by one thread; used by any.
// Ownership: returned owned; outlives the doors that use it.

#ifndef SERVER_ICI_TLS_H_
#define SERVER_ICI_TLS_H_

#include <nng/nng.h>

#include "common/base/status.h"
#include "server/ici/ici.h"

typedef struct ici_tls_t ici_tls_t;

// INVALID_ARGUMENT names the file that cannot be read or used.
POD_MUST_USE pod_status_t ici_tls_create(const ici_tls_files_t *files,
                                         ici_tls_t **out_tls);

// Accepts NULL.
void ici_tls_destroy(ici_tls_t *tls);

// Before they listen or dial. The result is nng's.
int ici_tls_set_listener(const ici_tls_t *tls, nng_stream_listener *listener);
int ici_tls_set_dialer(const ici_tls_t *tls, nng_stream_dialer *dialer);

#endif  // SERVER_ICI_TLS_H_
