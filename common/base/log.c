// A line is formatted in one buffer of the stack and written by one write(2), so that
// lines of several threads and processes on one terminal do not mix. The message is
// escaped on its way there.

#include "common/base/log.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/text.h"

enum {
  LINE_SIZE_MAX = 4096,
  FIELD_SIZE_MAX = 256,    // Of a field's value.
  FIELDS_SIZE_MAX = 2048,  // No field begins behind that.
  NS_PER_MS = 1000000,
};

static const char *process_name = "podium";
static pod_log_level_t lowest_level = POD_LOG_INFO;
static pod_log_format_t lines_are = POD_LOG_TEXT;

static const char *const level_names[] = {"debug", "info", "warning", "error", "none"};

void pod_log_init(const char *name, pod_log_level_t level) {
  process_name = name;
  lowest_level = level;
}

pod_status_t pod_log_level_parse(const char *text, pod_log_level_t *out_level) {
  for (int level = POD_LOG_DEBUG; level <= POD_LOG_NONE; level++) {
    if (strcmp(text, level_names[level]) == 0) {
      *out_level = (pod_log_level_t)level;
      return NULL;
    }
  }
  return pod_error(POD_INVALID_ARGUMENT,
                   "log level '%s' is none of debug, info, warning, error, none", text);
}

pod_status_t pod_log_format_parse(const char *text, pod_log_format_t *out_format) {
  const bool is_json = strcmp(text, "json") == 0;
  if (!is_json && strcmp(text, "text") != 0) {
    return pod_error(POD_INVALID_ARGUMENT, "log format '%s' is neither text nor json",
                     text);
  }
  *out_format = is_json ? POD_LOG_JSON : POD_LOG_TEXT;
  return NULL;
}

void pod_log_set_format(pod_log_format_t format) {
  lines_are = format;
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
    const size_t size = pod_utf8_length(text + i, length - i);
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

// --- Lines ---

typedef struct line_t {
  size_t length;
  char bytes[LINE_SIZE_MAX];
} line_t;

static void add(line_t *line, const char *text) {
  const size_t room = sizeof(line->bytes) - line->length;
  const size_t length = strnlen(text, room);
  memcpy(line->bytes + line->length, text, length);
  line->length += length;
}

static void add_time(line_t *line) {
  struct timespec now;
  struct tm utc;
  clock_gettime(CLOCK_REALTIME, &now);
  gmtime_r(&now.tv_sec, &utc);
  line->length += strftime(line->bytes + line->length, sizeof(line->bytes) - line->length,
                           "%Y-%m-%dT%H:%M:%S", &utc);
  char rest[8];
  snprintf(rest, sizeof(rest), ".%03dZ", (int)(now.tv_nsec / NS_PER_MS));
  add(line, rest);
}

// With its quotes, in `room` bytes at most; it is cut between characters. `text` is
// escaped already, as in a line of text.
static void add_json(line_t *line, const char *text, size_t room) {
  const size_t end = line->length + room - 1;
  add(line, "\"");
  for (size_t i = 0; text[i] != '\0';) {
    size_t size = pod_utf8_length(text + i, strlen(text + i));
    const bool is_quoted = text[i] == '"' || text[i] == '\\';
    size = size == 0 ? 1 : size;
    if (line->length + size + (is_quoted ? 1 : 0) > end) {
      break;
    }
    if (is_quoted) {
      add(line, "\\");
    }
    memcpy(line->bytes + line->length, text + i, size);
    line->length += size;
    i += size;
  }
  add(line, "\"");
}

static void add_field(line_t *line, const pod_log_field_t *field) {
  char value[FIELD_SIZE_MAX];
  if (field->text != NULL && field->text[0] == '\0') {
    return;
  }
  add(line, ",\"");
  add(line, field->name);
  add(line, "\":");
  if (field->text == NULL) {
    snprintf(value, sizeof(value), "%" PRId64, field->number);
    add(line, value);
    return;
  }
  pod_log_escape(field->text, strlen(field->text), value, sizeof(value));
  add_json(line, value, (size_t)2 * FIELD_SIZE_MAX);
}

static void write_json(pod_log_level_t level, const pod_log_field_t *fields,
                       const char *message, size_t length) {
  line_t line = {0};
  char escaped[LINE_SIZE_MAX];
  pod_log_escape(message, length, escaped, sizeof(escaped));
  add(&line, "{\"time\":\"");
  add_time(&line);
  add(&line, "\",\"level\":\"");
  add(&line, level_names[level]);
  add(&line, "\",\"daemon\":\"");
  add(&line, process_name);
  add(&line, "\"");
  for (; fields != NULL && fields->name != NULL && line.length < FIELDS_SIZE_MAX;
       fields++) {
    add_field(&line, fields);
  }
  add(&line, ",\"message\":");
  add_json(&line, escaped, sizeof(line.bytes) - line.length - strlen("}\n"));
  add(&line, "}\n");
  // A log line that cannot be written has no better place to go.
  if (write(STDERR_FILENO, line.bytes, line.length) < 0) {
    return;
  }
}

static void write_text(pod_log_level_t level, const char *message, size_t length) {
  line_t line = {0};
  add_time(&line);
  add(&line, " ");
  add(&line, process_name);
  add(&line, (const char[]){' ', "DIWE"[level], ' ', '\0'});
  line.length += pod_log_escape(message, length, line.bytes + line.length,
                                sizeof(line.bytes) - line.length - 1);
  line.bytes[line.length++] = '\n';
  if (write(STDERR_FILENO, line.bytes, line.length) < 0) {
    return;  // Likewise.
  }
}

POD_PRINTF(3, 0)
static void write_line(pod_log_level_t level, const pod_log_field_t *fields,
                       const char *format, va_list args) {
  char message[LINE_SIZE_MAX];
  const int more = vsnprintf(message, sizeof(message), format, args);
  const size_t length = more < 0                         ? 0
                        : (size_t)more < sizeof(message) ? (size_t)more
                                                         : sizeof(message) - 1;
  if (lines_are == POD_LOG_JSON) {
    write_json(level, fields, message, length);
  } else {
    write_text(level, message, length);
  }
}

bool pod_log_shows(pod_log_level_t level) {
  return level >= lowest_level && level < POD_LOG_NONE;
}

void pod_log(pod_log_level_t level, const char *format, ...) {
  if (pod_log_shows(level)) {
    va_list args;
    va_start(args, format);
    write_line(level, NULL, format, args);
    va_end(args);
  }
}

void pod_log_fields(pod_log_level_t level, const pod_log_field_t *fields,
                    const char *format, ...) {
  if (pod_log_shows(level)) {
    va_list args;
    va_start(args, format);
    write_line(level, fields, format, args);
    va_end(args);
  }
}

void pod_log_end(const char *program, pod_status_t status) {
  const char *code = pod_code_name(pod_status_code(status));
  const char *message = pod_status_message(status);
  if (lines_are == POD_LOG_JSON) {
    write_json(POD_LOG_ERROR, POD_LOG_FIELDS({"code", .text = code}), message,
               strlen(message));
  } else {
    fprintf(stderr, "%s: %s: %s\n", program, code, message);
  }
}
