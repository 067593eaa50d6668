// The lines of daemons' logs, text or JSON (common/base/log.h), as one stream by time.
//
// Threading: one thread at a time.

#ifndef CLIENT_CLI_LOG_LINES_H_
#define CLIENT_CLI_LOG_LINES_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/list.h"
#include "common/base/text.h"

typedef struct cli_log_line_t {
  int64_t time_us;  // Since 1970. That of the line before it when it has none itself.
  int64_t order;    // In which lines came: those of one time and daemon stay as they are.
  char level;       // 'D', 'I', 'W', 'E'
  const char *daemon;  // Of its reader.
  char *text;          // One line of printable UTF-8, without time and level.
} cli_log_line_t;

typedef POD_LIST(cli_log_line_t) cli_log_lines_t;

// A file that is read, from anywhere on.
typedef struct cli_log_reader_t {
  const char *daemon;  // Borrowed for the life of its lines.
  pod_text_t rest;     // Behind the last newline.
  int64_t time_us;
  char level;
} cli_log_reader_t;

// Adds the lines that end in these bytes. `inout_order` counts them.
void cli_log_feed(cli_log_reader_t *reader, const char *bytes, size_t length,
                  int64_t *inout_order, cli_log_lines_t *lines);

// Adds what stands behind the last newline as a line, if there is something.
void cli_log_end(cli_log_reader_t *reader, int64_t *inout_order, cli_log_lines_t *lines);

void cli_log_sort(cli_log_lines_t *lines);
void cli_log_lines_deinit(cli_log_lines_t *lines);

// "2026-11-21T15:04:05.123Z"; how many bytes it takes, 0: `text` begins with no time.
int cli_log_read_time(const char *text, int64_t *out_us);

enum { CLI_LOG_TIME_BYTES = 32 };
void cli_log_write_time(int64_t time_us, char text[CLI_LOG_TIME_BYTES]);

// "90s", "15m", "2h", "3d" before `now_us`, or a time; false for anything else.
bool cli_log_read_since(const char *text, int64_t now_us, int64_t *out_us);

// 'D', 'I', 'W', 'E' of "debug" … ; '\0' for none of them.
char cli_log_level(const char *name);

// Whether a line of this level is shown when `least` is.
bool cli_log_shows(char level, char least);

#endif  // CLIENT_CLI_LOG_LINES_H_
