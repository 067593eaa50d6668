// Files that the commands write: as they are, or through gzip. Which files those are, and
// when they appear, is said in common/base/output_file.h.
//
// Errors: a write that fails is remembered and told by cli_output_close.

#ifndef CLIENT_CLI_OUTPUT_H_
#define CLIENT_CLI_OUTPUT_H_

#include <stdbool.h>
#include <stddef.h>

#include "common/base/status.h"

typedef struct cli_output_t cli_output_t;

// As pod_output_file_open.
POD_MUST_USE pod_status_t cli_output_open(const char *path, bool is_gzip,
                                          cli_output_t **out_output);

void cli_output_write(cli_output_t *output, const void *bytes, size_t size_bytes);
void cli_output_add(cli_output_t *output, const char *text);

// Frees it. RESOURCE_EXHAUSTED when not all is on the disk.
POD_MUST_USE pod_status_t cli_output_close(cli_output_t *output);

#endif  // CLIENT_CLI_OUTPUT_H_
