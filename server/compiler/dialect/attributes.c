// Attributes of StableHLO; those of Shardy are in attributes_sharding.c.

#include "server/compiler/dialect/attributes.h"

#include <string.h>

#include "common/base/check.h"
#include "common/base/text.h"
#include "common/mlir/diagnostic.h"
#include "common/mlir/parser.h"
#include "server/compiler/dialect/attributes_private.h"
#include "server/compiler/dialect/syntax_parts.h"

// --- Which attribute it is ---

// "dot" of stablehlo.dot and of mhlo.dot.
static const char *name_behind_dialect(const mlir_attr_t *attr) {
  const char *dot = strchr(attr->text, '.');
  return dot == NULL ? "" : dot + 1;
}

bool attribute_is(const mlir_attr_t *attr, const char *name) {
  return mlir_attr_is(attr, MLIR_ATTR_DIALECT) &&
         strcmp(name_behind_dialect(attr), name) == 0;
}

pod_status_t attribute_open(mlir_module_t *module, const mlir_attr_t *attr,
                            const char *name, mlir_parser_t **out_parser) {
  if (!attribute_is(attr, name) || attr->body == NULL) {
    return mlir_error_at(
        module, attr == NULL ? 0 : attr->position, POD_INVALID_ARGUMENT,
        attr == NULL ? "a '%s' attribute is missing" : "expected a '%s' attribute", name);
  }
  *out_parser = mlir_parser_for_body(module, attr);
  return NULL;
}

pod_status_t attribute_close(mlir_parser_t *parser) {
  return mlir_parser_at_end(parser)
             ? NULL
             : mlir_parser_error(parser, "expected the end of the attribute");
}

// --- Enumerators ---

const char *stablehlo_word(const mlir_attr_t *attr, const char *name) {
  return attribute_is(attr, name) ? attr->body : NULL;
}

static pod_status_t not_a_word(mlir_module_t *module, const mlir_op_t *op,
                               const mlir_attr_t *attr, const char *attr_name,
                               const char *const *words) {
  pod_text_t list = {0};
  for (; *words != NULL; words++) {
    pod_text_printf(&list, "%s%s", list.length > 0 ? ", " : "", *words);
  }
  const pod_status_t status =
      attr == NULL
          ? mlir_op_error(module, op, POD_INVALID_ARGUMENT, "'%s' is missing: one of %s",
                          attr_name, list.bytes)
          : mlir_error_at(module, attr->position != 0 ? attr->position : op->position,
                          POD_INVALID_ARGUMENT, "'%s': '%s' must be one of %s", op->name,
                          attr_name, list.bytes);
  pod_text_deinit(&list);
  return status;
}

static int index_of(const char *word, const char *const *words) {
  for (int i = 0; word != NULL && words[i] != NULL; i++) {
    if (strcmp(word, words[i]) == 0) {
      return i;
    }
  }
  return -1;
}

pod_status_t stablehlo_enum(mlir_module_t *module, const mlir_op_t *op,
                            const char *attr_name, const char *enum_name,
                            const char *const *words, int *out_index) {
  const mlir_attr_t *attr = mlir_op_attr(op, attr_name);
  const int index = index_of(stablehlo_word(attr, enum_name), words);
  if (index < 0) {
    return not_a_word(module, op, attr, attr_name, words);
  }
  *out_index = index;
  return NULL;
}

pod_status_t stablehlo_comparison_direction(mlir_module_t *module, const mlir_op_t *op,
                                            int *out) {
  static const char *const words[] = {"EQ", "NE", "GE", "GT", "LE", "LT", NULL};
  return stablehlo_enum(module, op, "comparison_direction", "comparison_direction", words,
                        out);
}

pod_status_t stablehlo_comparison_type(mlir_module_t *module, const mlir_op_t *op,
                                       int *out) {
  static const char *const words[] = {"NOTYPE", "FLOAT",    "TOTALORDER",
                                      "SIGNED", "UNSIGNED", NULL};
  if (mlir_op_attr(op, "compare_type") == NULL) {
    *out = 0;
    return NULL;
  }
  return stablehlo_enum(module, op, "compare_type", "comparison_type", words, out);
}

pod_status_t stablehlo_fft_type(mlir_module_t *module, const mlir_op_t *op, int *out) {
  static const char *const words[] = {"FFT", "IFFT", "RFFT", "IRFFT", NULL};
  return stablehlo_enum(module, op, "fft_type", "fft_type", words, out);
}

pod_status_t stablehlo_transpose(mlir_module_t *module, const mlir_op_t *op, int *out) {
  static const char *const words[] = {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT", NULL};
  if (mlir_op_attr(op, "transpose_a") == NULL) {
    *out = 0;
    return NULL;
  }
  return stablehlo_enum(module, op, "transpose_a", "transpose", words, out);
}

pod_status_t stablehlo_rng_algorithm(mlir_module_t *module, const mlir_op_t *op,
                                     int *out) {
  static const char *const words[] = {"DEFAULT", "THREE_FRY", "PHILOX", NULL};
  return stablehlo_enum(module, op, "rng_algorithm", "rng_algorithm", words, out);
}

const mlir_attr_t *stablehlo_make_enum(mlir_module_t *module, const mlir_op_t *op,
                                       const char *name, const char *word) {
  return syntax_make_enum(module, op, name, word);
}

// --- Structures: name = [1, 2], name = 3, … in any order ---

typedef struct field_t {
  const char *name;
  stablehlo_dims_t *dims;  // Or
  int64_t *integer;
} field_t;

enum { FIELDS_MAX = 9 };

static pod_status_t parse_field(mlir_parser_t *parser, const field_t *field) {
  if (field->integer != NULL) {
    return mlir_parser_i64(parser, field->integer);
  }
  int64_t *values;
  POD_TRY(mlir_parser_i64_list(parser, &field->dims->count, &values));
  field->dims->values = values;
  return NULL;
}

static pod_status_t parse_fields(mlir_parser_t *parser, size_t count,
                                 const field_t *fields) {
  bool seen[FIELDS_MAX] = {false};
  while (!mlir_parser_at_end(parser)) {
    const mlir_position_t position = mlir_parser_position(parser);
    size_t i = 0;
    while (i < count && !mlir_parser_peek(parser, fields[i].name)) {
      i++;
    }
    if (i < count && !seen[i]) {
      POD_TRY(mlir_parser_expect(parser, fields[i].name));
    } else {
      const char *name;
      POD_TRY(mlir_parser_identifier(parser, &name));
      return mlir_parser_error_at(
          parser, position,
          i == count ? "unknown field '%s'" : "field '%s' stands here twice", name);
    }
    seen[i] = true;
    POD_TRY(mlir_parser_expect(parser, "="));
    POD_TRY(parse_field(parser, &fields[i]));
    if (!mlir_parser_accept(parser, ",")) {
      return attribute_close(parser);
    }
  }
  return NULL;
}

// Attributes are decoded once: what `parse` reads stays with the attribute. A function of
// it is called for attributes of one name only, from which the type of what it reads
// follows.
typedef pod_status_t (*parse_fn_t)(mlir_module_t *module, const mlir_attr_t *attr,
                                   void *out);

static pod_status_t decode(mlir_module_t *module, const mlir_attr_t *attr,
                           const char *name, parse_fn_t parse, size_t size_bytes,
                           void *out) {
  if (attribute_is(attr, name) && attr->decoded != NULL) {
    memcpy(out, attr->decoded, size_bytes);
    return NULL;
  }
  POD_TRY(parse(module, attr, out));
  mlir_attr_set_decoded(module, attr, out, size_bytes);
  return NULL;
}

static pod_status_t parse_dot(mlir_module_t *module, const mlir_attr_t *attr, void *out) {
  stablehlo_dot_t dot = {0};
  const field_t fields[] = {
      {"lhs_batching_dimensions", &dot.lhs_batching, NULL},
      {"rhs_batching_dimensions", &dot.rhs_batching, NULL},
      {"lhs_contracting_dimensions", &dot.lhs_contracting, NULL},
      {"rhs_contracting_dimensions", &dot.rhs_contracting, NULL},
  };
  mlir_parser_t *parser;
  POD_TRY(attribute_open(module, attr, "dot", &parser));
  POD_TRY(parse_fields(parser, POD_COUNT_OF(fields), fields));
  *(stablehlo_dot_t *)out = dot;
  return NULL;
}

static pod_status_t parse_ragged_dot(mlir_module_t *module, const mlir_attr_t *attr,
                                     void *out) {
  stablehlo_ragged_dot_t ragged = {0};
  const field_t fields[] = {
      {"lhs_batching_dimensions", &ragged.dot.lhs_batching, NULL},
      {"rhs_batching_dimensions", &ragged.dot.rhs_batching, NULL},
      {"lhs_contracting_dimensions", &ragged.dot.lhs_contracting, NULL},
      {"rhs_contracting_dimensions", &ragged.dot.rhs_contracting, NULL},
      {"lhs_ragged_dimensions", &ragged.lhs_ragged, NULL},
      {"rhs_group_dimensions", &ragged.rhs_group, NULL},
  };
  mlir_parser_t *parser;
  POD_TRY(attribute_open(module, attr, "ragged_dot", &parser));
  POD_TRY(parse_fields(parser, POD_COUNT_OF(fields), fields));
  *(stablehlo_ragged_dot_t *)out = ragged;
  return NULL;
}

pod_status_t stablehlo_ragged_dot_dimensions(mlir_module_t *module,
                                             const mlir_attr_t *attr,
                                             stablehlo_ragged_dot_t *out) {
  return decode(module, attr, "ragged_dot", parse_ragged_dot, sizeof(*out), out);
}

pod_status_t stablehlo_dot_dimensions(mlir_module_t *module, const mlir_attr_t *attr,
                                      stablehlo_dot_t *out_dot) {
  return decode(module, attr, "dot", parse_dot, sizeof(*out_dot), out_dot);
}

static stablehlo_dims_t copy_dims(mlir_module_t *module, const stablehlo_dims_t *dims) {
  return (stablehlo_dims_t){
      dims->count,
      pod_arena_copy(module->arena, dims->values, (size_t)dims->count * sizeof(int64_t))};
}

// `name` is a literal, so that its length is a constant once this is in place.
static inline void add_dims(pod_text_t *text, const char *name,
                            const stablehlo_dims_t *dims) {
  if (dims->count == 0) {
    return;
  }
  if (text->length > 0) {
    pod_text_add(text, ", ");
  }
  pod_text_add(text, name);
  for (int64_t i = 0; i < dims->count; i++) {
    pod_text_add(text, i > 0 ? ", " : " = [");
    pod_text_add_int(text, dims->values[i]);
  }
  pod_text_add(text, "]");
}

static const mlir_attr_t *make_dot(mlir_module_t *module, const stablehlo_dot_t *dot) {
  pod_text_t text = {0};
  pod_text_add(&text, "");
  add_dims(&text, "lhs_batching_dimensions", &dot->lhs_batching);
  add_dims(&text, "rhs_batching_dimensions", &dot->rhs_batching);
  add_dims(&text, "lhs_contracting_dimensions", &dot->lhs_contracting);
  add_dims(&text, "rhs_contracting_dimensions", &dot->rhs_contracting);
  const mlir_attr_t *attr = mlir_attr_dialect(module, "stablehlo.dot", text.bytes);
  pod_text_deinit(&text);
  const stablehlo_dot_t decoded = {
      copy_dims(module, &dot->lhs_batching), copy_dims(module, &dot->rhs_batching),
      copy_dims(module, &dot->lhs_contracting), copy_dims(module, &dot->rhs_contracting)};
  mlir_attr_set_decoded(module, attr, &decoded, sizeof(decoded));
  return attr;
}

// A kind, four counts, and what they count; those of some dot have more dimensions than
// its operands, until it is verified.
enum { DOT_KIND = 'd', DOT_KEY_MAX = 1 + 4 + 4 * TENSOR_RANK_MAX };

// How long the key is. 0: it is longer than any of a dot that will be verified.
static size_t dot_key(const stablehlo_dot_t *dot, int64_t key[DOT_KEY_MAX]) {
  const stablehlo_dims_t *const dims[] = {&dot->lhs_batching, &dot->rhs_batching,
                                          &dot->lhs_contracting, &dot->rhs_contracting};
  size_t count = 0;
  key[count++] = DOT_KIND;
  for (int i = 0; i < 4; i++) {
    if (dims[i]->count > TENSOR_RANK_MAX) {
      return 0;
    }
    key[count++] = dims[i]->count;
    for (int64_t k = 0; k < dims[i]->count; k++) {
      key[count++] = dims[i]->values[k];
    }
  }
  return count * sizeof(*key);
}

const mlir_attr_t *stablehlo_make_dot(mlir_module_t *module, const stablehlo_dot_t *dot) {
  int64_t key[DOT_KEY_MAX];
  const size_t key_bytes = dot_key(dot, key);
  const mlir_attr_t *attr =
      key_bytes == 0 ? NULL : mlir_attr_known(module, key, key_bytes);
  if (attr == NULL) {
    attr = make_dot(module, dot);
    if (key_bytes > 0) {
      mlir_attr_remember(module, key, key_bytes, attr);
    }
  }
  return attr;
}

static pod_status_t parse_gather(mlir_module_t *module, const mlir_attr_t *attr,
                                 void *out) {
  stablehlo_gather_t gather = {0};
  const field_t fields[] = {
      {"offset_dims", &gather.offset, NULL},
      {"collapsed_slice_dims", &gather.collapsed_slice, NULL},
      {"operand_batching_dims", &gather.operand_batching, NULL},
      {"start_indices_batching_dims", &gather.start_indices_batching, NULL},
      {"start_index_map", &gather.start_index_map, NULL},
      {"index_vector_dim", NULL, &gather.index_vector_dim},
  };
  mlir_parser_t *parser;
  POD_TRY(attribute_open(module, attr, "gather", &parser));
  POD_TRY(parse_fields(parser, POD_COUNT_OF(fields), fields));
  *(stablehlo_gather_t *)out = gather;
  return NULL;
}

pod_status_t stablehlo_gather_dimensions(mlir_module_t *module, const mlir_attr_t *attr,
                                         stablehlo_gather_t *out_gather) {
  return decode(module, attr, "gather", parse_gather, sizeof(*out_gather), out_gather);
}

static pod_status_t parse_scatter(mlir_module_t *module, const mlir_attr_t *attr,
                                  void *out) {
  stablehlo_scatter_t scatter = {0};
  const field_t fields[] = {
      {"update_window_dims", &scatter.update_window, NULL},
      {"inserted_window_dims", &scatter.inserted_window, NULL},
      {"input_batching_dims", &scatter.input_batching, NULL},
      {"scatter_indices_batching_dims", &scatter.scatter_indices_batching, NULL},
      {"scatter_dims_to_operand_dims", &scatter.scatter_to_operand, NULL},
      {"index_vector_dim", NULL, &scatter.index_vector_dim},
  };
  mlir_parser_t *parser;
  POD_TRY(attribute_open(module, attr, "scatter", &parser));
  POD_TRY(parse_fields(parser, POD_COUNT_OF(fields), fields));
  *(stablehlo_scatter_t *)out = scatter;
  return NULL;
}

pod_status_t stablehlo_scatter_dimensions(mlir_module_t *module, const mlir_attr_t *attr,
                                          stablehlo_scatter_t *out_scatter) {
  return decode(module, attr, "scatter", parse_scatter, sizeof(*out_scatter),
                out_scatter);
}

// --- Convolutions ---

// [b, 0, 1, f]: where the two letters and the spatial dimensions stand.
static pod_status_t parse_conv_dims(mlir_parser_t *parser, mlir_module_t *module,
                                    const char letters[2], int64_t *out_first,
                                    int64_t *out_second, stablehlo_dims_t *out_spatial) {
  const mlir_position_t start = mlir_parser_position(parser);
  int64_t spatial[TENSOR_RANK_MAX];
  int64_t places[2] = {-1, -1};
  bool taken[TENSOR_RANK_MAX] = {false};
  int64_t rank = 0;
  POD_TRY(mlir_parser_expect(parser, "["));
  do {
    const mlir_position_t position = mlir_parser_position(parser);
    if (rank == TENSOR_RANK_MAX) {
      return mlir_parser_error(parser, "more than %d dimensions", TENSOR_RANK_MAX);
    }
    if (mlir_parser_peek_integer(parser)) {
      int64_t index;
      POD_TRY(mlir_parser_i64(parser, &index));
      if (index < 0 || index >= TENSOR_RANK_MAX || taken[index]) {
        return mlir_parser_error_at(parser, position,
                                    "%lld is no spatial dimension, or stands here twice",
                                    (long long)index);
      }
      taken[index] = true;
      spatial[index] = rank;
    } else {
      const char *word;
      POD_TRY(mlir_parser_identifier(parser, &word));
      const int which = word[0] == letters[0] ? 0 : (word[0] == letters[1] ? 1 : -1);
      if (which < 0 || word[1] != '\0' || places[which] >= 0) {
        return mlir_parser_error_at(parser, position, "expected '%c' and '%c', once each",
                                    letters[0], letters[1]);
      }
      places[which] = rank;
    }
    rank++;
  } while (mlir_parser_accept(parser, ","));
  POD_TRY(mlir_parser_expect(parser, "]"));
  bool is_complete = places[0] >= 0 && places[1] >= 0;
  for (int64_t i = 0; is_complete && i < rank - 2; i++) {
    is_complete = taken[i];
  }
  if (!is_complete) {
    return mlir_parser_error_at(
        parser, start, "expected '%c', '%c' and the spatial dimensions from 0 on",
        letters[0], letters[1]);
  }
  *out_first = places[0];
  *out_second = places[1];
  out_spatial->count = rank - 2;
  out_spatial->values =
      pod_arena_copy(module->arena, spatial, (size_t)(rank - 2) * sizeof(spatial[0]));
  return NULL;
}

static pod_status_t parse_raw_conv(mlir_parser_t *parser, stablehlo_conv_t *conv) {
  const field_t fields[] = {
      {"input_batch_dimension", NULL, &conv->input_batch},
      {"input_feature_dimension", NULL, &conv->input_feature},
      {"input_spatial_dimensions", &conv->input_spatial, NULL},
      {"kernel_input_feature_dimension", NULL, &conv->kernel_input_feature},
      {"kernel_output_feature_dimension", NULL, &conv->kernel_output_feature},
      {"kernel_spatial_dimensions", &conv->kernel_spatial, NULL},
      {"output_batch_dimension", NULL, &conv->output_batch},
      {"output_feature_dimension", NULL, &conv->output_feature},
      {"output_spatial_dimensions", &conv->output_spatial, NULL},
  };
  return parse_fields(parser, POD_COUNT_OF(fields), fields);
}

static pod_status_t parse_conv(mlir_module_t *module, const mlir_attr_t *attr,
                               void *out) {
  stablehlo_conv_t conv = {0};
  mlir_parser_t *parser;
  POD_TRY(attribute_open(module, attr, "conv", &parser));
  if (mlir_parser_accept(parser, "raw")) {
    POD_TRY(parse_raw_conv(parser, &conv));
  } else {
    POD_TRY(parse_conv_dims(parser, module, "bf", &conv.input_batch, &conv.input_feature,
                            &conv.input_spatial));
    POD_TRY(mlir_parser_expect(parser, "x"));
    POD_TRY(parse_conv_dims(parser, module, "io", &conv.kernel_input_feature,
                            &conv.kernel_output_feature, &conv.kernel_spatial));
    POD_TRY(mlir_parser_expect(parser, "->"));
    POD_TRY(parse_conv_dims(parser, module, "bf", &conv.output_batch,
                            &conv.output_feature, &conv.output_spatial));
    POD_TRY(attribute_close(parser));
  }
  *(stablehlo_conv_t *)out = conv;
  return NULL;
}

pod_status_t stablehlo_conv_dimensions(mlir_module_t *module, const mlir_attr_t *attr,
                                       stablehlo_conv_t *out_conv) {
  return decode(module, attr, "conv", parse_conv, sizeof(*out_conv), out_conv);
}

// --- Precision ---

pod_status_t stablehlo_precision(mlir_module_t *module, const mlir_attr_t *attr,
                                 int64_t out_precision[2]) {
  static const char *const words[] = {"DEFAULT", "HIGH", "HIGHEST", NULL};
  int64_t precision[2] = {0, 0};
  if (attr != NULL && (attr->kind != MLIR_ATTR_ARRAY || attr->count > 2)) {
    return mlir_error_at(module, attr->position, POD_INVALID_ARGUMENT,
                         "expected two precisions, of lhs and rhs");
  }
  for (int64_t i = 0; attr != NULL && i < attr->count; i++) {
    precision[i] = index_of(stablehlo_word(attr->elements[i], "precision"), words);
    if (precision[i] < 0) {
      return mlir_error_at(module, attr->elements[i]->position, POD_INVALID_ARGUMENT,
                           "expected a precision: DEFAULT, HIGH or HIGHEST");
    }
  }
  out_precision[0] = precision[0];
  out_precision[1] = precision[1];
  return NULL;
}

// A floating-point type or tf32.
static pod_status_t parse_type_field(mlir_parser_t *parser, const char *name,
                                     const mlir_type_t **out) {
  POD_TRY(mlir_parser_expect(parser, name));
  POD_TRY(mlir_parser_expect(parser, "="));
  const mlir_position_t position = mlir_parser_position(parser);
  POD_TRY(mlir_parser_type(parser, out));
  const mlir_type_t *type = *out;
  if (!(type->kind == MLIR_TYPE_SCALAR && tensor_dtype_is_float(type->shape.dtype)) &&
      !(type->kind == MLIR_TYPE_OPAQUE && strcmp(type->text, "tf32") == 0)) {
    return mlir_parser_error_at(parser, position,
                                "'%s' must be a floating-point type or tf32", name);
  }
  return mlir_parser_expect(parser, ",");
}

static pod_status_t parse_count_field(mlir_parser_t *parser, const char *name,
                                      int64_t *out) {
  POD_TRY(mlir_parser_expect(parser, name));
  POD_TRY(mlir_parser_expect(parser, "="));
  POD_TRY(mlir_parser_i64(parser, out));
  return mlir_parser_expect(parser, ",");
}

pod_status_t stablehlo_dot_algorithm(mlir_module_t *module, const mlir_attr_t *attr,
                                     stablehlo_dot_algorithm_t *out) {
  stablehlo_dot_algorithm_t read = {0};
  mlir_parser_t *parser;
  POD_TRY(attribute_open(module, attr, "dot_algorithm", &parser));
  POD_TRY(parse_type_field(parser, "lhs_precision_type", &read.lhs_precision));
  POD_TRY(parse_type_field(parser, "rhs_precision_type", &read.rhs_precision));
  POD_TRY(parse_type_field(parser, "accumulation_type", &read.accumulation));
  POD_TRY(parse_count_field(parser, "lhs_component_count", &read.lhs_component_count));
  POD_TRY(parse_count_field(parser, "rhs_component_count", &read.rhs_component_count));
  POD_TRY(parse_count_field(parser, "num_primitive_operations",
                            &read.num_primitive_operations));
  POD_TRY(mlir_parser_expect(parser, "allow_imprecise_accumulation"));
  POD_TRY(mlir_parser_expect(parser, "="));
  read.allow_imprecise_accumulation = mlir_parser_accept(parser, "true");
  if (!read.allow_imprecise_accumulation) {
    POD_TRY(mlir_parser_expect(parser, "false"));
  }
  POD_TRY(attribute_close(parser));
  *out = read;
  return NULL;
}

// --- Accuracy ---

static pod_status_t parse_mode(mlir_parser_t *parser, mlir_module_t *module,
                               const char **out_mode) {
  static const char *const modes[] = {"DEFAULT", "HIGHEST", "TOLERANCE", NULL};
  const mlir_position_t position = mlir_parser_position(parser);
  const mlir_attr_t *attr;
  POD_TRY(mlir_parser_expect(parser, "mode"));
  POD_TRY(mlir_parser_expect(parser, "="));
  POD_TRY(mlir_parser_attr(parser, &attr));
  *out_mode = stablehlo_word(attr, "result_accuracy_mode");
  return index_of(*out_mode, modes) >= 0
             ? NULL
             : mlir_error_at(module, position, POD_INVALID_ARGUMENT,
                             "expected a mode: DEFAULT, HIGHEST or TOLERANCE");
}

// "ulps = 2", "atol = 0.1" or "rtol = 0.1", and the comma.
static pod_status_t parse_tolerance(mlir_parser_t *parser, stablehlo_accuracy_t *read) {
  const bool is_ulps = mlir_parser_accept(parser, "ulps");
  const bool is_absolute = !is_ulps && mlir_parser_accept(parser, "atol");
  if (!is_ulps && !is_absolute) {
    POD_TRY(mlir_parser_expect(parser, "rtol"));
  }
  POD_TRY(mlir_parser_expect(parser, "="));
  POD_TRY(is_ulps ? mlir_parser_i64(parser, &read->ulps)
                  : mlir_parser_f64(parser, is_absolute ? &read->atol : &read->rtol));
  return mlir_parser_expect(parser, ",");
}

pod_status_t stablehlo_result_accuracy(mlir_module_t *module, const mlir_attr_t *attr,
                                       stablehlo_accuracy_t *out) {
  stablehlo_accuracy_t read = {.mode = "DEFAULT"};
  mlir_parser_t *parser;
  POD_TRY(attribute_open(module, attr, "result_accuracy", &parser));
  while (!mlir_parser_at_end(parser) && !mlir_parser_peek(parser, "mode")) {
    POD_TRY(parse_tolerance(parser, &read));
  }
  POD_TRY(parse_mode(parser, module, &read.mode));
  POD_TRY(attribute_close(parser));
  *out = read;
  return NULL;
}

// --- Collectives ---

typedef struct channel_t {
  int64_t handle, type;
} channel_t;

static pod_status_t parse_channel(mlir_module_t *module, const mlir_attr_t *attr,
                                  void *out) {
  channel_t channel = {0};
  const field_t fields[] = {{"handle", NULL, &channel.handle},
                            {"type", NULL, &channel.type}};
  mlir_parser_t *parser;
  POD_TRY(attribute_open(module, attr, "channel_handle", &parser));
  POD_TRY(parse_fields(parser, POD_COUNT_OF(fields), fields));
  *(channel_t *)out = channel;
  return NULL;
}

pod_status_t stablehlo_channel_handle(mlir_module_t *module, const mlir_attr_t *attr,
                                      int64_t *out_handle, int64_t *out_type) {
  channel_t channel = {0};
  if (attr != NULL) {
    POD_TRY(
        decode(module, attr, "channel_handle", parse_channel, sizeof(channel), &channel));
  }
  *out_handle = channel.handle;
  *out_type = channel.type;
  return NULL;
}

pod_status_t stablehlo_source_target_pairs(mlir_module_t *module, const mlir_attr_t *attr,
                                           int64_t *out_pair_count,
                                           const int64_t **out_pairs) {
  const tensor_shape_t *shape =
      mlir_attr_is(attr, MLIR_ATTR_DENSE) ? &attr->type->shape : NULL;
  int64_t count;
  if (shape == NULL || shape->rank != 2 || shape->dims[1] != 2 ||
      !mlir_attr_as_i64s(module, attr, &count, out_pairs)) {
    return mlir_error_at(module, attr == NULL ? 0 : attr->position, POD_INVALID_ARGUMENT,
                         "expected pairs of source and target as dense<…> : "
                         "tensor<nx2xi64>");
  }
  *out_pair_count = count / 2;
  return NULL;
}

const mlir_attr_t *compiler_make_replica_groups(mlir_module_t *module,
                                                int64_t group_count, int64_t group_size,
                                                const int64_t *ids) {
  const int64_t dims[] = {group_count, group_size};
  const tensor_shape_t shape = tensor_shape_make(TENSOR_S64, 2, dims);
  return mlir_attr_dense(module, &shape, ids, false);
}
