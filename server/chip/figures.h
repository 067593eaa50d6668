// The fields of a chip_spec_t as data: for reading, printing and listing them. Private to
// server/chip.
//
// Threading: pure.

#ifndef SERVER_CHIP_FIGURES_H_
#define SERVER_CHIP_FIGURES_H_

#include <stddef.h>

#include "common/base/text.h"
#include "server/chip/spec.h"

typedef enum chip_figure_kind_t {
  CHIP_FIGURE_BOOL,
  CHIP_FIGURE_INT32,
  CHIP_FIGURE_INT64,  // Picoseconds.
  CHIP_FIGURE_SIZE,   // Bytes: int64_t, with a unit if one likes.
  CHIP_FIGURE_SIZES,  // int32_t[3], as 4x2x1.
  CHIP_FIGURE_DOUBLE,
} chip_figure_kind_t;

typedef struct chip_figure_t {
  const char *key;
  chip_figure_kind_t kind;
  size_t offset;
  double least, most;
  const char *unit;  // "": a number without one.
  const char *says;
} chip_figure_t;

enum {
  CHIP_FIGURE_COUNT = 0
#define FIGURE_ROW(field, kind, unit, least, most, says) +1
#include "server/chip/figures.def"
#undef FIGURE_ROW
};

extern const chip_figure_t chip_figures[CHIP_FIGURE_COUNT];

// NULL when there is no such field.
const chip_figure_t *chip_figure_find(const char *key);

#endif  // SERVER_CHIP_FIGURES_H_
