// Custom calls by which JAX asks LAPACK on a CPU, lapack_<type><routine>_ffi: what
// jax.jit(f).lower(...) writes on a machine without a TPU. Those whose results the rows
// of the table have become these rows; what they give besides is LAPACK's: pivots counted
// from 1, `info` 0. Where a matrix cannot be decomposed the results are NaN, which JAX
// would make of them by `info`.

#include <string.h>

#include "common/base/check.h"
#include "common/mlir/diagnostic.h"
#include "server/compiler/dialect/attributes.h"
#include "server/compiler/legalize/expander.h"

static const mlir_attr_t *config_of(const mlir_op_t *call, const char *name) {
  const mlir_attr_t *config = mlir_op_attr(call, "mhlo.backend_config");
  if (!mlir_attr_is(config, MLIR_ATTR_DICTIONARY)) {
    config = mlir_op_attr(call, "backend_config");
  }
  const mlir_attr_t *value =
      mlir_attr_is(config, MLIR_ATTR_DICTIONARY) ? mlir_attr_get(config, name) : NULL;
  return mlir_attr_is(value, MLIR_ATTR_INTEGER) ? value : NULL;
}

// A letter of LAPACK's among `letters`.
static pod_status_t letter_of(expander_t *expander, const char *name, const char *letters,
                              char *out_letter) {
  const mlir_attr_t *value = config_of(expander->op, name);
  const int64_t letter = value == NULL ? 0 : value->integer;
  if (letter <= 0 || letter > 127 || strchr(letters, (int)letter) == NULL) {
    return mlir_op_error(expander->module, expander->op, POD_INVALID_ARGUMENT,
                         "'mhlo.backend_config' lacks '%s', the code of a letter of %s",
                         name, letters);
  }
  *out_letter = (char)letter;
  return NULL;
}

static mlir_op_t *emit(expander_t *expander, const char *name, int operand_count,
                       int result_count, const mlir_type_t *const *types,
                       mlir_value_t **out_results) {
  mlir_op_t *call = expander->op;
  mlir_op_t *op = mlir_op_create(expander->module, mlir_intern(expander->module, name),
                                 operand_count, call->operands, result_count, types, 0);
  op->position = call->position;
  op->location = call->location;
  mlir_block_insert_before(call, op);
  for (int i = 0; i < result_count; i++) {
    out_results[i] = &op->results[i];
  }
  return op;
}

static void set_flag(expander_t *expander, mlir_op_t *op, const char *name, bool value) {
  expand_set_attr(expander, op, name, mlir_attr_bool(expander->module, value));
}

// Result `index` is `info`: that it went well.
static void succeed(expander_t *expander, int index, mlir_value_t **out_results) {
  out_results[index] = expand_emit_splat(expander, expander->op->results[index].type, 0);
}

typedef struct types_t {
  const mlir_type_t *of[4];
} types_t;

static types_t types_of(const mlir_op_t *call) {
  types_t types = {{0}};
  for (int i = 0; i < call->result_count && i < 4; i++) {
    types.of[i] = call->results[i].type;
  }
  return types;
}

// (a) -> (a, taus)
static pod_status_t lapack_qr(expander_t *expander, mlir_value_t **out_results) {
  emit(expander, "podium.qr", 1, 2, types_of(expander->op).of, out_results);
  return NULL;
}

// (a, taus) -> q
static pod_status_t lapack_product(expander_t *expander, mlir_value_t **out_results) {
  emit(expander, "podium.householder_product", 2, 1, types_of(expander->op).of,
       out_results);
  return NULL;
}

// (a) -> (lu, pivots from 1, info)
static pod_status_t lapack_lu(expander_t *expander, mlir_value_t **out_results) {
  types_t types = types_of(expander->op);
  const tensor_shape_t *a = &expander->op->operands[0]->type->shape;
  tensor_shape_t rows = *a;
  if (a->rank < 2) {
    return mlir_op_error(expander->module, expander->op, POD_INVALID_ARGUMENT,
                         "takes matrices, of rank 2 or more");
  }
  rows.rank--;
  rows.dtype = TENSOR_S32;
  types.of[2] = mlir_type_tensor(expander->module, &rows);
  mlir_value_t *results[3];
  emit(expander, "podium.lu", 1, 3, types.of, results);
  out_results[0] = results[0];
  out_results[1] = expand_emit_binary(expander, "stablehlo.add", results[1],
                                      expand_emit_splat(expander, types.of[1], 1));
  succeed(expander, 2, out_results);
  return NULL;
}

// (a) -> (vectors, values, info)
static pod_status_t lapack_eigh(expander_t *expander, mlir_value_t **out_results) {
  char triangle;
  POD_TRY(letter_of(expander, "uplo", "LU", &triangle));
  mlir_op_t *op =
      emit(expander, "podium.eigh", 1, 2, types_of(expander->op).of, out_results);
  set_flag(expander, op, "lower", triangle == 'L');
  set_flag(expander, op, "sorted", true);
  succeed(expander, 2, out_results);
  return NULL;
}

// (a) -> (l, info)
static pod_status_t lapack_cholesky(expander_t *expander, mlir_value_t **out_results) {
  char triangle;
  POD_TRY(letter_of(expander, "uplo", "LU", &triangle));
  mlir_op_t *op =
      emit(expander, "stablehlo.cholesky", 1, 1, types_of(expander->op).of, out_results);
  set_flag(expander, op, "lower", triangle == 'L');
  succeed(expander, 1, out_results);
  return NULL;
}

// (a, b) -> x
static pod_status_t lapack_solve(expander_t *expander, mlir_value_t **out_results) {
  char side, triangle, transpose, diagonal;
  POD_TRY(letter_of(expander, "side", "LR", &side));
  POD_TRY(letter_of(expander, "uplo", "LU", &triangle));
  POD_TRY(letter_of(expander, "trans_x", "NTC", &transpose));
  POD_TRY(letter_of(expander, "diag", "NU", &diagonal));
  mlir_op_t *op = emit(expander, "stablehlo.triangular_solve", 2, 1,
                       types_of(expander->op).of, out_results);
  set_flag(expander, op, "left_side", side == 'L');
  set_flag(expander, op, "lower", triangle == 'L');
  set_flag(expander, op, "unit_diagonal", diagonal == 'U');
  expand_set_attr(expander, op, "transpose_a",
                  stablehlo_make_enum(expander->module, op, "transpose",
                                      transpose == 'N'   ? "NO_TRANSPOSE"
                                      : transpose == 'T' ? "TRANSPOSE"
                                                         : "ADJOINT"));
  return NULL;
}

// --- The table ---

// `types` are the letters of the element types that LAPACK has it for.
static const struct {
  const char *types, *routine;
  int operand_count, result_count;
  expand_fn_t expand;
} routines[] = {
    {"sdcz", "geqrf", 1, 2, lapack_qr},       {"sd", "orgqr", 2, 1, lapack_product},
    {"cz", "ungqr", 2, 1, lapack_product},    {"sdcz", "getrf", 1, 3, lapack_lu},
    {"sd", "syevd", 1, 3, lapack_eigh},       {"cz", "heevd", 1, 3, lapack_eigh},
    {"sdcz", "potrf", 1, 2, lapack_cholesky}, {"sdcz", "trsm", 2, 1, lapack_solve},
};

expand_fn_t expand_find_lapack(const mlir_op_t *call, const char *target) {
  static const char prefix[] = "lapack_", suffix[] = "_ffi";
  const size_t length = strlen(target), before = strlen(prefix);
  if (strncmp(target, prefix, before) != 0 || length <= before + 1 + strlen(suffix) ||
      strcmp(target + length - strlen(suffix), suffix) != 0) {
    return NULL;
  }
  const char *routine = target + before + 1;
  const size_t size = length - before - 1 - strlen(suffix);
  for (size_t i = 0; i < POD_COUNT_OF(routines); i++) {
    if (strchr(routines[i].types, target[before]) != NULL &&
        strlen(routines[i].routine) == size &&
        strncmp(routine, routines[i].routine, size) == 0 &&
        call->operand_count == routines[i].operand_count &&
        call->result_count == routines[i].result_count) {
      return routines[i].expand;
    }
  }
  return NULL;
}
