// Rows combined to one element each.

#include <complex.h>
#include <string.h>

#include "server/chip/program.h"
#include "server/worker/kernels/floats.h"
#include "server/worker/kernels/isa.h"

// A chunk is combined in lanes that the compiler keeps in vector registers.
enum { LANES = 64, CHUNK = 4096, LEVELS_MAX = 56 };

// Chunk results are combined in pairs, the pairs in pairs, and so on: the bits of the
// number of chunks done say which levels hold a result that waits for its partner.
#define REDUCE_LOOP(name, type, expression)                                             \
  static inline type name##_combine(type x, type y) {                                   \
    return (type)(expression);                                                          \
  }                                                                                     \
  static type name##_chunk(const type *in, size_t count) {                              \
    if (count < LANES) {                                                                \
      type result = in[0];                                                              \
      for (size_t i = 1; i < count; i++) {                                              \
        result = name##_combine(result, in[i]);                                         \
      }                                                                                 \
      return result;                                                                    \
    }                                                                                   \
    type lanes[LANES];                                                                  \
    memcpy(lanes, in, sizeof(lanes));                                                   \
    size_t i = LANES;                                                                   \
    for (; i + LANES <= count; i += LANES) {                                            \
      for (size_t lane = 0; lane < LANES; lane++) {                                     \
        lanes[lane] = name##_combine(lanes[lane], in[i + lane]);                        \
      }                                                                                 \
    }                                                                                   \
    for (size_t lane = 0; i + lane < count; lane++) {                                   \
      lanes[lane] = name##_combine(lanes[lane], in[i + lane]);                          \
    }                                                                                   \
    for (size_t half = LANES / 2; half > 0; half /= 2) {                                \
      for (size_t lane = 0; lane < half; lane++) {                                      \
        lanes[lane] = name##_combine(lanes[lane], lanes[lane + half]);                  \
      }                                                                                 \
    }                                                                                   \
    return lanes[0];                                                                    \
  }                                                                                     \
  static type name##_row(const type *in, size_t count) {                                \
    type waiting[LEVELS_MAX];                                                           \
    size_t waiting_count = 0;                                                           \
    for (size_t chunk = 0; chunk * CHUNK < count; chunk++) {                            \
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
    const type *in = in_bytes;                                                          \
    type *out = out_bytes;                                                              \
    for (size_t row = 0; row < rows; row++, in += row_count) {                          \
      out[row] =                                                                        \
          row_count <= CHUNK ? name##_chunk(in, row_count) : name##_row(in, row_count); \
    }                                                                                   \
  }

// Rows of a length that the compiler knows are vectorised across rows; in the same order,
// so that the bits are the same.
#define SHORT_ROWS_LOOP(name, type)                                                   \
  static inline void name##_short(const type *in, size_t rows, size_t row_count,      \
                                  type *out) {                                        \
    KERNEL_INDEPENDENT                                                                \
    for (size_t row = 0; row < rows; row++) {                                         \
      type result = in[row * row_count];                                              \
      for (size_t i = 1; i < row_count; i++) {                                        \
        result = name##_combine(result, in[row * row_count + i]);                     \
      }                                                                               \
      out[row] = result;                                                              \
    }                                                                                 \
  }                                                                                   \
  static void name##_rows(const void *in, size_t rows, size_t row_count, void *out) { \
    switch (row_count) {                                                              \
      case 2:                                                                         \
        name##_short(in, rows, 2, out);                                               \
        return;                                                                       \
      case 3:                                                                         \
        name##_short(in, rows, 3, out);                                               \
        return;                                                                       \
      case 4:                                                                         \
        name##_short(in, rows, 4, out);                                               \
        return;                                                                       \
      case 8:                                                                         \
        name##_short(in, rows, 8, out);                                               \
        return;                                                                       \
      default:                                                                        \
        name(in, rows, row_count, out);                                               \
        return;                                                                       \
    }                                                                                 \
  }

#define UNSIGNED_LOOPS(op, wide32, wide64) \
  REDUCE_LOOP(op##_U8, uint8_t, wide32)    \
  REDUCE_LOOP(op##_U16, uint16_t, wide32)  \
  REDUCE_LOOP(op##_U32, uint32_t, wide32)  \
  REDUCE_LOOP(op##_U64, uint64_t, wide64)

#define SIGNED_LOOPS(op, expression)         \
  REDUCE_LOOP(op##_S8, int8_t, expression)   \
  REDUCE_LOOP(op##_S16, int16_t, expression) \
  REDUCE_LOOP(op##_S32, int32_t, expression) \
  REDUCE_LOOP(op##_S64, int64_t, expression)

UNSIGNED_LOOPS(ADD, (uint32_t)x + (uint32_t)y, x + y)
UNSIGNED_LOOPS(MULTIPLY, (uint32_t)x *(uint32_t)y, x *y)
UNSIGNED_LOOPS(AND, x &y, x &y)
UNSIGNED_LOOPS(OR, x | y, x | y)
UNSIGNED_LOOPS(XOR, x ^ y, x ^ y)
UNSIGNED_LOOPS(MAXIMUM, x > y ? x : y, x > y ? x : y)
UNSIGNED_LOOPS(MINIMUM, x < y ? x : y, x < y ? x : y)
SIGNED_LOOPS(MAXIMUM, x > y ? x : y)
SIGNED_LOOPS(MINIMUM, x < y ? x : y)
REDUCE_LOOP(ADD_F32, float, x + y)
REDUCE_LOOP(ADD_F64, double, x + y)
REDUCE_LOOP(MULTIPLY_F32, float, x *y)
REDUCE_LOOP(MULTIPLY_F64, double, x *y)
REDUCE_LOOP(MAXIMUM_F32, float, maximum_f32(x, y))
REDUCE_LOOP(MAXIMUM_F64, double, maximum_f64(x, y))
REDUCE_LOOP(MINIMUM_F32, float, minimum_f32(x, y))
REDUCE_LOOP(MINIMUM_F64, double, minimum_f64(x, y))
REDUCE_LOOP(ADD_C64, float _Complex, x + y)
REDUCE_LOOP(ADD_C128, double _Complex, x + y)
REDUCE_LOOP(MULTIPLY_C64, float _Complex, x *y)
REDUCE_LOOP(MULTIPLY_C128, double _Complex, x *y)

SHORT_ROWS_LOOP(ADD_F32, float)
SHORT_ROWS_LOOP(MAXIMUM_F32, float)
SHORT_ROWS_LOOP(MINIMUM_F32, float)

#define SAME_BITS(op)                                                      \
  [TENSOR_U8] = op##_U8, [TENSOR_U16] = op##_U16, [TENSOR_U32] = op##_U32, \
  [TENSOR_U64] = op##_U64, [TENSOR_S8] = op##_U8, [TENSOR_S16] = op##_U16, \
  [TENSOR_S32] = op##_U32, [TENSOR_S64] = op##_U64
#define OWN_BITS(op)                                                       \
  [TENSOR_U8] = op##_U8, [TENSOR_U16] = op##_U16, [TENSOR_U32] = op##_U32, \
  [TENSOR_U64] = op##_U64, [TENSOR_S8] = op##_S8, [TENSOR_S16] = op##_S16, \
  [TENSOR_S32] = op##_S32, [TENSOR_S64] = op##_S64
#define FLOATS(op, f32) [TENSOR_F32] = f32, [TENSOR_F64] = op##_F64
#define COMPLEX(op) [TENSOR_C64] = op##_C64, [TENSOR_C128] = op##_C128

const kernel_reduce_fn_t KERNEL_ISA_NAME(
    kernel_reduce)[KERNEL_REDUCERS][TENSOR_DTYPE_COUNT] = {
    [CHIP_REDUCER_ADD] = {SAME_BITS(ADD), FLOATS(ADD, ADD_F32_rows), COMPLEX(ADD)},
    [CHIP_REDUCER_MULTIPLY] = {SAME_BITS(MULTIPLY), FLOATS(MULTIPLY, MULTIPLY_F32),
                               COMPLEX(MULTIPLY)},
    [CHIP_REDUCER_MAXIMUM] = {OWN_BITS(MAXIMUM), FLOATS(MAXIMUM, MAXIMUM_F32_rows)},
    [CHIP_REDUCER_MINIMUM] = {OWN_BITS(MINIMUM), FLOATS(MINIMUM, MINIMUM_F32_rows)},
    [CHIP_REDUCER_AND] = {SAME_BITS(AND)},
    [CHIP_REDUCER_OR] = {SAME_BITS(OR)},
    [CHIP_REDUCER_XOR] = {SAME_BITS(XOR)},
};
