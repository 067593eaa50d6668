// What a server of HTTP/1.1 answers, and the events of a stream (server-sent events,
// https://html.spec.whatwg.org/multipage/server-sent-events.html).
//
// Every answer says that browsers are to believe its type, to show it in no frame, to
// send its address nowhere, and to run and load nothing but what comes from here.
//
// Threading: pure.

#ifndef COMMON_HTTP_ANSWER_H_
#define COMMON_HTTP_ANSWER_H_

#include <stdbool.h>
#include <stddef.h>

#include "common/base/text.h"

// Zero is a 200 without anything. All borrowed for the call.
typedef struct http_answer_t {
  int status;                // 0: 200
  const char *content_type;  // NULL: text/plain; charset=utf-8
  const char *tag;           // ETag, with its quotes. NULL: none, and nothing is stored.
  const char *location;      // Of a redirection.
  const char *cookie;        // Set-Cookie
  const char *allow;         // Of a 405.
  const char *challenge;     // WWW-Authenticate, of a 401.
  int retry_s;               // Retry-After; 0: not said.
  const char *body;
  size_t body_bytes;
} http_answer_t;

// "404 Not Found"; a number that we never answer with is "500 …".
const char *http_status_line(int status);

// `has_body` false: all but the body, as HEAD and 304 have it. `is_kept`: the connection
// stays.
void http_answer_write(pod_text_t *text, const http_answer_t *answer, bool has_body,
                       bool is_kept);

// The head of a stream, which ends with its connection.
void http_stream_write(pod_text_t *text, const char *content_type);

// One event of a stream. `data` has no line ends; `id` 0: none.
void http_event_write(pod_text_t *text, const char *name, unsigned long long id,
                      const char *data, size_t size_bytes);

#endif  // COMMON_HTTP_ANSWER_H_
