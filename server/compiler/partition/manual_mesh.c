// The names that a mesh gets are the same wherever it is used (mesh_relabel is a function
// of the two meshes), so that what goes in and out lies as the shardings of other values
// over that mesh say.

#include "server/compiler/partition/manual_mesh.h"

#include <string.h>

#include "common/base/check.h"
#include "common/mlir/diagnostic.h"
#include "common/mlir/walk.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/kinds.h"
#include "server/compiler/partition/device_map.h"
#include "server/compiler/partition/mesh_translate.h"
#include "server/compiler/partition/shardings.h"

typedef struct renamer_t {
  mlir_module_t *module;
  pod_arena_t *arena;
  const compiler_meshes_t *meshes;
  const mesh_t *program_mesh;
} renamer_t;

static const char *const list_names[] = {"in_shardings", "out_shardings"};

static pod_status_t read_list(const renamer_t *renamer, const mlir_op_t *op, size_t which,
                              int64_t *out_count, sharding_t ***out_list) {
  *out_count = 0;
  const mlir_attr_t *attr = mlir_op_attr(op, list_names[which]);
  return attr == NULL ? NULL
                      : compiler_parse_shardings(renamer->module, attr, renamer->meshes,
                                                 renamer->arena, out_count, out_list);
}

// The first mesh with axes that the computation's shardings are over; NULL: none.
static pod_status_t find_mesh(const renamer_t *renamer, const mlir_op_t *op,
                              const mesh_t **out_mesh) {
  *out_mesh = NULL;
  for (size_t which = 0; which < POD_COUNT_OF(list_names); which++) {
    int64_t count;
    sharding_t **list;
    POD_TRY(read_list(renamer, op, which, &count, &list));
    for (int64_t i = 0; i < count && *out_mesh == NULL; i++) {
      *out_mesh = list[i]->mesh->axis_count > 0 ? list[i]->mesh : NULL;
    }
  }
  return NULL;
}

// --- Whether the program's axes make what a computation uses ---

static bool has_axes(const renamer_t *renamer, const mesh_t *mesh,
                     const axis_list_t *list) {
  axes_t axes;
  for (int i = 0; i < list->count; i++) {
    if (!mesh_translate(mesh, list->refs[i], renamer->program_mesh, &axes)) {
      return false;
    }
  }
  return true;
}

static bool has_sharding(const renamer_t *renamer, const sharding_t *sharding) {
  const mesh_t *mesh = sharding->mesh;
  bool has = has_axes(renamer, mesh, &sharding->replicated) &&
             has_axes(renamer, mesh, &sharding->unreduced);
  for (int d = 0; d < sharding->rank && has; d++) {
    has = has_axes(renamer, mesh, &sharding->dims[d].axes);
  }
  return has;
}

static pod_status_t has_all(const renamer_t *renamer, const mlir_op_t *op,
                            const mesh_t *mesh, bool *out_has) {
  *out_has = true;
  int axis_count;
  int *indexes;
  POD_TRY(compiler_parse_manual_axes(renamer->module, mlir_op_attr(op, "manual_axes"),
                                     mesh, renamer->arena, &axis_count, &indexes));
  for (int i = 0; i < axis_count; i++) {
    axis_ref_t whole = {indexes[i], 1, mesh->axes[indexes[i]].size};
    *out_has = *out_has && has_axes(renamer, mesh, &(axis_list_t){1, &whole});
  }
  for (size_t which = 0; which < POD_COUNT_OF(list_names); which++) {
    int64_t count;
    sharding_t **list;
    POD_TRY(read_list(renamer, op, which, &count, &list));
    for (int64_t i = 0; i < count; i++) {
      *out_has = *out_has && has_sharding(renamer, list[i]);
    }
  }
  return NULL;
}

// --- Other names ---

static pod_status_t put_over(const renamer_t *renamer, mlir_op_t *op, const mesh_t *from,
                             const mesh_t *to) {
  for (size_t which = 0; which < POD_COUNT_OF(list_names); which++) {
    int64_t count;
    sharding_t **list;
    POD_TRY(read_list(renamer, op, which, &count, &list));
    for (int64_t i = 0; i < count; i++) {
      list[i]->mesh = list[i]->mesh == from ? to : list[i]->mesh;
    }
    if (count > 0) {
      mlir_op_set_attr(renamer->module, op,
                       mlir_intern(renamer->module, list_names[which]),
                       compiler_make_shardings(renamer->module, count,
                                               (const sharding_t *const *)list));
    }
  }
  return NULL;
}

// Those within it, too.
static pod_status_t put_all_over(const renamer_t *renamer, mlir_op_t *op,
                                 const mesh_t *from, const mesh_t *to) {
  POD_TRY(put_over(renamer, op, from, to));
  for (mlir_op_t *inner = mlir_walk_first(op); inner != NULL;
       inner = mlir_walk_next(op, inner)) {
    if (inner->kind != KIND_SDY_MANUAL_COMPUTATION) {
      continue;
    }
    const mesh_t *mesh;
    POD_TRY(find_mesh(renamer, inner, &mesh));
    if (mesh != NULL && !mesh_equal(mesh, from)) {
      return mlir_op_error(
          renamer->module, inner, POD_UNIMPLEMENTED,
          "is over mesh @%s within a manual computation over mesh @%s, whose axes are "
          "not made of those of the program's mesh @%s: nest such computations over one "
          "mesh",
          mesh->name, from->name, renamer->program_mesh->name);
    }
    POD_TRY(mesh == NULL ? NULL : put_over(renamer, inner, mesh, to));
  }
  return NULL;
}

static pod_status_t rename_devices(const renamer_t *renamer, mlir_op_t *op) {
  const mesh_t *mesh, *relabelled;
  POD_TRY(find_mesh(renamer, op, &mesh));
  if (mesh == NULL || mesh_equal(mesh, renamer->program_mesh)) {
    return NULL;
  }
  bool has;
  POD_TRY(has_all(renamer, op, mesh, &has));
  if (has || !mesh_relabel(renamer->arena, mesh, renamer->program_mesh, &relabelled)) {
    return NULL;
  }
  mesh_t written_out = *relabelled;
  written_out.name = "";
  POD_TRY(put_all_over(renamer, op, mesh, &written_out));
  const int64_t count = mesh->device_count;
  int64_t *names = pod_arena_array(renamer->arena, (size_t)count, sizeof(names[0]));
  for (int64_t p = 0; p < count; p++) {
    names[mesh_device(mesh, p)] = mesh_device(relabelled, p);
  }
  return device_map_apply(renamer->module, op, count, names);
}

static bool has_manual(const mlir_op_t *main) {
  for (const mlir_op_t *op = mlir_walk_first(main); op != NULL;
       op = mlir_walk_next(main, op)) {
    if (op->kind == KIND_SDY_MANUAL_COMPUTATION) {
      return true;
    }
  }
  return false;
}

pod_status_t manual_mesh_apply(mlir_module_t *module) {
  mlir_op_t *main = mlir_module_find_symbol(module, "main");
  if (main == NULL || !compiler_may_have_shardy(module) || !has_manual(main)) {
    return NULL;
  }
  renamer_t renamer = {.module = module, .arena = module->arena};
  int64_t devices;
  POD_TRY(
      shardings_count_devices(module, module->arena, &devices, &renamer.program_mesh));
  if (renamer.program_mesh == NULL) {
    return NULL;
  }
  compiler_meshes_t *meshes;
  POD_TRY(compiler_meshes_collect(module, module->arena, &meshes));
  renamer.meshes = meshes;
  mlir_op_t *next;
  for (mlir_op_t *op = mlir_walk_first(main); op != NULL; op = next) {
    const bool is_manual = op->kind == KIND_SDY_MANUAL_COMPUTATION;
    next = is_manual ? mlir_walk_skip(main, op) : mlir_walk_next(main, op);
    POD_TRY(is_manual ? rename_devices(&renamer, op) : NULL);
  }
  return NULL;
}
