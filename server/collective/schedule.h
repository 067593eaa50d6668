// A collective is a schedule, as data: for every chip the list of what it sends to whom,
// what it receives from whom, and what it does with it. The links interpret the list to
// move bytes (executor.h, server/ici); a clock can interpret the same list to tell the
// time.
//
// Lanes:     a schedule has lanes. The steps of a lane run in order; lanes run at the
// same
//            time, but a lane starts only when the lanes it names in `after` are done.
//            The two directions of a ring and the segments of a long message are lanes.
// Steps:     a TRANSFER has a sending half, a receiving half, or both; the halves run at
//            the same time and the step is done when both are. The others are local.
// Matching:  what chip a sends to chip b in lane l under tag t is what b receives from a
// in
//            its lane l under tag t, and has the same size. In a lane a chip's tags rise.
// Deadlock:  matching halves meet even when no byte is buffered between chips, whatever
//            the order in which chips and lanes are served. More buffering cannot break
//            that.
// Layout:    INPUT, OUTPUT and SCRATCH are packed: the blocks of the group's members one
//            behind the other, in the order of the group (layout.h leads there and back).
//              all_reduce       INPUT e elements          OUTPUT e elements
//              all_gather       INPUT one block           OUTPUT a block per member
//              reduce_scatter   INPUT a block per member  OUTPUT the own block
//              all_to_all       INPUT a block per member  OUTPUT a block per member
//              permute          INPUT e elements          OUTPUT e elements (0 if not
//              sent)
//            INPUT and OUTPUT do not overlap, but for all_reduce they may be the same.
// Determinism: every element is reduced in one place along one fixed path, or by everyone
//            in the same tree: all chips get the same bits, in every run.
// Threading: pure. Ownership: a schedule lives in the arena it was planned in.

#ifndef SERVER_COLLECTIVE_SCHEDULE_H_
#define SERVER_COLLECTIVE_SCHEDULE_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/status.h"
#include "common/base/text.h"
#include "server/chip/program.h"
#include "server/chip/torus.h"

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

typedef struct collective_lane_t {
  int32_t first_step, step_count;
  int32_t after[COLLECTIVE_AFTER_MAX];  // Lower lane numbers, or COLLECTIVE_NONE.
} collective_lane_t;

typedef enum collective_algorithm_t {
  COLLECTIVE_AUTO = 0,
  COLLECTIVE_RING = 1,    // Both directions round a ring; hops are routed if it is none.
  COLLECTIVE_LINE = 2,    // Both directions along a line: a mesh without a way round.
  COLLECTIVE_TREE = 3,    // Recursive doubling.
  COLLECTIVE_DIRECT = 4,  // Everyone with everyone.
  COLLECTIVE_ALGORITHM_COUNT = 5,
} collective_algorithm_t;

typedef struct collective_schedule_t {
  collective_algorithm_t algorithm;
  chip_reducer_t reducer;
  tensor_dtype_t dtype;
  int64_t input_bytes, output_bytes, scratch_bytes;
  int32_t lane_count, step_count;
  const collective_lane_t *lanes;
  const collective_step_t *steps;
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
} collective_request_t;

// The schedule of `chip`. All chips of a group get matching schedules from the same
// request and torus. INVALID_ARGUMENT: ids outside the torus, a chip in no group, sizes
// that do not divide, a reducer that the element type does not have. UNIMPLEMENTED: a
// region instead of a reducer, an algorithm that does not fit the collective or group
// (TREE all_gather needs a power of two, for instance).
POD_MUST_USE pod_status_t collective_plan(const collective_request_t *request,
                                          const torus_t *torus, int32_t chip,
                                          pod_arena_t *arena,
                                          collective_schedule_t *out_schedule);

// The request for operand `index` of an instruction that passed chip_program_check; it
// points into the instruction.
void collective_request_of(const chip_program_t *program,
                           const chip_instruction_t *instruction, int32_t index,
                           collective_request_t *out_request);

// "ring", "line", …
const char *collective_algorithm_name(collective_algorithm_t algorithm);

// A listing for people: a line per step.
void collective_schedule_print(pod_text_t *text, const collective_schedule_t *schedule);

#endif  // SERVER_COLLECTIVE_SCHEDULE_H_
