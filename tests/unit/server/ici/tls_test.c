// Links between hosts by TLS: certificates of one authority at both ends, and no other.

#include "server/ici/ici.h"

#include <setjmp.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "tests/unit/server/ici/introduce.h"
#include "tests/unit/server/ici/pod.h"

extern char **environ;

// ---- Two authorities, and certificates of theirs, by the openssl command.

static char folder[64];

// Certificates are made by a script, so that the test needs no library for it.
static const char script[] =
    "set -e; cd \"$1\"\n"
    "authority() {\n"
    "  openssl ecparam -genkey -name prime256v1 -noout -out $1.key\n"
    "  openssl req -x509 -new -key $1.key -days 2 -subj /CN=$1 -out $1.pem\n"
    "}\n"
    "child() {\n"
    "  openssl ecparam -genkey -name prime256v1 -noout -out $2.key\n"
    "  printf 'subjectAltName=URI:podium:worker\\nextendedKeyUsage=%s\\n' $3 > $2.ext\n"
    "  openssl req -new -key $2.key -subj /CN=$2 -out $2.csr\n"
    "  openssl x509 -req -in $2.csr -CA $1.pem -CAkey $1.key -CAcreateserial -days 2 \\\n"
    "    -extfile $2.ext -out $2.pem\n"
    "}\n"
    "authority ours; authority theirs\n"
    "child ours one serverAuth,clientAuth; child ours two serverAuth,clientAuth\n"
    "child ours client clientAuth; child theirs other serverAuth,clientAuth\n";

static int make_certificates(void **state) {
  (void)state;
  char shell[] = "/bin/sh", option[] = "-c", name[] = "sh", text[sizeof(script)];
  memcpy(text, script, sizeof(script));
  snprintf(folder, sizeof(folder), "/tmp/podium-ici-tls-XXXXXX");
  POD_CHECK(mkdtemp(folder) != NULL);
  char *const arguments[] = {shell, option, text, name, folder, NULL};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1, 0);
  pid_t child;
  int result = -1;
  POD_CHECK(posix_spawn(&child, shell, &actions, NULL, arguments, environ) == 0);
  POD_CHECK(waitpid(child, &result, 0) == child);
  posix_spawn_file_actions_destroy(&actions);
  return result;
}

static int remove_certificates(void **state) {
  (void)state;
  static const char *const names[] = {"ours",   "theirs", "one",     "two",
                                      "client", "other",  "changing"};
  static const char *const ends[] = {"key", "pem", "srl", "ext", "csr"};
  char path[128];
  for (size_t i = 0; i < POD_COUNT_OF(names); i++) {
    for (size_t j = 0; j < POD_COUNT_OF(ends); j++) {
      snprintf(path, sizeof(path), "%s/%s.%s", folder, names[i], ends[j]);
      unlink(path);
    }
  }
  return rmdir(folder);
}

typedef struct files_t {
  char certificate[96], key[96], ca[96];
  ici_tls_files_t files;
} files_t;

static const ici_tls_files_t *name_files(files_t *names, const char *who,
                                         const char *authority) {
  snprintf(names->certificate, sizeof(names->certificate), "%s/%s.pem", folder, who);
  snprintf(names->key, sizeof(names->key), "%s/%s.key", folder, who);
  snprintf(names->ca, sizeof(names->ca), "%s/%s.pem", folder, authority);
  names->files = (ici_tls_files_t){names->certificate, names->key, names->ca};
  return &names->files;
}

static pod_status_t try_node(int32_t chip, const ici_tls_files_t *tls,
                             ici_node_t **out_node) {
  const ici_node_config_t config = {.pod = "test",
                                    .chip = chip,
                                    .torus = pair,
                                    .epoch = 1,
                                    .tcp_host = "127.0.0.1",
                                    .use_shared_memory = true,
                                    .tls = tls};
  return ici_node_create(&config, out_node);
}

static ici_node_t *tls_node(int32_t chip, const char *who, const char *authority) {
  files_t names;
  ici_node_t *node;
  assert_ok(try_node(chip, name_files(&names, who, authority), &node));
  return node;
}

// ---- Tests.

static void test_collectives_run_over_encrypted_links(void **state) {
  (void)state;
  pod_t pod = {.torus = pair, .chip_count = 2};
  pod.nodes[0] = tls_node(0, "one", "ours");
  pod.nodes[1] = tls_node(1, "two", "ours");
  const char *url = ici_node_tcp_url(pod.nodes[0], 0);
  assert_memory_equal(url, "tls+tcp://127.0.0.1:", 20);
  assert_ok(ici_node_dial(pod.nodes[1], 1, url));
  assert_ok(ici_node_wait_up(pod.nodes[0], deadline()));
  assert_ok(ici_node_wait_up(pod.nodes[1], deadline()));
  const collective_request_t requests[] = {request_of(CHIP_OP_ALL_GATHER, 1, 2, 16),
                                           request_of(CHIP_OP_ALL_GATHER, 1, 2, 1 << 20)};
  run_all(&pod, requests, POD_COUNT_OF(requests), 1);
  ici_node_disconnect(pod.nodes[0], 0);
  assert_ok(ici_node_wait_up(pod.nodes[0], deadline()));
  assert_ok(ici_node_wait_up(pod.nodes[1], deadline()));
  run_all(&pod, requests, POD_COUNT_OF(requests), 2);
  ici_node_destroy(pod.nodes[1]);
  ici_node_destroy(pod.nodes[0]);
}

static void assert_stays_down(const char *listener, const char *listener_authority,
                              const char *dialer, const char *dialer_authority) {
  ici_node_t *one = tls_node(0, listener, listener_authority);
  ici_node_t *other = tls_node(1, dialer, dialer_authority);
  assert_ok(ici_node_dial(other, 1, ici_node_tcp_url(one, 0)));
  const pod_status_t status =
      ici_node_wait_up(one, pod_clock_now_ns() + (int64_t)300 * 1000000);
  assert_int_equal(pod_status_code(status), POD_DEADLINE_EXCEEDED);
  pod_status_free(status);
  ici_node_destroy(other);
  ici_node_destroy(one);
}

static void test_certificates_of_another_authority_are_refused(void **state) {
  (void)state;
  assert_stays_down("one", "ours", "other", "ours");
  assert_stays_down("other", "ours", "two", "ours");
  assert_stays_down("one", "theirs", "two", "ours");
}

static void test_a_clients_certificate_does_not_listen(void **state) {
  (void)state;
  assert_stays_down("client", "ours", "two", "ours");
}

// Nor does who shows no certificate hear the challenge.
static void test_a_plain_connection_gets_nothing(void **state) {
  (void)state;
  ici_node_t *one = tls_node(0, "one", "ours");
  const char *url = ici_node_tcp_url(one, 0) + strlen("tls+");
  const stranger_t stranger = {.pod = "test",
                               .chip = 1,
                               .direction = 1,
                               .epoch = 1,
                               .transport = ICI_TRANSPORT_TCP};
  const int file = connect_tcp(url);
  assert_true(file >= 0);
  assert_false(introduce(file, &stranger));
  close(file);
  // And who has no TLS does not dial where it is spoken, nor the other way round.
  ici_node_t *plain;
  assert_ok(try_node(1, NULL, &plain));
  pod_status_t status = ici_node_dial(plain, 1, ici_node_tcp_url(one, 0));
  assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
  pod_status_free(status);
  ici_node_t *other = tls_node(1, "two", "ours");
  status = ici_node_dial(other, 1, "tcp://127.0.0.1:1");
  assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
  pod_status_free(status);
  ici_node_destroy(other);
  ici_node_destroy(plain);
  ici_node_destroy(one);
}

// More than may stand at the gate, who say nothing, half of a record or a handshake's
// beginning.
static void test_who_begins_a_handshake_only_keeps_nobody_out(void **state) {
  (void)state;
  enum { STRANGERS = 48 };
  static const uint8_t hello[] = {22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3};
  ici_node_t *one = tls_node(0, "one", "ours"), *two = tls_node(1, "two", "ours");
  const char *url = ici_node_tcp_url(one, 0) + strlen("tls+");
  int files[STRANGERS];
  for (size_t i = 0; i < STRANGERS; i++) {
    files[i] = connect_tcp(url);
    assert_true(files[i] >= 0);
    const size_t said = i % 3 * 5;
    assert_int_equal(send(files[i], hello, said, MSG_NOSIGNAL), said);
  }
  assert_ok(ici_node_dial(two, 1, ici_node_tcp_url(one, 0)));
  assert_ok(ici_node_wait_up(one, deadline()));
  assert_ok(ici_node_wait_up(two, deadline()));
  for (size_t i = 0; i < STRANGERS; i++) {
    close(files[i]);
  }
  const collective_request_t request = request_of(CHIP_OP_ALL_GATHER, 1, 2, 1 << 16);
  pod_t pod = {.torus = pair, .chip_count = 2, .nodes = {one, two}};
  run_all(&pod, &request, 1, 1);
  ici_node_destroy(two);
  ici_node_destroy(one);
}

static void copy_file(const char *from, const char *to) {
  char command[256];
  snprintf(command, sizeof(command), "cp '%s/%s' '%s/%s'", folder, from, folder, to);
  assert_int_equal(system(command), 0);
}

// Reads its files again while its link is up, which stays; from then on it shows what
// they say, and is not believed by who does not know the authority.
static void test_a_node_reads_its_files_again(void **state) {
  (void)state;
  copy_file("one.pem", "changing.pem");
  copy_file("one.key", "changing.key");
  ici_node_t *one = tls_node(0, "changing", "ours");
  ici_node_t *two = tls_node(1, "two", "ours");
  assert_ok(ici_node_dial(two, 1, ici_node_tcp_url(one, 0)));
  assert_ok(ici_node_wait_up(one, deadline()));
  copy_file("two.pem", "changing.pem");  // Not that of the key.
  const pod_status_t status = ici_node_renew_tls(one);
  assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
  assert_non_null(strstr(pod_status_message(status), "changing."));
  pod_status_free(status);
  ici_node_disconnect(one, 0);
  assert_ok(ici_node_wait_up(two, deadline()));
  assert_ok(ici_node_wait_up(one, deadline()));
  copy_file("other.pem", "changing.pem");
  copy_file("other.key", "changing.key");
  assert_ok(ici_node_renew_tls(one));
  assert_ok(ici_node_wait_up(one, deadline()));
  ici_node_disconnect(one, 0);
  const pod_status_t down =
      ici_node_wait_up(one, pod_clock_now_ns() + (int64_t)300 * 1000000);
  assert_int_equal(pod_status_code(down), POD_DEADLINE_EXCEEDED);
  pod_status_free(down);
  ici_node_destroy(two);
  ici_node_destroy(one);
}

static void assert_refused(const ici_tls_files_t *files, const char *named) {
  ici_node_t *node;
  const pod_status_t status = try_node(0, files, &node);
  assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
  assert_non_null(strstr(pod_status_message(status), named));
  pod_status_free(status);
}

static void test_files_that_are_none_are_named(void **state) {
  (void)state;
  files_t names;
  assert_refused(name_files(&names, "nobody", "ours"), "nobody.pem");
  (void)name_files(&names, "one", "ours");
  names.files.ca = names.key;
  assert_refused(&names.files, "one.key");
  (void)name_files(&names, "one", "ours");
  names.files.key = names.ca;
  assert_refused(&names.files, "ours.pem");
}

int main(void) {
  pod_log_init("test", getenv("ICI_TEST_LOG") != NULL ? POD_LOG_DEBUG : POD_LOG_NONE);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_collectives_run_over_encrypted_links),
      cmocka_unit_test(test_certificates_of_another_authority_are_refused),
      cmocka_unit_test(test_a_clients_certificate_does_not_listen),
      cmocka_unit_test(test_a_plain_connection_gets_nothing),
      cmocka_unit_test(test_who_begins_a_handshake_only_keeps_nobody_out),
      cmocka_unit_test(test_a_node_reads_its_files_again),
      cmocka_unit_test(test_files_that_are_none_are_named),
  };
  return cmocka_run_group_tests(tests, make_certificates, remove_certificates);
}
