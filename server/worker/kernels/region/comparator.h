// What sorts compare by: the keys of a comparator that orders elements by one value after
// the other, such as JAX emits (the first value canonicalised and compared, where equal
// the second, and so on).
//
// Threading: pure; any thread.

#ifndef SERVER_WORKER_KERNELS_REGION_COMPARATOR_H_
#define SERVER_WORKER_KERNELS_REGION_COMPARATOR_H_

#include <stdbool.h>

#include "server/worker/kernels/kernel.h"

enum { KERNEL_KEYS_MAX = 8 };

// A value that is computed from the elements of one place only, in the same way for both
// places compared.
typedef struct kernel_key_t {
  int32_t operand;            // Of the sort, when the key is its element itself; or -1.
  int32_t instruction_count;  // Of the region, behind which the key is in `buffer`.
  int32_t buffer;             // Of the left one of the places.
  tensor_dtype_t dtype;
  bool is_total_order;  // Of floats; otherwise as IEEE 754 compares them.
  bool descends;
} kernel_key_t;

// The keys of calls[0], the most significant first; 0 when it is anything else.
int kernel_comparator_keys(const kernel_args_t *args,
                           kernel_key_t out_keys[KERNEL_KEYS_MAX]);

// Unsigned integers of *out_bits bits that are ordered as the `count` elements at `in`
// are by the key. False when there are NaNs that IEEE 754 does not order.
bool kernel_key_numbers(const kernel_key_t *key, const void *in, size_t count,
                        uint64_t *out_numbers, unsigned *out_bits);

#endif  // SERVER_WORKER_KERNELS_REGION_COMPARATOR_H_
