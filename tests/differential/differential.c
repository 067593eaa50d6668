#include "tests/differential/differential.h"

#include <math.h>
#include <string.h>

#include "common/mlir/printer.h"
#include "server/compiler/dialect/syntax.h"
#include "tests/differential/reference_scalar.h"

// --- Comparison ---

static bool is_real_close(tensor_dtype_t dtype, double a, double b, const void *a_bytes,
                          const void *b_bytes, double ulps) {
  if (isnan(a) || isnan(b)) {
    return isnan(a) && isnan(b);
  }
  const int64_t x = reference_ordinal(dtype, a_bytes),
                y = reference_ordinal(dtype, b_bytes);
  return fabsl((long double)x - (long double)y) <= (long double)ulps;
}

// Complex numbers are as close as their distance is small beside them.
static bool is_complex_close(tensor_dtype_t dtype, reference_scalar_t a,
                             reference_scalar_t b, double ulps) {
  if (isnan(a.real) || isnan(a.imaginary)) {
    return isnan(b.real) || isnan(b.imaginary);
  }
  const double unit = dtype == TENSOR_C64 ? 0x1p-23 : 0x1p-52;
  const double smallest = dtype == TENSOR_C64 ? 0x1p-149 : 0x1p-1074;
  const double distance = hypot(a.real - b.real, a.imaginary - b.imaginary);
  return distance <= ulps * (hypot(a.real, a.imaginary) * unit + smallest);
}

static bool is_same_part(double a, double b) {
  return isnan(a) || isnan(b) ? isnan(a) && isnan(b)
                              : a == b && (signbit(a) != 0) == (signbit(b) != 0);
}

// The distance from 1 to the next number.
static double unit_of(tensor_dtype_t dtype) {
  static const double units[TENSOR_DTYPE_COUNT] = {
      [TENSOR_F4E2M1FN] = 0x1p-1,   [TENSOR_F6E2M3FN] = 0x1p-3,
      [TENSOR_F6E3M2FN] = 0x1p-2,   [TENSOR_F8E3M4] = 0x1p-4,
      [TENSOR_F8E4M3] = 0x1p-3,     [TENSOR_F8E4M3FN] = 0x1p-3,
      [TENSOR_F8E4M3FNUZ] = 0x1p-3, [TENSOR_F8E4M3B11FNUZ] = 0x1p-3,
      [TENSOR_F8E5M2] = 0x1p-2,     [TENSOR_F8E5M2FNUZ] = 0x1p-2,
      [TENSOR_F8E8M0FNU] = 1,       [TENSOR_BF16] = 0x1p-7,
      [TENSOR_F16] = 0x1p-10,       [TENSOR_F32] = 0x1p-23,
      [TENSOR_F64] = 0x1p-52,       [TENSOR_C64] = 0x1p-23,
      [TENSOR_C128] = 0x1p-52};
  return units[dtype];
}

static bool is_element_good(const reference_value_t *expected,
                            const reference_value_t *found, generate_value_t known,
                            int64_t i) {
  const tensor_dtype_t dtype = expected->shape.dtype;
  const size_t bytes = tensor_dtype_bytes(dtype);
  const char *a = expected->data + (size_t)i * bytes;
  const char *b = found->data + (size_t)i * bytes;
  if (memcmp(a, b, bytes) == 0) {
    return true;
  }
  if (known.exactness == GENERATE_BITS || dtype == TENSOR_PRED ||
      tensor_dtype_is_integer(dtype)) {
    return false;
  }
  const reference_scalar_t x = reference_load(expected, i), y = reference_load(found, i);
  if (known.exactness == GENERATE_BESIDE_ONE &&
      fabs(x.real - y.real) <= known.ulps * unit_of(dtype)) {
    return true;
  }
  if (known.exactness == GENERATE_EXACT) {
    return is_same_part(x.real, y.real) && is_same_part(x.imaginary, y.imaginary);
  }
  return tensor_dtype_is_complex(dtype)
             ? is_complex_close(dtype, x, y, known.ulps)
             : is_real_close(dtype, x.real, y.real, a, b, known.ulps);
}

static double magnitude(const reference_value_t *value, int64_t i) {
  const reference_scalar_t x = reference_load(value, i);
  return hypot(x.real, x.imaginary);
}

// The largest error that a value known by its norm may have.
static double norm_tolerance(const reference_value_t *expected, double ulps) {
  double largest = 0;
  for (int64_t i = 0; i < expected->count; i++) {
    largest = fmax(largest, magnitude(expected, i));
  }
  return ulps * unit_of(expected->shape.dtype) * largest;
}

static bool is_near(const reference_value_t *expected, const reference_value_t *found,
                    double tolerance, int64_t i) {
  const reference_scalar_t x = reference_load(expected, i), y = reference_load(found, i);
  return hypot(x.real - y.real, x.imaginary - y.imaginary) <= tolerance;
}

bool differential_compare(const reference_value_t *expected,
                          const reference_value_t *found, generate_value_t known,
                          int64_t *out_element) {
  const bool by_norm = known.exactness == GENERATE_NORM;
  const double tolerance = by_norm ? norm_tolerance(expected, known.ulps) : 0;
  for (int64_t i = 0; i < expected->count; i++) {
    if (by_norm ? !is_near(expected, found, tolerance, i)
                : !is_element_good(expected, found, known, i)) {
      *out_element = i;
      return false;
    }
  }
  return true;
}

// --- Running ---

static void print_element(pod_text_t *text, const reference_value_t *value, int64_t i) {
  const reference_scalar_t x = reference_load(value, i);
  const tensor_dtype_t dtype = value->shape.dtype;
  if (dtype == TENSOR_PRED || tensor_dtype_is_integer(dtype)) {
    pod_text_printf(text, "%lld", (long long)x.integer);
  } else if (tensor_dtype_is_complex(dtype)) {
    pod_text_printf(text, "(%.17g, %.17g)", x.real, x.imaginary);
  } else {
    pod_text_printf(text, "%.17g", x.real);
  }
  pod_text_add(text, " (0x");
  const size_t bytes = tensor_dtype_bytes(dtype);
  for (size_t j = bytes; j > 0; j--) {
    pod_text_printf(text, "%02x", (unsigned char)value->data[(size_t)i * bytes + j - 1]);
  }
  pod_text_add(text, ")");
}

// The pretty and the generic form take turns, by what the module looks like.
static void print_module(const mlir_module_t *module, pod_text_t *text) {
  const mlir_print_options_t options = {
      .lookup = module->value_count % 4 == 0 ? NULL : compiler_syntax_lookup};
  mlir_print(text, module, &options);
}

static void report_difference(const generate_case_t *generated, int index,
                              const reference_value_t *expected,
                              const reference_value_t *found, int64_t element,
                              pod_text_t *report) {
  const mlir_value_t *value = generated->results[index].value;
  pod_text_printf(report, "result %d, of %s, of type ", index,
                  value->op != NULL ? value->op->name : "an argument");
  mlir_type_print(report, value->type);
  pod_text_printf(report, ": element %lld is ", (long long)element);
  print_element(report, found, element);
  pod_text_add(report, ", not ");
  print_element(report, expected, element);
  pod_text_add(report, "\n");
}

bool differential_check(device_t *device, const generate_case_t *generated,
                        pod_text_t *report) {
  pod_arena_t *arena = pod_arena_create();
  reference_value_t expected[GENERATE_RESULTS_MAX], found[GENERATE_RESULTS_MAX];
  reference_run(generated->module, arena, generated->arguments, expected, NULL);
  memcpy(found, expected, sizeof(found));
  device_prepare(device, generated->module, (uint64_t)generated->module->value_count);
  pod_text_t text = {0};
  print_module(generated->module, &text);
  pod_status_t status = device_run(device, text.bytes, (int64_t)text.length, arena,
                                   generated->argument_count, generated->arguments,
                                   generated->result_count, found);
  bool is_good = status == NULL;
  if (status != NULL) {
    pod_text_printf(report, "%s\n", pod_status_message(status));
    pod_status_free(status);
  }
  for (int i = 0; is_good && i < generated->result_count; i++) {
    int64_t element = 0;
    is_good =
        differential_compare(&expected[i], &found[i], generated->results[i], &element);
    if (!is_good) {
      report_difference(generated, i, &expected[i], &found[i], element, report);
    }
  }
  pod_text_deinit(&text);
  pod_arena_destroy(arena);
  return is_good;
}

void differential_print(const generate_case_t *generated, pod_text_t *text) {
  print_module(generated->module, text);
  for (int i = 0; i < generated->argument_count; i++) {
    const reference_value_t *argument = &generated->arguments[i];
    pod_text_printf(text, "// argument %d: ", i);
    mlir_attr_print(
        text, mlir_attr_dense(generated->module, &argument->shape, argument->data, false),
        0);
    pod_text_add(text, "\n");
  }
}
