// A file that a user has named for output: written whole or not at all where that is
// possible, and never in the way of what is there already.
//
// A regular file, or none yet: the bytes go to a file beside it, which takes its place
// when all have been written; readers see the old content or the new one. Symbolic links
// are followed, also to a file that is not there yet. A device, a FIFO and a file that is
// open already (/dev/stdout, /dev/fd/3) are written as they are.
//
// Threading: a file belongs to one thread; pod_output_files_remove is for any thread.
// Errors: NOT_FOUND, PERMISSION_DENIED, RESOURCE_EXHAUSTED (the disk is full) or
// INVALID_ARGUMENT with the path and the system's words.

#ifndef COMMON_BASE_OUTPUT_FILE_H_
#define COMMON_BASE_OUTPUT_FILE_H_

#include <stddef.h>

#include "common/base/status.h"

typedef struct pod_output_file_t pod_output_file_t;

// Whether the file could be written now: its folder is there and takes files, it is no
// folder itself. Nothing is made or opened.
POD_MUST_USE pod_status_t pod_output_file_check(const char *path);

POD_MUST_USE pod_status_t pod_output_file_open(const char *path,
                                               pod_output_file_t **out_file);

// To write to; borrowed.
int pod_output_file_descriptor(const pod_output_file_t *file);

POD_MUST_USE pod_status_t pod_output_file_write(pod_output_file_t *file,
                                                const void *bytes, size_t size_bytes);

// All has been written: puts it in its place and frees the file. With `failed` (takes it,
// and returns it) what was written is thrown away instead.
POD_MUST_USE pod_status_t pod_output_file_close(pod_output_file_t *file,
                                                pod_status_t failed);

// For a process about to end by a signal: removes what unfinished files of all threads
// have written so far. They cannot be finished afterwards.
void pod_output_files_remove(void);

#endif  // COMMON_BASE_OUTPUT_FILE_H_
