// A key that is equal for operations that are alike: of the same row, over operands and
// results of the same types, with the same attributes. What follows from these alone is
// worked out once for all of them.
//
// Types of tensors, and attributes that operations share, are one when they are equal, so
// that their addresses stand for them; a key holds for one module. Two operations that
// are alike but for the address of an attribute have different keys: that costs time,
// nothing else.
//
// Threading: pure.

#ifndef SERVER_COMPILER_DIALECT_ALIKE_H_
#define SERVER_COMPILER_DIALECT_ALIKE_H_

#include <stdint.h>

#include "common/base/map.h"
#include "common/mlir/ir.h"

enum { ALIKE_NUMBERS_MAX = 64 };

typedef struct alike_t {
  int count;  // 0: there is no key; the operation has regions, or too much of something.
  int64_t numbers[ALIKE_NUMBERS_MAX];
} alike_t;

// The key of `op` as it stands.
void alike_init(alike_t *key, const mlir_op_t *op);

// What else the matter depends on, always in the same order.
void alike_add(alike_t *key, int64_t number);
void alike_add_address(alike_t *key, const void *address);

// NULL: nothing is known, or there is no key.
void *alike_get(const pod_map_t *map, const alike_t *key);

// Nothing happens when there is no key, and when the map is full: what comes then is
// rarely met again.
void alike_put(pod_map_t *map, const alike_t *key, const void *value);

#endif  // SERVER_COMPILER_DIALECT_ALIKE_H_
