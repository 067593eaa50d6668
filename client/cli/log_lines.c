#include "client/cli/log_lines.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/log.h"
#include "common/base/memory.h"

enum {
  US_PER_S = 1000000,
  US_PER_MS = 1000,
  LINE_BYTES_MAX = 64 * 1024,  // What is longer is no line of a daemon's.
};

static const char levels[] = "DIWE";

char cli_log_level(const char *name) {
  static const char *const names[] = {"debug", "info", "warning", "error"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    if (strcmp(name, names[i]) == 0) {
      return levels[i];
    }
  }
  return '\0';
}

bool cli_log_shows(char level, char least) {
  return strchr(levels, level) >= strchr(levels, least);
}

// --- Times ---

int cli_log_read_time(const char *text, int64_t *out_us) {
  int year, month, day, hour, minute, second, used = 0;
  if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d%n", &year, &month, &day, &hour, &minute,
             &second, &used) != 6 ||
      used < 19) {
    return 0;
  }
  int fraction = 0, more = 0;
  if (text[used] == '.' && sscanf(text + used, ".%3d%n", &fraction, &more) != 1) {
    return 0;
  }
  used += more;
  if (text[used] != 'Z') {
    return 0;
  }
  struct tm fields = {.tm_year = year - 1900,
                      .tm_mon = month - 1,
                      .tm_mday = day,
                      .tm_hour = hour,
                      .tm_min = minute,
                      .tm_sec = second};
  *out_us = (int64_t)timegm(&fields) * US_PER_S + (int64_t)fraction * US_PER_MS;
  return used + 1;
}

void cli_log_write_time(int64_t time_us, char text[CLI_LOG_TIME_BYTES]) {
  const time_t seconds = (time_t)(time_us / US_PER_S);
  struct tm fields;
  gmtime_r(&seconds, &fields);
  const size_t length = strftime(text, CLI_LOG_TIME_BYTES, "%Y-%m-%dT%H:%M:%S", &fields);
  snprintf(text + length, CLI_LOG_TIME_BYTES - length, ".%03dZ",
           (int)(time_us % US_PER_S / US_PER_MS));
}

bool cli_log_read_since(const char *text, int64_t now_us, int64_t *out_us) {
  const int used = cli_log_read_time(text, out_us);
  if (used > 0) {
    return text[used] == '\0';
  }
  char *end = NULL;
  const double number = strtod(text, &end);
  const double factor = strcmp(end, "s") == 0 || *end == '\0' ? 1
                        : strcmp(end, "m") == 0               ? 60
                        : strcmp(end, "h") == 0               ? 3600
                        : strcmp(end, "d") == 0               ? 86400
                                                              : 0;
  if (end == text || factor == 0 || !(number >= 0) || !(number < 1e9)) {
    return false;
  }
  *out_us = now_us - (int64_t)(number * factor * US_PER_S);
  return true;
}

// --- Lines ---

// Returns owned: one line, with nothing that speaks to a terminal.
static char *escaped(const char *text, size_t length) {
  const size_t most = 4 * length + 1;
  char *line = pod_alloc(most);
  pod_log_escape(text, length, line, most);
  return line;
}

// "TIME NAME LEVEL MESSAGE". The text is what stands behind; NULL: it is none.
static const char *parse_text(cli_log_reader_t *reader, const char *line) {
  int64_t time_us;
  const int used = cli_log_read_time(line, &time_us);
  if (used == 0 || line[used] != ' ') {
    return NULL;
  }
  const char *level = strchr(line + used + 1, ' ');
  if (level == NULL || level[1] == '\0' || strchr(levels, level[1]) == NULL ||
      level[2] != ' ') {
    return NULL;
  }
  reader->time_us = time_us;
  reader->level = level[1];
  return level + 3;
}

static void add_field(pod_text_t *text, const cJSON *field) {
  static const char *const known[] = {"time", "level", "daemon", "message"};
  for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
    if (strcmp(field->string, known[i]) == 0) {
      return;
    }
  }
  if (cJSON_IsString(field)) {
    pod_text_printf(text, "  %s=%s", field->string, field->valuestring);
  } else if (cJSON_IsNumber(field)) {
    pod_text_printf(text, "  %s=%.17g", field->string, field->valuedouble);
  }
}

// The message and, behind it, the fields: "… ended  session=3 code=OK". Returns owned;
// NULL: it is no JSON of a daemon's.
static char *parse_json(cli_log_reader_t *reader, const char *line) {
  cJSON *object = *line == '{' ? cJSON_Parse(line) : NULL;
  const char *message = cJSON_GetStringValue(cJSON_GetObjectItem(object, "message"));
  const char *when = cJSON_GetStringValue(cJSON_GetObjectItem(object, "time"));
  const char *level = cJSON_GetStringValue(cJSON_GetObjectItem(object, "level"));
  int64_t time_us;
  char *text = NULL;
  if (message != NULL && when != NULL && level != NULL &&
      cli_log_read_time(when, &time_us) > 0) {
    reader->time_us = time_us;
    reader->level = cli_log_level(level) == '\0' ? 'I' : cli_log_level(level);
    pod_text_t made = {0};
    pod_text_add(&made, message);
    const cJSON *field;
    cJSON_ArrayForEach(field, object) {
      add_field(&made, field);
    }
    text = pod_text_take(&made);
  }
  cJSON_Delete(object);
  return text;
}

// A line that has no time is of the line before it, or somebody's last words.
static void add_line(cli_log_reader_t *reader, const char *line, int64_t *inout_order,
                     cli_log_lines_t *lines) {
  char *json = parse_json(reader, line);
  const char *text = json != NULL ? json : parse_text(reader, line);
  if (text == NULL) {
    text = line;
    reader->level = strncmp(line, "podium-", strlen("podium-")) == 0 ? 'E'
                    : reader->level == '\0'                          ? 'I'
                                                                     : reader->level;
  }
  *pod_list_add(lines) = (cli_log_line_t){.time_us = reader->time_us,
                                          .order = (*inout_order)++,
                                          .level = reader->level,
                                          .daemon = reader->daemon,
                                          .text = escaped(text, strlen(text))};
  free(json);
}

void cli_log_feed(cli_log_reader_t *reader, const char *bytes, size_t length,
                  int64_t *inout_order, cli_log_lines_t *lines) {
  while (length > 0) {
    const char *newline = memchr(bytes, '\n', length);
    const size_t part = newline == NULL ? length : (size_t)(newline - bytes);
    if (reader->rest.length + part <= LINE_BYTES_MAX) {
      pod_text_add_bytes(&reader->rest, bytes, part);
    }
    if (newline == NULL) {
      return;
    }
    cli_log_end(reader, inout_order, lines);
    bytes += part + 1;
    length -= part + 1;
  }
}

void cli_log_end(cli_log_reader_t *reader, int64_t *inout_order, cli_log_lines_t *lines) {
  if (reader->rest.length > 0) {
    add_line(reader, reader->rest.bytes, inout_order, lines);
    pod_text_clear(&reader->rest);
  }
}

static int by_time(const void *left, const void *right) {
  const cli_log_line_t *a = left, *b = right;
  if (a->time_us != b->time_us) {
    return a->time_us < b->time_us ? -1 : 1;
  }
  return (a->order > b->order) - (a->order < b->order);
}

void cli_log_sort(cli_log_lines_t *lines) {
  if (lines->count > 0) {
    qsort(lines->items, (size_t)lines->count, sizeof(lines->items[0]), by_time);
  }
}

void cli_log_lines_deinit(cli_log_lines_t *lines) {
  for (int32_t i = 0; i < lines->count; i++) {
    free(lines->items[i].text);
  }
  pod_list_deinit(lines);
}
