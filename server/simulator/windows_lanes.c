// The lanes of collectives by windows: as in transfers.c, but that a lane knows by itself
// when its step is done.

#include <string.h>

#include "server/simulator/windows.h"

static const simulator_run_plan_t *plan_of(const simulator_engine_t *engine,
                                           int32_t instance) {
  return &engine->run_plans[engine->instances.items[instance].plan];
}

static simulator_window_lane_t *lane_of(const simulator_engine_t *engine,
                                        int32_t instance, int32_t class_index,
                                        int32_t lane) {
  const int32_t lanes = plan_of(engine, instance)->shape->lane_count;
  return &engine->instances.items[instance].window_lanes[class_index * lanes + lane];
}

// --- Steps ---

// Whether the class has begun; otherwise *out_begin_ps is when it will, if that is known.
static bool has_begun(const simulator_engine_t *engine,
                      const simulator_instance_t *instance, int32_t class_index,
                      int64_t *out_begin_ps) {
  if (instance->begun_count == engine->running_count &&
      instance->last_begin_ps <= engine->now_ps) {
    return true;
  }
  *out_begin_ps = instance->classes[class_index].begin_ps;
  return *out_begin_ps <= engine->now_ps;
}

// What has come before the lane came to the step.
static void take_early(simulator_instance_t *instance, const simulator_shape_t *shape,
                       int32_t class_index, simulator_window_lane_t *lane) {
  if (lane->early == 0) {
    return;
  }
  int64_t *early = &instance->arrivals[class_index * shape->step_count + lane->step];
  if (*early != 0 && lane->early < UINT16_MAX) {
    lane->early--;
  }
  lane->arrival = *early;
  *early = 0;
}

// False: the receiver has not begun. The lane goes on when it does.
static bool start_step(simulator_engine_t *engine, int32_t index, int32_t class_index,
                       int32_t lane_index, simulator_window_lane_t *lane) {
  simulator_instance_t *instance = &engine->instances.items[index];
  const simulator_run_plan_t *plan = &engine->run_plans[instance->plan];
  const simulator_step_t *step = &plan->shape->steps[lane->step];
  if (step->is_local) {
    lane->sent_ps =
        engine->now_ps + simulator_scaled(&engine->cores[class_index], step->local_ps);
  } else if (step->send_peer < 0) {
    lane->sent_ps = engine->now_ps;
  } else {
    const int32_t link =
        class_index * TORUS_DIRECTIONS + plan->directions[step->send_peer];
    const int32_t peer = engine->windows->links[link].peer_class;
    if (!has_begun(engine, instance, peer, &lane->next_ps)) {
      if (lane->next_ps == WINDOWS_NEVER_PS) {
        *pod_list_add(&instance->pending) = (simulator_pending_t){
            class_index, lane_index, instance->classes[peer].first_pending};
        instance->classes[peer].first_pending = instance->pending.count - 1;
      }
      return false;
    }
    windows_link_start(engine, index, class_index, lane_index);
  }
  lane->is_started = true;
  take_early(instance, plan->shape, class_index, lane);
  lane->next_ps = windows_lane_next_ps(plan->shape, lane);
  return true;
}

// False: what has arrived is not sure yet, since its sender has not got there.
static bool finish_step(simulator_engine_t *engine, const simulator_instance_t *instance,
                        int32_t class_index, simulator_window_lane_t *lane) {
  simulator_windows_t *windows = engine->windows;
  const simulator_run_plan_t *plan = &engine->run_plans[instance->plan];
  const simulator_step_t *step = &plan->shape->steps[lane->step];
  if (step->receive_peer >= 0) {
    const int64_t arrival_ps = windows_arrival_ps(lane->arrival);
    if ((lane->arrival & 1) != 0 && arrival_ps > windows->start_ps) {
      const int32_t link =
          class_index * TORUS_DIRECTIONS + plan->directions[step->receive_peer];
      const int32_t sender = windows->links[link].peer_class;
      if (windows->next_ps[sender] < arrival_ps ||
          !windows_nothing_comes_before(windows, sender, arrival_ps)) {
        windows->is_blocked = true;
        return false;
      }
    }
    lane->arrival = 0;
  }
  lane->step++;
  lane->is_started = false;
  return true;
}

// --- Lanes ---

static bool may_start(const simulator_engine_t *engine, int32_t instance,
                      int32_t class_index, int32_t lane) {
  const simulator_shape_t *shape = plan_of(engine, instance)->shape;
  for (int i = 0; i < COLLECTIVE_AFTER_MAX; i++) {
    const int32_t after = shape->lanes[lane].after[i];
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
  const simulator_shape_t *shape = plan_of(engine, instance)->shape;
  for (int32_t i = 0; i < shape->lane_count; i++) {
    simulator_window_lane_t *lane = lane_of(engine, instance, class_index, i);
    if (lane->state == SIMULATOR_LANE_WAITING &&
        may_start(engine, instance, class_index, i)) {
      lane->state = SIMULATOR_LANE_RUNNING;
      lane->step = shape->lanes[i].first_step;
      windows_advance(engine, instance, class_index, i);
    }
  }
}

void windows_part_done(simulator_engine_t *engine, int32_t instance,
                       int32_t class_index) {
  windows_chip_t *chip = &engine->windows->chips[class_index];
  if (engine->instances.items[instance].classes[class_index].parts_left == 1) {
    int32_t kept = 0;
    for (int32_t i = 0; i < chip->active.count; i++) {
      chip->active.items[kept] = chip->active.items[i];
      kept += chip->active.items[i] != instance;
    }
    chip->active.count = kept;
  }
  simulator_transfers_part_done(engine, instance, class_index);
}

// The lane counts as a part until those that waited for it have been started.
static void lane_done(simulator_engine_t *engine, int32_t instance, int32_t class_index,
                      simulator_window_lane_t *lane) {
  lane->state = SIMULATOR_LANE_DONE;
  lane->next_ps = WINDOWS_NEVER_PS;
  if (plan_of(engine, instance)->shape->has_after) {
    start_lanes(engine, instance, class_index);
  }
  windows_part_done(engine, instance, class_index);
}

void windows_advance(simulator_engine_t *engine, int32_t index, int32_t class_index,
                     int32_t lane_index) {
  const simulator_lane_t *range = &plan_of(engine, index)->shape->lanes[lane_index];
  const simulator_instance_t *instance = &engine->instances.items[index];
  simulator_window_lane_t *lane = lane_of(engine, index, class_index, lane_index);
  const int32_t end = range->first_step + range->step_count;
  while (lane->step < end) {
    if (!lane->is_started && !start_step(engine, index, class_index, lane_index, lane)) {
      return;
    }
    if (lane->next_ps > engine->now_ps ||
        !finish_step(engine, instance, class_index, lane)) {
      return;
    }
  }
  lane_done(engine, index, class_index, lane);
}

void windows_begin(simulator_engine_t *engine, int32_t index, int32_t class_index) {
  simulator_instance_t *instance = &engine->instances.items[index];
  const simulator_shape_t *shape = engine->run_plans[instance->plan].shape;
  simulator_class_run_t *run = &instance->classes[class_index];
  run->has_begun = true;
  run->parts_left = shape->lane_count + 1;
  instance->begun_count++;
  if (engine->now_ps > instance->last_begin_ps) {
    instance->last_begin_ps = engine->now_ps;
  }
  *pod_list_add(&engine->windows->chips[class_index].active) = index;
  simulator_schedule(
      engine,
      engine->now_ps + simulator_scaled(&engine->cores[class_index], shape->hbm_ps),
      (simulator_queue_event_t){.kind = SIMULATOR_COPIES, .a = index, .b = class_index});
  start_lanes(engine, index, class_index);
}

void simulator_windows_arrive(simulator_engine_t *engine, int32_t index,
                              int32_t class_index, int64_t begin_ps) {
  simulator_instance_t *instance = &engine->instances.items[index];
  simulator_class_run_t *run = &instance->classes[class_index];
  run->begin_ps = begin_ps;
  for (int32_t i = run->first_pending; i >= 0; i = instance->pending.items[i].next) {
    const simulator_pending_t *pending = &instance->pending.items[i];
    lane_of(engine, index, pending->class_index, pending->lane)->next_ps = begin_ps;
    windows_wake(engine->windows, pending->class_index, begin_ps);
  }
  run->first_pending = -1;
}
