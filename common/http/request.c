// The head is cut into lines, the lines into words, all in place.

#include "common/http/request.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

enum {
  BAD = 400,
  TOO_LARGE = 413,
  TOO_MANY_HEADERS = 431,
  NOT_IMPLEMENTED = 501,
  NO_SUCH_VERSION = 505,
};

size_t http_head_end(const char *bytes, size_t size_bytes, size_t from) {
  size_t at = from > 3 ? from - 3 : 0;
  for (; at < size_bytes; at++) {
    if (bytes[at] != '\n') {
      continue;
    }
    if (at + 1 < size_bytes && bytes[at + 1] == '\n') {
      return at + 2;
    }
    if (at + 2 < size_bytes && bytes[at + 1] == '\r' && bytes[at + 2] == '\n') {
      return at + 3;
    }
  }
  return 0;
}

// --- Words ---

// Of a method or a header's name (RFC 9110, 5.6.2).
static bool is_token(const char *text, size_t length) {
  static const char others[] = "!#$%&'*+-.^_`|~";
  for (size_t i = 0; i < length; i++) {
    const unsigned char c = (unsigned char)text[i];
    if (c >= 0x80 || (isalnum(c) == 0 && (c == 0 || strchr(others, c) == NULL))) {
      return false;
    }
  }
  return length > 0;
}

static int digit_of(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

// *at is behind a '%'. Below 0: there is no character there.
static int take_escape(const char *at) {
  const int high = digit_of(at[0]);
  const int low = high < 0 ? -1 : digit_of(at[1]);
  return low < 0 ? -1 : high * 16 + low;
}

// In place; false for what nobody sends that means well.
static bool decode_path(char *path) {
  char *out = path;
  for (const char *at = path; *at != '\0'; at++) {
    int c = (unsigned char)*at;
    if (c == '%') {
      c = take_escape(at + 1);
      at += 2;
    }
    if (c < ' ' || c == 0x7f || c == '\\') {
      return false;
    }
    *out++ = (char)c;
  }
  *out = '\0';
  return true;
}

// --- The request line ---

static http_method_t method_of(const char *word) {
  static const char *const names[] = {
      [HTTP_GET] = "GET", [HTTP_HEAD] = "HEAD", [HTTP_POST] = "POST"};
  for (int i = 0; i < HTTP_OTHER; i++) {
    if (strcmp(word, names[i]) == 0) {
      return (http_method_t)i;
    }
  }
  return HTTP_OTHER;
}

// "/path?query" or "http://host/path?query". False: it is neither.
static bool take_target(char *target, http_request_t *request) {
  char *path = target;
  const bool is_absolute = strncasecmp(target, "http://", 7) == 0;
  if (is_absolute || strncasecmp(target, "https://", 8) == 0) {
    char *host = target + (is_absolute ? 7 : 8);
    path = strchr(host, '/');
    if (path == NULL || path == host) {
      return false;
    }
    memmove(host - 1, host, (size_t)(path - host));  // Room for a NUL.
    path[-1] = '\0';
    request->host = host - 1;
  }
  char *query = strpbrk(path, "?#");
  request->query = "";
  if (query != NULL) {
    request->query = *query == '?' ? query + 1 : "";
    *query = '\0';
  }
  request->path = path;
  return path[0] == '/' && decode_path(path);
}

// "GET /metrics HTTP/1.1". 0, or the status that it gets.
static int take_line(char *line, http_request_t *request) {
  char *target = strchr(line, ' ');
  char *version = target == NULL ? NULL : strchr(target + 1, ' ');
  if (version == NULL || version == target + 1 || strchr(version + 1, ' ') != NULL ||
      !is_token(line, (size_t)(target - line)) ||
      strncmp(version + 1, "HTTP/", strlen("HTTP/")) != 0) {
    return BAD;
  }
  *target = *version = '\0';
  request->is_kept = strcmp(version + 1, "HTTP/1.1") == 0;
  if (!request->is_kept && strcmp(version + 1, "HTTP/1.0") != 0) {
    return NO_SUCH_VERSION;
  }
  request->method = method_of(line);
  return take_target(target + 1, request) ? 0 : BAD;
}

// --- Headers ---

static int take_header(char *line, http_request_t *request) {
  char *colon = strchr(line, ':');
  if (colon == NULL || !is_token(line, (size_t)(colon - line))) {
    return BAD;
  }
  if (request->header_count == HTTP_HEADERS_MAX) {
    return TOO_MANY_HEADERS;
  }
  *colon = '\0';
  for (char *at = line; *at != '\0'; at++) {
    *at = (char)tolower((unsigned char)*at);
  }
  char *value = colon + 1 + strspn(colon + 1, " \t");
  size_t length = strlen(value);
  while (length > 0 && (value[length - 1] == ' ' || value[length - 1] == '\t')) {
    length--;
  }
  value[length] = '\0';
  for (size_t i = 0; i < length; i++) {
    const unsigned char c = (unsigned char)value[i];
    if ((c < ' ' && c != '\t') || c == 0x7f) {
      return BAD;
    }
  }
  request->headers[request->header_count++] =
      (http_header_t){.name = line, .value = value};
  return 0;
}

// True for those that must not be there twice; the bytes of a second one are nobody's.
static bool is_single(const char *name) {
  return strcmp(name, "host") == 0 || strcmp(name, "content-length") == 0 ||
         strcmp(name, "authorization") == 0;
}

static bool has_doubles(const http_request_t *request) {
  for (size_t i = 0; i < request->header_count; i++) {
    const char *name = request->headers[i].name;
    for (size_t j = 0; is_single(name) && j < i; j++) {
      if (strcmp(request->headers[j].name, name) == 0) {
        return true;
      }
    }
  }
  return false;
}

// Whether a list of words, parted by commas, has this one.
static bool lists(const char *list, const char *word) {
  const size_t length = strlen(word);
  for (const char *at = list; at != NULL && *at != '\0';) {
    at += strspn(at, " \t,");
    if (strncasecmp(at, word, length) == 0 && strchr(" \t,", at[length]) != NULL) {
      return true;
    }
    at = strchr(at, ',');
  }
  return false;
}

// What the headers say of the request as a whole.
static int take_meaning(http_request_t *request, size_t *out_body_bytes) {
  const bool is_new = request->is_kept;
  if (has_doubles(request)) {
    return BAD;
  }
  if (http_request_header(request, "transfer-encoding") != NULL) {
    return NOT_IMPLEMENTED;
  }
  const char *host = http_request_header(request, "host");
  if (host == NULL && is_new) {
    return BAD;
  }
  request->host = request->host != NULL ? request->host : host != NULL ? host : "";
  const char *connection = http_request_header(request, "connection");
  request->is_kept = is_new && !lists(connection, "close");
  const char *length = http_request_header(request, "content-length");
  size_t size_bytes = 0;
  if (length != NULL &&
      (*length == '\0' || strspn(length, "0123456789") != strlen(length))) {
    return BAD;
  }
  for (; length != NULL && *length != '\0'; length++) {
    size_bytes = size_bytes * 10 + (size_t)(*length - '0');
    if (size_bytes > HTTP_BODY_BYTES_MAX) {
      return TOO_LARGE;
    }
  }
  *out_body_bytes = size_bytes;
  return 0;
}

// The lines of the head, each ended by a NUL instead of its CRLF or LF.
static int take_head(char *head, size_t head_bytes, http_request_t *request,
                     size_t *out_body_bytes) {
  char *end = head + head_bytes;
  bool is_first = true;
  for (char *line = head; line < end;) {
    char *stop = memchr(line, '\n', (size_t)(end - line));
    char *next = stop + 1;
    *stop = '\0';
    if (stop > line && stop[-1] == '\r') {
      *--stop = '\0';
    }
    if (stop == line && !is_first) {
      break;  // The empty line.
    }
    if (strlen(line) != (size_t)(stop - line) || strchr(line, '\r') != NULL) {
      return BAD;
    }
    const int wrong = is_first ? take_line(line, request) : take_header(line, request);
    if (wrong != 0) {
      return wrong;
    }
    is_first = false;
    line = next;
  }
  return take_meaning(request, out_body_bytes);
}

// The length that the head says of the body, as far as that can be told without changing
// it: a head is changed once its body is whole.
static size_t peek_body_bytes(const char *head, size_t head_bytes) {
  static const char name[] = "content-length:";
  const char *end = head + head_bytes;
  for (const char *line = head; line < end;) {
    const char *stop = memchr(line, '\n', (size_t)(end - line));
    if ((size_t)(stop - line) > sizeof(name) - 1 &&
        strncasecmp(line, name, sizeof(name) - 1) == 0) {
      const char *at = line + sizeof(name) - 1;
      at += strspn(at, " \t");
      size_t size_bytes = 0;
      for (; at < stop && *at >= '0' && *at <= '9' && size_bytes <= HTTP_BODY_BYTES_MAX;
           at++) {
        size_bytes = size_bytes * 10 + (size_t)(*at - '0');
      }
      return size_bytes;
    }
    line = stop + 1;
  }
  return 0;
}

bool http_request_is_whole(const char *bytes, size_t head_bytes, size_t size_bytes) {
  const size_t peeked = peek_body_bytes(bytes, head_bytes);
  return head_bytes > HTTP_HEAD_BYTES_MAX || peeked > HTTP_BODY_BYTES_MAX ||
         size_bytes - head_bytes >= peeked;
}

int http_request_parse(char *bytes, size_t head_bytes, size_t size_bytes,
                       http_request_t *out_request, size_t *out_taken_bytes) {
  http_request_t request = {0};
  size_t body_bytes = 0;
  const int wrong = take_head(bytes, head_bytes, &request, &body_bytes);
  if (wrong != 0) {
    return wrong;
  }
  if (body_bytes > size_bytes - head_bytes) {
    return BAD;
  }
  request.body = bytes + head_bytes;
  request.body_bytes = body_bytes;
  *out_taken_bytes = head_bytes + body_bytes;
  *out_request = request;
  return 0;
}

const char *http_request_header(const http_request_t *request, const char *name) {
  for (size_t i = 0; i < request->header_count; i++) {
    if (strcmp(request->headers[i].name, name) == 0) {
      return request->headers[i].value;
    }
  }
  return NULL;
}

// --- What stands in them ---

static bool copy_value(const char *from, size_t length, bool is_form, char *out,
                       size_t capacity) {
  size_t used = 0;
  for (size_t i = 0; i < length; i++) {
    int c = (unsigned char)from[i];
    if (is_form && c == '+') {
      c = ' ';
    } else if (is_form && c == '%') {
      c = i + 2 < length ? take_escape(from + i + 1) : -1;
      i += 2;
    }
    if (c <= 0 || used + 1 >= capacity) {
      return false;
    }
    out[used++] = (char)c;
  }
  out[used] = '\0';
  return true;
}

bool http_find_value(const char *list, char separator, const char *name, bool is_form,
                     char *out, size_t capacity) {
  const size_t name_length = strlen(name);
  const char *at = list;
  while (at != NULL) {
    at += strspn(at, " \t");
    const char *stop = strchr(at, separator);
    const size_t length = stop == NULL ? strlen(at) : (size_t)(stop - at);
    if (length > name_length && at[name_length] == '=' &&
        strncmp(at, name, name_length) == 0) {
      return copy_value(at + name_length + 1, length - name_length - 1, is_form, out,
                        capacity);
    }
    at = stop == NULL ? NULL : stop + 1;
  }
  return false;
}

bool http_request_has_tag(const http_request_t *request, const char *tag) {
  const char *tags = http_request_header(request, "if-none-match");
  return tags != NULL && (strcmp(tags, "*") == 0 || strstr(tags, tag) != NULL);
}

bool http_request_is_same_origin(const http_request_t *request) {
  const char *site = http_request_header(request, "sec-fetch-site");
  if (site != NULL) {
    return strcmp(site, "same-origin") == 0;
  }
  const char *origin = http_request_header(request, "origin");
  if (origin == NULL) {
    return true;
  }
  const char *host = strstr(origin, "://");
  return host != NULL && strcasecmp(host + 3, request->host) == 0;
}

// --- Hosts ---

// The name of "NAME:PORT" or "[NAME]:PORT".
static const char *name_of(const char *host, size_t *out_length) {
  if (host[0] == '[') {
    *out_length = strcspn(host + 1, "]");
    return host + 1;
  }
  *out_length = strcspn(host, ":");
  return host;
}

bool http_host_is_literal(const char *host) {
  size_t length;
  const char *name = name_of(host, &length);
  char text[INET6_ADDRSTRLEN + 1];
  if (length == 0 || length >= sizeof(text)) {
    return false;
  }
  memcpy(text, name, length);
  text[length] = '\0';
  struct in_addr ipv4;
  struct in6_addr ipv6;
  return host[0] == '['
             ? inet_pton(AF_INET6, text, &ipv6) == 1
             : strcasecmp(text, "localhost") == 0 || inet_pton(AF_INET, text, &ipv4) == 1;
}

bool http_host_is(const char *host, const char *name) {
  size_t length, wanted_length;
  const char *said = name_of(host, &length);
  const char *wanted = name_of(name, &wanted_length);
  return length > 0 && length == wanted_length && strncasecmp(said, wanted, length) == 0;
}
