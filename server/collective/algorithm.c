// The table of algorithms, and what their floors have in common.

#include "server/collective/algorithm.h"

#include "common/base/check.h"

const collective_algorithm_t collective_candidates[COLLECTIVE_CANDIDATE_COUNT] = {
#define COLLECTIVE_ALGORITHM(ID, id, number) COLLECTIVE_##ID,
#include "server/collective/algorithms.def"
#undef COLLECTIVE_ALGORITHM
};

const collective_algorithm_row_t *collective_algorithm_row(
    collective_algorithm_t algorithm) {
  static const collective_algorithm_row_t *const rows[COLLECTIVE_ALGORITHM_COUNT] = {
#define COLLECTIVE_ALGORITHM(ID, id, number) [COLLECTIVE_##ID] = &collective_##id##_row,
#include "server/collective/algorithms.def"
#undef COLLECTIVE_ALGORITHM
  };
  POD_CHECK(rows[algorithm] != NULL);
  return rows[algorithm];
}

const char *collective_algorithm_name(collective_algorithm_t algorithm) {
  static const char *const names[COLLECTIVE_ALGORITHM_COUNT] = {
      [COLLECTIVE_AUTO] = "auto",
#define COLLECTIVE_ALGORITHM(ID, id, number) [COLLECTIVE_##ID] = #id,
#include "server/collective/algorithms.def"
#undef COLLECTIVE_ALGORITHM
  };
  return (unsigned)algorithm < COLLECTIVE_ALGORITHM_COUNT ? names[algorithm] : "unknown";
}

double collective_block_ps(const collective_question_t *question) {
  const collective_planner_t *planner = question->planner;
  return (double)(planner->block_elements * planner->element_bytes) * 1e12 /
         question->spec->ici_bytes_per_s;
}

double collective_rounds_ps(const collective_question_t *question) {
  const chip_op_t op = question->planner->request->op;
  const double others = question->group->size - 1;
  const double passes = op == CHIP_OP_ALL_REDUCE ? 2 : 1;
  return (double)question->spec->ici_hop_ps *
         (op == CHIP_OP_ALL_TO_ALL ? others / 2 : passes * others);
}
