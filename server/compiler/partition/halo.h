// Halo exchange: what a shard needs of a dimension that other shards hold.
//
// Of an array that is sharded along a dimension, shard i wants the elements
// [step * i + start, step * i + start + length). A plan says which shards hold them:
// those of a shard are next to each other, so that its first source goes to slot 0, the
// next to slot 1, and so on, and a slot is filled by one collective_permute, or by
// several when a source is wanted twice. The slots, one behind the other, hold what is
// wanted, at an offset that may depend on the shard. What no shard needs of the first and
// of the last slot is not sent.
//
//   shards of 4, step 4, start -1, length 6 (a window of 3):
//     slot 0: the last element of i - 1     slot 1: all of i     slot 2: the first of i +
//     1
//   shards of 4, step -4, start 12, length 4 (reverse on 4): slot 0: all of 3 - i
//
// Threading: pure, but for halo_fetch. Ownership: plans live in the arena given.

#ifndef SERVER_COMPILER_PARTITION_HALO_H_
#define SERVER_COMPILER_PARTITION_HALO_H_

#include <stdbool.h>
#include <stdint.h>

#include "server/compiler/partition/partitioner.h"

// A plan of more collectives, or more slots, is none: a gather is less trouble. Nor is
// one of more shards, since who sends to whom is found by looking at all pairs.
enum { HALO_ROUNDS_MAX = 8, HALO_SLOTS_MAX = 8, HALO_SHARDS_MAX = 1024 };

typedef struct halo_t {
  int dim;
  axes_t axes;           // That shard it, both what is had and what is wanted.
  int64_t shards;        // Their size.
  int64_t shard_size;    // Elements of the dimension that a shard has.
  int64_t step, start;   // What is wanted,
  int64_t length;        // > 0,
  int64_t begin, limit;  // as far as it is in [begin, limit).
} halo_t;

// One collective_permute: source shards by target shard, -1 for none.
typedef struct halo_round_t {
  int slot;
  int64_t *sources;
} halo_round_t;

typedef struct halo_plan_t {
  int slot_count, round_count;
  int64_t low;       // Where the first slot begins within its source,
  int64_t high;      // and where the last one ends.
  int64_t received;  // Elements of the dimension, by the chip that receives the most.
  int64_t *offsets;  // By shard: where in the slots begins what it wants.
  bool is_local[HALO_SLOTS_MAX];  // Every shard has what it wants of the slot.
  bool is_masked;                 // Some shard wants what is outside of [begin, limit),
  bool is_zeroed;                 // and has zeros there anyway, as nobody sends it.
  halo_round_t rounds[HALO_ROUNDS_MAX];
} halo_plan_t;

// False: it takes too many collectives.
bool halo_plan(pod_arena_t *arena, const halo_t *halo, halo_plan_t *out_plan);

// What is wanted of `local`, a shard. What lies outside of [begin, limit) is that of
// `outside`, a scalar; or anything, when that is NULL.
mlir_value_t *halo_fetch(partitioner_t *partitioner, mlir_value_t *local,
                         const halo_t *halo, const halo_plan_t *plan,
                         mlir_value_t *outside);

#endif  // SERVER_COMPILER_PARTITION_HALO_H_
