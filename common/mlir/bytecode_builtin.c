// How the builtin dialect encodes its attributes and types: a code, then what the tables
// below name. The codes are those of mlir/IR/BuiltinDialectBytecode.td.

#include <string.h>

#include "common/base/check.h"
#include "common/base/text.h"
#include "common/mlir/bytecode_private.h"
#include "common/mlir/parser.h"
#include "common/mlir/printer.h"

// --- Attributes ---

static pod_status_t expect_kind(mlir_bytecode_t *reader, const mlir_attr_t *attr,
                                mlir_attr_kind_t kind, const char *what) {
  return attr->kind == kind ? NULL : mlir_bytecode_error(reader, "expected %s", what);
}

// A reference to a STRING; no NULs inside, as names have none.
static pod_status_t read_name(mlir_bytecode_t *reader, const char **out_text) {
  const mlir_attr_t *attr;
  POD_TRY(mlir_bytecode_attr(reader, &attr));
  POD_TRY(expect_kind(reader, attr, MLIR_ATTR_STRING, "a string"));
  if (strlen(attr->text) != (size_t)attr->length) {
    return mlir_bytecode_error(reader, "a NUL in a name");
  }
  *out_text = attr->text;
  return NULL;
}

pod_status_t mlir_bytecode_array_attr(mlir_bytecode_t *reader,
                                      const mlir_attr_t **out_attr) {
  int64_t count;
  const mlir_attr_t **elements;
  POD_TRY(mlir_bytecode_attrs(reader, &count, &elements));
  *out_attr = mlir_attr_array(reader->module, count, elements);
  return NULL;
}

pod_status_t mlir_bytecode_dictionary_attr(mlir_bytecode_t *reader,
                                           const mlir_attr_t **out_attr) {
  int64_t count;
  POD_TRY(mlir_bytecode_count(reader, &count));
  mlir_named_attr_t *entries =
      pod_arena_array(reader->module->arena, (size_t)count, sizeof(*entries));
  for (int64_t i = 0; i < count; i++) {
    POD_TRY(read_name(reader, &entries[i].name));
    POD_TRY(mlir_bytecode_attr(reader, &entries[i].value));
  }
  *out_attr = mlir_attr_dictionary(reader->module, count, entries);
  return NULL;
}

pod_status_t mlir_bytecode_string_attr(mlir_bytecode_t *reader,
                                       const mlir_attr_t **out_attr) {
  mlir_attr_t *attr = mlir_attr_new(reader->module, MLIR_ATTR_STRING);
  POD_TRY(mlir_bytecode_string(reader, &attr->text, &attr->length));
  attr->weight = 1 + attr->length / 16;
  *out_attr = attr;
  return NULL;
}

static pod_status_t read_typed_string(mlir_bytecode_t *reader,
                                      const mlir_attr_t **out_attr) {
  const mlir_type_t *ignored;
  POD_TRY(mlir_bytecode_string_attr(reader, out_attr));
  return mlir_bytecode_type(reader, &ignored);
}

static pod_status_t read_flat_symbol(mlir_bytecode_t *reader,
                                     const mlir_attr_t **out_attr) {
  const char *text = NULL;
  POD_TRY(read_name(reader, &text));
  *out_attr = mlir_attr_symbol(reader->module, text);
  return NULL;
}

static pod_status_t read_symbol(mlir_bytecode_t *reader, const mlir_attr_t **out_attr) {
  const char *text = NULL;
  POD_TRY(read_name(reader, &text));
  mlir_attr_t *attr = mlir_attr_new(reader->module, MLIR_ATTR_SYMBOL);
  attr->text = text;
  attr->length = (int64_t)strlen(text);
  POD_TRY(mlir_bytecode_attrs(reader, &attr->count, &attr->elements));
  for (int64_t i = 0; i < attr->count; i++) {
    const mlir_attr_t *nested = attr->elements[i];
    POD_TRY(expect_kind(reader, nested, MLIR_ATTR_SYMBOL, "a symbol"));
    mlir_nesting_add(&attr->height, &attr->weight, nested->height, nested->weight);
  }
  *out_attr = attr;
  return NULL;
}

pod_status_t mlir_bytecode_type_attr(mlir_bytecode_t *reader,
                                     const mlir_attr_t **out_attr) {
  const mlir_type_t *type;
  POD_TRY(mlir_bytecode_type(reader, &type));
  *out_attr = mlir_attr_type(reader->module, type);
  return NULL;
}

static pod_status_t read_unit(mlir_bytecode_t *reader, const mlir_attr_t **out_attr) {
  *out_attr = mlir_attr_unit(reader->module);
  return NULL;
}

static pod_status_t read_resource(mlir_bytecode_t *reader, const mlir_attr_t **out_attr) {
  const mlir_type_t *type;
  uint64_t index;
  POD_TRY(mlir_bytecode_type(reader, &type));
  POD_TRY(mlir_bytecode_varint(reader, &index));
  if (index >= (uint64_t)reader->resources.count) {
    return mlir_bytecode_error(reader, "resource %llu of %d", (unsigned long long)index,
                               reader->resources.count);
  }
  const mlir_bytes_t blob = reader->resources.items[index];
  if (blob.at == NULL) {
    return mlir_bytecode_error(reader,
                               "the bytes of this constant were left out when "
                               "the module was written");
  }
  return mlir_bytecode_dense_of(reader, type, blob.at, blob.end - blob.at, out_attr);
}

// --- Locations ---

static mlir_attr_t *new_location(mlir_bytecode_t *reader, mlir_location_kind_t kind) {
  mlir_attr_t *attr = mlir_attr_new(reader->module, MLIR_ATTR_LOCATION);
  attr->location_kind = kind;
  return attr;
}

static pod_status_t read_child(mlir_bytecode_t *reader, mlir_attr_t *parent,
                               const mlir_attr_t **out_child) {
  POD_TRY(mlir_bytecode_attr(reader, out_child));
  POD_TRY(expect_kind(reader, *out_child, MLIR_ATTR_LOCATION, "a location"));
  mlir_nesting_add(&parent->height, &parent->weight, (*out_child)->height,
                   (*out_child)->weight);
  return NULL;
}

static pod_status_t read_call_site(mlir_bytecode_t *reader,
                                   const mlir_attr_t **out_attr) {
  mlir_attr_t *attr = new_location(reader, MLIR_LOCATION_CALLSITE);
  POD_TRY(read_child(reader, attr, &attr->location_child));
  POD_TRY(read_child(reader, attr, &attr->location_caller));
  *out_attr = attr;
  return NULL;
}

static pod_status_t read_place(mlir_bytecode_t *reader, int64_t *out_number) {
  uint64_t number;
  POD_TRY(mlir_bytecode_varint(reader, &number));
  *out_number = (int64_t)(number & UINT32_MAX);
  return NULL;
}

static pod_status_t new_file(mlir_bytecode_t *reader, mlir_attr_t **out_attr) {
  mlir_attr_t *attr = new_location(reader, MLIR_LOCATION_FILE);
  POD_TRY(read_name(reader, &attr->text));
  attr->weight = 1 + (int64_t)strlen(attr->text) / 16;
  *out_attr = attr;
  return NULL;
}

static pod_status_t read_file(mlir_bytecode_t *reader, const mlir_attr_t **out_attr) {
  mlir_attr_t *attr;
  POD_TRY(new_file(reader, &attr));
  *out_attr = attr;
  POD_TRY(read_place(reader, &attr->integer));
  return read_place(reader, &attr->length);
}

// Line, column and the end of a range, as far as they are known; the start counts.
static pod_status_t read_file_range(mlir_bytecode_t *reader,
                                    const mlir_attr_t **out_attr) {
  mlir_attr_t *attr;
  int64_t count;
  POD_TRY(new_file(reader, &attr));
  *out_attr = attr;
  POD_TRY(mlir_bytecode_count(reader, &count));
  for (int64_t i = 0; i < count; i++) {
    int64_t number;
    POD_TRY(read_place(reader, &number));
    attr->integer = i == 0 ? number : attr->integer;
    attr->length = i == 1 ? number : attr->length;
  }
  return NULL;
}

static pod_status_t read_fused(mlir_bytecode_t *reader, const mlir_attr_t **out_attr) {
  mlir_attr_t *attr = new_location(reader, MLIR_LOCATION_FUSED);
  POD_TRY(mlir_bytecode_attrs(reader, &attr->count, &attr->elements));
  for (int64_t i = 0; i < attr->count; i++) {
    const mlir_attr_t *child = attr->elements[i];
    POD_TRY(expect_kind(reader, child, MLIR_ATTR_LOCATION, "a location"));
    mlir_nesting_add(&attr->height, &attr->weight, child->height, child->weight);
  }
  *out_attr = attr;
  return NULL;
}

static pod_status_t read_fused_with_metadata(mlir_bytecode_t *reader,
                                             const mlir_attr_t **out_attr) {
  const mlir_attr_t *ignored;
  POD_TRY(read_fused(reader, out_attr));
  return mlir_bytecode_attr(reader, &ignored);
}

static pod_status_t read_name_location(mlir_bytecode_t *reader,
                                       const mlir_attr_t **out_attr) {
  mlir_attr_t *attr = new_location(reader, MLIR_LOCATION_NAME);
  POD_TRY(read_name(reader, &attr->text));
  attr->length = (int64_t)strlen(attr->text);
  attr->weight = 1 + attr->length / 16;
  const mlir_attr_t *child;
  POD_TRY(read_child(reader, attr, &child));
  if (child->location_kind != MLIR_LOCATION_UNKNOWN) {
    attr->location_child = child;
  } else {
    attr->height = 1;  // Written "name" alone.
  }
  *out_attr = attr;
  return NULL;
}

static pod_status_t read_unknown(mlir_bytecode_t *reader, const mlir_attr_t **out_attr) {
  *out_attr = reader->unknown_location;
  return NULL;
}

static const struct {
  const char *name;
  pod_status_t (*read)(mlir_bytecode_t *reader, const mlir_attr_t **out_attr);
} attr_rows[] = {
    {"array", mlir_bytecode_array_attr},
    {"dictionary", mlir_bytecode_dictionary_attr},
    {"string", mlir_bytecode_string_attr},
    {"string of a type", read_typed_string},
    {"symbol", read_flat_symbol},
    {"nested symbol", read_symbol},
    {"type", mlir_bytecode_type_attr},
    {"unit", read_unit},
    {"integer", mlir_bytecode_number_attr},
    {"float", mlir_bytecode_number_attr},
    {"call site", read_call_site},
    {"place in a file", read_file},
    {"fused location", read_fused},
    {"fused location with metadata", read_fused_with_metadata},
    {"named location", read_name_location},
    {"unknown location", read_unknown},
    {"dense_resource", read_resource},
    {"array of numbers", mlir_bytecode_dense_array},
    {"dense", mlir_bytecode_dense_attr},
    {"dense of strings", NULL},
    {"sparse", NULL},
    {"distinct", NULL},
    {"range in a file", read_file_range},
};

pod_status_t mlir_bytecode_builtin_attr(mlir_bytecode_t *reader,
                                        const mlir_attr_t **out_attr) {
  uint64_t code;
  POD_TRY(mlir_bytecode_varint(reader, &code));
  if (code >= POD_COUNT_OF(attr_rows)) {
    return mlir_bytecode_error(reader, "builtin attribute %llu is not known here",
                               (unsigned long long)code);
  }
  if (attr_rows[code].read == NULL) {
    return mlir_bytecode_error(reader, "attributes of the kind '%s' are not supported",
                               attr_rows[code].name);
  }
  return attr_rows[code].read(reader, out_attr);
}

// --- Types ---

// i32, si8, ui4: the width times four, and which of the three.
static pod_status_t read_integer_type(mlir_bytecode_t *reader,
                                      const mlir_type_t **out_type) {
  static const char *const prefixes[] = {"i", "si", "ui"};
  uint64_t word;
  POD_TRY(mlir_bytecode_varint(reader, &word));
  if ((word & 3) >= POD_COUNT_OF(prefixes) || word >> 2 >= 1 << 24) {
    return mlir_bytecode_error(reader, "no integer type");
  }
  char name[16];
  pod_text_t text = {0};
  pod_text_printf(&text, "%s%llu", prefixes[word & 3], (unsigned long long)(word >> 2));
  memcpy(name, text.bytes, text.length + 1);
  pod_text_deinit(&text);
  return mlir_bytecode_parse_type(reader, name, out_type);
}

pod_status_t mlir_bytecode_function_type(mlir_bytecode_t *reader,
                                         const mlir_type_t **out_type) {
  int64_t input_count, result_count;
  const mlir_type_t **inputs, **results;
  POD_TRY(mlir_bytecode_types(reader, &input_count, &inputs));
  POD_TRY(mlir_bytecode_types(reader, &result_count, &results));
  *out_type = mlir_type_function(reader->module, (int)input_count, inputs,
                                 (int)result_count, results);
  return NULL;
}

// A type around another one, as the parser reads it.
static pod_status_t read_around(mlir_bytecode_t *reader, const char *prefix,
                                const mlir_type_t **out_type) {
  const mlir_type_t *element = NULL;
  POD_TRY(mlir_bytecode_type(reader, &element));
  POD_TRY(mlir_bytecode_charge(reader, element->weight));
  pod_text_t text = {0};
  pod_text_add(&text, prefix);
  mlir_type_print(&text, element);
  pod_text_add(&text, ">");
  const pod_status_t status = mlir_bytecode_parse_type(reader, text.bytes, out_type);
  pod_text_deinit(&text);
  return status;
}

pod_status_t mlir_bytecode_complex_type(mlir_bytecode_t *reader,
                                        const mlir_type_t **out_type) {
  return read_around(reader, "complex<", out_type);
}

// A tensor of elements that are none of ours, as the parser keeps it.
static pod_status_t foreign_tensor(mlir_bytecode_t *reader, int64_t rank,
                                   const int64_t *sizes, const mlir_type_t *element,
                                   const mlir_type_t **out_type) {
  POD_TRY(mlir_bytecode_charge(reader, element->weight));
  pod_text_t text = {0};
  pod_text_add(&text, "tensor<");
  for (int64_t i = 0; i < rank; i++) {
    if (sizes[i] < 0) {
      pod_text_add(&text, "?x");
    } else {
      pod_text_printf(&text, "%lldx", (long long)sizes[i]);
    }
  }
  mlir_type_print(&text, element);
  pod_text_add(&text, ">");
  const pod_status_t status = mlir_bytecode_parse_type(reader, text.bytes, out_type);
  pod_text_deinit(&text);
  return status;
}

static pod_status_t shape_of(mlir_bytecode_t *reader, int64_t rank, const int64_t *sizes,
                             tensor_dtype_t dtype, tensor_shape_t *out_shape) {
  if (rank > TENSOR_RANK_MAX) {
    return mlir_bytecode_error(reader, "more than %d dimensions", TENSOR_RANK_MAX);
  }
  *out_shape = (tensor_shape_t){.dtype = dtype, .rank = (int)rank};
  int64_t bytes = (int64_t)tensor_dtype_bytes(dtype);
  for (int64_t i = 0; i < rank; i++) {
    const bool is_dynamic = sizes[i] < 0;
    out_shape->dims[i] = is_dynamic ? TENSOR_DYNAMIC : sizes[i];
    // Sizes of 0 do not help: strides are products of the others.
    if (sizes[i] > 0 && __builtin_mul_overflow(bytes, sizes[i], &bytes)) {
      return mlir_bytecode_error(reader, "the bytes of this tensor do not fit 64 bits");
    }
  }
  return NULL;
}

static pod_status_t read_tensor(mlir_bytecode_t *reader, const mlir_attr_t *encoding,
                                const mlir_type_t **out_type) {
  int64_t rank, *sizes;
  const mlir_type_t *element;
  POD_TRY(mlir_bytecode_svarints(reader, &rank, &sizes));
  POD_TRY(mlir_bytecode_type(reader, &element));
  if (element->kind != MLIR_TYPE_SCALAR) {
    return foreign_tensor(reader, rank, sizes, element, out_type);
  }
  tensor_shape_t shape;
  POD_TRY(shape_of(reader, rank, sizes, element->shape.dtype, &shape));
  if (encoding == NULL) {
    *out_type = mlir_type_tensor(reader->module, &shape);
    return NULL;
  }
  mlir_type_t *type = mlir_type_new(reader->module, MLIR_TYPE_TENSOR);
  type->shape = shape;
  type->encoding = encoding;
  mlir_nesting_add(&type->height, &type->weight, encoding->height, encoding->weight);
  *out_type = type;
  return NULL;
}

pod_status_t mlir_bytecode_tensor_type(mlir_bytecode_t *reader,
                                       const mlir_type_t **out_type) {
  return read_tensor(reader, NULL, out_type);
}

pod_status_t mlir_bytecode_encoded_tensor_type(mlir_bytecode_t *reader,
                                               const mlir_type_t **out_type) {
  const mlir_attr_t *encoding = NULL;
  POD_TRY(mlir_bytecode_attr(reader, &encoding));
  return read_tensor(reader, encoding, out_type);
}

pod_status_t mlir_bytecode_tuple_type(mlir_bytecode_t *reader,
                                      const mlir_type_t **out_type) {
  int64_t count;
  const mlir_type_t **types;
  POD_TRY(mlir_bytecode_types(reader, &count, &types));
  *out_type = mlir_type_tuple(reader->module, (int)count, types);
  return NULL;
}

pod_status_t mlir_bytecode_unranked_type(mlir_bytecode_t *reader,
                                         const mlir_type_t **out_type) {
  return read_around(reader, "tensor<*x", out_type);
}

// --- Types of memory and of vectors, which stay text ---

static void add_sizes(pod_text_t *text, int64_t rank, const int64_t *sizes,
                      const bool *are_scalable) {
  for (int64_t i = 0; i < rank; i++) {
    const bool is_scalable = are_scalable != NULL && are_scalable[i];
    pod_text_add(text, is_scalable ? "[" : "");
    if (sizes[i] < 0) {
      pod_text_add(text, "?");
    } else {
      pod_text_add_int(text, sizes[i]);
    }
    pod_text_add(text, is_scalable ? "]x" : "x");
  }
}

// (d0, d1) -> (d0, d1), which nobody writes.
static bool is_identity(const mlir_attr_t *layout, int64_t rank) {
  if (layout->kind != MLIR_ATTR_DIALECT || strcmp(layout->text, "affine_map") != 0 ||
      layout->body == NULL) {
    return false;
  }
  pod_text_t text = {0};
  for (int half = 0; half < 2; half++) {
    pod_text_add(&text, half == 0 ? "(" : " -> (");
    for (int64_t i = 0; i < rank; i++) {
      pod_text_printf(&text, i == 0 ? "d%lld" : ", d%lld", (long long)i);
    }
    pod_text_add(&text, ")");
  }
  const bool is_same = strcmp(text.bytes, layout->body) == 0;
  pod_text_deinit(&text);
  return is_same;
}

static pod_status_t read_memref(mlir_bytecode_t *reader, const mlir_attr_t *space,
                                const mlir_type_t **out_type) {
  int64_t rank, *sizes;
  const mlir_type_t *element = NULL;
  const mlir_attr_t *layout = NULL;
  POD_TRY(mlir_bytecode_svarints(reader, &rank, &sizes));
  POD_TRY(mlir_bytecode_type(reader, &element));
  POD_TRY(mlir_bytecode_attr(reader, &layout));
  const int64_t space_weight = space == NULL ? 0 : space->weight;
  POD_TRY(mlir_bytecode_charge(reader,
                               element->weight + layout->weight + space_weight + rank));
  pod_text_t text = {0};
  pod_text_add(&text, "memref<");
  add_sizes(&text, rank, sizes, NULL);
  mlir_type_print(&text, element);
  if (!is_identity(layout, rank)) {
    pod_text_add(&text, ", ");
    mlir_attr_print(&text, layout, 0);
  }
  if (space != NULL) {
    pod_text_add(&text, ", ");
    mlir_attr_print(&text, space, 0);
  }
  pod_text_add(&text, ">");
  const pod_status_t status = mlir_bytecode_parse_type(reader, text.bytes, out_type);
  pod_text_deinit(&text);
  return status;
}

static pod_status_t read_plain_memref(mlir_bytecode_t *reader,
                                      const mlir_type_t **out_type) {
  return read_memref(reader, NULL, out_type);
}

static pod_status_t read_memref_in_space(mlir_bytecode_t *reader,
                                         const mlir_type_t **out_type) {
  const mlir_attr_t *space = NULL;
  POD_TRY(mlir_bytecode_attr(reader, &space));
  return read_memref(reader, space, out_type);
}

static pod_status_t read_vector_of(mlir_bytecode_t *reader, int64_t scalable_count,
                                   const bool *are_scalable,
                                   const mlir_type_t **out_type) {
  int64_t rank, *sizes;
  const mlir_type_t *element = NULL;
  POD_TRY(mlir_bytecode_svarints(reader, &rank, &sizes));
  POD_TRY(mlir_bytecode_type(reader, &element));
  if (are_scalable != NULL && scalable_count != rank) {
    return mlir_bytecode_error(reader,
                               "a vector says of other dimensions than it has "
                               "that they are scalable");
  }
  POD_TRY(mlir_bytecode_charge(reader, element->weight + rank));
  pod_text_t text = {0};
  pod_text_add(&text, "vector<");
  add_sizes(&text, rank, sizes, are_scalable);
  mlir_type_print(&text, element);
  pod_text_add(&text, ">");
  const pod_status_t status = mlir_bytecode_parse_type(reader, text.bytes, out_type);
  pod_text_deinit(&text);
  return status;
}

static pod_status_t read_vector(mlir_bytecode_t *reader, const mlir_type_t **out_type) {
  return read_vector_of(reader, 0, NULL, out_type);
}

static pod_status_t read_scalable_vector(mlir_bytecode_t *reader,
                                         const mlir_type_t **out_type) {
  int64_t count;
  POD_TRY(mlir_bytecode_count(reader, &count));
  bool *are_scalable =
      pod_arena_array(reader->module->arena, (size_t)count, sizeof(bool));
  for (int64_t i = 0; i < count; i++) {
    uint8_t byte;
    POD_TRY(mlir_bytecode_byte(reader, &byte));
    are_scalable[i] = byte != 0;
  }
  return read_vector_of(reader, count, are_scalable, out_type);
}

static const struct {
  const char *name;  // Its spelling, when nothing follows the code.
  pod_status_t (*read)(mlir_bytecode_t *reader, const mlir_type_t **out_type);
} type_rows[] = {
    {"integer", read_integer_type},
    {"index", NULL},
    {"function", mlir_bytecode_function_type},
    {"bf16", NULL},
    {"f16", NULL},
    {"f32", NULL},
    {"f64", NULL},
    {"f80", NULL},
    {"f128", NULL},
    {"complex", mlir_bytecode_complex_type},
    {"memref", read_plain_memref},
    {"memref in a memory space", read_memref_in_space},
    {"none", NULL},
    {"tensor", mlir_bytecode_tensor_type},
    {"tensor with an encoding", mlir_bytecode_encoded_tensor_type},
    {"tuple", mlir_bytecode_tuple_type},
    {NULL, NULL},  // Unranked memref, with a memory space.
    {NULL, NULL},
    {"unranked tensor", mlir_bytecode_unranked_type},
    {"vector", read_vector},
    {"scalable vector", read_scalable_vector},
};

pod_status_t mlir_bytecode_builtin_type(mlir_bytecode_t *reader,
                                        const mlir_type_t **out_type) {
  uint64_t code;
  POD_TRY(mlir_bytecode_varint(reader, &code));
  if (code >= POD_COUNT_OF(type_rows) || type_rows[code].name == NULL) {
    return mlir_bytecode_error(reader, "builtin type %llu is not supported",
                               (unsigned long long)code);
  }
  return type_rows[code].read == NULL
             ? mlir_bytecode_parse_type(reader, type_rows[code].name, out_type)
             : type_rows[code].read(reader, out_type);
}

// --- Operations ---

const mlir_bytecode_op_t *mlir_bytecode_builtin_op(const char *name) {
  static const mlir_bytecode_op_t rows[] = {
      {.name = "builtin.module", .properties = "?sym_name ?sym_visibility"},
      {.name = "func.func",
       .properties =
           "?arg_attrs function_type ?no_inline ?res_attrs sym_name ?sym_visibility"},
      {.name = "func.call", .properties = "?arg_attrs callee ?no_inline ?res_attrs"},
      {.name = "func.return", .properties = ""},
  };
  for (size_t i = 0; i < POD_COUNT_OF(rows); i++) {
    if (strcmp(rows[i].name, name) == 0) {
      return &rows[i];
    }
  }
  return NULL;
}
