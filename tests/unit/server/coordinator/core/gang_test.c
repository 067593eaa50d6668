#include "server/coordinator/core/gang.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MEMBERS = 3, CHIPS = 6 };

// Two chips for each of three members.
static const int32_t owners[CHIPS] = {0, 0, 1, 1, 2, 2};
static const int32_t all[CHIPS] = {0, 1, 2, 3, 4, 5};
static const int32_t first_two[] = {0, 1, 2, 3};
static const int32_t last_two[] = {2, 3, 4, 5};
static const int32_t outer_two[] = {0, 1, 4, 5};

typedef struct world_t {
  gang_groups_t *groups;
  gang_group_t *group;
} world_t;

static bool same(void *program, void *other) {
  return strcmp(program, other) == 0;
}

static world_t begin(int32_t joined) {
  world_t world = {.groups = gang_groups_create(same)};
  for (int32_t member = 0; member < joined; member++) {
    assert_null(gang_join(world.groups, "a user", "g", member, MEMBERS, CHIPS, owners,
                          &world.group));
  }
  return world;
}

static void end(world_t *world, int32_t joined) {
  for (int32_t member = 0; member < joined; member++) {
    gang_leave(world->group, member);
  }
  pod_status_t status;
  for (gang_launch_t *at; (at = gang_take_failed(world->groups, &status)) != NULL;) {
    pod_status_free(status);
  }
  gang_groups_destroy(world->groups);
}

static gang_launch_t launch_of(int32_t member, const char *program) {
  return (gang_launch_t){
      .member = member, .name = program, .program = (void *)(uintptr_t)program};
}

// The next one that has failed is `launch`, with these words.
static void assert_failed(const world_t *world, const gang_launch_t *launch,
                          pod_code_t code, const char *words) {
  pod_status_t status = NULL;
  assert_ptr_equal(gang_take_failed(world->groups, &status), launch);
  assert_int_equal(pod_status_code(status), code);
  if (strstr(pod_status_message(status), words) == NULL) {
    fail_msg("\"%s\" does not say \"%s\"", pod_status_message(status), words);
  }
  pod_status_free(status);
}

static void assert_none_failed(const world_t *world) {
  pod_status_t status;
  assert_null(gang_take_failed(world->groups, &status));
}

static void assert_waits(const gang_t *gang, const char *words) {
  pod_text_t text = {0};
  gang_print_waiting(&text, gang);
  assert_string_equal(text.bytes, words);
  pod_text_deinit(&text);
}

static void test_a_gang_is_complete_when_all_members_have_launched_it(void **state) {
  (void)state;
  world_t world = begin(2);
  gang_launch_t parts[MEMBERS] = {launch_of(0, "f"), launch_of(1, "f"),
                                  launch_of(2, "f")};
  gang_launch(world.group, &parts[1], CHIPS, all);
  assert_waits(parts[1].gang, "for process 0 and 1 more, which have not launched it yet");
  gang_launch(world.group, &parts[0], CHIPS, all);
  assert_ptr_equal(parts[0].gang, parts[1].gang);
  assert_waits(parts[0].gang, "for process 2, which has not joined yet");
  assert_false(gang_is_complete(parts[0].gang));
  assert_null(
      gang_join(world.groups, "a user", "g", 2, MEMBERS, CHIPS, owners, &world.group));
  gang_launch(world.group, &parts[2], CHIPS, all);
  assert_true(gang_is_complete(parts[0].gang));
  assert_int_equal(gang_size(parts[0].gang), MEMBERS);
  for (int32_t i = 0; i < MEMBERS; i++) {
    assert_ptr_equal(gang_part(parts[0].gang, i), &parts[i]);
  }
  gang_begin(parts[0].gang);
  assert_null(parts[2].gang);
  assert_none_failed(&world);
  end(&world, MEMBERS);
}

static void test_the_nth_launch_meets_the_nth_of_the_others(void **state) {
  (void)state;
  world_t world = begin(MEMBERS);
  gang_launch_t a[3] = {launch_of(0, "f"), launch_of(0, "g"), launch_of(0, "f")};
  gang_launch_t b[3] = {launch_of(1, "f"), launch_of(1, "g"), launch_of(1, "f")};
  for (int i = 0; i < 3; i++) {
    gang_launch(world.group, &a[i], 4, first_two);
  }
  for (int i = 0; i < 3; i++) {
    gang_launch(world.group, &b[i], 4, first_two);
    assert_ptr_equal(a[i].gang, b[i].gang);
    assert_int_equal(b[i].number, i + 1);
  }
  for (int i = 0; i < 3; i++) {
    gang_begin(a[i].gang);
  }
  assert_none_failed(&world);
  end(&world, MEMBERS);
}

static void test_other_programs_fail_all_and_name_what_each_launched(void **state) {
  (void)state;
  world_t world = begin(MEMBERS);
  gang_launch_t parts[MEMBERS] = {launch_of(0, "f"), launch_of(1, "g"),
                                  launch_of(2, "f")};
  gang_launch(world.group, &parts[0], CHIPS, all);
  gang_launch(world.group, &parts[1], CHIPS, all);
  static const char words[] = "process 0 launched f as its 1st, process 1 launched g";
  assert_failed(&world, &parts[0], POD_FAILED_PRECONDITION, words);
  assert_failed(&world, &parts[1], POD_FAILED_PRECONDITION, words);
  // Who comes later hears the same, and meets the others again afterwards.
  gang_launch_t next[MEMBERS] = {launch_of(0, "h"), launch_of(1, "h"), launch_of(2, "h")};
  gang_launch(world.group, &next[0], CHIPS, all);
  gang_launch(world.group, &next[1], CHIPS, all);
  gang_launch(world.group, &parts[2], CHIPS, all);
  assert_failed(&world, &parts[2], POD_FAILED_PRECONDITION, words);
  gang_launch(world.group, &next[2], CHIPS, all);
  assert_none_failed(&world);
  gang_begin(next[0].gang);
  end(&world, MEMBERS);
}

static void test_a_member_that_leaves_fails_what_waits_for_it_and_what_comes(
    void **state) {
  (void)state;
  world_t world = begin(MEMBERS);
  gang_launch_t first = launch_of(0, "f"), second = launch_of(1, "f");
  gang_launch_t other = launch_of(1, "g"), later = launch_of(0, "h");
  gang_launch(world.group, &first, CHIPS, all);
  gang_launch(world.group, &second, CHIPS, all);
  gang_launch(world.group, &other, 4, first_two);
  gang_leave(world.group, 2);
  static const char words[] = "needs the chips of process 2, which has gone";
  assert_failed(&world, &first, POD_UNAVAILABLE, words);
  assert_failed(&world, &second, POD_UNAVAILABLE, words);
  assert_none_failed(&world);
  assert_non_null(other.gang);
  gang_launch(world.group, &later, CHIPS, all);
  assert_failed(&world, &later, POD_UNAVAILABLE, words);
  gang_group_t *group;
  const pod_status_t status =
      gang_join(world.groups, "a user", "g", 2, MEMBERS, CHIPS, owners, &group);
  assert_int_equal(pod_status_code(status), POD_ALREADY_EXISTS);
  pod_status_free(status);
  const pod_status_t ended = pod_error(POD_CANCELLED, "ended");
  gang_forget(world.groups, &other, ended);
  pod_status_free(ended);
  end(&world, 2);
}

static void test_a_stranger_who_knows_the_name_is_in_a_group_of_his_own(void **state) {
  (void)state;
  world_t world = begin(2);
  gang_group_t *group;
  assert_null(
      gang_join(world.groups, "a stranger", "g", 2, MEMBERS, CHIPS, owners, &group));
  assert_ptr_not_equal(group, world.group);
  assert_null(
      gang_join(world.groups, "a user", "g", 2, MEMBERS, CHIPS, owners, &world.group));
  gang_leave(group, 2);
  end(&world, MEMBERS);
}

static void test_a_launch_that_ends_early_tells_those_who_came_and_who_come(
    void **state) {
  (void)state;
  world_t world = begin(MEMBERS);
  gang_launch_t parts[MEMBERS] = {launch_of(0, "f"), launch_of(1, "f"),
                                  launch_of(2, "f")};
  gang_launch(world.group, &parts[0], CHIPS, all);
  gang_launch(world.group, &parts[1], CHIPS, all);
  const pod_status_t status = pod_error(POD_DEADLINE_EXCEEDED, "too late");
  gang_forget(world.groups, &parts[0], status);
  pod_status_free(status);
  assert_failed(&world, &parts[1], POD_DEADLINE_EXCEEDED, "process 0, f: too late");
  gang_launch(world.group, &parts[2], CHIPS, all);
  assert_failed(&world, &parts[2], POD_DEADLINE_EXCEEDED, "process 0, f: too late");
  assert_none_failed(&world);
  end(&world, MEMBERS);
}

static void test_members_that_wait_for_each_other_in_a_circle_fail(void **state) {
  (void)state;
  world_t world = begin(MEMBERS);
  // 0: over {0,1}, then {0,2}; 1: over {1,2}, then {0,1}; 2: over {0,2}, then {1,2}.
  gang_launch_t a = launch_of(0, "a"), b = launch_of(1, "b"), c = launch_of(2, "c");
  gang_launch_t c0 = launch_of(0, "c");
  gang_launch(world.group, &a, 4, first_two);
  gang_launch(world.group, &b, 4, last_two);
  gang_launch(world.group, &c0, 4, outer_two);
  assert_none_failed(&world);
  gang_launch(world.group, &c, 4, outer_two);
  pod_status_t status;
  int failed = 0;
  for (const gang_launch_t *at; (at = gang_take_failed(world.groups, &status)) != NULL;) {
    assert_int_equal(pod_status_code(status), POD_FAILED_PRECONDITION);
    assert_non_null(strstr(pod_status_message(status), "in a circle"));
    assert_non_null(
        strstr(pod_status_message(status), "process 1 launched b as its 1st"));
    pod_status_free(status);
    failed++;
  }
  assert_int_equal(failed, 4);
  // Who has yet to come to one of them hears it, too.
  gang_launch_t a1 = launch_of(1, "a");
  gang_launch(world.group, &a1, 4, first_two);
  assert_failed(&world, &a1, POD_FAILED_PRECONDITION, "in a circle");
  end(&world, MEMBERS);
}

static void test_a_circle_is_found_when_what_stood_before_it_begins(void **state) {
  (void)state;
  world_t world = begin(MEMBERS);
  gang_launch_t first[2] = {launch_of(0, "f"), launch_of(1, "f")};
  gang_launch_t a = launch_of(0, "a"), b = launch_of(1, "b");
  gang_launch(world.group, &first[0], 4, first_two);
  gang_launch(world.group, &a, 4, first_two);
  gang_launch(world.group, &first[1], 4, first_two);
  gang_launch(world.group, &b, CHIPS, all);
  assert_none_failed(&world);
  gang_begin(first[0].gang);
  assert_failed(&world, &a, POD_FAILED_PRECONDITION, "in a circle");
  assert_failed(&world, &b, POD_FAILED_PRECONDITION, "in a circle");
  end(&world, MEMBERS);
}

static void test_sets_that_overlap_in_one_order_are_no_circle(void **state) {
  (void)state;
  world_t world = begin(MEMBERS);
  gang_launch_t a[2] = {launch_of(0, "a"), launch_of(1, "a")};
  gang_launch_t b[2] = {launch_of(1, "b"), launch_of(2, "b")};
  gang_launch_t c[2] = {launch_of(0, "c"), launch_of(2, "c")};
  gang_launch(world.group, &a[0], 4, first_two);
  gang_launch(world.group, &c[0], 4, outer_two);
  gang_launch(world.group, &b[1], 4, last_two);
  gang_launch(world.group, &c[1], 4, outer_two);
  gang_launch(world.group, &a[1], 4, first_two);
  gang_launch(world.group, &b[0], 4, last_two);
  assert_none_failed(&world);
  gang_begin(a[0].gang);
  gang_begin(b[0].gang);
  gang_begin(c[0].gang);
  assert_none_failed(&world);
  end(&world, MEMBERS);
}

static void test_who_has_none_of_the_chips_cannot_launch(void **state) {
  (void)state;
  world_t world = begin(MEMBERS);
  gang_launch_t launch = launch_of(0, "f");
  gang_launch(world.group, &launch, 4, last_two);
  assert_failed(&world, &launch, POD_INVALID_ARGUMENT, "process 0 has none of them");
  end(&world, MEMBERS);
}

static void assert_no_member(gang_groups_t *groups, const char *name, int32_t member,
                             int32_t count, pod_code_t code) {
  gang_group_t *group;
  const pod_status_t status =
      gang_join(groups, "a user", name, member, count, CHIPS, owners, &group);
  assert_int_equal(pod_status_code(status), code);
  pod_status_free(status);
}

static void test_members_that_are_none_are_refused(void **state) {
  (void)state;
  world_t world = begin(2);
  assert_no_member(world.groups, "g", 0, MEMBERS, POD_ALREADY_EXISTS);
  assert_no_member(world.groups, "g", 2, MEMBERS + 1, POD_INVALID_ARGUMENT);
  assert_no_member(world.groups, "g", 3, MEMBERS, POD_INVALID_ARGUMENT);
  assert_no_member(world.groups, "g", -1, MEMBERS, POD_INVALID_ARGUMENT);
  assert_no_member(world.groups, "h", 0, 0, POD_INVALID_ARGUMENT);
  assert_no_member(world.groups, "", 0, 1, POD_INVALID_ARGUMENT);
  end(&world, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_stranger_who_knows_the_name_is_in_a_group_of_his_own),
      cmocka_unit_test(test_a_gang_is_complete_when_all_members_have_launched_it),
      cmocka_unit_test(test_the_nth_launch_meets_the_nth_of_the_others),
      cmocka_unit_test(test_other_programs_fail_all_and_name_what_each_launched),
      cmocka_unit_test(test_a_member_that_leaves_fails_what_waits_for_it_and_what_comes),
      cmocka_unit_test(test_a_launch_that_ends_early_tells_those_who_came_and_who_come),
      cmocka_unit_test(test_members_that_wait_for_each_other_in_a_circle_fail),
      cmocka_unit_test(test_a_circle_is_found_when_what_stood_before_it_begins),
      cmocka_unit_test(test_sets_that_overlap_in_one_order_are_no_circle),
      cmocka_unit_test(test_who_has_none_of_the_chips_cannot_launch),
      cmocka_unit_test(test_members_that_are_none_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
