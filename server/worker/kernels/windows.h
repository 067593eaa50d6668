// What kernels over windows share: where windows lie, and windows that grow with their
// place, which are cumulative sums and the like.

#ifndef SERVER_WORKER_KERNELS_WINDOWS_H_
#define SERVER_WORKER_KERNELS_WINDOWS_H_

#include "server/program/window.h"
#include "server/worker/kernels/kernel.h"
#include "server/worker/kernels/loops/loops.h"

// The offset of the element that place `w` of the window at `o` falls on, in the first
// `rank` dimensions; -1 in the padding.
static inline int64_t kernel_window_offset(const chip_window_t *window, int rank,
                                           const tensor_shape_t *shape,
                                           const int64_t *strides, const int64_t *o,
                                           const int64_t *w) {
  int64_t offset = 0;
  for (int d = 0; d < rank; d++) {
    const int64_t at = chip_window_element(window, d, o[d], w[d]);
    if (at < 0 || at >= shape->dims[d]) {
      return -1;
    }
    offset += at * strides[d];
  }
  return offset;
}

// The same for `places` neighbours along the last dimension, from index `first` on, in
// the row that the other indices of `o` say.
static inline void kernel_window_offsets(const chip_window_t *window,
                                         const tensor_shape_t *shape,
                                         const int64_t *strides, const int64_t *o,
                                         const int64_t *w, int64_t first, size_t places,
                                         int64_t *out_offsets) {
  const int last = shape->rank - 1;
  const int64_t row =
      last < 0 ? 0 : kernel_window_offset(window, last, shape, strides, o, w);
  for (size_t i = 0; i < places; i++) {
    const int64_t at =
        last < 0 ? 0 : chip_window_element(window, last, first + (int64_t)i, w[last]);
    const bool is_inside = row >= 0 && at >= 0 && (last < 0 || at < shape->dims[last]);
    out_offsets[i] = is_inside ? row + at : -1;
  }
}

// Whether every window of a reduce_window holds all elements up to its place (or from it
// on) in one dimension, and padding that changes nothing. `loop` is the reducer's, NULL
// when it is not known.
bool kernel_scan_fits(const kernel_args_t *args, const chip_window_t *window,
                      kernel_binary_fn_t loop);

// reduce_window for such windows. Every result is made of the one before, so that from
// the first element on results are the same to the bit as by windows.
POD_MUST_USE pod_status_t kernel_scan(const kernel_args_t *args,
                                      const chip_window_t *window,
                                      kernel_binary_fn_t loop);

#endif  // SERVER_WORKER_KERNELS_WINDOWS_H_
