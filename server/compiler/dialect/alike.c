// The key is the row, then the addresses of types and attributes, which are interned.

#include "server/compiler/dialect/alike.h"

enum { KEYS_MAX = 1 << 14 };

void alike_add(alike_t *key, int64_t number) {
  if (key->count > 0 && key->count < ALIKE_NUMBERS_MAX) {
    key->numbers[key->count++] = number;
  } else {
    key->count = 0;
  }
}

void alike_add_address(alike_t *key, const void *address) {
  alike_add(key, (int64_t)(intptr_t)address);
}

void alike_init(alike_t *key, const mlir_op_t *op) {
  key->numbers[0] = op->kind;
  key->count = op->region_count == 0 ? 1 : 0;
  alike_add(key, op->operand_count);
  alike_add(key, op->result_count);
  for (int i = 0; i < op->operand_count && key->count > 0; i++) {
    alike_add_address(key, op->operands[i]->type);
  }
  for (int i = 0; i < op->result_count && key->count > 0; i++) {
    alike_add_address(key, op->results[i].type);
  }
  for (int i = 0; i < op->attr_count && key->count > 0; i++) {
    alike_add_address(key, op->attrs[i].name);
    alike_add_address(key, op->attrs[i].value);
  }
}

void *alike_get(const pod_map_t *map, const alike_t *key) {
  return key->count == 0 ? NULL
                         : pod_map_get_n(map, (const char *)key->numbers,
                                         (size_t)key->count * sizeof(key->numbers[0]));
}

void alike_put(pod_map_t *map, const alike_t *key, const void *value) {
  if (key->count > 0 && pod_map_count(map) < KEYS_MAX) {
    pod_map_put_n(map, (const char *)key->numbers,
                  (size_t)key->count * sizeof(key->numbers[0]), (void *)(uintptr_t)value);
  }
}
