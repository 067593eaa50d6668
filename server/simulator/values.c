// Known values in a list sorted by address, no two of which overlap: a binary search
// finds the one at an address, and a write into part of one forgets all of it.

#include "server/simulator/values.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"

static int64_t bytes_of(const simulator_values_t *values, int32_t buffer) {
  return tensor_shape_bytes(&values->program->buffers[buffer].shape);
}

void simulator_values_init(simulator_values_t *values, const chip_program_t *program,
                           int32_t chip) {
  *values = (simulator_values_t){
      .program = program,
      .chip = chip,
      .addresses = pod_alloc((size_t)program->buffer_count * sizeof(int64_t))};
  // Results lie behind the temporaries, each where its index says: none is as large as
  // the stride.
  const int64_t stride = (int64_t)1 << 46;
  for (int32_t i = 0; i < program->buffer_count; i++) {
    const chip_buffer_t *buffer = &program->buffers[i];
    values->addresses[i] = -1;
    if (buffer->kind == CHIP_BUFFER_TEMP) {
      values->addresses[i] = buffer->offset;
    } else if (buffer->kind == CHIP_BUFFER_RESULT && buffer->index < (INT32_MAX >> 15)) {
      values->addresses[i] = stride * (1 + (int64_t)buffer->index);
    }
  }
}

void simulator_values_reset(simulator_values_t *values, int32_t chip) {
  for (int32_t i = 0; i < values->known.count; i++) {
    free(values->known.items[i].data);
  }
  values->known.count = 0;
  values->chip = chip;
}

void simulator_values_deinit(simulator_values_t *values) {
  simulator_values_reset(values, 0);
  pod_list_deinit(&values->known);
  free(values->addresses);
  *values = (simulator_values_t){0};
}

// The first known value that ends behind `address`.
static int32_t find(const simulator_values_t *values, int64_t address) {
  int32_t low = 0;
  int32_t high = values->known.count;
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    const simulator_value_t *value = &values->known.items[middle];
    if (value->address + value->size_bytes <= address) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

const uint8_t *simulator_values_get(const simulator_values_t *values, int32_t buffer,
                                    bool *out_is_splat, bool *out_depends_on_chip) {
  const chip_buffer_t *about = &values->program->buffers[buffer];
  *out_is_splat = false;
  *out_depends_on_chip = false;
  if (about->kind == CHIP_BUFFER_CONSTANT) {
    const chip_constant_t *constant = &values->program->constants[about->index];
    *out_is_splat = constant->is_splat;
    return constant->data;
  }
  const int64_t address = values->addresses[buffer];
  const int64_t size_bytes = bytes_of(values, buffer);
  if (address < 0 || size_bytes == 0) {
    return NULL;
  }
  const int32_t at = find(values, address);
  if (at == values->known.count) {
    return NULL;
  }
  const simulator_value_t *value = &values->known.items[at];
  if (value->address > address ||
      value->address + value->size_bytes < address + size_bytes) {
    return NULL;
  }
  *out_depends_on_chip = value->depends_on_chip;
  return value->data + (address - value->address);
}

static void forget(simulator_values_t *values, int64_t address, int64_t size_bytes) {
  const int32_t first = find(values, address);
  int32_t end = first;
  while (end < values->known.count &&
         values->known.items[end].address < address + size_bytes) {
    free(values->known.items[end].data);
    end++;
  }
  if (end > first) {
    memmove(&values->known.items[first], &values->known.items[end],
            (size_t)(values->known.count - end) * sizeof(simulator_value_t));
    values->known.count -= end - first;
  }
}

static void insert(simulator_values_t *values, int64_t address, int64_t size_bytes,
                   const uint8_t *data, bool depends_on_chip) {
  const int32_t at = find(values, address), behind = values->known.count - at;
  (void)pod_list_add(&values->known);
  memmove(&values->known.items[at + 1], &values->known.items[at],
          (size_t)behind * sizeof(simulator_value_t));
  simulator_value_t *value = &values->known.items[at];
  *value = (simulator_value_t){address, size_bytes, depends_on_chip,
                               pod_alloc((size_t)size_bytes)};
  memcpy(value->data, data, (size_t)size_bytes);
}

void simulator_values_set(simulator_values_t *values, int32_t buffer, const uint8_t *data,
                          bool depends_on_chip) {
  const int64_t address = values->addresses[buffer];
  const int64_t size_bytes = bytes_of(values, buffer);
  if (address < 0 || size_bytes == 0) {
    return;
  }
  const int32_t at = find(values, address);
  if (data != NULL && at < values->known.count &&
      values->known.items[at].address == address &&
      values->known.items[at].size_bytes == size_bytes) {
    memmove(values->known.items[at].data, data, (size_t)size_bytes);
    values->known.items[at].depends_on_chip = depends_on_chip;
    return;
  }
  if (data == NULL) {
    forget(values, address, size_bytes);
    return;
  }
  // The bytes may be part of what is about to be forgotten.
  uint8_t *kept = pod_alloc((size_t)size_bytes);
  memcpy(kept, data, (size_t)size_bytes);
  forget(values, address, size_bytes);
  insert(values, address, size_bytes, kept, depends_on_chip);
  free(kept);
}

void simulator_values_copy(simulator_values_t *values, int32_t from, int32_t to) {
  if (from == to) {
    return;
  }
  bool is_splat;
  bool depends_on_chip;
  const tensor_shape_t *shape = &values->program->buffers[to].shape;
  const uint8_t *data = simulator_values_get(values, from, &is_splat, &depends_on_chip);
  if (data == NULL || tensor_shape_elements(shape) > SIMULATOR_VALUE_ELEMENTS_MAX) {
    simulator_values_set(values, to, NULL, false);
    return;
  }
  if (!is_splat) {
    simulator_values_set(values, to, data, depends_on_chip);
    return;
  }
  const size_t element_bytes = tensor_dtype_bytes(shape->dtype);
  const int64_t elements = tensor_shape_elements(shape);
  uint8_t *expanded = pod_alloc((size_t)elements * element_bytes);
  for (int64_t i = 0; i < elements; i++) {
    memcpy(expanded + (size_t)i * element_bytes, data, element_bytes);
  }
  simulator_values_set(values, to, expanded, depends_on_chip);
  free(expanded);
}
