// Arrays that Dispatch declares, for a PutArray to fill.

#ifndef SERVER_COORDINATOR_SERVICES_PUT_H_
#define SERVER_COORDINATOR_SERVICES_PUT_H_

#include "server/coordinator/coordinator_private.h"

// The array can be used from now on; where it cannot be, what uses it is told why.
void put_declare(const coordinator_t *coordinator, store_session_t *session,
                 const Podium__V1__PutArrayRequest *message);

#endif  // SERVER_COORDINATOR_SERVICES_PUT_H_
