// TLS on real sockets. Servers listen on all addresses and are called by 127.0.0.2, for
// which there is no shortcut: by TCP, then, as by a client from elsewhere.

#include <openssl/pem.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "authority.h"
#include "common/base/memory.h"
#include "world.h"

enum { HOUR_S = 3600, MIB = 1 << 20 };

static const char host[] = "127.0.0.2";

// --- A world whose calls go by TCP ---

typedef struct secure_t {
  world_t world;
  authority_t authority;
  rpc_credentials_t *server, *client;
  char address[64];
  // What the server saw of the last call.
  bool is_encrypted, is_own_user;
  char name[64], role[64];
} secure_t;

static pod_status_t note_peer(rpc_call_t *call, const char *path, void *context) {
  (void)path;
  secure_t *secure = context;
  const rpc_peer_t peer = rpc_call_peer(call);
  secure->is_encrypted = peer.is_encrypted;
  secure->is_own_user = peer.is_own_user;
  snprintf(secure->name, sizeof(secure->name), "%s",
           peer.certificate_name != NULL ? peer.certificate_name : "-");
  snprintf(secure->role, sizeof(secure->role), "%s",
           peer.certificate_role != NULL ? peer.certificate_role : "-");
  return NULL;
}

// A channel to the server by TCP with what `secure->client` says.
static void use_channel(secure_t *secure, const char *at) {
  rpc_channel_destroy(secure->world.channel);
  const rpc_channel_options_t options = {.credentials = secure->client,
                                         .message_bytes_max = 64 * MIB};
  snprintf(secure->address, sizeof(secure->address), "%s%s", at,
           strrchr(secure->world.address, ':'));
  assert_null(rpc_channel_create(secure->world.loop, secure->address, &options,
                                 &secure->world.channel));
}

// Takes both credentials; NULL: plain.
static void start(secure_t *secure, rpc_credentials_t *server,
                  rpc_credentials_t *client) {
  secure->server = server;
  secure->client = client;
  const rpc_server_options_t options = {.credentials = server,
                                        .message_bytes_max = 64 * MIB};
  world_start(&secure->world, "0.0.0.0:0", &options, NULL);
  rpc_server_set_authorizer(secure->world.server, note_peer, secure);
  use_channel(secure, host);
}

static void stop(secure_t *secure) {
  world_stop(&secure->world);
  rpc_credentials_destroy(secure->server);
  rpc_credentials_destroy(secure->client);
}

static caller_t run(secure_t *secure, const char *path) {
  caller_t caller;
  call_start(&caller, &secure->world, path, NULL);
  call_say(&caller, "hello");
  rpc_call_half_close(caller.call);
  call_finish(&caller);
  return caller;
}

static void expect_ok(secure_t *secure) {
  const caller_t caller = run(secure, "/test/Echo");
  assert_string_equal(caller.message, "ok");
  assert_int_equal(caller.code, POD_OK);
  assert_memory_equal(caller.last, "hello", 5);
}

// The call fails, and says the address and `words`.
static void expect_refusal(secure_t *secure, const char *words) {
  const caller_t caller = run(secure, "/test/Echo");
  assert_int_equal(caller.code, POD_UNAVAILABLE);
  if (strstr(caller.message, words) == NULL ||
      strstr(caller.message, secure->address) == NULL) {
    fail_msg("'%s' does not say '%s' or %s", caller.message, words, secure->address);
  }
  assert_int_equal(secure->world.handler_count, 0);
}

// An authority and a server's certificate for `host`.
static void prepare(secure_t *secure) {
  *secure = (secure_t){0};
  authority_start(&secure->authority, "Test CA");
  authority_sign(&secure->authority, "server", "coordinator", host);
}

// --- It works ---

static void test_calls_go_over_tls(void **state) {
  (void)state;
  secure_t secure;
  prepare(&secure);
  start(&secure, authority_server(&secure.authority, "server", NULL),
        authority_client(&secure.authority, NULL, NULL));
  expect_ok(&secure);
  expect_ok(&secure);
  assert_true(secure.is_encrypted);
  assert_false(secure.is_own_user);
  assert_string_equal(secure.name, "-");
  stop(&secure);
  authority_stop(&secure.authority);
}

static void test_a_clients_certificate_tells_its_name_and_role(void **state) {
  (void)state;
  secure_t secure;
  prepare(&secure);
  authority_sign(&secure.authority, "alice", "run", NULL);
  start(&secure, authority_server(&secure.authority, "server", &secure.authority),
        authority_client(&secure.authority, &secure.authority, "alice"));
  expect_ok(&secure);
  assert_true(secure.is_encrypted);
  assert_string_equal(secure.name, "alice");
  assert_string_equal(secure.role, "run");
  stop(&secure);
  authority_stop(&secure.authority);
}

static void test_a_client_without_a_certificate_is_nobody(void **state) {
  (void)state;
  secure_t secure;
  prepare(&secure);
  start(&secure, authority_server(&secure.authority, "server", &secure.authority),
        authority_client(&secure.authority, NULL, NULL));
  expect_ok(&secure);
  assert_true(secure.is_encrypted);
  assert_string_equal(secure.name, "-");
  assert_string_equal(secure.role, "-");
  stop(&secure);
  authority_stop(&secure.authority);
}

static void test_the_shortcut_on_one_host_stays_plain(void **state) {
  (void)state;
  secure_t secure;
  prepare(&secure);
  start(&secure, authority_server(&secure.authority, "server", &secure.authority),
        authority_client(&secure.authority, NULL, NULL));
  use_channel(&secure, "127.0.0.1");
  expect_ok(&secure);
  assert_true(secure.is_own_user);
  assert_false(secure.is_encrypted);
  stop(&secure);
  authority_stop(&secure.authority);
}

static void test_a_server_is_found_by_its_name_too(void **state) {
  (void)state;
  secure_t secure;
  prepare(&secure);
  authority_sign(&secure.authority, "named", NULL, "localhost");
  start(&secure, authority_server(&secure.authority, "named", NULL),
        authority_client(&secure.authority, NULL, NULL));
  expect_refusal(&secure, "its certificate is for localhost, not for 127.0.0.2");
  stop(&secure);
  authority_stop(&secure.authority);
}

static void test_an_intermediate_authority_is_believed_by_its_chain(void **state) {
  (void)state;
  secure_t secure;
  prepare(&secure);
  authority_t middle = {0};
  authority_start(&middle, "Middle CA");
  certificate_deinit(&middle.certificate);
  const certificate_request_t request = {
      .name = "Middle CA", .is_authority = true, .begins_s = 0, .ends_s = INT32_MAX};
  assert_null(
      certificate_issue(&request, &secure.authority.certificate, &middle.certificate));
  authority_sign_for(&middle, "chained", NULL, host, -HOUR_S, HOUR_S,
                     &middle.certificate);
  authority_sign(&middle, "bare", NULL, host);
  start(&secure, authority_server(&middle, "chained", NULL),
        authority_client(&secure.authority, NULL, NULL));
  expect_ok(&secure);
  stop(&secure);
  // With the root behind it, which is not needed and no reason to believe it.
  authority_t other;
  authority_start(&other, "Other CA");
  authority_sign_for(&secure.authority, "rooted", NULL, host, -HOUR_S, HOUR_S,
                     &secure.authority.certificate);
  start(&secure, authority_server(&secure.authority, "rooted", NULL),
        authority_client(&other, NULL, NULL));
  expect_refusal(&secure, "its authority 'Test CA' is none of /tmp/podium-authority-");
  stop(&secure);
  authority_stop(&other);
  start(&secure, authority_server(&middle, "bare", NULL),
        authority_client(&secure.authority, NULL, NULL));
  expect_refusal(&secure,
                 "its certificate is signed by 'Middle CA', who is no authority");
  stop(&secure);
  authority_stop(&middle);
  authority_stop(&secure.authority);
}

// --- Who is refused, and what is said ---

static void test_a_server_of_another_authority_is_not_believed(void **state) {
  (void)state;
  secure_t secure;
  authority_t other;
  prepare(&secure);
  authority_start(&other, "Other CA");
  start(&secure, authority_server(&secure.authority, "server", NULL),
        authority_client(&other, NULL, NULL));
  expect_refusal(&secure,
                 "its certificate is signed by 'Test CA', who is no authority "
                 "of /tmp/podium-authority-");
  stop(&secure);
  authority_stop(&other);
  authority_stop(&secure.authority);
}

static void test_an_authority_of_the_same_name_is_another(void **state) {
  (void)state;
  secure_t secure;
  authority_t other;
  prepare(&secure);
  authority_start(&other, "Test CA");
  start(&secure, authority_server(&secure.authority, "server", NULL),
        authority_client(&other, NULL, NULL));
  expect_refusal(&secure, "its certificate is signed by 'Test CA'");
  stop(&secure);
  authority_stop(&other);
  authority_stop(&secure.authority);
}

static void test_a_certificate_counts_only_in_its_time(void **state) {
  (void)state;
  secure_t secure;
  prepare(&secure);
  authority_sign_for(&secure.authority, "old", NULL, host, -HOUR_S, -60, NULL);
  authority_sign_for(&secure.authority, "new", NULL, host, HOUR_S, 2 * HOUR_S, NULL);
  start(&secure, authority_server(&secure.authority, "old", NULL),
        authority_client(&secure.authority, NULL, NULL));
  expect_refusal(&secure, "its certificate expired on 2");
  stop(&secure);
  start(&secure, authority_server(&secure.authority, "new", NULL),
        authority_client(&secure.authority, NULL, NULL));
  expect_refusal(&secure, "its certificate is not valid before 2");
  stop(&secure);
  authority_stop(&secure.authority);
}

static void test_a_clients_certificate_is_none_for_servers(void **state) {
  (void)state;
  secure_t secure;
  prepare(&secure);
  authority_sign(&secure.authority, "alice", "run", NULL);
  start(&secure, authority_server(&secure.authority, "alice", NULL),
        authority_client(&secure.authority, NULL, NULL));
  expect_refusal(&secure, "its certificate is not one for servers");
  stop(&secure);
  authority_stop(&secure.authority);
}

static void test_one_daemon_is_not_taken_for_another(void **state) {
  (void)state;
  secure_t secure;
  prepare(&secure);
  authority_sign(&secure.authority, "plain", NULL, host);
  authority_sign(&secure.authority, "worker", "worker", host);
  static const char *const names[] = {"server", "plain", "worker"};
  for (size_t i = 0; i < 3; i++) {
    start(&secure, authority_server(&secure.authority, names[i], NULL),
          authority_client(&secure.authority, NULL, NULL));
    rpc_credentials_expect_role(secure.client, "coordinator");
    if (i < 2) {
      expect_ok(&secure);
    } else {
      expect_refusal(&secure,
                     "its certificate is for the role worker, not for "
                     "coordinator");
    }
    stop(&secure);
  }
  authority_stop(&secure.authority);
}

static void test_a_client_learns_why_its_certificate_is_refused(void **state) {
  (void)state;
  secure_t secure;
  authority_t other;
  prepare(&secure);
  authority_start(&other, "Other CA");
  authority_sign(&other, "mallory", "administer", NULL);
  authority_sign_for(&secure.authority, "old", "run", NULL, -HOUR_S, -60, NULL);
  start(&secure, authority_server(&secure.authority, "server", &secure.authority),
        authority_client(&secure.authority, &other, "mallory"));
  expect_refusal(&secure,
                 "it does not accept our certificate: no authority that it knows "
                 "has signed it");
  stop(&secure);
  start(&secure, authority_server(&secure.authority, "server", &secure.authority),
        authority_client(&secure.authority, &secure.authority, "old"));
  expect_refusal(&secure, "it does not accept our certificate: it has expired");
  stop(&secure);
  authority_stop(&other);
  authority_stop(&secure.authority);
}

static void test_a_plain_client_is_told_that_the_port_speaks_tls(void **state) {
  (void)state;
  secure_t secure;
  prepare(&secure);
  start(&secure, authority_server(&secure.authority, "server", NULL), NULL);
  expect_refusal(&secure, "it speaks TLS, and we were given no CA (--tls-ca)");
  stop(&secure);
  authority_stop(&secure.authority);
}

static void test_a_client_of_tls_is_told_that_the_port_is_plain(void **state) {
  (void)state;
  secure_t secure;
  prepare(&secure);
  start(&secure, NULL, authority_client(&secure.authority, NULL, NULL));
  expect_refusal(&secure, "it speaks HTTP/2 without TLS");
  stop(&secure);
  authority_stop(&secure.authority);
}

// --- Files ---

static void expect_bad_files(const char *certificate, const char *key, const char *ca,
                             const char *words) {
  rpc_credentials_t *credentials = NULL;
  const pod_status_t status =
      rpc_credentials_for_server(certificate, key, ca, &credentials);
  assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
  assert_null(credentials);
  if (strstr(pod_status_message(status), words) == NULL) {
    fail_msg("'%s' does not say '%s'", pod_status_message(status), words);
  }
  pod_status_free(status);
}

static void write_locked_key(const char *path) {
  FILE *file = fopen(path, "w");
  EVP_PKEY *key = EVP_EC_gen("P-256");
  assert_int_equal(
      PEM_write_PKCS8PrivateKey(file, key, EVP_aes_256_cbc(), "secret", 6, NULL, NULL),
      1);
  EVP_PKEY_free(key);
  fclose(file);
}

static void test_files_that_are_not_what_they_should_be_are_named(void **state) {
  (void)state;
  secure_t secure;
  prepare(&secure);
  const authority_t *authority = &secure.authority;
  authority_sign(authority, "other", NULL, host);
  const char *certificate = authority_path(authority, "server", ".crt");
  const char *key = authority_path(authority, "server", ".key");
  const char *locked = authority_path(authority, "locked", ".key");
  write_locked_key(locked);
  expect_bad_files("/nowhere/a.crt", key, NULL,
                   "cannot read the certificate /nowhere/a.crt: No such file");
  expect_bad_files(certificate, "/nowhere/a.key", NULL,
                   "cannot read the private key /nowhere/a.key: No such file");
  expect_bad_files(certificate, key, "/nowhere/ca",
                   "cannot read the certificate of an authority /nowhere/ca: No such");
  expect_bad_files(key, key, NULL, "is no certificate in PEM");
  expect_bad_files(certificate, certificate, NULL, "is no private key in PEM");
  expect_bad_files(certificate, key, key, "is no certificate of an authority in PEM");
  expect_bad_files(certificate, authority_path(authority, "other", ".key"), NULL,
                   "other.key does not belong to the certificate ");
  expect_bad_files(certificate, locked, NULL, "has a password");
  rpc_credentials_t *credentials = NULL;
  const pod_status_t status =
      rpc_credentials_for_client(authority->file, certificate, NULL, &credentials);
  assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
  pod_status_free(status);
  authority_stop(&secure.authority);
}

// --- Much ---

static void test_messages_of_sixteen_mib_arrive_whole(void **state) {
  (void)state;
  enum { SIZE = 16 * MIB, COUNT = 3 };
  secure_t secure;
  prepare(&secure);
  start(&secure, authority_server(&secure.authority, "server", NULL),
        authority_client(&secure.authority, NULL, NULL));
  caller_t caller;
  call_start(&caller, &secure.world, "/test/Echo", NULL);
  call_send_all(&caller, COUNT, SIZE, true);
  call_finish(&caller);
  assert_int_equal(caller.code, POD_OK);
  assert_int_equal(caller.message_count, COUNT);
  assert_int_equal(caller.byte_count, (size_t)COUNT * SIZE);
  stop(&secure);
  authority_stop(&secure.authority);
}

static void test_streams_of_many_sizes_arrive_whole_both_ways(void **state) {
  (void)state;
  static const size_t sizes[] = {0,     1,     100,   4095,   4097,
                                 16379, 16384, 65535, 100000, (1 << 18) + 3};
  secure_t secure;
  prepare(&secure);
  start(&secure, authority_server(&secure.authority, "server", NULL),
        authority_client(&secure.authority, NULL, NULL));
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
    caller_t caller;
    call_start(&caller, &secure.world, "/test/Echo", NULL);
    call_send_all(&caller, 50, sizes[i], true);
    call_finish(&caller);
    assert_int_equal(caller.code, POD_OK);
    assert_int_equal(caller.message_count, 50);
    assert_int_equal(caller.byte_count, 50 * sizes[i]);
  }
  stop(&secure);
  authority_stop(&secure.authority);
}

static bool handler_stands(const void *context) {
  static size_t before, same;
  const secure_t *secure = context;
  const handler_t *handler = find_handler(&secure->world, "/test/Produce");
  if (handler == NULL || handler->byte_count != before) {
    before = handler != NULL ? handler->byte_count : 0;
    same = 0;
    return false;
  }
  return ++same > 3;
}

static void wake(void *context) {
  world_wake(context);
}

static void test_a_slow_reader_stops_the_sender(void **state) {
  (void)state;
  enum { COUNT = 256 };
  secure_t secure;
  prepare(&secure);
  start(&secure, authority_server(&secure.authority, "server", NULL),
        authority_client(&secure.authority, NULL, NULL));
  rpc_timer_t *tick = rpc_timer_create(secure.world.loop, wake, &secure.world);
  rpc_timer_start(tick, 20, 20);
  caller_t caller;
  call_start(&caller, &secure.world, "/test/Produce", NULL);
  caller.pause_at_message = true;
  call_say(&caller, "256 1048576");
  world_run_until(&secure.world, handler_stands, &secure);
  const handler_t *handler = find_handler(&secure.world, "/test/Produce");
  // The stream's window, what the sockets hold and what a sender queues: no more.
  assert_true(handler->byte_count < 16 * MIB);
  caller.pause_at_message = false;
  rpc_call_resume(caller.call);
  call_finish(&caller);
  assert_int_equal(caller.code, POD_OK);
  assert_int_equal(caller.byte_count, (size_t)COUNT * MIB);
  rpc_timer_destroy(tick);
  stop(&secure);
  authority_stop(&secure.authority);
}

typedef struct crowd_t {
  caller_t callers[200];
} crowd_t;

static bool crowd_has_ended(const void *context) {
  const crowd_t *crowd = context;
  for (size_t i = 0; i < 200; i++) {
    if (crowd->callers[i].end_count == 0) {
      return false;
    }
  }
  return true;
}

static void test_many_calls_of_many_connections_run_at_once(void **state) {
  (void)state;
  enum { CONNECTIONS = 50, CALLS = 200 };
  secure_t secure;
  prepare(&secure);
  start(&secure, authority_server(&secure.authority, "server", NULL),
        authority_client(&secure.authority, NULL, NULL));
  rpc_channel_t *channels[CONNECTIONS];
  const rpc_channel_options_t options = {.credentials = secure.client};
  rpc_channel_t *own = secure.world.channel;
  crowd_t *crowd = pod_alloc(sizeof(*crowd));
  for (size_t i = 0; i < CONNECTIONS; i++) {
    assert_null(
        rpc_channel_create(secure.world.loop, secure.address, &options, &channels[i]));
  }
  for (size_t i = 0; i < CALLS; i++) {
    secure.world.channel = channels[i % CONNECTIONS];
    call_start(&crowd->callers[i], &secure.world, "/test/Unary", NULL);
    call_say(&crowd->callers[i], "hello");
  }
  world_run_until(&secure.world, crowd_has_ended, crowd);
  for (size_t i = 0; i < CALLS; i++) {
    assert_int_equal(crowd->callers[i].code, POD_OK);
  }
  secure.world.channel = own;
  for (size_t i = 0; i < CONNECTIONS; i++) {
    rpc_channel_destroy(channels[i]);
  }
  free(crowd);
  stop(&secure);
  authority_stop(&secure.authority);
}

// --- Guests of the loop ---

enum { GUEST_MESSAGES = 60, GUEST_BYTES = 50000 };

typedef struct guest_t {
  caller_t caller;
  atomic_bool has_sent;
  uint8_t bytes[GUEST_BYTES];
} guest_t;

static void *send_as_guest(void *context) {
  guest_t *guest = context;
  rpc_loop_t *loop = guest->caller.world->loop;
  for (int i = 0; i < GUEST_MESSAGES;) {
    if (rpc_loop_enter(loop)) {
      if (rpc_call_is_writable(guest->caller.call)) {
        rpc_call_send_bytes(guest->caller.call, guest->bytes,
                            i % 2 == 0 ? 8 : GUEST_BYTES);
        i++;
      }
      rpc_loop_leave(loop);
    }
    usleep(20);
  }
  atomic_store(&guest->has_sent, true);
  world_wake(guest->caller.world);
  return NULL;
}

static bool has_guest_sent(const void *context) {
  return atomic_load(&((const guest_t *)context)->has_sent);
}

static void test_what_a_guest_sends_is_encrypted_whole(void **state) {
  (void)state;
  secure_t secure;
  prepare(&secure);
  start(&secure, authority_server(&secure.authority, "server", NULL),
        authority_client(&secure.authority, NULL, NULL));
  guest_t *guest = pod_alloc(sizeof(*guest));
  call_start(&guest->caller, &secure.world, "/test/Count", NULL);
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, send_as_guest, guest), 0);
  world_run_until(&secure.world, has_guest_sent, guest);
  pthread_join(thread, NULL);
  rpc_call_half_close(guest->caller.call);
  call_finish(&guest->caller);
  assert_int_equal(guest->caller.code, POD_OK);
  assert_memory_equal(guest->caller.last, "1500240", 7);
  free(guest);
  stop(&secure);
  authority_stop(&secure.authority);
}

// --- Files that change ---

static void test_files_that_are_read_again_are_for_new_connections(void **state) {
  (void)state;
  secure_t secure;
  prepare(&secure);
  authority_t next;
  authority_start(&next, "Next CA");
  authority_sign(&next, "server", "coordinator", host);
  start(&secure, authority_server(&secure.authority, "server", NULL),
        authority_client(&secure.authority, NULL, NULL));
  expect_ok(&secure);
  // The server's certificate is another one, in the files that it was told of.
  char command[512];
  snprintf(command, sizeof(command), "cp '%s' '%s' '%s'",
           authority_path(&next, "server", ".crt"),
           authority_path(&next, "server", ".key"), secure.authority.folder);
  assert_int_equal(system(command), 0);
  assert_null(rpc_credentials_renew(secure.server));
  expect_ok(&secure);  // It is connected.
  use_channel(&secure, host);
  secure.world.handler_count = 0;
  expect_refusal(&secure, "is signed by 'Next CA'");
  // And so is the authority that the client believes.
  snprintf(command, sizeof(command), "cp '%s' '%s'", next.file, secure.authority.file);
  assert_int_equal(system(command), 0);
  assert_null(rpc_credentials_renew(secure.client));
  use_channel(&secure, host);
  expect_ok(&secure);
  stop(&secure);
  authority_stop(&next);
  authority_stop(&secure.authority);
}

static void test_files_that_cannot_be_used_change_nothing(void **state) {
  (void)state;
  secure_t secure;
  prepare(&secure);
  authority_sign(&secure.authority, "other", "coordinator", host);
  start(&secure, authority_server(&secure.authority, "server", NULL),
        authority_client(&secure.authority, NULL, NULL));
  const char *const spoils[] = {"echo nonsense > server.crt", "rm server.crt",
                                "cp other.crt server.crt"};  // Not that of the key.
  for (size_t i = 0; i < sizeof(spoils) / sizeof(spoils[0]); i++) {
    char command[256];
    snprintf(command, sizeof(command), "cd '%s' && %s", secure.authority.folder,
             spoils[i]);
    assert_int_equal(system(command), 0);
    const pod_status_t status = rpc_credentials_renew(secure.server);
    assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
    assert_non_null(strstr(pod_status_message(status), "server."));
    pod_status_free(status);
    use_channel(&secure, host);
    expect_ok(&secure);
  }
  stop(&secure);
  authority_stop(&secure.authority);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_calls_go_over_tls),
      cmocka_unit_test(test_a_clients_certificate_tells_its_name_and_role),
      cmocka_unit_test(test_a_client_without_a_certificate_is_nobody),
      cmocka_unit_test(test_the_shortcut_on_one_host_stays_plain),
      cmocka_unit_test(test_a_server_is_found_by_its_name_too),
      cmocka_unit_test(test_an_intermediate_authority_is_believed_by_its_chain),
      cmocka_unit_test(test_a_server_of_another_authority_is_not_believed),
      cmocka_unit_test(test_an_authority_of_the_same_name_is_another),
      cmocka_unit_test(test_a_certificate_counts_only_in_its_time),
      cmocka_unit_test(test_a_clients_certificate_is_none_for_servers),
      cmocka_unit_test(test_one_daemon_is_not_taken_for_another),
      cmocka_unit_test(test_a_client_learns_why_its_certificate_is_refused),
      cmocka_unit_test(test_a_plain_client_is_told_that_the_port_speaks_tls),
      cmocka_unit_test(test_a_client_of_tls_is_told_that_the_port_is_plain),
      cmocka_unit_test(test_files_that_are_not_what_they_should_be_are_named),
      cmocka_unit_test(test_messages_of_sixteen_mib_arrive_whole),
      cmocka_unit_test(test_streams_of_many_sizes_arrive_whole_both_ways),
      cmocka_unit_test(test_a_slow_reader_stops_the_sender),
      cmocka_unit_test(test_many_calls_of_many_connections_run_at_once),
      cmocka_unit_test(test_what_a_guest_sends_is_encrypted_whole),
      cmocka_unit_test(test_files_that_are_read_again_are_for_new_connections),
      cmocka_unit_test(test_files_that_cannot_be_used_change_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
