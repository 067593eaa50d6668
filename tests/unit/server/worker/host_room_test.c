// Admission in processes of their own, which share a table as workers do. Their budget is
// set (PODIUM_HOST_MEMORY_BYTES), so that the test needs no memory to speak of.

#include "server/worker/host_room.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/check.h"
#include "common/base/text.h"
#include "server/worker/host_ledger.h"
#include "server/worker/host_memory.h"

enum { MIB = 1 << 20 };

static char name[64];  // Of a table of the test's.

static int begin(void **state) {
  (void)state;
  snprintf(name, sizeof(name), "/podium-test-memory-%ld", (long)getpid());
  return 0;
}

static int end(void **state) {
  (void)state;
  shm_unlink(name);
  return 0;
}

// The room of a process opens once: each test has its own.
static void in_a_process(void (*body)(void), const char *budget) {
  fflush(NULL);
  const pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    if (budget != NULL) {
      setenv("PODIUM_HOST_MEMORY_BYTES", budget, 1);
    } else {
      unsetenv("PODIUM_HOST_MEMORY_BYTES");
    }
    host_room_open(name);
    body();
    exit(0);  // Closes the table too.
  }
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}

static void must_refuse(int64_t size_bytes, const char *part) {
  void *memory;
  const pod_status_t status = host_memory_alloc(size_bytes, &memory);
  POD_CHECK(status != NULL);
  POD_CHECK(pod_status_code(status) == POD_RESOURCE_EXHAUSTED);
  if (strstr(pod_status_message(status), part) == NULL) {
    fprintf(stderr, "%s\n", pod_status_message(status));
    abort();
  }
  pod_status_free(status);
}

static void *must_have(int64_t size_bytes) {
  void *memory;
  const pod_status_t status = host_memory_alloc(size_bytes, &memory);
  if (status != NULL) {
    fprintf(stderr, "%s\n", pod_status_message(status));
    abort();
  }
  return memory;
}

static void hold_up_to_the_budget(void) {
  void *first = must_have(40 * MIB);
  void *second = must_have(20 * MIB);
  must_refuse(20 * MIB, "no room for 20.0 MiB");
  must_refuse(20 * MIB, "4.0 MiB are left of 64.0 MiB (PODIUM_HOST_MEMORY_BYTES)");
  must_refuse(20 * MIB, "hold 60.0 MiB");
  host_memory_free(first, 40 * MIB);
  first = must_have(41 * MIB);
  host_memory_free(first, 41 * MIB);
  host_memory_free(second, 20 * MIB);
  // A refusal takes nothing.
  POD_CHECK(host_room_use().held_bytes == 0);
  POD_CHECK(host_room_use().promised_bytes == 0);
}

static void test_what_the_host_has_no_room_for_is_refused_with_the_numbers(void **state) {
  (void)state;
  in_a_process(hold_up_to_the_budget, "67108864");
}

static void hold_many_small_ones(void) {
  enum { COUNT = 4096, SIZE = 64 << 10 };
  static void *blocks[COUNT];
  int32_t count = 0;
  pod_status_t status = NULL;
  while (count < COUNT && status == NULL) {
    status = host_memory_alloc(SIZE, &blocks[count]);
    count += status == NULL;
  }
  POD_CHECK(status != NULL);
  // Looked at every MiB of them.
  POD_CHECK((int64_t)count * SIZE >= 63 * MIB && (int64_t)count * SIZE <= 66 * MIB);
  pod_status_free(status);
  while (count > 0) {
    host_memory_free(blocks[--count], SIZE);
  }
}

static void test_many_small_blocks_count_as_large_ones_do(void **state) {
  (void)state;
  in_a_process(hold_many_small_ones, "67108864");
}

static void promise_and_keep(void) {
  const int64_t size = 64 * MIB;
  char *memory = must_have(size);
  host_room_look();
  POD_CHECK(host_room_use().promised_bytes >= size * 9 / 10);
  memset(memory, 1, (size_t)size / 2);
  host_room_look();
  const int64_t half = host_room_use().promised_bytes;
  POD_CHECK(half >= size / 2 - 4 * MIB && half <= size / 2 + 4 * MIB);
  memset(memory, 1, (size_t)size);
  host_room_look();
  POD_CHECK(host_room_use().promised_bytes == 0);
  POD_CHECK(host_room_use().held_bytes == size);
  host_memory_free(memory, size);
  POD_CHECK(host_room_use().held_bytes == 0);
}

static void test_what_was_written_is_no_promise_any_more(void **state) {
  (void)state;
  in_a_process(promise_and_keep, NULL);
}

static void zeros_promise_nothing(void) {
  const int64_t size = 8 * MIB;
  char *used = must_have(size);
  memset(used, 0x55, (size_t)size);
  host_memory_free(used, size);  // Kept for who wants one of the size.
  void *zeros;
  POD_CHECK(host_memory_alloc_zeros(size, &zeros) == NULL);
  for (int64_t i = 0; i < size; i++) {
    POD_CHECK(((char *)zeros)[i] == 0);
  }
  POD_CHECK(host_room_use().promised_bytes == 0);
  host_memory_free(zeros, size);
}

static void test_zeros_are_zero_also_where_a_block_was_given_back(void **state) {
  (void)state;
  in_a_process(zeros_promise_nothing, NULL);
}

static void ask_for_more_than_there_is(void) {
  const int64_t everything = (int64_t)1 << 46;  // 64 TiB: the kernel might map it.
  must_refuse(everything, "the host has no room for 64.0 TiB");
}

static void test_more_than_the_machine_has_is_refused(void **state) {
  (void)state;
  in_a_process(ask_for_more_than_there_is, NULL);
}

// Rows of two "workers": one here, one in a child.
static void test_workers_of_a_host_see_each_other_until_they_die(void **state) {
  (void)state;
  int ready[2], go[2];
  assert_int_equal(pipe(ready), 0);
  assert_int_equal(pipe(go), 0);
  const pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    host_ledger_t theirs;
    host_ledger_open(&theirs, name);
    theirs.rows[theirs.own].held_bytes = 7 * MIB;
    theirs.rows[theirs.own].promised_bytes = 5 * MIB;
    char byte = 0;
    POD_CHECK(write(ready[1], &byte, 1) == 1);
    close(go[1]);
    POD_CHECK(read(go[0], &byte, 1) == 0);
    _exit(0);  // Without a word, as one that was killed.
  }
  char byte;
  assert_int_equal(read(ready[0], &byte, 1), 1);
  host_ledger_t ours;
  host_ledger_open(&ours, name);
  assert_true(ours.fd >= 0);
  int64_t held, promised;
  int32_t processes;
  host_ledger_sum(&ours, true, &held, &promised, &processes);
  assert_int_equal(held, 7 * MIB);
  assert_int_equal(promised, 5 * MIB);
  assert_int_equal(processes, 2);
  close(go[0]);
  close(go[1]);
  assert_int_equal(waitpid(pid, NULL, 0), pid);
  host_ledger_sum(&ours, true, &held, &promised, &processes);
  assert_int_equal(held, 0);
  assert_int_equal(promised, 0);
  assert_int_equal(processes, 1);
  close(ready[0]);
  close(ready[1]);
  host_ledger_close(&ours, name);
  assert_int_equal(shm_open(name, O_RDWR, 0600), -1);  // The last one has removed it.
}

static void test_a_table_that_others_may_write_to_is_not_used(void **state) {
  (void)state;
  const int fd = shm_open(name, O_RDWR | O_CREAT, 0600);
  assert_true(fd >= 0);
  assert_int_equal(fchmod(fd, 0666), 0);
  host_ledger_t ledger;
  host_ledger_open(&ledger, name);
  assert_int_equal(ledger.fd, -1);
  ledger.rows[ledger.own].held_bytes = MIB;  // By itself it works on.
  int64_t held, promised;
  int32_t processes;
  host_ledger_sum(&ledger, true, &held, &promised, &processes);
  assert_int_equal(held, MIB);
  host_ledger_close(&ledger, name);
  close(fd);
}

int main(void) {
#define TEST(test) cmocka_unit_test_setup_teardown(test, begin, end)
  const struct CMUnitTest tests[] = {
      TEST(test_what_the_host_has_no_room_for_is_refused_with_the_numbers),
      TEST(test_many_small_blocks_count_as_large_ones_do),
      TEST(test_what_was_written_is_no_promise_any_more),
      TEST(test_zeros_are_zero_also_where_a_block_was_given_back),
      TEST(test_more_than_the_machine_has_is_refused),
      TEST(test_workers_of_a_host_see_each_other_until_they_die),
      TEST(test_a_table_that_others_may_write_to_is_not_used),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
