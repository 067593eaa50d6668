// The rule that the user gives to a kernel or custom call of his (sdy.sharding_rule);
// without one it needs everything whole.

#include "server/compiler/dialect/rule.h"
#include "server/compiler/partition/factors_builder.h"

static factor_kind_t kind_of(rule_factor_kind_t kind) {
  switch (kind) {
    case RULE_FACTOR_REDUCTION:
      return FACTOR_REDUCTION;
    case RULE_FACTOR_REPLICATION:
      return FACTOR_REPLICATE;
    case RULE_FACTOR_PERMUTATION:
      return FACTOR_PERMUTATION;
    case RULE_FACTOR_PASS:
      break;
  }
  return FACTOR_PASS;
}

// Factors without elements are left out, as nothing can split them.
static void map_tensor(pod_arena_t *arena, const factors_t *factors,
                       const rule_tensor_t *from, const tensor_shape_t *shape,
                       factor_tensor_t *to) {
  for (int d = 0; d < from->rank && shape->dims[d] > 0; d++) {
    for (int i = 0; i < from->dims[d].count; i++) {
      if (factors->factors[from->dims[d].factors[i]].size > 0) {
        factors_append(arena, to, d, from->dims[d].factors[i]);
      }
    }
  }
}

pod_status_t factors_kernel(mlir_module_t *module, const mlir_op_t *op,
                            pod_arena_t *arena, factors_t **out) {
  factors_t *factors = factors_begin(arena, op);
  *out = factors;
  if (mlir_op_attr(op, COMPILER_RULE_ATTR) == NULL) {
    return NULL;
  }
  const compiler_rule_t *rule;
  POD_TRY(compiler_parse_rule(module, op, &rule));
  for (int f = 0; f < rule->factor_count; f++) {
    const int added = factors_add(arena, factors, rule->factors[f].size,
                                  kind_of(rule->factors[f].kind));
    factors->factors[added].is_blocked = rule->factors[f].is_blocked;
  }
  for (int i = 0; i < op->operand_count; i++) {
    map_tensor(arena, factors, &rule->operands[i], factors_shape(op->operands[i]),
               &factors->operands[i]);
  }
  for (int i = 0; i < op->result_count; i++) {
    map_tensor(arena, factors, &rule->results[i], factors_shape(&op->results[i]),
               &factors->results[i]);
  }
  return NULL;
}
