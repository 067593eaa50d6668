// A pod over two hosts: two network namespaces with a cable (veth) between them, two
// workers in each. Links within a host go over ipc://, those between the hosts over
// tcp://.
//
// Skipped where namespaces may not be made. They live as long as the process that holds
// each of them.

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/clock.h"
#include "tests/system/pod.h"

enum {
  HOSTS = 2,
  CHIPS = 4,
  SILENCE_MS = 1500,
  SLACK_MS = 20000,  // What a loaded machine may add.
  MOVED_BYTES = 256 * 1024,
};

#define MATMUL PROGRAMS_FOLDER "/square_matmul.2x2.small.mlir"
#define ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})

// An all_reduce over all chips in a loop that does not end.
static const char endless_module[] =
    "module @jit_mean {\n"
    "  sdy.mesh @mesh = <[\"x\"=4]>\n"
    "  func.func public @main(%arg0: tensor<4x256xf32> {sdy.sharding = "
    "#sdy.sharding<@mesh, [{\"x\"}, {}]>}) -> (tensor<4x256xf32> {sdy.sharding = "
    "#sdy.sharding<@mesh, [{\"x\"}, {}]>}) {\n"
    "    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{\"x\"}, {}]>] "
    "out_shardings=[<@mesh, [{\"x\"}, {}]>] manual_axes={\"x\"} (%arg1: "
    "tensor<1x256xf32>) {\n"
    "      %zero = stablehlo.constant dense<0> : tensor<i64>\n"
    "      %1:2 = stablehlo.while(%i = %zero, %v = %arg1) : tensor<i64>, "
    "tensor<1x256xf32>\n"
    "       cond {\n"
    "        %n = stablehlo.constant dense<1000000000000> : tensor<i64>\n"
    "        %c = stablehlo.compare  LT, %i, %n,  SIGNED : (tensor<i64>, tensor<i64>) "
    "-> tensor<i1>\n"
    "        stablehlo.return %c : tensor<i1>\n"
    "      } do {\n"
    "        %s = \"stablehlo.all_reduce\"(%v) <{channel_handle = "
    "#stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = "
    "dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({\n"
    "        ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
    "          %t = stablehlo.add %a, %b : tensor<f32>\n"
    "          stablehlo.return %t : tensor<f32>\n"
    "        }) : (tensor<1x256xf32>) -> tensor<1x256xf32>\n"
    "        %q = stablehlo.constant dense<2.500000e-01> : tensor<1x256xf32>\n"
    "        %m = stablehlo.multiply %s, %q : tensor<1x256xf32>\n"
    "        %one = stablehlo.constant dense<1> : tensor<i64>\n"
    "        %k = stablehlo.add %i, %one : tensor<i64>\n"
    "        stablehlo.return %k, %m : tensor<i64>, tensor<1x256xf32>\n"
    "      }\n"
    "      sdy.return %1#1 : tensor<1x256xf32>\n"
    "    } : (tensor<4x256xf32>) -> tensor<4x256xf32>\n"
    "    return %0 : tensor<4x256xf32>\n"
    "  }\n"
    "}\n";

// ---- Hosts.

typedef struct host_t {
  pid_t holder;
  int network;
} host_t;

static void pause_briefly(void) {
  nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

static int shell(const char *format, ...) {
  char command[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(command, sizeof(command), format, arguments);
  va_end(arguments);
  return system(command);
}

// False: not permitted here.
static bool host_start(host_t *host) {
  int ready[2];
  assert_int_equal(pipe(ready), 0);
  const pid_t parent = getpid();
  host->holder = fork();
  assert_true(host->holder >= 0);
  if (host->holder == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const char made = unshare(CLONE_NEWNET) == 0 && getppid() == parent ? 1 : 0;
    (void)!write(ready[1], &made, 1);
    for (;;) {
      pause();
    }
  }
  char made = 0;
  assert_int_equal(read(ready[0], &made, 1), 1);
  close(ready[0]);
  close(ready[1]);
  char path[64];
  snprintf(path, sizeof(path), "/proc/%d/ns/net", (int)host->holder);
  host->network = open(path, O_RDONLY | O_CLOEXEC);
  return made == 1 && host->network >= 0;
}

static void host_stop(host_t *host) {
  if (host->network >= 0) {
    close(host->network);
  }
  kill(host->holder, SIGKILL);
  waitpid(host->holder, NULL, 0);
}

static void hosts_stop(host_t hosts[HOSTS]) {
  for (int i = 0; i < HOSTS; i++) {
    host_stop(&hosts[i]);
  }
}

// Two hosts with a cable, 10.77.0.1 and 10.77.0.2.
static bool hosts_start(host_t hosts[HOSTS]) {
  bool made = true;
  for (int i = 0; i < HOSTS; i++) {
    made = host_start(&hosts[i]) && made;
  }
  made = made && shell(
                     "ip link add podium0 netns %d type veth peer name podium0 netns "
                     "%d >/dev/null 2>&1",
                     (int)hosts[0].holder, (int)hosts[1].holder) == 0;
  for (int i = 0; i < HOSTS && made; i++) {
    made = shell(
               "nsenter --net=/proc/%d/ns/net sh -c 'ip link set lo up && ip link set "
               "podium0 up && ip address add 10.77.0.%d/24 dev podium0' >/dev/null "
               "2>&1",
               (int)hosts[i].holder, i + 1) == 0;
  }
  if (!made) {
    hosts_stop(hosts);
  }
  return made;
}

static void cut_cable(const host_t *host) {
  assert_int_equal(
      shell("nsenter --net=/proc/%d/ns/net ip link set podium0 down", (int)host->holder),
      0);
}

static int64_t bytes_over_cable(const host_t *host) {
  char path[64], line[512];
  snprintf(path, sizeof(path), "/proc/%d/net/dev", (int)host->holder);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  int64_t received = 0;
  while (fgets(line, sizeof(line), file) != NULL) {
    sscanf(line, " podium0: %" SCNd64, &received);
  }
  fclose(file);
  return received;
}

// ---- Pods.

// The pod's secret, which the daemons of both hosts prove to each other.
static char secret[] = "/tmp/podium-secret-XXXXXX";

static int make_secret(void **state) {
  (void)state;
  const int file = mkstemp(secret);
  const bool is_made = file >= 0 && dprintf(file, "%064x\n", 4711) > 0;
  return is_made && close(file) == 0 ? 0 : -1;
}

static int remove_secret(void **state) {
  (void)state;
  return unlink(secret);
}

static system_pod_t *pod_over(const host_t hosts[HOSTS]) {
  static const char *const places[CHIPS] = {"0,0", "1,0", "0,1", "1,1"};
  system_set_network(hosts[0].network);
  system_pod_t *pod = system_pod_start(&(system_pod_options_t){
      .listen = "10.77.0.1:0",
      .workers = -1,
      .coordinator_args = {"--insecure", "--secret-file", secret, "--heartbeat-ms", "200",
                           "--timeout-ms", "1500", NULL},
      .worker_args = {"--insecure", "--secret-file", secret, "--log-level", "debug",
                      NULL}});
  for (int chip = 0; chip < CHIPS; chip++) {
    const int host = chip / 2;
    char listen[64], links[64];
    snprintf(listen, sizeof(listen), "10.77.0.%d:0", host + 1);
    snprintf(links, sizeof(links), "tcp://10.77.0.%d", host + 1);
    system_set_network(hosts[host].network);
    system_pod_add_worker(
        pod, ARGS("--coords", places[chip], "--listen", listen, "--ici-listen", links));
  }
  system_set_network(hosts[0].network);
  return pod;
}

static void check_run(const system_pod_t *pod, const char *const *args) {
  char *output;
  if (system_run("podium", args, &output) != 0) {
    system_pod_fail(pod, output);
  }
  free(output);
}

static bool logs(const system_pod_t *pod, int worker, const char *text) {
  char *log = system_pod_log(pod, worker);
  const bool found = strstr(log, text) != NULL;
  free(log);
  return found;
}

// ---- Tests.

static void test_links_between_hosts_are_tcp_and_a_program_runs_over_them(void **state) {
  (void)state;
  host_t hosts[HOSTS];
  if (!hosts_start(hosts)) {
    print_message("skipped: no network namespaces here\n");
    skip();
  }
  char expected[] = "/tmp/podium-hosts-XXXXXX";
  const int file = mkstemp(expected);
  assert_true(file >= 0);
  close(file);
  char result[64];
  snprintf(result, sizeof(result), "0=%s", expected);
  system_pod_t *pod = pod_over(hosts);
  system_set_network(-1);
  check_run(pod, ARGS("run", MATMUL, "--quiet", "--output", result));
  system_set_network(hosts[0].network);
  const char *address = system_pod_address(pod);
  check_run(
      pod, ARGS("run", MATMUL, "--pod", address, "--expect", result, "--tolerance", "0"));
  check_run(pod, ARGS("status", address));
  // Chips 0 and 1 are on one host, 2 and 3 on the other; the links in y cross the cable.
  for (int chip = 0; chip < CHIPS; chip++) {
    assert_true(logs(pod, chip, chip % 2 == 0 ? "+x" : "-x"));
    assert_true(logs(pod, chip, "at ipc:///"));
    assert_true(logs(pod, chip, "at tcp://10.77.0.1:"));
  }
  system_pod_stop(pod);
  system_set_network(-1);
  unlink(expected);
  hosts_stop(hosts);
}

// Nothing but the coordinator's address: the workers find the rest.
static void test_workers_on_other_hosts_find_the_addresses_to_listen_at(void **state) {
  (void)state;
  host_t hosts[HOSTS];
  if (!hosts_start(hosts)) {
    print_message("skipped: no network namespaces here\n");
    skip();
  }
  system_set_network(hosts[0].network);
  system_pod_t *pod =
      system_pod_start(&(system_pod_options_t){.listen = "10.77.0.1:0",
                                               .workers = -1,
                                               .coordinator_args = {"--insecure", NULL},
                                               .worker_args = {"--insecure", NULL}});
  static const char *const listen[CHIPS] = {NULL, "0.0.0.0:0", NULL, "0.0.0.0:0"};
  for (int chip = 0; chip < CHIPS; chip++) {
    system_set_network(hosts[chip / 2].network);
    system_pod_add_worker(
        pod, listen[chip] == NULL
                 ? NULL
                 : ARGS("--listen", listen[chip], "--ici-listen", "tcp://0.0.0.0"));
  }
  system_set_network(hosts[0].network);
  check_run(pod, ARGS("run", MATMUL, "--pod", system_pod_address(pod)));
  for (int chip = 0; chip < CHIPS; chip++) {
    assert_true(
        logs(pod, chip, chip < 2 ? "serving at 10.77.0.1:" : "serving at 10.77.0.2:"));
  }
  system_pod_stop(pod);
  system_set_network(-1);
  hosts_stop(hosts);
}

// It says 127.0.0.1, where the coordinator finds nobody.
static void test_a_worker_that_cannot_be_reached_is_told_and_status_says_why(
    void **state) {
  (void)state;
  host_t hosts[HOSTS];
  if (!hosts_start(hosts)) {
    print_message("skipped: no network namespaces here\n");
    skip();
  }
  system_set_network(hosts[0].network);
  system_pod_t *pod =
      system_pod_start(&(system_pod_options_t){.listen = "10.77.0.1:0",
                                               .topology = "1x1",
                                               .workers = -1,
                                               .coordinator_args = {"--insecure", NULL},
                                               .worker_args = {"--insecure", NULL}});
  system_set_network(hosts[1].network);
  system_pod_add_worker(pod, ARGS("--listen", "127.0.0.1:0"));
  const int64_t until_ns = pod_clock_now_ns() + (int64_t)SYSTEM_WAIT_MS * 1000000;
  static const char reason[] = "its gRPC service cannot be reached";
  while (!logs(pod, 0, reason)) {
    if (pod_clock_now_ns() > until_ns) {
      system_pod_fail(pod, "the worker is not told");
    }
    pause_briefly();
  }
  system_set_network(hosts[0].network);
  char *output;
  assert_int_not_equal(
      system_run("podium", ARGS("status", system_pod_address(pod)), &output), 0);
  assert_non_null(strstr(output, "lost chip 0 (0,0,0) at 127.0.0.1:"));
  assert_non_null(strstr(output, reason));
  free(output);
  system_pod_stop(pod);
  system_set_network(-1);
  hosts_stop(hosts);
}

typedef struct client_t {
  const char *address, *program;
  char *output;
  int status;
} client_t;

static void *run_client(void *context) {
  client_t *client = context;
  client->status = system_run(
      "podium", ARGS("run", client->program, "--pod", client->address), &client->output);
  return NULL;
}

static void test_a_cut_cable_names_a_worker_behind_it_within_the_bound(void **state) {
  (void)state;
  host_t hosts[HOSTS];
  if (!hosts_start(hosts)) {
    print_message("skipped: no network namespaces here\n");
    skip();
  }
  system_pod_t *pod = pod_over(hosts);
  check_run(pod, ARGS("run", MATMUL, "--pod", system_pod_address(pod)));
  char program[] = "/tmp/podium-hosts-XXXXXX";
  const int file = mkstemp(program);
  assert_int_equal(write(file, endless_module, strlen(endless_module)),
                   strlen(endless_module));
  close(file);
  const int64_t before = bytes_over_cable(&hosts[0]);
  client_t client = {.address = system_pod_address(pod), .program = program};
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, run_client, &client), 0);
  const int64_t until_ns = pod_clock_now_ns() + (int64_t)SYSTEM_WAIT_MS * 1000000;
  while (bytes_over_cable(&hosts[0]) < before + MOVED_BYTES) {
    if (pod_clock_now_ns() > until_ns) {
      system_pod_fail(pod, "nothing moves between the hosts");
    }
    pause_briefly();
  }
  const int64_t start_ns = pod_clock_now_ns();
  cut_cable(&hosts[1]);
  pthread_join(thread, NULL);
  const int64_t waited_ms = (pod_clock_now_ns() - start_ns) / 1000000;
  if (client.status != 3 || strstr(client.output, "UNAVAILABLE") == NULL ||
      (strstr(client.output, "chip 2 (0,1,0) at 10.77.0.2:") == NULL &&
       strstr(client.output, "chip 3 (1,1,0) at 10.77.0.2:") == NULL)) {
    system_pod_fail(pod, client.output);
  }
  assert_true(waited_ms < SILENCE_MS + SLACK_MS);
  free(client.output);
  unlink(program);
  system_pod_stop(pod);
  system_set_network(-1);
  hosts_stop(hosts);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_links_between_hosts_are_tcp_and_a_program_runs_over_them),
      cmocka_unit_test(test_workers_on_other_hosts_find_the_addresses_to_listen_at),
      cmocka_unit_test(test_a_worker_that_cannot_be_reached_is_told_and_status_says_why),
      cmocka_unit_test(test_a_cut_cable_names_a_worker_behind_it_within_the_bound),
  };
  return cmocka_run_group_tests(tests, make_secret, remove_secret);
}
