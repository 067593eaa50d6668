// Windows that slide over an array: those of reduce_window, select_and_scatter and
// convolution. Compiler, program checker and kernels read the same rules from here.
//
// Constraints and formulas are those of the StableHLO specification; (C…) are its
// numbers.
//
// Threading: pure. Errors: INVALID_ARGUMENT, without a place.

#ifndef SERVER_PROGRAM_WINDOW_H_
#define SERVER_PROGRAM_WINDOW_H_

#include "common/base/status.h"
#include "server/program/program.h"

// Per dimension: the window has sizes[d] places, `window_dilations` apart; it moves by
// strides[d] over an array whose elements lie `base_dilations` apart, with `low` and
// `high` places before and behind.
typedef struct chip_window_t {
  int rank;
  int64_t sizes[TENSOR_RANK_MAX];
  int64_t strides[TENSOR_RANK_MAX];
  int64_t base_dilations[TENSOR_RANK_MAX];
  int64_t window_dilations[TENSOR_RANK_MAX];
  int64_t low[TENSOR_RANK_MAX], high[TENSOR_RANK_MAX];
  bool is_reversed[TENSOR_RANK_MAX];  // Convolution only.
} chip_window_t;

// Sizes of 1 and no padding.
chip_window_t chip_window_make(int rank);

// Reads the attributes of an instruction; those that are absent are as chip_window_make
// has them, and INVALID_ARGUMENT when one has another number of values than `rank`.
// Sizes are read from WINDOW_DIMENSIONS.
POD_MUST_USE pod_status_t chip_window_of(const chip_instruction_t *instruction, int rank,
                                         chip_window_t *out_window);

// How many places the window has over `size` elements in dimension `d`. INVALID_ARGUMENT
// for sizes, strides and dilations below 1 and for what overflows.
POD_MUST_USE pod_status_t chip_window_places(const chip_window_t *window, int d,
                                             int64_t size, int64_t *out_places);

// The element that place `w` of the window at `o` falls on in dimension `d`: below 0 or
// from `size` on where there is padding, and -1 in the gaps of a dilated array.
static inline int64_t chip_window_element(const chip_window_t *window, int d, int64_t o,
                                          int64_t w) {
  const int64_t at =
      o * window->strides[d] + w * window->window_dilations[d] - window->low[d];
  if (window->base_dilations[d] == 1) {
    return at;
  }
  return at < 0 || at % window->base_dilations[d] != 0 ? -1
                                                       : at / window->base_dilations[d];
}

// Dimensions of a convolution: batch, feature, then the spatial ones, of the left
// operand and of the result; input feature, output feature, spatial, of the kernel.
typedef struct chip_convolution_t {
  const int64_t *input, *kernel, *output;  // 2 + window.rank each.
  int64_t feature_group_count, batch_group_count;
  chip_window_t window;  // Sizes are the kernel's.
} chip_convolution_t;

// Reads a CONVOLUTION instruction. INVALID_ARGUMENT when the attributes do not fit ranks.
POD_MUST_USE pod_status_t chip_convolution_of(const chip_instruction_t *instruction,
                                              const tensor_shape_t *kernel,
                                              chip_convolution_t *out_convolution);

// Checks everything, and gives the result's sizes; its element type is the left one's.
POD_MUST_USE pod_status_t chip_convolution_shape(const chip_convolution_t *convolution,
                                                 const tensor_shape_t *lhs,
                                                 const tensor_shape_t *rhs,
                                                 tensor_shape_t *out_result);

#endif  // SERVER_PROGRAM_WINDOW_H_
