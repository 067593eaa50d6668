// The user's own collectives within manual computations. Over the axes that are not
// manual they are operations like any other: every place along those computes on its own
// part, as far as the collective moves nothing between dimensions.

#include <string.h>

#include "server/compiler/dialect/attributes.h"
#include "server/compiler/partition/factors_builder.h"
#include "server/compiler/partition/propagate_graph.h"
#include "server/program/program.h"

enum { DIMS_MAX = 2 };

// The dimensions along which a collective moves elements from chip to chip; the others
// pass. False: it is none of those that have a rule.
static bool moved_dims(const mlir_op_t *op, int *out_count, int64_t out_dims[DIMS_MAX]) {
  static const struct {
    int kind, count;
    const char *names[DIMS_MAX];
  } rows[] = {
      {CHIP_OP_ALL_REDUCE, 0, {NULL}},
      {CHIP_OP_COLLECTIVE_PERMUTE, 0, {NULL}},
      {CHIP_OP_ALL_GATHER, 1, {"all_gather_dim"}},
      {CHIP_OP_REDUCE_SCATTER, 1, {"scatter_dimension"}},
      {CHIP_OP_ALL_TO_ALL, 2, {"split_dimension", "concat_dimension"}},
  };
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    if (op->kind != rows[i].kind) {
      continue;
    }
    *out_count = rows[i].count;
    for (int d = 0; d < rows[i].count; d++) {
      const mlir_attr_t *attr = mlir_op_attr(op, rows[i].names[d]);
      out_dims[d] = mlir_attr_is(attr, MLIR_ATTR_INTEGER) ? attr->integer : -1;
    }
    return true;
  }
  return false;
}

// Whether devices of the mesh differ along manual axes only.
static bool is_within(const mesh_t *mesh, const axes_t *manual, int64_t a, int64_t b) {
  if (mesh_position(mesh, a) < 0 || mesh_position(mesh, b) < 0) {
    return false;
  }
  axes_t all = {0};
  for (int i = 0; i < mesh->axis_count; i++) {
    if (mesh->axes[i].size > 1) {
      axes_append(&all, (axis_ref_t){i, 1, mesh->axes[i].size});
    }
  }
  const axes_t rest = axes_without(&all, manual);
  for (int i = 0; i < rest.count; i++) {
    if (mesh_index_along(mesh, a, rest.refs[i]) !=
        mesh_index_along(mesh, b, rest.refs[i])) {
      return false;
    }
  }
  return true;
}

// Whether it stays within the manual axes. Groups that are not listed are those of all
// devices, or of replicas.
static bool stays_within(const graph_t *graph, const mlir_op_t *op,
                         const axes_t *manual) {
  int64_t count = 0, size = 2;
  const int64_t *ids = NULL;
  if (op->kind == CHIP_OP_COLLECTIVE_PERMUTE) {
    pod_status_free(stablehlo_source_target_pairs(
        graph->module, mlir_op_attr(op, "source_target_pairs"), &count, &ids));
  } else {
    compiler_groups_t groups = {0};
    pod_status_free(compiler_parse_replica_groups(
        graph->module, mlir_op_attr(op, "replica_groups"), NULL, graph->arena, &groups));
    count = groups.mesh == NULL ? groups.group_count : 0;
    size = groups.group_size;
    ids = groups.ids;
  }
  for (int64_t i = 0; i < count * size; i++) {
    if (!is_within(graph->mesh, manual, ids[i / size * size], ids[i])) {
      return false;
    }
  }
  return count > 0;
}

static void add_passing(const graph_t *graph, const mlir_op_t *op, int index,
                        int moved_count, const int64_t *moved, factors_t *factors) {
  const tensor_shape_t *from = &op->operands[index]->type->shape;
  for (int d = 0; d < from->rank; d++) {
    bool passes = from->dims[d] > 0;
    for (int i = 0; i < moved_count; i++) {
      passes = passes && moved[i] != d;
    }
    if (passes) {
      const int factor = factors_add(graph->arena, factors, from->dims[d], FACTOR_PASS);
      factors_append(graph->arena, &factors->operands[index], d, factor);
      factors_append(graph->arena, &factors->results[index], d, factor);
    }
  }
}

const factors_t *graph_collective_factors(const graph_t *graph, const mlir_op_t *op,
                                          const axes_t *manual) {
  int moved_count;
  int64_t moved[DIMS_MAX];
  if (manual->count == 0 || !moved_dims(op, &moved_count, moved) ||
      op->operand_count != op->result_count || !stays_within(graph, op, manual)) {
    return NULL;
  }
  factors_t *factors = factors_begin(graph->arena, op);
  for (int i = 0; i < op->result_count; i++) {
    if (op->operands[i]->type->kind != MLIR_TYPE_TENSOR) {
      return NULL;
    }
    add_passing(graph, op, i, moved_count, moved, factors);
  }
  return factors;
}
