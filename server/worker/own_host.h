// Under which host others reach this worker.
//
// Threading: any; blocks where a name must be asked for. Ownership: texts are returned
// owned (free()).

#ifndef SERVER_WORKER_OWN_HOST_H_
#define SERVER_WORKER_OWN_HOST_H_

#include <stdbool.h>

#include "common/base/status.h"

// The host of this end of a connection to `coordinator`: "127.0.0.1" when that is on this
// machine, else the address of the interface that leads there, "10.0.0.7" or "[fd00::7]".
// UNAVAILABLE when nothing leads there or the name service does not know it.
POD_MUST_USE pod_status_t own_host_toward(const char *coordinator, char **out_host);

// The same, as long as it takes: the coordinator, its name and the network may come later
// than this worker. Other errors than UNAVAILABLE come at once.
POD_MUST_USE pod_status_t own_host_wait_toward(const char *coordinator, char **out_host);

// Whether "HOST:PORT" or "HOST" stands for all interfaces, 0.0.0.0 or [::]: one can
// listen there, and nobody can call it.
bool own_host_is_wildcard(const char *address);

bool own_host_is_loopback(const char *address);

// The host of "HOST:PORT", with its brackets.
char *own_host_of(const char *address);

// "HOST:PORT" with another host.
char *own_host_replace(const char *address, const char *host);

#endif  // SERVER_WORKER_OWN_HOST_H_
