// The store's folder as the module itself sees it: opened without following links, and
// the system's errors in our words.
//
// Threading: any.
// Errors: see job_store.h.

#ifndef SERVER_JOBS_FOLDER_H_
#define SERVER_JOBS_FOLDER_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"

// The error `error` (of errno) met while doing `what` to `path`, in which `size_bytes`
// were to be written (0: does not matter). RESOURCE_EXHAUSTED when the disk is full.
POD_MUST_USE pod_status_t job_folder_error(int error, const char *path,
                                           int64_t size_bytes, const char *what);

// Whether errno's value says that there is no room.
bool job_folder_is_full(int error);

// Bytes that may still be written there; -1 when the file system does not say.
int64_t job_folder_free_bytes(int fd);

// Opens a folder that is ours alone; with `is_made` makes it, with mode 0700, when there
// is none. `name` is seen from the folder `at` (AT_FDCWD: from here); links are not
// followed within a store, where `at` is a descriptor. `path` is for messages.
POD_MUST_USE pod_status_t job_folder_open(int at, const char *name, const char *path,
                                          bool is_made, int *out_fd);

POD_MUST_USE pod_status_t job_folder_sync(int fd, const char *path);

// Calls for each name in the folder but "." and "..", until an error.
POD_MUST_USE pod_status_t job_folder_each(int fd, const char *path,
                                          pod_status_t (*each)(void *user,
                                                               const char *name),
                                          void *user);

#endif  // SERVER_JOBS_FOLDER_H_
