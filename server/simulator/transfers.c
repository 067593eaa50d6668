// Collectives in flight. A class comes to one, pays the start-up, and its lanes run: a
// transfer's message starts when both chips have begun, since it is written into the
// receiver's memory; the sending half is done when the last byte has left, the receiving
// half a hop's latency per hop later. What a chip sends on goes in pieces, as it comes
// in.

#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "server/simulator/engine.h"

void simulator_transfers_deinit(simulator_engine_t *engine) {
  for (int32_t i = 0; i < engine->instances.count; i++) {
    free(engine->instances.items[i].classes);
    free(engine->instances.items[i].lanes);
    free(engine->instances.items[i].received);
    free(engine->instances.items[i].window_lanes);
    free(engine->instances.items[i].arrivals);
    pod_list_deinit(&engine->instances.items[i].pending);
  }
  pod_list_deinit(&engine->instances);
  pod_list_deinit(&engine->deferred);
}

// --- Instances ---

static void clear_instance(const simulator_engine_t *engine,
                           simulator_instance_t *instance) {
  const simulator_run_plan_t *run_plan = &engine->run_plans[instance->plan];
  const size_t lanes = (size_t)run_plan->lane_total;
  if (engine->windows == NULL && engine->rounds == NULL) {
    memset(instance->lanes, 0, lanes * sizeof(*instance->lanes));
    memset(instance->received, 0, (size_t)run_plan->step_total);
  }
  for (size_t i = 0; engine->windows != NULL && i < lanes; i++) {
    instance->window_lanes[i] =
        (simulator_window_lane_t){.next_ps = INT64_MAX, .sent_ps = INT64_MAX};
  }
  for (int32_t i = 0; i < engine->running_count; i++) {
    instance->classes[i] =
        (simulator_class_run_t){.first_pending = -1, .event = -1, .begin_ps = INT64_MAX};
  }
  instance->part = -1;
  instance->done_count = 0;
  instance->begun_count = 0;
  instance->deferred_count = 0;
  pod_list_clear(&instance->pending);
}

static int32_t new_instance(simulator_engine_t *engine, int32_t plan) {
  simulator_run_plan_t *run_plan = &engine->run_plans[plan];
  if (run_plan->first_free >= 0) {
    const int32_t index = run_plan->first_free;
    run_plan->first_free = engine->instances.items[index].next;
    return index;
  }
  const size_t classes = (size_t)engine->running_count;
  const size_t lanes = (size_t)run_plan->lane_total;
  simulator_instance_t *instance = pod_list_add(&engine->instances);
  *instance = (simulator_instance_t){
      .plan = plan, .classes = pod_alloc(classes * sizeof(simulator_class_run_t))};
  if (engine->windows != NULL) {
    instance->window_lanes = pod_alloc(lanes * sizeof(*instance->window_lanes));
  } else if (engine->rounds == NULL) {
    instance->lanes = pod_alloc(lanes * sizeof(*instance->lanes));
    instance->received = pod_alloc((size_t)run_plan->step_total);
  }
  return engine->instances.count - 1;
}

static int32_t instance_of(simulator_engine_t *engine, int32_t task, int32_t sequence) {
  const int32_t slot = engine->slots[task];
  for (int32_t i = engine->live[slot]; i >= 0; i = engine->instances.items[i].next) {
    if (engine->instances.items[i].sequence == sequence) {
      return i;
    }
  }
  const int32_t plan =
      engine->plans.plan_of_instruction[engine->program->tasks[task].instruction];
  const int32_t index = new_instance(engine, plan);
  simulator_instance_t *instance = &engine->instances.items[index];
  clear_instance(engine, instance);
  if (engine->windows != NULL) {
    simulator_windows_open(engine, instance);
  }
  instance->task = task;
  instance->sequence = sequence;
  instance->next = engine->live[slot];
  engine->live[slot] = index;
  return index;
}

static void retire(simulator_engine_t *engine, int32_t index) {
  simulator_instance_t *instance = &engine->instances.items[index];
  int32_t *from = &engine->live[engine->slots[instance->task]];
  while (*from != index) {
    from = &engine->instances.items[*from].next;
  }
  *from = instance->next;
  if (engine->windows != NULL) {
    simulator_windows_close(engine, instance);
  }
  instance->next = engine->run_plans[instance->plan].first_free;
  engine->run_plans[instance->plan].first_free = index;
}

// --- Lanes ---

static const simulator_member_t *member_of(const simulator_engine_t *engine,
                                           int32_t instance, int32_t class_index) {
  return &engine->run_plans[engine->instances.items[instance].plan].members[class_index];
}

// What the class does; looked up without the class when all do alike.
static const simulator_shape_t *shape_of(const simulator_engine_t *engine,
                                         int32_t instance, int32_t class_index) {
  const simulator_run_plan_t *plan =
      &engine->run_plans[engine->instances.items[instance].plan];
  return plan->shape != NULL ? plan->shape : plan->members[class_index].shape;
}

static simulator_lane_run_t *lane_of(const simulator_engine_t *engine, int32_t instance,
                                     int32_t class_index, int32_t lane) {
  const simulator_instance_t *of = &engine->instances.items[instance];
  const simulator_run_plan_t *plan = &engine->run_plans[of->plan];
  const int32_t first = plan->shape != NULL ? class_index * plan->shape->lane_count
                                            : plan->members[class_index].lane_offset;
  return &of->lanes[first + lane];
}

static uint8_t *received_of(const simulator_engine_t *engine, int32_t instance,
                            int32_t class_index, int32_t step) {
  const simulator_instance_t *of = &engine->instances.items[instance];
  const simulator_run_plan_t *plan = &engine->run_plans[of->plan];
  const int32_t first = plan->shape != NULL ? class_index * plan->shape->step_count
                                            : plan->members[class_index].step_offset;
  return &of->received[first + step];
}

static void advance(simulator_engine_t *engine, int32_t instance, int32_t class_index,
                    int32_t lane);

void simulator_transfers_part_done(simulator_engine_t *engine, int32_t instance,
                                   int32_t class_index) {
  simulator_class_run_t *run = &engine->instances.items[instance].classes[class_index];
  if (--run->parts_left > 0) {
    return;
  }
  run->is_done = true;
  run->done_ps = engine->now_ps;
  if (engine->run_plans[engine->instances.items[instance].plan].shape != NULL &&
      engine->instances.items[instance].deferred_count >= 0) {
    simulator_direct_done(engine, instance, class_index);
  }
  const bool is_last =
      ++engine->instances.items[instance].done_count == engine->running_count;
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
  simulator_lane_run_t *run = lane_of(engine, instance, class_index, lane);
  simulator_run_plan_t *run_plan =
      &engine->run_plans[engine->instances.items[instance].plan];
  const bool is_counted = run_plan->shape != NULL;
  if (is_counted && simulator_direct_start(engine, instance, class_index, run)) {
    engine->steps++;
    return;
  }
  const simulator_step_t *step =
      &shape_of(engine, instance, class_index)->steps[run->step];
  simulator_flow_t flow = {.full_ps = step->send_ps,
                           .bytes = step->send_bytes,
                           .is_counted = is_counted,
                           .instance = instance,
                           .class_index = class_index,
                           .step = run->step};
  simulator_route_t *route =
      simulator_route(engine, &run_plan->members[class_index], class_index,
                      step->send_peer, &flow.owns_route);
  flow.route = route;
  if (route->hop_count == 0) {
    to_itself(engine, &flow, lane);
    return;
  }
  engine->steps++;
  if (!is_counted) {
    simulator_total(engine, class_index, engine->instances.items[instance].task)
        ->ici_bytes += step->send_bytes;
  }
  for (int32_t i = 0; i < route->hop_count; i++) {
    simulator_direct_yield(engine, route->hops[i].link);
  }
  simulator_network_start(&engine->network, &flow, engine->now_ps);
}

// Starts the message of a lane's step, or leaves it for when the receiver begins.
static void send(simulator_engine_t *engine, int32_t instance_index, int32_t class_index,
                 int32_t lane, int32_t peer_class) {
  simulator_instance_t *instance = &engine->instances.items[instance_index];
  if (instance->begun_count == engine->running_count ||
      instance->classes[peer_class].has_begun) {
    start_message(engine, instance_index, class_index, lane);
    return;
  }
  *pod_list_add(&instance->pending) = (simulator_pending_t){
      class_index, lane, instance->classes[peer_class].first_pending};
  instance->classes[peer_class].first_pending = instance->pending.count - 1;
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
  const simulator_shape_t *shape = shape_of(engine, instance, class_index);
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
  if (shape_of(engine, instance, class_index)->has_after) {
    start_lanes(engine, instance, class_index);
  }
  simulator_transfers_part_done(engine, instance, class_index);
}

// Whether the step's message has left. One that direct.c has sent leaves without an event
// unless nothing else is waited for.
static bool has_sent(simulator_engine_t *engine, int32_t instance, int32_t class_index,
                     int32_t lane, const simulator_lane_run_t *run, bool has_received) {
  if (run->is_sent || (run->sent_ps > 0 && run->sent_ps <= engine->now_ps)) {
    return true;
  }
  if (run->sent_ps > 0 && has_received) {
    simulator_queue_push(
        &engine->queue, run->sent_ps,
        (simulator_queue_event_t){
            .kind = SIMULATOR_SENT, .a = instance, .b = class_index, .c = lane});
  }
  return false;
}

static int32_t peer_class_of(const simulator_engine_t *engine, int32_t instance,
                             int32_t class_index, int32_t peer) {
  const simulator_run_plan_t *plan =
      &engine->run_plans[engine->instances.items[instance].plan];
  return plan->shape == NULL
             ? plan->members[class_index].peer_classes[peer]
             : engine->network
                   .direct[class_index * SIMULATOR_CHANNELS + plan->directions[peer]]
                   .peer_class;
}

// True when the step is done; otherwise it has been started, if it was not.
static bool try_step(simulator_engine_t *engine, int32_t instance, int32_t class_index,
                     int32_t lane, simulator_lane_run_t *run) {
  const simulator_step_t *step =
      &shape_of(engine, instance, class_index)->steps[run->step];
  if (!run->is_started) {
    run->is_started = true;
    run->is_sent = step->send_peer < 0;
    run->sent_ps = 0;
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
      send(engine, instance, class_index, lane,
           peer_class_of(engine, instance, class_index, step->send_peer));
    }
  }
  const bool has_received =
      step->receive_peer < 0 ||
      *received_of(engine, instance, class_index, run->step) == SIMULATOR_HAS_RECEIVED;
  return has_sent(engine, instance, class_index, lane, run, has_received) && has_received;
}

// Runs a lane until it stands at an unfinished step or at its end.
static void advance(simulator_engine_t *engine, int32_t instance, int32_t class_index,
                    int32_t lane) {
  const simulator_lane_t *range = &shape_of(engine, instance, class_index)->lanes[lane];
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
  simulator_class_run_t *run = &engine->instances.items[index].classes[class_index];
  run->arrived_ps = at_ps;
  run->event = event;
  const bool has_transfers = shape_of(engine, index, class_index)->has_transfers;
  const int64_t startup_ps =
      has_transfers ? engine->options->spec->collective_startup_ps : 0;
  if (engine->windows != NULL) {
    simulator_windows_arrive(engine, index, class_index, at_ps + startup_ps);
  }
  if (engine->rounds != NULL) {
    simulator_rounds_arrive(engine, index, class_index, at_ps + startup_ps);
  }
  simulator_schedule(
      engine, at_ps + startup_ps,
      (simulator_queue_event_t){.kind = SIMULATOR_BEGIN, .a = index, .b = class_index});
  return index;
}

void simulator_transfers_begin(simulator_engine_t *engine, int32_t instance,
                               int32_t class_index) {
  const simulator_shape_t *shape = shape_of(engine, instance, class_index);
  simulator_class_run_t *run = &engine->instances.items[instance].classes[class_index];
  run->has_begun = true;
  engine->instances.items[instance].begun_count++;
  run->parts_left = shape->lane_count + 1;
  *pod_list_add(&engine->deferred) =
      (simulator_queue_event_t){.a = instance, .b = class_index};
  engine->instances.items[instance].deferred_count++;
}

// By events: messages that have waited for this class go, and its lanes start.
static void start_class(simulator_engine_t *engine, int32_t instance,
                        int32_t class_index) {
  const simulator_class_run_t *run =
      &engine->instances.items[instance].classes[class_index];
  for (int32_t i = run->first_pending; i >= 0;) {
    const simulator_pending_t pending =
        engine->instances.items[instance].pending.items[i];
    start_message(engine, instance, pending.class_index, pending.lane);
    advance(engine, instance, pending.class_index, pending.lane);
    i = pending.next;
  }
  const simulator_shape_t *shape = shape_of(engine, instance, class_index);
  simulator_queue_push(
      &engine->queue,
      engine->now_ps + simulator_scaled(&engine->cores[class_index], shape->hbm_ps),
      (simulator_queue_event_t){
          .kind = SIMULATOR_COPIES, .a = instance, .b = class_index});
  start_lanes(engine, instance, class_index);
}

// Whether dataflow may run the instance: all classes begin now, and none has other
// messages under way.
static bool may_flow(const simulator_engine_t *engine, int32_t index) {
  const simulator_instance_t *instance = &engine->instances.items[index];
  if (!engine->run_plans[instance->plan].has_own_links ||
      instance->deferred_count < engine->running_count ||
      engine->options->uses_events_only ||
      engine->program->tasks[instance->task].kind != CHIP_TASK_COLLECTIVE) {
    return false;
  }
  for (int32_t i = 0; i < engine->running_count; i++) {
    if (engine->cores[i].flights > 0 || engine->cores[i].flights_ahead > 0) {
      return false;
    }
  }
  return true;
}

void simulator_transfers_start(simulator_engine_t *engine) {
  // What starts here never begins anything at once, so the list does not grow meanwhile.
  for (int32_t i = 0; i < engine->deferred.count; i++) {
    const simulator_queue_event_t begun = engine->deferred.items[i];
    simulator_instance_t *instance = &engine->instances.items[begun.a];
    if (instance->deferred_count > 0 && may_flow(engine, begun.a) &&
        simulator_dataflow_run(engine, begun.a)) {
      instance->deferred_count = -1;
    } else if (instance->deferred_count > 0) {
      instance->deferred_count = 0;
    }
    if (instance->deferred_count == 0) {
      start_class(engine, begun.a, begun.b);
    }
  }
  engine->deferred.count = 0;
}

int64_t simulator_received_ps(const simulator_step_t *step, int64_t start_ps,
                              int64_t end_ps, int64_t latency_ps) {
  return simulator_arrival_ps(step->is_sent_on, start_ps, end_ps, latency_ps);
}

void simulator_transfers_end(simulator_engine_t *engine, int32_t flow, uint32_t version) {
  const simulator_flow_t *ended = simulator_network_end(&engine->network, flow, version);
  if (ended == NULL) {
    return;
  }
  const int32_t instance = ended->instance;
  const int32_t sender = ended->class_index;
  const int32_t step_index = ended->step;
  const int64_t latency_ps = ended->route->latency_ps;
  simulator_record_flow(engine, ended, engine->instances.items[instance].task);
  const simulator_member_t *member = member_of(engine, instance, sender);
  const simulator_step_t *step = &member->shape->steps[step_index];
  const int32_t receiver = member->peer_classes[step->send_peer];
  const int32_t target = member->target_steps[step_index];
  simulator_queue_push(
      &engine->queue,
      simulator_received_ps(&member_of(engine, instance, receiver)->shape->steps[target],
                            ended->start_ps, engine->now_ps, latency_ps),
      (simulator_queue_event_t){
          .kind = SIMULATOR_RECEIVED, .a = instance, .b = receiver, .c = target});
  lane_of(engine, instance, sender, step->lane)->is_sent = true;
  advance(engine, instance, sender, step->lane);
}

void simulator_transfers_received(simulator_engine_t *engine, int32_t instance,
                                  int32_t class_index, int32_t step) {
  *received_of(engine, instance, class_index, step) = SIMULATOR_HAS_RECEIVED;
  const int32_t lane = shape_of(engine, instance, class_index)->steps[step].lane;
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

void simulator_transfers_sent(simulator_engine_t *engine, int32_t instance,
                              int32_t class_index, int32_t lane) {
  if (lane_of(engine, instance, class_index, lane)->state == SIMULATOR_LANE_RUNNING) {
    advance(engine, instance, class_index, lane);
  }
}

void simulator_transfers_copied(simulator_engine_t *engine, int32_t instance,
                                int32_t class_index) {
  simulator_transfers_part_done(engine, instance, class_index);
}
