// Predicted against measured: what Podium says of the programs of which measurements on
// real TPUs are published.
//
// usage: fidelity_bench PROGRAMS CSV [PERCENT]
//
// CSV has a row per measurement: id, source, chip, topology, program, measured_us,
// roofline_us, grade. Each row that an XLA program can express has one in the folder
// PROGRAMS; it is compiled and simulated as `podium simulate` does it. A row timed on the
// host waits for a call and its result, which is no time of the chip: its dispatch_ps is
// added to what is compared. A row read off a trace is one operation, without the launch.
// Prints the error per row, their median and the worst; fails when that is more than
// PERCENT.
//
// The constants of the chips are read off these very rows (server/chip/spec.c), so small
// errors say that the model has room for what was measured, not how well it predicts
// other programs.

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

enum { FIELD_COUNT = 8, ROWS_MAX = 1024 };

#define US_PER_PS 1e-6

// What the row's time is of.
typedef enum measured_t {
  WHOLE = 0,   // A module from its launch to its end.
  WITHIN = 1,  // An operation of a module, in a trace: the launch is not in it.
  TURN = 2,    // A turn of a loop, by the slope over many.
} measured_t;

typedef struct program_t {
  const char *id, *chip, *topology;
  const char *file;    // NULL: no XLA program expresses it,
  const char *reason;  // because of this.
  measured_t measured;
} program_t;

static const program_t programs[] = {
    {"P1", "v5e", "1x1", "matmul_1024", NULL, WHOLE},
    {"P4", "v5e", "1x1", "matmul_16384", NULL, WHOLE},
    {"P8", "v5e", "1x1", "pallas_8192", NULL, WHOLE},
    {"F128", "v5e", "1x1", "flash_4096", NULL, WHOLE},
    {"S12", "v5e", "8x4", "all_gather_8x4", NULL, WHOLE},
    {"S14", "v5e", "1x1", "matvec", NULL, WITHIN},
    {"T1", "v2c", "1x1", "ffw_up", NULL, WITHIN},
    {"T4", NULL, NULL, NULL, "between the two cores of one chip, which have no link here",
     WHOLE},
    {"T5", "v2c", "2x2", "all_gather_fsdp", NULL, WITHIN},
    {"T6", "v2c", "1x1", "matvec", NULL, WITHIN},
    {"V2", "v4", "1x1", "matmul_16384", NULL, WHOLE},
    {"R1", "v6e", "1x1", "matmul_8192", NULL, WHOLE},
    {"R3", "v6e", "1x1", "copy_32mib", NULL, WHOLE},
    {"Mv6e16K", "v6e", "4x2", "permute_16k", NULL, TURN},
    {"Mv6e65536K", "v6e", "4x2", "permute_65536k", NULL, TURN},
    {"I-g128", "v7c", "1x1", "matmul_128", NULL, WHOLE},
    {"I-g32768", "v7c", "1x1", "matmul_32768", NULL, WHOLE},
    {"I-c8192", "v7c", "1x1", "copy_8gib", NULL, WHOLE},
    {"I-a64", "v7c", "2x2", "all_gather_64", NULL, WHOLE},
    {"I-a16384", "v7c", "2x2", "all_gather_16384", NULL, WHOLE},
    {"N3", "v5e", "1x1", "copy_4mib", NULL, WITHIN},
};

static const program_t *find_program(const char *id) {
  for (size_t i = 0; i < POD_COUNT_OF(programs); i++) {
    if (strcmp(programs[i].id, id) == 0) {
      return &programs[i];
    }
  }
  return NULL;
}

// --- One row ---

static pod_status_t simulate(const compiler_result_t *compiled,
                             const compiler_options_t *options, measured_t measured,
                             double *out_us) {
  const chip_spec_t *spec = options->spec;
  const int64_t extra_ps = (measured == WHOLE ? 0 : -spec->launch_ps) +
                           (measured == TURN ? spec->loop_turn_ps : 0);
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
      *out_us = (double)(result->step_ps + extra_ps) * US_PER_PS;
      simulator_result_destroy(result);
    }
  }
  pod_arena_destroy(arena);
  return status;
}

static pod_status_t predict(const char *folder, const program_t *program,
                            double *out_us) {
  pod_text_t path = {0};
  pod_text_printf(&path, "%s/%s.mlir", folder, program->file);
  compiler_options_t options = {.file_name = path.bytes,
                                .spec = chip_spec_find(program->chip)};
  int64_t length = 0;
  char *text = rows_read_file(path.bytes, &length);
  compiler_result_t *compiled = NULL;
  pod_status_t status =
      text == NULL ? pod_error(POD_NOT_FOUND, "%s cannot be read", path.bytes)
                   : torus_parse(program->topology, options.spec, &options.torus, NULL);
  if (status == NULL) {
    status = compiler_compile(text, length, &options, &compiled);
  }
  if (status == NULL) {
    status = simulate(compiled, &options, program->measured, out_us);
  }
  compiler_result_destroy(compiled);
  free(text);
  pod_text_deinit(&path);
  return status;
}

// --- The table ---

typedef struct table_t {
  int count;
  double errors[ROWS_MAX];  // Absolute.
  double worst;
  char worst_id[64];
  pod_text_t left_out;
  bool has_failed;
} table_t;

static void add_row(table_t *table, const char *folder, char *const *fields) {
  const program_t *program = find_program(fields[0]);
  if (program == NULL || program->file == NULL) {
    pod_text_printf(&table->left_out, "  %-11s %s: %s\n", fields[0], fields[4],
                    program == NULL ? "no program for it here" : program->reason);
    return;
  }
  const bool is_host_timed = strstr(fields[4], "host") != NULL;
  const double measured = strtod(fields[5], NULL);
  double predicted = 0;
  const pod_status_t status = predict(folder, program, &predicted);
  if (status != NULL) {
    printf("%-11s %s\n", fields[0], pod_status_message(status));
    pod_status_free(status);
    table->has_failed = true;
    return;
  }
  predicted +=
      is_host_timed ? US_PER_PS * (double)chip_spec_find(program->chip)->dispatch_ps : 0;
  const double error = predicted / measured - 1;
  printf("%-11s %-5s %-5s %5s %12.2f %12.2f %+8.2f %%  %+8.1f %%  %s\n", fields[0],
         program->chip, program->topology, fields[7], measured, predicted, 100 * error,
         100 * (strtod(fields[6], NULL) / measured - 1), fields[4]);
  if (table->count < ROWS_MAX) {
    table->errors[table->count++] = fabs(error);
  }
  if (fabs(error) > table->worst) {
    table->worst = fabs(error);
    snprintf(table->worst_id, sizeof(table->worst_id), "%s", fields[0]);
  }
}

static int compare_doubles(const void *a, const void *b) {
  const double x = *(const double *)a;
  const double y = *(const double *)b;
  return (x > y) - (x < y);
}

static void finish(table_t *table) {
  if (table->count > 0) {
    qsort(table->errors, (size_t)table->count, sizeof(double), compare_doubles);
    const int half = table->count / 2;
    const double median = table->count % 2 != 0
                              ? table->errors[half]
                              : (table->errors[half - 1] + table->errors[half]) / 2;
    printf(
        "\n%d rows: median error %.2f %%, worst %.2f %% (%s)\n"
        "The chips' constants come from the calibration rows: for those this is a fit, "
        "not a prediction.\n",
        table->count, 100 * median, 100 * table->worst, table->worst_id);
  }
  if (table->left_out.length > 0) {
    printf("\nnot expressed by an XLA program of one device per chip:\n%s",
           table->left_out.bytes);
  }
  pod_text_deinit(&table->left_out);
}

int main(int argc, char **argv) {
  if (argc < 3 || argc > 4) {
    fprintf(stderr, "usage: fidelity_bench PROGRAMS CSV [PERCENT]\n");
    return 2;
  }
  const char *path = argv[2];
  int64_t length = 0;
  char *csv = rows_read_file(path, &length);
  if (csv == NULL) {
    fprintf(stderr, "%s cannot be read: no measurements to compare with\n", path);
    return EXIT_FAILURE;
  }
  table_t table = {0};
  printf("%-11s %-5s %-5s %5s %12s %12s %10s  %10s  %s\n", "row", "chip", "torus",
         "grade", "measured us", "predicted", "error", "roofline", "program");
  char *rest = csv;
  for (char *line = strsep(&rest, "\n"); line != NULL; line = strsep(&rest, "\n")) {
    char *fields[FIELD_COUNT];
    if (*line == '\0' || *line == '\r' || strncmp(line, "id,", 3) == 0) {
      continue;
    }
    if (rows_split(line, FIELD_COUNT, fields) != FIELD_COUNT) {
      printf("%s: a line does not have %d fields\n", path, FIELD_COUNT);
      table.has_failed = true;
      continue;
    }
    add_row(&table, argv[1], fields);
  }
  finish(&table);
  free(csv);
  const double allowed = argc > 3 ? strtod(argv[3], NULL) / 100 : INFINITY;
  if (table.count == 0 || table.worst > allowed) {
    printf("the worst error may be %g %%\n", 100 * allowed);
    return EXIT_FAILURE;
  }
  return table.has_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
