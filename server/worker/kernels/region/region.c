// Combining by a region: by the loop of a known reducer, by its second argument, or over
// lanes.

#include "server/worker/kernels/region/region.h"

#include <string.h>

#include "server/worker/kernels/kernels.h"
#include "server/worker/kernels/region/collect.h"
#include "server/worker/kernels/region/lanes.h"
#include "server/worker/kernels/stop.h"
#include "server/worker/kernels/storage.h"

kernel_binary_fn_t kernel_reducer_loop(chip_reducer_t reducer, tensor_dtype_t dtype) {
  const chip_op_t op = chip_reducer_op(reducer);
  return op != CHIP_OP_INVALID ? kernel_binary_of(op, dtype) : NULL;
}

static const chip_computation_t *region_of(const kernel_args_t *args, int32_t call) {
  return &args->program->computations[args->instruction->calls[call]];
}

// The operation of parameters `which` of each half, in either order, that result `which`
// of a region is.
static chip_op_t operation_of(const kernel_args_t *args, const chip_computation_t *region,
                              int32_t which) {
  const int32_t half = region->parameter_count / 2;
  const int32_t x = region->parameters[which], y = region->parameters[half + which];
  for (int32_t i = 0; i < region->instruction_count; i++) {
    const chip_instruction_t *instruction =
        &args->program->instructions[region->first_instruction + i];
    const int32_t *operands = instruction->operands;
    if (instruction->result_count == 1 && instruction->operand_count == 2 &&
        instruction->results[0] == region->results[which] &&
        ((operands[0] == x && operands[1] == y) ||
         (operands[0] == y && operands[1] == x))) {
      return instruction->op;
    }
  }
  return CHIP_OP_INVALID;
}

// The known operation of its two parameters that a region consists of.
static chip_op_t only_operation(const kernel_args_t *args,
                                const chip_computation_t *region) {
  return region->instruction_count == 1 && region->parameter_count == 2
             ? operation_of(args, region, 0)
             : CHIP_OP_INVALID;
}

static bool is_commutative(chip_op_t op) {
  return chip_op_has((int)op, CHIP_TRAIT_COMMUTATIVE);
}

bool kernel_region_reducers(const kernel_args_t *args, int32_t call,
                            chip_reducer_t *out_reducers) {
  if (args->program->computations == NULL || call >= args->instruction->call_count) {
    return false;
  }
  const chip_computation_t *region = region_of(args, call);
  if (region->parameter_count != 2 * region->result_count ||
      region->instruction_count != region->result_count) {
    return false;
  }
  for (int32_t i = 0; i < region->result_count; i++) {
    const chip_op_t op = operation_of(args, region, i);
    out_reducers[i] = CHIP_REDUCER_NONE;
    for (int reducer = 1; reducer < KERNEL_REDUCERS && is_commutative(op); reducer++) {
      if (chip_reducer_op((chip_reducer_t)reducer) == op) {
        out_reducers[i] = (chip_reducer_t)reducer;
      }
    }
    if (out_reducers[i] == CHIP_REDUCER_NONE) {
      return false;
    }
  }
  return true;
}

pod_status_t kernel_combiner_init(const kernel_args_t *args, int32_t call,
                                  tensor_dtype_t dtype, kernel_combiner_t *out_combiner) {
  kernel_combiner_t combiner = {.args = args, .call = call, .dtype = dtype};
  const chip_reducer_t reducer = (chip_reducer_t)chip_instruction_attr_one(
      args->instruction, CHIP_ATTR_REDUCER, CHIP_REDUCER_NONE);
  combiner.loop = kernel_reducer_loop(reducer, dtype);
  if (combiner.loop == NULL) {
    if (call >= args->instruction->call_count) {
      return kernel_unsupported(args, dtype);
    }
    if (args->program->computations != NULL) {
      const chip_computation_t *region = region_of(args, call);
      combiner.takes_second = region->instruction_count == 0 &&
                              region->parameter_count == 2 &&
                              region->results[0] == region->parameters[1];
      const chip_op_t op = only_operation(args, region);
      combiner.loop = is_commutative(op) ? kernel_binary_of(op, dtype) : NULL;
    }
  }
  if (combiner.loop == NULL && !combiner.takes_second) {
    const kernel_signature_t signature = {.parameter_count = 2,
                                          .result_count = 1,
                                          .parameters = {dtype, dtype},
                                          .results = {dtype}};
    POD_TRY(kernel_lanes_create(args, call, &signature, &combiner.lanes));
  }
  if (combiner.loop != NULL) {
    combiner.stored = kernel_is_computed_as_stored(dtype) || dtype == TENSOR_PRED
                          ? combiner.loop
                          : kernel_stored_loop(combiner.loop, dtype);
  }
  *out_combiner = combiner;
  return NULL;
}

void kernel_combiner_deinit(kernel_combiner_t *combiner) {
  kernel_lanes_destroy(combiner->lanes);
  combiner->lanes = NULL;
}

static pod_status_t combine_by_lanes(const kernel_combiner_t *combiner, char *target,
                                     int64_t target_stride, const char *source,
                                     int64_t source_stride, int64_t count) {
  const unsigned size = kernel_size_index(combiner->dtype);
  const int64_t bytes = (int64_t)tensor_dtype_bytes(combiner->dtype);
  for (int64_t done = 0; done < count && !kernel_is_stopped(); done += KERNEL_LANES) {
    const size_t part =
        (size_t)(count - done < KERNEL_LANES ? count - done : KERNEL_LANES);
    char *to = target + done * target_stride * bytes;
    kernel_loops()->gather[size](to, target_stride,
                                 kernel_lanes_parameter(combiner->lanes, 0), part);
    kernel_loops()->gather[size](source + done * source_stride * bytes, source_stride,
                                 kernel_lanes_parameter(combiner->lanes, 1), part);
    POD_TRY(kernel_lanes_run(combiner->lanes, part));
    kernel_loops()->scatter[size](kernel_lanes_result(combiner->lanes, 0), to,
                                  target_stride, part);
  }
  return NULL;
}

// By the loop, through blocks when the elements do not follow one another.
static void combine_strided(const kernel_combiner_t *combiner, char *target,
                            int64_t target_stride, const char *source,
                            int64_t source_stride, int64_t count) {
  const unsigned size = kernel_size_index(combiner->dtype);
  const int64_t bytes = (int64_t)tensor_dtype_bytes(combiner->dtype);
  _Alignas(64) char a[KERNEL_BLOCK_BYTES], b[KERNEL_BLOCK_BYTES];
  for (int64_t done = 0; done < count && !kernel_is_stopped(); done += KERNEL_BLOCK) {
    const size_t part =
        (size_t)(count - done < KERNEL_BLOCK ? count - done : KERNEL_BLOCK);
    char *to = target + done * target_stride * bytes;
    kernel_loops()->gather[size](to, target_stride, a, part);
    kernel_loops()->gather[size](source + done * source_stride * bytes, source_stride, b,
                                 part);
    kernel_binary_elements(combiner->loop, combiner->dtype, a, b, a, part);
    kernel_loops()->scatter[size](a, to, target_stride, part);
  }
}

pod_status_t kernel_combine(const kernel_combiner_t *combiner, void *target,
                            int64_t target_stride, const void *source,
                            int64_t source_stride, int64_t count) {
  const size_t bytes = tensor_dtype_bytes(combiner->dtype);
  const bool is_dense = count == 1 || (target_stride == 1 && source_stride == 1);
  if (count <= 0) {
    return NULL;
  }
  if (is_dense && combiner->stored != NULL) {
    combiner->stored(target, source, target, (size_t)count);
    return NULL;
  }
  if (combiner->takes_second && is_dense) {
    kernel_copy_bytes(target, source, (size_t)count * bytes);
  } else if (combiner->takes_second) {
    for (int64_t i = 0; i < count; i++) {
      if (i % KERNEL_STOP_ELEMENTS == 0 && kernel_is_stopped()) {
        return NULL;
      }
      memcpy((char *)target + i * target_stride * (int64_t)bytes,
             (const char *)source + i * source_stride * (int64_t)bytes, bytes);
    }
  } else if (combiner->loop == NULL) {
    return combine_by_lanes(combiner, target, target_stride, source, source_stride,
                            count);
  } else if (is_dense) {
    kernel_binary_elements(combiner->loop, combiner->dtype, target, source, target,
                           (size_t)count);
  } else {
    combine_strided(combiner, target, target_stride, source, source_stride, count);
  }
  return NULL;
}

// ----- at any places -----

enum { TOGETHER = 256, MARK_BITS = 13 };

// Distinct targets and where their sources are.
typedef struct batch_t {
  size_t count;
  int64_t to[TOGETHER], from[TOGETHER];
} batch_t;

KERNEL_COLLECT(collect, int64_t)

#define SPREAD(bytes, type)                                      \
  case bytes:                                                    \
    for (size_t i = 0; i < batch->count; i++) {                  \
      ((type *)out)[batch->to[i]] = ((const type *)elements)[i]; \
    }                                                            \
    return;

static void spread(const batch_t *batch, size_t bytes, const void *elements, void *out) {
  switch (bytes) {
    SPREAD(1, uint8_t)
    SPREAD(2, uint16_t)
    SPREAD(4, uint32_t)
    SPREAD(8, uint64_t)
    default:
      for (size_t i = 0; i < batch->count; i++) {
        memcpy((char *)out + (size_t)batch->to[i] * bytes,
               (const char *)elements + i * bytes, bytes);
      }
  }
}

static pod_status_t combine_batch(const kernel_combiner_t *combiner, void *target,
                                  const void *source, const batch_t *batch) {
  const size_t bytes = tensor_dtype_bytes(combiner->dtype), count = batch->count;
  _Alignas(64) char held[TOGETHER * KERNEL_ELEMENT_BYTES];
  _Alignas(64) char taken[TOGETHER * KERNEL_ELEMENT_BYTES];
  collect(bytes, source, batch->from, count, taken);
  if (combiner->takes_second) {
    spread(batch, bytes, taken, target);
    return NULL;
  }
  collect(bytes, target, batch->to, count, held);
  if (combiner->loop != NULL) {
    kernel_binary_elements(combiner->loop, combiner->dtype, held, taken, held, count);
    spread(batch, bytes, held, target);
    return NULL;
  }
  kernel_lanes_lend(combiner->lanes, 0, held, count);
  kernel_lanes_lend(combiner->lanes, 1, taken, count);
  POD_TRY(kernel_lanes_run(combiner->lanes, count));
  spread(batch, bytes, kernel_lanes_result(combiner->lanes, 0), target);
  return NULL;
}

// A batch ends before a target that it may hold already. Targets leave the number of
// their batch as a mark at a place that a hash of them says, which two may have in
// common.
pod_status_t kernel_combine_at(const kernel_combiner_t *combiner, void *target,
                               const int64_t *offsets, const void *source,
                               int64_t source_stride, size_t count) {
  uint8_t marks[1u << MARK_BITS] = {0};
  uint8_t number = 1;
  batch_t batch = {0};
  for (size_t i = 0; i < count; i++) {
    if (offsets[i] < 0) {
      continue;
    }
    const uint64_t hash = (uint64_t)offsets[i] * UINT64_C(0x9e3779b97f4a7c15);
    const size_t place = (size_t)(hash >> (64 - MARK_BITS));
    if (marks[place] == number || batch.count == TOGETHER) {
      POD_TRY(combine_batch(combiner, target, source, &batch));
      batch.count = 0;
      if (number++ == UINT8_MAX) {
        memset(marks, 0, sizeof(marks));
        number = 1;
      }
    }
    marks[place] = number;
    batch.to[batch.count] = offsets[i];
    batch.from[batch.count++] = (int64_t)i * source_stride;
  }
  return batch.count > 0 ? combine_batch(combiner, target, source, &batch) : NULL;
}
