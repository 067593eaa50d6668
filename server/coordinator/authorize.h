// Who may call which method of the coordinator: common/access, fed with what common/rpc
// knows of a call.
//
// Threading: the loop thread.

#ifndef SERVER_COORDINATOR_AUTHORIZE_H_
#define SERVER_COORDINATOR_AUTHORIZE_H_

#include "common/access/access.h"
#include "common/base/status.h"
#include "common/rpc/rpc.h"

// An rpc_authorize_fn_t; `access` is a const access_t.
POD_MUST_USE pod_status_t authorize_call(rpc_call_t *call, const char *path,
                                         void *access);

// Who calls. UNAUTHENTICATED as of access_identify.
POD_MUST_USE pod_status_t authorize_identify(const access_t *access,
                                             const rpc_call_t *call,
                                             access_identity_t *out_identity);

// What methods.def says of it.
access_role_t authorize_role_of(const char *path);

#endif  // SERVER_COORDINATOR_AUTHORIZE_H_
