// Rules of operations that the pass `expand` takes away: what it makes of them would not
// show what was wrong, or not under the name that stands in the text.

#include <inttypes.h>
#include <string.h>

#include "common/base/check.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/kinds.h"
#include "server/compiler/verify/shape.h"

// Operand `index` is a vector of integers with one for each of `count` dimensions.
static pod_status_t check_vector(mlir_module_t *module, const mlir_op_t *op, int index,
                                 int count) {
  const tensor_shape_t *shape = shape_operand(op, index);
  if (shape->rank != 1 || !tensor_dtype_is_integer(shape->dtype) ||
      shape->dims[0] != count) {
    return SHAPE_ERROR(
        "operand %d is %s; it must be a vector of %d integers, one for "
        "each dimension",
        index, shape_text(module, shape), count);
  }
  return NULL;
}

// The integers of an operand that is a constant; false for any other.
static bool constant_values(mlir_module_t *module, const mlir_op_t *op, int index,
                            const int64_t **out_values) {
  const mlir_op_t *source = op->operands[index]->op;
  int64_t count;
  return source != NULL && source->kind == CHIP_OP_CONSTANT &&
         mlir_attr_as_i64s(module, mlir_op_attr(source, "value"), &count, out_values) &&
         count == shape_operand(op, index)->dims[0];
}

// Operand `index` holds the sizes of the result; where it is constant, the same ones.
static pod_status_t check_sizes(mlir_module_t *module, const mlir_op_t *op, int index) {
  const tensor_shape_t *result = shape_declared(op, 0);
  POD_TRY(check_vector(module, op, index, result->rank));
  const int64_t *sizes;
  if (!constant_values(module, op, index, &sizes)) {
    return NULL;
  }
  for (int d = 0; d < result->rank; d++) {
    if (sizes[d] != result->dims[d]) {
      return SHAPE_ERROR("operand %d gives dimension %d the size %" PRId64
                         ", but the result is declared as %s",
                         index, d, sizes[d], shape_text(module, result));
    }
  }
  return NULL;
}

// --- Sizes that are operands ---

// (C8) to (C10): dimensions that are known to expand, and those known not to.
static pod_status_t check_known_dims(mlir_module_t *module, const mlir_op_t *op) {
  static const char *const names[] = {"known_expanding_dimensions",
                                      "known_nonexpanding_dimensions"};
  const int rank = shape_operand(op, 0)->rank;
  int64_t all[2 * TENSOR_RANK_MAX], total = 0;
  for (int i = 0; i < 2; i++) {
    int64_t count;
    const int64_t *dims;
    if (mlir_op_attr(op, names[i]) == NULL) {
      continue;
    }
    POD_TRY(shape_i64s(module, op, names[i], SHAPE_ANY, &count, &dims));
    POD_TRY(shape_check_dims(module, op, names[i], count, dims, rank));
    memcpy(&all[total], dims, (size_t)count * sizeof(int64_t));
    total += count;
  }
  return shape_check_dims(module, op,
                          "known_expanding_dimensions + known_nonexpanding_dimensions",
                          total, all, rank);
}

pod_status_t shape_dynamic_broadcast_in_dim(mlir_module_t *module, const mlir_op_t *op,
                                            const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 2, 1, 0));
  out_types[0] = op->results[0].type;
  POD_TRY(check_known_dims(module, op));
  return check_sizes(module, op, 1);  // (C7)
}

pod_status_t shape_dynamic_iota(mlir_module_t *module, const mlir_op_t *op,
                                const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 1, 1, 0));
  out_types[0] = op->results[0].type;
  return check_sizes(module, op, 0);  // (C2)
}

pod_status_t shape_dynamic_reshape(mlir_module_t *module, const mlir_op_t *op,
                                   const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 2, 1, 0));
  out_types[0] = op->results[0].type;
  return check_sizes(module, op, 1);  // (C4)
}

// dynamic_pad and real_dynamic_slice: the last three operands have an integer for each
// dimension of the first.
pod_status_t shape_dynamic_edges(mlir_module_t *module, const mlir_op_t *op,
                                 const mlir_type_t **out_types) {
  const bool is_pad = op->kind == KIND_DYNAMIC_PAD;
  POD_TRY(shape_arity(module, op, is_pad ? 5 : 4, 1, 0));
  for (int i = op->operand_count - 3; i < op->operand_count; i++) {
    POD_TRY(check_vector(module, op, i, shape_operand(op, 0)->rank));  // (C2)
  }
  out_types[0] = op->results[0].type;
  return NULL;
}

pod_status_t shape_get_dimension_size(mlir_module_t *module, const mlir_op_t *op,
                                      const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 1, 1, 0));
  int64_t dimension;
  POD_TRY(shape_i64(module, op, "dimension", 0, shape_operand(op, 0)->rank,
                    &dimension));  // (C1)
  const tensor_shape_t result = tensor_shape_make(TENSOR_S32, 0, NULL);
  out_types[0] = mlir_type_tensor(module, &result);
  return NULL;
}

// --- Older forms ---

// 'broadcast_sizes' go before the sizes of the operand.
pod_status_t shape_broadcast(mlir_module_t *module, const mlir_op_t *op,
                             const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 1, 1, 0));
  const tensor_shape_t *operand = shape_operand(op, 0);
  int64_t count;
  const int64_t *sizes;
  POD_TRY(shape_i64s(module, op, "broadcast_sizes", SHAPE_ANY, &count, &sizes));
  if (count > TENSOR_RANK_MAX - operand->rank) {
    return SHAPE_ERROR("the result has more than %d dimensions", (int)TENSOR_RANK_MAX);
  }
  tensor_shape_t result = {.dtype = operand->dtype, .rank = (int32_t)count};
  for (int i = 0; i < result.rank; i++) {
    if (sizes[i] < 0) {
      return SHAPE_ERROR("'broadcast_sizes' has %" PRId64 " at %d; no size is negative",
                         sizes[i], i);
    }
    result.dims[i] = sizes[i];
  }
  for (int d = 0; d < operand->rank; d++) {
    result.dims[result.rank++] = operand->dims[d];
  }
  out_types[0] = mlir_type_tensor(module, &result);
  return NULL;
}

// Vectors and matrices: the last dimension of lhs is contracted with the first of rhs.
pod_status_t shape_dot(mlir_module_t *module, const mlir_op_t *op,
                       const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 2, 1, 0));
  const tensor_shape_t *lhs = shape_operand(op, 0), *rhs = shape_operand(op, 1);
  if (lhs->rank < 1 || lhs->rank > 2 || rhs->rank < 1 || rhs->rank > 2) {
    return SHAPE_ERROR("takes vectors and matrices, not %s and %s",
                       shape_text(module, lhs), shape_text(module, rhs));
  }
  if (lhs->dtype != rhs->dtype || lhs->dims[lhs->rank - 1] != rhs->dims[0]) {
    return SHAPE_ERROR(
        "%s and %s: the last dimension of lhs and the first of rhs must "
        "have one size, the elements one type",
        shape_text(module, lhs), shape_text(module, rhs));
  }
  int64_t precision[2];
  POD_TRY(stablehlo_precision(module, mlir_op_attr(op, "precision_config"), precision));
  tensor_shape_t result = {.dtype = shape_declared(op, 0)->dtype};
  if (lhs->rank == 2) {
    result.dims[result.rank++] = lhs->dims[0];
  }
  if (rhs->rank == 2) {
    result.dims[result.rank++] = rhs->dims[1];
  }
  out_types[0] = mlir_type_tensor(module, &result);
  return NULL;
}

// --- Random numbers ---

pod_status_t shape_rng(mlir_module_t *module, const mlir_op_t *op,
                       const mlir_type_t **out_types) {
  static const char *const words[] = {"UNIFORM", "NORMAL", NULL};
  POD_TRY(shape_arity(module, op, 3, 1, 0));
  const tensor_shape_t *result = shape_declared(op, 0);
  int distribution;
  POD_TRY(stablehlo_enum(module, op, "rng_distribution", "rng_distribution", words,
                         &distribution));
  const bool is_uniform = distribution == 0;
  if (!tensor_dtype_is_float(result->dtype) &&
      !(is_uniform && (result->dtype == TENSOR_PRED ||
                       tensor_dtype_is_integer(result->dtype)))) {  // (C2)
    return SHAPE_ERROR(
        "%s does not make elements of type %s; %s", words[distribution],
        tensor_dtype_mlir_name(result->dtype),
        is_uniform ? "it makes floats, integers and flags" : "it makes floats");
  }
  for (int i = 0; i < 2; i++) {  // (C1)
    const tensor_shape_t *bound = shape_operand(op, i);
    if (bound->rank != 0 || bound->dtype != result->dtype) {
      return SHAPE_ERROR(
          "operand %d is %s; it must be tensor<%s>, an element of the "
          "result",
          i, shape_text(module, bound), tensor_dtype_mlir_name(result->dtype));
    }
  }
  out_types[0] = op->results[0].type;
  return check_sizes(module, op, 2);  // (C3)
}

// --- batch_norm_inference, _training and _grad ---

static pod_status_t check_norm_attributes(mlir_module_t *module, const mlir_op_t *op) {
  const tensor_shape_t *operand = shape_operand(op, 0);
  int64_t index;
  POD_TRY(shape_i64(module, op, "feature_index", 0, operand->rank, &index));  // (C1)
  if (!tensor_dtype_is_float(operand->dtype)) {
    return SHAPE_ERROR("takes floats, not %s", shape_text(module, operand));
  }
  const mlir_attr_t *epsilon = mlir_op_attr(op, "epsilon");
  if (!mlir_attr_is(epsilon, MLIR_ATTR_FLOAT) ||
      epsilon->type->shape.dtype != TENSOR_F32) {
    return SHAPE_ERROR(epsilon == NULL ? "lacks the attribute 'epsilon'"
                                       : "'epsilon' is no number of type f32");
  }
  return NULL;
}

// Operands and results but the first, and the gradient of the output, have an element for
// each feature.
pod_status_t shape_batch_norm(mlir_module_t *module, const mlir_op_t *op,
                              const mlir_type_t **out_types) {
  const bool is_training = op->kind == KIND_BATCH_NORM_TRAINING,
             is_grad = op->kind == KIND_BATCH_NORM_GRAD;
  POD_TRY(
      shape_arity(module, op, is_training ? 3 : 5, is_training || is_grad ? 3 : 1, 0));
  POD_TRY(check_norm_attributes(module, op));
  const tensor_shape_t *operand = shape_operand(op, 0);
  const int64_t index = mlir_op_attr(op, "feature_index")->integer;
  const tensor_shape_t feature =
      tensor_shape_make(operand->dtype, 1, &operand->dims[index]);
  for (int i = 1; i < op->operand_count; i++) {
    const tensor_shape_t *expected = is_grad && i == 4 ? operand : &feature;
    if (!tensor_shape_equal(shape_operand(op, i), expected)) {
      return SHAPE_ERROR(
          "operand %d is %s; it must be %s, %s", i,
          shape_text(module, shape_operand(op, i)), shape_text(module, expected),
          expected == operand ? "like operand 0" : "an element for each feature");
    }
  }
  for (int i = 0; i < op->result_count; i++) {
    out_types[i] = i == 0 ? op->operands[0]->type : mlir_type_tensor(module, &feature);
  }
  return NULL;
}

// --- Values of any type ---

static pod_status_t keep_types(const mlir_op_t *op, const mlir_type_t **out_types) {
  for (int i = 0; i < op->result_count; i++) {
    out_types[i] = op->results[i].type;
  }
  return NULL;
}

pod_status_t shape_tuple(mlir_module_t *module, const mlir_op_t *op,
                         const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, SHAPE_ANY, 1, 0));
  const mlir_type_t **types =
      pod_arena_array(module->arena, (size_t)op->operand_count + 1, sizeof(types[0]));
  for (int i = 0; i < op->operand_count; i++) {
    types[i] = op->operands[i]->type;
  }
  out_types[0] = mlir_type_tuple(module, op->operand_count, types);  // (C1)
  return NULL;
}

pod_status_t shape_get_tuple_element(mlir_module_t *module, const mlir_op_t *op,
                                     const mlir_type_t **out_types) {
  POD_TRY(shape_arity(module, op, 1, 1, 0));
  const mlir_type_t *tuple = op->operands[0]->type;
  if (tuple->kind != MLIR_TYPE_TUPLE) {
    return SHAPE_ERROR("takes an element of a tuple; its operand is none");
  }
  int64_t index;
  POD_TRY(shape_i32(module, op, "index", 0, tuple->input_count, &index));  // (C1)
  out_types[0] = tuple->inputs[index];                                     // (C2)
  return NULL;
}

// An attribute that may be absent, of one of two kinds.
typedef struct attribute_t {
  const char *name, *what;
  mlir_attr_kind_t kind, other_kind;
} attribute_t;

static pod_status_t check_attributes(mlir_module_t *module, const mlir_op_t *op,
                                     size_t count, const attribute_t *attributes) {
  for (size_t i = 0; i < count; i++) {
    const mlir_attr_t *attr = mlir_op_attr(op, attributes[i].name);
    if (attr != NULL && attr->kind != attributes[i].kind &&
        attr->kind != attributes[i].other_kind) {
      return SHAPE_ERROR("'%s' must be %s", attributes[i].name, attributes[i].what);
    }
  }
  return NULL;
}

static pod_status_t demand_attribute(mlir_module_t *module, const mlir_op_t *op,
                                     const char *name) {
  return mlir_op_attr(op, name) == NULL ? SHAPE_ERROR("lacks the attribute '%s'", name)
                                        : NULL;
}

pod_status_t shape_custom_call(mlir_module_t *module, const mlir_op_t *op,
                               const mlir_type_t **out_types) {
  static const attribute_t attributes[] = {
      {"call_target_name", "a string", MLIR_ATTR_STRING, MLIR_ATTR_STRING},
      {"has_side_effect", "true or false", MLIR_ATTR_BOOL, MLIR_ATTR_BOOL},
      {"backend_config", "a string or a dictionary", MLIR_ATTR_STRING,
       MLIR_ATTR_DICTIONARY},
      {"api_version", "an integer", MLIR_ATTR_INTEGER, MLIR_ATTR_INTEGER},
      {"called_computations", "a list of functions", MLIR_ATTR_ARRAY, MLIR_ATTR_ARRAY},
  };
  POD_TRY(demand_attribute(module, op, "call_target_name"));
  POD_TRY(check_attributes(module, op, POD_COUNT_OF(attributes), attributes));
  // 4 is the typed interface, whose configuration is a dictionary; others take a string.
  const mlir_attr_t *version = mlir_op_attr(op, "api_version"),
                    *config = mlir_op_attr(op, "backend_config");
  const bool is_typed = version != NULL && version->integer == 4;
  if (config != NULL && (config->kind == MLIR_ATTR_DICTIONARY) != is_typed) {
    return SHAPE_ERROR(
        "'backend_config' must be a dictionary where 'api_version' is 4, "
        "and else a string");
  }
  const mlir_attr_t *called = mlir_op_attr(op, "called_computations");
  for (int64_t i = 0; called != NULL && i < called->count; i++) {
    if (called->elements[i]->kind != MLIR_ATTR_SYMBOL) {
      return SHAPE_ERROR("'called_computations' must be a list of functions");
    }
  }
  return keep_types(op, out_types);
}

// A namespace, a dot and a name: letters, digits, `_`, `$`; more dots within the name.
static bool is_namespaced(const char *name) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  static const char others[] = "0123456789_$";
  int parts = 0;
  for (const char *at = name;; at++) {
    if (parts == 0 && strspn(at, letters) == 0) {
      return false;
    }
    size_t length = 0;
    while (at[length] != '\0' &&
           (strchr(letters, at[length]) != NULL || strchr(others, at[length]) != NULL)) {
      length++;
    }
    parts++;
    at += length;
    if (length == 0 || (*at != '.' && *at != '\0')) {
      return false;
    }
    if (*at == '\0') {
      return parts > 1;
    }
  }
}

// (C2) to (C4): the verifier looks at all calls.
pod_status_t shape_composite(mlir_module_t *module, const mlir_op_t *op,
                             const mlir_type_t **out_types) {
  static const attribute_t attributes[] = {
      {"name", "a string", MLIR_ATTR_STRING, MLIR_ATTR_STRING},
      {"composite_attributes", "a dictionary", MLIR_ATTR_DICTIONARY,
       MLIR_ATTR_DICTIONARY},
      {"decomposition", "a function", MLIR_ATTR_SYMBOL, MLIR_ATTR_SYMBOL},
      {"version", "an integer", MLIR_ATTR_INTEGER, MLIR_ATTR_INTEGER},
  };
  POD_TRY(demand_attribute(module, op, "name"));
  POD_TRY(demand_attribute(module, op, "decomposition"));
  POD_TRY(check_attributes(module, op, POD_COUNT_OF(attributes), attributes));
  const char *name = mlir_op_attr(op, "name")->text;
  if (!is_namespaced(name)) {  // (C1)
    return SHAPE_ERROR(
        "'name' is \"%s\"; it must be a namespace and a name, like "
        "\"space.name\"",
        name);
  }
  return keep_types(op, out_types);
}
