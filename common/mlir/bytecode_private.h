// What the files of the bytecode reader share. Not for others.

#ifndef COMMON_MLIR_BYTECODE_PRIVATE_H_
#define COMMON_MLIR_BYTECODE_PRIVATE_H_

#include "common/base/list.h"
#include "common/mlir/bytecode.h"
#include "common/mlir/ir_private.h"

// Sections by their numbers in the file.
typedef enum mlir_section_t {
  MLIR_SECTION_STRINGS = 0,
  MLIR_SECTION_DIALECTS,
  MLIR_SECTION_ENTRIES,        // Attributes and types.
  MLIR_SECTION_ENTRY_OFFSETS,  // Where each of them stands.
  MLIR_SECTION_IR,
  MLIR_SECTION_RESOURCES,
  MLIR_SECTION_RESOURCE_OFFSETS,
  MLIR_SECTION_DIALECT_VERSIONS,
  MLIR_SECTION_PROPERTIES,
  MLIR_SECTION_COUNT,
} mlir_section_t;

// The versions of the format that brought something.
enum {
  MLIR_BYTECODE_DIALECT_VERSIONS = 1,
  MLIR_BYTECODE_ISOLATED_SECTIONS = 2,
  MLIR_BYTECODE_USE_ORDERS = 3,
  MLIR_BYTECODE_ELIDED_LOCATIONS = 4,
  MLIR_BYTECODE_PROPERTIES = 5,
  MLIR_BYTECODE_SEGMENTS = 6,
};

typedef struct mlir_bytes_t {
  const uint8_t *at, *end;  // Both NULL: there are none.
} mlir_bytes_t;

typedef struct mlir_bytecode_string_t {
  const char *text;
  int64_t length;
} mlir_bytecode_string_t;

typedef struct mlir_bytecode_group_t {
  const char *name;                    // Of the dialect.
  const mlir_bytecode_dialect_t *row;  // NULL: none is known.
} mlir_bytecode_group_t;

// An attribute or a type of the file's tables.
typedef struct mlir_bytecode_entry_t {
  mlir_bytes_t bytes;
  const mlir_bytecode_group_t *dialect;
  const void *made;  // NULL until somebody asks.
  bool is_custom;    // Else in assembly form.
  bool is_open;      // Being made.
} mlir_bytecode_entry_t;

typedef struct mlir_bytecode_name_t {
  const char *name;               // As in the file, interned.
  const mlir_bytecode_op_t *row;  // Or NULL.
  const char *to, *to_in_func;    // Interned.
  bool is_registered;
} mlir_bytecode_name_t;

// The attributes that the last operation with these properties had.
typedef struct mlir_bytecode_known_t {
  const mlir_bytecode_name_t *name;  // NULL: none yet.
  uint64_t dictionary;               // 1 + index; 0 for none.
  mlir_named_attr_t *attrs;
  int count;
} mlir_bytecode_known_t;

struct mlir_bytecode_t {
  mlir_module_t *module;
  const mlir_bytecode_dialects_t *dialects;
  const uint8_t *file;
  int64_t length;
  uint64_t version;
  mlir_bytes_t in;  // What is being decoded.
  int depth;        // Of entries.
  int region_depth;
  bool only_head;
  mlir_bytes_t sections[MLIR_SECTION_COUNT];
  mlir_bytecode_string_t *strings;
  int64_t string_count;
  mlir_bytecode_group_t *groups;
  int64_t group_count;
  POD_LIST(mlir_bytecode_name_t) names;
  mlir_bytecode_entry_t *attrs, *types;
  int64_t attr_count, type_count;
  POD_LIST(mlir_bytes_t) resources;  // Blobs of dialects by their handles.
  mlir_bytes_t *properties;
  mlir_bytecode_known_t *known;  // By the index of the properties, then by name.
  int64_t property_count;
  const mlir_attr_t *unknown_location;
  POD_LIST(mlir_value_t *) values;  // Those in sight, the innermost region's last.
  int32_t scope;                    // Where those of the isolated region start.
  mlir_bytecode_attrs_t gathered;
  int64_t expansion, expansion_max;
};

// --- bytecode_sections.c ---

POD_MUST_USE pod_status_t mlir_bytecode_read_sections(mlir_bytecode_t *reader);
// A section that stands here; moves behind it.
POD_MUST_USE pod_status_t mlir_bytecode_section(mlir_bytecode_t *reader,
                                                mlir_section_t *out_id,
                                                mlir_bytes_t *out_bytes);

// --- bytecode_entry.c ---

// By the index in the file's table.
POD_MUST_USE pod_status_t mlir_bytecode_resolve_attr(mlir_bytecode_t *reader,
                                                     uint64_t index,
                                                     const mlir_attr_t **out_attr);
POD_MUST_USE pod_status_t mlir_bytecode_resolve_type(mlir_bytecode_t *reader,
                                                     uint64_t index,
                                                     const mlir_type_t **out_type);

// --- bytecode_builtin.c ---

POD_MUST_USE pod_status_t mlir_bytecode_builtin_attr(mlir_bytecode_t *reader,
                                                     const mlir_attr_t **out_attr);
POD_MUST_USE pod_status_t mlir_bytecode_builtin_type(mlir_bytecode_t *reader,
                                                     const mlir_type_t **out_type);
const mlir_bytecode_op_t *mlir_bytecode_builtin_op(const char *name);

// --- bytecode_dense.c ---

POD_MUST_USE pod_status_t mlir_bytecode_dense_of(mlir_bytecode_t *reader,
                                                 const mlir_type_t *type,
                                                 const uint8_t *bytes, int64_t length,
                                                 const mlir_attr_t **out_attr);
POD_MUST_USE pod_status_t mlir_bytecode_dense_array(mlir_bytecode_t *reader,
                                                    const mlir_attr_t **out_attr);

// --- bytecode_ir.c ---

POD_MUST_USE pod_status_t mlir_bytecode_read_ir(mlir_bytecode_t *reader);

#endif  // COMMON_MLIR_BYTECODE_PRIVATE_H_
