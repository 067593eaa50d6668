// Operations with a sharding rule, padded. Private to pad*.c.

#ifndef SERVER_COMPILER_PARTITION_PAD_OP_H_
#define SERVER_COMPILER_PARTITION_PAD_OP_H_

#include "common/base/status.h"
#include "server/compiler/partition/axes.h"
#include "server/compiler/partition/pad_value.h"
#include "server/compiler/partition/shardings.h"

typedef struct pass_t {
  padder_t padder;
  shardings_t shardings;  // Of the padded module.
  axes_t manual;          // The axes that are manual where we are.
} pass_t;

// Its operands are as they were made: with the padding they have.
POD_MUST_USE pod_status_t pad_ruled(pass_t *pass, mlir_op_t *op);

#endif  // SERVER_COMPILER_PARTITION_PAD_OP_H_
