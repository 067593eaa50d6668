// Every rewrite works on a copy of the program. The copy is fused, scheduled and fitted
// into the HBM as the program will be, and stays when that takes less time by the
// scheduler's clock, or when the user wants it.

#include "server/compiler/collectives/collectives.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/base/memory.h"
#include "common/mlir/walk.h"
#include "server/compiler/collectives/rewrite.h"
#include "server/compiler/lower/lower.h"
#include "server/compiler/placement/placement.h"
#include "server/compiler/schedule/fit.h"
#include "server/compiler/schedule/memory.h"
#include "server/compiler/schedule/tasks.h"
#include "server/compiler/simplify/simplify.h"
#include "server/program/operations.h"
#include "server/simulator/simulator.h"

enum {
  SITES_MAX = 64,                 // Of a rewrite.
  RUNS_SIZE_MAX = 4096,           // Collectives times chips of what the clock is to run.
  OPERATIONS_TRIED_MAX = 100000,  // In all copies together.
};

typedef struct row_t {
  const char *name;
  rewrite_outcome_t (*run)(rewrite_t *rewrite, int site);
  collectives_choice_t usual;
} row_t;

static const row_t rows[] = {
#define REWRITE(id, name, run, usual) \
  [COLLECTIVES_##id] = {name, run, COLLECTIVES_##usual},
#include "server/compiler/collectives/rewrites.def"
#undef REWRITE
};

// What a program takes.
typedef struct cost_t {
  int64_t duration_ps;   // As the scheduler estimates it.
  int64_t clock_ps;      // As the clock of the pod has it; 0: it has not been asked.
  int64_t excess_bytes;  // Of HBM, over what there is; 0: it fits.
} cost_t;

typedef struct driver_t {
  compiler_partitioned_t *partitioned;
  const clusters_clock_t *clock;
  cost_t cost;  // Of the program as it is; known when has_cost.
  bool has_cost;
  bool estimates_only;
  int64_t operations_left;
  POD_LIST(const char *) reasons;
  POD_LIST(const char *) notes;
  POD_LIST(const char *) untried;  // Rewrites for which operations_left did not do.
} driver_t;

// --- Copies ---

static mlir_module_t *copy_module(mlir_module_t *module) {
  mlir_module_t *copy = mlir_module_create_beside(module);
  mlir_value_t **value_map =
      pod_alloc(((size_t)module->value_count + 1) * sizeof(void *));
  for (int i = 0; i < module->op->attr_count; i++) {
    mlir_op_add_attr(copy, copy->op, module->op->attrs[i].name,
                     module->op->attrs[i].value);
  }
  mlir_block_t *block = mlir_op_block(copy->op, 0);
  for (const mlir_op_t *op = mlir_op_block(module->op, 0)->first; op != NULL;
       op = op->next) {
    mlir_block_append(block, mlir_op_clone(copy, op, value_map));
  }
  free((void *)value_map);
  return copy;
}

// --- Time ---

static pod_status_t measure(const compiler_partitioned_t *partitioned,
                            const clusters_clock_t *clock, clusters_t **clusters,
                            cost_t *out_cost) {
  POD_TRY(clusters_create(partitioned, clock, clusters));
  clusters_schedule(*clusters, CLUSTERS_SHARES);
  const char *note;
  POD_TRY(fit_hbm(partitioned, clock, clusters, &note));
  memory_t memory;
  POD_TRY(memory_count(*clusters, &memory));
  const int64_t excess =
      chip_memory_hbm_bytes(&memory.total) - chip_spec_hbm_usable_bytes(clock->spec);
  memory_deinit(&memory);
  *out_cost = (cost_t){.duration_ps = clusters_estimate_ps(*clusters),
                       .excess_bytes = excess > 0 ? excess : 0};
  return NULL;
}

// A loop whose turns follow from values is none that the clock can run: 0.
static pod_status_t run_program(const chip_program_t *program,
                                const clusters_clock_t *clock, int64_t *out_ps) {
  pod_arena_t *arena = pod_arena_create();
  simulator_options_t options = {.spec = clock->spec, .torus = clock->torus};
  pod_status_t status = simulator_trace(program, torus_chip_count(clock->torus), NULL, 0,
                                        arena, &options.traces);
  simulator_result_t *result = NULL;
  *out_ps = 0;
  if (status == NULL) {
    status = simulator_run(program, &options, &result);
  }
  if (status == NULL) {
    *out_ps = result->step_ps;
  }
  simulator_result_destroy(result);
  pod_arena_destroy(arena);
  pod_status_free(status);
  return NULL;
}

static pod_status_t ask_clock(const compiler_partitioned_t *partitioned,
                              const clusters_clock_t *clock, clusters_t *clusters,
                              cost_t *cost) {
  chip_program_t *program = NULL;
  lower_notes_t notes;
  POD_TRY(lower_with_notes(partitioned, &program, &notes));
  algorithms_apply(clock->algorithms, program);
  clusters_assign_vmem(clusters);
  tasks_emit(clusters, notes.sources, program);
  const pod_status_t status = run_program(program, clock, &cost->clock_ps);
  chip_program_destroy(program);
  return status;
}

// Of a copy, since what is measured is changed.
static pod_status_t time_of(driver_t *driver, mlir_module_t *module, bool asks_clock,
                            cost_t *out_cost) {
  compiler_partitioned_t copy = *driver->partitioned;
  copy.module = copy_module(module);
  driver->operations_left -= (int64_t)copy.module->op_count;
  clusters_t *clusters = NULL;
  pod_status_t status = measure(&copy, driver->clock, &clusters, out_cost);
  if (status == NULL && asks_clock) {
    status = ask_clock(&copy, driver->clock, clusters, out_cost);
  }
  clusters_destroy(clusters);
  mlir_module_destroy(copy.module);
  return status;
}

// What the clock is to run is small: it looks at every step of every collective.
static bool may_ask_clock(const driver_t *driver, const mlir_module_t *module) {
  int64_t count = 0;
  const mlir_op_t *main = mlir_module_find_symbol(module, "main");
  for (const mlir_op_t *op = mlir_walk_first(main); op != NULL;
       op = mlir_walk_next(main, op)) {
    count += chip_op_has(op->kind, CHIP_TRAIT_COLLECTIVE);
  }
  return count * driver->partitioned->mesh->device_count <= RUNS_SIZE_MAX;
}

static int64_t time_told(const cost_t *cost, bool by_clock) {
  return by_clock ? cost->clock_ps : cost->duration_ps;
}

static bool is_by_clock(const cost_t *a, const cost_t *b) {
  return a->clock_ps > 0 && b->clock_ps > 0;
}

static bool is_better(const cost_t *a, const cost_t *b) {
  const bool by_clock = is_by_clock(a, b);
  return a->excess_bytes < b->excess_bytes ||
         (a->excess_bytes == b->excess_bytes &&
          time_told(a, by_clock) < time_told(b, by_clock));
}

// --- What is told ---

static void add_time(pod_text_t *text, int64_t ps) {
  if (ps >= INT64_C(1000000000000)) {
    pod_text_printf(text, "%.6g s", (double)ps / 1e12);
  } else if (ps >= INT64_C(1000000000)) {
    pod_text_printf(text, "%.6g ms", (double)ps / 1e9);
  } else {
    pod_text_printf(text, "%.6g us", (double)ps / 1e6);
  }
}

static void add_costs(pod_text_t *text, const cost_t *with, const cost_t *without) {
  if (with->excess_bytes > 0 && without->excess_bytes < with->excess_bytes) {
    pod_text_add(text, "it would not fit the HBM");
    return;
  }
  const bool by_clock = is_by_clock(with, without);
  pod_text_add(text, "the step takes ");
  add_time(text, time_told(with, by_clock));
  pod_text_add(text, " so and ");
  add_time(text, time_told(without, by_clock));
  pod_text_add(text, by_clock ? " without" : " without, as the scheduler counts");
}

static const char *keep(driver_t *driver, pod_text_t *text) {
  const char *copy = pod_arena_strdup(driver->partitioned->arena, text->bytes);
  pod_text_deinit(text);
  return copy;
}

static void say(driver_t *driver, const char **io_reason, const char *more) {
  pod_text_t text = {0};
  pod_text_printf(&text, "%s%s%s", *io_reason, **io_reason == '\0' ? "" : "; ", more);
  *io_reason = keep(driver, &text);
}

// New collectives say what they save, those that stay what they would.
static void tell(driver_t *driver, const row_t *row, rewrite_t *rewrite, bool is_kept,
                 bool is_forced, const cost_t *cost) {
  pod_text_t text = {0};
  if (is_kept && is_forced) {
    pod_text_printf(&text, "%s=on", row->name);
  } else {
    pod_text_printf(&text, "%s%s: ", is_kept ? "" : "not ", row->name);
    add_costs(&text, cost, &driver->cost);
  }
  const char *why = keep(driver, &text);
  const int32_t first = driver->reasons.count;
  for (int32_t i = first; i < rewrite->reasons.count && is_kept; i++) {
    say(driver, &rewrite->reasons.items[i], why);
    *pod_list_add(&driver->reasons) = rewrite->reasons.items[i];
  }
  for (int32_t i = 0; i < rewrite->touched.count && !is_kept; i++) {
    say(driver, &driver->reasons.items[rewrite->touched.items[i]], why);
  }
  if (is_kept) {
    pod_text_printf(&text, "collectives: %s (%s)", rewrite->summary, why);
    *pod_list_add(&driver->notes) = keep(driver, &text);
  }
}

// --- Rewrites ---

static void adopt(driver_t *driver, mlir_module_t *module) {
  mlir_module_destroy(driver->partitioned->module);
  driver->partitioned->module = module;
}

static pod_status_t know_cost(driver_t *driver, bool asks_clock) {
  if (driver->has_cost && (!asks_clock || driver->cost.clock_ps > 0)) {
    return NULL;
  }
  driver->has_cost = true;
  return time_of(driver, driver->partitioned->module, asks_clock, &driver->cost);
}

// What looks better to the scheduler has to be so by the clock of the pod, where it can
// be asked.
static pod_status_t compare(driver_t *driver, mlir_module_t *module, cost_t *out_cost) {
  POD_TRY(know_cost(driver, false));
  POD_TRY(time_of(driver, module, false, out_cost));
  const bool asks_clock = out_cost->excess_bytes == driver->cost.excess_bytes &&
                          out_cost->duration_ps < driver->cost.duration_ps &&
                          !driver->estimates_only && may_ask_clock(driver, module);
  if (asks_clock) {
    POD_TRY(know_cost(driver, true));
    POD_TRY(time_of(driver, module, true, out_cost));
  }
  return NULL;
}

// Takes rewrite->module.
static pod_status_t decide(driver_t *driver, const row_t *row, rewrite_t *rewrite,
                           bool is_forced, bool *out_is_kept) {
  *out_is_kept = false;
  cost_t cost = {0};
  pod_status_t status = compiler_simplify(rewrite->module);
  if (status == NULL && !is_forced) {
    status = compare(driver, rewrite->module, &cost);
  }
  if (status != NULL) {
    mlir_module_destroy(rewrite->module);
    return status;
  }
  *out_is_kept = is_forced || is_better(&cost, &driver->cost);
  tell(driver, row, rewrite, *out_is_kept, is_forced, &cost);
  if (*out_is_kept) {
    adopt(driver, rewrite->module);
    driver->cost = cost;
    driver->has_cost = !is_forced;
  } else {
    mlir_module_destroy(rewrite->module);
  }
  return NULL;
}

static rewrite_t begin(driver_t *driver) {
  rewrite_t rewrite = {.partitioned = driver->partitioned, .clock = driver->clock};
  rewrite.module = copy_module(driver->partitioned->module);
  rewrite.main = mlir_module_find_symbol(rewrite.module, "main");
  for (int32_t i = 0; i < driver->reasons.count; i++) {
    *pod_list_add(&rewrite.reasons) = driver->reasons.items[i];
  }
  driver->operations_left -= (int64_t)rewrite.module->op_count;
  return rewrite;
}

// What is forced is copied once a site, which SITES_MAX bounds.
static bool may_try(const driver_t *driver, bool is_forced) {
  return is_forced || driver->operations_left > 0;
}

// What large programs are not compiled for is told where there would have been a site.
static void note_untried(driver_t *driver, const row_t *row, int site) {
  rewrite_outcome_t outcome = REWRITE_NOTHING;
  for (; outcome == REWRITE_NOTHING && site < SITES_MAX; site++) {
    rewrite_t rewrite = begin(driver);
    outcome = row->run(&rewrite, site);
    mlir_module_destroy(rewrite.module);
    pod_list_deinit(&rewrite.reasons);
    pod_list_deinit(&rewrite.touched);
  }
  if (outcome == REWRITE_DONE) {
    *pod_list_add(&driver->untried) = row->name;
  }
}

static void tell_untried(driver_t *driver) {
  if (driver->untried.count == 0) {
    return;
  }
  pod_text_t text = {0};
  pod_text_add(&text, "collectives: ");
  for (int32_t i = 0; i < driver->untried.count; i++) {
    pod_text_printf(&text, "%s%s", i == 0 ? "" : ", ", driver->untried.items[i]);
  }
  pod_text_printf(&text,
                  " not tried everywhere: the program has %" PRIu32
                  " operations, and no more than %d are copied to try what would be "
                  "faster; --collectives NAME=on does it untried, NAME=off leaves more "
                  "for the others",
                  driver->partitioned->module->op_count, OPERATIONS_TRIED_MAX);
  *pod_list_add(&driver->notes) = keep(driver, &text);
}

// A site that is kept is gone, and the next one has its number.
static pod_status_t run_rewrite(driver_t *driver, const row_t *row,
                                collectives_choice_t choice) {
  choice = choice == COLLECTIVES_USUAL ? row->usual : choice;
  if (choice == COLLECTIVES_OFF) {
    return NULL;
  }
  const bool is_forced = choice == COLLECTIVES_ON;
  pod_status_t status = NULL;
  int site = 0;
  rewrite_outcome_t outcome = REWRITE_DONE;
  for (int i = 0; i < SITES_MAX && status == NULL && outcome != REWRITE_NO_SITE &&
                  may_try(driver, is_forced);
       i++) {
    rewrite_t rewrite = begin(driver);
    outcome = row->run(&rewrite, site);
    bool is_kept = false;
    if (outcome == REWRITE_DONE) {
      status = decide(driver, row, &rewrite, is_forced, &is_kept);
    } else {
      mlir_module_destroy(rewrite.module);
    }
    site = is_kept && rewrite.variants > 0 ? site - site % rewrite.variants
                                           : site + !is_kept;
    pod_list_deinit(&rewrite.reasons);
    pod_list_deinit(&rewrite.touched);
  }
  if (status == NULL && outcome != REWRITE_NO_SITE && !may_try(driver, is_forced)) {
    note_untried(driver, row, site);
  }
  return status;
}

// Collectives, or what a loop brings from the host.
static bool has_sites(const mlir_module_t *module) {
  const mlir_op_t *main = mlir_module_find_symbol(module, "main");
  for (const mlir_op_t *op = mlir_walk_first(main); op != NULL;
       op = mlir_walk_next(main, op)) {
    const bool is_in_main = op->block->region->op == main;
    if (chip_op_has(op->kind, CHIP_TRAIT_COLLECTIVE) ||
        (!is_in_main && placement_is_transfer(op) && !placement_is_to_host(op))) {
      return true;
    }
  }
  return false;
}

static void read_told(driver_t *driver) {
  const compiler_partitioned_t *partitioned = driver->partitioned;
  for (int32_t i = 0; i < partitioned->reason_count; i++) {
    *pod_list_add(&driver->reasons) = partitioned->reasons[i];
  }
  for (int32_t i = 0; i < partitioned->note_count; i++) {
    *pod_list_add(&driver->notes) = partitioned->notes[i];
  }
}

static void write_told(const driver_t *driver) {
  compiler_partitioned_t *partitioned = driver->partitioned;
  partitioned->reason_count = driver->reasons.count;
  partitioned->reasons =
      pod_arena_copy(partitioned->arena, (const void *)driver->reasons.items,
                     (size_t)driver->reasons.count * sizeof(const char *));
  partitioned->note_count = driver->notes.count;
  partitioned->notes =
      pod_arena_copy(partitioned->arena, (const void *)driver->notes.items,
                     (size_t)driver->notes.count * sizeof(const char *));
}

pod_status_t compiler_rewrite_collectives(compiler_partitioned_t *partitioned,
                                          const clusters_clock_t *clock,
                                          const collectives_choices_t *choices) {
  if (!has_sites(partitioned->module)) {
    return NULL;
  }
  driver_t driver = {.partitioned = partitioned,
                     .clock = clock,
                     .estimates_only = choices->estimates_only,
                     .operations_left = OPERATIONS_TRIED_MAX};
  read_told(&driver);
  pod_status_t status = NULL;
  for (int i = 0; i < COLLECTIVES_COUNT && status == NULL; i++) {
    status = run_rewrite(&driver, &rows[i], choices->of[i]);
  }
  tell_untried(&driver);
  write_told(&driver);
  pod_list_deinit(&driver.untried);
  pod_list_deinit(&driver.reasons);
  pod_list_deinit(&driver.notes);
  return status;
}
