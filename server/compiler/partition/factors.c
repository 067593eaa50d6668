// The rules of operations whose dimensions map one to one. What reshapes or cuts is in
// factors_movement.c.

#include "server/compiler/partition/factors.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/check.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/partition/factors_builder.h"
#include "server/compiler/partition/move.h"
#include "server/program/operations.h"

// --- Building ---

static void begin_tensor(pod_arena_t *arena, const mlir_value_t *value,
                         factor_tensor_t *tensor) {
  tensor->rank = value->type->kind == MLIR_TYPE_TENSOR ? value->type->shape.rank : 0;
  tensor->dims = pod_arena_array(arena, (size_t)tensor->rank, sizeof(tensor->dims[0]));
}

factors_t *factors_begin(pod_arena_t *arena, const mlir_op_t *op) {
  factors_t *factors = pod_arena_alloc(arena, sizeof(*factors));
  factors->operand_count = op->operand_count;
  factors->result_count = op->result_count;
  factors->operands =
      pod_arena_array(arena, (size_t)op->operand_count, sizeof(factors->operands[0]));
  factors->results =
      pod_arena_array(arena, (size_t)op->result_count, sizeof(factors->results[0]));
  for (int i = 0; i < op->operand_count; i++) {
    begin_tensor(arena, op->operands[i], &factors->operands[i]);
  }
  for (int i = 0; i < op->result_count; i++) {
    begin_tensor(arena, &op->results[i], &factors->results[i]);
  }
  return factors;
}

int factors_add(pod_arena_t *arena, factors_t *factors, int64_t size,
                factor_kind_t kind) {
  const int count = factors->factor_count;
  // The capacity is the least power of two that holds them, from 4 on.
  if (count == 0 || (count >= 4 && (count & (count - 1)) == 0)) {
    factor_t *grown = pod_arena_array(arena, count == 0 ? 4 : 2 * (size_t)count,
                                      sizeof(factors->factors[0]));
    if (count > 0) {
      memcpy(grown, factors->factors, (size_t)count * sizeof(factors->factors[0]));
    }
    factors->factors = grown;
  }
  factors->factors[count] = (factor_t){.size = size, .kind = kind};
  factors->factor_count++;
  return count;
}

void factors_append(pod_arena_t *arena, factor_tensor_t *tensor, int dim, int factor) {
  factor_list_t *list = &tensor->dims[dim];
  int *grown = pod_arena_array(arena, (size_t)list->count + 1, sizeof(grown[0]));
  if (list->count > 0) {
    memcpy(grown, list->factors, (size_t)list->count * sizeof(grown[0]));
  }
  grown[list->count] = factor;
  list->factors = grown;
  list->count++;
}

static int64_t attr_element(const mlir_attr_t *attr, int64_t index) {
  if (attr->kind == MLIR_ATTR_DENSE_ARRAY) {
    return attr->integers[index];
  }
  if (attr->kind == MLIR_ATTR_ARRAY) {
    return attr->elements[index]->integer;
  }
  const tensor_dtype_t dtype = attr->type->shape.dtype;
  const int64_t at = attr->is_splat ? 0 : index * (int64_t)tensor_dtype_bytes(dtype);
  return tensor_element_as_int64(dtype, (const char *)attr->data + at);
}

static int64_t attr_count(const mlir_attr_t *attr) {
  if (attr == NULL) {
    return 0;
  }
  if (attr->kind == MLIR_ATTR_DENSE) {
    return tensor_shape_elements(&attr->type->shape);
  }
  return attr->kind == MLIR_ATTR_DENSE_ARRAY || attr->kind == MLIR_ATTR_ARRAY
             ? attr->count
             : 0;
}

void factors_attr(const mlir_op_t *op, const char *name, int count_max, int64_t *out) {
  const mlir_attr_t *attr = mlir_op_attr(op, name);
  const int64_t count = attr_count(attr);
  for (int i = 0; i < count_max; i++) {
    out[i] = i < count ? attr_element(attr, i) : 0;
  }
}

bool factors_attr_has(const mlir_op_t *op, const char *name, int64_t dim) {
  const mlir_attr_t *attr = mlir_op_attr(op, name);
  const int64_t count = attr_count(attr);
  for (int64_t i = 0; i < count; i++) {
    if (attr_element(attr, i) == dim) {
      return true;
    }
  }
  return false;
}

// --- Rules ---

pod_status_t factors_replicated(mlir_module_t *module, const mlir_op_t *op,
                                pod_arena_t *arena, factors_t **out) {
  (void)module;
  *out = factors_begin(arena, op);
  return NULL;
}

pod_status_t factors_leaf(mlir_module_t *module, const mlir_op_t *op, pod_arena_t *arena,
                          factors_t **out) {
  (void)module;
  factors_t *factors = factors_begin(arena, op);
  for (int i = 0; i < factors->result_count; i++) {
    for (int d = 0; d < factors->results[i].rank; d++) {
      const int64_t size = factors_shape(&op->results[i])->dims[d];
      if (size > 0) {
        factors_append(arena, &factors->results[i], d,
                       factors_add(arena, factors, size, FACTOR_PASS));
      }
    }
  }
  *out = factors;
  return NULL;
}

pod_status_t factors_random(mlir_module_t *module, const mlir_op_t *op,
                            pod_arena_t *arena, factors_t **out) {
  (void)module;
  factors_t *factors = factors_begin(arena, op);
  const tensor_shape_t *drawn = factors_shape(&op->results[1]);
  for (int d = 0; d < drawn->rank; d++) {
    if (drawn->dims[d] > 0) {
      factors_append(arena, &factors->results[1], d,
                     factors_add(arena, factors, drawn->dims[d], FACTOR_PASS));
    }
  }
  *out = factors;
  return NULL;
}

pod_status_t factors_sink(mlir_module_t *module, const mlir_op_t *op, pod_arena_t *arena,
                          factors_t **out) {
  (void)module;
  factors_t *factors = factors_begin(arena, op);
  for (int i = 0; i < factors->operand_count; i++) {
    const tensor_shape_t *shape = factors_shape(op->operands[i]);
    for (int d = 0; d < shape->rank; d++) {
      if (shape->dims[d] > 0) {
        factors_append(arena, &factors->operands[i], d,
                       factors_add(arena, factors, shape->dims[d], FACTOR_PASS));
      }
    }
  }
  *out = factors;
  return NULL;
}

pod_status_t factors_elementwise(mlir_module_t *module, const mlir_op_t *op,
                                 pod_arena_t *arena, factors_t **out) {
  (void)module;
  factors_t *factors = factors_begin(arena, op);
  const tensor_shape_t *shape = factors_shape(&op->results[0]);
  for (int d = 0; d < shape->rank; d++) {
    if (shape->dims[d] == 0) {
      continue;
    }
    const int factor = factors_add(arena, factors, shape->dims[d], FACTOR_PASS);
    for (int i = 0; i < factors->operand_count; i++) {
      if (factors->operands[i].rank == shape->rank) {
        factors_append(arena, &factors->operands[i], d, factor);
      }
    }
    for (int i = 0; i < factors->result_count; i++) {
      factors_append(arena, &factors->results[i], d, factor);
    }
  }
  *out = factors;
  return NULL;
}

pod_status_t factors_variadic_identity(mlir_module_t *module, const mlir_op_t *op,
                                       pod_arena_t *arena, factors_t **out) {
  (void)module;
  factors_t *factors = factors_begin(arena, op);
  for (int i = 0; i < factors->result_count && i < factors->operand_count; i++) {
    for (int d = 0; d < factors->results[i].rank; d++) {
      const int64_t size = factors_shape(&op->results[i])->dims[d];
      if (size > 0) {
        const int factor = factors_add(arena, factors, size, FACTOR_PASS);
        factors_append(arena, &factors->operands[i], d, factor);
        factors_append(arena, &factors->results[i], d, factor);
      }
    }
  }
  *out = factors;
  return NULL;
}

pod_status_t factors_broadcast_in_dim(mlir_module_t *module, const mlir_op_t *op,
                                      pod_arena_t *arena, factors_t **out) {
  (void)module;
  factors_t *factors = factors_begin(arena, op);
  const tensor_shape_t *from = factors_shape(op->operands[0]);
  const tensor_shape_t *to = factors_shape(&op->results[0]);
  int64_t places[TENSOR_RANK_MAX];
  factors_attr(op, "broadcast_dimensions", from->rank, places);
  for (int d = 0; d < to->rank; d++) {
    if (to->dims[d] == 0) {
      continue;
    }
    const int factor = factors_add(arena, factors, to->dims[d], FACTOR_PASS);
    factors_append(arena, &factors->results[0], d, factor);
    for (int i = 0; i < from->rank; i++) {
      if (places[i] == d && from->dims[i] == to->dims[d]) {
        factors_append(arena, &factors->operands[0], i, factor);
      }
    }
  }
  *out = factors;
  return NULL;
}

pod_status_t factors_transpose(mlir_module_t *module, const mlir_op_t *op,
                               pod_arena_t *arena, factors_t **out) {
  (void)module;
  factors_t *factors = factors_begin(arena, op);
  const tensor_shape_t *to = factors_shape(&op->results[0]);
  int64_t permutation[TENSOR_RANK_MAX];
  factors_attr(op, "permutation", to->rank, permutation);
  for (int d = 0; d < to->rank; d++) {
    if (to->dims[d] > 0) {
      const int factor = factors_add(arena, factors, to->dims[d], FACTOR_PASS);
      factors_append(arena, &factors->operands[0], (int)permutation[d], factor);
      factors_append(arena, &factors->results[0], d, factor);
    }
  }
  *out = factors;
  return NULL;
}

pod_status_t factors_reduce(mlir_module_t *module, const mlir_op_t *op,
                            pod_arena_t *arena, factors_t **out) {
  (void)module;
  factors_t *factors = factors_begin(arena, op);
  const int input_count = op->operand_count / 2;  // The initial values are scalars.
  const tensor_shape_t *from = factors_shape(op->operands[0]);
  // What chooses among its operands gives no summands.
  const factor_kind_t kind =
      move_reduces_by_choice(op) ? FACTOR_PERMUTATION : FACTOR_REDUCTION;
  int result_dim = 0;
  for (int d = 0; d < from->rank; d++) {
    const bool reduced = factors_attr_has(op, "dimensions", d);
    if (from->dims[d] > 0) {
      const int factor =
          factors_add(arena, factors, from->dims[d], reduced ? kind : FACTOR_PASS);
      for (int i = 0; i < input_count; i++) {
        factors_append(arena, &factors->operands[i], d, factor);
      }
      for (int i = 0; !reduced && i < factors->result_count; i++) {
        factors_append(arena, &factors->results[i], result_dim, factor);
      }
    }
    result_dim += reduced ? 0 : 1;
  }
  *out = factors;
  return NULL;
}

// The factor of dimension `lhs` of the left operand, `rhs` of the right one, and
// `result`; -1 where it is missing.
static void add_dot_factor(pod_arena_t *arena, factors_t *factors, const mlir_op_t *op,
                           int lhs, int rhs, int result) {
  const int64_t size = lhs >= 0 ? factors_shape(op->operands[0])->dims[lhs]
                                : factors_shape(op->operands[1])->dims[rhs];
  if (size == 0) {
    return;
  }
  const int factor =
      factors_add(arena, factors, size, result >= 0 ? FACTOR_PASS : FACTOR_REDUCTION);
  if (lhs >= 0) {
    factors_append(arena, &factors->operands[0], lhs, factor);
  }
  if (rhs >= 0) {
    factors_append(arena, &factors->operands[1], rhs, factor);
  }
  if (result >= 0) {
    factors_append(arena, &factors->results[0], result, factor);
  }
}

static bool dims_have(const stablehlo_dims_t *dims, int64_t dim) {
  for (int64_t i = 0; i < dims->count; i++) {
    if (dims->values[i] == dim) {
      return true;
    }
  }
  return false;
}

// Batching dimensions, then what is left of the left operand, then of the right one.
pod_status_t factors_dot_general(mlir_module_t *module, const mlir_op_t *op,
                                 pod_arena_t *arena, factors_t **out) {
  stablehlo_dot_t dot;
  POD_TRY(
      stablehlo_dot_dimensions(module, mlir_op_attr(op, "dot_dimension_numbers"), &dot));
  factors_t *factors = factors_begin(arena, op);
  int result = 0;
  for (int64_t i = 0; i < dot.lhs_batching.count; i++) {
    add_dot_factor(arena, factors, op, (int)dot.lhs_batching.values[i],
                   (int)dot.rhs_batching.values[i], result++);
  }
  for (int d = 0; d < factors->operands[0].rank; d++) {
    if (!dims_have(&dot.lhs_batching, d) && !dims_have(&dot.lhs_contracting, d)) {
      add_dot_factor(arena, factors, op, d, -1, result++);
    }
  }
  for (int d = 0; d < factors->operands[1].rank; d++) {
    if (!dims_have(&dot.rhs_batching, d) && !dims_have(&dot.rhs_contracting, d)) {
      add_dot_factor(arena, factors, op, -1, d, result++);
    }
  }
  for (int64_t i = 0; i < dot.lhs_contracting.count; i++) {
    add_dot_factor(arena, factors, op, (int)dot.lhs_contracting.values[i],
                   (int)dot.rhs_contracting.values[i], -1);
  }
  *out = factors;
  return NULL;
}

// --- The column ---

factors_fn_t compiler_factors_rule(int kind) {
  static const factors_fn_t rules[CHIP_OP_COUNT] = {
#define OPERATION(id, name, syntax, types, traits, shape, factors, attrs, kernel, fuse, \
                  cost, float_ops, whole_ops)                                           \
  [CHIP_OP_##id] = factors_##factors,
#include "server/program/operations.def"
#undef OPERATION
  };
  return kind > CHIP_OP_INVALID && kind < CHIP_OP_COUNT ? rules[kind] : NULL;
}

// --- Printing ---

static void print_factor(pod_text_t *text, int factor) {
  if (factor < 18) {  // i … z
    pod_text_printf(text, "%c", 'i' + factor);
  } else {
    pod_text_printf(text, "z_%d", factor - 17);
  }
}

static void print_tensor(pod_text_t *text, const factor_tensor_t *tensor) {
  pod_text_add(text, "(");
  for (int d = 0; d < tensor->rank; d++) {
    pod_text_add(text, d == 0 ? "" : ",");
    for (int i = 0; i < tensor->dims[d].count; i++) {
      print_factor(text, tensor->dims[d].factors[i]);
    }
    pod_text_add(text, tensor->dims[d].count == 0 ? "1" : "");
  }
  pod_text_add(text, ")");
}

static void print_listed(pod_text_t *text, const char *name, int factor, int *found) {
  if ((*found)++ == 0) {
    pod_text_printf(text, " %s={", name);
  } else {
    pod_text_add(text, ",");
  }
  print_factor(text, factor);
}

static void print_kind(pod_text_t *text, const factors_t *factors, factor_kind_t kind,
                       const char *name) {
  int found = 0;
  for (int f = 0; f < factors->factor_count; f++) {
    if (factors->factors[f].kind == kind) {
      print_listed(text, name, f, &found);
    }
  }
  pod_text_add(text, found > 0 ? "}" : "");
}

static void print_blocked(pod_text_t *text, const factors_t *factors) {
  int found = 0;
  for (int f = 0; f < factors->factor_count; f++) {
    if (factors->factors[f].is_blocked) {
      print_listed(text, "blocked", f, &found);
    }
  }
  pod_text_add(text, found > 0 ? "}" : "");
}

void factors_print(pod_text_t *text, const factors_t *factors) {
  for (int i = 0; i < factors->operand_count; i++) {
    print_tensor(text, &factors->operands[i]);
  }
  pod_text_add(text, "->");
  for (int i = 0; i < factors->result_count; i++) {
    print_tensor(text, &factors->results[i]);
  }
  pod_text_add(text, " {");
  for (int f = 0; f < factors->factor_count; f++) {
    pod_text_add(text, f == 0 ? "" : ", ");
    print_factor(text, f);
    pod_text_printf(text, "=%" PRId64, factors->factors[f].size);
  }
  pod_text_add(text, "}");
  print_kind(text, factors, FACTOR_REDUCTION, "reduction");
  print_kind(text, factors, FACTOR_REPLICATE, "replicate");
  print_kind(text, factors, FACTOR_PERMUTATION, "permutation");
  print_blocked(text, factors);
  print_kind(text, factors, FACTOR_PICKED, "picked");
}
