// Rows combined to one element each.

#include <complex.h>
#include <string.h>

#include "server/program/program.h"
#include "server/worker/kernels/loops/blocks.h"
#include "server/worker/kernels/loops/floats.h"
#include "server/worker/kernels/loops/isa.h"
#include "server/worker/kernels/stop.h"

// A chunk is combined in lanes that the compiler keeps in vector registers, and these in
// halves. The last KEPT of a row would leave most of a vector idle: they are transposed,
// so that those of KEPT rows are combined side by side.
enum { LANES = 64, KEPT = 16, CHUNK = 4096, LEVELS_MAX = 56 };

// Loops of few turns are unrolled before they are vectorised, and then are not.
#if defined(__clang__)
#define LOOP_KEPT
#else
#define LOOP_KEPT _Pragma("GCC unroll 1")
#endif

// Rows shorter than LANES that are transposed and combined side by side.
enum { SIDE_BY_SIDE = 64 };

// The first elements of a window in here are 1, the others 0.
static const uint8_t ones_and_zeros[2 * LANES] = {
#define EIGHT 1, 1, 1, 1, 1, 1, 1, 1
    EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT,
#undef EIGHT
};

// Elements are `stored` and combined as `type`, which `load` makes of them.
// Chunk results are combined in pairs, the pairs in pairs, and so on: the bits of the
// number of chunks done say which levels hold a result that waits for its partner.
// In name##_lanes, LANES elements can be read from anywhere in the row if `is_followed`.
#define REDUCE_LOOP(name, stored, type, load, expression)                               \
  static inline type name##_combine(type x, type y) {                                   \
    return (type)(expression);                                                          \
  }                                                                                     \
  static inline void name##_lanes(const stored *in, size_t count, bool is_followed,     \
                                  type *out) {                                          \
    type lanes[LANES];                                                                  \
    for (size_t lane = 0; lane < LANES; lane++) {                                       \
      lanes[lane] = load(in[lane]);                                                     \
    }                                                                                   \
    size_t i = LANES;                                                                   \
    for (; i + LANES <= count; i += LANES) {                                            \
      for (size_t lane = 0; lane < LANES; lane++) {                                     \
        lanes[lane] = name##_combine(lanes[lane], load(in[i + lane]));                  \
      }                                                                                 \
    }                                                                                   \
    if (is_followed && i < count) {                                                     \
      const uint8_t *is_taken = ones_and_zeros + LANES - (count - i);                   \
      for (size_t lane = 0; lane < LANES; lane++) {                                     \
        const type combined = name##_combine(lanes[lane], load(in[i + lane]));          \
        lanes[lane] = is_taken[lane] != 0 ? combined : lanes[lane];                     \
      }                                                                                 \
    } else {                                                                            \
      for (size_t lane = 0; i + lane < count; lane++) {                                 \
        lanes[lane] = name##_combine(lanes[lane], load(in[i + lane]));                  \
      }                                                                                 \
    }                                                                                   \
    LOOP_KEPT                                                                           \
    for (size_t lane = 0; lane < LANES / 2; lane++) {                                   \
      lanes[lane] = name##_combine(lanes[lane], lanes[lane + LANES / 2]);               \
    }                                                                                   \
    LOOP_KEPT                                                                           \
    for (size_t lane = 0; lane < KEPT; lane++) {                                        \
      out[lane] = name##_combine(lanes[lane], lanes[lane + KEPT]);                      \
    }                                                                                   \
  }                                                                                     \
  static type name##_chunk(const stored *in, size_t count) {                            \
    if (count < LANES) {                                                                \
      type result = load(in[0]);                                                        \
      for (size_t i = 1; i < count; i++) {                                              \
        result = name##_combine(result, load(in[i]));                                   \
      }                                                                                 \
      return result;                                                                    \
    }                                                                                   \
    type kept[KEPT];                                                                    \
    name##_lanes(in, count, false, kept);                                               \
    for (size_t half = KEPT / 2; half > 0; half /= 2) {                                 \
      for (size_t lane = 0; lane < half; lane++) {                                      \
        kept[lane] = name##_combine(kept[lane], kept[lane + half]);                     \
      }                                                                                 \
    }                                                                                   \
    return kept[0];                                                                     \
  }                                                                                     \
  static type name##_row(const stored *in, size_t count) {                              \
    type waiting[LEVELS_MAX];                                                           \
    size_t waiting_count = 0;                                                           \
    for (size_t chunk = 0; chunk * CHUNK < count; chunk++) {                            \
      if (chunk > 0 && kernel_is_stopped()) {                                           \
        break;                                                                          \
      }                                                                                 \
      const size_t rest = count - chunk * CHUNK;                                        \
      type result = name##_chunk(in + chunk * CHUNK, rest < CHUNK ? rest : CHUNK);      \
      for (size_t done = chunk; (done & 1u) != 0; done >>= 1) {                         \
        result = name##_combine(waiting[--waiting_count], result);                      \
      }                                                                                 \
      waiting[waiting_count++] = result;                                                \
    }                                                                                   \
    type result = waiting[--waiting_count];                                             \
    while (waiting_count > 0) {                                                         \
      result = name##_combine(waiting[--waiting_count], result);                        \
    }                                                                                   \
    return result;                                                                      \
  }                                                                                     \
  static void name(const void *in_bytes, size_t rows, size_t row_count,                 \
                   void *out_bytes) {                                                   \
    const stored *in = in_bytes;                                                        \
    type *out = out_bytes;                                                              \
    for (size_t row = 0; row < rows; row++, in += row_count) {                          \
      out[row] =                                                                        \
          row_count <= CHUNK ? name##_chunk(in, row_count) : name##_row(in, row_count); \
    }                                                                                   \
  }

// Rows side by side, each in the order of REDUCE_LOOP, so that the bits are the same. The
// last group of rows overlaps the one before. `size` and `stored_size` are the bytes of
// an element. Blocks reach beyond short rows: in name##_short, `rest` elements can be
// read. The number of elements of the shortest rows is known to the compiler, which then
// shuffles vectors.
#define ROWS_LOOP(name, stored, stored_size, type, size, load)                           \
  static inline void name##_fold(type *kept, size_t half) {                              \
    for (size_t i = 0; i < half * KEPT; i++) {                                           \
      kept[i] = name##_combine(kept[i], kept[i + half * KEPT]);                          \
    }                                                                                    \
  }                                                                                      \
  static void name##_long(const stored *in, size_t row_count, bool is_followed,          \
                          type *out) {                                                   \
    _Alignas(64) type kept[KEPT * KEPT], turned[KEPT * KEPT];                            \
    for (size_t row = 0; row < KEPT; row++) {                                            \
      name##_lanes(in + row * row_count, row_count, is_followed, kept + row * KEPT);     \
    }                                                                                    \
    for (int i = 0; i < KEPT; i += BLOCK_##size) {                                       \
      for (int j = 0; j < KEPT; j += BLOCK_##size) {                                     \
        block_##size(kept + i * KEPT + j, KEPT, turned + j * KEPT + i, KEPT);            \
      }                                                                                  \
    }                                                                                    \
    name##_fold(turned, 8);                                                              \
    name##_fold(turned, 4);                                                              \
    name##_fold(turned, 2);                                                              \
    LOOP_KEPT                                                                            \
    for (size_t row = 0; row < KEPT; row++) {                                            \
      out[row] = name##_combine(turned[row], turned[row + KEPT]);                        \
    }                                                                                    \
  }                                                                                      \
  static void name##_short(const stored *in, size_t row_count, size_t rest, type *out) { \
    enum { BLOCK = BLOCK_##stored_size };                                                \
    _Alignas(64) stored turned[LANES * SIDE_BY_SIDE];                                    \
    _Alignas(64) type results[SIDE_BY_SIDE];                                             \
    stored padded[(SIDE_BY_SIDE + 1) * BLOCK];                                           \
    const size_t columns = row_count < BLOCK ? BLOCK : row_count;                        \
    if (rest < (SIDE_BY_SIDE - 1) * row_count + columns) {                               \
      memcpy(padded, in, SIDE_BY_SIDE *row_count * sizeof(stored));                      \
      memset(padded + SIDE_BY_SIDE * row_count, 0, BLOCK * sizeof(stored));              \
      in = padded;                                                                       \
    }                                                                                    \
    for (size_t column = 0; column < columns; column += BLOCK) {                         \
      const size_t last = columns - BLOCK, at = column < last ? column : last;           \
      for (size_t row = 0; row < SIDE_BY_SIDE; row += BLOCK) {                           \
        block_##stored_size(in + row * row_count + at, (int64_t)row_count,               \
                            turned + at * SIDE_BY_SIDE + row, SIDE_BY_SIDE);             \
      }                                                                                  \
    }                                                                                    \
    for (size_t row = 0; row < SIDE_BY_SIDE; row++) {                                    \
      results[row] = load(turned[row]);                                                  \
    }                                                                                    \
    for (size_t column = 1; column < row_count; column++) {                              \
      const stored *taken = turned + column * SIDE_BY_SIDE;                              \
      for (size_t row = 0; row < SIDE_BY_SIDE; row++) {                                  \
        results[row] = name##_combine(results[row], load(taken[row]));                   \
      }                                                                                  \
    }                                                                                    \
    memcpy(out, results, sizeof(results));                                               \
  }                                                                                      \
  static inline void name##_few(const stored *in, size_t rows, size_t row_count,         \
                                type *out) {                                             \
    KERNEL_INDEPENDENT                                                                   \
    for (size_t row = 0; row < rows; row++) {                                            \
      type result = load(in[row * row_count]);                                           \
      for (size_t i = 1; i < row_count; i++) {                                           \
        result = name##_combine(result, load(in[row * row_count + i]));                  \
      }                                                                                  \
      out[row] = result;                                                                 \
    }                                                                                    \
  }                                                                                      \
  static void name##_rows(const void *in_bytes, size_t rows, size_t row_count,           \
                          void *out_bytes) {                                             \
    const stored *in = in_bytes;                                                         \
    type *out = out_bytes;                                                               \
    if (row_count == 2) {                                                                \
      name##_few(in, rows, 2, out);                                                      \
    } else if (row_count == 3) {                                                         \
      name##_few(in, rows, 3, out);                                                      \
    } else if (row_count == 4) {                                                         \
      name##_few(in, rows, 4, out);                                                      \
    } else if (row_count >= LANES && row_count <= CHUNK && rows >= KEPT) {               \
      for (size_t row = 0; row < rows; row += KEPT) {                                    \
        const size_t at = row < rows - KEPT ? row : rows - KEPT;                         \
        name##_long(in + at * row_count, row_count,                                      \
                    (rows - at - KEPT) * row_count >= LANES, out + at);                  \
      }                                                                                  \
    } else if (row_count < LANES && rows >= SIDE_BY_SIDE) {                              \
      for (size_t row = 0; row < rows; row += SIDE_BY_SIDE) {                            \
        const size_t last = rows - SIDE_BY_SIDE, at = row < last ? row : last;           \
        name##_short(in + at * row_count, row_count, (rows - at) * row_count, out + at); \
      }                                                                                  \
    } else {                                                                             \
      name(in, rows, row_count, out);                                                    \
    }                                                                                    \
  }

#define AS_STORED(x) (x)
#define BF16_VALUE(x) from_bits_f32((uint32_t)(x) << 16)

#define REAL_LOOP(name, type, size, expression)        \
  REDUCE_LOOP(name, type, type, AS_STORED, expression) \
  ROWS_LOOP(name, type, size, type, size, AS_STORED)
#define F32_LOOPS(op, expression)                                 \
  REAL_LOOP(op##_F32, float, 4, expression)                       \
  REDUCE_LOOP(op##_BF16, uint16_t, float, BF16_VALUE, expression) \
  ROWS_LOOP(op##_BF16, uint16_t, 2, float, 4, BF16_VALUE)
#define COMPLEX_LOOP(name, type, expression) \
  REDUCE_LOOP(name, type, type, AS_STORED, expression)

#define UNSIGNED_LOOPS(op, wide32, wide64) \
  REAL_LOOP(op##_U8, uint8_t, 1, wide32)   \
  REAL_LOOP(op##_U16, uint16_t, 2, wide32) \
  REAL_LOOP(op##_U32, uint32_t, 4, wide32) \
  REAL_LOOP(op##_U64, uint64_t, 8, wide64)

#define SIGNED_LOOPS(op, expression)          \
  REAL_LOOP(op##_S8, int8_t, 1, expression)   \
  REAL_LOOP(op##_S16, int16_t, 2, expression) \
  REAL_LOOP(op##_S32, int32_t, 4, expression) \
  REAL_LOOP(op##_S64, int64_t, 8, expression)

UNSIGNED_LOOPS(ADD, (uint32_t)x + (uint32_t)y, x + y)
UNSIGNED_LOOPS(MULTIPLY, (uint32_t)x *(uint32_t)y, x *y)
UNSIGNED_LOOPS(AND, x &y, x &y)
UNSIGNED_LOOPS(OR, x | y, x | y)
UNSIGNED_LOOPS(XOR, x ^ y, x ^ y)
UNSIGNED_LOOPS(MAXIMUM, x > y ? x : y, x > y ? x : y)
UNSIGNED_LOOPS(MINIMUM, x < y ? x : y, x < y ? x : y)
SIGNED_LOOPS(MAXIMUM, x > y ? x : y)
SIGNED_LOOPS(MINIMUM, x < y ? x : y)
F32_LOOPS(ADD, x + y)
REAL_LOOP(ADD_F64, double, 8, x + y)
F32_LOOPS(MULTIPLY, x *y)
REAL_LOOP(MULTIPLY_F64, double, 8, x *y)
F32_LOOPS(MAXIMUM, maximum_f32(x, y))
REAL_LOOP(MAXIMUM_F64, double, 8, maximum_f64(x, y))
F32_LOOPS(MINIMUM, minimum_f32(x, y))
REAL_LOOP(MINIMUM_F64, double, 8, minimum_f64(x, y))
COMPLEX_LOOP(ADD_C64, float _Complex, x + y)
COMPLEX_LOOP(ADD_C128, double _Complex, x + y)
COMPLEX_LOOP(MULTIPLY_C64, float _Complex, x *y)
COMPLEX_LOOP(MULTIPLY_C128, double _Complex, x *y)

#define SAME_BITS(op)                                         \
  [TENSOR_U8] = op##_U8_rows, [TENSOR_U16] = op##_U16_rows,   \
  [TENSOR_U32] = op##_U32_rows, [TENSOR_U64] = op##_U64_rows, \
  [TENSOR_S8] = op##_U8_rows, [TENSOR_S16] = op##_U16_rows,   \
  [TENSOR_S32] = op##_U32_rows, [TENSOR_S64] = op##_U64_rows
#define OWN_BITS(op)                                          \
  [TENSOR_U8] = op##_U8_rows, [TENSOR_U16] = op##_U16_rows,   \
  [TENSOR_U32] = op##_U32_rows, [TENSOR_U64] = op##_U64_rows, \
  [TENSOR_S8] = op##_S8_rows, [TENSOR_S16] = op##_S16_rows,   \
  [TENSOR_S32] = op##_S32_rows, [TENSOR_S64] = op##_S64_rows
#define FLOATS(op)                                              \
  [TENSOR_BF16] = op##_BF16_rows, [TENSOR_F32] = op##_F32_rows, \
  [TENSOR_F64] = op##_F64_rows
#define COMPLEX(op) [TENSOR_C64] = op##_C64, [TENSOR_C128] = op##_C128

const kernel_reduce_fn_t KERNEL_ISA_NAME(
    kernel_reduce)[KERNEL_REDUCERS][TENSOR_DTYPE_COUNT] = {
    [CHIP_REDUCER_ADD] = {SAME_BITS(ADD), FLOATS(ADD), COMPLEX(ADD)},
    [CHIP_REDUCER_MULTIPLY] = {SAME_BITS(MULTIPLY), FLOATS(MULTIPLY), COMPLEX(MULTIPLY)},
    [CHIP_REDUCER_MAXIMUM] = {OWN_BITS(MAXIMUM), FLOATS(MAXIMUM)},
    [CHIP_REDUCER_MINIMUM] = {OWN_BITS(MINIMUM), FLOATS(MINIMUM)},
    [CHIP_REDUCER_AND] = {SAME_BITS(AND)},
    [CHIP_REDUCER_OR] = {SAME_BITS(OR)},
    [CHIP_REDUCER_XOR] = {SAME_BITS(XOR)},
};
