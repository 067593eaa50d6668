// A web server on the loop: HTTP/1.1 and 1.0, plain or by TLS, with connections that are
// kept, and streams of events. What a request and an answer are is common/http's.
//
// Nothing that comes can cost others much. A server has a bound on its connections: when
// all are taken, the one goes that has been quiet for longest and has had its time
// (RPC_HTTP_FRESH_MS), but none that is being answered or has a stream. A request has to
// be whole RPC_HTTP_TIMEOUT_MS after its first byte; an answer is read at 64 KiB in that
// time at least; a connection without a request ends after RPC_HTTP_IDLE_MS. Of requests
// that come at once, the next is looked at when the one before has been answered.
//
// Threading: the loop thread.
// Ownership: routes, context and credentials are borrowed for the server's life. An
// exchange belongs to the server; it is the handler's until it is answered, or gone.
// Callbacks: handlers run from the loop, never inside another function of this module.
// Errors: listen says what the address has against it. What is no request is answered
// here, with 400, 404, 405, 413, 421, 431, 501 or 505.

#ifndef COMMON_RPC_HTTP_H_
#define COMMON_RPC_HTTP_H_

#include <stdbool.h>
#include <stddef.h>

#include "common/base/status.h"
#include "common/base/text.h"
#include "common/http/answer.h"
#include "common/http/request.h"
#include "common/rpc/credentials.h"
#include "common/rpc/loop.h"
#include "common/rpc/rpc.h"

enum {
  RPC_HTTP_CONNECTIONS_DEFAULT = 16,
  RPC_HTTP_TIMEOUT_MS = 10000,
  RPC_HTTP_IDLE_MS = 15000,
  RPC_HTTP_FRESH_MS = 1000,
  RPC_HTTP_HELD_MS = 60000,             // How long a handler may think.
  RPC_HTTP_STREAM_STALLED_MS = 20000,   // A reader of a stream that takes nothing goes.
  RPC_HTTP_STREAM_BYTES_MAX = 4 << 20,  // That wait for the reader of a stream.
};

typedef struct rpc_http_t rpc_http_t;
typedef struct rpc_http_exchange_t rpc_http_exchange_t;

// Tables of these end with {0}; the first that fits has the request.
typedef struct rpc_http_route_t {
  http_method_t method;  // HTTP_GET has HEAD, too.
  const char *path;      // "/metrics"; with a "*" at its end, what begins so.
  // Answers, holds or begins a stream. `request` is borrowed for the call.
  void (*handle)(rpc_http_exchange_t *exchange, const http_request_t *request,
                 void *context);
} rpc_http_route_t;

typedef struct rpc_http_options_t {
  const char *address;  // As for rpc_server_listen; borrowed for the call.
  const rpc_http_route_t *routes;
  void *context;                         // Of the handlers.
  size_t connections_max;                // 0: RPC_HTTP_CONNECTIONS_DEFAULT
  const rpc_credentials_t *credentials;  // Of rpc_credentials_for_pages; NULL: plain.
  // Whether requests to this Host are for us; NULL: all are.
  bool (*is_host)(const char *host, void *context);
} rpc_http_options_t;

// *out_bound_address is owned (free()).
POD_MUST_USE pod_status_t rpc_http_listen(rpc_loop_t *loop,
                                          const rpc_http_options_t *options,
                                          rpc_http_t **out_http,
                                          char **out_bound_address);

// Closes what is open; exchanges that are held or have streams hear of it (on_gone)
// inside. Accepts NULL. Not from a handler.
void rpc_http_destroy(rpc_http_t *http);

// --- One request ---

// Who asks. The texts are borrowed until the exchange has ended.
rpc_peer_t rpc_http_peer(const rpc_http_exchange_t *exchange);

// Once. The exchange is not to be used afterwards.
void rpc_http_answer(rpc_http_exchange_t *exchange, const http_answer_t *answer);

// A sentence and its line end as plain text, with this status.
void rpc_http_say(rpc_http_exchange_t *exchange, int status, const char *sentence);

// The answer comes later. `on_gone` says that nobody waits for it any more: the exchange
// is not to be used then. It does not come once there is an answer.
void rpc_http_hold(rpc_http_exchange_t *exchange, rpc_fn_t on_gone, void *context);

// The head of a stream goes out; `on_gone` comes when its reader has gone, but not after
// rpc_http_stream_end.
void rpc_http_stream_begin(rpc_http_exchange_t *exchange, const char *content_type,
                           rpc_fn_t on_gone, void *context);

// Copied. False, and nothing is sent, when more than RPC_HTTP_STREAM_BYTES_MAX would wait
// for the reader.
bool rpc_http_stream_send(rpc_http_exchange_t *exchange, const void *data,
                          size_t size_bytes);

// What its reader has not taken yet, as far as we have it.
size_t rpc_http_stream_waiting(const rpc_http_exchange_t *exchange);

void rpc_http_stream_end(rpc_http_exchange_t *exchange);

#endif  // COMMON_RPC_HTTP_H_
