// Turns of a loop that repeat are not run again. When a turn ends, all that is under way
// is written down as it looks from there: times from now on, executions and turns counted
// from those of the first class. What follows a turn that ends as one before it did goes
// on as it did then, to the picosecond, since the clock looks at nothing else. So what
// the turns between the two have added to the sums is added once for every time that they
// would come again, and the clock goes on behind that.
//
// A turn is compared with those that are kept: the latest ones, as many as there is room
// for, which finds a short period at once; and one that is kept after 1, 2, 4, 8 … turns,
// which gets over a beginning that does not repeat and over a long period (Brent, 1980).
//
// One walk over the state serves three ends: to write it down, to find the events that
// have not ended, and to move it. So what is compared is what is moved.

#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "server/simulator/periods_state.h"

enum {
  TURNS_MAX = 1 << 14,  // A loop that has not repeated by then is let alone.
};
// What the turns of a loop that are kept may take, in all.
#define KEPT_BYTES_MAX ((size_t)384 << 20)

// Whether all classes are in the loop, or through.
static bool is_comparable(const walk_t *walk) {
  for (int32_t i = 0; i < walk->engine->running_count; i++) {
    const simulator_core_t *core = &walk->engine->cores[i];
    if (core->state == SIMULATOR_CORE_ENDED) {
      continue;
    }
    if (core->frames.count <= walk->depth ||
        core->frames.items[walk->depth].owner != walk->owner) {
      return false;
    }
  }
  return true;
}

// --- Sums ---

static void take_sums(const simulator_engine_t *engine, int32_t class_index,
                      sums_t *out_sums) {
  const simulator_chip_t *chip = &engine->result->classes[class_index];
  *out_sums = (sums_t){.compute_ps = chip->compute_ps,
                       .waiting_ps = chip->waiting_ps,
                       .overlapped_ps = chip->overlapped_ps,
                       .mxu_ps = chip->mxu_ps,
                       .vpu_ps = chip->vpu_ps,
                       .hbm_ps = chip->hbm_ps,
                       .dma_ps = chip->dma_ps,
                       .any_ps = engine->network.any[class_index].busy_ps,
                       .stretched_ps = engine->cores[class_index].stretched_ps,
                       .log = simulator_record_counts(engine, class_index)};
  for (int d = 0; d < SIMULATOR_CHANNELS; d++) {
    const simulator_channel_t *channel =
        &engine->network.channels[class_index * SIMULATOR_CHANNELS + d];
    out_sums->links[d] =
        (simulator_link_t){channel->bytes, channel->busy_ps, channel->messages};
  }
}

// `to` += times · (`now` - `then`), word by word: sums are int64 and nothing else.
static void add_gain(void *to, const void *now, const void *then, size_t size_bytes,
                     int64_t times) {
  int64_t *sums = to;
  const int64_t *a = now;
  const int64_t *b = then;
  for (size_t i = 0; i < size_bytes / sizeof(int64_t); i++) {
    sums[i] += times * (a[i] - b[i]);
  }
}

static void put_sums(simulator_engine_t *engine, int32_t class_index,
                     const sums_t *sums) {
  simulator_chip_t *chip = &engine->result->classes[class_index];
  chip->compute_ps = sums->compute_ps;
  chip->waiting_ps = sums->waiting_ps;
  chip->overlapped_ps = sums->overlapped_ps;
  chip->mxu_ps = sums->mxu_ps;
  chip->vpu_ps = sums->vpu_ps;
  chip->hbm_ps = sums->hbm_ps;
  chip->dma_ps = sums->dma_ps;
  engine->network.any[class_index].busy_ps = sums->any_ps;
  engine->cores[class_index].stretched_ps = sums->stretched_ps;
  for (int d = 0; d < SIMULATOR_CHANNELS; d++) {
    simulator_channel_t *channel =
        &engine->network.channels[class_index * SIMULATOR_CHANNELS + d];
    channel->bytes = sums->links[d].bytes;
    channel->busy_ps = sums->links[d].busy_ps;
    channel->messages = sums->links[d].messages;
  }
}

static void grow_totals(const walk_t *walk, int32_t class_index) {
  const watch_t *watch = walk->watch;
  simulator_total_t *totals = walk->engine->result->classes[class_index].totals;
  const simulator_total_t *then =
      &walk->kept->totals[(size_t)class_index * (size_t)watch->task_count];
  for (int32_t i = 0; i < watch->task_count; i++) {
    simulator_total_t *now = &totals[watch->tasks[i]];
    simulator_total_t grown = *now;
    add_gain(&grown, now, &then[i], sizeof(grown), walk->times);
    grown.start_ps = now->start_ps;
    *now = grown;
  }
}

// --- Traces ---

// How many values lie between two cursors of a list.
static int64_t values_between(const chip_trace_list_t *list, chip_trace_cursor_t from,
                              chip_trace_cursor_t to) {
  int64_t count = to.used - from.used;
  for (int32_t run = from.run; run < to.run; run++) {
    count += list->items[run].repeat;
  }
  return count;
}

static chip_trace_cursor_t skip_ended(const chip_trace_list_t *list,
                                      chip_trace_cursor_t cursor) {
  while (cursor.run < list->count && cursor.used >= list->items[cursor.run].repeat) {
    cursor = (chip_trace_cursor_t){.run = cursor.run + 1};
  }
  return cursor;
}

// How often, up to `times`, the values from `from` to `to` come again behind `to`, where
// `out_end` then stands.
static int64_t values_repeat(const chip_trace_list_t *list, chip_trace_cursor_t from,
                             chip_trace_cursor_t to, int64_t times,
                             chip_trace_cursor_t *out_end) {
  const int64_t count = values_between(list, from, to);
  *out_end = to;
  if (count == 0) {
    return times;
  }
  int64_t left = times > INT64_MAX / count ? INT64_MAX : times * count;
  int64_t same = 0;
  while (left > 0) {
    from = skip_ended(list, from);
    to = skip_ended(list, to);
    if (to.run >= list->count ||
        list->items[to.run].value != list->items[from.run].value) {
      break;
    }
    int64_t step = list->items[to.run].repeat - to.used;
    const int64_t from_step = list->items[from.run].repeat - from.used;
    step = from_step < step ? from_step : step;
    step = left < step ? left : step;
    from.used += step;
    to.used += step;
    same += step;
    left -= step;
  }
  *out_end = to;
  return same / count;
}

typedef struct control_t {
  const chip_trace_list_t *list;
  chip_trace_cursor_t kept;
  chip_trace_cursor_t *now;
} control_t;

// False: the class has no such trace.
static bool find_control(const walk_t *walk, int32_t class_index, int32_t slot,
                         control_t *out_control) {
  const simulator_engine_t *engine = walk->engine;
  const simulator_core_t *core = &engine->cores[class_index];
  const int32_t instruction = walk->periods->instructions[slot];
  if (core->trace == NULL || instruction >= core->trace->instruction_count) {
    return false;
  }
  const size_t at = (size_t)class_index * (size_t)engine->control_slots + (size_t)slot;
  *out_control = (control_t){.list = &core->trace->lists[instruction],
                             .kept = walk->kept->cursors[at],
                             .now = &core->cursors[slot]};
  return true;
}

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static int64_t limit_by_traces(const walk_t *walk, int32_t class_index, int64_t times) {
  for (int32_t slot = 0; slot < walk->engine->control_slots; slot++) {
    control_t control;
    chip_trace_cursor_t end;
    if (find_control(walk, class_index, slot, &control)) {
      times = values_repeat(control.list, control.kept, *control.now, times, &end);
    }
  }
  return times;
}

static void move_cursors(const walk_t *walk, int32_t class_index) {
  for (int32_t slot = 0; slot < walk->engine->control_slots; slot++) {
    control_t control;
    if (find_control(walk, class_index, slot, &control)) {
      (void)values_repeat(control.list, control.kept, *control.now, walk->times,
                          control.now);
    }
  }
}

// --- To pass over ---

// How many turns may be passed over: the one that is under way is one of those left.
static int64_t turns_ahead(const simulator_frame_t *loop) {
  return loop->turns_left - (loop->kind == SIMULATOR_FRAME_BODY);
}

// How often the period comes again, as far as turns, traces and the range of numbers go.
static int64_t count_times(const walk_t *walk) {
  const simulator_engine_t *engine = walk->engine;
  int64_t times = (SIMULATOR_TIME_MAX_PS - engine->now_ps) / walk->period_ps;
  for (int32_t slot = 0; slot < engine->collective_slots; slot++) {
    const int32_t gain = simulator_periods_sequence_gain(walk, slot);
    if (gain > 0) {
      times = least(times, (INT32_MAX / 2 - engine->cores[0].sequences[slot]) / gain);
    }
  }
  for (int32_t i = 0; i < engine->running_count && times > 0; i++) {
    const simulator_core_t *core = &engine->cores[i];
    if (core->state != SIMULATOR_CORE_ENDED) {
      times = least(times,
                    turns_ahead(&core->frames.items[walk->depth]) / walk->period_turns);
      times = limit_by_traces(walk, i, times);
    }
  }
  return times;
}

// Events of the last period that have not ended get what the same ones got a period
// earlier; those that go on from here are copies of them.
static void end_open_events(walk_t *walk) {
  enum { IS_OPEN = -1 };
  simulator_engine_t *engine = walk->engine;
  walk->kind = WALK_OPEN;
  pod_list_clear(&walk->periods->open);
  simulator_periods_walk(walk);
  const int32_t count = walk->periods->open.count;
  const open_event_t *open = walk->periods->open.items;
  for (int32_t i = 0; i < count; i++) {
    engine->logs[open[i].class_index].events.items[open[i].event].flight_ps = IS_OPEN;
  }
  for (int32_t i = 0; i < count; i++) {
    simulator_event_t *events = engine->logs[open[i].class_index].events.items;
    const int64_t period = walk->periods->gains[open[i].class_index].log.events;
    int64_t at = open[i].event;
    while (events[at].flight_ps == IS_OPEN) {
      at -= period;
      POD_CHECK(period > 0 && at >= 0);
    }
    events[open[i].event].duration_ps = events[at].duration_ps;
    events[open[i].event].flight_ps = events[at].flight_ps;
  }
}

static void pass_over(walk_t *walk) {
  simulator_engine_t *engine = walk->engine;
  const kept_t *kept = walk->kept;
  sums_t *gains = walk->periods->gains;
  for (int32_t i = 0; i < engine->classes.class_count; i++) {
    sums_t now;
    take_sums(engine, i, &now);
    gains[i] = (sums_t){0};
    add_gain(&gains[i], &now, &kept->sums[i], sizeof(now), 1);
  }
  end_open_events(walk);
  for (int32_t i = 0; i < engine->classes.class_count; i++) {
    simulator_record_repeat(engine, i, &kept->sums[i].log, walk->times, walk->period_ps);
  }
  walk->kind = WALK_MOVE;
  simulator_periods_walk(walk);
  for (int32_t i = 0; i < engine->classes.class_count; i++) {
    const sums_t none = {0};
    sums_t now;
    take_sums(engine, i, &now);
    add_gain(&now, &gains[i], &none, sizeof(now), walk->times);
    put_sums(engine, i, &now);
    grow_totals(walk, i);
  }
  for (int32_t slot = 0; slot < engine->collective_slots; slot++) {
    const int32_t moved =
        (int32_t)(walk->times * simulator_periods_sequence_gain(walk, slot));
    for (int32_t i = engine->live[slot]; i >= 0; i = engine->instances.items[i].next) {
      engine->instances.items[i].sequence += moved;
    }
    for (int32_t i = 0; i < engine->running_count; i++) {
      engine->cores[i].sequences[slot] += moved;
    }
  }
  for (int32_t i = 0; i < engine->running_count; i++) {
    move_cursors(walk, i);
  }
  engine->now_ps += walk->times * walk->period_ps;
}

// --- To keep and to compare ---

// Marks the computations that those marked call. True: there are new ones.
static bool mark_called(const chip_program_t *program, bool *marks) {
  bool is_new = false;
  for (int32_t i = 0; i < program->computation_count; i++) {
    const chip_computation_t *computation = &program->computations[i];
    for (int32_t t = 0; t < computation->task_count && marks[i]; t++) {
      const chip_task_t *task = &program->tasks[computation->first_task + t];
      const bool is_control =
          task->kind == CHIP_TASK_WHILE || task->kind == CHIP_TASK_BRANCH;
      const chip_instruction_t *instruction = &program->instructions[task->instruction];
      for (int32_t c = 0; is_control && c < instruction->call_count; c++) {
        is_new |= !marks[instruction->calls[c]];
        marks[instruction->calls[c]] = true;
      }
    }
  }
  return is_new;
}

// The tasks whose totals a turn may change: the others are outside the loop, where a
// period, at whose ends all is as it was, does nothing.
static void list_tasks(const walk_t *walk) {
  const chip_program_t *program = walk->engine->program;
  watch_t *watch = walk->watch;
  bool *marks = pod_alloc((size_t)program->computation_count * sizeof(*marks));
  const chip_instruction_t *loop =
      &program->instructions[program->tasks[walk->owner].instruction];
  for (int32_t c = 0; c < loop->call_count; c++) {
    marks[loop->calls[c]] = true;
  }
  while (mark_called(program, marks)) {
  }
  watch->tasks = pod_alloc(((size_t)program->task_count + 1) * sizeof(*watch->tasks));
  for (int32_t i = 0; i < program->computation_count; i++) {
    const chip_computation_t *computation = &program->computations[i];
    for (int32_t t = 0; t < computation->task_count && marks[i]; t++) {
      watch->tasks[watch->task_count++] = computation->first_task + t;
    }
  }
  free(marks);
}

// How many turns there is room for.
static int32_t count_kept(const walk_t *walk) {
  const simulator_engine_t *engine = walk->engine;
  const size_t of_class = sizeof(sums_t) +
                          (size_t)walk->watch->task_count * sizeof(simulator_total_t) +
                          (size_t)engine->control_slots * sizeof(chip_trace_cursor_t);
  const size_t size_bytes = (size_t)engine->classes.class_count * of_class +
                            (size_t)walk->periods->state.count * sizeof(int64_t);
  const size_t count = KEPT_BYTES_MAX / (size_bytes + 1);
  return count < 1 ? 1 : count > KEPT_MAX ? KEPT_MAX : (int32_t)count;
}

static void make_kept(const walk_t *walk, kept_t *kept) {
  const simulator_engine_t *engine = walk->engine;
  const size_t classes = (size_t)engine->classes.class_count;
  const size_t tasks = (size_t)walk->watch->task_count;
  kept->sums = pod_alloc(classes * sizeof(*kept->sums));
  kept->totals = pod_alloc((classes * tasks + 1) * sizeof(*kept->totals));
  kept->cursors =
      pod_alloc(classes * (size_t)engine->control_slots * sizeof(*kept->cursors));
  kept->sequences =
      pod_alloc(((size_t)engine->collective_slots + 1) * sizeof(*kept->sequences));
}

static void keep_totals(const walk_t *walk, kept_t *kept, int32_t class_index) {
  const watch_t *watch = walk->watch;
  const simulator_total_t *totals = walk->engine->result->classes[class_index].totals;
  simulator_total_t *to = &kept->totals[(size_t)class_index * (size_t)watch->task_count];
  for (int32_t i = 0; i < watch->task_count; i++) {
    to[i] = totals[watch->tasks[i]];
  }
}

static void keep(const walk_t *walk, kept_t *kept) {
  const simulator_engine_t *engine = walk->engine;
  const size_t slots = (size_t)engine->control_slots;
  if (kept->sums == NULL) {
    make_kept(walk, kept);
  }
  for (int32_t i = 0; i < engine->classes.class_count; i++) {
    take_sums(engine, i, &kept->sums[i]);
    keep_totals(walk, kept, i);
  }
  for (size_t i = 0; i < (size_t)engine->running_count; i++) {
    memcpy(&kept->cursors[i * slots], engine->cores[i].cursors,
           slots * sizeof(*kept->cursors));
  }
  memcpy(kept->sequences, engine->cores[0].sequences,
         (size_t)engine->collective_slots * sizeof(*kept->sequences));
  const words_t *state = &walk->periods->state;
  pod_list_clear(&kept->state);
  pod_list_reserve(&kept->state, state->count + 1);
  memcpy(kept->state.items, state->items, (size_t)state->count * sizeof(*state->items));
  kept->state.count = state->count;
  kept->hash = walk->periods->hash;
  kept->is_kept = true;
  kept->ps = engine->now_ps;
  kept->turns_left = walk->turns_left;
}

static void keep_turn(const walk_t *walk) {
  watch_t *watch = walk->watch;
  if (watch->tasks == NULL) {
    list_tasks(walk);
  }
  if (watch->kept_count == 0) {
    watch->kept_count = count_kept(walk);
  }
  if (watch->seen >= watch->keep_at) {
    watch->keep_at *= 2;
    keep(walk, &watch->kept[0]);
  }
  if (watch->kept_count > 1) {
    keep(walk, &watch->kept[1 + watch->next]);
    watch->next = (watch->next + 1) % (watch->kept_count - 1);
  }
}

static uint64_t hash_of(const words_t *state) {
  uint64_t hash = (uint64_t)state->count;
  for (int32_t i = 0; i < state->count; i++) {
    hash = simulator_mix(hash, (uint64_t)state->items[i]);
  }
  return hash;
}

static bool is_as(const walk_t *walk, const kept_t *kept) {
  const words_t *now = &walk->periods->state;
  return kept->is_kept && kept->hash == walk->periods->hash &&
         now->count == kept->state.count &&
         memcmp(now->items, kept->state.items,
                (size_t)now->count * sizeof(*now->items)) == 0;
}

// Whether the turns since then come again; says how often in walk->times.
static bool comes_again(walk_t *walk, const kept_t *kept) {
  if (!is_as(walk, kept)) {
    return false;
  }
  walk->kept = kept;
  walk->period_ps = walk->engine->now_ps - kept->ps;
  walk->period_turns = kept->turns_left - walk->turns_left;
  walk->times = walk->period_ps > 0 ? count_times(walk) : 0;
  return walk->times > 0;
}

// The latest turn from which on turns come again; false: there is none. Turns that begin
// alike may take other ways, as their traces say: then those before them are tried.
static bool find_period(walk_t *walk) {
  watch_t *watch = walk->watch;
  const int32_t latest = watch->kept_count - 1;
  for (int32_t i = 1; i <= latest; i++) {
    if (comes_again(walk, &watch->kept[1 + (watch->next - i + latest) % latest])) {
      return true;
    }
  }
  return watch->kept_count > 0 && comes_again(walk, &watch->kept[0]);
}

static void forget_kept(watch_t *watch) {
  for (int32_t i = 0; i < watch->kept_count; i++) {
    watch->kept[i].is_kept = false;
  }
}

// A turn of the loop has ended. True: turns have been passed over.
static bool look_at_turn(walk_t *walk) {
  watch_t *watch = walk->watch;
  pod_list_clear(&walk->periods->state);
  simulator_periods_walk(walk);
  walk->periods->hash = hash_of(&walk->periods->state);
  if (find_period(walk)) {
    pass_over(walk);
    forget_kept(watch);
    watch->seen = TURNS_MAX;
    return true;
  }
  keep_turn(walk);
  return false;
}

// The loop of a frame of the first class.
static bool look_at_loop(simulator_engine_t *engine, int32_t depth) {
  simulator_frame_t *frame = &engine->cores[0].frames.items[depth];
  watch_t *watch = &engine->periods->watches[engine->slots[frame->owner]];
  if (watch->start_ps != frame->start_ps || watch->turns_left < frame->turns_left) {
    watch->start_ps = frame->start_ps;
    watch->turns_left = frame->turns_left + 1;
    watch->seen = 0;
    watch->keep_at = 1;
    forget_kept(watch);
  }
  if (watch->turns_left == frame->turns_left || watch->seen >= TURNS_MAX) {
    return false;
  }
  watch->turns_left = frame->turns_left;
  watch->seen++;
  walk_t walk = {.kind = WALK_WRITE,
                 .engine = engine,
                 .periods = engine->periods,
                 .watch = watch,
                 .owner = frame->owner,
                 .depth = depth,
                 .turns_left = frame->turns_left};
  if (!is_comparable(&walk) || !look_at_turn(&walk)) {
    return false;
  }
  watch->turns_left = frame->turns_left;
  return true;
}

static void create(simulator_engine_t *engine) {
  const size_t slots = (size_t)engine->control_slots;
  simulator_periods_t *periods = pod_alloc(sizeof(*periods));
  periods->watches = pod_alloc(slots * sizeof(*periods->watches));
  periods->instructions = pod_alloc(slots * sizeof(*periods->instructions));
  periods->gains =
      pod_alloc((size_t)engine->classes.class_count * sizeof(*periods->gains));
  for (int32_t i = 0; i < engine->program->task_count; i++) {
    const chip_task_kind_t kind = engine->program->tasks[i].kind;
    if (kind == CHIP_TASK_WHILE || kind == CHIP_TASK_BRANCH) {
      periods->instructions[engine->slots[i]] = engine->program->tasks[i].instruction;
    }
  }
  engine->periods = periods;
}

void simulator_periods_look(simulator_engine_t *engine) {
  if (engine->turns_ended == 0 || engine->options->runs_every_turn) {
    return;
  }
  if (engine->periods == NULL) {
    create(engine);
  }
  if (engine->periods->turns_seen == engine->turns_ended) {
    return;
  }
  engine->periods->turns_seen = engine->turns_ended;
  simulator_windows_bring(engine, engine->now_ps);
  simulator_network_bring(&engine->network, engine->now_ps);
  for (int32_t i = 0; i < engine->running_count && engine->rounds == NULL; i++) {
    simulator_core_bring(engine, i);
  }
  const simulator_core_t *first = &engine->cores[0];
  for (int32_t depth = first->frames.count - 1; depth >= 0; depth--) {
    if (first->frames.items[depth].kind != SIMULATOR_FRAME_PLAIN &&
        look_at_loop(engine, depth)) {
      return;
    }
  }
}

static void deinit_watch(watch_t *watch) {
  for (int32_t i = 0; i < KEPT_MAX; i++) {
    kept_t *kept = &watch->kept[i];
    pod_list_deinit(&kept->state);
    free(kept->sums);
    free(kept->totals);
    free(kept->cursors);
    free(kept->sequences);
  }
  free(watch->tasks);
}

void simulator_periods_deinit(simulator_engine_t *engine) {
  simulator_periods_t *periods = engine->periods;
  if (periods == NULL) {
    return;
  }
  for (int32_t i = 0; i < engine->control_slots; i++) {
    deinit_watch(&periods->watches[i]);
  }
  free(periods->watches);
  free(periods->instructions);
  free(periods->gains);
  pod_list_deinit(&periods->state);
  pod_list_deinit(&periods->open);
  free(periods);
}
