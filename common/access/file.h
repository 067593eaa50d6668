// Files that hold secrets.
//
// Threading: any.
// Ownership: texts are returned owned (free()).
// Errors: NOT_FOUND or INVALID_ARGUMENT for what cannot be read; FAILED_PRECONDITION when
// others may read or change it.

#ifndef COMMON_ACCESS_FILE_H_
#define COMMON_ACCESS_FILE_H_

#include <stddef.h>

#include "common/base/status.h"

enum { ACCESS_FILE_BYTES_MAX = 1 << 20 };

// The file's text, NUL-terminated. It must be ours or root's, and nobody but its owner
// and group may read it, nobody but its owner change it.
POD_MUST_USE pod_status_t access_read_file(const char *path, char **out_text,
                                           size_t *out_length);

// The first line of such a file, which must be all that it has.
POD_MUST_USE pod_status_t access_read_line(const char *path, char **out_line);

// Forgets the text and frees it. Accepts NULL.
void access_forget(char *text);

// Made with mode 0700, or found as a folder that is ours alone.
POD_MUST_USE pod_status_t access_make_private(const char *path);

#endif  // COMMON_ACCESS_FILE_H_
