// Regions over elements: the computations that a kernel calls (reducers, comparators),
// and the simple ones that it need not call.
//
// Threading: the chip's compute thread.

#ifndef SERVER_WORKER_KERNELS_REGION_REGION_H_
#define SERVER_WORKER_KERNELS_REGION_REGION_H_

#include <stdbool.h>

#include "server/worker/kernels/kernel.h"
#include "server/worker/kernels/loops/loops.h"

// Bytes that an element of any type has room in.
enum { KERNEL_ELEMENT_BYTES = 16 };

// How the elements of one array are combined with those of another: by the loop of a
// known reducer, by taking the second (a region that returns its second argument), or by
// running calls[call] over lanes.
typedef struct kernel_combiner_t {
  const kernel_args_t *args;
  int32_t call;
  tensor_dtype_t dtype;
  bool takes_second;
  kernel_binary_fn_t loop;       // On elements in the compute type; NULL: none is known.
  kernel_binary_fn_t stored;     // The same on elements as they are stored, or NULL.
  struct kernel_lanes_t *lanes;  // When nothing else is known.
} kernel_combiner_t;

// Of the instruction's REDUCER attribute, or of its calls[call], over elements of
// `dtype`. UNIMPLEMENTED when there is neither. To be given to kernel_combiner_deinit.
POD_MUST_USE pod_status_t kernel_combiner_init(const kernel_args_t *args, int32_t call,
                                               tensor_dtype_t dtype,
                                               kernel_combiner_t *out_combiner);

void kernel_combiner_deinit(kernel_combiner_t *combiner);

// target[i · target_stride] = combine(target[i · target_stride], source[i ·
// source_stride]) for i < count, where no target is another one's or a source. Strides in
// elements.
POD_MUST_USE pod_status_t kernel_combine(const kernel_combiner_t *combiner, void *target,
                                         int64_t target_stride, const void *source,
                                         int64_t source_stride, int64_t count);

// target[offsets[i]] = combine(target[offsets[i]], source[i · source_stride]) for i <
// count in order, where a negative offset stands for no target; an offset may occur more
// than once. Faster than one by one for all kinds of combiners.
POD_MUST_USE pod_status_t kernel_combine_at(const kernel_combiner_t *combiner,
                                            void *target, const int64_t *offsets,
                                            const void *source, int64_t source_stride,
                                            size_t count);

// Whether calls[call] combines arrays by known reducers, each for itself; there is one
// for each result of the region.
bool kernel_region_reducers(const kernel_args_t *args, int32_t call,
                            chip_reducer_t *out_reducers);

// reduce by calls[0] over the dimensions whose bits are set in `reduced`.
POD_MUST_USE pod_status_t kernel_reduce_by_region(const kernel_args_t *args,
                                                  uint32_t reduced);

// The loop of a known reducer over elements of `dtype`, in the compute type; NULL when
// there is none.
kernel_binary_fn_t kernel_reducer_loop(chip_reducer_t reducer, tensor_dtype_t dtype);

#endif  // SERVER_WORKER_KERNELS_REGION_REGION_H_
