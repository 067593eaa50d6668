// Who sends to whom: the receivers' steps of the messages, and the links they take.

#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/list.h"
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
  int32_t twin;                               // Of the plan at hand.
  POD_LIST(const simulator_shape_t *) peers;  // Of the member at hand.
} linker_t;

enum { LINK_BUCKETS = 1024 };

static uint32_t bucket_of(const simulator_shape_t *shape,
                          const simulator_shape_t **peers) {
  uint64_t hash = shape->hash;
  for (int32_t i = 0; i < shape->peer_count; i++) {
    hash = simulator_mix(hash, peers[i]->hash);
  }
  return (uint32_t)hash % LINK_BUCKETS;
}

// The peers' classes and routes have places; those of the twin, where peers are the same.
static void make_peers(const linker_t *linker, int32_t class_index,
                       simulator_member_t *member) {
  const simulator_engine_t *engine = linker->engine;
  const simulator_member_t *twin =
      linker->twin < 0 ? NULL : &engine->run_plans[linker->twin].members[class_index];
  if (twin != NULL && simulator_shape_has_peers_of(twin->shape, member->shape)) {
    member->peer_classes = twin->peer_classes;
    member->routes = twin->routes;
    member->shares_peers = true;
    return;
  }
  const size_t count = (size_t)member->shape->peer_count + 1;
  member->peer_classes =
      pod_arena_array(engine->arena, count, sizeof(*member->peer_classes));
  if (member->shape->peer_count <= SIMULATOR_ROUTES_MAX) {
    member->routes = pod_arena_array(engine->arena, count, sizeof(*member->routes));
  }
}

// An earlier plan in which the first class has the same peers, or -1.
static int32_t find_twin(const simulator_engine_t *engine, int32_t plan) {
  const int32_t chip = engine->classes.representatives[0];
  for (int32_t i = 0; i < plan && engine->running_count > 0; i++) {
    if (simulator_shape_has_peers_of(simulator_plans_shape(&engine->plans, i, chip),
                                     simulator_plans_shape(&engine->plans, plan, chip))) {
      return i;
    }
  }
  return -1;
}

static pod_status_t link_member(linker_t *linker, int32_t plan, int32_t class_index,
                                simulator_member_t *member) {
  simulator_engine_t *engine = linker->engine;
  const int32_t chip = engine->classes.representatives[class_index];
  const simulator_shape_t *shape = simulator_plans_shape(&engine->plans, plan, chip);
  const size_t peer_count = (size_t)shape->peer_count;
  member->shape = shape;
  make_peers(linker, class_index, member);
  pod_list_clear(&linker->peers);
  for (int32_t i = 0; i < shape->peer_count; i++) {
    const int32_t peer = simulator_displaced(engine->plans.torus, chip, shape->peers[i]);
    if (peer < 0 || !engine->plans.runs[peer]) {
      return pod_error(POD_INVALID_ARGUMENT,
                       "chip %d sends to a chip that does not run the program", chip);
    }
    member->peer_classes[i] = engine->classes.class_of_chip[peer];
    *pod_list_add(&linker->peers) = simulator_plans_shape(&engine->plans, plan, peer);
  }
  link_entry_t **bucket = &linker->buckets[bucket_of(shape, linker->peers.items)];
  for (const link_entry_t *entry = *bucket; entry != NULL; entry = entry->next) {
    if (same_peers(entry, shape, linker->peers.items)) {
      member->target_steps = entry->target_steps;
      return NULL;
    }
  }
  link_entry_t *entry = pod_arena_alloc(engine->arena, sizeof(*entry));
  entry->shape = shape;
  entry->peers = pod_arena_copy(engine->arena, linker->peers.items,
                                peer_count * sizeof(*linker->peers.items));
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
  linker->twin = find_twin(engine, plan);
  POD_TRY(simulator_check_wanted(engine));
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
    if (member->shape->step_count > run_plan->steps_max) {
      run_plan->steps_max = member->shape->step_count;
    }
  }
  return NULL;
}

// --- Routes ---

static simulator_route_t *make_route(const simulator_engine_t *engine,
                                     int32_t class_index,
                                     simulator_displacement_t displacement) {
  const torus_t *torus = engine->plans.torus;
  const chip_spec_t *spec = engine->plans.spec;
  const int32_t from = engine->classes.representatives[class_index];
  const int32_t to = simulator_displaced(torus, from, displacement);
  // Between slices: out of a host and into one.
  const size_t hops = (size_t)torus_distance(torus, from, to) + 1;
  simulator_route_t *route = pod_alloc(sizeof(*route) + hops * sizeof(route->hops[0]));
  route->latency_ps = simulator_latency_ps(torus, spec, from, to);
  simulator_way_t way = simulator_way(torus, spec, from, to);
  simulator_crossing_t at;
  while (simulator_way_next(&way, &at)) {
    const int32_t crossed = engine->classes.class_of_chip[at.chip];
    const int32_t seen_from = engine->classes.representatives[crossed];
    simulator_hop_t *hop = &route->hops[route->hop_count++];
    hop->link = crossed * SIMULATOR_CHANNELS + at.channel;
    hop->from = simulator_displaced(torus, seen_from,
                                    simulator_displacement(torus, at.chip, from));
    hop->to =
        simulator_displaced(torus, seen_from, simulator_displacement(torus, at.chip, to));
  }
  return route;
}

simulator_route_t *simulator_route(const simulator_engine_t *engine,
                                   simulator_member_t *member, int32_t class_index,
                                   int32_t peer, bool *out_is_owned) {
  *out_is_owned = member->routes == NULL;
  if (member->routes != NULL && member->routes[peer] != NULL) {
    return member->routes[peer];
  }
  simulator_route_t *route = make_route(engine, class_index, member->shape->peers[peer]);
  if (member->routes != NULL) {
    member->routes[peer] = route;
  }
  return route;
}

// --- Links of one's own ---

static void free_if(simulator_route_t *route, bool is_owned) {
  if (is_owned) {
    free(route);
  }
}

static bool is_own(int32_t link, int32_t class_index) {
  return link / SIMULATOR_CHANNELS == class_index &&
         link % SIMULATOR_CHANNELS < TORUS_DIRECTIONS;
}

// Marks the links that messages of others pass. False: there are messages between chips
// that are not neighbours.
static bool mark_passed(const simulator_engine_t *engine, simulator_member_t *member,
                        int32_t class_index, bool *links) {
  bool has_neighbours_only = true;
  for (int32_t i = 0; i < member->shape->peer_count; i++) {
    bool is_owned;
    simulator_route_t *route = simulator_route(engine, member, class_index, i, &is_owned);
    for (int32_t hop = 0; hop < route->hop_count; hop++) {
      const int32_t link = route->hops[hop].link;
      links[link] |= hop > 0 || !is_own(link, class_index);
    }
    has_neighbours_only &= route->hop_count == 1;
    free_if(route, is_owned);
  }
  return has_neighbours_only;
}

// False: one of its links is passed by others, or it has more lanes than dataflow takes.
static bool keep_links(const simulator_engine_t *engine, simulator_member_t *member,
                       int32_t class_index, const bool *passed) {
  if (member->shape->lane_count > SIMULATOR_FLOW_LANES_MAX) {
    return false;
  }
  member->peer_links = pod_arena_array(
      engine->arena, (size_t)member->shape->peer_count + 1, sizeof(int32_t));
  for (int32_t i = 0; i < member->shape->peer_count; i++) {
    bool is_owned;
    simulator_route_t *route = simulator_route(engine, member, class_index, i, &is_owned);
    member->peer_links[i] = route->hops[0].link;
    free_if(route, is_owned);
    if (passed[member->peer_links[i]]) {
      return false;
    }
  }
  return true;
}

// Finds the plans whose messages have no link in common with messages of other chips.
static void find_own_links(simulator_engine_t *engine) {
  bool *passed = pod_alloc((size_t)engine->classes.class_count * SIMULATOR_CHANNELS);
  for (int32_t plan = 0; plan < engine->plans.plan_count; plan++) {
    simulator_run_plan_t *run_plan = &engine->run_plans[plan];
    run_plan->has_own_links = true;
    for (int32_t i = 0; i < engine->running_count; i++) {
      run_plan->has_own_links &= mark_passed(engine, &run_plan->members[i], i, passed);
    }
  }
  for (int32_t plan = 0; plan < engine->plans.plan_count; plan++) {
    simulator_run_plan_t *run_plan = &engine->run_plans[plan];
    for (int32_t i = 0; i < engine->running_count && run_plan->has_own_links; i++) {
      run_plan->has_own_links = keep_links(engine, &run_plan->members[i], i, passed);
    }
  }
  free(passed);
}

pod_status_t simulator_routes_init(simulator_engine_t *engine) {
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
  pod_list_deinit(&linker.peers);
  if (status == NULL) {
    find_own_links(engine);
  }
  return status;
}

void simulator_routes_deinit(simulator_engine_t *engine) {
  for (int32_t plan = 0; engine->run_plans != NULL && plan < engine->plans.plan_count;
       plan++) {
    const simulator_member_t *members = engine->run_plans[plan].members;
    for (int32_t i = 0; members != NULL && i < engine->running_count; i++) {
      const simulator_member_t *member = &members[i];
      const bool has_routes = member->routes != NULL && !member->shares_peers;
      for (int32_t p = 0; has_routes && p < member->shape->peer_count; p++) {
        free(member->routes[p]);
      }
    }
  }
}
