// A kernel's functions made ready to be run through many times: the integers that decide
// what happens, and the work of everything else, added up block by block.
//
// Of a block's operations only those are left that compute integers on which control or
// an index depends, and control itself; vectors are counted, not computed (work.c).
// Ownership: everything is in the arena of the builder. Threading: pure.

#ifndef SERVER_COMPILER_PALLAS_CODE_H_
#define SERVER_COMPILER_PALLAS_CODE_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/mlir/ir.h"
#include "server/chip/grid.h"

typedef enum kernel_op_t {
  KERNEL_OP_UNKNOWN = 0,
#define KERNEL_OP(id, name, kind, lanes) KERNEL_OP_##id,
#include "server/compiler/pallas/kernel_ops.def"
#undef KERNEL_OP
  KERNEL_OP_COUNT,
} kernel_op_t;

typedef enum kernel_kind_t {
  KERNEL_KIND_LANES,
  KERNEL_KIND_MOVES,
  KERNEL_KIND_FREE,
  KERNEL_KIND_REDUCES,
  KERNEL_KIND_PRODUCT,
  KERNEL_KIND_LOADS,
  KERNEL_KIND_STORES,
  KERNEL_KIND_COPIES,
  KERNEL_KIND_CONTROL,
  KERNEL_KIND_ENDS,
} kernel_kind_t;

// The number of an operation's row by its name, with the dialect around it or without;
// KERNEL_OP_UNKNOWN for others. For mlir_module_t.kind_of.
int kernel_op_of(const char *name);
kernel_kind_t kernel_kind_of(int op);

// --- Types (types.c) ---

typedef enum kernel_space_t {
  KERNEL_SPACE_OTHER = 0,  // Semaphores, no memref at all.
  KERNEL_SPACE_ANY,        // Wherever it is: HBM.
  KERNEL_SPACE_HBM,
  KERNEL_SPACE_VMEM,
  KERNEL_SPACE_SMEM,
} kernel_space_t;

// The sizes and elements of a vector or a memref, a scalar's without sizes. False for
// types of elements that are none of ours, and for unknown sizes.
bool kernel_shape_of(const mlir_type_t *type, tensor_shape_t *out_shape);
bool kernel_is_vector(const mlir_type_t *type);
bool kernel_is_integer(const mlir_type_t *type);  // A scalar one, or an index.
kernel_space_t kernel_space_of(const mlir_type_t *type);

// --- Work (work.c) ---

// What an operation on vectors or a copy demands of its step, apart from its regions.
// `use_counts` by value id.
chip_grid_step_t kernel_work_of(const chip_spec_t *spec, const mlir_op_t *op,
                                const uint32_t *use_counts);
// sum += count · work; `pieces` and `blocks` are the most of either. Stages of a block of
// code are counted by code_build.
void kernel_work_add(chip_grid_step_t *sum, const chip_grid_step_t *work, int64_t count);

// --- Code ---

typedef struct code_block_t code_block_t;

typedef struct code_node_t {
  kernel_op_t op;
  int bits;             // Of the integer that it gives.
  int64_t attribute;    // Of a comparison: its predicate.
  const mlir_op_t *at;  // Operands and results by their ids.
  code_block_t *regions[2];
} code_node_t;

struct code_block_t {
  const mlir_block_t *at;
  chip_grid_step_t work;  // Of what has no node.
  int32_t node_count;
  code_node_t *nodes;
  const mlir_op_t *end;  // Whose operands it gives; NULL: nothing.
};

typedef struct code_builder_t {
  const chip_spec_t *spec;
  const mlir_module_t *module;
  pod_arena_t *arena;
  uint32_t *use_counts;  // By value id.
  bool *is_needed;       // By value id: an integer that decides something.
  int32_t *stages;       // By value id: products and reductions that it waits for, in a
                         // row, of its block.
} code_builder_t;

// Looks through the whole module once.
void code_builder_init(code_builder_t *builder, const chip_spec_t *spec,
                       const mlir_module_t *module, pod_arena_t *arena);
// Of a block and what is inside. NULL: a region without a block.
code_block_t *code_build(code_builder_t *builder, const mlir_block_t *block);

#endif  // SERVER_COMPILER_PALLAS_CODE_H_
