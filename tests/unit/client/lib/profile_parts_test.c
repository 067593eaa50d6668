#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "client/lib/profile.h"

enum { CHIPS = 3 };

static int32_t class_of_chip[CHIPS] = {0, 1, 0};

static Podium__V1__ProfileHeader make_header(void) {
  Podium__V1__ProfileHeader header = PODIUM__V1__PROFILE_HEADER__INIT;
  header.chip_count = CHIPS;
  header.class_count = 2;
  header.class_of_chip = class_of_chip;
  header.n_class_of_chip = CHIPS;
  header.task_count = 1;
  header.step_ps = 77;
  return header;
}

static pod_status_t add_header(lib_profile_builder_t *builder,
                               Podium__V1__ProfileHeader *header) {
  Podium__V1__ProfilePart part = PODIUM__V1__PROFILE_PART__INIT;
  part.header = header;
  return lib_profile_add(builder, &part);
}

static pod_status_t add_task(lib_profile_builder_t *builder, int32_t index) {
  Podium__V1__TaskInfo task = PODIUM__V1__TASK_INFO__INIT;
  Podium__V1__TaskInfo *tasks[] = {&task};
  Podium__V1__ProfilePart part = PODIUM__V1__PROFILE_PART__INIT;
  task.index = index;
  task.name = (char *)(uintptr_t) "fusion.0";
  task.partner = -1;
  part.tasks = tasks;
  part.n_tasks = 1;
  return lib_profile_add(builder, &part);
}

// A part of a class with one event of a task.
static pod_status_t add_class(lib_profile_builder_t *builder, int32_t index, int32_t task,
                              int64_t start_ps) {
  Podium__V1__TaskEvent event = PODIUM__V1__TASK_EVENT__INIT;
  Podium__V1__TaskEvent *events[] = {&event};
  Podium__V1__ChipClass class = PODIUM__V1__CHIP_CLASS__INIT;
  Podium__V1__ProfilePart part = PODIUM__V1__PROFILE_PART__INIT;
  event.task = task;
  event.start_ps = start_ps;
  class.index = index;
  class.events = events;
  class.n_events = 1;
  class.end_ps = 50 + start_ps;
  part.chip_class = &class;
  return lib_profile_add(builder, &part);
}

static pod_status_t add_host(lib_profile_builder_t *builder, int32_t chip) {
  Podium__V1__HostEvent event = PODIUM__V1__HOST_EVENT__INIT;
  Podium__V1__HostEvent *events[] = {&event};
  Podium__V1__HostProfile host = PODIUM__V1__HOST_PROFILE__INIT;
  Podium__V1__ProfilePart part = PODIUM__V1__PROFILE_PART__INIT;
  host.chip = chip;
  host.host_ns = 100 + chip;
  host.events = events;
  host.n_events = 1;
  part.host = &host;
  return lib_profile_add(builder, &part);
}

static void assert_refused(pod_status_t status, const char *part) {
  assert_int_equal(pod_status_code(status), POD_INTERNAL);
  if (strstr(pod_status_message(status), part) == NULL) {
    fail_msg("'%s' is not in: %s", part, pod_status_message(status));
  }
  pod_status_free(status);
}

static void test_parts_in_any_number_become_one_profile(void **state) {
  (void)state;
  lib_profile_builder_t builder = {.arena = pod_arena_create()};
  Podium__V1__ProfileHeader header = make_header();
  assert_null(add_header(&builder, &header));
  assert_null(add_task(&builder, 0));
  for (int64_t i = 0; i < 100; i++) {
    assert_null(add_class(&builder, 0, 0, i));
  }
  assert_null(add_class(&builder, 1, 0, 5));
  assert_null(add_host(&builder, 2));
  assert_null(add_host(&builder, 0));
  assert_null(add_host(&builder, 2));
  podium_profile_t *profile;
  assert_null(lib_profile_finish(&builder, &profile));
  assert_int_equal(profile->step_ps, 77);
  assert_string_equal(profile->tasks[0].name, "fusion.0");
  assert_int_equal(profile->class_of_chip[1], 1);
  assert_int_equal(profile->classes[0].event_count, 100);
  assert_int_equal(profile->classes[0].events[99].start_ps, 99);
  assert_int_equal(profile->classes[0].end_ps, 50);  // Of the first part.
  assert_int_equal(profile->classes[1].event_count, 1);
  assert_int_equal(profile->host_count, 2);  // In order of chips.
  assert_int_equal(profile->hosts[0].chip, 0);
  assert_int_equal(profile->hosts[1].chip, 2);
  assert_int_equal(profile->hosts[1].host_ns, 102);
  assert_int_equal(profile->hosts[1].event_count, 2);
  pod_arena_destroy(builder.arena);
}

static void test_a_header_that_contradicts_itself_is_refused(void **state) {
  (void)state;
  lib_profile_builder_t builder = {.arena = pod_arena_create()};
  assert_refused(add_task(&builder, 0), "no header");
  Podium__V1__ProfileHeader header = make_header();
  header.n_class_of_chip = 2;
  assert_refused(add_header(&builder, &header), "chip 3 of 0");
  header = make_header();
  header.class_count = 1;  // Chip 1 is of class 1.
  assert_refused(add_header(&builder, &header), "class 1 of 1");
  header = make_header();
  header.chip_count = -1;
  assert_refused(add_header(&builder, &header), "chips -1");
  header = make_header();
  header.task_count = INT32_MAX;
  assert_refused(add_header(&builder, &header), "tasks 2147483647");
  pod_arena_destroy(builder.arena);
}

static void test_indexes_out_of_range_and_missing_parts_are_refused(void **state) {
  (void)state;
  lib_profile_builder_t builder = {.arena = pod_arena_create()};
  Podium__V1__ProfileHeader header = make_header();
  assert_null(add_header(&builder, &header));
  assert_refused(add_header(&builder, &header), "two headers");
  assert_refused(add_task(&builder, 1), "task 1 of 1");
  assert_refused(add_class(&builder, 2, 0, 0), "class 2 of 2");
  assert_refused(add_class(&builder, 0, 7, 0), "task 7 of 1");
  assert_refused(add_host(&builder, CHIPS), "chip 3 of 3");
  podium_profile_t *profile;
  assert_refused(lib_profile_finish(&builder, &profile), "0 of 1 tasks");
  assert_null(add_task(&builder, 0));
  assert_refused(lib_profile_finish(&builder, &profile), "lacks class 1 of 2");
  pod_arena_destroy(builder.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_parts_in_any_number_become_one_profile),
      cmocka_unit_test(test_a_header_that_contradicts_itself_is_refused),
      cmocka_unit_test(test_indexes_out_of_range_and_missing_parts_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
