// From a program over whole arrays to the program of one chip.
//
// Every value of the source has, in the new module, one or more versions: the same value
// in different layouts. Operations take the version they work best on
// (partition_choice.c) and make it when it is not there yet (reshard.h); partial results
// of contractions stay partial until something wants them, so that an all_reduce which
// would be cut at once is a reduce_scatter from the start. A version is put where the
// value was made, not where it is used, so that every use has it and a loop does not
// repeat it.

#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/mlir/diagnostic.h"
#include "common/mlir/walk.h"
#include "server/compiler/dialect/kinds.h"
#include "server/compiler/partition/factors.h"
#include "server/compiler/partition/pad.h"
#include "server/compiler/partition/partition.h"
#include "server/compiler/partition/partitioner.h"
#include "server/compiler/partition/roll.h"
#include "server/compiler/partition/single.h"

// --- Blocks ---

// Of its row, or, for a collective within a manual computation, of its own.
static bool has_rule(const partitioner_t *partitioner, const mlir_op_t *op) {
  return compiler_factors_rule(op->kind) != NULL ||
         (op->result_count > 0 &&
          partitioner->propagation.factors[op->results[0].id] != NULL);
}

static pod_status_t partition_op(partitioner_t *partitioner, const mlir_op_t *op) {
  if (op->result_count == 1 && propagate_is_remade(&op->results[0])) {
    partitioner->states[op->results[0].id].home = partitioner->block;
    return NULL;
  }
  roll_t roll;
  if (!partitioner->propagation.is_whole && roll_find(op, &roll)) {
    roll_write(partitioner, op, &roll);
    return NULL;
  }
  if (op->kind == CHIP_OP_SLICE && partitioner->is_rolled != NULL &&
      partitioner->is_rolled[op->results[0].id]) {
    return NULL;
  }
  const int64_t device = single_device_of(partitioner, op);
  if (device >= 0) {
    return single_write(partitioner, op, device);
  }
  switch (op->kind) {
    case CHIP_OP_WHILE:
      return partition_while(partitioner, op);
    case CHIP_OP_CASE:
    case CHIP_OP_IF:
      return partition_branches(partitioner, op);
    case CHIP_OP_OPTIMIZATION_BARRIER:
      return partition_barrier(partitioner, op);
    default:
      break;
  }
  if (compiler_is_row(op->kind)) {
    return has_rule(partitioner, op) && !partitioner->propagation.is_whole
               ? partition_ruled(partitioner, op)
               : partition_verbatim(partitioner, op);
  }
  if (op->kind == KIND_SDY_MANUAL_COMPUTATION) {
    return partition_manual(partitioner, op);
  }
  if (op->kind == KIND_SDY_SHARDING_CONSTRAINT || op->kind == KIND_SDY_RESHARD ||
      op->kind == KIND_SDY_PROPAGATION_BARRIER) {
    return partition_identity(partitioner, op);
  }
  if (op->kind == KIND_SDY_SHARDING_GROUP || op->kind == KIND_INSPECT_SHARDING) {
    return NULL;
  }
  return mlir_op_error(partitioner->source, op, POD_UNIMPLEMENTED,
                       "cannot be partitioned");
}

pod_status_t partition_block(partitioner_t *partitioner, const mlir_block_t *block) {
  for (const mlir_op_t *op = block->first; op != block->last; op = op->next) {
    partitioner->user = op;
    POD_TRY(partition_op(partitioner, op));
  }
  return NULL;
}

// --- @main ---

// A dictionary without what the partitioned program no longer has.
static const mlir_attr_t *without_sharding(mlir_module_t *module,
                                           const mlir_attr_t *dictionary) {
  mlir_named_attr_t *kept =
      pod_arena_array(module->arena, (size_t)dictionary->count, sizeof(kept[0]));
  int64_t count = 0;
  for (int64_t i = 0; i < dictionary->count; i++) {
    if (strcmp(dictionary->entries[i].name, "sdy.sharding") != 0 &&
        strcmp(dictionary->entries[i].name, "mhlo.sharding") != 0) {
      kept[count++] = dictionary->entries[i];
    }
  }
  return mlir_attr_dictionary(module, count, kept);
}

static void strip_list(mlir_module_t *module, mlir_op_t *function, const char *name) {
  const mlir_attr_t *list = mlir_op_attr(function, name);
  if (!mlir_attr_is(list, MLIR_ATTR_ARRAY)) {
    return;
  }
  const mlir_attr_t **stripped =
      pod_arena_array(module->arena, (size_t)list->count, sizeof(stripped[0]));
  bool any = false;
  for (int64_t i = 0; i < list->count; i++) {
    stripped[i] = mlir_attr_is(list->elements[i], MLIR_ATTR_DICTIONARY)
                      ? without_sharding(module, list->elements[i])
                      : list->elements[i];
    any = any || stripped[i]->count > 0;
  }
  mlir_op_remove_attr(function, name);
  if (any) {
    mlir_op_set_attr(module, function, name,
                     mlir_attr_array(module, list->count, stripped));
  }
}

static void copy_attrs(mlir_module_t *module, const mlir_op_t *from, mlir_op_t *to) {
  for (int i = 0; i < from->attr_count; i++) {
    mlir_op_set_attr(module, to, from->attrs[i].name, from->attrs[i].value);
  }
  to->location = from->location;
}

static mlir_op_t *begin_main(partitioner_t *partitioner, const mlir_op_t *main) {
  mlir_module_t *module = partitioner->module;
  copy_attrs(module, partitioner->source->op, module->op);
  // The user's collectives may name their groups by axes of a mesh.
  const mlir_block_t *body = mlir_op_block(partitioner->source->op, 0);
  for (const mlir_op_t *op = body->first; op != NULL; op = op->next) {
    if (op->kind == KIND_SDY_MESH) {
      mlir_block_append(mlir_op_block(module->op, 0),
                        mlir_op_clone(module, op, partitioner->value_map));
    }
  }
  mlir_op_t *function = mlir_op_create(module, main->name, 0, NULL, 0, NULL, 1);
  copy_attrs(module, main, function);
  strip_list(module, function, "arg_attrs");
  strip_list(module, function, "res_attrs");
  mlir_block_append(mlir_op_block(module->op, 0), function);
  partitioner->main_block = mlir_block_create(module, &function->regions[0]);
  partitioner->block = partitioner->main_block;
  return function;
}

// By argument and result, as in compiler_partitioned_t.
typedef struct surface_t {
  const mesh_t **argument_meshes, **result_meshes;
} surface_t;

// The mesh of an argument or result of @main: the program's (NULL) or one of those known,
// so that equal ones are one address.
static pod_status_t read_order(const partitioner_t *partitioner, const mlir_op_t *main,
                               const char *list, int index, size_t known_count,
                               const mesh_t *const *known, const mesh_t **out_mesh) {
  const mesh_t *mesh;
  POD_TRY(shardings_read_order(&partitioner->shardings, main, list, index,
                               partitioner->module->arena, &mesh));
  for (size_t i = 0; mesh != NULL && i < known_count; i++) {
    if (known[i] != NULL && mesh_equal(known[i], mesh)) {
      mesh = known[i];
    }
  }
  *out_mesh = mesh;
  return NULL;
}

static pod_status_t read_surface(const partitioner_t *partitioner, const mlir_op_t *main,
                                 const mlir_block_t *block, surface_t *out) {
  const size_t argument_count = (size_t)block->argument_count;
  const size_t result_count = (size_t)block->last->operand_count;
  const mesh_t **meshes =
      pod_arena_array(partitioner->module->arena, argument_count + result_count,
                      sizeof(out->argument_meshes[0]));
  out->argument_meshes = meshes;
  out->result_meshes = meshes + argument_count;
  for (size_t i = 0; i < argument_count; i++) {
    POD_TRY(read_order(partitioner, main, "arg_attrs", (int)i, i, meshes, &meshes[i]));
  }
  for (size_t i = 0; i < result_count; i++) {
    const size_t at = argument_count + i;
    POD_TRY(read_order(partitioner, main, "res_attrs", (int)i, at, meshes, &meshes[at]));
  }
  return NULL;
}

static void put_arguments(partitioner_t *partitioner, const mlir_block_t *from,
                          const surface_t *surface) {
  for (int i = 0; i < from->argument_count; i++) {
    const mlir_value_t *argument = from->arguments[i];
    const layout_t *layout = partition_value_layout(partitioner, argument);
    const tensor_shape_t local = layout_local_shape(layout, value_shape(argument));
    mlir_value_t *added =
        mlir_block_add_argument(partitioner->module, partitioner->main_block,
                                mlir_type_tensor(partitioner->module, &local));
    added->name =
        argument->name == NULL ? NULL : mlir_intern(partitioner->module, argument->name);
    const mesh_t *mesh = partitioner->mesh;
    partitioner->mesh =
        surface->argument_meshes[i] == NULL ? mesh : surface->argument_meshes[i];
    partition_value_put(partitioner, argument, layout, added);
    partitioner->mesh = mesh;
  }
}

static void end_main(partitioner_t *partitioner, const mlir_op_t *end,
                     const surface_t *surface, mlir_op_t *function) {
  mlir_module_t *module = partitioner->module;
  const size_t result_count = (size_t)end->operand_count;
  mlir_value_t **operands =
      pod_arena_array(module->arena, result_count, sizeof(operands[0]));
  const mlir_type_t **types =
      pod_arena_array(module->arena, result_count, sizeof(types[0]));
  partitioner->user = end;
  for (int i = 0; i < end->operand_count; i++) {
    partition_emit_at(partitioner, end->operands[i]->op);
    const layout_t *layout =
        layouts_of_sharding(&partitioner->layouts, value_shape(end->operands[i])->rank,
                            partitioner->propagation.results[i]);
    const mesh_t *mesh = partitioner->mesh;
    partitioner->mesh =
        surface->result_meshes[i] == NULL ? mesh : surface->result_meshes[i];
    operands[i] = partition_value_get(partitioner, end->operands[i], layout);
    partitioner->mesh = mesh;
    types[i] = operands[i]->type;
  }
  mlir_op_t *returned =
      mlir_op_create(module, end->name, end->operand_count, operands, 0, NULL, 0);
  mlir_block_append(partitioner->main_block, returned);
  const int argument_count = partitioner->main_block->argument_count;
  const mlir_type_t **inputs =
      pod_arena_array(module->arena, (size_t)argument_count, sizeof(inputs[0]));
  for (int i = 0; i < argument_count; i++) {
    inputs[i] = partitioner->main_block->arguments[i]->type;
  }
  mlir_op_set_attr(
      module, function, "function_type",
      mlir_attr_type(module, mlir_type_function(module, argument_count, inputs,
                                                end->operand_count, types)));
}

// --- What the caller gets ---

static void describe(const sharding_t *propagated, const mlir_value_t *value,
                     layouts_t *layouts, const sharding_t **out_sharding,
                     tensor_shape_t *out_shape) {
  *out_shape = *value_shape(value);
  *out_sharding = layouts_to_sharding(
      layouts, layouts_of_sharding(layouts, out_shape->rank, propagated));
}

static void fill_partitioned(partitioner_t *partitioner, const propagation_t *propagation,
                             const mlir_block_t *block, const surface_t *surface,
                             compiler_partitioned_t *out) {
  pod_arena_t *arena = partitioner->module->arena;
  const size_t argument_count = (size_t)block->argument_count;
  const size_t result_count = (size_t)block->last->operand_count;
  *out = (compiler_partitioned_t){.module = partitioner->module,
                                  .arena = arena,
                                  .mesh = partitioner->mesh,
                                  .argument_meshes = surface->argument_meshes,
                                  .result_meshes = surface->result_meshes,
                                  .argument_count = block->argument_count,
                                  .result_count = block->last->operand_count};
  out->argument_shardings =
      pod_arena_array(arena, argument_count, sizeof(out->argument_shardings[0]));
  out->result_shardings =
      pod_arena_array(arena, result_count, sizeof(out->result_shardings[0]));
  out->argument_shapes =
      pod_arena_array(arena, argument_count, sizeof(out->argument_shapes[0]));
  out->result_shapes =
      pod_arena_array(arena, result_count, sizeof(out->result_shapes[0]));
  for (size_t i = 0; i < argument_count; i++) {
    describe(propagation->arguments[i], block->arguments[i], &partitioner->layouts,
             &out->argument_shardings[i], &out->argument_shapes[i]);
  }
  for (size_t i = 0; i < result_count; i++) {
    describe(propagation->results[i], block->last->operands[i], &partitioner->layouts,
             &out->result_shardings[i], &out->result_shapes[i]);
  }
}

static void fill_meshes(const partitioner_t *partitioner, compiler_partitioned_t *out) {
  const compiler_meshes_t *declared = partitioner->shardings.meshes;
  const int count = compiler_meshes_count(declared);
  out->meshes = pod_arena_array(out->arena, 1 + (size_t)count, sizeof(out->meshes[0]));
  out->meshes[out->mesh_count++] = partitioner->mesh;
  for (int i = 0; i < count; i++) {
    const mesh_t *mesh = compiler_meshes_at(declared, i);
    bool is_other = mesh->axis_count > 0 &&
                    mesh->device_count == partitioner->mesh->device_count &&
                    mesh_id_limit(mesh) == mesh_id_limit(partitioner->mesh);
    for (int32_t k = 0; k < out->mesh_count; k++) {
      is_other = is_other && !mesh_equal(mesh, out->meshes[k]);
    }
    if (is_other) {
      out->meshes[out->mesh_count++] = mesh;
    }
  }
}

static const mlir_attr_t *inspection_tag(const mlir_op_t *op) {
  const mlir_attr_t *tag = mlir_op_attr(op, "tag");
  return op->kind == KIND_INSPECT_SHARDING && op->operand_count == 1 &&
                 value_is_tensor(op->operands[0]) && mlir_attr_is(tag, MLIR_ATTR_STRING)
             ? tag
             : NULL;
}

static void fill_inspections(partitioner_t *partitioner, const propagation_t *propagation,
                             const mlir_op_t *main, compiler_partitioned_t *out) {
  if (!mlir_may_have(partitioner->module, "podium.inspect_sharding")) {
    return;
  }
  size_t count = 0;
  for (const mlir_op_t *op = mlir_walk_first(main); op != NULL;
       op = mlir_walk_next(main, op)) {
    count += inspection_tag(op) != NULL;
  }
  out->inspection_tags =
      pod_arena_array(out->arena, count, sizeof(out->inspection_tags[0]));
  out->inspection_shardings =
      pod_arena_array(out->arena, count, sizeof(out->inspection_shardings[0]));
  out->inspection_shapes =
      pod_arena_array(out->arena, count, sizeof(out->inspection_shapes[0]));
  for (const mlir_op_t *op = mlir_walk_first(main); op != NULL;
       op = mlir_walk_next(main, op)) {
    const mlir_attr_t *tag = inspection_tag(op);
    if (tag != NULL) {
      const int32_t i = out->inspection_count++;
      out->inspection_tags[i] = tag;
      describe(propagation->values[op->operands[0]->id], op->operands[0],
               &partitioner->layouts, &out->inspection_shardings[i],
               &out->inspection_shapes[i]);
    }
  }
}

// Channels that the user's collectives have: ours come after them.
static pod_status_t last_channel(mlir_module_t *module, const mlir_op_t *main,
                                 int64_t *out) {
  *out = 0;
  if (!mlir_may_have(module, "channel_handle")) {
    return NULL;
  }
  for (const mlir_op_t *op = mlir_walk_first(main); op != NULL;
       op = mlir_walk_next(main, op)) {
    int64_t handle, type;
    POD_TRY(stablehlo_channel_handle(module, mlir_op_attr(op, "channel_handle"), &handle,
                                     &type));
    *out = handle > *out ? handle : *out;
  }
  return NULL;
}

static void make_room(partitioner_t *partitioner) {
  const size_t value_count = partitioner->source->value_count;
  pod_arena_t *arena = partitioner->module->arena;
  partitioner->states = pod_arena_array(arena, value_count, sizeof(state_t));
  partitioner->value_map = pod_arena_array(arena, value_count, sizeof(mlir_value_t *));
}

// From here on axes divide what they shard. `propagation` is that of the program as it
// came.
static pod_status_t pad(partitioner_t *partitioner, const propagation_t *propagation) {
  partitioner->propagation = *propagation;
  if (pad_is_needed(&partitioner->shardings, propagation)) {
    POD_TRY(pad_program(&partitioner->shardings, propagation, &partitioner->source,
                        &partitioner->propagation));
    partitioner->shardings.module = partitioner->source;
  }
  make_room(partitioner);
  return NULL;
}

static pod_status_t write_program(partitioner_t *partitioner,
                                  const propagation_t *propagation,
                                  surface_t *out_surface) {
  POD_TRY(pad(partitioner, propagation));
  const mlir_op_t *main = mlir_module_find_symbol(partitioner->source, "main");
  const mlir_block_t *block = propagate_main_block(partitioner->source);
  if (!partitioner->propagation.is_whole) {
    partitioner->is_rolled =
        roll_find_slices(partitioner->source, main, partitioner->shardings.arena);
  }
  partitioner->wishes = wishes_find(partitioner, main);
  partitioner->by_device = single_find(partitioner, main);
  POD_TRY(last_channel(partitioner->source, main, &partitioner->channel));
  partitioner->first_channel = partitioner->channel;
  mlir_op_t *function = begin_main(partitioner, main);
  POD_TRY(read_surface(partitioner, main, block, out_surface));
  put_arguments(partitioner, block, out_surface);
  POD_TRY(partition_block(partitioner, block));
  end_main(partitioner, block->last, out_surface, function);
  return NULL;
}

static pod_status_t propagate_all(const shardings_t *shardings, const mlir_op_t *main,
                                  propagation_t *out) {
  POD_TRY(propagate_shardings(shardings, out));
  if (!out->is_whole) {
    sums_propagate(shardings, main, out);
  }
  return NULL;
}

// Everything at the surface of @main is an array.
static pod_status_t check_main(mlir_module_t *module, const mlir_op_t *main,
                               const mlir_block_t *block) {
  if (main == NULL || block == NULL || block->last == NULL) {
    return pod_error(POD_INVALID_ARGUMENT, "%s: the module has no function @main",
                     module->file_name);
  }
  for (int i = 0; i < block->argument_count; i++) {
    if (!value_is_tensor(block->arguments[i])) {
      return mlir_op_error(module, main, POD_UNIMPLEMENTED, "argument %d is no tensor",
                           i);
    }
  }
  for (int i = 0; i < block->last->operand_count; i++) {
    if (!value_is_tensor(block->last->operands[i])) {
      return mlir_op_error(module, main, POD_UNIMPLEMENTED, "result %d is no tensor", i);
    }
  }
  return NULL;
}

pod_status_t compiler_partition(mlir_module_t *module, int64_t device_count,
                                compiler_partitioned_t *out_partitioned) {
  return compiler_partition_for(module, device_count, 0, out_partitioned);
}

pod_status_t compiler_partition_for(mlir_module_t *module, int64_t device_count,
                                    double start_bytes,
                                    compiler_partitioned_t *out_partitioned) {
  const mlir_op_t *main = mlir_module_find_symbol(module, "main");
  const mlir_block_t *block = propagate_main_block(module);
  POD_TRY(check_main(module, main, block));
  mlir_index_lines(module);
  partitioner_t partitioner = {
      .source = module, .module = mlir_module_create_beside(module), .turns = 1};
  pod_arena_t *arena = partitioner.module->arena;
  pod_arena_t *scratch = pod_arena_create();
  pod_status_t status =
      shardings_open(module, arena, device_count, &partitioner.shardings);
  if (status != NULL) {
    goto cleanup;
  }
  partitioner.mesh = partitioner.shardings.mesh;
  partitioner.shardings.arena = scratch;  // The mesh stays with the program.
  layouts_init(&partitioner.layouts, arena, partitioner.mesh);
  partitioner.layouts.start_bytes = start_bytes;
  partitioner.plans = pod_map_create();
  partitioner.choices = pod_map_create();
  surface_t surface;
  propagation_t propagation;
  status = propagate_all(&partitioner.shardings, main, &propagation);
  if (status == NULL) {
    status = write_program(&partitioner, &propagation, &surface);
  }
  if (status != NULL) {
    goto cleanup;
  }
  fill_partitioned(&partitioner, &propagation, block, &surface, out_partitioned);
  fill_meshes(&partitioner, out_partitioned);
  fill_inspections(&partitioner, &propagation, main, out_partitioned);
  out_partitioned->first_channel = partitioner.first_channel;
  out_partitioned->reason_count = partitioner.reasons.count;
  out_partitioned->note_count = partitioner.notes.count;
  out_partitioned->notes =
      pod_arena_copy(arena, (void *)partitioner.notes.items,
                     (size_t)partitioner.notes.count * sizeof(const char *));
  out_partitioned->reasons =
      pod_arena_copy(arena, (void *)partitioner.reasons.items,
                     (size_t)partitioner.reasons.count * sizeof(const char *));
  partitioner.module = NULL;
cleanup:
  pod_list_deinit(&partitioner.reasons);
  pod_list_deinit(&partitioner.notes);
  layouts_deinit(&partitioner.layouts);
  projection_deinit(&partitioner.projection);
  free((void *)partitioner.targets);
  free(partitioner.reducers);
  free(partitioner.factor_axes);
  free(partitioner.candidates);
  free(partitioner.picked);
  pod_map_destroy(partitioner.plans);
  pod_map_destroy(partitioner.choices);
  pod_arena_destroy(scratch);
  mlir_module_destroy(partitioner.module);
  if (partitioner.source != module) {
    mlir_module_destroy(partitioner.source);
  }
  return status;
}
