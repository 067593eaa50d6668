// Meshes, shardings and replica groups.

#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "common/base/text.h"
#include "common/mlir/diagnostic.h"
#include "common/mlir/parser.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/attributes_private.h"
#include "server/compiler/dialect/kinds.h"

// Sub-axes are of size 2 at least, so that an axis below 2^16 has at most 16 of them.
enum { USES_MAX = 32 * SHARDING_AXES_MAX };

// --- Meshes ---

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

// [axes], device_ids=[…]; the parser stands on the bracket.
static pod_status_t parse_mesh(mlir_parser_t *parser, const char *name,
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
  // A maximal mesh is one device, whichever: a value that only it needs to hold is one
  // that all may.
  if (count == 0 && id_count == 1 && ids[0] >= 0) {
    ids = NULL;
  }
  return with_place(mlir_parser_module(parser), position,
                    make_mesh(arena, name, count, axes, id_count, ids, out_mesh));
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
  POD_TRY(parse_mesh(parser, name, arena, &mesh));
  POD_TRY(attribute_close(parser));
  *out_mesh = mesh;
  return NULL;
}

static void print_mesh(pod_text_t *text, const mesh_t *mesh) {
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
  print_mesh(&text, mesh);
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

// --- Axes ---

// The axes that a sharding has used so far.
typedef struct uses_t {
  pod_arena_t *arena;
  const mesh_t *mesh;
  int count;
  axis_ref_t refs[USES_MAX];
} uses_t;

static bool overlap(axis_ref_t a, axis_ref_t b) {
  return a.axis == b.axis && a.pre_size < b.pre_size * b.size &&
         b.pre_size < a.pre_size * a.size;
}

static pod_status_t use_axis(mlir_parser_t *parser, mlir_position_t position,
                             uses_t *uses, axis_ref_t ref) {
  for (int i = 0; i < uses->count; i++) {
    if (overlap(uses->refs[i], ref) ||
        (uses->refs[i].axis == ref.axis && ref.size == 1)) {
      return mlir_parser_error_at(parser, position, "axis \"%s\" is used twice",
                                  uses->mesh->axes[ref.axis].name);
    }
  }
  if (uses->count == USES_MAX) {
    return mlir_parser_error_at(parser, position, "more than %d axes", USES_MAX);
  }
  uses->refs[uses->count++] = ref;
  return NULL;
}

static pod_status_t unknown_axis(mlir_parser_t *parser, mlir_position_t position,
                                 const mesh_t *mesh, const char *name) {
  pod_text_t axes = {0};
  for (int i = 0; i < mesh->axis_count; i++) {
    pod_text_printf(&axes, "%s\"%s\"", i > 0 ? ", " : "", mesh->axes[i].name);
  }
  const pod_status_t status =
      mlir_parser_error_at(parser, position, "mesh @%s has no axis \"%s\"; it has %s",
                           mesh->name, name, axes.bytes == NULL ? "none" : axes.bytes);
  pod_text_deinit(&axes);
  return status;
}

// (2)4: of an axis of size 2·4·n, the part of size 4 behind the first 2.
static pod_status_t parse_sub_axis(mlir_parser_t *parser, const mesh_t *mesh,
                                   axis_ref_t *ref) {
  const mlir_position_t position = mlir_parser_position(parser);
  const int64_t whole = mesh->axes[ref->axis].size;
  POD_TRY(mlir_parser_expect(parser, "("));
  POD_TRY(mlir_parser_i64(parser, &ref->pre_size));
  POD_TRY(mlir_parser_expect(parser, ")"));
  POD_TRY(mlir_parser_i64(parser, &ref->size));
  if (ref->pre_size < 1 || ref->size < 2 || ref->pre_size > whole || ref->size > whole ||
      whole % (ref->pre_size * ref->size) != 0) {
    return mlir_parser_error_at(parser, position,
                                "(%lld)%lld is no part of axis \"%s\" of size %lld",
                                (long long)ref->pre_size, (long long)ref->size,
                                mesh->axes[ref->axis].name, (long long)whole);
  }
  return NULL;
}

static pod_status_t find_axis(mlir_parser_t *parser, mlir_position_t position,
                              const mesh_t *mesh, const char *name, axis_ref_t *ref) {
  ref->axis = mesh_find_axis(mesh, name, strlen(name));
  if (ref->axis < 0) {
    return unknown_axis(parser, position, mesh, name);
  }
  ref->pre_size = 1;
  ref->size = mesh->axes[ref->axis].size;
  return NULL;
}

// "x", or "x":(1)2
static pod_status_t parse_axis(mlir_parser_t *parser, uses_t *uses, axis_ref_t *out_ref) {
  const mlir_position_t position = mlir_parser_position(parser);
  const char *name;
  POD_TRY(mlir_parser_string(parser, &name));
  POD_TRY(find_axis(parser, position, uses->mesh, name, out_ref));
  if (mlir_parser_accept(parser, ":")) {
    POD_TRY(parse_sub_axis(parser, uses->mesh, out_ref));
  }
  return use_axis(parser, position, uses, *out_ref);
}

// From `first` on, what has been used lately is a list.
static axis_list_t take_uses(const uses_t *uses, int first) {
  const size_t count = (size_t)(uses->count - first);
  return (axis_list_t){(int)count, pod_arena_copy(uses->arena, uses->refs + first,
                                                  count * sizeof(uses->refs[0]))};
}

// {"x", "y"}
static pod_status_t parse_axis_list(mlir_parser_t *parser, uses_t *uses,
                                    axis_list_t *out_list) {
  const int first = uses->count;
  POD_TRY(mlir_parser_expect(parser, "{"));
  if (!mlir_parser_accept(parser, "}")) {
    do {
      axis_ref_t ref;
      POD_TRY(parse_axis(parser, uses, &ref));
    } while (mlir_parser_accept(parser, ","));
    POD_TRY(mlir_parser_expect(parser, "}"));
  }
  *out_list = take_uses(uses, first);
  return NULL;
}

// --- Shardings ---

static pod_status_t parse_priority(mlir_parser_t *parser, int *out_priority) {
  *out_priority = 0;
  if (!mlir_parser_peek_identifier(parser)) {
    return NULL;
  }
  const mlir_position_t position = mlir_parser_position(parser);
  const char *word;
  POD_TRY(mlir_parser_identifier(parser, &word));
  int value = 0;
  const char *digit = word + 1;
  while (*digit >= '0' && *digit <= '9' && value < 100000) {
    value = 10 * value + (*digit++ - '0');
  }
  const bool has_leading_zero = word[0] == 'p' && word[1] == '0' && word[2] != '\0';
  if (word[0] != 'p' || digit == word + 1 || *digit != '\0' || has_leading_zero) {
    return mlir_parser_error_at(parser, position, "expected a priority, as p1");
  }
  *out_priority = value;
  return NULL;
}

// {"x", "y", ?}p1
static pod_status_t parse_dim(mlir_parser_t *parser, uses_t *uses, dim_sharding_t *dim) {
  const int first = uses->count;
  POD_TRY(mlir_parser_expect(parser, "{"));
  bool is_first = true;
  while (!mlir_parser_accept(parser, "}")) {
    if (!is_first) {
      POD_TRY(mlir_parser_expect(parser, ","));
    }
    is_first = false;
    if (mlir_parser_accept(parser, "?")) {
      dim->is_open = true;
      POD_TRY(mlir_parser_expect(parser, "}"));
      break;
    }
    axis_ref_t ref;
    POD_TRY(parse_axis(parser, uses, &ref));
  }
  dim->axes = take_uses(uses, first);
  const mlir_position_t position = mlir_parser_position(parser);
  POD_TRY(parse_priority(parser, &dim->priority));
  if (dim->priority > 0 && dim->axes.count == 0 && !dim->is_open) {
    return mlir_parser_error_at(
        parser, position, "a dimension without axes that is closed has no priority");
  }
  return NULL;
}

// @mesh, or mesh<["x"=2]>
static pod_status_t parse_mesh_or_name(mlir_parser_t *parser,
                                       const compiler_meshes_t *meshes,
                                       pod_arena_t *arena, const mesh_t **out_mesh) {
  if (mlir_parser_accept(parser, "mesh")) {
    POD_TRY(mlir_parser_expect(parser, "<"));
    POD_TRY(parse_mesh(parser, "", arena, out_mesh));
    return mlir_parser_expect(parser, ">");
  }
  const mlir_position_t position = mlir_parser_position(parser);
  const char *name;
  POD_TRY(mlir_parser_symbol(parser, &name));
  *out_mesh = compiler_meshes_find(meshes, name);
  if (*out_mesh == NULL) {
    return mlir_parser_error_at(parser, position, "the module has no mesh @%s", name);
  }
  return NULL;
}

// , replicated={…}, unreduced={…}
static pod_status_t parse_other_axes(mlir_parser_t *parser, uses_t *uses,
                                     sharding_t *sharding) {
  bool has_replicated = false, has_unreduced = false;
  while (mlir_parser_accept(parser, ",")) {
    if (!has_replicated && mlir_parser_accept(parser, "replicated")) {
      has_replicated = true;
      POD_TRY(mlir_parser_expect(parser, "="));
      POD_TRY(parse_axis_list(parser, uses, &sharding->replicated));
      continue;
    }
    if (has_unreduced || !mlir_parser_accept(parser, "unreduced")) {
      return mlir_parser_error(parser, "expected replicated={…} or unreduced={…}");
    }
    has_unreduced = true;
    POD_TRY(mlir_parser_expect(parser, "="));
    if (mlir_parser_peek(parser, "max") || mlir_parser_peek(parser, "min")) {
      return mlir_error_at(mlir_parser_module(parser), mlir_parser_position(parser),
                           POD_UNIMPLEMENTED, "unreduced axes can only be summed");
    }
    mlir_parser_accept(parser, "sum");
    POD_TRY(parse_axis_list(parser, uses, &sharding->unreduced));
  }
  return NULL;
}

static pod_status_t parse_dims(mlir_parser_t *parser, uses_t *uses,
                               sharding_t *sharding) {
  dim_sharding_t dims[TENSOR_RANK_MAX] = {0};
  POD_TRY(mlir_parser_expect(parser, "["));
  if (!mlir_parser_accept(parser, "]")) {
    do {
      if (sharding->rank == TENSOR_RANK_MAX) {
        return mlir_parser_error(parser, "more than %d dimensions", TENSOR_RANK_MAX);
      }
      POD_TRY(parse_dim(parser, uses, &dims[sharding->rank++]));
    } while (mlir_parser_accept(parser, ","));
    POD_TRY(mlir_parser_expect(parser, "]"));
  }
  sharding->dims =
      pod_arena_copy(uses->arena, dims, (size_t)sharding->rank * sizeof(dims[0]));
  return NULL;
}

// @mesh, [{"x"}, {?}], replicated={…}, unreduced={…}
static pod_status_t parse_sharding(mlir_parser_t *parser, const compiler_meshes_t *meshes,
                                   pod_arena_t *arena, sharding_t **out_sharding) {
  uses_t uses = {.arena = arena};
  sharding_t *sharding = pod_arena_alloc(arena, sizeof(*sharding));
  POD_TRY(parse_mesh_or_name(parser, meshes, arena, &sharding->mesh));
  uses.mesh = sharding->mesh;
  POD_TRY(mlir_parser_expect(parser, ","));
  POD_TRY(parse_dims(parser, &uses, sharding));
  POD_TRY(parse_other_axes(parser, &uses, sharding));
  *out_sharding = sharding;
  return NULL;
}

// <…>, or in full #sdy.sharding<…>
static pod_status_t parse_listed_sharding(mlir_parser_t *parser,
                                          const compiler_meshes_t *meshes,
                                          pod_arena_t *arena, sharding_t **out_sharding) {
  if (!mlir_parser_peek(parser, "#")) {
    POD_TRY(mlir_parser_expect(parser, "<"));
    POD_TRY(parse_sharding(parser, meshes, arena, out_sharding));
    return mlir_parser_expect(parser, ">");
  }
  const mlir_attr_t *attr;
  mlir_parser_t *inner;
  POD_TRY(mlir_parser_attr(parser, &attr));
  POD_TRY(attribute_open(mlir_parser_module(parser), attr, "sharding", &inner));
  POD_TRY(parse_sharding(inner, meshes, arena, out_sharding));
  return attribute_close(inner);
}

// [<…>, <…>]
static pod_status_t parse_sharding_list(mlir_parser_t *parser,
                                        const compiler_meshes_t *meshes,
                                        pod_arena_t *arena, int64_t *out_count,
                                        sharding_t ***out_shardings) {
  sharding_t **shardings = NULL;
  int64_t count = 0, capacity = 0;
  POD_TRY(mlir_parser_expect(parser, "["));
  if (!mlir_parser_accept(parser, "]")) {
    do {
      if (count == capacity) {
        capacity = 2 * capacity + 4;
        sharding_t **grown = pod_arena_array(arena, (size_t)capacity, sizeof(*grown));
        if (count > 0) {
          memcpy(grown, shardings, (size_t)count * sizeof(*grown));
        }
        shardings = grown;
      }
      POD_TRY(parse_listed_sharding(parser, meshes, arena, &shardings[count++]));
    } while (mlir_parser_accept(parser, ","));
    POD_TRY(mlir_parser_expect(parser, "]"));
  }
  *out_count = count;
  *out_shardings = shardings;
  return attribute_close(parser);
}

pod_status_t compiler_parse_shardings(mlir_module_t *module, const mlir_attr_t *attr,
                                      const compiler_meshes_t *meshes, pod_arena_t *arena,
                                      int64_t *out_count, sharding_t ***out_shardings) {
  mlir_parser_t *parser;
  if (attribute_is(attr, "sharding_per_value")) {
    POD_TRY(attribute_open(module, attr, "sharding_per_value", &parser));
    return parse_sharding_list(parser, meshes, arena, out_count, out_shardings);
  }
  POD_TRY(attribute_open(module, attr, "sharding", &parser));
  sharding_t **single = pod_arena_alloc(arena, sizeof(*single));
  POD_TRY(parse_sharding(parser, meshes, arena, single));
  POD_TRY(attribute_close(parser));
  *out_count = 1;
  *out_shardings = single;
  return NULL;
}

pod_status_t compiler_parse_sharding(mlir_module_t *module, const mlir_attr_t *attr,
                                     const compiler_meshes_t *meshes, pod_arena_t *arena,
                                     sharding_t **out_sharding) {
  int64_t count;
  sharding_t **shardings;
  POD_TRY(compiler_parse_shardings(module, attr, meshes, arena, &count, &shardings));
  if (count != 1) {
    return mlir_error_at(module, attr->position, POD_INVALID_ARGUMENT,
                         "%lld shardings where one is expected", (long long)count);
  }
  *out_sharding = shardings[0];
  return NULL;
}

// `<@mesh, […]>`; a mesh without a name is written out.
static void print_sharding(pod_text_t *text, const sharding_t *sharding) {
  const size_t start = text->length;
  sharding_print(text, sharding);
  if (sharding->mesh->name[0] != '\0') {
    return;
  }
  const char *rest = strchr(text->bytes + start, ',');
  POD_CHECK(rest != NULL);
  char *dims = pod_strdup(rest);
  text->length = start;
  pod_text_add(text, "<mesh<");
  print_mesh(text, sharding->mesh);
  pod_text_add(text, ">");
  pod_text_add(text, dims);
  free(dims);
}

const mlir_attr_t *compiler_make_sharding(mlir_module_t *module,
                                          const sharding_t *sharding) {
  pod_text_t text = {0};
  print_sharding(&text, sharding);
  text.bytes[text.length - 1] = '\0';  // Without the < and >.
  const mlir_attr_t *attr = mlir_attr_dialect(module, "sdy.sharding", text.bytes + 1);
  pod_text_deinit(&text);
  return attr;
}

const mlir_attr_t *compiler_make_shardings(mlir_module_t *module, int64_t count,
                                           const sharding_t *const *shardings) {
  pod_text_t text = {0};
  pod_text_add(&text, "[");
  for (int64_t i = 0; i < count; i++) {
    pod_text_add(&text, i > 0 ? ", " : "");
    print_sharding(&text, shardings[i]);
  }
  pod_text_add(&text, "]");
  const mlir_attr_t *attr =
      mlir_attr_dialect(module, "sdy.sharding_per_value", text.bytes);
  pod_text_deinit(&text);
  return attr;
}

pod_status_t compiler_parse_manual_axes(mlir_module_t *module, const mlir_attr_t *attr,
                                        const mesh_t *mesh, pod_arena_t *arena,
                                        int *out_count, int **out_axes) {
  uses_t uses = {.arena = arena, .mesh = mesh};
  mlir_parser_t *parser;
  POD_TRY(attribute_open(module, attr, "manual_axes", &parser));
  POD_TRY(mlir_parser_expect(parser, "{"));
  if (!mlir_parser_accept(parser, "}")) {
    do {
      const mlir_position_t position = mlir_parser_position(parser);
      const char *name;
      axis_ref_t ref;
      POD_TRY(mlir_parser_string(parser, &name));
      POD_TRY(find_axis(parser, position, mesh, name, &ref));
      POD_TRY(use_axis(parser, position, &uses, ref));
    } while (mlir_parser_accept(parser, ","));
    POD_TRY(mlir_parser_expect(parser, "}"));
  }
  POD_TRY(attribute_close(parser));
  int *axes = pod_arena_array(arena, (size_t)uses.count, sizeof(*axes));
  for (int i = 0; i < uses.count; i++) {
    axes[i] = uses.refs[i].axis;
  }
  *out_count = uses.count;
  *out_axes = axes;
  return NULL;
}

// --- Replica groups ---

static pod_status_t check_ids(mlir_module_t *module, const mlir_attr_t *attr,
                              int64_t count, const int64_t *ids) {
  // Most groups are small and of small numbers: their bits need no memory of their own.
  uint64_t few[16] = {0};
  int64_t largest = 0;
  for (int64_t i = 0; i < count; i++) {
    largest = ids[i] > largest ? ids[i] : largest;
  }
  uint64_t *seen = largest < (int64_t)sizeof(few) * 8
                       ? few
                       : pod_alloc(SHARDING_DEVICES_MAX / 64 * sizeof(*seen));
  pod_status_t status = NULL;
  for (int64_t i = 0; status == NULL && i < count; i++) {
    if (ids[i] == -1) {
      status = mlir_error_at(module, attr->position, POD_UNIMPLEMENTED,
                             "groups of different sizes are not supported");
    } else if (ids[i] < 0 || ids[i] >= SHARDING_DEVICES_MAX) {
      status = mlir_error_at(module, attr->position, POD_INVALID_ARGUMENT,
                             "'replica_groups' names %lld; ids are 0 to %d",
                             (long long)ids[i], SHARDING_DEVICES_MAX - 1);
    } else if ((seen[ids[i] / 64] >> (ids[i] % 64) & 1) != 0) {
      status = mlir_error_at(module, attr->position, POD_INVALID_ARGUMENT,
                             "device %lld is in the groups twice", (long long)ids[i]);
    } else {
      seen[ids[i] / 64] |= UINT64_C(1) << (ids[i] % 64);
    }
  }
  if (seen != few) {
    free(seen);
  }
  return status;
}

static pod_status_t read_dense_groups(mlir_module_t *module, const mlir_attr_t *attr,
                                      pod_arena_t *arena, compiler_groups_t *out) {
  const tensor_shape_t *shape = &attr->type->shape;
  int64_t count;
  const int64_t *ids;
  if (shape->rank != 2 || tensor_shape_elements(shape) > SHARDING_DEVICES_MAX ||
      !mlir_attr_as_i64s(module, attr, &count, &ids)) {
    return mlir_error_at(module, attr->position, POD_INVALID_ARGUMENT,
                         "expected replica groups as dense<…> : tensor<groups x size x "
                         "i64> of at most %d devices",
                         SHARDING_DEVICES_MAX);
  }
  POD_TRY(check_ids(module, attr, count, ids));
  *out = (compiler_groups_t){0};
  if (count > 0) {
    out->group_count = shape->dims[0];
    out->group_size = shape->dims[1];
    out->ids = pod_arena_copy(arena, ids, (size_t)count * sizeof(*ids));
  }
  return NULL;
}

// #stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>
static pod_status_t parse_axis_ref(mlir_parser_t *parser, uses_t *uses) {
  const mlir_attr_t *attr;
  mlir_parser_t *inner;
  axis_ref_t ref;
  const char *name;
  const mlir_position_t position = mlir_parser_position(parser);
  POD_TRY(mlir_parser_attr(parser, &attr));
  POD_TRY(attribute_open(mlir_parser_module(parser), attr, "axis_ref", &inner));
  POD_TRY(mlir_parser_expect(inner, "name"));
  POD_TRY(mlir_parser_expect(inner, "="));
  const mlir_position_t name_position = mlir_parser_position(inner);
  POD_TRY(mlir_parser_string(inner, &name));
  POD_TRY(find_axis(inner, name_position == 0 ? position : name_position, uses->mesh,
                    name, &ref));
  if (mlir_parser_accept(inner, ",")) {
    POD_TRY(mlir_parser_expect(inner, "sub_axis_info"));
    POD_TRY(mlir_parser_expect(inner, "="));
    POD_TRY(parse_sub_axis(inner, uses->mesh, &ref));
  }
  POD_TRY(attribute_close(inner));
  return use_axis(parser, position, uses, ref);
}

// mesh = @mesh, or mesh = #stablehlo.mesh<axes = […]>; `mesh_name` is taken as well.
static pod_status_t parse_groups_mesh(mlir_parser_t *parser,
                                      const compiler_meshes_t *meshes, pod_arena_t *arena,
                                      const mesh_t **out_mesh) {
  if (!mlir_parser_accept(parser, "mesh_name")) {
    POD_TRY(mlir_parser_expect(parser, "mesh"));
  }
  POD_TRY(mlir_parser_expect(parser, "="));
  if (!mlir_parser_peek(parser, "#")) {
    return parse_mesh_or_name(parser, meshes, arena, out_mesh);
  }
  const mlir_attr_t *attr;
  POD_TRY(mlir_parser_attr(parser, &attr));
  return compiler_parse_mesh(mlir_parser_module(parser), attr, "", arena, out_mesh);
}

static pod_status_t read_mesh_groups(mlir_module_t *module, const mlir_attr_t *attr,
                                     const compiler_meshes_t *meshes, pod_arena_t *arena,
                                     compiler_groups_t *out) {
  uses_t uses = {.arena = arena};
  mlir_parser_t *parser;
  POD_TRY(attribute_open(module, attr, "replica_group_mesh_axes", &parser));
  POD_TRY(parse_groups_mesh(parser, meshes, arena, &uses.mesh));
  POD_TRY(mlir_parser_expect(parser, ","));
  POD_TRY(mlir_parser_expect(parser, "axes"));
  POD_TRY(mlir_parser_expect(parser, "="));
  POD_TRY(mlir_parser_expect(parser, "["));
  if (!mlir_parser_accept(parser, "]")) {
    do {
      POD_TRY(parse_axis_ref(parser, &uses));
    } while (mlir_parser_accept(parser, ","));
    POD_TRY(mlir_parser_expect(parser, "]"));
  }
  POD_TRY(attribute_close(parser));
  *out = (compiler_groups_t){.mesh = uses.mesh, .axes = take_uses(&uses, 0)};
  out->ids =
      axis_list_groups(arena, uses.mesh, &out->axes, &out->group_count, &out->group_size);
  return NULL;
}

pod_status_t compiler_parse_replica_groups(mlir_module_t *module, const mlir_attr_t *attr,
                                           const compiler_meshes_t *meshes,
                                           pod_arena_t *arena,
                                           compiler_groups_t *out_groups) {
  if (mlir_attr_is(attr, MLIR_ATTR_DENSE)) {
    return read_dense_groups(module, attr, arena, out_groups);
  }
  return read_mesh_groups(module, attr, meshes, arena, out_groups);
}
