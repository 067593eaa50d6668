// The flags by which a daemon is told how it logs.
//
// Threading: any one thread.

#ifndef SERVER_DAEMON_LOG_FLAGS_H_
#define SERVER_DAEMON_LOG_FLAGS_H_

#include <argp.h>

#include "common/base/log.h"

typedef struct log_flags_t {
  pod_log_level_t level;
  pod_log_format_t format;
} log_flags_t;

// For the children of a daemon's own argp, which sets its input to a log_flags_t at
// ARGP_KEY_INIT.
extern const struct argp log_flags_argp;

#endif  // SERVER_DAEMON_LOG_FLAGS_H_
