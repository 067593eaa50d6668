// TLS of a session: the files that the caller names, or else the environment.

#include <stdlib.h>

#include "client/lib/session.h"

static const char *file_of(const char *given, const char *variable) {
  const char *file = given != NULL ? given : getenv(variable);
  return file != NULL && *file != '\0' ? file : NULL;
}

pod_status_t lib_tls_credentials(const podium_connect_options_t *options,
                                 rpc_credentials_t **out_credentials) {
  const char *ca = file_of(options->tls_ca, "PODIUM_TLS_CA");
  const char *certificate = file_of(options->tls_certificate, "PODIUM_TLS_CERTIFICATE");
  const char *key = file_of(options->tls_key, "PODIUM_TLS_KEY");
  if (ca == NULL && (certificate != NULL || key != NULL)) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "there is a certificate for TLS and no authority to believe the "
                     "coordinator by: name its file with tls_ca (--tls-ca, "
                     "PODIUM_TLS_CA)");
  }
  *out_credentials = NULL;
  if (ca == NULL) {
    return NULL;
  }
  POD_TRY(rpc_credentials_for_client(ca, certificate, key, out_credentials));
  rpc_credentials_expect_role(*out_credentials, "coordinator");
  return NULL;
}
