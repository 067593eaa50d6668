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
  tensor_shape_t local;  // What a chip holds, padding included.
  const sharding_t *sharding;
  int32_t chip_count;
  const int32_t *chips;  // Those that hold it, by mesh position.
  bool is_host;          // In the memory of their hosts, not in HBM.
} array_layout_t;

// Copies shape and sharding with its mesh, whose devices are the chips that hold the
// array. INVALID_ARGUMENT when shape or sharding are no good.
POD_MUST_USE pod_status_t array_layout_create(const tensor_shape_t *shape,
                                              const sharding_t *sharding,
                                              array_layout_t **out_layout);

// The whole array on each of `chip_count` chips; `chips` NULL: on the first ones.
// INVALID_ARGUMENT for a chip that is named twice.
POD_MUST_USE pod_status_t array_layout_create_replicated(const tensor_shape_t *shape,
                                                         int32_t chip_count,
                                                         const int64_t *chips,
                                                         array_layout_t **out_layout);

// The same sharding over these chips, by mesh position, instead of its mesh's devices.
// INVALID_ARGUMENT when there are not as many, or one is named twice.
POD_MUST_USE pod_status_t array_layout_create_on(const tensor_shape_t *shape,
                                                 const sharding_t *sharding,
                                                 int32_t chip_count, const int64_t *chips,
                                                 array_layout_t **out_layout);

array_layout_t *array_layout_retain(array_layout_t *layout);

// Accepts NULL.
void array_layout_release(array_layout_t *layout);

// The index of `chip` in layout->chips; -1: it holds nothing of the array.
int32_t array_layout_find(const array_layout_t *layout, int32_t chip);

// Same shape, and every chip holds the same part, however the two spell it.
bool array_layout_equal(const array_layout_t *a, const array_layout_t *b);

// "f32[8,4] as <@mesh, [{"x"}, {}]> (f32[4,4] on each of 2 chips)"; "on each of the chips
// {3, 1}" where these are not the first ones in their order.
void array_layout_print(pod_text_t *text, const array_layout_t *layout);

#endif  // SERVER_COORDINATOR_CORE_ARRAY_LAYOUT_H_
