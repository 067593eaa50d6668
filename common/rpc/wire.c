// The parts of gRPC over HTTP/2 that are text (doc/PROTOCOL-HTTP2.md of
// github.com/grpc/grpc): grpc-timeout, grpc-message in percent-encoding, binary metadata
// in base64.

#include "common/rpc/wire.h"

#include <nghttp2/nghttp2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"

// --- content-type ---

bool rpc_content_type_is_grpc(const char *text, size_t length) {
  static const char grpc[] = "application/grpc";
  const size_t size = sizeof(grpc) - 1;
  return length >= size && memcmp(text, grpc, size) == 0 &&
         (length == size || text[size] == '+' || text[size] == ';');
}

// --- grpc-timeout ---

static const struct {
  char letter;
  int64_t ns;
} units[] = {
    {'n', 1},          {'u', 1000},        {'m', 1000000},
    {'S', 1000000000}, {'M', 60000000000}, {'H', 3600000000000},
};

enum { TIMEOUT_DIGITS_MAX = 8, TIMEOUT_VALUE_MAX = 99999999 };

bool rpc_timeout_parse(const char *text, size_t length, int64_t *out_ns) {
  if (length < 2 || length > TIMEOUT_DIGITS_MAX + 1) {
    return false;
  }
  int64_t value = 0;
  for (size_t i = 0; i + 1 < length; i++) {
    if (text[i] < '0' || text[i] > '9') {
      return false;
    }
    value = value * 10 + (text[i] - '0');
  }
  for (size_t i = 0; i < POD_COUNT_OF(units); i++) {
    if (units[i].letter == text[length - 1]) {
      *out_ns = value > INT64_MAX / units[i].ns ? INT64_MAX : value * units[i].ns;
      return true;
    }
  }
  return false;
}

size_t rpc_timeout_format(int64_t timeout_ns, char out_text[RPC_TIMEOUT_TEXT_BYTES]) {
  size_t unit = 0;
  while ((timeout_ns - 1) / units[unit].ns + 1 > TIMEOUT_VALUE_MAX) {
    unit++;  // 8 digits of hours hold any int64 of nanoseconds.
  }
  const long long value = (timeout_ns - 1) / units[unit].ns + 1;
  return (size_t)snprintf(out_text, RPC_TIMEOUT_TEXT_BYTES, "%lld%c", value,
                          units[unit].letter);
}

// --- grpc-message ---

// A space at either end would be stripped on the way.
static bool stands_for_itself(const char *text, size_t length, size_t index) {
  const unsigned char byte = (unsigned char)text[index];
  if (byte == ' ') {
    return index > 0 && index + 1 < length;
  }
  return byte > 0x20 && byte <= 0x7e && byte != '%';
}

char *rpc_percent_encode(const char *text, size_t size_max) {
  static const char digits[] = "0123456789ABCDEF";
  static const char ellipsis[] = "...";
  POD_CHECK(size_max >= sizeof(ellipsis));
  const size_t length = strlen(text);
  size_t needed = 0;
  for (size_t i = 0; i < length; i++) {
    needed += stands_for_itself(text, length, i) ? 1 : 3;
  }
  const bool cut = needed > size_max;
  const size_t room = cut ? size_max - (sizeof(ellipsis) - 1) : needed;
  char *encoded = pod_alloc((cut ? size_max : needed) + 1);
  size_t at = 0;
  size_t whole = 0;  // Where the last complete UTF-8 character ended.
  for (size_t i = 0; i < length; i++) {
    const unsigned char byte = (unsigned char)text[i];
    if ((byte & 0xc0) != 0x80) {
      whole = at;
    }
    const size_t more = stands_for_itself(text, length, i) ? 1 : 3;
    if (at + more > room) {
      at = whole;
      break;
    }
    if (more == 1) {
      encoded[at] = text[i];
    } else {
      encoded[at] = '%';
      encoded[at + 1] = digits[byte >> 4];
      encoded[at + 2] = digits[byte & 0xf];
    }
    at += more;
  }
  memcpy(encoded + at, cut ? ellipsis : "", cut ? sizeof(ellipsis) : 1);
  return encoded;
}

static int hex_value(char digit) {
  if (digit >= '0' && digit <= '9') {
    return digit - '0';
  }
  if (digit >= 'a' && digit <= 'f') {
    return digit - 'a' + 10;
  }
  return digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : -1;
}

char *rpc_percent_decode(const char *text, size_t length) {
  char *decoded = pod_alloc(length + 1);
  size_t at = 0;
  for (size_t i = 0; i < length; i++) {
    if (text[i] == '%' && length - i > 2) {
      const int high = hex_value(text[i + 1]);
      const int low = hex_value(text[i + 2]);
      if (high >= 0 && low >= 0 && high + low > 0) {
        decoded[at++] = (char)(high * 16 + low);
        i += 2;
        continue;
      }
    }
    decoded[at++] = text[i];
  }
  decoded[at] = '\0';
  return decoded;
}

// --- Binary metadata ---

static const char base64_letters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

char *rpc_base64_encode(const void *data, size_t size_bytes, size_t *out_length) {
  const uint8_t *bytes = data;
  char *text = pod_alloc(size_bytes / 3 * 4 + 5);
  size_t at = 0;
  for (size_t i = 0; i < size_bytes; i += 3) {
    const size_t count = size_bytes - i < 3 ? size_bytes - i : 3;
    uint32_t group = 0;
    for (size_t j = 0; j < 3; j++) {
      group = group << 8 | (j < count ? bytes[i + j] : 0u);
    }
    for (size_t j = 0; j <= count; j++) {
      text[at++] = base64_letters[(group >> (18 - 6 * j)) & 0x3f];
    }
  }
  text[at] = '\0';
  *out_length = at;
  return text;
}

uint8_t *rpc_base64_decode(const char *text, size_t length, size_t *out_size_bytes) {
  while (length > 0 && text[length - 1] == '=') {
    length--;
  }
  if (length % 4 == 1) {
    return NULL;
  }
  uint8_t *bytes = pod_alloc(length / 4 * 3 + 3);
  size_t at = 0;
  uint32_t group = 0;
  for (size_t i = 0; i < length; i++) {
    const char *letter = memchr(base64_letters, text[i], sizeof(base64_letters) - 1);
    if (letter == NULL) {
      free(bytes);
      return NULL;
    }
    group = group << 6 | (uint32_t)(letter - base64_letters);
    if (i % 4 > 0) {  // Every letter but the first of four completes a byte.
      bytes[at++] = (uint8_t)(group >> (6 - 2 * (i % 4)));
    }
  }
  *out_size_bytes = at;
  return bytes;
}

bool rpc_key_is_binary(const char *key, size_t length) {
  return length > 4 && memcmp(key + length - 4, "-bin", 4) == 0;
}

// --- Codes ---

pod_code_t rpc_code_parse(const char *text, size_t length) {
  unsigned value = 0;
  if (length == 0 || length > 2) {
    return POD_UNKNOWN;
  }
  for (size_t i = 0; i < length; i++) {
    if (text[i] < '0' || text[i] > '9') {
      return POD_UNKNOWN;
    }
    value = value * 10 + (unsigned)(text[i] - '0');
  }
  return value < POD_CODE_COUNT ? (pod_code_t)value : POD_UNKNOWN;
}

pod_code_t rpc_code_of_http_status(int http_status) {
  switch (http_status) {
    case 400:
      return POD_INTERNAL;
    case 401:
      return POD_UNAUTHENTICATED;
    case 403:
      return POD_PERMISSION_DENIED;
    case 404:
      return POD_UNIMPLEMENTED;
    case 429:
    case 502:
    case 503:
    case 504:
      return POD_UNAVAILABLE;
    default:
      return POD_UNKNOWN;
  }
}

pod_code_t rpc_code_of_http2_error(uint32_t http2_error) {
  switch (http2_error) {
    case NGHTTP2_REFUSED_STREAM:
      return POD_UNAVAILABLE;
    case NGHTTP2_CANCEL:
      return POD_CANCELLED;
    case NGHTTP2_ENHANCE_YOUR_CALM:
      return POD_RESOURCE_EXHAUSTED;
    case NGHTTP2_INADEQUATE_SECURITY:
      return POD_PERMISSION_DENIED;
    default:
      return POD_INTERNAL;
  }
}
