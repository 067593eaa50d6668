// The cases of kernel_bench.

#ifndef TESTS_BENCH_KERNEL_BENCH_H_
#define TESTS_BENCH_KERNEL_BENCH_H_

#include "server/program/program.h"

enum {
  OPERANDS_MAX = 6,
  RESULTS_MAX = 2,
  ATTRS_MAX = 9,
  STEPS_MAX = 16,
  DIMS_MAX = 6,
  DTYPES_MAX = 8,
};

// The shape is sizes ended by -1; one without any is no array. dtype TENSOR_INVALID
// stands for the one measured.
typedef struct operand_t {
  tensor_dtype_t dtype;
  int64_t dims[DIMS_MAX];
  int64_t below;  // Integers of it are random and below this, unless it is 0.
} operand_t;

typedef struct attr_t {
  chip_attr_key_t key;
  int64_t values[DIMS_MAX];
} attr_t;

// An instruction of a region. Values are counted: the parameters, zero and NaN of the
// measured type (or s32), then the steps' results.
typedef struct step_t {
  chip_op_t op;
  int8_t operands[3];  // Behind the last: -1.
  tensor_dtype_t dtype;
  chip_comparison_t direction;
  bool is_total_order;
} step_t;

// The last values are returned.
typedef struct region_t {
  int parameter_count, step_count, result_count;
  tensor_dtype_t parameters[4];
  step_t steps[STEPS_MAX];
} region_t;

typedef struct case_t {
  const char *title;
  chip_op_t op;
  operand_t operands[OPERANDS_MAX], results[RESULTS_MAX];
  attr_t attrs[ATTRS_MAX];
  const region_t *regions[2];
  tensor_dtype_t dtypes[DTYPES_MAX];  // None: f32 and bf16.
  bool is_in_place, is_positive;
  int repeated;  // The last operand is there so often in all; 0: once.
  // What is moved when it is not what is read and written.
  int64_t elements_moved;
  const char *note;  // Why memory does not bound it.
} case_t;

// What moves elements or computes them one by one, and what combines and orders them.
extern const case_t kernel_bench_simple[], kernel_bench_regions[];
extern const size_t kernel_bench_simple_count, kernel_bench_regions_count;

#define ARRAY(type, ...)                       \
  {                                            \
    .dtype = type, .dims = { __VA_ARGS__, -1 } \
  }
#define SHAPE(...) ARRAY(TENSOR_INVALID, __VA_ARGS__)
#define FLAT SHAPE(1 << 22)
#define SQUARE SHAPE(2048, 2048)
#define ROW SHAPE(2048)
#define SCALAR                              \
  {                                         \
    .dtype = TENSOR_INVALID, .dims = { -1 } \
  }
#define INDEX \
  { .dtype = TENSOR_S32, .dims = {-1}, .below = 1 }
#define OF_SHAPE(type, ...) ARRAY(TENSOR_##type, __VA_ARGS__)
#define OF_COUNT(type, count) ARRAY(TENSOR_##type, count)
#define OF(type) ARRAY(TENSOR_##type, 1 << 22)
#define OF_SQUARE(type) ARRAY(TENSOR_##type, 2048, 2048)
#define OF_ROW(type) ARRAY(TENSOR_##type, 2048)
#define PREDS OF(PRED)
#define PRED_SQUARE OF_SQUARE(PRED)
#define INDICES(count, bound) \
  { .dtype = TENSOR_S32, .dims = {count, 1, -1}, .below = bound }
#define REDUCER(which)         \
  {                            \
    CHIP_ATTR_REDUCER, {       \
      CHIP_REDUCER_##which, -1 \
    }                          \
  }
#define WIDE \
  { TENSOR_F32, TENSOR_BF16, TENSOR_F16, TENSOR_F64, TENSOR_S32, TENSOR_S8, TENSOR_U8 }
#define INTEGERS \
  { TENSOR_S32, TENSOR_S8, TENSOR_U8, TENSOR_PRED, }
#define SORTED \
  { TENSOR_F32, TENSOR_BF16, TENSOR_S32, TENSOR_F64 }

#endif  // TESTS_BENCH_KERNEL_BENCH_H_
