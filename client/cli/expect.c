// Numbers are read as digits and a fraction, exactly: 0.1 of a GiB is rounded down to
// whole bytes, and what does not fit 63 bits is refused.

#include "client/cli/expect.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "client/cli/cli.h"
#include "client/cli/suggest.h"
#include "common/base/check.h"

static const struct {
  const char *name;
  cli_unit_t unit;
} measures_known[CLI_MEASURE_COUNT] = {
    [CLI_ALL_GATHER] = {"all_gather", CLI_UNIT_NONE},
    [CLI_ALL_REDUCE] = {"all_reduce", CLI_UNIT_NONE},
    [CLI_REDUCE_SCATTER] = {"reduce_scatter", CLI_UNIT_NONE},
    [CLI_ALL_TO_ALL] = {"all_to_all", CLI_UNIT_NONE},
    [CLI_COLLECTIVE_PERMUTE] = {"collective_permute", CLI_UNIT_NONE},
    [CLI_COLLECTIVES] = {"collectives", CLI_UNIT_NONE},
    [CLI_PEAK_HBM] = {"peak_hbm", CLI_UNIT_BYTES},
    [CLI_ICI_BYTES] = {"ici_bytes", CLI_UNIT_BYTES},
    [CLI_LINK_BYTES] = {"link_bytes", CLI_UNIT_BYTES},
    [CLI_STEP] = {"step", CLI_UNIT_TIME},
    [CLI_IN_FLIGHT] = {"in_flight", CLI_UNIT_TIME},
    [CLI_EXPOSED] = {"exposed", CLI_UNIT_TIME},
};

static const struct {
  const char *sign;
  cli_relation_t relation;
} relations[] = {
    // Longer ones first.
    {"<=", CLI_AT_MOST}, {">=", CLI_AT_LEAST}, {"==", CLI_EQUAL},
    {"!=", CLI_UNEQUAL}, {"<", CLI_BELOW},     {">", CLI_ABOVE},
};

static const struct {
  const char *name;
  cli_unit_t unit;
  int64_t size;  // In bytes or picoseconds.
} units[] = {
    {"B", CLI_UNIT_BYTES, 1},
    {"KB", CLI_UNIT_BYTES, INT64_C(1000)},
    {"MB", CLI_UNIT_BYTES, INT64_C(1000000)},
    {"GB", CLI_UNIT_BYTES, INT64_C(1000000000)},
    {"TB", CLI_UNIT_BYTES, INT64_C(1000000000000)},
    {"KiB", CLI_UNIT_BYTES, INT64_C(1) << 10},
    {"MiB", CLI_UNIT_BYTES, INT64_C(1) << 20},
    {"GiB", CLI_UNIT_BYTES, INT64_C(1) << 30},
    {"TiB", CLI_UNIT_BYTES, INT64_C(1) << 40},
    {"ps", CLI_UNIT_TIME, 1},
    {"ns", CLI_UNIT_TIME, INT64_C(1000)},
    {"us", CLI_UNIT_TIME, INT64_C(1000000)},
    {"ms", CLI_UNIT_TIME, INT64_C(1000000000)},
    {"s", CLI_UNIT_TIME, INT64_C(1000000000000)},
};

const char *cli_measure_name(cli_measure_t measure) {
  return measures_known[measure].name;
}

cli_unit_t cli_measure_unit(cli_measure_t measure) {
  return measures_known[measure].unit;
}

const char *cli_measure_text(pod_arena_t *arena, cli_measure_t measure, int64_t value) {
  if (value < 0) {
    return "not known";
  }
  switch (cli_measure_unit(measure)) {
    case CLI_UNIT_BYTES:
      return cli_size(arena, value);
    case CLI_UNIT_TIME:
      return cli_time(arena, value);
    case CLI_UNIT_NONE:
      break;
  }
  return pod_arena_printf(arena, "%" PRId64, value);
}

// --- Reading ---

// Words are cut for messages: they may be anything.
enum { WORD_SHOWN = 40 };

static int shown(size_t length) {
  return length > WORD_SHOWN ? WORD_SHOWN : (int)length;
}

static pod_status_t refuse_name(const char *name, size_t length) {
  const char *names[CLI_MEASURE_COUNT];
  for (int i = 0; i < CLI_MEASURE_COUNT; i++) {
    names[i] = measures_known[i].name;
  }
  char word[WORD_SHOWN + 1] = "";
  memcpy(word, name, (size_t)shown(length));
  const char *meant = cli_suggest(word, CLI_MEASURE_COUNT, names);
  if (meant != NULL) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "nothing called '%s' can be expected; did you mean %s?", word,
                     meant);
  }
  return pod_error(POD_INVALID_ARGUMENT,
                   "nothing called '%s' can be expected, but all_gather, all_reduce, "
                   "reduce_scatter, all_to_all, collective_permute, collectives, "
                   "peak_hbm, ici_bytes, link_bytes, step, in_flight and exposed",
                   word);
}

static pod_status_t find_measure(const char *name, size_t length, cli_measure_t *out) {
  for (int i = 0; i < CLI_MEASURE_COUNT; i++) {
    if (strlen(measures_known[i].name) == length &&
        strncmp(measures_known[i].name, name, length) == 0) {
      *out = (cli_measure_t)i;
      return NULL;
    }
  }
  return refuse_name(name, length);
}

// The size of the unit at `at`; 0: there is none of that kind.
static int64_t find_unit(const char *at, cli_unit_t unit) {
  if (*at == '\0') {
    return unit == CLI_UNIT_TIME ? 0 : 1;
  }
  for (size_t i = 0; i < POD_COUNT_OF(units); i++) {
    if (units[i].unit == unit && strcmp(units[i].name, at) == 0) {
      return units[i].size;
    }
  }
  return 0;
}

// Adds digit·scale, false when that is too much.
static bool add_scaled(int64_t *sum, int64_t digit, int64_t scale) {
  int64_t product;
  return !__builtin_mul_overflow(digit, scale, &product) &&
         !__builtin_add_overflow(*sum, product, sum);
}

// "12GiB", "0.5ms", "3". False for what is no such number.
static bool parse_value(const char *text, cli_unit_t unit, int64_t *out) {
  const char *at = text;
  int64_t whole = 0;
  for (; isdigit((unsigned char)*at); at++) {
    if (__builtin_mul_overflow(whole, INT64_C(10), &whole) ||
        __builtin_add_overflow(whole, (int64_t)(*at - '0'), &whole)) {
      return false;
    }
  }
  if (at == text) {
    return false;
  }
  const char *fraction = *at == '.' ? at + 1 : at;
  const size_t digits = *at == '.' ? strspn(fraction, "0123456789") : 0;
  if (*at == '.' && (digits == 0 || unit == CLI_UNIT_NONE)) {
    return false;
  }
  const int64_t size = find_unit(fraction + digits, unit);
  *out = 0;
  if (size == 0 || !add_scaled(out, whole, size)) {
    return false;
  }
  // Digits behind the ninth are left out.
  int64_t left = 0, parts = 1;
  for (size_t i = 0; i < digits && parts < INT64_C(1000000000); i++) {
    left = 10 * left + (fraction[i] - '0');
    parts *= 10;
  }
  return !__builtin_add_overflow(*out, size / parts * left + size % parts * left / parts,
                                 out);
}

static const char *value_form(cli_unit_t unit) {
  switch (unit) {
    case CLI_UNIT_BYTES:
      return "bytes, such as 12GiB or 512MB";
    case CLI_UNIT_TIME:
      return "a time with its unit, such as 3ms or 250us";
    case CLI_UNIT_NONE:
      break;
  }
  return "a whole number";
}

// One without spaces: "peak_hbm<=12GiB".
static pod_status_t parse_one(cli_expectation_t *out) {
  const char *text = out->text;
  const size_t name = strcspn(text, "<>=!");
  POD_TRY(find_measure(text, name, &out->measure));
  const char *at = text + name;
  for (size_t i = 0; i < POD_COUNT_OF(relations); i++) {
    const size_t length = strlen(relations[i].sign);
    if (strncmp(at, relations[i].sign, length) != 0) {
      continue;
    }
    out->relation = relations[i].relation;
    if (!parse_value(at + length, cli_measure_unit(out->measure), &out->value)) {
      return pod_error(POD_INVALID_ARGUMENT, "'%s': behind %s stands %s, not '%s'", text,
                       relations[i].sign, value_form(cli_measure_unit(out->measure)),
                       at + length);
    }
    return NULL;
  }
  return pod_error(POD_INVALID_ARGUMENT,
                   "'%s': behind %s stands <=, <, ==, !=, >= or >, and a number", text,
                   cli_measure_name(out->measure));
}

// What stands before the comma, without spaces.
static pod_status_t take_text(const char *part, size_t length, cli_expectation_t *out) {
  size_t kept = 0;
  for (size_t i = 0; i < length; i++) {
    if (isspace((unsigned char)part[i])) {
      continue;
    }
    if (kept + 1 == sizeof(out->text)) {
      return pod_error(POD_INVALID_ARGUMENT, "'%.*s…' is too long to be expected",
                       shown(length), part);
    }
    out->text[kept++] = part[i];
  }
  out->text[kept] = '\0';
  return kept > 0 ? NULL
                  : pod_error(POD_INVALID_ARGUMENT,
                              "something is to be expected, such as all_gather<=2");
}

pod_status_t cli_expect_parse(const char *text, cli_expectations_t *expectations) {
  int count = expectations->count;
  for (const char *at = text; at != NULL;) {
    const size_t length = strcspn(at, ",");
    if (count == CLI_EXPECTATIONS_MAX) {
      return pod_error(POD_INVALID_ARGUMENT, "more than %d are expected",
                       CLI_EXPECTATIONS_MAX);
    }
    cli_expectation_t *next = &expectations->list[count++];
    *next = (cli_expectation_t){0};
    POD_TRY(take_text(at, length, next));
    POD_TRY(parse_one(next));
    at = at[length] == ',' ? at + length + 1 : NULL;
  }
  expectations->count = count;
  return NULL;
}

// --- Comparing ---

bool cli_expect_holds(const cli_expectation_t *expectation,
                      const cli_measures_t *measures) {
  const int64_t is = measures->values[expectation->measure];
  const int64_t value = expectation->value;
  if (is < 0) {
    return false;
  }
  switch (expectation->relation) {
    case CLI_AT_MOST:
      return is <= value;
    case CLI_BELOW:
      return is < value;
    case CLI_EQUAL:
      return is == value;
    case CLI_UNEQUAL:
      return is != value;
    case CLI_AT_LEAST:
      return is >= value;
    case CLI_ABOVE:
      return is > value;
  }
  return false;
}

const char *cli_expect_difference(pod_arena_t *arena,
                                  const cli_expectation_t *expectation,
                                  const cli_measures_t *measures) {
  const cli_measure_t measure = expectation->measure;
  const int64_t is = measures->values[measure];
  if (is < 0) {
    return pod_arena_printf(arena, "is not known%s%s",
                            measures->unknown == NULL ? "" : ": ",
                            measures->unknown == NULL ? "" : measures->unknown);
  }
  const char *text = cli_measure_text(arena, measure, is);
  if (is == expectation->value) {
    return pod_arena_printf(arena, "is %s", text);
  }
  const bool is_more = is > expectation->value;
  const int64_t gap = is_more ? is - expectation->value : expectation->value - is;
  const char *percent = "";
  if (cli_measure_unit(measure) != CLI_UNIT_NONE && expectation->value > 0) {
    percent = pod_arena_printf(arena, " (%+.1f %%)",
                               100.0 * ((double)is / (double)expectation->value - 1));
  }
  return pod_arena_printf(arena, "is %s, %s %s%s", text,
                          cli_measure_text(arena, measure, gap),
                          is_more ? "more" : "less", percent);
}
