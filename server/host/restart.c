// A doubled pause with a bound, as systemd and Kubernetes restart.

#include "server/host/restart.h"

void restart_started(restart_t *restart, int64_t now_ms) {
  restart->started_ms = now_ms;
  restart->starts++;
}

int64_t restart_ended(restart_t *restart, int64_t now_ms, bool is_error, int32_t most) {
  const int64_t lived_ms = now_ms - restart->started_ms;
  if (restart->starts == 1 && is_error && lived_ms < RESTART_REFUSED_MS) {
    return -1;
  }
  if (lived_ms >= RESTART_SETTLED_MS) {
    restart->hasty = 0;
  }
  if (restart->hasty >= most) {
    return -1;
  }
  int64_t pause_ms = RESTART_PAUSE_MS;
  for (int32_t i = 0; i < restart->hasty && pause_ms < RESTART_PAUSE_MS_MAX; i++) {
    pause_ms *= 2;
  }
  restart->hasty++;
  return pause_ms < RESTART_PAUSE_MS_MAX ? pause_ms : RESTART_PAUSE_MS_MAX;
}
