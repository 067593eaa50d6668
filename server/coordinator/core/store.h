// What clients own: sessions, and in them arrays, executables and the profiles of their
// last executions. Only the books; the bytes are on the chips.
//
// Ids are unique in the coordinator, over all kinds of handle. Those of arrays and
// executions may be chosen by the session's client, out of a range that is the session's
// alone, so that calls can name what calls before them are still making: an array is
// pending, and then there or failed. A handle that is freed while an operation uses it
// can no longer be found, and goes when its last use ends. A
// session that closes first stops its operations, and goes when the last has ended.
//
// Threading: one thread at a time.
// Ownership: everything belongs to the store; pointers are borrowed: an array's or
// executable's while it is in use (store_*_use), a session's while one of its operations
// runs.
// Errors: NOT_FOUND names the handle and the session; RESOURCE_EXHAUSTED the bound.

#ifndef SERVER_COORDINATOR_CORE_STORE_H_
#define SERVER_COORDINATOR_CORE_STORE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/list.h"
#include "common/base/map.h"
#include "common/base/status.h"
#include "server/coordinator/core/accounts.h"
#include "server/coordinator/core/array_layout.h"
#include "server/coordinator/core/compiled.h"
#include "server/coordinator/core/gang.h"
#include "server/program/program.h"
#include "server/program/trace.h"

enum {
  STORE_SESSIONS_MAX = 256,
  STORE_ARRAYS_MAX = 1 << 16,  // Per session.
  // Per session: JAX makes one of every operation that is called by itself, for each of
  // its shapes, and keeps thousands.
  STORE_EXECUTABLES_MAX = 1 << 14,
  STORE_OPERATIONS_MAX = 256,    // Per session, at a time.
  STORE_QUEUED_MAX = 1 << 16,    // Executions by Dispatch per session, at a time.
  STORE_PROFILES_KEPT = 4,       // Per session.
  STORE_CLIENT_BYTES_MAX = 128,  // Of a client's name; what is longer is cut off.
  STORE_HOST_BYTES_MAX = 512,
  STORE_HANDLE_BYTES = 16,          // Of a session, for its client.
  STORE_PRINCIPAL_BYTES_MAX = 160,  // Of the name of who has opened it, with its NUL.
};

// Ids that the coordinator chooses are below; each session has so many of its own.
#define STORE_SESSION_IDS (UINT64_C(1) << 40)

typedef struct store_t store_t;
typedef struct store_session_t store_session_t;
typedef struct store_operation_t store_operation_t;

// Something that a session has under way: a compile, a put, a fetch, an execution.
// Embedded in it.
struct store_operation_t {
  store_session_t *session;
  store_operation_t *previous, *next;
  bool is_stopping;
  bool is_queued;
  // The session ends: give up, and call store_operation_end, here or later. Called once.
  void (*stop)(store_operation_t *operation);
};

typedef enum store_array_state_t {
  STORE_ARRAY_READY = 0,
  STORE_ARRAY_PENDING,  // An operation that was asked for earlier is to make it.
  STORE_ARRAY_FAILED,   // That operation failed.
} store_array_state_t;

typedef struct store_waiter_t store_waiter_t;

typedef struct store_array_t {
  uint64_t id;
  store_session_t *session;
  array_layout_t *layout;  // NULL when it failed before it was known how it lies.
  int32_t use_count;
  int32_t reader_count;  // Fetches under way.
  bool is_dropped;
  store_array_state_t state;
  pod_status_t failure;     // Of a failed one; owned.
  store_waiter_t *waiters;  // For a pending one; the last comes first.
  bool is_declared;         // Pending, and no operation is making it yet.
  bool is_under_way;        // Pending, and asked of the chips: they have it in its turn.
  int32_t flight_count;     // Of its uses, those by executions that the chips have.
  bool is_gone;             // The chips have been told to free it.
  bool has_hbm;             // It counts in its client's account.
  char *donated_to;     // The program that consumes it; NULL: it is there (donation.h).
  uint64_t donated_by;  // The execution.
  int32_t donated_as;   // The argument.
  char *lost_reason;    // Why a part of it is gone; NULL while it is whole.
  bool *lost_chips;     // By index of layout->chips; NULL while it is whole.
} store_array_t;

// Somebody who waits for a pending array. Embedded in it.
struct store_waiter_t {
  store_array_t *array;  // NULL: it does not wait.
  store_waiter_t *next;
  // The array is ready or has failed. The waiter has been taken off.
  void (*wake)(store_waiter_t *waiter);
};

typedef struct store_executable_t {
  uint64_t id;
  store_session_t *session;
  int32_t use_count;
  bool is_dropped;
  char *name;
  int32_t argument_count, result_count;
  array_layout_t **arguments, **results;
  char **argument_names;
  int32_t chip_count;
  int32_t *chips;  // Those that run it, by position of the program's mesh.
  // Of these positions those whose chips are the session's own: all but in a group.
  int32_t own_count;
  int32_t *own;
  int32_t *own_index;  // By position: the index in `own`; -1: another member's chip.
  // Of a group all members share what one of them has compiled (same_program.h).
  compiled_t *compiled;
  int64_t counted_bytes;  // What its session's client is counted for it.
  // compiled->packed is for the pod's chips; false: it was compiled only to be looked at
  // and simulated, perhaps for another pod, and has no arguments or results here.
  bool is_loadable;
  // By index of `chips`: the epoch of the worker that has it; 0: none.
  uint64_t *loaded_epochs;
  bool has_loops;  // How often they turn may differ from run to run.
  int64_t
      run_ns;  // What its last execution took, at the slowest chip; 0: there was none.
} store_executable_t;

typedef struct store_bytes_t {
  uint8_t *data;
  size_t size_bytes;
} store_bytes_t;

enum { STORE_TRACEPARENT_BYTES = 56 };  // W3C's, with a NUL.

// What an execution has left: of each chip what was measured, as serialised
// podium.v1.ProfileParts, and the way of its control flow. Counted: it may go out to a
// client while newer ones take its place.
typedef struct store_profile_t {
  int32_t use_count;
  compiled_t *compiled;
  POD_LIST(store_bytes_t) parts;
  int32_t chip_limit;  // Above all chips that ran it.
  chip_trace_t *
      *traces;  // By chip; chips that went the same way share one. NULL: did not.
  pod_status_t trace_status;                  // Why there are no traces; NULL: there are.
  char traceparent[STORE_TRACEPARENT_BYTES];  // That the caller showed; "": none.
} store_profile_t;

struct store_session_t {
  uint64_t id;  // For the coordinator and the workers: clients know the handle.
  uint8_t handle[STORE_HANDLE_BYTES];
  char principal[STORE_PRINCIPAL_BYTES_MAX];
  store_t *store;
  char client[STORE_CLIENT_BYTES_MAX];
  account_t *account;  // Of its client; NULL: of nobody's.
  turn_clock_t clock;
  char host[STORE_HOST_BYTES_MAX];  // The identity of the client's; "": of none.
  uint64_t first_id;                // Of STORE_SESSION_IDS that are its own.
  gang_group_t *group;              // NULL: all chips are its own, as everybody's.
  int32_t member;                   // Of the group.
  uint64_t job;                     // Whose runner has opened it; 0: none.
  bool waits_for_pod;
  bool is_closing;
  int32_t array_count, executable_count, operation_count;
  int32_t fetch_count;   // Of the operations, those that bring much from the chips.
  int32_t queued_count;  // Of the operations, those that were queued.
  bool has_dispatch;     // Its Dispatch stream has begun.
  uint64_t dispatched;   // Messages of it that have been taken.
  store_operation_t *operations;
  store_profile_t *profiles[STORE_PROFILES_KEPT];  // NULL: none yet.
  uint64_t profiled[STORE_PROFILES_KEPT];          // The executions that they are of.
  int profile_next;
};

// What has to be freed on the chips. Called with the books already closed.
typedef struct store_events_t {
  // `in_turn`: not before the executions that the chips have been given have ended.
  void (*array_gone)(void *context, uint64_t array, bool in_turn);
  void (*executable_gone)(void *context, uint64_t executable, int32_t chip_count,
                          const int32_t *chips);
  void (*session_gone)(void *context, uint64_t session);
  void *context;
} store_events_t;

store_t *store_create(const store_events_t *events);

// Accepts NULL. Closes nothing on the chips; there must be no operations left.
void store_destroy(store_t *store);

// For arrays, executables and executions.
uint64_t store_new_id(store_t *store);

// --- Sessions ---

// `principal` names who opens it, and alone can enter it.
POD_MUST_USE pod_status_t store_open_session(store_t *store, const char *principal,
                                             const char *client, bool waits_for_pod,
                                             store_session_t **out_session);

// What its client says of its host; what is too long is no host.
void store_session_set_host(store_session_t *session, const char *host);

// The session of this handle, for who has opened it. NOT_FOUND for everybody else, as if
// there were none.
POD_MUST_USE pod_status_t store_enter_session(const store_t *store, const void *handle,
                                              size_t handle_bytes, const char *principal,
                                              store_session_t **out_session);

// What it uses is its client's from now on. Takes a use of `account`, of whose sessions
// it is counted as one already.
void store_session_set_account(store_session_t *session, account_t *account);

POD_MUST_USE pod_status_t store_find_session(const store_t *store, uint64_t id,
                                             store_session_t **out_session);

// Stops its operations; the session goes when the last has ended, perhaps at once.
void store_close_session(store_session_t *session);

// Whether the chip is one that the session puts on, runs on and fetches from.
bool store_owns_chip(const store_session_t *session, int32_t chip);

int32_t store_session_count(const store_t *store);

// Operations of all sessions.
int32_t store_operation_count(const store_t *store);

POD_MUST_USE pod_status_t store_operation_begin(store_session_t *session,
                                                store_operation_t *operation,
                                                void (*stop)(store_operation_t *));

// The same for an execution that came by Dispatch, of which there may be many more.
POD_MUST_USE pod_status_t store_operation_queue(store_session_t *session,
                                                store_operation_t *operation,
                                                void (*stop)(store_operation_t *));

// The session may be gone afterwards.
void store_operation_end(store_operation_t *operation);

// Stops the operations of all sessions, which stay open.
void store_stop_operations(store_t *store);

// --- Arrays ---

// Whether the session may have `count` arrays more.
POD_MUST_USE pod_status_t store_check_room(const store_session_t *session, size_t count);

// Whether its client may have an array of this layout more.
POD_MUST_USE pod_status_t store_check_hbm(const store_session_t *session,
                                          const array_layout_t *layout);

// Keeps a use of `layout` of its own. `id` is from store_new_id.
store_array_t *store_add_array(store_session_t *session, uint64_t id,
                               array_layout_t *layout);

// As store_add_array, but it is pending: store_array_ready or store_array_fail has to
// follow, before the session goes.
store_array_t *store_add_pending(store_session_t *session, uint64_t id,
                                 array_layout_t *layout);

// A handle that has failed from the start, so that what names it hears why. Takes
// `failure`.
void store_add_failed(store_session_t *session, uint64_t id, pod_status_t failure);

// For an id that a client has chosen: INVALID_ARGUMENT when it is not one of the
// session's own, ALREADY_EXISTS when it is in use.
POD_MUST_USE pod_status_t store_check_new_id(const store_session_t *session, uint64_t id);

// One that was declared, dropped or not, and that no operation is making yet; NULL when
// `id` is none.
store_array_t *store_declared_array(const store_session_t *session, uint64_t id);

// The failure of an array that could not be declared, or has been abandoned.
POD_MUST_USE pod_status_t store_check_declared(const store_session_t *session,
                                               uint64_t id);

// Whether it counts in its client's account: until it is freed, fails or is consumed.
void store_array_count(store_array_t *array, bool has_hbm);

// Ends the wait of those who wait for it. The array may be gone afterwards: when it was
// dropped and nobody uses it.
void store_array_ready(store_array_t *array);

// Takes `failure`. What the chips have of it is freed.
void store_array_fail(store_array_t *array, pod_status_t failure);

// `wake` is called when the array, which is pending, is no more; not when the session
// ends, which stops the operation that waits.
void store_array_await(store_array_t *array, store_waiter_t *waiter,
                       void (*wake)(store_waiter_t *waiter));

// Nothing happens when it does not wait.
void store_array_leave(store_waiter_t *waiter);

// FAILED_PRECONDITION when an execution has consumed it, or is going to.
POD_MUST_USE pod_status_t store_find_array(const store_session_t *session, uint64_t id,
                                           store_array_t **out_array);

// The same for who wants to free it: it may be consumed.
POD_MUST_USE pod_status_t store_find_handle(const store_session_t *session, uint64_t id,
                                            store_array_t **out_array);

// For an array that is not pending: its failure, or DATA_LOSS with the reason when a part
// of it is gone.
POD_MUST_USE pod_status_t store_check_whole(const store_array_t *array);

void store_array_use(store_array_t *array);
void store_array_unuse(store_array_t *array);

// A use becomes one by an execution that the chips have been given: what is told to them
// from now on comes after it there. Until its store_array_land and unuse.
void store_array_fly(store_array_t *array);
void store_array_land(store_array_t *array);

// The client frees it.
void store_array_drop(store_array_t *array);

// A worker is gone, and with it what it held of any array and all its programs.
void store_lose_chip(store_t *store, int32_t chip, const char *reason);

// --- Executables ---

// INVALID_ARGUMENT or UNIMPLEMENTED when an argument's or result's sharding is no good.
// Keeps a use of `compiled` of its own.
POD_MUST_USE pod_status_t store_add_executable(store_session_t *session,
                                               const chip_program_t *program,
                                               compiled_t *compiled, bool is_loadable,
                                               store_executable_t **out_executable);

POD_MUST_USE pod_status_t store_find_executable(const store_session_t *session,
                                                uint64_t id,
                                                store_executable_t **out_executable);

// FAILED_PRECONDITION when it was compiled only to be looked at.
POD_MUST_USE pod_status_t store_check_loadable(const store_executable_t *executable);

void store_executable_use(store_executable_t *executable);
void store_executable_unuse(store_executable_t *executable);
void store_executable_drop(store_executable_t *executable);

// INVALID_ARGUMENT with both sides when the arrays are not what the executable takes;
// the failure of one that has failed, DATA_LOSS when one is not whole. Pending ones are
// checked as far as is known. `by_chip`: there is an array for every argument and each of
// the `own` positions of the program's mesh, [argument][index], whose part on that
// position's chip is meant, and only that is looked at.
POD_MUST_USE pod_status_t store_check_arguments(const store_executable_t *executable,
                                                bool by_chip, size_t count,
                                                store_array_t *const *arrays);

// --- Profiles ---

// Of these chips, nothing of which is there yet. The first use is the caller's. Keeps a
// use of `compiled` of its own.
store_profile_t *store_profile_create(compiled_t *compiled, int32_t chip_count,
                                      const int32_t *chips);

// Takes `data`.
void store_profile_add_part(store_profile_t *profile, uint8_t *data, size_t size_bytes);

// The trace of a chip, to be added to; NULL when the chip did not run it.
chip_trace_t *store_profile_trace(store_profile_t *profile, int32_t chip);

// All has come: equal traces become one.
void store_profile_share_traces(store_profile_t *profile);

void store_profile_use(store_profile_t *profile);

// Accepts NULL.
void store_profile_unuse(store_profile_t *profile);

// As that of `execution`; keeps a use of its own. The oldest profile of the session goes.
void store_keep_profile(store_session_t *session, uint64_t execution,
                        store_profile_t *profile);

POD_MUST_USE pod_status_t store_find_profile(const store_session_t *session,
                                             uint64_t execution,
                                             store_profile_t **out_profile);

#endif  // SERVER_COORDINATOR_CORE_STORE_H_
