// Where the lines of a pod's logs come from: the files of a local pod's folder, or those
// on other machines by ssh.
//
// Threading: the main thread.

#ifndef CLIENT_CLI_LOG_SOURCES_H_
#define CLIENT_CLI_LOG_SOURCES_H_

#include "client/cli/cli.h"
#include "client/cli/log_lines.h"

typedef struct cli_log_sources_t cli_log_sources_t;

// Borrows the pod. `lines_max` of each file at most, the last ones; -1: all.
cli_log_sources_t *cli_log_sources_open(const cli_pod_t *pod, int64_t lines_max,
                                        bool follows);
void cli_log_sources_close(cli_log_sources_t *sources);

// Adds what has come, waiting up to `timeout_ms` for it. False: nothing comes any more.
// What a machine has to say for itself ("connection refused") goes to standard error;
// *out_failed counts machines whose logs were not had.
bool cli_log_sources_read(cli_log_sources_t *sources, int timeout_ms,
                          cli_log_lines_t *lines, int *out_failed);

// Whether every machine has begun to tell, has ended, or has had its time for it.
bool cli_log_sources_have_told(const cli_log_sources_t *sources);

#endif  // CLIENT_CLI_LOG_SOURCES_H_
