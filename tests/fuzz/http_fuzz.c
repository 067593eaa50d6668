// Bytes of a connection, in one piece and as they might come: never more than one way to
// read them, and nothing beyond them is touched.

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "common/http/request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const http_request_t *request, const char *bytes, size_t size) {
  POD_CHECK(request->path[0] == '/');
  POD_CHECK(request->header_count <= HTTP_HEADERS_MAX);
  POD_CHECK(request->body_bytes <= HTTP_BODY_BYTES_MAX);
  POD_CHECK(request->body + request->body_bytes <= bytes + size);
  for (const char *at = request->path; *at != '\0'; at++) {
    POD_CHECK((unsigned char)*at >= ' ' && *at != '\\');
  }
  for (size_t i = 0; i < request->header_count; i++) {
    POD_CHECK(strpbrk(request->headers[i].value, "\r\n") == NULL);
    POD_CHECK(request->headers[i].name[0] != '\0');
  }
  char value[64];
  (void)http_find_value(request->query, '&', "token", true, value, sizeof(value));
  const char *cookie = http_request_header(request, "cookie");
  if (cookie != NULL) {
    (void)http_find_value(cookie, ';', "podium", false, value, sizeof(value));
  }
  (void)http_request_is_same_origin(request);
  (void)http_request_has_tag(request, "\"1\"");
  (void)http_host_is_literal(request->host);
  (void)http_host_is(request->host, "pod");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const size_t kept = size < HTTP_HEAD_BYTES_MAX + HTTP_BODY_BYTES_MAX
                          ? size
                          : HTTP_HEAD_BYTES_MAX + HTTP_BODY_BYTES_MAX;
  char *bytes = pod_alloc(kept > 0 ? kept : 1);  // Zeroed, and of just this size.
  memcpy(bytes, data, kept);
  const size_t head = http_head_end(bytes, kept, 0);
  size_t found = 0;  // The same as it drips.
  for (size_t come = 0; come <= kept && found == 0 && kept < 512; come++) {
    found = http_head_end(bytes, come, come > 0 ? come - 1 : 0);
  }
  POD_CHECK(kept >= 512 || found == head);
  if (head > 0 && http_request_is_whole(bytes, head, kept)) {
    http_request_t request;
    size_t taken;
    if (http_request_parse(bytes, head, kept, &request, &taken) == 0) {
      POD_CHECK(taken >= head && taken <= kept);
      check(&request, bytes, kept);
    }
  }
  free(bytes);
  return 0;
}
