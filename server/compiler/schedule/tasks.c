// One walk over the instructions in program order: the first instruction of a cluster
// stands for it, starts and dones stand where the schedule has put them, prefetches
// before the task at which they begin.

#include "server/compiler/schedule/tasks.h"
#include "common/base/list.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/tensor/tiles.h"
#include "server/chip/work.h"

typedef struct emitter_t {
  const clusters_t *clusters;
  const mlir_op_t *const *sources;
  chip_program_t *program;
  int32_t *first_of;  // By op id: its first instruction, or CHIP_NONE.
  int32_t *start_of;  // By instruction: the task that starts it, or CHIP_NONE.
  int32_t *writer;    // By buffer: the instruction that wrote it last, so far.
  // Of the computation that is looked at.
  bool is_body;  // Of a loop.
  int32_t first_instruction;
  POD_LIST(chip_task_t) tasks;
  POD_LIST(int32_t) members;
  int32_t fusion_count;
  // Prefetches by the cluster that they start before, and by the one that wants them:
  // chains of indexes, CHIP_NONE at the end; and the task that starts each.
  int32_t *starts, *next_start, *wanted, *next_wanted, *start_task;
} emitter_t;

static const tensor_shape_t *shape_of(const chip_program_t *program, int32_t buffer) {
  return &program->buffers[buffer].shape;
}

static chip_task_t *add_task(emitter_t *emitter, chip_task_kind_t kind,
                             int32_t instruction, const char *name) {
  chip_task_t *task = pod_list_add(&emitter->tasks);
  *task = (chip_task_t){.kind = kind,
                        .instruction = instruction,
                        .partner = CHIP_NONE,
                        .first_member = emitter->members.count,
                        .name = name};
  return task;
}

static void add_member(emitter_t *emitter, chip_task_t *task, int32_t instruction) {
  *pod_list_add(&emitter->members) = instruction;
  task->member_count++;
}

// --- Copies ---

// The bytes of a constant of one value need not be read from anywhere.
static bool is_splat(const chip_program_t *program, int32_t buffer) {
  const chip_buffer_t *it = &program->buffers[buffer];
  return it->kind == CHIP_BUFFER_CONSTANT && program->constants[it->index].is_splat;
}

// What a loop sends on and receives anew needs no copy on a chip: its turns alternate
// between two buffers. (Rings of permutes in loops take the time of their links.)
static bool is_received(const emitter_t *emitter, const chip_instruction_t *copy) {
  const int32_t writer = emitter->writer[copy->operands[0]];
  return emitter->is_body && writer >= emitter->first_instruction &&
         chip_op_is_collective(emitter->program->instructions[writer].op);
}

// What lowering had to move; counters and flags are the scalar core's.
static void emit_copy(emitter_t *emitter, int32_t index) {
  const chip_program_t *program = emitter->program;
  const chip_instruction_t *instruction = &program->instructions[index];
  const tensor_shape_t *shape = shape_of(program, instruction->results[0]);
  if (is_received(emitter, instruction) ||
      program->buffers[instruction->results[0]].is_host) {
    return;  // What the host copies within its memory takes none of the chip's time.
  }
  if (tensor_shape_elements(shape) == 1 && !tensor_dtype_is_float(shape->dtype)) {
    return;
  }
  chip_task_t *task = add_task(emitter, CHIP_TASK_COMPUTE, index, instruction->name);
  const int64_t bytes = tensor_tiled_bytes(shape);
  task->work.hbm_read_bytes = is_splat(program, instruction->operands[0]) ? 0 : bytes;
  task->work.hbm_written_bytes = bytes;
  add_member(emitter, task, index);
}

// --- Clusters ---

// What result `index` of an update does not share with its operand is written besides.
static void add_update_copy(const chip_program_t *program, const chip_instruction_t *it,
                            int32_t index, chip_task_t *task) {
  const chip_buffer_t *from = &program->buffers[it->operands[index]];
  const chip_buffer_t *to = &program->buffers[it->results[index]];
  if (from->kind == to->kind && from->index == to->index && from->offset == to->offset) {
    return;
  }
  const int32_t update =
      it->op == CHIP_OP_SCATTER ? it->result_count + 1 + index : index + 1;
  const int64_t rest = tensor_tiled_bytes(&to->shape) -
                       tensor_tiled_bytes(shape_of(program, it->operands[update]));
  const int64_t more = rest > 0 ? rest : 0;
  const bool is_read = !is_splat(program, it->operands[index]);
  task->work.hbm_read_bytes =
      chip_work_plus(task->work.hbm_read_bytes, is_read ? more : 0);
  task->work.hbm_written_bytes = chip_work_plus(task->work.hbm_written_bytes, more);
}

// A dynamic_update_slice or scatter that lowering could not do in place writes all of its
// result.
static void add_update_copies(const emitter_t *emitter, chip_task_t *task) {
  const chip_program_t *program = emitter->program;
  for (int32_t i = 0; i < task->member_count; i++) {
    const chip_instruction_t *it =
        &program->instructions[emitter->members.items[task->first_member + i]];
    for (int32_t r = 0;
         chip_op_has((int)it->op, CHIP_TRAIT_UPDATES) && r < it->result_count; r++) {
      add_update_copy(program, it, r, task);
    }
  }
}

static int compare_indexes(const void *left, const void *right) {
  const int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
  return (a > b) - (a < b);
}

// Scheduling may have put members in another order.
static void add_members(emitter_t *emitter, const cluster_t *cluster, chip_task_t *task) {
  for (int32_t m = 0; m < cluster->member_count; m++) {
    const mlir_op_t *op = emitter->clusters->members[cluster->first_member + m];
    if (emitter->first_of[op->id] != CHIP_NONE) {
      add_member(emitter, task, emitter->first_of[op->id]);
    }
  }
  if (task->member_count > 1) {
    qsort(&emitter->members.items[task->first_member], (size_t)task->member_count,
          sizeof(int32_t), compare_indexes);
  }
}

static void emit_compute(emitter_t *emitter, const cluster_t *cluster, int32_t index) {
  const chip_program_t *program = emitter->program;
  chip_task_t *task = add_task(emitter, cluster->kind, index, "");
  add_members(emitter, cluster, task);
  task->name = task->member_count <= 1
                   ? program->instructions[index].name
                   : pod_arena_numbered(program->arena, "fusion", ".",
                                        (uint64_t)emitter->fusion_count++);
  task->work = cluster->work;
  add_update_copies(emitter, task);
}

static chip_task_t *emit_lone(emitter_t *emitter, chip_task_kind_t kind, int32_t index,
                              const char *name) {
  const chip_program_t *program = emitter->program;
  chip_task_t *task = add_task(emitter, kind, index, name);
  task->work = chip_instruction_work(emitter->clusters->spec, program,
                                     &program->instructions[index]);
  add_member(emitter, task, index);
  return task;
}

// "all_gather_start.1" of "all_gather.1".
static const char *part_name(const emitter_t *emitter, int32_t index, const char *part) {
  const chip_instruction_t *instruction = &emitter->program->instructions[index];
  const char *dot = strrchr(instruction->name, '.');
  return pod_arena_printf(emitter->program->arena, "%s_%s%s",
                          chip_op_short_name(instruction->op), part,
                          dot == NULL ? "" : dot);
}

static void emit_start(emitter_t *emitter, int32_t index) {
  emitter->start_of[index] = emitter->tasks.count;
  (void)emit_lone(emitter, CHIP_TASK_COLLECTIVE_START, index,
                  part_name(emitter, index, "start"));
}

// One that nothing overlaps with is waited for where it starts.
static void emit_transfer(emitter_t *emitter, const cluster_t *cluster, int32_t index) {
  const int32_t start = emitter->tasks.count;
  emitter->start_of[index] = start;
  chip_task_t *task = add_task(emitter, CHIP_TASK_TRANSFER_START, index,
                               part_name(emitter, index, "start"));
  task->work = cluster->work;
  add_member(emitter, task, index);
  if (cluster->done == NULL) {
    task = add_task(emitter, CHIP_TASK_TRANSFER_DONE, index,
                    part_name(emitter, index, "done"));
    task->partner = start;
    emitter->tasks.items[start].partner = start + 1;
  }
}

// A collective over several arrays is one instruction for each, in a row.
static void emit_done(emitter_t *emitter, const mlir_op_t *op) {
  const mlir_op_t *collective = op->operands[0]->op;
  const int32_t first =
      collective == NULL ? CHIP_NONE : emitter->first_of[collective->id];
  for (int32_t i = first; first != CHIP_NONE && i < emitter->program->instruction_count &&
                          emitter->sources[i] == collective;
       i++) {
    const int32_t start = emitter->start_of[i];
    if (start == CHIP_NONE) {
      return;
    }
    const chip_task_kind_t kind =
        emitter->tasks.items[start].kind == CHIP_TASK_TRANSFER_START
            ? CHIP_TASK_TRANSFER_DONE
            : CHIP_TASK_COLLECTIVE_DONE;
    chip_task_t *task = add_task(emitter, kind, i, part_name(emitter, i, "done"));
    task->partner = start;
    emitter->tasks.items[start].partner = emitter->tasks.count - 1;
  }
}

// --- Prefetches ---

static int32_t *new_chains(int32_t count) {
  int32_t *chains = pod_alloc(((size_t)count + 1) * sizeof(*chains));
  for (int32_t i = 0; i < count; i++) {
    chains[i] = CHIP_NONE;
  }
  return chains;
}

static void chain_prefetches(emitter_t *emitter) {
  const clusters_t *clusters = emitter->clusters;
  emitter->starts = new_chains(clusters->cluster_count);
  emitter->wanted = new_chains(clusters->cluster_count);
  emitter->next_start = new_chains(clusters->prefetches.count);
  emitter->next_wanted = new_chains(clusters->prefetches.count);
  emitter->start_task = new_chains(clusters->prefetches.count);
  for (int32_t i = clusters->prefetches.count - 1; i >= 0; i--) {
    const cluster_prefetch_t *it = &clusters->prefetches.items[i];
    emitter->next_start[i] = emitter->starts[it->start_before];
    emitter->starts[it->start_before] = i;
    emitter->next_wanted[i] = emitter->wanted[it->cluster];
    emitter->wanted[it->cluster] = i;
  }
}

static void free_chains(emitter_t *emitter) {
  free(emitter->starts);
  free(emitter->wanted);
  free(emitter->next_start);
  free(emitter->next_wanted);
  free(emitter->start_task);
}

static void emit_prefetches(emitter_t *emitter, int32_t cluster) {
  const clusters_t *clusters = emitter->clusters;
  pod_arena_t *arena = emitter->program->arena;
  for (int32_t i = emitter->starts[cluster]; i != CHIP_NONE; i = emitter->next_start[i]) {
    const cluster_prefetch_t *it = &clusters->prefetches.items[i];
    const int32_t root = emitter->first_of[clusters->clusters[it->cluster].root->id];
    emitter->start_task[i] = emitter->tasks.count;
    chip_task_t *task = add_task(emitter, CHIP_TASK_PREFETCH_START, root,
                                 pod_arena_printf(arena, "prefetch_start.%" PRId32, i));
    task->work.hbm_read_bytes = it->bytes;
  }
  for (int32_t i = emitter->wanted[cluster]; i != CHIP_NONE;
       i = emitter->next_wanted[i]) {
    const int32_t root = emitter->first_of[clusters->clusters[cluster].root->id];
    chip_task_t *task = add_task(emitter, CHIP_TASK_PREFETCH_DONE, root,
                                 pod_arena_printf(arena, "prefetch_done.%" PRId32, i));
    task->partner = emitter->start_task[i];
    emitter->tasks.items[task->partner].partner = emitter->tasks.count - 1;
  }
}

static void emit_instruction(emitter_t *emitter, int32_t index) {
  const mlir_op_t *op = emitter->sources[index];
  if (op == NULL) {
    emit_copy(emitter, index);
    return;
  }
  if (op->kind == CHIP_OP_ASYNC_DONE) {
    emit_done(emitter, op);
    return;
  }
  const int32_t at = op->id < emitter->clusters->op_count
                         ? emitter->clusters->cluster_of[op->id]
                         : CHIP_NONE;
  if (at == CHIP_NONE) {
    if (op->kind == CHIP_OP_RESHAPE) {  // A view that could not be one.
      emit_copy(emitter, index);
    }
    return;
  }
  const cluster_t *cluster = &emitter->clusters->clusters[at];
  if (cluster->root != op) {
    return;
  }
  if (index == emitter->first_of[op->id]) {
    emit_prefetches(emitter, at);
  }
  if (cluster->kind == CHIP_TASK_TRANSFER_START) {
    emit_transfer(emitter, cluster, index);
  } else if (cluster->kind == CHIP_TASK_COMPUTE) {
    emit_compute(emitter, cluster, index);
  } else if (cluster->done != NULL) {
    emit_start(emitter, index);
  } else {
    (void)emit_lone(emitter, cluster->kind, index,
                    emitter->program->instructions[index].name);
  }
}

// --- The program ---

// Which computations have a time of their own: those that loops and branches call, not
// the regions of reductions. Callers stand before what they call.
static bool *find_timed(const chip_program_t *program, bool *out_is_body) {
  bool *is_timed = pod_alloc((size_t)program->computation_count * sizeof(*is_timed));
  is_timed[program->entry] = true;
  for (int32_t c = 0; c < program->computation_count; c++) {
    const chip_computation_t *computation = &program->computations[c];
    for (int32_t k = 0; k < computation->instruction_count; k++) {
      const chip_instruction_t *it =
          &program->instructions[computation->first_instruction + k];
      const bool is_control = chip_op_has((int)it->op, CHIP_TRAIT_CONTROL);
      for (int32_t i = 0; i < it->call_count; i++) {
        is_timed[it->calls[i]] = is_timed[c] && is_control;
        out_is_body[it->calls[i]] = it->op == CHIP_OP_WHILE && i == 1;
      }
    }
  }
  return is_timed;
}

static void find_instructions(emitter_t *emitter) {
  const uint32_t op_count = emitter->clusters->module->op_count;
  emitter->first_of = pod_alloc(((size_t)op_count + 1) * sizeof(*emitter->first_of));
  for (uint32_t i = 0; i < op_count; i++) {
    emitter->first_of[i] = CHIP_NONE;
  }
  const int32_t count = emitter->program->instruction_count;
  emitter->start_of = pod_alloc(((size_t)count + 1) * sizeof(*emitter->start_of));
  for (int32_t i = count - 1; i >= 0; i--) {
    emitter->start_of[i] = CHIP_NONE;
    if (emitter->sources[i] != NULL) {
      emitter->first_of[emitter->sources[i]->id] = i;
    }
  }
}

static void note_writes(emitter_t *emitter, int32_t index) {
  const chip_instruction_t *it = &emitter->program->instructions[index];
  for (int32_t r = 0; r < it->result_count; r++) {
    emitter->writer[it->results[r]] = index;
  }
}

void tasks_emit(const clusters_t *clusters, const mlir_op_t *const *sources,
                chip_program_t *program) {
  emitter_t emitter = {.clusters = clusters, .sources = sources, .program = program};
  find_instructions(&emitter);
  chain_prefetches(&emitter);
  emitter.writer = new_chains(program->buffer_count);
  chip_computation_t *computations =
      pod_arena_copy(program->arena, program->computations,
                     (size_t)program->computation_count * sizeof(*computations));
  bool *is_body = pod_alloc((size_t)program->computation_count);
  bool *is_timed = find_timed(program, is_body);
  for (int32_t c = 0; c < program->computation_count; c++) {
    computations[c].first_task = emitter.tasks.count;
    emitter.is_body = is_body[c];
    emitter.first_instruction = computations[c].first_instruction;
    for (int32_t k = 0; is_timed[c] && k < computations[c].instruction_count; k++) {
      const int32_t index = computations[c].first_instruction + k;
      emit_instruction(&emitter, index);
      note_writes(&emitter, index);
    }
    computations[c].task_count = emitter.tasks.count - computations[c].first_task;
  }
  program->computations = computations;
  program->task_count = emitter.tasks.count;
  program->tasks = pod_arena_copy(program->arena, emitter.tasks.items,
                                  (size_t)emitter.tasks.count * sizeof(chip_task_t));
  program->task_member_count = emitter.members.count;
  program->task_members = pod_arena_copy(program->arena, emitter.members.items,
                                         (size_t)emitter.members.count * sizeof(int32_t));
  free(is_timed);
  free(is_body);
  free(emitter.writer);
  free_chains(&emitter);
  free(emitter.first_of);
  free(emitter.start_of);
  pod_list_deinit(&emitter.tasks);
  pod_list_deinit(&emitter.members);
}
