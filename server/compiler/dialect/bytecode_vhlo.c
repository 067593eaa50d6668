// From VHLO's operations, of which every version stays as it is, to StableHLO's of today:
// a row for each version (vhlo.def), which names the attributes and what becomes of them.
//
// VHLO has no defaults and no attributes of several parts; where StableHLO has them, they
// are dropped and put together, as VhloLegalizeToStablehlo.cpp of
// https://github.com/openxla/stablehlo does.

#include <string.h>

#include "common/base/check.h"
#include "server/compiler/dialect/bytecode_parts.h"

// The operation's attributes, and the one in hand. A `value` of NULL drops it.
typedef struct change_t {
  mlir_bytecode_t *reader;
  const mlir_bytecode_attrs_t *attrs;
  const mlir_attr_t *value;
  const char *name;
} change_t;

static mlir_module_t *module_of(const change_t *change) {
  return mlir_bytecode_module(change->reader);
}

static pod_status_t expect(const change_t *change, bool is_met, const char *what) {
  return is_met ? NULL
                : mlir_bytecode_error(change->reader, "attribute '%s' should be %s",
                                      change->name, what);
}

// --- What is dropped ---

static void drop_if(change_t *change, bool is_default) {
  change->value = is_default ? NULL : change->value;
}

static pod_status_t gone(change_t *change) {
  change->value = NULL;
  return NULL;
}

static bool is_number(const mlir_attr_t *attr, int64_t number) {
  return (attr->kind == MLIR_ATTR_INTEGER || attr->kind == MLIR_ATTR_BOOL) &&
         attr->integer == number;
}

static pod_status_t not_false(change_t *change) {
  drop_if(change, is_number(change->value, 0));
  return NULL;
}

static pod_status_t not_minus_one(change_t *change) {
  drop_if(change, is_number(change->value, -1));
  return NULL;
}

static pod_status_t not_original(change_t *change) {
  drop_if(change, is_number(change->value, 1));
  return NULL;
}

static bool is_empty(const mlir_attr_t *attr) {
  switch (attr->kind) {
    case MLIR_ATTR_STRING:
      return attr->length == 0;
    case MLIR_ATTR_ARRAY:
    case MLIR_ATTR_DICTIONARY:
    case MLIR_ATTR_DENSE:
      return attr->count == 0;
    default:
      return false;
  }
}

static pod_status_t not_empty(change_t *change) {
  drop_if(change, is_empty(change->value));
  return NULL;
}

// Layouts of operands and results come together.
static pod_status_t not_both_empty(change_t *change) {
  const mlir_attr_t *operands = mlir_bytecode_attrs_get(change->attrs, "operand_layouts");
  const mlir_attr_t *results = mlir_bytecode_attrs_get(change->attrs, "result_layouts");
  drop_if(change, (operands == NULL || is_empty(operands)) &&
                      (results == NULL || is_empty(results)));
  return NULL;
}

// Attributes of arguments, of which none has any.
static pod_status_t not_empty_lists(change_t *change) {
  bool is_default = change->value->kind == MLIR_ATTR_ARRAY;
  for (int64_t i = 0; is_default && i < change->value->count; i++) {
    const mlir_attr_t *element = change->value->elements[i];
    is_default = element->kind == MLIR_ATTR_DICTIONARY && element->count == 0;
  }
  drop_if(change, is_default);
  return NULL;
}

static bool is_word(const mlir_attr_t *attr, const char *word) {
  return attr->kind == MLIR_ATTR_DIALECT && attr->body != NULL &&
         strcmp(attr->body, word) == 0;
}

static pod_status_t not_notype(change_t *change) {
  drop_if(change, is_word(change->value, "NOTYPE"));
  return NULL;
}

static pod_status_t not_default(change_t *change) {
  bool is_default = change->value->kind == MLIR_ATTR_ARRAY;
  for (int64_t i = 0; is_default && i < change->value->count; i++) {
    is_default = is_word(change->value->elements[i], "DEFAULT");
  }
  drop_if(change, is_default);
  return NULL;
}

static pod_status_t not_exact(change_t *change) {
  drop_if(change, bytecode_is_exact(change->value));
  return NULL;
}

// --- What is another kind of attribute ---

static pod_status_t as_numbers(const change_t *change, int64_t *out_count,
                               const int64_t **out_values) {
  return expect(
      change, mlir_attr_as_i64s(module_of(change), change->value, out_count, out_values),
      "a list of integers");
}

static bool are_all(int64_t count, const int64_t *values, int64_t number) {
  for (int64_t i = 0; i < count; i++) {
    if (values[i] != number) {
      return false;
    }
  }
  return count > 0;
}

static pod_status_t i64s(change_t *change) {
  int64_t count;
  const int64_t *values;
  POD_TRY(as_numbers(change, &count, &values));
  change->value = mlir_attr_i64_array(module_of(change), count, values);
  return NULL;
}

static pod_status_t i64s_not_ones(change_t *change) {
  POD_TRY(i64s(change));
  drop_if(change, are_all(change->value->count, change->value->integers, 1));
  return NULL;
}

static pod_status_t i64s_not_empty(change_t *change) {
  POD_TRY(i64s(change));
  drop_if(change, change->value->count == 0);
  return NULL;
}

static pod_status_t bools_not_false(change_t *change) {
  int64_t count;
  const int64_t *values;
  POD_TRY(as_numbers(change, &count, &values));
  change->value = mlir_attr_integer_array(module_of(change), TENSOR_PRED, count, values);
  drop_if(change, are_all(count, values, 0));
  return NULL;
}

static pod_status_t not_zeros(change_t *change) {
  int64_t count;
  const int64_t *values;
  POD_TRY(as_numbers(change, &count, &values));
  drop_if(change, are_all(count, values, 0));
  return NULL;
}

static pod_status_t symbol(change_t *change) {
  POD_TRY(expect(change, change->value->kind == MLIR_ATTR_STRING, "a name"));
  change->value = mlir_attr_symbol(module_of(change), change->value->text);
  return NULL;
}

static pod_status_t symbols(change_t *change) {
  const mlir_attr_t *names = change->value;
  POD_TRY(expect(change, names->kind == MLIR_ATTR_ARRAY, "a list of names"));
  const mlir_attr_t **made =
      pod_arena_array(module_of(change)->arena, (size_t)names->count, sizeof(*made));
  for (int64_t i = 0; i < names->count; i++) {
    change->value = names->elements[i];
    POD_TRY(symbol(change));
    made[i] = change->value;
  }
  change->value = mlir_attr_array(module_of(change), names->count, made);
  drop_if(change, names->count == 0);
  return NULL;
}

// True is an attribute that is there, false one that is not.
static pod_status_t unit(change_t *change) {
  POD_TRY(expect(change, change->value->kind == MLIR_ATTR_BOOL, "a boolean"));
  change->value = change->value->integer ? mlir_attr_unit(module_of(change)) : NULL;
  return NULL;
}

static pod_status_t channel(change_t *change) {
  POD_TRY(expect(change, change->value->kind == MLIR_ATTR_INTEGER, "an integer"));
  const int64_t handle = change->value->integer;
  pod_text_t text = {0};
  pod_text_printf(&text, "handle = %lld, type = 0", (long long)handle);
  change->name = "channel_handle";
  change->value = bytecode_take_attr(change->reader, "stablehlo.channel_handle", &text);
  drop_if(change, handle == 0);
  return NULL;
}

// --- The words of the column ---

static const struct {
  const char *word;
  pod_status_t (*apply)(change_t *change);
} actions[] = {
    {"bools_not_false", bools_not_false},
    {"channel", channel},
    {"gone", gone},
    {"i64s", i64s},
    {"i64s_not_empty", i64s_not_empty},
    {"i64s_not_ones", i64s_not_ones},
    {"not_DEFAULT", not_default},
    {"not_NOTYPE", not_notype},
    {"not_ORIGINAL", not_original},
    {"not_both_empty", not_both_empty},
    {"not_empty", not_empty},
    {"not_empty_lists", not_empty_lists},
    {"not_exact", not_exact},
    {"not_false", not_false},
    {"not_minus_one", not_minus_one},
    {"not_zero", not_false},
    {"not_zeros", not_zeros},
    {"part", gone},  // Of what the operation's `compose` has put together before.
    {"symbol", symbol},
    {"symbols", symbols},
    {"unit", unit},
};

static pod_status_t apply(change_t *change, const char *word, size_t length) {
  for (size_t i = 0; i < POD_COUNT_OF(actions); i++) {
    if (strncmp(actions[i].word, word, length) == 0 && actions[i].word[length] == '\0') {
      return actions[i].apply(change);
    }
  }
  return mlir_bytecode_error(change->reader, "no action '%.*s'", (int)length, word);
}

static pod_status_t change_attr(mlir_bytecode_t *reader, mlir_bytecode_attrs_t *attrs,
                                const char *name, const char *action, size_t length) {
  change_t change = {
      .reader = reader, .attrs = attrs, .value = mlir_bytecode_attrs_get(attrs, name)};
  if (change.value == NULL) {
    return NULL;
  }
  change.name = name;
  POD_TRY(apply(&change, action, length));
  if (change.name != name) {
    mlir_bytecode_attrs_set(reader, attrs, name, NULL);
  }
  mlir_bytecode_attrs_set(reader, attrs, change.name, change.value);
  return NULL;
}

// --- Attributes of several parts ---

static pod_status_t part_i64s(mlir_bytecode_t *reader, const mlir_bytecode_attrs_t *attrs,
                              const char *name, int64_t *out_count,
                              const int64_t **out_values) {
  const mlir_attr_t *attr = mlir_bytecode_attrs_get(attrs, name);
  *out_count = 0;
  *out_values = NULL;
  return attr == NULL || mlir_attr_as_i64s(mlir_bytecode_module(reader), attr, out_count,
                                           out_values)
             ? NULL
             : mlir_bytecode_error(reader, "attribute '%s' should be a list of integers",
                                   name);
}

static pod_status_t part_i64(mlir_bytecode_t *reader, const mlir_bytecode_attrs_t *attrs,
                             const char *name, int64_t *out_value) {
  const mlir_attr_t *attr = mlir_bytecode_attrs_get(attrs, name);
  *out_value = mlir_attr_is(attr, MLIR_ATTR_INTEGER) ? attr->integer : 0;
  return mlir_attr_is(attr, MLIR_ATTR_INTEGER)
             ? NULL
             : mlir_bytecode_error(reader, "attribute '%s' should be an integer", name);
}

// Lists that are not empty, and `last`, when it is not 0, as MLIR prints them.
static pod_status_t compose_dims(mlir_bytecode_t *reader, mlir_bytecode_attrs_t *attrs,
                                 const char *const *names, const char *last,
                                 pod_text_t *text) {
  for (; *names != NULL; names++) {
    int64_t count;
    const int64_t *values;
    POD_TRY(part_i64s(reader, attrs, *names, &count, &values));
    bytecode_add_dims_field(text, *names, count, values);
  }
  if (last == NULL) {
    return NULL;
  }
  int64_t value;
  POD_TRY(part_i64(reader, attrs, last, &value));
  if (value != 0) {
    bytecode_add_name(text, last);
    pod_text_add_int(text, value);
  }
  return NULL;
}

static pod_status_t compose(mlir_bytecode_t *reader, mlir_bytecode_attrs_t *attrs,
                            const char *const *names, const char *last, const char *to,
                            const char *kind) {
  pod_text_t text = {0};
  const pod_status_t status = compose_dims(reader, attrs, names, last, &text);
  if (status != NULL) {
    pod_text_deinit(&text);
    return status;
  }
  mlir_bytecode_attrs_set(reader, attrs, to, bytecode_take_attr(reader, kind, &text));
  return NULL;
}

static pod_status_t compose_gather(mlir_bytecode_t *reader,
                                   mlir_bytecode_attrs_t *attrs) {
  static const char *const names[] = {
      "offset_dims",           "collapsed_slice_dims",
      "operand_batching_dims", "start_indices_batching_dims",
      "start_index_map",       NULL};
  return compose(reader, attrs, names, "index_vector_dim", "dimension_numbers",
                 "stablehlo.gather");
}

static pod_status_t compose_scatter(mlir_bytecode_t *reader,
                                    mlir_bytecode_attrs_t *attrs) {
  static const char *const names[] = {
      "update_window_dims",           "inserted_window_dims",
      "input_batching_dims",          "scatter_indices_batching_dims",
      "scatter_dims_to_operand_dims", NULL};
  return compose(reader, attrs, names, "index_vector_dim", "scatter_dimension_numbers",
                 "stablehlo.scatter");
}

// The precision of a product in full, unless its parts are `none`.
static void compose_algorithm(mlir_bytecode_t *reader, mlir_bytecode_attrs_t *attrs) {
  static const char *const names[] = {
      "lhs_precision_type",          "rhs_precision_type",  "accumulation_type",
      "lhs_component_count",         "rhs_component_count", "num_primitive_operations",
      "allow_imprecise_accumulation"};
  pod_text_t text = {0};
  for (size_t i = 0; i < POD_COUNT_OF(names); i++) {
    const mlir_attr_t *attr = mlir_bytecode_attrs_get(attrs, names[i]);
    const bool is_type = mlir_attr_is(attr, MLIR_ATTR_TYPE);
    if (attr == NULL || (is_type && attr->type->kind == MLIR_TYPE_NONE)) {
      pod_text_deinit(&text);
      return;
    }
    bytecode_add_name(&text, names[i]);
    if (attr->kind == MLIR_ATTR_INTEGER) {
      pod_text_add_int(&text, attr->integer);
    } else {
      mlir_attr_print(&text, attr, 0);
    }
  }
  mlir_bytecode_attrs_set(reader, attrs, "algorithm",
                          bytecode_take_attr(reader, "stablehlo.dot_algorithm", &text));
}

static pod_status_t compose_dot(mlir_bytecode_t *reader, mlir_bytecode_attrs_t *attrs) {
  static const char *const names[] = {
      "lhs_batching_dimensions", "rhs_batching_dimensions", "lhs_contracting_dimensions",
      "rhs_contracting_dimensions", NULL};
  compose_algorithm(reader, attrs);
  return compose(reader, attrs, names, NULL, "dot_dimension_numbers", "stablehlo.dot");
}

static pod_status_t compose_channel(mlir_bytecode_t *reader,
                                    mlir_bytecode_attrs_t *attrs) {
  int64_t handle, type;
  POD_TRY(part_i64(reader, attrs, "channel_id", &handle));
  POD_TRY(part_i64(reader, attrs, "channel_type", &type));
  pod_text_t text = {0};
  pod_text_printf(&text, "handle = %lld, type = %lld", (long long)handle,
                  (long long)type);
  mlir_bytecode_attrs_set(reader, attrs, "channel_handle",
                          bytecode_take_attr(reader, "stablehlo.channel_handle", &text));
  return NULL;
}

static pod_status_t compose_conv(mlir_bytecode_t *reader, mlir_bytecode_attrs_t *attrs) {
  bytecode_conv_t conv;
  const struct {
    const char *name;
    int64_t *value;
  } numbers[] = {{"input_batch_dimension", &conv.input.first},
                 {"input_feature_dimension", &conv.input.second},
                 {"kernel_input_feature_dimension", &conv.kernel.first},
                 {"kernel_output_feature_dimension", &conv.kernel.second},
                 {"output_batch_dimension", &conv.output.first},
                 {"output_feature_dimension", &conv.output.second}};
  for (size_t i = 0; i < POD_COUNT_OF(numbers); i++) {
    POD_TRY(part_i64(reader, attrs, numbers[i].name, numbers[i].value));
  }
  POD_TRY(part_i64s(reader, attrs, "input_spatial_dimensions", &conv.input.spatial_count,
                    &conv.input.spatial));
  POD_TRY(part_i64s(reader, attrs, "kernel_spatial_dimensions",
                    &conv.kernel.spatial_count, &conv.kernel.spatial));
  POD_TRY(part_i64s(reader, attrs, "output_spatial_dimensions",
                    &conv.output.spatial_count, &conv.output.spatial));
  const mlir_attr_t *attr;
  POD_TRY(bytecode_make_conv(reader, &conv, &attr));
  mlir_bytecode_attrs_set(reader, attrs, "dimension_numbers", attr);
  return NULL;
}

static pod_status_t compose_none(mlir_bytecode_t *reader, mlir_bytecode_attrs_t *attrs) {
  (void)reader;
  (void)attrs;
  return NULL;
}

// --- The rows ---

typedef struct vhlo_row_t {
  mlir_bytecode_op_t op;
  pod_status_t (*compose)(mlir_bytecode_t *reader, mlir_bytecode_attrs_t *attrs);
} vhlo_row_t;

static pod_status_t upgrade(mlir_bytecode_t *reader, const mlir_bytecode_op_t *row,
                            mlir_bytecode_attrs_t *attrs) {
  POD_TRY(((const vhlo_row_t *)(const void *)row)->compose(reader, attrs));
  const char *word = row->properties;
  while (*word != '\0') {
    const size_t length = strcspn(word, " ");
    const char *colon = memchr(word, ':', length);
    if (colon != NULL) {
      char name[64];
      const size_t name_length = (size_t)(colon - word);
      POD_CHECK(name_length < sizeof(name));
      memcpy(name, word, name_length);
      name[name_length] = '\0';
      POD_TRY(change_attr(reader, attrs, name, colon + 1, length - name_length - 1));
    }
    word += length;
    word += *word == ' ';
  }
  return NULL;
}

static const vhlo_row_t rows[] = {
#define VHLO(name, to, to_in_func, compose, properties) \
  {{"vhlo." name, to, to_in_func, properties, upgrade}, compose_##compose},
#include "server/compiler/dialect/vhlo.def"
#undef VHLO
};

const mlir_bytecode_op_t *bytecode_vhlo_op(const char *name) {
  for (size_t i = 0; i < POD_COUNT_OF(rows); i++) {
    if (strcmp(rows[i].op.name, name) == 0) {
      return &rows[i].op;
    }
  }
  return NULL;
}

const mlir_bytecode_dialect_t bytecode_vhlo = {"vhlo", bytecode_vhlo_attr,
                                               bytecode_vhlo_type};
