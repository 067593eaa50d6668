// Modules whose results are known: what a client runs, and what must come out of it.
//
// All are over s32[8,16], which is exact whatever the order of a sum, and wrap around.

#ifndef TESTS_SIMULATION_PROGRAMS_H_
#define TESTS_SIMULATION_PROGRAMS_H_

#include <stdint.h>

enum {
  PROGRAM_COUNT = 6,
  PROGRAM_ROWS = 8,
  PROGRAM_COLUMNS = 16,
  PROGRAM_ELEMENTS = PROGRAM_ROWS * PROGRAM_COLUMNS,
  PROGRAM_BYTES = 4 * PROGRAM_ELEMENTS,
  PROGRAM_ARGUMENTS_MAX = 2,
};

typedef struct program_t {
  const char *name;
  int argument_count;
  // Over a mesh of x by y.
  char *(*text)(int x, int y);  // Returned owned.
  void (*expect)(const int32_t *const *arguments, int32_t *out_result);
} program_t;

extern const program_t programs[PROGRAM_COUNT];

#endif  // TESTS_SIMULATION_PROGRAMS_H_
