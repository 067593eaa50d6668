// Pieces are filled until they reach a message's size; a list that does not fit goes on
// in the next piece.

#include "server/wire/profile.h"

#include <inttypes.h>

// The pieces that are there, the last of which may take more entries.
typedef struct packer_t {
  pod_arena_t *arena;
  const chip_profile_t *profile;
  size_t count, capacity;
  Podium__V1__WorkerExecuteResponse **pieces;
  size_t entries;  // In the last.
} packer_t;

static Podium__V1__WorkerExecuteResponse *add_piece(packer_t *packer) {
  if (packer->count == packer->capacity) {
    packer->capacity = 2 * packer->capacity + 4;
    Podium__V1__WorkerExecuteResponse **pieces =
        pod_arena_array(packer->arena, packer->capacity, sizeof(*pieces));
    for (size_t i = 0; i < packer->count; i++) {
      pieces[i] = packer->pieces[i];
    }
    packer->pieces = pieces;
  }
  Podium__V1__WorkerExecuteResponse *piece =
      pod_arena_alloc(packer->arena, sizeof(*piece));
  podium__v1__worker_execute_response__init(piece);
  packer->pieces[packer->count++] = piece;
  packer->entries = 0;
  return piece;
}

// A list of what there is, as far as it fits a piece.
static void *make_list(const packer_t *packer, int32_t count) {
  const int32_t room = count < WIRE_PIECE_ENTRIES ? count : WIRE_PIECE_ENTRIES;
  return pod_arena_array(packer->arena, (size_t)room, sizeof(void *));
}

static Podium__V1__HostProfile *add_profile(packer_t *packer) {
  Podium__V1__HostProfile *message = pod_arena_alloc(packer->arena, sizeof(*message));
  podium__v1__host_profile__init(message);
  message->chip = packer->profile->chip;
  message->totals = make_list(packer, packer->profile->total_count);
  message->events = make_list(packer, packer->profile->events.count);
  add_piece(packer)->profile = message;
  return message;
}

static Podium__V1__HostProfile *profile_with_room(packer_t *packer,
                                                  Podium__V1__HostProfile *message) {
  if (packer->entries == WIRE_PIECE_ENTRIES) {
    message = add_profile(packer);
  }
  packer->entries++;
  return message;
}

static void pack_profile(packer_t *packer, bool with_events) {
  const chip_profile_t *profile = packer->profile;
  Podium__V1__HostProfile *message = add_profile(packer);
  message->host_ns = profile->host_ns;
  message->hbm_peak_bytes = profile->hbm_peak_bytes;
  message->events_dropped = with_events ? profile->events_dropped : 0;
  for (int32_t i = 0; i < profile->total_count; i++) {
    const chip_total_t *total = &profile->totals[i];
    if (total->run_count == 0) {
      continue;
    }
    Podium__V1__HostTotal *entry = pod_arena_alloc(packer->arena, sizeof(*entry));
    podium__v1__host_total__init(entry);
    entry->instruction = i;
    entry->run_count = total->run_count;
    entry->host_ns = total->host_ns;
    message = profile_with_room(packer, message);
    message->totals[message->n_totals++] = entry;
  }
  for (int32_t i = 0; with_events && i < profile->events.count; i++) {
    const chip_event_t *event = &profile->events.items[i];
    Podium__V1__HostEvent *entry = pod_arena_alloc(packer->arena, sizeof(*entry));
    podium__v1__host_event__init(entry);
    entry->instruction = event->instruction;
    entry->start_ns = event->start_ns;
    entry->host_ns = event->host_ns;
    message = profile_with_room(packer, message);
    message->events[message->n_events++] = entry;
  }
}

static Podium__V1__ControlTrace *add_trace(packer_t *packer, size_t list_count) {
  Podium__V1__ControlTrace *message = pod_arena_alloc(packer->arena, sizeof(*message));
  podium__v1__control_trace__init(message);
  message->lists = pod_arena_array(packer->arena, list_count, sizeof(*message->lists));
  add_piece(packer)->trace = message;
  return message;
}

// As much of a list as the piece has room for, from run `first`. Returns the run behind.
static int32_t pack_list(packer_t *packer, const chip_trace_list_t *list, int32_t index,
                         int32_t first, Podium__V1__ControlTrace *message) {
  const size_t room = WIRE_PIECE_ENTRIES - packer->entries;
  const size_t left = (size_t)(list->count - first);
  const size_t count = left < room ? left : room;
  Podium__V1__TraceList *entry = pod_arena_alloc(packer->arena, sizeof(*entry));
  podium__v1__trace_list__init(entry);
  entry->instruction = index;
  entry->n_values = entry->n_repeats = count;
  entry->values = pod_arena_array(packer->arena, count, sizeof(*entry->values));
  entry->repeats = pod_arena_array(packer->arena, count, sizeof(*entry->repeats));
  for (size_t i = 0; i < count; i++) {
    entry->values[i] = list->items[(size_t)first + i].value;
    entry->repeats[i] = list->items[(size_t)first + i].repeat;
  }
  message->lists[message->n_lists++] = entry;
  packer->entries += count;
  return first + (int32_t)count;
}

static void pack_trace(packer_t *packer) {
  const chip_trace_t *trace = &packer->profile->trace;
  size_t list_count = 0;
  for (int32_t i = 0; i < trace->instruction_count; i++) {
    list_count += trace->lists[i].count > 0;
  }
  Podium__V1__ControlTrace *message = add_trace(packer, list_count);
  message->is_cut = packer->profile->is_trace_cut;
  for (int32_t i = 0; i < trace->instruction_count && !message->is_cut; i++) {
    for (int32_t run = 0; run < trace->lists[i].count;) {
      if (packer->entries == WIRE_PIECE_ENTRIES) {
        message = add_trace(packer, list_count);
      }
      run = pack_list(packer, &trace->lists[i], i, run, message);
    }
  }
}

Podium__V1__WorkerExecuteResponse **wire_profile_pack(pod_arena_t *arena,
                                                      const chip_profile_t *profile,
                                                      bool with_events,
                                                      size_t *out_count) {
  packer_t packer = {.arena = arena, .profile = profile};
  pack_profile(&packer, with_events);
  pack_trace(&packer);
  *out_count = packer.count;
  return packer.pieces;
}

// --- Traces ---

static pod_status_t check_list(const Podium__V1__TraceList *list,
                               const chip_program_t *program, const chip_trace_t *trace) {
  if (list->instruction < 0 || list->instruction >= program->instruction_count) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "a trace names instruction %" PRId32 " of a program that has %d",
                     list->instruction, program->instruction_count);
  }
  if (list->n_values != list->n_repeats ||
      list->n_values > (size_t)(CHIP_TRACE_RUNS_MAX - trace->run_count)) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "a trace has %zu values and %zu repeats of instruction %" PRId32
                     ", after %" PRId32 " of at most %d",
                     list->n_values, list->n_repeats, list->instruction, trace->run_count,
                     CHIP_TRACE_RUNS_MAX);
  }
  for (size_t i = 0; i < list->n_values; i++) {
    if (list->values[i] < 0 || list->repeats[i] < 1) {
      return pod_error(POD_INVALID_ARGUMENT,
                       "a trace has %" PRId64 " turns or branches, %" PRId64 " times",
                       list->values[i], list->repeats[i]);
    }
  }
  return NULL;
}

static void append_runs(const Podium__V1__TraceList *message, chip_trace_t *trace) {
  chip_trace_list_t *list = &trace->lists[message->instruction];
  pod_list_reserve(list, (int32_t)message->n_values);
  for (size_t i = 0; i < message->n_values; i++) {
    list->items[list->count++] =
        (chip_trace_run_t){.value = message->values[i], .repeat = message->repeats[i]};
  }
  trace->run_count += (int32_t)message->n_values;
}

pod_status_t wire_trace_add(const Podium__V1__ControlTrace *message,
                            const chip_program_t *program, chip_trace_t *trace) {
  if (message->is_cut) {
    return pod_error(
        POD_RESOURCE_EXHAUSTED,
        "the loops and branches of %s went more than %d different ways, more "
        "than a worker keeps: no device time can be told for it",
        program->name, CHIP_TRACE_RUNS_MAX);
  }
  for (size_t i = 0; i < message->n_lists; i++) {
    POD_TRY(check_list(message->lists[i], program, trace));
    if (message->lists[i]->n_values > 0) {
      append_runs(message->lists[i], trace);
    }
  }
  return NULL;
}
