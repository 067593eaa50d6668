// Who may have a link: those who know its secret, and nobody else, whatever else they
// know, say, or have heard others say.

#include "server/ici/proof.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/digest/digest.h"
#include "tests/unit/server/ici/introduce.h"

#define DEADLINE_NS ((int64_t)60 * 1000000000)

static const torus_t pair = {.size = {2, 1, 1}};
static uint8_t secret[ICI_SECRET_BYTES];

// ---- The proof itself.

static ici_proof_t some_proof(void) {
  ici_proof_t proof = {.pod = "test",
                       .is_dialer = true,
                       .from = 1,
                       .to = 0,
                       .direction = 1,
                       .transport = ICI_TRANSPORT_TCP,
                       .epoch = 7,
                       .peer_epoch = 0};
  memset(proof.dialer_nonce, 1, ICI_NONCE_BYTES);
  memset(proof.listener_nonce, 2, ICI_NONCE_BYTES);
  return proof;
}

static void assert_differs(const ici_proof_t *proof) {
  const ici_proof_t first = some_proof();
  uint8_t mac[ICI_PROOF_BYTES];
  ici_proof_make(secret, &first, mac);
  assert_true(ici_proof_holds(secret, &first, mac));
  assert_false(ici_proof_holds(secret, proof, mac));
}

static void test_a_proof_is_about_everything_in_it(void **state) {
  (void)state;
  ici_proof_t proof = some_proof();
  proof.pod = "tesu";
  assert_differs(&proof);
  proof = some_proof();
  proof.is_dialer = false;
  assert_differs(&proof);
  proof = some_proof();
  proof.from = 2;
  assert_differs(&proof);
  proof = some_proof();
  proof.to = 1;
  assert_differs(&proof);
  proof = some_proof();
  proof.direction = 3;
  assert_differs(&proof);
  proof = some_proof();
  proof.transport = ICI_TRANSPORT_TLS;
  assert_differs(&proof);
  proof = some_proof();
  proof.epoch = 8;
  assert_differs(&proof);
  proof = some_proof();
  proof.peer_epoch = 1;
  assert_differs(&proof);
  proof = some_proof();
  proof.dialer_nonce[31] ^= 1;
  assert_differs(&proof);
  proof = some_proof();
  proof.listener_nonce[0] ^= 1;
  assert_differs(&proof);
  proof = some_proof();
  uint8_t other[ICI_SECRET_BYTES], mac[ICI_PROOF_BYTES];
  memcpy(other, secret, sizeof(other));
  other[0] ^= 1;
  ici_proof_make(other, &proof, mac);
  assert_false(ici_proof_holds(secret, &proof, mac));
}

// ---- A node over tcp, chip 0 of two, and who comes to it in the place of chip 1.

typedef struct world_t {
  ici_node_t *node;
  atomic_int ups, downs;
} world_t;

static void count(void *context, const ici_link_event_t *event) {
  world_t *world = context;
  atomic_fetch_add(event->state == ICI_LINK_UP ? &world->ups : &world->downs, 1);
}

static ici_node_t *make_node(world_t *world, int32_t chip, const uint8_t *its_secret) {
  const ici_node_config_t config = {.pod = "test",
                                    .chip = chip,
                                    .torus = pair,
                                    .epoch = 100 + (uint64_t)chip,
                                    .link_secret = its_secret,
                                    .tcp_host = "127.0.0.1",
                                    .on_link = world == NULL ? NULL : count,
                                    .context = world};
  ici_node_t *node;
  assert_null(ici_node_create(&config, &node));
  return node;
}

static void start(world_t *world) {
  *world = (world_t){0};
  world->node = make_node(world, 0, secret);
}

static int dial(const world_t *world) {
  const int file = connect_tcp(ici_node_tcp_url(world->node, 0));
  assert_true(file >= 0);
  return file;
}

static stranger_t neighbour(void) {
  return (stranger_t){.pod = "test",
                      .chip = 1,
                      .peer = 0,
                      .direction = 1,
                      .epoch = 7,
                      .transport = ICI_TRANSPORT_TCP,
                      .secret = secret};
}

static void assert_hung_up(int file) {
  uint8_t byte;
  assert_true(recv(file, &byte, 1, 0) <= 0);
  close(file);
}

// Another node, who knows the secret, gets its link.
static void assert_neighbour_gets_in(world_t *world) {
  ici_node_t *other = make_node(NULL, 1, secret);
  assert_null(ici_node_dial(other, 1, ici_node_tcp_url(world->node, 0)));
  assert_null(ici_node_wait_up(other, pod_clock_now_ns() + DEADLINE_NS));
  assert_null(ici_node_wait_up(world->node, pod_clock_now_ns() + DEADLINE_NS));
  ici_node_destroy(other);
}

static void stop(world_t *world) {
  ici_node_destroy(world->node);
}

static void test_who_listens_tells_nothing_before_the_other_has_proven_himself(
    void **state) {
  (void)state;
  world_t world;
  start(&world);
  const int file = dial(&world);
  // Who says nothing hears nothing.
  assert_int_equal(poll(&(struct pollfd){.fd = file, .events = POLLIN}, 1, 200), 0);
  ici_proof_t nonces = {.pod = "test"};
  assert_true(send_knock(file, &nonces));
  // The challenge is a nonce, and says neither chip nor epoch (receive_challenge looks).
  assert_true(receive_challenge(file, &nonces));
  stranger_t stranger = neighbour();
  static const uint8_t guess[ICI_SECRET_BYTES] = {1};
  stranger.secret = guess;
  assert_true(send_proof(file, &stranger, &nonces));
  assert_hung_up(file);
  assert_int_equal(atomic_load(&world.ups), 0);
  assert_neighbour_gets_in(&world);
  stop(&world);
}

static void test_who_knows_the_secret_gets_in(void **state) {
  (void)state;
  world_t world;
  start(&world);
  const int file = dial(&world);
  const stranger_t stranger = neighbour();
  assert_true(introduce(file, &stranger));
  ici_header_t header;
  uint8_t hello[ICI_HELLO_BYTES];
  assert_true(receive_frame(file, &header, hello, sizeof(hello)));
  assert_int_equal(header.kind, ICI_HELLO);
  close(file);
  stop(&world);
}

static void test_who_is_another_than_the_neighbour_is_hung_up_on(void **state) {
  (void)state;
  world_t world;
  start(&world);
  for (int i = 0; i < 5; i++) {
    stranger_t stranger = neighbour();
    stranger.pod = i == 0 ? "other" : stranger.pod;
    stranger.chip = i == 1 ? 0 : stranger.chip;
    stranger.peer = i == 2 ? 1 : stranger.peer;
    stranger.direction = i == 3 ? 3 : stranger.direction;
    stranger.transport = i == 4 ? ICI_TRANSPORT_LOCAL : stranger.transport;
    const int file = dial(&world);
    assert_false(introduce(file, &stranger));
    assert_hung_up(file);
  }
  assert_int_equal(atomic_load(&world.ups), 0);
  assert_neighbour_gets_in(&world);
  stop(&world);
}

// What the real neighbour once said, said again, and what the node itself says.
static void test_what_was_heard_before_proves_nothing(void **state) {
  (void)state;
  world_t world;
  start(&world);
  ici_proof_t heard = {.pod = "test"};
  const stranger_t stranger = neighbour();
  int file = dial(&world);
  assert_true(send_knock(file, &heard));
  assert_true(receive_challenge(file, &heard));
  close(file);
  // The same knock and the proof for the challenge of then.
  file = dial(&world);
  const ici_header_t knock = {.kind = ICI_KNOCK, .payload_bytes = ICI_NONCE_BYTES};
  assert_true(send_frame(file, &knock, heard.dialer_nonce));
  ici_proof_t now = heard;
  assert_true(receive_challenge(file, &now));
  assert_memory_not_equal(now.listener_nonce, heard.listener_nonce, ICI_NONCE_BYTES);
  assert_true(send_proof(file, &stranger, &heard));
  assert_hung_up(file);
  // What the node would prove with the same nonces, reflected.
  file = dial(&world);
  assert_true(send_knock(file, &now));
  assert_true(receive_challenge(file, &now));
  ici_proof_t reflected = now;
  reflected.is_dialer = false;
  reflected.from = 0;
  reflected.to = 1;
  reflected.direction = 0;
  reflected.transport = ICI_TRANSPORT_TCP;
  reflected.epoch = 100;
  reflected.peer_epoch = 7;
  uint8_t mac[ICI_PROOF_BYTES];
  ici_proof_make(secret, &reflected, mac);
  const ici_header_t header = {
      .kind = ICI_PROOF, .source = 1, .epoch = 7, .payload_bytes = sizeof(mac)};
  assert_true(send_frame(file, &header, mac));
  assert_hung_up(file);
  assert_int_equal(atomic_load(&world.ups), 0);
  stop(&world);
}

// A hello of another epoch than the proven one.
static void test_a_hello_is_of_the_epoch_that_was_proven(void **state) {
  (void)state;
  world_t world;
  start(&world);
  const stranger_t stranger = neighbour();
  const int file = dial(&world);
  assert_true(introduce(file, &stranger));
  ici_header_t header;
  uint8_t bytes[ICI_HELLO_BYTES];
  assert_true(receive_frame(file, &header, bytes, sizeof(bytes)));
  const ici_hello_t hello = {
      .pod = "test", .from = 1, .to = 0, .direction = 1, .torus = pair, .epoch = 8};
  ici_hello_encode(&hello, bytes);
  header = (ici_header_t){
      .kind = ICI_HELLO, .source = 1, .epoch = 7, .payload_bytes = ICI_HELLO_BYTES};
  assert_true(send_frame(file, &header, bytes));
  assert_hung_up(file);
  assert_int_equal(atomic_load(&world.ups), 0);
  stop(&world);
}

static void test_who_dials_believes_nobody_who_has_not_proven_himself(void **state) {
  (void)state;
  const struct timeval timeout = {.tv_sec = 30};
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size_bytes = sizeof(address);
  char url[64];
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  assert_int_equal(bind(listener, (const struct sockaddr *)&address, sizeof(address)), 0);
  assert_int_equal(listen(listener, 4), 0);
  getsockname(listener, (struct sockaddr *)&address, &size_bytes);
  snprintf(url, sizeof(url), "tcp://127.0.0.1:%d", ntohs(address.sin_port));
  world_t world = {0};
  world.node = make_node(&world, 1, secret);
  assert_null(ici_node_dial(world.node, 1, url));
  for (int round = 0; round < 3; round++) {
    const int file = accept(listener, NULL, NULL);
    assert_true(file >= 0);
    assert_int_equal(setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)),
                     0);
    ici_header_t header;
    uint8_t theirs[ICI_PROOF_BYTES], nonce[ICI_NONCE_BYTES];
    assert_true(receive_frame(file, &header, theirs, sizeof(theirs)));
    assert_int_equal(header.kind, ICI_KNOCK);
    assert_int_equal(header.epoch, 0);
    digest_random(nonce, sizeof(nonce));
    const ici_header_t challenge = {.kind = ICI_CHALLENGE,
                                    .payload_bytes = ICI_NONCE_BYTES};
    assert_true(send_frame(file, &challenge, round == 0 ? nonce : theirs));
    assert_true(receive_frame(file, &header, theirs, sizeof(theirs)));
    assert_int_equal(header.kind, ICI_PROOF);
    // Its own proof comes back, then noise.
    header.source = 0;
    header.destination = 1;
    assert_true(send_frame(file, &header, round == 1 ? theirs : nonce));
    assert_hung_up(file);
  }
  assert_int_equal(atomic_load(&world.ups), 0);
  ici_node_destroy(world.node);
  close(listener);
}

static void test_silent_ones_keep_nobody_out(void **state) {
  (void)state;
  enum { SILENT = 200 };
  world_t world;
  start(&world);
  int files[SILENT];
  for (int i = 0; i < SILENT; i++) {
    files[i] = dial(&world);
  }
  const int64_t start_ns = pod_clock_now_ns();
  assert_neighbour_gets_in(&world);
  // Not after the time that each of them has.
  assert_true(pod_clock_now_ns() - start_ns < (int64_t)4 * 1000000000);
  for (int i = 0; i < SILENT; i++) {
    close(files[i]);
  }
  stop(&world);
}

static int64_t cpu_ns(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000 +
         (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
}

// As many as there are places, one fewer, and more.
static void test_silent_ones_cost_nothing(void **state) {
  (void)state;
  for (int count = 28; count <= 40; count += 2) {
    world_t world;
    int files[40];
    start(&world);
    for (int i = 0; i < count; i++) {
      files[i] = dial(&world);
    }
    (void)poll(NULL, 0, 100);
    const int64_t before_ns = cpu_ns();
    (void)poll(NULL, 0, 200);
    assert_true(cpu_ns() - before_ns < (int64_t)50 * 1000000);
    for (int i = 0; i < count; i++) {
      close(files[i]);
    }
    stop(&world);
  }
}

static void test_who_says_nothing_is_hung_up_on_in_time(void **state) {
  (void)state;
  world_t world;
  start(&world);
  const int file = dial(&world);
  const int64_t start_ns = pod_clock_now_ns();
  assert_hung_up(file);
  assert_true(pod_clock_now_ns() - start_ns < (int64_t)25 * 1000000000);
  stop(&world);
}

int main(void) {
  digest_random(secret, sizeof(secret));
  pod_log_init("test", getenv("ICI_TEST_LOG") != NULL ? POD_LOG_DEBUG : POD_LOG_NONE);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_proof_is_about_everything_in_it),
      cmocka_unit_test(
          test_who_listens_tells_nothing_before_the_other_has_proven_himself),
      cmocka_unit_test(test_who_knows_the_secret_gets_in),
      cmocka_unit_test(test_who_is_another_than_the_neighbour_is_hung_up_on),
      cmocka_unit_test(test_what_was_heard_before_proves_nothing),
      cmocka_unit_test(test_a_hello_is_of_the_epoch_that_was_proven),
      cmocka_unit_test(test_who_dials_believes_nobody_who_has_not_proven_himself),
      cmocka_unit_test(test_silent_ones_keep_nobody_out),
      cmocka_unit_test(test_silent_ones_cost_nothing),
      cmocka_unit_test(test_who_says_nothing_is_hung_up_on_in_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
