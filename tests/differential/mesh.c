#include "tests/differential/mesh.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "common/mlir/replacements.h"
#include "common/mlir/walk.h"
#include "common/tensor/slicer.h"
#include "server/compiler/compiler.h"
#include "server/compiler/dialect/attributes.h"
#include "server/worker/executor.h"
#include "tests/differential/mesh_sharder.h"
#include "tests/unit/server/ici/pod.h"

enum { CHIPS = 4 };

typedef struct board_t {
  pod_t pod;
  executor_t *executors[CHIPS_MAX];
} board_t;

// A pod of just the chips that a module needs, and one where it runs on any of them: the
// others only pass messages on.
struct mesh_device_t {
  board_t whole, part;
  uint64_t executions;
};

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

mesh_device_t *mesh_device_create(void) {
  mesh_device_t *device = pod_alloc(sizeof(*device));
  board_start(&device->whole, square);
  board_start(&device->part, oblong);
  return device;
}

void mesh_device_destroy(mesh_device_t *device) {
  if (device == NULL) {
    return;
  }
  board_stop(&device->whole);
  board_stop(&device->part);
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
  return bytes_sent(&device->whole.pod) + bytes_sent(&device->part.pod);
}

// --- Shardings ---

static const mesh_t *make_mesh(mlir_module_t *module, pod_random_t *random) {
  static const int64_t sizes[][2] = {{4, 1}, {2, 2}, {1, 4}};
  const int64_t *size = sizes[pod_random_below(random, POD_COUNT_OF(sizes))];
  const mesh_axis_t axes[] = {{"x", size[0]}, {"y", size[1]}};
  static const int64_t orders[][CHIPS] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {2, 0, 1, 3}};
  const mesh_t *mesh;
  POD_CHECK(mesh_make(module->arena, "mesh", 2, axes,
                      orders[pod_random_below(random, POD_COUNT_OF(orders))],
                      &mesh) == NULL);
  mlir_op_t *op = mlir_op_create(module, "sdy.mesh", 0, NULL, 0, NULL, 0);
  mlir_op_set_attr(module, op, "sym_name", mlir_attr_string(module, "mesh"));
  mlir_op_set_attr(module, op, "mesh", compiler_make_mesh(module, mesh));
  mlir_block_append(mlir_op_block(module->op, 0), op);
  return mesh;
}

static const sharding_t *pick(sharder_t *sharder, const mlir_type_t *type) {
  const tensor_shape_t *shape = &type->shape;
  pod_arena_t *arena = sharder->module->arena;
  const int axes = sharder->mesh->axis_count;
  sharding_t *sharding = sharding_replicated(arena, sharder->mesh, shape->rank,
                                             sharder_below(sharder, 2) == 0);
  for (int axis = 0; axis < axes && shape->rank > 0; axis++) {
    const uint64_t d = sharder_below(sharder, (uint64_t)shape->rank);
    axis_list_t *list = &sharding->dims[d].axes;
    const int64_t size = sharder->mesh->axes[axis].size;
    if (list->refs == NULL) {
      list->refs = pod_arena_array(arena, (size_t)axes, sizeof(*list->refs));
    }
    if (shape->dims[d] % (axis_list_size(list) * size) == 0) {
      list->refs[list->count++] = (axis_ref_t){axis, 1, size};
    }
  }
  return sharding;
}

// A dictionary with a sharding for most values that can have one, else an empty one.
static const mlir_attr_t *pick_dictionary(sharder_t *sharder, const mlir_type_t *type) {
  if (type->kind != MLIR_TYPE_TENSOR || sharder_below(sharder, 4) == 0) {
    return mlir_attr_dictionary(sharder->module, 0, NULL);
  }
  const mlir_named_attr_t entry = {
      mlir_intern(sharder->module, "sdy.sharding"),
      compiler_make_sharding(sharder->module, pick(sharder, type))};
  return mlir_attr_dictionary(sharder->module, 1, &entry);
}

// The results of a few operations within the function get shardings too.
static void shard_ops(sharder_t *sharder, const mlir_block_t *block) {
  for (mlir_op_t *op = block->first; op != block->last; op = op->next) {
    if (op->result_count == 1 && op->results[0].type->kind == MLIR_TYPE_TENSOR &&
        sharder_below(sharder, 6) == 0) {
      const sharding_t *sharding = pick(sharder, op->results[0].type);
      mlir_op_set_attr(sharder->module, op, "sdy.sharding",
                       compiler_make_shardings(sharder->module, 1, &sharding));
    }
  }
}

// Not for constants: sizes that operations read must stay what they are.
static bool may_be_manual(const mlir_op_t *op) {
  return op->result_count == 1 && op->results[0].type->kind == MLIR_TYPE_TENSOR &&
         strcmp(op->name, "stablehlo.constant") != 0;
}

// Puts manual computations behind the results of some operations; what follows reads
// theirs.
static void insert_manual(sharder_t *sharder, mlir_block_t *block) {
  mlir_replacements_t replacements = {0};
  for (mlir_op_t *op = block->first; op != NULL; op = op->next) {
    mlir_replacements_apply(&replacements, op);
    for (mlir_op_t *inner = mlir_walk_first(op); inner != NULL;
         inner = mlir_walk_next(op, inner)) {
      mlir_replacements_apply(&replacements, inner);
    }
    if (op == block->last || !may_be_manual(op) || sharder_below(sharder, 5) != 0) {
      continue;
    }
    mlir_op_t *manual = mesh_manual_identity(sharder, &op->results[0]);
    if (manual != NULL) {
      mlir_block_insert_before(op->next, manual);
      mlir_replacements_put(&replacements, &op->results[0], &manual->results[0]);
      op = manual;
    }
  }
  mlir_replacements_deinit(&replacements);
}

void mesh_shard(mlir_module_t *module, uint64_t seed) {
  if (mlir_module_find_symbol(module, "mesh") != NULL) {
    return;
  }
  sharder_t sharder = {.module = module, .random = {.state = seed}};
  sharder.mesh = make_mesh(module, &sharder.random);
  mlir_op_t *function = mlir_module_find_symbol(module, "main");
  mlir_block_t *block = mlir_op_block(function, 0);
  const int count = block->argument_count, result_count = block->last->operand_count;
  const mlir_attr_t **attrs =
      pod_arena_array(module->arena, (size_t)(count + result_count + 1), sizeof(*attrs));
  for (int i = 0; i < count; i++) {
    attrs[i] = pick_dictionary(&sharder, block->arguments[i]->type);
  }
  for (int i = 0; i < result_count; i++) {
    attrs[count + i] = pick_dictionary(&sharder, block->last->operands[i]->type);
  }
  mlir_op_set_attr(module, function, "arg_attrs", mlir_attr_array(module, count, attrs));
  mlir_op_set_attr(module, function, "res_attrs",
                   mlir_attr_array(module, result_count, attrs + count));
  shard_ops(&sharder, block);
  insert_manual(&sharder, block);
}

// --- Running ---

typedef struct chip_run_t {
  board_t *board;
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
  const int64_t bytes = tensor_shape_bytes(&interface->shape);
  for (int64_t at = 0; at < bytes;) {
    const tensor_run_t run = tensor_slicer_run_at(slicer, at, bytes);
    if (run.shard == own) {
      memcpy(shard + run.shard_offset_bytes, whole->data + at, (size_t)run.size_bytes);
    }
    at += run.size_bytes;
  }
  tensor_slicer_destroy(slicer);
  return shard;
}

// Every chip's shard goes to its place; where one has been already it must be the same.
static pod_status_t join(const chip_interface_t *interface, const chip_run_t *runs,
                         int index, reference_value_t *whole) {
  tensor_slicer_t *slicer = slicer_of(interface);
  const int64_t bytes = tensor_shape_bytes(&interface->shape);
  pod_status_t status = NULL;
  for (int32_t i = 0; i < CHIPS; i++) {
    const char *shard = runs[i].results[index];
    const int64_t own = tensor_slicer_shard_of_device(slicer, runs[i].chip);
    bool is_first = true;
    for (int32_t j = 0; j < i; j++) {
      is_first &= tensor_slicer_shard_of_device(slicer, runs[j].chip) != own;
    }
    for (int64_t at = 0; at < bytes && status == NULL;) {
      const tensor_run_t run = tensor_slicer_run_at(slicer, at, bytes);
      char *to = whole->data + at;
      const char *from = shard + run.shard_offset_bytes;
      if (run.shard == own && is_first) {
        memcpy(to, from, (size_t)run.size_bytes);
      } else if (run.shard == own && memcmp(to, from, (size_t)run.size_bytes) != 0) {
        status = pod_error(POD_DATA_LOSS, "result %d: chip %d holds other bits", index,
                           (int)runs[i].chip);
      }
      at += run.size_bytes;
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
      .device_order_count = run->order == NULL ? 0 : CHIPS,
      .device_order = run->order};
  compiler_result_t *compiled;
  POD_TRY(compiler_compile(text, length, &options, &compiled));
  return executor_load(run->board->executors[run->chip], compiled->program,
                       &run->executable);
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
  for (int32_t chip = 0; chip < CHIPS; chip++) {
    POD_CHECK(pthread_create(&runs[chip].thread, NULL, run_chip, &runs[chip]) == 0);
  }
  pod_status_t status = NULL;
  for (int32_t chip = 0; chip < CHIPS; chip++) {
    pthread_join(runs[chip].thread, NULL);
  }
  for (int32_t chip = 0; chip < CHIPS; chip++) {
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
                            pod_arena_t *arena, const reference_value_t *arguments,
                            int result_count, reference_value_t *results) {
  for (int32_t chip = 0; chip < CHIPS; chip++) {
    POD_TRY(load(&runs[chip], text, length));
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
  for (int32_t i = 0; i < CHIPS; i++) {
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
  (void)argument_count;
  chip_run_t runs[CHIPS] = {0};
  int64_t order[CHIPS] = {0, 1, 2, 3};
  pod_random_t random = {.state = hash_of(text, length)};
  const bool is_part = pod_random_below(&random, 2) == 0;
  board_t *board = is_part ? &device->part : &device->whole;
  if (is_part) {
    draw_chips(&random, board->pod.chip_count, order);
  }
  device->executions++;
  for (int32_t i = 0; i < CHIPS; i++) {
    runs[i] = (chip_run_t){.board = board,
                           .order = is_part ? order : NULL,
                           .chip = (int32_t)order[i],
                           .execution = device->executions};
  }
  const pod_status_t status =
      compute(runs, text, length, arena, arguments, result_count, results);
  for (int32_t chip = 0; chip < CHIPS; chip++) {
    free_run(&runs[chip]);
  }
  return status;
}
