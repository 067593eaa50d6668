// Groups on tori for the tests of collectives, and what must come out on them.

#ifndef TESTS_UNIT_SERVER_COLLECTIVE_SCENE_H_
#define TESTS_UNIT_SERVER_COLLECTIVE_SCENE_H_

#include "tests/unit/server/collective/pod.h"

enum { TEST_CHIPS_MAX = 512, TEST_GROUPED_OPS = 4 };

// A torus and how its chips are grouped.
typedef struct test_scene_t {
  const char *name;
  torus_t torus;
  int32_t group_count, group_size;
  int64_t groups[TEST_CHIPS_MAX];
} test_scene_t;

// all_reduce, all_gather, reduce_scatter, all_to_all.
extern const chip_op_t test_grouped_ops[TEST_GROUPED_OPS];

// Sums of s32; a member has `block_elements` (all_reduce, all_gather) or as many for
// every member.
collective_request_t test_request_on(const test_scene_t *scene, chip_op_t op,
                                     int64_t block_elements);

// Runs it on all chips and compares every element with what it must be. False when the
// algorithm does not do this collective.
bool test_run(const test_scene_t *scene, const collective_request_t *request,
              bool in_place, bool is_queued, uint64_t seed);

// The largest number of bytes over a link in a direction, and how many links carry any.
int64_t test_busiest_link(const test_scene_t *scene, const collective_request_t *request,
                          int *out_links);

#endif  // TESTS_UNIT_SERVER_COLLECTIVE_SCENE_H_
