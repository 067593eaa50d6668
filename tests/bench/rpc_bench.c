// How fast our gRPC server is beside gRPC C++'s, measured by the same client in one run,
// without TLS and with it.
//
// Usage: rpc_bench OUR_SERVER [OTHER_SERVER]. The servers are started here, once without
// arguments and once with the files of a certificate and its key; each prints its address
// on a line. Rounds alternate between them, so that a noisy moment hits both;
// every figure is the median of the rounds.

#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/certificates/pod_files.h"
#include "common/rpc/rpc.h"
#include "rpc_bench.pb-c.h"

enum {
  ROUNDS = 5,
  WARM_UP_CALLS = 200,
  LATENCY_CALLS = 3000,
  STREAM_MESSAGES = 400,
  MESSAGE_BYTES = 1 << 20,
  SMALL_BYTES = 8,
  SIDES_MAX = 4,
};

static const int64_t rate_ns = 700000000;

typedef enum figure_t {
  UNARY_P50_US = 0,
  UNARY_P99_US,
  CALLS_PER_S_1,
  CALLS_PER_S_64,
  UPLOAD_GB_PER_S,
  DOWNLOAD_GB_PER_S,
  FIGURE_COUNT,
} figure_t;

static const struct {
  const char *name;
  const char *format;
  bool less_is_better;
} figures[FIGURE_COUNT] = {
    {"unary p50, us", "%12.1f", true},         {"unary p99, us", "%12.1f", true},
    {"calls/s, 1 in flight", "%12.0f", false}, {"calls/s, 64 in flight", "%12.0f", false},
    {"upload, GB/s", "%12.2f", false},         {"download, GB/s", "%12.2f", false},
};

typedef struct side_t {
  const char *name;
  pid_t pid;
  rpc_channel_t *channel;
  double rounds[FIGURE_COUNT][ROUNDS];
} side_t;

typedef struct bench_t {
  rpc_loop_t *loop;
  side_t *side;
  uint8_t *bytes;
  Bench__Payload small, large;
  int64_t start_ns, end_ns;
  uint64_t done, wanted;  // Calls or messages.
  int in_flight;
  double *latencies_us;
} bench_t;

extern char **environ;

// --- Unary ---

static void begin_unary(bench_t *bench);

static void on_unary(const void *response, pod_status_t status, void *context) {
  bench_t *bench = context;
  if (status != NULL) {
    fprintf(stderr, "%s: %s\n", bench->side->name, pod_status_message(status));
    exit(1);
  }
  POD_CHECK(((const Bench__Payload *)response)->data.len == SMALL_BYTES);
  const int64_t now_ns = pod_clock_now_ns();
  if (bench->latencies_us != NULL) {
    bench->latencies_us[bench->done] = (double)(now_ns - bench->start_ns) / 1e3;
  }
  bench->done++;
  bench->in_flight--;
  const bool more =
      bench->wanted > 0 ? bench->done < bench->wanted : now_ns < bench->end_ns;
  if (more) {
    begin_unary(bench);
  } else if (bench->in_flight == 0) {
    rpc_loop_stop(bench->loop);
  }
}

static void begin_unary(bench_t *bench) {
  bench->in_flight++;
  if (bench->latencies_us != NULL) {
    bench->start_ns = pod_clock_now_ns();
  }
  rpc_unary(bench->side->channel, "/bench.Bench/Unary", &bench->small.base,
            &bench__payload__descriptor, NULL, on_unary, bench);
}

static void run_calls(bench_t *bench, uint64_t count, double *latencies_us) {
  bench->done = 0;
  bench->wanted = count;
  bench->latencies_us = latencies_us;
  begin_unary(bench);
  rpc_loop_run(bench->loop);
}

static double run_rate(bench_t *bench, int in_flight) {
  bench->done = bench->wanted = 0;
  bench->latencies_us = NULL;
  const int64_t start_ns = pod_clock_now_ns();
  bench->end_ns = start_ns + rate_ns;
  for (int i = 0; i < in_flight; i++) {
    begin_unary(bench);
  }
  rpc_loop_run(bench->loop);
  return (double)bench->done / ((double)(pod_clock_now_ns() - start_ns) / 1e9);
}

// --- Streams ---

static void upload_more(rpc_call_t *call, void *context) {
  bench_t *bench = context;
  while (bench->done < bench->wanted && rpc_call_is_writable(call)) {
    rpc_call_send(call, &bench->large.base);
    if (++bench->done == bench->wanted) {
      rpc_call_half_close(call);
    }
  }
}

static void check_upload(rpc_call_t *call, const void *message, void *context) {
  (void)call;
  (void)context;
  POD_CHECK(((const Bench__Payload *)message)->count ==
            (uint64_t)STREAM_MESSAGES * MESSAGE_BYTES);
}

static void count_download(rpc_call_t *call, const void *message, void *context) {
  (void)call;
  POD_CHECK(((const Bench__Payload *)message)->data.len == MESSAGE_BYTES);
  ((bench_t *)context)->done++;
}

static void on_stream_end(rpc_call_t *call, pod_status_t status, void *context) {
  (void)call;
  bench_t *bench = context;
  if (status != NULL) {
    fprintf(stderr, "%s: %s\n", bench->side->name, pod_status_message(status));
    exit(1);
  }
  POD_CHECK(bench->done == bench->wanted);
  rpc_loop_stop(bench->loop);
}

static double run_stream(bench_t *bench, bool upload) {
  static const rpc_call_events_t upload_events = {
      .on_message = check_upload, .on_writable = upload_more, .on_end = on_stream_end};
  static const rpc_call_events_t download_events = {.on_message = count_download,
                                                    .on_end = on_stream_end};
  bench->done = 0;
  bench->wanted = STREAM_MESSAGES;
  const int64_t start_ns = pod_clock_now_ns();
  rpc_call_t *call = rpc_call_start(
      bench->side->channel, upload ? "/bench.Bench/Upload" : "/bench.Bench/Download",
      &bench__payload__descriptor, upload ? &upload_events : &download_events, bench,
      NULL);
  if (upload) {
    upload_more(call, bench);
  } else {
    Bench__Payload request = bench->large;
    request.count = STREAM_MESSAGES;
    rpc_call_send(call, &request.base);
    rpc_call_half_close(call);
  }
  rpc_loop_run(bench->loop);
  const double seconds = (double)(pod_clock_now_ns() - start_ns) / 1e9;
  return (double)STREAM_MESSAGES * MESSAGE_BYTES / 1e9 / seconds;
}

// --- Rounds ---

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a;
  const double y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(const double rounds[ROUNDS]) {
  double sorted[ROUNDS];
  memcpy(sorted, rounds, sizeof(sorted));
  qsort(sorted, ROUNDS, sizeof(sorted[0]), compare);
  return sorted[ROUNDS / 2];
}

static void run_round(bench_t *bench, side_t *side, int round) {
  static double latencies_us[LATENCY_CALLS];
  bench->side = side;
  run_calls(bench, WARM_UP_CALLS, NULL);
  run_calls(bench, LATENCY_CALLS, latencies_us);
  qsort(latencies_us, LATENCY_CALLS, sizeof(latencies_us[0]), compare);
  side->rounds[UNARY_P50_US][round] = latencies_us[LATENCY_CALLS / 2];
  side->rounds[UNARY_P99_US][round] = latencies_us[LATENCY_CALLS * 99 / 100];
  side->rounds[CALLS_PER_S_1][round] = run_rate(bench, 1);
  side->rounds[CALLS_PER_S_64][round] = run_rate(bench, 64);
  side->rounds[UPLOAD_GB_PER_S][round] = run_stream(bench, true);
  side->rounds[DOWNLOAD_GB_PER_S][round] = run_stream(bench, false);
}

// Where TLS has its files; "": not made.
static char folder[] = "/tmp/podium-bench-XXXXXX/keys";
static const char certificate_host[] = "127.0.0.2";  // Has no shortcut: calls go by TCP.

static char *path_of(const char *name) {
  pod_text_t path = {0};
  pod_text_printf(&path, "%s/%s", folder, name);
  return pod_text_take(&path);
}

static rpc_credentials_t *make_credentials(void) {
  const char *const hosts[] = {certificate_host};
  const pod_files_options_t options = {
      .folder = folder, .hosts = hosts, .host_count = 1, .days = 1};
  char *slash = strrchr(folder, '/');
  *slash = '\0';
  POD_CHECK(mkdtemp(folder) != NULL);
  *slash = '/';
  POD_CHECK(pod_files_write(&options, NULL) == NULL);
  rpc_credentials_t *credentials = NULL;
  char *ca = path_of("ca.crt");
  POD_CHECK(rpc_credentials_for_client(ca, NULL, NULL, &credentials) == NULL);
  free(ca);
  return credentials;
}

static void remove_files(void) {
  char command[128];
  *strrchr(folder, '/') = '\0';
  snprintf(command, sizeof(command), "rm -r '%s'", folder);
  POD_CHECK(system(command) == 0);
}

// `credentials` NULL: without TLS.
static void start_side(bench_t *bench, side_t *side, const char *name, char *program,
                       const rpc_credentials_t *credentials) {
  int pipe_fds[2];
  POD_CHECK(pipe(pipe_fds) == 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe_fds[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, pipe_fds[0]);
  char *certificate = credentials != NULL ? path_of("coordinator.crt") : NULL;
  char *key = credentials != NULL ? path_of("coordinator.key") : NULL;
  char *const arguments[] = {program, certificate, key, NULL};
  const int error = posix_spawn(&side->pid, program, &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  free(certificate);
  free(key);
  close(pipe_fds[1]);
  FILE *output = fdopen(pipe_fds[0], "r");
  char address[128] = "";
  if (error != 0 || output == NULL || fgets(address, sizeof(address), output) == NULL) {
    fprintf(stderr, "%s did not start\n", program);
    exit(1);
  }
  address[strcspn(address, "\n")] = '\0';
  fclose(output);
  side->name = name;
  const rpc_channel_options_t options = {.message_bytes_max = 4 * MESSAGE_BYTES,
                                         .credentials = credentials};
  POD_CHECK(rpc_channel_create(bench->loop, address, &options, &side->channel) == NULL);
}

static void print_figures(const side_t *sides, int count) {
  printf("%-24s %12s %12s %8s\n", "", sides[0].name, count > 1 ? sides[1].name : "",
         count > 1 ? "ratio" : "");
  for (int i = 0; i < FIGURE_COUNT; i++) {
    const double ours = median(sides[0].rounds[i]);
    printf("%-24s ", figures[i].name);
    printf(figures[i].format, ours);
    if (count > 1) {
      const double theirs = median(sides[1].rounds[i]);
      printf(" ");
      printf(figures[i].format, theirs);
      printf(" %7.2fx", figures[i].less_is_better ? theirs / ours : ours / theirs);
    }
    printf("\n");
  }
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: rpc_bench OUR_SERVER [OTHER_SERVER]\n");
    return 2;
  }
  bench_t bench = {.bytes = pod_alloc(MESSAGE_BYTES)};
  side_t sides[SIDES_MAX] = {0};
  const int rivals = argc > 2 ? 2 : 1;
  const int count = 2 * rivals;
  POD_CHECK(rpc_loop_create(&bench.loop) == NULL);
  bench__payload__init(&bench.small);
  bench__payload__init(&bench.large);
  memset(bench.bytes, 'x', MESSAGE_BYTES);
  bench.small.data = (ProtobufCBinaryData){SMALL_BYTES, bench.bytes};
  bench.large.data = (ProtobufCBinaryData){MESSAGE_BYTES, bench.bytes};
  rpc_credentials_t *credentials = make_credentials();
  static const char *const names[] = {"podium", "grpc++", "podium, TLS", "grpc++, TLS"};
  for (int i = 0; i < rivals; i++) {
    start_side(&bench, &sides[i], names[i], argv[1 + i], NULL);
    start_side(&bench, &sides[rivals + i], names[2 + i], argv[1 + i], credentials);
  }
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i < count; i++) {
      run_round(&bench, &sides[i], round);
    }
  }
  print_figures(sides, rivals);
  print_figures(sides + rivals, rivals);
  printf("Medians of %d rounds; a ratio above 1 is in our favour.\n", ROUNDS);
  for (int i = 0; i < count; i++) {
    rpc_channel_destroy(sides[i].channel);
    kill(sides[i].pid, SIGTERM);
    waitpid(sides[i].pid, NULL, 0);
  }
  rpc_loop_destroy(bench.loop);
  rpc_credentials_destroy(credentials);
  remove_files();
  free(bench.bytes);
  return 0;
}
