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

static pod_status_t use_authorities(const rpc_credentials_t *credentials,
                                    SSL_CTX *context) {
  const char *ca_file = credentials->ca_file;
  if (SSL_CTX_load_verify_file(context, ca_file) != 1) {
    return file_error(ca_file, "certificate of an authority");
  }
  if (credentials->is_server) {
    // Told to clients, so that they know which certificate is asked for.
    STACK_OF(X509_NAME) *names = SSL_load_client_CA_file(ca_file);
    SSL_CTX_set_client_CA_list(context, names);
  }
  return NULL;
}

// --- The context ---

// As ALPN has them, with their length before them; OpenSSL is given pointers into these.
static const unsigned char protocol_of_calls[] = "\2h2";
static const unsigned char protocol_of_pages[] = "\x08http/1.1";

// Of what a client offers in ALPN, our protocol and nothing else.
static int choose_protocol(SSL *ssl, const unsigned char **out, unsigned char *out_length,
                           const unsigned char *offered, unsigned int offered_length,
                           void *argument) {
  (void)ssl;
  const rpc_credentials_t *credentials = argument;
  const bool is_page = strcmp(credentials->protocol, "h2") != 0;
  unsigned char *chosen = NULL;
  if (SSL_select_next_proto(
          &chosen, out_length, is_page ? protocol_of_pages : protocol_of_calls,
          is_page ? sizeof(protocol_of_pages) - 1 : sizeof(protocol_of_calls) - 1,
          offered, offered_length) != OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

static bool set_rules(rpc_credentials_t *credentials, SSL_CTX *context) {
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                   SSL_OP_NO_TICKET | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_mode(context,
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                       SSL_MODE_NO_AUTO_CHAIN);  // The certificate's file has its chain.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_verify_depth(context, CHAIN_DEPTH_MAX);
  // Clients are asked for a certificate where there is somebody to have signed it.
  SSL_CTX_set_verify(context,
                     credentials->ca_file != NULL ? SSL_VERIFY_PEER : SSL_VERIFY_NONE,
                     rpc_tls_on_verified);
  if (credentials->is_server) {
    SSL_CTX_set_alpn_select_cb(context, choose_protocol, credentials);
  } else if (SSL_CTX_set_alpn_protos(context, protocol_of_calls,
                                     sizeof(protocol_of_calls) - 1) != 0) {
    return false;
  }
  return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
         SSL_CTX_set_num_tickets(context, 0) == 1 &&
         SSL_CTX_set_ciphersuites(context, suites_1_3) == 1 &&
         SSL_CTX_set_cipher_list(context, ciphers_1_2) == 1;
}

// What the files say now.
static pod_status_t make_context(rpc_credentials_t *credentials, SSL_CTX **out_context) {
  SSL_CTX *context =
      SSL_CTX_new(credentials->is_server ? TLS_server_method() : TLS_client_method());
  if (context == NULL || !set_rules(credentials, context)) {
    SSL_CTX_free(context);
    return pod_error(POD_INTERNAL, "OpenSSL cannot be set up for TLS 1.2 and 1.3");
  }
  pod_status_t status = NULL;
  if (credentials->ca_file != NULL) {
    status = use_authorities(credentials, context);
  }
  if (status == NULL && credentials->certificate_file != NULL) {
    status =
        use_certificate(context, credentials->certificate_file, credentials->key_file);
  }
  ERR_clear_error();
  if (status != NULL) {
    SSL_CTX_free(context);
    return status;
  }
  *out_context = context;
  return NULL;
}

pod_status_t rpc_credentials_renew(rpc_credentials_t *credentials) {
  SSL_CTX *context = NULL;
  POD_TRY(make_context(credentials, &context));
  pthread_mutex_lock(&credentials->current->lock);
  SSL_CTX *old = credentials->current->context;
  credentials->current->context = context;
  pthread_mutex_unlock(&credentials->current->lock);
  SSL_CTX_free(old);  // Its connections keep what they have of it.
  return NULL;
}

SSL *rpc_credentials_open(const rpc_credentials_t *credentials) {
  pthread_mutex_lock(&credentials->current->lock);
  SSL *ssl = SSL_new(credentials->current->context);
  pthread_mutex_unlock(&credentials->current->lock);
  return ssl;
}

static char *copy(const char *text) {
  return text != NULL ? pod_strdup(text) : NULL;
}

static pod_status_t create(bool is_server, const char *ca_file,
                           const char *certificate_file, const char *key_file,
                           rpc_credentials_t **out_credentials) {
  rpc_credentials_t *credentials = pod_alloc(sizeof(*credentials));
  *credentials = (rpc_credentials_t){.current = pod_alloc(sizeof(*credentials->current)),
                                     .transport = rpc_tls_transport_create(),
                                     .is_server = is_server,
                                     .protocol = "h2",
                                     .ca_file = copy(ca_file),
                                     .certificate_file = copy(certificate_file),
                                     .key_file = copy(key_file)};
  pthread_mutex_init(&credentials->current->lock, NULL);
  const pod_status_t status =
      credentials->transport == NULL
          ? pod_error(POD_INTERNAL, "OpenSSL cannot be set up for TLS 1.2 and 1.3")
          : rpc_credentials_renew(credentials);
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
  return create(true, client_ca_file, certificate_file, key_file, out_credentials);
}

pod_status_t rpc_credentials_for_pages(const char *certificate_file, const char *key_file,
                                       const char *client_ca_file,
                                       rpc_credentials_t **out_credentials) {
  POD_TRY(rpc_credentials_for_server(certificate_file, key_file, client_ca_file,
                                     out_credentials));
  (*out_credentials)->protocol = "http/1.1";
  return NULL;
}

pod_status_t rpc_credentials_for_client(const char *ca_file, const char *certificate_file,
                                        const char *key_file,
                                        rpc_credentials_t **out_credentials) {
  if ((certificate_file == NULL) != (key_file == NULL)) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "a certificate and its key are given together; one is missing");
  }
  return create(false, ca_file, certificate_file, key_file, out_credentials);
}

void rpc_credentials_expect_role(rpc_credentials_t *credentials, const char *role) {
  credentials->expected_role = role;
}

void rpc_credentials_destroy(rpc_credentials_t *credentials) {
  if (credentials == NULL) {
    return;
  }
  SSL_CTX_free(credentials->current->context);
  pthread_mutex_destroy(&credentials->current->lock);
  free(credentials->current);
  BIO_meth_free(credentials->transport);
  free(credentials->ca_file);
  free(credentials->certificate_file);
  free(credentials->key_file);
  free(credentials);
}
