// Matrix products in the types that oneDNN has none for. A panel of b is packed so that
// it stays in the first-level cache, and tiles of ROWS rows of c by the panel's columns
// are summed in registers.
//
// A complex product is a real one: a row of a is twice as many numbers, and every row of
// b becomes two, (re, im) and (-im, re), so that columns of c come out as they lie.

#include <string.h>

#include "server/worker/kernels/loops/isa.h"
#include "server/worker/kernels/stop.h"

#if defined(__AVX512F__)
enum { VECTOR_BYTES = 64, ROWS = 8 };
#elif defined(__AVX__)
enum { VECTOR_BYTES = 32, ROWS = 4 };
#else
enum { VECTOR_BYTES = 16, ROWS = 4 };
#endif

// Vectors of a row of a panel, rows of a panel, and rows of a that stay in the
// second-level cache meanwhile. Fewer rows than FEW are not worth packing for.
enum { VECTORS = 3, ROW_BYTES = VECTORS * VECTOR_BYTES, DEPTH = 128, BLOCK = 1024 };
enum { FEW = 3 };

#define MATMUL_LOOPS(name, type)                                                        \
  typedef type name##_vector __attribute__((vector_size(VECTOR_BYTES)));                \
  enum { name##_COLUMNS = ROW_BYTES / sizeof(type) };                                   \
  static inline __attribute__((always_inline)) void name##_tile(                        \
      const type *const *a, const type *b, size_t depth, size_t vectors,                \
      name##_vector sums[ROWS][VECTORS]) {                                              \
    name##_vector kept[ROWS][VECTORS];                                                  \
    memset(kept, 0, sizeof(kept));                                                      \
    for (size_t p = 0; p < depth; p++) {                                                \
      name##_vector row[VECTORS];                                                       \
      memcpy(row, b + p * name##_COLUMNS, sizeof(row));                                 \
      for (size_t i = 0; i < ROWS; i++) {                                               \
        for (size_t v = 0; v < vectors; v++) {                                          \
          kept[i][v] += row[v] * a[i][p];                                               \
        }                                                                               \
      }                                                                                 \
    }                                                                                   \
    memcpy(sums, kept, sizeof(kept));                                                   \
  }                                                                                     \
  static inline void name##_pack(const type *b, size_t b_stride, size_t first,          \
                                 size_t depth, size_t columns, bool is_complex,         \
                                 type *panel) {                                         \
    for (size_t p = first; p < first + depth; p++, panel += name##_COLUMNS) {           \
      const type *row = b + (is_complex ? p / 2 : p) * b_stride;                        \
      memset(panel, 0, ROW_BYTES);                                                      \
      if (!is_complex || p % 2 == 0) {                                                  \
        memcpy(panel, row, columns * sizeof(type));                                     \
        continue;                                                                       \
      }                                                                                 \
      for (size_t j = 0; j < columns; j += 2) {                                         \
        panel[j] = -row[j + 1];                                                         \
        panel[j + 1] = row[j];                                                          \
      }                                                                                 \
    }                                                                                   \
  }                                                                                     \
  static inline void name##_rows(const type *a, size_t a_stride, const type *panel,     \
                                 type *c, size_t c_stride, size_t rows, size_t depth,   \
                                 size_t columns) {                                      \
    for (size_t i = 0; i < rows; i += ROWS) {                                           \
      const size_t count = rows - i < ROWS ? rows - i : ROWS;                           \
      const type *lines[ROWS];                                                          \
      union {                                                                           \
        name##_vector vectors[ROWS][VECTORS];                                           \
        type numbers[ROWS][name##_COLUMNS];                                             \
      } sums;                                                                           \
      for (size_t r = 0; r < ROWS; r++) {                                               \
        lines[r] = a + (i + (r < count ? r : 0)) * a_stride;                            \
      }                                                                                 \
      if (columns <= name##_COLUMNS / VECTORS) {                                        \
        name##_tile(lines, panel, depth, 1, sums.vectors);                              \
      } else if (columns <= name##_COLUMNS / VECTORS * 2) {                             \
        name##_tile(lines, panel, depth, 2, sums.vectors);                              \
      } else {                                                                          \
        name##_tile(lines, panel, depth, VECTORS, sums.vectors);                        \
      }                                                                                 \
      for (size_t r = 0; r < count; r++) {                                              \
        type *out = c + (i + r) * c_stride;                                             \
        KERNEL_INDEPENDENT                                                              \
        for (size_t j = 0; j < columns; j++) {                                          \
          out[j] += sums.numbers[r][j];                                                 \
        }                                                                               \
      }                                                                                 \
    }                                                                                   \
  }                                                                                     \
  static inline void name##_few(const type *a, const type *b, type *c, size_t m,        \
                                size_t k, size_t n) {                                   \
    for (size_t p = 0; p < k; p++) {                                                    \
      if ((p % 64 == 0 || n >= 4096) && kernel_is_stopped()) {                          \
        return;                                                                         \
      }                                                                                 \
      for (size_t i = 0; i < m; i++) {                                                  \
        const type x = a[i * k + p];                                                    \
        KERNEL_INDEPENDENT                                                              \
        for (size_t j = 0; j < n; j++) {                                                \
          c[i * n + j] += x * b[p * n + j];                                             \
        }                                                                               \
      }                                                                                 \
    }                                                                                   \
  }                                                                                     \
  static inline void name##_multiply(const type *a, const type *b, type *c, size_t m,   \
                                     size_t k, size_t n, bool is_complex) {             \
    _Alignas(VECTOR_BYTES) type panel[DEPTH * name##_COLUMNS];                          \
    for (size_t i = 0; i < m; i += BLOCK) {                                             \
      const size_t rows = m - i < BLOCK ? m - i : BLOCK;                                \
      for (size_t p = 0; p < k; p += DEPTH) {                                           \
        const size_t depth = k - p < DEPTH ? k - p : DEPTH;                             \
        for (size_t j = 0; j < n && !kernel_is_stopped(); j += name##_COLUMNS) {        \
          const size_t columns = n - j < name##_COLUMNS ? n - j : name##_COLUMNS;       \
          name##_pack(b + j, n, p, depth, columns, is_complex, panel);                  \
          name##_rows(a + i * k + p, k, panel, c + i * n + j, n, rows, depth, columns); \
        }                                                                               \
      }                                                                                 \
    }                                                                                   \
  }

#define MATMUL_REAL(name)                                                     \
  static void name(const void *a, const void *b, void *c, size_t m, size_t k, \
                   size_t n) {                                                \
    if (m <= FEW) {                                                           \
      name##_few(a, b, c, m, k, n);                                           \
    } else {                                                                  \
      name##_multiply(a, b, c, m, k, n, false);                               \
    }                                                                         \
  }

MATMUL_LOOPS(matmul_u32, uint32_t)
MATMUL_REAL(matmul_u32)
MATMUL_LOOPS(matmul_u64, uint64_t)
MATMUL_REAL(matmul_u64)
MATMUL_LOOPS(matmul_f32, float)
MATMUL_REAL(matmul_f32)
MATMUL_LOOPS(matmul_f64, double)
MATMUL_REAL(matmul_f64)

static void matmul_c64(const void *a, const void *b, void *c, size_t m, size_t k,
                       size_t n) {
  matmul_f32_multiply(a, b, c, m, 2 * k, 2 * n, true);
}

static void matmul_c128(const void *a, const void *b, void *c, size_t m, size_t k,
                        size_t n) {
  matmul_f64_multiply(a, b, c, m, 2 * k, 2 * n, true);
}

const kernel_matmul_fn_t KERNEL_ISA_NAME(kernel_matmul)[TENSOR_DTYPE_COUNT] = {
    [TENSOR_U32] = matmul_u32, [TENSOR_S32] = matmul_u32,   [TENSOR_U64] = matmul_u64,
    [TENSOR_S64] = matmul_u64, [TENSOR_F32] = matmul_f32,   [TENSOR_F64] = matmul_f64,
    [TENSOR_C64] = matmul_c64, [TENSOR_C128] = matmul_c128,
};
