// Propagation says how a value lies by what is before and behind it. Where all that wants
// it says by itself how, a constraint, a loop or @main, that is where it goes, and what
// makes it had better know.

#include "server/compiler/partition/partitioner.h"

#include "common/mlir/walk.h"
#include "server/compiler/dialect/kinds.h"

typedef struct wish_finder_t {
  partitioner_t *partitioner;
  const layout_t **wishes;  // By value id.
  bool *is_open;            // Somebody wants it otherwise, or in any layout.
} wish_finder_t;

// `layout` NULL: in any.
static void want(const wish_finder_t *finder, const mlir_value_t *value,
                 const layout_t *layout) {
  const layout_t **wish = &finder->wishes[value->id];
  finder->is_open[value->id] =
      finder->is_open[value->id] || layout == NULL || (*wish != NULL && *wish != layout);
  *wish = layout;
}

static const layout_t *layout_of(const wish_finder_t *finder, const mlir_value_t *value) {
  return value_is_tensor(value) ? partition_value_layout(finder->partitioner, value)
                                : NULL;
}

static bool says_layouts(const mlir_op_t *op) {
  return op->kind == KIND_SDY_SHARDING_CONSTRAINT || op->kind == KIND_SDY_RESHARD ||
         op->kind == CHIP_OP_WHILE;
}

static void want_operands(const wish_finder_t *finder, const mlir_op_t *op) {
  for (int i = 0; i < op->operand_count; i++) {
    want(finder, op->operands[i],
         says_layouts(op) ? layout_of(finder, &op->results[i]) : NULL);
  }
}

// A loop's condition returns a predicate, every other region what the operation results
// in.
static int first_region_of_results(const mlir_op_t *op) {
  return op->kind == CHIP_OP_WHILE ? 1 : 0;
}

// What the regions of a loop or branches return lies as the results.
static void want_returned(const wish_finder_t *finder, const mlir_op_t *op) {
  if (!chip_op_has(op->kind, CHIP_TRAIT_CONTROL)) {
    return;
  }
  for (int r = first_region_of_results(op); r < op->region_count; r++) {
    const mlir_op_t *end = mlir_op_block(op, r)->last;
    for (int i = 0; i < end->operand_count && i < op->result_count; i++) {
      want(finder, end->operands[i], layout_of(finder, &op->results[i]));
    }
  }
}

static bool is_return_of_layouts(const mlir_op_t *op) {
  const mlir_op_t *holder = op->next == NULL ? op->block->region->op : NULL;
  return holder != NULL &&
         (holder->kind == KIND_FUNC || (chip_op_has(holder->kind, CHIP_TRAIT_CONTROL) &&
                                        (first_region_of_results(holder) == 0 ||
                                         op->block != mlir_op_block(holder, 0))));
}

const layout_t **wishes_find(partitioner_t *partitioner, const mlir_op_t *main) {
  pod_arena_t *arena = partitioner->shardings.arena;
  const size_t count = partitioner->source->value_count;
  wish_finder_t finder = {
      .partitioner = partitioner,
      .wishes = pod_arena_array(arena, count, sizeof(finder.wishes[0])),
      .is_open = pod_arena_array(arena, count, sizeof(finder.is_open[0]))};
  for (const mlir_op_t *op = mlir_walk_first(main); op != NULL;
       op = mlir_walk_next(main, op)) {
    if (!is_return_of_layouts(op)) {
      want_operands(&finder, op);
    }
    want_returned(&finder, op);
  }
  const mlir_op_t *end = mlir_op_block(main, 0)->last;
  for (int i = 0; i < end->operand_count; i++) {
    want(&finder, end->operands[i],
         layouts_of_sharding(&partitioner->layouts, value_shape(end->operands[i])->rank,
                             partitioner->propagation.results[i]));
  }
  for (size_t v = 0; v < count; v++) {
    finder.wishes[v] = finder.is_open[v] ? NULL : finder.wishes[v];
  }
  return finder.wishes;
}
