// What the planner knows of an algorithm: a row of algorithms/algorithms.def, which the
// algorithm's own file fills. Private to server/collective.
//
// Threading: pure.

#ifndef SERVER_COLLECTIVE_ALGORITHM_H_
#define SERVER_COLLECTIVE_ALGORITHM_H_

#include "server/collective/plan.h"

// A group that AUTO looks at.
typedef struct collective_question_t {
  collective_planner_t *planner;
  collective_group_t *group;
  const chip_spec_t *spec;
} collective_question_t;

typedef struct collective_algorithm_row_t {
  // Writes the schedule of a chip to plan->builder. UNIMPLEMENTED when the algorithm does
  // not do this collective on this group.
  pod_status_t (*plan)(const collective_plan_t *plan);
  // The algorithm follows the group's order, which is found before.
  bool needs_order;
  // It follows the group's box, or the levels at which the group lies.
  bool needs_box;
  // Whether AUTO should look at it; NULL: for any group.
  bool (*is_candidate)(const collective_question_t *question);
  // Picoseconds that it surely takes: the messages that a chip sends or takes one after
  // another, or their bytes over as many links as they can use. NULL: not known.
  double (*floor_ps)(const collective_question_t *question);
  // By how much bytes take longer, or less long, than the steps of the chip at the corner
  // say where not all chips are alike. NULL: just as long.
  double (*stretch)(const collective_group_t *group, chip_op_t op);
} collective_algorithm_row_t;

#define COLLECTIVE_ALGORITHM(ID, id, number) \
  extern const collective_algorithm_row_t collective_##id##_row;
#include "server/collective/algorithms.def"
#undef COLLECTIVE_ALGORITHM

// Not of AUTO.
const collective_algorithm_row_t *collective_algorithm_row(
    collective_algorithm_t algorithm);

// The algorithms in the order in which AUTO tries them.
enum {
  COLLECTIVE_CANDIDATE_COUNT = 0
#define COLLECTIVE_ALGORITHM(ID, id, number) +1
#include "server/collective/algorithms.def"
#undef COLLECTIVE_ALGORITHM
};
extern const collective_algorithm_t collective_candidates[COLLECTIVE_CANDIDATE_COUNT];

// Picoseconds of a member's block over one link.
double collective_block_ps(const collective_question_t *question);

// Messages of one hop that an algorithm from neighbour to neighbour sends one after
// another along its order, in picoseconds: the floor of rings and lines.
double collective_rounds_ps(const collective_question_t *question);

#endif  // SERVER_COLLECTIVE_ALGORITHM_H_
