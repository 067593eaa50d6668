// The inside of libpodium: a session, its loop thread, and how a blocking call waits for
// it.
//
// Threading: fields of podium_session are set before the loop thread starts, or belong to
// the loop thread, or are guarded by `mutex`, as said.

#ifndef CLIENT_LIB_SESSION_H_
#define CLIENT_LIB_SESSION_H_

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/types.h>

#include "client/lib/podium.h"
#include "common/base/arena.h"
#include "common/base/map.h"
#include "common/base/status.h"
#include "common/rpc/rpc.h"
#include "common/tensor/shape.h"
#include "proto/podium/v1/podium.pb-c.h"

enum {
  LIB_CHUNK_BYTES = 1 << 20,
  LIB_CONNECT_TIMEOUT_MS = 10000,
  LIB_SESSION_BYTES_MAX = 64,  // Of what a coordinator calls a session.
  LIB_PUTS_MAX = 32,           // Under way at a time.
  LIB_FETCHES_MAX = 128,       // Likewise; most of them wait for what is to be fetched.
};

// Transfers that wait for their turn: so many of a kind are under way at a time. Loop
// thread.
typedef struct lib_turn_t {
  struct lib_turn_t *next;
  void (*start)(struct lib_turn_t *turn);
} lib_turn_t;

typedef struct lib_turns_t {
  int running, running_max;
  bool is_starting;
  lib_turn_t *first, **last;
} lib_turns_t;

// Something the user holds; podium_close frees those that are left.
typedef struct lib_handle_t {
  struct lib_handle_t *previous, *next;
  podium_session_t *session;
  atomic_uint_fast64_t id;              // The coordinator's.
  void (*free)(struct lib_handle_t *);  // Client memory only.
} lib_handle_t;

typedef struct lib_reached_t lib_reached_t;
typedef struct lib_retry_t lib_retry_t;
typedef struct lib_origin_t lib_origin_t;

struct podium_session {
  char *address;
  pod_arena_t *arena;                // Of the options' texts.
  podium_connect_options_t options;  // As they were given, without the group.
  pid_t process;                     // That opened it, and has its thread.
  rpc_loop_t *loop;
  rpc_credentials_t *credentials;  // NULL: no TLS.
  rpc_channel_t *channel;
  pthread_t thread;
  ProtobufCBinaryData id;  // In `handle`.
  uint8_t handle[LIB_SESSION_BYTES_MAX];
  void (*on_waiting)(void *context, const char *for_what);
  void *on_waiting_context;
  // What handles of arrays and executions are taken from. Any thread.
  atomic_uint_fast64_t next_id;
  atomic_uint_fast64_t last_id;
  // In a group: who owns each chip, and who this is; NULL: no group.
  int32_t *owners;
  size_t owner_count;
  int32_t member;
  atomic_bool is_closing;
  atomic_int execution_count;  // Asked for and not answered. Any thread.
  lib_retry_t *retry;          // NULL: what is lost is lost (retry.h).
  // Loop thread.
  bool ends_itself;               // Closed from a callback: nobody waits for the thread.
  podium_executable_t *programs;  // That are compiled again (lib_module_t).
  rpc_call_t *call;               // OpenSession; NULL once it has ended.
  rpc_call_t *dispatch;           // NULL before the first message and after the end.
  pod_status_t dispatch_end;      // Why it has ended; NULL: it has not.
  uint64_t dispatched;            // Messages sent.
  pod_map_t *executions;          // Those that have not been answered, by id.
  lib_turns_t puts, fetches;
  // Sharing memory with chips of this host (sharing.h).
  struct shared_mover_t *mover;  // NULL before the first time.
  lib_reached_t *reached;        // Workers that could be reached.
  bool may_share;                // The coordinator says that it is worth a try.
  bool cannot_share;             // It failed here.
  // Guarded by `mutex`.
  pthread_mutex_t mutex;
  lib_handle_t handles;   // Head of a ring.
  lib_origin_t *origins;  // Of arrays (retry.h).
};

// Of the files that `options` name, or the environment; NULL: no TLS is asked for.
POD_MUST_USE pod_status_t lib_tls_credentials(const podium_connect_options_t *options,
                                              rpc_credentials_t **out_credentials);

// The channel, with the token that is to be shown now.
POD_MUST_USE pod_status_t lib_create_channel(podium_session_t *session);

// Opens the session on its channel, within the timeout; `done` takes the status. It lives
// as long as `session->call`. Loop thread.
typedef struct lib_open_t {
  podium_session_t *session;
  const podium_connect_options_t *options;
  int64_t timeout_ms;
  void (*done)(struct lib_open_t *open, pod_status_t status);
  void *context;
  rpc_timer_t *timer;  // NULL at first.
} lib_open_t;

void lib_open(lib_open_t *open);

// Whether this is another process than the one that opened the session: it has neither
// its thread nor, for sure, its mutex. Any thread.
bool lib_is_forked(const podium_session_t *session);

// Whether the session was open and has been lost: what it had is not there any more, and
// with retries nothing is there in its place yet. Loop thread.
bool lib_is_lost(const podium_session_t *session);

// What a call that names the session has ended with; takes `status`. A coordinator that
// does not know a lost session any more, or whom it belonged to, says so in words that
// would be the caller's fault: it is UNAVAILABLE. Loop thread.
POD_MUST_USE pod_status_t lib_call_status(const podium_session_t *session,
                                          pod_status_t status);

// FAILED_PRECONDITION after a fork, CANCELLED while the session closes. Any thread.
POD_MUST_USE pod_status_t lib_check_open(const podium_session_t *session);

// One blocking call. Made on the caller's stack, started on the loop thread, finished
// there exactly once.
typedef struct lib_wait_t {
  podium_session_t *session;
  sem_t is_done;
  pod_status_t status;  // Once it is done.
} lib_wait_t;

// For what ends by lib_wait_finish: begin, ask for it, then wait for the status.
void lib_wait_begin(lib_wait_t *wait, podium_session_t *session);
POD_MUST_USE pod_status_t lib_wait_end(lib_wait_t *wait);

// A podium_done_fn_t; `context` is the wait.
void lib_wait_done(void *context, podium_status_t *status);

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

// The handle's id is the caller's to set.
void lib_handle_add(podium_session_t *session, lib_handle_t *handle,
                    void (*free)(lib_handle_t *));
void lib_handle_remove(lib_handle_t *handle);

// The process of the group that owns the chip; 0 without a group.
int lib_owner(const podium_session_t *session, int64_t chip);

// An id that nothing has yet. Errors of lib_check_open.
POD_MUST_USE pod_status_t lib_new_id(podium_session_t *session, uint64_t *out_id);

// --- Dispatch (dispatch.c): calls that do not wait, in order. Loop thread. ---

// An execution that has not been answered. Embedded.
typedef struct lib_answer_t {
  uint64_t id;
  // Takes `status`.
  void (*done)(struct lib_answer_t *answer, pod_status_t status, int64_t host_ns);
  // It asks its host; borrowed.
  void (*ask)(struct lib_answer_t *answer, const Podium__V1__HostTransfer *transfer);
  struct lib_after_t *after;  // Runs when it is over.
} lib_answer_t;

typedef struct lib_after_t {
  struct lib_after_t *next;
  rpc_fn_t fn;
  void *context;
} lib_after_t;

// Runs `fn(context)`, which sends by Dispatch, on the loop thread; or on this one in its
// place, when it sleeps and no execution but `own` ones (0 or 1) is under way. Any
// thread; in the order of a thread's calls.
void lib_dispatch_run(podium_session_t *session, int own, rpc_fn_t fn, void *context);

void lib_dispatch(podium_session_t *session, const Podium__V1__DispatchRequest *message);

// The same with a packed message that asks for an execution, whose answer comes to
// `answer->done`, never inside.
void lib_dispatch_execution(podium_session_t *session, const uint8_t *message,
                            size_t size_bytes, lib_answer_t *answer);

// The answer does not matter any more: `done` is not called.
void lib_dispatch_forget(podium_session_t *session, lib_answer_t *answer);

// Runs `after` when the execution has been answered, perhaps at once.
void lib_dispatch_await(podium_session_t *session, uint64_t execution,
                        lib_after_t *after);

// The session ends. Every answer that is owed comes, with `status`, which it takes.
void lib_dispatch_close(podium_session_t *session, pod_status_t status);

// `turn->start` is called when it is its turn, perhaps at once; lib_turn_end has to
// follow.
void lib_turn_begin(lib_turns_t *turns, lib_turn_t *turn,
                    void (*start)(lib_turn_t *turn));
void lib_turn_end(lib_turns_t *turns);

// --- Deadlines ---

// On pod_clock_now_ns, of what may take so long; INT64_MAX: for ever.
int64_t lib_deadline_in(int64_t timeout_ms);

// 0: for ever; -1: it has passed.
int64_t lib_left_ms(int64_t deadline_ns);

// --- Freeing ---

// Tells the coordinator to free an array or an executable, without waiting.
void lib_free_remote(podium_session_t *session, uint64_t array, uint64_t executable);

// The same on the loop thread, now; nothing for ids of 0.
void lib_free_now(podium_session_t *session, uint64_t array, uint64_t executable);

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

// What the caller has filled of an options struct, the rest 0; `options` may be NULL. The
// copy lives as long as the block it is in.
#define LIB_OPTIONS(type, options) \
  ((const type *)lib_options(&(type){0}, sizeof(type), (options)))

static inline const void *lib_options(void *copy, size_t size, const void *options) {
  if (options != NULL) {
    size_t given = 0;
    memcpy(&given, options, sizeof(given));
    memcpy(copy, options, given == 0 || given > size ? size : given);
  }
  return copy;
}

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

// In the arena; borrows the texts.
Podium__V1__GivenSharding **lib_given_shardings(pod_arena_t *arena, int count,
                                                const podium_given_sharding_t *from);

// INVALID_ARGUMENT for no list, or one with an entry that lacks its name or spec.
POD_MUST_USE pod_status_t lib_check_given(const char *what, int count,
                                          const podium_given_sharding_t *list);
const char *lib_sharding_text(pod_arena_t *arena, const Podium__V1__Sharding *sharding);
// How the parts of an array lie on a program's devices. In the arena.
const struct podium_tiling *lib_tiling(pod_arena_t *arena,
                                       const Podium__V1__Sharding *sharding,
                                       const podium_compile_options_t *options);
// The message's parts are in the arena. INVALID_ARGUMENT for ranks that differ or axes
// that are unknown.
POD_MUST_USE pod_status_t lib_sharding_message(pod_arena_t *arena,
                                               const podium_shape_t *shape,
                                               const podium_sharding_t *sharding,
                                               Podium__V1__Sharding **out_message);
// What each chip holds of a sharding that lib_sharding_message takes; NULL: all of it.
podium_shape_t lib_local_shape(const podium_shape_t *shape,
                               const podium_sharding_t *sharding);
tensor_shape_t lib_tensor_shape(const podium_shape_t *shape);

#endif  // CLIENT_LIB_SESSION_H_
