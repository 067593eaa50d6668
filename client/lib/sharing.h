// Transfers by shared memory with chips of this host: what the coordinator offers
// (podium.v1.Sharing), carried out part by part between the caller's bytes and the rings.
//
// Threading: the session's loop thread; the bytes are copied on a thread of the session's
// own.
// Ownership: a sharing is its maker's, and borrows the bytes until lib_sharing_destroy.

#ifndef CLIENT_LIB_SHARING_H_
#define CLIENT_LIB_SHARING_H_

#include "client/lib/session.h"

enum {
  LIB_SHARED_BYTES_MIN = 256 << 10,  // What is less is there sooner by the call itself.
  LIB_SHARING_GRACE_MS = 2000,  // For the coordinator to say better why it went wrong.
};

typedef struct lib_sharing_t lib_sharing_t;

// The identity of this host, for OpenSession; "": no memory is to be shared
// (PODIUM_SHARED_MEMORY=0). Owned.
char *lib_sharing_host(void);

// Whether a transfer of so many bytes should ask for it.
bool lib_sharing_is_wanted(const podium_session_t *session, int64_t size_bytes);

// It cannot be: the session asks no more. Takes `why`.
void lib_sharing_give_up(podium_session_t *session, pod_status_t why);

// Of an array of `shape`, whose bytes are at `data` (read when `sends`, else written).
// NULL: nothing is offered. INVALID_ARGUMENT when the offer is not for such an array.
POD_MUST_USE pod_status_t lib_sharing_create(podium_session_t *session,
                                             const Podium__V1__Sharing *offer,
                                             const podium_shape_t *shape, void *data,
                                             bool sends, lib_sharing_t **out_sharing);

// Takes `status`. Never inside the function that asked.
typedef void (*lib_sharing_fn_t)(void *context, pod_status_t status);

// Makes sure that all workers concerned can be reached. True: they could before, and
// `ready` does not come.
bool lib_sharing_connect(lib_sharing_t *sharing, lib_sharing_fn_t ready, void *context);

// Moves all parts; `done` comes when all have been moved, or the first has failed.
void lib_sharing_start(lib_sharing_t *sharing, lib_sharing_fn_t done, void *context);

// Neither callback comes any more, and the bytes are left alone. Accepts NULL.
void lib_sharing_destroy(lib_sharing_t *sharing);

// Of a session whose loop has ended.
void lib_sharing_close(podium_session_t *session);

#endif  // CLIENT_LIB_SHARING_H_
