// Lowering is run over kernels (lower_kernels), and what it finds is summed up.

#include "server/compiler/schedule/memory.h"

#include <stdlib.h>

#include "common/base/memory.h"
#include "common/tensor/tiles.h"
#include "server/chip/work.h"
#include "server/compiler/schedule/fuse.h"

// --- Kernels ---

typedef struct teller_t {
  const clusters_t *clusters;
  pod_arena_t *arena;
  int32_t *cluster_of;  // By op id: the cluster that is looked at, + 1, of its members.
  bool *is_in_step;     // By op id: every result of the kernel takes its elements as
                        // they come.
  POD_LIST(lower_operand_t) operands;
} teller_t;

// Whether operand `index` of a member is read an element at a time, each before anything
// is written at its place.
static bool is_read_in_step(const teller_t *teller, const mlir_op_t *op, int index) {
  const mlir_op_t *root = op;
  switch (fuse_class(op)) {
    case FUSE_VIEW:
      return teller->is_in_step[op->id];
    case FUSE_LOOP:
      return teller->is_in_step[op->id] && fuse_is_elementwise(op) &&
             fuse_elements(op->operands[index]) == fuse_elements(&op->results[0]);
    case FUSE_REDUCE:  // Of the same pass, when nobody here waits for its end.
      return teller->is_in_step[root->id] && index < op->operand_count / 2;
    default:
      return false;
  }
}

// Members from the last to the first: one is in step when all its readers here are.
static void find_steps(teller_t *teller, const cluster_t *cluster, int32_t at) {
  mlir_op_t *const *members = &teller->clusters->members[cluster->first_member];
  for (int32_t m = 0; m < cluster->member_count; m++) {
    teller->cluster_of[members[m]->id] = at + 1;
    teller->is_in_step[members[m]->id] = true;
  }
  for (int32_t m = cluster->member_count - 1; m >= 0; m--) {
    const mlir_op_t *op = members[m];
    for (int i = 0; i < op->operand_count; i++) {
      const mlir_op_t *maker = op->operands[i]->op;
      if (maker == NULL || teller->cluster_of[maker->id] != at + 1) {
        continue;
      }
      if (!is_read_in_step(teller, op, i) || fuse_class(maker) == FUSE_REDUCE) {
        teller->is_in_step[maker->id] = false;
      }
    }
  }
}

static bool is_update(const mlir_op_t *op, int index) {
  return op->kind == CHIP_OP_DYNAMIC_UPDATE_SLICE && index == 0;
}

// A part that is read just where the update writes it.
static bool is_part_updated(const mlir_op_t *op, int index, const mlir_op_t *update) {
  if (op->kind != CHIP_OP_DYNAMIC_SLICE || index != 0 ||
      op->operand_count + 1 != update->operand_count) {
    return false;
  }
  for (int i = 1; i < op->operand_count; i++) {
    if (op->operands[i] != update->operands[i + 1]) {
      return false;
    }
  }
  return tensor_shape_equal(&op->results[0].type->shape,
                            &update->operands[1]->type->shape);
}

// How one outside value is read by all members, while it is found out.
typedef struct reading_t {
  bool is_in_step;          // Everywhere.
  const mlir_op_t *update;  // The dynamic_update_slice that it is the target of.
  int32_t count;            // Of readings but that one.
  int32_t parts;            // Of these, what an update may overwrite.
} reading_t;

static int32_t result_index(const cluster_value_t *results, int32_t count,
                            const mlir_op_t *op) {
  for (int32_t i = 0; i < count; i++) {
    if (results[i].value->op == op) {
      return i;
    }
  }
  return CHIP_NONE;
}

// The first result that has the form of an operand read in step.
static int32_t result_like(const cluster_value_t *results, int32_t count,
                           const mlir_value_t *value) {
  const tensor_shape_t *shape = &value->type->shape;
  for (int32_t i = 0; i < count; i++) {
    const tensor_shape_t *other = &results[i].value->type->shape;
    if (!results[i].in_vmem && tensor_shape_elements(other) > 1 &&
        tensor_dtype_device_bits(other->dtype) ==
            tensor_dtype_device_bits(shape->dtype) &&
        tensor_shape_elements(other) == tensor_shape_elements(shape) &&
        fuse_bytes(results[i].value) == fuse_bytes(value)) {
      return i;
    }
  }
  return CHIP_NONE;
}

static reading_t reading_of(const teller_t *teller, const cluster_t *cluster, int32_t at,
                            const mlir_value_t *source) {
  reading_t reading = {.is_in_step = true};
  mlir_op_t *const *members = &teller->clusters->members[cluster->first_member];
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t m = 0; m < cluster->member_count; m++) {
      const mlir_op_t *op = members[m];
      for (int i = 0; i < op->operand_count; i++) {
        const mlir_op_t *maker = op->operands[i]->op;
        if ((maker != NULL && teller->cluster_of[maker->id] == at + 1) ||
            fuse_source(op->operands[i]) != source) {
          continue;
        }
        if (pass == 0) {
          reading.update = is_update(op, i) ? op : reading.update;
          reading.is_in_step = reading.is_in_step && is_read_in_step(teller, op, i);
        } else if (op != reading.update || i != 0) {
          reading.count++;
          reading.parts +=
              reading.update != NULL && is_part_updated(op, i, reading.update);
        }
      }
    }
  }
  return reading;
}

// For what is written in place every operand is looked for among all: n², of few.
enum { OPERANDS_LOOKED_AT = 512 };

static bool has_few_operands(const clusters_t *clusters, const cluster_t *cluster) {
  int64_t count = 0;
  for (int32_t m = 0; m < cluster->member_count; m++) {
    count += clusters->members[cluster->first_member + m]->operand_count;
  }
  return count <= OPERANDS_LOOKED_AT;
}

static lower_operand_t operand_of(const teller_t *teller, const cluster_t *cluster,
                                  int32_t at, const mlir_value_t *value) {
  const cluster_value_t *results =
      &teller->clusters->values.items[cluster->first_value + cluster->operand_count];
  lower_operand_t operand = {.value = value, .result = CHIP_NONE};
  const reading_t reading = reading_of(teller, cluster, at, fuse_source(value));
  if (reading.update != NULL && reading.count == reading.parts) {
    operand.result = result_index(results, cluster->result_count, reading.update);
    operand.is_update = true;
  } else if (reading.is_in_step) {
    operand.result = result_like(results, cluster->result_count, value);
  }
  return operand;
}

static void add_operands(teller_t *teller, const cluster_t *cluster, int32_t at) {
  mlir_op_t *const *members = &teller->clusters->members[cluster->first_member];
  const bool is_small = has_few_operands(teller->clusters, cluster);
  for (int32_t m = 0; m < cluster->member_count; m++) {
    const mlir_op_t *op = members[m];
    for (int i = 0; i < op->operand_count; i++) {
      const mlir_value_t *value = op->operands[i];
      const bool is_inside =
          value->op != NULL && teller->cluster_of[value->op->id] == at + 1;
      if (!is_inside && (is_update(op, i) || !fuse_is_generated(value))) {
        *pod_list_add(&teller->operands) =
            is_small ? operand_of(teller, cluster, at, value)
                     : (lower_operand_t){.value = value, .result = CHIP_NONE};
      }
    }
  }
}

static lower_kernel_t make_kernel(teller_t *teller, const cluster_t *cluster,
                                  int32_t at) {
  const cluster_value_t *values =
      &teller->clusters->values.items[cluster->first_value + cluster->operand_count];
  const size_t count = (size_t)cluster->result_count;
  const mlir_value_t **results =
      pod_arena_array(teller->arena, count, sizeof(mlir_value_t *));
  bool *is_in_vmem = pod_arena_array(teller->arena, count, sizeof(bool));
  for (size_t i = 0; i < count; i++) {
    results[i] = values[i].value;
    is_in_vmem[i] = values[i].in_vmem;
  }
  pod_list_clear(&teller->operands);
  find_steps(teller, cluster, at);
  add_operands(teller, cluster, at);
  return (lower_kernel_t){.root = cluster->root,
                          .operand_count = teller->operands.count,
                          .result_count = cluster->result_count,
                          .operands = pod_arena_copy(
                              teller->arena, teller->operands.items,
                              (size_t)teller->operands.count * sizeof(lower_operand_t)),
                          .results = results,
                          .is_in_vmem = is_in_vmem};
}

// What is a kernel by itself and has no elements to go through is lowered as it is.
static bool is_lone(const cluster_t *cluster) {
  return cluster->member_count == 1 && fuse_class(cluster->root) == FUSE_ALONE;
}

static lower_kernels_t make_kernels(const clusters_t *clusters, pod_arena_t *arena) {
  const size_t op_count = clusters->module->op_count;
  teller_t teller = {.clusters = clusters,
                     .arena = arena,
                     .cluster_of = pod_alloc(op_count * sizeof(int32_t) + 1),
                     .is_in_step = pod_alloc(op_count + 1)};
  int32_t *kernel_of = pod_arena_array(arena, op_count, sizeof(*kernel_of));
  lower_kernel_t *kernels =
      pod_arena_array(arena, (size_t)clusters->cluster_count, sizeof(*kernels));
  for (size_t i = 0; i < op_count; i++) {
    kernel_of[i] = CHIP_NONE;
  }
  for (int32_t c = 0; c < clusters->cluster_count; c++) {
    const cluster_t *cluster = &clusters->clusters[c];
    if (cluster->kind != CHIP_TASK_COMPUTE || is_lone(cluster)) {
      continue;
    }
    for (int32_t m = 0; m < cluster->member_count; m++) {
      kernel_of[clusters->members[cluster->first_member + m]->id] = LOWER_INSIDE;
    }
    kernels[c] = make_kernel(&teller, cluster, c);
  }
  for (int32_t c = 0; c < clusters->cluster_count; c++) {
    if (kernels[c].root != NULL) {
      kernel_of[kernels[c].root->id] = c;
    }
  }
  free(teller.cluster_of);
  free(teller.is_in_step);
  pod_list_deinit(&teller.operands);
  return (lower_kernels_t){.bytes_of = tensor_tiled_bytes,
                           .op_count = (uint32_t)op_count,
                           .kernel_of = kernel_of,
                           .kernels = kernels};
}

// --- Sums ---

static void add(int64_t *sum, int64_t bytes) {
  *sum = chip_work_plus(*sum, bytes);
}

// A constant of one value is made where it is read.
static int64_t constant_bytes(const lower_t *lower) {
  int64_t sum = 0;
  for (int32_t i = 0; i < lower->constants.count; i++) {
    const lower_constant_t *constant = &lower->constants.items[i];
    if (!constant->value->is_splat && constant->shape->rank > 0) {
      add(&sum, tensor_tiled_bytes(constant->shape));
    }
  }
  return sum;
}

bool memory_is_on_host(const lower_t *lower, const mlir_value_t *value) {
  return lower->is_host != NULL && lower->is_host[value->id];
}

static chip_memory_t total_of(const lower_t *lower) {
  const mlir_block_t *block = mlir_op_block(lower->main, 0);
  chip_memory_t total = {.is_counted = true,
                         .temp_bytes = lower->temp_bytes,
                         .code_bytes = constant_bytes(lower)};
  for (int i = 0; i < block->argument_count; i++) {
    if (memory_is_on_host(lower, block->arguments[i])) {
      continue;
    }
    const int64_t bytes = fuse_bytes(block->arguments[i]);
    add(&total.argument_bytes, bytes);
    if (lower->donation.result_of[i] != CHIP_NONE) {
      add(&total.alias_bytes, bytes);
    }
  }
  for (int i = 0; i < block->last->operand_count; i++) {
    const mlir_value_t *result = block->last->operands[i];
    add(&total.output_bytes, memory_is_on_host(lower, result) ? 0 : fuse_bytes(result));
  }
  return total;
}

static int32_t peak_of(const lower_t *lower) {
  int32_t peak = CHIP_NONE;
  int64_t most = 0;
  for (int32_t time = 0; time <= lower->time; time++) {
    if (lower->live_bytes[time] > most) {
      most = lower->live_bytes[time];
      peak = time;
    }
  }
  return peak;
}

pod_status_t memory_count(const clusters_t *clusters, memory_t *out_memory) {
  *out_memory = (memory_t){.arena = pod_arena_create()};
  out_memory->kernels = make_kernels(clusters, out_memory->arena);
  const pod_status_t status =
      lower_kernels(clusters->partitioned, &out_memory->kernels, &out_memory->lower);
  if (status != NULL) {
    pod_arena_destroy(out_memory->arena);
    return status;
  }
  out_memory->items = lower_class_items(&out_memory->lower);
  out_memory->total = total_of(&out_memory->lower);
  out_memory->peak_time = peak_of(&out_memory->lower);
  return NULL;
}

void memory_deinit(memory_t *memory) {
  lower_deinit(&memory->lower);
  free(memory->items);
  pod_arena_destroy(memory->arena);
}

// --- What is alive ---

// By class: the node that wrote it last up to the peak, else the first that does (what a
// loop hands on is written at its end), and what it wrote.
typedef struct writer_t {
  int32_t node, var;
} writer_t;

static writer_t *find_writers(const memory_t *memory) {
  const lower_t *lower = &memory->lower;
  writer_t *writers = pod_alloc((size_t)lower->vars.count * sizeof(*writers) + 1);
  for (int32_t i = 0; i < lower->vars.count; i++) {
    writers[i] = (writer_t){CHIP_NONE, lower->vars.items[i].class};
  }
  for (int32_t i = 0; i < lower->nodes.count; i++) {
    const lower_node_t *node = &lower->nodes.items[i];
    for (int32_t r = 0; r < node->result_count; r++) {
      const int32_t var = lower->refs.items[node->refs + node->operand_count + r];
      writer_t *writer = &writers[lower->vars.items[var].class];
      const bool has_fallen_away =
          node->is_move && lower->vars.items[lower->refs.items[node->refs]].class ==
                               lower->vars.items[var].class;
      if (!has_fallen_away &&
          (writer->node == CHIP_NONE || node->time <= memory->peak_time)) {
        *writer = (writer_t){i, var};
      }
    }
  }
  return writers;
}

static int by_size(const void *left, const void *right) {
  const memory_buffer_t *a = left, *b = right;
  if (a->size_bytes != b->size_bytes) {
    return a->size_bytes > b->size_bytes ? -1 : 1;
  }
  if (a->kind != b->kind) {
    return a->kind < b->kind ? -1 : 1;
  }
  return (a->index > b->index) - (a->index < b->index);
}

static int32_t list_temporaries(const memory_t *memory, memory_buffer_t *list) {
  const lower_t *lower = &memory->lower;
  writer_t *writers = find_writers(memory);
  int32_t count = 0;
  for (int32_t i = 0; i < lower->vars.count; i++) {
    const packing_item_t *item = &memory->items[i];
    if (lower->vars.items[i].class != i || item->size_bytes == 0 ||
        item->first > memory->peak_time || item->last < memory->peak_time) {
      continue;
    }
    const int32_t node = writers[i].node;
    list[count++] = (memory_buffer_t){
        .kind = CHIP_BUFFER_TEMP,
        .index = i,
        .op = node == CHIP_NONE ? NULL : lower->nodes.items[node].source,
        .shape = lower->vars.items[writers[i].var].shape,
        .size_bytes = item->size_bytes};
  }
  free(writers);
  return count;
}

memory_buffer_t *memory_list(const memory_t *memory, int32_t *out_count) {
  const lower_t *lower = &memory->lower;
  const mlir_block_t *block = mlir_op_block(lower->main, 0);
  const size_t room = (size_t)lower->vars.count + (size_t)block->argument_count +
                      (size_t)block->last->operand_count + 1;
  memory_buffer_t *list = pod_alloc(room * sizeof(*list));
  int32_t count = memory->peak_time == CHIP_NONE ? 0 : list_temporaries(memory, list);
  for (int i = 0; i < block->argument_count; i++) {
    if (!memory_is_on_host(lower, block->arguments[i])) {
      list[count++] = (memory_buffer_t){.kind = CHIP_BUFFER_ARGUMENT,
                                        .index = i,
                                        .shape = &block->arguments[i]->type->shape,
                                        .size_bytes = fuse_bytes(block->arguments[i])};
    }
  }
  for (int i = 0; i < block->last->operand_count; i++) {
    const mlir_value_t *value = block->last->operands[i];
    if (lower->donation.argument_of[i] == CHIP_NONE && !memory_is_on_host(lower, value)) {
      list[count++] = (memory_buffer_t){.kind = CHIP_BUFFER_RESULT,
                                        .index = i,
                                        .op = value->op,
                                        .shape = &value->type->shape,
                                        .size_bytes = fuse_bytes(value)};
    }
  }
  qsort(list, (size_t)count, sizeof(*list), by_size);
  *out_count = count;
  return list;
}

// --- For the program ---

// By op id: its first instruction; CHIP_NONE.
static int32_t *first_instructions(const memory_t *memory,
                                   const mlir_op_t *const *sources, int32_t count) {
  const size_t op_count = memory->lower.module->op_count;
  int32_t *first_of = pod_alloc(op_count * sizeof(*first_of) + 1);
  for (size_t i = 0; i < op_count; i++) {
    first_of[i] = CHIP_NONE;
  }
  for (int32_t i = count - 1; i >= 0; i--) {
    if (sources[i] != NULL) {
      first_of[sources[i]->id] = i;
    }
  }
  return first_of;
}

typedef struct times_t {
  int32_t *first, *last;
} times_t;

static void note_time(const times_t *times, const mlir_op_t *op, int32_t time) {
  for (; op != NULL; op = op->block == NULL ? NULL : op->block->region->op) {
    int32_t *first = &times->first[op->id], *last = &times->last[op->id];
    *first = *first < 0 || time < *first ? time : *first;
    *last = time > *last ? time : *last;
  }
}

void memory_times(const memory_t *memory, const clusters_t *clusters, int32_t **out_first,
                  int32_t **out_last) {
  const lower_t *lower = &memory->lower;
  const size_t op_count = lower->module->op_count;
  const times_t times = {pod_alloc(op_count * sizeof(int32_t) + 1),
                         pod_alloc(op_count * sizeof(int32_t) + 1)};
  for (size_t i = 0; i < op_count; i++) {
    times.first[i] = times.last[i] = -1;
  }
  for (int32_t i = 0; i < lower->nodes.count; i++) {
    const lower_node_t *node = &lower->nodes.items[i];
    const int32_t kernel = node->source->id < memory->kernels.op_count
                               ? memory->kernels.kernel_of[node->source->id]
                               : CHIP_NONE;
    note_time(&times, node->source, node->time);
    if (kernel < 0) {
      continue;
    }
    const cluster_t *cluster = &clusters->clusters[kernel];
    for (int32_t m = 0; m < cluster->member_count; m++) {
      note_time(&times, clusters->members[cluster->first_member + m], node->time);
    }
  }
  *out_first = times.first;
  *out_last = times.last;
}

static void tell_lives(const memory_t *memory, const clusters_t *clusters,
                       const mlir_op_t *const *sources, chip_program_t *program) {
  int32_t *first, *times;
  memory_times(memory, clusters, &first, &times);
  chip_instruction_t *instructions =
      (chip_instruction_t *)(uintptr_t)program->instructions;
  int64_t before = 0;
  for (int32_t i = 0; i < program->instruction_count; i++) {
    const int32_t time = sources[i] == NULL ? -1 : times[sources[i]->id];
    before = time < 0 ? before : memory->lower.live_bytes[time];
    instructions[i].temp_live_bytes = before;
  }
  free(first);
  free(times);
}

static void tell_peak(const memory_t *memory, const mlir_op_t *const *sources,
                      chip_program_t *program) {
  int32_t *first_of = first_instructions(memory, sources, program->instruction_count);
  memory_buffer_t *list = pod_alloc((size_t)memory->lower.vars.count * sizeof(*list) + 1);
  int32_t count = list_temporaries(memory, list);
  qsort(list, (size_t)count, sizeof(*list), by_size);
  count = count < CHIP_PEAK_MAX ? count : CHIP_PEAK_MAX;
  chip_peak_t *peaks = pod_arena_array(program->arena, (size_t)count, sizeof(*peaks));
  for (int32_t i = 0; i < count; i++) {
    peaks[i] = (chip_peak_t){list[i].op == NULL ? CHIP_NONE : first_of[list[i].op->id],
                             list[i].size_bytes};
  }
  program->peak_count = count;
  program->peaks = peaks;
  free(list);
  free(first_of);
}

void memory_tell(const memory_t *memory, const clusters_t *clusters,
                 const mlir_op_t *const *sources, chip_program_t *program) {
  program->memory = memory->total;
  tell_lives(memory, clusters, sources, program);
  program->peak_instruction = CHIP_NONE;
  program->peak_count = 0;
  if (memory->peak_time == CHIP_NONE) {
    return;
  }
  for (int32_t i = 0; i < program->instruction_count; i++) {
    if (program->instructions[i].temp_live_bytes ==
        memory->lower.live_bytes[memory->peak_time]) {
      program->peak_instruction = i;
      break;
    }
  }
  if (program->peak_instruction != CHIP_NONE) {
    tell_peak(memory, sources, program);
  }
}
