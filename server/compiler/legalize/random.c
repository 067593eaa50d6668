// stablehlo.rng, whose generator the specification leaves open: Philox (Salmon et al.
// 2011) with a state of its own for each operation of the module. The numbers are the
// same in every execution and in every iteration of a loop; programs that want others use
// rng_bit_generator, as JAX does.

#include <inttypes.h>
#include <math.h>

#include "common/mlir/diagnostic.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/legalize/expander.h"

typedef struct random_t {
  expander_t *expander;
  const mlir_type_t *type;  // Of the result.
} random_t;

// The result's shape with another element type.
static const mlir_type_t *of_dtype(const random_t *random, tensor_dtype_t dtype) {
  tensor_shape_t shape = random->type->shape;
  shape.dtype = dtype;
  return mlir_type_tensor(random->expander->module, &shape);
}

static mlir_value_t *convert(const random_t *random, mlir_value_t *value,
                             tensor_dtype_t dtype) {
  tensor_shape_t shape = value->type->shape;
  if (shape.dtype == dtype) {
    return value;
  }
  shape.dtype = dtype;
  return expand_emit_unary(random->expander, "stablehlo.convert", value,
                           mlir_type_tensor(random->expander->module, &shape));
}

// The bits of the numbers of one 64-bit type as another.
static mlir_value_t *bits_as(const random_t *random, mlir_value_t *value,
                             tensor_dtype_t dtype) {
  return value->type->shape.dtype == dtype
             ? value
             : expand_emit_unary(random->expander, "stablehlo.bitcast_convert", value,
                                 of_dtype(random, dtype));
}

static mlir_value_t *binary(const random_t *random, const char *name, mlir_value_t *a,
                            mlir_value_t *b) {
  return expand_emit_binary(random->expander, name, a, b);
}

static mlir_value_t *emit_bits(const random_t *random, tensor_dtype_t dtype) {
  mlir_module_t *module = random->expander->module;
  const int64_t size = 2;
  // 2^64 / golden ratio spreads the numbers of operations over the keys.
  const uint64_t key[] = {
      (random->expander->op->id + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15), 0};
  const tensor_shape_t shape = tensor_shape_make(TENSOR_U64, 1, &size);
  mlir_op_t *state = expand_emit(random->expander, "stablehlo.constant", 0, NULL,
                                 mlir_type_tensor(module, &shape));
  expand_set_attr(random->expander, state, "value",
                  mlir_attr_dense(module, &shape, key, false));
  const mlir_type_t *types[] = {state->results[0].type, of_dtype(random, dtype)};
  mlir_value_t *operand = &state->results[0];
  mlir_op_t *op =
      mlir_op_create(module, mlir_intern(module, "stablehlo.rng_bit_generator"), 1,
                     &operand, 2, types, 0);
  op->position = random->expander->op->position;
  op->location = random->expander->op->location;
  expand_set_attr(random->expander, op, "rng_algorithm",
                  stablehlo_make_enum(module, op, "rng_algorithm", "PHILOX"));
  mlir_block_insert_before(random->expander->op, op);
  return &op->results[1];
}

// Multiples of 2^-23 (f64: 2^-52) in [0, 1).
static mlir_value_t *emit_unit(const random_t *random, tensor_dtype_t wide) {
  const bool is_f64 = wide == TENSOR_F64;
  const tensor_dtype_t raw = is_f64 ? TENSOR_U64 : TENSOR_U32;
  mlir_value_t *bits = emit_bits(random, raw);
  const int64_t shift = is_f64 ? 12 : 9;
  unsigned char element[16] = {0};
  tensor_element_from_int64(raw, shift, element);
  mlir_op_t *by =
      expand_emit(random->expander, "stablehlo.constant", 0, NULL, bits->type);
  expand_set_attr(
      random->expander, by, "value",
      mlir_attr_dense(random->expander->module, &bits->type->shape, element, true));
  mlir_value_t *number = convert(
      random, binary(random, "stablehlo.shift_right_logical", bits, &by->results[0]),
      wide);
  return binary(
      random, "stablehlo.multiply", number,
      expand_emit_splat(random->expander, number->type, ldexp(1, is_f64 ? -52 : -23)));
}

// Operand 0 or 1, at every place of the result.
static mlir_value_t *spread(const random_t *random, int operand, tensor_dtype_t dtype) {
  static const int64_t none = 0;
  mlir_value_t *value = convert(random, random->expander->op->operands[operand], dtype);
  return expand_emit_broadcast(random->expander, value, of_dtype(random, dtype), 0,
                               &none);
}

// a + u (b - a), and a where that rounds to b.
static mlir_value_t *uniform_float(const random_t *random, tensor_dtype_t wide) {
  mlir_module_t *module = random->expander->module;
  const tensor_dtype_t dtype = random->type->shape.dtype;
  mlir_value_t *low = spread(random, 0, wide), *high = spread(random, 1, wide);
  mlir_value_t *sum = binary(random, "stablehlo.add", low,
                             binary(random, "stablehlo.multiply", emit_unit(random, wide),
                                    binary(random, "stablehlo.subtract", high, low)));
  mlir_value_t *operands[] = {convert(random, sum, dtype), spread(random, 1, dtype)};
  mlir_op_t *compare = expand_emit(random->expander, "stablehlo.compare", 2, operands,
                                   of_dtype(random, TENSOR_PRED));
  expand_set_attr(random->expander, compare, "comparison_direction",
                  stablehlo_make_enum(module, compare, "comparison_direction", "LT"));
  mlir_value_t *choice[] = {&compare->results[0], operands[0], spread(random, 0, dtype)};
  return &expand_emit(random->expander, "stablehlo.select", 3, choice, random->type)
              ->results[0];
}

// mean + deviation · sqrt(2) · erf_inv(u), u in the middle between multiples of 2^-22 in
// (-1, 1).
static mlir_value_t *normal_float(const random_t *random, tensor_dtype_t wide) {
  expander_t *expander = random->expander;
  const mlir_type_t *type = of_dtype(random, wide);
  const double step = ldexp(1, wide == TENSOR_F64 ? -52 : -23);
  mlir_value_t *unit = emit_unit(random, wide);
  mlir_value_t *twice = binary(random, "stablehlo.add", unit, unit);
  mlir_value_t *centered =
      binary(random, "stablehlo.add", twice, expand_emit_splat(expander, type, step - 1));
  mlir_value_t *standard =
      binary(random, "stablehlo.multiply",
             expand_emit_unary(expander, "chlo.erf_inv", centered, type),
             expand_emit_splat(expander, type, sqrt(2)));
  mlir_value_t *scaled =
      binary(random, "stablehlo.multiply", standard, spread(random, 1, wide));
  return convert(random, binary(random, "stablehlo.add", spread(random, 0, wide), scaled),
                 random->type->shape.dtype);
}

// a + bits mod (b - a), modulo 2^64.
static mlir_value_t *uniform_integer(const random_t *random) {
  const tensor_dtype_t dtype = random->type->shape.dtype;
  if (dtype == TENSOR_PRED) {
    static const double half = 0.5;
    mlir_value_t *unit = emit_unit(random, TENSOR_F32);
    mlir_value_t *moved = binary(random, "stablehlo.add", unit,
                                 expand_emit_splat(random->expander, unit->type, half));
    mlir_value_t *whole =
        expand_emit_unary(random->expander, "stablehlo.floor", moved, moved->type);
    return convert(random, whole, TENSOR_PRED);
  }
  const tensor_dtype_t wide = tensor_dtype_is_signed(dtype) ? TENSOR_S64 : TENSOR_U64;
  mlir_value_t *low = bits_as(random, spread(random, 0, wide), TENSOR_U64);
  mlir_value_t *high = bits_as(random, spread(random, 1, wide), TENSOR_U64);
  mlir_value_t *rest =
      binary(random, "stablehlo.remainder", emit_bits(random, TENSOR_U64),
             binary(random, "stablehlo.subtract", high, low));
  return convert(
      random, bits_as(random, binary(random, "stablehlo.add", low, rest), wide), dtype);
}

pod_status_t expand_rng(expander_t *expander, mlir_value_t **out_results) {
  static const char *const words[] = {"UNIFORM", "NORMAL", NULL};
  const mlir_op_t *op = expander->op;
  const random_t random = {expander, op->results[0].type};
  const tensor_shape_t *shape = &random.type->shape;
  int distribution;
  POD_TRY(stablehlo_enum(expander->module, op, "rng_distribution", "rng_distribution",
                         words, &distribution));
  const bool is_float = tensor_dtype_is_float(shape->dtype);
  const tensor_dtype_t wide = shape->dtype == TENSOR_F64 ? TENSOR_F64 : TENSOR_F32;
  out_results[0] = !is_float           ? uniform_integer(&random)
                   : distribution == 0 ? uniform_float(&random, wide)
                                       : normal_float(&random, wide);
  return NULL;
}
