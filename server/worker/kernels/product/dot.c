// stablehlo.dot_general, in one of six ways:
//
//   few rows     f32 and bf16, a few rows by a large matrix: our own loops, which read it
//                once, as fast as the memory gives it
//   panels       f32, some more rows by a large matrix: our own, which read it once too
//   tiny         f32, batches of tiny matrices of which the right ones lie by column
//   tiles        bf16, s8 and u8 where the CPU has tile registers: our own, which pack
//                both operands on the way and take any layout and size
//   oneDNN       f32, bf16, s8 and u8; and whatever is computed in f32 or in s32 of bytes
//   own loops    the other integers, f64, complex
//
// Operands are copied to [batch, m, k] and [batch, k, n] only where their layout cannot
// be used as it is, and converted only where the types differ from those computed in.
// Sums of bf16 and smaller floats are kept in f32 and rounded once.

#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "server/worker/kernels/cpu.h"
#include "server/worker/kernels/kernels.h"
#include "server/worker/kernels/product/dot_layout.h"
#include "server/worker/kernels/product/dot_onednn.h"
#include "server/worker/kernels/product/dot_tiles.h"
#include "server/worker/kernels/scratch.h"
#include "server/worker/kernels/stop.h"
#include "server/worker/kernels/storage.h"

typedef enum way_t {
  WAY_FEW_ROWS,
  WAY_PANELS,
  WAY_TINY,
  WAY_TILES,
  WAY_ONEDNN,
  WAY_OWN_LOOPS
} way_t;

// What is found out once per instruction.
typedef struct dot_plan_t {
  dot_layout_t layout;
  way_t way;
  tensor_dtype_t lhs_dtype, rhs_dtype;  // Computed with; the operands' or others.
  tensor_dtype_t sum_dtype;             // Written by the product.
  tensor_dtype_t result_dtype;
  onednn_matmul_t *matmul;
} dot_plan_t;

// From this many rows on, packing the right operand in every run costs less than oneDNN
// gains from it. Measured with AMX, 2048 x 2048: 520 to 640 GFLOP/s; for f32 there is
// nothing to gain.
enum { PACKED_ROWS_MIN = 512 };

static void plan_free(void *cache) {
  dot_plan_t *plan = cache;
  if (plan != NULL) {
    onednn_matmul_destroy(plan->matmul);
    free(plan);
  }
}

// ----- choosing a way -----

static bool either_is(tensor_dtype_t a, tensor_dtype_t b, tensor_dtype_t c,
                      tensor_dtype_t dtype) {
  return a == dtype || b == dtype || c == dtype;
}

static bool is_wide_integer(tensor_dtype_t dtype) {
  return dtype == TENSOR_S64 || dtype == TENSOR_U64;
}

// The type that our own loops compute in.
static tensor_dtype_t own_dtype(tensor_dtype_t a, tensor_dtype_t b, tensor_dtype_t c) {
  if (tensor_dtype_is_complex(a) || tensor_dtype_is_complex(b)) {
    return either_is(a, b, c, TENSOR_C128) ? TENSOR_C128 : TENSOR_C64;
  }
  if (either_is(a, b, c, TENSOR_F64)) {
    return TENSOR_F64;
  }
  if (tensor_dtype_is_float(a) || tensor_dtype_is_float(b) || tensor_dtype_is_float(c)) {
    return TENSOR_F32;
  }
  // Low bits do not depend on the signedness; the width must be that of the result.
  const bool is_wide = is_wide_integer(a) || is_wide_integer(b) || is_wide_integer(c);
  return is_wide ? TENSOR_S64 : TENSOR_S32;
}

static bool is_f32_or_bf16(tensor_dtype_t dtype) {
  return dtype == TENSOR_F32 || dtype == TENSOR_BF16;
}

// Our loops win where the right operand comes from memory; within the caches matrix units
// win, unless they would be all but empty. Columns that are contiguous suit oneDNN better
// than us, and very small matrices cost it less than calls cost us. f16 it does not have:
// a large matrix would be converted before.
static bool has_few_rows(const dot_layout_t *layout, tensor_dtype_t rhs, bool has_tiles) {
  enum { ROWS_ALWAYS = 4, ROWS_BESIDE_TILES = 2, SMALL = 1024, LARGE_BYTES = 4 << 20 };
  const int64_t elements = layout->k * layout->n;
  if (layout->m <= (has_tiles ? ROWS_BESIDE_TILES : ROWS_ALWAYS)) {
    return elements > SMALL || layout->m == 1;
  }
  const int64_t rows_max =
      rhs == TENSOR_F16 ? KERNEL_SKINNY_ROWS : KERNEL_SKINNY_ROWS / 2;
  return !has_tiles && layout->m <= rows_max && layout->rhs.column_stride == 1 &&
         elements * (int64_t)tensor_dtype_bytes(rhs) >= LARGE_BYTES;
}

// Whether the matrix lies as no dense one does: its rows and columns have gaps, or its
// batches interleave.
static bool is_spread(const dot_matrix_t *matrix) {
  const dot_matrix_t used = dot_matrix_as_used(matrix);
  const int64_t larger =
      used.row_stride > used.column_stride ? used.row_stride : used.column_stride;
  return !dot_matrix_is_batch_outermost(&used) ||
         larger > (used.row_stride == 1 ? used.rows : used.columns);
}

// What oneDNN does better than tiles: small products, most of all in batches; products
// with hardly anything to sum, or with so few columns that rows are packed for little;
// and those of two matrices that lie as it likes them best, whole vectors along the sums.
static bool suits_tiles(const dot_layout_t *layout) {
  enum { SMALL = 1 << 15, SMALL_IN_BATCH = 1 << 19, DEPTH_MIN = 32 };
  enum { COLUMNS_MIN = 32, ROWS_FEW = 64, LARGE = 128, WHOLE = 64 };
  const int64_t m = layout->m, k = layout->k, n = layout->n;
  const bool is_batch = layout->batches[0] * layout->batches[1] > 1;
  const double products = (double)m * (double)k * (double)n;
  if (products < (is_batch ? SMALL_IN_BATCH : SMALL) || k < DEPTH_MIN ||
      (n <= COLUMNS_MIN && m > ROWS_FEW)) {
    return false;
  }
  const dot_matrix_t lhs = dot_matrix_as_used(&layout->lhs),
                     rhs = dot_matrix_as_used(&layout->rhs);
  const bool is_liked = lhs.column_stride == 1 && rhs.row_stride == 1 &&
                        !is_spread(&lhs) && !is_spread(&rhs);
  const bool is_whole = m % WHOLE == 0 && k % WHOLE == 0 && n % WHOLE == 0;
  return !(is_liked && is_whole && m >= LARGE && k >= LARGE);
}

// Some rows of f32 by a matrix from memory, which oneDNN packs as a whole where it lies
// by rows. With more of them the product takes longer than the memory does.
static bool suits_panels(const dot_layout_t *layout) {
  enum { ROWS_MAX = 48, COLUMNS_MIN = 256, DEPTH_MIN = 32, LARGE_BYTES = 4 << 20 };
  return layout->n >= COLUMNS_MIN && layout->k >= DEPTH_MIN &&
         layout->lhs.dtype == TENSOR_F32 && layout->rhs.dtype == TENSOR_F32 &&
         layout->m <= ROWS_MAX && dot_matrix_as_used(&layout->rhs).column_stride == 1 &&
         layout->k * layout->n * (int64_t)sizeof(float) >= LARGE_BYTES;
}

// Many products of f32 that are so small that calls cost more than they do; oneDNN is
// slow at right operands that lie by column.
static bool suits_tiny(const dot_layout_t *layout) {
  enum { BATCHES_MIN = 16, ROWS_MAX = 64 };
  const dot_matrix_t lhs = dot_matrix_as_used(&layout->lhs),
                     rhs = dot_matrix_as_used(&layout->rhs);
  return lhs.dtype == TENSOR_F32 && rhs.dtype == TENSOR_F32 && lhs.column_stride == 1 &&
         rhs.row_stride == 1 && layout->batches[0] * layout->batches[1] >= BATCHES_MIN &&
         layout->m <= ROWS_MAX && (layout->n == 8 || layout->n == 16) &&
         layout->k % 8 == 0 && layout->k <= KERNEL_TINY_DEPTH;
}

static void choose_way(dot_plan_t *plan, tensor_dtype_t lhs, tensor_dtype_t rhs,
                       tensor_dtype_t result) {
  const tensor_dtype_t own = own_dtype(lhs, rhs, result);
  const tensor_dtype_t sum = own == TENSOR_S32 ? own : result;
  const bool has_tiles = suits_tiles(&plan->layout) && tiles_have_types(lhs, rhs, sum);
  plan->result_dtype = result;
  plan->lhs_dtype = plan->rhs_dtype = plan->sum_dtype = own;
  plan->way = WAY_OWN_LOOPS;
  if (own == TENSOR_F32 && has_few_rows(&plan->layout, rhs, has_tiles)) {
    plan->way = WAY_FEW_ROWS;
    const bool is_row_major = dot_matrix_as_used(&plan->layout.rhs).column_stride == 1;
    const bool is_read = is_f32_or_bf16(rhs) || (rhs == TENSOR_F16 && is_row_major);
    plan->rhs_dtype = is_read ? rhs : TENSOR_F32;
  } else if (own == TENSOR_F32 && suits_panels(&plan->layout)) {
    plan->way = WAY_PANELS;
  } else if (own == TENSOR_F32 && suits_tiny(&plan->layout)) {
    plan->way = WAY_TINY;
  } else if (has_tiles) {
    plan->way = WAY_TILES;
    plan->lhs_dtype = lhs;
    plan->rhs_dtype = rhs;
    plan->sum_dtype = sum;
  } else if (onednn_has_types(lhs, rhs, result)) {
    plan->way = WAY_ONEDNN;
    plan->lhs_dtype = lhs;
    plan->rhs_dtype = rhs;
    plan->sum_dtype = result;
  } else if (own == TENSOR_F32) {
    plan->way = WAY_ONEDNN;
  } else if (own == TENSOR_S32 && onednn_has_types(lhs, rhs, TENSOR_S32)) {
    plan->way = WAY_ONEDNN;
    plan->lhs_dtype = lhs;
    plan->rhs_dtype = rhs;
  }
}

static onednn_matmul_desc_t describe(const dot_plan_t *plan) {
  const dot_layout_t *layout = &plan->layout;
  const dot_matrix_t lhs = dot_matrix_as_used(&layout->lhs),
                     rhs = dot_matrix_as_used(&layout->rhs);
  const bool is_narrow = plan->rhs_dtype != TENSOR_F32;
  return (onednn_matmul_desc_t){
      .a_dtype = plan->lhs_dtype,
      .b_dtype = plan->rhs_dtype,
      .c_dtype = plan->sum_dtype,
      .batches = {layout->batches[0], layout->batches[1]},
      .m = layout->m,
      .k = layout->k,
      .n = layout->n,
      .a_strides = {lhs.batch_strides[0], lhs.batch_strides[1], lhs.row_stride,
                    lhs.column_stride},
      .b_strides = {rhs.batch_strides[0], rhs.batch_strides[1], rhs.row_stride,
                    rhs.column_stride},
      .c_strides = {layout->batches[1] * layout->m * layout->n, layout->m * layout->n,
                    layout->n, 1},
      .packs_b = is_narrow && layout->m >= PACKED_ROWS_MIN &&
                 (plan->lhs_dtype != TENSOR_S8 || kernel_cpu() >= KERNEL_CPU_AMX),
  };
}

static pod_status_t try_onednn(dot_plan_t *plan) {
  const onednn_matmul_desc_t desc = describe(plan);
  onednn_matmul_destroy(plan->matmul);
  plan->matmul = NULL;
  return onednn_matmul_create(&desc, &plan->matmul);
}

// What oneDNN is slow at is copied: narrow left operands that are transposed, and those
// that are not dense where it has only its older code. What it has only its reference for
// is tried dense, and then left to our own loops.
static pod_status_t plan_onednn(dot_plan_t *plan) {
  dot_layout_t *layout = &plan->layout;
  const bool is_narrow = plan->lhs_dtype != TENSOR_F32;
  if (is_narrow) {
    dot_matrix_require_row_major(&layout->lhs);
  }
  POD_TRY(try_onednn(plan));
  if (plan->matmul != NULL && is_narrow && !onednn_matmul_is_newest(plan->matmul) &&
      (is_spread(&layout->lhs) || is_spread(&layout->rhs))) {
    layout->lhs.needs_copy |= is_spread(&layout->lhs);
    layout->rhs.needs_copy |= is_spread(&layout->rhs);
    POD_TRY(try_onednn(plan));
  }
  if (plan->matmul == NULL) {
    dot_matrix_require_row_major(&layout->lhs);
    dot_matrix_require_row_major(&layout->rhs);
    POD_TRY(try_onednn(plan));
  }
  if (plan->matmul == NULL) {
    plan->way = WAY_OWN_LOOPS;
    plan->lhs_dtype = plan->rhs_dtype = plan->sum_dtype =
        own_dtype(plan->lhs_dtype, plan->rhs_dtype, plan->sum_dtype);
  }
  return NULL;
}

static pod_status_t make_plan(const kernel_args_t *args, dot_plan_t **out_plan) {
  const tensor_shape_t *lhs = kernel_operand_shape(args, 0);
  const tensor_shape_t *rhs = kernel_operand_shape(args, 1);
  dot_plan_t *plan = calloc(1, sizeof(*plan));
  if (plan == NULL) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "no host memory for a plan of %zu bytes",
                     sizeof(*plan));
  }
  plan->layout = dot_layout_make(args->instruction, lhs, rhs);
  choose_way(plan, plan->layout.lhs.dtype, plan->layout.rhs.dtype,
             kernel_result_shape(args, 0)->dtype);
  pod_status_t status = NULL;
  if (plan->way == WAY_ONEDNN) {
    status = plan_onednn(plan);
  } else if (plan->way == WAY_FEW_ROWS || plan->way == WAY_OWN_LOOPS) {
    dot_matrix_require_row_major(&plan->layout.lhs);
  }
  if (status == NULL && plan->way == WAY_OWN_LOOPS) {
    dot_matrix_require_row_major(&plan->layout.lhs);
    dot_matrix_require_row_major(&plan->layout.rhs);
    if (kernel_loops()->matmul[plan->sum_dtype] == NULL) {
      status = kernel_unsupported(args, lhs->dtype);
    }
  }
  if (status != NULL) {
    plan_free(plan);
    return status;
  }
  *out_plan = plan;
  return NULL;
}

// ----- running it -----

// The operand as the product wants it: copied, then converted, where need be.
static pod_status_t prepare(const dot_matrix_t *matrix, const void *operand,
                            tensor_dtype_t dtype, kernel_slot_t copy_slot,
                            kernel_slot_t converted_slot, const void **out_data) {
  const size_t count =
      (size_t)(matrix->batches[0] * matrix->batches[1] * matrix->rows * matrix->columns);
  if (matrix->needs_copy) {
    void *copy = NULL;
    POD_TRY(kernel_scratch(copy_slot, count * tensor_dtype_bytes(matrix->dtype), &copy));
    kernel_move(matrix->copies_by_column ? &matrix->by_column : &matrix->by_row, operand,
                copy);
    operand = copy;
  }
  if (matrix->dtype != dtype) {
    void *converted = NULL;
    POD_TRY(
        kernel_scratch(converted_slot, count * tensor_dtype_bytes(dtype), &converted));
    kernel_convert_elements(matrix->dtype, operand, dtype, converted, count);
    operand = converted;
  }
  *out_data = operand;
  return NULL;
}

static const void *batch_of(const void *data, const dot_matrix_t *matrix,
                            tensor_dtype_t dtype, int64_t batch) {
  const int64_t inner = matrix->batches[1];
  const int64_t offset =
      batch / inner * matrix->batch_strides[0] + batch % inner * matrix->batch_strides[1];
  return (const char *)data + offset * (int64_t)tensor_dtype_bytes(dtype);
}

static int64_t batches_of(const dot_layout_t *layout) {
  return layout->batches[0] * layout->batches[1];
}

// Rows of a, each filled with zeros up to a multiple of 16 elements.
static pod_status_t pad_rows(const float *a, size_t m, size_t k, size_t stride,
                             const float **out_padded) {
  void *memory = NULL;
  POD_TRY(kernel_scratch(KERNEL_SLOT_PACKED, m * stride * sizeof(float), &memory));
  float *padded = memory;
  for (size_t i = 0; i < m; i++) {
    memcpy(padded + i * stride, a + i * k, k * sizeof(float));
    memset(padded + i * stride + k, 0, (stride - k) * sizeof(float));
  }
  *out_padded = padded;
  return NULL;
}

// One row by matrices of which several interleave, the heads of attention: a few rows or
// columns of every one in turn, so that memory is read in the order in which it lies.
static void run_interleaved(const dot_plan_t *plan, const float *lhs, const void *rhs,
                            float *sums) {
  enum { AT_ONCE = 16 };
  const kernel_loops_t *loops = kernel_loops();
  const dot_matrix_t a = dot_matrix_as_used(&plan->layout.lhs),
                     b = dot_matrix_as_used(&plan->layout.rhs);
  const bool is_by_row = b.column_stride == 1;
  const bool is_bf16 = plan->rhs_dtype == TENSOR_BF16;
  const int64_t stride = is_by_row ? b.row_stride : b.column_stride;
  const int64_t bytes = (int64_t)tensor_dtype_bytes(plan->rhs_dtype);
  const int64_t size = is_by_row ? b.rows : b.columns, inner = b.batches[1];
  memset(sums, 0, sizeof(float) * (size_t)(b.batches[0] * inner * b.columns));
  for (int64_t outer = 0; outer < b.batches[0]; outer++) {
    for (int64_t first = 0; first < size && !kernel_is_stopped(); first += AT_ONCE) {
      const size_t count = (size_t)(size - first < AT_ONCE ? size - first : AT_ONCE);
      for (int64_t i = 0; i < inner; i++) {
        const int64_t batch = outer * inner + i;
        const float *row = batch_of(lhs, &a, TENSOR_F32, batch);
        const char *part = batch_of(rhs, &b, plan->rhs_dtype, batch);
        float *out = sums + batch * b.columns;
        part += first * stride * bytes;
        if (is_by_row) {
          loops->skinny_rows(row + first, part, plan->rhs_dtype, (size_t)stride, out, 1,
                             count, (size_t)b.columns);
        } else {
          loops->skinny_columns(row, (size_t)b.rows, part, is_bf16, (size_t)stride,
                                out + first, 1, (size_t)b.rows, count);
        }
      }
    }
  }
}

// Rows of a for loops that read whole vectors need zeros behind them.
static bool is_interleaved_row(const dot_plan_t *plan) {
  const dot_matrix_t b = dot_matrix_as_used(&plan->layout.rhs);
  return plan->layout.m == 1 && !dot_matrix_is_batch_outermost(&b) &&
         (b.column_stride == 1 || b.rows % 16 == 0);
}

static pod_status_t run_few_rows(const dot_plan_t *plan, const void *lhs, const void *rhs,
                                 float *sums) {
  const kernel_loops_t *loops = kernel_loops();
  const size_t m = (size_t)plan->layout.m, k = (size_t)plan->layout.k;
  const size_t n = (size_t)plan->layout.n, stride = (k + 15) / 16 * 16;
  const dot_matrix_t a = dot_matrix_as_used(&plan->layout.lhs),
                     b = dot_matrix_as_used(&plan->layout.rhs);
  const bool is_bf16 = plan->rhs_dtype == TENSOR_BF16;
  const int64_t batches = batches_of(&plan->layout);
  if (is_interleaved_row(plan)) {
    run_interleaved(plan, lhs, rhs, sums);
    return NULL;
  }
  for (int64_t batch = 0; batch < batches && !kernel_is_stopped();
       batch++, sums += m * n) {
    const float *a_batch = batch_of(lhs, &a, TENSOR_F32, batch);
    const void *b_batch = batch_of(rhs, &b, plan->rhs_dtype, batch);
    if (b.column_stride == 1) {
      memset(sums, 0, m * n * sizeof(float));
      loops->skinny_rows(a_batch, b_batch, plan->rhs_dtype, (size_t)b.row_stride, sums, m,
                         k, n);
      continue;
    }
    const float *padded = a_batch;
    if (stride != k) {
      POD_TRY(pad_rows(a_batch, m, k, stride, &padded));
    }
    loops->skinny_columns(padded, stride, b_batch, is_bf16, (size_t)b.column_stride, sums,
                          m, k, n);
  }
  return NULL;
}

static pod_status_t run_panels(const dot_plan_t *plan, const float *lhs, const float *rhs,
                               float *sums) {
  const dot_layout_t *layout = &plan->layout;
  const dot_matrix_t a = dot_matrix_as_used(&layout->lhs),
                     b = dot_matrix_as_used(&layout->rhs);
  const size_t a_strides[] = {(size_t)a.row_stride, (size_t)a.column_stride};
  const int64_t batches = batches_of(layout);
  void *workspace = NULL;
  POD_TRY(kernel_scratch(KERNEL_SLOT_PACKED,
                         sizeof(float) * kernel_loops()->panel_workspace(
                                             (size_t)layout->m, (size_t)layout->k),
                         &workspace));
  for (int64_t batch = 0; batch < batches && !kernel_is_stopped();
       batch++, sums += layout->m * layout->n) {
    kernel_loops()->panel_rows(batch_of(lhs, &a, TENSOR_F32, batch), a_strides,
                               batch_of(rhs, &b, TENSOR_F32, batch), (size_t)b.row_stride,
                               sums, (size_t)layout->m, (size_t)layout->k,
                               (size_t)layout->n, workspace);
  }
  return NULL;
}

static void run_tiny(const dot_plan_t *plan, const float *lhs, const float *rhs,
                     float *sums) {
  const dot_layout_t *layout = &plan->layout;
  const dot_matrix_t a = dot_matrix_as_used(&layout->lhs),
                     b = dot_matrix_as_used(&layout->rhs);
  const kernel_tiny_fn_t multiply = kernel_loops()->tiny;
  const int64_t last = batches_of(layout) - 1;
  for (int64_t batch = 0; batch <= last; batch++, sums += layout->m * layout->n) {
    if (batch % 64 == 0 && kernel_is_stopped()) {
      return;
    }
    const int64_t next = batch < last ? batch + 1 : last;
    multiply(batch_of(lhs, &a, TENSOR_F32, batch), (size_t)a.row_stride,
             batch_of(rhs, &b, TENSOR_F32, batch), (size_t)b.column_stride, sums,
             (size_t)layout->m, (size_t)layout->k, (size_t)layout->n,
             batch_of(lhs, &a, TENSOR_F32, next), batch_of(rhs, &b, TENSOR_F32, next));
  }
}

// Complex products summed in order, every one rounded before, as the reference
// interpreter does: where the parts of a product cancel, other orders are many ULP away.
#define MULTIPLY_IN_ORDER(name, type)                                           \
  static void name(const type *a, const type *b, type *c, int64_t m, int64_t k, \
                   int64_t n) {                                                 \
    for (int64_t i = 0; i < m; i++) {                                           \
      for (int64_t j = 0; j < n; j++, c += 2) {                                 \
        c[0] = c[1] = 0;                                                        \
        for (int64_t p = 0; p < k; p++) {                                       \
          const type *x = a + 2 * (i * k + p), *y = b + 2 * (p * n + j);        \
          c[0] += x[0] * y[0] - x[1] * y[1];                                    \
          c[1] += x[0] * y[1] + x[1] * y[0];                                    \
        }                                                                       \
      }                                                                         \
    }                                                                           \
  }

MULTIPLY_IN_ORDER(multiply_c64_in_order, float)
MULTIPLY_IN_ORDER(multiply_c128_in_order, double)

// False for what is not complex, or so large that the order costs much.
static bool run_in_order(const dot_plan_t *plan, const void *a, const void *b, void *c) {
  enum { FEW_PRODUCTS = 1 << 15 };
  const dot_layout_t *layout = &plan->layout;
  const bool is_single = plan->sum_dtype == TENSOR_C64;
  const double products = (double)layout->m * (double)layout->k * (double)layout->n;
  if ((!is_single && plan->sum_dtype != TENSOR_C128) || products > FEW_PRODUCTS) {
    return false;
  }
  if (is_single) {
    multiply_c64_in_order(a, b, c, layout->m, layout->k, layout->n);
  } else {
    multiply_c128_in_order(a, b, c, layout->m, layout->k, layout->n);
  }
  return true;
}

static void run_own_loops(const dot_plan_t *plan, const void *lhs, const void *rhs,
                          char *sums) {
  const dot_layout_t *layout = &plan->layout;
  const dot_matrix_t a = dot_matrix_as_used(&layout->lhs),
                     b = dot_matrix_as_used(&layout->rhs);
  const size_t bytes =
      (size_t)(layout->m * layout->n) * tensor_dtype_bytes(plan->sum_dtype);
  const int64_t batches = batches_of(layout);
  kernel_zero_bytes(sums, bytes * (size_t)batches);
  for (int64_t batch = 0; batch < batches && !kernel_is_stopped();
       batch++, sums += bytes) {
    const void *a_batch = batch_of(lhs, &a, plan->lhs_dtype, batch);
    const void *b_batch = batch_of(rhs, &b, plan->rhs_dtype, batch);
    if (!run_in_order(plan, a_batch, b_batch, sums)) {
      kernel_loops()->matmul[plan->sum_dtype](a_batch, b_batch, sums, (size_t)layout->m,
                                              (size_t)layout->k, (size_t)layout->n);
    }
  }
}

static pod_status_t run_tiles(const dot_plan_t *plan, const void *lhs, const void *rhs,
                              char *sums) {
  const dot_layout_t *layout = &plan->layout;
  const dot_matrix_t a = dot_matrix_as_used(&layout->lhs),
                     b = dot_matrix_as_used(&layout->rhs);
  const tiles_matmul_t matmul = {
      .a_dtype = plan->lhs_dtype,
      .b_dtype = plan->rhs_dtype,
      .c_dtype = plan->sum_dtype,
      .m = layout->m,
      .k = layout->k,
      .n = layout->n,
      .a_strides = {a.row_stride, a.column_stride},
      .b_strides = {b.row_stride, b.column_stride},
  };
  const size_t bytes =
      (size_t)(layout->m * layout->n) * tensor_dtype_bytes(plan->sum_dtype);
  const int64_t batches = batches_of(layout);
  for (int64_t batch = 0; batch < batches && !kernel_is_stopped();
       batch++, sums += bytes) {
    POD_TRY(tiles_matmul_run(&matmul, batch_of(lhs, &a, plan->lhs_dtype, batch),
                             batch_of(rhs, &b, plan->rhs_dtype, batch), sums));
  }
  return NULL;
}

static pod_status_t run_onednn(const dot_plan_t *plan, const void *lhs, const void *rhs,
                               void *sums) {
  const onednn_matmul_desc_t desc = describe(plan);
  bool is_found = false;
  if (onednn_matmul_is_long(&desc)) {
    POD_TRY(onednn_matmul_run_pieces(&desc, lhs, rhs, sums, &is_found));
  }
  return is_found ? NULL : onednn_matmul_run(plan->matmul, lhs, rhs, sums);
}

// Signed and unsigned integers of a size have the same sums.
static bool is_written_as_summed(tensor_dtype_t sum, tensor_dtype_t result) {
  return sum == result ||
         (tensor_dtype_is_integer(sum) && tensor_dtype_is_integer(result) &&
          tensor_dtype_bytes(sum) == tensor_dtype_bytes(result));
}

static pod_status_t run_plan(const kernel_args_t *args, const dot_plan_t *plan) {
  const size_t count = (size_t)tensor_shape_elements(kernel_result_shape(args, 0));
  const void *lhs = NULL, *rhs = NULL;
  const int first = plan->layout.is_swapped ? 1 : 0;
  POD_TRY(prepare(&plan->layout.lhs, args->operands[first], plan->lhs_dtype,
                  KERNEL_SLOT_LHS, KERNEL_SLOT_CONVERTED_LHS, &lhs));
  POD_TRY(prepare(&plan->layout.rhs, args->operands[1 - first], plan->rhs_dtype,
                  KERNEL_SLOT_RHS, KERNEL_SLOT_CONVERTED_RHS, &rhs));
  void *sums = args->results[0];
  const bool is_direct = is_written_as_summed(plan->sum_dtype, plan->result_dtype);
  if (!is_direct) {
    POD_TRY(kernel_scratch(KERNEL_SLOT_RESULT,
                           count * tensor_dtype_bytes(plan->sum_dtype), &sums));
  }
  switch (plan->way) {
    case WAY_FEW_ROWS:
      POD_TRY(run_few_rows(plan, lhs, rhs, sums));
      break;
    case WAY_PANELS:
      POD_TRY(run_panels(plan, lhs, rhs, sums));
      break;
    case WAY_TINY:
      run_tiny(plan, lhs, rhs, sums);
      break;
    case WAY_TILES:
      POD_TRY(run_tiles(plan, lhs, rhs, sums));
      break;
    case WAY_ONEDNN:
      POD_TRY(run_onednn(plan, lhs, rhs, sums));
      break;
    case WAY_OWN_LOOPS:
      run_own_loops(plan, lhs, rhs, sums);
      break;
  }
  if (!is_direct) {
    kernel_convert_elements(plan->sum_dtype, sums, plan->result_dtype, args->results[0],
                            count);
  }
  return NULL;
}

pod_status_t kernel_dot_general(const kernel_args_t *args) {
  const tensor_shape_t *result = kernel_result_shape(args, 0);
  if (tensor_shape_elements(result) == 0) {
    return NULL;
  }
  if (tensor_shape_elements(kernel_operand_shape(args, 0)) == 0) {
    kernel_zero_bytes(args->results[0],
                      (size_t)tensor_shape_bytes(result));  // Empty sums.
    return NULL;
  }
  dot_plan_t *plan = args->cache == NULL ? NULL : *args->cache;
  if (plan == NULL) {
    POD_TRY(pod_status_context(make_plan(args, &plan), "%s", args->instruction->name));
    if (args->cache != NULL) {
      *args->cache = plan;
      *args->cache_free = plan_free;
    }
  }
  const pod_status_t status = run_plan(args, plan);
  kernel_scratch_trim();
  if (args->cache == NULL) {
    plan_free(plan);
  }
  return pod_status_context(status, "%s", args->instruction->name);
}
