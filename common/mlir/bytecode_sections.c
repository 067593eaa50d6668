// The sections of a file: their bounds, and the tables that the others refer to.
//
// A table's size is bounded by the bytes of the section it stands in, so that what is
// allocated stays in proportion to the file.

#include <string.h>

#include "common/mlir/bytecode_private.h"

enum { ALIGNMENT_BYTE = 0xcb };

enum { RESOURCE_BLOB = 0 };

// Reads from `bytes` until the caller puts the old ones back.
static mlir_bytes_t enter(mlir_bytecode_t *reader, mlir_bytes_t bytes) {
  const mlir_bytes_t outer = reader->in;
  reader->in = bytes;
  return outer;
}

static bool at_end(const mlir_bytecode_t *reader) {
  return reader->in.at == reader->in.end;
}

static pod_status_t take(mlir_bytecode_t *reader, uint64_t length,
                         mlir_bytes_t *out_bytes) {
  if (length > (uint64_t)(reader->in.end - reader->in.at)) {
    return mlir_bytecode_error(reader, "%llu bytes should stand here, %lld remain",
                               (unsigned long long)length,
                               (long long)(reader->in.end - reader->in.at));
  }
  *out_bytes = (mlir_bytes_t){reader->in.at, reader->in.at + length};
  reader->in.at += length;
  return NULL;
}

// Up to a multiple of `alignment`, counted from the start of the file.
static pod_status_t align(mlir_bytecode_t *reader, uint64_t alignment) {
  if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
    return mlir_bytecode_error(reader, "an alignment of %llu is no power of two",
                               (unsigned long long)alignment);
  }
  while (((uint64_t)(reader->in.at - reader->file) & (alignment - 1)) != 0) {
    uint8_t byte;
    POD_TRY(mlir_bytecode_byte(reader, &byte));
    if (byte != ALIGNMENT_BYTE) {
      return mlir_bytecode_error(reader, "0x%02x where 0x%02x fills up", byte,
                                 ALIGNMENT_BYTE);
    }
  }
  return NULL;
}

pod_status_t mlir_bytecode_section(mlir_bytecode_t *reader, mlir_section_t *out_id,
                                   mlir_bytes_t *out_bytes) {
  uint8_t id;
  uint64_t length, alignment;
  POD_TRY(mlir_bytecode_byte(reader, &id));
  if ((id & 0x7f) >= MLIR_SECTION_COUNT) {
    return mlir_bytecode_error(reader, "section %d is unknown", id & 0x7f);
  }
  POD_TRY(mlir_bytecode_varint(reader, &length));
  if (id & 0x80) {
    POD_TRY(mlir_bytecode_varint(reader, &alignment));
    POD_TRY(align(reader, alignment));
  }
  *out_id = (mlir_section_t)(id & 0x7f);
  return take(reader, length, out_bytes);
}

// --- Strings ---

// Lengths from the last to the first, then the bytes, each with a NUL at its end. A
// string that has been taken no longer belongs to the section: no length is read out of
// it.
static pod_status_t read_strings(mlir_bytecode_t *reader) {
  int64_t count;
  POD_TRY(mlir_bytecode_count(reader, &count));
  reader->strings =
      pod_arena_array(reader->module->arena, (size_t)count, sizeof(*reader->strings));
  reader->string_count = count;
  mlir_bytes_t *in = &reader->in;
  for (int64_t i = count - 1; i >= 0; i--) {
    uint64_t length;
    POD_TRY(mlir_bytecode_varint(reader, &length));
    if (length == 0 || length > (uint64_t)(in->end - in->at) || in->end[-1] != 0) {
      return mlir_bytecode_error(reader, "string %lld does not lie in its section",
                                 (long long)i);
    }
    in->end -= length;
    reader->strings[i] =
        (mlir_bytecode_string_t){(const char *)in->end, (int64_t)length - 1};
  }
  return at_end(reader) ? NULL
                        : mlir_bytecode_error(reader,
                                              "bytes between the lengths of the strings "
                                              "and the strings");
}

// --- Dialects and names of operations ---

static pod_status_t find_group(mlir_bytecode_t *reader,
                               mlir_bytecode_group_t **out_group) {
  uint64_t index;
  POD_TRY(mlir_bytecode_varint(reader, &index));
  if (index >= (uint64_t)reader->group_count) {
    return mlir_bytecode_error(reader, "dialect %llu of %lld", (unsigned long long)index,
                               (long long)reader->group_count);
  }
  *out_group = &reader->groups[index];
  return NULL;
}

static pod_status_t string_at(mlir_bytecode_t *reader, uint64_t index,
                              const char **out_text) {
  if (index >= (uint64_t)reader->string_count) {
    return mlir_bytecode_error(reader, "string %llu of %lld", (unsigned long long)index,
                               (long long)reader->string_count);
  }
  *out_text = reader->strings[index].text;
  return NULL;
}

static pod_status_t read_group(mlir_bytecode_t *reader, mlir_bytecode_group_t *group) {
  static const mlir_bytecode_dialect_t builtin = {"builtin", mlir_bytecode_builtin_attr,
                                                  mlir_bytecode_builtin_type};
  uint64_t word;
  POD_TRY(mlir_bytecode_varint(reader, &word));
  const bool has_flag = reader->version >= MLIR_BYTECODE_DIALECT_VERSIONS;
  POD_TRY(string_at(reader, has_flag ? word >> 1 : word, &group->name));
  if (has_flag && (word & 1)) {
    mlir_section_t id;
    mlir_bytes_t version;  // Rows do not depend on it so far.
    POD_TRY(mlir_bytecode_section(reader, &id, &version));
  }
  if (strcmp(group->name, "builtin") == 0) {
    group->row = &builtin;
  } else if (reader->dialects->dialect != NULL) {
    group->row = reader->dialects->dialect(group->name);
  }
  return NULL;
}

static const mlir_bytecode_op_t *find_op_row(const mlir_bytecode_t *reader,
                                             const char *name) {
  const mlir_bytecode_op_t *row = mlir_bytecode_builtin_op(name);
  return row == NULL && reader->dialects->op != NULL ? reader->dialects->op(name) : row;
}

static pod_status_t read_name(mlir_bytecode_t *reader,
                              const mlir_bytecode_group_t *group) {
  uint64_t word;
  POD_TRY(mlir_bytecode_varint(reader, &word));
  const bool has_flag = reader->version >= MLIR_BYTECODE_PROPERTIES;
  const char *text = NULL;
  POD_TRY(string_at(reader, has_flag ? word >> 1 : word, &text));
  mlir_module_t *module = reader->module;
  const char *full = text[0] == '\0'
                         ? group->name
                         : pod_arena_printf(module->arena, "%s.%s", group->name, text);
  if (full[0] == '\0') {
    return mlir_bytecode_error(reader, "an operation without a name");
  }
  const mlir_bytecode_op_t *row = find_op_row(reader, full);
  const char *name = mlir_intern(module, full);
  const char *to = row == NULL || row->to == NULL ? name : mlir_intern(module, row->to);
  *pod_list_add(&reader->names) =
      (mlir_bytecode_name_t){.name = name,
                             .row = row,
                             .to = to,
                             .to_in_func = row == NULL || row->to_in_func == NULL
                                               ? to
                                               : mlir_intern(module, row->to_in_func),
                             .is_registered = has_flag && (word & 1)};
  return NULL;
}

static pod_status_t read_dialects(mlir_bytecode_t *reader) {
  POD_TRY(mlir_bytecode_count(reader, &reader->group_count));
  reader->groups = pod_arena_array(reader->module->arena, (size_t)reader->group_count,
                                   sizeof(*reader->groups));
  for (int64_t i = 0; i < reader->group_count; i++) {
    POD_TRY(read_group(reader, &reader->groups[i]));
  }
  if (reader->version >= MLIR_BYTECODE_ELIDED_LOCATIONS) {
    int64_t total;  // A hint.
    POD_TRY(mlir_bytecode_count(reader, &total));
  }
  while (!at_end(reader)) {
    mlir_bytecode_group_t *group;
    int64_t count;
    POD_TRY(find_group(reader, &group));
    POD_TRY(mlir_bytecode_count(reader, &count));
    for (int64_t i = 0; i < count; i++) {
      POD_TRY(read_name(reader, group));
    }
  }
  return NULL;
}

// --- Where attributes and types stand ---

static pod_status_t read_offsets_of(mlir_bytecode_t *reader, int64_t count,
                                    mlir_bytecode_entry_t *entries, mlir_bytes_t *rest) {
  for (int64_t i = 0; i < count;) {
    mlir_bytecode_group_t *group;
    int64_t in_group;
    POD_TRY(find_group(reader, &group));
    POD_TRY(mlir_bytecode_count(reader, &in_group));
    if (in_group > count - i) {
      return mlir_bytecode_error(reader, "more attributes or types than the table has");
    }
    for (const int64_t end = i + in_group; i < end; i++) {
      uint64_t word;
      POD_TRY(mlir_bytecode_varint(reader, &word));
      if (word >> 1 > (uint64_t)(rest->end - rest->at)) {
        return mlir_bytecode_error(
            reader, "attribute or type %lld does not lie in its section", (long long)i);
      }
      const uint8_t *start = rest->at;
      rest->at += word >> 1;
      entries[i] = (mlir_bytecode_entry_t){
          .bytes = {start, rest->at}, .dialect = group, .is_custom = (word & 1) != 0};
    }
  }
  return NULL;
}

static pod_status_t read_offsets(mlir_bytecode_t *reader) {
  POD_TRY(mlir_bytecode_count(reader, &reader->attr_count));
  POD_TRY(mlir_bytecode_count(reader, &reader->type_count));
  pod_arena_t *arena = reader->module->arena;
  reader->attrs =
      pod_arena_array(arena, (size_t)reader->attr_count, sizeof(*reader->attrs));
  reader->types =
      pod_arena_array(arena, (size_t)reader->type_count, sizeof(*reader->types));
  mlir_bytes_t rest = reader->sections[MLIR_SECTION_ENTRIES];
  POD_TRY(read_offsets_of(reader, reader->attr_count, reader->attrs, &rest));
  POD_TRY(read_offsets_of(reader, reader->type_count, reader->types, &rest));
  return at_end(reader) ? NULL
                        : mlir_bytecode_error(reader, "bytes behind the last offset");
}

// --- Properties ---

static pod_status_t read_properties(mlir_bytecode_t *reader) {
  int64_t count;
  POD_TRY(mlir_bytecode_count(reader, &count));
  reader->property_count = count;
  reader->properties =
      pod_arena_array(reader->module->arena, (size_t)count, sizeof(*reader->properties));
  for (int64_t i = 0; i < count; i++) {
    uint64_t length;
    POD_TRY(mlir_bytecode_varint(reader, &length));
    POD_TRY(take(reader, length, &reader->properties[i]));
  }
  return NULL;
}

// --- Resources ---

// An alignment, a length, filling, the bytes.
static pod_status_t read_resource(mlir_bytecode_t *reader, mlir_bytes_t bytes,
                                  mlir_bytes_t *out_blob) {
  const mlir_bytes_t outer = enter(reader, bytes);
  uint64_t alignment, length;
  POD_TRY(mlir_bytecode_varint(reader, &alignment));
  POD_TRY(mlir_bytecode_varint(reader, &length));
  POD_TRY(align(reader, alignment));
  POD_TRY(take(reader, length, out_blob));
  reader->in = outer;
  return NULL;
}

// What a dialect keeps is found by its number; others' is passed over.
static pod_status_t read_resource_entry(mlir_bytecode_t *reader, bool is_dialect,
                                        mlir_bytes_t *rest) {
  const char *key;
  uint64_t length;
  uint8_t kind;
  POD_TRY(mlir_bytecode_string(reader, &key, NULL));
  POD_TRY(mlir_bytecode_varint(reader, &length));
  POD_TRY(mlir_bytecode_byte(reader, &kind));
  if (length > (uint64_t)(rest->end - rest->at)) {
    return mlir_bytecode_error(reader, "resource '%s' does not lie in its section", key);
  }
  const mlir_bytes_t bytes = {rest->at, rest->at + length};
  rest->at += length;
  if (is_dialect) {
    mlir_bytes_t blob = {NULL, NULL};  // An empty one is only declared.
    if (kind == RESOURCE_BLOB && length > 0) {
      POD_TRY(read_resource(reader, bytes, &blob));
    }
    *pod_list_add(&reader->resources) = blob;
  }
  return NULL;
}

static pod_status_t read_resource_group(mlir_bytecode_t *reader, bool is_dialect,
                                        mlir_bytes_t *rest) {
  int64_t count;
  POD_TRY(mlir_bytecode_count(reader, &count));
  for (int64_t i = 0; i < count; i++) {
    POD_TRY(read_resource_entry(reader, is_dialect, rest));
  }
  return NULL;
}

static pod_status_t read_resources(mlir_bytecode_t *reader) {
  mlir_bytes_t rest = reader->sections[MLIR_SECTION_RESOURCES];
  int64_t external_count;
  POD_TRY(mlir_bytecode_count(reader, &external_count));
  for (int64_t i = 0; i < external_count; i++) {
    const char *key;  // What others keep with a module; no program needs it.
    POD_TRY(mlir_bytecode_string(reader, &key, NULL));
    POD_TRY(read_resource_group(reader, false, &rest));
  }
  while (!at_end(reader)) {
    mlir_bytecode_group_t *group;
    POD_TRY(find_group(reader, &group));
    POD_TRY(read_resource_group(reader, true, &rest));
  }
  return NULL;
}

// --- All of them ---

static const struct {
  const char *name;
  mlir_section_t id;
  bool is_optional;
  pod_status_t (*read)(mlir_bytecode_t *reader);
} steps[] = {
    // In the order in which they need each other.
    {"strings", MLIR_SECTION_STRINGS, false, read_strings},
    {"dialects", MLIR_SECTION_DIALECTS, false, read_dialects},
    {"attributes and types", MLIR_SECTION_ENTRIES, false, NULL},
    {"offsets of attributes and types", MLIR_SECTION_ENTRY_OFFSETS, false, read_offsets},
    {"resources", MLIR_SECTION_RESOURCES, true, NULL},
    {"offsets of resources", MLIR_SECTION_RESOURCE_OFFSETS, true, read_resources},
    {"properties", MLIR_SECTION_PROPERTIES, true, read_properties},
    {"operations", MLIR_SECTION_IR, false, NULL},
};

pod_status_t mlir_bytecode_read_sections(mlir_bytecode_t *reader) {
  while (!at_end(reader)) {
    mlir_section_t id;
    mlir_bytes_t bytes;
    POD_TRY(mlir_bytecode_section(reader, &id, &bytes));
    if (reader->sections[id].at != NULL) {
      return mlir_bytecode_error(reader, "section %d stands here twice", (int)id);
    }
    reader->sections[id] = bytes;
  }
  for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
    const mlir_bytes_t bytes = reader->sections[steps[i].id];
    if (bytes.at == NULL && !steps[i].is_optional) {
      return mlir_bytecode_error(reader, "the section of %s is missing", steps[i].name);
    }
    if (bytes.at != NULL && steps[i].read != NULL) {
      const mlir_bytes_t outer = enter(reader, bytes);
      POD_TRY(steps[i].read(reader));
      reader->in = outer;
    }
  }
  reader->known = pod_arena_array(reader->module->arena,
                                  (size_t)(reader->property_count + reader->names.count),
                                  sizeof(*reader->known));
  return NULL;
}
