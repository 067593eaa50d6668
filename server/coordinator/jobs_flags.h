// The flags of the jobs that a coordinator keeps.
//
// Threading: any one thread. Ownership: borrows the command line.

#ifndef SERVER_COORDINATOR_JOBS_FLAGS_H_
#define SERVER_COORDINATOR_JOBS_FLAGS_H_

#include <argp.h>

#include "server/coordinator/coordinator.h"

// What is not said on the command line.
coordinator_jobs_options_t jobs_flags_default(void);

// For the children of the coordinator's own argp, which sets its input to a
// coordinator_jobs_options_t at ARGP_KEY_INIT.
extern const struct argp jobs_flags_argp;

#endif  // SERVER_COORDINATOR_JOBS_FLAGS_H_
