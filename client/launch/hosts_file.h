// The machines of a pod, a line each, for people who have ssh:
//
//   # host             what it gives                 how ssh reaches it
//   tpu-1.example      chips=4
//   ann@10.0.0.2       chips=4 address=192.168.7.2    -p 2222 -i ~/.ssh/pod
//
// The first word is ssh's destination, [user@]host. What follows, in any order:
//   chips=N      chips of the machine; all of a pod have as many
//   rank=R       its block of the torus, from 0; all say one, or none: then they have
//                them in the order of the lines
//   address=A    by which the others reach it, where that is not the address that ssh
//                reached
//   bin=FOLDER   where Podium's programs are there
//   anything else is ssh's: from the first word that begins with '-' on.
// Words are separated by blanks; '…' and "…" hold blanks together. '#' begins a comment.
//
// Threading: pure.
// Ownership: launch_hosts_deinit frees a list and all that is in it.
// Errors: INVALID_ARGUMENT with file and line.

#ifndef CLIENT_LAUNCH_HOSTS_FILE_H_
#define CLIENT_LAUNCH_HOSTS_FILE_H_

#include <stdint.h>

#include "common/base/list.h"
#include "common/base/status.h"

enum { LAUNCH_HOSTS_MAX = 1024, LAUNCH_CHIPS_MAX = 4096 };

typedef struct launch_host_t {
  char *destination;
  char *address, *folder_of_programs;  // NULL: not said.
  POD_LIST(char *) options;            // Of ssh.
  int32_t chips;                       // 0: not said.
  int32_t rank;
} launch_host_t;

typedef POD_LIST(launch_host_t) launch_hosts_t;  // By rank.

// `text` is what stands in the file `path`, which is named in errors. An empty list to
// start with.
POD_MUST_USE pod_status_t launch_hosts_parse(const char *path, const char *text,
                                             launch_hosts_t *out_hosts);
void launch_hosts_deinit(launch_hosts_t *hosts);

// INVALID_ARGUMENT for what ssh would take for an option, or a shell for more than a
// name.
POD_MUST_USE pod_status_t launch_check_destination(const char *destination);

#endif  // CLIENT_LAUNCH_HOSTS_FILE_H_
