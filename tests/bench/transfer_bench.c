// How fast arrays go between a client and a chip on one host: by shared memory, by gRPC,
// and what memcpy takes for as many bytes, into memory that has been used and into fresh
// memory.
//
//   put     podium_put from memory that has been used, to its return
//   get     podium_fetch into memory that has been used, and into fresh memory
//
// GB/s (1e9 bytes), the median of the rounds and the best one: on a busy machine the
// latter says what the way can do.
//
// usage: transfer_bench [LARGEST_MIB [ROUNDS]]     (1024 9)

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "client/lib/podium.h"
#include "common/base/clock.h"
#include "tests/system/pod.h"

enum { TIMEOUT_MS = 600000, FIRST_BYTES = 64 << 10, MIB = 1 << 20, ROUNDS_MAX = 1000 };

static int64_t largest_bytes = (int64_t)1024 * MIB;
static int rounds = 9;

typedef enum figure_t {
  COPY_WARM = 0,
  COPY_FRESH,
  PUT_SHARED,
  GET_SHARED,
  GET_SHARED_FRESH,
  PUT_GRPC,
  GET_GRPC,
  FIGURE_COUNT,
} figure_t;

static const char *const names[FIGURE_COUNT] = {"memcpy",    "to fresh", "put",     "get",
                                                "get fresh", "put gRPC", "get gRPC"};

static void must(podium_status_t *status) {
  if (status != NULL) {
    fail_msg("%s", podium_status_message(status));
  }
}

// As numpy has it: on huge pages, where it is long enough for them.
static uint8_t *map(int64_t size) {
  void *memory = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(memory != MAP_FAILED);
  if (size >= 4 * MIB) {
    (void)madvise(memory, (size_t)size, MADV_HUGEPAGE);
  }
  return memory;
}

typedef struct bench_t {
  podium_session_t *shared, *grpc;
  int64_t size;
  uint8_t *from, *to;
  int64_t ns[FIGURE_COUNT][ROUNDS_MAX];
} bench_t;

static void measure_copies(bench_t *bench, int round) {
  const size_t size = (size_t)bench->size;
  int64_t start_ns = pod_clock_now_ns();
  memcpy(bench->to, bench->from, size);
  bench->ns[COPY_WARM][round] = pod_clock_now_ns() - start_ns;
  uint8_t *fresh = map(bench->size);
  start_ns = pod_clock_now_ns();
  memcpy(fresh, bench->from, size);
  bench->ns[COPY_FRESH][round] = pod_clock_now_ns() - start_ns;
  (void)munmap(fresh, size);
}

static podium_array_t *measure_put(const bench_t *bench, podium_session_t *session,
                                   int64_t *out_ns) {
  static const int64_t chip = 0;
  const podium_layout_t layout = {
      .shape = {.dtype = PODIUM_U8, .rank = 1, .dims = {bench->size}},
      .chips = &chip,
      .chip_count = 1};
  podium_array_t *array = NULL;
  const int64_t start_ns = pod_clock_now_ns();
  must(
      podium_put(session, &layout, bench->from, (size_t)bench->size, TIMEOUT_MS, &array));
  *out_ns = pod_clock_now_ns() - start_ns;
  return array;
}

static int64_t get_ns(const bench_t *bench, podium_array_t *array, uint8_t *to) {
  const int64_t start_ns = pod_clock_now_ns();
  must(podium_fetch(array, to, (size_t)bench->size, TIMEOUT_MS));
  return pod_clock_now_ns() - start_ns;
}

static void measure_shared(bench_t *bench, int round) {
  podium_array_t *array =
      measure_put(bench, bench->shared, &bench->ns[PUT_SHARED][round]);
  bench->ns[GET_SHARED][round] = get_ns(bench, array, bench->to);
  assert_memory_equal(bench->from, bench->to, (size_t)bench->size);
  uint8_t *fresh = map(bench->size);
  bench->ns[GET_SHARED_FRESH][round] = get_ns(bench, array, fresh);
  (void)munmap(fresh, (size_t)bench->size);
  podium_array_free(array);
}

static void measure_grpc(bench_t *bench, int round) {
  podium_array_t *array = measure_put(bench, bench->grpc, &bench->ns[PUT_GRPC][round]);
  bench->ns[GET_GRPC][round] = get_ns(bench, array, bench->to);
  podium_array_free(array);
}

static int compare(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static void measure_size(bench_t *bench) {
  bench->from = map(bench->size);
  bench->to = map(bench->size);
  for (int64_t i = 0; i < bench->size; i++) {
    bench->from[i] = (uint8_t)(i * 31 >> 5);
  }
  memset(bench->to, 1, (size_t)bench->size);
  const int count = bench->size <= 4 * MIB ? rounds * 10 : rounds;
  for (int round = 0; round < count; round++) {
    measure_copies(bench, round);
    measure_shared(bench, round);
    measure_grpc(bench, round);
  }
  printf("%6lld KiB", (long long)bench->size / 1024);
  for (int i = 0; i < FIGURE_COUNT; i++) {
    qsort(bench->ns[i], (size_t)count, sizeof(bench->ns[i][0]), compare);
    printf("  %5.2f %5.2f", (double)bench->size / (double)bench->ns[i][count / 2],
           (double)bench->size / (double)bench->ns[i][0]);
  }
  printf("\n");
  (void)fflush(stdout);
  (void)munmap(bench->from, (size_t)bench->size);
  (void)munmap(bench->to, (size_t)bench->size);
}

static void run(void **state) {
  (void)state;
  static bench_t bench;
  system_pod_t *pod =
      system_pod_start(&(system_pod_options_t){.topology = "1x1", .chip = "v5p"});
  must(podium_connect(system_pod_address(pod), NULL, &bench.shared));
  assert_int_equal(setenv("PODIUM_SHARED_MEMORY", "0", 1), 0);
  must(podium_connect(system_pod_address(pod), NULL, &bench.grpc));
  printf("GB/s      ");
  for (int i = 0; i < FIGURE_COUNT; i++) {
    printf("  %11s", names[i]);
  }
  printf("\n");
  for (bench.size = FIRST_BYTES; bench.size <= largest_bytes; bench.size *= 4) {
    measure_size(&bench);
  }
  podium_close(bench.shared);
  podium_close(bench.grpc);
  system_pod_stop(pod);
}

int main(int argc, char **argv) {
  if (argc > 1) {
    largest_bytes = strtoll(argv[1], NULL, 10) * MIB;
  }
  if (argc > 2) {
    const int wanted = atoi(argv[2]);
    rounds = wanted < 1 ? 1 : wanted > ROUNDS_MAX / 10 ? ROUNDS_MAX / 10 : wanted;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(run)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
