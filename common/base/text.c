// A growing buffer that is always NUL-terminated; capacity doubles.

#include "common/base/text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/check.h"
#include "common/base/memory.h"

// Most of what is formatted is shorter, and then formatted once.
enum { SHORT_BYTES = 63 };

static void grow(pod_text_t *text, size_t more) {
  const size_t needed = text->length + more + 1;
  POD_CHECK(needed > text->length);
  const size_t doubled = text->capacity * 2;
  text->capacity = needed > doubled ? needed : doubled;
  text->bytes = pod_grow(text->bytes, text->capacity, 1);
}

static inline void reserve(pod_text_t *text, size_t more) {
  if (more >= text->capacity - text->length) {
    grow(text, more);
  }
}

void pod_text_reserve(pod_text_t *text, size_t more) {
  reserve(text, more);
}

void pod_text_deinit(pod_text_t *text) {
  free(text->bytes);
  *text = (pod_text_t){0};
}

void pod_text_add_bytes(pod_text_t *text, const void *bytes, size_t size_bytes) {
  reserve(text, size_bytes);
  if (size_bytes > 0) {
    memcpy(text->bytes + text->length, bytes, size_bytes);
  }
  text->length += size_bytes;
  text->bytes[text->length] = '\0';
}

void pod_text_add_int(pod_text_t *text, int64_t value) {
  char digits[24];
  char *at = digits + sizeof(digits);
  uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  do {
    *--at = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest != 0);
  if (value < 0) {
    *--at = '-';
  }
  pod_text_add_bytes(text, at, (size_t)(digits + sizeof(digits) - at));
}

void pod_text_vprintf(pod_text_t *text, const char *format, va_list args) {
  if (strchr(format, '%') == NULL) {
    pod_text_add(text, format);
    return;
  }
  va_list again;
  va_copy(again, args);
  reserve(text, SHORT_BYTES);
  const size_t room = text->capacity - text->length;
  const int length = vsnprintf(text->bytes + text->length, room, format, args);
  POD_CHECK(length >= 0);
  if ((size_t)length >= room) {
    reserve(text, (size_t)length);
    vsnprintf(text->bytes + text->length, (size_t)length + 1, format, again);
  }
  text->length += (size_t)length;
  va_end(again);
}

void pod_text_printf(pod_text_t *text, const char *format, ...) {
  va_list args;
  va_start(args, format);
  pod_text_vprintf(text, format, args);
  va_end(args);
}

int pod_text_add_to_end(pod_text_t *text, int fd, size_t most) {
  enum { CHUNK_BYTES = 1 << 14 };
  const size_t start = text->length;
  for (;;) {
    pod_text_reserve(text, CHUNK_BYTES);
    const ssize_t got = read(fd, text->bytes + text->length, CHUNK_BYTES);
    if (got == 0 || (got < 0 && errno != EINTR)) {
      text->bytes[text->length] = '\0';
      return got == 0 ? 0 : errno;
    }
    text->length += got < 0 ? 0 : (size_t)got;
    if (text->length - start > most) {
      text->bytes[text->length] = '\0';
      return EFBIG;
    }
  }
}

void pod_text_clear(pod_text_t *text) {
  text->length = 0;
  if (text->bytes != NULL) {
    text->bytes[0] = '\0';
  }
}

char *pod_text_take(pod_text_t *text) {
  reserve(text, 0);
  text->bytes[text->length] = '\0';
  char *bytes = text->bytes;
  *text = (pod_text_t){0};
  return bytes;
}

void pod_text_add_size(pod_text_t *text, unsigned long long size_bytes) {
  static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (size_bytes < 1024) {
    pod_text_printf(text, "%llu B", size_bytes);
    return;
  }
  double value = (double)size_bytes / 1024.0;
  size_t unit = 0;
  while (value >= 1024.0 && unit + 1 < POD_COUNT_OF(units)) {
    value /= 1024.0;
    unit++;
  }
  pod_text_printf(text, "%.1f %s", value, units[unit]);
}

void pod_text_add_time(pod_text_t *text, int64_t picoseconds) {
  const double value = (double)picoseconds;
  if (value >= 1e12) {
    pod_text_printf(text, "%.3f s", value / 1e12);
  } else if (value >= 1e9) {
    pod_text_printf(text, "%.3f ms", value / 1e9);
  } else if (value >= 1e6) {
    pod_text_printf(text, "%.2f us", value / 1e6);
  } else {
    pod_text_printf(text, "%.1f ns", value / 1e3);
  }
}

size_t pod_utf8_length(const char *text, size_t left) {
  const unsigned char *bytes = (const unsigned char *)text;
  const unsigned char first = left == 0 ? 0xff : bytes[0];
  const size_t length = first < 0x80                    ? 1
                        : first >= 0xc2 && first < 0xe0 ? 2
                        : first >= 0xe0 && first < 0xf0 ? 3
                        : first >= 0xf0 && first < 0xf5 ? 4
                                                        : 0;
  if (length > left) {
    return 0;
  }
  for (size_t i = 1; i < length; i++) {
    if ((bytes[i] & 0xc0) != 0x80) {
      return 0;
    }
  }
  const bool is_overlong =
      (first == 0xe0 && bytes[1] < 0xa0) || (first == 0xf0 && bytes[1] < 0x90);
  const bool is_surrogate = first == 0xed && bytes[1] >= 0xa0;
  const bool is_too_large = first == 0xf4 && bytes[1] >= 0x90;
  return is_overlong || is_surrogate || is_too_large ? 0 : length;
}
