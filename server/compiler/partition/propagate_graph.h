// What propagation works on: slots, which hold a sharding, and nodes, which relate slots
// by a sharding rule. Private to propagate*.c.

#ifndef SERVER_COMPILER_PARTITION_PROPAGATE_GRAPH_H_
#define SERVER_COMPILER_PARTITION_PROPAGATE_GRAPH_H_

#include <stdbool.h>

#include "common/base/arena.h"
#include "common/base/list.h"
#include "common/mlir/ir.h"
#include "common/tensor/sharding.h"
#include "server/compiler/partition/axes.h"
#include "server/compiler/partition/factors.h"
#include "server/compiler/partition/projection.h"
#include "server/compiler/partition/propagate.h"
#include "server/compiler/partition/shardings.h"

enum { SLOT_NONE = -1 };

// A value, the group of values of a loop's carried value, a result of @main, or one use
// of a value that is made anew per use.
typedef struct slot_t {
  const tensor_shape_t *shape;
  const sharding_t *sharding;  // As far as propagation has got.
  const sharding_t *given;     // The user's with its priorities; NULL when all are 0.
  // A value that enters or leaves a manual computation has two slots: `outer` with the
  // global shape, and the other with the local one and without the manual axes.
  int linked;
  bool is_outer;
  bool is_surface;  // An argument or result of @main: has no padding that nobody asked
                    // for.
  const axes_t *manual;  // Of a linked slot.
  bool is_carried;       // Of a loop or a branch.
} slot_t;

// How a constraint, or a manual computation, wants its operand.
typedef struct wish_t {
  int slot;
  const sharding_t *sharding;
} wish_t;

typedef enum node_kind_t {
  NODE_OTHER = 0,
  NODE_PASS_THROUGH,  // Elementwise, reshape, transpose, edges of data flow.
  NODE_FORWARD,       // dynamic_slice, dynamic_update_slice: forward while others may.
  NODE_BROADCAST,     // Backward first.
  NODE_BARRIER,       // In its own direction, always.
} node_kind_t;

typedef enum direction_t {
  DIRECTION_NONE = 0,
  DIRECTION_FORWARD = 1,  // From operands to results.
  DIRECTION_BACKWARD = 2,
  DIRECTION_BOTH = 3,
} direction_t;

typedef struct node_t {
  const factors_t *factors;
  int *slots;  // Operands, then results; SLOT_NONE for what has no dimensions.
  int tensor_count;
  unsigned gains;  // graph_gains.
  node_kind_t kind;
  direction_t allowed;  // Of a barrier.
  bool is_elementwise;
  bool is_identity;         // Dimension d of every tensor with any is the same factor.
  bool has_shared_operand;  // Another operation uses it too.
  bool joins_operands;      // concatenate.
  bool is_result;           // From a value that @main returns to the result.
  bool is_dirty;
} node_t;

// Which factor wins when two want the same axis of a tensor: the one whose axes come from
// the larger tensor; for elementwise operations then the one with more shards; then the
// one whose source comes first.
typedef struct factor_rank_t {
  double source_elements;
  int64_t shards;
  int source;
  int factor;
} factor_rank_t;

// A value of a sharding group.
typedef struct member_t {
  const mlir_op_t *op;  // The sdy.sharding_group.
  int64_t group;
  int slot;
} member_t;

typedef struct graph_t {
  mlir_module_t *module;
  pod_arena_t *arena;
  const mesh_t *mesh;
  const shardings_t *shardings;
  POD_LIST(slot_t) slots;
  POD_LIST(node_t) nodes;
  POD_LIST(member_t) members;
  POD_LIST(wish_t) wishes;
  int *value_slots;                 // By value id.
  int *argument_slots;              // Of @main.
  int *result_slots;                // Of @main.
  int *use_counts;                  // By value id.
  pod_map_t *factors;               // Of operations that are alike.
  const factors_t **value_factors;  // By value id: as in propagation_t.
  int *slot_nodes;  // The nodes of a slot: [slot_starts[i], slot_starts[i + 1]).
  int *slot_starts;
  projection_t projection;
  // Room for the factors of any node: those with axes, best first; and the axes of each.
  factor_rank_t *ranks;
  axes_t *axes;
} graph_t;

// Makes the graph of @main. graph_deinit frees it, also when this fails.
POD_MUST_USE pod_status_t graph_build(graph_t *graph, const shardings_t *shardings);

void graph_deinit(graph_t *graph);

// The sharding rule of a collective of the user's that stays within the manual axes where
// it is, in the graph's arena. NULL for others, and for all other operations: they have
// none, or one by their row.
const factors_t *graph_collective_factors(const graph_t *graph, const mlir_op_t *op,
                                          const axes_t *manual);

// Notes that `slot` is in the group that the sdy.sharding_group names.
POD_MUST_USE pod_status_t graph_add_member(graph_t *graph, const mlir_op_t *op, int slot);

// Gives the members of each group one slot. Where two of them come with different
// shardings of their own, or lie on the edges of different manual computations, the
// values stay apart. INVALID_ARGUMENT: a group of different shapes, or across the bounds
// of a manual computation.
POD_MUST_USE pod_status_t graph_join_groups(graph_t *graph);

// Gives a value without a sharding the one that its constraints want, where it is closed
// and they agree (Shardy's apply_sharding_constraints).
void graph_apply_wishes(graph_t *graph);

// Sets the sharding of a slot and of the one linked to it, and marks the nodes of both.
void graph_set(graph_t *graph, int slot, const sharding_t *sharding);

// Propagates along a node at a level of operation priorities, [0, GRAPH_LEVELS).
void graph_step(graph_t *graph, node_t *node, int level);

// The levels, as bits, that let more through a node than those before them.
unsigned graph_gains(const propagation_options_t *options, const node_t *node);

enum { GRAPH_LEVELS = 5 };

#endif  // SERVER_COMPILER_PARTITION_PROPAGATE_GRAPH_H_
