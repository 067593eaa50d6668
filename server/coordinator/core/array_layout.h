// How an array lies on the chips: shape, sharding, and what each chip holds. Shared by
// the arrays, arguments and results that lie alike.
//
// Threading: one thread at a time (the count of users is no atomic). Immutable otherwise.
// Ownership: counted; array_layout_create returns the first use.

#ifndef SERVER_COORDINATOR_CORE_ARRAY_LAYOUT_H_
#define SERVER_COORDINATOR_CORE_ARRAY_LAYOUT_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/status.h"
#include "common/base/text.h"
#include "common/tensor/shape.h"
#include "common/tensor/sharding.h"

typedef struct array_layout_t {
  int32_t use_count;
  pod_arena_t *arena;    // Owns everything here.
  tensor_shape_t shape;  // Global.
  tensor_shape_t local;  // What a chip holds.
  const sharding_t *sharding;
  int32_t chip_count;  // The chips 0 … chip_count - 1 hold it.
} array_layout_t;

// Copies shape and sharding with its mesh. INVALID_ARGUMENT when shape or sharding are no
// good, UNIMPLEMENTED when a dimension does not divide.
POD_MUST_USE pod_status_t array_layout_create(const tensor_shape_t *shape,
                                              const sharding_t *sharding,
                                              array_layout_t **out_layout);

// The whole array on each of `chip_count` chips.
POD_MUST_USE pod_status_t array_layout_create_replicated(const tensor_shape_t *shape,
                                                         int32_t chip_count,
                                                         array_layout_t **out_layout);

array_layout_t *array_layout_retain(array_layout_t *layout);

// Accepts NULL.
void array_layout_release(array_layout_t *layout);

// Same shape, and every chip holds the same part, however the two spell it.
bool array_layout_equal(const array_layout_t *a, const array_layout_t *b);

// "f32[8,4] as <@mesh, [{"x"}, {}]> (f32[4,4] on each of 2 chips)"
void array_layout_print(pod_text_t *text, const array_layout_t *layout);

#endif  // SERVER_COORDINATOR_CORE_ARRAY_LAYOUT_H_
