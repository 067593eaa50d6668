// What a chip knows of executions: those that it was told about, those that may not go on
// and why, and those that are over. Private to server/ici.
//
// What other chips say of an execution counts only from when this chip was told about it
// by whoever it works for: nobody can abandon beforehand what does not exist yet.
//
// Threading: for who has the lock that it stands under.

#ifndef SERVER_ICI_EXECUTIONS_H_
#define SERVER_ICI_EXECUTIONS_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/list.h"
#include "common/base/status.h"
#include "server/chip/torus.h"

enum { ICI_ABORTED_MAX = 64, ICI_ENDED_MAX = 1024 };

typedef struct ici_aborted_t {
  uint64_t execution;
  pod_status_t status;
} ici_aborted_t;

typedef struct ici_ended_t {
  uint64_t execution;
  pod_status_t reason;  // That it was aborted with; NULL: it went well, for all we know.
} ici_ended_t;

typedef struct ici_told_t {
  uint64_t execution;
  bool has_run;  // A collective.
  // What had been lost on the links when it ran its first one.
  unsigned losses[TORUS_LINKS];
} ici_told_t;

// A zeroed one is empty.
typedef struct ici_executions_t {
  POD_LIST(ici_told_t) told;
  ici_aborted_t aborted[ICI_ABORTED_MAX];
  int aborted_count;
  ici_ended_t ended[ICI_ENDED_MAX];  // The last ones.
  int ended_count, ended_next;
} ici_executions_t;

void ici_executions_deinit(ici_executions_t *executions);

// This chip is told about it. Does nothing when it has been, or when it is over.
void ici_executions_begin(ici_executions_t *executions, uint64_t execution);

// NULL: it was not told about, or is over. Borrowed until the next change.
ici_told_t *ici_executions_told(ici_executions_t *executions, uint64_t execution);

// Told about, and not over.
bool ici_executions_is_told(const ici_executions_t *executions, uint64_t execution);

// It may not go on; takes the status. The first reason counts, and the oldest is
// forgotten when there are too many. True: it is news.
bool ici_executions_abort(ici_executions_t *executions, uint64_t execution,
                          pod_status_t status);

// Why it may not go on; borrowed until the next change. NULL: it was not aborted.
pod_status_t ici_executions_reason(const ici_executions_t *executions,
                                   uint64_t execution);

void ici_executions_end(ici_executions_t *executions, uint64_t execution);

// NULL: it is not over, or long ago.
const ici_ended_t *ici_executions_ended(const ici_executions_t *executions,
                                        uint64_t execution);

#endif  // SERVER_ICI_EXECUTIONS_H_
