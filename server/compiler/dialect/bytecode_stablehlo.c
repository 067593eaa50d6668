// StableHLO's and CHLO's own attributes and types, by the codes of
// stablehlo/dialect/StablehloBytecode.cpp and ChloBytecode.cpp of
// https://github.com/openxla/stablehlo.

#include <string.h>

#include "common/base/check.h"
#include "common/mlir/printer.h"
#include "server/compiler/dialect/bytecode_parts.h"

static pod_status_t read_layout(mlir_bytecode_t *reader, int64_t *out_first,
                                int64_t *out_second, int64_t *out_count,
                                const int64_t **out_spatial) {
  int64_t *spatial;
  POD_TRY(mlir_bytecode_svarint(reader, out_first));
  POD_TRY(mlir_bytecode_svarint(reader, out_second));
  POD_TRY(mlir_bytecode_svarints(reader, out_count, &spatial));
  *out_spatial = spatial;
  return NULL;
}

static pod_status_t read_conv(mlir_bytecode_t *reader, const mlir_attr_t **out_attr) {
  bytecode_conv_t conv;
  POD_TRY(read_layout(reader, &conv.input.first, &conv.input.second,
                      &conv.input.spatial_count, &conv.input.spatial));
  POD_TRY(read_layout(reader, &conv.kernel.first, &conv.kernel.second,
                      &conv.kernel.spatial_count, &conv.kernel.spatial));
  POD_TRY(read_layout(reader, &conv.output.first, &conv.output.second,
                      &conv.output.spatial_count, &conv.output.spatial));
  return bytecode_make_conv(reader, &conv, out_attr);
}

static pod_status_t add_name(mlir_bytecode_t *reader, pod_text_t *text) {
  const mlir_attr_t *name;
  POD_TRY(mlir_bytecode_string_attr(reader, &name));
  POD_TRY(mlir_bytecode_charge(reader, name->weight));
  bytecode_add_name(text, "name");
  mlir_attr_print(text, name, 0);
  return NULL;
}

static pod_status_t add_optional(mlir_bytecode_t *reader, pod_text_t *text,
                                 const char *name) {
  uint8_t is_there;
  POD_TRY(mlir_bytecode_byte(reader, &is_there));
  return is_there ? bytecode_add_attr(reader, text, name) : NULL;
}

static pod_status_t add_axis(mlir_bytecode_t *reader, pod_text_t *text) {
  POD_TRY(add_name(reader, text));
  return add_optional(reader, text, "sub_axis_info");
}

static pod_status_t add_mesh_axis(mlir_bytecode_t *reader, pod_text_t *text) {
  int64_t size;
  POD_TRY(add_name(reader, text));
  POD_TRY(mlir_bytecode_svarint(reader, &size));
  bytecode_add_name(text, "size");
  pod_text_add_int(text, size);
  return NULL;
}

static pod_status_t add_mesh(mlir_bytecode_t *reader, pod_text_t *text) {
  POD_TRY(bytecode_add_attr(reader, text, "axes"));
  return add_optional(reader, text, "device_ids");
}

static pod_status_t add_mesh_axes(mlir_bytecode_t *reader, pod_text_t *text) {
  int64_t count;
  POD_TRY(bytecode_add_attr(reader, text, "mesh"));
  POD_TRY(mlir_bytecode_count(reader, &count));
  bytecode_add_name(text, "axes");
  pod_text_add(text, "[");
  for (int64_t i = 0; i < count; i++) {
    const mlir_attr_t *axis;
    POD_TRY(mlir_bytecode_attr(reader, &axis));
    POD_TRY(mlir_bytecode_charge(reader, axis->weight));
    pod_text_add(text, i > 0 ? ", " : "");
    mlir_attr_print(text, axis, 0);
  }
  pod_text_add(text, "]");
  return NULL;
}

// clang-format off
static const bytecode_attr_row_t stablehlo_rows[] = {
    [1] = {.name = "stablehlo.channel_handle", .fields = "handle=i type=i"},
    [2] = {.name = "stablehlo.comparison_direction", .words = BYTECODE_DIRECTIONS},
    [3] = {.name = "stablehlo.comparison_type", .words = BYTECODE_COMPARISONS},
    [4] = {.read = read_conv},
    [5] = {.name = "stablehlo.dot", .fields = "lhs_batching_dimensions=d rhs_batching_dimensions=d lhs_contracting_dimensions=d rhs_contracting_dimensions=d"},
    [6] = {.name = "stablehlo.fft_type", .words = BYTECODE_FFTS},
    [7] = {.name = "stablehlo.gather", .fields = "offset_dims=d collapsed_slice_dims=d operand_batching_dims=d start_indices_batching_dims=d start_index_map=d index_vector_dim=z"},
    [8] = {.name = "stablehlo.precision", .words = BYTECODE_PRECISIONS},
    [9] = {.name = "stablehlo.rng_algorithm", .words = BYTECODE_ALGORITHMS},
    [10] = {.name = "stablehlo.rng_distribution", .words = BYTECODE_DISTRIBUTIONS},
    [11] = {.name = "stablehlo.scatter", .fields = "update_window_dims=d inserted_window_dims=d input_batching_dims=d scatter_indices_batching_dims=d scatter_dims_to_operand_dims=d index_vector_dim=z"},
    [12] = {.name = "stablehlo.transpose", .words = BYTECODE_TRANSPOSES},
    [13] = {.read = bytecode_bounds},
    [14] = {.name = "stablehlo.output_operand_alias", .fields = "output_tuple_indices=D operand_index=i operand_tuple_indices=D"},
    [15] = {.name = "stablehlo.dot_algorithm", .fields = "lhs_precision_type=t rhs_precision_type=t accumulation_type=t lhs_component_count=i rhs_component_count=i num_primitive_operations=i allow_imprecise_accumulation=b"},
    [16] = {.name = "stablehlo.result_accuracy_mode", .words = BYTECODE_ACCURACIES},
    [17] = {.read = bytecode_accuracy},
    [18] = {.name = "stablehlo.replica_group_mesh_axes", .add = add_mesh_axes},
    [19] = {.name = "stablehlo.sub_axis_info", .add = bytecode_add_sub_axis},
    [20] = {.name = "stablehlo.axis_ref", .add = add_axis},
    [21] = {.name = "stablehlo.mesh_axis", .add = add_mesh_axis},
    [22] = {.name = "stablehlo.mesh", .add = add_mesh},
};

static const bytecode_attr_row_t chlo_rows[] = {
    [0] = {.name = "chlo.comparison_direction", .words = BYTECODE_DIRECTIONS},
    [1] = {.name = "chlo.comparison_type", .words = BYTECODE_COMPARISONS},
};
// clang-format on

static pod_status_t stablehlo_attr(mlir_bytecode_t *reader,
                                   const mlir_attr_t **out_attr) {
  return bytecode_attr_of_rows(reader, "stablehlo", stablehlo_rows,
                               POD_COUNT_OF(stablehlo_rows), out_attr);
}

static pod_status_t chlo_attr(mlir_bytecode_t *reader, const mlir_attr_t **out_attr) {
  return bytecode_attr_of_rows(reader, "chlo", chlo_rows, POD_COUNT_OF(chlo_rows),
                               out_attr);
}

static pod_status_t stablehlo_type(mlir_bytecode_t *reader,
                                   const mlir_type_t **out_type) {
  uint64_t code;
  POD_TRY(mlir_bytecode_varint(reader, &code));
  if (code == 0) {
    *out_type = mlir_type_simple(mlir_bytecode_module(reader), MLIR_TYPE_TOKEN);
    return NULL;
  }
  return code == 1 ? bytecode_future(reader, out_type)
                   : mlir_bytecode_error(reader, "stablehlo type %llu is not known here",
                                         (unsigned long long)code);
}

const mlir_bytecode_dialect_t bytecode_stablehlo = {"stablehlo", stablehlo_attr,
                                                    stablehlo_type};
const mlir_bytecode_dialect_t bytecode_chlo = {"chlo", chlo_attr, NULL};

static const mlir_bytecode_op_t rows[] = {
#define PROPERTIES(op, names) {.name = op, .properties = names},
#include "server/compiler/dialect/properties.def"
#undef PROPERTIES
};

const mlir_bytecode_op_t *bytecode_op_of_today(const char *name) {
  // An operation that the table leaves out has no properties.
  static const mlir_bytecode_op_t none = {.properties = ""};
  for (size_t i = 0; i < POD_COUNT_OF(rows); i++) {
    if (strcmp(rows[i].name, name) == 0) {
      return &rows[i];
    }
  }
  return &none;
}
