// Products of a few rows with a matrix, f32, bf16 or f16 against accumulators in f32:
// what takes the time is reading the matrix, so every element is read once, in the order
// in which it lies, and used for all rows.

#include <string.h>

#include "server/worker/kernels/loops/floats.h"
#include "server/worker/kernels/loops/isa.h"
#include "server/worker/kernels/stop.h"

// A block of b: DEPTH rows and STRIP columns, in f32 in the first-level cache.
enum { DEPTH = 16, STRIP = 256 };

static inline void widen_bf16(const uint16_t *in, float *out, size_t count) {
  KERNEL_INDEPENDENT
  for (size_t i = 0; i < count; i++) {
    out[i] = from_bits_f32((uint32_t)in[i] << 16);
  }
}

// c[j] += sum over the DEPTH rows of a[p] * b[p][j].
static inline void add_rows(const float *a, const float *b, size_t b_stride, float *c,
                            size_t columns) {
  const float *b0 = b, *b1 = b0 + b_stride, *b2 = b1 + b_stride, *b3 = b2 + b_stride;
  const float *b4 = b3 + b_stride, *b5 = b4 + b_stride, *b6 = b5 + b_stride;
  const float *b7 = b6 + b_stride, *b8 = b7 + b_stride, *b9 = b8 + b_stride;
  const float *b10 = b9 + b_stride, *b11 = b10 + b_stride, *b12 = b11 + b_stride;
  const float *b13 = b12 + b_stride, *b14 = b13 + b_stride, *b15 = b14 + b_stride;
  KERNEL_INDEPENDENT
  for (size_t j = 0; j < columns; j++) {
    float low = c[j], high = a[8] * b8[j];
    low += a[0] * b0[j];
    high += a[9] * b9[j];
    low += a[1] * b1[j];
    high += a[10] * b10[j];
    low += a[2] * b2[j];
    high += a[11] * b11[j];
    low += a[3] * b3[j];
    high += a[12] * b12[j];
    low += a[4] * b4[j];
    high += a[13] * b13[j];
    low += a[5] * b5[j];
    high += a[14] * b14[j];
    low += a[6] * b6[j];
    high += a[15] * b15[j];
    low += a[7] * b7[j];
    c[j] = low + high;
  }
}

static inline void add_row(float a, const float *b, float *c, size_t columns) {
  KERNEL_INDEPENDENT
  for (size_t j = 0; j < columns; j++) {
    c[j] += a * b[j];
  }
}

// A strip of a block: `b` in f32 with rows `b_stride` apart.
static void add_block(const float *a, size_t m, size_t k, const float *b, size_t b_stride,
                      float *c, size_t n, size_t depth, size_t columns) {
  for (size_t i = 0; i < m; i++) {
    if (depth == DEPTH) {
      add_rows(a + i * k, b, b_stride, c + i * n, columns);
      continue;
    }
    for (size_t p = 0; p < depth; p++) {
      add_row(a[i * k + p], b + p * b_stride, c + i * n, columns);
    }
  }
}

static void widen(const uint16_t *in, tensor_dtype_t dtype, float *out, size_t count) {
  if (dtype == TENSOR_BF16) {
    widen_bf16(in, out, count);
  } else {
    KERNEL_ISA_NAME(kernel_f16_to_f32)(in, out, count);
  }
}

void KERNEL_ISA_NAME(kernel_skinny_rows)(const float *a, const void *b,
                                         tensor_dtype_t dtype, size_t b_stride, float *c,
                                         size_t m, size_t k, size_t n) {
  _Alignas(64) float widened[DEPTH * STRIP];
  for (size_t p = 0; p < k; p += DEPTH) {
    const size_t depth = k - p < DEPTH ? k - p : DEPTH;
    for (size_t j = 0; j < n && !kernel_is_stopped(); j += STRIP) {
      const size_t columns = n - j < STRIP ? n - j : STRIP;
      const size_t first = p * b_stride + j;
      if (dtype == TENSOR_F32) {
        add_block(a + p, m, k, (const float *)b + first, b_stride, c + j, n, depth,
                  columns);
        continue;
      }
      for (size_t row = 0; row < depth; row++) {
        widen((const uint16_t *)b + first + row * b_stride, dtype, widened + row * STRIP,
              columns);
      }
      add_block(a + p, m, k, widened, STRIP, c + j, n, depth, columns);
    }
  }
}

// ----- b with its columns contiguous: dot products -----

#if defined(__AVX512F__)
enum { LANES = 16 };
#elif defined(__AVX__)
enum { LANES = 8 };
#else
enum { LANES = 4 };
#endif

enum { TOGETHER = 4 };

typedef float lanes_t __attribute__((vector_size(LANES * sizeof(float))));
typedef uint32_t words_t __attribute__((vector_size(LANES * sizeof(uint32_t))));
typedef uint16_t halves_t __attribute__((vector_size(LANES * sizeof(uint16_t))));

static inline lanes_t load_f32(const void *in) {
  lanes_t out;
  memcpy(&out, in, sizeof(out));
  return out;
}

static inline lanes_t load_bf16(const void *in) {
  halves_t halves;
  memcpy(&halves, in, sizeof(halves));
  const words_t words = __builtin_convertvector(halves, words_t) << 16;
  lanes_t out;
  memcpy(&out, &words, sizeof(out));
  return out;
}

static inline float sum_lanes(lanes_t lanes) {
  float sums[LANES];
  memcpy(sums, &lanes, sizeof(sums));
  for (size_t half = LANES / 2; half > 0; half /= 2) {
    for (size_t lane = 0; lane < half; lane++) {
      sums[lane] += sums[lane + half];
    }
  }
  return sums[0];
}

// `rows` rows of a by TOGETHER columns of b, whose bytes are b_bytes apart; the last
// elements of k, which are no vector, come from `tails`.
static inline __attribute__((always_inline)) void dot_tile(
    const float *a, size_t a_stride, size_t rows, const char *const *b,
    const char *const *tails, bool is_bf16, size_t k, float *c, size_t c_stride,
    size_t columns) {
  lanes_t sums[TOGETHER][TOGETHER];
  memset(sums, 0, sizeof(sums));
  const size_t bytes = is_bf16 ? sizeof(uint16_t) : sizeof(float);
  for (size_t p = 0; p < k; p += LANES) {
    const bool is_tail = p + LANES > k;
    lanes_t x[TOGETHER];
    for (size_t q = 0; q < TOGETHER; q++) {
      const char *from = is_tail ? tails[q] : b[q] + p * bytes;
      x[q] = is_bf16 ? load_bf16(from) : load_f32(from);
    }
    for (size_t i = 0; i < rows; i++) {
      const lanes_t y = load_f32(a + i * a_stride + p);
      for (size_t q = 0; q < TOGETHER; q++) {
        sums[i][q] += x[q] * y;
      }
    }
  }
  for (size_t i = 0; i < rows; i++) {
    for (size_t q = 0; q < columns; q++) {
      c[i * c_stride + q] = sum_lanes(sums[i][q]);
    }
  }
}

// The same for a number of rows and a type that the compiler knows.
static void dot_tiles(const float *a, size_t a_stride, size_t rows, const char *const *b,
                      const char *const *tails, bool is_bf16, size_t k, float *c,
                      size_t c_stride, size_t columns) {
#define TILE(count, bf16) \
  dot_tile(a, a_stride, count, b, tails, bf16, k, c, c_stride, columns)
  switch (rows * 2 + is_bf16) {
    case 2:
      TILE(1, false);
      break;
    case 3:
      TILE(1, true);
      break;
    case 4:
      TILE(2, false);
      break;
    case 5:
      TILE(2, true);
      break;
    case 6:
      TILE(3, false);
      break;
    case 7:
      TILE(3, true);
      break;
    case 8:
      TILE(4, false);
      break;
    default:
      TILE(4, true);
      break;
  }
#undef TILE
}

// `a` has rows of a_stride elements, zeros behind k up to a multiple of LANES.
void KERNEL_ISA_NAME(kernel_skinny_columns)(const float *a, size_t a_stride,
                                            const void *b, bool is_bf16, size_t b_stride,
                                            float *c, size_t m, size_t k, size_t n) {
  _Alignas(64) char padded[TOGETHER][LANES * sizeof(float)];
  const size_t bytes = is_bf16 ? sizeof(uint16_t) : sizeof(float);
  const size_t whole = k / LANES * LANES;
  memset(padded, 0, sizeof(padded));
  for (size_t j = 0; j < n && !kernel_is_stopped(); j += TOGETHER) {
    const size_t columns = n - j < TOGETHER ? n - j : TOGETHER;
    const char *starts[TOGETHER], *tails[TOGETHER];
    for (size_t q = 0; q < TOGETHER; q++) {
      starts[q] = (const char *)b + (j + (q < columns ? q : 0)) * b_stride * bytes;
      memcpy(padded[q], starts[q] + whole * bytes, (k - whole) * bytes);
      tails[q] = padded[q];
    }
    for (size_t i = 0; i < m; i += TOGETHER) {
      dot_tiles(a + i * a_stride, a_stride, m - i < TOGETHER ? m - i : TOGETHER, starts,
                tails, is_bf16, k, c + i * n + j, n, columns);
    }
  }
}
