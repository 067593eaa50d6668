// A collective whose messages find their links free needs no events: when a step ends
// follows from when the steps before it ended, here and at the peers. Lanes run as far as
// what they know allows, and wake the lanes that wait for what they send.
//
// Messages over one link must not overlap. If two may, what has been done is forgotten,
// and the events take over.

#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "server/simulator/engine.h"

enum {
  UNKNOWN = -1,
  // How far a sender may be ahead of its receiver, in steps.
  WINDOW = 16,
  // Stretches of time that are kept apart until it is clear what lies between.
  STRETCHES_MAX = 32,
};

typedef struct lane_t {
  int64_t ready_ps;  // When it came to its step; when it ended.
  int64_t sent_ps;   // When the step's message has left.
  int32_t step;
  bool has_started, has_ended, has_begun_step, is_queued;
  int64_t arrivals[WINDOW];  // By step, modulo; UNKNOWN: not yet.
} lane_t;

// What a collective adds to the links of a class.
typedef struct account_t {
  simulator_link_t links[SIMULATOR_CHANNELS];
  int64_t free_ps[SIMULATOR_CHANNELS];  // When the last message has left.
  int64_t sent_bytes, messages;
  // When any link was busy: apart and in order; what is settled is in any_ps.
  int64_t any_ps;
  int32_t stretch_count;
  simulator_stretch_t stretches[STRETCHES_MAX];
  simulator_log_counts_t before;
} account_t;

struct simulator_dataflow_t {
  size_t lane_capacity, class_capacity;
  lane_t *lanes;        // As in the instance.
  int32_t *queue;       // Lanes, round and round.
  int32_t *classes;     // By lane.
  int64_t *ends_ps;     // By class.
  account_t *accounts;  // By class.
  int32_t queue_first, queue_count, queue_size;
};

// The collective at hand.
typedef struct run_t {
  simulator_engine_t *engine;
  simulator_dataflow_t *flow;
  const simulator_run_plan_t *plan;
  int32_t instance, task, class_count;
  int32_t lanes_left;
  bool is_given_up;
} run_t;

void simulator_dataflow_destroy(simulator_dataflow_t *dataflow) {
  if (dataflow == NULL) {
    return;
  }
  free(dataflow->lanes);
  free(dataflow->queue);
  free(dataflow->classes);
  free(dataflow->ends_ps);
  free(dataflow->accounts);
  free(dataflow);
}

static void make_room(simulator_dataflow_t *flow, const simulator_run_plan_t *plan,
                      int32_t class_count) {
  const size_t lanes = (size_t)plan->lane_total + 1;
  const size_t classes = (size_t)class_count;
  if (lanes > flow->lane_capacity) {
    flow->lane_capacity = lanes;
    flow->lanes = pod_grow(flow->lanes, lanes, sizeof(*flow->lanes));
    flow->queue = pod_grow(flow->queue, lanes, sizeof(*flow->queue));
    flow->classes = pod_grow(flow->classes, lanes, sizeof(*flow->classes));
  }
  if (classes > flow->class_capacity) {
    flow->class_capacity = classes;
    flow->ends_ps = pod_grow(flow->ends_ps, classes, sizeof(*flow->ends_ps));
    flow->accounts = pod_grow(flow->accounts, classes, sizeof(*flow->accounts));
  }
}

// --- Links ---

// No message of the class begins before this any more.
static int64_t frontier_of(const run_t *run, int32_t class_index) {
  const simulator_member_t *member = &run->plan->members[class_index];
  const lane_t *lanes = &run->flow->lanes[member->lane_offset];
  int64_t frontier_ps = INT64_MAX;
  for (int32_t i = 0; i < member->shape->lane_count; i++) {
    if (lanes[i].has_started && !lanes[i].has_ended && lanes[i].ready_ps < frontier_ps) {
      frontier_ps = lanes[i].ready_ps;
    }
  }
  return frontier_ps;
}

// Adds up the stretches that nothing can join any more, but for the last.
static void settle_stretches(account_t *account, int64_t frontier_ps) {
  int32_t settled = 0;
  while (settled < account->stretch_count - 1 &&
         account->stretches[settled].end_ps < frontier_ps) {
    account->any_ps +=
        account->stretches[settled].end_ps - account->stretches[settled].start_ps;
    settled++;
  }
  account->stretch_count -= settled;
  memmove(account->stretches, account->stretches + settled,
          (size_t)account->stretch_count * sizeof(account->stretches[0]));
}

// False: there are too many apart.
static bool add_stretch(run_t *run, int32_t class_index, account_t *account,
                        int64_t start_ps, int64_t end_ps) {
  simulator_stretch_t *stretches = account->stretches;
  int32_t at = account->stretch_count;
  while (at > 0 && stretches[at - 1].end_ps >= start_ps) {
    at--;
  }
  // From `at` on they end no earlier than this one starts: those that it touches are one.
  int32_t end = at;
  while (end < account->stretch_count && stretches[end].start_ps <= end_ps) {
    start_ps = stretches[end].start_ps < start_ps ? stretches[end].start_ps : start_ps;
    end_ps = stretches[end].end_ps > end_ps ? stretches[end].end_ps : end_ps;
    end++;
  }
  if (end > at) {
    stretches[at] = (simulator_stretch_t){start_ps, end_ps};
    memmove(&stretches[at + 1], &stretches[end],
            (size_t)(account->stretch_count - end) * sizeof(*stretches));
    account->stretch_count -= end - at - 1;
    return true;
  }
  if (account->stretch_count == STRETCHES_MAX) {
    settle_stretches(account, frontier_of(run, class_index));
    return account->stretch_count < STRETCHES_MAX &&
           add_stretch(run, class_index, account, start_ps, end_ps);
  }
  memmove(&stretches[at + 1], &stretches[at],
          (size_t)(account->stretch_count - at) * sizeof(*stretches));
  stretches[at] = (simulator_stretch_t){start_ps, end_ps};
  account->stretch_count++;
  return true;
}

static void record(run_t *run, int32_t class_index, const simulator_member_t *member,
                   const simulator_step_t *step, int64_t start_ps, int64_t end_ps) {
  simulator_engine_t *engine = run->engine;
  simulator_chip_t *chip = &engine->result->classes[class_index];
  if (chip->message_count >= engine->events_max) {
    chip->messages_dropped += engine->events_max > 0 ? 1 : 0;
    return;
  }
  const int32_t from = engine->classes.representatives[class_index];
  const simulator_message_t message = {
      .task = run->task,
      .from = from,
      .to = simulator_displaced(engine->plans.torus, from,
                                member->shape->peers[step->send_peer]),
      .channel = member->peer_links[step->send_peer] % SIMULATOR_CHANNELS,
      .start_ps = start_ps,
      .duration_ps = end_ps - start_ps,
      .size_bytes = step->send_bytes};
  simulator_record_message(engine, class_index, &message);
}

// A message of the class on one of its links. False: there may be another one on it.
static bool occupy(run_t *run, int32_t class_index, const simulator_member_t *member,
                   const simulator_step_t *step, int64_t start_ps, int64_t end_ps) {
  account_t *account = &run->flow->accounts[class_index];
  const int32_t direction = member->peer_links[step->send_peer] % SIMULATOR_CHANNELS;
  simulator_link_t *link = &account->links[direction];
  if (start_ps < account->free_ps[direction]) {
    return false;
  }
  account->free_ps[direction] = end_ps;
  link->bytes += step->send_bytes;
  link->busy_ps += end_ps - start_ps;
  link->messages++;
  account->sent_bytes += step->send_bytes;
  account->messages++;
  record(run, class_index, member, step, start_ps, end_ps);
  return add_stretch(run, class_index, account, start_ps, end_ps);
}

// --- Steps ---

static void enqueue(simulator_dataflow_t *flow, int32_t lane) {
  flow->lanes[lane].is_queued = true;
  int32_t at = flow->queue_first + flow->queue_count++;
  at -= at >= flow->queue_size ? flow->queue_size : 0;
  flow->queue[at] = lane;
}

static int32_t dequeue(simulator_dataflow_t *flow) {
  const int32_t lane = flow->queue[flow->queue_first];
  flow->queue_count--;
  flow->queue_first++;
  flow->queue_first -= flow->queue_first == flow->queue_size ? flow->queue_size : 0;
  flow->lanes[lane].is_queued = false;
  return lane;
}

static int64_t message_ps(const run_t *run, int32_t link, int64_t full_ps) {
  const int64_t rate = run->engine->network.channels[link].rate;
  return rate == SIMULATOR_FULL_RATE ? full_ps : simulator_network_alone(full_ps, rate);
}

// The message of a step leaves at the lane's time; its receiver may go on.
static void send(run_t *run, int32_t class_index, const simulator_member_t *member,
                 lane_t *lane, const simulator_step_t *step) {
  simulator_dataflow_t *flow = run->flow;
  const int32_t peer = member->peer_classes[step->send_peer];
  const int32_t target = member->target_steps[lane->step];
  lane->sent_ps = lane->ready_ps +
                  message_ps(run, member->peer_links[step->send_peer], step->send_ps);
  const int32_t receiver = run->plan->members[peer].lane_offset + step->lane;
  lane_t *receiving = &flow->lanes[receiver];
  if (target - receiving->step >= WINDOW ||
      !occupy(run, class_index, member, step, lane->ready_ps, lane->sent_ps)) {
    run->is_given_up = true;
    return;
  }
  receiving->arrivals[target % WINDOW] = simulator_received_ps(
      &run->plan->members[peer].shape->steps[target], lane->ready_ps, lane->sent_ps,
      run->engine->options->spec->ici_hop_ps);
  if (receiving->step == target && receiving->has_begun_step && !receiving->is_queued) {
    enqueue(flow, receiver);
  }
}

static bool has_arrived(const lane_t *lane, const simulator_step_t *step) {
  return step->receive_peer < 0 || lane->arrivals[lane->step % WINDOW] != UNKNOWN;
}

// Both halves of a transfer are known: the lane goes on when both are done.
static void finish_step(lane_t *lane, const simulator_step_t *step) {
  int64_t done_ps = lane->sent_ps;
  if (step->receive_peer >= 0) {
    int64_t *arrival_ps = &lane->arrivals[lane->step % WINDOW];
    done_ps = *arrival_ps > done_ps ? *arrival_ps : done_ps;
    *arrival_ps = UNKNOWN;
  }
  lane->ready_ps = done_ps;
  lane->has_begun_step = false;
  lane->step++;
}

// Starts the lanes of a class that wait for nothing any more.
static void start_lanes(run_t *run, int32_t class_index) {
  const simulator_member_t *member = &run->plan->members[class_index];
  lane_t *lanes = &run->flow->lanes[member->lane_offset];
  for (int32_t i = 0; i < member->shape->lane_count; i++) {
    if (lanes[i].has_started) {
      continue;
    }
    bool may_start = true;
    int64_t ready_ps = run->engine->now_ps;
    for (int a = 0; a < COLLECTIVE_AFTER_MAX; a++) {
      const int32_t after = member->shape->lanes[i].after[a];
      may_start &= after < 0 || lanes[after].has_ended;
      if (after >= 0 && lanes[after].ready_ps > ready_ps) {
        ready_ps = lanes[after].ready_ps;
      }
    }
    if (may_start) {
      lanes[i].has_started = true;
      lanes[i].ready_ps = ready_ps;
      enqueue(run->flow, member->lane_offset + i);
    }
  }
}

static void end_lane(run_t *run, int32_t class_index, lane_t *lane) {
  lane->has_ended = true;
  run->lanes_left--;
  if (lane->ready_ps > run->flow->ends_ps[class_index]) {
    run->flow->ends_ps[class_index] = lane->ready_ps;
  }
  if (run->plan->members[class_index].shape->has_after) {
    start_lanes(run, class_index);
  }
}

// Ends the transfer that a lane is at and begins the next. One at a time, so that all
// lanes go forward together.
static void run_lane(run_t *run, int32_t index) {
  lane_t *lane = &run->flow->lanes[index];
  const int32_t class_index = run->flow->classes[index];
  const simulator_member_t *member = &run->plan->members[class_index];
  const simulator_lane_t *range = &member->shape->lanes[index - member->lane_offset];
  const simulator_step_t *steps = member->shape->steps;
  const int32_t end = range->first_step + range->step_count;
  if (lane->has_begun_step) {
    finish_step(lane, &steps[lane->step]);
  }
  while (lane->step < end && steps[lane->step].is_local) {
    lane->ready_ps +=
        simulator_scaled(&run->engine->cores[class_index], steps[lane->step++].local_ps);
  }
  if (lane->step == end) {
    end_lane(run, class_index, lane);
    return;
  }
  const simulator_step_t *step = &steps[lane->step];
  lane->has_begun_step = true;
  lane->sent_ps = lane->ready_ps;
  if (step->send_peer >= 0) {
    send(run, class_index, member, lane, step);
  }
  if (has_arrived(lane, step) && !lane->is_queued) {
    enqueue(run->flow, index);
  }
}

// False: some lane never ends; the events will tell why.
static bool run_lanes(run_t *run) {
  simulator_dataflow_t *flow = run->flow;
  flow->queue_first = 0;
  flow->queue_count = 0;
  flow->queue_size = run->plan->lane_total > 0 ? run->plan->lane_total : 1;
  run->lanes_left = run->plan->lane_total;
  for (int32_t c = 0; c < run->class_count; c++) {
    const simulator_member_t *member = &run->plan->members[c];
    flow->ends_ps[c] = run->engine->now_ps +
                       simulator_scaled(&run->engine->cores[c], member->shape->hbm_ps);
    for (int32_t i = 0; i < member->shape->lane_count; i++) {
      flow->classes[member->lane_offset + i] = c;
      lane_t *lane = &flow->lanes[member->lane_offset + i];
      *lane = (lane_t){.step = member->shape->lanes[i].first_step};
      for (int slot = 0; slot < WINDOW; slot++) {
        lane->arrivals[slot] = UNKNOWN;
      }
    }
    flow->accounts[c] = (account_t){.before = simulator_record_counts(run->engine, c)};
  }
  for (int32_t c = 0; c < run->class_count; c++) {
    start_lanes(run, c);
  }
  while (flow->queue_count > 0 && !run->is_given_up) {
    run_lane(run, dequeue(flow));
  }
  return run->lanes_left == 0 && !run->is_given_up;
}

// --- The end ---

static void commit_class(run_t *run, int32_t class_index) {
  simulator_engine_t *engine = run->engine;
  const account_t *account = &run->flow->accounts[class_index];
  for (int d = 0; d < SIMULATOR_CHANNELS; d++) {
    simulator_channel_t *channel =
        &engine->network.channels[class_index * SIMULATOR_CHANNELS + d];
    channel->bytes += account->links[d].bytes;
    channel->busy_ps += account->links[d].busy_ps;
    channel->messages += account->links[d].messages;
  }
  int64_t any_ps = account->any_ps;
  for (int32_t i = 0; i < account->stretch_count; i++) {
    any_ps += account->stretches[i].end_ps - account->stretches[i].start_ps;
  }
  engine->network.any[class_index].busy_ps += any_ps;
  engine->steps += account->messages;
  simulator_total(engine, class_index, run->task)->ici_bytes += account->sent_bytes;
  engine->instances.items[run->instance].classes[class_index].parts_left = 1;
  simulator_queue_push(
      &engine->queue, run->flow->ends_ps[class_index],
      (simulator_queue_event_t){
          .kind = SIMULATOR_COPIES, .a = run->instance, .b = class_index});
}

bool simulator_dataflow_run(simulator_engine_t *engine, int32_t instance) {
  if (engine->dataflow == NULL) {
    engine->dataflow = pod_alloc(sizeof(*engine->dataflow));
  }
  run_t run = {.engine = engine,
               .flow = engine->dataflow,
               .plan = &engine->run_plans[engine->instances.items[instance].plan],
               .instance = instance,
               .task = engine->instances.items[instance].task,
               .class_count = engine->running_count};
  make_room(run.flow, run.plan, run.class_count);
  const bool is_done = run_lanes(&run);
  for (int32_t i = 0; i < run.class_count; i++) {
    if (is_done) {
      commit_class(&run, i);
    } else {
      simulator_record_undo_messages(engine, i, &run.flow->accounts[i].before);
    }
  }
  return is_done;
}
