#include "tests/fuzz/text_tokens.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"

enum { DEPTH_MAX = 256 };

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.' || c == '-';
}

static bool begins_word(char c) {
  return isalpha((unsigned char)c) || c == '_';
}

static size_t while_word(const char *text, size_t at, size_t size) {
  // A dash is part of names such as %bb-1, but not of an arrow.
  while (at < size && is_word(text[at]) &&
         !(text[at] == '-' && at + 1 < size && text[at + 1] == '>')) {
    at++;
  }
  return at;
}

static size_t string_end(const char *text, size_t at, size_t size) {
  for (at++; at < size && text[at] != '"'; at++) {
    if (text[at] == '\\' && at + 1 < size) {
      at++;
    }
  }
  return at < size ? at + 1 : size;
}

static size_t space_end(const char *text, size_t at, size_t size) {
  while (at < size) {
    if (isspace((unsigned char)text[at])) {
      at++;
    } else if (at + 1 < size && text[at] == '/' && text[at + 1] == '/') {
      while (at < size && text[at] != '\n') {
        at++;
      }
    } else {
      break;
    }
  }
  return at;
}

// Whether the number at `at` is an extent: it follows the bracket or the x of a type.
static bool is_extent(const char *text, size_t at) {
  return at > 0 && (text[at - 1] == '<' || text[at - 1] == 'x');
}

static size_t number_end(const char *text, size_t at, size_t size) {
  const size_t start = at;
  while (at < size && isdigit((unsigned char)text[at])) {
    at++;
  }
  if (at < size && text[at] == 'x') {
    size_t hex = at + 1;
    while (hex < size && isxdigit((unsigned char)text[hex])) {
      hex++;
    }
    // `0x3xf32` and `0xf32` begin a type, `dense<0xFF80>` does not.
    const bool is_type = is_extent(text, start) && hex < size &&
                         (text[hex] == 'x' || islower((unsigned char)text[at + 1]));
    return at == start + 1 && text[start] == '0' && !is_type ? hex : at;
  }
  if (at < size && text[at] == '.') {
    at++;
    while (at < size && isdigit((unsigned char)text[at])) {
      at++;
    }
    if (at + 1 < size && (text[at] == 'e' || text[at] == 'E')) {
      at += text[at + 1] == '-' || text[at + 1] == '+' ? 2 : 1;
      while (at < size && isdigit((unsigned char)text[at])) {
        at++;
      }
    }
  }
  return at;
}

static token_t next_token(const char *text, size_t at, size_t size, token_kind_t before) {
  const char c = text[at];
  const char after = at + 1 < size ? text[at + 1] : '\0';
  if (isspace((unsigned char)c) || (c == '/' && after == '/')) {
    return (token_t){.kind = TOKEN_SPACE, .size = space_end(text, at, size) - at};
  }
  if (isdigit((unsigned char)c) || (c == '-' && isdigit((unsigned char)after))) {
    return (token_t){.kind = TOKEN_NUMBER,
                     .size = number_end(text, at + (c == '-'), size) - at};
  }
  if (c == 'x' && before == TOKEN_NUMBER) {
    return (token_t){.kind = TOKEN_PUNCTUATION, .size = 1};
  }
  if (begins_word(c)) {
    return (token_t){.kind = TOKEN_WORD, .size = while_word(text, at, size) - at};
  }
  if ((c == '%' || c == '@' || c == '^' || c == '#' || c == '!') && is_word(after)) {
    size_t end = while_word(text, at + 1, size);
    if (c == '%' && end < size && text[end] == '#') {
      end = while_word(text, end + 1, size);
    }
    return (token_t){.kind = c == '%' ? TOKEN_VALUE : TOKEN_SYMBOL, .size = end - at};
  }
  if (c == '"') {
    return (token_t){.kind = TOKEN_STRING, .size = string_end(text, at, size) - at};
  }
  if (c == '-' && after == '>') {
    return (token_t){.kind = TOKEN_PUNCTUATION, .size = 2};
  }
  const token_kind_t kind = strchr("([{<", c) != NULL && c != '\0'   ? TOKEN_OPEN
                            : strchr(")]}>", c) != NULL && c != '\0' ? TOKEN_CLOSE
                                                                     : TOKEN_PUNCTUATION;
  return (token_t){.kind = kind, .size = 1};
}

void text_tokens_read(text_tokens_t *tokens, const char *text, size_t size) {
  tokens->text = text;
  tokens->count = 0;
  size_t open[DEPTH_MAX];
  size_t depth = 0;
  token_kind_t before = TOKEN_SPACE;
  for (size_t at = 0; at < size;) {
    token_t token = next_token(text, at, size, before);
    before = token.kind;
    if (tokens->count == tokens->capacity) {
      tokens->capacity = tokens->capacity * 2 + 256;
      tokens->tokens = pod_grow(tokens->tokens, tokens->capacity, sizeof(token_t));
    }
    const size_t index = tokens->count++;
    token.at = at;
    token.partner = index;
    if (token.kind == TOKEN_CLOSE && depth > 0) {
      token.partner = open[--depth];
      tokens->tokens[token.partner].partner = index;
    }
    token.parent = depth > 0 ? open[depth - 1] : index;
    if (token.kind == TOKEN_OPEN && depth < DEPTH_MAX) {
      open[depth++] = index;
    }
    tokens->tokens[index] = token;
    at += token.size;
  }
}

void text_tokens_deinit(text_tokens_t *tokens) {
  free(tokens->tokens);
  *tokens = (text_tokens_t){0};
}
