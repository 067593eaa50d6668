// dot_general as a worker runs it, beside the best that oneDNN, called directly, has for
// the shape: over all plain layouts of its operands (not only the one of the case), and
// over its own form of the right operand with the packing in every run. Where oneDNN does
// not have the type, its f32 product of the shape is the measure (marked "f32"); of
// complex numbers it counts four times.
//
// Arrays lie as a worker's do, on huge pages. Runs alternate, repeated until a sample
// lasts long enough for the clock; medians of CPU time of this thread, so that other
// processes of the machine count little.
//
// Usage: dot_bench [MILLISECONDS_PER_CASE [PART_OF_TITLE]]

#include <dnnl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/tensor/array.h"
#include "server/worker/host_memory.h"
#include "server/worker/kernels/cpu.h"
#include "server/worker/kernels/kernel.h"
#include "server/worker/kernels/product/onednn.h"
#include "tests/bench/dot_cases.h"
#include "tests/bench/measure.h"

enum { SAMPLES_MAX = 101, SAMPLES_MIN = 3, CANDIDATES = 5 };

static const int64_t sample_ns = 100000;  // At least, of each side.

static void check_dnnl(dnnl_status_t status) {
  if (status != dnnl_success) {
    fprintf(stderr, "oneDNN: status %d\n", (int)status);
    exit(1);
  }
}

// ----- ours -----

typedef struct ours_t {
  chip_program_t program;
  chip_buffer_t buffers[3];
  tensor_array_t arrays[3];
  chip_attr_t attrs[4];
  int64_t dims[4][8];
  chip_instruction_t instruction;
  int32_t operands[2], results[1];
  void *cache;
  void (*cache_free)(void *cache);
} ours_t;

// The size of a dimension: "i64 j8" has 8 for 'j'.
static int64_t size_of(const dot_case_t *c, char letter) {
  const char *place = strchr(c->sizes, letter);
  POD_CHECK(place != NULL);
  return strtoll(place + 1, NULL, 10);
}

static bool is_in(const char *letters, char letter) {
  return strchr(letters, letter) != NULL;
}

static tensor_shape_t shape_of(const dot_case_t *c, const char *letters,
                               tensor_dtype_t dtype) {
  int64_t dims[8];
  const int rank = (int)strlen(letters);
  for (int i = 0; i < rank; i++) {
    dims[i] = size_of(c, letters[i]);
  }
  return tensor_shape_make(dtype, rank, dims);
}

// Dimensions of `in` that both operands have and that the result has or has not, in the
// order of the left operand.
static void add_attr(ours_t *ours, const dot_case_t *c, chip_attr_key_t key,
                     const char *in, bool is_batch) {
  const int at = ours->instruction.attr_count;
  int count = 0;
  for (const char *letter = c->lhs; *letter != '\0'; letter++) {
    if (is_in(c->rhs, *letter) && is_in(c->out, *letter) == is_batch) {
      ours->dims[at][count++] = strchr(in, *letter) - in;
    }
  }
  if (count > 0) {
    ours->attrs[at] = (chip_attr_t){key, count, ours->dims[at]};
    ours->instruction.attr_count++;
  }
}

static ours_t *ours_make(const dot_case_t *c) {
  ours_t *ours = calloc(1, sizeof(*ours));
  POD_CHECK(ours != NULL);
  const tensor_shape_t shapes[3] = {shape_of(c, c->lhs, c->dtype),
                                    shape_of(c, c->rhs, c->dtype),
                                    shape_of(c, c->out, c->result_dtype)};
  for (int i = 0; i < 3; i++) {
    ours->buffers[i].shape = shapes[i];
    ours->arrays[i].shape = shapes[i];
    measure_check(
        host_memory_alloc(tensor_shape_bytes(&shapes[i]), &ours->arrays[i].data));
    measure_check(tensor_fill(i == 2 ? "zeros" : "random:1", &ours->arrays[i]));
  }
  ours->operands[1] = 1;
  ours->results[0] = 2;
  ours->program.buffers = ours->buffers;
  ours->instruction = (chip_instruction_t){.op = CHIP_OP_DOT_GENERAL,
                                           .operand_count = 2,
                                           .result_count = 1,
                                           .operands = ours->operands,
                                           .results = ours->results,
                                           .attrs = ours->attrs,
                                           .name = "dot_general.1"};
  add_attr(ours, c, CHIP_ATTR_LHS_BATCHING_DIMENSIONS, c->lhs, true);
  add_attr(ours, c, CHIP_ATTR_RHS_BATCHING_DIMENSIONS, c->rhs, true);
  add_attr(ours, c, CHIP_ATTR_LHS_CONTRACTING_DIMENSIONS, c->lhs, false);
  add_attr(ours, c, CHIP_ATTR_RHS_CONTRACTING_DIMENSIONS, c->rhs, false);
  return ours;
}

static void ours_run(ours_t *ours) {
  const void *const operands[] = {ours->arrays[0].data, ours->arrays[1].data};
  void *const results[] = {ours->arrays[2].data};
  const kernel_args_t args = {.program = &ours->program,
                              .instruction = &ours->instruction,
                              .operands = operands,
                              .results = results,
                              .cache = &ours->cache,
                              .cache_free = &ours->cache_free};
  measure_run(&args);
}

static void ours_free(ours_t *ours) {
  if (ours->cache != NULL) {
    ours->cache_free(ours->cache);
  }
  for (int i = 0; i < 3; i++) {
    host_memory_free(ours->arrays[i].data, tensor_shape_bytes(&ours->arrays[i].shape));
  }
  free(ours);
}

// ----- oneDNN -----

// Sizes of the product that the case comes to.
typedef struct product_t {
  int64_t batch, m, k, n;
} product_t;

static product_t product_of(const dot_case_t *c) {
  product_t p = {1, 1, 1, 1};
  for (const char *letter = c->lhs; *letter != '\0'; letter++) {
    *(!is_in(c->rhs, *letter)  ? &p.m
      : is_in(c->out, *letter) ? &p.batch
                               : &p.k) *= size_of(c, *letter);
  }
  for (const char *letter = c->rhs; *letter != '\0'; letter++) {
    p.n *= is_in(c->lhs, *letter) ? 1 : size_of(c, *letter);
  }
  return p;
}

typedef struct direct_t {
  dnnl_primitive_t primitive, reorder;  // The latter NULL when nothing is packed.
  dnnl_memory_t a, b, c, packed;
} direct_t;

static dnnl_engine_t engine;
static dnnl_stream_t stream;

static dnnl_data_type_t type_of(tensor_dtype_t dtype) {
  switch (dtype) {
    case TENSOR_BF16:
      return dnnl_bf16;
    case TENSOR_S8:
      return dnnl_s8;
    case TENSOR_S32:
      return dnnl_s32;
    default:
      return dnnl_f32;
  }
}

static bool is_onednn_case(const dot_case_t *c) {
  return c->dtype == TENSOR_F32 || c->dtype == TENSOR_S8 ||
         (c->dtype == TENSOR_BF16 && kernel_cpu() >= KERNEL_CPU_AVX512);
}

static dnnl_memory_desc_t describe(int64_t batch, int64_t rows, int64_t columns,
                                   tensor_dtype_t dtype, bool is_transposed) {
  dnnl_memory_desc_t desc;
  const dnnl_dims_t dims = {batch, rows, columns};
  const dnnl_dims_t strides = {rows * columns, is_transposed ? 1 : columns,
                               is_transposed ? rows : 1};
  const int skipped = batch == 1;
  check_dnnl(dnnl_memory_desc_init_by_strides(&desc, 3 - skipped, dims + skipped,
                                              type_of(dtype), strides + skipped));
  return desc;
}

static void make_packing(direct_t *direct, const dnnl_memory_desc_t *plain,
                         const dnnl_memory_desc_t *packed) {
  dnnl_primitive_desc_t reorder;
  check_dnnl(
      dnnl_reorder_primitive_desc_create(&reorder, plain, engine, packed, engine, NULL));
  check_dnnl(dnnl_primitive_create(&direct->reorder, reorder));
  check_dnnl(dnnl_primitive_desc_destroy(reorder));
  check_dnnl(dnnl_memory_create(&direct->packed, packed, engine, DNNL_MEMORY_ALLOCATE));
}

// Candidate 0 … 3: left, right operand transposed or not; 4: its own form of the right
// one. False where oneDNN has none.
static bool direct_make(const dot_case_t *c, void *const *bytes, int candidate,
                        direct_t *out) {
  *out = (direct_t){0};
  const product_t p = product_of(c);
  const bool is_f32 = !is_onednn_case(c);
  const tensor_dtype_t in = is_f32 ? TENSOR_F32 : c->dtype;
  const dnnl_memory_desc_t a = describe(p.batch, p.m, p.k, in, (candidate & 1) != 0);
  const dnnl_memory_desc_t plain = describe(p.batch, p.k, p.n, in, (candidate & 2) != 0);
  const dnnl_memory_desc_t result =
      describe(p.batch, p.m, p.n, is_f32 ? TENSOR_F32 : c->result_dtype, false);
  dnnl_memory_desc_t b = plain;
  if (candidate == 4) {
    check_dnnl(dnnl_memory_desc_init_by_tag(&b, plain.ndims, plain.dims, plain.data_type,
                                            dnnl_format_tag_any));
  }
  dnnl_matmul_desc_t matmul;
  check_dnnl(dnnl_matmul_desc_init(&matmul, &a, &b, NULL, &result));
  dnnl_primitive_desc_t primitive;
  if (dnnl_primitive_desc_create(&primitive, &matmul, NULL, engine, NULL) !=
      dnnl_success) {
    return false;
  }
  check_dnnl(dnnl_primitive_create(&out->primitive, primitive));
  check_dnnl(dnnl_memory_create(&out->a, &a, engine, bytes[0]));
  check_dnnl(dnnl_memory_create(&out->b, &plain, engine, bytes[1]));
  check_dnnl(dnnl_memory_create(&out->c, &result, engine, bytes[2]));
  const dnnl_memory_desc_t *wanted =
      dnnl_primitive_desc_query_md(primitive, dnnl_query_weights_md, 0);
  if (!dnnl_memory_desc_equal(wanted, &plain)) {
    make_packing(out, &plain, wanted);
  }
  check_dnnl(dnnl_primitive_desc_destroy(primitive));
  return true;
}

static void direct_run(const direct_t *direct) {
  if (direct->reorder != NULL) {
    const dnnl_exec_arg_t packing[] = {{DNNL_ARG_FROM, direct->b},
                                       {DNNL_ARG_TO, direct->packed}};
    check_dnnl(dnnl_primitive_execute(direct->reorder, stream, 2, packing));
  }
  const dnnl_exec_arg_t args[] = {
      {DNNL_ARG_SRC, direct->a},
      {DNNL_ARG_WEIGHTS, direct->reorder != NULL ? direct->packed : direct->b},
      {DNNL_ARG_DST, direct->c}};
  check_dnnl(dnnl_primitive_execute(direct->primitive, stream, 3, args));
  check_dnnl(dnnl_stream_wait(stream));
}

static void direct_free(direct_t *direct) {
  dnnl_primitive_destroy(direct->primitive);
  dnnl_primitive_destroy(direct->reorder);
  dnnl_memory_destroy(direct->a);
  dnnl_memory_destroy(direct->b);
  dnnl_memory_destroy(direct->c);
  dnnl_memory_destroy(direct->packed);
}

// ----- measuring -----

// Of `repeats` runs of ours, or of the candidate.
static int64_t time_runs(ours_t *ours, const direct_t *direct, int64_t repeats) {
  const int64_t start = measure_cpu_ns();
  for (int64_t i = 0; i < repeats; i++) {
    if (ours != NULL) {
      ours_run(ours);
    } else {
      direct_run(direct);
    }
  }
  return (measure_cpu_ns() - start) / repeats;
}

static int64_t repeats_for(int64_t run_ns) {
  return run_ns >= sample_ns ? 1 : sample_ns / (run_ns < 1 ? 1 : run_ns) + 1;
}

// The fastest candidate of three runs each; -1 when oneDNN has none.
static int find_best(const dot_case_t *c, void *const *bytes, direct_t *out_best) {
  int best = -1;
  int64_t best_ns = 0;
  for (int i = 0; i < CANDIDATES; i++) {
    direct_t direct;
    if (!direct_make(c, bytes, i, &direct)) {
      continue;
    }
    int64_t ns = time_runs(NULL, &direct, 1);
    const int64_t repeats = repeats_for(ns);
    for (int run = 0; run < 2; run++) {
      const int64_t again = time_runs(NULL, &direct, repeats);
      ns = again < ns ? again : ns;
    }
    if (best < 0 || ns < best_ns) {
      if (best >= 0) {
        direct_free(out_best);
      }
      best = i;
      best_ns = ns;
      *out_best = direct;
    } else {
      direct_free(&direct);
    }
  }
  return best;
}

typedef struct medians_t {
  double ours_ns, direct_ns;
} medians_t;

static medians_t alternate(ours_t *ours, const direct_t *direct, int64_t budget_ns) {
  const int64_t own_repeats = repeats_for(time_runs(ours, NULL, 1));
  const int64_t direct_repeats = repeats_for(time_runs(NULL, direct, 1));
  int64_t ours_ns[SAMPLES_MAX], direct_ns[SAMPLES_MAX];
  const int64_t start = measure_cpu_ns();
  int samples = 0;
  while (samples < SAMPLES_MAX &&
         (samples < SAMPLES_MIN || measure_cpu_ns() - start < budget_ns)) {
    ours_ns[samples] = time_runs(ours, NULL, own_repeats);
    direct_ns[samples++] = time_runs(NULL, direct, direct_repeats);
  }
  return (medians_t){measure_median(ours_ns, samples),
                     measure_median(direct_ns, samples)};
}

static void measure(const dot_case_t *c, int64_t budget_ns) {
  static const char *const names[CANDIDATES] = {"mk,kn", "km,kn", "mk,nk", "km,nk",
                                                "packed"};
  ours_t *ours = ours_make(c);
  const product_t p = product_of(c);
  void *bytes[3];
  // What oneDNN computes in another type has bytes of its own.
  const int64_t counts[3] = {p.batch * p.m * p.k, p.batch * p.k * p.n,
                             p.batch * p.m * p.n};
  for (int i = 0; i < 3; i++) {
    bytes[i] = ours->arrays[i].data;
    if (!is_onednn_case(c)) {
      const int64_t size_bytes = counts[i] * (int64_t)sizeof(float);
      measure_check(host_memory_alloc(size_bytes, &bytes[i]));
      memset(bytes[i], 0, (size_t)size_bytes);
    }
  }
  direct_t direct;
  ours_run(ours);
  const int best = find_best(c, bytes, &direct);
  POD_CHECK(best >= 0);
  medians_t medians = alternate(ours, &direct, budget_ns);
  const double operations = 2.0 * (double)(p.batch * p.m * p.k * p.n);
  medians.direct_ns *= tensor_dtype_is_complex(c->dtype) ? 4 : 1;
  char einsum[64];
  snprintf(einsum, sizeof(einsum), "%s,%s->%s", c->lhs, c->rhs, c->out);
  printf("%-38s %-20s %5ld x %5ld x %5ld x %5ld %8.1f %8.1f  %-7s %5.2f%s\n", c->title,
         einsum, (long)p.batch, (long)p.m, (long)p.k, (long)p.n,
         operations / medians.ours_ns, operations / medians.direct_ns, names[best],
         medians.direct_ns / medians.ours_ns, is_onednn_case(c) ? "" : " f32");
  fflush(stdout);
  for (int i = 0; i < 3 && !is_onednn_case(c); i++) {
    host_memory_free(bytes[i], counts[i] * (int64_t)sizeof(float));
  }
  direct_free(&direct);
  ours_free(ours);
}

int main(int argc, char **argv) {
  const int64_t budget_ns = (argc > 1 ? atoi(argv[1]) : 200) * (int64_t)1000000;
  measure_check(
      onednn_engine(&engine));  // On the worker's terms: one thread, PODIUM_CPU.
  check_dnnl(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
  printf("%-38s %-20s %29s %8s %8s  %-7s %5s\n", "GFLOP/s, medians of alternating runs",
         "layout", "batch x m x k x n", "kernel", "oneDNN", "by", "ratio");
  for (size_t i = 0; i < POD_COUNT_OF(dot_cases); i++) {
    if (argc < 3 || strstr(dot_cases[i].title, argv[2]) != NULL) {
      measure(&dot_cases[i], budget_ns);
    }
  }
  dnnl_stream_destroy(stream);
  return 0;
}
