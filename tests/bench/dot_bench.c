// dot_general as a worker runs it, beside oneDNN called directly with plain row-major
// matrices of the same types: medians of alternating runs, and their ratio. Both compute
// on this thread, whose CPU time is taken: other processes of the machine do not count.
//
// Usage: dot_bench [SAMPLES]

#include <dnnl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/check.h"
#include "common/tensor/array.h"
#include "server/worker/kernels/kernel.h"

void omp_set_num_threads(int count);  // Of libgomp: one thread, as a worker has.

enum { SAMPLES_MAX = 101 };

// Operands in the order of their letters: "bmk" is [b, m, k].
typedef struct case_t {
  const char *title, *lhs, *rhs;
  tensor_dtype_t dtype;
  int64_t b, m, k, n;
} case_t;

static const case_t cases[] = {
    {"bf16 2048^3", "mk", "kn", TENSOR_BF16, 1, 2048, 2048, 2048},
    {"f32 2048^3", "mk", "kn", TENSOR_F32, 1, 2048, 2048, 2048},
    {"bf16 few rows", "mk", "kn", TENSOR_BF16, 1, 8, 2048, 8192},
    {"f32 few rows", "mk", "kn", TENSOR_F32, 1, 8, 2048, 8192},
    {"bf16 few rows, rhs transposed", "mk", "nk", TENSOR_BF16, 1, 8, 2048, 8192},
    {"f32 few rows, rhs transposed", "mk", "nk", TENSOR_F32, 1, 8, 2048, 8192},
    {"bf16 16 rows", "mk", "kn", TENSOR_BF16, 1, 16, 2048, 8192},
    {"f32 16 rows", "mk", "kn", TENSOR_F32, 1, 16, 2048, 8192},
    {"bf16 16 rows in the cache", "mk", "kn", TENSOR_BF16, 1, 16, 512, 512},
    {"f32 16 rows in the cache", "mk", "kn", TENSOR_F32, 1, 16, 512, 512},
    {"bf16 4 rows in the cache", "mk", "kn", TENSOR_BF16, 1, 4, 512, 512},
    {"bf16 8 rows of heads", "bmk", "bkn", TENSOR_BF16, 64, 8, 64, 512},
    {"bf16 one row", "mk", "kn", TENSOR_BF16, 1, 1, 4096, 4096},
    {"bf16 few columns", "mk", "kn", TENSOR_BF16, 1, 8192, 2048, 8},
    {"bf16 32 rows", "mk", "kn", TENSOR_BF16, 1, 32, 2048, 4096},
    {"bf16 rhs transposed", "mk", "nk", TENSOR_BF16, 1, 1024, 1024, 1024},
    {"f32 rhs transposed", "mk", "nk", TENSOR_F32, 1, 1024, 1024, 1024},
    {"bf16 lhs transposed", "km", "kn", TENSOR_BF16, 1, 1024, 1024, 1024},
    {"f32 lhs transposed", "km", "kn", TENSOR_F32, 1, 1024, 1024, 1024},
    {"f32 both transposed", "km", "nk", TENSOR_F32, 1, 1024, 1024, 1024},
    {"bf16 batches", "bmk", "bkn", TENSOR_BF16, 64, 256, 64, 256},
    {"bf16 batches of heads, interleaved", "mbk", "nbk", TENSOR_BF16, 16, 512, 64, 512},
    {"f32 batches of heads, interleaved", "mbk", "nbk", TENSOR_F32, 16, 512, 64, 512},
    {"s8 1024^3", "mk", "kn", TENSOR_S8, 1, 1024, 1024, 1024},
};

// ----- ours -----

typedef struct ours_t {
  chip_program_t program;
  chip_buffer_t buffers[3];
  tensor_array_t arrays[3];
  chip_attr_t attrs[4];
  int64_t dims[4];
  chip_instruction_t instruction;
  int32_t operands[2], results[1];
  void *cache;
  void (*cache_free)(void *cache);
} ours_t;

static int64_t size_of(const case_t *c, char letter) {
  return letter == 'b' ? c->b : letter == 'm' ? c->m : letter == 'k' ? c->k : c->n;
}

static tensor_shape_t shape_of(const case_t *c, const char *letters,
                               tensor_dtype_t dtype) {
  int64_t dims[3];
  const int rank = (int)strlen(letters);
  for (int i = 0; i < rank; i++) {
    dims[i] = size_of(c, letters[i]);
  }
  return tensor_shape_make(dtype, rank, dims);
}

static tensor_dtype_t result_dtype(const case_t *c) {
  return c->dtype == TENSOR_S8 ? TENSOR_S32 : c->dtype;
}

static void add_attr(ours_t *ours, chip_attr_key_t key, const char *letters,
                     char letter) {
  const char *place = strchr(letters, letter);
  const int at = ours->instruction.attr_count;
  if (place != NULL) {
    ours->dims[at] = place - letters;
    ours->attrs[at] = (chip_attr_t){key, 1, &ours->dims[at]};
    ours->instruction.attr_count++;
  }
}

static void check(pod_status_t status) {
  if (status != NULL) {
    fprintf(stderr, "%s\n", pod_status_message(status));
    exit(1);
  }
}

static ours_t *ours_make(const case_t *c) {
  ours_t *ours = calloc(1, sizeof(*ours));
  POD_CHECK(ours != NULL);
  const bool is_batched = c->lhs[2] != '\0';
  const tensor_shape_t shapes[3] = {
      shape_of(c, c->lhs, c->dtype), shape_of(c, c->rhs, c->dtype),
      shape_of(c, is_batched ? "bmn" : "mn", result_dtype(c))};
  for (int i = 0; i < 3; i++) {
    ours->buffers[i].shape = shapes[i];
    check(tensor_array_init(&ours->arrays[i], &shapes[i]));
    check(tensor_fill(i == 2 ? "zeros" : "random:1", &ours->arrays[i]));
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
  add_attr(ours, CHIP_ATTR_LHS_BATCHING_DIMENSIONS, c->lhs, 'b');
  add_attr(ours, CHIP_ATTR_RHS_BATCHING_DIMENSIONS, c->rhs, 'b');
  add_attr(ours, CHIP_ATTR_LHS_CONTRACTING_DIMENSIONS, c->lhs, 'k');
  add_attr(ours, CHIP_ATTR_RHS_CONTRACTING_DIMENSIONS, c->rhs, 'k');
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
  check(kernel_find(CHIP_OP_DOT_GENERAL)(&args));
}

static void ours_free(ours_t *ours) {
  if (ours->cache != NULL) {
    ours->cache_free(ours->cache);
  }
  for (int i = 0; i < 3; i++) {
    tensor_array_deinit(&ours->arrays[i]);
  }
  free(ours);
}

// ----- oneDNN -----

typedef struct direct_t {
  dnnl_primitive_t primitive;
  dnnl_memory_t memories[3];
} direct_t;

static dnnl_engine_t engine;
static dnnl_stream_t stream;

static void check_dnnl(dnnl_status_t status) {
  if (status != dnnl_success) {
    fprintf(stderr, "oneDNN: status %d\n", (int)status);
    exit(1);
  }
}

static dnnl_data_type_t type_of(tensor_dtype_t dtype) {
  return dtype == TENSOR_BF16  ? dnnl_bf16
         : dtype == TENSOR_F32 ? dnnl_f32
         : dtype == TENSOR_S8  ? dnnl_s8
                               : dnnl_s32;
}

// Row-major matrices, whatever the layout of the case, on the bytes of ours.
static direct_t direct_make(const case_t *c, const ours_t *ours) {
  direct_t direct = {0};
  const int rank = c->b > 1 ? 3 : 2;
  const int64_t sizes[3][3] = {
      {c->b, c->m, c->k}, {c->b, c->k, c->n}, {c->b, c->m, c->n}};
  const tensor_dtype_t types[3] = {c->dtype, c->dtype, result_dtype(c)};
  dnnl_memory_desc_t descs[3];
  for (int i = 0; i < 3; i++) {
    dnnl_dims_t dims;
    memcpy(dims, sizes[i] + 3 - rank, (size_t)rank * sizeof(dims[0]));
    check_dnnl(dnnl_memory_desc_init_by_tag(&descs[i], rank, dims, type_of(types[i]),
                                            rank == 3 ? dnnl_abc : dnnl_ab));
    check_dnnl(
        dnnl_memory_create(&direct.memories[i], &descs[i], engine, ours->arrays[i].data));
  }
  dnnl_matmul_desc_t matmul;
  check_dnnl(dnnl_matmul_desc_init(&matmul, &descs[0], &descs[1], NULL, &descs[2]));
  dnnl_primitive_desc_t primitive;
  check_dnnl(dnnl_primitive_desc_create(&primitive, &matmul, NULL, engine, NULL));
  check_dnnl(dnnl_primitive_create(&direct.primitive, primitive));
  dnnl_primitive_desc_destroy(primitive);
  return direct;
}

static void direct_run(const direct_t *direct) {
  const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, direct->memories[0]},
                                  {DNNL_ARG_WEIGHTS, direct->memories[1]},
                                  {DNNL_ARG_DST, direct->memories[2]}};
  check_dnnl(dnnl_primitive_execute(direct->primitive, stream, 3, args));
  check_dnnl(dnnl_stream_wait(stream));
}

static void direct_free(direct_t *direct) {
  dnnl_primitive_destroy(direct->primitive);
  for (int i = 0; i < 3; i++) {
    dnnl_memory_destroy(direct->memories[i]);
  }
}

// ----- measuring -----

static int64_t cpu_time_ns(void) {
  struct timespec now;
  POD_CHECK(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int by_value(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

static double median_gflops(const case_t *c, int64_t *times_ns, int samples) {
  qsort(times_ns, (size_t)samples, sizeof(*times_ns), by_value);
  return 2.0 * (double)(c->b * c->m * c->k * c->n) / (double)times_ns[samples / 2];
}

static void measure(const case_t *c, int samples) {
  ours_t *ours = ours_make(c);
  direct_t direct = direct_make(c, ours);
  int64_t ours_ns[SAMPLES_MAX], direct_ns[SAMPLES_MAX];
  ours_run(ours);
  direct_run(&direct);
  for (int i = 0; i < samples; i++) {
    const int64_t start = cpu_time_ns();
    ours_run(ours);
    const int64_t middle = cpu_time_ns();
    direct_run(&direct);
    ours_ns[i] = middle - start;
    direct_ns[i] = cpu_time_ns() - middle;
  }
  const double own = median_gflops(c, ours_ns, samples);
  const double rival = median_gflops(c, direct_ns, samples);
  printf("%-36s %3s,%3s  %4ld x %5ld x %5ld x %5ld  %8.1f  %8.1f  %5.2f\n", c->title,
         c->lhs, c->rhs, (long)c->b, (long)c->m, (long)c->k, (long)c->n, own, rival,
         own / rival);
  fflush(stdout);
  direct_free(&direct);
  ours_free(ours);
}

int main(int argc, char **argv) {
  int samples = argc > 1 ? atoi(argv[1]) : 15;
  samples = samples < 1 ? 1 : samples > SAMPLES_MAX ? SAMPLES_MAX : samples;
  omp_set_num_threads(1);
  check_dnnl(dnnl_engine_create(&engine, dnnl_cpu, 0));
  check_dnnl(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
  printf("%-36s %7s  %28s  %8s  %8s  %5s\n", "median of alternating runs, GFLOP/s",
         "layout", "batch x m x k x n", "kernel", "oneDNN", "ratio");
  for (size_t i = 0; i < POD_COUNT_OF(cases); i++) {
    measure(&cases[i], samples);
  }
  dnnl_stream_destroy(stream);
  dnnl_engine_destroy(engine);
  return 0;
}
