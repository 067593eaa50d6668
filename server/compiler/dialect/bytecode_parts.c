// The texts of structures and enumerators.

#include "server/compiler/dialect/bytecode_parts.h"

#include <string.h>

#include "common/tensor/shape.h"

void bytecode_add_name(pod_text_t *text, const char *name) {
  if (text->length > 0) {
    pod_text_add(text, ", ");
  }
  pod_text_add(text, name);
  pod_text_add(text, " = ");
}

pod_status_t bytecode_add_attr(mlir_bytecode_t *reader, pod_text_t *text,
                               const char *name) {
  const mlir_attr_t *attr;
  POD_TRY(mlir_bytecode_attr(reader, &attr));
  POD_TRY(mlir_bytecode_charge(reader, attr->weight));
  bytecode_add_name(text, name);
  mlir_attr_print(text, attr, 0);
  return NULL;
}

void bytecode_add_dims(pod_text_t *text, int64_t count, const int64_t *dims) {
  pod_text_add(text, "[");
  for (int64_t i = 0; i < count; i++) {
    pod_text_add(text, i > 0 ? ", " : "");
    pod_text_add_int(text, dims[i]);
  }
  pod_text_add(text, "]");
}

void bytecode_add_dims_field(pod_text_t *text, const char *name, int64_t count,
                             const int64_t *dims) {
  if (count > 0) {
    bytecode_add_name(text, name);
    bytecode_add_dims(text, count, dims);
  }
}

const mlir_attr_t *bytecode_take_attr(mlir_bytecode_t *reader, const char *name,
                                      pod_text_t *text) {
  pod_text_add(text, "");
  const mlir_attr_t *attr =
      mlir_attr_dialect(mlir_bytecode_module(reader), name, text->bytes);
  pod_text_deinit(text);
  return attr;
}

pod_status_t bytecode_enum(mlir_bytecode_t *reader, const char *name, const char *words,
                           const mlir_attr_t **out_attr) {
  uint64_t value;
  POD_TRY(mlir_bytecode_varint(reader, &value));
  for (uint64_t i = 0; i < value && *words != '\0'; i++) {
    words += strcspn(words, " ");
    words += *words == ' ';
  }
  const size_t length = strcspn(words, " ");
  if (length == 0 || *words == '-') {
    return mlir_bytecode_error(reader, "%s %llu is unknown", name,
                               (unsigned long long)value);
  }
  mlir_module_t *module = mlir_bytecode_module(reader);
  *out_attr =
      mlir_attr_dialect(module, name, pod_arena_text(module->arena, words, length));
  return NULL;
}

static pod_status_t add_field(mlir_bytecode_t *reader, const char *name, char encoding,
                              pod_text_t *text) {
  int64_t value, count, *values;
  const mlir_type_t *type;
  uint8_t byte;
  switch (encoding) {
    case 'd':
    case 'D':
      POD_TRY(mlir_bytecode_svarints(reader, &count, &values));
      if (count > 0 || encoding == 'D') {
        bytecode_add_name(text, name);
        bytecode_add_dims(text, count, values);
      }
      return NULL;
    case 't':
      POD_TRY(mlir_bytecode_type(reader, &type));
      POD_TRY(mlir_bytecode_charge(reader, type->weight));
      bytecode_add_name(text, name);
      mlir_type_print(text, type);
      return NULL;
    case 'b':
      POD_TRY(mlir_bytecode_byte(reader, &byte));
      bytecode_add_name(text, name);
      pod_text_add(text, byte != 0 ? "true" : "false");
      return NULL;
    default:
      POD_TRY(mlir_bytecode_svarint(reader, &value));
      if (value != 0 || encoding != 'z') {
        bytecode_add_name(text, name);
        pod_text_add_int(text, value);
      }
      return NULL;
  }
}

pod_status_t bytecode_struct(mlir_bytecode_t *reader, const char *name,
                             const char *fields, const mlir_attr_t **out_attr) {
  pod_text_t text = {0};
  pod_status_t status = NULL;
  while (status == NULL && *fields != '\0') {
    char field[64];
    const size_t length = strcspn(fields, "=");
    memcpy(field, fields, length);
    field[length] = '\0';
    status = add_field(reader, field, fields[length + 1], &text);
    fields += length + 2;
    fields += *fields == ' ';
  }
  if (status != NULL) {
    pod_text_deinit(&text);
    return status;
  }
  *out_attr = bytecode_take_attr(reader, name, &text);
  return NULL;
}

pod_status_t bytecode_bounds(mlir_bytecode_t *reader, const mlir_attr_t **out_attr) {
  int64_t count, *bounds;
  POD_TRY(mlir_bytecode_svarints(reader, &count, &bounds));
  pod_text_t text = {0};
  for (int64_t i = 0; i < count; i++) {
    pod_text_add(&text, i > 0 ? ", " : "");
    if (bounds[i] < 0) {
      pod_text_add(&text, "?");
    } else {
      pod_text_add_int(&text, bounds[i]);
    }
  }
  *out_attr = bytecode_take_attr(reader, "stablehlo.bounds", &text);
  return NULL;
}

pod_status_t bytecode_future(mlir_bytecode_t *reader, const mlir_type_t **out_type) {
  int64_t count;
  const mlir_type_t **types;
  POD_TRY(mlir_bytecode_types(reader, &count, &types));
  for (int64_t i = 0; i < count; i++) {
    POD_TRY(mlir_bytecode_charge(reader, types[i]->weight));
  }
  pod_text_t text = {0};
  pod_text_add(&text, "!stablehlo.future<");
  for (int64_t i = 0; i < count; i++) {
    pod_text_add(&text, i > 0 ? ", " : "");
    mlir_type_print(&text, types[i]);
  }
  pod_text_add(&text, ">");
  const pod_status_t status = mlir_bytecode_parse_type(reader, text.bytes, out_type);
  pod_text_deinit(&text);
  return status;
}

pod_status_t bytecode_add_sub_axis(mlir_bytecode_t *reader, pod_text_t *text) {
  int64_t before, size;
  POD_TRY(mlir_bytecode_svarint(reader, &before));
  POD_TRY(mlir_bytecode_svarint(reader, &size));
  pod_text_printf(text, "(%lld)%lld", (long long)before, (long long)size);
  return NULL;
}

// --- Tables ---

static pod_status_t read_by_add(mlir_bytecode_t *reader, const bytecode_attr_row_t *row,
                                const mlir_attr_t **out_attr) {
  pod_text_t text = {0};
  const pod_status_t status = row->add(reader, &text);
  if (status != NULL) {
    pod_text_deinit(&text);
    return status;
  }
  *out_attr = bytecode_take_attr(reader, row->name, &text);
  return NULL;
}

pod_status_t bytecode_attr_of_rows(mlir_bytecode_t *reader, const char *dialect,
                                   const bytecode_attr_row_t *rows, size_t count,
                                   const mlir_attr_t **out_attr) {
  static const bytecode_attr_row_t none = {0};
  uint64_t code;
  POD_TRY(mlir_bytecode_varint(reader, &code));
  const bytecode_attr_row_t *row = code < count ? &rows[code] : &none;
  if (row->read != NULL) {
    return row->read(reader, out_attr);
  }
  if (row->words != NULL) {
    return bytecode_enum(reader, row->name, row->words, out_attr);
  }
  if (row->fields != NULL) {
    return bytecode_struct(reader, row->name, row->fields, out_attr);
  }
  return row->add != NULL
             ? read_by_add(reader, row, out_attr)
             : mlir_bytecode_error(reader, "%s attribute %llu is not known here", dialect,
                                   (unsigned long long)code);
}

// --- Accuracy ---

static const char exact[] = "mode = #stablehlo.result_accuracy_mode<DEFAULT>";

bool bytecode_is_exact(const mlir_attr_t *accuracy) {
  return mlir_attr_is(accuracy, MLIR_ATTR_DIALECT) && accuracy->body != NULL &&
         strcmp(accuracy->body, exact) == 0;
}

pod_status_t bytecode_accuracy(mlir_bytecode_t *reader, const mlir_attr_t **out_attr) {
  double atol, rtol;
  int64_t ulps;
  const mlir_attr_t *mode;
  POD_TRY(mlir_bytecode_f64(reader, &atol));
  POD_TRY(mlir_bytecode_f64(reader, &rtol));
  POD_TRY(mlir_bytecode_svarint(reader, &ulps));
  POD_TRY(mlir_bytecode_attr(reader, &mode));
  if (!mlir_attr_is(mode, MLIR_ATTR_DIALECT) || mode->body == NULL) {
    return mlir_bytecode_error(reader, "expected the mode of an accuracy");
  }
  pod_text_t text = {0};
  if (atol != 0) {
    bytecode_add_name(&text, "atol");
    pod_text_printf(&text, "%e", atol);
  }
  if (rtol != 0) {
    bytecode_add_name(&text, "rtol");
    pod_text_printf(&text, "%e", rtol);
  }
  if (ulps != 0) {
    bytecode_add_name(&text, "ulps");
    pod_text_add_int(&text, ulps);
  }
  bytecode_add_name(&text, "mode");
  pod_text_printf(&text, "#stablehlo.result_accuracy_mode<%s>", mode->body);
  *out_attr = bytecode_take_attr(reader, "stablehlo.result_accuracy", &text);
  return NULL;
}

// --- Convolutions ---

// "[b, 0, 1, f]": a letter at the two places, the numbers of the spatial ones at theirs.
static bool add_layout(pod_text_t *text, const char letters[2], int64_t first,
                       int64_t second, int64_t count, const int64_t *spatial) {
  int64_t places[TENSOR_RANK_MAX];  // -1 and -2 for the letters.
  const int64_t rank = count + 2;
  bool is_good = rank <= TENSOR_RANK_MAX && first >= 0 && first < rank && second >= 0 &&
                 second < rank && first != second;
  for (int64_t i = 0; is_good && i < rank; i++) {
    places[i] = i == first ? -1 : i == second ? -2 : INT64_MAX;
  }
  for (int64_t i = 0; is_good && i < count; i++) {
    is_good = spatial[i] >= 0 && spatial[i] < rank && places[spatial[i]] == INT64_MAX;
    if (is_good) {
      places[spatial[i]] = i;
    }
  }
  pod_text_add(text, "[");
  for (int64_t i = 0; is_good && i < rank; i++) {
    pod_text_add(text, i > 0 ? ", " : "");
    if (places[i] < 0) {
      pod_text_add_bytes(text, &letters[-1 - places[i]], 1);
    } else {
      pod_text_add_int(text, places[i]);
    }
  }
  pod_text_add(text, "]");
  return is_good;
}

pod_status_t bytecode_make_conv(mlir_bytecode_t *reader, const bytecode_conv_t *conv,
                                const mlir_attr_t **out_attr) {
  pod_text_t text = {0};
  bool is_good = add_layout(&text, "bf", conv->input.first, conv->input.second,
                            conv->input.spatial_count, conv->input.spatial);
  pod_text_add(&text, "x");
  is_good = is_good && add_layout(&text, "io", conv->kernel.first, conv->kernel.second,
                                  conv->kernel.spatial_count, conv->kernel.spatial);
  pod_text_add(&text, "->");
  is_good = is_good && add_layout(&text, "bf", conv->output.first, conv->output.second,
                                  conv->output.spatial_count, conv->output.spatial);
  if (!is_good) {
    pod_text_deinit(&text);
    return mlir_bytecode_error(reader, "the dimension numbers of a convolution");
  }
  *out_attr = bytecode_take_attr(reader, "stablehlo.conv", &text);
  return NULL;
}
