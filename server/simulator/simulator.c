// Discrete-event simulation: the next picosecond at which anything happens, all of its
// events, then the shares of the links. Invariant: within a picosecond order does not
// matter, as shares are found when all of it is done.

#include "server/simulator/simulator.h"

#include <math.h>
#include <stdlib.h>

#include "common/base/memory.h"
#include "server/simulator/engine.h"

#define BAD(...) pod_error(POD_INVALID_ARGUMENT, __VA_ARGS__)
// Memory is asked for so many events before it is needed.
enum { EVENTS_AHEAD = 4 };

#define FACTOR_MIN (1.0 / 64)
#define FACTOR_MAX 64.0
#define CHANNEL_FACTOR_MAX 1e5  // A rate still fits an int64.

// --- What comes in ---

static bool is_factor(double factor, double least) {
  return factor >= least && factor <= FACTOR_MAX;  // False for NaN.
}

static pod_status_t check_options(const simulator_options_t *options) {
  const int32_t chips = torus_chip_count(options->torus);
  for (int32_t i = 0; i < options->slow_chip_count; i++) {
    const simulator_slow_chip_t *slow = &options->slow_chips[i];
    if (slow->chip < 0 || slow->chip >= chips) {
      return BAD("slow chip %d of a pod of %d chips", slow->chip, chips);
    }
    if (!is_factor(slow->factor, FACTOR_MIN)) {
      return BAD("slow chip %d: factor %g is not in [1/64, 64]", slow->chip,
                 slow->factor);
    }
  }
  for (int32_t i = 0; i < options->slow_link_count; i++) {
    const simulator_slow_link_t *slow = &options->slow_links[i];
    if (slow->chip < 0 || slow->chip >= chips || slow->direction < 0 ||
        slow->direction >= TORUS_DIRECTIONS ||
        torus_neighbour(options->torus, slow->chip, slow->direction) < 0) {
      return BAD("slow link: chip %d of a pod of %d has no link in direction %d",
                 slow->chip, chips, slow->direction);
    }
    if (!is_factor(slow->factor, 1.0 / SIMULATOR_FACTOR_ONE)) {
      return BAD("slow link of chip %d: factor %g is not in [1/%d, 64]", slow->chip,
                 slow->factor, SIMULATOR_FACTOR_ONE);
    }
  }
  return NULL;
}

// Whether `partner` is the other half of a pair within the computation.
static bool is_pair(const chip_program_t *program, const chip_computation_t *computation,
                    int32_t start, chip_task_kind_t done_kind) {
  const int32_t done = program->tasks[start].partner;
  return done > start && done < computation->first_task + computation->task_count &&
         program->tasks[done].kind == done_kind && program->tasks[done].partner == start;
}

static bool is_done_of(const chip_program_t *program, int32_t first, int32_t task,
                       chip_task_kind_t start_kind) {
  const int32_t start = program->tasks[task].partner;
  return start >= first && start < task && program->tasks[start].kind == start_kind &&
         program->tasks[start].partner == task;
}

static bool is_sound_task(const chip_program_t *program,
                          const chip_computation_t *computation, int32_t index) {
  const chip_task_t *task = &program->tasks[index];
  if (task->instruction < 0 || task->instruction >= program->instruction_count) {
    return false;
  }
  const chip_instruction_t *instruction = &program->instructions[task->instruction];
  switch (task->kind) {
    case CHIP_TASK_COMPUTE:
      return true;
    case CHIP_TASK_COLLECTIVE:
      return chip_op_is_collective(instruction->op);
    case CHIP_TASK_COLLECTIVE_START:
      return chip_op_is_collective(instruction->op) &&
             is_pair(program, computation, index, CHIP_TASK_COLLECTIVE_DONE);
    case CHIP_TASK_COLLECTIVE_DONE:
      return is_done_of(program, computation->first_task, index,
                        CHIP_TASK_COLLECTIVE_START);
    case CHIP_TASK_PREFETCH_START:
      return is_pair(program, computation, index, CHIP_TASK_PREFETCH_DONE);
    case CHIP_TASK_PREFETCH_DONE:
      return is_done_of(program, computation->first_task, index,
                        CHIP_TASK_PREFETCH_START);
    case CHIP_TASK_TRANSFER_START:
      return is_pair(program, computation, index, CHIP_TASK_TRANSFER_DONE);
    case CHIP_TASK_TRANSFER_DONE:
      return is_done_of(program, computation->first_task, index,
                        CHIP_TASK_TRANSFER_START);
    case CHIP_TASK_WHILE:
      return instruction->call_count == 2;
    case CHIP_TASK_BRANCH:
      return instruction->call_count >= 1;
    default:
      return false;
  }
}

static pod_status_t check_tasks(const chip_program_t *program) {
  for (int32_t i = 0; i < program->computation_count; i++) {
    const chip_computation_t *computation = &program->computations[i];
    if (computation->first_task < 0 || computation->task_count < 0 ||
        computation->first_task > program->task_count - computation->task_count) {
      return BAD("computation %s has tasks that the program has not", computation->name);
    }
    for (int32_t t = 0; t < computation->task_count; t++) {
      if (!is_sound_task(program, computation, computation->first_task + t)) {
        return BAD("computation %s: task %d (%s) does not fit its instruction or partner",
                   computation->name, t,
                   program->tasks[computation->first_task + t].name);
      }
    }
  }
  return NULL;
}

// --- Preparation ---

static void make_slots(simulator_engine_t *engine) {
  const chip_program_t *program = engine->program;
  engine->slots = pod_arena_array(engine->arena, (size_t)program->task_count + 1,
                                  sizeof(*engine->slots));
  for (int32_t i = 0; i < program->task_count; i++) {
    switch (program->tasks[i].kind) {
      case CHIP_TASK_COLLECTIVE_START:
        engine->has_flights = true;
        engine->slots[i] = engine->collective_slots++;
        break;
      case CHIP_TASK_COLLECTIVE:
        engine->slots[i] = engine->collective_slots++;
        break;
      case CHIP_TASK_PREFETCH_START:
        engine->slots[i] = engine->prefetch_slots++;
        break;
      case CHIP_TASK_TRANSFER_START:
        engine->slots[i] = engine->transfer_slots++;
        break;
      case CHIP_TASK_WHILE:
      case CHIP_TASK_BRANCH:
        engine->slots[i] = engine->control_slots++;
        break;
      default:
        engine->slots[i] = -1;
    }
  }
  engine->live = pod_arena_array(engine->arena, (size_t)engine->collective_slots + 1,
                                 sizeof(*engine->live));
  for (int32_t i = 0; i < engine->collective_slots; i++) {
    engine->live[i] = -1;
  }
}

static void make_costs(simulator_engine_t *engine) {
  const chip_program_t *program = engine->program;
  chip_cost_t *costs =
      pod_arena_array(engine->arena, (size_t)program->task_count + 1, sizeof(*costs));
  for (int32_t i = 0; i < program->task_count; i++) {
    const chip_task_kind_t kind = program->tasks[i].kind;
    if (kind == CHIP_TASK_COMPUTE || kind == CHIP_TASK_COLLECTIVE ||
        kind == CHIP_TASK_COLLECTIVE_START || kind == CHIP_TASK_PREFETCH_START ||
        kind == CHIP_TASK_TRANSFER_START) {
      costs[i] = chip_work_cost(engine->options->spec, &program->tasks[i].work);
    }
  }
  engine->costs = costs;
}

// The rates of all channels, by chip; 1 for those that it has not.
static int64_t *rates_of(const simulator_options_t *options) {
  const torus_t *torus = options->torus;
  const int32_t chips = torus_chip_count(torus);
  const size_t channels = (size_t)chips * SIMULATOR_CHANNELS;
  double *factors = pod_alloc(channels * sizeof(*factors));
  for (int32_t i = 0; i < chips * SIMULATOR_CHANNELS; i++) {
    factors[i] = simulator_channel_factor(torus, options->spec, i / SIMULATOR_CHANNELS,
                                          i % SIMULATOR_CHANNELS);
  }
  for (int32_t i = 0; i < options->slow_link_count; i++) {
    const simulator_slow_link_t *slow = &options->slow_links[i];
    const int32_t end = torus_neighbour(torus, slow->chip, slow->direction);
    factors[slow->chip * SIMULATOR_CHANNELS + slow->direction] *= slow->factor;
    factors[end * SIMULATOR_CHANNELS + (slow->direction ^ 1)] *= slow->factor;
  }
  int64_t *rates = pod_alloc(channels * sizeof(*rates));
  for (int32_t i = 0; i < chips * SIMULATOR_CHANNELS; i++) {
    // Several slowdowns of one link multiply, within reason.
    const double most =
        i % SIMULATOR_CHANNELS < TORUS_DIRECTIONS ? FACTOR_MAX : CHANNEL_FACTOR_MAX;
    const double factor = fmin(fmax(factors[i], 1e-9), most);
    rates[i] = llround(factor * (double)SIMULATOR_FULL_RATE);
  }
  free(factors);
  return rates;
}

static int64_t *core_factors_of(const simulator_options_t *options) {
  const int32_t chips = torus_chip_count(options->torus);
  int64_t *factors = pod_alloc((size_t)chips * sizeof(*factors));
  for (int32_t i = 0; i < chips; i++) {
    factors[i] = SIMULATOR_FACTOR_ONE;
  }
  for (int32_t i = 0; i < options->slow_chip_count; i++) {
    factors[options->slow_chips[i].chip] =
        llround(options->slow_chips[i].factor * SIMULATOR_FACTOR_ONE);
  }
  return factors;
}

// A number per distinct trace of the chips that run the program.
static void number_traces(const simulator_options_t *options,
                          const simulator_plans_t *plans, int32_t *out_numbers) {
  int32_t *firsts = pod_alloc((size_t)plans->chip_count * sizeof(*firsts));
  int32_t count = 0, last = -1;
  for (int32_t chip = 0; chip < plans->chip_count && options->traces != NULL; chip++) {
    if (!plans->runs[chip]) {
      continue;
    }
    const chip_trace_t *trace = options->traces[chip];
    int32_t number = last >= 0 && trace == options->traces[last] ? out_numbers[last] : 0;
    last = chip;
    while (number < count) {
      const chip_trace_t *first = options->traces[firsts[number]];
      if (trace == first ||
          (trace != NULL && first != NULL && chip_trace_equal(trace, first))) {
        break;
      }
      number++;
    }
    if (number == count) {
      firsts[count++] = chip;
    }
    out_numbers[chip] = number;
  }
  free(firsts);
}

static bool sends_between_slices(const simulator_plans_t *plans) {
  for (int32_t i = 0; i < plans->shapes.count; i++) {
    const simulator_shape_t *shape = plans->shapes.items[i];
    for (int32_t p = 0; p < shape->peer_count; p++) {
      if (shape->peers[p].slices != 0) {
        return true;
      }
    }
  }
  return false;
}

// What tells chips apart that share a channel: each of them crosses it for itself, so no
// two of them may be one class.
static int32_t sharing_place(const simulator_engine_t *engine, bool shares_hosts,
                             int32_t chip) {
  const torus_t *torus = engine->options->torus;
  return shares_hosts ? simulator_place_on_host(torus, engine->options->spec, chip)
                      : chip % torus_core_total(torus);
}

static void make_classes(simulator_engine_t *engine, const int64_t *rates,
                         const int64_t *factors) {
  const int32_t chips = torus_chip_count(engine->options->torus);
  uint64_t *marks = pod_alloc((size_t)chips * sizeof(*marks));
  int32_t *traces = pod_alloc((size_t)chips * sizeof(*traces));
  number_traces(engine->options, &engine->plans, traces);
  const bool shares_hosts = sends_between_slices(&engine->plans);
  const int channels = shares_hosts ? SIMULATOR_CHANNELS : SIMULATOR_DCN_OUT;
  for (int32_t chip = 0; chip < chips; chip++) {
    uint64_t mark = (uint64_t)factors[chip] << 32 | (uint32_t)traces[chip];
    for (int d = 0; d < channels; d++) {
      mark = simulator_mix(mark, (uint64_t)rates[chip * SIMULATOR_CHANNELS + d]);
    }
    marks[chip] =
        simulator_mix(mark, (uint64_t)sharing_place(engine, shares_hosts, chip));
  }
  const simulator_marks_t by_chip = {.of_chip = marks};
  simulator_classes_init(&engine->classes, &engine->plans, &by_chip,
                         engine->options->ignores_symmetry);
  engine->running_count = engine->classes.running_count;
  free(marks);
  free(traces);
}

static void make_network(simulator_engine_t *engine, const int64_t *rates) {
  const int32_t classes = engine->classes.class_count;
  int64_t *by_class = pod_alloc((size_t)classes * SIMULATOR_CHANNELS * sizeof(*by_class));
  for (int32_t i = 0; i < classes * SIMULATOR_CHANNELS; i++) {
    const int32_t chip = engine->classes.representatives[i / SIMULATOR_CHANNELS];
    by_class[i] = rates[chip * SIMULATOR_CHANNELS + i % SIMULATOR_CHANNELS];
  }
  simulator_network_init(&engine->network, classes, by_class, &engine->queue,
                         SIMULATOR_FLOW_END);
  free(by_class);
}

static pod_status_t prepare(simulator_engine_t *engine) {
  make_slots(engine);
  make_costs(engine);
  POD_TRY(simulator_plans_init(&engine->plans, engine->program, engine->options->spec,
                               engine->options->torus, engine->options->is_cancelled));
  int64_t *rates = rates_of(engine->options);
  int64_t *factors = core_factors_of(engine->options);
  make_classes(engine, rates, factors);
  make_network(engine, rates);
  const pod_status_t status = simulator_routes_init(engine);
  if (status == NULL) {
    simulator_direct_init(engine);
    simulator_record_init(engine);
    simulator_cores_init(engine);
    for (int32_t i = 0; i < engine->running_count; i++) {
      engine->cores[i].factor = factors[engine->classes.representatives[i]];
    }
    simulator_rounds_init(engine);
    simulator_windows_init(engine);
  }
  free(rates);
  free(factors);
  return status;
}

static void dispose(simulator_engine_t *engine) {
  simulator_periods_deinit(engine);
  simulator_cores_deinit(engine);
  simulator_record_deinit(engine);
  simulator_transfers_deinit(engine);
  simulator_routes_deinit(engine);
  simulator_dataflow_destroy(engine->dataflow);
  simulator_rounds_deinit(engine);
  simulator_windows_deinit(engine);
  simulator_network_deinit(&engine->network);
  simulator_queue_deinit(&engine->queue);
  simulator_classes_deinit(&engine->classes);
  simulator_plans_deinit(&engine->plans);
  pod_arena_destroy(engine->arena);
}

// --- The loop over time ---

pod_status_t simulator_check_wanted(const simulator_engine_t *engine) {
  const atomic_bool *is_cancelled = engine->options->is_cancelled;
  if (is_cancelled == NULL || !atomic_load_explicit(is_cancelled, memory_order_relaxed)) {
    return NULL;
  }
  return pod_error(POD_CANCELLED, "the simulation was given up");
}

static void dispatch(simulator_engine_t *engine, const simulator_queue_event_t *event) {
  switch ((simulator_kind_t)event->kind) {
    case SIMULATOR_FLOW_END:
      simulator_transfers_end(engine, event->a, (uint32_t)event->b);
      return;
    case SIMULATOR_RECEIVED:
      simulator_transfers_received(engine, event->a, event->b, event->c);
      return;
    case SIMULATOR_FLIGHT:
      simulator_core_flight(engine, event->b);
      return;
    case SIMULATOR_BEGIN:
      simulator_transfers_begin(engine, event->a, event->b);
      return;
    case SIMULATOR_LOCAL:
      simulator_transfers_local(engine, event->a, event->b, event->c);
      return;
    case SIMULATOR_COPIES:
      simulator_transfers_copied(engine, event->a, event->b);
      return;
    case SIMULATOR_TURN:
      simulator_core_turn(engine, event->b);
      return;
    case SIMULATOR_DIRECT:
      simulator_direct_arrive(engine, event->a, event->b, event->c);
      return;
    case SIMULATOR_SENT:
      simulator_transfers_sent(engine, event->a, event->b, event->c);
      return;
  }
}

static pod_status_t check_ended(const simulator_engine_t *engine) {
  for (int32_t i = 0; i < engine->running_count; i++) {
    const simulator_core_t *core = &engine->cores[i];
    if (core->state != SIMULATOR_CORE_ENDED) {
      return BAD(
          "chip %d waits in %s for chips that never get there: their control flow "
          "took other ways",
          engine->classes.representatives[i],
          engine->program->tasks[core->waiting_task].name);
    }
  }
  return NULL;
}

// What most likely happens after what is happening now.
static void expect_next(const simulator_engine_t *engine) {
  const simulator_batch_t *next = simulator_queue_peek(&engine->queue);
  for (int32_t i = 0; next != NULL && i < next->events.count && i < EVENTS_AHEAD; i++) {
    simulator_direct_expect(engine, &next->events.items[i]);
  }
}

pod_status_t simulator_too_long(void) {
  return pod_error(POD_OUT_OF_RANGE, "a message takes longer than %lld s",
                   (long long)(SIMULATOR_TIME_MAX_PS / 1000000000000));
}

static pod_status_t run_queue(simulator_engine_t *engine) {
  // Rates are found when all that happens at a time has happened.
  while (engine->status == NULL &&
         simulator_queue_next_time(&engine->queue, &engine->now_ps)) {
    POD_TRY(simulator_check_wanted(engine));
    if (engine->now_ps > SIMULATOR_TIME_MAX_PS) {
      return simulator_too_long();
    }
    int64_t next_ps = engine->now_ps;
    while (next_ps == engine->now_ps && engine->status == NULL) {
      const simulator_batch_t batch = simulator_queue_take(&engine->queue);
      expect_next(engine);
      for (int32_t i = 0; i < batch.events.count; i++) {
        if (i + EVENTS_AHEAD < batch.events.count) {
          simulator_direct_expect(engine, &batch.events.items[i + EVENTS_AHEAD]);
        }
        dispatch(engine, &batch.events.items[i]);
      }
      next_ps = -1;
      (void)simulator_queue_next_time(&engine->queue, &next_ps);
      if (next_ps != engine->now_ps && engine->deferred.count > 0) {
        simulator_transfers_start(engine);
        (void)simulator_queue_next_time(&engine->queue, &next_ps);
      }
    }
    (void)simulator_network_settle(&engine->network, engine->now_ps);
    simulator_periods_look(engine);
  }
  return NULL;
}

static pod_status_t run(simulator_engine_t *engine, bool *out_is_done,
                        bool *out_is_mistaken) {
  for (int32_t i = 0; i < engine->running_count; i++) {
    simulator_core_begin(engine, i);
  }
  if (engine->rounds != NULL) {
    POD_TRY(simulator_rounds_run(engine, out_is_done, out_is_mistaken));
  } else {
    POD_TRY(engine->windows != NULL ? simulator_windows_run(engine) : run_queue(engine));
  }
  if (engine->status != NULL || !*out_is_done) {
    return engine->status;
  }
  return check_ended(engine);
}

// How a run ended that gave no error.
typedef enum outcome_t {
  IS_DONE = 0,
  IS_UNFIT = 1,     // The options let it try a way that does not fit the program.
  IS_MISTAKEN = 2,  // What was looked up was not so.
} outcome_t;

// `starts_ps`: by chip, or NULL; see engine.h.
static pod_status_t run_once(const chip_program_t *program,
                             const simulator_options_t *options, const int64_t *starts_ps,
                             simulator_memory_t *memory, outcome_t *out_outcome,
                             simulator_result_t **out_result) {
  simulator_engine_t engine = {.program = program,
                               .options = options,
                               .starts_ps = starts_ps,
                               .memory = memory,
                               .arena = pod_arena_create()};
  simulator_queue_init(&engine.queue);
  bool is_done = true, is_mistaken = false;
  pod_status_t status = prepare(&engine);
  if (status == NULL) {
    status = run(&engine, &is_done, &is_mistaken);
  }
  *out_outcome = is_done ? IS_DONE : is_mistaken ? IS_MISTAKEN : IS_UNFIT;
  if (status == NULL && is_done) {
    simulator_record_finish(&engine);
    *out_result = engine.result;
    engine.result = NULL;
  }
  simulator_result_destroy(engine.result);
  dispose(&engine);
  return status;
}

// As often as something was looked up that was not so.
static pod_status_t run_until_right(const chip_program_t *program,
                                    const simulator_options_t *options,
                                    outcome_t *out_outcome,
                                    simulator_result_t **out_result) {
  simulator_memory_t *memory = simulator_memory_create(!options->looks_nothing_up);
  int64_t mistakes = 0;
  pod_status_t status = run_once(program, options, NULL, memory, out_outcome, out_result);
  while (status == NULL && *out_outcome == IS_MISTAKEN) {
    mistakes++;
    status = run_once(program, options, NULL, memory, out_outcome, out_result);
  }
  if (status == NULL && *out_outcome == IS_DONE) {
    (*out_result)->mistakes = mistakes;
  }
  simulator_memory_destroy(memory);
  return status;
}

pod_status_t simulator_run(const chip_program_t *program,
                           const simulator_options_t *options,
                           simulator_result_t **out_result) {
  POD_TRY(check_options(options));
  POD_TRY(check_tasks(program));
  outcome_t outcome;
  POD_TRY(run_until_right(program, options, &outcome, out_result));
  if (outcome == IS_DONE) {
    return NULL;
  }
  simulator_options_t others = *options;
  others.uses_windows_only = true;
  return run_once(program, &others, NULL, NULL, &outcome, out_result);
}

// The program of one collective, by itself.
static const chip_program_t *program_of(const simulator_engine_t *engine, int32_t task) {
  const chip_program_t *whole = engine->program;
  chip_program_t *program = pod_arena_alloc(engine->arena, sizeof(*program));
  chip_task_t *only = pod_arena_alloc(engine->arena, sizeof(*only));
  chip_computation_t *computations = pod_arena_array(
      engine->arena, (size_t)whole->computation_count, sizeof(*computations));
  *program = *whole;
  *only = whole->tasks[task];
  only->kind = CHIP_TASK_COLLECTIVE;
  only->partner = CHIP_NONE;
  for (int32_t i = 0; i < whole->computation_count; i++) {
    computations[i] = whole->computations[i];
    computations[i].first_task = 0;
    computations[i].task_count = i == whole->entry;
  }
  program->computations = computations;
  program->tasks = only;
  program->task_count = 1;
  return program;
}

pod_status_t simulator_run_alone(simulator_engine_t *engine, int32_t task,
                                 const int64_t *begins_ps, int64_t *out_ends_ps,
                                 simulator_result_t **out_result) {
  const chip_spec_t *spec = engine->options->spec;
  const int32_t chips = torus_chip_count(engine->options->torus);
  int64_t *starts_ps = pod_alloc((size_t)chips * sizeof(*starts_ps));
  // What lies between the start of a chip's program and that of its collective.
  int64_t first_ps = INT64_MAX, before_max_ps = 0;
  for (int32_t i = 0; i < engine->running_count; i++) {
    const int64_t before_ps = simulator_scaled(&engine->cores[i], spec->launch_ps) +
                              simulator_scaled(&engine->cores[i], spec->kernel_ps);
    before_max_ps = before_ps > before_max_ps ? before_ps : before_max_ps;
    first_ps = begins_ps[i] < first_ps ? begins_ps[i] : first_ps;
  }
  const int64_t moved_ps = first_ps - before_max_ps - spec->collective_startup_ps;
  for (int32_t chip = 0; chip < chips; chip++) {
    const int32_t i = engine->classes.class_of_chip[chip];
    if (i < engine->running_count) {
      starts_ps[chip] = begins_ps[i] - moved_ps - spec->collective_startup_ps -
                        simulator_scaled(&engine->cores[i], spec->launch_ps) -
                        simulator_scaled(&engine->cores[i], spec->kernel_ps);
    }
  }
  simulator_options_t options = *engine->options;
  options.traces = NULL;
  options.ignores_symmetry = true;  // Chips that are alike may start apart.
  options.uses_windows_only = true;
  outcome_t outcome;
  const pod_status_t status =
      run_once(program_of(engine, task), &options, starts_ps, NULL, &outcome, out_result);
  free(starts_ps);
  for (int32_t i = 0; status == NULL && i < engine->running_count; i++) {
    const simulator_result_t *result = *out_result;
    const int32_t chip = engine->classes.representatives[i];
    out_ends_ps[i] = moved_ps + result->classes[result->class_of_chip[chip]].end_ps;
  }
  return status;
}

void simulator_result_destroy(simulator_result_t *result) {
  if (result != NULL) {
    pod_arena_destroy(result->arena);
  }
}
