// Attributes and types: those of the file's tables, made when somebody asks for them, and
// the lists and references that dialects' encodings are made of.
//
// Entries refer to each other by number, in any order. One is made once; the chain of
// those being made is bounded, and one that is met again while it is being made is an
// error. As aliases do in a text, numbers let a short file stand for a huge attribute:
// the height and the weight of each are bounded (see ir_private.h).

#include <string.h>

#include "common/mlir/bytecode_private.h"
#include "common/mlir/parser.h"

// As in the parser: a location that grows beyond these bounds becomes "unknown".
enum { LOCATION_WEIGHT_MAX = 4096 };

// --- Texts ---

// A parser over `text`, which stands in no source. The attribute only carries the text.
static mlir_parser_t *parser_over(mlir_bytecode_t *reader, const char *text) {
  const mlir_attr_t body = {.body = text, .length = (int64_t)strlen(text)};
  return mlir_parser_for_body(reader->module, &body);
}

static pod_status_t expect_end(mlir_bytecode_t *reader, mlir_parser_t *parser,
                               const char *text) {
  return mlir_parser_at_end(parser)
             ? NULL
             : mlir_bytecode_error(reader, "more than an attribute or a type: %.80s",
                                   text);
}

// The parser's errors do not know the byte.
static pod_status_t at_byte(mlir_bytecode_t *reader, pod_status_t status) {
  if (status == NULL) {
    return NULL;
  }
  const pod_status_t told = mlir_bytecode_error(reader, "%s", pod_status_message(status));
  pod_status_free(status);
  return told;
}

pod_status_t mlir_bytecode_parse_type(mlir_bytecode_t *reader, const char *text,
                                      const mlir_type_t **out_type) {
  text = pod_arena_strdup(reader->module->arena, text);
  mlir_parser_t *parser = parser_over(reader, text);
  POD_TRY(at_byte(reader, mlir_parser_type(parser, out_type)));
  return expect_end(reader, parser, text);
}

pod_status_t mlir_bytecode_parse_attr(mlir_bytecode_t *reader, const char *text,
                                      const mlir_attr_t **out_attr) {
  text = pod_arena_strdup(reader->module->arena, text);
  mlir_parser_t *parser = parser_over(reader, text);
  POD_TRY(at_byte(reader, mlir_parser_attr(parser, out_attr)));
  return expect_end(reader, parser, text);
}

// --- The tables ---

static pod_status_t unknown_encoding(mlir_bytecode_t *reader,
                                     const mlir_bytecode_entry_t *entry) {
  return mlir_bytecode_error(
      reader, "how the dialect '%s' encodes its attributes and types is not known here",
      entry->dialect->name);
}

static pod_status_t assembly_text(mlir_bytecode_t *reader, const char **out_text) {
  const size_t length = (size_t)(reader->in.end - reader->in.at);
  if (length == 0 || memchr(reader->in.at, 0, length) != reader->in.end - 1) {
    return mlir_bytecode_error(reader, "a text that does not end with a NUL");
  }
  *out_text = (const char *)reader->in.at;
  return NULL;
}

static pod_status_t make_attr(mlir_bytecode_t *reader, const mlir_bytecode_entry_t *entry,
                              const mlir_attr_t **out_attr) {
  if (entry->is_custom) {
    const mlir_bytecode_dialect_t *row = entry->dialect->row;
    return row == NULL || row->attr == NULL ? unknown_encoding(reader, entry)
                                            : row->attr(reader, out_attr);
  }
  const char *text = NULL;
  POD_TRY(assembly_text(reader, &text));
  POD_TRY(mlir_bytecode_parse_attr(reader, text, out_attr));
  reader->in.at = reader->in.end;
  return NULL;
}

static pod_status_t make_type(mlir_bytecode_t *reader, const mlir_bytecode_entry_t *entry,
                              const mlir_type_t **out_type) {
  if (entry->is_custom) {
    const mlir_bytecode_dialect_t *row = entry->dialect->row;
    return row == NULL || row->type == NULL ? unknown_encoding(reader, entry)
                                            : row->type(reader, out_type);
  }
  const char *text = NULL;
  POD_TRY(assembly_text(reader, &text));
  POD_TRY(mlir_bytecode_parse_type(reader, text, out_type));
  reader->in.at = reader->in.end;
  return NULL;
}

static pod_status_t open_entry(mlir_bytecode_t *reader, mlir_bytecode_entry_t *entry,
                               mlir_bytes_t *out_outer) {
  if (entry->is_open) {
    return mlir_bytecode_error(reader, "an attribute or type that is part of itself");
  }
  if (reader->depth >= MLIR_BYTECODE_DEPTH_MAX) {
    return mlir_bytecode_error(reader, "nested more than %d levels deep",
                               MLIR_BYTECODE_DEPTH_MAX);
  }
  reader->depth++;
  entry->is_open = true;
  *out_outer = reader->in;
  reader->in = entry->bytes;
  return NULL;
}

static pod_status_t close_entry(mlir_bytecode_t *reader, mlir_bytecode_entry_t *entry,
                                mlir_bytes_t outer, int32_t height, int64_t weight) {
  if (reader->in.at != reader->in.end) {
    return mlir_bytecode_error(reader, "bytes behind the end of an attribute or a type");
  }
  if (height > MLIR_DEPTH_MAX || weight > reader->expansion_max) {
    return mlir_bytecode_error(
        reader, "an attribute or type that is nested too deep or stands for too much");
  }
  reader->in = outer;
  entry->is_open = false;
  reader->depth--;
  return NULL;
}

pod_status_t mlir_bytecode_resolve_attr(mlir_bytecode_t *reader, uint64_t index,
                                        const mlir_attr_t **out_attr) {
  if (index >= (uint64_t)reader->attr_count) {
    return mlir_bytecode_error(reader, "attribute %llu of %lld",
                               (unsigned long long)index, (long long)reader->attr_count);
  }
  mlir_bytecode_entry_t *entry = &reader->attrs[index];
  if (entry->made == NULL) {
    mlir_bytes_t outer = {NULL, NULL};
    const mlir_attr_t *made = NULL;
    POD_TRY(open_entry(reader, entry, &outer));
    POD_TRY(make_attr(reader, entry, &made));
    if (made->kind == MLIR_ATTR_LOCATION &&
        (made->height > MLIR_DEPTH_MAX || made->weight > LOCATION_WEIGHT_MAX)) {
      made = reader->unknown_location;
    }
    POD_TRY(close_entry(reader, entry, outer, made->height,
                        made->kind == MLIR_ATTR_DENSE ? 1 : made->weight));
    entry->made = made;
  }
  *out_attr = entry->made;
  return NULL;
}

pod_status_t mlir_bytecode_resolve_type(mlir_bytecode_t *reader, uint64_t index,
                                        const mlir_type_t **out_type) {
  if (index >= (uint64_t)reader->type_count) {
    return mlir_bytecode_error(reader, "type %llu of %lld", (unsigned long long)index,
                               (long long)reader->type_count);
  }
  mlir_bytecode_entry_t *entry = &reader->types[index];
  if (entry->made == NULL) {
    mlir_bytes_t outer = {NULL, NULL};
    const mlir_type_t *made = NULL;
    POD_TRY(open_entry(reader, entry, &outer));
    POD_TRY(make_type(reader, entry, &made));
    POD_TRY(close_entry(reader, entry, outer, made->height, made->weight));
    entry->made = made;
  }
  *out_type = entry->made;
  return NULL;
}

// --- References ---

pod_status_t mlir_bytecode_attr(mlir_bytecode_t *reader, const mlir_attr_t **out_attr) {
  uint64_t index;
  POD_TRY(mlir_bytecode_varint(reader, &index));
  return mlir_bytecode_resolve_attr(reader, index, out_attr);
}

pod_status_t mlir_bytecode_type(mlir_bytecode_t *reader, const mlir_type_t **out_type) {
  uint64_t index;
  POD_TRY(mlir_bytecode_varint(reader, &index));
  return mlir_bytecode_resolve_type(reader, index, out_type);
}

pod_status_t mlir_bytecode_optional_attr(mlir_bytecode_t *reader,
                                         const mlir_attr_t **out_attr) {
  uint64_t word;
  POD_TRY(mlir_bytecode_varint(reader, &word));
  *out_attr = NULL;
  return word & 1 ? mlir_bytecode_resolve_attr(reader, word >> 1, out_attr) : NULL;
}

pod_status_t mlir_bytecode_attrs(mlir_bytecode_t *reader, int64_t *out_count,
                                 const mlir_attr_t ***out_attrs) {
  POD_TRY(mlir_bytecode_count(reader, out_count));
  const mlir_attr_t **attrs =
      pod_arena_array(reader->module->arena, (size_t)*out_count, sizeof(*attrs));
  for (int64_t i = 0; i < *out_count; i++) {
    POD_TRY(mlir_bytecode_attr(reader, &attrs[i]));
  }
  *out_attrs = attrs;
  return NULL;
}

pod_status_t mlir_bytecode_types(mlir_bytecode_t *reader, int64_t *out_count,
                                 const mlir_type_t ***out_types) {
  POD_TRY(mlir_bytecode_count(reader, out_count));
  const mlir_type_t **types =
      pod_arena_array(reader->module->arena, (size_t)*out_count, sizeof(*types));
  for (int64_t i = 0; i < *out_count; i++) {
    POD_TRY(mlir_bytecode_type(reader, &types[i]));
  }
  *out_types = types;
  return NULL;
}
