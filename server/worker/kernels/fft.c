// fft: mixed radix by decimation in time (J. Cooley and J. Tukey, 1965), in complex
// double and rounded once. A prime factor p costs p operations per element.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/complex.h"
#include "server/worker/kernels/kernels.h"
#include "server/worker/kernels/memory.h"
#include "server/worker/kernels/stop.h"
#include "server/worker/kernels/storage.h"

typedef double _Complex complex_t;

// A transform of one length: the roots of unity, and room for a row and a butterfly.
typedef struct fft_plan_t {
  int64_t length;
  complex_t *roots, *row, *result, *legs;
} fft_plan_t;

// Looks once in a while.
static bool is_stopped_at(int64_t step) {
  return step % 1024 == 0 && kernel_is_stopped();
}

static bool plan_init(fft_plan_t *plan, int64_t length, bool is_inverse) {
  const size_t count = length > 0 ? (size_t)length : 1;
  *plan = (fft_plan_t){.length = length,
                       .roots = kernel_malloc(4 * count * sizeof(complex_t))};
  if (plan->roots == NULL) {
    return false;
  }
  plan->row = plan->roots + count;
  plan->result = plan->row + count;
  plan->legs = plan->result + count;
  const double turn = (is_inverse ? 2 : -2) * 3.14159265358979323846;
  for (int64_t k = 0; k < length && !is_stopped_at(k); k++) {
    const double angle = turn * ((double)k / (double)length);
    plan->roots[k] = CMPLX(cos(angle), sin(angle));
  }
  return true;
}

static int64_t smallest_factor(int64_t n) {
  for (int64_t p = 2; p * p <= n; p++) {
    if (n % p == 0) {
      return p;
    }
  }
  return n;
}

// The p results that the k-th elements of p transforms of m have a part in. Factors of
// the length: p m stride is the whole of it, so that no place of a root is beyond.
static void combine(const fft_plan_t *plan, int64_t p, int64_t m, int64_t k,
                    int64_t stride, complex_t *out) {
  const complex_t *roots = plan->roots;
  complex_t *legs = plan->legs;
  for (int64_t r = 0; r < p && !is_stopped_at(r + 1); r++) {
    legs[r] = out[r * m + k] * roots[r * k * stride];
  }
  for (int64_t q = 0; q < p && !is_stopped_at(q + 1); q++) {
    complex_t sum = legs[0];
    int64_t turns = 0;  // r q modulo p.
    for (int64_t r = 1; r < p && !is_stopped_at(r); r++) {
      turns += q;
      turns -= turns >= p ? p : 0;
      sum += legs[r] * roots[turns * m * stride];
    }
    out[q * m + k] = sum;
  }
}

// out[k] = sum over j < n of in[j · stride] · root^(j · k · step), where step = stride.
// Short ones do not look at whether to stop: they are part of long ones.
static void transform(const fft_plan_t *plan, int64_t n, int64_t stride,
                      const complex_t *in, complex_t *out) {
  enum { LONG = 1024, LARGE_FACTOR = 32 };
  if (n == 1) {
    out[0] = in[0];
    return;
  }
  if (n >= LONG && kernel_is_stopped()) {
    return;
  }
  const int64_t p = smallest_factor(n), m = n / p;
  for (int64_t r = 0; r < p; r++) {
    transform(plan, m, stride * p, in + r * stride, out + r * m);
  }
  for (int64_t k = 0; k < m; k++) {
    combine(plan, p, m, k, stride, out);
    if (p >= LARGE_FACTOR ? kernel_is_stopped() : is_stopped_at(k + 1)) {
      return;
    }
  }
}

// ----- along one dimension of an array -----

static pod_status_t no_memory(int64_t count) {
  return pod_error(POD_RESOURCE_EXHAUSTED, "no host memory to transform %lld elements",
                   (long long)count);
}

// [outer, from, inner] to [outer, to, inner]: rows are filled up to the plan's length (by
// their mirror image when `is_hermitian`), transformed and cut. In place when from == to.
typedef struct pass_t {
  int64_t outer, from, to, inner;
  bool is_hermitian;
  double scale;
} pass_t;

static void run_pass(const fft_plan_t *plan, const pass_t *pass, const complex_t *in,
                     complex_t *out) {
  const int64_t n = plan->length;
  for (int64_t o = 0; o < pass->outer && !kernel_is_stopped(); o++) {
    for (int64_t i = 0; i < pass->inner && !kernel_is_stopped(); i++) {
      const complex_t *source = in + o * pass->from * pass->inner + i;
      for (int64_t k = 0; k < n && !is_stopped_at(k); k++) {
        plan->row[k] = pass->is_hermitian && k >= pass->from
                           ? conj(source[(n - k) * pass->inner])
                           : source[k * pass->inner];
      }
      transform(plan, n, 1, plan->row, plan->result);
      complex_t *target = out + o * pass->to * pass->inner + i;
      for (int64_t k = 0; k < pass->to && !is_stopped_at(k); k++) {
        target[k * pass->inner] = plan->result[k] * pass->scale;
      }
    }
  }
}

typedef struct fft_t {
  const tensor_shape_t *in, *out;
  const int64_t *lengths;
  int32_t count;
  chip_fft_t type;
} fft_t;

// One dimension, number `at` of the transformed ones.
static pod_status_t run_dimension(const fft_t *fft, int32_t at, tensor_shape_t *shape,
                                  complex_t **inout_data) {
  const int d = shape->rank - fft->count + at;
  const bool is_last = at == fft->count - 1;
  const bool is_inverse = fft->type == CHIP_FFT_IFFT || fft->type == CHIP_FFT_IRFFT;
  const int64_t length = fft->lengths[at];
  pass_t pass = {.outer = 1,
                 .from = shape->dims[d],
                 .to = is_last ? fft->out->dims[d] : shape->dims[d],
                 .inner = 1,
                 .is_hermitian = is_last && fft->type == CHIP_FFT_IRFFT,
                 .scale = is_inverse ? 1.0 / (double)length : 1};
  for (int i = 0; i < shape->rank; i++) {
    pass.outer *= i < d ? shape->dims[i] : 1;
    pass.inner *= i > d ? shape->dims[i] : 1;
  }
  fft_plan_t plan;
  complex_t *data = *inout_data;
  const int64_t count = pass.outer * pass.to * pass.inner;
  if (pass.from != pass.to) {
    data = kernel_malloc((size_t)(count > 0 ? count : 1) * sizeof(complex_t));
  }
  if (data == NULL || !plan_init(&plan, length, is_inverse)) {
    if (data != *inout_data) {
      kernel_free(data);
    }
    return no_memory(count);
  }
  run_pass(&plan, &pass, *inout_data, data);
  kernel_free(plan.roots);
  if (data != *inout_data) {
    kernel_free(*inout_data);
    *inout_data = data;
  }
  shape->dims[d] = pass.to;
  return NULL;
}

// A real transform cuts the last dimension first, and its inverse fills it up last.
static pod_status_t run_all(const fft_t *fft, complex_t **inout_data) {
  tensor_shape_t shape = *fft->in;
  const bool is_last_first = fft->type == CHIP_FFT_RFFT;
  for (int32_t i = 0; i < fft->count; i++) {
    const int32_t at = is_last_first ? fft->count - 1 - i : i;
    POD_TRY(run_dimension(fft, at, &shape, inout_data));
  }
  return NULL;
}

pod_status_t kernel_fft(const kernel_args_t *args) {
  fft_t fft = {.in = kernel_operand_shape(args, 0), .out = kernel_result_shape(args, 0)};
  fft.lengths =
      chip_instruction_attr(args->instruction, CHIP_ATTR_FFT_LENGTH, &fft.count);
  fft.type = (chip_fft_t)chip_instruction_attr_one(args->instruction, CHIP_ATTR_FFT_TYPE,
                                                   CHIP_FFT_FFT);
  const int64_t count = tensor_shape_elements(fft.in);
  const int64_t out_count = tensor_shape_elements(fft.out);
  if (out_count == 0) {
    return NULL;
  }
  if (count == 0) {
    kernel_zero_bytes(args->results[0], (size_t)tensor_shape_bytes(fft.out));
    return NULL;
  }
  complex_t *data = kernel_malloc((size_t)count * sizeof(complex_t));
  if (data == NULL) {
    return no_memory(count);
  }
  kernel_convert_elements(fft.in->dtype, args->operands[0], TENSOR_C128, data,
                          (size_t)count);
  const pod_status_t status = run_all(&fft, &data);
  if (status == NULL) {
    kernel_convert_elements(TENSOR_C128, data, fft.out->dtype, args->results[0],
                            (size_t)out_count);
  }
  kernel_free(data);
  return status;
}
