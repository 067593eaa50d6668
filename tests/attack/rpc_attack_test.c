// Clients that mean ill to common/rpc's server: what they do costs themselves and not the
// others, whose calls go on being answered, on connections that are there and on new
// ones.
//
// Usage: attack.rpc [SECONDS [MILLISECONDS]]: how long each attack lasts, and what the
// others' p99 must stay below. The defaults suit a machine that does other things too;
// `ninja bench.attack` measures.

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/check.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/rpc/rpc.h"
#include "rpc_peers.h"

enum {
  DATA = 0,
  HEADERS = 1,
  PRIORITY = 2,
  RST_STREAM = 3,
  SETTINGS = 4,
  PING = 6,
  WINDOW_UPDATE = 8,
  CONTINUATION = 9,
  END_HEADERS = 4,
  FLOOD_FRAMES = 500,  // At a time.
};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { MEMORY_KIB_MAX = 4 << 20 };  // What was freed is not used again.
#else
enum { MEMORY_KIB_MAX = 512 << 10 };
#endif

static double seconds = 1.5;
static double bound_ms = 2000;

// --- The server, in a process of its own ---

static void answer(rpc_call_t *call, const void *message, void *context) {
  (void)context;
  const rpc_bytes_t *bytes = message;
  rpc_call_send_bytes(call, bytes->data, bytes->size_bytes);
  rpc_call_finish(call, NULL);
}

// Something for small windows to be opened for.
static void produce(rpc_call_t *call, const void *message, void *context) {
  (void)message;
  (void)context;
  static uint8_t bytes[32 << 10];
  rpc_call_send_bytes(call, bytes, sizeof(bytes));
}

static void drop(rpc_call_t *call, const void *message, void *context) {
  (void)call;
  (void)message;
  (void)context;
}

static void end_call(rpc_call_t *call, pod_status_t status, void *context) {
  (void)call;
  (void)context;
  pod_status_free(status);
}

static const rpc_method_t methods[] = {
    {.path = "/a/One",
     .events = {.on_message = answer, .on_end = end_call},
     .one_request = true},
    {.path = "/a/Sink", .events = {.on_message = drop, .on_end = end_call}},
    {.path = "/a/Produce", .events = {.on_message = produce, .on_end = end_call}},
    {0},
};

static void serve(int fd) {
  rpc_loop_t *loop = NULL;
  rpc_server_t *server = NULL;
  char *address = NULL;
  pod_log_init("server", POD_LOG_NONE);
  POD_CHECK(rpc_loop_create(&loop) == NULL);
  POD_CHECK(rpc_server_create(loop, NULL, &server) == NULL);
  rpc_server_add_service(server, "a", methods, NULL);
  POD_CHECK(rpc_server_listen(server, "127.0.0.1:0", &address) == NULL);
  if (write(fd, address, strlen(address) + 1) < 0) {
    _exit(1);
  }
  rpc_loop_run(loop);
}

typedef struct server_t {
  pid_t pid;
  in_port_t port;
} server_t;

static server_t start_server(void) {
  char address[128] = "";
  int fds[2];
  assert_int_equal(pipe(fds), 0);
  server_t server = {.pid = fork()};
  if (server.pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(fds[0]);
    serve(fds[1]);
    _exit(0);
  }
  close(fds[1]);
  assert_true(read(fds[0], address, sizeof(address)) > 0);
  close(fds[0]);
  server.port = (in_port_t)strtoul(strrchr(address, ':') + 1, NULL, 10);
  return server;
}

static long memory_kib(pid_t pid) {
  char path[64];
  char line[256];
  long kib = -1;
  snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
  FILE *file = fopen(path, "r");
  while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
    if (strncmp(line, "VmHWM:", 6) == 0) {
      kib = strtol(line + 6, NULL, 10);
    }
  }
  if (file != NULL) {
    fclose(file);
  }
  return kib;
}

// --- The attacks ---

static void greet(attacker_t *attacker) {
  pod_text_add_bytes(&attacker->out, PEER_PREFACE PEER_SETTINGS,
                     sizeof(PEER_PREFACE PEER_SETTINGS) - 1);
}

static void add_many(attacker_t *attacker, uint8_t type, uint32_t stream,
                     const void *payload, size_t size) {
  for (int i = 0; i < FLOOD_FRAMES; i++) {
    peer_add_frame(&attacker->out, type, 0, stream, payload, size);
  }
}

static void open_nothing_or_greet(attacker_t *attacker) {
  if (attacker->fd % 2 == 0) {
    greet(attacker);
  }
}

static void drip_preface(attacker_t *attacker) {
  pod_text_add_bytes(&attacker->out, &PEER_PREFACE[attacker->step % 20], 1);
}

static void open_headers(attacker_t *attacker) {
  greet(attacker);
  pod_text_add_bytes(&attacker->out, "\0\x40\0\1\4\0\0\0\1\x83\x86", 11);
}

static void drip_header(attacker_t *attacker) {
  pod_text_add_bytes(&attacker->out, "\x86", 1);
}

static void drip_continuation(attacker_t *attacker) {
  if (attacker->step == 0) {
    peer_add_frame(&attacker->out, HEADERS, 0, 1, "\x83\x86", 2);
  }
  peer_add_frame(&attacker->out, CONTINUATION, 0, 1, "\x86", attacker->step % 2);
}

static void open_data(attacker_t *attacker) {
  greet(attacker);
  peer_add_request(&attacker->out, 1, "/a/Sink", false);
  pod_text_add_bytes(&attacker->out, "\1\0\0\0\0\0\0\0\1\0\0\0\xff\xff", 14);
}

static void drip_data(attacker_t *attacker) {
  pod_text_add_bytes(&attacker->out, "x", 1);
}

// An entry of 4,000 bytes in the table of header compression, then a byte for each use.
static void expand_headers(attacker_t *attacker) {
  pod_text_t block = {0};
  pod_text_add_bytes(&block, "\x83\x86\4\2/x\1\1a", 9);
  if (attacker->step == 0) {
    pod_text_add_bytes(&block, "\x40\1b\x7f\xa1\x1e", 6);
    for (int i = 0; i < 4000; i++) {
      pod_text_add_bytes(&block, "y", 1);
    }
  }
  for (int i = 0; i < 11000; i++) {
    pod_text_add_bytes(&block, "\xbe", 1);
  }
  peer_add_frame(&attacker->out, HEADERS, END_HEADERS, attacker->next_stream, block.bytes,
                 block.length);
  attacker->next_stream += 2;
  pod_text_deinit(&block);
}

static void send_two_messages(attacker_t *attacker) {
  for (int i = 0; i < 50; i++) {
    peer_add_request(&attacker->out, attacker->next_stream, "/a/One", false);
    peer_add_message(&attacker->out, attacker->next_stream, 8, false);
    peer_add_message(&attacker->out, attacker->next_stream, 8, true);
    attacker->next_stream += 2;
  }
}

static void call_well(attacker_t *attacker) {
  for (int i = 0; i < 50; i++) {
    peer_add_request(&attacker->out, attacker->next_stream, "/a/One", false);
    peer_add_message(&attacker->out, attacker->next_stream, 8, true);
    attacker->next_stream += 2;
  }
}

static void ping(attacker_t *attacker) {
  add_many(attacker, PING, 0, "12345678", 8);
}

static void set(attacker_t *attacker) {
  add_many(attacker, SETTINGS, 0, "\0\4\0\0\xff\xff", 6);
}

static void prioritize(attacker_t *attacker) {
  add_many(attacker, PRIORITY, 1 + 2 * (uint32_t)(attacker->step % 1000), "\0\0\0\0\7",
           5);
}

static void begin_and_reset(attacker_t *attacker) {
  for (int i = 0; i < FLOOD_FRAMES; i++) {
    peer_add_request(&attacker->out, attacker->next_stream, "/a/One", false);
    peer_add_frame(&attacker->out, RST_STREAM, 0, attacker->next_stream, "\0\0\0\x8", 4);
    attacker->next_stream += 2;
  }
}

// Windows of nothing, opened by a byte at a time.
static void open_small_windows(attacker_t *attacker) {
  pod_text_add_bytes(&attacker->out, PEER_PREFACE, sizeof(PEER_PREFACE) - 1);
  peer_add_frame(&attacker->out, SETTINGS, 0, 0, "\0\4\0\0\0\0", 6);
  for (uint32_t stream = 1; stream < 200; stream += 2) {
    peer_add_request(&attacker->out, stream, "/a/Produce", false);
    peer_add_message(&attacker->out, stream, 8, false);
  }
}

static void open_window_by_one(attacker_t *attacker) {
  for (int i = 0; i < FLOOD_FRAMES; i++) {
    peer_add_frame(&attacker->out, WINDOW_UPDATE, 0, 1 + 2 * (uint32_t)(i % 100),
                   "\0\0\0\1", 4);
  }
  peer_add_frame(&attacker->out, WINDOW_UPDATE, 0, 0, "\0\0\2\0", 4);
}

static void change_all_windows(attacker_t *attacker) {
  for (int i = 0; i < FLOOD_FRAMES; i++) {
    peer_add_frame(&attacker->out, SETTINGS, 0, 0,
                   i % 2 == 0 ? "\0\4\0\0\0\1" : "\0\4\0\0\0\0", 6);
  }
}

static void open_sink(attacker_t *attacker) {
  greet(attacker);
  peer_add_request(&attacker->out, 1, "/a/Sink", false);
}

static void send_empty_data(attacker_t *attacker) {
  add_many(attacker, DATA, 1, "", 0);
}

static void send_empty_messages(attacker_t *attacker) {
  add_many(attacker, DATA, 1, "\0\0\0\0\0", 5);
}

static void send_unknown_frames(attacker_t *attacker) {
  add_many(attacker, 0x42, 0, "", 0);
}

static const attack_t attacks[] = {
    {"idle connections", 1200, 0, false, open_nothing_or_greet, NULL},
    {"a preface that drips", 400, 100, false, NULL, drip_preface},
    {"headers that drip", 400, 100, false, open_headers, drip_header},
    {"continuations that drip", 400, 100, false, greet, drip_continuation},
    {"a byte a second", 400, 1000, false, open_data, drip_data},
    {"headers that expand", 16, 0, false, greet, expand_headers},
    {"two messages", 16, 0, false, greet, send_two_messages},
    {"many calls", 64, 0, false, greet, call_well},
    {"pings", 64, 0, false, greet, ping},
    {"pings, unread answers", 64, 0, true, greet, ping},
    {"settings", 64, 0, false, greet, set},
    {"priorities", 64, 0, false, greet, prioritize},
    {"rapid resets", 64, 0, false, greet, begin_and_reset},
    {"windows of a byte", 16, 0, false, open_small_windows, open_window_by_one},
    {"windows that change", 16, 0, false, open_small_windows, change_all_windows},
    {"answers nobody reads", 16, 0, true, open_small_windows, open_window_by_one},
    {"empty DATA frames", 64, 0, false, open_sink, send_empty_data},
    {"empty messages", 64, 0, false, open_sink, send_empty_messages},
    {"unknown frames", 64, 0, false, greet, send_unknown_frames},
};

// --- The tests ---

typedef struct running_t {
  const attack_t *attack;
  in_port_t port;
  atomic_bool stop;
  attack_result_t result;
} running_t;

static void *run_attack(void *context) {
  running_t *running = context;
  running->result = attack_run(running->attack, running->port, &running->stop);
  return NULL;
}

static void print_result(const char *name, const probe_results_t *others,
                         const attack_result_t *attack, long kib) {
  printf("%-24s  %7.1f %7.1f %7.1f   %7.1f %7.1f %7.1f  %5.1f%%  %8llu %8.1f %6ld\n",
         name, others->same.p50_ms, others->same.p99_ms, others->same.most_ms,
         others->fresh.p50_ms, others->fresh.p99_ms, others->fresh.most_ms,
         100.0 * (double)others->fresh.failures / (double)others->fresh.calls,
         (unsigned long long)attack->connections, (double)attack->bytes / 1e6,
         kib / 1024);
  fflush(stdout);
}

static void test_others_are_served_during_an_attack(void **state) {
  const attack_t *attack = *state;
  const server_t server = start_server();
  running_t running = {.attack = attack, .port = server.port};
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, run_attack, &running), 0);
  usleep(200000);  // The attack is under way.
  const probe_results_t others =
      probe_run(server.port, "/a/One", (int64_t)(seconds * 1e9));
  atomic_store(&running.stop, true);
  pthread_join(thread, NULL);
  const long kib = memory_kib(server.pid);
  kill(server.pid, SIGKILL);
  assert_int_equal(waitpid(server.pid, NULL, 0), server.pid);
  print_result(attack->name, &others, &running.result, kib);
  assert_int_equal(others.same.failures, 0);
  assert_true(others.fresh.failures * 100 <= others.fresh.calls);
  assert_true(others.same.p99_ms <= bound_ms);
  assert_true(others.fresh.p99_ms <= bound_ms);
  assert_in_range(kib, 1, MEMORY_KIB_MAX);
}

int main(int argc, char **argv) {
  enum { COUNT = sizeof(attacks) / sizeof(attacks[0]) };
  struct CMUnitTest tests[COUNT];
  struct rlimit limit;
  seconds = argc > 1 ? strtod(argv[1], NULL) : seconds;
  bound_ms = argc > 2 ? strtod(argv[2], NULL) : bound_ms;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  for (int i = 0; i < COUNT; i++) {
    tests[i] = (struct CMUnitTest){.name = attacks[i].name,
                                   .test_func = test_others_are_served_during_an_attack,
                                   .initial_state = (void *)(uintptr_t)&attacks[i]};
  }
  printf("%-24s  %-23s   %-23s  %6s  %8s %8s %6s\n", "others' calls, ms",
         "one connection", "new connections", "lost", "attacks", "MB sent", "MiB");
  printf("%-24s  %7s %7s %7s   %7s %7s %7s\n", "", "p50", "p99", "most", "p50", "p99",
         "most");
  return cmocka_run_group_tests(tests, NULL, NULL);
}
