// Constants: dense<…> and dense_resource<…>.
//
// The type comes behind the literal, so the literal is skipped first and read once its
// type is known, straight into memory of the right size. What is allocated is bounded by
// the text: a literal of n elements has at least 2n - 1 characters.

#include <string.h>

#include "common/mlir/parser_private.h"

typedef struct dense_reader_t {
  mlir_parser_t *parser;
  const char *at, *end;  // Of the literal.
  tensor_dtype_t dtype;  // Of a part, for complex numbers.
  bool is_complex;
  size_t part_bytes;
  char *out;
} dense_reader_t;

static void skip_space(dense_reader_t *reader) {
  while (*reader->at == ' ' || *reader->at == '\n' || *reader->at == '\t' ||
         *reader->at == '\r') {
    reader->at++;
  }
}

static pod_status_t take(dense_reader_t *reader, char c) {
  if (*reader->at != c || reader->at == reader->end) {
    return mlir_lex_error(reader->parser, reader->at, "expected '%c' in dense<…>", c);
  }
  reader->at++;
  skip_space(reader);
  return NULL;
}

static bool take_word(dense_reader_t *reader, const char *word) {
  const size_t length = strlen(word);
  if (strncmp(reader->at, word, length) != 0 || mlir_is_word(reader->at[length])) {
    return false;
  }
  reader->at += length;
  return true;
}

static pod_status_t store_float(dense_reader_t *reader, const char *start,
                                const mlir_number_t *number) {
  if (!number->is_hex && !number->is_real) {
    return mlir_lex_error(reader->parser, start,
                          "a whole number among elements of type %s: write 1.0, not 1",
                          tensor_dtype_mlir_name(reader->dtype));
  }
  if (number->is_real) {
    if (reader->dtype == TENSOR_F32) {
      const float value = (float)number->real;
      memcpy(reader->out, &value, sizeof(value));
    } else {
      tensor_element_from_double(reader->dtype, number->real, reader->out);
    }
    return NULL;
  }
  const unsigned bits = tensor_dtype_device_bits(reader->dtype);
  if (number->is_negative || number->overflows ||
      (bits < 64 && number->magnitude >> bits != 0)) {
    return mlir_lex_error(reader->parser, start, "bit pattern out of range for %s",
                          tensor_dtype_mlir_name(reader->dtype));
  }
  memcpy(reader->out, &number->magnitude, reader->part_bytes);  // Little-endian.
  return NULL;
}

// One number, or one part of a complex one.
static pod_status_t read_part(dense_reader_t *reader) {
  const char *start = reader->at;
  mlir_number_t number;
  if (!mlir_scan_number(&reader->at, &number)) {
    const bool is_true = take_word(reader, "true");
    if (!is_true && !take_word(reader, "false")) {
      return mlir_lex_error(reader->parser, start, "expected an element of type %s",
                            tensor_dtype_mlir_name(reader->dtype));
    }
    if (reader->dtype != TENSOR_PRED) {
      return mlir_lex_error(reader->parser, start, "a boolean among elements of type %s",
                            tensor_dtype_mlir_name(reader->dtype));
    }
    *reader->out = is_true ? 1 : 0;
  } else if (tensor_dtype_is_float(reader->dtype)) {
    POD_TRY(store_float(reader, start, &number));
  } else {
    int64_t value;
    if (number.is_real || !mlir_number_as_integer(&number, reader->dtype, &value)) {
      return mlir_lex_error(reader->parser, start, "not a value of type %s",
                            tensor_dtype_mlir_name(reader->dtype));
    }
    memcpy(reader->out, &value, reader->part_bytes);
  }
  reader->out += reader->part_bytes;
  skip_space(reader);
  return NULL;
}

static pod_status_t read_element(dense_reader_t *reader) {
  if (!reader->is_complex) {
    return read_part(reader);
  }
  POD_TRY(take(reader, '('));
  POD_TRY(read_part(reader));
  POD_TRY(take(reader, ','));
  POD_TRY(read_part(reader));
  return take(reader, ')');
}

static pod_status_t read_nested(dense_reader_t *reader, const tensor_shape_t *shape,
                                int dimension) {
  if (dimension == shape->rank) {
    return read_element(reader);
  }
  POD_TRY(take(reader, '['));
  const int64_t size = shape->dims[dimension];
  const bool is_innermost = dimension == shape->rank - 1;
  for (int64_t i = 0; i < size; i++) {
    if (*reader->at == ']') {
      return mlir_lex_error(
          reader->parser, reader->at,
          "dimension %d has %lld elements here, the type has %lld of them", dimension,
          (long long)i, (long long)size);
    }
    if (i > 0) {
      POD_TRY(take(reader, ','));
    }
    POD_TRY(is_innermost ? read_element(reader)
                         : read_nested(reader, shape, dimension + 1));
  }
  if (*reader->at == ',' || (*reader->at != ']' && size == 0)) {
    return mlir_lex_error(reader->parser, reader->at,
                          "dimension %d has more than the %lld elements of the type",
                          dimension, (long long)size);
  }
  return take(reader, ']');
}

static tensor_dtype_t part_of(tensor_dtype_t dtype) {
  switch (dtype) {
    case TENSOR_C64:
      return TENSOR_F32;
    case TENSOR_C128:
      return TENSOR_F64;
    default:
      return dtype;
  }
}

static pod_status_t read_literal(mlir_parser_t *parser, mlir_attr_t *attr,
                                 const char *start, const char *end) {
  const tensor_shape_t *shape = &attr->type->shape;
  const int64_t elements = tensor_shape_elements(shape);
  dense_reader_t reader = {.parser = parser,
                           .at = start,
                           .end = end,
                           .dtype = part_of(shape->dtype),
                           .is_complex = tensor_dtype_is_complex(shape->dtype)};
  reader.part_bytes = tensor_dtype_bytes(reader.dtype);
  skip_space(&reader);
  const bool is_splat = *reader.at != '[';
  if (reader.at == end) {
    if (elements != 0) {
      return mlir_lex_error(parser, start, "dense<> is empty, its type has %lld elements",
                            (long long)elements);
    }
    mlir_attr_set_data(attr, pod_arena_alloc(parser->module->arena, 0), 0);
    return NULL;
  }
  if (!is_splat && elements > (end - start + 1) / 2) {
    return mlir_lex_error(parser, start,
                          "dense<…> has fewer than the %lld elements of its type",
                          (long long)elements);
  }
  const size_t count = is_splat ? 1 : (size_t)elements;
  char *data =
      pod_arena_array(parser->module->arena, count, tensor_dtype_bytes(shape->dtype));
  reader.out = data;
  POD_TRY(is_splat ? read_element(&reader) : read_nested(&reader, shape, 0));
  if (reader.at != end) {
    return mlir_lex_error(parser, reader.at, "expected the end of dense<…>");
  }
  mlir_attr_set_data(attr, data, (int64_t)count);
  return NULL;
}

// --- Raw bytes ---

static const char *not_hex(const char *at, const char *end, unsigned char *out) {
  static const unsigned char values[256] = {
      ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,
      ['6'] = 7,  ['7'] = 8,  ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
      ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
      ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16};
  for (; at < end; at += 2) {
    const int high = values[(unsigned char)at[0]], low = values[(unsigned char)at[1]];
    if (high == 0 || low == 0) {
      return at;
    }
    *out++ = (unsigned char)((high - 1) << 4 | (low - 1));
  }
  return NULL;
}

// "0x…": the bytes behind the first `skipped` ones, 16-byte aligned in the arena.
static pod_status_t decode_hex(mlir_parser_t *parser, int64_t skipped,
                               const unsigned char **out_bytes, int64_t *out_length) {
  const char *text;
  int64_t length;
  bool is_escaped;
  POD_TRY(mlir_lex_raw_string(parser, &text, &length, &is_escaped));
  if (length < 2 + 2 * skipped || length % 2 != 0 || text[0] != '0' || text[1] != 'x') {
    return mlir_lex_error(parser, text - 1, "expected bytes as \"0x…\"");
  }
  unsigned char prefix[4];
  const int64_t count = length / 2 - 1 - skipped;
  unsigned char *bytes = pod_arena_alloc(parser->module->arena, (size_t)count);
  const char *middle = text + 2 + 2 * skipped;
  const char *wrong = not_hex(text + 2, middle, prefix);
  wrong = wrong != NULL ? wrong : not_hex(middle, text + length, bytes);
  if (wrong != NULL) {
    return mlir_lex_error(parser, wrong, "not a hexadecimal digit");
  }
  *out_bytes = bytes;
  *out_length = count;
  return NULL;
}

// Elements below 8 bits take a byte on the host, sign-extended where they have a sign.
static bool needs_cleaning(tensor_dtype_t dtype) {
  return dtype == TENSOR_PRED || tensor_dtype_device_bits(dtype) < 8;
}

void mlir_dense_clean(tensor_dtype_t dtype, const unsigned char *from, unsigned char *to,
                      int64_t count) {
  const unsigned bits = tensor_dtype_device_bits(dtype);
  const unsigned mask = (1u << bits) - 1;
  const unsigned sign = tensor_dtype_is_signed(dtype) ? 1u << (bits - 1) : 0;
  for (int64_t i = 0; i < count; i++) {
    const unsigned value = from[i] & mask;
    to[i] = dtype == TENSOR_PRED ? from[i] != 0 : (unsigned char)((value ^ sign) - sign);
  }
}

// Booleans were once packed eight to a byte.
static void unpack_bits(const unsigned char *from, unsigned char *to, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    to[i] = from[i / 8] >> (i % 8) & 1;
  }
}

static pod_status_t set_raw(mlir_parser_t *parser, mlir_attr_t *attr, const char *at,
                            const unsigned char *bytes, int64_t length) {
  const tensor_shape_t *shape = &attr->type->shape;
  const int64_t element_bytes = (int64_t)tensor_dtype_bytes(shape->dtype);
  const int64_t elements = tensor_shape_elements(shape);
  const bool is_packed = shape->dtype == TENSOR_PRED && elements > 8 &&
                         length == elements / 8 + (elements % 8 != 0);
  int64_t count = elements;
  if (length == element_bytes && elements > 1) {
    count = 1;
  } else if (!is_packed && length != elements * element_bytes) {
    return mlir_lex_error(parser, at, "%lld bytes where the type takes %lld",
                          (long long)length, (long long)elements * element_bytes);
  }
  if (needs_cleaning(shape->dtype)) {
    // A resource may be referred to often, each time by another type.
    POD_TRY(mlir_count_alias(parser, at, 1, 1 + count / 8));
    unsigned char *cleaned = pod_arena_alloc(parser->module->arena, (size_t)count);
    if (is_packed) {
      unpack_bits(bytes, cleaned, count);
    } else {
      mlir_dense_clean(shape->dtype, bytes, cleaned, count);
    }
    bytes = cleaned;
  }
  mlir_attr_set_data(attr, bytes, count);
  return NULL;
}

// --- The two forms ---

// Behind the literal or the key. True when the elements are of a type we know.
static pod_status_t parse_type_of_constant(mlir_parser_t *parser, mlir_attr_t *attr,
                                           bool *out_is_known) {
  POD_TRY(mlir_parser_expect(parser, ":"));
  const char *at = parser->at;
  POD_TRY(mlir_parser_type(parser, &attr->type));
  *out_is_known = attr->type->kind == MLIR_TYPE_TENSOR;
  if (attr->type->kind != MLIR_TYPE_OPAQUE &&
      (!*out_is_known || !tensor_shape_is_static(&attr->type->shape))) {
    return mlir_lex_error(parser, at,
                          "a constant needs the type of a tensor of known sizes");
  }
  return NULL;
}

// Elements of other types (index, quantised ones, strings) stay text.
static void keep_text(mlir_parser_t *parser, mlir_attr_t *attr, const char *start,
                      const char *end) {
  attr->kind = MLIR_ATTR_DIALECT;
  attr->text = "dense";
  attr->length = end - start;
  attr->body = mlir_lex_copy(parser, start, end);
  attr->body_position = mlir_lex_position_of(parser, start);
  attr->weight = 1 + attr->length / 16;
}

// Moves behind the literal.
static pod_status_t skip_literal(mlir_parser_t *parser, const char **out_end) {
  const char *start = parser->at;
  if (*start == '"') {
    const char *bytes;
    int64_t length;
    bool is_escaped;
    POD_TRY(mlir_lex_raw_string(parser, &bytes, &length, &is_escaped));
    *out_end = bytes + length + 1;
    return mlir_parser_expect(parser, ">");
  }
  const char *end = memchr(start, '>', (size_t)(parser->end - start));
  if (end == NULL) {
    return mlir_parser_error(parser, "dense<…> is not closed");
  }
  *out_end = end;
  parser->at = end + 1;
  mlir_lex_skip(parser);
  return NULL;
}

pod_status_t mlir_parse_dense(mlir_parser_t *parser, mlir_attr_t *attr) {
  POD_TRY(mlir_parser_expect(parser, "<"));
  const char *start = parser->at, *end = start;
  bool is_known;
  POD_TRY(skip_literal(parser, &end));
  POD_TRY(parse_type_of_constant(parser, attr, &is_known));
  if (!is_known) {
    keep_text(parser, attr, start, end);
    return NULL;
  }
  if (*start != '"') {
    return read_literal(parser, attr, start, end);
  }
  const char *behind = parser->at;
  const unsigned char *bytes;
  int64_t length;
  parser->at = start;
  POD_TRY(decode_hex(parser, 0, &bytes, &length));
  parser->at = behind;
  return set_raw(parser, attr, start, bytes, length);
}

static pod_status_t parse_key(mlir_parser_t *parser, const char **out_key) {
  if (*parser->at == '"') {
    return mlir_parser_string(parser, out_key);
  }
  return mlir_parser_identifier(parser, out_key);
}

pod_status_t mlir_parse_dense_resource(mlir_parser_t *parser, mlir_attr_t *attr) {
  mlir_parse_state_t *state = parser->state;
  POD_TRY(mlir_parser_expect(parser, "<"));
  const char *key;
  bool is_known;
  POD_TRY(parse_key(parser, &key));
  POD_TRY(mlir_parser_expect(parser, ">"));
  POD_TRY(parse_type_of_constant(parser, attr, &is_known));
  if (state == NULL || !is_known) {
    return mlir_parser_error(parser, "dense_resource<…> cannot stand here");
  }
  if (state->pending_resource_count == state->pending_resource_capacity) {
    const int64_t capacity = 2 * state->pending_resource_capacity + 8;
    mlir_pending_resource_t *grown =
        pod_arena_array(parser->module->arena, (size_t)capacity, sizeof(*grown));
    if (state->pending_resource_count > 0) {
      memcpy(grown, state->pending_resources,
             (size_t)state->pending_resource_count * sizeof(*grown));
    }
    state->pending_resources = grown;
    state->pending_resource_capacity = capacity;
  }
  state->pending_resources[state->pending_resource_count++] =
      (mlir_pending_resource_t){attr, key};
  return NULL;
}

// {key: "0x…", …}: four bytes of alignment, then the data.
static pod_status_t parse_blobs(mlir_parser_t *parser) {
  POD_TRY(mlir_parser_expect(parser, "{"));
  while (!mlir_parser_accept(parser, "}")) {
    const char *key;
    const char *at = parser->at;
    POD_TRY(parse_key(parser, &key));
    POD_TRY(mlir_parser_expect(parser, ":"));
    const unsigned char *bytes;
    int64_t length;
    POD_TRY(decode_hex(parser, 4, &bytes, &length));
    if (pod_map_get(parser->state->resources, key) != NULL) {
      return mlir_lex_error(parser, at, "resource '%s' stands here twice", key);
    }
    mlir_attr_t *blob = mlir_attr_new(parser->module, MLIR_ATTR_STRING);
    blob->data = bytes;
    blob->length = length;
    pod_map_put(parser->state->resources, key, blob);
    if (!mlir_parser_accept(parser, ",")) {
      POD_TRY(mlir_parser_expect(parser, "}"));
      break;
    }
  }
  return NULL;
}

// Sections of others (external_resources) hold nothing a program needs.
static pod_status_t parse_section(mlir_parser_t *parser, bool is_dialects) {
  POD_TRY(mlir_parser_expect(parser, ":"));
  if (!is_dialects) {
    if (*parser->at != '{') {
      return mlir_parser_expect(parser, "{");
    }
    POD_TRY(mlir_lex_balanced(parser, parser->at, &parser->at));
    mlir_lex_skip(parser);
    return NULL;
  }
  POD_TRY(mlir_parser_expect(parser, "{"));
  while (!mlir_parser_accept(parser, "}")) {
    const char *dialect;
    POD_TRY(parse_key(parser, &dialect));
    POD_TRY(mlir_parser_expect(parser, ":"));
    POD_TRY(parse_blobs(parser));
    if (!mlir_parser_accept(parser, ",")) {
      POD_TRY(mlir_parser_expect(parser, "}"));
      break;
    }
  }
  return NULL;
}

pod_status_t mlir_parse_resources(mlir_parser_t *parser) {
  POD_TRY(mlir_parser_expect(parser, "{-#"));
  while (!mlir_parser_accept(parser, "#-}")) {
    const char *section;
    POD_TRY(mlir_parser_identifier(parser, &section));
    POD_TRY(parse_section(parser, strcmp(section, "dialect_resources") == 0));
    if (!mlir_parser_accept(parser, ",")) {
      POD_TRY(mlir_parser_expect(parser, "#-}"));
      break;
    }
  }
  return NULL;
}

pod_status_t mlir_resolve_resources(mlir_parser_t *parser) {
  mlir_parse_state_t *state = parser->state;
  for (int64_t i = 0; i < state->pending_resource_count; i++) {
    const mlir_pending_resource_t *pending = &state->pending_resources[i];
    const char *at = parser->begin + (pending->attr->position - parser->origin);
    const mlir_attr_t *blob = pod_map_get(state->resources, pending->key);
    if (strcmp(pending->key, "__elided__") == 0) {
      return mlir_lex_error(parser, at,
                            "this constant was left out when the module was printed: "
                            "print it with its large constants");
    }
    if (blob == NULL) {
      return mlir_lex_error(parser, at, "no resource '%s' in the module", pending->key);
    }
    POD_TRY(set_raw(parser, pending->attr, at, blob->data, blob->length));
  }
  return NULL;
}
