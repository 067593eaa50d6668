// TLS on one connection: between the bytes of the socket and the frames of HTTP/2.
//
//   socket ─► rpc_tls_feed ─► rpc_tls_read ─► frames
//   socket ◄── rpc_tls_write ◄── rpc_output_t
//
// The handshake happens inside of these and waits for nothing: what it has to say goes
// out with the next rpc_tls_write. Nothing of HTTP/2 goes either way before it is over.
//
// Threading: the loop's.
// Errors: what breaks a connection is said in words by rpc_tls_failure.

#ifndef COMMON_RPC_TLS_H_
#define COMMON_RPC_TLS_H_

#include <openssl/ssl.h>
#include <pthread.h>

#include "common/base/text.h"
#include "common/rpc/credentials.h"
#include "common/rpc/loop_internal.h"
#include "common/rpc/output.h"

enum { RPC_TLS_RECORD_BYTES = 16 << 10 };  // The most one record holds (RFC 8446, 5.1).

typedef struct rpc_tls_t rpc_tls_t;

// What a connection needs, for the files below.
struct rpc_credentials_t {
  struct {
    pthread_mutex_t lock;
    SSL_CTX *context;  // Of connections that begin now; see rpc_credentials_renew.
  } * current;
  BIO_METHOD *transport;  // Of the connections; see tls.c.
  bool is_server;
  const char *protocol;                         // Of ALPN: "h2", or "http/1.1" for pages.
  char *ca_file, *certificate_file, *key_file;  // NULL: none.
  const char *expected_role;                    // Of servers that tell one; NULL: any.
};

// For the credentials: what the connections' bytes go through, and what hears of every
// certificate.
BIO_METHOD *rpc_tls_transport_create(void);
int rpc_tls_on_verified(int is_believed, X509_STORE_CTX *store);

// A connection's end, without its bytes; NULL when memory runs out.
SSL *rpc_credentials_open(const rpc_credentials_t *credentials);

// `address` is the server's, as given to the channel: the name in it is what the server's
// certificate must be for. NULL: this is the server. Returned owned; NULL when memory
// runs out.
rpc_tls_t *rpc_tls_create(const rpc_credentials_t *credentials, rpc_loop_t *loop,
                          const char *address);

// Accepts NULL.
void rpc_tls_destroy(rpc_tls_t *tls);

// The handshake is over and the peer is who it must be.
bool rpc_tls_is_ready(const rpc_tls_t *tls);

// Bytes from the socket; lent until rpc_tls_read has said RPC_TLS_USED_UP.
void rpc_tls_feed(rpc_tls_t *tls, const uint8_t *data, size_t size_bytes);

typedef enum rpc_tls_read_t {
  RPC_TLS_BYTES = 0,  // Some were read.
  RPC_TLS_SHAKEN,     // The handshake has just ended; there may be bytes behind it.
  RPC_TLS_USED_UP,    // Nothing more is in what was fed.
  RPC_TLS_CLOSED,     // The peer has said that it closes.
  RPC_TLS_FAILED,     // See rpc_tls_failure.
} rpc_tls_read_t;

rpc_tls_read_t rpc_tls_read(rpc_tls_t *tls, uint8_t *out_data, size_t capacity,
                            size_t *out_size_bytes);

// As rpc_output_write. What waits in `output` before the handshake is over stays there.
rpc_written_t rpc_tls_write(rpc_tls_t *tls, rpc_output_t *output, int fd);

// Says that we close, as far as that needs no waiting.
void rpc_tls_end(rpc_tls_t *tls, int fd);

// Why it failed; "" when it did not. Borrowed.
const char *rpc_tls_failure(const rpc_tls_t *tls);

// An rpc_peer_t with what `peer` says and what the certificate proves; returned owned.
rpc_block_t *rpc_tls_peer(const rpc_tls_t *tls, const rpc_block_t *peer);

// --- tls_words.c: what went wrong ---

// Of the certificate that OpenSSL does not believe. `host` is whom we wanted to reach;
// NULL on a server.
void rpc_tls_describe_certificate(pod_text_t *out_text, X509_STORE_CTX *store,
                                  const char *host, const char *ca_file);

// Of the last entry of OpenSSL's error queue, which is cleared.
void rpc_tls_describe_error(pod_text_t *out_text);

// What `data`, the first bytes of a peer, are when they are no TLS; NULL when they may
// be.
const char *rpc_tls_describe_stranger(const uint8_t *data, size_t size_bytes);

// Whether the first bytes of a peer are a TLS record, or what a port of TLS answers to
// who speaks HTTP/2 without it.
bool rpc_tls_is_spoken(const uint8_t *data, size_t size_bytes);

#endif  // COMMON_RPC_TLS_H_
