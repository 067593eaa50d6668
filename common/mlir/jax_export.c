// A flatbuffer, as far as it takes to find two fields of a table: the file begins with
// the offset of the root table; a table with the distance to its vtable, whose entries
// are the offsets of the fields within the table, in the order of the schema, 0 for one
// that is missing; a field that is no number holds the offset of its value.
// https://flatbuffers.dev/internals

#include "common/mlir/jax_export.h"

#include <string.h>

#include "common/mlir/bytecode.h"

// The places of fields of the table Exported in the schema.
enum { FIELD_MODULE = 13, FIELD_VJP = 17 };

enum { VTABLE_HEADER_BYTES = 4 };

typedef struct buffer_t {
  const uint8_t *bytes;
  uint64_t length;
} buffer_t;

// Little-endian, anywhere; false outside of the file.
static bool read_number(const buffer_t *buffer, uint64_t at, size_t size,
                        uint64_t *out_value) {
  *out_value = 0;
  if (at > buffer->length || size > buffer->length - at) {
    return false;
  }
  memcpy(out_value, buffer->bytes + at, size);
  return true;
}

// What an offset that stands at `at` refers to.
static bool follow(const buffer_t *buffer, uint64_t at, uint64_t *out_at) {
  uint64_t offset;
  if (!read_number(buffer, at, sizeof(uint32_t), &offset) || offset == 0) {
    return false;
  }
  *out_at = at + offset;
  return *out_at < buffer->length;
}

// Where the value of a field lies; false when the table has none.
static bool find_field(const buffer_t *buffer, uint64_t table, unsigned field,
                       uint64_t *out_at) {
  uint64_t distance, size, offset;
  if (!read_number(buffer, table, sizeof(int32_t), &distance)) {
    return false;
  }
  const int64_t vtable = (int64_t)table - (int32_t)distance;
  const uint64_t entry = VTABLE_HEADER_BYTES + 2 * field;
  if (vtable < 0 || !read_number(buffer, (uint64_t)vtable, sizeof(uint16_t), &size) ||
      entry + 2 > size ||
      !read_number(buffer, (uint64_t)vtable + entry, sizeof(uint16_t), &offset) ||
      offset == 0) {
    return false;
  }
  return follow(buffer, table + offset, out_at);
}

// A vector of bytes that is MLIR bytecode.
static bool find_module(const buffer_t *buffer, uint64_t table, const void **out_bytes,
                        int64_t *out_length) {
  uint64_t at, count;
  if (!find_field(buffer, table, FIELD_MODULE, &at) ||
      !read_number(buffer, at, sizeof(uint32_t), &count) ||
      count > buffer->length - at - sizeof(uint32_t)) {
    return false;
  }
  *out_bytes = buffer->bytes + at + sizeof(uint32_t);
  *out_length = (int64_t)count;
  return mlir_is_bytecode(*out_bytes, *out_length);
}

static bool find_root(const void *bytes, int64_t length, buffer_t *out_buffer,
                      uint64_t *out_table) {
  *out_buffer = (buffer_t){bytes, length < 0 ? 0 : (uint64_t)length};
  return follow(out_buffer, 0, out_table);
}

bool mlir_is_jax_export(const void *bytes, int64_t length) {
  buffer_t buffer;
  uint64_t table;
  const void *module;
  int64_t module_length;
  return find_root(bytes, length, &buffer, &table) &&
         find_module(&buffer, table, &module, &module_length);
}

pod_status_t mlir_jax_export_module(const char *file_name, const void *bytes,
                                    int64_t length, int vjp_order, const void **out_bytes,
                                    int64_t *out_length) {
  buffer_t buffer;
  uint64_t table;
  if (!find_root(bytes, length, &buffer, &table)) {
    return pod_error(POD_INVALID_ARGUMENT, "%s is nothing that jax.export has written",
                     file_name);
  }
  for (int order = 1; order <= vjp_order; order++) {
    if (!find_field(&buffer, table, FIELD_VJP, &table)) {
      return pod_error(POD_NOT_FOUND,
                       "%s has no vjp of order %d: "
                       "jax.export.export(…)(…).serialize(vjp_order=%d) writes it",
                       file_name, order, vjp_order);
    }
  }
  return find_module(&buffer, table, out_bytes, out_length)
             ? NULL
             : pod_error(POD_INVALID_ARGUMENT,
                         "%s holds no program as jax.export writes them", file_name);
}
