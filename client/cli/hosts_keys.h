// The certificates, keys and secret of a pod on other machines, and what of them each of
// its daemons is told, with its flags.
//
// Threading: the main thread.

#ifndef CLIENT_CLI_HOSTS_KEYS_H_
#define CLIENT_CLI_HOSTS_KEYS_H_

#include "client/cli/hosts_pod.h"

// In FOLDER/keys: the token of who administers.
#define CLI_HOSTS_TOKEN "administer.token"

typedef struct cli_hosts_keys_t cli_hosts_keys_t;

// Makes them in FOLDER/keys, for the addresses that the machines were probed to have.
// Borrows the hosts.
POD_MUST_USE pod_status_t cli_hosts_keys_make(const launch_pod_t *hosts,
                                              const char *folder,
                                              cli_hosts_keys_t **out_keys);

// Frees what the starts below point to; the files stay. Accepts NULL.
void cli_hosts_keys_free(cli_hosts_keys_t *keys);

// For the coordinator.
POD_MUST_USE pod_status_t cli_hosts_keys_serve(cli_hosts_keys_t *keys,
                                               const cli_hosts_options_t *options,
                                               const char *topology,
                                               launch_start_t *out_start);

// For a host of so many chips, to join the coordinator.
POD_MUST_USE pod_status_t cli_hosts_keys_host(cli_hosts_keys_t *keys, int32_t index,
                                              const char *coordinator, int32_t chips,
                                              launch_start_t *out_start);

#endif  // CLIENT_CLI_HOSTS_KEYS_H_
