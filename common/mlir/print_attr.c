// Types, attributes and constants as text.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/mlir/print_private.h"
#include "common/mlir/printer.h"

// --- Words and strings ---

void mlir_print_string(pod_text_t *text, const char *bytes, int64_t length) {
  pod_text_add(text, "\"");
  int64_t plain = 0;  // Start of what needs no escape.
  for (int64_t i = 0; i < length; i++) {
    const unsigned char c = (unsigned char)bytes[i];
    if (c >= ' ' && c < 127 && c != '"' && c != '\\') {
      continue;
    }
    pod_text_add_bytes(text, bytes + plain, (size_t)(i - plain));
    if (c == '\\') {
      pod_text_add(text, "\\\\");
    } else {
      pod_text_printf(text, "\\%02X", c);
    }
    plain = i + 1;
  }
  pod_text_add_bytes(text, bytes + plain, (size_t)(length - plain));
  pod_text_add(text, "\"");
}

static bool is_identifier(const char *name) {
  if (!mlir_is_letter(*name)) {
    return false;
  }
  while (mlir_is_word(*name) || *name == '$' || *name == '.') {
    name++;
  }
  return *name == '\0';
}

void mlir_print_symbol(pod_text_t *text, const char *name) {
  pod_text_add(text, "@");
  if (is_identifier(name)) {
    pod_text_add(text, name);
  } else {
    mlir_print_string(text, name, (int64_t)strlen(name));
  }
}

void mlir_print_entry_name(pod_text_t *text, const char *name) {
  if (is_identifier(name)) {
    pod_text_add(text, name);
  } else {
    mlir_print_string(text, name, (int64_t)strlen(name));
  }
}

// --- Numbers ---

static void print_integer(pod_text_t *text, int64_t value, bool is_unsigned) {
  char digits[24];
  char *at = digits + sizeof(digits);
  const bool is_negative = !is_unsigned && value < 0;
  uint64_t rest = is_negative ? 0 - (uint64_t)value : (uint64_t)value;
  do {
    *--at = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest != 0);
  if (is_negative) {
    *--at = '-';
  }
  pod_text_add_bytes(text, at, (size_t)(digits + sizeof(digits) - at));
}

// Digits that are surely enough, and from how many on to try.
static void digit_range(tensor_dtype_t dtype, int *out_first, int *out_last) {
  switch (dtype) {
    case TENSOR_F64:
      *out_first = 15;
      *out_last = 17;
      return;
    case TENSOR_F32:
      *out_first = 6;
      *out_last = 9;
      return;
    default:
      *out_first = 1;
      *out_last = 9;
      return;
  }
}

static bool gives_back(tensor_dtype_t dtype, const char *digits, const void *element) {
  char again[16];
  tensor_element_from_double(dtype, strtod(digits, NULL), again);
  return memcmp(again, element, tensor_dtype_bytes(dtype)) == 0;
}

// 1.500000e+00 as 1.5, 1.000000e-01 as 1.0e-1: MLIR wants the point.
static void print_shortened(pod_text_t *text, const char *digits) {
  const char *exponent = strchr(digits, 'e');
  const char *end = exponent;
  const char *point = memchr(digits, '.', (size_t)(exponent - digits));
  while (point != NULL && end > point + 2 && end[-1] == '0') {
    end--;
  }
  pod_text_add_bytes(text, digits, (size_t)(end - digits));
  if (point == NULL) {
    pod_text_add(text, ".0");
  }
  const long power = strtol(exponent + 1, NULL, 10);
  if (power != 0) {
    pod_text_printf(text, "e%+03ld", power);
  }
}

static void print_float(pod_text_t *text, tensor_dtype_t dtype, const void *element) {
  const double value = tensor_element_as_double(dtype, element);
  const bool is_finite = value - value == 0.0;
  char digits[40];
  int first, last;
  digit_range(dtype, &first, &last);
  for (int count = first; is_finite && count <= last; count++) {
    snprintf(digits, sizeof(digits), "%.*e", count - 1, value);
    if (gives_back(dtype, digits, element)) {
      print_shortened(text, digits);
      return;
    }
  }
  uint64_t bits = 0;
  memcpy(&bits, element, tensor_dtype_bytes(dtype));
  pod_text_printf(text, "0x%0*llX", (int)(tensor_dtype_device_bits(dtype) + 3) / 4,
                  (unsigned long long)bits);
}

static void print_element(pod_text_t *text, tensor_dtype_t dtype, const char *element) {
  if (dtype == TENSOR_PRED) {
    pod_text_add(text, *element != 0 ? "true" : "false");
  } else if (tensor_dtype_is_complex(dtype)) {
    const tensor_dtype_t part = dtype == TENSOR_C64 ? TENSOR_F32 : TENSOR_F64;
    pod_text_add(text, "(");
    print_float(text, part, element);
    pod_text_add(text, ",");
    print_float(text, part, element + tensor_dtype_bytes(part));
    pod_text_add(text, ")");
  } else if (tensor_dtype_is_float(dtype)) {
    print_float(text, dtype, element);
  } else {
    print_integer(text, tensor_element_as_int64(dtype, element),
                  tensor_dtype_is_unsigned(dtype));
  }
}

// --- Constants ---

static const char *print_nested(pod_text_t *text, const tensor_shape_t *shape,
                                int dimension, const char *element) {
  if (dimension == shape->rank) {
    print_element(text, shape->dtype, element);
    return element + tensor_dtype_bytes(shape->dtype);
  }
  pod_text_add(text, "[");
  for (int64_t i = 0; i < shape->dims[dimension]; i++) {
    pod_text_add(text, i > 0 ? ", " : "");
    element = print_nested(text, shape, dimension + 1, element);
  }
  pod_text_add(text, "]");
  return element;
}

static void print_hex(pod_text_t *text, const unsigned char *bytes, int64_t count) {
  static const char digits[] = "0123456789ABCDEF";
  pod_text_add(text, "\"0x");
  char chunk[512];
  while (count > 0) {
    const int64_t part = count < 256 ? count : 256;
    for (int64_t i = 0; i < part; i++) {
      chunk[2 * i] = digits[bytes[i] >> 4];
      chunk[2 * i + 1] = digits[bytes[i] & 15];
    }
    pod_text_add_bytes(text, chunk, (size_t)(2 * part));
    bytes += part;
    count -= part;
  }
  pod_text_add(text, "\"");
}

void mlir_print_dense(pod_text_t *text, const mlir_attr_t *attr, int64_t elide) {
  const tensor_shape_t *shape = &attr->type->shape;
  if (!attr->is_splat && elide > 0 && attr->count > elide) {
    pod_text_add(text, "dense_resource<__elided__>");
  } else {
    pod_text_add(text, "dense<");
    if (attr->is_splat) {
      print_element(text, shape->dtype, attr->data);
    } else if (attr->count > MLIR_HEX_ELEMENTS && shape->dtype != TENSOR_PRED) {
      print_hex(text, attr->data, attr->length);
    } else if (attr->count > 0) {
      print_nested(text, shape, 0, attr->data);
    }
    pod_text_add(text, ">");
  }
  pod_text_add(text, " : ");
  mlir_type_print(text, attr->type);
}

static void print_dense_array(pod_text_t *text, const mlir_attr_t *attr) {
  const tensor_dtype_t dtype = attr->type->shape.dtype;
  pod_text_printf(text, "array<%s", tensor_dtype_mlir_name(dtype));
  for (int64_t i = 0; i < attr->count; i++) {
    char element[16] = {0};
    pod_text_add(text, i == 0 ? ": " : ", ");
    if (attr->integers != NULL) {
      tensor_element_from_int64(dtype, attr->integers[i], element);
    } else {
      tensor_element_from_double(dtype, attr->reals[i], element);
    }
    print_element(text, dtype, element);
  }
  pod_text_add(text, ">");
}

// --- Types ---

static void print_types(pod_text_t *text, int count, const mlir_type_t *const *types) {
  for (int i = 0; i < count; i++) {
    pod_text_add(text, i > 0 ? ", " : "");
    mlir_type_print(text, types[i]);
  }
}

void mlir_print_signature(pod_text_t *text, int input_count,
                          const mlir_type_t *const *inputs, int result_count,
                          const mlir_type_t *const *results) {
  pod_text_add(text, "(");
  print_types(text, input_count, inputs);
  pod_text_add(text, ") -> ");
  const bool bare = result_count == 1 && results[0]->kind != MLIR_TYPE_FUNCTION;
  pod_text_add(text, bare ? "" : "(");
  print_types(text, result_count, results);
  pod_text_add(text, bare ? "" : ")");
}

static void print_tensor(pod_text_t *text, const mlir_type_t *type) {
  if (type->encoding == NULL) {
    tensor_shape_print_mlir(text, &type->shape);
    return;
  }
  tensor_shape_print_mlir(text, &type->shape);
  text->length--;  // Its >.
  text->bytes[text->length] = '\0';
  pod_text_add(text, ", ");
  mlir_attr_print(text, type->encoding, 0);
  pod_text_add(text, ">");
}

void mlir_type_print(pod_text_t *text, const mlir_type_t *type) {
  switch (type->kind) {
    case MLIR_TYPE_TENSOR:
      print_tensor(text, type);
      break;
    case MLIR_TYPE_SCALAR:
      pod_text_add(text, tensor_dtype_mlir_name(type->shape.dtype));
      break;
    case MLIR_TYPE_INDEX:
      pod_text_add(text, "index");
      break;
    case MLIR_TYPE_NONE:
      pod_text_add(text, "none");
      break;
    case MLIR_TYPE_TOKEN:
      pod_text_add(text, "!stablehlo.token");
      break;
    case MLIR_TYPE_TUPLE:
      pod_text_add(text, "tuple<");
      print_types(text, type->input_count, type->inputs);
      pod_text_add(text, ">");
      break;
    case MLIR_TYPE_FUNCTION:
      mlir_print_signature(text, type->input_count, type->inputs, type->result_count,
                           type->results);
      break;
    case MLIR_TYPE_OPAQUE:
      pod_text_add(text, type->text);
      break;
  }
}

// --- Attributes ---

static void print_symbols(pod_text_t *text, const mlir_attr_t *attr) {
  mlir_print_symbol(text, attr->text);
  for (int64_t i = 0; i < attr->count; i++) {
    pod_text_add(text, "::");
    mlir_print_symbol(text, attr->elements[i]->text);
  }
}

// #dialect.name<body>, or #dialect<name body> for what MLIR spells so.
static void print_dialect(pod_text_t *text, const mlir_attr_t *attr) {
  const char *dot = strchr(attr->text, '.');
  if (dot == NULL) {  // MLIR's own, e.g. affine_map<…>.
    pod_text_printf(text, "%s<%s>", attr->text, attr->body == NULL ? "" : attr->body);
    if (attr->type != NULL) {
      pod_text_add(text, " : ");
      mlir_type_print(text, attr->type);
    }
  } else if (attr->body == NULL) {
    pod_text_printf(text, "#%s", attr->text);
  } else if (attr->is_spaced) {
    pod_text_printf(text, "#%.*s<%s %s>", (int)(dot - attr->text), attr->text, dot + 1,
                    attr->body);
  } else {
    pod_text_printf(text, "#%s<%s>", attr->text, attr->body);
  }
}

static void print_number(pod_text_t *text, const mlir_attr_t *attr) {
  char element[16] = {0};
  if (attr->kind == MLIR_ATTR_FLOAT) {
    tensor_element_from_double(attr->type->shape.dtype, attr->real, element);
    print_element(text, attr->type->shape.dtype, element);
  } else {
    print_integer(text, attr->integer,
                  attr->type->kind == MLIR_TYPE_SCALAR &&
                      tensor_dtype_is_unsigned(attr->type->shape.dtype));
  }
  pod_text_add(text, " : ");
  mlir_type_print(text, attr->type);
}

static void print_list(pod_text_t *text, const mlir_attr_t *attr, int64_t elide) {
  pod_text_add(text, "[");
  for (int64_t i = 0; i < attr->count; i++) {
    pod_text_add(text, i > 0 ? ", " : "");
    mlir_attr_print(text, attr->elements[i], elide);
  }
  pod_text_add(text, "]");
}

void mlir_print_entry(pod_text_t *text, const mlir_named_attr_t *entry, int64_t elide) {
  mlir_print_entry_name(text, entry->name);
  if (entry->value->kind != MLIR_ATTR_UNIT) {
    pod_text_add(text, " = ");
    mlir_attr_print(text, entry->value, elide);
  }
}

static void print_dictionary(pod_text_t *text, const mlir_attr_t *attr, int64_t elide) {
  pod_text_add(text, "{");
  for (int64_t i = 0; i < attr->count; i++) {
    pod_text_add(text, i > 0 ? ", " : "");
    mlir_print_entry(text, &attr->entries[i], elide);
  }
  pod_text_add(text, "}");
}

void mlir_attr_print(pod_text_t *text, const mlir_attr_t *attr, int64_t elide_elements) {
  switch (attr->kind) {
    case MLIR_ATTR_UNIT:
      pod_text_add(text, "unit");
      break;
    case MLIR_ATTR_BOOL:
      pod_text_add(text, attr->integer != 0 ? "true" : "false");
      break;
    case MLIR_ATTR_INTEGER:
    case MLIR_ATTR_FLOAT:
      print_number(text, attr);
      break;
    case MLIR_ATTR_STRING:
      mlir_print_string(text, attr->text, attr->length);
      break;
    case MLIR_ATTR_SYMBOL:
      print_symbols(text, attr);
      break;
    case MLIR_ATTR_TYPE:
      mlir_type_print(text, attr->type);
      break;
    case MLIR_ATTR_ARRAY:
      print_list(text, attr, elide_elements);
      break;
    case MLIR_ATTR_DICTIONARY:
      print_dictionary(text, attr, elide_elements);
      break;
    case MLIR_ATTR_DENSE:
      mlir_print_dense(text, attr, elide_elements);
      break;
    case MLIR_ATTR_DENSE_ARRAY:
      print_dense_array(text, attr);
      break;
    case MLIR_ATTR_DIALECT:
      print_dialect(text, attr);
      break;
    case MLIR_ATTR_LOCATION:
      pod_text_add(text, "loc(");
      mlir_print_location(text, attr, NULL);
      pod_text_add(text, ")");
      break;
  }
}

// --- Locations ---

static void print_inner(pod_text_t *text, const mlir_attr_t *attr,
                        const pod_map_t *aliases) {
  const char *alias =
      aliases == NULL ? NULL : pod_map_get_n(aliases, (const char *)&attr, sizeof(attr));
  if (alias != NULL) {
    pod_text_add(text, alias);
  } else {
    mlir_print_location(text, attr, aliases);
  }
}

void mlir_print_location(pod_text_t *text, const mlir_attr_t *attr,
                         const pod_map_t *aliases) {
  switch (attr->location_kind) {
    case MLIR_LOCATION_UNKNOWN:
      pod_text_add(text, "unknown");
      break;
    case MLIR_LOCATION_FILE:
      mlir_print_string(text, attr->text, (int64_t)strlen(attr->text));
      pod_text_printf(text, ":%lld:%lld", (long long)attr->integer,
                      (long long)attr->length);
      break;
    case MLIR_LOCATION_NAME:
      mlir_print_string(text, attr->text, attr->length);
      if (attr->location_child != NULL) {
        pod_text_add(text, "(");
        print_inner(text, attr->location_child, aliases);
        pod_text_add(text, ")");
      }
      break;
    case MLIR_LOCATION_CALLSITE:
      pod_text_add(text, "callsite(");
      print_inner(text, attr->location_child, aliases);
      pod_text_add(text, " at ");
      print_inner(text, attr->location_caller, aliases);
      pod_text_add(text, ")");
      break;
    case MLIR_LOCATION_FUSED:
      pod_text_add(text, "fused[");
      for (int64_t i = 0; i < attr->count; i++) {
        pod_text_add(text, i > 0 ? ", " : "");
        print_inner(text, attr->elements[i], aliases);
      }
      pod_text_add(text, "]");
      break;
  }
}
