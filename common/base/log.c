// A line is formatted in one buffer of the stack and written by one write(2), so that
// lines of several threads and processes on one terminal do not mix.

#include "common/base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LINE_SIZE_MAX = 4096 };

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
  va_list args;
  va_start(args, format);
  const int more = vsnprintf(line + length, sizeof(line) - length - 1, format, args);
  va_end(args);
  length += more < 0 ? 0 : (size_t)more;
  if (length > sizeof(line) - 2) {
    length = sizeof(line) - 2;
  }
  line[length++] = '\n';
  // A log line that cannot be written has no better place to go.
  if (write(STDERR_FILENO, line, length) < 0) {
    return;
  }
}
