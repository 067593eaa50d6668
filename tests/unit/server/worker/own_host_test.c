#include "server/worker/own_host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_host(const char *coordinator, const char *expected) {
  char *host = NULL;
  assert_null(own_host_toward(coordinator, &host));
  assert_string_equal(host, expected);
  free(host);
}

static void test_a_coordinator_on_this_machine_is_reached_from_it(void **state) {
  (void)state;
  assert_host("127.0.0.1:7400", "127.0.0.1");
  assert_host("localhost:7400", "127.0.0.1");
  assert_host("127.8.8.8:7400", "127.0.0.1");
  assert_host("unix:/run/podium.sock", "127.0.0.1");
}

static void test_what_is_no_address_is_refused(void **state) {
  (void)state;
  char *host = NULL;
  const pod_status_t status = own_host_toward("nobody", &host);
  assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
  pod_status_free(status);
  assert_null(host);
}

static void test_all_interfaces_and_loopback_are_known(void **state) {
  (void)state;
  static const char *const wildcards[] = {"0.0.0.0:7402", "0.0.0.0", "[::]:0", ":0"};
  static const char *const loopbacks[] = {"127.0.0.1:0", "localhost:7", "[::1]:7",
                                          "127.1.2.3", "unix:/run/x"};
  static const char *const others[] = {"10.0.0.7:0", "[fd00::7]:7", "node7:7",
                                       "localhost7:7"};
  for (size_t i = 0; i < 4; i++) {
    assert_true(own_host_is_wildcard(wildcards[i]));
    assert_false(own_host_is_loopback(wildcards[i]));
    assert_false(own_host_is_wildcard(others[i]));
    assert_false(own_host_is_loopback(others[i]));
  }
  for (size_t i = 0; i < 5; i++) {
    assert_true(own_host_is_loopback(loopbacks[i]));
    assert_false(own_host_is_wildcard(loopbacks[i]));
  }
}

static void test_a_host_is_replaced_and_the_port_stays(void **state) {
  (void)state;
  static const char *const cases[][3] = {{"0.0.0.0:7402", "10.0.0.7", "10.0.0.7:7402"},
                                         {"[::]:7402", "[fd00::7]", "[fd00::7]:7402"},
                                         {":0", "10.0.0.7", "10.0.0.7:0"}};
  for (size_t i = 0; i < 3; i++) {
    char *address = own_host_replace(cases[i][0], cases[i][1]);
    assert_string_equal(address, cases[i][2]);
    char *host = own_host_of(address);
    assert_string_equal(host, cases[i][1]);
    free(host);
    free(address);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_coordinator_on_this_machine_is_reached_from_it),
      cmocka_unit_test(test_what_is_no_address_is_refused),
      cmocka_unit_test(test_all_interfaces_and_loopback_are_known),
      cmocka_unit_test(test_a_host_is_replaced_and_the_port_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
