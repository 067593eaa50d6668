// Predicted against measured: what Podium says of the programs of which measurements on
// real TPUs are published.
//
// usage: fidelity_bench PROGRAMS CSV [PERCENT]
//
// CSV has a row per measurement: id, source, chip, topology, program, measured_us,
// roofline_us, grade. Each row that an XLA program can express has one in the folder
// PROGRAMS; it is compiled and simulated as `podium simulate` does it. A row timed on the
// host waits for a call and its result, which is no time of the chip: 105 us are added to
// what is compared. Prints the error per row, their median and the worst; fails when that
// is more than PERCENT.
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

enum { CSV_BYTES_MAX = 1 << 20, FIELD_COUNT = 8, ROWS_MAX = 1024 };

#define HOST_CALL_US 105.0
#define US_PER_PS 1e-6

typedef struct program_t {
  const char *id, *chip, *topology;
  const char *file;    // NULL: no XLA program expresses it,
  const char *reason;  // because of this.
} program_t;

static const program_t programs[] = {
    {"P1", "v5e", "1x1", "matmul_1024", NULL},
    {"P4", "v5e", "1x1", "matmul_16384", NULL},
    {"P8", NULL, NULL, NULL, "a Pallas kernel with a grid of its own"},
    {"S12", "v5e", "8x4", "all_gather_8x4", NULL},
    {"S14", "v5e", "1x1", "matvec", NULL},
    {"T1", "v2c", "1x1", "ffw_up", NULL},
    {"T4", NULL, NULL, NULL,
     "between the two cores of one chip, which have no link here"},
    {"T5", "v2c", "2x2", "all_gather_fsdp", NULL},
    {"T6", "v2c", "1x1", "matvec", NULL},
    {"V2", "v4", "1x1", "matmul_16384", NULL},
    {"R1", "v6e", "1x1", "matmul_8192", NULL},
    {"R3", "v6e", "1x1", "copy_32mib", NULL},
    {"Mv6e16K", "v6e", "4x2", "permute_16k", NULL},
    {"Mv6e65536K", "v6e", "4x2", "permute_65536k", NULL},
    {"I-g128", "v7c", "1x1", "matmul_128", NULL},
    {"I-g32768", "v7c", "1x1", "matmul_32768", NULL},
    {"I-c8192", "v7c", "1x1", "copy_8gib", NULL},
    {"I-a64", "v7c", "2x2", "all_gather_64", NULL},
    {"I-a16384", "v7c", "2x2", "all_gather_16384", NULL},
};

static const program_t *find_program(const char *id) {
  for (size_t i = 0; i < POD_COUNT_OF(programs); i++) {
    if (strcmp(programs[i].id, id) == 0) {
      return &programs[i];
    }
  }
  return NULL;
}

// --- Files ---

// NUL-terminated, free() it. NULL when there is none.
static char *read_file(const char *path) {
  FILE *file = fopen(path, "re");
  if (file == NULL) {
    return NULL;
  }
  char *text = calloc(1, CSV_BYTES_MAX + 1);
  POD_CHECK(text != NULL);
  const size_t length = fread(text, 1, CSV_BYTES_MAX, file);
  fclose(file);
  text[length] = '\0';
  return text;
}

// Takes a line apart, in place; a field in quotes may hold commas. Returns how many.
static int split(char *line, char *fields[FIELD_COUNT]) {
  int count = 0;
  char *at = line;
  while (count < FIELD_COUNT) {
    const bool is_quoted = *at == '"';
    at += is_quoted;
    fields[count++] = at;
    at += strcspn(at, is_quoted ? "\"" : ",");
    if (is_quoted && *at == '"') {
      *at++ = '\0';
    }
    if (*at != ',') {
      *at = '\0';
      break;
    }
    *at++ = '\0';
  }
  return count;
}

// --- One row ---

static pod_status_t simulate(const compiler_result_t *compiled,
                             const compiler_options_t *options, double *out_us) {
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
      *out_us = (double)result->step_ps * US_PER_PS;
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
  char *text = read_file(path.bytes);
  compiler_result_t *compiled = NULL;
  pod_status_t status =
      text == NULL ? pod_error(POD_NOT_FOUND, "%s cannot be read", path.bytes)
                   : torus_parse(program->topology, options.spec, &options.torus, NULL);
  if (status == NULL) {
    status = compiler_compile(text, (int64_t)strlen(text), &options, &compiled);
  }
  if (status == NULL) {
    status = simulate(compiled, &options, out_us);
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
  predicted += is_host_timed ? HOST_CALL_US : 0;
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
  char *csv = read_file(path);
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
    line[strcspn(line, "\r")] = '\0';
    if (*line == '\0' || strncmp(line, "id,", 3) == 0) {
      continue;
    }
    if (split(line, fields) != FIELD_COUNT) {
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
