// The flags by which a daemon is told of TLS, the same for all of them.
//
// Threading: any one thread.
// Ownership: the flags borrow the command line; the credentials are owned.

#ifndef SERVER_DAEMON_TLS_FLAGS_H_
#define SERVER_DAEMON_TLS_FLAGS_H_

#include <argp.h>

#include "common/base/status.h"
#include "common/rpc/credentials.h"

typedef struct tls_flags_t {
  const char *ca, *certificate, *key, *client_ca;  // Files; NULL: not given.
} tls_flags_t;

// For the children of a daemon's own argp, which sets its input to a tls_flags_t at
// ARGP_KEY_INIT.
extern const struct argp tls_flags_argp;

typedef struct tls_credentials_t {
  rpc_credentials_t *port;   // Of the daemon's own port; NULL: it is plain.
  rpc_credentials_t *calls;  // Of its calls to other daemons; NULL: they are plain.
} tls_credentials_t;

// The port speaks TLS with a certificate, calls do with an authority; who is called has
// the role `called` ("worker"), if its certificate tells one. INVALID_ARGUMENT for files
// that are not what they should be.
POD_MUST_USE pod_status_t tls_flags_load(const tls_flags_t *flags, const char *called,
                                         tls_credentials_t *out_credentials);

// Reads the files again; what an error is said of is as it was.
POD_MUST_USE pod_status_t tls_credentials_renew(const tls_credentials_t *credentials);

// Says in the log what became of files that were read again; takes `status`.
void renewal_tell(const char *what, pod_status_t status);

// After the servers and channels that use them.
void tls_credentials_deinit(tls_credentials_t *credentials);

#endif  // SERVER_DAEMON_TLS_FLAGS_H_
