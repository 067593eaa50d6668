// For the files that are compiled once per instruction set: names, and what the loops
// have in common. KERNEL_ISA comes from CMakeLists.txt.

#ifndef SERVER_WORKER_KERNELS_LOOPS_ISA_H_
#define SERVER_WORKER_KERNELS_LOOPS_ISA_H_

#include "server/worker/kernels/loops/loops.h"

#define KERNEL_JOIN_(a, b) a##_##b
#define KERNEL_JOIN(a, b) KERNEL_JOIN_(a, b)
// kernel_f32_loops_avx512 and so on.
#define KERNEL_ISA_NAME(name) KERNEL_JOIN(name, KERNEL_ISA)

// No iteration depends on another: an output is an input itself or lies apart.
#if defined(__clang__)
#define KERNEL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define KERNEL_INDEPENDENT _Pragma("GCC ivdep")
#endif

// A loop over one or two inputs; the expression is in x and y of the input type, and
// `wide` is the type that it wraps around in.
#define KERNEL_UNARY_LOOP(name, in_type, out_type, wide_type, expression) \
  static void name(const void *in_bytes, void *out_bytes, size_t count) { \
    typedef wide_type wide __attribute__((unused));                       \
    const in_type *in = in_bytes;                                         \
    out_type *out = out_bytes;                                            \
    KERNEL_INDEPENDENT                                                    \
    for (size_t i = 0; i < count; i++) {                                  \
      const in_type x = in[i];                                            \
      out[i] = (out_type)(expression);                                    \
    }                                                                     \
  }

#define KERNEL_BINARY_LOOP(name, in_type, out_type, wide_type, expression)    \
  static void name(const void *a_bytes, const void *b_bytes, void *out_bytes, \
                   size_t count) {                                            \
    typedef wide_type wide __attribute__((unused));                           \
    const in_type *a = a_bytes, *b = b_bytes;                                 \
    out_type *out = out_bytes;                                                \
    KERNEL_INDEPENDENT                                                        \
    for (size_t i = 0; i < count; i++) {                                      \
      const in_type x = a[i], y = b[i];                                       \
      out[i] = (out_type)(expression);                                        \
    }                                                                         \
  }

// Sub-tables of an instruction set, made in one file each.
extern const kernel_unary_table_t KERNEL_ISA_NAME(kernel_integer_unary);
extern const kernel_binary_table_t KERNEL_ISA_NAME(kernel_integer_binary);
extern const kernel_unary_table_t KERNEL_ISA_NAME(kernel_float_unary);
extern const kernel_binary_table_t KERNEL_ISA_NAME(kernel_float_binary);
extern const kernel_unary_table_t KERNEL_ISA_NAME(kernel_math_unary);
extern const kernel_binary_table_t KERNEL_ISA_NAME(kernel_math_binary);
extern const kernel_unary_table_t KERNEL_ISA_NAME(kernel_narrow_unary);
extern const kernel_binary_table_t KERNEL_ISA_NAME(kernel_narrow_binary);
extern const kernel_binary_fn_t KERNEL_ISA_NAME(
    kernel_compare)[KERNEL_DIRECTIONS][TENSOR_DTYPE_COUNT];
extern const kernel_unary_fn_t KERNEL_ISA_NAME(kernel_total_order)[TENSOR_DTYPE_COUNT];
extern const kernel_unary_fn_t KERNEL_ISA_NAME(
    kernel_convert)[TENSOR_DTYPE_COUNT][TENSOR_DTYPE_COUNT];
extern const kernel_unary_fn_t KERNEL_ISA_NAME(kernel_to_odd)[TENSOR_DTYPE_COUNT];
extern const kernel_reduce_fn_t KERNEL_ISA_NAME(
    kernel_reduce)[KERNEL_REDUCERS][TENSOR_DTYPE_COUNT];
extern const kernel_select_fn_t KERNEL_ISA_NAME(kernel_select)[KERNEL_SIZES];
extern const kernel_transpose_fn_t KERNEL_ISA_NAME(kernel_transpose)[KERNEL_SIZES];
extern const kernel_gather_fn_t KERNEL_ISA_NAME(kernel_gather)[KERNEL_SIZES];
extern const kernel_scatter_fn_t KERNEL_ISA_NAME(kernel_scatter)[KERNEL_SIZES];
extern const kernel_repeat_fn_t KERNEL_ISA_NAME(kernel_repeat)[KERNEL_SIZES];
extern const kernel_matmul_fn_t KERNEL_ISA_NAME(kernel_matmul)[TENSOR_DTYPE_COUNT];
extern const kernel_binary_fn_t KERNEL_ISA_NAME(kernel_bf16_reducers)[KERNEL_REDUCERS];
extern const kernel_binary_fn_t KERNEL_ISA_NAME(kernel_f16_reducers)[KERNEL_REDUCERS];
extern const kernel_precision_fn_t KERNEL_ISA_NAME(kernel_precision)[TENSOR_DTYPE_COUNT];
void KERNEL_ISA_NAME(kernel_bf16_to_f32)(const void *in, void *out, size_t count);
void KERNEL_ISA_NAME(kernel_f32_to_bf16)(const void *in, void *out, size_t count);
void KERNEL_ISA_NAME(kernel_f16_to_f32)(const void *in, void *out, size_t count);
void KERNEL_ISA_NAME(kernel_f32_to_f16)(const void *in, void *out, size_t count);
void KERNEL_ISA_NAME(kernel_skinny_rows)(const float *a, const void *b,
                                         tensor_dtype_t dtype, size_t b_stride, float *c,
                                         size_t m, size_t k, size_t n);
void KERNEL_ISA_NAME(kernel_skinny_columns)(const float *a, size_t a_stride,
                                            const void *b, bool is_bf16, size_t b_stride,
                                            float *c, size_t m, size_t k, size_t n);
size_t KERNEL_ISA_NAME(kernel_panel_workspace)(size_t m, size_t k);
void KERNEL_ISA_NAME(kernel_panel_rows)(const float *a, const size_t a_strides[2],
                                        const float *b, size_t b_stride, float *c,
                                        size_t m, size_t k, size_t n, float *workspace);
void KERNEL_ISA_NAME(kernel_tiny)(const float *a, size_t a_stride, const float *b,
                                  size_t b_stride, float *c, size_t m, size_t k, size_t n,
                                  const float *next_a, const float *next_b);

#endif  // SERVER_WORKER_KERNELS_LOOPS_ISA_H_
