// Elements moved as bytes: selected, gathered, scattered, transposed.

#include <string.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "server/worker/kernels/loops/blocks.h"
#include "server/worker/kernels/loops/isa.h"

typedef struct sixteen_t {
  uint64_t half[2];
} sixteen_t;

// Every second element, by shuffles. The last vector overlaps the one before and begins
// one element earlier than its first, so that nothing behind the last is read; count is
// more than a vector holds.
#if defined(__AVX2__)
enum { EVERY_SECOND_BYTES = 32 };
#define FROM_1(first) PAIRS_8(first), PAIRS_8(first + 16), FROM_2(first + 32)
#define FROM_2(first) PAIRS_8(first), PAIRS_8(first + 16)
#define FROM_4(first) PAIRS_8(first)
#define FROM_8(first) PAIRS_4(first)
#else
enum { EVERY_SECOND_BYTES = 16 };
#define FROM_1(first) PAIRS_8(first), PAIRS_8(first + 16)
#define FROM_2(first) PAIRS_8(first)
#define FROM_4(first) PAIRS_4(first)
#define FROM_8(first) first, first + 2
#endif
#define PAIRS_4(first) (first), (first) + 2, (first) + 4, (first) + 6
#define PAIRS_8(first) PAIRS_4(first), PAIRS_4((first) + 8)

#define EVERY_SECOND_LOOP(bytes, type)                                        \
  typedef type half_##bytes __attribute__((vector_size(EVERY_SECOND_BYTES))); \
  static void every_second_##bytes(const type *in, type *out, size_t count) { \
    enum { N = EVERY_SECOND_BYTES / bytes };                                  \
    half_##bytes low, high;                                                   \
    for (size_t i = 0; i + N < count; i += N) {                               \
      memcpy(&low, in + 2 * i, sizeof(low));                                  \
      memcpy(&high, in + 2 * i + N, sizeof(high));                            \
      low = __builtin_shufflevector(low, high, FROM_##bytes(0));              \
      memcpy(out + i, &low, sizeof(low));                                     \
    }                                                                         \
    const type *last = in + 2 * (count - N) - 1;                              \
    memcpy(&low, last, sizeof(low));                                          \
    memcpy(&high, last + N, sizeof(high));                                    \
    low = __builtin_shufflevector(low, high, FROM_##bytes(1));                \
    memcpy(out + count - N, &low, sizeof(low));                               \
  }

EVERY_SECOND_LOOP(1, uint8_t)
EVERY_SECOND_LOOP(2, uint16_t)
EVERY_SECOND_LOOP(4, uint32_t)
EVERY_SECOND_LOOP(8, uint64_t)

static void every_second_16(const sixteen_t *in, sixteen_t *out, size_t count) {
  for (size_t i = 0; i < count; i++) {
    out[i] = in[2 * i];
  }
}

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
    } else if (stride == 2 && count > EVERY_SECOND_BYTES / bytes) {                  \
      every_second_##bytes(in, out, count);                                          \
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

// A few numbers of repeats are known to the compiler, which then shuffles vectors. Others
// that a vector has room for are written as whole vectors that overlap: the next one
// writes over what is too much, and the last ones are written element by element.
enum { REPEAT_BYTES = 16 };

#define REPEAT_LOOP(bytes, type)                                                      \
  typedef type repeated_##bytes __attribute__((vector_size(REPEAT_BYTES)));           \
  static inline void repeat_by_##bytes(const type *in, int64_t stride, type *out,     \
                                       size_t count, size_t repeats) {                \
    for (size_t i = 0; i < count; i++) {                                              \
      const type value = in[(int64_t)i * stride];                                     \
      for (size_t j = 0; j < repeats; j++) {                                          \
        out[i * repeats + j] = value;                                                 \
      }                                                                               \
    }                                                                                 \
  }                                                                                   \
  static void repeat_overlapping_##bytes(const type *in, int64_t stride, type *out,   \
                                         size_t count, size_t repeats) {              \
    enum { N = REPEAT_BYTES / bytes };                                                \
    size_t i = 0;                                                                     \
    for (; i < count && (count - i) * repeats >= N; i++) {                            \
      const repeated_##bytes value = in[(int64_t)i * stride] - (repeated_##bytes){0}; \
      memcpy(out + i * repeats, &value, sizeof(value));                               \
    }                                                                                 \
    repeat_by_##bytes(in + (int64_t)i * stride, stride, out + i * repeats, count - i, \
                      repeats);                                                       \
  }                                                                                   \
  static void repeat_##bytes(const void *in, int64_t stride, void *out, size_t count, \
                             size_t repeats) {                                        \
    if (repeats == 2 && stride == 1) {                                                \
      repeat_by_##bytes(in, 1, out, count, 2);                                        \
    } else if (repeats == 3 && stride == 1) {                                         \
      repeat_by_##bytes(in, 1, out, count, 3);                                        \
    } else if (repeats == 4 && stride == 1) {                                         \
      repeat_by_##bytes(in, 1, out, count, 4);                                        \
    } else if (repeats == 8 && stride == 1) {                                         \
      repeat_by_##bytes(in, 1, out, count, 8);                                        \
    } else if (repeats <= REPEAT_BYTES / bytes) {                                     \
      repeat_overlapping_##bytes(in, stride, out, count, repeats);                    \
    } else {                                                                          \
      repeat_by_##bytes(in, stride, out, count, repeats);                             \
    }                                                                                 \
  }

static void repeat_16(const void *in_bytes, int64_t stride, void *out_bytes, size_t count,
                      size_t repeats) {
  const sixteen_t *in = in_bytes;
  sixteen_t *out = out_bytes;
  for (size_t i = 0; i < count; i++) {
    for (size_t j = 0; j < repeats; j++) {
      out[i * repeats + j] = in[(int64_t)i * stride];
    }
  }
}

MOVE_LOOPS(1, uint8_t)
REPEAT_LOOP(1, uint8_t)
MOVE_LOOPS(2, uint16_t)
REPEAT_LOOP(2, uint16_t)
MOVE_LOOPS(4, uint32_t)
REPEAT_LOOP(4, uint32_t)
MOVE_LOOPS(8, uint64_t)
REPEAT_LOOP(8, uint64_t)
MOVE_LOOPS(16, sixteen_t)

const kernel_select_fn_t KERNEL_ISA_NAME(kernel_select)[KERNEL_SIZES] = {
    select_1, select_2, select_4, select_8, select_16};
const kernel_gather_fn_t KERNEL_ISA_NAME(kernel_gather)[KERNEL_SIZES] = {
    gather_1, gather_2, gather_4, gather_8, gather_16};
const kernel_scatter_fn_t KERNEL_ISA_NAME(kernel_scatter)[KERNEL_SIZES] = {
    scatter_1, scatter_2, scatter_4, scatter_8, scatter_16};

const kernel_repeat_fn_t KERNEL_ISA_NAME(kernel_repeat)[KERNEL_SIZES] = {
    repeat_1, repeat_2, repeat_4, repeat_8, repeat_16};

// ----- transposition -----

// A tile is transposed into the first-level cache and then written by whole rows. Large
// results pass by the caches: their lines would only be fetched to be written, and with
// strides of a power of two they would displace one another besides.
enum { TILE_BYTES = 128 };

#if defined(__SSE2__)
static inline void stream_row(char *out, const char *in) {
  for (int at = 0; at < TILE_BYTES; at += 16) {
    _mm_stream_si128((__m128i *)(void *)(out + at),
                     _mm_load_si128((const __m128i *)(const void *)(in + at)));
  }
}

static inline void end_streaming(void) {
  _mm_sfence();
}
#else
static inline void stream_row(char *out, const char *in) {
  memcpy(out, in, TILE_BYTES);
}

static inline void end_streaming(void) {
}
#endif

// Rows that lie far apart are not foreseen by the processor: those of the next tile are
// asked for, into the second-level cache, as rows a power of two apart displace one
// another in the first.
static inline void fetch_tile(const void *in, int64_t row_bytes, int64_t rows) {
  for (int64_t i = 0; i < rows; i++) {
    const char *row = (const char *)in + i * row_bytes;
    __builtin_prefetch(row, 0, 2);
    __builtin_prefetch(row + TILE_BYTES / 2, 0, 2);
  }
}

#define TRANSPOSE_LOOP(bytes, type, n)                                                  \
  enum { TILE_##bytes = TILE_BYTES / bytes };                                           \
  static void whole_tile_##bytes(const type *in, int64_t in_stride, type *out,          \
                                 int64_t out_stride, bool is_streamed) {                \
    _Alignas(64) type turned[TILE_##bytes * TILE_##bytes];                              \
    for (int i = 0; i < TILE_##bytes; i += n) {                                         \
      for (int j = 0; j < TILE_##bytes; j += n) {                                       \
        block_##bytes(in + i * in_stride + j, in_stride, turned + j * TILE_##bytes + i, \
                      TILE_##bytes);                                                    \
      }                                                                                 \
    }                                                                                   \
    for (int j = 0; j < TILE_##bytes; j++) {                                            \
      type *row = out + j * out_stride;                                                 \
      if (is_streamed) {                                                                \
        stream_row((char *)row, (const char *)(turned + j * TILE_##bytes));             \
      } else {                                                                          \
        memcpy(row, turned + j * TILE_##bytes, TILE_BYTES);                             \
      }                                                                                 \
    }                                                                                   \
  }                                                                                     \
  /* Two to four rows are woven together, as many columns taken apart. */               \
  static inline void weave_##bytes(const type *in, int64_t in_stride, type *out,        \
                                   int64_t count, int64_t few) {                        \
    KERNEL_INDEPENDENT                                                                  \
    for (int64_t j = 0; j < count; j++) {                                               \
      for (int64_t i = 0; i < few; i++) {                                               \
        out[j * few + i] = in[i * in_stride + j];                                       \
      }                                                                                 \
    }                                                                                   \
  }                                                                                     \
  static inline void unweave_##bytes(const type *in, type *out, int64_t out_stride,     \
                                     int64_t count, int64_t few) {                      \
    KERNEL_INDEPENDENT                                                                  \
    for (int64_t i = 0; i < count; i++) {                                               \
      for (int64_t j = 0; j < few; j++) {                                               \
        out[j * out_stride + i] = in[i * few + j];                                      \
      }                                                                                 \
    }                                                                                   \
  }                                                                                     \
  static void narrow_##bytes(const type *in, int64_t in_stride, type *out,              \
                             int64_t out_stride, int64_t rows, int64_t columns) {       \
    if (out_stride == rows && rows == 2) {                                              \
      weave_##bytes(in, in_stride, out, columns, 2);                                    \
    } else if (out_stride == rows && rows == 3) {                                       \
      weave_##bytes(in, in_stride, out, columns, 3);                                    \
    } else if (out_stride == rows && rows == 4) {                                       \
      weave_##bytes(in, in_stride, out, columns, 4);                                    \
    } else if (in_stride == columns && columns == 2) {                                  \
      unweave_##bytes(in, out, out_stride, rows, 2);                                    \
    } else if (in_stride == columns && columns == 3) {                                  \
      unweave_##bytes(in, out, out_stride, rows, 3);                                    \
    } else if (in_stride == columns && columns == 4) {                                  \
      unweave_##bytes(in, out, out_stride, rows, 4);                                    \
    } else {                                                                            \
      for (int64_t j = 0; j < columns; j++) {                                           \
        for (int64_t i = 0; i < rows; i++) {                                            \
          out[j * out_stride + i] = in[i * in_stride + j];                              \
        }                                                                               \
      }                                                                                 \
    }                                                                                   \
  }                                                                                     \
  /* The last blocks overlap those before; at least a block of rows and columns. */     \
  static void part_tile_##bytes(const type *in, int64_t in_stride, type *out,           \
                                int64_t out_stride, int64_t rows, int64_t columns) {    \
    for (int64_t row = 0; row < rows; row += n) {                                       \
      const int64_t i = row < rows - n ? row : rows - n;                                \
      for (int64_t column = 0; column < columns; column += n) {                         \
        const int64_t j = column < columns - n ? column : columns - n;                  \
        block_##bytes(in + i * in_stride + j, in_stride, out + j * out_stride + i,      \
                      out_stride);                                                      \
      }                                                                                 \
    }                                                                                   \
  }                                                                                     \
  static void transpose_##bytes(const void *in_bytes, int64_t in_stride,                \
                                void *out_bytes, int64_t out_stride, int64_t rows,      \
                                int64_t columns, bool is_streamed) {                    \
    const type *in = in_bytes;                                                          \
    type *out = out_bytes;                                                              \
    if (rows < n || columns < n) {                                                      \
      narrow_##bytes(in, in_stride, out, out_stride, rows, columns);                    \
      return;                                                                           \
    }                                                                                   \
    const int64_t tile = TILE_##bytes;                                                  \
    const bool is_past_caches =                                                         \
        is_streamed && (uintptr_t)out % 64 == 0 && out_stride * bytes % 64 == 0;        \
    for (int64_t row = 0; row < rows; row += tile) {                                    \
      const int64_t i = row < rows - n ? row : rows - n;                                \
      const int64_t height = rows - i < tile ? rows - i : tile;                         \
      for (int64_t column = 0; column < columns; column += tile) {                      \
        const int64_t j = column < columns - n ? column : columns - n;                  \
        const type *from = in + i * in_stride + j;                                      \
        type *to = out + j * out_stride + i;                                            \
        if (columns - j >= 2 * tile) {                                                  \
          fetch_tile(from + tile, in_stride * bytes, height);                           \
        }                                                                               \
        if (height == tile && columns - j >= tile) {                                    \
          whole_tile_##bytes(from, in_stride, to, out_stride, is_past_caches);          \
        } else {                                                                        \
          part_tile_##bytes(from, in_stride, to, out_stride, height,                    \
                            columns - j < tile ? columns - j : tile);                   \
        }                                                                               \
      }                                                                                 \
    }                                                                                   \
    if (is_past_caches) {                                                               \
      end_streaming();                                                                  \
    }                                                                                   \
  }

TRANSPOSE_LOOP(1, uint8_t, BLOCK_1)
TRANSPOSE_LOOP(2, uint16_t, BLOCK_2)
TRANSPOSE_LOOP(4, uint32_t, BLOCK_4)
TRANSPOSE_LOOP(8, uint64_t, BLOCK_8)

static void transpose_16(const void *in_bytes, int64_t in_stride, void *out_bytes,
                         int64_t out_stride, int64_t rows, int64_t columns,
                         bool is_streamed) {
  enum { TILE = 16 };
  (void)is_streamed;
  const sixteen_t *in = in_bytes;
  sixteen_t *out = out_bytes;
  for (int64_t first_row = 0; first_row < rows; first_row += TILE) {
    const int64_t end_row = rows - first_row < TILE ? rows : first_row + TILE;
    for (int64_t first = 0; first < columns; first += TILE) {
      const int64_t end = columns - first < TILE ? columns : first + TILE;
      for (int64_t j = first; j < end; j++) {
        for (int64_t i = first_row; i < end_row; i++) {
          out[j * out_stride + i] = in[i * in_stride + j];
        }
      }
    }
  }
}

const kernel_transpose_fn_t KERNEL_ISA_NAME(kernel_transpose)[KERNEL_SIZES] = {
    transpose_1, transpose_2, transpose_4, transpose_8, transpose_16};
