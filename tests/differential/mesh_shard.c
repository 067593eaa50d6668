// Random shardings for a module.

#include <string.h>

#include "common/base/check.h"
#include "common/mlir/replacements.h"
#include "common/mlir/walk.h"
#include "server/compiler/dialect/attributes.h"
#include "tests/differential/mesh.h"
#include "tests/differential/mesh_sharder.h"

static const mesh_t *make_mesh(mlir_module_t *module, int32_t chip_count,
                               pod_random_t *random) {
  static const int64_t splits[] = {1, 2, 4, 8};
  const uint64_t ways = chip_count == MESH_CHIPS ? 3 : 4;
  const int64_t size = splits[pod_random_below(random, ways)];
  const mesh_axis_t axes[] = {{"x", chip_count / size}, {"y", size}};
  static const int64_t orders[][MESH_CHIPS_MORE] = {
      {0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 3, 2, 7, 6, 5, 4}, {2, 0, 1, 3, 5, 4, 7, 6}};
  const mesh_t *mesh;
  POD_CHECK(mesh_make(module->arena, "mesh", 2, axes,
                      orders[pod_random_below(random, POD_COUNT_OF(orders))],
                      &mesh) == NULL);
  mlir_op_t *op = mlir_op_create(module, "sdy.mesh", 0, NULL, 0, NULL, 0);
  mlir_op_set_attr(module, op, "sym_name", mlir_attr_string(module, "mesh"));
  mlir_op_set_attr(module, op, "mesh", compiler_make_mesh(module, mesh));
  mlir_block_append(mlir_op_block(module->op, 0), op);
  return mesh;
}

// Gives a dimension an axis or a part of one, if it may have it.
static void give(sharder_t *sharder, const mesh_shard_options_t *options,
                 const tensor_shape_t *shape, sharding_t *sharding, axis_ref_t ref) {
  enum { REFS_MAX = 4 };
  const uint64_t d = sharder_below(sharder, (uint64_t)shape->rank);
  axis_list_t *list = &sharding->dims[d].axes;
  if (list->refs == NULL) {
    list->refs = pod_arena_array(sharder->module->arena, REFS_MAX, sizeof(*list->refs));
  }
  const bool is_even = shape->dims[d] % (axis_list_size(list) * ref.size) == 0;
  if (!is_even && (!options->may_be_uneven || shape->dims[d] == 0)) {
    return;
  }
  axis_ref_t *last = list->count > 0 ? &list->refs[list->count - 1] : NULL;
  if (last != NULL && last->axis == ref.axis &&
      last->pre_size * last->size == ref.pre_size) {
    last->size *= ref.size;  // Neighbouring parts are written as one.
  } else {
    list->refs[list->count++] = ref;
  }
}

static const sharding_t *pick(sharder_t *sharder, const mesh_shard_options_t *options,
                              const mlir_type_t *type) {
  const tensor_shape_t *shape = &type->shape;
  sharding_t *sharding = sharding_replicated(sharder->module->arena, sharder->mesh,
                                             shape->rank, sharder_below(sharder, 2) == 0);
  const int count = sharder->mesh->axis_count;
  const int first = options->has_parts && shape->rank > 0
                        ? (int)sharder_below(sharder, (uint64_t)count)
                        : 0;
  for (int i = 0; i < count && shape->rank > 0; i++) {
    const int axis = (first + i) % count;  // Any may be the major one.
    const int64_t size = sharder->mesh->axes[axis].size;
    if (options->has_parts && size > 2 && sharder_below(sharder, 3) == 0) {
      give(sharder, options, shape, sharding, (axis_ref_t){axis, 1, 2});
      give(sharder, options, shape, sharding, (axis_ref_t){axis, 2, size / 2});
    } else {
      give(sharder, options, shape, sharding, (axis_ref_t){axis, 1, size});
    }
  }
  return sharding;
}

// A dictionary with a sharding for most values that can have one, else an empty one.
static const mlir_attr_t *pick_dictionary(sharder_t *sharder,
                                          const mesh_shard_options_t *options,
                                          const mlir_type_t *type) {
  if (type->kind != MLIR_TYPE_TENSOR || sharder_below(sharder, 4) == 0) {
    return mlir_attr_dictionary(sharder->module, 0, NULL);
  }
  const mlir_named_attr_t entry = {
      mlir_intern(sharder->module, "sdy.sharding"),
      compiler_make_sharding(sharder->module, pick(sharder, options, type))};
  return mlir_attr_dictionary(sharder->module, 1, &entry);
}

// The results of a few operations within the function get shardings too.
static void shard_ops(sharder_t *sharder, const mesh_shard_options_t *options,
                      const mlir_block_t *block) {
  for (mlir_op_t *op = block->first; op != block->last; op = op->next) {
    if (op->result_count == 1 && op->results[0].type->kind == MLIR_TYPE_TENSOR &&
        sharder_below(sharder, 6) == 0) {
      const sharding_t *sharding = pick(sharder, options, op->results[0].type);
      mlir_op_set_attr(sharder->module, op, "sdy.sharding",
                       compiler_make_shardings(sharder->module, 1, &sharding));
    }
  }
}

// Whether sizes follow from what the block computes.
static bool has_open_sizes(const mlir_block_t *block) {
  for (const mlir_op_t *op = block->first; op != NULL; op = op->next) {
    for (int i = 0; i < op->result_count; i++) {
      const mlir_type_t *type = op->results[i].type;
      for (int d = 0; type->kind == MLIR_TYPE_TENSOR && d < type->shape.rank; d++) {
        if (type->shape.dims[d] == TENSOR_DYNAMIC) {
          return true;
        }
      }
    }
  }
  return false;
}

// Not for constants and lists of sizes, which are not followed through the body.
static bool may_be_manual(const mlir_op_t *op, bool is_open) {
  if (op->result_count != 1 || op->results[0].type->kind != MLIR_TYPE_TENSOR) {
    return false;
  }
  const tensor_shape_t *shape = &op->results[0].type->shape;
  return strcmp(op->name, "stablehlo.constant") != 0 &&
         !(is_open && shape->rank <= 1 && tensor_dtype_is_integer(shape->dtype));
}

// Puts manual computations behind the results of some operations; what follows reads
// theirs.
static void insert_manual(sharder_t *sharder, mlir_block_t *block) {
  mlir_replacements_t replacements = {0};
  const bool is_open = has_open_sizes(block);
  for (mlir_op_t *op = block->first; op != NULL; op = op->next) {
    mlir_replacements_apply(&replacements, op);
    for (mlir_op_t *inner = mlir_walk_first(op); inner != NULL;
         inner = mlir_walk_next(op, inner)) {
      mlir_replacements_apply(&replacements, inner);
    }
    if (op == block->last || !may_be_manual(op, is_open) ||
        sharder_below(sharder, 5) != 0) {
      continue;
    }
    mlir_op_t *manual = mesh_manual_identity(sharder, &op->results[0]);
    if (manual != NULL) {
      mlir_block_insert_before(op->next, manual);
      mlir_replacements_put(&replacements, &op->results[0], &manual->results[0]);
      op = manual;
    }
  }
  mlir_replacements_deinit(&replacements);
}

static void shard_surface(sharder_t *sharder, const mesh_shard_options_t *options) {
  mlir_module_t *module = sharder->module;
  mlir_op_t *function = mlir_module_find_symbol(module, "main");
  mlir_block_t *block = mlir_op_block(function, 0);
  const int count = block->argument_count, result_count = block->last->operand_count;
  const mlir_attr_t **attrs =
      pod_arena_array(module->arena, (size_t)(count + result_count + 1), sizeof(*attrs));
  for (int i = 0; i < count; i++) {
    attrs[i] = pick_dictionary(sharder, options, block->arguments[i]->type);
  }
  for (int i = 0; i < result_count; i++) {
    attrs[count + i] = pick_dictionary(sharder, options, block->last->operands[i]->type);
  }
  mlir_op_set_attr(module, function, "arg_attrs", mlir_attr_array(module, count, attrs));
  mlir_op_set_attr(module, function, "res_attrs",
                   mlir_attr_array(module, result_count, attrs + count));
}

void mesh_shard(mlir_module_t *module, const mesh_shard_options_t *options,
                uint64_t seed) {
  if (mlir_module_find_symbol(module, "mesh") != NULL) {
    return;
  }
  sharder_t sharder = {.module = module, .random = {.state = seed}};
  sharder.mesh = make_mesh(module, options->chip_count, &sharder.random);
  shard_surface(&sharder, options);
  for (mlir_op_t *op = mlir_op_block(module->op, 0)->first; op != NULL; op = op->next) {
    if (strcmp(op->name, "func.func") == 0) {
      shard_ops(&sharder, options, mlir_op_block(op, 0));
      if (options->is_manual) {
        insert_manual(&sharder, mlir_op_block(op, 0));
      }
    }
  }
}
