// Two contexts of OpenSSL made of the same files. They are given no server name: an ICI
// link is dialled by address, and hosts have more of them than certificates name.

#include "server/ici/tls.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/memory.h"

enum {
  CHAIN_DEPTH_MAX = 5,
  CERTIFICATES_BYTES_MAX = 32 << 10,  // That a peer may show.
};

// AES first: every machine that one would build a pod of does it in hardware.
static const char suites[] =
    "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256";

static const char role_prefix[] = "podium:";
static const char role_of_links[] = "podium:worker";

struct ici_tls_t {
  char *certificate, *key, *ca;
  pthread_mutex_t lock;  // For:
  SSL_CTX *server, *client;
};

// ---- Whom we believe.

// A certificate without a role is as good as one for workers.
static bool has_role_of_links(const X509 *certificate) {
  GENERAL_NAMES *names = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
  bool has = true;
  for (int i = 0; has && i < sk_GENERAL_NAME_num(names); i++) {
    const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, i);
    if (name->type == GEN_URI) {
      const ASN1_STRING *uri = name->d.uniformResourceIdentifier;
      const char *text = (const char *)ASN1_STRING_get0_data(uri);
      const size_t length = (size_t)ASN1_STRING_length(uri), prefix = strlen(role_prefix);
      has = length < prefix || memcmp(text, role_prefix, prefix) != 0 ||
            (length == strlen(role_of_links) && memcmp(text, role_of_links, length) == 0);
    }
  }
  GENERAL_NAMES_free(names);
  return has;
}

static int on_verified(int is_believed, X509_STORE_CTX *store) {
  if (is_believed == 1 && X509_STORE_CTX_get_error_depth(store) == 0 &&
      !has_role_of_links(X509_STORE_CTX_get_current_cert(store))) {
    X509_STORE_CTX_set_error(store, X509_V_ERR_APPLICATION_VERIFICATION);
    return 0;
  }
  return is_believed;
}

// ---- Files.

static pod_status_t file_error(const char *file, const char *what) {
  const unsigned long error = ERR_peek_last_error();
  const char *reason = ERR_reason_error_string(error);
  ERR_clear_error();
  if (access(file, R_OK) != 0) {
    return pod_error(POD_INVALID_ARGUMENT, "cannot read %s: %s", file, strerror(errno));
  }
  return pod_error(POD_INVALID_ARGUMENT, "%s is no %s in PEM: %s", file, what,
                   reason != NULL ? reason : "unknown format");
}

// Instead of asking at the terminal.
static int no_password(char *buffer, int size, int writing, void *context) {
  (void)buffer;
  (void)size;
  (void)writing;
  (void)context;
  return -1;
}

static pod_status_t use_files(const ici_tls_t *tls, SSL_CTX *context) {
  SSL_CTX_set_default_passwd_cb(context, no_password);
  if (SSL_CTX_use_certificate_chain_file(context, tls->certificate) != 1) {
    return file_error(tls->certificate, "certificate");
  }
  if (SSL_CTX_use_PrivateKey_file(context, tls->key, SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(context) != 1) {
    const int reason = ERR_GET_REASON(ERR_peek_last_error());
    ERR_clear_error();
    return reason == X509_R_KEY_VALUES_MISMATCH || reason == X509_R_KEY_TYPE_MISMATCH
               ? pod_error(POD_INVALID_ARGUMENT, "the key %s is not that of %s", tls->key,
                           tls->certificate)
               : file_error(tls->key, "key without a password");
  }
  if (SSL_CTX_load_verify_file(context, tls->ca) != 1) {
    return file_error(tls->ca, "certificate of an authority");
  }
  return NULL;
}

// No sessions are resumed, so that every connection shows its certificate.
static bool set_rules(SSL_CTX *context) {
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                   SSL_OP_NO_TICKET | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE |
                                SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS | SSL_MODE_NO_AUTO_CHAIN);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_verify_depth(context, CHAIN_DEPTH_MAX);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT,
                     on_verified);
  SSL_CTX_set_max_cert_list(context, CERTIFICATES_BYTES_MAX);
  return SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) == 1 &&
         SSL_CTX_set_num_tickets(context, 0) == 1 &&
         SSL_CTX_set_ciphersuites(context, suites) == 1;
}

static pod_status_t make_context(const ici_tls_t *tls, bool is_server,
                                 SSL_CTX **out_context) {
  SSL_CTX *context = SSL_CTX_new(is_server ? TLS_server_method() : TLS_client_method());
  if (context == NULL || !set_rules(context)) {
    SSL_CTX_free(context);
    return pod_error(POD_UNAVAILABLE, "OpenSSL cannot be set up for TLS 1.3");
  }
  const pod_status_t status = use_files(tls, context);
  if (status != NULL) {
    SSL_CTX_free(context);
    return status;
  }
  *out_context = context;
  return NULL;
}

// ---- What is used.

pod_status_t ici_tls_renew(ici_tls_t *tls) {
  SSL_CTX *server = NULL, *client = NULL;
  pod_status_t status = make_context(tls, true, &server);
  if (status == NULL) {
    status = make_context(tls, false, &client);
  }
  if (status != NULL) {
    SSL_CTX_free(server);
    return pod_status_context(status, "TLS of the links");
  }
  pthread_mutex_lock(&tls->lock);
  SSL_CTX *old_server = tls->server, *old_client = tls->client;
  tls->server = server;
  tls->client = client;
  pthread_mutex_unlock(&tls->lock);
  SSL_CTX_free(old_server);
  SSL_CTX_free(old_client);
  return NULL;
}

pod_status_t ici_tls_create(const ici_tls_files_t *files, ici_tls_t **out_tls) {
  ici_tls_t *tls = pod_alloc(sizeof(*tls));
  *tls = (ici_tls_t){.certificate = pod_strdup(files->certificate),
                     .key = pod_strdup(files->key),
                     .ca = pod_strdup(files->ca)};
  pthread_mutex_init(&tls->lock, NULL);
  const pod_status_t status = ici_tls_renew(tls);
  if (status != NULL) {
    ici_tls_destroy(tls);
    return status;
  }
  *out_tls = tls;
  return NULL;
}

void ici_tls_destroy(ici_tls_t *tls) {
  if (tls == NULL) {
    return;
  }
  SSL_CTX_free(tls->server);
  SSL_CTX_free(tls->client);
  pthread_mutex_destroy(&tls->lock);
  free(tls->certificate);
  free(tls->key);
  free(tls->ca);
  free(tls);
}

SSL *ici_tls_open(ici_tls_t *tls, bool is_server) {
  pthread_mutex_lock(&tls->lock);
  SSL *ssl = SSL_new(is_server ? tls->server : tls->client);
  pthread_mutex_unlock(&tls->lock);
  if (ssl != NULL && is_server) {
    SSL_set_accept_state(ssl);
  } else if (ssl != NULL) {
    SSL_set_connect_state(ssl);
  }
  return ssl;
}
