// What the clock tells afterwards: sums by task, and the first events and messages of
// every class.

#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "server/simulator/engine.h"

void simulator_record_init(simulator_engine_t *engine) {
  const simulator_options_t *options = engine->options;
  engine->events_max = options->events_max;
  if (options->all_events_max > 0) {
    const int64_t share = options->all_events_max / engine->classes.class_count;
    engine->events_max = share < engine->events_max ? share : engine->events_max;
  }
  pod_arena_t *arena = pod_arena_create();
  simulator_result_t *result = pod_arena_alloc(arena, sizeof(*result));
  result->arena = arena;
  result->chip_count = engine->classes.chip_count;
  result->class_count = engine->classes.class_count;
  result->class_of_chip =
      pod_arena_copy(arena, engine->classes.class_of_chip,
                     (size_t)result->chip_count * sizeof(*result->class_of_chip));
  result->classes =
      pod_arena_array(arena, (size_t)result->class_count, sizeof(*result->classes));
  result->costs = pod_arena_copy(
      arena, engine->costs, (size_t)engine->program->task_count * sizeof(*result->costs));
  for (int32_t i = 0; i < result->class_count; i++) {
    result->classes[i].representative = engine->classes.representatives[i];
    result->classes[i].chip_count = engine->classes.sizes[i];
    result->classes[i].totals =
        pod_arena_array(arena, (size_t)engine->program->task_count + 1,
                        sizeof(*result->classes[i].totals));
  }
  engine->result = result;
  engine->logs = pod_alloc((size_t)result->class_count * sizeof(*engine->logs));
}

void simulator_record_deinit(simulator_engine_t *engine) {
  for (int32_t i = 0; engine->logs != NULL && i < engine->classes.class_count; i++) {
    pod_list_deinit(&engine->logs[i].events);
    pod_list_deinit(&engine->logs[i].messages);
  }
  free(engine->logs);
}

// Of events, and of messages, that a chip keeps.
static bool has_room(const simulator_engine_t *engine, int32_t count) {
  return count < engine->events_max && count < INT32_MAX;
}

int32_t simulator_record_event(simulator_engine_t *engine, int32_t class_index,
                               int32_t task, int64_t start_ps) {
  simulator_total_t *total = simulator_total(engine, class_index, task);
  if (total->run_count == 0) {
    total->start_ps = start_ps;
  }
  simulator_chip_t *chip = &engine->result->classes[class_index];
  simulator_log_t *log = &engine->logs[class_index];
  if (!has_room(engine, log->events.count)) {
    chip->events_dropped++;
    return -1;
  }
  *pod_list_add(&log->events) = (simulator_event_t){.task = task, .start_ps = start_ps};
  chip->event_count = log->events.count;
  return log->events.count - 1;
}

void simulator_record_duration(simulator_engine_t *engine, int32_t class_index,
                               int32_t event, int64_t duration_ps) {
  if (event >= 0) {
    engine->logs[class_index].events.items[event].duration_ps = duration_ps;
  }
}

void simulator_record_flight(simulator_engine_t *engine, int32_t class_index,
                             int32_t event, int64_t flight_ps) {
  if (event >= 0) {
    engine->logs[class_index].events.items[event].flight_ps = flight_ps;
  }
}

void simulator_record_message(simulator_engine_t *engine, int32_t class_index,
                              const simulator_message_t *message) {
  simulator_chip_t *chip = &engine->result->classes[class_index];
  simulator_log_t *log = &engine->logs[class_index];
  if (!has_room(engine, log->messages.count)) {
    chip->messages_dropped++;
    return;
  }
  *pod_list_add(&log->messages) = *message;
  chip->message_count = log->messages.count;
}

static void record_hop(simulator_engine_t *engine, const simulator_flow_t *flow,
                       const simulator_hop_t *hop, int32_t task) {
  const simulator_message_t message = {.task = task,
                                       .from = hop->from,
                                       .to = hop->to,
                                       .channel = hop->link % SIMULATOR_CHANNELS,
                                       .start_ps = flow->start_ps,
                                       .duration_ps = engine->now_ps - flow->start_ps,
                                       .size_bytes = flow->bytes};
  simulator_record_message(engine, hop->link / SIMULATOR_CHANNELS, &message);
}

void simulator_record_flow(simulator_engine_t *engine, const simulator_flow_t *flow,
                           int32_t task) {
  if (engine->events_max <= 0) {
    return;
  }
  for (int32_t i = 0; i < flow->route->hop_count; i++) {
    // Messages are told where they leave a chip.
    if (flow->route->hops[i].link % SIMULATOR_CHANNELS != SIMULATOR_DCN_IN) {
      record_hop(engine, flow, &flow->route->hops[i], task);
    }
  }
}

// --- Periods ---

simulator_log_counts_t simulator_record_counts(const simulator_engine_t *engine,
                                               int32_t class_index) {
  const simulator_chip_t *chip = &engine->result->classes[class_index];
  return (simulator_log_counts_t){.events = chip->event_count,
                                  .events_dropped = chip->events_dropped,
                                  .messages = chip->message_count,
                                  .messages_dropped = chip->messages_dropped};
}

void simulator_record_undo_messages(simulator_engine_t *engine, int32_t class_index,
                                    const simulator_log_counts_t *counts) {
  simulator_chip_t *chip = &engine->result->classes[class_index];
  chip->message_count = counts->messages;
  chip->messages_dropped = counts->messages_dropped;
  engine->logs[class_index].messages.count = (int32_t)counts->messages;
}

static void repeat_events(simulator_engine_t *engine, int32_t class_index, int64_t first,
                          int64_t count, int64_t period_ps) {
  simulator_log_t *log = &engine->logs[class_index];
  const int64_t period = log->events.count - first;
  for (int64_t i = 0; i < count && has_room(engine, log->events.count); i++) {
    simulator_event_t event = log->events.items[first + i % period];
    event.start_ps += (i / period + 1) * period_ps;
    *pod_list_add(&log->events) = event;
  }
}

static void repeat_messages(simulator_engine_t *engine, int32_t class_index,
                            int64_t first, int64_t count, int64_t period_ps) {
  simulator_log_t *log = &engine->logs[class_index];
  const int64_t period = log->messages.count - first;
  for (int64_t i = 0; i < count && has_room(engine, log->messages.count); i++) {
    simulator_message_t message = log->messages.items[first + i % period];
    message.start_ps += (i / period + 1) * period_ps;
    *pod_list_add(&log->messages) = message;
  }
}

void simulator_record_repeat(simulator_engine_t *engine, int32_t class_index,
                             const simulator_log_counts_t *since, int64_t times,
                             int64_t period_ps) {
  simulator_chip_t *chip = &engine->result->classes[class_index];
  const simulator_log_t *log = &engine->logs[class_index];
  // When some were dropped, there is no room for more.
  const int64_t events = times * (chip->event_count - since->events);
  const int64_t messages = times * (chip->message_count - since->messages);
  repeat_events(engine, class_index, since->events, events, period_ps);
  repeat_messages(engine, class_index, since->messages, messages, period_ps);
  chip->events_dropped += times * (chip->events_dropped - since->events_dropped) +
                          events - (log->events.count - chip->event_count);
  chip->messages_dropped += times * (chip->messages_dropped - since->messages_dropped) +
                            messages - (log->messages.count - chip->message_count);
  chip->event_count = log->events.count;
  chip->message_count = log->messages.count;
}

// --- The end ---

#define COMPARE(field)                   \
  if (x->field != y->field) {            \
    return x->field < y->field ? -1 : 1; \
  }

static int compare_messages(const void *a, const void *b) {
  const simulator_message_t *x = a;
  const simulator_message_t *y = b;
  COMPARE(start_ps)
  COMPARE(channel)
  COMPARE(task)
  COMPARE(duration_ps)
  COMPARE(from)
  COMPARE(to)
  COMPARE(size_bytes)
  return 0;
}

static void finish_class(simulator_engine_t *engine, int32_t class_index) {
  simulator_result_t *result = engine->result;
  simulator_chip_t *chip = &result->classes[class_index];
  const simulator_log_t *log = &engine->logs[class_index];
  chip->events = pod_arena_copy(result->arena, log->events.items,
                                (size_t)chip->event_count * sizeof(*chip->events));
  if (chip->message_count > 0) {
    qsort(log->messages.items, (size_t)chip->message_count, sizeof(*log->messages.items),
          compare_messages);
  }
  chip->messages = pod_arena_copy(result->arena, log->messages.items,
                                  (size_t)chip->message_count * sizeof(*chip->messages));
  int64_t crossed = 0;
  for (int d = 0; d < SIMULATOR_CHANNELS; d++) {
    const simulator_channel_t *channel =
        &engine->network.channels[class_index * SIMULATOR_CHANNELS + d];
    crossed += d == SIMULATOR_DCN_IN ? 0 : channel->messages;
    chip->links[d] = (simulator_link_t){.bytes = channel->bytes,
                                        .busy_ps = channel->busy_ps,
                                        .messages = channel->messages};
  }
  // All that crossed its links and is not kept: when they are told of differs.
  chip->messages_dropped = engine->events_max > 0 ? crossed - chip->message_count : 0;
  chip->ici_ps = engine->network.any[class_index].busy_ps;
  if (chip->end_ps > result->step_ps) {
    result->step_ps = chip->end_ps;
  }
}

void simulator_record_finish(simulator_engine_t *engine) {
  simulator_windows_bring(engine, engine->now_ps);
  simulator_network_bring(&engine->network, engine->now_ps);
  for (int32_t i = 0; i < engine->classes.class_count; i++) {
    finish_class(engine, i);
  }
  engine->result->steps_simulated = engine->steps;
}
