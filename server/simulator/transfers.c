// Collectives in flight. A class comes to one, pays the start-up, and its lanes run: a
// transfer's message starts when both chips have begun, since it is written into the
// receiver's memory; the sending half is done when the last byte has left, the receiving
// half a hop's latency per hop later.

#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "server/simulator/engine.h"

// --- Linking: what a sender's step is at the receiver ---

// Steps with their receivers depend on the shapes alone, so chips share them.
typedef struct link_entry_t {
  const simulator_shape_t *shape;
  const simulator_shape_t **peers;
  int32_t *target_steps;
  struct link_entry_t *next;
} link_entry_t;

static int32_t find_target(const simulator_shape_t *receiver, int32_t lane, int32_t tag,
                           int32_t guess) {
  if (lane >= receiver->lane_count) {
    return -1;
  }
  const simulator_lane_t *range = &receiver->lanes[lane];
  int32_t low = range->first_step;
  int32_t high = range->first_step + range->step_count;
  if (guess >= low && guess < high && !receiver->steps[guess].is_local &&
      receiver->steps[guess].tag == tag) {
    return guess;
  }
  // Tags rise along the transfers of a lane; local steps have none of their own.
  for (; low < high; low++) {
    const simulator_step_t *step = &receiver->steps[low];
    if (!step->is_local && step->receive_peer >= 0 && step->tag == tag) {
      return low;
    }
  }
  return -1;
}

static pod_status_t link_steps(const simulator_shape_t *shape,
                               const simulator_shape_t **peers, int32_t *out_targets) {
  for (int32_t i = 0; i < shape->step_count; i++) {
    const simulator_step_t *step = &shape->steps[i];
    out_targets[i] = -1;
    if (step->send_peer < 0) {
      continue;
    }
    const simulator_shape_t *receiver = peers[step->send_peer];
    const int32_t before = i > 0 && out_targets[i - 1] >= 0 ? out_targets[i - 1] + 1 : i;
    int32_t target = find_target(receiver, step->lane, step->tag, before);
    if (target < 0 || receiver->steps[target].receive_peer < 0) {
      return pod_error(POD_INTERNAL,
                       "a schedule sends in lane %d under tag %d what nobody receives",
                       step->lane, step->tag);
    }
    out_targets[i] = target;
  }
  return NULL;
}

static bool same_peers(const link_entry_t *entry, const simulator_shape_t *shape,
                       const simulator_shape_t **peers) {
  return entry->shape == shape &&
         (shape->peer_count == 0 ||
          memcmp(entry->peers, peers, (size_t)shape->peer_count * sizeof(*peers)) == 0);
}

typedef struct linker_t {
  simulator_engine_t *engine;
  link_entry_t **buckets;
  const simulator_shape_t **peers;  // Of the member at hand.
} linker_t;

enum { LINK_BUCKETS = 1024, PEERS_FIRST = 16 };

static uint32_t bucket_of(const simulator_shape_t *shape,
                          const simulator_shape_t **peers) {
  uint64_t hash = shape->hash;
  for (int32_t i = 0; i < shape->peer_count; i++) {
    hash = (hash ^ peers[i]->hash) * UINT64_C(0x9fb21c651e98df25);
    hash ^= hash >> 31;
  }
  return (uint32_t)hash % LINK_BUCKETS;
}

static pod_status_t link_member(linker_t *linker, int32_t plan, int32_t class_index,
                                simulator_member_t *member) {
  simulator_engine_t *engine = linker->engine;
  const int32_t chip = engine->classes.representatives[class_index];
  const simulator_shape_t *shape = simulator_plans_shape(&engine->plans, plan, chip);
  const size_t peer_count = (size_t)shape->peer_count;
  member->shape = shape;
  member->peer_classes =
      pod_arena_array(engine->arena, peer_count + 1, sizeof(*member->peer_classes));
  if (shape->peer_count <= SIMULATOR_ROUTES_MAX) {
    member->routes =
        pod_arena_array(engine->arena, peer_count + 1, sizeof(*member->routes));
  }
  linker->peers = pod_grow(linker->peers, peer_count + 1, sizeof(*linker->peers));
  for (int32_t i = 0; i < shape->peer_count; i++) {
    const int32_t peer = simulator_displaced(engine->plans.torus, chip, shape->peers[i]);
    if (peer < 0 || peer >= engine->plans.chip_count) {
      return pod_error(POD_INVALID_ARGUMENT, "chip %d sends outside of the %d chips",
                       chip, engine->plans.chip_count);
    }
    member->peer_classes[i] = engine->classes.class_of_chip[peer];
    linker->peers[i] = simulator_plans_shape(&engine->plans, plan, peer);
  }
  link_entry_t **bucket = &linker->buckets[bucket_of(shape, linker->peers)];
  for (const link_entry_t *entry = *bucket; entry != NULL; entry = entry->next) {
    if (same_peers(entry, shape, linker->peers)) {
      member->target_steps = entry->target_steps;
      return NULL;
    }
  }
  link_entry_t *entry = pod_arena_alloc(engine->arena, sizeof(*entry));
  entry->shape = shape;
  entry->peers =
      pod_arena_copy(engine->arena, linker->peers, peer_count * sizeof(*linker->peers));
  entry->target_steps = pod_arena_array(engine->arena, (size_t)shape->step_count + 1,
                                        sizeof(*entry->target_steps));
  POD_TRY(link_steps(shape, entry->peers, entry->target_steps));
  entry->next = *bucket;
  *bucket = entry;
  member->target_steps = entry->target_steps;
  return NULL;
}

static pod_status_t link_plan(linker_t *linker, int32_t plan) {
  simulator_engine_t *engine = linker->engine;
  simulator_run_plan_t *run_plan = &engine->run_plans[plan];
  run_plan->first_free = -1;
  run_plan->members = pod_arena_array(engine->arena, (size_t)engine->running_count + 1,
                                      sizeof(*run_plan->members));
  for (int32_t i = 0; i < engine->running_count; i++) {
    simulator_member_t *member = &run_plan->members[i];
    POD_TRY(link_member(linker, plan, i, member));
    member->lane_offset = run_plan->lane_total;
    member->step_offset = run_plan->step_total;
    if (member->shape->step_count > INT32_MAX / 2 - run_plan->step_total) {
      return pod_error(POD_RESOURCE_EXHAUSTED,
                       "a collective of more than %d steps on all chips", INT32_MAX / 2);
    }
    run_plan->lane_total += member->shape->lane_count;
    run_plan->step_total += member->shape->step_count;
  }
  return NULL;
}

pod_status_t simulator_transfers_init(simulator_engine_t *engine) {
  const size_t plans = (size_t)engine->plans.plan_count;
  engine->run_plans =
      pod_arena_array(engine->arena, plans + 1, sizeof(*engine->run_plans));
  linker_t linker = {
      .engine = engine,
      .buckets = pod_arena_array(engine->arena, LINK_BUCKETS, sizeof(*linker.buckets))};
  pod_status_t status = NULL;
  for (int32_t plan = 0; plan < engine->plans.plan_count && status == NULL; plan++) {
    status = link_plan(&linker, plan);
  }
  free(linker.peers);
  return status;
}

void simulator_transfers_deinit(simulator_engine_t *engine) {
  for (int32_t i = 0; i < engine->instance_count; i++) {
    free(engine->instances[i].classes);
    free(engine->instances[i].lanes);
    free(engine->instances[i].received);
    free(engine->instances[i].pending);
  }
  free(engine->instances);
  for (int32_t plan = 0; engine->run_plans != NULL && plan < engine->plans.plan_count;
       plan++) {
    const simulator_member_t *members = engine->run_plans[plan].members;
    for (int32_t i = 0; members != NULL && i < engine->running_count; i++) {
      const simulator_member_t *member = &members[i];
      for (int32_t p = 0; member->routes != NULL && p < member->shape->peer_count; p++) {
        free(member->routes[p]);
      }
    }
  }
}

// --- Routes ---

static simulator_route_t *make_route(const simulator_engine_t *engine,
                                     int32_t class_index,
                                     simulator_displacement_t displacement) {
  const torus_t *torus = engine->plans.torus;
  const int32_t from = engine->classes.representatives[class_index];
  const int32_t to = simulator_displaced(torus, from, displacement);
  const int32_t hops = torus_distance(torus, from, to);
  simulator_route_t *route =
      pod_alloc(sizeof(*route) + (size_t)hops * sizeof(route->hops[0]));
  for (int32_t at = from; at != to;) {
    const torus_direction_t direction = torus_next_hop(torus, at, to);
    const int32_t crossed = engine->classes.class_of_chip[at];
    const int32_t seen_from = engine->classes.representatives[crossed];
    simulator_hop_t *hop = &route->hops[route->hop_count++];
    hop->link = crossed * TORUS_DIRECTIONS + direction;
    hop->from =
        simulator_displaced(torus, seen_from, simulator_displacement(torus, at, from));
    hop->to =
        simulator_displaced(torus, seen_from, simulator_displacement(torus, at, to));
    at = torus_neighbour(torus, at, direction);
  }
  return route;
}

// --- Instances ---

static void clear_instance(const simulator_engine_t *engine,
                           simulator_instance_t *instance) {
  const simulator_run_plan_t *run_plan = &engine->run_plans[instance->plan];
  memset(instance->lanes, 0, (size_t)run_plan->lane_total * sizeof(*instance->lanes));
  memset(instance->received, 0, (size_t)run_plan->step_total);
  for (int32_t i = 0; i < engine->running_count; i++) {
    instance->classes[i] = (simulator_class_run_t){.first_pending = -1, .event = -1};
  }
  instance->done_count = 0;
  instance->pending_count = 0;
}

static int32_t new_instance(simulator_engine_t *engine, int32_t plan) {
  simulator_run_plan_t *run_plan = &engine->run_plans[plan];
  if (run_plan->first_free >= 0) {
    const int32_t index = run_plan->first_free;
    run_plan->first_free = engine->instances[index].next;
    return index;
  }
  if (engine->instance_count == engine->instance_capacity) {
    engine->instance_capacity =
        engine->instance_capacity == 0 ? 16 : 2 * engine->instance_capacity;
    engine->instances = pod_grow(engine->instances, (size_t)engine->instance_capacity,
                                 sizeof(*engine->instances));
  }
  const size_t classes = (size_t)engine->running_count;
  engine->instances[engine->instance_count] = (simulator_instance_t){
      .plan = plan,
      .classes = pod_alloc(classes * sizeof(simulator_class_run_t)),
      .lanes = pod_alloc((size_t)run_plan->lane_total * sizeof(simulator_lane_run_t)),
      .received = pod_alloc((size_t)run_plan->step_total),
  };
  return engine->instance_count++;
}

static int32_t instance_of(simulator_engine_t *engine, int32_t task, int32_t sequence) {
  const int32_t slot = engine->slots[task];
  for (int32_t i = engine->live[slot]; i >= 0; i = engine->instances[i].next) {
    if (engine->instances[i].sequence == sequence) {
      return i;
    }
  }
  const int32_t plan =
      engine->plans.plan_of_instruction[engine->program->tasks[task].instruction];
  const int32_t index = new_instance(engine, plan);
  simulator_instance_t *instance = &engine->instances[index];
  clear_instance(engine, instance);
  instance->task = task;
  instance->sequence = sequence;
  instance->next = engine->live[slot];
  engine->live[slot] = index;
  return index;
}

static void retire(simulator_engine_t *engine, int32_t index) {
  simulator_instance_t *instance = &engine->instances[index];
  int32_t *from = &engine->live[engine->slots[instance->task]];
  while (*from != index) {
    from = &engine->instances[*from].next;
  }
  *from = instance->next;
  instance->next = engine->run_plans[instance->plan].first_free;
  engine->run_plans[instance->plan].first_free = index;
}

// --- Lanes ---

static const simulator_member_t *member_of(const simulator_engine_t *engine,
                                           int32_t instance, int32_t class_index) {
  return &engine->run_plans[engine->instances[instance].plan].members[class_index];
}

static simulator_lane_run_t *lane_of(const simulator_engine_t *engine, int32_t instance,
                                     int32_t class_index, int32_t lane) {
  const simulator_member_t *member = member_of(engine, instance, class_index);
  return &engine->instances[instance].lanes[member->lane_offset + lane];
}

static void advance(simulator_engine_t *engine, int32_t instance, int32_t class_index,
                    int32_t lane);

static void part_done(simulator_engine_t *engine, int32_t instance, int32_t class_index) {
  simulator_class_run_t *run = &engine->instances[instance].classes[class_index];
  if (--run->parts_left > 0) {
    return;
  }
  run->is_done = true;
  run->done_ps = engine->now_ps;
  const bool is_last = ++engine->instances[instance].done_count == engine->running_count;
  simulator_core_arrived(engine, class_index, instance);
  if (is_last) {
    retire(engine, instance);
  }
}

// What a chip sends to itself is there.
static void to_itself(simulator_engine_t *engine, const simulator_flow_t *flow,
                      int32_t lane) {
  const simulator_member_t *member = member_of(engine, flow->instance, flow->class_index);
  lane_of(engine, flow->instance, flow->class_index, lane)->is_sent = true;
  simulator_queue_push(&engine->queue, engine->now_ps,
                       (simulator_queue_event_t){.kind = SIMULATOR_RECEIVED,
                                                 .a = flow->instance,
                                                 .b = flow->class_index,
                                                 .c = member->target_steps[flow->step]});
  if (flow->owns_route) {
    free((void *)flow->route);
  }
}

static void start_message(simulator_engine_t *engine, int32_t instance,
                          int32_t class_index, int32_t lane) {
  const simulator_member_t *member = member_of(engine, instance, class_index);
  const simulator_lane_run_t *run = lane_of(engine, instance, class_index, lane);
  const simulator_step_t *step = &member->shape->steps[run->step];
  simulator_flow_t flow = {.full_ps = step->send_ps,
                           .bytes = step->send_bytes,
                           .instance = instance,
                           .class_index = class_index,
                           .step = run->step};
  simulator_route_t *route =
      member->routes != NULL ? member->routes[step->send_peer] : NULL;
  if (route == NULL) {
    route = make_route(engine, class_index, member->shape->peers[step->send_peer]);
    if (member->routes != NULL) {
      member->routes[step->send_peer] = route;
    } else {
      flow.owns_route = true;
    }
  }
  flow.route = route;
  if (route->hop_count == 0) {
    to_itself(engine, &flow, lane);
    return;
  }
  engine->steps++;
  simulator_total(engine, class_index, engine->instances[instance].task)->ici_bytes +=
      step->send_bytes;
  simulator_network_start(&engine->network, &flow, engine->now_ps);
}

// Starts the message of a lane's step, or leaves it for when the receiver begins.
static void send(simulator_engine_t *engine, int32_t instance_index, int32_t class_index,
                 int32_t lane, int32_t peer_class) {
  simulator_instance_t *instance = &engine->instances[instance_index];
  if (instance->classes[peer_class].has_begun) {
    start_message(engine, instance_index, class_index, lane);
    return;
  }
  if (instance->pending_count == instance->pending_capacity) {
    instance->pending_capacity =
        instance->pending_capacity == 0 ? 16 : 2 * instance->pending_capacity;
    instance->pending = pod_grow(instance->pending, (size_t)instance->pending_capacity,
                                 sizeof(*instance->pending));
  }
  instance->pending[instance->pending_count] = (simulator_pending_t){
      class_index, lane, instance->classes[peer_class].first_pending};
  instance->classes[peer_class].first_pending = instance->pending_count++;
}

static bool may_start(const simulator_engine_t *engine, int32_t instance,
                      int32_t class_index, int32_t lane) {
  const simulator_member_t *member = member_of(engine, instance, class_index);
  for (int i = 0; i < COLLECTIVE_AFTER_MAX; i++) {
    const int32_t after = member->shape->lanes[lane].after[i];
    if (after >= 0 &&
        lane_of(engine, instance, class_index, after)->state != SIMULATOR_LANE_DONE) {
      return false;
    }
  }
  return true;
}

// A lane waits only for lower ones, so one walk upwards starts all that can.
static void start_lanes(simulator_engine_t *engine, int32_t instance,
                        int32_t class_index) {
  const simulator_shape_t *shape = member_of(engine, instance, class_index)->shape;
  for (int32_t lane = 0; lane < shape->lane_count; lane++) {
    simulator_lane_run_t *run = lane_of(engine, instance, class_index, lane);
    if (run->state == SIMULATOR_LANE_WAITING &&
        may_start(engine, instance, class_index, lane)) {
      run->state = SIMULATOR_LANE_RUNNING;
      run->step = shape->lanes[lane].first_step;
      advance(engine, instance, class_index, lane);
    }
  }
}

// The lane counts as a part until those that waited for it have been started.
static void lane_done(simulator_engine_t *engine, int32_t instance, int32_t class_index,
                      simulator_lane_run_t *run) {
  run->state = SIMULATOR_LANE_DONE;
  if (member_of(engine, instance, class_index)->shape->has_after) {
    start_lanes(engine, instance, class_index);
  }
  part_done(engine, instance, class_index);
}

// True when the step is done; otherwise it has been started, if it was not.
static bool try_step(simulator_engine_t *engine, int32_t instance, int32_t class_index,
                     int32_t lane, simulator_lane_run_t *run) {
  const simulator_member_t *member = member_of(engine, instance, class_index);
  const simulator_step_t *step = &member->shape->steps[run->step];
  if (!run->is_started) {
    run->is_started = true;
    run->is_sent = step->send_peer < 0;
    if (step->is_local) {
      run->is_sent = false;
      simulator_queue_push(
          &engine->queue,
          engine->now_ps + simulator_scaled(&engine->cores[class_index], step->local_ps),
          (simulator_queue_event_t){
              .kind = SIMULATOR_LOCAL, .a = instance, .b = class_index, .c = lane});
      return false;
    }
    if (step->send_peer >= 0) {
      send(engine, instance, class_index, lane, member->peer_classes[step->send_peer]);
    }
  }
  const uint8_t *received =
      &engine->instances[instance].received[member->step_offset + run->step];
  return run->is_sent && (step->receive_peer < 0 || *received != 0);
}

// Runs a lane until it stands at an unfinished step or at its end.
static void advance(simulator_engine_t *engine, int32_t instance, int32_t class_index,
                    int32_t lane) {
  const simulator_lane_t *range =
      &member_of(engine, instance, class_index)->shape->lanes[lane];
  simulator_lane_run_t *run = lane_of(engine, instance, class_index, lane);
  const int32_t end = range->first_step + range->step_count;
  while (run->step < end) {
    if (!try_step(engine, instance, class_index, lane, run)) {
      return;
    }
    run->step++;
    run->is_started = false;
  }
  lane_done(engine, instance, class_index, run);
}

// --- Events ---

int32_t simulator_transfers_arrive(simulator_engine_t *engine, int32_t class_index,
                                   int32_t task, int64_t at_ps, int32_t event) {
  const int32_t slot = engine->slots[task];
  const int32_t index =
      instance_of(engine, task, engine->cores[class_index].sequences[slot]++);
  simulator_class_run_t *run = &engine->instances[index].classes[class_index];
  run->arrived_ps = at_ps;
  run->event = event;
  const bool has_transfers = member_of(engine, index, class_index)->shape->has_transfers;
  const int64_t startup_ps =
      has_transfers ? engine->options->spec->collective_startup_ps : 0;
  simulator_queue_push(
      &engine->queue, at_ps + startup_ps,
      (simulator_queue_event_t){.kind = SIMULATOR_BEGIN, .a = index, .b = class_index});
  return index;
}

void simulator_transfers_begin(simulator_engine_t *engine, int32_t instance,
                               int32_t class_index) {
  const simulator_shape_t *shape = member_of(engine, instance, class_index)->shape;
  simulator_class_run_t *run = &engine->instances[instance].classes[class_index];
  run->has_begun = true;
  run->parts_left = shape->lane_count + 1;
  const int64_t copies_ps =
      simulator_scaled(&engine->cores[class_index], shape->copies_ps);
  simulator_queue_push(&engine->queue, engine->now_ps + copies_ps,
                       (simulator_queue_event_t){
                           .kind = SIMULATOR_COPIES, .a = instance, .b = class_index});
  for (int32_t i = run->first_pending; i >= 0;) {
    const simulator_pending_t pending = engine->instances[instance].pending[i];
    start_message(engine, instance, pending.class_index, pending.lane);
    i = pending.next;
  }
  start_lanes(engine, instance, class_index);
}

void simulator_transfers_end(simulator_engine_t *engine, int32_t flow, uint32_t version) {
  const simulator_flow_t *ended = simulator_network_end(&engine->network, flow, version);
  if (ended == NULL) {
    return;
  }
  const int32_t instance = ended->instance;
  const int32_t sender = ended->class_index;
  const int32_t step_index = ended->step;
  const int64_t latency_ps = ended->route->hop_count * engine->options->spec->ici_hop_ps;
  simulator_record_flow(engine, ended, engine->instances[instance].task);
  const simulator_member_t *member = member_of(engine, instance, sender);
  const simulator_step_t *step = &member->shape->steps[step_index];
  simulator_queue_push(
      &engine->queue, engine->now_ps + latency_ps,
      (simulator_queue_event_t){.kind = SIMULATOR_RECEIVED,
                                .a = instance,
                                .b = member->peer_classes[step->send_peer],
                                .c = member->target_steps[step_index]});
  lane_of(engine, instance, sender, step->lane)->is_sent = true;
  advance(engine, instance, sender, step->lane);
}

void simulator_transfers_received(simulator_engine_t *engine, int32_t instance,
                                  int32_t class_index, int32_t step) {
  const simulator_member_t *member = member_of(engine, instance, class_index);
  engine->instances[instance].received[member->step_offset + step] = 1;
  const int32_t lane = member->shape->steps[step].lane;
  const simulator_lane_run_t *run = lane_of(engine, instance, class_index, lane);
  if (run->state == SIMULATOR_LANE_RUNNING && run->step == step) {
    advance(engine, instance, class_index, lane);
  }
}

void simulator_transfers_local(simulator_engine_t *engine, int32_t instance,
                               int32_t class_index, int32_t lane) {
  lane_of(engine, instance, class_index, lane)->is_sent = true;
  advance(engine, instance, class_index, lane);
}

void simulator_transfers_copied(simulator_engine_t *engine, int32_t instance,
                                int32_t class_index) {
  part_done(engine, instance, class_index);
}
