// What neighbouring windows see at one of their places: elements of the operand, or the
// initial value in the padding, as a vector. Blocks of results are rows of the last
// dimension that has windows, several short ones or a part of a long one; dimensions
// behind it, as features that come last, are runs that are copied whole.
//
// Threading: pure; any thread.

#ifndef SERVER_WORKER_KERNELS_WINDOW_VIEW_H_
#define SERVER_WORKER_KERNELS_WINDOW_VIEW_H_

#include "common/tensor/shape.h"
#include "server/program/window.h"

typedef struct kernel_window_view_t {
  const chip_window_t *window;
  const tensor_shape_t *in, *out;
  int64_t strides[TENSOR_RANK_MAX];  // Of the operand.
  int windowed;                      // The last dimension that has windows.
  int64_t run, row;                  // Results behind it, and with it.
} kernel_window_view_t;

// Of an operand and a result of windows; everything is borrowed.
kernel_window_view_t kernel_window_view_make(const chip_window_t *window,
                                             const tensor_shape_t *in,
                                             const tensor_shape_t *out);

// The size of the block that begins with result `first` in row-major order, at most
// `most` (1 or more): blocks follow one another from 0 on.
size_t kernel_window_view_block(const kernel_window_view_t *view, int64_t first,
                                size_t most);

// What the `count` windows of the block at `first` see at place `w`: in `buffer`, or
// where it lies in `data`. `initial` is one element.
const void *kernel_window_view_fetch(const kernel_window_view_t *view, const void *data,
                                     const void *initial, const int64_t *w, int64_t first,
                                     size_t count, void *buffer);

#endif  // SERVER_WORKER_KERNELS_WINDOW_VIEW_H_
