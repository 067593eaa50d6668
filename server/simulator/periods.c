// Turns of a loop that repeat are not run again. When a turn begins, all that is under
// way is written down as it looks from there: times from now on, executions and turns
// counted from those of the first class. A turn that begins as one before it did goes on
// as that one did, to the picosecond, since the clock looks at nothing else. So what the
// turns between the two have added to the sums is added once for every time that they
// would come again, and the clock goes on behind that.
//
// A turn is compared with those that are kept: the latest ones, as many as there is room
// for, which finds a short period at once; and one that is kept after 1, 2, 4, 8 … turns,
// which gets over a beginning that does not repeat and over a long period (Brent, 1980).
//
// One walk over the state serves three ends: to write it down, to find the events that
// have not ended, and to move it. So what is compared is what is moved.

#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "server/simulator/engine.h"

enum {
  TURNS_MAX = 1 << 14,  // A loop that has not repeated by then is let alone.
  KEPT_MAX = 16,        // Turns.
};
// What the turns of a loop that are kept may take, in all.
#define KEPT_BYTES_MAX ((size_t)384 << 20)

typedef POD_LIST(int64_t) words_t;

// The sums of a class.
typedef struct sums_t {
  int64_t compute_ps, waiting_ps, overlapped_ps, mxu_ps, vpu_ps, hbm_ps, dma_ps, any_ps;
  int64_t stretched_ps;
  simulator_log_counts_t log;
  simulator_link_t links[SIMULATOR_CHANNELS];
} sums_t;

// The beginning of a turn.
typedef struct kept_t {
  bool is_kept;
  int64_t ps, turns_left;
  uint64_t hash;  // Of the state.
  words_t state;
  sums_t *sums;                  // By class.
  simulator_total_t *totals;     // By class and task of the loop.
  chip_trace_cursor_t *cursors;  // By class and control slot.
  int32_t *sequences;            // By collective slot.
} kept_t;

// A loop that the first class is in.
typedef struct watch_t {
  int64_t start_ps, turns_left;  // Of the loop when it was last looked at.
  int64_t seen, keep_at;         // Turns of this execution of it.
  int32_t task_count;
  int32_t *tasks;  // That its turns run; NULL: not listed yet.
  // The first is Brent's, the others are the latest turns, round and round.
  int32_t kept_count, next;
  kept_t kept[KEPT_MAX];
} watch_t;

// An event that has not ended.
typedef struct open_event_t {
  int32_t class_index, event;
} open_event_t;

struct simulator_periods_t {
  watch_t *watches;       // By control slot.
  int32_t *instructions;  // By control slot.
  int64_t turns_seen;
  words_t state;
  uint64_t hash;  // Of it.
  POD_LIST(open_event_t) open;
  sums_t *gains;  // By class: what a period adds.
};

typedef enum walk_kind_t {
  WALK_WRITE = 0,
  WALK_OPEN = 1,  // Lists the events that have not ended.
  WALK_MOVE = 2,
} walk_kind_t;

typedef struct walk_t {
  walk_kind_t kind;
  simulator_engine_t *engine;
  simulator_periods_t *periods;
  watch_t *watch;
  const kept_t *kept;    // The turn that comes again.
  int32_t owner, depth;  // The loop's task, and its frame in every core.
  int64_t turns_left;    // Of the first class.
  // Of a period that is passed over `times` times.
  int64_t times, period_ps, period_turns;
} walk_t;

// --- What a state is made of ---

static void write_word(const walk_t *walk, int64_t value) {
  if (walk->kind == WALK_WRITE) {
    *pod_list_add(&walk->periods->state) = value;
  }
}

static void write_bytes(const walk_t *walk, const void *bytes, size_t size_bytes) {
  if (walk->kind != WALK_WRITE || size_bytes == 0) {
    return;
  }
  words_t *state = &walk->periods->state;
  const size_t words = (size_bytes + sizeof(int64_t) - 1) / sizeof(int64_t);
  pod_list_reserve(state, (int32_t)words);
  state->items[(size_t)state->count + words - 1] = 0;
  memcpy(&state->items[state->count], bytes, size_bytes);
  state->count += (int32_t)words;
}

static void walk_time(const walk_t *walk, int64_t *time_ps) {
  if (walk->kind == WALK_MOVE) {
    *time_ps += walk->times * walk->period_ps;
  }
  write_word(walk, *time_ps - walk->engine->now_ps);
}

// How far a sum had come once; it grows by `gain` in a period.
static void walk_mark(const walk_t *walk, int64_t *mark, int64_t sum, int64_t gain) {
  if (walk->kind == WALK_MOVE) {
    *mark += walk->times * gain;
  }
  write_word(walk, *mark - sum);
}

static void walk_event(const walk_t *walk, int32_t class_index, int32_t *event) {
  const int32_t count = walk->engine->logs[class_index].events.count;
  if (*event < 0) {
    write_word(walk, 1);
    return;
  }
  switch (walk->kind) {
    case WALK_WRITE:
      write_word(walk, *event - count);
      return;
    case WALK_OPEN:
      *pod_list_add(&walk->periods->open) = (open_event_t){class_index, *event};
      return;
    case WALK_MOVE: {
      const int64_t moved =
          *event + walk->times * walk->periods->gains[class_index].log.events;
      *event = moved < count ? (int32_t)moved : -1;
    }
  }
}

static int32_t sequence_gain(const walk_t *walk, int32_t slot) {
  return walk->engine->cores[0].sequences[slot] - walk->kept->sequences[slot];
}

// An execution of a collective by its name: which, and how long before or after the first
// class' next one.
static void write_instance(const walk_t *walk, int32_t index) {
  if (index < 0) {
    write_word(walk, -1);
    return;
  }
  const simulator_engine_t *engine = walk->engine;
  const simulator_instance_t *instance = &engine->instances.items[index];
  write_word(walk, instance->task);
  write_word(walk, instance->sequence -
                       engine->cores[0].sequences[engine->slots[instance->task]]);
}

// --- Cores ---

static void walk_frame(const walk_t *walk, int32_t class_index, int32_t depth) {
  simulator_frame_t *frame = &walk->engine->cores[class_index].frames.items[depth];
  write_word(walk, frame->kind);
  write_word(walk, frame->owner);
  write_word(walk, frame->task);
  write_word(walk, frame->end);
  if (depth == walk->depth) {
    write_word(walk, frame->turns_left - walk->turns_left);
    if (walk->kind == WALK_MOVE) {
      frame->turns_left -= walk->times * walk->period_turns;
    }
    return;
  }
  write_word(walk, frame->turns_left);
  if (depth > walk->depth) {
    walk_time(walk, &frame->start_ps);
    walk_mark(walk, &frame->waiting_ps,
              walk->engine->result->classes[class_index].waiting_ps,
              walk->kind == WALK_MOVE ? walk->periods->gains[class_index].waiting_ps : 0);
    walk_event(walk, class_index, &frame->event);
  }
}

static void walk_flights(const walk_t *walk, int32_t class_index) {
  simulator_core_t *core = &walk->engine->cores[class_index];
  write_word(walk, core->flights);
  write_word(walk, core->flights_ahead);
  if (core->flights > 0) {
    walk_mark(
        walk, &core->flight_since_ps, core->stretched_ps,
        walk->kind == WALK_MOVE ? walk->periods->gains[class_index].stretched_ps : 0);
  }
  write_word(walk, core->stretches.count - core->stretch_first);
  for (int32_t i = core->stretch_first; i < core->stretches.count; i++) {
    walk_time(walk, &core->stretches.items[i].start_ps);
    walk_time(walk, &core->stretches.items[i].end_ps);
  }
}

static void walk_fetches(const walk_t *walk, int32_t class_index) {
  simulator_core_t *core = &walk->engine->cores[class_index];
  write_word(walk, core->fetches.count - core->fetch_first);
  for (int32_t i = core->fetch_first; i < core->fetches.count; i++) {
    simulator_prefetch_t *fetch = &core->fetches.items[i];
    write_word(walk, fetch->task);
    write_word(walk, fetch->left_ps);
    walk_time(walk, &fetch->start_ps);
    walk_event(walk, class_index, &fetch->event);
  }
  if (core->fetch_first < core->fetches.count) {
    walk_time(walk, &core->dma_since_ps);
  }
  for (int32_t i = 0; i < walk->engine->prefetch_slots; i++) {
    write_word(walk, core->fetched_ps[i] < 0);  // When it came is asked by nobody.
  }
}

static void walk_loads(const walk_t *walk, int32_t class_index) {
  simulator_core_t *core = &walk->engine->cores[class_index];
  write_word(walk, core->loads.count);
  for (int32_t i = 0; i < core->loads.count; i++) {
    walk_time(walk, &core->loads.items[i].from_ps);
    walk_time(walk, &core->loads.items[i].until_ps);
    write_word(walk, core->loads.items[i].share);
  }
}

// What lies behind the clock is asked by nobody.
static void walk_if_ahead(const walk_t *walk, int64_t *time_ps) {
  if (*time_ps > walk->engine->now_ps) {
    walk_time(walk, time_ps);
  } else {
    write_word(walk, 0);
  }
}

static void walk_transfers(const walk_t *walk, int32_t class_index) {
  simulator_core_t *core = &walk->engine->cores[class_index];
  for (int32_t i = 0; i < SIMULATOR_PCIE_DIRECTIONS; i++) {
    walk_if_ahead(walk, &core->pcie_free_ps[i]);
  }
  for (int32_t i = 0; i < walk->engine->transfer_slots; i++) {
    walk_if_ahead(walk, &core->transferred_ps[i]);
  }
}

static void walk_core(const walk_t *walk, int32_t class_index) {
  simulator_engine_t *engine = walk->engine;
  simulator_core_t *core = &engine->cores[class_index];
  write_word(walk, core->state);
  if (core->state == SIMULATOR_CORE_ENDED) {
    return;
  }
  walk_time(walk, &core->now_ps);
  write_word(walk, core->frames.count);
  for (int32_t i = 0; i < core->frames.count; i++) {
    walk_frame(walk, class_index, i);
  }
  for (int32_t i = 0; i < engine->collective_slots; i++) {
    write_word(walk, core->sequences[i] - engine->cores[0].sequences[i]);
    write_instance(walk, core->open[i]);
  }
  if (core->state == SIMULATOR_CORE_WAITING) {
    write_word(walk, core->waiting_task);
    write_instance(walk, core->waits_for);
    walk_time(walk, &core->waiting_since_ps);
    walk_event(walk, class_index, &core->waiting_event);
  }
  walk_flights(walk, class_index);
  walk_fetches(walk, class_index);
  walk_loads(walk, class_index);
  walk_transfers(walk, class_index);
}

// --- Collectives ---

static void write_pending(const walk_t *walk, const simulator_instance_t *instance,
                          int32_t class_index) {
  if (!instance->classes[class_index].has_begun) {
    for (int32_t i = instance->classes[class_index].first_pending; i >= 0;
         i = instance->pending.items[i].next) {
      write_word(walk, instance->pending.items[i].class_index);
      write_word(walk, instance->pending.items[i].lane);
    }
  }
  write_word(walk, -1);
}

static void walk_class_run(const walk_t *walk, simulator_instance_t *instance,
                           int32_t class_index) {
  simulator_class_run_t *run = &instance->classes[class_index];
  const int32_t slot = walk->engine->slots[instance->task];
  const bool has_arrived =
      walk->engine->cores[class_index].sequences[slot] > instance->sequence;
  write_word(walk, has_arrived);
  write_word(walk, run->has_begun);
  write_word(walk, run->is_done);
  write_word(walk, run->parts_left);
  if (has_arrived && !run->is_done) {
    walk_time(walk, &run->arrived_ps);
    walk_event(walk, class_index, &run->event);
  }
  write_pending(walk, instance, class_index);
}

// A message that has left is as good as sent.
static void walk_lane(const walk_t *walk, simulator_lane_run_t *run) {
  const bool is_leaving = run->sent_ps > walk->engine->now_ps;
  const bool is_sent = run->is_sent || (run->sent_ps > 0 && !is_leaving);
  write_word(walk, (int64_t)run->step << 4 | run->state << 2 | run->is_started << 1 |
                       (int64_t)is_sent);
  if (is_leaving) {
    walk_time(walk, &run->sent_ps);
  }
}

static void walk_instance(const walk_t *walk, int32_t index) {
  simulator_engine_t *engine = walk->engine;
  simulator_instance_t *instance = &engine->instances.items[index];
  const simulator_run_plan_t *plan = &engine->run_plans[instance->plan];
  write_instance(walk, index);
  write_word(walk, instance->done_count);
  write_word(walk, instance->deferred_count);
  for (int32_t i = 0; i < plan->lane_total; i++) {
    walk_lane(walk, &instance->lanes[i]);
  }
  write_bytes(walk, instance->received, (size_t)plan->step_total);
  for (int32_t i = 0; i < engine->running_count; i++) {
    walk_class_run(walk, instance, i);
  }
}

static void walk_instances(const walk_t *walk) {
  const simulator_engine_t *engine = walk->engine;
  for (int32_t slot = 0; slot < engine->collective_slots; slot++) {
    for (int32_t i = engine->live[slot]; i >= 0; i = engine->instances.items[i].next) {
      walk_instance(walk, i);
    }
    write_word(walk, -1);
  }
}

// --- Links and what is to come ---

static void write_flow(const walk_t *walk, const simulator_flow_t *flow) {
  write_instance(walk, flow->instance);
  write_word(walk, flow->class_index);
  write_word(walk, flow->step);
  write_word(walk, flow->bytes);
  write_word(walk, flow->full_ps);
  write_word(walk, flow->rate);
  write_word(walk, flow->settled_ps - walk->engine->now_ps);
  write_word(walk, flow->start_ps - walk->engine->now_ps);
  write_word(walk, flow->route->hop_count);
  write_bytes(walk, &flow->left, sizeof(flow->left));
  write_bytes(walk, flow->route->hops,
              (size_t)flow->route->hop_count * sizeof(*flow->route->hops));
}

static void write_queued(void *context, int64_t time_ps,
                         const simulator_queue_event_t *event) {
  const walk_t *walk = context;
  const simulator_engine_t *engine = walk->engine;
  const bool is_flow = event->kind == SIMULATOR_FLOW_END;
  const simulator_flow_t *flow = is_flow ? &engine->network.flows.items[event->a] : NULL;
  if (is_flow && (!flow->is_active || flow->version != (uint32_t)event->b)) {
    return;  // Stale: nothing comes of it.
  }
  write_word(walk, event->kind);
  write_word(walk, time_ps - engine->now_ps);
  if (is_flow) {
    write_flow(walk, flow);
    return;
  }
  if (event->kind != SIMULATOR_FLIGHT && event->kind != SIMULATOR_TURN) {
    write_instance(walk, event->a);
  }
  write_word(walk, event->b);
  write_word(walk, event->c);
}

// Every message under way has an event for its end, by which it is written.
static void walk_queue(walk_t *walk) {
  simulator_engine_t *engine = walk->engine;
  if (walk->kind == WALK_WRITE) {
    simulator_queue_visit(&engine->queue, write_queued, walk);
  } else if (walk->kind == WALK_MOVE) {
    simulator_queue_move(&engine->queue, walk->times * walk->period_ps);
    for (int32_t i = 0; i < engine->network.flows.count; i++) {
      walk_time(walk, &engine->network.flows.items[i].settled_ps);
      walk_time(walk, &engine->network.flows.items[i].start_ps);
    }
  }
}

static void walk_links(const walk_t *walk) {
  simulator_network_t *network = &walk->engine->network;
  for (int32_t i = 0; i < network->channel_count; i++) {
    if (network->channels[i].was_busy) {
      write_word(walk, i);
      walk_time(walk, &network->channels[i].busy_since_ps);
    }
  }
  write_word(walk, -1);
}

// Messages of direct.c that have not left. All else of them is in the past.
static void walk_direct(const walk_t *walk) {
  simulator_network_t *network = &walk->engine->network;
  for (int32_t i = 0; i < network->channel_count; i++) {
    simulator_direct_t *direct = &network->direct[i];
    if (direct->end_ps > walk->engine->now_ps) {
      write_word(walk, i);
      write_instance(walk, direct->instance);
      write_word(walk, direct->step);
      walk_time(walk, &direct->start_ps);
      walk_time(walk, &direct->end_ps);
    }
  }
  write_word(walk, -1);
  for (int32_t i = 0; i < network->channel_count / SIMULATOR_CHANNELS; i++) {
    if (walk->kind == WALK_MOVE) {
      network->any[i].until_ps += walk->times * walk->period_ps;
      network->any[i].direct_ps += walk->times * walk->period_ps;
    }
  }
}

static void walk_state(walk_t *walk) {
  for (int32_t i = 0; i < walk->engine->running_count; i++) {
    walk_core(walk, i);
  }
  walk_instances(walk);
  walk_links(walk);
  walk_direct(walk);
  walk_queue(walk);
}

// Whether all classes are in the loop, or through.
static bool is_comparable(const walk_t *walk) {
  for (int32_t i = 0; i < walk->engine->running_count; i++) {
    const simulator_core_t *core = &walk->engine->cores[i];
    if (core->state == SIMULATOR_CORE_ENDED) {
      continue;
    }
    if (core->frames.count <= walk->depth ||
        core->frames.items[walk->depth].owner != walk->owner) {
      return false;
    }
  }
  return true;
}

// --- Sums ---

static void take_sums(const simulator_engine_t *engine, int32_t class_index,
                      sums_t *out_sums) {
  const simulator_chip_t *chip = &engine->result->classes[class_index];
  *out_sums = (sums_t){.compute_ps = chip->compute_ps,
                       .waiting_ps = chip->waiting_ps,
                       .overlapped_ps = chip->overlapped_ps,
                       .mxu_ps = chip->mxu_ps,
                       .vpu_ps = chip->vpu_ps,
                       .hbm_ps = chip->hbm_ps,
                       .dma_ps = chip->dma_ps,
                       .any_ps = engine->network.any[class_index].busy_ps,
                       .stretched_ps = engine->cores[class_index].stretched_ps,
                       .log = simulator_record_counts(engine, class_index)};
  for (int d = 0; d < SIMULATOR_CHANNELS; d++) {
    const simulator_channel_t *channel =
        &engine->network.channels[class_index * SIMULATOR_CHANNELS + d];
    out_sums->links[d] =
        (simulator_link_t){channel->bytes, channel->busy_ps, channel->messages};
  }
}

// `to` += times · (`now` - `then`), word by word: sums are int64 and nothing else.
static void add_gain(void *to, const void *now, const void *then, size_t size_bytes,
                     int64_t times) {
  int64_t *sums = to;
  const int64_t *a = now;
  const int64_t *b = then;
  for (size_t i = 0; i < size_bytes / sizeof(int64_t); i++) {
    sums[i] += times * (a[i] - b[i]);
  }
}

static void put_sums(simulator_engine_t *engine, int32_t class_index,
                     const sums_t *sums) {
  simulator_chip_t *chip = &engine->result->classes[class_index];
  chip->compute_ps = sums->compute_ps;
  chip->waiting_ps = sums->waiting_ps;
  chip->overlapped_ps = sums->overlapped_ps;
  chip->mxu_ps = sums->mxu_ps;
  chip->vpu_ps = sums->vpu_ps;
  chip->hbm_ps = sums->hbm_ps;
  chip->dma_ps = sums->dma_ps;
  engine->network.any[class_index].busy_ps = sums->any_ps;
  engine->cores[class_index].stretched_ps = sums->stretched_ps;
  for (int d = 0; d < SIMULATOR_CHANNELS; d++) {
    simulator_channel_t *channel =
        &engine->network.channels[class_index * SIMULATOR_CHANNELS + d];
    channel->bytes = sums->links[d].bytes;
    channel->busy_ps = sums->links[d].busy_ps;
    channel->messages = sums->links[d].messages;
  }
}

static void grow_totals(const walk_t *walk, int32_t class_index) {
  const watch_t *watch = walk->watch;
  simulator_total_t *totals = walk->engine->result->classes[class_index].totals;
  const simulator_total_t *then =
      &walk->kept->totals[(size_t)class_index * (size_t)watch->task_count];
  for (int32_t i = 0; i < watch->task_count; i++) {
    simulator_total_t *now = &totals[watch->tasks[i]];
    simulator_total_t grown = *now;
    add_gain(&grown, now, &then[i], sizeof(grown), walk->times);
    grown.start_ps = now->start_ps;
    *now = grown;
  }
}

// --- Traces ---

// How many values lie between two cursors of a list.
static int64_t values_between(const chip_trace_list_t *list, chip_trace_cursor_t from,
                              chip_trace_cursor_t to) {
  int64_t count = to.used - from.used;
  for (int32_t run = from.run; run < to.run; run++) {
    count += list->items[run].repeat;
  }
  return count;
}

static chip_trace_cursor_t skip_ended(const chip_trace_list_t *list,
                                      chip_trace_cursor_t cursor) {
  while (cursor.run < list->count && cursor.used >= list->items[cursor.run].repeat) {
    cursor = (chip_trace_cursor_t){.run = cursor.run + 1};
  }
  return cursor;
}

// How often, up to `times`, the values from `from` to `to` come again behind `to`, where
// `out_end` then stands.
static int64_t values_repeat(const chip_trace_list_t *list, chip_trace_cursor_t from,
                             chip_trace_cursor_t to, int64_t times,
                             chip_trace_cursor_t *out_end) {
  const int64_t count = values_between(list, from, to);
  *out_end = to;
  if (count == 0) {
    return times;
  }
  int64_t left = times > INT64_MAX / count ? INT64_MAX : times * count;
  int64_t same = 0;
  while (left > 0) {
    from = skip_ended(list, from);
    to = skip_ended(list, to);
    if (to.run >= list->count ||
        list->items[to.run].value != list->items[from.run].value) {
      break;
    }
    int64_t step = list->items[to.run].repeat - to.used;
    const int64_t from_step = list->items[from.run].repeat - from.used;
    step = from_step < step ? from_step : step;
    step = left < step ? left : step;
    from.used += step;
    to.used += step;
    same += step;
    left -= step;
  }
  *out_end = to;
  return same / count;
}

typedef struct control_t {
  const chip_trace_list_t *list;
  chip_trace_cursor_t kept;
  chip_trace_cursor_t *now;
} control_t;

// False: the class has no such trace.
static bool find_control(const walk_t *walk, int32_t class_index, int32_t slot,
                         control_t *out_control) {
  const simulator_engine_t *engine = walk->engine;
  const simulator_core_t *core = &engine->cores[class_index];
  const int32_t instruction = walk->periods->instructions[slot];
  if (core->trace == NULL || instruction >= core->trace->instruction_count) {
    return false;
  }
  const size_t at = (size_t)class_index * (size_t)engine->control_slots + (size_t)slot;
  *out_control = (control_t){.list = &core->trace->lists[instruction],
                             .kept = walk->kept->cursors[at],
                             .now = &core->cursors[slot]};
  return true;
}

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static int64_t limit_by_traces(const walk_t *walk, int32_t class_index, int64_t times) {
  for (int32_t slot = 0; slot < walk->engine->control_slots; slot++) {
    control_t control;
    chip_trace_cursor_t end;
    if (find_control(walk, class_index, slot, &control)) {
      times = values_repeat(control.list, control.kept, *control.now, times, &end);
    }
  }
  return times;
}

static void move_cursors(const walk_t *walk, int32_t class_index) {
  for (int32_t slot = 0; slot < walk->engine->control_slots; slot++) {
    control_t control;
    if (find_control(walk, class_index, slot, &control)) {
      (void)values_repeat(control.list, control.kept, *control.now, walk->times,
                          control.now);
    }
  }
}

// --- To pass over ---

// How often the period comes again, as far as turns, traces and the range of numbers go.
static int64_t count_times(const walk_t *walk) {
  const simulator_engine_t *engine = walk->engine;
  int64_t times = (SIMULATOR_TIME_MAX_PS - engine->now_ps) / walk->period_ps;
  for (int32_t slot = 0; slot < engine->collective_slots; slot++) {
    const int32_t gain = sequence_gain(walk, slot);
    if (gain > 0) {
      times = least(times, (INT32_MAX / 2 - engine->cores[0].sequences[slot]) / gain);
    }
  }
  for (int32_t i = 0; i < engine->running_count && times > 0; i++) {
    const simulator_core_t *core = &engine->cores[i];
    if (core->state != SIMULATOR_CORE_ENDED) {
      times =
          least(times, core->frames.items[walk->depth].turns_left / walk->period_turns);
      times = limit_by_traces(walk, i, times);
    }
  }
  return times;
}

// Events of the last period that have not ended get what the same ones got a period
// earlier; those that go on from here are copies of them.
static void end_open_events(walk_t *walk) {
  enum { IS_OPEN = -1 };
  simulator_engine_t *engine = walk->engine;
  walk->kind = WALK_OPEN;
  pod_list_clear(&walk->periods->open);
  walk_state(walk);
  const int32_t count = walk->periods->open.count;
  const open_event_t *open = walk->periods->open.items;
  for (int32_t i = 0; i < count; i++) {
    engine->logs[open[i].class_index].events.items[open[i].event].flight_ps = IS_OPEN;
  }
  for (int32_t i = 0; i < count; i++) {
    simulator_event_t *events = engine->logs[open[i].class_index].events.items;
    const int64_t period = walk->periods->gains[open[i].class_index].log.events;
    int64_t at = open[i].event;
    while (events[at].flight_ps == IS_OPEN) {
      at -= period;
      POD_CHECK(period > 0 && at >= 0);
    }
    events[open[i].event].duration_ps = events[at].duration_ps;
    events[open[i].event].flight_ps = events[at].flight_ps;
  }
}

static void pass_over(walk_t *walk) {
  simulator_engine_t *engine = walk->engine;
  const kept_t *kept = walk->kept;
  sums_t *gains = walk->periods->gains;
  for (int32_t i = 0; i < engine->classes.class_count; i++) {
    sums_t now;
    take_sums(engine, i, &now);
    gains[i] = (sums_t){0};
    add_gain(&gains[i], &now, &kept->sums[i], sizeof(now), 1);
  }
  end_open_events(walk);
  for (int32_t i = 0; i < engine->classes.class_count; i++) {
    simulator_record_repeat(engine, i, &kept->sums[i].log, walk->times, walk->period_ps);
  }
  walk->kind = WALK_MOVE;
  walk_state(walk);
  for (int32_t i = 0; i < engine->classes.class_count; i++) {
    const sums_t none = {0};
    sums_t now;
    take_sums(engine, i, &now);
    add_gain(&now, &gains[i], &none, sizeof(now), walk->times);
    put_sums(engine, i, &now);
    grow_totals(walk, i);
  }
  for (int32_t slot = 0; slot < engine->collective_slots; slot++) {
    const int32_t moved = (int32_t)(walk->times * sequence_gain(walk, slot));
    for (int32_t i = engine->live[slot]; i >= 0; i = engine->instances.items[i].next) {
      engine->instances.items[i].sequence += moved;
    }
    for (int32_t i = 0; i < engine->running_count; i++) {
      engine->cores[i].sequences[slot] += moved;
    }
  }
  for (int32_t i = 0; i < engine->running_count; i++) {
    move_cursors(walk, i);
  }
  engine->now_ps += walk->times * walk->period_ps;
}

// --- To keep and to compare ---

// Marks the computations that those marked call. True: there are new ones.
static bool mark_called(const chip_program_t *program, bool *marks) {
  bool is_new = false;
  for (int32_t i = 0; i < program->computation_count; i++) {
    const chip_computation_t *computation = &program->computations[i];
    for (int32_t t = 0; t < computation->task_count && marks[i]; t++) {
      const chip_task_t *task = &program->tasks[computation->first_task + t];
      const bool is_control =
          task->kind == CHIP_TASK_WHILE || task->kind == CHIP_TASK_BRANCH;
      const chip_instruction_t *instruction = &program->instructions[task->instruction];
      for (int32_t c = 0; is_control && c < instruction->call_count; c++) {
        is_new |= !marks[instruction->calls[c]];
        marks[instruction->calls[c]] = true;
      }
    }
  }
  return is_new;
}

// The tasks whose totals a turn may change: the others are outside the loop, where a
// period, at whose ends all is as it was, does nothing.
static void list_tasks(const walk_t *walk) {
  const chip_program_t *program = walk->engine->program;
  watch_t *watch = walk->watch;
  bool *marks = pod_alloc((size_t)program->computation_count * sizeof(*marks));
  const chip_instruction_t *loop =
      &program->instructions[program->tasks[walk->owner].instruction];
  for (int32_t c = 0; c < loop->call_count; c++) {
    marks[loop->calls[c]] = true;
  }
  while (mark_called(program, marks)) {
  }
  watch->tasks = pod_alloc(((size_t)program->task_count + 1) * sizeof(*watch->tasks));
  for (int32_t i = 0; i < program->computation_count; i++) {
    const chip_computation_t *computation = &program->computations[i];
    for (int32_t t = 0; t < computation->task_count && marks[i]; t++) {
      watch->tasks[watch->task_count++] = computation->first_task + t;
    }
  }
  free(marks);
}

// How many turns there is room for.
static int32_t count_kept(const walk_t *walk) {
  const simulator_engine_t *engine = walk->engine;
  const size_t of_class = sizeof(sums_t) +
                          (size_t)walk->watch->task_count * sizeof(simulator_total_t) +
                          (size_t)engine->control_slots * sizeof(chip_trace_cursor_t);
  const size_t size_bytes = (size_t)engine->classes.class_count * of_class +
                            (size_t)walk->periods->state.count * sizeof(int64_t);
  const size_t count = KEPT_BYTES_MAX / (size_bytes + 1);
  return count < 1 ? 1 : count > KEPT_MAX ? KEPT_MAX : (int32_t)count;
}

static void make_kept(const walk_t *walk, kept_t *kept) {
  const simulator_engine_t *engine = walk->engine;
  const size_t classes = (size_t)engine->classes.class_count;
  const size_t tasks = (size_t)walk->watch->task_count;
  kept->sums = pod_alloc(classes * sizeof(*kept->sums));
  kept->totals = pod_alloc((classes * tasks + 1) * sizeof(*kept->totals));
  kept->cursors =
      pod_alloc(classes * (size_t)engine->control_slots * sizeof(*kept->cursors));
  kept->sequences =
      pod_alloc(((size_t)engine->collective_slots + 1) * sizeof(*kept->sequences));
}

static void keep_totals(const walk_t *walk, kept_t *kept, int32_t class_index) {
  const watch_t *watch = walk->watch;
  const simulator_total_t *totals = walk->engine->result->classes[class_index].totals;
  simulator_total_t *to = &kept->totals[(size_t)class_index * (size_t)watch->task_count];
  for (int32_t i = 0; i < watch->task_count; i++) {
    to[i] = totals[watch->tasks[i]];
  }
}

static void keep(const walk_t *walk, kept_t *kept) {
  const simulator_engine_t *engine = walk->engine;
  const size_t slots = (size_t)engine->control_slots;
  if (kept->sums == NULL) {
    make_kept(walk, kept);
  }
  for (int32_t i = 0; i < engine->classes.class_count; i++) {
    take_sums(engine, i, &kept->sums[i]);
    keep_totals(walk, kept, i);
  }
  for (size_t i = 0; i < (size_t)engine->running_count; i++) {
    memcpy(&kept->cursors[i * slots], engine->cores[i].cursors,
           slots * sizeof(*kept->cursors));
  }
  memcpy(kept->sequences, engine->cores[0].sequences,
         (size_t)engine->collective_slots * sizeof(*kept->sequences));
  const words_t *state = &walk->periods->state;
  pod_list_clear(&kept->state);
  pod_list_reserve(&kept->state, state->count + 1);
  memcpy(kept->state.items, state->items, (size_t)state->count * sizeof(*state->items));
  kept->state.count = state->count;
  kept->hash = walk->periods->hash;
  kept->is_kept = true;
  kept->ps = engine->now_ps;
  kept->turns_left = walk->turns_left;
}

static void keep_turn(const walk_t *walk) {
  watch_t *watch = walk->watch;
  if (watch->tasks == NULL) {
    list_tasks(walk);
  }
  if (watch->kept_count == 0) {
    watch->kept_count = count_kept(walk);
  }
  if (watch->seen >= watch->keep_at) {
    watch->keep_at *= 2;
    keep(walk, &watch->kept[0]);
  }
  if (watch->kept_count > 1) {
    keep(walk, &watch->kept[1 + watch->next]);
    watch->next = (watch->next + 1) % (watch->kept_count - 1);
  }
}

static uint64_t hash_of(const words_t *state) {
  uint64_t hash = (uint64_t)state->count;
  for (int32_t i = 0; i < state->count; i++) {
    hash = (hash ^ (uint64_t)state->items[i]) * UINT64_C(0x9fb21c651e98df25);
    hash ^= hash >> 29;
  }
  return hash;
}

static bool is_as(const walk_t *walk, const kept_t *kept) {
  const words_t *now = &walk->periods->state;
  return kept->is_kept && kept->hash == walk->periods->hash &&
         now->count == kept->state.count &&
         memcmp(now->items, kept->state.items,
                (size_t)now->count * sizeof(*now->items)) == 0;
}

// Whether the turns since then come again; says how often in walk->times.
static bool comes_again(walk_t *walk, const kept_t *kept) {
  if (!is_as(walk, kept)) {
    return false;
  }
  walk->kept = kept;
  walk->period_ps = walk->engine->now_ps - kept->ps;
  walk->period_turns = kept->turns_left - walk->turns_left;
  walk->times = walk->period_ps > 0 ? count_times(walk) : 0;
  return walk->times > 0;
}

// The latest turn from which on turns come again; false: there is none. Turns that begin
// alike may take other ways, as their traces say: then those before them are tried.
static bool find_period(walk_t *walk) {
  watch_t *watch = walk->watch;
  const int32_t latest = watch->kept_count - 1;
  for (int32_t i = 1; i <= latest; i++) {
    if (comes_again(walk, &watch->kept[1 + (watch->next - i + latest) % latest])) {
      return true;
    }
  }
  return watch->kept_count > 0 && comes_again(walk, &watch->kept[0]);
}

static void forget_kept(watch_t *watch) {
  for (int32_t i = 0; i < watch->kept_count; i++) {
    watch->kept[i].is_kept = false;
  }
}

// A turn of the loop has begun. True: turns have been passed over.
static bool look_at_turn(walk_t *walk) {
  watch_t *watch = walk->watch;
  pod_list_clear(&walk->periods->state);
  walk_state(walk);
  walk->periods->hash = hash_of(&walk->periods->state);
  if (find_period(walk)) {
    pass_over(walk);
    forget_kept(watch);
    watch->seen = TURNS_MAX;
    return true;
  }
  keep_turn(walk);
  return false;
}

// The loop of a frame of the first class.
static bool look_at_loop(simulator_engine_t *engine, int32_t depth) {
  simulator_frame_t *frame = &engine->cores[0].frames.items[depth];
  watch_t *watch = &engine->periods->watches[engine->slots[frame->owner]];
  if (watch->start_ps != frame->start_ps || watch->turns_left < frame->turns_left) {
    watch->start_ps = frame->start_ps;
    watch->turns_left = frame->turns_left + 1;
    watch->seen = 0;
    watch->keep_at = 1;
    forget_kept(watch);
  }
  if (watch->turns_left == frame->turns_left || watch->seen >= TURNS_MAX) {
    return false;
  }
  watch->turns_left = frame->turns_left;
  watch->seen++;
  walk_t walk = {.kind = WALK_WRITE,
                 .engine = engine,
                 .periods = engine->periods,
                 .watch = watch,
                 .owner = frame->owner,
                 .depth = depth,
                 .turns_left = frame->turns_left};
  if (!is_comparable(&walk) || !look_at_turn(&walk)) {
    return false;
  }
  watch->turns_left = frame->turns_left;
  return true;
}

static void create(simulator_engine_t *engine) {
  const size_t slots = (size_t)engine->control_slots;
  simulator_periods_t *periods = pod_alloc(sizeof(*periods));
  periods->watches = pod_alloc(slots * sizeof(*periods->watches));
  periods->instructions = pod_alloc(slots * sizeof(*periods->instructions));
  periods->gains =
      pod_alloc((size_t)engine->classes.class_count * sizeof(*periods->gains));
  for (int32_t i = 0; i < engine->program->task_count; i++) {
    const chip_task_kind_t kind = engine->program->tasks[i].kind;
    if (kind == CHIP_TASK_WHILE || kind == CHIP_TASK_BRANCH) {
      periods->instructions[engine->slots[i]] = engine->program->tasks[i].instruction;
    }
  }
  engine->periods = periods;
}

void simulator_periods_look(simulator_engine_t *engine) {
  if (engine->turns_begun == 0 || engine->options->runs_every_turn) {
    return;
  }
  if (engine->periods == NULL) {
    create(engine);
  }
  if (engine->periods->turns_seen == engine->turns_begun) {
    return;
  }
  engine->periods->turns_seen = engine->turns_begun;
  simulator_network_bring(&engine->network, engine->now_ps);
  const simulator_core_t *first = &engine->cores[0];
  for (int32_t depth = first->frames.count - 1; depth >= 0; depth--) {
    if (first->frames.items[depth].kind != SIMULATOR_FRAME_PLAIN &&
        look_at_loop(engine, depth)) {
      return;
    }
  }
}

static void deinit_watch(watch_t *watch) {
  for (int32_t i = 0; i < KEPT_MAX; i++) {
    kept_t *kept = &watch->kept[i];
    pod_list_deinit(&kept->state);
    free(kept->sums);
    free(kept->totals);
    free(kept->cursors);
    free(kept->sequences);
  }
  free(watch->tasks);
}

void simulator_periods_deinit(simulator_engine_t *engine) {
  simulator_periods_t *periods = engine->periods;
  if (periods == NULL) {
    return;
  }
  for (int32_t i = 0; i < engine->control_slots; i++) {
    deinit_watch(&periods->watches[i]);
  }
  free(periods->watches);
  free(periods->instructions);
  free(periods->gains);
  pod_list_deinit(&periods->state);
  pod_list_deinit(&periods->open);
  free(periods);
}
