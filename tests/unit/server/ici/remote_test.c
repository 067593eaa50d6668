#include "server/ici/remote.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void test_what_is_offered_survives_its_encoding(void **state) {
  (void)state;
  const ici_remote_t remote = {.host = 0x123456789abcdef0u,
                               .process = 4711,
                               .file = 12,
                               .address = 0x7fff12345678u,
                               .size_bytes = (int64_t)1 << 40};
  uint8_t bytes[ICI_REMOTE_BYTES];
  ici_remote_encode(&remote, bytes);
  ici_remote_t back;
  ici_remote_decode(bytes, &back);
  assert_true(back.host == remote.host);
  assert_int_equal(back.process, remote.process);
  assert_int_equal(back.file, remote.file);
  assert_true(back.address == remote.address);
  assert_true(back.size_bytes == remote.size_bytes);
}

static void test_the_memory_of_another_process_is_read(void **state) {
  (void)state;
  enum { SIZE = 3 * 4096 + 5 };
  int ready[2], done[2];
  assert_int_equal(pipe(ready), 0);
  assert_int_equal(pipe(done), 0);
  uint8_t *memory = malloc(SIZE);
  memset(memory, 1, SIZE);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    char byte = 0;
    close(done[1]);
    ici_remote_allow((int32_t)getppid());
    for (size_t i = 0; i < SIZE; i++) {
      memory[i] = (uint8_t)(i * 7);
    }
    (void)!write(ready[1], &byte, 1);
    (void)!read(done[0], &byte, 1);
    _exit(0);
  }
  close(ready[1]);
  char byte;
  assert_int_equal(read(ready[0], &byte, 1), 1);
  const ici_remote_t remote = {
      .process = (int32_t)child, .address = (uintptr_t)memory, .size_bytes = SIZE};
  uint8_t copy[SIZE];
  assert_int_equal(ici_remote_read(&remote, 100, copy, SIZE - 100), ICI_REMOTE_READ);
  for (size_t i = 0; i < SIZE - 100; i++) {
    assert_int_equal(copy[i], (uint8_t)((i + 100) * 7));
  }
  close(done[1]);
  assert_int_equal(waitpid(child, NULL, 0), child);
  assert_int_equal(ici_remote_read(&remote, 0, copy, 1), ICI_REMOTE_GONE);
  close(ready[0]);
  close(done[0]);
  free(memory);
}

static void test_memory_that_is_none_is_bad(void **state) {
  (void)state;
  uint8_t copy[16];
  ici_remote_t remote = {.process = (int32_t)getpid(), .address = 16, .size_bytes = 16};
  assert_int_equal(ici_remote_read(&remote, 0, copy, sizeof(copy)), ICI_REMOTE_BAD);
  remote.address = UINT64_MAX - 3;
  assert_int_equal(ici_remote_read(&remote, 0, copy, sizeof(copy)), ICI_REMOTE_BAD);
  remote.process = 0;
  assert_int_equal(ici_remote_read(&remote, 0, copy, sizeof(copy)), ICI_REMOTE_FORBIDDEN);
  remote.process = -1;
  assert_int_equal(ici_remote_read(&remote, 0, copy, sizeof(copy)), ICI_REMOTE_FORBIDDEN);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_is_offered_survives_its_encoding),
      cmocka_unit_test(test_the_memory_of_another_process_is_read),
      cmocka_unit_test(test_memory_that_is_none_is_bad),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
