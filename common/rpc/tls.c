// OpenSSL between two memories: a transport (a BIO) that reads what was fed and writes to
// a block of its own, which goes out by as few system calls as records can be gathered
// for. OpenSSL so never sees the socket, and never waits.

#include "common/rpc/tls.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "common/base/memory.h"
#include "common/rpc/address.h"
#include "common/rpc/peer.h"

enum {
  BATCH_BYTES = 128 << 10,      // Encrypted at a time: it stays in the caches.
  WAITING_BYTES_MAX = 1 << 20,  // More than a batch and all answers to a handshake.
  KEPT_BYTES_MAX = 16 << 10,    // Of memory while nothing waits.
  SMALL_BYTES = 4 << 10,
  TEXT_BYTES_MAX = 256,  // Of a name or role in a certificate.
};

struct rpc_tls_t {
  SSL *ssl;
  const rpc_credentials_t *credentials;
  rpc_pool_t *pool;
  char *host;            // Whom a client wants to reach; NULL on a server.
  const uint8_t *input;  // What was fed, and how much of it is left.
  size_t input_left;
  rpc_block_t *waiting;  // Encrypted and not sent yet; NULL: nothing is.
  size_t sent;           // Of that, what has been sent.
  bool heard, ready, failed;
  pod_text_t failure;
};

// --- The transport ---

static int transport_read(BIO *bio, char *out, size_t size_bytes, size_t *out_read) {
  rpc_tls_t *tls = BIO_get_data(bio);
  BIO_clear_retry_flags(bio);
  if (tls->input_left == 0) {
    BIO_set_retry_read(bio);
    return 0;
  }
  *out_read = size_bytes < tls->input_left ? size_bytes : tls->input_left;
  memcpy(out, tls->input, *out_read);
  tls->input += *out_read;
  tls->input_left -= *out_read;
  return 1;
}

// Room for so many bytes more. False when memory runs out or nobody reads.
static bool reserve(rpc_tls_t *tls, size_t more) {
  if (tls->waiting == NULL) {
    tls->waiting = rpc_block_create(tls->pool, more > SMALL_BYTES ? more : SMALL_BYTES);
    return tls->waiting != NULL;
  }
  const size_t needed = tls->waiting->size_bytes + more;
  if (needed <= tls->waiting->capacity) {
    return true;
  }
  const size_t doubled = 2 * tls->waiting->capacity;
  rpc_block_t *grown =
      needed > WAITING_BYTES_MAX
          ? NULL
          : rpc_block_grow(tls->waiting, needed > doubled ? needed : doubled);
  if (grown != NULL) {
    tls->waiting = grown;
  }
  return grown != NULL;
}

static bool append(rpc_tls_t *tls, const void *data, size_t size_bytes) {
  if (!reserve(tls, size_bytes)) {
    return false;
  }
  memcpy(tls->waiting->data + tls->waiting->size_bytes, data, size_bytes);
  tls->waiting->size_bytes += size_bytes;
  return true;
}

static int transport_write(BIO *bio, const char *data, size_t size_bytes,
                           size_t *out_written) {
  BIO_clear_retry_flags(bio);
  if (!append(BIO_get_data(bio), data, size_bytes)) {
    return 0;
  }
  *out_written = size_bytes;
  return 1;
}

static long transport_control(BIO *bio, int command, long number, void *pointer) {
  (void)bio;
  (void)number;
  (void)pointer;
  return command == BIO_CTRL_FLUSH;
}

BIO_METHOD *rpc_tls_transport_create(void) {
  BIO_METHOD *method =
      BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "podium connection");
  if (method != NULL) {
    BIO_meth_set_read_ex(method, transport_read);
    BIO_meth_set_write_ex(method, transport_write);
    BIO_meth_set_ctrl(method, transport_control);
  }
  return method;
}

// --- Who is there ---

int rpc_tls_on_verified(int is_believed, X509_STORE_CTX *store) {
  SSL *ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
  rpc_tls_t *tls = ssl != NULL ? SSL_get_app_data(ssl) : NULL;
  if (is_believed == 0 && tls != NULL && tls->failure.length == 0) {
    rpc_tls_describe_certificate(&tls->failure, store, tls->host,
                                 tls->credentials->ca_file);
  }
  return is_believed;
}

// A text that may be shown and compared; NULL for any other. Returned owned.
static char *take_text(const ASN1_STRING *string, const char *prefix) {
  unsigned char *bytes = NULL;
  const int length = ASN1_STRING_to_UTF8(&bytes, string);
  const size_t skipped = strlen(prefix);
  char *text = NULL;
  bool is_plain = length > 0 && (size_t)length > skipped && length <= TEXT_BYTES_MAX &&
                  memcmp(bytes, prefix, skipped) == 0;
  for (int i = 0; is_plain && i < length; i++) {
    is_plain = bytes[i] >= ' ' && bytes[i] != 0x7f;
  }
  if (is_plain) {
    text = pod_alloc((size_t)length - skipped + 1);
    memcpy(text, bytes + skipped, (size_t)length - skipped);
  }
  OPENSSL_free(bytes);
  return text;
}

static char *name_of(const X509 *certificate) {
  const X509_NAME *subject = X509_get_subject_name(certificate);
  const int place = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  return place < 0
             ? NULL
             : take_text(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, place)),
                         "");
}

static char *role_of(const X509 *certificate) {
  GENERAL_NAMES *names = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
  char *role = NULL;
  for (int i = 0; role == NULL && i < sk_GENERAL_NAME_num(names); i++) {
    const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, i);
    if (name->type == GEN_URI) {
      role = take_text(name->d.uniformResourceIdentifier, "podium:");
    }
  }
  GENERAL_NAMES_free(names);
  return role;
}

rpc_block_t *rpc_tls_peer(const rpc_tls_t *tls, const rpc_block_t *peer) {
  const X509 *certificate = SSL_get_verify_result(tls->ssl) == X509_V_OK
                                ? SSL_get0_peer_certificate(tls->ssl)
                                : NULL;
  char *name = certificate != NULL ? name_of(certificate) : NULL;
  char *role = certificate != NULL ? role_of(certificate) : NULL;
  rpc_block_t *block = rpc_peer_with_certificate(tls->pool, peer, name, role);
  free(name);
  free(role);
  return block;
}

// --- Life ---

// Whom the server's certificate must be for.
static bool expect_host(rpc_tls_t *tls, const char *address) {
  rpc_host_port_t parts;
  const pod_status_t status = rpc_address_split(address, &parts);
  if (status != NULL) {
    pod_status_free(status);
    return false;
  }
  tls->host = pod_strdup(parts.host);
  X509_VERIFY_PARAM *rules = SSL_get0_param(tls->ssl);
  X509_VERIFY_PARAM_set_hostflags(
      rules, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  if (X509_VERIFY_PARAM_set1_ip_asc(rules, tls->host) == 1) {
    return true;
  }
  return X509_VERIFY_PARAM_set1_host(rules, tls->host, 0) == 1 &&
         SSL_set_tlsext_host_name(tls->ssl, tls->host) == 1;
}

rpc_tls_t *rpc_tls_create(const rpc_credentials_t *credentials, rpc_loop_t *loop,
                          const char *address) {
  rpc_tls_t *tls = pod_alloc(sizeof(*tls));
  tls->credentials = credentials;
  tls->pool = loop->pool;
  tls->ssl = rpc_credentials_open(credentials);
  BIO *transport = tls->ssl != NULL ? BIO_new(credentials->transport) : NULL;
  if (transport == NULL) {
    rpc_tls_destroy(tls);
    return NULL;
  }
  BIO_set_data(transport, tls);
  BIO_set_init(transport, 1);
  SSL_set_bio(tls->ssl, transport, transport);
  SSL_set_app_data(tls->ssl, tls);
  if (credentials->is_server) {
    SSL_set_accept_state(tls->ssl);
    return tls;
  }
  SSL_set_connect_state(tls->ssl);
  if (!expect_host(tls, address)) {
    rpc_tls_destroy(tls);
    return NULL;
  }
  return tls;
}

void rpc_tls_destroy(rpc_tls_t *tls) {
  if (tls == NULL) {
    return;
  }
  SSL_free(tls->ssl);
  rpc_block_release(tls->waiting);
  pod_text_deinit(&tls->failure);
  free(tls->host);
  free(tls);
}

bool rpc_tls_is_ready(const rpc_tls_t *tls) {
  return tls->ready;
}

const char *rpc_tls_failure(const rpc_tls_t *tls) {
  return tls->failure.length > 0 ? tls->failure.bytes : "";
}

// --- Reading ---

static rpc_tls_read_t fail(rpc_tls_t *tls) {
  tls->failed = true;
  if (tls->failure.length == 0) {
    rpc_tls_describe_error(&tls->failure);
  }
  ERR_clear_error();
  return RPC_TLS_FAILED;
}

// False, and *failure says why, when the server is another than is called.
static bool has_expected_role(rpc_tls_t *tls) {
  const char *expected = tls->credentials->expected_role;
  const X509 *certificate = SSL_get0_peer_certificate(tls->ssl);
  if (expected == NULL || certificate == NULL) {
    return true;
  }
  char *role = role_of(certificate);
  const bool is_expected = role == NULL || strcmp(role, expected) == 0;
  if (!is_expected) {
    pod_text_printf(&tls->failure, "its certificate is for the role %s, not for %s", role,
                    expected);
  }
  free(role);
  return is_expected;
}

static rpc_tls_read_t shake(rpc_tls_t *tls) {
  const int result = SSL_do_handshake(tls->ssl);
  if (result != 1) {
    return SSL_get_error(tls->ssl, result) == SSL_ERROR_WANT_READ ? RPC_TLS_USED_UP
                                                                  : fail(tls);
  }
  const unsigned char *protocol = NULL;
  unsigned int length = 0;
  SSL_get0_alpn_selected(tls->ssl, &protocol, &length);
  const char *wanted = tls->credentials->protocol;
  const bool is_wanted =
      length == strlen(wanted) && memcmp(protocol, wanted, length) == 0;
  // HTTP/1.1 is what is spoken where nobody says anything.
  if (!is_wanted && (length > 0 || strcmp(wanted, "h2") == 0)) {
    pod_text_add(&tls->failure, "it did not offer HTTP/2 (h2) by ALPN");
    return fail(tls);
  }
  if (!has_expected_role(tls)) {
    return fail(tls);
  }
  tls->ready = true;
  return RPC_TLS_SHAKEN;
}

// To who speaks HTTP/2 without TLS, in its own language: a GOAWAY with
// INADEQUATE_SECURITY. Without SETTINGS before it, for with them gRPC's own clients take
// the connection for a good one that was lost, and try again without end.
static void refuse_plain(rpc_tls_t *tls) {
  static const char goaway[] =
      "\0\0\x1c\7\0"
      "\0\0\0\0"
      "\0\0\0\0"
      "\0\0\0\xc"
      "this port speaks TLS";
  append(tls, goaway, sizeof(goaway) - 1);
}

// The same where pages are.
static const char plain_answer[] =
    "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n"
    "this port speaks TLS: open https://\n";

void rpc_tls_feed(rpc_tls_t *tls, const uint8_t *data, size_t size_bytes) {
  tls->input = data;
  tls->input_left = size_bytes;
  ERR_clear_error();  // What others left in the thread's queue is no failure of these.
  if (tls->heard) {
    return;
  }
  tls->heard = true;
  const char *stranger = rpc_tls_describe_stranger(data, size_bytes);
  if (stranger == NULL) {
    return;
  }
  pod_text_add(&tls->failure, stranger);
  tls->failed = true;
  if (tls->credentials->is_server && strcmp(tls->credentials->protocol, "h2") == 0) {
    refuse_plain(tls);
  } else if (tls->credentials->is_server) {
    append(tls, plain_answer, sizeof(plain_answer) - 1);
  }
}

rpc_tls_read_t rpc_tls_read(rpc_tls_t *tls, uint8_t *out_data, size_t capacity,
                            size_t *out_size_bytes) {
  if (tls->failed) {
    return RPC_TLS_FAILED;
  }
  if (!tls->ready) {
    return shake(tls);
  }
  const int result = SSL_read_ex(tls->ssl, out_data, capacity, out_size_bytes);
  if (result == 1) {
    return RPC_TLS_BYTES;
  }
  switch (SSL_get_error(tls->ssl, result)) {
    case SSL_ERROR_WANT_READ:
      return RPC_TLS_USED_UP;
    case SSL_ERROR_ZERO_RETURN:
      return RPC_TLS_CLOSED;
    default:
      return fail(tls);
  }
}

// --- Writing ---

static rpc_written_t send_waiting(rpc_tls_t *tls, int fd) {
  rpc_block_t *block = tls->waiting;
  while (block != NULL && tls->sent < block->size_bytes) {
    const ssize_t sent = send(fd, block->data + tls->sent, block->size_bytes - tls->sent,
                              MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      tls->sent += (size_t)sent;
    } else if (errno != EINTR) {
      return errno == EAGAIN || errno == EWOULDBLOCK ? RPC_WRITE_BLOCKED
                                                     : RPC_WRITE_FAILED;
    }
  }
  tls->sent = 0;
  if (block != NULL && block->capacity > KEPT_BYTES_MAX) {
    rpc_block_release(block);
    tls->waiting = NULL;
  } else if (block != NULL) {
    block->size_bytes = 0;
  }
  return RPC_WRITTEN;
}

// A batch of the output into what waits. False when TLS is broken.
static bool encrypt(rpc_tls_t *tls, rpc_output_t *output) {
  const size_t batch = output->bytes < BATCH_BYTES ? output->bytes : BATCH_BYTES;
  const size_t overhead = batch / 64 + SMALL_BYTES / 4;
  if (!reserve(tls, batch + overhead)) {
    return false;
  }
  ERR_clear_error();
  while (output->bytes > 0 && tls->waiting->size_bytes < BATCH_BYTES) {
    const uint8_t *data = NULL;
    size_t size_bytes = rpc_output_next(output, &data);
    if (size_bytes > RPC_TLS_RECORD_BYTES) {
      size_bytes = RPC_TLS_RECORD_BYTES;
    }
    size_t taken = 0;
    if (SSL_write_ex(tls->ssl, data, size_bytes, &taken) != 1) {
      fail(tls);
      return false;
    }
    rpc_output_drop(output, taken);
  }
  return true;
}

rpc_written_t rpc_tls_write(rpc_tls_t *tls, rpc_output_t *output, int fd) {
  if (!tls->failed && SSL_in_before(tls->ssl) && !tls->credentials->is_server) {
    ERR_clear_error();
    shake(tls);  // A client speaks first.
  }
  for (;;) {
    const rpc_written_t written = send_waiting(tls, fd);
    if (written != RPC_WRITTEN || !tls->ready || output->bytes == 0) {
      return written;
    }
    if (tls->failed || !encrypt(tls, output)) {
      errno = EPROTO;
      return RPC_WRITE_FAILED;
    }
  }
}

void rpc_tls_end(rpc_tls_t *tls, int fd) {
  if (tls->ready && !tls->failed) {
    SSL_shutdown(tls->ssl);  // Once: the peer's answer is not waited for.
    ERR_clear_error();
  }
  (void)send_waiting(tls, fd);
}
