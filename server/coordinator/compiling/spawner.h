// The process that forks compile servers, and the way to ask it.
// Threading: as pool.h; the calls to the spawner are serialised by the caller.

#ifndef SERVER_COORDINATOR_COMPILING_SPAWNER_H_
#define SERVER_COORDINATOR_COMPILING_SPAWNER_H_

#include <stdint.h>
#include <sys/types.h>

#include "common/base/status.h"
#include "server/coordinator/compiling/pool.h"

typedef struct spawner_t {
  pid_t pid;    // 0: there is none.
  int control;  // -1: there is none.
} spawner_t;

// How a server has ended.
typedef struct spawner_end_t {
  int wait_status;
  int64_t peak_bytes;  // The most memory that it had.
} spawner_end_t;

// Forks it. `options` are copied into it as they are now.
POD_MUST_USE pod_status_t spawner_start(const compile_pool_options_t *options,
                                        spawner_t *out_spawner);

// Starts it when forking is not safe any more: a new process of this program, which is to
// be spawner_main. UNAVAILABLE, RESOURCE_EXHAUSTED.
POD_MUST_USE pod_status_t spawner_start_again(const compile_pool_options_t *options,
                                              spawner_t *out_spawner);

// Ends it and all servers, and reaps it. *out_wait_status: how it had ended (NULL: not
// asked for). Of one that there is not, too.
void spawner_stop(spawner_t *spawner, int *out_wait_status);

// A new server and its socket, which is the caller's to close. UNAVAILABLE: the spawner
// has gone; RESOURCE_EXHAUSTED: it could not fork.
POD_MUST_USE pod_status_t spawner_spawn(spawner_t *spawner, pid_t *out_pid, int *out_fd);

// Waits for the end of a server, which must be near: its socket has ended, or it was
// killed. UNAVAILABLE: it is not this spawner's, or that has gone.
POD_MUST_USE pod_status_t spawner_reap(spawner_t *spawner, pid_t pid,
                                       spawner_end_t *out_end);

#endif  // SERVER_COORDINATOR_COMPILING_SPAWNER_H_
