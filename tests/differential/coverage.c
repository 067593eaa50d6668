#include "tests/differential/coverage.h"

#include <math.h>
#include <string.h>

#include "common/base/check.h"
#include "common/mlir/walk.h"
#include "server/compiler/legalize/expander.h"
#include "server/program/operations.h"
#include "tests/differential/generate.h"
#include "tests/differential/reference_scalar.h"

enum {
  PRED = GENERATE_PRED,
  SIGNED = GENERATE_SIGNED,
  INTEGER = GENERATE_INTEGER,
  FLOAT = GENERATE_FLOAT,
  COMPLEX = GENERATE_COMPLEX,
  REAL = GENERATE_REAL,
  NUMBER = GENERATE_NUMBER,
  ANY = GENERATE_ANY,
  SINGLE_DOUBLE = 1 << 10,  // f32 and f64.
  WORD = 1 << 11,           // ui64.
  BOUNDED = 1 << 12,        // Floats without infinity.
  POWERS = 1 << 13,         // f8E8M0FNU.
  RESULT = -1,
};

// The element types that an operation takes by the specification, CHLO by the description
// of its dialect, without quantized ones. Of which operand, or of the result.
static const struct {
  const char *name;
  int classes, where;
} types[] = {
    {"chlo.acos", FLOAT | COMPLEX, 0},
    {"chlo.acosh", FLOAT | COMPLEX, 0},
    {"chlo.asin", FLOAT | COMPLEX, 0},
    {"chlo.asinh", FLOAT | COMPLEX, 0},
    {"chlo.atan", FLOAT | COMPLEX, 0},
    {"chlo.atanh", FLOAT | COMPLEX, 0},
    {"chlo.bessel_i1e", FLOAT, 0},
    {"chlo.broadcast_add", ANY, 0},
    {"chlo.broadcast_and", PRED | INTEGER, 0},
    {"chlo.broadcast_atan2", FLOAT | COMPLEX, 0},
    {"chlo.broadcast_compare", ANY, 0},
    {"chlo.broadcast_complex", SINGLE_DOUBLE, 0},
    {"chlo.broadcast_divide", NUMBER, 0},
    {"chlo.broadcast_maximum", ANY, 0},
    {"chlo.broadcast_minimum", ANY, 0},
    {"chlo.broadcast_multiply", ANY, 0},
    {"chlo.broadcast_next_after", FLOAT, 0},
    {"chlo.broadcast_or", PRED | INTEGER, 0},
    {"chlo.broadcast_polygamma", FLOAT, 0},
    {"chlo.broadcast_power", NUMBER, 0},
    {"chlo.broadcast_remainder", REAL, 0},
    {"chlo.broadcast_select", ANY, 1},
    {"chlo.broadcast_shift_left", INTEGER, 0},
    {"chlo.broadcast_shift_right_arithmetic", INTEGER, 0},
    {"chlo.broadcast_shift_right_logical", INTEGER, 0},
    {"chlo.broadcast_subtract", NUMBER, 0},
    {"chlo.broadcast_xor", PRED | INTEGER, 0},
    {"chlo.broadcast_zeta", FLOAT, 0},
    {"chlo.conj", FLOAT | COMPLEX, 0},
    {"chlo.constant", ANY, RESULT},
    {"chlo.cosh", FLOAT | COMPLEX, 0},
    {"chlo.digamma", FLOAT, 0},
    {"chlo.erf", FLOAT, 0},
    {"chlo.erf_inv", FLOAT, 0},
    {"chlo.erfc", FLOAT, 0},
    {"chlo.is_inf", FLOAT, 0},
    {"chlo.is_neg_inf", FLOAT, 0},
    {"chlo.is_pos_inf", FLOAT, 0},
    {"chlo.lgamma", FLOAT, 0},
    {"chlo.mulhi", INTEGER, 0},
    {"chlo.next_after", FLOAT, 0},
    {"chlo.polygamma", FLOAT, 0},
    {"chlo.ragged_dot", ANY, 0},
    {"chlo.scan", ANY, RESULT},
    {"chlo.sinh", FLOAT | COMPLEX, 0},
    {"chlo.square", FLOAT | COMPLEX, 0},
    {"chlo.tan", FLOAT | COMPLEX, 0},
    {"chlo.top_k", REAL, 0},
    {"chlo.zeta", FLOAT, 0},
    {"func.call", ANY, RESULT},
    {"stablehlo.abs", SIGNED | FLOAT | COMPLEX, 0},
    {"stablehlo.add", ANY, 0},
    {"stablehlo.after_all", 0, RESULT},
    {"stablehlo.all_gather", ANY, 0},
    {"stablehlo.all_reduce", ANY, 0},
    {"stablehlo.all_to_all", ANY, 0},
    {"stablehlo.and", PRED | INTEGER, 0},
    {"stablehlo.async_done", ANY, RESULT},
    {"stablehlo.async_start", ANY, 0},
    {"stablehlo.atan2", FLOAT | COMPLEX, 0},
    {"stablehlo.batch_norm_grad", FLOAT, 0},
    {"stablehlo.batch_norm_inference", FLOAT, 0},
    {"stablehlo.batch_norm_training", FLOAT, 0},
    {"stablehlo.bitcast_convert", ANY, 0},
    {"stablehlo.broadcast", ANY, 0},
    {"stablehlo.broadcast_in_dim", ANY, 0},
    {"stablehlo.case", ANY, RESULT},
    {"stablehlo.cbrt", FLOAT | COMPLEX, 0},
    {"stablehlo.ceil", FLOAT, 0},
    {"stablehlo.cholesky", FLOAT | COMPLEX, 0},
    {"stablehlo.clamp", ANY, 1},
    {"stablehlo.collective_broadcast", ANY, 0},
    {"stablehlo.collective_permute", ANY, 0},
    {"stablehlo.collective_reduce", ANY, 0},
    {"stablehlo.compare", ANY, 0},
    {"stablehlo.complex", SINGLE_DOUBLE, 0},
    {"stablehlo.composite", ANY, RESULT},
    {"stablehlo.concatenate", ANY, 0},
    {"stablehlo.constant", ANY, RESULT},
    {"stablehlo.convert", ANY, 0},
    {"stablehlo.convert", ANY, RESULT},
    {"stablehlo.convolution", ANY, 0},
    {"stablehlo.cosine", FLOAT | COMPLEX, 0},
    {"stablehlo.count_leading_zeros", INTEGER, 0},
    {"stablehlo.create_token", 0, RESULT},
    {"stablehlo.custom_call", ANY, RESULT},
    {"stablehlo.divide", NUMBER, 0},
    {"stablehlo.dot", ANY, 0},
    {"stablehlo.dot_general", ANY, 0},
    {"stablehlo.dynamic_broadcast_in_dim", ANY, 0},
    {"stablehlo.dynamic_conv", ANY, 0},
    {"stablehlo.dynamic_gather", ANY, 0},
    {"stablehlo.dynamic_iota", NUMBER, RESULT},
    {"stablehlo.dynamic_pad", ANY, 0},
    {"stablehlo.dynamic_reshape", ANY, 0},
    {"stablehlo.dynamic_slice", ANY, 0},
    {"stablehlo.dynamic_update_slice", ANY, 0},
    {"stablehlo.erf", FLOAT, 0},
    {"stablehlo.erf_inv", FLOAT, 0},
    {"stablehlo.exponential", FLOAT | COMPLEX, 0},
    {"stablehlo.exponential_minus_one", FLOAT | COMPLEX, 0},
    {"stablehlo.fft", SINGLE_DOUBLE | COMPLEX, 0},
    {"stablehlo.floor", FLOAT, 0},
    {"stablehlo.gather", ANY, 0},
    {"stablehlo.gather", INTEGER, 1},
    {"stablehlo.get_dimension_size", ANY, 0},
    {"stablehlo.get_tuple_element", ANY, RESULT},
    {"stablehlo.if", ANY, RESULT},
    {"stablehlo.imag", FLOAT | COMPLEX, 0},
    {"stablehlo.iota", NUMBER, RESULT},
    {"stablehlo.is_finite", FLOAT, 0},
    {"stablehlo.log", FLOAT | COMPLEX, 0},
    {"stablehlo.log_plus_one", FLOAT | COMPLEX, 0},
    {"stablehlo.logistic", FLOAT | COMPLEX, 0},
    {"stablehlo.map", ANY, 0},
    {"stablehlo.maximum", ANY, 0},
    {"stablehlo.minimum", ANY, 0},
    {"stablehlo.multiply", ANY, 0},
    {"stablehlo.negate", NUMBER, 0},
    {"stablehlo.not", PRED | INTEGER, 0},
    {"stablehlo.optimization_barrier", ANY, 0},
    {"stablehlo.or", PRED | INTEGER, 0},
    {"stablehlo.pad", ANY, 0},
    {"stablehlo.partition_id", 0, RESULT},
    {"stablehlo.popcnt", INTEGER, 0},
    {"stablehlo.power", NUMBER, 0},
    {"stablehlo.real", FLOAT | COMPLEX, 0},
    {"stablehlo.real_dynamic_slice", ANY, 0},
    {"stablehlo.reduce", ANY, 0},
    {"stablehlo.reduce_precision", FLOAT, 0},
    {"stablehlo.reduce_scatter", ANY, 0},
    {"stablehlo.reduce_window", ANY, 0},
    {"stablehlo.remainder", REAL, 0},
    {"stablehlo.replica_id", 0, RESULT},
    {"stablehlo.reshape", ANY, 0},
    {"stablehlo.return", ANY, 0},
    {"stablehlo.reverse", ANY, 0},
    {"stablehlo.rng", PRED | REAL, RESULT},
    {"stablehlo.rng_bit_generator", WORD, 0},
    {"stablehlo.round_nearest_afz", FLOAT, 0},
    {"stablehlo.round_nearest_even", FLOAT, 0},
    {"stablehlo.rsqrt", FLOAT | COMPLEX, 0},
    {"stablehlo.scatter", ANY, 0},
    {"stablehlo.select", ANY, 1},
    {"stablehlo.select_and_scatter", ANY, 0},
    {"stablehlo.shift_left", INTEGER, 0},
    {"stablehlo.shift_right_arithmetic", INTEGER, 0},
    {"stablehlo.shift_right_logical", INTEGER, 0},
    {"stablehlo.sign", SIGNED | FLOAT | COMPLEX, 0},
    {"stablehlo.sine", FLOAT | COMPLEX, 0},
    {"stablehlo.slice", ANY, 0},
    {"stablehlo.sort", ANY, 0},
    {"stablehlo.sqrt", FLOAT | COMPLEX, 0},
    {"stablehlo.subtract", NUMBER, 0},
    {"stablehlo.tan", FLOAT | COMPLEX, 0},
    {"stablehlo.tanh", FLOAT | COMPLEX, 0},
    {"stablehlo.transpose", ANY, 0},
    {"stablehlo.triangular_solve", FLOAT | COMPLEX, 0},
    {"stablehlo.tuple", ANY, 0},
    {"stablehlo.while", ANY, 0},
    {"stablehlo.xor", PRED | INTEGER, 0},
};

// What is not generated, or not with these classes (0: not at all).
static const struct {
  const char *name;
  int classes;
  const char *reason;
} exceptions[] = {
    {"chlo.ragged_dot", POWERS, "it has no 0, which other groups would give"},
    {"stablehlo.batch_norm_grad", POWERS, "nothing has a mean in it"},
    {"stablehlo.batch_norm_inference", POWERS, "nothing has a mean in it"},
    {"stablehlo.batch_norm_training", POWERS, "nothing has a mean in it"},
    {"check.expect_almost_eq", 0, "a module's check of itself: tests/conformance"},
    {"check.expect_almost_eq_const", 0, "a module's check of itself: tests/conformance"},
    {"check.expect_close", 0, "a module's check of itself: tests/conformance"},
    {"check.expect_eq", 0, "a module's check of itself: tests/conformance"},
    {"check.expect_eq_const", 0, "a module's check of itself: tests/conformance"},
    {"podium.async_done", 0, "only the compiler writes it"},
    {"podium.copy", 0, "only the compiler writes it"},
    {"podium.dce_sink", 0, "it computes nothing"},
    {"podium.eigh", 0, "only the compiler writes it"},
    {"podium.host_recv", 0, "only the compiler writes it"},
    {"podium.host_send", 0, "only the compiler writes it"},
    {"podium.householder_product", 0, "only the compiler writes it"},
    {"podium.kernel", 0, "no values are computed"},
    {"podium.lu", 0, "only the compiler writes it"},
    {"podium.qr", 0, "only the compiler writes it"},
    {"podium.to_device", 0, "only the compiler writes it"},
    {"podium.to_host", 0, "only the compiler writes it"},
    {"tpu_custom_call", 0, "no values are computed"},
    {"Eigh", 0, "signs and phases are open: unit tests put the matrix together again"},
    {"ragged_all_to_all", 0, "a typed configuration: tests/conformance"},
    {"sdy.all_gather", 0, "a value by another sharding: tests/golden/partition"},
    {"sdy.all_reduce", 0, "a value by another sharding: tests/golden/partition"},
    {"sdy.all_slice", 0, "a value by another sharding: tests/golden/partition"},
    {"sdy.all_to_all", 0, "a value by another sharding: tests/golden/partition"},
    {"sdy.collective_permute", 0, "a value by another sharding: tests/golden/partition"},
    {"sdy.reduce_scatter", 0, "a value by another sharding: tests/golden/partition"},
    {"sdy.replicated_to_unreduced", 0,
     "a value by another sharding: tests/golden/partition"},
    {"sdy.sharded_to_unreduced", 0,
     "a value by another sharding: tests/golden/partition"},
    {"sdy.constant", 0, "another spelling of stablehlo.constant"},
    {"arith.constant", 0, "another spelling of stablehlo.constant"},
    {"sdy.data_flow_edge", 0, "only Shardy's own passes write it"},
    {"sdy.func_data_flow_edge", 0, "only Shardy's own passes write it"},
    {"stablehlo.cholesky", POWERS, "its definite matrices need 0 or signs"},
    {"stablehlo.triangular_solve", POWERS, "its substitution needs 0 or signs"},
    {"stablehlo.reduce_precision", BOUNDED, "what is too large becomes infinite"},
};

// --- What there is ---

static coverage_entry_t *find(coverage_t *coverage, const char *name) {
  for (int i = 0; i < coverage->count; i++) {
    if (strcmp(coverage->entries[i].name, name) == 0) {
      return &coverage->entries[i];
    }
  }
  return NULL;
}

static void add_name(coverage_t *coverage, const char *name) {
  if (find(coverage, name) == NULL) {
    POD_CHECK(coverage->count < COVERAGE_OPS_MAX);
    coverage->entries[coverage->count++] = (coverage_entry_t){.name = name};
  }
}

void coverage_init(coverage_t *coverage) {
  *coverage = (coverage_t){0};
  for (int op = CHIP_OP_INVALID + 1; op < CHIP_OP_COUNT; op++) {
    add_name(coverage, chip_op_name((chip_op_t)op));
  }
  for (int i = 0; expand_operation(i) != NULL; i++) {
    add_name(coverage, expand_operation(i));
  }
  for (int i = 0; expand_custom_target(i) != NULL; i++) {
    add_name(coverage, expand_custom_target(i));
  }
  for (size_t i = 0; i < POD_COUNT_OF(types); i++) {
    add_name(coverage, types[i].name);
  }
}

// --- What is met ---

static uint64_t bit_of(const mlir_type_t *type) {
  return type->kind == MLIR_TYPE_TENSOR ? (uint64_t)1 << type->shape.dtype : 0;
}

// A tuple's or future's members are met with what makes and takes them.
static void add_op(coverage_t *coverage, const mlir_op_t *op, const char *name,
                   pod_text_t *report) {
  coverage_entry_t *entry = find(coverage, name);
  if (entry == NULL) {
    pod_text_printf(report, "%s is in no table\n", name);
    return;
  }
  entry->count++;
  for (int i = 0; i < op->operand_count && i < 3; i++) {
    entry->operands[i] |= bit_of(op->operands[i]->type);
  }
  for (int i = 0; i < op->result_count; i++) {
    entry->result |= bit_of(op->results[i].type);
  }
}

static bool is_frame(const mlir_op_t *op) {
  static const char *const names[] = {"builtin.module", "func.func", "func.return"};
  for (size_t i = 0; i < POD_COUNT_OF(names); i++) {
    if (strcmp(op->name, names[i]) == 0) {
      return true;
    }
  }
  return false;
}

void coverage_add(coverage_t *coverage, const mlir_module_t *module, pod_text_t *report) {
  for (const mlir_op_t *op = mlir_walk_first(module->op); op != NULL;
       op = mlir_walk_next(module->op, op)) {
    if (is_frame(op)) {
      continue;
    }
    add_op(coverage, op, op->name, report);
    const mlir_attr_t *target = mlir_op_attr(op, "call_target_name");
    if (target != NULL) {
      add_op(coverage, op, target->text, report);
    }
  }
}

// --- What is missing ---

static bool is_in(tensor_dtype_t dtype, int classes) {
  const bool is_wide = dtype == TENSOR_F32 || dtype == TENSOR_F64;
  return ((int)generate_class(dtype) & classes) != 0 ||
         ((classes & SINGLE_DOUBLE) != 0 && is_wide) ||
         ((classes & WORD) != 0 && dtype == TENSOR_U64) ||
         ((classes & POWERS) != 0 && dtype == TENSOR_F8E8M0FNU) ||
         ((classes & BOUNDED) != 0 && tensor_dtype_is_float(dtype) &&
          !isinf(reference_round(dtype, (double)INFINITY)));
}

static bool is_excepted(const char *name, tensor_dtype_t dtype) {
  for (size_t i = 0; i < POD_COUNT_OF(exceptions); i++) {
    if (strcmp(exceptions[i].name, name) == 0 &&
        (exceptions[i].classes == 0 ||
         (dtype != TENSOR_INVALID && is_in(dtype, exceptions[i].classes)))) {
      return true;
    }
  }
  return false;
}

static void report_types(const coverage_entry_t *entry, int classes, int where,
                         pod_text_t *report) {
  const uint64_t met = where == RESULT ? entry->result : entry->operands[where];
  for (int i = 1; i < TENSOR_DTYPE_COUNT; i++) {
    const tensor_dtype_t dtype = (tensor_dtype_t)i;
    const bool is_met = (met >> i & 1) != 0;
    const bool is_wanted = is_in(dtype, classes) && !is_excepted(entry->name, dtype);
    if (is_wanted && !is_met) {
      pod_text_printf(report, "%s is never generated with %s\n", entry->name,
                      tensor_dtype_mlir_name(dtype));
    } else if (!is_wanted && is_met && classes != 0) {
      pod_text_printf(report, "%s is generated with %s, which %s\n", entry->name,
                      tensor_dtype_mlir_name(dtype),
                      is_in(dtype, classes) ? "is excepted" : "it does not take");
    }
  }
}

void coverage_report(const coverage_t *coverage, pod_text_t *report) {
  for (int i = 0; i < coverage->count; i++) {
    const coverage_entry_t *entry = &coverage->entries[i];
    const bool is_exception = is_excepted(entry->name, TENSOR_INVALID);
    if (is_exception != (entry->count == 0)) {
      pod_text_printf(report,
                      is_exception ? "%s is excepted but generated\n"
                                   : "%s is neither generated nor excepted\n",
                      entry->name);
      continue;
    }
    bool has_types = is_exception || strchr(entry->name, '.') == NULL ||
                     strncmp(entry->name, "stablehlo.dynamic_", 18) == 0;
    for (size_t j = 0; j < POD_COUNT_OF(types); j++) {
      if (strcmp(types[j].name, entry->name) == 0 && !is_exception) {
        report_types(entry, types[j].classes, types[j].where, report);
        has_types = true;
      }
    }
    if (!has_types && strncmp(entry->name, "mhlo.", 5) != 0) {
      pod_text_printf(report, "%s has no row of types\n", entry->name);
    }
  }
}
