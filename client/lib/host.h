// What a running program passes to this process and takes from it: the user's callbacks,
// on a thread that begins with the first of them and ends with the execution.
//
// Threading: create anywhere, all else on the loop thread.

#ifndef CLIENT_LIB_HOST_H_
#define CLIENT_LIB_HOST_H_

#include "client/lib/session.h"

typedef struct lib_host_t lib_host_t;

// NULL without callbacks.
lib_host_t *lib_host_create(podium_session_t *session, uint64_t execution,
                            int device_count, const podium_execute_options_t *options);

// The execution is called so, where it was not known when the host was made.
void lib_host_begin(lib_host_t *host, uint64_t execution);

// Is answered by a message on the session's Dispatch.
void lib_host_ask(lib_host_t *host, const Podium__V1__HostTransfer *transfer);

// The execution has ended: no callback begins any more. One that runs is not waited for;
// the thread frees the host then. Accepts NULL.
void lib_host_end(lib_host_t *host);

#endif  // CLIENT_LIB_HOST_H_
