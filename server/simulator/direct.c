// Messages between neighbours that find their link free, of collectives in which all
// chips do alike: most of all that is sent. When such a message ends is known when it
// starts, so that it needs no route, no place among those that share a link and no event
// but its arrival; and what it adds to the sums follows from the schedule. If another one
// comes onto its link before it ends, it becomes a message like others, with what is left
// of it.

#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "server/simulator/engine.h"

// --- Which ---

// The direction of a peer that is a neighbour, or -1.
static int32_t direction_of(const simulator_engine_t *engine, int32_t plan,
                            int32_t class_index, int32_t peer) {
  simulator_member_t *member = &engine->run_plans[plan].members[class_index];
  bool is_owned;
  simulator_route_t *route =
      simulator_route(engine, member, class_index, peer, &is_owned);
  int32_t direction = -1;
  if (route->hop_count == 1 && route->latency_ps == engine->options->spec->ici_hop_ps &&
      route->hops[0].link / SIMULATOR_CHANNELS == class_index) {
    direction = route->hops[0].link % SIMULATOR_CHANNELS;
  }
  if (is_owned) {
    free(route);
  }
  return direction < TORUS_DIRECTIONS ? direction : -1;
}

// All classes have one shape, and their peers are neighbours in the same directions.
static bool is_direct(simulator_engine_t *engine, int32_t plan) {
  simulator_run_plan_t *run_plan = &engine->run_plans[plan];
  const simulator_member_t *first = &run_plan->members[0];
  const int32_t peers = first->shape->peer_count;
  run_plan->directions =
      pod_arena_array(engine->arena, (size_t)peers + 1, sizeof(*run_plan->directions));
  for (int32_t i = 0; i < engine->running_count; i++) {
    const simulator_member_t *member = &run_plan->members[i];
    if (member->shape != first->shape || member->target_steps != first->target_steps) {
      return false;
    }
    for (int32_t p = 0; p < peers; p++) {
      const int32_t direction = direction_of(engine, plan, i, p);
      if (direction < 0 || (i > 0 && direction != run_plan->directions[p])) {
        return false;
      }
      run_plan->directions[p] = direction;
      simulator_direct_t *direct =
          &engine->network.direct[i * SIMULATOR_CHANNELS + direction];
      direct->peer_class = member->peer_classes[p];
      direct->is_used = true;
    }
  }
  return true;
}

static void sum_up(simulator_run_plan_t *run_plan) {
  const simulator_shape_t *shape = run_plan->shape;
  for (int32_t i = 0; i < shape->step_count; i++) {
    const simulator_step_t *step = &shape->steps[i];
    if (step->send_peer >= 0) {
      simulator_link_t *link = &run_plan->sent[run_plan->directions[step->send_peer]];
      link->bytes += step->send_bytes;
      link->messages++;
      run_plan->sent_bytes += step->send_bytes;
    }
  }
}

void simulator_direct_init(simulator_engine_t *engine) {
  for (int32_t i = 0; i < engine->plans.plan_count; i++) {
    simulator_run_plan_t *run_plan = &engine->run_plans[i];
    if (!engine->options->uses_events_only && engine->running_count > 0 &&
        is_direct(engine, i)) {
      run_plan->shape = run_plan->members[0].shape;
      run_plan->target_steps = run_plan->members[0].target_steps;
      sum_up(run_plan);
    }
  }
}

// --- Messages ---

// What is kept of messages is told by those that are like others.
static bool is_recorded(const simulator_engine_t *engine, int32_t class_index) {
  return engine->events_max > 0 &&
         engine->logs[class_index].messages.count < engine->events_max;
}

bool simulator_direct_start(simulator_engine_t *engine, int32_t index,
                            int32_t class_index, simulator_lane_run_t *run) {
  const simulator_instance_t *instance = &engine->instances.items[index];
  const simulator_run_plan_t *run_plan = &engine->run_plans[instance->plan];
  const simulator_step_t *step = &run_plan->shape->steps[run->step];
  const int32_t link =
      class_index * SIMULATOR_CHANNELS + run_plan->directions[step->send_peer];
  simulator_direct_t *direct = &engine->network.direct[link];
  if (direct->crossing_count > 0 || direct->end_ps > engine->now_ps ||
      is_recorded(engine, class_index)) {
    return false;
  }
  direct->start_ps = engine->now_ps;
  direct->end_ps =
      engine->now_ps + (direct->rate == SIMULATOR_FULL_RATE
                            ? step->send_ps
                            : simulator_network_alone(step->send_ps, direct->rate));
  direct->instance = index;
  direct->step = run->step;
  run->sent_ps = direct->end_ps;
  simulator_network_direct(&engine->network, link, engine->now_ps);
  const int32_t target = run_plan->target_steps[run->step];
  simulator_queue_push(
      &engine->queue,
      simulator_received_ps(&run_plan->shape->steps[target], direct->start_ps,
                            direct->end_ps, engine->options->spec->ici_hop_ps),
      (simulator_queue_event_t){
          .kind = SIMULATOR_DIRECT, .a = index, .b = direct->peer_class, .c = target});
  return true;
}

void simulator_direct_yield(simulator_engine_t *engine, int32_t link) {
  simulator_direct_t *direct = &engine->network.direct[link];
  if (direct->end_ps <= engine->now_ps) {
    return;
  }
  const simulator_instance_t *instance = &engine->instances.items[direct->instance];
  const simulator_run_plan_t *run_plan = &engine->run_plans[instance->plan];
  const simulator_shape_t *shape = run_plan->shape;
  const simulator_step_t *step = &shape->steps[direct->step];
  const int32_t class_index = link / SIMULATOR_CHANNELS;
  simulator_lane_run_t *run =
      &instance->lanes[class_index * shape->lane_count + step->lane];
  uint8_t *received = &instance->received[direct->peer_class * shape->step_count +
                                          run_plan->target_steps[direct->step]];
  POD_CHECK(run->sent_ps == direct->end_ps && *received == SIMULATOR_NOT_RECEIVED);
  run->sent_ps = 0;
  *received = SIMULATOR_ARRIVAL_OFF;
  simulator_flow_t flow = {.full_ps = step->send_ps,
                           .bytes = step->send_bytes,
                           .is_counted = true,
                           .instance = direct->instance,
                           .class_index = class_index,
                           .step = direct->step};
  flow.route = simulator_route(engine, &run_plan->members[class_index], class_index,
                               step->send_peer, &flow.owns_route);
  simulator_network_resume(&engine->network, link, &flow, engine->now_ps);
}

void simulator_direct_arrive(simulator_engine_t *engine, int32_t instance,
                             int32_t class_index, int32_t step) {
  const simulator_instance_t *at = &engine->instances.items[instance];
  const simulator_shape_t *shape = engine->run_plans[at->plan].shape;
  uint8_t *received = &at->received[class_index * shape->step_count + step];
  if (*received == SIMULATOR_ARRIVAL_OFF) {
    *received = SIMULATOR_NOT_RECEIVED;  // It arrives later, by another event.
    return;
  }
  simulator_transfers_received(engine, instance, class_index, step);
}

void simulator_direct_expect(const simulator_engine_t *engine,
                             const simulator_queue_event_t *event) {
  if (event->kind == SIMULATOR_FLOW_END) {
    const simulator_flow_t *flow = &engine->network.flows.items[event->a];
    __builtin_prefetch(flow, 1);
    __builtin_prefetch(&flow->class_index, 1);
    return;
  }
  if (event->kind != SIMULATOR_DIRECT && event->kind != SIMULATOR_RECEIVED) {
    return;
  }
  const simulator_instance_t *instance = &engine->instances.items[event->a];
  const simulator_run_plan_t *run_plan = &engine->run_plans[instance->plan];
  const simulator_shape_t *shape = run_plan->shape;
  if (shape == NULL) {
    return;
  }
  const int32_t class_index = event->b;
  __builtin_prefetch(&instance->received[class_index * shape->step_count + event->c], 1);
  const simulator_step_t *step = &shape->steps[event->c];
  __builtin_prefetch(&instance->lanes[class_index * shape->lane_count + step->lane], 1);
  __builtin_prefetch(&engine->network.any[class_index], 1);
  // It goes on with the step behind, over the same link unless the axis ends.
  const int32_t next = event->c + 1 < shape->step_count ? event->c + 1 : event->c;
  const int32_t peer = shape->steps[next].send_peer;
  if (peer >= 0) {
    const int32_t link = class_index * SIMULATOR_CHANNELS + run_plan->directions[peer];
    __builtin_prefetch(&engine->network.direct[link], 1);
    __builtin_prefetch((const char *)&engine->network.direct[link + 1] - 1, 1);
  }
}

void simulator_direct_done(simulator_engine_t *engine, int32_t index,
                           int32_t class_index) {
  const simulator_instance_t *instance = &engine->instances.items[index];
  const simulator_run_plan_t *run_plan = &engine->run_plans[instance->plan];
  for (int d = 0; d < TORUS_DIRECTIONS; d++) {
    simulator_channel_t *channel =
        &engine->network.channels[class_index * SIMULATOR_CHANNELS + d];
    channel->bytes += run_plan->sent[d].bytes;
    channel->messages += run_plan->sent[d].messages;
  }
  simulator_total(engine, class_index, instance->task)->ici_bytes += run_plan->sent_bytes;
}
