// Arrays between a client and chips of one host, by shared memory and without.

#include <glob.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "client/lib/podium.h"
#include "common/base/clock.h"
#include "tests/system/client.h"

enum { TIMEOUT_MS = 120000, WIDE = 2048, LARGE_BYTES = 32 << 20 };

static podium_session_t *connect_that(const system_pod_t *pod, bool shares) {
  assert_int_equal(setenv("PODIUM_SHARED_MEMORY", shares ? "1" : "0", 1), 0);
  return connect_to(pod);
}

// Rings that a process has mapped.
static int count_rings(pid_t process) {
  char path[64], line[512];
  (void)snprintf(path, sizeof(path), "/proc/%ld/maps", (long)process);
  FILE *file = fopen(path, "re");
  assert_non_null(file);
  int count = 0;
  while (fgets(line, sizeof(line), file) != NULL) {
    count += strstr(line, "podium-ring") != NULL;
  }
  (void)fclose(file);
  return count;
}

static int count_all_rings(const system_pod_t *pod) {
  int count = 0;
  for (int i = 0; i < system_pod_worker_count(pod); i++) {
    count += count_rings(system_pod_worker(pod, i));
  }
  return count;
}

static uint8_t *make_bytes(size_t size) {
  uint8_t *bytes = malloc(size);
  assert_non_null(bytes);
  for (size_t i = 0; i < size; i++) {
    bytes[i] = (uint8_t)(i * 2654435761u >> 11);
  }
  return bytes;
}

static void expect_equal(const uint8_t *bytes, const uint8_t *expected, size_t size) {
  if (memcmp(bytes, expected, size) != 0) {
    fail_msg("the bytes are not those that were put");
  }
}

// --- What goes there comes back ---

static void put_and_fetch(podium_session_t *session, const podium_layout_t *layout) {
  const size_t size = (size_t)podium_shape_bytes(&layout->shape);
  uint8_t *bytes = make_bytes(size), *back = calloc(1, size);
  podium_array_t *array = NULL;
  must(podium_put(session, layout, bytes, size, TIMEOUT_MS, &array));
  must(podium_fetch(array, back, size, TIMEOUT_MS));
  expect_equal(back, bytes, size);
  podium_array_free(array);
  free(bytes);
  free(back);
}

static void test_arrays_of_all_sizes_are_the_same_by_either_way(void **state) {
  (void)state;
  static const int64_t sizes[] = {0,      1,       65536,   131072,  262143,  262144,
                                  262145, 1048576, 1048577, 7340033, 33554432};
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){.topology = "1x1"});
  for (int shares = 0; shares < 2; shares++) {
    podium_session_t *session = connect_that(pod, shares != 0);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
      put_and_fetch(session,
                    &(podium_layout_t){
                        .shape = {.dtype = PODIUM_U8, .rank = 1, .dims = {sizes[i]}}});
    }
    assert_int_equal(count_all_rings(pod), shares);
    podium_close(session);
  }
  system_pod_stop(pod);
}

// --- Sharded ---

static const podium_mesh_axis_t axes[] = {{"x", 2}, {"y", 2}};

// What a call that does not wait has ended with.
typedef struct ending_t {
  pthread_mutex_t mutex;
  pthread_cond_t wake;
  bool has_ended;
  podium_status_t *status;
} ending_t;

static void ending_init(ending_t *ending) {
  *ending = (ending_t){0};
  pthread_mutex_init(&ending->mutex, NULL);
  pod_clock_cond_init(&ending->wake);
}

static void on_end(void *context, podium_status_t *status) {
  ending_t *ending = context;
  pthread_mutex_lock(&ending->mutex);
  ending->has_ended = true;
  ending->status = status;
  pthread_cond_signal(&ending->wake);
  pthread_mutex_unlock(&ending->mutex);
}

static podium_status_t *ending_wait(ending_t *ending) {
  const int64_t until_ns = pod_clock_now_ns() + (int64_t)TIMEOUT_MS * 1000000;
  pthread_mutex_lock(&ending->mutex);
  while (!ending->has_ended && pod_clock_now_ns() < until_ns) {
    pod_clock_cond_wait(&ending->wake, &ending->mutex, until_ns);
  }
  pthread_mutex_unlock(&ending->mutex);
  assert_true(ending->has_ended);
  pthread_cond_destroy(&ending->wake);
  pthread_mutex_destroy(&ending->mutex);
  return ending->status;
}

// Row-major f32[WIDE,WIDE] in tiles by x and y: what chip `chip` has of it.
static void expect_tile(podium_array_t *array, int chip, const uint8_t *bytes) {
  const size_t half = WIDE / 2, tile_bytes = half * half * 4;
  uint8_t *tile = calloc(1, tile_bytes);
  ending_t ending;
  ending_init(&ending);
  must(podium_fetch_async(array, chip, tile, tile_bytes, TIMEOUT_MS, on_end, &ending));
  must(ending_wait(&ending));
  const size_t first = (size_t)(chip / 2) * half * WIDE + (size_t)(chip % 2) * half;
  for (size_t row = 0; row < half; row++) {
    expect_equal(tile + row * half * 4, bytes + (first + row * WIDE) * 4, half * 4);
  }
  free(tile);
}

static void check_tiles(podium_session_t *session) {
  static const char *const spec[] = {"x", "y"};
  const podium_sharding_t sharding = {
      .axis_count = 2, .axes = axes, .rank = 2, .spec = spec};
  const podium_layout_t layout = {
      .shape = {.dtype = PODIUM_F32, .rank = 2, .dims = {WIDE, WIDE}},
      .sharding = &sharding};
  const size_t size = (size_t)WIDE * WIDE * 4;
  uint8_t *bytes = make_bytes(size), *back = calloc(1, size);
  podium_array_t *array = NULL;
  must(podium_put(session, &layout, bytes, size, TIMEOUT_MS, &array));
  must(podium_fetch(array, back, size, TIMEOUT_MS));
  expect_equal(back, bytes, size);
  for (int chip = 0; chip < 4; chip++) {
    expect_tile(array, chip, bytes);
  }
  podium_array_free(array);
  free(bytes);
  free(back);
}

static void test_every_chip_gets_its_tile_by_either_way(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){.topology = "2x2"});
  for (int shares = 0; shares < 2; shares++) {
    podium_session_t *session = connect_that(pod, shares != 0);
    check_tiles(session);
    // The whole on each chip, and on some.
    put_and_fetch(session,
                  &(podium_layout_t){
                      .shape = {.dtype = PODIUM_F32, .rank = 2, .dims = {WIDE, 300}}});
    static const int64_t chips[] = {3, 1};
    put_and_fetch(session,
                  &(podium_layout_t){
                      .shape = {.dtype = PODIUM_BF16, .rank = 2, .dims = {WIDE, 300}},
                      .chips = chips,
                      .chip_count = 2});
    assert_int_equal(count_all_rings(pod), 4 * shares);
    podium_close(session);
  }
  system_pod_stop(pod);
}

// --- What goes wrong ---

static void wait_for(const system_pod_t *pod, bool (*is_so)(const system_pod_t *pod),
                     const char *what) {
  const int64_t until_ns = pod_clock_now_ns() + (int64_t)TIMEOUT_MS * 1000000;
  while (!is_so(pod)) {
    if (pod_clock_now_ns() > until_ns) {
      system_pod_fail(pod, what);
    }
    (void)usleep(20000);
  }
}

static bool has_nothing(const system_pod_t *pod) {
  return hbm_used_of(pod) == 0 && count_all_rings(pod) == 0;
}

static bool has_a_ring(const system_pod_t *pod) {
  return count_all_rings(pod) > 0;
}

static const podium_layout_t large = {
    .shape = {.dtype = PODIUM_U8, .rank = 1, .dims = {LARGE_BYTES}}};

// In a process of its own: puts and fetches without end.
static void transfer_for_ever(const system_pod_t *pod) {
  podium_session_t *session = connect_that(pod, true);
  for (;;) {
    put_and_fetch(session, &large);
  }
}

static void test_a_client_that_is_killed_leaves_nothing_behind(void **state) {
  (void)state;
  assert_int_equal(setenv("PODIUM_SHARED_MEMORY", "1", 1), 0);
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){.topology = "1x1"});
  for (int round = 0; round < 3; round++) {
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
      transfer_for_ever(pod);
    }
    wait_for(pod, has_a_ring, "the client does not come");
    (void)usleep(50000 + 70000 * (useconds_t)round);
    // One that stands still first holds up nobody else.
    assert_int_equal(kill(child, SIGSTOP), 0);
    podium_session_t *session = connect_that(pod, true);
    put_and_fetch(session, &large);
    podium_close(session);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    wait_for(pod, has_nothing, "what a killed client had is still there");
  }
  system_pod_stop(pod);
}

static void test_a_worker_that_is_killed_fails_what_is_under_way_and_is_named(
    void **state) {
  (void)state;
  assert_int_equal(setenv("PODIUM_SHARED_MEMORY", "1", 1), 0);
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){.topology = "1x1"});
  podium_session_t *session = connect_that(pod, true);
  uint8_t *bytes = make_bytes(LARGE_BYTES), *back = malloc(LARGE_BYTES);
  podium_array_t *array = NULL, *next = NULL;
  must(podium_put(session, &large, bytes, LARGE_BYTES, TIMEOUT_MS, &array));
  ending_t putting, fetching;
  ending_init(&putting);
  ending_init(&fetching);
  // It stands still, so that neither can have ended before it is killed.
  (void)system_pod_signal_worker(pod, 0, SIGSTOP);
  must(podium_put_async(session, &large, bytes, LARGE_BYTES, TIMEOUT_MS, on_end, &putting,
                        &next));
  must(podium_fetch_async(array, -1, back, LARGE_BYTES, TIMEOUT_MS, on_end, &fetching));
  (void)usleep(100000);
  (void)system_pod_signal_worker(pod, 0, SIGKILL);
  podium_status_t *put = ending_wait(&putting), *fetched = ending_wait(&fetching);
  assert_int_equal(podium_status_code(put), PODIUM_UNAVAILABLE);
  assert_non_null(strstr(podium_status_message(put), "chip 0"));
  assert_non_null(fetched);
  podium_status_free(put);
  podium_status_free(fetched);
  podium_array_free(next);
  podium_array_free(array);
  // Another worker takes its place, and is found at its own socket.
  (void)system_pod_add_worker(pod, NULL);
  podium_session_t *again = connect_that(pod, true);
  put_and_fetch(again, &large);
  put_and_fetch(session, &large);
  podium_close(again);
  podium_close(session);
  free(bytes);
  free(back);
  system_pod_stop(pod);
}

static void test_a_socket_that_is_gone_sends_the_bytes_another_way(void **state) {
  (void)state;
  char folder[] = "/tmp/podium-shared-XXXXXX";
  assert_non_null(mkdtemp(folder));
  assert_int_equal(setenv("PODIUM_SHARED_MEMORY", "1", 1), 0);
  assert_int_equal(setenv("XDG_RUNTIME_DIR", folder, 1), 0);
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){.topology = "1x1"});
  podium_session_t *session = connect_that(pod, true);
  char pattern[64];
  (void)snprintf(pattern, sizeof(pattern), "%s/podium/worker-*/transfer", folder);
  glob_t found;
  assert_int_equal(glob(pattern, 0, NULL, &found), 0);
  assert_int_equal(found.gl_pathc, 1);
  assert_int_equal(unlink(found.gl_pathv[0]), 0);
  globfree(&found);
  put_and_fetch(session, &large);
  assert_int_equal(count_all_rings(pod), 0);
  podium_close(session);
  system_pod_stop(pod);
  (void)snprintf(pattern, sizeof(pattern), "%s/podium", folder);
  (void)rmdir(pattern);
  assert_int_equal(rmdir(folder), 0);
  assert_int_equal(unsetenv("XDG_RUNTIME_DIR"), 0);
}

static void test_a_client_of_another_namespace_shares_nothing(void **state) {
  (void)state;
  assert_int_equal(setenv("PODIUM_SHARED_MEMORY", "1", 1), 0);
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){.topology = "1x1"});
  podium_session_t *here = connect_that(pod, true);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    enum { NOT_ALLOWED = 77 };
    if (unshare(CLONE_NEWNS) != 0) {
      _exit(NOT_ALLOWED);
    }
    podium_session_t *session = connect_that(pod, true);
    put_and_fetch(session, &large);
    _exit(count_all_rings(pod));
  }
  int ended;
  assert_int_equal(waitpid(child, &ended, 0), child);
  assert_true(WIFEXITED(ended));
  assert_true(WEXITSTATUS(ended) == 0 || WEXITSTATUS(ended) == 77);
  put_and_fetch(here, &large);
  assert_int_equal(count_all_rings(pod), 1);
  podium_close(here);
  system_pod_stop(pod);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_arrays_of_all_sizes_are_the_same_by_either_way),
      cmocka_unit_test(test_every_chip_gets_its_tile_by_either_way),
      cmocka_unit_test(test_a_client_that_is_killed_leaves_nothing_behind),
      cmocka_unit_test(test_a_worker_that_is_killed_fails_what_is_under_way_and_is_named),
      cmocka_unit_test(test_a_socket_that_is_gone_sends_the_bytes_another_way),
      cmocka_unit_test(test_a_client_of_another_namespace_shares_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
