// One instruction with its operands and results, for tests of kernels.

#ifndef TESTS_UNIT_SERVER_WORKER_KERNELS_KERNEL_CASE_H_
#define TESTS_UNIT_SERVER_WORKER_KERNELS_KERNEL_CASE_H_

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/check.h"
#include "common/base/random.h"
#include "common/tensor/array.h"
#include "server/worker/kernels/kernel.h"

enum { CASE_BUFFERS = 96, CASE_ATTRS = 16, CASE_VALUES = 16 };

typedef struct {
  chip_program_t program;
  chip_buffer_t buffers[CASE_BUFFERS];
  tensor_array_t arrays[CASE_BUFFERS];
  chip_instruction_t instruction;
  chip_attr_t attrs[CASE_ATTRS];
  int64_t values[CASE_ATTRS][CASE_VALUES];
  int32_t operands[CASE_BUFFERS], results[CASE_BUFFERS], calls[2];
  int32_t buffer_count, operand_count, result_count, attr_count;
  kernel_call_fn_t call;
  void *call_context;
  kernel_control_t *control;
  void *cache;
  void (*cache_free)(void *cache);
} kernel_case_t;

__attribute__((unused)) static kernel_case_t *case_make(chip_op_t op) {
  kernel_case_t *c = calloc(1, sizeof(*c));
  assert_non_null(c);
  c->instruction.op = op;
  c->instruction.name = "tested";
  c->instruction.source = "";
  return c;
}

__attribute__((unused)) static void case_free(kernel_case_t *c) {
  if (c->cache != NULL) {
    c->cache_free(c->cache);
  }
  for (int i = 0; i < c->buffer_count; i++) {
    tensor_array_deinit(&c->arrays[i]);
  }
  free(c);
}

__attribute__((unused)) static int32_t case_buffer(kernel_case_t *c, tensor_dtype_t dtype,
                                                   int rank, const int64_t *dims) {
  assert_true(c->buffer_count < CASE_BUFFERS);
  const int32_t index = c->buffer_count++;
  c->buffers[index].shape = tensor_shape_make(dtype, rank, dims);
  assert_null(tensor_array_init(&c->arrays[index], &c->buffers[index].shape));
  return index;
}

// Filled by a generator of tensor_fill. Borrowed until case_free.
__attribute__((unused)) static tensor_array_t *case_operand(kernel_case_t *c,
                                                            tensor_dtype_t dtype,
                                                            int rank, const int64_t *dims,
                                                            const char *generator) {
  const int32_t index = case_buffer(c, dtype, rank, dims);
  c->operands[c->operand_count++] = index;
  assert_null(tensor_fill(generator, &c->arrays[index]));
  return &c->arrays[index];
}

// Filled with 0xa5, so that what is not written shows.
__attribute__((unused)) static tensor_array_t *case_result(kernel_case_t *c,
                                                           tensor_dtype_t dtype, int rank,
                                                           const int64_t *dims) {
  const int32_t index = case_buffer(c, dtype, rank, dims);
  c->results[c->result_count++] = index;
  memset(c->arrays[index].data, 0xa5,
         (size_t)tensor_shape_bytes(&c->buffers[index].shape));
  return &c->arrays[index];
}

__attribute__((unused)) static void case_attr(kernel_case_t *c, chip_attr_key_t key,
                                              int count, const int64_t *values) {
  assert_true(c->attr_count < CASE_ATTRS && count <= CASE_VALUES);
  for (int i = 0; i < count; i++) {
    c->values[c->attr_count][i] = values[i];
  }
  c->attrs[c->attr_count] = (chip_attr_t){key, count, c->values[c->attr_count]};
  c->attr_count++;
}

__attribute__((unused)) static void case_attr_one(kernel_case_t *c, chip_attr_key_t key,
                                                  int64_t value) {
  case_attr(c, key, 1, &value);
}

// The result `in_place` is the buffer of operand 0.
__attribute__((unused)) static pod_status_t case_run_at(kernel_case_t *c,
                                                        bool is_in_place) {
  const void *operands[CASE_BUFFERS];
  void *results[CASE_BUFFERS];
  for (int i = 0; i < c->operand_count; i++) {
    operands[i] = c->arrays[c->operands[i]].data;
  }
  for (int i = 0; i < c->result_count; i++) {
    results[i] = c->arrays[c->results[i]].data;
  }
  if (is_in_place) {
    results[0] = c->arrays[c->operands[0]].data;
  }
  c->program.buffers = c->buffers;
  c->program.buffer_count = c->buffer_count;
  c->instruction.operands = c->operands;
  c->instruction.results = c->results;
  c->instruction.attrs = c->attrs;
  c->instruction.operand_count = c->operand_count;
  c->instruction.result_count = c->result_count;
  c->instruction.attr_count = c->attr_count;
  c->instruction.calls = c->calls;
  c->calls[1] = 1;
  c->instruction.call_count = c->program.computation_count > 1 ? 2 : c->call != NULL;
  const kernel_args_t args = {
      .program = &c->program,
      .instruction = &c->instruction,
      .operands = operands,
      .results = results,
      .cache = &c->cache,
      .cache_free = &c->cache_free,
      .call = c->call,
      .call_context = c->call_context,
      .control = c->control,
  };
  const kernel_fn_t kernel = kernel_find(c->instruction.op);
  assert_non_null(kernel);
  return kernel_run(kernel, &args);
}

__attribute__((unused)) static pod_status_t case_run(kernel_case_t *c) {
  return case_run_at(c, false);
}

__attribute__((unused)) static void assert_runs(kernel_case_t *c) {
  const pod_status_t status = case_run(c);
  assert_string_equal(pod_status_message(status), "ok");
}

__attribute__((unused)) static const char *element_of(const tensor_array_t *array,
                                                      int64_t index) {
  return (const char *)array->data +
         index * (int64_t)tensor_dtype_bytes(array->shape.dtype);
}

__attribute__((unused)) static char *mutable_element_of(tensor_array_t *array,
                                                        int64_t index) {
  return (char *)array->data + index * (int64_t)tensor_dtype_bytes(array->shape.dtype);
}

__attribute__((unused)) static double number_of(const tensor_array_t *array,
                                                int64_t index) {
  return tensor_element_as_double(array->shape.dtype, element_of(array, index));
}

// Index along every dimension of element `place`, row-major.
__attribute__((unused)) static void index_of(const tensor_shape_t *shape, int64_t place,
                                             int64_t *index) {
  for (int i = shape->rank - 1; i >= 0; i--) {
    index[i] = place % shape->dims[i];
    place /= shape->dims[i];
  }
}

__attribute__((unused)) static int64_t place_of(const tensor_shape_t *shape,
                                                const int64_t *index) {
  int64_t place = 0;
  for (int i = 0; i < shape->rank; i++) {
    place = place * shape->dims[i] + index[i];
  }
  return place;
}

// Integer distance of two elements of a float type; 0 for equal ones (also NaN and NaN,
// -0 and 0), large when only one is special.
__attribute__((unused)) static int64_t ulp_distance(tensor_dtype_t dtype, const void *a,
                                                    const void *b) {
  const double x = tensor_element_as_double(dtype, a);
  const double y = tensor_element_as_double(dtype, b);
  if (x == y || (x != x && y != y)) {
    return 0;
  }
  if (x != x || y != y || x - x != 0 || y - y != 0) {
    return INT64_MAX;
  }
  const size_t bytes = tensor_dtype_bytes(dtype);
  int64_t keys[2] = {0, 0};
  const void *const elements[2] = {a, b};
  for (int i = 0; i < 2; i++) {
    uint64_t bits = 0;
    memcpy(&bits, elements[i], bytes);
    const uint64_t sign = (uint64_t)1 << (tensor_dtype_device_bits(dtype) - 1);
    const int64_t magnitude = (int64_t)(bits & (sign - 1));
    keys[i] = (bits & sign) != 0 ? -magnitude : magnitude;
  }
  const int64_t distance = keys[0] - keys[1];
  return distance < 0 ? -distance : distance;
}

#endif  // TESTS_UNIT_SERVER_WORKER_KERNELS_KERNEL_CASE_H_
