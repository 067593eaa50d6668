// The parts of the planner. Private to server/collective.

#ifndef SERVER_COLLECTIVE_PLAN_H_
#define SERVER_COLLECTIVE_PLAN_H_

#include "server/collective/schedule.h"

// DIRECT: messages that a chip has under way at the same time.
enum { COLLECTIVE_DIRECT_LANES = 8 };

// How a group lies on the torus. A position is a place in `order`; neighbours in position
// are neighbours on the torus when `is_physical`.
typedef struct collective_order_t {
  int32_t *order;    // Position → member; `size` of them.
  bool is_physical;  // Every member is one hop from the next.
  bool closes;       // The last is one hop from the first, too.
} collective_order_t;

// A box: the group's coordinates along each axis, and every combination of them.
typedef enum collective_axis_kind_t {
  COLLECTIVE_AXIS_LINE = 0,
  COLLECTIVE_AXIS_PAIR = 1,
  COLLECTIVE_AXIS_RING = 2,  // Three or more, and as far from the last to the first.
} collective_axis_kind_t;

typedef struct collective_axis_t {
  collective_axis_kind_t kind;
  int dimension;
  int32_t size;
  int32_t hops;         // Of the longest way between neighbours; 1: the axis is physical.
  int32_t stride;       // A box position is the sum of index · stride.
  int32_t chip_stride;  // A chip's id, likewise with coordinates.
  int32_t *coordinates;  // Index → coordinate, along the walk.
  int32_t *indices;      // Coordinate → index.
} collective_axis_t;

typedef struct collective_box_t {
  int32_t axis_count;  // With more than one chip. 0: the group is no box.
  collective_axis_t axes[TORUS_DIMENSIONS];
  const int32_t *members;  // Box position → member; NULL: the same.
} collective_box_t;

typedef struct collective_group_t {
  int32_t size;
  const int64_t *chips;  // Member index → chip id.
  collective_box_t box;
  collective_order_t order;  // Found when first asked for: order.order is NULL before.
  int32_t *positions;        // Member → position in the order.
  bool is_known;             // box and algorithm are set.
  collective_algorithm_t algorithm;
} collective_group_t;

// The groups taken apart where they lie on several tori: levels.c.
typedef struct collective_levels_t collective_levels_t;

// The schedule being written.
typedef struct collective_builder_t {
  collective_lane_t *lanes;
  int32_t lane_count;
  collective_step_list_t steps;
  collective_reorder_list_t reorders;
  int64_t scratch_bytes;
  collective_claims_t claims;
} collective_builder_t;

typedef struct collective_plan_t {
  const collective_request_t *request;
  const torus_t *torus;
  const collective_group_t *group;
  collective_levels_t *levels;  // NULL: the pod is one torus, or not looked at yet.
  int32_t chip;
  int32_t me;              // Member index of the chip.
  int32_t position;        // Of the chip in the group's order, if that is known.
  int32_t source, target;  // Permute: the chip's peers, or COLLECTIVE_NONE.
  bool cuts;               // Long messages, for a host's caches.
  int64_t element_bytes;
  int64_t block_elements;  // all_reduce, permute: all; else of one member's block.
  collective_builder_t *builder;
} collective_plan_t;

struct collective_planner_t {
  const collective_request_t *request;
  torus_t torus;
  int64_t element_bytes, block_elements;
  int32_t *slots;  // Chip → place in the request's groups, or COLLECTIVE_NONE.
  int32_t *sources, *targets;  // Permute: by chip.
  collective_group_t *groups;
  bool by_members;  // Groups are taken in the order of their members, wherever they lie.
  collective_levels_t *levels;
  pod_arena_t *arena;
  collective_room_t *room;  // Of the call that looks.
};

// A run of bytes in a buffer.
typedef struct collective_region_t {
  collective_buffer_t buffer;
  int64_t offset, size_bytes;
} collective_region_t;

// Finds the order of a group that a ring or a line should follow. In the arena.
collective_order_t collective_order_find(const torus_t *torus, const int64_t *chips,
                                         int32_t size, pod_arena_t *arena);

// Finds the box that the chips are; axis_count is 0 when they are none.
collective_box_t collective_box_find(const torus_t *torus, const int64_t *chips,
                                     int32_t size, pod_arena_t *arena);

// The group's order as a box of one axis. Its coordinates are not set.
collective_box_t collective_box_of_order(const collective_plan_t *plan,
                                         collective_axis_kind_t kind);

// Directed links into the chip of the box that has the fewest, and within all of it; 0
// when neighbours are no neighbours on the torus.
typedef struct collective_links_t {
  int64_t fewest, all;
} collective_links_t;

collective_links_t collective_box_links(const collective_box_t *box, int32_t size);

// The blocks of the members are in INPUT.
bool collective_has_blocks_in_input(chip_op_t op);

// INVALID_ARGUMENT, UNIMPLEMENTED; not whether a chip is there twice.
POD_MUST_USE pod_status_t collective_request_check(const collective_request_t *request,
                                                   const torus_t *torus);

// The cheapest algorithm for a group.
collective_algorithm_t collective_choose(collective_planner_t *planner,
                                         collective_group_t *group);

// The group's order, found when first asked for.
void collective_group_need_order(collective_planner_t *planner,
                                 collective_group_t *group);

// Looks how the groups lie on the pod's tori, if it has several. In the planner's arena.
POD_MUST_USE pod_status_t collective_planner_need_levels(collective_planner_t *planner);

// The schedule of a chip of the group by an algorithm. `cuts`: for a host's caches.
// Without an arena it lies in the planner's room.
POD_MUST_USE pod_status_t collective_plan_by(collective_planner_t *planner,
                                             collective_group_t *group, int32_t chip,
                                             collective_algorithm_t algorithm, bool cuts,
                                             pod_arena_t *arena,
                                             collective_schedule_t *out_schedule);

// ---- builder.c

// Opens a lane; the steps that follow are its. `after_a`, `after_b`: lanes or
// COLLECTIVE_NONE. Returns its number.
int32_t collective_add_lane(collective_builder_t *builder, int32_t after_a,
                            int32_t after_b);

// A lane that is done when `count` lanes from `first` on are.
int32_t collective_join(collective_builder_t *builder, int32_t first, int32_t count);

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
void collective_add_reorder(collective_builder_t *builder, collective_region_t target,
                            collective_region_t source,
                            const collective_reorder_t *reorder);

// Room in SCRATCH, aligned. Returns its offset.
int64_t collective_add_scratch(collective_builder_t *builder, int64_t size_bytes);

// Part `index` of `elements` split over `parts`, in elements: even, on cache lines when
// the parts are long enough not to care.
typedef struct collective_part_t {
  int64_t start, count;
} collective_part_t;

collective_part_t collective_split(const collective_plan_t *plan, int64_t elements,
                                   int64_t parts, int64_t index);

// The same for many parts of one split: the divisions once.
typedef struct collective_cut_t {
  int64_t elements, unit, whole, rest;
} collective_cut_t;

collective_cut_t collective_cut(const collective_plan_t *plan, int64_t elements,
                                int64_t parts);
collective_part_t collective_cut_at(const collective_cut_t *cut, int64_t index);

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

// all_to_all through a box; `position` is the chip's.
void collective_plan_buckets(const collective_plan_t *plan, const collective_box_t *box,
                             int32_t position);

#endif  // SERVER_COLLECTIVE_PLAN_H_
