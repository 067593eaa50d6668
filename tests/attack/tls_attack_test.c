// Clients that mean ill to a port of TLS: handshakes without end, handshakes that are
// begun only, records of one byte. Others' calls go on being answered.
//
// The attackers are on the server's machine, and take its processors as well as its
// service: with eight of them the server runs for a thirtieth of the time, and others
// wait for a second, of which it has worked for some milliseconds. What is looked at is
// therefore the time of a call without that in which the server, or who calls, was ready
// to run and had no processor (/proc/PID/schedstat): what it would take if they came from
// other machines.
//
// Usage: attack.tls [SECONDS [MILLISECONDS]]: how long each attack lasts, and what the
// others' p99 must stay below.

#include <openssl/ssl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/rpc/address.h"
#include "common/rpc/rpc.h"
#include "tests/unit/common/rpc/authority.h"

enum { ATTACKERS = 8, CALLS_MAX = 1 << 16, CALLS_MIN = 4, PAUSE_MS = 5 };

static double seconds = 3;
static double bound_ms = 250;
static const char host[] = "127.0.0.2";  // Has no shortcut: calls go by TLS.

// --- The server, in a process of its own ---

static void answer(rpc_call_t *call, const void *message, void *context) {
  (void)context;
  const rpc_bytes_t *bytes = message;
  rpc_call_send_bytes(call, bytes->data, bytes->size_bytes);
  rpc_call_finish(call, NULL);
}

static void end_call(rpc_call_t *call, pod_status_t status, void *context) {
  (void)call;
  (void)context;
  pod_status_free(status);
}

static const rpc_method_t methods[] = {
    {.path = "/a/One", .events = {.on_message = answer, .on_end = end_call}}, {0}};

static void serve(int fd, const authority_t *authority) {
  rpc_loop_t *loop = NULL;
  rpc_server_t *server = NULL;
  char *address = NULL;
  pod_log_init("server", POD_LOG_NONE);
  const rpc_server_options_t options = {
      .credentials = authority_server(authority, "server", authority)};
  POD_CHECK(rpc_loop_create(&loop) == NULL);
  POD_CHECK(rpc_server_create(loop, &options, &server) == NULL);
  rpc_server_add_service(server, "a", methods, NULL);
  POD_CHECK(rpc_server_listen(server, "0.0.0.0:0", &address) == NULL);
  POD_CHECK(write(fd, address, strlen(address) + 1) > 0);
  rpc_loop_run(loop);
}

static pid_t start_server(const authority_t *authority, char out_address[64]) {
  char bound[64] = "";
  int fds[2];
  assert_int_equal(pipe(fds), 0);
  const pid_t server = fork();
  if (server == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(fds[0]);
    serve(fds[1], authority);
    _exit(0);
  }
  close(fds[1]);
  assert_true(read(fds[0], bound, sizeof(bound)) > 0);
  close(fds[0]);
  snprintf(out_address, 64, "%s%s", host, strrchr(bound, ':'));
  return server;
}

// --- Attackers: threads of another process ---

typedef struct attack_t attack_t;
struct attack_t {
  const char *name;
  void (*once)(const attack_t *attack);  // Again and again, on each thread.
  const char *address;
  SSL_CTX *context;
};

static int connect_to(const attack_t *attack) {
  rpc_address_t address;
  POD_CHECK(rpc_address_resolve(attack->address, &address) == NULL);
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(fd, (struct sockaddr *)&address.socket, address.size_bytes) != 0) {
    close(fd);
    usleep(1000);
    return -1;
  }
  return fd;
}

static void leave(int fd) {
  const struct linger abort = {.l_onoff = 1};  // Keeps no port from the next.
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &abort, sizeof(abort));
  close(fd);
}

static void shake_and_leave(const attack_t *attack) {
  const int fd = connect_to(attack);
  if (fd < 0) {
    return;
  }
  SSL *ssl = SSL_new(attack->context);
  SSL_set_fd(ssl, fd);
  SSL_connect(ssl);
  SSL_free(ssl);
  leave(fd);
}

// Makes the server do its part, and does none.
static void begin_and_leave(const attack_t *attack) {
  const int fd = connect_to(attack);
  if (fd < 0) {
    return;
  }
  SSL *ssl = SSL_new(attack->context);
  BIO *said = BIO_new(BIO_s_mem());
  SSL_set_bio(ssl, BIO_new(BIO_s_mem()), said);
  SSL_connect(ssl);
  char *hello = NULL;
  char byte;
  const long length = BIO_get_mem_data(said, &hello);
  (void)!send(fd, hello, (size_t)length, MSG_NOSIGNAL);
  (void)!recv(fd, &byte, 1, 0);
  SSL_free(ssl);
  leave(fd);
}

// Records of one byte, which cost the most for what they are.
static void drip_records(const attack_t *attack) {
  static const char begin[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0";
  static const char ping[] = "\0\0\10\6\1\0\0\0\0abcdefgh";  // An answer to none.
  const int fd = connect_to(attack);
  if (fd < 0) {
    return;
  }
  SSL *ssl = SSL_new(attack->context);
  SSL_set_fd(ssl, fd);
  bool goes_on = SSL_connect(ssl) == 1 && SSL_write(ssl, begin, sizeof(begin) - 1) > 0;
  for (size_t i = 0; goes_on; i = (i + 1) % (sizeof(ping) - 1)) {
    goes_on = SSL_write(ssl, ping + i, 1) > 0;
  }
  SSL_free(ssl);
  leave(fd);
}

static void *attack_without_end(void *context) {
  const attack_t *attack = context;
  for (;;) {
    attack->once(attack);
  }
  return NULL;
}

static pid_t start_attack(attack_t *attack) {
  const pid_t attacker = fork();
  if (attacker != 0) {
    return attacker;
  }
  static const unsigned char h2[] = {2, 'h', '2'};
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGPIPE, SIG_IGN);
  attack->context = SSL_CTX_new(TLS_client_method());
  SSL_CTX_set_alpn_protos(attack->context, h2, sizeof(h2));
  for (int i = 0; i < ATTACKERS; i++) {
    pthread_t thread;
    POD_CHECK(pthread_create(&thread, NULL, attack_without_end, attack) == 0);
  }
  for (;;) {
    pause();
  }
}

// --- Others ---

// How long a process' first thread has run, and been ready to run without a processor.
typedef struct share_t {
  long long ran_ns, ready_ns;
} share_t;

static share_t share_of(pid_t process) {
  char path[64];
  share_t share = {0};
  snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)process);
  FILE *file = fopen(path, "re");
  POD_CHECK(file != NULL &&
            fscanf(file, "%lld %lld", &share.ran_ns, &share.ready_ns) == 2);
  fclose(file);
  return share;
}

typedef struct probe_t {
  pid_t server;
  share_t servers, own;  // When the call began.
  rpc_loop_t *loop;
  rpc_channel_t *channel;
  rpc_timer_t *timer;
  int64_t begun_ns, end_ns;
  size_t count, failures;
  double took_ms[CALLS_MAX], all_ms[CALLS_MAX];  // Without and with what was waited.
} probe_t;

static void on_end(rpc_call_t *call, pod_status_t status, void *context) {
  (void)call;
  probe_t *probe = context;
  const int64_t now_ns = pod_clock_now_ns();
  const share_t servers = share_of(probe->server), own = share_of(getpid());
  const int64_t took_ns = now_ns - probe->begun_ns;
  const int64_t ran_ns = servers.ran_ns - probe->servers.ran_ns;
  const int64_t rest_ns = took_ns - (servers.ready_ns - probe->servers.ready_ns) -
                          (own.ready_ns - probe->own.ready_ns);
  probe->all_ms[probe->count] = (double)took_ns / 1e6;
  probe->took_ms[probe->count++] = (double)(rest_ns > ran_ns ? rest_ns : ran_ns) / 1e6;
  probe->failures += status != NULL;
  pod_status_free(status);
  if (now_ns > probe->end_ns || probe->count == CALLS_MAX) {
    rpc_loop_stop(probe->loop);
  } else {
    rpc_timer_start(probe->timer, PAUSE_MS, 0);
  }
}

static void call_once(void *context) {
  static const rpc_call_events_t events = {.on_end = on_end};
  probe_t *probe = context;
  probe->servers = share_of(probe->server);
  probe->own = share_of(getpid());
  probe->begun_ns = pod_clock_now_ns();
  rpc_call_t *call = rpc_call_start(probe->channel, "/a/One", NULL, &events, probe, NULL);
  rpc_call_send_bytes(call, "hello", 5);
  rpc_call_half_close(call);
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a;
  const double y = *(const double *)b;
  return (x > y) - (x < y);
}

// --- The test ---

static authority_t authority;

static void test_others_are_served_during_an_attack(void **state) {
  attack_t *attack = *state;
  char address[64];
  const pid_t server = start_server(&authority, address);
  attack->address = address;
  const pid_t attacker = start_attack(attack);
  usleep(200000);  // The attack is under way.
  static probe_t probe;
  probe = (probe_t){.server = server,
                    .end_ns = pod_clock_now_ns() + (int64_t)(seconds * 1e9)};
  rpc_credentials_t *credentials = authority_client(&authority, NULL, NULL);
  const rpc_channel_options_t options = {.credentials = credentials};
  assert_null(rpc_loop_create(&probe.loop));
  assert_null(rpc_channel_create(probe.loop, address, &options, &probe.channel));
  probe.timer = rpc_timer_create(probe.loop, call_once, &probe);
  rpc_timer_start(probe.timer, 0, 0);
  rpc_loop_run(probe.loop);
  kill(attacker, SIGKILL);
  kill(server, SIGKILL);
  assert_int_equal(waitpid(attacker, NULL, 0), attacker);
  assert_int_equal(waitpid(server, NULL, 0), server);
  rpc_channel_destroy(probe.channel);
  rpc_timer_destroy(probe.timer);
  rpc_loop_destroy(probe.loop);
  rpc_credentials_destroy(credentials);
  qsort(probe.took_ms, probe.count, sizeof(probe.took_ms[0]), compare);
  qsort(probe.all_ms, probe.count, sizeof(probe.all_ms[0]), compare);
  const size_t last = probe.count * 99 / 100;
  const double p99_ms = probe.took_ms[last];
  printf(
      "%-32s %6zu calls, p50 %7.2f ms, p99 %7.2f ms; with the wait for a processor p50 "
      "%7.2f ms, p99 %7.2f ms\n",
      attack->name, probe.count, probe.took_ms[probe.count / 2], p99_ms,
      probe.all_ms[probe.count / 2], probe.all_ms[last]);
  assert_int_equal(probe.failures, 0);
  assert_true(p99_ms <= bound_ms);
  assert_true(probe.count >= CALLS_MIN);  // Nor is the time of a few taken by the rest.
}

int main(int argc, char **argv) {
  static attack_t attacks[] = {
      {.name = "handshakes without end", .once = shake_and_leave},
      {.name = "handshakes that are begun only", .once = begin_and_leave},
      {.name = "records of one byte", .once = drip_records},
  };
  enum { COUNT = sizeof(attacks) / sizeof(attacks[0]) };
  struct CMUnitTest tests[COUNT];
  if (argc > 1) {
    seconds = strtod(argv[1], NULL);
  }
  if (argc > 2) {
    bound_ms = strtod(argv[2], NULL);
  }
  signal(SIGPIPE, SIG_IGN);
  authority_start(&authority, "Test CA");
  authority_sign(&authority, "server", NULL, host);
  for (size_t i = 0; i < COUNT; i++) {
    tests[i] = (struct CMUnitTest){.name = attacks[i].name,
                                   .test_func = test_others_are_served_during_an_attack,
                                   .initial_state = &attacks[i]};
  }
  const int failed = cmocka_run_group_tests_name("attack.tls", tests, NULL, NULL);
  authority_stop(&authority);
  return failed;
}
