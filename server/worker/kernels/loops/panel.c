// Products of some rows of f32 with a large matrix. The matrix comes from memory in long
// runs, a panel of it at a time that stays in the second-level cache, cut into strips as
// wide as a tile of sums, which is kept in registers.

#include <string.h>

#include "server/worker/kernels/loops/isa.h"
#include "server/worker/kernels/stop.h"

#if defined(__AVX512F__)
enum { LANES = 16, ROWS = 8 };
#elif defined(__AVX__)
enum { LANES = 8, ROWS = 4 };
#else
enum { LANES = 4, ROWS = 4 };
#endif

// A panel has as many strips as rows, which makes it easy to bring the next one to the
// cache meanwhile, a row with every strip. Deeper ones would not fit: rows of a matrix
// often lie a power of two apart and meet in a few sets of the cache. Strips do not.
enum { VECTORS = 3, STRIP = VECTORS * LANES, DEPTH = 32, WIDTH = DEPTH * STRIP };
enum { STRIP_STEP = (DEPTH + 1) * STRIP, WORKSPACE = DEPTH * STRIP_STEP };

typedef float lanes_t __attribute__((vector_size(LANES * sizeof(float))));

// Rows of b, one after the other.
static void pack_panel(const float *b, size_t b_stride, size_t depth, size_t columns,
                       float *panel) {
  for (size_t p = 0; p < depth; p++, b += b_stride, panel += STRIP) {
    float *out = panel;
    size_t j = 0;
    for (; j + STRIP <= columns; j += STRIP, out += STRIP_STEP) {
      memcpy(out, b + j, STRIP * sizeof(float));
    }
    if (j < columns) {
      memset(out, 0, STRIP * sizeof(float));
      memcpy(out, b + j, (columns - j) * sizeof(float));
    }
  }
}

// All of a, ROWS rows side by side, zeros below the last.
static void pack_rows(const float *a, const size_t a_strides[2], size_t m, size_t k,
                      float *out) {
  for (size_t i = 0; i < m; i += ROWS, out += ROWS * k) {
    for (size_t r = 0; r < ROWS; r++) {
      const float *line = a + (i + r) * a_strides[0];
      for (size_t p = 0; p < k; p++) {
        out[p * ROWS + r] = i + r < m ? line[p * a_strides[1]] : 0;
      }
    }
  }
}

static inline __attribute__((always_inline)) lanes_t load(const float *in) {
  lanes_t out;
  memcpy(&out, in, sizeof(out));
  return out;
}

// What is fetched while a tile is computed: `step` bytes with every row of the strip.
typedef struct ahead_t {
  const char *bytes;
  size_t step;
} ahead_t;

// Sums of ROWS rows, all of them and of the strip.
static void multiply_tile(const float *a, const float *strip, size_t depth, bool adds,
                          ahead_t ahead, float *c, size_t c_stride) {
  lanes_t sums[ROWS][VECTORS];
  for (size_t i = 0; i < ROWS; i++) {
    for (size_t v = 0; v < VECTORS; v++) {
      sums[i][v] = adds ? load(c + i * c_stride + v * LANES) : (lanes_t){0};
    }
  }
  for (size_t p = 0; p < depth; p++, a += ROWS, strip += STRIP) {
    const lanes_t x = load(strip), y = load(strip + LANES), z = load(strip + 2 * LANES);
    for (size_t at = 0; at < ahead.step; at += 64) {
      __builtin_prefetch(ahead.bytes + at, 0, 2);
    }
    ahead.bytes += ahead.step;
    for (size_t i = 0; i < ROWS; i++) {
      sums[i][0] += x * a[i];
      sums[i][1] += y * a[i];
      sums[i][2] += z * a[i];
    }
  }
  for (size_t i = 0; i < ROWS; i++) {
    memcpy(c + i * c_stride, sums[i], sizeof(sums[i]));
  }
}

// A strip of the panel by all rows; every ROWS rows of a are k apart. `next` is the row
// of the next panel to fetch, NULL for none: by two tiles if there are so many.
static void multiply_strip(const float *a, const float *strip, size_t m, size_t k,
                           size_t depth, size_t columns, bool adds, const float *next,
                           float *c, size_t n) {
  const size_t shares = m > ROWS ? 2 : 1;
  for (size_t i = 0; i < m; i += ROWS, a += ROWS * k, c += ROWS * n) {
    const size_t rows = m - i < ROWS ? m - i : ROWS;
    ahead_t ahead = {(const char *)strip, 0};
    if (next != NULL && i < shares * ROWS) {
      ahead.bytes = (const char *)(next + i / ROWS * (WIDTH / 2));
      ahead.step = STRIP * sizeof(float) / shares;
    }
    if (rows == ROWS && columns == STRIP) {
      multiply_tile(a, strip, depth, adds, ahead, c, n);
      continue;
    }
    float tile[ROWS * STRIP];
    for (size_t r = 0; adds && r < rows; r++) {
      memcpy(tile + r * STRIP, c + r * n, columns * sizeof(float));
    }
    memset(tile + rows * STRIP, 0, (ROWS - rows) * STRIP * sizeof(float));
    multiply_tile(a, strip, depth, adds, ahead, tile, STRIP);
    for (size_t r = 0; r < rows; r++) {
      memcpy(c + r * n, tile + r * STRIP, columns * sizeof(float));
    }
  }
}

size_t KERNEL_ISA_NAME(kernel_panel_workspace)(size_t m, size_t k) {
  return WORKSPACE + (m + ROWS - 1) / ROWS * ROWS * k;
}

void KERNEL_ISA_NAME(kernel_panel_rows)(const float *a, const size_t a_strides[2],
                                        const float *b, size_t b_stride, float *c,
                                        size_t m, size_t k, size_t n, float *workspace) {
  float *rows = workspace + WORKSPACE;
  pack_rows(a, a_strides, m, k, rows);
  for (size_t first = 0; first < n; first += WIDTH) {
    const size_t width = n - first < WIDTH ? n - first : WIDTH;
    for (size_t p = 0; p < k && !kernel_is_stopped(); p += DEPTH) {
      const size_t depth = k - p < DEPTH ? k - p : DEPTH;
      const float *from = b + p * b_stride + first;
      pack_panel(from, b_stride, depth, width, workspace);
      // Whole panels only are fetched ahead, below this one or at the top of the next.
      const bool is_above = p + 2 * DEPTH <= k && width == WIDTH;
      const bool is_left = p + DEPTH == k && first + 2 * WIDTH <= n;
      const float *next = is_above  ? from + DEPTH * b_stride
                          : is_left ? b + first + WIDTH
                                    : NULL;
      for (size_t j = 0; j < width; j += STRIP) {
        const size_t strip = j / STRIP;
        multiply_strip(rows + p * ROWS, workspace + strip * STRIP_STEP, m, k, depth,
                       width - j < STRIP ? width - j : STRIP, p > 0,
                       next == NULL ? NULL : next + strip * b_stride, c + first + j, n);
      }
    }
  }
}
