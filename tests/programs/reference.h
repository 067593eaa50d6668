// What the programs of tests/programs compute, element by element, in double precision
// and without any of Podium's kernels or compiler: the independent reference.
//
// Threading: pure.

#ifndef TESTS_PROGRAMS_REFERENCE_H_
#define TESTS_PROGRAMS_REFERENCE_H_

#include <stdbool.h>
#include <stdint.h>

enum { REFERENCE_ARGUMENTS_MAX = 5 };

// An argument as doubles, row-major.
typedef struct reference_array_t {
  int rank;
  int64_t dims[4];
  double *values;
} reference_array_t;

typedef struct reference_inputs_t {
  int64_t mesh_x, mesh_y;  // Sizes of the mesh axes X and Y; 0 where it has others.
  int argument_count;
  reference_array_t arguments[REFERENCE_ARGUMENTS_MAX];
} reference_inputs_t;

// The element of the (global) result at `index`.
typedef double (*reference_fn_t)(const reference_inputs_t *inputs, const int64_t *index);

// The meshes a program is written for, as its files are named.
enum {
  REFERENCE_2X2 = 1,
  REFERENCE_2X4 = 2,
  REFERENCE_4 = 4,      // One axis over a 2x2, in the order of the devices' ids.
  REFERENCE_4RING = 8,  // The same in the order of the physical ring, 0, 1, 3, 2.
  REFERENCE_1 = 16,     // One chip.
};

typedef struct reference_program_t {
  const char *name;  // tests/programs/NAME.MESH[.small].mlir
  int meshes;        // A set of REFERENCE_*.
  int large;         // The meshes on which the large variant is worth its time on chips
                     // that really compute.
  reference_fn_t element;
  // Difference allowed, relative to the largest magnitude of the result: bf16 partial
  // sums are rounded to 8 bits before they are added, f32 sums differ by their order
  // only.
  double tolerance_bf16, tolerance_f32;
} reference_program_t;

// Ends with a NULL name.
extern const reference_program_t reference_programs[];

#endif  // TESTS_PROGRAMS_REFERENCE_H_
