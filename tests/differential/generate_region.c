#include "tests/differential/generate_region.h"

#include <math.h>
#include <string.h>

#include "common/base/check.h"
#include "tests/differential/reference_scalar.h"

// --- Choices ---

void generate_subset(generate_t *g, int bound, int count, int64_t *out_chosen) {
  int left = count;
  for (int i = 0; i < bound && left > 0; i++) {
    if (generate_below(g, bound - i) < left) {
      out_chosen[count - left--] = i;
    }
  }
}

void generate_shuffle(generate_t *g, int count, int64_t *values) {
  for (int i = count - 1; i > 0; i--) {
    const int j = generate_below(g, i + 1);
    const int64_t value = values[i];
    values[i] = values[j];
    values[j] = value;
  }
}

// --- Scalar functions ---

static mlir_value_t *leaf(generate_t *g, int count, mlir_value_t *const *from,
                          tensor_dtype_t dtype) {
  const int start = generate_below(g, count > 0 ? count : 1);
  for (int i = 0; i < count; i++) {
    mlir_value_t *value = from[(start + i) % count];
    if (generate_shape_of(value)->dtype == dtype && !generate_chance(g, 10)) {
      return value;
    }
  }
  const tensor_shape_t shape = generate_scalar_shape(dtype);
  if (count > 0 && generate_chance(g, 40)) {
    mlir_value_t *value = from[start];
    return &generate_op(g, "stablehlo.convert", 1, &value, 1, &shape, 0)->results[0];
  }
  char element[16];
  generate_fill(g, dtype, GENERATE_FINITE, 1, element);
  return generate_constant(g, &shape, element);
}

// A condition on scalars of a type that is among those at hand.
static mlir_value_t *condition(generate_t *g, int count, mlir_value_t *const *from,
                               int depth) {
  static const char *const directions[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
  const tensor_dtype_t dtype =
      count > 0 ? generate_shape_of(from[generate_below(g, count)])->dtype : TENSOR_S32;
  mlir_value_t *sides[2];
  sides[0] = generate_scalar(g, count, from, dtype, depth - 1);
  sides[1] = generate_scalar(g, count, from, dtype, depth - 1);
  const tensor_shape_t flag = generate_scalar_shape(TENSOR_PRED);
  mlir_op_t *op = generate_op(g, "stablehlo.compare", 2, sides, 1, &flag, 0);
  generate_enum(
      g, op, "comparison_direction", "comparison_direction",
      generate_word(g, generate_class(dtype) == GENERATE_COMPLEX ? 2 : 6, directions));
  return &op->results[0];
}

// Of one operand and of its type, rounded once.
static const char *unary_of(generate_t *g, tensor_dtype_t dtype) {
  static const char *const integers[] = {
      "stablehlo.negate", "stablehlo.not",
      "stablehlo.popcnt", "stablehlo.count_leading_zeros",
      "stablehlo.abs",    "stablehlo.sign"};
  static const char *const floats[] = {
      "stablehlo.negate", "stablehlo.abs",  "stablehlo.sign",
      "stablehlo.floor",  "stablehlo.ceil", "stablehlo.round_nearest_even",
      "stablehlo.sqrt",   "chlo.square",    "stablehlo.round_nearest_afz"};
  switch (generate_class(dtype)) {
    case GENERATE_PRED:
      return "stablehlo.not";
    case GENERATE_UNSIGNED:
      return generate_word(g, 4, integers);
    case GENERATE_SIGNED:
      return generate_word(g, 6, integers);
    case GENERATE_COMPLEX:
      return "stablehlo.negate";
    default:
      return generate_word(g, (int)POD_COUNT_OF(floats), floats);
  }
}

mlir_value_t *generate_scalar(generate_t *g, int count, mlir_value_t *const *from,
                              tensor_dtype_t dtype, int depth) {
  static const char *const arithmetic[] = {
      "stablehlo.add",
      "stablehlo.subtract",
      "stablehlo.multiply",
      "stablehlo.maximum",
      "stablehlo.minimum",
      "stablehlo.divide",
      "stablehlo.remainder",
      "stablehlo.shift_left",
      "stablehlo.power",
      "stablehlo.shift_right_arithmetic",
      "stablehlo.shift_right_logical",
  };
  static const char *const logic[] = {"stablehlo.and", "stablehlo.or", "stablehlo.xor"};
  if (depth <= 0 || generate_chance(g, 20)) {
    return leaf(g, count, from, dtype);
  }
  const tensor_shape_t shape = generate_scalar_shape(dtype);
  mlir_value_t *operands[3];
  if (generate_chance(g, 25)) {
    operands[0] = condition(g, count, from, depth - 1);
    operands[1] = generate_scalar(g, count, from, dtype, depth - 1);
    operands[2] = generate_scalar(g, count, from, dtype, depth - 1);
    return &generate_op(g, "stablehlo.select", 3, operands, 1, &shape, 0)->results[0];
  }
  operands[0] = generate_scalar(g, count, from, dtype, depth - 1);
  const unsigned class = generate_class(dtype);
  if (generate_chance(g, 25)) {
    return &generate_op(g, unary_of(g, dtype), 1, operands, 1, &shape, 0)->results[0];
  }
  operands[1] = generate_scalar(g, count, from, dtype, depth - 1);
  const bool is_logic = class == GENERATE_PRED ||
                        ((class & GENERATE_INTEGER) != 0 && generate_chance(g, 30));
  // Products of complex numbers are not rounded once; their order is no matter here.
  const char *name = is_logic ? generate_word(g, 3, logic)
                              : generate_word(g,
                                              class == GENERATE_COMPLEX         ? 2
                                              : (class & GENERATE_INTEGER) != 0 ? 11
                                                                                : 7,
                                              arithmetic);
  return &generate_op(g, name, 2, operands, 1, &shape, 0)->results[0];
}

void generate_function(generate_t *g, mlir_op_t *op, int region, int argument_count,
                       const tensor_shape_t *arguments, int result_count,
                       const tensor_shape_t *results) {
  mlir_block_t *outer = generate_region(g, op, region, argument_count, arguments);
  mlir_value_t *values[32];
  POD_CHECK(result_count <= (int)POD_COUNT_OF(values));
  for (int i = 0; i < result_count; i++) {
    values[i] = generate_scalar(g, argument_count, g->block->arguments, results[i].dtype,
                                generate_between(g, 0, 3));
  }
  generate_return(g, result_count, values);
  generate_region_end(g, outer);
}

// --- Functions and custom calls ---

generate_function_t generate_function_start(generate_t *g, int argument_count,
                                            const tensor_shape_t *arguments) {
  mlir_op_t *op = mlir_op_create(g->module, "func.func", 0, NULL, 0, NULL, 1);
  mlir_block_append(mlir_op_block(g->module->op, 0), op);
  return (generate_function_t){op, generate_region(g, op, 0, argument_count, arguments)};
}

const char *generate_function_end(generate_t *g, const generate_function_t *function,
                                  int count, mlir_value_t *const *results) {
  enum { TYPES_MAX = 16 };
  mlir_op_t *op = function->op;
  const mlir_block_t *block = g->block;
  const mlir_type_t *inputs[TYPES_MAX], *outputs[TYPES_MAX];
  POD_CHECK(block->argument_count <= TYPES_MAX && count <= TYPES_MAX);
  for (int i = 0; i < block->argument_count; i++) {
    inputs[i] = block->arguments[i]->type;
  }
  for (int i = 0; i < count; i++) {
    outputs[i] = results[i]->type;
  }
  generate_op(g, "func.return", count, results, 0, NULL, 0);
  generate_region_end(g, function->outer);
  const char *name = pod_arena_printf(g->module->arena, "f%d", (int)op->id);
  mlir_op_set_attr(g->module, op, "sym_name", mlir_attr_string(g->module, name));
  mlir_op_set_attr(g->module, op, "sym_visibility",
                   mlir_attr_string(g->module, "private"));
  mlir_op_set_attr(
      g->module, op, "function_type",
      mlir_attr_type(g->module, mlir_type_function(g->module, block->argument_count,
                                                   inputs, count, outputs)));
  return name;
}

mlir_op_t *generate_custom_call(generate_t *g, const char *target, int operand_count,
                                mlir_value_t *const *operands, int result_count,
                                const tensor_shape_t *results) {
  mlir_op_t *op = generate_op(g, "stablehlo.custom_call", operand_count, operands,
                              result_count, results, 0);
  mlir_op_set_attr(g->module, op, "call_target_name",
                   mlir_attr_string(g->module, target + (target[0] == '@' ? 1 : 0)));
  return op;
}

void generate_called(generate_t *g, mlir_op_t *op, const char *function) {
  const mlir_attr_t *symbol = mlir_attr_symbol(g->module, function);
  mlir_op_set_attr(g->module, op, "called_computations",
                   mlir_attr_array(g->module, 1, &symbol));
}

// --- Reductions ---

const char *generate_reduction(generate_t *g, tensor_dtype_t dtype,
                               generate_data_t *out_data) {
  static const char *const names[] = {
      "stablehlo.add", "stablehlo.maximum", "stablehlo.minimum", "stablehlo.multiply",
      "stablehlo.and", "stablehlo.or",      "stablehlo.xor"};
  const unsigned class = generate_class(dtype);
  const bool is_integral = (class & (GENERATE_PRED | GENERATE_INTEGER)) != 0;
  const char *name = generate_word(g,
                                   is_integral                 ? 7
                                   : class == GENERATE_COMPLEX ? 1
                                   : class == GENERATE_TINY    ? 2
                                                               : 4,
                                   class == GENERATE_TINY ? names + 1 : names);
  if (is_integral) {
    *out_data = GENERATE_SPECIALS;
  } else if (strcmp(name, "stablehlo.add") == 0) {
    *out_data = class == GENERATE_FLOATS && generate_chance(g, 30) ? GENERATE_SUBNORMALS
                                                                   : GENERATE_UNITS;
  } else if (strcmp(name, "stablehlo.multiply") == 0) {
    *out_data = GENERATE_ONES;
  } else {
    *out_data = generate_chance(g, 50) ? GENERATE_FINITE : GENERATE_SPECIALS;
  }
  return name;
}

tensor_dtype_t generate_promoted(generate_t *g, tensor_dtype_t dtype) {
  static const tensor_dtype_t pairs[][2] = {
      {TENSOR_S2, TENSOR_S8},      {TENSOR_S8, TENSOR_S32},   {TENSOR_S32, TENSOR_S64},
      {TENSOR_U4, TENSOR_U16},     {TENSOR_U8, TENSOR_U32},   {TENSOR_BF16, TENSOR_F32},
      {TENSOR_F16, TENSOR_F32},    {TENSOR_F16, TENSOR_F64},  {TENSOR_F32, TENSOR_F64},
      {TENSOR_F8E5M2, TENSOR_F16}, {TENSOR_C64, TENSOR_C128}, {TENSOR_S16, TENSOR_S64}};
  const tensor_dtype_t *pair = pairs[generate_below(g, (int)POD_COUNT_OF(pairs))];
  return generate_chance(g, 50) && pair[0] == dtype ? pair[1] : dtype;
}

mlir_value_t *generate_identity(generate_t *g, tensor_dtype_t dtype, const char *name) {
  const tensor_shape_t shape = generate_scalar_shape(dtype);
  reference_value_t array = reference_make(g->arena, &shape);
  const bool is_integral = dtype == TENSOR_PRED || tensor_dtype_is_integer(dtype);
  const bool is_signed = is_integral && tensor_dtype_is_signed(dtype);
  const unsigned width = tensor_dtype_device_bits(dtype);
  const int64_t least = is_signed ? (int64_t)((uint64_t)1 << (width - 1)) : 0;
  const int64_t ones = dtype == TENSOR_PRED ? 1 : -1;
  int64_t integer = 0;
  double real = 0;
  if (strcmp(name, "stablehlo.multiply") == 0) {
    integer = 1;
    real = 1;
  } else if (strcmp(name, "stablehlo.and") == 0) {
    integer = ones;
  } else if (strcmp(name, "stablehlo.maximum") == 0) {
    integer = least;
    real = dtype == TENSOR_F8E8M0FNU ? 0x1p-127 : -8;  // The least of GENERATE_FINITE.
  } else if (strcmp(name, "stablehlo.minimum") == 0) {
    integer = is_signed ? ~least : ones;
    real = 8;
  }
  const reference_scalar_t scalar = is_integral ? reference_of_integer(dtype, integer)
                                    : tensor_dtype_is_complex(dtype)
                                        ? reference_of_complex(dtype, real, 0)
                                        : reference_of_real(dtype, real);
  reference_store(&array, 0, scalar);
  return generate_constant(g, &shape, array.data);
}
