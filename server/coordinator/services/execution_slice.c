// Slices: those that run longer than others should wait make way, and go on when it is
// their turn again.
//
//   RUNNING on its chips ──a slice is over, another's turn──► told to pause
//        ▲                                                         │
//        │ its turn: told to go on,                                │ stands still on all
//        │ behind all that the chips have                          ▼
//        └─────────────────────────────────────────────────── stands still
//
// It stays in the state RUNNING (execute.c); at any time it may end: be stopped, lose a
// chip, have ended before it was told.
//
// Why nobody waits for ever. All chips hear of what is given, paused and resumed in one
// order, each of its own: what they have is in the order in which it was last given, the
// same on all, and a chip works at the first of it. So of all that is given the first is
// at work on all of its chips. What is paused is told so on all of its chips, collectives
// are paused in their midst, and nothing that is given waits for what is paused but its
// chips: those of its session that come after it, and may need what it makes, are paused
// with it, the last one first, so that no chip begins them. Each time it is given it has
// a slice at least; who waits has it as soon as its clock is behind (core/turns.h).
//
// What does not fit beside those that are paused says so before it begins (a chip's
// memory is known to its worker alone). It is taken back, nobody is paused for it any
// more, and it waits until no other that shares its chips has begun. Two that both hold
// what the other one lacks would do so for ever: the one that lacks room again fails.

#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/list.h"
#include "common/base/memory.h"
#include "server/coordinator/services/execution.h"

enum { LOOK_MS = 10 };

// --- Who is before whom ---

static bool shares_session(const execution_t *a, const execution_t *b) {
  for (const execution_t *part = a; part != NULL; part = part->follower) {
    for (const execution_t *other = b; other != NULL; other = other->follower) {
      if (part->request.operation.session == other->request.operation.session) {
        return true;
      }
    }
  }
  return false;
}

// What is done by one has to come after what is done by the other.
static bool is_ordered(const execution_t *a, const execution_t *b) {
  return shares_session(a, b) && execution_shares_chips(a, b);
}

bool execution_is_behind_paused(const execution_t *execution) {
  const coordinator_t *coordinator = execution->request.coordinator;
  const execution_t *at =
      coordinator->paused_count > 0 ? coordinator->first_running : NULL;
  while (at != NULL && at != execution && !(at->is_paused && is_ordered(at, execution))) {
    at = at->next;
  }
  return at != NULL && at != execution;
}

// The chips work at it, or will.
static bool is_on_chips(const execution_t *execution) {
  return request_is(&execution->request, EXECUTION_RUNNING) &&
         !execution->fanout.is_stopping;
}

static bool marks_any(const execution_t *execution, const bool *is_marked) {
  for (int32_t i = 0; i < execution->executable->chip_count; i++) {
    if (is_marked[execution->executable->chips[i]]) {
      return true;
    }
  }
  return false;
}

static void mark(const execution_t *execution, bool *is_marked) {
  for (int32_t i = 0; i < execution->executable->chip_count; i++) {
    is_marked[execution->executable->chips[i]] = true;
  }
}

static bool *no_marks(const coordinator_t *coordinator) {
  const int32_t count = registry_places(coordinator->registry)->count;
  return pod_alloc((size_t)count * sizeof(bool));
}

// What was told to pause has its chips until it stands still.
void executions_note_first(coordinator_t *coordinator) {
  bool *is_busy = no_marks(coordinator);
  const int64_t now_ns = pod_clock_now_ns();
  for (execution_t *at = coordinator->first_running; at != NULL; at = at->next) {
    if (at->is_paused && at->pauses_owed == 0) {
      continue;
    }
    if (at->first_ns == 0 && !at->is_paused && !marks_any(at, is_busy)) {
      at->first_ns = now_ns;
    }
    mark(at, is_busy);
  }
  free(is_busy);
}

// --- To pause ---

static void settle(execution_t *execution) {
  const int64_t took_ns =
      execution->first_ns == 0 ? 0 : pod_clock_now_ns() - execution->first_ns;
  execution->ran_ns += took_ns;
  execution->first_ns = 0;
  execution_settle(execution, took_ns);
}

static void pause_one(execution_t *execution, bool is_held) {
  coordinator_t *coordinator = execution->request.coordinator;
  const store_executable_t *executable = execution->executable;
  execution->is_paused = true;
  execution->is_held = is_held;
  execution->has_turn = false;
  coordinator->paused_count++;
  turns_pause(coordinator->turns, executable->chip_count, executable->chips,
              execution->cost, is_held);
  execution->pauses_owed = 1;  // Until all have been told.
  for (int32_t i = 0; i < executable->chip_count; i++) {
    execution->pauses_owed += chip_run_pause(&execution->runs[i]);
  }
  execution_has_paused(execution);
}

void execution_has_paused(execution_t *execution) {
  if (--execution->pauses_owed == 0) {
    settle(execution);
    executions_look_again(execution->request.coordinator);
  }
}

// Whether one that comes after it cannot have begun anywhere, as its chips are the same.
static bool is_behind_everywhere(const execution_t *execution, const execution_t *first) {
  const store_executable_t *a = execution->executable, *b = first->executable;
  return a->chip_count == b->chip_count &&
         memcmp(a->chips, b->chips, (size_t)a->chip_count * sizeof(*a->chips)) == 0;
}

typedef POD_LIST(execution_t *) executions_t;

static bool is_after_any(const execution_t *execution, const executions_t *before) {
  for (int32_t i = 0; i < before->count; i++) {
    if (is_ordered(before->items[i], execution)) {
      return true;
    }
  }
  return false;
}

// It, and those that come after it and are paused, or are not.
static executions_t with_followers(execution_t *execution, bool are_paused) {
  executions_t all = {0};
  *pod_list_add(&all) = execution;
  for (execution_t *at = execution->next; at != NULL; at = at->next) {
    if (at->is_paused == are_paused && is_on_chips(at) && is_after_any(at, &all)) {
      *pod_list_add(&all) = at;
    }
  }
  return all;
}

// One whose program is being loaded is given to the chips as soon as it is there.
static bool is_any_loading_after(const executions_t *all, const execution_t *loading) {
  while (loading != NULL && !is_after_any(loading, all)) {
    loading = loading->next;
  }
  return loading != NULL;
}

// The last of them first. False: it cannot be now.
static bool pause_with_followers(execution_t *execution) {
  executions_t all = with_followers(execution, false);
  const bool can_be =
      !is_any_loading_after(&all, execution->request.coordinator->loading);
  for (int32_t i = all.count - 1; i >= 0 && can_be; i--) {
    pause_one(all.items[i], i == 0 || !is_behind_everywhere(all.items[i], execution));
  }
  pod_list_deinit(&all);
  return can_be;
}

// --- To go on ---

// Those that are paused and lack room, or come after one that does.
static executions_t find_lacking(const coordinator_t *coordinator) {
  executions_t all = {0};
  for (execution_t *at = coordinator->first_running; at != NULL; at = at->next) {
    if (at->is_paused && (at->lacks_room || is_after_any(at, &all))) {
      *pod_list_add(&all) = at;
    }
  }
  return all;
}

// None that shares its chips has begun and will go on before it: all wait for room, too.
static bool is_alone(const execution_t *execution) {
  const coordinator_t *coordinator = execution->request.coordinator;
  executions_t lacking = find_lacking(coordinator);
  const execution_t *at = coordinator->first_running;
  for (int32_t next = 0; at != NULL; at = at->next) {
    if (next < lacking.count && lacking.items[next] == at) {
      next++;
    } else if (execution_shares_chips(execution, at)) {
      break;
    }
  }
  pod_list_deinit(&lacking);
  return at == NULL;
}

// One that waits for its host would do nothing with its chips.
bool execution_can_go_on(execution_t *execution) {
  return execution->pauses_owed == 0 && is_on_chips(execution) &&
         execution->asked_ns == 0 && !execution_is_behind_paused(execution) &&
         (!execution->lacks_room || is_alone(execution));
}

static void unpause(execution_t *execution) {
  coordinator_t *coordinator = execution->request.coordinator;
  const store_executable_t *executable = execution->executable;
  execution->is_paused = false;
  coordinator->paused_count--;
  turns_unpause(coordinator->turns, executable->chip_count, executable->chips,
                execution->is_held);
}

// Those that come after it stay behind it.
static void move_to_end(execution_t *execution) {
  executions_t all = with_followers(execution, true);
  for (int32_t i = 0; i < all.count; i++) {
    execution_remove_running(all.items[i]);
    execution_add_running(all.items[i]);
    all.items[i]->first_ns = 0;
  }
  pod_list_deinit(&all);
}

void execution_go_on(execution_t *execution) {
  const turn_cost_t cost = execution_next_cost(execution);
  execution->was_alone = execution->lacks_room;
  execution->lacks_room = false;
  unpause(execution);
  execution_charge(execution, cost);
  move_to_end(execution);
  for (int32_t i = 0; i < execution->executable->chip_count; i++) {
    chip_run_resume(&execution->runs[i]);
  }
  executions_note_first(execution->request.coordinator);
}

void execution_end_slice(execution_t *execution) {
  if (!execution->is_paused) {
    return;
  }
  if (execution->pauses_owed > 0) {
    execution->pauses_owed = 0;
    settle(execution);
  }
  unpause(execution);
}

void execution_lacks_room(execution_t *execution) {
  if (!is_on_chips(execution) || execution->is_paused) {
    return;
  }
  if (execution->was_alone) {
    execution_stop(execution,
                   pod_error(POD_RESOURCE_EXHAUSTED,
                             "%s needs memory that others hold which have begun on its "
                             "chips, and need what it holds",
                             execution->executable->name));
    return;
  }
  execution->lacks_room = true;
  (void)pause_with_followers(execution);  // Else at the next look.
}

// --- Who makes way ---

// `at` runs for `waiting`, which is not of its session, and has had enough.
static bool is_over(const execution_t *at, const execution_t *waiting, int64_t now_ns) {
  const coordinator_t *coordinator = at->request.coordinator;
  return is_on_chips(at) && !shares_session(at, waiting) &&
         turns_is_over(at->cost, now_ns - at->first_ns, execution_client_clock(at),
                       execution_session_clock(at), execution_client_clock(waiting),
                       execution_session_clock(waiting),
                       waiting->has_turn ? waiting->cost.expected_ns : 0) &&
         turns_may_pause(coordinator->turns, at->executable->chip_count,
                         at->executable->chips);
}

// Those that run, and stand before one that waits. It is among them until `end`.
static execution_t *next_before(execution_t *at, const execution_t *waiting,
                                const execution_t *end) {
  while (at != end && (at->is_paused || at->first_ns == 0 || at == waiting ||
                       !execution_shares_chips(at, waiting))) {
    at = at->next;
  }
  return at == end ? NULL : at;
}

// All that run before it on its chips make way, or none does. True: they do.
static bool make_way_for(coordinator_t *coordinator, const execution_t *waiting) {
  const execution_t *end = waiting->has_turn ? waiting : NULL;
  const int64_t now_ns = pod_clock_now_ns();
  execution_t *at = next_before(coordinator->first_running, waiting, end);
  const bool is_any = at != NULL;
  for (; at != NULL; at = next_before(at->next, waiting, end)) {
    if (!is_over(at, waiting, now_ns)) {
      return false;
    }
  }
  bool has_paused = true;
  while (has_paused &&
         (at = next_before(coordinator->first_running, waiting, end)) != NULL) {
    has_paused = pause_with_followers(at);
  }
  return is_any && has_paused;
}

static bool take_back_what_lacks_room(coordinator_t *coordinator) {
  bool is_any = false;
  for (execution_t *at = coordinator->first_running; at != NULL; at = at->next) {
    is_any |=
        at->lacks_room && !at->is_paused && is_on_chips(at) && pause_with_followers(at);
  }
  return is_any;
}

// Those that are given, and behind others.
static bool make_way_for_given(coordinator_t *coordinator) {
  bool is_any = false;
  for (execution_t *at = coordinator->first_running; at != NULL; at = at->next) {
    if (!at->is_paused && at->first_ns == 0 && is_on_chips(at)) {
      is_any |= make_way_for(coordinator, at);
    }
  }
  return is_any;
}

// Those that wait for their turn. For whom not all make way yet, the chips are left as
// they are, lest others have them before him.
static bool make_way_for_waiting(coordinator_t *coordinator) {
  execution_t *waiting[EXECUTIONS_WAITING_MAX];
  const size_t count = executions_find_waiting(coordinator, waiting);
  bool *is_kept = no_marks(coordinator);
  bool is_any = false;
  for (size_t i = 0; i < count; i++) {
    if (execution_may_have_turn(waiting[i]) && !marks_any(waiting[i], is_kept)) {
      is_any |= make_way_for(coordinator, waiting[i]);
      mark(waiting[i], is_kept);
    }
  }
  free(is_kept);
  return is_any;
}

// What one session alone gives and waits for is in its own order.
static bool are_several(const coordinator_t *coordinator) {
  const store_session_t *session = coordinator->first_running->request.operation.session;
  for (const execution_t *at = coordinator->first_running; at != NULL; at = at->next) {
    if (at->request.operation.session != session) {
      return true;
    }
  }
  return coordinator->queues != NULL &&
         (coordinator->queues->session != session || coordinator->queues->next != NULL);
}

static void look(void *context) {
  coordinator_t *coordinator = context;
  coordinator->is_slicing = false;
  if (coordinator->first_running != NULL && are_several(coordinator)) {
    executions_note_first(coordinator);
    bool is_any = take_back_what_lacks_room(coordinator);
    is_any |= make_way_for_given(coordinator);
    is_any |= make_way_for_waiting(coordinator);
    if (is_any) {
      executions_pump(coordinator);
    }
  }
  executions_slice(coordinator);
}

void executions_slice(coordinator_t *coordinator) {
  const execution_t *first = coordinator->first_running;
  if (coordinator->is_slicing || coordinator->is_destroyed || first == NULL ||
      (coordinator->queues == NULL && first->next == NULL)) {
    return;
  }
  if (coordinator->slice_timer == NULL) {
    coordinator->slice_timer = rpc_timer_create(coordinator->loop, look, coordinator);
  }
  coordinator->is_slicing = true;
  rpc_timer_start(coordinator->slice_timer, LOOK_MS, 0);
}
