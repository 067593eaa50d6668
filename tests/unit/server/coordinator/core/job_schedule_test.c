// Which job starts next.

#include "server/coordinator/core/job_schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "common/base/list.h"

static const torus_t pod = {.size = {4, 2, 1}};

static void add(job_schedule_t *schedule, uint64_t id, const char *principal,
                int32_t priority, int32_t count) {
  job_schedule_add(schedule,
                   &(job_plan_t){.id = id,
                                 .principal = principal,
                                 .priority = priority,
                                 .wish = {.count = count}},
                   0);
}

// The next one; 0: none.
static uint64_t next(job_schedule_t *schedule, int64_t now_us) {
  uint64_t id;
  torus_slice_t slice;
  return job_schedule_next(schedule, NULL, now_us, &id, &slice) ? id : 0;
}

static void test_two_boxes_run_at_once_and_never_overlap(void **state) {
  (void)state;
  job_schedule_t *schedule = job_schedule_create(&pod);
  for (uint64_t id = 1; id <= 3; id++) {
    add(schedule, id, "a", 0, 4);
  }
  assert_int_equal(next(schedule, 0), 1);
  assert_int_equal(next(schedule, 0), 2);
  assert_int_equal(next(schedule, 0), 0);
  torus_slice_t first, second;
  assert_true(job_schedule_slice(schedule, 1, &first));
  assert_true(job_schedule_slice(schedule, 2, &second));
  assert_int_not_equal(first.origin[0], second.origin[0]);
  job_schedule_remove(schedule, 1, 10);
  assert_int_equal(next(schedule, 10), 3);
  job_schedule_destroy(schedule);
}

static void test_priority_goes_before_fairness_before_order(void **state) {
  (void)state;
  job_schedule_t *schedule = job_schedule_create(&pod);
  add(schedule, 1, "a", 0, 8);
  assert_int_equal(next(schedule, 0), 1);
  add(schedule, 2, "a", 0, 8);
  add(schedule, 3, "b", 0, 8);
  add(schedule, 4, "b", 5, 8);
  job_schedule_remove(schedule, 1, 1000);  // a has had 8000, b came at 0.
  assert_int_equal(next(schedule, 1000), 4);
  job_schedule_remove(schedule, 4, 1500);  // b has had 4000.
  assert_int_equal(next(schedule, 1500), 3);
  job_schedule_remove(schedule, 3, 1600);
  assert_int_equal(next(schedule, 1600), 2);
  job_schedule_destroy(schedule);
}

// One has a hundred jobs queued, the other comes with short ones: they get equal time.
static void test_principals_share_the_time(void **state) {
  (void)state;
  job_schedule_t *schedule = job_schedule_create(&pod);
  for (uint64_t id = 1; id <= 100; id++) {
    add(schedule, id, "many", 0, 8);
  }
  for (uint64_t id = 101; id <= 200; id++) {
    add(schedule, id, "few", 0, 8);
  }
  int64_t now_us = 0, of_many = 0, of_few = 0;
  while (now_us < 3000) {
    const uint64_t id = next(schedule, now_us);
    const int64_t takes_us = id <= 100 ? 100 : 50;
    *(id <= 100 ? &of_many : &of_few) += takes_us;
    now_us += takes_us;
    job_schedule_remove(schedule, id, now_us);
  }
  assert_in_range(of_many, of_few - 100, of_few + 100);
  job_schedule_destroy(schedule);
}

static void test_who_comes_late_has_saved_nothing_up(void **state) {
  (void)state;
  job_schedule_t *schedule = job_schedule_create(&pod);
  int64_t now_us = 0;
  for (uint64_t id = 1; id <= 10; id++) {
    add(schedule, id, "a", 0, 8);
  }
  for (int i = 0; i < 8; i++) {
    const uint64_t id = next(schedule, now_us);
    now_us += 1000;
    job_schedule_remove(schedule, id, now_us);
  }
  for (uint64_t id = 11; id <= 13; id++) {
    job_schedule_add(schedule,
                     &(job_plan_t){.id = id, .principal = "b", .wish = {.count = 8}},
                     now_us);
  }
  uint64_t order[4];
  for (int i = 0; i < 4; i++) {
    order[i] = next(schedule, now_us);
    now_us += 1000;
    job_schedule_remove(schedule, order[i], now_us);
  }
  const uint64_t expected[] = {9, 11, 10, 12};  // In turns, not b's three at once.
  const uint64_t other[] = {9, 11, 12, 10};
  assert_true(memcmp(order, expected, sizeof(order)) == 0 ||
              memcmp(order, other, sizeof(order)) == 0);
  job_schedule_destroy(schedule);
}

// Chips are always wanted by small jobs; the large one starts all the same.
static void test_a_large_slice_is_not_passed_for_ever(void **state) {
  (void)state;
  job_schedule_t *schedule = job_schedule_create(&pod);
  POD_LIST(uint64_t) running = {0};
  uint64_t last = 0;
  for (int i = 0; i < 8; i++) {
    add(schedule, ++last, "a", 0, 1);
    *pod_list_add(&running) = next(schedule, 0);
  }
  const uint64_t large = ++last;
  add(schedule, large, "a", 0, 8);
  int ended = 0;
  for (bool has_started = false; !has_started; ended++) {
    assert_true(ended < 8 + JOB_SCHEDULE_PASSES + 1);
    add(schedule, ++last, "a", 0, 1);
    assert_true(running.count > 0);
    job_schedule_remove(schedule, running.items[0], ended);
    memmove(running.items, running.items + 1,
            (size_t)--running.count * sizeof(running.items[0]));
    for (uint64_t id = next(schedule, ended); id != 0; id = next(schedule, ended)) {
      has_started |= id == large;
      *pod_list_add(&running) = id;
    }
  }
  assert_int_equal(ended, 8 + JOB_SCHEDULE_PASSES);
  pod_list_deinit(&running);
  job_schedule_destroy(schedule);
}

static void test_small_ones_fill_the_gap_beside_what_is_kept(void **state) {
  (void)state;
  job_schedule_t *schedule = job_schedule_create(&pod);
  add(schedule, 1, "a", 0, 4);
  add(schedule, 2, "a", 0, 1);
  assert_int_equal(next(schedule, 0), 1);
  assert_int_equal(next(schedule, 0), 2);
  add(schedule, 3, "a", 0, 4);  // Must wait for 2.
  for (uint64_t id = 4; id < 4 + JOB_SCHEDULE_PASSES; id++) {
    add(schedule, id, "a", 0, 1);
    assert_int_equal(next(schedule, 0), id);
    job_schedule_remove(schedule, id, 0);
  }
  add(schedule, 100, "a", 0, 1);
  assert_int_equal(next(schedule, 0), 0);  // What is left of the box is kept for 3.
  job_schedule_remove(schedule, 2, 0);
  assert_int_equal(next(schedule, 0), 3);
  job_schedule_destroy(schedule);
}

static void test_lost_chips_are_not_given_and_the_word_says_so(void **state) {
  (void)state;
  job_schedule_t *schedule = job_schedule_create(&pod);
  const bool lost[8] = {[0] = true};
  const slices_missing_t missing = {.chips = lost};
  add(schedule, 1, "a", 0, 8);
  add(schedule, 2, "a", 0, 4);
  uint64_t id;
  torus_slice_t slice;
  assert_true(job_schedule_next(schedule, &missing, 0, &id, &slice));
  assert_int_equal(id, 2);
  assert_int_equal(slice.origin[0], 2);
  assert_false(job_schedule_next(schedule, &missing, 0, &id, &slice));
  pod_text_t text = {0};
  job_schedule_print_wait(schedule, &missing, 1, &text);
  assert_string_equal(text.bytes,
                      "for a free slice of 8 chips, which the pod does not have while "
                      "chips are missing");
  pod_text_deinit(&text);
  job_schedule_destroy(schedule);
}

static void test_a_slice_whose_links_are_down_waits_for_them(void **state) {
  (void)state;
  job_schedule_t *schedule = job_schedule_create(&pod);
  uint16_t links[8] = {[2] = 1 << 0, [3] = 1 << 1};  // From 2 along +x, and back.
  const slices_missing_t missing = {.links = links};
  add(schedule, 1, "a", 0, 8);
  add(schedule, 2, "a", 0, 4);
  uint64_t id;
  torus_slice_t slice;
  assert_true(job_schedule_next(schedule, &missing, 0, &id, &slice));
  assert_int_equal(id, 2);
  assert_int_equal(slice.origin[0], 0);
  assert_false(job_schedule_next(schedule, &missing, 0, &id, &slice));
  pod_text_t text = {0};
  job_schedule_print_wait(schedule, &missing, 1, &text);
  assert_string_equal(text.bytes,
                      "for a free slice of 8 chips, which the pod does not have while "
                      "links are down");
  pod_text_deinit(&text);
  job_schedule_remove(schedule, 2, 0);
  memset(links, 0, sizeof(links));
  assert_true(job_schedule_next(schedule, &missing, 0, &id, &slice));
  assert_int_equal(id, 1);
  job_schedule_destroy(schedule);
}

static void expect_wait(const job_schedule_t *schedule, uint64_t id, const bool *chips,
                        const uint16_t *links, const char *end) {
  pod_text_t text = {0};
  const slices_missing_t missing = {.chips = chips, .links = links};
  job_schedule_print_wait(schedule, &missing, id, &text);
  assert_string_equal(text.bytes, end);
  pod_text_deinit(&text);
}

// What was found for a size is remembered, as long as the same is missing.
// b has had less than a, whose job comes first: he is not put level with him, as who
// comes anew is.
static void test_clocks_that_are_recalled_stay_as_they_are(void **state) {
  (void)state;
  job_schedule_t *schedule = job_schedule_create(&pod);
  job_schedule_recall(schedule, "a", 5000);
  job_schedule_recall(schedule, "b", 1000);
  add(schedule, 1, "a", 0, 8);
  add(schedule, 2, "b", 0, 8);
  add(schedule, 3, "c", 0, 8);
  assert_int_equal(job_schedule_used(schedule, "b"), 1000);
  assert_int_equal(job_schedule_used(schedule, "c"), 1000);
  assert_int_equal(next(schedule, 0), 2);
  job_schedule_remove(schedule, 2, 0);
  assert_int_equal(next(schedule, 0), 3);
  job_schedule_destroy(schedule);
}

static void test_what_a_size_lacks_follows_what_is_missing(void **state) {
  (void)state;
  static const char of_chips[] =
      "for a free slice of 8 chips, which the pod does not have while chips are missing";
  static const char of_links[] =
      "for a free slice of 8 chips, which the pod does not have while links are down";
  job_schedule_t *schedule = job_schedule_create(&pod);
  bool chips[8] = {[3] = true};
  uint16_t links[8] = {[2] = 1 << 0, [3] = 1 << 1};
  add(schedule, 1, "a", 0, 8);
  add(schedule, 2, "a", 0, 4);
  for (int i = 0; i < 3; i++) {
    expect_wait(schedule, 1, chips, NULL, of_chips);
    expect_wait(schedule, 2, chips, NULL, "for a free slice of 4 chips, behind 1 job");
  }
  expect_wait(schedule, 1, NULL, links, of_links);
  expect_wait(schedule, 1, NULL, NULL, "for a free slice of 8 chips");
  expect_wait(schedule, 1, chips, links, of_chips);
  chips[3] = false;
  expect_wait(schedule, 1, chips, links, of_links);
  memset(links, 0, sizeof(links));
  expect_wait(schedule, 1, chips, links, "for a free slice of 8 chips");
  job_schedule_destroy(schedule);
}

// Thousands of jobs are listed, which wait for boxes that a large pod looks for long: it
// did so for each of them, for some 6 ms of its loop's time.
static void test_why_thousands_wait_is_found_once(void **state) {
  (void)state;
  enum { JOBS = 2000 };
  const torus_t large = {.size = {8, 8, 16}, .wraps = {true, true, true}};
  job_schedule_t *schedule = job_schedule_create(&large);
  for (uint64_t id = 1; id <= JOBS; id++) {
    job_schedule_add(
        schedule,
        &(job_plan_t){
            .id = id, .principal = "a", .wish = {.count = 64, .size = {4, 4, 4}}},
        0);
  }
  bool *chips = calloc(1024, sizeof(bool));
  memset(chips, true, 1024);
  const slices_missing_t missing = {.chips = chips};
  const clock_t began = clock();
  for (uint64_t id = 1; id <= JOBS; id++) {
    pod_text_t text = {0};
    job_schedule_print_wait(schedule, &missing, id, &text);
    pod_text_deinit(&text);
  }
  assert_true(clock() - began < 4 * CLOCKS_PER_SEC);  // Of processor time; it was 12 s.
  free(chips);
  job_schedule_destroy(schedule);
}

static void test_what_runs_again_has_its_old_place(void **state) {
  (void)state;
  job_schedule_t *schedule = job_schedule_create(&pod);
  add(schedule, 1, "a", 0, 8);
  add(schedule, 2, "a", 0, 8);
  assert_int_equal(next(schedule, 0), 1);
  job_schedule_again(schedule, 1, 5);
  assert_int_equal(job_schedule_position(schedule, 1), 0);
  assert_int_equal(job_schedule_position(schedule, 2), 1);
  assert_int_equal(next(schedule, 5), 1);
  job_schedule_destroy(schedule);
}

static void test_only_what_the_pod_did_is_tried_again(void **state) {
  (void)state;
  assert_int_equal(job_verdict(POD_UNAVAILABLE, 1, 1), JOB_VERDICT_AGAIN);
  assert_int_equal(job_verdict(POD_DATA_LOSS, 2, 3), JOB_VERDICT_AGAIN);
  assert_int_equal(job_verdict(POD_UNAVAILABLE, 2, 1), JOB_VERDICT_END);
  assert_int_equal(job_verdict(POD_UNAVAILABLE, 1, 0), JOB_VERDICT_END);
  for (int code = 0; code < POD_CODE_COUNT; code++) {
    if (code != POD_UNAVAILABLE && code != POD_DATA_LOSS) {
      assert_int_equal(job_verdict((pod_code_t)code, 1, 100), JOB_VERDICT_END);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_two_boxes_run_at_once_and_never_overlap),
      cmocka_unit_test(test_priority_goes_before_fairness_before_order),
      cmocka_unit_test(test_principals_share_the_time),
      cmocka_unit_test(test_who_comes_late_has_saved_nothing_up),
      cmocka_unit_test(test_a_large_slice_is_not_passed_for_ever),
      cmocka_unit_test(test_small_ones_fill_the_gap_beside_what_is_kept),
      cmocka_unit_test(test_lost_chips_are_not_given_and_the_word_says_so),
      cmocka_unit_test(test_a_slice_whose_links_are_down_waits_for_them),
      cmocka_unit_test(test_clocks_that_are_recalled_stay_as_they_are),
      cmocka_unit_test(test_what_a_size_lacks_follows_what_is_missing),
      cmocka_unit_test(test_why_thousands_wait_is_found_once),
      cmocka_unit_test(test_what_runs_again_has_its_old_place),
      cmocka_unit_test(test_only_what_the_pod_did_is_tried_again)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
