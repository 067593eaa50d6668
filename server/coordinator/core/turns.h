// Whose turn it is, and how much the chips are given at a time.
//
// Two bounds keep one client's executions from standing before all others':
// - What a chip has been given ahead of the end of what runs is bounded in time, not only
//   in number: by what programs took the last time. Who comes next waits for that.
// - The turns are shared by time used. Each client, and each session of a client, has a
//   clock of its own that goes on by what it has been given; the one whose clock is
//   furthest behind is next. Who has waited for nothing does not save up time: his clock
//   is put forward to that of the others when he comes (start-time fair queueing: Goyal,
//   Vin, Cheng, 1996).
// One that has its turn and finds no room keeps its chips free of those behind it, so
// that a program on many chips is not passed for ever by others on few.
//
// What takes longer than others should wait is sliced: whoever has run for a slice, and
// has had more than one who waits, makes way for him and is given his chips again when it
// is his turn by the same clocks. He is charged for what he has had each time.
//
//   given ──a slice is over, others' turn──► paused ──its turn──► given ──► …
//
// A chip holds few that are paused: then only what is known to be short is begun.
//
// Threading: pure; one thread at a time.
// Determinism: given the same calls, the same turns.

#ifndef SERVER_COORDINATOR_CORE_TURNS_H_
#define SERVER_COORDINATOR_CORE_TURNS_H_

#include <stdbool.h>
#include <stdint.h>

enum {
  TURNS_GIVEN_MAX = 64,   // To a chip, at a time.
  TURNS_LOOPS_MAX = 4,    // Of these, programs whose loops may turn longer than before.
  TURNS_PAUSED_MAX = 14,  // On a chip: threads and memory of its worker.
};

#define TURNS_AHEAD_NS INT64_C(25000000)  // What a chip is given may take, in all.
#define TURNS_SLICE_NS INT64_C(25000000)  // Nobody makes way before.

// The clock of a client or a session: nanoseconds of the chips' time. Zero at first.
typedef struct turn_clock_t {
  int64_t used_ns;
  int64_t shared_ns;  // A client's: where the clock of its sessions stands.
} turn_clock_t;

// What an execution takes of its chips.
typedef struct turn_cost_t {
  int64_t expected_ns;
  bool has_loops;
  bool is_known;  // It has been run before.
  bool is_begun;  // It was paused, and goes on.
} turn_cost_t;

typedef struct turns_t turns_t;

// Returns owned.
turns_t *turns_create(int32_t chip_count);

// Accepts NULL.
void turns_destroy(turns_t *turns);

// `run_ns`: what the program took the last time; 0: it has not been run.
turn_cost_t turns_cost(int64_t run_ns, bool has_loops);

// `cost` of one that has begun and goes on: it has its chips for itself.
turn_cost_t turns_slice_cost(turn_cost_t cost);

// The session has something to run now, and had not: what it has not used is gone.
void turns_come(const turns_t *turns, turn_clock_t *client, turn_clock_t *session);

// Below 0: a's turn is before b's; each is a client's clock and that of its session.
int turns_compare(const turn_clock_t *client_a, const turn_clock_t *session_a,
                  const turn_clock_t *client_b, const turn_clock_t *session_b);

// The choice begins: no chip is kept free.
void turns_begin(turns_t *turns);

// Whether the chips have room for it. If not they are kept free for it until turns_begin.
// To be asked in the order of the turns.
bool turns_have_room(turns_t *turns, int32_t chip_count, const int32_t *chips,
                     turn_cost_t cost);

// It is given to its chips.
void turns_give(turns_t *turns, int32_t chip_count, const int32_t *chips,
                turn_cost_t cost);

// At the cost of these clocks.
void turns_charge(turns_t *turns, turn_cost_t cost, turn_clock_t *client,
                  turn_clock_t *session);

// The chips are done with it.
void turns_take_back(turns_t *turns, int32_t chip_count, const int32_t *chips,
                     turn_cost_t cost);

// What it took in truth, instead of what was expected.
void turns_settle(turn_cost_t cost, int64_t took_ns, turn_clock_t *client,
                  turn_clock_t *session);

// --- Slices ---

// One who comes beside one that has run for `had_ns`: of what that took longer than a
// slice, because nobody waited, he is owed nothing. `waiting_ns` is the clock furthest
// behind of those that wait for its chips (turns_waiting_ns), INT64_MAX when nobody does:
// he is not put behind them, who have come before him and wait for as long.
void turns_come_beside(turn_cost_t cost, int64_t had_ns, const turn_clock_t *client,
                       const turn_clock_t *session, turn_clock_t *coming_client,
                       turn_clock_t *coming_session, int64_t waiting_ns);

// Where one that waits stands, as who comes beside a run of `client` is compared with it;
// INT64_MAX: it is not.
int64_t turns_waiting_ns(const turn_clock_t *client, const turn_clock_t *coming_client,
                         const turn_clock_t *waiting_client,
                         const turn_clock_t *waiting_session);

// Whether one that runs, has had its chips for `had_ns` and was charged `cost`, is to
// make way for one that waits, of these clocks, who has been charged `charged_ns` for
// what he waits for.
bool turns_is_over(turn_cost_t cost, int64_t had_ns, const turn_clock_t *client,
                   const turn_clock_t *session, const turn_clock_t *waiting_client,
                   const turn_clock_t *waiting_session, int64_t charged_ns);

// Whether its chips can hold one more that is paused.
bool turns_may_pause(const turns_t *turns, int32_t chip_count, const int32_t *chips);

// It is given no more. `holds`: it has begun, and is held there.
void turns_pause(turns_t *turns, int32_t chip_count, const int32_t *chips,
                 turn_cost_t cost, bool holds);

// It is not paused any more: it has ended, or is given again.
void turns_unpause(turns_t *turns, int32_t chip_count, const int32_t *chips, bool holds);

#endif  // SERVER_COORDINATOR_CORE_TURNS_H_
