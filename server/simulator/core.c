// The core of a class of chips: its tasks in their order. It runs ahead of the others
// until it needs what only they can bring; what it begins on the way becomes events.
//
//   RUNNING ── a collective, a DONE whose bytes are not there ──► WAITING
//   WAITING ── they arrived ──► RUNNING ── the last task ──► ENDED

#include <stdlib.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "server/simulator/engine.h"

static int64_t later(int64_t a, int64_t b) {
  return a > b ? a : b;
}

static void fail(simulator_engine_t *engine, pod_status_t status) {
  if (engine->status == NULL) {
    engine->status = status;
  } else {
    pod_status_free(status);
  }
}

static simulator_chip_t *chip_of(simulator_engine_t *engine, int32_t class_index) {
  return &engine->result->classes[class_index];
}

// --- Init ---

static void fill(int32_t *list, int32_t count, int32_t value) {
  for (int32_t i = 0; i < count; i++) {
    list[i] = value;
  }
}

void simulator_cores_init(simulator_engine_t *engine) {
  const size_t classes = (size_t)engine->classes.class_count;
  engine->cores = pod_arena_array(engine->arena, classes, sizeof(*engine->cores));
  for (int32_t i = 0; i < engine->classes.class_count; i++) {
    simulator_core_t *core = &engine->cores[i];
    core->factor = SIMULATOR_FACTOR_ONE;
    if (i >= engine->running_count) {
      core->state = SIMULATOR_CORE_ENDED;
      continue;
    }
    const int32_t chip = engine->classes.representatives[i];
    core->trace = engine->options->traces == NULL ? NULL : engine->options->traces[chip];
    core->cursors = pod_arena_array(engine->arena, (size_t)engine->control_slots + 1,
                                    sizeof(*core->cursors));
    const size_t slots = (size_t)engine->collective_slots + 1;
    core->sequences = pod_arena_array(engine->arena, slots, sizeof(*core->sequences));
    core->open = pod_arena_array(engine->arena, slots, sizeof(*core->open));
    fill(core->open, engine->collective_slots, -1);
    core->fetched_ps = pod_arena_array(engine->arena, (size_t)engine->prefetch_slots + 1,
                                       sizeof(*core->fetched_ps));
    core->transferred_ps = pod_arena_array(
        engine->arena, (size_t)engine->transfer_slots + 1, sizeof(*core->transferred_ps));
  }
}

void simulator_cores_deinit(simulator_engine_t *engine) {
  for (int32_t i = 0; engine->cores != NULL && i < engine->classes.class_count; i++) {
    pod_list_deinit(&engine->cores[i].frames);
    pod_list_deinit(&engine->cores[i].fetches);
    pod_list_deinit(&engine->cores[i].stretches);
    pod_list_deinit(&engine->cores[i].loads);
  }
}

// --- HBM ---

// What collectives take of HBM at a time, and until when they do.
static int64_t share_at(const simulator_core_t *core, int64_t at_ps,
                        int64_t *out_until_ps) {
  int64_t share = 0;
  *out_until_ps = INT64_MAX;
  for (int32_t i = 0; i < core->loads.count; i++) {
    const simulator_load_t *load = &core->loads.items[i];
    const int64_t change_ps = at_ps < load->from_ps ? load->from_ps : load->until_ps;
    if (at_ps >= load->until_ps) {
      continue;
    }
    share += at_ps >= load->from_ps ? load->share : 0;
    *out_until_ps = change_ps < *out_until_ps ? change_ps : *out_until_ps;
  }
  return share < SIMULATOR_SHARE_MAX ? share : SIMULATOR_SHARE_MAX;
}

static int64_t part_of(int64_t ps, int64_t share) {
  return (int64_t)((simulator_work_t)(uint64_t)ps * (uint64_t)share /
                   SIMULATOR_SHARE_ONE);
}

// What collectives leave of HBM in `span_ps` from now on.
static int64_t left_in(const simulator_core_t *core, int64_t span_ps) {
  const int64_t end_ps = core->now_ps + span_ps;
  int64_t left_ps = span_ps;
  for (int64_t at_ps = core->now_ps; at_ps < end_ps && core->loads.count > 0;) {
    int64_t until_ps;
    const int64_t share = share_at(core, at_ps, &until_ps);
    until_ps = until_ps < end_ps ? until_ps : end_ps;
    left_ps -= part_of(until_ps - at_ps, share);
    at_ps = until_ps;
  }
  return left_ps;
}

// How long it is from now until collectives have left `needed_ps` of HBM.
static int64_t span_of(const simulator_core_t *core, int64_t needed_ps) {
  if (core->loads.count == 0) {
    return needed_ps;
  }
  int64_t at_ps = core->now_ps;
  while (needed_ps > 0) {
    int64_t until_ps;
    const int64_t share = share_at(core, at_ps, &until_ps);
    const simulator_work_t rest = (simulator_work_t)(SIMULATOR_SHARE_ONE - share);
    const int64_t wanted_ps =
        (int64_t)(((simulator_work_t)(uint64_t)needed_ps * SIMULATOR_SHARE_ONE + rest -
                   1) /
                  rest);
    if (wanted_ps <= until_ps - at_ps) {
      at_ps += wanted_ps;
      break;
    }
    needed_ps -= until_ps - at_ps - part_of(until_ps - at_ps, share);
    at_ps = until_ps;
  }
  return at_ps - core->now_ps;
}

// The time of the core has gone on.
static void drop_loads(simulator_core_t *core) {
  int32_t kept = 0;
  for (int32_t i = 0; i < core->loads.count; i++) {
    if (core->loads.items[i].until_ps > core->now_ps) {
      core->loads.items[kept++] = core->loads.items[i];
    }
  }
  core->loads.count = kept;
}

// A collective begins: its bytes pass HBM while it is under way, at the earliest. By the
// chip's own clock alone, so that the core need not wait for the others to go on.
static void add_load(simulator_engine_t *engine, int32_t class_index, int32_t task) {
  simulator_core_t *core = &engine->cores[class_index];
  const int32_t plan =
      engine->plans.plan_of_instruction[engine->program->tasks[task].instruction];
  const simulator_shape_t *shape = engine->run_plans[plan].members[class_index].shape;
  if (shape->hbm_ps == 0 || shape->span_ps == 0) {
    return;
  }
  const simulator_work_t whole =
      (simulator_work_t)(uint64_t)shape->hbm_ps * SIMULATOR_SHARE_ONE;
  const simulator_work_t share = whole / (uint64_t)shape->span_ps;
  const int64_t from_ps = core->now_ps + engine->options->spec->collective_startup_ps;
  *pod_list_add(&core->loads) = (simulator_load_t){
      .from_ps = from_ps,
      .until_ps = from_ps + shape->span_ps,
      .share = share < SIMULATOR_SHARE_MAX ? (int64_t)share : SIMULATOR_SHARE_MAX};
}

// --- DMA ---

static void fetch_done(simulator_engine_t *engine, int32_t class_index, int64_t at_ps) {
  simulator_core_t *core = &engine->cores[class_index];
  const simulator_prefetch_t *fetch = &core->fetches.items[core->fetch_first++];
  core->fetched_ps[engine->slots[fetch->task]] = at_ps;
  const int64_t flight_ps = at_ps - fetch->start_ps;
  simulator_total(engine, class_index, fetch->task)->flight_ps += flight_ps;
  simulator_record_flight(engine, class_index, fetch->event, flight_ps);
  if (core->fetch_first == core->fetches.count) {
    chip_of(engine, class_index)->dma_ps += at_ps - core->dma_since_ps;
    core->fetch_first = 0;
    core->fetches.count = 0;
  }
}

// The DMA queue between two times of the core, in which it has HBM for `share_ps` of the
// time, spread evenly.
static void drain(simulator_engine_t *engine, int32_t class_index, int64_t from_ps,
                  int64_t to_ps, int64_t share_ps) {
  simulator_core_t *core = &engine->cores[class_index];
  const int64_t span_ps = to_ps - from_ps;
  int64_t used_ps = 0;
  while (core->fetch_first < core->fetches.count) {
    simulator_prefetch_t *fetch = &core->fetches.items[core->fetch_first];
    if (fetch->left_ps > share_ps - used_ps) {
      fetch->left_ps -= share_ps - used_ps;
      return;
    }
    used_ps += fetch->left_ps;
    int64_t after_ps = used_ps;
    if (share_ps != span_ps && share_ps > 0) {
      const simulator_work_t share = (simulator_work_t)(uint64_t)share_ps;
      after_ps = (int64_t)(((simulator_work_t)(uint64_t)used_ps *
                                (simulator_work_t)(uint64_t)span_ps +
                            share - 1) /
                           share);
    }
    fetch_done(engine, class_index, from_ps + after_ps);
  }
}

static void start_fetch(simulator_engine_t *engine, int32_t class_index, int32_t task) {
  simulator_core_t *core = &engine->cores[class_index];
  if (core->fetch_first == core->fetches.count) {
    core->dma_since_ps = core->now_ps;
  }
  const int64_t cost_ps =
      engine->costs[task].hbm_ps + engine->options->spec->dma_latency_ps;
  *pod_list_add(&core->fetches) = (simulator_prefetch_t){
      .task = task,
      .event = simulator_record_event(engine, class_index, task, core->now_ps),
      .start_ps = core->now_ps,
      .left_ps = simulator_scaled(core, cost_ps)};
  simulator_total(engine, class_index, task)->run_count++;
  core->fetched_ps[engine->slots[task]] = -1;
  drain(engine, class_index, core->now_ps, core->now_ps, 0);
}

// --- Time of the core ---

// Computing time up to `at_ps`, which never goes back.
static int64_t computed_until(simulator_core_t *core, int64_t at_ps) {
  while (core->stretch_first < core->stretches.count) {
    const simulator_stretch_t *stretch = &core->stretches.items[core->stretch_first];
    if (stretch->end_ps > at_ps) {
      const int64_t part_ps = at_ps - stretch->start_ps;
      return core->stretched_ps + (part_ps > 0 ? part_ps : 0);
    }
    core->stretched_ps += stretch->end_ps - stretch->start_ps;
    core->stretch_first++;
  }
  core->stretch_first = 0;
  core->stretches.count = 0;
  return core->stretched_ps;
}

// Remembers when the core computed, as long as somebody will ask.
static void add_stretch(simulator_core_t *core, int64_t duration_ps) {
  if (core->flights == 0 && core->flights_ahead == 0 &&
      core->stretch_first == core->stretches.count) {
    core->stretched_ps += duration_ps;
    return;
  }
  *pod_list_add(&core->stretches) =
      (simulator_stretch_t){core->now_ps, core->now_ps + duration_ps};
}

// The core is busy; `hbm_ps` of the duration it uses HBM. It takes longer when
// collectives leave it less. Returns how long.
static int64_t compute(simulator_engine_t *engine, int32_t class_index,
                       int64_t duration_ps, int64_t hbm_ps) {
  simulator_core_t *core = &engine->cores[class_index];
  duration_ps = later(duration_ps, span_of(core, hbm_ps));
  const int64_t left_ps = left_in(core, duration_ps) - hbm_ps;
  drain(engine, class_index, core->now_ps, core->now_ps + duration_ps,
        left_ps > 0 ? left_ps : 0);
  if (engine->has_flights) {
    add_stretch(core, duration_ps);
  }
  chip_of(engine, class_index)->compute_ps += duration_ps;
  core->now_ps += duration_ps;
  drop_loads(core);
  return duration_ps;
}

// The core waits until `until_ps`; DMA has all of HBM that collectives leave.
static void wait_until(simulator_engine_t *engine, int32_t class_index,
                       int64_t until_ps) {
  simulator_core_t *core = &engine->cores[class_index];
  drain(engine, class_index, core->now_ps, until_ps,
        left_in(core, until_ps - core->now_ps));
  chip_of(engine, class_index)->waiting_ps += until_ps - core->now_ps;
  core->now_ps = until_ps;
  drop_loads(core);
}

// --- Frames ---

static void push_frame(simulator_engine_t *engine, int32_t class_index,
                       const simulator_frame_t *frame) {
  simulator_core_t *core = &engine->cores[class_index];
  if (core->frames.count > CHIP_CALL_DEPTH_MAX) {
    fail(engine, pod_error(POD_INVALID_ARGUMENT, "more than %d computations deep",
                           CHIP_CALL_DEPTH_MAX));
    return;
  }
  *pod_list_add(&core->frames) = *frame;
}

static void enter(const simulator_engine_t *engine, simulator_frame_t *frame,
                  simulator_frame_kind_t kind, int32_t computation) {
  const chip_computation_t *entered = &engine->program->computations[computation];
  frame->kind = kind;
  frame->computation = computation;
  frame->task = entered->first_task;
  frame->end = entered->first_task + entered->task_count;
}

static bool next_value(simulator_engine_t *engine, int32_t class_index, int32_t task,
                       int64_t *out_value) {
  simulator_core_t *core = &engine->cores[class_index];
  const int32_t instruction = engine->program->tasks[task].instruction;
  if (core->trace != NULL && instruction < core->trace->instruction_count &&
      chip_trace_next(&core->trace->lists[instruction],
                      &core->cursors[engine->slots[task]], out_value)) {
    return true;
  }
  fail(engine,
       pod_error(POD_INVALID_ARGUMENT, "chip %d: the trace ends before %s (%s) does",
                 engine->classes.representatives[class_index],
                 engine->program->instructions[instruction].name,
                 engine->program->instructions[instruction].source));
  return false;
}

static void begin_control(simulator_engine_t *engine, int32_t class_index, int32_t task) {
  simulator_core_t *core = &engine->cores[class_index];
  const chip_task_t *control = &engine->program->tasks[task];
  const chip_instruction_t *instruction =
      &engine->program->instructions[control->instruction];
  int64_t value;
  if (!next_value(engine, class_index, task, &value)) {
    return;
  }
  simulator_frame_t frame = {
      .owner = task,
      .start_ps = core->now_ps,
      .waiting_ps = chip_of(engine, class_index)->waiting_ps,
      .event = simulator_record_event(engine, class_index, task, core->now_ps)};
  if (control->kind == CHIP_TASK_WHILE) {
    frame.turns_left = value > 0 ? value : 0;
    enter(engine, &frame, SIMULATOR_FRAME_CONDITION, instruction->calls[0]);
  } else if (value >= 0 && value < instruction->call_count) {
    enter(engine, &frame, SIMULATOR_FRAME_PLAIN, instruction->calls[value]);
  } else {
    fail(engine,
         pod_error(POD_INVALID_ARGUMENT, "%s (%s): the trace takes branch %lld of %d",
                   instruction->name, instruction->source, (long long)value,
                   instruction->call_count));
    return;
  }
  push_frame(engine, class_index, &frame);
}

static void end_control(simulator_engine_t *engine, int32_t class_index,
                        const simulator_frame_t *frame) {
  const simulator_core_t *core = &engine->cores[class_index];
  const int64_t duration_ps = core->now_ps - frame->start_ps;
  simulator_total_t *total = simulator_total(engine, class_index, frame->owner);
  total->run_count++;
  total->duration_ps += duration_ps;
  total->waiting_ps += chip_of(engine, class_index)->waiting_ps - frame->waiting_ps;
  simulator_record_duration(engine, class_index, frame->event, duration_ps);
}

// The frame on top has no tasks left: the loop turns, or the caller goes on. True: a turn
// has ended.
static bool end_frame(simulator_engine_t *engine, int32_t class_index) {
  simulator_core_t *core = &engine->cores[class_index];
  simulator_frame_t *frame = &core->frames.items[core->frames.count - 1];
  if (frame->kind != SIMULATOR_FRAME_PLAIN) {
    const int32_t instruction = engine->program->tasks[frame->owner].instruction;
    const int32_t *calls = engine->program->instructions[instruction].calls;
    engine->steps++;
    if (frame->kind == SIMULATOR_FRAME_BODY) {
      frame->turns_left--;
      enter(engine, frame, SIMULATOR_FRAME_CONDITION, calls[0]);
      return true;
    }
    if (frame->turns_left > 0) {
      compute(engine, class_index,
              simulator_scaled(core, engine->options->spec->loop_turn_ps), 0);
      enter(engine, frame, SIMULATOR_FRAME_BODY, calls[1]);
      return false;
    }
  }
  if (frame->owner != CHIP_NONE) {
    end_control(engine, class_index, frame);
  }
  core->frames.count--;
  return false;
}

// The core does not run ahead of the end of a turn, so that turns can be compared. There
// and not behind the condition, so that the last turn too may be one like those before.
static void end_turn(simulator_engine_t *engine, int32_t class_index) {
  engine->turns_ended += class_index == 0;
  simulator_schedule(engine, engine->cores[class_index].now_ps,
                     (simulator_queue_event_t){.kind = SIMULATOR_TURN, .b = class_index});
}

// --- Tasks ---

static void run_compute(simulator_engine_t *engine, int32_t class_index, int32_t task) {
  simulator_core_t *core = &engine->cores[class_index];
  const chip_cost_t *cost = &engine->costs[task];
  const int64_t start_ps = core->now_ps;
  const int64_t duration_ps =
      compute(engine, class_index, simulator_scaled(core, cost->duration_ps),
              simulator_scaled(core, cost->hbm_ps));
  simulator_chip_t *chip = chip_of(engine, class_index);
  chip->mxu_ps += simulator_scaled(core, cost->mxu_ps);
  chip->vpu_ps += simulator_scaled(core, cost->vpu_ps);
  chip->hbm_ps += simulator_scaled(core, cost->hbm_ps);
  const int32_t event = simulator_record_event(engine, class_index, task, start_ps);
  simulator_record_duration(engine, class_index, event, duration_ps);
  simulator_total_t *total = simulator_total(engine, class_index, task);
  total->run_count++;
  total->duration_ps += duration_ps;
}

static void wait_for(simulator_engine_t *engine, int32_t class_index, int32_t task,
                     int32_t instance, int32_t event) {
  simulator_core_t *core = &engine->cores[class_index];
  core->state = SIMULATOR_CORE_WAITING;
  core->waiting_task = task;
  core->waits_for = instance;
  core->waiting_event = event;
  core->waiting_since_ps = core->now_ps;
}

// Its fixed cost is the core's, then the core waits.
static void run_collective(simulator_engine_t *engine, int32_t class_index,
                           int32_t task) {
  simulator_core_t *core = &engine->cores[class_index];
  const int64_t start_ps = core->now_ps;
  const int32_t event = simulator_record_event(engine, class_index, task, start_ps);
  const int64_t cost_ps = simulator_scaled(core, engine->options->spec->kernel_ps);
  compute(engine, class_index, cost_ps, 0);
  add_load(engine, class_index, task);
  const int32_t instance =
      simulator_transfers_arrive(engine, class_index, task, core->now_ps, event);
  engine->instances.items[instance].classes[class_index].arrived_ps = start_ps;
  simulator_total(engine, class_index, task)->duration_ps += cost_ps;
  wait_for(engine, class_index, task, instance, event);
}

static chip_op_t op_of(const simulator_engine_t *engine, int32_t task) {
  const chip_program_t *program = engine->program;
  return program->instructions[program->tasks[task].instruction].op;
}

// Starting and finishing a collective are operations of the core like others.
static void run_start(simulator_engine_t *engine, int32_t class_index, int32_t task) {
  simulator_core_t *core = &engine->cores[class_index];
  const int64_t start_ps = core->now_ps;
  const int32_t event = simulator_record_event(engine, class_index, task, start_ps);
  core->flights_ahead++;
  simulator_schedule(
      engine, start_ps,
      (simulator_queue_event_t){.kind = SIMULATOR_FLIGHT, .b = class_index});
  const int64_t cost_ps = simulator_scaled(
      core, chip_async_start_ps(engine->options->spec, op_of(engine, task)));
  compute(engine, class_index, cost_ps, 0);
  add_load(engine, class_index, task);
  const int32_t instance =
      simulator_transfers_arrive(engine, class_index, task, core->now_ps, event);
  engine->instances.items[instance].classes[class_index].arrived_ps = start_ps;
  core->open[engine->slots[task]] = instance;
  simulator_total_t *total = simulator_total(engine, class_index, task);
  total->run_count++;
  total->duration_ps += cost_ps;
  simulator_record_duration(engine, class_index, event, cost_ps);
}

// Ends a DONE at the core's time, after `waited_ps` of waiting.
static void finish_done(simulator_engine_t *engine, int32_t class_index, int32_t task,
                        int32_t event, int64_t waited_ps) {
  simulator_core_t *core = &engine->cores[class_index];
  const bool is_collective =
      engine->program->tasks[task].kind == CHIP_TASK_COLLECTIVE_DONE;
  const int64_t cost_ps =
      is_collective ? simulator_scaled(core, chip_async_done_ps(engine->options->spec,
                                                                op_of(engine, task)))
                    : 0;
  compute(engine, class_index, cost_ps, 0);
  simulator_total_t *total = simulator_total(engine, class_index, task);
  total->run_count++;
  total->duration_ps += waited_ps + cost_ps;
  total->waiting_ps += waited_ps;
  simulator_record_duration(engine, class_index, event, waited_ps + cost_ps);
}

static void run_done(simulator_engine_t *engine, int32_t class_index, int32_t task) {
  simulator_core_t *core = &engine->cores[class_index];
  const int32_t event = simulator_record_event(engine, class_index, task, core->now_ps);
  const int32_t open = core->open[engine->slots[engine->program->tasks[task].partner]];
  if (open >= 0) {
    wait_for(engine, class_index, task, open, event);
  } else {  // What has arrived arrived before: a running core is never behind the clock.
    finish_done(engine, class_index, task, event, 0);
  }
}

static void run_fetch_done(simulator_engine_t *engine, int32_t class_index,
                           int32_t task) {
  simulator_core_t *core = &engine->cores[class_index];
  const int32_t start = engine->program->tasks[task].partner;
  const int32_t slot = engine->slots[start];
  const int32_t event = simulator_record_event(engine, class_index, task, core->now_ps);
  int64_t left_ps = 0;
  for (int32_t i = core->fetch_first; core->fetched_ps[slot] < 0; i++) {
    POD_CHECK(i < core->fetches.count);
    left_ps += core->fetches.items[i].left_ps;
    if (core->fetches.items[i].task == start) {
      break;
    }
  }
  const int64_t waited_ps = span_of(core, left_ps);
  wait_until(engine, class_index, core->now_ps + waited_ps);
  finish_done(engine, class_index, task, event, waited_ps);
}

// The core hands it to the DMA of the host's bus, which costs it nothing. It arrives when
// all before it have gone; only the latency is passed while others move.
static void start_transfer(simulator_engine_t *engine, int32_t class_index,
                           int32_t task) {
  simulator_core_t *core = &engine->cores[class_index];
  const bool is_to_host = engine->program->tasks[task].work.hbm_read_bytes > 0;
  int64_t *free_ps =
      &core->pcie_free_ps[is_to_host ? SIMULATOR_TO_HOST : SIMULATOR_FROM_HOST];
  *free_ps = later(*free_ps, core->now_ps) + engine->costs[task].host_ps;
  const int64_t arrival_ps = *free_ps + engine->options->spec->pcie_latency_ps;
  core->transferred_ps[engine->slots[task]] = arrival_ps;
  const int32_t event = simulator_record_event(engine, class_index, task, core->now_ps);
  simulator_record_flight(engine, class_index, event, arrival_ps - core->now_ps);
  simulator_total_t *total = simulator_total(engine, class_index, task);
  total->run_count++;
  total->flight_ps += arrival_ps - core->now_ps;
}

static void run_transfer_done(simulator_engine_t *engine, int32_t class_index,
                              int32_t task) {
  simulator_core_t *core = &engine->cores[class_index];
  const int32_t start = engine->program->tasks[task].partner;
  const int64_t arrival_ps = core->transferred_ps[engine->slots[start]];
  const int32_t event = simulator_record_event(engine, class_index, task, core->now_ps);
  const int64_t waited_ps = later(arrival_ps, core->now_ps) - core->now_ps;
  wait_until(engine, class_index, core->now_ps + waited_ps);
  finish_done(engine, class_index, task, event, waited_ps);
}

static void run_task(simulator_engine_t *engine, int32_t class_index, int32_t task) {
  engine->steps++;
  switch (engine->program->tasks[task].kind) {
    case CHIP_TASK_COMPUTE:
      run_compute(engine, class_index, task);
      return;
    case CHIP_TASK_COLLECTIVE:
      run_collective(engine, class_index, task);
      return;
    case CHIP_TASK_COLLECTIVE_START:
      run_start(engine, class_index, task);
      return;
    case CHIP_TASK_COLLECTIVE_DONE:
      run_done(engine, class_index, task);
      return;
    case CHIP_TASK_PREFETCH_START:
      start_fetch(engine, class_index, task);
      return;
    case CHIP_TASK_PREFETCH_DONE:
      run_fetch_done(engine, class_index, task);
      return;
    case CHIP_TASK_TRANSFER_START:
      start_transfer(engine, class_index, task);
      return;
    case CHIP_TASK_TRANSFER_DONE:
      run_transfer_done(engine, class_index, task);
      return;
    default:
      begin_control(engine, class_index, task);
  }
}

static bool within_bounds(simulator_engine_t *engine, int32_t class_index) {
  if (engine->status != NULL) {
    return false;
  }
  const pod_status_t unwanted = simulator_check_wanted(engine);
  if (unwanted != NULL) {
    fail(engine, unwanted);
  } else if (engine->cores[class_index].now_ps > SIMULATOR_TIME_MAX_PS) {
    fail(engine, pod_error(POD_OUT_OF_RANGE, "chip %d takes longer than %lld s",
                           engine->classes.representatives[class_index],
                           (long long)(SIMULATOR_TIME_MAX_PS / 1000000000000)));
  } else if (engine->steps > SIMULATOR_STEPS_MAX) {
    fail(engine, pod_error(POD_RESOURCE_EXHAUSTED,
                           "more than %lld tasks and messages to simulate",
                           (long long)SIMULATOR_STEPS_MAX));
  }
  return engine->status == NULL;
}

// Drains what DMA still has when the last task is done; nobody waits for it.
static void end_core(simulator_engine_t *engine, int32_t class_index) {
  simulator_core_t *core = &engine->cores[class_index];
  core->state = SIMULATOR_CORE_ENDED;
  chip_of(engine, class_index)->end_ps = core->now_ps;
  drain(engine, class_index, core->now_ps, SIMULATOR_TIME_MAX_PS,
        SIMULATOR_TIME_MAX_PS - core->now_ps);
}

static void run_core(simulator_engine_t *engine, int32_t class_index) {
  simulator_core_t *core = &engine->cores[class_index];
  while (core->state == SIMULATOR_CORE_RUNNING && within_bounds(engine, class_index)) {
    if (core->frames.count == 0) {
      end_core(engine, class_index);
      return;
    }
    simulator_frame_t *frame = &core->frames.items[core->frames.count - 1];
    if (frame->task < frame->end) {
      run_task(engine, class_index, frame->task++);
    } else if (end_frame(engine, class_index)) {
      end_turn(engine, class_index);
      return;
    }
  }
}

void simulator_core_begin(simulator_engine_t *engine, int32_t class_index) {
  simulator_frame_t frame = {.owner = CHIP_NONE, .event = -1};
  enter(engine, &frame, SIMULATOR_FRAME_PLAIN, engine->program->entry);
  push_frame(engine, class_index, &frame);
  simulator_core_t *core = &engine->cores[class_index];
  if (engine->starts_ps != NULL) {
    core->now_ps = engine->starts_ps[engine->classes.representatives[class_index]];
  }
  compute(engine, class_index, simulator_scaled(core, engine->options->spec->launch_ps),
          0);
  run_core(engine, class_index);
}

// --- What comes from outside ---

void simulator_core_flight(simulator_engine_t *engine, int32_t class_index) {
  simulator_core_t *core = &engine->cores[class_index];
  core->flights_ahead--;
  if (core->flights++ == 0) {
    core->flight_since_ps = computed_until(core, engine->now_ps);
  }
}

void simulator_core_bring(simulator_engine_t *engine, int32_t class_index) {
  (void)computed_until(&engine->cores[class_index], engine->now_ps);
}

void simulator_core_turn(simulator_engine_t *engine, int32_t class_index) {
  run_core(engine, class_index);
}

static void end_flight(simulator_engine_t *engine, int32_t class_index) {
  simulator_core_t *core = &engine->cores[class_index];
  if (--core->flights == 0) {
    chip_of(engine, class_index)->overlapped_ps +=
        computed_until(core, engine->now_ps) - core->flight_since_ps;
    if (core->flights_ahead == 0) {
      (void)computed_until(core, core->now_ps);  // Nobody asks for earlier times.
    }
  }
}

static void resume(simulator_engine_t *engine, int32_t class_index) {
  simulator_core_t *core = &engine->cores[class_index];
  const int32_t task = core->waiting_task;
  wait_until(engine, class_index, later(core->now_ps, engine->now_ps));
  const int64_t waited_ps = core->now_ps - core->waiting_since_ps;
  core->state = SIMULATOR_CORE_RUNNING;
  if (engine->program->tasks[task].kind == CHIP_TASK_COLLECTIVE) {
    simulator_total_t *total = simulator_total(engine, class_index, task);
    total->run_count++;
    total->duration_ps += waited_ps;
    total->waiting_ps += waited_ps;
    const int64_t cost_ps = simulator_scaled(core, engine->options->spec->kernel_ps);
    simulator_record_duration(engine, class_index, core->waiting_event,
                              cost_ps + waited_ps);
  } else {
    finish_done(engine, class_index, task, core->waiting_event, waited_ps);
  }
  run_core(engine, class_index);
}

void simulator_core_arrived(simulator_engine_t *engine, int32_t class_index,
                            int32_t instance) {
  simulator_core_t *core = &engine->cores[class_index];
  const int32_t task = engine->instances.items[instance].task;
  const simulator_class_run_t *run =
      &engine->instances.items[instance].classes[class_index];
  const int64_t flight_ps = run->done_ps - run->arrived_ps;
  simulator_total(engine, class_index, task)->flight_ps += flight_ps;
  simulator_record_flight(engine, class_index, run->event, flight_ps);
  if (engine->program->tasks[task].kind == CHIP_TASK_COLLECTIVE_START) {
    end_flight(engine, class_index);
    core->open[engine->slots[task]] = -1;
  }
  if (core->state == SIMULATOR_CORE_WAITING && core->waits_for == instance) {
    resume(engine, class_index);
  }
}
