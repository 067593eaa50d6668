// The links by windows. A message that is alone on its link tells its receiver when it
// starts when it will have arrived, and takes that back when another one joins it. Those
// that share a link tell when they end.

#include <string.h>

#include "server/simulator/windows.h"

static simulator_window_lane_t *lane_of(const simulator_engine_t *engine,
                                        int32_t instance, int32_t class_index,
                                        int32_t lane) {
  const simulator_instance_t *of = &engine->instances.items[instance];
  const int32_t lanes = engine->run_plans[of->plan].shape->lane_count;
  return &of->window_lanes[class_index * lanes + lane];
}

static simulator_any_t *any_of(const simulator_engine_t *engine, int32_t link) {
  return &engine->network.any[link / TORUS_DIRECTIONS];
}

// --- At the receiver ---

typedef struct target_t {
  int64_t *early;
  const simulator_step_t *step;
  simulator_window_lane_t *lane;
  bool is_waited_for;  // The lane is at the step, and has started it.
} target_t;

// Where the message of a lane's step on a link arrives.
static target_t target_of(const simulator_engine_t *engine, int32_t link,
                          int32_t instance, int32_t lane_index) {
  const simulator_instance_t *of = &engine->instances.items[instance];
  const simulator_run_plan_t *plan = &engine->run_plans[of->plan];
  const simulator_shape_t *shape = plan->shape;
  const int32_t receiver = engine->windows->links[link].peer_class;
  const int32_t step =
      plan->target_steps[lane_of(engine, instance, link / TORUS_DIRECTIONS, lane_index)
                             ->step];
  simulator_window_lane_t *lane =
      &of->window_lanes[receiver * shape->lane_count + shape->steps[step].lane];
  return (target_t){.early = &of->arrivals[receiver * shape->step_count + step],
                    .step = &shape->steps[step],
                    .lane = lane,
                    .is_waited_for = lane->is_started && lane->step == step};
}

// The receiver will have it, if nothing joins it on its link.
static void promise(simulator_engine_t *engine, int32_t link, int32_t instance,
                    int32_t lane, int64_t start_ps, int64_t end_ps) {
  const int64_t hop_ps = engine->options->spec->ici_hop_ps;
  const target_t target = target_of(engine, link, instance, lane);
  const int64_t arrival_ps = simulator_received_ps(target.step, start_ps, end_ps, hop_ps);
  const int64_t arrival = arrival_ps << 1 | (end_ps > arrival_ps - hop_ps);
  if (!target.is_waited_for) {
    *target.early = arrival;
    if (target.lane->early < UINT16_MAX) {
      target.lane->early++;
    }
    return;
  }
  target.lane->arrival = arrival;
  if (target.lane->sent_ps != WINDOWS_NEVER_PS) {
    target.lane->next_ps =
        arrival_ps > target.lane->sent_ps ? arrival_ps : target.lane->sent_ps;
    windows_wake(engine->windows, engine->windows->links[link].peer_class,
                 target.lane->next_ps);
  }
}

static void take_back(simulator_engine_t *engine, int32_t link, int32_t instance,
                      int32_t lane) {
  const target_t target = target_of(engine, link, instance, lane);
  if (target.is_waited_for) {
    target.lane->arrival = 0;
    target.lane->next_ps = WINDOWS_NEVER_PS;
  } else {
    *target.early = 0;
    if (target.lane->early < UINT16_MAX) {
      target.lane->early--;
    }
  }
}

// --- Sharing ---

// The lane's message has left, or will have at a time that is known now.
static void leave(simulator_engine_t *engine, int32_t link, const windows_user_t *user,
                  int64_t end_ps) {
  const int32_t class_index = link / TORUS_DIRECTIONS;
  simulator_window_lane_t *lane =
      lane_of(engine, user->instance, class_index, user->lane);
  const simulator_instance_t *instance = &engine->instances.items[user->instance];
  promise(engine, link, user->instance, user->lane, user->start_ps, end_ps);
  lane->sent_ps = end_ps;
  lane->next_ps = windows_lane_next_ps(engine->run_plans[instance->plan].shape, lane);
}

static int64_t share_of(int64_t rate, int32_t count) {
  return rate / count > 0 ? rate / count : 1;
}

static int64_t end_of(const simulator_engine_t *engine, simulator_work_t left,
                      int64_t share) {
  const simulator_work_t by = (simulator_work_t)(uint64_t)share;
  const simulator_work_t time_ps = (left + by - 1) / by;
  const int64_t most_ps = WINDOWS_NEVER_PS / 4;
  return time_ps > (simulator_work_t)(uint64_t)(most_ps - engine->now_ps)
             ? most_ps
             : engine->now_ps + (int64_t)time_ps;
}

// Settles what has been done up to now; what is through leaves.
static void settle(simulator_engine_t *engine, int32_t link) {
  windows_share_t *share = &engine->windows->shares[link];
  const int64_t rate = share_of(engine->windows->links[link].rate, share->users.count);
  const simulator_work_t done =
      (simulator_work_t)(uint64_t)rate *
      (simulator_work_t)(uint64_t)(engine->now_ps - share->settled_ps);
  share->settled_ps = engine->now_ps;
  int32_t kept = 0;
  for (int32_t i = 0; i < share->users.count; i++) {
    windows_user_t user = share->users.items[i];
    if (user.left <= done) {
      leave(engine, link, &user, engine->now_ps);
      continue;
    }
    user.left -= done;
    share->users.items[kept++] = user;
  }
  share->users.count = kept;
}

static void mark_shared(simulator_engine_t *engine, int32_t link, bool is_shared) {
  simulator_windows_t *windows = engine->windows;
  const uint32_t bit = 1U << (link % TORUS_DIRECTIONS);
  uint32_t *out = &windows->chips[link / TORUS_DIRECTIONS].shared;
  uint32_t *in = &windows->incoming[windows->links[link].peer_class];
  *out = is_shared ? *out | bit : *out & ~bit;
  *in = is_shared ? *in | bit : *in & ~bit;
}

static void find_direct_end(simulator_engine_t *engine, int32_t class_index) {
  simulator_any_t *any = &engine->network.any[class_index];
  any->direct_ps = engine->now_ps;
  for (int32_t d = 0; d < TORUS_DIRECTIONS; d++) {
    const windows_link_t *link =
        &engine->windows->links[class_index * TORUS_DIRECTIONS + d];
    if (link->count == 1 && link->end_ps > any->direct_ps) {
      any->direct_ps = link->end_ps;
    }
  }
}

// The only message of a link becomes the first of several.
static void start_sharing(simulator_engine_t *engine, int32_t link_index) {
  windows_link_t *link = &engine->windows->links[link_index];
  windows_share_t *share = &engine->windows->shares[link_index];
  const int32_t class_index = link_index / TORUS_DIRECTIONS;
  simulator_window_lane_t *lane =
      lane_of(engine, link->instance, class_index, link->lane);
  if (!link->has_shared) {
    const simulator_instance_t *instance = &engine->instances.items[link->instance];
    const simulator_step_t *step =
        &engine->run_plans[instance->plan].shape->steps[lane->step];
    share->users.count = 0;
    *pod_list_add(&share->users) =
        (windows_user_t){.left = (simulator_work_t)(uint64_t)step->send_ps *
                                 (simulator_work_t)(uint64_t)SIMULATOR_FULL_RATE,
                         .start_ps = link->start_ps,
                         .instance = link->instance,
                         .lane = link->lane};
    share->settled_ps = link->start_ps;
  }
  take_back(engine, link_index, link->instance, link->lane);
  lane->sent_ps = WINDOWS_NEVER_PS;
  lane->next_ps = WINDOWS_NEVER_PS;
  simulator_network_bring_any(any_of(engine, link_index), engine->now_ps);
  any_of(engine, link_index)->busy_links++;
  link->count = 2;
  find_direct_end(engine, class_index);
  mark_shared(engine, link_index, true);
}

static void stop_sharing(simulator_engine_t *engine, int32_t link_index) {
  simulator_any_t *any = any_of(engine, link_index);
  simulator_network_bring_any(any, engine->now_ps);
  any->busy_links--;
  mark_shared(engine, link_index, false);
}

// What is left shares anew.
static void share_anew(simulator_engine_t *engine, int32_t link_index) {
  windows_link_t *link = &engine->windows->links[link_index];
  const windows_share_t *share = &engine->windows->shares[link_index];
  link->count = share->users.count;
  if (share->users.count == 0) {
    link->busy_ps += engine->now_ps - link->busy_since_ps;
    stop_sharing(engine, link_index);
    return;
  }
  simulator_work_t least = share->users.items[0].left;
  for (int32_t i = 1; i < share->users.count; i++) {
    least = share->users.items[i].left < least ? share->users.items[i].left : least;
  }
  link->end_ps = end_of(engine, least, share_of(link->rate, share->users.count));
  if (share->users.count == 1) {
    const windows_user_t *last = &share->users.items[0];
    stop_sharing(engine, link_index);
    any_of(engine, link_index)->direct_ps =
        link->end_ps > any_of(engine, link_index)->direct_ps
            ? link->end_ps
            : any_of(engine, link_index)->direct_ps;
    link->start_ps = last->start_ps;
    link->instance = last->instance;
    link->lane = last->lane;
    link->has_shared = true;
    leave(engine, link_index, last, link->end_ps);
  }
}

void windows_link_end(simulator_engine_t *engine, int32_t link) {
  settle(engine, link);
  share_anew(engine, link);
}

static void join(simulator_engine_t *engine, int32_t link_index, int32_t instance,
                 int32_t lane_index, simulator_window_lane_t *lane, int64_t full_ps) {
  if (engine->windows->links[link_index].count == 1) {
    start_sharing(engine, link_index);
  }
  settle(engine, link_index);
  *pod_list_add(&engine->windows->shares[link_index].users) =
      (windows_user_t){.left = (simulator_work_t)(uint64_t)full_ps *
                               (simulator_work_t)(uint64_t)SIMULATOR_FULL_RATE,
                       .start_ps = engine->now_ps,
                       .instance = instance,
                       .lane = lane_index};
  lane->sent_ps = WINDOWS_NEVER_PS;
  share_anew(engine, link_index);
}

// --- Alone ---

void windows_link_start(simulator_engine_t *engine, int32_t index, int32_t class_index,
                        int32_t lane_index) {
  const simulator_instance_t *instance = &engine->instances.items[index];
  const simulator_run_plan_t *plan = &engine->run_plans[instance->plan];
  simulator_window_lane_t *lane = lane_of(engine, index, class_index, lane_index);
  const simulator_step_t *step = &plan->shape->steps[lane->step];
  const int32_t link_index =
      class_index * TORUS_DIRECTIONS + plan->directions[step->send_peer];
  windows_link_t *link = &engine->windows->links[link_index];
  engine->steps++;
  if (link->count == 1 && link->end_ps <= engine->now_ps) {
    link->busy_ps += link->end_ps - link->busy_since_ps;
    link->count = 0;
  }
  if (link->count == 0) {
    link->busy_since_ps = engine->now_ps;
  } else {
    join(engine, link_index, index, lane_index, lane, step->send_ps);
    return;
  }
  link->count = 1;
  link->has_shared = false;
  link->instance = index;
  link->lane = lane_index;
  link->start_ps = engine->now_ps;
  link->end_ps =
      engine->now_ps + (link->rate == SIMULATOR_FULL_RATE
                            ? step->send_ps
                            : simulator_network_alone(step->send_ps, link->rate));
  lane->sent_ps = link->end_ps;
  simulator_any_t *any = any_of(engine, link_index);
  simulator_network_bring_any(any, engine->now_ps);
  any->direct_ps = link->end_ps > any->direct_ps ? link->end_ps : any->direct_ps;
  promise(engine, link_index, index, lane_index, link->start_ps, link->end_ps);
}
