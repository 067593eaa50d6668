#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "client/profile/collectives.h"

// A gather that the core waits for; a sum that starts, two products behind it, its end.
static const podium_instruction_t instructions[] = {{.name = "all_reduce.0"},
                                                    {.name = "dot.0", .op = "dot"},
                                                    {.name = "all_gather.0"},
                                                    {.name = "all_to_all.0"}};
static const int members[] = {0, 1, 2};
static const podium_task_t tasks[] = {
    {.name = "all_gather.0",
     .kind = PODIUM_TASK_COLLECTIVE,
     .member_count = 1,
     .members = &members[2],
     .partner = -1},
    {.name = "all_reduce.0",
     .kind = PODIUM_TASK_COLLECTIVE_START,
     .member_count = 1,
     .members = &members[0],
     .partner = 4},
    {.name = "dot.0", .op = "dot", .member_count = 1, .members = &members[1]},
    {.name = "dot.1", .op = "dot"},
    {.name = "all_reduce.0", .kind = PODIUM_TASK_COLLECTIVE_DONE, .partner = 1},
};
static const podium_task_total_t totals[] = {
    {.task = 0, .run_count = 1, .duration_ps = 30, .flight_ps = 28},
    {.task = 1, .run_count = 2, .duration_ps = 2, .waiting_ps = 1, .flight_ps = 100},
    {.task = 2, .run_count = 2, .duration_ps = 40, .waiting_ps = 39},
    {.task = 3, .run_count = 2, .duration_ps = 20},
    {.task = 4, .run_count = 2, .duration_ps = 11, .waiting_ps = 10},
};
static const podium_chip_class_t classes[] = {
    {.chip_count = 1, .end_ps = 5},
    {.chip_count = 1, .end_ps = 200, .total_count = 5, .totals = totals}};
static const podium_profile_t profile = {.class_count = 2,
                                         .task_count = 5,
                                         .chip_count = 2,
                                         .classes = classes,
                                         .tasks = tasks};
static const podium_collective_t collectives[] = {
    {.name = "all_gather.0"}, {.name = "all_reduce.0"}, {.name = "all_to_all.0"}};
static const podium_program_info_t info = {.collective_count = 3,
                                           .collectives = collectives,
                                           .instruction_count = 4,
                                           .instructions = instructions};

static void test_what_the_core_waits_for_is_exposed_as_a_whole(void **state) {
  (void)state;
  pod_arena_t *arena = pod_arena_create();
  const profile_collective_t *rows = profile_collectives_of(arena, &info, &profile);
  assert_int_equal(rows[0].task, 0);
  assert_int_equal(rows[0].flight_ps, 28);
  assert_int_equal(rows[0].exposed_ps, 28);
  assert_null(rows[0].behind);
  assert_null(profile_behind_text(arena, &info, rows[0].behind, rows[0].behind_more));
  pod_arena_destroy(arena);
}

static void test_a_split_one_is_hidden_behind_what_works_longest_meanwhile(void **state) {
  (void)state;
  pod_arena_t *arena = pod_arena_create();
  const profile_collective_t *rows = profile_collectives_of(arena, &info, &profile);
  assert_int_equal(rows[1].task, 1);
  assert_int_equal(rows[1].run_count, 2);
  assert_int_equal(rows[1].flight_ps, 100);
  assert_int_equal(rows[1].exposed_ps, 11);
  assert_ptr_equal(rows[1].behind, &tasks[3]);  // The other one mostly waits.
  assert_int_equal(rows[1].behind_more, 1);
  assert_string_equal(
      profile_behind_text(arena, &info, rows[1].behind, rows[1].behind_more),
      "dot.1 and 1 more");
  pod_arena_destroy(arena);
}

static void test_without_a_task_or_a_profile_nothing_is_told(void **state) {
  (void)state;
  pod_arena_t *arena = pod_arena_create();
  const profile_collective_t *rows = profile_collectives_of(arena, &info, &profile);
  assert_int_equal(rows[2].task, -1);
  assert_int_equal(rows[2].flight_ps, 0);
  rows = profile_collectives_of(arena, &info, NULL);
  const podium_profile_t none = {.task_count = 5, .tasks = tasks};
  assert_int_equal(rows[1].task, -1);
  assert_int_equal(profile_collectives_of(arena, &info, &none)[1].task, -1);
  pod_arena_destroy(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_the_core_waits_for_is_exposed_as_a_whole),
      cmocka_unit_test(test_a_split_one_is_hidden_behind_what_works_longest_meanwhile),
      cmocka_unit_test(test_without_a_task_or_a_profile_nothing_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
