// Goes through a kernel's grid: which blocks a step needs that the one before did not,
// what it computes, and how the two hide behind each other (server/chip/grid.h).

#include <stdlib.h>
#include <string.h>

#include "common/tensor/tiles.h"
#include "server/chip/work.h"
#include "server/compiler/pallas/kernel_private.h"

enum { INDEXES_MAX = 8 };

// Nodes that one kernel may run: some seconds at worst.
#define NODES_MAX ((int64_t)1 << 26)

// Where a block is.
typedef struct place_t {
  bool is_known;
  int count;
  int64_t indexes[INDEXES_MAX];
} place_t;

typedef struct follower_t {
  const kernel_t *kernel;
  const kernel_call_t *call;
  machine_t machine;
  chip_grid_t grid;
  place_t *places;  // By window, of the step before.
  chip_grid_step_t sum;
  chip_grid_step_t pending;  // The step before, whose DMA is not all known.
  bool has_pending;
  int64_t indexes[KERNEL_DIMS_MAX], dims[KERNEL_DIMS_MAX];
} follower_t;

static bool is_result(const follower_t *follower, int window) {
  const kernel_t *kernel = follower->kernel;
  return window >=
         follower->call->operand_count - kernel->prefetch_count - kernel->dynamic_count;
}

// --- One step ---

static void set_indexes(follower_t *follower, const code_block_t *code) {
  for (int d = 0; d < follower->kernel->dim_count; d++) {
    kernel_machine_set(&follower->machine, code->at->arguments[d], follower->indexes[d]);
  }
}

static place_t place_of(follower_t *follower, const kernel_window_t *window) {
  const code_block_t *code = window->transform;
  set_indexes(follower, code);
  chip_grid_step_t ignored = {0};
  kernel_machine_run(&follower->machine, code, &ignored);
  place_t place = {.is_known =
                       code->end != NULL && code->end->operand_count <= INDEXES_MAX};
  for (int i = 0; place.is_known && i < code->end->operand_count; i++) {
    const machine_slot_t *slot = &follower->machine.slots[code->end->operands[i]->id];
    place.is_known = slot->is_known;
    place.indexes[place.count++] = slot->value;
  }
  return place;
}

static bool is_same(const place_t *a, const place_t *b) {
  return a->is_known && b->is_known && a->count == b->count &&
         memcmp(a->indexes, b->indexes, (size_t)a->count * sizeof(a->indexes[0])) == 0;
}

static void run_step(follower_t *follower, bool is_first) {
  const kernel_t *kernel = follower->kernel;
  int64_t loaded = 0, stored = 0;
  for (int i = 0; i < kernel->window_count; i++) {
    const kernel_window_t *window = &kernel->windows[i];
    if (window->transform == NULL) {
      continue;
    }
    const place_t place = place_of(follower, window);
    const bool has_moved = is_first || !is_same(&place, &follower->places[i]);
    if (has_moved && !is_result(follower, i)) {
      loaded = chip_work_plus(loaded, window->bytes);
    } else if (has_moved && !is_first) {
      stored = chip_work_plus(stored, window->bytes);
    }
    follower->places[i] = place;
  }
  if (follower->has_pending) {
    follower->pending.read_bytes = chip_work_plus(follower->pending.read_bytes, loaded);
    chip_grid_add(&follower->grid, &follower->pending, 1);
    kernel_work_add(&follower->sum, &follower->pending, 1);
  }
  chip_grid_step_t work = {.written_bytes = stored};
  set_indexes(follower, kernel->body);
  kernel_machine_run(&follower->machine, kernel->body, &work);
  follower->pending = work;
  follower->has_pending = true;
}

// --- The grid ---

static int64_t product_of(const int64_t *dims, int from, int to) {
  int64_t product = 1;
  for (int d = from; d < to; d++) {
    product = chip_work_times(product, dims[d]);
  }
  return product;
}

static void set_place(follower_t *follower, int from, int to, int64_t number) {
  for (int d = to - 1; d >= from; d--) {
    follower->indexes[d] = number % follower->dims[d];
    number /= follower->dims[d];
  }
}

// What does not move is loaded before the first step, or stored after the last.
static int64_t still_bytes(const follower_t *follower, bool of_results) {
  int64_t bytes = 0;
  for (int i = 0; i < follower->kernel->window_count; i++) {
    const kernel_window_t *window = &follower->kernel->windows[i];
    if (window->transform == NULL && window->space == KERNEL_SPACE_VMEM &&
        is_result(follower, i) == of_results) {
      bytes = chip_work_plus(bytes, window->bytes);
    }
  }
  return bytes;
}

static int64_t moving_bytes(const follower_t *follower, bool of_results) {
  int64_t bytes = 0;
  for (int i = 0; i < follower->kernel->window_count; i++) {
    const kernel_window_t *window = &follower->kernel->windows[i];
    if (window->transform != NULL && is_result(follower, i) == of_results) {
      bytes = chip_work_plus(bytes, window->bytes);
    }
  }
  return bytes;
}

static int64_t scaled(int64_t value, double factor) {
  const double product = (double)value * factor;
  return factor == 1 ? value : product < 9e18 ? (int64_t)product : INT64_MAX;
}

// The inner dimensions as a whole, of the outer ones as many places as there is patience
// for, evenly spaced. Returns how many steps each followed one stands for.
static double run_grid(follower_t *follower) {
  const kernel_t *kernel = follower->kernel;
  const int count = kernel->dim_count;
  const int64_t patience = NODES_MAX / (kernel->node_count + kernel->window_count + 1);
  const int64_t most = patience < KERNEL_STEPS_MAX ? patience : KERNEL_STEPS_MAX;
  int split = count;
  while (split > 0 && product_of(follower->dims, split - 1, count) <= most) {
    split--;
  }
  const int64_t inner = product_of(follower->dims, split, count);
  const int64_t outer = product_of(follower->dims, 0, split);
  int64_t followed = most / (inner > 0 ? inner : 1);
  followed = followed < 1 ? 1 : followed < outer ? followed : outer;
  bool is_first = true;
  for (int64_t o = 0; o < followed && inner > 0 && outer > 0; o++) {
    const double at = (double)o * ((double)outer / (double)followed);
    set_place(follower, 0, split, followed == outer ? o : (int64_t)at);
    for (int64_t i = 0; i < inner && follower->machine.budget >= 0; i++) {
      set_place(follower, split, count, i);
      run_step(follower, is_first);
      is_first = false;
    }
  }
  if (follower->has_pending) {
    chip_grid_add(&follower->grid, &follower->pending, 1);
    kernel_work_add(&follower->sum, &follower->pending, 1);
  }
  return followed > 0 ? (double)outer / (double)followed : 1;
}

static void collect(const follower_t *follower, double factor, chip_work_t *out_work) {
  const bool has_steps = follower->has_pending;
  const int64_t first = has_steps ? chip_work_plus(still_bytes(follower, false),
                                                   moving_bytes(follower, false))
                                  : 0;
  const int64_t last = has_steps ? chip_work_plus(still_bytes(follower, true),
                                                  moving_bytes(follower, true))
                                 : 0;
  const chip_grid_step_t *sum = &follower->sum;
  const int64_t total_ps = chip_grid_end(&follower->grid, last);
  *out_work = (chip_work_t){
      .mxu_flop = scaled(sum->mxu_flop, factor),
      .mxu_busy_flop = scaled(sum->mxu_busy_flop, factor),
      .vpu_op = scaled(sum->vpu_op, factor),
      .vmem_bytes = scaled(sum->vmem_bytes, factor),
      .hbm_read_bytes = chip_work_plus(first, scaled(sum->read_bytes, factor)),
      .hbm_written_bytes = chip_work_plus(last, scaled(sum->written_bytes, factor)),
      .grid_steps = scaled(follower->grid.steps, factor),
      .grid_ps = scaled(total_ps, factor)};
}

// Prefetched arrays that the program has as constants, in every function that takes them.
static void set_memories(follower_t *follower, const code_block_t *code) {
  const kernel_t *kernel = follower->kernel;
  for (int i = 0; i < kernel->prefetch_count; i++) {
    const int argument = kernel->dim_count + i;
    const int operand = kernel->dynamic_count + i;
    if (argument >= code->at->argument_count ||
        operand >= follower->call->operand_count) {
      return;
    }
    const kernel_memory_t *constant = &follower->call->constants[operand];
    const mlir_value_t *value = code->at->arguments[argument];
    tensor_shape_t shape;
    if (constant->data != NULL && kernel_shape_of(value->type, &shape) &&
        tensor_shape_equal(&shape, &constant->shape)) {
      follower->machine.slots[value->id].memory = constant;
    }
  }
}

static void follow_once(follower_t *follower, int64_t open_turns, chip_work_t *out_work) {
  const kernel_t *kernel = follower->kernel;
  const size_t slots = kernel->module->value_count;
  memset(follower->machine.slots, 0, slots * sizeof(machine_slot_t));
  follower->machine.budget = 2 * NODES_MAX;
  follower->machine.open_turns = open_turns;
  follower->machine.open_bytes = 0;
  follower->sum = (chip_grid_step_t){0};
  follower->has_pending = false;
  set_memories(follower, kernel->body);
  for (int i = 0; i < kernel->window_count; i++) {
    if (kernel->windows[i].transform != NULL) {
      set_memories(follower, kernel->windows[i].transform);
    }
  }
  follower->grid = chip_grid_begin(
      follower->call->spec, kernel->has_parallel_dimension,
      chip_work_plus(still_bytes(follower, false), moving_bytes(follower, false)));
  follower->machine.grid = &follower->grid;
  const double factor = run_grid(follower);
  collect(follower, factor, out_work);
}

// Arrays that stay in HBM for the kernel to copy from.
static int64_t bytes_left_in_hbm(const follower_t *follower) {
  int64_t bytes = 0;
  for (int i = 0; i < follower->kernel->window_count; i++) {
    const kernel_window_t *window = &follower->kernel->windows[i];
    if (!is_result(follower, i) &&
        (window->space == KERNEL_SPACE_ANY || window->space == KERNEL_SPACE_HBM)) {
      bytes = chip_work_plus(bytes, window->bytes);
    }
  }
  return bytes;
}

#define GIVE_AN_ESTIMATE \
  "; say what it costs with pallas_call(..., cost_estimate=pl.CostEstimate(...))"

// As many turns as copy what lies in HBM once: a cache that is full and read once. What
// a turn copies on the way is known from following it.
static void follow_open(follower_t *follower, chip_work_t *inout_work) {
  const int64_t there = bytes_left_in_hbm(follower), once = follower->machine.open_bytes;
  if (once > 0 && there > once) {
    follow_once(follower, there / once, inout_work);
  }
}

// The size of the dimensions that values decide: constants, or as many steps as it takes
// for the FLOP that the user says the kernel has.
static pod_status_t find_sizes(follower_t *follower, const kernel_config_t *config) {
  const kernel_t *kernel = follower->kernel;
  int open = -1, operand = 0;
  for (int d = 0; d < kernel->dim_count; d++) {
    follower->dims[d] = kernel->dims[d];
    if (kernel->dims[d] >= 0) {
      continue;
    }
    const kernel_memory_t *constant = operand < follower->call->operand_count
                                          ? &follower->call->constants[operand]
                                          : NULL;
    operand++;
    if (constant != NULL && constant->data != NULL) {
      const int64_t size = tensor_element_as_int64(constant->shape.dtype, constant->data);
      follower->dims[d] = size > 0 ? size : 0;
    } else {
      follower->dims[d] = 1;
      open = open < 0 ? d : INT32_MAX;
    }
  }
  if (open < 0) {
    return NULL;
  }
  if (open == INT32_MAX || config->flops <= 0) {
    return pod_error(POD_UNIMPLEMENTED,
                     "how many steps its grid has follows from values" GIVE_AN_ESTIMATE);
  }
  chip_work_t once;
  follow_once(follower, 1, &once);
  follower->dims[open] = once.mxu_flop > 0 && config->flops > once.mxu_flop
                             ? config->flops / once.mxu_flop
                             : 1;
  return NULL;
}

static pod_status_t check_call(const kernel_t *kernel, const kernel_call_t *call) {
  const int64_t wanted =
      (int64_t)kernel->dynamic_count + kernel->prefetch_count + kernel->window_count;
  return wanted == (int64_t)call->operand_count + call->result_count
             ? NULL
             : pod_error(POD_INVALID_ARGUMENT,
                         "its module is for %lld operands and results; the call has %d "
                         "operands and %d results",
                         (long long)wanted, call->operand_count, call->result_count);
}

static void rest_on(const follower_t *follower, const char *what) {
  if (follower->call->rests_on != NULL) {
    *follower->call->rests_on = what;
  }
}

static pod_status_t follow(follower_t *follower, const kernel_config_t *config,
                           chip_work_t *out_work) {
  POD_TRY(find_sizes(follower, config));
  follow_once(follower, 1, out_work);
  if (follower->machine.is_open && config->has_estimate) {
    *out_work = kernel_estimate(follower->call, config, out_work->grid_steps);
    rest_on(follower, "its cost_estimate, as the turns of a loop depend on values");
  } else if (follower->machine.is_open) {
    follow_open(follower, out_work);
    rest_on(follower,
            "a guess of the turns of a loop, which depend on values: a cost_estimate "
            "would say more");
  }
  if (follower->machine.budget >= 0) {
    return NULL;
  }
  if (config->has_estimate) {
    *out_work = kernel_estimate(follower->call, config, out_work->grid_steps);
    rest_on(follower, "its cost_estimate, as its loops take too many turns");
    return NULL;
  }
  return pod_error(POD_UNIMPLEMENTED,
                   "its loops take too many turns to be followed" GIVE_AN_ESTIMATE);
}

pod_status_t kernel_follow(const kernel_t *kernel, const kernel_call_t *call,
                           const kernel_config_t *config, chip_work_t *out_work) {
  POD_TRY(check_call(kernel, call));
  pod_arena_t *arena = pod_arena_create();
  follower_t follower = {
      .kernel = kernel,
      .call = call,
      .machine = {.slots = pod_arena_array(arena, kernel->module->value_count,
                                           sizeof(machine_slot_t))},
      .places = pod_arena_array(arena, (size_t)kernel->window_count, sizeof(place_t))};
  const pod_status_t status = follow(&follower, config, out_work);
  pod_arena_destroy(arena);
  return status;
}

// --- By what the user says ---

chip_work_t kernel_estimate(const kernel_call_t *call, const kernel_config_t *config,
                            int64_t steps) {
  const chip_spec_t *spec = call->spec;
  steps = steps > 0 ? steps : 1;
  int64_t results = 0;
  for (int i = 0; i < call->result_count; i++) {
    results = chip_work_plus(results, tensor_tiled_bytes(&call->results[i]));
  }
  const int64_t written =
      results < config->bytes_accessed ? results : config->bytes_accessed;
  const int64_t vpu_op = chip_work_times(config->transcendentals,
                                         chip_lane_ops(CHIP_OP_EXPONENTIAL, TENSOR_F32));
  chip_grid_t grid = chip_grid_begin(spec, true, 0);
  const chip_grid_step_t step = {.mxu_flop = config->flops / steps,
                                 .mxu_busy_flop = config->flops / steps,
                                 .vpu_op = vpu_op / steps,
                                 .read_bytes = (config->bytes_accessed - written) / steps,
                                 .written_bytes = written / steps,
                                 .pieces = INT32_MAX};
  chip_grid_add(&grid, &step, steps);
  int64_t total_ps = chip_grid_end(&grid, 0);
  const double remote_ps = (double)config->remote_bytes / spec->ici_bytes_per_s * 1e12;
  if (remote_ps > (double)total_ps) {
    total_ps = remote_ps < 9e18 ? (int64_t)remote_ps : INT64_MAX;
  }
  return (chip_work_t){.mxu_flop = config->flops,
                       .mxu_busy_flop = config->flops,
                       .vpu_op = vpu_op,
                       .hbm_read_bytes = config->bytes_accessed - written,
                       .hbm_written_bytes = written,
                       .grid_steps = steps,
                       .grid_ps = total_ps};
}
