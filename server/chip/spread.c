#include "server/chip/spread.h"

#include <math.h>
#include <string.h>

#include "common/base/check.h"

typedef struct row_t {
  const char *kind;
  chip_bound_t bound;
  int32_t rows, percent;
} row_t;

static const row_t rows[] = {
#define SPREAD(kind, bound, row_count, percent) \
  {kind, CHIP_BOUND_##bound, row_count, percent},
#include "server/chip/spreads.def"
#undef SPREAD
};

// What the time of a class is made of.
static const char *const figures[CHIP_BOUND_COUNT][4] = {
    [CHIP_BOUND_MXU] = {"bf16_flop_per_s", "mxu_fraction"},
    [CHIP_BOUND_VPU] = {"vpu_op_per_s"},
    [CHIP_BOUND_HBM] = {"hbm_bytes_per_s", "hbm_fraction", "hbm_turnaround"},
    [CHIP_BOUND_ICI] = {"ici_bytes_per_s", "ici_hop_ps", "collective_startup_ps"},
    [CHIP_BOUND_FIXED] = {"launch_ps", "kernel_ps", "loop_turn_ps", "async_start_ps"},
};

static const char *const names[CHIP_BOUND_COUNT] = {
    [CHIP_BOUND_MXU] = "MXU", [CHIP_BOUND_VPU] = "VPU",     [CHIP_BOUND_HBM] = "HBM",
    [CHIP_BOUND_ICI] = "ICI", [CHIP_BOUND_FIXED] = "fixed",
};

// "v2c" is a core of "v2", "v7c" of "v7x"; "v2-cores" is a chip whose cores are devices.
static bool is_of_kind(const chip_spec_t *spec, const char *kind) {
  const size_t length = strlen(spec->name), kind_length = strlen(kind);
  const bool begins = strncmp(spec->name, kind, kind_length) == 0;
  return strcmp(spec->name, kind) == 0 ||
         (begins && strcmp(spec->name + kind_length, "-cores") == 0) ||
         (length == 3 && spec->name[2] == 'c' && strncmp(spec->name, kind, 2) == 0);
}

static bool is_guess(const chip_spec_t *spec, chip_bound_t bound) {
  for (size_t i = 0; i < POD_COUNT_OF(figures[bound]); i++) {
    const char *key = figures[bound][i];
    const char *source = key == NULL ? NULL : chip_spec_source(spec, key);
    if (source != NULL && strncmp(source, "guess", strlen("guess")) == 0) {
      return true;
    }
  }
  return false;
}

chip_spread_t chip_spread(const chip_spec_t *spec, chip_bound_t bound) {
  const bool is_row = chip_spec_source(spec, "hbm_bytes") != NULL;
  chip_spread_t spread = {.backing = CHIP_BACKING_GUESS};
  int32_t rows_of_all = 0, percent = 0, worst = 0;
  for (size_t i = 0; i < POD_COUNT_OF(rows) && bound != CHIP_BOUND_NONE; i++) {
    const row_t *row = &rows[i];
    if (row->bound != bound) {
      continue;
    }
    rows_of_all += row->rows;
    if (is_row && is_of_kind(spec, row->kind)) {
      percent = row->percent;
      spread.rows = row->rows;
    }
    worst = row->percent > worst ? row->percent : worst;
  }
  percent = percent > 0 ? percent : worst;
  if (bound == CHIP_BOUND_NONE) {
    return (chip_spread_t){0};
  }
  const bool guesses = is_guess(spec, bound);
  const double part = percent / 100.0 * (guesses ? 2 : 1);
  spread.part = part < 1 ? part : 1;
  if (!guesses && rows_of_all > 0) {
    spread.backing = spread.rows > 0 ? CHIP_BACKING_MEASURED : CHIP_BACKING_RELATIVES;
  }
  return spread;
}

static chip_range_t range_of(double time_ps, double off_ps) {
  const double high_ps = time_ps + off_ps;
  return (chip_range_t){.low_ps = (int64_t)fmax(time_ps - off_ps, 0),
                        .high_ps = high_ps < 9e18 ? (int64_t)ceil(high_ps) : INT64_MAX};
}

chip_range_t chip_spread_range(const chip_spec_t *spec, chip_bound_t bound,
                               int64_t duration_ps) {
  const double off_ps = (double)duration_ps * chip_spread(spec, bound).part;
  return range_of((double)duration_ps, off_ps);
}

chip_range_t chip_spread_sum(const chip_spec_t *spec,
                             const int64_t times_ps[CHIP_BOUND_COUNT]) {
  double time_ps = 0, squares = 0;
  for (int b = CHIP_BOUND_MXU; b < CHIP_BOUND_COUNT; b++) {
    const double off_ps = (double)times_ps[b] * chip_spread(spec, (chip_bound_t)b).part;
    time_ps += (double)times_ps[b];
    squares += off_ps * off_ps;
  }
  return range_of(time_ps, sqrt(squares));
}

void chip_spread_print(pod_text_t *text, const chip_spec_t *spec,
                       const int64_t times_ps[CHIP_BOUND_COUNT]) {
  double all_ps = 0;
  for (int b = CHIP_BOUND_MXU; b < CHIP_BOUND_COUNT; b++) {
    all_ps += (double)times_ps[b];
  }
  const char *between = "";
  for (int b = CHIP_BOUND_MXU; b < CHIP_BOUND_COUNT && all_ps > 0; b++) {
    const double percent = 100 * (double)times_ps[b] / all_ps;
    if (percent < 0.5) {
      continue;
    }
    const chip_spread_t spread = chip_spread(spec, (chip_bound_t)b);
    pod_text_printf(text, "%s%s %.0f %%: ", between, names[b], percent);
    if (spread.backing == CHIP_BACKING_MEASURED) {
      pod_text_printf(text, "%d measurement%s of %s", spread.rows,
                      spread.rows == 1 ? "" : "s", spec->name);
    } else {
      pod_text_printf(text, "%s",
                      spread.backing == CHIP_BACKING_RELATIVES
                          ? "measurements of other kinds"
                          : "a guess");
    }
    pod_text_printf(text, ", +-%.0f %%", 100 * spread.part);
    between = "; ";
  }
}
