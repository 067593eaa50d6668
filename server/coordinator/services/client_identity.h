// Whose account a call goes to (core/accounts.h): that of who calls, as far as he is
// known (common/access). Of those that anybody can be, on an open pod, each host is one.
//
// Threading: the loop thread.

#ifndef SERVER_COORDINATOR_SERVICES_CLIENT_IDENTITY_H_
#define SERVER_COORDINATOR_SERVICES_CLIENT_IDENTITY_H_

#include "common/rpc/rpc.h"

// As people read it, of the caller's name: "token ci", "anybody at 10.0.0.7". Returns
// owned (free()).
char *client_identity(const rpc_call_t *call, const char *caller);

#endif  // SERVER_COORDINATOR_SERVICES_CLIENT_IDENTITY_H_
