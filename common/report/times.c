// What is written of the tasks is what takes longest; of a class's events, thin.c's
// pieces.

#include "common/report/times.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/report/thin.h"

enum {
  TASKS_MAX = 16384,
  TIMELINES_MAX = 24,
  EVENTS_MAX = 48000,  // Of all timelines.
  CLASS_EVENTS_MAX = 16000,
  CLASS_EVENTS_MIN = 1000,
  HBM_POINTS_MAX = 500,
  LINK_BINS = 240,
};

static void add_text(pod_json_t *json, const char *name, const char *text) {
  pod_json_add_text(json, name, text == NULL ? "" : text);
}

// --- What has a place ---

typedef struct ranked_t {
  int index;
  int64_t rank, second;
} ranked_t;

static int by_rank(const void *left, const void *right) {
  const ranked_t *a = left, *b = right;
  int order = (a->rank < b->rank) - (a->rank > b->rank);
  order = order != 0 ? order : (a->second < b->second) - (a->second > b->second);
  return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

// Those that take longest, with their other ends, in the order of the program.
static void place_tasks(report_places_t *places) {
  const report_times_t *times = places->times;
  const int count = times->task_count;
  ranked_t *ranked = pod_alloc((size_t)count * sizeof(*ranked) + 1);
  for (int i = 0; i < count; i++) {
    ranked[i] = (ranked_t){i, times->tasks[i].duration_ps, times->tasks[i].flight_ps};
    places->of_task[i] = -1;
  }
  qsort(ranked, (size_t)count, sizeof(*ranked), by_rank);
  for (int i = 0; i < count && i < TASKS_MAX; i++) {
    const int task = ranked[i].index, partner = times->tasks[task].partner;
    places->of_task[task] = 0;
    if (partner >= 0 && partner < count) {
      places->of_task[partner] = 0;
    }
  }
  for (int i = 0; i < count; i++) {
    if (places->of_task[i] == 0) {
      places->task_at[places->row_count] = i;
      places->of_task[i] = places->row_count++;
    }
  }
  free(ranked);
}

// The class that ends last, then those of most chips.
static void place_timelines(report_places_t *places) {
  const report_times_t *times = places->times;
  const int count = times->class_count;
  ranked_t *ranked = pod_alloc((size_t)count * sizeof(*ranked) + 1);
  for (int i = 0; i < count; i++) {
    ranked[i] =
        (ranked_t){i, i == times->slowest ? INT64_MAX : times->classes[i].chip_count,
                   times->classes[i].end_ps};
  }
  qsort(ranked, (size_t)count, sizeof(*ranked), by_rank);
  for (int i = 0; i < count && i < TIMELINES_MAX; i++) {
    if (times->classes[ranked[i].index].event_count > 0) {
      places->has_timeline[ranked[i].index] = true;
      places->timeline_count++;
    }
  }
  free(ranked);
  const int64_t each =
      EVENTS_MAX / (places->timeline_count < 1 ? 1 : places->timeline_count);
  places->events_per_class = each > CLASS_EVENTS_MAX   ? CLASS_EVENTS_MAX
                             : each < CLASS_EVENTS_MIN ? CLASS_EVENTS_MIN
                                                       : each;
}

void report_places_init(report_places_t *places, const report_times_t *times) {
  *places = (report_places_t){.times = times};
  if (times == NULL) {
    return;
  }
  places->of_task = pod_alloc((size_t)times->task_count * sizeof(int));
  places->task_at = pod_alloc((size_t)times->task_count * sizeof(int));
  places->has_timeline = pod_alloc((size_t)times->class_count * sizeof(bool));
  place_tasks(places);
  place_timelines(places);
}

void report_places_deinit(report_places_t *places) {
  free(places->of_task);
  free(places->task_at);
  free(places->has_timeline);
}

// --- Tasks ---

static const char *kind_name(report_kind_t kind) {
  static const char *const names[] = {"compute",  "collective", "start", "done",
                                      "prefetch", "prefetched", "while", "branch",
                                      "transfer", "transferred"};
  return (size_t)kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "compute";
}

static void add_task(pod_json_t *json, const report_places_t *places,
                     const report_task_t *task) {
  const bool has_partner =
      task->partner >= 0 && task->partner < places->times->task_count;
  pod_json_begin_list(json, NULL);
  add_text(json, NULL, task->name);
  add_text(json, NULL, kind_name(task->kind));
  add_text(json, NULL, task->op);
  add_text(json, NULL, task->shape);
  add_text(json, NULL, task->source);
  pod_json_add_int(json, NULL, has_partner ? places->of_task[task->partner] : -1);
  add_text(json, NULL, task->bound);
  const int64_t numbers[] = {task->flop,       task->busy_flop,  task->vpu_op,
                             task->hbm_bytes,  task->vmem_bytes, task->hbm_live_bytes,
                             task->runs,       task->start_ps,   task->duration_ps,
                             task->waiting_ps, task->flight_ps,  task->ici_bytes};
  for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
    pod_json_add_int(json, NULL, numbers[i]);
  }
  pod_json_end_list(json);
}

static void add_tasks(pod_json_t *json, const report_places_t *places) {
  static const char *const columns[] = {
      "name",           "kind", "op",        "shape",       "source",     "partner",
      "bound",          "flop", "busy_flop", "vpu_op",      "hbm_bytes",  "vmem_bytes",
      "hbm_live_bytes", "runs", "start_ps",  "duration_ps", "waiting_ps", "flight_ps",
      "ici_bytes"};
  pod_json_begin_list(json, "task_columns");
  for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
    pod_json_add_text(json, NULL, columns[i]);
  }
  pod_json_end_list(json);
  pod_json_begin_list(json, "tasks");
  for (int row = 0; row < places->row_count; row++) {
    add_task(json, places, &places->times->tasks[places->task_at[row]]);
  }
  pod_json_end_list(json);
  pod_json_add_int(json, "tasks_left_out", places->times->task_count - places->row_count);
}

// --- A timeline ---

static void add_core(pod_json_t *json, report_places_t *places,
                     const report_class_t *one) {
  int64_t count;
  report_piece_t *pieces =
      report_thin_events(places->times, one, places->events_per_class, &count);
  int64_t grouped = 0;
  pod_json_begin_list(json, "core");
  for (int64_t i = 0; i < count; i++) {
    const report_piece_t *piece = &pieces[i];
    const int row = piece->count == 1 ? places->of_task[piece->task] : -1;
    pod_json_begin_list(json, NULL);
    pod_json_add_int(json, NULL, piece->start_ps);
    pod_json_add_int(json, NULL, piece->duration_ps);
    pod_json_add_int(json, NULL, row);
    if (row < 0) {
      const bool is_one = piece->count == 1;
      pod_json_add_int(json, NULL, piece->count);
      pod_json_add_int(json, NULL, is_one ? piece->duration_ps : piece->busy_ps);
      add_text(json, NULL,
               is_one ? places->times->tasks[piece->task].bound : piece->bound);
    }
    pod_json_end_list(json);
    grouped += piece->count > 1 ? piece->count : 0;
  }
  pod_json_end_list(json);
  pod_json_add_int(json, "tasks_grouped", grouped);
  places->grouped += grouped;
  free(pieces);
}

static int64_t flight_of(const report_times_t *times, const report_event_t *event) {
  switch (times->tasks[event->task].kind) {
    case REPORT_START:
    case REPORT_PREFETCH:
    case REPORT_TRANSFER:
      return event->flight_ps;
    case REPORT_COLLECTIVE:
      return event->duration_ps;
    default:
      return 0;
  }
}

// The bits of a number the other way round: of what is equally long, those at the front
// in this order are spread over the whole.
static int64_t spread(int number) {
  int64_t reversed = 0;
  for (int bit = 0; bit < 31; bit++) {
    reversed = 2 * reversed + ((number >> bit) & 1);
  }
  return reversed;
}

static void add_flights(pod_json_t *json, report_places_t *places,
                        const report_class_t *one) {
  const int64_t most = places->events_per_class / 2;
  ranked_t *ranked = pod_alloc((size_t)one->event_count * sizeof(*ranked) + 1);
  bool *is_shown = pod_alloc((size_t)one->event_count + 1);
  int64_t count = 0;
  for (int i = 0; i < one->event_count; i++) {
    const int64_t flight_ps = flight_of(places->times, &one->events[i]);
    if (flight_ps > 0 && places->of_task[one->events[i].task] >= 0) {
      ranked[count++] = (ranked_t){i, flight_ps, -spread(i)};
    }
  }
  qsort(ranked, (size_t)count, sizeof(*ranked), by_rank);
  for (int64_t i = 0; i < count && i < most; i++) {
    is_shown[ranked[i].index] = true;
  }
  pod_json_begin_list(json, "flights");
  for (int i = 0; i < one->event_count; i++) {
    if (is_shown[i]) {
      const report_event_t *event = &one->events[i];
      pod_json_begin_list(json, NULL);
      pod_json_add_int(json, NULL, event->start_ps);
      pod_json_add_int(json, NULL, flight_of(places->times, event));
      pod_json_add_int(json, NULL, places->of_task[event->task]);
      pod_json_end_list(json);
    }
  }
  pod_json_end_list(json);
  const int64_t left_out = count > most ? count - most : 0;
  pod_json_add_int(json, "flights_left_out", left_out);
  places->flights_left_out += left_out;
  free(ranked);
  free(is_shown);
}

static void add_hbm(pod_json_t *json, const report_class_t *one) {
  int count;
  report_point_t *points =
      report_thin_points(one->hbm_count, one->hbm, HBM_POINTS_MAX, &count);
  pod_json_begin_list(json, "hbm");
  for (int i = 0; i < count; i++) {
    pod_json_begin_list(json, NULL);
    pod_json_add_int(json, NULL, points[i].at_ps);
    pod_json_add_int(json, NULL, points[i].bytes);
    pod_json_end_list(json);
  }
  pod_json_end_list(json);
  free(points);
}

// Adds the time from `from_ps` to `to_ps` to the pieces of the step that it falls into.
static void cover(int64_t bins[LINK_BINS], int64_t step_ps, int64_t from_ps,
                  int64_t to_ps) {
  const double width = (double)step_ps / LINK_BINS;
  while (from_ps < to_ps) {
    int bin = (int)((double)from_ps / width);
    bin = bin >= LINK_BINS ? LINK_BINS - 1 : bin;
    int64_t end_ps = bin == LINK_BINS - 1 ? to_ps : (int64_t)((bin + 1) * width);
    end_ps = end_ps <= from_ps ? from_ps + 1 : end_ps;
    end_ps = end_ps > to_ps ? to_ps : end_ps;
    bins[bin] += end_ps - from_ps;
    from_ps = end_ps;
  }
}

// Those over ICI; with the others when one of them carried anything.
static int directions_of(const report_class_t *one) {
  for (int i = REPORT_ICI_DIRECTIONS; i < REPORT_DIRECTIONS; i++) {
    if (one->links[i].messages > 0) {
      return REPORT_DIRECTIONS;
    }
  }
  return REPORT_ICI_DIRECTIONS;
}

static void add_links_over_time(pod_json_t *json, const report_times_t *times,
                                const report_class_t *one) {
  int64_t bins[REPORT_DIRECTIONS][LINK_BINS] = {0};
  int64_t until_ps[REPORT_DIRECTIONS] = {0};
  const int message_count = times->step_ps > 0 ? one->message_count : 0;
  for (int i = 0; i < message_count; i++) {
    const report_message_t *message = &one->messages[i];
    const int direction = message->direction;
    const int64_t end_ps = message->start_ps + message->duration_ps;
    const int64_t from_ps =
        message->start_ps > until_ps[direction] ? message->start_ps : until_ps[direction];
    cover(bins[direction], times->step_ps, from_ps, end_ps);
    until_ps[direction] = end_ps > until_ps[direction] ? end_ps : until_ps[direction];
  }
  pod_json_begin_list(json, "links");
  const int directions = directions_of(one);
  for (int direction = 0; direction < directions; direction++) {
    if (until_ps[direction] == 0) {
      pod_json_add_null(json, NULL);
      continue;
    }
    pod_json_begin_list(json, NULL);
    for (int i = 0; i < LINK_BINS; i++) {
      const double width = (double)times->step_ps / LINK_BINS;
      const int64_t share = (int64_t)(100.0 * (double)bins[direction][i] / width + 0.5);
      pod_json_add_int(json, NULL, share > 100 ? 100 : share);
    }
    pod_json_end_list(json);
  }
  pod_json_end_list(json);
}

static void add_timeline(pod_json_t *json, report_places_t *places,
                         const report_class_t *one) {
  pod_json_begin_object(json, "timeline");
  add_core(json, places, one);
  add_flights(json, places, one);
  add_hbm(json, one);
  add_links_over_time(json, places->times, one);
  pod_json_add_int(json, "events_dropped", one->events_dropped);
  places->events_dropped += one->events_dropped;
  places->messages_dropped += one->messages_dropped;
  pod_json_end_object(json);
}

// --- Classes ---

static void add_class(pod_json_t *json, report_places_t *places, int index) {
  const report_class_t *one = &places->times->classes[index];
  pod_json_begin_object(json, NULL);
  pod_json_add_int(json, "representative", one->representative);
  pod_json_add_int(json, "chips", one->chip_count);
  const struct {
    const char *name;
    int64_t ps;
  } sums[] = {{"end_ps", one->end_ps},         {"compute_ps", one->compute_ps},
              {"waiting_ps", one->waiting_ps}, {"overlapped_ps", one->overlapped_ps},
              {"mxu_ps", one->mxu_ps},         {"vpu_ps", one->vpu_ps},
              {"hbm_ps", one->hbm_ps},         {"dma_ps", one->dma_ps},
              {"ici_ps", one->ici_ps}};
  for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++) {
    pod_json_add_int(json, sums[i].name, sums[i].ps);
  }
  pod_json_begin_list(json, "links");
  const int directions = directions_of(one);
  for (int direction = 0; direction < directions; direction++) {
    pod_json_begin_list(json, NULL);
    pod_json_add_int(json, NULL, one->links[direction].bytes);
    pod_json_add_int(json, NULL, one->links[direction].busy_ps);
    pod_json_add_int(json, NULL, one->links[direction].messages);
    pod_json_end_list(json);
  }
  pod_json_end_list(json);
  if (places->has_timeline[index]) {
    add_timeline(json, places, one);
  }
  pod_json_end_object(json);
}

static void add_class_of_chip(pod_json_t *json, const report_times_t *times) {
  pod_json_begin_list(json, "class_of_chip");
  for (int chip = 0; chip < times->chip_count;) {
    int next = chip + 1;
    while (next < times->chip_count &&
           times->class_of_chip[next] == times->class_of_chip[chip]) {
      next++;
    }
    pod_json_begin_list(json, NULL);
    pod_json_add_int(json, NULL, times->class_of_chip[chip]);
    pod_json_add_int(json, NULL, next - chip);
    pod_json_end_list(json);
    chip = next;
  }
  pod_json_end_list(json);
}

void report_times_write(pod_json_t *json, report_places_t *places) {
  const report_times_t *times = places->times;
  pod_json_begin_object(json, "times");
  pod_json_add_int(json, "step_ps", times->step_ps);
  pod_json_add_int(json, "low_ps", times->low_ps);
  pod_json_add_int(json, "high_ps", times->high_ps);
  pod_json_add_text(json, "rests_on", times->rests_on == NULL ? "" : times->rests_on);
  pod_json_add_int(json, "chips_running", times->chips_running);
  pod_json_add_int(json, "dispatch_ps", times->dispatch_ps);
  pod_json_add_double(json, "hfu", times->hfu);
  if (times->mfu >= 0) {
    pod_json_add_double(json, "mfu", times->mfu);
  }
  pod_json_add_double(json, "flop_per_chip", times->flop_per_chip);
  pod_json_add_double(json, "hbm_traffic_bytes_per_chip",
                      times->hbm_traffic_bytes_per_chip);
  pod_json_begin_list(json, "waits");
  for (int i = 0; i < times->wait_count; i++) {
    pod_json_begin_list(json, NULL);
    add_text(json, NULL, times->waits[i].name);
    pod_json_add_int(json, NULL, times->waits[i].duration_ps);
    pod_json_end_list(json);
  }
  pod_json_end_list(json);
  add_tasks(json, places);
  add_class_of_chip(json, times);
  pod_json_add_int(json, "slowest", times->slowest);
  pod_json_begin_list(json, "classes");
  for (int i = 0; i < times->class_count; i++) {
    add_class(json, places, i);
  }
  pod_json_end_list(json);
  pod_json_end_object(json);
}

// --- What is left out ---

typedef struct lines_t {
  pod_json_t *json;
  pod_text_t line;
} lines_t;

POD_PRINTF(2, 3) static void say(lines_t *lines, const char *format, ...) {
  va_list args;
  va_start(args, format);
  pod_text_clear(&lines->line);
  pod_text_vprintf(&lines->line, format, args);
  va_end(args);
  pod_json_add_text(lines->json, NULL, lines->line.bytes);
}

void report_times_left_out(pod_json_t *json, const report_places_t *places) {
  const report_times_t *times = places->times;
  if (times == NULL) {
    return;
  }
  lines_t lines = {.json = json};
  if (times->task_count > places->row_count) {
    say(&lines, "Of %d tasks, the %d that take longest are described.", times->task_count,
        places->row_count);
  }
  if (times->class_count > places->timeline_count && places->timeline_count > 0) {
    say(&lines,
        "Of %d classes of chips, %d have a timeline: the one that ends last, and those "
        "of "
        "most chips.",
        times->class_count, places->timeline_count);
  }
  if (places->grouped > 0) {
    say(&lines,
        "%lld short tasks in the timelines are put together with their neighbours.",
        (long long)places->grouped);
  }
  if (places->flights_left_out > 0) {
    say(&lines,
        "%lld short flights of collectives and prefetches are not in the timelines.",
        (long long)places->flights_left_out);
  }
  if (places->events_dropped > 0) {
    say(&lines,
        "%lld events were not kept by the pod: timelines end before the step does. The "
        "sums "
        "have them.",
        (long long)places->events_dropped);
  }
  if (places->messages_dropped > 0) {
    say(&lines, "%lld messages were not kept by the pod: links over time end early.",
        (long long)places->messages_dropped);
  }
  pod_text_deinit(&lines.line);
}
