// What the files of program_rules share: an instruction and what to demand of it. Private
// to them.

#ifndef SERVER_PROGRAM_RULE_H_
#define SERVER_PROGRAM_RULE_H_

#include <inttypes.h>

#include "server/program/program.h"

#define BAD(...) pod_error(POD_INVALID_ARGUMENT, __VA_ARGS__)

typedef struct rule_t {
  const chip_program_t *program;
  const chip_instruction_t *instruction;
} rule_t;

static inline const tensor_shape_t *shape_of(const rule_t *rule, int32_t buffer) {
  return &rule->program->buffers[buffer].shape;
}

static inline const tensor_shape_t *operand(const rule_t *rule, int32_t i) {
  return shape_of(rule, rule->instruction->operands[i]);
}

static inline const tensor_shape_t *result(const rule_t *rule, int32_t i) {
  return shape_of(rule, rule->instruction->results[i]);
}

static inline bool is_scalar(const tensor_shape_t *shape, tensor_dtype_t dtype) {
  return shape->rank == 0 && shape->dtype == dtype;
}

static inline pod_status_t demand(bool is_met, const char *what) {
  return is_met ? NULL : BAD("%s", what);
}

static inline pod_status_t arity(const rule_t *rule, int32_t operands, int32_t results) {
  const chip_instruction_t *instruction = rule->instruction;
  return instruction->operand_count == operands && instruction->result_count == results
             ? NULL
             : BAD("%d operands and %d results instead of %d and %d",
                   instruction->operand_count, instruction->result_count, operands,
                   results);
}

// A list attribute of exactly `count` values.
static inline pod_status_t values(const rule_t *rule, chip_attr_key_t key, int32_t count,
                                  const int64_t **out_values) {
  int32_t found;
  *out_values = chip_instruction_attr(rule->instruction, key, &found);
  return found == count
             ? NULL
             : BAD("attribute %d has %d values instead of %d", (int)key, found, count);
}

// One value in [0, limit).
static inline pod_status_t value_below(const rule_t *rule, chip_attr_key_t key,
                                       int64_t limit, int64_t *out_value) {
  const int64_t *list;
  POD_TRY(values(rule, key, 1, &list));
  *out_value = list[0];
  return list[0] >= 0 && list[0] < limit
             ? NULL
             : BAD("attribute %d is %" PRId64 ", not in [0, %" PRId64 ")", (int)key,
                   list[0], limit);
}

// Different dimensions of a rank, any number of them; *inout_seen collects them as bits.
static inline pod_status_t dimensions(const rule_t *rule, chip_attr_key_t key, int rank,
                                      uint32_t *inout_seen, int32_t *out_count) {
  const int64_t *list = chip_instruction_attr(rule->instruction, key, out_count);
  for (int32_t i = 0; i < *out_count; i++) {
    if (list[i] < 0 || list[i] >= rank || (*inout_seen & (1u << list[i])) != 0) {
      return BAD("attribute %d names dimension %" PRId64 " of rank %d, or names it twice",
                 (int)key, list[i], rank);
    }
    *inout_seen |= 1u << list[i];
  }
  return NULL;
}

// A known reducer of one operand, or calls[0] is a region that combines `count` scalars.
pod_status_t rule_reducer(const rule_t *rule, int32_t count);

// calls[call] combines scalars of the first `count` operands' element types: two of each
// to one (is_reducer: first all left ones, then all right ones), or to one pred (a
// comparator: left and right in turn).
pod_status_t rule_region(const rule_t *rule, int32_t call, int32_t count,
                         bool is_reducer);

// program_rules_array.c, by the `shape` column.
#define RULE_DECLARE(name) pod_status_t check_##name(const rule_t *rule)
RULE_DECLARE(gather);
RULE_DECLARE(scatter);
RULE_DECLARE(sort);
RULE_DECLARE(top_k);
RULE_DECLARE(map);
RULE_DECLARE(reduce_window);
RULE_DECLARE(select_and_scatter);
RULE_DECLARE(convolution);
RULE_DECLARE(complex_part);
RULE_DECLARE(complex);
RULE_DECLARE(bitcast_convert);
RULE_DECLARE(reduce_precision);
RULE_DECLARE(fft);
RULE_DECLARE(triangular_solve);
RULE_DECLARE(cholesky);
RULE_DECLARE(rng_bit_generator);
// rules_decomposition.c
RULE_DECLARE(qr);
RULE_DECLARE(householder_product);
RULE_DECLARE(lu);
RULE_DECLARE(eigh);
// rules_host.c
RULE_DECLARE(dce_sink);
RULE_DECLARE(host_send);
RULE_DECLARE(host_recv);
RULE_DECLARE(kernel);
#undef RULE_DECLARE

#endif  // SERVER_PROGRAM_RULE_H_
