// The profiles that the processes of a command left in a folder
// (client/pjrt/run_profile.c), and where the user wants them.
//
// Threading: the main thread.

#ifndef CLIENT_CLI_SPACES_H_
#define CLIENT_CLI_SPACES_H_

#include <stdbool.h>
#include <stddef.h>

#include "common/base/status.h"

// An XSpace of one process.
typedef struct cli_space_t {
  char *process;  // Its id, as text.
  char *bytes;
  size_t size;
} cli_space_t;

// Whether `path` can take them: FILE.json or FILE.json.gz, a trace for Perfetto, or a
// folder for TensorBoard and XProf. Says so before anything runs.
POD_MUST_USE pod_status_t cli_check_profile(const char *path);

// Moves what is in `folder` to `path`. NOT_FOUND when there is nothing: no process of the
// command has loaded the plugin.
POD_MUST_USE pod_status_t cli_collect_profile(const char *folder, const char *path);

// A Chrome trace of all (space_trace.c): a process per chip, on one axis. INTERNAL when a
// space is none.
POD_MUST_USE pod_status_t cli_write_space_trace(const char *path, bool is_gzip,
                                                const cli_space_t *spaces, int count);

#endif  // CLIENT_CLI_SPACES_H_
