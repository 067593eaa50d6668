// Types.

#include <string.h>

#include "common/mlir/parser_private.h"

static pod_status_t parse_type(mlir_parser_t *parser, const mlir_type_t **out_type);

// What has no form of its own keeps its text.
static const mlir_type_t *opaque(mlir_parser_t *parser, const char *start) {
  const char *end = parser->at;
  mlir_type_t *type = mlir_type_new(parser->module, MLIR_TYPE_OPAQUE);
  type->text = mlir_lex_copy(parser, start, end);
  type->weight = 1 + (end - start) / 16;
  mlir_lex_skip(parser);
  return type;
}

static bool word_is(const char *start, const char *end, const char *word) {
  return (size_t)(end - start) == strlen(word) &&
         memcmp(start, word, (size_t)(end - start)) == 0;
}

// A scalar's type by its MLIR name.
static tensor_dtype_t scalar_of(const char *start, const char *end) {
  const size_t length = (size_t)(end - start);
  if (length == 3 && memcmp(start, "f32", 3) == 0) {
    return TENSOR_F32;
  }
  if (length == 4 && memcmp(start, "bf16", 4) == 0) {
    return TENSOR_BF16;
  }
  if (length == 3 && memcmp(start, "i32", 3) == 0) {
    return TENSOR_S32;
  }
  const tensor_dtype_t dtype = tensor_dtype_parse(start, length);
  // The short spellings of HLO (pred, s32) are not MLIR's.
  return dtype != TENSOR_INVALID && word_is(start, end, tensor_dtype_mlir_name(dtype))
             ? dtype
             : TENSOR_INVALID;
}

// complex<f32>, behind `complex`.
static pod_status_t parse_complex(mlir_parser_t *parser, tensor_dtype_t *out_dtype) {
  POD_TRY(mlir_parser_expect(parser, "<"));
  const char *end = mlir_lex_word_end(parser->at, false);
  if (word_is(parser->at, end, "f32")) {
    *out_dtype = TENSOR_C64;
  } else if (word_is(parser->at, end, "f64")) {
    *out_dtype = TENSOR_C128;
  } else {
    return mlir_parser_error(parser, "complex numbers of f32 and f64 are supported");
  }
  parser->at = end;
  mlir_lex_skip(parser);
  return mlir_parser_expect(parser, ">");
}

// "8x?x", as far as it goes.
static pod_status_t parse_dims(mlir_parser_t *parser, tensor_shape_t *shape) {
  for (;;) {
    const char *at = parser->at;
    int64_t size = 0;
    if (*at == '?') {
      size = TENSOR_DYNAMIC;
      at++;
    } else if (mlir_is_digit(*at)) {
      for (; mlir_is_digit(*at); at++) {
        if (size > (INT64_MAX - 9) / 10) {
          return mlir_parser_error(parser, "this size does not fit 64 bits");
        }
        size = 10 * size + (*at - '0');
      }
    } else {
      return NULL;
    }
    if (*at != 'x') {
      parser->at = at;
      return mlir_parser_error(parser, "expected 'x' and the element type");
    }
    if (shape->rank == TENSOR_RANK_MAX) {
      return mlir_parser_error(parser, "more than %d dimensions", TENSOR_RANK_MAX);
    }
    shape->dims[shape->rank++] = size;
    parser->at = at + 1;
  }
}

// What follows computes with these products and need not look again.
static pod_status_t check_size(mlir_parser_t *parser, const char *start,
                               const tensor_shape_t *shape) {
  int64_t bytes = (int64_t)tensor_dtype_bytes(shape->dtype);
  bool overflows = false;
  for (int i = 0; i < shape->rank; i++) {
    // Sizes of 0 do not help: strides are products of the others.
    if (shape->dims[i] > 0) {
      overflows = overflows || __builtin_mul_overflow(bytes, shape->dims[i], &bytes);
    }
  }
  return overflows ? mlir_lex_error(parser, start,
                                    "the bytes of this tensor do not fit 64 bits")
                   : NULL;
}

static pod_status_t finish_tensor(mlir_parser_t *parser, const char *start,
                                  const tensor_shape_t *shape,
                                  const mlir_type_t **out_type) {
  POD_TRY(check_size(parser, start, shape));
  if (!mlir_parser_accept(parser, ",")) {
    *out_type = mlir_type_tensor(parser->module, shape);
    return mlir_parser_expect(parser, ">");
  }
  mlir_type_t *type = mlir_type_new(parser->module, MLIR_TYPE_TENSOR);
  type->shape = *shape;
  POD_TRY(mlir_parser_attr(parser, &type->encoding));
  mlir_nesting_add(&type->height, &type->weight, type->encoding->height,
                   type->encoding->weight);
  *out_type = type;
  return mlir_parser_expect(parser, ">");
}

// An element type that is none of ours, e.g. !quant.uniform<…>: the whole tensor is kept
// as text.
static pod_status_t parse_foreign_tensor(mlir_parser_t *parser, const char *start,
                                         const mlir_type_t **out_type) {
  POD_TRY(mlir_lex_balanced(parser, start + strlen("tensor"), &parser->at));
  *out_type = opaque(parser, start);
  return NULL;
}

// i3, si8, vector<…>: well-formed, but nothing of ours.
static bool is_foreign_word(const char *start, const char *end) {
  static const char *const words[] = {"vector", "memref", "tf32", "f80", "f128"};
  for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
    if (word_is(start, end, words[i])) {
      return true;
    }
  }
  start += *start == 's' || *start == 'u';
  if (*start++ != 'i' || start == end) {
    return false;
  }
  while (start < end && mlir_is_digit(*start)) {
    start++;
  }
  return start == end;
}

static pod_status_t parse_tensor(mlir_parser_t *parser, const char *start,
                                 const mlir_type_t **out_type) {
  parser->at = start + strlen("tensor");
  mlir_lex_skip(parser);
  POD_TRY(mlir_parser_expect(parser, "<"));
  tensor_shape_t shape = {0};
  POD_TRY(parse_dims(parser, &shape));
  if (*parser->at == '*' || *parser->at == '!') {
    return parse_foreign_tensor(parser, start, out_type);
  }
  const char *word = parser->at;
  const char *end = mlir_lex_word_end(word, false);
  if (word_is(word, end, "complex")) {
    parser->at = end;
    POD_TRY(parse_complex(parser, &shape.dtype));
    return finish_tensor(parser, start, &shape, out_type);
  }
  shape.dtype = scalar_of(word, end);
  if (shape.dtype == TENSOR_INVALID) {
    if (end == word) {
      return mlir_parser_error(parser, "expected an element type");
    }
    if (!is_foreign_word(word, end) && !word_is(word, end, "index")) {
      return mlir_parser_error(parser, "unknown element type '%.*s'", (int)(end - word),
                               word);
    }
    return parse_foreign_tensor(parser, start, out_type);
  }
  parser->at = end;
  mlir_lex_skip(parser);
  return finish_tensor(parser, start, &shape, out_type);
}

// Types up to `closing`, on the scratch stack.
static pod_status_t parse_members(mlir_parser_t *parser, const char *closing) {
  if (mlir_parser_accept(parser, closing)) {
    return NULL;
  }
  do {
    const mlir_type_t *type;
    POD_TRY(mlir_parser_type(parser, &type));
    mlir_scratch_push(parser, type);
  } while (mlir_parser_accept(parser, ","));
  return mlir_parser_expect(parser, closing);
}

pod_status_t mlir_parser_type_list(mlir_parser_t *parser, int *out_count,
                                   const mlir_type_t *const **out_types) {
  const int64_t base = parser->scratch_count;
  do {
    const mlir_type_t *type;
    POD_TRY(mlir_parser_type(parser, &type));
    mlir_scratch_push(parser, type);
  } while (mlir_parser_accept(parser, ","));
  int64_t count;
  *out_types = (const mlir_type_t *const *)mlir_scratch_take(parser, base, &count);
  *out_count = (int)count;
  return NULL;
}

static pod_status_t parse_tuple(mlir_parser_t *parser, const mlir_type_t **out_type) {
  const int64_t base = parser->scratch_count;
  POD_TRY(mlir_parser_expect(parser, "<"));
  POD_TRY(parse_members(parser, ">"));
  int64_t count;
  const void **types = mlir_scratch_take(parser, base, &count);
  *out_type =
      mlir_type_tuple(parser->module, (int)count, (const mlir_type_t *const *)types);
  return NULL;
}

// The lists of `(…) -> …`, in the arena.
static pod_status_t parse_signature(mlir_parser_t *parser, mlir_signature_t *out) {
  const int64_t base = parser->scratch_count;
  int64_t count;
  POD_TRY(mlir_parser_expect(parser, "("));
  POD_TRY(parse_members(parser, ")"));
  out->inputs = (const mlir_type_t *const *)mlir_scratch_take(parser, base, &count);
  out->input_count = (int)count;
  POD_TRY(mlir_parser_expect(parser, "->"));
  if (mlir_parser_accept(parser, "(")) {
    POD_TRY(parse_members(parser, ")"));
  } else {
    const mlir_type_t *type;
    POD_TRY(parse_type(parser, &type));
    mlir_scratch_push(parser, type);
  }
  out->results = (const mlir_type_t *const *)mlir_scratch_take(parser, base, &count);
  out->result_count = (int)count;
  return NULL;
}

pod_status_t mlir_parser_signature(mlir_parser_t *parser,
                                   mlir_signature_t *out_signature) {
  POD_TRY(mlir_lex_enter(parser, 1));
  POD_TRY(parse_signature(parser, out_signature));
  return mlir_lex_enter(parser, -1);
}

// !alias, !stablehlo.token, !dialect.type<…>
static pod_status_t parse_dialect_type(mlir_parser_t *parser,
                                       const mlir_type_t **out_type) {
  const char *start = parser->at;
  const char *end = mlir_lex_word_end(start + 1, false);
  if (end == start + 1) {
    return mlir_parser_error(parser, "expected a name after '!'");
  }
  parser->at = end;
  if (word_is(start, end, "!stablehlo.token") || word_is(start, end, "!mhlo.token")) {
    mlir_lex_skip(parser);
    *out_type = mlir_type_simple(parser->module, MLIR_TYPE_TOKEN);
    return NULL;
  }
  if (*end == '<') {
    POD_TRY(mlir_lex_balanced(parser, end, &parser->at));
    *out_type = opaque(parser, start);
    return NULL;
  }
  if (memchr(start, '.', (size_t)(end - start)) != NULL) {
    *out_type = opaque(parser, start);
    return NULL;
  }
  const mlir_type_t *known = parser->state == NULL
                                 ? NULL
                                 : pod_map_get_n(parser->state->type_aliases, start + 1,
                                                 (size_t)(end - start - 1));
  if (known == NULL) {
    return mlir_lex_error(parser, start, "unknown type '%.*s'", (int)(end - start),
                          start);
  }
  POD_TRY(mlir_count_alias(parser, start, known->height, known->weight));
  mlir_lex_skip(parser);
  *out_type = known;
  return NULL;
}

static pod_status_t parse_word_type(mlir_parser_t *parser, const mlir_type_t **out_type) {
  const char *start = parser->at;
  const char *end = mlir_lex_word_end(start, false);
  if (word_is(start, end, "tensor")) {
    return parse_tensor(parser, start, out_type);
  }
  parser->at = end;
  mlir_lex_skip(parser);
  const tensor_dtype_t dtype = scalar_of(start, end);
  if (dtype != TENSOR_INVALID) {
    *out_type = mlir_type_scalar(parser->module, dtype);
    return NULL;
  }
  if (word_is(start, end, "complex")) {
    tensor_dtype_t complex;
    POD_TRY(parse_complex(parser, &complex));
    *out_type = mlir_type_scalar(parser->module, complex);
    return NULL;
  }
  if (word_is(start, end, "index") || word_is(start, end, "none")) {
    *out_type = mlir_type_simple(parser->module,
                                 *start == 'i' ? MLIR_TYPE_INDEX : MLIR_TYPE_NONE);
    return NULL;
  }
  if (word_is(start, end, "tuple")) {
    return parse_tuple(parser, out_type);
  }
  if (is_foreign_word(start, end)) {
    parser->at = end;
    if (*end == '<') {
      POD_TRY(mlir_lex_balanced(parser, end, &parser->at));
    }
    *out_type = opaque(parser, start);
    return NULL;
  }
  return mlir_lex_error(parser, start, "expected a type");
}

static pod_status_t parse_type(mlir_parser_t *parser, const mlir_type_t **out_type) {
  if (*parser->at == '!') {
    return parse_dialect_type(parser, out_type);
  }
  if (mlir_is_letter(*parser->at)) {
    return parse_word_type(parser, out_type);
  }
  return mlir_parser_error(parser, "expected a type");
}

pod_status_t mlir_parser_type(mlir_parser_t *parser, const mlir_type_t **out_type) {
  POD_TRY(mlir_lex_enter(parser, 1));
  if (*parser->at == '(') {
    mlir_signature_t signature;
    POD_TRY(parse_signature(parser, &signature));
    *out_type =
        mlir_type_function(parser->module, signature.input_count, signature.inputs,
                           signature.result_count, signature.results);
  } else {
    POD_TRY(parse_type(parser, out_type));
  }
  return mlir_lex_enter(parser, -1);
}
