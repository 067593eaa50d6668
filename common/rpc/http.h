// A small web server for pages that machines read (metrics, and whatever a daemon says of
// itself): GET by HTTP/1.0 and 1.1, one answer per connection, no TLS.
//
// Nothing that comes can cost much: RPC_HTTP_CONNECTIONS_MAX connections at a time (when
// all are taken the oldest has to go, if it is older than RPC_HTTP_FRESH_MS), a request
// of RPC_HTTP_REQUEST_BYTES_MAX that has to be whole in RPC_HTTP_TIMEOUT_MS, as much time
// again for reading the answer; bodies are dropped. What is no such request is answered
// with 400, 404, 405, 431 or 505.
//
// Threading: the loop thread.
// Ownership: the pages and their context are borrowed for the server's life.
// Errors: listen says what the address has against it.

#ifndef COMMON_RPC_HTTP_H_
#define COMMON_RPC_HTTP_H_

#include "common/base/status.h"
#include "common/base/text.h"
#include "common/rpc/loop.h"

enum {
  RPC_HTTP_CONNECTIONS_MAX = 16,
  RPC_HTTP_REQUEST_BYTES_MAX = 8 << 10,
  RPC_HTTP_TIMEOUT_MS = 10000,
  RPC_HTTP_FRESH_MS = 1000,
};

typedef struct rpc_http_t rpc_http_t;

// Tables of these end with {0}.
typedef struct rpc_http_page_t {
  const char *path;          // "/metrics"; what follows a "?" is ignored.
  const char *content_type;  // "text/plain; charset=utf-8"
  // Appends the body; from the loop, for each request.
  void (*write)(pod_text_t *body, void *context);
} rpc_http_page_t;

// `address` as for rpc_server_listen. *out_bound_address is owned (free()).
POD_MUST_USE pod_status_t rpc_http_listen(rpc_loop_t *loop, const char *address,
                                          const rpc_http_page_t *pages, void *context,
                                          rpc_http_t **out_http,
                                          char **out_bound_address);

// Closes what is open. Accepts NULL. Not from a page's callback.
void rpc_http_destroy(rpc_http_t *http);

#endif  // COMMON_RPC_HTTP_H_
