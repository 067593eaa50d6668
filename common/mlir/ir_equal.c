// Whether two attributes mean the same.

#include <string.h>

#include "common/mlir/ir_private.h"

static bool same_text(const mlir_attr_t *a, const mlir_attr_t *b) {
  return a->length == b->length && memcmp(a->text, b->text, (size_t)a->length) == 0;
}

// The characters of a body one by one. White space outside of strings does not count,
// except that it keeps words apart.
typedef struct body_reader_t {
  const char *at;
  char last;
  bool in_string;
} body_reader_t;

static bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

// NUL at the end.
static char next_char(body_reader_t *reader) {
  const char *start = reader->at;
  while (!reader->in_string && is_space(*reader->at)) {
    reader->at++;
  }
  if (reader->at > start && mlir_is_word(reader->last) && mlir_is_word(*reader->at)) {
    reader->last = ' ';
    return ' ';
  }
  const char c = *reader->at;
  if (c == '\0') {
    return c;
  }
  if (c == '"' && !(reader->in_string && reader->last == '\\')) {
    reader->in_string = !reader->in_string;
  }
  reader->last = c == '\\' && reader->last == '\\' ? ' ' : c;
  reader->at++;
  return c;
}

static bool same_but_for_space(const char *a, const char *b) {
  body_reader_t left = {.at = a}, right = {.at = b};
  for (;;) {
    const char c = next_char(&left);
    if (c != next_char(&right)) {
      return false;
    }
    if (c == '\0') {
      return true;
    }
  }
}

static bool same_body(const mlir_attr_t *a, const mlir_attr_t *b) {
  if (strcmp(a->text, b->text) != 0 || (a->body == NULL) != (b->body == NULL) ||
      !mlir_type_equal(a->type, b->type)) {
    return false;
  }
  return a->body == NULL || strcmp(a->body, b->body) == 0 ||
         same_but_for_space(a->body, b->body);
}

// Bit for bit, so that NaN equals itself and -0 differs from 0.
static bool same_real(double a, double b) {
  uint64_t a_bits, b_bits;
  memcpy(&a_bits, &a, sizeof(a_bits));
  memcpy(&b_bits, &b, sizeof(b_bits));
  return a_bits == b_bits;
}

static bool same_elements(const mlir_attr_t *a, const mlir_attr_t *b) {
  if (a->count != b->count) {
    return false;
  }
  for (int64_t i = 0; i < a->count; i++) {
    if (!mlir_attr_equal(a->elements[i], b->elements[i])) {
      return false;
    }
  }
  return true;
}

static bool same_entries(const mlir_attr_t *a, const mlir_attr_t *b) {
  if (a->count != b->count) {
    return false;
  }
  for (int64_t i = 0; i < a->count; i++) {
    // Nearly always the order is the same.
    const mlir_attr_t *other = strcmp(a->entries[i].name, b->entries[i].name) == 0
                                   ? b->entries[i].value
                                   : mlir_attr_get(b, a->entries[i].name);
    if (other == NULL || !mlir_attr_equal(a->entries[i].value, other)) {
      return false;
    }
  }
  return true;
}

static bool same_array(const mlir_attr_t *a, const mlir_attr_t *b) {
  if (a->count != b->count || !mlir_type_equal(a->type, b->type) ||
      (a->integers == NULL) != (b->integers == NULL)) {
    return false;
  }
  for (int64_t i = 0; i < a->count; i++) {
    if (a->integers != NULL ? a->integers[i] != b->integers[i]
                            : !same_real(a->reals[i], b->reals[i])) {
      return false;
    }
  }
  return true;
}

bool mlir_attr_equal(const mlir_attr_t *a, const mlir_attr_t *b) {
  if (a == b) {
    return true;
  }
  if (a == NULL || b == NULL || a->kind != b->kind) {
    return false;
  }
  switch (a->kind) {
    case MLIR_ATTR_UNIT:
    case MLIR_ATTR_LOCATION:
      return true;
    case MLIR_ATTR_BOOL:
    case MLIR_ATTR_INTEGER:
      return a->integer == b->integer && mlir_type_equal(a->type, b->type);
    case MLIR_ATTR_FLOAT:
      return same_real(a->real, b->real) && mlir_type_equal(a->type, b->type);
    case MLIR_ATTR_STRING:
      return same_text(a, b);
    case MLIR_ATTR_SYMBOL:
      return same_text(a, b) && same_elements(a, b);
    case MLIR_ATTR_TYPE:
      return mlir_type_equal(a->type, b->type);
    case MLIR_ATTR_ARRAY:
      return same_elements(a, b);
    case MLIR_ATTR_DICTIONARY:
      return same_entries(a, b);
    case MLIR_ATTR_DENSE:
      return a->is_splat == b->is_splat && a->length == b->length &&
             mlir_type_equal(a->type, b->type) &&
             memcmp(a->data, b->data, (size_t)a->length) == 0;
    case MLIR_ATTR_DENSE_ARRAY:
      return same_array(a, b);
    case MLIR_ATTR_DIALECT:
      return same_body(a, b);
  }
  return false;
}
