// A program started from a process that has threads (which may not fork and go on): with
// the descriptors that it is given and no others, none of our signal handlers or masks.
//
//   const int files[] = {socket};
//   POD_TRY(pod_child_start(&(pod_child_t){.path = path, .arguments = arguments,
//                                          .input = -1, .output = -1,
//                                          .files = files, .file_count = 1}, &pid));
//
// Threading: any thread. A child that asks for pod_child_end_with dies with the THREAD
// that started it, as the kernel has it (PR_SET_PDEATHSIG): that must be one that lives
// as long as the process does, or the child has to notice in another way, such as the end
// of a socket.
// Ownership: the descriptors stay the caller's; the child is the caller's to wait for.

#ifndef COMMON_BASE_CHILD_H_
#define COMMON_BASE_CHILD_H_

#include <stddef.h>
#include <sys/types.h>

#include "common/base/status.h"

enum { POD_CHILD_FILES_MAX = 8, POD_CHILD_FIRST_FILE = 3 };

typedef struct pod_child_t {
  const char *path;              // POD_CHILD_SELF: this program, as it runs.
  const char *const *arguments;  // With the name first, NULL last.
  int input, output;             // Its standard ones; -1: /dev/null. Errors go to ours.
  const int *files;              // Become 3, 4, … in the child.
  size_t file_count;             // POD_CHILD_FILES_MAX at most.
} pod_child_t;

// Found also when its file has been replaced or removed since.
#define POD_CHILD_SELF "/proc/self/exe"

// RESOURCE_EXHAUSTED: the system has no process or descriptor for it; UNAVAILABLE: there
// is no such program.
POD_MUST_USE pod_status_t pod_child_start(const pod_child_t *child, pid_t *out_pid);

// In the child: `signal` comes when the parent ends, now if it has ended already.
void pod_child_end_with(pid_t parent, int signal);

#endif  // COMMON_BASE_CHILD_H_
