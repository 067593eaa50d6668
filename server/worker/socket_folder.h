// A folder of this process' own for the ipc:// sockets of its links:
// $XDG_RUNTIME_DIR/podium/worker-XXXXXX, or below /tmp/podium-UID; where somebody else
// has taken that name, /tmp/podium-UID-XXXXXX.
//
// Nobody else can enter it, and it goes with the process: at exit by itself, after a kill
// by the next worker that makes one (a lock tells whose owner still lives, whatever the
// process ids say).
//
// Threading: one thread at a time.

#ifndef SERVER_WORKER_SOCKET_FOLDER_H_
#define SERVER_WORKER_SOCKET_FOLDER_H_

#include "common/base/status.h"

typedef struct socket_folder_t socket_folder_t;

// Makes it, and removes those of dead workers, in /tmp itself too. FAILED_PRECONDITION
// when none can be made.
POD_MUST_USE pod_status_t socket_folder_create(socket_folder_t **out_folder);

// Removes it with what is in it. Accepts NULL.
void socket_folder_destroy(socket_folder_t *folder);

// Borrowed.
const char *socket_folder_path(const socket_folder_t *folder);

#endif  // SERVER_WORKER_SOCKET_FOLDER_H_
