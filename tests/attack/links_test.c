// Strangers at the port of an ICI link, while the chips of the pod run collectives:
// silent ones, garbage, guesses, what the real neighbour once said played again, frames
// of a link that they do not have, and as many connections as they can make. The
// collectives are right, the link stays up, and comes up again when it is cut meanwhile.

#include <arpa/inet.h>
#include <dirent.h>
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
#include "common/base/random.h"
#include "tests/system/client.h"
#include "tests/unit/server/ici/introduce.h"
#include "tests/unit/server/ici/pod.h"

enum {
  SILENT = 25,
  EXECUTIONS = 60,
  CUTS = 5,
  TIMEOUT_MS = 60000,
  WAIT_MS = 20,
  RECORD_BYTES_MAX = 4096,
  PORTS_MAX = 16,
  REST_MS = 300,
};

#define MS_NS ((int64_t)1000000)

// ---- Strangers. Each comes again and again until it is told to stop.

typedef struct attack_t {
  const char *url;
  atomic_bool stops;
  atomic_int connections;
  atomic_bool is_let_in;  // Somebody was told something.
  const uint8_t *record;  // What the real neighbour once said.
  size_t record_bytes;
} attack_t;

static int approach(attack_t *attack) {
  // The queue of the listener may be full: it takes nobody while its link is up.
  const int file = connect_tcp_within(attack->url, WAIT_MS);
  atomic_fetch_add(&attack->connections, file >= 0 ? 1 : 0);
  return file;
}

// More than a challenge: whose chip it is, its epoch, a hello.
static void note_answers(attack_t *attack, int file) {
  ici_header_t header;
  uint8_t payload[ICI_HELLO_BYTES];
  while (receive_frame(file, &header, payload, sizeof(payload))) {
    if (header.kind != ICI_CHALLENGE || header.source != 0 || header.epoch != 0) {
      atomic_store(&attack->is_let_in, true);
    }
  }
}

static void *flood(void *context) {
  attack_t *attack = context;
  while (!atomic_load(&attack->stops)) {
    const int file = approach(attack);
    if (file >= 0) {
      close(file);
    }
  }
  return NULL;
}

static void *say_garbage(void *context) {
  attack_t *attack = context;
  pod_random_t random = {.state = 1};
  uint8_t noise[3000];
  while (!atomic_load(&attack->stops)) {
    const int file = approach(attack);
    for (size_t i = 0; i < sizeof(noise); i++) {
      noise[i] = (uint8_t)pod_random_next(&random);
    }
    if (file >= 0) {
      (void)send(file, noise, sizeof(noise), MSG_NOSIGNAL);
      note_answers(attack, file);
      close(file);
    }
  }
  return NULL;
}

// All that can be known of the neighbour but the secret.
static stranger_t impostor(void) {
  return (stranger_t){.pod = "test",
                      .chip = 1,
                      .peer = 0,
                      .direction = 1,
                      .epoch = 1001,
                      .transport = ICI_TRANSPORT_TCP};
}

static void *guess(void *context) {
  attack_t *attack = context;
  stranger_t stranger = impostor();
  uint8_t secret[ICI_SECRET_BYTES] = {0};
  stranger.secret = secret;
  while (!atomic_load(&attack->stops)) {
    const int file = approach(attack);
    secret[0]++;
    if (file >= 0) {
      if (introduce(file, &stranger)) {
        atomic_store(&attack->is_let_in, true);
      }
      note_answers(attack, file);
      close(file);
    }
  }
  return NULL;
}

// Frames of a link that is up, for executions that run or are to come.
static void *abandon(void *context) {
  attack_t *attack = context;
  while (!atomic_load(&attack->stops)) {
    const int file = approach(attack);
    ici_header_t header = {.kind = ICI_ABANDON, .source = 1, .epoch = 1001};
    header.tag = 10;
    header.payload_bytes = 6;
    for (uint64_t i = 0; file >= 0 && i < EXECUTIONS; i++) {
      header.execution = i;
      (void)send_frame(file, &header, "poison");
    }
    if (file >= 0) {
      note_answers(attack, file);
      close(file);
    }
  }
  return NULL;
}

static void *replay(void *context) {
  attack_t *attack = context;
  while (!atomic_load(&attack->stops)) {
    const int file = approach(attack);
    if (file >= 0) {
      (void)send(file, attack->record, attack->record_bytes, MSG_NOSIGNAL);
      note_answers(attack, file);
      close(file);
    }
  }
  return NULL;
}

static void *(*const strangers[])(void *) = {flood, say_garbage, guess, abandon, replay};

typedef struct siege_t {
  attack_t attack;
  pthread_t threads[POD_COUNT_OF(strangers)];
  int silent[SILENT];
} siege_t;

static void start_siege(siege_t *siege, const char *url, const uint8_t *record,
                        size_t record_bytes) {
  *siege =
      (siege_t){.attack = {.url = url, .record = record, .record_bytes = record_bytes}};
  for (size_t i = 0; i < POD_COUNT_OF(strangers); i++) {
    POD_CHECK(pthread_create(&siege->threads[i], NULL, strangers[i], &siege->attack) ==
              0);
  }
  for (int i = 0; i < SILENT; i++) {
    siege->silent[i] = connect_tcp_within(url, WAIT_MS);
  }
}

static void stop_siege(siege_t *siege) {
  atomic_store(&siege->attack.stops, true);
  for (size_t i = 0; i < POD_COUNT_OF(strangers); i++) {
    pthread_join(siege->threads[i], NULL);
  }
  for (int i = 0; i < SILENT; i++) {
    if (siege->silent[i] >= 0) {
      close(siege->silent[i]);
    }
  }
  assert_false(atomic_load(&siege->attack.is_let_in));
}

// ---- What the real neighbour says when it comes, overheard on the way. On a busy
// machine it may give up and come again: what it said last is what counts.

typedef struct tap_t {
  const char *far;
  int listener;
  char url[64];
  uint8_t record[RECORD_BYTES_MAX];
  atomic_size_t record_bytes;
  atomic_bool stops;
  pthread_t thread;
} tap_t;

static void pass_between(tap_t *tap, int near, int far) {
  uint8_t bytes[65536];
  while (!atomic_load(&tap->stops)) {
    struct pollfd files[] = {{.fd = near, .events = POLLIN},
                             {.fd = far, .events = POLLIN}};
    (void)poll(files, 2, 10);
    for (int i = 0; i < 2; i++) {
      const ssize_t got =
          files[i].revents != 0 ? recv(files[i].fd, bytes, sizeof(bytes), 0) : -1;
      if (files[i].revents != 0 && got <= 0) {
        return;
      }
      const size_t had = atomic_load(&tap->record_bytes);
      if (got > 0 && i == 0 && had + (size_t)got <= sizeof(tap->record)) {
        memcpy(tap->record + had, bytes, (size_t)got);
        atomic_store(&tap->record_bytes, had + (size_t)got);
      }
      if (got > 0) {
        (void)send(files[1 - i].fd, bytes, (size_t)got, MSG_NOSIGNAL);
      }
    }
  }
}

static void *serve_tap(void *context) {
  tap_t *tap = context;
  while (!atomic_load(&tap->stops)) {
    struct pollfd listener = {.fd = tap->listener, .events = POLLIN};
    if (poll(&listener, 1, 10) != 1) {
      continue;
    }
    const int near = accept(tap->listener, NULL, NULL);
    const int far = connect_tcp(tap->far);
    atomic_store(&tap->record_bytes, 0);
    if (near >= 0 && far >= 0) {
      pass_between(tap, near, far);
    }
    close(near);
    close(far);
  }
  return NULL;
}

static void start_tap(tap_t *tap, const char *far) {
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size_bytes = sizeof(address);
  *tap = (tap_t){.far = far, .listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  POD_CHECK(bind(tap->listener, (const struct sockaddr *)&address, sizeof(address)) == 0);
  POD_CHECK(listen(tap->listener, 1) == 0);
  getsockname(tap->listener, (struct sockaddr *)&address, &size_bytes);
  snprintf(tap->url, sizeof(tap->url), "tcp://127.0.0.1:%d", ntohs(address.sin_port));
  POD_CHECK(pthread_create(&tap->thread, NULL, serve_tap, tap) == 0);
}

static void stop_tap(tap_t *tap) {
  atomic_store(&tap->stops, true);
  pthread_join(tap->thread, NULL);
  close(tap->listener);
}

// ---- Two chips over tcp.

static double cpu_ms(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
         (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
}

// Nothing goes on when the strangers have left, once the last of them are dealt with.
static void expect_rest(void) {
  const int64_t until_ns = deadline();
  double used_ms = REST_MS;
  while (used_ms >= REST_MS / 2.0) {
    assert_true(pod_clock_now_ns() < until_ns);
    const double before_ms = cpu_ms();
    (void)usleep(1000 * REST_MS);
    used_ms = cpu_ms() - before_ms;
  }
}

// Returns the longest of them.
static double run_collectives(pod_t *pod, uint64_t first) {
  const collective_request_t requests[] = {request_of(CHIP_OP_ALL_REDUCE, 1, 2, 1000),
                                           request_of(CHIP_OP_ALL_REDUCE, 1, 2, 100000)};
  double longest_ms = 0;
  for (uint64_t i = 0; i < EXECUTIONS; i++) {
    const int64_t start_ns = pod_clock_now_ns();
    run_all(pod, requests, POD_COUNT_OF(requests), first + i);
    const double ms = (double)(pod_clock_now_ns() - start_ns) / MS_NS;
    longest_ms = ms > longest_ms ? ms : longest_ms;
  }
  return longest_ms;
}

static void test_strangers_at_a_link_disturb_no_collective(void **state) {
  (void)state;
  pod_t pod = {.torus = pair, .chip_count = 2};
  siege_t siege;
  tap_t tap;
  pod.nodes[0] = make_node(&pod, 0, WAY_TCP);
  pod.nodes[1] = make_node(&pod, 1, WAY_TCP);
  const char *url = ici_node_tcp_url(pod.nodes[0], 0);
  start_tap(&tap, url);
  assert_ok(ici_node_dial(pod.nodes[1], 1, tap.url));
  assert_ok(ici_node_wait_up(pod.nodes[0], deadline()));
  assert_ok(ici_node_wait_up(pod.nodes[1], deadline()));
  const double quiet_ms = run_collectives(&pod, 0);
  stop_tap(&tap);
  const int64_t until_ns = deadline();
  while (atomic_load(&pod.downs) < 2) {
    assert_true(pod_clock_now_ns() < until_ns);
    (void)usleep(1000);
  }
  assert_ok(ici_node_dial(pod.nodes[1], 1, url));
  assert_ok(ici_node_wait_up(pod.nodes[1], deadline()));
  assert_ok(ici_node_wait_up(pod.nodes[0], deadline()));
  const int losses = atomic_load(&pod.downs);
  start_siege(&siege, url, tap.record, atomic_load(&tap.record_bytes));
  const double besieged_ms = run_collectives(&pod, EXECUTIONS);
  assert_int_equal(atomic_load(&pod.downs), losses);  // It has stayed up.
  // Cut in the middle of it, it comes back, for those that belong to it.
  double longest_ms = 0;
  for (uint64_t cut = 0; cut < CUTS; cut++) {
    const int before = atomic_load(&pod.downs);
    ici_node_disconnect(pod.nodes[cut % 2], cut % 2 == 0 ? 0 : 1);
    const int64_t start_ns = pod_clock_now_ns();
    while (atomic_load(&pod.downs) < before + 2) {  // Both have noticed.
      assert_true(pod_clock_now_ns() < start_ns + TIMEOUT_MS * MS_NS);
      (void)usleep(1000);
    }
    assert_ok(ici_node_wait_up(pod.nodes[0], deadline()));
    assert_ok(ici_node_wait_up(pod.nodes[1], deadline()));
    const double ms = (double)(pod_clock_now_ns() - start_ns) / MS_NS;
    longest_ms = ms > longest_ms ? ms : longest_ms;
    const collective_request_t request = request_of(CHIP_OP_ALL_REDUCE, 1, 2, 1000);
    run_all(&pod, &request, 1, 10000 + cut);
  }
  stop_siege(&siege);
  print_message(
      "longest execution %.1f ms, among %d connections of strangers %.1f ms; "
      "up again after a cut in %.1f ms at most\n",
      quiet_ms, atomic_load(&siege.attack.connections), besieged_ms, longest_ms);
  expect_rest();
  ici_node_destroy(pod.nodes[0]);
  ici_node_destroy(pod.nodes[1]);
}

// ---- Real daemons, whose links are local: their ports for other hosts are besieged.

static bool is_file_of(pid_t process, const char *target) {
  char path[64], link[64];
  bool is_found = false;
  snprintf(path, sizeof(path), "/proc/%d/fd", (int)process);
  DIR *folder = opendir(path);
  assert_non_null(folder);
  for (const struct dirent *entry = readdir(folder); entry != NULL && !is_found;
       entry = readdir(folder)) {
    const ssize_t length =
        readlinkat(dirfd(folder), entry->d_name, link, sizeof(link) - 1);
    link[length > 0 ? length : 0] = '\0';
    is_found = strcmp(link, target) == 0;
  }
  closedir(folder);
  return is_found;
}

// Where the process listens, by /proc/net/tcp.
static int ports_of(pid_t process, int ports[PORTS_MAX]) {
  char line[512], socket_name[64];
  int count = 0;
  FILE *file = fopen("/proc/net/tcp", "re");
  assert_non_null(file);
  while (fgets(line, sizeof(line), file) != NULL && count < PORTS_MAX) {
    unsigned port, phase;
    unsigned long inode;
    if (sscanf(line, " %*d: %*x:%x %*x:%*x %x %*x:%*x %*x:%*x %*x %*d %*d %lu", &port,
               &phase, &inode) == 3 &&
        phase == 10) {
      snprintf(socket_name, sizeof(socket_name), "socket:[%lu]", inode);
      if (is_file_of(process, socket_name)) {
        ports[count++] = (int)port;
      }
    }
  }
  fclose(file);
  return count;
}

static const char sum_module[] =
    "module @sum {\n"
    "  sdy.mesh @mesh = <[\"x\"=2]>\n"
    "  func.func public @main(%arg0: tensor<2x64xf32> {sdy.sharding = "
    "#sdy.sharding<@mesh, [{\"x\"}, {}]>}) -> (tensor<64xf32> {sdy.sharding = "
    "#sdy.sharding<@mesh, [{}]>}) {\n"
    "    %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "    %0 = stablehlo.reduce(%arg0 init: %zero) applies stablehlo.add across "
    "dimensions = [0] : (tensor<2x64xf32>, tensor<f32>) -> tensor<64xf32>\n"
    "    return %0 : tensor<64xf32>\n  }\n}\n";

static void run_sums(podium_session_t *session, int count) {
  podium_executable_t *sum = NULL;
  podium_array_t *argument = NULL;
  float values[128], result[64];
  for (int i = 0; i < 128; i++) {
    values[i] = (float)i;
  }
  must(podium_compile(session, "sum.mlir", sum_module, strlen(sum_module),
                      &(podium_compile_options_t){.timeout_ms = TIMEOUT_MS}, &sum));
  must(podium_put(session, &(podium_layout_t){.executable = sum}, values, sizeof(values),
                  TIMEOUT_MS, &argument));
  for (int n = 0; n < count; n++) {
    podium_array_t *array = NULL;
    must(podium_execute(sum, 1, &argument,
                        &(podium_execute_options_t){.timeout_ms = TIMEOUT_MS}, &array,
                        NULL));
    must(podium_fetch(array, result, sizeof(result), TIMEOUT_MS));
    for (int i = 0; i < 64; i++) {
      assert_true(result[i] == (float)(2 * i + 64));
    }
    podium_array_free(array);
  }
  podium_array_free(argument);
}

static void test_strangers_at_the_ports_of_workers_disturb_no_program(void **state) {
  (void)state;
  const system_pod_options_t options = {
      .topology = "1x2", .worker_args = {"--ici-listen", "tcp://127.0.0.1", NULL}};
  system_pod_t *pod = system_pod_start(&options);
  podium_session_t *session = connect_to(pod);
  static const uint8_t nothing[1];
  static char urls[2 * PORTS_MAX][64];
  static siege_t sieges[2 * PORTS_MAX];
  int count = 0;
  const int64_t start_ns = pod_clock_now_ns();
  for (int worker = 0; worker < 2; worker++) {
    int ports[PORTS_MAX];
    const int found = ports_of(system_pod_worker(pod, worker), ports);
    for (int i = 0; i < found; i++) {
      snprintf(urls[count], sizeof(urls[0]), "tcp://127.0.0.1:%d", ports[i]);
      start_siege(&sieges[count], urls[count], nothing, sizeof(nothing));
      count++;
    }
  }
  assert_true(count >= 3);  // A port of gRPC each, and one of the link.
  run_sums(session, 20);
  for (int i = 0; i < count; i++) {
    stop_siege(&sieges[i]);
  }
  run_sums(session, 3);
  podium_close(session);
  // One a minute, and one when it begins.
  const int64_t lines_max = 2 + (pod_clock_now_ns() - start_ns) / (60000 * MS_NS);
  for (int worker = 0; worker < 2; worker++) {
    char *log = system_pod_log(pod, worker);
    int lines = 0;
    for (const char *at = log; (at = strstr(at, "did not prove")) != NULL; at++) {
      lines++;
    }
    assert_true(lines <= lines_max);
    free(log);
  }
  system_pod_stop(pod);
}

int main(void) {
  pod_log_init("test", getenv("ICI_TEST_LOG") != NULL ? POD_LOG_DEBUG : POD_LOG_NONE);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_strangers_at_a_link_disturb_no_collective),
      cmocka_unit_test(test_strangers_at_the_ports_of_workers_disturb_no_program),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
