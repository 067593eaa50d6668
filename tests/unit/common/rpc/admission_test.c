// Who is let in, and who has to go for it.

#include "common/rpc/admission.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { SEATS = 8, RESERVED = 2, PER_ORIGIN = 4, LONG_MS = 60000 };

static const rpc_origin_t alice = {.kind = AF_INET, .bytes = {10, 0, 0, 1}};
static const rpc_origin_t bob = {.kind = AF_INET, .bytes = {10, 0, 0, 2}};
static const rpc_origin_t own = {.kind = AF_UNIX};

static int owners[SEATS];

static rpc_admission_t make_table(void) {
  rpc_admission_t admission;
  rpc_admission_init(&admission, SEATS, RESERVED, PER_ORIGIN);
  return admission;
}

// `count` more seats of the origin, fresh since 0, 1, 2 ... ms.
static void take(rpc_admission_t *admission, rpc_origin_t origin, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const size_t seat =
        rpc_admission_take(admission, &owners[admission->count], origin,
                           origin.kind == AF_UNIX, (int64_t)admission->count);
    assert_ptr_equal(admission->seats[seat].owner, &owners[seat]);
  }
}

static void check(const rpc_admission_t *admission, rpc_origin_t origin,
                  rpc_verdict_t verdict, size_t victim) {
  size_t found = SIZE_MAX;
  assert_int_equal(
      rpc_admission_ask(admission, origin, origin.kind == AF_UNIX, LONG_MS, &found),
      verdict);
  if (verdict == RPC_ADMIT_INSTEAD) {
    assert_int_equal(found, victim);
  }
}

static void test_an_origin_at_its_bound_gives_up_its_own_oldest(void **state) {
  (void)state;
  rpc_admission_t admission = make_table();
  take(&admission, bob, 1);
  take(&admission, alice, PER_ORIGIN - 1);
  check(&admission, alice, RPC_ADMIT, 0);
  take(&admission, alice, 1);
  check(&admission, alice, RPC_ADMIT_INSTEAD, 1);  // Not Bob's, who was there before.
  check(&admission, bob, RPC_ADMIT, 0);
  rpc_admission_deinit(&admission);
}

static void test_strangers_leave_the_reserve_and_never_drive_out_our_user(void **state) {
  (void)state;
  rpc_admission_t admission = make_table();
  take(&admission, own, 1);
  take(&admission, alice, 3);
  take(&admission, bob, 3);
  check(&admission, alice, RPC_ADMIT_INSTEAD, 1);  // The oldest of all strangers.
  check(&admission, own, RPC_ADMIT, 0);
  take(&admission, own, 1);
  check(&admission, own, RPC_ADMIT_INSTEAD, 1);
  for (size_t seat = 1; seat < 7; seat++) {
    rpc_admission_begin(&admission, seat);
  }
  check(&admission, bob, RPC_REFUSE, 0);
  check(&admission, own, RPC_ADMIT_INSTEAD, 0);  // Only now one of its own.
  rpc_admission_deinit(&admission);
}

static void test_busy_connections_stay_and_the_longest_unused_go_first(void **state) {
  (void)state;
  rpc_admission_t admission = make_table();
  take(&admission, alice, PER_ORIGIN);
  rpc_admission_begin(&admission, 0);
  rpc_admission_begin(&admission, 1);
  rpc_admission_end(&admission, 1, 10000);
  rpc_admission_begin(&admission, 2);
  rpc_admission_end(&admission, 2, 20000);
  check(&admission, alice, RPC_ADMIT_INSTEAD, 3);  // Never used.
  rpc_admission_begin(&admission, 3);
  check(&admission, alice, RPC_ADMIT_INSTEAD, 1);
  rpc_admission_begin(&admission, 1);
  check(&admission, alice, RPC_ADMIT_INSTEAD, 2);
  rpc_admission_begin(&admission, 2);
  check(&admission, alice, RPC_REFUSE, 0);
  size_t victim = 0;
  assert_false(rpc_admission_find_unused(&admission, LONG_MS, &victim));
  rpc_admission_deinit(&admission);
}

static void test_who_came_this_moment_goes_after_who_sits_idle(void **state) {
  (void)state;
  rpc_admission_t admission = make_table();
  take(&admission, alice, PER_ORIGIN - 1);
  for (size_t seat = 0; seat < PER_ORIGIN - 1; seat++) {
    rpc_admission_begin(&admission, seat);
    rpc_admission_end(&admission, seat, 100 + (int64_t)seat);
  }
  rpc_admission_take(&admission, &owners[3], alice, false, LONG_MS - 10);
  check(&admission, alice, RPC_ADMIT_INSTEAD, 0);
  rpc_admission_deinit(&admission);
}

static void test_who_was_busy_a_moment_ago_goes_last(void **state) {
  (void)state;
  rpc_admission_t admission = make_table();
  take(&admission, alice, PER_ORIGIN - 1);
  for (size_t seat = 0; seat < PER_ORIGIN - 1; seat++) {
    rpc_admission_begin(&admission, seat);
    rpc_admission_end(&admission, seat, LONG_MS - 100 + (int64_t)seat);
  }
  rpc_admission_take(&admission, &owners[3], alice, false, LONG_MS - 10);
  check(&admission, alice, RPC_ADMIT_INSTEAD, 3);
  rpc_admission_begin(&admission, 3);
  check(&admission, alice, RPC_ADMIT_INSTEAD, 0);
  rpc_admission_deinit(&admission);
}

static void test_a_kept_connection_sits_on_the_reserve(void **state) {
  (void)state;
  rpc_admission_t admission = make_table();
  take(&admission, alice, PER_ORIGIN);
  rpc_admission_keep(&admission, 0);
  check(&admission, alice, RPC_ADMIT, 0);
  take(&admission, alice, 1);
  take(&admission, bob, 2);
  check(&admission, bob, RPC_ADMIT_INSTEAD, 1);
  rpc_admission_unkeep(&admission, 0);
  check(&admission, bob, RPC_ADMIT_INSTEAD, 0);
  rpc_admission_deinit(&admission);
}

static void test_a_seat_given_up_goes_to_the_last(void **state) {
  (void)state;
  rpc_admission_t admission = make_table();
  take(&admission, alice, 3);
  assert_ptr_equal(rpc_admission_give_up(&admission, 0), &owners[2]);
  assert_null(rpc_admission_give_up(&admission, 1));
  assert_null(rpc_admission_give_up(&admission, 0));
  assert_int_equal(admission.count, 0);
  rpc_admission_deinit(&admission);
}

static rpc_origin_t origin_of_text(const char *text) {
  rpc_address_t address;
  assert_null(rpc_address_resolve(text, &address));
  return rpc_origin_of(&address, -1);
}

static void test_an_origin_is_an_address_or_what_a_network_gives_to_one(void **state) {
  (void)state;
  const rpc_origin_t a = origin_of_text("10.1.2.3:80");
  const rpc_origin_t b = origin_of_text("10.1.2.3:99");
  const rpc_origin_t c = origin_of_text("10.1.2.4:80");
  const rpc_origin_t mapped = origin_of_text("[::ffff:10.1.2.3]:1");
  assert_memory_equal(&a, &b, sizeof(a));
  assert_memory_equal(&a, &mapped, sizeof(a));
  assert_memory_not_equal(&a, &c, sizeof(a));
  const rpc_origin_t d = origin_of_text("[2001:db8:1:2:3::4]:1");
  const rpc_origin_t e = origin_of_text("[2001:db8:1:2:ffff::9]:1");
  const rpc_origin_t f = origin_of_text("[2001:db8:1:3:3::4]:1");
  assert_memory_equal(&d, &e, sizeof(d));
  assert_memory_not_equal(&d, &f, sizeof(d));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_an_origin_at_its_bound_gives_up_its_own_oldest),
      cmocka_unit_test(test_strangers_leave_the_reserve_and_never_drive_out_our_user),
      cmocka_unit_test(test_busy_connections_stay_and_the_longest_unused_go_first),
      cmocka_unit_test(test_who_came_this_moment_goes_after_who_sits_idle),
      cmocka_unit_test(test_who_was_busy_a_moment_ago_goes_last),
      cmocka_unit_test(test_a_kept_connection_sits_on_the_reserve),
      cmocka_unit_test(test_a_seat_given_up_goes_to_the_last),
      cmocka_unit_test(test_an_origin_is_an_address_or_what_a_network_gives_to_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
