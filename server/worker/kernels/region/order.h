// The order of elements: what sorts compute before they move anything. All are stable.
//
// Threading: any thread; orders made by lanes keep to that of the lanes.

#ifndef SERVER_WORKER_KERNELS_REGION_ORDER_H_
#define SERVER_WORKER_KERNELS_REGION_ORDER_H_

#include "server/worker/kernels/region/lanes.h"

// `order` is a permutation of [0, count); sorts it by numbers[order[i]], which have no
// more than `bits` bits. Numbers of 32 bits need 2 words of room per element, of 64 bits
// 4.
void kernel_order_by_numbers(const uint64_t *numbers, unsigned bits, uint32_t *order,
                             size_t count, uint64_t *room);

// Rows of elements that a comparator compares.
typedef struct kernel_compared_t {
  kernel_lanes_t *lanes;
  int32_t count;  // Of rows.
  const char *rows[KERNEL_VALUES_MAX / 2];
  size_t bytes[KERNEL_VALUES_MAX / 2];
} kernel_compared_t;

// Writes the order to `order`; `room` holds as many. The elements come out in some order
// even if the comparator is no strict weak order.
POD_MUST_USE pod_status_t kernel_order_by_comparator(const kernel_compared_t *compared,
                                                     size_t count, uint32_t *order,
                                                     uint32_t *room);

#endif  // SERVER_WORKER_KERNELS_REGION_ORDER_H_
