// A table in memory that the workers of one user on one host share: what each holds and
// has promised. A worker has a row as long as it lives; a lock on the file, which the
// kernel takes back with the process, tells whose rows are still somebody's.
//
// Threading: the figures may be written and read on any thread; open and close once.

#ifndef SERVER_WORKER_HOST_LEDGER_H_
#define SERVER_WORKER_HOST_LEDGER_H_

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { HOST_LEDGER_ROWS = 1024 };

typedef struct host_ledger_row_t {
  _Atomic int64_t held_bytes, promised_bytes;
} host_ledger_row_t;

typedef struct host_ledger_t {
  int fd;  // -1: of this process alone, there is nothing to share.
  host_ledger_row_t *rows;
  int32_t own;  // This process's row.
} host_ledger_t;

// `name` as shm_open has it. Never fails: where it cannot be shared, or others could
// write to it, the table is the process's own.
void host_ledger_open(host_ledger_t *ledger, const char *name);

// The last one removes the table.
void host_ledger_close(host_ledger_t *ledger, const char *name);

// Of all rows. With `looks_for_dead` the rows of dead processes are emptied first.
void host_ledger_sum(host_ledger_t *ledger, bool looks_for_dead, int64_t *out_held_bytes,
                     int64_t *out_promised_bytes, int32_t *out_processes);

#endif  // SERVER_WORKER_HOST_LEDGER_H_
