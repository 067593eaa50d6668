// What the files of common/mlir share about types and attributes. Not for others.
//
// Aliases let a short text stand for a huge attribute (#b = [#a, #a], #c = [#b, #b], …).
// So every type and attribute knows its height, which bounds the recursion of whatever
// walks it, and its weight, the number of nodes met when it is written out; the parser
// bounds both.

#ifndef COMMON_MLIR_IR_PRIVATE_H_
#define COMMON_MLIR_IR_PRIVATE_H_

#include "common/mlir/ir.h"

#define MLIR_WEIGHT_MAX ((int64_t)1 << 40)

// The longest list mlir_attr_as_i64s expands from a splat.
#define MLIR_EXPAND_MAX ((int64_t)1 << 24)

// Zeroed but for kind, height and weight.
mlir_type_t *mlir_type_new(mlir_module_t *module, mlir_type_kind_t kind);
mlir_attr_t *mlir_attr_new(mlir_module_t *module, mlir_attr_kind_t kind);

// Enters a child in its parent's height and weight.
void mlir_nesting_add(int32_t *height, int64_t *weight, int32_t child_height,
                      int64_t child_weight);

// `count` elements for a DENSE whose type is set; borrows them.
void mlir_attr_set_data(mlir_attr_t *attr, const void *data, int64_t count);

static inline bool mlir_is_digit(char c) {
  return c >= '0' && c <= '9';
}

static inline bool mlir_is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static inline bool mlir_is_word(char c) {
  return mlir_is_letter(c) || mlir_is_digit(c);
}

#endif  // COMMON_MLIR_IR_PRIVATE_H_
