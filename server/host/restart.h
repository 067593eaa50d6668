// When a daemon that has ended is started again, and when no more. Pure.
//
// The pause before a start is RESTART_PAUSE_MS, and doubles with each start that did not
// last, up to RESTART_PAUSE_MS_MAX; a daemon that has lived for RESTART_SETTLED_MS begins
// anew. One that ends by itself with an error within RESTART_REFUSED_MS of its first
// start has been told something that no second start mends (a flag, an address, a place
// that another chip has).
//
// Threading: any; a state belongs to one caller at a time.
// Times are milliseconds of one monotonic clock.

#ifndef SERVER_HOST_RESTART_H_
#define SERVER_HOST_RESTART_H_

#include <stdbool.h>
#include <stdint.h>

enum {
  RESTART_PAUSE_MS = 250,
  RESTART_PAUSE_MS_MAX = 30000,
  RESTART_SETTLED_MS = 60000,
  RESTART_REFUSED_MS = 1000,
};

// Zero: never started.
typedef struct restart_t {
  int64_t started_ms;
  int32_t starts;  // Since it last settled, and before.
  int32_t hasty;   // Starts in a row that did not last.
} restart_t;

void restart_started(restart_t *restart, int64_t now_ms);

// It has ended, `is_error`: by itself, with an exit status that is not 0. The pause
// before the next start, or -1: it is not started again. `most` hasty starts in a row are
// allowed.
int64_t restart_ended(restart_t *restart, int64_t now_ms, bool is_error, int32_t most);

#endif  // SERVER_HOST_RESTART_H_
