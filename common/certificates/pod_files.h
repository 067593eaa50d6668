// The files with which the daemons and users of a pod prove who they are, in one folder:
//
//   ca.crt, ca.key                      the pod's own authority
//   coordinator.crt, .key               of the role `coordinator`, for all hosts
//   worker.crt, .key                    of the role `worker`, for all hosts
//   read.crt, run.crt, administer.crt   of clients with these roles; .key likewise
//   pod.secret                          64 hexadecimal digits
//   tokens                              lines of ROLE NAME TOKEN, one a role
//
// Keys, secret and tokens have mode 0600, a folder that is made 0700.
//
// Threading: any.
// Errors: ALREADY_EXISTS names a file that would be overwritten; then, as with any other
// error of the options, nothing has been written. INVALID_ARGUMENT for hosts and names
// that no certificate can hold, NOT_FOUND for an authority that is not there.

#ifndef COMMON_CERTIFICATES_POD_FILES_H_
#define COMMON_CERTIFICATES_POD_FILES_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/base/text.h"

enum { POD_FILES_DAYS_MAX = 36500, POD_FILES_AUTHORITY_DAYS = 3650 };

typedef struct pod_files_options_t {
  // Made when it is not there; its parent must be. FAILED_PRECONDITION when other users
  // may write to it.
  const char *folder;
  // Names and addresses of the machines with daemons. That of this machine, localhost,
  // 127.0.0.1 and ::1 are added.
  const char *const *hosts;
  size_t host_count;
  int days;  // How long certificates are valid; the authority at least
             // POD_FILES_AUTHORITY_DAYS.
  bool may_overwrite;
} pod_files_options_t;

// All of them. `out_paths` (may be NULL) gets a line for each file that was written.
POD_MUST_USE pod_status_t pod_files_write(const pod_files_options_t *options,
                                          pod_text_t *out_paths);

// One more certificate by the authority in the folder: NAME.crt and NAME.key, of `role`
// ("read", "run", "administer", "worker" or "coordinator"). With hosts of the options,
// and those alone, it is for a daemon on them; without, for a client.
POD_MUST_USE pod_status_t pod_files_add(const pod_files_options_t *options,
                                        const char *name, const char *role,
                                        pod_text_t *out_paths);

#endif  // COMMON_CERTIFICATES_POD_FILES_H_
