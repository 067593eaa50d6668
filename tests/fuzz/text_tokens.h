// Module text as tokens, for mutators: every byte belongs to exactly one token, and any
// bytes have tokens. It is not the lexer of common/mlir, which refuses what it does not
// know.
//
// Threading: one thread at a time.
// Ownership: an array belongs to its maker; text_tokens_deinit frees what it holds.

#ifndef TESTS_FUZZ_TEXT_TOKENS_H_
#define TESTS_FUZZ_TEXT_TOKENS_H_

#include <stddef.h>

typedef enum token_kind_t {
  TOKEN_SPACE,   // Blanks and comments.
  TOKEN_NUMBER,  // 12, 1.5e-3, 0xFF; the extents of a type one by one.
  TOKEN_WORD,    // stablehlo.add, f32, array.
  TOKEN_VALUE,   // %0, %arg1#2.
  TOKEN_SYMBOL,  // @main, ^bb0, #alias, !alias.
  TOKEN_STRING,
  TOKEN_OPEN,   // ( [ { <
  TOKEN_CLOSE,  // ) ] } >
  TOKEN_PUNCTUATION,
} token_kind_t;

typedef struct token_t {
  token_kind_t kind;
  size_t at, size;  // Bytes of the text.
  size_t partner;   // Index of the bracket that belongs to this one; its own if none.
  size_t parent;    // Index of the bracket that it stands in; its own if none.
} token_t;

typedef struct text_tokens_t {
  const char *text;  // Borrowed.
  token_t *tokens;
  size_t count, capacity;
} text_tokens_t;

// Replaces what was there. Zero `tokens` before the first call.
void text_tokens_read(text_tokens_t *tokens, const char *text, size_t size);

void text_tokens_deinit(text_tokens_t *tokens);

#endif  // TESTS_FUZZ_TEXT_TOKENS_H_
