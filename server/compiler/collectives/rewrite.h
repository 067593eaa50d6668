// What the rewrites of this folder share: a copy of the program that they change, the
// reasons that they give, uses of values, and the making of collectives.
//
// Private to the folder. Threading: pure.

#ifndef SERVER_COMPILER_COLLECTIVES_REWRITE_H_
#define SERVER_COMPILER_COLLECTIVES_REWRITE_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/list.h"
#include "common/mlir/ir.h"
#include "common/mlir/replacements.h"
#include "server/compiler/collectives/collectives.h"

typedef struct rewrite_t {
  mlir_module_t *module;  // The copy that is changed.
  mlir_op_t *main;
  const compiler_partitioned_t *partitioned;  // Of it: groups, devices.
  const clusters_clock_t *clock;
  // By channel, as in compiler_partitioned_t; what a rewrite makes adds its own.
  POD_LIST(const char *) reasons;
  // The reasons of collectives that it would change: told if nothing comes of it.
  POD_LIST(int64_t) touched;
  int variants;         // Ways to rewrite one thing, sites in a row; 0: one.
  const char *summary;  // What it has done, "12 all_reduce become 2"; in the arena.
} rewrite_t;

typedef enum rewrite_outcome_t {
  REWRITE_NO_SITE = 0,  // There are fewer sites.
  REWRITE_NOTHING,      // Nothing to do here.
  REWRITE_DONE,
} rewrite_outcome_t;

// --- The rewrites. Each has sites, from 0, that are tried one by one: it does what it
// does there, on rewrite->module, and says so in rewrite->summary. ---

// combine.c: collectives of a kind become one; a site is a bound of its bytes.
rewrite_outcome_t rewrite_combine(rewrite_t *rewrite, int site);
// scatter.c: an all_reduce of which each chip keeps a slice becomes a reduce_scatter; one
// site.
rewrite_outcome_t rewrite_scatter(rewrite_t *rewrite, int site);

// sink.c: what is added up is reduced once: the sum of two, sums that a loop carries, and
// what loops put into stacks that are added up behind them.
// Site 0: all_reduces; site 1: reduce_scatters, whose operands a loop then carries whole.
rewrite_outcome_t rewrite_sums(rewrite_t *rewrite, int site);
rewrite_outcome_t rewrite_sink(rewrite_t *rewrite, int site);
// ahead.c: collectives of a loop, and what it fetches from the host's memory, that need
// only its counter are done a turn ahead; a site is one of the two in a loop.
rewrite_outcome_t rewrite_ahead(rewrite_t *rewrite, int site);

// matmul.c: products in a ring in place of a collective before or behind them; sites are
// kinds of products, in two directions and in one.
rewrite_outcome_t rewrite_matmul(rewrite_t *rewrite, int site);

// --- rewrite.c ---

// The reason of a collective that was there: an index into `reasons`, or -1.
int64_t rewrite_reason_of(const rewrite_t *rewrite, const mlir_op_t *op);

// Says that the rewrite changes `op`, which was there.
void rewrite_touch(rewrite_t *rewrite, const mlir_op_t *op);

// Gives `op`, a new collective, a channel of its own and a reason: `why`, and that of
// `from`, a collective which it stands for. Borrows `why` for the call.
void rewrite_explain(rewrite_t *rewrite, mlir_op_t *op, const char *why,
                     const mlir_op_t *from);

// Like `like`, with other operands and results: its attributes, and its reducer. Not yet
// in a block, without a channel.
mlir_op_t *rewrite_collective(rewrite_t *rewrite, const mlir_op_t *like,
                              int operand_count, mlir_value_t *const *operands,
                              int result_count, const mlir_type_t *const *types);

// An operation with one result, put before `where`.
mlir_value_t *rewrite_emit(rewrite_t *rewrite, mlir_op_t *where, const char *name,
                           int operand_count, mlir_value_t *const *operands,
                           const tensor_shape_t *result, mlir_op_t **out_op);
mlir_value_t *rewrite_reshape(rewrite_t *rewrite, mlir_op_t *where, mlir_value_t *value,
                              const tensor_shape_t *shape);

mlir_value_t *rewrite_constant(rewrite_t *rewrite, mlir_op_t *where,
                               const tensor_shape_t *shape, const void *element);

// Whether two collectives of one operand each do the same over the same groups with the
// same element type; `along_any`: scattered along whichever dimension.
bool rewrite_are_alike(const mlir_op_t *a, const mlir_op_t *b, bool along_any);

// Puts a loop in the place of `loop`, a while, that carries `count` values more, which
// the body returns as they came. What is returned for them, the caller sets. Results of
// the old loop are replaced.
mlir_op_t *rewrite_extend_loop(rewrite_t *rewrite, mlir_op_t *loop, int count,
                               mlir_value_t *const *inits,
                               mlir_replacements_t *replacements);

// How often each value is read, and by whom last. Of values that were there when it was
// made.
typedef struct rewrite_uses_t {
  int32_t *counts;      // By value id.
  mlir_op_t **readers;  // By value id; NULL: none.
  uint32_t value_count;
} rewrite_uses_t;
void rewrite_uses_init(rewrite_uses_t *uses, const rewrite_t *rewrite);
void rewrite_uses_deinit(rewrite_uses_t *uses);

// From now on `by` is read where `value` was.
void rewrite_uses_move(rewrite_uses_t *uses, const mlir_value_t *value,
                       const mlir_value_t *by);

static inline bool rewrite_is_read_once(const rewrite_uses_t *uses,
                                        const mlir_value_t *value) {
  return value->id < uses->value_count && uses->counts[value->id] == 1;
}

// Replaces operands in all of main.
void rewrite_replace(const rewrite_t *rewrite, mlir_replacements_t *replacements);

// The groups of a collective over the program's devices: all in one where it names none.
// Its ids are in the arena. False: they cannot be read.
bool rewrite_groups(const rewrite_t *rewrite, const mlir_op_t *op, int64_t *out_count,
                    int64_t *out_size, const int64_t **out_ids);

static inline const tensor_shape_t *rewrite_shape(const mlir_value_t *value) {
  return &value->type->shape;
}

#endif  // SERVER_COMPILER_COLLECTIVES_REWRITE_H_
