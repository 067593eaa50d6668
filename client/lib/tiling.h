// How an array is cut, for who draws it: what podium_signature_part works with. Not in
// the public library.
//
// Ownership: borrowed from the executable. Threading: any thread.

#ifndef CLIENT_LIB_TILING_H_
#define CLIENT_LIB_TILING_H_

#include <stdint.h>

#include "client/lib/podium.h"

// An axis, or a sub-axis "x:(2)4". The device at mesh position p has the digit
// p / stride % size.
typedef struct lib_digit_t {
  const char *name;
  int64_t stride, size;
} lib_digit_t;

// The axes that cut dimension `dim`, major to minor; with -1 those over which the array
// is unreduced. Returns how many.
int lib_tiling_digits(const struct podium_tiling *tiling, int dim,
                      const lib_digit_t **out_digits);

// The whole mesh, major to minor; 0 when the array has none.
int lib_tiling_mesh(const struct podium_tiling *tiling, const lib_digit_t **out_axes);

// By device; NULL: its number.
const int64_t *lib_tiling_positions(const struct podium_tiling *tiling);

#endif  // CLIENT_LIB_TILING_H_
