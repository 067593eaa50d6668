// The work runs without a look at the coordinator: it has copies of options and uses of
// what was compiled. Parts are serialised on the queue's thread, so that the loop only
// sends them.

#include "server/coordinator/simulation.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "server/wire/simulation.h"

// --- Options ---

static pod_status_t check_count(size_t count, const char *what) {
  if (count > SIMULATION_SLOW_MAX) {
    return pod_error(POD_INVALID_ARGUMENT, "%zu %s were given, at most %d are taken",
                     count, what, SIMULATION_SLOW_MAX);
  }
  return NULL;
}

static pod_status_t read_slow_chips(simulation_t *simulation,
                                    const Podium__V1__SimulationOptions *options) {
  const int32_t chips = torus_chip_count(&simulation->compiled->torus);
  POD_TRY(check_count(options->n_slow_chips, "slow chips"));
  simulator_slow_chip_t *list =
      pod_arena_array(simulation->arena, options->n_slow_chips, sizeof(*list));
  for (size_t i = 0; i < options->n_slow_chips; i++) {
    const Podium__V1__SlowChip *from = options->slow_chips[i];
    if (from->chip < 0 || from->chip >= chips) {
      return pod_error(POD_INVALID_ARGUMENT,
                       "there is no chip %" PRId32 " to be slow, only 0 to %" PRId32,
                       from->chip, chips - 1);
    }
    list[i] = (simulator_slow_chip_t){.chip = from->chip, .factor = from->factor};
  }
  simulation->options.slow_chips = list;
  simulation->options.slow_chip_count = (int32_t)options->n_slow_chips;
  return NULL;
}

static void print_end(pod_text_t *text, const torus_t *torus, torus_coords_t end) {
  torus_print_coords(text, end);
  if (torus_slice_total(torus) > 1) {
    pod_text_printf(text, " of slice %" PRId32, end.slice);
  }
}

// x, y, z, slice, as a worker's place; cores of a chip share its links, so none is named.
static pod_status_t read_end(const torus_t *torus, size_t count, const int32_t *at,
                             torus_coords_t *out_end) {
  if (count < 1 || count > TORUS_DIMENSIONS + 1) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "a slow link's end has %zu coordinates, it is x, y, z and slice",
                     count);
  }
  *out_end = torus_coords_of(at, count);
  const int32_t slices = torus_slice_total(torus);
  if (out_end->slice < 0 || out_end->slice >= slices) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "there is no slice %" PRId32
                     " to have a slow link, only 0 to %" PRId32,
                     out_end->slice, slices - 1);
  }
  if (torus_contains(torus, *out_end)) {
    return NULL;
  }
  pod_text_t text = {0};
  print_end(&text, torus, *out_end);
  pod_text_add(&text, " is not in the topology ");
  torus_print(&text, torus);
  const pod_status_t status =
      pod_error(POD_INVALID_ARGUMENT, "a slow link's end %s", text.bytes);
  pod_text_deinit(&text);
  return status;
}

static pod_status_t read_slow_link(const torus_t *torus,
                                   const Podium__V1__SlowLink *message,
                                   simulator_slow_link_t *out_link) {
  torus_coords_t from, to;
  POD_TRY(read_end(torus, message->n_from, message->from, &from));
  POD_TRY(read_end(torus, message->n_to, message->to, &to));
  const int32_t chip = torus_chip_at(torus, from);
  const int32_t other = torus_chip_at(torus, to);
  for (torus_direction_t direction = 0; direction < TORUS_DIRECTIONS; direction++) {
    if (torus_neighbour(torus, chip, direction) == other) {
      *out_link = (simulator_slow_link_t){
          .chip = chip, .direction = direction, .factor = message->factor};
      return NULL;
    }
  }
  pod_text_t text = {0};
  print_end(&text, torus, from);
  pod_text_add(&text, " and ");
  print_end(&text, torus, to);
  const pod_status_t status =
      pod_error(POD_INVALID_ARGUMENT, "no link is between %s", text.bytes);
  pod_text_deinit(&text);
  return status;
}

static pod_status_t read_slow_links(simulation_t *simulation,
                                    const Podium__V1__SimulationOptions *options) {
  POD_TRY(check_count(options->n_slow_links, "slow links"));
  simulator_slow_link_t *list =
      pod_arena_array(simulation->arena, options->n_slow_links, sizeof(*list));
  for (size_t i = 0; i < options->n_slow_links; i++) {
    POD_TRY(
        read_slow_link(&simulation->compiled->torus, options->slow_links[i], &list[i]));
  }
  simulation->options.slow_links = list;
  simulation->options.slow_link_count = (int32_t)options->n_slow_links;
  return NULL;
}

static pod_status_t read_turns(simulation_t *simulation,
                               const Podium__V1__SimulationOptions *options) {
  POD_TRY(check_count(options->n_turns, "loops"));
  simulation->turns =
      pod_arena_array(simulation->arena, options->n_turns, sizeof(*simulation->turns));
  for (size_t i = 0; i < options->n_turns; i++) {
    const Podium__V1__LoopTurns *from = options->turns[i];
    if (from->turns < 0) {
      return pod_error(POD_INVALID_ARGUMENT, "loop '%s' cannot turn %" PRId64 " times",
                       from->instruction, from->turns);
    }
    simulation->turns[i] = (simulator_turns_t){
        .instruction = *from->instruction == '\0'
                           ? NULL
                           : pod_arena_strdup(simulation->arena, from->instruction),
        .turns = from->turns};
  }
  simulation->turns_count = (int32_t)options->n_turns;
  return NULL;
}

static pod_status_t read_options(simulation_t *simulation,
                                 const Podium__V1__SimulationOptions *options) {
  if (options->events_max < 0) {
    return pod_error(POD_INVALID_ARGUMENT, "events_max is %" PRId64 ", less than 0",
                     options->events_max);
  }
  simulation->options.events_max = options->events_max < SIMULATION_EVENTS_MAX
                                       ? options->events_max
                                       : SIMULATION_EVENTS_MAX;
  simulation->options.all_events_max = SIMULATION_EVENTS_MAX;
  simulation->options.ignores_symmetry = options->ignores_symmetry;
  POD_TRY(read_slow_chips(simulation, options));
  POD_TRY(read_slow_links(simulation, options));
  return read_turns(simulation, options);
}

pod_status_t simulation_init(simulation_t *simulation, compiled_t *compiled,
                             store_profile_t *profile,
                             const Podium__V1__SimulationOptions *options) {
  *simulation =
      (simulation_t){.arena = pod_arena_create(), .compiled = compiled_use(compiled)};
  simulation->options.is_cancelled = &simulation->is_cancelled;
  simulation->options.spec = compiled->spec;
  simulation->options.torus = &compiled->torus;
  if (profile != NULL) {
    store_profile_use(profile);
    simulation->profile = profile;
    memcpy(simulation->traceparent, profile->traceparent, sizeof(profile->traceparent));
  }
  const pod_status_t status = options == NULL ? NULL : read_options(simulation, options);
  if (status != NULL) {
    simulation_deinit(simulation);
  }
  return status;
}

void simulation_cancel(simulation_t *simulation) {
  atomic_store(&simulation->is_cancelled, true);
}

void simulation_deinit(simulation_t *simulation) {
  for (int32_t i = 0; i < simulation->parts.count; i++) {
    free(simulation->parts.items[i].data);
  }
  pod_list_deinit(&simulation->parts);
  pod_status_free(simulation->status);
  store_profile_unuse(simulation->profile);
  compiled_unuse(simulation->compiled);
  if (simulation->arena != NULL) {
    pod_arena_destroy(simulation->arena);
  }
  *simulation = (simulation_t){0};
}

// --- The work ---

static void keep_part(void *context, const Podium__V1__ProfilePart *part) {
  simulation_t *simulation = context;
  const size_t size_bytes = podium__v1__profile_part__get_packed_size(part);
  uint8_t *data = pod_alloc(size_bytes);
  podium__v1__profile_part__pack(part, data);
  *pod_list_add(&simulation->parts) =
      (store_bytes_t){.data = data, .size_bytes = size_bytes};
  simulation->size_bytes += (int64_t)size_bytes;
}

// Those of the execution, or worked out.
static pod_status_t find_traces(simulation_t *simulation, pod_arena_t *arena,
                                const chip_trace_t *const **out_traces) {
  if (simulation->profile == NULL) {
    return simulator_trace(simulation->compiled->result->program,
                           torus_chip_count(&simulation->compiled->torus),
                           simulation->turns, simulation->turns_count, arena, out_traces);
  }
  POD_TRY(pod_status_copy(simulation->profile->trace_status));
  *out_traces = (const chip_trace_t *const *)simulation->profile->traces;
  return NULL;
}

static pod_status_t simulate(simulation_t *simulation, pod_arena_t *arena) {
  const compiled_t *compiled = simulation->compiled;
  simulator_options_t options = simulation->options;
  POD_TRY(find_traces(simulation, arena, &options.traces));
  simulator_result_t *result;
  POD_TRY(simulator_run(compiled->result->program, &options, &result));
  const wire_simulation_t wire = {.program = compiled->result->program,
                                  .spec = compiled->spec,
                                  .torus = &compiled->torus,
                                  .traceparent = simulation->traceparent,
                                  .hbm_bytes = compiled->hbm_bytes,
                                  .hbm_peak_bytes = compiled->result->hbm_peak_bytes,
                                  .result = result};
  wire_simulation_pack(&wire, keep_part, simulation);
  simulator_result_destroy(result);
  return NULL;
}

static void run_simulation(queue_job_t *job) {
  simulation_t *simulation = (simulation_t *)job;
  pod_arena_t *arena = pod_arena_create();
  simulation->status = simulate(simulation, arena);
  pod_arena_destroy(arena);
}

pod_status_t simulation_begin(simulation_t *simulation, job_queue_t *queue,
                              void (*done)(queue_job_t *job)) {
  simulation->job.run = run_simulation;
  simulation->job.done = done;
  return job_queue_add(queue, &simulation->job);
}
