// Kernels that memory bounds, beside a memcpy that moves as many bytes: medians of
// alternating runs of CPU time, and the ratio of their bandwidths.
//
// Usage: kernel_bench [SAMPLES [NAME]]

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/check.h"
#include "common/tensor/array.h"
#include "server/worker/kernels/kernel.h"

enum { SAMPLES_MAX = 101, OPERANDS_MAX = 4, ATTRS_MAX = 4 };

// Shapes are sizes ended by -1; dtypes TENSOR_INVALID stand for the one measured.
typedef struct operand_t {
  tensor_dtype_t dtype;
  int64_t dims[5];
} operand_t;

typedef struct attr_t {
  chip_attr_key_t key;
  int64_t values[5];
} attr_t;

typedef struct case_t {
  const char *title;
  chip_op_t op;
  operand_t operands[OPERANDS_MAX], result;
  int operand_count;
  attr_t attrs[ATTRS_MAX];
} case_t;

#define FLAT          \
  {                   \
    TENSOR_INVALID, { \
      1 << 22, -1     \
    }                 \
  }
#define SQUARE        \
  {                   \
    TENSOR_INVALID, { \
      2048, 2048, -1  \
    }                 \
  }
#define ROW           \
  {                   \
    TENSOR_INVALID, { \
      2048, -1        \
    }                 \
  }
#define SCALAR        \
  {                   \
    TENSOR_INVALID, { \
      -1              \
    }                 \
  }
#define INDEX     \
  {               \
    TENSOR_S32, { \
      -1          \
    }             \
  }
#define SHAPE(...)    \
  {                   \
    TENSOR_INVALID, { \
      __VA_ARGS__, -1 \
    }                 \
  }
#define DIMS(...)           \
  {                         \
    CHIP_ATTR_DIMENSIONS, { \
      __VA_ARGS__, -1       \
    }                       \
  }
#define REDUCER(which)         \
  {                            \
    CHIP_ATTR_REDUCER, {       \
      CHIP_REDUCER_##which, -1 \
    }                          \
  }

static const case_t cases[] = {
    {"add", CHIP_OP_ADD, {FLAT, FLAT}, FLAT, 2, {{0}}},
    {"multiply", CHIP_OP_MULTIPLY, {FLAT, FLAT}, FLAT, 2, {{0}}},
    {"maximum", CHIP_OP_MAXIMUM, {FLAT, FLAT}, FLAT, 2, {{0}}},
    {"divide", CHIP_OP_DIVIDE, {FLAT, FLAT}, FLAT, 2, {{0}}},
    {"negate", CHIP_OP_NEGATE, {FLAT}, FLAT, 1, {{0}}},
    {"floor", CHIP_OP_FLOOR, {FLAT}, FLAT, 1, {{0}}},
    {"sqrt", CHIP_OP_SQRT, {FLAT}, FLAT, 1, {{0}}},
    {"rsqrt", CHIP_OP_RSQRT, {FLAT}, FLAT, 1, {{0}}},
    {"exponential", CHIP_OP_EXPONENTIAL, {FLAT}, FLAT, 1, {{0}}},
    {"tanh", CHIP_OP_TANH, {FLAT}, FLAT, 1, {{0}}},
    {"logistic", CHIP_OP_LOGISTIC, {FLAT}, FLAT, 1, {{0}}},
    {"log", CHIP_OP_LOG, {FLAT}, FLAT, 1, {{0}}},
    {"power", CHIP_OP_POWER, {FLAT, FLAT}, FLAT, 2, {{0}}},
    {"compare", CHIP_OP_COMPARE, {FLAT, FLAT}, {TENSOR_PRED, {1 << 22, -1}}, 2, {{0}}},
    {"select",
     CHIP_OP_SELECT,
     {{TENSOR_PRED, {1 << 22, -1}}, FLAT, FLAT},
     FLAT,
     3,
     {{0}}},
    {"clamp by scalars", CHIP_OP_CLAMP, {SCALAR, FLAT, SCALAR}, FLAT, 3, {{0}}},
    {"convert to f32", CHIP_OP_CONVERT, {FLAT}, {TENSOR_F32, {1 << 22, -1}}, 1, {{0}}},
    {"convert to bf16", CHIP_OP_CONVERT, {FLAT}, {TENSOR_BF16, {1 << 22, -1}}, 1, {{0}}},
    {"convert to s32", CHIP_OP_CONVERT, {FLAT}, {TENSOR_S32, {1 << 22, -1}}, 1, {{0}}},
    {"broadcast of a scalar",
     CHIP_OP_BROADCAST_IN_DIM,
     {SCALAR},
     SQUARE,
     1,
     {{CHIP_ATTR_DIMENSIONS, {-1}}}},
    {"broadcast of a row", CHIP_OP_BROADCAST_IN_DIM, {ROW}, SQUARE, 1, {DIMS(1)}},
    {"broadcast of a column", CHIP_OP_BROADCAST_IN_DIM, {ROW}, SQUARE, 1, {DIMS(0)}},
    {"broadcast in the middle",
     CHIP_OP_BROADCAST_IN_DIM,
     {SHAPE(64, 64)},
     SHAPE(64, 1024, 64),
     1,
     {DIMS(0, 2)}},
    {"broadcast to 4 columns",
     CHIP_OP_BROADCAST_IN_DIM,
     {SHAPE(1 << 20)},
     SHAPE(1 << 20, 4),
     1,
     {DIMS(0)}},
    {"transpose", CHIP_OP_TRANSPOSE, {SQUARE}, SQUARE, 1, {DIMS(1, 0)}},
    {"transpose of heads",
     CHIP_OP_TRANSPOSE,
     {SHAPE(8, 512, 16, 64)},
     SHAPE(8, 16, 512, 64),
     1,
     {DIMS(0, 2, 1, 3)}},
    {"transpose of all",
     CHIP_OP_TRANSPOSE,
     {SHAPE(128, 256, 128)},
     SHAPE(128, 256, 128),
     1,
     {DIMS(2, 1, 0)}},
    {"transpose of 3 columns",
     CHIP_OP_TRANSPOSE,
     {SHAPE(1 << 20, 3)},
     SHAPE(3, 1 << 20),
     1,
     {DIMS(1, 0)}},
    {"slice of columns",
     CHIP_OP_SLICE,
     {SQUARE},
     SHAPE(2048, 1000),
     1,
     {{CHIP_ATTR_START_INDICES, {0, 24, -1}}, {CHIP_ATTR_STRIDES, {1, 1, -1}}}},
    {"slice of every second",
     CHIP_OP_SLICE,
     {FLAT},
     SHAPE(1 << 21),
     1,
     {{CHIP_ATTR_START_INDICES, {0, -1}}, {CHIP_ATTR_STRIDES, {2, -1}}}},
    {"reverse", CHIP_OP_REVERSE, {SQUARE}, SQUARE, 1, {DIMS(1)}},
    {"dynamic_slice",
     CHIP_OP_DYNAMIC_SLICE,
     {SQUARE, INDEX, INDEX},
     SHAPE(1024, 1024),
     3,
     {{0}}},
    {"concatenate of rows",
     CHIP_OP_CONCATENATE,
     {SQUARE, SQUARE},
     SHAPE(4096, 2048),
     2,
     {{CHIP_ATTR_DIMENSION, {0, -1}}}},
    {"concatenate of columns",
     CHIP_OP_CONCATENATE,
     {SQUARE, SQUARE},
     SHAPE(2048, 4096),
     2,
     {{CHIP_ATTR_DIMENSION, {1, -1}}}},
    {"concatenate of pairs",
     CHIP_OP_CONCATENATE,
     {SHAPE(1 << 20, 1), SHAPE(1 << 20, 1)},
     SHAPE(1 << 20, 2),
     2,
     {{CHIP_ATTR_DIMENSION, {1, -1}}}},
    {"pad at the edges",
     CHIP_OP_PAD,
     {SQUARE, SCALAR},
     SHAPE(2050, 2060),
     2,
     {{CHIP_ATTR_EDGE_PADDING_LOW, {1, 6, -1}},
      {CHIP_ATTR_INTERIOR_PADDING, {0, 0, -1}}}},
    {"pad in between",
     CHIP_OP_PAD,
     {SQUARE, SCALAR},
     SHAPE(2048, 4095),
     2,
     {{CHIP_ATTR_EDGE_PADDING_LOW, {0, 0, -1}},
      {CHIP_ATTR_INTERIOR_PADDING, {0, 1, -1}}}},
    {"iota", CHIP_OP_IOTA, {{0}}, FLAT, 0, {{CHIP_ATTR_DIMENSION, {0, -1}}}},
    {"reduce of rows", CHIP_OP_REDUCE, {SQUARE, SCALAR}, ROW, 2, {DIMS(1), REDUCER(ADD)}},
    {"reduce of columns",
     CHIP_OP_REDUCE,
     {SQUARE, SCALAR},
     ROW,
     2,
     {DIMS(0), REDUCER(ADD)}},
    {"reduce of all",
     CHIP_OP_REDUCE,
     {SQUARE, SCALAR},
     SCALAR,
     2,
     {DIMS(0, 1), REDUCER(ADD)}},
    {"reduce of the middle",
     CHIP_OP_REDUCE,
     {SHAPE(64, 1024, 64), SCALAR},
     SHAPE(64, 64),
     2,
     {DIMS(1), REDUCER(MAXIMUM)}},
    {"reduce of both ends",
     CHIP_OP_REDUCE,
     {SHAPE(64, 1024, 64), SCALAR},
     SHAPE(1024),
     2,
     {DIMS(0, 2), REDUCER(ADD)}},
    {"reduce of short rows",
     CHIP_OP_REDUCE,
     {SHAPE(1 << 20, 4), SCALAR},
     SHAPE(1 << 20),
     2,
     {DIMS(1), REDUCER(ADD)}},
    {"reduce of narrow columns",
     CHIP_OP_REDUCE,
     {SHAPE(1 << 20, 4), SCALAR},
     SHAPE(4),
     2,
     {DIMS(0), REDUCER(ADD)}},
    {"maximum of rows",
     CHIP_OP_REDUCE,
     {SQUARE, SCALAR},
     ROW,
     2,
     {DIMS(1), REDUCER(MAXIMUM)}},
};

typedef struct instance_t {
  chip_program_t program;
  chip_buffer_t buffers[OPERANDS_MAX + 1];
  tensor_array_t arrays[OPERANDS_MAX + 1];
  int32_t operands[OPERANDS_MAX], results[1];
  chip_attr_t attrs[ATTRS_MAX];
  chip_instruction_t instruction;
  void *cache;
  void (*cache_free)(void *cache);
} instance_t;

static void check(pod_status_t status) {
  if (status != NULL) {
    fprintf(stderr, "%s\n", pod_status_message(status));
    exit(1);
  }
}

static int count_of(const int64_t *values) {
  int count = 0;
  while (values[count] >= 0) {
    count++;
  }
  return count;
}

static void add_array(instance_t *instance, int index, const operand_t *operand,
                      tensor_dtype_t dtype) {
  const tensor_shape_t shape =
      tensor_shape_make(operand->dtype == TENSOR_INVALID ? dtype : operand->dtype,
                        count_of(operand->dims), operand->dims);
  instance->buffers[index].shape = shape;
  check(tensor_array_init(&instance->arrays[index], &shape));
  check(tensor_fill("random:1", &instance->arrays[index]));
}

static instance_t *instance_make(const case_t *c, tensor_dtype_t dtype) {
  instance_t *instance = calloc(1, sizeof(*instance));
  POD_CHECK(instance != NULL);
  for (int i = 0; i < c->operand_count; i++) {
    add_array(instance, i, &c->operands[i], dtype);
    instance->operands[i] = i;
  }
  add_array(instance, c->operand_count, &c->result, dtype);
  instance->results[0] = c->operand_count;
  int attr_count = 0;
  for (; attr_count < ATTRS_MAX && c->attrs[attr_count].key != 0; attr_count++) {
    const attr_t *attr = &c->attrs[attr_count];
    instance->attrs[attr_count] =
        (chip_attr_t){attr->key, count_of(attr->values), attr->values};
  }
  instance->program.buffers = instance->buffers;
  instance->instruction = (chip_instruction_t){.op = c->op,
                                               .operand_count = c->operand_count,
                                               .result_count = 1,
                                               .attr_count = attr_count,
                                               .operands = instance->operands,
                                               .results = instance->results,
                                               .attrs = instance->attrs,
                                               .name = "measured"};
  return instance;
}

static void instance_run(instance_t *instance) {
  const void *operands[OPERANDS_MAX];
  const int count = instance->instruction.operand_count;
  for (int i = 0; i < count; i++) {
    operands[i] = instance->arrays[i].data;
  }
  void *const results[] = {instance->arrays[count].data};
  const kernel_args_t args = {.program = &instance->program,
                              .instruction = &instance->instruction,
                              .operands = operands,
                              .results = results,
                              .cache = &instance->cache,
                              .cache_free = &instance->cache_free};
  check(kernel_find(instance->instruction.op)(&args));
}

// What is read and written, the part of a slice that is left out not counted.
static size_t moved_bytes(const instance_t *instance) {
  const int count = instance->instruction.operand_count;
  const chip_op_t op = instance->instruction.op;
  const size_t result = (size_t)tensor_shape_bytes(&instance->arrays[count].shape);
  size_t bytes = result;
  for (int i = 0; i < count; i++) {
    bytes += (size_t)tensor_shape_bytes(&instance->arrays[i].shape);
  }
  return op == CHIP_OP_SLICE || op == CHIP_OP_DYNAMIC_SLICE ? 2 * result : bytes;
}

static int64_t cpu_time_ns(void) {
  struct timespec now;
  POD_CHECK(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int by_value(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

static double median(int64_t *times, int samples) {
  qsort(times, (size_t)samples, sizeof(*times), by_value);
  return (double)times[samples / 2];
}

static void measure(const case_t *c, tensor_dtype_t dtype, int samples, char *from,
                    char *to) {
  instance_t *instance = instance_make(c, dtype);
  const size_t bytes = moved_bytes(instance);
  int64_t kernel_ns[SAMPLES_MAX], memcpy_ns[SAMPLES_MAX];
  instance_run(instance);
  for (int i = 0; i < samples; i++) {
    const int64_t start = cpu_time_ns();
    instance_run(instance);
    const int64_t middle = cpu_time_ns();
    memcpy(to, from, bytes / 2);
    memcpy_ns[i] = cpu_time_ns() - middle;
    kernel_ns[i] = middle - start;
  }
  const double own = (double)bytes / median(kernel_ns, samples);
  const double rival = (double)bytes / median(memcpy_ns, samples);
  printf("%-26s %-5s %8.2f  %8.2f  %5.2f%s\n", c->title, tensor_dtype_name(dtype), own,
         rival, own / rival, own / rival < 1.0 / 3 ? "  <" : "");
  fflush(stdout);
  for (int i = 0; i <= c->operand_count; i++) {
    tensor_array_deinit(&instance->arrays[i]);
  }
  free(instance);
}

int main(int argc, char **argv) {
  int samples = argc > 1 ? atoi(argv[1]) : 15;
  samples = samples < 1 ? 1 : samples > SAMPLES_MAX ? SAMPLES_MAX : samples;
  const size_t copied_bytes_max = (size_t)64 << 20;
  char *from = malloc(copied_bytes_max), *to = malloc(copied_bytes_max);
  POD_CHECK(from != NULL && to != NULL);
  memset(from, 1, copied_bytes_max);
  memset(to, 1, copied_bytes_max);
  printf("%-32s %8s  %8s  %5s\n", "GB/s read and written", "kernel", "memcpy", "ratio");
  const tensor_dtype_t dtypes[] = {TENSOR_F32, TENSOR_BF16};
  for (size_t i = 0; i < POD_COUNT_OF(cases); i++) {
    for (size_t t = 0; t < POD_COUNT_OF(dtypes); t++) {
      if (argc < 3 || strstr(cases[i].title, argv[2]) != NULL) {
        measure(&cases[i], dtypes[t], samples, from, to);
      }
    }
  }
  free(from);
  free(to);
  return 0;
}
