// Whether two modules are the same program: operations, types, attributes (in any order),
// regions, and which value is used where. Names and places do not count.

#ifndef TESTS_UNIT_COMMON_MLIR_SAME_MODULE_H_
#define TESTS_UNIT_COMMON_MLIR_SAME_MODULE_H_

#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/mlir/ir.h"

// `values[id of a]` is the value of b that stands for it.
typedef struct same_t {
  const mlir_value_t **values;
  const mlir_op_t *difference;  // The first operation of a that differs.
} same_t;

static inline bool same_values_(same_t *same, const mlir_value_t *a,
                                const mlir_value_t *b) {
  same->values[a->id] = b;
  return mlir_type_equal(a->type, b->type);
}

static inline bool same_attrs_(const mlir_op_t *a, const mlir_op_t *b) {
  bool equal = a->attr_count == b->attr_count;
  for (int i = 0; equal && i < a->attr_count; i++) {
    equal = mlir_attr_equal(a->attrs[i].value, mlir_op_attr(b, a->attrs[i].name));
  }
  return equal;
}

static inline bool same_op_(same_t *same, const mlir_op_t *a, const mlir_op_t *b);

static inline bool same_region_(same_t *same, const mlir_region_t *a,
                                const mlir_region_t *b) {
  const mlir_block_t *block = a->first, *other = b->first;
  bool equal = true;
  for (; equal && block != NULL && other != NULL;
       block = block->next, other = other->next) {
    equal = block->argument_count == other->argument_count;
    for (int i = 0; equal && i < block->argument_count; i++) {
      equal = same_values_(same, block->arguments[i], other->arguments[i]);
    }
    const mlir_op_t *op = block->first, *other_op = other->first;
    for (; equal && op != NULL && other_op != NULL;
         op = op->next, other_op = other_op->next) {
      equal = same_op_(same, op, other_op);
    }
    equal = equal && op == NULL && other_op == NULL;
  }
  return equal && block == NULL && other == NULL;
}

static inline bool same_op_(same_t *same, const mlir_op_t *a, const mlir_op_t *b) {
  bool equal = strcmp(a->name, b->name) == 0 && a->operand_count == b->operand_count &&
               a->result_count == b->result_count && a->region_count == b->region_count &&
               same_attrs_(a, b);
  for (int i = 0; equal && i < a->operand_count; i++) {
    equal = same->values[a->operands[i]->id] == b->operands[i];
  }
  for (int i = 0; equal && i < a->result_count; i++) {
    equal = same_values_(same, &a->results[i], &b->results[i]);
  }
  for (int i = 0; equal && i < a->region_count; i++) {
    equal = same_region_(same, &a->regions[i], &b->regions[i]);
  }
  if (!equal && same->difference == NULL) {
    same->difference = a;
  }
  return equal;
}

// `out_difference` may be NULL.
static inline bool same_module(const mlir_module_t *a, const mlir_module_t *b,
                               const mlir_op_t **out_difference) {
  same_t same = {
      .values = pod_alloc(((size_t)a->value_count + 1) * sizeof(const mlir_value_t *))};
  const bool equal = same_op_(&same, a->op, b->op);
  free((void *)same.values);
  if (out_difference != NULL) {
    *out_difference = same.difference;
  }
  return equal;
}

#endif  // TESTS_UNIT_COMMON_MLIR_SAME_MODULE_H_
