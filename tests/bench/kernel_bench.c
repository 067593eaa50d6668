// Kernels that memory bounds, beside a memcpy that moves as many bytes: medians of
// alternating runs of CPU time, the ratio of their bandwidths, and millions of elements
// (of the largest array) per second. `<` marks what is below a third without a reason.
//
// Usage: kernel_bench [SAMPLES [NAME]]

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/random.h"
#include "common/tensor/array.h"
#include "server/worker/kernels/kernel.h"
#include "tests/bench/kernel_bench.h"
#include "tests/bench/measure.h"

enum { SAMPLES_MAX = 101, ARRAYS_MAX = 64, VALUES_MAX = 32 };

typedef struct instance_t {
  chip_program_t program;
  chip_buffer_t buffers[ARRAYS_MAX + 2 * VALUES_MAX];
  tensor_array_t arrays[ARRAYS_MAX];
  int32_t operands[ARRAYS_MAX], results[RESULTS_MAX];
  int operand_count, result_count, buffer_count;
  chip_attr_t attrs[ATTRS_MAX];
  chip_instruction_t instruction;
  // Regions.
  chip_computation_t computations[2];
  int32_t calls[2], parameters[2][4], region_results[2][RESULTS_MAX];
  chip_instruction_t steps[2 * STEPS_MAX];
  int32_t step_operands[2 * STEPS_MAX][3], step_results[2 * STEPS_MAX];
  chip_attr_t step_attrs[2 * STEPS_MAX][2];
  int64_t step_values[2 * STEPS_MAX][2];
  int step_count;
  chip_constant_t constants[2];
  char constant_bytes[2][16];
  void *cache;
  void (*cache_free)(void *cache);
} instance_t;

static int count_of(const int64_t *values) {
  int count = 0;
  while (values[count] >= 0) {
    count++;
  }
  return count;
}

static int add_array(instance_t *instance, const operand_t *operand,
                     tensor_dtype_t dtype) {
  const int index = instance->buffer_count++;
  POD_CHECK(index < ARRAYS_MAX);
  const tensor_shape_t shape =
      tensor_shape_make(operand->dtype == TENSOR_INVALID ? dtype : operand->dtype,
                        count_of(operand->dims), operand->dims);
  instance->buffers[index] =
      (chip_buffer_t){.kind = CHIP_BUFFER_ARGUMENT, .index = index, .shape = shape};
  measure_check(tensor_array_init(&instance->arrays[index], &shape));
  // Initial values are such that reductions begin with.
  measure_check(
      tensor_fill(shape.rank == 0 ? "zeros" : "random:1", &instance->arrays[index]));
  if (operand->below > 0) {
    pod_random_t random = {7};
    int32_t *indices = instance->arrays[index].data;
    for (int64_t i = 0; i < tensor_shape_elements(&shape); i++) {
      indices[i] = (int32_t)pod_random_below(&random, (uint64_t)operand->below);
    }
  }
  return index;
}

// Floats become their magnitude or a little more than 0, integers at least 1.
static void make_positive(tensor_array_t *array) {
  const tensor_dtype_t dtype = array->shape.dtype;
  char *element = array->data;
  for (int64_t i = 0; i < tensor_shape_elements(&array->shape); i++) {
    const double value = tensor_element_as_double(dtype, element);
    const double least = tensor_dtype_is_float(dtype) ? 0x1p-10 : 1;
    const double magnitude = value < 0 ? -value : value;
    tensor_element_from_double(dtype, magnitude < least ? least : magnitude, element);
    element += tensor_dtype_bytes(dtype);
  }
}

// ----- regions -----

static int32_t add_scalar(instance_t *instance, tensor_dtype_t dtype,
                          chip_buffer_kind_t kind, int32_t index) {
  const int32_t buffer = instance->buffer_count++;
  instance->buffers[buffer] =
      (chip_buffer_t){.kind = kind,
                      .index = index,
                      .offset = (int64_t)buffer * CHIP_BUFFER_ALIGNMENT,
                      .shape = tensor_shape_make(dtype, 0, NULL)};
  return buffer;
}

static void add_step(instance_t *instance, const step_t *step, tensor_dtype_t dtype,
                     int32_t *values, int value) {
  const int at = instance->step_count++;
  chip_instruction_t *made = &instance->steps[at];
  int count = 0;
  for (; count < 3 && step->operands[count] >= 0; count++) {
    instance->step_operands[at][count] = values[step->operands[count]];
  }
  values[value] = add_scalar(
      instance, step->dtype == TENSOR_INVALID ? dtype : step->dtype, CHIP_BUFFER_TEMP, 0);
  instance->step_results[at] = values[value];
  instance->step_values[at][0] = step->direction;
  instance->step_values[at][1] =
      step->is_total_order ? CHIP_COMPARE_TOTAL_ORDER : CHIP_COMPARE_BY_DTYPE;
  for (int i = 0; i < 2; i++) {
    instance->step_attrs[at][i] =
        (chip_attr_t){i == 0 ? CHIP_ATTR_COMPARISON_DIRECTION : CHIP_ATTR_COMPARE_TYPE, 1,
                      &instance->step_values[at][i]};
  }
  *made = (chip_instruction_t){.op = step->op,
                               .operand_count = count,
                               .result_count = 1,
                               .attr_count = step->op == CHIP_OP_COMPARE ? 2 : 0,
                               .operands = instance->step_operands[at],
                               .results = &instance->step_results[at],
                               .attrs = instance->step_attrs[at],
                               .name = "step"};
}

static void add_region(instance_t *instance, int which, const region_t *region,
                       tensor_dtype_t dtype) {
  int32_t values[VALUES_MAX];
  const int parameters = region->parameter_count;
  chip_computation_t *computation = &instance->computations[which];
  *computation = (chip_computation_t){.name = "region",
                                      .parameter_count = parameters,
                                      .result_count = region->result_count,
                                      .parameters = instance->parameters[which],
                                      .results = instance->region_results[which],
                                      .first_instruction = instance->step_count,
                                      .instruction_count = region->step_count};
  for (int i = 0; i < parameters; i++) {
    const tensor_dtype_t own = region->parameters[i];
    values[i] =
        add_scalar(instance, own == TENSOR_INVALID ? dtype : own, CHIP_BUFFER_TEMP, 0);
    instance->parameters[which][i] = values[i];
  }
  for (int i = 0; i < 2; i++) {
    const bool is_float = tensor_dtype_is_float(dtype);
    tensor_element_from_double(dtype, i == 0 || !is_float ? 0 : NAN,
                               instance->constant_bytes[i]);
    instance->constants[i] =
        (chip_constant_t){.shape = tensor_shape_make(dtype, 0, NULL),
                          .size_bytes = (int64_t)tensor_dtype_bytes(dtype),
                          .data = instance->constant_bytes[i]};
    values[parameters + i] = add_scalar(instance, dtype, CHIP_BUFFER_CONSTANT, i);
  }
  for (int i = 0; i < region->step_count; i++) {
    add_step(instance, &region->steps[i], dtype, values, parameters + 2 + i);
  }
  const int end = parameters + 2 + region->step_count;
  for (int i = 0; i < region->result_count; i++) {
    instance->region_results[which][i] = values[end - region->result_count + i];
  }
}

static int add_regions(instance_t *instance, const case_t *c, tensor_dtype_t dtype) {
  int count = 0;
  for (; count < 2 && c->regions[count] != NULL; count++) {
    add_region(instance, count, c->regions[count], dtype);
    instance->calls[count] = count;
  }
  instance->program.computations = count > 0 ? instance->computations : NULL;
  instance->program.computation_count = count;
  instance->program.instructions = instance->steps;
  instance->program.constants = instance->constants;
  return count;
}

// ----- instances -----

static instance_t *instance_make(const case_t *c, tensor_dtype_t dtype) {
  instance_t *instance = calloc(1, sizeof(*instance));
  POD_CHECK(instance != NULL);
  int listed = 0;
  while (listed < OPERANDS_MAX && c->operands[listed].dims[0] != 0) {
    listed++;
  }
  const int operands = c->repeated > listed ? c->repeated : listed;
  for (int i = 0; i < operands; i++) {
    instance->operands[i] =
        add_array(instance, &c->operands[i < listed ? i : i % listed], dtype);
    if (c->is_positive) {
      make_positive(&instance->arrays[i]);
    }
  }
  for (; instance->result_count < RESULTS_MAX &&
         c->results[instance->result_count].dims[0] != 0;
       instance->result_count++) {
    instance->results[instance->result_count] =
        add_array(instance, &c->results[instance->result_count], dtype);
  }
  instance->operand_count = operands;
  int attr_count = 0;
  for (; attr_count < ATTRS_MAX && c->attrs[attr_count].key != 0; attr_count++) {
    const attr_t *attr = &c->attrs[attr_count];
    int values = DIMS_MAX - 1;  // Ended by the last -1; others are values.
    while (attr->values[values] != -1) {
      values--;
    }
    instance->attrs[attr_count] = (chip_attr_t){attr->key, values, attr->values};
  }
  const int calls = add_regions(instance, c, dtype);
  instance->program.buffers = instance->buffers;
  instance->instruction = (chip_instruction_t){.op = c->op,
                                               .operand_count = operands,
                                               .result_count = instance->result_count,
                                               .attr_count = attr_count,
                                               .call_count = calls,
                                               .operands = instance->operands,
                                               .results = instance->results,
                                               .attrs = instance->attrs,
                                               .calls = instance->calls,
                                               .name = "measured"};
  return instance;
}

static void instance_free(instance_t *instance) {
  if (instance->cache != NULL) {
    instance->cache_free(instance->cache);
  }
  for (int i = 0; i < instance->operand_count + instance->result_count; i++) {
    tensor_array_deinit(&instance->arrays[i]);
  }
  free(instance);
}

static void instance_run(instance_t *instance, bool is_in_place) {
  const void *operands[ARRAYS_MAX];
  void *results[RESULTS_MAX];
  for (int i = 0; i < instance->operand_count; i++) {
    operands[i] = instance->arrays[i].data;
  }
  for (int i = 0; i < instance->result_count; i++) {
    results[i] = instance->arrays[instance->results[i]].data;
  }
  if (is_in_place) {
    results[0] = instance->arrays[0].data;
  }
  const kernel_args_t args = {.program = &instance->program,
                              .instruction = &instance->instruction,
                              .operands = operands,
                              .results = results,
                              .cache = &instance->cache,
                              .cache_free = &instance->cache_free};
  measure_run(&args);
}

// How often a slice reads more than it takes: lines come whole, so that with every k-th
// element of a row k times as much crosses the memory bus, up to a line for each.
static size_t lines_per_element(const case_t *c, const instance_t *instance) {
  enum { LINE = 64 };
  size_t times = 1;
  for (int i = 0; i < ATTRS_MAX && c->op == CHIP_OP_SLICE; i++) {
    const attr_t *attr = &c->attrs[i];
    const tensor_shape_t *in = &instance->arrays[0].shape;
    if (attr->key == CHIP_ATTR_STRIDES && in->rank > 0 &&
        attr->values[in->rank - 1] > 1) {
      const size_t line = LINE / tensor_dtype_bytes(in->dtype);
      times = (size_t)attr->values[in->rank - 1];
      times = times < line ? times : line;
    }
  }
  return times;
}

// What is read and written, the part of a slice that is left out not counted but for the
// lines that it shares.
static size_t moved_bytes(const case_t *c, const instance_t *instance) {
  const tensor_shape_t *result =
      &instance->arrays[instance->results[instance->result_count - 1]].shape;
  if (c->elements_moved > 0) {
    return (size_t)c->elements_moved * tensor_dtype_bytes(result->dtype);
  }
  if (c->op == CHIP_OP_SLICE || c->op == CHIP_OP_DYNAMIC_SLICE) {
    return (1 + lines_per_element(c, instance)) * (size_t)tensor_shape_bytes(result);
  }
  size_t bytes = 0;
  for (int i = 0; i < instance->operand_count + instance->result_count; i++) {
    bytes += (size_t)tensor_shape_bytes(&instance->arrays[i].shape);
  }
  return bytes;
}

static int64_t largest_count(const instance_t *instance) {
  int64_t largest = 0;
  for (int i = 0; i < instance->operand_count + instance->result_count; i++) {
    const int64_t count = tensor_shape_elements(&instance->arrays[i].shape);
    largest = count > largest ? count : largest;
  }
  return largest;
}

static void measure(const case_t *c, tensor_dtype_t dtype, int samples, char *from,
                    char *to) {
  instance_t *instance = instance_make(c, dtype);
  const size_t bytes = moved_bytes(c, instance);
  int64_t kernel_ns[SAMPLES_MAX], memcpy_ns[SAMPLES_MAX];
  instance_run(instance, c->is_in_place);
  for (int i = 0; i < samples; i++) {
    const int64_t start = measure_cpu_ns();
    instance_run(instance, c->is_in_place);
    const int64_t middle = measure_cpu_ns();
    memcpy(to, from, bytes / 2);
    memcpy_ns[i] = measure_cpu_ns() - middle;
    kernel_ns[i] = middle - start;
  }
  const double kernel_median = measure_median(kernel_ns, samples);
  const double own = (double)bytes / kernel_median;
  const double rival = (double)bytes / measure_median(memcpy_ns, samples);
  const bool is_slow = own / rival < 1.0 / 3 && c->note == NULL;
  const char *remark = lines_per_element(c, instance) > 1 ? "whole lines read" : "";
  printf("%-30s %-5s %8.2f  %8.2f  %5.2f  %8.0f%s%s\n", c->title,
         tensor_dtype_name(dtype), own, rival, own / rival,
         (double)largest_count(instance) * 1e3 / kernel_median, is_slow ? "  <" : "  ",
         c->note != NULL ? c->note : remark);
  fflush(stdout);
  instance_free(instance);
}

static void measure_all(const case_t *cases, size_t count, int samples, const char *name,
                        char *from, char *to) {
  static const tensor_dtype_t usual[DTYPES_MAX] = {TENSOR_F32, TENSOR_BF16};
  for (size_t i = 0; i < count; i++) {
    const tensor_dtype_t *dtypes =
        cases[i].dtypes[0] != TENSOR_INVALID ? cases[i].dtypes : usual;
    for (int t = 0; t < DTYPES_MAX && dtypes[t] != TENSOR_INVALID; t++) {
      if (name == NULL || strstr(cases[i].title, name) != NULL) {
        measure(&cases[i], dtypes[t], samples, from, to);
      }
    }
  }
}

int main(int argc, char **argv) {
  int samples = argc > 1 ? atoi(argv[1]) : 15;
  samples = samples < 1 ? 1 : samples > SAMPLES_MAX ? SAMPLES_MAX : samples;
  const char *name = argc > 2 ? argv[2] : NULL;
  const size_t copied_bytes_max = (size_t)128 << 20;
  char *from = malloc(copied_bytes_max), *to = malloc(copied_bytes_max);
  POD_CHECK(from != NULL && to != NULL);
  memset(from, 1, copied_bytes_max);
  memset(to, 1, copied_bytes_max);
  printf("%-36s %8s  %8s  %5s  %8s\n", "GB/s read and written", "kernel", "memcpy",
         "ratio", "M/s");
  measure_all(kernel_bench_simple, kernel_bench_simple_count, samples, name, from, to);
  measure_all(kernel_bench_regions, kernel_bench_regions_count, samples, name, from, to);
  free(from);
  free(to);
  return 0;
}
