// A small reader of PartitionSpecs, and the rewriting of @main's attributes. Whether a
// dimension divides, and what axes that stand twice mean, is judged where the module's
// own shardings are.

#include "server/compiler/legalize/given.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/arena.h"
#include "common/base/text.h"
#include "common/mlir/diagnostic.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/dialect/kinds.h"
#include "server/compiler/legalize/given_values.h"
#include "server/program/program.h"

enum { MESH_SIZE_MAX = 1 << 20 };

// --- The mesh ---

static size_t name_length(const char *text) {
  size_t length = 0;
  while (isalnum((unsigned char)text[length]) ||
         (text[length] != '\0' && strchr("_.-", text[length]) != NULL)) {
    length++;
  }
  return length;
}

static pod_status_t mesh_error(const char *text) {
  return pod_error(POD_INVALID_ARGUMENT,
                   "a mesh is written as its axes with their sizes, such as x=2,y=4, "
                   "got '%s'",
                   text);
}

pod_status_t given_parse_mesh(pod_arena_t *arena, const char *text,
                              const mesh_t **out_mesh) {
  mesh_axis_t axes[SHARDING_AXES_MAX];
  int count = 0;
  for (const char *at = text;; at++) {
    const size_t length = name_length(at);
    if (length == 0 || at[length] != '=' || count == SHARDING_AXES_MAX) {
      return mesh_error(text);
    }
    const char *digits = at + length + 1;
    char *end = NULL;
    const long long size = strtoll(digits, &end, 10);
    if (!isdigit((unsigned char)*digits) || size < 1 || size > MESH_SIZE_MAX ||
        (*end != ',' && *end != '\0')) {
      return mesh_error(text);
    }
    axes[count++] = (mesh_axis_t){pod_arena_text(arena, at, length), size};
    at = end;
    if (*at == '\0') {
      return mesh_make(arena, "mesh", count, axes, NULL, out_mesh);
    }
  }
}

// [x=2, y=4]
static void print_axes(pod_text_t *text, const mesh_t *mesh) {
  pod_text_add(text, "[");
  for (int i = 0; i < mesh->axis_count; i++) {
    pod_text_printf(text, "%s%s=%" PRId64, i == 0 ? "" : ", ", mesh->axes[i].name,
                    mesh->axes[i].size);
  }
  pod_text_add(text, "]");
}

static const char *axes_of(pod_arena_t *arena, const mesh_t *mesh) {
  pod_text_t text = {0};
  print_axes(&text, mesh);
  const char *copy = pod_arena_strdup(arena, text.bytes);
  pod_text_deinit(&text);
  return copy;
}

// --- A PartitionSpec ---

typedef struct reader_t {
  pod_arena_t *arena;
  const mesh_t *mesh;
  const char *text, *at;
} reader_t;

static void skip_spaces(reader_t *reader) {
  reader->at += strspn(reader->at, " \t\n");
}

static bool take(reader_t *reader, const char *token) {
  skip_spaces(reader);
  const size_t length = strlen(token);
  if (strncmp(reader->at, token, length) != 0) {
    return false;
  }
  reader->at += length;
  return true;
}

static pod_status_t spec_error(const reader_t *reader) {
  return pod_error(POD_INVALID_ARGUMENT,
                   "a sharding is written as a PartitionSpec, such as P(\"x\", None) or "
                   "P((\"x\", \"y\")), got '%s'",
                   reader->text);
}

// "x", 'x' or x.
static pod_status_t read_axis(reader_t *reader, axis_list_t *axes) {
  skip_spaces(reader);
  const char quote = *reader->at == '"' || *reader->at == '\'' ? *reader->at : '\0';
  reader->at += quote != '\0';
  const size_t length = quote == '\0' ? name_length(reader->at)
                                      : strcspn(reader->at, (const char[]){quote, '\0'});
  const char *name = pod_arena_text(reader->arena, reader->at, length);
  reader->at += length;
  if (length == 0 || (quote != '\0' && *reader->at++ != quote)) {
    return spec_error(reader);
  }
  const int axis = mesh_find_axis(reader->mesh, name, length);
  if (axis < 0) {
    return pod_error(POD_INVALID_ARGUMENT, "the mesh %s has no axis \"%s\"",
                     axes_of(reader->arena, reader->mesh), name);
  }
  if (axes->count == SHARDING_AXES_MAX) {
    return spec_error(reader);
  }
  axes->refs[axes->count++] = (axis_ref_t){axis, 1, reader->mesh->axes[axis].size};
  return NULL;
}

// ("x", "y"), behind its parenthesis.
static pod_status_t read_axes(reader_t *reader, axis_list_t *axes) {
  while (!take(reader, ")")) {
    POD_TRY(read_axis(reader, axes));
    if (!take(reader, ",")) {
      return take(reader, ")") ? NULL : spec_error(reader);
    }
  }
  return NULL;
}

static pod_status_t read_entry(reader_t *reader, dim_sharding_t *dim) {
  static const char *const open[] = {"P.UNCONSTRAINED", "PartitionSpec.UNCONSTRAINED",
                                     "UNCONSTRAINED", "?"};
  for (size_t i = 0; i < sizeof(open) / sizeof(open[0]); i++) {
    if (take(reader, open[i])) {
      dim->is_open = true;
      return NULL;
    }
  }
  skip_spaces(reader);
  if (name_length(reader->at) == strlen("None") && take(reader, "None")) {
    return NULL;
  }
  dim->axes.refs =
      pod_arena_array(reader->arena, SHARDING_AXES_MAX, sizeof(dim->axes.refs[0]));
  return take(reader, "(") ? read_axes(reader, &dim->axes)
                           : read_axis(reader, &dim->axes);
}

pod_status_t given_parse_spec(pod_arena_t *arena, const mesh_t *mesh, const char *text,
                              int rank, sharding_t **out_sharding) {
  reader_t reader = {.arena = arena, .mesh = mesh, .text = text, .at = text};
  sharding_t *sharding = sharding_replicated(arena, mesh, rank, false);
  if (!take(&reader, "PartitionSpec(") && !take(&reader, "P(")) {
    return spec_error(&reader);
  }
  for (int count = 0; !take(&reader, ")"); count++) {
    dim_sharding_t dim = {0};
    POD_TRY(read_entry(&reader, &dim));
    if (count >= rank) {
      return pod_error(POD_INVALID_ARGUMENT, "%s has more entries than %d dimensions",
                       text, rank);
    }
    sharding->dims[count] = dim;
    if (!take(&reader, ",")) {
      if (!take(&reader, ")")) {
        return spec_error(&reader);
      }
      break;
    }
  }
  skip_spaces(&reader);
  if (*reader.at != '\0') {
    return spec_error(&reader);
  }
  *out_sharding = sharding;
  return NULL;
}

// --- Into the module ---

typedef struct giver_t {
  mlir_module_t *module;
  mlir_op_t *main;
  const mesh_t *mesh;
  given_notes_t *notes;
} giver_t;

static void note(giver_t *giver, const char *text) {
  if (giver->notes->count < GIVEN_NOTES_MAX) {
    giver->notes->texts[giver->notes->count++] = text;
  }
}

static mlir_op_t *declare(mlir_module_t *module, const mesh_t *mesh) {
  mlir_op_t *op =
      mlir_op_create(module, mlir_intern(module, "sdy.mesh"), 0, NULL, 0, NULL, 0);
  op->position = module->op->position;
  mlir_op_set_attr(module, op, mlir_intern(module, "sym_name"),
                   mlir_attr_string(module, mesh->name));
  mlir_op_set_attr(module, op, mlir_intern(module, "mesh"),
                   compiler_make_mesh(module, mesh));
  mlir_block_insert_before(mlir_op_block(module->op, 0)->first, op);
  return op;
}

// Whether all axes of the module's mesh are the given one's, by their names.
static bool has_axes_of(const mesh_t *given, const mesh_t *own) {
  for (int i = 0; i < own->axis_count; i++) {
    if (mesh_find_axis(given, own->axes[i].name, strlen(own->axes[i].name)) < 0) {
      return false;
    }
  }
  return own->axis_count > 0;
}

// Meshes over the same axes become the one that is given; it is known by the name of the
// first of them, or by one that is free.
static pod_status_t replace_meshes(giver_t *giver, const compiler_meshes_t *meshes) {
  mlir_module_t *module = giver->module;
  const char *name = NULL;
  mlir_block_t *block = mlir_op_block(module->op, 0);
  for (mlir_op_t *op = block->first; op != NULL; op = op->next) {
    const mlir_attr_t *symbol = mlir_op_attr(op, "sym_name");
    if (op->kind != KIND_SDY_MESH || !mlir_attr_is(symbol, MLIR_ATTR_STRING)) {
      continue;
    }
    const mesh_t *own = compiler_meshes_find(meshes, symbol->text);
    if (own == NULL || !has_axes_of(giver->mesh, own)) {
      continue;
    }
    name = name == NULL ? symbol->text : name;
    if (!mesh_equal(own, giver->mesh)) {
      note(giver, pod_arena_printf(
                      module->arena,
                      "the mesh is %s, as is given from outside; the module's @%s is "
                      "%s",
                      axes_of(module->arena, giver->mesh), symbol->text,
                      axes_of(module->arena, own)));
      mlir_op_set_attr(module, op, mlir_intern(module, "mesh"),
                       compiler_make_mesh(module, giver->mesh));
    }
  }
  const bool is_new = name == NULL;
  for (uint64_t i = 0; name == NULL; i++) {
    const char *free_name =
        i == 0 ? "mesh" : pod_arena_numbered(module->arena, "mesh", "", i);
    name = mlir_module_find_symbol(module, free_name) == NULL ? free_name : NULL;
  }
  const mesh_t *given = giver->mesh;
  POD_TRY(
      mesh_make(module->arena, name, given->axis_count, given->axes, NULL, &giver->mesh));
  if (is_new) {
    (void)declare(module, giver->mesh);
  }
  return NULL;
}

static const mesh_t *own_mesh(const compiler_meshes_t *meshes) {
  for (int i = 0; i < compiler_meshes_count(meshes); i++) {
    if (compiler_meshes_at(meshes, i)->axis_count > 0) {
      return compiler_meshes_at(meshes, i);
    }
  }
  return NULL;
}

static pod_status_t find_mesh(giver_t *giver, const compiler_given_t *given) {
  mlir_module_t *module = giver->module;
  compiler_meshes_t *meshes;
  POD_TRY(compiler_meshes_collect(module, module->arena, &meshes));
  if (given->mesh == NULL || *given->mesh == '\0') {
    giver->mesh = own_mesh(meshes);
    return giver->mesh != NULL
               ? NULL
               : pod_error(POD_INVALID_ARGUMENT,
                           "shardings are given for a program that has no mesh: give it "
                           "one, such as x=2,y=4 (--mesh)");
  }
  POD_TRY(given_parse_mesh(module->arena, given->mesh, &giver->mesh));
  POD_TRY(replace_meshes(giver, meshes));
  // Without any sharding the program is for as many devices all the same.
  mlir_op_set_attr(module, module->op, mlir_intern(module, "mhlo.num_partitions"),
                   mlir_attr_integer(module, giver->mesh->device_count, TENSOR_S32));
  return NULL;
}

static const mlir_attr_t *entry_of(const giver_t *giver, const char *list_name, int i) {
  const mlir_attr_t *list = mlir_op_attr(giver->main, list_name);
  return mlir_attr_is(list, MLIR_ATTR_ARRAY) && i < list->count &&
                 mlir_attr_is(list->elements[i], MLIR_ATTR_DICTIONARY)
             ? list->elements[i]
             : NULL;
}

static void set_entry(giver_t *giver, const char *list_name, int count, int index,
                      const char *name, const mlir_attr_t *value) {
  mlir_module_t *module = giver->module;
  const mlir_attr_t **elements =
      pod_arena_array(module->arena, (size_t)count, sizeof(elements[0]));
  for (int i = 0; i < count; i++) {
    const mlir_attr_t *old = entry_of(giver, list_name, i);
    elements[i] = old != NULL ? old : mlir_attr_dictionary(module, 0, NULL);
  }
  const mlir_attr_t *old = elements[index];
  mlir_named_attr_t *entries =
      pod_arena_array(module->arena, (size_t)old->count + 1, sizeof(entries[0]));
  int64_t kept = 0;
  for (int64_t i = 0; i < old->count; i++) {
    if (strcmp(old->entries[i].name, name) != 0) {
      entries[kept++] = old->entries[i];
    }
  }
  entries[kept++] = (mlir_named_attr_t){mlir_intern(module, name), value};
  elements[index] = mlir_attr_dictionary(module, kept, entries);
  mlir_op_set_attr(module, giver->main, mlir_intern(module, list_name),
                   mlir_attr_array(module, count, elements));
}

// A number, or "arg3" and "result3" for what has no name of its own; -1: neither.
static int number_of(const char *name, const char *prefix, int count) {
  const size_t length = strlen(prefix);
  const char *digits = strncmp(name, prefix, length) == 0 ? name + length : name;
  char *end = NULL;
  const long long number = strtoll(digits, &end, 10);
  return isdigit((unsigned char)*digits) && *end == '\0' && number < count ? (int)number
                                                                           : -1;
}

static bool is_argument(const mlir_value_t *value, const char *name) {
  const mlir_attr_t *scope = mlir_location_name(value->location);
  return (value->name != NULL && strcmp(value->name, name) == 0) ||
         (scope != NULL && strcmp(scope->text, name) == 0);
}

// JAX has "result", "result[1]", "result['loss']"; podium says loss for the last.
static bool is_result(const giver_t *giver, int i, const char *name) {
  const mlir_attr_t *entry = entry_of(giver, "res_attrs", i);
  const mlir_attr_t *info =
      entry == NULL ? NULL : mlir_attr_get(entry, "jax.result_info");
  if (!mlir_attr_is(info, MLIR_ATTR_STRING)) {
    return false;
  }
  const char *key = strstr(info->text, "['");
  const size_t length = strlen(name);
  return strcmp(info->text, name) == 0 ||
         (key != NULL && strncmp(key + 2, name, length) == 0 &&
          strcmp(key + 2 + length, "']") == 0);
}

static int find_index(const giver_t *giver, bool is_of_result, const char *name) {
  const mlir_block_t *block = mlir_op_block(giver->main, 0);
  const int count = is_of_result ? block->last->operand_count : block->argument_count;
  for (int i = 0; i < count; i++) {
    if (is_of_result ? is_result(giver, i, name)
                     : is_argument(block->arguments[i], name)) {
      return i;
    }
  }
  return number_of(name, is_of_result ? "result" : "arg", count);
}

static const char *names_of(const giver_t *giver) {
  enum { SHOWN_MAX = 12 };
  const mlir_block_t *block = mlir_op_block(giver->main, 0);
  pod_text_t text = {0};
  for (int i = 0; i < block->argument_count && i < SHOWN_MAX; i++) {
    const mlir_value_t *value = block->arguments[i];
    const mlir_attr_t *scope = mlir_location_name(value->location);
    const char *name = scope != NULL ? scope->text : value->name;
    pod_text_add(&text, i == 0 ? "" : ", ");
    if (name == NULL) {
      pod_text_printf(&text, "arg%d", i);
    } else {
      pod_text_add(&text, name);
    }
  }
  pod_text_add(&text, block->argument_count > SHOWN_MAX ? ", …" : "");
  const char *copy =
      pod_arena_strdup(giver->module->arena, text.bytes == NULL ? "" : text.bytes);
  pod_text_deinit(&text);
  return copy;
}

static pod_status_t no_such(const giver_t *giver, bool is_of_result, const char *name,
                            const char *what) {
  const mlir_block_t *block = mlir_op_block(giver->main, 0);
  if (is_of_result) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "there is no result '%s', %s: the program has %d, by number from 0",
                     name, what, block->last->operand_count);
  }
  return pod_error(POD_INVALID_ARGUMENT,
                   "there is no argument '%s', %s: the program has %d (%s)", name, what,
                   block->argument_count, names_of(giver));
}

static void note_conflict(giver_t *giver, const char *what, const char *list_name,
                          int index, const mlir_attr_t *now,
                          const compiler_given_spec_t *spec) {
  const mlir_attr_t *entry = entry_of(giver, list_name, index);
  const mlir_attr_t *own = entry == NULL ? NULL : mlir_attr_get(entry, "sdy.sharding");
  if (own == NULL || mlir_attr_equal(own, now)) {
    return;
  }
  note(giver, pod_arena_printf(giver->module->arena,
                               "%s %s lies %s, as is given from outside; the module says "
                               "%s",
                               what, spec->name, spec->spec,
                               own->body == NULL ? "otherwise" : own->body));
}

static pod_status_t give(giver_t *giver, bool is_of_result,
                         const compiler_given_spec_t *spec) {
  mlir_module_t *module = giver->module;
  const mlir_block_t *block = mlir_op_block(giver->main, 0);
  const char *what = is_of_result ? "result" : "argument";
  const char *list_name = is_of_result ? "res_attrs" : "arg_attrs";
  const int index = find_index(giver, is_of_result, spec->name);
  if (index < 0) {
    return no_such(giver, is_of_result, spec->name, "whose sharding is given");
  }
  const mlir_value_t *value =
      is_of_result ? block->last->operands[index] : block->arguments[index];
  const tensor_shape_t *shape = &value->type->shape;
  pod_text_t shown = {0};
  tensor_shape_print(&shown, shape);
  sharding_t *sharding = NULL;
  pod_status_t status =
      given_parse_spec(module->arena, giver->mesh, spec->spec, shape->rank, &sharding);
  if (status == NULL) {
    status = sharding_check(sharding, shape);
  }
  status = pod_status_context(status, "%s %s of %s cannot lie %s", what, spec->name,
                              shown.bytes, spec->spec);
  pod_text_deinit(&shown);
  POD_TRY(status);
  const mlir_attr_t *attr = compiler_make_sharding(module, sharding);
  note_conflict(giver, what, list_name, index, attr, spec);
  set_entry(giver, list_name,
            is_of_result ? block->last->operand_count : block->argument_count, index,
            "sdy.sharding", attr);
  return NULL;
}

// What the module says of the argument's memory stands.
static void donate(giver_t *giver, int index) {
  const mlir_attr_t *entry = entry_of(giver, "arg_attrs", index);
  if (entry == NULL || mlir_attr_get(entry, "tf.aliasing_output") == NULL) {
    set_entry(giver, "arg_attrs", mlir_op_block(giver->main, 0)->argument_count, index,
              "jax.buffer_donor", mlir_attr_bool(giver->module, true));
  }
}

// "all", or "cache,3".
static pod_status_t donate_all(giver_t *giver, const char *donated) {
  const int count = mlir_op_block(giver->main, 0)->argument_count;
  if (strcmp(donated, "all") == 0 && find_index(giver, false, donated) < 0) {
    for (int i = 0; i < count; i++) {
      donate(giver, i);
    }
    return NULL;
  }
  for (const char *at = donated;; at++) {
    const size_t length = strcspn(at, ",");
    const char *name = pod_arena_text(giver->module->arena, at, length);
    const int index = find_index(giver, false, name);
    if (index < 0) {
      return no_such(giver, false, name, "which is to be donated");
    }
    donate(giver, index);
    at += length;
    if (*at == '\0') {
      return NULL;
    }
  }
}

pod_status_t given_apply(mlir_module_t *module, const compiler_given_t *given,
                         given_notes_t *out_notes) {
  *out_notes = (given_notes_t){0};
  const bool has_mesh = given->mesh != NULL && *given->mesh != '\0';
  const bool donates = given->donated != NULL && *given->donated != '\0';
  const bool shards =
      has_mesh || given->argument_count + given->result_count + given->value_count > 0;
  if (!shards && !donates) {
    return NULL;
  }
  mlir_op_t *main = mlir_module_find_symbol(module, "main");
  if (main == NULL || main->region_count != 1 || mlir_op_block(main, 0) == NULL ||
      mlir_op_block(main, 0)->last == NULL) {
    return NULL;  // Said where it is needed.
  }
  giver_t giver = {.module = module, .main = main, .notes = out_notes};
  if (donates) {
    POD_TRY(donate_all(&giver, given->donated));
  }
  if (!shards) {
    return NULL;
  }
  POD_TRY(find_mesh(&giver, given));
  for (int64_t i = 0; i < given->argument_count; i++) {
    POD_TRY(give(&giver, false, &given->arguments[i]));
  }
  for (int64_t i = 0; i < given->result_count; i++) {
    POD_TRY(give(&giver, true, &given->results[i]));
  }
  return given_values_apply(module, main, giver.mesh, given);
}
