// Collectives of four processes over the links of a 2x2 torus: microseconds per
// collective, as the MPI program beside it measures them. Bytes are those of the whole
// vector: what all_reduce and reduce_scatter add, what all_gather ends with, what a
// process gives to all_to_all.
//
// Usage: collective_bench [--tcp | --tls DIR] [NAME [ALGORITHM]]. As between hosts with
// --tcp; with --tls encrypted, DIR as `podium certificates` makes it. Prints "NAME BYTES
// MICROSECONDS" per line: the median over the repetitions of the slowest process' mean.

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/check.h"
#include "common/base/clock.h"
#include "server/ici/ici.h"
#include "server/worker/kernels/combine.h"

enum { CHIPS = 4, REPETITIONS = 7, ITERATIONS_MAX = 5000, URL_SIZE = 160 };

static const int64_t budget_ns = 100 * 1000 * 1000;
static const int64_t sizes[] = {1 << 10, 64 << 10, 1 << 20, 16 << 20, 64 << 20};
static const struct {
  const char *name;
  chip_op_t op;
} kinds[] = {{"allreduce", CHIP_OP_ALL_REDUCE},
             {"allgather", CHIP_OP_ALL_GATHER},
             {"reducescatter", CHIP_OP_REDUCE_SCATTER},
             {"alltoall", CHIP_OP_ALL_TO_ALL}};

typedef struct control_t {
  atomic_int arrived, generation;
  char urls[CHIPS][TORUS_LINKS][URL_SIZE];
  int64_t elapsed_ns[CHIPS];
  int iterations;
} control_t;

static control_t *control;
static bool is_tcp;
static const ici_tls_files_t *tls;  // NULL: plain.
static uint64_t next_execution = 1;
static const char *only;
static collective_algorithm_t algorithm;

static void must(pod_status_t status) {
  if (status != NULL) {
    fprintf(stderr, "%s\n", pod_status_message(status));
    _exit(1);
  }
}

static void barrier(void) {
  const int generation = atomic_load(&control->generation);
  if (atomic_fetch_add(&control->arrived, 1) == CHIPS - 1) {
    atomic_store(&control->arrived, 0);
    atomic_fetch_add(&control->generation, 1);
    return;
  }
  while (atomic_load(&control->generation) == generation) {
    sched_yield();
  }
}

static ici_node_t *connect_node(int chip, const torus_t *torus, const char *folder) {
  ici_node_t *node;
  const ici_node_config_t config = {.pod = "bench",
                                    .chip = chip,
                                    .torus = *torus,
                                    .epoch = (uint64_t)chip + 1,
                                    .ipc_directory = is_tcp ? NULL : folder,
                                    .tcp_host = is_tcp ? "127.0.0.1" : NULL,
                                    .tls = tls,
                                    .use_shared_memory = true,
                                    .combine = kernel_combine_arrays};
  must(ici_node_create(&config, &node));
  for (int d = 0; d < TORUS_LINKS; d++) {
    const char *url = is_tcp ? ici_node_tcp_url(node, d) : ici_node_ipc_url(node, d);
    if (url != NULL) {
      snprintf(control->urls[chip][d], URL_SIZE, "%s", url);
    }
  }
  barrier();
  for (int d = 1; d < TORUS_LINKS; d += 2) {
    const int32_t peer = torus_neighbour(torus, chip, d);
    if (peer >= 0) {
      must(ici_node_dial(node, d, control->urls[peer][d - 1]));
    }
  }
  must(ici_node_wait_up(node, pod_clock_now_ns() + 10000000000));
  barrier();
  return node;
}

static int64_t run_many(ici_node_t *node, const collective_schedule_t *schedule,
                        const collective_buffers_t *buffers, int iterations) {
  barrier();
  const int64_t start_ns = pod_clock_now_ns();
  for (int i = 0; i < iterations; i++) {
    const ici_collective_t collective = {.schedule = schedule,
                                         .buffers = *buffers,
                                         .execution = next_execution,
                                         .sequence = (uint32_t)i,
                                         .deadline_ns = INT64_MAX};
    must(ici_collective_run(node, &collective));
  }
  ici_node_end(node, next_execution++);
  return pod_clock_now_ns() - start_ns;
}

static int by_value(const void *a, const void *b) {
  const double left = *(const double *)a, right = *(const double *)b;
  return left < right ? -1 : left > right;
}

// Rank 0 chooses the iterations and reports.
static void measure(ici_node_t *node, int chip, const char *name, int64_t bytes,
                    const collective_schedule_t *schedule,
                    const collective_buffers_t *buffers) {
  double samples[REPETITIONS];
  int iterations = 1;
  for (int repetition = -2; repetition < REPETITIONS; repetition++) {
    control->elapsed_ns[chip] = run_many(node, schedule, buffers, iterations);
    barrier();
    int64_t slowest = 0;
    for (int i = 0; i < CHIPS; i++) {
      slowest = control->elapsed_ns[i] > slowest ? control->elapsed_ns[i] : slowest;
    }
    barrier();
    const double mean_ns = (double)slowest / iterations;
    if (repetition >= 0) {
      samples[repetition] = mean_ns / 1e3;
    } else if (chip == 0) {
      const double fit = (double)budget_ns / mean_ns;
      control->iterations = fit < 1                ? 1
                            : fit > ITERATIONS_MAX ? ITERATIONS_MAX
                                                   : (int)fit;
    }
    barrier();
    iterations = control->iterations;
  }
  if (chip == 0) {
    qsort(samples, REPETITIONS, sizeof(samples[0]), by_value);
    printf("%s %lld %.1f\n", name, (long long)bytes, samples[REPETITIONS / 2]);
    fflush(stdout);
  }
}

static void *memory(int64_t bytes) {
  void *block = aligned_alloc(64, (size_t)(bytes + 63) / 64 * 64);
  POD_CHECK(block != NULL);
  memset(block, 1, (size_t)bytes);  // As its rival: memory that has been written.
  return block;
}

static void run_kind(ici_node_t *node, const torus_t *torus, int chip, size_t kind,
                     int64_t bytes) {
  static const int64_t group[CHIPS] = {0, 1, 2, 3};
  const int64_t elements = bytes / 4;
  const collective_request_t request = {
      .op = kinds[kind].op,
      .reducer = CHIP_REDUCER_ADD,
      .dtype = TENSOR_F32,
      .element_count = kinds[kind].op == CHIP_OP_ALL_GATHER ? elements / CHIPS : elements,
      .group_count = 1,
      .group_size = CHIPS,
      .groups = group,
      .algorithm = algorithm,
      .cuts_for_caches = true};
  pod_arena_t *arena = pod_arena_create();
  collective_schedule_t schedule;
  must(collective_plan(&request, torus, chip, arena, &schedule));
  void *input = memory(schedule.input_bytes), *output = memory(schedule.output_bytes);
  void *scratch = memory(schedule.scratch_bytes + 64);
  const collective_buffers_t buffers = {
      .input = input, .output = output, .scratch = scratch};
  measure(node, chip, kinds[kind].name, bytes, &schedule, &buffers);
  free(scratch);
  free(output);
  free(input);
  pod_arena_destroy(arena);
}

static int run_chip(int chip, const char *folder) {
  const torus_t torus = {.size = {2, 2, 1}};
  ici_node_t *node = connect_node(chip, &torus, folder);
  for (size_t kind = 0; kind < POD_COUNT_OF(kinds); kind++) {
    for (size_t size = 0; size < POD_COUNT_OF(sizes); size++) {
      if (only == NULL || strcmp(only, kinds[kind].name) == 0) {
        run_kind(node, &torus, chip, kind, sizes[size]);
      }
    }
  }
  barrier();
  ici_node_destroy(node);
  return 0;
}

// What of the arguments is not about how the links go.
static int read_way(int argc, char **argv) {
  static char certificate[512], key[512], ca[512];
  static const ici_tls_files_t files = {certificate, key, ca};
  if (argc > 1 && strcmp(argv[1], "--tcp") == 0) {
    is_tcp = true;
    return 1;
  }
  if (argc > 2 && strcmp(argv[1], "--tls") == 0) {
    snprintf(certificate, sizeof(certificate), "%s/worker.crt", argv[2]);
    snprintf(key, sizeof(key), "%s/worker.key", argv[2]);
    snprintf(ca, sizeof(ca), "%s/ca.crt", argv[2]);
    is_tcp = true;
    tls = &files;
    return 2;
  }
  return 0;
}

int main(int argc, char **argv) {
  const int taken = read_way(argc, argv);
  argc -= taken;
  argv += taken;
  only = argc > 1 ? argv[1] : NULL;
  for (int i = 0; argc > 2 && i < COLLECTIVE_ALGORITHM_COUNT; i++) {
    const bool is_it =
        strcmp(collective_algorithm_name((collective_algorithm_t)i), argv[2]) == 0;
    algorithm = is_it ? (collective_algorithm_t)i : algorithm;
  }
  char folder[] = "/tmp/podium-bench-XXXXXX";
  POD_CHECK(mkdtemp(folder) != NULL);
  control = mmap(NULL, sizeof(*control), PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  POD_CHECK(control != MAP_FAILED);
  control->iterations = 1;
  for (int chip = 1; chip < CHIPS; chip++) {
    if (fork() == 0) {
      _exit(run_chip(chip, folder));
    }
  }
  const int result = run_chip(0, folder);
  while (wait(NULL) > 0) {
  }
  rmdir(folder);
  return result;
}
