// What an executable's and an array's handle hold.

#ifndef CLIENT_LIB_EXECUTABLE_H_
#define CLIENT_LIB_EXECUTABLE_H_

#include "client/lib/session.h"

// Of a session that retries: what a program is compiled from again.
typedef struct lib_module_t {
  char *text;
  size_t length;
  uint8_t *header;  // The first message, packed, without the session.
  size_t header_bytes;
  // Loop thread.
  podium_executable_t *next;  // Of the session's.
  bool is_held;               // By the user.
  bool is_planned;
  pod_status_t error;  // It could not be compiled again.
} lib_module_t;

struct podium_executable {
  lib_handle_t handle;  // First.
  atomic_int count;     // By the user's handle, and by the runs of it (retry.h).
  pod_arena_t *arena;
  podium_program_info_t info;
  lib_module_t *module;  // NULL: the session does not retry.
};

// Counted: by the user's handle, and by each fetch of it, whose call may reach the
// coordinator after what is dispatched later. The last lets the coordinator free it.
struct podium_array {
  lib_handle_t handle;  // First.
  atomic_int count;
  podium_shape_t shape, local_shape;
  lib_origin_t *origin;  // Counted; it has the id. NULL: the session does not retry.
};

// A handle for an array that is on the chips, or will be.
podium_array_t *lib_array_create(podium_session_t *session, uint64_t id,
                                 const podium_shape_t *shape,
                                 const podium_shape_t *local_shape);

// Of a transfer whose turn it is: why it must not begin.
POD_MUST_USE pod_status_t lib_check_turn(const podium_session_t *session,
                                         int64_t deadline_ns, const char *what);

// Accepts NULL.
void lib_executable_release(podium_executable_t *executable);

#endif  // CLIENT_LIB_EXECUTABLE_H_
