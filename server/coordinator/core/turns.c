#include "server/coordinator/core/turns.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"

typedef struct turn_chip_t {
  int32_t given_count, loop_count, paused_count;
  int64_t given_ns;
  bool is_kept_free;
} turn_chip_t;

struct turns_t {
  int64_t now_ns;  // The clock of the client that was given the last turn.
  int32_t chip_count;
  turn_chip_t *chips;
};

turns_t *turns_create(int32_t chip_count) {
  turns_t *turns = pod_alloc(sizeof(*turns));
  *turns = (turns_t){.chip_count = chip_count,
                     .chips = pod_alloc((size_t)chip_count * sizeof(*turns->chips))};
  return turns;
}

void turns_destroy(turns_t *turns) {
  if (turns != NULL) {
    free(turns->chips);
    free(turns);
  }
}

// Of a program that nobody knows, two fill a chip: one runs, one is there when it ends.
turn_cost_t turns_cost(int64_t run_ns, bool has_loops) {
  return (turn_cost_t){.expected_ns = run_ns > 0 ? run_ns : TURNS_AHEAD_NS / 2,
                       .has_loops = has_loops,
                       .is_known = run_ns > 0};
}

turn_cost_t turns_slice_cost(turn_cost_t cost) {
  cost.expected_ns = TURNS_SLICE_NS;
  cost.is_begun = true;
  return cost;
}

static int64_t later_of(int64_t a, int64_t b) {
  return a > b ? a : b;
}

void turns_come(const turns_t *turns, turn_clock_t *client, turn_clock_t *session) {
  client->used_ns = later_of(client->used_ns, turns->now_ns);
  session->used_ns = later_of(session->used_ns, client->shared_ns);
}

int turns_compare(const turn_clock_t *client_a, const turn_clock_t *session_a,
                  const turn_clock_t *client_b, const turn_clock_t *session_b) {
  const int64_t a = client_a == client_b ? session_a->used_ns : client_a->used_ns;
  const int64_t b = client_a == client_b ? session_b->used_ns : client_b->used_ns;
  return (a > b) - (a < b);
}

void turns_begin(turns_t *turns) {
  for (int32_t i = 0; i < turns->chip_count; i++) {
    turns->chips[i].is_kept_free = false;
  }
}

// The last ones to be held are those that need not be.
static bool can_be_held(const turn_chip_t *chip, turn_cost_t cost) {
  return chip->paused_count < TURNS_PAUSED_MAX || cost.is_begun ||
         (cost.is_known && !cost.has_loops && cost.expected_ns <= TURNS_SLICE_NS);
}

static bool has_room(const turn_chip_t *chip, turn_cost_t cost) {
  if (chip->is_kept_free || !can_be_held(chip, cost)) {
    return false;
  }
  return chip->given_count == 0 ||
         (chip->given_count < TURNS_GIVEN_MAX &&
          chip->given_ns + cost.expected_ns <= TURNS_AHEAD_NS &&
          (!cost.has_loops || chip->loop_count < TURNS_LOOPS_MAX));
}

bool turns_have_room(turns_t *turns, int32_t chip_count, const int32_t *chips,
                     turn_cost_t cost) {
  bool is_room = true;
  for (int32_t i = 0; i < chip_count && is_room; i++) {
    is_room = has_room(&turns->chips[chips[i]], cost);
  }
  for (int32_t i = 0; i < chip_count && !is_room; i++) {
    turns->chips[chips[i]].is_kept_free = true;
  }
  return is_room;
}

void turns_give(turns_t *turns, int32_t chip_count, const int32_t *chips,
                turn_cost_t cost) {
  for (int32_t i = 0; i < chip_count; i++) {
    turn_chip_t *chip = &turns->chips[chips[i]];
    chip->given_count++;
    chip->loop_count += cost.has_loops;
    chip->given_ns += cost.expected_ns;
  }
}

void turns_charge(turns_t *turns, turn_cost_t cost, turn_clock_t *client,
                  turn_clock_t *session) {
  turns->now_ns = later_of(turns->now_ns, client->used_ns);
  client->shared_ns = later_of(client->shared_ns, session->used_ns);
  client->used_ns += cost.expected_ns;
  session->used_ns += cost.expected_ns;
}

void turns_take_back(turns_t *turns, int32_t chip_count, const int32_t *chips,
                     turn_cost_t cost) {
  for (int32_t i = 0; i < chip_count; i++) {
    turn_chip_t *chip = &turns->chips[chips[i]];
    POD_CHECK(chip->given_count > 0);
    chip->given_count--;
    chip->loop_count -= cost.has_loops;
    chip->given_ns -= cost.expected_ns;
  }
}

void turns_settle(turn_cost_t cost, int64_t took_ns, turn_clock_t *client,
                  turn_clock_t *session) {
  client->used_ns += took_ns - cost.expected_ns;
  session->used_ns += took_ns - cost.expected_ns;
}

// --- Slices ---

void turns_come_beside(turn_cost_t cost, int64_t had_ns, const turn_clock_t *client,
                       const turn_clock_t *session, turn_clock_t *coming_client,
                       turn_clock_t *coming_session, int64_t waiting_ns) {
  const bool is_same = client == coming_client;
  turn_clock_t *coming = is_same ? coming_session : coming_client;
  const int64_t used_ns =
      (is_same ? session : client)->used_ns - cost.expected_ns + had_ns;
  const int64_t owed_ns = used_ns - TURNS_SLICE_NS;
  // Of those whose clocks are the same who has come first is next: that is not he.
  coming->used_ns =
      later_of(coming->used_ns, owed_ns < waiting_ns ? owed_ns : waiting_ns - 1);
}

int64_t turns_waiting_ns(const turn_clock_t *client, const turn_clock_t *coming_client,
                         const turn_clock_t *waiting_client,
                         const turn_clock_t *waiting_session) {
  if (client != coming_client) {
    return waiting_client->used_ns;
  }
  return waiting_client == client ? waiting_session->used_ns : INT64_MAX;
}

bool turns_is_over(turn_cost_t cost, int64_t had_ns, const turn_clock_t *client,
                   const turn_clock_t *session, const turn_clock_t *waiting_client,
                   const turn_clock_t *waiting_session, int64_t charged_ns) {
  const bool is_same = client == waiting_client;
  const int64_t used_ns =
      (is_same ? session : client)->used_ns - cost.expected_ns + had_ns;
  const int64_t waiting_ns =
      (is_same ? waiting_session : waiting_client)->used_ns - charged_ns;
  return had_ns >= TURNS_SLICE_NS && waiting_ns < used_ns;
}

bool turns_may_pause(const turns_t *turns, int32_t chip_count, const int32_t *chips) {
  bool may = true;
  for (int32_t i = 0; i < chip_count && may; i++) {
    may = turns->chips[chips[i]].paused_count < TURNS_PAUSED_MAX;
  }
  return may;
}

void turns_pause(turns_t *turns, int32_t chip_count, const int32_t *chips,
                 turn_cost_t cost, bool holds) {
  turns_take_back(turns, chip_count, chips, cost);
  for (int32_t i = 0; i < chip_count; i++) {
    turns->chips[chips[i]].paused_count += holds;
  }
}

void turns_unpause(turns_t *turns, int32_t chip_count, const int32_t *chips, bool holds) {
  for (int32_t i = 0; i < chip_count; i++) {
    turns->chips[chips[i]].paused_count -= holds;
    POD_CHECK(turns->chips[chips[i]].paused_count >= 0);
  }
}
