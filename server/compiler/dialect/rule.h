// #sdy.op_sharding_rule, as users give it to their custom calls: which dimensions of the
// operands and results are the same thing.
//
//   ([i, k], [k, j])->([i, j]) {i=8, j=16, k=4} reduction={k}, custom
//
// Ownership: in the module's arena. Threading: pure.

#ifndef SERVER_COMPILER_DIALECT_RULE_H_
#define SERVER_COMPILER_DIALECT_RULE_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/mlir/ir.h"

#define COMPILER_RULE_ATTR "sdy.sharding_rule"

// Of a podium.kernel that was cut by its rule: into how many pieces.
#define KERNEL_SHARDS_ATTR "shards"
// Of an rng_bit_generator that draws a part: the sizes of the whole. Behind its state it
// has where the part begins, a scalar s32 for every dimension.
#define RANDOM_WHOLE_ATTR "podium.whole"

typedef enum rule_factor_kind_t {
  RULE_FACTOR_PASS = 0,
  RULE_FACTOR_REDUCTION,
  RULE_FACTOR_REPLICATION,
  RULE_FACTOR_PERMUTATION,
} rule_factor_kind_t;

typedef struct rule_factor_t {
  const char *name;  // "i", "z_1".
  int64_t size;      // >= 0.
  rule_factor_kind_t kind;
  bool is_blocked;  // No sharding spreads along it.
} rule_factor_t;

typedef struct rule_dim_t {
  int count;  // Major to minor.
  const int *factors;
} rule_dim_t;

typedef struct rule_tensor_t {
  int rank;
  const rule_dim_t *dims;
} rule_tensor_t;

typedef struct compiler_rule_t {
  int factor_count;
  const rule_factor_t *factors;
  int operand_count, result_count;
  const rule_tensor_t *operands, *results;
} compiler_rule_t;

// What the operation's attribute says. INVALID_ARGUMENT, at the place, for what is no
// rule, and for one that does not fit: the number of operands and results, their ranks,
// the sizes of dimensions of several factors, a reduced factor in a result.
POD_MUST_USE pod_status_t compiler_parse_rule(mlir_module_t *module, const mlir_op_t *op,
                                              const compiler_rule_t **out_rule);

#endif  // SERVER_COMPILER_DIALECT_RULE_H_
