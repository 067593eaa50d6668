// Where an address can be reached from.
//
// Threading: any; nothing is asked of a name service.

#ifndef COMMON_ACCESS_PLACE_H_
#define COMMON_ACCESS_PLACE_H_

#include <stdbool.h>

#include "common/base/status.h"

// Whether "HOST:PORT", "HOST", "[IPv6]:PORT" or "unix:PATH" is reached from this machine
// only: 127.0.0.0/8, ::1, localhost, a unix socket. Any other name may be anything.
bool access_is_local(const char *address);

// The port of "HOST:PORT" ("" when there is none, as of a unix socket). Points into
// `address`.
const char *access_port(const char *address);

// FAILED_PRECONDITION when `what` ("the coordinator's port") would be open to other hosts
// without encryption, and nobody has said that this is meant.
POD_MUST_USE pod_status_t access_check_listen(const char *what, const char *address,
                                              bool is_encrypted, bool is_insecure);

// FAILED_PRECONDITION when the daemon's figures would be there for other hosts, and
// nobody has said that this is meant: they go in the clear, to whoever asks.
POD_MUST_USE pod_status_t access_check_metrics(const char *address, bool is_insecure);

#endif  // COMMON_ACCESS_PLACE_H_
