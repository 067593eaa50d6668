// All that decides how the clock goes on, part by part; see periods.c.

#include <string.h>

#include "server/simulator/periods_state.h"
#include "server/simulator/rounds.h"
#include "server/simulator/windows.h"

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

int32_t simulator_periods_sequence_gain(const walk_t *walk, int32_t slot) {
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

// What lies behind the core's time is asked by nobody. By rounds it may be behind the
// clock.
static void walk_if_ahead(const walk_t *walk, int32_t class_index, int64_t *time_ps) {
  const int64_t core_ps = walk->engine->cores[class_index].now_ps;
  const int64_t now_ps = walk->engine->now_ps;
  if (*time_ps > (core_ps < now_ps ? core_ps : now_ps)) {
    walk_time(walk, time_ps);
  } else {
    write_word(walk, 0);
  }
}

static void walk_transfers(const walk_t *walk, int32_t class_index) {
  simulator_core_t *core = &walk->engine->cores[class_index];
  for (int32_t i = 0; i < SIMULATOR_PCIE_DIRECTIONS; i++) {
    walk_if_ahead(walk, class_index, &core->pcie_free_ps[i]);
  }
  for (int32_t i = 0; i < walk->engine->transfer_slots; i++) {
    walk_if_ahead(walk, class_index, &core->transferred_ps[i]);
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
  if (!instance->classes[class_index].has_begun && walk->engine->windows == NULL) {
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

// A time that may be known. What is behind the clock is all the same.
static void walk_known(const walk_t *walk, int64_t *time_ps) {
  if (*time_ps != WINDOWS_NEVER_PS) {
    write_word(walk, *time_ps > walk->engine->now_ps ? 1 : 2);
    if (*time_ps > walk->engine->now_ps) {
      write_word(walk, *time_ps - walk->engine->now_ps);
    }
    *time_ps += walk->kind == WALK_MOVE ? walk->times * walk->period_ps : 0;
    return;
  }
  write_word(walk, 3);
}

static void walk_arrival(const walk_t *walk, int64_t *arrival) {
  if (*arrival == 0) {
    write_word(walk, 0);
    return;
  }
  int64_t arrival_ps = windows_arrival_ps(*arrival);
  const int64_t mark = *arrival & 1;
  write_word(walk, arrival_ps > walk->engine->now_ps ? 2 + mark : 1);
  walk_known(walk, &arrival_ps);
  *arrival = arrival_ps << 1 | mark;
}

static void walk_arrivals(const walk_t *walk, simulator_instance_t *instance,
                          int32_t class_index) {
  const simulator_shape_t *shape = walk->engine->run_plans[instance->plan].shape;
  int64_t *arrivals =
      &instance->arrivals[(size_t)class_index * (size_t)shape->step_count];
  for (int32_t i = 0; i < shape->step_count; i++) {
    if (arrivals[i] != 0) {
      write_word(walk, i);
      walk_arrival(walk, &arrivals[i]);
    }
  }
  write_word(walk, -1);
}

// By windows: lanes, what has been promised to them, and who has begun.
static void walk_windows_of(const walk_t *walk, simulator_instance_t *instance) {
  const simulator_shape_t *shape = walk->engine->run_plans[instance->plan].shape;
  for (int32_t i = 0; i < walk->engine->running_count; i++) {
    for (int32_t l = 0; l < shape->lane_count; l++) {
      simulator_window_lane_t *lane = &instance->window_lanes[i * shape->lane_count + l];
      write_word(walk, (int64_t)lane->step << 4 | lane->state << 2 | lane->is_started);
      walk_known(walk, &lane->next_ps);
      walk_known(walk, &lane->sent_ps);
      walk_arrival(walk, &lane->arrival);
    }
    walk_arrivals(walk, instance, i);
    walk_known(walk, &instance->classes[i].begin_ps);
  }
  walk_known(walk, &instance->last_begin_ps);
}

static void walk_instance(const walk_t *walk, int32_t index) {
  simulator_engine_t *engine = walk->engine;
  simulator_instance_t *instance = &engine->instances.items[index];
  const simulator_run_plan_t *plan = &engine->run_plans[instance->plan];
  write_instance(walk, index);
  write_word(walk, instance->done_count);
  write_word(walk, instance->deferred_count);
  if (engine->windows != NULL) {
    walk_windows_of(walk, instance);
  } else {
    for (int32_t i = 0; i < plan->lane_total; i++) {
      walk_lane(walk, &instance->lanes[i]);
    }
    write_bytes(walk, instance->received, (size_t)plan->step_total);
  }
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

static void walk_share(const walk_t *walk, const windows_link_t *link,
                       windows_share_t *share) {
  if (link->count == 1 && !link->has_shared) {
    return;
  }
  walk_time(walk, &share->settled_ps);
  for (int32_t i = 0; i < share->users.count; i++) {
    windows_user_t *user = &share->users.items[i];
    write_instance(walk, user->instance);
    write_word(walk, user->lane);
    write_bytes(walk, &user->left, sizeof(user->left));
    walk_time(walk, &user->start_ps);
  }
}

// Links on which no message is have nothing to tell: bringing them up to now has seen to
// that.
static void walk_windows_link(const walk_t *walk, int32_t index) {
  simulator_windows_t *windows = walk->engine->windows;
  windows_link_t *link = &windows->links[index];
  write_word(walk, link->count);
  if (link->count > 0) {
    walk_time(walk, &link->end_ps);
    walk_time(walk, &link->busy_since_ps);
  }
  if (link->count == 1) {
    walk_time(walk, &link->start_ps);
    write_word(walk, link->has_shared);
    write_instance(walk, link->instance);
    write_word(walk, link->lane);
  }
  if (link->count > 0) {
    walk_share(walk, link, &windows->shares[index]);
  }
}

static void walk_windows(const walk_t *walk) {
  simulator_engine_t *engine = walk->engine;
  for (int32_t c = 0; c < engine->running_count; c++) {
    windows_chip_t *chip = &engine->windows->chips[c];
    write_word(walk, chip->events.count);
    for (int32_t i = 0; i < chip->events.count; i++) {
      windows_event_t *event = &chip->events.items[i];
      write_word(walk, event->kind);
      walk_time(walk, &event->ps);
      if (event->kind == SIMULATOR_BEGIN || event->kind == SIMULATOR_COPIES) {
        write_instance(walk, event->instance);
      }
    }
    if (chip->events.count > 0) {
      chip->event_ps = pod_list_last(&chip->events)->ps;
    }
    write_word(walk, chip->active.count);
    for (int32_t i = 0; i < chip->active.count; i++) {
      write_instance(walk, chip->active.items[i]);
    }
    for (int32_t d = 0; d < TORUS_DIRECTIONS; d++) {
      walk_windows_link(walk, c * TORUS_DIRECTIONS + d);
    }
  }
  engine->windows->has_moved |= walk->kind == WALK_MOVE;
}

static void walk_rounds(const walk_t *walk) {
  for (int32_t c = 0; c < walk->engine->running_count; c++) {
    rounds_chip_t *chip = &walk->engine->rounds->chips[c];
    write_word(walk, chip->events.count);
    for (int32_t i = 0; i < chip->events.count; i++) {
      write_word(walk, chip->events.items[i].kind);
      walk_time(walk, &chip->events.items[i].ps);
    }
  }
}

void simulator_periods_walk(walk_t *walk) {
  for (int32_t i = 0; i < walk->engine->running_count; i++) {
    walk_core(walk, i);
  }
  walk_instances(walk);
  walk_links(walk);
  walk_direct(walk);
  walk_queue(walk);
  if (walk->engine->windows != NULL) {
    walk_windows(walk);
  }
  if (walk->engine->rounds != NULL) {
    walk_rounds(walk);
  }
}
