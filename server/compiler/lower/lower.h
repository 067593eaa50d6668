// From one MLIR function to a program of instructions over buffers, in five steps, each
// in its own file:
//
//   donation.c        which arguments give their memory to which results
//   lower_linear.c    regions become computations, operations a list of nodes over
//                     variables; every place where values might have to be moved (into a
//                     loop's state, out of a branch, to a result) gets a copy node; the
//                     time in which each variable lives is noted
//   lower_coalesce.c  variables that may share a buffer are put into one class, above all
//                     the two sides of a copy, which then falls away
//   packing.c         the classes that need room get it in the block of temporaries
//   lower_emit.c      nodes become instructions, classes become buffers
//   lower_peak.c      what fills the memory, for people
//
// Time is a number per node, in program order, with the nodes of a loop's condition and
// body between those before and after it. A node at time t reads at 2t or 2t + 1 and
// writes at 2t + 1: an operand that may be overwritten by the result (program.h: works in
// place) is read at 2t, one that may not at 2t + 1. Something read inside of a loop but
// made outside lives until the loop's end.
//
// Private to the compiler's lower*.c.

#ifndef SERVER_COMPILER_LOWER_LOWER_H_
#define SERVER_COMPILER_LOWER_LOWER_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/list.h"
#include "common/mlir/ir.h"
#include "server/compiler/lower/donation.h"
#include "server/compiler/lower/packing.h"
#include "server/compiler/partition/partition.h"
#include "server/program/program.h"

// A thing that is written once (in a loop: once per iteration) and lies in one buffer.
typedef struct lower_var_t {
  const tensor_shape_t *shape;  // Of a type of the module.
  int64_t size_bytes;
  int32_t born, dies;  // Half times, both included.
  // What it holds: variables of the same content may share a buffer at the same time.
  int32_t content;
  int32_t scope;            // The scope that it is made in.
  int32_t captured_by;      // The innermost scope known to read it from outside.
  int32_t twin;             // Has the same index of a buffer as this one; or itself.
  bool is_host;             // In the host's memory.
  chip_buffer_kind_t home;  // TEMP unless it has to lie in a certain place.
  int32_t home_index;
  int32_t class;   // Set by lower_coalesce.
  int32_t buffer;  // Set by lower_emit.
} lower_var_t;

typedef struct lower_node_t {
  chip_op_t op;
  const mlir_op_t *source;  // Attributes and place; for copies the op they serve.
  int32_t computation;      // That it is an instruction of.
  int32_t time;
  bool is_move;  // COPY or RESHAPE of one operand: falls away when both share a buffer.
  // Ranges of lower_t.refs: operands, then results, then calls.
  int32_t refs, operand_count, result_count, call_count;
} lower_node_t;

typedef struct lower_computation_t {
  const char *name;
  // Ranges of lower_t.refs: parameters, then results.
  int32_t refs, parameter_count, result_count;
} lower_computation_t;

// What is inside runs many times (loop, scalar region): things from outside that it reads
// live until its end.
typedef struct lower_scope_t {
  int32_t parent;
  int32_t captured_first;  // Chain of lower_t.captures; CHIP_NONE at the end.
} lower_scope_t;

typedef struct lower_capture_t {
  int32_t var, next;
} lower_capture_t;

// Why two variables should share a buffer, in the order of how much it matters.
typedef enum lower_wish_kind_t {
  LOWER_WISH_DONATION = 0,  // A result and the argument whose memory it takes: always.
  LOWER_WISH_STATE,         // A loop's or branch's new value is made where it has to be.
  LOWER_WISH_RESULT,        // A result of the program, likewise.
  LOWER_WISH_START,         // A loop's initial value, likewise.
  LOWER_WISH_VIEW,          // A reshape costs nothing.
  LOWER_WISH_UPDATE,        // dynamic_update_slice writes only what changes.
  LOWER_WISH_IN_PLACE,      // Elementwise.
  LOWER_WISH_COUNT,
} lower_wish_kind_t;

typedef struct lower_wish_t {
  lower_wish_kind_t kind;
  int32_t a, b;
} lower_wish_t;

typedef struct lower_constant_t {
  const mlir_attr_t *value;
  const tensor_shape_t *shape;
} lower_constant_t;

// A kernel of the modelled chip (schedule/clusters.h). What is inside of it takes no
// memory.
typedef struct lower_operand_t {
  const mlir_value_t *value;
  // Result of the kernel that may be written over it; CHIP_NONE.
  int32_t result;
  bool is_update;  // That result is a dynamic_update_slice of it.
} lower_operand_t;

typedef struct lower_kernel_t {
  const mlir_op_t *root;
  int32_t operand_count, result_count;
  const lower_operand_t *operands;  // From outside; one may be there several times.
  const mlir_value_t *const *results;
  const bool *is_in_vmem;  // By result: it takes no HBM.
} lower_kernel_t;

enum { LOWER_INSIDE = -2 };

// All kernels. With them lowering tells what the modelled chip has in its HBM: arrays are
// as large as their tiles, single elements are not in HBM, reshapes are free.
typedef struct lower_kernels_t {
  int64_t (*bytes_of)(const tensor_shape_t *shape);  // In HBM.
  uint32_t op_count;
  // By op id: the kernel that it is the root of; LOWER_INSIDE: it is in a kernel
  // somewhere; CHIP_NONE: it is by itself.
  const int32_t *kernel_of;
  const lower_kernel_t *kernels;
} lower_kernels_t;

typedef struct lower_t {
  const compiler_partitioned_t *partitioned;
  const lower_kernels_t *kernels;  // NULL: instructions, as the worker does them.
  mlir_module_t *module;
  const mlir_op_t *main;
  donation_t donation;
  int32_t *var_of;  // By value id: its variable, or CHIP_NONE.
  bool *is_host;    // By value id: in the host's memory. NULL: none is.
  POD_LIST(lower_var_t) vars;
  POD_LIST(lower_node_t) nodes;
  POD_LIST(int32_t) refs;
  POD_LIST(lower_computation_t) computations;
  POD_LIST(lower_scope_t) scopes;
  POD_LIST(lower_capture_t) captures;
  POD_LIST(lower_wish_t) wishes;
  POD_LIST(lower_constant_t) constants;
  pod_map_t *constant_indexes;  // By content.
  int32_t time;
  int32_t scope;        // Where the walk is.
  int32_t computation;  // Likewise.
  int32_t depth;        // Of blocks.
  int32_t class_count;
  int64_t temp_bytes, host_temp_bytes;
  int64_t *class_offsets;     // By class, for those in the block of temporaries.
  int64_t *live_bytes;        // By time: of the temporaries that are alive then.
  const mlir_op_t **sources;  // By instruction: the operation it comes from, or NULL.
  int32_t *node_of;           // By instruction.
} lower_t;

// The longest life of a variable that no time ends.
enum { LOWER_FOREVER = INT32_MAX };

POD_MUST_USE pod_status_t lower_linearize(lower_t *lower);

void lower_coalesce(lower_t *lower);

POD_MUST_USE pod_status_t lower_emit(lower_t *lower, chip_program_t **out_program);

// By class: the time from its first to its last, in whole nodes, and its size. Classes
// with a home of their own have size 0. Returns owned.
packing_item_t *lower_class_items(const lower_t *lower);

// lower_peak.c: which temporaries are alive when most are, for reports. Behind the
// instructions.
void lower_find_peak(const lower_t *lower, chip_program_t *program);

// lower_attrs.c: the attributes of the instruction for `op`, in `arena`. UNIMPLEMENTED or
// INVALID_ARGUMENT at the op.
POD_MUST_USE pod_status_t lower_attrs(lower_t *lower, const mlir_op_t *op,
                                      pod_arena_t *arena, int32_t *out_count,
                                      const chip_attr_t **out_attrs);

// The lives, classes and places of what the modelled chip has in HBM. `out_lower` is to
// be deinitialised on success. RESOURCE_EXHAUSTED beyond 2^63 bytes.
POD_MUST_USE pod_status_t lower_kernels(const compiler_partitioned_t *partitioned,
                                        const lower_kernels_t *kernels,
                                        lower_t *out_lower);

void lower_deinit(lower_t *lower);

// lower_emit.c: offsets of classes, temp_bytes, live_bytes.
POD_MUST_USE pod_status_t lower_place(lower_t *lower);

// Whether an instruction may write its result over operand `index`, if sizes agree.
bool lower_works_in_place(chip_op_t op, int index);

// Instructions, buffers, constants. The program has an arena of its own.
POD_MUST_USE pod_status_t compiler_lower(const compiler_partitioned_t *partitioned,
                                         chip_program_t **out_program);

// What is known of a lowered program beside itself, in the module's arena.
typedef struct lower_notes_t {
  const mlir_op_t **sources;  // By instruction: where it comes from; NULL for copies.
  int32_t count;
  const char *const *texts;  // For people: donations that are not used.
} lower_notes_t;

// compiler_lower that tells that too.
POD_MUST_USE pod_status_t lower_with_notes(const compiler_partitioned_t *partitioned,
                                           chip_program_t **out_program,
                                           lower_notes_t *out_notes);

#endif  // SERVER_COMPILER_LOWER_LOWER_H_
