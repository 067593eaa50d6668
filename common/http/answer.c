#include "common/http/answer.h"

#include <stdio.h>
#include <string.h>

#include "common/base/check.h"

static const char always[] =
    "X-Content-Type-Options: nosniff\r\n"
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'\r\n"
    "X-Frame-Options: DENY\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n";

const char *http_status_line(int status) {
  static const char *const lines[] = {"200 OK",
                                      "202 Accepted",
                                      "303 See Other",
                                      "304 Not Modified",
                                      "400 Bad Request",
                                      "401 Unauthorized",
                                      "403 Forbidden",
                                      "404 Not Found",
                                      "405 Method Not Allowed",
                                      "409 Conflict",
                                      "413 Content Too Large",
                                      "421 Misdirected Request",
                                      "429 Too Many Requests",
                                      "431 Request Header Fields Too Large",
                                      "501 Not Implemented",
                                      "503 Service Unavailable",
                                      "505 HTTP Version Not Supported"};
  char number[16];
  snprintf(number, sizeof(number), "%d ", status == 0 ? 200 : status);
  for (size_t i = 0; i < POD_COUNT_OF(lines); i++) {
    if (strncmp(lines[i], number, strlen(number)) == 0) {
      return lines[i];
    }
  }
  return "500 Internal Server Error";
}

static void add_header(pod_text_t *text, const char *name, const char *value) {
  if (value != NULL) {
    pod_text_printf(text, "%s: %s\r\n", name, value);
  }
}

void http_answer_write(pod_text_t *text, const http_answer_t *answer, bool has_body,
                       bool is_kept) {
  const char *type = answer->content_type;
  pod_text_printf(text, "HTTP/1.1 %s\r\nContent-Type: %s\r\n",
                  http_status_line(answer->status),
                  type != NULL ? type : "text/plain; charset=utf-8");
  if (answer->status != 304) {
    pod_text_printf(text, "Content-Length: %zu\r\n", answer->body_bytes);
  }
  add_header(text, "ETag", answer->tag);
  add_header(text, "Cache-Control", answer->tag != NULL ? "no-cache" : "no-store");
  add_header(text, "Location", answer->location);
  add_header(text, "Set-Cookie", answer->cookie);
  add_header(text, "Allow", answer->allow);
  add_header(text, "WWW-Authenticate", answer->challenge);
  if (answer->retry_s != 0) {
    pod_text_printf(text, "Retry-After: %d\r\n", answer->retry_s);
  }
  pod_text_add(text, always);
  pod_text_printf(text, "Connection: %s\r\n\r\n", is_kept ? "keep-alive" : "close");
  if (has_body && answer->status != 304 && answer->body_bytes > 0) {
    pod_text_add_bytes(text, answer->body, answer->body_bytes);
  }
}

void http_stream_write(pod_text_t *text, const char *content_type) {
  pod_text_printf(text,
                  "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nCache-Control: no-store\r\n"
                  "X-Accel-Buffering: no\r\n",
                  content_type);
  pod_text_add(text, always);
  pod_text_add(text, "Connection: close\r\n\r\n");
}

void http_event_write(pod_text_t *text, const char *name, unsigned long long id,
                      const char *data, size_t size_bytes) {
  if (id != 0) {
    pod_text_printf(text, "id: %llu\n", id);
  }
  pod_text_printf(text, "event: %s\ndata: ", name);
  pod_text_add_bytes(text, data, size_bytes);
  pod_text_add(text, "\n\n");
}
