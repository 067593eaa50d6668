#include "server/daemon/tls_flags.h"

#include <stddef.h>

#include "common/base/log.h"

enum {
  // Beyond the keys that daemons have of their own.
  KEY_CA = 0x1000,
  KEY_CERTIFICATE,
  KEY_KEY,
  KEY_CLIENT_CA,
};

static const struct argp_option options[] = {
    {"tls-certificate", KEY_CERTIFICATE, "FILE", 0,
     "The port speaks TLS with this certificate, in PEM, intermediate ones behind it; "
     "also shown to daemons that are called",
     0},
    {"tls-key", KEY_KEY, "FILE", 0, "The certificate's private key, in PEM", 0},
    {"tls-ca", KEY_CA, "FILE", 0,
     "Call other daemons by TLS, and believe those whose certificate this authority has "
     "signed",
     0},
    {"tls-client-ca", KEY_CLIENT_CA, "FILE", 0,
     "Ask callers for a certificate that this authority has signed (that of --tls-ca); "
     "one without may still have a token",
     0},
    {0},
};

static error_t parse(int key, char *value, struct argp_state *state) {
  tls_flags_t *flags = state->input;
  switch (key) {
    case KEY_CA:
      flags->ca = value;
      return 0;
    case KEY_CERTIFICATE:
      flags->certificate = value;
      return 0;
    case KEY_KEY:
      flags->key = value;
      return 0;
    case KEY_CLIENT_CA:
      flags->client_ca = value;
      return 0;
    case ARGP_KEY_END:
      if ((flags->certificate == NULL) != (flags->key == NULL)) {
        argp_error(state, "--tls-certificate and --tls-key are given together");
      }
      if (flags->client_ca != NULL && flags->certificate == NULL) {
        argp_error(state,
                   "--tls-client-ca needs --tls-certificate: without it the port "
                   "speaks no TLS");
      }
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

const struct argp tls_flags_argp = {.options = options, .parser = parse};

pod_status_t tls_flags_load(const tls_flags_t *flags, const char *called,
                            tls_credentials_t *out_credentials) {
  tls_credentials_t credentials = {0};
  if (flags->certificate != NULL) {
    POD_TRY(rpc_credentials_for_server(
        flags->certificate, flags->key,
        flags->client_ca != NULL ? flags->client_ca : flags->ca, &credentials.port));
  }
  if (flags->ca != NULL) {
    const pod_status_t status = rpc_credentials_for_client(
        flags->ca, flags->certificate, flags->key, &credentials.calls);
    if (status != NULL) {
      tls_credentials_deinit(&credentials);
      return status;
    }
    rpc_credentials_expect_role(credentials.calls, called);
  }
  *out_credentials = credentials;
  return NULL;
}

pod_status_t tls_credentials_renew(const tls_credentials_t *credentials) {
  if (credentials->port != NULL) {
    POD_TRY(rpc_credentials_renew(credentials->port));
  }
  return credentials->calls != NULL ? rpc_credentials_renew(credentials->calls) : NULL;
}

void renewal_tell(const char *what, pod_status_t status) {
  if (status == NULL) {
    pod_log(POD_LOG_INFO, "%s: read again", what);
    return;
  }
  pod_log(POD_LOG_WARNING, "%s: kept as before, for what is there now cannot be used: %s",
          what, pod_status_message(status));
  pod_status_free(status);
}

void tls_credentials_deinit(tls_credentials_t *credentials) {
  rpc_credentials_destroy(credentials->port);
  rpc_credentials_destroy(credentials->calls);
  *credentials = (tls_credentials_t){0};
}
