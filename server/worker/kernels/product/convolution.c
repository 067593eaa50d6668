// convolution: by oneDNN where it has them (convolution_fast). All others, and those so
// small that it costs little, in the general way: the contents of the windows become the
// rows of a matrix, a block of rows at a time, and the kernel the other one; their
// product is scattered to the result. Products go to oneDNN in f32, to our own loops in
// other types; bf16, f16 and smaller floats are summed in f32 and rounded once. Small
// ones of f32 are summed in order and without fused steps, so that results come out as by
// the reference interpreter.

#include <stdlib.h>
#include <string.h>

#include "server/program/window.h"
#include "server/worker/kernels/kernels.h"
#include "server/worker/kernels/move.h"
#include "server/worker/kernels/product/convolution_fast.h"
#include "server/worker/kernels/product/dot_onednn.h"
#include "server/worker/kernels/scratch.h"
#include "server/worker/kernels/stop.h"
#include "server/worker/kernels/storage.h"

// Bytes of the block of rows: it should stay in the second-level cache. And how many
// products are so few that oneDNN gains nothing that matters.
enum { BLOCK_BYTES = 1 << 19, FEW_PRODUCTS = 1 << 20 };

typedef struct plan_t {
  chip_convolution_t convolution;
  const tensor_shape_t *lhs, *rhs, *out;
  tensor_dtype_t dtype;  // That products are summed in.
  bool sums_in_order;
  size_t bytes;
  unsigned size_index;
  int64_t lhs_strides[TENSOR_RANK_MAX], out_strides[TENSOR_RANK_MAX];
  int64_t groups;
  int64_t batches;   // Of a group's input: the result's.
  int64_t places;    // Of the window, over all spatial dimensions.
  int64_t taps;      // Of the kernel, likewise.
  int64_t features;  // Of the input, in a group.
  int64_t k, n;      // taps · features, and output features of a group.
  int64_t block_rows;
  int64_t place_sizes[TENSOR_RANK_MAX];
} plan_t;

// Integers are summed in 32 or 64 bits; what is above the result's bits falls away.
static tensor_dtype_t sum_dtype(tensor_dtype_t result) {
  if (tensor_dtype_is_complex(result) || result == TENSOR_F64) {
    return result;
  }
  if (tensor_dtype_is_float(result)) {
    return TENSOR_F32;
  }
  const bool is_signed = tensor_dtype_is_signed(result);
  if (tensor_dtype_bytes(result) == 8) {
    return is_signed ? TENSOR_S64 : TENSOR_U64;
  }
  return is_signed ? TENSOR_S32 : TENSOR_U32;
}

static bool is_small(const plan_t *plan) {
  const double products = (double)tensor_shape_elements(plan->out) *
                          (double)tensor_shape_elements(plan->rhs) /
                          (double)plan->rhs->dims[plan->convolution.kernel[1]];
  return products <= FEW_PRODUCTS;
}

static pod_status_t make_plan(const kernel_args_t *args, plan_t *plan) {
  *plan = (plan_t){.lhs = kernel_operand_shape(args, 0),
                   .rhs = kernel_operand_shape(args, 1),
                   .out = kernel_result_shape(args, 0)};
  POD_TRY(chip_convolution_of(args->instruction, plan->rhs, &plan->convolution));
  const chip_convolution_t *c = &plan->convolution;
  plan->dtype = sum_dtype(plan->out->dtype);
  plan->sums_in_order = plan->dtype == TENSOR_F32 && is_small(plan);
  plan->bytes = tensor_dtype_bytes(plan->dtype);
  plan->size_index = kernel_size_index(plan->dtype);
  tensor_shape_strides(plan->lhs, plan->lhs_strides);
  tensor_shape_strides(plan->out, plan->out_strides);
  plan->groups = c->feature_group_count * c->batch_group_count;
  plan->batches = plan->out->dims[c->output[0]];
  plan->features = plan->rhs->dims[c->kernel[0]];
  plan->n = plan->rhs->dims[c->kernel[1]] / plan->groups;
  plan->places = plan->taps = 1;
  for (int d = 0; d < c->window.rank; d++) {
    plan->place_sizes[d] = plan->out->dims[c->output[2 + d]];
    plan->places *= plan->place_sizes[d];
    plan->taps *= c->window.sizes[d];
  }
  plan->k = plan->taps * plan->features;
  const int64_t row_bytes = (plan->k + plan->n) * (int64_t)plan->bytes;
  const int64_t rows = BLOCK_BYTES / row_bytes;
  const int64_t all = plan->batches * plan->places;
  plan->block_rows = rows < 16 ? 16 : rows;
  plan->block_rows = plan->block_rows > all ? all : plan->block_rows;
  return NULL;
}

// The kernel as [groups, taps, features, n] in the type of the sums; taps in the order of
// the window, reversed where the convolution says so.
static pod_status_t pack_kernel(const plan_t *plan, const void *rhs, void **out_packed) {
  const chip_convolution_t *c = &plan->convolution;
  const size_t count = (size_t)tensor_shape_elements(plan->rhs);
  void *converted;
  POD_TRY(kernel_scratch(KERNEL_SLOT_CONVERTED_RHS, count * plan->bytes, &converted));
  kernel_convert_elements(plan->rhs->dtype, rhs, plan->dtype, converted, count);
  POD_TRY(kernel_scratch(KERNEL_SLOT_PACKED, count * plan->bytes, out_packed));
  int64_t strides[TENSOR_RANK_MAX];
  tensor_shape_strides(plan->rhs, strides);
  kernel_move_t move = {.element_bytes = plan->bytes};
  int64_t first = 0;
  const int rank = c->window.rank;
  move.rank = rank + 3;
  if (move.rank > TENSOR_RANK_MAX) {
    return pod_error(POD_UNIMPLEMENTED, "a convolution of %d spatial dimensions", rank);
  }
  move.sizes[0] = plan->groups;
  move.in_strides[0] = plan->n * strides[c->kernel[1]];
  for (int d = 0; d < rank; d++) {
    const int64_t stride = strides[c->kernel[2 + d]];
    move.sizes[1 + d] = c->window.sizes[d];
    move.in_strides[1 + d] = c->window.is_reversed[d] ? -stride : stride;
    first += c->window.is_reversed[d] ? (c->window.sizes[d] - 1) * stride : 0;
  }
  move.sizes[rank + 1] = plan->features;
  move.in_strides[rank + 1] = strides[c->kernel[0]];
  move.sizes[rank + 2] = plan->n;
  move.in_strides[rank + 2] = strides[c->kernel[1]];
  int64_t stride = 1;
  for (int d = move.rank - 1; d >= 0; d--) {
    move.out_strides[d] = stride;
    stride *= move.sizes[d];
  }
  kernel_move(&move, (const char *)converted + first * (int64_t)plan->bytes, *out_packed);
  return NULL;
}

// What the window sees at place `o` of the input that starts at `input`: [taps,
// features], zeros in the padding.
static void fill_row(const plan_t *plan, const char *input, const int64_t *o, char *row) {
  const chip_convolution_t *c = &plan->convolution;
  const int64_t feature_stride = plan->lhs_strides[c->input[1]];
  const size_t tap_bytes = (size_t)plan->features * plan->bytes;
  int64_t w[TENSOR_RANK_MAX] = {0};
  do {
    int64_t offset = 0;
    for (int d = 0; d < c->window.rank && offset >= 0; d++) {
      const int64_t at = chip_window_element(&c->window, d, o[d], w[d]);
      const int64_t dim = c->input[2 + d];
      offset = at < 0 || at >= plan->lhs->dims[dim]
                   ? -1
                   : offset + at * plan->lhs_strides[dim];
    }
    if (offset < 0) {
      memset(row, 0, tap_bytes);
    } else if (feature_stride == 1) {
      memcpy(row, input + (size_t)offset * plan->bytes, tap_bytes);
    } else {
      kernel_loops()->gather[plan->size_index](input + (size_t)offset * plan->bytes,
                                               feature_stride, row,
                                               (size_t)plan->features);
    }
    row += tap_bytes;
  } while (kernel_next_index(c->window.rank, c->window.sizes, w) && !kernel_is_stopped());
}

typedef struct product_t {
  const plan_t *plan;
  const char *lhs;  // In the type of the sums.
  char *rows, *sums;
  char *out;  // Likewise.
} product_t;

static void multiply_in_order(const product_t *product, int64_t rows,
                              const float *kernel) {
  const int64_t k = product->plan->k, n = product->plan->n;
  const float *row = (const float *)(const void *)product->rows;
  float *sums = (float *)(void *)product->sums;
  for (int64_t r = 0; r < rows; r++, row += k, sums += n) {
    for (int64_t j = 0; j < n; j++) {
      float sum = 0;
      for (int64_t i = 0; i < k; i++) {
        sum += row[i] * kernel[i * n + j];
      }
      sums[j] = sum;
    }
  }
}

static pod_status_t multiply(const product_t *product, int64_t rows, const void *kernel) {
  const plan_t *plan = product->plan;
  if (plan->sums_in_order) {
    multiply_in_order(product, rows, kernel);
    return NULL;
  }
  if (plan->dtype == TENSOR_F32) {
    const onednn_matmul_desc_t desc = {.a_dtype = TENSOR_F32,
                                       .b_dtype = TENSOR_F32,
                                       .c_dtype = TENSOR_F32,
                                       .batches = {1, 1},
                                       .m = rows,
                                       .k = plan->k,
                                       .n = plan->n,
                                       .a_strides = {0, 0, plan->k, 1},
                                       .b_strides = {0, 0, plan->n, 1},
                                       .c_strides = {0, 0, plan->n, 1},
                                       .packs_b = false};
    bool is_found = false;
    POD_TRY(
        onednn_matmul_run_pieces(&desc, product->rows, kernel, product->sums, &is_found));
    if (is_found) {
      return NULL;
    }
  }
  kernel_zero_bytes(product->sums, (size_t)(rows * plan->n) * plan->bytes);
  kernel_loops()->matmul[plan->dtype](product->rows, kernel, product->sums, (size_t)rows,
                                      (size_t)plan->k, (size_t)plan->n);
  return NULL;
}

// Where a group's input and output start.
static void group_offsets(const plan_t *plan, int64_t group, int64_t *out_lhs,
                          int64_t *out_result) {
  const chip_convolution_t *c = &plan->convolution;
  *out_lhs = c->batch_group_count > 1
                 ? group * plan->batches * plan->lhs_strides[c->input[0]]
                 : group * plan->features * plan->lhs_strides[c->input[1]];
  *out_result = group * plan->n * plan->out_strides[c->output[1]];
}

// Rows [first, first + count) of a group: batch by batch, place by place.
static pod_status_t run_block(const product_t *product, int64_t group, const void *kernel,
                              int64_t first, int64_t count) {
  const plan_t *plan = product->plan;
  const chip_convolution_t *c = &plan->convolution;
  int64_t lhs_start, out_start;
  group_offsets(plan, group, &lhs_start, &out_start);
  int64_t o[TENSOR_RANK_MAX] = {0};
  for (int pass = 0; pass < 2; pass++) {
    int64_t place = first % plan->places;
    for (int d = c->window.rank - 1; d >= 0; d--) {
      o[d] = place % plan->place_sizes[d];
      place /= plan->place_sizes[d];
    }
    for (int64_t r = 0; r < count && !kernel_is_stopped(); r++) {
      const int64_t batch = (first + r) / plan->places;
      if (pass == 0) {
        const int64_t at = lhs_start + batch * plan->lhs_strides[c->input[0]];
        fill_row(plan, product->lhs + (size_t)at * plan->bytes, o,
                 product->rows + (size_t)(r * plan->k) * plan->bytes);
      } else {
        int64_t at = out_start + batch * plan->out_strides[c->output[0]];
        for (int d = 0; d < c->window.rank; d++) {
          at += o[d] * plan->out_strides[c->output[2 + d]];
        }
        kernel_loops()->scatter[plan->size_index](
            product->sums + (size_t)(r * plan->n) * plan->bytes,
            product->out + (size_t)at * plan->bytes, plan->out_strides[c->output[1]],
            (size_t)plan->n);
      }
      kernel_next_index(c->window.rank, plan->place_sizes, o);
    }
    if (pass == 0) {
      POD_TRY(multiply(product, count, kernel));
    }
  }
  return NULL;
}

static pod_status_t run_groups(const product_t *product, const char *kernel) {
  const plan_t *plan = product->plan;
  const int64_t rows = plan->batches * plan->places;
  for (int64_t group = 0; group < plan->groups && !kernel_is_stopped(); group++) {
    for (int64_t first = 0; first < rows && !kernel_is_stopped();
         first += plan->block_rows) {
      const int64_t count =
          rows - first < plan->block_rows ? rows - first : plan->block_rows;
      POD_TRY(run_block(product, group, kernel, first, count));
    }
    kernel += (size_t)(plan->k * plan->n) * plan->bytes;
  }
  return NULL;
}

static pod_status_t run_plan(const kernel_args_t *args, const plan_t *plan) {
  const size_t lhs_count = (size_t)tensor_shape_elements(plan->lhs);
  const size_t out_count = (size_t)tensor_shape_elements(plan->out);
  void *kernel, *lhs, *out = args->results[0], *rows;
  POD_TRY(pack_kernel(plan, args->operands[1], &kernel));
  POD_TRY(kernel_scratch(KERNEL_SLOT_CONVERTED_LHS, lhs_count * plan->bytes, &lhs));
  kernel_convert_elements(plan->lhs->dtype, args->operands[0], plan->dtype, lhs,
                          lhs_count);
  if (plan->dtype != plan->out->dtype) {
    POD_TRY(kernel_scratch(KERNEL_SLOT_RESULT, out_count * plan->bytes, &out));
  }
  const size_t rows_bytes =
      ((size_t)(plan->block_rows * plan->k) * plan->bytes + 63) / 64 * 64;
  POD_TRY(kernel_scratch(KERNEL_SLOT_LHS,
                         rows_bytes + (size_t)(plan->block_rows * plan->n) * plan->bytes,
                         &rows));
  const product_t product = {.plan = plan,
                             .lhs = lhs,
                             .rows = rows,
                             .sums = (char *)rows + rows_bytes,
                             .out = out};
  POD_TRY(run_groups(&product, kernel));
  if (plan->dtype != plan->out->dtype) {
    kernel_convert_elements(plan->dtype, out, plan->out->dtype, args->results[0],
                            out_count);
  }
  return NULL;
}

// What is kept between runs: NULL inside says that oneDNN has nothing for it.
typedef struct kept_t {
  convolution_fast_t *fast;
} kept_t;

static void kept_free(void *cache) {
  kept_t *kept = cache;
  convolution_fast_destroy(kept->fast);
  free(kept);
}

static pod_status_t make_kept(const kernel_args_t *args, const plan_t *plan,
                              kept_t **out_kept) {
  kept_t *kept = calloc(1, sizeof(*kept));
  if (kept == NULL) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "no host memory for a convolution");
  }
  pod_status_t status = NULL;
  if (!plan->sums_in_order) {
    status = convolution_fast_create(args, &plan->convolution, &kept->fast);
  }
  if (status != NULL) {
    kept_free(kept);
    return status;
  }
  *out_kept = kept;
  return NULL;
}

static pod_status_t run(const kernel_args_t *args) {
  plan_t plan;
  POD_TRY(make_plan(args, &plan));
  kept_t *kept = args->cache == NULL ? NULL : *args->cache;
  if (kept == NULL) {
    POD_TRY(make_kept(args, &plan, &kept));
    if (args->cache != NULL) {
      *args->cache = kept;
      *args->cache_free = kept_free;
    }
  }
  const pod_status_t status =
      kept->fast != NULL ? convolution_fast_run(kept->fast, args->operands[0],
                                                args->operands[1], args->results[0])
                         : run_plan(args, &plan);
  if (args->cache == NULL) {
    kept_free(kept);
  }
  return status;
}

pod_status_t kernel_convolution(const kernel_args_t *args) {
  const tensor_shape_t *out = kernel_result_shape(args, 0);
  if (tensor_shape_elements(out) == 0) {
    return NULL;
  }
  if (tensor_shape_elements(kernel_operand_shape(args, 0)) == 0 ||
      tensor_shape_elements(kernel_operand_shape(args, 1)) == 0) {
    kernel_zero_bytes(args->results[0], (size_t)tensor_shape_bytes(out));  // Empty sums.
    return NULL;
  }
  const pod_status_t status = run(args);
  kernel_scratch_trim();
  return pod_status_context(status, "%s", args->instruction->name);
}
