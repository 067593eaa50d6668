// The parts of the planner. Private to server/collective.

#ifndef SERVER_COLLECTIVE_PLAN_H_
#define SERVER_COLLECTIVE_PLAN_H_

#include "server/collective/schedule.h"

// How a group lies on the torus. A position is a place in `order`; neighbours in position
// are neighbours on the torus when `is_physical`.
typedef struct collective_order_t {
  int32_t *order;    // Position → member; `size` of them.
  bool is_physical;  // Every member is one hop from the next.
  bool closes;       // The last is one hop from the first, too.
} collective_order_t;

typedef struct collective_group_t {
  int32_t size;
  int32_t me;            // Member index of the chip.
  int32_t position;      // Of the chip in the order.
  const int64_t *chips;  // Member index → chip id.
  collective_order_t order;
} collective_group_t;

// The schedule being written.
typedef struct collective_builder_t {
  collective_lane_t *lanes;
  collective_step_t *steps;
  int32_t lane_count, step_count, step_capacity;
  int64_t scratch_bytes;
} collective_builder_t;

typedef struct collective_plan_t {
  const collective_request_t *request;
  const torus_t *torus;
  collective_group_t group;
  int64_t element_bytes;
  int64_t block_elements;  // all_reduce, permute: all; else of one member's block.
  collective_builder_t *builder;
} collective_plan_t;

// A run of bytes in a buffer.
typedef struct collective_region_t {
  collective_buffer_t buffer;
  int64_t offset, size_bytes;
} collective_region_t;

// Finds the order of a group that a ring or a line should follow. In the arena.
collective_order_t collective_order_find(const torus_t *torus, const int64_t *chips,
                                         int32_t size, pod_arena_t *arena);

// ---- builder.c

// Opens a lane; the steps that follow are its. `after_a`, `after_b`: lanes or
// COLLECTIVE_NONE. Returns its number.
int32_t collective_add_lane(collective_builder_t *builder, int32_t after_a,
                            int32_t after_b);

// The halves of a transfer; a peer of COLLECTIVE_NONE or an empty region leaves a half
// out, and without any half there is no step.
typedef struct collective_transfer_t {
  int32_t tag;
  int32_t send_to, receive_from;  // Chips.
  collective_region_t source, target;
  const collective_region_t *with;  // NULL: copy what comes in.
} collective_transfer_t;

void collective_add_transfer(collective_builder_t *builder,
                             const collective_transfer_t *transfer);
void collective_add_copy(collective_builder_t *builder, collective_region_t target,
                         collective_region_t source);
void collective_add_reduce(collective_builder_t *builder, collective_region_t target,
                           collective_region_t source, collective_region_t with);
void collective_add_zero(collective_builder_t *builder, collective_region_t target);

// Room in SCRATCH, aligned. Returns its offset.
int64_t collective_add_scratch(collective_builder_t *builder, int64_t size_bytes);

// Part `index` of `elements` split over `parts`, in elements: even, on cache lines when
// the parts are long enough not to care.
typedef struct collective_part_t {
  int64_t start, count;
} collective_part_t;

collective_part_t collective_split(const collective_plan_t *plan, int64_t elements,
                                   int64_t parts, int64_t index);

// `count` elements from `start` on, in bytes.
collective_region_t collective_region(const collective_plan_t *plan,
                                      collective_buffer_t buffer, int64_t start,
                                      int64_t count);

// How many lanes a block of `elements` that is moved in `chunks` pieces deserves, so that
// what a chip has just received is still in its caches when it sends it on.
int32_t collective_segments(const collective_plan_t *plan, int64_t elements,
                            int64_t chunks);

// The chip at a position of the order; any position, taken modulo the size.
int32_t collective_chip_at(const collective_plan_t *plan, int64_t position);

// ---- The algorithms. UNIMPLEMENTED when one does not do this collective on this group.

typedef pod_status_t (*collective_algorithm_fn_t)(const collective_plan_t *plan);

POD_MUST_USE pod_status_t collective_plan_ring(const collective_plan_t *plan);
POD_MUST_USE pod_status_t collective_plan_line(const collective_plan_t *plan);
POD_MUST_USE pod_status_t collective_plan_tree(const collective_plan_t *plan);
POD_MUST_USE pod_status_t collective_plan_direct(const collective_plan_t *plan);

#endif  // SERVER_COLLECTIVE_PLAN_H_
