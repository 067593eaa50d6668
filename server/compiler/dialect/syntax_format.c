// One engine for both directions: a format's tokens are walked once, parsing or printing
// each. An operation is printed in its pretty form only if every attribute is one that
// the form shows.

#include "server/compiler/dialect/syntax_format.h"

#include <string.h>

#include "common/base/check.h"
#include "server/compiler/dialect/syntax_parts.h"

enum { NAME_MAX_BYTES = 48, HIDDEN_MAX = 12 };

// A token of a format, borrowed from it.
typedef struct token_t {
  const char *text;
  int length;
} token_t;

static token_t next_token(const char **format) {
  while (**format == ' ') {
    ++*format;
  }
  const char *start = *format;
  while (**format != '\0' && **format != ' ') {
    ++*format;
  }
  return (token_t){start, (int)(*format - start)};
}

static bool is(token_t token, const char *text) {
  return (size_t)token.length == strlen(text) &&
         memcmp(token.text, text, (size_t)token.length) == 0;
}

static void copy_text(const char *start, const char *end, char out[NAME_MAX_BYTES]) {
  POD_CHECK(end - start < NAME_MAX_BYTES);
  memcpy(out, start, (size_t)(end - start));
  out[end - start] = '\0';
}

// =NAME:KIND
typedef struct attr_token_t {
  char name[NAME_MAX_BYTES];
  const char *kind;
  int kind_length;
} attr_token_t;

static attr_token_t split_attr(token_t token) {
  attr_token_t out;
  const char *colon = memchr(token.text, ':', (size_t)token.length);
  POD_CHECK(colon != NULL);
  copy_text(token.text + 1, colon, out.name);
  out.kind = colon + 1;
  out.kind_length = (int)(token.text + token.length - out.kind);
  return out;
}

static bool kind_is(const attr_token_t *attr, const char *kind) {
  return is((token_t){attr->kind, attr->kind_length}, kind);
}

// A literal stands in the format as it is parsed.
static void literal_of(token_t token, char out[NAME_MAX_BYTES]) {
  copy_text(token.text, token.text + token.length, out);
}

static bool is_literal(token_t token) {
  return token.length == 1 || strchr("%{=?:@", token.text[0]) == NULL;
}

// --- Parsing ---

pod_status_t syntax_add_attr(mlir_parser_t *parser, mlir_op_t *op, const char *name,
                             const mlir_attr_t *value) {
  mlir_module_t *module = mlir_parser_module(parser);
  if (mlir_op_attr(op, name) != NULL) {
    return mlir_parser_error(parser, "attribute '%s' is given twice", name);
  }
  mlir_op_add_attr(module, op, mlir_intern(module, name), value);
  return NULL;
}

static pod_status_t parse_bool(mlir_parser_t *parser, const mlir_attr_t **out) {
  const bool value = mlir_parser_accept(parser, "true");
  if (!value) {
    POD_TRY(mlir_parser_expect(parser, "false"));
  }
  *out = mlir_attr_bool(mlir_parser_module(parser), value);
  return NULL;
}

// !A|B|C: the index of the word.
static pod_status_t parse_choice(mlir_parser_t *parser, const attr_token_t *attr,
                                 const mlir_attr_t **out) {
  const char *word = attr->kind + 1;
  const char *end = attr->kind + attr->kind_length;
  for (int64_t index = 0; word < end; index++) {
    const char *bar = memchr(word, '|', (size_t)(end - word));
    const char *word_end = bar == NULL ? end : bar;
    char text[NAME_MAX_BYTES];
    copy_text(word, word_end, text);
    if (mlir_parser_accept(parser, text)) {
      *out = mlir_attr_integer(mlir_parser_module(parser), index, TENSOR_S32);
      return NULL;
    }
    word = word_end + 1;
  }
  return mlir_parser_error(parser, "expected one of %.*s", attr->kind_length - 1,
                           attr->kind + 1);
}

static pod_status_t parse_enum(mlir_parser_t *parser, const mlir_op_t *op,
                               const attr_token_t *attr, const mlir_attr_t **out) {
  const char *word;
  char name[NAME_MAX_BYTES];
  POD_TRY(mlir_parser_identifier(parser, &word));
  copy_text(attr->kind + 1, attr->kind + attr->kind_length, name);
  *out = syntax_make_enum(mlir_parser_module(parser), op, name, word);
  return NULL;
}

static pod_status_t parse_value(mlir_parser_t *parser, const mlir_op_t *op,
                                const attr_token_t *attr, const mlir_attr_t **out) {
  mlir_module_t *module = mlir_parser_module(parser);
  if (kind_is(attr, "i64") || kind_is(attr, "i32")) {
    int64_t value;
    const tensor_dtype_t dtype = kind_is(attr, "i64") ? TENSOR_S64 : TENSOR_S32;
    const mlir_position_t position = mlir_parser_position(parser);
    POD_TRY(mlir_parser_i64(parser, &value));
    if (dtype == TENSOR_S32 && value != (int32_t)value) {
      return mlir_parser_error_at(parser, position, "this integer does not fit 32 bits");
    }
    *out = mlir_attr_integer(module, value, dtype);
    return NULL;
  }
  if (kind_is(attr, "i64s")) {
    int64_t count;
    int64_t *values;
    POD_TRY(mlir_parser_i64_list(parser, &count, &values));
    *out = mlir_attr_i64_array(module, count, values);
    return NULL;
  }
  if (kind_is(attr, "bool")) {
    return parse_bool(parser, out);
  }
  if (kind_is(attr, "str")) {
    return mlir_parser_attr(parser, out);
  }
  if (kind_is(attr, "@")) {
    const char *name;
    POD_TRY(mlir_parser_symbol(parser, &name));
    *out = mlir_attr_string(module, name);
    return NULL;
  }
  if (attr->kind[0] == '#') {
    return parse_enum(parser, op, attr, out);
  }
  if (attr->kind[0] == '!') {
    return parse_choice(parser, attr, out);
  }
  // <TYPE>, [TYPE], {TYPE}
  char type[NAME_MAX_BYTES];
  copy_text(attr->kind + 1, attr->kind + attr->kind_length - 1, type);
  return mlir_parser_body(parser, type, false, out);
}

static pod_status_t parse_attr(mlir_parser_t *parser, mlir_op_t *op, token_t token) {
  const attr_token_t attr = split_attr(token);
  const mlir_attr_t *value;
  POD_TRY(parse_value(parser, op, &attr, &value));
  return syntax_add_attr(parser, op, attr.name, value);
}

pod_status_t syntax_parse_same_type(mlir_parser_t *parser, mlir_op_t *op) {
  if (mlir_parser_peek(parser, "(")) {
    return mlir_parser_functional_type(parser, op);
  }
  mlir_module_t *module = mlir_parser_module(parser);
  const mlir_type_t *type;
  POD_TRY(mlir_parser_type(parser, &type));
  const mlir_type_t **types =
      pod_arena_array(module->arena, (size_t)op->operand_count + 1, sizeof(*types));
  for (int i = 0; i <= op->operand_count; i++) {
    types[i] = type;
  }
  POD_TRY(mlir_parser_check_operands(parser, op, op->operand_count, types));
  return mlir_parser_set_results(parser, op, 1, types);
}

static pod_status_t parse_select_type(mlir_parser_t *parser, mlir_op_t *op) {
  if (mlir_parser_peek(parser, "(")) {
    return mlir_parser_functional_type(parser, op);
  }
  const mlir_type_t *pred, *other;
  POD_TRY(mlir_parser_type(parser, &pred));
  POD_TRY(mlir_parser_expect(parser, ","));
  POD_TRY(mlir_parser_type(parser, &other));
  const mlir_type_t *types[] = {pred, other, other};
  POD_TRY(mlir_parser_check_operands(parser, op, 3, types));
  return mlir_parser_set_results(parser, op, 1, &other);
}

static const mlir_type_t *part_type(mlir_module_t *module, const mlir_type_t *type) {
  if (type->kind != MLIR_TYPE_TENSOR || !tensor_dtype_is_complex(type->shape.dtype)) {
    return NULL;
  }
  tensor_shape_t shape = type->shape;
  shape.dtype = shape.dtype == TENSOR_C64 ? TENSOR_F32 : TENSOR_F64;
  return mlir_type_tensor(module, &shape);
}

static pod_status_t parse_complex_type(mlir_parser_t *parser, mlir_op_t *op) {
  if (mlir_parser_peek(parser, "(")) {
    return mlir_parser_functional_type(parser, op);
  }
  const mlir_position_t position = mlir_parser_position(parser);
  const mlir_type_t *type;
  POD_TRY(mlir_parser_type(parser, &type));
  const mlir_type_t *part = part_type(mlir_parser_module(parser), type);
  if (part == NULL) {
    return mlir_parser_error_at(parser, position, "expected a tensor of complex numbers");
  }
  const mlir_type_t *parts[] = {part, part};
  POD_TRY(mlir_parser_check_operands(parser, op, 2, parts));
  return mlir_parser_set_results(parser, op, 1, &type);
}

static pod_status_t parse_arrow_type(mlir_parser_t *parser, mlir_op_t *op) {
  int count;
  const mlir_type_t *const *types;
  POD_TRY(mlir_parser_type_list(parser, &count, &types));
  POD_TRY(mlir_parser_check_operands(parser, op, count, types));
  POD_TRY(mlir_parser_expect(parser, "->"));
  const bool has_parentheses = mlir_parser_accept(parser, "(");
  POD_TRY(mlir_parser_type_list(parser, &count, &types));
  if (has_parentheses) {
    POD_TRY(mlir_parser_expect(parser, ")"));
  }
  return mlir_parser_set_results(parser, op, count, types);
}

static pod_status_t parse_tuple_type(mlir_parser_t *parser, mlir_op_t *op) {
  const mlir_position_t position = mlir_parser_position(parser);
  const mlir_type_t *type;
  POD_TRY(mlir_parser_type(parser, &type));
  if (type->kind != MLIR_TYPE_TUPLE) {
    return mlir_parser_error_at(parser, position, "expected the type of a tuple");
  }
  POD_TRY(mlir_parser_check_operands(parser, op, type->input_count, type->inputs));
  return mlir_parser_set_results(parser, op, 1, &type);
}

static pod_status_t parse_types(mlir_parser_t *parser, mlir_op_t *op, token_t token) {
  if (is(token, ":0")) {
    return mlir_parser_set_results(parser, op, 0, NULL);
  }
  POD_TRY(mlir_parser_expect(parser, ":"));
  if (is(token, ":F")) {
    return mlir_parser_functional_type(parser, op);
  }
  if (is(token, ":S")) {
    return syntax_parse_same_type(parser, op);
  }
  if (is(token, ":A")) {
    return parse_arrow_type(parser, op);
  }
  if (is(token, ":T")) {
    return parse_tuple_type(parser, op);
  }
  if (is(token, ":Select")) {
    return parse_select_type(parser, op);
  }
  if (is(token, ":Complex")) {
    return parse_complex_type(parser, op);
  }
  int count;
  const mlir_type_t *const *types;
  POD_TRY(mlir_parser_type_list(parser, &count, &types));
  if (!is(token, ":R")) {  // :O, :P
    POD_TRY(mlir_parser_check_operands(parser, op, count, types));
  }
  return mlir_parser_set_results(parser, op, is(token, ":O") ? 0 : count, types);
}

static pod_status_t parse_operands(mlir_parser_t *parser, mlir_op_t *op, token_t token) {
  if (is(token, "%")) {
    return mlir_parser_operand(parser, op);
  }
  if (is(token, "%*")) {
    return mlir_parser_operands(parser, op);
  }
  while (mlir_parser_peek_operand(parser)) {
    POD_TRY(mlir_parser_operand(parser, op));
    POD_TRY(mlir_parser_expect(parser, ","));
  }
  return NULL;
}

static void skip_group(const char **format) {
  while (!is(next_token(format), "?")) {
  }
}

static pod_status_t parse_token(mlir_parser_t *parser, mlir_op_t *op, token_t token) {
  if (is_literal(token) && !is(token, "%")) {
    char literal[NAME_MAX_BYTES];
    literal_of(token, literal);
    // `name=` is a keyword and a sign.
    const size_t last = strlen(literal) - 1;
    if (last > 0 && literal[last] == '=') {
      literal[last] = '\0';
      POD_TRY(mlir_parser_expect(parser, literal));
      return mlir_parser_expect(parser, "=");
    }
    return mlir_parser_expect(parser, literal);
  }
  switch (token.text[0]) {
    case '%':
      return parse_operands(parser, op, token);
    case '{':
      return mlir_parser_attr_dict(parser, op);
    case '=':
      return parse_attr(parser, op, token);
    case '@': {
      char name[NAME_MAX_BYTES];
      copy_text(token.text + 1, token.text + token.length, name);
      return syntax_part(name)->parse(parser, op);
    }
    default:
      return parse_types(parser, op, token);
  }
}

// The first token of an optional group, without taking it.
static bool group_follows(mlir_parser_t *parser, const char *format) {
  char literal[NAME_MAX_BYTES];
  literal_of(next_token(&format), literal);
  if (literal[0] == '=') {
    // A word of its own: !sum|max|min before a bracket.
    return mlir_parser_peek_identifier(parser);
  }
  const size_t last = strlen(literal) - 1;
  if (last > 0 && literal[last] == '=') {
    literal[last] = '\0';
  }
  return mlir_parser_peek(parser, literal);
}

pod_status_t syntax_format_parse(mlir_parser_t *parser, mlir_op_t *op) {
  const syntax_row_t *row = (const syntax_row_t *)mlir_parser_syntax(parser);
  const char *format = row->format;
  for (token_t token = next_token(&format); token.length > 0;
       token = next_token(&format)) {
    if (token.text[0] == '?') {
      if (token.length > 1 && !group_follows(parser, format)) {
        skip_group(&format);
      }
      continue;
    }
    POD_TRY(parse_token(parser, op, token));
  }
  return NULL;
}

// --- Printing ---

// The names that the format itself prints.
typedef struct hidden_t {
  int count;
  char names[HIDDEN_MAX][NAME_MAX_BYTES];
  const char *list[HIDDEN_MAX + 1];
} hidden_t;

static void hide(hidden_t *hidden, const char *name) {
  POD_CHECK(hidden->count < HIDDEN_MAX && strlen(name) < NAME_MAX_BYTES);
  memcpy(hidden->names[hidden->count], name, strlen(name) + 1);
  hidden->list[hidden->count] = hidden->names[hidden->count];
  hidden->list[++hidden->count] = NULL;
}

static void collect_hidden(const char *format, hidden_t *hidden) {
  for (token_t token = next_token(&format); token.length > 0;
       token = next_token(&format)) {
    if (token.text[0] == '=' && token.length > 1) {
      const attr_token_t attr = split_attr(token);
      hide(hidden, attr.name);
    } else if (token.text[0] == '@' && token.length > 1) {
      char name[NAME_MAX_BYTES];
      copy_text(token.text + 1, token.text + token.length, name);
      for (const char *const *each = syntax_part(name)->attrs; *each != NULL; each++) {
        hide(hidden, *each);
      }
    }
  }
}

static bool print_choice(mlir_printer_t *printer, const attr_token_t *attr,
                         const mlir_attr_t *value) {
  if (value->kind != MLIR_ATTR_INTEGER) {
    return false;
  }
  const char *word = attr->kind + 1;
  const char *end = attr->kind + attr->kind_length;
  for (int64_t index = 0; word < end; index++) {
    const char *bar = memchr(word, '|', (size_t)(end - word));
    const char *word_end = bar == NULL ? end : bar;
    if (index == value->integer) {
      mlir_printer_add_bytes(printer, word, (size_t)(word_end - word));
      return true;
    }
    word = word_end + 1;
  }
  return false;
}

static bool print_body(mlir_printer_t *printer, const attr_token_t *attr,
                       const mlir_attr_t *value) {
  char type[NAME_MAX_BYTES];
  copy_text(attr->kind + 1, attr->kind + attr->kind_length - 1, type);
  if (value->kind != MLIR_ATTR_DIALECT || strcmp(value->text, type) != 0 ||
      value->body == NULL) {
    return false;
  }
  // Only the <> are left out of the body.
  const bool is_angle = attr->kind[0] == '<';
  if (!is_angle && value->body[0] != attr->kind[0]) {
    return false;
  }
  mlir_printer_printf(printer, is_angle ? "<%s>" : "%s", value->body);
  return true;
}

static bool print_number(mlir_printer_t *printer, const mlir_attr_t *value,
                         tensor_dtype_t dtype) {
  if (value->kind != MLIR_ATTR_INTEGER || value->type->kind != MLIR_TYPE_SCALAR ||
      value->type->shape.dtype != dtype) {
    return false;
  }
  mlir_printer_add_int(printer, value->integer);
  return true;
}

bool syntax_print_i64s(mlir_printer_t *printer, const mlir_attr_t *value) {
  if (!mlir_attr_is(value, MLIR_ATTR_DENSE_ARRAY) ||
      value->type->shape.dtype != TENSOR_S64) {
    return false;
  }
  mlir_printer_add(printer, "[");
  for (int64_t i = 0; i < value->count; i++) {
    mlir_printer_add(printer, i > 0 ? ", " : "");
    mlir_printer_add_int(printer, value->integers[i]);
  }
  mlir_printer_add(printer, "]");
  return true;
}

static bool print_value(mlir_printer_t *printer, const mlir_op_t *op,
                        const attr_token_t *attr) {
  const mlir_attr_t *value = mlir_op_attr(op, attr->name);
  if (value == NULL) {
    return false;
  }
  if (kind_is(attr, "i64") || kind_is(attr, "i32")) {
    return print_number(printer, value, kind_is(attr, "i64") ? TENSOR_S64 : TENSOR_S32);
  }
  if (kind_is(attr, "i64s")) {
    return syntax_print_i64s(printer, value);
  }
  if (kind_is(attr, "bool") || kind_is(attr, "str")) {
    const bool fits =
        value->kind == (kind_is(attr, "bool") ? MLIR_ATTR_BOOL : MLIR_ATTR_STRING);
    if (fits) {
      mlir_printer_attr(printer, value);
    }
    return fits;
  }
  if (kind_is(attr, "@")) {
    if (value->kind == MLIR_ATTR_STRING) {
      mlir_printer_symbol(printer, value->text);
    }
    return value->kind == MLIR_ATTR_STRING;
  }
  if (attr->kind[0] == '!') {
    return print_choice(printer, attr, value);
  }
  if (attr->kind[0] != '#') {
    return print_body(printer, attr, value);
  }
  char name[NAME_MAX_BYTES];
  copy_text(attr->kind + 1, attr->kind + attr->kind_length, name);
  const char *word = syntax_enum_word(op, value, name);
  mlir_printer_add(printer, word == NULL ? "" : word);
  return word != NULL;
}

static bool all_same_type(const mlir_op_t *op) {
  for (int i = 0; i < op->operand_count; i++) {
    if (!mlir_type_equal(op->operands[i]->type, op->results[0].type)) {
      return false;
    }
  }
  return op->results[0].type->kind != MLIR_TYPE_FUNCTION;
}

static void print_operand_types(mlir_printer_t *printer, const mlir_op_t *op) {
  for (int i = 0; i < op->operand_count; i++) {
    mlir_printer_add(printer, i > 0 ? ", " : "");
    mlir_printer_type(printer, op->operands[i]->type);
  }
}

static void print_result_types(mlir_printer_t *printer, const mlir_op_t *op) {
  for (int i = 0; i < op->result_count; i++) {
    mlir_printer_add(printer, i > 0 ? ", " : "");
    mlir_printer_type(printer, op->results[i].type);
  }
}

// The short form of :S, :Select and :Complex, or the functional type.
static bool print_inferred_type(mlir_printer_t *printer, const mlir_op_t *op,
                                bool is_short) {
  if (op->result_count != 1) {
    return false;
  }
  if (is_short) {
    mlir_printer_type(printer, op->results[0].type);
  } else {
    mlir_printer_functional_type(printer, op);
  }
  return true;
}

static bool print_select_type(mlir_printer_t *printer, const mlir_op_t *op) {
  if (op->operand_count != 3 || op->result_count != 1) {
    return false;
  }
  const mlir_type_t *result = op->results[0].type;
  const bool is_short = mlir_type_equal(op->operands[1]->type, result) &&
                        mlir_type_equal(op->operands[2]->type, result);
  if (is_short) {
    mlir_printer_type(printer, op->operands[0]->type);
    mlir_printer_add(printer, ", ");
  }
  return print_inferred_type(printer, op, is_short);
}

static bool is_part_of(const mlir_type_t *part, const mlir_type_t *whole) {
  return part->kind == MLIR_TYPE_TENSOR && whole->kind == MLIR_TYPE_TENSOR &&
         part->encoding == NULL && whole->encoding == NULL &&
         tensor_shape_same_dims(&part->shape, &whole->shape) &&
         ((part->shape.dtype == TENSOR_F32 && whole->shape.dtype == TENSOR_C64) ||
          (part->shape.dtype == TENSOR_F64 && whole->shape.dtype == TENSOR_C128));
}

static bool print_complex_type(mlir_printer_t *printer, const mlir_op_t *op) {
  if (op->operand_count != 2 || op->result_count != 1) {
    return false;
  }
  const mlir_type_t *result = op->results[0].type;
  return print_inferred_type(printer, op,
                             is_part_of(op->operands[0]->type, result) &&
                                 is_part_of(op->operands[1]->type, result));
}

// True when `a` lists exactly the types that the operands have.
static bool operands_have(const mlir_op_t *op, int count, const mlir_type_t *const *a) {
  bool same = count == op->operand_count;
  for (int i = 0; same && i < count; i++) {
    same = mlir_type_equal(op->operands[i]->type, a[i]);
  }
  return same;
}

static bool results_have_types_of_operands(const mlir_op_t *op) {
  bool same = op->operand_count == op->result_count;
  for (int i = 0; same && i < op->operand_count; i++) {
    same = mlir_type_equal(op->operands[i]->type, op->results[i].type);
  }
  return same;
}

static bool print_types(mlir_printer_t *printer, const mlir_op_t *op, token_t token) {
  if (is(token, ":0")) {
    return op->result_count == 0;
  }
  mlir_printer_add(printer, " : ");
  if (is(token, ":F")) {
    mlir_printer_functional_type(printer, op);
    return true;
  }
  if (is(token, ":S")) {
    return print_inferred_type(printer, op, op->result_count == 1 && all_same_type(op));
  }
  if (is(token, ":Select")) {
    return print_select_type(printer, op);
  }
  if (is(token, ":Complex")) {
    return print_complex_type(printer, op);
  }
  if (is(token, ":T")) {
    const bool fits =
        op->result_count == 1 && op->results[0].type->kind == MLIR_TYPE_TUPLE &&
        operands_have(op, op->results[0].type->input_count, op->results[0].type->inputs);
    return fits && print_inferred_type(printer, op, true);
  }
  if (is(token, ":R")) {
    print_result_types(printer, op);
    return op->result_count > 0 && op->operand_count == 0;
  }
  print_operand_types(printer, op);
  if (is(token, ":O")) {
    return op->result_count == 0;
  }
  if (is(token, ":P")) {
    return results_have_types_of_operands(op);
  }
  // :A
  mlir_printer_add(printer, op->result_count == 1 ? " -> " : " -> (");
  print_result_types(printer, op);
  mlir_printer_add(printer, op->result_count == 1 ? "" : ")");
  return op->operand_count > 0 && op->result_count > 0;
}

static bool print_operands(mlir_printer_t *printer, const mlir_op_t *op, token_t token,
                           int *next_operand) {
  if (is(token, "%")) {
    if (*next_operand >= op->operand_count) {
      return false;
    }
    mlir_printer_value(printer, op->operands[(*next_operand)++]);
    return true;
  }
  while (*next_operand < op->operand_count) {
    mlir_printer_value(printer, op->operands[(*next_operand)++]);
    const bool is_last = *next_operand == op->operand_count;
    mlir_printer_printf(printer, is_last ? (is(token, "%*,") ? "," : "") : ", ");
  }
  return true;
}

static bool print_token(mlir_printer_t *printer, const mlir_op_t *op, token_t token,
                        const hidden_t *hidden, int *next_operand) {
  if (is_literal(token) && !is(token, "%")) {
    mlir_printer_add_bytes(printer, token.text, (size_t)token.length);
    return true;
  }
  switch (token.text[0]) {
    case '%':
      return print_operands(printer, op, token, next_operand);
    case '{':
      mlir_printer_attr_dict(printer, op, hidden->list);
      return true;
    case '=': {
      const attr_token_t attr = split_attr(token);
      return print_value(printer, op, &attr);
    }
    case '@': {
      char name[NAME_MAX_BYTES];
      copy_text(token.text + 1, token.text + token.length, name);
      return syntax_part(name)->print(printer, op);
    }
    default:
      return print_types(printer, op, token);
  }
}

// Whether a blank stands between two tokens.
static bool wants_blank(token_t before, token_t token, bool has_operands) {
  if (before.length > 1 && before.text[before.length - 1] == '=' && is_literal(before)) {
    return false;  // name=value
  }
  if (is(before, "(") || is(before, "[") || is(before, "{")) {
    return false;
  }
  if (token.text[0] == ':' || is(token, "{}")) {
    return false;  // They bring their own.
  }
  if (token.text[0] == '%' && token.length > 1 && !has_operands) {
    return false;
  }
  return strchr(",)](", token.text[0]) == NULL && !is(token, "[") && !is(token, "}") &&
         !is(token, "@precision");
}

bool syntax_format_print(mlir_printer_t *printer, const mlir_op_t *op) {
  const syntax_row_t *row = (const syntax_row_t *)mlir_printer_syntax(printer);
  hidden_t hidden;
  hidden.count = 0;
  hidden.list[0] = NULL;
  if (op->attr_count > 0) {
    collect_hidden(row->format, &hidden);
  }
  const char *format = row->format;
  int next_operand = 0;
  token_t before = {"", 0};
  for (token_t token = next_token(&format); token.length > 0;
       token = next_token(&format)) {
    if (token.text[0] == '?') {
      char name[NAME_MAX_BYTES];
      copy_text(token.text + 1, token.text + token.length, name);
      if (token.length > 1 && mlir_op_attr(op, name) == NULL) {
        skip_group(&format);
      }
      continue;
    }
    if (wants_blank(before, token, next_operand < op->operand_count)) {
      mlir_printer_add(printer, " ");
    }
    if (!print_token(printer, op, token, &hidden, &next_operand)) {
      return false;
    }
    before = token;
  }
  const bool has_regions = strstr(row->format, "@regions") != NULL;
  return next_operand == op->operand_count && (op->region_count == 0 || has_regions);
}
