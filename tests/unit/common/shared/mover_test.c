// Both ends in one process, and others that are written by hand where an end is to
// misbehave.

#include "common/shared/mover.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/clock.h"
#include "common/shared/ring.h"
#include "common/shared/socket.h"

enum { WAIT_S = 60, SHORT_MS = 100 };

static const uint8_t token[SHARED_TOKEN_BYTES] = {1, 2, 3, 4, 5, 6, 7, 8};

// --- A small world: one who listens and one who comes ---

typedef struct world_t {
  char folder[32], path[64];
  shared_mover_t *listener, *comer;
  int files;  // Open before.
} world_t;

static int count_files(void) {
  int count = 0;
  DIR *folder = opendir("/proc/self/fd");
  assert_non_null(folder);
  while (readdir(folder) != NULL) {
    count++;
  }
  (void)closedir(folder);
  return count;
}

static void must(pod_status_t status) {
  if (status != NULL) {
    fail_msg("%s", pod_status_message(status));
  }
}

static void world_start(world_t *world, int64_t short_ms) {
  world->files = count_files();
  strcpy(world->folder, "/tmp/podium-mover-XXXXXX");
  assert_non_null(mkdtemp(world->folder));
  (void)snprintf(world->path, sizeof(world->path), "%s/transfer", world->folder);
  const shared_mover_options_t options = {
      .listen = world->path, .greet_ms = short_ms, .stall_ms = short_ms};
  must(shared_mover_create(&options, &world->listener));
  must(shared_mover_create(NULL, &world->comer));
}

static void world_stop(world_t *world) {
  shared_mover_destroy(world->comer);
  shared_mover_destroy(world->listener);
  assert_int_equal(rmdir(world->folder), 0);
  assert_int_equal(count_files(), world->files);
}

// --- An end of a transfer ---

typedef struct side_t {
  uint8_t *bytes;
  bool sends;
  int64_t size_bytes;
  atomic_llong copied_bytes;
  atomic_bool holds;  // While it is set, a copy waits.
  pthread_mutex_t mutex;
  pthread_cond_t wake;
  int done;
  pod_code_t code;
  char message[256];
} side_t;

static void side_copy(void *context, int64_t offset, void *chunk, size_t bytes) {
  side_t *side = context;
  while (atomic_load(&side->holds)) {
    (void)usleep(100);
  }
  assert_int_equal(offset, atomic_fetch_add(&side->copied_bytes, (long long)bytes));
  if (side->sends) {
    memcpy(chunk, side->bytes + offset, bytes);
  } else {
    memcpy(side->bytes + offset, chunk, bytes);
  }
}

static void side_done(void *context, pod_status_t status) {
  side_t *side = context;
  pthread_mutex_lock(&side->mutex);
  side->done++;
  side->code = pod_status_code(status);
  (void)snprintf(side->message, sizeof(side->message), "%s", pod_status_message(status));
  pod_status_free(status);
  pthread_cond_broadcast(&side->wake);
  pthread_mutex_unlock(&side->mutex);
}

static void side_init(side_t *side, bool sends, size_t size) {
  *side = (side_t){.sends = sends, .size_bytes = (int64_t)size};
  side->bytes = malloc(size);
  assert_non_null(side->bytes);
  for (size_t i = 0; i < size; i++) {
    side->bytes[i] = sends ? (uint8_t)(i * 2654435761u >> 13) : 0;
  }
  pthread_mutex_init(&side->mutex, NULL);
  pod_clock_cond_init(&side->wake);
}

static shared_transfer_t side_transfer(side_t *side) {
  shared_transfer_t transfer = {.sends = side->sends,
                                .size_bytes = side->size_bytes,
                                .copy = side_copy,
                                .done = side_done,
                                .context = side};
  memcpy(transfer.token, token, sizeof(token));
  return transfer;
}

static void side_wait(side_t *side, pod_code_t code, const char *words) {
  const int64_t until_ns = pod_clock_now_ns() + (int64_t)WAIT_S * 1000000000;
  pthread_mutex_lock(&side->mutex);
  while (side->done == 0 && pod_clock_now_ns() < until_ns) {
    pod_clock_cond_wait(&side->wake, &side->mutex, until_ns);
  }
  pthread_mutex_unlock(&side->mutex);
  assert_int_equal(side->done, 1);
  if (side->code != code || strstr(side->message, words) == NULL) {
    fail_msg("\"%s\" (%d) does not say \"%s\"", side->message, (int)side->code, words);
  }
}

static void side_free(side_t *side) {
  free(side->bytes);
  pthread_cond_destroy(&side->wake);
  pthread_mutex_destroy(&side->mutex);
}

static void move(world_t *world, size_t size, bool comer_sends) {
  side_t here, there;
  side_init(&here, comer_sends, size);
  side_init(&there, !comer_sends, size);
  const shared_transfer_t expected = side_transfer(&there),
                          started = side_transfer(&here);
  (void)shared_mover_expect(world->listener, &expected);
  (void)shared_mover_start(world->comer, world->path, &started);
  side_wait(&here, POD_OK, "");
  side_wait(&there, POD_OK, "");
  assert_memory_equal(here.bytes, there.bytes, size);
  side_free(&here);
  side_free(&there);
}

static void test_bytes_arrive_as_they_were_both_ways(void **state) {
  (void)state;
  static const size_t sizes[] = {1,
                                 SHARED_CHUNK_BYTES - 1,
                                 SHARED_CHUNK_BYTES,
                                 SHARED_CHUNK_BYTES + 1,
                                 SHARED_CHUNK_BYTES * SHARED_CHUNKS,
                                 SHARED_CHUNK_BYTES * 9 + 77};
  world_t world;
  world_start(&world, 0);
  for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
    move(&world, sizes[i], true);
    move(&world, sizes[i], false);
    move(&world, sizes[i], false);
    move(&world, sizes[i], true);
  }
  world_stop(&world);
}

static void test_transfers_that_are_asked_for_at_once_follow_each_other(void **state) {
  (void)state;
  enum { MANY = 16 };
  world_t world;
  world_start(&world, 0);
  static side_t here[MANY], there[MANY];
  for (int i = 0; i < MANY; i++) {
    side_init(&here[i], i % 3 != 0, 300000);
    side_init(&there[i], i % 3 == 0, 300000);
    shared_transfer_t started = side_transfer(&here[i]);
    started.token[0] = (uint8_t)i;
    (void)shared_mover_start(world.comer, world.path, &started);
  }
  for (int i = MANY - 1; i >= 0; i--) {  // Who comes before he is expected waits.
    shared_transfer_t expected = side_transfer(&there[i]);
    expected.token[0] = (uint8_t)i;
    (void)shared_mover_expect(world.listener, &expected);
  }
  for (int i = 0; i < MANY; i++) {
    side_wait(&here[i], POD_OK, "");
    side_wait(&there[i], POD_OK, "");
    assert_memory_equal(here[i].bytes, there[i].bytes, 300000);
    side_free(&here[i]);
    side_free(&there[i]);
  }
  world_stop(&world);
}

static void test_a_connection_can_be_tried_before_bytes_are_promised(void **state) {
  (void)state;
  world_t world;
  world_start(&world, 0);
  side_t side;
  side_init(&side, true, 0);
  const shared_transfer_t empty = side_transfer(&side);
  (void)shared_mover_start(world.comer, world.path, &empty);
  side_wait(&side, POD_OK, "");
  side.done = 0;
  (void)shared_mover_start(world.comer, "/nowhere/transfer", &empty);
  side_wait(&side, POD_UNAVAILABLE, "/nowhere/transfer");
  side_free(&side);
  move(&world, 1000, true);
  world_stop(&world);
}

static void test_a_token_that_nobody_expects_moves_nothing(void **state) {
  (void)state;
  world_t world;
  world_start(&world, SHORT_MS);
  side_t here, there;
  side_init(&here, false, 1000);
  side_init(&there, true, 1000);
  shared_transfer_t expected = side_transfer(&there);
  const shared_transfer_t started = side_transfer(&here);
  expected.token[15] ^= 1;
  const uint64_t number = shared_mover_expect(world.listener, &expected);
  (void)shared_mover_start(world.comer, world.path, &started);
  side_wait(&here, POD_UNAVAILABLE, "has closed the connection");
  assert_int_equal(atomic_load(&here.copied_bytes), 0);
  assert_int_equal(atomic_load(&there.copied_bytes), 0);
  assert_true(shared_mover_cancel(world.listener, number));
  assert_false(shared_mover_cancel(world.listener, number));
  side_free(&here);
  side_free(&there);
  world_stop(&world);
}

static void test_sides_that_do_not_agree_move_nothing(void **state) {
  (void)state;
  for (int wrong = 0; wrong < 2; wrong++) {
    world_t world;
    world_start(&world, 0);
    side_t here, there;
    side_init(&here, true, 1000);
    side_init(&there, wrong == 1, wrong == 0 ? 1001 : 1000);
    const shared_transfer_t expected = side_transfer(&there),
                            started = side_transfer(&here);
    (void)shared_mover_expect(world.listener, &expected);
    (void)shared_mover_start(world.comer, world.path, &started);
    side_wait(&there, POD_DATA_LOSS, "bytes are to be moved");
    assert_int_equal(atomic_load(&there.copied_bytes), 0);
    move(&world, 1000, true);
    shared_mover_destroy(world.comer);
    world.comer = NULL;
    side_free(&here);
    side_free(&there);
    world_stop(&world);
  }
}

static void test_what_is_cancelled_is_left_alone(void **state) {
  (void)state;
  world_t world;
  world_start(&world, 0);
  side_t here, there;
  side_init(&here, true, 4 << 20);
  side_init(&there, false, 4 << 20);
  atomic_store(&there.holds, true);
  const shared_transfer_t expected = side_transfer(&there),
                          started = side_transfer(&here);
  (void)shared_mover_expect(world.listener, &expected);
  const uint64_t number = shared_mover_start(world.comer, world.path, &started);
  const int64_t until_ns = pod_clock_now_ns() + (int64_t)WAIT_S * 1000000000;
  while (atomic_load(&here.copied_bytes) == 0 && pod_clock_now_ns() < until_ns) {
    (void)usleep(100);
  }
  assert_true(shared_mover_cancel(world.comer, number));
  const int64_t copied_bytes = atomic_load(&here.copied_bytes);
  atomic_store(&there.holds, false);
  side_wait(&there, POD_UNAVAILABLE, "closed the connection");
  assert_int_equal(atomic_load(&here.copied_bytes), copied_bytes);
  assert_int_equal(here.done, 0);
  move(&world, 1000, false);
  side_free(&here);
  side_free(&there);
  world_stop(&world);
}

// --- Ends that misbehave ---

static int connect_by_hand(const world_t *world) {
  int made;
  must(shared_socket_connect(world->path, &made));
  return made;
}

static const shared_message_t hello = {
    .word = SHARED_HELLO, .chunk_bytes = SHARED_CHUNK_BYTES, .chunks = SHARED_CHUNKS};

// Reads until the other end closes; everything else that comes is looked over.
static void expect_closed(int file) {
  const int64_t until_ns = pod_clock_now_ns() + (int64_t)WAIT_S * 1000000000;
  for (;;) {
    shared_message_t message;
    int with;
    const shared_read_t got = shared_socket_read(file, &message, &with);
    assert_int_equal(with, -1);
    if (got == SHARED_READ_END) {
      break;
    }
    assert_true(pod_clock_now_ns() < until_ns);
    (void)usleep(1000);
  }
  (void)close(file);
}

static void test_memory_that_could_be_taken_away_is_refused(void **state) {
  (void)state;
  world_t world;
  world_start(&world, 0);
  for (int kind = 0; kind < 3; kind++) {
    const int made = connect_by_hand(&world);
    int memory = -1;
    if (kind == 0) {
      memory = memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
      assert_int_equal(ftruncate(memory, 8 << 20), 0);
    } else if (kind == 1) {
      memory = memfd_create("small", MFD_CLOEXEC | MFD_ALLOW_SEALING);
      assert_int_equal(ftruncate(memory, 4096), 0);
      assert_int_equal(fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK), 0);
    } else {
      memory = open("/dev/zero", O_RDWR | O_CLOEXEC);
    }
    assert_true(memory >= 0);
    assert_true(shared_socket_send(made, hello, memory));
    (void)close(memory);
    expect_closed(made);
  }
  move(&world, 1000, true);
  world_stop(&world);
}

static void test_who_talks_nonsense_is_left(void **state) {
  (void)state;
  world_t world;
  world_start(&world, 0);
  static const shared_message_t wrong[] = {
      {.word = SHARED_HELLO},  // Without a ring.
      {.word = SHARED_WELCOME},
      {.word = SHARED_BEGIN, .size_bytes = 1},  // Before a greeting.
      {.word = 77}};
  for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
    const int made = connect_by_hand(&world);
    assert_true(shared_socket_send(made, wrong[i], -1));
    expect_closed(made);
  }
  static const size_t lengths[] = {1, sizeof(shared_message_t), 1000};
  for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
    static const char bytes[1000] = "GET / HTTP/1.1";
    const int made = connect_by_hand(&world);
    assert_int_equal(send(made, bytes, lengths[i], MSG_NOSIGNAL), lengths[i]);
    expect_closed(made);
  }
  const int silent = connect_by_hand(&world);
  move(&world, 1000, true);
  shared_mover_destroy(world.listener);
  world.listener = NULL;
  expect_closed(silent);
  world_stop(&world);
}

static void test_who_says_nothing_is_left_after_a_while(void **state) {
  (void)state;
  world_t world;
  world_start(&world, SHORT_MS);
  expect_closed(connect_by_hand(&world));
  world_stop(&world);
}

// A client by hand that has greeted and begun to send 1 MiB; its ring.
static int begin_by_hand(const world_t *world, shared_ring_t *out_ring) {
  int memory;
  must(shared_ring_create(out_ring, &memory));
  const int made = connect_by_hand(world);
  assert_true(shared_socket_send(made, hello, memory));
  (void)close(memory);
  shared_message_t begin = {.word = SHARED_BEGIN, .size_bytes = 1 << 20, .sends = 1};
  memcpy(begin.token, token, sizeof(token));
  assert_true(shared_socket_send(made, begin, -1));
  return made;
}

static void test_a_count_that_cannot_be_ends_the_transfer(void **state) {
  (void)state;
  world_t world;
  world_start(&world, 0);
  side_t there;
  side_init(&there, false, 1 << 20);
  const shared_transfer_t expected = side_transfer(&there);
  (void)shared_mover_expect(world.listener, &expected);
  shared_ring_t ring;
  const int made = begin_by_hand(&world, &ring);
  ring.filled = 1000;
  (void)shared_ring_filled(&ring);
  assert_true(shared_socket_send(made, (shared_message_t){.word = SHARED_BELL}, -1));
  side_wait(&there, POD_DATA_LOSS, "more than it can");
  assert_int_equal(atomic_load(&there.copied_bytes), 0);
  expect_closed(made);
  shared_ring_unmap(&ring);
  side_free(&there);
  world_stop(&world);
}

static void test_who_stands_still_is_given_up(void **state) {
  (void)state;
  world_t world;
  world_start(&world, SHORT_MS);
  side_t there;
  side_init(&there, false, 1 << 20);
  const shared_transfer_t expected = side_transfer(&there);
  (void)shared_mover_expect(world.listener, &expected);
  shared_ring_t ring;
  const int made = begin_by_hand(&world, &ring);
  side_wait(&there, POD_DEADLINE_EXCEEDED, "stands still");
  expect_closed(made);
  shared_ring_unmap(&ring);
  side_free(&there);
  world_stop(&world);
}

static void test_a_process_that_is_killed_ends_the_transfer(void **state) {
  (void)state;
  world_t world;
  world_start(&world, 0);
  side_t there;
  side_init(&there, false, 1 << 20);
  const shared_transfer_t expected = side_transfer(&there);
  (void)shared_mover_expect(world.listener, &expected);
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    shared_ring_t ring;
    (void)begin_by_hand(&world, &ring);
    uint8_t *chunk;
    must(shared_ring_to_fill(&ring, &chunk));
    (void)shared_ring_filled(&ring);
    (void)!write(ends[1], "x", 1);
    for (;;) {
      (void)pause();
    }
  }
  char byte;
  assert_int_equal(read(ends[0], &byte, 1), 1);
  assert_int_equal(kill(child, SIGKILL), 0);
  assert_int_equal(waitpid(child, NULL, 0), child);
  side_wait(&there, POD_UNAVAILABLE, "closed the connection");
  (void)close(ends[0]);
  (void)close(ends[1]);
  side_free(&there);
  move(&world, 1000, true);
  world_stop(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bytes_arrive_as_they_were_both_ways),
      cmocka_unit_test(test_transfers_that_are_asked_for_at_once_follow_each_other),
      cmocka_unit_test(test_a_connection_can_be_tried_before_bytes_are_promised),
      cmocka_unit_test(test_a_token_that_nobody_expects_moves_nothing),
      cmocka_unit_test(test_sides_that_do_not_agree_move_nothing),
      cmocka_unit_test(test_what_is_cancelled_is_left_alone),
      cmocka_unit_test(test_memory_that_could_be_taken_away_is_refused),
      cmocka_unit_test(test_who_talks_nonsense_is_left),
      cmocka_unit_test(test_who_says_nothing_is_left_after_a_while),
      cmocka_unit_test(test_a_count_that_cannot_be_ends_the_transfer),
      cmocka_unit_test(test_who_stands_still_is_given_up),
      cmocka_unit_test(test_a_process_that_is_killed_ends_the_transfer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
