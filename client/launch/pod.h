// The daemons of a pod on several machines: found, started, asked and ended by ssh, on
// all machines beside each other.
//
// Threading: one thread at a time.
// Ownership: launch_pod_deinit frees all that a pod points to but `children`.
// Errors: UNAVAILABLE for a machine that ssh does not reach, FAILED_PRECONDITION for one
// that has not what it needs; the message names every machine that fails, and why.

#ifndef CLIENT_LAUNCH_POD_H_
#define CLIENT_LAUNCH_POD_H_

#include <stdbool.h>

#include "client/launch/hosts_file.h"
#include "client/launch/remote.h"
#include "client/launch/script.h"

typedef struct launch_machine_t {
  // As the machine said when it was probed; NULL: it was not.
  char *program, *base, *address;
  char *error;     // Of the last call; NULL: it went well.
  char *output;    // Of the last call; never NULL then.
  bool is_wanted;  // To be called next.
} launch_machine_t;

typedef struct launch_pod_t {
  launch_hosts_t hosts;
  launch_machine_t *machines;  // By host.
  int32_t coordinator;         // Whose machine the coordinator runs on.
  char *tag;                   // Of all its folders: "NAME-1a2b3c4d".
  char *ssh, *ssh_config;      // NULL: "ssh", the user's.
  char *control;               // A folder for connections that are shared; NULL: none.
  int64_t ssh_timeout_ms;      // Until a machine must have answered.
  launch_children_t *children;
  // Told of each machine that has answered, and why not (NULL: it did); may be NULL.
  void (*answered)(void *context, int32_t index, const char *error);
  void *context;
} launch_pod_t;

// Takes the hosts. Nothing is known of the machines yet.
void launch_pod_init(launch_pod_t *pod, launch_hosts_t *hosts, const char *tag);
void launch_pod_deinit(launch_pod_t *pod);

// What podium-host of which version is where. `own_folder` is looked at last;
// `version` is what it must be ("0.1.0").
POD_MUST_USE pod_status_t launch_pod_probe(launch_pod_t *pod, const char *own_folder,
                                           const char *version);

// Where on the machine the host's (or the coordinator's) daemons have their files.
// Returns owned; NULL: it was not probed.
char *launch_pod_folder(const launch_pod_t *pod, int32_t index, bool is_coordinator);

// Runs podium-host on the coordinator's machine, as launch_script_start; *out_address is
// what it listens on. Of `start` folder and program need not be filled in.
POD_MUST_USE pod_status_t launch_pod_serve(launch_pod_t *pod, const launch_start_t *start,
                                           char **out_address);

// Runs podium-host on every machine. `starts` is by host.
POD_MUST_USE pod_status_t launch_pod_start_hosts(launch_pod_t *pod,
                                                 const launch_start_t *starts);

// Asks the machines that are wanted what has become of their podium-host: their `error`
// says why it does not run, or what its daemons complain of ("" when they do not).
void launch_pod_ask(launch_pod_t *pod);

// Ends everything of the pod: workers first. A machine that cannot be reached keeps its
// `error`; the others are forgotten (`program` is NULL). Returns how many are left.
int32_t launch_pod_stop(launch_pod_t *pod);

// Ends what pods of this name have left, whoever started them. Needs no probe.
POD_MUST_USE pod_status_t launch_pod_sweep(launch_pod_t *pod, const char *name,
                                           int32_t *out_stopped);

// `ssh … HOST 'exec sh -s'`, for streams. Returns owned, with all its words.
char **launch_pod_command(const launch_pod_t *pod, int32_t index);
void launch_command_free(char **command);

// Closes the shared connections.
void launch_pod_hang_up(launch_pod_t *pod);

#endif  // CLIENT_LAUNCH_POD_H_
