// Versions of values: cut, padded, masked.

#include "server/compiler/partition/pad_value.h"

#include <string.h>

#include "common/base/check.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/partition/axes.h"
#include "server/compiler/partition/factors_builder.h"
#include "server/compiler/partition/propagate.h"
#include "server/program/operations.h"

pad_note_t *pad_note(padder_t *padder, const mlir_value_t *value) {
  while ((uint32_t)padder->notes.count <= value->id) {
    *pod_list_add(&padder->notes) = (pad_note_t){0};
  }
  return &padder->notes.items[value->id];
}

const tensor_shape_t *pad_shape_of(padder_t *padder, const mlir_value_t *value) {
  const tensor_shape_t *shape = pad_note(padder, value)->shape;
  return shape != NULL ? shape : &value->type->shape;
}

int64_t pad_pieces(padder_t *padder, const mlir_value_t *value, int dim) {
  const sharding_t *sharding = pad_note(padder, value)->sharding;
  return sharding == NULL ? 1 : axis_list_size(&sharding->dims[dim].axes);
}

const mlir_type_t **pad_hide(padder_t *padder, mlir_op_t *op) {
  const mlir_type_t **types =
      pod_arena_array(padder->arena, (size_t)op->operand_count, sizeof(types[0]));
  for (int i = 0; i < op->operand_count; i++) {
    types[i] = op->operands[i]->type;
  }
  for (int i = 0; i < op->operand_count; i++) {
    mlir_value_t *operand = op->operands[i];
    if (pad_note(padder, operand)->shape != NULL) {
      operand->type = mlir_type_tensor(padder->module, pad_note(padder, operand)->shape);
    }
  }
  return types;
}

void pad_show(mlir_op_t *op, const mlir_type_t **types) {
  for (int i = 0; i < op->operand_count; i++) {
    op->operands[i]->type = types[i];
  }
}

// --- Operations ---

mlir_op_t *pad_make(padder_t *padder, const mlir_op_t *like, const char *name,
                    int operand_count, mlir_value_t *const *operands,
                    const tensor_shape_t *result) {
  const mlir_type_t *type = mlir_type_tensor(padder->module, result);
  mlir_op_t *op =
      mlir_op_create(padder->module, name, operand_count, operands, 1, &type, 0);
  op->location = like == NULL ? NULL : like->location;
  op->position = like == NULL ? 0 : like->position;
  return op;
}

void pad_set_i64s(padder_t *padder, mlir_op_t *op, const char *name, int count,
                  const int64_t *values) {
  mlir_op_set_attr(padder->module, op, name,
                   mlir_attr_i64_array(padder->module, count, values));
}

// As much of the sharding as divides the shape.
static const sharding_t *dividing(padder_t *padder, const sharding_t *sharding,
                                  const tensor_shape_t *shape) {
  if (sharding == NULL || sharding_divides(sharding, shape)) {
    return sharding;
  }
  sharding_t *kept = sharding_copy(padder->arena, sharding);
  for (int d = 0; d < shape->rank; d++) {
    const axes_t all = axes_from_list(&sharding->dims[d].axes);
    const axes_t axes = axes_dividing(&all, shape->dims[d]);
    kept->dims[d].axes = axes_to_list(padder->arena, &axes);
  }
  return kept;
}

mlir_value_t *pad_insert_behind(padder_t *padder, const mlir_value_t *value,
                                mlir_op_t *op, const sharding_t *sharding) {
  mlir_op_t *next = padder->before != NULL ? padder->before
                    : value->op != NULL    ? value->op->next
                                           : value->block->first;
  if (next == NULL) {
    mlir_block_append(value->op != NULL ? value->op->block : value->block, op);
  } else {
    mlir_block_insert_before(next, op);
  }
  mlir_value_t *result = &op->results[0];
  pad_note(padder, result)->sharding = dividing(padder, sharding, &result->type->shape);
  return result;
}

mlir_value_t *pad_constant(padder_t *padder, const mlir_value_t *behind,
                           const tensor_shape_t *shape, const void *element) {
  mlir_op_t *op = pad_make(padder, NULL, "stablehlo.constant", 0, NULL, shape);
  mlir_op_set_attr(padder->module, op, "value",
                   mlir_attr_dense(padder->module, shape, element, true));
  return pad_insert_behind(padder, behind, op, NULL);
}

static mlir_value_t *insert_broadcast(padder_t *padder, const mlir_value_t *behind,
                                      mlir_value_t *scalar, const tensor_shape_t *shape,
                                      const sharding_t *sharding) {
  mlir_op_t *op = pad_make(padder, NULL, "stablehlo.broadcast_in_dim", 1, &scalar, shape);
  pad_set_i64s(padder, op, "broadcast_dimensions", 0, NULL);
  return pad_insert_behind(padder, behind, op, sharding);
}

// --- Sizes ---

static tensor_shape_t with_dims(const tensor_shape_t *shape, const int64_t *dims) {
  tensor_shape_t changed = *shape;
  memcpy(changed.dims, dims, (size_t)shape->rank * sizeof(dims[0]));
  return changed;
}

void pad_resize(padder_t *padder, mlir_value_t *value, const int64_t *dims) {
  pad_note_t *note = pad_note(padder, value);
  const tensor_shape_t *own = pad_shape_of(padder, value);
  const tensor_shape_t shape = with_dims(own, dims);
  if (!tensor_shape_equal(&shape, &value->type->shape)) {
    note->shape = own;
    value->type = mlir_type_tensor(padder->module, &shape);
  }
  note->sharding = dividing(padder, note->sharding, &shape);
}

static pad_version_t *add_version(padder_t *padder, const mlir_value_t *of,
                                  mlir_value_t *value) {
  pad_version_t *version = pod_arena_alloc(padder->arena, sizeof(*version));
  *version = (pad_version_t){.value = value, .next = pad_note(padder, of)->versions};
  pad_note(padder, of)->versions = version;
  return version;
}

// Cuts or adds padding, of zeros.
static mlir_value_t *resized(padder_t *padder, mlir_value_t *value,
                             const tensor_shape_t *shape) {
  static const int64_t zeros[TENSOR_RANK_MAX] = {0};
  static const unsigned char zero[16] = {0};
  const tensor_shape_t from = value->type->shape;
  const sharding_t *sharding = pad_note(padder, value)->sharding;
  const int rank = shape->rank;
  int64_t high[TENSOR_RANK_MAX], ones[TENSOR_RANK_MAX];
  bool grows = false;
  uint32_t zero_dims = pad_note(padder, value)->zero;
  const tensor_shape_t *own = pad_shape_of(padder, value);
  for (int d = 0; d < rank; d++) {
    high[d] = shape->dims[d] - from.dims[d];
    ones[d] = 1;
    grows = grows || high[d] > 0;
    if (from.dims[d] == own->dims[d]) {
      zero_dims |= 1u << d;
    }
  }
  if (!grows) {
    mlir_op_t *op = pad_make(padder, value->op, "stablehlo.slice", 1, &value, shape);
    pad_set_i64s(padder, op, "start_indices", rank, zeros);
    pad_set_i64s(padder, op, "limit_indices", rank, shape->dims);
    pad_set_i64s(padder, op, "strides", rank, ones);
    return pad_insert_behind(padder, value, op, sharding);
  }
  const tensor_shape_t scalar = tensor_shape_make(shape->dtype, 0, NULL);
  mlir_value_t *operands[] = {value, pad_constant(padder, value, &scalar, zero)};
  mlir_op_t *op = pad_make(padder, value->op, "stablehlo.pad", 2, operands, shape);
  pad_set_i64s(padder, op, "edge_padding_low", rank, zeros);
  pad_set_i64s(padder, op, "edge_padding_high", rank, high);
  pad_set_i64s(padder, op, "interior_padding", rank, zeros);
  mlir_value_t *result = pad_insert_behind(padder, operands[1], op, sharding);
  pad_note(padder, result)->zero = zero_dims;
  return result;
}

// --- What is made anew for every use ---

static mlir_value_t *remade_constant(padder_t *padder, mlir_value_t *value,
                                     const tensor_shape_t *shape) {
  const mlir_attr_t *attr = mlir_op_attr(value->op, "value");
  if (attr->is_splat) {
    static const unsigned char zero[16] = {0};
    mlir_value_t *made = pad_constant(padder, value, shape, attr->data);
    if (memcmp(attr->data, zero, tensor_dtype_bytes(shape->dtype)) == 0) {
      pad_note(padder, made)->zero = ~0u;
    }
    return made;
  }
  const tensor_shape_t *from = &value->type->shape;
  const size_t element = tensor_dtype_bytes(shape->dtype);
  char *data =
      pod_arena_array(padder->arena, (size_t)tensor_shape_elements(shape), element);
  int64_t strides[TENSOR_RANK_MAX];
  tensor_shape_strides(shape, strides);
  const int64_t count = tensor_shape_elements(from);
  for (int64_t i = 0; i < count; i++) {
    int64_t rest = i, to = 0;
    for (int d = from->rank - 1; d >= 0; d--) {
      to += rest % from->dims[d] * strides[d];
      rest /= from->dims[d];
    }
    memcpy(data + (size_t)to * element, (const char *)attr->data + (size_t)i * element,
           element);
  }
  mlir_op_t *op = pad_make(padder, value->op, "stablehlo.constant", 0, NULL, shape);
  mlir_op_set_attr(padder->module, op, "value",
                   mlir_attr_dense(padder->module, shape, data, false));
  mlir_value_t *made = pad_insert_behind(padder, value, op, NULL);
  pad_note(padder, made)->zero = ~0u;
  return made;
}

static void copy_attrs(padder_t *padder, const mlir_op_t *from, mlir_op_t *to) {
  for (int i = 0; i < from->attr_count; i++) {
    mlir_op_set_attr(padder->module, to, from->attrs[i].name, from->attrs[i].value);
  }
}

static mlir_value_t *remade_broadcast(padder_t *padder, mlir_value_t *value,
                                      const tensor_shape_t *shape) {
  mlir_value_t *from = value->op->operands[0];
  const tensor_shape_t *own = &value->type->shape;
  const tensor_shape_t source = from->type->shape;
  int64_t places[TENSOR_RANK_MAX], dims[TENSOR_RANK_MAX];
  factors_attr(value->op, "broadcast_dimensions", source.rank, places);
  for (int i = 0; i < source.rank; i++) {
    dims[i] =
        source.dims[i] == own->dims[places[i]] ? shape->dims[places[i]] : source.dims[i];
  }
  mlir_value_t *operand = pad_get(padder, from, dims);
  mlir_op_t *op = pad_make(padder, value->op, value->op->name, 1, &operand, shape);
  copy_attrs(padder, value->op, op);
  return pad_insert_behind(padder, value, op, NULL);
}

enum { CONSTANT_GROWTH_MAX = 4 };

// A list of elements that would be mostly padding is not written out.
static bool grows_too_much(const mlir_value_t *value, const tensor_shape_t *shape) {
  const double own = (double)tensor_shape_elements(&value->type->shape);
  double padded = 1;
  for (int d = 0; d < shape->rank; d++) {
    padded *= (double)shape->dims[d];
  }
  return !mlir_op_attr(value->op, "value")->is_splat &&
         padded > CONSTANT_GROWTH_MAX * own;
}

static mlir_value_t *remade(padder_t *padder, mlir_value_t *value,
                            const tensor_shape_t *shape) {
  if (value->op->kind == CHIP_OP_CONSTANT) {
    return grows_too_much(value, shape) ? resized(padder, value, shape)
                                        : remade_constant(padder, value, shape);
  }
  if (value->op->kind == CHIP_OP_BROADCAST_IN_DIM) {
    return remade_broadcast(padder, value, shape);
  }
  mlir_op_t *op = pad_make(padder, value->op, value->op->name, 0, NULL, shape);
  copy_attrs(padder, value->op, op);
  return pad_insert_behind(padder, value, op, NULL);
}

mlir_value_t *pad_get(padder_t *padder, mlir_value_t *value, const int64_t *dims) {
  const tensor_shape_t shape = with_dims(&value->type->shape, dims);
  if (tensor_shape_equal(&shape, &value->type->shape)) {
    return value;
  }
  for (const pad_version_t *version = pad_note(padder, value)->versions; version != NULL;
       version = version->next) {
    if (version->filled == 0 &&
        tensor_shape_equal(&version->value->type->shape, &shape)) {
      return version->value;
    }
  }
  mlir_value_t *made = propagate_is_remade(value) ? remade(padder, value, &shape)
                                                  : resized(padder, value, &shape);
  (void)add_version(padder, value, made);
  return made;
}

mlir_value_t *pad_get_own(padder_t *padder, mlir_value_t *value) {
  const tensor_shape_t own = *pad_shape_of(padder, value);
  return pad_get(padder, value, own.dims);
}

// --- Masks ---

mlir_value_t *pad_within(padder_t *padder, const mlir_value_t *behind,
                         const tensor_shape_t *of, int dim, int64_t size,
                         const sharding_t *sharding) {
  mlir_module_t *module = padder->module;
  tensor_shape_t counted = *of, flags = *of;
  counted.dtype = size < INT32_MAX ? TENSOR_S32 : TENSOR_S64;
  flags.dtype = TENSOR_PRED;
  mlir_op_t *iota = pad_make(padder, NULL, "stablehlo.iota", 0, NULL, &counted);
  mlir_op_set_attr(module, iota, "iota_dimension",
                   mlir_attr_integer(module, dim, TENSOR_S64));
  mlir_value_t *counts = pad_insert_behind(padder, behind, iota, NULL);
  unsigned char element[16] = {0};
  tensor_element_from_int64(counted.dtype, size, element);
  mlir_value_t *operands[] = {counts, pad_constant(padder, counts, &counted, element)};
  mlir_op_t *compare = pad_make(padder, NULL, "stablehlo.compare", 2, operands, &flags);
  mlir_op_set_attr(module, compare, "comparison_direction",
                   stablehlo_make_enum(module, compare, "comparison_direction", "LT"));
  return pad_insert_behind(padder, operands[1], compare, sharding);
}

static bool is_zero(const pad_fill_t *fill, tensor_dtype_t dtype) {
  return fill->scalar == NULL && !tensor_dtype_is_complex(dtype) &&
         tensor_element_as_double(dtype, fill->element) == 0;
}

static mlir_value_t *find_filled(padder_t *padder, const mlir_value_t *value,
                                 uint32_t dims, const pad_fill_t *fill) {
  for (const pad_version_t *version = pad_note(padder, value)->versions; version != NULL;
       version = version->next) {
    if (version->filled == dims && version->fill.scalar == fill->scalar &&
        memcmp(version->fill.element, fill->element, sizeof(fill->element)) == 0) {
      return version->value;
    }
  }
  return NULL;
}

mlir_value_t *pad_filled(padder_t *padder, mlir_value_t *value, const tensor_shape_t *own,
                         uint32_t dims, const pad_fill_t *fill) {
  const tensor_shape_t shape = value->type->shape;
  for (int d = 0; d < shape.rank; d++) {
    if (shape.dims[d] == own->dims[d]) {
      dims &= ~(1u << d);
    }
  }
  if (is_zero(fill, shape.dtype)) {
    dims &= ~pad_note(padder, value)->zero;
  }
  if (dims == 0) {
    return value;
  }
  mlir_value_t *known = find_filled(padder, value, dims, fill);
  if (known != NULL) {
    return known;
  }
  const sharding_t *sharding = pad_note(padder, value)->sharding;
  mlir_value_t *within = NULL;
  for (int d = 0; d < shape.rank; d++) {
    if ((dims >> d & 1u) != 0) {
      mlir_value_t *one = pad_within(padder, within == NULL ? value : within, &shape, d,
                                     own->dims[d], sharding);
      if (within != NULL) {
        mlir_value_t *both[] = {within, one};
        one = pad_insert_behind(
            padder, one,
            pad_make(padder, NULL, "stablehlo.and", 2, both, &one->type->shape),
            sharding);
      }
      within = one;
    }
  }
  mlir_value_t *filling =
      fill->scalar == NULL
          ? pad_constant(padder, within, &shape, fill->element)
          : insert_broadcast(padder, within, fill->scalar, &shape, sharding);
  mlir_value_t *operands[] = {within, value, filling};
  mlir_op_t *select =
      pad_make(padder, value->op, "stablehlo.select", 3, operands, &shape);
  mlir_value_t *result = pad_insert_behind(padder, filling, select, sharding);
  if (is_zero(fill, shape.dtype)) {
    pad_note(padder, result)->zero = pad_note(padder, value)->zero | dims;
  }
  if (padder->before == NULL) {
    pad_version_t *version = add_version(padder, value, result);
    version->filled = dims;
    version->fill = *fill;
  }
  return result;
}
