// Room doubles, so that adding n elements copies fewer than 2n. The first room is small:
// most lists of a compiler hold a handful.

#include "common/base/list.h"

#include "common/base/check.h"
#include "common/base/memory.h"

enum { FIRST_CAPACITY = 8 };

void *pod_list_grow(void *items, int32_t count, int32_t more, int32_t *inout_capacity,
                    size_t item_bytes) {
  POD_CHECK(more >= 0 && count <= INT32_MAX - more);
  const int32_t needed = count + more;
  if (needed <= *inout_capacity) {
    return items;
  }
  int32_t capacity = *inout_capacity > 0 ? *inout_capacity : FIRST_CAPACITY;
  while (capacity < needed) {
    capacity = capacity <= INT32_MAX / 2 ? 2 * capacity : INT32_MAX;
  }
  *inout_capacity = capacity;
  return pod_grow(items, (size_t)capacity, item_bytes);
}
