// Memory is read only where its process says in its own words that it may be.

#include "server/ici/consent.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/check.h"

static const ici_owner_t me = {.pod = "test", .chip = 3, .epoch = 77};

static ici_consent_t make(void) {
  ici_consent_t consent;
  assert_null(ici_consent_create(&me, &consent));
  return consent;
}

static ici_witness_t open_mine(const ici_consent_t *consent) {
  ici_witness_t witness;
  assert_null(ici_witness_open((int32_t)getpid(), consent->file, &me, &witness));
  return witness;
}

static void assert_refused_as(pod_code_t code, int32_t process, int32_t file,
                              const ici_owner_t *owner) {
  ici_witness_t witness;
  const pod_status_t status = ici_witness_open(process, file, owner, &witness);
  assert_int_equal(pod_status_code(status), code);
  pod_status_free(status);
}

static void assert_refused(int32_t process, int32_t file, const ici_owner_t *owner) {
  assert_refused_as(POD_DATA_LOSS, process, file, owner);
}

static void test_a_range_may_be_read_until_it_is_taken_back(void **state) {
  (void)state;
  static const char memory[100];
  const uint64_t start = (uintptr_t)memory;
  ici_consent_t consent = make();
  ici_witness_t witness = open_mine(&consent);
  const ici_range_t ranges[] = {{NULL, 0}, {memory + 10, 50}};
  const uint64_t version = ici_consent_give(&consent, ranges, POD_COUNT_OF(ranges));
  assert_int_equal(ici_witness_covers(&witness, start + 10, 50, version), ICI_COVER_ALL);
  assert_int_equal(ici_witness_covers(&witness, start + 59, 1, version), ICI_COVER_ALL);
  assert_true(ici_witness_holds(&witness, version));
  static const struct {
    uint64_t at;
    int64_t size_bytes;
  } beyond[] = {{9, 1}, {10, 51}, {60, 1}, {10, 0}, {10, -1}, {10, INT64_MAX}};
  for (size_t i = 0; i < POD_COUNT_OF(beyond); i++) {
    assert_int_equal(
        ici_witness_covers(&witness, start + beyond[i].at, beyond[i].size_bytes, version),
        ICI_COVER_NOT);
  }
  assert_int_equal(ici_witness_covers(&witness, UINT64_MAX, 2, version), ICI_COVER_NOT);
  assert_int_equal(ici_witness_covers(&witness, 0, 1, version), ICI_COVER_NOT);
  assert_int_equal(ici_witness_covers(&witness, start + 10, 50, 0), ICI_COVER_NOT);
  ici_consent_take_back(&consent, version);
  assert_false(ici_witness_holds(&witness, version));
  assert_int_equal(ici_witness_covers(&witness, start + 10, 1, version), ICI_COVER_PAST);
  // Given again it is another time: what was read across the two is not to be used.
  const uint64_t later = ici_consent_give(&consent, ranges, POD_COUNT_OF(ranges));
  assert_false(ici_witness_holds(&witness, version));
  assert_int_equal(ici_witness_covers(&witness, start + 10, 1, version), ICI_COVER_PAST);
  assert_int_equal(ici_witness_covers(&witness, start + 10, 1, later), ICI_COVER_ALL);
  ici_consent_close(&consent);
  assert_false(ici_witness_holds(&witness, later));
  ici_witness_close(&witness);
}

static void test_a_page_of_another_owner_is_refused(void **state) {
  (void)state;
  ici_consent_t consent = make();
  const int32_t process = (int32_t)getpid();
  ici_owner_t other = me;
  other.pod = "another";
  assert_refused(process, consent.file, &other);
  other = me;
  other.chip = 2;
  assert_refused(process, consent.file, &other);
  other = me;
  other.epoch = 78;
  assert_refused(process, consent.file, &other);
  assert_refused_as(POD_NOT_FOUND, process, consent.file + 1000, &me);
  assert_refused(0, consent.file, &me);
  assert_refused(-1, consent.file, &me);
  assert_refused(process, -1, &me);
  ici_consent_close(&consent);
}

// A neighbour could write into the rings of a process, and so forge a page there.
static void test_memory_that_others_can_write_is_no_page(void **state) {
  (void)state;
  ici_consent_t consent = make();
  const int forged = memfd_create("forged", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  assert_int_equal(ftruncate(forged, 4096), 0);
  assert_int_equal(write(forged, consent.page, 4096), 4096);
  assert_int_equal(fcntl(forged, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW), 0);
  assert_refused((int32_t)getpid(), forged, &me);
  close(forged);
  const int zero = open("/dev/zero", O_RDWR | O_CLOEXEC);
  assert_refused((int32_t)getpid(), zero, &me);
  close(zero);
  ici_consent_close(&consent);
}

static void test_nobody_else_can_write_the_page(void **state) {
  (void)state;
  ici_consent_t consent = make();
  char path[64];
  snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getpid(), consent.file);
  const int file = open(path, O_RDWR | O_CLOEXEC);
  assert_true(file >= 0);
  assert_int_equal(write(file, path, sizeof(path)), -1);
  assert_ptr_equal(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
                   MAP_FAILED);
  close(file);
  ici_consent_close(&consent);
}

static void test_a_process_that_has_ended_offers_nothing(void **state) {
  (void)state;
  static const char memory[100];
  int ready[2];
  assert_int_equal(pipe(ready), 0);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    ici_consent_t consent;
    if (ici_consent_create(&me, &consent) == NULL) {
      (void)ici_consent_give(&consent, &(ici_range_t){memory, 100}, 1);
      (void)!write(ready[1], &consent.file, sizeof(consent.file));
    }
    (void)pause();
    _exit(0);
  }
  int file;
  assert_int_equal(read(ready[0], &file, sizeof(file)), sizeof(file));
  ici_witness_t witness;
  const uint64_t version = 1;
  assert_null(ici_witness_open((int32_t)child, file, &me, &witness));
  assert_int_equal(ici_witness_covers(&witness, (uintptr_t)memory, 100, version),
                   ICI_COVER_ALL);
  assert_int_equal(kill(child, SIGKILL), 0);
  assert_int_equal(waitpid(child, NULL, 0), child);
  assert_false(ici_witness_holds(&witness, version));
  ici_witness_close(&witness);
  assert_refused_as(POD_NOT_FOUND, (int32_t)child, file, &me);
  close(ready[0]);
  close(ready[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_range_may_be_read_until_it_is_taken_back),
      cmocka_unit_test(test_a_page_of_another_owner_is_refused),
      cmocka_unit_test(test_memory_that_others_can_write_is_no_page),
      cmocka_unit_test(test_nobody_else_can_write_the_page),
      cmocka_unit_test(test_a_process_that_has_ended_offers_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
