#include "server/daemon/log_flags.h"

#include <stddef.h>

enum {
  // Beyond the keys that daemons have of their own, and those of TLS.
  KEY_LEVEL = 0x1100,
  KEY_FORMAT,
};

static const struct argp_option options[] = {
    {"log-level", KEY_LEVEL, "LEVEL", 0, "debug, info, warning, error or none (info)", 0},
    {"log-format", KEY_FORMAT, "FORMAT", 0, "text, or json: one object a line (text)", 0},
    {0},
};

static error_t parse(int key, char *value, struct argp_state *state) {
  log_flags_t *flags = state->input;
  pod_status_t status = NULL;
  switch (key) {
    case KEY_LEVEL:
      status = pod_log_level_parse(value, &flags->level);
      break;
    case KEY_FORMAT:
      status = pod_log_format_parse(value, &flags->format);
      break;
    default:
      return ARGP_ERR_UNKNOWN;
  }
  if (status != NULL) {
    argp_error(state, "--log-%s: %s", key == KEY_LEVEL ? "level" : "format",
               pod_status_message(status));
  }
  return 0;
}

const struct argp log_flags_argp = {.options = options, .parser = parse};
