// Attributes and locations.

#include <string.h>

#include "common/base/check.h"
#include "common/mlir/parser_private.h"

// A location is for people: one that grows beyond these bounds becomes "unknown".
enum { LOCATION_WEIGHT_MAX = 4096 };

// From this many entries on, a dictionary looks for doubles with a map.
enum { SMALL_DICTIONARY = 16 };

void mlir_scratch_push(mlir_parser_t *parser, const void *item) {
  if (parser->scratch_count == parser->scratch_capacity) {
    const int64_t capacity = 2 * parser->scratch_capacity + 64;
    const void **grown =
        pod_arena_array(parser->module->arena, (size_t)capacity, sizeof(*grown));
    if (parser->scratch_count > 0) {
      memcpy(grown, parser->scratch, (size_t)parser->scratch_count * sizeof(*grown));
    }
    parser->scratch = grown;
    parser->scratch_capacity = capacity;
  }
  parser->scratch[parser->scratch_count++] = item;
}

const void **mlir_scratch_take(mlir_parser_t *parser, int64_t base, int64_t *out_count) {
  POD_CHECK(base <= parser->scratch_count);
  *out_count = parser->scratch_count - base;
  parser->scratch_count = base;
  return pod_arena_copy(parser->module->arena,
                        parser->scratch == NULL ? NULL : parser->scratch + base,
                        (size_t)*out_count * sizeof(const void *));
}

pod_status_t mlir_count_alias(mlir_parser_t *parser, const char *at, int32_t height,
                              int64_t weight) {
  if (parser->depth + height > MLIR_DEPTH_MAX) {
    return mlir_lex_error(parser, at, "nested more than %d levels deep", MLIR_DEPTH_MAX);
  }
  if (parser->state != NULL) {
    parser->state->expansion += weight;
    if (parser->state->expansion > parser->state->expansion_max) {
      return mlir_lex_error(parser, at,
                            "the aliases of this module stand for too large a text");
    }
  }
  return NULL;
}

static mlir_attr_t *new_attr(mlir_parser_t *parser, mlir_attr_kind_t kind,
                             const char *at) {
  mlir_attr_t *attr = mlir_attr_new(parser->module, kind);
  attr->position = mlir_lex_position_of(parser, at);
  return attr;
}

const mlir_attr_t *mlir_find_attr_alias(const mlir_parser_t *parser, const char *name,
                                        size_t length) {
  const mlir_attr_t *attr =
      parser->state == NULL ? NULL
                            : pod_map_get_n(parser->state->attr_aliases, name, length);
  return attr == NULL || attr->is_pending ? NULL : attr;
}

// --- Numbers ---

static pod_status_t finish_float(mlir_parser_t *parser, const char *start,
                                 const mlir_number_t *number, mlir_attr_t *attr) {
  const tensor_dtype_t dtype = attr->type->shape.dtype;
  char element[16] = {0};
  attr->kind = MLIR_ATTR_FLOAT;
  if (number->is_hex) {
    const unsigned bits = tensor_dtype_device_bits(dtype);
    if (number->is_negative || number->overflows ||
        (bits < 64 && number->magnitude >> bits != 0)) {
      return mlir_lex_error(parser, start, "bit pattern out of range for %s",
                            tensor_dtype_mlir_name(dtype));
    }
    memcpy(element, &number->magnitude, sizeof(number->magnitude));
  } else if (number->is_real) {
    tensor_element_from_double(dtype, number->real, element);
  } else {
    return mlir_lex_error(parser, start, "a whole number of type %s: write 1.0, not 1",
                          tensor_dtype_mlir_name(dtype));
  }
  attr->real = tensor_element_as_double(dtype, element);
  return NULL;
}

static pod_status_t finish_integer(mlir_parser_t *parser, const char *start,
                                   const mlir_number_t *number, mlir_attr_t *attr) {
  const tensor_dtype_t dtype =
      attr->type->kind == MLIR_TYPE_INDEX ? TENSOR_S64 : attr->type->shape.dtype;
  if (number->is_real || !mlir_number_as_integer(number, dtype, &attr->integer)) {
    return mlir_lex_error(parser, start, "not a value of type %s",
                          tensor_dtype_mlir_name(dtype));
  }
  attr->kind = dtype == TENSOR_PRED ? MLIR_ATTR_BOOL : MLIR_ATTR_INTEGER;
  return NULL;
}

static pod_status_t parse_number(mlir_parser_t *parser, mlir_attr_t *attr) {
  const char *start = parser->at;
  mlir_number_t number;
  if (!mlir_scan_number(&parser->at, &number)) {
    return mlir_parser_error(parser, "expected a number");
  }
  mlir_lex_skip(parser);
  attr->type = mlir_type_scalar(parser->module, number.is_real ? TENSOR_F64 : TENSOR_S64);
  if (mlir_parser_accept(parser, ":")) {
    const char *at = parser->at;
    POD_TRY(mlir_parser_type(parser, &attr->type));
    const bool is_number = attr->type->kind == MLIR_TYPE_INDEX ||
                           (attr->type->kind == MLIR_TYPE_SCALAR &&
                            !tensor_dtype_is_complex(attr->type->shape.dtype));
    if (!is_number) {
      return mlir_lex_error(parser, at, "expected the type of a number");
    }
  }
  if (attr->type->kind == MLIR_TYPE_SCALAR &&
      tensor_dtype_is_float(attr->type->shape.dtype)) {
    return finish_float(parser, start, &number, attr);
  }
  return finish_integer(parser, start, &number, attr);
}

// --- Lists ---

static pod_status_t parse_array(mlir_parser_t *parser, mlir_attr_t *attr) {
  const int64_t base = parser->scratch_count;
  POD_TRY(mlir_parser_expect(parser, "["));
  if (!mlir_parser_accept(parser, "]")) {
    do {
      const mlir_attr_t *element;
      POD_TRY(mlir_parser_attr(parser, &element));
      mlir_nesting_add(&attr->height, &attr->weight, element->height, element->weight);
      mlir_scratch_push(parser, element);
    } while (mlir_parser_accept(parser, ","));
    POD_TRY(mlir_parser_expect(parser, "]"));
  }
  attr->elements = (const mlir_attr_t **)mlir_scratch_take(parser, base, &attr->count);
  return NULL;
}

// name, name = value, "any name" = value
static pod_status_t parse_entry(mlir_parser_t *parser, mlir_named_attr_t *out_entry) {
  const char *start = parser->at;
  if (*start == '"') {
    const char *name;
    POD_TRY(mlir_parser_string(parser, &name));
    out_entry->name = mlir_intern(parser->module, name);
  } else {
    POD_TRY(mlir_parser_identifier(parser, &out_entry->name));
  }
  if (mlir_parser_accept(parser, "=")) {
    return mlir_parser_attr(parser, &out_entry->value);
  }
  out_entry->value = new_attr(parser, MLIR_ATTR_UNIT, start);
  return NULL;
}

// Pairs of name and value on the scratch stack. Names are interned, so that the same name
// is the same pointer.
static pod_status_t check_double(mlir_parser_t *parser, int64_t base, pod_map_t **seen,
                                 const char *at, const char *name) {
  const int64_t count = (parser->scratch_count - base) / 2;
  bool is_double = false;
  if (count < SMALL_DICTIONARY) {
    for (int64_t i = base; i < parser->scratch_count; i += 2) {
      is_double = is_double || parser->scratch[i] == name;
    }
  } else {
    if (*seen == NULL) {
      *seen = pod_map_create();
      for (int64_t i = base; i < parser->scratch_count; i += 2) {
        pod_map_put(*seen, parser->scratch[i], parser);
      }
    }
    is_double = pod_map_get(*seen, name) != NULL;
    pod_map_put(*seen, name, parser);
  }
  return is_double ? mlir_lex_error(parser, at, "'%s' stands here twice", name) : NULL;
}

static pod_status_t parse_entries(mlir_parser_t *parser, int64_t base, pod_map_t **seen) {
  POD_TRY(mlir_parser_expect(parser, "{"));
  if (mlir_parser_accept(parser, "}")) {
    return NULL;
  }
  do {
    const char *at = parser->at;
    mlir_named_attr_t entry;
    POD_TRY(parse_entry(parser, &entry));
    POD_TRY(check_double(parser, base, seen, at, entry.name));
    mlir_scratch_push(parser, entry.name);
    mlir_scratch_push(parser, entry.value);
  } while (mlir_parser_accept(parser, ","));
  return mlir_parser_expect(parser, "}");
}

static pod_status_t parse_dictionary(mlir_parser_t *parser, mlir_attr_t *attr) {
  const int64_t base = parser->scratch_count;
  pod_map_t *seen = NULL;
  const pod_status_t status = parse_entries(parser, base, &seen);
  pod_map_destroy(seen);
  POD_TRY(status);
  int64_t count;
  const void **pairs = mlir_scratch_take(parser, base, &count);
  mlir_named_attr_t *entries =
      pod_arena_array(parser->module->arena, (size_t)(count / 2), sizeof(*entries));
  for (int64_t i = 0; i < count / 2; i++) {
    entries[i] = (mlir_named_attr_t){pairs[2 * i], pairs[2 * i + 1]};
    mlir_nesting_add(&attr->height, &attr->weight, entries[i].value->height,
                     entries[i].value->weight);
  }
  attr->entries = entries;
  attr->count = count / 2;
  return NULL;
}

pod_status_t mlir_parse_dictionary(mlir_parser_t *parser, const mlir_attr_t **out_attr) {
  mlir_attr_t *attr = new_attr(parser, MLIR_ATTR_DICTIONARY, parser->at);
  POD_TRY(mlir_lex_enter(parser, 1));
  POD_TRY(parse_dictionary(parser, attr));
  *out_attr = attr;
  return mlir_lex_enter(parser, -1);
}

// The first name that `op` has already; NULL when there is none.
static const char *find_given(const mlir_op_t *op, const mlir_attr_t *dictionary) {
  const char *found = NULL;
  pod_map_t *given = NULL;
  if (op->attr_count > SMALL_DICTIONARY) {
    given = pod_map_create();
    for (int i = 0; i < op->attr_count; i++) {
      pod_map_put(given, op->attrs[i].name, given);
    }
  }
  for (int64_t i = 0; found == NULL && i < dictionary->count; i++) {
    const char *name = dictionary->entries[i].name;
    const bool is_given =
        given != NULL ? pod_map_get(given, name) != NULL : mlir_op_attr(op, name) != NULL;
    found = is_given ? name : NULL;
  }
  pod_map_destroy(given);
  return found;
}

pod_status_t mlir_parser_attr_dict(mlir_parser_t *parser, mlir_op_t *op) {
  if (*parser->at != '{') {
    return NULL;
  }
  const char *at = parser->at;
  const mlir_attr_t *dictionary;
  POD_TRY(mlir_parse_dictionary(parser, &dictionary));
  const char *given = op->attr_count == 0 ? NULL : find_given(op, dictionary);
  if (given != NULL) {
    return mlir_lex_error(parser, at, "attribute '%s' is given twice", given);
  }
  for (int64_t i = 0; i < dictionary->count; i++) {
    const mlir_named_attr_t *entry = &dictionary->entries[i];
    mlir_op_add_attr(parser->module, op, entry->name, entry->value);
  }
  return NULL;
}

// array<i64: 1, 2>, behind `array`.
static pod_status_t parse_dense_array_element(mlir_parser_t *parser, tensor_dtype_t dtype,
                                              mlir_attr_t *element) {
  if (dtype == TENSOR_PRED && mlir_parser_peek_identifier(parser)) {
    element->integer = mlir_parser_accept(parser, "true");
    return element->integer != 0 ? NULL : mlir_parser_expect(parser, "false");
  }
  const char *start = parser->at;
  mlir_number_t number;
  if (!mlir_scan_number(&parser->at, &number)) {
    return mlir_parser_error(parser, "expected a number");
  }
  mlir_lex_skip(parser);
  return tensor_dtype_is_float(dtype) ? finish_float(parser, start, &number, element)
                                      : finish_integer(parser, start, &number, element);
}

static pod_status_t parse_dense_array(mlir_parser_t *parser, mlir_attr_t *attr) {
  POD_TRY(mlir_parser_expect(parser, "<"));
  const char *at = parser->at;
  POD_TRY(mlir_parser_type(parser, &attr->type));
  const tensor_dtype_t dtype = attr->type->shape.dtype;
  if (attr->type->kind != MLIR_TYPE_SCALAR || tensor_dtype_is_complex(dtype)) {
    return mlir_lex_error(parser, at, "expected an integer or float type");
  }
  int64_t capacity = 0;
  int64_t *values = NULL;  // Doubles by their bits.
  const bool has_elements = mlir_parser_accept(parser, ":");
  while (has_elements) {
    mlir_attr_t element = {.type = attr->type};
    POD_TRY(parse_dense_array_element(parser, dtype, &element));
    if (attr->count == capacity) {
      capacity = 2 * capacity + 4;
      int64_t *grown =
          pod_arena_array(parser->module->arena, (size_t)capacity, sizeof(*grown));
      if (attr->count > 0) {
        memcpy(grown, values, (size_t)attr->count * sizeof(*grown));
      }
      values = grown;
    }
    memcpy(&values[attr->count++],
           tensor_dtype_is_float(dtype) ? (const void *)&element.real
                                        : (const void *)&element.integer,
           sizeof(*values));
    if (!mlir_parser_accept(parser, ",")) {
      break;
    }
  }
  attr->weight = 1 + attr->count;
  values = values != NULL ? values : pod_arena_alloc(parser->module->arena, 0);
  if (tensor_dtype_is_float(dtype)) {
    attr->reals = (const double *)(const void *)values;
  } else {
    attr->integers = values;
  }
  return mlir_parser_expect(parser, ">");
}

// --- Symbols and dialects ---

static pod_status_t parse_symbol(mlir_parser_t *parser, mlir_attr_t *attr) {
  const int64_t base = parser->scratch_count;
  POD_TRY(mlir_parser_symbol(parser, &attr->text));
  attr->length = (int64_t)strlen(attr->text);
  while (mlir_parser_accept(parser, "::")) {
    mlir_attr_t *nested = new_attr(parser, MLIR_ATTR_SYMBOL, parser->at);
    POD_TRY(mlir_parser_symbol(parser, &nested->text));
    nested->length = (int64_t)strlen(nested->text);
    mlir_nesting_add(&attr->height, &attr->weight, nested->height, nested->weight);
    mlir_scratch_push(parser, nested);
  }
  attr->elements = (const mlir_attr_t **)mlir_scratch_take(parser, base, &attr->count);
  return NULL;
}

static void set_body(mlir_parser_t *parser, mlir_attr_t *attr, const char *start,
                     const char *end) {
  static const char spaces[] = " \t\r\n";
  char *copy = mlir_lex_copy(parser, start, end);
  const size_t before = strspn(copy, spaces);
  char *body = copy + before;
  size_t length = strlen(body);
  while (length > 0 && strchr(spaces, body[length - 1]) != NULL) {
    length--;
  }
  body[length] = '\0';
  attr->length = (int64_t)length;
  attr->body = body;
  attr->body_position = mlir_lex_position_of(parser, start + before);
  attr->weight = 1 + attr->length / 16;
}

pod_status_t mlir_parser_body(mlir_parser_t *parser, const char *name, bool in_angles,
                              const mlir_attr_t **out_attr) {
  const char *start = parser->at;
  if (*start == '#') {  // Written in full after all.
    POD_TRY(mlir_parser_attr(parser, out_attr));
    return mlir_attr_is(*out_attr, MLIR_ATTR_DIALECT) &&
                   strcmp((*out_attr)->text, name) == 0
               ? NULL
               : mlir_lex_error(parser, start, "expected an attribute #%s", name);
  }
  if (*start == '\0' || strchr("<[{(", *start) == NULL) {
    return mlir_parser_error(parser, "expected the value of '%s' in brackets", name);
  }
  mlir_attr_t *attr = new_attr(parser, MLIR_ATTR_DIALECT, start);
  attr->text = mlir_intern(parser->module, name);
  POD_TRY(mlir_lex_balanced(parser, start, &parser->at));
  const bool is_angle = *start == '<';
  attr->is_spaced = !is_angle && !in_angles;
  set_body(parser, attr, start + is_angle, parser->at - is_angle);
  mlir_lex_skip(parser);
  *out_attr = attr;
  return NULL;
}

static const char *skip_from(mlir_parser_t *parser, const char *at) {
  parser->at = at;
  mlir_lex_skip(parser);
  return parser->at;
}

// #dialect<name …> means the same as #dialect.name…: the name moves in front.
static pod_status_t parse_compact(mlir_parser_t *parser, mlir_attr_t *attr,
                                  const char *start, const char *end) {
  const char *close;
  POD_TRY(mlir_lex_balanced(parser, end, &close));
  const char *name = skip_from(parser, end + 1);
  const char *name_end = mlir_lex_word_end(name, false);
  attr->text = pod_arena_printf(parser->module->arena, "%.*s.%.*s", (int)(end - start),
                                start, (int)(name_end - name), name);
  const char *rest = skip_from(parser, name_end);
  const char *rest_end = rest;
  if (*rest == '<') {
    POD_TRY(mlir_lex_balanced(parser, rest, &rest_end));
  }
  if (*rest == '<' && skip_from(parser, rest_end) == close - 1) {
    set_body(parser, attr, rest + 1, rest_end - 1);
  } else if (rest != close - 1) {
    attr->is_spaced = true;
    set_body(parser, attr, rest, close - 1);
  }
  parser->at = close;
  mlir_lex_skip(parser);
  return NULL;
}

// #alias, #dialect.name, #dialect.name<…>, #dialect<name …>
static pod_status_t parse_hash(mlir_parser_t *parser, const mlir_attr_t **out_attr) {
  const char *start = parser->at + 1;
  const char *end = mlir_lex_word_end(start, false);
  if (end == start) {
    return mlir_parser_error(parser, "expected a name after '#'");
  }
  mlir_attr_t *attr = new_attr(parser, MLIR_ATTR_DIALECT, parser->at);
  *out_attr = attr;
  const size_t length = (size_t)(end - start);
  if (memchr(start, '.', length) != NULL) {
    attr->text = pod_arena_text(parser->module->arena, start, length);
    parser->at = end;
    if (*end == '<') {
      POD_TRY(mlir_lex_balanced(parser, end, &parser->at));
      set_body(parser, attr, end + 1, parser->at - 1);
    }
    mlir_lex_skip(parser);
    return NULL;
  }
  if (*end == '<') {
    return parse_compact(parser, attr, start, end);
  }
  const mlir_attr_t *known = mlir_find_attr_alias(parser, start, length);
  if (known == NULL) {
    return mlir_parser_error(parser, "unknown attribute '#%.*s'", (int)length, start);
  }
  POD_TRY(mlir_count_alias(parser, parser->at, known->height, known->weight));
  parser->at = end;
  mlir_lex_skip(parser);
  *out_attr = known;
  return NULL;
}

// affine_map<…> and other forms of MLIR's own that are only passed on.
static pod_status_t parse_foreign(mlir_parser_t *parser, mlir_attr_t *attr) {
  const char *start = parser->at;
  const char *end = mlir_lex_word_end(start, false);
  attr->kind = MLIR_ATTR_DIALECT;
  attr->text = pod_arena_text(parser->module->arena, start, (size_t)(end - start));
  parser->at = end;
  mlir_lex_skip(parser);
  if (*parser->at != '<') {
    return mlir_parser_expect(parser, "<");
  }
  const char *open = parser->at;
  POD_TRY(mlir_lex_balanced(parser, open, &parser->at));
  set_body(parser, attr, open + 1, parser->at - 1);
  mlir_lex_skip(parser);
  return NULL;
}

// --- All of them ---

static pod_status_t parse_type_attr(mlir_parser_t *parser, mlir_attr_t *attr) {
  attr->kind = MLIR_ATTR_TYPE;
  POD_TRY(mlir_parser_type(parser, &attr->type));
  mlir_nesting_add(&attr->height, &attr->weight, attr->type->height, attr->type->weight);
  return NULL;
}

static pod_status_t parse_word(mlir_parser_t *parser, mlir_attr_t *attr) {
  if (mlir_parser_accept(parser, "dense")) {
    attr->kind = MLIR_ATTR_DENSE;
    return mlir_parse_dense(parser, attr);
  }
  if (mlir_parser_accept(parser, "unit")) {
    attr->kind = MLIR_ATTR_UNIT;
    return NULL;
  }
  if (mlir_parser_peek(parser, "true") || mlir_parser_peek(parser, "false")) {
    attr->kind = MLIR_ATTR_BOOL;
    attr->type = mlir_type_scalar(parser->module, TENSOR_PRED);
    attr->integer = mlir_parser_accept(parser, "true");
    return attr->integer == 0 ? mlir_parser_expect(parser, "false") : NULL;
  }
  if (mlir_parser_accept(parser, "array")) {
    attr->kind = MLIR_ATTR_DENSE_ARRAY;
    return parse_dense_array(parser, attr);
  }
  if (mlir_parser_accept(parser, "dense_resource")) {
    attr->kind = MLIR_ATTR_DENSE;
    return mlir_parse_dense_resource(parser, attr);
  }
  if (mlir_parser_peek(parser, "affine_map") || mlir_parser_peek(parser, "affine_set") ||
      mlir_parser_peek(parser, "strided") || mlir_parser_peek(parser, "opaque") ||
      mlir_parser_peek(parser, "sparse")) {
    return parse_foreign(parser, attr);
  }
  return parse_type_attr(parser, attr);
}

static pod_status_t parse_attr(mlir_parser_t *parser, const mlir_attr_t **out_attr) {
  const char c = *parser->at;
  if (c == '#') {
    return parse_hash(parser, out_attr);
  }
  if (mlir_parser_peek(parser, "loc")) {
    return mlir_parse_location(parser, out_attr);
  }
  mlir_attr_t *attr = new_attr(parser, MLIR_ATTR_UNIT, parser->at);
  *out_attr = attr;
  if (c == '"') {
    attr->kind = MLIR_ATTR_STRING;
    POD_TRY(mlir_lex_string(parser, &attr->text, &attr->length));
    attr->weight = 1 + attr->length / 16;
    return NULL;
  }
  if (c == '[') {
    attr->kind = MLIR_ATTR_ARRAY;
    return parse_array(parser, attr);
  }
  if (c == '{') {
    attr->kind = MLIR_ATTR_DICTIONARY;
    return parse_dictionary(parser, attr);
  }
  if (c == '@') {
    attr->kind = MLIR_ATTR_SYMBOL;
    return parse_symbol(parser, attr);
  }
  if (c == '-' || mlir_is_digit(c)) {
    return parse_number(parser, attr);
  }
  if (mlir_is_letter(c)) {
    return parse_word(parser, attr);
  }
  if (c == '(' || c == '!') {
    return parse_type_attr(parser, attr);
  }
  return mlir_parser_error(parser, "expected an attribute");
}

pod_status_t mlir_parser_attr(mlir_parser_t *parser, const mlir_attr_t **out_attr) {
  POD_TRY(mlir_lex_enter(parser, 1));
  POD_TRY(parse_attr(parser, out_attr));
  return mlir_lex_enter(parser, -1);
}

// --- Locations ---

static pod_status_t parse_inner_location(mlir_parser_t *parser,
                                         const mlir_attr_t **out_attr);

static void add_child(mlir_attr_t *attr, const mlir_attr_t *child) {
  mlir_nesting_add(&attr->height, &attr->weight, child->height, child->weight);
}

// "file":12:7, also as a range ("file":12:7 to 14:9), of which the start counts.
static pod_status_t parse_file_location(mlir_parser_t *parser, mlir_attr_t *attr) {
  attr->location_kind = MLIR_LOCATION_FILE;
  POD_TRY(mlir_parser_i64(parser, &attr->integer));
  if (mlir_parser_accept(parser, ":")) {
    POD_TRY(mlir_parser_i64(parser, &attr->length));
  }
  if (mlir_parser_accept(parser, "to")) {
    int64_t ignored;
    if (!mlir_parser_accept(parser, ":")) {
      POD_TRY(mlir_parser_i64(parser, &ignored));
      if (!mlir_parser_accept(parser, ":")) {
        return NULL;
      }
    }
    POD_TRY(mlir_parser_i64(parser, &ignored));
  }
  return NULL;
}

static pod_status_t parse_named_location(mlir_parser_t *parser, mlir_attr_t *attr) {
  POD_TRY(mlir_lex_string(parser, &attr->text, &attr->length));
  attr->weight = 1 + attr->length / 16;
  if (mlir_parser_accept(parser, ":")) {
    attr->length = 0;  // Now the column.
    return parse_file_location(parser, attr);
  }
  attr->location_kind = MLIR_LOCATION_NAME;
  if (mlir_parser_accept(parser, "(")) {
    POD_TRY(parse_inner_location(parser, &attr->location_child));
    add_child(attr, attr->location_child);
    return mlir_parser_expect(parser, ")");
  }
  return NULL;
}

static pod_status_t parse_callsite(mlir_parser_t *parser, mlir_attr_t *attr) {
  attr->location_kind = MLIR_LOCATION_CALLSITE;
  POD_TRY(mlir_parser_expect(parser, "("));
  POD_TRY(parse_inner_location(parser, &attr->location_child));
  POD_TRY(mlir_parser_expect(parser, "at"));
  POD_TRY(parse_inner_location(parser, &attr->location_caller));
  add_child(attr, attr->location_child);
  add_child(attr, attr->location_caller);
  return mlir_parser_expect(parser, ")");
}

static pod_status_t parse_fused(mlir_parser_t *parser, mlir_attr_t *attr) {
  const int64_t base = parser->scratch_count;
  attr->location_kind = MLIR_LOCATION_FUSED;
  if (mlir_parser_accept(parser, "<")) {
    const mlir_attr_t *metadata;
    POD_TRY(mlir_parser_attr(parser, &metadata));
    POD_TRY(mlir_parser_expect(parser, ">"));
  }
  POD_TRY(mlir_parser_expect(parser, "["));
  if (!mlir_parser_accept(parser, "]")) {
    do {
      const mlir_attr_t *element;
      POD_TRY(parse_inner_location(parser, &element));
      add_child(attr, element);
      mlir_scratch_push(parser, element);
    } while (mlir_parser_accept(parser, ","));
    POD_TRY(mlir_parser_expect(parser, "]"));
  }
  attr->elements = (const mlir_attr_t **)mlir_scratch_take(parser, base, &attr->count);
  return NULL;
}

static pod_status_t parse_location_body(mlir_parser_t *parser,
                                        const mlir_attr_t **out_attr) {
  if (*parser->at == '#') {
    const char *start = parser->at + 1;
    const char *end = mlir_lex_word_end(start, false);
    const mlir_attr_t *known = mlir_find_attr_alias(parser, start, (size_t)(end - start));
    if (!mlir_attr_is(known, MLIR_ATTR_LOCATION)) {
      return mlir_parser_error(parser, "unknown location '#%.*s'", (int)(end - start),
                               start);
    }
    parser->at = end;
    mlir_lex_skip(parser);
    *out_attr = known;
    return NULL;
  }
  mlir_attr_t *attr = new_attr(parser, MLIR_ATTR_LOCATION, parser->at);
  *out_attr = attr;
  if (*parser->at == '"') {
    return parse_named_location(parser, attr);
  }
  if (mlir_parser_accept(parser, "callsite")) {
    return parse_callsite(parser, attr);
  }
  if (mlir_parser_accept(parser, "fused")) {
    return parse_fused(parser, attr);
  }
  return mlir_parser_accept(parser, "unknown")
             ? NULL
             : mlir_parser_error(parser, "expected a location");
}

// Without `loc(`, as it stands inside another. Aliases make locations a graph: one that
// is deeper or larger than its bound is forgotten.
static pod_status_t parse_inner_location(mlir_parser_t *parser,
                                         const mlir_attr_t **out_attr) {
  const char *start = parser->at;
  POD_TRY(mlir_lex_enter(parser, 1));
  POD_TRY(parse_location_body(parser, out_attr));
  if ((*out_attr)->height > MLIR_DEPTH_MAX || (*out_attr)->weight > LOCATION_WEIGHT_MAX) {
    *out_attr = new_attr(parser, MLIR_ATTR_LOCATION, start);
  }
  return mlir_lex_enter(parser, -1);
}

// An operation's location may name an alias that stands at the end of the file: until
// then it is an unknown location, filled when the alias is met.
static const mlir_attr_t *find_or_await(mlir_parser_t *parser, const char *start,
                                        const char *end) {
  pod_map_t *aliases = parser->state->attr_aliases;
  mlir_attr_t *attr = pod_map_get_n(aliases, start, (size_t)(end - start));
  if (attr == NULL) {
    attr = new_attr(parser, MLIR_ATTR_LOCATION, start);
    attr->is_pending = true;
    parser->state->pending_location_count++;
    pod_map_put_n(aliases, start, (size_t)(end - start), attr);
  }
  return attr;
}

pod_status_t mlir_parse_location(mlir_parser_t *parser, const mlir_attr_t **out_attr) {
  POD_TRY(mlir_parser_expect(parser, "loc"));
  POD_TRY(mlir_parser_expect(parser, "("));
  const char *start = parser->at + 1;
  const char *end = mlir_lex_word_end(start, false);
  const mlir_attr_t *alias = *parser->at == '#' && end > start && parser->state != NULL
                                 ? find_or_await(parser, start, end)
                                 : NULL;
  if (mlir_attr_is(alias, MLIR_ATTR_LOCATION)) {
    *out_attr = alias;
    parser->at = end;
    mlir_lex_skip(parser);
  } else {
    POD_TRY(parse_inner_location(parser, out_attr));
  }
  return mlir_parser_expect(parser, ")");
}
