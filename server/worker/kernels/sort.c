// sort and top_k: the order of each row is computed first (comparator.h says by which
// keys, order.h how), then its elements are moved. Rows lie in one piece: where the
// dimension sorted is not the last one, the operands are transposed before and the
// results after.

#include <stdlib.h>
#include <string.h>

#include "server/worker/kernels/kernels.h"
#include "server/worker/kernels/memory.h"
#include "server/worker/kernels/move.h"
#include "server/worker/kernels/region/comparator.h"
#include "server/worker/kernels/region/lanes.h"
#include "server/worker/kernels/region/order.h"
#include "server/worker/kernels/stop.h"
#include "server/worker/kernels/storage.h"

enum { FEW = KERNEL_VALUES_MAX / 2, PANEL = 8192 };

// What a sort needs besides its operands.
typedef struct sorter_t {
  const kernel_args_t *args;
  int32_t array_count;
  size_t bytes[FEW];  // Of an element.
  size_t count;       // Of elements in a row.
  int key_count;
  kernel_key_t keys[KERNEL_KEYS_MAX];
  kernel_lanes_t *key_lanes[KERNEL_KEYS_MAX];  // NULL: the key is an element itself.
  unsigned key_bits[KERNEL_KEYS_MAX];
  kernel_lanes_t *lanes;  // Of the comparator; made when it is needed.
  // Keys of the rows that are sorted together, key by key.
  size_t rows_together;
  uint64_t *numbers, *room;
  uint32_t *order;
} sorter_t;

static void sorter_deinit(sorter_t *sorter) {
  for (int i = 0; i < sorter->key_count; i++) {
    kernel_lanes_destroy(sorter->key_lanes[i]);
  }
  kernel_lanes_destroy(sorter->lanes);
  kernel_free(sorter->numbers);
  kernel_free(sorter->room);
  kernel_free(sorter->order);
}

static pod_status_t no_memory(const kernel_args_t *args, size_t count) {
  return pod_error(POD_RESOURCE_EXHAUSTED, "%s: no host memory to sort %zu elements",
                   args->instruction->name, count);
}

static pod_status_t make_comparator(sorter_t *sorter) {
  kernel_signature_t signature = {.parameter_count = 2 * sorter->array_count,
                                  .result_count = 1};
  signature.results[0] = TENSOR_PRED;
  for (int32_t i = 0; i < sorter->array_count; i++) {
    signature.parameters[2 * i] = signature.parameters[2 * i + 1] =
        kernel_operand_shape(sorter->args, i)->dtype;
  }
  return kernel_lanes_create(sorter->args, 0, &signature, &sorter->lanes);
}

static pod_status_t make_keys(sorter_t *sorter) {
  sorter->key_count = kernel_comparator_keys(sorter->args, sorter->keys);
  for (int i = 0; i < sorter->key_count; i++) {
    const kernel_key_t *key = &sorter->keys[i];
    if (key->operand >= 0) {
      continue;
    }
    POD_TRY(kernel_lanes_create_part(sorter->args, 0, key->instruction_count,
                                     &sorter->key_lanes[i]));
    if (sorter->key_lanes[i] == NULL) {
      sorter->key_count = i;
      break;
    }
  }
  return NULL;
}

static pod_status_t sorter_init(sorter_t *sorter, const kernel_args_t *args,
                                size_t count) {
  *sorter = (sorter_t){.args = args,
                       .array_count = args->instruction->operand_count,
                       .count = count,
                       .rows_together = count < PANEL ? PANEL / count : 1};
  for (int32_t i = 0; i < sorter->array_count; i++) {
    sorter->bytes[i] = tensor_dtype_bytes(kernel_operand_shape(args, i)->dtype);
  }
  const size_t panel = sorter->rows_together * count;
  sorter->room = kernel_malloc(4 * count * sizeof(*sorter->room));
  sorter->order = kernel_malloc(2 * count * sizeof(*sorter->order));
  if (sorter->room == NULL || sorter->order == NULL) {
    return no_memory(args, count);
  }
  POD_TRY(make_keys(sorter));
  if (sorter->key_count == 0) {
    return make_comparator(sorter);
  }
  sorter->numbers = kernel_malloc((size_t)sorter->key_count * panel * sizeof(uint64_t));
  return sorter->numbers != NULL ? NULL : no_memory(args, count);
}

// ----- keys -----

static bool compute_key(const kernel_key_t *key, const char *in, size_t count,
                        uint64_t *out, unsigned *out_bits) {
  const size_t bytes = tensor_dtype_bytes(key->dtype);
  bool is_ordered = true;
  for (size_t done = 0; done < count && !kernel_is_stopped();
       done += KERNEL_STOP_ELEMENTS) {
    is_ordered &= kernel_key_numbers(key, in + done * bytes,
                                     kernel_part(count, done, KERNEL_STOP_ELEMENTS),
                                     out + done, out_bits);
  }
  return is_ordered;
}

// Of `count` elements from `first` on. Both sides of the comparison get the same ones.
static pod_status_t compute_numbers(sorter_t *sorter, int which,
                                    const char *const *arrays, size_t first, size_t count,
                                    uint64_t *out, bool *is_ordered) {
  const kernel_key_t *key = &sorter->keys[which];
  kernel_lanes_t *lanes = sorter->key_lanes[which];
  unsigned *bits = &sorter->key_bits[which];
  if (lanes == NULL) {
    *is_ordered &=
        compute_key(key, arrays[key->operand] + first * sorter->bytes[key->operand],
                    count, out, bits);
    return NULL;
  }
  for (size_t done = 0; done < count && !kernel_is_stopped(); done += KERNEL_LANES) {
    const size_t part = count - done < KERNEL_LANES ? count - done : KERNEL_LANES;
    for (int32_t i = 0; i < 2 * sorter->array_count; i++) {
      const size_t bytes = sorter->bytes[i / 2];
      memcpy(kernel_lanes_parameter(lanes, i), arrays[i / 2] + (first + done) * bytes,
             part * bytes);
    }
    POD_TRY(kernel_lanes_run(lanes, part));
    *is_ordered &= kernel_key_numbers(key, kernel_lanes_buffer(lanes, key->buffer), part,
                                      out + done, bits);
  }
  return NULL;
}

// ----- rows -----

#define PLACE(bytes, type)                                                    \
  case bytes:                                                                 \
    KERNEL_EACH(i, count) {                                                   \
      ((type *)(void *)to)[i] = ((const type *)(const void *)from)[order[i]]; \
    }                                                                         \
    return;

static void place_elements(const char *from, size_t bytes, const uint32_t *order,
                           size_t count, char *to) {
  switch (bytes) {
    PLACE(1, uint8_t)
    PLACE(2, uint16_t)
    PLACE(4, uint32_t)
    PLACE(8, uint64_t)
    default:
      KERNEL_EACH(i, count) {
        memcpy(to + i * bytes, from + order[i] * bytes, bytes);
      }
  }
}

static pod_status_t order_by_comparator(sorter_t *sorter, const char *const *arrays,
                                        size_t first) {
  if (sorter->lanes == NULL) {
    POD_TRY(make_comparator(sorter));
  }
  kernel_compared_t compared = {.lanes = sorter->lanes, .count = sorter->array_count};
  for (int32_t i = 0; i < sorter->array_count; i++) {
    compared.bytes[i] = sorter->bytes[i];
    compared.rows[i] = arrays[i] + first * sorter->bytes[i];
  }
  return kernel_order_by_comparator(&compared, sorter->count, sorter->order,
                                    sorter->order + sorter->count);
}

// Rows that follow one another, at most rows_together of them.
static pod_status_t sort_rows(sorter_t *sorter, const char *const *arrays,
                              char *const *results, size_t first, size_t rows) {
  const size_t count = sorter->count, panel = rows * count;
  bool is_ordered = sorter->key_count > 0;
  for (int i = 0; i < sorter->key_count; i++) {
    POD_TRY(compute_numbers(sorter, i, arrays, first, panel,
                            sorter->numbers + (size_t)i * panel, &is_ordered));
  }
  for (size_t row = 0; row < rows && !kernel_is_stopped(); row++) {
    const size_t start = first + row * count;
    if (!is_ordered) {
      POD_TRY(order_by_comparator(sorter, arrays, start));
    } else {
      for (size_t i = 0; i < count; i++) {
        sorter->order[i] = (uint32_t)i;
      }
      for (int i = sorter->key_count - 1; i >= 0; i--) {
        kernel_order_by_numbers(sorter->numbers + (size_t)i * panel + row * count,
                                sorter->key_bits[i], sorter->order, count, sorter->room);
      }
    }
    for (int32_t i = 0; i < sorter->array_count; i++) {
      place_elements(arrays[i] + start * sorter->bytes[i], sorter->bytes[i],
                     sorter->order, count, results[i] + start * sorter->bytes[i]);
    }
  }
  return NULL;
}

static pod_status_t sort_all_rows(sorter_t *sorter, const char *const *arrays,
                                  char *const *results, size_t rows) {
  for (size_t row = 0; row < rows && !kernel_is_stopped(); row += sorter->rows_together) {
    const size_t part =
        rows - row < sorter->rows_together ? rows - row : sorter->rows_together;
    POD_TRY(sort_rows(sorter, arrays, results, row * sorter->count, part));
  }
  return NULL;
}

// ----- another dimension than the last -----

// [rows, columns] to [columns, rows].
static void transpose(size_t bytes, int64_t rows, int64_t columns, const char *in,
                      char *out) {
  const kernel_move_t move = {.element_bytes = bytes,
                              .rank = 2,
                              .sizes = {columns, rows},
                              .in_strides = {1, columns},
                              .out_strides = {rows, 1}};
  kernel_move(&move, in, out);
}

// Blocks of [count, columns], sorted along their columns.
static pod_status_t sort_columns(sorter_t *sorter, int64_t blocks, int64_t columns) {
  const kernel_args_t *args = sorter->args;
  const size_t block = sorter->count * (size_t)columns;
  const char *arrays[FEW];
  char *results[FEW], *memory[FEW] = {NULL};
  pod_status_t status = NULL;
  for (int32_t i = 0; i < sorter->array_count && status == NULL; i++) {
    memory[i] = kernel_malloc(2 * block * sorter->bytes[i]);
    status = memory[i] != NULL ? NULL : no_memory(args, block);
    arrays[i] = memory[i];
    results[i] = memory[i] != NULL ? memory[i] + block * sorter->bytes[i] : NULL;
  }
  for (int64_t b = 0; b < blocks && status == NULL && !kernel_is_stopped(); b++) {
    for (int32_t i = 0; i < sorter->array_count; i++) {
      transpose(sorter->bytes[i], (int64_t)sorter->count, columns,
                (const char *)args->operands[i] + (size_t)b * block * sorter->bytes[i],
                memory[i]);
    }
    status = sort_all_rows(sorter, arrays, results, (size_t)columns);
    for (int32_t i = 0; i < sorter->array_count && status == NULL; i++) {
      transpose(sorter->bytes[i], columns, (int64_t)sorter->count, results[i],
                (char *)args->results[i] + (size_t)b * block * sorter->bytes[i]);
    }
  }
  for (int32_t i = 0; i < sorter->array_count; i++) {
    kernel_free(memory[i]);
  }
  return status;
}

pod_status_t kernel_sort(const kernel_args_t *args) {
  const tensor_shape_t *shape = kernel_operand_shape(args, 0);
  const int64_t dimension =
      chip_instruction_attr_one(args->instruction, CHIP_ATTR_DIMENSION, 0);
  if (args->instruction->operand_count > FEW) {
    return pod_error(POD_UNIMPLEMENTED, "%s: more than %d inputs",
                     args->instruction->name, FEW);
  }
  const int64_t elements = tensor_shape_elements(shape);
  if (elements == 0) {
    return NULL;
  }
  int64_t strides[TENSOR_RANK_MAX];
  tensor_shape_strides(shape, strides);
  const int64_t count = shape->rank == 0 ? 1 : shape->dims[dimension];
  const int64_t columns = shape->rank == 0 ? 1 : strides[dimension];
  if (count > UINT32_MAX) {
    return pod_error(POD_UNIMPLEMENTED, "%s: %lld elements along a dimension",
                     args->instruction->name, (long long)count);
  }
  sorter_t sorter;
  pod_status_t status = sorter_init(&sorter, args, (size_t)count);
  if (status == NULL && columns > 1) {
    status = sort_columns(&sorter, elements / count / columns, columns);
  } else if (status == NULL) {
    const char *arrays[FEW];
    char *results[FEW];
    for (int32_t i = 0; i < sorter.array_count; i++) {
      arrays[i] = args->operands[i];
      results[i] = args->results[i];
    }
    status = sort_all_rows(&sorter, arrays, results, (size_t)(elements / count));
  }
  sorter_deinit(&sorter);
  return status;
}

// ----- top_k: the largest first, of equal ones the first; floats in total order -----

enum { KEPT_FEW = 64 };

// The places of the `kept` smallest numbers, in order, for a few of many.
static void select_few(const uint64_t *numbers, size_t count, size_t kept,
                       uint32_t *out_order) {
  uint64_t smallest[KEPT_FEW + 1];
  size_t held = 0;
  KERNEL_EACH(i, count) {
    if (held == kept && numbers[i] >= smallest[held - 1]) {
      continue;
    }
    size_t at = held == kept ? held - 1 : held++;
    for (; at > 0 && numbers[i] < smallest[at - 1]; at--) {
      smallest[at] = smallest[at - 1];
      out_order[at] = out_order[at - 1];
    }
    smallest[at] = numbers[i];
    out_order[at] = (uint32_t)i;
  }
}

pod_status_t kernel_top_k(const kernel_args_t *args) {
  const tensor_shape_t *shape = kernel_operand_shape(args, 0);
  const size_t count = (size_t)shape->dims[shape->rank - 1];
  const size_t kept = (size_t)kernel_result_shape(args, 0)->dims[shape->rank - 1];
  const size_t bytes = tensor_dtype_bytes(shape->dtype);
  if (tensor_dtype_is_complex(shape->dtype) || count > UINT32_MAX) {
    return kernel_unsupported(args, shape->dtype);
  }
  if (count == 0 || kept == 0) {
    return NULL;
  }
  uint64_t *room = kernel_malloc(5 * count * sizeof(*room));
  uint32_t *order = kernel_malloc(count * sizeof(*order));
  if (room == NULL || order == NULL) {
    kernel_free(room);
    kernel_free(order);
    return no_memory(args, count);
  }
  uint64_t *numbers = room + 4 * count;
  const kernel_key_t key = {
      .dtype = shape->dtype, .is_total_order = true, .descends = true};
  const size_t rows = (size_t)tensor_shape_elements(shape) / count;
  for (size_t r = 0; r < rows && !kernel_is_stopped(); r++) {
    const char *row = (const char *)args->operands[0] + r * count * bytes;
    unsigned bits = 0;
    compute_key(&key, row, count, numbers, &bits);
    if (kept <= KEPT_FEW && kept < count) {
      select_few(numbers, count, kept, order);
    } else {
      for (size_t i = 0; i < count; i++) {
        order[i] = (uint32_t)i;
      }
      kernel_order_by_numbers(numbers, bits, order, count, room);
    }
    place_elements(row, bytes, order, kept, (char *)args->results[0] + r * kept * bytes);
    for (size_t k = 0; k < kept; k++) {
      ((int32_t *)args->results[1])[r * kept + k] = (int32_t)order[k];
    }
  }
  kernel_free(order);
  kernel_free(room);
  return NULL;
}
