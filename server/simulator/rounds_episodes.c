// Collectives that have been met before with the same skews are looked up (rounds.c).
//
// An episode is what is under way together: from when nothing is until nothing is again,
// chip by chip. Nothing of it depends on anything but when its collectives begin, as no
// message of another one is on its links meanwhile. So when all that can begin has begun,
// and nothing else moves, it is held against the episodes that have been followed: one
// whose collectives began likewise ends likewise.
//
// What begins later in an episode, when others of it have ended, is taken to begin as it
// did then; each beginning is held against that. Where one does not, or where the next
// episode begins before the links are free, the run is a mistake: it is begun anew, with
// all that has been followed still known, and that episode is followed.

#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "server/simulator/rounds.h"

enum {
  SUMS = TORUS_DIRECTIONS + 1,  // How long each link of a chip was busy, then any.
  MISTAKES_MAX = 16,            // So often is a run begun anew; then all is followed.
  MET_MAX = 512,                // Episodes: looking for one is to cost nothing.
};
#define MEMORY_BYTES_MAX ((size_t)256 << 20)

// An episode that has been followed. Times are since the first class began the first.
typedef struct met_t {
  int32_t count;
  int32_t plans[ROUNDS_TOGETHER_MAX];
  int64_t *begins_ps, *ends_ps;  // By collective and class.
  int64_t *free_ps;              // By class: when the last message leaves its links.
  int64_t *sums_ps;              // By class: SUMS.
  size_t size_bytes;
} met_t;

struct simulator_memory_t {
  bool looks_up;
  size_t size_bytes;
  int32_t met_count;
  met_t *met[MET_MAX];  // The latest last.
  uint64_t hashes[MET_MAX];
  POD_LIST(int64_t) mistakes_ps;  // When the episodes began that are to be followed.
};

// --- Memory ---

simulator_memory_t *simulator_memory_create(bool looks_up) {
  simulator_memory_t *memory = pod_alloc(sizeof(*memory));
  memory->looks_up = looks_up;
  return memory;
}

static void destroy_met(met_t *met) {
  free(met->begins_ps);
  free(met->ends_ps);
  free(met->free_ps);
  free(met->sums_ps);
  free(met);
}

void simulator_memory_destroy(simulator_memory_t *memory) {
  for (int32_t i = 0; i < memory->met_count; i++) {
    destroy_met(memory->met[i]);
  }
  pod_list_deinit(&memory->mistakes_ps);
  free(memory);
}

static met_t *create_met(int32_t count, size_t classes) {
  const size_t times = (size_t)count * classes;
  met_t *met = pod_alloc(sizeof(*met));
  met->count = count;
  met->begins_ps = pod_alloc(times * sizeof(*met->begins_ps));
  met->ends_ps = pod_alloc(times * sizeof(*met->ends_ps));
  met->free_ps = pod_alloc(classes * sizeof(*met->free_ps));
  met->sums_ps = pod_alloc(classes * SUMS * sizeof(*met->sums_ps));
  met->size_bytes = (2 * times + (SUMS + 1) * classes) * sizeof(int64_t);
  return met;
}

// `hash`: of how its first collective began.
static void keep_met(simulator_memory_t *memory, met_t *met, uint64_t hash) {
  int32_t dropped = 0;
  memory->size_bytes += met->size_bytes;
  while (dropped < memory->met_count && (memory->size_bytes > MEMORY_BYTES_MAX ||
                                         memory->met_count - dropped == MET_MAX)) {
    memory->size_bytes -= memory->met[dropped]->size_bytes;
    destroy_met(memory->met[dropped++]);
  }
  memory->met_count -= dropped;
  const size_t kept = (size_t)memory->met_count;
  memmove(memory->met, &memory->met[dropped], kept * sizeof(*memory->met));
  memmove(memory->hashes, &memory->hashes[dropped], kept * sizeof(*memory->hashes));
  memory->met[kept] = met;
  memory->hashes[kept] = hash;
  memory->met_count++;
}

// --- Episodes ---

static void init_episode(rounds_episode_t *episode, size_t classes) {
  const size_t times = ROUNDS_TOGETHER_MAX * classes;
  *episode = (rounds_episode_t){
      .begun = pod_alloc(classes * sizeof(*episode->begun)),
      .begins_ps = pod_alloc(times * sizeof(*episode->begins_ps)),
      .ends_ps = pod_alloc(times * sizeof(*episode->ends_ps)),
      .sums_ps = pod_alloc(classes * SUMS * sizeof(*episode->sums_ps))};
}

static void deinit_episode(rounds_episode_t *episode) {
  free(episode->begun);
  free(episode->begins_ps);
  free(episode->ends_ps);
  free(episode->sums_ps);
}

static void clear_episode(const simulator_rounds_t *rounds, rounds_episode_t *episode) {
  episode->stage = ROUNDS_QUIET;
  episode->count = 0;
  memset(episode->begun, 0, (size_t)rounds->class_count * sizeof(*episode->begun));
}

void rounds_episodes_init(simulator_rounds_t *rounds) {
  const size_t classes = (size_t)rounds->class_count;
  init_episode(&rounds->now, classes);
  init_episode(&rounds->next, classes);
  for (int32_t i = 0; i < rounds->class_count; i++) {
    rounds->chips[i].held_ps = ROUNDS_NEVER_PS;
  }
}

void rounds_episodes_deinit(simulator_rounds_t *rounds) {
  deinit_episode(&rounds->now);
  deinit_episode(&rounds->next);
}

static int64_t *time_of(const simulator_rounds_t *rounds, int64_t *times_ps,
                        int32_t order, int32_t class_index) {
  return &times_ps[(size_t)order * (size_t)rounds->class_count + (size_t)class_index];
}

// Which of the episode the instance is, that the class has not begun; -1: a new one. An
// instance whose execution is over may serve another one.
static int32_t find_open(const simulator_rounds_t *rounds,
                         const rounds_episode_t *episode, int32_t instance,
                         int32_t class_index) {
  for (int32_t k = episode->count - 1; k >= 0; k--) {
    if (episode->instances[k] == instance &&
        *time_of(rounds, episode->begins_ps, k, class_index) == ROUNDS_NEVER_PS) {
      return k;
    }
  }
  return -1;
}

// The class begins a collective of the episode. Returns which; -1: there are too many.
static int32_t add_begin(const simulator_rounds_t *rounds, rounds_episode_t *episode,
                         int32_t instance, int32_t class_index, int64_t begin_ps) {
  int32_t k = find_open(rounds, episode, instance, class_index);
  if (k < 0) {
    if (episode->count == ROUNDS_TOGETHER_MAX) {
      episode->is_even = false;
      return -1;
    }
    k = episode->count++;
    episode->instances[k] = instance;
    episode->plans[k] = rounds->engine->instances.items[instance].plan;
    for (int32_t c = 0; c < rounds->class_count; c++) {
      *time_of(rounds, episode->begins_ps, k, c) = ROUNDS_NEVER_PS;
    }
  }
  episode->is_even &= k == episode->begun[class_index];
  episode->begun[class_index]++;
  *time_of(rounds, episode->begins_ps, k, class_index) = begin_ps;
  return k;
}

// --- To follow ---

static void follow_begin(simulator_rounds_t *rounds, int32_t index, int32_t class_index,
                         int64_t begin_ps) {
  simulator_instance_t *instance = &rounds->engine->instances.items[index];
  if (rounds->has_given_up) {
    return;
  }
  if (instance->part < 0) {
    const rounds_part_t *part = rounds_open_part(rounds, index);
    if (part == NULL) {
      rounds->has_given_up = true;
      return;
    }
    instance->part = (int32_t)(part - rounds->parts);
  }
  rounds_begin(rounds, &rounds->parts[instance->part], class_index, begin_ps);
}

// What chips have been held back for goes on, and so do their events.
static void release_chips(simulator_rounds_t *rounds) {
  for (int32_t c = 0; c < rounds->class_count; c++) {
    if (rounds->chips[c].held_ps < ROUNDS_NEVER_PS) {
      rounds->chips[c].held_ps = ROUNDS_NEVER_PS;
      rounds_wake_chip(rounds_worker_of(rounds, c), c);
    }
  }
}

static void begin_all(simulator_rounds_t *rounds, const rounds_episode_t *episode) {
  for (int32_t k = 0; k < episode->count; k++) {
    for (int32_t c = 0; c < rounds->class_count; c++) {
      const int64_t begin_ps = *time_of(rounds, episode->begins_ps, k, c);
      if (begin_ps < ROUNDS_NEVER_PS) {
        follow_begin(rounds, episode->instances[k], c, begin_ps);
      }
    }
  }
  release_chips(rounds);
}

static int64_t *sums_at(int64_t *sums_ps, int32_t class_index) {
  return &sums_ps[(size_t)class_index * SUMS];
}

static void take_sums(const simulator_rounds_t *rounds, int32_t class_index,
                      int64_t *out_sums_ps) {
  const simulator_network_t *network = &rounds->engine->network;
  for (int32_t d = 0; d < TORUS_DIRECTIONS; d++) {
    out_sums_ps[d] = network->channels[class_index * SIMULATOR_CHANNELS + d].busy_ps;
  }
  out_sums_ps[TORUS_DIRECTIONS] = network->any[class_index].busy_ps;
}

static void follow_episode(simulator_rounds_t *rounds, rounds_episode_t *episode) {
  for (int32_t c = 0; c < rounds->class_count; c++) {
    take_sums(rounds, c, sums_at(episode->sums_ps, c));
  }
  episode->stage = ROUNDS_FOLLOWED;
  begin_all(rounds, episode);
}

// What was held back for the next episode is of this one.
static void join_next(simulator_rounds_t *rounds) {
  rounds_episode_t *next = &rounds->next;
  for (int32_t k = 0; k < next->count; k++) {
    for (int32_t c = 0; c < rounds->class_count; c++) {
      const int64_t begin_ps = *time_of(rounds, next->begins_ps, k, c);
      if (begin_ps < ROUNDS_NEVER_PS) {
        (void)add_begin(rounds, &rounds->now, next->instances[k], c, begin_ps);
      }
    }
  }
  begin_all(rounds, next);
  clear_episode(rounds, next);
}

void rounds_episodes_part_ends(simulator_rounds_t *rounds, const rounds_part_t *part) {
  rounds_episode_t *now = &rounds->now;
  for (int32_t k = now->count - 1; k >= 0; k--) {
    if (now->instances[k] == part->instance) {
      memcpy(time_of(rounds, now->ends_ps, k, 0), part->ends_ps,
             (size_t)rounds->class_count * sizeof(*part->ends_ps));
      return;
    }
  }
}

// --- To look up ---

static uint64_t hash_of(const simulator_rounds_t *rounds,
                        const rounds_episode_t *episode) {
  uint64_t hash = (uint64_t)episode->plans[0];
  for (int32_t c = 0; c < rounds->class_count; c++) {
    hash = simulator_mix(hash, (uint64_t)(episode->begins_ps[c] - episode->begins_ps[0]));
  }
  return hash;
}

static void keep_episode(const simulator_rounds_t *rounds,
                         const rounds_episode_t *episode) {
  const size_t classes = (size_t)rounds->class_count;
  const int64_t base_ps = episode->begins_ps[0];
  met_t *met = create_met(episode->count, classes);
  memcpy(met->plans, episode->plans, sizeof(met->plans));
  for (size_t i = 0; i < (size_t)episode->count * classes; i++) {
    met->begins_ps[i] = episode->begins_ps[i] - base_ps;
    met->ends_ps[i] = episode->ends_ps[i] - base_ps;
  }
  for (int32_t c = 0; c < rounds->class_count; c++) {
    int64_t *sums_ps = sums_at(met->sums_ps, c);
    met->free_ps[c] = rounds->chips[c].links_free_ps - base_ps;
    take_sums(rounds, c, sums_ps);
    for (int i = 0; i < SUMS; i++) {
      sums_ps[i] -= sums_at(episode->sums_ps, c)[i];
    }
  }
  keep_met(rounds->engine->memory, met, hash_of(rounds, episode));
}

// Whether what has begun of the episode began likewise.
static bool is_like(const simulator_rounds_t *rounds, const rounds_episode_t *episode,
                    const met_t *met) {
  if (met->count < episode->count) {
    return false;
  }
  const int64_t base_ps = episode->begins_ps[0];
  for (int32_t k = 0; k < episode->count; k++) {
    if (met->plans[k] != episode->plans[k]) {
      return false;
    }
    for (int32_t c = 0; c < rounds->class_count; c++) {
      const int64_t begin_ps = *time_of(rounds, episode->begins_ps, k, c);
      if (begin_ps < ROUNDS_NEVER_PS &&
          begin_ps - base_ps != *time_of(rounds, met->begins_ps, k, c)) {
        return false;
      }
    }
  }
  return true;
}

static bool is_mistake(const simulator_memory_t *memory, int64_t base_ps) {
  for (int32_t i = 0; i < memory->mistakes_ps.count; i++) {
    if (memory->mistakes_ps.items[i] == base_ps) {
      return true;
    }
  }
  return false;
}

// Whether all classes have begun the same ones, at least the first.
static bool have_all_begun(const simulator_rounds_t *rounds,
                           const rounds_episode_t *episode) {
  for (int32_t c = 0; c < rounds->class_count; c++) {
    if (episode->begun[c] == 0) {
      return false;
    }
  }
  return episode->is_even;
}

// All classes have begun it.
static const met_t *find_met(const simulator_rounds_t *rounds,
                             const rounds_episode_t *episode) {
  const simulator_memory_t *memory = rounds->engine->memory;
  if (!memory->looks_up || is_mistake(memory, episode->begins_ps[0])) {
    return NULL;
  }
  const uint64_t hash = hash_of(rounds, episode);
  for (int32_t i = memory->met_count - 1; i >= 0; i--) {
    if (memory->hashes[i] == hash && is_like(rounds, episode, memory->met[i])) {
      return memory->met[i];
    }
  }
  return NULL;
}

// A collective that rounds.c has no room for, by itself: as if it had been met. NULL:
// that does not do either.
static const met_t *run_alone(simulator_rounds_t *rounds,
                              const rounds_episode_t *episode) {
  simulator_engine_t *engine = rounds->engine;
  if (episode->count > 1 || is_mistake(engine->memory, episode->begins_ps[0])) {
    return NULL;
  }
  met_t *met = create_met(1, (size_t)rounds->class_count);
  simulator_result_t *result = NULL;
  engine->status =
      simulator_run_alone(engine, engine->instances.items[episode->instances[0]].task,
                          episode->begins_ps, met->ends_ps, &result);
  if (engine->status != NULL) {
    destroy_met(met);
    return NULL;
  }
  met->plans[0] = episode->plans[0];
  for (int32_t c = 0; c < rounds->class_count; c++) {
    const int32_t chip = engine->classes.representatives[c];
    const simulator_chip_t *alone = &result->classes[result->class_of_chip[chip]];
    for (int32_t d = 0; d < TORUS_DIRECTIONS; d++) {
      sums_at(met->sums_ps, c)[d] = alone->links[d].busy_ps;
    }
    sums_at(met->sums_ps, c)[TORUS_DIRECTIONS] = alone->ici_ps;
    met->begins_ps[c] = episode->begins_ps[c] - episode->begins_ps[0];
    met->ends_ps[c] -= episode->begins_ps[0];
    met->free_ps[c] = met->ends_ps[c];  // No later than that.
  }
  simulator_result_destroy(result);
  keep_met(engine->memory, met, hash_of(rounds, episode));
  return met;
}

// It will have to be followed; after too many, all will.
static void note_mistake(simulator_rounds_t *rounds) {
  simulator_memory_t *memory = rounds->engine->memory;
  if (!rounds->is_mistaken) {
    *pod_list_add(&memory->mistakes_ps) = rounds->now.begins_ps[0];
    memory->looks_up &= memory->mistakes_ps.count < MISTAKES_MAX;
  }
  rounds->is_mistaken = true;
}

static void end_as_met(simulator_rounds_t *rounds, int32_t order, int32_t class_index) {
  simulator_engine_t *engine = rounds->engine;
  rounds_episode_t *now = &rounds->now;
  const int32_t instance = now->instances[order];
  engine->instances.items[instance].classes[class_index].parts_left = 1;
  engine->steps += rounds_messages_of(rounds, now->plans[order]);
  now->begins_left--;
  simulator_rounds_schedule(
      engine, now->begins_ps[0] + *time_of(rounds, now->met->ends_ps, order, class_index),
      (simulator_queue_event_t){
          .kind = SIMULATOR_COPIES, .a = instance, .b = class_index});
}

static void look_up(simulator_rounds_t *rounds, const met_t *met) {
  simulator_engine_t *engine = rounds->engine;
  rounds_episode_t *now = &rounds->now;
  now->stage = ROUNDS_LOOKED_UP;
  now->met = met;
  now->begins_left = met->count * rounds->class_count;
  engine->result->episodes_looked_up++;
  for (int32_t c = 0; c < rounds->class_count; c++) {
    const int64_t *sums_ps = sums_at(met->sums_ps, c);
    for (int32_t d = 0; d < TORUS_DIRECTIONS; d++) {
      engine->network.channels[c * SIMULATOR_CHANNELS + d].busy_ps += sums_ps[d];
    }
    engine->network.any[c].busy_ps += sums_ps[TORUS_DIRECTIONS];
    for (int32_t k = 0; k < now->begun[c]; k++) {
      end_as_met(rounds, k, c);
    }
  }
  release_chips(rounds);
}

static void hold(simulator_rounds_t *rounds, rounds_episode_t *episode, int32_t instance,
                 int32_t class_index, int64_t begin_ps) {
  rounds_chip_t *chip = &rounds->chips[class_index];
  if (episode->stage == ROUNDS_QUIET) {
    episode->stage = ROUNDS_HELD_BACK;
    episode->is_even = true;
  }
  if (add_begin(rounds, episode, instance, class_index, begin_ps) < 0) {
    rounds->has_given_up = true;
  }
  chip->held_ps = begin_ps < chip->held_ps ? begin_ps : chip->held_ps;
}

// The class begins a collective while the episode goes on as one that was met.
static void begin_as_met(simulator_rounds_t *rounds, int32_t instance,
                         int32_t class_index, int64_t begin_ps) {
  rounds_episode_t *now = &rounds->now;
  const met_t *met = now->met;
  const int32_t order = now->begun[class_index];
  const int64_t since_ps = begin_ps - now->begins_ps[0];
  if (order == met->count) {
    if (since_ps < met->free_ps[class_index]) {
      note_mistake(rounds);
    }
    hold(rounds, &rounds->next, instance, class_index, begin_ps);
    return;
  }
  if (add_begin(rounds, now, instance, class_index, begin_ps) != order ||
      now->plans[order] != met->plans[order] ||
      since_ps != *time_of(rounds, met->begins_ps, order, class_index)) {
    note_mistake(rounds);
    return;
  }
  end_as_met(rounds, order, class_index);
}

// --- What comes ---

void rounds_episodes_begin(simulator_rounds_t *rounds, int32_t instance,
                           int32_t class_index, int64_t begin_ps) {
  rounds_episode_t *now = &rounds->now;
  rounds_episode_t *next = &rounds->next;
  if (now->stage == ROUNDS_LOOKED_UP) {
    begin_as_met(rounds, instance, class_index, begin_ps);
    return;
  }
  if (now->stage != ROUNDS_FOLLOWED) {
    hold(rounds, now, instance, class_index, begin_ps);
    return;
  }
  if (rounds->chips[class_index].live == 0 &&
      rounds->engine->instances.items[instance].part < 0) {
    hold(rounds, next, instance, class_index, begin_ps);
    return;
  }
  if (next->begun[class_index] > 0 ||
      find_open(rounds, next, instance, class_index) >= 0) {
    join_next(rounds);
  }
  (void)add_begin(rounds, now, instance, class_index, begin_ps);
  follow_begin(rounds, instance, class_index, begin_ps);
}

bool rounds_episodes_go_on(simulator_rounds_t *rounds) {
  rounds_episode_t *now = &rounds->now;
  const bool is_followed = now->stage == ROUNDS_FOLLOWED && !rounds_is_any_live(rounds);
  if (is_followed && now->is_even && rounds->engine->memory->looks_up) {
    keep_episode(rounds, now);
  }
  if (is_followed || (now->stage == ROUNDS_LOOKED_UP && now->begins_left == 0)) {
    clear_episode(rounds, now);
    const rounds_episode_t over = *now;
    *now = rounds->next;
    rounds->next = over;
  }
  if (now->stage != ROUNDS_HELD_BACK) {
    return false;
  }
  const met_t *met = NULL;
  if (have_all_begun(rounds, now)) {
    met = find_met(rounds, now);
    if (met == NULL && !rounds_fits(rounds, now->plans[0])) {
      met = run_alone(rounds, now);
    }
  }
  if (rounds->engine->status != NULL) {
    return false;
  }
  if (met != NULL) {
    look_up(rounds, met);
  } else {
    follow_episode(rounds, now);
  }
  return true;
}

bool rounds_episodes_join(simulator_rounds_t *rounds) {
  if (rounds->now.stage != ROUNDS_FOLLOWED || rounds->next.stage == ROUNDS_QUIET) {
    return false;
  }
  join_next(rounds);
  return true;
}

void rounds_episodes_check(simulator_rounds_t *rounds) {
  if (rounds->now.stage == ROUNDS_LOOKED_UP) {
    note_mistake(rounds);
  }
}
