// What the programs of tests/programs compute, element by element, in double precision
// and without any of Podium's kernels or compiler: the independent reference.
//
// Threading: pure.

#ifndef TESTS_PROGRAMS_REFERENCE_H_
#define TESTS_PROGRAMS_REFERENCE_H_

#include <stdbool.h>
#include <stdint.h>

enum { REFERENCE_ARGUMENTS_MAX = 3 };

// An argument as doubles, row-major.
typedef struct reference_array_t {
  int rank;
  int64_t dims[4];
  double *values;
} reference_array_t;

typedef struct reference_inputs_t {
  int64_t mesh_x, mesh_y;  // Sizes of the mesh axes X and Y.
  reference_array_t arguments[REFERENCE_ARGUMENTS_MAX];
} reference_inputs_t;

// The element of the (global) result at `index`.
typedef double (*reference_fn_t)(const reference_inputs_t *inputs, const int64_t *index);

typedef struct reference_program_t {
  const char *name;  // tests/programs/NAME.MESH[.small].mlir
  reference_fn_t element;
  // Difference allowed, relative to the largest magnitude of the result: bf16 partial
  // sums are rounded to 8 bits before they are added, f32 sums differ by their order
  // only.
  double tolerance_bf16, tolerance_f32;
} reference_program_t;

// Ends with a NULL name.
extern const reference_program_t reference_programs[];

#endif  // TESTS_PROGRAMS_REFERENCE_H_
