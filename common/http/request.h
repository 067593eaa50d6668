// A request of HTTP/1.1 (RFC 9112), or 1.0, taken from the bytes of a connection. Strict:
// what two readers could take for different requests is none (a length said twice, a
// folded line, a space before a colon, transfer codings, which nobody here needs).
//
// Cost: one walk over the bytes, in place; nothing is allocated.
// Threading: pure.
// Ownership: a request points into the bytes that it was parsed from, which it changes.
// Errors: what is no request is answered with the status of HTTP that the parser gives.

#ifndef COMMON_HTTP_REQUEST_H_
#define COMMON_HTTP_REQUEST_H_

#include <stdbool.h>
#include <stddef.h>

enum {
  HTTP_HEAD_BYTES_MAX = 8 << 10,  // Request line and headers.
  HTTP_BODY_BYTES_MAX = 4 << 10,
  HTTP_HEADERS_MAX = 64,
};

typedef enum http_method_t {
  HTTP_GET = 0,
  HTTP_HEAD,
  HTTP_POST,
  HTTP_OTHER,  // A method, but none of these.
} http_method_t;

typedef struct http_header_t {
  const char *name;   // In small letters.
  const char *value;  // Without spaces around it.
} http_header_t;

typedef struct http_request_t {
  http_method_t method;
  const char *path;   // "/report/12", begins with a slash; %XX are decoded.
  const char *query;  // What is behind "?", as it came; "": nothing.
  const char *host;   // "" when an old client has not said it.
  bool is_kept;       // The client may send another one over the same connection.
  size_t header_count;
  http_header_t headers[HTTP_HEADERS_MAX];
  const char *body;
  size_t body_bytes;
} http_request_t;

// How far into `bytes` the head reaches, its empty line included; 0: its end has not
// come. `from` is how much of it was looked at before.
size_t http_head_end(const char *bytes, size_t size_bytes, size_t from);

// Whether the body that the head speaks of has come with it, or never need come because
// the request is wrong anyway. Changes nothing.
bool http_request_is_whole(const char *bytes, size_t head_bytes, size_t size_bytes);

// Of a whole one: 0, and *out_request, which took *out_taken_bytes; else the status to
// answer with, and nothing of the connection can be read any more.
int http_request_parse(char *bytes, size_t head_bytes, size_t size_bytes,
                       http_request_t *out_request, size_t *out_taken_bytes);

// The value of a header by its name in small letters; NULL: it has none. The first of
// several.
const char *http_request_header(const http_request_t *request, const char *name);

// The value of `name` among what the query, a form's body or a cookie's header lists,
// parted by `separator` ('&' or ';'), decoded into `out` with its NUL when `is_form`.
// False: it is not there, or does not fit.
bool http_find_value(const char *list, char separator, const char *name, bool is_form,
                     char *out, size_t capacity);

// Whether If-None-Match of the request lists this tag.
bool http_request_has_tag(const http_request_t *request, const char *tag);

// Whether the request comes from a page of ours, as a browser says of what it sends
// (Sec-Fetch-Site, or Origin with our host); who is no browser says neither, and has no
// cookie that somebody else could use.
bool http_request_is_same_origin(const http_request_t *request);

// The name in "NAME:PORT" or "[IPv6]:PORT" is an address or "localhost": one that no
// other site's name can be turned into by its name server (DNS rebinding).
bool http_host_is_literal(const char *host);

// Whether `host`, with or without a port, is for `name`, in any case of letters.
bool http_host_is(const char *host, const char *name);

#endif  // COMMON_HTTP_REQUEST_H_
