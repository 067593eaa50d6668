// Moves bytes between this process and others of the same host and user, through rings of
// shared memory (ring.h), on a thread of its own.
//
//   the process that listens                    the one that comes
//   expect(token, what to do) ◄── another way: the token, the path ── start(path, token,
//   …)
//              └────────── unix socket: the ring, the token ──────────┘
//              └═══════════════ ring: the bytes ═══════════════════════┘
//
// A transfer is known by a token that cannot be guessed, which both sides have been told
// by somebody else. Whoever comes has to be of the same user, hands over a ring that
// cannot be taken away, and names a token that is expected; one that comes before it is
// expected waits. Transfers of one connection follow each other.
//
// Errors: UNAVAILABLE when nobody listens, the other process goes away or memory cannot
// be shared; PERMISSION_DENIED for another user; DEADLINE_EXCEEDED when nothing moves for
// stall_ms; DATA_LOSS when the other process says what cannot be. The transfer that meets
// one ends with it, and its connection with that.
// Threading: all functions are for any thread, except from within `copy` and `done`,
// which come on the mover's thread. Ownership: what transfers point to lives until `done`
// or a cancel that has found them.

#ifndef COMMON_SHARED_MOVER_H_
#define COMMON_SHARED_MOVER_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"

enum { SHARED_TOKEN_BYTES = 16 };

typedef struct shared_mover_t shared_mover_t;

typedef struct shared_mover_options_t {
  const char *listen;  // A path; NULL: this process only comes to others.
  // For tests; 0: what follows.
  int64_t greet_ms;  // For a new connection to be of use, a token to be expected; 10 s.
  int64_t stall_ms;  // Without a byte; 60 s.
  int64_t idle_ms;   // After which the process that came closes its connection; 30 s.
} shared_mover_options_t;

typedef struct shared_transfer_t {
  uint8_t token[SHARED_TOKEN_BYTES];
  // Both sides say so of themselves; they have to agree.
  bool sends;  // From here to the other process.
  int64_t
      size_bytes;  // > 0; with shared_mover_start also 0: only the connection is made.
  // The next `bytes` of it, from `offset` on, into `chunk` or out of it.
  void (*copy)(void *context, int64_t offset, void *chunk, size_t bytes);
  // All has been copied, or not; takes `status`. Exactly once unless it is cancelled.
  // Must not wait.
  void (*done)(void *context, pod_status_t status);
  void *context;
} shared_transfer_t;

// Starts the thread. UNAVAILABLE when the path cannot be listened at. `options` may be
// NULL.
POD_MUST_USE pod_status_t shared_mover_create(const shared_mover_options_t *options,
                                              shared_mover_t **out_mover);

// Ends all connections; transfers that are left are forgotten, their `done` does not
// come. Accepts NULL.
void shared_mover_destroy(shared_mover_t *mover);

// Waits for somebody with the token, without a deadline. Returns a number > 0.
uint64_t shared_mover_expect(shared_mover_t *mover, const shared_transfer_t *transfer);

// Goes to who listens at `path`. Returns a number > 0.
uint64_t shared_mover_start(shared_mover_t *mover, const char *path,
                            const shared_transfer_t *transfer);

// True: neither `copy` nor `done` comes any more. False: `done` has come. Waits for a
// copy of a chunk that is under way.
bool shared_mover_cancel(shared_mover_t *mover, uint64_t transfer);

#endif  // COMMON_SHARED_MOVER_H_
