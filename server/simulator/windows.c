// Collectives in which all chips do alike and send to neighbours only, beside stragglers
// and slow links: by windows of time instead of by a queue of all events.
//
// What a chip sends arrives no sooner than a hop's latency later, and a chip that comes
// to a collective begins it a start-up later. So in a window of time no longer than both,
// no chip can make another one do anything that the other did not know of before the
// window: each chip's events of the window happen by themselves, one chip after another,
// while its state is in the cache (conservative simulation with bounded lag: Lubachevsky
// 1989, after Chandy and Misra 1979). Within a chip, what happens next is the least of a
// few times; a message costs one event at its sender, at most, and none at its receiver.
//
// One thing goes faster than a window: a long message that is sent on in pieces is there
// when its last byte leaves, and another message that joins it on its link delays it. So
// an arrival that depends on the link's last moments is sure only when the sender has
// come that far, and while a link is shared, its receiver does not go on beyond the time
// at which the first of its messages may end. A chip that has to wait for a neighbour so
// is taken up again after the others. What it waits for is always earlier than what it
// would do, so that the earliest event never waits.
//
// Classes wait in buckets, one per window, for their next event (Brown 1988, "Calendar
// queues"), and in a heap, when that is far away.

#include "server/simulator/windows.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"

enum {
  // Marks of `queued` that are no bucket.
  QUEUED_NOWHERE = -1,
  QUEUED_AGAIN = -2,
  QUEUED_NOW = -3,
  // Shorter ones are not worth it.
  WINDOW_LEAST_PS = 10000,
};

// --- Whether ---

static bool may_run(const simulator_engine_t *engine) {
  const simulator_options_t *options = engine->options;
  // Where all chips are as fast dataflow.c is faster; messages are kept by the queue.
  if (options->slow_chip_count + options->slow_link_count == 0 ||
      options->uses_events_only || engine->events_max > 0 || engine->running_count < 2 ||
      engine->plans.plan_count == 0) {
    return false;
  }
  for (int32_t i = 0; i < engine->plans.plan_count; i++) {
    if (engine->run_plans[i].shape == NULL) {
      return false;
    }
  }
  return true;
}

static void make_links(simulator_engine_t *engine) {
  simulator_windows_t *windows = engine->windows;
  const size_t links = (size_t)engine->running_count * TORUS_DIRECTIONS;
  windows->links = pod_alloc(links * sizeof(*windows->links));
  windows->shares = pod_alloc(links * sizeof(*windows->shares));
  windows->senders = pod_alloc(links * sizeof(*windows->senders));
  for (int32_t c = 0; c < engine->running_count; c++) {
    for (int32_t d = 0; d < TORUS_DIRECTIONS; d++) {
      const simulator_direct_t *direct =
          &engine->network.direct[c * SIMULATOR_CHANNELS + d];
      windows->links[c * TORUS_DIRECTIONS + d] =
          (windows_link_t){.rate = direct->rate, .peer_class = direct->peer_class};
      if (direct->is_used) {
        windows->senders[direct->peer_class * TORUS_DIRECTIONS + d] = c;
      }
    }
  }
}

void simulator_windows_init(simulator_engine_t *engine) {
  const chip_spec_t *spec = engine->options->spec;
  const int64_t length_ps = spec->ici_hop_ps < spec->collective_startup_ps
                                ? spec->ici_hop_ps
                                : spec->collective_startup_ps;
  if (engine->rounds != NULL || !may_run(engine) || length_ps < WINDOW_LEAST_PS) {
    return;
  }
  const size_t classes = (size_t)engine->running_count;
  simulator_windows_t *windows = pod_alloc(sizeof(*windows));
  engine->windows = windows;
  windows->length_ps = length_ps;
  windows->look_ps = WINDOWS_NEVER_PS;
  windows->current = -1;
  windows->next_ps = pod_alloc(classes * sizeof(*windows->next_ps));
  windows->queued = pod_alloc(classes * sizeof(*windows->queued));
  windows->incoming = pod_alloc(classes * sizeof(*windows->incoming));
  windows->chips = pod_alloc(classes * sizeof(*windows->chips));
  for (size_t i = 0; i < classes; i++) {
    windows->queued[i] = QUEUED_NOWHERE;
    windows->next_ps[i] = WINDOWS_NEVER_PS;
    windows->chips[i].event_ps = WINDOWS_NEVER_PS;
  }
  make_links(engine);
}

void simulator_windows_deinit(simulator_engine_t *engine) {
  simulator_windows_t *windows = engine->windows;
  if (windows == NULL) {
    return;
  }
  for (int32_t i = 0; i < engine->running_count; i++) {
    pod_list_deinit(&windows->chips[i].events);
    pod_list_deinit(&windows->chips[i].active);
  }
  for (int32_t i = 0; i < engine->running_count * TORUS_DIRECTIONS; i++) {
    pod_list_deinit(&windows->shares[i].users);
  }
  for (int32_t i = 0; i < WINDOWS_BUCKETS; i++) {
    pod_list_deinit(&windows->buckets[i]);
  }
  for (int32_t i = 0; i < windows->rooms.count; i++) {
    free(windows->rooms.items[i].arrivals);
  }
  pod_list_deinit(&windows->rooms);
  pod_list_deinit(&windows->now);
  pod_list_deinit(&windows->again);
  pod_heap_deinit(&windows->far);
  free(windows->next_ps);
  free(windows->queued);
  free(windows->incoming);
  free(windows->senders);
  free(windows->links);
  free(windows->shares);
  free(windows->chips);
  free(windows);
}

// --- Room for instances ---

// All arrivals of an instance that is done have been taken, so that they are 0 again.
void simulator_windows_open(simulator_engine_t *engine, simulator_instance_t *instance) {
  simulator_windows_t *windows = engine->windows;
  const int32_t wanted = engine->run_plans[instance->plan].step_total;
  instance->last_begin_ps = 0;
  for (int32_t i = 0; i < windows->rooms.count; i++) {
    if (windows->rooms.items[i].capacity >= wanted) {
      instance->arrivals = windows->rooms.items[i].arrivals;
      instance->arrival_count = windows->rooms.items[i].capacity;
      windows->rooms.items[i] = *pod_list_last(&windows->rooms);
      windows->rooms.count--;
      return;
    }
  }
  instance->arrivals = pod_alloc(((size_t)wanted + 1) * sizeof(*instance->arrivals));
  instance->arrival_count = wanted;
}

void simulator_windows_close(simulator_engine_t *engine, simulator_instance_t *instance) {
  *pod_list_add(&engine->windows->rooms) =
      (windows_room_t){instance->arrivals, instance->arrival_count};
  instance->arrivals = NULL;
}

// --- Whose turn it is ---

static void put_in_bucket(simulator_windows_t *windows, int32_t class_index, int64_t ps) {
  const int64_t bucket = ps / windows->length_ps;
  if (ps == WINDOWS_NEVER_PS || windows->queued[class_index] == bucket) {
    return;
  }
  windows->queued[class_index] = bucket;
  if (bucket - windows->cursor < WINDOWS_BUCKETS) {
    *pod_list_add(&windows->buckets[bucket % WINDOWS_BUCKETS]) = class_index;
  } else {
    pod_heap_push(&windows->far, ps, (uintptr_t)class_index);
  }
}

static void take_up_again(simulator_windows_t *windows, int32_t class_index) {
  windows->queued[class_index] = QUEUED_AGAIN;
  *pod_list_add(&windows->again) = class_index;
}

void windows_wake(simulator_windows_t *windows, int32_t class_index, int64_t ps) {
  if (ps >= windows->next_ps[class_index] || class_index == windows->current) {
    return;  // The current one looks anyway.
  }
  windows->next_ps[class_index] = ps;
  const int64_t queued = windows->queued[class_index];
  if (queued == QUEUED_NOW || queued == QUEUED_AGAIN) {
    return;  // It will look.
  }
  if (ps >= windows->end_ps) {
    put_in_bucket(windows, class_index, ps);
  } else {
    take_up_again(windows, class_index);
  }
}

void simulator_schedule(simulator_engine_t *engine, int64_t ps,
                        simulator_queue_event_t event) {
  simulator_windows_t *windows = engine->windows;
  if (engine->rounds != NULL) {
    simulator_rounds_schedule(engine, ps, event);
    return;
  }
  if (windows == NULL) {
    simulator_queue_push(&engine->queue, ps, event);
    return;
  }
  windows_chip_t *chip = &windows->chips[event.b];
  int32_t at = chip->events.count;
  (void)pod_list_add(&chip->events);
  for (; at > 0 && chip->events.items[at - 1].ps < ps; at--) {
    chip->events.items[at] = chip->events.items[at - 1];
  }
  chip->events.items[at] =
      (windows_event_t){.ps = ps, .kind = event.kind, .instance = event.a};
  chip->event_ps = pod_list_last(&chip->events)->ps;
  windows_wake(windows, event.b, ps);
}

// --- A chip ---

typedef enum windows_next_t {
  WINDOWS_EVENT = 0,
  WINDOWS_LINK = 1,
  WINDOWS_LANE = 2,
} windows_next_t;

typedef struct windows_found_t {
  int64_t ps;
  windows_next_t what;
  int32_t instance, which;  // Of a lane; or the link.
} windows_found_t;

static void find_lane(const simulator_engine_t *engine, int32_t class_index,
                      int32_t index, windows_found_t *found) {
  const simulator_instance_t *instance = &engine->instances.items[index];
  const int32_t count = engine->run_plans[instance->plan].shape->lane_count;
  const simulator_window_lane_t *lanes =
      &instance->window_lanes[(size_t)class_index * (size_t)count];
  int64_t least_ps = found->ps;
  int32_t least = -1;
  for (int32_t i = 0; i < count; i++) {
    least = lanes[i].next_ps < least_ps ? i : least;
    least_ps = lanes[i].next_ps < least_ps ? lanes[i].next_ps : least_ps;
  }
  if (least >= 0) {
    *found = (windows_found_t){least_ps, WINDOWS_LANE, index, least};
  }
}

// What happens next on the chips of a class.
static windows_found_t find_next(const simulator_engine_t *engine, int32_t class_index) {
  const windows_chip_t *chip = &engine->windows->chips[class_index];
  windows_found_t found = {.ps = chip->event_ps, .which = -1};
  for (int32_t i = 0; i < chip->active.count; i++) {
    find_lane(engine, class_index, chip->active.items[i], &found);
  }
  for (uint32_t left = chip->shared; left != 0; left &= left - 1) {
    const int32_t link = class_index * TORUS_DIRECTIONS + __builtin_ctz(left);
    if (engine->windows->links[link].end_ps < found.ps) {
      found =
          (windows_found_t){engine->windows->links[link].end_ps, WINDOWS_LINK, -1, link};
    }
  }
  return found;
}

static void run_event(simulator_engine_t *engine, int32_t class_index) {
  windows_chip_t *chip = &engine->windows->chips[class_index];
  const windows_event_t event = *pod_list_last(&chip->events);
  chip->events.count--;
  chip->event_ps =
      chip->events.count > 0 ? pod_list_last(&chip->events)->ps : WINDOWS_NEVER_PS;
  switch (event.kind) {
    case SIMULATOR_BEGIN:
      windows_begin(engine, event.instance, class_index);
      return;
    case SIMULATOR_COPIES:
      windows_part_done(engine, event.instance, class_index);
      return;
    case SIMULATOR_FLIGHT:
      simulator_core_flight(engine, class_index);
      return;
    default:
      simulator_core_turn(engine, class_index);
  }
}

static void run_found(simulator_engine_t *engine, int32_t class_index,
                      const windows_found_t *found) {
  engine->now_ps = found->ps;
  switch (found->what) {
    case WINDOWS_EVENT:
      run_event(engine, class_index);
      return;
    case WINDOWS_LINK:
      windows_link_end(engine, found->which);
      return;
    default:
      windows_advance(engine, found->instance, class_index, found->which);
  }
}

// A turn of the first class has ended: a window later, when all have come as far,
// periods.c looks; always as long after it, so that states can be alike.
static void note_turn(simulator_engine_t *engine) {
  simulator_windows_t *windows = engine->windows;
  if (windows->turns_seen != engine->turns_ended) {
    windows->turns_seen = engine->turns_ended;
    if (windows->look_ps == WINDOWS_NEVER_PS) {
      windows->look_ps = engine->now_ps + windows->length_ps;
    }
  }
}

// The events of a class in the window, as far as they may happen.
static void run_class(simulator_engine_t *engine, int32_t class_index) {
  simulator_windows_t *windows = engine->windows;
  windows->current = class_index;
  while (engine->status == NULL) {
    const windows_found_t found = find_next(engine, class_index);
    windows->next_ps[class_index] = found.ps;
    if (found.ps >= windows->end_ps) {
      put_in_bucket(windows, class_index, found.ps);
      break;
    }
    windows->is_blocked = !windows_nothing_comes_before(windows, class_index, found.ps);
    if (!windows->is_blocked) {
      run_found(engine, class_index, &found);
      note_turn(engine);
    }
    if (windows->is_blocked) {
      take_up_again(windows, class_index);
      break;
    }
    windows->latest_ps = found.ps > windows->latest_ps ? found.ps : windows->latest_ps;
  }
  windows->is_blocked = false;
  windows->current = -1;
}

// --- The loop over windows ---

// What will be touched soon is brought into the cache: beside a straggler the state of
// thousands of chips does not fit there. First where it lies, then it itself.
static void expect_chip(const simulator_engine_t *engine, int32_t class_index) {
  const windows_chip_t *chip = &engine->windows->chips[class_index];
  __builtin_prefetch(chip->active.items);
}

static void expect_lanes(const simulator_engine_t *engine, int32_t class_index) {
  const windows_chip_t *chip = &engine->windows->chips[class_index];
  for (int32_t i = 0; i < chip->active.count; i++) {
    const simulator_instance_t *instance =
        &engine->instances.items[chip->active.items[i]];
    const int32_t count = engine->run_plans[instance->plan].shape->lane_count;
    const simulator_window_lane_t *lanes =
        &instance->window_lanes[(size_t)class_index * (size_t)count];
    for (int32_t lane = 0; lane < count; lane += 2) {
      __builtin_prefetch(&lanes[lane], 1);
    }
  }
  const windows_link_t *links =
      &engine->windows->links[(size_t)class_index * TORUS_DIRECTIONS];
  for (int d = 0; d < TORUS_DIRECTIONS; d++) {
    __builtin_prefetch(&links[d], 1);
  }
}

static void expect(const simulator_engine_t *engine, int32_t at) {
  enum { FAR = 12, NEAR = 8, NEXT = 4 };
  const simulator_windows_t *windows = engine->windows;
  if (at + FAR < windows->now.count) {
    __builtin_prefetch(&windows->chips[windows->now.items[at + FAR]]);
  }
  if (at + NEAR < windows->now.count) {
    expect_chip(engine, windows->now.items[at + NEAR]);
  }
  if (at + NEXT < windows->now.count) {
    expect_lanes(engine, windows->now.items[at + NEXT]);
  }
}

// Runs the classes of `now`, and those that have had to wait, until none is left.
static void run_window(simulator_engine_t *engine) {
  simulator_windows_t *windows = engine->windows;
  int64_t queued = QUEUED_NOW;
  while (windows->now.count > 0 && engine->status == NULL) {
    for (int32_t i = 0; i < windows->now.count; i++) {
      expect(engine, i);
      const int32_t class_index = windows->now.items[i];
      POD_CHECK(windows->queued[class_index] == queued);
      windows->queued[class_index] = QUEUED_NOWHERE;
      run_class(engine, class_index);
    }
    pod_list_clear(&windows->now);
    const __typeof__(windows->now) again = windows->again;
    windows->again = windows->now;
    windows->now = again;
    queued = QUEUED_AGAIN;
  }
}

static void come_near(simulator_windows_t *windows) {
  const int64_t end = windows->cursor + WINDOWS_BUCKETS;
  while (pod_heap_count(&windows->far) > 0 &&
         pod_heap_first(&windows->far).key / windows->length_ps < end) {
    const pod_heap_entry_t entry = pod_heap_pop(&windows->far);
    const int64_t bucket = entry.key / windows->length_ps;
    if (windows->queued[entry.item] == bucket) {
      *pod_list_add(&windows->buckets[bucket % WINDOWS_BUCKETS]) = (int32_t)entry.item;
    }
  }
}

// Goes to the next window in which anything happens. False: nothing happens any more.
static bool find_window(simulator_windows_t *windows) {
  while (true) {
    come_near(windows);
    for (int64_t at = windows->cursor; at < windows->cursor + WINDOWS_BUCKETS; at++) {
      if (windows->buckets[at % WINDOWS_BUCKETS].count > 0) {
        windows->cursor = at;
        return true;
      }
    }
    if (pod_heap_count(&windows->far) == 0) {
      return false;
    }
    windows->cursor = pod_heap_first(&windows->far).key / windows->length_ps;
  }
}

static void take_bucket(simulator_windows_t *windows) {
  __typeof__(windows->buckets[0]) *bucket =
      &windows->buckets[windows->cursor % WINDOWS_BUCKETS];
  pod_list_clear(&windows->now);
  for (int32_t i = 0; i < bucket->count; i++) {
    const int32_t class_index = bucket->items[i];
    if (windows->queued[class_index] == windows->cursor) {  // Else it waits elsewhere.
      windows->queued[class_index] = QUEUED_NOW;
      *pod_list_add(&windows->now) = class_index;
    }
  }
  pod_list_clear(bucket);
}

// All wait anew for what they do next.
static void queue_anew(simulator_engine_t *engine) {
  simulator_windows_t *windows = engine->windows;
  for (int32_t i = 0; i < WINDOWS_BUCKETS; i++) {
    pod_list_clear(&windows->buckets[i]);
  }
  windows->far.entries.count = 0;
  windows->cursor = engine->now_ps / windows->length_ps;
  for (int32_t i = 0; i < engine->running_count; i++) {
    windows->queued[i] = QUEUED_NOWHERE;
    windows->next_ps[i] = find_next(engine, i).ps;
    put_in_bucket(windows, i, windows->next_ps[i]);
  }
}

static void look_if_due(simulator_engine_t *engine) {
  simulator_windows_t *windows = engine->windows;
  if (windows->start_ps == windows->look_ps) {
    windows->look_ps = WINDOWS_NEVER_PS;
    engine->now_ps = windows->start_ps;
    windows->has_moved = false;
    simulator_periods_look(engine);
    if (windows->has_moved) {
      windows->start_ps = engine->now_ps;
      queue_anew(engine);
    }
  }
}

pod_status_t simulator_windows_run(simulator_engine_t *engine) {
  simulator_windows_t *windows = engine->windows;
  queue_anew(engine);
  note_turn(engine);
  while (engine->status == NULL && find_window(windows)) {
    POD_TRY(simulator_check_wanted(engine));
    const int64_t first_ps = windows->cursor * windows->length_ps;
    if (first_ps > SIMULATOR_TIME_MAX_PS) {
      return simulator_too_long();
    }
    if (windows->look_ps <= first_ps) {
      windows->start_ps = windows->look_ps;
      look_if_due(engine);
      continue;
    }
    windows->start_ps = windows->start_ps > first_ps ? windows->start_ps : first_ps;
    windows->end_ps = first_ps + windows->length_ps;
    if (windows->look_ps < windows->end_ps) {
      windows->end_ps = windows->look_ps;
    }
    take_bucket(windows);
    engine->result->windows_simulated++;
    run_window(engine);
    windows->start_ps = windows->end_ps;
    look_if_due(engine);
  }
  engine->now_ps = windows->latest_ps;
  return NULL;
}

// --- For periods.c and record.c ---

void simulator_windows_bring(simulator_engine_t *engine, int64_t now_ps) {
  simulator_windows_t *windows = engine->windows;
  const int32_t count = windows == NULL ? 0 : engine->running_count * TORUS_DIRECTIONS;
  for (int32_t i = 0; i < count; i++) {
    windows_link_t *link = &windows->links[i];
    if (link->count == 1 && link->end_ps <= now_ps) {
      link->busy_ps += link->end_ps - link->busy_since_ps;
      link->count = 0;
    }
    if (link->count > 0) {
      link->busy_ps += now_ps - link->busy_since_ps;
      link->busy_since_ps = now_ps;
    }
    engine->network
        .channels[i / TORUS_DIRECTIONS * SIMULATOR_CHANNELS + i % TORUS_DIRECTIONS]
        .busy_ps += link->busy_ps;
    link->busy_ps = 0;
  }
}
