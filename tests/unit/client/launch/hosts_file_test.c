#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "client/launch/hosts_file.h"

static void test_a_line_is_a_host_with_what_it_gives_and_how_ssh_reaches_it(
    void **state) {
  (void)state;
  launch_hosts_t hosts = {0};
  assert_null(launch_hosts_parse("hosts.txt",
                                 "# the pod\n\n"
                                 "tpu-1 chips=4 # the first\n"
                                 "ann@10.0.0.2\tchips=4 bin='/opt/my podium/bin' "
                                 "address=192.168.7.2 -p 2222 -o \"User Known=x\"\r\n",
                                 &hosts));
  assert_int_equal(hosts.count, 2);
  assert_string_equal(hosts.items[0].destination, "tpu-1");
  assert_int_equal(hosts.items[0].chips, 4);
  assert_int_equal(hosts.items[0].options.count, 0);
  const launch_host_t *second = &hosts.items[1];
  assert_string_equal(second->destination, "ann@10.0.0.2");
  assert_string_equal(second->folder_of_programs, "/opt/my podium/bin");
  assert_string_equal(second->address, "192.168.7.2");
  assert_int_equal(second->rank, 1);
  assert_int_equal(second->options.count, 4);
  assert_string_equal(second->options.items[0], "-p");
  assert_string_equal(second->options.items[3], "User Known=x");
  launch_hosts_deinit(&hosts);
}

static void test_hosts_come_by_rank_whatever_the_order_of_lines(void **state) {
  (void)state;
  launch_hosts_t hosts = {0};
  assert_null(launch_hosts_parse("f", "c rank=2\na rank=0\nb rank=1", &hosts));
  assert_string_equal(hosts.items[0].destination, "a");
  assert_string_equal(hosts.items[1].destination, "b");
  assert_string_equal(hosts.items[2].destination, "c");
  launch_hosts_deinit(&hosts);
}

static void check_refused(const char *text, const char *words) {
  launch_hosts_t hosts = {0};
  const pod_status_t status = launch_hosts_parse("hosts.txt", text, &hosts);
  assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
  if (strstr(pod_status_message(status), words) == NULL) {
    fail_msg("'%s' does not say '%s'", pod_status_message(status), words);
  }
  assert_int_equal(hosts.count, 0);
  pod_status_free(status);
}

static void test_what_is_no_list_of_hosts_is_refused_with_its_line(void **state) {
  (void)state;
  check_refused("", "hosts.txt names no host");
  check_refused("# only words\n\n", "hosts.txt names no host");
  check_refused("a\nb chips=0", "hosts.txt:2: chips needs a number from 1 to 4096");
  check_refused("a chips=x", "hosts.txt:1: chips needs a number");
  check_refused("a rank=-1", "hosts.txt:1: rank needs a number");
  check_refused("a\n\nb chip=3", "hosts.txt:3: 'chip=3' is neither");
  check_refused("-oProxyCommand=evil", "hosts.txt:1: '-oProxyCommand=evil' is no");
  check_refused("a;reboot", "is no [user@]host");
  check_refused("a address=-x", "'-x' is no");
  check_refused("a -o 'x", "hosts.txt:1: a quote is not closed");
  check_refused("a chips=4\nb chips=8", "a and b differ");
  check_refused("a chips=4\nb", "a and b differ");
  check_refused("a rank=0\nb", "all lines say a rank, or none");
  check_refused("a rank=0\nb rank=0", "each once; b has 0");
  check_refused("a rank=1\nb rank=2", "0 to 1, each once; a has 1");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_line_is_a_host_with_what_it_gives_and_how_ssh_reaches_it),
      cmocka_unit_test(test_hosts_come_by_rank_whatever_the_order_of_lines),
      cmocka_unit_test(test_what_is_no_list_of_hosts_is_refused_with_its_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
