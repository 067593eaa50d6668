// podium sharding: how arrays lie on the chips, as boxes: what
// jax.debug.visualize_array_sharding draws, of any rank.

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/cli/explain.h"
#include "client/cli/report.h"
#include "client/cli/terminal.h"
#include "common/base/memory.h"

enum {
  ROWS_MAX = 32,     // Of boxes; a slice with more is cut.
  COLUMNS_MAX = 32,  // Likewise.
  SLICES_MAX = 16,   // Of arrays of more than two dimensions.
  RANGES_MAX = 4,    // Of chips that are written into a box.
  BAND_COUNT = 6,
};

// --- What every part lies on ---

// Chips by part, parts row-major.
typedef struct parts_t {
  const podium_signature_t *signature;
  int64_t counts[PODIUM_RANK_MAX];  // Of parts, by dimension.
  int64_t count, device_count;
  const int64_t **chips;  // Ascending.
  int64_t *chip_counts;
} parts_t;

static int compare_chips(const void *left, const void *right) {
  const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
  return a < b ? -1 : a > b;
}

static int64_t index_of(const parts_t *parts, const int64_t *part) {
  int64_t index = 0;
  for (int d = 0; d < parts->signature->shape.rank; d++) {
    index = index * parts->counts[d] + part[d];
  }
  return index;
}

static parts_t find_parts(pod_arena_t *arena, const podium_program_info_t *info,
                          const podium_signature_t *signature) {
  parts_t parts = {
      .signature = signature, .count = 1, .device_count = info->device_count};
  for (int d = 0; d < signature->shape.rank; d++) {
    const int64_t local = signature->local_shape.dims[d];
    parts.counts[d] = local <= 0 ? 1 : (signature->shape.dims[d] + local - 1) / local;
    parts.counts[d] = parts.counts[d] < 1 ? 1 : parts.counts[d];
    parts.count *= parts.counts[d];
  }
  const size_t count = (size_t)parts.count;
  int64_t *indexes =
      pod_arena_array(arena, (size_t)info->device_count + 1, sizeof(indexes[0]));
  parts.chip_counts = pod_arena_array(arena, count, sizeof(parts.chip_counts[0]));
  for (int i = 0; i < info->device_count; i++) {
    int64_t part[PODIUM_RANK_MAX];
    podium_signature_part(signature, i, part);
    indexes[i] = index_of(&parts, part);
    parts.chip_counts[indexes[i]]++;
  }
  int64_t **lists = pod_arena_array(arena, count, sizeof(lists[0]));
  int64_t *filled = pod_arena_array(arena, count, sizeof(filled[0]));
  for (size_t p = 0; p < count; p++) {
    lists[p] =
        pod_arena_array(arena, (size_t)parts.chip_counts[p] + 1, sizeof(lists[0][0]));
  }
  for (int i = 0; i < info->device_count; i++) {
    lists[indexes[i]][filled[indexes[i]]++] = info->chips[i];
  }
  parts.chips = pod_arena_array(arena, count, sizeof(parts.chips[0]));
  for (size_t p = 0; p < count; p++) {
    qsort(lists[p], (size_t)filled[p], sizeof(lists[p][0]), compare_chips);
    parts.chips[p] = lists[p];
  }
  return parts;
}

// "TPU 0,1,4-7"; more than some ranges: "TPU 0,8,16,24,… (32)".
static const char *chips_text(pod_arena_t *arena, const int64_t *chips, int64_t count) {
  pod_text_t text = {0};
  pod_text_add(&text, count == 0 ? "none" : "TPU ");
  int ranges = 0;
  for (int64_t i = 0; i < count;) {
    int64_t end = i + 1;
    while (end < count && chips[end] == chips[end - 1] + 1) {
      end++;
    }
    end = end - i == 2 ? i + 1 : end;  // Two are written out.
    if (ranges++ == RANGES_MAX) {
      pod_text_printf(&text, ",… (%" PRId64 ")", count);
      break;
    }
    pod_text_printf(&text, "%s%" PRId64, i == 0 ? "" : ",", chips[i]);
    if (end - i > 1) {
      pod_text_printf(&text, "-%" PRId64, chips[end - 1]);
    }
    i = end;
  }
  const char *copy = pod_arena_strdup(arena, text.bytes);
  pod_text_deinit(&text);
  return copy;
}

// --- Boxes ---

// One row or more of boxes, all as wide as the widest.
typedef struct grid_t {
  int64_t rows, columns;
  const char **cells;  // Row-major.
  int width;
} grid_t;

// Columns that a text takes: "…" has three bytes.
static int width_of(const char *text) {
  int width = 0;
  for (; *text != '\0'; text++) {
    width += ((unsigned char)*text & 0xc0) != 0x80;
  }
  return width;
}

static void print_rule(const grid_t *grid, const char *left, const char *middle,
                       const char *right) {
  pod_text_t line = {0};
  for (int64_t c = 0; c < grid->columns; c++) {
    pod_text_add(&line, c == 0 ? left : middle);
    for (int i = 0; i < grid->width + 2; i++) {
      pod_text_add(&line, "─");
    }
  }
  cli_print("%s%s\n", line.bytes, right);
  pod_text_deinit(&line);
}

// Neighbours have other colours, as JAX has them.
static void add_cell(pod_text_t *line, const grid_t *grid, int64_t row, int64_t column) {
  static const char *const colors[BAND_COUNT] = {"44;97", "42;30", "45;97",
                                                 "46;30", "43;30", "41;97"};
  const char *text = grid->cells[row * grid->columns + column];
  pod_text_add(line, "│");
  pod_text_add(line, cli_color(colors[(row * grid->columns + column) % BAND_COUNT]));
  pod_text_printf(line, " %s%*s ", text, grid->width - width_of(text), "");
  pod_text_add(line, cli_color(""));
}

static void print_grid(grid_t *grid) {
  for (int64_t i = 0; i < grid->rows * grid->columns; i++) {
    const int width = width_of(grid->cells[i]);
    grid->width = width > grid->width ? width : grid->width;
  }
  print_rule(grid, "┌", "┬", "┐");
  for (int64_t row = 0; row < grid->rows; row++) {
    if (row > 0) {
      print_rule(grid, "├", "┼", "┤");
    }
    pod_text_t line = {0};
    for (int64_t column = 0; column < grid->columns; column++) {
      add_cell(&line, grid, row, column);
    }
    cli_print("%s│\n", line.bytes);
    pod_text_deinit(&line);
  }
  print_rule(grid, "└", "┴", "┘");
}

// The last two dimensions, behind `first` parts of the array.
static void print_slice(pod_arena_t *arena, const parts_t *parts, int64_t first) {
  const int rank = parts->signature->shape.rank;
  const int64_t rows = rank < 2 ? 1 : parts->counts[rank - 2];
  const int64_t columns = rank < 1 ? 1 : parts->counts[rank - 1];
  grid_t grid = {.rows = rows < ROWS_MAX ? rows : ROWS_MAX,
                 .columns = columns < COLUMNS_MAX ? columns : COLUMNS_MAX};
  grid.cells =
      pod_arena_array(arena, (size_t)(grid.rows * grid.columns), sizeof(grid.cells[0]));
  for (int64_t r = 0; r < grid.rows; r++) {
    for (int64_t c = 0; c < grid.columns; c++) {
      const int64_t part = first + r * columns + c;
      grid.cells[r * grid.columns + c] =
          chips_text(arena, parts->chips[part], parts->chip_counts[part]);
    }
  }
  print_grid(&grid);
  if (rows > grid.rows || columns > grid.columns) {
    cli_print("of %" PRId64 " x %" PRId64 " parts\n", rows, columns);
  }
}

// "[0:4, 8:16, :, :]": where a slice stands in the array.
static const char *slice_title(pod_arena_t *arena, const parts_t *parts, int64_t slice) {
  const podium_signature_t *signature = parts->signature;
  const int leading = signature->shape.rank - 2;
  int64_t part[PODIUM_RANK_MAX] = {0};
  for (int d = leading - 1; d >= 0; d--) {
    part[d] = slice % parts->counts[d];
    slice /= parts->counts[d];
  }
  pod_text_t text = {0};
  pod_text_add(&text, "[");
  for (int d = 0; d < leading; d++) {
    const int64_t local = signature->local_shape.dims[d];
    if (parts->counts[d] == 1) {
      pod_text_add(&text, ":, ");
    } else {
      pod_text_printf(&text, "%" PRId64 ":%" PRId64 ", ", part[d] * local,
                      (part[d] + 1) * local);
    }
  }
  pod_text_add(&text, ":, :]");
  const char *copy = pod_arena_strdup(arena, text.bytes);
  pod_text_deinit(&text);
  return copy;
}

static void draw(pod_arena_t *arena, const podium_program_info_t *info, const char *what,
                 const podium_signature_t *signature) {
  const parts_t parts = find_parts(arena, info, signature);
  cli_print("%s %s %s sharded %s, each chip %s\n", what, signature->name,
            cli_shape(arena, &signature->shape), signature->sharding,
            cli_shape(arena, &signature->local_shape));
  const int rank = signature->shape.rank;
  const int64_t in_slice =
      (rank < 2 ? 1 : parts.counts[rank - 2]) * (rank < 1 ? 1 : parts.counts[rank - 1]);
  const int64_t slices = parts.count / in_slice;
  for (int64_t s = 0; s < slices && s < SLICES_MAX; s++) {
    if (slices > 1) {
      cli_print("%s\n", slice_title(arena, &parts, s));
    }
    print_slice(arena, &parts, s * in_slice);
  }
  if (slices > SLICES_MAX) {
    cli_print("and %" PRId64 " slices more\n", slices - SLICES_MAX);
  }
}

static void report(pod_arena_t *arena, const podium_program_info_t *info, cJSON *list,
                   const char *what, const podium_signature_t *signature) {
  const parts_t parts = find_parts(arena, info, signature);
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "what", what);
  cJSON_AddStringToObject(object, "name", signature->name);
  cJSON_AddStringToObject(object, "shape", cli_shape(arena, &signature->shape));
  cJSON_AddStringToObject(object, "sharding", signature->sharding);
  cJSON_AddStringToObject(object, "local_shape",
                          cli_shape(arena, &signature->local_shape));
  cJSON *counts = cJSON_AddArrayToObject(object, "parts");
  for (int d = 0; d < signature->shape.rank; d++) {
    cJSON_AddItemToArray(counts, cJSON_CreateNumber((double)parts.counts[d]));
  }
  cJSON *chips = cJSON_AddArrayToObject(object, "chips");
  for (int64_t p = 0; p < parts.count; p++) {
    cJSON *of_part = cJSON_CreateArray();
    for (int64_t i = 0; i < parts.chip_counts[p]; i++) {
      cJSON_AddItemToArray(of_part, cJSON_CreateNumber((double)parts.chips[p][i]));
    }
    cJSON_AddItemToArray(chips, of_part);
  }
  cJSON_AddItemToArray(list, object);
}

// --- The command ---

// "s8" is i8 in MLIR, "u8" ui8, "pred" i1; others are called alike.
static void add_dtype(pod_text_t *type, const char *dtype, size_t length) {
  const bool is_numbered = length > 1 && isdigit((unsigned char)dtype[1]);
  if (length == strlen("pred") && strncmp(dtype, "pred", length) == 0) {
    pod_text_add(type, "i1>");
  } else if (is_numbered && (dtype[0] == 's' || dtype[0] == 'u')) {
    pod_text_printf(type, "%s%.*s>", dtype[0] == 's' ? "i" : "ui", (int)length - 1,
                    dtype + 1);
  } else {
    pod_text_printf(type, "%.*s>", (int)length, dtype);
  }
}

// "f32[64,128]" as a program that does nothing with such an array; NULL: it is none.
static char *program_of(const char *text) {
  const size_t dtype = strcspn(text, "[");
  const size_t length = strlen(text);
  bool is_array = dtype > 0 && length > dtype + 1 && text[length - 1] == ']';
  for (size_t i = 0; i < dtype && is_array; i++) {
    is_array = isalnum((unsigned char)text[i]) != 0;
  }
  pod_text_t type = {0};
  pod_text_add(&type, "tensor<");
  for (const char *at = text + dtype + 1; is_array && *at != ']';) {
    char *end = NULL;
    const long long size = strtoll(at, &end, 10);
    is_array = isdigit((unsigned char)*at) && (*end == ',' || *end == ']');
    pod_text_printf(&type, "%lldx", size);
    at = *end == ',' ? end + 1 : end;
  }
  if (!is_array) {
    pod_text_deinit(&type);
    return NULL;
  }
  add_dtype(&type, text, dtype);
  pod_text_t program = {0};
  pod_text_printf(&program,
                  "module @array {\n  func.func public @main(%%array: %s) {\n    "
                  "return\n  }\n}\n",
                  type.bytes);
  pod_text_deinit(&type);
  return pod_text_take(&program);
}

// By name, by number, or "0" of the results as "result0".
static bool is_named(const char *wanted, const char *name, int index, const char *plain) {
  pod_text_t numbered = {0};
  pod_text_printf(&numbered, "%s%d", plain, index);
  const bool is_it =
      wanted == NULL || strcmp(wanted, name) == 0 ||
      strcmp(wanted, numbered.bytes) == 0 ||
      (strcmp(plain, "arg") == 0 && strcmp(wanted, numbered.bytes + 3) == 0);
  pod_text_deinit(&numbered);
  return is_it;
}

static int show_list(pod_arena_t *arena, const cli_run_t *run, const char *what,
                     const char *plain, int count, const podium_signature_t *list,
                     cJSON *json) {
  const podium_program_info_t *info = podium_executable_info(run->executable);
  int shown = 0;
  for (int i = 0; i < count; i++) {
    if (!is_named(run->other, list[i].name, i, plain)) {
      continue;
    }
    shown++;
    if (json != NULL) {
      report(arena, info, json, what, &list[i]);
    }
    draw(arena, info, what, &list[i]);
  }
  return shown;
}

// An array needs its sharding, which then is no name.
static pod_status_t take_array(cli_run_t *run, const char *path) {
  run->program = path;
  if (run->other != NULL) {
    *pod_list_add(&run->given.in) =
        (podium_given_sharding_t){pod_strdup("array"), run->other};
    run->other = NULL;
  }
  return NULL;
}

static pod_status_t write_array(const char *text, char *path) {
  const int file = mkstemp(path);
  if (file < 0) {
    return pod_error(POD_INTERNAL, "cannot write %s", path);
  }
  const size_t length = strlen(text);
  const bool is_written = write(file, text, length) == (ssize_t)length;
  close(file);
  return is_written ? NULL : pod_error(POD_INTERNAL, "cannot write %s", path);
}

static pod_status_t prepare(cli_run_t *run) {
  char *text = program_of(run->program);
  if (text == NULL || access(run->program, F_OK) == 0) {
    free(text);
    return cli_run_prepare(run);
  }
  const char *folder = getenv("TMPDIR");
  char path[256];
  const int length = snprintf(path, sizeof(path), "%s/podium-array-XXXXXX",
                              folder == NULL ? "/tmp" : folder);
  const char *shown = run->program;
  pod_status_t status = length < (int)sizeof(path)
                            ? write_array(text, path)
                            : pod_error(POD_INVALID_ARGUMENT, "TMPDIR is too long");
  free(text);
  POD_TRY(status);
  POD_TRY(take_array(run, path));
  status = cli_run_prepare(run);
  (void)unlink(path);
  run->program = shown;
  return status;
}

pod_status_t cli_sharding_program(cli_run_t *run) {
  run->ignores_hbm = true;
  POD_TRY(prepare(run));
  cli_progress_step(run->progress, NULL, 0);
  const podium_program_info_t *info = podium_executable_info(run->executable);
  cJSON *json =
      cli_report() == NULL ? NULL : cJSON_AddArrayToObject(cli_report(), "arrays");
  pod_arena_t *arena = pod_arena_create();
  const int shown =
      show_list(arena, run, "argument", "arg", info->argument_count, info->arguments,
                json) +
      show_list(arena, run, "result", "result", info->result_count, info->results, json);
  pod_arena_destroy(arena);
  return shown > 0 || run->other == NULL
             ? NULL
             : pod_error(POD_INVALID_ARGUMENT,
                         "the program has no argument or result '%s'", run->other);
}
