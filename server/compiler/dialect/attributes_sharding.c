// Shardings and replica groups. Their text is read without knowing the mesh, once; the
// axes are then looked for in the mesh.

#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "common/base/text.h"
#include "common/mlir/diagnostic.h"
#include "common/mlir/parser.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/attributes_private.h"

// Sub-axes are of size 2 at least, so that an axis below 2^16 has at most 16 of them.
enum { USES_MAX = 32 * SHARDING_AXES_MAX };

// --- Axes ---

// An axis as it is written, before its mesh is looked at.
typedef struct written_axis_t {
  const char *name;
  bool is_part;  // Then of the axis (pre_size)size.
  int64_t pre_size, size;
  mlir_position_t position, part_position;
} written_axis_t;

typedef struct written_axes_t {
  int count;
  const written_axis_t *list;
} written_axes_t;

typedef struct written_dim_t {
  written_axes_t axes;
  bool is_open;
  int priority;
} written_dim_t;

// A sharding as it is written: what stays with its attribute.
typedef struct written_sharding_t {
  const char *mesh_name;  // NULL: `mesh` is written out.
  const mesh_t *mesh;
  mlir_position_t mesh_position;
  int rank;
  const written_dim_t *dims;
  written_axes_t replicated, unreduced;
  sharding_reduction_t reduction;
} written_sharding_t;

typedef struct written_shardings_t {
  int64_t count;
  const written_sharding_t *list;
} written_shardings_t;

// The axes that a parser has read of one sharding.
typedef struct reader_t {
  int count;
  written_axis_t axes[USES_MAX];
} reader_t;

// The axes that a sharding has used so far.
typedef struct uses_t {
  pod_arena_t *arena;
  const mesh_t *mesh;
  int count;
  axis_ref_t refs[USES_MAX];
} uses_t;

// Its room is left as it is.
static void uses_start(uses_t *uses, pod_arena_t *arena, const mesh_t *mesh) {
  uses->arena = arena;
  uses->mesh = mesh;
  uses->count = 0;
}

static bool overlap(axis_ref_t a, axis_ref_t b) {
  return a.axis == b.axis && a.pre_size < b.pre_size * b.size &&
         b.pre_size < a.pre_size * a.size;
}

static pod_status_t use_axis(mlir_module_t *module, mlir_position_t position,
                             uses_t *uses, axis_ref_t ref) {
  for (int i = 0; i < uses->count; i++) {
    if (overlap(uses->refs[i], ref) ||
        (uses->refs[i].axis == ref.axis && ref.size == 1)) {
      return mlir_error_at(module, position, POD_INVALID_ARGUMENT,
                           "axis \"%s\" is used twice", uses->mesh->axes[ref.axis].name);
    }
  }
  if (uses->count == USES_MAX) {
    return mlir_error_at(module, position, POD_INVALID_ARGUMENT, "more than %d axes",
                         USES_MAX);
  }
  uses->refs[uses->count++] = ref;
  return NULL;
}

static pod_status_t unknown_axis(mlir_module_t *module, const mesh_t *mesh,
                                 const written_axis_t *axis) {
  pod_text_t axes = {0};
  for (int i = 0; i < mesh->axis_count; i++) {
    pod_text_printf(&axes, "%s\"%s\"", i > 0 ? ", " : "", mesh->axes[i].name);
  }
  const pod_status_t status =
      mlir_error_at(module, axis->position, POD_INVALID_ARGUMENT,
                    "mesh @%s has no axis \"%s\"; it has %s", mesh->name, axis->name,
                    axes.bytes == NULL ? "none" : axes.bytes);
  pod_text_deinit(&axes);
  return status;
}

// (2)4: of an axis of size 2·4·n, the part of size 4 behind the first 2.
static pod_status_t check_part(mlir_module_t *module, const mesh_t *mesh,
                               const written_axis_t *axis, int index) {
  const int64_t whole = mesh->axes[index].size;
  if (axis->pre_size < 1 || axis->size < 2 || axis->pre_size > whole ||
      axis->size > whole || whole % (axis->pre_size * axis->size) != 0) {
    return mlir_error_at(module, axis->part_position, POD_INVALID_ARGUMENT,
                         "(%lld)%lld is no part of axis \"%s\" of size %lld",
                         (long long)axis->pre_size, (long long)axis->size,
                         mesh->axes[index].name, (long long)whole);
  }
  return NULL;
}

// Finds what is written in the mesh.
static pod_status_t take_axis(mlir_module_t *module, uses_t *uses,
                              const written_axis_t *axis) {
  const int index = mesh_find_axis(uses->mesh, axis->name, strlen(axis->name));
  if (index < 0) {
    return unknown_axis(module, uses->mesh, axis);
  }
  axis_ref_t ref = {.axis = index, .pre_size = 1, .size = uses->mesh->axes[index].size};
  if (axis->is_part) {
    POD_TRY(check_part(module, uses->mesh, axis, index));
    ref.pre_size = axis->pre_size;
    ref.size = axis->size;
  }
  return use_axis(module, axis->position, uses, ref);
}

static pod_status_t take_axes(mlir_module_t *module, uses_t *uses,
                              const written_axes_t *axes, axis_list_t *out_list) {
  const int first = uses->count;
  for (int i = 0; i < axes->count; i++) {
    POD_TRY(take_axis(module, uses, &axes->list[i]));
  }
  const size_t count = (size_t)(uses->count - first);
  *out_list = (axis_list_t){(int)count, pod_arena_copy(uses->arena, uses->refs + first,
                                                       count * sizeof(uses->refs[0]))};
  return NULL;
}

// --- Axes as they are written ---

// (2)4
static pod_status_t parse_part(mlir_parser_t *parser, written_axis_t *axis) {
  axis->is_part = true;
  axis->part_position = mlir_parser_position(parser);
  POD_TRY(mlir_parser_expect(parser, "("));
  POD_TRY(mlir_parser_i64(parser, &axis->pre_size));
  POD_TRY(mlir_parser_expect(parser, ")"));
  return mlir_parser_i64(parser, &axis->size);
}

// "x", or "x":(1)2
static pod_status_t parse_axis(mlir_parser_t *parser, reader_t *reader) {
  if (reader->count == USES_MAX) {
    return mlir_parser_error(parser, "more than %d axes", USES_MAX);
  }
  written_axis_t *axis = &reader->axes[reader->count++];
  *axis = (written_axis_t){.position = mlir_parser_position(parser)};
  POD_TRY(mlir_parser_string(parser, &axis->name));
  return mlir_parser_accept(parser, ":") ? parse_part(parser, axis) : NULL;
}

// From `first` on, what has been read lately is a list.
static written_axes_t take_read(mlir_parser_t *parser, const reader_t *reader,
                                int first) {
  const int count = reader->count - first;
  return (written_axes_t){
      count, pod_arena_copy(mlir_parser_module(parser)->arena, reader->axes + first,
                            (size_t)count * sizeof(reader->axes[0]))};
}

// {"x", "y"}
static pod_status_t parse_axis_list(mlir_parser_t *parser, reader_t *reader,
                                    written_axes_t *out_axes) {
  const int first = reader->count;
  POD_TRY(mlir_parser_expect(parser, "{"));
  if (!mlir_parser_accept(parser, "}")) {
    do {
      POD_TRY(parse_axis(parser, reader));
    } while (mlir_parser_accept(parser, ","));
    POD_TRY(mlir_parser_expect(parser, "}"));
  }
  *out_axes = take_read(parser, reader, first);
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
static pod_status_t parse_dim(mlir_parser_t *parser, reader_t *reader,
                              written_dim_t *dim) {
  const int first = reader->count;
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
    POD_TRY(parse_axis(parser, reader));
  }
  dim->axes = take_read(parser, reader, first);
  const mlir_position_t position = mlir_parser_position(parser);
  POD_TRY(parse_priority(parser, &dim->priority));
  if (dim->priority > 0 && dim->axes.count == 0 && !dim->is_open) {
    return mlir_parser_error_at(
        parser, position, "a dimension without axes that is closed has no priority");
  }
  return NULL;
}

// @mesh, or mesh<["x"=2]>. The name is NULL for the second.
static pod_status_t parse_mesh_or_name(mlir_parser_t *parser, const char **out_name,
                                       const mesh_t **out_mesh) {
  *out_name = NULL;
  *out_mesh = NULL;
  if (!mlir_parser_accept(parser, "mesh")) {
    return mlir_parser_symbol(parser, out_name);
  }
  POD_TRY(mlir_parser_expect(parser, "<"));
  POD_TRY(attribute_parse_mesh(parser, "", mlir_parser_module(parser)->arena, out_mesh));
  return mlir_parser_expect(parser, ">");
}

static pod_status_t find_mesh(mlir_module_t *module, mlir_position_t position,
                              const compiler_meshes_t *meshes, const char *name,
                              const mesh_t **out_mesh) {
  *out_mesh = compiler_meshes_find(meshes, name);
  return *out_mesh != NULL ? NULL
                           : mlir_error_at(module, position, POD_INVALID_ARGUMENT,
                                           "the module has no mesh @%s", name);
}

// , replicated={…}, unreduced={…}
static pod_status_t parse_other_axes(mlir_parser_t *parser, reader_t *reader,
                                     written_sharding_t *sharding) {
  bool has_replicated = false, has_unreduced = false;
  while (mlir_parser_accept(parser, ",")) {
    if (!has_replicated && mlir_parser_accept(parser, "replicated")) {
      has_replicated = true;
      POD_TRY(mlir_parser_expect(parser, "="));
      POD_TRY(parse_axis_list(parser, reader, &sharding->replicated));
      continue;
    }
    if (has_unreduced || !mlir_parser_accept(parser, "unreduced")) {
      return mlir_parser_error(parser, "expected replicated={…} or unreduced={…}");
    }
    has_unreduced = true;
    POD_TRY(mlir_parser_expect(parser, "="));
    if (mlir_parser_accept(parser, "max")) {
      sharding->reduction = SHARDING_MAX;
    } else if (mlir_parser_accept(parser, "min")) {
      sharding->reduction = SHARDING_MIN;
    } else {
      mlir_parser_accept(parser, "sum");
    }
    POD_TRY(parse_axis_list(parser, reader, &sharding->unreduced));
  }
  return NULL;
}

static pod_status_t parse_dims(mlir_parser_t *parser, reader_t *reader,
                               written_sharding_t *sharding) {
  written_dim_t dims[TENSOR_RANK_MAX] = {0};
  POD_TRY(mlir_parser_expect(parser, "["));
  if (!mlir_parser_accept(parser, "]")) {
    do {
      if (sharding->rank == TENSOR_RANK_MAX) {
        return mlir_parser_error(parser, "more than %d dimensions", TENSOR_RANK_MAX);
      }
      POD_TRY(parse_dim(parser, reader, &dims[sharding->rank++]));
    } while (mlir_parser_accept(parser, ","));
    POD_TRY(mlir_parser_expect(parser, "]"));
  }
  sharding->dims = pod_arena_copy(mlir_parser_module(parser)->arena, dims,
                                  (size_t)sharding->rank * sizeof(dims[0]));
  return NULL;
}

// @mesh, [{"x"}, {?}], replicated={…}, unreduced={…}
static pod_status_t parse_sharding(mlir_parser_t *parser, written_sharding_t *out) {
  reader_t reader;
  reader.count = 0;
  *out = (written_sharding_t){.mesh_position = mlir_parser_position(parser)};
  POD_TRY(parse_mesh_or_name(parser, &out->mesh_name, &out->mesh));
  POD_TRY(mlir_parser_expect(parser, ","));
  POD_TRY(parse_dims(parser, &reader, out));
  return parse_other_axes(parser, &reader, out);
}

// <…>, or in full #sdy.sharding<…>
static pod_status_t parse_listed_sharding(mlir_parser_t *parser,
                                          written_sharding_t *out) {
  if (!mlir_parser_peek(parser, "#")) {
    POD_TRY(mlir_parser_expect(parser, "<"));
    POD_TRY(parse_sharding(parser, out));
    return mlir_parser_expect(parser, ">");
  }
  const mlir_attr_t *attr;
  mlir_parser_t *inner;
  POD_TRY(mlir_parser_attr(parser, &attr));
  POD_TRY(attribute_open(mlir_parser_module(parser), attr, "sharding", &inner));
  POD_TRY(parse_sharding(inner, out));
  return attribute_close(inner);
}

// [<…>, <…>]
static pod_status_t parse_sharding_list(mlir_parser_t *parser, written_shardings_t *out) {
  pod_arena_t *arena = mlir_parser_module(parser)->arena;
  written_sharding_t *shardings = NULL;
  int64_t count = 0, capacity = 0;
  POD_TRY(mlir_parser_expect(parser, "["));
  if (!mlir_parser_accept(parser, "]")) {
    do {
      if (count == capacity) {
        capacity = 2 * capacity + 4;
        written_sharding_t *grown =
            pod_arena_array(arena, (size_t)capacity, sizeof(*grown));
        if (count > 0) {
          memcpy(grown, shardings, (size_t)count * sizeof(*grown));
        }
        shardings = grown;
      }
      POD_TRY(parse_listed_sharding(parser, &shardings[count++]));
    } while (mlir_parser_accept(parser, ","));
    POD_TRY(mlir_parser_expect(parser, "]"));
  }
  *out = (written_shardings_t){count, shardings};
  return attribute_close(parser);
}

// The text is read once: what it says stays with the attribute. What its meshes make of
// it is found anew, for a pass may have others.
static pod_status_t read_shardings(mlir_module_t *module, const mlir_attr_t *attr,
                                   written_shardings_t *out) {
  const bool is_list = attribute_is(attr, "sharding_per_value");
  if ((is_list || attribute_is(attr, "sharding")) && attr->decoded != NULL) {
    *out = *(const written_shardings_t *)attr->decoded;
    return NULL;
  }
  mlir_parser_t *parser;
  if (is_list) {
    POD_TRY(attribute_open(module, attr, "sharding_per_value", &parser));
    POD_TRY(parse_sharding_list(parser, out));
  } else {
    POD_TRY(attribute_open(module, attr, "sharding", &parser));
    written_sharding_t *single = pod_arena_alloc(module->arena, sizeof(*single));
    POD_TRY(parse_sharding(parser, single));
    POD_TRY(attribute_close(parser));
    *out = (written_shardings_t){1, single};
  }
  mlir_attr_set_decoded(module, attr, out, sizeof(*out));
  return NULL;
}

static pod_status_t take_sharding(mlir_module_t *module,
                                  const written_sharding_t *written,
                                  const compiler_meshes_t *meshes, pod_arena_t *arena,
                                  sharding_t **out_sharding) {
  sharding_t *sharding = pod_arena_alloc(arena, sizeof(*sharding));
  sharding->mesh = written->mesh;
  if (written->mesh_name != NULL) {
    POD_TRY(find_mesh(module, written->mesh_position, meshes, written->mesh_name,
                      &sharding->mesh));
  }
  uses_t uses;
  uses_start(&uses, arena, sharding->mesh);
  sharding->rank = written->rank;
  sharding->dims =
      pod_arena_array(arena, (size_t)written->rank, sizeof(sharding->dims[0]));
  for (int d = 0; d < written->rank; d++) {
    sharding->dims[d].is_open = written->dims[d].is_open;
    sharding->dims[d].priority = written->dims[d].priority;
    POD_TRY(take_axes(module, &uses, &written->dims[d].axes, &sharding->dims[d].axes));
  }
  POD_TRY(take_axes(module, &uses, &written->replicated, &sharding->replicated));
  POD_TRY(take_axes(module, &uses, &written->unreduced, &sharding->unreduced));
  sharding->reduction = written->reduction;
  *out_sharding = sharding;
  return NULL;
}

pod_status_t compiler_parse_shardings(mlir_module_t *module, const mlir_attr_t *attr,
                                      const compiler_meshes_t *meshes, pod_arena_t *arena,
                                      int64_t *out_count, sharding_t ***out_shardings) {
  written_shardings_t written;
  POD_TRY(read_shardings(module, attr, &written));
  sharding_t **shardings =
      pod_arena_array(arena, (size_t)written.count, sizeof(*shardings));
  for (int64_t i = 0; i < written.count; i++) {
    POD_TRY(take_sharding(module, &written.list[i], meshes, arena, &shardings[i]));
  }
  *out_count = written.count;
  *out_shardings = shardings;
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
  attribute_print_mesh(text, sharding->mesh);
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

// {"x", "y"}, read once too.
static pod_status_t read_manual_axes(mlir_module_t *module, const mlir_attr_t *attr,
                                     written_axes_t *out) {
  if (attribute_is(attr, "manual_axes") && attr->decoded != NULL) {
    *out = *(const written_axes_t *)attr->decoded;
    return NULL;
  }
  reader_t reader;
  reader.count = 0;
  mlir_parser_t *parser;
  POD_TRY(attribute_open(module, attr, "manual_axes", &parser));
  POD_TRY(parse_axis_list(parser, &reader, out));
  for (int i = 0; i < out->count; i++) {
    if (out->list[i].is_part) {
      return mlir_error_at(module, out->list[i].part_position, POD_INVALID_ARGUMENT,
                           "a part of an axis cannot be manual");
    }
  }
  POD_TRY(attribute_close(parser));
  mlir_attr_set_decoded(module, attr, out, sizeof(*out));
  return NULL;
}

pod_status_t compiler_parse_manual_axes(mlir_module_t *module, const mlir_attr_t *attr,
                                        const mesh_t *mesh, pod_arena_t *arena,
                                        int *out_count, int **out_axes) {
  written_axes_t written;
  POD_TRY(read_manual_axes(module, attr, &written));
  uses_t uses;
  uses_start(&uses, arena, mesh);
  axis_list_t list;
  POD_TRY(take_axes(module, &uses, &written, &list));
  int *axes = pod_arena_array(arena, (size_t)list.count, sizeof(*axes));
  for (int i = 0; i < list.count; i++) {
    axes[i] = list.refs[i].axis;
  }
  *out_count = list.count;
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

// Groups as they are written: what stays with their attribute.
typedef struct written_groups_t {
  const char *mesh_name;  // NULL: `mesh` is written out.
  const mesh_t *mesh;
  mlir_position_t mesh_position;
  written_axes_t axes;
} written_groups_t;

// #stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>
static pod_status_t parse_axis_ref(mlir_parser_t *parser, reader_t *reader) {
  if (reader->count == USES_MAX) {
    return mlir_parser_error(parser, "more than %d axes", USES_MAX);
  }
  written_axis_t *axis = &reader->axes[reader->count++];
  const mlir_position_t position = mlir_parser_position(parser);
  const mlir_attr_t *attr;
  mlir_parser_t *inner;
  POD_TRY(mlir_parser_attr(parser, &attr));
  POD_TRY(attribute_open(mlir_parser_module(parser), attr, "axis_ref", &inner));
  POD_TRY(mlir_parser_expect(inner, "name"));
  POD_TRY(mlir_parser_expect(inner, "="));
  *axis = (written_axis_t){.position = mlir_parser_position(inner)};
  axis->position = axis->position == 0 ? position : axis->position;
  POD_TRY(mlir_parser_string(inner, &axis->name));
  if (mlir_parser_accept(inner, ",")) {
    POD_TRY(mlir_parser_expect(inner, "sub_axis_info"));
    POD_TRY(mlir_parser_expect(inner, "="));
    POD_TRY(parse_part(inner, axis));
  }
  return attribute_close(inner);
}

// mesh = @mesh, or mesh = #stablehlo.mesh<axes = […]>; `mesh_name` is taken as well.
static pod_status_t parse_groups_mesh(mlir_parser_t *parser, written_groups_t *out) {
  if (!mlir_parser_accept(parser, "mesh_name")) {
    POD_TRY(mlir_parser_expect(parser, "mesh"));
  }
  POD_TRY(mlir_parser_expect(parser, "="));
  out->mesh_position = mlir_parser_position(parser);
  if (!mlir_parser_peek(parser, "#")) {
    return parse_mesh_or_name(parser, &out->mesh_name, &out->mesh);
  }
  const mlir_attr_t *attr;
  mlir_module_t *module = mlir_parser_module(parser);
  POD_TRY(mlir_parser_attr(parser, &attr));
  return compiler_parse_mesh(module, attr, "", module->arena, &out->mesh);
}

static pod_status_t parse_groups(mlir_parser_t *parser, written_groups_t *out) {
  reader_t reader;
  reader.count = 0;
  *out = (written_groups_t){0};
  POD_TRY(parse_groups_mesh(parser, out));
  POD_TRY(mlir_parser_expect(parser, ","));
  POD_TRY(mlir_parser_expect(parser, "axes"));
  POD_TRY(mlir_parser_expect(parser, "="));
  POD_TRY(mlir_parser_expect(parser, "["));
  if (!mlir_parser_accept(parser, "]")) {
    do {
      POD_TRY(parse_axis_ref(parser, &reader));
    } while (mlir_parser_accept(parser, ","));
    POD_TRY(mlir_parser_expect(parser, "]"));
  }
  out->axes = take_read(parser, &reader, 0);
  return attribute_close(parser);
}

static pod_status_t read_mesh_groups(mlir_module_t *module, const mlir_attr_t *attr,
                                     const compiler_meshes_t *meshes, pod_arena_t *arena,
                                     compiler_groups_t *out) {
  written_groups_t written;
  if (attribute_is(attr, "replica_group_mesh_axes") && attr->decoded != NULL) {
    written = *(const written_groups_t *)attr->decoded;
  } else {
    mlir_parser_t *parser;
    POD_TRY(attribute_open(module, attr, "replica_group_mesh_axes", &parser));
    POD_TRY(parse_groups(parser, &written));
    mlir_attr_set_decoded(module, attr, &written, sizeof(written));
  }
  uses_t uses;
  uses_start(&uses, arena, written.mesh);
  if (written.mesh_name != NULL) {
    POD_TRY(
        find_mesh(module, written.mesh_position, meshes, written.mesh_name, &uses.mesh));
  }
  *out = (compiler_groups_t){.mesh = uses.mesh};
  POD_TRY(take_axes(module, &uses, &written.axes, &out->axes));
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
