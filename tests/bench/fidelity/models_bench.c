// Whole training steps, predicted against measured: what Podium says of models whose runs
// on real TPUs are published.
//
// usage: models_bench MODULES CSV [PERCENT]
//
// CSV has a row per run: id, chip, topology, the model's sizes, what was measured and
// where that stands. MODULES/ID.mlirbc is the training step, which tests/models/make.py
// writes; it is compiled and simulated as `podium simulate` does it. TFLOP/s are counted
// on both sides as the source counts them, by what the model needs: what is computed
// again counts for nothing. A row that does not fit the chip's HBM is refused by Podium;
// its step is then that of a chip with more of it. Fails when a row is farther off than
// PERCENT, or does not fit.
//
// No constant of the chips comes from these rows.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/arena.h"
#include "common/base/check.h"
#include "common/base/text.h"
#include "server/compiler/compiler.h"
#include "server/simulator/simulator.h"
#include "tests/bench/fidelity/rows.h"

#define S_PER_PS 1e-12
#define GIB (1024.0 * 1024.0 * 1024.0)
#define TERA 1e12
// Of a chip on which everything fits that was measured on one.
#define LARGE_HBM_BYTES (INT64_C(1) << 40)

// The columns of the table.
enum {
  ID,
  CHIP,
  TOPOLOGY,
  MODEL,
  LAYERS,
  D_MODEL,
  D_FF,
  HEADS,
  KV_HEADS,
  HEAD_DIM,
  VOCAB,
  SEQ,
  BATCH_PER_CHIP,
  MLP,
  SHARDING,
  REMAT,
  MEASURED,
  SOURCE,
  FLOP,
  COLUMN_COUNT,
};

// --- What was measured ---

static double number(char *const *fields, int column) {
  return strtod(fields[column], NULL);
}

static double parameter_count(char *const *fields) {
  const double d = number(fields, D_MODEL);
  const double heads = number(fields, HEADS) + number(fields, KV_HEADS);
  const double matrices = strcmp(fields[MLP], "gated") == 0 ? 3 : 2;
  const double layer =
      2 * d * heads * number(fields, HEAD_DIM) + matrices * d * number(fields, D_FF);
  return number(fields, LAYERS) * layer + 2 * d * number(fields, VOCAB);
}

// Of a step and chip, as MaxText counted at the time of the run: first the weights alone;
// from the end of 2023 what is not masked of attention too (calculate_training_tflops);
// later the embedding no more, and attention as if nothing were masked.
static double model_flop(char *const *fields) {
  const double tokens = number(fields, BATCH_PER_CHIP) * number(fields, SEQ);
  const double attention = number(fields, LAYERS) * number(fields, HEADS) *
                           number(fields, HEAD_DIM) * number(fields, SEQ);
  const double halves = strstr(fields[FLOP], "half of attention") != NULL  ? 1
                        : strstr(fields[FLOP], "all of attention") != NULL ? 2
                                                                           : 0;
  const double left_out = strstr(fields[FLOP], "but the embedding") != NULL
                              ? number(fields, D_MODEL) * number(fields, VOCAB)
                              : 0;
  return 6 * tokens * (parameter_count(fields) - left_out + halves * attention);
}

// "156 TFLOP/s per chip" or "3.443 s per step (…)".
static double measured_s(char *const *fields) {
  char *unit;
  const double value = strtod(fields[MEASURED], &unit);
  return strncmp(unit, " TFLOP/s", 8) == 0 ? model_flop(fields) / (value * TERA) : value;
}

// --- What is predicted ---

typedef struct prediction_t {
  double step_s;
  int64_t hbm_peak_bytes;
} prediction_t;

static pod_status_t simulate(const compiler_result_t *compiled,
                             const compiler_options_t *options, prediction_t *out) {
  pod_arena_t *arena = pod_arena_create();
  const chip_trace_t *const *traces;
  pod_status_t status = simulator_trace(
      compiled->program, torus_chip_count(&options->torus), NULL, 0, arena, &traces);
  if (status == NULL) {
    const simulator_options_t simulation = {
        .spec = options->spec, .torus = &options->torus, .traces = traces};
    simulator_result_t *result;
    status = simulator_run(compiled->program, &simulation, &result);
    if (status == NULL) {
      out->step_s = (double)result->step_ps * S_PER_PS;
      out->hbm_peak_bytes = compiled->hbm_peak_bytes;
      simulator_result_destroy(result);
    }
  }
  pod_arena_destroy(arena);
  return status;
}

static pod_status_t predict(const char *folder, char *const *fields,
                            const chip_spec_t *spec, prediction_t *out) {
  pod_text_t path = {0};
  pod_text_printf(&path, "%s/%s.mlirbc", folder, fields[ID]);
  compiler_options_t options = {.file_name = path.bytes, .spec = spec};
  int64_t length = 0;
  char *module = rows_read_file(path.bytes, &length);
  compiler_result_t *compiled = NULL;
  pod_status_t status = module == NULL
                            ? pod_error(POD_NOT_FOUND, "%s cannot be read", path.bytes)
                            : torus_parse(fields[TOPOLOGY], spec, &options.torus, NULL);
  if (status == NULL) {
    status = compiler_compile(module, length, &options, &compiled);
  }
  if (status == NULL) {
    status = simulate(compiled, &options, out);
  }
  compiler_result_destroy(compiled);
  free(module);
  pod_text_deinit(&path);
  return status;
}

// --- The table ---

typedef struct table_t {
  int count, refused;
  double error_sum, worst;
  const char *worst_id;
} table_t;

static void add_row(table_t *table, const char *folder, char *const *fields) {
  const chip_spec_t *spec = chip_spec_find(fields[CHIP]);
  if (spec == NULL) {
    printf("%-8s no kind of chip is called '%s'\n", fields[ID], fields[CHIP]);
    table->refused++;
    return;
  }
  prediction_t prediction = {0};
  bool fits = true;
  pod_status_t status = predict(folder, fields, spec, &prediction);
  if (status != NULL && pod_status_code(status) == POD_RESOURCE_EXHAUSTED) {
    pod_status_free(status);
    fits = false;
    chip_spec_t large = *spec;
    large.hbm_bytes = LARGE_HBM_BYTES;
    status = predict(folder, fields, &large, &prediction);
  }
  if (status != NULL) {
    printf("%-8s %s\n", fields[ID], pod_status_message(status));
    pod_status_free(status);
    table->refused++;
    return;
  }
  const double measured = measured_s(fields);
  const double error = prediction.step_s / measured - 1;
  const double tflop = model_flop(fields) / TERA;
  printf("%-8s %-5s %-6s %-12s %8.3f %9.3f %+7.1f %% %9.1f %9.1f %7.1f %5.0f  %s\n",
         fields[ID], fields[CHIP], fields[TOPOLOGY], fields[MODEL], measured,
         prediction.step_s, 100 * error, tflop / measured, tflop / prediction.step_s,
         (double)prediction.hbm_peak_bytes / GIB, (double)spec->hbm_bytes / GIB,
         fits ? "yes" : "NO");
  fflush(stdout);
  table->refused += fits ? 0 : 1;
  table->count++;
  table->error_sum += fabs(error);
  if (fabs(error) > table->worst) {
    table->worst = fabs(error);
    table->worst_id = fields[ID];
  }
}

int main(int argc, char **argv) {
  if (argc < 3 || argc > 4) {
    fprintf(stderr, "usage: models_bench MODULES CSV [PERCENT]\n");
    return 2;
  }
  int64_t length = 0;
  char *csv = rows_read_file(argv[2], &length);
  if (csv == NULL) {
    fprintf(stderr, "%s cannot be read: no measurements to compare with\n", argv[2]);
    return EXIT_FAILURE;
  }
  table_t table = {0};
  printf("%-8s %-5s %-6s %-12s %8s %9s %9s %19s %13s\n", "", "", "", "", "step", "", "",
         "TFLOP/s per chip", "HBM peak");
  printf("%-8s %-5s %-6s %-12s %8s %9s %9s %9s %9s %7s %5s  %s\n", "row", "chip", "torus",
         "model", "measured", "predicted", "error", "measured", "predicted", "GiB", "of",
         "fits");
  char *rest = csv;
  for (char *line = strsep(&rest, "\n"); line != NULL; line = strsep(&rest, "\n")) {
    char *fields[COLUMN_COUNT];
    if (*line == '\0' || *line == '\r' || strncmp(line, "id,", 3) == 0) {
      continue;
    }
    if (rows_split(line, COLUMN_COUNT, fields) != COLUMN_COUNT) {
      printf("%s: a line does not have %d fields\n", argv[2], COLUMN_COUNT);
      table.refused++;
      continue;
    }
    add_row(&table, argv[1], fields);
  }
  if (table.count > 0) {
    printf("\n%d models: mean error %.1f %%, worst %.1f %% (%s)\n", table.count,
           100 * table.error_sum / table.count, 100 * table.worst,
           table.worst_id == NULL ? "none" : table.worst_id);
  }
  const double allowed = argc > 3 ? strtod(argv[3], NULL) / 100 : INFINITY;
  const bool is_good = table.count > 0 && table.refused == 0 && table.worst <= allowed;
  if (argc > 3 && !is_good) {
    printf("every row must fit and be within %g %%\n", 100 * allowed);
  }
  free(csv);
  return argc > 3 && !is_good ? EXIT_FAILURE : EXIT_SUCCESS;
}
