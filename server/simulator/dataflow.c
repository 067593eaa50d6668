// A collective whose messages find their links free needs no events: when a step ends
// follows from when the steps before it ended, here and at the peers. Lanes run as far as
// what they know allows, and wake the lanes that wait for what they send.
//
// That the links are free is looked at afterwards, chip by chip: messages over one link
// must not overlap. If some do, nothing has happened yet, and the events take over.

#include <stdlib.h>

#include "common/base/memory.h"
#include "server/simulator/engine.h"

enum { UNKNOWN = -1 };

typedef struct lane_t {
  int64_t ready_ps;  // When it came to its step; when it ended.
  int64_t sent_ps;   // The step's message has left; UNKNOWN: not begun.
  int32_t step;
  bool has_started, has_ended, is_queued;
} lane_t;

// A lane on the way of a chip's messages in the order of time.
typedef struct head_t {
  int32_t step, end;
} head_t;

// What a collective adds to the links of a class.
typedef struct account_t {
  simulator_link_t links[TORUS_DIRECTIONS];
  int64_t any_ps;
  int64_t sent_bytes, messages;
} account_t;

struct simulator_dataflow_t {
  size_t lane_capacity, step_capacity, class_capacity;
  lane_t *lanes;        // As in the instance.
  int64_t *arrivals;    // By step and class, the class running fastest: chips that work
                        // in step look at neighbouring numbers.
  int64_t *starts;      // Of the step's message; likewise.
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
} run_t;

void simulator_dataflow_destroy(simulator_dataflow_t *dataflow) {
  if (dataflow == NULL) {
    return;
  }
  free(dataflow->lanes);
  free(dataflow->arrivals);
  free(dataflow->starts);
  free(dataflow->queue);
  free(dataflow->classes);
  free(dataflow->ends_ps);
  free(dataflow->accounts);
  free(dataflow);
}

static void make_room(simulator_dataflow_t *flow, const simulator_run_plan_t *plan,
                      int32_t class_count) {
  const size_t lanes = (size_t)plan->lane_total + 1;
  const size_t steps = (size_t)plan->steps_max * (size_t)class_count + 1;
  const size_t classes = (size_t)class_count;
  if (lanes > flow->lane_capacity) {
    flow->lane_capacity = lanes;
    flow->lanes = pod_grow(flow->lanes, lanes, sizeof(*flow->lanes));
    flow->queue = pod_grow(flow->queue, lanes, sizeof(*flow->queue));
    flow->classes = pod_grow(flow->classes, lanes, sizeof(*flow->classes));
  }
  if (steps > flow->step_capacity) {
    flow->step_capacity = steps;
    flow->arrivals = pod_grow(flow->arrivals, steps, sizeof(*flow->arrivals));
    flow->starts = pod_grow(flow->starts, steps, sizeof(*flow->starts));
  }
  if (classes > flow->class_capacity) {
    flow->class_capacity = classes;
    flow->ends_ps = pod_grow(flow->ends_ps, classes, sizeof(*flow->ends_ps));
    flow->accounts = pod_grow(flow->accounts, classes, sizeof(*flow->accounts));
  }
  for (size_t i = 0; i < steps; i++) {
    flow->arrivals[i] = UNKNOWN;
  }
}

// --- Steps ---

static void enqueue(simulator_dataflow_t *flow, int32_t lane) {
  if (flow->lanes[lane].is_queued) {
    return;
  }
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
  const size_t classes = (size_t)run->class_count;
  const int32_t peer = member->peer_classes[step->send_peer];
  const int32_t target = member->target_steps[lane->step];
  flow->starts[(size_t)lane->step * classes + (size_t)class_index] = lane->ready_ps;
  lane->sent_ps = lane->ready_ps +
                  message_ps(run, member->peer_links[step->send_peer], step->send_ps);
  flow->arrivals[(size_t)target * classes + (size_t)peer] =
      lane->sent_ps + run->engine->options->spec->ici_hop_ps;
  const int32_t receiver = run->plan->members[peer].lane_offset + step->lane;
  if (flow->lanes[receiver].step == target && flow->lanes[receiver].has_started) {
    enqueue(flow, receiver);
  }
}

// True: the step is done, at the lane's time.
static bool try_step(run_t *run, int32_t class_index, const simulator_member_t *member,
                     lane_t *lane) {
  const simulator_step_t *step = &member->shape->steps[lane->step];
  if (step->is_local) {
    lane->ready_ps += simulator_scaled(&run->engine->cores[class_index], step->local_ps);
    return true;
  }
  if (step->send_peer >= 0 && lane->sent_ps == UNKNOWN) {
    send(run, class_index, member, lane, step);
  }
  const int64_t sent_ps = step->send_peer >= 0 ? lane->sent_ps : lane->ready_ps;
  int64_t arrived_ps = sent_ps;
  if (step->receive_peer >= 0) {
    arrived_ps = run->flow->arrivals[(size_t)lane->step * (size_t)run->class_count +
                                     (size_t)class_index];
    if (arrived_ps == UNKNOWN) {
      return false;
    }
  }
  // A message that came before the lane got here does not turn time back.
  const int64_t both_ps = arrived_ps > sent_ps ? arrived_ps : sent_ps;
  lane->ready_ps = both_ps > lane->ready_ps ? both_ps : lane->ready_ps;
  lane->sent_ps = UNKNOWN;
  return true;
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

static void run_lane(run_t *run, int32_t index) {
  lane_t *lane = &run->flow->lanes[index];
  const int32_t class_index = run->flow->classes[index];
  const simulator_member_t *member = &run->plan->members[class_index];
  const simulator_lane_t *range = &member->shape->lanes[index - member->lane_offset];
  const int32_t end = range->first_step + range->step_count;
  while (lane->step < end) {
    if (!try_step(run, class_index, member, lane)) {
      return;
    }
    lane->step++;
  }
  if (lane->has_ended) {
    return;
  }
  lane->has_ended = true;
  run->lanes_left--;
  if (lane->ready_ps > run->flow->ends_ps[class_index]) {
    run->flow->ends_ps[class_index] = lane->ready_ps;
  }
  if (member->shape->has_after) {
    start_lanes(run, class_index);
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
                       simulator_scaled(&run->engine->cores[c], member->shape->copies_ps);
    for (int32_t i = 0; i < member->shape->lane_count; i++) {
      flow->classes[member->lane_offset + i] = c;
      flow->lanes[member->lane_offset + i] =
          (lane_t){.sent_ps = UNKNOWN, .step = member->shape->lanes[i].first_step};
    }
  }
  for (int32_t c = 0; c < run->class_count; c++) {
    start_lanes(run, c);
  }
  while (flow->queue_count > 0) {
    run_lane(run, dequeue(flow));
  }
  return run->lanes_left == 0;
}

// --- Links ---

// Moves a lane's head to its next message.
static void next_message(const simulator_shape_t *shape, head_t *head) {
  while (head->step < head->end && shape->steps[head->step].send_peer < 0) {
    head->step++;
  }
}

static int64_t start_of(const run_t *run, int32_t class_index, int32_t step) {
  return run->flow->starts[(size_t)step * (size_t)run->class_count + (size_t)class_index];
}

static int32_t init_heads(const simulator_shape_t *shape, head_t *heads) {
  int32_t count = 0;
  for (int32_t i = 0; i < shape->lane_count; i++) {
    const simulator_lane_t *lane = &shape->lanes[i];
    heads[count] = (head_t){lane->first_step, lane->first_step + lane->step_count};
    next_message(shape, &heads[count]);
    count += heads[count].step < heads[count].end ? 1 : 0;
  }
  return count;
}

// The next message of a class in the order of time, each lane's being in order. -1: none.
static int32_t take_message(const run_t *run, int32_t class_index,
                            const simulator_shape_t *shape, head_t *heads,
                            int32_t *inout_count) {
  if (*inout_count == 0) {
    return -1;
  }
  int32_t best = 0;
  int64_t best_ps = start_of(run, class_index, heads[0].step);
  for (int32_t i = 1; i < *inout_count; i++) {
    const int64_t start_ps = start_of(run, class_index, heads[i].step);
    if (start_ps < best_ps) {
      best = i;
      best_ps = start_ps;
    }
  }
  const int32_t step = heads[best].step++;
  next_message(shape, &heads[best]);
  if (heads[best].step == heads[best].end) {
    heads[best] = heads[--*inout_count];
  }
  return step;
}

// Adds up the messages of a class. False: two of them overlap on a link.
static bool account_class(run_t *run, int32_t class_index) {
  const simulator_member_t *member = &run->plan->members[class_index];
  const simulator_shape_t *shape = member->shape;
  account_t account = {0};
  int64_t free_ps[TORUS_DIRECTIONS] = {0};
  int64_t any_until_ps = 0;
  head_t heads[SIMULATOR_FLOW_LANES_MAX];
  int32_t count = init_heads(shape, heads);
  int32_t step;
  while ((step = take_message(run, class_index, shape, heads, &count)) >= 0) {
    const simulator_step_t *sent = &shape->steps[step];
    const int32_t link = member->peer_links[sent->send_peer];
    const int32_t direction = link % TORUS_DIRECTIONS;
    const int64_t start_ps = start_of(run, class_index, step);
    const int64_t end_ps = start_ps + message_ps(run, link, sent->send_ps);
    if (start_ps < free_ps[direction]) {
      return false;
    }
    free_ps[direction] = end_ps;
    if (end_ps > any_until_ps) {
      account.any_ps += end_ps - (start_ps > any_until_ps ? start_ps : any_until_ps);
      any_until_ps = end_ps;
    }
    account.links[direction].bytes += sent->send_bytes;
    account.links[direction].busy_ps += end_ps - start_ps;
    account.links[direction].messages++;
    account.sent_bytes += sent->send_bytes;
    account.messages++;
  }
  run->flow->accounts[class_index] = account;
  return true;
}

static void record_class(run_t *run, int32_t class_index) {
  simulator_engine_t *engine = run->engine;
  simulator_chip_t *chip = &engine->result->classes[class_index];
  const simulator_member_t *member = &run->plan->members[class_index];
  const simulator_shape_t *shape = member->shape;
  const int32_t from = engine->classes.representatives[class_index];
  head_t heads[SIMULATOR_FLOW_LANES_MAX];
  int32_t count = init_heads(shape, heads);
  int64_t left = run->flow->accounts[class_index].messages;
  while (left > 0 && chip->message_count < engine->options->events_max) {
    const int32_t step = take_message(run, class_index, shape, heads, &count);
    const simulator_step_t *sent = &shape->steps[step];
    const int32_t link = member->peer_links[sent->send_peer];
    const simulator_message_t message = {
        .task = run->task,
        .from = from,
        .to =
            simulator_displaced(engine->plans.torus, from, shape->peers[sent->send_peer]),
        .direction = link % TORUS_DIRECTIONS,
        .start_ps = start_of(run, class_index, step),
        .duration_ps = message_ps(run, link, sent->send_ps),
        .size_bytes = sent->send_bytes};
    simulator_record_message(engine, class_index, &message);
    left--;
  }
  if (engine->options->events_max > 0) {
    chip->messages_dropped += left;
  }
}

static void commit_class(run_t *run, int32_t class_index) {
  simulator_engine_t *engine = run->engine;
  const account_t *account = &run->flow->accounts[class_index];
  for (int d = 0; d < TORUS_DIRECTIONS; d++) {
    simulator_channel_t *channel =
        &engine->network.channels[class_index * TORUS_DIRECTIONS + d];
    channel->bytes += account->links[d].bytes;
    channel->busy_ps += account->links[d].busy_ps;
    channel->messages += account->links[d].messages;
  }
  engine->network.any_busy_ps[class_index] += account->any_ps;
  engine->steps += account->messages;
  simulator_total(engine, class_index, run->task)->ici_bytes += account->sent_bytes;
  record_class(run, class_index);
  engine->instances[run->instance].classes[class_index].parts_left = 1;
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
               .plan = &engine->run_plans[engine->instances[instance].plan],
               .instance = instance,
               .task = engine->instances[instance].task,
               .class_count = engine->running_count};
  make_room(run.flow, run.plan, run.class_count);
  if (!run_lanes(&run)) {
    return false;
  }
  for (int32_t i = 0; i < run.class_count; i++) {
    if (!account_class(&run, i)) {
      return false;
    }
  }
  for (int32_t i = 0; i < run.class_count; i++) {
    commit_class(&run, i);
  }
  return true;
}
