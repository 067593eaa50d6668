// The books of clients' handles. What the store tells to be freed on the chips is noted
// in a text, so that a test reads as a list of what happened.

#include "server/coordinator/core/store.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/memory.h"

typedef struct books_t {
  store_t *store;
  pod_text_t gone;
} books_t;

static void note_array(void *context, uint64_t array, bool in_turn) {
  pod_text_printf(&((books_t *)context)->gone, "array %" PRIu64 "%s;", array,
                  in_turn ? " in turn" : "");
}

static void note_executable(void *context, uint64_t executable, int32_t chip_count,
                            const int32_t *chips) {
  pod_text_t *gone = &((books_t *)context)->gone;
  pod_text_printf(gone, "executable %" PRIu64 " on chips", executable);
  for (int32_t i = 0; i < chip_count; i++) {
    pod_text_printf(gone, " %" PRId32, chips[i]);
  }
  pod_text_add(gone, ";");
}

static void note_session(void *context, uint64_t session) {
  pod_text_printf(&((books_t *)context)->gone, "session %" PRIu64 ";", session);
}

static void books_open(books_t *books) {
  *books = (books_t){0};
  const store_events_t events = {.array_gone = note_array,
                                 .executable_gone = note_executable,
                                 .session_gone = note_session,
                                 .context = books};
  books->store = store_create(&events);
}

static void books_close(books_t *books) {
  store_destroy(books->store);
  pod_text_deinit(&books->gone);
}

static void assert_gone(books_t *books, const char *expected) {
  assert_string_equal(books->gone.length > 0 ? books->gone.bytes : "", expected);
  pod_text_clear(&books->gone);
}

static store_session_t *open_session(books_t *books) {
  store_session_t *session;
  assert_null(store_open_session(books->store, "a user", "test", false, &session));
  return session;
}

static const int64_t dims_4[] = {4};

static store_array_t *add_array(books_t *books, store_session_t *session, int32_t chips) {
  const tensor_shape_t shape = tensor_shape_make(TENSOR_F32, 1, dims_4);
  array_layout_t *layout;
  assert_null(array_layout_create_replicated(&shape, chips, NULL, &layout));
  store_array_t *array = store_add_array(session, store_new_id(books->store), layout);
  array_layout_release(layout);
  return array;
}

// A program "f" that takes one replicated f32[4] on two chips and returns it.
static pod_status_t try_executable(store_session_t *session, compiled_t *compiled,
                                   store_executable_t **out_executable) {
  pod_arena_t *arena = pod_arena_create();
  const mesh_axis_t axis = {"x", 2};
  const mesh_t *mesh;
  assert_null(mesh_make(arena, "mesh", 1, &axis, NULL, &mesh));
  const chip_interface_t interface = {
      .name = "arg0",
      .shape = tensor_shape_make(TENSOR_F32, 1, dims_4),
      .sharding = sharding_replicated(arena, mesh, 1, false)};
  const chip_program_t program = {.name = "f",
                                  .mesh = mesh,
                                  .argument_count = 1,
                                  .result_count = 1,
                                  .arguments = &interface,
                                  .results = &interface};
  const pod_status_t status =
      store_add_executable(session, &program, compiled, true, out_executable);
  pod_arena_destroy(arena);
  return status;
}

static store_executable_t *add_executable(store_session_t *session) {
  store_executable_t *executable;
  assert_null(try_executable(session, NULL, &executable));
  return executable;
}

static void assert_refused(pod_status_t status, pod_code_t code, const char *part) {
  assert_int_equal(pod_status_code(status), code);
  if (strstr(pod_status_message(status), part) == NULL) {
    fail_msg("\"%s\" is not in: %s", part, pod_status_message(status));
  }
  pod_status_free(status);
}

static void test_a_handle_is_found_in_its_own_session_only(void **state) {
  (void)state;
  books_t books;
  books_open(&books);
  store_session_t *mine = open_session(&books), *other = open_session(&books);
  store_array_t *array = add_array(&books, mine, 2), *found;
  store_executable_t *executable = add_executable(mine), *found_executable;
  assert_null(store_find_array(mine, array->id, &found));
  assert_ptr_equal(found, array);
  assert_null(store_find_executable(mine, executable->id, &found_executable));
  assert_int_not_equal(array->id, executable->id);
  assert_refused(store_find_array(other, array->id, &found), POD_NOT_FOUND,
                 "session 2 has no array 1");
  assert_refused(store_find_array(mine, executable->id, &found), POD_NOT_FOUND,
                 "session 1 has no array 2");
  assert_refused(store_find_executable(other, executable->id, &found_executable),
                 POD_NOT_FOUND, "session 2 has no executable 2");
  books_close(&books);
}

static void test_a_freed_array_goes_when_its_last_use_ends(void **state) {
  (void)state;
  books_t books;
  books_open(&books);
  store_session_t *session = open_session(&books);
  store_array_t *array = add_array(&books, session, 2), *found;
  store_array_use(array);
  store_array_use(array);
  store_array_drop(array);
  assert_refused(store_find_array(session, array->id, &found), POD_NOT_FOUND, "array 1");
  store_array_unuse(array);
  assert_gone(&books, "");
  store_array_unuse(array);
  assert_gone(&books, "array 1;");
  store_array_drop(add_array(&books, session, 1));
  assert_gone(&books, "array 2;");
  store_executable_drop(add_executable(session));
  assert_gone(&books, "executable 3 on chips 0 1;");
  books_close(&books);
}

typedef struct job_t {
  store_operation_t operation;  // First, so that `stop` finds its job.
  store_array_t *array;
  bool ends_at_stop;
  int stop_count;
} job_t;

static void job_end(job_t *job) {
  if (job->array != NULL) {
    store_array_unuse(job->array);
  }
  store_operation_end(&job->operation);
}

static void job_stop(store_operation_t *operation) {
  job_t *job = (job_t *)operation;
  job->stop_count++;
  if (job->ends_at_stop) {
    job_end(job);
  }
}

static void test_a_closed_session_goes_when_its_last_operation_has_ended(void **state) {
  (void)state;
  books_t books;
  books_open(&books);
  store_session_t *session = open_session(&books), *found;
  add_array(&books, session, 2);
  add_executable(session);
  job_t jobs[3] = {{.array = add_array(&books, session, 2)},
                   {.ends_at_stop = true},
                   {.stop_count = 0}};
  store_array_use(jobs[0].array);
  for (int i = 0; i < 3; i++) {
    assert_null(store_operation_begin(session, &jobs[i].operation, job_stop));
  }
  assert_int_equal(store_operation_count(books.store), 3);
  store_array_drop(jobs[0].array);
  const uint64_t id = session->id;
  store_close_session(session);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(jobs[i].stop_count, 1);
  }
  assert_refused(store_find_session(books.store, id, &found), POD_NOT_FOUND, "session 1");
  job_end(&jobs[0]);
  assert_gone(&books, "");
  job_end(&jobs[2]);
  assert_gone(&books, "session 1;");
  assert_int_equal(store_session_count(books.store), 0);
  books_close(&books);
}

static void test_a_session_is_entered_by_its_handle_and_who_opened_it(void **state) {
  (void)state;
  books_t books;
  books_open(&books);
  store_session_t *first = open_session(&books), *second = open_session(&books), *found;
  assert_memory_not_equal(first->handle, second->handle, STORE_HANDLE_BYTES);
  assert_null(store_enter_session(books.store, second->handle, STORE_HANDLE_BYTES,
                                  "a user", &found));
  assert_ptr_equal(found, second);
  uint8_t handle[STORE_HANDLE_BYTES + 1] = {0};
  memcpy(handle, first->handle, STORE_HANDLE_BYTES);
  // Another caller, and what is no handle, are told the same.
  assert_refused(
      store_enter_session(books.store, handle, STORE_HANDLE_BYTES, "another", &found),
      POD_NOT_FOUND, "there is no such session");
  assert_refused(
      store_enter_session(books.store, handle, STORE_HANDLE_BYTES + 1, "a user", &found),
      POD_NOT_FOUND, "there is no such session");
  assert_refused(
      store_enter_session(books.store, handle, STORE_HANDLE_BYTES - 1, "a user", &found),
      POD_NOT_FOUND, "there is no such session");
  assert_refused(store_enter_session(books.store, NULL, 0, "a user", &found),
                 POD_NOT_FOUND, "there is no such session");
  handle[3] ^= 1;
  assert_refused(
      store_enter_session(books.store, handle, STORE_HANDLE_BYTES, "a user", &found),
      POD_NOT_FOUND, "there is no such session");
  handle[3] ^= 1;
  store_close_session(first);
  assert_refused(
      store_enter_session(books.store, handle, STORE_HANDLE_BYTES, "a user", &found),
      POD_NOT_FOUND, "there is no such session");
  store_close_session(second);
  assert_gone(&books, "session 1;session 2;");
  books_close(&books);
}

static void test_a_session_without_operations_goes_at_once(void **state) {
  (void)state;
  books_t books;
  books_open(&books);
  store_session_t *session = open_session(&books);
  job_t job = {.ends_at_stop = true};
  assert_null(store_operation_begin(session, &job.operation, job_stop));
  store_close_session(session);
  store_close_session(open_session(&books));
  assert_gone(&books, "session 1;session 2;");
  books_close(&books);
}

static void test_stopping_all_operations_leaves_the_sessions_open(void **state) {
  (void)state;
  books_t books;
  books_open(&books);
  job_t jobs[2] = {{.ends_at_stop = true}, {.stop_count = 0}};
  for (int i = 0; i < 2; i++) {
    assert_null(
        store_operation_begin(open_session(&books), &jobs[i].operation, job_stop));
  }
  store_stop_operations(books.store);
  store_stop_operations(books.store);
  assert_int_equal(jobs[1].stop_count, 1);
  assert_int_equal(store_operation_count(books.store), 1);
  assert_int_equal(store_session_count(books.store), 2);
  job_end(&jobs[1]);
  books_close(&books);
}

static void test_a_lost_chip_marks_the_arrays_it_held_and_unloads_programs(void **state) {
  (void)state;
  books_t books;
  books_open(&books);
  store_session_t *session = open_session(&books);
  store_array_t *one = add_array(&books, session, 1),
                *two = add_array(&books, session, 2);
  store_executable_t *executable = add_executable(session);
  executable->loaded_epochs[0] = executable->loaded_epochs[1] = 5;
  store_lose_chip(books.store, 1, "chip 1 (1,0,0) at a:1: killed");
  store_lose_chip(books.store, 0, "chip 0 (0,0,0) at a:2: killed");
  assert_int_equal(executable->loaded_epochs[1], 0);
  assert_true(two->lost_chips[1] && two->lost_chips[0]);
  assert_string_equal(one->lost_reason, "chip 0 (0,0,0) at a:2: killed");
  assert_refused(store_check_whole(two), POD_DATA_LOSS, "chip 1 (1,0,0) at a:1: killed");
  assert_refused(store_check_arguments(executable, false, 1, &two), POD_DATA_LOSS,
                 "argument 0 (arg0) of f");
  assert_null(store_check_whole(add_array(&books, session, 2)));
  books_close(&books);
}

static bool same(void *program, void *other) {
  return program == other;
}

static void test_a_member_of_a_group_brings_the_parts_of_its_own_chips(void **state) {
  (void)state;
  static const int32_t owners[] = {0, 1};
  books_t books;
  books_open(&books);
  gang_groups_t *groups = gang_groups_create(same);
  store_session_t *session = open_session(&books);
  assert_null(gang_join(groups, "a user", "g", 1, 2, 2, owners, &session->group));
  session->member = 1;
  assert_false(store_owns_chip(session, 0));
  assert_true(store_owns_chip(session, 1));
  const store_executable_t *executable = add_executable(session);
  assert_int_equal(executable->chip_count, 2);
  assert_int_equal(executable->own_count, 1);
  assert_int_equal(executable->own[0], 1);
  assert_int_equal(executable->own_index[0], -1);
  assert_int_equal(executable->own_index[1], 0);
  store_array_t *both[] = {add_array(&books, session, 2), add_array(&books, session, 2)};
  assert_null(store_check_arguments(executable, true, 1, both));
  assert_refused(store_check_arguments(executable, true, 2, both), POD_INVALID_ARGUMENT,
                 "the process's own, 2 were given");
  gang_leave(session->group, session->member);
  session->group = NULL;
  gang_groups_destroy(groups);
  books_close(&books);
}

static void test_arguments_that_do_not_fit_are_refused_with_both_sides(void **state) {
  (void)state;
  books_t books;
  books_open(&books);
  store_session_t *session = open_session(&books);
  store_executable_t *executable = add_executable(session);
  store_array_t *fits = add_array(&books, session, 2);
  store_array_t *differs = add_array(&books, session, 1);
  assert_null(store_check_arguments(executable, false, 1, &fits));
  assert_refused(store_check_arguments(executable, false, 0, NULL), POD_INVALID_ARGUMENT,
                 "f takes 1 arguments, 0 were given");
  assert_refused(store_check_arguments(executable, false, 1, &differs),
                 POD_INVALID_ARGUMENT, "array 3 is f32[4]");
  books_close(&books);
}

static void keep_profile(store_session_t *session, uint8_t execution) {
  store_profile_t *profile = store_profile_create(NULL, 1, (const int32_t[]){0});
  uint8_t *data = pod_alloc(1);
  data[0] = execution;
  store_profile_add_part(profile, data, 1);
  store_keep_profile(session, execution, profile);
  store_profile_unuse(profile);
}

static void test_the_last_profiles_are_kept(void **state) {
  (void)state;
  books_t books;
  books_open(&books);
  store_session_t *session = open_session(&books);
  keep_profile(session, 1);
  store_profile_t *first, *profile;
  assert_null(store_find_profile(session, 1, &first));
  store_profile_use(first);
  for (uint8_t i = 2; i <= STORE_PROFILES_KEPT + 1; i++) {
    keep_profile(session, i);
  }
  assert_refused(store_find_profile(session, 1, &profile), POD_NOT_FOUND, "execution 1");
  assert_refused(store_find_profile(session, 0, &profile), POD_NOT_FOUND, "execution 0");
  for (uint8_t i = 2; i <= STORE_PROFILES_KEPT + 1; i++) {
    assert_null(store_find_profile(session, i, &profile));
    assert_int_equal(profile->parts.items[0].data[0], i);
  }
  assert_int_equal(first->parts.items[0].data[0], 1);
  store_profile_unuse(first);
  books_close(&books);
}

static void test_there_is_a_bound_on_everything_a_client_makes(void **state) {
  (void)state;
  books_t books;
  books_open(&books);
  store_session_t *session = open_session(&books), *refused;
  for (int i = 1; i < STORE_SESSIONS_MAX; i++) {
    open_session(&books);
  }
  assert_refused(store_open_session(books.store, "a user", "", false, &refused),
                 POD_RESOURCE_EXHAUSTED, "256 sessions");
  add_array(&books, session, 1);
  assert_null(store_check_room(session, STORE_ARRAYS_MAX - 1));
  assert_refused(store_check_room(session, STORE_ARRAYS_MAX), POD_RESOURCE_EXHAUSTED,
                 "65536");
  static job_t jobs[STORE_OPERATIONS_MAX + 1];
  for (int i = 0; i < STORE_OPERATIONS_MAX; i++) {
    assert_null(store_operation_begin(session, &jobs[i].operation, job_stop));
  }
  assert_refused(
      store_operation_begin(session, &jobs[STORE_OPERATIONS_MAX].operation, job_stop),
      POD_RESOURCE_EXHAUSTED, "256 calls");
  for (int i = 0; i < STORE_OPERATIONS_MAX; i++) {
    store_operation_end(&jobs[i].operation);
  }
  books_close(&books);
}

static void destroy_nothing(compiler_result_t *result) {
  (void)result;
}

static void test_programs_count_as_their_clients_memory(void **state) {
  (void)state;
  books_t books;
  books_open(&books);
  account_book_t *accounts = account_book_create(
      &(account_limits_t){.most = {[ACCOUNT_PROGRAM_BYTES] = 1000}}, 2);
  store_session_t *session = open_session(&books);
  session->account = account_find(accounts, "ann");
  assert_null(account_take(session->account, ACCOUNT_SESSIONS, 1));
  compiled_t *compiled =
      compiled_create(&(compiled_t){.destroy = destroy_nothing, .size_bytes = 600});
  store_executable_t *first, *second;
  assert_null(try_executable(session, compiled, &first));
  assert_refused(
      try_executable(session, compiled, &second), POD_RESOURCE_EXHAUSTED,
      "600 bytes of compiled programs in 1 session, and 600 more would be over "
      "its quota of 1000: free executables first");
  store_executable_drop(first);
  assert_null(try_executable(session, compiled, &second));
  // A group's members come to share one that is larger than theirs: what was counted is
  // given back.
  compiled_unuse(second->compiled);
  second->compiled =
      compiled_create(&(compiled_t){.destroy = destroy_nothing, .size_bytes = 700});
  store_executable_drop(second);
  assert_null(account_take(session->account, ACCOUNT_PROGRAM_BYTES, 1000));
  account_give_back(session->account, ACCOUNT_PROGRAM_BYTES, 1000);
  compiled_unuse(compiled);
  books_close(&books);
  account_book_destroy(accounts);
}

// As its chips count it: with the padding of its tiles.
static void test_an_array_takes_its_tiles_of_the_quota(void **state) {
  (void)state;
  books_t books;
  books_open(&books);
  store_session_t *session = open_session(&books);
  account_book_t *accounts =
      account_book_create(&(account_limits_t){.hbm_bytes = 4096}, 2);
  session->account = account_find(accounts, "ann");
  assert_null(account_take(session->account, ACCOUNT_SESSIONS, 1));
  const tensor_shape_t shape = tensor_shape_make(TENSOR_F32, 2, (int64_t[]){3, 100});
  array_layout_t *layout;
  assert_null(array_layout_create_replicated(&shape, 2, NULL, &layout));
  for (uint64_t id = 1; id <= 2; id++) {
    assert_null(store_check_hbm(session, layout));
    store_add_array(session, id, layout);
  }
  const pod_status_t status = store_check_hbm(session, layout);
  assert_int_equal(pod_status_code(status), POD_RESOURCE_EXHAUSTED);
  assert_non_null(strstr(pod_status_message(status), "has arrays of 4096 bytes"));
  pod_status_free(status);
  array_layout_release(layout);
  books_close(&books);
  account_book_destroy(accounts);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_handle_is_found_in_its_own_session_only),
      cmocka_unit_test(test_a_freed_array_goes_when_its_last_use_ends),
      cmocka_unit_test(test_a_closed_session_goes_when_its_last_operation_has_ended),
      cmocka_unit_test(test_a_session_is_entered_by_its_handle_and_who_opened_it),
      cmocka_unit_test(test_a_session_without_operations_goes_at_once),
      cmocka_unit_test(test_stopping_all_operations_leaves_the_sessions_open),
      cmocka_unit_test(test_a_lost_chip_marks_the_arrays_it_held_and_unloads_programs),
      cmocka_unit_test(test_a_member_of_a_group_brings_the_parts_of_its_own_chips),
      cmocka_unit_test(test_arguments_that_do_not_fit_are_refused_with_both_sides),
      cmocka_unit_test(test_the_last_profiles_are_kept),
      cmocka_unit_test(test_there_is_a_bound_on_everything_a_client_makes),
      cmocka_unit_test(test_an_array_takes_its_tiles_of_the_quota),
      cmocka_unit_test(test_programs_count_as_their_clients_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
