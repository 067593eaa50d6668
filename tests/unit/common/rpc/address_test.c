// Addresses as people write them.

#include "common/rpc/address.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void test_numeric_addresses_are_read_and_written_back(void **state) {
  (void)state;
  static const char *const texts[] = {"127.0.0.1:4711", "[::1]:0", "0.0.0.0:65535",
                                      "unix:/tmp/x.sock"};
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    rpc_address_t address;
    rpc_host_port_t parts;
    bool is_numeric = false;
    assert_null(rpc_address_parse(texts[i], &is_numeric, &address, &parts));
    assert_true(is_numeric);
    char *text = rpc_address_format(&address);
    assert_string_equal(text, texts[i]);
    free(text);
  }
}

static void test_names_are_left_to_the_name_service(void **state) {
  (void)state;
  rpc_address_t address;
  rpc_host_port_t parts;
  bool is_numeric = true;
  assert_null(rpc_address_parse("worker-3.example:80", &is_numeric, &address, &parts));
  assert_false(is_numeric);
  assert_string_equal(parts.host, "worker-3.example");
  assert_string_equal(parts.port, "80");
}

// "" when it has none.
static const char *shortcut_of(const char *text) {
  static char name[108];
  rpc_address_t address;
  rpc_address_t shortcut;
  struct sockaddr_un local;
  assert_null(rpc_address_resolve(text, &address));
  if (!rpc_address_shortcut(&address, &shortcut)) {
    return "";
  }
  memcpy(&local, &shortcut.socket, sizeof(local));
  assert_int_equal(local.sun_family, AF_UNIX);
  assert_int_equal(local.sun_path[0], 0);
  snprintf(name, sizeof(name), "%s", local.sun_path + 1);
  assert_int_equal(shortcut.size_bytes,
                   offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
  return name;
}

static void test_only_loopback_addresses_have_a_shortcut(void **state) {
  (void)state;
  assert_string_equal(shortcut_of("127.0.0.1:4711"), "podium-rpc/7f000001:4711");
  assert_string_equal(shortcut_of("localhost:4711"), "podium-rpc/7f000001:4711");
  assert_string_equal(shortcut_of("0.0.0.0:4711"), "podium-rpc/7f000001:4711");
  assert_string_equal(shortcut_of("127.1.2.3:65535"), "podium-rpc/7f010203:65535");
  assert_string_equal(shortcut_of("[::1]:4711"), "podium-rpc/::1:4711");
  assert_string_equal(shortcut_of("[::]:4711"), "podium-rpc/::1:4711");
  assert_string_equal(shortcut_of("10.0.0.1:4711"), "");
  assert_string_equal(shortcut_of("[2001:db8::1]:4711"), "");
  assert_string_equal(shortcut_of("unix:/tmp/podium.sock"), "");
}

static void test_what_is_no_address_is_an_error(void **state) {
  (void)state;
  static const char *const texts[] = {"",     "localhost", ":80",   "a:",       "a:b",
                                      "a:1x", "a:65536",   "a:-1",  "::1:80",   "[::1]",
                                      "[]:1", "[::1:80",   "unix:", "[::1]x:80"};
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    rpc_address_t address;
    rpc_host_port_t parts;
    bool is_numeric = false;
    const pod_status_t status =
        rpc_address_parse(texts[i], &is_numeric, &address, &parts);
    assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
    pod_status_free(status);
  }
  char path[256] = "unix:/";
  memset(path + 6, 'x', 200);
  rpc_address_t address;
  const pod_status_t status = rpc_address_resolve(path, &address);
  assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
  pod_status_free(status);
}

static void test_a_unix_socket_left_behind_is_replaced_and_a_live_one_is_not(
    void **state) {
  (void)state;
  char text[64];
  snprintf(text, sizeof(text), "unix:/tmp/podium-address-test-%d", (int)getpid());
  rpc_address_t address;
  int first = -1, second = -1;
  assert_null(rpc_address_resolve(text, &address));
  assert_null(rpc_address_listen(&address, &first));
  const pod_status_t status = rpc_address_listen(&address, &second);
  assert_int_equal(pod_status_code(status), POD_UNAVAILABLE);
  pod_status_free(status);
  close(first);  // Leaves the file behind, as a killed process does.
  assert_null(rpc_address_listen(&address, &second));
  close(second);
  unlink(text + 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_numeric_addresses_are_read_and_written_back),
      cmocka_unit_test(test_names_are_left_to_the_name_service),
      cmocka_unit_test(test_only_loopback_addresses_have_a_shortcut),
      cmocka_unit_test(test_what_is_no_address_is_an_error),
      cmocka_unit_test(test_a_unix_socket_left_behind_is_replaced_and_a_live_one_is_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
