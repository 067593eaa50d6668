// VHLO's attributes and types, by the codes of stablehlo/dialect/VhloBytecode.cpp of
// https://github.com/openxla/stablehlo: what stands for them in StableHLO and MLIR's own
// dialects. They have had one version so far.

#include <string.h>

#include "common/base/check.h"
#include "server/compiler/dialect/bytecode_parts.h"

// --- Attributes ---

static pod_status_t read_boolean(mlir_bytecode_t *reader, const mlir_attr_t **out_attr) {
  uint64_t value;
  POD_TRY(mlir_bytecode_varint(reader, &value));
  if (value > 1) {
    return mlir_bytecode_error(reader, "%llu is no boolean", (unsigned long long)value);
  }
  *out_attr = mlir_attr_bool(mlir_bytecode_module(reader), value != 0);
  return NULL;
}

// An integer in StableHLO, though an enumeration here.
static pod_status_t read_api_version(mlir_bytecode_t *reader,
                                     const mlir_attr_t **out_attr) {
  uint64_t value;
  POD_TRY(mlir_bytecode_varint(reader, &value));
  *out_attr = mlir_attr_integer(mlir_bytecode_module(reader), (int32_t)value, TENSOR_S32);
  return NULL;
}

// An axis, the whole or a part of it: a name, whether a part follows, the part.
static pod_status_t add_axis(mlir_bytecode_t *reader, pod_text_t *text) {
  uint64_t has_part;
  POD_TRY(bytecode_add_attr(reader, text, "name"));
  POD_TRY(mlir_bytecode_varint(reader, &has_part));
  return has_part == 0 ? NULL : bytecode_add_attr(reader, text, "sub_axis_info");
}

static pod_status_t add_mesh_axis(mlir_bytecode_t *reader, pod_text_t *text) {
  int64_t size;
  POD_TRY(bytecode_add_attr(reader, text, "name"));
  POD_TRY(mlir_bytecode_svarint(reader, &size));
  bytecode_add_name(text, "size");
  pod_text_add_int(text, size);
  return NULL;
}

static pod_status_t add_mesh(mlir_bytecode_t *reader, pod_text_t *text) {
  const mlir_attr_t *ids;
  POD_TRY(bytecode_add_attr(reader, text, "axes"));
  POD_TRY(mlir_bytecode_optional_attr(reader, &ids));
  if (ids != NULL) {
    bytecode_add_name(text, "device_ids");
    mlir_attr_print(text, ids, 0);
  }
  return NULL;
}

// The mesh by its name, which is a string here and a symbol in StableHLO, or in full.
static pod_status_t add_mesh_axes(mlir_bytecode_t *reader, pod_text_t *text) {
  const mlir_attr_t *mesh;
  POD_TRY(mlir_bytecode_attr(reader, &mesh));
  bytecode_add_name(text, "mesh");
  if (mesh->kind == MLIR_ATTR_STRING) {
    mesh = mlir_attr_symbol(mlir_bytecode_module(reader), mesh->text);
  }
  mlir_attr_print(text, mesh, 0);
  return bytecode_add_attr(reader, text, "axes");
}

// clang-format off
static const bytecode_attr_row_t attr_rows[] = {
    [1] = {.read = mlir_bytecode_array_attr},
    [2] = {.read = read_boolean},
    [3] = {.name = "stablehlo.comparison_direction", .words = BYTECODE_DIRECTIONS},
    [4] = {.name = "stablehlo.comparison_type", .words = BYTECODE_COMPARISONS},
    [5] = {.read = read_api_version},
    [6] = {.read = mlir_bytecode_dictionary_attr},
    [7] = {.name = "stablehlo.fft_type", .words = BYTECODE_FFTS},
    [8] = {.read = mlir_bytecode_number_attr},
    [9] = {.read = mlir_bytecode_number_attr},
    [10] = {.name = "stablehlo.output_operand_alias", .fields = "output_tuple_indices=D operand_index=i operand_tuple_indices=D"},
    [11] = {.name = "stablehlo.precision", .words = BYTECODE_PRECISIONS},
    [12] = {.name = "stablehlo.rng_algorithm", .words = BYTECODE_ALGORITHMS},
    [13] = {.name = "stablehlo.rng_distribution", .words = BYTECODE_DISTRIBUTIONS},
    [14] = {.read = mlir_bytecode_string_attr},
    [15] = {.read = mlir_bytecode_dense_attr},
    [16] = {.name = "stablehlo.transpose", .words = BYTECODE_TRANSPOSES},
    [17] = {.read = mlir_bytecode_type_attr},
    [18] = {.read = bytecode_bounds},
    [19] = {.name = "stablehlo.result_accuracy_mode", .words = BYTECODE_ACCURACIES},
    [20] = {.read = bytecode_accuracy},
    [21] = {.name = "stablehlo.sub_axis_info", .add = bytecode_add_sub_axis},
    [22] = {.name = "stablehlo.axis_ref", .add = add_axis},
    [23] = {.name = "stablehlo.replica_group_mesh_axes", .add = add_mesh_axes},
    [24] = {.name = "stablehlo.mesh_axis", .add = add_mesh_axis},
    [25] = {.name = "stablehlo.mesh", .add = add_mesh},
};
// clang-format on

pod_status_t bytecode_vhlo_attr(mlir_bytecode_t *reader, const mlir_attr_t **out_attr) {
  return bytecode_attr_of_rows(reader, "vhlo", attr_rows, POD_COUNT_OF(attr_rows),
                               out_attr);
}

// --- Types ---

// The number that `type` begins with, and the range of the storage where it is not all of
// it: "i8<-127:127>:f32".
typedef struct quantized_t {
  uint64_t flags, dimension;
  const mlir_type_t *storage, *expressed;
  int64_t minimum, maximum;
} quantized_t;

static void add_storage(pod_text_t *text, const quantized_t *type) {
  const bool is_signed = type->flags & 1;
  pod_text_t storage = {0};
  mlir_type_print(&storage, type->storage);
  // Storage is signless: i8 with a sign, u8 without.
  const char *bits = storage.bytes + strcspn(storage.bytes, "0123456789");
  pod_text_printf(text, "%s%s", is_signed ? "i" : "u", bits);
  const unsigned width = tensor_dtype_device_bits(type->storage->shape.dtype);
  const int64_t half = (int64_t)1 << (width - 1);
  const int64_t least = is_signed ? -half : 0;
  const int64_t most = is_signed ? half - 1 : 2 * half - 1;
  if (type->minimum != least || type->maximum != most) {
    pod_text_printf(text, "<%lld:%lld>", (long long)type->minimum,
                    (long long)type->maximum);
  }
  pod_text_add(text, ":");
  mlir_type_print(text, type->expressed);
  pod_text_deinit(&storage);
}

static pod_status_t check_quantized(mlir_bytecode_t *reader, const quantized_t *type) {
  const tensor_dtype_t dtype = type->storage->shape.dtype;
  const bool is_good = type->storage->kind == MLIR_TYPE_SCALAR &&
                       tensor_dtype_is_integer(dtype) &&
                       tensor_dtype_device_bits(dtype) <= 32;
  return is_good ? NULL
                 : mlir_bytecode_error(reader,
                                       "quantised numbers are kept in integers of "
                                       "at most 32 bits");
}

static pod_status_t finish_quantized(mlir_bytecode_t *reader, pod_status_t status,
                                     pod_text_t *text, const mlir_type_t **out_type) {
  if (status == NULL) {
    pod_text_add(text, ">");
    status = mlir_bytecode_parse_type(reader, text->bytes, out_type);
  }
  pod_text_deinit(text);
  return status;
}

static void add_scale(pod_text_t *text, double scale, int64_t zero_point) {
  pod_text_printf(text, "%e", scale);
  if (zero_point != 0) {
    pod_text_printf(text, ":%lld", (long long)zero_point);
  }
}

static pod_status_t read_quantized(mlir_bytecode_t *reader,
                                   const mlir_type_t **out_type) {
  quantized_t type = {0};
  double scale;
  int64_t zero_point;
  POD_TRY(mlir_bytecode_varint(reader, &type.flags));
  POD_TRY(mlir_bytecode_type(reader, &type.storage));
  POD_TRY(mlir_bytecode_type(reader, &type.expressed));
  POD_TRY(mlir_bytecode_f64(reader, &scale));
  POD_TRY(mlir_bytecode_svarint(reader, &zero_point));
  POD_TRY(mlir_bytecode_svarint(reader, &type.minimum));
  POD_TRY(mlir_bytecode_svarint(reader, &type.maximum));
  POD_TRY(check_quantized(reader, &type));
  pod_text_t text = {0};
  pod_text_add(&text, "!quant.uniform<");
  add_storage(&text, &type);
  pod_text_add(&text, ", ");
  add_scale(&text, scale, zero_point);
  return finish_quantized(reader, NULL, &text, out_type);
}

// The scales of all channels, then their zero points.
static pod_status_t add_channels(mlir_bytecode_t *reader, pod_text_t *text) {
  int64_t scale_count, point_count, *points;
  POD_TRY(mlir_bytecode_count(reader, &scale_count));
  double *scales = pod_arena_array(mlir_bytecode_module(reader)->arena,
                                   (size_t)scale_count, sizeof(*scales));
  for (int64_t i = 0; i < scale_count; i++) {
    POD_TRY(mlir_bytecode_f64(reader, &scales[i]));
  }
  POD_TRY(mlir_bytecode_svarints(reader, &point_count, &points));
  if (point_count != scale_count) {
    return mlir_bytecode_error(reader, "%lld scales and %lld zero points",
                               (long long)scale_count, (long long)point_count);
  }
  pod_text_add(text, ", {");
  for (int64_t i = 0; i < scale_count; i++) {
    pod_text_add(text, i > 0 ? "," : "");
    add_scale(text, scales[i], points[i]);
  }
  pod_text_add(text, "}");
  return NULL;
}

static pod_status_t read_quantized_by_axis(mlir_bytecode_t *reader,
                                           const mlir_type_t **out_type) {
  quantized_t type = {0};
  POD_TRY(mlir_bytecode_varint(reader, &type.flags));
  POD_TRY(mlir_bytecode_type(reader, &type.storage));
  POD_TRY(mlir_bytecode_type(reader, &type.expressed));
  POD_TRY(mlir_bytecode_varint(reader, &type.dimension));
  POD_TRY(mlir_bytecode_svarint(reader, &type.minimum));
  POD_TRY(mlir_bytecode_svarint(reader, &type.maximum));
  POD_TRY(check_quantized(reader, &type));
  pod_text_t text = {0};
  pod_text_add(&text, "!quant.uniform<");
  add_storage(&text, &type);
  pod_text_printf(&text, ":%llu", (unsigned long long)type.dimension);
  return finish_quantized(reader, add_channels(reader, &text), &text, out_type);
}

static const struct {
  const char *spelling;  // When nothing follows the code.
  pod_status_t (*read)(mlir_bytecode_t *reader, const mlir_type_t **out_type);
} type_rows[] = {
    [0] = {"i1", NULL},
    [1] = {NULL, mlir_bytecode_complex_type},
    [2] = {"bf16", NULL},
    [3] = {"f16", NULL},
    [4] = {"f32", NULL},
    [5] = {"f64", NULL},
    [6] = {"f8E4M3FN", NULL},
    [7] = {"f8E5M2", NULL},
    [8] = {NULL, mlir_bytecode_function_type},
    [9] = {"index", NULL},
    [10] = {"i4", NULL},
    [11] = {"i8", NULL},
    [12] = {"i16", NULL},
    [13] = {"i32", NULL},
    [14] = {"i64", NULL},
    [15] = {"ui4", NULL},
    [16] = {"ui8", NULL},
    [17] = {"ui16", NULL},
    [18] = {"ui32", NULL},
    [19] = {"ui64", NULL},
    [20] = {NULL, mlir_bytecode_tensor_type},
    [21] = {NULL, mlir_bytecode_encoded_tensor_type},
    [22] = {"!stablehlo.token", NULL},
    [23] = {NULL, mlir_bytecode_tuple_type},
    [24] = {NULL, read_quantized},
    [25] = {NULL, mlir_bytecode_unranked_type},
    [26] = {"!shape.witness", NULL},
    [27] = {"f8E4M3FNUZ", NULL},
    [28] = {"f8E5M2FNUZ", NULL},
    [29] = {"f8E4M3B11FNUZ", NULL},
    [30] = {NULL, read_quantized_by_axis},
    [31] = {"i2", NULL},
    [32] = {"ui2", NULL},
    [33] = {"none", NULL},
    [34] = {"tf32", NULL},
    [35] = {"f8E4M3", NULL},
    [36] = {"f8E3M4", NULL},
    [37] = {"f4E2M1FN", NULL},
    [38] = {"f6E2M3FN", NULL},
    [39] = {"f6E3M2FN", NULL},
    [40] = {"f8E8M0FNU", NULL},
    [42] = {NULL, bytecode_future},
};

pod_status_t bytecode_vhlo_type(mlir_bytecode_t *reader, const mlir_type_t **out_type) {
  uint64_t code;
  POD_TRY(mlir_bytecode_varint(reader, &code));
  if (code < POD_COUNT_OF(type_rows) && type_rows[code].read != NULL) {
    return type_rows[code].read(reader, out_type);
  }
  if (code < POD_COUNT_OF(type_rows) && type_rows[code].spelling != NULL) {
    return mlir_bytecode_parse_type(reader, type_rows[code].spelling, out_type);
  }
  return mlir_bytecode_error(reader, "vhlo type %llu is not supported",
                             (unsigned long long)code);
}
