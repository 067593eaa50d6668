// Matrix products in the types that oneDNN has none for.

#include <complex.h>

#include "server/worker/kernels/isa.h"

// Four rows of c by four steps of k at a time, over a strip of columns that stays in the
// first-level cache with four rows of b.
enum { ROWS = 4, STEPS = 4, STRIP_BYTES = 2048, DEPTH = 256 };

#define MATMUL_LOOP(name, type)                                                          \
  static inline void name##_block(const type *a, size_t a_stride, const type *b,         \
                                  size_t b_stride, type *c, size_t c_stride,             \
                                  size_t columns) {                                      \
    const type a00 = a[0], a01 = a[1], a02 = a[2], a03 = a[3];                           \
    const type *a1 = a + a_stride, *a2 = a1 + a_stride, *a3 = a2 + a_stride;             \
    const type a10 = a1[0], a11 = a1[1], a12 = a1[2], a13 = a1[3];                       \
    const type a20 = a2[0], a21 = a2[1], a22 = a2[2], a23 = a2[3];                       \
    const type a30 = a3[0], a31 = a3[1], a32 = a3[2], a33 = a3[3];                       \
    type *c1 = c + c_stride, *c2 = c1 + c_stride, *c3 = c2 + c_stride;                   \
    const type *b1 = b + b_stride, *b2 = b1 + b_stride, *b3 = b2 + b_stride;             \
    KERNEL_INDEPENDENT                                                                   \
    for (size_t j = 0; j < columns; j++) {                                               \
      const type x0 = b[j], x1 = b1[j], x2 = b2[j], x3 = b3[j];                          \
      c[j] = (((c[j] + a00 * x0) + a01 * x1) + a02 * x2) + a03 * x3;                     \
      c1[j] = (((c1[j] + a10 * x0) + a11 * x1) + a12 * x2) + a13 * x3;                   \
      c2[j] = (((c2[j] + a20 * x0) + a21 * x1) + a22 * x2) + a23 * x3;                   \
      c3[j] = (((c3[j] + a30 * x0) + a31 * x1) + a32 * x2) + a33 * x3;                   \
    }                                                                                    \
  }                                                                                      \
  static inline void name##_line(const type *a, const type *b, size_t b_stride, type *c, \
                                 size_t depth, size_t columns) {                         \
    for (size_t p = 0; p < depth; p++) {                                                 \
      const type x = a[p];                                                               \
      const type *row = b + p * b_stride;                                                \
      KERNEL_INDEPENDENT                                                                 \
      for (size_t j = 0; j < columns; j++) {                                             \
        c[j] = c[j] + x * row[j];                                                        \
      }                                                                                  \
    }                                                                                    \
  }                                                                                      \
  static void name##_strip(const type *a, const type *b, type *c, size_t m, size_t k,    \
                           size_t n, size_t depth, size_t columns) {                     \
    size_t i = 0;                                                                        \
    for (; i + ROWS <= m; i += ROWS) {                                                   \
      size_t p = 0;                                                                      \
      for (; p + STEPS <= depth; p += STEPS) {                                           \
        name##_block(a + i * k + p, k, b + p * n, n, c + i * n, n, columns);             \
      }                                                                                  \
      for (size_t row = i; p < depth && row < i + ROWS; row++) {                         \
        name##_line(a + row * k + p, b + p * n, n, c + row * n, depth - p, columns);     \
      }                                                                                  \
    }                                                                                    \
    for (; i < m; i++) {                                                                 \
      name##_line(a + i * k, b, n, c + i * n, depth, columns);                           \
    }                                                                                    \
  }                                                                                      \
  static void name(const void *a_bytes, const void *b_bytes, void *c_bytes, size_t m,    \
                   size_t k, size_t n) {                                                 \
    const size_t strip = STRIP_BYTES / sizeof(type);                                     \
    const type *a = a_bytes, *b = b_bytes;                                               \
    type *c = c_bytes;                                                                   \
    for (size_t j = 0; j < n; j += strip) {                                              \
      const size_t columns = n - j < strip ? n - j : strip;                              \
      for (size_t p = 0; p < k; p += DEPTH) {                                            \
        const size_t depth = k - p < DEPTH ? k - p : DEPTH;                              \
        name##_strip(a + p, b + p * n + j, c + j, m, k, n, depth, columns);              \
      }                                                                                  \
    }                                                                                    \
  }

MATMUL_LOOP(matmul_u32, uint32_t)
MATMUL_LOOP(matmul_u64, uint64_t)
MATMUL_LOOP(matmul_f32, float)
MATMUL_LOOP(matmul_f64, double)
MATMUL_LOOP(matmul_c64, float _Complex)
MATMUL_LOOP(matmul_c128, double _Complex)

const kernel_matmul_fn_t KERNEL_ISA_NAME(kernel_matmul)[TENSOR_DTYPE_COUNT] = {
    [TENSOR_U32] = matmul_u32, [TENSOR_S32] = matmul_u32,   [TENSOR_U64] = matmul_u64,
    [TENSOR_S64] = matmul_u64, [TENSOR_F32] = matmul_f32,   [TENSOR_F64] = matmul_f64,
    [TENSOR_C64] = matmul_c64, [TENSOR_C128] = matmul_c128,
};
