// Chips that a user describes: lines of `key = value`.

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "server/chip/figures.h"
#include "server/chip/spec.h"
#include "server/chip/torus.h"

enum { VALUE_MAX = 127 };

// A spec with room for the names that it points to.
typedef struct owned_spec_t {
  chip_spec_t spec;  // First: what the user holds is this.
  char name[CHIP_SPEC_NAME_MAX + 1];
  char accelerator[CHIP_SPEC_NAME_MAX + 1];
} owned_spec_t;

// --- Reading ---

typedef struct reader_t {
  const char *file_name;
  int line;
  const char *key;
  owned_spec_t *spec;
  bool has_begun;  // A key was read: it is too late for `base`.
  bool seen[CHIP_FIGURE_COUNT];
  bool seen_name, seen_accelerator;
} reader_t;

#define refuse(reader, ...)                                                     \
  pod_status_context(pod_error(POD_INVALID_ARGUMENT, __VA_ARGS__), "%s:%d: %s", \
                     (reader)->file_name, (reader)->line, (reader)->key)

static pod_status_t refuse_range(const reader_t *reader, const chip_figure_t *field,
                                 const char *value) {
  return refuse(reader, "%s is not from %.15g to %.15g", value, field->least,
                field->most);
}

static bool is_name(const char *text) {
  const size_t length = strlen(text);
  for (size_t i = 0; i < length; i++) {
    if (!isalnum((unsigned char)text[i]) && strchr("._-", text[i]) == NULL) {
      return false;
    }
  }
  return length > 0 && length <= CHIP_SPEC_NAME_MAX;
}

// Decimal numbers only: strtod would take "nan", "inf" and hexadecimal too.
static bool read_double(const char *text, const char **out_end, double *out_value) {
  const char *at = text + (*text == '-' || *text == '+' ? 1 : 0);
  if (!isdigit((unsigned char)*at) && *at != '.') {
    return false;
  }
  if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) {
    return false;
  }
  char *end;
  *out_value = strtod(text, &end);
  *out_end = end;
  return end != text && isfinite(*out_value);
}

// What follows a size: nothing, or a unit. 0: something else.
static double unit_of(const char *text) {
  static const struct {
    const char *name;
    double bytes;
  } units[] = {{"", 1},
               {"B", 1},
               {"KiB", 1024},
               {"MiB", 1024.0 * 1024},
               {"GiB", 1024.0 * 1024 * 1024}};
  text += strspn(text, " \t");
  for (size_t i = 0; i < POD_COUNT_OF(units); i++) {
    if (strcmp(text, units[i].name) == 0) {
      return units[i].bytes;
    }
  }
  return 0;
}

static pod_status_t read_number(const reader_t *reader, const chip_figure_t *field,
                                const char *value, double *out_number) {
  const char *end = value;
  double number = 0;
  if (!read_double(value, &end, &number)) {
    return refuse(reader, "'%s' is no number", value);
  }
  if (field->kind == CHIP_FIGURE_SIZE) {
    const double unit = unit_of(end);
    if (unit == 0) {
      return refuse(reader, "'%s' is no size; give bytes, or a number of KiB, MiB, GiB",
                    value);
    }
    number *= unit;
  } else if (*end != '\0') {
    return refuse(reader, "'%s' is no number", value);
  }
  if (number < field->least || number > field->most) {
    return refuse_range(reader, field, value);
  }
  if (field->kind != CHIP_FIGURE_DOUBLE && number != floor(number)) {
    return refuse(reader, "%s is no whole number", value);
  }
  *out_number = number;
  return NULL;
}

static pod_status_t read_sizes(const reader_t *reader, const chip_figure_t *field,
                               const char *value, int32_t *out_sizes) {
  int32_t sizes[TORUS_DIMENSIONS] = {1, 1, 1};
  int64_t product = 1;
  const char *at = value;
  for (int d = 0; d < TORUS_DIMENSIONS; d++) {
    if (!isdigit((unsigned char)*at)) {
      return refuse(reader, "'%s' is no list of sizes, like 4x2 or 2x2x1", value);
    }
    char *end;
    errno = 0;
    const long size = strtol(at, &end, 10);
    if (errno != 0 || size < 1 || size > (long)field->most) {
      return refuse_range(reader, field, value);
    }
    sizes[d] = (int32_t)size;
    product *= size;
    if (*end == '\0' && d > 0) {
      break;
    }
    if (*end != (d == TORUS_DIMENSIONS - 1 ? '\0' : 'x')) {
      return refuse(reader, "'%s' is no list of sizes, like 4x2 or 2x2x1", value);
    }
    at = end + 1;
  }
  if ((double)product > field->most) {
    return refuse(reader, "%s are %" PRId64 " chips, more than %.15g", value, product,
                  field->most);
  }
  memcpy(out_sizes, sizes, sizeof(sizes));
  return NULL;
}

static pod_status_t read_field(const reader_t *reader, const chip_figure_t *field,
                               const char *value) {
  void *at = (char *)&reader->spec->spec + field->offset;
  if (field->kind == CHIP_FIGURE_SIZES) {
    return read_sizes(reader, field, value, at);
  }
  if (field->kind == CHIP_FIGURE_BOOL) {
    const bool is_true = strcmp(value, "true") == 0;
    if (!is_true && strcmp(value, "false") != 0) {
      return refuse(reader, "'%s' is neither true nor false", value);
    }
    *(bool *)at = is_true;
    return NULL;
  }
  double number = 0;
  POD_TRY(read_number(reader, field, value, &number));
  switch (field->kind) {
    case CHIP_FIGURE_INT32:
      *(int32_t *)at = (int32_t)number;
      break;
    case CHIP_FIGURE_DOUBLE:
      *(double *)at = number;
      break;
    default:
      *(int64_t *)at = (int64_t)number;
      break;
  }
  return NULL;
}

static void set_name(char *to, const char *name) {
  memcpy(to, name, strlen(name) + 1);
}

static void start_from(owned_spec_t *spec, const chip_spec_t *base) {
  spec->spec = *base;
  set_name(spec->name, "custom");
  set_name(spec->accelerator, base->accelerator);
  spec->spec.name = spec->name;
  spec->spec.accelerator = spec->accelerator;
  spec->spec.device_kind = spec->name;
}

static pod_status_t read_base(reader_t *reader, const char *value) {
  if (reader->has_begun) {
    return refuse(reader, "must be the first key, because it sets all the others");
  }
  const chip_spec_t *base = chip_spec_find(value);
  if (base == NULL) {
    pod_text_t rows = {0};
    for (const chip_spec_t *const *row = chip_spec_all(); *row != NULL; row++) {
      pod_text_printf(&rows, " %s", (*row)->name);
    }
    const pod_status_t status =
        refuse(reader, "there is no chip '%s'; there are%s", value, rows.bytes);
    pod_text_deinit(&rows);
    return status;
  }
  start_from(reader->spec, base);
  return NULL;
}

static pod_status_t read_name(const reader_t *reader, const char *value, bool is_row_free,
                              char *out_name) {
  if (!is_name(value)) {
    return refuse(reader, "'%s' is no name: up to %d letters, digits, '.', '_' and '-'",
                  value, CHIP_SPEC_NAME_MAX);
  }
  if (!is_row_free && chip_spec_find(value) != NULL) {
    return refuse(reader, "'%s' is the name of a chip that there is already", value);
  }
  set_name(out_name, value);
  return NULL;
}

static pod_status_t check_once(const reader_t *reader, bool *seen) {
  if (*seen) {
    return refuse(reader, "is given twice");
  }
  *seen = true;
  return NULL;
}

static pod_status_t refuse_key(const reader_t *reader) {
  pod_text_t keys = {0};
  for (size_t i = 0; i < CHIP_FIGURE_COUNT; i++) {
    pod_text_printf(&keys, ", %s", chip_figures[i].key);
  }
  const pod_status_t status =
      refuse(reader, "is no key; there are base, name, accelerator%s", keys.bytes);
  pod_text_deinit(&keys);
  return status;
}

static pod_status_t read_pair(reader_t *reader, const char *value) {
  owned_spec_t *spec = reader->spec;
  if (*value == '\0') {
    return refuse(reader, "has no value");
  }
  if (strcmp(reader->key, "base") == 0) {
    return read_base(reader, value);
  }
  if (strcmp(reader->key, "name") == 0) {
    POD_TRY(check_once(reader, &reader->seen_name));
    return read_name(reader, value, false, spec->name);
  }
  if (strcmp(reader->key, "accelerator") == 0) {
    POD_TRY(check_once(reader, &reader->seen_accelerator));
    return read_name(reader, value, true, spec->accelerator);
  }
  const chip_figure_t *field = chip_figure_find(reader->key);
  if (field == NULL) {
    return refuse_key(reader);
  }
  POD_TRY(check_once(reader, &reader->seen[field - chip_figures]));
  return read_field(reader, field, value);
}

static char *trim(char *text) {
  text += strspn(text, " \t\r");
  size_t length = strlen(text);
  while (length > 0 && strchr(" \t\r", text[length - 1]) != NULL) {
    length--;
  }
  text[length] = '\0';
  return text;
}

// `line` is changed.
static pod_status_t read_line(reader_t *reader, char *line) {
  line[strcspn(line, "#")] = '\0';
  line = trim(line);
  if (*line == '\0') {
    return NULL;
  }
  char *equals = strchr(line, '=');
  if (equals == NULL) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "%s:%d: '%.64s' is not of the form key = value", reader->file_name,
                     reader->line, line);
  }
  *equals = '\0';
  const char *value = trim(equals + 1);
  reader->key = trim(line);
  if (strlen(reader->key) > VALUE_MAX || strlen(value) > VALUE_MAX) {
    return pod_error(POD_INVALID_ARGUMENT, "%s:%d: key or value has more than %d bytes",
                     reader->file_name, reader->line, VALUE_MAX);
  }
  POD_TRY(read_pair(reader, value));
  reader->has_begun = true;
  return NULL;
}

static pod_status_t read_lines(reader_t *reader, char *text, size_t size_bytes) {
  size_t at = 0;
  while (at < size_bytes) {
    char *line = text + at;
    const char *end = memchr(line, '\n', size_bytes - at);
    const size_t length = end == NULL ? size_bytes - at : (size_t)(end - line);
    reader->line++;
    if (memchr(line, '\0', length) != NULL) {
      return pod_error(POD_INVALID_ARGUMENT, "%s:%d: a byte of 0 is no text",
                       reader->file_name, reader->line);
    }
    line[length] = '\0';
    POD_TRY(read_line(reader, line));
    at += length + 1;
  }
  return NULL;
}

// What fields say together.
static pod_status_t check_whole(const reader_t *reader) {
  const chip_spec_t *spec = &reader->spec->spec;
  if (spec->torus_dimensions == 2 &&
      (spec->largest_slice[2] != 1 || spec->chips_per_host[2] != 1)) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "%s: torus_dimensions = 2, but largest_slice or chips_per_host has "
                     "a third size that is not 1",
                     reader->file_name);
  }
  if (spec->hbm_reserved_bytes >= spec->hbm_bytes) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "%s: hbm_reserved_bytes = %" PRId64
                     " leaves nothing of hbm_bytes = %" PRId64,
                     reader->file_name, spec->hbm_reserved_bytes, spec->hbm_bytes);
  }
  return NULL;
}

pod_status_t chip_spec_parse(const char *file_name, const char *text, size_t size_bytes,
                             chip_spec_t **out_spec) {
  if (size_bytes > CHIP_SPEC_TEXT_MAX) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "%s: a chip is described in at most %d bytes, this has %zu",
                     file_name, CHIP_SPEC_TEXT_MAX, size_bytes);
  }
  owned_spec_t *spec = pod_alloc(sizeof(*spec));
  start_from(spec, chip_spec_find("v5e"));
  char *copy = pod_alloc(size_bytes + 1);
  if (size_bytes > 0) {
    memcpy(copy, text, size_bytes);
  }
  reader_t reader = {.file_name = file_name, .spec = spec};
  pod_status_t status = read_lines(&reader, copy, size_bytes);
  if (status == NULL) {
    status = check_whole(&reader);
  }
  free(copy);
  if (status != NULL) {
    free(spec);
    return status;
  }
  *out_spec = &spec->spec;
  return NULL;
}

void chip_spec_destroy(chip_spec_t *spec) {
  free(spec);
}
