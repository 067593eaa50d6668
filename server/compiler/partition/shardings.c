// Which sharding the user has given to which value: arguments, results, constraints,
// manual computations, attributes of operations.

#include "server/compiler/partition/shardings.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/check.h"
#include "common/mlir/diagnostic.h"
#include "common/mlir/walk.h"
#include "server/compiler/dialect/kinds.h"
#include "server/compiler/partition/mesh_translate.h"
#include "server/compiler/verify/processes.h"

// --- The mesh ---

static pod_status_t check_device_count(const mesh_t *mesh, int64_t device_count) {
  if (mesh->device_count == device_count) {
    return NULL;
  }
  pod_text_t axes = {0};
  for (int i = 0; i < mesh->axis_count; i++) {
    pod_text_printf(&axes, "%s\"%s\"=%" PRId64, i == 0 ? "" : ", ", mesh->axes[i].name,
                    mesh->axes[i].size);
  }
  const pod_status_t status = pod_error(
      POD_FAILED_PRECONDITION,
      "the program's mesh @%s [%s] has %" PRId64 " devices, the pod has %" PRId64
      " chips: choose a topology with at least as many chips as the mesh has devices",
      mesh->name, axes.bytes == NULL ? "" : axes.bytes, mesh->device_count, device_count);
  pod_text_deinit(&axes);
  return status;
}

// The mesh of the first sharding in `attr` that has axes; NULL when there is none.
static pod_status_t mesh_of_attr(const shardings_t *shardings, const mlir_attr_t *attr,
                                 const mesh_t **out_mesh) {
  int64_t count;
  sharding_t **list;
  POD_TRY(compiler_parse_shardings(shardings->module, attr, shardings->meshes,
                                   shardings->arena, &count, &list));
  for (int64_t i = 0; i < count && *out_mesh == NULL; i++) {
    *out_mesh = list[i]->mesh->axis_count > 0 ? list[i]->mesh : NULL;
  }
  return NULL;
}

static pod_status_t mesh_of_op(shardings_t *shardings, const mlir_op_t *op,
                               const mesh_t **out_mesh) {
  static const char *const names[] = {"sdy.sharding", "sharding", "in_shardings",
                                      "out_shardings"};
  const bool is_shardy = compiler_is_shardy(op->kind);
  for (size_t i = 0; i < (is_shardy ? POD_COUNT_OF(names) : 1); i++) {
    const mlir_attr_t *attr = mlir_op_attr(op, names[i]);
    if (attr != NULL && *out_mesh == NULL) {
      POD_TRY(mesh_of_attr(shardings, attr, out_mesh));
    }
  }
  return NULL;
}

static pod_status_t mesh_of_surface(shardings_t *shardings, const mlir_op_t *main,
                                    const char *name, const mesh_t **out_mesh) {
  const mlir_attr_t *list = mlir_op_attr(main, name);
  for (int64_t i = 0; mlir_attr_is(list, MLIR_ATTR_ARRAY) && i < list->count; i++) {
    const mlir_attr_t *entry = list->elements[i];
    const mlir_attr_t *attr = mlir_attr_is(entry, MLIR_ATTR_DICTIONARY)
                                  ? mlir_attr_get(entry, "sdy.sharding")
                                  : NULL;
    if (attr != NULL && *out_mesh == NULL) {
      POD_TRY(mesh_of_attr(shardings, attr, out_mesh));
    }
  }
  return NULL;
}

// The first mesh with axes that a sharding of @main is over, declared or written out.
static pod_status_t find_used_mesh(shardings_t *shardings, const mesh_t **out_mesh) {
  const mlir_op_t *main = mlir_module_find_symbol(shardings->module, "main");
  *out_mesh = NULL;
  POD_TRY(mesh_of_surface(shardings, main, "arg_attrs", out_mesh));
  POD_TRY(mesh_of_surface(shardings, main, "res_attrs", out_mesh));
  if (!compiler_may_have_shardy(shardings->module)) {
    return NULL;
  }
  for (const mlir_op_t *op = mlir_walk_first(main); op != NULL && *out_mesh == NULL;
       op = mlir_walk_next(main, op)) {
    POD_TRY(mesh_of_op(shardings, op, out_mesh));
  }
  return NULL;
}

// For a program without shardings: a mesh that it declares for as many devices.
static const mesh_t *find_declared_mesh(const shardings_t *shardings,
                                        int64_t device_count) {
  const compiler_meshes_t *meshes = shardings->meshes;
  for (int i = 0; i < compiler_meshes_count(meshes); i++) {
    const mesh_t *mesh = compiler_meshes_at(meshes, i);
    if (mesh->axis_count > 0 && mesh->device_count == device_count) {
      return mesh;
    }
  }
  return NULL;
}

pod_status_t shardings_count_devices(mlir_module_t *module, pod_arena_t *arena,
                                     int64_t *out_count, const mesh_t **out_mesh) {
  shardings_t shardings = {.module = module, .arena = arena};
  compiler_meshes_t *meshes;
  POD_TRY(compiler_meshes_collect(module, arena, &meshes));
  shardings.meshes = meshes;
  POD_TRY(find_used_mesh(&shardings, out_mesh));
  if (*out_mesh != NULL) {
    *out_count = (*out_mesh)->device_count;
    return NULL;
  }
  const processes_t processes = processes_of(module);
  const int64_t replicas = processes.replicas > 0 ? processes.replicas : 1;
  *out_count = processes.partitions * replicas;
  return NULL;
}

pod_status_t shardings_open(mlir_module_t *module, pod_arena_t *arena,
                            int64_t device_count, shardings_t *out_shardings) {
  shardings_t shardings = {.module = module, .arena = arena};
  compiler_meshes_t *meshes;
  const mlir_attr_t *words = mlir_op_attr(module->op, PROPAGATION_ATTR);
  POD_TRY(propagation_options_parse(
      mlir_attr_is(words, MLIR_ATTR_STRING) ? words->text : NULL,
      &shardings.propagation));
  POD_TRY(compiler_meshes_collect(module, arena, &meshes));
  shardings.meshes = meshes;
  POD_TRY(find_used_mesh(&shardings, &shardings.mesh));
  if (shardings.mesh != NULL) {
    POD_TRY(check_device_count(shardings.mesh, device_count));
  } else {
    shardings.mesh = find_declared_mesh(&shardings, device_count);
  }
  if (shardings.mesh == NULL) {
    const mesh_axis_t axis = {.name = "devices", .size = device_count};
    POD_TRY(mesh_make(arena, "mesh", 1, &axis, NULL, &shardings.mesh));
  }
  shardings.relabelled = pod_arena_alloc(arena, sizeof(*shardings.relabelled));
  *shardings.relabelled = (shardings_relabelled_t){0};
  *out_shardings = shardings;
  return NULL;
}

// A sharding over one device has no dimensions, whatever the value has.
static void bind_rank(const shardings_t *shardings, const tensor_shape_t *shape,
                      sharding_t *sharding) {
  if (sharding->mesh->axis_count == 0 && sharding->rank == 0) {
    sharding->rank = shape->rank;
    sharding->dims =
        pod_arena_array(shardings->arena, (size_t)shape->rank, sizeof(sharding->dims[0]));
  }
}

// The list in axes of the program's mesh. `mesh` is that of the list.
static bool translate_list(const shardings_t *shardings, const mesh_t *mesh,
                           axis_list_t *list) {
  axes_t all = {0};
  for (int i = 0; i < list->count; i++) {
    axes_t axes;
    if (!mesh_translate(mesh, list->refs[i], shardings->mesh, &axes) ||
        all.count + axes.count > AXES_MAX) {
      return false;
    }
    axes_append_all(&all, &axes);
  }
  *list = axes_to_list(shardings->arena, &all);
  return true;
}

static bool translate(const shardings_t *shardings, sharding_t *sharding) {
  const mesh_t *mesh = sharding->mesh;
  bool translated = translate_list(shardings, mesh, &sharding->replicated) &&
                    translate_list(shardings, mesh, &sharding->unreduced);
  for (int d = 0; d < sharding->rank && translated; d++) {
    translated = translate_list(shardings, mesh, &sharding->dims[d].axes);
  }
  return translated;
}

// The mesh over the program's devices under other names, so that axes of the program make
// its axes; NULL when it has other devices. Meshes are few, and what is sharded is much.
static const mesh_t *relabel(const shardings_t *shardings, const mesh_t *mesh) {
  shardings_relabelled_t *known = shardings->relabelled->next;
  while (known != NULL && known->from != mesh) {
    known = known->next;
  }
  if (known == NULL) {
    known = pod_arena_alloc(shardings->arena, sizeof(*known));
    *known = (shardings_relabelled_t){.from = mesh, .next = shardings->relabelled->next};
    if (!mesh_relabel(shardings->arena, mesh, shardings->mesh, &known->to)) {
      known->to = NULL;
    }
    shardings->relabelled->next = known;
  }
  return known->to;
}

// Into axes of the program's mesh; `*out_relabelled`: of these devices instead of those
// that the sharding's own mesh has, else NULL.
static bool find_axes(const shardings_t *shardings, sharding_t *sharding,
                      bool may_be_relabelled, const mesh_t **out_relabelled) {
  *out_relabelled = NULL;
  if (sharding->mesh->axis_count == 0 || mesh_equal(sharding->mesh, shardings->mesh)) {
    return true;
  }
  sharding_t *copy = sharding_copy(shardings->arena, sharding);
  bool found = translate(shardings, copy);
  const mesh_t *relabelled =
      found || !may_be_relabelled ? NULL : relabel(shardings, sharding->mesh);
  if (relabelled != NULL) {
    copy = sharding_copy(shardings->arena, sharding);
    copy->mesh = relabelled;
    found = translate(shardings, copy);
    *out_relabelled = found ? relabelled : NULL;
  }
  if (found) {
    *sharding = *copy;
  }
  return found;
}

static pod_status_t bind_mesh(const shardings_t *shardings, const mlir_op_t *op,
                              const char *what, const tensor_shape_t *shape,
                              bool may_be_relabelled, sharding_t *sharding) {
  bind_rank(shardings, shape, sharding);
  const mesh_t *relabelled;
  if (!find_axes(shardings, sharding, may_be_relabelled, &relabelled)) {
    return mlir_op_error(
        shardings->module, op, POD_UNIMPLEMENTED,
        "%s is sharded over mesh @%s while the program's mesh is @%s: its axes must be "
        "made of axes, or parts of axes, of the program's mesh, over the same devices",
        what, sharding->mesh->name, shardings->mesh->name);
  }
  sharding->mesh = shardings->mesh;
  return NULL;
}

// --- Shardings ---

// Puts the operation, its place, and `what` of it before what is wrong with a sharding.
static pod_status_t at_op(const shardings_t *shardings, const mlir_op_t *op,
                          const char *what, pod_status_t status) {
  if (status == NULL) {
    return NULL;
  }
  const pod_status_t placed =
      mlir_op_error(shardings->module, op, pod_status_code(status), "%s: %s", what,
                    pod_status_message(status));
  pod_status_free(status);
  return placed;
}

// Leaves out axes that make no part smaller: a dimension of one element is as small
// whole.
static void leave_out_idle(sharding_t *sharding, const tensor_shape_t *shape) {
  for (int d = 0; d < sharding->rank; d++) {
    if (shape->dims[d] == 1) {
      sharding->dims[d].axes.count = 0;
    }
  }
}

// Puts what `more` has beyond the sharding's replicated axes behind them.
static void add_replicated(pod_arena_t *arena, sharding_t *sharding, const axes_t *more) {
  axes_t replicated = axes_from_list(&sharding->replicated);
  const axes_t added = axes_without(more, &replicated);
  axes_append_all(&replicated, &added);
  sharding->replicated = axes_to_list(arena, &replicated);
}

// `what` of the operation the sharding is of: "result 0".
static pod_status_t finish(const shardings_t *shardings, sharding_t *sharding,
                           const mlir_op_t *op, const char *what,
                           const tensor_shape_t *shape, const axes_t *manual,
                           const sharding_t **out) {
  POD_TRY(bind_mesh(shardings, op, what, shape, false, sharding));
  POD_TRY(at_op(shardings, op, what, sharding_check(sharding, shape)));
  const axes_t unreduced = axes_from_list(&sharding->unreduced);
  if (axes_overlap(&unreduced, manual)) {
    return mlir_op_error(shardings->module, op, POD_INVALID_ARGUMENT,
                         "%s: an axis is unreduced that is manual here", what);
  }
  for (int d = 0; d < sharding->rank; d++) {
    const axes_t axes = axes_from_list(&sharding->dims[d].axes);
    if (axes_overlap(&axes, manual)) {
      return mlir_op_error(shardings->module, op, POD_INVALID_ARGUMENT,
                           "%s: dimension %d is sharded over an axis that is manual here",
                           what, d);
    }
  }
  add_replicated(shardings->arena, sharding, manual);
  *out = sharding;
  return NULL;
}

// The same for a value within the program, where nobody outside sees the shards.
static pod_status_t finish_within(const shardings_t *shardings, sharding_t *sharding,
                                  const mlir_op_t *op, const char *what,
                                  const tensor_shape_t *shape, const axes_t *manual,
                                  const sharding_t **out) {
  POD_TRY(bind_mesh(shardings, op, what, shape, true, sharding));
  POD_TRY(at_op(shardings, op, what, sharding_check(sharding, shape)));
  if (!shardings->propagation.is_exact) {
    leave_out_idle(sharding, shape);
  }
  return finish(shardings, sharding, op, what, shape, manual, out);
}

pod_status_t shardings_read(const shardings_t *shardings, const mlir_attr_t *attr,
                            const mlir_op_t *op, const tensor_shape_t *shape,
                            const axes_t *manual, const sharding_t **out) {
  sharding_t *sharding;
  POD_TRY(compiler_parse_sharding(shardings->module, attr, shardings->meshes,
                                  shardings->arena, &sharding));
  return finish_within(shardings, sharding, op, "result 0", shape, manual, out);
}

static const char *numbered(const shardings_t *shardings, const char *what, int index) {
  return pod_arena_printf(shardings->arena, "%s %d", what, index);
}

// The shardings of a list, which must be as many as it has to be.
static pod_status_t read_list(const shardings_t *shardings, const mlir_op_t *op,
                              const char *name, int count, sharding_t ***out) {
  int64_t found;
  POD_TRY(compiler_parse_shardings(shardings->module, mlir_op_attr(op, name),
                                   shardings->meshes, shardings->arena, &found, out));
  if (found != count) {
    return mlir_op_error(shardings->module, op, POD_INVALID_ARGUMENT,
                         "expected %d shardings in %s, found %" PRId64, count, name,
                         found);
  }
  return NULL;
}

pod_status_t shardings_read_result(const shardings_t *shardings, const mlir_op_t *op,
                                   int result, const axes_t *manual,
                                   const sharding_t **out) {
  *out = NULL;
  if (mlir_op_attr(op, "sdy.sharding") == NULL) {
    return NULL;
  }
  sharding_t **list;
  POD_TRY(read_list(shardings, op, "sdy.sharding", op->result_count, &list));
  return finish_within(shardings, list[result], op, numbered(shardings, "result", result),
                       &op->results[result].type->shape, manual, out);
}

// The attribute in the dictionary of argument or result `index`.
static const mlir_attr_t *function_attr(const mlir_op_t *function, const char *list_name,
                                        int index) {
  return mlir_attr_get_at(mlir_op_attr(function, list_name), index, "sdy.sharding");
}

static pod_status_t read_function(const shardings_t *shardings, const mlir_op_t *function,
                                  const char *list_name, const char *what, int index,
                                  const tensor_shape_t *shape, const sharding_t **out) {
  static const axes_t none = {0};
  *out = NULL;
  const mlir_attr_t *attr = function_attr(function, list_name, index);
  if (attr == NULL) {
    return NULL;
  }
  sharding_t *sharding;
  POD_TRY(compiler_parse_sharding(shardings->module, attr, shardings->meshes,
                                  shardings->arena, &sharding));
  const char *name = numbered(shardings, what, index);
  POD_TRY(bind_mesh(shardings, function, name, shape, true, sharding));
  return finish(shardings, sharding, function, name, shape, &none, out);
}

pod_status_t shardings_read_order(const shardings_t *shardings, const mlir_op_t *function,
                                  const char *list, int index, pod_arena_t *arena,
                                  const mesh_t **out_mesh) {
  *out_mesh = NULL;
  const mlir_attr_t *attr = function_attr(function, list, index);
  if (attr == NULL) {
    return NULL;
  }
  sharding_t *sharding;
  POD_TRY(compiler_parse_sharding(shardings->module, attr, shardings->meshes,
                                  shardings->arena, &sharding));
  const mesh_t *mesh = sharding->mesh;
  const mesh_t *relabelled, *own = shardings->mesh;
  if (!find_axes(shardings, sharding, true, &relabelled) || relabelled == NULL) {
    return NULL;
  }
  int64_t *ids = pod_arena_array(arena, (size_t)mesh->device_count, sizeof(*ids));
  for (int64_t p = 0; p < mesh->device_count; p++) {
    ids[mesh_position(own, mesh_device(relabelled, p))] = mesh_device(mesh, p);
  }
  return mesh_make(arena, own->name, own->axis_count, own->axes, ids, out_mesh);
}

pod_status_t shardings_read_argument(const shardings_t *shardings,
                                     const mlir_op_t *function, int argument,
                                     const sharding_t **out) {
  const mlir_value_t *value = mlir_op_block(function, 0)->arguments[argument];
  return read_function(shardings, function, "arg_attrs", "argument", argument,
                       &value->type->shape, out);
}

pod_status_t shardings_read_function_result(const shardings_t *shardings,
                                            const mlir_op_t *function, int result,
                                            const sharding_t **out) {
  const mlir_value_t *value = mlir_op_block(function, 0)->last->operands[result];
  return read_function(shardings, function, "res_attrs", "result", result,
                       &value->type->shape, out);
}

// --- Manual computations ---

const sharding_t *shardings_enter(pod_arena_t *arena, const sharding_t *outside,
                                  const axes_t *manual) {
  sharding_t *inside = sharding_copy(arena, outside);
  add_replicated(arena, inside, manual);
  for (int d = 0; d < inside->rank; d++) {
    const axes_t axes = axes_from_list(&outside->dims[d].axes);
    const axes_t left = axes_without(&axes, manual);
    inside->dims[d].axes = axes_to_list(arena, &left);
  }
  const axes_t unreduced = axes_from_list(&outside->unreduced);
  const axes_t summed = axes_without(&unreduced, manual);
  inside->unreduced = axes_to_list(arena, &summed);
  return inside;
}

const sharding_t *shardings_leave(pod_arena_t *arena, const sharding_t *inside,
                                  const sharding_t *outside, const axes_t *manual) {
  sharding_t *result = sharding_copy(arena, outside);
  for (int d = 0; d < result->rank; d++) {
    const axes_t before = axes_from_list(&outside->dims[d].axes);
    const axes_t freed = axes_without(&before, manual);
    axes_t axes = axes_without(&before, &freed);
    const axes_t more = axes_from_list(&inside->dims[d].axes);
    axes_append_all(&axes, &more);
    result->dims[d].axes = axes_to_list(arena, &axes);
  }
  return result;
}

// The manual axes of a dimension come before the others, and what they leave of the
// dimension is the size inside.
static pod_status_t check_inside(const shardings_t *shardings, const mlir_op_t *op,
                                 const char *what, int index, const sharding_t *sharding,
                                 const axes_t *manual, const tensor_shape_t *outside,
                                 const tensor_shape_t *inside) {
  bool matches = inside->rank == outside->rank && inside->dtype == outside->dtype;
  for (int d = 0; d < outside->rank && matches; d++) {
    const axes_t axes = axes_from_list(&sharding->dims[d].axes);
    const axes_t freed = axes_without(&axes, manual);
    const axes_t held = axes_without(&axes, &freed);
    if (!axes_is_prefix(&held, &axes)) {
      return mlir_op_error(shardings->module, op, POD_INVALID_ARGUMENT,
                           "%s %d: the manual axes of dimension %d must come before the "
                           "other ones",
                           what, index, d);
    }
    int64_t whole;  // What the size inside makes; none of a dynamic one.
    matches = inside->dims[d] >= 0 &&
              !__builtin_mul_overflow(inside->dims[d], axes_size(&held), &whole) &&
              whole == outside->dims[d];
  }
  if (matches) {
    return NULL;
  }
  pod_text_t text = {0};
  tensor_shape_print_mlir(&text, inside);
  pod_text_add(&text, " inside is not the part that a device holds of ");
  tensor_shape_print_mlir(&text, outside);
  const pod_status_t status = mlir_op_error(shardings->module, op, POD_INVALID_ARGUMENT,
                                            "%s %d: %s", what, index, text.bytes);
  pod_text_deinit(&text);
  return status;
}

// A manual axis that no dimension has is replicated outside: the body holds the whole of
// it on every device, and no sharding from outside may say otherwise (Shardy's
// manual_axes_cleanup).
static const sharding_t *hold_manual_axes(pod_arena_t *arena, const sharding_t *given,
                                          const axes_t *manual) {
  const axes_t unreduced = axes_from_list(&given->unreduced);
  axes_t unused = axes_without(manual, &unreduced);
  for (int d = 0; d < given->rank; d++) {
    const axes_t used = axes_from_list(&given->dims[d].axes);
    unused = axes_without(&unused, &used);
  }
  sharding_t *held = sharding_copy(arena, given);
  add_replicated(arena, held, &unused);
  return held;
}

// A body has its part of a manual axis as it is: there is no place for padding. Shardy's
// dialect says so: "The manual axes cannot introduce padding".
static pod_status_t check_manual_division(const shardings_t *shardings,
                                          const mlir_op_t *op, const char *what,
                                          int index, const tensor_shape_t *shape,
                                          const sharding_t *sharding,
                                          const axes_t *manual) {
  for (int d = 0; d < shape->rank; d++) {
    const axes_t axes = axes_from_list(&sharding->dims[d].axes);
    const axes_t freed = axes_without(&axes, manual);
    const axes_t held = axes_without(&axes, &freed);
    const int64_t pieces = axes_size(&held);
    if (shape->dims[d] % pieces != 0) {
      return mlir_op_error(shardings->module, op, POD_INVALID_ARGUMENT,
                           "%s %d: dimension %d of %" PRId64
                           " does not divide into %" PRId64
                           " pieces over its manual axes, which must not introduce "
                           "padding (sdy.manual_computation); pad it before, or shard "
                           "another dimension",
                           what, index, d, shape->dims[d], pieces);
    }
  }
  return NULL;
}

static pod_status_t read_manual_list(const shardings_t *shardings, const mlir_op_t *op,
                                     const char *name, int count, const axes_t *around,
                                     const axes_t *manual, const sharding_t ***out) {
  const bool inputs = strcmp(name, "in_shardings") == 0;
  sharding_t **list;
  POD_TRY(read_list(shardings, op, name, count, &list));
  const sharding_t **finished =
      pod_arena_array(shardings->arena, (size_t)count, sizeof(finished[0]));
  for (int i = 0; i < count; i++) {
    const mlir_value_t *outside = inputs ? op->operands[i] : &op->results[i];
    POD_TRY(finish(shardings, list[i], op,
                   numbered(shardings, inputs ? "operand" : "result", i),
                   &outside->type->shape, around, &finished[i]));
    POD_TRY(check_manual_division(shardings, op, inputs ? "operand" : "result", i,
                                  &outside->type->shape, finished[i], manual));
    finished[i] = hold_manual_axes(shardings->arena, finished[i], manual);
  }
  *out = finished;
  return NULL;
}

static pod_status_t check_manual(const shardings_t *shardings, const mlir_op_t *op,
                                 const shardings_manual_t *manual) {
  const mlir_block_t *block = mlir_op_block(op, 0);
  for (int i = 0; i < op->operand_count; i++) {
    POD_TRY(check_inside(shardings, op, "operand", i, manual->inputs[i], &manual->axes,
                         &op->operands[i]->type->shape,
                         &block->arguments[i]->type->shape));
  }
  for (int i = 0; i < op->result_count; i++) {
    POD_TRY(check_inside(shardings, op, "result", i, manual->outputs[i], &manual->axes,
                         &op->results[i].type->shape,
                         &block->last->operands[i]->type->shape));
  }
  return NULL;
}

// The names are those of the mesh that the computation's shardings are over.
static pod_status_t find_manual_mesh(const shardings_t *shardings, const mlir_op_t *op,
                                     const mesh_t **out_mesh) {
  static const char *const names[] = {"in_shardings", "out_shardings"};
  *out_mesh = NULL;
  for (size_t i = 0; i < POD_COUNT_OF(names) && *out_mesh == NULL; i++) {
    if (mlir_op_attr(op, names[i]) != NULL) {
      POD_TRY(mesh_of_attr(shardings, mlir_op_attr(op, names[i]), out_mesh));
    }
  }
  *out_mesh = *out_mesh == NULL ? shardings->mesh : *out_mesh;
  return NULL;
}

static pod_status_t read_manual_axes(const shardings_t *shardings, const mlir_op_t *op,
                                     const axes_t *around, axes_t *out_axes) {
  const mesh_t *mesh;
  POD_TRY(find_manual_mesh(shardings, op, &mesh));
  int count;
  int *indexes;
  POD_TRY(compiler_parse_manual_axes(shardings->module, mlir_op_attr(op, "manual_axes"),
                                     mesh, shardings->arena, &count, &indexes));
  for (int i = 0; i < count; i++) {
    const mesh_axis_t *axis = &mesh->axes[indexes[i]];
    const axis_ref_t whole = {indexes[i], 1, axis->size};
    axis_list_t list = {1, (axis_ref_t *)&whole};
    if (!translate_list(shardings, mesh, &list)) {
      return mlir_op_error(shardings->module, op, POD_UNIMPLEMENTED,
                           "axis \"%s\" of mesh @%s is not made of axes of the program's "
                           "mesh @%s",
                           axis->name, mesh->name, shardings->mesh->name);
    }
    const axes_t axes = axes_from_list(&list);
    if (axes_overlap(around, &axes) || axes_overlap(out_axes, &axes)) {
      return mlir_op_error(shardings->module, op, POD_INVALID_ARGUMENT,
                           "axis \"%s\" is manual already", axis->name);
    }
    axes_append_all(out_axes, &axes);
  }
  return NULL;
}

pod_status_t shardings_read_manual(const shardings_t *shardings, const mlir_op_t *op,
                                   const axes_t *around, const shardings_manual_t **out) {
  const mlir_block_t *block = op->region_count == 1 ? mlir_op_block(op, 0) : NULL;
  if (block == NULL || block->last == NULL ||
      block->argument_count != op->operand_count ||
      block->last->operand_count != op->result_count) {
    return mlir_op_error(shardings->module, op, POD_INVALID_ARGUMENT,
                         "expected a body with an argument for each of %d operands that "
                         "returns %d results",
                         op->operand_count, op->result_count);
  }
  shardings_manual_t *manual = pod_arena_alloc(shardings->arena, sizeof(*manual));
  POD_TRY(read_manual_axes(shardings, op, around, &manual->axes));
  POD_TRY(read_manual_list(shardings, op, "in_shardings", op->operand_count, around,
                           &manual->axes, &manual->inputs));
  POD_TRY(read_manual_list(shardings, op, "out_shardings", op->result_count, around,
                           &manual->axes, &manual->outputs));
  POD_TRY(check_manual(shardings, op, manual));
  *out = manual;
  return NULL;
}
