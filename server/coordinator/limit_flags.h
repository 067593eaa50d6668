// The flags that say how much of a pod one client may have.
//
// Threading: any one thread.

#ifndef SERVER_COORDINATOR_LIMIT_FLAGS_H_
#define SERVER_COORDINATOR_LIMIT_FLAGS_H_

#include <argp.h>
#include <stdint.h>

#include "server/coordinator/core/accounts.h"

typedef struct limit_flags_t {
  account_limits_t of_client;
  int64_t execution_seconds;  // How long an execution may run; 0: for ever.
} limit_flags_t;

// What is not said on the command line.
limit_flags_t limit_flags_default(void);

// For the children of the coordinator's own argp, which sets its input to a limit_flags_t
// at ARGP_KEY_INIT.
extern const struct argp limit_flags_argp;

#endif  // SERVER_COORDINATOR_LIMIT_FLAGS_H_
