// <complex.h> with CMPLX and CMPLXF, which glibc declares for GCC only.
//
// CMPLX(x, y) is x + iy with signs of zero, infinities and NaN kept, which x + y * I is
// not.

#ifndef COMMON_BASE_COMPLEX_H_
#define COMMON_BASE_COMPLEX_H_

#include <complex.h>

#ifndef CMPLX
#define CMPLX(x, y) __builtin_complex((double)(x), (double)(y))
#endif
#ifndef CMPLXF
#define CMPLXF(x, y) __builtin_complex((float)(x), (float)(y))
#endif

#endif  // COMMON_BASE_COMPLEX_H_
