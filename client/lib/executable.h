// What an executable's handle holds.

#ifndef CLIENT_LIB_EXECUTABLE_H_
#define CLIENT_LIB_EXECUTABLE_H_

#include "client/lib/session.h"

struct podium_executable {
  lib_handle_t handle;  // First.
  pod_arena_t *arena;
  podium_program_info_t info;
};

// Counted: by the user's handle, and by each fetch of it, whose call may reach the
// coordinator after what is dispatched later. The last lets the coordinator free it.
struct podium_array {
  lib_handle_t handle;  // First.
  atomic_int count;
  podium_shape_t shape, local_shape;
};

// A handle for an array that is on the chips, or will be.
podium_array_t *lib_array_create(podium_session_t *session, uint64_t id,
                                 const podium_shape_t *shape,
                                 const podium_shape_t *local_shape);

#endif  // CLIENT_LIB_EXECUTABLE_H_
