// How much HBM an array takes: XLA lays arrays out in tiles and pads them.
//
// Two dimensions are the minor ones, those that need the least padding, of equal ones the
// last: TPUs choose compact layouts, so that [N,1] lies as {0,1:T(1,128)} and does not
// take 128 times its size. (Source: XLA's reports of allocations, where
// s32[8388608,8,4]{0,2,1:T(4,128)} and f32[1024,245,64]{1,2,0:T(8,128)} avoid most
// padding. A layout that an operation forces, or that saves a transpose, is not known
// here.)
//
// The two are padded to tiles of 8·(32 / bits) sublanes by 128 lanes:
// (8,128) of 32-bit, (16,128) of 16-bit, (32,128) of 8-bit elements; elements above 32
// bits are laid out as several 32-bit ones. A second-to-last dimension smaller than the
// tile gets the smallest tile of 1, 2, 4 … sublanes that holds it, as XLA chooses it
// ("T(2,128)"). A vector is padded to 128 lanes. (Source: the shapes with tiles that XLA
// prints, and the padding rule of the specifications' notes.)
//
// Threading: pure.

#ifndef COMMON_TENSOR_TILES_H_
#define COMMON_TENSOR_TILES_H_

#include <stdint.h>

#include "common/base/text.h"
#include "common/tensor/shape.h"

enum { TENSOR_LANES = 128, TENSOR_SUBLANES = 8 };

// Bytes in HBM, padding included; saturates at INT64_MAX. 0 when the array has no
// elements; a scalar takes its own bytes.
int64_t tensor_tiled_bytes(const tensor_shape_t *shape);

// The dimension along the lanes, which is the most minor one, and the next; -1: the array
// has none.
typedef struct tensor_layout_t {
  int lanes, sublanes;
} tensor_layout_t;

tensor_layout_t tensor_layout(const tensor_shape_t *shape);

// "{1,0:T(8,128)}", "{0:T(128)}"; nothing for a scalar.
void tensor_layout_print(pod_text_t *text, const tensor_shape_t *shape);

#endif  // COMMON_TENSOR_TILES_H_
