// chlo.ragged_dot: a product for each group of rows (or of what is contracted), a group
// being so many neighbours as `group_sizes` says. What is in no group counts as zero.

#include <string.h>

#include "common/mlir/diagnostic.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/legalize/expander.h"

enum { GROUPS_MAX = 1024 };

typedef struct ragged_dot_t {
  expander_t *expander;
  mlir_value_t *lhs, *rhs;
  stablehlo_ragged_dot_t dims;
  int64_t ragged;  // Dimension of lhs.
  int64_t group_count;
} ragged_dot_t;

static pod_status_t bad(const ragged_dot_t *dot, pod_code_t code, const char *what) {
  return mlir_op_error(dot->expander->module, dot->expander->op, code, "%s", what);
}

// Where `dim` stands in the list; -1 when it does not.
static int place_of(const stablehlo_dims_t *list, int64_t dim) {
  for (int64_t i = 0; i < list->count; i++) {
    if (list->values[i] == dim) {
      return (int)i;
    }
  }
  return -1;
}

static bool are_dims(const stablehlo_dims_t *list, const mlir_value_t *value) {
  for (int64_t i = 0; i < list->count; i++) {
    if (list->values[i] < 0 || list->values[i] >= value->type->shape.rank) {
      return false;
    }
  }
  return true;
}

static pod_status_t read_dot(expander_t *expander, ragged_dot_t *out) {
  const mlir_op_t *op = expander->op;
  ragged_dot_t dot = {
      .expander = expander, .lhs = op->operands[0], .rhs = op->operands[1]};
  POD_TRY(stablehlo_ragged_dot_dimensions(
      expander->module, mlir_op_attr(op, "ragged_dot_dimension_numbers"), &dot.dims));
  const stablehlo_dot_t *plain = &dot.dims.dot;
  if (!are_dims(&plain->lhs_batching, dot.lhs) ||
      !are_dims(&plain->lhs_contracting, dot.lhs) ||
      !are_dims(&dot.dims.lhs_ragged, dot.lhs) ||
      !are_dims(&plain->rhs_batching, dot.rhs) ||
      !are_dims(&plain->rhs_contracting, dot.rhs) ||
      !are_dims(&dot.dims.rhs_group, dot.rhs) || dot.dims.lhs_ragged.count != 1 ||
      plain->lhs_contracting.count != plain->rhs_contracting.count) {
    return bad(&dot, POD_INVALID_ARGUMENT,
               "'ragged_dot_dimension_numbers' must name dimensions of its operands, and "
               "one that is ragged");
  }
  const tensor_shape_t *sizes = &op->operands[2]->type->shape;
  if (!tensor_dtype_is_integer(sizes->dtype) || sizes->rank < 1) {
    return bad(&dot, POD_INVALID_ARGUMENT, "its group sizes must be integers");
  }
  if (sizes->rank != 1 || sizes->dims[0] > GROUPS_MAX) {
    return bad(&dot, POD_UNIMPLEMENTED,
               "only one list of at most 1024 group sizes is supported");
  }
  dot.ragged = dot.dims.lhs_ragged.values[0];
  dot.group_count = sizes->dims[0];
  *out = dot;
  return NULL;
}

// --- Which elements of the ragged dimension are in a group ---

static const mlir_type_t *make_type(const ragged_dot_t *dot, tensor_dtype_t dtype,
                                    int rank, const int64_t *dims) {
  const tensor_shape_t shape = tensor_shape_make(dtype, rank, dims);
  return mlir_type_tensor(dot->expander->module, &shape);
}

static mlir_value_t *emit_compare(const ragged_dot_t *dot, const char *direction,
                                  mlir_value_t *a, mlir_value_t *b) {
  mlir_value_t *operands[] = {a, b};
  mlir_op_t *op = expand_emit(dot->expander, "stablehlo.compare", 2, operands,
                              make_type(dot, TENSOR_PRED, 1, a->type->shape.dims));
  expand_set_attr(
      dot->expander, op, "comparison_direction",
      stablehlo_make_enum(dot->expander->module, op, "comparison_direction", direction));
  return &op->results[0];
}

// Element or block `index` of dimension `dim`, which stays with size 1.
static mlir_value_t *emit_slice(const ragged_dot_t *dot, mlir_value_t *value, int64_t dim,
                                int64_t index) {
  static const char *const names[] = {"start_indices", "limit_indices", "strides"};
  tensor_shape_t shape = value->type->shape;
  int64_t values[3][TENSOR_RANK_MAX];
  for (int d = 0; d < shape.rank; d++) {
    values[0][d] = d == dim ? index : 0;
    values[1][d] = d == dim ? index + 1 : shape.dims[d];
    values[2][d] = 1;
  }
  shape.dims[dim] = 1;
  mlir_op_t *op = expand_emit(dot->expander, "stablehlo.slice", 1, &value,
                              mlir_type_tensor(dot->expander->module, &shape));
  for (int i = 0; i < 3; i++) {
    expand_set_attr(dot->expander, op, names[i],
                    mlir_attr_i64_array(dot->expander->module, shape.rank, values[i]));
  }
  return &op->results[0];
}

// For each group the flags of the elements that are in it.
static void emit_masks(const ragged_dot_t *dot, mlir_value_t **out_masks) {
  expander_t *expander = dot->expander;
  const int64_t length = dot->lhs->type->shape.dims[dot->ragged], zero = 0;
  const mlir_type_t *line = make_type(dot, TENSOR_S64, 1, &length);
  mlir_op_t *iota = expand_emit(expander, "stablehlo.iota", 0, NULL, line);
  expand_set_attr(expander, iota, "iota_dimension",
                  mlir_attr_integer(expander->module, 0, TENSOR_S64));
  mlir_value_t *sizes =
      expand_emit_unary(expander, "stablehlo.convert", expander->op->operands[2],
                        make_type(dot, TENSOR_S64, 1, &dot->group_count));
  mlir_value_t *start = NULL;
  for (int64_t i = 0; i < dot->group_count; i++) {
    mlir_value_t *size = emit_slice(dot, sizes, 0, i);
    mlir_value_t *end =
        i == 0 ? size : expand_emit_binary(expander, "stablehlo.add", start, size);
    mlir_value_t *mask =
        emit_compare(dot, "LT", &iota->results[0],
                     expand_emit_broadcast(expander, end, line, 1, &zero));
    if (i > 0) {
      mlir_value_t *from = expand_emit_broadcast(expander, start, line, 1, &zero);
      mask = expand_emit_binary(expander, "stablehlo.and", mask,
                                emit_compare(dot, "GE", &iota->results[0], from));
    }
    out_masks[i] = mask;
    start = end;
  }
}

// `then` where the mask along `dim` holds.
static mlir_value_t *emit_select(const ragged_dot_t *dot, mlir_value_t *mask, int64_t dim,
                                 mlir_value_t *then, mlir_value_t *otherwise) {
  const tensor_shape_t *shape = &then->type->shape;
  mlir_value_t *operands[] = {
      expand_emit_broadcast(dot->expander, mask,
                            make_type(dot, TENSOR_PRED, shape->rank, shape->dims), 1,
                            &dim),
      then, otherwise};
  return &expand_emit(dot->expander, "stablehlo.select", 3, operands, then->type)
              ->results[0];
}

static mlir_value_t *emit_dot(const ragged_dot_t *dot, mlir_value_t *lhs,
                              mlir_value_t *rhs, const stablehlo_dot_t *dims,
                              const mlir_type_t *type) {
  mlir_value_t *operands[] = {lhs, rhs};
  mlir_op_t *op = expand_emit(dot->expander, "stablehlo.dot_general", 2, operands, type);
  expand_set_attr(dot->expander, op, "dot_dimension_numbers",
                  stablehlo_make_dot(dot->expander->module, dims));
  return &op->results[0];
}

// --- Groups of rows: each meets its own matrix of rhs ---

// Without the group dimension the ones behind it come one earlier.
static stablehlo_dims_t without(const ragged_dot_t *dot, const stablehlo_dims_t *list,
                                int64_t dim) {
  int64_t *values =
      pod_arena_array(dot->expander->module->arena, (size_t)list->count, sizeof(*values));
  for (int64_t i = 0; i < list->count; i++) {
    values[i] = list->values[i] - (list->values[i] > dim);
  }
  return (stablehlo_dims_t){list->count, values};
}

static pod_status_t expand_rows(const ragged_dot_t *dot, mlir_value_t *const *masks,
                                mlir_value_t **out) {
  const mlir_type_t *type = dot->expander->op->results[0].type;
  const stablehlo_dot_t *plain = &dot->dims.dot;
  const tensor_shape_t *rhs = &dot->rhs->type->shape;
  int64_t place = plain->lhs_batching.count;  // Of the ragged dimension in the result.
  for (int64_t d = 0; d < dot->ragged; d++) {
    place +=
        place_of(&plain->lhs_batching, d) < 0 && place_of(&plain->lhs_contracting, d) < 0;
  }
  const int64_t group =
      dot->dims.rhs_group.count == 1 ? dot->dims.rhs_group.values[0] : -1;
  if (group < 0 || rhs->dims[group] != dot->group_count || place >= type->shape.rank ||
      type->shape.dims[place] != dot->lhs->type->shape.dims[dot->ragged]) {
    return bad(dot, POD_INVALID_ARGUMENT,
               "needs one group dimension of the right side, with an element for each "
               "group, and the ragged dimension in its result");
  }
  tensor_shape_t piece = *rhs;
  piece.rank--;
  memmove(&piece.dims[group], &piece.dims[group + 1],
          (size_t)(piece.rank - group) * sizeof(piece.dims[0]));
  piece.dims[piece.rank] = 0;
  const mlir_type_t *matrix = mlir_type_tensor(dot->expander->module, &piece);
  const stablehlo_dot_t dims = {
      plain->lhs_batching, without(dot, &plain->rhs_batching, group),
      plain->lhs_contracting, without(dot, &plain->rhs_contracting, group)};
  mlir_value_t *total = expand_emit_splat(dot->expander, type, 0);
  for (int64_t i = 0; i < dot->group_count; i++) {
    mlir_value_t *own = expand_emit_unary(dot->expander, "stablehlo.reshape",
                                          emit_slice(dot, dot->rhs, group, i), matrix);
    total = emit_select(dot, masks[i], place, emit_dot(dot, dot->lhs, own, &dims, type),
                        total);
  }
  *out = total;
  return NULL;
}

// --- Groups of what is contracted: a product for each ---

static pod_status_t expand_contracted(const ragged_dot_t *dot, int place,
                                      mlir_value_t *const *masks, mlir_value_t **out) {
  const mlir_type_t *type = dot->expander->op->results[0].type;
  const int64_t across = dot->dims.dot.rhs_contracting.values[place];
  tensor_shape_t shape = type->shape;
  if (shape.rank < 1 || shape.dims[0] != dot->group_count || dot->group_count == 0 ||
      dot->rhs->type->shape.dims[across] != dot->lhs->type->shape.dims[dot->ragged]) {
    return bad(dot, POD_INVALID_ARGUMENT,
               "its result must begin with a dimension of groups, and what is contracted "
               "be of one size");
  }
  shape.dims[0] = 1;
  const mlir_type_t *row = mlir_type_tensor(dot->expander->module, &shape);
  const mlir_type_t *product =
      make_type(dot, shape.dtype, shape.rank - 1, &shape.dims[1]);
  mlir_value_t *no_lhs = expand_emit_splat(dot->expander, dot->lhs->type, 0);
  mlir_value_t *no_rhs = expand_emit_splat(dot->expander, dot->rhs->type, 0);
  mlir_value_t **rows = pod_arena_array(dot->expander->module->arena,
                                        (size_t)dot->group_count, sizeof(rows[0]));
  for (int64_t i = 0; i < dot->group_count; i++) {
    mlir_value_t *lhs = emit_select(dot, masks[i], dot->ragged, dot->lhs, no_lhs);
    mlir_value_t *rhs = emit_select(dot, masks[i], across, dot->rhs, no_rhs);
    rows[i] = expand_emit_unary(dot->expander, "stablehlo.reshape",
                                emit_dot(dot, lhs, rhs, &dot->dims.dot, product), row);
  }
  mlir_op_t *op = expand_emit(dot->expander, "stablehlo.concatenate",
                              (int)dot->group_count, rows, type);
  expand_set_attr(dot->expander, op, "dimension",
                  mlir_attr_integer(dot->expander->module, 0, TENSOR_S64));
  *out = &op->results[0];
  return NULL;
}

pod_status_t expand_ragged_dot(expander_t *expander, mlir_value_t **out_results) {
  ragged_dot_t dot;
  POD_TRY(read_dot(expander, &dot));
  const int place = place_of(&dot.dims.dot.lhs_contracting, dot.ragged);
  if (place_of(&dot.dims.dot.lhs_batching, dot.ragged) >= 0) {
    // Every element of a batch meets its own matrix, whichever group it is in.
    out_results[0] =
        emit_dot(&dot, dot.lhs, dot.rhs, &dot.dims.dot, expander->op->results[0].type);
    return NULL;
  }
  mlir_value_t **masks = pod_arena_array(expander->module->arena,
                                         (size_t)dot.group_count + 1, sizeof(masks[0]));
  emit_masks(&dot, masks);
  return place >= 0 ? expand_contracted(&dot, place, masks, &out_results[0])
                    : expand_rows(&dot, masks, &out_results[0]);
}
