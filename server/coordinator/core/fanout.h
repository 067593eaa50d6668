// One piece of work on many chips at once: how many are still at it, when the others have
// to be stopped, and which of several failures to tell the user.
//
// When a chip fails, its neighbours soon fail too, and the first to say so need not be
// the one at fault. The failures are ranked, and the first of the highest rank is the
// cause: a lost worker before an error of the work itself, that before a worker that has
// lost touch with another (UNAVAILABLE, ABORTED), that before a stop that was not ours,
// whose cause the chip that it comes from will tell, and last what echoes our own stop.
//
// Threading: one thread at a time.
// Ownership: takes every status given to it.

#ifndef SERVER_COORDINATOR_CORE_FANOUT_H_
#define SERVER_COORDINATOR_CORE_FANOUT_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"

typedef enum fanout_rank_t {
  FANOUT_FINE = 0,
  FANOUT_ECHO,     // CANCELLED after we had asked for it.
  FANOUT_STOPPED,  // CANCELLED before: by a chip whose call has broken.
  FANOUT_TOUCH,    // A live worker cannot reach another one.
  FANOUT_WORK,     // The work failed: out of HBM, an error of the program.
  FANOUT_LOST,     // The worker is gone.
  FANOUT_CALLER,   // The caller has stopped it; nobody needs the cause.
} fanout_rank_t;

// Zero it, then fanout_begin.
typedef struct fanout_t {
  int32_t open_count;  // Chips that have not ended.
  bool is_stopping;    // The others have been told to stop.
  fanout_rank_t rank;
  pod_status_t cause;  // Owned.
} fanout_t;

void fanout_begin(fanout_t *fanout, int32_t chip_count);

void fanout_deinit(fanout_t *fanout);

// A chip has ended; `is_lost`: because its worker is gone. True: tell the others to stop,
// now. Says so once.
POD_MUST_USE bool fanout_ended(fanout_t *fanout, pod_status_t status, bool is_lost);

// The whole has failed or is not wanted any more, whatever the chips say. Likewise.
POD_MUST_USE bool fanout_stop(fanout_t *fanout, fanout_rank_t rank, pod_status_t status);

// A worker was found dead after its part had ended, so it was the cause after all.
void fanout_blame(fanout_t *fanout, pod_status_t status);

// Every chip has ended.
bool fanout_is_over(const fanout_t *fanout);

// The cause known so far is that one live worker lost touch with another: a dead one may
// be found in a moment, and is then what to tell.
bool fanout_may_learn_more(const fanout_t *fanout);

// The cause, owned, or NULL when all went well. A stop that nobody owns up to is
// UNAVAILABLE: the caller has not cancelled anything.
POD_MUST_USE pod_status_t fanout_take(fanout_t *fanout);

#endif  // SERVER_COORDINATOR_CORE_FANOUT_H_
