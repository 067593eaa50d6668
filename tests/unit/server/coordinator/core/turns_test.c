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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_chip_is_given_as_much_as_it_does_in_a_moment),
      cmocka_unit_test(test_turns_go_round_whoever_has_more_to_run),
      cmocka_unit_test(test_who_comes_is_next_but_saves_up_nothing),
      cmocka_unit_test(test_a_client_with_many_sessions_has_the_turns_of_one),
      cmocka_unit_test(test_who_took_longer_than_expected_pays_for_it),
      cmocka_unit_test(test_many_chips_are_kept_free_for_whose_turn_it_is),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
