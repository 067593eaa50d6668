// What the printer's files share. Not for others.

#ifndef COMMON_MLIR_PRINT_PRIVATE_H_
#define COMMON_MLIR_PRINT_PRIVATE_H_

#include "common/base/text.h"
#include "common/mlir/ir_private.h"

void mlir_print_string(pod_text_t *text, const char *bytes, int64_t length);
void mlir_print_symbol(pod_text_t *text, const char *name);
void mlir_print_entry_name(pod_text_t *text, const char *name);
void mlir_print_entry(pod_text_t *text, const mlir_named_attr_t *entry, int64_t elide);
void mlir_print_dense(pod_text_t *text, const mlir_attr_t *attr, int64_t elide);
void mlir_print_signature(pod_text_t *text, int input_count,
                          const mlir_type_t *const *inputs, int result_count,
                          const mlir_type_t *const *results);
// Without `loc(`. `aliases` maps the address of a location to "#loc3"; or NULL.
void mlir_print_location(pod_text_t *text, const mlir_attr_t *attr,
                         const pod_map_t *aliases);

#endif  // COMMON_MLIR_PRINT_PRIVATE_H_
