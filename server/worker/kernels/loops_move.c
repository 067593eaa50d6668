// Elements moved as bytes: selected, gathered, scattered, transposed.

#include <string.h>

#include "server/worker/kernels/isa.h"

typedef struct sixteen_t {
  uint64_t half[2];
} sixteen_t;

#define MOVE_LOOPS(bytes, type)                                                      \
  static void select_##bytes(const uint8_t *pred, const void *a_bytes,               \
                             const void *b_bytes, void *out_bytes, size_t count) {   \
    const type *a = a_bytes, *b = b_bytes;                                           \
    type *out = out_bytes;                                                           \
    KERNEL_INDEPENDENT                                                               \
    for (size_t i = 0; i < count; i++) {                                             \
      const type x = a[i], y = b[i];                                                 \
      out[i] = pred[i] != 0 ? x : y;                                                 \
    }                                                                                \
  }                                                                                  \
  static void gather_##bytes(const void *in_bytes, int64_t stride, void *out_bytes,  \
                             size_t count) {                                         \
    const type *in = in_bytes;                                                       \
    type *out = out_bytes;                                                           \
    if (stride == 0) {                                                               \
      const type value = in[0];                                                      \
      for (size_t i = 0; i < count; i++) {                                           \
        out[i] = value;                                                              \
      }                                                                              \
    } else if (stride == -1) {                                                       \
      KERNEL_INDEPENDENT                                                             \
      for (size_t i = 0; i < count; i++) {                                           \
        out[i] = *(in - i);                                                          \
      }                                                                              \
    } else if (stride == 2) {                                                        \
      KERNEL_INDEPENDENT                                                             \
      for (size_t i = 0; i < count; i++) {                                           \
        out[i] = in[2 * i];                                                          \
      }                                                                              \
    } else {                                                                         \
      KERNEL_INDEPENDENT                                                             \
      for (size_t i = 0; i < count; i++) {                                           \
        out[i] = in[(int64_t)i * stride];                                            \
      }                                                                              \
    }                                                                                \
  }                                                                                  \
  static void scatter_##bytes(const void *in_bytes, void *out_bytes, int64_t stride, \
                              size_t count) {                                        \
    const type *in = in_bytes;                                                       \
    type *out = out_bytes;                                                           \
    KERNEL_INDEPENDENT                                                               \
    for (size_t i = 0; i < count; i++) {                                             \
      out[(int64_t)i * stride] = in[i];                                              \
    }                                                                                \
  }

MOVE_LOOPS(1, uint8_t)
MOVE_LOOPS(2, uint16_t)
MOVE_LOOPS(4, uint32_t)
MOVE_LOOPS(8, uint64_t)
MOVE_LOOPS(16, sixteen_t)

const kernel_select_fn_t KERNEL_ISA_NAME(kernel_select)[KERNEL_SIZES] = {
    select_1, select_2, select_4, select_8, select_16};
const kernel_gather_fn_t KERNEL_ISA_NAME(kernel_gather)[KERNEL_SIZES] = {
    gather_1, gather_2, gather_4, gather_8, gather_16};
const kernel_scatter_fn_t KERNEL_ISA_NAME(kernel_scatter)[KERNEL_SIZES] = {
    scatter_1, scatter_2, scatter_4, scatter_8, scatter_16};

// ----- transposition -----

// A block of N x N elements in N vectors: interleaving the first half of the rows with
// the second, log2(N) times, transposes it.
#define LOW_4 0, 4, 1, 5
#define HIGH_4 2, 6, 3, 7
#define LOW_8 0, 8, 1, 9, 2, 10, 3, 11
#define HIGH_8 4, 12, 5, 13, 6, 14, 7, 15
#define LOW_16 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define HIGH_16 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31

// Blocks are taken in tiles that the first-level cache holds on both sides.
enum { TILE_BYTES = 256 };

#define TRANSPOSE_LOOP(bytes, type, n, stages)                                          \
  typedef type vector_##bytes __attribute__((vector_size(bytes * n)));                  \
  static inline void block_##bytes(const type *in, int64_t in_stride, type *out,        \
                                   int64_t out_stride) {                                \
    vector_##bytes rows[n], mixed[n];                                                   \
    for (int i = 0; i < n; i++) {                                                       \
      memcpy(&rows[i], in + i * in_stride, sizeof(rows[i]));                            \
    }                                                                                   \
    for (int stage = 0; stage < stages; stage++) {                                      \
      for (int i = 0; i < n / 2; i++) {                                                 \
        mixed[2 * i] = __builtin_shufflevector(rows[i], rows[i + n / 2], LOW_##n);      \
        mixed[2 * i + 1] = __builtin_shufflevector(rows[i], rows[i + n / 2], HIGH_##n); \
      }                                                                                 \
      for (int i = 0; i < n; i++) {                                                     \
        rows[i] = mixed[i];                                                             \
      }                                                                                 \
    }                                                                                   \
    for (int i = 0; i < n; i++) {                                                       \
      memcpy(out + i * out_stride, &rows[i], sizeof(rows[i]));                          \
    }                                                                                   \
  }                                                                                     \
  static void tile_##bytes(const type *in, int64_t in_stride, type *out,                \
                           int64_t out_stride, int64_t rows, int64_t columns) {         \
    int64_t i = 0;                                                                      \
    for (; i + n <= rows; i += n) {                                                     \
      int64_t j = 0;                                                                    \
      for (; j + n <= columns; j += n) {                                                \
        block_##bytes(in + i * in_stride + j, in_stride, out + j * out_stride + i,      \
                      out_stride);                                                      \
      }                                                                                 \
      for (; j < columns; j++) {                                                        \
        for (int64_t part = i; part < i + n; part++) {                                  \
          out[j * out_stride + part] = in[part * in_stride + j];                        \
        }                                                                               \
      }                                                                                 \
    }                                                                                   \
    for (; i < rows; i++) {                                                             \
      for (int64_t j = 0; j < columns; j++) {                                           \
        out[j * out_stride + i] = in[i * in_stride + j];                                \
      }                                                                                 \
    }                                                                                   \
  }                                                                                     \
  static void transpose_##bytes(const void *in_bytes, int64_t in_stride,                \
                                void *out_bytes, int64_t out_stride, int64_t rows,      \
                                int64_t columns) {                                      \
    const int64_t tile = TILE_BYTES / bytes;                                            \
    const type *in = in_bytes;                                                          \
    type *out = out_bytes;                                                              \
    for (int64_t i = 0; i < rows; i += tile) {                                          \
      const int64_t tile_rows = rows - i < tile ? rows - i : tile;                      \
      for (int64_t j = 0; j < columns; j += tile) {                                     \
        const int64_t tile_columns = columns - j < tile ? columns - j : tile;           \
        tile_##bytes(in + i * in_stride + j, in_stride, out + j * out_stride + i,       \
                     out_stride, tile_rows, tile_columns);                              \
      }                                                                                 \
    }                                                                                   \
  }

TRANSPOSE_LOOP(1, uint8_t, 16, 4)
TRANSPOSE_LOOP(2, uint16_t, 8, 3)
TRANSPOSE_LOOP(4, uint32_t, 8, 3)
TRANSPOSE_LOOP(8, uint64_t, 4, 2)

static void transpose_16(const void *in_bytes, int64_t in_stride, void *out_bytes,
                         int64_t out_stride, int64_t rows, int64_t columns) {
  const sixteen_t *in = in_bytes;
  sixteen_t *out = out_bytes;
  for (int64_t j = 0; j < columns; j++) {
    for (int64_t i = 0; i < rows; i++) {
      out[j * out_stride + i] = in[i * in_stride + j];
    }
  }
}

const kernel_transpose_fn_t KERNEL_ISA_NAME(kernel_transpose)[KERNEL_SIZES] = {
    transpose_1, transpose_2, transpose_4, transpose_8, transpose_16};
