// Rounds and windows of time against a queue of all events, beside stragglers and slow
// links: the same to the picosecond.

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "server/simulator/simulator.h"
#include "tests/unit/server/simulator/random_world.h"

enum { SEED_COUNT = 200, CHIPS_MAX = 64, LINKS_MAX = 3, TURNS = 8 };

typedef struct unevenness_t {
  simulator_slow_chip_t chips[CHIPS_MAX];
  simulator_slow_link_t links[LINKS_MAX];
} unevenness_t;

// Over all chips or over an axis; short ones, and some whose messages are on their links
// much longer than a hop takes.
static int32_t add_even_collective(world_t *world, const torus_t *torus, dice_t *dice) {
  // All chips send alike when the lanes divide the chunks evenly.
  const int32_t elements = world->chips * 12 * (16 << roll(dice, 12));
  const int32_t sizes[] = {torus->size[0], torus->size[1], torus->size[2]};
  const int32_t strides[] = {1, torus->size[0], torus->size[0] * torus->size[1]};
  const int32_t axis = roll(dice, TORUS_DIMENSIONS);
  switch (roll(dice, 4)) {
    case 0:
      return world_all_reduce(world, elements, sizes[axis], strides[axis]);
    default:
      return world_all_reduce(world, elements, world->chips, 1);
  }
}

// Collectives that fly over each other, and some that wait, between computing.
static void add_even_tasks(world_t *world, const torus_t *torus, dice_t *dice,
                           int32_t computation) {
  const int32_t any = world_any(world);
  const chip_work_t bytes = {.hbm_read_bytes = 3 * (int64_t)WORLD_HBM * US};
  int32_t open[OPS_MAX];
  int32_t open_count = 0;
  for (int32_t i = 2 + roll(dice, OPS_MAX - 2); i > 0; i--) {
    const int32_t collective = add_even_collective(world, torus, dice);
    if (roll(dice, 3) == 0) {
      world_task(world, computation, CHIP_TASK_COLLECTIVE, collective, bytes);
    } else {
      open[open_count++] =
          world_task(world, computation, CHIP_TASK_COLLECTIVE_START, collective, bytes);
    }
    world_compute(world, computation, any, (1 + roll(dice, 400)) * (int64_t)US, 0);
    if (open_count > 0 && roll(dice, 4) == 0) {
      end_open(world, computation, CHIP_TASK_COLLECTIVE_DONE, open[--open_count]);
    }
  }
  while (open_count > 0) {
    end_open(world, computation, CHIP_TASK_COLLECTIVE_DONE, open[--open_count]);
  }
}

// Layers written out one after another, as a loop would run them: each with collectives
// of its own. The last one may end before the others do.
static void add_layers(world_t *world, const torus_t *torus, dice_t *dice,
                       int32_t computation) {
  enum { LAYERS = 5, TASKS_OF_LAYER = 3 };
  const dice_t layer = {.state = (uint64_t)roll(dice, 1 << 30)};
  const int32_t any = world_any(world);
  const bool is_async = roll(dice, 3) > 0;
  int32_t open = -1;
  for (int32_t i = 0; i < LAYERS; i++) {
    dice_t again = layer;
    for (int32_t t = i == LAYERS - 1 ? roll(dice, 2) : 0; t < TASKS_OF_LAYER; t++) {
      const int32_t collective = add_even_collective(world, torus, &again);
      const int32_t start = world_task(
          world, computation,
          is_async ? CHIP_TASK_COLLECTIVE_START : CHIP_TASK_COLLECTIVE, collective,
          (chip_work_t){.hbm_read_bytes = 3 * (int64_t)WORLD_HBM * US});
      world_compute(world, computation, any, (1 + roll(&again, 400)) * (int64_t)US, 0);
      if (open >= 0) {  // The next one is under way before this one is waited for.
        end_open(world, computation, CHIP_TASK_COLLECTIVE_DONE, open);
      }
      open = is_async ? start : -1;
    }
  }
  if (open >= 0) {
    end_open(world, computation, CHIP_TASK_COLLECTIVE_DONE, open);
  }
}

static chip_program_t *make_program(const torus_t *torus, dice_t *dice,
                                    int32_t *out_loop) {
  world_t world;
  world_begin(&world, torus_chip_count(torus));
  const int32_t state = program_temp(world.builder, shape_of(TENSOR_PRED, 0));
  const int32_t condition =
      program_computation(world.builder, "condition", state, CHIP_NONE, state, CHIP_NONE);
  add_compute(&world, dice, condition, world_any(&world));
  const int32_t body =
      program_computation(world.builder, "body", state, CHIP_NONE, state, CHIP_NONE);
  add_even_tasks(&world, torus, dice, body);
  const int32_t entry = program_computation(world.builder, "main", CHIP_NONE, CHIP_NONE);
  *out_loop = program_op(world.builder, CHIP_OP_WHILE, CHIP_NONE, state, CHIP_NONE);
  program_call(world.builder, condition);
  program_call(world.builder, body);
  world_task(&world, entry, CHIP_TASK_WHILE, *out_loop, (chip_work_t){0});
  if (roll(dice, 2) == 0) {
    add_layers(&world, torus, dice, entry);
  }
  add_even_tasks(&world, torus, dice, entry);
  return world_end(&world);
}

// One straggler, some, or every chip at a speed of its own; and up to three slow links.
static void make_uneven(const torus_t *torus, dice_t *dice, unevenness_t *room,
                        simulator_options_t *options) {
  const int32_t chips = torus_chip_count(torus);
  const int32_t kind = roll(dice, 4);
  const int32_t count = kind == 3 ? chips : kind == 2 ? 1 + roll(dice, 5) : kind;
  for (int32_t i = 0; i < count; i++) {
    room->chips[i] = (simulator_slow_chip_t){kind == 3 ? i : roll(dice, chips),
                                             1.0 + 0.001 * roll(dice, 1000)};
  }
  const int32_t links = kind == 0 ? 1 + roll(dice, LINKS_MAX) : roll(dice, LINKS_MAX + 1);
  for (int32_t i = 0; i < links; i++) {
    room->links[i] =
        (simulator_slow_link_t){roll(dice, chips), 0, 0.2 + 0.1 * roll(dice, 9)};
  }
  options->slow_chips = room->chips;
  options->slow_links = room->links;
  options->slow_chip_count = count;
  options->slow_link_count = links;
}

static void assert_same_chip(const chip_program_t *program, const simulator_chip_t *x,
                             const simulator_chip_t *y) {
  assert_int_equal(x->end_ps, y->end_ps);
  assert_int_equal(x->compute_ps, y->compute_ps);
  assert_int_equal(x->waiting_ps, y->waiting_ps);
  assert_int_equal(x->overlapped_ps, y->overlapped_ps);
  assert_int_equal(x->mxu_ps, y->mxu_ps);
  assert_int_equal(x->hbm_ps, y->hbm_ps);
  assert_int_equal(x->ici_ps, y->ici_ps);
  assert_memory_equal(x->totals, y->totals,
                      (size_t)program->task_count * sizeof(*x->totals));
  assert_memory_equal(x->links, y->links, sizeof(x->links));
}

// How many runs went by what, and how many passed turns over.
typedef struct tally_t {
  int rounds, windows, saved;
  int64_t looked_up, mistakes;
} tally_t;

static void compare_with(const chip_program_t *program, simulator_options_t options,
                         const simulator_result_t *slow, tally_t *tally) {
  simulator_result_t *fast = world_run(program, &options);
  assert_int_equal(fast->step_ps, slow->step_ps);
  for (int32_t chip = 0; chip < torus_chip_count(options.torus); chip++) {
    assert_same_chip(program, world_chip(fast, chip), world_chip(slow, chip));
  }
  assert_true(fast->rounds_simulated == 0 || fast->windows_simulated == 0);
  tally->rounds += fast->rounds_simulated > 0;
  tally->windows += fast->windows_simulated > 0;
  tally->saved += fast->steps_simulated < slow->steps_simulated;
  tally->looked_up += fast->episodes_looked_up;
  tally->mistakes += fast->mistakes;
  simulator_result_destroy(fast);
}

static void compare(const chip_program_t *program, simulator_options_t options,
                    int32_t threads, tally_t *tally) {
  simulator_options_t all = options;
  all.uses_events_only = true;
  all.runs_every_turn = true;
  simulator_result_t *slow = world_run(program, &all);
  assert_int_equal(slow->rounds_simulated + slow->windows_simulated, 0);
  compare_with(program, options, slow, tally);
  options.threads_max = threads;
  compare_with(program, options, slow, tally);
  options.runs_every_turn = true;
  compare_with(program, options, slow, tally);
  options.runs_every_turn = false;
  options.looks_nothing_up = true;
  compare_with(program, options, slow, tally);
  options.uses_windows_only = true;
  compare_with(program, options, slow, tally);
  simulator_result_destroy(slow);
}

static void test_rounds_and_windows_tell_what_events_tell(void **state) {
  (void)state;
  const torus_t tori[] = {
      {.size = {8, 1, 1}, .wraps = {true, false, false}},
      {.size = {4, 4, 1}, .wraps = {true, true, false}},
      {.size = {6, 6, 1}, .wraps = {true, true, false}},
      {.size = {4, 4, 4}, .wraps = {true, true, true}},
      {.size = {8, 4, 1}, .wraps = {true, true, false}},
      {.size = {3, 3, 3}, .wraps = {true, true, true}},
  };
  tally_t tally = {0};
  for (uint64_t seed = 0; seed < SEED_COUNT; seed++) {
    dice_t dice = {.state = seed};
    const torus_t *torus = &tori[roll(&dice, POD_COUNT_OF(tori))];
    int32_t loop;
    chip_program_t *program = make_program(torus, &dice, &loop);
    chip_trace_t trace;
    chip_trace_init(&trace, program);
    assert_true(chip_trace_add(&trace, loop, 1 + roll(&dice, TURNS)));
    const chip_trace_t *traces[CHIPS_MAX];
    for (int32_t i = 0; i < torus_chip_count(torus); i++) {
      traces[i] = &trace;
    }
    simulator_options_t options = world_options(torus);
    options.spec = seed % 2 == 0 ? &world_spec : world_narrow_spec();
    options.traces = traces;
    options.events_max = 0;
    options.ignores_symmetry = roll(&dice, 4) == 0;
    unevenness_t uneven;
    make_uneven(torus, &dice, &uneven, &options);
    compare(program, options, 2 + roll(&dice, 4), &tally);
    chip_trace_deinit(&trace);
    chip_program_destroy(program);
  }
  // Otherwise nothing has been tested.
  assert_true(tally.rounds > SEED_COUNT);
  assert_true(tally.windows > SEED_COUNT / 2);
  assert_true(tally.saved > SEED_COUNT / 10);
  assert_true(tally.looked_up > SEED_COUNT);
  assert_true(tally.mistakes > SEED_COUNT / 20);
}

// all_reduce of so many arrays together that its lanes have no room in rounds, on 4x4x4.
static int32_t add_wide_collective(world_t *world) {
  enum { ARRAYS = 40 };
  const tensor_shape_t shape = shape_of(TENSOR_F32, 1, 64 * 12);
  const int32_t instruction = world_all_reduce(world, 64 * 12, 64, 1);
  chip_instruction_t *wide = &world->builder->instructions[instruction];
  int32_t *operands = pod_arena_array(world->builder->arena, ARRAYS, sizeof(*operands));
  int32_t *results = pod_arena_array(world->builder->arena, ARRAYS, sizeof(*results));
  for (int i = 0; i < ARRAYS; i++) {
    operands[i] = program_temp(world->builder, shape);
    results[i] = program_temp(world->builder, shape);
  }
  wide->operands = operands;
  wide->results = results;
  wide->operand_count = wide->result_count = ARRAYS;
  return instruction;
}

// What has no room in rounds is run by itself when nothing else is under way; the rest
// goes by rounds all the same. Where something else is, all goes by windows.
static void test_what_rounds_have_no_room_for_is_run_by_itself(void **state) {
  (void)state;
  const torus_t torus = {.size = {4, 4, 4}, .wraps = {true, true, true}};
  for (int with_others = 0; with_others < 2; with_others++) {
    world_t world;
    world_begin(&world, CHIPS_MAX);
    dice_t dice = {.state = 1};
    const int32_t entry =
        program_computation(world.builder, "main", CHIP_NONE, CHIP_NONE);
    const int32_t any = world_any(&world);
    world_compute(&world, entry, any, 50 * (int64_t)US, 0);
    world_task(&world, entry, CHIP_TASK_COLLECTIVE,
               add_even_collective(&world, &torus, &dice), (chip_work_t){0});
    world_compute(&world, entry, any, 90 * (int64_t)US, 0);
    int32_t open = -1;
    if (with_others > 0) {
      open = world_task(&world, entry, CHIP_TASK_COLLECTIVE_START,
                        add_even_collective(&world, &torus, &dice), (chip_work_t){0});
    }
    const int32_t wide = world_task(&world, entry, CHIP_TASK_COLLECTIVE_START,
                                    add_wide_collective(&world), (chip_work_t){0});
    world_compute(&world, entry, any, 20 * (int64_t)US, 0);
    end_open(&world, entry, CHIP_TASK_COLLECTIVE_DONE, wide);
    if (open >= 0) {
      end_open(&world, entry, CHIP_TASK_COLLECTIVE_DONE, open);
    }
    world_compute(&world, entry, any, 10 * (int64_t)US, 0);
    world_task(&world, entry, CHIP_TASK_COLLECTIVE,
               add_even_collective(&world, &torus, &dice), (chip_work_t){0});
    chip_program_t *program = world_end(&world);
    const simulator_slow_chip_t slow = {.chip = 5, .factor = 1.3};
    const simulator_slow_link_t link = {.chip = 9, .direction = 0, .factor = 0.6};
    simulator_options_t options = world_options(&torus);
    options.events_max = 0;
    options.slow_chips = &slow;
    options.slow_links = &link;
    options.slow_chip_count = options.slow_link_count = 1;
    tally_t tally = {0};
    compare(program, options, 2, &tally);
    assert_int_equal(tally.rounds > 0, with_others == 0);
    chip_program_destroy(program);
  }
}

// What begins behind the end of another collective is taken to begin as it did in the
// episode before; here it never does. That is found out so often and no oftener.
static void test_mistakes_end_when_there_have_been_too_many(void **state) {
  (void)state;
  enum { VARIANTS = 28, MISTAKES_MAX = 16 };
  const torus_t torus = {.size = {8, 1, 1}, .wraps = {true, false, false}};
  world_t world;
  world_begin(&world, 8);
  const int32_t entry = program_computation(world.builder, "main", CHIP_NONE, CHIP_NONE);
  const int32_t any = world_any(&world);
  const int32_t align = world_all_reduce(&world, 8 * 12 * 64, 8, 1);
  const int32_t brief = world_all_reduce(&world, 8 * 12 * 16, 8, 1);
  const int32_t wide = world_all_reduce(&world, 8 * 12 * 65536, 8, 1);
  for (int32_t i = 0; i < VARIANTS; i++) {
    world_task(&world, entry, CHIP_TASK_COLLECTIVE, align, (chip_work_t){0});
    const int32_t first =
        world_task(&world, entry, CHIP_TASK_COLLECTIVE_START, wide, (chip_work_t){0});
    world_task(&world, entry, CHIP_TASK_COLLECTIVE, brief, (chip_work_t){0});
    world_compute(&world, entry, any, (10 + i) * (int64_t)US, 0);
    const int32_t second =
        world_task(&world, entry, CHIP_TASK_COLLECTIVE_START, brief, (chip_work_t){0});
    end_open(&world, entry, CHIP_TASK_COLLECTIVE_DONE, second);
    end_open(&world, entry, CHIP_TASK_COLLECTIVE_DONE, first);
  }
  chip_program_t *program = world_end(&world);
  const simulator_slow_chip_t slow = {.chip = 5, .factor = 1.5};
  simulator_options_t options = world_options(&torus);
  options.events_max = 0;
  options.slow_chips = &slow;
  options.slow_chip_count = 1;
  options.threads_max = 1;
  simulator_result_t *result = world_run(program, &options);
  assert_true(result->rounds_simulated > 0);
  assert_int_equal(result->mistakes, MISTAKES_MAX);
  simulator_result_destroy(result);
  tally_t tally = {0};
  compare(program, options, 2, &tally);
  chip_program_destroy(program);
}

typedef struct canceller_t {
  atomic_bool is_cancelled;
  long after_us;
} canceller_t;

static void *cancel(void *context) {
  canceller_t *canceller = context;
  const struct timespec wait = {.tv_nsec = canceller->after_us * 1000};
  nanosleep(&wait, NULL);
  atomic_store(&canceller->is_cancelled, true);
  return NULL;
}

static void test_threads_end_when_the_run_is_cancelled(void **state) {
  (void)state;
  enum { RUNS = 40, TURNS_MANY = 1000000 };
  const torus_t torus = {.size = {4, 4, 4}, .wraps = {true, true, true}};
  for (uint64_t seed = 0; seed < RUNS; seed++) {
    dice_t dice = {.state = seed};
    int32_t loop;
    chip_program_t *program = make_program(&torus, &dice, &loop);
    chip_trace_t trace;
    chip_trace_init(&trace, program);
    assert_true(chip_trace_add(&trace, loop, TURNS_MANY));
    const chip_trace_t *traces[CHIPS_MAX];
    for (int32_t i = 0; i < CHIPS_MAX; i++) {
      traces[i] = &trace;
    }
    const simulator_slow_chip_t slow = {.chip = 5, .factor = 1.5};
    canceller_t canceller = {.after_us = 200 + 200 * roll(&dice, 20)};
    simulator_options_t options = world_options(&torus);
    options.traces = traces;
    options.events_max = 0;
    options.slow_chips = &slow;
    options.slow_chip_count = 1;
    options.runs_every_turn = true;
    options.threads_max = 1 + roll(&dice, 4);
    options.is_cancelled = &canceller.is_cancelled;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, cancel, &canceller), 0);
    simulator_result_t *result = NULL;
    const pod_status_t status = simulator_run(program, &options, &result);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(pod_status_code(status), POD_CANCELLED);
    assert_null(result);
    pod_status_free(status);
    chip_trace_deinit(&trace);
    chip_program_destroy(program);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rounds_and_windows_tell_what_events_tell),
      cmocka_unit_test(test_what_rounds_have_no_room_for_is_run_by_itself),
      cmocka_unit_test(test_mistakes_end_when_there_have_been_too_many),
      cmocka_unit_test(test_threads_end_when_the_run_is_cancelled),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
