// A chip that lies about whose memory it offers: a neighbour that speaks the protocol in
// shared memory, up to a REQUEST that names a process or an address which is not its own.

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "server/ici/bell.h"
#include "server/ici/consent.h"
#include "server/ici/frame.h"
#include "server/ici/ici.h"
#include "server/ici/remote.h"
#include "server/ici/ring.h"
#include "tests/unit/server/ici/introduce.h"

enum { ELEMENTS = 100000, BYTES = 4 * ELEMENTS, EPOCH = 5 };

#define DEADLINE_NS ((int64_t)60 * 1000000000)

static const torus_t line = {.size = {4, 1, 1}};

// Chip 1 of four is the neighbour of the intruder, chip 2; it receives from `source`.
typedef struct world_t {
  char directory[64];
  ici_node_t *node;
  atomic_int ups, downs;
  int socket;
  ici_ring_t incoming, outgoing;  // Of the intruder.
  ici_shared_t bell, peer_bell;
  ici_consent_t consent;
  uint64_t version;  // Of the consent.
  int32_t process;   // That the intruder says to be; 0: what it is.
  uint64_t host;
  uint32_t output[ELEMENTS];
  int32_t source;
  pod_status_t status;
  pthread_t thread;
} world_t;

static void count(void *context, const ici_link_event_t *event) {
  world_t *world = context;
  atomic_fetch_add(event->state == ICI_LINK_UP ? &world->ups : &world->downs, 1);
}

static void make_node(world_t *world, bool over_tcp) {
  snprintf(world->directory, sizeof(world->directory), "/tmp/podium-ici-test-XXXXXX");
  assert_non_null(mkdtemp(world->directory));
  const ici_node_config_t config = {.pod = "test",
                                    .chip = 1,
                                    .torus = line,
                                    .epoch = 1,
                                    .ipc_directory = over_tcp ? NULL : world->directory,
                                    .tcp_host = over_tcp ? "127.0.0.1" : NULL,
                                    .use_shared_memory = true,
                                    .on_link = count,
                                    .context = world};
  assert_null(ici_node_create(&config, &world->node));
}

// ---- What the intruder says and hears.

static void say(world_t *world, ici_kind_t kind, uint16_t flags, const void *payload,
                uint32_t payload_bytes) {
  const ici_header_t header = {.kind = (uint8_t)kind,
                               .flags = flags,
                               .source = 2,
                               .destination = 1,
                               .epoch = EPOCH,
                               .payload_bytes = payload_bytes};
  assert_true(send_frame(world->socket, &header, payload));
}

static ici_header_t hear(world_t *world, uint8_t payload[ICI_HELLO_BYTES]) {
  ici_header_t header;
  assert_true(receive_frame(world->socket, &header, payload, ICI_HELLO_BYTES));
  return header;
}

static ici_hello_t hello_of(world_t *world, int32_t process) {
  ici_hello_t hello = {.pod = "test",
                       .from = 2,
                       .to = 1,
                       .direction = 1,
                       .torus = line,
                       .epoch = EPOCH,
                       .host = world->host,
                       .process = process,
                       .bell_file = world->bell.file,
                       .ring_file = world->incoming.shared.file};
  memcpy(hello.token, world->bell.memory, ICI_TOKEN_BYTES);
  return hello;
}

static void make_memory(world_t *world) {
  uint8_t token[ICI_TOKEN_BYTES];
  const ici_owner_t owner = {.pod = "test", .chip = 2, .epoch = EPOCH};
  ici_shared_token(token);
  world->host = ici_shared_host();
  assert_null(ici_shared_create(sizeof(ici_bell_t), token, &world->bell));
  assert_null(ici_ring_create(token, &world->incoming));
  assert_null(ici_consent_create(&owner, &world->consent));
}

static void dial(world_t *world) {
  const char *ipc_url = ici_node_ipc_url(world->node, 0);
  const struct timeval timeout = {.tv_sec = 30};
  int port;
  if (ipc_url != NULL) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", ipc_url + 6);
    world->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(
        connect(world->socket, (const struct sockaddr *)&address, sizeof(address)), 0);
  } else {
    assert_int_equal(
        sscanf(ici_node_tcp_url(world->node, 0), "tcp://127.0.0.1:%d", &port), 1);
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = htons((uint16_t)port),
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    world->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(
        connect(world->socket, (const struct sockaddr *)&address, sizeof(address)), 0);
  }
  assert_int_equal(
      setsockopt(world->socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)), 0);
}

// That it is the neighbour, as far as the secret of the links goes.
static void prove(world_t *world) {
  const bool is_local = ici_node_ipc_url(world->node, 0) != NULL;
  const stranger_t stranger = {
      .pod = "test",
      .chip = 2,
      .peer = 1,
      .direction = 1,
      .epoch = EPOCH,
      .transport = is_local ? ICI_TRANSPORT_LOCAL : ICI_TRANSPORT_TCP};
  assert_true(introduce(world->socket, &stranger));
}

// Shakes hands; `shares`: with the node's ring and bell open.
static void greet(world_t *world, bool shares) {
  uint8_t bytes[ICI_HELLO_BYTES];
  ici_hello_t theirs;
  prove(world);
  assert_int_equal(hear(world, bytes).kind, ICI_HELLO);
  assert_null(ici_hello_decode(bytes, sizeof(bytes), &theirs));
  if (shares) {
    assert_null(
        ici_ring_open(theirs.process, theirs.ring_file, theirs.token, &world->outgoing));
    assert_null(ici_shared_open(theirs.process, theirs.bell_file, sizeof(ici_bell_t),
                                theirs.token, &world->peer_bell));
  }
  const ici_hello_t hello =
      hello_of(world, world->process != 0 ? world->process : (int32_t)getpid());
  ici_hello_encode(&hello, bytes);
  say(world, ICI_HELLO, 0, bytes, sizeof(bytes));
  assert_int_equal(hear(world, bytes).kind, ICI_WELCOME);
  say(world, ICI_WELCOME, 1, NULL, 0);
  const int64_t until_ns = pod_clock_now_ns() + DEADLINE_NS;
  while (ici_node_link_state(world->node, 0) != ICI_LINK_UP) {
    assert_true(pod_clock_now_ns() < until_ns);
    sched_yield();
  }
}

static world_t *start(bool over_tcp) {
  world_t *world = calloc(1, sizeof(*world));
  make_memory(world);
  make_node(world, over_tcp);
  dial(world);
  return world;
}

static void stop(world_t *world) {
  close(world->socket);
  ici_node_destroy(world->node);
  ici_ring_close(&world->incoming);
  if (ici_ring_is_open(&world->outgoing)) {
    ici_ring_close(&world->outgoing);
    ici_shared_close(&world->peer_bell);
  }
  ici_shared_close(&world->bell);
  ici_consent_close(&world->consent);
  const int64_t until_ns = pod_clock_now_ns() + DEADLINE_NS;
  while (rmdir(world->directory) != 0) {
    assert_true(pod_clock_now_ns() < until_ns);
    sched_yield();
  }
  pod_status_free(world->status);
  free(world);
}

// ---- Chip 1 waits for what `source` sends it.

static void *receive(void *context) {
  world_t *world = context;
  const int64_t pairs[] = {world->source, 1};
  const collective_request_t request = {.op = CHIP_OP_COLLECTIVE_PERMUTE,
                                        .dtype = TENSOR_U32,
                                        .element_count = ELEMENTS,
                                        .pairs = pairs,
                                        .pair_count = 1};
  pod_arena_t *arena = pod_arena_create();
  collective_schedule_t schedule;
  POD_CHECK(collective_plan(&request, &line, 1, arena, &schedule) == NULL);
  const ici_collective_t collective = {
      .schedule = &schedule,
      .buffers = {pod_arena_alloc(arena, BYTES), world->output,
                  pod_arena_alloc(arena, (size_t)schedule.scratch_bytes + 1)},
      .execution = 1,
      .deadline_ns = pod_clock_now_ns() + DEADLINE_NS};
  world->status = ici_collective_run(world->node, &collective);
  ici_node_end(world->node, 1);
  pod_arena_destroy(arena);
  return NULL;
}

static ici_header_t request_header(const world_t *world) {
  return (ici_header_t){.kind = ICI_REQUEST,
                        .source = world->source,
                        .destination = 1,
                        .epoch = EPOCH,
                        .execution = 1,
                        .offset = (int64_t)world->version,
                        .total = BYTES,
                        .payload_bytes = ICI_REMOTE_BYTES};
}

static void start_receiving(world_t *world, int32_t source) {
  world->source = source;
  assert_int_equal(pthread_create(&world->thread, NULL, receive, world), 0);
}

static void offer_in_ring(world_t *world, const ici_remote_t *remote) {
  uint8_t payload[ICI_REMOTE_BYTES];
  const ici_header_t header = request_header(world);
  ici_remote_encode(remote, payload);
  assert_int_equal(ici_ring_put(&world->outgoing, &header, payload, 0), ICI_RING_PUT);
  ici_bell_ring(world->peer_bell.memory, true);
}

static ici_remote_t offer_of(const world_t *world, const void *memory) {
  return (ici_remote_t){.host = world->host,
                        .process = (int32_t)getpid(),
                        .file = world->consent.file,
                        .address = (uintptr_t)memory,
                        .size_bytes = BYTES};
}

static void assert_refused_and_dropped(world_t *world) {
  pthread_join(world->thread, NULL);
  assert_int_equal(pod_status_code(world->status), POD_DATA_LOSS);
  assert_non_null(strstr(pod_status_message(world->status), "offers memory of process"));
  const int64_t until_ns = pod_clock_now_ns() + DEADLINE_NS;
  while (atomic_load(&world->downs) == 0) {
    assert_true(pod_clock_now_ns() < until_ns);
    sched_yield();
  }
  for (int i = 0; i < ELEMENTS; i++) {
    assert_int_equal(world->output[i], 0);
  }
}

static uint32_t *secret(void) {
  static uint32_t memory[ELEMENTS];
  for (int i = 0; i < ELEMENTS; i++) {
    memory[i] = (uint32_t)i + 1;
  }
  return memory;
}

// ---- Tests.

// That the intruder is refused for what it says, and not for how it says it.
static void test_what_a_neighbour_offers_of_its_own_is_read(void **state) {
  (void)state;
  world_t *world = start(false);
  uint32_t *memory = secret();
  greet(world, true);
  world->version = ici_consent_give(&world->consent, &(ici_range_t){memory, BYTES}, 1);
  const ici_remote_t remote = offer_of(world, memory);
  start_receiving(world, 2);
  offer_in_ring(world, &remote);
  pthread_join(world->thread, NULL);
  assert_null(world->status);
  assert_memory_equal(world->output, memory, BYTES);
  stop(world);
}

static void test_memory_of_another_process_is_refused(void **state) {
  (void)state;
  world_t *world = start(false);
  uint32_t *memory = secret();
  int offered[2];
  assert_int_equal(pipe(offered), 0);
  const pid_t victim = fork();
  if (victim == 0) {  // It offers its memory, and even as the chip that the intruder is.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    ici_consent_t consent;
    const ici_owner_t owner = {.pod = "test", .chip = 2, .epoch = EPOCH};
    if (ici_consent_create(&owner, &consent) == NULL) {
      (void)ici_consent_give(&consent, &(ici_range_t){memory, BYTES}, 1);
      (void)!write(offered[1], &consent.file, sizeof(consent.file));
    }
    (void)pause();
    _exit(0);
  }
  greet(world, true);
  ici_remote_t remote = offer_of(world, memory);
  remote.process = (int32_t)victim;
  world->version = 1;
  assert_int_equal(read(offered[0], &remote.file, sizeof(remote.file)), sizeof(int));
  close(offered[0]);
  close(offered[1]);
  start_receiving(world, 2);
  offer_in_ring(world, &remote);
  assert_refused_and_dropped(world);
  assert_int_equal(kill(victim, SIGKILL), 0);
  assert_int_equal(waitpid(victim, NULL, 0), victim);
  stop(world);
}

static void test_memory_that_was_not_offered_is_refused(void **state) {
  (void)state;
  for (int beyond = 0; beyond < 2; beyond++) {
    world_t *world = start(false);
    uint32_t *memory = secret();
    greet(world, true);
    if (beyond == 1) {
      world->version =
          ici_consent_give(&world->consent, &(ici_range_t){memory, BYTES - 4}, 1);
    }
    const ici_remote_t remote = offer_of(world, memory);
    start_receiving(world, 2);
    offer_in_ring(world, &remote);
    assert_refused_and_dropped(world);
    stop(world);
  }
}

// As if it passed on what another chip says: nobody at the link proves that chip.
static void test_memory_of_who_is_another_chip_is_refused(void **state) {
  (void)state;
  world_t *world = start(false);
  uint32_t *memory = secret();
  greet(world, true);
  world->version = ici_consent_give(&world->consent, &(ici_range_t){memory, BYTES}, 1);
  const ici_remote_t remote = offer_of(world, memory);
  start_receiving(world, 3);
  offer_in_ring(world, &remote);
  assert_refused_and_dropped(world);
  stop(world);
}

// The step is granted instead, and would have to be sent.
static void test_over_a_socket_nothing_is_read(void **state) {
  (void)state;
  for (int tcp = 0; tcp < 2; tcp++) {
    world_t *world = start(tcp == 1);
    uint32_t *memory = secret();
    greet(world, false);
    world->version = ici_consent_give(&world->consent, &(ici_range_t){memory, BYTES}, 1);
    const ici_remote_t remote = offer_of(world, memory);
    uint8_t offer[ICI_REMOTE_BYTES];
    world->source = 2;
    const ici_header_t header = request_header(world);
    ici_remote_encode(&remote, offer);
    assert_true(send_frame(world->socket, &header, offer));
    start_receiving(world, 2);
    if (tcp == 1) {  // Over ipc the grant comes in the ring.
      uint8_t payload[ICI_HELLO_BYTES];
      ici_header_t heard = hear(world, payload);
      while (heard.kind == ICI_ACK) {
        heard = hear(world, payload);
      }
      assert_int_equal(heard.kind, ICI_GRANT);
      assert_int_equal(heard.flags & ICI_FLAG_READ, 0);
    } else {
      const int64_t until_ns = pod_clock_now_ns() + DEADLINE_NS;
      ici_header_t heard;
      const uint8_t *payload;
      while (ici_ring_look(&world->incoming, 4, &heard, &payload) == ICI_RING_EMPTY) {
        assert_true(pod_clock_now_ns() < until_ns);
        sched_yield();
      }
      assert_int_equal(heard.kind, ICI_GRANT);
      assert_int_equal(heard.flags & ICI_FLAG_READ, 0);
    }
    ici_node_abort(world->node, 1, pod_error(POD_CANCELLED, "enough"));
    pthread_join(world->thread, NULL);
    assert_int_equal(pod_status_code(world->status), POD_CANCELLED);
    for (int i = 0; i < ELEMENTS; i++) {
      assert_int_equal(world->output[i], 0);
    }
    stop(world);
  }
}

// Nothing was read, and the collective waits until it is told to stop.
static void assert_waits_in_vain(world_t *world) {
  (void)poll(NULL, 0, 100);
  ici_node_abort(world->node, 1, pod_error(POD_CANCELLED, "enough"));
  pthread_join(world->thread, NULL);
  assert_int_equal(pod_status_code(world->status), POD_CANCELLED);
  for (int i = 0; i < ELEMENTS; i++) {
    assert_int_equal(world->output[i], 0);
  }
}

static void test_memory_of_which_the_consent_is_past_is_not_read(void **state) {
  (void)state;
  for (int is_another_time = 0; is_another_time < 2; is_another_time++) {
    world_t *world = start(false);
    uint32_t *memory = secret();
    const ici_range_t range = {memory, BYTES};
    greet(world, true);
    world->version = ici_consent_give(&world->consent, &range, 1);
    ici_consent_take_back(&world->consent, world->version);
    if (is_another_time == 1) {  // The same memory may be read again, but not for this.
      (void)ici_consent_give(&world->consent, &range, 1);
    }
    const ici_remote_t remote = offer_of(world, memory);
    start_receiving(world, 2);
    offer_in_ring(world, &remote);
    assert_waits_in_vain(world);
    stop(world);
  }
}

// ---- A process whose number another one gets, while a third has its link.

// The link is made by a child, whom the kernel names; its socket is the test's, too.
static pid_t dial_by_child(world_t *world) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const struct timeval timeout = {.tv_sec = 30};
  snprintf(address.sun_path, sizeof(address.sun_path), "%s",
           ici_node_ipc_url(world->node, 0) + 6);
  world->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  assert_int_equal(
      setsockopt(world->socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)), 0);
  int connected[2];
  char byte;
  assert_int_equal(pipe(connected), 0);
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)!connect(world->socket, (const struct sockaddr *)&address, sizeof(address));
    (void)!write(connected[1], "x", 1);
    (void)pause();
    _exit(0);
  }
  assert_int_equal(read(connected[0], &byte, 1), 1);
  close(connected[0]);
  close(connected[1]);
  return child;
}

// A process of this number that offers nothing. 0: that cannot be had here.
static pid_t fork_as(pid_t number) {
  enum { TRIES = 50 };
  char text[32];
  for (int i = 0; i < TRIES; i++) {
    FILE *last = fopen("/proc/sys/kernel/ns_last_pid", "we");
    if (last == NULL) {
      return 0;
    }
    snprintf(text, sizeof(text), "%d", (int)number - 1);
    (void)fputs(text, last);
    if (fclose(last) != 0) {
      return 0;
    }
    const pid_t child = fork();
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      closefrom(3);
      (void)pause();
      _exit(0);
    }
    if (child == number) {
      (void)poll(NULL, 0, 20);  // It lets go of what it has from the test.
      return child;
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
  }
  return 0;
}

static void test_memory_of_who_got_the_number_of_a_neighbour_is_not_read(void **state) {
  (void)state;
  world_t *world = calloc(1, sizeof(*world));
  make_memory(world);
  make_node(world, false);
  uint32_t *memory = secret();
  const pid_t child = dial_by_child(world);
  world->process = child;
  greet(world, true);
  world->version = ici_consent_give(&world->consent, &(ici_range_t){memory, BYTES}, 1);
  ici_remote_t remote = offer_of(world, memory);
  remote.process = (int32_t)child;
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  const pid_t other = fork_as(child);
  start_receiving(world, 2);
  offer_in_ring(world, &remote);
  assert_waits_in_vain(world);
  stop(world);
  if (other > 0) {
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
  } else {
    print_message(
        "numbers of processes cannot be chosen here: only the end of one was "
        "tried\n");
  }
}

static void test_who_names_another_process_in_its_hello_is_sent_away(void **state) {
  (void)state;
  world_t *world = start(false);
  uint8_t bytes[ICI_HELLO_BYTES];
  prove(world);
  assert_int_equal(hear(world, bytes).kind, ICI_HELLO);
  const ici_hello_t hello = hello_of(world, (int32_t)getppid());
  ici_hello_encode(&hello, bytes);
  say(world, ICI_HELLO, 0, bytes, sizeof(bytes));
  // No welcome: the connection is closed.
  assert_int_equal(recv(world->socket, bytes, 1, 0), 0);
  assert_int_equal(atomic_load(&world->ups), 0);
  stop(world);
}

int main(void) {
  pod_log_init("test", getenv("ICI_TEST_LOG") != NULL ? POD_LOG_DEBUG : POD_LOG_NONE);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_a_neighbour_offers_of_its_own_is_read),
      cmocka_unit_test(test_memory_of_another_process_is_refused),
      cmocka_unit_test(test_memory_that_was_not_offered_is_refused),
      cmocka_unit_test(test_memory_of_who_is_another_chip_is_refused),
      cmocka_unit_test(test_over_a_socket_nothing_is_read),
      cmocka_unit_test(test_memory_of_which_the_consent_is_past_is_not_read),
      cmocka_unit_test(test_memory_of_who_got_the_number_of_a_neighbour_is_not_read),
      cmocka_unit_test(test_who_names_another_process_in_its_hello_is_sent_away),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
