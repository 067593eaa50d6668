// Pods on other machines, of `podium up --hosts`: what is kept of them here, and their
// beginning and end. Their folder, beside those of local pods, also has the keys with
// which this user calls them (FOLDER/keys).
//
// Threading: the main thread.

#ifndef CLIENT_CLI_HOSTS_POD_H_
#define CLIENT_CLI_HOSTS_POD_H_

#include <cjson/cJSON.h>

#include "client/cli/cli.h"
#include "client/launch/pod.h"

typedef struct cli_hosts_options_t {
  const char *file;         // Of the hosts; "-": standard input.
  const char *coordinator;  // The host to run it on; NULL: the first.
  const char *chip;         // As of cli_pod_options_t.
  const char *topology;     // NULL: for four chips on each host, or what they say.
  const char *name;
  const char *ssh, *ssh_config;  // NULL: "ssh", the user's.
  int64_t port;                  // Of the coordinator; 0: any.
  int64_t ssh_timeout_ms;        // Until a host must have answered.
  int64_t timeout_ms;            // Until all chips must be there.
  const char *jobs;  // Where the coordinator keeps them; NULL: in the pod's folder there.
  const char *execution_seconds;
} cli_hosts_options_t;

// `podium up --hosts`. Returns the exit status.
int cli_up_hosts(const cli_hosts_options_t *options);

// `podium down --hosts`: ends what pods of this name have left on the hosts, also of
// another machine's `podium up`.
int cli_down_hosts(const cli_hosts_options_t *options);

// The hosts of a file, with what ssh needs.
POD_MUST_USE pod_status_t cli_hosts_read(const cli_hosts_options_t *options,
                                         const char *tag, launch_pod_t **out_hosts);
void cli_hosts_free(launch_pod_t *hosts);

// As a part of pod.json, and back; DATA_LOSS for anything else. `folder` is the pod's.
cJSON *cli_hosts_state(const launch_pod_t *hosts);
POD_MUST_USE pod_status_t cli_hosts_parse_state(const cJSON *state, const char *folder,
                                                launch_pod_t **out_hosts);

// Ends it and takes it, as cli_pod_end.
POD_MUST_USE pod_status_t cli_hosts_end(cli_pod_t *pod);

// The same, with progress.
POD_MUST_USE pod_status_t cli_hosts_end_shown(cli_pod_t *pod);

// What is started from now on calls the pod with the keys of its folder, unless the
// command line has named others.
void cli_hosts_use_keys(const cli_pod_t *pod);

// Ends a pod that `podium up --hosts` was starting when a signal came. With the lock of
// interrupts.h.
void cli_hosts_interrupted(void);

// Processes of this program for client/launch, with the lock of interrupts.h.
launch_children_t *cli_hosts_children(void);

#endif  // CLIENT_CLI_HOSTS_POD_H_
