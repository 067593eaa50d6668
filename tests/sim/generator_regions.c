// What has a body: loops, branches, and manual computations with the user's collectives.

#include <string.h>

#include "server/chip/program.h"
#include "server/compiler/attributes.h"
#include "server/compiler/reducer.h"
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

// --- Manual computations ---

static bool in_manual(const generator_t *generator) {
  for (int i = 0; i < SHARDING_AXES_MAX; i++) {
    if (generator->is_manual[i]) {
      return true;
    }
  }
  return false;
}

static void set_groups(generator_t *generator, mlir_op_t *op, int axis) {
  pod_arena_t *arena = generator->module->arena;
  axis_ref_t ref = {axis, 1, generator->mesh->axes[axis].size};
  const axis_list_t list = {1, &ref};
  int64_t group_count, group_size;
  const int64_t *ids =
      axis_list_groups(arena, generator->mesh, &list, &group_count, &group_size);
  mlir_op_set_attr(
      generator->module, op, "replica_groups",
      compiler_make_replica_groups(generator->module, group_count, group_size, ids));
  mlir_op_set_attr(generator->module, op, "channel_handle",
                   mlir_attr_dialect(generator->module, "stablehlo.channel_handle",
                                     "handle = 1, type = 1"));
}

// A collective of the user's over one manual axis.
static mlir_value_t *gen_collective(generator_t *generator) {
  int axis = generator_below(generator, generator->mesh->axis_count);
  for (int i = 0; i < generator->mesh->axis_count && !generator->is_manual[axis]; i++) {
    axis = (axis + 1) % generator->mesh->axis_count;
  }
  if (!generator->is_manual[axis]) {
    return NULL;
  }
  mlir_value_t *from = generator_pick_ranked(generator);
  const int64_t size = generator->mesh->axes[axis].size;
  tensor_shape_t to = *shape_of(from);
  const bool gathers = generator_chance(generator, 50);
  if (gathers) {
    to.dims[0] *= size;
  }
  if (tensor_shape_elements(&to) > ELEMENTS_MAX) {
    return NULL;
  }
  mlir_op_t *op =
      generator_make(generator, gathers ? "stablehlo.all_gather" : "stablehlo.all_reduce",
                     1, &from, &to, gathers ? 0 : 1);
  set_groups(generator, op, axis);
  mlir_op_set_attr(generator->module, op, "use_global_device_ids",
                   mlir_attr_unit(generator->module));
  if (gathers) {
    generator_set_integer(generator, op, "all_gather_dim", 0);
    return generator_append(generator, op);
  }
  compiler_build_reducer(generator->module, op, CHIP_REDUCER_ADD, to.dtype);
  return generator_wrap(generator, generator_append(generator, op));
}

// Spreads manual axes over the dimensions: of `global`, where they have to divide, or,
// when `grows`, of what each device holds. Writes the other shape.
static sharding_t *manual_sharding(generator_t *generator, const tensor_shape_t *shape,
                                   bool grows, tensor_shape_t *out_other) {
  pod_arena_t *arena = generator->module->arena;
  sharding_t *sharding = sharding_replicated(arena, generator->mesh, shape->rank, true);
  *out_other = *shape;
  for (int axis = 0; axis < generator->mesh->axis_count; axis++) {
    const int64_t size = generator->mesh->axes[axis].size;
    const int d = generator_below(generator, shape->rank);
    if (!generator->is_manual[axis] ||
        (!grows && (out_other->dims[d] % size != 0 || generator_chance(generator, 30)))) {
      continue;
    }
    axis_list_t *list = &sharding->dims[d].axes;
    axis_ref_t *refs = pod_arena_array(arena, (size_t)list->count + 1, sizeof(refs[0]));
    if (list->count > 0) {
      memcpy(refs, list->refs, (size_t)list->count * sizeof(refs[0]));
    }
    refs[list->count] = (axis_ref_t){axis, 1, size};
    list->refs = refs;
    list->count++;
    out_other->dims[d] = grows ? out_other->dims[d] * size : out_other->dims[d] / size;
  }
  return sharding;
}

static const mlir_attr_t *manual_axes(generator_t *generator) {
  pod_text_t text = {0};
  pod_text_add(&text, "{");
  int count = 0;
  for (int i = 0; i < generator->mesh->axis_count; i++) {
    if (generator->is_manual[i]) {
      pod_text_printf(&text, "%s\"%s\"", count++ > 0 ? ", " : "",
                      generator->mesh->axes[i].name);
    }
  }
  pod_text_add(&text, "}");
  const mlir_attr_t *attr =
      mlir_attr_dialect(generator->module, "sdy.manual_axes", text.bytes);
  pod_text_deinit(&text);
  return attr;
}

// What the body returns: values of few elements, all manual axes in their sharding, so
// that nothing has to be the same on different devices.
static mlir_value_t *pick_returned(generator_t *generator) {
  for (int i = 0; i < 16; i++) {
    mlir_value_t *value = generator_pick_ranked(generator);
    if (tensor_shape_elements(shape_of(value)) * generator->mesh->device_count <=
        ELEMENTS_MAX) {
      return value;
    }
  }
  const int64_t one = 1;
  const tensor_shape_t shape = tensor_shape_make(TENSOR_F32, 1, &one);
  return generator_constant(generator, &shape, true);
}

mlir_value_t *generator_manual(generator_t *generator) {
  if (in_manual(generator)) {
    return gen_collective(generator);
  }
  mlir_module_t *module = generator->module;
  mlir_value_t *operands[] = {generator_pick_ranked(generator),
                              generator_pick_ranked(generator)};
  for (int i = 0; i < generator->mesh->axis_count; i++) {
    generator->is_manual[i] = generator_chance(generator, 60);
  }
  generator->is_manual[generator_below(generator, generator->mesh->axis_count)] = true;
  // The body sees nothing of what is around it.
  mlir_value_t *around_values[VALUES_MAX];
  const int around_count = generator->value_count;
  memcpy(around_values, generator->values, sizeof(around_values));
  mlir_block_t *around = generator->block;
  const mlir_type_t *no_type = operands[0]->type;
  mlir_op_t *op =
      mlir_op_create(module, "sdy.manual_computation", 2, operands, 1, &no_type, 1);
  mlir_block_append(around, op);
  generator->block = mlir_block_create(module, &op->regions[0]);
  generator->value_count = 0;
  const sharding_t *inputs[2];
  for (int i = 0; i < 2; i++) {
    tensor_shape_t local;
    inputs[i] = manual_sharding(generator, shape_of(operands[i]), false, &local);
    generator_keep(generator, mlir_block_add_argument(module, generator->block,
                                                      mlir_type_tensor(module, &local)));
  }
  generator_append_ops(generator, 2 + generator_below(generator, 6));
  mlir_value_t *returned = pick_returned(generator);
  mlir_block_append(generator->block,
                    mlir_op_create(module, "sdy.return", 1, &returned, 0, NULL, 0));
  tensor_shape_t global;
  const sharding_t *output =
      manual_sharding(generator, shape_of(returned), true, &global);
  op->results[0].type = mlir_type_tensor(module, &global);
  mlir_op_set_attr(module, op, "in_shardings",
                   compiler_make_shardings(module, 2, inputs));
  mlir_op_set_attr(module, op, "out_shardings",
                   compiler_make_shardings(module, 1, &output));
  mlir_op_set_attr(module, op, "manual_axes", manual_axes(generator));
  generator->block = around;
  generator->value_count = around_count;
  memcpy(generator->values, around_values, sizeof(around_values));
  memset(generator->is_manual, 0, sizeof(generator->is_manual));
  return &op->results[0];
}
