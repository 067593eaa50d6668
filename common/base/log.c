// A line is formatted in one buffer of the stack and written by one write(2), so that
// lines of several threads and processes on one terminal do not mix. The message is
// escaped on its way there.

#include "common/base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"

enum { LINE_SIZE_MAX = 4096, NS_PER_MS = 1000000 };

static const char *process_name = "podium";
static pod_log_level_t lowest_level = POD_LOG_INFO;

void pod_log_init(const char *name, pod_log_level_t level) {
  process_name = name;
  lowest_level = level;
}

pod_status_t pod_log_level_parse(const char *text, pod_log_level_t *out_level) {
  static const char *const names[] = {"debug", "info", "warning", "error", "none"};
  for (int level = POD_LOG_DEBUG; level <= POD_LOG_NONE; level++) {
    if (strcmp(text, names[level]) == 0) {
      *out_level = (pod_log_level_t)level;
      return NULL;
    }
  }
  return pod_error(POD_INVALID_ARGUMENT,
                   "log level '%s' is none of debug, info, warning, error, none", text);
}

// The length in bytes of the UTF-8 character at `text`, 0 when there is none (RFC 3629).
static size_t utf8_length(const unsigned char *text, size_t left) {
  const unsigned char first = text[0];
  const size_t length = first < 0x80                    ? 1
                        : first >= 0xc2 && first < 0xe0 ? 2
                        : first >= 0xe0 && first < 0xf0 ? 3
                        : first >= 0xf0 && first < 0xf5 ? 4
                                                        : 0;
  if (length > left) {
    return 0;
  }
  for (size_t i = 1; i < length; i++) {
    if ((text[i] & 0xc0) != 0x80) {
      return 0;
    }
  }
  const bool is_overlong =
      (first == 0xe0 && text[1] < 0xa0) || (first == 0xf0 && text[1] < 0x90);
  const bool is_surrogate = first == 0xed && text[1] >= 0xa0;
  const bool is_too_large = first == 0xf4 && text[1] >= 0x90;
  return is_overlong || is_surrogate || is_too_large ? 0 : length;
}

// Whether the character, of that length, may stand for itself.
static bool is_harmless(const unsigned char *text, size_t length) {
  if (length == 1) {
    return text[0] >= 0x20 && text[0] != 0x7f;
  }
  if (length == 2) {
    return text[0] != 0xc2 || text[1] >= 0xa0;
  }
  if (length == 3 && text[0] == 0xe2) {
    const bool breaks = text[1] == 0x80 && text[2] >= 0xa8 && text[2] <= 0xae;
    const bool isolates = text[1] == 0x81 && text[2] >= 0xa6 && text[2] <= 0xa9;
    return !breaks && !isolates;
  }
  return true;
}

// Of one byte. Returns the length.
static size_t escape_byte(unsigned char byte, char out[5]) {
  const char short_form = byte == '\n'   ? 'n'
                          : byte == '\t' ? 't'
                          : byte == '\r' ? 'r'
                                         : '\0';
  return (size_t)(short_form != '\0' ? snprintf(out, 5, "\\%c", short_form)
                                     : snprintf(out, 5, "\\x%02x", byte));
}

size_t pod_log_escape(const char *text, size_t length, char *out, size_t size_max) {
  const unsigned char *bytes = (const unsigned char *)text;
  size_t done = 0;
  for (size_t i = 0; i < length;) {
    const size_t size = utf8_length(bytes + i, length - i);
    char escaped[5];
    const bool stands = size > 0 && is_harmless(bytes + i, size);
    const size_t added = stands ? size : escape_byte(bytes[i], escaped);
    if (done + added + 1 > size_max) {
      break;
    }
    memcpy(out + done, stands ? text + i : escaped, added);
    done += added;
    i += stands ? size : 1;
  }
  if (size_max > 0) {
    out[done] = '\0';
  }
  return done;
}

bool pod_log_may(pod_log_limit_t *limit, uint32_t interval_ms,
                 unsigned long long *out_muted) {
  const int64_t now_ns = pod_clock_now_ns();
  if (now_ns < limit->next_ns) {
    limit->muted++;
    return false;
  }
  *out_muted = limit->muted;
  *limit = (pod_log_limit_t){.next_ns = now_ns + (int64_t)interval_ms * NS_PER_MS};
  return true;
}

void pod_log(pod_log_level_t level, const char *format, ...) {
  if (level < lowest_level || level >= POD_LOG_NONE) {
    return;
  }
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  struct tm utc;
  gmtime_r(&now.tv_sec, &utc);
  char line[LINE_SIZE_MAX];
  size_t length = strftime(line, sizeof(line), "%Y-%m-%dT%H:%M:%S", &utc);
  length += (size_t)snprintf(line + length, sizeof(line) - length, ".%03ldZ %s %c ",
                             now.tv_nsec / 1000000, process_name, "DIWE"[level]);
  char message[LINE_SIZE_MAX];
  va_list args;
  va_start(args, format);
  const int more = vsnprintf(message, sizeof(message), format, args);
  va_end(args);
  const size_t message_length = more < 0                         ? 0
                                : (size_t)more < sizeof(message) ? (size_t)more
                                                                 : sizeof(message) - 1;
  length +=
      pod_log_escape(message, message_length, line + length, sizeof(line) - length - 1);
  line[length++] = '\n';
  // A log line that cannot be written has no better place to go.
  if (write(STDERR_FILENO, line, length) < 0) {
    return;
  }
}
