// A collective that adds up over chips, with linear operations behind it: what they make
// of the sum, they may as well make of each chip's summand before it is added.
//
// Private to the folder. Threading: pure.

#ifndef SERVER_COMPILER_COLLECTIVES_CHAIN_H_
#define SERVER_COMPILER_COLLECTIVES_CHAIN_H_

#include "server/compiler/collectives/rewrite.h"
#include "server/program/operations.h"

enum { CHAIN_MAX = 12 };

// An all_reduce or reduce_scatter, and what is done to its result: the last first.
typedef struct chain_t {
  mlir_op_t *collective;
  int count;
  mlir_op_t *ops[CHAIN_MAX];
  // Of a reduce_scatter: into how many parts it cuts, and along which dimension of what
  // is made of its result behind ops[i], of the result itself behind ops[count].
  int64_t parts;
  int dims[CHAIN_MAX + 1];
} chain_t;

// Whether `op` is linear and may be a chain's: it gives no more elements than it takes,
// or puts them at a place among zeros.
bool chain_may_pass(const mlir_op_t *op);

// The chain of `kind`, in `block`, that ends with `value`; nobody else reads what is
// between. False: there is none.
bool chain_find(const rewrite_t *rewrite, const rewrite_uses_t *uses, chip_op_t kind,
                const mlir_value_t *value, const mlir_block_t *block, chain_t *out_chain);

// How many elements the collective reduces where it is, and behind the operations.
int64_t chain_elements(const chain_t *chain);
int64_t chain_elements_behind(const chain_t *chain);

// Whether the same collective may be behind the operations of both.
bool chain_are_alike(const chain_t *a, const chain_t *b);

// What the collective takes, with all of the chain done to it, before `where`.
mlir_value_t *chain_do(rewrite_t *rewrite, const chain_t *chain, mlir_op_t *where);

// The chain's collective behind its operations: of `value`, before `where`.
mlir_value_t *chain_reduce(rewrite_t *rewrite, const chain_t *chain, mlir_value_t *value,
                           const mlir_type_t *type, const char *why, mlir_op_t *where);

#endif  // SERVER_COMPILER_COLLECTIVES_CHAIN_H_
