// A string that grows: printers, reports and byte buffers are built with it.
//
// Threading: one thread at a time.
// Ownership: the text owns its bytes until pod_text_deinit, or until pod_text_take hands
// them on.
// Errors: none; see memory.h.

#ifndef COMMON_BASE_TEXT_H_
#define COMMON_BASE_TEXT_H_

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/base/status.h"

// Zero it to start; `bytes` has a NUL behind `length` once anything was added.
typedef struct pod_text_t {
  char *bytes;
  size_t length, capacity;
} pod_text_t;

void pod_text_deinit(pod_text_t *text);

POD_PRINTF(2, 3) void pod_text_printf(pod_text_t *text, const char *format, ...);

void pod_text_vprintf(pod_text_t *text, const char *format, va_list args);

// In decimal digits.
void pod_text_add_int(pod_text_t *text, int64_t value);

void pod_text_add_bytes(pod_text_t *text, const void *bytes, size_t size_bytes);

// In place, so that the length of a literal is a constant.
static inline void pod_text_add(pod_text_t *text, const char *string) {
  pod_text_add_bytes(text, string, strlen(string));
}

// Room for so many bytes more: what is added up to there moves no bytes of the text.
void pod_text_reserve(pod_text_t *text, size_t more);

// All that comes from a file descriptor until its end. Returns 0, errno's value when
// reading failed, or EFBIG after more than `most` bytes.
int pod_text_add_to_end(pod_text_t *text, int fd, size_t most);

// Makes the text empty and keeps its memory.
void pod_text_clear(pod_text_t *text);

// Returns owned (free()); the text is empty afterwards. Never NULL.
char *pod_text_take(pod_text_t *text);

// "1.5 KiB", "16.0 GiB", "512 B". Units of 1024.
void pod_text_add_size(pod_text_t *text, unsigned long long size_bytes);

// "12.34 us", "1.500 ms", "350.0 ns"; up to seconds.
void pod_text_add_time(pod_text_t *text, int64_t picoseconds);

// The length in bytes of the UTF-8 character at `text`, of which `left` bytes are there;
// 0 when there is none (RFC 3629).
size_t pod_utf8_length(const char *text, size_t left);

#endif  // COMMON_BASE_TEXT_H_
