// Tiny products of f32 whose right operand lies by column: it is transposed in registers
// to a panel on the stack, and every row of the result is one vector.

#include <string.h>

#include "server/worker/kernels/loops/blocks.h"
#include "server/worker/kernels/loops/isa.h"

enum { ROWS = 8 };

// With every block a part of the operands of the next product is fetched: products are so
// short that the CPU does not see the next one in time.
static void fetch(const void *bytes) {
  for (size_t at = 0; at < BLOCK_4 * BLOCK_4 * sizeof(float); at += 64) {
    __builtin_prefetch((const char *)bytes + at);
  }
}

static void make_panel(const float *b, size_t b_stride, size_t k, size_t n,
                       const float *next_a, const float *next_b, float *panel) {
  for (size_t j = 0; j < n; j += BLOCK_4) {
    for (size_t p = 0; p < k; p += BLOCK_4) {
      const size_t at = j * k + p * BLOCK_4;
      fetch(next_a + at);
      fetch(next_b + at);
      block_4(b + j * b_stride + p, (int64_t)b_stride, panel + p * n + j, (int64_t)n);
    }
  }
}

#define TINY_LOOPS(n)                                                             \
  typedef float row_##n __attribute__((vector_size(n * sizeof(float))));          \
  static inline __attribute__((always_inline)) void rows_##n(                     \
      const float *a, size_t a_stride, const float *panel, size_t k, size_t rows, \
      float *c) {                                                                 \
    row_##n sums[ROWS];                                                           \
    for (size_t i = 0; i < rows; i++) {                                           \
      sums[i] = (row_##n){0};                                                     \
    }                                                                             \
    for (size_t p = 0; p < k; p++) {                                              \
      row_##n b;                                                                  \
      memcpy(&b, panel + p * n, sizeof(b));                                       \
      for (size_t i = 0; i < rows; i++) {                                         \
        sums[i] += b * a[i * a_stride + p];                                       \
      }                                                                           \
    }                                                                             \
    for (size_t i = 0; i < rows; i++) {                                           \
      memcpy(c + i * n, &sums[i], sizeof(sums[i]));                               \
    }                                                                             \
  }                                                                               \
  static void multiply_##n(const float *a, size_t a_stride, const float *panel,   \
                           float *c, size_t m, size_t k) {                        \
    size_t i = 0;                                                                 \
    for (; i + ROWS <= m; i += ROWS) {                                            \
      rows_##n(a + i * a_stride, a_stride, panel, k, ROWS, c + i * n);            \
    }                                                                             \
    for (; i < m; i++) {                                                          \
      rows_##n(a + i * a_stride, a_stride, panel, k, 1, c + i * n);               \
    }                                                                             \
  }

TINY_LOOPS(8)
TINY_LOOPS(16)

void KERNEL_ISA_NAME(kernel_tiny)(const float *a, size_t a_stride, const float *b,
                                  size_t b_stride, float *c, size_t m, size_t k, size_t n,
                                  const float *next_a, const float *next_b) {
  _Alignas(64) float panel[KERNEL_TINY_DEPTH * KERNEL_TINY_COLUMNS];
  make_panel(b, b_stride, k, n, next_a, next_b, panel);
  (n == 8 ? multiply_8 : multiply_16)(a, a_stride, panel, c, m, k);
}
