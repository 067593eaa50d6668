// Beside stragglers and slow links: collectives in which all chips do alike and send to
// neighbours only, without a queue of events and without windows of time.
//
// Each chip's core runs ahead as far as it can without learning when a collective ends.
// What it begins on the way is followed, message by message, as far as it is sure what
// comes next on each link (rounds_links.c), whatever the time is elsewhere. When a chip
// is through with a collective its core learns when, and runs on. Messages share nothing
// but the links of the chip that sends them, so that a chip is all that has to be looked
// at for that, and only seldom its neighbours.
//
// A round is over when nothing goes on any more before some chips go on behind a turn of
// a loop.
// If all do, each at its own time, and nothing is under way, turns are compared.
//
// What this does not do (too many collectives under way at a time) is begun anew by
// windows.

#include "server/simulator/rounds.h"

#include <stdlib.h>
#include <unistd.h>

#include "common/base/memory.h"

enum {
  LATENCY_LEAST_PS = 10000,  // Arrivals are later than 0.
  CLASSES_PER_WORKER = 512,  // Fewer are not worth a thread.
  WORKERS_MAX = 16,          // If nobody has said how many.
};

static bool may_run(const simulator_engine_t *engine) {
  const simulator_options_t *options = engine->options;
  if (options->slow_chip_count + options->slow_link_count == 0 ||
      options->uses_events_only || options->uses_windows_only || engine->events_max > 0 ||
      engine->running_count < 2 || engine->running_count > ROUNDS_CLASSES_MAX ||
      engine->plans.plan_count == 0 || options->spec->ici_hop_ps < LATENCY_LEAST_PS) {
    return false;
  }
  for (int32_t i = 0; i < engine->plans.plan_count; i++) {
    if (engine->run_plans[i].shape == NULL) {
      return false;
    }
  }
  return true;
}

static int32_t workers_for(const simulator_engine_t *engine) {
  if (engine->options->threads_max > 0) {
    return engine->options->threads_max;
  }
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  const int32_t wanted = engine->running_count / CLASSES_PER_WORKER;
  const int32_t most = processors < WORKERS_MAX ? (int32_t)processors : WORKERS_MAX;
  return wanted < most ? wanted : most;
}

void simulator_rounds_init(simulator_engine_t *engine) {
  if (may_run(engine)) {
    engine->rounds = pod_alloc(sizeof(*engine->rounds));
    rounds_init(engine->rounds, engine);
    rounds_hire(engine->rounds, workers_for(engine));
  }
}

void simulator_rounds_deinit(simulator_engine_t *engine) {
  if (engine->rounds != NULL) {
    rounds_dismiss(engine->rounds);
    rounds_deinit(engine->rounds);
    free(engine->rounds);
  }
}

// --- Chips ---

void rounds_wake_chip(rounds_worker_t *worker, int32_t class_index) {
  rounds_chip_t *chip = &worker->rounds->chips[class_index];
  if (!chip->is_due) {
    chip->is_due = true;
    *pod_list_add(&worker->due) = class_index;
  }
}

void simulator_rounds_schedule(simulator_engine_t *engine, int64_t ps,
                               simulator_queue_event_t event) {
  if (event.kind == SIMULATOR_BEGIN) {
    return;  // The lanes know.
  }
  rounds_chip_t *chip = &engine->rounds->chips[event.b];
  int32_t at = chip->events.count;
  (void)pod_list_add(&chip->events);
  for (; at > 0 && chip->events.items[at - 1].ps < ps; at--) {
    chip->events.items[at] = chip->events.items[at - 1];
  }
  chip->events.items[at] =
      (rounds_event_t){.ps = ps, .kind = event.kind, .instance = event.a};
  rounds_wake_chip(rounds_worker_of(engine->rounds, event.b), event.b);
}

void simulator_rounds_arrive(simulator_engine_t *engine, int32_t index,
                             int32_t class_index, int64_t begin_ps) {
  simulator_rounds_t *rounds = engine->rounds;
  if (!rounds->has_given_up && !rounds->is_mistaken) {
    engine->instances.items[index].classes[class_index].has_begun = true;
    rounds_episodes_begin(rounds, index, class_index, begin_ps);
  }
}

static const rounds_event_t *next_event(const simulator_rounds_t *rounds,
                                        int32_t class_index) {
  const rounds_chip_t *chip = &rounds->chips[class_index];
  return chip->events.count > 0 ? pod_list_last(&chip->events) : NULL;
}

static bool is_at_turn(const simulator_rounds_t *rounds, int32_t class_index) {
  const rounds_event_t *event = next_event(rounds, class_index);
  return event != NULL && event->kind == SIMULATOR_TURN;
}

static void run_event(simulator_rounds_t *rounds, int32_t class_index) {
  simulator_engine_t *engine = rounds->engine;
  const rounds_event_t event = *next_event(rounds, class_index);
  rounds->chips[class_index].events.count--;
  engine->now_ps = event.ps;
  switch (event.kind) {
    case SIMULATOR_COPIES:
      simulator_transfers_part_done(engine, event.instance, class_index);
      return;
    case SIMULATOR_FLIGHT:
      simulator_core_flight(engine, class_index);
      return;
    default:
      simulator_core_turn(engine, class_index);
  }
}

bool rounds_is_sure(rounds_worker_t *worker, int32_t class_index, int64_t ps, int depth) {
  if (worker->rounds->chips[class_index].held_ps < ps) {
    return false;
  }
  for (uint32_t left = worker->rounds->chips[class_index].live; left != 0;
       left &= left - 1) {
    if (rounds_end_bound(worker, class_index, __builtin_ctz(left), ps, depth) < ps) {
      return false;
    }
  }
  return true;
}

static bool goes_on(const simulator_rounds_t *rounds) {
  return rounds->engine->status == NULL && !rounds->has_given_up && !rounds->is_mistaken;
}

// Its events, until a turn begins or something may end before. Whether there were any.
static bool run_chip(simulator_rounds_t *rounds, int32_t class_index) {
  rounds_worker_t *worker = rounds_worker_of(rounds, class_index);
  rounds_chip_t *chip = &rounds->chips[class_index];
  chip->is_due = false;
  chip->is_blocked = false;
  bool has_run = false;
  while (goes_on(rounds) && chip->events.count > 0 && !is_at_turn(rounds, class_index)) {
    if (!chip->is_sure &&
        !rounds_is_sure(worker, class_index, next_event(rounds, class_index)->ps,
                        ROUNDS_DEPTH)) {
      chip->is_blocked = true;
      break;
    }
    chip->is_sure = false;
    run_event(rounds, class_index);
    has_run = true;
  }
  if (has_run) {
    rounds_unblock(worker, class_index, ROUNDS_CORE);
  }
  return has_run;
}

// --- Rounds ---

// The cores that have learned something. Whether there are any.
static bool run_chips(simulator_rounds_t *rounds) {
  bool is_any = false;
  for (int32_t w = 0; w < rounds->worker_count; w++) {
    rounds_worker_t *worker = rounds->workers[w];
    for (int32_t i = 0; i < worker->due.count; i++) {
      (void)run_chip(rounds, worker->due.items[i]);
    }
    is_any |= worker->due.count > 0;
    pod_list_clear(&worker->due);
  }
  return is_any;
}

// Lanes first, as far as they get, then the cores that have learned something.
static void run_lanes(simulator_rounds_t *rounds) {
  do {
    while (goes_on(rounds) && rounds_has_work(rounds)) {
      (void)rounds_work(rounds, ROUNDS_FOLLOW);
    }
  } while (goes_on(rounds) && run_chips(rounds));
}

// Looks further where something waits. False: nothing moves any more.
static bool look_far(simulator_rounds_t *rounds) {
  (void)rounds_work(rounds, ROUNDS_LOOK);
  bool has_moved = false;
  for (int32_t c = 0; c < rounds->class_count && goes_on(rounds); c++) {
    if (rounds->chips[c].is_sure) {
      has_moved |= run_chip(rounds, c);
    }
  }
  return goes_on(rounds) && (rounds_work(rounds, ROUNDS_GO_ON) || has_moved);
}

static bool is_all_at_turn(const simulator_rounds_t *rounds) {
  const simulator_engine_t *engine = rounds->engine;
  for (int32_t i = 0; i < engine->collective_slots; i++) {
    if (engine->live[i] >= 0) {
      return false;
    }
  }
  for (int32_t c = 0; c < rounds->class_count; c++) {
    if (is_at_turn(rounds, c) ? rounds->chips[c].events.count > 1
                              : next_event(rounds, c) != NULL) {
      return false;
    }
  }
  return is_at_turn(rounds, 0);
}

// The chips that are at the beginning of a turn go on. False: none is.
static bool begin_turns(simulator_rounds_t *rounds) {
  simulator_engine_t *engine = rounds->engine;
  if (is_all_at_turn(rounds)) {
    rounds_episodes_check(rounds);
    engine->now_ps = next_event(rounds, 0)->ps;
    simulator_periods_look(engine);
  }
  bool has_begun = false;
  for (int32_t c = 0; c < rounds->class_count && goes_on(rounds); c++) {
    if (is_at_turn(rounds, c)) {
      run_event(rounds, c);
      rounds_unblock(rounds_worker_of(rounds, c), c, ROUNDS_CORE);
      has_begun = true;
    }
  }
  return has_begun;
}

pod_status_t simulator_rounds_run(simulator_engine_t *engine, bool *out_is_done,
                                  bool *out_is_mistaken) {
  simulator_rounds_t *rounds = engine->rounds;
  do {
    engine->result->rounds_simulated++;
    do {
      run_lanes(rounds);
    } while (goes_on(rounds) && (rounds_episodes_go_on(rounds) || look_far(rounds) ||
                                 rounds_episodes_join(rounds)));
  } while (goes_on(rounds) && begin_turns(rounds));
  if (goes_on(rounds)) {
    rounds_episodes_check(rounds);
  }
  *out_is_done =
      !rounds->has_given_up && !rounds->is_mistaken && !rounds_is_any_live(rounds);
  *out_is_mistaken = rounds->is_mistaken;
  return NULL;
}
