// What happens to a pod of real daemons when processes die, stop, come back, or talk
// nonsense. A plain gRPC client (common/rpc, no libpodium) looks on.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "proto/podium/v1/worker.pb-c.h"
#include "tests/system/pod.h"
#include "tests/unit/server/coordinator/client.h"

enum {
  CHIPS = 4,
  COLUMNS = 256,
  ARRAY_BYTES = CHIPS * COLUMNS * 4,
  SILENCE_MS = 1500,
  // What a loaded machine may add to a bound before a test calls it broken.
  SLACK_MS = 20000,
};

// Each round takes the mean of the chips' rows; rows that are alike stay as they are.
#define MODULE(rounds)                                                                   \
  "module @jit_mean {\n"                                                                 \
  "  sdy.mesh @mesh = <[\"x\"=4]>\n"                                                     \
  "  func.func public @main(%arg0: tensor<4x256xf32> {sdy.sharding = "                   \
  "#sdy.sharding<@mesh, [{\"x\"}, {}]>}) -> (tensor<4x256xf32> {sdy.sharding = "         \
  "#sdy.sharding<@mesh, [{\"x\"}, {}]>}) {\n"                                            \
  "    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{\"x\"}, {}]>] "        \
  "out_shardings=[<@mesh, [{\"x\"}, {}]>] manual_axes={\"x\"} (%arg1: "                  \
  "tensor<1x256xf32>) {\n"                                                               \
  "      %zero = stablehlo.constant dense<0> : tensor<i64>\n"                            \
  "      %1:2 = stablehlo.while(%i = %zero, %v = %arg1) : tensor<i64>, "                 \
  "tensor<1x256xf32>\n"                                                                  \
  "       cond {\n"                                                                      \
  "        %n = stablehlo.constant dense<" rounds                                        \
  "> : tensor<i64>\n"                                                                    \
  "        %c = stablehlo.compare  LT, %i, %n,  SIGNED : (tensor<i64>, tensor<i64>) -> " \
  "tensor<i1>\n"                                                                         \
  "        stablehlo.return %c : tensor<i1>\n"                                           \
  "      } do {\n"                                                                       \
  "        %s = \"stablehlo.all_reduce\"(%v) <{channel_handle = "                        \
  "#stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = "                   \
  "dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({\n"                \
  "        ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"                                    \
  "          %t = stablehlo.add %a, %b : tensor<f32>\n"                                  \
  "          stablehlo.return %t : tensor<f32>\n"                                        \
  "        }) : (tensor<1x256xf32>) -> tensor<1x256xf32>\n"                              \
  "        %q = stablehlo.constant dense<2.500000e-01> : tensor<1x256xf32>\n"            \
  "        %m = stablehlo.multiply %s, %q : tensor<1x256xf32>\n"                         \
  "        %one = stablehlo.constant dense<1> : tensor<i64>\n"                           \
  "        %k = stablehlo.add %i, %one : tensor<i64>\n"                                  \
  "        stablehlo.return %k, %m : tensor<i64>, tensor<1x256xf32>\n"                   \
  "      }\n"                                                                            \
  "      sdy.return %1#1 : tensor<1x256xf32>\n"                                          \
  "    } : (tensor<4x256xf32>) -> tensor<4x256xf32>\n"                                   \
  "    return %0 : tensor<4x256xf32>\n"                                                  \
  "  }\n"                                                                                \
  "}\n"

static const char short_module[] = MODULE("3");
static const char endless_module[] = MODULE("1000000000000");

// --- The world ---

typedef struct world_t {
  system_pod_t *pod;
  rpc_loop_t *loop;
  client_t *client;
} world_t;

static void world_start_with(world_t *world, const system_pod_options_t *options) {
  *world = (world_t){.pod = system_pod_start(options)};
  assert_null(rpc_loop_create(&world->loop));
  world->client = client_create(world->loop, system_pod_address(world->pod));
}

static void world_start(world_t *world) {
  const system_pod_options_t options = {
      .coordinator_args = {"--heartbeat-ms", "200", "--timeout-ms", "1500", NULL}};
  world_start_with(world, &options);
  client_open(world->client, true);
}

static void world_stop(world_t *world) {
  client_destroy(world->client);
  rpc_loop_destroy(world->loop);
  system_pod_stop(world->pod);
}

static void assert_refused(pod_status_t status, pod_code_t code, const char *part) {
  if (pod_status_code(status) != code ||
      strstr(pod_status_message(status), part) == NULL) {
    fail_msg("not %s with \"%s\": %s: %s", pod_code_name(code), part,
             pod_code_name(pod_status_code(status)), pod_status_message(status));
  }
  pod_status_free(status);
}

static void assert_well(pod_status_t status) {
  if (status != NULL) {
    fail_msg("%s: %s", pod_code_name(pod_status_code(status)),
             pod_status_message(status));
  }
}

static uint64_t compile(client_t *client, const char *text) {
  Podium__V1__CompileResponse *response;
  assert_well(client_compile(client, text, false, &response));
  const uint64_t executable = response->executable;
  podium__v1__compile_response__free_unpacked(response, NULL);
  return executable;
}

// Row r is r, r, r, …
static uint64_t put_rows(client_t *client, uint64_t executable) {
  float data[CHIPS][COLUMNS];
  for (int row = 0; row < CHIPS; row++) {
    for (int column = 0; column < COLUMNS; column++) {
      data[row][column] = (float)row;
    }
  }
  Podium__V1__PutArrayRequest header = PODIUM__V1__PUT_ARRAY_REQUEST__INIT;
  header.executable = executable;
  uint64_t array = 0;
  assert_well(client_put(client, &header, data, sizeof(data), &array));
  return array;
}

static void assert_runs(client_t *client, uint64_t executable) {
  uint64_t result = 0;
  assert_well(client_execute(client, executable, put_rows(client, executable), &result));
  pod_text_t bytes = {0};
  assert_well(client_fetch(client, result, &bytes));
  assert_int_equal(bytes.length, ARRAY_BYTES);
  float data[CHIPS * COLUMNS];
  memcpy(data, bytes.bytes, sizeof(data));
  for (int i = 0; i < CHIPS * COLUMNS; i++) {
    assert_true(data[i] == 1.5f);
  }
  pod_text_deinit(&bytes);
}

// The address and the worker (by its number in the harness) of a chip.
static int worker_of_chip(world_t *world, int chip, char address[64]) {
  Podium__V1__Pod *pod = client_pod(world->client);
  const Podium__V1__Device *device = pod->devices[chip];
  snprintf(address, 64, "%s", device->address);
  int found = -1;
  for (int i = 0; i < system_pod_worker_count(world->pod); i++) {
    if (system_pod_worker(world->pod, i) == (pid_t)device->pid) {
      found = i;
    }
  }
  podium__v1__pod__free_unpacked(pod, NULL);
  assert_true(found >= 0);
  return found;
}

static int64_t hbm_used(rpc_loop_t *loop, const char *address) {
  client_t *client = client_create(loop, address);
  const Podium__V1__GetStatusRequest request = PODIUM__V1__GET_STATUS_REQUEST__INIT;
  Podium__V1__WorkerStatus *status;
  assert_well(client_unary(client, "/podium.v1.Worker/GetStatus", &request.base,
                           &podium__v1__worker_status__descriptor, SYSTEM_WAIT_MS,
                           &status));
  const int64_t used = status->hbm_used_bytes;
  podium__v1__worker_status__free_unpacked(status, NULL);
  client_destroy(client);
  return used;
}

static int64_t deadline_ns(void) {
  return pod_clock_now_ns() + (int64_t)SYSTEM_WAIT_MS * 1000000;
}

static void check_deadline(const world_t *world, int64_t deadline, const char *what) {
  if (pod_clock_now_ns() > deadline) {
    system_pod_fail(world->pod, what);
  }
}

// Starts an execution that does not end, and waits until every chip has begun it: its
// results and temporaries then take HBM.
static client_call_t *start_endless(world_t *world) {
  const uint64_t executable = compile(world->client, endless_module);
  const uint64_t array = put_rows(world->client, executable);
  char addresses[CHIPS][64];
  int64_t before[CHIPS];
  for (int chip = 0; chip < CHIPS; chip++) {
    worker_of_chip(world, chip, addresses[chip]);
    before[chip] = hbm_used(world->loop, addresses[chip]);
  }
  client_call_t *call = client_start_execute(world->client, executable, array, 0);
  const int64_t deadline = deadline_ns();
  for (int chip = 0; chip < CHIPS; chip++) {
    while (hbm_used(world->loop, addresses[chip]) <= before[chip]) {
      check_deadline(world, deadline, "the execution does not begin");
      assert_false(call->is_over);
    }
  }
  return call;
}

static void wait_ready(world_t *world, bool wanted) {
  const int64_t deadline = deadline_ns();
  for (;;) {
    Podium__V1__Pod *pod = client_pod(world->client);
    const bool is_ready = pod->ready;
    podium__v1__pod__free_unpacked(pod, NULL);
    if (is_ready == wanted) {
      return;
    }
    check_deadline(world, deadline,
                   wanted ? "the pod does not become ready" : "the pod stays ready");
  }
}

// --- Tests ---

static void test_workers_that_start_first_join_when_their_coordinator_comes(
    void **state) {
  (void)state;
  world_t world;
  world_start_with(&world, &(system_pod_options_t){.workers = -1});
  assert_true(WIFSIGNALED(system_pod_signal_coordinator(world.pod, SIGKILL)));
  for (int i = 0; i < CHIPS; i++) {
    system_pod_add_worker(world.pod, NULL);
  }
  system_pod_restart_coordinator(world.pod);
  client_open(world.client, true);
  assert_runs(world.client, compile(world.client, short_module));
  world_stop(&world);
}

// Or another pod's daemon would find it free, and this pod's workers that daemon.
static void test_a_coordinator_that_is_away_keeps_its_port(void **state) {
  (void)state;
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){.workers = -1});
  struct sockaddr_in name = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  const char *port = strchr(system_pod_address(pod), ':') + 1;
  name.sin_port = htons((uint16_t)strtol(port, NULL, 10));
  assert_true(WIFSIGNALED(system_pod_signal_coordinator(pod, SIGKILL)));
  const int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  assert_int_equal(connect(file, (const struct sockaddr *)&name, sizeof(name)), -1);
  assert_int_equal(bind(file, (const struct sockaddr *)&name, sizeof(name)), -1);
  close(file);
  system_pod_restart_coordinator(pod);
  system_pod_stop(pod);
}

static void test_a_restarted_coordinator_finds_the_workers_empty_again(void **state) {
  (void)state;
  world_t world;
  world_start(&world);
  const uint64_t executable = compile(world.client, short_module);
  put_rows(world.client, executable);
  system_pod_signal_coordinator(world.pod, SIGKILL);
  system_pod_restart_coordinator(world.pod);
  assert_int_equal(pod_status_code(client_wait(world.client->session_call)),
                   POD_UNAVAILABLE);
  client_free(world.client->session_call);
  client_open(world.client, true);
  for (int chip = 0; chip < CHIPS; chip++) {
    char address[64];
    worker_of_chip(&world, chip, address);
    assert_int_equal(hbm_used(world.loop, address), 0);
  }
  assert_runs(world.client, compile(world.client, short_module));
  world_stop(&world);
}

// Kills or stops chip 2 under an execution. Returns how long the client waited, in ms.
static int64_t lose_chip_2(world_t *world, int signal_number, int *out_worker) {
  client_call_t *call = start_endless(world);
  char address[64], expected[128];
  *out_worker = worker_of_chip(world, 2, address);
  snprintf(expected, sizeof(expected), "chip 2 (0,1,0) at %s", address);
  const int64_t start = pod_clock_now_ns();
  system_pod_signal_worker(world->pod, *out_worker, signal_number);
  client_wait(call);
  const int64_t waited_ms = (pod_clock_now_ns() - start) / 1000000;
  assert_refused(call->status, POD_UNAVAILABLE, expected);
  call->status = NULL;
  client_free(call);
  return waited_ms;
}

static void test_a_killed_worker_is_named_and_one_that_takes_its_place_works(
    void **state) {
  (void)state;
  world_t world;
  world_start(&world);
  client_t *other = client_create(world.loop, system_pod_address(world.pod));
  client_open(other, true);
  const uint64_t executable = compile(other, short_module);
  assert_runs(other, executable);
  int worker;
  const int64_t waited_ms = lose_chip_2(&world, SIGKILL, &worker);
  assert_true(waited_ms < SILENCE_MS + SLACK_MS);
  wait_ready(&world, false);
  assert_false(other->session_call->is_over);
  system_pod_add_worker(world.pod, NULL);
  wait_ready(&world, true);
  assert_runs(other, executable);
  assert_runs(world.client, compile(world.client, short_module));
  client_destroy(other);
  world_stop(&world);
}

static void test_a_stopped_worker_is_named_within_the_bound_and_comes_back(void **state) {
  (void)state;
  world_t world;
  world_start(&world);
  int worker;
  const int64_t waited_ms = lose_chip_2(&world, SIGSTOP, &worker);
  assert_true(waited_ms < SILENCE_MS + SLACK_MS);
  wait_ready(&world, false);
  system_pod_signal_worker(world.pod, worker, SIGCONT);
  wait_ready(&world, true);
  assert_runs(world.client, compile(world.client, short_module));
  world_stop(&world);
}

static void test_a_worker_that_ends_in_order_leaves_and_is_replaced(void **state) {
  (void)state;
  world_t world;
  world_start(&world);
  char address[64];
  const int worker = worker_of_chip(&world, 1, address);
  assert_int_equal(system_pod_signal_worker(world.pod, worker, SIGTERM), 0);
  wait_ready(&world, false);
  const char *const args[] = {"--coords", "1,0", NULL};
  system_pod_add_worker(world.pod, args);
  wait_ready(&world, true);
  assert_runs(world.client, compile(world.client, short_module));
  world_stop(&world);
}

static void test_a_second_worker_for_one_place_ends_with_both_their_names(void **state) {
  (void)state;
  world_t world;
  world_start(&world);
  char address[64];
  worker_of_chip(&world, 3, address);
  const char *const args[] = {"--coords", "1,1", NULL};
  const int second = system_pod_add_worker(world.pod, args);
  const int status = system_pod_wait_worker(world.pod, second);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) != 0);
  char *log = system_pod_log(world.pod, second);
  assert_non_null(strstr(log, address));
  assert_non_null(strstr(log, "chip 3 (1,1,0)"));
  free(log);
  assert_runs(world.client, compile(world.client, short_module));
  world_stop(&world);
}

static void talk_nonsense(const char *address, const void *bytes, size_t size_bytes) {
  const char *colon = strrchr(address, ':');
  struct sockaddr_in to = {.sin_family = AF_INET,
                           .sin_port = htons((uint16_t)strtoul(colon + 1, NULL, 10)),
                           .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  assert_true(fd >= 0);
  assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
  (void)!send(fd, bytes, size_bytes, MSG_NOSIGNAL);
  shutdown(fd, SHUT_WR);
  char sink[4096];
  while (read(fd, sink, sizeof(sink)) > 0) {
  }
  close(fd);
}

static void test_nonsense_on_a_port_costs_its_own_connection_only(void **state) {
  (void)state;
  world_t world;
  world_start(&world);
  char worker[64];
  worker_of_chip(&world, 0, worker);
  char noise[4096];
  for (size_t i = 0; i < sizeof(noise); i++) {
    noise[i] = (char)(i * 37 + (i >> 3));
  }
  static const char http[] = "GET / HTTP/1.1\r\nHost: podium\r\n\r\n";
  static const char preface[] =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\xff\xff\xff\x07\x01\x02\x03";
  const char *const addresses[] = {system_pod_address(world.pod), worker};
  for (int i = 0; i < 2; i++) {
    talk_nonsense(addresses[i], noise, sizeof(noise));
    talk_nonsense(addresses[i], http, sizeof(http) - 1);
    talk_nonsense(addresses[i], preface, sizeof(preface) - 1);
    talk_nonsense(addresses[i], "", 0);
  }
  assert_runs(world.client, compile(world.client, short_module));
  world_stop(&world);
}

static void test_a_session_that_ends_in_mid_execution_leaves_the_chips_empty(
    void **state) {
  (void)state;
  world_t world;
  world_start(&world);
  client_call_t *call = start_endless(&world);
  client_t *gone = world.client;
  world.client = client_create(world.loop, system_pod_address(world.pod));
  client_destroy(gone);
  client_free(call);
  const int64_t deadline = deadline_ns();
  for (int chip = 0; chip < CHIPS; chip++) {
    char address[64];
    worker_of_chip(&world, chip, address);
    while (hbm_used(world.loop, address) != 0) {
      check_deadline(&world, deadline, "the chips do not become empty");
    }
  }
  client_open(world.client, true);
  assert_runs(world.client, compile(world.client, short_module));
  world_stop(&world);
}

static void test_sigterm_ends_the_coordinator_with_0_also_when_something_runs(
    void **state) {
  (void)state;
  world_t world;
  world_start_with(
      &world, &(system_pod_options_t){.coordinator_args = {"--grace-ms", "300", NULL}});
  client_open(world.client, true);
  client_call_t *call = start_endless(&world);
  assert_int_equal(system_pod_signal_coordinator(world.pod, SIGTERM), 0);
  assert_int_equal(pod_status_code(client_wait(call)), POD_UNAVAILABLE);
  client_free(call);
  world_stop(&world);
}

static void test_a_second_sigterm_ends_it_at_once(void **state) {
  (void)state;
  world_t world;
  world_start_with(&world, &(system_pod_options_t){
                               .coordinator_args = {"--grace-ms", "3600000", NULL}});
  client_open(world.client, true);
  client_call_t *call = start_endless(&world);
  kill(system_pod_coordinator(world.pod), SIGTERM);
  // Its first signal has been taken when a new session is refused.
  for (bool is_refused = false; !is_refused;) {
    client_t *late = client_create(world.loop, system_pod_address(world.pod));
    Podium__V1__Pod *pod;
    const Podium__V1__GetPodRequest request = PODIUM__V1__GET_POD_REQUEST__INIT;
    const pod_status_t status =
        client_unary(late, "/podium.v1.Podium/GetPod", &request.base,
                     &podium__v1__pod__descriptor, 200, &pod);
    is_refused = status != NULL;
    if (pod != NULL) {
      podium__v1__pod__free_unpacked(pod, NULL);
    }
    pod_status_free(status);
    client_destroy(late);
  }
  const int status = system_pod_signal_coordinator(world.pod, SIGTERM);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) != 0);
  client_wait(call);
  client_free(call);
  world_stop(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_workers_that_start_first_join_when_their_coordinator_comes),
      cmocka_unit_test(test_a_coordinator_that_is_away_keeps_its_port),
      cmocka_unit_test(test_a_restarted_coordinator_finds_the_workers_empty_again),
      cmocka_unit_test(test_a_killed_worker_is_named_and_one_that_takes_its_place_works),
      cmocka_unit_test(test_a_stopped_worker_is_named_within_the_bound_and_comes_back),
      cmocka_unit_test(test_a_worker_that_ends_in_order_leaves_and_is_replaced),
      cmocka_unit_test(test_a_second_worker_for_one_place_ends_with_both_their_names),
      cmocka_unit_test(test_nonsense_on_a_port_costs_its_own_connection_only),
      cmocka_unit_test(test_a_session_that_ends_in_mid_execution_leaves_the_chips_empty),
      cmocka_unit_test(test_sigterm_ends_the_coordinator_with_0_also_when_something_runs),
      cmocka_unit_test(test_a_second_sigterm_ends_it_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
