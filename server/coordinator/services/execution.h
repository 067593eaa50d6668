// An execution, as the files know it that make up the services Execute and Dispatch:
// execute.c its states and the client's call, execution_arguments.c what it takes,
// waiting.c what it waits in, execution_turn.c whose turn it is, execution_run.c what the
// chips do, execution_end.c what came of it. On the loop's thread only.

#ifndef SERVER_COORDINATOR_SERVICES_EXECUTION_H_
#define SERVER_COORDINATOR_SERVICES_EXECUTION_H_

#include "server/coordinator/coordinator_private.h"
#include "server/coordinator/core/fanout.h"
#include "server/coordinator/load.h"
#include "server/coordinator/services/request.h"

typedef enum execution_state_t {
  EXECUTION_NEW = 0,
  EXECUTION_WAITING,
  EXECUTION_LOADING,
  EXECUTION_RUNNING,
  EXECUTION_SETTLING,
  EXECUTION_AFTER,
  EXECUTION_OVER,
} execution_state_t;

// What a chip waits for.
typedef enum host_ask_t {
  HOST_ASK_NONE = 0,
  HOST_ASK_OWN,
  HOST_ASK_SHARED,  // As all others; the client is asked once all do.
} host_ask_t;

struct execution_t {
  request_t request;     // First, so that the operation finds it.
  store_waiter_t waits;  // For an argument: while WAITING a put's, then its cause.
  execution_t *next;     // In its queue, or of those that run.
  execution_t **link;    // In its queue: what points to it.
  execution_queue_t *queue;
  gang_launch_t launch;     // While it waits for the parts of other processes.
  execution_t *leader;      // Of a part that follows; else NULL.
  execution_t *follower;    // The next part; NULL: the last, as one that is alone.
  execution_t *stopped_by;  // A leader's: the part for which all are stopped; or NULL.
  bool has_turn;            // It is among those that `turns` has given: a leader's.
  turn_cost_t cost;         // While it has.
  bool has_run;             // The chips were given it.
  bool is_listed;           // It is among those that run.
  dispatch_t *dispatch;     // It came by this one; NULL: by a call of its own.
  uint64_t id, number;
  bool with_events, by_chip, serves_host;
  bool is_counted;                 // Among those of its client that have not ended.
  bool has_named_results;          // The client has chosen their ids.
  store_executable_t *executable;  // In use.
  size_t argument_count;
  store_array_t **arguments;  // In use.
  size_t kept_count;
  int32_t *kept;         // Arguments that it does not consume.
  bool has_donations;    // Arguments are marked as consumed by it.
  bool is_consuming;     // A chip has consumed its part of them.
  int32_t result_count;  // That are pending.
  store_array_t **results;
  uint64_t *result_ids;
  load_t *load;
  fanout_t fanout;
  chip_run_t *runs;     // By index of the executable's chips; NULL before it runs.
  host_ask_t *asks;     // Likewise: what each chip asks of the host.
  int32_t shared_asks;  // How many of them ask for the same.
  store_profile_t *profile;
  int64_t host_ns;       // The slowest chip's.
  pod_status_t failure;  // While AFTER.
  rpc_timer_t *moment;   // While SETTLING.
  int64_t first_ns;     // Since when its chips run nothing that is before it; 0: they do.
  int64_t ran_ns;       // How long it was so before it was paused, in all.
  bool is_paused;       // It was told to be (execution_slice.c): a leader's.
  int32_t pauses_owed;  // While it is: chips on which it does not stand still yet.
  bool is_held;         // While it is: it may have begun.
  bool lacks_room;      // While it is: it could not begin beside others.
  bool was_alone;       // It lacked room, and goes on since no others have begun.
  int64_t asked_ns;     // Since when its client owes an answer; 0: it does not.
  char *told;           // What the client was told that it waits for; NULL: nothing.
  bool was_behind;      // At the last look: chips that it needs ran another one.
};

// Of a session; there while it has executions that wait.
struct execution_queue_t {
  execution_queue_t *previous, *next;
  store_session_t *session;
  execution_t *first, **last;
};

// --- Those that wait (waiting.c) ---

// UNAVAILABLE when chips or links that it needs are not there. Returns owned.
pod_status_t execution_check_ready(const coordinator_t *coordinator,
                                   const store_executable_t *executable);

// Into its session's queue, behind those that are there.
void execution_append(execution_t *execution);

// Below 0: the turn of a's session is before that of b's.
int execution_queue_compare(const execution_queue_t *a, const execution_queue_t *b);

// Whether any chip runs both.
bool execution_shares_chips(const execution_t *execution, const execution_t *other);

// Out of its queue: it waits for nothing any more, and the client is told so.
void execution_take_out(execution_t *execution);

// The execution whose launch it is.
execution_t *execution_of_launch(gang_launch_t *launch);

// Clients are told what their executions wait for, as far as they have not been.
void executions_tell_waiting(coordinator_t *coordinator);

// The client was told that it waits: it does no more.
void execution_waits_no_more(execution_t *execution);

// --- What it takes (execution_arguments.c) ---

// Of the request; they are in use from then on.
POD_MUST_USE pod_status_t execution_find_arguments(
    execution_t *execution, const Podium__V1__ExecuteRequest *request);

// Marks those that it consumes, as the executable says and the request does not forbid.
POD_MUST_USE pod_status_t execution_take_donations(
    execution_t *execution, const Podium__V1__ExecuteRequest *request);

// They are there as before, unless a chip has consumed its part.
void execution_undo_donations(execution_t *execution);

// False while one is still being put, or read and to be consumed. What the chips are to
// make before its turn is there when it comes. The pump is called when it changes.
bool execution_has_arguments(execution_t *execution);

// What was whole when the call came may have lost a chip since, or failed; of all parts.
POD_MUST_USE pod_status_t execution_check_arguments(execution_t *execution);

// The first argument of all parts that has failed, or is pending when `or_pending`.
store_array_t *execution_find_failed(const execution_t *execution, bool or_pending);

// --- Its turn (execution_turn.c) ---

// Nothing happens when it is not among those whose programs are being loaded.
void execution_remove_loading(execution_t *execution);

// The chips are done with it, for which they took `took_ns`. Nothing happens when they
// were not given it.
void execution_give_back_chips(execution_t *execution, int64_t took_ns);

// Those that wait for a turn, in the order of their turns: first in their queues, and
// paused ones. Returns how many.
enum { EXECUTIONS_WAITING_MAX = 2 * STORE_SESSIONS_MAX };
size_t executions_find_waiting(coordinator_t *coordinator,
                               execution_t *out_waiting[EXECUTIONS_WAITING_MAX]);

// Whether one of these can have its turn by now, room on its chips apart; what it then
// takes of them.
bool execution_can_begin(execution_t *execution);
bool execution_may_have_turn(execution_t *execution);
turn_cost_t execution_next_cost(const execution_t *execution);

turn_clock_t *execution_client_clock(const execution_t *execution);
turn_clock_t *execution_session_clock(const execution_t *execution);

// Below 0: a's turn is before b's. Of those that wait for one: first in their queues, or
// paused.
int execution_compare_turns(const execution_t *a, const execution_t *b);

// At the cost of its sessions.
void execution_charge(execution_t *execution, turn_cost_t cost);
void execution_settle(execution_t *execution, int64_t took_ns);

// --- Slices (execution_slice.c) ---

// Whether one of its session, which is before it, is paused on chips of both.
bool execution_is_behind_paused(const execution_t *execution);

// It is paused, and may have its turn as soon as there is room.
bool execution_can_go_on(execution_t *execution);
void execution_go_on(execution_t *execution);

// It ends: whatever it was paused for.
void execution_end_slice(execution_t *execution);

// The chips' events.
void execution_has_paused(execution_t *execution);
void execution_lacks_room(execution_t *execution);

// Those that have none before them on their chips any more run from now on.
void executions_note_first(coordinator_t *coordinator);

// While some wait for others that run, these are looked at.
void executions_slice(coordinator_t *coordinator);

// --- What the chips do (execution_run.c) ---

// At the end of those that run: until it ends, or its chips have ended and it is AFTER.
void execution_add_running(execution_t *execution);

// Gives it to the chips, which have its program.
void execution_run(execution_t *execution);
void execution_cancel_runs(execution_t *execution);
void execution_remove_running(execution_t *execution);

// From now on what is under way is looked at from time to time (watch.c), until nothing
// is.
void executions_watch(coordinator_t *coordinator);

// Wherever it is, it ends with `status`, which is taken, at once or when its chips have
// ended. Nothing happens when it is over.
void execution_stop(execution_t *part, pod_status_t status);

// --- The end (execution_end.c) ---

// Nothing of it runs any more. Takes `status`; NULL: it went well. Not for followers,
// which end with their leader.
void execution_end(execution_t *execution, pod_status_t status);

// Its chips have ended. One that was stopped may have been too far on a chip to stop what
// uses it there. Takes `status`.
void execution_conclude(execution_t *execution, pod_status_t status);

#endif  // SERVER_COORDINATOR_SERVICES_EXECUTION_H_
