// TLS of links, end to end in memory: whatever the pieces in which bytes come, with whom
// it is spoken and with whom it is not, and what a connection does whose bytes are cut,
// changed or too many.

#include "server/ici/seal.h"

#include <openssl/err.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "common/base/log.h"
#include "common/certificates/certificate.h"

enum { HOUR_S = 3600, MIB = 1 << 20, ALL = 1 << 30 };

// --- Certificates ---

static char folder[] = "/tmp/podium-seal-XXXXXX";
static certificate_t ours, theirs;

static const char *path_of(const char *name, const char *end) {
  static char paths[8][96];
  static int turn;
  char *path = paths[turn++ % 8];
  snprintf(path, sizeof(paths[0]), "%s/%s.%s", folder, name, end);
  return path;
}

static void write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

static void sign(const certificate_t *authority, const char *name, const char *role,
                 int64_t ends_s) {
  static const char *const hosts[] = {"127.0.0.1"};
  certificate_t made = {0};
  const certificate_request_t request = {.name = name,
                                         .role = role,
                                         .hosts = hosts,
                                         .host_count = strcmp(role, "run") != 0,
                                         .begins_s = time(NULL) - HOUR_S,
                                         .ends_s = time(NULL) + ends_s};
  assert_null(certificate_issue(&request, authority, &made));
  write_text(path_of(name, "crt"), made.certificate_pem);
  write_text(path_of(name, "key"), made.key_pem);
  certificate_deinit(&made);
}

static void make_authority(const char *name, certificate_t *out) {
  const certificate_request_t request = {.name = name,
                                         .is_authority = true,
                                         .begins_s = time(NULL) - HOUR_S,
                                         .ends_s = time(NULL) + HOUR_S};
  assert_null(certificate_issue(&request, NULL, out));
  write_text(path_of(name, "crt"), out->certificate_pem);
}

static int make_files(void **state) {
  (void)state;
  assert_non_null(mkdtemp(folder));
  make_authority("ours", &ours);
  make_authority("theirs", &theirs);
  sign(&ours, "one", "worker", HOUR_S);
  sign(&ours, "two", "worker", HOUR_S);
  sign(&ours, "expired", "worker", -60);
  sign(&ours, "user", "run", HOUR_S);
  sign(&ours, "coordinator", "coordinator", HOUR_S);
  sign(&theirs, "stranger", "worker", HOUR_S);
  return 0;
}

static int remove_files(void **state) {
  (void)state;
  char command[64];
  snprintf(command, sizeof(command), "rm -r '%s'", folder);
  certificate_deinit(&ours);
  certificate_deinit(&theirs);
  return system(command);
}

static ici_tls_t *tls_of(const char *name, const char *authority) {
  ici_tls_t *tls;
  const ici_tls_files_t files = {.certificate = path_of(name, "crt"),
                                 .key = path_of(name, "key"),
                                 .ca = path_of(authority, "crt")};
  assert_null(ici_tls_create(&files, &tls));
  return tls;
}

// --- Two ends ---

typedef struct end_t {
  ici_tls_t *tls;
  ici_seal_t *seal;
  uint8_t *heard;
  size_t heard_bytes, heard_capacity;
  bool is_broken;
} end_t;

static end_t make_end(const char *name, const char *authority, bool is_server) {
  end_t end = {.tls = tls_of(name, authority), .heard_capacity = 4 * MIB};
  end.seal = ici_seal_create(end.tls, is_server);
  end.heard = calloc(1, end.heard_capacity);
  assert_non_null(end.seal);
  return end;
}

static void destroy_end(end_t *end) {
  ici_seal_destroy(end->seal);
  ici_tls_destroy(end->tls);
  free(end->heard);
}

static void open_all(end_t *end) {
  size_t size_bytes = 0;
  ici_seal_opened_t opened;
  do {
    opened = ici_seal_open(end->seal, end->heard + end->heard_bytes,
                           end->heard_capacity - end->heard_bytes, &size_bytes);
    end->heard_bytes += opened == ICI_SEAL_BYTES ? size_bytes : 0;
  } while (opened == ICI_SEAL_BYTES);
  end->is_broken = opened == ICI_SEAL_BROKEN;
}

// As a socket that gives at most `piece` bytes at a time.
static void feed(end_t *end, const uint8_t *bytes, size_t size_bytes, size_t piece) {
  while (size_bytes > 0 && !end->is_broken) {
    size_t room = 0;
    uint8_t *input = ici_seal_input(end->seal, &room);
    room = room < piece ? room : piece;
    room = room < size_bytes ? room : size_bytes;
    memcpy(input, bytes, room);
    ici_seal_fed(end->seal, room);
    bytes += room;
    size_bytes -= room;
    open_all(end);
  }
}

// What `from` has to say, all of it. False: nothing.
static bool carry(end_t *from, end_t *to, size_t piece) {
  size_t size_bytes = 0;
  const uint8_t *output = ici_seal_output(from->seal, &size_bytes);
  if (output == NULL) {
    return false;
  }
  feed(to, output, size_bytes, piece);
  ici_seal_sent(from->seal, size_bytes);
  return true;
}

static void shake(end_t *client, end_t *server, size_t piece) {
  (void)ici_seal_start(client->seal);
  while (carry(client, server, piece) || carry(server, client, piece)) {
  }
}

static void fill(uint8_t *bytes, size_t size_bytes) {
  for (size_t i = 0; i < size_bytes; i++) {
    bytes[i] = (uint8_t)(i * 31 + i / 251);
  }
}

// --- With whom it is spoken ---

static void test_bytes_arrive_in_whatever_pieces_they_come(void **state) {
  (void)state;
  static const size_t pieces[] = {1, 7, 1500, 65536, ALL};
  static uint8_t bytes[ICI_SEAL_BATCH_BYTES];
  fill(bytes, sizeof(bytes));
  for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
    end_t client = make_end("one", "ours", false), server = make_end("two", "ours", true);
    shake(&client, &server, pieces[i]);
    assert_true(ici_seal_is_ready(client.seal) && ici_seal_is_ready(server.seal));
    assert_int_equal(client.heard_bytes + server.heard_bytes, 0);
    assert_true(ici_seal_close(client.seal, bytes, 1));
    assert_true(ici_seal_close(client.seal, bytes + 1, sizeof(bytes) - 1));
    assert_true(ici_seal_close(server.seal, bytes, 5000));
    assert_true(carry(&client, &server, pieces[i]));
    assert_true(carry(&server, &client, pieces[i]));
    assert_int_equal(server.heard_bytes, sizeof(bytes));
    assert_memory_equal(server.heard, bytes, sizeof(bytes));
    assert_int_equal(client.heard_bytes, 5000);
    assert_memory_equal(client.heard, bytes, 5000);
    destroy_end(&client);
    destroy_end(&server);
  }
}

// What is under way is not moved by what is said meanwhile.
static void test_output_stays_where_it_is_until_it_has_gone(void **state) {
  (void)state;
  static uint8_t bytes[ICI_SEAL_BATCH_BYTES];
  fill(bytes, sizeof(bytes));
  end_t client = make_end("one", "ours", false), server = make_end("two", "ours", true);
  shake(&client, &server, ALL);
  assert_true(ici_seal_close(client.seal, bytes, 100));
  size_t first_bytes = 0, again_bytes = 0;
  const uint8_t *first = ici_seal_output(client.seal, &first_bytes);
  assert_true(ici_seal_close(client.seal, bytes + 100, sizeof(bytes) - 100));
  assert_ptr_equal(ici_seal_output(client.seal, &again_bytes), first);
  assert_int_equal(again_bytes, first_bytes);
  feed(&server, first, first_bytes, ALL);
  ici_seal_sent(client.seal, first_bytes);
  assert_true(carry(&client, &server, ALL));
  assert_int_equal(server.heard_bytes, sizeof(bytes));
  assert_memory_equal(server.heard, bytes, sizeof(bytes));
  destroy_end(&client);
  destroy_end(&server);
}

// Neither hears or says a byte of a frame.
static void assert_refused(const char *client_name, const char *client_authority,
                           const char *server_name, const char *server_authority,
                           bool is_by_server) {
  end_t client = make_end(client_name, client_authority, false);
  end_t server = make_end(server_name, server_authority, true);
  shake(&client, &server, ALL);
  // A client of TLS 1.3 is through before it hears what the server thinks of it.
  assert_true(is_by_server ? server.is_broken : client.is_broken);
  assert_false(ici_seal_is_ready(is_by_server ? server.seal : client.seal));
  const uint8_t word[] = "frame";
  if (ici_seal_close(client.seal, word, sizeof(word))) {
    (void)carry(&client, &server, ALL);
  }
  assert_false(ici_seal_close(server.seal, word, sizeof(word)) &&
               carry(&server, &client, ALL) && client.heard_bytes > 0);
  assert_int_equal(server.heard_bytes + client.heard_bytes, 0);
  assert_true(client.is_broken);  // It has been told.
  destroy_end(&client);
  destroy_end(&server);
}

static void test_who_cannot_be_believed_is_refused_by_either_end(void **state) {
  (void)state;
  assert_refused("stranger", "ours", "two", "ours", true);
  assert_refused("one", "ours", "stranger", "ours", false);
  assert_refused("expired", "ours", "two", "ours", true);
  assert_refused("one", "ours", "expired", "ours", false);
  assert_refused("one", "theirs", "two", "ours", false);
  assert_refused("one", "ours", "two", "theirs", true);
}

// They are of the pod's authority, and for something else.
static void test_certificates_of_another_role_are_refused(void **state) {
  (void)state;
  assert_refused("user", "ours", "two", "ours", true);
  assert_refused("one", "ours", "user", "ours", false);
  assert_refused("coordinator", "ours", "two", "ours", true);
  assert_refused("one", "ours", "coordinator", "ours", false);
}

// --- OpenSSL itself at the other end, told to do what a seal does not ---

typedef struct raw_t {
  SSL_CTX *context;
  SSL *ssl;
  BIO *in, *out;
} raw_t;

static raw_t raw_client(const char *name) {
  raw_t raw = {.context = SSL_CTX_new(TLS_client_method())};
  assert_int_equal(SSL_CTX_load_verify_file(raw.context, path_of("ours", "crt")), 1);
  if (name != NULL) {
    SSL_CTX_use_certificate_chain_file(raw.context, path_of(name, "crt"));
    SSL_CTX_use_PrivateKey_file(raw.context, path_of(name, "key"), SSL_FILETYPE_PEM);
  }
  raw.ssl = SSL_new(raw.context);
  raw.in = BIO_new(BIO_s_mem());
  raw.out = BIO_new(BIO_s_mem());
  SSL_set_bio(raw.ssl, raw.in, raw.out);
  SSL_set_connect_state(raw.ssl);
  return raw;
}

static void destroy_raw(raw_t *raw) {
  SSL_free(raw->ssl);
  SSL_CTX_free(raw->context);
  ERR_clear_error();
}

static void exchange(raw_t *raw, end_t *server) {
  for (bool moves = true; moves;) {
    char *bytes = NULL;
    size_t size_bytes = 0;
    const long said = BIO_get_mem_data(raw->out, &bytes);
    moves = said > 0;
    feed(server, (uint8_t *)bytes, (size_t)said, ALL);
    (void)BIO_reset(raw->out);
    const uint8_t *output = ici_seal_output(server->seal, &size_bytes);
    if (output != NULL) {
      moves = true;
      BIO_write(raw->in, output, (int)size_bytes);
      ici_seal_sent(server->seal, size_bytes);
    }
    char byte;
    (void)(SSL_is_init_finished(raw->ssl) ? SSL_peek(raw->ssl, &byte, 1)
                                          : SSL_do_handshake(raw->ssl));
  }
}

static void start_raw(raw_t *raw, end_t *server) {
  SSL_do_handshake(raw->ssl);
  exchange(raw, server);
}

static void test_it_is_tls_1_3_with_aes_and_resumes_nothing(void **state) {
  (void)state;
  raw_t raw = raw_client("one");
  end_t server = make_end("two", "ours", true);
  start_raw(&raw, &server);
  assert_true(ici_seal_is_ready(server.seal));
  assert_string_equal(SSL_get_version(raw.ssl), "TLSv1.3");
  assert_string_equal(SSL_get_cipher(raw.ssl), "TLS_AES_128_GCM_SHA256");
  assert_int_equal(SSL_SESSION_is_resumable(SSL_get_session(raw.ssl)), 0);
  destroy_end(&server);
  destroy_raw(&raw);
}

static void test_who_shows_no_certificate_is_refused(void **state) {
  (void)state;
  raw_t raw = raw_client(NULL);
  end_t server = make_end("two", "ours", true);
  start_raw(&raw, &server);
  assert_true(server.is_broken);
  assert_false(ici_seal_is_ready(server.seal));
  destroy_end(&server);
  destroy_raw(&raw);
}

// And with it what 1.3 has done away with: renegotiation, compression, old ciphers.
static void test_older_versions_are_refused(void **state) {
  (void)state;
  raw_t raw = raw_client("one");
  SSL_set_max_proto_version(raw.ssl, TLS1_2_VERSION);
  end_t server = make_end("two", "ours", true);
  start_raw(&raw, &server);
  assert_true(server.is_broken);
  destroy_end(&server);
  destroy_raw(&raw);
}

// In place of renegotiation a peer of 1.3 may ask for new keys as often as it likes: that
// is answered, in little memory, or is the end.
static void test_new_keys_without_end_cost_little(void **state) {
  (void)state;
  raw_t raw = raw_client("one");
  end_t server = make_end("two", "ours", true);
  start_raw(&raw, &server);
  for (int i = 0; i < 1000 && !server.is_broken; i++) {
    SSL_key_update(raw.ssl, SSL_KEY_UPDATE_REQUESTED);
    assert_int_equal(SSL_write(raw.ssl, "x", 1), 1);
    char *bytes = NULL;
    const long said = BIO_get_mem_data(raw.out, &bytes);
    feed(&server, (uint8_t *)bytes, (size_t)said, ALL);  // Whose output nobody takes.
    (void)BIO_reset(raw.out);
  }
  size_t waiting_bytes = 0;
  (void)ici_seal_output(server.seal, &waiting_bytes);
  assert_in_range(waiting_bytes, 0, 256 << 10);
  assert_true(server.is_broken || server.heard_bytes == 1000);
  destroy_end(&server);
  destroy_raw(&raw);
}

// --- Bytes that are not as they were ---

static void test_a_record_that_is_cut_off_gives_nothing(void **state) {
  (void)state;
  static uint8_t bytes[16 << 10];
  fill(bytes, sizeof(bytes));
  end_t client = make_end("one", "ours", false), server = make_end("two", "ours", true);
  shake(&client, &server, ALL);
  assert_true(ici_seal_close(client.seal, bytes, sizeof(bytes)));
  size_t size_bytes = 0;
  const uint8_t *output = ici_seal_output(client.seal, &size_bytes);
  feed(&server, output, size_bytes - 1, ALL);
  assert_false(server.is_broken);
  assert_int_equal(server.heard_bytes, 0);
  feed(&server, output + size_bytes - 1, 1, ALL);
  assert_int_equal(server.heard_bytes, sizeof(bytes));
  destroy_end(&client);
  destroy_end(&server);
}

static void test_a_changed_bit_ends_it_wherever_it_is(void **state) {
  (void)state;
  static uint8_t bytes[300];
  fill(bytes, sizeof(bytes));
  for (size_t at = 0; at < 300 + 22; at += 13) {
    end_t client = make_end("one", "ours", false), server = make_end("two", "ours", true);
    shake(&client, &server, ALL);
    assert_true(ici_seal_close(client.seal, bytes, sizeof(bytes)));
    size_t size_bytes = 0;
    const uint8_t *output = ici_seal_output(client.seal, &size_bytes);
    uint8_t changed[512];
    assert_in_range(size_bytes, at + 1, sizeof(changed));
    memcpy(changed, output, size_bytes);
    changed[at] ^= 4;
    feed(&server, changed, size_bytes, ALL);
    feed(&server, output, size_bytes, ALL);  // Nor does the true one count any more.
    assert_int_equal(server.heard_bytes, 0);
    destroy_end(&client);
    destroy_end(&server);
  }
}

static void test_what_is_said_twice_is_heard_once(void **state) {
  (void)state;
  const uint8_t word[] = "frame";
  end_t client = make_end("one", "ours", false), server = make_end("two", "ours", true);
  shake(&client, &server, ALL);
  assert_true(ici_seal_close(client.seal, word, sizeof(word)));
  size_t size_bytes = 0;
  const uint8_t *output = ici_seal_output(client.seal, &size_bytes);
  feed(&server, output, size_bytes, ALL);
  feed(&server, output, size_bytes, ALL);
  assert_int_equal(server.heard_bytes, sizeof(word));
  assert_true(server.is_broken);
  destroy_end(&client);
  destroy_end(&server);
}

// Until somebody has been believed he is kept little of.
static void test_a_stranger_has_little_memory(void **state) {
  (void)state;
  end_t server = make_end("two", "ours", true);
  static const uint8_t client_hello[] = {22, 3, 1, 64, 0, 1, 0, 255, 255};
  feed(&server, client_hello, sizeof(client_hello), ALL);
  for (int i = 0; i < 1000 && !server.is_broken; i++) {
    size_t room = 0;
    (void)ici_seal_input(server.seal, &room);
    assert_in_range(room, 1, 16 << 10);
    static const uint8_t zeros[4096];
    feed(&server, zeros, sizeof(zeros), ALL);
  }
  assert_true(server.is_broken);
  destroy_end(&server);
}

int main(void) {
  pod_log_init("test", POD_LOG_NONE);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bytes_arrive_in_whatever_pieces_they_come),
      cmocka_unit_test(test_output_stays_where_it_is_until_it_has_gone),
      cmocka_unit_test(test_who_cannot_be_believed_is_refused_by_either_end),
      cmocka_unit_test(test_certificates_of_another_role_are_refused),
      cmocka_unit_test(test_it_is_tls_1_3_with_aes_and_resumes_nothing),
      cmocka_unit_test(test_who_shows_no_certificate_is_refused),
      cmocka_unit_test(test_older_versions_are_refused),
      cmocka_unit_test(test_new_keys_without_end_cost_little),
      cmocka_unit_test(test_a_record_that_is_cut_off_gives_nothing),
      cmocka_unit_test(test_a_changed_bit_ends_it_wherever_it_is),
      cmocka_unit_test(test_what_is_said_twice_is_heard_once),
      cmocka_unit_test(test_a_stranger_has_little_memory),
  };
  return cmocka_run_group_tests(tests, make_files, remove_files);
}
