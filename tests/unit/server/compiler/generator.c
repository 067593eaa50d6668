#include "tests/unit/server/compiler/generator.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/base/random.h"
#include "server/compiler/dialect/kinds.h"
#include "server/compiler/dialect/reducer.h"
#include "server/program/operations.h"

enum { SHAPES = 8, DEPTH_MAX = 3, CARRIED_MAX = 5 };

typedef struct generator_t {
  mlir_module_t *module;
  pod_random_t random;
  mlir_block_t *block;    // Where operations go.
  mlir_value_t **values;  // What can be used there.
  int value_count, value_capacity;
  int left;  // Operations still to make.
  int depth;
  bool is_open;  // No constants.
  const mlir_type_t *types[SHAPES];
} generator_t;

// 0: f32[4,8], 1: f32[32], 2: f32[8,4], 3: s32[4,8], 4: f32[], 5: s32[], 6: i1[], 7:
// f32[0,3]
static const mlir_type_t *make_type(mlir_module_t *module, int index) {
  const struct {
    tensor_dtype_t dtype;
    int rank;
    int64_t dims[2];
  } shapes[SHAPES] = {{TENSOR_F32, 2, {4, 8}},  {TENSOR_F32, 1, {32, 0}},
                      {TENSOR_F32, 2, {8, 4}},  {TENSOR_S32, 2, {4, 8}},
                      {TENSOR_F32, 0, {0, 0}},  {TENSOR_S32, 0, {0, 0}},
                      {TENSOR_PRED, 0, {0, 0}}, {TENSOR_F32, 2, {0, 3}}};
  const tensor_shape_t shape =
      tensor_shape_make(shapes[index].dtype, shapes[index].rank, shapes[index].dims);
  return mlir_type_tensor(module, &shape);
}

static int below(generator_t *generator, int bound) {
  return (int)pod_random_below(&generator->random, (uint64_t)bound);
}

static mlir_value_t *add_value(generator_t *generator, mlir_value_t *value) {
  if (generator->value_count == generator->value_capacity) {
    generator->value_capacity = 2 * generator->value_capacity + 64;
    generator->values = pod_grow(generator->values, (size_t)generator->value_capacity,
                                 sizeof(*generator->values));
  }
  generator->values[generator->value_count++] = value;
  return value;
}

static mlir_op_t *add_op(generator_t *generator, const char *name, int operand_count,
                         mlir_value_t *const *operands, int result_count,
                         const mlir_type_t *const *types, int region_count) {
  mlir_op_t *op = mlir_op_create(generator->module, name, operand_count, operands,
                                 result_count, types, region_count);
  mlir_block_append(generator->block, op);
  generator->left--;
  return op;
}

static mlir_value_t *add_simple(generator_t *generator, const char *name,
                                int operand_count, mlir_value_t *const *operands,
                                const mlir_type_t *type) {
  return &add_op(generator, name, operand_count, operands, 1, &type, 0)->results[0];
}

static mlir_value_t *add_constant(generator_t *generator, const mlir_type_t *type) {
  static const unsigned char bytes[16] = {1};
  mlir_op_t *op = add_op(generator, "stablehlo.constant", 0, NULL, 1, &type, 0);
  mlir_op_set_attr(generator->module, op, "value",
                   mlir_attr_dense(generator->module, &type->shape, bytes, true));
  return &op->results[0];
}

// A value of a type: mostly one of the latest, sometimes any; a constant when there is
// none.
static mlir_value_t *pick(generator_t *generator, int type) {
  for (int attempt = 0; attempt < 12; attempt++) {
    const int reach =
        attempt < 6 && generator->value_count > 8 ? 8 : generator->value_count;
    if (reach == 0) {
      break;
    }
    mlir_value_t *value =
        generator->values[generator->value_count - 1 - below(generator, reach)];
    if (value->type == generator->types[type]) {
      return value;
    }
  }
  for (int i = generator->value_count - 1; i >= 0 && generator->is_open; i--) {
    if (generator->values[i]->type == generator->types[type]) {
      return generator->values[i];
    }
  }
  return add_value(generator, add_constant(generator, generator->types[type]));
}

static mlir_value_t *pick_any(generator_t *generator) {
  return pick(generator, below(generator, SHAPES));
}

static void set_i64s(generator_t *generator, mlir_value_t *value, const char *name,
                     int64_t count, const int64_t *values) {
  mlir_op_set_attr(generator->module, value->op, name,
                   mlir_attr_i64_array(generator->module, count, values));
}

static void make_elementwise(generator_t *generator) {
  static const char *const binary[] = {"stablehlo.add", "stablehlo.multiply",
                                       "stablehlo.maximum"};
  const int type = below(generator, 6);
  mlir_value_t *operands[] = {pick(generator, type), pick(generator, type)};
  if (below(generator, 3) == 0) {
    add_value(generator, add_simple(generator, "stablehlo.negate", 1, operands,
                                    generator->types[type]));
    return;
  }
  add_value(generator, add_simple(generator, binary[below(generator, 3)], 2, operands,
                                  generator->types[type]));
}

static void make_convert(generator_t *generator) {
  static const int pairs[][2] = {{0, 3}, {3, 0}, {5, 6}, {4, 5}, {5, 4}};
  const int *pair = pairs[below(generator, 5)];
  mlir_value_t *operand = pick(generator, pair[0]);
  add_value(generator, add_simple(generator, "stablehlo.convert", 1, &operand,
                                  generator->types[pair[1]]));
}

static void make_reshape(generator_t *generator) {
  const int from = below(generator, 3), to = below(generator, 3);
  mlir_value_t *operand = pick(generator, from);
  add_value(generator, add_simple(generator, "stablehlo.reshape", 1, &operand,
                                  generator->types[to]));
}

static void make_transpose(generator_t *generator) {
  mlir_value_t *operand = pick(generator, 0);
  const int64_t permutation[] = {1, 0};
  mlir_value_t *result =
      add_simple(generator, "stablehlo.transpose", 1, &operand, generator->types[2]);
  set_i64s(generator, result, "permutation", 2, permutation);
  add_value(generator, result);
}

static void make_update(generator_t *generator) {
  mlir_value_t *operands[] = {pick(generator, 0), NULL, pick(generator, 5),
                              pick(generator, 5)};
  const int64_t sizes[] = {2, 8};
  const tensor_shape_t part = tensor_shape_make(TENSOR_F32, 2, sizes);
  mlir_value_t *slice_operands[] = {pick(generator, 0), operands[2], operands[3]};
  mlir_value_t *slice =
      add_simple(generator, "stablehlo.dynamic_slice", 3, slice_operands,
                 mlir_type_tensor(generator->module, &part));
  set_i64s(generator, slice, "slice_sizes", 2, sizes);
  operands[1] = slice;
  add_value(generator, add_simple(generator, "stablehlo.dynamic_update_slice", 4,
                                  operands, generator->types[0]));
}

static void make_select(generator_t *generator) {
  mlir_value_t *operands[] = {pick(generator, 6), pick(generator, 0), pick(generator, 0)};
  add_value(generator,
            add_simple(generator, "stablehlo.select", 3, operands, generator->types[0]));
}

static void finish_block(generator_t *generator, int count, mlir_value_t *const *values) {
  mlir_op_t *end =
      mlir_op_create(generator->module, "stablehlo.return", count, values, 0, NULL, 0);
  end->kind = CHIP_OP_RETURN;
  mlir_block_append(generator->block, end);
}

// A known reducer, or a region of two operations.
static void fill_reducer(generator_t *generator, mlir_op_t *op) {
  if (below(generator, 2) == 0) {
    compiler_build_reducer(generator->module, op, CHIP_REDUCER_ADD, TENSOR_F32);
    return;
  }
  mlir_block_t *outer = generator->block;
  generator->block = mlir_block_create(generator->module, &op->regions[0]);
  mlir_value_t *arguments[2];
  for (int i = 0; i < 2; i++) {
    arguments[i] =
        mlir_block_add_argument(generator->module, generator->block, generator->types[4]);
  }
  mlir_value_t *inner[] = {
      add_simple(generator, "stablehlo.add", 2, arguments, generator->types[4]),
      add_constant(generator, generator->types[4])};
  mlir_value_t *result =
      add_simple(generator, "stablehlo.maximum", 2, inner, generator->types[4]);
  finish_block(generator, 1, &result);
  generator->block = outer;
}

// Reduces everything to a scalar.
static void make_reduce(generator_t *generator) {
  mlir_value_t *operands[] = {pick(generator, 0), pick(generator, 4)};
  const int64_t dims[] = {0, 1};
  mlir_op_t *op =
      add_op(generator, "stablehlo.reduce", 2, operands, 1, &generator->types[4], 1);
  set_i64s(generator, &op->results[0], "dimensions", 2, dims);
  fill_reducer(generator, op);
  add_value(generator, &op->results[0]);
}

static void make_all_reduce(generator_t *generator) {
  mlir_value_t *operands[] = {pick(generator, 0), pick(generator, 0)};
  const mlir_type_t *types[] = {generator->types[0], generator->types[0]};
  const int count = 1 + below(generator, 2);
  mlir_op_t *op =
      add_op(generator, "stablehlo.all_reduce", count, operands, count, types, 1);
  const int64_t devices[] = {0, 1}, dims[] = {1, generator->is_open ? 2 : 1};
  const tensor_shape_t shape = tensor_shape_make(TENSOR_S64, 2, dims);
  mlir_op_set_attr(generator->module, op, "replica_groups",
                   mlir_attr_dense(generator->module, &shape, devices, false));
  fill_reducer(generator, op);
  for (int i = 0; i < count; i++) {
    add_value(generator, &op->results[i]);
  }
}

static void make_ops(generator_t *generator, int count);

// A region that may use what is visible, and what it makes itself.
static mlir_block_t *enter_region(generator_t *generator, mlir_op_t *op, int index) {
  mlir_block_t *outer = generator->block;
  generator->block = mlir_block_create(generator->module, &op->regions[index]);
  generator->depth++;
  return outer;
}

static void leave_region(generator_t *generator, mlir_block_t *outer, int value_count) {
  generator->block = outer;
  generator->value_count = value_count;
  generator->depth--;
}

static void add_state(generator_t *generator, const mlir_op_t *op) {
  for (int i = 0; i < op->operand_count; i++) {
    add_value(generator, mlir_block_add_argument(generator->module, generator->block,
                                                 op->operands[i]->type));
  }
}

// Something of that type for the body to return: made in it, another argument, the same
// argument, or from outside.
static mlir_value_t *pick_next(generator_t *generator, const mlir_type_t *type,
                               int index) {
  mlir_block_t *block = generator->block;
  if (below(generator, 3) == 0) {
    const int other = below(generator, block->argument_count);
    for (int i = 0; i < block->argument_count; i++) {
      mlir_value_t *argument = block->arguments[(other + i) % block->argument_count];
      if (argument->type == type) {
        return argument;
      }
    }
    return block->arguments[index];
  }
  for (int i = 0; i < SHAPES; i++) {
    if (generator->types[i] == type) {
      return pick(generator, i);
    }
  }
  abort();
}

static void make_while(generator_t *generator) {
  mlir_value_t *operands[CARRIED_MAX];
  const mlir_type_t *types[CARRIED_MAX];
  const int count = 1 + below(generator, CARRIED_MAX);
  for (int i = 0; i < count; i++) {
    operands[i] =
        i > 0 && below(generator, 3) == 0 ? operands[i - 1] : pick_any(generator);
    types[i] = operands[i]->type;
  }
  mlir_op_t *op = add_op(generator, "stablehlo.while", count, operands, count, types, 2);
  const int visible = generator->value_count;
  mlir_block_t *outer = enter_region(generator, op, 0);
  add_state(generator, op);
  make_ops(generator, 2);
  mlir_value_t *flag = pick(generator, 6);
  finish_block(generator, 1, &flag);
  leave_region(generator, outer, visible);

  outer = enter_region(generator, op, 1);
  add_state(generator, op);
  make_ops(generator, 2 + below(generator, 10));
  mlir_value_t *next[CARRIED_MAX];
  for (int i = 0; i < count; i++) {
    next[i] = pick_next(generator, types[i], i);
  }
  finish_block(generator, count, next);
  leave_region(generator, outer, visible);
  for (int i = 0; i < count; i++) {
    add_value(generator, &op->results[i]);
  }
}

static void make_branches(generator_t *generator) {
  const bool is_if = below(generator, 2) == 0;
  mlir_value_t *selector = pick(generator, is_if ? 6 : 5);
  const int branches = is_if ? 2 : 1 + below(generator, 3);
  int kinds[3];
  const mlir_type_t *types[3];
  const int count = 1 + below(generator, 3);
  for (int i = 0; i < count; i++) {
    kinds[i] = below(generator, SHAPES);
    types[i] = generator->types[kinds[i]];
  }
  mlir_op_t *op = add_op(generator, is_if ? "stablehlo.if" : "stablehlo.case", 1,
                         &selector, count, types, branches);
  for (int b = 0; b < branches; b++) {
    const int visible = generator->value_count;
    mlir_block_t *outer = enter_region(generator, op, b);
    make_ops(generator, below(generator, 6));
    mlir_value_t *results[3];
    for (int i = 0; i < count; i++) {
      results[i] = pick(generator, kinds[i]);
    }
    finish_block(generator, count, results);
    leave_region(generator, outer, visible);
  }
  for (int i = 0; i < count; i++) {
    add_value(generator, &op->results[i]);
  }
}

static void make_ops(generator_t *generator, int count) {
  void (*const plain[])(generator_t *) = {
      make_elementwise, make_elementwise, make_elementwise, make_convert,
      make_reshape,     make_reshape,     make_transpose,   make_update,
      make_update,      make_select,      make_reduce,      make_all_reduce};
  for (int i = 0; i < count && generator->left > 0; i++) {
    const int choice = below(generator, 16);
    if (choice == 0 && generator->depth < DEPTH_MAX) {
      make_while(generator);
    } else if (choice == 1 && generator->depth < DEPTH_MAX) {
      make_branches(generator);
    } else {
      plain[choice % 12](generator);
    }
  }
}

static mlir_module_t *generate(uint64_t seed, int op_count, bool is_open) {
  generator_t generator = {.module = mlir_module_create("random"),
                           .random = {seed},
                           .left = op_count,
                           .is_open = is_open};
  mlir_module_t *module = generator.module;
  compiler_set_kinds(module);
  for (int i = 0; i < SHAPES; i++) {
    generator.types[i] = make_type(module, i);
  }
  mlir_op_t *main = mlir_op_create(module, "func.func", 0, NULL, 0, NULL, 1);
  mlir_op_set_attr(module, main, "sym_name", mlir_attr_string(module, "main"));
  mlir_block_append(mlir_op_block(module->op, 0), main);
  generator.block = mlir_block_create(module, &main->regions[0]);
  const int arguments = is_open ? SHAPES : 1 + below(&generator, 4);
  const mlir_type_t *inputs[SHAPES];
  for (int i = 0; i < arguments; i++) {
    inputs[i] = generator.types[is_open ? i : below(&generator, SHAPES)];
    add_value(&generator, mlir_block_add_argument(module, generator.block, inputs[i]));
  }
  while (generator.left > 0) {
    make_ops(&generator, generator.left);
  }
  mlir_value_t *results[6];
  const mlir_type_t *outputs[6];
  const int count = 1 + below(&generator, 6);
  for (int i = 0; i < count; i++) {
    results[i] = pick_any(&generator);
    outputs[i] = results[i]->type;
  }
  mlir_block_append(generator.block,
                    mlir_op_create(module, "func.return", count, results, 0, NULL, 0));
  mlir_op_set_attr(module, main, "function_type",
                   mlir_attr_type(module, mlir_type_function(module, arguments, inputs,
                                                             count, outputs)));
  free(generator.values);
  return module;
}

mlir_module_t *generate_module(uint64_t seed, int op_count) {
  return generate(seed, op_count, false);
}

mlir_module_t *generate_open_module(uint64_t seed, int op_count) {
  return generate(seed, op_count, true);
}
