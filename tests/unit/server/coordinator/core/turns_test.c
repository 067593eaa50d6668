// Whose turn it is, and how much chips are given at a time.

#include "server/coordinator/core/turns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { CHIPS = 4 };

static const int32_t all[CHIPS] = {0, 1, 2, 3};

typedef struct user_t {
  turn_clock_t client, session;
} user_t;

static void give(turns_t *turns, user_t *user, int32_t count, turn_cost_t cost) {
  turns_give(turns, count, all, cost);
  turns_charge(turns, cost, &user->client, &user->session);
}

// How many of `cost` a chip is given while none ends.
static int32_t count_given(turn_cost_t cost) {
  turns_t *turns = turns_create(CHIPS);
  user_t user = {0};
  int32_t count = 0;
  turns_begin(turns);
  while (turns_have_room(turns, 1, all, cost)) {
    give(turns, &user, 1, cost);
    count++;
  }
  for (int32_t i = 0; i < count; i++) {
    turns_take_back(turns, 1, all, cost);
  }
  turns_begin(turns);
  assert_true(turns_have_room(turns, 1, all, cost));
  turns_destroy(turns);
  return count;
}

static void test_a_chip_is_given_as_much_as_it_does_in_a_moment(void **state) {
  (void)state;
  assert_int_equal(count_given(turns_cost(10000, false)), TURNS_GIVEN_MAX);
  assert_int_equal(count_given(turns_cost(TURNS_AHEAD_NS / 5, false)), 5);
  assert_int_equal(count_given(turns_cost(TURNS_AHEAD_NS * 100, false)), 1);
  assert_int_equal(count_given(turns_cost(0, false)), 2);  // Nobody knows it.
  // A short run says nothing of the next one.
  assert_int_equal(count_given(turns_cost(10000, true)), TURNS_LOOPS_MAX);
}

static void test_turns_go_round_whoever_has_more_to_run(void **state) {
  (void)state;
  turns_t *turns = turns_create(CHIPS);
  user_t users[3] = {0};
  const turn_cost_t cost = turns_cost(1000, false);
  int counts[3] = {0};
  for (int i = 0; i < 3; i++) {
    turns_come(turns, &users[i].client, &users[i].session);
  }
  for (int turn = 0; turn < 30; turn++) {
    int next = 0;
    for (int i = 1; i < 3; i++) {
      if (turns_compare(&users[i].client, &users[i].session, &users[next].client,
                        &users[next].session) < 0) {
        next = i;
      }
    }
    give(turns, &users[next], 1, cost);
    counts[next]++;
  }
  for (int i = 0; i < 3; i++) {
    assert_int_equal(counts[i], 10);
  }
  turns_destroy(turns);
}

static void test_who_comes_is_next_but_saves_up_nothing(void **state) {
  (void)state;
  turns_t *turns = turns_create(CHIPS);
  user_t greedy = {0}, modest = {0};
  const turn_cost_t cost = turns_cost(1000000, false);
  turns_come(turns, &greedy.client, &greedy.session);
  for (int i = 0; i < 100; i++) {
    give(turns, &greedy, 1, cost);
  }
  turns_come(turns, &modest.client, &modest.session);
  assert_true(turns_compare(&modest.client, &modest.session, &greedy.client,
                            &greedy.session) < 0);
  give(turns, &modest, 1, cost);
  give(turns, &modest, 1, cost);
  assert_true(turns_compare(&greedy.client, &greedy.session, &modest.client,
                            &modest.session) < 0);
  turns_destroy(turns);
}

static void test_a_client_with_many_sessions_has_the_turns_of_one(void **state) {
  (void)state;
  turns_t *turns = turns_create(CHIPS);
  turn_clock_t many = {0}, sessions[8] = {0};
  user_t one = {0};
  const turn_cost_t cost = turns_cost(1000, false);
  int counts[8] = {0}, ones = 0;
  for (int turn = 0; turn < 160; turn++) {
    int next = 0;
    for (int i = 1; i < 8; i++) {
      next = turns_compare(&many, &sessions[i], &many, &sessions[next]) < 0 ? i : next;
    }
    if (turns_compare(&one.client, &one.session, &many, &sessions[next]) < 0) {
      give(turns, &one, 1, cost);
      ones++;
    } else {
      turns_give(turns, 1, all, cost);
      turns_charge(turns, cost, &many, &sessions[next]);
      counts[next]++;
    }
  }
  assert_int_equal(ones, 80);
  for (int i = 0; i < 8; i++) {
    assert_int_equal(counts[i], 10);
  }
  turns_destroy(turns);
}

static void test_who_took_longer_than_expected_pays_for_it(void **state) {
  (void)state;
  turns_t *turns = turns_create(CHIPS);
  user_t sly = {0}, honest = {0};
  const turn_cost_t cost = turns_cost(1000, true);
  give(turns, &sly, 1, cost);
  turns_settle(cost, INT64_C(60000000000), &sly.client, &sly.session);
  for (int i = 0; i < 1000; i++) {
    assert_true(
        turns_compare(&honest.client, &honest.session, &sly.client, &sly.session) < 0);
    give(turns, &honest, 1, cost);
  }
  turns_destroy(turns);
}

static void test_many_chips_are_kept_free_for_whose_turn_it_is(void **state) {
  (void)state;
  turns_t *turns = turns_create(CHIPS);
  user_t user = {0};
  const turn_cost_t cost = turns_cost(TURNS_AHEAD_NS, false);
  give(turns, &user, 1, cost);
  turns_begin(turns);
  assert_false(turns_have_room(turns, CHIPS, all, cost));
  assert_false(turns_have_room(turns, 1, &all[3], cost));  // It comes later.
  turns_begin(turns);
  assert_true(turns_have_room(turns, 1, &all[3], cost));  // Now it is before it.
  turns_destroy(turns);
}

// --- Slices ---

static bool is_over(const user_t *runs, turn_cost_t cost, int64_t had_ns,
                    const user_t *waits) {
  return turns_is_over(cost, had_ns, &runs->client, &runs->session, &waits->client,
                       &waits->session, 0);
}

static void test_who_has_had_more_makes_way_after_a_slice(void **state) {
  (void)state;
  turns_t *turns = turns_create(CHIPS);
  user_t greedy = {0}, modest = {0};
  const turn_cost_t cost = turns_cost(0, true);
  give(turns, &greedy, 1, cost);
  turns_come(turns, &modest.client, &modest.session);
  assert_false(is_over(&greedy, cost, TURNS_SLICE_NS - 1, &modest));
  assert_true(is_over(&greedy, cost, TURNS_SLICE_NS, &modest));
  modest.client.used_ns = 10 * TURNS_SLICE_NS;
  assert_false(is_over(&greedy, cost, 10 * TURNS_SLICE_NS, &modest));
  assert_true(is_over(&greedy, cost, 10 * TURNS_SLICE_NS + 1, &modest));
  turns_destroy(turns);
}

static void test_sessions_of_a_client_make_way_for_each_other(void **state) {
  (void)state;
  turns_t *turns = turns_create(CHIPS);
  turn_clock_t client = {0}, sessions[2] = {{0}, {0}};
  const turn_cost_t cost = turns_cost(0, true);
  turns_charge(turns, cost, &client, &sessions[0]);
  assert_true(turns_is_over(cost, TURNS_SLICE_NS, &client, &sessions[0], &client,
                            &sessions[1], 0));
  // What was charged beforehand, and not had, does not count.
  turns_charge(turns, cost, &client, &sessions[1]);
  assert_true(turns_is_over(cost, TURNS_SLICE_NS, &client, &sessions[0], &client,
                            &sessions[1], cost.expected_ns));
  turns_destroy(turns);
}

// Each runs for ever; who runs is looked at every 10 ms of 60 s.
static void test_endless_ones_have_the_same_time_and_each_goes_on(void **state) {
  (void)state;
  enum { USERS = 3, LOOK_NS = 10000000, LOOKS = 6000 };
  turns_t *turns = turns_create(CHIPS);
  user_t users[USERS] = {0};
  turn_cost_t costs[USERS];
  int64_t had_ns[USERS] = {0}, waited_ns[USERS] = {0}, slice_ns = 0;
  int runs = 0;
  costs[0] = turns_cost(0, true);
  give(turns, &users[0], 1, costs[0]);
  for (int i = 1; i < USERS; i++) {
    costs[i] = turns_cost(0, true);
    turns_come(turns, &users[i].client, &users[i].session);
  }
  for (int look = 0; look < LOOKS; look++) {
    slice_ns += LOOK_NS;
    had_ns[runs] += LOOK_NS;
    int next = runs;
    for (int i = 0; i < USERS; i++) {
      waited_ns[i] = i == runs ? 0 : waited_ns[i] + LOOK_NS;
      assert_true(waited_ns[i] <= USERS * (TURNS_SLICE_NS + 2 * LOOK_NS));
      if (i != runs && is_over(&users[runs], costs[runs], slice_ns, &users[i]) &&
          (next == runs ||
           turns_compare(&users[i].client, &users[i].session, &users[next].client,
                         &users[next].session) < 0)) {
        next = i;
      }
    }
    if (next != runs) {
      turns_pause(turns, 1, all, costs[runs], true);
      turns_settle(costs[runs], slice_ns, &users[runs].client, &users[runs].session);
      costs[runs] = turns_slice_cost(costs[runs]);
      if (costs[next].is_begun) {
        turns_unpause(turns, 1, all, true);
      }
      turns_begin(turns);
      assert_true(turns_have_room(turns, 1, all, costs[next]));
      give(turns, &users[next], 1, costs[next]);
      slice_ns = 0;
      runs = next;
    }
  }
  for (int i = 0; i < USERS; i++) {
    assert_true(had_ns[i] > (int64_t)LOOKS * LOOK_NS / USERS * 95 / 100);
  }
  turns_destroy(turns);
}

static void test_a_chip_that_holds_as_many_as_it_can_begins_only_what_is_short(
    void **state) {
  (void)state;
  turns_t *turns = turns_create(CHIPS);
  const turn_cost_t unknown = turns_cost(0, false);
  const turn_cost_t is_short = turns_cost(1000000, false);
  for (int i = 0; i < TURNS_PAUSED_MAX; i++) {
    assert_true(turns_may_pause(turns, CHIPS, all));
    turns_give(turns, 1, all, unknown);
    turns_pause(turns, 1, all, unknown, true);
  }
  assert_false(turns_may_pause(turns, CHIPS, all));
  assert_true(turns_may_pause(turns, CHIPS - 1, &all[1]));
  turns_begin(turns);
  assert_true(turns_have_room(turns, 1, all, is_short));
  assert_true(turns_have_room(turns, 1, all, turns_slice_cost(unknown)));
  assert_false(turns_have_room(turns, 1, all, unknown));
  turns_begin(turns);
  assert_false(turns_have_room(turns, 1, all, turns_cost(1000000, true)));
  turns_begin(turns);
  assert_false(turns_have_room(turns, 1, all, turns_cost(2 * TURNS_SLICE_NS, false)));
  turns_unpause(turns, 1, all, true);
  turns_begin(turns);
  assert_true(turns_have_room(turns, 1, all, unknown));
  turns_destroy(turns);
}

static void test_who_comes_beside_a_long_run_is_owed_a_slice_of_it(void **state) {
  (void)state;
  turns_t *turns = turns_create(CHIPS);
  user_t greedy = {0}, modest = {0};
  const turn_cost_t cost = turns_cost(0, true);
  const int64_t had_ns = INT64_C(60000000000);
  give(turns, &greedy, 1, cost);
  turns_come(turns, &modest.client, &modest.session);
  turns_come_beside(cost, had_ns, &greedy.client, &greedy.session, &modest.client,
                    &modest.session, INT64_MAX);
  assert_true(is_over(&greedy, cost, had_ns, &modest));
  turns_settle(cost, had_ns, &greedy.client, &greedy.session);
  give(turns, &modest, 1, turns_cost(2 * TURNS_SLICE_NS, false));
  assert_true(turns_compare(&greedy.client, &greedy.session, &modest.client,
                            &modest.session) < 0);
  turns_destroy(turns);
}

// A machine with much else to do lets a slice be over late: that is nobody's to pay for
// who comes meanwhile, as all who wait have had it.
static void test_who_comes_beside_a_long_slice_is_not_behind_those_who_wait(
    void **state) {
  (void)state;
  turns_t *turns = turns_create(2);
  user_t runs = {0}, waits = {0}, comes = {0};
  const turn_cost_t cost = turns_cost(TURNS_SLICE_NS, true);
  turns_come(turns, &runs.client, &runs.session);
  turns_come(turns, &waits.client, &waits.session);
  turns_charge(turns, cost, &waits.client, &waits.session);
  give(turns, &runs, 1, cost);
  turns_come(turns, &comes.client, &comes.session);
  turns_come_beside(
      cost, 4 * TURNS_SLICE_NS, &runs.client, &runs.session, &comes.client,
      &comes.session,
      turns_waiting_ns(&runs.client, &comes.client, &waits.client, &waits.session));
  assert_true(
      turns_compare(&comes.client, &comes.session, &waits.client, &waits.session) < 0);
  // He has not saved up more than the one who waits has.
  assert_true(comes.client.used_ns >= waits.client.used_ns - TURNS_SLICE_NS);
  turns_destroy(turns);
}

// Sessions of one client have turns among themselves; another client's stand elsewhere.
static void test_only_who_shares_a_clock_is_waited_with(void **state) {
  (void)state;
  const user_t own = {.client = {.used_ns = 50}, .session = {.used_ns = 5}};
  const user_t other = {.client = {.used_ns = 70}, .session = {.used_ns = 7}};
  assert_int_equal(turns_waiting_ns(&own.client, &own.client, &own.client, &own.session),
                   5);
  assert_int_equal(
      turns_waiting_ns(&own.client, &own.client, &other.client, &other.session),
      INT64_MAX);
  assert_int_equal(
      turns_waiting_ns(&other.client, &own.client, &other.client, &other.session), 70);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_chip_is_given_as_much_as_it_does_in_a_moment),
      cmocka_unit_test(test_turns_go_round_whoever_has_more_to_run),
      cmocka_unit_test(test_who_comes_is_next_but_saves_up_nothing),
      cmocka_unit_test(test_a_client_with_many_sessions_has_the_turns_of_one),
      cmocka_unit_test(test_who_took_longer_than_expected_pays_for_it),
      cmocka_unit_test(test_many_chips_are_kept_free_for_whose_turn_it_is),
      cmocka_unit_test(test_who_has_had_more_makes_way_after_a_slice),
      cmocka_unit_test(test_sessions_of_a_client_make_way_for_each_other),
      cmocka_unit_test(test_endless_ones_have_the_same_time_and_each_goes_on),
      cmocka_unit_test(
          test_a_chip_that_holds_as_many_as_it_can_begins_only_what_is_short),
      cmocka_unit_test(test_who_comes_beside_a_long_run_is_owed_a_slice_of_it),
      cmocka_unit_test(test_who_comes_beside_a_long_slice_is_not_behind_those_who_wait),
      cmocka_unit_test(test_only_who_shares_a_clock_is_waited_with),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
