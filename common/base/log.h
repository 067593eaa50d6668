// One line per event on standard error: "2026-11-21T15:04:05.123Z coordinator I worker 3
// joined at 127.0.0.1:4711". Daemons log; libraries and tools return a status instead.
//
// Or, where lines are read by programs, one JSON object per line: "time", "level" and
// "daemon" as above, the fields that the call gives, and "message" last. In text the
// message says for itself what matters of the fields.
//
// What others chose (names, metadata, texts of peers) may stand in a line: the message is
// escaped, so that it can neither begin a line of its own nor speak to a terminal.
//
// Threading: any thread; a line is written with one write. Level and name are set once,
// before threads start. A pod_log_limit_t is for one thread at a time.

#ifndef COMMON_BASE_LOG_H_
#define COMMON_BASE_LOG_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"

typedef enum pod_log_level_t {
  POD_LOG_DEBUG = 0,
  POD_LOG_INFO,
  POD_LOG_WARNING,
  POD_LOG_ERROR,
  POD_LOG_NONE,
} pod_log_level_t;

typedef enum pod_log_format_t {
  POD_LOG_TEXT = 0,
  POD_LOG_JSON,
} pod_log_format_t;

// What a line is about, in a form that can be searched for.
typedef struct pod_log_field_t {
  const char *name;  // A JSON name without anything to be escaped; NULL ends the list.
  const char *text;  // NULL: the number. "": the field is left out.
  int64_t number;
} pod_log_field_t;

#define POD_LOG_FIELDS(...) ((const pod_log_field_t[]){__VA_ARGS__, {.name = NULL}})

// `name` is borrowed for the life of the process; the first level shown is POD_LOG_INFO
// unless set otherwise.
void pod_log_init(const char *name, pod_log_level_t level);

// "debug", "info", "warning", "error", "none".
POD_MUST_USE pod_status_t pod_log_level_parse(const char *text,
                                              pod_log_level_t *out_level);

// "text", "json". Lines are text unless set otherwise.
POD_MUST_USE pod_status_t pod_log_format_parse(const char *text,
                                               pod_log_format_t *out_format);

void pod_log_set_format(pod_log_format_t format);

// Whether lines of that level are written: for what costs something to put together.
bool pod_log_shows(pod_log_level_t level);

POD_PRINTF(2, 3) void pod_log(pod_log_level_t level, const char *format, ...);

// `fields`: POD_LOG_FIELDS({"session", .number = 3}, {"code", .text = "OK"}).
POD_PRINTF(3, 4)
void pod_log_fields(pod_log_level_t level, const pod_log_field_t *fields,
                    const char *format, ...);

// The last words of a program that ends with `status`: "PROGRAM: CODE: message", whatever
// the level; in JSON a line of level error.
void pod_log_end(const char *program, pod_status_t status);

// `text` as one line of printable UTF-8: a newline becomes \n, a tab \t, a return \r; any
// other control character (C0, DEL, C1), what separates lines or turns the direction of
// writing (U+2028, U+2029, U+202A to U+202E, U+2066 to U+2069) and bytes that are no
// UTF-8 become \xNN for each byte. Writes at most `size_max` bytes with the NUL, whole
// characters only, and returns the length without it.
size_t pod_log_escape(const char *text, size_t length, char *out, size_t size_max);

// For a line that others can bring about as often as they like. Zero it to start.
typedef struct pod_log_limit_t {
  int64_t next_ns;           // Of pod_clock_now_ns().
  unsigned long long muted;  // Since the last line.
} pod_log_limit_t;

// Whether the line may be written now: at most once in `interval_ms`. *out_muted is how
// many were not since the last one.
bool pod_log_may(pod_log_limit_t *limit, uint32_t interval_ms,
                 unsigned long long *out_muted);

#endif  // COMMON_BASE_LOG_H_
