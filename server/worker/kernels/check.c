// Checks of a module upon its own values, with the meaning that StableHLO's reference
// interpreter gives them (stablehlo/reference/CheckOps.cpp of openxla/stablehlo):
//
//   expect_eq         every element equal, so that -0 equals 0
//   expect_close      at most 3 ULP apart unless it says otherwise; NaN matches NaN
//   expect_almost_eq  at most 0.001 apart, likewise
//
// An infinity matches only itself: it is 2^64 - 1 ULP from all others; of complex numbers
// both parts must match.

#include <math.h>
#include <string.h>

#include "common/base/text.h"
#include "server/worker/kernels/kernels.h"

typedef struct limits_t {
  chip_op_t op;
  int64_t ulp_min, ulp_max;
  double tolerance;
} limits_t;

static limits_t limits_of(const chip_instruction_t *instruction) {
  limits_t limits = {
      .op = instruction->op,
      .ulp_min = chip_instruction_attr_one(instruction, CHIP_ATTR_ULP_MIN, 0),
      .ulp_max = chip_instruction_attr_one(instruction, CHIP_ATTR_ULP_MAX, 3),
      .tolerance = 0.001};
  int32_t count;
  const int64_t *bits = chip_instruction_attr(instruction, CHIP_ATTR_TOLERANCE, &count);
  if (count == 1) {
    memcpy(&limits.tolerance, bits, sizeof(limits.tolerance));
  }
  return limits;
}

// The element's bits in the low end of a word.
static uint64_t bits_of(tensor_dtype_t dtype, const void *element) {
  uint64_t bits = 0;
  memcpy(&bits, element, tensor_dtype_bytes(dtype));
  return bits;
}

// An integer that grows with the float, by one from one float to the next; both zeros
// are 0.
static int64_t place_of(tensor_dtype_t dtype, const void *element) {
  const unsigned width = tensor_dtype_device_bits(dtype);
  const uint64_t bits = bits_of(dtype, element);
  const uint64_t magnitude = bits & ((UINT64_C(1) << (width - 1)) - 1);
  return (bits >> (width - 1) & 1) != 0 ? -(int64_t)magnitude : (int64_t)magnitude;
}

static bool is_close(const limits_t *limits, tensor_dtype_t dtype, const void *a,
                     const void *b) {
  const double u = tensor_element_as_double(dtype, a);
  const double v = tensor_element_as_double(dtype, b);
  uint64_t apart;
  if (isfinite(u) && isfinite(v)) {
    const int64_t x = place_of(dtype, a), y = place_of(dtype, b);
    apart = x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x;
  } else {
    apart = u == v || (isnan(u) && isnan(v)) ? 0 : UINT64_MAX;
  }
  return apart >= (uint64_t)limits->ulp_min && apart <= (uint64_t)limits->ulp_max;
}

static bool matches_float(const limits_t *limits, tensor_dtype_t dtype, const void *a,
                          const void *b) {
  const double x = tensor_element_as_double(dtype, a);
  const double y = tensor_element_as_double(dtype, b);
  if (limits->op == CHIP_OP_EXPECT_CLOSE) {
    return is_close(limits, dtype, a, b);
  }
  if (limits->op == CHIP_OP_EXPECT_EQ || isinf(x) || isinf(y)) {
    return x == y;
  }
  if (isnan(x) || isnan(y)) {
    return isnan(x) && isnan(y);
  }
  return fabs(x - y) <= limits->tolerance;
}

static bool matches(const limits_t *limits, tensor_dtype_t dtype, const char *a,
                    const char *b) {
  if (tensor_dtype_is_complex(dtype)) {
    const tensor_dtype_t part = dtype == TENSOR_C64 ? TENSOR_F32 : TENSOR_F64;
    const size_t bytes = tensor_dtype_bytes(part);
    return matches_float(limits, part, a, b) &&
           matches_float(limits, part, a + bytes, b + bytes);
  }
  return tensor_dtype_is_float(dtype) ? matches_float(limits, dtype, a, b)
                                      : bits_of(dtype, a) == bits_of(dtype, b);
}

static void print_element(pod_text_t *text, tensor_dtype_t dtype, const char *element) {
  if (tensor_dtype_is_complex(dtype)) {
    const tensor_dtype_t part = dtype == TENSOR_C64 ? TENSOR_F32 : TENSOR_F64;
    pod_text_printf(text, "(%.17g, %.17g)", tensor_element_as_double(part, element),
                    tensor_element_as_double(part, element + tensor_dtype_bytes(part)));
  } else if (tensor_dtype_is_float(dtype)) {
    pod_text_printf(text, "%.17g", tensor_element_as_double(dtype, element));
  } else if (dtype == TENSOR_U64) {
    pod_text_printf(text, "%llu", (unsigned long long)bits_of(dtype, element));
  } else {
    pod_text_printf(text, "%lld", (long long)tensor_element_as_int64(dtype, element));
  }
}

// "[1, 2]" of an index into the dense elements.
static void print_index(pod_text_t *text, const tensor_shape_t *shape, int64_t index) {
  int64_t strides[TENSOR_RANK_MAX];
  tensor_shape_strides(shape, strides);
  pod_text_add(text, "[");
  for (int i = 0; i < shape->rank; i++) {
    pod_text_printf(text, i > 0 ? ", %lld" : "%lld", (long long)(index / strides[i]));
    index %= strides[i];
  }
  pod_text_add(text, "]");
}

static pod_status_t report(const kernel_args_t *args, int64_t first, int64_t wrong) {
  const tensor_shape_t *shape = kernel_operand_shape(args, 0);
  const size_t offset = (size_t)first * tensor_dtype_bytes(shape->dtype);
  pod_text_t text = {0};
  pod_text_printf(&text, "%s does not hold: element ",
                  chip_op_short_name(args->instruction->op));
  print_index(&text, shape, first);
  pod_text_add(&text, " is ");
  print_element(&text, shape->dtype, (const char *)args->operands[0] + offset);
  pod_text_add(&text, " instead of ");
  print_element(&text, shape->dtype, (const char *)args->operands[1] + offset);
  pod_text_printf(&text, "; %lld of %lld elements differ", (long long)wrong,
                  (long long)tensor_shape_elements(shape));
  const pod_status_t status = pod_error(POD_DATA_LOSS, "%s", text.bytes);
  pod_text_deinit(&text);
  return status;
}

pod_status_t kernel_check(const kernel_args_t *args) {
  const tensor_shape_t *shape = kernel_operand_shape(args, 0);
  const size_t bytes = tensor_dtype_bytes(shape->dtype);
  const int64_t count = tensor_shape_elements(shape);
  const char *a = args->operands[0], *b = args->operands[1];
  const limits_t limits = limits_of(args->instruction);
  int64_t first = 0, wrong = 0;
  for (int64_t i = 0; i < count; i++) {
    const size_t offset = (size_t)i * bytes;
    if (!matches(&limits, shape->dtype, a + offset, b + offset)) {
      first = wrong++ == 0 ? i : first;
    }
  }
  return wrong == 0 ? NULL : report(args, first, wrong);
}
