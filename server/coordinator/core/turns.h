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
// Threading: pure; one thread at a time.
// Determinism: given the same calls, the same turns.

#ifndef SERVER_COORDINATOR_CORE_TURNS_H_
#define SERVER_COORDINATOR_CORE_TURNS_H_

#include <stdbool.h>
#include <stdint.h>

enum {
  TURNS_GIVEN_MAX = 64,  // To a chip, at a time.
  TURNS_LOOPS_MAX = 4,   // Of these, programs whose loops may turn longer than before.
};

#define TURNS_AHEAD_NS INT64_C(25000000)  // What a chip is given may take, in all.

// The clock of a client or a session: nanoseconds of the chips' time. Zero at first.
typedef struct turn_clock_t {
  int64_t used_ns;
  int64_t shared_ns;  // A client's: where the clock of its sessions stands.
} turn_clock_t;

// What an execution takes of its chips.
typedef struct turn_cost_t {
  int64_t expected_ns;
  bool has_loops;
} turn_cost_t;

typedef struct turns_t turns_t;

// Returns owned.
turns_t *turns_create(int32_t chip_count);

// Accepts NULL.
void turns_destroy(turns_t *turns);

// `run_ns`: what the program took the last time; 0: it has not been run.
turn_cost_t turns_cost(int64_t run_ns, bool has_loops);

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

#endif  // SERVER_COORDINATOR_CORE_TURNS_H_
