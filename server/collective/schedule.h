// A collective is a schedule, as data: for every chip the list of what it sends to whom,
// what it receives from whom, and what it does with it. The links interpret the list to
// move bytes (executor.h, server/ici); a clock can interpret the same list to tell the
// time.
//
// Lanes:     a schedule has lanes. The steps of a lane run in order; lanes run at the
//            same time, but a lane starts only when the lanes it names in `after` are
//            done. The two directions of a ring and the segments of a long message are
//            lanes.
// Steps:     a TRANSFER has a sending half, a receiving half, or both; the halves run at
//            the same time and the step is done when both are. The others are local.
// Matching:  what chip a sends to chip b in lane l under tag t is what b receives from a
//            in its lane l under tag t, and has the same size. In a lane a chip's tags
//            rise. They count rounds from 0: chips that do the same step have the same
//            tag, and a chip with nothing to do in a round leaves its tag out.
// Deadlock:  matching halves meet even when no byte is buffered between chips, whatever
//            the order in which chips and lanes are served. More buffering cannot break
//            that.
// Layout:    INPUT, OUTPUT and SCRATCH are packed: the blocks of the group's members one
//            behind the other, in the order of the group (layout.h leads there and back).
//              all_reduce       INPUT e elements          OUTPUT e elements
//              all_gather       INPUT one block           OUTPUT a block per member
//              reduce_scatter   INPUT a block per member  OUTPUT the own block
//              all_to_all       INPUT a block per member  OUTPUT a block per member
//              permute          INPUT e elements          OUTPUT e elements (zeros when
//                                                         nobody sends)
//            INPUT and OUTPUT do not overlap, but for all_reduce they may be the same.
// Determinism: every element is reduced in one place along one fixed path, or by everyone
//            in the same tree: all chips get the same bits, in every run.
// Threading: pure, but a planner belongs to one thread at a time. Ownership: a schedule
// lives in the arena it was planned in, and borrows from its planner and its request.

#ifndef SERVER_COLLECTIVE_SCHEDULE_H_
#define SERVER_COLLECTIVE_SCHEDULE_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/list.h"
#include "common/base/status.h"
#include "common/base/text.h"
#include "server/chip/torus.h"
#include "server/program/program.h"

enum {
  COLLECTIVE_LANES_MAX = 256,
  COLLECTIVE_AFTER_MAX = 2,
  COLLECTIVE_NONE = -1,
};

// No collective is larger: a chip's HBM is not.
#define COLLECTIVE_BYTES_MAX ((int64_t)1 << 46)

typedef enum collective_buffer_t {
  COLLECTIVE_INPUT = 0,
  COLLECTIVE_OUTPUT = 1,
  COLLECTIVE_SCRATCH = 2,
} collective_buffer_t;

typedef enum collective_step_kind_t {
  COLLECTIVE_TRANSFER = 0,  // The source goes to `send_to`; what `receive_from` sends
                            // goes to the target.
  COLLECTIVE_COPY = 1,      // target = source
  COLLECTIVE_REDUCE = 2,    // target = source op with
  COLLECTIVE_ZERO = 3,      // target = 0
  COLLECTIVE_REORDER = 4,   // Blocks of the source in another order to the target:
                            // schedule->reorders[with_offset].
} collective_step_kind_t;

// Offsets and sizes are in bytes, multiples of the element's size.
typedef struct collective_step_t {
  uint8_t kind;           // collective_step_kind_t
  uint8_t source_buffer;  // collective_buffer_t, these three.
  uint8_t target_buffer;
  uint8_t with_buffer;
  bool reduces;          // TRANSFER: target = incoming op with, instead of = incoming.
  int32_t send_to;       // Chip, or COLLECTIVE_NONE.
  int32_t receive_from;  // Chip, or COLLECTIVE_NONE.
  int32_t tag;
  int64_t source_offset, target_offset, with_offset;
  int64_t source_bytes;  // Sent, or read by a local step.
  int64_t target_bytes;  // Received, or written by a local step.
} collective_step_t;

// Pieces of `piece_bytes`, as many as the product of `count`: one side has them one
// behind the other, the last index running fastest; the other has piece (i, j, k) at
// block · block_bytes + piece_offset, the block being members[i'·stride[0] + j·stride[1]
// + k·stride[2]] with i' = i, or (first ± i) modulo `turn` where that is given. The chips
// of a box in the order of an algorithm's axes, and in the order of the group. A host
// does it as a pass over the bytes; a TPU gives strided descriptors to its DMA engines,
// and the clock takes it for nothing. The step's source_bytes and target_bytes are what
// is moved.
typedef struct collective_reorder_t {
  int32_t count[TORUS_DIMENSIONS], stride[TORUS_DIMENSIONS];
  int32_t first, turn;     // turn 0: i' = i.
  bool is_descending;      // first - i.
  const int32_t *members;  // NULL: the block is the sum itself.
  int64_t block_bytes, piece_offset, piece_bytes;
  bool unpacks;  // The target is the side with the blocks; otherwise the source is.
} collective_reorder_t;

typedef struct collective_lane_t {
  int32_t first_step, step_count;
  int32_t after[COLLECTIVE_AFTER_MAX];  // Lower lane numbers, or COLLECTIVE_NONE.
} collective_lane_t;

// RING: both directions round a ring; hops are routed if it is none. LINE: both
// directions along a line, a mesh without a way round. TREE: recursive doubling. GATHER:
// the whole arrays of all chips round each ring in turn, for short ones. DIRECT:
// everyone with everyone. TORUS: axis after axis; the data is split, and each part takes
// the axes in another order, so that all links work. LEVELS: where a group lies on
// several slices, or on both cores of chips, within each and then across.
typedef enum collective_algorithm_t {
  COLLECTIVE_AUTO = 0,
#define COLLECTIVE_ALGORITHM(ID, id, number) COLLECTIVE_##ID = number,
#include "server/collective/algorithms.def"
#undef COLLECTIVE_ALGORITHM
  COLLECTIVE_ALGORITHM_COUNT = 1
#define COLLECTIVE_ALGORITHM(ID, id, number) +1
#include "server/collective/algorithms.def"
#undef COLLECTIVE_ALGORITHM
} collective_algorithm_t;

// What a schedule promises. A test holds it to it.
typedef struct collective_claims_t {
  // The busiest link carries as few bytes as any schedule could let it: what must leave
  // or enter the chip with the fewest links, or cross the narrowest cut (README.md has
  // the bounds). Up to the rounding of parts to elements and cache lines.
  bool optimal_bytes;
  // Messages go from neighbour to neighbour, and when all chips begin together a link
  // carries one message per direction at a time.
  bool exclusive_links;
  // All chips of the group do the same, seen from where they are: as many bytes at the
  // same places of the schedule, to and from chips at the same displacements.
  bool alike_chips;
} collective_claims_t;

typedef POD_LIST(collective_step_t) collective_step_list_t;
typedef POD_LIST(collective_reorder_t) collective_reorder_list_t;

typedef struct collective_schedule_t {
  collective_algorithm_t algorithm;
  chip_reducer_t reducer;
  tensor_dtype_t dtype;
  int64_t input_bytes, output_bytes, scratch_bytes;
  int32_t lane_count, step_count;
  int32_t reorder_count;
  const collective_lane_t *lanes;
  const collective_step_t *steps;
  const collective_reorder_t *reorders;
  collective_claims_t claims;
} collective_schedule_t;

typedef struct collective_request_t {
  chip_op_t op;            // One of the five collectives.
  chip_reducer_t reducer;  // all_reduce, reduce_scatter.
  tensor_dtype_t dtype;
  int64_t element_count;  // Of INPUT. A multiple of group_size for reduce_scatter and
                          // all_to_all.
  // All but permute: chip ids, group_count · group_size; a chip in at most one group.
  int32_t group_count, group_size;
  const int64_t *groups;
  // Permute: source, target, source, target …; 2 · pair_count chip ids.
  int32_t pair_count;
  const int64_t *pairs;
  collective_algorithm_t algorithm;  // AUTO: the cheapest.
  const chip_spec_t *spec;           // By whose rates; NULL: a v5e's.
  // For hosts that move the bytes. Long messages go as several lanes, so that what a chip
  // has just received is still in its caches when it sends it on: they run at the same
  // time and share the links, and take the time of one. And AUTO gives up to a tenth of a
  // chip's time for an algorithm that does not reorder. A clock leaves this false: it
  // tells the time of what is cheapest on the chip.
  bool cuts_for_caches;
} collective_request_t;

// A request that is checked and looked through once for all chips.
typedef struct collective_planner_t collective_planner_t;

// Borrows request, what it points to, and torus; lives in `arena`. INVALID_ARGUMENT: ids
// outside the torus, a chip twice, sizes that do not divide, a reducer that the element
// type does not have. UNIMPLEMENTED: a region instead of a reducer.
POD_MUST_USE pod_status_t collective_planner_create(const collective_request_t *request,
                                                    const torus_t *torus,
                                                    pod_arena_t *arena,
                                                    collective_planner_t **out_planner);

// The schedule of `chip`; `arena` may be another one. All chips of a group get matching
// schedules, and AUTO the same algorithm. INVALID_ARGUMENT: a chip in no group.
// UNIMPLEMENTED: an algorithm that does not fit the collective or group (TREE all_gather
// needs a power of two, for instance).
POD_MUST_USE pod_status_t collective_planner_plan(collective_planner_t *planner,
                                                  int32_t chip, pod_arena_t *arena,
                                                  collective_schedule_t *out_schedule);

// Room for one schedule at a time. Who looks at those of many chips one after the other
// spends most of the time on memory otherwise. Starts as zeros.
typedef struct collective_room_t {
  collective_lane_t lanes[COLLECTIVE_LANES_MAX];
  collective_step_list_t steps;
  collective_reorder_list_t reorders;
} collective_room_t;

void collective_room_deinit(collective_room_t *room);

// Like collective_planner_plan, but the schedule lies in `room`, until the next look.
POD_MUST_USE pod_status_t collective_planner_look(collective_planner_t *planner,
                                                  int32_t chip, collective_room_t *room,
                                                  collective_schedule_t *out_schedule);

// Whether all groups are the same but for where they lie on the torus. Then a schedule
// that claims alike_chips tells what the chips of all of them do.
bool collective_planner_has_alike_groups(const collective_planner_t *planner);

// Whether `chip` is in a group; all chips are in a permute.
bool collective_planner_has(const collective_planner_t *planner, int32_t chip);

// A planner for a single schedule.
POD_MUST_USE pod_status_t collective_plan(const collective_request_t *request,
                                          const torus_t *torus, int32_t chip,
                                          pod_arena_t *arena,
                                          collective_schedule_t *out_schedule);

// The request for operand `index` of an instruction that passed chip_program_check; it
// points into the instruction.
void collective_request_of(const chip_program_t *program,
                           const chip_instruction_t *instruction, int32_t index,
                           collective_request_t *out_request);

// The same, as the bytes move: what a region reduces instead of a reducer is gathered and
// folded on the chip.
void collective_request_of_transfer(const chip_program_t *program,
                                    const chip_instruction_t *instruction, int32_t index,
                                    collective_request_t *out_request);

// "ring", "line", …
const char *collective_algorithm_name(collective_algorithm_t algorithm);

// A listing for people: a line per step.
void collective_schedule_print(pod_text_t *text, const collective_schedule_t *schedule);

#endif  // SERVER_COLLECTIVE_SCHEDULE_H_
