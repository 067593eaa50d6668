// sort and top_k: a stable merge sort of the places along one dimension. A comparator
// that only compares one operand's elements becomes a comparison of keys; any other is
// called.

#include <stdlib.h>
#include <string.h>

#include "server/worker/kernels/kernels.h"
#include "server/worker/kernels/region.h"
#include "server/worker/kernels/storage.h"

enum { FEW = 16, RUN = 8 };

typedef struct sorter_t {
  const kernel_args_t *args;
  // What is compared: integers, doubles (NaN is above and below nothing), or elements by
  // the region.
  const uint64_t *keys;
  const double *reals;
  bool descends;
  int64_t stride, base;  // Of the row in elements, for the region.
  pod_status_t status;   // Of the first call that failed; then no more are made.
} sorter_t;

static bool call_comparator(sorter_t *sorter, int64_t a, int64_t b) {
  const kernel_args_t *args = sorter->args;
  const void *inputs[2 * FEW];
  uint8_t is_before = 0;
  for (int32_t i = 0; i < args->instruction->operand_count; i++) {
    const size_t bytes = tensor_dtype_bytes(kernel_operand_shape(args, i)->dtype);
    const char *data = args->operands[i];
    inputs[2 * i] = data + (size_t)(sorter->base + a * sorter->stride) * bytes;
    inputs[2 * i + 1] = data + (size_t)(sorter->base + b * sorter->stride) * bytes;
  }
  if (sorter->status == NULL) {
    sorter->status = args->call(args, args->instruction->calls[0], inputs,
                                (void *const[]){&is_before});
  }
  return is_before != 0;
}

// Whether the element at `a` has to come before the one at `b`.
static bool comes_before(sorter_t *sorter, int64_t a, int64_t b) {
  if (sorter->keys != NULL) {
    return sorter->descends ? sorter->keys[a] > sorter->keys[b]
                            : sorter->keys[a] < sorter->keys[b];
  }
  if (sorter->reals != NULL) {
    return sorter->descends ? sorter->reals[a] > sorter->reals[b]
                            : sorter->reals[a] < sorter->reals[b];
  }
  return call_comparator(sorter, a, b);
}

static void sort_run(sorter_t *sorter, int64_t *order, int64_t count) {
  for (int64_t i = 1; i < count; i++) {
    const int64_t moved = order[i];
    int64_t at = i;
    for (; at > 0 && comes_before(sorter, moved, order[at - 1]); at--) {
      order[at] = order[at - 1];
    }
    order[at] = moved;
  }
}

static void merge(sorter_t *sorter, const int64_t *from, int64_t left, int64_t count,
                  int64_t *to) {
  int64_t a = 0, b = left;
  for (int64_t i = 0; i < count; i++) {
    const bool takes_right =
        b < count && (a >= left || comes_before(sorter, from[b], from[a]));
    to[i] = takes_right ? from[b++] : from[a++];
  }
}

// Leaves the order in `order`; `room` holds as many.
static void sort_order(sorter_t *sorter, int64_t count, int64_t *order, int64_t *room) {
  for (int64_t i = 0; i < count; i++) {
    order[i] = i;
  }
  for (int64_t i = 0; i < count; i += RUN) {
    sort_run(sorter, order + i, count - i < RUN ? count - i : RUN);
  }
  int64_t *from = order, *to = room;
  for (int64_t width = RUN; width < count; width *= 2) {
    for (int64_t i = 0; i < count; i += 2 * width) {
      const int64_t left = count - i < width ? count - i : width;
      const int64_t both = count - i < 2 * width ? count - i : 2 * width;
      merge(sorter, from + i, left, both, to + i);
    }
    int64_t *const swapped = from;
    from = to;
    to = swapped;
  }
  if (from != order) {
    memcpy(order, from, (size_t)count * sizeof(*order));
  }
}

// ----- keys -----

// An unsigned integer that is ordered as the element; floats in total order.
static uint64_t key_of(tensor_dtype_t dtype, const char *element) {
  if (!tensor_dtype_is_float(dtype)) {
    const uint64_t bits = (uint64_t)tensor_element_as_int64(dtype, element);
    return tensor_dtype_is_signed(dtype) ? bits ^ (UINT64_C(1) << 63) : bits;
  }
  const unsigned width = tensor_dtype_device_bits(dtype);
  uint64_t bits = 0;
  memcpy(&bits, element, tensor_dtype_bytes(dtype));
  const uint64_t sign = UINT64_C(1) << (width - 1);
  return (bits & sign) != 0 ? (sign - 1) & ~bits : bits | sign;
}

// What a row is compared by; `keys` has room for the row.
static void fill_keys(tensor_dtype_t dtype, bool is_real, const char *row, int64_t stride,
                      int64_t count, uint64_t *keys) {
  const size_t step = (size_t)stride * tensor_dtype_bytes(dtype);
  double *reals = (double *)(void *)keys;
  for (int64_t i = 0; i < count; i++, row += step) {
    if (is_real) {
      reals[i] = tensor_element_as_double(dtype, row);
    } else {
      keys[i] = key_of(dtype, row);
    }
  }
}

typedef struct known_t {
  bool is_known, is_real, descends;
  int32_t operand;
} known_t;

static known_t known_order(const kernel_args_t *args) {
  kernel_comparison_t comparison;
  if (!kernel_region_compares(args, 0, &comparison) ||
      comparison.left / 2 != comparison.right / 2 ||
      comparison.left == comparison.right) {
    return (known_t){0};
  }
  const int32_t operand = comparison.left / 2;
  const tensor_dtype_t dtype = kernel_operand_shape(args, operand)->dtype;
  const bool is_above = comparison.direction == CHIP_COMPARISON_GT;
  if ((comparison.direction != CHIP_COMPARISON_LT && !is_above) ||
      tensor_dtype_is_complex(dtype)) {
    return (known_t){0};
  }
  return (known_t){.is_known = true,
                   .is_real = tensor_dtype_is_float(dtype) && !comparison.is_total_order,
                   .descends = is_above == (comparison.left < comparison.right),
                   .operand = operand};
}

// ----- sort -----

typedef struct row_t {
  int64_t count, stride, base;
} row_t;

static void write_row(const kernel_args_t *args, const row_t *row, const int64_t *order) {
  for (int32_t i = 0; i < args->instruction->result_count; i++) {
    const size_t bytes = tensor_dtype_bytes(kernel_result_shape(args, i)->dtype);
    const char *from = (const char *)args->operands[i] + (size_t)row->base * bytes;
    char *to = (char *)args->results[i] + (size_t)row->base * bytes;
    const size_t step = (size_t)row->stride * bytes;
    for (int64_t k = 0; k < row->count; k++, to += step) {
      memcpy(to, from + (size_t)order[k] * step, bytes);
    }
  }
}

static pod_status_t sort_row(const kernel_args_t *args, const known_t *known,
                             const row_t *row, int64_t *order) {
  uint64_t *keys = (uint64_t *)(void *)(order + 2 * row->count);
  sorter_t sorter = {.args = args,
                     .stride = row->stride,
                     .base = row->base,
                     .descends = known->descends};
  if (known->is_known) {
    const tensor_dtype_t dtype = kernel_operand_shape(args, known->operand)->dtype;
    fill_keys(dtype, known->is_real,
              (const char *)args->operands[known->operand] +
                  (size_t)row->base * tensor_dtype_bytes(dtype),
              row->stride, row->count, keys);
    sorter.keys = known->is_real ? NULL : keys;
    sorter.reals = known->is_real ? (const double *)(const void *)keys : NULL;
  }
  sort_order(&sorter, row->count, order, order + row->count);
  POD_TRY(sorter.status);
  write_row(args, row, order);
  return NULL;
}

static int64_t *make_order(int64_t count) {
  return malloc((size_t)(count > 0 ? count : 1) * 3 * sizeof(int64_t));
}

pod_status_t kernel_sort(const kernel_args_t *args) {
  const tensor_shape_t *shape = kernel_operand_shape(args, 0);
  const int64_t dimension =
      chip_instruction_attr_one(args->instruction, CHIP_ATTR_DIMENSION, 0);
  if (args->instruction->operand_count > FEW || args->call == NULL) {
    return pod_error(POD_UNIMPLEMENTED, "%s: more than %d inputs",
                     args->instruction->name, FEW);
  }
  const int64_t elements = tensor_shape_elements(shape);
  if (elements == 0) {
    return NULL;
  }
  int64_t strides[TENSOR_RANK_MAX];
  tensor_shape_strides(shape, strides);
  row_t row = {.count = shape->rank == 0 ? 1 : shape->dims[dimension],
               .stride = shape->rank == 0 ? 1 : strides[dimension]};
  const known_t known = known_order(args);
  int64_t *order = make_order(row.count);
  if (order == NULL) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "no host memory to sort %lld elements",
                     (long long)row.count);
  }
  pod_status_t status = NULL;
  const int64_t block = row.count * row.stride;
  for (int64_t outer = 0; outer < elements && status == NULL; outer += block) {
    for (int64_t inner = 0; inner < row.stride && status == NULL; inner++) {
      row.base = outer + inner;
      status = sort_row(args, &known, &row, order);
    }
  }
  free(order);
  return status;
}

// ----- top_k: the largest first, of equal ones the first; floats in total order -----

pod_status_t kernel_top_k(const kernel_args_t *args) {
  const tensor_shape_t *shape = kernel_operand_shape(args, 0);
  const int64_t count = shape->dims[shape->rank - 1];
  const int64_t kept = kernel_result_shape(args, 0)->dims[shape->rank - 1];
  const size_t bytes = tensor_dtype_bytes(shape->dtype);
  if (tensor_dtype_is_complex(shape->dtype)) {
    return kernel_unsupported(args, shape->dtype);
  }
  int64_t *order = make_order(count);
  if (order == NULL) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "no host memory to sort %lld elements",
                     (long long)count);
  }
  uint64_t *keys = (uint64_t *)(void *)(order + 2 * count);
  const int64_t rows = count == 0 ? 0 : tensor_shape_elements(shape) / count;
  char *values = args->results[0];
  int32_t *indices = args->results[1];
  for (int64_t r = 0; r < rows; r++) {
    const char *row = (const char *)args->operands[0] + (size_t)(r * count) * bytes;
    fill_keys(shape->dtype, false, row, 1, count, keys);
    sorter_t sorter = {.keys = keys, .descends = true};
    sort_order(&sorter, count, order, order + count);
    for (int64_t k = 0; k < kept; k++) {
      memcpy(values, row + (size_t)order[k] * bytes, bytes);
      values += bytes;
      *indices++ = (int32_t)order[k];
    }
  }
  free(order);
  return NULL;
}
