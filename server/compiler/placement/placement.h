// Which arrays lie in the host's memory, and where they move.
//
// Marks in the module say so: `mhlo.memory_kind` of arguments and results, and
// podium.to_host and podium.to_device, which JAX's annotate_device_placement and XLA's
// MoveToHost and MoveToDevice become. The pass follows what XLA's host offloader does
// with them (xla/hlo/transforms/host_offloader.cc):
//
//   to_host                     the array moves to the host, unless it is written into a
//                               larger one there
//   dynamic_update_slice        into an array on the host: the update moves, by itself
//   dynamic_slice, slice        of an array on the host: what is taken moves to the chip;
//                               a to_device of it is nothing more
//   to_device                   the array moves to the chip; nothing, when it is there
//   reshape (and broadcasts that are nothing else), barrier, branches, what a loop
//   carries: stay where they are a broadcast that becomes an array on the host, as the
//   stack that a scan fills, is
//                               made there: no bytes move
//
// Any other operation computes on the chip: what it reads of the host moves there before.
// (XLA computes it on the host, with a warning; values are the same.) Results that lie on
// the host and are not marked are an error, as they are there.
//
// Between the two memories only these move, as transfers over PCI Express, which the
// scheduler makes asynchronous: to_host, to_device, and the marked slices and updates.
//
// Threading: pure. Cost: linear, times the depth of loops.

#ifndef SERVER_COMPILER_PLACEMENT_PLACEMENT_H_
#define SERVER_COMPILER_PLACEMENT_PLACEMENT_H_

#include <stdbool.h>

#include "common/base/status.h"
#include "common/mlir/ir.h"

// Whether argument or result `index` of `main` is marked for the host's memory; `list` is
// "arg_attrs" or "res_attrs".
bool placement_is_marked(const mlir_op_t *main, const char *list, int index);

// Resolves the marks in the module of one chip. INVALID_ARGUMENT at the return: a result
// on the host that is not marked.
POD_MUST_USE pod_status_t compiler_place(mlir_module_t *module);

// Whether the operation is a transfer, and which way.
bool placement_is_transfer(const mlir_op_t *op);
bool placement_is_to_host(const mlir_op_t *op);

// Whether it makes an array in the host's memory, of which nothing moves.
bool placement_is_allocation(const mlir_op_t *op);

// Whether it is the same array under another shape: it stays where it is.
bool placement_is_view(const mlir_op_t *op);

// What of a transfer moves: a value whose shape it has.
const mlir_value_t *placement_moved(const mlir_op_t *op);

// By value id: whether it lies in the host's memory. Owned; NULL: none does.
bool *placement_find(const mlir_module_t *module);

#endif  // SERVER_COMPILER_PLACEMENT_PLACEMENT_H_
