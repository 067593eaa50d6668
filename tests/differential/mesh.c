#include "tests/differential/mesh.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "common/base/random.h"
#include "common/tensor/slicer.h"
#include "server/compiler/compiler.h"
#include "server/worker/executor.h"
#include "tests/unit/server/ici/pod.h"

typedef struct board_t {
  pod_t pod;
  executor_t *executors[CHIPS_MAX];
} board_t;

// A pod of just the chips that a module needs, and for four chips one where it runs on
// any of them: the others only pass messages on.
struct mesh_device_t {
  board_t whole, part;
  int32_t chip_count;
  uint64_t executions;
};

static bool has_part(const mesh_device_t *device) {
  return device->chip_count == MESH_CHIPS;
}

static void board_start(board_t *board, torus_t torus) {
  pod_start(&board->pod, torus, WAY_SHARED);
  for (int32_t chip = 0; chip < board->pod.chip_count; chip++) {
    board->executors[chip] = executor_create(&(executor_options_t){
        .spec = chip_spec_find("v5e"),
        .torus = torus,
        .chip = chip,
        .runner = collective_runner_of_node(board->pod.nodes[chip])});
  }
}

static void board_stop(board_t *board) {
  for (int32_t chip = 0; chip < board->pod.chip_count; chip++) {
    executor_destroy(board->executors[chip]);
  }
  pod_stop(&board->pod);
}

static torus_t torus_of(int32_t chip_count) {
  static const torus_t six = {.size = {2, 3, 1}}, twelve = {.size = {3, 4, 1}};
  switch (chip_count) {
    case 6:
      return six;
    case MESH_CHIPS_MORE:
      return oblong;
    case 12:
      return twelve;
    default:
      POD_CHECK(chip_count == MESH_CHIPS);
      return square;
  }
}

mesh_device_t *mesh_device_create(int32_t chip_count) {
  mesh_device_t *device = pod_alloc(sizeof(*device));
  device->chip_count = chip_count;
  board_start(&device->whole, torus_of(chip_count));
  if (has_part(device)) {
    board_start(&device->part, oblong);
  }
  return device;
}

void mesh_device_destroy(mesh_device_t *device) {
  if (device == NULL) {
    return;
  }
  board_stop(&device->whole);
  if (has_part(device)) {
    board_stop(&device->part);
  }
  free(device);
}

static int64_t bytes_sent(const pod_t *pod) {
  int64_t sum = 0;
  for (int32_t chip = 0; chip < pod->chip_count; chip++) {
    chip_link_total_t totals[TORUS_LINKS];
    ici_node_totals(pod->nodes[chip], totals);
    for (int d = 0; d < TORUS_LINKS; d++) {
      sum += totals[d].bytes_sent;
    }
  }
  return sum;
}

int64_t mesh_device_bytes_sent(const mesh_device_t *device) {
  return bytes_sent(&device->whole.pod) +
         (has_part(device) ? bytes_sent(&device->part.pod) : 0);
}

// --- Running ---

typedef struct chip_run_t {
  board_t *board;
  int32_t chip_count;    // The module's.
  const int64_t *order;  // The module's devices; NULL: the board has no other chips.
  int32_t chip;
  pthread_t thread;
  executable_t *executable;
  uint64_t execution;
  const void **arguments;
  void **results;
  pod_status_t status;
} chip_run_t;

// A place even for no elements.
static void *aligned(int64_t size_bytes) {
  void *memory = NULL;
  POD_CHECK(posix_memalign(&memory, 64, size_bytes > 0 ? (size_t)size_bytes : 1) == 0);
  return memory;
}

static tensor_slicer_t *slicer_of(const chip_interface_t *interface) {
  tensor_slicer_t *slicer;
  POD_CHECK(tensor_slicer_create(interface->sharding, &interface->shape, &slicer) ==
            NULL);
  return slicer;
}

static void *cut(const chip_interface_t *interface, const reference_value_t *whole,
                 int32_t chip) {
  tensor_slicer_t *slicer = slicer_of(interface);
  char *shard = aligned(tensor_slicer_shard_bytes(slicer));
  const int64_t own = tensor_slicer_shard_of_device(slicer, chip);
  const char *from = whole->data;
  for (int64_t at = 0; at < tensor_slicer_walk_bytes(slicer);) {
    const tensor_run_t run = tensor_slicer_run_at(slicer, at, INT64_MAX);
    char *to = shard + run.shard_offset_bytes;
    if (run.shard == own && run.is_padding) {
      memset(to, 0xff, (size_t)run.size_bytes);  // NaN: it must not be seen.
    } else if (run.shard == own) {
      memcpy(to, from, (size_t)run.size_bytes);
    }
    from += run.is_padding ? 0 : run.size_bytes;
    at += run.size_bytes;
  }
  tensor_slicer_destroy(slicer);
  return shard;
}

// Every chip's shard goes to its place; where one has been already it must be the same.
static pod_status_t join(const chip_interface_t *interface, const chip_run_t *runs,
                         int index, reference_value_t *whole) {
  tensor_slicer_t *slicer = slicer_of(interface);
  const int64_t bytes = tensor_slicer_walk_bytes(slicer);
  pod_status_t status = NULL;
  for (int32_t i = 0; i < runs[0].chip_count; i++) {
    const char *shard = runs[i].results[index];
    const int64_t own = tensor_slicer_shard_of_device(slicer, runs[i].chip);
    bool is_first = true;
    for (int32_t j = 0; j < i; j++) {
      is_first &= tensor_slicer_shard_of_device(slicer, runs[j].chip) != own;
    }
    char *to = whole->data;
    for (int64_t at = 0; at < bytes && status == NULL;) {
      const tensor_run_t run = tensor_slicer_run_at(slicer, at, bytes);
      const char *from = shard + run.shard_offset_bytes;
      at += run.size_bytes;
      if (run.is_padding) {
        continue;
      }
      if (run.shard == own && is_first) {
        memcpy(to, from, (size_t)run.size_bytes);
      } else if (run.shard == own && memcmp(to, from, (size_t)run.size_bytes) != 0) {
        status = pod_error(POD_DATA_LOSS, "result %d: chip %d holds other bits", index,
                           (int)runs[i].chip);
      }
      to += run.size_bytes;
    }
  }
  tensor_slicer_destroy(slicer);
  return status;
}

static void *run_chip(void *context) {
  chip_run_t *run = context;
  chip_profile_t profile;
  chip_profile_init(&profile, executable_program(run->executable), run->chip);
  const executor_run_t what = {
      .execution = run->execution, .arguments = run->arguments, .results = run->results};
  run->status = executor_run(run->executable, &what, &profile);
  chip_profile_deinit(&profile);
  const pod_t *pod = &run->board->pod;
  for (int32_t chip = 0; chip < pod->chip_count && run->status != NULL; chip++) {
    ici_node_abort(pod->nodes[chip], run->execution, pod_status_copy(run->status));
  }
  return NULL;
}

// A chip loads a program of its own: an executor takes it.
static pod_status_t load(chip_run_t *run, const char *text, int64_t length) {
  const compiler_options_t options = {
      .file_name = "random.mlir",
      .spec = chip_spec_find("v5e"),
      .torus = run->board->pod.torus,
      .device_order_count = run->order == NULL ? 0 : run->chip_count,
      .device_order = run->order};
  compiler_result_t *compiled;
  POD_TRY(compiler_compile(text, length, &options, &compiled));
  return executor_load(run->board->executors[run->chip], compiled->program,
                       &run->executable);
}

static pod_status_t check_arguments(const chip_run_t *run, int count) {
  const int32_t own = executable_program(run->executable)->argument_count;
  return own == count
             ? NULL
             : pod_error(POD_INVALID_ARGUMENT, "%d arguments, not %d", (int)own, count);
}

static void make_shards(chip_run_t *run, const reference_value_t *arguments) {
  const chip_program_t *program = executable_program(run->executable);
  run->arguments = pod_alloc(sizeof(void *) * (size_t)(program->argument_count + 1));
  run->results = pod_alloc(sizeof(void *) * (size_t)(program->result_count + 1));
  for (int32_t i = 0; i < program->argument_count; i++) {
    run->arguments[i] = cut(&program->arguments[i], &arguments[i], run->chip);
  }
  for (int32_t i = 0; i < program->result_count; i++) {
    const int64_t bytes = tensor_shape_bytes(executable_result_shape(run->executable, i));
    run->results[i] = aligned(bytes);
    memset(run->results[i], 0xa5, (size_t)bytes);
  }
}

static void free_run(chip_run_t *run) {
  if (run->executable == NULL) {
    return;
  }
  const chip_program_t *program = executable_program(run->executable);
  for (int32_t i = 0; run->arguments != NULL && i < program->argument_count; i++) {
    free((void *)run->arguments[i]);
  }
  for (int32_t i = 0; run->results != NULL && i < program->result_count; i++) {
    free(run->results[i]);
  }
  free(run->arguments);
  free(run->results);
  executor_unload(run->executable);
}

static pod_status_t run_all_chips(chip_run_t *runs) {
  for (int32_t chip = 0; chip < runs[0].chip_count; chip++) {
    POD_CHECK(pthread_create(&runs[chip].thread, NULL, run_chip, &runs[chip]) == 0);
  }
  pod_status_t status = NULL;
  for (int32_t chip = 0; chip < runs[0].chip_count; chip++) {
    pthread_join(runs[chip].thread, NULL);
  }
  for (int32_t chip = 0; chip < runs[0].chip_count; chip++) {
    ici_node_end(runs[chip].board->pod.nodes[runs[chip].chip], runs[chip].execution);
    if (status == NULL) {
      status = runs[chip].status;
    } else {
      pod_status_free(runs[chip].status);
    }
  }
  return status;
}

static pod_status_t compute(chip_run_t *runs, const char *text, int64_t length,
                            pod_arena_t *arena, int argument_count,
                            const reference_value_t *arguments, int result_count,
                            reference_value_t *results) {
  for (int32_t chip = 0; chip < runs[0].chip_count; chip++) {
    POD_TRY(load(&runs[chip], text, length));
    POD_TRY(check_arguments(&runs[chip], argument_count));
    make_shards(&runs[chip], arguments);
  }
  POD_TRY(run_all_chips(runs));
  const chip_program_t *program = executable_program(runs[0].executable);
  for (int i = 0; i < result_count; i++) {
    results[i] = reference_make(arena, &results[i].shape);
    POD_TRY(join(&program->results[i], runs, i, &results[i]));
  }
  return NULL;
}

// FNV-1a: where a module runs follows from its text, so that a seed tells it again.
static uint64_t hash_of(const char *text, int64_t length) {
  uint64_t hash = UINT64_C(14695981039346656037);
  for (int64_t i = 0; i < length; i++) {
    hash = (hash ^ (uint8_t)text[i]) * UINT64_C(1099511628211);
  }
  return hash;
}

// Some chips of the larger pod, in any order.
static void draw_chips(pod_random_t *random, int32_t chip_count, int64_t *out_chips) {
  int64_t all[CHIPS_MAX];
  for (int32_t i = 0; i < chip_count; i++) {
    all[i] = i;
  }
  for (int32_t i = 0; i < MESH_CHIPS; i++) {
    const uint64_t left = (uint64_t)(chip_count - i);
    const int32_t at = i + (int32_t)pod_random_below(random, left);
    out_chips[i] = all[at];
    all[at] = all[i];
  }
}

pod_status_t mesh_device_run(mesh_device_t *device, const char *text, int64_t length,
                             pod_arena_t *arena, int argument_count,
                             const reference_value_t *arguments, int result_count,
                             reference_value_t *results) {
  chip_run_t runs[CHIPS_MAX] = {0};
  int64_t order[CHIPS_MAX] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  pod_random_t random = {.state = hash_of(text, length)};
  const bool is_part = has_part(device) && pod_random_below(&random, 2) == 0;
  board_t *board = is_part ? &device->part : &device->whole;
  if (is_part) {
    draw_chips(&random, board->pod.chip_count, order);
  }
  device->executions++;
  for (int32_t i = 0; i < device->chip_count; i++) {
    runs[i] = (chip_run_t){.board = board,
                           .chip_count = device->chip_count,
                           .order = is_part ? order : NULL,
                           .chip = (int32_t)order[i],
                           .execution = device->executions};
  }
  const pod_status_t status = compute(runs, text, length, arena, argument_count,
                                      arguments, result_count, results);
  for (int32_t chip = 0; chip < runs[0].chip_count; chip++) {
    free_run(&runs[chip]);
  }
  return status;
}
