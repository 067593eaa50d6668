// Numbers and constants.
//
// Elements stand in the file as on the host, but for booleans, which may be packed eight
// to a byte, and for integers below 8 bits, which have no sign bits. What needs no change
// and is aligned stays where it is, in the module's copy of the file.

#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"
#include "common/mlir/bytecode_private.h"
#include "common/mlir/parser_private.h"

enum { ALIGNMENT = 16 };

// The integer in the low bits, as the parser keeps it: sign-extended for signed types.
static int64_t as_element(tensor_dtype_t dtype, int64_t value) {
  char element[16] = {0};
  if (dtype == TENSOR_PRED) {
    return value & 1;
  }
  const unsigned bits = tensor_dtype_device_bits(dtype);
  if (bits < 64) {
    const uint64_t mask = ((uint64_t)1 << bits) - 1;
    const uint64_t sign =
        tensor_dtype_is_signed(dtype) ? (uint64_t)1 << (bits - 1) : (uint64_t)0;
    value = (int64_t)((((uint64_t)value & mask) ^ sign) - sign);
  }
  tensor_element_from_int64(dtype, value, element);
  return tensor_element_as_int64(dtype, element);
}

// Up to 8 bits take a byte, up to 64 a signed varint.
static pod_status_t read_bits(mlir_bytecode_t *reader, unsigned bits,
                              int64_t *out_value) {
  if (bits > 8) {
    return mlir_bytecode_svarint(reader, out_value);
  }
  uint8_t byte;
  POD_TRY(mlir_bytecode_byte(reader, &byte));
  *out_value = byte;
  return NULL;
}

pod_status_t mlir_bytecode_number_attr(mlir_bytecode_t *reader,
                                       const mlir_attr_t **out_attr) {
  const mlir_type_t *type = NULL;
  POD_TRY(mlir_bytecode_type(reader, &type));
  const bool is_index = type->kind == MLIR_TYPE_INDEX;
  const tensor_dtype_t dtype = is_index ? TENSOR_S64 : type->shape.dtype;
  if (!is_index && (type->kind != MLIR_TYPE_SCALAR || tensor_dtype_is_complex(dtype))) {
    return mlir_bytecode_error(reader, "a number of a type that is not supported");
  }
  int64_t bits;
  POD_TRY(read_bits(reader, dtype == TENSOR_PRED ? 1 : tensor_dtype_device_bits(dtype),
                    &bits));
  mlir_attr_t *attr = mlir_attr_new(reader->module, MLIR_ATTR_INTEGER);
  attr->type = type;
  if (tensor_dtype_is_float(dtype)) {
    attr->kind = MLIR_ATTR_FLOAT;
    attr->real = tensor_element_as_double(dtype, &bits);  // Little-endian.
  } else {
    attr->kind = dtype == TENSOR_PRED ? MLIR_ATTR_BOOL : MLIR_ATTR_INTEGER;
    attr->integer = as_element(dtype, bits);
  }
  *out_attr = attr;
  return NULL;
}

// --- array<i64: …> ---

static pod_status_t read_array_elements(mlir_bytecode_t *reader, mlir_attr_t *attr,
                                        const uint8_t *bytes) {
  const tensor_dtype_t dtype = attr->type->shape.dtype;
  const size_t element_bytes = tensor_dtype_bytes(dtype);
  const bool is_float = tensor_dtype_is_float(dtype);
  int64_t *integers =
      pod_arena_array(reader->module->arena, (size_t)attr->count, sizeof(*integers));
  double *reals = (double *)(void *)integers;
  for (int64_t i = 0; i < attr->count; i++) {
    int64_t bits = 0;
    memcpy(&bits, bytes + (size_t)i * element_bytes, element_bytes);
    if (is_float) {
      reals[i] = tensor_element_as_double(dtype, &bits);
    } else {
      integers[i] = as_element(dtype, bits);
    }
  }
  if (is_float) {
    attr->reals = reals;
  } else {
    attr->integers = integers;
  }
  attr->weight = 1 + attr->count;
  return NULL;
}

pod_status_t mlir_bytecode_dense_array(mlir_bytecode_t *reader,
                                       const mlir_attr_t **out_attr) {
  mlir_attr_t *attr = mlir_attr_new(reader->module, MLIR_ATTR_DENSE_ARRAY);
  uint64_t count;
  int64_t length;
  const uint8_t *bytes;
  POD_TRY(mlir_bytecode_type(reader, &attr->type));
  POD_TRY(mlir_bytecode_varint(reader, &count));
  POD_TRY(mlir_bytecode_blob(reader, &bytes, &length));
  const tensor_dtype_t dtype = attr->type->shape.dtype;
  if (attr->type->kind != MLIR_TYPE_SCALAR || tensor_dtype_is_complex(dtype)) {
    return mlir_bytecode_error(reader, "an array of a type that is not supported");
  }
  const uint64_t element_bytes = tensor_dtype_bytes(dtype);
  if ((uint64_t)length % element_bytes != 0 ||
      count != (uint64_t)length / element_bytes) {
    return mlir_bytecode_error(reader, "%lld bytes for %llu numbers", (long long)length,
                               (unsigned long long)count);
  }
  attr->count = (int64_t)count;
  *out_attr = attr;
  return read_array_elements(reader, attr, bytes);
}

// --- dense<…> ---

static pod_status_t misfit(mlir_bytecode_t *reader, int64_t length) {
  return mlir_bytecode_error(reader, "%lld bytes do not fit a constant of its type",
                             (long long)length);
}

// [[0, 1], [2, 3]], by the sizes in "2x2xindex>".
static void add_indexes(pod_text_t *text, const char *sizes, const uint8_t **at) {
  char *behind;
  const long long size = strtoll(sizes, &behind, 10);
  if (behind == sizes) {
    int64_t value;
    memcpy(&value, *at, sizeof(value));
    *at += sizeof(value);
    pod_text_add_int(text, value);
    return;
  }
  pod_text_add(text, "[");
  for (long long i = 0; i < size; i++) {
    pod_text_add(text, i > 0 ? ", " : "");
    add_indexes(text, behind + 1, at);
  }
  pod_text_add(text, "]");
}

static void add_hex(pod_text_t *text, const uint8_t *bytes, const uint8_t *end) {
  pod_text_add(text, "\"0x");
  for (; bytes < end; bytes++) {
    pod_text_printf(text, "%02X", *bytes);
  }
  pod_text_add(text, "\"");
}

// Whether that is as many bytes as "2x2xindex>" has.
static bool fits_indexes(const char *sizes, int64_t length) {
  int64_t bytes = sizeof(int64_t);
  char *behind;
  long long size = strtoll(sizes, &behind, 10);
  while (behind != sizes) {
    if (size < 0 || __builtin_mul_overflow(bytes, (int64_t)size, &bytes)) {
      return false;
    }
    sizes = behind + 1;
    size = strtoll(sizes, &behind, 10);
  }
  return bytes == length;
}

// Elements of types that are none of ours stay text.
static pod_status_t keep_text(mlir_bytecode_t *reader, const mlir_type_t *type,
                              const uint8_t *bytes, int64_t length,
                              const mlir_attr_t **out_attr) {
  static const char prefix[] = "tensor<";
  const uint8_t *end = bytes + length;
  const char *suffix = strstr(type->text, "index>");
  pod_text_t text = {0};
  if (suffix == NULL || strncmp(type->text, prefix, strlen(prefix)) != 0) {
    add_hex(&text, bytes, end);
  } else {
    const char *sizes = length == sizeof(int64_t) ? suffix : type->text + strlen(prefix);
    if (!fits_indexes(sizes, length)) {
      return misfit(reader, length);
    }
    if (length > 0) {
      add_indexes(&text, sizes, &bytes);
    }
  }
  mlir_attr_t *attr = mlir_attr_new(reader->module, MLIR_ATTR_DIALECT);
  attr->text = "dense";
  attr->type = type;
  attr->length = (int64_t)text.length;
  attr->body = pod_arena_text(reader->module->arena, text.bytes == NULL ? "" : text.bytes,
                              text.length);
  attr->weight = 1 + attr->length / 16;
  pod_text_deinit(&text);
  *out_attr = attr;
  return NULL;
}

// 0xff is a splat of true; packed are they when there are fewer bytes than elements.
static int64_t unpack_booleans(mlir_bytecode_t *reader, int64_t elements,
                               const uint8_t **inout_bytes, int64_t length) {
  const uint8_t *bytes = *inout_bytes;
  const int64_t packed = elements / 8 + (elements % 8 != 0);
  if (length == 1 && bytes[0] == 0xff) {
    static const uint8_t yes[ALIGNMENT] = {1};
    *inout_bytes = yes;
    return 1;
  }
  const bool is_packed = length == packed && length != elements;
  if (!is_packed && length != elements && length != 1) {
    return -1;
  }
  const int64_t count = is_packed ? elements : length;
  uint8_t *unpacked = pod_arena_alloc(reader->module->arena, (size_t)count);
  for (int64_t i = 0; i < count; i++) {
    unpacked[i] = (uint8_t)(is_packed ? bytes[i / 8] >> (i % 8) & 1 : bytes[i] != 0);
  }
  *inout_bytes = unpacked;
  return count;
}

// How many elements there are: all of them, or one for a splat; -1 when it fits neither.
static int64_t arrange(mlir_bytecode_t *reader, const tensor_shape_t *shape,
                       const uint8_t **inout_bytes, int64_t length) {
  const int64_t element_bytes = (int64_t)tensor_dtype_bytes(shape->dtype);
  const int64_t elements = tensor_shape_elements(shape);
  if (shape->dtype == TENSOR_PRED && length > 0) {
    return unpack_booleans(reader, elements, inout_bytes, length);
  }
  const bool is_all = length == elements * element_bytes;
  if (!is_all && length != element_bytes) {
    return -1;
  }
  if (tensor_dtype_device_bits(shape->dtype) < 8) {
    uint8_t *clean = pod_arena_alloc(reader->module->arena, (size_t)length);
    mlir_dense_clean(shape->dtype, *inout_bytes, clean, length);
    *inout_bytes = clean;
  } else if ((uintptr_t)*inout_bytes % ALIGNMENT != 0) {
    *inout_bytes = pod_arena_copy(reader->module->arena, *inout_bytes, (size_t)length);
  }
  return is_all ? elements : 1;
}

pod_status_t mlir_bytecode_dense_of(mlir_bytecode_t *reader, const mlir_type_t *type,
                                    const uint8_t *bytes, int64_t length,
                                    const mlir_attr_t **out_attr) {
  if (type->kind == MLIR_TYPE_OPAQUE) {
    return keep_text(reader, type, bytes, length, out_attr);
  }
  if (type->kind != MLIR_TYPE_TENSOR || !tensor_shape_is_static(&type->shape)) {
    return mlir_bytecode_error(reader,
                               "a constant needs the type of a tensor of known sizes");
  }
  const int64_t count = arrange(reader, &type->shape, &bytes, length);
  if (count < 0) {
    return misfit(reader, length);
  }
  mlir_attr_t *attr = mlir_attr_new(reader->module, MLIR_ATTR_DENSE);
  attr->type = type;
  mlir_attr_set_data(attr, bytes, count);
  *out_attr = attr;
  return NULL;
}

pod_status_t mlir_bytecode_dense_attr(mlir_bytecode_t *reader,
                                      const mlir_attr_t **out_attr) {
  const mlir_type_t *type = NULL;
  POD_TRY(mlir_bytecode_type(reader, &type));
  const uint8_t *bytes;
  int64_t length;
  POD_TRY(mlir_bytecode_blob(reader, &bytes, &length));
  return mlir_bytecode_dense_of(reader, type, bytes, length, out_attr);
}
