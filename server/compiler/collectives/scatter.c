// all_reduce(x), of which each chip goes on with the slice at its own place of the group,
// is reduce_scatter(x): half of the bytes, and no slice. Where a chip lies, its program
// works out from its partition_id; here it is worked out for every chip.

#include <stdio.h>
#include <stdlib.h>

#include "common/base/memory.h"
#include "common/mlir/walk.h"
#include "server/compiler/collectives/places.h"
#include "server/compiler/collectives/rewrite.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/constant.h"
#include "server/compiler/dialect/reducer.h"
#include "server/program/operations.h"

static int64_t clamped(int64_t value, int64_t most) {
  return value < 0 ? 0 : value > most ? most : value;
}

// The only dimension that the slice cuts, into as many parts as there are chips; -1: it
// cuts otherwise.
static int cut_dimension(const mlir_op_t *slice, int64_t parts) {
  const tensor_shape_t *from = rewrite_shape(slice->operands[0]);
  const tensor_shape_t *to = rewrite_shape(&slice->results[0]);
  int dim = -1;
  for (int d = 0; d < from->rank; d++) {
    if (from->dims[d] == to->dims[d]) {
      continue;
    }
    if (dim >= 0 || to->dims[d] * parts != from->dims[d] || to->dims[d] == 0) {
      return -1;
    }
    dim = d;
  }
  return dim;
}

// The chips of each group in the order of their slices. False: they do not take one each.
static bool order_groups(const mlir_op_t *slice, int dim, int64_t count, int64_t size,
                         const int64_t *ids, int64_t *out_ids) {
  const int64_t piece = rewrite_shape(&slice->results[0])->dims[dim];
  for (int64_t i = 0; i < count * size; i++) {
    out_ids[i] = -1;
  }
  for (int64_t i = 0; i < count * size; i++) {
    int64_t start = 0;
    if (!places_evaluate(slice->operands[1 + dim], ids[i], &start)) {
      return false;
    }
    start = clamped(start, piece * (size - 1));
    int64_t *to = &out_ids[i - i % size + start / piece];
    if (start % piece != 0 || *to >= 0) {
      return false;
    }
    *to = ids[i];
  }
  return true;
}

static bool scatter(rewrite_t *rewrite, mlir_op_t *reduce, mlir_op_t *slice,
                    mlir_replacements_t *replacements) {
  mlir_module_t *module = rewrite->module;
  int64_t count, size;
  const int64_t *ids;
  if (!rewrite_groups(rewrite, reduce, &count, &size, &ids) || size < 2) {
    return false;
  }
  const int dim = cut_dimension(slice, size);
  int64_t *ordered = pod_alloc((size_t)(count * size) * sizeof(*ordered));
  const bool is_own = dim >= 0 && order_groups(slice, dim, count, size, ids, ordered);
  if (is_own) {
    const mlir_type_t *type = slice->results[0].type;
    mlir_op_t *made = rewrite_collective(rewrite, reduce, 1, reduce->operands, 1, &type);
    mlir_op_rename(module, made, chip_op_name(CHIP_OP_REDUCE_SCATTER));
    mlir_op_set_attr(module, made, mlir_intern(module, "replica_groups"),
                     compiler_make_replica_groups(module, count, size, ordered));
    mlir_op_set_attr(module, made, mlir_intern(module, "scatter_dimension"),
                     mlir_attr_integer(module, dim, TENSOR_S64));
    rewrite_touch(rewrite, reduce);
    rewrite_explain(rewrite, made,
                    "an all_reduce of which each chip takes its slice is a "
                    "reduce_scatter",
                    reduce);
    mlir_block_insert_before(reduce, made);
    mlir_replacements_put(replacements, &slice->results[0], &made->results[0]);
  }
  free(ordered);
  return is_own;
}

rewrite_outcome_t rewrite_scatter(rewrite_t *rewrite, int site) {
  if (site > 0) {
    return REWRITE_NO_SITE;
  }
  rewrite_uses_t uses;
  rewrite_uses_init(&uses, rewrite);
  mlir_replacements_t replacements = {0};
  int made = 0;
  for (mlir_op_t *op = mlir_walk_first(rewrite->main); op != NULL;
       op = mlir_walk_next(rewrite->main, op)) {
    if (op->kind != CHIP_OP_ALL_REDUCE || op->operand_count != 1 ||
        op->results[0].id >= uses.value_count || uses.counts[op->results[0].id] != 1 ||
        compiler_reducer(op) == CHIP_REDUCER_NONE) {
      continue;
    }
    mlir_op_t *reader = uses.readers[op->results[0].id];
    if (reader->kind == CHIP_OP_DYNAMIC_SLICE && reader->block == op->block &&
        reader->operands[0] == &op->results[0]) {
      made += scatter(rewrite, op, reader, &replacements);
    }
  }
  if (made > 0) {
    rewrite_replace(rewrite, &replacements);
    char text[96];
    snprintf(text, sizeof(text), "%d all_reduce and slice become reduce_scatter", made);
    rewrite->summary = pod_arena_strdup(rewrite->module->arena, text);
  }
  mlir_replacements_deinit(&replacements);
  rewrite_uses_deinit(&uses);
  return made > 0 ? REWRITE_DONE : REWRITE_NOTHING;
}
