// What attributes*.c share. Not for others.

#ifndef SERVER_COMPILER_DIALECT_ATTRIBUTES_PRIVATE_H_
#define SERVER_COMPILER_DIALECT_ATTRIBUTES_PRIVATE_H_

#include <stdbool.h>

#include "common/base/text.h"
#include "common/mlir/parser.h"
#include "common/tensor/sharding.h"

// Whether it is #DIALECT.name, of any dialect.
bool attribute_is(const mlir_attr_t *attr, const char *name);

// A parser over the body of #DIALECT.name<…>.
POD_MUST_USE pod_status_t attribute_open(mlir_module_t *module, const mlir_attr_t *attr,
                                         const char *name, mlir_parser_t **out_parser);
// An error unless all was read.
POD_MUST_USE pod_status_t attribute_close(mlir_parser_t *parser);

// [axes], device_ids=[…]; the parser stands on the bracket.
POD_MUST_USE pod_status_t attribute_parse_mesh(mlir_parser_t *parser, const char *name,
                                               pod_arena_t *arena,
                                               const mesh_t **out_mesh);
void attribute_print_mesh(pod_text_t *text, const mesh_t *mesh);

#endif  // SERVER_COMPILER_DIALECT_ATTRIBUTES_PRIVATE_H_
