// Custom calls by which JAX asks a TPU for decompositions of matrices become rows of the
// table of operations. What the targets take and give is that of JAX's lowering rules for
// TPU (jax/_src/lax/linalg.py, jax/_src/tpu/linalg): Qr gives LAPACK's reflectors and
// taus, LuDecomposition 0-based pivots and the permutation, Eigh vectors before values.

#include <string.h>

#include "common/base/check.h"
#include "common/mlir/diagnostic.h"
#include "server/compiler/legalize/expander.h"

static const struct {
  const char *target, *name;
  int operand_count;
} rows[] = {
    {"Eigh", "podium.eigh", 1},
    {"LuDecomposition", "podium.lu", 1},
    {"ProductOfElementaryHouseholderReflectors", "podium.householder_product", 2},
    {"Qr", "podium.qr", 1},
};

// The row of the call, before it, of its types: the verifier looks at them. Where sizes
// were open JAX adds the shapes of the results behind the operands, which are known now.
static mlir_op_t *emit_row(expander_t *expander, mlir_value_t **out_results) {
  enum { RESULTS_MAX = 8 };
  mlir_op_t *call = expander->op;
  const mlir_attr_t *target = mlir_op_attr(call, "call_target_name");
  size_t row = 0;
  while (strcmp(target->text, rows[row].target) != 0) {
    row++;
  }
  const bool has_shapes = mlir_op_attr(call, "indices_of_shape_operands") != NULL &&
                          call->operand_count > rows[row].operand_count;
  const mlir_type_t *types[RESULTS_MAX];
  const int count = call->result_count < RESULTS_MAX ? call->result_count : RESULTS_MAX;
  for (int i = 0; i < count; i++) {
    types[i] = call->results[i].type;
  }
  mlir_op_t *op =
      mlir_op_create(expander->module, mlir_intern(expander->module, rows[row].name),
                     has_shapes ? rows[row].operand_count : call->operand_count,
                     call->operands, count, types, 0);
  op->position = call->position;
  op->location = call->location;
  mlir_block_insert_before(call, op);
  for (int i = 0; i < call->result_count; i++) {
    out_results[i] = &op->results[i];
  }
  return op;
}

// With a result too many or too few it is refused before one is asked for.
static pod_status_t check_results(expander_t *expander, int count) {
  return expander->op->result_count == count
             ? NULL
             : mlir_op_error(expander->module, expander->op, POD_INVALID_ARGUMENT,
                             "target @%s gives %d values, not %d",
                             mlir_op_attr(expander->op, "call_target_name")->text, count,
                             expander->op->result_count);
}

pod_status_t expand_decomposition(expander_t *expander, mlir_value_t **out_results) {
  const char *target = mlir_op_attr(expander->op, "call_target_name")->text;
  POD_TRY(check_results(expander, target[0] == 'L' ? 3 : target[0] == 'Q' ? 2 : 1));
  emit_row(expander, out_results);
  return NULL;
}

static bool is_flag(char c) {
  return c == '0' || c == '1';
}

// "lower,sorted,sweeps,tolerance", as JAX has it for Jacobi's method: which triangle is
// read, and whether the eigenvalues are in ascending order. The others bound an error
// that ours is below.
pod_status_t expand_eigh(expander_t *expander, mlir_value_t **out_results) {
  POD_TRY(check_results(expander, 2));
  const mlir_attr_t *config = mlir_op_attr(expander->op, "backend_config");
  const char *text = mlir_attr_is(config, MLIR_ATTR_STRING) ? config->text : "";
  if (!is_flag(text[0]) || text[1] != ',' || !is_flag(text[2]) || text[3] != ',') {
    return mlir_op_error(expander->module, expander->op, POD_INVALID_ARGUMENT,
                         "target @Eigh needs 'backend_config' that begins with two of 0 "
                         "and 1 (whether it reads the lower triangle, whether it sorts), "
                         "such as \"1,1,100,1e-6\", not \"%s\"",
                         text);
  }
  mlir_op_t *op = emit_row(expander, out_results);
  expand_set_attr(expander, op, "lower",
                  mlir_attr_bool(expander->module, text[0] == '1'));
  expand_set_attr(expander, op, "sorted",
                  mlir_attr_bool(expander->module, text[2] == '1'));
  return NULL;
}
