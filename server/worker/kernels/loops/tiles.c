// Tiles are multiplied by instructions that compilers know in different ways; as text
// they are the same for all.

#include "server/worker/kernels/loops/tiles.h"

#include <immintrin.h>
#include <stdint.h>

enum { WORD_BYTES = 4 };

static inline size_t round_up(size_t words) {
  return (words + TILE_LINES - 1) / TILE_LINES * TILE_LINES;
}

// ----- packing -----

typedef __mmask64 bytes_mask_t;

static inline bytes_mask_t first_bytes(size_t count) {
  return count >= 64 ? ~(bytes_mask_t)0 : ((bytes_mask_t)1 << count) - 1;
}

// rows[j][i] = rows[i][j], in words of 4 bytes.
static inline __attribute__((always_inline)) void transpose(__m512i rows[16]) {
  __m512i pairs[16], fours[16];
  for (int i = 0; i < 16; i += 2) {
    pairs[i] = _mm512_unpacklo_epi32(rows[i], rows[i + 1]);
    pairs[i + 1] = _mm512_unpackhi_epi32(rows[i], rows[i + 1]);
  }
  for (int i = 0; i < 16; i += 4) {
    fours[i] = _mm512_unpacklo_epi64(pairs[i], pairs[i + 2]);
    fours[i + 1] = _mm512_unpackhi_epi64(pairs[i], pairs[i + 2]);
    fours[i + 2] = _mm512_unpacklo_epi64(pairs[i + 1], pairs[i + 3]);
    fours[i + 3] = _mm512_unpackhi_epi64(pairs[i + 1], pairs[i + 3]);
  }
  // fours[4 g + c] has in its lane l column 4 l + c of rows 4 g … 4 g + 3.
  for (int c = 0; c < 4; c++) {
    const __m512i low = _mm512_shuffle_i32x4(fours[c], fours[4 + c], 0x88);
    const __m512i high = _mm512_shuffle_i32x4(fours[c], fours[4 + c], 0xdd);
    const __m512i next_low = _mm512_shuffle_i32x4(fours[8 + c], fours[12 + c], 0x88);
    const __m512i next_high = _mm512_shuffle_i32x4(fours[8 + c], fours[12 + c], 0xdd);
    rows[c] = _mm512_shuffle_i32x4(low, next_low, 0x88);
    rows[4 + c] = _mm512_shuffle_i32x4(high, next_high, 0x88);
    rows[8 + c] = _mm512_shuffle_i32x4(low, next_low, 0xdd);
    rows[12 + c] = _mm512_shuffle_i32x4(high, next_high, 0xdd);
  }
}

static inline __attribute__((always_inline)) void transpose_tile(const char *in,
                                                                 char *out) {
  __m512i rows[16];
  for (int i = 0; i < 16; i++) {
    rows[i] = _mm512_load_si512(in + i * TILE_ROW_BYTES);
  }
  transpose(rows);
  for (int i = 0; i < 16; i++) {
    _mm512_store_si512(out + i * TILE_ROW_BYTES, rows[i]);
  }
}

// One tile of lines whose elements follow one another: `lines` of them have `bytes`
// bytes.
static inline void pack_lines(const char *in, size_t stride, size_t lines, size_t bytes,
                              bool is_transposed, char *out) {
  __m512i rows[TILE_LINES];
  if (lines >= TILE_LINES && bytes >= TILE_ROW_BYTES) {
    for (size_t i = 0; i < TILE_LINES; i++) {
      rows[i] = _mm512_loadu_si512(in + i * stride);
    }
  } else {
    const bytes_mask_t mask = first_bytes(bytes);
    for (size_t i = 0; i < TILE_LINES; i++) {
      rows[i] = i < lines ? _mm512_maskz_loadu_epi8(mask, in + i * stride)
                          : _mm512_setzero_si512();
    }
  }
  if (is_transposed) {
    transpose(rows);
  }
  for (size_t i = 0; i < TILE_LINES; i++) {
    _mm512_store_si512(out + i * TILE_ROW_BYTES, rows[i]);
  }
}

// Words of 32 lines of bf16 from two rows, for two tiles. Unpacking takes 4 lines of
// every 16 bytes for each of them.
static inline __attribute__((always_inline)) void pack_words_of_2(__m512i x, __m512i y,
                                                                  char *out,
                                                                  size_t line_step,
                                                                  size_t tiles) {
  const __m512i order = _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7);
  x = _mm512_permutexvar_epi64(order, x);
  y = _mm512_permutexvar_epi64(order, y);
  _mm512_store_si512(out, _mm512_unpacklo_epi16(x, y));
  if (tiles > 1) {
    _mm512_store_si512(out + line_step, _mm512_unpackhi_epi16(x, y));
  }
}

// Words of 64 lines of bytes from four rows, for up to four tiles.
static inline __attribute__((always_inline)) void pack_words_of_4(const __m512i in[4],
                                                                  char *out,
                                                                  size_t line_step,
                                                                  size_t tiles) {
  const __m512i order =
      _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  __m512i rows[4];
  for (size_t i = 0; i < 4; i++) {
    rows[i] = _mm512_permutexvar_epi32(order, in[i]);
  }
  const __m512i low = _mm512_unpacklo_epi8(rows[0], rows[1]);
  const __m512i high = _mm512_unpackhi_epi8(rows[0], rows[1]);
  const __m512i next_low = _mm512_unpacklo_epi8(rows[2], rows[3]);
  const __m512i next_high = _mm512_unpackhi_epi8(rows[2], rows[3]);
  const __m512i words[4] = {
      _mm512_unpacklo_epi16(low, next_low), _mm512_unpackhi_epi16(low, next_low),
      _mm512_unpacklo_epi16(high, next_high), _mm512_unpackhi_epi16(high, next_high)};
  for (size_t i = 0; i < 4; i++) {
    if (i < tiles) {
      _mm512_store_si512(out + i * line_step, words[i]);
    }
  }
}

// The words of a row of tiles, from `depth` rows of an operand whose lines interleave.
// What is far from its edges takes no masks.
static inline __attribute__((always_inline)) void pack_row(const char *in, size_t stride,
                                                           size_t depth, size_t bytes,
                                                           size_t line_bytes,
                                                           size_t line_step, char *out) {
  const size_t per_word = WORD_BYTES / bytes, step = per_word * line_step;
  size_t at = 0;
  for (; depth >= per_word && at + TILE_ROW_BYTES <= line_bytes; at += TILE_ROW_BYTES) {
    __m512i rows[WORD_BYTES];
    for (size_t i = 0; i < per_word; i++) {
      rows[i] = _mm512_loadu_si512(in + i * stride + at);
    }
    if (bytes == 2) {
      pack_words_of_2(rows[0], rows[1], out, line_step, 2);
    } else {
      pack_words_of_4(rows, out, line_step, 4);
    }
    out += step;
  }
  for (; at < line_bytes; at += TILE_ROW_BYTES, out += step) {
    const bytes_mask_t mask = first_bytes(line_bytes - at);
    const size_t tile_bytes = TILE_LINES * bytes;
    const size_t tiles = (line_bytes - at + tile_bytes - 1) / tile_bytes;
    __m512i rows[WORD_BYTES];
    for (size_t i = 0; i < per_word; i++) {
      rows[i] = i < depth ? _mm512_maskz_loadu_epi8(mask, in + i * stride + at)
                          : _mm512_setzero_si512();
    }
    if (bytes == 2) {
      pack_words_of_2(rows[0], rows[1], out, line_step, tiles);
    } else {
      pack_words_of_4(rows, out, line_step, tiles);
    }
  }
}

// Lines that interleave: row by row of the operand, all lines of it, so that memory is
// read in long runs.
static inline __attribute__((always_inline)) void pack_interleaved(
    const tiles_source_t *source, size_t first, size_t depth, size_t bytes,
    size_t line_step, char *out) {
  const size_t per_word = WORD_BYTES / bytes;
  const size_t words = round_up((depth + per_word - 1) / per_word);
  for (size_t word = 0; word < words; word++) {
    const size_t at = word * per_word;
    pack_row(source->bytes + (first + at) * source->stride, source->stride,
             at < depth ? depth - at : 0, bytes, source->lines * bytes, line_step,
             out + word / TILE_LINES * TILE_BYTES + word % TILE_LINES * TILE_ROW_BYTES);
  }
}

// The same for tiles that have to be transposed: some at a time, which stay close.
static inline __attribute__((always_inline)) void pack_transposed(
    const tiles_source_t *source, size_t first, size_t depth, size_t bytes,
    size_t line_step, char *out) {
  _Alignas(64) char tiles[WORD_BYTES * TILE_BYTES];
  const size_t per_word = WORD_BYTES / bytes, at_once = TILE_ROW_BYTES / bytes;
  const size_t words = round_up((depth + per_word - 1) / per_word);
  for (size_t word = 0; word < words; word += TILE_LINES) {
    for (size_t line = 0; line < source->lines; line += at_once) {
      const size_t left = source->lines - line, lines = left < at_once ? left : at_once;
      for (size_t row = 0; row < TILE_LINES; row++) {
        const size_t at = (word + row) * per_word;
        pack_row(source->bytes + (first + at) * source->stride + line * bytes,
                 source->stride, at < depth ? depth - at : 0, bytes, lines * bytes,
                 TILE_BYTES, tiles + row * TILE_ROW_BYTES);
      }
      for (size_t i = 0; i < lines; i += TILE_LINES) {
        transpose_tile(
            tiles + i / TILE_LINES * TILE_BYTES,
            out + (line + i) / TILE_LINES * line_step + word / TILE_LINES * TILE_BYTES);
      }
    }
  }
}

void tiles_pack(const tiles_source_t *source, size_t first, size_t depth, bool is_left,
                size_t line_step, char *out) {
  const size_t bytes = source->element_bytes, per_tile = TILE_ROW_BYTES / bytes;
  if (!source->is_line_contiguous) {
    if (is_left && bytes == 2) {
      pack_transposed(source, first, depth, 2, line_step, out);
    } else if (is_left) {
      pack_transposed(source, first, depth, 1, line_step, out);
    } else if (bytes == 2) {
      pack_interleaved(source, first, depth, 2, line_step, out);
    } else {
      pack_interleaved(source, first, depth, 1, line_step, out);
    }
    return;
  }
  for (size_t line = 0; line < source->lines; line += TILE_LINES) {
    const char *in = source->bytes + line * source->stride + first * bytes;
    char *to = out + line / TILE_LINES * line_step;
    for (size_t p = 0; p < depth; p += per_tile, to += TILE_BYTES) {
      pack_lines(in + p * bytes, source->stride, source->lines - line,
                 (depth - p) * bytes, !is_left, to);
    }
  }
}

// ----- multiplying -----

void tiles_configure(size_t rows) {
  struct {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
  } __attribute__((aligned(64))) config = {.palette = 1};
  for (int tile = 0; tile < 8; tile++) {
    config.row_bytes[tile] = TILE_ROW_BYTES;
    config.rows[tile] = (uint8_t)(tile < 6 ? rows : TILE_LINES);
  }
  __asm__ volatile("ldtilecfg %0" : : "m"(config));
}

void tiles_release(void) {
  __asm__ volatile("tilerelease");
}

// Sums are in registers 0 to 3, the left operand's tiles in 4 and 5, the right one's in 6
// and 7.
#define LOAD_LEFT(tile, bytes)                        \
  __asm__ volatile("tileloadd (%0,%1,1), %%tmm" #tile \
                   :                                  \
                   : "r"(bytes), "r"(row_step)        \
                   : "memory")
#define LOAD(tile, bytes)                                    \
  __asm__ volatile("tileloadd (%0,%1,1), %%tmm" #tile        \
                   :                                         \
                   : "r"(bytes), "r"((size_t)TILE_ROW_BYTES) \
                   : "memory")
#define STORE(tile, bytes)                                   \
  __asm__ volatile("tilestored %%tmm" #tile ", (%0,%1,1)"    \
                   :                                         \
                   : "r"(bytes), "r"((size_t)TILE_ROW_BYTES) \
                   : "memory")
#define ZERO(tile) __asm__ volatile("tilezero %tmm" #tile)
#define MULTIPLY(name, sum, a, b) \
  __asm__ volatile(name " %tmm" #b ", %tmm" #a ", %tmm" #sum)

#define START(tile)                   \
  do {                                \
    if (step->adds) {                 \
      LOAD(tile, sums + 1024 * tile); \
    } else {                          \
      ZERO(tile);                     \
    }                                 \
  } while (0)

#define FOR_DEPTH \
  for (size_t p = 0; p < step->depth; p++, a += step->a_depth_step, b += TILE_BYTES)

#define LOOPS(suffix, name)                                                             \
  static void multiply_1x1_##suffix(const tiles_step_t *step, char *sums) {             \
    const char *a = step->a, *b = step->b;                                              \
    const size_t row_step = step->a_row_step;                                           \
    START(0);                                                                           \
    FOR_DEPTH {                                                                         \
      LOAD_LEFT(4, a);                                                                  \
      LOAD(6, b);                                                                       \
      MULTIPLY(name, 0, 4, 6);                                                          \
    }                                                                                   \
    STORE(0, sums);                                                                     \
  }                                                                                     \
  static void multiply_1x2_##suffix(const tiles_step_t *step, char *sums) {             \
    const char *a = step->a, *b = step->b;                                              \
    const size_t row_step = step->a_row_step, next = step->b_step;                      \
    START(0);                                                                           \
    START(1);                                                                           \
    FOR_DEPTH {                                                                         \
      LOAD_LEFT(4, a);                                                                  \
      LOAD(6, b);                                                                       \
      MULTIPLY(name, 0, 4, 6);                                                          \
      LOAD(7, b + next);                                                                \
      MULTIPLY(name, 1, 4, 7);                                                          \
    }                                                                                   \
    STORE(0, sums);                                                                     \
    STORE(1, sums + TILE_BYTES);                                                        \
  }                                                                                     \
  static void multiply_1x4_##suffix(const tiles_step_t *step, char *sums) {             \
    const char *a = step->a, *b = step->b;                                              \
    const size_t row_step = step->a_row_step, next = step->b_step;                      \
    START(0);                                                                           \
    START(1);                                                                           \
    START(2);                                                                           \
    START(3);                                                                           \
    FOR_DEPTH {                                                                         \
      LOAD_LEFT(4, a);                                                                  \
      LOAD(6, b);                                                                       \
      MULTIPLY(name, 0, 4, 6);                                                          \
      LOAD(7, b + next);                                                                \
      MULTIPLY(name, 1, 4, 7);                                                          \
      LOAD(6, b + 2 * next);                                                            \
      MULTIPLY(name, 2, 4, 6);                                                          \
      LOAD(7, b + 3 * next);                                                            \
      MULTIPLY(name, 3, 4, 7);                                                          \
    }                                                                                   \
    STORE(0, sums);                                                                     \
    STORE(1, sums + TILE_BYTES);                                                        \
    STORE(2, sums + 2 * TILE_BYTES);                                                    \
    STORE(3, sums + 3 * TILE_BYTES);                                                    \
  }                                                                                     \
  static void multiply_2x1_##suffix(const tiles_step_t *step, char *sums) {             \
    const char *a = step->a, *b = step->b;                                              \
    const size_t row_step = step->a_row_step;                                           \
    START(0);                                                                           \
    START(1);                                                                           \
    FOR_DEPTH {                                                                         \
      LOAD(6, b);                                                                       \
      LOAD_LEFT(4, a);                                                                  \
      MULTIPLY(name, 0, 4, 6);                                                          \
      LOAD_LEFT(5, a + step->a_step);                                                   \
      MULTIPLY(name, 1, 5, 6);                                                          \
    }                                                                                   \
    STORE(0, sums);                                                                     \
    STORE(1, sums + TILE_BYTES);                                                        \
  }                                                                                     \
  static void multiply_2x2_##suffix(const tiles_step_t *step, char *sums) {             \
    const char *a = step->a, *b = step->b;                                              \
    const size_t row_step = step->a_row_step, next = step->b_step;                      \
    START(0);                                                                           \
    START(1);                                                                           \
    START(2);                                                                           \
    START(3);                                                                           \
    FOR_DEPTH {                                                                         \
      LOAD_LEFT(4, a);                                                                  \
      LOAD(6, b);                                                                       \
      MULTIPLY(name, 0, 4, 6);                                                          \
      LOAD(7, b + next);                                                                \
      MULTIPLY(name, 1, 4, 7);                                                          \
      LOAD_LEFT(5, a + step->a_step);                                                   \
      MULTIPLY(name, 2, 5, 6);                                                          \
      MULTIPLY(name, 3, 5, 7);                                                          \
    }                                                                                   \
    STORE(0, sums);                                                                     \
    STORE(1, sums + TILE_BYTES);                                                        \
    STORE(2, sums + 2 * TILE_BYTES);                                                    \
    STORE(3, sums + 3 * TILE_BYTES);                                                    \
  }                                                                                     \
  static void multiply_##suffix(const tiles_step_t *step, char *sums) {                 \
    if (step->rows == 2) {                                                              \
      (step->columns == 2 ? multiply_2x2_##suffix : multiply_2x1_##suffix)(step, sums); \
    } else if (step->columns == 4) {                                                    \
      multiply_1x4_##suffix(step, sums);                                                \
    } else {                                                                            \
      (step->columns == 2 ? multiply_1x2_##suffix : multiply_1x1_##suffix)(step, sums); \
    }                                                                                   \
  }

LOOPS(bf16, "tdpbf16ps")
LOOPS(s8_s8, "tdpbssd")
LOOPS(s8_u8, "tdpbsud")
LOOPS(u8_s8, "tdpbusd")
LOOPS(u8_u8, "tdpbuud")

void tiles_multiply(const tiles_step_t *step, char *sums) {
  switch (step->kind) {
    case TILES_BF16:
      multiply_bf16(step, sums);
      break;
    case TILES_S8_S8:
      multiply_s8_s8(step, sums);
      break;
    case TILES_S8_U8:
      multiply_s8_u8(step, sums);
      break;
    case TILES_U8_S8:
      multiply_u8_s8(step, sums);
      break;
    case TILES_U8_U8:
      multiply_u8_u8(step, sums);
      break;
  }
}

// ----- writing -----

// Row `row` of tile column `column` of a step's sums.
static inline const char *sums_row(const char *sums, size_t tile_columns, size_t row,
                                   size_t column) {
  return sums + (row / TILE_LINES * tile_columns + column) * TILE_BYTES +
         row % TILE_LINES * TILE_ROW_BYTES;
}

void tiles_write_bf16(const char *sums, size_t tile_columns, size_t rows, size_t columns,
                      char *out, size_t stride) {
  for (size_t row = 0; row < rows; row++, out += stride) {
    for (size_t j = 0; j < columns; j += 2 * TILE_LINES) {
      const size_t tile = j / TILE_LINES;
      const char *in = sums_row(sums, tile_columns, row, tile);
      const __m512 low = _mm512_load_ps(in);
      const __m512 high =
          tile + 1 < tile_columns ? _mm512_load_ps(in + TILE_BYTES) : _mm512_setzero_ps();
      const __m512bh rounded = _mm512_cvtne2ps_pbh(high, low);
      _mm512_mask_storeu_epi8(out + 2 * j, first_bytes(2 * (columns - j)),
                              (__m512i)rounded);
    }
  }
}

void tiles_write_words(const char *sums, size_t tile_columns, size_t rows, size_t columns,
                       char *out, size_t stride) {
  for (size_t row = 0; row < rows; row++, out += stride) {
    for (size_t j = 0; j < columns; j += TILE_LINES) {
      const char *in = sums_row(sums, tile_columns, row, j / TILE_LINES);
      _mm512_mask_storeu_epi8(out + WORD_BYTES * j,
                              first_bytes(WORD_BYTES * (columns - j)),
                              _mm512_load_si512(in));
    }
  }
}
