// The inner loops of the kernels: dense arrays of one compute type. They are compiled
// once per instruction set (x86-64 baseline, AVX2, AVX-512), and the best that the CPU
// has is taken; the loops of one set give the same bits wherever in an array an element
// stands.
//
// Compute types: s8 … s64, u8 … u64, f32, f64, c64, c128. The other types are stored and
// brought to one of these block by block (storage.h).
//
// Contract: an output may be the same pointer as an input of elements of the same size;
// otherwise they do not overlap. Counts may be 0. A table entry is NULL where the
// operation does not exist for the type.
// Threading: pure; any thread.

#ifndef SERVER_WORKER_KERNELS_LOOPS_LOOPS_H_
#define SERVER_WORKER_KERNELS_LOOPS_LOOPS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/tensor/dtype.h"
#include "server/program/operations.h"

typedef void (*kernel_unary_fn_t)(const void *in, void *out, size_t count);

typedef void (*kernel_binary_fn_t)(const void *a, const void *b, void *out, size_t count);

// out[i] = pred[i] ? a[i] : b[i]; pred in bytes.
typedef void (*kernel_select_fn_t)(const uint8_t *pred, const void *a, const void *b,
                                   void *out, size_t count);

// `rows` rows of `row_count` >= 1 elements that follow one another; out[r] is row r
// combined. Long rows are combined in blocks whose results are combined in pairs, so that
// rounding errors grow with the logarithm of the length.
typedef void (*kernel_reduce_fn_t)(const void *in, size_t rows, size_t row_count,
                                   void *out);

// out[j * out_stride + i] = in[i * in_stride + j] for i < rows, j < columns; strides in
// elements. Streamed: past the caches, where the alignment allows it; for results too
// large for them, of which this may be a part.
typedef void (*kernel_transpose_fn_t)(const void *in, int64_t in_stride, void *out,
                                      int64_t out_stride, int64_t rows, int64_t columns,
                                      bool is_streamed);

// out[i] = in[i * stride]; the stride may be negative or 0.
typedef void (*kernel_gather_fn_t)(const void *in, int64_t stride, void *out,
                                   size_t count);

// out[i * stride] = in[i].
typedef void (*kernel_scatter_fn_t)(const void *in, void *out, int64_t stride,
                                    size_t count);

// out[i * repeats + j] = in[i * stride] for j < repeats.
typedef void (*kernel_repeat_fn_t)(const void *in, int64_t stride, void *out,
                                   size_t count, size_t repeats);

// c[i, j] += sum over k of a[i, k] * b[k, j]: c is m x n, a m x k, b k x n, all dense and
// row-major.
typedef void (*kernel_matmul_fn_t)(const void *a, const void *b, void *c, size_t m,
                                   size_t k, size_t n);

// c += a b for a few rows (m at most KERNEL_SKINNY_ROWS); c and a in f32 and dense, b in
// f32, bf16 or f16 with rows b_stride elements apart.
typedef void (*kernel_skinny_rows_fn_t)(const float *a, const void *b,
                                        tensor_dtype_t dtype, size_t b_stride, float *c,
                                        size_t m, size_t k, size_t n);

// c = a b, b in f32 or bf16, with columns of b contiguous and b_stride apart; rows of a
// are a_stride apart and have zeros behind k up to a multiple of 16.
typedef void (*kernel_skinny_columns_fn_t)(const float *a, size_t a_stride, const void *b,
                                           bool is_bf16, size_t b_stride, float *c,
                                           size_t m, size_t k, size_t n);

// Floats with `exponent` >= 1 and `mantissa` >= 0 bits left, as reduce_precision has
// them.
typedef void (*kernel_precision_fn_t)(const void *in, void *out, size_t count,
                                      int64_t exponent, int64_t mantissa);

enum { KERNEL_SKINNY_ROWS = 16 };

// c = a b, for some rows by a large matrix: strides of rows and columns of a; b has rows
// b_stride apart, c is dense. The workspace is aligned to 64 bytes and has as many
// elements as kernel_panel_workspace_fn_t says.
typedef void (*kernel_panel_rows_fn_t)(const float *a, const size_t a_strides[2],
                                       const float *b, size_t b_stride, float *c,
                                       size_t m, size_t k, size_t n, float *workspace);
typedef size_t (*kernel_panel_workspace_fn_t)(size_t m, size_t k);

// c = a b for 8 or 16 columns of b, which are contiguous and b_stride apart; k is a
// multiple of 8 up to KERNEL_TINY_DEPTH; rows of a are a_stride apart, c is dense. The
// next product's operands, which are only fetched, are any pointers.
typedef void (*kernel_tiny_fn_t)(const float *a, size_t a_stride, const float *b,
                                 size_t b_stride, float *c, size_t m, size_t k, size_t n,
                                 const float *next_a, const float *next_b);

enum { KERNEL_TINY_DEPTH = 64, KERNEL_TINY_COLUMNS = 16 };

enum { KERNEL_DIRECTIONS = 6, KERNEL_REDUCERS = 8, KERNEL_SIZES = 5 };

typedef kernel_unary_fn_t kernel_unary_table_t[CHIP_OP_COUNT][TENSOR_DTYPE_COUNT];
typedef kernel_binary_fn_t kernel_binary_table_t[CHIP_OP_COUNT][TENSOR_DTYPE_COUNT];

// One instruction set's loops. The tables hold the rows of integers, floats and
// transcendental functions in separate arrays, as they are compiled.
typedef struct kernel_loops_t {
  const char *name;
  const kernel_unary_table_t *integer_unary, *float_unary, *math_unary;
  const kernel_binary_table_t *integer_binary, *float_binary, *math_binary;
  // Functions of f32 good enough (4 ULP) where the result is rounded to 16 bits or fewer.
  const kernel_unary_table_t *narrow_unary;
  const kernel_binary_table_t *narrow_binary;
  // By chip_comparison_t; out is pred.
  const kernel_binary_fn_t (*compare)[TENSOR_DTYPE_COUNT];
  // Signed integers of the same size that are ordered as the floats are in total order.
  const kernel_unary_fn_t *total_order_key;
  // By source and target; values are truncated, wrapped, rounded or saturated as
  // kernel_convert says.
  const kernel_unary_fn_t (*convert)[TENSOR_DTYPE_COUNT];
  // To f32 with what does not fit rounded to odd, so that rounding once more to 16 bits
  // or fewer is rounding once. Source f64, s32, u32, s64, u64.
  const kernel_unary_fn_t *to_odd_f32;
  kernel_unary_fn_t bf16_to_f32, f32_to_bf16, f16_to_f32, f32_to_f16;
  // By chip_reducer_t, and by compute type; of bf16 too, to f32.
  const kernel_reduce_fn_t (*reduce)[TENSOR_DTYPE_COUNT];
  // The same on bf16 and f16 as they are stored, element by element; NULL where there is
  // none.
  const kernel_binary_fn_t *bf16_reducers, *f16_reducers;
  const kernel_precision_fn_t *reduce_precision;  // f16, bf16, f32, f64.
  // By the binary logarithm of the element's bytes (1, 2, 4, 8, 16).
  const kernel_select_fn_t *select;
  const kernel_transpose_fn_t *transpose;
  const kernel_gather_fn_t *gather;
  const kernel_scatter_fn_t *scatter;
  const kernel_repeat_fn_t *repeat;
  const kernel_matmul_fn_t *matmul;  // By compute type.
  kernel_skinny_rows_fn_t skinny_rows;
  kernel_skinny_columns_fn_t skinny_columns;
  kernel_panel_rows_fn_t panel_rows;
  kernel_panel_workspace_fn_t panel_workspace;
  kernel_tiny_fn_t tiny;
} kernel_loops_t;

// The best set for this CPU.
const kernel_loops_t *kernel_loops(void);

// "baseline", "avx2" or "avx512"; NULL when this CPU has no such set. For tests.
const kernel_loops_t *kernel_loops_by_name(const char *name);

// The loop of an operation in the compute type of `dtype`, whose elements are stored in
// `dtype` afterwards; NULL when there is none. Looks in the sets above and, for f64 and
// complex types, in the scalar ones.
kernel_unary_fn_t kernel_unary_loop(chip_op_t op, tensor_dtype_t dtype);
kernel_binary_fn_t kernel_binary_loop(chip_op_t op, tensor_dtype_t dtype);

// Scalar loops, compiled once: transcendental functions of f64, everything complex, and
// CHLO's functions.
extern const kernel_unary_table_t kernel_f64_unary, kernel_complex_unary,
    kernel_special_unary;
extern const kernel_binary_table_t kernel_f64_binary, kernel_complex_binary,
    kernel_special_binary;

#endif  // SERVER_WORKER_KERNELS_LOOPS_LOOPS_H_
