// What attributes*.c share. Not for others.

#ifndef SERVER_COMPILER_DIALECT_ATTRIBUTES_PRIVATE_H_
#define SERVER_COMPILER_DIALECT_ATTRIBUTES_PRIVATE_H_

#include <stdbool.h>

#include "common/mlir/parser.h"

// Whether it is #DIALECT.name, of any dialect.
bool attribute_is(const mlir_attr_t *attr, const char *name);

// A parser over the body of #DIALECT.name<…>.
POD_MUST_USE pod_status_t attribute_open(mlir_module_t *module, const mlir_attr_t *attr,
                                         const char *name, mlir_parser_t **out_parser);
// An error unless all was read.
POD_MUST_USE pod_status_t attribute_close(mlir_parser_t *parser);

#endif  // SERVER_COMPILER_DIALECT_ATTRIBUTES_PRIVATE_H_
