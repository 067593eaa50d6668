// What a mover is made of: transfers, connections, and the thread that steps them.
//
// Threading: everything is guarded by the mover's mutex, which the thread holds except
// while it copies a chunk and while it sleeps. Connections are the thread's alone.

#ifndef COMMON_SHARED_MOVER_PRIVATE_H_
#define COMMON_SHARED_MOVER_PRIVATE_H_

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/shared/mover.h"
#include "common/shared/ring.h"
#include "common/shared/socket.h"

typedef struct shared_connection_t shared_connection_t;

typedef struct shared_job_t {
  struct shared_job_t *previous, *next;
  uint64_t number;
  shared_transfer_t transfer;
  char *path;  // Where it goes; NULL: it is expected.
  int64_t moved_bytes;
  shared_connection_t *connection;  // NULL: it waits for one.
  bool is_cancelled;                // Its connection is still to be closed.
} shared_job_t;

//   who comes:   GREETING ──WELCOME──> IDLE <──begun, ended──> BUSY
//   who listens: GREETING ───HELLO───> IDLE <──begun, ended──> BUSY
// Any error closes it.
typedef enum shared_state_t {
  SHARED_GREETING = 0,
  SHARED_IDLE,
  SHARED_BUSY,
} shared_state_t;

enum { SHARED_BEGUN_MAX = SHARED_CHUNKS + 1 };

struct shared_connection_t {
  shared_connection_t *previous, *next;
  shared_state_t state;
  int socket;
  char *path;  // Of who listens; NULL: we do.
  shared_ring_t ring;
  shared_job_t *job;  // While BUSY.
  // What the other process has begun and is still to be found here, in order: it may be
  // ahead of us by what the ring holds.
  shared_message_t begun[SHARED_BEGUN_MAX];
  int begun_count;
  int64_t since_ns;         // In this state, or since the last chunk.
  pod_status_t end_reason;  // It has to be closed; NULL: it has not.
};

enum { SHARED_CONNECTIONS_MAX = 512 };

struct shared_mover_t {
  shared_mover_options_t options;
  char *listen_path;  // NULL: nobody comes.
  int listener;       // -1: none.
  int wake;           // An eventfd.
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t copied;
  bool is_ending;
  uint64_t last_number;
  shared_job_t *copying;            // Its chunk is being copied, without the mutex.
  shared_job_t jobs;                // Head of a ring, in the order of their coming.
  shared_connection_t connections;  // Head of a ring.
  int connection_count;
};

// --- jobs (mover.c) ---

// Takes it from the list and tells it; takes `status`.
void shared_job_end(shared_job_t *job, pod_status_t status);
void shared_job_free(shared_job_t *job);

// --- connections (connection.c): the thread, with the mutex ---

void shared_connections_accept(shared_mover_t *mover);

// Reads what has come.
void shared_connection_read(shared_mover_t *mover, shared_connection_t *connection);

// Gives connections to transfers that wait, and new ones to paths that have none.
void shared_connections_begin(shared_mover_t *mover);

// At most one chunk. False: there is nothing to do before somebody wakes us.
bool shared_connection_step(shared_mover_t *mover, shared_connection_t *connection);

// Ends what has waited too long.
void shared_connection_check_time(shared_mover_t *mover, shared_connection_t *connection,
                                  int64_t now_ns);

// Closes those with a reason, or all.
void shared_connections_sweep(shared_mover_t *mover, bool all);

#endif  // COMMON_SHARED_MOVER_PRIVATE_H_
