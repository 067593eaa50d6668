// Files to an SSL_CTX. No sessions are resumed: a handshake of ECDSA costs a fraction of
// a millisecond, and what is not kept cannot be stolen.

#include "common/rpc/credentials.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/rpc/tls.h"

enum { CHAIN_DEPTH_MAX = 5 };

static const char suites_1_3[] =
    "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256";
static const char ciphers_1_2[] = "ECDHE+AESGCM:ECDHE+CHACHA20";

// --- Errors ---

// Of a file that OpenSSL could not take.
static pod_status_t file_error(const char *file, const char *what) {
  if (access(file, R_OK) != 0) {
    return pod_error(POD_INVALID_ARGUMENT, "cannot read the %s %s: %s", what, file,
                     strerror(errno));
  }
  const unsigned long error = ERR_peek_last_error();
  const char *reason = ERR_reason_error_string(error);
  return pod_error(POD_INVALID_ARGUMENT, "%s is no %s in PEM: %s", file, what,
                   reason != NULL ? reason : "unknown format");
}

// Instead of asking at the terminal.
static int no_password(char *buffer, int size, int writing, void *asked) {
  (void)buffer;
  (void)size;
  (void)writing;
  *(bool *)asked = true;
  return -1;
}

// --- Files ---

static void warn_if_expired(SSL_CTX *context, const char *file) {
  const X509 *certificate = SSL_CTX_get0_certificate(context);
  if (certificate != NULL && X509_cmp_current_time(X509_get0_notAfter(certificate)) < 0) {
    pod_log(POD_LOG_WARNING, "the certificate %s has expired: peers will refuse it",
            file);
  }
}

static pod_status_t use_key(SSL_CTX *context, const char *certificate_file,
                            const char *key_file) {
  bool has_password = false;
  SSL_CTX_set_default_passwd_cb(context, no_password);
  SSL_CTX_set_default_passwd_cb_userdata(context, &has_password);
  const int used = SSL_CTX_use_PrivateKey_file(context, key_file, SSL_FILETYPE_PEM);
  SSL_CTX_set_default_passwd_cb_userdata(context, NULL);
  if (used == 1 && SSL_CTX_check_private_key(context) == 1) {
    return NULL;
  }
  if (has_password) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "the key %s has a password; store it without one, readable by its "
                     "user alone",
                     key_file);
  }
  const int reason = ERR_GET_REASON(ERR_peek_last_error());
  if (used == 1 || reason == X509_R_KEY_VALUES_MISMATCH ||
      reason == X509_R_KEY_TYPE_MISMATCH) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "the key %s does not belong to the certificate %s", key_file,
                     certificate_file);
  }
  return file_error(key_file, "private key");
}

static pod_status_t use_certificate(SSL_CTX *context, const char *certificate_file,
                                    const char *key_file) {
  if (SSL_CTX_use_certificate_chain_file(context, certificate_file) != 1) {
    return file_error(certificate_file, "certificate");
  }
  POD_TRY(use_key(context, certificate_file, key_file));
  warn_if_expired(context, certificate_file);
  return NULL;
}

static pod_status_t use_authorities(rpc_credentials_t *credentials, const char *ca_file) {
  if (SSL_CTX_load_verify_file(credentials->context, ca_file) != 1) {
    return file_error(ca_file, "certificate of an authority");
  }
  if (credentials->is_server) {
    // Told to clients, so that they know which certificate is asked for.
    STACK_OF(X509_NAME) *names = SSL_load_client_CA_file(ca_file);
    SSL_CTX_set_client_CA_list(credentials->context, names);
  }
  credentials->ca_file = pod_strdup(ca_file);
  return NULL;
}

// --- The context ---

// Of what a client offers in ALPN, HTTP/2 and nothing else.
static int choose_protocol(SSL *ssl, const unsigned char **out, unsigned char *out_length,
                           const unsigned char *offered, unsigned int offered_length,
                           void *argument) {
  (void)ssl;
  (void)argument;
  static const unsigned char wanted[] = {2, 'h', '2'};
  unsigned char *chosen = NULL;
  if (SSL_select_next_proto(&chosen, out_length, wanted, sizeof(wanted), offered,
                            offered_length) != OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

static bool set_rules(SSL_CTX *context, bool is_server) {
  static const unsigned char protocols[] = {2, 'h', '2'};
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                   SSL_OP_NO_TICKET | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_mode(context,
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                       SSL_MODE_NO_AUTO_CHAIN);  // The certificate's file has its chain.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_verify_depth(context, CHAIN_DEPTH_MAX);
  if (is_server) {
    SSL_CTX_set_alpn_select_cb(context, choose_protocol, NULL);
  } else if (SSL_CTX_set_alpn_protos(context, protocols, sizeof(protocols)) != 0) {
    return false;
  }
  return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
         SSL_CTX_set_num_tickets(context, 0) == 1 &&
         SSL_CTX_set_ciphersuites(context, suites_1_3) == 1 &&
         SSL_CTX_set_cipher_list(context, ciphers_1_2) == 1;
}

static pod_status_t create(bool is_server, rpc_credentials_t **out_credentials) {
  rpc_credentials_t *credentials = pod_alloc(sizeof(*credentials));
  credentials->is_server = is_server;
  credentials->context =
      SSL_CTX_new(is_server ? TLS_server_method() : TLS_client_method());
  credentials->transport = rpc_tls_transport_create();
  if (credentials->context == NULL || credentials->transport == NULL ||
      !set_rules(credentials->context, is_server)) {
    rpc_credentials_destroy(credentials);
    return pod_error(POD_INTERNAL, "OpenSSL cannot be set up for TLS 1.2 and 1.3");
  }
  *out_credentials = credentials;
  return NULL;
}

// Takes both.
static pod_status_t finish(rpc_credentials_t *credentials, pod_status_t status,
                           rpc_credentials_t **out_credentials) {
  ERR_clear_error();
  if (status != NULL) {
    rpc_credentials_destroy(credentials);
    return status;
  }
  *out_credentials = credentials;
  return NULL;
}

pod_status_t rpc_credentials_for_server(const char *certificate_file,
                                        const char *key_file, const char *client_ca_file,
                                        rpc_credentials_t **out_credentials) {
  rpc_credentials_t *credentials = NULL;
  POD_TRY(create(true, &credentials));
  pod_status_t status = use_certificate(credentials->context, certificate_file, key_file);
  if (status == NULL && client_ca_file != NULL) {
    status = use_authorities(credentials, client_ca_file);
  }
  SSL_CTX_set_verify(credentials->context,
                     client_ca_file != NULL ? SSL_VERIFY_PEER : SSL_VERIFY_NONE,
                     rpc_tls_on_verified);
  return finish(credentials, status, out_credentials);
}

pod_status_t rpc_credentials_for_client(const char *ca_file, const char *certificate_file,
                                        const char *key_file,
                                        rpc_credentials_t **out_credentials) {
  if ((certificate_file == NULL) != (key_file == NULL)) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "a certificate and its key are given together; one is missing");
  }
  rpc_credentials_t *credentials = NULL;
  POD_TRY(create(false, &credentials));
  pod_status_t status = use_authorities(credentials, ca_file);
  if (status == NULL && certificate_file != NULL) {
    status = use_certificate(credentials->context, certificate_file, key_file);
  }
  SSL_CTX_set_verify(credentials->context, SSL_VERIFY_PEER, rpc_tls_on_verified);
  return finish(credentials, status, out_credentials);
}

void rpc_credentials_expect_role(rpc_credentials_t *credentials, const char *role) {
  credentials->expected_role = role;
}

void rpc_credentials_destroy(rpc_credentials_t *credentials) {
  if (credentials == NULL) {
    return;
  }
  SSL_CTX_free(credentials->context);
  BIO_meth_free(credentials->transport);
  free(credentials->ca_file);
  free(credentials);
}
