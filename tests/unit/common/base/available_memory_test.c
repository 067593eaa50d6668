// Against folders that stand for "/".

#include "common/base/available_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define MIB ((int64_t)1 << 20)

static char root[64];

static void put(const char *name, const char *text) {
  char path[512];
  snprintf(path, sizeof(path), "%s/%s", root, name);
  for (char *at = path + strlen(root) + 1; *at != '\0'; at++) {
    if (*at == '/') {
      *at = '\0';
      mkdir(path, 0700);
      *at = '/';
    }
  }
  FILE *file = fopen(path, "we");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

static int begin(void **state) {
  (void)state;
  const char *folder = getenv("TMPDIR");
  snprintf(root, sizeof(root), "%.40s/memory.XXXXXX", folder != NULL ? folder : "/tmp");
  assert_non_null(mkdtemp(root));
  put("proc/meminfo",
      "MemTotal:       8388608 kB\nMemFree:   100 kB\nMemAvailable:   6291456 kB\n");
  return 0;
}

static int end(void **state) {
  (void)state;
  char command[128];
  snprintf(command, sizeof(command), "rm -r '%s'", root);
  return system(command);
}

static void expect(int64_t total_mib, int64_t left_mib, bool is_group) {
  pod_available_memory_t memory;
  pod_available_memory_read(root, &memory);
  assert_int_equal(memory.total_bytes / MIB, total_mib);
  assert_int_equal(memory.left_bytes / MIB, left_mib);
  assert_int_equal(memory.is_group, is_group);
}

static void test_a_machine_without_groups_has_what_the_kernel_says(void **state) {
  (void)state;
  expect(8192, 6144, false);
  put("proc/self/cgroup", "0::/\n");
  expect(8192, 6144, false);
}

static void test_a_group_limits_and_its_page_cache_is_not_used_memory(void **state) {
  (void)state;
  put("proc/self/cgroup", "0::/pods/mine\n");
  put("sys/fs/cgroup/pods/mine/memory.max", "1073741824\n");
  put("sys/fs/cgroup/pods/mine/memory.current", "943718400\n");
  expect(1024, 124, true);
  put("sys/fs/cgroup/pods/mine/memory.stat", "anon 1\ninactive_file 104857600\n");
  expect(1024, 224, true);
}

static void test_a_group_above_limits_too(void **state) {
  (void)state;
  put("proc/self/cgroup", "0::/pods/mine\n");
  put("sys/fs/cgroup/pods/mine/memory.max", "max\n");
  put("sys/fs/cgroup/pods/mine/memory.current", "1\n");
  put("sys/fs/cgroup/pods/memory.max", "2147483648\n");
  put("sys/fs/cgroup/pods/memory.current", "1073741824\n");
  expect(2048, 1024, true);
}

static void test_groups_of_version_1_and_those_of_a_container(void **state) {
  (void)state;
  put("proc/self/cgroup", "5:cpu,cpuacct:/\n4:memory:/docker/abc\n0::/\n");
  put("sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n");
  put("sys/fs/cgroup/memory/memory.usage_in_bytes", "536870912\n");
  put("sys/fs/cgroup/memory/memory.stat", "total_inactive_file 0\n");
  expect(1024, 512, true);
  // No limit, as version 1 writes it.
  put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  expect(8192, 6144, false);
}

static void test_a_group_that_is_over_its_limit_has_nothing_left(void **state) {
  (void)state;
  put("proc/self/cgroup", "0::/a\n");
  put("sys/fs/cgroup/a/memory.max", "1048576\n");
  put("sys/fs/cgroup/a/memory.current", "2097152\n");
  expect(1, 0, true);
}

static void test_what_cannot_be_read_does_not_limit(void **state) {
  (void)state;
  pod_available_memory_t memory;
  pod_available_memory_read("/nowhere/at/all", &memory);
  assert_true(memory.left_bytes == INT64_MAX);
  pod_available_memory_read("", &memory);  // This machine.
  assert_true(memory.left_bytes > 0 && memory.left_bytes <= memory.total_bytes);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
  const struct CMUnitTest tests[] = {
      TEST(test_a_machine_without_groups_has_what_the_kernel_says),
      TEST(test_a_group_limits_and_its_page_cache_is_not_used_memory),
      TEST(test_a_group_above_limits_too),
      TEST(test_groups_of_version_1_and_those_of_a_container),
      TEST(test_a_group_that_is_over_its_limit_has_nothing_left),
      TEST(test_what_cannot_be_read_does_not_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
