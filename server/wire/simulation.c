// Parts of bounded size, each a list of one kind.

#include "server/wire/simulation.h"

#include <string.h>

#include "common/base/arena.h"
#include "common/base/text.h"
#include "server/chip/spread.h"
#include "server/wire/profile.h"
#include "server/wire/program.h"

enum {
  TASK_BYTES_MAX = 1 << 20,  // Of the tasks in one part.
  MEMBERS_MAX = 4096,        // Of a task that are told.
  SOURCE_BYTES_MAX = 4096,   // Of a place in a source file.
};

// protobuf-c has no const; nothing here is written through these.
static void *borrow(const void *data) {
  return (void *)(uintptr_t)data;
}

// --- Header ---

// What a wait of a task is for.
static chip_bound_t waits_for(const chip_task_t *task) {
  const bool is_prefetch =
      task->kind == CHIP_TASK_PREFETCH_START || task->kind == CHIP_TASK_PREFETCH_DONE;
  const bool is_transfer = task->kind == CHIP_TASK_TRANSFER_DONE;
  return is_prefetch ? CHIP_BOUND_HBM : is_transfer ? CHIP_BOUND_FIXED : CHIP_BOUND_ICI;
}

// What the core of the slowest chip took its time for.
static void times_of(const wire_simulation_t *simulation,
                     int64_t out_ps[CHIP_BOUND_COUNT]) {
  const simulator_result_t *result = simulation->result;
  const simulator_chip_t *slowest = NULL;
  for (int32_t i = 0; i < result->class_count; i++) {
    const simulator_chip_t *chip = &result->classes[i];
    slowest = slowest == NULL || chip->end_ps > slowest->end_ps ? chip : slowest;
  }
  memset(out_ps, 0, CHIP_BOUND_COUNT * sizeof(*out_ps));
  if (slowest == NULL) {
    return;
  }
  int64_t left_ps = slowest->end_ps;
  for (int32_t i = 0; i < simulation->program->task_count; i++) {
    const chip_task_t *task = &simulation->program->tasks[i];
    const simulator_total_t *total = &slowest->totals[i];
    if (task->kind == CHIP_TASK_WHILE || task->kind == CHIP_TASK_BRANCH) {
      continue;
    }
    const chip_bound_t bound = result->costs[i].bound;
    out_ps[waits_for(task)] += total->waiting_ps;
    out_ps[bound == CHIP_BOUND_NONE ? CHIP_BOUND_FIXED : bound] +=
        total->duration_ps - total->waiting_ps;
    left_ps -= total->duration_ps;
  }
  out_ps[CHIP_BOUND_FIXED] += left_ps > 0 ? left_ps : 0;
}

static void emit_header(const wire_simulation_t *simulation, wire_part_fn_t emit,
                        void *context) {
  const simulator_result_t *result = simulation->result;
  const chip_spec_t *spec = simulation->spec;
  Podium__V1__ProfileHeader header = PODIUM__V1__PROFILE_HEADER__INIT;
  pod_text_t topology = {0};
  torus_print(&topology, simulation->torus);
  protobuf_c_boolean wraps[TORUS_DIMENSIONS];
  for (int i = 0; i < TORUS_DIMENSIONS; i++) {
    wraps[i] = simulation->torus->wraps[i];
  }
  header.program = borrow(simulation->program->name);
  header.chip_kind = borrow(spec->name);
  header.device_kind = borrow(spec->device_kind);
  header.traceparent =
      borrow(simulation->traceparent == NULL ? "" : simulation->traceparent);
  header.topology = borrow(simulation->torus->size);
  header.wraps = wraps;
  header.n_topology = header.n_wraps = TORUS_DIMENSIONS;
  header.topology_name = topology.bytes;
  header.step_ps = result->step_ps;
  int64_t times_ps[CHIP_BOUND_COUNT];
  times_of(simulation, times_ps);
  const chip_range_t range = chip_spread_sum(spec, times_ps);
  pod_text_t rests_on = {0};
  chip_spread_print(&rests_on, spec, times_ps);
  header.low_ps = range.low_ps;
  header.high_ps = range.high_ps;
  header.rests_on = rests_on.bytes == NULL ? borrow("") : rests_on.bytes;
  header.chip_count = result->chip_count;
  header.class_count = result->class_count;
  header.class_of_chip = borrow(result->class_of_chip);
  header.n_class_of_chip = (size_t)result->chip_count;
  header.task_count = simulation->program->task_count;
  header.steps_simulated = result->steps_simulated;
  header.dispatch_ps = spec->dispatch_ps;
  header.hbm_peak_bytes = simulation->hbm_peak_bytes;
  header.hbm_bytes = simulation->hbm_bytes;
  header.bf16_flop_per_s = spec->bf16_flop_per_s;
  header.vpu_op_per_s = spec->vpu_op_per_s;
  header.hbm_bytes_per_s = spec->hbm_bytes_per_s;
  header.ici_bytes_per_s = spec->ici_bytes_per_s;
  header.slice_count = torus_slice_total(simulation->torus);
  header.core_count = torus_core_total(simulation->torus);
  header.dcn_bytes_per_s = spec->dcn_bytes_per_s;
  Podium__V1__ProfilePart part = PODIUM__V1__PROFILE_PART__INIT;
  part.header = &header;
  emit(context, &part);
  pod_text_deinit(&rests_on);
  pod_text_deinit(&topology);
}

// --- Tasks ---

// The most that is in use while one of the task's instructions runs.
static int64_t live_bytes_of(const chip_program_t *program, const chip_task_t *task) {
  int64_t temp_bytes = program->instructions[task->instruction].temp_live_bytes;
  for (int32_t i = 0; i < task->member_count; i++) {
    const int32_t member = program->task_members[task->first_member + i];
    const int64_t bytes = program->instructions[member].temp_live_bytes;
    temp_bytes = bytes > temp_bytes ? bytes : temp_bytes;
  }
  return chip_program_hbm_bytes(program) - chip_program_hbm_temp_bytes(program) +
         temp_bytes;
}

static Podium__V1__TaskInfo *pack_task(pod_arena_t *arena,
                                       const wire_simulation_t *simulation,
                                       int32_t index) {
  const chip_program_t *program = simulation->program;
  const chip_task_t *task = &program->tasks[index];
  const Podium__V1__InstructionInfo *root =
      wire_instruction_info_pack(arena, program, task->instruction);
  const chip_cost_t *cost = &simulation->result->costs[index];
  Podium__V1__TaskInfo *info = pod_arena_alloc(arena, sizeof(*info));
  podium__v1__task_info__init(info);
  info->index = index;
  info->name = borrow(task->name);
  info->kind = (Podium__V1__TaskKind)task->kind;
  info->op = root->op;
  info->shape = root->shape;
  info->source =
      pod_arena_text(arena, root->source, strnlen(root->source, SOURCE_BYTES_MAX));
  info->partner = task->partner;
  info->n_members =
      (size_t)(task->member_count < MEMBERS_MAX ? task->member_count : MEMBERS_MAX);
  info->members =
      info->n_members > 0 ? borrow(program->task_members + task->first_member) : NULL;
  info->mxu_flop = task->work.mxu_flop;
  info->mxu_busy_flop = task->work.mxu_busy_flop;
  info->recomputed_flop = task->work.recomputed_flop;
  info->vpu_op = task->work.vpu_op;
  info->hbm_read_bytes = task->work.hbm_read_bytes;
  info->hbm_written_bytes = task->work.hbm_written_bytes;
  info->vmem_bytes = task->work.vmem_bytes;
  info->duration_ps = cost->duration_ps;
  info->bound = (Podium__V1__Bound)cost->bound;
  info->hbm_live_bytes = live_bytes_of(program, task);
  const chip_range_t range =
      chip_spread_range(simulation->spec, cost->bound, cost->duration_ps);
  info->low_ps = range.low_ps;
  info->high_ps = range.high_ps;
  info->backing =
      cost->duration_ps > 0
          ? (Podium__V1__Backing)chip_spread(simulation->spec, cost->bound).backing
          : PODIUM__V1__BACKING__BACKING_NONE;
  return info;
}

static void emit_tasks(const wire_simulation_t *simulation, wire_part_fn_t emit,
                       void *context) {
  const int32_t count = simulation->program->task_count;
  for (int32_t first = 0; first < count;) {
    pod_arena_t *arena = pod_arena_create();
    Podium__V1__ProfilePart part = PODIUM__V1__PROFILE_PART__INIT;
    part.tasks = pod_arena_array(arena, WIRE_PIECE_ENTRIES, sizeof(*part.tasks));
    size_t size_bytes = 0;
    while (first < count && part.n_tasks < WIRE_PIECE_ENTRIES &&
           size_bytes < TASK_BYTES_MAX) {
      Podium__V1__TaskInfo *info = pack_task(arena, simulation, first++);
      part.tasks[part.n_tasks++] = info;
      size_bytes += podium__v1__task_info__get_packed_size(info);
    }
    emit(context, &part);
    pod_arena_destroy(arena);
  }
}

// --- Classes ---

// What a task took its time for: a wait is for what it waits for, the rest is its cost's.
static chip_bound_t bound_of(const chip_task_t *task, const chip_cost_t *cost,
                             const simulator_total_t *total) {
  if (total->waiting_ps <= total->duration_ps / 2) {
    return cost->bound;
  }
  return waits_for(task);
}

// A part of a class and the arena that it is made in.
typedef struct class_packer_t {
  const wire_simulation_t *simulation;
  wire_part_fn_t emit;
  void *context;
  int32_t index;
  pod_arena_t *arena;
  Podium__V1__ChipClass *message;
  size_t entries;
} class_packer_t;

// A list of what there is, as far as it fits a part.
static void *make_list(const class_packer_t *packer, int64_t count) {
  const size_t room =
      count < WIRE_PIECE_ENTRIES ? (size_t)count : (size_t)WIRE_PIECE_ENTRIES;
  return pod_arena_array(packer->arena, room, sizeof(void *));
}

static void begin_part(class_packer_t *packer) {
  const simulator_chip_t *chip = &packer->simulation->result->classes[packer->index];
  packer->arena = pod_arena_create();
  Podium__V1__ChipClass *message =
      pod_arena_alloc(packer->arena, sizeof(*packer->message));
  podium__v1__chip_class__init(message);
  message->index = packer->index;
  message->totals = make_list(packer, packer->simulation->program->task_count);
  message->events = make_list(packer, chip->event_count);
  message->messages = make_list(packer, chip->message_count);
  packer->message = message;
  packer->entries = 0;
}

static void end_part(class_packer_t *packer) {
  Podium__V1__ProfilePart part = PODIUM__V1__PROFILE_PART__INIT;
  part.chip_class = packer->message;
  packer->emit(packer->context, &part);
  pod_arena_destroy(packer->arena);
}

// Room for one entry in packer->message.
static void make_room(class_packer_t *packer) {
  if (packer->entries == WIRE_PIECE_ENTRIES) {
    end_part(packer);
    begin_part(packer);
  }
  packer->entries++;
}

static void pack_numbers(class_packer_t *packer, const simulator_chip_t *chip) {
  Podium__V1__ChipClass *message = packer->message;
  message->representative = chip->representative;
  message->chip_count = chip->chip_count;
  message->end_ps = chip->end_ps;
  message->compute_ps = chip->compute_ps;
  message->waiting_ps = chip->waiting_ps;
  message->overlapped_ps = chip->overlapped_ps;
  message->mxu_ps = chip->mxu_ps;
  message->vpu_ps = chip->vpu_ps;
  message->hbm_ps = chip->hbm_ps;
  message->dma_ps = chip->dma_ps;
  message->ici_ps = chip->ici_ps;
  message->events_dropped = chip->events_dropped;
  message->messages_dropped = chip->messages_dropped;
  message->links =
      pod_arena_array(packer->arena, SIMULATOR_CHANNELS, sizeof(*message->links));
  for (int direction = 0; direction < SIMULATOR_CHANNELS; direction++) {
    const simulator_link_t *link = &chip->links[direction];
    if (link->messages == 0) {
      continue;
    }
    Podium__V1__LinkUse *use = pod_arena_alloc(packer->arena, sizeof(*use));
    podium__v1__link_use__init(use);
    use->direction = direction;
    use->bytes = link->bytes;
    use->busy_ps = link->busy_ps;
    use->messages = link->messages;
    message->links[message->n_links++] = use;
  }
}

static void pack_totals(class_packer_t *packer, const simulator_chip_t *chip) {
  const chip_program_t *program = packer->simulation->program;
  for (int32_t i = 0; i < program->task_count; i++) {
    const simulator_total_t *total = &chip->totals[i];
    if (total->run_count == 0) {
      continue;
    }
    make_room(packer);
    Podium__V1__TaskTotal *entry = pod_arena_alloc(packer->arena, sizeof(*entry));
    podium__v1__task_total__init(entry);
    entry->task = i;
    entry->run_count = total->run_count;
    entry->start_ps = total->start_ps;
    entry->duration_ps = total->duration_ps;
    entry->waiting_ps = total->waiting_ps;
    entry->flight_ps = total->flight_ps;
    entry->ici_bytes = total->ici_bytes;
    entry->bound = (Podium__V1__Bound)bound_of(
        &program->tasks[i], &packer->simulation->result->costs[i], total);
    packer->message->totals[packer->message->n_totals++] = entry;
  }
}

static void pack_events(class_packer_t *packer, const simulator_chip_t *chip) {
  for (int64_t i = 0; i < chip->event_count; i++) {
    const simulator_event_t *event = &chip->events[i];
    make_room(packer);
    Podium__V1__TaskEvent *entry = pod_arena_alloc(packer->arena, sizeof(*entry));
    podium__v1__task_event__init(entry);
    entry->task = event->task;
    entry->start_ps = event->start_ps;
    entry->duration_ps = event->duration_ps;
    entry->flight_ps = event->flight_ps;
    packer->message->events[packer->message->n_events++] = entry;
  }
}

static void pack_messages(class_packer_t *packer, const simulator_chip_t *chip) {
  for (int64_t i = 0; i < chip->message_count; i++) {
    const simulator_message_t *message = &chip->messages[i];
    make_room(packer);
    Podium__V1__LinkMessage *entry = pod_arena_alloc(packer->arena, sizeof(*entry));
    podium__v1__link_message__init(entry);
    entry->task = message->task;
    entry->from = message->from;
    entry->to = message->to;
    entry->direction = message->channel;
    entry->start_ps = message->start_ps;
    entry->duration_ps = message->duration_ps;
    entry->size_bytes = message->size_bytes;
    packer->message->messages[packer->message->n_messages++] = entry;
  }
}

void wire_simulation_pack(const wire_simulation_t *simulation, wire_part_fn_t emit,
                          void *context) {
  emit_header(simulation, emit, context);
  emit_tasks(simulation, emit, context);
  for (int32_t i = 0; i < simulation->result->class_count; i++) {
    const simulator_chip_t *chip = &simulation->result->classes[i];
    class_packer_t packer = {
        .simulation = simulation, .emit = emit, .context = context, .index = i};
    begin_part(&packer);
    pack_numbers(&packer, chip);
    pack_totals(&packer, chip);
    pack_events(&packer, chip);
    pack_messages(&packer, chip);
    end_part(&packer);
  }
}
