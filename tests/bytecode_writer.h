// A small writer of MLIR bytecode, for tests and benchmarks: tables of strings,
// attributes and types, properties, and one function of operations.
//
// Version 6 of the format: https://mlir.llvm.org/docs/BytecodeFormat

#ifndef TESTS_BYTECODE_WRITER_H_
#define TESTS_BYTECODE_WRITER_H_

#include <stdint.h>
#include <string.h>

#include "common/base/text.h"

enum { BYTECODE_STRINGS_MAX = 128, BYTECODE_NAMES_MAX = 32 };

enum { BYTECODE_BUILTIN, BYTECODE_FUNC, BYTECODE_VHLO, BYTECODE_DIALECTS };

typedef struct bytecode_writer_t {
  const char *strings[BYTECODE_STRINGS_MAX];  // Borrowed.
  int string_count;
  struct {
    int dialect, string;
  } names[BYTECODE_NAMES_MAX];
  int name_count;
  pod_text_t attrs, attr_offsets, types, type_offsets, properties, body;
  int attr_count, type_count, property_count, op_count, value_count;
} bytecode_writer_t;

static inline void bytecode_varint(pod_text_t *text, uint64_t value) {
  int more = 0;
  while (more < 8 && value >> (7 * (more + 1)) != 0) {
    more++;
  }
  uint8_t bytes[9] = {0};
  if (more == 8) {
    memcpy(bytes + 1, &value, sizeof(value));
  } else {
    const uint64_t word = (value << 1 | 1) << more;
    memcpy(bytes, &word, sizeof(word));
  }
  pod_text_add_bytes(text, bytes, (size_t)more + 1);
}

static inline void bytecode_section(pod_text_t *text, int id, const pod_text_t *content) {
  const char byte = (char)id;
  pod_text_add_bytes(text, &byte, 1);
  bytecode_varint(text, content->length);
  pod_text_add_bytes(text, content->bytes, content->length);
}

static inline uint64_t bytecode_string(bytecode_writer_t *writer, const char *string) {
  int i = 0;
  while (i < writer->string_count && strcmp(writer->strings[i], string) != 0) {
    i++;
  }
  if (i == writer->string_count) {
    writer->strings[writer->string_count++] = string;
  }
  return (uint64_t)i;
}

static inline uint64_t bytecode_name(bytecode_writer_t *writer, int dialect,
                                     const char *name) {
  writer->names[writer->name_count].dialect = dialect;
  writer->names[writer->name_count].string = (int)bytecode_string(writer, name);
  return (uint64_t)writer->name_count++;
}

// An attribute, or a type, of `count` numbers behind the code, as its dialect has it.
static inline uint64_t bytecode_entry(bytecode_writer_t *writer, bool is_type,
                                      int dialect, int count, const uint64_t *numbers) {
  pod_text_t *content = is_type ? &writer->types : &writer->attrs;
  pod_text_t *offsets = is_type ? &writer->type_offsets : &writer->attr_offsets;
  const size_t start = content->length;
  for (int i = 0; i < count; i++) {
    bytecode_varint(content, numbers[i]);
  }
  bytecode_varint(offsets, (uint64_t)dialect);
  bytecode_varint(offsets, 1);
  bytecode_varint(offsets, (content->length - start) << 1 | 1);
  return (uint64_t)(is_type ? writer->type_count++ : writer->attr_count++);
}

#define BYTECODE_NUMBERS(...)                                                       \
  (int)(sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t)), (const uint64_t[]) { \
    __VA_ARGS__                                                                     \
  }

static inline uint64_t bytecode_properties(bytecode_writer_t *writer, int count,
                                           const uint64_t *attrs) {
  pod_text_t one = {0};
  for (int i = 0; i < count; i++) {
    bytecode_varint(&one, attrs[i]);
  }
  bytecode_varint(&writer->properties, one.length);
  pod_text_add_bytes(&writer->properties, one.bytes, one.length);
  pod_text_deinit(&one);
  return (uint64_t)writer->property_count++;
}

// An operation of the function. `properties` -1: it has none; `type` -1: no result.
static inline void bytecode_op(bytecode_writer_t *writer, uint64_t name,
                               uint64_t location, int64_t properties, int64_t type,
                               int operand_count, const uint64_t *operands) {
  pod_text_t *body = &writer->body;
  const char mask = (char)((properties >= 0 ? 0x40 : 0) | (type >= 0 ? 0x02 : 0) |
                           (operand_count > 0 ? 0x04 : 0));
  bytecode_varint(body, name);
  pod_text_add_bytes(body, &mask, 1);
  bytecode_varint(body, location);
  if (properties >= 0) {
    bytecode_varint(body, (uint64_t)properties);
  }
  if (type >= 0) {
    bytecode_varint(body, 1);
    bytecode_varint(body, (uint64_t)type);
    writer->value_count++;
  }
  if (operand_count > 0) {
    bytecode_varint(body, (uint64_t)operand_count);
    for (int i = 0; i < operand_count; i++) {
      bytecode_varint(body, operands[i]);
    }
  }
  writer->op_count++;
}

// A function of these arguments around the operations, in a section of its own.
static inline void bytecode_function(bytecode_writer_t *writer, pod_text_t *out,
                                     uint64_t func, uint64_t location,
                                     uint64_t properties, int argument_count,
                                     const uint64_t *argument_types) {
  pod_text_t region = {0};
  bytecode_varint(&region, 1);
  bytecode_varint(&region, (uint64_t)(writer->value_count + argument_count));
  bytecode_varint(&region,
                  (uint64_t)writer->op_count << 1 | (argument_count > 0 ? 1 : 0));
  if (argument_count > 0) {
    bytecode_varint(&region, (uint64_t)argument_count);
    for (int i = 0; i < argument_count; i++) {
      bytecode_varint(&region, argument_types[i] << 1);
    }
    pod_text_add_bytes(&region, "", 1);  // No orders of uses.
  }
  pod_text_add_bytes(&region, writer->body.bytes, writer->body.length);
  bytecode_varint(out, func);
  pod_text_add_bytes(out, "\x50", 1);
  bytecode_varint(out, location);
  bytecode_varint(out, properties);
  bytecode_varint(out, 1 << 1 | 1);
  bytecode_section(out, 4, &region);
  pod_text_deinit(&region);
}

static inline void bytecode_add_strings(const bytecode_writer_t *writer,
                                        pod_text_t *out) {
  bytecode_varint(out, (uint64_t)writer->string_count);
  for (int i = writer->string_count - 1; i >= 0; i--) {
    bytecode_varint(out, strlen(writer->strings[i]) + 1);
  }
  for (int i = 0; i < writer->string_count; i++) {
    pod_text_add_bytes(out, writer->strings[i], strlen(writer->strings[i]) + 1);
  }
}

static inline void bytecode_add_dialects(bytecode_writer_t *writer, pod_text_t *out) {
  bytecode_varint(out, BYTECODE_DIALECTS);
  bytecode_varint(out, bytecode_string(writer, "builtin") << 1);
  bytecode_varint(out, bytecode_string(writer, "func") << 1);
  bytecode_varint(out, bytecode_string(writer, "vhlo") << 1);
  bytecode_varint(out, (uint64_t)writer->name_count);
  for (int i = 0; i < writer->name_count; i++) {
    bytecode_varint(out, (uint64_t)writer->names[i].dialect);
    bytecode_varint(out, 1);
    bytecode_varint(out, (uint64_t)writer->names[i].string << 1 | 1);
  }
}

// The file; `function` is what bytecode_function has made. Frees the writer.
static inline void bytecode_finish(bytecode_writer_t *writer, uint64_t module,
                                   uint64_t location, const pod_text_t *function,
                                   pod_text_t *out) {
  pod_text_t part = {0}, body = {0};
  pod_text_add_bytes(out, "ML\xefR\x0dtest", 10);  // Version 6.
  bytecode_add_dialects(writer, &part);
  bytecode_section(out, 1, &part);
  pod_text_clear(&part);
  pod_text_add_bytes(&part, writer->attrs.bytes, writer->attrs.length);
  pod_text_add_bytes(&part, writer->types.bytes, writer->types.length);
  bytecode_section(out, 2, &part);
  pod_text_clear(&part);
  bytecode_varint(&part, (uint64_t)writer->attr_count);
  bytecode_varint(&part, (uint64_t)writer->type_count);
  pod_text_add_bytes(&part, writer->attr_offsets.bytes, writer->attr_offsets.length);
  pod_text_add_bytes(&part, writer->type_offsets.bytes, writer->type_offsets.length);
  bytecode_section(out, 3, &part);
  pod_text_clear(&part);
  bytecode_varint(&body, 1);
  bytecode_varint(&body, 0);
  bytecode_varint(&body, 1 << 1);
  pod_text_add_bytes(&body, function->bytes, function->length);
  bytecode_varint(&part, 1 << 1);
  bytecode_varint(&part, module);
  pod_text_add_bytes(&part, "\x10", 1);
  bytecode_varint(&part, location);
  bytecode_varint(&part, 1 << 1 | 1);
  bytecode_section(&part, 4, &body);
  bytecode_section(out, 4, &part);
  pod_text_clear(&part);
  bytecode_varint(&part, (uint64_t)writer->property_count);
  pod_text_add_bytes(&part, writer->properties.bytes, writer->properties.length);
  bytecode_section(out, 8, &part);
  pod_text_clear(&part);
  bytecode_add_strings(writer, &part);
  bytecode_section(out, 0, &part);
  pod_text_t *const texts[] = {&part,
                               &body,
                               &writer->attrs,
                               &writer->attr_offsets,
                               &writer->types,
                               &writer->type_offsets,
                               &writer->properties,
                               &writer->body};
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    pod_text_deinit(texts[i]);
  }
}

#endif  // TESTS_BYTECODE_WRITER_H_
