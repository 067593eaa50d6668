// Mutates module text by tokens, so that most of what comes out gets past the parser: for
// libFuzzer and for driver.c alike, which call the two functions below. The same bytes,
// size and seed give the same text.

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/base/random.h"
#include "tests/fuzz/text_tokens.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
                               unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size, const uint8_t *other,
                                 size_t other_size, uint8_t *out, size_t max_out_size,
                                 unsigned int seed);

enum { TRIES = 24, STEPS_MAX = 4, DTYPES_COMMON = 17 };

static const char *const numbers[] = {
    "0",
    "-1",
    "1",
    "2",
    "3",
    "7",
    "16",
    "127",
    "128",
    "255",
    "256",
    "65535",
    "65536",
    "1048576",
    "2147483647",
    "2147483648",
    "-2147483648",
    "4294967295",
    "4294967296",
    "1099511627776",
    "0.0",
    "-0.0",
    "1.5",
    "1.0e308",
    "0x7FC00000",
    "0xFF80",
    "0x",
    "?",
    "1152921504606846976",
    "4611686018427387904",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "340282366920938463463374607431768211456",
};

static const char *const dtypes[] = {
    "i1",
    "i2",
    "i4",
    "i8",
    "i16",
    "i32",
    "i64",
    "ui2",
    "ui4",
    "ui8",
    "ui16",
    "ui32",
    "ui64",
    "f16",
    "bf16",
    "f32",
    "f64",
    "f8E4M3FN",
    "f8E5M2",
    "f8E4M3FNUZ",
    "f8E5M2FNUZ",
    "f8E3M4",
    "f8E8M0FNU",
    "f6E2M3FN",
    "f6E3M2FN",
    "f4E2M1FN",
    "f8E4M3B11FNUZ",
    "complex<f32>",
    "complex<f64>",
    "index",
    "i128",
    "none",
    "!stablehlo.token",
    "token",
    "f8E4M3",
    "tuple<>",
    "!quant.uniform<i8:f32, 1.0>",
};

// With the shape rules: what has the same often fits in the same place.
static const struct {
  const char *name, *shape;
} operations[] = {
// clang-format off
#define OPERATION(id, name, syntax, types, traits, shape, factors, attrs, kernel, fuse, cost, float_ops, whole_ops) {name, #shape},
// clang-format on
#include "server/program/operations.def"
#undef OPERATION
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

typedef struct mutator_t {
  pod_random_t random;
  char *bytes;  // max_size of room.
  size_t size, max_size;
  text_tokens_t tokens;
} mutator_t;

// A stretch of bytes between two brackets, with them.
typedef struct span_t {
  size_t at, size;
} span_t;

static span_t group_span(const mutator_t *mutator, size_t open, size_t close) {
  const size_t at = mutator->tokens.tokens[open].at;
  return (span_t){at, mutator->tokens.tokens[close].at + 1 - at};
}

static size_t below(mutator_t *mutator, size_t bound) {
  return (size_t)pod_random_below(&mutator->random, bound);
}

// Replaces `removed` bytes at `at`. `source` may be part of the text itself.
static bool replace(mutator_t *mutator, size_t at, size_t removed, const char *source,
                    size_t added) {
  if (mutator->size - removed + added > mutator->max_size) {
    return false;
  }
  char *copy = pod_alloc(added);
  memcpy(copy, source, added);
  char *place = mutator->bytes + at;
  memmove(place + added, place + removed, mutator->size - at - removed);
  memcpy(place, copy, added);
  mutator->size += added - removed;
  free(copy);
  return true;
}

static bool replace_token(mutator_t *mutator, size_t index, const char *source,
                          size_t size) {
  const token_t *token = &mutator->tokens.tokens[index];
  return replace(mutator, token->at, token->size, source, size);
}

static bool same_text(const mutator_t *mutator, size_t a, size_t b) {
  const token_t *first = &mutator->tokens.tokens[a], *second = &mutator->tokens.tokens[b];
  return first->size == second->size &&
         memcmp(mutator->bytes + first->at, mutator->bytes + second->at, first->size) ==
             0;
}

// A random token of a kind; false if a few tries find none.
static bool pick(mutator_t *mutator, token_kind_t kind, size_t *out_index) {
  for (int i = 0; i < TRIES && mutator->tokens.count > 0; i++) {
    const size_t index = below(mutator, mutator->tokens.count);
    if (mutator->tokens.tokens[index].kind == kind) {
      *out_index = index;
      return true;
    }
  }
  return false;
}

static bool is_one_of(const char *text, size_t size, const char *const *list,
                      size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (strlen(list[i]) == size && memcmp(list[i], text, size) == 0) {
      return true;
    }
  }
  return false;
}

static bool is_extent(const mutator_t *mutator, size_t index) {
  const token_t *token = &mutator->tokens.tokens[index];
  const size_t end = token->at + token->size;
  return token->kind == TOKEN_NUMBER && end < mutator->size && mutator->bytes[end] == 'x';
}

// Replaces every token that reads like that at `index`, or only that one.
static bool replace_all(mutator_t *mutator, size_t index, const char *by, bool all) {
  const token_t like = mutator->tokens.tokens[index];
  const bool extent = is_extent(mutator, index);
  char *text = pod_alloc(like.size + 1);
  char *source = pod_strdup(by);
  memcpy(text, mutator->bytes + like.at, like.size);
  bool done = false;
  for (size_t i = mutator->tokens.count; i-- > 0;) {  // What lies before stays in place.
    const token_t *token = &mutator->tokens.tokens[i];
    if (i == index || (all && token->kind == like.kind && token->size == like.size &&
                       memcmp(mutator->bytes + token->at, text, like.size) == 0 &&
                       is_extent(mutator, i) == extent)) {
      done = replace_token(mutator, i, source, strlen(source)) || done;
    }
  }
  free(text);
  free(source);
  return done;
}

// A number near that of `token`, near its half, near its double or near 0.
static void next_to(mutator_t *mutator, const token_t *token, size_t room, char *text) {
  const size_t size = token->size < room - 1 ? token->size : room - 1;
  memcpy(text, mutator->bytes + token->at, size);
  text[size] = '\0';
  const long long read = strtoll(text, NULL, 10), bound = 1LL << 60;
  const long long value = read > bound ? bound : read < -bound ? -bound : read;
  const long long bases[] = {0, value, value, value / 2, value * 2};
  snprintf(text, room, "%lld",
           bases[below(mutator, COUNT(bases))] + (long long)below(mutator, 4) - 1);
}

static bool change_number(mutator_t *mutator) {
  size_t index, other;
  if (!pick(mutator, TOKEN_NUMBER, &index)) {
    return false;
  }
  // Extents of one size mostly belong together.
  const bool all = below(mutator, 4) < (is_extent(mutator, index) ? 3 : 1);
  char text[32];
  switch (below(mutator, 4)) {
    case 0:
      return replace_all(mutator, index, numbers[below(mutator, COUNT(numbers))], all);
    case 1:
    case 2:
      next_to(mutator, &mutator->tokens.tokens[index], sizeof(text), text);
      return replace_all(mutator, index, text, all);
    default:
      return pick(mutator, TOKEN_NUMBER, &other) &&
             replace_token(mutator, index,
                           mutator->bytes + mutator->tokens.tokens[other].at,
                           mutator->tokens.tokens[other].size);
  }
}

// Mostly one of those that everything knows.
static const char *some_dtype(mutator_t *mutator) {
  return dtypes[below(mutator, below(mutator, 8) == 0 ? COUNT(dtypes) : DTYPES_COMMON)];
}

// Element types keep their place more often than not when all of a kind change at once.
static bool change_dtype(mutator_t *mutator) {
  for (int i = 0; i < TRIES; i++) {
    size_t index;
    if (!pick(mutator, TOKEN_WORD, &index)) {
      return false;
    }
    const token_t *token = &mutator->tokens.tokens[index];
    if (is_one_of(mutator->bytes + token->at, token->size, dtypes, COUNT(dtypes))) {
      return replace_all(mutator, index, some_dtype(mutator), below(mutator, 4) > 0);
    }
  }
  return false;
}

// Which of the table's operations `token` names; their number if none.
static size_t operation_of(const mutator_t *mutator, const token_t *token) {
  const size_t quote = token->kind == TOKEN_STRING ? 1 : 0;
  for (size_t i = 0; i < COUNT(operations); i++) {
    const size_t size = strlen(operations[i].name);
    if (token->size == size + 2 * quote &&
        memcmp(mutator->bytes + token->at + quote, operations[i].name, size) == 0) {
      return i;
    }
  }
  return COUNT(operations);
}

static bool change_operation(mutator_t *mutator) {
  size_t index, was = COUNT(operations);
  for (int i = 0; i < 4 * TRIES && was == COUNT(operations); i++) {
    if (pick(mutator, below(mutator, 2) == 0 ? TOKEN_WORD : TOKEN_STRING, &index)) {
      was = operation_of(mutator, &mutator->tokens.tokens[index]);
    }
  }
  if (was == COUNT(operations)) {
    return false;
  }
  const bool any = below(mutator, 4) == 0;
  size_t now = below(mutator, COUNT(operations));
  for (int i = 0;
       i < 4 * TRIES && !any &&
       (now == was || strcmp(operations[now].shape, operations[was].shape) != 0);
       i++) {
    now = below(mutator, COUNT(operations));
  }
  char name[128];
  snprintf(name, sizeof(name),
           mutator->tokens.tokens[index].kind == TOKEN_STRING ? "\"%s\"" : "%s",
           operations[now].name);
  return replace_token(mutator, index, name, strlen(name));
}

static bool is_definition(const mutator_t *mutator, size_t index) {
  for (size_t i = index + 1; i < mutator->tokens.count; i++) {
    const token_t *token = &mutator->tokens.tokens[i];
    if (token->kind != TOKEN_SPACE && token->kind != TOKEN_NUMBER) {
      return mutator->bytes[token->at] == '=' || mutator->bytes[token->at] == ':';
    }
  }
  return false;
}

// A value by one that stands before it, mostly near it.
static bool change_value(mutator_t *mutator) {
  size_t index;
  // What is defined keeps its name, mostly.
  if (!pick(mutator, TOKEN_VALUE, &index) ||
      (is_definition(mutator, index) && below(mutator, 16) != 0)) {
    return false;
  }
  for (int i = 0; i < TRIES; i++) {
    const size_t reach = below(mutator, 4) == 0 ? index : (index + 3) / 4;
    const size_t other = index - below(mutator, reach + 1);
    const token_t *token = &mutator->tokens.tokens[other];
    if (token->kind == TOKEN_VALUE && !same_text(mutator, index, other)) {
      return replace_token(mutator, index, mutator->bytes + token->at, token->size);
    }
  }
  return false;
}

static const char *literal_of(mutator_t *mutator, const char *dtype, bool is_complex) {
  static const char *const floats[] = {"0.0", "-0.0", "1.0", "-1.5", "3.0e4", "0.25"};
  static const char *const integers[] = {"0", "1", "2", "3", "5", "1", "0", "7"};
  if (is_complex) {
    return "(1.0, -2.0)";
  }
  if (strcmp(dtype, "i1") == 0) {
    return below(mutator, 2) == 0 ? "true" : "false";
  }
  return strchr(dtype, 'f') != NULL ? floats[below(mutator, COUNT(floats))]
                                    : integers[below(mutator, COUNT(integers))];
}

// Constants get a value for all elements that fits their type, so that a change of types
// leaves them valid.
static bool repair_constants(mutator_t *mutator) {
  bool done = false;
  size_t changed_at = SIZE_MAX;
  for (size_t i = mutator->tokens.count; i-- > 0;) {
    const token_t *tokens = mutator->tokens.tokens;
    size_t at = i + 1;  // The bracket behind `dense`.
    if (tokens[i].kind != TOKEN_WORD || tokens[i].size != 5 ||
        memcmp(mutator->bytes + tokens[i].at, "dense", 5) != 0 ||
        at >= mutator->tokens.count || tokens[at].kind != TOKEN_OPEN ||
        tokens[at].partner == at) {
      continue;
    }
    const span_t group = group_span(mutator, at, tokens[at].partner);
    if (group.at + group.size > changed_at) {
      continue;  // What it holds has changed.
    }
    // The last word of the type that follows is its element type.
    char dtype[32] = "";
    bool is_complex = false;
    for (at = tokens[at].partner + 1; at < mutator->tokens.count; at++) {
      if (tokens[at].kind == TOKEN_WORD && tokens[at].size < sizeof(dtype)) {
        memcpy(dtype, mutator->bytes + tokens[at].at, tokens[at].size);
        dtype[tokens[at].size] = '\0';
        is_complex = is_complex || strcmp(dtype, "complex") == 0;
      } else if (tokens[at].kind == TOKEN_CLOSE) {
        break;
      }
    }
    const char *literal = literal_of(mutator, dtype, is_complex);
    done =
        replace(mutator, group.at + 1, group.size - 2, literal, strlen(literal)) || done;
    changed_at = group.at;
  }
  return done;
}

// By another of its kind: values by values, words by words.
static bool change_token(mutator_t *mutator) {
  static const token_kind_t kinds[] = {TOKEN_VALUE, TOKEN_VALUE,  TOKEN_VALUE,
                                       TOKEN_WORD,  TOKEN_SYMBOL, TOKEN_STRING,
                                       TOKEN_OPEN,  TOKEN_CLOSE,  TOKEN_PUNCTUATION};
  size_t index, other;
  const token_kind_t kind = kinds[below(mutator, COUNT(kinds))];
  if (!pick(mutator, kind, &index) || !pick(mutator, kind, &other) ||
      same_text(mutator, index, other)) {
    return false;
  }
  return replace_token(mutator, index, mutator->bytes + mutator->tokens.tokens[other].at,
                       mutator->tokens.tokens[other].size);
}

static bool move_token(mutator_t *mutator) {
  if (mutator->tokens.count < 2) {
    return false;
  }
  const token_t *from = &mutator->tokens.tokens[below(mutator, mutator->tokens.count)];
  const token_t *to = &mutator->tokens.tokens[below(mutator, mutator->tokens.count)];
  switch (below(mutator, 4)) {
    case 0:
      return replace(mutator, from->at, from->size, "", 0);
    case 1:
      return replace(mutator, to->at, 0, mutator->bytes + from->at, from->size);
    case 2:  // Says it twice, with what lies between.
      return replace(mutator, from->at, 0, mutator->bytes + from->at, from->size);
    default:
      // What stands later goes first, so that the offsets stay true.
      if (from->at > to->at) {
        char *copy = pod_alloc(from->size);
        const size_t size = from->size, at = to->at;
        memcpy(copy, mutator->bytes + from->at, size);
        replace(mutator, from->at, from->size, "", 0);
        replace(mutator, at, 0, copy, size);
        free(copy);
        return true;
      }
      return false;
  }
}

static bool pick_group(mutator_t *mutator, char bracket, size_t *out_open,
                       size_t *out_close) {
  for (int i = 0; i < TRIES; i++) {
    size_t index;
    if (!pick(mutator, TOKEN_OPEN, &index)) {
      return false;
    }
    const token_t *token = &mutator->tokens.tokens[index];
    if (token->partner != index &&
        (bracket == '\0' || mutator->bytes[token->at] == bracket)) {
      *out_open = index;
      *out_close = token->partner;
      return true;
    }
  }
  return false;
}

// A list in brackets becomes another list in such brackets, or nothing.
static bool change_group(mutator_t *mutator) {
  size_t open, close, other_open, other_close;
  if (!pick_group(mutator, '\0', &open, &close)) {
    return false;
  }
  const span_t group = group_span(mutator, open, close);
  switch (below(mutator, 4)) {
    case 0:
      return replace(mutator, group.at + 1, group.size - 2, "", 0);
    case 1:
      return replace(mutator, group.at, group.size, "", 0);
    default: {
      if (!pick_group(mutator, mutator->bytes[group.at], &other_open, &other_close)) {
        return false;
      }
      // In a place of the same kind, unless by chance.
      if (open > 0 && other_open > 0 && !same_text(mutator, open - 1, other_open - 1) &&
          below(mutator, 8) != 0) {
        return false;
      }
      const span_t other = group_span(mutator, other_open, other_close);
      return replace(mutator, group.at, group.size, mutator->bytes + other.at,
                     other.size);
    }
  }
}

// The `number`-th of what the commas of a group part; false if there are fewer.
static bool item_span(const mutator_t *mutator, size_t open, size_t close, size_t number,
                      span_t *out_item) {
  size_t start = mutator->tokens.tokens[open].at + 1;
  for (size_t i = open + 1; i <= close; i++) {
    const token_t *token = &mutator->tokens.tokens[i];
    const bool ends = i == close || (token->parent == open && token->size == 1 &&
                                     mutator->bytes[token->at] == ',');
    if (ends && number-- == 0) {
      *out_item = (span_t){start, token->at - start};
      return true;
    }
    start = ends ? token->at + 1 : start;
  }
  return false;
}

// Operands, attributes, entries of arrays, types of functions: all are lists with commas.
static bool change_item(mutator_t *mutator) {
  size_t open, close;
  span_t item, other;
  if (!pick_group(mutator, '\0', &open, &close) ||
      !item_span(mutator, open, close, below(mutator, 4), &item)) {
    return false;
  }
  switch (below(mutator, 4)) {
    case 0: {  // Away, with the comma before or behind.
      const bool first = item.at == mutator->tokens.tokens[open].at + 1;
      const bool last = item.at + item.size == mutator->tokens.tokens[close].at;
      return first ? replace(mutator, item.at, item.size + (last ? 0 : 1), "", 0)
                   : replace(mutator, item.at - 1, item.size + 1, "", 0);
    }
    case 1:
      return replace(mutator, item.at, 0, ",", 1) &&
             replace(mutator, item.at, 0, mutator->bytes + item.at + 1, item.size);
    default: {
      size_t from_open = open, from_close = close;
      if (below(mutator, 2) == 0 &&
          !pick_group(mutator, mutator->bytes[mutator->tokens.tokens[open].at],
                      &from_open, &from_close)) {
        return false;
      }
      if (!item_span(mutator, from_open, from_close, below(mutator, 4), &other)) {
        return false;
      }
      return replace(mutator, item.at, item.size, mutator->bytes + other.at, other.size);
    }
  }
}

static span_t pick_lines(mutator_t *mutator, const char *bytes, size_t size,
                         size_t lines) {
  size_t start = size > 0 ? below(mutator, size) : 0;
  while (start > 0 && bytes[start - 1] != '\n') {
    start--;
  }
  size_t end = start;
  for (; lines > 0 && end < size; lines--) {
    const char *next = memchr(bytes + end, '\n', size - end);
    end = next != NULL ? (size_t)(next - bytes) + 1 : size;
  }
  return (span_t){start, end - start};
}

static bool change_lines(mutator_t *mutator) {
  const span_t from =
      pick_lines(mutator, mutator->bytes, mutator->size, 1 + below(mutator, 3));
  const span_t to = pick_lines(mutator, mutator->bytes, mutator->size, 1);
  switch (below(mutator, 4)) {
    case 0:
      return replace(mutator, from.at, from.size, "", 0);
    case 1:
      return replace(mutator, from.at, 0, mutator->bytes + from.at, from.size);
    case 2:
      return replace(mutator, to.at, to.size, mutator->bytes + from.at, from.size);
    default:
      return replace(mutator, to.at, 0, mutator->bytes + from.at, from.size);
  }
}

// A type loses or gains an extent.
static bool change_rank(mutator_t *mutator) {
  size_t index;
  if (!pick(mutator, TOKEN_NUMBER, &index)) {
    return false;
  }
  const token_t *token = &mutator->tokens.tokens[index];
  if (!is_extent(mutator, index)) {
    return false;
  }
  if (below(mutator, 2) == 0) {
    return replace(mutator, token->at, token->size + 1, "", 0);
  }
  return replace(mutator, token->at, 0, mutator->bytes + token->at, token->size + 1);
}

static bool change_byte(mutator_t *mutator) {
  if (mutator->size == 0) {
    return false;
  }
  const size_t at = below(mutator, mutator->size);
  if (below(mutator, 8) == 0) {
    mutator->size = at;
    return true;
  }
  mutator->bytes[at] = (char)(mutator->bytes[at] ^ (1 << below(mutator, 8)));
  return true;
}

static bool mutate_once(mutator_t *mutator) {
  static bool (*const ways[])(mutator_t *) = {
      change_number, change_number,    change_number,    change_number,    change_dtype,
      change_dtype,  change_operation, change_operation, change_operation, change_value,
      change_value,  change_value,     change_token,     move_token,       change_group,
      change_group,  change_item,      change_item,      change_item,      change_rank,
      change_lines,  change_lines,
  };
  text_tokens_read(&mutator->tokens, mutator->bytes, mutator->size);
  return below(mutator, 64) == 0 ? change_byte(mutator)
                                 : ways[below(mutator, COUNT(ways))](mutator);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
                               unsigned int seed) {
  mutator_t mutator = {
      .random = {seed}, .bytes = (char *)data, .size = size, .max_size = max_size};
  // One step keeps most modules valid; several find what takes two mistakes.
  const size_t steps = 1 + below(&mutator, 1 + below(&mutator, STEPS_MAX));
  size_t done = 0;
  for (int i = 0; i < TRIES && done < steps; i++) {
    done += mutate_once(&mutator) ? 1 : 0;
  }
  if (below(&mutator, 2) == 0) {
    text_tokens_read(&mutator.tokens, mutator.bytes, mutator.size);
    repair_constants(&mutator);
  }
  text_tokens_deinit(&mutator.tokens);
  return mutator.size;
}

// Puts lines, a group in brackets or a whole tail of `other` into `data`.
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size, const uint8_t *other,
                                 size_t other_size, uint8_t *out, size_t max_out_size,
                                 unsigned int seed) {
  const size_t kept = size < max_out_size ? size : max_out_size;
  memcpy(out, data, kept);
  mutator_t mutator = {
      .random = {seed}, .bytes = (char *)out, .size = kept, .max_size = max_out_size};
  mutator_t source = {
      .random = {~(uint64_t)seed}, .bytes = (char *)other, .size = other_size};
  text_tokens_read(&mutator.tokens, mutator.bytes, mutator.size);
  text_tokens_read(&source.tokens, source.bytes, source.size);
  size_t open, close, other_open, other_close;
  const size_t choice = below(&mutator, 4);
  if (choice < 2 && pick_group(&mutator, '\0', &open, &close) &&
      pick_group(&source, mutator.bytes[mutator.tokens.tokens[open].at], &other_open,
                 &other_close)) {
    const span_t to = group_span(&mutator, open, close);
    const span_t from = group_span(&source, other_open, other_close);
    replace(&mutator, to.at, to.size, source.bytes + from.at, from.size);
  } else {
    const span_t to =
        pick_lines(&mutator, mutator.bytes, mutator.size, choice == 2 ? 1 : 0);
    const span_t from =
        pick_lines(&source, source.bytes, source.size, 1 + below(&mutator, 16));
    replace(&mutator, to.at, to.size, source.bytes + from.at, from.size);
  }
  text_tokens_deinit(&mutator.tokens);
  text_tokens_deinit(&source.tokens);
  return mutator.size;
}
