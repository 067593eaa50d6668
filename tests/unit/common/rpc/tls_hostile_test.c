// Peers that do not do as TLS wants it: they stall, drip, renegotiate, flood. Each is a
// thread that uses OpenSSL, or the bare socket, as it likes. Whatever it does, the
// connection ends within its time and an honest call is answered as before.

#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "authority.h"
#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/rpc/address.h"
#include "world.h"

#define PREFACE "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
#define SETTINGS "\0\0\0\4\0\0\0\0\0"
#define PING "\0\0\10\6\0\0\0\0\0abcdefgh"

enum { HANDSHAKE_MS = 300, PATIENCE_MS = 20000, NS_PER_MS = 1000000 };

static const char host[] = "127.0.0.2";

// --- A server and somebody who attacks it ---

typedef struct hostile_t hostile_t;
struct hostile_t {
  world_t world;
  authority_t authority;
  rpc_credentials_t *server, *client;
  char address[64];
  void (*attack)(hostile_t *hostile);  // On the attacker's thread.
  bool is_over;
  // The attacker's.
  int fd;
  SSL_CTX *context;
  SSL *ssl;
  bool is_shaken, is_closed, is_ended_in_order;
  size_t answer_bytes;
  int64_t took_ms;
};

static bool is_over(const void *context) {
  return ((const hostile_t *)context)->is_over;
}

static void note_over(void *context) {
  hostile_t *hostile = context;
  hostile->is_over = true;
  world_wake(&hostile->world);
}

static void *run_attack(void *context) {
  hostile_t *hostile = context;
  const int64_t start_ns = pod_clock_now_ns();
  hostile->attack(hostile);
  hostile->took_ms = (pod_clock_now_ns() - start_ns) / NS_PER_MS;
  rpc_loop_post(hostile->world.loop, note_over, hostile);
  return NULL;
}

static void expect_service(hostile_t *hostile) {
  caller_t caller;
  call_start(&caller, &hostile->world, "/test/Unary", NULL);
  call_say(&caller, "hello");
  call_finish(&caller);
  assert_string_equal(caller.message, "ok");
}

static void start(hostile_t *hostile) {
  *hostile = (hostile_t){.fd = -1};
  authority_start(&hostile->authority, "Test CA");
  authority_sign(&hostile->authority, "server", NULL, host);
  hostile->server = authority_server(&hostile->authority, "server", &hostile->authority);
  hostile->client = authority_client(&hostile->authority, NULL, NULL);
  const rpc_server_options_t options = {.credentials = hostile->server,
                                        .handshake_timeout_ms = HANDSHAKE_MS};
  world_start(&hostile->world, "0.0.0.0:0", &options, NULL);
  rpc_channel_destroy(hostile->world.channel);
  const rpc_channel_options_t channel = {.credentials = hostile->client};
  snprintf(hostile->address, sizeof(hostile->address), "%s%s", host,
           strrchr(hostile->world.address, ':'));
  assert_null(rpc_channel_create(hostile->world.loop, hostile->address, &channel,
                                 &hostile->world.channel));
}

static void run(hostile_t *hostile, void (*attack)(hostile_t *)) {
  pthread_t thread;
  hostile->attack = attack;
  hostile->is_over = false;
  assert_int_equal(pthread_create(&thread, NULL, run_attack, hostile), 0);
  world_run_until(&hostile->world, is_over, hostile);
  pthread_join(thread, NULL);
}

static void stop(hostile_t *hostile) {
  SSL_free(hostile->ssl);
  SSL_CTX_free(hostile->context);
  if (hostile->fd >= 0) {
    close(hostile->fd);
  }
  world_stop(&hostile->world);
  rpc_credentials_destroy(hostile->server);
  rpc_credentials_destroy(hostile->client);
  authority_stop(&hostile->authority);
}

// The attack, an honest call beside it, and the end.
static void attack(hostile_t *hostile, void (*how)(hostile_t *)) {
  start(hostile);
  run(hostile, how);
  expect_service(hostile);
}

// --- What attackers do ---

static void connect_tcp(hostile_t *hostile) {
  rpc_address_t address;
  pod_status_t status = rpc_address_resolve(hostile->address, &address);
  pod_status_free(status);
  hostile->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(hostile->fd, (struct sockaddr *)&address.socket, address.size_bytes) != 0) {
    close(hostile->fd);
    hostile->fd = -1;
  }
  const struct timeval patience = {.tv_sec = PATIENCE_MS / 1000};
  setsockopt(hostile->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  setsockopt(hostile->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
}

static void wait_for_close(hostile_t *hostile) {
  char bytes[4096];
  ssize_t got;
  while ((got = recv(hostile->fd, bytes, sizeof(bytes), 0)) > 0) {
    hostile->answer_bytes += (size_t)got;
  }
  hostile->is_closed = got == 0 || errno == ECONNRESET;
}

static const unsigned char h2[] = {2, 'h', '2'};

// Before the handshake; what differs is set by the attacks.
static void make_ssl(hostile_t *hostile) {
  hostile->context = SSL_CTX_new(TLS_client_method());
  SSL_CTX_set_alpn_protos(hostile->context, h2, sizeof(h2));
  connect_tcp(hostile);
}

static void shake(hostile_t *hostile) {
  hostile->ssl = SSL_new(hostile->context);
  SSL_set_fd(hostile->ssl, hostile->fd);
  hostile->is_shaken = SSL_connect(hostile->ssl) == 1;
}

static void say(hostile_t *hostile, const void *data, size_t size_bytes) {
  (void)!SSL_write(hostile->ssl, data, (int)size_bytes);
}

static void read_to_the_end(hostile_t *hostile) {
  char bytes[4096];
  int got;
  while ((got = SSL_read(hostile->ssl, bytes, sizeof(bytes))) > 0) {
    hostile->answer_bytes += (size_t)got;
  }
  const int error = SSL_get_error(hostile->ssl, got);
  hostile->is_ended_in_order = error == SSL_ERROR_ZERO_RETURN;
  hostile->is_closed =
      hostile->is_ended_in_order || (errno != EAGAIN && errno != EWOULDBLOCK);
}

// --- Handshakes that do not end ---

static void say_nothing(hostile_t *hostile) {
  connect_tcp(hostile);
  wait_for_close(hostile);
}

// A ClientHello begins so; its length is never reached.
static const char half_hello[] = "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03";

static void stall_in_the_hello(hostile_t *hostile) {
  connect_tcp(hostile);
  (void)!send(hostile->fd, half_hello, sizeof(half_hello) - 1, MSG_NOSIGNAL);
  wait_for_close(hostile);
}

static void drip_a_hello(hostile_t *hostile) {
  connect_tcp(hostile);
  for (size_t i = 0; i < 400; i++) {
    const char byte = i < sizeof(half_hello) - 1 ? half_hello[i] : 'x';
    if (send(hostile->fd, &byte, 1, MSG_NOSIGNAL) < 0) {
      break;
    }
    nanosleep(&(struct timespec){.tv_nsec = 20 * NS_PER_MS}, NULL);
  }
  wait_for_close(hostile);
}

static void shake_and_stall(hostile_t *hostile) {
  make_ssl(hostile);
  shake(hostile);
  read_to_the_end(hostile);
}

static void test_handshakes_that_stall_end_in_their_time(void **state) {
  (void)state;
  static void (*const attacks[])(hostile_t *) = {say_nothing, stall_in_the_hello,
                                                 drip_a_hello, shake_and_stall};
  for (size_t i = 0; i < sizeof(attacks) / sizeof(attacks[0]); i++) {
    hostile_t hostile;
    attack(&hostile, attacks[i]);
    assert_true(hostile.is_closed);
    assert_in_range(hostile.took_ms, HANDSHAKE_MS / 2, PATIENCE_MS / 2);
    stop(&hostile);
  }
}

static void leave_in_the_middle(hostile_t *hostile) {
  for (int i = 0; i < 20; i++) {
    connect_tcp(hostile);
    (void)!send(hostile->fd, half_hello, (size_t)i % sizeof(half_hello), MSG_NOSIGNAL);
    const struct linger abort = {.l_onoff = 1};
    setsockopt(hostile->fd, SOL_SOCKET, SO_LINGER, &abort, sizeof(abort));
    close(hostile->fd);
    hostile->fd = -1;
  }
}

static void test_who_leaves_within_a_handshake_takes_nothing_along(void **state) {
  (void)state;
  hostile_t hostile;
  attack(&hostile, leave_in_the_middle);
  stop(&hostile);
}

// --- What is no TLS as it is meant ---

static void say_garbage(hostile_t *hostile) {
  connect_tcp(hostile);
  char bytes[2000];
  memset(bytes, 0x16, sizeof(bytes));
  bytes[1] = 3;
  bytes[2] = 1;
  (void)!send(hostile->fd, bytes, sizeof(bytes), MSG_NOSIGNAL);
  wait_for_close(hostile);
}

static void speak_http_1(hostile_t *hostile) {
  static const char request[] = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  connect_tcp(hostile);
  (void)!send(hostile->fd, request, sizeof(request) - 1, MSG_NOSIGNAL);
  wait_for_close(hostile);
}

static void speak_old_tls(hostile_t *hostile) {
  make_ssl(hostile);
  SSL_CTX_set_min_proto_version(hostile->context, TLS1_VERSION);
  SSL_CTX_set_max_proto_version(hostile->context, TLS1_1_VERSION);
  SSL_CTX_set_cipher_list(hostile->context, "ALL:@SECLEVEL=0");
  shake(hostile);
}

static void offer_no_alpn(hostile_t *hostile) {
  make_ssl(hostile);
  SSL_CTX_set_alpn_protos(hostile->context, NULL, 0);
  shake(hostile);
  read_to_the_end(hostile);
}

static void offer_http_1(hostile_t *hostile) {
  static const unsigned char http_1[] = "\x08http/1.1";
  make_ssl(hostile);
  SSL_CTX_set_alpn_protos(hostile->context, http_1, sizeof(http_1) - 1);
  shake(hostile);
}

static void break_a_record(hostile_t *hostile) {
  static const char record[] = "\x17\x03\x03\x00\x20................................";
  make_ssl(hostile);
  shake(hostile);
  say(hostile, PREFACE SETTINGS, sizeof(PREFACE SETTINGS) - 1);
  (void)!send(hostile->fd, record, sizeof(record) - 1, MSG_NOSIGNAL);
  read_to_the_end(hostile);
}

static void test_what_is_no_tls_for_http_2_is_turned_away(void **state) {
  (void)state;
  static void (*const attacks[])(hostile_t *) = {say_garbage, speak_http_1, offer_no_alpn,
                                                 break_a_record};
  static void (*const refused[])(hostile_t *) = {speak_old_tls, offer_http_1};
  for (size_t i = 0; i < sizeof(attacks) / sizeof(attacks[0]); i++) {
    hostile_t hostile;
    attack(&hostile, attacks[i]);
    assert_true(hostile.is_closed);
    assert_int_equal(hostile.world.handler_count, 1);  // The honest call alone.
    stop(&hostile);
  }
  for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
    hostile_t hostile;
    attack(&hostile, refused[i]);
    assert_false(hostile.is_shaken);
    stop(&hostile);
  }
}

static void show_a_long_chain(hostile_t *hostile) {
  make_ssl(hostile);
  const char *name = authority_path(&hostile->authority, "server", ".crt");
  SSL_CTX_use_certificate_file(hostile->context, name, SSL_FILETYPE_PEM);
  SSL_CTX_use_PrivateKey_file(hostile->context,
                              authority_path(&hostile->authority, "server", ".key"),
                              SSL_FILETYPE_PEM);
  X509 *certificate = SSL_CTX_get0_certificate(hostile->context);
  for (int i = 0; i < 400; i++) {
    X509_up_ref(certificate);
    SSL_CTX_add_extra_chain_cert(hostile->context, certificate);
  }
  shake(hostile);
  read_to_the_end(hostile);
}

static void test_a_chain_without_end_is_not_read(void **state) {
  (void)state;
  hostile_t hostile;
  attack(&hostile, show_a_long_chain);
  assert_true(hostile.is_closed);
  assert_int_equal(hostile.answer_bytes, 0);
  stop(&hostile);
}

// --- Within a connection ---

// A request for /test/Unary: HEADERS without Huffman or the table, and one message.
static size_t print_request(uint8_t *out) {
  static const char *const headers[][2] = {{":method", "POST"},
                                           {":scheme", "https"},
                                           {":path", "/test/Unary"},
                                           {":authority", "x"},
                                           {"content-type", "application/grpc"},
                                           {"te", "trailers"}};
  uint8_t block[256];
  size_t length = 0;
  for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
    block[length++] = 0;
    for (size_t j = 0; j < 2; j++) {
      const size_t size = strlen(headers[i][j]);
      block[length++] = (uint8_t)size;
      memcpy(block + length, headers[i][j], size);
      length += size;
    }
  }
  static const uint8_t message[] = "\0\0\12\0\1\0\0\0\1\0\0\0\0\5hello";
  const uint8_t head[] = {0, 0, (uint8_t)length, 1, 4, 0, 0, 0, 1};
  memcpy(out, head, sizeof(head));
  memcpy(out + sizeof(head), block, length);
  memcpy(out + sizeof(head) + length, message, sizeof(message) - 1);
  return sizeof(head) + length + sizeof(message) - 1;
}

static void speak_byte_by_byte(hostile_t *hostile) {
  uint8_t bytes[600] = PREFACE SETTINGS;
  size_t size = sizeof(PREFACE SETTINGS) - 1;
  size += print_request(bytes + size);
  make_ssl(hostile);
  shake(hostile);
  for (size_t i = 0; i < size; i++) {
    say(hostile, bytes + i, 1);  // A record of its own.
  }
  char answer[4096];
  while (hostile->answer_bytes < sizeof(answer)) {
    const int got = SSL_read(hostile->ssl, answer + hostile->answer_bytes,
                             (int)(sizeof(answer) - hostile->answer_bytes));
    if (got <= 0) {
      break;
    }
    hostile->answer_bytes += (size_t)got;
    if (memmem(answer, hostile->answer_bytes, "hello", 5) != NULL) {
      hostile->is_ended_in_order = true;
      break;
    }
  }
}

static void test_records_of_one_byte_make_up_a_call(void **state) {
  (void)state;
  hostile_t hostile;
  attack(&hostile, speak_byte_by_byte);
  assert_true(hostile.is_ended_in_order);
  stop(&hostile);
}

static void renegotiate(hostile_t *hostile) {
  make_ssl(hostile);
  SSL_CTX_set_max_proto_version(hostile->context, TLS1_2_VERSION);
  shake(hostile);
  say(hostile, PREFACE SETTINGS, sizeof(PREFACE SETTINGS) - 1);
  // An answer of the server's is no_renegotiation, which ends this.
  hostile->is_ended_in_order = SSL_renegotiate(hostile->ssl) == 1 &&
                               SSL_do_handshake(hostile->ssl) == 1 &&
                               SSL_renegotiate_pending(hostile->ssl) == 0;
  char bytes[256];
  for (int i = 0; i < 4 && hostile->is_ended_in_order; i++) {
    hostile->is_ended_in_order = SSL_read(hostile->ssl, bytes, sizeof(bytes)) > 0;
  }
}

static void test_nobody_renegotiates(void **state) {
  (void)state;
  hostile_t hostile;
  attack(&hostile, renegotiate);
  assert_true(hostile.is_shaken);
  assert_false(hostile.is_ended_in_order);
  stop(&hostile);
}

static void update_keys_without_end(hostile_t *hostile) {
  make_ssl(hostile);
  shake(hostile);
  say(hostile, PREFACE SETTINGS, sizeof(PREFACE SETTINGS) - 1);
  for (int i = 0; i < 20000; i++) {
    if (SSL_key_update(hostile->ssl, SSL_KEY_UPDATE_REQUESTED) != 1 ||
        SSL_do_handshake(hostile->ssl) != 1) {
      break;
    }
  }
  SSL_free(hostile->ssl);
  hostile->ssl = NULL;
}

static void test_key_updates_without_end_cost_their_sender(void **state) {
  (void)state;
  hostile_t hostile;
  attack(&hostile, update_keys_without_end);
  stop(&hostile);
}

static void ping_and_never_read(hostile_t *hostile) {
  enum { PINGS = 900, PING_BYTES = sizeof(PING) - 1 };
  static uint8_t pings[PINGS * PING_BYTES];
  make_ssl(hostile);
  shake(hostile);
  say(hostile, PREFACE SETTINGS, sizeof(PREFACE SETTINGS) - 1);
  for (size_t i = 0; i < PINGS; i++) {
    memcpy(pings + i * PING_BYTES, PING, PING_BYTES);
  }
  // What is sent behind the end is read by nobody who would answer.
  for (int i = 0; i < 2000 && SSL_write(hostile->ssl, pings, sizeof(pings)) > 0; i++) {
  }
  read_to_the_end(hostile);
}

static void test_who_asks_and_does_not_read_is_dropped(void **state) {
  (void)state;
  hostile_t hostile;
  attack(&hostile, ping_and_never_read);
  assert_true(hostile.is_closed);
  stop(&hostile);
}

static void wait_for_the_end(hostile_t *hostile) {
  make_ssl(hostile);
  shake(hostile);
  say(hostile, PREFACE SETTINGS, sizeof(PREFACE SETTINGS) - 1);
  char bytes[9];
  (void)!SSL_read(hostile->ssl, bytes, sizeof(bytes));
}

static void test_a_server_says_that_it_closes(void **state) {
  (void)state;
  hostile_t hostile;
  start(&hostile);
  run(&hostile, wait_for_the_end);
  rpc_server_destroy(hostile.world.server);
  hostile.world.server = NULL;
  read_to_the_end(&hostile);
  assert_true(hostile.is_ended_in_order);
  stop(&hostile);
}

// --- Servers that our channels meet ---

typedef struct rogue_t {
  int listener;
  SSL_CTX *context;
  bool stalls;
} rogue_t;

static void *serve_one(void *argument) {
  rogue_t *rogue = argument;
  const int fd = accept(rogue->listener, NULL, NULL);
  SSL *ssl = SSL_new(rogue->context);
  SSL_set_fd(ssl, fd);
  if (!rogue->stalls && SSL_accept(ssl) == 1) {
    (void)!SSL_write(ssl, SETTINGS, 9);
  }
  char bytes[1024];
  while (recv(fd, bytes, sizeof(bytes), 0) > 0) {
  }
  SSL_free(ssl);
  close(fd);
  return NULL;
}

static void expect_failure(rogue_t *rogue, const char *words) {
  hostile_t hostile;
  start(&hostile);
  rpc_address_t address;
  assert_null(rpc_address_resolve("127.0.0.2:0", &address));
  assert_null(rpc_address_listen(&address, &rogue->listener));
  assert_int_equal(fcntl(rogue->listener, F_SETFL, 0), 0);
  socklen_t size = sizeof(address.socket);
  assert_int_equal(
      getsockname(rogue->listener, (struct sockaddr *)&address.socket, &size), 0);
  rogue->context = SSL_CTX_new(TLS_server_method());
  SSL_CTX_use_certificate_file(rogue->context,
                               authority_path(&hostile.authority, "server", ".crt"),
                               SSL_FILETYPE_PEM);
  SSL_CTX_use_PrivateKey_file(rogue->context,
                              authority_path(&hostile.authority, "server", ".key"),
                              SSL_FILETYPE_PEM);
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, serve_one, rogue), 0);
  char *text = rpc_address_format(&address);
  rpc_channel_destroy(hostile.world.channel);
  const rpc_channel_options_t options = {.credentials = hostile.client,
                                         .connect_timeout_ms = HANDSHAKE_MS};
  assert_null(
      rpc_channel_create(hostile.world.loop, text, &options, &hostile.world.channel));
  free(text);
  caller_t caller;
  call_start(&caller, &hostile.world, "/test/Unary", NULL);
  call_say(&caller, "hello");
  call_finish(&caller);
  assert_int_equal(caller.code, POD_UNAVAILABLE);
  if (strstr(caller.message, words) == NULL) {
    fail_msg("'%s' does not say '%s'", caller.message, words);
  }
  pthread_join(thread, NULL);
  SSL_CTX_free(rogue->context);
  close(rogue->listener);
  stop(&hostile);
}

static void test_a_server_that_stalls_or_speaks_no_http_2_is_left(void **state) {
  (void)state;
  expect_failure(&(rogue_t){.stalls = true}, "no TLS within the time allowed");
  expect_failure(&(rogue_t){0}, "it did not offer HTTP/2 (h2) by ALPN");
}

int main(void) {
  signal(SIGPIPE, SIG_IGN);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_handshakes_that_stall_end_in_their_time),
      cmocka_unit_test(test_who_leaves_within_a_handshake_takes_nothing_along),
      cmocka_unit_test(test_what_is_no_tls_for_http_2_is_turned_away),
      cmocka_unit_test(test_a_chain_without_end_is_not_read),
      cmocka_unit_test(test_records_of_one_byte_make_up_a_call),
      cmocka_unit_test(test_nobody_renegotiates),
      cmocka_unit_test(test_key_updates_without_end_cost_their_sender),
      cmocka_unit_test(test_who_asks_and_does_not_read_is_dropped),
      cmocka_unit_test(test_a_server_says_that_it_closes),
      cmocka_unit_test(test_a_server_that_stalls_or_speaks_no_http_2_is_left),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
