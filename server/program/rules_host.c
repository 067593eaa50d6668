// Rules of what goes between a chip and its host: one array, and the tokens that keep the
// order, scalars of pred whose value means nothing.

#include "server/program/rule.h"

static pod_status_t check_transfer(const rule_t *rule) {
  int64_t value;
  POD_TRY(value_below(rule, CHIP_ATTR_EACH_DEVICE, 2, &value));
  return value_below(rule, CHIP_ATTR_CHANNEL, INT64_MAX, &value);
}

pod_status_t check_host_send(const rule_t *rule) {
  POD_TRY(arity(rule, 2, 1));
  POD_TRY(demand(
      is_scalar(operand(rule, 1), TENSOR_PRED) && is_scalar(result(rule, 0), TENSOR_PRED),
      "the second operand and the result must be tokens: scalars of pred"));
  return check_transfer(rule);
}

pod_status_t check_host_recv(const rule_t *rule) {
  POD_TRY(arity(rule, 1, 2));
  POD_TRY(demand(
      is_scalar(operand(rule, 0), TENSOR_PRED) && is_scalar(result(rule, 1), TENSOR_PRED),
      "the operand and the second result must be tokens: scalars of pred"));
  return check_transfer(rule);
}

pod_status_t check_dce_sink(const rule_t *rule) {
  return demand(rule->instruction->result_count == 0, "it has no results");
}

pod_status_t check_kernel(const rule_t *rule) {
  const int64_t *work;
  POD_TRY(values(rule, CHIP_ATTR_KERNEL_WORK, CHIP_KERNEL_WORK_COUNT, &work));
  for (int32_t i = 0; i < CHIP_KERNEL_WORK_COUNT; i++) {
    POD_TRY(demand(work[i] >= 0, "the work of a kernel must not be negative"));
  }
  return NULL;
}
