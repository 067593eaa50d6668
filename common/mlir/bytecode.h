// From MLIR bytecode to mlir_module_t: what mlir-opt --emit-bytecode, StableHLO's
// portable artifacts and jax.export write. The module is the one that the text of the
// same program gives: attributes and types have the kinds and the spelling that the
// parser gives them, the arguments of functions are called arg0, arg1, …, other values
// have no names.
//
// All versions of the format are read (0 to 6): strings, dialects and their versions,
// attributes and types (also those in assembly form), properties, resources, isolated
// regions in sections of their own; orders of uses are skipped. Errors later name the
// place in the program's own source by its locations; the file itself has no lines.
//
// How a dialect encodes its attributes, types and properties is asked of a table
// (mlir_bytecode_dialects_t), as the parser asks for forms; builtin and func are known.
// An operation of a dialect that is versioned becomes by its row what it is called today.
//
// Limits: as in parser.h. Nested deeper than MLIR_BYTECODE_DEPTH_MAX, attributes are an
// error and locations are forgotten.
// Cost: linear in the file, which is copied once; constants whose bytes are aligned in it
// lie in that copy.
// Threading: pure.
// Errors: INVALID_ARGUMENT with the offset of the byte in the file.

#ifndef COMMON_MLIR_BYTECODE_H_
#define COMMON_MLIR_BYTECODE_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/mlir/ir.h"

enum { MLIR_BYTECODE_VERSION_MAX = 6, MLIR_BYTECODE_DEPTH_MAX = 1024 };

// Stands on the next byte of what is being decoded.
typedef struct mlir_bytecode_t mlir_bytecode_t;

// How a dialect encodes what is its own, from the code on that tells what it is. NULL:
// everything is in assembly form.
typedef struct mlir_bytecode_dialect_t {
  const char *name;
  pod_status_t (*attr)(mlir_bytecode_t *reader, const mlir_attr_t **out_attr);
  pod_status_t (*type)(mlir_bytecode_t *reader, const mlir_type_t **out_type);
} mlir_bytecode_dialect_t;

// Attributes being gathered for an operation.
typedef struct mlir_bytecode_attrs_t {
  mlir_named_attr_t *items;  // Names are interned.
  int32_t count, capacity;
} mlir_bytecode_attrs_t;

typedef struct mlir_bytecode_op_t mlir_bytecode_op_t;
struct mlir_bytecode_op_t {
  const char *name;        // As it stands in the file: "vhlo.add_v1".
  const char *to;          // What it is called today; NULL: the same.
  const char *to_in_func;  // The same where its parent is a function; NULL: as elsewhere.
  // The attributes among its properties, in the order in which they are encoded (by
  // name), parted by blanks. `?name` may be missing; what stands behind a colon is for
  // `upgrade`. A last word `+segments`: the sizes of groups of operands follow, which are
  // skipped.
  const char *properties;
  // Makes of its attributes those that it has today. NULL: they are the same.
  pod_status_t (*upgrade)(mlir_bytecode_t *reader, const mlir_bytecode_op_t *row,
                          mlir_bytecode_attrs_t *attrs);
};

// NULL for what is unknown. Either function may be NULL.
typedef struct mlir_bytecode_dialects_t {
  const mlir_bytecode_dialect_t *(*dialect)(const char *name);
  const mlir_bytecode_op_t *(*op)(const char *name);
} mlir_bytecode_dialects_t;

// Whether it begins as bytecode does.
bool mlir_is_bytecode(const void *bytes, int64_t length);

// `bytes` are copied. `dialects` and `kind_of` may be NULL (see mlir_module_set_kinds).
// Returns owned.
POD_MUST_USE pod_status_t mlir_read_bytecode(const char *file_name, const void *bytes,
                                             int64_t length,
                                             const mlir_bytecode_dialects_t *dialects,
                                             int (*kind_of)(const char *name),
                                             mlir_module_t **out_module);

// The module's attributes alone, with no operation in it.
POD_MUST_USE pod_status_t mlir_read_bytecode_head(const char *file_name,
                                                  const void *bytes, int64_t length,
                                                  mlir_module_t **out_module);

// --- For a dialect's functions ---

mlir_module_t *mlir_bytecode_module(mlir_bytecode_t *reader);

// At the byte that is next.
POD_MUST_USE POD_PRINTF(2, 3) pod_status_t
    mlir_bytecode_error(mlir_bytecode_t *reader, const char *format, ...);

// Before a text is made of what has been read: `nodes` are its weight, or its bytes.
// Bounds the texts of attributes that refer to each other.
POD_MUST_USE pod_status_t mlir_bytecode_charge(mlir_bytecode_t *reader, int64_t nodes);

POD_MUST_USE pod_status_t mlir_bytecode_byte(mlir_bytecode_t *reader, uint8_t *out_value);
POD_MUST_USE pod_status_t mlir_bytecode_varint(mlir_bytecode_t *reader,
                                               uint64_t *out_value);
POD_MUST_USE pod_status_t mlir_bytecode_svarint(mlir_bytecode_t *reader,
                                                int64_t *out_value);
// The length of a list whose elements take a byte or more each: not more than remain.
POD_MUST_USE pod_status_t mlir_bytecode_count(mlir_bytecode_t *reader,
                                              int64_t *out_count);
// A list of signed ones, in the arena.
POD_MUST_USE pod_status_t mlir_bytecode_svarints(mlir_bytecode_t *reader,
                                                 int64_t *out_count,
                                                 int64_t **out_values);
// A length and as many bytes, which are borrowed.
POD_MUST_USE pod_status_t mlir_bytecode_blob(mlir_bytecode_t *reader,
                                             const uint8_t **out_bytes,
                                             int64_t *out_length);
// References into the tables of the file. A string ends with a NUL and may hold others.
POD_MUST_USE pod_status_t mlir_bytecode_string(mlir_bytecode_t *reader,
                                               const char **out_text,
                                               int64_t *out_length);
POD_MUST_USE pod_status_t mlir_bytecode_attr(mlir_bytecode_t *reader,
                                             const mlir_attr_t **out_attr);
POD_MUST_USE pod_status_t mlir_bytecode_type(mlir_bytecode_t *reader,
                                             const mlir_type_t **out_type);
// NULL when it is missing.
POD_MUST_USE pod_status_t mlir_bytecode_optional_attr(mlir_bytecode_t *reader,
                                                      const mlir_attr_t **out_attr);

// A double without a type.
POD_MUST_USE pod_status_t mlir_bytecode_f64(mlir_bytecode_t *reader, double *out_value);
// Lists of attributes or types, in the arena.
POD_MUST_USE pod_status_t mlir_bytecode_attrs(mlir_bytecode_t *reader, int64_t *out_count,
                                              const mlir_attr_t ***out_attrs);
POD_MUST_USE pod_status_t mlir_bytecode_types(mlir_bytecode_t *reader, int64_t *out_count,
                                              const mlir_type_t ***out_types);
// What dialects encode alike, behind the code: a list; pairs of STRING and attribute; a
// string; a type; a type and its number; a type and the elements of its constant.
POD_MUST_USE pod_status_t mlir_bytecode_array_attr(mlir_bytecode_t *reader,
                                                   const mlir_attr_t **out_attr);
POD_MUST_USE pod_status_t mlir_bytecode_dictionary_attr(mlir_bytecode_t *reader,
                                                        const mlir_attr_t **out_attr);
POD_MUST_USE pod_status_t mlir_bytecode_string_attr(mlir_bytecode_t *reader,
                                                    const mlir_attr_t **out_attr);
POD_MUST_USE pod_status_t mlir_bytecode_type_attr(mlir_bytecode_t *reader,
                                                  const mlir_attr_t **out_attr);
POD_MUST_USE pod_status_t mlir_bytecode_number_attr(mlir_bytecode_t *reader,
                                                    const mlir_attr_t **out_attr);
POD_MUST_USE pod_status_t mlir_bytecode_dense_attr(mlir_bytecode_t *reader,
                                                   const mlir_attr_t **out_attr);
// Inputs and results; a type; sizes and the type of the elements, behind an attribute for
// the encoded one; a list of types; the type of the elements.
POD_MUST_USE pod_status_t mlir_bytecode_function_type(mlir_bytecode_t *reader,
                                                      const mlir_type_t **out_type);
POD_MUST_USE pod_status_t mlir_bytecode_complex_type(mlir_bytecode_t *reader,
                                                     const mlir_type_t **out_type);
POD_MUST_USE pod_status_t mlir_bytecode_tensor_type(mlir_bytecode_t *reader,
                                                    const mlir_type_t **out_type);
POD_MUST_USE pod_status_t mlir_bytecode_encoded_tensor_type(mlir_bytecode_t *reader,
                                                            const mlir_type_t **out_type);
POD_MUST_USE pod_status_t mlir_bytecode_tuple_type(mlir_bytecode_t *reader,
                                                   const mlir_type_t **out_type);
POD_MUST_USE pod_status_t mlir_bytecode_unranked_type(mlir_bytecode_t *reader,
                                                      const mlir_type_t **out_type);
// What the parser makes of a text.
POD_MUST_USE pod_status_t mlir_bytecode_parse_type(mlir_bytecode_t *reader,
                                                   const char *text,
                                                   const mlir_type_t **out_type);
POD_MUST_USE pod_status_t mlir_bytecode_parse_attr(mlir_bytecode_t *reader,
                                                   const char *text,
                                                   const mlir_attr_t **out_attr);

// --- For upgrades ---

// NULL when it is missing. `name` need not be interned.
const mlir_attr_t *mlir_bytecode_attrs_get(const mlir_bytecode_attrs_t *attrs,
                                           const char *name);
// Adds or replaces; removes when `value` is NULL.
void mlir_bytecode_attrs_set(mlir_bytecode_t *reader, mlir_bytecode_attrs_t *attrs,
                             const char *name, const mlir_attr_t *value);

#endif  // COMMON_MLIR_BYTECODE_H_
