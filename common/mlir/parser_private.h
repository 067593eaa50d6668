// What the parser's files share. Not for others.
//
// The parser works on the text itself, without a list of tokens: `at` always stands on
// the next thing that is no white space and no comment. `*end` is NUL.

#ifndef COMMON_MLIR_PARSER_PRIVATE_H_
#define COMMON_MLIR_PARSER_PRIVATE_H_

#include "common/base/list.h"
#include "common/mlir/ir_private.h"
#include "common/mlir/parser.h"

// The nodes that aliases may add to a module (see ir_private.h): so many, and so many for
// each byte of its text, but not more than the last.
#define MLIR_EXPANSION_BASE ((int64_t)1 << 18)
#define MLIR_EXPANSION_PER_BYTE 16
#define MLIR_EXPANSION_MAX ((int64_t)1 << 26)

// A name in scope: %value, or ^label with `values` NULL. Entries form a stack, newest
// last; those of one bucket are linked from new to old.
typedef struct mlir_binding_t {
  const char *name;  // Not terminated. Without %, with ^.
  uint32_t length, hash;
  mlir_position_t position;
  uint32_t older;  // 1 + index of the next entry of the bucket; 0 at its end.
  mlir_value_t *values;
  uint32_t count;
} mlir_binding_t;

typedef struct mlir_scope_t {
  POD_LIST(mlir_binding_t) bindings;
  uint32_t *buckets;  // 1 + index; 0 for empty.
  uint32_t bucket_count;
  uint32_t isolated;  // Bindings below are out of sight.
  uint32_t region;    // Where those of the innermost region start.
} mlir_scope_t;

// A dense_resource<key> whose bytes stand at the end of the file.
typedef struct mlir_pending_resource_t {
  mlir_attr_t *attr;
  const char *key;
} mlir_pending_resource_t;

typedef struct mlir_op_names_t {
  const char *name;  // Interned, with its dialect.
  const mlir_syntax_t *syntax;
} mlir_op_names_t;

// What only the parse of a whole module has.
typedef struct mlir_parse_state_t {
  mlir_syntax_lookup_t lookup;
  const mlir_syntax_t *syntax;
  mlir_scope_t scope;
  pod_map_t *attr_aliases, *type_aliases;  // Text to mlir_attr_t *, mlir_type_t *.
  int64_t pending_location_count;          // Of attr_aliases: not yet defined.
  pod_map_t *resources;                    // Key to a STRING attribute of raw bytes.
  pod_map_t *op_names;                     // Spelling to mlir_op_names_t *.
  mlir_pending_resource_t *pending_resources;
  int64_t pending_resource_count, pending_resource_capacity;
  POD_LIST(mlir_position_t)
  operand_positions;     // A stack: the operands of the open operations.
  int32_t operand_base;  // Where those of the innermost open operation start.
  int64_t expansion, expansion_max;
} mlir_parse_state_t;

struct mlir_parser_t {
  mlir_module_t *module;
  const char *begin, *at, *end;
  mlir_position_t origin;  // Of `begin`; 0 when the text is not the source's.
  int depth;
  mlir_parse_state_t *state;  // NULL for the body of an attribute.
  const void **scratch;       // A stack of pointers for lists being read.
  int64_t scratch_count, scratch_capacity;
};

// A list being read: what lies on the scratch stack above `base`.
void mlir_scratch_push(mlir_parser_t *parser, const void *item);
// Takes everything above `base` as an array in the arena.
const void **mlir_scratch_take(mlir_parser_t *parser, int64_t base, int64_t *out_count);

// --- lexer.c ---

void mlir_lex_skip(mlir_parser_t *parser);
mlir_position_t mlir_lex_position_of(const mlir_parser_t *parser, const char *at);
POD_MUST_USE POD_PRINTF(3, 4) pod_status_t
    mlir_lex_error(mlir_parser_t *parser, const char *at, const char *format, ...);
// The bytes between the quotes, still escaped; takes them.
POD_MUST_USE pod_status_t mlir_lex_raw_string(mlir_parser_t *parser,
                                              const char **out_bytes, int64_t *out_length,
                                              bool *out_is_escaped);
POD_MUST_USE pod_status_t mlir_lex_string(mlir_parser_t *parser, const char **out_text,
                                          int64_t *out_length);
// One past a bracketed text that starts at `at` with one of ( [ { <; strings and comments
// are honoured.
POD_MUST_USE pod_status_t mlir_lex_balanced(mlir_parser_t *parser, const char *at,
                                            const char **out_end);
// The text from `start` to `end` with blanks for its comments; in the arena.
char *mlir_lex_copy(mlir_parser_t *parser, const char *start, const char *end);
// The end of the longest run of identifier characters ([A-Za-z0-9_$.-]) at `at`; a `-`
// only when `with_dash`.
const char *mlir_lex_word_end(const char *at, bool with_dash);
// One level deeper; an error beyond MLIR_DEPTH_MAX.
POD_MUST_USE pod_status_t mlir_lex_enter(mlir_parser_t *parser, int levels);

// --- number.c ---

typedef struct mlir_number_t {
  bool is_real, is_hex, is_negative;
  bool overflows;      // The integer does not fit 64 bits.
  uint64_t magnitude;  // Integers.
  double real;
} mlir_number_t;

// Reads a number at *at and moves behind it; false when there is none.
bool mlir_scan_number(const char **at, mlir_number_t *out_number);

// An integer as an element of `dtype`: two's complement in the low bits, sign-extended
// for signed types. False when it is out of range: signless integers take what fits as
// signed or as unsigned.
bool mlir_number_as_integer(const mlir_number_t *number, tensor_dtype_t dtype,
                            int64_t *out_value);

// --- dense.c ---

// What follows `dense` or `dense_resource`.
POD_MUST_USE pod_status_t mlir_parse_dense(mlir_parser_t *parser, mlir_attr_t *attr);
POD_MUST_USE pod_status_t mlir_parse_dense_resource(mlir_parser_t *parser,
                                                    mlir_attr_t *attr);
// Elements below 8 bits, of which a byte has the low bits: with the sign, where they have
// one; booleans as 0 and 1.
void mlir_dense_clean(tensor_dtype_t dtype, const unsigned char *from, unsigned char *to,
                      int64_t count);
// {-# dialect_resources: … #-}
POD_MUST_USE pod_status_t mlir_parse_resources(mlir_parser_t *parser);
POD_MUST_USE pod_status_t mlir_resolve_resources(mlir_parser_t *parser);

// --- parser_attr.c ---

// The attribute that an alias stands for; NULL when it is not defined so far.
const mlir_attr_t *mlir_find_attr_alias(const mlir_parser_t *parser, const char *name,
                                        size_t length);

// Counts a reference to something that stands elsewhere.
POD_MUST_USE pod_status_t mlir_count_alias(mlir_parser_t *parser, const char *at,
                                           int32_t height, int64_t weight);
// loc(…), also loc(#alias) before the alias is known.
POD_MUST_USE pod_status_t mlir_parse_location(mlir_parser_t *parser,
                                              const mlir_attr_t **out_attr);
// { … } as a DICTIONARY.
POD_MUST_USE pod_status_t mlir_parse_dictionary(mlir_parser_t *parser,
                                                const mlir_attr_t **out_attr);

// --- scope.c ---

void mlir_scope_deinit(mlir_scope_t *scope);
const mlir_binding_t *mlir_scope_find(const mlir_scope_t *scope, const char *name,
                                      size_t length);
void mlir_scope_add(mlir_scope_t *scope, const mlir_binding_t *binding);
// Forgets the bindings from `count` on.
void mlir_scope_leave(mlir_scope_t *scope, uint32_t count);
POD_MUST_USE pod_status_t mlir_define_values(mlir_parser_t *parser, const char *name,
                                             size_t length, mlir_position_t position,
                                             mlir_value_t *values, uint32_t count);

// --- parser_op.c ---

POD_MUST_USE pod_status_t mlir_parse_op(mlir_parser_t *parser, mlir_block_t *block);
// The operations of a module up to the end of the text.
POD_MUST_USE pod_status_t mlir_parse_top(mlir_parser_t *parser);

// --- builtin_syntax.c ---

// The pretty forms of builtin.module, func.func, func.call and func.return; NULL for
// others.
const mlir_syntax_t *mlir_builtin_syntax(const char *name);

#endif  // COMMON_MLIR_PARSER_PRIVATE_H_
