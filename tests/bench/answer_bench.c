// From a module's text to its profile: what each stage takes, in seconds of the
// processor.
//
// usage: answer_bench KIND TOPOLOGY FILE.mlir [slow=CHIP:FACTOR |
// link=CHIP:DIRECTION:FACTOR
//        | every-turn | events-only | windows-only | no-lookup | no-symmetry | events=N |
//        threads=N | cancel=MS] …

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/check.h"
#include "common/base/text.h"
#include "server/compiler/pipeline.h"
#include "server/simulator/plans.h"
#include "server/simulator/simulator.h"
#include "server/wire/simulation.h"
#include "tests/file.h"

enum { SLOW_MAX = 64 };

typedef struct answer_t {
  simulator_slow_chip_t slow_chips[SLOW_MAX];
  simulator_slow_link_t slow_links[SLOW_MAX];
  simulator_options_t options;
  long cancelled_after_ms;  // 0: it is not.
  atomic_bool is_cancelled;
  double cancelled_s;  // When it was.
} answer_t;

// Of this process: what else runs on the machine does not count.
static double now_s(void) {
  struct timespec now;
  POD_CHECK(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) == 0);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double wall_s(void) {
  struct timespec now;
  POD_CHECK(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void expect(pod_status_t status, const char *what) {
  if (status != NULL) {
    fprintf(stderr, "%s: %s\n", what, pod_status_message(status));
    exit(1);
  }
}

static void tell(const char *stage, double since) {
  printf("  %-12s %8.3f s\n", stage, now_s() - since);
  fflush(stdout);
}

static void read_option(answer_t *answer, const char *text) {
  simulator_options_t *options = &answer->options;
  int chip, direction;
  double factor;
  long long events;
  if (sscanf(text, "slow=%d:%lf", &chip, &factor) == 2) {
    POD_CHECK(options->slow_chip_count < SLOW_MAX);
    answer->slow_chips[options->slow_chip_count++] =
        (simulator_slow_chip_t){.chip = chip, .factor = factor};
  } else if (sscanf(text, "link=%d:%d:%lf", &chip, &direction, &factor) == 3) {
    POD_CHECK(options->slow_link_count < SLOW_MAX);
    answer->slow_links[options->slow_link_count++] = (simulator_slow_link_t){
        .chip = chip, .direction = (torus_direction_t)direction, .factor = factor};
  } else if (sscanf(text, "events=%lld", &events) == 1) {
    options->events_max = events;
  } else if (sscanf(text, "cancel=%lld", &events) == 1) {
    answer->cancelled_after_ms = (long)events;
    options->is_cancelled = &answer->is_cancelled;
  } else if (sscanf(text, "threads=%lld", &events) == 1) {
    options->threads_max = (int32_t)events;
  } else if (strcmp(text, "every-turn") == 0) {
    options->runs_every_turn = true;
  } else if (strcmp(text, "events-only") == 0) {
    options->uses_events_only = true;
  } else if (strcmp(text, "windows-only") == 0) {
    options->uses_windows_only = true;
  } else if (strcmp(text, "no-lookup") == 0) {
    options->looks_nothing_up = true;
  } else if (strcmp(text, "no-symmetry") == 0) {
    options->ignores_symmetry = true;
  } else {
    fprintf(stderr, "%s: no option of this\n", text);
    exit(2);
  }
}

static void count_part(void *context, const Podium__V1__ProfilePart *part) {
  *(int64_t *)context += (int64_t)podium__v1__profile_part__get_packed_size(part);
}

static void compile(pipeline_t *pipeline) {
  int count;
  const pipeline_pass_t *passes = pipeline_passes(&count);
  for (int i = 0; i < count; i++) {
    const double start = now_s();
    const pod_status_t status = passes[i].run(pipeline);
    // A step that is too large for its chips takes its time like others.
    if (status != NULL && strcmp(passes[i].name, "check HBM") == 0) {
      pod_status_free(status);
    } else {
      expect(status, passes[i].name);
    }
    tell(passes[i].name, start);
  }
}

// The parts of the simulation's preparation by themselves, which it will do again.
static void prepare(const chip_program_t *program, const simulator_options_t *options) {
  simulator_plans_t plans;
  double start = now_s();
  expect(simulator_plans_init(&plans, program, options->spec, options->torus, NULL),
         "plans");
  tell("(plans)", start);
  printf("  %d plans, %d shapes, %.0f MB\n", plans.plan_count, plans.shapes.count,
         (double)pod_arena_used_bytes(plans.arena) / 1e6);
  simulator_plans_deinit(&plans);
}

static void *cancel(void *context) {
  answer_t *answer = context;
  const struct timespec wait = {.tv_sec = answer->cancelled_after_ms / 1000,
                                .tv_nsec = answer->cancelled_after_ms % 1000 * 1000000};
  nanosleep(&wait, NULL);
  answer->cancelled_s = wall_s();
  atomic_store(&answer->is_cancelled, true);
  return NULL;
}

// How long after it was given up the simulation ends.
static void measure_cancel(answer_t *answer, const chip_program_t *program) {
  pthread_t thread;
  POD_CHECK(pthread_create(&thread, NULL, cancel, answer) == 0);
  simulator_result_t *result = NULL;
  const pod_status_t status = simulator_run(program, &answer->options, &result);
  const double end_s = wall_s();
  POD_CHECK(pthread_join(thread, NULL) == 0);
  if (status == NULL) {
    printf("  it was over before\n");
  } else {
    printf("  cancelled after %ld ms, over %.1f ms later\n", answer->cancelled_after_ms,
           1e3 * (end_s - answer->cancelled_s));
  }
  pod_status_free(status);
  simulator_result_destroy(result);
}

static uint64_t mix(uint64_t hash, const void *bytes, size_t size_bytes) {
  const unsigned char *at = bytes;
  for (size_t i = 0; i < size_bytes; i++) {
    hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
  }
  return hash;
}

// Of all sums of all chips: equal numbers, equal results.
static uint64_t fingerprint(const simulator_result_t *result, int32_t task_count) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (int32_t i = 0; i < result->chip_count; i++) {
    const simulator_chip_t *chip = &result->classes[result->class_of_chip[i]];
    const int64_t sums[] = {chip->end_ps,        chip->compute_ps, chip->waiting_ps,
                            chip->overlapped_ps, chip->mxu_ps,     chip->vpu_ps,
                            chip->hbm_ps,        chip->dma_ps,     chip->ici_ps};
    hash = mix(hash, sums, sizeof(sums));
    hash = mix(hash, chip->totals, (size_t)task_count * sizeof(*chip->totals));
    hash = mix(hash, chip->links, sizeof(chip->links));
  }
  return hash;
}

static void simulate(answer_t *answer, const pipeline_t *pipeline) {
  const chip_program_t *program = pipeline->program;
  simulator_options_t *options = &answer->options;
  pod_arena_t *arena = pod_arena_create();
  double start = now_s();
  expect(simulator_trace(program, torus_chip_count(options->torus), NULL, 0, arena,
                         &options->traces),
         "trace");
  tell("trace", start);
  if (answer->cancelled_after_ms > 0) {
    measure_cancel(answer, program);
    pod_arena_destroy(arena);
    return;
  }
  prepare(program, options);
  start = now_s();
  const double start_wall = wall_s();
  simulator_result_t *result;
  expect(simulator_run(program, options, &result), "simulate");
  tell("simulate", start);
  printf("  by the wall  %8.3f s\n", wall_s() - start_wall);
  start = now_s();
  const wire_simulation_t wire = {.program = program,
                                  .spec = options->spec,
                                  .torus = options->torus,
                                  .traceparent = "",
                                  .hbm_bytes = options->spec->hbm_bytes,
                                  .result = result};
  int64_t bytes = 0;
  wire_simulation_pack(&wire, count_part, &bytes);
  tell("record", start);
  printf("  predicted %.6f ms, %d classes, %lld steps, %d tasks, profile of %.1f MB\n",
         (double)result->step_ps * 1e-9, result->class_count,
         (long long)result->steps_simulated, program->task_count, (double)bytes / 1e6);
  printf("  by %lld rounds, %lld windows; %lld episodes looked up, %lld mistakes\n",
         (long long)result->rounds_simulated, (long long)result->windows_simulated,
         (long long)result->episodes_looked_up, (long long)result->mistakes);
  printf("  sums of all chips: %016" PRIx64 "\n",
         fingerprint(result, program->task_count));
  simulator_result_destroy(result);
  pod_arena_destroy(arena);
}

int main(int argc, char **argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: answer_bench KIND TOPOLOGY FILE.mlir [OPTION] …\n");
    return 2;
  }
  const chip_spec_t *spec = chip_spec_find(argv[1]);
  POD_CHECK(spec != NULL);
  compiler_options_t options = {.file_name = argv[3], .spec = spec};
  expect(torus_parse(argv[2], spec, &options.torus, NULL), argv[2]);
  answer_t answer = {.options = {.spec = spec, .torus = &options.torus}};
  answer.options.slow_chips = answer.slow_chips;
  answer.options.slow_links = answer.slow_links;
  for (int i = 4; i < argc; i++) {
    read_option(&answer, argv[i]);
  }
  pod_text_t text = {0};
  if (!read_file(argv[3], &text)) {
    fprintf(stderr, "cannot open %s\n", argv[3]);
    return 2;
  }
  for (int i = 0; i < argc; i++) {
    printf("%s%s", i == 0 ? "" : " ", i == 0 ? "" : argv[i]);
  }
  printf("\n");
  pipeline_t pipeline = {
      .text = text.bytes, .length = (int64_t)text.length, .options = &options};
  const double start = now_s();
  compile(&pipeline);
  tell("compiled", start);
  simulate(&answer, &pipeline);
  tell("all", start);
  pipeline_deinit(&pipeline);
  pod_text_deinit(&text);
  return 0;
}
