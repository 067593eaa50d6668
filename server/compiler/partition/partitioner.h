// What the files partition*.c share: the program of one chip while it is written. Private
// to them.

#ifndef SERVER_COMPILER_PARTITION_PARTITIONER_H_
#define SERVER_COMPILER_PARTITION_PARTITIONER_H_

#include <stdbool.h>

#include "common/base/list.h"
#include "common/mlir/ir.h"
#include "server/compiler/partition/factors.h"
#include "server/compiler/partition/layout.h"
#include "server/compiler/partition/projection.h"
#include "server/compiler/partition/propagate.h"
#include "server/compiler/partition/reshard.h"
#include "server/compiler/partition/shardings.h"
#include "server/program/program.h"

// A value of the source module in one layout.
typedef struct version_t {
  const layout_t *layout;
  const mesh_t *mesh;   // Over the devices of which the layout's axes are.
  mlir_value_t *value;  // Of the new module; local.
  int made;             // Counts versions in the order in which they are made.
  struct version_t *next;
} version_t;

typedef struct choice_t choice_t;

// What has become of a value of the source module.
typedef struct state_t {
  const choice_t *choice;  // Of the operation that made it; NULL for others.
  version_t *versions;     // In the order in which they were made.
  mlir_block_t *home;  // Where further versions go: they are of use to the whole block.
  double turns;        // How often that is carried out.
} state_t;

// What has been looked up already, by a chip's place along axes.
typedef struct place_t {
  const mesh_t *mesh;
  axes_t axes;
  const int64_t *values;
  mlir_value_t *value;
  struct place_t *next;
} place_t;

enum { PARTITION_NOTES_MAX = 32 };

enum { CANDIDATES_MAX = 12 };  // Per factor; tensors that propose more are not heard.

// The axes by which a factor may be sharded.
typedef struct candidates_t {
  int count;
  int moved;  // From this one on: what other factors have that must be whole.
  axes_t axes[CANDIDATES_MAX];  // [0] is none.
} candidates_t;

// What has been chosen for an operation, and for all that are like it.
struct choice_t {
  const layout_t **operands, **results;
  const mlir_type_t **types;  // Of the local results.
  const factors_t *factors;
  const axes_t *axes;  // Of the factors.
  bool moves;          // A factor is sharded whose elements move.
};

typedef struct partitioner_t {
  mlir_module_t *source, *module;
  // Over which values are wanted: the program's, or, at the surface of @main, its axes
  // over the devices in another order (border.h).
  const mesh_t *mesh;
  shardings_t shardings;
  axes_t manual;  // The axes that are manual where we are.
  layouts_t layouts;
  propagation_t propagation;
  state_t *states;    // By value id of the source.
  int version_count;  // Of all of them.
  const bool
      *is_rolled;  // By value id of the source: slices that only rolls use; or NULL.
  const layout_t **wishes;   // By value id of the source: see wishes_find; or NULL.
  const bool *by_device;     // By value id of the source: depends on the device; or NULL.
  mlir_value_t **value_map;  // By value id of the source, for mlir_op_clone.
  mlir_block_t *block;       // Where operations are put at present,
  double turns;              // and how often they are carried out there.
  mlir_op_t *cursor;  // When set: operations go behind it instead, one after the other.
  mlir_block_t *main_block;
  mlir_op_t *last_place;  // Of the operations at the start of main that look up places.
  mlir_value_t *device;   // stablehlo.partition_id, once it was needed.
  place_t *places;
  const mlir_attr_t *location;     // Of the operation at hand, for what is made for it.
  mlir_position_t position;        // Likewise.
  int64_t first_channel;           // The last one that is the user's,
  int64_t channel;                 // and that was given to a collective.
  POD_LIST(const char *) reasons;  // By channel behind the first.
  POD_LIST(const char *) notes;    // For people.
  const char *because;             // Of the collective that is made next; NULL: not told.
  const mlir_op_t *user;           // That wants values; NULL: nobody yet.
  const mlir_value_t *wanted;      // What it wants otherwise than it lies,
  const layout_t *wanted_layout;   // and how.
  projection_t projection;
  pod_map_t *plans;          // For partition_value_plan.
  reshard_plan_t plan;       // Room to make one.
  const layout_t **targets;  // Of the results of the operation at hand.
  chip_reducer_t *reducers;  // What combines their parts; all NONE: nothing does.
  axes_t *factor_axes;       // Of its factors.
  candidates_t *candidates;  // Of its factors, and which of them is picked.
  int *picked;
  pod_map_t *choices;  // Of operations that are alike: choice_t.
  int target_capacity, factor_capacity;
} partitioner_t;

// --- partition_emit.c: operations of the new module ---

// What is made from now on is made for an operation of the old module, and says that it
// comes from there; NULL: from nowhere.
void partition_emit_at(partitioner_t *partitioner, const mlir_op_t *op);

// An operation made by name, not yet in a block.
mlir_op_t *partition_emit_create(partitioner_t *partitioner, const char *name,
                                 int operand_count, mlir_value_t *const *operands,
                                 const tensor_shape_t *result, int region_count);

// Puts `op` behind the cursor; without one at the end of `home`, or, when the block at
// hand is nested in `home`, before the operation of `home` that holds it. Returns result
// 0.
mlir_value_t *partition_emit_into(partitioner_t *partitioner, mlir_block_t *home,
                                  mlir_op_t *op);

// A dense constant; one element when `is_splat`.
mlir_value_t *partition_emit_constant(partitioner_t *partitioner, mlir_block_t *home,
                                      const tensor_shape_t *shape, const void *data,
                                      bool is_splat);

// A scalar s32: where the chip lies along `axes`, times `scale`. At the start of main.
mlir_value_t *partition_emit_place(partitioner_t *partitioner, const axes_t *axes,
                                   int64_t scale);

// A scalar s32: the one of `values`, by place along `axes`, that is the chip's. At the
// start of main.
mlir_value_t *partition_emit_lookup(partitioner_t *partitioner, const axes_t *axes,
                                    const int64_t *values);

// A collective_permute along `axes`: the chip at place i has from the one at sources[i],
// or zeros where that is negative. Every source is there once at most.
mlir_value_t *partition_emit_exchange(partitioner_t *partitioner, mlir_value_t *value,
                                      const axes_t *axes, const int64_t *sources);

// An all_gather along `axes`.
mlir_value_t *partition_emit_gather(partitioner_t *partitioner, mlir_value_t *value,
                                    int dim, const axes_t *axes);

void partition_emit_i64s(partitioner_t *partitioner, mlir_op_t *op, const char *name,
                         int count, const int64_t *values);

// Carries out the steps of a plan and enters what they make as versions of `state`, over
// the mesh at hand, or, before they cross the border, that of `from`. `shape` is global.
void partition_emit_plan(partitioner_t *partitioner, state_t *state,
                         const tensor_shape_t *shape, const version_t *from,
                         const reshard_plan_t *plan);

// --- emit_array.c: operations on what a chip has, where operations go ---

// An operation of one result by name, without attributes.
mlir_value_t *partition_emit_op(partitioner_t *partitioner, const char *name,
                                int operand_count, mlir_value_t *const *operands,
                                const tensor_shape_t *result);

mlir_value_t *partition_emit_splat(partitioner_t *partitioner,
                                   const tensor_shape_t *shape, int64_t value);
// Of a scalar.
mlir_value_t *partition_emit_broadcast(partitioner_t *partitioner, mlir_value_t *scalar,
                                       const tensor_shape_t *shape);
// `direction`: "LT" and so on.
mlir_value_t *partition_emit_compare(partitioner_t *partitioner, mlir_value_t *a,
                                     const char *direction, mlir_value_t *b);
mlir_value_t *partition_emit_select(partitioner_t *partitioner, mlir_value_t *condition,
                                    mlir_value_t *a, mlir_value_t *b);
// In s32, with the sizes of `shape`: the index along `dim`, plus the scalar `start`.
mlir_value_t *partition_emit_index(partitioner_t *partitioner,
                                   const tensor_shape_t *shape, int dim,
                                   mlir_value_t *start);
// Rows [low, high) of dimension `dim`; the value itself when these are all.
mlir_value_t *partition_emit_rows(partitioner_t *partitioner, mlir_value_t *value,
                                  int dim, int64_t low, int64_t high);
// `length` rows from the scalar `start` on.
mlir_value_t *partition_emit_dynamic_rows(partitioner_t *partitioner, mlir_value_t *value,
                                          int dim, mlir_value_t *start, int64_t length);
// A concatenation.
mlir_value_t *partition_emit_join(partitioner_t *partitioner, int count,
                                  mlir_value_t *const *values, int dim,
                                  const tensor_shape_t *result);

// --- because.c: what people are told ---

// "x,y:(1)2".
void partition_print_axes(pod_text_t *text, const mesh_t *mesh, const axes_t *axes);

// Why a collective is put in that brings `value` from one layout to another for
// partitioner->user; `reduced`: the axes over which it reduces, NULL when it only moves.
const char *partition_because(partitioner_t *partitioner, const mlir_value_t *value,
                              const layout_t *from, const layout_t *to,
                              const axes_t *reduced);

// Why chips exchange what `op` moves along a dimension that is sharded over `axes`.
const char *partition_because_moved(partitioner_t *partitioner, const mlir_op_t *op,
                                    const axes_t *axes);

// Notes that an operation is computed whole, if operands have to be gathered for that.
void partition_note_whole(partitioner_t *partitioner, const mlir_op_t *op);

// Notes dimensions that are gathered for an operation because it needs them whole. Before
// the operands are brought there.
void partition_note_gathered(partitioner_t *partitioner, const mlir_op_t *op,
                             const choice_t *choice);

// --- partition_value.c: values in the layouts that are wanted ---

static inline const tensor_shape_t *value_shape(const mlir_value_t *value) {
  return &value->type->shape;
}

static inline bool value_is_tensor(const mlir_value_t *value) {
  return value->type->kind == MLIR_TYPE_TENSOR;
}

// How a value of a global shape gets from one layout to another. Made once for all values
// that are alike; borrowed from the partitioner.
const reshard_plan_t *partition_value_plan(partitioner_t *partitioner,
                                           const tensor_shape_t *shape,
                                           const layout_t *from, const layout_t *to);

// What propagation says of a value.
const layout_t *partition_value_layout(partitioner_t *partitioner,
                                       const mlir_value_t *value);

// Enters a version over the mesh at hand. The value's home is that of `local`.
void partition_value_put(partitioner_t *partitioner, const mlir_value_t *value,
                         const layout_t *layout, mlir_value_t *local);

// Enters the versions of a value that is the same, made in the same block.
void partition_value_share(partitioner_t *partitioner, const mlir_value_t *from,
                           const mlir_value_t *to);

// The value in a layout over the mesh at hand, made from the version that is cheapest to
// start from.
mlir_value_t *partition_value_get(partitioner_t *partitioner, const mlir_value_t *value,
                                  const layout_t *layout);

// What partition_value_get would cost: nothing when it is there or is made anew; less
// where it is made outside of the loop at hand, for all turns.
partition_cost_t partition_value_cost(partitioner_t *partitioner,
                                      const mlir_value_t *value, const layout_t *layout);

// --- partition_choice.c: which shards an operation works on ---

// The axes of every factor, in `out_axes`. `targets` are the layouts that the results
// shall get; their reducers are set.
void partition_choose_axes(partitioner_t *partitioner, const mlir_op_t *op,
                           const factors_t *factors, const layout_t *const *targets,
                           axes_t *out_axes);

// The layout of an operand or result that follows from the axes of the factors.
const layout_t *partition_choice_layout(partitioner_t *partitioner,
                                        const factor_tensor_t *mapping,
                                        const axes_t *axes, const axes_t *unreduced,
                                        chip_reducer_t reducer);

// Whether chips need of a factor what others hold, so that only move.h can shard it.
static inline bool factor_moves(const factors_t *factors, int factor) {
  const factor_kind_t kind = factors->factors[factor].kind;
  return kind == FACTOR_PERMUTATION || kind == FACTOR_PICKED;
}

// The axes of all factors whose results are partial.
axes_t partition_choice_unreduced(const factors_t *factors, const axes_t *axes);

// --- partition_op.c: operations with a sharding rule ---

POD_MUST_USE pod_status_t partition_ruled(partitioner_t *partitioner,
                                          const mlir_op_t *op);

// Whether a value is a constant with which a sum, a product or a XOR leaves everything as
// it is.
bool partition_is_identity_of(chip_reducer_t reducer, const mlir_value_t *value);

// The same operation on whole values.
POD_MUST_USE pod_status_t partition_verbatim(partitioner_t *partitioner,
                                             const mlir_op_t *op);

// --- sums.c: what is unreduced passes linear operations ---

// Says of the values that constraints, loops and @main want unreduced that they are,
// where the partitioner is free to make them so.
void sums_propagate(const shardings_t *shardings, const mlir_op_t *main,
                    propagation_t *propagation);

// The axes over which an operation with a rule shall take and make summands, and, in
// `out_operands`, which operands shall have them; the others have to be whole. None of
// `used`, the axes by which its factors are sharded. Only parts that `only` reduces,
// unless it is NONE. The targets are set.
axes_t sums_carried(const partitioner_t *partitioner, const mlir_op_t *op,
                    const axes_t *used, chip_reducer_t only, bool *out_operands);

// --- wishes.c ---

// By value id of @main, in the arena of the shardings: the layout in which all that wants
// the value wants it by what the program says; NULL: they do not say, or not the same.
const layout_t **wishes_find(partitioner_t *partitioner, const mlir_op_t *main);

// --- partition_control.c ---

POD_MUST_USE pod_status_t partition_while(partitioner_t *partitioner,
                                          const mlir_op_t *op);
// IF and CASE.
POD_MUST_USE pod_status_t partition_branches(partitioner_t *partitioner,
                                             const mlir_op_t *op);
POD_MUST_USE pod_status_t partition_manual(partitioner_t *partitioner,
                                           const mlir_op_t *op);
POD_MUST_USE pod_status_t partition_barrier(partitioner_t *partitioner,
                                            const mlir_op_t *op);
// Results are the operands in the layouts that propagation gave them.
POD_MUST_USE pod_status_t partition_identity(partitioner_t *partitioner,
                                             const mlir_op_t *op);

// --- partition.c ---

// Writes the operations of a block, its terminator apart, at the end of
// partitioner->block.
POD_MUST_USE pod_status_t partition_block(partitioner_t *partitioner,
                                          const mlir_block_t *block);

#endif  // SERVER_COMPILER_PARTITION_PARTITIONER_H_
