// stablehlo.reduce. The dimensions are joined to alternating kept and reduced ones, and
// the reduced ones are taken away one after the other, the last first: a dimension that
// is last is a row to be combined, any other one combines whole rows with one another.
//
// Accuracy: bf16, f16 and smaller floats are accumulated in f32 and rounded once at the
// end; f32 and f64 in themselves. Partial results are combined in pairs of pairs.

#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "server/worker/kernels/kernels.h"
#include "server/worker/kernels/move.h"
#include "server/worker/kernels/region/region.h"
#include "server/worker/kernels/scratch.h"
#include "server/worker/kernels/stop.h"
#include "server/worker/kernels/storage.h"

// Truth values are added by or and multiplied by and.
static chip_reducer_t reducer_of_pred(chip_reducer_t reducer) {
  switch (reducer) {
    case CHIP_REDUCER_ADD:
    case CHIP_REDUCER_MAXIMUM:
      return CHIP_REDUCER_OR;
    case CHIP_REDUCER_MULTIPLY:
    case CHIP_REDUCER_MINIMUM:
      return CHIP_REDUCER_AND;
    default:
      return reducer;
  }
}

// How one kind of value is combined.
typedef struct combiner_t {
  tensor_dtype_t stored, compute;
  size_t stored_bytes, compute_bytes;
  kernel_reduce_fn_t rows;
  kernel_reduce_fn_t stored_rows;  // Of stored elements to the compute type, or NULL.
  kernel_binary_fn_t pair;
} combiner_t;

static bool combiner_init(combiner_t *combiner, chip_reducer_t reducer,
                          tensor_dtype_t dtype) {
  if (dtype == TENSOR_PRED) {
    reducer = reducer_of_pred(reducer);
  }
  const tensor_dtype_t compute = kernel_compute_dtype(dtype);
  *combiner = (combiner_t){
      .stored = dtype,
      .compute = compute,
      .stored_bytes = tensor_dtype_bytes(dtype),
      .compute_bytes = tensor_dtype_bytes(compute),
      .pair = kernel_binary_loop(chip_reducer_op(reducer), compute),
  };
  if (chip_reducer_op(reducer) != CHIP_OP_INVALID) {
    combiner->rows = kernel_loops()->reduce[reducer][compute];
    combiner->stored_rows = kernel_loops()->reduce[reducer][dtype];
  }
  return combiner->rows != NULL && combiner->pair != NULL;
}

// ----- the last dimension is reduced -----

enum { ROW_CHUNK = 4096 };

// Rows that are not computed as stored, at most ROW_CHUNK elements each.
static void reduce_short_rows(const combiner_t *combiner, const char *in, size_t rows,
                              size_t row_count, char *out) {
  if (combiner->stored_rows != NULL) {
    combiner->stored_rows(in, rows, row_count, out);
    return;
  }
  _Alignas(64) char decoded[ROW_CHUNK * sizeof(float)];
  const size_t together = ROW_CHUNK / row_count;
  for (size_t row = 0; row < rows && !kernel_is_stopped(); row += together) {
    const size_t part = rows - row < together ? rows - row : together;
    const void *block =
        kernel_decode(combiner->stored, in + row * row_count * combiner->stored_bytes,
                      part * row_count, decoded);
    combiner->rows(block, part, row_count, out + row * combiner->compute_bytes);
  }
}

// A row that is not computed as stored: its chunks' results make a row of their own.
static pod_status_t reduce_long_row(const combiner_t *combiner, const char *in,
                                    size_t row_count, char *out) {
  const size_t chunks = (row_count + ROW_CHUNK - 1) / ROW_CHUNK;
  char *results = malloc(chunks * combiner->compute_bytes);
  if (results == NULL) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "no host memory to reduce %zu elements",
                     row_count);
  }
  for (size_t i = 0; i < chunks && !kernel_is_stopped(); i++) {
    const size_t start = i * ROW_CHUNK;
    const size_t part = row_count - start < ROW_CHUNK ? row_count - start : ROW_CHUNK;
    reduce_short_rows(combiner, in + start * combiner->stored_bytes, 1, part,
                      results + i * combiner->compute_bytes);
  }
  combiner->rows(results, 1, chunks, out);
  free(results);
  return NULL;
}

// Rows between two looks at whether to stop: the loops take whole groups of them.
static size_t rows_together(size_t row_count) {
  enum { GROUP = 1 << 10, ELEMENTS = 1 << 22 };
  const size_t rows = ELEMENTS / (row_count + 1) / GROUP * GROUP;
  return rows < GROUP ? GROUP : rows;
}

// [rows, row_count] to [rows], from stored to compute type.
static pod_status_t reduce_rows(const combiner_t *combiner, const char *in, size_t rows,
                                size_t row_count, char *out) {
  if (kernel_compute_dtype(combiner->stored) == combiner->compute &&
      combiner->stored_bytes == combiner->compute_bytes) {
    const size_t together = rows_together(row_count);
    for (size_t row = 0; row < rows && !kernel_is_stopped(); row += together) {
      combiner->rows(in + row * row_count * combiner->stored_bytes,
                     kernel_part(rows, row, together), row_count,
                     out + row * combiner->compute_bytes);
    }
    return NULL;
  }
  if (row_count <= ROW_CHUNK) {
    const size_t together = rows_together(row_count);
    for (size_t row = 0; row < rows && !kernel_is_stopped(); row += together) {
      reduce_short_rows(combiner, in + row * row_count * combiner->stored_bytes,
                        kernel_part(rows, row, together), row_count,
                        out + row * combiner->compute_bytes);
    }
    return NULL;
  }
  for (size_t row = 0; row < rows && !kernel_is_stopped(); row++) {
    POD_TRY(reduce_long_row(combiner, in + row * row_count * combiner->stored_bytes,
                            row_count, out + row * combiner->compute_bytes));
  }
  return NULL;
}

// ----- another dimension is reduced -----

// Columns are combined in strips: ROWS_TOGETHER rows one after the other, and the results
// of these in pairs, as in loops_reduce.c. A strip of narrow rows holds several of them
// side by side, which are combined at the end.
enum { STRIP = 4096, ROWS_TOGETHER = 32, LEVELS_MAX = 60 };

typedef struct strip_t {
  const combiner_t *combiner;
  const char *in;
  size_t row_bytes;  // From one row of the strip to the next.
  size_t width;      // Elements of a row of the strip, at most STRIP.
  char *levels;      // LEVELS_MAX results that wait for their partner, made as needed.
} strip_t;

static void strip_take(const strip_t *strip, size_t row, bool is_first, char *result) {
  const combiner_t *combiner = strip->combiner;
  _Alignas(64) char decoded[STRIP * sizeof(float)];
  const char *in = strip->in + row * strip->row_bytes;
  const void *values = kernel_is_computed_as_stored(combiner->stored)
                           ? in
                           : kernel_decode(combiner->stored, in, strip->width, decoded);
  if (is_first) {
    memcpy(result, values, strip->width * combiner->compute_bytes);
  } else {
    combiner->pair(result, values, result, strip->width);
  }
}

// All rows of the strip into levels[0].
static void strip_reduce(const strip_t *strip, size_t rows) {
  const combiner_t *combiner = strip->combiner;
  const size_t level_bytes = strip->width * combiner->compute_bytes;
  size_t waiting = 0;
  for (size_t row = 0, groups = 0; row < rows && !kernel_is_stopped(); groups++) {
    const size_t end = rows - row < ROWS_TOGETHER ? rows : row + ROWS_TOGETHER;
    char *result = strip->levels + waiting * level_bytes;
    for (const size_t first = row; row < end; row++) {
      strip_take(strip, row, row == first, result);
    }
    for (size_t done = groups; (done & 1u) != 0; done >>= 1, waiting--) {
      char *partner = strip->levels + (waiting - 1) * level_bytes;
      combiner->pair(partner, partner + level_bytes, partner, strip->width);
    }
    waiting++;
  }
  for (; waiting > 1; waiting--) {
    char *partner = strip->levels + (waiting - 2) * level_bytes;
    combiner->pair(partner, partner + level_bytes, partner, strip->width);
  }
}

// Rows too narrow for a strip: `together` of them side by side, then these combined.
static void reduce_narrow(const combiner_t *combiner, const char *in, size_t rows,
                          size_t columns, char *levels, char *out) {
  size_t together = STRIP / 4 / columns;
  together = together > rows ? rows : together;
  const size_t whole = rows / together;
  const size_t row_bytes = columns * combiner->compute_bytes;
  strip_t strip = {combiner, in, together * columns * combiner->stored_bytes,
                   together * columns, levels};
  strip_reduce(&strip, whole);
  memcpy(out, levels, row_bytes);
  for (size_t i = 1; i < together; i++) {
    combiner->pair(out, levels + i * row_bytes, out, columns);
  }
  strip.row_bytes = columns * combiner->stored_bytes;
  strip.width = columns;
  for (size_t row = whole * together; row < rows; row++) {
    strip_take(&strip, row, true, levels);
    combiner->pair(out, levels, out, columns);
  }
}

static size_t levels_of(size_t rows) {
  size_t levels = 2;
  for (size_t groups = rows / ROWS_TOGETHER; groups > 0; groups >>= 1) {
    levels++;
  }
  return levels;
}

// [outer, rows, columns] to [outer, columns], from stored to compute type.
static pod_status_t reduce_columns(const combiner_t *combiner, const char *in,
                                   size_t outer, size_t rows, size_t columns, char *out) {
  char *levels = malloc(levels_of(rows) * STRIP * combiner->compute_bytes);
  if (levels == NULL) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "no host memory to reduce %zu rows", rows);
  }
  for (size_t o = 0; o < outer && !kernel_is_stopped(); o++) {
    const char *from = in + o * rows * columns * combiner->stored_bytes;
    char *to = out + o * columns * combiner->compute_bytes;
    if (columns * 8 <= STRIP && rows > 1) {
      reduce_narrow(combiner, from, rows, columns, levels, to);
      continue;
    }
    for (size_t j = 0; j < columns && !kernel_is_stopped(); j += STRIP) {
      const size_t width = columns - j < STRIP ? columns - j : STRIP;
      const strip_t strip = {combiner, from + j * combiner->stored_bytes,
                             columns * combiner->stored_bytes, width, levels};
      strip_reduce(&strip, rows);
      memcpy(to + j * combiner->compute_bytes, levels, width * combiner->compute_bytes);
    }
  }
  free(levels);
  return NULL;
}

// ----- known reducers -----

// Kept and reduced dimensions in turn, without those of one element.
typedef struct turns_t {
  int count;
  size_t sizes[TENSOR_RANK_MAX];
  bool is_reduced[TENSOR_RANK_MAX];
} turns_t;

static turns_t make_turns(const tensor_shape_t *shape, uint32_t reduced) {
  turns_t turns = {0};
  for (int i = 0; i < shape->rank; i++) {
    const bool is_reduced = (reduced >> i & 1u) != 0;
    if (shape->dims[i] == 1) {
      continue;
    }
    if (turns.count > 0 && turns.is_reduced[turns.count - 1] == is_reduced) {
      turns.sizes[turns.count - 1] *= (size_t)shape->dims[i];
      continue;
    }
    turns.sizes[turns.count] = (size_t)shape->dims[i];
    turns.is_reduced[turns.count++] = is_reduced;
  }
  return turns;
}

static size_t product(const turns_t *turns, int first, int end) {
  size_t result = 1;
  for (int i = first; i < end; i++) {
    result *= turns->sizes[i];
  }
  return result;
}

// Takes the last reduced dimension away.
static void remove_turn(turns_t *turns, int at) {
  if (at > 0 && at + 1 < turns->count) {
    turns->sizes[at - 1] *= turns->sizes[at + 1];
    memmove(&turns->sizes[at], &turns->sizes[at + 2],
            (size_t)(turns->count - at - 2) * sizeof(turns->sizes[0]));
    memmove(&turns->is_reduced[at], &turns->is_reduced[at + 2],
            (size_t)(turns->count - at - 2) * sizeof(turns->is_reduced[0]));
    turns->count -= 2;
    return;
  }
  memmove(&turns->sizes[at], &turns->sizes[at + 1],
          (size_t)(turns->count - at - 1) * sizeof(turns->sizes[0]));
  memmove(&turns->is_reduced[at], &turns->is_reduced[at + 1],
          (size_t)(turns->count - at - 1) * sizeof(turns->is_reduced[0]));
  turns->count--;
}

static int last_reduced(const turns_t *turns) {
  for (int i = turns->count - 1; i >= 0; i--) {
    if (turns->is_reduced[i]) {
      return i;
    }
  }
  return -1;
}

// Everything but the initial value. The result, in the compute type, is `target`, or the
// operand itself when there is nothing to reduce; results in between take turns in two
// slots of scratch.
static pod_status_t reduce_turns(combiner_t *combiner, turns_t *turns, const char *in,
                                 char *target, const char **out_result) {
  static const kernel_slot_t slots[] = {KERNEL_SLOT_LHS, KERNEL_SLOT_RHS};
  for (int pass = 0;; pass++) {
    const int at = last_reduced(turns);
    if (at < 0) {
      *out_result = in;
      return NULL;
    }
    const size_t outer = product(turns, 0, at), rows = turns->sizes[at];
    const size_t columns = product(turns, at + 1, turns->count);
    remove_turn(turns, at);
    void *result = target;
    if (last_reduced(turns) >= 0) {
      POD_TRY(kernel_scratch(slots[pass % 2], outer * columns * combiner->compute_bytes,
                             &result));
    }
    POD_TRY(columns == 1 ? reduce_rows(combiner, in, outer, rows, result)
                         : reduce_columns(combiner, in, outer, rows, columns, result));
    in = result;
    combiner->stored = combiner->compute;
    combiner->stored_bytes = combiner->compute_bytes;
  }
}

// out = init op value, stored.
static void combine_with_init(const combiner_t *combiner, tensor_dtype_t values_dtype,
                              const char *values, tensor_dtype_t dtype, const void *init,
                              char *out, size_t count) {
  _Alignas(64) char initial[KERNEL_BLOCK_BYTES], decoded[KERNEL_BLOCK_BYTES],
      computed[KERNEL_BLOCK_BYTES];
  _Alignas(16) char element[16];
  kernel_fill(combiner->compute_bytes, kernel_decode(dtype, init, 1, element), initial,
              KERNEL_BLOCK);
  const size_t bytes = tensor_dtype_bytes(dtype);
  const size_t value_bytes = tensor_dtype_bytes(values_dtype);
  for (size_t done = 0; done < count && !kernel_is_stopped(); done += KERNEL_BLOCK) {
    const size_t part = count - done < KERNEL_BLOCK ? count - done : KERNEL_BLOCK;
    const void *block =
        kernel_decode(values_dtype, values + done * value_bytes, part, decoded);
    combiner->pair(initial, block, computed, part);
    kernel_encode(dtype, computed, part, out + done * bytes);
  }
}

// Operand `which` of several.
static pod_status_t reduce_known(const kernel_args_t *args, int32_t which,
                                 combiner_t combiner, uint32_t reduced) {
  const tensor_shape_t *in = kernel_operand_shape(args, which);
  const tensor_shape_t *out = kernel_result_shape(args, which);
  const size_t count = (size_t)tensor_shape_elements(out);
  const void *init = args->operands[args->instruction->operand_count / 2 + which];
  if (count == 0) {
    return NULL;
  }
  if (tensor_shape_elements(in) == 0) {
    kernel_fill(tensor_dtype_bytes(out->dtype), init, args->results[which], count);
    return NULL;
  }
  turns_t turns = make_turns(in, reduced);
  void *target = args->results[which];
  if (combiner.compute_bytes != combiner.stored_bytes) {
    POD_TRY(kernel_scratch(KERNEL_SLOT_RESULT, count * combiner.compute_bytes, &target));
  }
  const tensor_dtype_t dtype = combiner.stored;
  const char *values = NULL;
  POD_TRY(reduce_turns(&combiner, &turns, args->operands[which], target, &values));
  combine_with_init(&combiner, combiner.stored, values, dtype, init, args->results[which],
                    count);
  return NULL;
}

// Each operand for itself, by the known reducers that a region consists of. False in
// *out_fits when it is another region.
static pod_status_t reduce_each(const kernel_args_t *args, uint32_t reduced,
                                bool *out_fits) {
  enum { OPERANDS_MAX = 8 };
  const int32_t count = args->instruction->operand_count / 2;
  chip_reducer_t reducers[OPERANDS_MAX];
  combiner_t combiners[OPERANDS_MAX];
  *out_fits = count <= OPERANDS_MAX && kernel_region_reducers(args, 0, reducers);
  for (int32_t i = 0; i < count && *out_fits; i++) {
    *out_fits =
        combiner_init(&combiners[i], reducers[i], kernel_operand_shape(args, i)->dtype);
  }
  for (int32_t i = 0; i < count && *out_fits; i++) {
    POD_TRY(reduce_known(args, i, combiners[i], reduced));
  }
  kernel_scratch_trim();
  return NULL;
}

// A known reducer without loops for rows of the type, which is computed as it is stored:
// the extremes of complex numbers. Element by element, in order.
static void reduce_by_elements(const kernel_args_t *args, kernel_binary_fn_t loop,
                               uint32_t reduced) {
  const tensor_shape_t *in = kernel_operand_shape(args, 0);
  const tensor_shape_t *out = kernel_result_shape(args, 0);
  const size_t bytes = tensor_dtype_bytes(in->dtype);
  int64_t index[TENSOR_RANK_MAX] = {0}, strides[TENSOR_RANK_MAX];
  int64_t steps[TENSOR_RANK_MAX] = {0};  // In the result; 0 for what is reduced.
  tensor_shape_strides(out, strides);
  for (int i = 0, kept = 0; i < in->rank; i++) {
    steps[i] = (reduced >> i & 1u) != 0 ? 0 : strides[kept++];
  }
  kernel_fill(bytes, args->operands[1], args->results[0],
              (size_t)tensor_shape_elements(out));
  const char *source = args->operands[0];
  const int64_t count = tensor_shape_elements(in);
  for (int64_t i = 0, at = 0; i < count; i++, source += bytes) {
    if (i % KERNEL_STOP_ELEMENTS == 0 && kernel_is_stopped()) {
      return;
    }
    char *target = (char *)args->results[0] + (size_t)at * bytes;
    loop(target, source, target, 1);
    for (int d = in->rank - 1; d >= 0; d--) {
      at += steps[d];
      if (++index[d] < in->dims[d]) {
        break;
      }
      at -= steps[d] * in->dims[d];
      index[d] = 0;
    }
  }
}

pod_status_t kernel_reduce(const kernel_args_t *args) {
  int32_t dimension_count = 0;
  const int64_t *dimensions =
      chip_instruction_attr(args->instruction, CHIP_ATTR_DIMENSIONS, &dimension_count);
  uint32_t reduced = 0;
  for (int32_t i = 0; i < dimension_count; i++) {
    reduced |= 1u << dimensions[i];
  }
  const chip_reducer_t reducer = (chip_reducer_t)chip_instruction_attr_one(
      args->instruction, CHIP_ATTR_REDUCER, CHIP_REDUCER_NONE);
  const tensor_dtype_t dtype = kernel_operand_shape(args, 0)->dtype;
  combiner_t combiner;
  if (args->instruction->operand_count == 2 && combiner_init(&combiner, reducer, dtype)) {
    const pod_status_t status = reduce_known(args, 0, combiner, reduced);
    kernel_scratch_trim();
    return status;
  }
  if (args->instruction->call_count > 0) {
    bool fits;
    POD_TRY(reduce_each(args, reduced, &fits));
    return fits ? NULL : kernel_reduce_by_region(args, reduced);
  }
  const kernel_binary_fn_t loop = kernel_reducer_loop(reducer, dtype);
  if (loop == NULL || args->instruction->operand_count != 2 ||
      !kernel_is_computed_as_stored(dtype)) {
    return kernel_unsupported(args, dtype);
  }
  reduce_by_elements(args, loop, reduced);
  return NULL;
}
