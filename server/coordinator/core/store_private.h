// What the files of the store share. Not for others.

#ifndef SERVER_COORDINATOR_CORE_STORE_PRIVATE_H_
#define SERVER_COORDINATOR_CORE_STORE_PRIVATE_H_

#include "common/base/map.h"
#include "server/coordinator/core/store.h"

struct store_t {
  store_events_t events;
  uint64_t next_id;
  uint64_t next_session;
  uint64_t next_range;     // Of ids that are a session's own.
  pod_map_t *sessions;     // Of store_session_t, closing ones too.
  pod_map_t *handles;      // The same by their handles.
  pod_map_t *arrays;       // Of store_array_t, dropped ones too.
  pod_map_t *executables;  // Of store_executable_t, likewise.
};

// Nobody uses it any more; its session forgets it.
void store_executable_free(store_executable_t *executable);

#endif  // SERVER_COORDINATOR_CORE_STORE_PRIVATE_H_
