// Which processes can use unix sockets between them: those whose identity is the same.

#ifndef COMMON_SHARED_HOST_IDENTITY_H_
#define COMMON_SHARED_HOST_IDENTITY_H_

#include "common/base/text.h"

// Of the running kernel, the network and mount namespaces, the root folder and the user:
// a path is a socket that both can open only when all of these agree. What the system
// does not tell is replaced by the process id, which makes the identity nobody else's.
void host_identity_print(pod_text_t *text);

#endif  // COMMON_SHARED_HOST_IDENTITY_H_
