// The inside of libpodium: a session, its loop thread, and how a blocking call waits for
// it.
//
// Threading: fields of podium_session are set before the loop thread starts, or belong to
// the loop thread, or are guarded by `mutex`, as said.

#ifndef CLIENT_LIB_SESSION_H_
#define CLIENT_LIB_SESSION_H_

#include <pthread.h>

#include "client/lib/podium.h"
#include "common/base/arena.h"
#include "common/base/status.h"
#include "common/rpc/rpc.h"
#include "common/tensor/shape.h"
#include "proto/podium/v1/podium.pb-c.h"

enum { LIB_CHUNK_BYTES = 1 << 20, LIB_CONNECT_TIMEOUT_MS = 10000 };

// Something the user holds; podium_close frees those that are left.
typedef struct lib_handle_t {
  struct lib_handle_t *previous, *next;
  podium_session_t *session;
  uint64_t id;                          // The coordinator's.
  void (*free)(struct lib_handle_t *);  // Client memory only.
} lib_handle_t;

struct podium_session {
  char *address;
  rpc_loop_t *loop;
  rpc_channel_t *channel;
  pthread_t thread;
  uint64_t id;
  void (*on_waiting)(void *context, const char *for_what);
  void *on_waiting_context;
  // Loop thread.
  rpc_call_t *call;  // OpenSession; NULL once it has ended.
  // Guarded by `mutex`.
  pthread_mutex_t mutex;
  lib_handle_t handles;  // Head of a ring.
};

// One blocking call. Made on the caller's stack, started on the loop thread, finished
// there exactly once.
typedef struct lib_wait_t {
  podium_session_t *session;
  pthread_mutex_t mutex;
  pthread_cond_t wake;
  bool is_done;
  pod_status_t status;
} lib_wait_t;

// Runs `start(context)` on the loop thread and blocks until lib_wait_finish. Returns its
// status.
POD_MUST_USE pod_status_t lib_wait_run(podium_session_t *session, lib_wait_t *wait,
                                       rpc_fn_t start, void *context);

// Takes `status`. Loop thread.
void lib_wait_finish(lib_wait_t *wait, pod_status_t status);

// A unary call to the Podium service, blocking. `convert` (may be NULL) gets the response
// on the loop thread.
typedef void (*lib_convert_fn_t)(const void *response, void *context);
POD_MUST_USE pod_status_t lib_unary(podium_session_t *session, const char *path,
                                    const ProtobufCMessage *request,
                                    const ProtobufCMessageDescriptor *response,
                                    int64_t timeout_ms, lib_convert_fn_t convert,
                                    void *context);

void lib_handle_add(podium_session_t *session, lib_handle_t *handle, uint64_t id,
                    void (*free)(lib_handle_t *));
void lib_handle_remove(lib_handle_t *handle);

// Tells the coordinator to free an array or an executable, without waiting.
void lib_free_remote(podium_session_t *session, uint64_t array, uint64_t executable);

// The public status is the internal one.
static inline podium_status_t *lib_status(pod_status_t status) {
  return (podium_status_t *)status;
}

// Returns from a public function when a pointer that it needs is NULL.
#define LIB_REQUIRE(pointer)                                                      \
  do {                                                                            \
    if ((pointer) == NULL) {                                                      \
      return lib_status(                                                          \
          pod_error(POD_INVALID_ARGUMENT, "%s: %s is NULL", __func__, #pointer)); \
    }                                                                             \
  } while (0)

// INVALID_ARGUMENT for a list that has `count` entries and is none.
static inline pod_status_t lib_check_list(const char *what, int64_t count,
                                          const void *list) {
  if (count < 0 || (count > 0 && list == NULL)) {
    return pod_error(POD_INVALID_ARGUMENT, "%s: %lld of them%s", what, (long long)count,
                     count < 0 ? "" : ", and the list is NULL");
  }
  return NULL;
}

// --- Conversions (convert.c) ---

podium_shape_t lib_shape(const Podium__V1__Shape *shape);
void lib_shape_message(const podium_shape_t *shape, Podium__V1__Shape *out_message);
const char *lib_sharding_text(pod_arena_t *arena, const Podium__V1__Sharding *sharding);
// The message's parts are in the arena. INVALID_ARGUMENT for ranks that differ or axes
// that are unknown.
POD_MUST_USE pod_status_t lib_sharding_message(pod_arena_t *arena,
                                               const podium_shape_t *shape,
                                               const podium_sharding_t *sharding,
                                               Podium__V1__Sharding **out_message);
tensor_shape_t lib_tensor_shape(const podium_shape_t *shape);

#endif  // CLIENT_LIB_SESSION_H_
