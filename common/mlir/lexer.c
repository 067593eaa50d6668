// Reading punctuation, words, numbers and strings off the text.

#include <stdarg.h>
#include <string.h>

#include "common/mlir/diagnostic.h"
#include "common/mlir/parser_private.h"

// --- Places and errors ---

mlir_position_t mlir_lex_position_of(const mlir_parser_t *parser, const char *at) {
  return parser->origin == 0 ? 0 : parser->origin + (mlir_position_t)(at - parser->begin);
}

mlir_position_t mlir_parser_position(mlir_parser_t *parser) {
  return mlir_lex_position_of(parser, parser->at);
}

mlir_module_t *mlir_parser_module(mlir_parser_t *parser) {
  return parser->module;
}

const mlir_syntax_t *mlir_parser_syntax(mlir_parser_t *parser) {
  return parser->state->syntax;
}

bool mlir_parser_at_end(mlir_parser_t *parser) {
  return parser->at == parser->end;
}

pod_status_t mlir_lex_error(mlir_parser_t *parser, const char *at, const char *format,
                            ...) {
  va_list args;
  va_start(args, format);
  const pod_status_t status =
      mlir_verror_at(parser->module, mlir_lex_position_of(parser, at),
                     POD_INVALID_ARGUMENT, format, args);
  va_end(args);
  return status;
}

pod_status_t mlir_parser_error(mlir_parser_t *parser, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const pod_status_t status =
      mlir_verror_at(parser->module, mlir_lex_position_of(parser, parser->at),
                     POD_INVALID_ARGUMENT, format, args);
  va_end(args);
  return status;
}

pod_status_t mlir_parser_error_at(mlir_parser_t *parser, mlir_position_t position,
                                  const char *format, ...) {
  va_list args;
  va_start(args, format);
  const pod_status_t status =
      mlir_verror_at(parser->module, position, POD_INVALID_ARGUMENT, format, args);
  va_end(args);
  return status;
}

pod_status_t mlir_lex_enter(mlir_parser_t *parser, int levels) {
  parser->depth += levels;
  if (parser->depth > MLIR_DEPTH_MAX) {
    return mlir_parser_error(parser, "nested more than %d levels deep", MLIR_DEPTH_MAX);
  }
  return NULL;
}

// --- Punctuation and words ---

void mlir_lex_skip(mlir_parser_t *parser) {
  const char *at = parser->at;
  for (;;) {
    while (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r') {
      at++;
    }
    if (at[0] != '/' || at[1] != '/') {
      break;
    }
    const char *newline = memchr(at, '\n', (size_t)(parser->end - at));
    at = newline == NULL ? parser->end : newline;
  }
  parser->at = at;
}

const char *mlir_lex_word_end(const char *at, bool with_dash) {
  while (mlir_is_word(*at) || *at == '.' || *at == '$' || (with_dash && *at == '-')) {
    at++;
  }
  return at;
}

// Behind `token`, if the text goes on with it, or NULL.
static inline const char *behind_token(const mlir_parser_t *parser, const char *token) {
  const char *at = parser->at;
  for (const char *of = token; *of != '\0'; of++, at++) {
    if (*at != *of) {
      return NULL;  // The NUL at the end differs from every token.
    }
  }
  const bool ends =
      !mlir_is_letter(token[0]) || !(mlir_is_word(*at) || *at == '.' || *at == '$');
  return ends ? at : NULL;
}

bool mlir_parser_peek(mlir_parser_t *parser, const char *token) {
  return behind_token(parser, token) != NULL;
}

bool mlir_parser_accept(mlir_parser_t *parser, const char *token) {
  const char *behind = behind_token(parser, token);
  if (behind == NULL) {
    return false;
  }
  parser->at = behind;
  mlir_lex_skip(parser);
  return true;
}

pod_status_t mlir_parser_expect(mlir_parser_t *parser, const char *token) {
  if (mlir_parser_accept(parser, token)) {
    return NULL;
  }
  return mlir_parser_error(parser, "expected '%s'", token);
}

pod_status_t mlir_parser_identifier(mlir_parser_t *parser, const char **out_text) {
  if (!mlir_is_letter(*parser->at)) {
    return mlir_parser_error(parser, "expected an identifier");
  }
  const char *end = mlir_lex_word_end(parser->at, false);
  *out_text = mlir_intern_n(parser->module, parser->at, (size_t)(end - parser->at));
  parser->at = end;
  mlir_lex_skip(parser);
  return NULL;
}

bool mlir_parser_peek_identifier(mlir_parser_t *parser) {
  return mlir_is_letter(*parser->at);
}

bool mlir_parser_peek_integer(mlir_parser_t *parser) {
  return mlir_is_digit(parser->at[0]) ||
         (parser->at[0] == '-' && mlir_is_digit(parser->at[1]));
}

pod_status_t mlir_parser_f64(mlir_parser_t *parser, double *out_value) {
  const char *at = parser->at;
  mlir_number_t number;
  if (!mlir_scan_number(&at, &number)) {
    return mlir_parser_error(parser, "expected a number");
  }
  const double whole =
      number.is_negative ? -(double)number.magnitude : (double)number.magnitude;
  *out_value = number.is_real ? number.real : whole;
  parser->at = at;
  mlir_lex_skip(parser);
  return NULL;
}

pod_status_t mlir_parser_i64(mlir_parser_t *parser, int64_t *out_value) {
  const char *at = parser->at;
  // Sizes and indices are short: read them at once.
  const bool is_negative = *at == '-';
  const char *digits = at + is_negative;
  int64_t value = 0;
  const char *end = digits;
  while (mlir_is_digit(*end) && end - digits < 18) {
    value = 10 * value + (*end++ - '0');
  }
  if (end > digits && !mlir_is_digit(*end) && !(end == digits + 1 && *end == 'x')) {
    *out_value = is_negative ? -value : value;
    parser->at = end;
    mlir_lex_skip(parser);
    return NULL;
  }
  mlir_number_t number;
  if (!mlir_scan_number(&at, &number) || number.is_real) {
    return mlir_parser_error(parser, "expected an integer");
  }
  const uint64_t largest = (uint64_t)INT64_MAX + (number.is_negative ? 1 : 0);
  if (number.overflows || number.magnitude > largest) {
    return mlir_parser_error(parser, "this integer does not fit 64 bits");
  }
  *out_value = (int64_t)(number.is_negative ? 0 - number.magnitude : number.magnitude);
  parser->at = at;
  mlir_lex_skip(parser);
  return NULL;
}

pod_status_t mlir_parser_u64(mlir_parser_t *parser, uint64_t *out_value) {
  const char *at = parser->at;
  mlir_number_t number;
  if (!mlir_scan_number(&at, &number) || number.is_real || number.is_negative) {
    return mlir_parser_error(parser, "expected an integer from 0");
  }
  if (number.overflows) {
    return mlir_parser_error(parser, "this integer does not fit 64 bits");
  }
  *out_value = number.magnitude;
  parser->at = at;
  mlir_lex_skip(parser);
  return NULL;
}

pod_status_t mlir_parser_i64_list(mlir_parser_t *parser, int64_t *out_count,
                                  int64_t **out_values) {
  POD_TRY(mlir_parser_expect(parser, "["));
  int64_t small[16];
  int64_t *values = small;
  int64_t count = 0, capacity = 16;
  if (!mlir_parser_accept(parser, "]")) {
    do {
      if (count == capacity) {
        capacity *= 2;
        int64_t *grown =
            pod_arena_array(parser->module->arena, (size_t)capacity, sizeof(*grown));
        memcpy(grown, values, (size_t)count * sizeof(*grown));
        values = grown;
      }
      POD_TRY(mlir_parser_i64(parser, &values[count]));
      count++;
    } while (mlir_parser_accept(parser, ","));
    POD_TRY(mlir_parser_expect(parser, "]"));
  }
  *out_count = count;
  *out_values = values == small ? pod_arena_copy(parser->module->arena, small,
                                                 (size_t)count * sizeof(*small))
                                : values;
  return NULL;
}

// --- Strings ---

// The closing quote of a string in which nothing else needs a look: weights of megabytes
// are one string. NULL: there is something, or no end.
static const char *plain_end(const mlir_parser_t *parser, const char *start) {
  const char *end = memchr(start, '"', (size_t)(parser->end - start));
  const size_t length = end == NULL ? 0 : (size_t)(end - start);
  if (end == NULL || memchr(start, '\\', length) != NULL ||
      memchr(start, '\n', length) != NULL || memchr(start, '\0', length) != NULL) {
    return NULL;
  }
  return end;
}

pod_status_t mlir_lex_raw_string(mlir_parser_t *parser, const char **out_bytes,
                                 int64_t *out_length, bool *out_is_escaped) {
  if (*parser->at != '"') {
    return mlir_parser_error(parser, "expected a string");
  }
  const char *start = parser->at + 1;
  const char *at = start;
  *out_is_escaped = false;
  const char *plain = plain_end(parser, start);
  at = plain == NULL ? at : plain;
  for (;; at++) {
    if (*at == '"') {
      break;
    }
    if (*at == '\\') {
      *out_is_escaped = true;
      at++;
    }
    if (*at == '\0' || *at == '\n') {
      return mlir_parser_error(parser, "this string has no end");
    }
  }
  *out_bytes = start;
  *out_length = at - start;
  parser->at = at + 1;
  mlir_lex_skip(parser);
  return NULL;
}

static int hex_digit(char c) {
  if (mlir_is_digit(c)) {
    return c - '0';
  }
  if (c >= 'a' && c <= 'f') {
    return c - 'a' + 10;
  }
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// \" \\ \n \t, and \XX for any byte.
static pod_status_t unescape(mlir_parser_t *parser, const char *bytes, int64_t length,
                             char *out, int64_t *out_length) {
  int64_t used = 0;
  for (int64_t i = 0; i < length; i++) {
    if (bytes[i] != '\\') {
      out[used++] = bytes[i];
      continue;
    }
    const char c = bytes[++i];  // There is one: the closing quote was not escaped.
    if (c == '"' || c == '\\') {
      out[used++] = c;
    } else if (c == 'n' || c == 't') {
      out[used++] = c == 'n' ? '\n' : '\t';
    } else if (i + 1 < length && hex_digit(c) >= 0 && hex_digit(bytes[i + 1]) >= 0) {
      out[used++] = (char)(16 * hex_digit(c) + hex_digit(bytes[++i]));
    } else {
      return mlir_lex_error(parser, bytes + i - 1, "unknown escape in a string");
    }
  }
  *out_length = used;
  return NULL;
}

pod_status_t mlir_lex_string(mlir_parser_t *parser, const char **out_text,
                             int64_t *out_length) {
  const char *bytes;
  int64_t length;
  bool is_escaped;
  POD_TRY(mlir_lex_raw_string(parser, &bytes, &length, &is_escaped));
  char *text = pod_arena_text(parser->module->arena, bytes, (size_t)length);
  if (is_escaped) {
    POD_TRY(unescape(parser, bytes, length, text, &length));
    text[length] = '\0';
  }
  *out_text = text;
  *out_length = length;
  return NULL;
}

pod_status_t mlir_parser_string(mlir_parser_t *parser, const char **out_text) {
  int64_t length;
  const char *at = parser->at;
  POD_TRY(mlir_lex_string(parser, out_text, &length));
  if (strlen(*out_text) != (size_t)length) {
    return mlir_lex_error(parser, at, "a name must not hold a NUL");
  }
  return NULL;
}

pod_status_t mlir_parser_symbol(mlir_parser_t *parser, const char **out_text) {
  if (*parser->at != '@') {
    return mlir_parser_error(parser, "expected a symbol, as @name");
  }
  if (parser->at[1] == '"') {
    parser->at++;
    return mlir_parser_string(parser, out_text);
  }
  const char *start = parser->at + 1;
  if (!mlir_is_letter(*start)) {
    return mlir_parser_error(parser, "expected a name after '@'");
  }
  const char *end = mlir_lex_word_end(start, true);
  *out_text = pod_arena_text(parser->module->arena, start, (size_t)(end - start));
  parser->at = end;
  mlir_lex_skip(parser);
  return NULL;
}

// --- Bracketed text ---

static pod_status_t skip_quoted(mlir_parser_t *parser, const char *at,
                                const char **out_end) {
  const char *start = at++;
  while (*at != '"') {
    at += *at == '\\';
    if (*at == '\0' || *at == '\n') {
      return mlir_lex_error(parser, start, "this string has no end");
    }
    at++;
  }
  *out_end = at + 1;
  return NULL;
}

static const char *comment_end(const char *at) {
  return at + strcspn(at, "\n");
}

char *mlir_lex_copy(mlir_parser_t *parser, const char *start, const char *end) {
  char *copy = pod_arena_text(parser->module->arena, start, (size_t)(end - start));
  bool in_string = false;
  for (char *at = copy; *at != '\0';) {
    const size_t plain = strcspn(at, "\"/\\");
    at += plain;
    if (*at == '/' && at[1] == '/' && !in_string) {
      const size_t length = (size_t)(comment_end(at) - at);
      memset(at, ' ', length);
      at += length;
    } else if (*at == '\\' && at[1] != '\0') {
      at += 2;
    } else if (*at != '\0') {
      in_string = in_string != (*at == '"');
      at++;
    }
  }
  return copy;
}

static char closing_bracket(char c) {
  switch (c) {
    case '(':
      return ')';
    case '[':
      return ']';
    case '{':
      return '}';
    case '<':
      return '>';
    default:
      return '\0';
  }
}

pod_status_t mlir_lex_balanced(mlir_parser_t *parser, const char *at,
                               const char **out_end) {
  const char *start = at;
  char open[MLIR_DEPTH_MAX];
  int depth = 0;
  do {
    const char closing = closing_bracket(*at);
    if (*at == '"') {
      POD_TRY(skip_quoted(parser, at, &at));
      continue;
    }
    if (at[0] == '/' && at[1] == '/') {
      at = comment_end(at);
      continue;
    }
    if (closing != '\0') {
      if (depth == MLIR_DEPTH_MAX) {
        return mlir_lex_error(parser, at, "nested more than %d levels deep",
                              MLIR_DEPTH_MAX);
      }
      open[depth++] = closing;
    } else if (*at == '-' && at[1] == '>') {
      at++;
    } else if (*at == ')' || *at == ']' || *at == '}' || *at == '>') {
      if (open[depth - 1] != *at) {
        return mlir_lex_error(parser, at, "expected '%c' before this", open[depth - 1]);
      }
      depth--;
    } else if (*at == '\0') {
      return mlir_lex_error(parser, start, "'%c' is not closed", *start);
    }
    at++;
  } while (depth > 0);
  *out_end = at;
  return NULL;
}
