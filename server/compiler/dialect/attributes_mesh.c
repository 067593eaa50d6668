// Meshes: sdy.mesh, stablehlo.mesh, and those that a module's shardings name.

#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/mlir/diagnostic.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/attributes_private.h"
#include "server/compiler/dialect/kinds.h"

struct compiler_meshes_t {
  int count;
  const mesh_t **in_order;
  const mesh_t **by_name;
};

// Gives a status without a place one.
static pod_status_t with_place(mlir_module_t *module, mlir_position_t position,
                               pod_status_t status) {
  if (status == NULL) {
    return NULL;
  }
  const pod_status_t placed = mlir_error_at(module, position, pod_status_code(status),
                                            "%s", pod_status_message(status));
  pod_status_free(status);
  return placed;
}

// name = "x", size = 2
static pod_status_t parse_named_axis(mlir_parser_t *parser, mesh_axis_t *axis) {
  POD_TRY(mlir_parser_expect(parser, "name"));
  POD_TRY(mlir_parser_expect(parser, "="));
  POD_TRY(mlir_parser_string(parser, &axis->name));
  POD_TRY(mlir_parser_expect(parser, ","));
  POD_TRY(mlir_parser_expect(parser, "size"));
  POD_TRY(mlir_parser_expect(parser, "="));
  return mlir_parser_i64(parser, &axis->size);
}

// "x"=2, or #stablehlo.mesh_axis<name = "x", size = 2>, which MLIR's printer shortens to
// <name = "x", size = 2> within a mesh.
static pod_status_t parse_mesh_axis(mlir_parser_t *parser, mesh_axis_t *axis) {
  if (mlir_parser_accept(parser, "<")) {
    POD_TRY(parse_named_axis(parser, axis));
    return mlir_parser_expect(parser, ">");
  }
  if (!mlir_parser_peek(parser, "#")) {
    POD_TRY(mlir_parser_string(parser, &axis->name));
    POD_TRY(mlir_parser_expect(parser, "="));
    return mlir_parser_i64(parser, &axis->size);
  }
  const mlir_attr_t *attr;
  mlir_parser_t *inner;
  POD_TRY(mlir_parser_attr(parser, &attr));
  POD_TRY(attribute_open(mlir_parser_module(parser), attr, "mesh_axis", &inner));
  POD_TRY(parse_named_axis(inner, axis));
  return attribute_close(inner);
}

static pod_status_t parse_device_ids(mlir_parser_t *parser, int64_t *out_count,
                                     const int64_t **out_ids) {
  if (mlir_parser_peek(parser, "[")) {
    int64_t *ids;
    POD_TRY(mlir_parser_i64_list(parser, out_count, &ids));
    *out_ids = ids;
    return NULL;
  }
  const mlir_attr_t *attr;
  POD_TRY(mlir_parser_attr(parser, &attr));
  if (!mlir_attr_as_i64s(mlir_parser_module(parser), attr, out_count, out_ids)) {
    return mlir_parser_error(parser, "expected a list of device ids");
  }
  return NULL;
}

static pod_status_t check_mesh(mlir_parser_t *parser, mlir_position_t position,
                               const char *name, int axis_count, const mesh_axis_t *axes,
                               int64_t id_count, const int64_t *ids) {
  mlir_module_t *module = mlir_parser_module(parser);
  for (int i = 0; i < axis_count; i++) {
    if (axes[i].name[0] == '\0') {
      return mlir_error_at(module, position, POD_INVALID_ARGUMENT,
                           "axis %d of mesh @%s has no name", i, name);
    }
  }
  if (ids != NULL) {
    int64_t devices = 1;
    for (int i = 0; i < axis_count; i++) {
      // mesh_make has the exact words for sizes that are out of range.
      devices = axes[i].size < 1 || axes[i].size > SHARDING_DEVICES_MAX ||
                        devices > SHARDING_DEVICES_MAX
                    ? id_count
                    : devices * axes[i].size;
    }
    if (id_count != devices) {
      return mlir_error_at(module, position, POD_INVALID_ARGUMENT,
                           "%lld device ids for a mesh of %lld devices",
                           (long long)id_count, (long long)devices);
    }
  }
  return NULL;
}

// Of a program as it is written the ids are a permutation.
static pod_status_t make_mesh(pod_arena_t *arena, const char *name, int axis_count,
                              const mesh_axis_t *axes, int64_t id_count,
                              const int64_t *ids, const mesh_t **out_mesh) {
  for (int64_t i = 0; ids != NULL && i < id_count; i++) {
    if (ids[i] < 0 || ids[i] >= id_count) {
      return pod_error(POD_INVALID_ARGUMENT,
                       "mesh @%s lists device %lld, its devices are 0 to %lld", name,
                       (long long)ids[i], (long long)id_count - 1);
    }
  }
  return mesh_make(arena, name, axis_count, axes, ids, out_mesh);
}

pod_status_t attribute_parse_mesh(mlir_parser_t *parser, const char *name,
                                  pod_arena_t *arena, const mesh_t **out_mesh) {
  const mlir_position_t position = mlir_parser_position(parser);
  mesh_axis_t axes[SHARDING_AXES_MAX];
  int count = 0;
  POD_TRY(mlir_parser_expect(parser, "["));
  if (!mlir_parser_accept(parser, "]")) {
    do {
      if (count == SHARDING_AXES_MAX) {
        return mlir_parser_error(parser, "a mesh of more than %d axes",
                                 SHARDING_AXES_MAX);
      }
      POD_TRY(parse_mesh_axis(parser, &axes[count++]));
    } while (mlir_parser_accept(parser, ","));
    POD_TRY(mlir_parser_expect(parser, "]"));
  }
  int64_t id_count = 0;
  const int64_t *ids = NULL;
  if (mlir_parser_accept(parser, ",")) {
    POD_TRY(mlir_parser_expect(parser, "device_ids"));
    POD_TRY(mlir_parser_expect(parser, "="));
    POD_TRY(parse_device_ids(parser, &id_count, &ids));
  }
  POD_TRY(check_mesh(parser, position, name, count, axes, id_count, ids));
  // A maximal mesh is one device of those that the program has.
  const bool is_maximal = count == 0 && id_count == 1 && ids[0] >= 0;
  return with_place(mlir_parser_module(parser), position,
                    is_maximal
                        ? mesh_make(arena, name, 0, NULL, ids, out_mesh)
                        : make_mesh(arena, name, count, axes, id_count, ids, out_mesh));
}

pod_status_t compiler_parse_mesh(mlir_module_t *module, const mlir_attr_t *attr,
                                 const char *name, pod_arena_t *arena,
                                 const mesh_t **out_mesh) {
  mlir_parser_t *parser;
  const mesh_t *mesh;
  POD_TRY(attribute_open(module, attr, "mesh", &parser));
  if (mlir_parser_accept(parser, "axes")) {  // StableHLO's own.
    POD_TRY(mlir_parser_expect(parser, "="));
  }
  POD_TRY(attribute_parse_mesh(parser, name, arena, &mesh));
  POD_TRY(attribute_close(parser));
  *out_mesh = mesh;
  return NULL;
}

void attribute_print_mesh(pod_text_t *text, const mesh_t *mesh) {
  pod_text_add(text, "[");
  for (int i = 0; i < mesh->axis_count; i++) {
    pod_text_printf(text, "%s\"%s\"=%lld", i > 0 ? ", " : "", mesh->axes[i].name,
                    (long long)mesh->axes[i].size);
  }
  pod_text_add(text, "]");
  for (int64_t i = 0; mesh->device_ids != NULL && i < mesh->device_count; i++) {
    pod_text_printf(text, "%s%lld", i > 0 ? ", " : ", device_ids=[",
                    (long long)mesh->device_ids[i]);
  }
  pod_text_add(text, mesh->device_ids != NULL ? "]" : "");
}

const mlir_attr_t *compiler_make_mesh(mlir_module_t *module, const mesh_t *mesh) {
  pod_text_t text = {0};
  attribute_print_mesh(&text, mesh);
  const mlir_attr_t *attr = mlir_attr_dialect(module, "sdy.mesh", text.bytes);
  pod_text_deinit(&text);
  return attr;
}

static int compare_meshes(const void *a, const void *b) {
  return strcmp((*(const mesh_t *const *)a)->name, (*(const mesh_t *const *)b)->name);
}

static pod_status_t collect_mesh(mlir_module_t *module, const mlir_op_t *op,
                                 pod_arena_t *arena, const mesh_t **out_mesh) {
  const mlir_attr_t *name = mlir_op_attr(op, "sym_name");
  if (!mlir_attr_is(name, MLIR_ATTR_STRING)) {
    return mlir_op_error(module, op, POD_INVALID_ARGUMENT, "has no name");
  }
  return compiler_parse_mesh(module, mlir_op_attr(op, "mesh"), name->text, arena,
                             out_mesh);
}

pod_status_t compiler_meshes_collect(mlir_module_t *module, pod_arena_t *arena,
                                     compiler_meshes_t **out_meshes) {
  const mlir_block_t *block = mlir_op_block(module->op, 0);
  compiler_meshes_t *meshes = pod_arena_alloc(arena, sizeof(*meshes));
  for (const mlir_op_t *op = block->first; op != NULL; op = op->next) {
    meshes->count += op->kind == KIND_SDY_MESH;
  }
  const size_t count = (size_t)meshes->count;
  meshes->in_order = pod_arena_array(arena, count, sizeof(*meshes->in_order));
  int next = 0;
  for (const mlir_op_t *op = block->first; op != NULL; op = op->next) {
    if (op->kind == KIND_SDY_MESH) {
      POD_TRY(collect_mesh(module, op, arena, &meshes->in_order[next++]));
    }
  }
  meshes->by_name =
      pod_arena_copy(arena, meshes->in_order, count * sizeof(*meshes->by_name));
  qsort(meshes->by_name, count, sizeof(*meshes->by_name), compare_meshes);
  for (size_t i = 1; i < count; i++) {
    if (strcmp(meshes->by_name[i - 1]->name, meshes->by_name[i]->name) == 0) {
      return mlir_error_at(module, 0, POD_INVALID_ARGUMENT,
                           "two meshes have the name @%s", meshes->by_name[i]->name);
    }
  }
  *out_meshes = meshes;
  return NULL;
}

const mesh_t *compiler_meshes_find(const compiler_meshes_t *meshes, const char *name) {
  if (meshes == NULL || meshes->count == 0) {
    return NULL;
  }
  const mesh_t key = {.name = name};
  const mesh_t *key_pointer = &key;
  const mesh_t *const *found =
      bsearch(&key_pointer, meshes->by_name, (size_t)meshes->count,
              sizeof(*meshes->by_name), compare_meshes);
  return found == NULL ? NULL : *found;
}

int compiler_meshes_count(const compiler_meshes_t *meshes) {
  return meshes->count;
}

const mesh_t *compiler_meshes_at(const compiler_meshes_t *meshes, int index) {
  POD_CHECK(index >= 0 && index < meshes->count);
  return meshes->in_order[index];
}
