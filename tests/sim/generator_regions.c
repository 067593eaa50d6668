// What has a body that every device runs: loops and branches.

#include "server/compiler/dialect/attributes.h"
#include "server/program/program.h"
#include "tests/sim/generator_parts.h"

// --- Regions ---

static void end_block(generator_t *generator, int count, mlir_value_t *const *operands) {
  mlir_block_append(
      generator->block,
      mlir_op_create(generator->module, "stablehlo.return", count, operands, 0, NULL, 0));
}

// A value of a type, made of what is in scope.
static mlir_value_t *make_like(generator_t *generator, const tensor_shape_t *shape) {
  mlir_value_t *a = generator_pick_like(generator, shape);
  mlir_value_t *b = generator_pick_like(generator, shape);
  return shape->dtype == TENSOR_PRED
             ? a
             : generator_wrap(generator,
                              generator_binary(generator, "stablehlo.add", a, b));
}

static mlir_value_t *less_than(generator_t *generator, mlir_value_t *a, mlir_value_t *b) {
  const tensor_shape_t decided = tensor_shape_make(TENSOR_PRED, 0, NULL);
  mlir_value_t *operands[] = {a, b};
  mlir_op_t *op =
      generator_make(generator, "stablehlo.compare", 2, operands, &decided, 0);
  mlir_op_set_attr(
      generator->module, op, "comparison_direction",
      stablehlo_make_enum(generator->module, op, "comparison_direction", "LT"));
  return generator_append(generator, op);
}

// Counts to 2 or 3 and carries two values along.
mlir_value_t *generator_while(generator_t *generator) {
  mlir_module_t *module = generator->module;
  mlir_value_t *operands[] = {generator_scalar_constant(generator, TENSOR_S32, 0),
                              generator_pick(generator),
                              generator_pick_ranked(generator)};
  const mlir_type_t *types[] = {operands[0]->type, operands[1]->type, operands[2]->type};
  mlir_op_t *op = mlir_op_create(module, "stablehlo.while", 3, operands, 3, types, 2);
  mlir_block_append(generator->block, op);
  mlir_block_t *around = generator->block;
  const int outer_count = generator->value_count;
  for (int r = 0; r < 2; r++) {
    generator->block = mlir_block_create(module, &op->regions[r]);
    mlir_value_t *arguments[3];
    for (int i = 0; i < 3; i++) {
      arguments[i] = mlir_block_add_argument(module, generator->block, types[i]);
    }
    if (r == 0) {
      mlir_value_t *more =
          less_than(generator, arguments[0],
                    generator_scalar_constant(generator, TENSOR_S32,
                                              2 + generator_below(generator, 2)));
      end_block(generator, 1, &more);
      continue;
    }
    generator_keep(generator, arguments[1]);
    generator_keep(generator, arguments[2]);
    generator_append_ops(generator, 1 + generator_below(generator, 5));
    mlir_value_t *results[] = {
        generator_binary(generator, "stablehlo.add", arguments[0],
                         generator_scalar_constant(generator, TENSOR_S32, 1)),
        make_like(generator, &types[1]->shape), make_like(generator, &types[2]->shape)};
    end_block(generator, 3, results);
  }
  generator->block = around;
  generator->value_count = outer_count;
  generator_keep(generator, &op->results[1]);
  return &op->results[2];
}

mlir_value_t *generator_if(generator_t *generator) {
  mlir_module_t *module = generator->module;
  mlir_value_t *chooser = less_than(
      generator,
      generator_scalar_constant(generator, TENSOR_S32, generator_below(generator, 4)),
      generator_scalar_constant(generator, TENSOR_S32, 2));
  mlir_value_t *like = generator_pick_ranked(generator);
  mlir_op_t *op =
      generator_make(generator, "stablehlo.if", 1, &chooser, shape_of(like), 2);
  mlir_block_append(generator->block, op);
  mlir_block_t *around = generator->block;
  const int outer_count = generator->value_count;
  for (int r = 0; r < 2; r++) {
    generator->block = mlir_block_create(module, &op->regions[r]);
    generator_append_ops(generator, 1 + generator_below(generator, 3));
    mlir_value_t *result = make_like(generator, shape_of(like));
    end_block(generator, 1, &result);
    generator->value_count = outer_count;
  }
  generator->block = around;
  return &op->results[0];
}
