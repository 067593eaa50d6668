// What local_pod.c and pod_state.c share.

#ifndef CLIENT_CLI_LOCAL_POD_H_
#define CLIENT_CLI_LOCAL_POD_H_

#include "client/cli/cli.h"

enum { CLI_POD_PROCESSES_MAX = 4097 };

// "FOLDER/NAME". Returns owned.
char *cli_path(const char *folder, const char *name);

// A folder that no one else can enter, below TMPDIR or /tmp; mkdtemp replaces the six X
// at the end of `name`. Returns owned.
POD_MUST_USE pod_status_t cli_make_temporary(const char *name, char **out_folder);

// With all that is in it.
void cli_remove_folder(const char *folder);

// The time a process started, in clock ticks since boot, tells it from another one that
// got its pid later. -1 when there is none, or when it has ended and only waits for a
// parent that does not ask: in a container that may be for ever.
long long cli_process_start(int64_t pid);

// From now on the pod does not end with this process. With the lock of interrupts.h.
void cli_pod_outlives(cli_pod_t *pod);

#endif  // CLIENT_CLI_LOCAL_POD_H_
