// What the modelled chip has in its HBM while it runs the program: arguments, results,
// and the buffers between its kernels, each as long as it lives. XLA's buffer assignment
// in small, over clusters instead of instructions: what a fusion keeps to itself takes no
// memory, nor does what stays in VMEM; arrays are as large as their tiles (chip/tiles.h);
// loops work on their state where it lies, updates and elementwise kernels in place.
//
// The worker's own block of temporaries (chip_program_t.temp_bytes) is another count: it
// computes operation by operation in the host's memory.
//
// Private to the compiler. Threading: pure. Cost: that of lowering.

#ifndef SERVER_COMPILER_SCHEDULE_MEMORY_H_
#define SERVER_COMPILER_SCHEDULE_MEMORY_H_

#include <stdint.h>

#include "server/compiler/lower/lower.h"
#include "server/compiler/schedule/clusters.h"
#include "server/program/program.h"

typedef struct memory_t {
  chip_memory_t total;
  lower_t lower;          // With the lives of all variables.
  packing_item_t *items;  // By class of variables.
  int32_t peak_time;      // The first at which most is alive; CHIP_NONE: nothing is.
  lower_kernels_t kernels;
  pod_arena_t *arena;  // Of the kernels.
} memory_t;

// Of the clusters in their present order. Before clusters_assign_vmem everything that
// leaves a kernel counts as in HBM. RESOURCE_EXHAUSTED beyond 2^63 bytes.
POD_MUST_USE pod_status_t memory_count(const clusters_t *clusters, memory_t *out_memory);

void memory_deinit(memory_t *memory);

// The sizes, what is alive at each instruction, and what is at the peak. `sources`: by
// instruction, see lower_with_notes.
void memory_tell(const memory_t *memory, const clusters_t *clusters,
                 const mlir_op_t *const *sources, chip_program_t *program);

// By op id: the first and last time at which it runs, in one kernel or several, or
// anything inside of it; -1: it takes no time. Owned.
void memory_times(const memory_t *memory, const clusters_t *clusters, int32_t **out_first,
                  int32_t **out_last);

// A buffer that is alive at the peak, an argument or a result.
typedef struct memory_buffer_t {
  chip_buffer_kind_t kind;  // TEMP, ARGUMENT or RESULT.
  int32_t index;            // Of the argument or result.
  const mlir_op_t *op;      // That wrote it last before the peak, or first; may be NULL.
  const tensor_shape_t *shape;
  int64_t size_bytes;  // With its padding.
} memory_buffer_t;

// Whether a value lies in the host's memory, of which the chip's has nothing.
bool memory_is_on_host(const lower_t *lower, const mlir_value_t *value);

// All of them, the largest first; owned. Results that lie in donated arguments are
// listed as these.
memory_buffer_t *memory_list(const memory_t *memory, int32_t *out_count);

#endif  // SERVER_COMPILER_SCHEDULE_MEMORY_H_
