// Products of a few rows with a matrix, f32 or bf16 against accumulators in f32: what
// takes the time is reading the matrix, so every element is read once, in the order in
// which it lies, and used for all rows.

#include <string.h>

#include "server/worker/kernels/floats.h"
#include "server/worker/kernels/isa.h"

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

void KERNEL_ISA_NAME(kernel_skinny_rows)(const float *a, const void *b, bool is_bf16,
                                         size_t b_stride, float *c, size_t m, size_t k,
                                         size_t n) {
  _Alignas(64) float widened[DEPTH * STRIP];
  memset(c, 0, m * n * sizeof(float));
  for (size_t p = 0; p < k; p += DEPTH) {
    const size_t depth = k - p < DEPTH ? k - p : DEPTH;
    for (size_t j = 0; j < n; j += STRIP) {
      const size_t columns = n - j < STRIP ? n - j : STRIP;
      const size_t first = p * b_stride + j;
      if (!is_bf16) {
        add_block(a + p, m, k, (const float *)b + first, b_stride, c + j, n, depth,
                  columns);
        continue;
      }
      for (size_t row = 0; row < depth; row++) {
        widen_bf16((const uint16_t *)b + first + row * b_stride, widened + row * STRIP,
                   columns);
      }
      add_block(a + p, m, k, widened, STRIP, c + j, n, depth, columns);
    }
  }
}

// ----- b with its columns contiguous: dot products -----

enum { LANES = 16, TOGETHER = 4, CHUNK = 1024 };

// lanes[q][l] += a[p] * b[q][p] for p = l modulo LANES; `count` a multiple of LANES.
static inline void add_products(const float *a, const float *b, size_t b_stride,
                                size_t count, float lanes[TOGETHER][LANES]) {
  float sums[TOGETHER][LANES];
  memcpy(sums, lanes, sizeof(sums));
  for (size_t p = 0; p < count; p += LANES) {
    for (size_t q = 0; q < TOGETHER; q++) {
      for (size_t lane = 0; lane < LANES; lane++) {
        sums[q][lane] += a[p + lane] * b[q * b_stride + p + lane];
      }
    }
  }
  memcpy(lanes, sums, sizeof(sums));
}

static inline float sum_lanes(const float *lanes) {
  float sums[LANES];
  memcpy(sums, lanes, sizeof(sums));
  for (size_t half = LANES / 2; half > 0; half /= 2) {
    for (size_t lane = 0; lane < half; lane++) {
      sums[lane] += sums[lane + half];
    }
  }
  return sums[0];
}

// Up to TOGETHER columns of b and a chunk of k, in f32, filled with zeros to a multiple
// of LANES.
static void load_columns(const void *b, bool is_bf16, size_t b_stride, size_t columns,
                         size_t count, float out[TOGETHER][CHUNK]) {
  const size_t padded = (count + LANES - 1) / LANES * LANES;
  for (size_t q = 0; q < TOGETHER; q++) {
    const size_t filled = q < columns ? count : 0;
    if (is_bf16) {
      widen_bf16((const uint16_t *)b + (q < columns ? q * b_stride : 0), out[q], filled);
    } else if (filled > 0) {
      memcpy(out[q], (const float *)b + q * b_stride, filled * sizeof(float));
    }
    memset(out[q] + filled, 0, (padded - filled) * sizeof(float));
  }
}

// `a` has rows of a_stride elements, zeros behind k up to a multiple of LANES.
void KERNEL_ISA_NAME(kernel_skinny_columns)(const float *a, size_t a_stride,
                                            const void *b, bool is_bf16, size_t b_stride,
                                            float *c, size_t m, size_t k, size_t n) {
  _Alignas(64) float columns[TOGETHER][CHUNK];
  _Alignas(64) float lanes[KERNEL_SKINNY_ROWS][TOGETHER][LANES];
  const size_t b_bytes = is_bf16 ? sizeof(uint16_t) : sizeof(float);
  for (size_t j = 0; j < n; j += TOGETHER) {
    const size_t part = n - j < TOGETHER ? n - j : TOGETHER;
    memset(lanes, 0, m * sizeof(lanes[0]));
    for (size_t p = 0; p < k; p += CHUNK) {
      const size_t count = k - p < CHUNK ? k - p : CHUNK;
      const size_t padded = (count + LANES - 1) / LANES * LANES;
      const char *first = (const char *)b + (j * b_stride + p) * b_bytes;
      const bool is_direct = !is_bf16 && part == TOGETHER && count == padded;
      if (!is_direct) {
        load_columns(first, is_bf16, b_stride, part, count, columns);
      }
      for (size_t i = 0; i < m; i++) {
        if (is_direct) {
          add_products(a + i * a_stride + p, (const float *)(const void *)first, b_stride,
                       padded, lanes[i]);
        } else {
          add_products(a + i * a_stride + p, columns[0], CHUNK, padded, lanes[i]);
        }
      }
    }
    for (size_t i = 0; i < m; i++) {
      for (size_t q = 0; q < part; q++) {
        c[i * n + j + q] = sum_lanes(lanes[i][q]);
      }
    }
  }
}
