// Windows of operations whose dimensions have padding. Private to pad*.c.

#ifndef SERVER_COMPILER_PARTITION_PAD_ATTRS_H_
#define SERVER_COMPILER_PARTITION_PAD_ATTRS_H_

#include <stdbool.h>

#include "server/compiler/partition/pad_value.h"
#include "server/program/window.h"

// Whether a reduce_window over arrays of the shape `own` has along `dim` a window that
// reaches from every element to the first one, or to the last.
bool pad_attrs_is_scan(const padder_t *padder, const mlir_op_t *op,
                       const tensor_shape_t *own, int dim);

// Sets the padding behind `size` elements so that there are `places` of the window.
void pad_attrs_fit_window(chip_window_t *window, int dim, int64_t size, int64_t places);

// Sizes and padding.
void pad_attrs_set_window(padder_t *padder, mlir_op_t *op, const chip_window_t *window);

#endif  // SERVER_COMPILER_PARTITION_PAD_ATTRS_H_
