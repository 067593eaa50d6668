// The primitives of the encoding, and the reading of a whole file: sections first, then
// the operations, which ask for the attributes and types that they name.
//
// `in` always lies in the file's copy; whatever decodes a part of it puts the rest back.
// The format: https://mlir.llvm.org/docs/BytecodeFormat

#include "common/mlir/bytecode.h"

#include <stdarg.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/base/text.h"
#include "common/mlir/bytecode_private.h"

// The nodes that shared attributes may stand for, as in the parser.
#define EXPANSION_BASE ((int64_t)1 << 18)
#define EXPANSION_PER_BYTE 16
#define EXPANSION_MAX ((int64_t)1 << 26)

static const char magic[4] = {'M', 'L', '\xef', 'R'};

mlir_module_t *mlir_bytecode_module(mlir_bytecode_t *reader) {
  return reader->module;
}

pod_status_t mlir_bytecode_error(mlir_bytecode_t *reader, const char *format, ...) {
  pod_text_t text = {0};
  pod_text_printf(&text, "%s: byte %lld: ", reader->module->file_name,
                  (long long)(reader->in.at - reader->file));
  va_list args;
  va_start(args, format);
  pod_text_vprintf(&text, format, args);
  va_end(args);
  const pod_status_t status =
      pod_error_text(__FILE__, __LINE__, POD_INVALID_ARGUMENT, text.bytes);
  pod_text_deinit(&text);
  return status;
}

pod_status_t mlir_bytecode_charge(mlir_bytecode_t *reader, int64_t nodes) {
  reader->expansion += nodes;
  return reader->expansion <= reader->expansion_max
             ? NULL
             : mlir_bytecode_error(
                   reader, "the attributes of this module stand for too large a text");
}

// --- Primitives ---

static pod_status_t too_short(mlir_bytecode_t *reader) {
  return mlir_bytecode_error(reader, "the bytecode ends too early here");
}

pod_status_t mlir_bytecode_byte(mlir_bytecode_t *reader, uint8_t *out_value) {
  if (reader->in.at == reader->in.end) {
    return too_short(reader);
  }
  *out_value = *reader->in.at++;
  return NULL;
}

// The zeros below the lowest one of the first byte say how many bytes follow.
pod_status_t mlir_bytecode_varint(mlir_bytecode_t *reader, uint64_t *out_value) {
  if (reader->in.at == reader->in.end) {
    return too_short(reader);
  }
  const uint8_t first = *reader->in.at;
  if (first & 1) {
    reader->in.at++;
    *out_value = first >> 1;
    return NULL;
  }
  const int more = first == 0 ? 8 : __builtin_ctz(first);
  if (reader->in.end - reader->in.at <= more) {
    return too_short(reader);
  }
  uint64_t value = 0;
  if (more == 8) {
    memcpy(&value, reader->in.at + 1, 8);  // Little-endian.
  } else {
    memcpy(&value, reader->in.at, (size_t)more + 1);
    value >>= more + 1;
  }
  reader->in.at += more + 1;
  *out_value = value;
  return NULL;
}

pod_status_t mlir_bytecode_svarint(mlir_bytecode_t *reader, int64_t *out_value) {
  uint64_t value;
  POD_TRY(mlir_bytecode_varint(reader, &value));
  *out_value = (int64_t)((value >> 1) ^ (0 - (value & 1)));
  return NULL;
}

pod_status_t mlir_bytecode_count(mlir_bytecode_t *reader, int64_t *out_count) {
  uint64_t count;
  POD_TRY(mlir_bytecode_varint(reader, &count));
  if (count > (uint64_t)(reader->in.end - reader->in.at)) {
    return mlir_bytecode_error(reader, "a list of %llu elements, but %lld bytes remain",
                               (unsigned long long)count,
                               (long long)(reader->in.end - reader->in.at));
  }
  *out_count = (int64_t)count;
  return NULL;
}

pod_status_t mlir_bytecode_svarints(mlir_bytecode_t *reader, int64_t *out_count,
                                    int64_t **out_values) {
  POD_TRY(mlir_bytecode_count(reader, out_count));
  int64_t *values =
      pod_arena_array(reader->module->arena, (size_t)*out_count, sizeof(*values));
  for (int64_t i = 0; i < *out_count; i++) {
    POD_TRY(mlir_bytecode_svarint(reader, &values[i]));
  }
  *out_values = values;
  return NULL;
}

pod_status_t mlir_bytecode_blob(mlir_bytecode_t *reader, const uint8_t **out_bytes,
                                int64_t *out_length) {
  POD_TRY(mlir_bytecode_count(reader, out_length));
  *out_bytes = reader->in.at;
  reader->in.at += *out_length;
  return NULL;
}

pod_status_t mlir_bytecode_string(mlir_bytecode_t *reader, const char **out_text,
                                  int64_t *out_length) {
  uint64_t index;
  POD_TRY(mlir_bytecode_varint(reader, &index));
  if (index >= (uint64_t)reader->string_count) {
    return mlir_bytecode_error(reader, "string %llu of %lld", (unsigned long long)index,
                               (long long)reader->string_count);
  }
  *out_text = reader->strings[index].text;
  if (out_length != NULL) {
    *out_length = reader->strings[index].length;
  }
  return NULL;
}

pod_status_t mlir_bytecode_f64(mlir_bytecode_t *reader, double *out_value) {
  int64_t bits;
  POD_TRY(mlir_bytecode_svarint(reader, &bits));
  memcpy(out_value, &bits, sizeof(bits));
  return NULL;
}

// --- Attributes of an operation ---

const mlir_attr_t *mlir_bytecode_attrs_get(const mlir_bytecode_attrs_t *attrs,
                                           const char *name) {
  for (int32_t i = 0; i < attrs->count; i++) {
    if (attrs->items[i].name == name || strcmp(attrs->items[i].name, name) == 0) {
      return attrs->items[i].value;
    }
  }
  return NULL;
}

void mlir_bytecode_attrs_set(mlir_bytecode_t *reader, mlir_bytecode_attrs_t *attrs,
                             const char *name, const mlir_attr_t *value) {
  name = mlir_intern(reader->module, name);
  int32_t i = 0;
  while (i < attrs->count && attrs->items[i].name != name) {
    i++;
  }
  if (value == NULL) {
    if (i < attrs->count) {
      attrs->count--;
      memmove(&attrs->items[i], &attrs->items[i + 1],
              (size_t)(attrs->count - i) * sizeof(*attrs->items));
    }
    return;
  }
  if (i == attrs->count) {
    pod_list_add(attrs)->name = name;
  }
  attrs->items[i].value = value;
}

// --- The whole ---

bool mlir_is_bytecode(const void *bytes, int64_t length) {
  return length >= (int64_t)sizeof(magic) && memcmp(bytes, magic, sizeof(magic)) == 0;
}

static pod_status_t read_header(mlir_bytecode_t *reader) {
  reader->in.at += sizeof(magic);
  POD_TRY(mlir_bytecode_varint(reader, &reader->version));
  if (reader->version > MLIR_BYTECODE_VERSION_MAX) {
    return mlir_bytecode_error(
        reader, "version %llu of the bytecode; versions up to %d are read",
        (unsigned long long)reader->version, MLIR_BYTECODE_VERSION_MAX);
  }
  const uint8_t *producer_end =
      memchr(reader->in.at, 0, (size_t)(reader->in.end - reader->in.at));
  if (producer_end == NULL) {
    return too_short(reader);
  }
  reader->in.at = producer_end + 1;
  return NULL;
}

static pod_status_t read_all(mlir_bytecode_t *reader) {
  POD_TRY(read_header(reader));
  POD_TRY(mlir_bytecode_read_sections(reader));
  return mlir_bytecode_read_ir(reader);
}

static void reader_init(mlir_bytecode_t *reader, const void *bytes, int64_t length) {
  pod_arena_t *arena = reader->module->arena;
  reader->file = pod_arena_copy(arena, bytes, (size_t)length);
  reader->length = length;
  reader->in = (mlir_bytes_t){reader->file, reader->file + length};
  reader->expansion_max = EXPANSION_BASE + EXPANSION_PER_BYTE * length;
  if (reader->expansion_max > EXPANSION_MAX) {
    reader->expansion_max = EXPANSION_MAX;
  }
  reader->unknown_location = mlir_attr_new(reader->module, MLIR_ATTR_LOCATION);
}

static void reader_deinit(mlir_bytecode_t *reader) {
  pod_list_deinit(&reader->names);
  pod_list_deinit(&reader->resources);
  pod_list_deinit(&reader->values);
  pod_list_deinit(&reader->gathered);
}

static pod_status_t read_file(const char *file_name, const void *bytes, int64_t length,
                              const mlir_bytecode_dialects_t *dialects,
                              int (*kind_of)(const char *name), bool only_head,
                              mlir_module_t **out_module) {
  if (length < 0 || length >= INT32_MAX) {
    return pod_error(POD_INVALID_ARGUMENT, "%s: %lld bytes of bytecode; at most 2 GiB",
                     file_name, (long long)length);
  }
  if (!mlir_is_bytecode(bytes, length)) {
    return pod_error(POD_INVALID_ARGUMENT, "%s is no MLIR bytecode", file_name);
  }
  mlir_module_t *module = mlir_module_create(file_name);
  mlir_module_set_kinds(module, kind_of);
  mlir_bytecode_t reader = {
      .module = module, .dialects = dialects, .only_head = only_head};
  reader_init(&reader, bytes, length);
  const pod_status_t status = read_all(&reader);
  reader_deinit(&reader);
  if (status != NULL) {
    mlir_module_destroy(module);
    return status;
  }
  *out_module = module;
  return NULL;
}

pod_status_t mlir_read_bytecode(const char *file_name, const void *bytes, int64_t length,
                                const mlir_bytecode_dialects_t *dialects,
                                int (*kind_of)(const char *name),
                                mlir_module_t **out_module) {
  static const mlir_bytecode_dialects_t none = {NULL, NULL};
  return read_file(file_name, bytes, length, dialects == NULL ? &none : dialects, kind_of,
                   false, out_module);
}

pod_status_t mlir_read_bytecode_head(const char *file_name, const void *bytes,
                                     int64_t length, mlir_module_t **out_module) {
  static const mlir_bytecode_dialects_t none = {NULL, NULL};
  return read_file(file_name, bytes, length, &none, NULL, true, out_module);
}
