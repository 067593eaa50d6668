// One line per event on standard error: "2026-11-21T15:04:05.123Z coordinator I worker 3
// joined at 127.0.0.1:4711". Daemons log; libraries and tools return a status instead.
//
// Threading: any thread; a line is written with one write. Level and name are set once,
// before threads start.

#ifndef COMMON_BASE_LOG_H_
#define COMMON_BASE_LOG_H_

#include "common/base/status.h"

typedef enum pod_log_level_t {
  POD_LOG_DEBUG = 0,
  POD_LOG_INFO,
  POD_LOG_WARNING,
  POD_LOG_ERROR,
  POD_LOG_NONE,
} pod_log_level_t;

// `name` is borrowed for the life of the process; the first level shown is POD_LOG_INFO
// unless set otherwise.
void pod_log_init(const char *name, pod_log_level_t level);

// "debug", "info", "warning", "error", "none".
POD_MUST_USE pod_status_t pod_log_level_parse(const char *text,
                                              pod_log_level_t *out_level);

POD_PRINTF(2, 3) void pod_log(pod_log_level_t level, const char *format, ...);

#endif  // COMMON_BASE_LOG_H_
